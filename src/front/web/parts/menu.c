/*
 * menu.c - the menus: View, Sample, Refine, Config, Export, Compare
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A menu is a <details> with a list of links and small forms. Paths are relative to /ui/, so that a proxy may add another
 * prefix.
 */
#include "config.h"

#include "front/web/parts/export.h"
#include "front/web/parts/frame.h"

#include "base/utf8.h"
#include "base/webpage.h"
#include "engine/view.h"
#include "profile/profile.h"
#include "session/configs.h"
#include "session/url_settings.h"

#include <string.h>

enum { NAME_BYTES_MAX = 80 }; /* bytes of a name in a menu */

static void menu_start(const char *title, const char *value, struct buf *out)
{
	buf_addf(out, "<details class=\"menu\"><summary>%s", title);
	if (value) {
		buf_addz(out, "<span>: ");
		web_add_name(out, value);
		buf_addz(out, "</span>");
	}
	buf_addz(out, "</summary><ul>\n");
}

static void menu_end(struct buf *out)
{
	buf_addz(out, "</ul></details>\n");
}

static void add_separator(struct buf *out)
{
	buf_addz(out, "<li><hr></li>\n");
}

/* Append a name, with its middle omitted if it is long. */
static void web_menu_add_short_name(const char *name, struct buf *out)
{
	struct buf shortened = { 0 };

	utf8_add_short(&shortened, name, strlen(name), NAME_BYTES_MAX);
	web_add_name(out, buf_text(&shortened));
	buf_release(&shortened);
}

/* Start an entry whose text is untrusted: up to the text. Frees link. */
static void entry_start(struct url_params *link, const char *path, bool is_current, struct buf *out)
{
	buf_addf(out, "<li><a%s href=\"", is_current ? " aria-current=\"true\"" : "");
	web_link_end(link, path, out);
	buf_addz(out, "\">");
}

static void web_menu_entry_end(struct buf *out)
{
	buf_addz(out, "</a></li>\n");
}

static void web_menu_add_views(const struct web_page *page, unsigned flag, struct buf *out)
{
	for (size_t i = 0; i < page->web->n_views; i++) {
		const struct web_view *v = &page->web->view[i];

		if (!(v->flags & flag) || (v->flags & WEB_VIEW_NEEDS_STORE && !page->options->store))
			continue;
		buf_addz(out, "<li>");
		if (v->key)
			buf_addf(out, "<kbd>%s</kbd>", v->key);
		buf_addf(out, "<a%s title=\"", v == page->view ? " aria-current=\"page\"" : "");
		webpage_add_text(out, v->help, strlen(v->help));
		buf_addz(out, "\" href=\"");
		web_link_end(web_link_start(page), v->path, out);
		buf_addf(out, "\">%s</a></li>\n", v->title);
	}
}

static void add_view_menu(const struct web_page *page, struct buf *out)
{
	menu_start("View", NULL, out);
	web_menu_add_views(page, WEB_VIEW_IN_MENU, out);
	menu_end(out);
}

/* The sample types, if there are several. */
static void add_sample_menu(const struct web_page *page, struct buf *out)
{
	const struct profile *p = page->p;
	uint32_t current;

	if (!p || p->n_types < 2 || view_find_type(p, page->q.sample_index, &current, NULL) < 0)
		return;
	menu_start("Sample", profile_text(p, p->type[current].name), out);
	for (uint32_t type = 0; type < p->n_types; type++) {
		struct url_params *link = web_link_start(page);
		const char *name = profile_text(p, p->type[type].name);

		url_params_set(link, "si", name);
		entry_start(link, page->view->path, type == current, out);
		web_menu_add_short_name(name, out);
		web_menu_entry_end(out);
	}
	menu_end(out);
}

/* Entries that put the selected functions or the typed expression into a filter. Without scripts they lead to its field
   in the form. Like pprof internal/driver html/header.html. */
static void add_refine_menu(const struct web_page *page, struct buf *out)
{
	static const struct {
		const char *param, *title, *help;
		bool is_added; /* added to the previous value; else it replaces that value */
	} entry[] = {
		{ "f", "Focus", "Restricts to samples going through a node matching regexp", false },
		{ "i", "Ignore", "Skips paths going through any nodes matching regexp", true },
		{ "h", "Hide", "Skips nodes matching regexp", true },
		{ "s", "Show", "Only show nodes matching regexp", false },
		{ "sf", "Show from", "Drops functions above the highest matched frame", false },
	};

	menu_start("Refine", NULL, out);
	for (size_t i = 0; i < sizeof(entry) / sizeof(entry[0]); i++)
		buf_addf(out, "<li><a href=\"#option-%s\" data-refine=\"%s\"%s title=\"%s\">%s</a></li>\n",
			 entry[i].param, entry[i].param, entry[i].is_added ? " data-add" : "", entry[i].help,
			 entry[i].title);
	add_separator(out);
	web_presets_draw(page, out);
	add_separator(out);
	buf_addz(out, "<li><a data-reset title=\"Show the entire profile\" href=\"");
	web_link_end(web_link_reset(page), page->view->path, out);
	buf_addz(out, "\">Reset</a></li>\n");
	menu_end(out);
}

/* The query of the page, as a hidden field of a form. */
static void add_query_field(const struct web_page *page, struct buf *out)
{
	struct buf query = { 0 };

	url_params_add_query(page->params, &query);
	web_form_add_hidden(out, "view", page->view->path);
	web_form_add_hidden(out, "query", buf_text(&query));
	buf_release(&query);
}

/* Like pprof's entry: a click opens the config, the cross deletes it. */
static void add_config(const struct web_page *page, const struct config_entry *config, struct buf *out)
{
	buf_addf(out, "<li%s><a%s href=\"", config->is_saved ? " class=\"saved\"" : "",
		 config->is_current ? " aria-current=\"true\"" : "");
	webpage_add_text(out, page->view->path, strlen(page->view->path));
	buf_addz(out, "?");
	webpage_add_text(out, config->query, strlen(config->query));
	buf_addz(out, "\">");
	web_menu_add_short_name(config->name, out);
	buf_addz(out, "</a>");
	if (config->is_saved) {
		web_form_start(page->web, "delete", out);
		web_form_add_hidden(out, "config", config->name);
		add_query_field(page, out);
		buf_addz(out, "<button data-confirm");
		web_add_attribute(out, "title", "Delete this config");
		buf_addz(out, " aria-label=\"Delete ");
		webpage_add_name(out, config->name);
		buf_addz(out, "\">&times;</button></form>");
	}
	buf_addz(out, "</li>\n");
}

static void add_config_menu(const struct web_page *page, struct buf *out)
{
	const char *path = page->options->settings_path;
	struct config_list list = { 0 };
	struct err err;

	if (!path || !page->params)
		return;
	menu_start("Config", NULL, out);
	buf_addz(out, "<li>");
	web_form_start(page->web, "save", out);
	add_query_field(page, out);
	buf_addf(out,
		 "<label>Save as <input name=\"config\" required maxlength=\"%d\" title=\"Save current settings\">"
		 "</label> ",
		 CONFIG_NAME_MAX);
	web_form_end(out, "Save");
	buf_addz(out, "</li>\n");
	add_separator(out);
	if (configs_list(path, page->params, &list, &err) < 0) {
		buf_addz(out, "<li class=\"error\">");
		web_add_name(out, err.msg);
		buf_addz(out, "</li>\n");
	}
	for (size_t i = 0; i < list.n; i++)
		add_config(page, &list.item[i], out);
	config_list_release(&list);
	menu_end(out);
}

/* Other open profiles, which can be subtracted from that of the page. */
static void add_bases(const struct web_page *page, struct buf *out)
{
	struct open_profile *open[WORKSPACE_PROFILES_MAX];
	size_t n = workspace_list(page->web->workspace, open);

	for (size_t i = 0; i < n; i++) {
		struct url_params *link;

		if (open[i] != page->open && open[i] != page->base && page->open) {
			link = web_link_start(page);
			if (*url_params_get(link, "prof"))
				web_link_set_side(link, "prof", &page->side[SIDE_NEW]);
			url_params_set(link, "base", workspace_id(open[i]));
			entry_start(link, page->view->path, false, out);
			buf_addz(out, "Subtract ");
			web_menu_add_short_name(open[i]->name, out);
			web_menu_entry_end(out);
		}
		workspace_put(page->web->workspace, open[i]);
	}
}

static void add_compare_menu(const struct web_page *page, struct buf *out)
{
	struct url_params *link;

	menu_start("Compare", NULL, out);
	web_menu_add_views(page, WEB_VIEW_IN_COMPARE_MENU, out);
	if (page->base && *url_params_get(page->params, "base")) {
		add_separator(out);
		link = web_link_start(page);
		web_link_set_side(link, "prof", &page->side[SIDE_BASE]);
		web_link_set_side(link, "base", &page->side[SIDE_NEW]);
		buf_addz(out, "<li>");
		web_add_link(link, page->view->path, "Swap the sides", "Show before minus after", out);
		link = web_link_start(page);
		url_params_remove(link, "base");
		buf_addz(out, "</li>\n<li>");
		web_add_link(link, page->view->path, "End the comparison", "Show the profile without its base", out);
		buf_addz(out, "</li>\n");
	}
	add_bases(page, out);
	menu_end(out);
}

/* Files of the view, and the profile as loaded. */
static void add_export_menu(const struct web_page *page, struct buf *out)
{
	struct url_params *link;

	menu_start("Export", NULL, out);
	web_export_add_links(page, true, out);
	buf_addz(out, "<li>");
	link = web_link_start(page);
	web_add_link(link, "download", "Download", "Download the profile as loaded, without filters", out);
	buf_addz(out, "</li>\n");
	menu_end(out);
}

void web_menus_draw(const struct web_page *page, struct buf *out)
{
	buf_addz(out, "<nav aria-label=\"Menus\">\n");
	add_view_menu(page, out);
	add_sample_menu(page, out);
	add_refine_menu(page, out);
	add_config_menu(page, out);
	add_export_menu(page, out);
	add_compare_menu(page, out);
	buf_addz(out, "</nav>\n");
}
