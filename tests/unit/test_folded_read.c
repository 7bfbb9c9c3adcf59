/*
 * test_folded_read.c - read folded stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/folded/folded.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "tests/unit/check_profile.h"
#include "profile/stack_walk.h"

static const struct format_options no_limits;

static struct profile *read_bytes(const void *data, size_t n)
{
	struct profile *p = NULL;
	struct err err;

	if (folded_read(data, n, &no_limits, &p, &err) < 0 || profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static struct profile *read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void expect_error(const char *text, const struct format_options *limits, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(folded_read((const uint8_t *)text, strlen(text), limits, &p, &err), code);
	assert_string_equal(err.msg, message);
	assert_null(p);
}

/* Check a row: its values, and its frames from the root, separated by |. */
static void expect_row(const struct profile *p, uint32_t row, int64_t first, int64_t second, const char *frames)
{
	struct buf got = { 0 };
	uint32_t loc;

	assert_true(row < p->n_rows);
	assert_int_equal(p->value[0][row], first);
	if (p->n_types > 1)
		assert_int_equal(p->value[1][row], second);
	for (struct stack_walk w = stack_walk(p, p->stack[row], STACK_ROOT_FIRST); stack_walk_next(&w, &loc);) {
		buf_addz(&got, got.len ? "|" : "");
		buf_addz(&got, profile_text(p, p->func_name[p->line_func[p->loc_line[loc]]]));
	}
	assert_string_equal(buf_text(&got), frames);
	buf_release(&got);
}

static void expect_comment(const struct profile *p, uint32_t i, const char *text)
{
	assert_true(i < p->meta.n_comments);
	assert_string_equal(profile_text(p, p->meta.comment[i]), text);
}

static void the_number_is_split_from_the_right(void **state)
{
	struct profile *p = read_text("main;worker one 12;leaf 3\nmain;thread 7 9\r\n\nmain;two  blanks  at end  4\n"
				      "a\t5");

	(void)state;
	assert_int_equal(p->n_types, 1);
	assert_string_equal(profile_text(p, p->type[0].name), "samples");
	assert_string_equal(profile_text(p, p->type[0].unit), "count");
	assert_int_equal(p->n_rows, 4);
	expect_row(p, 0, 3, 0, "main|worker one 12|leaf");
	expect_row(p, 1, 9, 0, "main|thread 7");
	expect_row(p, 2, 4, 0, "main|two  blanks  at end");
	expect_row(p, 3, 5, 0, "a");
	assert_int_equal(p->meta.n_comments, 0);
	profile_free(p);
}

static void names_are_kept_byte_for_byte(void **state)
{
	struct profile *p = read_text("<module> (a.py:1);std::map<int, char>::at(int) [clone .cold]_[j];x_[k] 1\n"
				      "#<Class:0x1>;a\\;b_[i] 2\n# a comment\n");

	(void)state;
	assert_int_equal(p->n_rows, 2);
	expect_row(p, 0, 1, 0, "<module> (a.py:1)|std::map<int, char>::at(int) [clone .cold]_[j]|x_[k]");
	expect_row(p, 1, 2, 0, "#<Class:0x1>|a\\|b_[i]");
	for (uint32_t f = 0; f < p->n_funcs; f++) /* without a system name nothing demangles them */
		assert_string_equal(profile_text(p, p->func_sysname[f]), "");
	assert_int_equal(p->meta.n_comments, 0);
	profile_free(p);
}

static void frames_of_a_name_are_one_function(void **state)
{
	struct profile *p = read_text("a;b;a 1\na;b;a 2\nb 3\n");

	(void)state;
	assert_int_equal(p->n_funcs, 2);
	assert_int_equal(p->n_locs, 2);
	assert_int_equal(p->stacks.n, 2);
	profile_free(p);
}

static void two_numbers_in_each_line_are_two_types(void **state)
{
	struct profile *p = read_text("a;b 5 8\na;c 0 2\n7 1 3\n");

	(void)state;
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[0].name), "before");
	assert_string_equal(profile_text(p, p->type[1].name), "after");
	assert_int_equal(p->n_rows, 3);
	expect_row(p, 0, 5, 8, "a|b");
	expect_row(p, 1, 0, 2, "a|c");
	expect_row(p, 2, 1, 3, "7");
	profile_free(p);

	p = read_text("a;b 5 8\na;c 2\n"); /* one line with one number: the other is part of a name */
	assert_int_equal(p->n_types, 1);
	expect_row(p, 0, 8, 0, "a|b 5");
	profile_free(p);
}

static void values_may_be_fractions_or_negative(void **state)
{
	struct profile *p = read_text("a 2.5\nb 1\nc -3.25\nzero 0\nzero 0.0\nf 4.\n");

	(void)state;
	assert_int_equal(p->n_rows, 4);
	expect_row(p, 0, 250, 0, "a");
	expect_row(p, 1, 100, 0, "b");
	expect_row(p, 2, -325, 0, "c");
	expect_row(p, 3, 400, 0, "f");
	assert_int_equal(p->meta.n_comments, 1);
	expect_comment(p, 0, "folded: values are multiplied by 100, because some are fractions");
	profile_free(p);

	p = read_text("a 0.12345678\nb 1.9999999\n"); /* at most six decimals, rounded */
	expect_row(p, 0, 123457, 0, "a");
	expect_row(p, 1, 2000000, 0, "b");
	profile_free(p);

	p = read_text("a;b 1.5 2\n"); /* of both numbers */
	expect_row(p, 0, 15, 20, "a|b");
	profile_free(p);
}

static void what_is_skipped_is_counted(void **state)
{
	struct profile *p = read_text("a;b 1\nno number\n;c;;d 2\n12\na; 3\n 4\n");

	(void)state;
	assert_int_equal(p->n_rows, 4);
	expect_row(p, 1, 2, 0, "c|d");
	expect_row(p, 2, 3, 0, "a");
	expect_row(p, 3, 4, 0, ""); /* a value without frames is not lost */
	assert_int_equal(p->meta.n_comments, 2);
	expect_comment(p, 0, "folded: skipped 2 lines without a number at their end, the first in line 2");
	expect_comment(p, 1, "folded: skipped 2 empty frames, the first in line 3");
	profile_free(p);
}

static void utf16_and_a_byte_order_mark_are_read(void **state)
{
	static const char little[] = "\xff\xfe"
				     "a\0;\0\xe4\0 \0"
				     "7\0\r\0\n\0b\0\x3d\xd8\0\xde \0"
				     "2\0";
	static const char big[] = "\xfe\xff\0a\0;\0b\0 \0"
				  "7";
	struct profile *p = read_bytes(little, sizeof(little) - 1);

	(void)state;
	assert_int_equal(p->n_rows, 2);
	expect_row(p, 0, 7, 0, "a|\xc3\xa4");
	expect_row(p, 1, 2, 0, "b\xf0\x9f\x98\x80");
	profile_free(p);
	p = read_bytes(big, sizeof(big) - 1);
	expect_row(p, 0, 7, 0, "a|b");
	profile_free(p);
	p = read_text("\xef\xbb\xbfmain;x 1\n");
	expect_row(p, 0, 1, 0, "main|x");
	profile_free(p);
}

static void errors_name_the_line(void **state)
{
	const struct format_options two_rows = { .max_count = 2 }, two_frames = { .max_depth = 2 };

	(void)state;
	expect_error("", &no_limits, ERR_FORMAT, "the text has no stack");
	expect_error("# only a comment\n\n", &no_limits, ERR_FORMAT, "the text has no stack");
	expect_error("\na\nb\n", &no_limits, ERR_FORMAT, "line 2: no number at the end, as in all other lines");
	expect_error("a 1\nb 99999999999999999999\n", &no_limits, ERR_FORMAT,
		     "line 2: the number 99999999999999999999 is too large");
	expect_error("a 0.5\nb 9000000000000000000\n", &no_limits, ERR_FORMAT,
		     "line 2: the number 9000000000000000000 is too large");
	expect_error("a 1\na 1\na 1\n", &two_rows, ERR_LIMIT,
		     "line 3: more than 2 stacks; raise the limit with --max-count");
	expect_error("a;b;c 1\n", &two_rows, ERR_LIMIT,
		     "line 1: more than 2 functions; raise the limit with --max-count");
	expect_error("a;b 1\na;b;c 1\n", &two_frames, ERR_LIMIT,
		     "line 2: more than 2 frames; raise the limit with --max-depth");
}

#define PROBE(literal) folded_probe((const uint8_t *)(literal), sizeof(literal) - 1)

static void text_without_semicolons_is_ambiguous(void **state)
{
	(void)state;
	assert_int_equal(PROBE("a;b 1\n"), FORMAT_SURE);
	assert_int_equal(PROBE("<module>;b 1\n<module> 2\n"), FORMAT_SURE);
	assert_int_equal(PROBE("[thread tid=1];b 1\n"), FORMAT_SURE);
	assert_int_equal(PROBE("# made by x\n\na;b 1\nc 2"), FORMAT_SURE);
	assert_int_equal(PROBE("a;b 1\na;b 1\na;b 1\na;b 1\na;b 1\nnone\n"), FORMAT_SURE);
	assert_int_equal(PROBE("\xff\xfe"
			       "a\0;\0b\0 \0"
			       "1\0"),
			 FORMAT_SURE);
	assert_int_equal(PROBE("a;b 1\nnone\n"), FORMAT_MAYBE);
	assert_int_equal(PROBE("main 1\nwork 2\n"), FORMAT_MAYBE);
	assert_int_equal(PROBE("main 1\nwork\nx 2\n"), FORMAT_NO);
	assert_int_equal(PROBE("heap profile: 12"), FORMAT_NO);
	assert_int_equal(PROBE("int a = 1;\nint b = 2;\n"), FORMAT_NO);
	assert_int_equal(PROBE("a;b 1\0\n"), FORMAT_NO);
	assert_int_equal(PROBE("12\n"), FORMAT_NO);
	assert_int_equal(PROBE(""), FORMAT_NO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_number_is_split_from_the_right),
		cmocka_unit_test(names_are_kept_byte_for_byte),
		cmocka_unit_test(frames_of_a_name_are_one_function),
		cmocka_unit_test(two_numbers_in_each_line_are_two_types),
		cmocka_unit_test(values_may_be_fractions_or_negative),
		cmocka_unit_test(what_is_skipped_is_counted),
		cmocka_unit_test(utf16_and_a_byte_order_mark_are_read),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(text_without_semicolons_is_ambiguous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
