/*
 * test_web_tables.c - tables of the web UI: rows, order, links, empty pages, files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/web.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"
#include "tests/unit/make_web.h"

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		n++;
	return n;
}

static void expect_count(struct web_test *t, const char *target, const char *part, size_t n)
{
	struct http_response r = get(t, target);

	assert_int_equal(r.status, 200);
	assert_int_equal(count(body(&r), part), n);
	http_response_release(&r);
}

/* Fail unless a is before b on the page. */
static void expect_order(struct web_test *t, const char *target, const char *a, const char *b)
{
	struct http_response r = get(t, target);
	const char *first = strstr(body(&r), a), *second = strstr(body(&r), b);

	if (!first || !second || first > second)
		fail_msg("%s: not \"%s\" before \"%s\"", target, a, b);
	http_response_release(&r);
}

/* The numbers are those of pprof -top. */
static void top_has_the_rows_of_pprof(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top", 200,
		    "<tr data-name=\"compress/flate.(*compressor).findMatch\"><td data-value=\"400000000\">0.40s</td>"
		    "<td class=\"wide\">6.93%</td><td class=\"wide\">18.20%</td><td data-value=\"480000000\">0.48s</td>"
		    "<td class=\"wide\">8.32%</td>");
	expect_page(&t, "/ui/top", 200, "100&nbsp;% is 5.77s, the total of all samples");
	expect_page(&t, "/ui/top?f=depot&rel=t", 200, "the total of the samples that pass the filters");
	web_test_end(&t);
}

static void a_page_shows_a_part_of_the_rows(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_count(&t, "/ui/top?trim=f&rows=10", "<tr data-name", 10);
	expect_page(&t, "/ui/top?trim=f&rows=10&from=20", 200, "<caption>21-30 of 437 functions;");
	expect_page(&t, "/ui/top?trim=f&rows=10&from=20", 200, "href=\"top?from=30&amp;rows=10&amp;trim=f\">Next</a>");
	expect_page(&t, "/ui/top?trim=f&rows=10&from=20", 200, "href=\"top?from=10&amp;rows=10&amp;trim=f\">Previous");
	expect_page(&t, "/ui/top?trim=f", 200, "href=\"top?rows=all&amp;trim=f\">All 437</a>");
	expect_count(&t, "/ui/top?trim=f&rows=all", "<tr data-name", 437);
	expect_count(&t, "/ui/top?trim=f&rows=10&from=9999", "<tr data-name", 10);
	expect_count(&t, "/ui/top?trim=f&rows=-1&from=x", "<tr data-name", 200);
	web_test_end(&t);
}

static void headings_sort_the_rows(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_order(&t, "/ui/top", "data-name=\"shop/parcel.(*Parcel).Price\"",
		     "data-name=\"net/http.(*conn).serve\"");
	expect_order(&t, "/ui/top?sort=cum", "data-name=\"net/http.(*conn).serve\"",
		     "data-name=\"shop/parcel.(*Parcel).Price\"");
	expect_order(&t, "/ui/top?desc=f", "data-name=\"net/http.(*conn).serve\"",
		     "data-name=\"shop/parcel.(*Parcel).Price\"");
	expect_order(&t, "/ui/top?col=name", "data-name=\"net/http.(*conn).serve\"",
		     "data-name=\"shop/parcel.(*Parcel).Price\"");
	expect_order(&t, "/ui/top?col=name&desc=t", "data-name=\"shop/parcel.(*Parcel).Price\"",
		     "data-name=\"net/http.(*conn).serve\"");
	expect_page(&t, "/ui/top?sort=cum", 200, "data-key=\"cum\" data-report-order aria-sort=\"descending\"");
	web_test_end(&t);
}

static void peek_shows_callers_above_and_callees_below(void **state)
{
	struct web_test t = web_test_start("edge/recursion.pb.gz");
	struct http_response r = get(&t, "/ui/peek?f=.");
	const char *caller = strstr(body(&r), "<tr class=\"caller\""), *node = strstr(body(&r), "<tr class=\"node\"");
	const char *callee = strstr(body(&r), "<tr class=\"callee\"");

	(void)state;
	assert_non_null(caller);
	assert_non_null(node);
	assert_non_null(callee);
	assert_true(node < callee);
	http_response_release(&r);
	expect_page(&t, "/ui/peek?f=nosuchname", 400, "no matches found for regexp: nosuchname");
	expect_page(&t, "/ui/peek?f=nosuchname", 400, "<header>");
	expect_page(&t, "/ui/peek?f=%5Efact%24", 200, "<tr class=\"node\" data-name=\"fact\">");
	web_test_end(&t);
}

/* f is the argument of peek and the filter of other pages. */
static void a_link_to_peek_keeps_the_filter(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top", 200, "href=\"peek?f=%5Eshop%2Froute%5C.%5C%28%5C%2APlanner%5C%29%5C.nearest%24\"");
	expect_page(&t, "/ui/top?f=depot", 200,
		    "href=\"peek?arg=%5Eshop%2Froute%5C.%5C%28%5C%2APlanner%5C%29%5C.nearest%24&amp;f="
		    "depot\"");
	expect_page(&t, "/ui/peek?arg=Planner..nearest&f=depot", 200,
		    "<tr class=\"node\" data-name=\"shop/route.(*Planner).nearest ");
	expect_absent(&t, "/ui/peek?arg=Planner..nearest&f=depot", "<tr class=\"node\" data-name=\"shop/depot");
	expect_page(&t, "/ui/peek?f=nearest", 200, "href=\"peek?arg=nearest&amp;f=%5E");
	web_test_end(&t);
}

static void filters_that_exclude_are_extended(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top?i=xyz", 200,
		    "href=\"top?i=xyz%7C%5Eshop%2Froute%5C.%5C%28%5C%2APlanner%5C%29%5C.nearest%24\"");
	expect_page(&t, "/ui/top?h=xyz", 200,
		    "href=\"top?h=xyz%7C%5Eshop%2Froute%5C.%5C%28%5C%2APlanner%5C%29%5C.nearest%24\"");
	expect_page(&t, "/ui/top?sf=nearest", 200,
		    "href=\"top?sf=%5Eshop%2Froute%5C.%5C%28%5C%2APlanner%5C%29%5C.nearest%24\"");
	web_test_end(&t);
}

static void an_empty_page_says_why(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top?f=nosuchname", 200, "<div><bdi>Focus expression matched no samples</bdi></div>");
	expect_page(&t, "/ui/top?f=nosuchname", 200, "href=\"top\">Show the page without focus=<bdi>nosuchname</bdi>");
	expect_page(&t, "/ui/top?nf=0.95", 200, "href=\"top?nf=0.95&amp;trim=f\">Show all rows");
	web_test_end(&t);
	t = web_test_start("edge/all-zero.pb.gz");
	expect_page(&t, "/ui/top", 200, "all values of");
	web_test_end(&t);
	t = web_test_start("edge/no-samples.pb.gz");
	expect_page(&t, "/ui/traces", 200, "the profile has no samples");
	web_test_end(&t);
	t = web_test_start("cpp.cpu");
	expect_page(&t, "/ui/labels", 200, "the samples have no labels");
	expect_page(&t, "/ui/comments", 200, "the profile has no comments");
	web_test_end(&t);
}

static void labels_link_to_filters(void **state)
{
	struct web_test t = web_test_start("edge/labels.pb.gz");

	(void)state;
	expect_page(&t, "/ui/labels", 200, "href=\"flamegraph?tagroot=");
	expect_page(&t, "/ui/labels", 200, "href=\"labels?tf=");
	expect_page(&t, "/ui/labels", 200, "href=\"labels?ti=");
	web_test_end(&t);
}

static void traces_show_a_part_of_the_samples(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_count(&t, "/ui/traces?rows=3", "<ol class=\"stack\">", 3);
	expect_page(&t, "/ui/traces?rows=3&from=6", 200, "<caption>7-9 of ");
	expect_page(&t, "/ui/traces?col=flat", 200, "aria-sort=\"descending\"");
	web_test_end(&t);
}

/* Every name of names-hostile is shown in all views; none ends a tag, an attribute or a URL. */
static void hostile_names_are_text(void **state)
{
	static const char *const page[] = { "/ui/top?trim=f",    "/ui/tree?trim=f", "/ui/peek?f=.", "/ui/labels",
					    "/ui/traces?trim=f", "/ui/binaries",    "/ui/comments", "/ui/top?g=lines" };
	static const char *const file[] = { "edge/names-hostile.pb.gz", "edge/files-hostile.pb.gz",
					    "edge/names-empty.pb.gz" };

	(void)state;
	for (size_t f = 0; f < sizeof(file) / sizeof(file[0]); f++) {
		struct web_test t = web_test_start(file[f]);

		for (size_t i = 0; i < sizeof(page) / sizeof(page[0]); i++) {
			static const char *const bad[] = { "<script>", "<img", "javascript:", "\xe2\x80\xae", "\x1b" };

			for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
				char href[40];

				snprintf(href, sizeof(href), "href=\"%s", bad[k]);
				expect_absent(&t, page[i], k == 2 ? href : bad[k]);
			}
		}
		web_test_end(&t);
	}
}

/* The text of an attribute without its escapes; the caller frees. */
static char *unescape(const char *text, size_t n)
{
	static const char *const escape[][2] = { { "&amp;", "&" }, { "&#43;", "+" },  { "&lt;", "<" },
						 { "&gt;", ">" },  { "&#34;", "\"" }, { "&#39;", "'" } };
	struct buf out = { 0 };

	for (const char *end = text + n; text < end;) {
		size_t i = 0, n_escapes = sizeof(escape) / sizeof(escape[0]);

		while (i < n_escapes && strncmp(text, escape[i][0], strlen(escape[i][0])) != 0)
			i++;
		buf_add(&out, i < n_escapes ? escape[i][1] : text, 1);
		text += i < n_escapes ? strlen(escape[i][0]) : 1;
	}
	return out.data;
}

/* Follow the first link after each row's name that begins with this path, and expect the same name. */
static void follow_links(struct web_test *t, const char *page, const char *path)
{
	static const char row[] = "<tr data-name=\"";
	struct http_response r = get(t, page);
	size_t n = 0;

	for (const char *at = strstr(body(&r), row), *next; at; at = next) {
		size_t n_name = strcspn(at + strlen(row), "\"");
		struct buf name = { 0 }, target = { 0 };
		const char *link = strstr(at, path);
		char *url;

		next = strstr(at + 1, row);
		if (!link || (next && link > next))
			continue; /* names without characters have no link */
		link += strlen("href=\"");
		url = unescape(link, strcspn(link, "\""));
		buf_addf(&target, "/ui/%s", url);
		buf_addf(&name, "data-name=\"%.*s", (int)n_name, at + strlen(row));
		expect_page(t, buf_text(&target), 200, buf_text(&name));
		free(url);
		buf_release(&name);
		buf_release(&target);
		n++;
	}
	assert_true(n > 5);
	http_response_release(&r);
}

static void hostile_units_are_text(void **state)
{
	static const char *const page[] = { "top",    "top?col=name", "tree",  "peek?f=.", "labels",
					    "traces", "binaries",     "graph", "compare",  "top?nf=0.9999" };
	struct make m = make_start("cpu/<img/src=x>");
	struct web_test t = web_test_start_empty();
	struct load_result l = { 0 };
	struct err err;

	(void)state;
	ROW(&m, "leaf;main", 7);
	l.profile = make_end(&m);
	assert_int_equal(web_set_loaded(t.web, &l, "<img src=name>", &err), 0);
	for (size_t i = 0; i < sizeof(page) / sizeof(page[0]); i++) {
		char target[40];

		snprintf(target, sizeof(target), "/ui/%s", page[i]);
		expect_absent(&t, target, "<img");
	}
	expect_page(&t, "/ui/top", 200, "7&lt;img/src=x&gt;");
	web_test_end(&t);
}

/* Names of C++ templates, with + & # ; and all hostile names. */
static void links_select_their_row(void **state)
{
	static const char *const file[] = { "cpp-cpu.pb.gz", "rust-cpu.pb.gz", "node-wall.pb.gz",
					    "edge/names-hostile.pb.gz" };

	(void)state;
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
		struct web_test t = web_test_start(file[i]);

		follow_links(&t, "/ui/top?trim=f&rows=60", "href=\"peek?");
		follow_links(&t, "/ui/top?trim=f&rows=60", "href=\"top?f=");
		web_test_end(&t);
	}
}

static void files_have_a_type_and_a_safe_name(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response r = get(&t, "/ui/top.csv");

	(void)state;
	assert_int_equal(r.status, 200);
	assert_string_equal(r.type, "text/csv; charset=utf-8");
	assert_non_null(
		strstr(buf_text(&r.header), "Content-Disposition: attachment; filename=\"go-cpu-top.csv\"\r\n"));
	assert_memory_equal(body(&r), "flat,", 5);
	http_response_release(&r);
	r = get(&t, "/ui/download?f=nosuchname");
	assert_string_equal(r.type, "application/vnd.google.protobuf+gzip");
	assert_non_null(strstr(buf_text(&r.header), "Content-Disposition: attachment;filename=profile.pb.gz\r\n"));
	assert_memory_equal(body(&r), "\x1f\x8b", 2);
	http_response_release(&r);
	expect_page(&t, "/ui/top.exe", 404, "404 page not found");
	expect_page(&t, "/ui/top.csv.", 404, "404 page not found");
	expect_page(&t, "/ui/profile", 404, "404 page not found");
	expect_page(&t, "/ui/help.txt", 404, "404 page not found");
	web_test_end(&t);
}

static void every_help_link_has_its_target(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top", 200, "href=\"help#top\"");
	expect_page(&t, "/ui/help", 200, "<dt id=\"top\">");
	expect_page(&t, "/ui/help", 200, "<dt id=\"labels\">");
	expect_page(&t, "/ui/help", 200, "<dt id=\"traces\">");
	web_test_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(top_has_the_rows_of_pprof),
		cmocka_unit_test(a_page_shows_a_part_of_the_rows),
		cmocka_unit_test(headings_sort_the_rows),
		cmocka_unit_test(peek_shows_callers_above_and_callees_below),
		cmocka_unit_test(a_link_to_peek_keeps_the_filter),
		cmocka_unit_test(filters_that_exclude_are_extended),
		cmocka_unit_test(an_empty_page_says_why),
		cmocka_unit_test(labels_link_to_filters),
		cmocka_unit_test(traces_show_a_part_of_the_samples),
		cmocka_unit_test(hostile_names_are_text),
		cmocka_unit_test(hostile_units_are_text),
		cmocka_unit_test(links_select_their_row),
		cmocka_unit_test(files_have_a_type_and_a_safe_name),
		cmocka_unit_test(every_help_link_has_its_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
