/*
 * test_regex.c - regular expressions in RE2 syntax
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/regex.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <stdlib.h>

static bool matches(const char *pattern, const char *text, size_t n)
{
	struct regex *r;
	struct err err;
	bool yes = false;

	if (regex_new(pattern, &r, &err) < 0 || regex_match(r, text, n, &yes, &err) < 0)
		fail_msg("%s", err.msg);
	regex_free(r);
	return yes;
}

static void matching_is_unanchored_and_case_sensitive(void **state)
{
	(void)state;
	assert_true(matches("lloc", "runtime.mallocgc", 16));
	assert_false(matches("Lloc", "runtime.mallocgc", 16));
	assert_false(matches("^malloc", "runtime.mallocgc", 16));
	assert_true(matches("gc$", "runtime.mallocgc", 16));
	assert_true(matches("(?i)MALLOC", "runtime.mallocgc", 16));
}

static void an_empty_pattern_matches_everything(void **state)
{
	(void)state;
	assert_true(matches("", "main", 4));
	assert_true(matches("", "", 0));
}

static void text_is_matched_up_to_its_length(void **state)
{
	(void)state;
	assert_false(matches("main", "maintain", 3));
	assert_true(matches("^mai$", "maintain", 3));
	assert_true(matches("^a.b$", "a\0b", 3));
}

static void bytes_that_are_not_utf8_can_be_searched(void **state)
{
	(void)state;
	assert_true(matches("ab$",
			    "\xff\xfe"
			    "ab",
			    4));
}

static void an_invalid_pattern_has_the_error_message_of_go(void **state)
{
	struct regex *r = NULL;
	struct err err;

	(void)state;
	assert_int_equal(regex_new("ab(c", &r, &err), ERR_USAGE);
	assert_null(r);
	assert_non_null(strstr(err.msg, "error parsing regexp: missing closing ): `ab(c`"));
}

static void a_single_byte_escape_is_refused(void **state)
{
	struct regex *r = NULL;

	(void)state;
	assert_int_equal(regex_new("\\C", &r, NULL), ERR_USAGE);
}

static void an_exponential_pattern_is_matched_in_time(void **state)
{
	const char *const patterns[] = { "^(a|aa)+$", "(a+)+$", "(a*)*c", "(.*)*(.*)*[^ab]$" };
	clock_t start = clock();

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct regex *r;

		assert_int_equal(regex_new(patterns[i], &r, NULL), 0);
		for (int k = 0; k < 100; k++) {
			bool yes = true;

			assert_int_equal(regex_match(r, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 57,
						     &yes, NULL),
					 0);
			assert_false(yes);
		}
		regex_free(r);
	}
	assert_true(clock() - start < 3 * CLOCKS_PER_SEC);
}

static void too_many_steps_of_the_slow_matcher_are_an_error(void **state)
{
	char text[600];
	struct regex *r;
	struct err err;
	bool yes = true;

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(regex_new("(a?){500}(a?){500}(a?){500}a{500}b", &r, &err), 0);
	assert_int_equal(regex_match(r, "b", 1, &yes, &err), 0);
	assert_false(yes);
	yes = true;
	text[599] = 'b';
	text[0] = 'b';
	assert_int_equal(regex_match(r, text, sizeof(text), &yes, &err), ERR_LIMIT);
	assert_true(yes); /* unchanged */
	assert_non_null(strstr(err.msg, "matching `baaaa"));
	regex_free(r);
}

static void a_match_after_a_failed_one_works(void **state)
{
	struct regex *r;
	bool yes = false;

	(void)state;
	assert_int_equal(regex_new("^(a|aa)+$", &r, NULL), 0);
	regex_match(r, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 57, &yes, NULL);
	assert_int_equal(regex_match(r, "aaa", 3, &yes, NULL), 0);
	assert_true(yes);
	regex_free(r);
}

static void free_takes_null(void **state)
{
	(void)state;
	regex_free(NULL);
}

static void a_name_too_long_for_the_jit_is_matched(void **unused)
{
	enum { LONG = 200000 };
	char *name = malloc(LONG);
	struct regex *r = NULL;
	bool yes = false;

	(void)unused;
	assert_non_null(name);
	memset(name, 'a', LONG);
	assert_int_equal(regex_new("^((a|b)*)$", &r, NULL), 0);
	assert_int_equal(regex_match(r, name, LONG, &yes, NULL), 0);
	assert_true(yes);
	regex_free(r);
	free(name);
}

static void compile_time_is_linear_in_the_length(void **unused)
{
	enum { LONG = 2000000 };
	char *pattern = malloc(LONG + 1);
	struct regex *r = NULL;
	struct err err;
	clock_t start = clock();

	(void)unused;
	assert_non_null(pattern);
	memset(pattern, 'a', LONG);
	pattern[LONG] = '\0';
	assert_true(regex_new(pattern, &r, &err) < 0); /* more than PCRE2 accepts */
	assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
	free(pattern);
}

/* The replacement of a text, "" if it does not match; *rc is the result of regex_replace. */
static void replace(const char *pattern, const char *text, const char *to, struct buf *out, int *rc)
{
	struct regex *r;
	struct err err;
	bool yes = false;

	if (regex_new(pattern, &r, &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(out);
	*out = (struct buf){ 0 };
	*rc = regex_replace(r, text, strlen(text), to, out, &yes, &err);
	if (*rc == 0 && !yes)
		assert_int_equal(out->len, 0);
	regex_free(r);
}

static void a_replacement_matches_the_whole_text_and_numbers_groups(void **state)
{
	static const struct {
		const char *pattern, *text, *to, *becomes;
	} c[] = {
		{ "main\\.score(.)", "main.scoreA", "main.rank$1", "main.rankA" },
		{ "main\\.score(.)", "main.scoreAB", "main.rank$1", "" },
		{ "score(.)", "main.scoreA", "rank$1", "" },
		{ "a|ab", "ab", "c", "c" }, /* the first alternative does not match the whole text */
		{ "(a)(b)?(?P<last>c)", "ac", "$3${2}x$1$$$0", "cxa$ac" },
		{ "(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)", "0123456789", "$10${1}0", "900" },
		{ "(?:x)(y)", "xy", "$1", "y" },
		{ "^(.*)$", "x", "", "" },
		{ "(.)", "\xff", "<$1>", "<\xef\xbf\xbd>" },
	};
	struct buf out = { 0 };
	int rc;

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		replace(c[i].pattern, c[i].text, c[i].to, &out, &rc);
		assert_int_equal(rc, 0);
		assert_string_equal(buf_text(&out), c[i].becomes);
	}
	buf_release(&out);
}

/* The results are those of Go's regexp.ReplaceAllString. */
static void all_matches_are_replaced_as_in_go(void **state)
{
	static const struct {
		const char *pattern, *text, *to, *becomes;
		size_t n;
	} c[] = {
		{ "^(/api/v1/orders/)[0-9]+", "/api/v1/orders/12/items/7", "$1:id", "/api/v1/orders/:id/items/7", 1 },
		{ "/[0-9]+", "/a/1/b/22", "/:id", "/a/:id/b/:id", 2 },
		{ "x*", "axxb\303\251", "<$0>", "<>a<xx>b<>\303\251<>", 4 },
		{ "^", "ab", "x", "xab", 1 },
		{ "$", "ab", "x", "abx", 1 },
		{ "(a)|b", "abc", "[$1]", "[a][]c", 2 },
		{ "b", "aaa", "x", "aaa", 0 },
		{ "", "\303\251", "-", "-\303\251-", 2 },
		{ "a|$", "ba", "x", "bx", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct buf out = { 0 };
		struct regex *r;
		struct err err;
		size_t n = 99;

		assert_int_equal(regex_new(c[i].pattern, &r, &err), 0);
		assert_int_equal(regex_check_replacement(r, c[i].to, &err), 0);
		assert_int_equal(regex_replace_all(r, c[i].text, strlen(c[i].text), c[i].to, &out, &n, &err), 0);
		assert_string_equal(buf_text(&out), c[i].becomes);
		assert_int_equal(n, c[i].n);
		regex_free(r);
		buf_release(&out);
	}
}

static void a_replacement_is_checked_without_a_text(void **state)
{
	struct regex *r;
	struct err err;

	(void)state;
	assert_int_equal(regex_new("(a)b", &r, &err), 0);
	assert_int_equal(regex_check_replacement(r, "$$$1", &err), 0);
	assert_int_equal(regex_check_replacement(r, "x$2", &err), ERR_USAGE);
	assert_string_equal(err.msg, "$2: the expression has only 1 groups");
	assert_int_equal(regex_check_replacement(r, "$", &err), ERR_USAGE);
	regex_free(r);
}

static void a_replacement_cannot_use_a_missing_group(void **state)
{
	static const char *const to[] = { "$2", "$", "$name", "${1", "${}", "$1x", "$99999999999999" };
	struct buf out = { 0 };
	int rc;

	(void)state;
	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
		replace("(a)", "a", to[i], &out, &rc);
		assert_int_equal(rc, ERR_USAGE);
		assert_int_equal(out.len, 0);
	}
	buf_release(&out);
}

static void a_replacement_that_backtracks_exponentially_is_an_error(void **state)
{
	struct buf out = { 0 };
	int rc;

	(void)state;
	replace("(a|aa)+(b|a)+[cd]", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaae", "x",
		&out, &rc);
	assert_int_equal(rc, ERR_LIMIT);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_too_long_for_the_jit_is_matched),
		cmocka_unit_test(matching_is_unanchored_and_case_sensitive),
		cmocka_unit_test(an_empty_pattern_matches_everything),
		cmocka_unit_test(text_is_matched_up_to_its_length),
		cmocka_unit_test(bytes_that_are_not_utf8_can_be_searched),
		cmocka_unit_test(an_invalid_pattern_has_the_error_message_of_go),
		cmocka_unit_test(a_single_byte_escape_is_refused),
		cmocka_unit_test(an_exponential_pattern_is_matched_in_time),
		cmocka_unit_test(too_many_steps_of_the_slow_matcher_are_an_error),
		cmocka_unit_test(a_match_after_a_failed_one_works),
		cmocka_unit_test(compile_time_is_linear_in_the_length),
		cmocka_unit_test(a_replacement_matches_the_whole_text_and_numbers_groups),
		cmocka_unit_test(all_matches_are_replaced_as_in_go),
		cmocka_unit_test(a_replacement_is_checked_without_a_text),
		cmocka_unit_test(a_replacement_cannot_use_a_missing_group),
		cmocka_unit_test(a_replacement_that_backtracks_exponentially_is_an_error),
		cmocka_unit_test(free_takes_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
