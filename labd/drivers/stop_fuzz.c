// SPDX-License-Identifier: GPL-2.0-or-later
/* What a virtual board says: the answer to a turn (first byte 't', the rest a line) and the stream of its tap (anything else: piece size,
   then the stream). */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/pcap_file.h"
#include "drivers/turn_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void read_line(const uint8_t *bytes, size_t size)
{
	char *line = malloc(size + 1);
	struct turn_stop stop;
	struct err e = { .code = ERR_NONE };

	memcpy(line, bytes, size);
	line[size] = '\0';
	if (turn_read(line, &stop, &e) == TURN_OTHER)
		assert(e.code == ERR_PROTOCOL);
	assert(stop.count <= TURN_LINKS_MOST);
	free(line);
}

static void cut(size_t piece, const uint8_t *bytes, size_t size)
{
	struct pcap_cut c = { .header = false };
	struct buf out = { .bytes = NULL };
	struct err e = { .code = ERR_NONE };

	for (size_t at = 0; at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;
		if (!pcap_cut_take(&c, bytes + at, n, &out, &e))
			break;
	}
	assert(out.size <= size && (out.size == 0 || memcmp(out.bytes, bytes, out.size) == 0));
	pcap_cut_finish(&c);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	if (bytes[0] == 't')
		read_line(bytes + 1, size - 1);
	else
		cut((size_t)bytes[0] + 1, bytes + 1, size - 1);
	return 0;
}
