/*
 * config.c - parse gate.cpa, the configuration file of the gate
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A line is a keyword, its arguments, and a comment after " #". Words are separated by blanks. A word that contains
 * blanks or begins with # or " is quoted; in quotes \" is a quote, and all other backslashes are literal.
 */
#include "config.h"

#include "report/gate/options.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 4, RULES_MAX = 1000 };

struct line {
	const char *file;
	uint32_t number;
	const char *word[WORDS_MAX];
	size_t n;
	const char *comment; /* comment of the line; "" for none */
};

static int line_error(const struct line *l, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int line_error(const struct line *l, struct err *err, const char *fmt, ...)
{
	struct buf message = { 0 };
	va_list args;
	char text[512];
	int rc;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	buf_addf(&message, "%s:%" PRIu32 ": %s", l->file, l->number, text);
	rc = err_set(err, ERR_USAGE, "%s", buf_text(&message));
	buf_release(&message);
	return rc;
}

/* Read a quoted word; at is the position after the opening quote. Returns the position after the closing quote; NULL if
 * it is missing. */
static const char *read_quoted(const char *at, const char *end, struct buf *out)
{
	for (; at < end && *at != '"'; at++) {
		if (*at == '\\' && at + 1 < end && at[1] == '"')
			at++;
		buf_add(out, at, 1);
	}
	return at < end ? at + 1 : NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Split a line into words and comment, allocated in the arena of the options. */
static int split_line(struct gate_options *options, const char *at, const char *end, struct line *l, struct err *err)
{
	struct buf word = { 0 };

	for (;;) {
		const char *start;

		while (at < end && is_blank(*at))
			at++;
		if (at == end || *at == '#')
			break;
		if (l->n == WORDS_MAX) {
			buf_release(&word);
			return line_error(l, err, "too many words; quote an expression with blanks");
		}
		word.len = 0;
		for (start = at; at < end && !is_blank(*at) && *start != '"'; at++)
			buf_add(&word, at, 1);
		if (at == start)
			at = read_quoted(at + 1, end, &word);
		if (!at || (at < end && !is_blank(*at))) {
			buf_release(&word);
			return at ? line_error(l, err, "closing quote within a word; write \\\" for a quote")
				  : line_error(l, err, "missing closing quote");
		}
		l->word[l->n++] = arena_strndup(options->mem, buf_text(&word), word.len);
	}
	buf_release(&word);
	while (at < end && (*at == '#' || is_blank(*at)))
		at++;
	while (end > at && is_blank(end[-1]))
		end--;
	l->comment = arena_strndup(options->mem, at, (size_t)(end - at));
	return 0;
}

/* Returns true for a valid date such as 2026-12-31. */
static bool is_date(const char *s)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year, month, day;

	for (int i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? s[i] != '-' : !isdigit((unsigned char)s[i]))
			return false;
	if (s[10])
		return false;
	year = atoi(s);
	month = atoi(s + 5);
	day = atoi(s + 8);
	if (month < 1 || month > 12 || day < 1)
		return false;
	return day <= days[month - 1] ||
	       (month == 2 && day == 29 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* Read a line: allow REGEX [until=DATE] # reason */
static int read_allow(struct gate_rule *rule, const struct line *l, const char *today, struct err *err)
{
	static const char until[] = "until=";

	if (l->n == 3) {
		if (!starts_with(l->word[2], until))
			return line_error(l, err, "allow: %s: expected until=DATE", l->word[2]);
		rule->until = l->word[2] + sizeof(until) - 1;
		if (!is_date(rule->until))
			return line_error(l, err, "allow: until=%s: not a date; write until=2026-12-31", rule->until);
		rule->is_expired = strcmp(rule->until, today) < 0;
	}
	if (!*l->comment)
		return line_error(l, err, "allow: missing reason; add it after a #: allow %s # ...", l->word[1]);
	rule->reason = l->comment;
	return 0;
}

static int add_rule(struct gate_options *options, struct gate_rule rule, const struct line *l, struct err *err)
{
	size_t n_of_file = 0;
	int rc;

	for (size_t i = 0; i < options->n_rules; i++)
		n_of_file += options->rule[i].line > 0;
	if (n_of_file == RULES_MAX)
		return line_error(l, err, "more than %d expressions", RULES_MAX);
	rc = gate_options_add_rule(options, rule, err);
	if (rc < 0)
		err_wrap(err, "%s:%" PRIu32 ": %s %s", l->file, l->number, l->word[0], l->word[1]);
	return rc;
}

/* Keywords of lines that apply to matching functions. */
static const struct profile_kind {
	const char *word;
	enum gate_rule_kind kind;
	size_t n_min, n_max;
	const char *write;
} kinds[] = {
	{ "limit", GATE_LIMIT, 3, 3, "limit REGEX PERCENT" },
	{ "allow", GATE_ALLOW, 2, 3, "allow REGEX [until=DATE] # reason" },
	{ "budget", GATE_BUDGET, 3, 3, "budget REGEX PERCENT" },
	{ "gate", GATE_ONLY, 2, 2, "gate REGEX" },
	{ "noise", GATE_NOISE, 3, 3, "noise REGEX PERCENT" },
	{ "rename", GATE_RENAME, 3, 3, "rename OLD NEW" },
};

static int read_rule(struct gate_options *options, const struct profile_kind *k, const struct line *l,
		     const char *today, struct err *err)
{
	struct gate_rule rule = { .kind = k->kind, .pattern = l->word[1], .file = l->file, .line = l->number };
	char what[24];
	int rc = 0;

	if (l->n < k->n_min || l->n > k->n_max)
		return line_error(l, err, "expected %s; quote an expression with blanks", k->write);
	if (k->kind == GATE_LIMIT || k->kind == GATE_BUDGET || k->kind == GATE_NOISE) {
		snprintf(what, sizeof(what), "%s ... ", k->word);
		rc = gate_options_parse_amount(k->kind, l->word[2], what, &rule.amount, err);
		if (rc < 0)
			err_wrap(err, "%s:%" PRIu32, l->file, l->number);
	} else if (k->kind == GATE_ALLOW) {
		rc = read_allow(&rule, l, today, err);
	} else if (k->kind == GATE_RENAME) {
		rule.to = l->word[2];
		if (!*rule.to)
			rc = line_error(l, err, "rename: the new name is empty");
	}
	return rc < 0 ? rc : add_rule(options, rule, l, err);
}

/* Read a line. "noise PERCENT" sets the option, "noise REGEX PERCENT" is a rule. */
static int read_line(struct gate_options *options, const struct line *l, const char *today, struct err *err)
{
	char what[64];
	int rc;

	assert(l->n <= WORDS_MAX && l->number > 0);
	if (l->n == 0)
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(l->word[0], kinds[i].word) == 0 && !(kinds[i].kind == GATE_NOISE && l->n == 2))
			return read_rule(options, &kinds[i], l, today, err);
	snprintf(what, sizeof(what), "%s ", l->word[0]);
	rc = gate_options_set(options, l->word[0], what, l->n == 2 ? l->word[1] : "", err);
	if (rc == ERR_UNKNOWN)
		return line_error(
			l, err,
			"unknown keyword %s; expected limit, allow, budget, gate, noise, rename, or an option "
			"without --",
			l->word[0]);
	if (l->n != 2)
		return line_error(l, err, "expected %s VALUE", l->word[0]);
	if (rc < 0)
		err_wrap(err, "%s:%" PRIu32, l->file, l->number);
	return rc;
}

int gate_config_read(struct gate_options *options, const char *text, size_t n, const char *name, const char *today,
		     struct err *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* byte order mark; some editors write one */
	const char *at = text, *end = text + n;
	struct line l = { .file = name };

	if (n >= 3 && memcmp(text, mark, 3) == 0)
		at += 3;
	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at)), *stop = feed ? feed : end;
		int rc;

		l.number++;
		l.n = 0;
		if (memchr(at, 0, (size_t)(stop - at)))
			return line_error(&l, err, "not a text file");
		rc = split_line(options, at, stop > at && stop[-1] == '\r' ? stop - 1 : stop, &l, err);
		if (rc == 0)
			rc = read_line(options, &l, today, err);
		if (rc < 0)
			return rc;
		at = feed ? feed + 1 : end;
	}
	return 0;
}
