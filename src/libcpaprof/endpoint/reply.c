/*
 * reply.c - answers other than profiles, and the header lines of all answers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ADD_MAX = 1024 };

const char reply_text[] = "text/plain; charset=utf-8";
const char reply_page[] = "text/html; charset=utf-8";
const char reply_data[] = "application/octet-stream";

const char *serve_reason(int status)
{
	static const struct {
		int status;
		const char *reason;
	} all[] = {
		{ 100, "Continue" },
		{ 200, "OK" },
		{ 307, "Temporary Redirect" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 411, "Length Required" },
		{ 413, "Request Entity Too Large" },
		{ 414, "Request URI Too Long" },
		{ 417, "Expectation Failed" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 503, "Service Unavailable" },
		{ 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].status == status)
			return all[i].reason;
	return "Unknown";
}

int reply_add(struct serve_answer *a, const char *fmt, ...)
{
	char text[ADD_MAX];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n < 0)
		return 0;
	return body_append(&a->body, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* The HTML entity of a character; NULL: no escape is needed. */
static const char *html_entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&#34;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

int reply_add_html(struct serve_answer *a, const char *text, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		const char *form = html_entity(text[i]);

		rc = form ? body_append(&a->body, form, strlen(form)) : body_append(&a->body, text + i, 1);
	}
	return rc;
}

int serve_set_text(struct serve_answer *a, int status, bool pprof, const char *text)
{
	int rc;

	a->status = status;
	a->type = reply_text;
	a->is_error = pprof;
	a->file[0] = '\0';
	a->body.v.n = 0;
	rc = body_append(&a->body, text, strlen(text));
	return rc == 0 ? body_append(&a->body, "\n", 1) : rc;
}

int reply_error(struct serve_answer *a, int status, const char *fmt, ...)
{
	char text[ADD_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return serve_set_text(a, status, true, text);
}

/* Redirect. Only GET has a body: a page with the link. */
static int reply_redirect(struct serve_answer *a, const struct route *r, const char *method)
{
	int rc;

	a->status = 307;
	memcpy(a->location, r->location, sizeof(a->location));
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return 0;
	a->type = reply_page;
	a->no_length = *method == 'H';
	if (a->no_length)
		return 0;
	rc = reply_add(a, "<a href=\"");
	rc = rc < 0 ? rc : reply_add_html(a, r->location, strlen(r->location));
	return rc < 0 ? rc : reply_add(a, "\">%s</a>.\n\n", serve_reason(307));
}

int reply_route(struct serve_answer *a, const struct route *r, const char *method)
{
	switch (r->target) {
	case ROUTE_REDIRECT:
		return reply_redirect(a, r, method);
	case ROUTE_METHOD:
		a->allow = r->allow;
		return serve_set_text(a, 405, false, serve_reason(405));
	case ROUTE_BAD_PATH:
		return serve_set_text(a, 400, false, "400 Bad Request");
	case ROUTE_TOO_LONG:
		return serve_set_text(a, 414, false, "redirection too long");
	default:
		return serve_set_text(a, 404, false, "404 page not found");
	}
}

struct header_buffer {
	char *out;
	size_t n, len;
};

static void reply_add_line(struct header_buffer *l, const char *name, const char *before, const char *value,
			   const char *after)
{
	int n = snprintf(l->len < l->n ? l->out + l->len : NULL, l->len < l->n ? l->n - l->len : 0, "%s: %s%s%s\r\n",
			 name, before, value, after);

	l->len += n > 0 ? (size_t)n : 0;
}

size_t serve_headers(const struct serve_answer *a, char *out, size_t n)
{
	struct header_buffer l = { .out = out, .n = n };

	if (n)
		*out = '\0';
	if (a->allow)
		reply_add_line(&l, "Allow", "", a->allow, "");
	reply_add_line(&l, "Cache-Control", "", "no-store", "");
	if (a->file[0])
		reply_add_line(&l, "Content-Disposition", "attachment; filename=\"", a->file, "\"");
	if (a->type)
		reply_add_line(&l, "Content-Type", "", a->type, "");
	reply_add_line(&l, "Cross-Origin-Resource-Policy", "", "same-origin", "");
	if (a->location[0])
		reply_add_line(&l, "Location", "", a->location, "");
	reply_add_line(&l, "X-Content-Type-Options", "", "nosniff", "");
	if (a->is_error)
		reply_add_line(&l, "X-Go-Pprof", "", "1", "");
	return l.len;
}
