/*
 * test_shell_label.c - labels in the syntax of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "front/shell/quote.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session/line.h"

/* The value of tagfocus after an assignment at the prompt; the caller frees. */
static char *assigned(const char *value)
{
	struct query q;
	struct settings *s;
	struct buf line = { 0 };
	struct line l = { 0 };
	char *got;

	query_init(&q);
	s = settings_new(&q);
	buf_addf(&line, "tagfocus=%s", value);
	assert_int_equal(line_read(buf_text(&line), s, NULL, &l, NULL), 0);
	assert_int_equal(l.kind, LINE_SET);
	got = strdup(settings_query(s)->tagfocus);
	line_release(&l);
	buf_release(&line);
	settings_free(s);
	query_release(&q);
	return got;
}

/* typed: the appended text; want: the value of tagfocus after it is typed. */
static void expect_text(const char *key, const char *value, size_t n, const char *typed, const char *want)
{
	struct buf b = { 0 };
	char *got;

	assert_true(shell_label_add_text(key, value, n, &b));
	assert_string_equal(buf_text(&b), typed);
	got = assigned(typed);
	assert_string_equal(got, want);
	free(got);
	buf_release(&b);
}

static void a_text_becomes_an_expression_that_matches_only_it(void **state)
{
	(void)state;
	expect_text("tenant", "islands", 7, "tenant=^islands$", "tenant=^islands$");
	expect_text("bytes", "64kb", 4, "bytes=^64kb$", "bytes=^64kb$");
	expect_text("k", "", 0, "k=^$", "k=^$");
	expect_text("k", "a.b|c", 5, "k=^a\\.b\\|c$", "k=^a\\.b\\|c$");
	expect_text("two words", "x y", 3, "two words=^x y$", "two words=^x y$");
}

static void commas_and_control_characters_are_escaped(void **state)
{
	(void)state;
	expect_text("k", "a,b", 3, "k=^a\\x{2c}b$", "k=^a\\x{2c}b$");
	expect_text("k", "a\0b\n", 4, "k=^a\\x{0}b\\x{a}$", "k=^a\\x{0}b\\x{a}$");
	expect_text("k", "\xff", 1, "k=^\\x{fffd}$", "k=^\\x{fffd}$");
	expect_text("k", "a=\"'", 4, "k=^a\\x{3d}\\x{22}\\x{27}$", "k=^a\\x{3d}\\x{22}\\x{27}$");
}

static void a_key_with_an_equals_sign_moves_into_the_expression(void **state)
{
	(void)state;
	expect_text("", "v", 1, "^:v$", "^:v$");
	expect_text("a=b", "v", 1, "^a\\x{3d}b:v$", "^a\\x{3d}b:v$");
}

static void text_that_an_assignment_would_cut_is_quoted(void **state)
{
	struct buf b = { 0 };

	(void)state;
	expect_text(" k", "v", 1, "' k=^v$'", " k=^v$");
	expect_text("\"k\"", "v", 1, "'\"k\"=^v$'", "\"k\"=^v$");
	expect_text("'k", "v", 1, "\"'k=^v$\"", "'k=^v$");
	expect_text("k", "http://:80", 10, "'k=^http://:80$'", "k=^http://:80$");
	assert_false(shell_label_add_text("'k\"", "v", 1, &b));
	assert_int_equal(b.len, 0);
	buf_release(&b);
}

static void expect_numbers(const char *key, int64_t lo, int64_t hi, const char *unit, const char *want)
{
	struct buf b = { 0 };

	assert_int_equal(shell_label_add_numbers(key, lo, hi, unit, &b), want != NULL);
	assert_string_equal(buf_text(&b), want ? want : "");
	buf_release(&b);
}

static void numbers_become_a_range_in_their_unit(void **state)
{
	(void)state;
	expect_numbers("bytes", 64, 64, "bytes", "bytes=64bytes");
	expect_numbers("bytes", 1024, 1033, "bytes", "bytes=1024bytes:1033bytes");
	expect_numbers("debt", -7, -7, "debt", "debt=-7");
	expect_numbers("a=b", 1, 1, "", NULL);
	expect_numbers("", 1, 1, "", NULL);
}

static void a_key_with_a_comma_cannot_be_added_to_a_list(void **state)
{
	struct buf b = { 0 };

	(void)state;
	assert_false(shell_label_add_key("a,b", &b));
	assert_false(shell_label_add_key("", &b));
	assert_true(shell_label_add_key("a b", &b));
	assert_string_equal(buf_text(&b), "a b");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_becomes_an_expression_that_matches_only_it),
		cmocka_unit_test(commas_and_control_characters_are_escaped),
		cmocka_unit_test(a_key_with_an_equals_sign_moves_into_the_expression),
		cmocka_unit_test(text_that_an_assignment_would_cut_is_quoted),
		cmocka_unit_test(numbers_become_a_range_in_their_unit),
		cmocka_unit_test(a_key_with_a_comma_cannot_be_added_to_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
