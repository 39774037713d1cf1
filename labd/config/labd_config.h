// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * labd.json: where the daemon finds everything. Relative paths are relative to the file's folder. Read once at start; any thread.
 */
#ifndef LAB_CONFIG_LABD_CONFIG_H
#define LAB_CONFIG_LABD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define LABD_MAX_WEB_ROOTS 8

struct labd_config {
	char *state_dir;                                                     /* default: $XDG_STATE_HOME/labd, else ~/.local/state/labd */
	char *bench;                                                         /* file */
	char *board_types;                                                   /* folder */
	char *matrices;                                                      /* folder; NULL = none to seed */
	char *images;                                                        /* build/firmware/images.json; NULL = none */
	char *vboard;                                                        /* program; NULL = no virtual boards */
	char *web[LABD_MAX_WEB_ROOTS + 1];                                   /* folders in order of search, NULL-terminated */
	char *address;                                                       /* to listen at; default 127.0.0.1 */
	uint16_t port;                                                       /* default 8090; 0 = a free one */
	char *hosts[9];                                                      /* further names allowed in Host and Origin, NULL-terminated */
	char *log_level;                                                     /* error, warn, info, debug */
};

/* folder: what relative paths are relative to. */
bool labd_config_parse(const char *file, const char *text, size_t size, const char *folder, struct labd_config *out, struct err *e);
bool labd_config_load(const char *path, struct labd_config *out, struct err *e);
void labd_config_finish(struct labd_config *c);

#endif
