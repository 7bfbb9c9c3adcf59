/*
 * test_jemalloc.c - read heap profiles of jemalloc
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/jemalloc/jemalloc.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "tests/unit/check_profile.h"
#include "tests/unit/damage_reader.h"

static const struct format_options no_limits;

#define MAPS                                                                                                           \
	"\nMAPPED_LIBRARIES:\n"                                                                                        \
	"00400000-00500000 r-xp 00000000 08:01 1 /srv/barn\n"                                                          \
	"7f0000000000-7f0000100000 r-xp 00000000 08:01 2 /usr/lib/libjemalloc.so.2\n"

static const char two_threads[] = "heap_v2/4096\n"
				  "  t*: 30: 3000 [0: 0]\n"
				  "  t0: 10: 1000 [0: 0] name: of a thread\n"
				  "  t1: 20: 2000 [0: 0]\n"
				  "@ 0x7f0000000101 0x7f0000000201 0x400101 0x400201\n"
				  "  t*: 20: 2000 [0: 0]\n"
				  "  t0: 5: 500 [0: 0]\n"
				  "  t1: 15: 1500 [0: 0]\n"
				  "@ 0x7f0000000101 0x400301 0x400201\n"
				  "  t*: 10: 1000 [0: 0]\n"
				  "  t1: 10: 1000 [0: 0]\n" MAPS;

static struct profile *jemalloc_text(const char *text)
{
	struct profile *p = NULL;
	struct err err;

	if (jemalloc_read((const uint8_t *)text, strlen(text), &no_limits, &p, &err) < 0 || profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static void expect_jemalloc_error(const char *text, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(jemalloc_read((const uint8_t *)text, strlen(text), &no_limits, &p, &err), code);
	assert_string_equal(err.msg, message);
	assert_null(p);
}

static int64_t jemalloc_total(const struct profile *p, uint32_t type)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->n_rows; i++)
		sum += p->value[type][i];
	return sum;
}

/* 100 bytes each: s = 1 / (1 - exp(-100 / 4096)) = 41.462.., so 20 objects are 829.24.. and 2000 bytes 82924.. */
static void values_are_scaled_per_stack_and_threads_are_not_added(void **state)
{
	struct profile *p = jemalloc_text(two_threads);

	(void)state;
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[0].name), "inuse_objects");
	assert_string_equal(profile_text(p, p->type[1].name), "inuse_space");
	assert_string_equal(profile_text(p, p->type[1].unit), "bytes");
	assert_int_equal(p->meta.period, 4096);
	assert_string_equal(profile_text(p, p->meta.period_type.name), "space");
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(p->value[0][0], 829);
	assert_int_equal(p->value[1][0], 82924);
	assert_int_equal(jemalloc_total(p, 0), 1243); /* 30 * 41.462 = 1243.86, truncated once */
	assert_int_equal(jemalloc_total(p, 1), 124386);
	assert_int_equal(p->meta.n_comments, 0);
	profile_free(p);
}

static void frames_of_the_allocator_are_left_out(void **state)
{
	struct profile *p = jemalloc_text(two_threads);

	(void)state;
	assert_int_equal(p->stacks.off[p->stack[0] + 1] - p->stacks.off[p->stack[0]], 2);
	assert_int_equal(p->loc_addr[stack_id_at(&p->stacks, p->stacks.off[p->stack[0]])], 0x400100); /* in the call */
	assert_int_equal(p->loc_addr[stack_id_at(&p->stacks, p->stacks.off[p->stack[1]])], 0x400300);
	assert_string_equal(profile_text(p, p->map[0].file), "/srv/barn");
	assert_non_null(strstr(profile_text(p, p->meta.drop_frames), "(_rjem_)?je_.*"));
	profile_free(p);

	p = jemalloc_text("heap_v2/1\n@ 0x7f0000000101 0x7f0000000201\n t*: 1: 8 [0: 0]\n" MAPS);
	assert_int_equal(p->n_locs, 1); /* a sample keeps its last frame */
	assert_int_equal(p->loc_addr[0], 0x7f0000000200);
	profile_free(p);
}

static void accumulated_values_are_types_if_there_are_any(void **state)
{
	struct profile *p = jemalloc_text("heap_v2/1\n  t*: 1: 8 [3: 24]\n@ 0x400101\n  t*: 1: 8 [3: 24]\n" MAPS);

	(void)state;
	assert_int_equal(p->n_types, 4);
	assert_string_equal(profile_text(p, p->type[0].name), "alloc_objects");
	assert_int_equal(p->value[0][0], 3);
	assert_int_equal(p->value[1][0], 24);
	assert_int_equal(p->value[2][0], 1);
	assert_int_equal(p->value[3][0], 8);
	profile_free(p);
}

static void what_is_missing_is_said(void **state)
{
	struct profile *p =
		jemalloc_text("heap_v2/1\n@ 0x400101\n@ 0x400201\n t*: 1: 8 [0: 0]\nwhat\n@ 0x400301\n t*: 1");

	(void)state;
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(p->meta.n_comments, 3);
	assert_string_equal(profile_text(p, p->meta.comment[0]),
			    "jemalloc: skipped 2 stacks without numbers, the first in line 2");
	assert_string_equal(profile_text(p, p->meta.comment[1]),
			    "jemalloc: skipped 2 unknown lines, the first in line 5");
	assert_non_null(strstr(profile_text(p, p->meta.comment[2]), "no memory map"));
	profile_free(p);
}

static void errors_have_the_line(void **state)
{
	(void)state;
	expect_jemalloc_error("heap profile: 1", ERR_UNKNOWN, "not a heap profile of jemalloc");
	expect_jemalloc_error("heap_v2/x\n", ERR_FORMAT, "line 1: no sampling rate after heap_v2/");
	expect_jemalloc_error("heap_v2/9999999999999999999\n", ERR_FORMAT, "line 1: no sampling rate after heap_v2/");
	expect_jemalloc_error("heap_v2/1\n", ERR_FORMAT, "the file has no stack and no memory map; it may be cut");
	expect_jemalloc_error("heap_v2/1\n@ 0x12345678901234567\n", ERR_FORMAT, "line 2: address of more than 64 bits");
	expect_jemalloc_error("heap_v2/1\n@ 0x1\n t*: 1: 9999999999999999999 [0: 0]\n", ERR_FORMAT,
			      "line 3: number overflows 64 bits");
	expect_jemalloc_error("heap_v2/1\n@ 0x1\n t*: 1: 9000000000000000000 [0: 0]\n@ 0x2\n"
			      " t*: 1: 9000000000000000000 [0: 0]\n",
			      ERR_FORMAT, "line 5: scaled value overflows 64 bits");
}

static void damaged_files_are_read_or_refused(void **state)
{
	const char *folder = getenv("TESTDATA");
	struct bytes b = { 0 };
	char path[4096];
	struct err err;

	(void)state;
	if (!folder)
		skip();
	snprintf(path, sizeof(path), "%s/formats/jemalloc/accum.heap", folder);
	if (io_read_file(path, SIZE_MAX, "", &b, &err) < 0)
		fail_msg("%s: %s", path, err.msg);
	damage_reader(jemalloc_read, b.data, b.n);
	free(b.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_scaled_per_stack_and_threads_are_not_added),
		cmocka_unit_test(frames_of_the_allocator_are_left_out),
		cmocka_unit_test(accumulated_values_are_types_if_there_are_any),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(errors_have_the_line),
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
