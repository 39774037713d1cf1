// SPDX-License-Identifier: GPL-2.0-or-later
/* The texts of the trigger workload: what is a line, what is not, and by which word it is refused. */
#include <string.h>

#include "common/trigger.h"
#include "test/harness.h"

static struct trigger got;

static int judge(const char *line, bool udp)
{
	return trigger_parse((const uint8_t *)line, (uint8_t)strlen(line), udp, &got);
}

TEST(a_trigger_line_is_understood)
{
	CHECK_EQ(judge("LAB1 n=1460 count=100", false), TRIGGER_OK);
	CHECK(got.n == 1460 && got.count == 100 && got.ack == 0);
	CHECK_EQ(judge("LAB1 n=1 count=65535\r", false), TRIGGER_OK);
	CHECK(got.n == 1 && got.count == 65535);
}

TEST(ack_is_for_udp_alone)
{
	CHECK_EQ(judge("LAB1 n=10 count=1 ack=1", true), TRIGGER_OK);
	CHECK_EQ(got.ack, 1);
	CHECK_EQ(judge("LAB1 n=10 count=1 ack=0\r", true), TRIGGER_OK);
	CHECK_EQ(got.ack, 0);
	CHECK_EQ(judge("LAB1 n=10 count=1 ack=1", false), TRIGGER_SYNTAX);
}

TEST(numbers_outside_the_table_are_out_of_range)
{
	static const char *const lines[] = { "LAB1 n=0 count=1", "LAB1 n=1461 count=1", "LAB1 n=65536 count=1", "LAB1 n=65537 count=1",
		"LAB1 n=131073 count=1", "LAB1 n=99999999999999 count=1", "LAB1 n=1 count=0", "LAB1 n=1 count=65536", "LAB1 n=1 count=655351" };

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		CHECK_EQ(judge(lines[i], false), TRIGGER_RANGE);
}

TEST(everything_else_is_syntax)
{
	static const char *const lines[] = { "", "\r", "L", "LAB1", "LAB2 n=1 count=1", "lab1 n=1 count=1", "LAB1 n= count=1", "LAB1 n=1", "LAB1 n=1 ",
		"LAB1 n=1 count=", "LAB1 n=1 count=1 ", " LAB1 n=1 count=1", "LAB1  n=1 count=1", "LAB1 n=1  count=1", "LAB1 n=01 count=1", "LAB1 n=00 count=1",
		"LAB1 n=+1 count=1", "LAB1 n=-1 count=1", "LAB1 n=1 count=01", "LAB1 n=1 count=1x", "LAB1 n=0x1 count=1", "LAB1 count=1 n=1",
		"LAB1 n=1\tcount=1", "LAB1 n=1 count=1\r\r", "LAB1 n=0 count=", "LAB1 n=9999 count=x" };
	static const char *const udp[] = { "LAB1 n=1 count=1 ack=", "LAB1 n=1 count=1 ack=2", "LAB1 n=1 count=1 ack=01", "LAB1 n=1 count=1 ack=1 ",
		"LAB1 n=1 count=1 nak=1" };

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		CHECK_EQ(judge(lines[i], false), TRIGGER_SYNTAX);
	for (size_t i = 0; i < sizeof udp / sizeof *udp; i++)
		CHECK_EQ(judge(udp[i], true), TRIGGER_SYNTAX);
}

static bool is_ack(const char *line, uint16_t frame)
{
	return trigger_is_ack((const uint8_t *)line, (uint8_t)strlen(line), frame);
}

TEST(an_acknowledgement_names_its_frame)
{
	CHECK(is_ack("ACK 0", 0) && is_ack("ACK 17\r", 17) && is_ack("ACK 65534", 65534));
	CHECK(!is_ack("ACK 1", 2) && !is_ack("ACK 00", 0) && !is_ack("ACK", 0) && !is_ack("ACK ", 0) && !is_ack("ACK 1 ", 1) && !is_ack("ACK 65536", 0)
		&& !is_ack("ACK 65553", 17) && !is_ack("", 0) && !is_ack("NAK 1", 1));
}
