// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as an RFC 2217 server, whole and cut at a place the first byte names: the same data, the same belief. */
#include <stdlib.h>
#include <string.h>

#include "drivers/rfc2217_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct rfc2217_client *after(const uint8_t *bytes, size_t size, size_t cut)
{
	struct rfc2217_client *c = rfc2217_client_create();

	rfc2217_client_set(c, RFC2217_BAUDRATE, 9600);
	rfc2217_client_set(c, RFC2217_CONTROL, RFC2217_DTR_OFF);
	rfc2217_client_set(c, RFC2217_PURGE, 1);
	rfc2217_client_input(c, bytes, cut);
	rfc2217_client_input(c, bytes + cut, size - cut);
	return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct rfc2217_client *a, *b;
	struct err ea = { 0 }, eb = { 0 };

	if (!size)
		return 0;
	a = after(bytes + 1, size - 1, 0);
	b = after(bytes + 1, size - 1, bytes[0] % size);
	if (rfc2217_client_data(a)->size != rfc2217_client_data(b)->size || rfc2217_client_settled(a) != rfc2217_client_settled(b)
		|| strcmp(buf_text(rfc2217_client_data(a)), buf_text(rfc2217_client_data(b))) || rfc2217_client_check(a, &ea) != rfc2217_client_check(b, &eb))
		abort();
	rfc2217_client_destroy(a);
	rfc2217_client_destroy(b);
	return 0;
}
