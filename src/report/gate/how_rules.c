/*
 * how_rules.c - what a gate is asked of the functions that an expression matches
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/how_int.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"

#include <string.h>

/* The expression for a whole name. What it becomes is tried on an empty text, which "OLD or nothing" matches. */
static int compile_rename(const char *pattern, const char *to, struct regex **out, struct err *err)
{
	struct buf b = { 0 }, name = { 0 };
	struct regex *or_nothing;
	bool yes;
	int rc;

	buf_addf(&b, "(?:%s)|", pattern);
	rc = regex_new(buf_text(&b), &or_nothing, err);
	if (rc == 0) {
		rc = regex_replace(or_nothing, "", 0, to, &name, &yes, err);
		regex_free(or_nothing);
	}
	b.len = 0;
	buf_addf(&b, "^(?:%s)$", pattern);
	if (rc == 0)
		rc = regex_new(buf_text(&b), out, err);
	buf_release(&b);
	buf_release(&name);
	return rc;
}

int gate_how_rule(struct gate_how *how, struct gate_rule rule, struct err *err)
{
	const char **const texts[] = { &rule.pattern, &rule.to, &rule.reason, &rule.until, &rule.file };
	int rc;

	if (!*rule.pattern)
		return err_set(err, ERR_USAGE, "an empty expression matches every function; write . for all of them");
	rc = regex_new(rule.pattern, &rule.regex, err);
	if (rc < 0)
		return rc;
	if (rule.kind == GATE_RENAME) {
		regex_free(rule.regex);
		rc = compile_rename(rule.pattern, rule.to, &rule.regex, err);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = *texts[i] ? arena_strndup(how->mem, *texts[i], strlen(*texts[i])) : "";
	how->rule = mem_grow(how->rule, &how->cap_rules, how->n_rules + 1, sizeof(*how->rule));
	how->rule[how->n_rules++] = rule;
	return 0;
}

int gate_how_rules(const struct query *q, struct gate_how *how, struct err *err)
{
	int rc;

	for (size_t i = 0; i < q->limit.n; i++) {
		const char *text = q->limit.item[i], *sign = strrchr(text, '=');
		struct gate_rule rule = { .kind = GATE_LIMIT, .file = "--limit" };

		if (!sign)
			return err_set(err, ERR_USAGE, "--limit=%s: write REGEX=PERCENT, as in --limit='^main\\.=50%%'",
				       text);
		rule.pattern = arena_strndup(how->mem, text, (size_t)(sign - text));
		rc = gate_how_amount(GATE_LIMIT, sign + 1, "--limit=...=", &rule.amount, err);
		if (rc == 0) {
			rc = gate_how_rule(how, rule, err);
			if (rc < 0)
				err_wrap(err, "--limit=%s", text);
		}
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < q->rename.n; i++) {
		const char *text = q->rename.item[i], *sign = strchr(text, '=');
		struct gate_rule rule = { .kind = GATE_RENAME, .file = "--rename" };

		if (!sign || sign == text || !sign[1])
			return err_set(err, ERR_USAGE, "--rename=%s: write OLD=NEW", text);
		rule.pattern = arena_strndup(how->mem, text, (size_t)(sign - text));
		rule.to = sign + 1;
		rc = gate_how_rule(how, rule, err);
		if (rc < 0) {
			err_wrap(err, "--rename=%s", text);
			return rc;
		}
	}
	return 0;
}
