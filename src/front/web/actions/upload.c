/*
 * upload.c - open profiles that a browser sends
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The body is one profile, or a form (multipart/form-data) with the token and up to UPLOAD_FILES_MAX files. The name of
 * a file is only shown; no path of a client is ever opened.
 */
#include "config.h"

#include "front/web/actions/post.h"

#include "base/io.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "sources/load.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UPLOAD_PARTS_MAX = 24, UPLOAD_FILES_MAX = WORKSPACE_PROFILES_MAX, NAME_MAX_BYTES = 200 };

/* A part of a form: a field or a file. */
struct upload_part {
	char field[32], name[NAME_MAX_BYTES + 1]; /* name is "" for a field */
	bool is_file;
	const uint8_t *data; /* [n] */
	size_t n;
};

struct upload_parts {
	struct upload_part part[UPLOAD_PARTS_MAX];
	size_t n;
};

/* Open a profile with this content, which is consumed. */
static int open_bytes(struct web_post *post, struct bytes *bytes, const char *name, struct open_profile **out,
		      struct err *err)
{
	struct web *w = post->web;
	struct load_result l;
	int rc = sources_load_data(bytes, name, w->options.q, post->stop, &l, err);

	if (rc == 0)
		rc = workspace_open(w->workspace, &l, name, OPEN_UPLOAD, out, err);
	if (rc < 0)
		load_result_release(&l);
	return rc;
}

/* The value of a parameter such as name="..." of a header line of n bytes; "" if it is absent. */
static void copy_parameter(const char *line, size_t n, const char *key, char *out, size_t size)
{
	size_t n_key = strlen(key), len = 0;

	for (size_t i = 1; i + n_key + 2 < n; i++) {
		if ((line[i - 1] != ' ' && line[i - 1] != ';') || memcmp(line + i, key, n_key) != 0 ||
		    line[i + n_key] != '=' || line[i + n_key + 1] != '"')
			continue;
		for (i += n_key + 2; i < n && line[i] != '"' && len + 1 < size; i++)
			out[len++] = line[i];
		break;
	}
	out[len] = '\0';
}

/* Read the head of a part; returns its length with the empty line, 0 if it is malformed. */
static size_t upload_read_head(const uint8_t *at, size_t n, struct upload_part *p)
{
	const uint8_t *end = memmem(at, n, "\r\n\r\n", 4);
	const char *line = (const char *)at;
	char disposition[] = "content-disposition:";

	if (!end)
		return 0;
	while (line < (const char *)end) {
		const char *stop = memmem(line, (size_t)((const char *)end - line) + 2, "\r\n", 2);
		size_t len = stop ? (size_t)(stop - line) : 0;

		if (len > strlen(disposition) && strncasecmp(line, disposition, strlen(disposition)) == 0) {
			copy_parameter(line, len, "name", p->field, sizeof(p->field));
			copy_parameter(line, len, "filename", p->name, sizeof(p->name));
			p->is_file = memmem(line, len, "filename=", 9) != NULL;
		}
		line += len + 2;
	}
	return (size_t)(end - at) + 4;
}

/* Split a body at its boundary. Like RFC 7578. */
static int upload_split(const struct bytes *body, const char *boundary, struct upload_parts *out, struct err *err)
{
	struct buf mark = { 0 };
	const uint8_t *at = body->data, *end = body->data + body->n;
	int rc = 0;

	buf_addf(&mark, "\r\n--%s", boundary);
	if (body->n < mark.len || memcmp(at, buf_text(&mark) + 2, mark.len - 2) != 0)
		rc = err_set(err, ERR_FORMAT, "the form has no boundary");
	else
		at += mark.len - 2;
	while (rc == 0 && end - at >= 2 && memcmp(at, "\r\n", 2) == 0) {
		struct upload_part *p = &out->part[out->n];
		const uint8_t *next;
		size_t head;

		if (out->n == UPLOAD_PARTS_MAX) {
			rc = err_set(err, ERR_LIMIT, "a form can have at most %d files", UPLOAD_FILES_MAX);
			break;
		}
		at += 2;
		head = upload_read_head(at, (size_t)(end - at), p);
		next = memmem(at, (size_t)(end - at), buf_text(&mark), mark.len);
		if (!head || !next || next < at + head) {
			rc = err_set(err, ERR_FORMAT, "the form is incomplete");
			break;
		}
		p->data = at + head;
		p->n = (size_t)(next - p->data);
		at = next + mark.len;
		out->n++;
	}
	buf_release(&mark);
	return rc;
}

static bool parts_have_token(const struct web *w, const struct upload_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++) {
		const struct upload_part *p = &parts->part[i];
		char token[WEB_TOKEN_LENGTH + 1];

		if (strcmp(p->field, "token") != 0 || p->n != WEB_TOKEN_LENGTH)
			continue;
		memcpy(token, p->data, WEB_TOKEN_LENGTH);
		token[WEB_TOKEN_LENGTH] = '\0';
		return web_is_token(w, token);
	}
	return false;
}

static int open_part(struct web_post *post, const struct upload_part *p, struct open_profile **out, struct err *err)
{
	struct bytes copy = { .data = mem_alloc(p->n ? p->n : 1, 1), .n = p->n };

	memcpy(copy.data, p->data, p->n);
	return open_bytes(post, &copy, *p->name ? p->name : "upload", out, err);
}

/* Open the files of a form. Files that were opened before an error remain open. */
static int open_form(struct web_post *post, const struct bytes *body, const char *boundary, struct err *err)
{
	struct upload_parts *parts = mem_zalloc(1, sizeof(*parts));
	struct open_profile *o[UPLOAD_FILES_MAX];
	size_t n = 0;
	int rc = upload_split(body, boundary, parts, err);

	if (rc == 0 && !parts_have_token(post->web, parts)) {
		post->is_denied = true;
		rc = err_set(err, ERR_USAGE, "no token");
	}
	for (size_t i = 0; rc == 0 && i < parts->n && n < UPLOAD_FILES_MAX; i++)
		if (parts->part[i].is_file && parts->part[i].n &&
		    (rc = open_part(post, &parts->part[i], &o[n], err)) == 0)
			n++;
	if (rc == 0 && n == 0)
		rc = err_set(err, ERR_USAGE, "choose a profile to open");
	web_post_show_opened(post, rc, o, n);
	free(parts);
	return rc;
}

/* The boundary of a multipart body; NULL for other bodies. */
static const char *boundary_of(const struct http_request *r, char *out, size_t size)
{
	const char *type = http_request_header(r, "Content-Type"), *at;
	size_t n;

	if (!type || strncasecmp(type, "multipart/form-data", 19) != 0 || !(at = strstr(type, "boundary=")))
		return NULL;
	at += strlen("boundary=");
	at += *at == '"';
	n = strcspn(at, "\"; ");
	snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), at);
	return *out ? out : NULL;
}

static int open_body(struct web_post *post, struct bytes *body, struct err *err)
{
	const char *token = http_request_header(post->request, "X-Cpa-Token");
	const char *name = url_params_get(post->form, "name");
	struct open_profile *o;
	int rc;

	if (!token || !web_is_token(post->web, token)) {
		post->is_denied = true;
		return err_set(err, ERR_USAGE, "no token");
	}
	if (strlen(name) > NAME_MAX_BYTES)
		return err_set(err, ERR_LIMIT, "the name of the file is longer than %d bytes", NAME_MAX_BYTES);
	rc = open_bytes(post, body, *name ? name : "upload", &o, err);
	if (rc < 0)
		return rc;
	web_post_show_opened(post, 0, &o, 1);
	return 0;
}

int web_post_open(struct web_post *post, struct err *err)
{
	struct bytes body = { 0 };
	char boundary[80];
	bool is_form;
	int rc;

	if (post->request->upload < 0)
		return err_set(err, ERR_USAGE, "choose a profile to open");
	lseek(post->request->upload, 0, SEEK_SET);
	rc = io_read_fd(post->request->upload, SIZE_MAX, NULL, &body, err); /* the server limits uploads */
	if (rc < 0)
		return rc;
	is_form = boundary_of(post->request, boundary, sizeof(boundary)) != NULL;
	rc = is_form ? open_form(post, &body, boundary, err) : open_body(post, &body, err);
	free(body.data);
	return rc;
}
