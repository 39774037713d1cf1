// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From where and how an attempt ended to its verdict and cause: one table. A failure of the lab (power, line, probe, flash, host, daemon,
 * network) is an error and worth another try; a failure of what is tested is a fail. Any thread.
 */
#ifndef LAB_RUN_VERDICT_H
#define LAB_RUN_VERDICT_H

#include "core/err.h"
#include "drive/workload.h"

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_ERROR, VERDICT_SKIPPED, VERDICT_CANCELLED, VERDICT_TIMEOUT, VERDICTS };
const char *verdict_word(enum verdict v);

/* The steps of an attempt, in order. */
enum step { STEP_IMAGE, STEP_OPEN, STEP_POWER, STEP_LINE, STEP_BOOT, STEP_FLASH, STEP_PROOF, STEP_TAP, STEP_DRIVE, STEP_CAPTURE, STEP_MEASURE, STEP_STORE, STEPS };
const char *step_word(enum step s);

struct judgement {
	enum verdict verdict;
	enum cause cause;
	bool retry;                                                          /* worth a second attempt after a power cycle */
};

/* How step failed. blamed: what the step itself found to blame (CAUSE_NONE: it cannot tell). */
struct judgement judge(enum step step, enum err_code code, enum cause blamed);

#endif
