/*
 * route.c - find the answer to a request
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/post.h"

#include "front/web/export.h"

#include <string.h>

/*
 * Nothing runs or loads that is not a file of this server. With Referrer-Policy: no-referrer browsers would send
 * "Origin: null" with our own forms.
 */
const char web_security_headers[] =
	"Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
	"require-trusted-types-for 'script'\r\n"
	"X-Content-Type-Options: nosniff\r\n"
	"Referrer-Policy: same-origin\r\n"
	"Cross-Origin-Opener-Policy: same-origin\r\n"
	"Cross-Origin-Resource-Policy: same-origin\r\n";

void web_add_up(const struct http_request *request, struct buf *out)
{
	static const char prefix[] = "/ui/";
	bool is_below = strncmp(request->path, prefix, strlen(prefix)) == 0;
	const char *rest = request->path + (is_below ? strlen(prefix) : 1);

	for (const char *slash = strchr(rest, '/'); slash; slash = strchr(slash + 1, '/'))
		buf_addz(out, "../");
	if (!is_below)
		buf_addz(out, prefix + 1);
}

void web_redirect(const struct http_request *request, int status, const char *location, struct http_response *out)
{
	struct buf to = { 0 };

	buf_addz(&to, location);
	if (*request->query)
		buf_addf(&to, "?%s", request->query);
	http_response_add(out, "Location", buf_text(&to));
	out->status = status;
	buf_release(&to);
}

bool web_wants_html(const struct http_request *request)
{
	const char *accept = http_request_header(request, "Accept");

	return accept && strstr(accept, "text/html");
}

bool web_wants_text(const struct http_request *request)
{
	const char *accept = http_request_header(request, "Accept");

	return accept && strstr(accept, "text/plain") && !strstr(accept, "text/html");
}

int web_status(const struct err *err)
{
	switch (err->code) {
	case ERR_USAGE:
	case ERR_FORMAT:
	case ERR_RANGE:
	case ERR_LIMIT:
		return 400;
	case ERR_UNKNOWN: /* a program is missing */
		return 501;
	case ERR_STOPPED:
		return 503;
	case ERR_MEMORY:
		return 507;
	default:
		return 500;
	}
}

static bool is_get(const struct http_request *request)
{
	return strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;
}

static void refuse_method(const struct web *w, const struct http_request *request, const char *allowed,
			  struct http_response *out)
{
	http_response_add(out, "Allow", allowed);
	web_refuse(w, request, 405, "method not allowed", out);
}

/* "assets/NAME.HASH.EXT" */
static const struct web_asset *find_asset(const char *path)
{
	const struct web_asset *found = NULL;

	for (size_t i = 0; i < web_n_assets && !found; i++) {
		struct buf url = { 0 };

		web_asset_add_url(web_assets[i].name, &url);
		if (strcmp(buf_text(&url), path) == 0)
			found = &web_assets[i];
		buf_release(&url);
	}
	return found;
}

static void send_asset(const struct web_asset *a, struct http_response *out)
{
	out->status = 200;
	out->type = a->type;
	out->can_compress = true;
	http_response_add(out, "Cache-Control", "private, max-age=31536000, immutable");
	buf_addz(&out->body, a->text);
}

/* Is there a page, or a file with this extension? */
static bool has_response(const struct web_view *view, const char *ext)
{
	if (!*ext)
		return view->draw || view->send;
	return (view->draw && view->send) || web_export_has(view, ext);
}

/* Answer a request below /ui/; rest is the path after it. */
static void answer_ui(struct web *w, const char *rest, const struct http_request *request, struct stop *stop,
		      struct http_response *out)
{
	static const char *const renamed[] = { "", "flamegraph2", "flamegraphold" };
	const struct web_asset *asset = find_asset(rest);
	const char *dot = strchr(rest, '.');
	const struct web_view *view = web_view_find(rest, dot ? (size_t)(dot - rest) : strlen(rest));

	if (strncmp(rest, "do/", 3) == 0) {
		web_answer_action(w, rest + 3, request, stop, out);
		return;
	}
	if (strcmp(rest, "saveconfig") == 0 || strcmp(rest, "deleteconfig") == 0) {
		web_answer_config(w, *rest == 's', request, out);
		return;
	}
	if (!is_get(request)) {
		refuse_method(w, request, "GET, HEAD", out);
		return;
	}
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
		if (strcmp(rest, renamed[i]) == 0) {
			web_redirect(request, 307, "flamegraph", out);
			return;
		}
	}
	if (strcmp(rest, "progress") == 0)
		web_send_progress(w, request, out);
	else if (asset)
		send_asset(asset, out);
	else if (view && has_response(view, dot ? dot + 1 : ""))
		web_answer_view(w, view, dot ? dot + 1 : "", request, stop, out);
	else
		web_refuse(w, request, 404, "404 page not found", out);
}

static void redirect_to_pages(const struct http_request *request, struct http_response *out)
{
	struct buf up = { 0 };

	web_add_up(request, &up);
	web_redirect(request, 307, buf_text(&up), out);
	buf_release(&up);
}

void web_answer(void *web, const struct http_request *request, struct stop *stop, struct http_response *out)
{
	static const char prefix[] = "/ui/";
	struct web *w = web;

	buf_addz(&out->header, web_security_headers);
	if (strncmp(request->path, prefix, strlen(prefix)) == 0)
		answer_ui(w, request->path + strlen(prefix), request, stop, out);
	else if (!is_get(request))
		refuse_method(w, request, "GET, HEAD", out);
	else
		redirect_to_pages(request, out);
}
