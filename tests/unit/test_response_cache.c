/*
 * test_response_cache.c - responses of a server by key
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/jobs/response_cache.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BODY = 1000, OVERHEAD_MAX = 300 };

static void put(struct response_cache *c, const char *key)
{
	struct http_response r = { .status = 200, .type = "text/plain" };

	http_response_add(&r, "X-Key", key);
	buf_fill(&r.body, 'b', BODY);
	response_cache_put(c, key, &r);
	http_response_release(&r);
}

static bool has(struct response_cache *c, const char *key)
{
	struct http_response r = { 0 };
	bool found = response_cache_get(c, key, &r);

	http_response_release(&r);
	return found;
}

static void a_response_is_returned_with_its_headers_after_those_of_the_caller(void **state)
{
	struct response_cache *c = response_cache_new(2000);
	struct http_response r = { 0 };

	(void)state;
	put(c, "top");
	http_response_add(&r, "First", "1");
	assert_false(response_cache_get(c, "other", &r));
	assert_int_equal(r.status, 0);
	assert_true(response_cache_get(c, "top", &r));
	assert_int_equal(r.status, 200);
	assert_string_equal(r.type, "text/plain");
	assert_string_equal(buf_text(&r.header), "First: 1\r\nX-Key: top\r\n");
	assert_int_equal(blob_size(r.blob), BODY);
	http_response_release(&r);
	response_cache_free(c);
}

static void the_least_recently_used_response_is_dropped(void **state)
{
	struct response_cache *c = response_cache_new(3 * (BODY + OVERHEAD_MAX));

	(void)state;
	put(c, "a");
	put(c, "b");
	put(c, "c");
	assert_true(has(c, "a"));
	put(c, "d");
	assert_true(has(c, "a"));
	assert_false(has(c, "b"));
	assert_true(has(c, "c"));
	assert_true(has(c, "d"));
	response_cache_free(c);
}

static void a_response_that_is_being_sent_is_not_dropped(void **state)
{
	struct response_cache *c = response_cache_new(2 * (BODY + OVERHEAD_MAX));
	struct http_response sent = { 0 }, also = { 0 };

	(void)state;
	put(c, "a");
	put(c, "b");
	assert_true(response_cache_get(c, "a", &sent));
	put(c, "c");
	assert_true(has(c, "a"));
	assert_false(has(c, "b"));
	assert_true(response_cache_get(c, "c", &also));
	put(c, "d");
	assert_false(has(c, "d"));
	http_response_release(&sent);
	http_response_release(&also);
	put(c, "d");
	assert_true(has(c, "d"));
	response_cache_free(c);
}

static void bytes_never_exceed_the_limit(void **state)
{
	enum { MAX = 10000 };
	struct response_cache *c = response_cache_new(MAX), *none = response_cache_new(0);
	char key[16];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "%d", i * 7919 % 100);
		put(c, key);
		assert_true(response_cache_bytes(c) <= MAX);
	}
	assert_true(response_cache_bytes(c) > MAX - BODY - OVERHEAD_MAX);
	put(none, "a");
	assert_false(has(none, "a"));
	assert_int_equal(response_cache_bytes(none), 0);
	response_cache_free(none);
	response_cache_free(c);
}

static void the_first_of_two_responses_with_the_same_key_stays(void **state)
{
	struct response_cache *c = response_cache_new(10000);
	uint64_t n_bytes;

	(void)state;
	put(c, "a");
	n_bytes = response_cache_bytes(c);
	put(c, "a");
	assert_int_equal(response_cache_bytes(c), n_bytes);
	response_cache_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_response_is_returned_with_its_headers_after_those_of_the_caller),
		cmocka_unit_test(the_least_recently_used_response_is_dropped),
		cmocka_unit_test(a_response_that_is_being_sent_is_not_dropped),
		cmocka_unit_test(bytes_never_exceed_the_limit),
		cmocka_unit_test(the_first_of_two_responses_with_the_same_key_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
