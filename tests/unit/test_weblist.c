/*
 * test_weblist.c - the report weblist without binaries: lines, functions, inlined calls
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/weblist.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"

/*
 * Make the page of a profile, and compare it with "NAME FILE flat cum" for each function, followed by " no:flat:cum"
 * for each line, prefixed with K for LINE_DEAD and L for LINE_LIVE, and for the latter "[...]" with "+" for each new
 * block and " depth>file:line" for each call.
 */
static void expect_of(struct make *m, const char *pattern, uint32_t max_groups, const char *want)
{
	struct profile *p = make_end(m);
	struct arena *mem = arena_new();
	struct buf got = { 0 }, notes = { 0 };
	struct report r = { 0 };
	struct weblist w;
	struct query q;
	struct view v;
	struct err err;

	query_init(&q);
	q.pattern = pattern;
	q.max_groups = max_groups;
	query_apply_defaults(&q, &(struct query_defaults){ .by_address = true, .untrimmed = true });
	assert_int_equal(view_make(p, &q.filter, mem, &v, NULL, &err), 0);
	if (report_weblist_make(&v, &q, &r, &w, &notes, &err) < 0)
		buf_addf(&got, "%s", err.msg);
	else
		for (const struct weblist_func *f = w.func; f < w.func + w.n; f++) {
			buf_addf(&got, "%s %s %d %d", f->name, f->file, (int)f->flat, (int)f->cum);
			for (const struct weblist_line *l = w.line + f->lo; l < w.line + f->hi; l++) {
				buf_addf(&got, " %s%" PRId64 ":%d:%d",
					 l->kind == LINE_DEAD ? "K"
					 : l->kind            ? "L"
							      : "",
					 l->no, (int)l->flat, (int)l->cum);
				for (const struct weblist_inst *in = w.inst + l->lo; in < w.inst + l->hi; in++) {
					buf_addz(&got, in->new_block ? "[+" : "[");
					for (const struct weblist_call *c = w.call + in->lo; c < w.call + in->hi; c++)
						buf_addf(&got, " %u>%s:%" PRId64, c->depth, c->file, c->line);
					buf_addz(&got, "]");
				}
			}
			buf_addz(&got, "\n");
		}
	assert_string_equal(buf_text(&got), want);
	buf_release(&got);
	buf_release(&notes);
	report_release(&r);
	arena_free(mem);
	query_release(&q);
	profile_free(p);
}

static void expect(struct make *m, const char *pattern, const char *want)
{
	expect_of(m, pattern, 0, want);
}

static void adjacent_lines_of_a_function_form_a_part(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=f@/no/a.c:3;0x90=main@/no/a.c:90", 1);
	ROW(&m, "0x20=f@/no/a.c:22;0x90=main@/no/a.c:90", 2);
	ROW(&m, "0x30=f@/no/a.c:50;0x90=main@/no/a.c:90", 4);
	expect(&m, "^f$", "f /no/a.c 3 3 K3:1:1 K22:2:2\nf /no/a.c 4 4 K50:4:4\n");
}

static void only_functions_that_match_by_name_or_file_are_shown(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=f@/no/a.c:3;0x20=g@/no/b.c:4", 1);
	expect(&m, "b\\.c", "g /no/b.c 0 1 K4:0:1\n");
	m = make_start("n/count");
	ROW(&m, "0x10=f@/no/a.c:3;0x20=g@/no/b.c:4", 1);
	expect(&m, "nobody", "no matches found for regexp: nobody");
	m = make_start("n/count");
	ROW(&m, "0x10=f@/no/a.c:3;0x20=g@/no/b.c:4", 1);
	expect(&m, "0x20", "g /no/b.c 0 1 K4:0:1\n");
}

static void a_sample_counts_once_for_a_recursive_function(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=f@/no/a.c:3;0x10=f@/no/a.c:3", 5);
	expect(&m, "f", "f /no/a.c 5 5 K3:5:5\n");
	m = make_start("n/count");
	ROW(&m, "0x10=f@/no/a.c:3;0x18=f@/no/a.c:4;0x14=f@/no/a.c:4;0x18=f@/no/a.c:4;0x90=main@/no/m.c:9", 5);
	ROW(&m, "0x14=f@/no/a.c:4;0x90=main@/no/m.c:9", 2);
	expect(&m, "^f$", "f /no/a.c 7 7 K3:5:5 K4:2:7\n");
}

static void a_function_inlined_into_itself_counts_once(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=f@/no/a.c:3+f@/no/a.c:3", 5);
	expect(&m, "f", "f /no/a.c 5 5 L3:5:5[][+ 0>/no/a.c:3]\n");
}

static void inlined_calls_precede_their_instruction(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=inner@/no/i.h:7+middle@/no/m.h:8+f@/no/a.c:3", 1);
	ROW(&m, "0x11=other@/no/i.h:9+middle@/no/m.h:8+f@/no/a.c:3", 2);
	ROW(&m, "0x20=f@/no/a.c:3", 4);
	expect(&m, "^f$", "f /no/a.c 7 7 L3:7:7[ 0>/no/m.h:8 1>/no/i.h:7][ 1>/no/i.h:9][+]\n");
}

static void locations_without_an_address_are_distinct(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "f@/no/a.c:3;main@/no/a.c:9", 1);
	ROW(&m, "f@/no/a.c:4;main@/no/a.c:9", 2);
	expect(&m, ".", "f /no/a.c 3 3 K3:1:1 K4:2:2\nmain /no/a.c 0 3 K9:0:3\n");
}

static void a_page_shows_the_files_with_the_largest_flat(void **state)
{
	const uint32_t max[] = { 0, 2, 5 };
	const char *const want[] = { "f /no/a.c 1 1 K3:1:1\ng /no/b.c 4 4 K4:4:4\nh /no/c.c 2 2 K5:2:2\n",
				     "g /no/b.c 4 4 K4:4:4\nh /no/c.c 2 2 K5:2:2\n",
				     "g /no/b.c 4 4 K4:4:4\nh /no/c.c 2 2 K5:2:2\nf /no/a.c 1 1 K3:1:1\n" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct make m = make_start("n/count");

		ROW(&m, "0x10=f@/no/a.c:3", 1);
		ROW(&m, "0x20=g@/no/b.c:4", 4);
		ROW(&m, "0x30=h@/no/c.c:5", 2);
		expect_of(&m, ".", max[i], want[i]);
	}
}

static void a_function_without_samples_is_omitted(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=f@/no/a.c:3", 0);
	ROW(&m, "0x20=g@/no/a.c:5", 1);
	expect(&m, ".", "g /no/a.c 1 1 K5:1:1\n");
}

static void line_numbers_of_any_size_are_handled(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=f@/no/a.c:9223372036854775807", 1);
	ROW(&m, "0x20=f@/no/a.c:-9223372036854775807", 2);
	ROW(&m, "0x30=f@/no/a.c:0", 4);
	expect(&m, ".", "f /no/a.c 2 2 K-1073741824:2:2\nf /no/a.c 4 4 K0:4:4\nf /no/a.c 1 1 K1073741824:1:1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adjacent_lines_of_a_function_form_a_part),
		cmocka_unit_test(only_functions_that_match_by_name_or_file_are_shown),
		cmocka_unit_test(a_sample_counts_once_for_a_recursive_function),
		cmocka_unit_test(a_function_inlined_into_itself_counts_once),
		cmocka_unit_test(inlined_calls_precede_their_instruction),
		cmocka_unit_test(locations_without_an_address_are_distinct),
		cmocka_unit_test(a_page_shows_the_files_with_the_largest_flat),
		cmocka_unit_test(a_function_without_samples_is_omitted),
		cmocka_unit_test(line_numbers_of_any_size_are_handled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
