// SPDX-License-Identifier: GPL-2.0-or-later
/* What the readers of this folder share. Internal to config/. */
#ifndef LAB_CONFIG_READ_H
#define LAB_CONFIG_READ_H

#include "core/json.h"

/* A whole file of at most 4 MiB into memory the caller frees. */
bool config_file_text(const char *path, char **out, size_t *size, struct err *e);

/* An array of texts into words[room + 1], NULL-terminated; what: "arguments". */
bool config_words(const struct json_doc *d, const struct json_path *at, const json_t *array, const char **words, size_t room, struct err *e);

/* "at89c51ed2-cs8900a", "8051-a": 1 to 64 of [A-Za-z0-9._-], not beginning with a point or dash: it becomes part of file names. */
bool config_name(const struct json_doc *d, const struct json_path *at, const char *name, struct err *e);

/* The one version there is. */
bool config_version(const struct json_doc *d, uint32_t version, struct err *e);

#endif
