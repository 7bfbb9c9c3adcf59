/*
 * gate.c - run a gate: read both sides, decide, write the result
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/pool.h"
#include "front/cli/cmd.h"
#include "front/cli/gate/gate.h"
#include "front/cli/messages.h"
#include "front/cli/report/events.h"
#include "front/cli/report/pair.h"
#include "front/cli/report/report.h"
#include "sources/stored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
	"cpa gate -base=OLD NEW; several runs of each: cpa gate -base=A1 -base=A2 B1 B2, or cpa gate A1 A2 -- B1 B2";

enum { BATCH_MAX = 8 }; /* max profiles read in parallel */

/* State of a gate. */
struct gate_run {
	const struct args *a;
	struct pair pair;
	struct remote *remote;
	struct gate_options options;
	struct gate_sum *sum;
	struct source_run *l; /* [n] the base first */
	size_t n;
	bool keep_profiles; /* retain profiles for the picture */
	bool is_decided;    /* there is a verdict, and only writing can still fail */
	struct buf notes;
};

static enum side side_of(const struct gate_run *r, size_t i)
{
	return i < r->pair.from[SIDE_BASE].n ? SIDE_BASE : SIDE_NEW;
}

static void gate_prepare(struct gate_run *r)
{
	const struct side_sources *base = &r->pair.from[SIDE_BASE], *new = &r->pair.from[SIDE_NEW];

	r->n = base->n + new->n;
	r->l = mem_zalloc(r->n, sizeof(*r->l));
	for (size_t i = 0; i < r->n; i++) {
		bool is_base = i < base->n;

		r->l[i].set = sources_set_of(&r->pair.source[is_base ? SIDE_BASE : SIDE_NEW], is_base ? i : i - base->n,
					     1, is_base ? "base" : "source", &r->a->q, r->remote);
	}
}

/* Add a loaded profile. Fails if it is missing or incompatible. Returns the exit status. */
static int gate_add_profile(struct gate_run *r, size_t i)
{
	struct source_run *l = &r->l[i];
	struct err err;

	if (!r->a->q.verbose) /* omit messages about names per file: the report warns about rows without a name */
		buf_release(&l->set.info);
	if (sources_run_report(l, &cmd_report_events, &err) < 0) {
		progress_end();
		return say_error("%s", err.msg);
	}
	if (l->set.n_failed)
		return STATUS_TROUBLE;
	if (gate_sum_add(r->sum, side_of(r, i), l->profile, *l->set.source, &r->a->q, &r->notes, &err) < 0) {
		progress_end();
		return say_error("%s", err.msg);
	}
	return STATUS_FINE;
}

static int gate_read_all(struct gate_run *r)
{
	size_t batch = pool_size() < BATCH_MAX ? pool_size() : BATCH_MAX;
	int status = STATUS_FINE;

	progress_begin("reading");
	for (size_t i = 0; status == STATUS_FINE && i < r->n; i += batch) {
		size_t n = r->n - i < batch ? r->n - i : batch;

		sources_runs_read(r->l + i, n, &cmd_report_events);
		for (size_t k = i; k < i + n && status == STATUS_FINE; k++)
			status = gate_add_profile(r, k);
		progress_count(i + n, r->n);
	}
	progress_end();
	return status;
}

/* Scale factor of the new side in the picture. It makes the unchanged part as large as in the base. */
static double picture_factor(const struct gate *g)
{
	double total = g->side[SIDE_NEW].value / g->side[SIDE_BASE].value;

	return isfinite(g->total_ratio) && g->total_ratio > 0 && total > 0 ? g->total_ratio / total : 1 / total;
}

static int gate_gate_judge(struct gate_run *r)
{
	struct gate g;
	struct err err;
	int rc, status;

	progress_begin("comparing");
	rc = gate_judge(r->sum, &g, &err);
	progress_end();
	cmd_report_say_notes(&r->notes);
	if (rc < 0)
		return say_error("%s", err.msg);
	r->is_decided = true;
	for (int side = 0; side < N_SIDES; side++)
		g.side[side].traffic = r->pair.from[side].traffic;
	status = cmd_gate_write(&g, r->a);
	if (r->keep_profiles &&
	    cmd_gate_flame(r->l, r->pair.from, picture_factor(&g), gate_outcome_word(g.outcome), r->a) != STATUS_FINE)
		status = STATUS_TROUBLE;
	if (status == STATUS_FINE)
		status = g.status;
	gate_release(&g);
	return status;
}

static int gate_run(struct gate_run *r)
{
	int status = STATUS_FINE;

	/* do this first, so that a killed gate does not leave the result of an earlier one */
	cmd_gate_write_error(r->a, r->pair.from, "the gate did not finish; it was interrupted or is still running",
			     false);
	r->remote = sources_fetch(r->pair.source, N_SIDES, &r->a->q, &cmd_report_events);
	r->sum = gate_sum_new(&r->options);
	gate_prepare(r);
	status = gate_read_all(r);
	if (status == STATUS_FINE)
		status = gate_gate_judge(r);
	for (size_t i = 0; i < r->n; i++)
		sources_run_release(&r->l[i]);
	free(r->l);
	gate_sum_free(r->sum);
	return status;
}

/* Warn about windows of different hours, when the load is another. */
static void compare_hours(const struct pair *p)
{
	if (stored_differ_in_hours(&p->source[SIDE_BASE], &p->source[SIDE_NEW]))
		say("the two sides cover different hours of the day, when the load may differ; a canary that runs "
		    "beside the old version at the same time is a better comparison");
}

/* Check the command line and find the sources. Returns the exit status. */
static int gate_check(struct gate_run *r)
{
	const struct args *a = r->a;
	int status = a->q.self_test ? STATUS_FINE : cmd_report_pair_find(a, usage, &r->pair);
	struct err err;

	if (status != STATUS_FINE)
		return status;
	if (cmd_gate_check(a, &err) < 0 || gate_options_make(&a->q, NULL, &r->options, &err) < 0)
		return say_error("%s", err.msg);
	for (int i = N_SIDES; i-- > 0;)
		if (cmd_gate_check_sources(a, r->pair.from[i].source, r->pair.from[i].n, &err) < 0)
			return say_error("%s", err.msg);
	compare_hours(&r->pair);
	return STATUS_FINE;
}

static int gate_run_args(const struct args *a)
{
	struct gate_run r = { .a = a, .keep_profiles = cmd_gate_wants_flame(a) };
	int status;

	if (a->overruled_type)
		say("Multiple value selections, ignoring -%s", a->overruled_type);
	status = gate_check(&r);
	if (status == STATUS_FINE)
		status = a->q.self_test ? cmd_gate_self_test(a) : gate_run(&r);
	if (status ==
	    STATUS_TROUBLE) /* do this even if only one output failed: all outputs must agree with the status */
		cmd_gate_write_error(a, r.pair.from, *say_last_error() ? say_last_error() : "the self-test failed",
				     !r.is_decided);
	/* make the reason visible in the log of a CI job */
	if (status == STATUS_TROUBLE && !a->q.self_test)
		fprintf(stderr, "cpa gate: ERROR  %s (exit status 2)\n",
			r.is_decided ? "an output was not written" : "nothing was decided");
	gate_options_release(&r.options);
	remote_free(r.remote);
	cmd_report_pair_release(&r.pair);
	buf_release(&r.notes);
	return status;
}

/* With --release, the base is a release of the store. */
int cmd_gate(const struct args *a)
{
	struct args with = *a;
	struct buf source = { 0 };
	const char *item[1];
	int status;

	if (!*a->q.release || a->q.self_test)
		return gate_run_args(a);
	if (a->q.base.n || a->q.diff_base.n || a->n_before_dashes)
		with.q.release = ""; /* the pair then has a base of its own */
	buf_addf(&source, "release:%s", a->q.release);
	item[0] = source.data;
	with.q.base = (struct opt_list){ .item = item, .n = 1 };
	status = *with.q.release ? gate_run_args(&with) : say_error("--release is the base; leave out -base and --");
	buf_release(&source);
	return status;
}
