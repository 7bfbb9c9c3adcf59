/*
 * test_url.c - parse URLs of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The expected results are those of go tool pprof of Go 1.26 with net/url.
 */
#include "config.h"

#include "fetch/url.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_shown(const char *source, int64_t seconds, const char *redacted)
{
	struct url u = { 0 };
	struct buf b = { 0 };

	assert_int_equal(url_parse(source, seconds, &u, NULL), 0);
	url_add_redacted(&u, &b);
	assert_string_equal(buf_text(&b), redacted);
	buf_release(&b);
	url_release(&u);
}

static void expect_refused(const char *source, int code, const char *message)
{
	struct url u;
	struct err err = { 0 };

	assert_int_equal(url_parse(source, 0, &u, &err), code);
	assert_non_null(strstr(err.msg, message));
}

static void a_host_alone_means_a_cpu_profile(void **state)
{
	(void)state;
	expect_shown("localhost:6060", 0, "http://localhost:6060/debug/pprof/profile");
	expect_shown("localhost:6060/", 0, "http://localhost:6060/debug/pprof/profile");
	expect_shown("http://localhost", 0, "http://localhost/debug/pprof/profile");
	expect_shown("h:80?x=1", 0, "http://h:80/debug/pprof/profile?x=1");
	expect_shown("h:/x", 0, "http://h:/x");
	expect_shown("[::1]:80/x", 0, "http://[::1]:80/x");
}

static void paths_are_escaped_as_in_go(void **state)
{
	(void)state;
	expect_shown("http://h/a b", 0, "http://h/a%20b");
	expect_shown("http://h/a%2fb", 0, "http://h/a%2fb");
	expect_shown("http://h/a%2Fb%41", 0, "http://h/a%2Fb%41");
	expect_shown("http://h/!'()*[]", 0, "http://h/!'()*[]");
	expect_shown("http://h/\"<>`{}|\\^x", 0, "http://h/%22%3C%3E%60%7B%7D%7C%5C%5Ex");
	expect_shown("http://h//x/../y/.", 0, "http://h//x/../y/.");
	expect_shown("HTTP://LocalHost:6060/X", 0, "http://LocalHost:6060/X");
	expect_shown("http://h/x#part?y", 0, "http://h/x");
}

static void queries_are_sorted_by_key_and_keep_the_order_of_values(void **state)
{
	(void)state;
	expect_shown("http://h/x?z=1&a=2&a=1&b", 0, "http://h/x?a=2&a=1&b=&z=1");
	expect_shown("http://h/x?a=b+c%20d&%41=\xc3\xa9", 0, "http://h/x?A=%C3%A9&a=b+c+d");
	expect_shown("http://h/x?=v&k=", 0, "http://h/x?=v&k=");
	expect_shown("http://h/x?a=1&&b=2&", 0, "http://h/x?a=1&b=2");
	expect_shown("http://h/%e9?q=%E9%00", 0, "http://h/%e9?q=%E9%00");
}

static void invalid_pairs_are_dropped(void **state)
{
	(void)state;
	expect_shown("http://h/x?a=%zz&b=1", 0, "http://h/x?b=1");
	expect_shown("http://h/x?a;b=1&c=2", 0, "http://h/x?c=2");
	expect_shown("http://h/x?a=%4&b=%", 0, "http://h/x");
}

static void given_seconds_replace_those_in_the_query(void **state)
{
	(void)state;
	expect_shown("127.0.0.1:18999/debug/pprof/profile?x=1&seconds=9", 5,
		     "http://127.0.0.1:18999/debug/pprof/profile?seconds=5&x=1");
	expect_shown("http://h/x?seconds=1&seconds=2", 5, "http://h/x?seconds=5");
	expect_shown("http://h/x", 5, "http://h/x?seconds=5");
}

static void seconds_are_read_from_the_query(void **state)
{
	static const struct {
		const char *source;
		int64_t seconds;
	} known[] = {
		{ "h:1/x?seconds=7", 7 },   { "h:1/x?seconds=7&seconds=8", 7 },
		{ "h:1/x?seconds=7s", 0 },  { "h:1/x?seconds=9999999999", 0 },
		{ "h:1/x?seconds=+7", 0 },  { "h:1/x?seconds=%2B7", 7 },
		{ "h:1/x?seconds=-7", -7 }, { "h:1/x", 0 },
		{ "h:1/x?seconds=0x7", 0 }, { "h:1/x?seconds=00000000007", 7 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct url u = { 0 };

		assert_int_equal(url_parse(known[i].source, 0, &u, NULL), 0);
		assert_int_equal(u.seconds, known[i].seconds);
		url_release(&u);
	}
}

static void user_and_password_are_parsed_and_redacted(void **state)
{
	struct url u = { 0 };
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(url_parse("https://us%40er:p%3Ass@h:80/x?a=1", 0, &u, NULL), 0);
	assert_string_equal(u.user, "us@er");
	assert_string_equal(u.password, "p:ss");
	url_add_redacted(&u, &b);
	url_add_request(&u, &b);
	assert_string_equal(b.data, "https://h:80/x?a=1https://h:80/x?a=1");
	buf_release(&b);
	url_release(&u);
}

static void redacted_sources_contain_neither_user_nor_password(void **state)
{
	static const char *const pair[][2] = {
		{ "http://user:pw@h/x", "http://h/x" },       { "user:pw@h:80/x", "h:80/x" },
		{ "http://u:p@s/s@h/x", "http://h/x" },       { "http://h/a@b", "http://h/a@b" },
		{ "http://h/x?q=a@b", "http://h/x?q=a@b" },   { "localhost:80", "localhost:80" },
		{ "http://u@h/x?q=a@b", "http://h/x?q=a@b" }, { "http://u:p/s@h/x", "http://h/x" },
		{ "http://u:p?s@h/x", "http://h/x" },         { "u:p/s@h/x", "h/x" },
		{ "http://h:80/a@b", "http://h:80/a@b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		struct buf b = { 0 };

		url_redact(pair[i][0], &b);
		assert_string_equal(buf_text(&b), pair[i][1]);
		buf_release(&b);
	}
}

static void a_socket_may_be_followed_by_a_colon_and_a_path(void **state)
{
	struct url u = { 0 };

	(void)state;
	expect_shown("unix:/run/a.sock:/debug/pprof/heap?b=1&a=2", 0, "unix:/run/a.sock:/debug/pprof/heap?a=2&b=1");
	expect_shown("unix:/run/a.sock", 5, "unix:/run/a.sock:/debug/pprof/profile?seconds=5");
	expect_shown("unix:///run/a.sock:/x", 0, "unix:/run/a.sock:/x");
	expect_shown("unix:a.sock:/x", 0, "unix:a.sock:/x");
	assert_int_equal(url_parse("unix:/run/a:b.sock:/x", 0, &u, NULL), 0);
	assert_string_equal(u.socket, "/run/a:b.sock");
	url_release(&u);
	expect_refused("unix:", ERR_USAGE, "has no socket");
}

static void other_sources_are_paths(void **state)
{
	static const char *const path[] = { "a.pb.gz", "/abs/path", "rel/path",  "a:b.pb.gz", "C:foo", "foo bar:80/x",
					    "-n=2",    "*",         "http:x",    ":80",       "",      "h:80:90/x",
					    "file:/x", "//h/x",     "dir/x://y", "a b" };

	(void)state;
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		expect_refused(path[i], ERR_UNKNOWN, "is not a URL");
}

static void an_invalid_url_is_refused(void **state)
{
	(void)state;
	expect_refused("ftp://h/x", ERR_USAGE, "unsupported scheme ftp");
	expect_refused("file:///x", ERR_USAGE, "unsupported scheme file");
	expect_refused("http://h:bad/x", ERR_USAGE, "no valid host");
	expect_refused("http://h:80:90/x", ERR_USAGE, "no valid host");
	expect_refused("http://[::1/x", ERR_USAGE, "no valid host");
	expect_refused("http://h%41/x", ERR_USAGE, "no valid host");
	expect_refused("http://a b/x", ERR_USAGE, "no valid host");
	expect_refused("http://h\\@evil/x", ERR_USAGE, "user or password");
	expect_refused("http:///x", ERR_USAGE, "no host");
	expect_refused("http://h/a%zz", ERR_USAGE, "path of the URL");
	expect_refused("http://h/a\nb", ERR_USAGE, "control characters");
	expect_refused("http://us er@h/x", ERR_USAGE, "user or password");
	expect_refused("http://u%00@h/x", ERR_USAGE, "user or password");
}

static void only_loopback_and_sockets_are_local(void **state)
{
	static const struct {
		const char *source;
		bool local;
	} host[] = {
		{ "http://localhost:80", true },    { "http://LOCALHOST", true },       { "http://127.0.0.1:80", true },
		{ "http://127.9.9.9", true },       { "http://[::1]:80", true },        { "unix:/a", true },
		{ "http://localhost.evil", false }, { "http://127.0.0.1.evil", false }, { "http://[::2]:80", false },
		{ "http://example.com:80", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(host) / sizeof(host[0]); i++) {
		struct url u = { 0 };

		assert_int_equal(url_parse(host[i].source, 0, &u, NULL), 0);
		assert_int_equal(url_is_local(&u), host[i].local);
		url_release(&u);
	}
}

static void file_names_of_mappings_are_not_mistaken_for_urls(void **state)
{
	(void)state;
	assert_true(url_is_absolute("http://h/x"));
	assert_true(url_is_absolute("unix:/a:/b"));
	assert_false(url_is_absolute("/usr/bin/app"));
	assert_false(url_is_absolute("[vdso]"));
	assert_false(url_is_absolute("app"));
	assert_false(url_is_absolute("dir/a:b"));
	assert_false(url_is_absolute(""));
}

static void a_process_is_never_a_server(void **state)
{
	(void)state;
	assert_true(url_is_process("pid:4711"));
	assert_true(url_is_process("pid:1,2?wall"));
	assert_false(url_is_process("pid:"));
	assert_false(url_is_process("pid:x"));
	assert_false(url_is_process("xpid:1"));
	expect_refused("pid:4711", ERR_USAGE, "is a process of this machine");
	expect_shown("http://pid:4711", 0, "http://pid:4711/debug/pprof/profile");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_alone_means_a_cpu_profile),
		cmocka_unit_test(a_process_is_never_a_server),
		cmocka_unit_test(paths_are_escaped_as_in_go),
		cmocka_unit_test(queries_are_sorted_by_key_and_keep_the_order_of_values),
		cmocka_unit_test(invalid_pairs_are_dropped),
		cmocka_unit_test(given_seconds_replace_those_in_the_query),
		cmocka_unit_test(seconds_are_read_from_the_query),
		cmocka_unit_test(user_and_password_are_parsed_and_redacted),
		cmocka_unit_test(redacted_sources_contain_neither_user_nor_password),
		cmocka_unit_test(a_socket_may_be_followed_by_a_colon_and_a_path),
		cmocka_unit_test(other_sources_are_paths),
		cmocka_unit_test(an_invalid_url_is_refused),
		cmocka_unit_test(only_loopback_and_sockets_are_local),
		cmocka_unit_test(file_names_of_mappings_are_not_mistaken_for_urls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
