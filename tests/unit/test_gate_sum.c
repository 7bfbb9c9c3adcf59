/*
 * test_gate_sum.c - sums of the profiles of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/pool.h"
#include "engine/graph.h"
#include "engine/query.h"
#include "report/gate/gate_int.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

/* A gate that folds functions whose names begin with "preempt". */
struct gate_fixture {
	struct gate_options options;
	struct gate_sum *sum;
	struct query q;
	struct buf notes;
	struct err err;
	struct profile *p[16]; /* profiles that must outlive the sums */
	size_t n;
};

#define CPU "samples/count cpu/nanoseconds"

static int start(void **state)
{
	struct gate_fixture *g = calloc(1, sizeof(*g));

	query_init(&g->q);
	if (regex_new("^preempt", &g->options.fold, &g->err) < 0)
		return -1;
	g->sum = gate_sum_new(&g->options);
	*state = g;
	return 0;
}

static int end(void **state)
{
	struct gate_fixture *g = *state;

	gate_sum_free(g->sum);
	for (size_t i = 0; i < g->n; i++)
		profile_free(g->p[i]);
	regex_free(g->options.fold);
	buf_release(&g->notes);
	query_release(&g->q);
	free(g);
	return 0;
}

static void set_period(struct make *m, const char *type, const char *unit, int64_t period)
{
	struct profile_meta *meta = builder_meta(m->b);

	meta->has_period_type = true;
	meta->period_type.name = make_text(m, type, strlen(type));
	meta->period_type.unit = make_text(m, unit, strlen(unit));
	meta->period = period;
}

static int add(struct gate_fixture *g, enum side side, struct make *m)
{
	struct profile *p = make_end(m);

	assert_true(g->n < sizeof(g->p) / sizeof(*g->p));
	g->p[g->n++] = p;
	return gate_sum_add(g->sum, side, p, "x.pb.gz", &g->q, &g->notes, &g->err);
}

static void must_add(struct gate_fixture *g, enum side side, struct make *m)
{
	if (add(g, side, m) < 0)
		fail_msg("%s", g->err.msg);
}

/* Add a profile with one row and counts only. */
static void must_add_row(struct gate_fixture *g, enum side side, const char *stack, int64_t count)
{
	struct make m = make_start("samples/count");

	make_row(&m, stack, &count, NULL, 0);
	must_add(g, side, &m);
}

static const struct gate_func *func_named(const struct gate_sums *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_funcs; i++)
		if (strcmp(s->func[i].name, name) == 0)
			return &s->func[i];
	fail_msg("no function is named %s", name);
	return NULL;
}

static void expect_func(const struct gate_sums *s, const char *name, enum side side, double flat, double cum)
{
	const struct gate_func *f = func_named(s, name);

	if (f->flat[side] != flat || f->cum[side] != cum)
		fail_msg("%s has %g and %g", name, f->flat[side], f->cum[side]);
}

/* Value of a side in stacks "leaf;...;root". */
static double stacks_value(const struct gate_sums *s, enum side side, const char *words)
{
	struct gate_frames frames = { .cap = 0 };
	double sum = 0;

	for (uint32_t file = 0; file < s->n_stacks; file++)
		for (uint32_t i = 0; s->stacks[file].side == side && i < s->stacks[file].stacks.n; i++) {
			struct buf text = { 0 };

			gate_frames_find(&s->stacks[file], s->folds, i, &frames);
			for (const uint32_t *func = frames.func; func < frames.end; func++)
				buf_addf(&text, "%s%s", text.len ? ";" : "", s->func[*func].name);
			sum += strcmp(buf_text(&text), words) == 0 ? s->stacks[file].value[i] : 0;
			buf_release(&text);
		}
	free(frames.word);
	return sum;
}

static void expect_stacks(const struct gate_sums *s, const char *words, double base, double new)
{
	assert_float_equal(stacks_value(s, SIDE_BASE, words), base, 0);
	assert_float_equal(stacks_value(s, SIDE_NEW, words), new, 0);
}

static void a_function_counts_once_per_stack_and_inlined_lines_are_frames(void **state)
{
	struct gate_fixture *g = *state;
	struct make m = make_start("samples/count");
	const struct gate_sums *s;

	ROW(&m, "0x1=in+mid;0x2=f;0x3=f;0x4=main", 3);
	ROW(&m, "0x2=f;0x4=main", 4);
	ROW(&m, "0x5=f;0x4=main", 1);
	must_add(g, SIDE_BASE, &m);
	s = gate_sum_finish(g->sum);
	expect_stacks(s, "in;mid;f;f;main", 3, 0);
	expect_stacks(s, "f;main", 5, 0);
	expect_func(s, "in", SIDE_BASE, 3, 3);
	expect_func(s, "mid", SIDE_BASE, 0, 3);
	expect_func(s, "f", SIDE_BASE, 5, 8);
	expect_func(s, "main", SIDE_BASE, 0, 8);
	assert_float_equal(s->total[SIDE_BASE], 8, 0);
	assert_float_equal(s->var[SIDE_BASE], 8, 0);
	assert_float_equal(func_named(s, "f")->cum_var[SIDE_BASE], 8, 0);
	assert_string_equal(s->type, "samples");
	assert_int_equal(s->error, GATE_POISSON);
}

static void preempted_samples_are_charged_to_the_caller(void **state)
{
	struct gate_fixture *g = *state;
	struct make m = make_start("samples/count");
	const struct gate_sums *s;

	ROW(&m, "preempt2;0x2=preempt+f;main", 3);
	ROW(&m, "f;main", 4);
	ROW(&m, "f;preempt;main", 2);
	ROW(&m, "preempt;preempt2", 1);
	must_add(g, SIDE_NEW, &m);
	s = gate_sum_finish(g->sum);
	expect_stacks(s, "f;main", 0, 7);
	expect_stacks(s, "f;preempt;main", 0, 2); /* folded */
	expect_stacks(s, "preempt", 0, 1);        /* the stack has no other function */
	expect_func(s, "f", SIDE_NEW, 9, 9);
	expect_func(s, "preempt", SIDE_NEW, 1, 3);
	expect_func(s, "preempt2", SIDE_NEW, 0, 0);
	assert_float_equal(s->file[0].preempted, 4, 0);
	assert_float_equal(s->file[0].value, 10, 0);
}

static void both_sides_share_functions(void **state)
{
	struct gate_fixture *g = *state;
	const struct gate_sums *s;

	must_add_row(g, SIDE_BASE, "main.f.func1@/a/m.go;main.main@/a/m.go", 3);
	must_add_row(g, SIDE_NEW, "main.f.func2.1@/b/m.go;main.main@/b/m.go", 4);
	must_add_row(g, SIDE_NEW, "main.main@/b/m.go", 5);
	s = gate_sum_finish(g->sum);
	assert_int_equal(s->n_funcs, 2);
	expect_stacks(s, "main.f.func;main.main", 3, 4);
	expect_stacks(s, "main.main", 0, 5);
	expect_func(s, "main.main", SIDE_NEW, 5, 9);
	assert_int_equal(s->n_files, 3);
	assert_int_equal(s->file[1].n_parts, 2);
	assert_int_equal(s->file[2].n_parts, 1);
	assert_float_equal(s->file[2].part[0].cum, 5, 0);
	assert_string_equal(s->func[s->file[2].part[0].func].name, "main.main");
	assert_int_equal(func_named(s, "main.main")->canonical, func_named(s, "main.main") - s->func);
}

static void exact_names_are_not_stripped(void **state)
{
	struct gate_fixture *g = *state;

	g->options.exact_names = true;
	must_add_row(g, SIDE_BASE, "f.part.0", 3);
	must_add_row(g, SIDE_NEW, "f.part.1", 4);
	assert_int_equal(gate_sum_finish(g->sum)->n_funcs, 2);
}

static void rename_applies_to_functions_of_the_base(void **state)
{
	struct gate_fixture *g = *state;
	struct gate_rule rule = { .kind = GATE_RENAME, .pattern = "old(.)", .to = "new$1" };
	const struct gate_sums *s;

	assert_int_equal(regex_new(rule.pattern, &rule.regex, &g->err), 0);
	g->options.rule = &rule;
	g->options.n_rules = 1;
	must_add_row(g, SIDE_BASE, "oldA;main", 3);
	must_add_row(g, SIDE_NEW, "newA;main", 4);
	must_add_row(g, SIDE_NEW, "oldA;main", 5);
	s = gate_sum_finish(g->sum);
	assert_float_equal(func_named(s, "newA")->cum[SIDE_BASE], 3, 0);
	assert_float_equal(func_named(s, "newA")->cum[SIDE_NEW], 4, 0);
	assert_float_equal(func_named(s, "oldA")->cum[SIDE_NEW], 5, 0);
	rule.to = "new$2";
	{
		struct make m = make_start("samples/count");

		ROW(&m, "oldB", 1);
		assert_int_equal(add(g, SIDE_BASE, &m), ERR_USAGE);
	}
	regex_free(rule.regex);
	g->options.n_rules = 0;
}

static void the_line_of_a_function_comes_from_the_new_side(void **state)
{
	struct gate_fixture *g = *state;
	const struct gate_sums *s;

	must_add_row(g, SIDE_BASE, "f@m.go:6^5", 3);
	must_add_row(g, SIDE_NEW, "f@m.go:15^14;0x1=in@m.go:4^3+main@m.go:9^7", 3);
	must_add_row(g, SIDE_BASE, "f@m.go:11^10;gone@m.go:30^20;main@m.go:9^2;main@m.go:9^1", 3);
	s = gate_sum_finish(g->sum);
	assert_int_equal(func_named(s, "f")->line, 14);
	assert_int_equal(func_named(s, "in")->line, 3);
	assert_int_equal(func_named(s, "main")->line, 7);
	assert_int_equal(func_named(s, "gone")->line, 20);
	assert_string_equal(func_named(s, "f")->file, "m.go");
}

static void add_cpu(struct gate_fixture *g, enum side side, const char *unit, int64_t period, int64_t ns, int64_t count)
{
	struct make m = make_start(CPU);

	set_period(&m, "cpu", unit, period);
	ROW(&m, "f", count, count * ns);
	must_add(g, side, &m);
}

static void samples_with_another_period_are_scaled_to_the_first_period(void **state)
{
	struct gate_fixture *g = *state;
	const struct gate_sums *s;

	add_cpu(g, SIDE_BASE, "nanoseconds", 4000000, 4000000, 100);
	add_cpu(g, SIDE_NEW, "milliseconds", 10, 10000000, 40);
	s = gate_sum_finish(g->sum);
	assert_float_equal(s->total[SIDE_NEW], 100, 0);
	assert_float_equal(s->var[SIDE_NEW], 250, 0); /* as for 40 samples: 100 * 100 / 250 */
	expect_func(s, "f", SIDE_NEW, 100, 100);
	assert_float_equal(func_named(s, "f")->flat_var[SIDE_NEW], 250, 0);
	assert_float_equal(s->file[0].cpu_seconds, 0.4, 1e-12);
	assert_float_equal(s->file[1].cpu_seconds, 0.4, 1e-12);
	assert_int_equal(s->file[1].period, 10000000);
	assert_string_equal(s->period_unit, "nanoseconds");
}

static void times_count_their_periods(void **state)
{
	struct gate_fixture *g = *state;
	const struct gate_sums *s;

	g->q.sample_index = "cpu";
	add_cpu(g, SIDE_BASE, "nanoseconds", 4000000, 4000000, 100);
	add_cpu(g, SIDE_NEW, "nanoseconds", 10000000, 10000000, 40);
	s = gate_sum_finish(g->sum);
	assert_string_equal(s->type, "cpu");
	assert_float_equal(s->total[SIDE_NEW], 4e8, 0);
	assert_float_equal(s->total[SIDE_BASE] * s->total[SIDE_BASE] / s->var[SIDE_BASE], 100, 1e-9);
	assert_float_equal(s->total[SIDE_NEW] * s->total[SIDE_NEW] / s->var[SIDE_NEW], 40, 1e-9);
}

static void sizes_in_another_unit_are_scaled_to_bytes(void **state)
{
	struct gate_fixture *g = *state;
	const struct gate_sums *s;

	for (int side = 0; side < N_SIDES; side++) {
		struct make m = make_start(side ? "objects/count space/kB" : "objects/count space/bytes");

		set_period(&m, "space", "bytes", 512);
		ROW(&m, "f;main", 8, side ? 4 : 4096);
		ROW(&m, "g;main", 1, side ? 512 : 524288);
		must_add(g, (enum side)side, &m);
	}
	s = gate_sum_finish(g->sum);
	assert_int_equal(s->error, GATE_HEAP);
	assert_float_equal(s->total[SIDE_NEW], 528384, 0);
	assert_float_equal(s->var[SIDE_BASE], 4096 * 512 / 1.718281828459045, 1e-3);
	assert_float_equal(s->var[SIDE_NEW], s->var[SIDE_BASE], 1e-3);
	assert_float_equal(func_named(s, "main")->cum_var[SIDE_NEW], s->var[SIDE_NEW], 1e-3);
	assert_float_equal(func_named(s, "f")->flat_var[SIDE_NEW], s->var[SIDE_NEW], 1e-3);
	assert_float_equal(s->stacks[1].var[0], s->var[SIDE_NEW], 1e-3);
	assert_float_equal(s->stacks[1].var[1], 0, 1e-3); /* so large that it is always sampled */
}

static void one_note_says_that_records_count_as_samples(void **state)
{
	struct gate_fixture *g = *state;

	for (int i = 0; i < 3; i++) {
		struct make m = make_start("cpu/nanoseconds");

		ROW(&m, "f", 7);
		ROW(&m, "f", 9);
		must_add(g, i ? SIDE_NEW : SIDE_BASE, &m);
	}
	assert_string_equal(buf_text(&g->notes), "values of cpu are not multiples of one another: "
						 "each record counts as one sample\n");
	assert_float_equal(gate_sum_finish(g->sum)->var[SIDE_NEW], 2 * (49 + 81), 0);
	assert_null(gate_sum_finish(g->sum)->weights_unknown);
}

/* Add a profile of CPU time by cpa, period 10 ms, with two rows: f with these stacks and periods, g with one of
   each. */
static void add_cpa(struct gate_fixture *g, enum side side, const char *comment, int64_t stacks, int64_t periods)
{
	struct make m = make_start("samples/count cpu/nanoseconds");

	set_period(&m, "cpu", "nanoseconds", 10000000);
	builder_comment(m.b, make_text(&m, comment, strlen(comment)));
	ROW(&m, "f;main", stacks, periods * 10000000);
	ROW(&m, "g;main", 1, 10000000);
	ROW(&m, "[cpa: not sampled]", 0, 50000000);
	must_add(g, side, &m);
}

static void weighted_samples_count_as_stacks(void **state)
{
	struct gate_fixture *g = *state;
	const struct gate_sums *s;
	double worth;

	add_cpa(g, SIDE_BASE,
		"100 Hz asked, 25.0 stacks per second of CPU time; samples are stacks, nanoseconds are CPU time", 10,
		40);
	s = gate_sum_finish(g->sum);
	assert_string_equal(s->type, "samples");
	assert_float_equal(s->total[SIDE_BASE], 11, 1e-9);
	assert_float_equal(func_named(s, "f")->cum[SIDE_BASE], 10, 1e-9);
	assert_float_equal(func_named(s, "f")->cum_var[SIDE_BASE], 10, 1e-9);
	assert_float_equal(func_named(s, "g")->cum_var[SIDE_BASE], 1, 1e-9);
	add_cpa(g, SIDE_NEW,
		"100 Hz asked, 25.0 stacks per second of CPU time; samples weigh by the periods they stand for", 40,
		40);
	s = gate_sum_finish(g->sum);
	worth = 41. / 11; /* mean number of periods per sample of the base */
	assert_float_equal(func_named(s, "f")->cum[SIDE_NEW], 40 / worth, 1e-9);
	assert_float_equal(func_named(s, "f")->cum_var[SIDE_NEW], 40 * 7 / worth / worth, 1e-9);
	assert_null(s->weights_unknown);
}

static void weights_of_an_unknown_number_of_stacks_are_noted(void **state)
{
	struct gate_fixture *g = *state;
	struct make m = make_start("cpu/nanoseconds");

	ROW(&m, "f", 7);
	ROW(&m, "g", 9);
	must_add(g, SIDE_BASE, &m);
	assert_string_equal(gate_sum_finish(g->sum)->weights_unknown,
			    "the number of stacks is unknown: values of cpu are not multiples of one another "
			    "(x.pb.gz); the result cannot be PASS");
	assert_int_equal(g->notes.len, 0);
}

/* Expect that a profile is refused next to a CPU profile as base. */
static void expect_refused(struct gate_fixture *g, enum side side, struct make *m, int code, const char *sentence)
{
	size_t before = gate_sum_finish(g->sum)->n_files;

	assert_int_equal(add(g, side, m), code);
	assert_string_equal(g->err.msg, sentence);
	assert_int_equal(gate_sum_finish(g->sum)->n_files, before);
}

static void profiles_with_other_types_are_refused_with_both_lists(void **state)
{
	struct gate_fixture *g = *state;
	struct make m;

	add_cpu(g, SIDE_BASE, "nanoseconds", 10000000, 10000000, 5);
	m = make_start("alloc_space/bytes");
	ROW(&m, "f", 1);
	expect_refused(g, SIDE_NEW, &m, ERR_FORMAT,
		       "new: x.pb.gz has no sample type samples/count; the base has samples/count, cpu/nanoseconds");
	m = make_start("samples/bytes cpu/nanoseconds");
	ROW(&m, "f", 1, 1);
	expect_refused(g, SIDE_BASE, &m, ERR_FORMAT,
		       "base: x.pb.gz has no sample type samples/count; the first profile has samples/count, "
		       "cpu/nanoseconds");
	m = make_start("samples/count wall/nanoseconds");
	ROW(&m, "f", 1, 1);
	expect_refused(g, SIDE_NEW, &m, ERR_FORMAT,
		       "new: x.pb.gz has the sample types samples/count, wall/nanoseconds; the base has samples/count, "
		       "cpu/nanoseconds");
	m = make_start("samples/count");
	ROW(&m, "f", 1);
	expect_refused(g, SIDE_NEW, &m, ERR_FORMAT,
		       "new: x.pb.gz has the sample types samples/count; the base has samples/count, cpu/nanoseconds");
	m = make_start(CPU);
	set_period(&m, "wall", "nanoseconds", 10);
	ROW(&m, "f", 1, 1);
	expect_refused(g, SIDE_NEW, &m, ERR_FORMAT,
		       "new: x.pb.gz was sampled by wall/nanoseconds; the base by cpu/nanoseconds");
	m = make_start("cpu/milliseconds samples/count"); /* types in another order and without a period are accepted */
	ROW(&m, "f", 10, 1);
	assert_int_equal(add(g, SIDE_NEW, &m), 0);
}

static void empty_profiles_are_refused(void **state)
{
	struct gate_fixture *g = *state;
	struct make m = make_start(CPU);

	expect_refused(g, SIDE_BASE, &m, ERR_FORMAT, "base: x.pb.gz has no samples");
	m = make_start(CPU);
	ROW(&m, "f", 0, 1);
	expect_refused(g, SIDE_BASE, &m, ERR_FORMAT, "base: x.pb.gz has no sample with a value of samples");
	m = make_start(CPU);
	ROW(&m, "", 3, 1);
	expect_refused(g, SIDE_BASE, &m, ERR_FORMAT, "base: x.pb.gz has no sample with a stack");
	m = make_start(CPU);
	ROW(&m, "f", 3, 1);
	g->q.focus = "nothing";
	expect_refused(g, SIDE_BASE, &m, ERR_FORMAT, "base: x.pb.gz has no sample that passes the filters");
}

static void differences_and_means_are_refused(void **state)
{
	struct gate_fixture *g = *state;
	struct make m = make_start(CPU);

	ROW(&m, "f", 3, 1);
	ROW(&m, "f;g", -2, 1);
	expect_refused(g, SIDE_NEW, &m, ERR_FORMAT,
		       "new: x.pb.gz has a negative value (-2 samples in sample 2): a difference of profiles cannot be "
		       "compared, pass both of them");
	m = make_start(CPU);
	ROW(&m, "f", 3, 1);
	g->q.mean = true;
	expect_refused(g, SIDE_NEW, &m, ERR_USAGE, "new: x.pb.gz cannot be compared with -mean");
}

static void a_type_missing_in_the_first_profile_is_refused(void **state)
{
	struct gate_fixture *g = *state;
	struct make m = make_start(CPU);

	g->q.sample_index = "heat";
	ROW(&m, "f", 3, 1);
	expect_refused(g, SIDE_NEW, &m, ERR_USAGE, "new: x.pb.gz: sample_index \"heat\" must be one of: [samples cpu]");
}

static void sums_beyond_64_bits_are_refused(void **state)
{
	struct gate_fixture *g = *state;
	struct make m = make_start(CPU);

	ROW(&m, "f", INT64_MAX, 1);
	ROW(&m, "g", INT64_MAX, 1);
	assert_int_equal(add(g, SIDE_BASE, &m), ERR_RANGE);
}

static void the_sums_contain_the_metadata_of_each_file(void **state)
{
	struct gate_fixture *g = *state;
	struct make m = make_start(CPU);
	const struct gate_file *f;

	make_map(&m, "/bin/shop");
	builder_meta(m.b)->duration_ns = 2500000000;
	builder_meta(m.b)->time_ns = 77;
	ROW(&m, "f", 3, 1);
	must_add(g, SIDE_NEW, &m);
	f = &gate_sum_finish(g->sum)->file[0];
	assert_int_equal(f->side, SIDE_NEW);
	assert_string_equal(f->source, "x.pb.gz");
	assert_string_equal(f->binary, "shop");
	assert_string_equal(f->build_id, "");
	assert_string_equal(f->host, "");
	assert_float_equal(f->seconds, 2.5, 0);
	assert_int_equal(f->time_ns, 77);
}

static void adding_fails_when_the_stop_flag_is_set(void **state)
{
	struct gate_fixture *g = *state;
	struct make m = make_start(CPU);
	struct stop stop = { 0 };

	ROW(&m, "f", 3, 1);
	g->q.stop = &stop;
	stop_set(&stop);
	assert_int_equal(add(g, SIDE_NEW, &m), ERR_STOPPED);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* A profile with enough frames for several parts. */
static struct profile *large_profile(void)
{
	struct make m = make_start("objects/count space/bytes");
	uint32_t seed = 1, loc[40];

	set_period(&m, "space", "bytes", 4096);
	for (uint32_t i = 0; i < 500; i++) {
		char words[64];

		snprintf(words, sizeof(words), "0x%x=in%u+f%u", i + 1, (unsigned)i % 70, (unsigned)i % 300);
		make_location(&m, words, strlen(words));
	}
	for (uint32_t i = 0; i < 70000; i++) {
		uint32_t depth = 20 + next_random(&seed) % 20;
		int64_t value[2] = { 1 + next_random(&seed) % 9, 1 + next_random(&seed) % 100000 };

		for (uint32_t k = 0; k < depth; k++)
			loc[k] = i % 7 == 0 && k < 39 ? k % 20 : next_random(&seed) % 500;
		if (i % 7 == 0)
			depth = 20;
		builder_sample(m.b, value, loc, depth, NULL, 0, NULL);
	}
	return make_end(&m);
}

/* Compare flat and cum of functions with those of a graph. */
static void expect_graph(const struct gate_sums *s, const struct profile *p, const struct query *q)
{
	struct arena *mem = arena_new();
	struct places pl;
	struct graph graph;
	struct view v;
	struct err err;

	assert_int_equal(view_make(p, &q->filter, mem, &v, NULL, &err), 0);
	assert_int_equal(places_make(p, &q->filter, mem, &pl, &err), 0);
	graph_make(&v, &pl, mem, &graph);
	assert_int_equal(pl.n, s->n_funcs);
	for (uint32_t i = 0; i < pl.n; i++) {
		const struct gate_func *f = func_named(s, profile_text(p, pl.place[i].name));

		assert_float_equal(f->flat[SIDE_BASE], (double)nodes_flat(&graph.nodes, i), 0);
		assert_float_equal(f->cum[SIDE_BASE], (double)nodes_cum(&graph.nodes, i), 0);
	}
	places_release(&pl);
	arena_free(mem);
}

static void sums_equal_those_of_top_with_any_number_of_threads(void **state)
{
	struct gate_fixture *g = *state;
	struct profile *p = large_profile();
	struct gate_sum *one = gate_sum_new(&g->options);
	const struct gate_sums *s, *t;

	if (gate_sum_add(g->sum, SIDE_BASE, p, "p", &g->q, &g->notes, &g->err) < 0)
		fail_msg("%s", g->err.msg);
	s = gate_sum_finish(g->sum);
	expect_graph(s, p, &g->q);
	pool_set_size(1);
	assert_int_equal(gate_sum_add(one, SIDE_BASE, p, "p", &g->q, &g->notes, &g->err), 0);
	pool_set_size(0);
	t = gate_sum_finish(one);
	assert_int_equal(t->stacks[0].stacks.n, s->stacks[0].stacks.n);
	assert_memory_equal(t->stacks[0].var, s->stacks[0].var, s->stacks[0].stacks.n * sizeof(double));
	for (uint32_t i = 0; i < s->n_funcs; i++)
		assert_memory_equal(t->func[i].cum_var, s->func[i].cum_var, sizeof(s->func[i].cum_var));
	gate_sum_free(one);
	g->p[g->n++] = p;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_function_counts_once_per_stack_and_inlined_lines_are_frames),
		TEST(preempted_samples_are_charged_to_the_caller),
		TEST(both_sides_share_functions),
		TEST(exact_names_are_not_stripped),
		TEST(rename_applies_to_functions_of_the_base),
		TEST(the_line_of_a_function_comes_from_the_new_side),
		TEST(samples_with_another_period_are_scaled_to_the_first_period),
		TEST(times_count_their_periods),
		TEST(sizes_in_another_unit_are_scaled_to_bytes),
		TEST(one_note_says_that_records_count_as_samples),
		TEST(weighted_samples_count_as_stacks),
		TEST(weights_of_an_unknown_number_of_stacks_are_noted),
		TEST(profiles_with_other_types_are_refused_with_both_lists),
		TEST(empty_profiles_are_refused),
		TEST(differences_and_means_are_refused),
		TEST(a_type_missing_in_the_first_profile_is_refused),
		TEST(sums_beyond_64_bits_are_refused),
		TEST(the_sums_contain_the_metadata_of_each_file),
		TEST(adding_fails_when_the_stop_flag_is_set),
		TEST(sums_equal_those_of_top_with_any_number_of_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
