/*
 * route.c - find the answer to a request
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/web.h"

#include "front/web/actions/post.h"
#include "front/web/assets/assets.h"
#include "front/web/pages/views.h"
#include "front/web/parts/export.h"
#include "session/url_params.h"

#include <inttypes.h>
#include <stdlib.h>
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

static void route_add_progress(const char *state, const struct jobs_progress *progress, struct buf *out)
{
	/* activities are texts of this program without characters that JSON escapes */
	buf_addf(out, "{\"state\":\"%s\"", state);
	if (progress)
		buf_addf(out, ",\"activity\":\"%s\",\"percent\":%d,\"ms\":%" PRIu64,
			 progress->activity ? progress->activity : "waiting", progress->percent, progress->elapsed_ms);
	buf_addz(out, "}\n");
}

static void send_progress(struct web *w, const struct http_request *request, struct http_response *out)
{
	struct jobs_progress progress = { 0 };
	struct url_params *params;
	struct err err;

	if (url_params_parse(request->query, strlen(request->query), &params, &err) < 0) {
		web_refuse(w, request, web_status(&err), err.msg, out);
		return;
	}
	out->status = 200;
	out->type = "application/json";
	http_response_add(out, "Cache-Control", "no-store");
	if (*url_params_get(params, "capture")) {
		web_capture_send(w, (unsigned)strtoul(url_params_get(params, "capture"), NULL, 10), out);
	} else if (web_is_loading(w)) {
		progress.percent = stop_percent(&w->load_stop, &progress.activity);
		route_add_progress("loading", &progress, &out->body);
	} else if (jobs_find_progress(w->jobs, url_params_get(params, "tab"), &progress)) {
		route_add_progress("running", &progress, &out->body);
	} else {
		route_add_progress("idle", NULL, &out->body);
	}
	url_params_free(params);
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
	const struct web_view *view = web_view_find(w, rest, dot ? (size_t)(dot - rest) : strlen(rest));

	if (strncmp(rest, "do/", 3) == 0) {
		web_post_answer(w, rest + 3, request, stop, out);
		return;
	}
	if (strcmp(rest, "saveconfig") == 0 || strcmp(rest, "deleteconfig") == 0) {
		web_post_answer_config(w, *rest == 's', request, out);
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
		send_progress(w, request, out);
	else if (asset)
		send_asset(asset, out);
	else if (view && has_response(view, dot ? dot + 1 : ""))
		web_page_answer(w, view, dot ? dot + 1 : "", request, stop, out);
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

bool web_takes_file(const struct http_request *request)
{
	static const char path[] = "/ui/do/open";
	const char *type = http_request_header(request, "Content-Type");

	return strcmp(request->method, "POST") == 0 && strcmp(request->path, path) == 0 &&
	       !(type && strncmp(type, "application/x-www-form-urlencoded", 33) == 0);
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
