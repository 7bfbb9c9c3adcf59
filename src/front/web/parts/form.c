/*
 * form.c - forms in the frame: search, options, command line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/frame.h"

#include "base/str.h"
#include "base/webpage.h"
#include "session/url_settings.h"

#include <string.h>

enum { SOURCES_MAX = 20 }; /* sources in a command line */

/* ---- search ---- */

static const char *search_param(const struct web_page *page)
{
	bool has_argument = page->view->flags & WEB_VIEW_TAKES_PATTERN && *url_params_get(page->params, "arg");

	return has_argument ? "arg" : "f";
}

static bool is_arg(const char *key)
{
	return strcmp(key, "arg") == 0;
}

static bool is_focus(const char *key)
{
	return strcmp(key, "f") == 0;
}

void web_search_draw(const struct web_page *page, struct buf *out)
{
	const char *param = search_param(page);

	if (page->view->flags & WEB_VIEW_HAS_SEARCH || !page->params)
		return;
	buf_addf(out, "<form class=\"search\" role=\"search\" action=\"%s\">\n", page->view->path);
	web_add_hidden_params(page, *param == 'f' ? is_focus : is_arg, out);
	buf_addf(out,
		 "<input type=\"search\" id=\"search\" name=\"%s\" placeholder=\"Search regexp\" "
		 "aria-label=\"Search functions by regular expression\" title=\"Enter: next match; Ctrl+Enter: "
		 "keep only stacks with a match\" autocomplete=\"off\" spellcheck=\"false\"",
		 param);
	web_add_value(out, url_params_get(page->params, param));
	buf_addz(out, ">\n<button>Search</button>\n<output id=\"found\" aria-live=\"polite\"></output>\n</form>\n");
}

/* ---- options ---- */

/* norm matters only while profiles are read, by is another way to write tagroot, and si has a menu. */
static bool has_field(const struct query_param *param)
{
	return strcmp(param->name, "normalize") != 0 && strcmp(param->name, "by") != 0 &&
	       strcmp(param->name, "sample_index") != 0;
}

static bool is_field(const char *key)
{
	const struct query_param *param = settings_find_param(key);

	return strcmp(key, "off") == 0 || strcmp(key, "by") == 0 || (param && has_field(param));
}

static void add_option_word(const char *value, const char *text, const char *current, struct buf *out)
{
	web_add_value(out, value);
	buf_addf(out, "%s>", strcmp(value, current) == 0 ? " selected" : "");
	webpage_add_text(out, text, strlen(text));
	buf_addz(out, "</option>");
}

/* Start a list of words; the first is "" and means "as started". */
static void select_start(const struct query_param *param, const char *given, struct buf *out)
{
	buf_addf(out, "<select id=\"option-%s\" name=\"%s\"><option value=\"\">", param->param, param->param);
	webpage_add_name(out, given);
	buf_addz(out, "</option>");
}

static void form_add_flag(const struct query_param *param, const char *value, const char *given, struct buf *out)
{
	bool is_true = false, is_set = *value && settings_parse_flag(value, &is_true, NULL) == 0;

	select_start(param, strcmp(given, "true") == 0 ? "yes" : "no", out);
	buf_addz(out, "<option");
	add_option_word("t", "yes", is_set && is_true ? "t" : "", out);
	buf_addz(out, "<option");
	add_option_word("f", "no", is_set && !is_true ? "f" : "", out);
	buf_addz(out, "</select>");
}

static void form_add_choice(const struct query_param *param, const char *value, const char *given, struct buf *out)
{
	size_t offset = 0;

	for (size_t i = 0; i < query_n_choices; i++)
		if (strcmp(query_choices[i].name, param->name) == 0)
			offset = query_choices[i].offset;
	select_start(param, given, out);
	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];

		if (o->kind != OPT_CHOICE || o->at != offset)
			continue;
		buf_addz(out, "<option");
		add_option_word(o->name, o->name, value, out);
	}
	buf_addz(out, "</select>");
}

/* The words of an argument such as "name|weight". */
static void form_add_words(const struct query_param *param, const char *words, const char *value, const char *given,
			   struct buf *out)
{
	select_start(param, given, out);
	while (*words) {
		size_t n = strcspn(words, "|");
		struct buf word = { 0 };

		buf_add(&word, words, n);
		buf_addz(out, "<option");
		add_option_word(buf_text(&word), buf_text(&word), value, out);
		buf_release(&word);
		words += n + (words[n] == '|');
	}
	buf_addz(out, "</select>");
}

static void form_add_text(const struct query_param *param, const struct opt *o, const char *value, const char *given,
			  struct buf *out)
{
	bool is_number = o->kind == OPT_INT || o->kind == OPT_REAL;

	buf_addf(out, "<input id=\"option-%s\" name=\"%s\" autocomplete=\"off\" spellcheck=\"false\"", param->param,
		 param->param);
	if (is_number)
		buf_addf(out, " inputmode=\"%s\" size=\"8\"", o->kind == OPT_INT ? "numeric" : "decimal");
	web_add_value(out, value);
	web_add_attribute(out, "placeholder", *given ? given : o->arg ? o->arg : "");
	buf_addz(out, ">");
}

/* Is an argument a list of words, such as "name|weight", and not a syntax? */
static bool lists_words(const char *arg)
{
	return arg && strchr(arg, '|') && !strpbrk(arg, "[:,ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static void add_field(const struct web_page *page, const struct query_param *param, struct buf *out)
{
	const struct settings *base = page->web->settings;
	const struct opt *o = settings_param_option(param);
	const char *value = url_params_get(page->params, param->param);
	struct buf given = { 0 };

	settings_add_param_value(base, param, &given);
	buf_addz(out, "<div><label title=\"");
	webpage_add_text(out, o ? o->help : "", o ? strlen(o->help) : 0);
	buf_addf(out, "\"><span>%s</span>", param->name);
	if (!o)
		form_add_choice(param, value, buf_text(&given), out);
	else if (o->kind == OPT_BOOL)
		form_add_flag(param, value, buf_text(&given), out);
	else if (lists_words(o->arg))
		form_add_words(param, o->arg, value, buf_text(&given), out);
	else
		form_add_text(param, o, value, buf_text(&given), out);
	buf_addz(out, "</label>\n");
	if (settings_param_is_given(base, param))
		buf_addf(
			out,
			"<label><input type=\"checkbox\" name=\"off\" value=\"%s\"%s> switch off %s of the command line"
			"</label>\n",
			param->param, settings_param_is_off(page->params, param->param) ? " checked" : "", param->name);
	buf_addz(out, "</div>\n");
	buf_release(&given);
}

static const struct query_param *find_by_name(const char *name)
{
	for (size_t i = 0; i < query_n_params; i++)
		if (strcmp(query_params[i].name, name) == 0)
			return &query_params[i];
	return NULL;
}

/* The parameter of an option, or of the choice that it is the first value of; NULL if there is none. */
static const struct query_param *param_of(const struct opt *o)
{
	for (size_t i = 0; i < query_n_choices; i++)
		if (o->kind == OPT_CHOICE && o->choice == 0 && query_choices[i].offset == o->at)
			return find_by_name(query_choices[i].name);
	return o->kind == OPT_CHOICE ? NULL : find_by_name(o->name);
}

/* Add the fields of a group, in the order of the help. */
static void form_add_group(const struct web_page *page, enum query_group group, struct buf *out)
{
	bool is_empty = true;

	for (size_t i = 0; i < query_n_options; i++) {
		const struct query_param *param =
			query_options[i].group == (int)group ? param_of(&query_options[i]) : NULL;

		if (!param || !has_field(param))
			continue;
		if (is_empty)
			buf_addf(out, "<fieldset><legend>%s</legend><div class=\"fields\">\n",
				 query_group_title[group]);
		is_empty = false;
		add_field(page, param, out);
	}
	if (!is_empty)
		buf_addz(out, "</div></fieldset>\n");
}

void web_options_draw(const struct web_page *page, struct buf *out)
{
	if (!page->params)
		return;
	buf_addf(out,
		 "<details id=\"options\"><summary>Filters<span> and options</span></summary>\n<form action=\"%s\" "
		 "data-skips-empty>\n",
		 page->view->path);
	web_add_hidden_params(page, is_field, out);
	form_add_group(page, GROUP_FILTER, out);
	for (int group = 0; group < N_GROUPS; group++)
		if (group != GROUP_FILTER)
			form_add_group(page, group, out);
	buf_addz(out, "<p><button>Apply</button> ");
	web_add_link(web_link_reset(page), page->view->path, "Reset", "Show the entire profile", out);
	buf_addz(out, "</p>\n</form>\n</details>\n");
}

/* ---- command line ---- */

/* Append the sources of a profile as words. Only those of the command line are files with their names. */
static void form_add_sources(const struct open_profile *o, struct buf *out)
{
	struct side_sources from = { 0 };

	if (o->origin == OPEN_COMMAND_LINE)
		from = o->loaded.from[SIDE_NEW];
	if (from.n == 0) {
		buf_addz(out, " ");
		settings_add_word(o->name, out);
	}
	for (size_t i = 0; i < from.n && i < SOURCES_MAX; i++) {
		buf_addz(out, " ");
		settings_add_word(from.source[i], out);
	}
	if (from.n > SOURCES_MAX)
		buf_addz(out, " ...");
}

static void form_add_side(const struct web_side *side, struct buf *out)
{
	for (size_t i = 0; i < side->n; i++)
		form_add_sources(side->profile[i], out);
}

/* The options of the page, without those that its report does not take. */
static struct settings *settings_of(const struct web_page *page, const struct report_type *type)
{
	struct query q = page->q;
	struct settings *s;

	if (type->input == INPUT_SIDES) /* the base is a source */
		q.base = q.diff_base = (struct opt_list){ 0 };
	s = settings_new(&q);
	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];

		if (o->kind != OPT_LIST && o->kind != OPT_CHOICE && settings_is_known(o->name) &&
		    !reports_takes_option(type, o))
			settings_reset(s, o->name);
	}
	return s;
}

/* Is a profile of the side only in memory, so that no command line can read it? */
static bool is_in_memory(const struct web_side *side)
{
	for (size_t i = 0; i < side->n; i++)
		if (side->profile[i]->origin == OPEN_CAPTURE || side->profile[i]->origin == OPEN_MERGE)
			return true;
	return false;
}

void web_command_draw(const struct web_page *page, struct buf *out)
{
	const struct report_type *type = page->view->report ? reports_get(page->view->report) : NULL;
	struct settings *s;
	struct buf command = { 0 };

	if (!type || !page->open || is_in_memory(&page->side[SIDE_NEW]) || is_in_memory(&page->side[SIDE_BASE]))
		return;
	s = settings_of(page, type);
	buf_addf(&command, "cpa %s", type->name);
	settings_add_arguments(s, type, &command);
	if (reports_takes_pattern(type)) {
		buf_addz(&command, *page->q.pattern == '-' ? " -- " : " ");
		settings_add_word(page->q.pattern, &command);
	}
	if (type->input == INPUT_SIDES && page->base) {
		form_add_side(&page->side[SIDE_BASE], &command);
		buf_addz(&command, page->side[SIDE_BASE].n > 1 || page->side[SIDE_NEW].n > 1 ? " --" : "");
	}
	form_add_side(&page->side[SIDE_NEW], &command);
	buf_addz(out, "<div class=\"command\">$ <code id=\"command\">");
	webpage_add_name(out, buf_text(&command));
	buf_addz(out, "</code> <button type=\"button\" data-copy=\"command\" hidden>copy</button></div>\n");
	settings_free(s);
	buf_release(&command);
}

void web_form_start(const struct web *w, const char *action, struct buf *out)
{
	buf_addf(out, "<form method=\"post\" action=\"do/%s\">", action);
	web_form_add_hidden(out, "token", w->options.token);
}

void web_form_add_hidden(struct buf *out, const char *name, const char *value)
{
	buf_addf(out, "<input type=\"hidden\" name=\"%s\" value=\"", name);
	webpage_add_text(out, value, strlen(value));
	buf_addz(out, "\">");
}

void web_form_end(struct buf *out, const char *button)
{
	buf_addf(out, "<button>%s</button></form>\n", button);
}
