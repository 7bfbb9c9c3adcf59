/*
 * test_xml.c - numbers, escapes and forbidden characters in XML
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/xml/xml.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void begin(struct xml *x, struct buf *out)
{
	struct err err;

	assert_int_equal(xml_open(x, "XML", out, &err), 0);
	xml_begin(x, "a");
}

/* End the document, and expect it to be <a followed by want. */
static void expect(struct xml *x, struct buf *out, const char *want)
{
	static const char head[] = "<?xml version=\"1.0\"?>\n<a";
	struct err err;

	xml_end(x);
	assert_int_equal(xml_close(x, &err), 0);
	assert_memory_equal(buf_text(out), head, sizeof(head) - 1);
	assert_string_equal(buf_text(out) + sizeof(head) - 1, want);
	buf_release(out);
}

static void numbers_have_at_most_three_decimals_without_trailing_zeros(void **state)
{
	struct buf out = { 0 };
	struct xml x;

	(void)state;
	begin(&x, &out);
	xml_number(&x, "b", 0);
	xml_number(&x, "c", 1);
	xml_number(&x, "d", 1180000);
	xml_number(&x, "e", 12340);
	xml_number(&x, "f", -1500);
	xml_number(&x, "g", INT64_MIN);
	expect(&x, &out, " b=\"0\" c=\"0.001\" d=\"1180\" e=\"12.34\" f=\"-1.5\" g=\"-9223372036854775.808\"/>\n");
}

static void escapes_markup_in_text(void **state)
{
	struct buf out = { 0 };
	struct xml x;

	(void)state;
	begin(&x, &out);
	xml_attribute(&x, "b", "\"' onload=<x>&amp;");
	xml_text(&x, "</a><script>]]>&lt;");
	expect(&x, &out, " b=\"&quot;' onload=&lt;x&gt;&amp;amp;\">&lt;/a&gt;&lt;script&gt;]]&gt;&amp;lt;</a>\n");
}

static void escapes_characters_that_xml_forbids(void **state)
{
	struct buf out = { 0 };
	struct xml x;

	(void)state;
	begin(&x, &out);
	xml_text(&x, "\xef\xbf\xbd \xef\xbf\xbe\xef\xbf\xbf. \xef\xbf");
	expect(&x, &out, ">\xef\xbf\xbd \\u{fffe}\\u{ffff}. \xef\xbf</a>\n");
}

static void elements_may_be_written_as_text_with_the_same_bytes(void **state)
{
	static const char *const text[] = { "",
					    "plain",
					    "<x>&amp;\"'",
					    "a\rb\nc\td",
					    "\xc3\xa4\xe2\x82\xac",
					    "\xef\xbf\xbd \xef\xbf\xbe\xef\xbf\xbf. \xef\xbf",
					    "\xef\xbb\xbf\xef\xbf\xbe<" };
	static const int64_t number[] = { 0, 1, 1180000, 12340, -1500, 999, INT64_MIN };
	struct buf out = { 0 }, want = { 0 }, raw = { 0 };
	struct xml x;
	struct err err;

	(void)state;
	begin(&x, &want);
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		xml_begin(&x, "b");
		xml_number(&x, "c", number[i]);
		xml_text(&x, text[i]);
		xml_end(&x);
	}
	xml_end(&x);
	assert_int_equal(xml_close(&x, &err), 0);
	begin(&x, &out);
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		buf_addz(&raw, "<b");
		xml_add_number(&raw, "c", number[i]);
		buf_addz(&raw, ">");
		xml_add_text(&raw, text[i]);
		buf_addz(&raw, "</b>");
		if (i % 3 == 2) {
			buf_add(xml_flush(&x), raw.data, raw.len);
			raw.len = 0;
		}
	}
	buf_add(xml_flush(&x), raw.data, raw.len);
	expect(&x, &out, strstr(buf_text(&want), "<a") + 2);
	buf_release(&want);
	buf_release(&raw);
}

static void writes_nothing_without_a_writer(void **state)
{
	struct _xmlTextWriter *writer;
	struct buf out = { 0 };
	struct xml x;

	(void)state;
	begin(&x, &out);
	writer = x.writer;
	x.writer = NULL;
	xml_begin(&x, "b");
	xml_text(&x, "c");
	xml_cdata(&x, "d");
	xml_newline(&x);
	xml_end(&x);
	assert_false(x.failed);
	x.writer = writer;
	expect(&x, &out, "/>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_at_most_three_decimals_without_trailing_zeros),
		cmocka_unit_test(escapes_markup_in_text),
		cmocka_unit_test(escapes_characters_that_xml_forbids),
		cmocka_unit_test(elements_may_be_written_as_text_with_the_same_bytes),
		cmocka_unit_test(writes_nothing_without_a_writer),
	};

	return cmocka_run_group_tests_name("xml", tests, NULL, NULL);
}
