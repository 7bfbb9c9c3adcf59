/*
 * empty.c - explain why a page shows no values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/table.h"

#include "front/web/parts/state.h"

#include "answer/explain.h"
#include "base/unit.h"
#include "session/url_settings.h"

#include <string.h>

/* Append a link to this view without a filter, which may be an option of the command line. */
static void add_link_without(const struct web_page *page, const struct query_param *param, struct buf *out)
{
	struct settings *s = settings_copy(page->settings);
	struct url_params *link = web_link_start(page);
	struct buf value = { 0 };

	settings_add_param_value(page->settings, param, &value);
	settings_reset(s, param->name);
	settings_set_params(s, page->web->settings, link);
	buf_addz(out, "<li><a href=\"");
	web_link_end(link, page->view->path, out);
	buf_addf(out, "\">Show the page without %s=", param->name);
	web_add_name(out, buf_text(&value));
	buf_addz(out, "</a></li>\n");
	buf_release(&value);
	settings_free(s);
}

/* Append a link for each active filter. */
static void empty_add_filters(const struct web_page *page, struct buf *out)
{
	for (size_t i = 0; i < query_n_params; i++) {
		const struct opt *o = settings_param_option(&query_params[i]);
		struct buf value = { 0 };

		if (!o || o->group != GROUP_FILTER || o->kind != OPT_TEXT)
			continue;
		settings_add_param_value(page->settings, &query_params[i], &value);
		if (value.len)
			add_link_without(page, &query_params[i], out);
		buf_release(&value);
	}
}

static void empty_add_type(const struct web_page *page, const char *type, struct buf *out)
{
	struct url_params *link = web_link_start(page);

	url_params_set(link, "si", type);
	buf_addz(out, "<li><a href=\"");
	web_link_end(link, page->view->path, out);
	buf_addz(out, "\">Show ");
	web_add_name(out, type);
	buf_addz(out, "</a></li>\n");
}

static void add_trim(const struct web_page *page, struct buf *out)
{
	struct url_params *link = web_link_start(page);

	url_params_set(link, "trim", "f");
	buf_addz(out, "<li><a href=\"");
	web_link_end(link, page->view->path, out);
	buf_addz(out, "\">Show all rows</a></li>\n");
}

/* Append the reason as a sentence without a full stop. */
static void empty_add_reason(const struct web_page *page, const struct buf *no_values, struct buf *out)
{
	const struct head *h = &page->answer.report.head;

	if (no_values->len) {
		web_add_name(out, buf_text(no_values));
	} else if (page->answer.is_empty) {
		buf_addz(out, "the filters removed all samples");
	} else if (h->n_dropped) {
		buf_addz(out, "each of the ");
		unit_add_count(out, h->n_dropped);
		buf_addz(out, " rows has a cum of at most ");
		web_add_report_value(h, h->dropped_cum, out);
		buf_addz(out, ", the limit of nodefraction");
	} else {
		const char *reason = page->view->empty ? page->view->empty : "the samples have no stacks";

		buf_addf(out, "%s%s", h->n_filters ? "no sample passes the filters, or " : "", reason);
	}
}

void web_add_empty(const struct web_page *page, struct buf *out)
{
	struct buf reason = { 0 };
	const char *type = answer_explain_empty(page->p, &page->q, page->sides != NULL, &reason);

	buf_addz(out, "<section class=\"empty\"><h2>Nothing to show</h2>\n<p>Reason: ");
	empty_add_reason(page, &reason, out);
	buf_addz(out, ".</p>\n<ul>\n");
	if (type)
		empty_add_type(page, type, out);
	if (!page->answer.is_empty && page->answer.report.head.n_dropped)
		add_trim(page, out);
	empty_add_filters(page, out);
	buf_addz(out, "<li><a href=\"./\">Show the whole profile</a></li>\n</ul></section>\n");
	buf_release(&reason);
}
