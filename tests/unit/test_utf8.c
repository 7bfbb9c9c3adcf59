/*
 * test_utf8.c - UTF-8, and escaping of untrusted text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect_decoded(const char *s, size_t n, size_t length, uint32_t character)
{
	uint32_t c = 0xdead;

	assert_int_equal(utf8_decode(s, n, &c), length);
	assert_int_equal(c, length ? character : 0xdead);
}

static void expect_safe(const char *s, size_t n, const char *safe)
{
	struct buf b = { 0 };

	utf8_add_safe(&b, s, n);
	assert_string_equal(buf_text(&b), safe);
	assert_int_equal(b.len, strlen(safe));
	buf_release(&b);
}

static void the_first_and_last_character_of_each_length_decode(void **state)
{
	(void)state;
	expect_decoded("\0", 1, 1, 0);
	expect_decoded("\x7f", 1, 1, 0x7f);
	expect_decoded("\xc2\x80", 2, 2, 0x80);
	expect_decoded("\xdf\xbf", 2, 2, 0x7ff);
	expect_decoded("\xe0\xa0\x80", 3, 3, 0x800);
	expect_decoded("\xef\xbf\xbf", 3, 3, 0xffff);
	expect_decoded("\xf0\x90\x80\x80", 4, 4, 0x10000);
	expect_decoded("\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff);
}

static void overlong_forms_are_not_utf8(void **state)
{
	(void)state;
	expect_decoded("\xc0\x80", 2, 0, 0);
	expect_decoded("\xc1\xbf", 2, 0, 0);
	expect_decoded("\xe0\x9f\xbf", 3, 0, 0);
	expect_decoded("\xf0\x8f\xbf\xbf", 4, 0, 0);
}

static void surrogates_and_codes_beyond_unicode_are_not_utf8(void **state)
{
	(void)state;
	expect_decoded("\xed\xa0\x80", 3, 0, 0);
	expect_decoded("\xed\xbf\xbf", 3, 0, 0);
	expect_decoded("\xf4\x90\x80\x80", 4, 0, 0);
	expect_decoded("\xf5\x80\x80\x80", 4, 0, 0);
	expect_decoded("\xff", 1, 0, 0);
}

static void a_truncated_character_is_not_utf8(void **state)
{
	(void)state;
	expect_decoded("\xc3\xa9", 1, 0, 0);
	expect_decoded("\xe2\x82\xac", 2, 0, 0);
	expect_decoded("\xf0\x9f\x98\x80", 3, 0, 0);
	expect_decoded("\xe2\x28\xa1", 3, 0, 0);
	expect_decoded("\x80", 1, 0, 0);
}

static void each_invalid_byte_counts_as_one_character(void **state)
{
	(void)state;
	assert_int_equal(utf8_count("", 0), 0);
	assert_int_equal(utf8_count("abc", 3), 3);
	assert_int_equal(utf8_count("\xce\xbcs", 3), 2);
	assert_int_equal(utf8_count("\xe2\x82", 2), 2);  /* a truncated sequence */
	assert_int_equal(utf8_count("\xe2\x82x", 3), 3); /* a sequence interrupted by an x */
	assert_int_equal(utf8_count("\xff\xc3\xa9\x80", 4), 3);
}

static void printable_text_of_any_script_is_unchanged(void **state)
{
	static const char text[] = "std::map<int, \xc3\xa9> \xd7\xa9\xd7\x9c\xe6\xbc\xa2\xf0\x9f\x98\x80\t\\n\"'|`";

	(void)state;
	expect_safe(text, strlen(text), text);
}

static void control_characters_are_escaped(void **state)
{
	(void)state;
	expect_safe("a\nb\rc", 5, "a\\nb\\rc");
	expect_safe("\x1b[31m", 5, "\\x1b[31m");
	expect_safe("\x7f\x01", 2, "\\x7f\\x01");
	expect_safe("a\0b", 3, "a\\x00b");
	expect_safe("\xc2\x9b"
		    "31m",
		    5, "\\u{9b}31m"); /* C1: CSI as a single character */
}

static void one_byte_is_escaped_at_any_position(void **state)
{
	static const unsigned char bytes[] = { 0x01, 0x1f, 0x7f, 0x80, 0xff };
	enum { N = 25 };

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		for (int at = 0; at < N; at++) {
			char text[N + 1], want[N + 10];

			memset(text, at % 2 ? ' ' : '~', N);
			text[N] = 0;
			snprintf(want, sizeof(want), "%.*s\\x%02x%s", at, text, bytes[i], text + at + 1);
			text[at] = (char)bytes[i];
			expect_safe(text, N, want);
		}
	}
}

static void direction_and_line_marks_are_escaped(void **state)
{
	(void)state;
	expect_safe("a\xe2\x80\xae"
		    "b",
		    5, "a\\u{202e}b");                    /* right-to-left override */
	expect_safe("\xe2\x81\xa6", 3, "\\u{2066}");      /* left-to-right isolate */
	expect_safe("\xd8\x9c", 2, "\\u{61c}");           /* Arabic letter mark */
	expect_safe("\xe2\x80\xa8", 3, "\\u{2028}");      /* line separator */
	expect_safe("\xef\xbb\xbf", 3, "\\u{feff}");      /* byte order mark */
	expect_safe("\xf3\xa0\x81\x81", 4, "\\u{e0041}"); /* a tag character */
}

static void each_invalid_byte_is_escaped(void **state)
{
	(void)state;
	expect_safe("\xff", 1, "\\xff");
	expect_safe("a\xe2\x82", 3, "a\\xe2\\x82");
	expect_safe("\x9b"
		    "31m",
		    4, "\\x9b31m"); /* a bare C1 byte */
	expect_safe("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");
}

static void safe_text_is_appended(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_addz(&b, "x");
	utf8_add_safe(&b, "", 0);
	utf8_add_safe(&b, "\ny", 2);
	assert_string_equal(b.data, "x\\ny");
	buf_release(&b);
}

static void expect_short(const char *s, size_t max, const char *shown)
{
	struct buf b = { 0 };

	utf8_add_short(&b, s, strlen(s), max);
	assert_string_equal(buf_text(&b), shown);
	assert_true(b.len <= max);
	buf_release(&b);
}

static void long_text_is_shortened_in_the_middle(void **state)
{
	(void)state;
	expect_short("", 3, "");
	expect_short("abcdefgh", 8, "abcdefgh");
	expect_short("abcdefghi", 8, "abc\xe2\x80\xa6hi");
	expect_short("abcdefghi", 4, "a\xe2\x80\xa6");
	expect_short("abcdefghi", 3, "\xe2\x80\xa6");
}

static void shortening_does_not_split_characters(void **state)
{
	(void)state;
	expect_short("a\xe2\x82\xac-\xe2\x82\xac-\xe2\x82\xac", 9, "a\xe2\x80\xa6\xe2\x82\xac");
	expect_short("\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80", 9, "\xe2\x80\xa6");
	expect_short("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 13, "\x80\x80\xe2\x80\xa6\x80\x80");
}

static void distance_counts_insertions_deletions_changes_and_swaps(void **state)
{
	(void)state;
	assert_int_equal(utf8_distance("", ""), 0);
	assert_int_equal(utf8_distance("focus", "focus"), 0);
	assert_int_equal(utf8_distance("", "abc"), 3);
	assert_int_equal(utf8_distance("abc", ""), 3);
	assert_int_equal(utf8_distance("focs", "focus"), 1);
	assert_int_equal(utf8_distance("focuss", "focus"), 1);
	assert_int_equal(utf8_distance("fokus", "focus"), 1);
	assert_int_equal(utf8_distance("fcous", "focus"), 1);
	assert_int_equal(utf8_distance("kitten", "sitting"), 3);
	assert_int_equal(utf8_distance("ab", "ba"), 1);
	assert_int_equal(utf8_distance("ca", "abc"), 3);
}

static void words_over_64_bytes_differ_by_their_length(void **state)
{
	char long_word[66], same[66];

	(void)state;
	memset(long_word, 'a', sizeof(long_word));
	long_word[64] = 0;
	strcpy(same, long_word);
	assert_int_equal(utf8_distance(long_word, same), 0);
	long_word[64] = 'a';
	long_word[65] = 0;
	assert_int_equal(utf8_distance(long_word, "a"), 65);
	assert_int_equal(utf8_distance("a", long_word), 65);
}

static void expect_code(const char *s, const char *code)
{
	struct buf b = { 0 };

	utf8_add_code(&b, s);
	assert_string_equal(buf_text(&b), code);
	buf_release(&b);
}

static void a_code_span_may_contain_backquotes_bars_and_controls(void **state)
{
	(void)state;
	expect_code("", "");
	expect_code("<a@b>", "`<a@b>`");
	expect_code("a|b", "`a\\|b`");
	expect_code("a``b", "``` a``b ```");
	expect_code("a\nb", "`a\\nb`");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_and_last_character_of_each_length_decode),
		cmocka_unit_test(overlong_forms_are_not_utf8),
		cmocka_unit_test(surrogates_and_codes_beyond_unicode_are_not_utf8),
		cmocka_unit_test(a_truncated_character_is_not_utf8),
		cmocka_unit_test(each_invalid_byte_counts_as_one_character),
		cmocka_unit_test(printable_text_of_any_script_is_unchanged),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(one_byte_is_escaped_at_any_position),
		cmocka_unit_test(direction_and_line_marks_are_escaped),
		cmocka_unit_test(each_invalid_byte_is_escaped),
		cmocka_unit_test(safe_text_is_appended),
		cmocka_unit_test(a_code_span_may_contain_backquotes_bars_and_controls),
		cmocka_unit_test(long_text_is_shortened_in_the_middle),
		cmocka_unit_test(shortening_does_not_split_characters),
		cmocka_unit_test(distance_counts_insertions_deletions_changes_and_swaps),
		cmocka_unit_test(words_over_64_bytes_differ_by_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
