// SPDX-License-Identifier: GPL-2.0-or-later
/* What the checks of labctl doctor share. */
#ifndef LAB_CTL_DOCTOR_H
#define LAB_CTL_DOCTOR_H

#include <jansson.h>

/* state: "ok", "note" (works, but look) or "problem". */
void doctor_add(json_t *checks, const char *what, const char *state, const char *sentence);

/* The bench file, and the kernel interfaces and rights that its boards need. */
void doctor_bench(json_t *checks, const char *file);

#endif
