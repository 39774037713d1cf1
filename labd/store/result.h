// SPDX-License-Identifier: GPL-2.0-or-later
/* Inside the store only: what runs, the queue and results share. The write lock is held by the caller. */
#ifndef LAB_STORE_RESULT_H
#define LAB_STORE_RESULT_H

#include "store/sql.h"

/* The run is finished when its last attempt is. */
bool run_close(struct store *s, int64_t run, bool *finished, struct err *e);

/* As store_results(), of one run, on this connection. */
json_t *results_of_run(struct db *db, int64_t run, struct err *e);

#endif
