/*
 * reply.h - answers other than profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_REPLY_H
#define LIBCPAPROF_ENDPOINT_REPLY_H

#include "libcpaprof/endpoint/route.h"

/* Answer a route before ROUTE_INDEX: an error or a redirection. method: the HTTP method. Returns 0 or -ENOMEM. */
int reply_route(struct serve_answer *a, const struct route *r, const char *method);

/* Append formatted text of at most 1 KiB, or text escaped for HTML. Both return 0 or -ENOMEM. */
__attribute__((format(printf, 2, 3))) int reply_add(struct serve_answer *a, const char *fmt, ...);
int reply_add_html(struct serve_answer *a, const char *text, size_t n);

/* Replace the answer by an error of one line, like serve_set_text; fmt as for reply_add. */
__attribute__((format(printf, 3, 4))) int reply_error(struct serve_answer *a, int status, const char *fmt, ...);

extern const char reply_text[], reply_page[], reply_data[]; /* content types */

#endif
