// SPDX-License-Identifier: GPL-2.0-or-later
/* One request on its way through libmicrohttpd: these are the callbacks the library is given. Private to http/. */
#ifndef LAB_HTTP_EXCHANGE_H
#define LAB_HTTP_EXCHANGE_H

#include <microhttpd.h>

#include "http/events.h"
#include "http/site.h"

/* cls of all of them: struct site. */
void exchange_connection(void *cls, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode what);
void *exchange_begin(void *cls, const char *target, struct MHD_Connection *connection);
enum MHD_Result exchange_step(void *cls, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
                              const char *upload, size_t *upload_size, void **con_cls);
void exchange_end(void *cls, struct MHD_Connection *connection, void **con_cls, enum MHD_RequestTerminationCode why);

extern const struct events_hooks exchange_hooks;

#endif
