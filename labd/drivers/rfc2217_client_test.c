// SPDX-License-Identifier: GPL-2.0-or-later
/* The RFC 2217 client as bytes: what it says at first, what it believes, and that no cut of the input changes anything. */
#include "drivers/rfc2217_client.h"
#include "test/harness.h"

#include <string.h>

static struct err e;

#define IAC "\xFF"
#define SB(text) IAC "\xFA\x2C" text IAC "\xF0"
#define DO_COM_PORT IAC "\xFD\x2C"

static void hear(struct rfc2217_client *c, const char *bytes, size_t n)
{
	rfc2217_client_input(c, bytes, n);
}

#define HEAR(c, text) hear(c, text, sizeof(text) - 1)

static bool says(struct rfc2217_client *c, const char *bytes, size_t n)
{
	struct buf *out = rfc2217_client_output(c);
	bool same = out->size == n && !memcmp(out->bytes, bytes, n);

	buf_clear(out);
	return same;
}

#define SAYS(c, text) says(c, text, sizeof(text) - 1)

TEST(it_offers_the_option_and_asks_for_binary)
{
	struct rfc2217_client *c = rfc2217_client_create();

	CHECK(SAYS(c, IAC "\xFB\x2C" IAC "\xFB\x00" IAC "\xFD\x00" IAC "\xFB\x03" IAC "\xFD\x03"));
	CHECK(!rfc2217_client_settled(c));
	CHECK_STR(rfc2217_client_waits_for(c), "agreement on RFC 2217");
	HEAR(c, DO_COM_PORT);
	CHECK(rfc2217_client_settled(c));
	CHECK(SAYS(c, ""));
	rfc2217_client_destroy(c);
}

TEST(a_set_is_settled_by_its_own_answer)
{
	struct rfc2217_client *c = rfc2217_client_create();

	HEAR(c, DO_COM_PORT);
	buf_clear(rfc2217_client_output(c));
	rfc2217_client_set(c, RFC2217_BAUDRATE, 115200);
	rfc2217_client_set(c, RFC2217_CONTROL, RFC2217_DTR_ON);
	CHECK(SAYS(c, SB("\x01\x00\x01\xC2\x00") SB("\x05\x08")));
	HEAR(c, SB("\x69\x08"));
	CHECK(!rfc2217_client_settled(c));
	CHECK_STR(rfc2217_client_waits_for(c), "baud rate");
	HEAR(c, SB("\x65\x00\x01\xC2\x00"));
	CHECK(rfc2217_client_settled(c));
	CHECK_OK(rfc2217_client_check(c, &e), &e);
	rfc2217_client_destroy(c);
}

TEST(another_value_in_the_answer_is_an_error_once)
{
	struct rfc2217_client *c = rfc2217_client_create();

	HEAR(c, DO_COM_PORT);
	rfc2217_client_set(c, RFC2217_BAUDRATE, 115200);
	HEAR(c, SB("\x65\x00\x00\x25\x80"));
	CHECK(!rfc2217_client_check(c, &e));
	CHECK_EQ(e.code, ERR_UNSUPPORTED);
	CHECK_STR(e.msg, "baud rate: asked for 115200, but the RFC 2217 server set 9600");
	CHECK(rfc2217_client_check(c, &e));
	rfc2217_client_destroy(c);
}

TEST(a_plain_telnet_server_is_recognised)
{
	struct rfc2217_client *c = rfc2217_client_create();

	HEAR(c, IAC "\xFE\x2C");
	CHECK(!rfc2217_client_check(c, &e));
	CHECK_STR(e.msg, "the server refuses RFC 2217 (COM-PORT-OPTION): it is a plain telnet or raw port");
	rfc2217_client_destroy(c);
}

TEST(data_and_ffh_pass_in_pieces_of_any_size)
{
	static const char raw[] = DO_COM_PORT "ab" IAC IAC "c" SB("\x6A\x00") "\r\0\n" SB("\x6B\xB0") "d";
	const size_t size = sizeof raw - 1;

	for (size_t cut = 0; cut <= size; cut++) {
		struct rfc2217_client *c = rfc2217_client_create();

		hear(c, raw, cut);
		hear(c, raw + cut, size - cut);
		CHECK_EQ(rfc2217_client_data(c)->size, 8);
		CHECK(!memcmp(rfc2217_client_data(c)->bytes, "ab\xFF" "c\r\0\nd", 8));
		CHECK(rfc2217_client_settled(c));
		rfc2217_client_destroy(c);
	}
}

TEST(ffh_to_the_line_is_doubled)
{
	struct rfc2217_client *c = rfc2217_client_create();

	buf_clear(rfc2217_client_output(c));
	rfc2217_client_send(c, "\r\xFF\0", 3);
	CHECK(SAYS(c, "\r\xFF\xFF\0"));
	rfc2217_client_destroy(c);
}

TEST(the_server_can_suspend_and_resume)
{
	struct rfc2217_client *c = rfc2217_client_create();

	HEAR(c, SB("\x6C"));
	CHECK(rfc2217_client_suspended(c));
	HEAR(c, SB("\x6D"));
	CHECK(!rfc2217_client_suspended(c));
	rfc2217_client_destroy(c);
}
