/*
 * test_line.c - the command language of the shells
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/reports.h"
#include "engine/query.h"
#include "session/line.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

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

/* Check what a line requests: the command, its expression, options as arguments, the pipe. */
static void requests(const char *text, const char *want)
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
		buf_addf(&got, " <%s>", settings_query(l.settings)->pattern);
	settings_add_arguments(l.settings, NULL, &got);
	if (l.pipe)
		buf_addf(&got, " | %s", l.pipe);
	assert_string_equal(buf_text(&got), want);
	assert_true(settings_equal(s, before)); /* a report does not change the settings */
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

/* Check the options after an assignment. */
static void assigns(const char *text, const char *arguments)
{
	struct settings *s = defaults();
	struct line l = { 0 };
	struct buf got = { 0 };
	struct err err;

	if (line_read(text, s, profile, &l, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	assert_int_equal(l.kind, LINE_SET);
	settings_add_arguments(s, NULL, &got);
	assert_string_equal(buf_text(&got), arguments);
	buf_release(&got);
	line_release(&l);
	settings_free(s);
}

static void expands(const char *text, const char *want)
{
	struct string_list lines = { 0 };
	struct buf got = { 0 };

	line_expand(text, profile, &lines);
	for (size_t i = 0; i < lines.n; i++) {
		size_t n;
		const char *line = string_list_get(&lines, i, &n);

		buf_addf(&got, "%s%.*s", i ? ";" : "", (int)n, line);
	}
	assert_string_equal(buf_text(&got), want);
	buf_release(&got);
	string_list_release(&lines);
}

static void numbers_expressions_and_files_set_their_options(void **state)
{
	(void)state;
	requests("top", "top -nodecount=10");
	requests("  top20\t-cum ", "top -cum -nodecount=20");
	requests("text 5 a b -c -d - e", "text -nodecount=5 -focus='a|b|e' -ignore='c|d'");
}

static void words_after_tags_are_expressions_for_labels(void **state)
{
	(void)state;
	requests("tags a -b", "tags -tagfocus=a -tagignore=b");
}

static void numbers_past_32_bits_are_expressions(void **state)
{
	(void)state;
	requests("tree 2147483647", "tree -nodecount=2147483647");
	requests("tree 2147483648", "tree -focus=2147483648");
	requests("tree -1", "tree");
	requests("tree +7", "tree -nodecount=7");
}

static void a_file_name_follows_the_redirection_with_or_without_a_blank(void **state)
{
	(void)state;
	requests("top >out.txt", "top -nodecount=10 -output=out.txt");
	requests("top > -cum 3", "top -nodecount=3 -output=-cum");
	refuses("top >", "unexpected end of line after >");
}

static void the_word_after_peek_or_disasm_is_an_expression(void **state)
{
	(void)state;
	requests("list10", "list <10>");
	requests("peek -cum", "peek <-cum>");
	requests("disasm main -cum 3 x", "disasm <main> -cum -nodecount=3 -focus=x");
	refuses("weblist", "command weblist requires an argument");
}

static void unknown_commands_fail_with_the_wording_of_pprof(void **state)
{
	(void)state;
	refuses("foo10", "unrecognized command: \"foo\"");
	refuses("Top", "unrecognized command: \"Top\"; did you mean top?");
	refuses("focus b c", "did you mean: focus=b");
	refuses("focus10", "did you mean: focus=10");
	refuses("lines b", "did you mean: lines=b");
	refuses("10", "unrecognized command: \"10\"");
	refuses("top=5", "unrecognized command: \"top=\"; did you mean top?");
	refuses("diff a b", "diff reads its own profiles; run: cpa diff [OPTION]... BASE NEW | BASE... -- NEW...");
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

static void shortcuts_expand_to_lines(void **state)
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

static void quotes_protect_blanks_and_special_words(void **state)
{
	(void)state;
	requests("tree 'a b' \"c d\"", "tree -focus='a b|c d'");
	requests("tree '-cum' '10' '>x' '|'", "tree -focus='-cum|10|>x||'");
	requests("tree -'a b' >'my file'", "tree -ignore='a b' -output='my file'");
	requests("list \"a\\.b \\\"c\\\" \\\\\"", "list <a\\.b \"c\" \\\\>");
	requests("tree --focus='a b'", "tree -focus='a b'");
	assigns("focus=' a b ' //: said", " -focus=' a b '");
	assigns("focus=\"\"", "");
}

static void quotes_inside_words_are_ordinary_characters(void **state)
{
	(void)state;
	requests("tree it's", "tree -focus='it'\\''s'");
	requests("tree 'a'|'b'", "tree -focus=''\\''a'\\''|'\\''b'\\'''");
	requests("tree \"a b", "tree -focus='\"a|b'");
	assigns("focus='a'|'b'", " -focus=''\\''a'\\''|'\\''b'\\'''");
}

static void text_after_a_pipe_is_a_shell_command(void **state)
{
	(void)state;
	requests("tree a | grep 'x y' >f", "tree -focus=a -output=- | grep 'x y' >f");
	requests("tree a|b", "tree -focus='a|b'");
	requests("tree ||", "tree -focus='||'");
	refuses("top |", "no command after |; quote | in an expression");
	refuses("top >f | wc", "cannot combine > and |");
	refuses("peek | wc", "command peek requires an argument");
}

static void options_of_a_line_apply_to_it_only(void **state)
{
	(void)state;
	requests("tree --cum --nodefraction=0.1 --json", "tree -cum -nodefraction=0.1 --json");
	requests("top --nodecount=3", "top -nodecount=3");
	requests("flame --icicle --min-width=1", "flame --icicle --min-width=1");
	requests("tree --trim=no", "tree -trim=false");
	refuses("tree --focus", "please specify a value, e.g. focus=<val>");
	refuses("tree --nodecount=x", "strconv.Atoi: parsing \"x\": invalid syntax");
	refuses("tree --seconds=3",
		"seconds only applies while profiles are read; set it on the command line: -seconds=N");
	requests("tree --nosuch", "tree -ignore=-nosuch");
}

static void a_word_with_one_dash_and_a_value_is_an_option_too(void **state)
{
	(void)state;
	requests("top -nodecount=5", "top -nodecount=5");
	requests("top -sort=cum -focus='a b' -runtime", "top -cum -nodecount=10 -focus='a b' -ignore=runtime");
	requests("svg -o calls.svg", "svg -output=calls.svg");
	requests("svg main -o 'my calls.svg' -x", "svg -focus=main -ignore=x -output='my calls.svg'");
	requests("svg -o=calls.svg", "svg -output=calls.svg");
	requests("tree -nosuch=5", "tree -ignore=nosuch=5");
	requests("tree '-nodecount=5'", "tree -focus=-nodecount=5");
	requests("list -nodecount=5 main -cum", "list <main> -cum -nodecount=5");
	refuses("svg -o", "please specify a value, e.g. output=<val>");
	refuses("top -nodecount=x", "strconv.Atoi: parsing \"x\": invalid syntax");
	refuses("top -o f | wc", "cannot combine > and |");
	refuses("peek -nodecount=5", "command peek requires an argument");
}

static void an_option_alone_on_a_line_is_an_assignment(void **state)
{
	(void)state;
	assigns("-nodecount=5", " -nodecount=5");
	assigns("--focus = a b", " -focus='a b'");
	assigns("-call_tree", " -call_tree");
	refuses("-lines", "unknown config field \"lines\"; write granularity=lines");
	refuses("-focus", "please specify a value, e.g. focus=<val>");
	refuses("-nodecount 5", "did you mean: nodecount=5");
	refuses("-o calls.svg", "did you mean: output=calls.svg");
	refuses("-nosuch=5", "unrecognized command: \"-nosuch=\"");
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

static void a_word_that_looks_like_an_option_gets_a_hint(void **state)
{
	(void)state;
	hints("top -lines", "\"-lines\" is read as an expression to ignore; to set the option, write --lines");
	hints("top -nodecount 5",
	      "\"-nodecount\" is read as an expression to ignore; to set the option, write -nodecount=VALUE");
	hints("top focus=a", "\"focus=a\" is read as an expression; to set the option, write -focus=a");
	hints("top 'a", "unclosed quote, read as a character of an expression");
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

static void the_first_word_determines_the_kind_of_other_lines(void **state)
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
	assert_string_equal(l.topic, "a b");
	line_release(&l);
	settings_free(s);
}

/* Print the names of two lists that are equal, and count them. */
static int count_equal(const char *what, const char *a, const char *b)
{
	if (strcmp(a, b) == 0)
		print_error("%s: %s is two things\n", what, a);
	return strcmp(a, b) == 0;
}

static void a_name_is_a_report_an_option_or_a_command_of_the_prompt(void **state)
{
	int n = 0;

	(void)state;
	for (size_t r = 0; r < n_reports; r++) {
		for (size_t o = 0; o < query_n_options; o++)
			n += strcmp(reports[r].name, "symbolize") !=
				     0 && /* not at the prompt; as an option it has a value */
			     count_equal("report and option", reports[r].name, query_options[o].name);
		for (size_t c = 0; c < query_n_choices; c++)
			n += count_equal("report and choice", reports[r].name, query_choices[c].name);
		for (size_t c = 0; c < line_n_commands; c++)
			n += count_equal("report and command", reports[r].name, line_commands[c].name);
		for (size_t k = 0; k < r; k++)
			n += count_equal("two reports", reports[r].name, reports[k].name);
	}
	for (size_t c = 0; c < line_n_commands; c++)
		if (settings_is_known(line_commands[c].name))
			n += count_equal("option and command", line_commands[c].name, line_commands[c].name);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_a_report_an_option_or_a_command_of_the_prompt),
		cmocka_unit_test(numbers_expressions_and_files_set_their_options),
		cmocka_unit_test(words_after_tags_are_expressions_for_labels),
		cmocka_unit_test(numbers_past_32_bits_are_expressions),
		cmocka_unit_test(a_file_name_follows_the_redirection_with_or_without_a_blank),
		cmocka_unit_test(the_word_after_peek_or_disasm_is_an_expression),
		cmocka_unit_test(unknown_commands_fail_with_the_wording_of_pprof),
		cmocka_unit_test(a_value_ends_at_the_last_comment),
		cmocka_unit_test(shortcuts_expand_to_lines),
		cmocka_unit_test(quotes_protect_blanks_and_special_words),
		cmocka_unit_test(quotes_inside_words_are_ordinary_characters),
		cmocka_unit_test(text_after_a_pipe_is_a_shell_command),
		cmocka_unit_test(options_of_a_line_apply_to_it_only),
		cmocka_unit_test(a_word_with_one_dash_and_a_value_is_an_option_too),
		cmocka_unit_test(an_option_alone_on_a_line_is_an_assignment),
		cmocka_unit_test(a_word_that_looks_like_an_option_gets_a_hint),
		cmocka_unit_test(the_first_word_determines_the_kind_of_other_lines),
	};

	return cmocka_run_group_tests(tests, make_it, free_it);
}
