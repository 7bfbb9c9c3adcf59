/*
 * line.c - the command language of the shells
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/line.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "engine/query.h"
#include "session/line_words.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copy a text without leading and trailing white space. */
static char *line_trimmed(const char *s, size_t n)
{
	char *all = mem_strndup(s, n), *out;
	const char *at = all, *end;
	size_t k;

	while ((k = line_space(at)))
		at += k;
	end = at;
	for (const char *p = at; *p;) {
		k = line_space(p);
		if (k)
			p += k;
		else
			end = ++p;
	}
	out = mem_strndup(at, (size_t)(end - at));
	free(all);
	return out;
}

static void line_add(struct string_list *out, const char *before, const char *after)
{
	buf_addz(&out->all, before);
	buf_addz(&out->all, after);
	string_list_end(out);
}

/* Is the text this prefix followed by the name of this sample type? */
static bool is_type(const char *text, const char *prefix, const char *type)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) == 0 && strcmp(text + n, type) == 0;
}

/* Expand a sample type, or total_ or mean_ and a sample type. The last match wins, as in pprof. */
static bool expand_type(const char *text, const struct profile *p, struct string_list *out)
{
	for (uint32_t t = p->n_types; t-- > 0;) {
		const char *type = profile_text(p, p->type[t].name);
		bool total = is_type(text, "total_", type), mean = is_type(text, "mean_", type);

		if (!total && !mean && strcmp(text, type) != 0)
			continue;
		if (total || mean)
			line_add(out, mean ? "mean=1" : "mean=0", "");
		line_add(out, "sample_index=", type);
		return true;
	}
	return false;
}

void line_expand(const char *text, const struct profile *p, struct string_list *out)
{
	static const char *const clear[] = { "focus=", "ignore=", "hide=", "tagfocus=", "tagignore=" };
	char *line = line_trimmed(text, strlen(text));

	if (*line && p && expand_type(line, p, out)) {
		/* done */
	} else if (strcmp(line, ":") == 0) {
		for (size_t i = 0; i < sizeof(clear) / sizeof(clear[0]); i++)
			line_add(out, clear[i], "");
	} else {
		line_add(out, line, "");
	}
	free(line);
}

/* The value after the = of an assignment, without a trailing comment; freed by the caller. */
static char *line_value_of(const char *text)
{
	char *own = line_unquote(text);
	const char *end = NULL;

	if (own)
		return own;
	for (const char *at = text; (at = strstr(at, "//:")); at++)
		end = at;
	return line_trimmed(text, end ? (size_t)(end - text) : strlen(text));
}

/* The name of an option without one or two leading dashes. -o is short for -output. */
static const char *option_name(const char *word)
{
	const char *name = word + (*word == '-');

	name += name > word && *name == '-';
	return name > word && strcmp(name, "o") == 0 ? "output" : name;
}

/* Read NAME=VALUE or a bare NAME, with or without leading dashes. Return 1 when the text is not an assignment. */
static int read_assignment(const char *text, struct settings *s, const struct profile *p, struct err *err)
{
	const char *equals = strchr(text, '=');
	char *word = line_trimmed(text, equals ? (size_t)(equals - text) : strlen(text)), *value = NULL;
	const char *name = option_name(word);
	int rc = 1;

	if (settings_is_known(name)) {
		value = equals ? line_value_of(equals + 1) : NULL;
		rc = settings_assign(s, p, name, value, err);
	}
	free(word);
	free(value);
	return rc;
}

/* The report with the most similar name; NULL when none is similar. */
static const char *near_report(const char *word)
{
	const char *found = NULL;

	for (size_t i = 0; i < n_reports; i++)
		if (reports_is_in_shell(&reports[i]))
			utf8_keep_similar(word, reports[i].name, &found);
	return found;
}

static int unknown_command(const char *word, const char *next, struct err *err)
{
	const char *near = near_report(word), *name = option_name(word);

	if (settings_is_known(name))
		return err_set(err, ERR_USAGE, "did you mean: %s=%s", name, next ? next : "<val>");
	return err_set(err, ERR_USAGE, "unrecognized command: \"%s\"%s%s%s", word, near ? "; did you mean " : "",
		       near ? near : "", near ? "?" : "");
}

/* Read the name of a report, which may be followed by digits; they become the first argument. */
static int line_read_name(struct line_words *w, const struct report_type **out, struct err *err)
{
	char *name = w->word[0].text, *digits = name + strlen(name);

	*out = reports_find(name, strlen(name));
	while (!*out && digits > name && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (!*out && *digits && digits > name) {
		w->word = mem_grow(w->word, &w->cap, w->n + 1, sizeof(*w->word));
		memmove(w->word + 2, w->word + 1, (w->n - 1) * sizeof(*w->word));
		w->word[1] = (struct line_word){ mem_strndup(digits, strlen(digits)), false };
		w->n++;
		*digits = 0;
		*out = reports_find(name, strlen(name));
	}
	if (!*out)
		return unknown_command(name, w->n > 1 ? w->word[1].text : NULL, err);
	if (!reports_is_in_shell(*out))
		return err_set(err, ERR_USAGE, "%s reads its own profiles; run: cpa %s %s", (*out)->name, (*out)->name,
			       (*out)->arguments);
	return 0;
}

/* State while reading a report line. */
struct report_reader {
	struct settings *ask;
	const struct profile *p;
	struct buf focus, ignore, hint;
	bool is_ten;
	bool has_output;
};

static void line_join(struct buf *all, const char *more)
{
	if (all->len && *more)
		buf_addz(all, "|");
	buf_addz(all, more);
}

/* Is s a 32-bit integer, as in pprof? */
static bool line_is_count(const char *s)
{
	const char *digits = s + (*s == '-' || *s == '+');
	long long v;

	if (!*digits || digits[strspn(digits, "0123456789")])
		return false;
	errno = 0;
	v = strtoll(s, NULL, 10);
	return !errno && v >= INT32_MIN && v <= INT32_MAX;
}

/* Is the word -NAME=VALUE, --NAME=VALUE or --NAME of an option, or -o, which takes the next word? */
static bool line_is_option(const struct line_word *word)
{
	const char *t = word->text;
	char *name = mem_strndup(t, strcspn(t, "="));
	bool is_one = !word->is_quoted && *t == '-' && settings_is_known(option_name(name)) &&
		      (t[1] == '-' || strchr(t, '=') || strcmp(t, "-o") == 0);

	free(name);
	return is_one;
}

/* Set an option for this line only. */
static int set_for_line(struct report_reader *r, const struct line_words *w, size_t *i, struct err *err)
{
	const char *word = w->word[*i].text, *value = strchr(word, '=');
	char *dashed = mem_strndup(word, strcspn(word, "="));
	const char *name = option_name(dashed);
	const struct opt *o = opt_find(query_options, query_n_options, name, strlen(name));
	int rc;

	if (value)
		value++;
	else if (strcmp(word, "-o") == 0 && ++*i < w->n)
		value = w->word[*i].text;
	else if (o && o->kind == OPT_CHOICE)
		value = "true";
	r->has_output |= strcmp(name, "output") == 0;
	rc = settings_assign(r->ask, r->p, name, value, err);
	free(dashed);
	return rc;
}

/* Prepare a hint for a word that looks like an option but is read as an expression, as in pprof. */
static void line_hint_option(struct report_reader *r, const char *word)
{
	const char *name = word + (*word == '-'), *taken = *word == '-' ? "an expression to ignore" : "an expression";
	char *known = mem_strndup(name, strcspn(name, "="));
	const struct opt *o = opt_find(query_options, query_n_options, known, strlen(known));

	if (r->hint.len == 0 && settings_is_known(known) && (*word == '-' || strchr(word, '='))) {
		buf_addf(&r->hint, "\"%s\" is read as %s; to set the option, write -", word, taken);
		if (o && opt_is_flag(o))
			buf_addf(&r->hint, "-%s", name);
		else
			buf_addf(&r->hint, "%s%s", name, strchr(name, '=') ? "" : "=VALUE");
	}
	free(known);
}

static int line_read_word(struct report_reader *r, const struct line_words *w, size_t *i, struct err *err)
{
	const char *t = w->word[*i].text;
	int rc = 0;

	if (w->word[*i].is_quoted) {
		line_join(&r->focus, t);
	} else if (line_is_count(t)) {
		rc = settings_assign(r->ask, r->p, "nodecount", t, err);
	} else if (*t == '>') {
		t++;
		if (!*t && ++*i >= w->n)
			return err_set(err, ERR_USAGE, "unexpected end of line after >");
		r->has_output = true;
		rc = settings_assign(r->ask, r->p, "output", *t ? t : w->word[*i].text, err);
	} else if (strcmp(t, "-cum") == 0) {
		rc = settings_assign(r->ask, r->p, "sort", "cum", err);
	} else if (line_is_option(&w->word[*i])) {
		rc = set_for_line(r, w, i, err);
	} else {
		line_hint_option(r, t);
		line_join(*t == '-' ? &r->ignore : &r->focus, t + (*t == '-'));
	}
	return rc;
}

/* Store the words of a report line in its settings. */
static int finish_report(struct report_reader *r, const struct report_type *t, const struct line_words *w,
			 struct err *err)
{
	bool tags = t->flags & REPORT_PICKS_LABELS;
	int rc = 0;
	char rows[16];

	if (w->pipe && !*w->pipe)
		return err_set(err, ERR_USAGE, "no command after |; quote | in an expression");
	if (w->pipe && r->has_output)
		return err_set(err, ERR_USAGE, "cannot combine > and |");
	if (w->pipe)
		/* standard output is connected to the pipe */
		settings_assign(r->ask, r->p, "output", "-", NULL);
	if (r->focus.len)
		rc = settings_assign(r->ask, r->p, tags ? "tagfocus" : "focus", buf_text(&r->focus), err);
	if (rc == 0 && r->ignore.len)
		rc = settings_assign(r->ask, r->p, tags ? "tagignore" : "ignore", buf_text(&r->ignore), err);
	if (rc < 0)
		return rc;
	r->is_ten = t->shell_rows && settings_query(r->ask)->nodecount == -1;
	if (r->is_ten) {
		snprintf(rows, sizeof(rows), "%d", t->shell_rows);
		settings_assign(r->ask, r->p, "nodecount", rows, NULL);
	}
	if (w->is_unclosed && r->hint.len == 0)
		buf_addz(&r->hint, "unclosed quote, read as a character of an expression");
	return 0;
}

static int read_report(struct line_words *w, const struct settings *s, const struct profile *p, struct line *out,
		       struct err *err)
{
	struct report_reader r = { .p = p };
	const struct report_type *t;
	bool wants_pattern;
	int rc = line_read_name(w, &t, err);

	if (rc < 0)
		return rc;
	r.ask = settings_copy(s);
	settings_set_pattern(r.ask, "");
	wants_pattern = reports_takes_pattern(t);
	for (size_t i = 1; rc == 0 && i < w->n; i++) {
		if (wants_pattern && !line_is_option(&w->word[i])) {
			settings_set_pattern(r.ask, w->word[i].text);
			wants_pattern = false;
		} else {
			rc = line_read_word(&r, w, &i, err);
		}
	}
	if (rc == 0 && wants_pattern)
		rc = err_set(err, ERR_USAGE, "command %s requires an argument", t->name);
	if (rc == 0)
		rc = finish_report(&r, t, w, err);
	buf_release(&r.focus);
	buf_release(&r.ignore);
	if (rc < 0) {
		settings_free(r.ask);
		buf_release(&r.hint);
		return rc;
	}
	*out = (struct line){ .kind = LINE_REPORT,
			      .report = t,
			      .settings = r.ask,
			      .pipe = w->pipe,
			      .hint = r.hint.data,
			      .is_default_count = r.is_ten };
	w->pipe = NULL;
	return 0;
}

/* All words but the first, joined by single blanks. */
static char *join_words(const struct line_words *w)
{
	struct buf all = { 0 };

	buf_addz(&all, "");
	for (size_t i = 1; i < w->n; i++)
		buf_addf(&all, "%s%s", i > 1 ? " " : "", w->word[i].text);
	return all.data;
}

const struct line_command line_commands[] = {
	{ "exit", LINE_EXIT },       { "help", LINE_HELP }, { "o", LINE_OPTIONS },
	{ "options", LINE_OPTIONS }, { "q", LINE_EXIT },    { "quit", LINE_EXIT },
};
const size_t line_n_commands = sizeof(line_commands) / sizeof(line_commands[0]);

static const struct line_command *line_find_command(const char *name)
{
	for (size_t i = 0; i < line_n_commands; i++)
		if (strcmp(line_commands[i].name, name) == 0)
			return &line_commands[i];
	return NULL;
}

int line_read(const char *text, struct settings *s, const struct profile *p, struct line *out, struct err *err)
{
	struct line_words w;
	const struct line_command *command;
	const char *first;
	int rc = read_assignment(text, s, p, err);

	if (rc < 0)
		return rc;
	if (rc == 0) {
		*out = (struct line){ .kind = LINE_SET };
		return 0;
	}
	line_words_split(text, &w);
	first = w.n ? w.word[0].text : "#";
	rc = 0;
	if (*first == '#')
		*out = (struct line){ .kind = LINE_NOTHING };
	else if (!(command = line_find_command(first)))
		rc = read_report(&w, s, p, out, err);
	else
		*out = (struct line){ .kind = command->kind,
				      .topic = command->kind == LINE_HELP ? join_words(&w) : NULL };
	line_words_release(&w);
	return rc;
}

bool line_is_external(const struct line *l)
{
	assert(l->kind == LINE_REPORT);
	return l->pipe || *settings_query(l->settings)->output || l->report->flags & REPORT_IS_BINARY;
}

bool line_needs_terminal(const struct line *l)
{
	const struct picture *picture = l->report->picture;

	assert(l->kind == LINE_REPORT);
	return l->pipe || (picture && picture->is_shown && !*settings_query(l->settings)->output);
}

void line_release(struct line *l)
{
	settings_free(l->settings);
	free(l->pipe);
	free(l->topic);
	free(l->hint);
	*l = (struct line){ 0 };
}
