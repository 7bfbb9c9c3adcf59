/*
 * test_url_params.c - the parameters of a URL
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/url_params.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct url_params *parse(const char *query)
{
	struct url_params *p = NULL;

	assert_int_equal(url_params_parse(query, strlen(query), &p, NULL), 0);
	return p;
}

static void expect_query(const struct url_params *p, const char *query)
{
	struct buf b = { 0 };

	url_params_add_query(p, &b);
	assert_string_equal(buf_text(&b), query);
	buf_release(&b);
}

static void a_query_is_split_after_the_value_of_a_key(void **state)
{
	static const char *const parts[][4] = { /* query, key, parts */
						{ "c=3&b=x+&a=1", "b", "a=1&b=x+", "&c=3" },
						{ "a=1&b=", "b", "a=1&b=", "" },
						{ "a=1&b=2", "c", "a=1&b=2", "" },
						{ "", "a", "", "" }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct url_params *p = parse(parts[i][0]);
		struct buf before = { 0 }, after = { 0 };

		url_params_split_query(p, parts[i][1], &before, &after);
		assert_string_equal(buf_text(&before), parts[i][2]);
		assert_string_equal(buf_text(&after), parts[i][3]);
		buf_release(&before);
		buf_release(&after);
		url_params_free(p);
	}
}

/* The output of ParseQuery and Encode of Go 1.26. */
static void queries_are_read_and_written_as_by_go(void **state)
{
	static const char *const pair[][2] = {
		{ "", "" },
		{ "a=1", "a=1" },
		{ "b=2&a=1", "a=1&b=2" },
		{ "a=2&a=1&b=", "a=2&a=1&b=" },
		{ "a", "a=" },
		{ "a&b", "a=&b=" },
		{ "=x", "=x" },
		{ "=", "=" },
		{ "&&a=1&&", "a=1" },
		{ "a=b=c", "a=b%3Dc" },
		{ "a=1+2", "a=1+2" },
		{ "a=1%2B2", "a=1%2B2" },
		{ "a=%2", "" },
		{ "a=%", "" },
		{ "a=%zz&b=1", "b=1" },
		{ "%zz=1&b=1", "b=1" },
		{ "a;b=1&c=2", "c=2" },
		{ "a=1;b=2", "" },
		{ "a%3Bb=1", "a%3Bb=1" },
		{ "a=%c3%a9", "a=%C3%A9" },
		{ "a=%FF%fe", "a=%FF%FE" },
		{ "a=\303\251", "a=%C3%A9" },
		{ "f=std%3A%3Avector%3Cint%3E%3A%3Aoperator%5B%5D", "f=std%3A%3Avector%3Cint%3E%3A%3Aoperator%5B%5D" },
		{ "f=operator%2B&f=operator+", "f=operator%2B&f=operator+" },
		{ "f=a%26b%23c", "f=a%26b%23c" },
		{ "B=1&a=2&_=3&%7E=4", "B=1&_=3&a=2&~=4" },
		{ "a=-_.~*'()!@$,/:;", "" },
		{ "a=!*'()@$,/:?#[]|^`{}<>\"\\ ",
		  "a=%21%2A%27%28%29%40%24%2C%2F%3A%3F%23%5B%5D%7C%5E%60%7B%7D%3C%3E%22%5C+" },
		{ "sf=%5Emain%5C.main%24", "sf=%5Emain%5C.main%24" },
		{ "x=%0A%09%7f", "x=%0A%09%7F" },
		{ "a=1&b=2&a=3&B=4&aa=5", "B=4&a=1&a=3&aa=5&b=2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		struct url_params *p = parse(pair[i][0]);

		expect_query(p, pair[i][1]);
		url_params_free(p);
	}
}

static void malformed_pairs_are_counted(void **state)
{
	struct url_params *p = parse("a=%zz&b=1&c;d&%=&e=%00&f=a%00b&&");

	(void)state;
	assert_int_equal(p->n, 1);
	assert_int_equal(p->n_ignored, 5);
	assert_string_equal(url_params_get(p, "b"), "1");
	url_params_free(p);
}

static void the_first_value_is_used(void **state)
{
	struct url_params *p = parse("f=main&g=lines&f=other&e=");

	(void)state;
	assert_string_equal(url_params_get(p, "f"), "main");
	assert_string_equal(url_params_get(p, "e"), "");
	assert_string_equal(url_params_get(p, "x"), "");
	url_params_free(p);
}

static void setting_a_key_replaces_all_its_values(void **state)
{
	struct url_params *p = parse("f=1&g=2&f=3&h=4&f=5"), *copy;

	(void)state;
	url_params_set(p, "f", "x");
	url_params_set(p, "new", "y");
	assert_int_equal(p->n, 4);
	assert_string_equal(p->item[0].value, "x");
	url_params_set(p, "f", url_params_get(p, "f"));
	copy = url_params_copy(p);
	url_params_remove(p, "g");
	url_params_remove(p, "none");
	expect_query(p, "f=x&h=4&new=y");
	expect_query(copy, "f=x&g=2&h=4&new=y");
	url_params_add(copy, "f", "z");
	url_params_remove(copy, "f");
	expect_query(copy, "g=2&h=4&new=y");
	url_params_free(p);
	url_params_free(copy);
}

static void an_empty_list_can_be_changed(void **state)
{
	struct url_params *p = url_params_new();

	(void)state;
	url_params_remove(p, "a");
	expect_query(p, "");
	url_params_add(p, "a", "b c");
	expect_query(p, "a=b+c");
	url_params_free(p);
	url_params_free(NULL);
}

static void long_queries_are_refused(void **state)
{
	struct buf b = { 0 };
	struct url_params *p;
	struct err err;

	(void)state;
	buf_addz(&b, "a=");
	buf_fill(&b, 'x', URL_QUERY_MAX - 2);
	p = parse(b.data);
	url_params_free(p);
	buf_fill(&b, 'x', 1);
	assert_int_equal(url_params_parse(b.data, b.len, &p, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "the parameters of the URL are longer than 16384 bytes");
	b.len = 0;
	for (int i = 1; i < URL_PARAMS_MAX; i++)
		buf_addz(&b, "a=1&");
	p = parse(b.data);
	assert_int_equal(p->n, URL_PARAMS_MAX - 1);
	url_params_free(p);
	buf_addz(&b, "&");
	assert_int_equal(url_params_parse(b.data, b.len, &p, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "the URL has more than 256 parameters");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_are_read_and_written_as_by_go),
		cmocka_unit_test(a_query_is_split_after_the_value_of_a_key),
		cmocka_unit_test(malformed_pairs_are_counted),
		cmocka_unit_test(the_first_value_is_used),
		cmocka_unit_test(setting_a_key_replaces_all_its_values),
		cmocka_unit_test(an_empty_list_can_be_changed),
		cmocka_unit_test(long_queries_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
