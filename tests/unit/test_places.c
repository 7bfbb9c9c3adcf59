/*
 * test_places.c - places, the rows of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/places.h"
#include "engine/query.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

/* The places of a profile. */
struct place_fixture {
	struct profile *p;
	struct arena *mem;
	struct query q;
	struct places pl;
};

static struct place_fixture place_fixture_start(struct make *m, enum grain grain)
{
	struct place_fixture c = { .p = make_end(m), .mem = arena_new() };

	query_init(&c.q);
	c.q.granularity = (int)grain;
	return c;
}

static void place_fixture_run(struct place_fixture *c)
{
	assert_int_equal(places_make(c->p, &c->q.filter, c->mem, &c->pl, NULL), 0);
}

static struct place_fixture place_fixture_by(struct make *m, enum grain grain)
{
	struct place_fixture c = place_fixture_start(m, grain);

	place_fixture_run(&c);
	return c;
}

static void place_fixture_release(struct place_fixture *c)
{
	places_release(&c->pl);
	arena_free(c->mem);
	profile_free(c->p);
}

static void expect_name(const struct place_fixture *c, uint32_t place, const char *name)
{
	struct buf b = { 0 };

	assert_true(place < c->pl.n);
	places_add_name(&c->pl, place, &b);
	assert_string_equal(buf_text(&b), name);
	buf_release(&b);
}

/* Check the names of all places in order, separated by commas; releases cut. */
static void expect_places(struct place_fixture *c, const char *names)
{
	struct buf b = { 0 };

	for (uint32_t i = 0; i < c->pl.n; i++) {
		if (i)
			buf_addz(&b, ",");
		places_add_name(&c->pl, i, &b);
	}
	assert_string_equal(buf_text(&b), names);
	buf_release(&b);
	place_fixture_release(c);
}

/* One function in two files, two lines, two columns, two addresses; in one binary. */
static struct make various(void)
{
	struct make m = make_start("samples/count");

	make_map(&m, "/bin/app");
	ROW(&m, "0x10=f@a.c:1:1", 1);
	ROW(&m, "0x20=f@a.c:1:1", 1);
	ROW(&m, "0x30=f@a.c:1:2", 1);
	ROW(&m, "0x40=f@a.c:2:1", 1);
	ROW(&m, "0x50=f@b.c:1:1", 1);
	ROW(&m, "0x60=g@a.c:1:1", 1);
	return m;
}

static void functions_differ_only_by_name(void **state)
{
	struct make m = various();
	struct place_fixture c = place_fixture_by(&m, GRAIN_FUNCTIONS);

	(void)state;
	expect_places(&c, "f,g");
}

static void places_without_details_share_the_first(void **state)
{
	struct make m = various(), again = various();
	struct place_fixture by_name = place_fixture_by(&m, GRAIN_FUNCTIONS);
	struct place_fixture by_line = place_fixture_by(&again, GRAIN_LINES);

	(void)state;
	for (uint32_t i = 0; i < by_name.pl.n; i++)
		assert_int_equal(by_name.pl.place[i].detail, 0);
	for (uint32_t i = 0; i < by_line.pl.n; i++)
		assert_int_equal(by_line.pl.place[i].detail, i + 1);
	assert_int_equal(places_detail(&by_line.pl, 1)->line, 2);
	expect_places(&by_name, "f,g");
	expect_places(&by_line, "f a.c:1,f a.c:2,f b.c:1,g a.c:1");
}

static void filefunctions_differ_by_name_and_file(void **state)
{
	struct make m = various();
	struct place_fixture c = place_fixture_by(&m, GRAIN_FILEFUNCTIONS);

	(void)state;
	expect_places(&c, "f a.c,f b.c,g a.c");
}

static void a_file_is_one_place(void **state)
{
	struct make m = various();
	struct place_fixture c = place_fixture_by(&m, GRAIN_FILES);

	(void)state;
	expect_places(&c, "a.c,b.c");
}

/* pprof splits a file by binary and by the first lines of its functions. */
static void a_file_is_one_place_in_two_binaries_and_with_two_start_lines(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	make_map(&m, "/bin/app");
	ROW(&m, "f@a.c:3^1", 1);
	ROW(&m, "g@a.c:9^7", 1);
	make_map(&m, "/lib/other.so");
	ROW(&m, "h@a.c:3^1", 1);
	c = place_fixture_by(&m, GRAIN_FILES);
	expect_places(&c, "a.c");
}

static void lines_do_not_differ_by_column(void **state)
{
	struct make m = various();
	struct place_fixture c = place_fixture_by(&m, GRAIN_LINES);

	(void)state;
	expect_places(&c, "f a.c:1,f a.c:2,f b.c:1,g a.c:1");
}

static void showcolumns_keeps_columns(void **state)
{
	struct make m = various();
	struct place_fixture c = place_fixture_start(&m, GRAIN_LINES);

	(void)state;
	c.q.showcolumns = true;
	place_fixture_run(&c);
	expect_places(&c, "f a.c:1:1,f a.c:1:2,f a.c:2:1,f b.c:1:1,g a.c:1:1");
}

static void addresses_keep_all_fields_and_columns(void **state)
{
	struct make m = various();
	struct place_fixture c = place_fixture_by(&m, GRAIN_ADDRESSES);

	(void)state;
	expect_places(&c, "0000000000000010 f a.c:1:1,0000000000000020 f a.c:1:1,0000000000000030 f a.c:1:2,"
			  "0000000000000040 f a.c:2:1,0000000000000050 f b.c:1:1,0000000000000060 g a.c:1:1");
}

static void addresses_without_inlines_lose_their_columns(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	ROW(&m, "0x10=inl@a.c:5:6+f@a.c:1:2", 1);
	c = place_fixture_start(&m, GRAIN_ADDRESSES);
	c.q.noinlines = true;
	place_fixture_run(&c);
	expect_places(&c, "0000000000000010 f a.c:1");
}

static void inlined_lines_of_a_location_are_places_innermost_first(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;
	const uint32_t *place;
	uint32_t n;

	(void)state;
	ROW(&m, "in+mid+out;main", 1);
	c = place_fixture_by(&m, GRAIN_FUNCTIONS);
	place = places_of(&c.pl, 0, &n);
	assert_int_equal(n, 3);
	expect_name(&c, place[0], "in");
	expect_name(&c, place[1], "mid");
	expect_name(&c, place[2], "out");
	place = places_of(&c.pl, 1, &n);
	assert_int_equal(n, 1);
	expect_name(&c, place[0], "main");
	place_fixture_release(&c);
}

static void without_inlines_a_location_is_its_last_line(void **state)
{
	static const enum grain grains[] = { GRAIN_FUNCTIONS, GRAIN_LINES };
	static const char *const name[] = { "out", "out a.c:3" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct make m = make_start("samples/count");
		struct place_fixture c;

		ROW(&m, "in@a.c:1+mid@a.c:2+out@a.c:3", 1);
		c = place_fixture_start(&m, grains[i]);
		c.q.noinlines = true;
		place_fixture_run(&c);
		expect_places(&c, name[i]);
	}
}

static void one_function_is_one_place_inlined_or_not(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	ROW(&m, "f+g", 1);
	ROW(&m, "g+f", 1);
	ROW(&m, "f", 1);
	c = place_fixture_by(&m, GRAIN_FUNCTIONS);
	expect_places(&c, "f,g");
}

static void a_function_in_two_binaries_is_one_place(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	make_map(&m, "/bin/app");
	ROW(&m, "0x10=f", 1);
	make_map(&m, "/lib/other.so");
	ROW(&m, "0x20=f", 1);
	c = place_fixture_by(&m, GRAIN_FUNCTIONS);
	expect_places(&c, "f");
}

static void locations_without_lines_are_named_by_their_binary(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	make_map(&m, "/usr/lib/libc.so.6");
	ROW(&m, "0x10;0x20", 1);
	make_map(&m, "/bin/app");
	ROW(&m, "0x30", 1);
	m.map = PROFILE_NONE;
	ROW(&m, "0x40", 1);
	c = place_fixture_by(&m, GRAIN_FUNCTIONS);
	expect_places(&c, "[libc.so.6],[app],<unknown>");
}

static void by_address_locations_without_lines_are_different(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	make_map(&m, "/usr/lib/libc.so.6");
	ROW(&m, "0x10;0xffffffffffffffff", 1);
	m.map = PROFILE_NONE;
	ROW(&m, "0x40", 1);
	c = place_fixture_by(&m, GRAIN_ADDRESSES);
	expect_places(&c, "0000000000000010 [libc.so.6],ffffffffffffffff [libc.so.6],0000000000000040 <unknown>");
}

static void functions_without_a_name_differ_by_binary_and_start(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	make_map(&m, "/bin/app");
	ROW(&m, "0x10=@a.c:1^5", 1);
	ROW(&m, "0x20=@b.c:2^5", 1);
	ROW(&m, "0x30=@a.c:1^6", 1);
	c = place_fixture_by(&m, GRAIN_FUNCTIONS);
	assert_int_equal(places_detail(&c.pl, 0)->start, 5);
	assert_int_equal(places_detail(&c.pl, 1)->start, 6);
	expect_places(&c, "[app],[app]");
}

static void by_file_a_function_without_a_file_is_its_binary(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	make_map(&m, "/bin/app");
	ROW(&m, "f", 1);
	ROW(&m, "g", 1);
	m.map = PROFILE_NONE;
	ROW(&m, "h", 1);
	c = place_fixture_by(&m, GRAIN_FILES);
	expect_places(&c, "[app],<unknown>");
}

static void a_line_without_a_file_is_printed_as_colon_and_number(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	ROW(&m, "f@:12", 1);
	c = place_fixture_by(&m, GRAIN_LINES);
	expect_places(&c, "f :12");
}

static void by_line_a_function_without_lines_is_shown_as_file_or_name(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	ROW(&m, "f@a.c", 1);
	ROW(&m, "g", 1);
	c = place_fixture_by(&m, GRAIN_LINES);
	expect_places(&c, "f a.c,g");
}

static void equal_cleaned_file_names_are_one_place(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c;

	(void)state;
	ROW(&m, "f@src//x/../a.c", 1);
	ROW(&m, "g@src/a.c", 1);
	ROW(&m, "h@/proc/self/cwd/src/a.c", 1);
	c = place_fixture_by(&m, GRAIN_FILES);
	assert_string_equal(places_file(&c.pl, 0), "src/a.c");
	expect_places(&c, "src/a.c");
}

static void a_profile_without_locations_has_no_places(void **state)
{
	struct make m = make_start("samples/count");
	struct place_fixture c = place_fixture_by(&m, GRAIN_FUNCTIONS);

	(void)state;
	assert_int_equal(c.pl.n, 0);
	place_fixture_release(&c);
}

static void a_name_with_a_nul_keeps_its_bytes(void **state)
{
	struct make m = make_start("samples/count");
	struct builder_function f = { .id = 1, .name = make_text(&m, "a\0b", 3) };
	struct builder_location l = { .id = 1, .map = PROFILE_NONE };
	struct builder_line line = { 0 };
	struct buf b = { 0 };
	struct place_fixture c;
	uint32_t id;

	(void)state;
	builder_function(m.b, &f, &line.func, NULL);
	builder_location(m.b, &l, &line, 1, &id, NULL);
	c = place_fixture_by(&m, GRAIN_FUNCTIONS);
	places_add_name(&c.pl, 0, &b);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "a\0b", 3);
	buf_release(&b);
	place_fixture_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_differ_only_by_name),
		cmocka_unit_test(places_without_details_share_the_first),
		cmocka_unit_test(filefunctions_differ_by_name_and_file),
		cmocka_unit_test(a_file_is_one_place),
		cmocka_unit_test(a_file_is_one_place_in_two_binaries_and_with_two_start_lines),
		cmocka_unit_test(lines_do_not_differ_by_column),
		cmocka_unit_test(showcolumns_keeps_columns),
		cmocka_unit_test(addresses_keep_all_fields_and_columns),
		cmocka_unit_test(addresses_without_inlines_lose_their_columns),
		cmocka_unit_test(inlined_lines_of_a_location_are_places_innermost_first),
		cmocka_unit_test(without_inlines_a_location_is_its_last_line),
		cmocka_unit_test(one_function_is_one_place_inlined_or_not),
		cmocka_unit_test(a_function_in_two_binaries_is_one_place),
		cmocka_unit_test(locations_without_lines_are_named_by_their_binary),
		cmocka_unit_test(by_address_locations_without_lines_are_different),
		cmocka_unit_test(functions_without_a_name_differ_by_binary_and_start),
		cmocka_unit_test(by_file_a_function_without_a_file_is_its_binary),
		cmocka_unit_test(a_line_without_a_file_is_printed_as_colon_and_number),
		cmocka_unit_test(by_line_a_function_without_lines_is_shown_as_file_or_name),
		cmocka_unit_test(equal_cleaned_file_names_are_one_place),
		cmocka_unit_test(a_profile_without_locations_has_no_places),
		cmocka_unit_test(a_name_with_a_nul_keeps_its_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
