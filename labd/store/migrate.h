// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inside the store only: steps a database's schema up to what this labd knows. The SQL files of db/migrations/ are compiled in; their
 * number is the user_version they lead to.
 */
#ifndef LAB_STORE_MIGRATE_H
#define LAB_STORE_MIGRATE_H

#include "store/sql.h"

#define STORE_APPLICATION_ID 0x4c414244                                      /* "LABD" */

struct migration {
	int version;
	const char *name, *sql;
};

/* The compiled-in ones, ascending from 1 without a gap; ends with a NULL name. */
extern const struct migration migrations[];

/* Told after each statement of a step, before its commit; tests end the process there. May be NULL. */
struct migrate_watch {
	void (*statement)(void *opaque, int version, unsigned n);
	void *opaque;
};

/* One transaction a step, user_version included. path: for the copy before the first step; NULL: no copy (a store in memory, or one that is
   new). */
bool migrate(struct db *db, const char *path, const struct migration *list, const struct migrate_watch *watch, struct err *e);

#endif
