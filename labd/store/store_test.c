// SPDX-License-Identifier: GPL-2.0-or-later
/* The store through its own functions, mostly in memory. */
#include "store/store.h"

#include "test/harness.h"

TEST(a_store_in_memory_opens_with_the_newest_schema)
{
	struct store *s = NULL;
	struct err e;
	json_t *status;

	CHECK_OK(store_open(":memory:", &clock_host, &s, &e), &e);
	status = store_status(s, &e);
	CHECK(status);
	CHECK(json_integer_value(json_object_get(status, "schema_version")) >= 1);
	json_decref(status);
	store_close(s);
}
