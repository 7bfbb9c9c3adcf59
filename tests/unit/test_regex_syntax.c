/*
 * test_regex_syntax.c - RE2 regular expressions, compared with recorded results of Go's regexp package
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

#include <cmocka.h>

static const char *const texts[] = {
	"",  "main",         "Main.main", "a.b",    "axb",  "a\nb", "aab", "foo:bar(int)",
	"K", "\342\204\252", "\316\261",  "a\377b", "\377", "12 ",  "A_/",
};

/* Recorded from Go 1.26: a 1 for each text that matches, or the error message. */
static const struct {
	const char *pattern, *said;
} recorded[] = {
	{ "main", "011000000000000" },
	{ "^main$", "010000000000000" },
	{ "(?i)MAIN", "011000000000000" },
	{ "a.b", "000110100001000" },
	{ "a\\.b", "000100000000000" },
	{ "\\d+", "000000000000010" },
	{ "\\D", "011111111111111" },
	{ "^\\S+$", "011110111111101" },
	{ "\\s", "000001000000010" },
	{ "\\w:\\w", "000000010000000" },
	{ "\\bfoo\\b", "000000010000000" },
	{ "\\Bo", "000000010000000" },
	{ "\\Amain\\z", "010000000000000" },
	{ "[[:alpha:]]{3}", "011010110000000" },
	{ "[^[:ascii:]]", "000000000111100" },
	{ "[\\d_]", "000000000000011" },
	{ "[]a]$", "000000000000000" },
	{ "[a-]", "011111110001000" },
	{ "\\pL", "011111111111001" },
	{ "\\PL", "001101010001111" },
	{ "\\p{Greek}", "000000000010000" },
	{ "\\P{Greek}+$", "011111111101111" },
	{ "\\p{^Lu}$", "011111110011111" },
	{ "(?i)[k]", "000000001100000" },
	{ "\\x41", "000000000000001" },
	{ "\\x{3b1}", "000000000010000" },
	{ "\\x{10FFFF}", "000000000000000" },
	{ "\\Qa.b\\E", "000100000000000" },
	{ "\\Q(", "000000010000000" },
	{ "\\101", "000000000000001" },
	{ "(?P<n>a)b", "000000100000000" },
	{ "(?<n>a)b", "000000100000000" },
	{ "(?s)a.b", "000111100001000" },
	{ "(?m)^b", "000001000000000" },
	{ "(?m)a$", "000001000000000" },
	{ "(?m)^$", "100000000000000" },
	{ "^b", "000000000000000" },
	{ "a$", "000000000000000" },
	{ "(?U)a+", "011111110001000" },
	{ "a{2}", "000000100000000" },
	{ "a{2,}$", "000000000000000" },
	{ "a{,2}", "000000000000000" },
	{ "{", "000000000000000" },
	{ "a|", "111111111111111" },
	{ "(|a)b", "000111110001000" },
	{ "a(?i)*B", "000111110001000" },
	{ "(?i:m)ain", "011000000000000" },
	{ "(?i-s:A.b)", "000110100001000" },
	{ "^*main", "011000000000000" },
	{ "(\\b)+f", "000000010000000" },
	{ ".\\.", "001100000000000" },
	{ "^.$", "000000001110100" },
	{ "\357\277\275", "000000000001100" },
	{ "\\_", "000000000000001" },
	{ "\\/", "000000000000001" },
	{ "(", "missing closing ): `(`" },
	{ ")", "unexpected ): `)`" },
	{ "[", "missing closing ]: `[`" },
	{ "[a", "missing closing ]: `[a`" },
	{ "a**", "invalid nested repetition operator: `**`" },
	{ "a++", "invalid nested repetition operator: `++`" },
	{ "*a", "missing argument to repetition operator: `*`" },
	{ "|*", "missing argument to repetition operator: `*`" },
	{ "{2}", "missing argument to repetition operator: `{2}`" },
	{ "(?=a)", "invalid or unsupported Perl syntax: `(?=`" },
	{ "(?!a)", "invalid or unsupported Perl syntax: `(?!`" },
	{ "(?<=a)", "invalid named capture: `(?<=a)`" },
	{ "(?<!a)", "invalid named capture: `(?<!a)`" },
	{ "(?>a)", "invalid or unsupported Perl syntax: `(?>`" },
	{ "\\1", "invalid escape sequence: `\\1`" },
	{ "\\8", "invalid escape sequence: `\\8`" },
	{ "\\C", "invalid escape sequence: `\\C`" },
	{ "\\Z", "invalid escape sequence: `\\Z`" },
	{ "\\G", "invalid escape sequence: `\\G`" },
	{ "\\K", "invalid escape sequence: `\\K`" },
	{ "\\h", "invalid escape sequence: `\\h`" },
	{ "\\", "trailing backslash at end of expression: ``" },
	{ "(?z)", "invalid or unsupported Perl syntax: `(?z`" },
	{ "(?P<n", "invalid named capture: `(?P<n`" },
	{ "(?P<n-m>a)", "invalid named capture: `(?P<n-m>`" },
	{ "(?P=n)", "invalid or unsupported Perl syntax: `(?P`" },
	{ "[b-a]", "invalid character class range: `b-a`" },
	{ "[[:foo:]]", "invalid character class range: `[:foo:]`" },
	{ "\\p{Nope}", "invalid character class range: `\\p{Nope}`" },
	{ "a{1001}", "invalid repeat count: `{1001}`" },
	{ "(a{100}){11}", "invalid repeat count: `{11}`" },
	{ "a{3,2}", "invalid repeat count: `{3,2}`" },
	{ "\\x{110000}", "invalid escape sequence: `\\x{110000`" },
	{ "\\xg", "invalid escape sequence: `\\xg`" },
	{ "(?i", "invalid or unsupported Perl syntax: `(?i`" },
	{ "(*ACCEPT)a", "missing argument to repetition operator: `*`" },
	{ "a(?#c)", "invalid or unsupported Perl syntax: `(?#`" },
};

static void results_and_errors_are_those_of_go(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
		char said[200] = "";
		struct regex *r;
		struct err err;

		if (regex_new(recorded[i].pattern, &r, &err) < 0) {
			assert_int_equal(strncmp(err.msg, "error parsing regexp: ", 22), 0);
			assert_string_equal(err.msg + 22, recorded[i].said);
			continue;
		}
		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
			bool yes = false;

			assert_int_equal(regex_match(r, texts[k], strlen(texts[k]), &yes, &err), 0);
			said[k] = yes ? '1' : '0';
		}
		if (strcmp(said, recorded[i].said) != 0)
			fail_msg("`%s` says %s, Go said %s", recorded[i].pattern, said, recorded[i].said);
		regex_free(r);
	}
}

static void groups_nest_a_thousand_deep_and_no_deeper(void **state)
{
	char pattern[3003];
	struct regex *r;
	struct err err;

	(void)state;
	memset(pattern, '(', 1000);
	memset(pattern + 1000, ')', 1000);
	pattern[2000] = 0;
	assert_int_equal(regex_new(pattern, &r, &err), 0);
	regex_free(r);
	memset(pattern, '(', 1001);
	memset(pattern + 1001, ')', 1001);
	pattern[2002] = 0;
	assert_int_equal(regex_new(pattern, &r, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "expression nests too deeply"));
}

static void invalid_utf8_is_not_an_expression(void **state)
{
	struct regex *r;
	struct err err;

	(void)state;
	assert_int_equal(regex_new("a\xff", &r, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "invalid UTF-8"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_and_errors_are_those_of_go),
		cmocka_unit_test(groups_nest_a_thousand_deep_and_no_deeper),
		cmocka_unit_test(invalid_utf8_is_not_an_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
