/*
 * frame.c - the parts that all pages share: head, title, menus, messages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/frame.h"

#include "base/path.h"
#include "base/str.h"
#include "base/webpage.h"
#include "engine/view.h"
#include "report/head.h"
#include "session/url_settings.h"
#include "viewers/text/text.h"
#include "front/web/assets/assets.h"

#include <string.h>

void web_add_name(struct buf *out, const char *name)
{
	buf_addz(out, "<bdi>");
	webpage_add_name(out, name);
	buf_addz(out, "</bdi>");
}

static void head_start(struct buf *out, const char *title, unsigned refresh_seconds)
{
	buf_addz(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n");
	if (refresh_seconds)
		buf_addf(out, "<meta http-equiv=\"refresh\" content=\"%u\">\n", refresh_seconds);
	buf_addz(out, "<title>");
	webpage_add_name(out, title);
	buf_addz(out, "</title>\n");
}

static void head_end(struct buf *out, const char *up)
{
	buf_addf(out, "<link rel=\"stylesheet\" href=\"%s", up);
	web_asset_add_url("web.css", out);
	buf_addz(out, "\">\n<script type=\"module\" src=\"");
	buf_addz(out, up);
	web_asset_add_url("web.js", out);
	buf_addz(out, "\"></script>\n</head>\n<body>\n");
}

void web_add_head(struct buf *out, const char *title, unsigned refresh_seconds)
{
	web_add_head_below(out, "", title, refresh_seconds);
}

void web_add_head_below(struct buf *out, const char *up, const char *title, unsigned refresh_seconds)
{
	head_start(out, title, refresh_seconds);
	head_end(out, up);
}

/* Append the file of the first mapping and the sample type, like pprof; nothing without a profile. A page without a
   report takes them from the profile. */
static void web_frame_add_title(const struct web_page *page, struct buf *out)
{
	const struct head *h = &page->answer.report.head;
	const struct profile *p = page->p;
	const char *file = h->type ? h->file : NULL, *type_name = h->type;
	uint32_t type;

	if (!h->type && p && view_find_type(p, page->q.sample_index ? page->q.sample_index : "", &type, NULL) == 0) {
		type_name = report_head_text(p, p->type[type].name, page->mem);
		file = p->n_maps && p->map[0].file ? report_head_text(p, p->map[0].file, page->mem) : NULL;
	}
	if (type_name)
		buf_addf(out, "%s %s", file && *file ? path_base(file) : "unknown", type_name);
}

/* Append two names of a page with a dot between them; the other one alone if one is empty. */
static void join_names(const char *first, const char *second, struct buf *out)
{
	buf_addf(out, "%s%s%s", first, *first && *second ? " · " : "", second);
}

struct url_params *web_link_start(const struct web_page *page)
{
	static const char *const of_rows[] = { "from", "rows", "col", "desc" };
	struct url_params *link = url_params_copy(page->params);

	for (size_t i = 0; i < sizeof(of_rows) / sizeof(of_rows[0]); i++)
		url_params_remove(link, of_rows[i]);
	return link;
}

void web_link_add(const struct url_params *link, const char *path, struct buf *out)
{
	struct buf query = { 0 };

	url_params_add_query(link, &query);
	webpage_add_text(out, path, strlen(path));
	if (query.len)
		buf_addz(out, "?");
	webpage_add_text(out, buf_text(&query), query.len);
	buf_release(&query);
}

void web_link_end(struct url_params *link, const char *path, struct buf *out)
{
	web_link_add(link, path, out);
	url_params_free(link);
}

void web_add_attribute(struct buf *out, const char *name, const char *text)
{
	buf_addf(out, " %s=\"", name);
	webpage_add_name(out, text);
	buf_addz(out, "\"");
}

void web_add_value(struct buf *out, const char *value)
{
	buf_addz(out, " value=\"");
	webpage_add_text(out, value, strlen(value));
	buf_addz(out, "\"");
}

void web_add_link(struct url_params *link, const char *path, const char *text, const char *help, struct buf *out)
{
	buf_addz(out, "<a");
	web_add_attribute(out, "title", help);
	buf_addz(out, " href=\"");
	web_link_end(link, path, out);
	buf_addf(out, "\">%s</a>", text);
}

void web_add_hidden_params(const struct web_page *page, bool (*skip)(const char *key), struct buf *out)
{
	struct url_params *own = web_link_start(page);

	for (size_t i = 0; i < own->n; i++) {
		if (!*own->item[i].value || skip(own->item[i].key))
			continue;
		buf_addz(out, "<input type=\"hidden\" name=\"");
		webpage_add_text(out, own->item[i].key, strlen(own->item[i].key));
		buf_addz(out, "\"");
		web_add_value(out, own->item[i].value);
		buf_addz(out, ">\n");
	}
	url_params_free(own);
}

struct url_params *web_link_reset(const struct web_page *page)
{
	static const char *const kept[] = { "prof", "base", "scale" }; /* parameters that choose profiles */
	struct url_params *link = url_params_new();

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		for (size_t k = 0; k < page->params->n; k++)
			if (strcmp(page->params->item[k].key, kept[i]) == 0)
				url_params_add(link, kept[i], page->params->item[k].value);
	for (size_t i = 0; i < query_n_params; i++) {
		const struct opt *o = settings_param_option(&query_params[i]);

		if (o && o->group == GROUP_FILTER)
			settings_switch_off(page->web->settings, &query_params[i], link);
	}
	return link;
}

/* Append lines of text, each escaped as a name. */
static void web_frame_add_lines(const struct buf *notes, struct buf *out)
{
	for (const char *line = buf_text(notes), *end; *line; line = end + (*end != 0)) {
		struct buf text = { 0 };

		end = line + strcspn(line, "\n");
		buf_add(&text, line, (size_t)(end - line));
		buf_addz(out, "<div>");
		web_add_name(out, buf_text(&text));
		buf_addz(out, "</div>");
		buf_release(&text);
	}
}

/* Files, times and totals, and on request the legend of pprof. */
static void web_frame_add_about(const struct web_page *page, struct buf *out)
{
	const struct report *r = &page->answer.report;
	struct buf legend = { 0 };

	if (!page->open)
		return;
	buf_addz(out, "<div class=\"about\">\n<span>");
	web_add_name(out, page->open->name);
	if (page->base) {
		buf_addz(out, " minus ");
		web_add_name(out, page->base->name);
	}
	buf_addz(out, "</span>\n");
	if (r->head.type) {
		if ((page->view->flags & WEB_VIEW_HAS_NODES) && !r->head.compare)
			text_add_head(r, true, &legend);
		else
			text_add_profile(&r->head, &legend);
		buf_addz(out, "<details id=\"legend\"><summary>Details</summary><div class=\"code\">");
		web_frame_add_lines(&legend, out);
		buf_addz(out, "</div></details>\n");
		buf_release(&legend);
	}
	if (starts_with(r->head.doc_url ? r->head.doc_url : "", "http://") ||
	    starts_with(r->head.doc_url ? r->head.doc_url : "", "https://")) {
		buf_addz(out, "<a rel=\"noreferrer\"");
		web_add_attribute(out, "href", r->head.doc_url);
		buf_addz(out, ">Help</a>\n");
	}
	buf_addz(out, "</div>\n");
}

static void web_frame_add_notes(const struct web_page *page, struct buf *out)
{
	if (!page->notes.len && !page->answer.notes.len)
		return;
	buf_addz(out, "<div id=\"errors\" role=\"status\">");
	web_frame_add_lines(&page->notes, out);
	web_frame_add_lines(&page->answer.notes, out);
	buf_addz(out, "</div>\n");
}

void web_frame_draw(struct web_page *page, struct buf *out)
{
	bool is_empty = page->view->flags & WEB_VIEW_ALONE && !page->open; /* there is nothing to search or filter */
	struct buf profile = { 0 }, title = { 0 }, heading = { 0 };

	web_frame_add_title(page, &profile);
	join_names(buf_text(&profile), page->view->title, &title);
	join_names(page->view->title, buf_text(&profile), &heading);
	head_start(out, buf_text(&title), 0);
	buf_addf(out, "<meta name=\"token\" content=\"%s\">\n", page->options->token); /* for scripts */
	if (page->refresh_seconds)
		buf_addf(out, "<noscript><meta http-equiv=\"refresh\" content=\"%u\"></noscript>\n",
			 page->refresh_seconds);
	head_end(out, "");
	buf_addz(out, "<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header>\n<a class=\"home\" "
		      "href=\"./\">cpa</a>\n");
	web_menus_draw(page, out);
	if (!is_empty)
		web_search_draw(page, out);
	buf_addz(out, "</header>\n<section class=\"context\" aria-label=\"Profile and filters\">\n<h1>");
	web_add_name(out, buf_text(&heading));
	buf_addz(out, "</h1>\n");
	web_frame_add_about(page, out);
	if (!is_empty) {
		web_chips_draw(page, out);
		web_options_draw(page, out);
	}
	web_command_draw(page, out);
	buf_addz(out, "</section>\n");
	web_frame_add_notes(page, out);
	buf_addz(out, "<main id=\"main\">\n");
	buf_add(out, buf_text(&page->main), page->main.len);
	buf_addz(out, "</main>\n</body>\n</html>\n");
	buf_release(&profile);
	buf_release(&title);
	buf_release(&heading);
}
