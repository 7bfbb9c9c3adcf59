/*
 * test_gate_ci.c - results of a gate in formats for CI servers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/ci/ci.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/make_gate_answer.h"

#define HOSTILE "\x1b[31m|`<b>&@x #1\n::error::%0A](y)\xff\xef\xbf\xbe"

static struct answer a;
static struct buf out;

enum drawing { JUNIT, SARIF, GITHUB, MARKDOWN, N_CI_FORMATS };

static const char *draw(enum drawing f)
{
	struct err err;

	buf_release(&out);
	out = (struct buf){ 0 };
	if (f == JUNIT)
		assert_int_equal(junit_draw(&a.g, &out, &err), 0);
	else
		(f == SARIF ? sarif_draw : f == GITHUB ? github_draw : ci_draw_markdown)(&a.g, &out);
	return buf_text(&out);
}

static void expect(enum drawing f, const char *part)
{
	if (!strstr(draw(f), part))
		fail_msg("\"%s\" is not in \"%s\"", part, out.data);
}

static void expect_not(enum drawing f, const char *part)
{
	if (strstr(draw(f), part))
		fail_msg("\"%s\" is in \"%s\"", part, out.data);
}

static uint32_t count(const char *part)
{
	uint32_t n = 0;

	for (const char *s = strstr(out.data, part); s; s = strstr(s + 1, part))
		n++;
	return n;
}

/* Make a result with one function that fails. */
static struct gate_row *one_failure(const char *name, const char *file, int64_t line)
{
	struct gate_row *r;

	answer_start(&a);
	a.g.outcome = GATE_FAILED;
	a.g.status = 1;
	r = answer_tested(&a, GATE_FAIL, name, ANSWER_SHARES(.157, .189), ANSWER_RATIO(1.265, 1.184, 1.351), 4e-7);
	r->file = file;
	r->line = line;
	return r;
}

#define SENTENCE "+26.5% (90% interval +18.4% to +35.1%), from 15.7% to 18.9% of the total, p=4e-07, limit +20%"
#define POWER                                                                                                          \
	"80% power to detect: +25% at 20% share, +27% at 10%, +36% at 5%, +88% at 1%; to detect +30% at 5% share: "    \
	"14,106 samples (57s) per side; you have 3,205"
#define SIDES                                                                                                          \
	"base: 3,163 samples in 4 profiles; new: 3,248 samples in 4 profiles; "                                        \
	"relative to the unchanged part of the program; confidence 99%, threshold +20%"
#define SUMMARY "FAIL, 1 regression, 0 suspect, 0 within +20%, 0 unresolved"

static void junit_contains_a_case_per_tested_row_and_one_for_the_number_of_samples(void **state)
{
	(void)state;
	one_failure("main.scoreA", "score.go", 4);
	answer_row(&a, GATE_NEW, "main.audit", 0, .1);
	a.g.is_underpowered = true;
	assert_string_equal(
		draw(JUNIT),
		"<?xml version=\"1.0\"?>\n"
		"<testsuites name=\"cpa gate\" tests=\"2\" failures=\"1\" errors=\"0\" time=\"0\">\n"
		"<testsuite name=\"cpa gate\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0\">\n"
		"<properties>\n"
		"<property name=\"verdict\" value=\"FAIL\"/>\n"
		"<property name=\"threshold\" value=\"0.2\"/>\n"
		"<property name=\"confidence\" value=\"0.99\"/>\n"
		"<property name=\"evidence\" value=\"change\"/>\n"
		"<property name=\"normalize\" value=\"bulk\"/>\n"
		"<property name=\"sample_type\" value=\"samples\"/>\n"
		"<property name=\"base.profiles\" value=\"4\"/>\n"
		"<property name=\"base.samples\" value=\"3163\"/>\n"
		"<property name=\"new.profiles\" value=\"4\"/>\n"
		"<property name=\"new.samples\" value=\"3248\"/>\n"
		"</properties>\n"
		"<testcase classname=\"main\" name=\"main.scoreA cum\" time=\"0\"><failure type=\"regression\" "
		"message=\"FAIL: " SENTENCE "; at score.go:4\">FAIL: " SENTENCE "; at score.go:4</failure></testcase>\n"
		"<testcase classname=\"cpa gate\" name=\"profiles are long enough\" time=\"0\"><skipped "
		"message=\"" POWER "\"/></testcase>\n"
		"<system-out>cpa gate: " SUMMARY ", 1 new\n" SIDES "</system-out>\n"
		"</testsuite>\n"
		"</testsuites>\n");
}

static void junit_counts_are_those_of_its_elements(void **state)
{
	(void)state;
	answer_red(&a);
	a.g.is_underpowered = true;
	expect(JUNIT, "<testsuite name=\"cpa gate\" tests=\"62\" failures=\"2\" errors=\"0\" skipped=\"3\"");
	assert_int_equal(count("<testcase "), 62);
	assert_int_equal(count("<failure "), 2);
	assert_int_equal(count("<skipped "), 3);
	assert_int_equal(count("<system-out>"), 62 - 2 - 3 + 1);
}

static void suspect_and_allowed_rows_are_skipped(void **state)
{
	(void)state;
	answer_red(&a);
	expect(JUNIT, "name=\"main.parseOrder cum\" time=\"0\"><skipped message=\"SUSPECT: +28.0%");
	expect(JUNIT, "name=\"main.render cum\" time=\"0\"><skipped message=\"SKIPPED: +100%");
	expect(JUNIT, "allowed until 2026-12-31 by gate.cpa:3: new fonts\"/>");
}

static void an_inconclusive_gate_fails_a_case_unless_its_status_is_0(void **state)
{
	(void)state;
	answer_unsure(&a);
	expect(JUNIT, "failures=\"0\" errors=\"0\" skipped=\"2\"");
	expect(GITHUB, "::warning title=cpa gate%3A INCONCLUSIVE::304 samples per side, 14,106 needed");
	a.g.status = 3;
	expect(JUNIT, "failures=\"1\" errors=\"0\" skipped=\"1\"");
	expect(JUNIT, "<skipped message=\"SUSPECT: +92.0%");
	expect(JUNIT, "<failure type=\"inconclusive\" message=\"INCONCLUSIVE: 304 samples per side, 14,106 needed");
	expect(GITHUB, "::error title=cpa gate%3A INCONCLUSIVE::304 samples per side, ");
	expect(SARIF, "\"exitCode\": 3");
	expect(SARIF, "\"id\": \"inconclusive\"");
}

static void the_sample_case_passes_with_the_needed_samples(void **state)
{
	(void)state;
	answer_pass(&a);
	expect(JUNIT, "\"profiles are long enough\" time=\"0\"><system-out>80% power to detect");
	a.g.is_underpowered = true;
	expect(JUNIT, "\"profiles are long enough\" time=\"0\"><skipped message=\"80% power to detect");
	a.g.outcome = GATE_INCONCLUSIVE;
	a.g.missing = "the sides have little in common";
	expect(JUNIT, "<skipped message=\"INCONCLUSIVE: the sides have little in common; 80% power to detect");
}

static void functions_with_the_same_name_are_distinguished_by_file(void **state)
{
	(void)state;
	one_failure("init", "a.c", 1);
	expect(JUNIT, "name=\"init cum\"");
	a.g.is_underpowered = true;
	answer_tested(&a, GATE_OK, "init", ANSWER_SHARES(.1, .1), ANSWER_RATIO(1, .9, 1.1), 1)->file = "b.c";
	answer_tested(&a, GATE_OK, "exit", ANSWER_SHARES(.1, .1), ANSWER_RATIO(1, .9, 1.1), 1)->file = "b.c";
	answer_tested(&a, GATE_OK, "init", ANSWER_SHARES(.1, .1), ANSWER_RATIO(1, .9, 1.1), 1)->kind = GATE_FLAT;
	expect(JUNIT, "name=\"init cum in a.c:1\"");
	expect(JUNIT, "name=\"init cum in b.c\"");
	expect(JUNIT, "name=\"exit cum\"");
	expect(JUNIT, "name=\"init flat\"");
}

/* Put untrusted text in every string from profiles. */
static void make_hostile(void)
{
	static const char *const alias[] = { HOSTILE, HOSTILE, HOSTILE };
	static const char *const source[] = { HOSTILE };
	struct gate_row *r = one_failure(HOSTILE, HOSTILE, INT64_MIN);

	r->old_name = r->reason = HOSTILE;
	r->alias = alias;
	r->n_aliases = 3;
	r->hi = INFINITY;
	r = answer_row(&a, GATE_NEW, HOSTILE, 0, .1);
	r->line = INT64_MAX;
	answer_note(&a, "odd", HOSTILE);
	answer_warn(&a, "odd", HOSTILE);
	a.rename[0] = (struct gate_rename){ HOSTILE, HOSTILE, NAN, false };
	a.g.n_renames = 1;
	a.g.type = HOSTILE;
	a.g.side[SIDE_NEW].source = source;
	a.power[0].ratio = a.g.need_samples = INFINITY;
	a.g.total_ratio = NAN;
}

static void control_characters_are_escaped_and_nan_is_never_printed(void **state)
{
	(void)state;
	make_hostile();
	for (enum drawing f = 0; f < N_CI_FORMATS; f++) {
		for (const char *s = draw(f); *s; s++)
			if ((unsigned char)*s < ' ' && *s != '\n')
				fail_msg("byte %d in format %d", *s, f);
		assert_null(strstr(out.data, "nan"));
		assert_null(strstr(out.data, "inf"));
	}
	draw(JUNIT);
	assert_null(strstr(out.data, "\xef\xbf\xbe"));
	assert_null(strstr(out.data, "<b>"));
}

static void github_commands_are_one_line_whatever_the_names(void **state)
{
	(void)state;
	make_hostile();
	draw(GITHUB);
	assert_int_equal(count("\n"), 2);
	assert_int_equal(count("\n::warning title="), 1);
	assert_memory_equal(out.data, "::error file=", 13);
	assert_null(strstr(out.data, "%0A"));
	assert_non_null(strstr(out.data, "%250A"));
	one_failure("f", "a,b:c%.go", 7);
	expect(GITHUB, "::error file=a%2Cb%3Ac%25.go,line=7,title=");
}

static void sarif_without_results_contains_an_invocation(void **state)
{
	(void)state;
	answer_start(&a);
	expect(SARIF, "\"results\": [],\n");
	expect(SARIF, "\"executionSuccessful\": true,\n          \"exitCode\": 0,");
	expect(SARIF, "\"toolExecutionNotifications\": []");
	expect(SARIF, "\"version\": \"" PACKAGE_VERSION "\"");
}

static void sarif_has_results_for_four_rules(void **state)
{
	(void)state;
	answer_red(&a);
	draw(SARIF);
	assert_int_equal(count("\"ruleId\""), 5);
	assert_int_equal(
		count("\"ruleId\": \"cpa/regression\",\n          \"ruleIndex\": 0,\n          \"level\": \"error\""),
		2);
	assert_int_equal(
		count("\"ruleId\": \"cpa/suspect\",\n          \"ruleIndex\": 1,\n          \"level\": \"warning\""),
		1);
	assert_int_equal(
		count("\"ruleId\": \"cpa/new-cost\",\n          \"ruleIndex\": 2,\n          \"level\": \"note\""), 1);
	assert_int_equal(
		count("\"ruleId\": \"cpa/moved\",\n          \"ruleIndex\": 3,\n          \"level\": \"note\""), 1);
}

static void a_failing_new_function_is_reported_as_an_error_of_rule_new_cost(void **state)
{
	(void)state;
	answer_start(&a);
	answer_row(&a, GATE_FAIL, "main.audit", 0, .1)->reason = "more than 5% of the total";
	expect(SARIF, "\"ruleId\": \"cpa/new-cost\",\n          \"ruleIndex\": 2,\n          \"level\": \"error\"");
	expect(SARIF, "\"text\": \"main.audit (cum) new, 10.0% of the total; more than 5% of the total\"");
}

static void fingerprints_depend_on_name_and_kind_only(void **state)
{
	/* FNV-1a of "a\0cum\0", computed with another program */
	static const char want[] = "\"primaryLocationLineHash\": \"905db71c07d950e5:1\"";

	(void)state;
	one_failure("a", "a.go", 1);
	expect(SARIF, want);
	one_failure("a", "b.go", 99);
	expect(SARIF, want);
	one_failure("a", "a.go", 1)->kind = GATE_FLAT;
	expect_not(SARIF, want);
	one_failure("b", "a.go", 1);
	expect_not(SARIF, want);
}

static void explicit_renames_are_not_suggestions(void **state)
{
	(void)state;
	answer_red(&a);
	expect(MARKDOWN, "\n- renamed? `main.scoreB` -> `main.rankOrders` (x1.02)\n");
	expect(MARKDOWN, "\n- renamed: `main.oldSum` -> `main.sum`\n");
}

static void text_in_a_message_is_not_a_link(void **state)
{
	(void)state;
	one_failure("operator[](int)", "", 0);
	expect(SARIF, "\"text\": \"operator[] (int) (cum) +26.5%");
	expect(SARIF, "\"fullyQualifiedName\": \"operator[](int)\"");
}

static void a_result_without_a_file_is_located_in_the_profile(void **state)
{
	static const char *const url[] = { "http://user:word@host/p" };

	(void)state;
	one_failure("a", "", 17);
	expect(SARIF, "\"uri\": \"new-1.pb.gz\",\n                  \"uriBaseId\": \"%SRCROOT%\"\n                },\n"
		      "                \"region\": {\n                  \"startLine\": 1\n");
	a.g.side[SIDE_NEW].source = url;
	expect(SARIF, "\"uri\": \"profile\"");
	expect_not(SARIF, "word");
	expect(GITHUB, "::error title=cpa gate%3A FAIL::a (cum) ");
}

static void line_numbers_are_at_least_1(void **state)
{
	(void)state;
	one_failure("a", "a.go", 0);
	expect(SARIF, "\"startLine\": 1\n");
	expect(GITHUB, "file=a.go,line=1,");
	one_failure("a", "a.go", INT64_MAX);
	expect(SARIF, "\"startLine\": 2147483647\n");
}

/* Compare the path in an annotation, and the start of the URI. */
static void expect_place(const char *workspace, const char *file, const char *github, const char *uri)
{
	char want[600];

	setenv("GITHUB_WORKSPACE", workspace, 1);
	one_failure("a", file, 3);
	snprintf(want, sizeof(want), "::error %s::a (cum) ", github);
	expect(GITHUB, want);
	snprintf(want, sizeof(want), "\"uri\": \"%s", uri);
	expect(SARIF, want);
	unsetenv("GITHUB_WORKSPACE");
}

static void paths_are_relative_to_the_repository(void **state)
{
	char root[] = "/tmp/cpa-ci-XXXXXX", path[200];
	static const char *const made[] = { "src", "src/util", "src/my app.go", "src/util/x.go", "top.go" };

	(void)state;
	assert_non_null(mkdtemp(root));
	for (int i = 0; i < 5; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", root, made[i]);
		if (i < 2) {
			assert_int_equal(mkdir(path, 0700), 0);
		} else {
			f = fopen(path, "w");
			assert_non_null(f);
			fclose(f);
		}
	}
	snprintf(path, sizeof(path), "%s/src/my app.go", root);
	expect_place(root, path, "file=src/my app.go,line=3,title=cpa gate%3A FAIL", "src/my%20app.go");
	/* a generated file that no longer exists */
	snprintf(path, sizeof(path), "%s/gen/y.go", root);
	expect_place(root, path, "file=gen/y.go,line=3,title=cpa gate%3A FAIL", "gen/y.go");
	/* files built on another machine, and files of a module */
	expect_place(root, "/build/src/util/x.go", "file=src/util/x.go,line=3,title=cpa gate%3A FAIL", "src/util/x.go");
	expect_place(root, "github.com/me/it/src/util/x.go", "file=src/util/x.go,line=3,title=cpa gate%3A FAIL",
		     "src/util/x.go");
	expect_place(root, "./src//util/./x.go", "file=src/util/x.go,line=3,title=cpa gate%3A FAIL", "src/util/x.go");
	/* a file in the root directory of the repository, found by the name of the repository directory */
	snprintf(path, sizeof(path), "/build%s/top.go", root + 4);
	expect_place(root, path, "file=top.go,line=3,title=cpa gate%3A FAIL", "top.go");
	expect_place(root, path + 7, "file=top.go,line=3,title=cpa gate%3A FAIL", "top.go");
	expect_place(root, "/build/other/top.go", "title=cpa gate%3A FAIL", "file:///build/other/top.go");
	snprintf(path, sizeof(path), "/build/x%s/top.go", root + 5);
	expect_place(root, path, "title=cpa gate%3A FAIL", "");
	/* not in the repository */
	expect_place(root, "/usr/lib/go/proc.go", "title=cpa gate%3A FAIL", "file:///usr/lib/go/proc.go");
	expect_place(root, "/x.go", "title=cpa gate%3A FAIL", "file:///x.go");
	expect_place(root, "runtime/proc.go", "file=runtime/proc.go,line=3,title=cpa gate%3A FAIL", "runtime/proc.go");
	/* a step that runs in a subdirectory */
	snprintf(path, sizeof(path), "%s/src", root);
	assert_int_equal(chdir(path), 0);
	expect_place(root, "util/x.go", "file=src/util/x.go,line=3,title=cpa gate%3A FAIL", "src/util/x.go");
	assert_int_equal(chdir("/"), 0);
	for (int i = 4; i >= 0; i--) {
		snprintf(path, sizeof(path), "%s/%s", root, made[i]);
		assert_int_equal(remove(path), 0);
	}
	assert_int_equal(remove(root), 0);
}

static void github_gets_ten_annotations_and_the_total_number(void **state)
{
	(void)state;
	one_failure("f", "f.go", 1);
	for (int i = 1; i < 10; i++)
		answer_tested(&a, GATE_FAIL, "f", ANSWER_SHARES(.1, .2), ANSWER_RATIO(2, 1.5, 2.5), 1e-5);
	draw(GITHUB);
	assert_int_equal(count("::error "), 10);
	assert_null(strstr(out.data, "more"));
	answer_tested(&a, GATE_FAIL, "f", ANSWER_SHARES(.1, .2), ANSWER_RATIO(2, 1.5, 2.5), 1e-5);
	for (int i = 0; i < 12; i++)
		answer_tested(&a, GATE_SUSPECT, "f", ANSWER_SHARES(.1, .2), ANSWER_RATIO(2, 1.5, 2.5), 1e-5);
	for (int i = 0; i < 12; i++)
		answer_warn(&a, "odd", "w");
	draw(GITHUB);
	assert_int_equal(count("::error "), 10);
	assert_int_equal(count("::warning "), 10);
	assert_non_null(strstr(out.data, "::error title=cpa gate%3A more regressions::2 more of 11\n"));
	assert_non_null(strstr(out.data, "::warning title=cpa gate%3A more suspects::4 more of 12\n"));
	assert_non_null(strstr(out.data, "::warning title=cpa gate::12 more warnings\n"));
}

static void a_pass_is_a_notice(void **state)
{
	(void)state;
	answer_pass(&a);
	assert_string_equal(draw(GITHUB),
			    "::notice title=cpa gate%3A PASS::no evidence of regression; 9 proved within +20%25, 46 "
			    "unresolved%0A80%25 power to detect: +25%25 at 20%25 share, +27%25 at 10%25, +36%25 at "
			    "5%25, +88%25 at 1%25; to detect +30%25 at 5%25 share: 14,106 samples (57s) per side; you "
			    "have 3,205\n");
}

static void markdown_starts_with_the_verdict_and_shows_failures_unfolded(void **state)
{
	(void)state;
	one_failure("main.scoreA", "score.go", 4);
	answer_row(&a, GATE_GONE, "main.old", .013, 0);
	answer_warn(&a, "odd", "odd");
	assert_string_equal(
		draw(MARKDOWN),
		"### cpa gate: " SUMMARY "\n\n" SIDES "\n\n"
		"| verdict | function | change | 90% interval | base | new | p | where |\n"
		"|---|---|---:|---|---:|---:|---:|---|\n"
		"| FAIL | `main.scoreA` cum | +26.5% | +18.4% to +35.1% | 15.7% | 18.9% | 4e-07 | `score.go:4` |\n\n"
		"<details><summary>1 other function</summary>\n\n"
		"| verdict | function | change | 90% interval | base | new | p | where |\n"
		"|---|---|---:|---|---:|---:|---:|---|\n"
		"| GONE | `main.old` cum |  |  | 1.3% | 0.0% |  |  |\n\n"
		"</details>\n\n"
		"- **warning:** odd\n\n" POWER "\n");
}

static void markdown_escapes_marks_tags_links_and_mentions(void **state)
{
	(void)state;
	answer_start(&a);
	answer_warn(&a, "odd", "<b>&*x* `y` [a](b) | @me #1 http://x www.x _z_");
	expect(MARKDOWN,
	       "- **warning:** &#60;b&#62;&#38;&#42;x&#42; &#96;y&#96; &#91;a&#93;(b) &#124; &#64;\xe2\x80\x8bme "
	       "&#35;\xe2\x80\x8b"
	       "1 http&#58;//x www&#46;x &#95;z&#95;\n");
}

static void markdown_fits_a_comment_whatever_the_names(void **state)
{
	static char name[3000];

	(void)state;
	answer_start(&a);
	for (int i = 0; i < (int)sizeof(name) - 1; i++)
		name[i] = "|@`"[i % 3];
	for (int i = 0; i < ANSWER_ROWS; i++) {
		struct gate_row *r = answer_tested(&a, i % 2 ? GATE_FAIL : GATE_OK, name, ANSWER_SHARES(.1, .2),
						   ANSWER_RATIO(2, 1.5, 2.5), 1e-5);

		r->file = r->old_name = r->reason = name;
	}
	for (int i = 0; i < ANSWER_MESSAGES; i++) {
		answer_warn(&a, "odd", name);
		answer_note(&a, "odd", name);
	}
	draw(MARKDOWN);
	assert_true(out.len > 40000 && out.len < 65536);
	assert_non_null(strstr(out.data, " more are not shown.\n"));
	assert_non_null(strstr(out.data, "</details>\n"));
}

static int set_up(void **state)
{
	(void)state;
	return unsetenv("GITHUB_WORKSPACE");
}

static int tear_down(void **state)
{
	(void)state;
	buf_release(&out);
	out = (struct buf){ 0 };
	return 0;
}

static void an_error_is_reported_in_every_format(void **state)
{
	(void)state;
	a = (struct answer){
		.g = { .outcome = GATE_ERROR, .status = 2, .error = "a.pb: no [x](y)\nand \x1b[31m & <b>" }
	};
	assert_string_equal(
		draw(JUNIT),
		"<?xml version=\"1.0\"?>\n"
		"<testsuites name=\"cpa gate\" tests=\"1\" failures=\"0\" errors=\"1\" time=\"0\">\n"
		"<testsuite name=\"cpa gate\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0\">\n"
		"<testcase classname=\"cpa gate\" name=\"profiles can be compared\" time=\"0\"><error type=\"error\" "
		"message=\"nothing was decided: a.pb: no [x](y)\\nand \\x1b[31m &amp; &lt;b&gt;\">nothing was decided: "
		"a.pb: "
		"no [x](y)\\nand \\x1b[31m &amp; &lt;b&gt;</error></testcase>\n"
		"</testsuite>\n"
		"</testsuites>\n");
	assert_string_equal(draw(GITHUB), "::error title=cpa gate%3A ERROR::nothing was decided: "
					  "a.pb: no [x](y)\\nand \\x1b[31m & <b>\n");
	expect(MARKDOWN, "### cpa gate: ERROR, nothing was decided\n\na.pb: no &#91;x&#93;(y)&#92;nand ");
	expect(SARIF, "\"executionSuccessful\": false");
	expect(SARIF, "\"exitCode\": 2");
	expect(SARIF, "\"level\": \"error\",\n");
	expect(SARIF, "\"results\": []");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(junit_contains_a_case_per_tested_row_and_one_for_the_number_of_samples),
		cmocka_unit_test(junit_counts_are_those_of_its_elements),
		cmocka_unit_test(suspect_and_allowed_rows_are_skipped),
		cmocka_unit_test(an_inconclusive_gate_fails_a_case_unless_its_status_is_0),
		cmocka_unit_test(the_sample_case_passes_with_the_needed_samples),
		cmocka_unit_test(functions_with_the_same_name_are_distinguished_by_file),
		cmocka_unit_test(control_characters_are_escaped_and_nan_is_never_printed),
		cmocka_unit_test(github_commands_are_one_line_whatever_the_names),
		cmocka_unit_test(sarif_without_results_contains_an_invocation),
		cmocka_unit_test(sarif_has_results_for_four_rules),
		cmocka_unit_test(a_failing_new_function_is_reported_as_an_error_of_rule_new_cost),
		cmocka_unit_test(fingerprints_depend_on_name_and_kind_only),
		cmocka_unit_test(explicit_renames_are_not_suggestions),
		cmocka_unit_test(text_in_a_message_is_not_a_link),
		cmocka_unit_test(a_result_without_a_file_is_located_in_the_profile),
		cmocka_unit_test(line_numbers_are_at_least_1),
		cmocka_unit_test(paths_are_relative_to_the_repository),
		cmocka_unit_test(github_gets_ten_annotations_and_the_total_number),
		cmocka_unit_test(a_pass_is_a_notice),
		cmocka_unit_test(markdown_starts_with_the_verdict_and_shows_failures_unfolded),
		cmocka_unit_test(markdown_escapes_marks_tags_links_and_mentions),
		cmocka_unit_test(markdown_fits_a_comment_whatever_the_names),
		cmocka_unit_test(an_error_is_reported_in_every_format),
	};

	return cmocka_run_group_tests_name("gate_ci", tests, set_up, tear_down);
}
