/*
 * decision.c - the verdict of every row of a gate, and of the gate
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The verdict of a row comes from its test. Limits on shares may turn it into a failure; allow lines, --runtime=warn,
 * and kinds of profiles for which one pair proves nothing downgrade it.
 */
#include "config.h"

#include "report/gate/decision.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "engine/runtime_names.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *format_text(struct decision *d, const char *fmt, va_list args)
{
	struct buf b = { 0 };
	const char *text;

	buf_vaddf(&b, fmt, args);
	text = arena_strndup(d->out->mem, buf_text(&b), b.len);
	buf_release(&b);
	return text;
}

const char *decision_text(struct decision *d, const char *fmt, ...)
{
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = format_text(d, fmt, args);
	va_end(args);
	return text;
}

const char *decision_copy(struct decision *d, const char *s)
{
	return s ? arena_strndup(d->out->mem, s, strlen(s)) : "";
}

void decision_add_message(struct decision *d, int list, const char *id, const char *fmt, ...)
{
	struct gate_message *m;
	va_list args;

	assert(list >= 0 && list < N_DECISION_LISTS && id);
	d->message[list] =
		mem_grow(d->message[list], &d->cap_messages[list], d->n_messages[list] + 1, sizeof(*d->message[list]));
	m = &d->message[list][d->n_messages[list]++];
	va_start(args, fmt);
	*m = (struct gate_message){ .id = id, .text = format_text(d, fmt, args) };
	va_end(args);
}

/* The common string of all files of a side; "" if they differ. */
static const char *common(const char *so_far, const char *next, uint32_t n_before)
{
	next = next ? next : "";
	return n_before == 0 || strcmp(so_far, next) == 0 ? next : "";
}

static void describe_add_build(struct decision *d, struct side_builds *to, size_t *cap, const char *id)
{
	for (size_t i = 0; i < to->n; i++)
		if (strcmp(to->id[i], id) == 0)
			return;
	if (id && *id) {
		to->id = mem_grow(to->id, cap, to->n + 1, sizeof(*to->id));
		to->id[to->n++] = decision_copy(d, id);
	}
}

/* List the builds of all files of a side, if there are several. */
static void describe_side_builds(struct decision *d, int side)
{
	struct side_builds all = { 0 }, *out = &d->out->side[side].builds;
	size_t cap = 0;

	for (uint32_t i = 0; i < d->s->n_files; i++) {
		const struct gate_file *f = &d->s->file[i];

		if ((int)f->side != side)
			continue;
		for (size_t k = 0; k < f->builds.n; k++)
			describe_add_build(d, &all, &cap, f->builds.id[k]);
		describe_add_build(d, &all, &cap, f->build_id ? f->build_id : "");
	}
	*out = (struct side_builds){ .n = all.n > 1 ? all.n : 0 };
	out->id = arena_alloc(d->out->mem, out->n, sizeof(*out->id));
	for (size_t i = 0; i < out->n; i++)
		out->id[i] = all.id[i];
	free(all.id);
}

static void describe_side(struct decision *d, int side)
{
	struct gate_side *g = &d->out->side[side];
	const char **source = arena_alloc(d->out->mem, d->s->n_files, sizeof(*source));
	double preempted = 0;
	bool has_times = true;

	*g = (struct gate_side){ .source = source, .value = d->s->total[side], .build_id = "", .host = "" };
	g->samples = stats_count(d->s->total[side], d->s->var[side]);
	for (uint32_t i = 0; i < d->s->n_files; i++) {
		const struct gate_file *f = &d->s->file[i];

		if ((int)f->side != side)
			continue;
		has_times &= f->seconds > 0;
		g->seconds += f->seconds;
		preempted += f->preempted;
		g->busy = fmax(g->busy, f->busy);
		g->period = g->n_files ? g->period : f->period;
		g->build_id = common(g->build_id, f->build_id, g->n_files);
		g->host = common(g->host, f->host, g->n_files);
		source[g->n_files++] = decision_copy(d, f->source);
	}
	g->seconds = has_times ? g->seconds : 0;
	g->preempted = g->value > 0 ? preempted / g->value : 0;
	g->build_id = decision_copy(d, g->build_id);
	g->host = decision_copy(d, g->host);
	describe_side_builds(d, side);
}

static void decision_add_sums(struct decision *d)
{
	const struct gate_sums *s = d->s;

	d->sum = mem_zalloc(s->n_funcs ? s->n_funcs : 1, sizeof(*d->sum));
	for (uint32_t i = 0; i < s->n_funcs; i++) {
		const struct gate_func *f = &s->func[i];
		struct decision_sum *sum = &d->sum[f->canonical];

		assert(f->canonical < s->n_funcs);
		for (int side = 0; side < N_SIDES; side++) {
			sum->cum[side] += f->cum[side];
			sum->flat[side] += f->flat[side];
			sum->cum_var[side] += f->cum_var[side];
			sum->flat_var[side] += f->flat_var[side];
		}
	}
}

static const double z_moved = 1.645, p_proved = 0.05;

/* Returns true if the base has almost no samples of the row, and the new side has some. */
static bool is_new(const struct stats_row *t, double new_max)
{
	return t->count[SIDE_BASE] <= new_max && (t->value[SIDE_BASE] <= 0 || t->count[SIDE_NEW] > new_max);
}

static enum gate_verdict test_verdict(const struct gate_options *options, const struct stats_row *t, double limit,
				      double new_max)
{
	assert(limit >= 0 && options->alpha <= options->alpha_suspect);
	if (is_new(t, new_max))
		return GATE_NEW;
	if (t->value[SIDE_NEW] <= 0)
		return GATE_GONE;
	if (t->p_adjusted < options->alpha && t->ratio > 1 + limit)
		return GATE_FAIL;
	if (t->p_adjusted < options->alpha_suspect && t->ratio > 1 + limit)
		return GATE_SUSPECT;
	if (t->p_less_adjusted < options->alpha && t->ratio < 1 / (1 + limit))
		return GATE_IMPROVED;
	return t->p_over < p_proved ? GATE_OK : GATE_UNRESOLVED;
}

/* The value of half a sample, which is added to sums so that none is zero. */
static double half_sample(double value, double var)
{
	return value > 0 ? var / value / 2 : 0;
}

/*
 * Returns true if the cost of the callees of a function decreased by at least half of the increase of its own cost.
 * This indicates that code of a callee is in the function now: inlined without a frame, or moved.
 */
static bool was_moved(const struct decision *d, const struct decision_row *r, double *part)
{
	const struct stats_row *t = &d->judged->row[r->index];
	const struct decision_sum *sum;
	double callees[N_SIDES], var[N_SIDES], h = 0, se2 = 2 * d->options->noise * d->options->noise;
	double rho = t->rho, grown, shrunk;

	if (r->shown.kind != GATE_FLAT || !(rho > 0))
		return false;
	sum = &d->sum[d->rows->source[r->index].func];
	grown = sum->flat[SIDE_NEW] - rho * sum->flat[SIDE_BASE];
	for (int side = 0; side < N_SIDES; side++) {
		callees[side] = fmax(0, sum->cum[side] - sum->flat[side]);
		var[side] = fmax(0, sum->cum_var[side] - sum->flat_var[side]);
		h = fmax(h, half_sample(callees[side], var[side]));
	}
	if (callees[SIDE_BASE] <= 0 || grown <= 0)
		return false;
	for (int side = 0; side < N_SIDES; side++) {
		double k = callees[side] > 0 && var[side] > 0 ? callees[side] * callees[side] / var[side] : 0;

		se2 += t->phi / (k + 0.5);
	}
	shrunk = rho * callees[SIDE_BASE] - callees[SIDE_NEW];
	*part = shrunk / grown;
	return shrunk >= grown / 2 &&
	       (log((callees[SIDE_NEW] + h) / (callees[SIDE_BASE] + h)) - log(rho)) / sqrt(se2) < -z_moved;
}

static void name_row(struct decision *d, const struct gate_source *source, struct gate_row *row)
{
	const struct gate_func *f = &d->s->func[source->func];
	const char **alias = arena_alloc(d->out->mem, source->n_aliases, sizeof(*alias));
	uint32_t old_func = d->rows->old_func ? d->rows->old_func[source->func] : GATE_NO_FUNC;

	assert(source->func < d->s->n_funcs && (source->n_aliases == 0 || source->alias));
	for (uint32_t i = 0; i < source->n_aliases; i++)
		alias[i] = decision_copy(d, d->s->func[source->alias[i]].name);
	row->alias = alias;
	row->n_aliases = source->n_aliases;
	row->name = decision_copy(d, f->name);
	row->file = decision_copy(d, f->file);
	row->line = f->line;
	if (old_func != GATE_NO_FUNC)
		row->old_name = decision_copy(d, d->s->func[old_func].name);
}

static void decision_add_row(struct decision *d, uint32_t i)
{
	const struct gate_source *source = &d->rows->source[i];
	const struct stats_counts *c = &d->rows->counts;
	const struct stats_row *t = &d->judged->row[i];
	struct decision_row *r = &d->row[d->n_rows++];

	assert(d->n_rows <= d->rows->n && i < c->n_rows);
	*r = (struct decision_row){ .index = i, .is_hidden = c->row_is_tested && !c->row_is_tested[i] };
	r->shown = (struct gate_row){
		.kind = source->kind,
		.name = "",
		.file = "",
		.old_name = "",
		.reason = "",
		.ratio = t->ratio,
		.lo = t->lo,
		.hi = t->hi,
		.p = t->p,
		.p_adjusted = t->p_adjusted,
		.limit = c->row_limit[i],
		.dispersion = t->phi,
	};
	for (int side = 0; side < N_SIDES; side++) {
		r->shown.value[side] = t->value[side];
		r->shown.count[side] = t->count[side];
		r->shown.share[side] = d->s->total[side] > 0 ? t->value[side] / d->s->total[side] : 0;
	}
	if (source->kind != GATE_TOTAL)
		name_row(d, source, &r->shown);
	r->shown.verdict =
		r->is_hidden ? GATE_SKIPPED : test_verdict(d->options, t, r->shown.limit, gate_new_max(d->s));
	if (!r->is_hidden && gate_is_exact(d->s))
		decision_judge_exact(d, r);
	d->out->n_tests += !isnan(r->shown.p);
}

/* Refine the verdict of a test, and set its reason. */
static void refine_verdict(struct decision *d, struct decision_row *r)
{
	struct gate_row *shown = &r->shown;
	double part;

	if ((shown->verdict == GATE_FAIL || shown->verdict == GATE_SUSPECT) && was_moved(d, r, &part)) {
		shown->verdict = GATE_MOVED;
		shown->reason =
			decision_text(d, "its callees became cheaper by %.0f%% of that: inlined or moved", part * 100);
	} else if (shown->verdict == GATE_NEW && shown->kind == GATE_FLAT &&
		   d->sum[d->rows->source[r->index].func].cum[SIDE_BASE] > 0) {
		shown->reason = "the base contains it, but almost never as a leaf";
	} else if (shown->verdict == GATE_UNRESOLVED && isnan(shown->p)) {
		shown->reason = shown->count[SIDE_BASE] <= gate_new_max(d->s)
					? "too few samples"
					: "too few samples outside of it to compare with";
	}
}

/* Make the rows, each with the verdict of its test. */
static void judge_rows(struct decision *d)
{
	d->row = mem_alloc(d->rows->n ? d->rows->n : 1, sizeof(*d->row));
	for (uint32_t i = 0; i < d->rows->n; i++) {
		const struct stats_row *t = &d->judged->row[i];

		if (t->value[SIDE_BASE] <= 0 && t->value[SIDE_NEW] <= 0)
			continue;
		decision_add_row(d, i);
		refine_verdict(d, &d->row[d->n_rows - 1]);
	}
}

/* Turn a FAIL into a SUSPECT with this reason; NULL: there is none. */
static void downgrade(struct gate_row *row, const char *reason)
{
	if (!reason || row->verdict != GATE_FAIL)
		return;
	row->verdict = GATE_SUSPECT;
	row->reason = reason;
}

const char *decision_unreliable(const struct decision *d)
{
	if (d->s->weights_unknown)
		return "the number of stacks is unknown";
	if (d->judged->has_replicates || d->s->error == GATE_POISSON || d->s->error == GATE_HEAP || gate_is_exact(d->s))
		return NULL;
	return d->s->error == GATE_DELAY
		       ? "a few long delays can cause such a difference in one pair: pass several profiles per side"
		       : "one pair of snapshots does not show how much runs differ: pass several profiles per side";
}

const char *decision_contention(struct decision *d)
{
	static const double gap = 0.1;
	const struct gate_side *side = d->out->side;

	if (d->judged->has_replicates || d->options->has_own_fold ||
	    fabs(side[SIDE_BASE].preempted - side[SIDE_NEW].preempted) < gap)
		return NULL;
	return decision_text(d,
			     "%.0f%% of base and %.0f%% of new were preempted, so one pair proves nothing: pass "
			     "several profiles per "
			     "side, captured alternately",
			     side[SIDE_BASE].preempted * 100, side[SIDE_NEW].preempted * 100);
}

double decision_utilisation(const struct decision *d, int side)
{
	double cpu = 0, seconds = 0;

	for (uint32_t i = 0; i < d->s->n_files; i++) {
		const struct gate_file *f = &d->s->file[i];

		if ((int)f->side != side)
			continue;
		if (!(f->cpu_seconds > 0 && f->seconds > 0))
			return 0;
		cpu += f->cpu_seconds;
		seconds += f->seconds;
	}
	return seconds > 0 ? cpu / seconds : 0;
}

/* The reason why one pair of a program without names proves nothing; NULL if most of it has names. */
static const char *nameless_reason(struct decision *d)
{
	static const double most = 0.5;
	uint32_t func;
	int side;

	if (d->judged->has_replicates || decision_nameless_share(d, &func, &side) < most)
		return NULL;
	return decision_text(
		d,
		"most functions of %s have no names, and others may have those of their neighbours, so one pair "
		"proves nothing: pass several profiles per side, or add symbols",
		decision_copy(d, d->s->func[func].name));
}

bool decision_is_busy(const struct decision *d)
{
	static const double share = 0.3;

	return fmax(d->out->side[SIDE_BASE].busy, d->out->side[SIDE_NEW].busy) >= share;
}

/* The reason why one pair under different load proves nothing; NULL if the load was similar, or is unknown. A regression
   also increases the use of the CPU: total_ratio, the cost of the program relative to its unchanged part, is divided out. */
static const char *load_reason(struct decision *d)
{
	static const double times = 1.5;
	double base = decision_utilisation(d, SIDE_BASE), now = decision_utilisation(d, SIDE_NEW), ratio;

	if (d->judged->has_replicates || !(base > 0 && now > 0))
		return NULL;
	ratio = now / base / (d->out->total_ratio > 0 ? d->out->total_ratio : 1);
	if (ratio < times && ratio > 1 / times)
		return NULL;
	return decision_text(d,
			     "base used %.2f CPUs and new %.2f, so one pair proves nothing: pass several profiles per "
			     "side, captured alternately under equal load",
			     base, now);
}

/* Downgrade verdicts that one pair of profiles cannot prove. */
static void downgrade_unreliable(struct gate_row *row, const char *reason)
{
	if (!reason)
		return;
	downgrade(row, reason);
	if (row->verdict == GATE_IMPROVED || row->verdict == GATE_OK)
		row->verdict = GATE_UNRESOLVED;
}

/* The last allow line that matches the row; NULL if there is none. */
static const struct gate_rule *find_allow(const struct decision *d, uint32_t row)
{
	const struct gate_rule *found = NULL;

	for (size_t i = 0; i < d->options->n_rules; i++) {
		struct gate_rule *rule = &d->options->rule[i];

		if (rule->kind != GATE_ALLOW || rule->is_expired || !gate_rule_matches(rule, d->s, d->rows, row))
			continue;
		rule->n_used++;
		found = rule;
	}
	return found;
}

/* Skip a row that would not pass and that an allow line matches. */
static void skip_allowed(struct decision *d, const struct gate_rule *rule, struct gate_row *row)
{
	if (row->verdict != GATE_FAIL && row->verdict != GATE_SUSPECT)
		return;
	assert(rule->kind == GATE_ALLOW && !rule->is_expired);
	row->reason = decision_text(d, "would be %s; allowed%s%s: %s", gate_verdict_word(row->verdict),
				    *rule->until ? " until " : "", rule->until, rule->reason);
	row->verdict = GATE_SKIPPED;
}

/* The reason why a slower function of a runtime does not fail; NULL if it may. */
static const char *runtime_reason(const struct decision *d, const struct decision_row *r)
{
	const struct gate_row *row = &r->shown;

	switch (d->options->runtime) {
	case GATE_RUNTIME_WORK:
		return !r->is_over_budget && function_is_scheduler_or_gc(row->name, row->file)
			       ? "scheduler or garbage collector, at most SUSPECT without --runtime=fail"
			       : NULL;
	case GATE_RUNTIME_WARN:
		return function_is_runtime(row->name, row->file)
			       ? "runtime function, at most SUSPECT with --runtime=warn"
			       : NULL;
	case GATE_RUNTIME_FAIL:
		break;
	}
	return NULL;
}

/* Apply --runtime, the limits of one pair of profiles, and allow lines. */
static void downgrade_rows(struct decision *d)
{
	const char *reason = decision_unreliable(d), *contention = decision_contention(d);
	const char *load = load_reason(d), *nameless = nameless_reason(d), *busy = NULL;

	if (decision_is_busy(d) && !d->judged->has_replicates)
		busy = "the machine was busy, so one pair proves nothing: pass several profiles per side";

	for (uint32_t i = 0; i < d->n_rows; i++) {
		struct decision_row *r = &d->row[i];
		const struct gate_rule *rule = r->is_hidden ? NULL : find_allow(d, r->index);

		downgrade(&r->shown, runtime_reason(d, r));
		downgrade_unreliable(&r->shown, reason);
		downgrade(&r->shown, contention);
		downgrade(&r->shown, load);
		downgrade(&r->shown, busy);
		downgrade(&r->shown, nameless);
		if (rule)
			skip_allowed(d, rule, &r->shown);
	}
}

/* Compare two numbers: the larger one first, NAN last. */
static int decision_compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static double effect(const struct gate_row *r)
{
	if (r->verdict == GATE_NEW)
		return r->share[SIDE_NEW];
	if (r->verdict == GATE_GONE)
		return r->share[SIDE_BASE];
	if (r->verdict == GATE_IMPROVED) /* sorting by ratio would favour small functions that almost vanished */
		return r->share[SIDE_BASE] - r->share[SIDE_NEW];
	return r->ratio;
}

static int row_order(const void *a, const void *b)
{
	const struct gate_row *x = a, *y = b;
	int c;

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	c = decision_compare_numbers(effect(x), effect(y));
	c = c ? c : decision_compare_numbers(x->share[SIDE_NEW], y->share[SIDE_NEW]);
	c = c ? c : strcmp(x->name, y->name);
	c = c ? c : (int)x->kind - (int)y->kind;
	c = c ? c : strcmp(x->file, y->file);
	return c ? c : (x->line > y->line) - (x->line < y->line);
}

static void decision_list_rows(struct decision *d)
{
	struct gate_row *row = arena_alloc(d->out->mem, d->n_rows, sizeof(*row));
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->n_rows; i++)
		if (!d->row[i].is_hidden)
			row[n++] = d->row[i].shown;
	qsort(row, n, sizeof(*row), row_order);
	assert(n <= d->n_rows);
	for (uint32_t i = 0; i < n; i++)
		d->out->n_verdict[row[i].verdict]++;
	d->out->row = row;
	d->out->n_rows = n;
}

/*
 * Set the effective number of samples of a side. If samples have unequal weights, it is the median over the rows of
 * count / share, since a few samples with large weights would make the count of the whole program too small.
 */
static void decision_count_samples(struct decision *d, int side)
{
	double *counts, total = d->s->total[side];
	uint32_t n = 0;

	if (fabs(d->s->var[side] - total) <= 1e-9 * total)
		return;
	counts = mem_alloc((size_t)d->n_rows + 1, sizeof(*counts));
	for (uint32_t i = 0; i < d->n_rows; i++) {
		const struct gate_row *row = &d->row[i].shown;

		if (row->kind == GATE_CUM && row->share[side] > 0)
			counts[n++] = fmin(row->count[side] / row->share[side], STATS_COUNT_MAX);
	}
	assert(n <= d->n_rows);
	d->out->side[side].samples = decision_median(counts, n, d->out->side[side].samples);
	free(counts);
}

/* Returns true if this is the row of a function, by its name or an alias. */
static bool is_row_of(const struct gate_row *row, const char *name)
{
	bool yes = row->kind == GATE_CUM && strcmp(row->name, name) == 0;

	for (uint32_t i = 0; row->kind == GATE_CUM && !yes && i < row->n_aliases; i++)
		yes = strcmp(row->alias[i], name) == 0;
	return yes;
}

/* Set the ratio of each rename from its row. */
static void set_rename_ratios(struct decision *d)
{
	struct gate *g = d->out;
	struct gate_rename *rename = arena_alloc(g->mem, g->n_renames, sizeof(*rename));

	for (uint32_t i = 0; i < g->n_renames; i++) {
		rename[i] = g->rename[i];
		for (uint32_t k = 0; k < g->n_rows; k++)
			if (is_row_of(&g->row[k], rename[i].to))
				rename[i].ratio = g->row[k].ratio;
	}
	g->rename = rename;
}

void decision_common_shares(const struct decision *d, double share[N_SIDES])
{
	for (int side = 0; side < N_SIDES; side++) {
		double sum = 0;

		for (uint32_t i = 0; i < d->s->n_funcs; i++)
			sum += d->sum[i].cum[!side] > 0 ? d->sum[i].flat[side] : 0;
		assert(sum >= 0 && d->s->total[side] > 0);
		share[side] = sum / d->s->total[side];
	}
}

/* Move a list of messages to the result. */
static const struct gate_message *move_messages(struct decision *d, int list)
{
	size_t n = d->n_messages[list];
	struct gate_message *m = arena_alloc(d->out->mem, n, sizeof(*m));

	if (n)
		memcpy(m, d->message[list], n * sizeof(*m));
	free(d->message[list]);
	return m;
}

void gate_decide(const struct gate_sums *s, const struct gate_rows *rows, const struct stats_summary *judged,
		 struct gate *out)
{
	struct decision d = { .s = s, .rows = rows, .judged = judged, .options = s->options, .out = out };

	assert(rows->n == rows->counts.n_rows && judged->row);
	out->options = s->options;
	out->type = decision_copy(&d, s->type);
	out->unit = decision_copy(&d, s->unit);
	out->period_unit = decision_copy(&d, s->period_unit);
	out->total_ratio = judged->total_ratio;
	for (int side = 0; side < N_SIDES; side++)
		describe_side(&d, side);
	decision_add_sums(&d);
	judge_rows(&d);
	decision_check_shares(&d);
	downgrade_rows(&d);
	for (int side = 0; side < N_SIDES; side++)
		decision_count_samples(&d, side);
	decision_list_rows(&d);
	set_rename_ratios(&d);
	decision_find_power(&d);
	decision_find_outcome(&d);
	decision_add_notes(&d);
	decision_add_warnings(&d);
	out->n_notes = (uint32_t)d.n_messages[DECISION_NOTE];
	out->note = move_messages(&d, DECISION_NOTE);
	out->n_warnings = (uint32_t)d.n_messages[DECISION_WARNING];
	out->warning = move_messages(&d, DECISION_WARNING);
	assert(out->status == 0 || out->status == 1 || out->status == 3);
	free(d.row);
	free(d.sum);
}

void gate_release(struct gate *g)
{
	arena_free(g->mem);
	*g = (struct gate){ 0 };
}
