// SPDX-License-Identifier: GPL-2.0-or-later
/* The handlers of the route table, by file. See site.h for what a handler is and docs/openapi.json for what each takes and gives. Private to http/. */
#ifndef LAB_HTTP_API_H
#define LAB_HTTP_API_H

#include "http/site.h"

struct result_filter;

/* api_site.c: the server itself */
handler_fn api_openapi, api_events, api_login, api_logout, api_session, api_login_link;

/* api_lab.c: what is there */
handler_fn api_status, api_hosts, api_boards, api_board, api_board_flash, api_board_console, api_images, api_references;

/* api_matrix.c */
handler_fn api_matrices, api_matrix, api_matrix_export, api_matrix_import, api_matrix_validate, api_matrix_copy;

/* api_run.c */
handler_fn api_runs, api_run, api_run_create, api_run_estimate, api_run_report, api_run_cancel;

/* api_result.c */
handler_fn api_results, api_result, api_result_frames, api_result_console, api_result_console_text, api_result_capture, api_result_profile, api_result_exclude, api_result_include;

/* api_report.c: comparisons and CSV */
handler_fn api_compare, api_export_samples, api_export_summary, api_export_compare, api_export_meta;

/* api_schedule.c */
handler_fn api_schedules, api_schedule_add, api_schedule_preview, api_schedule_delete, api_schedule_events, api_schedule_enable, api_schedule_disable;

/* rs takes the JSON; false when it is NULL (the reason is set already). */
bool api_give(struct response *rs, json_t *json);

/* False with a reason while the daemon has no runner (it is starting or stopping). */
bool api_runner(const struct site *site, struct err *e);

/* The query's filter over results; texts are borrowed from rq. */
bool api_filter(const struct request *rq, struct result_filter *f, struct err *e);

#endif
