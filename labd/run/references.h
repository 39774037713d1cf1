// SPDX-License-Identifier: GPL-2.0-or-later
/* db/references.json, compiled in. */
#ifndef LAB_RUN_REFERENCES_H
#define LAB_RUN_REFERENCES_H

extern const char references_json[];

#endif
