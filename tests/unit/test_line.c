/*
 * test_line.c - the language of the shells
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/line.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

static struct profile *profile;

static int make_it(void **state)
{
	struct make m = make_start("samples/count cpu/nanoseconds tree/count");

	(void)state;
	ROW(&m, "main", 1, 10, 1);
	profile = make_end(&m);
	return 0;
}

static int free_it(void **state)
{
	(void)state;
	profile_free(profile);
	return 0;
}

static struct settings *defaults(void)
{
	struct query q;

	query_init(&q);
	return settings_new(&q);
}

/* A line asks for: the command, its expression, options as arguments, the pipe. */
static void asks(const char *text, const char *want)
{
	struct settings *s = defaults(), *before = settings_copy(s);
	struct line l = { 0 };
	struct buf got = { 0 };
	struct err err;

	if (line_read(text, s, profile, &l, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	assert_int_equal(l.kind, LINE_REPORT);
	buf_addf(&got, "%s", l.report->name);
	if (reports_takes_pattern(l.report))
		buf_addf(&got, " <%s>", settings_query(l.ask)->pattern);
	settings_add_arguments(l.ask, &got);
	if (l.pipe)
		buf_addf(&got, " | %s", l.pipe);
	assert_string_equal(buf_text(&got), want);
	assert_true(settings_equal(s, before)); /* a report changes nothing for the next one */
	buf_release(&got);
	line_release(&l);
	settings_free(s);
	settings_free(before);
}

static void refuses(const char *text, const char *sentence)
{
	struct settings *s = defaults();
	struct line l = { .kind = LINE_EXIT };
	struct err err = { 0 };

	assert_int_equal(line_read(text, s, profile, &l, &err), ERR_USAGE);
	assert_string_equal(err.msg, sentence);
	assert_int_equal(l.kind, LINE_EXIT);
	settings_free(s);
}

/* A line assigns, after which the options are these. */
static void assigns(const char *text, const char *arguments)
{
	struct settings *s = defaults();
	struct line l = { 0 };
	struct buf got = { 0 };
	struct err err;

	if (line_read(text, s, profile, &l, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	assert_int_equal(l.kind, LINE_SET);
	settings_add_arguments(s, &got);
	assert_string_equal(buf_text(&got), arguments);
	buf_release(&got);
	line_release(&l);
	settings_free(s);
}

static void expands(const char *text, const char *want)
{
	struct texts lines = { 0 };
	struct buf got = { 0 };

	line_expand(text, profile, &lines);
	for (size_t i = 0; i < lines.n; i++) {
		size_t n;
		const char *line = texts_at(&lines, i, &n);

		buf_addf(&got, "%s%.*s", i ? ";" : "", (int)n, line);
	}
	assert_string_equal(buf_text(&got), want);
	buf_release(&got);
	texts_release(&lines);
}

static void numbers_expressions_and_files_find_their_options(void **state)
{
	(void)state;
	asks("top", "top -nodecount=10");
	asks("  top20\t-cum ", "top -cum -nodecount=20");
	asks("text 5 a b -c -d - e", "text -nodecount=5 -focus='a|b|e' -ignore='c|d'");
}

static void words_of_tags_are_about_labels(void **state)
{
	(void)state;
	asks("tags a -b", "tags -tagfocus=a -tagignore=b");
}

static void numbers_past_32_bits_are_expressions(void **state)
{
	(void)state;
	asks("tree 2147483647", "tree -nodecount=2147483647");
	asks("tree 2147483648", "tree -focus=2147483648");
	asks("tree -1", "tree");
	asks("tree +7", "tree -nodecount=7");
}

static void a_file_stands_behind_the_sign_or_is_the_next_word(void **state)
{
	(void)state;
	asks("top >out.txt", "top -nodecount=10 -output=out.txt");
	asks("top > -cum 3", "top -nodecount=3 -output=-cum");
	refuses("top >", "unexpected end of line after >");
}

static void commands_with_an_expression_take_the_first_word_whatever_it_is(void **state)
{
	(void)state;
	asks("list10", "list <10>");
	asks("peek -cum", "peek <-cum>");
	asks("disasm main -cum 3 x", "disasm <main> -cum -nodecount=3 -focus=x");
	refuses("weblist", "command weblist requires an argument");
}

static void what_is_no_command_is_refused_in_the_words_of_pprof(void **state)
{
	(void)state;
	refuses("foo10", "unrecognized command: \"foo\"");
	refuses("Top", "unrecognized command: \"Top\"; did you mean top?");
	refuses("focus b c", "did you mean: focus=b");
	refuses("focus10", "did you mean: focus=10");
	refuses("lines b", "did you mean: lines=b");
	refuses("10", "unrecognized command: \"10\"");
	refuses("top=5", "unrecognized command: \"top=\"; did you mean top?");
	refuses("diff a b", "diff reads profiles of its own: cpa diff [OPTION]... BASE NEW | BASE... -- NEW...");
	refuses("version", "unrecognized command: \"version\"");
}

static void a_value_ends_at_the_last_comment(void **state)
{
	(void)state;
	assigns("focus=a //: b //: c", " -focus='a //: b'");
	assigns("focus = http://x", " -focus=http://x");
	assigns(" nodecount = 7 //: default", " -nodecount=7");
	assigns("focus=b=c", " -focus=b=c");
	assigns("call_tree", " -call_tree");
	refuses("focus", "please specify a value, e.g. focus=<val>");
}

static void shortcuts_stand_for_lines(void **state)
{
	(void)state;
	expands(" : ", "focus=;ignore=;hide=;tagfocus=;tagignore=");
	expands("cpu", "sample_index=cpu");
	expands("total_cpu", "mean=0;sample_index=cpu");
	expands("mean_samples", "mean=1;sample_index=samples");
	expands("tree", "sample_index=tree");
	expands(" top 5 ", "top 5");
	expands("", "");
}

static void quotes_hold_blanks_and_make_words_plain(void **state)
{
	(void)state;
	asks("tree 'a b' \"c d\"", "tree -focus='a b|c d'");
	asks("tree '-cum' '10' '>x' '|'", "tree -focus='-cum|10|>x||'");
	asks("tree -'a b' >'my file'", "tree -ignore='a b' -output='my file'");
	asks("list \"a\\.b \\\"c\\\" \\\\\"", "list <a\\.b \"c\" \\\\>");
	asks("tree --focus='a b'", "tree -focus='a b'");
	assigns("focus=' a b ' //: said", " -focus=' a b '");
	assigns("focus=\"\"", "");
}

static void quotes_elsewhere_are_characters(void **state)
{
	(void)state;
	asks("tree it's", "tree -focus='it'\\''s'");
	asks("tree 'a'|'b'", "tree -focus=''\\''a'\\''|'\\''b'\\'''");
	asks("tree \"a b", "tree -focus='\"a|b'");
	assigns("focus='a'|'b'", " -focus=''\\''a'\\''|'\\''b'\\'''");
}

static void what_stands_behind_a_pipe_is_for_the_shell(void **state)
{
	(void)state;
	asks("tree a | grep 'x y' >f", "tree -focus=a -output=- | grep 'x y' >f");
	asks("tree a|b", "tree -focus='a|b'");
	asks("tree ||", "tree -focus='||'");
	refuses("top |", "| needs a command behind it; in an expression write quotes around it");
	refuses("top >f | wc", "> and | do not go together");
	refuses("peek | wc", "command peek requires an argument");
}

static void options_of_a_line_hold_for_it_alone(void **state)
{
	(void)state;
	asks("tree --cum --nodefraction=0.1 --json", "tree -cum -nodefraction=0.1 --json");
	asks("top --nodecount=3", "top -nodecount=3");
	asks("flame --icicle --min-width=1", "flame --icicle --min-width=1");
	asks("tree --trim=no", "tree -trim=false");
	refuses("tree --focus", "please specify a value, e.g. focus=<val>");
	refuses("tree --nodecount=x", "strconv.Atoi: parsing \"x\": invalid syntax");
	refuses("tree --seconds=3",
		"seconds matters only while profiles are read; give it on the command line: -seconds=N");
	asks("tree --nosuch", "tree -ignore=-nosuch");
}

static void hints(const char *text, const char *want)
{
	struct settings *s = defaults();
	struct line l = { 0 };

	assert_int_equal(line_read(text, s, profile, &l, NULL), 0);
	if (want)
		assert_string_equal(l.hint, want);
	else
		assert_null(l.hint);
	line_release(&l);
	settings_free(s);
}

static void a_word_that_looks_like_an_option_is_pointed_out(void **state)
{
	(void)state;
	hints("top -lines", "\"-lines\" is taken as an expression to ignore; the option is --lines here");
	hints("top focus=a", "\"focus=a\" is taken as an expression; the option is --focus=a here");
	hints("top 'a", "a quote has no end, so it was taken for a character of an expression");
	hints("top -cum lines -main", NULL);
	hints("top '-lines'", NULL);
}

static enum line_kind kind_of(const char *text)
{
	struct settings *s = defaults();
	struct line l = { 0 };
	enum line_kind kind;

	assert_int_equal(line_read(text, s, profile, &l, NULL), 0);
	kind = l.kind;
	line_release(&l);
	settings_free(s);
	return kind;
}

static void other_lines_are_what_their_first_word_says(void **state)
{
	struct settings *s = defaults();
	struct line l = { 0 };

	(void)state;
	assert_int_equal(kind_of(""), LINE_NOTHING);
	assert_int_equal(kind_of(" \t\xc2\xa0 "), LINE_NOTHING);
	assert_int_equal(kind_of("# focus=a"), LINE_NOTHING);
	assert_int_equal(kind_of("o now"), LINE_OPTIONS);
	assert_int_equal(kind_of("options"), LINE_OPTIONS);
	assert_int_equal(kind_of("quit now"), LINE_EXIT);
	assert_int_equal(kind_of("q"), LINE_EXIT);
	assert_int_equal(kind_of("exit"), LINE_EXIT);
	assert_int_equal(line_read(" help  a \t b ", s, profile, &l, NULL), 0);
	assert_int_equal(l.kind, LINE_HELP);
	assert_string_equal(l.words, "a b");
	line_release(&l);
	settings_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_expressions_and_files_find_their_options),
		cmocka_unit_test(words_of_tags_are_about_labels),
		cmocka_unit_test(numbers_past_32_bits_are_expressions),
		cmocka_unit_test(a_file_stands_behind_the_sign_or_is_the_next_word),
		cmocka_unit_test(commands_with_an_expression_take_the_first_word_whatever_it_is),
		cmocka_unit_test(what_is_no_command_is_refused_in_the_words_of_pprof),
		cmocka_unit_test(a_value_ends_at_the_last_comment),
		cmocka_unit_test(shortcuts_stand_for_lines),
		cmocka_unit_test(quotes_hold_blanks_and_make_words_plain),
		cmocka_unit_test(quotes_elsewhere_are_characters),
		cmocka_unit_test(what_stands_behind_a_pipe_is_for_the_shell),
		cmocka_unit_test(options_of_a_line_hold_for_it_alone),
		cmocka_unit_test(a_word_that_looks_like_an_option_is_pointed_out),
		cmocka_unit_test(other_lines_are_what_their_first_word_says),
	};

	return cmocka_run_group_tests(tests, make_it, free_it);
}
