/*
 * ingest.c - pushes to /ingest, as Pyroscope's agents send them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/protocols/protocol.h"

static int protocol_ingest_read(const struct http_request *q, const uint8_t *body, size_t n,
				const struct format_options *options, struct push *out, struct err *err)
{
	(void)options;
	return push_read_ingest(q->query, http_request_header(q, "Content-Type"), body, n, out, err);
}

static const char *const protocol_ingest_paths[] = { "/ingest", "/pyroscope/ingest", NULL };
const struct protocol protocol_ingest = { .name = "ingest",
					  .path = protocol_ingest_paths,
					  .read = protocol_ingest_read,
					  .succeed = protocol_succeed,
					  .fail = protocol_fail_text };
