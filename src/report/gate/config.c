/*
 * config.c - parse gate.cpa, the configuration file of the gate
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A line is a keyword, its arguments, and a comment after " #"; base/words.h has the syntax.
 */
#include "config.h"

#include "report/gate/options.h"

#include "base/str.h"
#include "base/words.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 4, RULES_MAX = 1000 };

/* Returns true for a valid date such as 2026-12-31. */
static bool gate_config_is_date(const char *s)
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
static int read_allow(struct gate_rule *rule, const struct words *l, const char *today, struct err *err)
{
	static const char until[] = "until=";

	if (l->n == 3) {
		if (!starts_with(l->word[2], until))
			return words_error(l, err, "allow: %s: expected until=DATE", l->word[2]);
		rule->until = l->word[2] + sizeof(until) - 1;
		if (!gate_config_is_date(rule->until))
			return words_error(l, err, "allow: until=%s: not a date; write until=2026-12-31", rule->until);
		rule->is_expired = strcmp(rule->until, today) < 0;
	}
	if (!*l->comment)
		return words_error(l, err, "allow: missing reason; add it after a #: allow %s # ...", l->word[1]);
	rule->reason = l->comment;
	return 0;
}

static int gate_config_add_rule(struct gate_options *options, struct gate_rule rule, const struct words *l,
				struct err *err)
{
	size_t n_of_file = 0;
	int rc;

	for (size_t i = 0; i < options->n_rules; i++)
		n_of_file += options->rule[i].line > 0;
	if (n_of_file == RULES_MAX)
		return words_error(l, err, "more than %d expressions", RULES_MAX);
	rc = gate_options_add_rule(options, rule, err);
	if (rc < 0)
		err_wrap(err, "%s:%" PRIu32 ": %s %s", l->file, l->line, l->word[0], l->word[1]);
	return rc;
}

/* Keywords of lines that apply to matching functions. */
static const struct config_profile_kind {
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

static int read_rule(struct gate_options *options, const struct config_profile_kind *k, const struct words *l,
		     const char *today, struct err *err)
{
	struct gate_rule rule = { .kind = k->kind, .pattern = l->word[1], .file = l->file, .line = l->line };
	char what[24];
	int rc = 0;

	if (l->n < k->n_min || l->n > k->n_max)
		return words_error(l, err, "expected %s; quote an expression with blanks", k->write);
	if (k->kind == GATE_LIMIT || k->kind == GATE_BUDGET || k->kind == GATE_NOISE) {
		snprintf(what, sizeof(what), "%s ... ", k->word);
		rc = gate_options_parse_amount(k->kind, l->word[2], what, &rule.amount, err);
		if (rc < 0)
			err_wrap(err, "%s:%" PRIu32, l->file, l->line);
	} else if (k->kind == GATE_ALLOW) {
		rc = read_allow(&rule, l, today, err);
	} else if (k->kind == GATE_RENAME) {
		rule.to = l->word[2];
		if (!*rule.to)
			rc = words_error(l, err, "rename: the new name is empty");
	}
	return rc < 0 ? rc : gate_config_add_rule(options, rule, l, err);
}

/* Read a line. "noise PERCENT" sets the option, "noise REGEX PERCENT" is a rule. */
static int gate_config_read_line(struct gate_options *options, const struct words *l, const char *today,
				 struct err *err)
{
	char what[64];
	int rc;

	assert(l->n <= WORDS_MAX && l->line > 0);
	if (l->n == 0)
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(l->word[0], kinds[i].word) == 0 && !(kinds[i].kind == GATE_NOISE && l->n == 2))
			return read_rule(options, &kinds[i], l, today, err);
	snprintf(what, sizeof(what), "%s ", l->word[0]);
	rc = gate_options_set(options, l->word[0], what, l->n == 2 ? l->word[1] : "", err);
	if (rc == ERR_UNKNOWN)
		return words_error(
			l, err,
			"unknown keyword %s; expected limit, allow, budget, gate, noise, rename, or an option "
			"without --",
			l->word[0]);
	if (l->n != 2)
		return words_error(l, err, "expected %s VALUE", l->word[0]);
	if (rc < 0)
		err_wrap(err, "%s:%" PRIu32, l->file, l->line);
	return rc;
}

int gate_config_read(struct gate_options *options, const char *text, size_t n, const char *name, const char *today,
		     struct err *err)
{
	struct words_reader r;
	int rc;

	words_start(&r, text, n, name, options->mem);
	while ((rc = words_next(&r, err)) > 0) {
		rc = r.line.n > WORDS_MAX ? words_error(&r.line, err, "too many words; quote an expression with blanks")
					  : gate_config_read_line(options, &r.line, today, err);
		if (rc < 0)
			break;
	}
	words_release(&r);
	return rc;
}
