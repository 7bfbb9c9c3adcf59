/*
 * test_jsonr.c - read JSON event by event, and find its kind
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/json/jsonr.h"
#include "formats/json/kind.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* All events of a text as letters, with the text of keys, strings and numbers; then the error. */
static void expect_bytes(const char *text, size_t n, unsigned max_depth, const char *want)
{
	static const char letter[] = "!.{}[]ksntf0";
	char *copy = malloc(n ? n : 1);
	struct buf got = { 0 };
	struct err err;
	struct jsonr r;
	enum jsonr_event event;

	memcpy(copy, text, n);
	jsonr_init(&r, copy, n, max_depth, &err);
	do {
		event = jsonr_next(&r);
		buf_add(&got, &letter[event], 1);
		if (event == JSONR_KEY || event == JSONR_STRING || event == JSONR_NUMBER) {
			buf_addz(&got, "<");
			buf_add(&got, r.text, r.len);
			buf_addz(&got, ">");
		}
	} while (event != JSONR_ERROR && event != JSONR_END);
	assert_int_equal(r.rc != 0, event == JSONR_ERROR);
	if (event == JSONR_ERROR)
		buf_addz(&got, err.msg);
	assert_string_equal(buf_text(&got), want);
	buf_release(&got);
	jsonr_release(&r);
	free(copy);
}

static void expect_events(const char *text, const char *want)
{
	expect_bytes(text, strlen(text), JSONR_DEPTH, want);
}

static void each_part_is_an_event(void **state)
{
	(void)state;
	expect_events("{\"a\": [1, -2.5e+3, true,false , null], \"b\":{}, \"c\":[ ], \"d\":\"x\"}",
		      "{k<a>[n<1>n<-2.5e+3>tf0]k<b>{}k<c>[]k<d>s<x>}.");
	expect_events("\xef\xbb\xbf 12", "n<12>.");
	expect_events("{}\n[]\n", "{}[].");
	expect_events("", ".");
}

static void escapes_are_decoded_and_other_bytes_kept(void **state)
{
	(void)state;
	expect_events("\"\\\"\\\\\\/\\b\\f\\n\\r\\tx\"", "s<\"\\/\b\f\n\r\tx>.");
	expect_events("\"a\\u00e4\\ud83d\\uDe00z\"", "s<a\xc3\xa4\xf0\x9f\x98\x80z>.");
	expect_events("\"\\ud83d|\\ude00|\\ud83d\\u0041\"", "s<\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd"
							    "A>.");
	expect_events("\"\xff\xc3(\x7f\"", "s<\xff\xc3(\x7f>.");
	expect_events("{\"k\\u0065y\":1}", "{k<key>n<1>}.");
}

static void errors_have_positions(void **state)
{
	(void)state;
	expect_events("[1,]", "[n<1>!byte 3: expected a value");
	expect_events("[1 2]", "[n<1>!byte 3: expected , or ]");
	expect_events("{\"a\":1,}", "{k<a>n<1>!byte 7: expected a key");
	expect_events("{\"a\" 1}", "{!byte 5: expected :");
	expect_events("{\"a\":1 \"b\":2}", "{k<a>n<1>!byte 7: expected , or }");
	expect_events("{1:2}", "{!byte 1: expected a key");
	expect_events("[1}", "[n<1>!byte 2: expected , or ]");
	expect_events("]", "!byte 0: expected a value");
	expect_events("\"a\\x\"", "!byte 3: invalid escape in a string");
	expect_events("\"\\u12g4\"", "!byte 3: invalid escape in a string");
	expect_events("\"a\nb\"", "!byte 2: control character in a string");
	expect_events("-x", "!byte 1: invalid number");
	expect_events("1.x", "!byte 2: invalid number");
	expect_events("1e+x", "!byte 3: invalid number");
	expect_events("nul1", "!byte 0: expected a value");
	expect_events("NaN", "!byte 0: expected a value");
	expect_bytes("[[[1]]]", 7, 2, "[[!byte 2: more than 2 objects and arrays in each other");
}

/* Every prefix of a value is an error that says so, except prefixes of numbers. */
static void a_cut_is_reported(void **state)
{
	static const char text[] = "{\"a\\u00e4\": [true, {\"b\":null}, \"x\\n\"]}";

	(void)state;
	for (size_t n = 1; n < sizeof(text) - 1; n++) {
		struct err err;
		struct jsonr r;

		jsonr_init(&r, text, n, JSONR_DEPTH, &err);
		jsonr_skip(&r);
		assert_int_equal(r.rc, ERR_FORMAT);
		assert_true(r.is_cut);
		assert_non_null(strstr(err.msg, "the input ends within JSON"));
		jsonr_release(&r);
	}
}

static void values_are_read_by_type(void **state)
{
	static const char text[] =
		"{\"skip\":[{\"x\":[1]},2],\"int\":[7,\"-8\",null,9223372036854775808,-1e30,2.5,\"x\"],"
		"\"s\":\"t\"}";
	static const int64_t want[] = { 7, -8, -8, INT64_MAX, INT64_MIN, 3 };
	struct err err;
	struct jsonr r;
	int64_t v = 0;
	size_t n = 0;

	(void)state;
	jsonr_init(&r, text, sizeof(text) - 1, JSONR_DEPTH, &err);
	assert_int_equal(jsonr_peek(&r), '{');
	assert_true(jsonr_open(&r, JSONR_OBJECT));
	assert_true(jsonr_key(&r) && jsonr_is(&r, "skip"));
	jsonr_skip(&r);
	assert_true(jsonr_key(&r) && jsonr_is(&r, "int"));
	assert_true(jsonr_open(&r, JSONR_ARRAY));
	while (n < 6 && jsonr_item(&r)) {
		assert_int_equal(jsonr_int(&r, &v), n != 2);
		assert_int_equal(v, want[n++]);
	}
	assert_int_equal(r.rc, 0);
	assert_true(jsonr_item(&r));
	assert_false(jsonr_int(&r, &v));
	assert_string_equal(err.msg, "byte 71: expected a number");
	assert_false(jsonr_key(&r)); /* nothing is read after an error */
	jsonr_release(&r);
}

static void fractions_are_scaled_before_rounding(void **state)
{
	static const char text[] = "[0.01, 1.5, 3, 1e300, -0.0000000006, 9223372036854775]";
	static const int64_t want[] = { 10000000, 1500000000, 3000000000, INT64_MAX, -1, INT64_MAX };
	struct err err;
	struct jsonr r;
	int64_t v;
	size_t n = 0;

	(void)state;
	jsonr_init(&r, text, sizeof(text) - 1, JSONR_DEPTH, &err);
	assert_true(jsonr_open(&r, JSONR_ARRAY));
	for (; jsonr_item(&r); n++) {
		assert_true(jsonr_scaled(&r, 1000000000, &v));
		assert_int_equal(v, want[n]);
	}
	jsonr_end(&r);
	assert_int_equal(n, 6);
	assert_int_equal(r.rc, 0);
	jsonr_release(&r);
}

static void a_value_may_be_read_again(void **state)
{
	static const char text[] = "{\"late\": [1, 2], \"x\": 3} y";
	struct err err;
	struct jsonr r;
	size_t at;
	int64_t v = 0;

	(void)state;
	jsonr_init(&r, text, sizeof(text) - 1, JSONR_DEPTH, &err);
	assert_true(jsonr_open(&r, JSONR_OBJECT) && jsonr_key(&r));
	at = r.at;
	jsonr_skip(&r);
	assert_true(jsonr_key(&r) && jsonr_int(&r, &v) && v == 3);
	assert_false(jsonr_key(&r));
	jsonr_seek(&r, at);
	assert_true(jsonr_open(&r, JSONR_ARRAY));
	while (jsonr_item(&r))
		assert_true(jsonr_int(&r, &v));
	assert_int_equal(v, 2);
	assert_int_equal(r.rc, 0);
	jsonr_seek(&r, 0);
	jsonr_skip(&r);
	jsonr_end(&r);
	assert_string_equal(err.msg, "byte 25: more text after the end of the JSON value");
	jsonr_release(&r);
}

#define KIND(text) jsonr_find_kind((text), sizeof(text) - 1)

static void keys_in_any_order_tell_the_kind(void **state)
{
	(void)state;
	assert_int_equal(KIND("x"), JSONR_KIND_NONE);
	assert_int_equal(KIND(""), JSONR_KIND_NONE);
	assert_int_equal(KIND(" [1]"), JSONR_KIND_OTHER);
	assert_int_equal(KIND("{\"a\":\"traceEvents\",\"b\":{\"shared\":1,\"profiles\":2}}"), JSONR_KIND_OTHER);
	assert_int_equal(KIND("{\"nodes\":[{\"id\":1,\"callFrame\":{"), JSONR_KIND_CPUPROFILE);
	assert_int_equal(KIND("{\"timeDeltas\":[],\"nodes\":[]}"), JSONR_KIND_CPUPROFILE);
	assert_int_equal(KIND("{\"samples\":[],\"nodes\":[1,2],\"snapshot\":{}}"), JSONR_KIND_HEAPSNAPSHOT);
	assert_int_equal(KIND("{\"head\":{\"children\":[{}],\"selfSize\":0"), JSONR_KIND_HEAPPROFILE);
	assert_int_equal(KIND("{\"head\":{\"hitCount\":0},\"samples\":[]}"), JSONR_KIND_CPUPROFILE);
	assert_int_equal(KIND("{\"metadata\":{},\"traceEvents\":["), JSONR_KIND_TRACE);
	assert_int_equal(KIND("[{\"pid\":1,\"args\":{},\"ph\":\"M\"},"), JSONR_KIND_TRACE);
	assert_int_equal(KIND("{\"profiles\":[{\"x\":1}],\"shared\":{}}"), JSONR_KIND_SPEEDSCOPE);
	assert_int_equal(KIND("{\"$schema\":\"https:\\/\\/www.speedscope.app\\/file\"}"), JSONR_KIND_SPEEDSCOPE);
	assert_int_equal(KIND("{\"threads\":[],\"meta\":{\"version\":1,\"preprocessedProfileVersion\":55}}"),
			 JSONR_KIND_FIREFOX);
	assert_int_equal(KIND("{\"threads\":[],\"meta\":{\"version\":1}}"), JSONR_KIND_GECKO);
	assert_int_equal(KIND("{\"meta\":{\"preprocessedProfileVersion\":55}"), JSONR_KIND_FIREFOX);
	assert_int_equal(KIND("{\"dictionary\":{},\"resourceProfiles\":[]}"), JSONR_KIND_OTLP);
}

/* The keys may be behind any number of bytes, and calls may nest deeply. */
static void deciding_keys_may_be_late(void **state)
{
	struct buf text = { 0 };

	(void)state;
	buf_addz(&text, "{\"exporter\":\"");
	buf_fill(&text, 'x', 100000);
	buf_addz(&text, "\",\"nodes\":[{\"a\":");
	buf_fill(&text, '[', 10000);
	buf_fill(&text, ']', 10000);
	buf_addz(&text, "}],\"startTime\":0}");
	assert_int_equal(jsonr_find_kind(text.data, text.len), JSONR_KIND_CPUPROFILE);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_is_an_event),     cmocka_unit_test(escapes_are_decoded_and_other_bytes_kept),
		cmocka_unit_test(errors_have_positions),     cmocka_unit_test(a_cut_is_reported),
		cmocka_unit_test(values_are_read_by_type),   cmocka_unit_test(fractions_are_scaled_before_rounding),
		cmocka_unit_test(a_value_may_be_read_again), cmocka_unit_test(keys_in_any_order_tell_the_kind),
		cmocka_unit_test(deciding_keys_may_be_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
