/*
 * sinks.c - the outcome of a response
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/time.h"
#include "sinks/exchange.h"
#include "sinks/sink.h"

#include <string.h>

enum { REQUEST_TIMEOUT = 408, TOO_MANY = 429, NOT_IMPLEMENTED = 501, BAD_VERSION = 505 };

/* May the same request succeed later? A success whose response is cut counts: whether the profile was stored is unknown. */
static bool sink_is_transient(long status)
{
	if (status == NOT_IMPLEMENTED || status == BAD_VERSION)
		return false;
	return status < 300 || status == REQUEST_TIMEOUT || status == TOO_MANY || status / 100 == 5;
}

void sink_judge(const struct fetch_request *r, struct sink_result *out)
{
	bool is_later = sink_is_transient(r->status);
	const char *text = (const char *)r->bytes.data;

	if (r->bytes.n && r->status >= 300)
		sink_set(out, is_later ? SINK_LATER : SINK_REFUSED, text, r->bytes.n);
	if (!*out->why)
		sink_set(out, is_later ? SINK_LATER : SINK_REFUSED, r->err.msg, strlen(r->err.msg));
	if (is_later && r->retry_after > 0)
		out->retry_ns = (r->retry_after < S_PER_DAY ? r->retry_after : S_PER_DAY) * NS_PER_S;
}
