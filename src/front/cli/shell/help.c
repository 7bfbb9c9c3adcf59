/*
 * help.c - the help of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/shell/help.h"

#include "answer/reports.h"
#include "base/arena.h"
#include "base/string_list.h"
#include "base/utf8.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/head.h"
#include "session/line.h"
#include "viewers/text/text.h"

#include <stdlib.h>
#include <string.h>

void cmd_shell_add_greeting(const struct profile *p, const struct settings *s, struct buf *out)
{
	const struct query *now = settings_query(s);
	struct arena *mem = arena_new();
	struct head head = { 0 };
	struct query q;
	struct view v;

	query_init(&q); /* the defaults, without filters */
	q.sample_index = now->sample_index;
	q.mean = now->mean;
	q.divide_by = now->divide_by;
	q.unit = now->unit;
	if (view_make(p, &q.filter, mem, &v, NULL, NULL) == 0) {
		report_head_fill(&head, &v, &q, mem);
		text_add_profile(&head, out);
		if (v.total == 0 && p->n_types > 1)
			buf_addz(out, "No samples were found with the default sample value type.\n"
				      "Try \"sample_index\" command to analyze different sample values.\n\n");
	}
	arena_free(mem);
	buf_addz(out, "Entering interactive mode (type \"help\" for commands, \"o\" for options)\n");
}

static int shell_help_compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Append texts[n] in the order of their bytes. */
static void shell_help_add_sorted(const char **text, size_t n, const char *between, struct buf *out)
{
	qsort(text, n, sizeof(*text), shell_help_compare_texts);
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%s", i ? between : "", text[i]);
}

static void shell_help_add_line(const char *name, const char *value, const char *comment, struct buf *out)
{
	struct buf line = { 0 };

	buf_addf(&line, "  %-25s = %-20s %s", name, value, comment);
	utf8_add_safe(out, line.data, line.len);
	buf_release(&line);
}

static void shell_help_add_choice(const struct query_choice *c, const struct settings *s, struct buf *out)
{
	const char *name[32];
	struct buf value = { 0 }, comment = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < query_n_options && n < sizeof(name) / sizeof(name[0]) - 1; i++)
		if (query_options[i].kind == OPT_CHOICE && query_options[i].at == c->offset)
			name[n++] = query_options[i].name;
	if (strcmp(c->name, "shape") == 0)
		name[n++] = "text";
	buf_addz(&comment, "//: [");
	shell_help_add_sorted(name, n, " | ", &comment);
	buf_addz(&comment, "]");
	settings_add_choice(s, c, &value);
	shell_help_add_line(c->name, strcmp(buf_text(&value), "functions") == 0 ? "(default)" : buf_text(&value),
			    buf_text(&comment), out);
	buf_release(&value);
	buf_release(&comment);
}

static void shell_help_add_types(const struct profile *p, const struct settings *s, struct buf *out)
{
	const char *value = settings_query(s)->sample_index;
	struct buf comment = { 0 };

	for (uint32_t t = 0; t < p->n_types; t++)
		buf_addf(&comment, "%s%s", t ? " | " : "//: [", profile_text(p, p->type[t].name));
	buf_addz(&comment, "]");
	if (!*value) /* like pprof, show the last type, even if the profile has another default */
		value = profile_text(p, p->type[p->n_types - 1].name);
	shell_help_add_line("sample_index", value, buf_text(&comment), out);
	buf_release(&comment);
}

static void shell_help_add_option(const struct opt *o, const struct profile *p, const struct settings *s,
				  struct buf *out)
{
	struct buf value = { 0 };
	char name[OPT_NAME_MAX];

	if (strcmp(o->name, "sample_index") == 0) {
		shell_help_add_types(p, s, out);
		return;
	}
	if (o->kind == OPT_MODE) /* normalize: pprof shows true or false, so the mode is not shown */
		buf_addz(&value, *settings_query(s)->normalize ? "true" : "false");
	else
		settings_add_value(s, o, &value);
	shell_help_add_line(
		opt_display_name(o, name), value.len ? buf_text(&value) : "\"\"",
		strcmp(o->name, "nodecount") == 0 && strcmp(buf_text(&value), "-1") == 0 ? "//: default" : "", out);
	buf_release(&value);
}

/* Is the option in our list (own: true) or in pprof's list (own: false)? pprof does not list source_path. */
static bool shell_help_is_listed(const struct opt *o, bool own)
{
	static const char *const ours[] = { "source_path", "tools" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strcmp(o->name, ours[i]) == 0)
			return own;
	return o->kind != OPT_CHOICE && o->is_ours == own &&
	       (settings_can_assign(o) || strcmp(o->name, "normalize") == 0) && strcmp(o->name, "by") != 0;
}

static void shell_help_add_list(bool own, const struct profile *p, const struct settings *s, struct buf *out)
{
	struct buf line[64] = { { 0 } };
	const char *text[64];
	size_t n = 0;

	for (size_t i = 0; i < query_n_options && n < 60; i++)
		if (shell_help_is_listed(&query_options[i], own))
			shell_help_add_option(&query_options[i], p, s, &line[n++]);
	for (size_t i = 0; i < query_n_choices; i++)
		if ((strcmp(query_choices[i].name, "shape") == 0) == own)
			shell_help_add_choice(&query_choices[i], s, &line[n++]);
	for (size_t i = 0; i < n; i++)
		text[i] = buf_text(&line[i]);
	shell_help_add_sorted(text, n, "\n", out);
	buf_addz(out, "\n");
	for (size_t i = 0; i < n; i++)
		buf_release(&line[i]);
}

void cmd_shell_add_options(const struct profile *p, const struct settings *s, struct buf *out)
{
	shell_help_add_list(false, p, s, out);
	buf_addz(out, "\n");
	shell_help_add_list(true, p, s, out);
}

static void shell_help_add_entry(const char *name, const char *help, struct buf *out)
{
	buf_addf(out, "    %-20s %.*s\n", name, (int)strcspn(help, "\n"), help);
}

static void shell_help_add_all(struct buf *out)
{
	char name[OPT_NAME_MAX];

	buf_addz(out,
		 "  Reports: COMMAND [N] [REGEX]... [-REGEX]... [-cum] [--OPTION[=VALUE]]... [>FILE] [| PROGRAM]\n");
	for (size_t i = 0; i < n_reports; i++)
		if (reports_is_in_shell(&reports[i]))
			shell_help_add_entry(reports[i].name, reports[i].help, out);
	buf_addz(out, "\n  Others:\n");
	shell_help_add_entry("o, options", "list the options and their values", out);
	shell_help_add_entry("help [WORD]", "print this help, or help on a command or an option", out);
	shell_help_add_entry(":", "clear focus, ignore, hide, tagfocus and tagignore", out);
	shell_help_add_entry("TYPE", "the name of a sample type is short for sample_index=TYPE", out);
	shell_help_add_entry("q, quit, exit, ^D", "leave", out);
	buf_addz(out, "\n  Options of all following reports: NAME=VALUE\n");
	for (size_t i = 0; i < query_n_options; i++)
		if (settings_can_assign(&query_options[i]) && query_options[i].kind != OPT_CHOICE)
			shell_help_add_entry(opt_display_name(&query_options[i], name), query_options[i].help, out);
	buf_addz(out, "\n  Choices: NAME=VALUE\n");
	for (size_t i = 0; i < query_n_choices; i++) {
		shell_help_add_entry(query_choices[i].name, "", out);
		for (size_t k = 0; k < query_n_options; k++)
			if (query_options[k].kind == OPT_CHOICE && query_options[k].at == query_choices[i].offset)
				buf_addf(out, "      %-18s %.*s\n", query_options[k].name,
					 (int)strcspn(query_options[k].help, "\n"), query_options[k].help);
	}
	buf_addz(out, "\n  See also: help WORD, man cpa-shell\n");
}

static void add_report(const struct report_type *t, struct buf *out)
{
	bool takes_pattern = reports_takes_pattern(t);

	buf_addf(out, "%s: %s\n  %s%s%s [REGEX]... [-REGEX]...%s [--OPTION[=VALUE]]... [>FILE] [| PROGRAM]\n", t->name,
		 t->help, t->name, takes_pattern ? " REGEX" : "", takes_pattern ? "" : " [N]",
		 t->flags & REPORT_SORTS ? " [-cum]" : "");
	if (takes_pattern)
		buf_addz(out, "    the first REGEX selects the functions\n");
	else
		buf_addz(out, "    N is the number of rows (nodecount)\n");
	buf_addf(out, "    for this line, REGEX keeps and -REGEX removes samples with a matching %s\n",
		 t->flags & REPORT_PICKS_LABELS ? "label" : "function");
	buf_addz(out, "    the report goes to FILE, or to the standard input of PROGRAM\n\n");
}

static void add_opt(const struct opt *o, const struct settings *s, struct buf *out)
{
	struct buf value = { 0 };
	char name[OPT_NAME_MAX];

	buf_addf(out, "%s: %s\n", opt_display_name(o, name), o->help);
	settings_add_value(s, o, &value);
	buf_addz(out, "  now: ");
	utf8_add_safe(out, value.len ? buf_text(&value) : "\"\"", value.len ? value.len : 2);
	buf_addf(out, "%s%s\n\n", o->default_text && *o->default_text ? "; default: " : "",
		 o->default_text ? o->default_text : "");
	buf_release(&value);
}

bool cmd_shell_add_help(const char *word, const struct settings *s, struct buf *out)
{
	size_t dashes = strspn(word, "-"), before = out->len;
	const struct opt *o;

	word += word[dashes] ? dashes : 0;
	o = opt_find(query_options, query_n_options, word, strlen(word));

	if (!*word)
		shell_help_add_all(out);
	for (size_t i = 0; i < n_reports; i++)
		if (reports_is_in_shell(&reports[i]) && strcmp(reports[i].name, word) == 0)
			add_report(&reports[i], out);
	if (o && settings_can_assign(o))
		add_opt(o, s, out);
	for (size_t i = 0; i < query_n_choices; i++)
		if (strcmp(query_choices[i].name, word) == 0)
			shell_help_add_choice(&query_choices[i], s, out);
	if (out->len > before && out->data[out->len - 1] != '\n')
		buf_addz(out, "\n");
	return out->len > before;
}
