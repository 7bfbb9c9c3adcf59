/*
 * fuzz_gate.c - any bytes as a gate file
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stops when an error does not name its line, when the parsed file is not usable by a gate, or when reading the
 * same lines twice does not double the rules.
 */
#include "config.h"

#include "fuzz.h"

#include "base/arena.h"
#include "report/gate/options.h"

#include <math.h>

static const char name[] = "gate.cpa", today[] = "2026-11-22";

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static bool is_part(double v, double most)
{
	return v >= 0 && v < most; /* false for nan */
}

static void judge_rule(const struct gate_rule *r)
{
	bool yes;

	demand(r->regex && *r->pattern && strcmp(r->file, name) == 0 && r->line > 0, "a rule has no file and line");
	demand(is_part(r->amount, r->kind == GATE_LIMIT ? 1000 : 1), "a rule has no amount");
	demand(r->kind != GATE_BUDGET || r->amount > 0, "a budget is 0");
	demand(r->kind != GATE_ALLOW || *r->reason, "a slowdown is allowed without a reason");
	demand(!r->is_expired || strcmp(r->until, today) < 0, "a line expired too early");
	demand(r->kind != GATE_RENAME || *r->to, "a function is renamed to nothing");
	regex_match(r->regex, "main.(*T).f", 11, &yes, NULL);
}

static void judge(const struct gate_options *options)
{
	demand(is_part(options->threshold, 1000) && is_part(options->noise, 1) && is_part(options->min_share, 1) &&
		       is_part(options->max_new, 1) && is_part(options->confidence, 1),
	       "a part is out of its range");
	demand(options->confidence == 0 || options->confidence > 0.5, "confidence below 50 %");
	demand(options->min_samples >= 0 && isfinite(options->min_samples), "samples are not a number");
	demand(!options->has_need || (options->need_ratio > 1 && options->need_share > 0), "the required effect is 0");
	demand(options->inconclusive == 0 || options->inconclusive == 1 || options->inconclusive == 3,
	       "no such exit status");
	for (size_t i = 0; i < options->n_rules; i++)
		judge_rule(&options->rule[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct gate_options options = { .mem = arena_new() };
	struct bytes b = fuzz_bytes(data, n);
	struct err err = { 0 };
	int rc = gate_config_read(&options, (const char *)b.data, b.n, name, today, &err);

	judge(&options);
	if (rc < 0) {
		demand(rc == err.code && strncmp(err.msg, "gate.cpa:", 9) == 0, "an error does not name its line");
	} else {
		size_t before = options.n_rules;

		rc = gate_config_read(&options, (const char *)b.data, b.n, name, today, &err);
		demand(rc < 0 ? before > 500 : options.n_rules == 2 * before,
		       "reading twice does not double the rules");
	}
	gate_options_release(&options);
	free(b.data);
	return 0;
}
