// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The profile of an attempt (report/profile.h) as a file beside its capture: captures/run-<run>/attempt-<attempt>.profile.json below the state folder. The functions are named
 * when it is written, by the list that belongs to the image, so that a later build cannot change what it says. Any thread.
 */
#ifndef LAB_RUN_PROFILE_FILE_H
#define LAB_RUN_PROFILE_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "report/profile.h"
#include "run/images.h"

/* Attribute counts with the image's list of functions and the build's buckets.json. NULL on failure: ERR_NOT_FOUND where the image has no such list. */
json_t *profile_of_image(const struct lab_image *image, const json_t *counts, const struct profile_run *run, struct err *e);

/* The folder is there already. */
bool profile_file_write(const char *state_dir, int64_t run, int64_t attempt, const struct lab_image *image, const json_t *counts, const struct profile_run *measured, struct err *e);

/* NULL: ERR_NOT_FOUND when none was taken. */
json_t *profile_file_read(const char *state_dir, int64_t run, int64_t attempt, struct err *e);

#endif
