/*
 * test_serve_head.c - parse the head of an HTTP request
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/request_head.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 3 * HEAD_MAX };

static char data[ROOM];
static struct request_head h;
static const char *why;

static int parse(const char *text)
{
	size_t n = strlen(text);

	memcpy(data, text, n);
	return request_head_parse(data, n, &h, &why);
}

/* Parse a request with Host and these lines. */
static int parse_lines(const char *lines)
{
	char text[ROOM];

	snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", lines);
	return parse(text);
}

static void fields_of_a_request_are_read(void **state)
{
	const char *text =
		"GET /debug/pprof/heap?debug=1 HTTP/1.1\r\nhOST:\t localhost:6060 \r\nUser-Agent: curl/8 x\r\n"
		"Origin: http://a\r\nSec-Fetch-Site: none\r\nAuthorization: Bearer z\r\nX-CPA-Secret: s\r\n"
		"Accept: */*\r\nContent-Length: 12\r\n\r\nnext";

	(void)state;
	assert_int_equal(parse(text), strlen(text) - 4);
	assert_string_equal(h.method, "GET");
	assert_string_equal(h.target, "/debug/pprof/heap?debug=1");
	assert_int_equal(h.minor, 1);
	assert_string_equal(h.host, "localhost:6060");
	assert_string_equal(h.origin, "http://a");
	assert_string_equal(h.fetch_site, "none");
	assert_string_equal(h.authorization, "Bearer z");
	assert_string_equal(h.secret, "s");
	assert_true(h.has_host && h.has_origin && h.has_fetch_site && h.keep_alive && !h.is_chunked &&
		    !h.expects_continue);
	assert_int_equal(h.length, 12);
	assert_memory_equal(data + strlen(text) - 4, "next", 4);
}

static void missing_fields_are_empty_strings(void **state)
{
	(void)state;
	assert_int_equal(parse("GET / HTTP/1.0\r\n\r\n"), 18);
	assert_string_equal(h.host, "");
	assert_string_equal(h.secret, "");
	assert_false(h.has_host || h.has_origin || h.has_fetch_site || h.keep_alive);
	assert_int_equal(h.length, 0);
}

static void every_proper_prefix_is_incomplete(void **state)
{
	const char *text = "POST http://h:1?q HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n";

	(void)state;
	for (size_t n = 0; n < strlen(text); n++) {
		memcpy(data, text, n);
		assert_int_equal(request_head_parse(data, n, &h, &why), HEAD_MORE);
		assert_memory_equal(data, text, n);
	}
	assert_int_equal(parse(text), strlen(text));
	assert_true(h.is_chunked);
}

static void the_authority_of_a_request_target_replaces_the_host(void **state)
{
	static const char *const is[][3] = {
		{ "http://h:1/a?b", "h:1", "/a?b" }, { "HTTP://h?b=/", "h", "/?b=/" },
		{ "https://[::1]", "[::1]", "/" },   { "/http://h/", "x", "/http://h/" },
		{ "//h/a", "x", "//h/a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		char text[200];

		snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", is[i][0]);
		assert_int_equal(parse(text), strlen(text));
		assert_string_equal(h.host, is[i][1]);
		assert_string_equal(h.target, is[i][2]);
		assert_string_equal(h.method, "GET");
	}
}

static void version_and_header_determine_keep_alive(void **state)
{
	static const struct {
		int minor;
		const char *line;
		bool keep;
	} is[] = {
		{ 1, "", true },
		{ 1, "Connection: close\r\n", false },
		{ 1, "Connection: foo ,\tCLOSE\r\n", false },
		{ 1, "Connection: closed\r\n", true },
		{ 1, "Connection: keep-alive\r\nConnection: close\r\n", false },
		{ 0, "", false },
		{ 0, "Connection: Keep-Alive\r\n", true },
		{ 0, "Connection: keep-alive, close\r\n", false },
		{ 2, "", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		char text[200];

		snprintf(text, sizeof(text), "GET / HTTP/1.%d\r\nHost: x\r\n%s\r\n", is[i].minor, is[i].line);
		assert_true(parse(text) > 0);
		assert_int_equal(h.keep_alive, is[i].keep);
		assert_int_equal(h.minor, is[i].minor);
	}
}

static void ambiguous_heads_are_refused(void **state)
{
	static const struct {
		const char *lines;
		int rc;
		const char *why;
	} is[] = {
		{ "Host: x\r\n", -400, NULL },
		{ "Content-Length: 1\r\nContent-Length: 1\r\n", -400, NULL },
		{ "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", -400, NULL },
		{ "Content-Length: +1\r\n", -400, NULL },
		{ "Content-Length: 1, 1\r\n", -400, NULL },
		{ "Content-Length:\r\n", -400, NULL },
		{ "Content-Length: 0x1\r\n", -400, NULL },
		{ "Content-Length: 9223372036854775808\r\n", -400, NULL },
		{ "Content-Length: 18446744073709551617\r\n", -400, NULL },
		{ "Transfer-Encoding: gzip, chunked\r\n", -501, "Unsupported transfer encoding" },
		{ "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", -501,
		  "Unsupported transfer encoding" },
		{ "Transfer-Encoding:\r\n", -501, "Unsupported transfer encoding" },
		{ "Expect: 200-ok\r\n", -417, NULL },
		{ "Origin: a\r\nOrigin: b\r\n", -400, NULL },
		{ "X-Cpa-Secret: a\r\nX-Cpa-Secret: b\r\n", -400, NULL },
		{ "Foo : x\r\n", -400, "invalid header name" },
		{ "Foo\tx: x\r\n", -400, NULL },
		{ " Foo: x\r\n", -400, NULL },
		{ "Foo: x\r\n y\r\n", -400, NULL },
		{ "Foo: x\ny: z\r\n", -400, NULL },
		{ "Foo: x\ry: z\r\n", -400, NULL },
		{ "Foo: x\r\r\n", -400, NULL },
		{ "Foo: \x01\r\n", -400, NULL },
		{ "Foo: \x7f\r\n", -400, NULL },
		{ "Foo\r\n", -400, NULL },
		{ ": x\r\n", -400, NULL },
		{ "\n", -400, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		assert_int_equal(parse_lines(is[i].lines), is[i].rc);
		if (is[i].why)
			assert_string_equal(why, is[i].why);
		else
			assert_null(why);
	}
	assert_true(parse_lines("Content-Length: 09223372036854775807\r\nFoo: \x80\xff\r\n") > 0);
	assert_int_equal(h.length, INT64_MAX);
}

static void invalid_request_lines_are_refused(void **state)
{
	static const struct {
		const char *line;
		int rc;
	} is[] = {
		{ "GET /\r\n", -400 },
		{ "GET  / HTTP/1.1\r\n", -400 },
		{ "GET /  HTTP/1.1\r\n", -400 },
		{ "GET / HTTP/1.1 \r\n", -400 },
		{ " GET / HTTP/1.1\r\n", -400 },
		{ "G(T / HTTP/1.1\r\n", -400 },
		{ "GET / http/1.1\r\n", -400 },
		{ "GET / HTTP/1.10\r\n", -400 },
		{ "GET / HTTP/2.0\r\n", -505 },
		{ "GET / HTTP/0.9\r\n", -505 },
		{ "GET heap HTTP/1.1\r\n", -400 },
		{ "GET * HTTP/1.1\r\n", -400 },
		{ "GET ftp://x/ HTTP/1.1\r\n", -400 },
		{ "GET http:// HTTP/1.1\r\n", -400 },
		{ "GET http://a@b/ HTTP/1.1\r\n", -400 },
		{ "GET http:/x HTTP/1.1\r\n", -400 },
		{ "CONNECT x:1 HTTP/1.1\r\n", -400 },
		{ "GET /%zz HTTP/1.1\r\n", -400 },
		{ "GET /%4 HTTP/1.1\r\n", -400 },
		{ "GET /\x7f HTTP/1.1\r\n", -400 },
		{ "GET / HTTP/1.1\n", -400 },
		{ "\r\n", -400 },
		{ "GET /%41?%zz HTTP/1.1\r\n", HEAD_MORE },
		{ "OPTIONS * HTTP/1.1\r\n", HEAD_MORE },
		{ "M-SEARCH /\xc3\xa4 HTTP/1.7\r\n", HEAD_MORE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++)
		assert_int_equal(parse(is[i].line), is[i].rc);
	assert_int_equal(request_head_parse(memcpy(data, "GET /\0x HTTP/1.1\r\n", 18), 18, &h, &why), -400);
}

static void a_host_is_required_since_version_1_1(void **state)
{
	(void)state;
	assert_int_equal(parse("GET / HTTP/1.1\r\n\r\n"), -400);
	assert_string_equal(why, "missing required Host header");
	assert_int_equal(parse("GET / HTTP/1.1\r\nHost: a/b\r\n"), -400);
	assert_string_equal(why, "malformed Host header");
	assert_true(parse("GET / HTTP/1.1\r\nHost:\r\n\r\n") > 0);
	assert_true(h.has_host);
}

static void heads_have_a_size_limit(void **state)
{
	const char *first = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
	size_t n = strlen(first);

	(void)state;
	memset(data, 'a', sizeof(data));
	memcpy(data, first, n);
	assert_int_equal(request_head_parse(data, HEAD_MAX - 1, &h, &why), HEAD_MORE);
	assert_int_equal(request_head_parse(data, HEAD_MAX, &h, &why), -431);
	assert_int_equal(request_head_parse(data, sizeof(data), &h, &why), -431);
	memcpy(data + HEAD_MAX - 3, "\r\n\r\n", 4);
	assert_int_equal(request_head_parse(data, sizeof(data), &h, &why), -431);
	memcpy(data + HEAD_MAX - 4, "\r\n\r\n", 4);
	assert_int_equal(request_head_parse(data, sizeof(data), &h, &why), HEAD_MAX);
}

static void expectations_are_ignored_before_version_1_1(void **state)
{
	(void)state;
	assert_true(parse_lines("Expect: 100-Continue\r\n") > 0);
	assert_true(h.expects_continue);
	assert_true(parse("GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n") > 0);
	assert_false(h.expects_continue);
	assert_int_equal(parse("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), -400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_a_request_are_read),
		cmocka_unit_test(missing_fields_are_empty_strings),
		cmocka_unit_test(every_proper_prefix_is_incomplete),
		cmocka_unit_test(the_authority_of_a_request_target_replaces_the_host),
		cmocka_unit_test(version_and_header_determine_keep_alive),
		cmocka_unit_test(ambiguous_heads_are_refused),
		cmocka_unit_test(invalid_request_lines_are_refused),
		cmocka_unit_test(a_host_is_required_since_version_1_1),
		cmocka_unit_test(heads_have_a_size_limit),
		cmocka_unit_test(expectations_are_ignored_before_version_1_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
