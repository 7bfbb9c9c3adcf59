/*
 * response.c - send responses with libmicrohttpd
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "httpd/httpd_int.h"

#include "base/mem.h"
#include "base/time.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LEVEL_FAST = 1, LEVEL = 6 };

/* Does an item of Accept-Encoding allow gzip: "gzip", "gzip;q=0.5", "*", but not "gzip;q=0"? */
static bool allows_gzip(const char *item, size_t n)
{
	size_t n_name = strcspn(item, ";, \t");
	const char *q = memchr(item, '=', n);
	bool is_any = n_name == 1 && *item == '*';

	if (n_name > n || !(is_any || (n_name == 4 && strncasecmp(item, "gzip", n_name) == 0)))
		return false;
	return !q || strtod(q + 1, NULL) > 0;
}

static bool accepts_gzip(const struct http_request *q)
{
	const char *at = http_request_header(q, "Accept-Encoding");

	while (at && *at) {
		size_t n;

		at += strspn(at, " \t,");
		n = strcspn(at, ",");
		if (n > 0 && allows_gzip(at, n))
			return true;
		at += n;
	}
	return false;
}

/* Compress a body. Returns NULL without memory, or if this saves nothing. */
static struct blob *compress(const struct blob *from)
{
	size_t n = blob_size(from), got;
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(n >= HTTPD_FAST_COMPRESS ? LEVEL_FAST : LEVEL);
	struct buf to = { 0 };

	if (!c)
		return NULL;
	got = libdeflate_gzip_compress(c, blob_data(from), n, buf_room(&to, n), n);
	libdeflate_free_compressor(c);
	if (got == 0) {
		buf_release(&to);
		return NULL;
	}
	to.data = mem_trim(to.data, got + 1, 1);
	to.cap = got + 1;
	to.len = got;
	to.data[got] = '\0';
	return blob_new(&to);
}

static void release_blob(void *blob)
{
	blob_unref(blob);
}

/* Add header lines, each "NAME: VALUE\r\n". They are split in place. */
static bool response_add_headers(const struct microhttpd *lib, struct MHD_Response *to, char *lines)
{
	for (char *end; lines && (end = strstr(lines, "\r\n")); lines = end + 2) {
		char *colon = memchr(lines, ':', (size_t)(end - lines));

		if (!colon)
			return false;
		*end = *colon = '\0';
		if (lib->add_response_header(to, lines, colon + 1 + strspn(colon + 1, " ")) != MHD_YES)
			return false;
	}
	return true;
}

static struct blob *body_of(struct httpd_request *r, struct http_response *out)
{
	struct blob *body = out->blob ? out->blob : blob_new(&out->body), *packed = NULL;

	out->blob = NULL;
	if (!out->can_compress || blob_size(body) < HTTPD_COMPRESS_MIN)
		return body;
	http_response_add(out, "Vary", "Accept-Encoding");
	if (accepts_gzip(&r->q) && !(packed = blob_get_packed(body))) {
		packed = compress(body);
		if (packed && blob_is_shared(body)) /* the cache has it too */
			blob_set_packed(body, blob_ref(packed));
	}
	if (!packed)
		return body;
	http_response_add(out, "Content-Encoding", "gzip");
	blob_unref(body);
	return packed;
}

enum MHD_Result httpd_send(struct httpd_request *r, struct MHD_Connection *mc, struct http_response *out)
{
	const struct microhttpd *lib = r->conn->h->lib;
	struct blob *body = body_of(r, out);
	size_t n = blob_size(body);
	enum MHD_Result rc = MHD_NO;
	/* libmicrohttpd does not write to the buffer */
	struct MHD_Response *to =
		lib->create_response_from_buffer_with_free_callback_cls(n, (void *)blob_data(body), release_blob, body);

	if (!to) {
		blob_unref(body);
		http_response_release(out);
		return MHD_NO;
	}
	if (out->closes)
		http_response_add(out, "Connection", "close");
	if (out->type)
		http_response_add(out, "Content-Type", out->type);
	if (response_add_headers(lib, to, out->header.data)) {
		httpd_set_deadline(r->conn, clock_mono_ns(), r->conn->h->options.limits.body_ms, n);
		rc = lib->queue_response(mc, (unsigned)out->status, to);
	}
	lib->destroy_response(to);
	http_response_release(out);
	return rc;
}

void httpd_set_error(const struct httpd *h, int status, const char *text, struct http_response *out)
{
	*out = (struct http_response){ .status = status, .type = "text/plain; charset=utf-8" };
	buf_addf(&out->body, "%s\n", text);
	if (h->options.error_headers)
		buf_addz(&out->header, h->options.error_headers);
}
