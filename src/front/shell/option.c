/*
 * option.c - the options that can be assigned at the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/option.h"

#include "engine/query.h"

#include <string.h>

static const struct query_choice *choice_of(const struct opt *o)
{
	for (size_t i = 0; i < query_n_choices; i++)
		if (query_choices[i].offset == o->at)
			return &query_choices[i];
	return NULL;
}

static bool is_first_pick(const struct opt *o)
{
	for (const struct opt *before = query_options; before < o; before++)
		if (before->kind == OPT_CHOICE && before->at == o->at)
			return false;
	return true;
}

bool option_next(size_t *at, struct option *out)
{
	for (; *at < query_n_options; ++*at) {
		const struct opt *o = &query_options[*at];
		const struct query_choice *choice = o->kind == OPT_CHOICE ? choice_of(o) : NULL;

		if (choice ? !is_first_pick(o) : o->kind == OPT_CHOICE || !settings_can_assign(o))
			continue;
		*out = (struct option){ choice ? choice->name : o->name, o, choice };
		++*at;
		return true;
	}
	return false;
}

bool option_find(const char *name, struct option *out)
{
	size_t at = 0;

	while (option_next(&at, out))
		if (strcmp(out->name, name) == 0)
			return true;
	return false;
}

void option_add_help(const struct option *o, struct buf *out)
{
	static const struct {
		const char *name, *help;
	} choices[] = {
		{ "sort", "sort rows by flat or cum" },
		{ "granularity", "granularity of rows: functions, filefunctions, files, lines or addresses" },
		{ "shape", "format of reports: text, json, csv or markdown" },
	};

	for (size_t i = 0; o->choice && i < sizeof(choices) / sizeof(choices[0]); i++)
		if (strcmp(o->name, choices[i].name) == 0)
			buf_addz(out, choices[i].help);
	if (!o->choice)
		buf_add(out, o->opt->help, strcspn(o->opt->help, "\n"));
}

void option_add_value(const struct option *o, const struct settings *s, struct buf *out)
{
	if (o->choice)
		settings_add_choice(s, o->choice, out);
	else
		settings_add_value(s, o->opt, out);
}

bool option_is_same(const struct option *o, const struct settings *a, const struct settings *b)
{
	struct buf one = { 0 }, two = { 0 };
	bool same;

	option_add_value(o, a, &one);
	option_add_value(o, b, &two);
	same = strcmp(buf_text(&one), buf_text(&two)) == 0;
	buf_release(&one);
	buf_release(&two);
	return same;
}

/* Would the prompt misread a bare value: blanks around it, a leading quote, a comment in it? */
static bool option_needs_quotes(const char *value)
{
	size_t n = strlen(value);

	return n && (strchr(" \t\n'\"", *value) || strchr(" \t\n", value[n - 1]) || strstr(value, "//:"));
}

static void option_add_quoted(const char *text, struct buf *out)
{
	if (!strchr(text, '\'')) {
		buf_addf(out, "'%s'", text);
	} else {
		buf_addz(out, "\"");
		for (; *text; text++)
			buf_addf(out, *text == '"' ? "\\%c" : "%c", *text);
		buf_addz(out, "\"");
	}
}

void option_add_line(const char *name, const char *value, struct buf *out)
{
	buf_addf(out, "%s=", name);
	if (option_needs_quotes(value))
		option_add_quoted(value, out);
	else
		buf_addz(out, value);
}

void option_add_word(const char *word, struct buf *out)
{
	if (*word && !strpbrk(word, " \t\n'\""))
		buf_addz(out, word);
	else
		option_add_quoted(word, out);
}

void option_add_change(const struct settings *before, const struct settings *after, struct buf *out)
{
	size_t at = 0, start = out->len;
	struct option o;

	while (option_next(&at, &o)) {
		struct buf value = { 0 };

		if (!option_is_same(&o, before, after)) {
			option_add_value(&o, after, &value);
			buf_addz(out, out->len > start ? ", " : "");
			option_add_line(o.name, buf_text(&value), out);
		}
		buf_release(&value);
	}
}

struct settings *option_defaults(void)
{
	struct settings *s;
	struct query q;

	query_init(&q);
	s = settings_new(&q);
	query_release(&q);
	return s;
}
