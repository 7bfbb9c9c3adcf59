/*
 * test_web.c - routes of the web UI: redirects, methods, errors, headers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/arena.h"
#include "front/web/pages/views.h"
#include "front/web/web.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_web.h"

static void expect_header(struct web_test *t, const char *target, int status, const char *line)
{
	struct http_response r = get(t, target);

	assert_int_equal(r.status, status);
	if (!strstr(buf_text(&r.header), line))
		fail_msg("%s: no \"%s\" in %s", target, line, buf_text(&r.header));
	http_response_release(&r);
}

static void views_have_different_paths_and_titles(void **state)
{
	struct arena *mem = arena_new();
	size_t n;
	const struct web_view *view = web_views_make(mem, &n);

	(void)state;
	assert_true(n > 10);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(view[i].path, view[k].path);
			if (view[i].title && view[k].title)
				assert_string_not_equal(view[i].title, view[k].title);
		}
	arena_free(mem);
}

static void paths_outside_the_ui_redirect_and_keep_the_query(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_header(&t, "/?f=a%26b", 307, "Location: ui/?f=a%26b\r\n");
	expect_header(&t, "/x/y", 307,
		      "Location: ../ui/\r\n"); /* relative, for a proxy that serves them below a path */
	expect_header(&t, "/ui", 307, "Location: ui/\r\n");
	expect_header(&t, "/ui/?n=5", 307, "Location: flamegraph?n=5\r\n");
	expect_header(&t, "/ui/flamegraph2", 307, "Location: flamegraph\r\n");
	web_test_end(&t);
}

static void pages_that_do_not_exist_are_refused(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/nosuch", 404, "404 page not found");
	expect_page(&t, "/ui/top/", 404, "404 page not found");
	web_test_end(&t);
}

static void programs_get_errors_as_one_line_of_text(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response r = request(&t, "GET", "/ui/top?f=(", "*/*");

	(void)state;
	assert_int_equal(r.status, 400);
	assert_string_equal(r.type, "text/plain; charset=utf-8");
	assert_string_equal(strchr(body(&r), '\n'), "\n");
	http_response_release(&r);
	web_test_end(&t);
}

static void every_response_has_the_content_security_policy(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_header(&t, "/ui/top", 200, "Content-Security-Policy: default-src 'none'; ");
	expect_header(&t, "/ui/top?f=(", 400, "X-Content-Type-Options: nosniff\r\n");
	expect_header(&t, "/ui/nosuch", 404, "Referrer-Policy: same-origin\r\n");
	expect_header(&t, "/", 307, "Content-Security-Policy: default-src 'none'; ");
	web_test_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_have_different_paths_and_titles),
		cmocka_unit_test(paths_outside_the_ui_redirect_and_keep_the_query),
		cmocka_unit_test(pages_that_do_not_exist_are_refused),
		cmocka_unit_test(programs_get_errors_as_one_line_of_text),
		cmocka_unit_test(every_response_has_the_content_security_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
