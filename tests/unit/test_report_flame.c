/*
 * test_report_flame.c - the report flame: boxes with values and names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "report/flame.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"
#include "tests/unit/make_labels.h"

/* A profile, a query and the report. */
struct flame_fixture {
	struct profile *p;
	struct query q;
	struct arena *mem;
	struct view v;
	struct flame_options options;
	struct report r;
	const struct flame *f;
};

static void flame_start(struct flame_fixture *x, struct make *m)
{
	*x = (struct flame_fixture){ .p = make_end(m), .mem = arena_new(), .options.max_levels = 100 };
	query_init(&x->q);
}

/* Make the report of x->q, releasing the previous one. */
static void flame(struct flame_fixture *x)
{
	struct query q = x->q;
	struct buf notes = { 0 };
	struct err err;

	report_release(&x->r);
	query_apply_defaults(&q, &(struct query_defaults){ .trims_by_width = true });
	if (view_make(x->p, &q.filter, x->mem, &x->v, &notes, &err) < 0 ||
	    report_flame_make(&x->v, &q, &x->options, &x->r, &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(&notes);
	x->f = x->r.flame;
}

static void flame_release(struct flame_fixture *x)
{
	report_release(&x->r);
	arena_free(x->mem);
	profile_free(x->p);
}

static const struct flame_frame *frame_named(const struct flame_fixture *x, const char *name)
{
	for (uint32_t i = 0; i < x->f->n_frames; i++)
		if (strcmp(x->f->frames[i].name, name) == 0)
			return &x->f->frames[i];
	fail_msg("no frame %s", name);
	return NULL;
}

static void expect_frame(const struct flame_fixture *x, const char *name, const char *file, const char *module,
			 int64_t lo, int64_t hi)
{
	const struct flame_frame *f = frame_named(x, name);

	assert_string_equal(f->file, file);
	assert_string_equal(f->module, module);
	assert_int_equal(f->line_lo, lo);
	assert_int_equal(f->line_hi, hi);
}

/* The box of this frame below a parent. */
static uint32_t box_below(const struct flame_fixture *x, uint32_t parent, const char *name)
{
	uint32_t frame = (uint32_t)(frame_named(x, name) - x->f->frames);

	for (uint32_t i = 0; i < x->f->n; i++)
		if (x->f->parent[i] == parent && x->f->frame[i] == frame)
			return i;
	fail_msg("no box %s", name);
	return FLAME_NONE;
}

static bool has_frame(const struct flame_fixture *x, const char *name)
{
	for (uint32_t i = 0; i < x->f->n_frames; i++)
		if (strcmp(x->f->frames[i].name, name) == 0)
			return true;
	return false;
}

static struct make make_program(void)
{
	struct make m = make_start("samples/count");

	make_map(&m, "/bin/app");
	ROW(&m, "inner@in.c:7+outer@out.c:20;main@./src/../app.c:5", 10);
	ROW(&m, "inner@in.c:3+outer@out.c:21;main@./src/../app.c:9", 20);
	make_map(&m, "/lib/libx.so");
	ROW(&m, "0x40=;work@work.c;main@./src/../app.c:5", 30);
	return m;
}

static void frames_have_file_binary_and_lines_of_functions(void **state)
{
	struct make m = make_program();
	struct flame_fixture x;

	(void)state;
	flame_start(&x, &m);
	flame(&x);
	expect_frame(&x, "main", "app.c", "/bin/app", 5, 9);
	expect_frame(&x, "outer", "out.c", "/bin/app", 20, 21);
	expect_frame(&x, "inner", "in.c", "/bin/app", 3, 7);
	expect_frame(&x, "work", "work.c", "/lib/libx.so", 0, 0);
	expect_frame(&x, "[libx.so]", "", "/lib/libx.so", 0, 0);
	assert_int_equal(x.f->n_frames, 5);
	assert_int_equal(x.f->frame[0], FLAME_NONE);
	assert_true(x.f->inlined[box_below(&x, box_below(&x, box_below(&x, 0, "main"), "outer"), "inner")]);
	flame_release(&x);
}

static void frames_match_the_rows_of_top_at_other_granularities(void **state)
{
	struct make m = make_program();
	struct flame_fixture x;

	(void)state;
	flame_start(&x, &m);
	x.q.granularity = GRAIN_LINES;
	flame(&x);
	expect_frame(&x, "main app.c:5", "app.c", "/bin/app", 5, 5);
	expect_frame(&x, "main app.c:9", "app.c", "/bin/app", 9, 9);
	expect_frame(&x, "inner in.c:3", "in.c", "/bin/app", 3, 3);
	x.q.granularity = GRAIN_FILES;
	flame(&x);
	expect_frame(&x, "app.c", "app.c", "/bin/app", 5, 9);
	x.q.granularity = GRAIN_FILEFUNCTIONS;
	flame(&x);
	expect_frame(&x, "outer out.c", "out.c", "/bin/app", 20, 21);
	x.q.granularity = GRAIN_ADDRESSES;
	flame(&x);
	expect_frame(&x, "0000000000000040 [libx.so]", "", "/lib/libx.so", 0, 0);
	expect_frame(&x, "outer out.c:21", "out.c", "/bin/app", 21, 21);
	flame_release(&x);
}

static void without_inlines_lines_are_those_of_the_outermost_call(void **state)
{
	struct make m = make_program();
	struct flame_fixture x;

	(void)state;
	flame_start(&x, &m);
	x.q.noinlines = true;
	flame(&x);
	assert_false(has_frame(&x, "inner"));
	expect_frame(&x, "outer", "out.c", "/bin/app", 20, 21);
	flame_release(&x);
}

static void lines_of_another_function_with_the_same_name_are_ignored(void **state)
{
	struct make m = make_start("samples/count");
	struct flame_fixture x;

	(void)state;
	ROW(&m, "init@a.c:5", 1);
	ROW(&m, "init@b.c:500", 1);
	ROW(&m, "init@a.c:8", 1);
	flame_start(&x, &m);
	flame(&x);
	assert_int_equal(x.f->n_frames, 1);
	expect_frame(&x, "init", "a.c", "", 5, 8);
	flame_release(&x);
}

static void lines_of_a_file_are_merged_for_all_spellings_of_its_path(void **state)
{
	struct make m = make_start("samples/count");
	struct flame_fixture x;

	(void)state;
	ROW(&m, "f@x/../app.c:9", 1);
	ROW(&m, "g@app.c:3", 1);
	flame_start(&x, &m);
	x.q.granularity = GRAIN_FILES;
	flame(&x);
	assert_int_equal(x.f->n_frames, 1);
	expect_frame(&x, "app.c", "app.c", "", 3, 9);
	flame_release(&x);
}

static void a_function_without_file_still_has_lines(void **state)
{
	struct make m = make_start("samples/count");
	struct flame_fixture x;

	(void)state;
	ROW(&m, "f@:5", 1);
	ROW(&m, "f@:2", 1);
	flame_start(&x, &m);
	flame(&x);
	expect_frame(&x, "f", "", "", 2, 5);
	flame_release(&x);
}

static void the_value_of_a_sample_is_its_mean_time(void **state)
{
	static const int64_t ns[] = { 8000000, 2000000 }; /* two samples, at 1000 Hz */

	(void)state;
	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
		struct make m = make_start("samples/count cpu/nanoseconds");
		struct profile_meta *meta = builder_meta(m.b);
		struct flame_fixture x;

		meta->has_period_type = true;
		meta->period_type.name = make_text(&m, "cpu", 3);
		meta->period_type.unit = make_text(&m, "nanoseconds", 11);
		meta->period = 1000000;
		ROW(&m, "f", 2, ns[i]);
		ROW(&m, "[cpa: not sampled]", 0, 7000000);
		flame_start(&x, &m);
		flame(&x);
		assert_int_equal(x.f->sample, ns[i] / 2);
		flame_release(&x);
	}
}

static void a_nul_does_not_truncate_a_name(void **state)
{
	struct make m = make_start("samples/count");
	struct builder_function f = { .id = 1, .name = make_text(&m, "a\0b", 3), .file = make_text(&m, "c\0d", 3) };
	struct builder_location l = { .id = 1, .map = PROFILE_NONE };
	const struct builder_line line = { 0, 4, 0 };
	const int64_t one = 1;
	struct flame_fixture x;
	uint32_t id;

	(void)state;
	builder_function(m.b, &f, &id, NULL);
	builder_location(m.b, &l, &line, 1, &id, NULL);
	builder_sample(m.b, &one, &id, 1, NULL, 0, NULL);
	flame_start(&x, &m);
	flame(&x);
	assert_string_equal(x.f->frames[0].name, "a\\x00b");
	flame_release(&x);
}

/* A long string: "<", a repeated letter, ">". */
static char *make_long(char letter)
{
	enum { LONG = 1500 };
	char *s = mem_alloc(LONG + 1, 1);

	memset(s, letter, LONG);
	s[0] = '<';
	s[LONG - 1] = '>';
	s[LONG] = 0;
	return s;
}

static void expect_shortened(const char *text, char letter, size_t n)
{
	const char *dots = strstr(text, "\xe2\x80\xa6");

	assert_int_equal(strlen(text), n);
	assert_non_null(dots);
	assert_true(text[0] == '<' && dots[-1] == letter && dots[3] == letter && text[n - 1] == '>');
}

static void long_names_and_paths_are_shortened_in_the_middle(void **state)
{
	struct make m = make_start("samples/count");
	char *name = make_long('n'), *file = make_long('f'), *module = make_long('m'), *label = make_long('k');
	struct buf row = { 0 }, labels = { 0 };
	struct flame_fixture x;

	(void)state;
	make_map(&m, module);
	buf_addf(&row, "%s@%s:7", name, file);
	buf_addf(&labels, "%s=v", label);
	labels_row(&m, buf_text(&row), 10, buf_text(&labels));
	flame_start(&x, &m);
	x.q.tagroot = label;
	flame(&x);
	assert_int_equal(x.f->n_frames, 2);
	expect_shortened(x.f->frames[1].name, 'n', 1000);
	expect_shortened(x.f->frames[1].file, 'f', 500);
	expect_shortened(x.f->frames[1].module, 'm', 500);
	assert_true(strlen(x.f->frames[0].name) <= 1000 && strcmp(strchr(x.f->frames[0].name, '>'), ">: v") == 0);
	flame_release(&x);
	buf_release(&row);
	buf_release(&labels);
	free(name);
	free(file);
	free(module);
	free(label);
}

static struct make make_labelled_rows(void)
{
	struct make m = make_start("samples/count");

	make_map(&m, "/bin/app");
	labels_row(&m, "work@w.c:3;main@m.c:1", 10, "zone=main region=eu");
	labels_row(&m, "work@w.c:3;main@m.c:1", 20, "zone=eu");
	labels_row(&m, "main@m.c:1", 40, "");
	return m;
}

static void labels_are_frames_with_key_and_value(void **state)
{
	struct make m = make_labelled_rows();
	struct flame_fixture x;
	uint32_t box;

	(void)state;
	flame_start(&x, &m);
	x.q.tagroot = "region,zone";
	flame(&x);
	assert_true(frame_named(&x, "region: eu")->is_label);
	assert_true(frame_named(&x, "zone: main")->is_label);
	assert_false(frame_named(&x, "main")->is_label); /* the function, not the label with the value main */
	expect_frame(&x, "zone: main", "", "", 0, 0);
	expect_frame(&x, "main", "m.c", "/bin/app", 1, 1);
	box = box_below(&x, box_below(&x, 0, "region: eu"), "zone: main");
	assert_int_equal(x.f->total[SIDE_NEW][box], 10);
	assert_int_equal(x.f->total[SIDE_NEW][box_below(&x, box, "main")], 10);
	box = box_below(&x, box_below(&x, 0, "region: (none)"), "zone: eu");
	assert_int_equal(x.f->total[SIDE_NEW][box], 20);
	flame_release(&x);
}

static void a_nul_does_not_truncate_a_label(void **state)
{
	struct make m = make_start("samples/count");
	struct builder_label l = { .key = make_text(&m, "key", 3), .text = make_text(&m, "v\0w", 3), .is_text = true };
	const int64_t one = 1;
	struct flame_fixture x;
	uint32_t id;

	(void)state;
	builder_label(m.b, &l, &id, NULL);
	make_row(&m, "main", &one, &id, 1);
	flame_start(&x, &m);
	x.q.tagroot = "key";
	flame(&x);
	assert_string_equal(x.f->frames[0].name, "key: v\\x00w");
	flame_release(&x);
}

static void tagleaf_frames_exist_at_any_granularity(void **state)
{
	struct make m = make_labelled_rows();
	struct flame_fixture x;

	(void)state;
	flame_start(&x, &m);
	x.q.tagleaf = "zone";
	for (int grain = GRAIN_FUNCTIONS; grain <= GRAIN_ADDRESSES; grain++) {
		x.q.granularity = grain;
		flame(&x);
		assert_true(frame_named(&x, "zone: eu")->is_label);
		assert_true(frame_named(&x, "zone: (none)")->is_label);
	}
	flame_release(&x);
}

static void each_side_of_a_comparison_has_values(void **state)
{
	static const char *const old[] = { "old.pb" }, *const new[] = { "new.pb" };
	struct make m = make_start("samples/count");
	struct flame_fixture x;
	uint32_t box;

	(void)state;
	ROW(&m, "f;main", 30);
	ROW(&m, "f;main", -10);
	ROW(&m, "gone;main", -5);
	flame_start(&x, &m);
	x.options.from =
		(const struct side_sources[N_SIDES]){ [SIDE_BASE] = { old, 1, NULL }, [SIDE_NEW] = { new, 1, NULL } };
	flame(&x);
	assert_true(x.f->has_base);
	assert_int_equal(x.f->side_total[SIDE_NEW], 30);
	assert_int_equal(x.f->side_total[SIDE_BASE], 15);
	assert_string_equal(x.f->from[SIDE_BASE].source[0], "old.pb");
	box = box_below(&x, box_below(&x, 0, "main"), "f");
	assert_int_equal(x.f->self[SIDE_NEW][box], 30);
	assert_int_equal(x.f->self[SIDE_BASE][box], 10);
	assert_int_equal(x.f->width[0], 35);
	x.q.drop_negative = true;
	flame(&x);
	assert_false(has_frame(&x, "gone"));
	assert_int_equal(x.f->n_shrunk, 1);
	flame_release(&x);
}

static void a_filter_keeps_the_total_unless_percentages_are_relative(void **state)
{
	struct make m = make_example();
	struct flame_fixture x;

	(void)state;
	flame_start(&x, &m);
	x.q.focus = "^c$";
	flame(&x);
	assert_int_equal(x.f->total[SIDE_NEW][0], 50);
	assert_int_equal(x.f->side_total[SIDE_NEW], 120);
	x.q.relative_percentages = true;
	flame(&x);
	assert_int_equal(x.f->side_total[SIDE_NEW], 50);
	flame_release(&x);
}

static void nodecount_keeps_the_widest_boxes(void **state)
{
	struct make m = make_example();
	struct flame_fixture x;

	(void)state;
	flame_start(&x, &m);
	x.q.nodecount = 4;
	flame(&x);
	assert_true(has_frame(&x, "c"));
	assert_false(has_frame(&x, "inl"));
	assert_int_equal(x.f->n_cut, 3);
	assert_true(x.f->is_picked);
	assert_int_equal(x.f->min, 50);
	x.q.trim = false;
	flame(&x);
	assert_int_equal(x.f->n_cut, 0);
	flame_release(&x);
}

static void nodefraction_applies_only_if_given(void **state)
{
	struct make m = make_start("samples/count");
	struct flame_fixture x;

	(void)state;
	ROW(&m, "small", 1);
	ROW(&m, "small2", 1);
	ROW(&m, "large", 998);
	flame_start(&x, &m);
	flame(&x);
	assert_int_equal(x.f->n_cut, 0);
	x.q.has_nodefraction = true;
	flame(&x);
	assert_false(has_frame(&x, "small"));
	assert_int_equal(x.f->n_cut, 2);
	assert_int_equal(x.f->min, 5);
	x.options.min_share = 0.001; /* the larger minimum applies */
	flame(&x);
	assert_true(x.f->is_picked);
	x.options.min_share = 0.05;
	flame(&x);
	assert_false(x.f->is_picked);
	assert_int_equal(x.f->min, 50);
	x.q.trim = false; /* everything is shown, except boxes that are too deep */
	flame(&x);
	assert_int_equal(x.f->n_cut, 0);
	x.options.max_levels = 0;
	flame(&x);
	assert_int_equal(x.f->n_cut, 3);
	assert_int_equal(x.f->n_deep, 3);
	flame_release(&x);
}

static void the_head_contains_unit_and_ratio(void **state)
{
	struct make m = make_example();
	struct flame_fixture x;

	(void)state;
	flame_start(&x, &m);
	x.q.divide_by = 4;
	flame(&x);
	assert_string_equal(x.r.head.command, "flame");
	assert_string_equal(x.r.head.unit, "milliseconds");
	assert_string_equal(x.r.head.out_unit, "auto");
	assert_float_equal(x.r.head.ratio, 0.25, 0);
	assert_int_equal(x.f->total[SIDE_NEW][0], 120); /* not multiplied by the ratio */
	x.q.unit = "s";
	flame(&x);
	assert_string_equal(x.r.head.out_unit, "s");
	flame_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_file_binary_and_lines_of_functions),
		cmocka_unit_test(frames_match_the_rows_of_top_at_other_granularities),
		cmocka_unit_test(without_inlines_lines_are_those_of_the_outermost_call),
		cmocka_unit_test(lines_of_another_function_with_the_same_name_are_ignored),
		cmocka_unit_test(lines_of_a_file_are_merged_for_all_spellings_of_its_path),
		cmocka_unit_test(a_function_without_file_still_has_lines),
		cmocka_unit_test(the_value_of_a_sample_is_its_mean_time),
		cmocka_unit_test(a_nul_does_not_truncate_a_name),
		cmocka_unit_test(long_names_and_paths_are_shortened_in_the_middle),
		cmocka_unit_test(labels_are_frames_with_key_and_value),
		cmocka_unit_test(a_nul_does_not_truncate_a_label),
		cmocka_unit_test(tagleaf_frames_exist_at_any_granularity),
		cmocka_unit_test(each_side_of_a_comparison_has_values),
		cmocka_unit_test(a_filter_keeps_the_total_unless_percentages_are_relative),
		cmocka_unit_test(nodecount_keeps_the_widest_boxes),
		cmocka_unit_test(nodefraction_applies_only_if_given),
		cmocka_unit_test(the_head_contains_unit_and_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
