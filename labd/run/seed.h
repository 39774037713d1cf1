// SPDX-License-Identifier: GPL-2.0-or-later
/* What a new store begins with: the published references (compiled in) and the matrices of a folder. Called at every start; what is there
   already stays. One thread. */
#ifndef LAB_RUN_SEED_H
#define LAB_RUN_SEED_H

#include <stdint.h>

#include "core/err.h"

struct store;

/* Replaces the references by those that this labd was built with. */
bool seed_references(struct store *s, struct err *e);

/* Every *.json of the folder, ascending by name. A broken file is an error that names it. */
bool seed_matrices(struct store *s, const char *folder, struct err *e);

/* This computer, into the store. */
bool seed_host(struct store *s, const char *labd, int64_t *id, struct err *e);

#endif
