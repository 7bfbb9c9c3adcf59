/*
 * datadog.c - uploads of Datadog's libraries, to the path of an agent or that of the intake
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The libraries send again after a status of 500 and above; those for Node.js also after 429. A 404 would mean an agent without
 * profiles. The API key is not checked: access is that of the listener.
 */
#include "config.h"

#include "scrape/protocols/protocol.h"

static int protocol_datadog_read(const struct http_request *q, const uint8_t *body, size_t n,
				 const struct format_options *options, struct push *out, struct err *err)
{
	(void)options;
	if (!protocol_has_type(q, "multipart/form-data"))
		return err_set(err, ERR_UNKNOWN, "Content-Type must be multipart/form-data");
	return push_read_datadog(http_request_header(q, "Content-Type"), body, n, out, err);
}

static const char *const protocol_datadog_paths[] = { "/profiling/v1/input", "/api/v2/profile", "/v1/input", NULL };
const struct protocol protocol_datadog = { .name = "datadog",
					   .path = protocol_datadog_paths,
					   .read = protocol_datadog_read,
					   .succeed = protocol_succeed,
					   .fail = protocol_fail_text };
