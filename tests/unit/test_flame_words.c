/*
 * test_flame_words.c - what a flame graph says, and names that fit
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "make_flame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/utf8.h"

#define DOTS "\xe2\x80\xa6"
#define MINUS "\xe2\x88\x92"
#define ARROW "\xe2\x86\x92"
#define DOT " \xc2\xb7 "

static void expect_short(const char *name, size_t columns, const char *want)
{
	struct buf got = { 0 };

	flame_add_short(name, columns, &got);
	assert_string_equal(buf_text(&got), want);
	assert_true(flame_columns(buf_text(&got)) <= columns);
	buf_release(&got);
}

static void a_wide_character_takes_two_columns_and_a_mark_none(void **state)
{
	(void)state;
	assert_int_equal(flame_columns(""), 0);
	assert_int_equal(flame_columns("main"), 4);
	assert_int_equal(flame_columns("\xc3\xa9t\xc3\xa9"), 3);                    /* été, composed */
	assert_int_equal(flame_columns("e\xcc\x81te\xcc\x81"), 3);                  /* and in parts */
	assert_int_equal(flame_columns("\xe5\x87\xbd\xe6\x95\xb0"), 4);             /* two ideographs */
	assert_int_equal(flame_columns("\xed\x95\xa8\xec\x88\x98"), 4);             /* two syllables of Hangul */
	assert_int_equal(flame_columns("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), 2); /* one, in its letters */
	assert_int_equal(flame_columns("\xef\xbc\xa1"), 2);                         /* fullwidth A */
	assert_int_equal(flame_columns("\xf0\x9f\x94\xa5"), 2);                     /* fire */
	assert_int_equal(flame_columns("\xd0\xb6\xce\xbb" DOTS MINUS), 4);
	assert_int_equal(flame_columns("\xff\xfe"), 2); /* bytes that are no text count each */
}

static void a_name_that_fits_stays(void **state)
{
	(void)state;
	expect_short("main.main", 9, "main.main");
	expect_short("main.main", 100, "main.main");
	expect_short("ab", 2, "ab");
	expect_short("", 0, "");
}

static void there_is_nothing_below_three_columns(void **state)
{
	(void)state;
	expect_short("runtime.mallocgc", 2, "");
	expect_short("runtime.mallocgc", 0, "");
	expect_short("abcd", 3, "ab" DOTS);
}

static void the_last_part_of_a_name_stays_readable(void **state)
{
	(void)state;
	expect_short("github.com/foo/bar.(*Server).handleRequest", 24, "github.com" DOTS "handleRequest");
	expect_short("github.com/foo/bar.(*Server).handleRequest", 36, "github.com/f" DOTS "(*Server).handleRequest");
	expect_short("github.com/foo/bar.(*Server).handleRequest", 14, DOTS "handleRequest");
	expect_short("github.com/foo/bar.(*Server).handleRequest", 13, "handleRequest");
	expect_short("github.com/foo/bar.(*Server).handleRequest", 12, "handle" DOTS "quest");
	expect_short("github.com/foo/bar.(*Server).handleRequest", 8, "hand" DOTS "est");
	expect_short("github.com/foo/bar.(*Server).handleRequest", 7, "handle" DOTS);
	expect_short("java.util.stream.AbstractPipeline.wrapSink", 19, "java.util." DOTS "wrapSink");
	expect_short("std::vector<std::pair<int, int> >::push_back(int const&)", 16, "push_back" DOTS);
	expect_short("alloc::raw_vec::RawVec<T,A>::reserve", 21, "alloc::raw_ve" DOTS "reserve");
}

static void a_closure_is_shown_with_the_function_it_is_of(void **state)
{
	(void)state;
	expect_short("shop/depot.(*Depot).Routes.func1.4", 20, "shop/" DOTS "Routes.func1.4");
	expect_short("tally::main::run::{{closure}}", 6, "run" DOTS);
	expect_short("tally::main::run::{{closure}}", 20, "tal" DOTS "run::{{closure}}");
}

static void operators_are_no_brackets(void **state)
{
	(void)state;
	expect_short("grid::Field::operator<< ::at", 6, "gri" DOTS "at");
	expect_short("grid::Iterator::operator->", 24, "gri" DOTS "Iterator::operator->");
}

static void a_path_is_parted_at_its_slashes(void **state)
{
	(void)state;
	expect_short("/usr/lib/go/src/runtime/symtab.go", 15, "/usr/" DOTS "symtab.go");
	expect_short("runtime/symtabinl.go", 12, "symtabinl.go");
	expect_short("runtime/symtabinl.go:7", 14, "symtabinl.go:7");
	expect_short("runtime.step runtime/symtab.go:1301", 21, "runtim" DOTS "symtab.go:1301");
}

static void no_character_is_cut_nor_parted_from_its_marks(void **state)
{
	static const char *const texts[] = { "a\xcc\x81"
					     "b\xcc\x81\xcc\x82"
					     "c\xcc\x81"
					     "d\xcc\x81"
					     "e\xcc\x81"
					     "f\xcc\x81"
					     "g\xcc\x81",
					     "\xe5\x87\xbd\xe6\x95\xb0\xe5\x87\xbd\xe6\x95\xb0\xe5\x87\xbd\xe6\x95\xb0",
					     "x\xe5\x87\xbd.y\xe6\x95\xb0z\xf0\x9f\x94\xa5",
					     "\xcc\x81\xcc\x81 alone \xcc\x81" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (size_t columns = 0; columns < 16; columns++) {
			struct buf got = { 0 };
			uint32_t c;

			flame_add_short(texts[i], columns, &got);
			assert_true(flame_columns(buf_text(&got)) <= columns);
			for (size_t at = 0, len; at < got.len; at += len) {
				len = utf8_decode(got.data + at, got.len - at, &c);
				assert_true(len > 0);
				if (c == 0x2026 && at + len < got.len) /* no mark is set on the dots */
					assert_true(flame_next(got.data + at, &(size_t){ 0 }) == len);
			}
			buf_release(&got);
		}
	}
}

static void a_name_of_a_megabyte_is_shortened_at_once(void **state)
{
	enum { SIZE = 1 << 20 };
	char *name = mem_alloc(SIZE + 1, 1);
	struct buf got = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		memset(name, "<.:\xff"[i], SIZE);
		name[SIZE] = 0;
		got.len = 0;
		flame_add_short(name, 20, &got);
		assert_true(flame_columns(buf_text(&got)) <= 20);
	}
	buf_release(&got);
	free(name);
}

static void a_function_without_a_name_is_unknown(void **state)
{
	struct drawing d;
	struct buf got = { 0 };

	(void)state;
	drawing_start(&d, 0, 10);
	flame_add_name(&d.f, drawing_box(&d, 0, "", 0, 10), &got);
	assert_string_equal(got.data, "<unknown>");
	buf_release(&got);
}

static void expect_details(const struct drawing *d, uint32_t box, const char *want)
{
	struct buf got = { 0 };

	flame_add_details(&d->r, box, &got);
	assert_string_equal(got.data, want);
	buf_release(&got);
}

static void a_box_is_told_with_its_values_place_and_binary(void **state)
{
	struct drawing d;
	uint32_t a, b;

	(void)state;
	drawing_start(&d, 0, 10000);
	a = drawing_box(&d, 0, "main.main", 0, 5100);
	b = drawing_box(&d, a, "main.work", 0, 3900);
	d.frames[0] = (struct flame_frame){
		.name = "main.main", .file = "/srv/main.go", .module = "/srv/shop", .line_lo = 12, .line_hi = 40
	};
	d.frames[1].file = "/srv/work.go";
	d.frames[1].line_lo = d.frames[1].line_hi = 7;
	d.inlined[b] = true;
	expect_details(&d, 0, "all\ntotal 10s (100%)\n");
	expect_details(&d, a, "main.main\nflat 1.20s (12.00%)\ncum 5.10s (51.00%)\n/srv/main.go:12-40\n/srv/shop\n");
	expect_details(&d, b, "main.work\nflat 3.90s (39.00%)\ncum 3.90s (39.00%)\n/srv/work.go:7\n(inlined)\n");
}

static void a_rest_tells_how_many_and_how_much(void **state)
{
	struct drawing d;
	uint32_t many, one;

	(void)state;
	drawing_start(&d, 0, 10000);
	many = drawing_rest(&d, 0, 12345, 0, 500);
	one = drawing_rest(&d, 0, 1, 0, 100);
	expect_details(&d, many, "12,345 boxes that are too narrow to be drawn\ntogether 500ms (5.00%)\n");
	expect_details(&d, one, "1 box that is too narrow to be drawn\ntogether 100ms (1.00%)\n");
}

static void inverted_a_box_is_a_part_of_the_function_at_the_leaf(void **state)
{
	struct drawing d;
	uint32_t leaf, caller;

	(void)state;
	drawing_start(&d, 0, 10000);
	d.f.inverted = true;
	leaf = drawing_box(&d, 0, "mallocgc", 0, 3000);
	caller = drawing_box(&d, leaf, "growslice", 0, 1000);
	expect_details(&d, leaf, "mallocgc\nflat 3s (30.00%)\n");
	expect_details(&d, caller, "growslice\n1s (10.00%) of the flat value of mallocgc came this way\n");
}

static void a_compared_box_tells_both_sides_the_change_and_that_of_itself(void **state)
{
	struct drawing d;
	uint32_t a, b, new, gone, same;

	(void)state;
	drawing_start(&d, 1000, 2000);
	d.f.has_base = true;
	a = drawing_box(&d, 0, "main", 800, 1000);
	b = drawing_box(&d, a, "work", 600, 500);
	new = drawing_box(&d, 0, "extra", 0, 500);
	gone = drawing_box(&d, 0, "old", 100, 0);
	same = drawing_box(&d, a, "same", 100, 100);
	expect_details(&d, a,
		       "main\nbefore 800ms (80.00%)\nafter 1s (50.00%)\nchange +200ms (+25.0%)\n"
		       "self 100ms " ARROW " 400ms, change +300ms (+300%)\n");
	expect_details(&d, b,
		       "work\nbefore 600ms (60.00%)\nafter 500ms (25.00%)\nchange " MINUS "100ms (" MINUS "16.7%)\n"
		       "self 600ms " ARROW " 500ms, change " MINUS "100ms (" MINUS "16.7%)\n");
	expect_details(&d, new,
		       "extra\nbefore 0 (0%)\nafter 500ms (25.00%)\nchange +500ms (new)\n"
		       "self 0 " ARROW " 500ms, change +500ms (new)\n");
	expect_details(&d, gone,
		       "old\nbefore 100ms (10.00%)\nafter 0 (0%)\nchange " MINUS "100ms (gone)\n"
		       "self 100ms " ARROW " 0, change " MINUS "100ms (gone)\n");
	expect_details(&d, same,
		       "same\nbefore 100ms (10.00%)\nafter 100ms (5.00%)\nchange none\n"
		       "self 100ms " ARROW " 100ms, change none\n");
}

static void what_a_function_has_itself_comes_and_goes_while_it_stays(void **state)
{
	struct drawing d;
	uint32_t a, b;

	(void)state;
	drawing_start(&d, 1000, 1000);
	d.f.has_base = true;
	a = drawing_box(&d, 0, "a", 100, 200);
	drawing_box(&d, a, "leaf", 100, 100);
	b = drawing_box(&d, 0, "b", 200, 200);
	drawing_box(&d, b, "leaf", 100, 200);
	expect_details(&d, a,
		       "a\nbefore 100ms (10.00%)\nafter 200ms (20.00%)\nchange +100ms (+100%)\n"
		       "self 0 " ARROW " 100ms, change +100ms (from 0)\n");
	expect_details(&d, b,
		       "b\nbefore 200ms (20.00%)\nafter 200ms (20.00%)\nchange none\n"
		       "self 100ms " ARROW " 0, change " MINUS "100ms (" MINUS "100%)\n");
}

static void no_percentage_of_a_change_is_zero(void **state)
{
	struct drawing d;
	uint32_t a;

	(void)state;
	drawing_start(&d, 3000000, 3000000);
	d.f.has_base = true;
	a = drawing_box(&d, 0, "a", 3000000, 3000001);
	drawing_box(&d, a, "leaf", 3000000, 3000001);
	expect_details(&d, a, "a\nbefore 3000s (100%)\nafter 3000s (100%)\nchange +1ms\n");
}

static void inverted_a_compared_box_says_nothing_of_the_end_of_stacks(void **state)
{
	struct drawing d;
	uint32_t leaf;

	(void)state;
	drawing_start(&d, 1000, 2000);
	d.f.has_base = d.f.inverted = true;
	leaf = drawing_box(&d, 0, "work", 600, 500);
	expect_details(&d, leaf,
		       "work\nbefore 600ms (60.00%)\nafter 500ms (25.00%)\nchange " MINUS "100ms (" MINUS "16.7%)\n");
}

static void hostile_names_are_harmless_everywhere(void **state)
{
	static const char *const source[] = { "/tmp/\x1b]0;x\x07.pb" };
	struct drawing d;
	struct buf all = { 0 };
	uint32_t box;

	(void)state;
	drawing_start(&d, 10, 10);
	box = drawing_box(&d, 0, "\x1b[2J\n\xe2\x80\xae\xff", 10, 10);
	d.frames[0].file = "\r.c";
	d.frames[0].module = "\x9b";
	d.r.head.file = d.r.head.type = d.r.head.unit = d.r.head.out_unit = "\x1b\n";
	d.r.head.filter = &(struct filter_note){ "focus", "\x1b\n", true };
	d.r.head.n_filters = 1;
	d.f.side[FLAME_BEFORE].source = d.f.side[FLAME_AFTER].source = source;
	d.f.side[FLAME_BEFORE].n = d.f.side[FLAME_AFTER].n = 1;
	for (int i = 0; i < 2; i++) {
		d.f.has_base = i;
		flame_add_details(&d.r, box, &all);
		flame_add_name(&d.f, box, &all);
		flame_add_title(&d.r, &d.style, &all);
		flame_add_subtitle(&d.r, &all);
		d.style.title = "\x1b\n";
	}
	for (size_t i = 0, len; i < all.len; i += len) {
		uint32_t c = 0;

		len = utf8_decode(all.data + i, all.len - i, &c);
		assert_true(len > 0);
		assert_true(utf8_is_plain(c) || c == '\n');
	}
	buf_release(&all);
}

static void expect_head(const struct drawing *d, const char *title, const char *subtitle)
{
	struct buf got = { 0 };

	flame_add_title(&d->r, &d->style, &got);
	assert_string_equal(buf_text(&got), title);
	got.len = 0;
	flame_add_subtitle(&d->r, &got);
	assert_string_equal(buf_text(&got), subtitle);
	buf_release(&got);
}

static void the_head_tells_what_of_how_much_and_when(void **state)
{
	static const struct filter_note filters[] = { { "focus", "main", true }, { "noinlines", NULL, false } };
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 1200);
	expect_head(&d, "cpu: shop", "total 1.20s");
	d.r.head.time_ns = 1767323045000000000;
	d.r.head.duration_ns = 30000000000;
	d.r.head.total = 4800;
	d.r.head.filter = filters;
	d.r.head.n_filters = 2;
	expect_head(&d, "cpu: shop",
		    "1.20s of 4.80s (25.00%)" DOT "in 30s" DOT "2026-01-02 03:04:05 UTC" DOT "focus=main" DOT
		    "noinlines");
	d.style.title = "Friday";
	d.f.inverted = true;
	d.r.head.n_filters = 0;
	d.r.head.time_ns = d.r.head.duration_ns = 0;
	expect_head(&d, "Friday", "1.20s of 4.80s (25.00%)");
	d.style.title = "";
	expect_head(&d, "cpu: shop, callers", "1.20s of 4.80s (25.00%)");
}

static void a_profile_that_names_no_program_has_the_name_of_its_file(void **state)
{
	static const char *const source[] = { "/srv/today.pb.gz", "b.pb.gz" };
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 1200);
	d.r.head.file = "";
	expect_head(&d, "cpu", "total 1.20s");
	d.f.side[FLAME_AFTER].source = source;
	d.f.side[FLAME_AFTER].n = 1;
	expect_head(&d, "cpu: today.pb.gz", "total 1.20s");
	d.f.side[FLAME_AFTER].n = 2;
	expect_head(&d, "cpu: today.pb.gz, b.pb.gz", "total 1.20s");
	d.r.head.file = "shop";
	expect_head(&d, "cpu: shop", "today.pb.gz, b.pb.gz" DOT "total 1.20s");
	d.f.side[FLAME_AFTER].source = (const char *const[]){ "-" };
	d.f.side[FLAME_AFTER].n = 1;
	expect_head(&d, "cpu: shop", "total 1.20s");
	d.r.head.file = "";
	d.r.head.type = "";
	d.f.side[FLAME_AFTER].n = 0;
	expect_head(&d, "flame graph", "total 1.20s");
}

static void the_head_of_a_comparison_names_base_and_new(void **state)
{
	static const char *const old[] = { "/srv/old.pb.gz" }, *const new[] = { "new.pb.gz" };
	struct drawing d;

	(void)state;
	drawing_start(&d, 1000, 1250);
	d.f.has_base = true;
	expect_head(&d, "cpu: shop, differences", "base 1s " ARROW " new 1.25s" DOT "+250ms (+25.0%)");
	d.f.side[FLAME_BEFORE] = (struct flame_source){ .source = old, .n = 1, .total = 1000 };
	d.f.side[FLAME_AFTER] = (struct flame_source){ .source = new, .n = 1, .total = 1250 };
	expect_head(&d, "cpu: shop, new against base",
		    "base old.pb.gz: 1s " ARROW " new new.pb.gz: 1.25s" DOT "+250ms (+25.0%)");
}

static void expect_note(struct drawing *d, uint64_t n, int64_t width, double min, const char *want)
{
	struct buf got = { 0 };

	d->f.n_cut = n;
	d->f.cut_width = width;
	d->style.min_width = min;
	flame_add_note(&d->r, &d->style, &got);
	assert_string_equal(buf_text(&got), want);
	buf_release(&got);
}

static void what_was_left_out_is_counted(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 1000);
	expect_note(&d, 0, 0, 0.1, "");
	expect_note(&d, 12345, 23, 0.1,
		    "12,345 boxes narrower than 0.1 px left out (2.30% of the width; --min-width=0 shows all)");
	expect_note(&d, 1, 23, 2.5,
		    "1 box narrower than 2.5 px left out (2.30% of the width; --min-width=0 shows all)");
	d.f.n_deep = 1;
	expect_note(&d, 2, 23, 2.5,
		    "2 boxes narrower than 2.5 px or too deep to be drawn left out (2.30% of the width)");
	d.f.n_deep = 1234567;
	expect_note(&d, 1234567, 1000, 0.1, "1,234,567 boxes too deep to be drawn left out (100% of the width)");
}

static void a_limit_that_is_above_the_least_width_is_told(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 1000);
	d.f.is_picked = true;
	expect_note(&d, 21, 998, 0.1,
		    "21 boxes smaller than the others left out (99.80% of the width; "
		    "-trim=false shows all)");
	d.f.n_deep = 1;
	expect_note(&d, 21, 998, 0.1,
		    "21 boxes smaller than the others or too deep to be drawn left out (99.80% of the width)");
}

static void a_picture_of_nothing_says_so(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 0);
	expect_note(&d, 0, 0, 0.1, "There are no samples to show.");
}

static void changes_that_chance_may_make_are_counted(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 10000, 10000);
	d.f.has_base = true;
	drawing_box(&d, 0, "2 to 3", 2, 3);
	drawing_box(&d, 0, "100 to 130, of up to 30.33", 100, 130);
	drawing_box(&d, 0, "100 to 131, of up to 30.40", 100, 131);
	drawing_box(&d, 0, "131 to 100", 131, 100);
	drawing_box(&d, 0, "new with 4", 0, 4);
	drawing_box(&d, 0, "new with 5", 0, 5);
	drawing_box(&d, 0, "no change", 50, 50);
	drawing_rest(&d, 0, 2, 1, 2);
	expect_note(&d, 0, 0, 0.1, "");
	d.f.sample = 1;
	expect_note(&d, 0, 0, 0.1, "3 of 6 changes may be chance: at most 2\xe2\x88\x9a(before + after) samples");
	d.f.sample = 10; /* 100 to 131 are then 10 to 13.1 */
	expect_note(&d, 1, 200, 0.1,
		    "1 box narrower than 0.1 px left out (2.00% of the width; --min-width=0 shows all)" DOT
		    "6 of 6 changes may be chance: at most 2\xe2\x88\x9a(before + after) samples of 10ms");
	d.style.diff_self = true;
	d.self[FLAME_BEFORE][1] = 3;
	expect_note(&d, 0, 0, 0.1,
		    "5 of 5 changes may be chance: at most 2\xe2\x88\x9a(before + after) samples of 10ms");
	d.f.has_base = false;
	expect_note(&d, 0, 0, 0.1, "");
}

static void expect_label(const struct drawing *d, char sign, size_t columns, const char *want)
{
	const struct flame_tile t = { .box = 1, .sign = sign };
	struct buf got = { 0 };

	flame_add_label(&d->f, &t, columns, &got);
	assert_string_equal(buf_text(&got), want);
	assert_true(flame_columns(buf_text(&got)) <= columns);
	buf_release(&got);
}

static void a_tile_says_its_sign_before_its_name(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 1000);
	drawing_box(&d, 0, "main.work", 0, 10);
	expect_label(&d, 0, 20, "main.work");
	expect_label(&d, '=', 20, "main.work");
	expect_label(&d, '+', 20, "+ main.work");
	expect_label(&d, '-', 11, MINUS " main.work");
	expect_label(&d, '-', 10, MINUS " mai" DOTS "work");
	expect_label(&d, 'n', 20, "new main.work");
	expect_label(&d, 'g', 20, "gone main.work");
	expect_label(&d, 'g', 5, "gone");
	expect_label(&d, 'g', 3, "");
	expect_label(&d, '+', 1, "+");
	expect_label(&d, '+', 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wide_character_takes_two_columns_and_a_mark_none),
		cmocka_unit_test(a_name_that_fits_stays),
		cmocka_unit_test(there_is_nothing_below_three_columns),
		cmocka_unit_test(the_last_part_of_a_name_stays_readable),
		cmocka_unit_test(a_closure_is_shown_with_the_function_it_is_of),
		cmocka_unit_test(operators_are_no_brackets),
		cmocka_unit_test(a_path_is_parted_at_its_slashes),
		cmocka_unit_test(no_character_is_cut_nor_parted_from_its_marks),
		cmocka_unit_test(a_name_of_a_megabyte_is_shortened_at_once),
		cmocka_unit_test(a_function_without_a_name_is_unknown),
		cmocka_unit_test(a_box_is_told_with_its_values_place_and_binary),
		cmocka_unit_test(a_rest_tells_how_many_and_how_much),
		cmocka_unit_test(inverted_a_box_is_a_part_of_the_function_at_the_leaf),
		cmocka_unit_test(a_compared_box_tells_both_sides_the_change_and_that_of_itself),
		cmocka_unit_test(what_a_function_has_itself_comes_and_goes_while_it_stays),
		cmocka_unit_test(no_percentage_of_a_change_is_zero),
		cmocka_unit_test(inverted_a_compared_box_says_nothing_of_the_end_of_stacks),
		cmocka_unit_test(hostile_names_are_harmless_everywhere),
		cmocka_unit_test(the_head_tells_what_of_how_much_and_when),
		cmocka_unit_test(a_profile_that_names_no_program_has_the_name_of_its_file),
		cmocka_unit_test(the_head_of_a_comparison_names_base_and_new),
		cmocka_unit_test(what_was_left_out_is_counted),
		cmocka_unit_test(changes_that_chance_may_make_are_counted),
		cmocka_unit_test(a_limit_that_is_above_the_least_width_is_told),
		cmocka_unit_test(a_picture_of_nothing_says_so),
		cmocka_unit_test(a_tile_says_its_sign_before_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
