/*
 * pprof.c - a plain profile as the body, its labels in the query
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Coroot's agent uses the same path, and takes any status but 200 as a failure.
 */
#include "config.h"

#include "scrape/protocols/protocol.h"

static int protocol_pprof_read(const struct http_request *q, const uint8_t *body, size_t n,
			       const struct format_options *options, struct push *out, struct err *err)
{
	(void)options;
	return push_read_plain(q->query, body, n, out, err);
}

static void protocol_pprof_succeed(const struct http_request *q, const struct push *p, struct http_response *out)
{
	(void)q;
	out->status = push_label(&p->item[0], "container.id") ? 200 : 204;
}

static const char *const protocol_pprof_paths[] = { "/v1/profiles", NULL };
const struct protocol protocol_pprof = { .name = "pprof",
					 .path = protocol_pprof_paths,
					 .read = protocol_pprof_read,
					 .succeed = protocol_pprof_succeed,
					 .fail = protocol_fail_text };
