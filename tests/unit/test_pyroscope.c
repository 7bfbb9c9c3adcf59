/*
 * test_pyroscope.c - names and messages of Pyroscope
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/pyroscope/message.h"
#include "store/pyroscope/names.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Parse a selector that is valid. */
static struct label_match *parse(const char *text, struct arena *mem, size_t *n)
{
	struct label_match *match;
	struct err err = { 0 };

	if (pyro_parse_selector(text, mem, &match, n, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return match;
}

static void a_selector_has_operators_quotes_and_escapes(void **state)
{
	struct arena *mem = arena_new();
	size_t n;
	struct label_match *m = parse(
		"{ service_name = \"shop\", route=~'/a.*',\"k8s.pod\" != `a\\b` , x!~\"\\\"\\u00e9\\n\\x41\\101\",}",
		mem, &n);

	(void)state;
	assert_int_equal(n, 4);
	assert_string_equal(m[0].name, "service_name");
	assert_string_equal(m[0].value, "shop");
	assert_int_equal(m[0].op, MATCH_EQUAL);
	assert_string_equal(m[1].value, "/a.*");
	assert_int_equal(m[1].op, MATCH_REGEX);
	assert_string_equal(m[2].name, "k8s.pod");
	assert_string_equal(m[2].value, "a\\b");
	assert_int_equal(m[2].op, MATCH_NOT_EQUAL);
	assert_string_equal(m[3].value, "\"\xc3\xa9\nAA");
	assert_int_equal(m[3].op, MATCH_NOT_REGEX);
	parse("", mem, &n);
	assert_int_equal(n, 0);
	parse(" {} ", mem, &n);
	assert_int_equal(n, 0);
	arena_free(mem);
}

static void a_wrong_selector_is_refused_with_its_position(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "a", "character 1: { is expected" },
		{ "{a}", "character 3: =, !=, =~ or !~ is expected" },
		{ "{a=b}", "character 4: a value in quotes is expected" },
		{ "{a=\"b}", "character 7: a quote is not closed" },
		{ "{a=\"b\" c=\"d\"}", "character 8: , or } is expected" },
		{ "{a=\"\\q\"}", "character 6: an unknown escape sequence" },
		{ "{a=\"\\x00\"}", "character 9: an unknown escape sequence" },
		{ "{a=\"\\", "character 6: an unknown escape sequence" },
		{ "{a=\"b\"", "character 7: , or } is expected" },
		{ "{a=\"b\"} x", "character 9: the end is expected after }" },
		{ "{9=\"b\"}", "character 2: a label name is expected" },
		{ "{a!\"b\"}", "character 4: =, !=, =~ or !~ is expected" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *mem = arena_new();
		struct label_match *match;
		struct err err = { 0 };
		size_t n;

		assert_int_equal(pyro_parse_selector(cases[i].text, mem, &match, &n, &err), ERR_USAGE);
		assert_non_null(strstr(err.msg, cases[i].message));
		arena_free(mem);
	}
}

static void a_printed_condition_is_parsed_as_it_was(void **state)
{
	static const char *const texts[] = { "shop", "a\"b\\c\n", "", "/a.*" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct arena *mem = arena_new();
		struct buf text = { 0 };
		struct label_match *m;
		size_t n;

		buf_addz(&text, "{");
		pyro_add_match(i % 2 ? "a\\.\"b" : "a_b", MATCH_NOT_REGEX, texts[i], &text);
		buf_addz(&text, "}");
		m = parse(text.data, mem, &n);
		assert_int_equal(n, 1);
		assert_string_equal(m[0].name, i % 2 ? "a\\.\"b" : "a_b");
		assert_string_equal(m[0].value, texts[i]);
		assert_int_equal(m[0].op, MATCH_NOT_REGEX);
		buf_release(&text);
		arena_free(mem);
	}
}

static void kinds_have_the_profile_types_of_pyroscope(void **state)
{
	static const char *const cases[][4] = {
		{ "cpu", "cpu", "nanoseconds", "process_cpu:cpu:nanoseconds:cpu:nanoseconds" },
		{ "heap", "inuse_space", "bytes", "memory:inuse_space:bytes:space:bytes" },
		{ "goroutine", "goroutine", "count", "goroutine:goroutine:count:goroutine:count" },
		{ "mutex", "delay", "nanoseconds", "mutex:delay:nanoseconds:contentions:count" },
		{ "threads", "threads", "count", "threads:threads:count::" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pyro_type t = pyro_make_type(cases[i][0], cases[i][1], cases[i][2]), parsed;
		struct arena *mem = arena_new();
		struct buf id = { 0 };
		const char *kind;

		pyro_add_id(&t, &id);
		assert_string_equal(id.data, cases[i][3]);
		assert_int_equal(pyro_parse_id(id.data, mem, &parsed, NULL), 0);
		assert_string_equal(parsed.type, cases[i][1]);
		kind = pyro_kind_of_name(parsed.name);
		assert_string_equal(kind ? kind : parsed.name, cases[i][0]);
		buf_release(&id);
		arena_free(mem);
	}
	assert_string_equal(pyro_name_at("goroutine", 1), "goroutines");
	assert_null(pyro_name_at("goroutine", 2));
	assert_null(pyro_name_at("threads", 1));
}

static void a_profile_type_has_five_parts(void **state)
{
	struct arena *mem = arena_new();
	struct pyro_type t;

	(void)state;
	assert_int_equal(pyro_parse_id("a:b:c:d", mem, &t, NULL), ERR_USAGE);
	assert_int_equal(pyro_parse_id("", mem, &t, NULL), ERR_USAGE);
	assert_int_equal(pyro_parse_id("a:b:c:d:e:f", mem, &t, NULL), ERR_USAGE);
	assert_int_equal(pyro_parse_id("a:b:c:d:e:delta", mem, &t, NULL), 0);
	assert_string_equal(t.period_unit, "e");
	arena_free(mem);
}

static const struct pyro_method *method(const char *name)
{
	for (size_t i = 0; i < pyro_n_methods; i++)
		if (strcmp(pyro_methods[i].name, name) == 0)
			return &pyro_methods[i];
	fail_msg("there is no method %s", name);
	return NULL;
}

static int read_json(const char *name, const char *json, struct pyro_request *out, struct err *err)
{
	pyro_request_init(out);
	return pyro_request_read(method(name), json, strlen(json), true, out, err);
}

static void a_request_in_json_has_numbers_as_texts_and_either_name(void **state)
{
	static const char json[] =
		"{\"profileTypeID\":\"t\",\"label_selector\":\"{}\",\"start\":\"5\",\"end\":7,\"step\":1.5,\"groupBy\":"
		"[\"a\",\"b\"],"
		"\"aggregation\":\"TIME_SERIES_AGGREGATION_TYPE_AVERAGE\",\"limit\":null,\"unknown\":{\"x\":[1]},"
		"\"stackTraceSelector\":{\"callSite\":[{\"name\":\"main\"},{\"name\":\"f\"}],\"goPgo\":{}}}";
	struct pyro_request r;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(read_json("SelectSeries", json, &r, &err), 0);
	assert_string_equal(r.profile_type, "t");
	assert_string_equal(r.selector, "{}");
	assert_int_equal(r.start_ms, 5);
	assert_int_equal(r.end_ms, 7);
	assert_true(r.step_s == 1.5);
	assert_int_equal(r.group_by.n, 2);
	assert_string_equal(r.group_by.item[1], "b");
	assert_int_equal(r.aggregation, PYRO_AVERAGE);
	assert_int_equal(r.call_site.n, 2);
	assert_string_equal(r.call_site.item[0], "main");
	assert_true(r.has_pgo);
	pyro_request_release(&r);
}

static void a_comparison_has_two_requests(void **state)
{
	struct pyro_request r;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(read_json("Diff", "{\"left\":{\"end\":1},\"right\":{\"end\":\"2\",\"format\":2}}", &r, &err),
			 0);
	assert_int_equal(r.left->end_ms, 1);
	assert_int_equal(r.right->end_ms, 2);
	assert_int_equal(r.right->format, PYRO_FORMAT_TREE);
	pyro_request_release(&r);
	assert_int_equal(read_json("Diff", "{}", &r, &err), 0);
	assert_null(r.left);
	pyro_request_release(&r);
}

static void a_damaged_request_is_refused(void **state)
{
	static const char *const json[] = { "{",
					    "[]",
					    "{\"start\":{}}",
					    "{\"profileTypeID\":3}",
					    "{}x",
					    "{\"profileTypeID\":\"a\\u0000b\"}",
					    "{\"aggregation\":\"NO\"}" };
	static const char proto[][3] = { { 0x0a, 5, 'a' }, { 0x08, 1, 0 }, { 0x0f, 0, 0 }, { 0x0a, 1, 0 } };
	struct pyro_request r;
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(json) / sizeof(json[0]); i++) {
		assert_int_equal(read_json("SelectSeries", json[i], &r, &err), ERR_USAGE);
		pyro_request_release(&r);
	}
	for (size_t i = 0; i < sizeof(proto) / sizeof(proto[0]); i++) {
		pyro_request_init(&r);
		assert_int_equal(pyro_request_read(method("SelectSeries"), proto[i], 3, false, &r, &err), ERR_USAGE);
		pyro_request_release(&r);
	}
}

static void a_list_has_at_most_256_values(void **state)
{
	struct pyro_request r;
	struct err err = { 0 };

	(void)state;
	for (size_t n = 256; n <= 257; n++) {
		struct buf json = { 0 };

		buf_addz(&json, "{\"matchers\":[\"{}\"");
		for (size_t i = 1; i < n; i++)
			buf_addz(&json, ",\"{}\"");
		buf_addz(&json, "]}");
		assert_int_equal(read_json("Series", json.data, &r, &err), n == 256 ? 0 : ERR_USAGE);
		pyro_request_release(&r);
		buf_release(&json);
	}
	assert_string_equal(err.msg, "matchers has more than 256 values");
}

static void a_message_is_written_as_json(void **state)
{
	struct buf message = { 0 }, json = { 0 };
	struct err err = { 0 };
	size_t outer = pyro_open(&message, 1), inner, list;

	(void)state;
	pyro_put_bytes(&message, 1, "total", 5);
	pyro_put_bytes(&message, 1, "a\"<", 3);
	inner = pyro_open(&message, 2);
	list = pyro_open(&message, 1);
	for (uint64_t i = 0; i < 300; i += 150)
		pyro_put_varint(&message, i);
	pyro_close(&message, list);
	pyro_close(&message, inner);
	pyro_put_int(&message, 3, -5);
	pyro_close(&message, outer);
	pyro_put_bytes(&message, 2, "\0\1\377\2", 4);
	assert_int_equal(
		pyro_add_json(method("SelectMergeStacktraces")->response, message.data, message.len, &json, &err), 0);
	assert_string_equal(json.data, "{\"flamegraph\": {\"names\": [\"total\", \"a\\\"\\u003c\"], \"levels\": "
				       "[{\"values\": [\"0\", \"150\"]}], "
				       "\"total\": \"-5\"}, \"tree\": \"AAH/Ag==\"}");
	buf_release(&json);
	assert_int_equal(
		pyro_add_json(method("SelectMergeStacktraces")->response, message.data, message.len - 1, &json, &err),
		ERR_FORMAT);
	buf_release(&message);
	buf_release(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_selector_has_operators_quotes_and_escapes),
		cmocka_unit_test(a_wrong_selector_is_refused_with_its_position),
		cmocka_unit_test(a_printed_condition_is_parsed_as_it_was),
		cmocka_unit_test(kinds_have_the_profile_types_of_pyroscope),
		cmocka_unit_test(a_profile_type_has_five_parts),
		cmocka_unit_test(a_request_in_json_has_numbers_as_texts_and_either_name),
		cmocka_unit_test(a_comparison_has_two_requests),
		cmocka_unit_test(a_damaged_request_is_refused),
		cmocka_unit_test(a_list_has_at_most_256_values),
		cmocka_unit_test(a_message_is_written_as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
