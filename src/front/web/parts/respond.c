/*
 * respond.c - compute a page, or take it from the cache or from another request
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The key of a page contains everything that its bytes depend on and that changes while the server runs. The options of
 * the command line and the token do not change.
 */
#include "config.h"

#include "front/web/parts/state.h"

#include "front/web/parts/export.h"
#include "front/web/parts/frame.h"
#include "front/web/parts/table.h"

#include "base/hash.h"
#include "session/configs.h"

#include <inttypes.h>
#include <string.h>

enum { LAST_ROW_MAX = 1 << 20 }; /* room for a row after which a view checks the size of its page */

static void respond_add_key(const struct web_page *page, struct buf *key)
{
	buf_addf(key, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %d %s\n%s\n", page->open ? page->open->number : 0,
		 page->base ? page->base->number : 0, workspace_generation(page->web->workspace),
		 web_wants_html(page->request), page->ext, page->request->path);
	url_params_add_query(page->params, key);
	buf_addz(key, "\n");
	if (page->options->settings_path) /* the Config menu lists its configs */
		configs_add_stamp(page->options->settings_path, key);
}

/*
 * Append an entity tag. The hash has a random key per process, so a page with the token of an older process is not
 * reused. The tag is weak, because the server may compress the response.
 */
static void add_etag(const struct buf *key, struct buf *out)
{
	buf_addf(out, "W/\"%016" PRIx64 "\"", hash_bytes(buf_text(key), key->len));
}

static bool has_newest(const struct http_request *request, const char *etag)
{
	const char *known = http_request_header(request, "If-None-Match");

	return known && strstr(known, etag);
}

/* The page is computed by a job. */
struct render {
	struct web_page *page;
	const char *key, *etag; /* NULL: not cached */
};

static void send_page(struct web_page *page, struct http_response *out)
{
	out->status = page->status;
	out->type = "text/html; charset=utf-8";
	web_frame_draw(page, &out->body);
}

static int send_file(struct web_page *page, struct http_response *out, struct err *err)
{
	int (*send)(struct web_page *, const char *, struct http_response *, struct err *) = page->view->send;
	int rc;

	if (!send || web_export_has(page->view, page->ext))
		send = web_export;
	rc = send(page, page->ext, out, err);
	if (rc < 0) {
		buf_release(&out->body);
		return rc;
	}
	if (*page->ext)
		web_export_add_name(page, out);
	out->status = page->status;
	out->can_compress = true;
	return 0;
}

void web_page_refuse(struct web_page *page, const struct err *err, struct http_response *out)
{
	struct buf *main = &page->main;
	struct url_params *link;

	if (*page->ext || !page->view->draw || !web_wants_html(page->request) || err->code == ERR_STOPPED) {
		web_refuse(page->web, page->request, web_status(err), err->msg, out);
		return;
	}
	web_report_error(page->web, err->msg);
	main->len = 0;
	buf_addz(main, "<p class=\"error\" role=\"alert\">");
	web_add_name(main, err->msg);
	buf_addz(main, "</p>\n");
	if (page->remedy)
		buf_addf(main, "<p>%s</p>\n", page->remedy);
	buf_addz(main, "<p class=\"pages\"><a href=\"./\">Show the whole profile</a>\n");
	link = web_link_reset(page);
	if (*url_params_get(link, "off")) { /* the filters of the command line apply to the whole profile too */
		web_add_link(link, "flamegraph", "Show it without filters",
			     "Switch the filters of the command line off", main);
	} else {
		url_params_free(link);
	}
	buf_addz(main, "</p>\n");
	page->status = web_status(err);
	http_response_add(out, "Cache-Control", "no-store");
	send_page(page, out);
}

/* Draw the content of the page, or make the file. */
static int render_content(struct web_page *page, bool is_page, struct http_response *out, struct err *err)
{
	struct buf_limit limit = { .max = WEB_RESPONSE_MAX + LAST_ROW_MAX, .stop = page->stop },
			 *before = buf_set_limit(&limit);
	int rc = is_page ? page->view->draw(page, err) : send_file(page, out, err);

	buf_set_limit(before);
	if (!limit.is_exceeded)
		return rc;
	http_response_release(out);
	*out = (struct http_response){ 0 };
	return err_set(err, ERR_LIMIT,
		       "this is larger than %d MiB; select fewer samples or rows, or use the command line",
		       WEB_RESPONSE_MAX >> 20);
}

static void render(void *arg, struct stop *stop, struct http_response *out)
{
	struct render *r = arg;
	struct web_page *page = r->page;
	bool is_page = !*page->ext && page->view->draw;
	struct err err;
	int rc;

	page->stop = page->q.stop = stop;
	rc = web_open_difference(page, &err);
	if (rc == 0)
		rc = web_page_ask_stores(page, &err);
	if (rc == 0)
		rc = render_content(page, is_page, out, &err);
	if (rc == ERR_IO && (page->view->flags & WEB_VIEW_TAKES_PATTERN))
		err.code = ERR_USAGE; /* there is no binary of the functions; pprof reports that nothing matches */
	if (rc < 0)
		web_page_refuse(page, &err, out);
	else if (is_page)
		send_page(page, out);
	if (!r->key || out->status != 200) {
		if (!strstr(buf_text(&out->header), "Cache-Control: ")) /* errors have it */
			http_response_add(out, "Cache-Control", "no-store");
		return;
	}
	http_response_add(out, "Cache-Control", "private, no-cache");
	http_response_add(out, "ETag", r->etag);
	if (!stop_is_set(stop))
		response_cache_put(page->web->cache, r->key, out);
}

static const char *header_or_empty(const struct http_request *request, const char *name)
{
	const char *value = http_request_header(request, name);

	return value ? value : "";
}

/* key: requests with the same key share the response; NULL: they do not. etag: NULL if it is not cached. */
static void respond_run(struct web_page *page, const char *key, const char *etag, struct http_response *out)
{
	struct render r = { .page = page, .key = etag ? key : NULL, .etag = etag };
	const struct jobs_client client = { .tab = header_or_empty(page->request, "X-Cpa-Tab"),
					    .slot = header_or_empty(page->request, "X-Cpa-Slot"),
					    .stop = page->stop };
	struct err err;

	if (jobs_run(page->web->jobs, &client, key, render, &r, out, &err) < 0)
		web_refuse(page->web, page->request, web_status(&err), err.msg, out);
}

void web_respond(struct web_page *page, struct http_response *out)
{
	struct buf key = { 0 }, etag = { 0 };

	if (!(page->view->flags & (WEB_VIEW_CACHED | WEB_VIEW_SHARED))) {
		respond_run(page, NULL, NULL, out);
		return;
	}
	respond_add_key(page, &key);
	add_etag(&key, &etag);
	if (!(page->view->flags & WEB_VIEW_CACHED)) {
		respond_run(page, buf_text(&key), NULL, out);
	} else if (has_newest(page->request, buf_text(&etag))) {
		out->status = 304;
		http_response_add(out, "Cache-Control", "private, no-cache");
		http_response_add(out, "ETag", buf_text(&etag));
	} else if (!response_cache_get(page->web->cache, buf_text(&key), out)) {
		respond_run(page, buf_text(&key), buf_text(&etag), out);
	}
	buf_release(&key);
	buf_release(&etag);
}
