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
 * Make the page of a profile, and hold it against "NAME FILE flat cum" for each function, behind it
 * " no:flat:cum" for each line with K in front for LINE_DEAD and L for LINE_LIVE, and for the latter
 * "[...]" with "+" for each new block and " depth>file:line" for each call.
 */
static void expect(struct make *m, const char *pattern, const char *want)
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
	query_apply_defaults(&q, &(struct query_defaults){ .by_address = true, .untrimmed = true });
	assert_int_equal(view_make(p, &q, mem, &v, NULL, &err), 0);
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

static void lines_of_a_function_that_are_close_are_one_part(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=f@/no/a.c:3;0x90=main@/no/a.c:90", 1);
	ROW(&m, "0x20=f@/no/a.c:22;0x90=main@/no/a.c:90", 2);
	ROW(&m, "0x30=f@/no/a.c:50;0x90=main@/no/a.c:90", 4);
	expect(&m, "^f$", "f /no/a.c 3 3 K3:1:1 K22:2:2\nf /no/a.c 4 4 K50:4:4\n");
}

static void only_what_matches_is_shown_by_name_or_file(void **state)
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

static void recursion_counts_every_time(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=f@/no/a.c:3;0x10=f@/no/a.c:3", 5);
	expect(&m, "f", "f /no/a.c 5 10 K3:5:10\n");
}

static void inlined_calls_lead_to_an_instruction(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=inner@/no/i.h:7+middle@/no/m.h:8+f@/no/a.c:3", 1);
	ROW(&m, "0x11=other@/no/i.h:9+middle@/no/m.h:8+f@/no/a.c:3", 2);
	ROW(&m, "0x20=f@/no/a.c:3", 4);
	expect(&m, "^f$", "f /no/a.c 7 7 L3:7:7[ 0>/no/m.h:8 1>/no/i.h:7][ 1>/no/i.h:9][+]\n");
}

static void locations_without_an_address_are_told_apart(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "f@/no/a.c:3;main@/no/a.c:9", 1);
	ROW(&m, "f@/no/a.c:4;main@/no/a.c:9", 2);
	expect(&m, ".", "f /no/a.c 3 3 K3:1:1 K4:2:2\nmain /no/a.c 0 3 K9:0:3\n");
}

static void a_function_without_weight_is_left_out(void **state)
{
	struct make m = make_start("n/count");

	(void)state;
	ROW(&m, "0x10=f@/no/a.c:3", 0);
	ROW(&m, "0x20=g@/no/a.c:5", 1);
	expect(&m, ".", "g /no/a.c 1 1 K5:1:1\n");
}

static void lines_of_any_number_end_the_page(void **state)
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
		cmocka_unit_test(lines_of_a_function_that_are_close_are_one_part),
		cmocka_unit_test(only_what_matches_is_shown_by_name_or_file),
		cmocka_unit_test(recursion_counts_every_time),
		cmocka_unit_test(inlined_calls_lead_to_an_instruction),
		cmocka_unit_test(locations_without_an_address_are_told_apart),
		cmocka_unit_test(a_function_without_weight_is_left_out),
		cmocka_unit_test(lines_of_any_number_end_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
