/*
 * test_complete.c - completion candidates for a line at the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/complete.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/regex.h"
#include "tests/unit/make_labels.h"
#include "tests/unit/make_profile.h"

static struct profile *profile;

static int make_it(void **state)
{
	struct make m = make_start("samples/count cpu/nanoseconds");
	uint32_t labels[4];

	(void)state;
	labels[0] = labels_one(&m, "route", "/a b", 0, "");
	labels[1] = labels_one(&m, "route", "/cart", 0, "");
	labels[2] = labels_one(&m, "rank", "x'y", 0, "");
	labels[3] = labels_one(&m, "bytes", NULL, 64, "");
	make_row(&m, "main.run;main.(*T).go;operator new[](int)", (const int64_t[]){ 1, 10 }, labels, 4);
	labels[0] = labels_one(&m, ">file", "v", 0, "");
	labels[1] = labels_one(&m, "--output", "v", 0, "");
	labels[2] = labels_one(&m, "it's", "v", 0, "");
	labels[3] = labels_one(&m, "unit", "v", 0, "");
	make_row(&m, "main.run", (const int64_t[]){ 1, 10 }, labels, 4);
	ROW(&m, "json.run;x\x1by;\xff\xfe", 1, 10);
	profile = make_end(&m);
	return 0;
}

static int free_it(void **state)
{
	(void)state;
	profile_free(profile);
	return 0;
}

/* Check the candidates of a line. A | in want is the position that they replace. */
static void completes(const char *line, const char *want)
{
	struct string_list out = { 0 };
	struct buf got = { 0 };
	size_t start = 99, n;

	complete_line(line, strlen(line), profile, &start, &out);
	assert_true(start <= strlen(line));
	buf_add(&got, line, start);
	for (size_t i = 0; i < out.n; i++) {
		const char *text = string_list_get(&out, i, &n);

		buf_addf(&got, "|%.*s", (int)n, text);
	}
	assert_string_equal(buf_text(&got), want);
	buf_release(&got);
	string_list_release(&out);
}

static void the_first_word_is_a_command_an_option_or_a_type(void **state)
{
	(void)state;
	completes("to", "|tools=|top|topproto|total_cpu|total_samples");
	completes(" for", " |format=");
	completes("call", "|call_tree|callgrind");
	completes("cp", "|cpu|cpuprofile");
	completes("sor", "|sort=");
	completes("q", "|quit");
	completes("dif", "|diff-self");
	completes("zzz", "");
}

static void values_are_those_that_the_option_accepts(void **state)
{
	(void)state;
	completes("sort=", "sort=|cum|flat");
	completes("granularity = f", "granularity = |filefunctions|files|functions");
	completes("trim=f", "trim=|false");
	completes("sample_index=c", "sample_index=|cpu");
	completes("color-by=m", "color-by=|module");
	completes("shape=", "shape=|csv|json|markdown|text");
	completes("tagroot=rank,r", "tagroot=rank,|rank|route");
	completes("tagfocus=ro", "tagfocus=|route=");
	completes("tagfocus=route=/c", "tagfocus=|route=^/cart$");
	completes("nodecount=", "nodecount=");
}

static void a_completed_function_matches_only_that_function(void **state)
{
	(void)state;
	completes("top main.", "top |^main\\.\\(\\*T\\)\\.go$|^main\\.run$");
	completes("top ^main\\.r", "top |^main\\.run$");
	completes("top run", "top |^json\\.run$|^main\\.run$");
	completes("top -json", "top |-^json\\.run$");
	completes("top -c", "top |-cum");
	completes("peek oper", "peek |'^operator new\\[\\]\\(int\\)$'");
	completes("peek 'operator n", "peek |'^operator new\\[\\]\\(int\\)$'");
	completes("focus=json", "focus=|^json\\.run$");
	completes("top --focus=json", "top --focus=|^json\\.run$");
	completes("top -focus=json", "top -focus=|^json\\.run$");
	completes("top ^run", "top ");
}

/* A label with such a name would be read as a file to write to, or as an option. */
static void labels_that_look_like_options_or_files_are_not_offered(void **state)
{
	(void)state;
	completes("tags ", "tags |bytes=|rank=|route=|unit=");
	completes("tags -", "tags |-bytes=|-cum|-rank=|-route=");
	completes("tags >fi", "tags ");
	completes("tags --outp", "tags |--output=");
	completes("tags it", "tags ");
	completes("tagfocus=>", "tagfocus=");
}

static void control_characters_in_names_are_escaped(void **state)
{
	(void)state;
	completes("top x", "top |^x\\x{1b}y$");
	completes("tags rank=", "tags |rank=^x\\x{27}y$");
	completes("tags route=/a", "tags |'route=^/a b$'");
	completes("top \xff", "top |^..$");
}

static void each_candidate_matches_its_function(void **state)
{
	struct string_list out = { 0 };
	size_t start, n;

	(void)state;
	complete_line("top ", 4, profile, &start, &out);
	assert_int_equal(out.n, 6);
	for (size_t i = 0; i < out.n; i++) {
		const char *text = string_list_get(&out, i, &n);
		char *expression = mem_strndup(text + (*text == '\''), n - 2 * (*text == '\''));
		struct regex *rx;
		uint32_t found = 0;
		struct err err;

		assert_int_equal(regex_new(expression, &rx, &err), 0);
		for (uint32_t f = 0; f < profile->n_funcs; f++) {
			const char *name = profile_text(profile, profile->func_name[f]);
			bool matches = false;

			regex_match(rx, name, strlen(name), &matches, &err);
			found += matches;
		}
		assert_int_equal(found, 1);
		regex_free(rx);
		free(expression);
	}
	string_list_release(&out);
}

static void options_and_topics_are_completed_too(void **state)
{
	(void)state;
	completes("top --no", "top |--no-cache|--no-debuginfod|--nodecount=|--nodefraction=|--noinlines");
	completes("top --lin", "top |--lines");
	completes("top --sort=c", "top --sort=|cum");
	completes("help noi", "help |noinlines");
	completes("help gran", "help |granularity");
	completes("top | wc", "top | wc");
}

static void file_names_are_completed_after_a_redirection(void **state)
{
	char dir[] = "/tmp/cpa-complete-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	fclose(fopen("out.txt", "w"));
	fclose(fopen("my file", "w"));
	fclose(fopen("b\x1b", "w"));
	fclose(fopen(".hidden", "w"));
	mkdir("old", 0777);
	completes("top >o", "top |>old/|>out.txt");
	completes("top > ou", "top > |out.txt");
	completes("top >", "top |>'my file'|>old/|>out.txt");
	completes("output=.", "output=|.hidden");
	unlink("out.txt");
	unlink("my file");
	unlink("b\x1b");
	unlink(".hidden");
	rmdir("old");
	assert_int_equal(chdir("/"), 0);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_word_is_a_command_an_option_or_a_type),
		cmocka_unit_test(values_are_those_that_the_option_accepts),
		cmocka_unit_test(a_completed_function_matches_only_that_function),
		cmocka_unit_test(labels_that_look_like_options_or_files_are_not_offered),
		cmocka_unit_test(control_characters_in_names_are_escaped),
		cmocka_unit_test(each_candidate_matches_its_function),
		cmocka_unit_test(options_and_topics_are_completed_too),
		cmocka_unit_test(file_names_are_completed_after_a_redirection),
	};

	return cmocka_run_group_tests(tests, make_it, free_it);
}
