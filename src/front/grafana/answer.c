/*
 * answer.c - Pyroscope's API: paths, protocols and errors
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Unary requests of the Connect protocol (POST, application/proto or application/json) and of gRPC-web, whose messages are in
 * frames: a byte of flags and the length in 4 bytes, big endian. From the specifications at connectrpc.com and of gRPC-web.
 */
#include "config.h"

#include "front/grafana/grafana_int.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "base/str.h"
#include "formats/common/format.h"
#include "store/local/read/local.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	OK = 200,
	METHOD = 405,
	MEDIA = 415,
	UNAVAILABLE = 503,
	REQUEST_MAX = 4 << 20,    /* after decompression */
	RESPONSE_MAX = 256 << 20, /* before compression */
	FRAME_HEAD = 5,
	FRAME_TRAILERS = 0x80,
};

#define ANSWER_SERVICE "/querier.v1.QuerierService/"
#define ANSWER_OLD "/pyroscope/"

enum answer_protocol { ANSWER_PROTO, ANSWER_JSON, ANSWER_GRPC_WEB };

/* Codes of errors: of Connect, of gRPC, and the HTTP status of Connect. */
static const struct {
	int status, grpc;
	const char *name;
} answer_codes[] = {
	{ GRAFANA_BAD, 3, "invalid_argument" },         { GRAFANA_FORBIDDEN, 7, "permission_denied" },
	{ GRAFANA_TOO_MANY, 8, "resource_exhausted" },  { GRAFANA_INTERNAL, 13, "internal" },
	{ GRAFANA_UNIMPLEMENTED, 12, "unimplemented" }, { UNAVAILABLE, 14, "unavailable" },
};

static const struct {
	const char *name;
	int (*run)(struct grafana_call *c);
} answer_methods[] = {
	{ "ProfileTypes", grafana_profile_types },
	{ "LabelNames", grafana_label_names },
	{ "LabelValues", grafana_label_values },
	{ "Series", grafana_series_sets },
	{ "SelectMergeStacktraces", grafana_stacktraces },
	{ "SelectMergeSpanProfile", grafana_stacktraces },
	{ "SelectMergeProfile", grafana_profile },
	{ "SelectSeries", grafana_time_series },
	{ "Diff", grafana_diff },
	{ "GetProfileStats", grafana_stats },
};
enum { N_ANSWER_METHODS = sizeof(answer_methods) / sizeof(answer_methods[0]) };

/* ---- errors ---- */

static int answer_status(const struct grafana_call *c)
{
	return c->status                    ? c->status
	       : c->err.code == ERR_USAGE   ? GRAFANA_BAD
	       : c->err.code == ERR_LIMIT   ? GRAFANA_TOO_MANY
	       : c->err.code == ERR_STOPPED ? UNAVAILABLE
					    : GRAFANA_INTERNAL;
}

static size_t answer_find_code(int status)
{
	size_t i = 0;

	while (i + 1 < sizeof(answer_codes) / sizeof(answer_codes[0]) && answer_codes[i].status != status)
		i++;
	return i;
}

static void answer_put_frame(struct buf *out, uint8_t flags, const void *data, size_t n)
{
	const uint8_t head[FRAME_HEAD] = { flags, (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8),
					   (uint8_t)n };

	buf_add(out, head, sizeof(head));
	buf_add(out, data, n);
}

/* Append the frame with the result of a gRPC-web request. message: "" for success */
static void answer_put_trailers(struct buf *out, int code, const char *message)
{
	struct buf text = { 0 };

	buf_addf(&text, "grpc-status: %d\r\n", code);
	if (*message)
		buf_addz(&text, "grpc-message: ");
	for (; *message; message++) /* percent escapes, as in the specification of gRPC over HTTP/2 */
		buf_addf(&text, *message < ' ' || *message > '~' || *message == '%' ? "%%%02X" : "%c",
			 (unsigned char)*message);
	if (text.data[text.len - 1] != '\n')
		buf_addz(&text, "\r\n");
	answer_put_frame(out, FRAME_TRAILERS, text.data, text.len);
	buf_release(&text);
}

static void answer_fail(enum answer_protocol protocol, int status, const char *message, struct http_response *out)
{
	size_t i = answer_find_code(status);
	struct json j = { .out = &out->body, .is_one_line = true };

	if (status == GRAFANA_TOO_MANY)
		http_response_add(out, "Retry-After", "1");
	if (protocol == ANSWER_GRPC_WEB) {
		out->status = OK;
		out->type = "application/grpc-web+proto";
		answer_put_trailers(&out->body, answer_codes[i].grpc, message);
		return;
	}
	out->status = status;
	out->type = "application/json";
	jsonw_open(&j, '{');
	jsonw_add_text(&j, "code", answer_codes[i].name);
	jsonw_add_text(&j, "message", message);
	jsonw_close(&j, '}');
}

/* ---- requests ---- */

/* The body, decompressed, without the head of a frame. Returns 0, or ERR_* with c->err set. */
static int answer_read_body(struct grafana_call *c, const struct http_request *q, enum answer_protocol protocol,
			    struct bytes *out)
{
	const struct format_options options = { .max_inflated = REQUEST_MAX, .max_nesting = 1 };
	const char *encoding = http_request_header(q, "Content-Encoding");
	struct bytes in = { .data = mem_alloc(q->n_body + 1, 1), .n = q->n_body };
	size_t n;

	memcpy(in.data, q->body, q->n_body);
	*out = in;
	if (encoding && strcasecmp(encoding, "identity") != 0) {
		*out = (struct bytes){ 0 };
		if (strcasecmp(encoding, "gzip") != 0 || !format_is_compressed(in.data, in.n)) {
			free(in.data);
			return grafana_refuse(c, GRAFANA_BAD,
					      "the body is not compressed with gzip, which Content-Encoding requires");
		}
		if (format_inflate(&in, &options, out, &c->err) < 0)
			return grafana_refuse(c, GRAFANA_BAD,
					      "the body cannot be decompressed, or has more than 4 MiB");
	}
	if (protocol != ANSWER_GRPC_WEB)
		return 0;
	n = out->n < FRAME_HEAD ? 0
				: (size_t)out->data[1] << 24 | (size_t)out->data[2] << 16 | (size_t)out->data[3] << 8 |
					  out->data[4];
	if (out->n < FRAME_HEAD || out->data[0] != 0 || n != out->n - FRAME_HEAD)
		return grafana_refuse(c, GRAFANA_BAD, "the body is not one uncompressed frame of gRPC-web");
	memmove(out->data, out->data + FRAME_HEAD, n);
	out->n = n;
	return 0;
}

static const struct pyro_method *answer_find_method(const char *name, size_t *at)
{
	for (*at = 0; *at < N_ANSWER_METHODS; ++*at)
		if (strcmp(answer_methods[*at].name, name) == 0)
			for (size_t i = 0; i < pyro_n_methods; i++)
				if (strcmp(pyro_methods[i].name, name) == 0)
					return &pyro_methods[i];
	return NULL;
}

/* Take a place among the requests that read at the same time, and open the store. */
static int answer_begin(struct grafana_call *c)
{
	c->is_running = scrape_reader_begin(c->reader);
	if (!c->is_running)
		return grafana_refuse(c, GRAFANA_TOO_MANY, "too many queries are running");
	return local_open(c->reader->directory, &c->store, &c->err);
}

static void answer_end(struct grafana_call *c)
{
	store_close(c->store);
	if (c->is_running)
		scrape_reader_end(c->reader);
	pyro_request_release(&c->request);
	buf_release(&c->out);
	buf_release(&c->sources);
}

/* Add what was read, and what is missing, as headers. */
static void answer_add_headers(struct grafana_call *c, struct http_response *out)
{
	if (c->sources.len)
		http_response_add(out, "Cpa-Source", buf_text(&c->sources));
	if (c->store && *store_get_damage(c->store) && !c->reader->is_limited)
		http_response_add(out, "Cpa-Damage", store_get_damage(c->store));
}

/* ---- methods ---- */

static void answer_send(struct grafana_call *c, const struct pyro_method *m, enum answer_protocol protocol,
			struct http_response *out)
{
	out->status = OK;
	out->can_compress = true;
	if (protocol == ANSWER_JSON) {
		out->type = "application/json";
		pyro_add_json(m->response, buf_text(&c->out), c->out.len, &out->body, &c->err);
	} else if (protocol == ANSWER_GRPC_WEB) {
		out->type = "application/grpc-web+proto";
		answer_put_frame(&out->body, 0, c->out.data, c->out.len);
		answer_put_trailers(&out->body, 0, "");
	} else {
		out->type = "application/proto";
		out->body = c->out;
		c->out = (struct buf){ 0 };
	}
}

static int answer_run(struct grafana_call *c, const struct http_request *q, enum answer_protocol protocol,
		      const struct pyro_method **m)
{
	struct bytes body = { 0 };
	size_t at;
	int rc;

	*m = answer_find_method(q->path + strlen(ANSWER_SERVICE), &at);
	if (!*m)
		return grafana_refuse(c, GRAFANA_UNIMPLEMENTED, "this server has no method %.100s", q->path + 1);
	rc = answer_read_body(c, q, protocol, &body);
	rc = rc < 0 ? rc
		    : pyro_request_read(*m, (const char *)body.data, body.n, protocol == ANSWER_JSON, &c->request,
					&c->err);
	free(body.data);
	rc = rc < 0 ? rc : answer_begin(c);
	return rc < 0 ? rc : answer_methods[at].run(c);
}

static void answer_call(struct grafana_call *c, const struct http_request *q, enum answer_protocol protocol,
			struct http_response *out)
{
	struct buf_limit limit = { .max = RESPONSE_MAX }, *outer = buf_set_limit(&limit);
	const struct pyro_method *m;
	int rc = answer_run(c, q, protocol, &m);

	if (rc == 0) {
		answer_add_headers(c, out);
		answer_send(c, m, protocol, out);
	}
	buf_set_limit(outer);
	if (limit.is_exceeded) {
		buf_release(&out->body);
		rc = grafana_refuse(c, GRAFANA_INTERNAL,
				    "the response has more than 256 MiB; choose a shorter time range or fewer nodes");
	}
	if (rc < 0)
		answer_fail(protocol, answer_status(c), c->err.msg, out);
}

static enum answer_protocol answer_protocol_of(const struct http_request *q, bool *is_known)
{
	static const struct {
		const char *type;
		enum answer_protocol protocol;
	} types[] = { { "application/proto", ANSWER_PROTO },
		      { "application/json", ANSWER_JSON },
		      { "application/grpc-web", ANSWER_GRPC_WEB },
		      { "application/grpc-web+proto", ANSWER_GRPC_WEB } };
	const char *type = http_request_header(q, "Content-Type");
	size_t n = type ? strcspn(type, "; ") : 0;

	*is_known = false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (type && strlen(types[i].type) == n && strncasecmp(types[i].type, type, n) == 0) {
			*is_known = true;
			return types[i].protocol;
		}
	return ANSWER_JSON;
}

/* Is it the path of a method of a service, /NAME.v1.NAMEService/METHOD? */
static bool answer_is_method(const char *path)
{
	const char *slash = strchr(path + 1, '/');

	return slash && slash - path > 8 && memcmp(slash - 7, "Service", 7) == 0 &&
	       memchr(path, '.', (size_t)(slash - path));
}

static void answer_old(struct grafana_call *c, const struct http_request *q, struct http_response *out)
{
	struct buf_limit limit = { .max = RESPONSE_MAX }, *outer = buf_set_limit(&limit);
	int rc = answer_begin(c);
	bool is_known = true;

	if (rc == 0)
		is_known = grafana_render(c, q->path + strlen(ANSWER_OLD), q->query, &out->body, &rc);
	if (!is_known)
		rc = grafana_refuse(c, GRAFANA_UNIMPLEMENTED, "this server has no %.100s", q->path);
	buf_set_limit(outer);
	if (limit.is_exceeded)
		rc = grafana_refuse(c, GRAFANA_INTERNAL,
				    "the response has more than 256 MiB; choose a shorter time range");
	if (rc < 0) {
		buf_release(&out->body);
		answer_fail(ANSWER_JSON, answer_status(c), c->err.msg, out);
		return;
	}
	answer_add_headers(c, out);
	out->status = OK;
	out->type = "application/json";
	out->can_compress = true;
}

bool grafana_answer(void *arg, const struct scrape_reader *reader, const struct http_request *q, struct stop *stop,
		    struct http_response *out)
{
	struct grafana_call c = { .reader = reader, .stop = stop };
	bool is_post = strcmp(q->method, "POST") == 0, is_old = starts_with(q->path, ANSWER_OLD), is_known;
	enum answer_protocol protocol = answer_protocol_of(q, &is_known);

	(void)arg;
	if (!is_old && !answer_is_method(q->path))
		return false;
	pyro_request_init(&c.request);
	if (is_post == is_old)
		answer_fail(ANSWER_JSON, METHOD, is_old ? "send GET" : "send POST", out);
	else if (is_old)
		answer_old(&c, q, out);
	else if (!starts_with(q->path, ANSWER_SERVICE))
		answer_fail(protocol, GRAFANA_UNIMPLEMENTED,
			    "this server has querier.v1.QuerierService and push.v1.PusherService", out);
	else if (!is_known)
		answer_fail(ANSWER_JSON, MEDIA,
			    "Content-Type must be application/proto, application/json or application/grpc-web+proto",
			    out);
	else
		answer_call(&c, q, protocol, out);
	answer_end(&c);
	return true;
}
