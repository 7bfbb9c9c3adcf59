/*
 * test_traces.c - the report traces
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "report/traces.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_labels.h"

static void add_labels(const struct traces *t, uint32_t set, struct buf *out)
{
	for (uint32_t i = t->set_off[set]; i < t->set_off[set + 1]; i++) {
		const struct trace_label *l = &t->label[i];

		buf_addf(out, " %s", l->key);
		for (uint32_t k = l->lo; k < l->hi; k++)
			if (l->unit)
				buf_addf(out, ":%lld%s", (long long)t->value_of_label[k].number, l->unit);
			else
				buf_addf(out, "=%s", t->value_of_label[k].text);
	}
}

/* Append samples as lines "value leaf; ...; root labels"; inlined frames are followed by a *. */
static void add_samples(const struct traces *t, struct buf *out)
{
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t stack = t->stack[i];

		buf_addf(out, "%lld", (long long)t->value[i]);
		for (uint32_t k = t->stacks->off[stack]; k < t->stacks->off[stack + 1]; k++) {
			uint32_t loc = stack_id_at(t->stacks, k);

			for (uint32_t f = t->frames.off[loc]; f < t->frames.off[loc + 1]; f++)
				buf_addf(out, " %s%s;", t->name[t->frames.item[f]],
					 f + 1 < t->frames.off[loc + 1] ? "*" : "");
		}
		add_labels(t, t->labels[i], out);
		buf_add(out, "\n", 1);
	}
}

static void expect_traces(struct make *m, bool mean, bool noinlines, const char *lines)
{
	struct profile *p = make_end(m);
	struct arena *mem = arena_new();
	struct buf got = { 0 };
	struct report r;
	struct query q;
	struct view v;

	query_init(&q);
	q.mean = mean;
	q.noinlines = noinlines;
	assert_int_equal(view_make(p, &q.filter, mem, &v, NULL, NULL), 0);
	assert_int_equal(report_traces_make(&v, &q, &r, NULL, NULL), 0);
	add_samples(r.traces, &got);
	assert_string_equal(buf_text(&got), lines);
	buf_release(&got);
	report_release(&r);
	arena_free(mem);
	profile_free(p);
}

static void samples_keep_their_order_including_zeros(void **state)
{
	struct make m = make_start("n/count cpu/count");

	(void)state;
	ROW(&m, "b;a", 1, 20);
	ROW(&m, "a", 2, 0);
	ROW(&m, "b;a", 3, -5);
	expect_traces(&m, false, false, "20 b; a;\n0 a;\n-5 b; a;\n");
}

static void samples_without_frames_are_omitted(void **state)
{
	struct make m = make_start("cpu/count");

	(void)state;
	ROW(&m, "", 1);
	ROW(&m, "a", 2);
	expect_traces(&m, false, false, "2 a;\n");
}

static void all_but_the_last_line_of_a_location_are_inlined(void **state)
{
	struct make m = make_start("cpu/count");

	(void)state;
	ROW(&m, "x+y+z;a", 1);
	expect_traces(&m, false, false, "1 x*; y*; z; a;\n");
	m = make_start("cpu/count");
	ROW(&m, "x+y+z;a", 1);
	expect_traces(&m, false, true, "1 z; a;\n");
}

static void each_row_of_a_mean_is_divided(void **state)
{
	struct make m = make_start("n/count cpu/count");

	(void)state;
	ROW(&m, "a", 2, 21);
	ROW(&m, "b", 0, 7);
	expect_traces(&m, true, false, "10 a;\n7 b;\n");
}

static void string_labels_precede_numeric_labels_each_by_key(void **state)
{
	struct make m = make_start("cpu/count");

	(void)state;
	labels_row(&m, "a", 1, "z:5 k=v2 bytes:1 k=v1 b=x z=t bytes:2");
	labels_row(&m, "a", 2, "z:6:ms");
	expect_traces(&m, false, false, "1 a; b=x k=v2=v1 z=t bytes:1bytes:2bytes z:5ms\n2 a; z:6ms\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_keep_their_order_including_zeros),
		cmocka_unit_test(samples_without_frames_are_omitted),
		cmocka_unit_test(all_but_the_last_line_of_a_location_are_inlined),
		cmocka_unit_test(each_row_of_a_mean_is_divided),
		cmocka_unit_test(string_labels_precede_numeric_labels_each_by_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
