/*
 * complete.c - completion candidates for a line at the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The position of the cursor decides which candidates fit: the first word, the value of an assignment, or an argument of
 * a report. All candidates that fit are collected and sorted.
 */
#include "config.h"

#include "session/complete.h"

#include "answer/reports.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/query.h"
#include "session/complete_int.h"
#include "session/line.h"
#include "session/line_words.h"
#include "session/settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void session_complete_add_words(struct candidates *c, const char *const *word)
{
	for (; *word; word++)
		complete_add_name(c, *word, "");
}

static void session_complete_add_commands(struct candidates *c)
{
	for (size_t i = 0; i < n_reports; i++)
		if (reports_is_in_shell(&reports[i]))
			complete_add_name(c, reports[i].name, "");
}

/* Add option names, with = after those that take a value. Flags that are one value of a choice are only added where
   they can be written as flags. */
static void session_complete_add_options(struct candidates *c, const char *equals, bool picks)
{
	char name[OPT_NAME_MAX];

	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];

		if (settings_can_assign(o) && (picks || o->kind != OPT_CHOICE))
			complete_add_name(c, opt_display_name(o, name), opt_is_flag(o) ? "" : equals);
	}
	for (size_t i = 0; i < query_n_choices; i++)
		complete_add_name(c, query_choices[i].name, equals);
}

static void session_complete_add_first(struct candidates *c)
{
	session_complete_add_commands(c);
	for (size_t i = 0; i < line_n_commands; i++)
		if (line_commands[i].name[1]) /* no short forms */
			complete_add_name(c, line_commands[i].name, "");
	session_complete_add_options(c, "=", false);
	complete_types(c, "");
	complete_types(c, "mean_");
	complete_types(c, "total_");
}

/* Add the commands and options that help explains. */
static void add_topics(struct candidates *c)
{
	session_complete_add_commands(c);
	session_complete_add_options(c, "", true);
}

/* Add the words of opt.arg, such as "auto|light|dark"; those in capitals are placeholders. */
static void session_complete_add_choices(struct candidates *c, const char *list)
{
	char word[32];

	for (size_t n; *list; list += n + (list[n] != 0)) {
		n = strcspn(list, "|");
		snprintf(word, sizeof(word), "%.*s", (int)n, list);
		if (!word[strcspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ[")])
			complete_add_name(c, word, "");
	}
}

static void session_complete_add_values(struct candidates *c, const char *name)
{
	static const char *const units[] = { "minimum", "auto", "ns", "us", "ms", "s",  "hrs",
					     "B",       "kB",   "MB", "GB", "TB", "PB", NULL };
	const struct opt *o = opt_find(query_options, query_n_options, name, strlen(name));
	const char *arg = o && o->arg ? o->arg : "";

	if (o && (o->kind == OPT_BOOL || o->kind == OPT_CHOICE))
		session_complete_add_choices(c, "false|true");
	else if (strcmp(arg, "UNIT") == 0)
		session_complete_add_words(c, units);
	else if (strcmp(arg, "TYPE") == 0)
		complete_types(c, "");
	else if (strcmp(arg, "KEY,...") == 0 || (strcmp(arg, "REGEX") == 0 && starts_with(o->name, "tag")))
		complete_keys(c, "");
	else if (strcmp(arg, "REGEX") == 0)
		complete_functions(c);
	else if (strcmp(arg, "[KEY=]EXPR") == 0)
		complete_labels(c);
	else if (strcmp(arg, "FILE") == 0 || strcmp(arg, "PATH") == 0 || strcmp(arg, "DIR") == 0)
		complete_files(c);
	else
		session_complete_add_choices(c, arg);
	if (strcmp(name, "shape") == 0)
		complete_add_name(c, "text", "");
	for (size_t i = 0; !o && i < query_n_choices; i++)
		for (size_t k = 0; k < query_n_options && strcmp(query_choices[i].name, name) == 0; k++)
			if (query_options[k].kind == OPT_CHOICE && query_options[k].at == query_choices[i].offset)
				complete_add_name(c, query_options[k].name, "");
}

/* Start completing the word at text, without its opening quote. */
static void session_complete_take_word(struct candidates *c, const char *text)
{
	c->word = text + (*text == '\'' || *text == '"');
}

/* In a list of keys, only the last key is completed. */
static const char *last_of_list(const char *value)
{
	const char *comma = strrchr(value, ',');

	return comma ? comma + 1 : value;
}

/* Complete the value of an assignment, or of -NAME= and --NAME=. value points into line. */
static void complete_value(struct candidates *c, const char *name, const char *value, const char *line, size_t *start)
{
	if (*value != '\'' && *value != '"' && starts_with(name, "tag"))
		value = last_of_list(value);
	*start = (size_t)(value - line);
	session_complete_take_word(c, value);
	session_complete_add_values(c, name);
}

/* Complete NAME=VALUE. Return false when the line is not an assignment. */
static bool complete_assignment(struct candidates *c, const char *line, size_t *start)
{
	const char *equals = strchr(line, '='), *value = equals ? equals + 1 : NULL;
	char *name;
	bool is_one;
	size_t n = 0;

	if (!equals)
		return false;
	while (line_space(line + n))
		n += line_space(line + n);
	name = mem_strndup(line + n, strcspn(line + n, " \t="));
	is_one = settings_is_known(name) && line[n + strlen(name) + strspn(line + n + strlen(name), " \t")] == '=';
	if (is_one) {
		while (line_space(value))
			value += line_space(value);
		complete_value(c, name, value, line, start);
	}
	free(name);
	return is_one;
}

static void complete_option(struct candidates *c, const char *word, const char *line, size_t *start)
{
	const char *equals = strchr(word, '=');
	size_t dashes = strspn(word, "-");
	char *name;

	if (!equals) {
		c->prefix = "--";
		c->word = word + 2;
		session_complete_add_options(c, "=", true);
		return;
	}
	name = mem_strndup(word + dashes, (size_t)(equals - word) - dashes);
	complete_value(c, name, equals + 1, line, start);
	free(name);
}

/* Does the word begin with -NAME=, where NAME is an option? */
static bool session_complete_is_option(const char *word)
{
	bool is_one;
	char *name;

	if (*word != '-' || !strchr(word, '='))
		return false;
	name = mem_strndup(word + 1, strcspn(word + 1, "="));
	is_one = settings_is_known(name);
	free(name);
	return is_one;
}

/* Complete a word after the name of a report. */
static void complete_argument(struct candidates *c, const char *command, size_t n, const char *word, const char *line,
			      size_t *start)
{
	bool tags = n == 4 && memcmp(command, "tags", 4) == 0;

	if (starts_with(word, "--") || session_complete_is_option(word)) {
		complete_option(c, word, line, start);
	} else if (*word == '>') {
		c->prefix = ">";
		session_complete_take_word(c, word + 1);
		complete_files(c);
	} else {
		c->prefix = *word == '-' ? "-" : "";
		session_complete_take_word(c, word + (*word == '-'));
		if (*word == '-')
			complete_add_name(c, "cum", "");
		if (tags)
			complete_labels(c);
		else
			complete_functions(c);
	}
}

/* Is the previous word a lone >, so that a file name follows? */
static bool is_file_next(const char *line, size_t at)
{
	while (at && (line[at - 1] == ' ' || line[at - 1] == '\t'))
		at--;
	return at > 1 && line[at - 1] == '>' && (line[at - 2] == ' ' || line[at - 2] == '\t');
}

static void complete_words(struct candidates *c, const char *line, size_t *start)
{
	size_t n_before, first = 0, n;
	const char *word;

	*start = line_words_last(line, &n_before);
	word = line + *start;
	while (line_space(line + first))
		first += line_space(line + first);
	n = strcspn(line + first, " \t");
	if (n_before == SIZE_MAX)
		return;
	if (n_before == 0) {
		c->word = word;
		session_complete_add_first(c);
	} else if (n == 4 && memcmp(line + first, "help", 4) == 0) {
		c->word = word;
		add_topics(c);
	} else if (is_file_next(line, *start)) {
		session_complete_take_word(c, word);
		complete_files(c);
	} else {
		complete_argument(c, line + first, n, word, line, start);
	}
}

struct complete_text {
	const char *at;
	size_t n;
};

static int session_complete_compare_texts(const void *a, const void *b)
{
	const struct complete_text *x = a, *y = b;
	int by = memcmp(x->at, y->at, x->n < y->n ? x->n : y->n);

	return by ? by : (x->n > y->n) - (x->n < y->n);
}

static void sort_into(const struct string_list *found, struct string_list *out)
{
	struct complete_text *all = mem_alloc(found->n ? found->n : 1, sizeof(*all));
	size_t n_out = 0;

	for (size_t i = 0; i < found->n; i++)
		all[i].at = string_list_get(found, i, &all[i].n);
	qsort(all, found->n, sizeof(*all), session_complete_compare_texts);
	for (size_t i = 0; i < found->n && n_out < COMPLETE_MAX; i++) {
		if (i && session_complete_compare_texts(&all[i - 1], &all[i]) == 0)
			continue;
		buf_add(&out->all, all[i].at, all[i].n);
		string_list_end(out);
		n_out++;
	}
	free(all);
}

void complete_line(const char *line, size_t n, const struct profile *p, size_t *start, struct string_list *out)
{
	char *text = mem_strndup(line, n);
	struct candidates c = { .p = p, .word = "", .prefix = "" };

	*start = strlen(text);
	if (!complete_assignment(&c, text, start))
		complete_words(&c, text, start);
	sort_into(&c.found, out);
	string_list_release(&c.found);
	free(text);
}
