/*
 * test_content.c - detect answers of a server that are not profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/fetch.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_refused(const char *text, size_t n, const char *message)
{
	struct err err = { 0 };

	assert_int_equal(fetch_check_content((const uint8_t *)text, n, &err), ERR_FORMAT);
	assert_non_null(strstr(err.msg, message));
}

static void expect_page(const char *text, const char *message)
{
	expect_refused(text, strlen(text), message);
}

static void an_empty_answer_is_not_a_profile(void **state)
{
	(void)state;
	expect_refused("", 0, "sent an empty answer");
}

static void a_web_page_is_reported_with_its_title(void **state)
{
	(void)state;
	expect_page("<html><head><title>Log\n  in </title>", "a profile: \"Log in\"");
	expect_page("\xef\xbb\xbf\n<html>", "not a profile");
	expect_page(" <!DOCTYPE html><TITLE class=x>Hi", "\"Hi\"");
	expect_page("<html><body>no title", "not a profile");
	expect_page("<title></title>", "not a profile");
	expect_page("<!-- a comment <title", "not a profile");
}

static void long_and_unterminated_titles_are_truncated(void **state)
{
	char page[20000];
	struct err err;

	(void)state;
	memset(page, 'x', sizeof(page));
	memcpy(page, "<title>", 7);
	assert_int_equal(fetch_check_content((uint8_t *)page, sizeof(page), &err), ERR_FORMAT);
	assert_in_range(strlen(err.msg), 200, 300);
}

static void an_execution_trace_is_reported(void **state)
{
	static const char trace[] = "go 1.23 trace\0\0\0more";

	(void)state;
	expect_refused(trace, sizeof(trace), "go tool trace");
}

static void answers_that_may_be_profiles_are_accepted(void **state)
{
	static const char *const text[] = { "\x1f\x8b\x08", "heap profile: 1: 2", "<", "goroutine profile: total 3",
					    "go" };

	(void)state;
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		assert_int_equal(fetch_check_content((const uint8_t *)text[i], strlen(text[i]), NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_answer_is_not_a_profile),
		cmocka_unit_test(a_web_page_is_reported_with_its_title),
		cmocka_unit_test(long_and_unterminated_titles_are_truncated),
		cmocka_unit_test(an_execution_trace_is_reported),
		cmocka_unit_test(answers_that_may_be_profiles_are_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
