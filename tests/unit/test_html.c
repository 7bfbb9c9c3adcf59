/*
 * test_html.c - weblist as a page: layout and escaping
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/webpage.h"
#include "viewers/html/html.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void text_is_escaped(void **state)
{
	struct buf out = { 0 };

	(void)state;
	webpage_add_text(&out, "<a b='c' d=\"e\">&+\0\xff\tz", 21);
	assert_string_equal(out.data, "&lt;a b=&#39;c&#39; d=&#34;e&#34;&gt;&amp;&#43;\xef\xbf\xbd\xff\tz");
	out.len = 0;
	webpage_add_name(&out, "a<\033\n");
	assert_string_equal(out.data, "a&lt;\\x1b\\n");
	buf_release(&out);
}

static const struct report report = { .head = { .file = "<prog>",
						.build_id = "",
						.doc_url = "",
						.type = "cpu",
						.unit = "nanoseconds",
						.out_unit = "auto",
						.total = 1000000000,
						.ratio = 1 } };

/* Compare the text after the legend. */
static void expect(struct weblist list, const char *want)
{
	struct buf out = { 0 };
	const char *body;

	html_weblist_draw(&report, &list, &out);
	body = strstr(out.data, "</div>");
	assert_non_null(body);
	assert_string_equal(body + strlen("</div>"), want);
	buf_release(&out);
}

static void the_page_contains_title_policy_and_legend(void **state)
{
	struct buf out = { 0 };
	struct weblist list = { 0 };

	(void)state;
	html_weblist_draw(&report, &list, &out);
	assert_int_equal(strncmp(out.data, "<!DOCTYPE html>\n<html>\n<head>\n  <meta charset=\"utf-8\">\n", 51), 0);
	assert_non_null(strstr(out.data,
			       "  <title>&lt;prog&gt; cpu</title>\n  \n  <style type=\"text/css\">\nbody #content{\n"));
	assert_non_null(strstr(out.data, "content=\"default-src 'none'; "));
	assert_non_null(
		strstr(out.data,
		       "</head>\n<body>\n\n<div class=\"legend\">File: &lt;prog&gt;<br>\nType: cpu<br>Total: 1s</div>"
		       "\n</body>\n</html>\n"));
	buf_release(&out);
}

static void lines_contain_number_flat_cum_and_source(void **state)
{
	struct weblist_line line[] = {
		{ .kind = LINE_NO_CODE, .no = 1, .source = "int a<b>;" },
		{ .kind = LINE_DEAD, .no = 2, .source = "\tx();", .flat = 10000000, .cum = 20000000 },
	};
	struct weblist_func func = { .name = "f<T>", .file = "/src/a&b.c", .flat = 10000000, .cum = 20000000, .hi = 2 };

	(void)state;
	expect((struct weblist){ .n = 1, .func = &func, .line = line },
	       "<h2>f&lt;T&gt;</h2><p class=\"filename\">/src/a&amp;b.c</p>\n"
	       "<pre onClick=\"pprof_toggle_asm(event)\">\n"
	       "  Total:        10ms       20ms (flat, cum)  2.00%\n"
	       "<span class=line>      1</span> <span class=nop>           .          .           int a&lt;b&gt;; "
	       "</span>\n"
	       "<span class=line>      2</span> <span class=deadsrc>        10ms       20ms           \tx(); </span>\n"
	       "</pre>\n"
	       "\n</body>\n</html>\n");
}

static void instructions_follow_their_inlined_calls(void **state)
{
	struct weblist_call call = { .depth = 0, .source = "y\tz", .file = "/src/b.h", .line = 7 };
	struct weblist_inst inst[] = {
		{ .is_code = true, .addr = 0x1000, .text = "nop", .file = "/src/a.c", .line = 2, .flat = 10000000 },
		{ .is_code = true, .new_block = true, .depth = 1, .addr = 0x1008, .text = "ret", .file = "", .hi = 1 },
	};
	struct weblist_line line = { .kind = LINE_LIVE, .no = 2, .source = "\tx();", .hi = 2 };
	struct weblist_func func = { .name = "f", .file = "a.c", .cum = 10000000, .hi = 1 };

	(void)state;
	expect((struct weblist){ .n = 1, .func = &func, .line = &line, .inst = inst, .call = &call },
	       "<h2>f</h2><p class=\"filename\">a.c</p>\n"
	       "<pre onClick=\"pprof_toggle_asm(event)\">\n"
	       "  Total:           0       10ms (flat, cum)  1.00%\n"
	       "<span class=line>      2</span> <span class=livesrc>           .          .           \tx(); </span>"
	       "<span class=asm>                10ms          .     1000:             nop                              "
	       "    "
	       "                                <span class=unimportant>a.c:2</span>\n"
	       "                                     \xe2\x8b\xae\n"
	       "                                          <span class=inlinesrc>            y   z                      "
	       "    "
	       "                                     </span> <span class=unimportant>b.h:7</span>\n"
	       "                   .          .     1008:                 ret                              "
	       "                                <span class=unimportant></span>\n"
	       "</span>\n"
	       "</pre>\n"
	       "\n</body>\n</html>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_escaped),
		cmocka_unit_test(the_page_contains_title_policy_and_legend),
		cmocka_unit_test(lines_contain_number_flat_cum_and_source),
		cmocka_unit_test(instructions_follow_their_inlined_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
