/*
 * page.c - answer a request for a view: query, report, page
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/state.h"

#include "front/web/parts/export.h"

#include "answer/answer.h"
#include "base/regex.h"
#include "session/url_settings.h"
#include "sources/stored.h"
#include "sources/stored_labels.h"

#include <stdio.h>
#include <string.h>

/*
 * The expression that is the argument of the report: arg, or else f; NULL if the view takes none. Like pprof, report
 * its errors before those of f.
 */
static int read_pattern(const struct web_page *page, const char **out, struct err *err)
{
	const char *pattern = url_params_get(page->params, "arg");
	struct regex *re = NULL;

	*out = NULL;
	if (!(page->view->flags & WEB_VIEW_TAKES_PATTERN))
		return 0;
	*out = *pattern ? pattern : url_params_get(page->params, "f");
	if (**out && regex_new(*out, &re, err) < 0)
		return err_wrap(err, "parsing argument regexp %s", *out);
	if (**out)
		regex_free(re);
	return 0;
}

/* Read the profiles and the options that the URL names. */
static int read_url(struct web_page *page, struct err *err)
{
	const char *query = page->request->query, *pattern;
	int rc = url_params_parse(query, strlen(query), &page->params, err);

	if (rc < 0)
		return rc;
	rc = web_open_profiles(page, err);
	if (rc < 0)
		return rc;
	rc = read_pattern(page, &pattern, err);
	if (rc == 0)
		rc = settings_apply_params(page->settings, page->params, page->p, err);
	page->q = *settings_query(page->settings);
	page->q.stop = page->stop;
	page->q.for_page = true;
	page->q.all |= strcmp(url_params_get(page->params, "all"), "t") == 0;
	page->q.is_uploaded = (page->open && page->open->is_uploaded) || (page->base && page->base->is_uploaded);
	if (pattern)
		page->q.pattern = pattern;
	if (page->view->flags & WEB_VIEW_BY_LINE)
		page->q.granularity = GRAIN_LINES;
	if (page->view->adapt && !*page->ext)
		page->view->adapt(&page->q);
	return rc;
}

const struct web_view *web_view_find(const struct web *w, const char *path, size_t n)
{
	for (size_t i = 0; i < w->n_views; i++)
		if (strlen(w->view[i].path) == n && memcmp(w->view[i].path, path, n) == 0)
			return &w->view[i];
	return NULL;
}

int web_page_ask_stores(struct web_page *page, struct err *err)
{
	const char *report = page->view->report;
	const struct web_side *side = &page->side[SIDE_NEW];
	int rc = 0;

	if (!report || !(reports_get(report)->flags & REPORT_ASKS_STORES))
		return 0;
	for (size_t i = 0; rc == 0 && i < side->n; i++) {
		const struct open_profile *o = side->profile[i];

		if (!o->is_uploaded && stored_is_source(o->name))
			rc = stored_labels_read(o->name, &page->q, &page->facts, err);
	}
	page->q.label_facts = &page->facts;
	return rc;
}

int web_page_make(struct web_page *page, const char *report, struct err *err)
{
	const struct report_type *t = reports_get(report);
	int rc = answer_model(page->p, t, &page->q, &page->answer, err);

	return rc == ERR_USAGE && web_page_widen(page) ? answer_model(page->p, t, &page->q, &page->answer, err) : rc;
}

bool web_page_widen(struct web_page *page)
{
	if (!(page->view->flags & WEB_VIEW_BY_LINE) || page->q.granularity != GRAIN_LINES)
		return false;
	answer_release(&page->answer);
	page->answer = (struct answer){ 0 };
	page->q.granularity = GRAIN_FUNCTIONS;
	return true;
}

static void web_page_release(struct web_page *page)
{
	answer_release(&page->answer);
	stored_labels_release(&page->facts);
	url_params_free(page->params);
	settings_free(page->settings);
	web_put_profiles(page);
	arena_free(page->mem);
	buf_release(&page->main);
	buf_release(&page->notes);
}

/* Without a profile, the first page opens files; if those of the command line were not merged, it lists them. */
static void redirect_to_open(const struct web *w, const struct http_request *request, struct http_response *out)
{
	struct buf to = { 0 };

	web_add_up(request, &to);
	buf_addz(&to, w->sources.reason.len ? "compare" : "open");
	http_response_add(out, "Cache-Control", "no-store");
	http_response_add(out, "Location", buf_text(&to));
	out->status = 307;
	buf_release(&to);
}

void web_page_answer(struct web *w, const struct web_view *view, const char *ext, const struct http_request *request,
		     struct stop *stop, struct http_response *out)
{
	struct web_page page = { .web = w,
				 .options = &w->options,
				 .request = request,
				 .view = view,
				 .ext = ext,
				 .stop = stop,
				 .status = 200 };
	struct err err;
	int rc;

	if (!*ext && web_wants_text(request) && web_export_has(view, "txt"))
		page.ext = ext = "txt";
	if (web_is_loading(w) && !*ext && web_wants_html(request)) {
		web_loading_draw(w, out);
		return;
	}
	page.settings = settings_copy(w->settings);
	page.q = *settings_query(page.settings); /* an error page may be drawn before the URL is read */
	page.mem = arena_new();
	rc = web_wait_loaded(w, stop, &err);
	if (rc == 0)
		rc = read_url(&page, &err);
	if (rc < 0 && page.wants_profile && !*ext && web_wants_html(request))
		redirect_to_open(w, request, out);
	else if (rc < 0 && page.params)
		web_page_refuse(&page, &err, out);
	else if (rc < 0)
		web_refuse(w, request, web_status(&err), err.msg, out);
	else
		web_respond(&page, out);
	web_page_release(&page);
}
