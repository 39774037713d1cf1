// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables in a document that a program makes: each stands between <!-- begin NAME --> and <!-- end NAME -->, on lines of their own. For tests and what writes documents. */
#ifndef LAB_TEST_DOC_BLOCK_H
#define LAB_TEST_DOC_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"

/* file: relative to LAB_SOURCE. Does the block hold this text? write: make it so. False: ERR_MISMATCH (both are printed), ERR_NOT_FOUND (no such block), or it cannot be written. */
bool doc_block_holds(const char *file, const char *name, const char *text, size_t size, bool write, struct err *e);

#endif
