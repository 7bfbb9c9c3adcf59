/*
 * warn.c - warnings and notes of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/decision.h"

#include "base/buf.h"
#include "base/time.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double contended_share = 0.03, contended_times = 2, utilisation_times = 1.2, few_samples = 1000,
		    pair_samples = 5000, common_min = 0.5, nameless_max = 0.1;

#define WARN(d, id, ...) decision_add_message(d, DECISION_WARNING, id, __VA_ARGS__)

static const char *const side_word[] = { "base", "new" };

/* Format a number of samples: 12,345. */
static const char *count_text(struct decision *d, double v)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%.0f", fmin(v, 1e15));
	struct buf out = { 0 };
	const char *text;

	for (int i = 0; i < n; i++)
		buf_addf(&out, "%s%c", i && (n - i) % 3 == 0 ? "," : "", digits[i]);
	text = decision_copy(d, buf_text(&out));
	buf_release(&out);
	return text;
}

static void warn_contended(struct decision *d)
{
	const struct gate_side *side = d->out->side;

	for (int i = 0; i < N_SIDES; i++) {
		double own = side[i].preempted, other = side[!i].preempted;

		if (!d->options->has_own_fold && own > contended_share && own > contended_times * other)
			WARN(d, "contended",
			     "%s was captured on a contended CPU: %.1f%% of its samples were preempted, compared with "
			     "%.1f%%; this alone can make functions look up to half slower or faster; capture both "
			     "sides alternately",
			     side_word[i], own * 100, other * 100);
	}
}

static void warn_busy(struct decision *d)
{
	const struct gate_side *side = d->out->side;

	if (decision_is_busy(d))
		WARN(d, "busy",
		     "the machine was busy: for %.0f%% of the time of base and %.0f%% of new, programs waited for a "
		     "processor",
		     side[SIDE_BASE].busy * 100, side[SIDE_NEW].busy * 100);
}

static void warn_machine(struct decision *d)
{
	const struct gate_side *side = d->out->side;
	const char *host[N_SIDES] = { "", "" };
	bool mixed = false;

	for (uint32_t i = 0; i < d->s->n_files; i++) {
		const struct gate_file *f = &d->s->file[i];

		if (!f->host || !*f->host)
			return;
		mixed |= *host[f->side] && strcmp(host[f->side], f->host) != 0;
		host[f->side] = f->host;
	}
	if (*side[SIDE_BASE].host && *side[SIDE_NEW].host && strcmp(side[SIDE_BASE].host, side[SIDE_NEW].host) != 0)
		WARN(d, "machine", "the sides are from different machines: base %s, new %s", side[SIDE_BASE].host,
		     side[SIDE_NEW].host);
	else if (mixed)
		WARN(d, "machine", "the profiles of a side are from different machines");
}

/* Find the first and last time of the files of a side; false if one is unknown. */
static bool find_times(const struct decision *d, int side, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = 0;
	for (uint32_t i = 0; i < d->s->n_files; i++) {
		const struct gate_file *f = &d->s->file[i];

		if ((int)f->side != side)
			continue;
		if (f->time_ns <= 0)
			return false;
		*first = f->time_ns < *first ? f->time_ns : *first;
		*last = f->time_ns > *last ? f->time_ns : *last;
	}
	return *last > 0;
}

/* Add a note if all runs of one side were captured before those of the other: changes of the machine in between affect
 * only one side. */
static void warn_order(struct decision *d)
{
	static const int64_t one_job = 2 * NS_PER_HOUR;
	int64_t first[N_SIDES], last[N_SIDES];

	for (int side = 0; side < N_SIDES; side++)
		if (!find_times(d, side, &first[side], &last[side]))
			return;
	if (first[SIDE_BASE] > last[SIDE_NEW])
		WARN(d, "swapped", "the base was captured after the new side; check that the sides are not swapped");
	else if (d->judged->has_replicates && first[SIDE_NEW] > last[SIDE_BASE] &&
		 last[SIDE_NEW] - first[SIDE_BASE] < one_job)
		decision_add_message(
			d, DECISION_NOTE, "alternate",
			"all runs of the base were captured before those of the new side; capture them alternately");
}

static void warn_uniform(struct decision *d)
{
	const struct gate *g = d->out;
	double limit = 1 + d->options->threshold;
	double per_file = g->side[SIDE_NEW].value / g->side[SIDE_NEW].n_files /
			  (g->side[SIDE_BASE].value / g->side[SIDE_BASE].n_files);
	double unchanged =
		g->total_ratio > 0 ? per_file / g->total_ratio : per_file; /* ratio of the unchanged part per profile */
	const char *remedy = "pass --work-base and --work-new, or --normalize=none if both sides did the same work";

	if (d->options->normalize != GATE_BULK && d->options->normalize != GATE_REST &&
	    d->options->normalize != GATE_SHARE)
		return;
	if (g->total_ratio > limit)
		WARN(d, "uniform",
		     "the whole program costs %.2f times as much, relative to its unchanged part: much of it may have "
		     "become slower together; %s",
		     g->total_ratio, remedy);
	else if (unchanged > limit && !g->is_disjoint)
		WARN(d, "uniform",
		     "the part that is assumed unchanged costs %.2f times as much per profile: if the work was the "
		     "same, everything costs more, which this comparison cannot detect; %s",
		     unchanged, remedy);
}

/* Warn if the program has too few other parts: if one of two parts changed, the profiles do not show which one. */
static void warn_few_parts(struct decision *d)
{
	for (uint32_t i = 0; d->options->normalize == GATE_BULK && i < d->n_rows; i++) {
		const struct gate_row *row = &d->row[i].shown;

		if ((row->verdict != GATE_FAIL && row->verdict != GATE_SUSPECT) || isnan(row->p_adjusted) ||
		    d->judged->row[d->row[i].index].n_cells > 0)
			continue;
		WARN(d, "few_parts",
		     "fewer than three parts of the program remain to compare %s with, so either it costs more or they "
		     "cost less; do the same work on both sides and pass --normalize=none, or pass --work-base and "
		     "--work-new",
		     row->name);
		return;
	}
}

static void warn_periods(struct decision *d)
{
	int64_t first = 0;

	for (uint32_t i = 0; i < d->s->n_files; i++) {
		int64_t period = d->s->file[i].period;

		if (first > 0 && period > 0 && period != first) {
			WARN(d, "periods",
			     "sampling periods differ: %" PRId64 " and %" PRId64 " %s; samples are compared, not time",
			     first, period, d->out->period_unit);
			return;
		}
		first = first > 0 ? first : period;
	}
}

static void warn_utilisation(struct decision *d)
{
	double base = decision_utilisation(d, SIDE_BASE), now = decision_utilisation(d, SIDE_NEW);

	if (base > 0 && now > 0 && (now > utilisation_times * base || base > utilisation_times * now))
		WARN(d, "utilisation",
		     "base used %.2f CPUs and new %.2f; check that the load was the same and the machine otherwise "
		     "idle",
		     base, now);
}

static void warn_samples(struct decision *d)
{
	const struct gate_side *side = d->out->side;
	double min = fmin(side[SIDE_BASE].samples, side[SIDE_NEW].samples);

	if (gate_is_exact(d->s))
		return;
	if (min < few_samples)
		WARN(d, "few_samples",
		     "%s has only %s samples: below 1,000 few changes can be detected; capture longer or more runs",
		     side[SIDE_BASE].samples <= side[SIDE_NEW].samples ? "base" : "new", count_text(d, min));
	if (side[SIDE_BASE].n_files == 1 && side[SIDE_NEW].n_files == 1 && min > pair_samples)
		WARN(d, "one_pair",
		     "variation between runs is unknown, and with %s it matters more than chance; pass at least 3 "
		     "profiles per side",
		     min < STATS_COUNT_MAX ? decision_text(d, "%s samples", count_text(d, min)) : "exact counts");
	else if (side[SIDE_BASE].n_files == 1 && side[SIDE_NEW].n_files == 1 && d->out->n_verdict[GATE_FAIL])
		WARN(d, "one_pair",
		     "one pair does not show how much runs differ, and on a busy machine they may differ by more than "
		     "chance; pass at least 3 profiles per side");
	if ((side[SIDE_BASE].n_files == 1) != (side[SIDE_NEW].n_files == 1))
		decision_add_message(d, DECISION_NOTE, "one_file",
				     "%s is one profile: variation between runs is known for the other side only",
				     side[SIDE_BASE].n_files == 1 ? "base" : "new");
	else if (side[SIDE_BASE].n_files != side[SIDE_NEW].n_files)
		decision_add_message(d, DECISION_NOTE, "files", "base has %" PRIu32 " profiles and new %" PRIu32,
				     side[SIDE_BASE].n_files, side[SIDE_NEW].n_files);
}

/* Returns true if two runs may have equal values by chance: with few samples, or exact counts. */
static bool may_be_chance(const struct gate_file *f)
{
	const double some = 100;
	double count = stats_count(f->value, f->var);

	return count < some || count >= STATS_COUNT_MAX;
}

/* Returns true if two files appear to be the same profile. */
static bool are_equal(const struct gate_file *a, const struct gate_file *b)
{
	if (a->time_ns != b->time_ns || (a->time_ns <= 0 && may_be_chance(a)) || a->value != b->value ||
	    a->n_parts != b->n_parts)
		return false;
	for (uint32_t i = 0; i < a->n_parts; i++)
		if (a->part[i].func != b->part[i].func || a->part[i].cum != b->part[i].cum ||
		    a->part[i].flat != b->part[i].flat)
			return false;
	return true;
}

/* Warn about duplicate profiles. Returns true if a profile is on both sides. */
static bool warn_twice(struct decision *d)
{
	bool warned[2] = { false, false };

	for (uint32_t i = 0; i < d->s->n_files; i++)
		for (uint32_t k = i + 1; k < d->s->n_files; k++) {
			const struct gate_file *a = &d->s->file[i], *b = &d->s->file[k];
			bool across = a->side != b->side;

			if (warned[across] || !are_equal(a, b))
				continue;
			warned[across] = true;
			if (across)
				WARN(d, "same_file", "%s and %s are the same profile: it is compared with itself",
				     a->source, b->source);
			else
				WARN(d, "twice", "%s and %s are the same profile: its samples count twice", a->source,
				     b->source);
		}
	return warned[true];
}

/* The rows of a side that has several builds mix them. */
static void warn_builds(struct decision *d)
{
	for (int s = 0; s < N_SIDES; s++)
		if (d->out->side[s].builds.n)
			WARN(d, "several_builds",
			     "%s has profiles of %zu builds of the program, %.16s and %.16s%s: compare one with one",
			     side_word[s], d->out->side[s].builds.n, d->out->side[s].builds.id[0],
			     d->out->side[s].builds.id[1], d->out->side[s].builds.n > 2 ? " and others" : "");
}

static void warn_same(struct decision *d)
{
	const struct gate_side *side = d->out->side;
	double common[N_SIDES];

	if (!warn_twice(d) && *side[SIDE_BASE].build_id &&
	    strcmp(side[SIDE_BASE].build_id, side[SIDE_NEW].build_id) == 0)
		WARN(d, "same_binary", "both sides are from the same binary: build id %s", side[SIDE_NEW].build_id);
	decision_common_shares(d, common);
	for (int s = 0; s < N_SIDES; s++)
		if (common[s] < common_min) {
			WARN(d, "unlike",
			     "only %.0f%% of the samples of %s are in functions that the other side has, too",
			     common[s] * 100, side_word[s]);
			break;
		}
}

/* Returns true for the name of a binary in brackets, which represents its functions without names. */
static bool is_binary(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && name[0] == '[' && name[n - 1] == ']';
}

double decision_nameless_share(const struct decision *d, uint32_t *func, int *side)
{
	double max = 0;

	*func = GATE_NO_FUNC;
	*side = SIDE_BASE;
	for (uint32_t i = 0; i < d->s->n_funcs; i++)
		for (int k = 0; k < N_SIDES; k++)
			if (is_binary(d->s->func[i].name) && d->s->func[i].flat[k] > max * d->s->total[k]) {
				max = d->s->func[i].flat[k] / d->s->total[k];
				*func = i;
				*side = k;
			}
	return max;
}

/* Warn about stripped binaries: all their functions are one row, which hides a slower function. */
static void warn_nameless(struct decision *d)
{
	uint32_t func;
	int side;
	double max = decision_nameless_share(d, &func, &side);

	if (max > nameless_max)
		WARN(d, "nameless",
		     "%.0f%% of the samples of %s are in %s, whose functions have no names and share one row, which "
		     "hides slower ones; add symbols",
		     max * 100, side_word[side], decision_copy(d, d->s->func[func].name));
}

static void warn_rules(struct decision *d)
{
	static const char *const word[] = { "limit", "allow", "budget", "gate", "noise", "rename" };

	for (size_t i = 0; i < d->options->n_rules; i++) {
		const struct gate_rule *r = &d->options->rule[i];
		const char *where =
			r->line ? decision_text(d, "%s:%" PRIu32 ": %s", r->file, r->line, word[r->kind]) : r->file;

		if (r->is_expired)
			WARN(d, "expired", "%s %s expired on %s: %s", where, r->pattern, r->until, r->reason);
		else if (r->n_used == 0)
			WARN(d, "unused", "%s %s %s no function %s", where, r->pattern,
			     r->kind == GATE_LIMIT || r->kind == GATE_NOISE ? "applies to" : "matches",
			     r->kind == GATE_RENAME   ? "of the base"
			     : r->kind == GATE_BUDGET ? "at all"
						      : "that was tested");
	}
}

void decision_add_warnings(struct decision *d)
{
	warn_same(d);
	warn_builds(d);
	warn_nameless(d);
	warn_order(d);
	warn_machine(d);
	warn_contended(d);
	warn_busy(d);
	warn_utilisation(d);
	warn_periods(d);
	warn_samples(d);
	warn_uniform(d);
	warn_few_parts(d);
	warn_rules(d);
}

/* Name of the function with this verdict and the largest share, and the number of others; NULL for none. */
static const char *name_largest(struct decision *d, enum gate_verdict v)
{
	const struct gate_row *row = d->out->row, *first = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->out->n_rows; i++)
		if (row[i].verdict == v && (!first || row[i].share[SIDE_BASE] > first->share[SIDE_BASE]))
			first = &row[i];
	if (!first || first->kind == GATE_TOTAL)
		return first ? "the whole program" : NULL;
	for (uint32_t i = 0; i < d->out->n_rows; i++)
		n += row[i].verdict == v && strcmp(row[i].name, first->name) != 0;
	return n ? decision_text(d, "%s and %" PRIu32 " more", first->name, n) : first->name;
}

/* Returns true if there is a SUSPECT that more samples may resolve. */
static bool has_suspect(const struct gate *g)
{
	bool yes = false;

	for (uint32_t i = 0; i < g->n_rows && !yes; i++)
		yes = g->row[i].verdict == GATE_SUSPECT && !isnan(g->row[i].p_adjusted);
	return yes;
}

/* Returns true if both sides contain the loop of a Go benchmark. */
static bool is_go_benchmark(const struct decision *d)
{
	for (uint32_t i = 0; i < d->s->n_funcs; i++)
		if (strcmp(d->s->func[i].name, "testing.(*B).runN") == 0)
			return d->s->func[i].cum[SIDE_BASE] > 0 && d->s->func[i].cum[SIDE_NEW] > 0;
	return false;
}

/* Add a note with the length of a Go benchmark that would be enough. */
static void note_benchmark(struct decision *d)
{
	const struct gate_side *side = d->out->side;
	double times = ceil(d->out->need_samples / fmin(side[SIDE_BASE].samples, side[SIDE_NEW].samples));

	if (!d->out->is_underpowered || !(times > 1 && times < 1e6) || !is_go_benchmark(d))
		return;
	decision_add_message(d, DECISION_NOTE, "benchtime",
			     "these runs of go test -bench are too short: run each side %.0f times as long, with "
			     "-count=%.0f or -benchtime=%.0fs where they were 1 and 1s",
			     times, times, times);
}

void decision_add_notes(struct decision *d)
{
	const struct gate_side *side = d->out->side;
	const char *name = name_largest(d, GATE_IMPROVED);

	if (d->s->weights_unknown)
		decision_add_message(d, DECISION_NOTE, "weights", "%s", d->s->weights_unknown);
	if (name)
		decision_add_message(d, DECISION_NOTE, "update_baseline",
				     "cheaper than before: %s; update the base to keep it so", name);
	if (!d->options->has_normalize && d->options->normalize == GATE_NONE)
		decision_add_message(d, DECISION_NOTE, "normalize",
				     "values of %.100s are compared per profile (--normalize=none), since %s; "
				     "--normalize=bulk compares with the unchanged part of the program",
				     d->s->type,
				     d->s->error == GATE_CENSUS
					     ? "counts of threads and goroutines are exact"
					     : "values in use do not depend on the duration of a run");
	if (side[SIDE_BASE].preempted > 0 || side[SIDE_NEW].preempted > 0)
		decision_add_message(d, DECISION_NOTE, "folded", "%.1f%% of the samples of base and %.1f%% of new %s",
				     side[SIDE_BASE].preempted * 100, side[SIDE_NEW].preempted * 100,
				     d->options->has_own_fold
					     ? "have a leaf that matches --fold; they are charged to its callers"
					     : "were interrupted by the scheduler or the profiler; they are charged to "
					       "the functions that ran");
	note_benchmark(d);
	if (d->options->looks > 1)
		decision_add_message(d, DECISION_NOTE, "look",
				     "interim check %u of %u: each check uses %.3g%% of the total error of %.3g%%",
				     d->options->look, d->options->looks, d->options->alpha * 100,
				     (1 - d->options->confidence) * 100);
	if ((has_suspect(d->out) || d->out->is_underpowered) && d->out->outcome != GATE_FAILED &&
	    d->options->looks == 1)
		decision_add_message(
			d, DECISION_NOTE, "retry",
			"if you capture more, pass these profiles together with the new ones, and --look=2/2");
}
