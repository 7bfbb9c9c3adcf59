/*
 * parca.c - WriteRaw of Parca: by gRPC-Web, by the Connect protocol, and by the JSON gateway
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All are HTTP/1.1. The status of gRPC-Web is in trailers at the end of the body, and HTTP's is 200. Clients of gRPC itself need
 * HTTP/2, which this server has not.
 */
#include "config.h"

#include "scrape/protocols/protocol.h"

#include "base/jsonw.h"
#include "base/url_escape.h"

#include <string.h>

enum { GRPC_WEB_TRAILERS = 0x80 };

#define GRPC_WEB "application/grpc-web"

static bool protocol_parca_is_grpc_web(const struct http_request *q)
{
	return protocol_has_type(q, GRPC_WEB) || protocol_has_type(q, GRPC_WEB "+proto");
}

/* The gateway is for JSON only. */
static bool protocol_parca_is_gateway(const struct http_request *q)
{
	return strchr(q->path + 1, '.') == NULL;
}

static int protocol_parca_read(const struct http_request *q, const uint8_t *body, size_t n,
			       const struct format_options *options, struct push *out, struct err *err)
{
	if (protocol_parca_is_gateway(q) || protocol_has_type(q, "application/json"))
		return push_read_parca_json(body, n, out, err);
	if (protocol_parca_is_grpc_web(q))
		return push_read_parca_grpc_web(body, n, options, out, err);
	if (protocol_has_type(q, "application/proto"))
		return push_read_parca(body, n, out, err);
	return err_set(err, ERR_UNKNOWN,
		       "Content-Type must be " GRPC_WEB "+proto, application/proto or application/json; "
		       "gRPC over HTTP/2 is not available");
}

/* Append the trailers of gRPC-Web. text: NULL for success. */
static void protocol_parca_add_trailers(struct http_response *out, int code, const char *text)
{
	struct buf t = { 0 };

	buf_addf(&t, "grpc-status: %d\r\n", code);
	if (text) {
		buf_addz(&t, "grpc-message: ");
		url_escape(text, strlen(text), URL_PATH, &t);
		buf_addz(&t, "\r\n");
	}
	out->status = 200;
	out->type = GRPC_WEB "+proto";
	buf_add(&out->body,
		(char[]){ (char)GRPC_WEB_TRAILERS, (char)(t.len >> 24), (char)(t.len >> 16), (char)(t.len >> 8),
			  (char)t.len },
		5);
	buf_add(&out->body, t.data, t.len);
	buf_release(&t);
}

static void protocol_parca_succeed(const struct http_request *q, const struct push *p, struct http_response *out)
{
	static const char empty[5] = { 0 }; /* a frame with an empty message */

	if (protocol_parca_is_grpc_web(q)) {
		buf_add(&out->body, empty, sizeof(empty));
		protocol_parca_add_trailers(out, 0, NULL);
	} else if (protocol_parca_is_gateway(q)) {
		out->status = 200;
		out->type = "application/json";
		buf_addz(&out->body, "{}");
	} else {
		protocol_succeed_connect(q, p, out);
	}
}

static void protocol_parca_fail(const struct http_request *q, int status, const char *text, struct http_response *out)
{
	struct json j = { .out = &out->body, .is_one_line = true };

	if (protocol_parca_is_grpc_web(q)) {
		protocol_parca_add_trailers(out, protocol_grpc_code(status), text);
	} else if (protocol_parca_is_gateway(q)) {
		out->status = status;
		out->type = "application/json";
		jsonw_open(&j, '{');
		jsonw_add_int(&j, "code", protocol_grpc_code(status));
		jsonw_add_text(&j, "message", text);
		jsonw_close(&j, '}');
	} else {
		protocol_fail_connect(q, status, text, out);
	}
}

#define WRITE_RAW "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw"

static const char *const protocol_parca_paths[] = { WRITE_RAW, "/api" WRITE_RAW, "/profiles/writeraw",
						    "/api/profiles/writeraw", NULL };
const struct protocol protocol_parca = { .name = "parca",
					 .path = protocol_parca_paths,
					 .read = protocol_parca_read,
					 .succeed = protocol_parca_succeed,
					 .fail = protocol_parca_fail };
