/*
 * test_flame_color.c - colours of boxes, packages of functions, legends
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

#include <cmocka.h>

#include "viewers/flame/flame_int.h"

/* Names, files and binaries from real profiles. */
static const struct {
	const char *name, *file, *module, *package;
} known[] = {
	/* Go */
	{ "runtime.mallocgc", "/usr/lib/go/src/runtime/malloc.go", "/srv/shop", "runtime" },
	{ "main.main.func1", "/srv/shop/main.go", "/srv/shop", "main" },
	{ "net/http.(*conn).serve", "net/http/server.go", "/srv/shop", "net/http" },
	{ "github.com/a/b/c.(*T).M", "c.go", "", "github.com/a/b/c" },
	{ "shop/parcel.(*Index[go.shape.uint64,go.shape.*uint8]).Each", "/src/parcel.go", "", "shop/parcel" },
	{ "github.com/a/b.Map[github.com/x/y.K]", "", "", "github.com/a/b" },
	{ "gopkg.in/yaml.v2.Unmarshal", "", "", "gopkg.in/yaml.v2" },
	{ "gopkg.in/yaml%2ev3.(*decoder).unmarshal", "", "", "gopkg.in/yaml%2ev3" },
	{ "runtime.memclrNoHeapPointers", "runtime/memclr_amd64.s", "", "runtime" },
	{ "runtime.mallocgc", "", "", "runtime" },
	{ "main.main", "", "", "main" },
	{ "memeqbody", "", "/srv/shop", "shop" },
	/* C and C++ */
	{ "std::__introsort_loop", "/usr/include/c++/12/bits/stl_algo.h", "/srv/grid", "std" },
	{ "grid::Field::ranked() const::{lambda(double, double)#1}::operator()", "field.hpp", "", "grid" },
	{ "void std::sort<a::b*, c::d>(a::b*, a::b*, c::d)", "", "", "std" },
	{ "std::vector<int, std::allocator<int> >& grid::Field<float, 64>::at(int)", "", "", "grid" },
	{ "bool operator< <grid::Field>(grid::Field const&, grid::Field const&)", "", "/srv/grid", "grid" },
	{ "operator new(unsigned long)", "", "/usr/lib/libstdc++.so.6", "libstdc++.so.6" },
	{ "std::operator<< <std::char_traits<char> >(std::ostream&, char const*)", "", "", "std" },
	{ "decltype (f.g::h) absl::visit<f>(f&&)", "", "", "absl" },
	{ "(anonymous namespace)::Parser::run()", "parser.cc", "/srv/grid", "grid" },
	{ "main::{lambda()#1}::operator()", "main.cpp", "/srv/grid", "grid" },
	{ "Table::find(char const*)", "table.cc", "/srv/grid", "Table" },
	{ "__sin_fma", "./math/../sysdeps/ieee754/dbl-64/s_sin.c", "/usr/lib/x86_64-linux-gnu/libm.so.6", "libm.so.6" },
	{ "main", "/src/grid/main.cpp", "/srv/grid", "grid" },
	{ "malloc", "./malloc/malloc.c", "", "malloc" },
	/* Rust */
	{ "<alloc::vec::Vec<T> as alloc::vec::SpecExtend<T,I>>::spec_extend", "vec/mod.rs", "", "alloc" },
	{ "<&T as core::fmt::Debug>::fmt", "fmt/mod.rs", "", "core" },
	{ "<u32 as core::cmp::PartialEq>::eq", "cmp.rs", "", "core" },
	{ "<u64>::rotate_left", "num/uint_macros.rs", "", "core" },
	{ "<tally::Runoff as tally::Rule<C>>::winner", "/src/tally/src/main.rs", "", "tally" },
	{ "<dyn tally::Rule as core::any::Any>::type_id", "any.rs", "", "tally" },
	{ "tally::main::{{closure}}", "/src/tally/src/main.rs", "", "tally" },
	{ "core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "ptr/mod.rs", "", "core" },
	{ "alloc::slice::<impl [T]>::to_vec", "slice.rs", "", "alloc" },
	/* Java */
	{ "java.util.HashMap.get", "HashMap.java", "", "java.util" },
	{ "java.util.regex.Pattern$BmpCharProperty.match", "Pattern.java", "", "java.util.regex" },
	{ "java.util.HashMap.get", "", "", "java.util" },
	{ "java/util/HashMap.get", "", "", "java.util" },
	{ "Ljava/util/HashMap;.get", "", "", "java.util" },
	{ "Orchard$Tree.hang", "Orchard.java", "", "Orchard" },
	{ "Orchard.spin", "", "", "Orchard" },
	{ "Orchard$$Lambda$15/0x00007f6bc4001800.run", "Native Method", "", "Orchard" },
	/* JavaScript, Python */
	{ "Module.load", "node:internal/modules/cjs/loader", "", "node:internal" },
	{ "(anonymous:L#19:C#30)", "/srv/ledger/ledger.js", "", "srv/ledger" },
	{ "handle", "/srv/node_modules/express/lib/router/index.js", "", "express" },
	{ "parse", "/a/node_modules/x/node_modules/@babel/core/lib/parse.js", "", "@babel/core" },
	{ "request", "/usr/lib/python3/dist-packages/requests/sessions.py", "", "requests" },
	{ "loads", "/usr/lib/python3.11/json/__init__.py", "", "python3.11/json" },
	/* names with addresses, lines or files */
	{ "0000000000401136 void std::sort<int*>(int*, int*) stl_algo.h:12", "stl_algo.h", "/srv/grid", "std" },
	{ "runtime.mallocgc runtime/malloc.go:12", "runtime/malloc.go", "/srv/shop", "runtime" },
	{ "/usr/lib/go/src/runtime/malloc.go", "/usr/lib/go/src/runtime/malloc.go", "", "src/runtime" },
	{ "runtime/malloc.go:12", "runtime/malloc.go", "", "runtime" },
	{ "0000000000401136", "", "/srv/grid", "grid" },
	/* other names */
	{ "Node.js", "", "", "" },
	{ "[libc.so.6]", "", "/usr/lib/libc.so.6", "libc.so.6" },
	{ "(idle)", "", "", "" },
	{ "Garbage Collection", "", "", "" },
	{ "", "", "", "" },
	{ "::", "", "", "" },
	{ "<", "", "", "" },
	{ "operator", "", "", "" },
	{ ".", "", "", "" },
	{ "/", "", "", "" },
	{ "<<<<<::(((", "x.rs", "", "core" },
};

static void finds_the_package_of_a_function_by_name_and_file(void **state)
{
	bool ok = true;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct flame_frame f = { .name = known[i].name, .file = known[i].file, .module = known[i].module };
		struct buf got = { 0 };

		package_add(&f, &got);
		if (strcmp(buf_text(&got), known[i].package) != 0) {
			print_error("%s (%s): expected package \"%s\", got \"%s\"\n", f.name, f.file, known[i].package,
				    buf_text(&got));
			ok = false;
		}
		buf_release(&got);
	}
	assert_true(ok);
}

static uint8_t color_of(const struct drawing *d, uint32_t box)
{
	struct arena *mem = arena_new();
	struct flame_layout l;
	uint8_t color = 0xff;

	flame_lay_out(&d->f, &d->style, mem, &l);
	for (uint32_t i = 0; i < l.n; i++)
		if (l.tile[i].box == box)
			color = l.tile[i].color;
	arena_free(mem);
	return color;
}

static char sign_of(const struct drawing *d, uint32_t box)
{
	return change_sign(&d->f, box, d->style.diff_self);
}

/* The legend as "color=text" lines. */
static void expect_legend(const struct drawing *d, const char *want)
{
	struct arena *mem = arena_new();
	const struct flame_legend *e;
	struct buf got = { 0 };
	size_t n;

	n = flame_legend(&d->r, &d->style, mem, &e);
	for (size_t i = 0; i < n; i++)
		buf_addf(&got, "%s%s", i ? "|" : "", e[i].text);
	assert_string_equal(buf_text(&got), want);
	buf_release(&got);
	arena_free(mem);
}

static void functions_have_the_color_of_their_package(void **state)
{
	struct drawing d;
	uint32_t a, b, c;

	(void)state;
	drawing_start(&d, 0, 100);
	a = drawing_add_function(&d, 0, "net/http.(*conn).serve", 0, 50);
	b = drawing_add_function(&d, a, "net/http.(*Request).Form", 0, 20);
	c = drawing_add_function(&d, a, "runtime.mallocgc", 0, 10);
	assert_int_equal(color_of(&d, a), color_of(&d, b));
	assert_int_not_equal(color_of(&d, a), color_of(&d, c));
	assert_int_equal(color_of(&d, 0), COLOR_NEUTRAL);
}

/* The colours must not change, so that pictures of different versions are comparable. */
static void packages_have_the_same_color_in_every_picture(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	assert_int_equal(color_of(&d, drawing_add_function(&d, 0, "runtime.mallocgc", 0, 50)), COLOR_GROUP + 3);
	drawing_start(&d, 0, 100);
	drawing_add_function(&d, 0, "net/http.Serve", 0, 10);
	assert_int_equal(color_of(&d, drawing_add_function(&d, 0, "runtime.gcDrain", 0, 50)), COLOR_GROUP + 3);
}

static void the_ten_largest_packages_have_their_own_color(void **state)
{
	static const char *const name[] = { "a.f", "b.f", "c.f", "d.f", "e.f", "g.f",
					    "h.f", "i.f", "j.f", "k.f", "l.f", "m.f" };
	struct drawing d;
	unsigned seen = 0;

	(void)state;
	drawing_start(&d, 0, 1000);
	for (int i = 0; i < 12; i++) {
		uint8_t color = color_of(&d, drawing_add_function(&d, 0, name[i], 0, 20 - i));

		if (i < 10)
			seen |= 1u << color;
		else
			assert_int_equal(color, COLOR_OTHER);
	}
	assert_int_equal(__builtin_popcount(seen), 10);
	expect_legend(&d, "a|b|c|d|e|g|h|i|j|k|2 other packages");
}

static void labels_kernel_and_unknown_functions_have_fixed_colors(void **state)
{
	struct drawing d;
	uint32_t label, kernel, vdso, unknown;

	(void)state;
	drawing_start(&d, 0, 100);
	label = drawing_add_function(&d, 0, "route: /tour", 0, 40);
	d.frames[0].is_label = true;
	kernel = drawing_add_function(&d, 0, "do_syscall_64", 0, 20);
	d.frames[1].module = "[kernel.kallsyms]";
	vdso = drawing_add_function(&d, 0, "__vdso_clock_gettime", 0, 10);
	d.frames[2].module = "[vdso]";
	unknown = drawing_add_function(&d, 0, "(idle)", 0, 5);
	assert_int_equal(color_of(&d, label), COLOR_LABEL);
	assert_int_equal(color_of(&d, kernel), COLOR_KERNEL);
	assert_int_equal(color_of(&d, vdso), COLOR_KERNEL);
	assert_int_equal(color_of(&d, unknown), COLOR_UNKNOWN);
	expect_legend(&d, "labels|[kernel]|[unknown]");
}

static void colors_by_module_and_by_file(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	drawing_add_function(&d, 0, "a::f", 0, 40);
	d.frames[0] = (struct flame_frame){ .name = "a::f", .file = "src/a.cc", .module = "/usr/lib/liba.so.1" };
	drawing_add_function(&d, 0, "b::f", 0, 30);
	d.frames[1] = (struct flame_frame){ .name = "b::f", .file = "src/b.cc", .module = "/opt/lib/liba.so.1" };
	d.style.color_by = FLAME_MODULE;
	expect_legend(&d, "liba.so.1");
	d.style.color_by = FLAME_FILE;
	expect_legend(&d, "src/a.cc|src/b.cc");
	d.style.color_by = FLAME_FUNCTION;
	expect_legend(&d, "");
}

static void legend_escapes_and_shortens_names(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	drawing_add_function(&d, 0, "x", 0, 40);
	d.frames[0].module = "\x1b[31m";
	drawing_add_function(&d, 0, "y", 0, 30);
	d.frames[1].module = "a-name-of-a-program-that-is-longer-than-any-legend-can-be";
	d.style.color_by = FLAME_MODULE;
	expect_legend(&d, "\\x1b[31m|a-name-of-a-program-that-is-longer-than\xe2\x80\xa6");
}

static void heat_is_the_flat_share_over_all_boxes_of_a_function(void **state)
{
	struct drawing d;
	uint32_t hot, cold, none;

	(void)state;
	drawing_start(&d, 0, 1000);
	none = drawing_add_function(&d, 0, "main", 0, 1000);
	hot = drawing_add_function(&d, none, "spin", 0, 120);
	cold = drawing_add_function(&d, none, "spin", 0, 90);
	d.frame[cold] = d.frame[hot];
	drawing_add_function(&d, none, "rest", 0, 790);
	d.style.color_by = FLAME_HEAT;
	assert_int_equal(color_of(&d, none), COLOR_HEAT);
	assert_int_equal(color_of(&d, hot), COLOR_HEAT + 7); /* 21 % */
	assert_int_equal(color_of(&d, cold), COLOR_HEAT + 7);
	expect_legend(&d, "flat 20% and more|10%|5%|2%|1%|0.5%|0.1%|flat below 0.1%");
}

static void heat_of_an_inverted_tree_is_the_flat_share(void **state)
{
	struct drawing d;
	uint32_t leaf, caller;

	(void)state;
	drawing_start(&d, 0, 1000);
	d.f.inverted = true;
	leaf = drawing_add_function(&d, 0, "spin", 0, 300);
	caller = drawing_add_function(&d, leaf, "main", 0, 300);
	d.style.color_by = FLAME_HEAT;
	assert_int_equal(color_of(&d, leaf), COLOR_HEAT + 7);
	assert_int_equal(color_of(&d, caller), COLOR_HEAT);
}

static void changes_are_shares_of_the_larger_side(void **state)
{
	static const struct {
		int64_t before, after;
		char sign;
		uint8_t color;
	} c[] = {
		{ 100, 100, '=', COLOR_SAME },     { 1000, 1004, '=', COLOR_SAME },
		{ 1000, 1006, '+', COLOR_GREW },   { 1006, 1000, '-', COLOR_SHRANK },
		{ 100, 110, '+', COLOR_GREW + 1 }, { 100, 130, '+', COLOR_GREW + 2 },
		{ 100, 200, '+', COLOR_GREW + 3 }, { 200, 100, '-', COLOR_SHRANK + 3 },
		{ 100, 199, '+', COLOR_GREW + 2 }, { 0, 1, 'n', COLOR_NEW },
		{ 1, 0, 'g', COLOR_GONE },         { 0, 0, '=', COLOR_SAME },
		{ 0, INT64_MAX, 'n', COLOR_NEW },  { INT64_MAX, INT64_MAX - 1, '=', COLOR_SAME },
		{ INT64_MAX, 0, 'g', COLOR_GONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct drawing d;
		uint32_t box;

		drawing_start(&d, c[i].before, c[i].after);
		d.f.has_base = true;
		box = drawing_add_function(&d, 0, "f", c[i].before, c[i].after);
		assert_int_equal(sign_of(&d, box), c[i].sign);
		assert_int_equal(color_of(&d, box), c[i].color);
	}
}

static void parents_have_the_change_of_their_children_unless_coloured_by_flat(void **state)
{
	struct drawing d;
	uint32_t parent, child;

	(void)state;
	drawing_start(&d, 100, 200);
	d.f.has_base = true;
	parent = drawing_add_function(&d, 0, "main", 100, 200);
	child = drawing_add_function(&d, parent, "work", 50, 150);
	assert_int_equal(color_of(&d, parent), COLOR_GREW + 3);
	d.style.diff_self = true;
	assert_int_equal(color_of(&d, parent), COLOR_SAME);
	assert_int_equal(sign_of(&d, parent), '=');
	assert_int_equal(color_of(&d, child), COLOR_GREW + 3);
}

static void changes_in_an_inverted_tree_are_changes_of_flat_values(void **state)
{
	struct drawing d;
	uint32_t leaf;

	(void)state;
	drawing_start(&d, 100, 200);
	d.f.has_base = d.f.inverted = d.style.diff_self = true;
	leaf = drawing_add_function(&d, 0, "work", 100, 200);
	drawing_add_function(&d, leaf, "main", 100, 200); /* root of the stacks */
	assert_int_equal(color_of(&d, leaf), COLOR_GREW + 3);
	assert_int_equal(sign_of(&d, leaf), '+');
}

static void root_of_a_comparison_is_colored_and_rest_boxes_are_not(void **state)
{
	struct drawing d;
	uint32_t rest;

	(void)state;
	drawing_start(&d, 100, 200);
	d.f.has_base = true;
	rest = drawing_add_rest(&d, 0, 3, 10, 20);
	assert_int_equal(color_of(&d, 0), COLOR_GREW + 3);
	assert_int_equal(sign_of(&d, 0), '+');
	assert_int_equal(color_of(&d, rest), COLOR_NEUTRAL);
	d.style.diff_self = true;
	assert_int_equal(color_of(&d, 0), COLOR_GREW + 3);
	assert_int_equal(sign_of(&d, 0), '+');
	drawing_start(&d, 200, 190);
	d.f.has_base = true;
	assert_int_equal(color_of(&d, 0), COLOR_SHRANK + 1);
	drawing_start(&d, 200, 200);
	d.f.has_base = true;
	assert_int_equal(color_of(&d, 0), COLOR_SAME);
}

static void legend_of_a_comparison_names_both_sides(void **state)
{
	static const char *const old[] = { "/srv/monday.pb.gz" }, *const new[] = { "a.pb", "b.pb", "c.pb" };
	struct drawing d;

	(void)state;
	drawing_start(&d, 100, 200);
	d.f.has_base = true;
	d.f.from[SIDE_BASE] = (struct side_sources){ old, 1, NULL };
	d.f.side_total[SIDE_BASE] = 100;
	d.f.from[SIDE_NEW] = (struct side_sources){ new, 3, NULL };
	d.f.side_total[SIDE_NEW] = 200;
	expect_legend(&d, "new: only in a.pb, b.pb and 1 more|at least doubled|grew|unchanged|shrank|at least halved|"
			  "gone: only in monday.pb.gz");
	d.f.from[SIDE_BASE].n = d.f.from[SIDE_NEW].n = 0;
	expect_legend(&d, "new: only in the new side|at least doubled|grew|unchanged|shrank|at least halved|"
			  "gone: only in the base");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_package_of_a_function_by_name_and_file),
		cmocka_unit_test(functions_have_the_color_of_their_package),
		cmocka_unit_test(packages_have_the_same_color_in_every_picture),
		cmocka_unit_test(the_ten_largest_packages_have_their_own_color),
		cmocka_unit_test(labels_kernel_and_unknown_functions_have_fixed_colors),
		cmocka_unit_test(colors_by_module_and_by_file),
		cmocka_unit_test(legend_escapes_and_shortens_names),
		cmocka_unit_test(heat_is_the_flat_share_over_all_boxes_of_a_function),
		cmocka_unit_test(heat_of_an_inverted_tree_is_the_flat_share),
		cmocka_unit_test(changes_are_shares_of_the_larger_side),
		cmocka_unit_test(parents_have_the_change_of_their_children_unless_coloured_by_flat),
		cmocka_unit_test(changes_in_an_inverted_tree_are_changes_of_flat_values),
		cmocka_unit_test(root_of_a_comparison_is_colored_and_rest_boxes_are_not),
		cmocka_unit_test(legend_of_a_comparison_names_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
