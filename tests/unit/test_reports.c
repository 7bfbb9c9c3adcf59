/*
 * test_reports.c - table of reports, and reports made without a command line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/reports.h"
#include "engine/query.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "answer/answer.h"
#include "answer/draw.h"
#include "tests/unit/make_profile.h"

static void finds_each_report_by_its_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_reports; i++) {
		const char *name = reports[i].name;

		assert_ptr_equal(reports_find(name, strlen(name)), &reports[i]);
	}
	assert_null(reports_find("topp", 4));
	assert_ptr_equal(reports_find("topp", 3), reports_get("top"));
}

static void each_report_has_one_line_of_help(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_reports; i++) {
		assert_true(*reports[i].help && !strchr(reports[i].help, '\n'));
		assert_true(*reports[i].arguments);
		assert_int_equal(strncmp(reports[i].arguments, "REGEX ", 6) == 0, reports_takes_pattern(&reports[i]));
	}
}

static void each_report_has_the_functions_for_its_input(void **state)
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
			assert_false(t->draw[f] && (t->draw_pieces[f] || t->format_error[f]));
		}
		assert_null(t->draw[FORMAT_TEXT]);
		if (t->make || t->compare)
			assert_true(n_pieces ? t->draw_pieces[FORMAT_TEXT] && !t->draw_text
					     : t->draw_text && n_draw > 0);
		if (t->write)
			assert_true(!t->draw_text && n_draw == 0 && n_pieces == 0);
	}
}

static void ranks_in_the_save_dialog_have_no_gaps(void **state)
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

static void each_tab_has_its_own_key_and_view(void **state)
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

static void shells_offer_only_reports_of_the_loaded_profile(void **state)
{
	static const char *const no[] = { "diff",    "trend",     "series", "gate",      "merge",
					  "convert", "symbolize", "bundle", "anonymize", "labels" };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < n_reports; i++)
		n += !reports_is_in_shell(&reports[i]);
	assert_int_equal(n, sizeof(no) / sizeof(no[0]));
	for (size_t i = 0; i < n; i++)
		assert_false(reports_is_in_shell(reports_get(no[i])));
}

/* Check the options of a report. want is the expected error message, or "" for success. */
static void assert_check_result(const char *report, void (*change)(struct query *q), const char *want)
{
	struct query q;
	struct err err = { 0 };

	query_init(&q);
	change(&q);
	assert_int_equal(answer_check(reports_get(report), &q, &err), *want ? ERR_USAGE : 0);
	assert_string_equal(err.msg, want);
	query_release(&q);
}

static void set_json(struct query *q)
{
	q->shape = FORMAT_JSON;
}

static void set_markdown(struct query *q)
{
	q->shape = FORMAT_MARKDOWN;
}

static void set_mean(struct query *q)
{
	q->mean = true;
}

static void rejects_formats_and_options_that_do_not_apply(void **state)
{
	(void)state;
	assert_check_result("top", set_json, "");
	assert_check_result("traces", set_json, "");
	assert_check_result("raw", set_json, "--json does not apply to raw");
	assert_check_result("svg", set_markdown, "--markdown does not apply to svg");
	assert_check_result("traces", set_markdown,
			    "--markdown does not apply to traces; choose --json, --csv or text");
	assert_check_result("flame", set_json,
			    "--json does not apply to flame; --format=json writes stacks for speedscope");
	assert_check_result("folded", set_mean, "-mean does not apply to folded: averages cannot be added");
	assert_check_result("flame", set_mean, "-mean does not apply to flame: averages cannot be added");
	assert_check_result("top", set_mean, "");
}

static void default_file_suffix_follows_the_format(void **state)
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

/* Text of a report of a profile with 3 samples in main and 4 in work, called by main. */
static char *answer_text(const char *report, enum format format)
{
	const struct side_sources from[N_SIDES] = { { NULL, 0, NULL } };
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

static void makes_reports_without_a_command_line(void **state)
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

static bool takes(const char *report, const char *option)
{
	const struct opt *o = opt_find(query_options, query_n_options, option, strlen(option));

	assert_non_null(o);
	return reports_takes_option(reports_get(report), o);
}

static void each_report_accepts_only_options_that_apply_to_it(void **state)
{
	static const char *const everywhere[] = { "symbolize", "timeout", "output", "color",
						  "max_count", "threads", "help" };

	(void)state;
	for (size_t i = 0; i < n_reports; i++) {
		for (size_t k = 0; k < sizeof(everywhere) / sizeof(everywhere[0]); k++)
			assert_true(takes(reports[i].name, everywhere[k]));
		assert_int_equal(takes(reports[i].name, "threshold"), reports[i].input == INPUT_RUNS);
		assert_int_equal(takes(reports[i].name, "theme"), strcmp(reports[i].name, "flame") == 0);
		assert_int_equal(takes(reports[i].name, "intel_syntax"), !!(reports[i].needs & NEEDS_BINARY));
		assert_false(takes(reports[i].name, "plain"));
		assert_false(takes(reports[i].name, "version"));
	}
	assert_true(takes("top", "cum") && takes("top", "csv") && !takes("top", "call_tree"));
	assert_true(takes("dot", "call_tree") && !takes("dot", "csv"));
	assert_true(takes("folded", "inverted") && takes("flame", "inverted") && !takes("tree", "inverted"));
	assert_true(takes("traces", "json") && !takes("traces", "markdown"));
	assert_true(takes("merge", "focus") && takes("merge", "sample_index") && !takes("merge", "cum") &&
		    !takes("comments", "focus"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_each_report_by_its_name),
		cmocka_unit_test(each_report_has_one_line_of_help),
		cmocka_unit_test(each_report_has_the_functions_for_its_input),
		cmocka_unit_test(ranks_in_the_save_dialog_have_no_gaps),
		cmocka_unit_test(each_tab_has_its_own_key_and_view),
		cmocka_unit_test(shells_offer_only_reports_of_the_loaded_profile),
		cmocka_unit_test(rejects_formats_and_options_that_do_not_apply),
		cmocka_unit_test(default_file_suffix_follows_the_format),
		cmocka_unit_test(makes_reports_without_a_command_line),
		cmocka_unit_test(each_report_accepts_only_options_that_apply_to_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
