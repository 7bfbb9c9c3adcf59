/*
 * test_text_traces.c - traces as pprof prints them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/text/text.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_report.h"

#define SEPARATOR "-----------+-------------------------------------------------------\n"

/* One sample on one stack: f inlined into g, called by main. */
struct scene {
	struct sheet s;
	struct traces t;
	struct stack_lists stacks;
};

static uint32_t stack_off[] = { 0, 2 }, frame_off[] = { 0, 2, 3 }, frame_name[] = { 0, 1, 2 };
static uint32_t zero[] = { 0 };
static uint8_t stack_loc[] = { 0, 0, 0, 1, 0, 0, 0 };

static void scene_start(struct scene *s, int64_t *value, const char **name, struct trace_label *label,
			uint32_t *n_labels, union trace_value *labelled)
{
	sheet_start(&s->s, 40);
	s->stacks = (struct stack_lists){ 1, stack_off, stack_loc, STACK_NARROW };
	s->t = (struct traces){ .n = 1,
				.value = value,
				.stack = zero,
				.labels = zero,
				.stacks = &s->stacks,
				.frames = { 2, frame_off, frame_name },
				.name = name,
				.n_sets = 1,
				.set_off = n_labels,
				.label = label,
				.value_of_label = labelled };
	s->s.r.traces = &s->t;
}

static void expect(const struct report *r, const char *text)
{
	struct buf got = { 0 };
	void *drawing = text_traces.start(r);

	text_traces.draw(drawing, 0, r->traces->n, &got);
	text_traces.end(drawing);
	assert_string_equal(buf_text(&got), text);
	buf_release(&got);
}

static void the_value_is_at_the_leaf_and_inlined_frames_are_marked(void **state)
{
	const char *name[] = { "f", "g\n", "main" };
	uint32_t n_labels[] = { 0, 0 };
	int64_t value = 5;
	struct scene s;

	(void)state;
	scene_start(&s, &value, name, NULL, n_labels, NULL);
	expect(&s.s.r, "Type: cpu\n" SEPARATOR "       5ms   f (inline)\n"
		       "             g\\n\n"
		       "             main\n" SEPARATOR);
	value = INT64_C(123456789012);
	expect(&s.s.r, "Type: cpu\n" SEPARATOR "123456789012ms   f (inline)\n"
		       "             g\\n\n"
		       "             main\n" SEPARATOR);
}

static void labels_are_sorted_as_printed(void **state)
{
	const char *name[] = { "f", "g", "main" };
	union trace_value labelled[] = { { .text = "1" }, { .text = "2" }, { .text = "3\033" }, { .number = 2048 } };
	struct trace_label label[] = {
		{ "abc", NULL, 0, 1 }, { "much too long", NULL, 1, 2 }, { "zz", NULL, 2, 3 }, { "b", "bytes", 3, 4 }
	};
	uint32_t n_labels[] = { 0, 4 };
	int64_t value = 0;
	struct scene s;

	(void)state;
	scene_start(&s, &value, name, label, n_labels, labelled);
	expect(&s.s.r, "Type: cpu\n" SEPARATOR "        zz:  3\\x1b\n"
		       "       abc:  1\n"
		       "much too long:  2\n"
		       "         b:  2kB\n"
		       "         0   f (inline)\n"
		       "             g\n"
		       "             main\n" SEPARATOR);
}

static void a_report_without_samples_has_one_line(void **state)
{
	const char *name[] = { "f", "g", "main" };
	uint32_t n_labels[] = { 0, 0 };
	int64_t value = 0;
	struct scene s;

	(void)state;
	scene_start(&s, &value, name, NULL, n_labels, NULL);
	s.t.n = 0;
	expect(&s.s.r, "Type: cpu\n" SEPARATOR);
	s.s.r.head.type = "";
	expect(&s.s.r, "\n" SEPARATOR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_value_is_at_the_leaf_and_inlined_frames_are_marked),
		cmocka_unit_test(labels_are_sorted_as_printed),
		cmocka_unit_test(a_report_without_samples_has_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
