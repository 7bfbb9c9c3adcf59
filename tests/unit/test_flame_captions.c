/*
 * test_flame_captions.c - texts of a flame graph, and shortened names
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

#include "base/columns.h"
#include "base/mem.h"
#include "base/utf8.h"

#define DOTS "\xe2\x80\xa6"
#define MINUS "\xe2\x88\x92"
#define ARROW "\xe2\x86\x92"
#define DOT " \xc2\xb7 "

static void expect_short(const char *name, size_t columns, const char *want)
{
	struct buf got = { 0 };

	flame_add_shortened(name, columns, &got);
	assert_string_equal(buf_text(&got), want);
	assert_true(column_count(buf_text(&got)) <= columns);
	buf_release(&got);
}

static void counts_two_columns_for_wide_characters_and_none_for_marks(void **state)
{
	(void)state;
	assert_int_equal(column_count(""), 0);
	assert_int_equal(column_count("main"), 4);
	assert_int_equal(column_count("\xc3\xa9t\xc3\xa9"), 3);                    /* "été", composed */
	assert_int_equal(column_count("e\xcc\x81te\xcc\x81"), 3);                  /* "été", decomposed */
	assert_int_equal(column_count("\xe5\x87\xbd\xe6\x95\xb0"), 4);             /* two ideographs */
	assert_int_equal(column_count("\xed\x95\xa8\xec\x88\x98"), 4);             /* two syllables of Hangul */
	assert_int_equal(column_count("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), 2); /* one syllable, decomposed */
	assert_int_equal(column_count("\xef\xbc\xa1"), 2);                         /* fullwidth A */
	assert_int_equal(column_count("\xf0\x9f\x94\xa5"), 2);                     /* fire */
	assert_int_equal(column_count("\xd0\xb6\xce\xbb" DOTS MINUS), 4);
	assert_int_equal(column_count("\xff\xfe"), 2); /* each invalid byte counts */
}

static void a_name_that_fits_is_unchanged(void **state)
{
	(void)state;
	expect_short("main.main", 9, "main.main");
	expect_short("main.main", 100, "main.main");
	expect_short("ab", 2, "ab");
	expect_short("", 0, "");
}

static void a_name_needs_at_least_three_columns(void **state)
{
	(void)state;
	expect_short("runtime.mallocgc", 2, "");
	expect_short("runtime.mallocgc", 0, "");
	expect_short("abcd", 3, "ab" DOTS);
	expect_short("\xe5\x87\xbd\xe6\x95\xb0\xe5\x87\xbd", 4, "");
	expect_short("\xe5\x87\xbd\xe6\x95\xb0\xe5\x87\xbd", 5, "\xe5\x87\xbd\xe6\x95\xb0" DOTS);
}

static void keeps_as_many_trailing_parts_as_fit(void **state)
{
	(void)state;
	expect_short("github.com/foo/bar.(*Server).handleRequest", 41, "foo/bar.(*Server).handleRequest");
	expect_short("github.com/foo/bar.(*Server).handleRequest", 30, "bar.(*Server).handleRequest");
	expect_short("github.com/foo/bar.(*Server).handleRequest", 24, "(*Server).handleRequest");
	expect_short("github.com/foo/bar.(*Server).handleRequest", 13, "handleRequest");
	expect_short("java.util.stream.AbstractPipeline.wrapSink", 19, "wrapSink");
	expect_short("alloc::raw_vec::RawVec<T,A>::reserve", 21, "RawVec<T,A>::reserve");
	expect_short("std::vector<std::pair<int, int> >::push_back(int const&)", 24, "push_back(int const&)");
}

static void truncates_the_last_part_if_only_it_remains(void **state)
{
	(void)state;
	expect_short("github.com/foo/bar.(*Server).handleRequest", 12, "handleReque" DOTS);
	expect_short("github.com/foo/bar.(*Server).handleRequest", 3, "ha" DOTS);
	expect_short("std::vector<std::pair<int, int> >::push_back(int const&)", 16, "push_back(int c" DOTS);
	expect_short("main", 3, "ma" DOTS);
}

static void truncates_a_text_at_its_end(void **state)
{
	struct buf got = { 0 };

	(void)state;
	flame_add_truncated("new: only in a/b.pb.gz", 22, &got);
	assert_string_equal(got.data, "new: only in a/b.pb.gz");
	got.len = 0;
	flame_add_truncated("new: only in a/b.pb.gz", 21, &got);
	assert_string_equal(got.data, "new: only in a/b.pb." DOTS);
	buf_release(&got);
}

static void shows_a_closure_with_its_function(void **state)
{
	(void)state;
	expect_short("shop/depot.(*Depot).Routes.func1.4", 20, "Routes.func1.4");
	expect_short("tally::main::run::{{closure}}", 6, "run::" DOTS);
	expect_short("tally::main::run::{{closure}}", 20, "run::{{closure}}");
	expect_short("parse.part.0.cold", 10, "parse.par" DOTS);
	expect_short("shop::parse.constprop.0", 18, "parse.constprop.0");
	expect_short("shop.partial", 7, "partial");
}

static void operator_names_are_not_parsed_as_brackets(void **state)
{
	(void)state;
	expect_short("grid::Field::operator<< ::at", 6, "at");
	expect_short("grid::Iterator::operator->", 24, "Iterator::operator->");
	expect_short("grid::Order::operator()(geo::Point)", 32, "Order::operator()(geo::Point)");
}

static void splits_a_path_at_slashes(void **state)
{
	(void)state;
	expect_short("/usr/lib/go/src/runtime/symtab.go", 15, "symtab.go");
	expect_short("/usr/lib/go/src/runtime/symtab.go", 17, "runtime/symtab.go");
	expect_short("runtime/symtabinl.go", 12, "symtabinl.go");
	expect_short("runtime/symtabinl.go:7", 14, "symtabinl.go:7");
	expect_short("runtime.step runtime/symtab.go:1301", 21, "symtab.go:1301");
}

static void never_splits_a_character_and_its_marks(void **state)
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

			flame_add_shortened(texts[i], columns, &got);
			assert_true(column_count(buf_text(&got)) <= columns);
			for (size_t at = 0, len; at < got.len; at += len) {
				len = utf8_decode(got.data + at, got.len - at, &c);
				assert_true(len > 0);
				if (c == 0x2026 && at + len < got.len) /* no combining mark follows the dots */
					assert_true(column_next(got.data + at, &(size_t){ 0 }) == len);
			}
			buf_release(&got);
		}
	}
}

static void shortens_a_name_of_a_megabyte_fast(void **state)
{
	enum { SIZE = 1 << 20 };
	char *name = mem_alloc(SIZE + 1, 1);
	struct buf got = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		memset(name, "<.:\xff"[i], SIZE);
		name[SIZE] = 0;
		got.len = 0;
		flame_add_shortened(name, 20, &got);
		assert_true(column_count(buf_text(&got)) <= 20);
	}
	buf_release(&got);
	free(name);
}

static void a_function_without_a_name_is_shown_as_unknown(void **state)
{
	struct drawing d;
	struct buf got = { 0 };

	(void)state;
	drawing_start(&d, 0, 10);
	flame_add_name(&d.f, drawing_add_function(&d, 0, "", 0, 10), &got);
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

static void details_contain_values_source_and_binary(void **state)
{
	struct drawing d;
	uint32_t a, b;

	(void)state;
	drawing_start(&d, 0, 10000);
	a = drawing_add_function(&d, 0, "main.main", 0, 5100);
	b = drawing_add_function(&d, a, "main.work", 0, 3900);
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

static void groups_digits_of_large_numbers(void **state)
{
	struct drawing d;
	struct buf got = { 0 };

	(void)state;
	drawing_start(&d, 1000, 123456789);
	d.r.head.unit = "count";
	drawing_add_function(&d, 0, "main", 1000, 12345678);
	expect_details(&d, 1, "main\nflat 12,345,678 (10.00%)\ncum 12,345,678 (10.00%)\n");
	flame_add_subtitle(&d.r, &got);
	assert_string_equal(got.data, "total 123,456,789");
	buf_release(&got);
	d.f.has_base = true;
	expect_details(&d, 1,
		       "main\nbefore 1,000 (100%)\nafter 12,345,678 (10.00%)\nchange +12,344,678 (+1,234,468%)\n"
		       "flat 1,000 " ARROW " 12,345,678, change +12,344,678 (+1,234,468%)\n");
}

static void details_of_narrow_boxes_contain_their_number_and_sum(void **state)
{
	struct drawing d;
	uint32_t many, one;

	(void)state;
	drawing_start(&d, 0, 10000);
	many = drawing_add_rest(&d, 0, 12345, 0, 500);
	one = drawing_add_rest(&d, 0, 1, 0, 100);
	expect_details(&d, many, "12,345 boxes too narrow to draw\nsum 500ms (5.00%)\n");
	expect_details(&d, one, "1 box too narrow to draw\nsum 100ms (1.00%)\n");
}

static void details_of_an_inverted_tree_are_shares_of_the_leaf(void **state)
{
	struct drawing d;
	uint32_t leaf, caller;

	(void)state;
	drawing_start(&d, 0, 10000);
	d.f.inverted = true;
	leaf = drawing_add_function(&d, 0, "mallocgc", 0, 3000);
	caller = drawing_add_function(&d, leaf, "growslice", 0, 1000);
	expect_details(&d, leaf, "mallocgc\nflat 3s (30.00%)\n");
	expect_details(&d, caller, "growslice\n1s (10.00%) of the flat value of mallocgc on this path\n");
}

static void details_of_a_comparison_contain_both_sides_and_changes(void **state)
{
	struct drawing d;
	uint32_t a, b, new, gone, same;

	(void)state;
	drawing_start(&d, 1000, 2000);
	d.f.has_base = true;
	a = drawing_add_function(&d, 0, "main", 800, 1000);
	b = drawing_add_function(&d, a, "work", 600, 500);
	new = drawing_add_function(&d, 0, "extra", 0, 500);
	gone = drawing_add_function(&d, 0, "old", 100, 0);
	same = drawing_add_function(&d, a, "same", 100, 100);
	expect_details(&d, a,
		       "main\nbefore 800ms (80.00%)\nafter 1s (50.00%)\nchange +200ms (+25.0%)\n"
		       "flat 100ms " ARROW " 400ms, change +300ms (+300%)\n");
	expect_details(&d, b,
		       "work\nbefore 600ms (60.00%)\nafter 500ms (25.00%)\nchange " MINUS "100ms (" MINUS "16.7%)\n"
		       "flat 600ms " ARROW " 500ms, change " MINUS "100ms (" MINUS "16.7%)\n");
	expect_details(&d, new,
		       "extra\nbefore 0 (0%)\nafter 500ms (25.00%)\nchange +500ms (new)\n"
		       "flat 0 " ARROW " 500ms, change +500ms (new)\n");
	expect_details(&d, gone,
		       "old\nbefore 100ms (10.00%)\nafter 0 (0%)\nchange " MINUS "100ms (gone)\n"
		       "flat 100ms " ARROW " 0, change " MINUS "100ms (gone)\n");
	expect_details(&d, same,
		       "same\nbefore 100ms (10.00%)\nafter 100ms (5.00%)\nchange none\n"
		       "flat 100ms " ARROW " 100ms, change none\n");
}

static void a_flat_value_that_was_0_is_shown_without_a_percentage(void **state)
{
	struct drawing d;
	uint32_t a, b;

	(void)state;
	drawing_start(&d, 1000, 1000);
	d.f.has_base = true;
	a = drawing_add_function(&d, 0, "a", 100, 200);
	drawing_add_function(&d, a, "leaf", 100, 100);
	b = drawing_add_function(&d, 0, "b", 200, 200);
	drawing_add_function(&d, b, "leaf", 100, 200);
	expect_details(&d, a,
		       "a\nbefore 100ms (10.00%)\nafter 200ms (20.00%)\nchange +100ms (+100%)\n"
		       "flat 0 " ARROW " 100ms, change +100ms (from 0)\n");
	expect_details(&d, b,
		       "b\nbefore 200ms (20.00%)\nafter 200ms (20.00%)\nchange none\n"
		       "flat 100ms " ARROW " 0, change " MINUS "100ms (" MINUS "100%)\n");
}

static void a_change_is_never_shown_as_0_percent(void **state)
{
	struct drawing d;
	uint32_t a;

	(void)state;
	drawing_start(&d, 3000000, 3000000);
	d.f.has_base = true;
	a = drawing_add_function(&d, 0, "a", 3000000, 3000001);
	drawing_add_function(&d, a, "leaf", 3000000, 3000001);
	expect_details(&d, a, "a\nbefore 3,000s (100%)\nafter 3,000s (100%)\nchange +1ms\n");
}

static void details_of_an_inverted_comparison_contain_no_flat_line(void **state)
{
	struct drawing d;
	uint32_t leaf;

	(void)state;
	drawing_start(&d, 1000, 2000);
	d.f.has_base = d.f.inverted = true;
	leaf = drawing_add_function(&d, 0, "work", 600, 500);
	expect_details(&d, leaf,
		       "work\nbefore 600ms (60.00%)\nafter 500ms (25.00%)\nchange " MINUS "100ms (" MINUS "16.7%)\n");
}

static void escapes_hostile_names_everywhere(void **state)
{
	static const char *const source[] = { "/tmp/\x1b]0;x\x07.pb" };
	struct drawing d;
	struct buf all = { 0 };
	uint32_t box;

	(void)state;
	drawing_start(&d, 10, 10);
	box = drawing_add_function(&d, 0, "\x1b[2J\n\xe2\x80\xae\xff", 10, 10);
	d.frames[0].file = "\r.c";
	d.frames[0].module = "\x9b";
	d.r.head.file = d.r.head.type = d.r.head.unit = d.r.head.out_unit = "\x1b\n";
	d.r.head.filter = &(struct filter_note){ "focus", "\x1b\n", true };
	d.r.head.n_filters = 1;
	d.f.from[SIDE_BASE].source = d.f.from[SIDE_NEW].source = source;
	d.f.from[SIDE_BASE].n = d.f.from[SIDE_NEW].n = 1;
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
		assert_true(utf8_is_safe(c) || c == '\n');
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

static void title_and_subtitle_contain_type_file_total_and_time(void **state)
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

static void the_title_names_the_file_if_the_program_is_unknown(void **state)
{
	static const char *const source[] = { "/srv/today.pb.gz", "b.pb.gz" };
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 1200);
	d.r.head.file = "";
	expect_head(&d, "cpu", "total 1.20s");
	d.f.from[SIDE_NEW].source = source;
	d.f.from[SIDE_NEW].n = 1;
	expect_head(&d, "cpu: today.pb.gz", "total 1.20s");
	d.f.from[SIDE_NEW].n = 2;
	expect_head(&d, "cpu: today.pb.gz, b.pb.gz", "total 1.20s");
	d.r.head.file = "shop";
	expect_head(&d, "cpu: shop", "today.pb.gz, b.pb.gz" DOT "total 1.20s");
	d.f.from[SIDE_NEW].source = (const char *const[]){ "-" };
	d.f.from[SIDE_NEW].n = 1;
	expect_head(&d, "cpu: shop", "total 1.20s");
	d.r.head.file = "";
	d.r.head.type = "";
	d.f.from[SIDE_NEW].n = 0;
	expect_head(&d, "flame graph", "total 1.20s");
}

static void the_subtitle_of_a_comparison_names_base_and_new(void **state)
{
	static const char *const old[] = { "/srv/old.pb.gz" }, *const new[] = { "new.pb.gz" };
	struct drawing d;

	(void)state;
	drawing_start(&d, 1000, 1250);
	d.f.has_base = true;
	expect_head(&d, "cpu: shop, differences", "base 1s " ARROW " new 1.25s" DOT "+250ms (+25.0%)");
	d.f.from[SIDE_BASE] = (struct side_sources){ old, 1, NULL };
	d.f.side_total[SIDE_BASE] = 1000;
	d.f.from[SIDE_NEW] = (struct side_sources){ new, 1, NULL };
	d.f.side_total[SIDE_NEW] = 1250;
	expect_head(&d, "cpu: shop, base vs. new",
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

static void the_note_counts_boxes_left_out(void **state)
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
	expect_note(&d, 2, 23, 2.5, "2 boxes narrower than 2.5 px or too deep to draw left out (2.30% of the width)");
	d.f.n_deep = 1234567;
	expect_note(&d, 1234567, 1000, 0.1, "1,234,567 boxes too deep to draw left out (100% of the width)");
}

static void the_note_names_the_node_limit(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 1000);
	d.f.is_picked = true;
	expect_note(&d, 21, 998, 0.1,
		    "21 boxes below the node limit left out (99.80% of the width; "
		    "-trim=false shows all)");
	d.f.n_deep = 1;
	expect_note(&d, 21, 998, 0.1,
		    "21 boxes below the node limit or too deep to draw left out (99.80% of the width)");
}

static void the_note_reports_missing_samples(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 0);
	expect_note(&d, 0, 0, 0.1, "no samples to show");
}

static void the_note_counts_changes_that_may_be_due_to_chance(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 10000, 10000);
	d.f.has_base = true;
	drawing_add_function(&d, 0, "2 to 3", 2, 3);
	drawing_add_function(&d, 0, "100 to 130, of up to 30.33", 100, 130);
	drawing_add_function(&d, 0, "100 to 131, of up to 30.40", 100, 131);
	drawing_add_function(&d, 0, "131 to 100", 131, 100);
	drawing_add_function(&d, 0, "new with 4", 0, 4);
	drawing_add_function(&d, 0, "new with 5", 0, 5);
	drawing_add_function(&d, 0, "no change", 50, 50);
	drawing_add_rest(&d, 0, 2, 1, 2);
	expect_note(&d, 0, 0, 0.1, "");
	d.f.sample = 1;
	expect_note(&d, 0, 0, 0.1, "3 of 6 changes may be chance: at most 2\xe2\x88\x9a(before + after) samples");
	d.f.sample = 10; /* so 100 and 131 are 10 and 13.1 samples */
	expect_note(&d, 1, 200, 0.1,
		    "1 box narrower than 0.1 px left out (2.00% of the width; --min-width=0 shows all)" DOT
		    "6 of 6 changes may be chance: at most 2\xe2\x88\x9a(before + after) samples of 10ms");
	d.style.diff_self = true;
	d.self[SIDE_BASE][1] = 3;
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
	assert_true(column_count(buf_text(&got)) <= columns);
	buf_release(&got);
}

static void a_label_starts_with_its_sign(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 1000);
	drawing_add_function(&d, 0, "main.work", 0, 10);
	expect_label(&d, 0, 20, "main.work");
	expect_label(&d, '=', 20, "main.work");
	expect_label(&d, '+', 20, "+ main.work");
	expect_label(&d, '-', 11, MINUS " main.work");
	expect_label(&d, '-', 10, MINUS " work");
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
		cmocka_unit_test(counts_two_columns_for_wide_characters_and_none_for_marks),
		cmocka_unit_test(a_name_that_fits_is_unchanged),
		cmocka_unit_test(a_name_needs_at_least_three_columns),
		cmocka_unit_test(keeps_as_many_trailing_parts_as_fit),
		cmocka_unit_test(truncates_the_last_part_if_only_it_remains),
		cmocka_unit_test(truncates_a_text_at_its_end),
		cmocka_unit_test(shows_a_closure_with_its_function),
		cmocka_unit_test(operator_names_are_not_parsed_as_brackets),
		cmocka_unit_test(splits_a_path_at_slashes),
		cmocka_unit_test(never_splits_a_character_and_its_marks),
		cmocka_unit_test(shortens_a_name_of_a_megabyte_fast),
		cmocka_unit_test(a_function_without_a_name_is_shown_as_unknown),
		cmocka_unit_test(details_contain_values_source_and_binary),
		cmocka_unit_test(groups_digits_of_large_numbers),
		cmocka_unit_test(details_of_narrow_boxes_contain_their_number_and_sum),
		cmocka_unit_test(details_of_an_inverted_tree_are_shares_of_the_leaf),
		cmocka_unit_test(details_of_a_comparison_contain_both_sides_and_changes),
		cmocka_unit_test(a_flat_value_that_was_0_is_shown_without_a_percentage),
		cmocka_unit_test(a_change_is_never_shown_as_0_percent),
		cmocka_unit_test(details_of_an_inverted_comparison_contain_no_flat_line),
		cmocka_unit_test(escapes_hostile_names_everywhere),
		cmocka_unit_test(title_and_subtitle_contain_type_file_total_and_time),
		cmocka_unit_test(the_title_names_the_file_if_the_program_is_unknown),
		cmocka_unit_test(the_subtitle_of_a_comparison_names_base_and_new),
		cmocka_unit_test(the_note_counts_boxes_left_out),
		cmocka_unit_test(the_note_counts_changes_that_may_be_due_to_chance),
		cmocka_unit_test(the_note_names_the_node_limit),
		cmocka_unit_test(the_note_reports_missing_samples),
		cmocka_unit_test(a_label_starts_with_its_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
