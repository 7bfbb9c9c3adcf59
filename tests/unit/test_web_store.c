/*
 * test_web_store.c - the page on which windows of a store are chosen
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/web.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "make_filled_store.h"
#include "tests/unit/make_web.h"

static const char token[] = "00112233445566778899aabbccddeeff";
static struct filled store;

static void add(const char *service, const char *instance, int64_t minute, int64_t ns)
{
	filled_add(&store, service, "cpu", instance, minute * MINUTE, "cpu/nanoseconds", &ns);
}

static int fill(void **state)
{
	(void)state;
	store = filled_start();
	add("shop", "a", 0, 1000000000);
	add("shop", "b", 1, 250000000);
	add("shop", "a", 60, 4000000000);
	add("<i>\"&cart\"", "<b>", 60, 1);
	filled_mark(&store, "shop", 30 * MINUTE, "deploy", "<2.4>");
	filled_mark(&store, "shop", 40 * MINUTE, "watch", "cpu PASS deploy <2.4>");
	filled_mark(&store, "shop", 50 * MINUTE, "watch", "cpu FAIL +31% <u>run</u>");
	filled_mark(&store, "<i>\"&cart\"", 10 * MINUTE, "watch", "cpu FAIL +5% <b>");
	filled_close(&store);
	return 0;
}

static int empty(void **state)
{
	(void)state;
	filled_remove(&store);
	return 0;
}

/* A web UI of the store. */
static struct web_test start(void)
{
	struct web_test t = { .q = calloc(1, sizeof(*t.q)) };
	struct web_options options = { .q = t.q, .store = store.folder, .store_service = "", .store_kind = "" };

	query_init(t.q);
	t.q->symbolize = "none";
	memcpy(options.token, token, sizeof(token));
	t.web = web_new(&options);
	web_test_load(&t, "go-cpu.pb.gz", NULL);
	return t;
}

/* Send the form that opens windows. */
static struct http_response open_windows(struct web_test *t, const char *form, const char *given_token)
{
	const struct http_header header[] = { { "Host", "localhost:1" },
					      { "Content-Type", "application/x-www-form-urlencoded" },
					      { "X-Cpa-Token", given_token } };
	const struct http_request request = { .method = "POST",
					      .path = "/ui/do/store",
					      .query = "",
					      .header = header,
					      .n_headers = given_token ? 3 : 2,
					      .body = form,
					      .n_body = strlen(form),
					      .upload = -1 };
	struct http_response r = { 0 };
	struct stop stop = { 0 };

	web_answer(t->web, &request, &stop, &r);
	return r;
}

static void the_page_shows_totals_marks_and_choices(void **state)
{
	static const char page[] = "/ui/store?service=shop&t0=2026-11-20T00:00&t1=2026-11-20T02:00";
	struct web_test t = start();

	(void)state;
	expect_page(&t, page, 200, "<bdi>cpu</bdi>: total per 1 min of 2 series");
	expect_page(&t, page, 200,
		    ">3s</text>\n<text x=\"70\" y=\"12.00\">4s</text>"); /* the axis ends at the largest value */
	expect_page(&t, page, 200, "2026-11-20 01:00:00: 4s, 1 profile</title></rect>");
	expect_page(&t, page, 200, "2026-11-20 00:30:00: deploy &lt;2.4&gt;</title>");
	expect_page(&t, page, 200, "<option value=\"shop\" selected>");
	expect_page(&t, page, 200,
		    "2026-11-20 00:00:00 to 2026-11-20 02:00:00: 3 profiles of 2 series, 5.25s <bdi>cpu</bdi>");
	expect_page(&t, page, 200,
		    "t0=2026-11-20T00%3A45%3A01&amp;t1=2026-11-20T01%3A00%3A01&amp;val=cpu\">last 15 min</a>");
	expect_page(&t, page, 200, ">Store</a>");
	web_test_end(&t);
}

static void marks_have_their_kind(void **state)
{
	static const char page[] = "/ui/store?service=shop&t0=2026-11-20T00:00&t1=2026-11-20T02:00";
	struct web_test t = start();

	(void)state;
	expect_page(&t, page, 200, "<line class=\"mark deploy\"");
	expect_page(&t, page, 200, "<line class=\"mark watch\"");
	expect_page(&t, page, 200, "<line class=\"mark fail\"");
	expect_page(&t, page, 200, "</i> watch: FAIL</span>");
	expect_absent(&t, page, "</i> other mark</span>");
	expect_page(&t, page, 200, "\"store?b0=2026-11-20T00%3A00%3A00&amp;b1=2026-11-20T00%3A30%3A00&amp;kind=cpu");
	expect_page(&t, page, 200,
		    "w0=2026-11-20T00%3A30%3A00&amp;w1=2026-11-20T01%3A00%3A00\">compare before and after</a>");
	expect_absent(&t, page, "<u>");
	web_test_end(&t);
}

static void services_have_kinds_labels_and_verdicts(void **state)
{
	struct web_test t = start();

	(void)state;
	expect_page(&t, "/ui/store", 200, "<details class=\"services\" open><summary>2 services</summary>");
	expect_page(&t, "/ui/store?service=shop", 200, "<details class=\"services\"><summary>");
	expect_page(&t, "/ui/store", 200, "<a href=\"store?kind=cpu&amp;service=shop\">cpu</a>");
	expect_page(&t, "/ui/store", 200, "<bdi>cpu FAIL &#43;31% &lt;u&gt;run&lt;/u&gt;</bdi><br>2026-11-20 00:50:00");
	expect_page(&t, "/ui/store", 200, "<bdi>instance</bdi>: <bdi>a</bdi>, <bdi>b</bdi><br>");
	expect_absent(&t, "/ui/store", "<i>\"");
	web_test_end(&t);
}

static void a_window_is_compared_with_times_before_it(void **state)
{
	static const char page[] =
		"/ui/"
		"store?service=shop&t0=2026-11-20T00:00&t1=2026-11-20T02:00&w0=2026-11-20T01:00&w1=2026-11-20T01:30";
	struct web_test t = start();

	(void)state;
	expect_page(&t, page, 200, "\"store?b0=2026-11-20T00%3A30%3A00&amp;b1=2026-11-20T01%3A00%3A00&amp;kind=cpu");
	expect_page(&t, page, 200,
		    "w0=2026-11-20T01%3A00%3A00&amp;w1=2026-11-20T01%3A30%3A00\">the time before it</a>");
	expect_page(&t, page, 200, ">all of the chart before it</a>");
	expect_absent(&t, page, ">a day before</a>");
	web_test_end(&t);
}

static void names_of_a_store_are_escaped(void **state)
{
	struct web_test t = start();

	(void)state;
	expect_page(&t, "/ui/store?service=%3Ci%3E%22%26cart%22", 200, "<option value=\"&lt;i&gt;");
	expect_absent(&t, "/ui/store?service=%3Ci%3E%22%26cart%22&l.instance=%3Cb%3E", "<i>");
	expect_absent(&t, "/ui/store?service=%3Ci%3E%22%26cart%22&l.instance=%3Cb%3E", "<b>");
	expect_absent(&t, "/ui/store?service=shop&l.%22%3E%3Cu%3E=x&val=%3Cu%3E", "<u>");
	web_test_end(&t);
}

static void windows_and_labels_limit_the_totals(void **state)
{
	struct web_test t = start();

	(void)state;
	expect_page(&t, "/ui/store?service=shop&w0=2026-11-20+00:00&w1=2026-11-20T00:30:00", 200,
		    "2 profiles of 2 series, 1.25s <bdi>cpu</bdi>");
	expect_page(&t, "/ui/store?service=shop&w0=2026-11-20T00:00&w1=2026-11-20T00:30:00&l.instance=b", 200,
		    "1 profile of 1 series, 250ms <bdi>cpu</bdi>");
	expect_page(&t, "/ui/store?service=shop&b0=2026-11-20T01:00&b1=2026-11-20T01:01", 200, "<dt>before</dt>");
	expect_page(&t, "/ui/store?service=shop&t0=2026-11-21T00:00&t1=2026-11-22T00:00", 200,
		    "No profile was stored in this time.");
	expect_page(&t, "/ui/store?service=shop&w0=2026-11-21T00:00&w1=2026-11-22T00:00", 200,
		    "A window without profiles cannot be opened.");
	web_test_end(&t);
}

static void invalid_choices_are_errors(void **state)
{
	struct web_test t = start();

	(void)state;
	expect_page(&t, "/ui/store?service=none", 400, "the store has no service none");
	expect_page(&t, "/ui/store?service=shop&t0=x&t1=y", 400, "t0=x: not a time such as 2026-11-22 14:00");
	expect_page(&t, "/ui/store?service=shop&w0=2026-11-20T01:00&w1=2026-11-20T01:00", 400,
		    "w0=2026-11-20T01:00 is not before w1=2026-11-20T01:00");
	expect_page(&t, "/ui/store?service=shop&t0=9999-11-20T01:00&t1=9999-11-20T01:01", 400, "not a time");
	expect_page(&t, "/ui/store?service=shop&t0=1970-01-01T00:00&t1=2199-01-01T00:00", 200,
		    "<bdi>cpu</bdi>: total per");
	web_test_end(&t);
}

static void a_window_is_opened_as_a_profile(void **state)
{
	struct web_test t = start();
	struct http_response r =
		open_windows(&t, "service=shop&kind=cpu&w0=2026-11-20T00:00&w1=2026-11-20T00:30&view=top", token);
	char page[100];

	(void)state;
	assert_int_equal(r.status, 200);
	assert_non_null(strstr(body(&r), "\"location\": \"top?prof="));
	snprintf(page, sizeof(page), "/ui/%.17s", strstr(body(&r), "top?prof="));
	expect_page(&t, page, 200, "1.25s");
	expect_page(&t, "/ui/compare", 200, "#shop/cpu@2026-11-20T00:00:00Z..2026-11-20T00:30:00Z");
	http_response_release(&r);
	web_test_end(&t);
}

static void two_windows_are_compared(void **state)
{
	struct web_test t = start();
	struct http_response r = open_windows(&t,
					      "service=shop&kind=cpu&w0=2026-11-20T01:00&w1=2026-11-20T02:00"
					      "&b0=2026-11-20T00:00&b1=2026-11-20T00:30",
					      token);

	(void)state;
	assert_int_equal(r.status, 200);
	assert_non_null(strstr(body(&r), "\"location\": \"diff?prof="));
	assert_non_null(strstr(body(&r), "base="));
	http_response_release(&r);
	web_test_end(&t);
}

static void windows_need_a_token_and_data(void **state)
{
	struct web_test t = start();
	struct http_response r = open_windows(&t, "service=shop&kind=cpu", NULL);

	(void)state;
	assert_int_equal(r.status, 403);
	http_response_release(&r);
	r = open_windows(&t, "service=shop&kind=cpu&w0=2026-11-19T00:00&w1=2026-11-19T01:00", token);
	assert_int_equal(r.status, 500);
	assert_non_null(strstr(body(&r), "nothing of shop"));
	http_response_release(&r);
	web_test_end(&t);
}

static void without_a_store_the_page_names_the_command_that_opens_one(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/store", 400, "no store is open; start cpa -http=: store: or cpa -http=: store:SERVICE");
	expect_absent(&t, "/ui/top", ">Store</a>");
	web_test_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_shows_totals_marks_and_choices),
		cmocka_unit_test(marks_have_their_kind),
		cmocka_unit_test(services_have_kinds_labels_and_verdicts),
		cmocka_unit_test(a_window_is_compared_with_times_before_it),
		cmocka_unit_test(names_of_a_store_are_escaped),
		cmocka_unit_test(windows_and_labels_limit_the_totals),
		cmocka_unit_test(invalid_choices_are_errors),
		cmocka_unit_test(a_window_is_opened_as_a_profile),
		cmocka_unit_test(two_windows_are_compared),
		cmocka_unit_test(windows_need_a_token_and_data),
		cmocka_unit_test(without_a_store_the_page_names_the_command_that_opens_one),
	};

	return cmocka_run_group_tests_name("web_store", tests, fill, empty);
}
