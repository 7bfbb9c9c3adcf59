/*
 * test_lines.c - replace the functions and lines of locations
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/lines.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/check_profile.h"
#include "tests/unit/make_profile.h"

static struct err err;

static struct new_line line(struct profile *p, const char *name, const char *file, int64_t no)
{
	str_id id = strtab_addz(p->str, name);

	return (struct new_line){ .name = id, .sysname = id, .file = strtab_addz(p->str, file), .line = no, .col = 7 };
}

/* The lines of a location: "inner@a.c:3 outer@a.c:9". */
static const char *lines_of(const struct profile *p, uint32_t loc)
{
	static char out[200];
	size_t n = 0;

	out[0] = '\0';
	for (uint32_t i = p->loc_line[loc]; i < p->loc_line[loc + 1]; i++) {
		uint32_t func = p->line_func[i];

		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s@%s:%d", n ? " " : "",
				      profile_text(p, p->func_name[func]), profile_text(p, p->func_file[func]),
				      (int)p->line_no[i]);
	}
	return out;
}

/* Locations: 0x10 without lines, 0x20 with one, 0x30 without. */
static struct profile *three_locations(void)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;

	ROW(&m, "0x10;0x20=old@o.c:1;0x30", 1);
	p = make_end(&m);
	p->loc_folded[0] = p->loc_folded[1] = true;
	return p;
}

static void only_the_given_locations_get_new_lines(void **state)
{
	struct profile *p = three_locations();
	struct new_line lines[] = { line(p, "in", "a.c", 3), line(p, "out", "a.c", 9), line(p, "out", "a.c", 11) };
	const uint32_t loc[] = { 0, 2 }, off[] = { 0, 2, 3 };
	const struct new_lines all = { .n = 2, .loc = loc, .off = off, .line = lines };

	(void)state;
	assert_int_equal(profile_set_lines(p, &all, &err), 0);
	assert_int_equal(profile_check(p, &err), 0);
	assert_string_equal(lines_of(p, 0), "in@a.c:3 out@a.c:9");
	assert_string_equal(lines_of(p, 1), "old@o.c:1");
	assert_string_equal(lines_of(p, 2), "out@a.c:11");
	assert_false(p->loc_folded[0]);
	assert_true(p->loc_folded[1]);
	profile_free(p);
}

static void equal_functions_are_merged_and_appended(void **state)
{
	struct profile *p = three_locations();
	struct new_line lines[] = { line(p, "f", "a.c", 3), line(p, "f", "a.c", 9), line(p, "f", "b.c", 9) };
	const uint32_t loc[] = { 0, 1, 2 }, off[] = { 0, 1, 2, 3 };
	const struct new_lines all = { .n = 3, .loc = loc, .off = off, .line = lines };
	uint64_t highest = p->func_id[p->n_funcs - 1];
	uint32_t before = p->n_funcs;

	(void)state;
	assert_int_equal(profile_set_lines(p, &all, &err), 0);
	assert_int_equal(profile_check(p, &err), 0);
	assert_int_equal(p->n_funcs, before + 2);
	assert_int_equal(p->func_id[before], highest + 1);
	assert_int_equal(p->line_func[p->loc_line[1]], before);
	assert_int_equal(p->line_func[p->loc_line[2]], before + 1);
	assert_string_equal(lines_of(p, 1), "f@a.c:9");
	assert_int_equal(p->line_col[p->loc_line[1]], 7);
	profile_free(p);
}

static void fails_if_no_function_id_is_free(void **state)
{
	struct profile *p = three_locations();
	struct new_line lines[] = { line(p, "f", "a.c", 3) };
	const uint32_t loc[] = { 0 }, off[] = { 0, 1 };
	const struct new_lines all = { .n = 1, .loc = loc, .off = off, .line = lines };

	(void)state;
	p->func_id[0] = UINT64_MAX;
	assert_int_equal(profile_set_lines(p, &all, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "too many functions to add 1");
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_given_locations_get_new_lines),
		cmocka_unit_test(equal_functions_are_merged_and_appended),
		cmocka_unit_test(fails_if_no_function_id_is_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
