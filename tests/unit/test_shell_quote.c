/*
 * test_shell_quote.c - names as expressions at the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/quote.h"
#include "front/shell/state.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/regex.h"
#include "session/line_words.h"

static void expect_quoted(const char *name, const char *want)
{
	struct buf b = { 0 };

	shell_quote(name, &b);
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void a_name_becomes_one_word_that_matches_only_it(void **state)
{
	(void)state;
	expect_quoted("main", "^main$");
	expect_quoted("main.work", "^main\\.work$");
	expect_quoted("", "^$");
	expect_quoted("operator new[](int)", "'^operator new\\[\\]\\(int\\)$'");
	expect_quoted("it's a", "'^it\\x{27}s a$'");
}

static bool matches(const char *expression, const char *name)
{
	struct regex *re;
	struct err err;
	bool yes;

	if (regex_new(expression, &re, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(regex_match(re, name, strlen(name), &yes, &err), 0);
	regex_free(re);
	return yes;
}

/* Check that the expressions read from "peek NAME" and "focus=NAME" match the name and nothing more. */
static void expect_round_trip(const char *name)
{
	struct buf b = { 0 }, more = { 0 };
	struct line_words w;
	char *value;

	buf_addz(&b, "peek ");
	shell_quote(name, &b);
	line_words_split(buf_text(&b), &w);
	assert_int_equal(w.n, 2);
	assert_null(w.pipe);
	assert_true(matches(w.word[1].text, name));
	value = line_unquote(buf_text(&b) + 5);
	if (value)
		assert_string_equal(value, w.word[1].text);
	buf_addf(&more, "%sx", name);
	assert_false(matches(w.word[1].text, buf_text(&more)));
	free(value);
	line_words_release(&w);
	buf_release(&more);
	buf_release(&b);
}

static void hostile_names_survive_quoting(void **state)
{
	static const char *const names[] = {
		"a b",          " a",         "a > b | c",
		"it's",         "'a' \"b\"",  "\"",
		"a\\b",         "\\",         "a\nb\tc",
		"\x1b[31m",     "\xff\xfe",   "a\xff b",
		"\xc2\xa0",     "http://:80", "std::map<int, char>::operator[](int const&) const",
		"\xe2\x80\xae", "^$",         "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect_round_trip(names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_becomes_one_word_that_matches_only_it),
		cmocka_unit_test(hostile_names_survive_quoting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
