/*
 * self_test.c - check with made-up profiles that the gate fails and passes when it should
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The options of the command line apply, so the test also detects options with which nothing can fail.
 */
#include "config.h"

#include "front/cli/gate/gate.h"
#include "front/cli/messages.h"
#include "profile/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS = 24, SLOW = 5, SAMPLES = 60000, PERIOD_NS = 10000000 };

static const char slow_name[] = "selftest.slow";

/* Reproducible noise: splitmix64, from Steele, Lea and Flood 2014. */
static uint64_t self_test_next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Approximately normal with deviation 1: the sum of 12 uniform numbers minus 6. */
static double noise(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(self_test_next(state) >> 11) * 0x1p-53;
	return sum;
}

static uint32_t self_test_add_function(struct builder *b, const char *name, uint32_t i)
{
	struct builder_function f = { .id = i + 1, .name = strtab_addz(builder_strings(b), name) };
	struct builder_location l = { .id = i + 1, .addr = 0x1000 + i, .map = PROFILE_NONE };
	struct builder_line line = { .no = 1 };
	uint32_t loc = 0;

	f.sysname = f.name;
	f.file = strtab_addz(builder_strings(b), "selftest.go");
	builder_function(b, &f, &line.func, NULL);
	builder_location(b, &l, &line, 1, &loc, NULL);
	return loc;
}

/* A profile of functions called by main; the slow function costs ratio times as much as usual. */
static struct profile *self_test_make_profile(double ratio, uint64_t seed)
{
	struct builder *b = builder_new();
	struct strtab *str = builder_strings(b);
	struct profile_meta *meta = builder_meta(b);
	struct profile *p;
	uint32_t root;
	double sum = 0;

	builder_type(b, strtab_addz(str, "samples"), strtab_addz(str, "count"));
	builder_type(b, strtab_addz(str, "cpu"), strtab_addz(str, "nanoseconds"));
	meta->period_type = (struct value_type){ strtab_addz(str, "cpu"), strtab_addz(str, "nanoseconds") };
	meta->has_period_type = true;
	meta->period = PERIOD_NS;
	meta->duration_ns = (int64_t)SAMPLES * PERIOD_NS;
	root = self_test_add_function(b, "main", FUNCTIONS);
	for (int i = 0; i < FUNCTIONS; i++)
		sum += 1.0 / (i + 3);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		double mean = SAMPLES / (i + 3.0) / sum * (i == SLOW ? ratio : 1);
		int64_t count = llround(fmax(1, mean + sqrt(mean) * noise(&seed)));
		char name[32];
		uint32_t stack[2] = { 0, root };

		snprintf(name, sizeof(name), "selftest.f%u", i);
		stack[0] = self_test_add_function(b, i == SLOW ? slow_name : name, i);
		builder_sample(b, (const int64_t[]){ count, count * PERIOD_NS }, stack, 2, NULL, 0, NULL);
	}
	p = builder_seal(b);
	builder_free(b);
	return p;
}

static int self_test_judge(const struct gate_options *options, const struct query *q, double ratio, struct gate *out,
			   struct err *err)
{
	struct profile *side[N_SIDES] = {
		[SIDE_BASE] = self_test_make_profile(1, 1), [SIDE_NEW] = self_test_make_profile(ratio, 2)
	};
	struct gate_sum *sum = gate_sum_new(options);
	struct buf notes = { 0 };
	int rc = 0;

	for (enum side s = 0; rc == 0 && s < N_SIDES; s++)
		rc = gate_sum_add(sum, s, side[s], s == SIDE_BASE ? "made-up base" : "made-up new", q, &notes, err);
	if (rc == 0)
		rc = gate_judge(sum, out, err);
	buf_release(&notes);
	gate_sum_free(sum);
	profile_free(side[SIDE_BASE]);
	profile_free(side[SIDE_NEW]);
	return rc;
}

/* Returns true if the outcome is as expected. */
static bool try_case(const struct args *a, const struct gate_options *options, double ratio)
{
	enum gate_outcome expected = ratio > 1 ? GATE_FAILED : GATE_PASS;
	bool is_right = false;
	struct err err;
	struct gate g;

	if (self_test_judge(options, &a->q, ratio, &g, &err) < 0) {
		printf("  must %s: %s\n", expected == GATE_FAILED ? "FAIL" : "PASS", err.msg);
		return false;
	}
	is_right = g.outcome == expected;
	if (expected == GATE_FAILED)
		is_right &= g.n_verdict[GATE_FAIL] == 1 && g.n_rows > 0 && strcmp(g.row[0].name, slow_name) == 0;
	printf("  must %s: %s", expected == GATE_FAILED ? "FAIL" : "PASS", gate_outcome_word(g.outcome));
	for (uint32_t i = 0; i < g.n_rows && g.row[i].verdict == GATE_FAIL; i++)
		printf("%s %s %+.1f%%", i ? "," : "  ", g.row[i].name, 100 * (g.row[i].ratio - 1));
	puts(is_right ? "" : "   WRONG");
	gate_release(&g);
	return is_right;
}

int cmd_gate_self_test(const struct args *a)
{
	struct gate_options options;
	struct err err;
	double ratio;
	bool ok;

	if (a->n_words)
		return say_error("--self-test takes no profiles");
	if (gate_options_make(&a->q, NULL, &options, &err) < 0) {
		gate_options_release(&options);
		return say_error("%s", err.msg);
	}
	options.n_rules = 0;     /* rules refer to functions of the user's program */
	options.has_need = true; /* --need refers to the user's profiles; require no power here */
	options.need_ratio = INFINITY;
	options.work[SIDE_BASE] = options.work[SIDE_NEW] = options.normalize == GATE_WORK ? 1 : 0;
	ratio = 1.5 * (1 + options.threshold);
	printf("cpa gate: self-test with %d samples per side: first, a function with 7%% of them becomes %.2f times as "
	       "slow; then, nothing changes\n",
	       SAMPLES, ratio);
	ok = try_case(a, &options, ratio);
	ok = try_case(a, &options, 1) && ok;
	puts(ok ? "cpa gate: self-test PASSED"
		: "cpa gate: self-test FAILED: the gate does not work with these options");
	gate_options_release(&options);
	return ok ? STATUS_FINE : STATUS_TROUBLE;
}
