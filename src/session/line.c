/*
 * line.c - the language of the shells
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/line.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session/line_words.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy without white space around. */
static char *trimmed(const char *s, size_t n)
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

static void add_line(struct texts *out, const char *before, const char *after)
{
	buf_addz(&out->all, before);
	buf_addz(&out->all, after);
	texts_end(out);
}

/* Is text this prefix and then the name of a sample type? */
static bool is_type(const char *text, const char *prefix, const char *type)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) == 0 && strcmp(text + n, type) == 0;
}

/* A sample type, or total_ or mean_ and a sample type. The last that fits, as in pprof. */
static bool expand_type(const char *text, const struct profile *p, struct texts *out)
{
	for (uint32_t t = p->n_types; t-- > 0;) {
		const char *type = profile_text(p, p->type[t].name);
		bool total = is_type(text, "total_", type), mean = is_type(text, "mean_", type);

		if (!total && !mean && strcmp(text, type) != 0)
			continue;
		if (total || mean)
			add_line(out, mean ? "mean=1" : "mean=0", "");
		add_line(out, "sample_index=", type);
		return true;
	}
	return false;
}

void line_expand(const char *text, const struct profile *p, struct texts *out)
{
	static const char *const clear[] = { "focus=", "ignore=", "hide=", "tagfocus=", "tagignore=" };
	char *line = trimmed(text, strlen(text));

	if (*line && p && expand_type(line, p, out)) {
		/* that was all */
	} else if (strcmp(line, ":") == 0) {
		for (size_t i = 0; i < sizeof(clear) / sizeof(clear[0]); i++)
			add_line(out, clear[i], "");
	} else {
		add_line(out, line, "");
	}
	free(line);
}

/* What stands behind the = of an assignment: up to the last comment; the caller frees. */
static char *value_of(const char *text)
{
	char *own = line_unquote(text);
	const char *end = NULL;

	if (own)
		return own;
	for (const char *at = text; (at = strstr(at, "//:")); at++)
		end = at;
	return trimmed(text, end ? (size_t)(end - text) : strlen(text));
}

/* NAME=VALUE, or the name alone. Gives 1 when it is none. */
static int read_assignment(const char *text, struct settings *s, const struct profile *p, struct err *err)
{
	const char *equals = strchr(text, '=');
	char *name = trimmed(text, equals ? (size_t)(equals - text) : strlen(text)), *value = NULL;
	int rc = 1;

	if (settings_has(name)) {
		value = equals ? value_of(equals + 1) : NULL;
		rc = settings_assign(s, p, name, value, err);
	}
	free(name);
	free(value);
	return rc;
}

/* The report whose name is spelt nearly so; NULL when none is. */
static const char *near_report(const char *word)
{
	size_t best = strlen(word) >= 5 ? 3 : 2;
	const char *found = NULL;

	for (size_t i = 0; i < n_reports; i++) {
		size_t d = utf8_distance(word, reports[i].name);

		if (d < best && reports_is_in_shell(&reports[i])) {
			best = d;
			found = reports[i].name;
		}
	}
	return found;
}

static int unknown_command(const char *name, const char *next, struct err *err)
{
	const char *near = near_report(name);

	if (settings_has(name))
		return err_set(err, ERR_USAGE, "did you mean: %s=%s", name, next ? next : "<val>");
	return err_set(err, ERR_USAGE, "unrecognized command: \"%s\"%s%s%s", name, near ? "; did you mean " : "",
		       near ? near : "", near ? "?" : "");
}

/* The first word names a report, perhaps with digits after it, which then are the first argument. */
static int read_name(struct line_words *w, const struct report_type **out, struct err *err)
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
		return err_set(err, ERR_USAGE, "%s reads profiles of its own: cpa %s %s", (*out)->name, (*out)->name,
			       (*out)->arguments);
	return 0;
}

/* A report line being read. */
struct reading {
	struct settings *ask;
	const struct profile *p;
	struct buf focus, ignore, hint;
	bool is_ten;
	bool has_output;
};

static void join(struct buf *all, const char *more)
{
	if (all->len && *more)
		buf_addz(all, "|");
	buf_addz(all, more);
}

/* As pprof, a whole number of 32 bits. */
static bool is_count(const char *s)
{
	const char *digits = s + (*s == '-' || *s == '+');
	long long v;

	if (!*digits || digits[strspn(digits, "0123456789")])
		return false;
	errno = 0;
	v = strtoll(s, NULL, 10);
	return !errno && v >= INT32_MIN && v <= INT32_MAX;
}

/* --OPTION or --OPTION=VALUE. Gives 1 when no option has that name. */
static int set_for_line(struct reading *r, const char *word, struct err *err)
{
	size_t n = strcspn(word, "=");
	char *name = mem_strndup(word, n);
	const char *value = word[n] ? word + n + 1 : NULL;
	const struct opt *o = opt_find(query_options, query_n_options, name, n);
	int rc = 1;

	if (settings_has(name))
		rc = settings_assign(r->ask, r->p, name, !value && o && o->kind == OPT_PICK ? "true" : value, err);
	free(name);
	return rc;
}

/* A word that pprof takes for an expression, and so do we, but that looks like an option. */
static void note_option(struct reading *r, const char *word)
{
	size_t dashes = strspn(word, "-"), n = strcspn(word + dashes, "=");
	char *name = mem_strndup(word + dashes, n);

	if (r->hint.len == 0 && settings_has(name) && (dashes == 1 || word[dashes + n]))
		buf_addf(&r->hint, "\"%s\" is taken as an expression%s; the option is --%s here", word,
			 dashes ? " to ignore" : "", word + dashes);
	free(name);
}

static int read_word(struct reading *r, const struct line_words *w, size_t *i, struct err *err)
{
	const char *t = w->word[*i].text;
	int rc = 0;

	if (w->word[*i].is_quoted) {
		join(&r->focus, t);
	} else if (is_count(t)) {
		rc = settings_assign(r->ask, r->p, "nodecount", t, err);
	} else if (*t == '>') {
		t++;
		if (!*t && ++*i >= w->n)
			return err_set(err, ERR_USAGE, "unexpected end of line after >");
		r->has_output = true;
		rc = settings_assign(r->ask, r->p, "output", *t ? t : w->word[*i].text, err);
	} else if (strcmp(t, "-cum") == 0) {
		rc = settings_assign(r->ask, r->p, "sort", "cum", err);
	} else if (*t != '-') {
		note_option(r, t);
		join(&r->focus, t);
	} else {
		rc = t[1] == '-' ? set_for_line(r, t + 2, err) : 1;
		if (rc == 1) {
			note_option(r, t);
			join(&r->ignore, t + 1);
			rc = 0;
		}
	}
	return rc;
}

/* What the words of a report said is put into its settings. */
static int finish(struct reading *r, const struct report_type *t, const struct line_words *w, struct err *err)
{
	bool tags = t->flags & REPORT_PICKS_LABELS;
	char rows[16];

	if (w->pipe && !*w->pipe)
		return err_set(err, ERR_USAGE, "| needs a command behind it; in an expression write quotes around it");
	if (w->pipe && r->has_output)
		return err_set(err, ERR_USAGE, "> and | do not go together");
	if (w->pipe)
		settings_assign(r->ask, r->p, "output", "-", NULL); /* standard output, which the pipe is then */
	if (r->focus.len)
		settings_assign(r->ask, r->p, tags ? "tagfocus" : "focus", buf_text(&r->focus), NULL);
	if (r->ignore.len)
		settings_assign(r->ask, r->p, tags ? "tagignore" : "ignore", buf_text(&r->ignore), NULL);
	r->is_ten = t->shell_rows && settings_query(r->ask)->nodecount == -1;
	if (r->is_ten) {
		snprintf(rows, sizeof(rows), "%d", t->shell_rows);
		settings_assign(r->ask, r->p, "nodecount", rows, NULL);
	}
	if (w->is_unclosed && r->hint.len == 0)
		buf_addz(&r->hint, "a quote has no end, so it was taken for a character of an expression");
	return 0;
}

static int read_report(struct line_words *w, const struct settings *s, const struct profile *p, struct line *out,
		       struct err *err)
{
	struct reading r = { .p = p };
	const struct report_type *t;
	size_t first = 1;
	int rc = read_name(w, &t, err);

	if (rc < 0)
		return rc;
	if (reports_takes_pattern(t) && w->n < 2)
		return err_set(err, ERR_USAGE, "command %s requires an argument", t->name);
	r.ask = settings_copy(s);
	settings_set_pattern(r.ask, reports_takes_pattern(t) ? w->word[first++].text : "");
	for (size_t i = first; rc == 0 && i < w->n; i++)
		rc = read_word(&r, w, &i, err);
	if (rc == 0)
		rc = finish(&r, t, w, err);
	buf_release(&r.focus);
	buf_release(&r.ignore);
	if (rc < 0) {
		settings_free(r.ask);
		buf_release(&r.hint);
		return rc;
	}
	*out = (struct line){
		.kind = LINE_REPORT, .report = t, .ask = r.ask, .pipe = w->pipe, .hint = r.hint.data, .is_ten = r.is_ten
	};
	w->pipe = NULL;
	return 0;
}

/* All words but the first, joined by one blank. */
static char *join_words(const struct line_words *w)
{
	struct buf all = { 0 };

	buf_addz(&all, "");
	for (size_t i = 1; i < w->n; i++)
		buf_addf(&all, "%s%s", i > 1 ? " " : "", w->word[i].text);
	return all.data;
}

int line_read(const char *text, struct settings *s, const struct profile *p, struct line *out, struct err *err)
{
	struct line_words w;
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
	else if (strcmp(first, "o") == 0 || strcmp(first, "options") == 0)
		*out = (struct line){ .kind = LINE_OPTIONS };
	else if (strcmp(first, "exit") == 0 || strcmp(first, "quit") == 0 || strcmp(first, "q") == 0)
		*out = (struct line){ .kind = LINE_EXIT };
	else if (strcmp(first, "help") == 0)
		*out = (struct line){ .kind = LINE_HELP, .words = join_words(&w) };
	else
		rc = read_report(&w, s, p, out, err);
	line_words_release(&w);
	return rc;
}

bool line_is_outside(const struct line *l)
{
	assert(l->kind == LINE_REPORT);
	return l->pipe || *settings_query(l->ask)->output || l->report->flags & REPORT_IS_BINARY;
}

bool line_needs_terminal(const struct line *l)
{
	const struct picture *picture = l->report->picture;

	assert(l->kind == LINE_REPORT);
	return l->pipe || (picture && picture->is_shown && !*settings_query(l->ask)->output);
}

void line_release(struct line *l)
{
	settings_free(l->ask);
	free(l->pipe);
	free(l->words);
	free(l->hint);
	*l = (struct line){ 0 };
}
