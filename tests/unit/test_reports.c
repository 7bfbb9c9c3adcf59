/*
 * test_reports.c - the rows of the table of reports, and answers made from them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/reports.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "answer/draw.h"
#include "answer/make.h"
#include "tests/unit/make_profile.h"

static void names_are_found_and_belong_to_one_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_reports; i++) {
		const char *name = reports[i].name;

		assert_ptr_equal(reports_find(name, strlen(name)), &reports[i]);
	}
	assert_null(reports_find("topp", 4));
	assert_ptr_equal(reports_find("topp", 3), reports_get("top"));
}

static void a_row_has_help_of_one_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_reports; i++) {
		assert_true(*reports[i].help && !strchr(reports[i].help, '\n'));
		assert_true(*reports[i].arguments);
		assert_int_equal(strncmp(reports[i].arguments, "REGEX ", 6) == 0, reports_takes_pattern(&reports[i]));
	}
}

static void a_row_has_the_functions_that_its_input_needs(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_reports; i++) {
		const struct report_type *t = &reports[i];
		int n_pieces = 0, n_draw = 0;

		assert_int_equal(!!t->make + !!t->write, t->input == INPUT_PROFILE);
		assert_int_equal(!!t->compare, t->input == INPUT_SIDES);
		for (int f = 0; f < N_FORMATS; f++) {
			n_pieces += t->draw_pieces[f] != NULL;
			n_draw += t->draw[f] != NULL;
			assert_false(t->draw[f] && (t->draw_pieces[f] || t->no_format[f]));
		}
		assert_null(t->draw[FORMAT_TEXT]);
		if (t->make || t->compare)
			assert_true(n_pieces ? t->draw_pieces[FORMAT_TEXT] && !t->draw_text
					     : t->draw_text && n_draw > 0);
		if (t->write)
			assert_true(!t->draw_text && n_draw == 0 && n_pieces == 0);
	}
}

static void the_ranks_of_the_save_dialog_have_no_gap(void **state)
{
	int n = 0, last = 0;

	(void)state;
	for (size_t i = 0; i < n_reports; i++)
		n += reports[i].save_rank > 0;
	while (reports_saved(last + 1))
		last++;
	assert_int_equal(n, last);
	for (int rank = 1; rank <= last; rank++)
		assert_true(reports_saved(rank)->file[0].ending[0] == '.');
}

static void each_tab_has_a_key_and_a_view_of_its_own(void **state)
{
	bool seen[N_REPORT_VIEWS] = { false };
	char keys[16] = "";

	(void)state;
	for (size_t i = 0; i < n_reports; i++) {
		const struct report_type *t = &reports[i];

		if (!t->tab_key)
			continue;
		assert_non_null(t->tab);
		assert_true(t->view != VIEW_TEXT && !seen[t->view]);
		assert_null(strstr(keys, t->tab_key));
		seen[t->view] = true;
		strncat(keys, t->tab_key, sizeof(keys) - strlen(keys) - 1);
	}
	for (int v = VIEW_TEXT + 1; v < N_REPORT_VIEWS; v++)
		assert_true(seen[v]);
}

static void shells_have_only_reports_of_the_loaded_profile(void **state)
{
	static const char *const no[] = { "diff", "trend", "gate", "merge", "symbolize", "bundle" };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < n_reports; i++)
		n += !reports_is_in_shell(&reports[i]);
	assert_int_equal(n, sizeof(no) / sizeof(no[0]));
	for (size_t i = 0; i < n; i++)
		assert_false(reports_is_in_shell(reports_get(no[i])));
}

/* What is said of options without a meaning; "" when nothing is. */
static void check_says(const char *report, void (*change)(struct query *q), const char *want)
{
	struct query q;
	struct err err = { 0 };

	query_init(&q);
	change(&q);
	assert_int_equal(answer_check(reports_get(report), &q, &err), *want ? ERR_USAGE : 0);
	assert_string_equal(err.msg, want);
	query_release(&q);
}

static void as_json(struct query *q)
{
	q->shape = FORMAT_JSON;
}

static void as_markdown(struct query *q)
{
	q->shape = FORMAT_MARKDOWN;
}

static void with_mean(struct query *q)
{
	q->mean = true;
}

static void formats_without_a_meaning_are_refused(void **state)
{
	(void)state;
	check_says("top", as_json, "");
	check_says("traces", as_json, "");
	check_says("raw", as_json, "--json has no meaning for raw");
	check_says("svg", as_markdown, "--markdown has no meaning for svg");
	check_says("traces", as_markdown, "--markdown: traces are no table; choose --json, --csv or text");
	check_says("flame", as_json, "--json has no meaning for flame; --format=json writes its stacks for speedscope");
	check_says("folded", with_mean, "-mean has no meaning for folded: averages do not add up");
	check_says("flame", with_mean, "-mean has no meaning for flame: averages do not add up");
	check_says("top", with_mean, "");
}

static void the_ending_for_a_terminal_follows_the_format(void **state)
{
	struct query q;

	(void)state;
	query_init(&q);
	assert_null(reports_suffix(reports_get("top"), &q));
	assert_null(reports_suffix(reports_get("dot"), &q));
	assert_string_equal(reports_suffix(reports_get("proto"), &q), "pb.gz");
	assert_string_equal(reports_suffix(reports_get("weblist"), &q), "html");
	assert_string_equal(reports_suffix(reports_get("evince"), &q), "pdf");
	assert_string_equal(reports_suffix(reports_get("kcachegrind"), &q), "callgraph.out");
	assert_string_equal(reports_suffix(reports_get("flame"), &q), "svg");
	q.format = "png";
	assert_string_equal(reports_suffix(reports_get("flame"), &q), "png");
	q.format = "folded";
	assert_null(reports_suffix(reports_get("flame"), &q));
	query_release(&q);
}

/* Make a report of a profile with 3 samples of main and 4 of main;work, and give its text. */
static char *answer_text(const char *report, enum format format)
{
	const struct side_sources from[N_SIDES] = { { NULL, 0 } };
	struct answer answer = { 0 };
	struct buf text = { 0 };
	struct profile *p;
	struct make m = make_start("samples/count");
	struct query q;
	struct err err;

	make_row(&m, "main", (const int64_t[]){ 3 }, NULL, 0);
	make_row(&m, "work;main", (const int64_t[]){ 4 }, NULL, 0);
	p = make_end(&m);
	query_init(&q);
	q.shape = (int)format;
	q.compact_labels = true;
	assert_int_equal(answer_make(p, reports_get(report), &q, from, false, &answer, &err), 0);
	answer_add_text(&answer, &text);
	answer_release(&answer);
	query_release(&q);
	profile_free(p);
	return text.data;
}

static void a_report_is_made_without_a_command_line(void **state)
{
	char *text = answer_text("top", FORMAT_TEXT), *folded = answer_text("folded", FORMAT_TEXT);

	(void)state;
	assert_string_equal(text, "Showing nodes accounting for 7, 100% of 7 total\n"
				  "      flat  flat%   sum%        cum   cum%\n"
				  "         4 57.14% 57.14%          4 57.14%  work\n"
				  "         3 42.86%   100%          7   100%  main\n");
	assert_string_equal(folded, "main 3\nmain;work 4\n");
	free(text);
	free(folded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_and_belong_to_one_row),
		cmocka_unit_test(a_row_has_help_of_one_line),
		cmocka_unit_test(a_row_has_the_functions_that_its_input_needs),
		cmocka_unit_test(the_ranks_of_the_save_dialog_have_no_gap),
		cmocka_unit_test(each_tab_has_a_key_and_a_view_of_its_own),
		cmocka_unit_test(shells_have_only_reports_of_the_loaded_profile),
		cmocka_unit_test(formats_without_a_meaning_are_refused),
		cmocka_unit_test(the_ending_for_a_terminal_follows_the_format),
		cmocka_unit_test(a_report_is_made_without_a_command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
