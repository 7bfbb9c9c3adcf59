/*
 * chips.c - the active filters, each with a link that removes it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/frame.h"

#include "base/utf8.h"
#include "session/url_settings.h"

#include <string.h>

enum { VALUE_BYTES_MAX = 120 }; /* bytes of a value in a chip; longer values are cut */

/* Does the option select samples, frames or rows, or change their values? Menus show the sample type and the order. */
static bool web_chips_has_chip(const struct query_param *param)
{
	static const char *const no[] = { "sample_index", "sort", "compact_labels", "normalize", "by" };
	const struct opt *o = settings_param_option(param);

	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (strcmp(param->name, no[i]) == 0)
			return false;
	return !o || o->group == GROUP_FILTER || o->group == GROUP_VALUE || o->group == GROUP_GRAIN ||
	       o->group == GROUP_REPORT;
}

/* Does the view ignore the option, so that it has no effect? */
static bool is_ignored(const struct web_page *page, const struct query_param *param)
{
	return strcmp(param->name, "nodecount") == 0 && page->q.nodecount != settings_query(page->settings)->nodecount;
}

/* Append a chip up to its link: name=value. */
static void chip_start(const char *name, const char *value, bool is_given, struct buf *out)
{
	struct buf shortened = { 0 };

	utf8_add_short(&shortened, value, strlen(value), VALUE_BYTES_MAX);
	buf_addf(out, "<li class=\"chip%s\"", is_given ? " given" : "");
	if (is_given)
		buf_addz(out, " title=\"from the command line\"");
	else if (shortened.len < strlen(value))
		web_add_attribute(out, "title", value);
	buf_addf(out, "><span>%s", name);
	if (*value) {
		buf_addz(out, "=");
		web_add_name(out, buf_text(&shortened));
	}
	buf_addf(out, "</span>%s<a aria-label=\"Remove %s\" href=\"",
		 is_given ? "<span class=\"unseen\"> from the command line</span>" : "", name);
	buf_release(&shortened);
}

static void chip_end(struct buf *out)
{
	buf_addz(out, "\">&times;</a></li>\n");
}

/* The value of an option in a chip: "" for a flag that is set. */
static void web_chips_add_value(const struct settings *s, const struct query_param *param, struct buf *out)
{
	const struct opt *o = settings_param_option(param);

	settings_add_param_value(s, param, out);
	if (o && o->kind == OPT_BOOL && strcmp(buf_text(out), "true") == 0)
		out->len = out->data[0] = 0;
}

static void add_chip(const struct web_page *page, const struct query_param *param, struct buf *out)
{
	const struct settings *base = page->web->settings;
	struct url_params *link = web_link_start(page);
	struct buf value = { 0 };
	bool is_given = settings_param_is_given(base, param) && !*url_params_get(page->params, param->param);

	web_chips_add_value(page->settings, param, &value);
	chip_start(param->name, buf_text(&value), is_given, out);
	settings_switch_off(base, param, link);
	web_link_end(link, page->view->path, out);
	chip_end(out);
	buf_release(&value);
}

/* The argument of the view, if it is not the filter f. */
static void add_argument_chip(const struct web_page *page, struct buf *out)
{
	const char *value = url_params_get(page->params, "arg");
	struct url_params *link;

	if (!(page->view->flags & WEB_VIEW_TAKES_PATTERN) || !*value)
		return;
	chip_start("functions", value, false, out);
	link = web_link_start(page);
	url_params_remove(link, "arg");
	web_link_end(link, page->view->path, out);
	chip_end(out);
}

void web_chips_draw(const struct web_page *page, struct buf *out)
{
	buf_addz(out, "<ul class=\"chips\" aria-label=\"Filters\">\n");
	add_argument_chip(page, out);
	for (size_t i = 0; i < query_n_params; i++)
		if (web_chips_has_chip(&query_params[i]) && settings_param_is_given(page->settings, &query_params[i]) &&
		    !is_ignored(page, &query_params[i]))
			add_chip(page, &query_params[i], out);
	buf_addz(out, "<li><a href=\"#option-f\">+ filter</a></li>\n</ul>\n");
}
