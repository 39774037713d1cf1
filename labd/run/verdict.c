// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of verdicts. */
#include "run/verdict.h"

#include <stddef.h>

static const char *const verdict_words[VERDICTS] = { "pass", "fail", "error", "skipped", "cancelled", "timeout" };
static const char *const step_words[STEPS] = { "image", "open", "power", "line", "boot", "flash", "proof", "tap", "drive", "capture", "measure", "store" };

const char *verdict_word(enum verdict v)
{
	return verdict_words[v];
}

const char *step_word(enum step s)
{
	return step_words[s];
}

#define ANY_STEP STEPS
#define ANY_CODE ERR_CODES
#define ANYONE CAUSES

/* The first row that fits wins. */
static const struct row {
	enum step step;
	enum err_code code;
	enum cause blamed;
	enum verdict verdict;
	enum cause cause;
	bool retry;
} rows[] = {
	{ ANY_STEP, ERR_CANCELLED, ANYONE, VERDICT_CANCELLED, CAUSE_REQUEST, false },
	{ STEP_IMAGE, ERR_NOT_FOUND, ANYONE, VERDICT_SKIPPED, CAUSE_IMAGE, false },
	{ STEP_IMAGE, ANY_CODE, ANYONE, VERDICT_ERROR, CAUSE_IMAGE, false },
	{ STEP_OPEN, ANY_CODE, ANYONE, VERDICT_ERROR, CAUSE_HOST, true },
	{ STEP_POWER, ANY_CODE, ANYONE, VERDICT_ERROR, CAUSE_POWER, true },
	{ STEP_LINE, ANY_CODE, ANYONE, VERDICT_ERROR, CAUSE_LINE, true },
	{ STEP_FLASH, ERR_INVALID, ANYONE, VERDICT_ERROR, CAUSE_IMAGE, false },
	{ STEP_FLASH, ERR_TOO_LARGE, ANYONE, VERDICT_ERROR, CAUSE_IMAGE, false },
	{ STEP_FLASH, ANY_CODE, CAUSE_LINE, VERDICT_ERROR, CAUSE_LINE, true },
	{ STEP_FLASH, ERR_LOST, ANYONE, VERDICT_ERROR, CAUSE_LINE, true },
	{ STEP_FLASH, ERR_PROTOCOL, ANYONE, VERDICT_ERROR, CAUSE_LINE, true },           /* characters that nobody sent: noise */
	{ STEP_FLASH, ANY_CODE, ANYONE, VERDICT_ERROR, CAUSE_FLASH, true },
	{ STEP_PROOF, ANY_CODE, ANYONE, VERDICT_ERROR, CAUSE_FLASH, true },
	{ STEP_TAP, ERR_UNSUPPORTED, ANYONE, VERDICT_SKIPPED, CAUSE_UNSUPPORTED, false },
	{ STEP_TAP, ANY_CODE, ANYONE, VERDICT_ERROR, CAUSE_HOST, true },
	{ STEP_CAPTURE, ANY_CODE, ANYONE, VERDICT_ERROR, CAUSE_HOST, true },
	{ STEP_MEASURE, ERR_MISMATCH, ANYONE, VERDICT_FAIL, CAUSE_FIRMWARE, false },
	{ STEP_MEASURE, ANY_CODE, ANYONE, VERDICT_ERROR, CAUSE_HOST, true },
	{ STEP_STORE, ANY_CODE, ANYONE, VERDICT_ERROR, CAUSE_DAEMON, false },
	/* boot and drive: by whom they blame, below */
};

/* What a blamed party makes of a failure in boot or drive. */
static const struct {
	enum cause cause;
	enum verdict verdict;
	bool retry;
} blames[] = {
	{ CAUSE_FIRMWARE, VERDICT_FAIL, false }, { CAUSE_BOARD, VERDICT_FAIL, false },      { CAUSE_UNSUPPORTED, VERDICT_SKIPPED, false },
	{ CAUSE_REQUEST, VERDICT_ERROR, false }, { CAUSE_NETWORK, VERDICT_ERROR, true },    { CAUSE_LINE, VERDICT_ERROR, true },
	{ CAUSE_POWER, VERDICT_ERROR, true },    { CAUSE_PROBE, VERDICT_ERROR, true },      { CAUSE_FLASH, VERDICT_ERROR, true },
	{ CAUSE_HOST, VERDICT_ERROR, true },     { CAUSE_DAEMON, VERDICT_ERROR, false },
};

static struct judgement by_blame(enum step step, enum err_code code, enum cause blamed)
{
	struct judgement j = { VERDICT_ERROR, CAUSE_HOST, true };

	for (size_t i = 0; i < sizeof blames / sizeof blames[0]; i++)
		if (blames[i].cause == blamed)
			j = (struct judgement){ blames[i].verdict, blamed, blames[i].retry };
	/* A board that falls silent in the middle of the exchange is a verdict of its own. */
	if (step == STEP_DRIVE && code == ERR_TIMEOUT)
		j.verdict = VERDICT_TIMEOUT;
	return j;
}

struct judgement judge(enum step step, enum err_code code, enum cause blamed)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if ((rows[i].step == ANY_STEP || rows[i].step == step) && (rows[i].code == ANY_CODE || rows[i].code == code)
		    && (rows[i].blamed == ANYONE || rows[i].blamed == blamed))
			return (struct judgement){ rows[i].verdict, rows[i].cause, rows[i].retry };
	return by_blame(step, code, blamed);
}
