/*
 * test_web_frame.c - the frame of a page: menus, chips, forms, command line, saved configs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/web.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_web.h"

#include "make_folder.h"

#define TOKEN "00112233445566778899aabbccddeeff"

/* A web UI with options of a command line and a settings file. */
static struct web_test start(const char *focus, const char *settings_path)
{
	struct web_test t = { .q = malloc(sizeof(*t.q)) };
	struct web_options options = { .q = t.q, .settings_path = settings_path, .token = TOKEN };

	assert_non_null(t.q);
	query_init(t.q);
	t.q->symbolize = "none";
	t.q->focus = focus;
	t.web = web_new(&options);
	web_test_load(&t, "go-cpu.pb.gz", NULL);
	return t;
}

/* Send a request with a form as its body. Returns the status. */
static int post(struct web_test *t, const char *method, const char *target, const char *form, const char *token_header)
{
	const struct http_header header[] = { { "Host", "localhost:1" },
					      { "Accept", "text/html" },
					      { "X-Cpa-Token", token_header } };
	const char *question = strchr(target, '?');
	char *path = strndup(target, question ? (size_t)(question - target) : strlen(target));
	struct http_request q = { .method = method,
				  .path = path,
				  .query = question ? question + 1 : "",
				  .header = header,
				  .n_headers = token_header ? 3 : 2,
				  .body = form,
				  .n_body = strlen(form),
				  .upload = -1,
				  .peer = { .is_loopback = true, .is_user = true, .address = "127.0.0.1" } };
	struct http_response r = { 0 };
	struct stop stop = { 0 };
	int status;

	web_answer(t->web, &q, &stop, &r);
	status = r.status;
	http_response_release(&r);
	free(path);
	return status;
}

static void menus_keep_the_filters(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top?f=a%2Bb&p=x", 200, " href=\"tree?f=a%2Bb&amp;p=x\">Tree</a>");
	expect_page(&t, "/ui/top?f=a", 200, "<summary>Sample<span>: <bdi>cpu</bdi></span></summary>");
	expect_page(&t, "/ui/top?f=a&si=cpu", 200, "<a href=\"top?f=a&amp;si=samples\"><bdi>samples</bdi></a>");
	expect_page(&t, "/ui/top?si=0", 200, "<a aria-current=\"true\" href=\"top?si=samples\">");
	expect_page(&t, "/ui/top?f=a&prof=&h=x&p=y", 200, "title=\"Show the entire profile\" href=\"top?prof=\">Reset");
	web_test_end(&t);
}

static void chips_remove_one_filter_each(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/tree?f=main&h=x&n=5", 200,
		    "<span>focus=<bdi>main</bdi></span><a aria-label=\"Remove focus\" href=\"tree?h=x&amp;n=5\">");
	expect_page(&t, "/ui/top?noinlines=t&g=lines", 200,
		    "<span>noinlines</span><a aria-label=\"Remove noinlines\" href=\"top?g=lines\">");
	expect_page(&t, "/ui/top?noinlines=t&g=lines", 200, "<span>granularity=<bdi>lines</bdi></span>");
	expect_page(&t, "/ui/top?by=label:k&p=x", 200, "aria-label=\"Remove tagroot\" href=\"top?p=x\">");
	expect_page(&t, "/ui/tree?n=5", 200, "<span>nodecount=<bdi>5</bdi></span>");
	expect_absent(&t, "/ui/top?n=5", "<span>nodecount="); /* top has all rows, as in pprof */
	expect_absent(&t, "/ui/top?sort=cum&si=samples&n=-1&trim=t", "class=\"chip\"");
	web_test_end(&t);
}

static void filters_of_the_command_line_are_switched_off(void **state)
{
	struct web_test t = start("main", NULL);

	(void)state;
	expect_page(&t, "/ui/top", 200, "<li class=\"chip given\" title=\"from the command line\"><span>focus=");
	expect_page(&t, "/ui/top", 200, "aria-label=\"Remove focus\" href=\"top?off=f\">");
	expect_page(&t, "/ui/top?h=x", 200, "title=\"Show the entire profile\" href=\"top?off=f\">Reset</a>");
	expect_absent(&t, "/ui/top?off=f", "<li class=\"chip");
	expect_page(&t, "/ui/top?off=f", 200,
		    "<input type=\"checkbox\" name=\"off\" value=\"f\" checked> switch off focus");
	expect_page(&t, "/ui/top?f=other", 200, "<li class=\"chip\"><span>focus=<bdi>other</bdi></span>");
	web_test_end(&t);
}

static void hostile_values_are_escaped(void **state)
{
	static const char *const pages[] = { "top", "peek", "tree", "flamegraph", "compare" };
	static const char query[] =
		"?h=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%27%0A%E2%80%AE&x%22%3E%3Cb%3E=1&arg=%22%3E%3Ci%3E"
		"&p=%22%3E%3Cu%3E";
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		struct buf target = { 0 };

		buf_addf(&target, "/ui/%s%s", pages[i], query);
		expect_absent(&t, target.data, "<script>alert");
		expect_absent(&t, target.data, "\"><b>");
		expect_absent(&t, target.data, "\"><i>");
		expect_absent(&t, target.data, "\"><u>");
		buf_release(&target);
	}
	expect_page(&t, "/ui/top?h=a%0A%E2%80%AEb", 200, "<span>hide=<bdi>a\\n\\u{202e}b</bdi></span>");
	expect_page(&t, "/ui/top?h=a%0A%E2%80%AEb", 200,
		    "name=\"h\" autocomplete=\"off\" spellcheck=\"false\" "
		    "value=\"a\n\xe2\x80\xae"
		    "b\"");
	web_test_end(&t);
}

static int count(const char *text, const char *part)
{
	int n = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

static void the_form_has_a_field_for_each_option(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response r = get(&t, "/ui/top?f=a%22b&p=x&trim=no&g=lines&si=samples");

	(void)state;
	for (size_t i = 0; i < query_n_params; i++) {
		const char *param = query_params[i].param;
		struct buf id = { 0 };

		buf_addf(&id, "id=\"option-%s\" name=\"%s\"", param, param);
		if (strcmp(param, "by") != 0 && strcmp(param, "norm") != 0 && strcmp(param, "si") != 0 &&
		    !strstr(body(&r), id.data))
			fail_msg("no field %s", param);
		buf_release(&id);
	}
	assert_int_equal(count(body(&r), "<div>"), count(body(&r), "</div>") - count(body(&r), "<div "));
	assert_non_null(strstr(body(&r), "value=\"a&#34;b\""));
	assert_non_null(strstr(body(&r), "<option value=\"f\" selected>no</option>"));
	assert_non_null(strstr(body(&r), "<option value=\"lines\" selected>lines</option>"));
	assert_non_null(strstr(body(&r), "<input type=\"hidden\" name=\"si\" value=\"samples\">"));
	http_response_release(&r);
	web_test_end(&t);
}

static void the_search_field_keeps_the_other_parameters(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top?f=x&h=y", 200,
		    "<form class=\"search\" role=\"search\" action=\"top\">\n<input type=\"hidden\" name=\"h\" "
		    "value=\"y\">\n"
		    "<input type=\"search\" id=\"search\" name=\"f\"");
	expect_absent(&t, "/ui/flamegraph", "id=\"search\"");
	web_test_end(&t);
}

static void the_command_line_is_that_of_the_page(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top?f=a%20b&sort=cum", 200, "<code id=\"command\">cpa top -cum -focus=&#39;a b&#39; ");
	expect_page(&t, "/ui/top", 200, "go-cpu.pb.gz</code>");
	expect_page(&t, "/ui/peek?f=main", 200, " -focus=main -lines -symbolize=none main /");
	expect_page(&t, "/ui/peek?f=-main", 400, " -focus=-main -symbolize=none -- -main /");
	expect_absent(&t, "/ui/top?color=heat", "--color-by");
	web_test_end(&t);
}

static void the_legend_is_that_of_pprof(void **state)
{
	static const char filters[] = "<bdi>Active filters:</bdi></div><div><bdi>   focus=";
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top?f=main", 200, "<div><bdi>File: shop</bdi></div><div><bdi>Build ID: b189");
	expect_page(&t, "/ui/top?f=main", 200, filters);
	expect_page(&t, "/ui/top?f=nosuchname", 200, "<bdi>Showing nodes accounting for 0, 0% of ");
	expect_page(&t, "/ui/peek?f=main", 200, "<div><bdi>File: shop</bdi></div><div><bdi>Build ID: b189");
	expect_absent(&t, "/ui/peek?f=main", filters);
	expect_page(&t, "/ui/flamegraph?f=main", 200, filters);
	expect_absent(&t, "/ui/labels", "Showing nodes accounting for");
	web_test_end(&t);
}

static void notes_are_shown_as_lines(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top?i=nosuchname&h=nosuchname", 200,
		    "<bdi>Ignore expression matched no samples</bdi></div><div><bdi>Hide expression matched no "
		    "samples</bdi></div>");
	web_test_end(&t);
}

static void configs_are_saved_and_deleted_by_forms(void **state)
{
	struct web_test t;

	(void)state;
	folder_make(NULL);
	t = start("", in_folder("settings.json"));
	expect_page(&t, "/ui/top", 200, "<li><a aria-current=\"true\" href=\"top?\"><bdi>Default</bdi></a></li>");
	assert_int_equal(
		post(&t, "POST", "/ui/do/save", "token=" TOKEN "&config=%3Cmine%3E&view=top&query=f%3Da%2526b", NULL),
		303);
	expect_page(&t, "/ui/top", 200, "<li class=\"saved\"><a href=\"top?f=a%26b\"><bdi>&lt;mine&gt;</bdi></a>");
	expect_page(&t, "/ui/top", 200, "aria-label=\"Delete &lt;mine&gt;\"");
	expect_page(&t, "/ui/top?f=a%26b", 200, "<a aria-current=\"true\" href=\"top?f=a%26b\">");
	assert_int_equal(post(&t, "POST", "/ui/do/delete", "token=" TOKEN "&config=none", NULL), 400);
	assert_int_equal(post(&t, "POST", "/ui/do/delete", "token=" TOKEN "&config=%3Cmine%3E", NULL), 303);
	expect_absent(&t, "/ui/top", "class=\"saved\"");
	web_test_end(&t);
	folder_remove(NULL);
}

static void configs_of_another_program_appear_at_once(void **state)
{
	static const char text[] = "{\"configs\":[{\"name\":\"theirs\",\"focus\":\"x\"}]}";
	struct web_test t;

	(void)state;
	folder_make(NULL);
	t = start("", in_folder("settings.json"));
	expect_absent(&t, "/ui/top", "theirs");
	folder_bytes("settings.json", text, strlen(text));
	expect_page(&t, "/ui/top", 200, "theirs");
	folder_bytes("settings.json", text, strlen(text) - 1);
	expect_page(&t, "/ui/top", 200, "<li class=\"error\"><bdi>could not parse settings: line 1: ");
	web_test_end(&t);
	folder_remove(NULL);
}

static void pprofs_requests_change_configs_with_a_token_only(void **state)
{
	struct web_test t;

	(void)state;
	folder_make(NULL);
	t = start("", in_folder("settings.json"));
	assert_int_equal(post(&t, "GET", "/ui/saveconfig?config=a&f=x", "", TOKEN), 405);
	assert_int_equal(post(&t, "DELETE", "/ui/saveconfig?config=a&f=x", "", TOKEN), 405);
	assert_int_equal(post(&t, "POST", "/ui/saveconfig?config=a&f=x", "", NULL), 403);
	assert_int_equal(post(&t, "POST", "/ui/saveconfig?config=a&f=x&token=" TOKEN, "", NULL), 403);
	assert_int_equal(post(&t, "POST", "/ui/do/save", "config=a", NULL), 403);
	assert_int_equal(post(&t, "GET", "/ui/do/save?config=a&token=" TOKEN, "", TOKEN), 405);
	expect_absent(&t, "/ui/top", "class=\"saved\"");
	assert_int_equal(post(&t, "POST", "/ui/saveconfig?config=a&f=x", "", TOKEN), 200);
	assert_int_equal(post(&t, "POST", "/ui/saveconfig?config=b", "token=" TOKEN, NULL), 200);
	assert_int_equal(post(&t, "POST", "/ui/saveconfig?f=x", "", TOKEN), 400);
	assert_int_equal(post(&t, "POST", "/ui/saveconfig?config=c&n=x", "", TOKEN), 400);
	expect_page(&t, "/ui/top", 200, "<a href=\"top?f=x\"><bdi>a</bdi></a>");
	assert_int_equal(post(&t, "GET", "/ui/deleteconfig?config=a", "", TOKEN), 405);
	assert_int_equal(post(&t, "DELETE", "/ui/deleteconfig?config=a", "", TOKEN), 200);
	assert_int_equal(post(&t, "POST", "/ui/deleteconfig?config=a", "", TOKEN), 400);
	expect_absent(&t, "/ui/top", "<bdi>a</bdi>");
	web_test_end(&t);
	folder_remove(NULL);
}

static void without_a_folder_configs_are_not_offered(void **state)
{
	struct web_test t = start("", NULL);

	(void)state;
	expect_absent(&t, "/ui/top", "<summary>Config");
	assert_int_equal(post(&t, "POST", "/ui/saveconfig?config=a", "", TOKEN), 500);
	web_test_end(&t);
}

static void an_error_keeps_title_menus_and_filters(void **state)
{
	static const char *const targets[] = { "/ui/top?n=abc&h=x", "/ui/top?f=(&h=x", "/ui/top?si=no&h=x",
					       "/ui/peek?f=nosuch&h=x" };
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		expect_page(&t, targets[i], 400, "<p class=\"error\" role=\"alert\">");
		expect_page(&t, targets[i], 400, "<summary>Refine</summary>");
		expect_page(&t, targets[i], 400, "<input type=\"search\"");
	}
	expect_page(&t, "/ui/top?n=abc", 400, "<title>shop cpu · Top</title>");
	expect_page(&t, "/ui/top?prof=00000000", 400, "profile 00000000 is not open");
	expect_page(&t, "/ui/top?prof=00000000", 400, "<title>Top</title>");
	expect_page(&t, "/ui/compare", 200, "<title>shop cpu · Open profiles</title>");
	web_test_end(&t);
}

static void the_export_menu_lists_the_files_of_the_view(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/top?f=a", 200, "href=\"top.csv?f=a\">");
	expect_page(&t, "/ui/flamegraph?f=a", 200, "href=\"flamegraph.pdf?f=a\">");
	expect_page(&t, "/ui/flamegraph?f=a", 200, "href=\"download?f=a\">Download</a>");
	web_test_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(menus_keep_the_filters),
		cmocka_unit_test(chips_remove_one_filter_each),
		cmocka_unit_test(filters_of_the_command_line_are_switched_off),
		cmocka_unit_test(hostile_values_are_escaped),
		cmocka_unit_test(the_form_has_a_field_for_each_option),
		cmocka_unit_test(the_search_field_keeps_the_other_parameters),
		cmocka_unit_test(the_command_line_is_that_of_the_page),
		cmocka_unit_test(the_legend_is_that_of_pprof),
		cmocka_unit_test(notes_are_shown_as_lines),
		cmocka_unit_test(configs_are_saved_and_deleted_by_forms),
		cmocka_unit_test(configs_of_another_program_appear_at_once),
		cmocka_unit_test(pprofs_requests_change_configs_with_a_token_only),
		cmocka_unit_test(an_error_keeps_title_menus_and_filters),
		cmocka_unit_test(the_export_menu_lists_the_files_of_the_view),
		cmocka_unit_test(without_a_folder_configs_are_not_offered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
