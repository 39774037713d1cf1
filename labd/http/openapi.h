// SPDX-License-Identifier: GPL-2.0-or-later
/* docs/openapi.json, made part of the program by the build. */
#ifndef LAB_HTTP_OPENAPI_H
#define LAB_HTTP_OPENAPI_H

#include <stddef.h>

extern const unsigned char openapi_json[];
extern const size_t openapi_json_size;

#endif
