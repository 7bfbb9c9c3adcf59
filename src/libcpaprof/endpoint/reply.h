/*
 * reply.h - the answers that are no profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_REPLY_H
#define LIBCPAPROF_ENDPOINT_REPLY_H

#include "libcpaprof/endpoint/route.h"

/* The answer to what goes nowhere: one of the first ROUTE_... method: of the request. Gives 0 or -ENOMEM. */
int reply_route(struct serve_answer *a, const struct route *r, const char *method);

/* Add a text, as printf makes it, up to 1 KiB; and one as HTML shows it. Gives 0 or -ENOMEM. */
__attribute__((format(printf, 2, 3))) int reply_add(struct serve_answer *a, const char *fmt, ...);
int reply_html(struct serve_answer *a, const char *text, size_t n);

/* Forget what was answered so far, and answer with one line instead, as serve_say; fmt as reply_add's. */
__attribute__((format(printf, 3, 4))) int reply_error(struct serve_answer *a, int status, const char *fmt, ...);

extern const char reply_text[], reply_page[], reply_data[]; /* content types */

#endif
