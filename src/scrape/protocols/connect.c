/*
 * connect.c - pushes to push.v1.PusherService of Pyroscope, by the Connect protocol
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/protocols/protocol.h"

#include "base/jsonw.h"

static int protocol_connect_read(const struct http_request *q, const uint8_t *body, size_t n,
				 const struct format_options *options, struct push *out, struct err *err)
{
	(void)options;
	if (protocol_has_type(q, "application/json"))
		return push_read_json(body, n, out, err);
	if (protocol_has_type(q, "application/proto"))
		return push_read_proto(body, n, out, err);
	return err_set(err, ERR_UNKNOWN, "Content-Type must be application/proto or application/json");
}

void protocol_succeed_connect(const struct http_request *q, const struct push *p, struct http_response *out)
{
	(void)p;
	out->status = 200;
	out->type = "application/proto"; /* an empty message has no bytes */
	if (protocol_has_type(q, "application/json")) {
		out->type = "application/json";
		buf_addz(&out->body, "{}");
	}
}

/* The code of the Connect protocol for a status. */
static const char *protocol_connect_code(int status)
{
	switch (status) {
	case PROTOCOL_FORBIDDEN:
		return "permission_denied";
	case PROTOCOL_TOO_LARGE:
	case PROTOCOL_TOO_MANY:
	case PROTOCOL_NO_ROOM:
		return "resource_exhausted";
	case PROTOCOL_UNPROCESSABLE:
		return "out_of_range";
	case PROTOCOL_NOT_IMPLEMENTED:
		return "unimplemented";
	case PROTOCOL_UNAVAILABLE:
		return "unavailable";
	case PROTOCOL_TIMEOUT:
		return "deadline_exceeded";
	default:
		return status >= PROTOCOL_ERROR ? "internal" : "invalid_argument";
	}
}

void protocol_fail_connect(const struct http_request *q, int status, const char *text, struct http_response *out)
{
	struct json j = { .out = &out->body, .is_one_line = true };

	(void)q;
	out->status = status;
	out->type = "application/json";
	jsonw_open(&j, '{');
	jsonw_add_text(&j, "code", protocol_connect_code(status));
	jsonw_add_text(&j, "message", text);
	jsonw_close(&j, '}');
}

static const char *const protocol_connect_paths[] = { "/push.v1.PusherService/Push", NULL };
const struct protocol protocol_connect = { .name = "connect",
					   .path = protocol_connect_paths,
					   .read = protocol_connect_read,
					   .succeed = protocol_succeed_connect,
					   .fail = protocol_fail_connect };
