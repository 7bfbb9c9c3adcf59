/*
 * test_memmap.c - read memory maps, and find the mappings of addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/legacy/memmap.h"

#include "formats/legacy/legacy_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct format_options no_limits;

struct fixture {
	struct strtab *str;
	struct memmap m;
};

static void parse(struct fixture *f, const char *text)
{
	struct lines in = { .at = text, .end = text + strlen(text) };
	struct err err;

	*f = (struct fixture){ .str = strtab_new() };
	if (memmap_read(&f->m, &in, f->str, &no_limits, &err) < 0)
		fail_msg("%s", err.msg);
}

static void release(struct fixture *f)
{
	memmap_release(&f->m);
	strtab_free(f->str);
}

static void expect_range(const struct fixture *f, size_t i, uint64_t start, uint64_t limit, uint64_t offset)
{
	assert_true(i < f->m.n);
	assert_int_equal(f->m.map[i].start, start);
	assert_int_equal(f->m.map[i].limit, limit);
	assert_int_equal(f->m.map[i].offset, offset);
}

static void expect_names(const struct fixture *f, size_t i, const char *file, const char *build_id)
{
	assert_string_equal(strtab_text(f->str, f->m.map[i].file), file);
	assert_string_equal(strtab_text(f->str, f->m.map[i].build_id), build_id);
}

static void lines_of_proc_maps_are_read(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "00400000-00500000 r-xp 00001000 08:01 42   /bin/a (deleted)\n"
		  "500000-600000 2000 fd:0 7\n");
	assert_int_equal(f.m.n, 2);
	expect_range(&f, 0, 0x400000, 0x500000, 0x1000);
	expect_names(&f, 0, "/bin/a", "");
	expect_range(&f, 1, 0x500000, 0x600000, 0x2000);
	release(&f);
}

static void brief_lines_are_read(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "0x400000 0x500000: r-xp /lib.so (@FF00) deadbeefxyz\n600000-700000: /bin/b\n");
	assert_int_equal(f.m.n, 2);
	expect_range(&f, 0, 0x400000, 0x500000, 0xff00);
	expect_names(&f, 0, "/lib.so", "deadbeef");
	expect_names(&f, 1, "/bin/b", "");
	release(&f);
}

static void mappings_without_execute_permission_are_skipped(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "400000-500000 rw-p 0 08:01 42 /a\n400000-500000 r--p /b\n400000-500000 pprof\n");
	assert_int_equal(f.m.n, 0);
	release(&f);
}

static void lines_with_addresses_beyond_64_bits_are_skipped(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "400000-10000000000000000 r-xp 0 08:01 42 /a\n");
	assert_int_equal(f.m.n, 0);
	release(&f);
}

static void a_number_without_separator_is_split_into_two_addresses(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "12\n400x9\n deadbeef 08:01 5 /file\n");
	expect_range(&f, 0, 0x1, 0x2, 0);
	expect_range(&f, 1, 0x40, 0x9, 0);
	expect_range(&f, 2, 0xdeadbee, 0xf, 0);
	expect_names(&f, 2, "/file", "");
	release(&f);
}

static void keys_are_replaced_in_later_lines(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "1-2 $root/a\n root = /x\nroot=/y\ntop=$root/top\n2-3 $top/$rooter/$none$\n");
	expect_names(&f, 0, "$root/a", "");
	expect_names(&f, 1, "/x/top//xer/$none$", "");
	release(&f);
}

static void the_first_defined_matching_key_is_used(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "ro=1\nroot=2\n1-2 $root\n");
	expect_names(&f, 0, "1ot", "");
	release(&f);
}

static void a_log_prefix_is_removed(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "I0101 00:00 7 maps.cc:12] 1-2 r-xp /a\n[x.cc:12] 2-3 r-xp /b\n");
	assert_int_equal(f.m.n, 1);
	expect_names(&f, 0, "/a", "");
	release(&f);
}

static void exponential_replacement_is_an_error(void **state)
{
	char text[1024] = "gA=xxxxxxxx\n";
	struct lines in = { .at = text };
	struct memmap m = { 0 };
	struct strtab *str = strtab_new();
	struct err err;

	(void)state;
	for (char c = 'A'; c < 'Z'; c++) {
		char line[] = { 'g', c + 1, '=', '$', 'g', c, '$', 'g', c, '\n', 0 };

		strcat(text, line);
	}
	in.end = text + strlen(text);
	assert_int_equal(memmap_read(&m, &in, str, &no_limits, &err), ERR_FORMAT);
	assert_non_null(strstr(err.msg, "replacing $key makes the memory map more than 16 times longer"));
	memmap_release(&m);
	strtab_free(str);
}

static void too_many_mappings_are_an_error(void **state)
{
	static const char text[] = "1-2\n2-3\n";
	struct lines in = { .at = text, .end = text + strlen(text) };
	const struct format_options limits = { .max_count = 1 };
	struct memmap m = { 0 };
	struct strtab *str = strtab_new();
	struct err err;

	(void)state;
	assert_int_equal(memmap_read(&m, &in, str, &limits, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "memory map, line 2: more than 1 mappings; raise the limit with --max-count");
	memmap_release(&m);
	strtab_free(str);
}

static void adjacent_mappings_of_a_file_are_joined(void **state)
{
	struct fixture f;

	(void)state;
	/* an offset of 0 and a missing name match anything */
	parse(&f, "1000-2000 r-xp 0 0:0 0 /a\n2000-3000 r-xp 1000 0:0 0\n"
		  "3000-4000 r-xp 5000 0:0 0 /a\n4000-5000 r-xp 3000 0:0 0 /b\n");
	memmap_normalize(&f.m, f.str);
	assert_int_equal(f.m.n, 2);
	expect_range(&f, 0, 0x1000, 0x4000, 0);
	release(&f);
}

static void adjacent_mappings_with_other_offsets_are_not_joined(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "1000-2000 r-xp 1000 0:0 0 /a\n2000-3000 r-xp 2000 0:0 0 /a\n"
		  "3000-4000 r-xp 9000 0:0 0 /a\n");
	memmap_normalize(&f.m, f.str);
	assert_int_equal(f.m.n, 2);
	expect_range(&f, 0, 0x1000, 0x3000, 0x1000);
	expect_range(&f, 1, 0x3000, 0x4000, 0x9000);
	release(&f);
}

static void the_main_binary_is_swapped_with_the_first_mapping(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "1000-2000 [vdso]\n3000-4000 /lib.so\n5000-6000 /l.so.6\n"
		  "7000-8000 /bin/a\n9000-a000 /bin/b\n");
	memmap_normalize(&f.m, f.str);
	expect_names(&f, 0, "/bin/a", "");
	expect_names(&f, 3, "[vdso]", "");
	release(&f);
}

static void an_address_is_in_the_first_mapping_that_contains_it(void **state)
{
	static const uint64_t addr[] = { 0x1500, 0x2500, 0x2000, 0, 0x1500 };
	uint32_t map[5];
	struct fixture f;

	(void)state;
	parse(&f, "1000-2000 /a\n1400-3000 /b\n");
	memmap_assign(&f.m, f.str, addr, 5, map);
	assert_int_equal(map[0], 0);
	assert_int_equal(map[1], 1);
	assert_int_equal(map[2], 1);
	assert_true(map[3] == PROFILE_NONE);
	assert_int_equal(map[4], 0);
	assert_int_equal(f.m.n, 2);
	release(&f);
}

static void an_address_in_the_missing_start_extends_the_mapping(void **state)
{
	static const uint64_t addr[] = { 0x4800, 0x4000, 0x3fff };
	uint32_t map[3];
	struct fixture f;

	(void)state;
	parse(&f, "5000-6000 r-xp 1000 0:0 0 /a\n");
	memmap_assign(&f.m, f.str, addr, 3, map);
	assert_int_equal(map[0], 0);
	assert_int_equal(map[1], 0);
	assert_int_equal(map[2], 1);
	expect_range(&f, 0, 0x4000, 0x6000, 0);
	expect_range(&f, 1, 0, UINT64_MAX, 0);
	release(&f);
}

static void no_mapping_is_extended_after_one_covers_all_addresses(void **state)
{
	static const uint64_t addr[] = { 0x3fff, 0x4800 };
	uint32_t map[2];
	struct fixture f;

	(void)state;
	parse(&f, "5000-6000 r-xp 1000 0:0 0 /a\n");
	memmap_assign(&f.m, f.str, addr, 2, map);
	assert_int_equal(map[1], 1);
	expect_range(&f, 0, 0x5000, 0x6000, 0x1000);
	release(&f);
}

static void huge_pages_before_the_binary_are_dropped(void **state)
{
	static const uint64_t addr[] = { 0x1000 };
	uint32_t map[1];
	struct fixture f;

	(void)state;
	parse(&f, "1000-2000 r-xp 0 0:0 0 /anon_hugepage(x)\n2000-3000 r-xp 1000 0:0 0 /a\n");
	memmap_assign(&f.m, f.str, addr, 1, map);
	assert_int_equal(f.m.n, 1);
	expect_range(&f, 0, 0x1000, 0x3000, 0);
	assert_int_equal(map[0], 0);
	release(&f);
}

static void a_binary_linked_at_0x400000_starts_there(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "401000-402000 r-xp 1000 0:0 0 /a\n");
	memmap_assign(&f.m, f.str, NULL, 0, NULL);
	expect_range(&f, 0, 0x400000, 0x402000, 0);
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_proc_maps_are_read),
		cmocka_unit_test(brief_lines_are_read),
		cmocka_unit_test(mappings_without_execute_permission_are_skipped),
		cmocka_unit_test(lines_with_addresses_beyond_64_bits_are_skipped),
		cmocka_unit_test(a_number_without_separator_is_split_into_two_addresses),
		cmocka_unit_test(keys_are_replaced_in_later_lines),
		cmocka_unit_test(the_first_defined_matching_key_is_used),
		cmocka_unit_test(a_log_prefix_is_removed),
		cmocka_unit_test(exponential_replacement_is_an_error),
		cmocka_unit_test(too_many_mappings_are_an_error),
		cmocka_unit_test(adjacent_mappings_of_a_file_are_joined),
		cmocka_unit_test(adjacent_mappings_with_other_offsets_are_not_joined),
		cmocka_unit_test(the_main_binary_is_swapped_with_the_first_mapping),
		cmocka_unit_test(an_address_is_in_the_first_mapping_that_contains_it),
		cmocka_unit_test(an_address_in_the_missing_start_extends_the_mapping),
		cmocka_unit_test(no_mapping_is_extended_after_one_covers_all_addresses),
		cmocka_unit_test(huge_pages_before_the_binary_are_dropped),
		cmocka_unit_test(a_binary_linked_at_0x400000_starts_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
