// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a configuration file of each kind; what is refused has a sentence. */
#include <stdlib.h>

#include "config/bench.h"
#include "config/board_type.h"
#include "config/labd_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void refused(bool ok, const struct err *e)
{
	if (!ok && (!e->code || !e->msg[0]))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *text = (const char *)bytes;
	struct labd_config c = { 0 };
	struct board_type *t = NULL;
	struct bench *b = NULL;
	struct err e = { 0 };

	refused(bench_parse("f", text, size, &b, &e), &e);
	bench_destroy(b);
	refused(board_type_parse("f", text, size, &t, &e), &e);
	board_type_destroy(t);
	if (labd_config_parse("f", text, size, "/", &c, &e))
		labd_config_finish(&c);
	return 0;
}
