/*
 * grpc.c - a call of gRPC with one message: over HTTP/2, and gRPC-web over HTTP/1.1
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From grpc/doc/PROTOCOL-HTTP2.md and PROTOCOL-WEB.md: a message follows a byte 0 and its length as four big-endian bytes. The status is a
 * trailer "grpc-status". gRPC-web has it in a frame that begins with 0x80, and an error without a message in the header.
 */
#include "config.h"

#include "sinks/parca/parca_int.h"

#include "sinks/outcome.h"
#include "sinks/request.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { GRPC_HEAD_BYTES = 5, GRPC_TRAILERS = 0x80 };

/* Statuses after which the same call may succeed, at once or with another token; from grpc/doc/statuscodes.md. */
enum {
	GRPC_OK = 0,
	GRPC_CANCELLED = 1,
	GRPC_DEADLINE = 4,
	GRPC_DENIED = 7,
	GRPC_EXHAUSTED = 8,
	GRPC_ABORTED = 10,
	GRPC_UNAVAILABLE = 14,
	GRPC_UNAUTHENTICATED = 16
};

/* A line "name: value" of n bytes, in any case: the value, and its length; NULL if it has another name. */
static const char *grpc_value(const char *line, size_t *n, const char *name)
{
	size_t n_name = strlen(name);
	const char *at = line + n_name;

	if (*n <= n_name || strncasecmp(line, name, n_name) != 0 || *at != ':')
		return NULL;
	at++;
	while (at < line + *n && *at == ' ')
		at++;
	*n -= (size_t)(at - line);
	return at;
}

static int grpc_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* The number at the beginning of n digits or other bytes, cut to three digits. */
static int grpc_number(const char *s, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < n && i < 3 && isdigit((unsigned char)s[i]); i++)
		v = v * 10 + s[i] - '0';
	return v;
}

/* The status of a call. */
struct grpc_status {
	int code; /* -1: none was received */
	struct buf message;
};

/* Read the status from lines of a header or trailer. The message is percent-encoded. */
static void grpc_read_lines(const char *at, const char *end, struct grpc_status *s)
{
	for (const char *line = at, *newline; line < end; line = newline + 1) {
		size_t n, n_value;
		const char *value;

		newline = memchr(line, '\n', (size_t)(end - line));
		newline = newline ? newline : end;
		n = (size_t)(newline - line);
		n -= n && line[n - 1] == '\r';
		n_value = n;
		value = grpc_value(line, &n_value, "grpc-status");
		if (value && n_value && isdigit((unsigned char)*value))
			s->code = grpc_number(value, n_value);
		n_value = n;
		value = grpc_value(line, &n_value, "grpc-message");
		if (!value)
			continue;
		s->message.len = 0;
		for (const char *c = value; c < value + n_value; c++) {
			bool is_code = *c == '%' && value + n_value - c > 2 && isxdigit((unsigned char)c[1]) &&
				       isxdigit((unsigned char)c[2]);
			char byte = is_code ? (char)(grpc_digit(c[1]) * 16 + grpc_digit(c[2])) : *c;

			buf_add(&s->message, &byte, 1);
			c += is_code ? 2 : 0;
		}
	}
}

/* Read the trailers of gRPC-web, which follow the message in the body. */
static void grpc_read_frames(const struct bytes *body, struct grpc_status *s)
{
	const uint8_t *at = body->data, *end = at + body->n;

	while (end - at >= GRPC_HEAD_BYTES) {
		size_t n = (size_t)at[1] << 24 | (size_t)at[2] << 16 | (size_t)at[3] << 8 | at[4];
		bool is_trailer = at[0] & GRPC_TRAILERS;

		at += GRPC_HEAD_BYTES;
		if (n > (size_t)(end - at))
			return;
		if (is_trailer)
			grpc_read_lines((const char *)at, (const char *)at + n, s);
		at += n;
	}
}

static void grpc_judge(const struct grpc_status *s, struct sink_result *out)
{
	static const int transient[] = { GRPC_CANCELLED, GRPC_DEADLINE, GRPC_EXHAUSTED, GRPC_ABORTED,
					 GRPC_UNAVAILABLE };
	bool is_denied = s->code == GRPC_DENIED || s->code == GRPC_UNAUTHENTICATED;
	enum sink_outcome outcome = is_denied ? SINK_DENIED : SINK_REFUSED;

	if (s->code == GRPC_OK)
		return;
	if (s->code < 0) {
		sink_setf(out, SINK_LATER, "the response has no gRPC status");
		return;
	}
	for (size_t i = 0; i < sizeof(transient) / sizeof(transient[0]); i++)
		if (transient[i] == s->code)
			outcome = SINK_LATER;
	sink_setf(out, outcome, "gRPC status %d: %s", s->code, s->message.len ? buf_text(&s->message) : "no message");
}

int grpc_run(const struct grpc_call *c, struct stop *stop, struct sink_result *out, struct err *err)
{
	static const char *const web_header[] = { "X-Grpc-Web: 1", "Accept: application/grpc-web+proto" };
	static const char *const header[] = { "TE: trailers" };
	size_t n = c->message->len;
	uint8_t head[GRPC_HEAD_BYTES] = { 0, (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n };
	struct grpc_status status = { .code = -1 };
	struct buf body = { 0 };
	struct fetch_request r = { .url = c->url, .keeps_headers = true, .uses_http2 = !c->is_web };
	int rc;

	buf_add(&body, head, sizeof(head));
	buf_add(&body, buf_text(c->message), n);
	r.body = body.data;
	r.n_body = body.len;
	r.content_type = c->is_web ? "application/grpc-web+proto" : "application/grpc+proto";
	r.header = c->is_web ? web_header : header;
	r.n_headers = c->is_web ? sizeof(web_header) / sizeof(web_header[0]) : sizeof(header) / sizeof(header[0]);
	rc = sink_send(&r, c->fetch, stop, out, err);
	if (rc == 0 && out->outcome == SINK_SENT) {
		grpc_read_lines(buf_text(&r.headers), buf_text(&r.headers) + r.headers.len, &status);
		if (c->is_web && r.bytes.n)
			grpc_read_frames(&r.bytes, &status);
		grpc_judge(&status, out);
	}
	sink_release_response(&r);
	buf_release(&status.message);
	buf_release(&body);
	return rc;
}
