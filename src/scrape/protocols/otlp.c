/*
 * otlp.c - profiles by OTLP over HTTP
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From the specification of OTLP 1.11: a response has the content type of its request. Clients send again after 429, 502, 503 and
 * 504 only. If a part of a request is refused for good, the response is a success with the number of the refused profiles.
 */
#include "config.h"

#include "scrape/protocols/protocol.h"

#include "base/jsonw.h"

#include <string.h>

static bool protocol_otlp_is_json(const struct http_request *q)
{
	return protocol_has_type(q, "application/json");
}

static int protocol_otlp_read(const struct http_request *q, const uint8_t *body, size_t n,
			      const struct format_options *options, struct push *out, struct err *err)
{
	(void)options;
	if (!protocol_otlp_is_json(q) && !protocol_has_type(q, "application/x-protobuf"))
		return err_set(err, ERR_UNKNOWN, "Content-Type must be application/x-protobuf or application/json");
	return push_read_otlp(body, n, out, err);
}

static void protocol_otlp_varint(struct buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_add(out, (char[]){ (char)(v | 0x80) }, 1);
	buf_add(out, (char[]){ (char)v }, 1);
}

/* Append a field that is a number, and one that is bytes. */
static void protocol_otlp_number(struct buf *out, unsigned number, uint64_t v)
{
	protocol_otlp_varint(out, number << 3);
	protocol_otlp_varint(out, v);
}

static void protocol_otlp_bytes(struct buf *out, unsigned number, const char *s, size_t n)
{
	protocol_otlp_varint(out, number << 3 | 2);
	protocol_otlp_varint(out, n);
	buf_add(out, s, n);
}

static void protocol_otlp_set_type(const struct http_request *q, int status, struct http_response *out)
{
	out->status = status;
	out->type = protocol_otlp_is_json(q) ? "application/json" : "application/x-protobuf";
}

/* An empty ExportProfilesServiceResponse. */
static void protocol_otlp_succeed(const struct http_request *q, const struct push *p, struct http_response *out)
{
	(void)p;
	protocol_otlp_set_type(q, 200, out);
	if (protocol_otlp_is_json(q))
		buf_addz(&out->body, "{}");
}

/* ExportProfilesServiceResponse { partial_success = 1: { rejected_profiles = 1, error_message = 2 } } */
static void protocol_otlp_succeed_partly(const struct http_request *q, size_t n, const char *text,
					 struct http_response *out)
{
	struct json j = { .out = &out->body, .is_one_line = true };
	struct buf partial = { 0 }, number = { 0 };

	protocol_otlp_set_type(q, 200, out);
	if (protocol_otlp_is_json(q)) {
		buf_addf(&number, "%zu", n);
		jsonw_open(&j, '{');
		jsonw_key(&j, "partialSuccess");
		jsonw_open(&j, '{');
		jsonw_add_text(&j, "rejectedProfiles", buf_text(&number)); /* 64 bits are a string */
		jsonw_add_text(&j, "errorMessage", text);
		jsonw_close(&j, '}');
		jsonw_close(&j, '}');
	} else {
		protocol_otlp_number(&partial, 1, n);
		protocol_otlp_bytes(&partial, 2, text, strlen(text));
		protocol_otlp_bytes(&out->body, 1, partial.data, partial.len);
	}
	buf_release(&partial);
	buf_release(&number);
}

/* A google.rpc.Status { code = 1, message = 2 }. A store without room may have room later: 503 instead of 507. */
static void protocol_otlp_fail(const struct http_request *q, int status, const char *text, struct http_response *out)
{
	struct json j = { .out = &out->body, .is_one_line = true };
	int code;

	if (status == PROTOCOL_NO_ROOM || status == PROTOCOL_ERROR)
		status = PROTOCOL_UNAVAILABLE;
	code = protocol_grpc_code(status);
	protocol_otlp_set_type(q, status, out);
	if (protocol_otlp_is_json(q)) {
		jsonw_open(&j, '{');
		jsonw_add_int(&j, "code", code);
		jsonw_add_text(&j, "message", text);
		jsonw_close(&j, '}');
	} else {
		protocol_otlp_number(&out->body, 1, (uint64_t)code);
		protocol_otlp_bytes(&out->body, 2, text, strlen(text));
	}
}

static const char *const protocol_otlp_paths[] = { "/v1development/profiles", NULL };
const struct protocol protocol_otlp = { .name = "otlp",
					.path = protocol_otlp_paths,
					.read = protocol_otlp_read,
					.succeed = protocol_otlp_succeed,
					.fail = protocol_otlp_fail,
					.succeed_partly = protocol_otlp_succeed_partly,
					.accepts_empty = true };
