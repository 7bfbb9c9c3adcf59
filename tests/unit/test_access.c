/*
 * test_access.c - access control of the web UI: users, hosts, origins, secrets, cookies, forms
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "access/check.h"

#include <stdio.h>
#include <string.h>

#define SECRET "0123456789abcdefghijklmnopqrstuvwxyzABCD"
#define ID "0123456789abcdef0123456789abcdef"

enum { OK = 0, UNAUTHORIZED = 401, FORBIDDEN = 403, METHOD = 405, HEADERS_MAX = 8 };

static const uint64_t second = 1000000000;

/* A request with headers as pairs of name and value. */
struct sample {
	struct http_header header[HEADERS_MAX];
	struct http_request q;
};

static struct http_request *request(struct sample *s, const char *method, const char *path)
{
	size_t n = 0;

	while (n < HEADERS_MAX && s->header[n].name)
		n++;
	s->q = (struct http_request){ .method = method, .path = path, .query = "", .body = "", .upload = -1 };
	s->q.header = s->header;
	s->q.n_headers = n;
	s->q.peer.is_user = true;
	snprintf(s->q.peer.address, sizeof(s->q.peer.address), "127.0.0.1");
	return &s->q;
}

static int check(struct access_rules *r, const struct http_request *q)
{
	return access_check(r, q, second).status;
}

/* The status of a GET with this Host; NULL: without one. */
static int check_host(struct access_rules *r, const char *host)
{
	struct sample s = { .header = { { host ? "Host" : NULL, host } } };

	return check(r, request(&s, "GET", "/ui/assets/web.css"));
}

static void only_names_of_this_machine_and_addresses_are_hosts(void **state)
{
	static const struct {
		const char *host;
		bool is_ours;
	} hosts[] = {
		{ "localhost", true },
		{ "localhost:8080", true },
		{ "LOCALHOST:8080", true },
		{ "localhost.:8080", true },
		{ "web.localhost:9000", true },
		{ "127.0.0.1:8080", true },
		{ "127.0.0.1:9000", true },
		{ "127.1.2.3", true },
		{ "[::1]:8080", true },
		{ "[::1]", true },
		{ "192.168.1.5:80", true },
		{ "[fe80::1%eth0]:80", true },
		{ "tools.example", true },
		{ "Tools.Example:443", true },
		{ "tools.example.", true },
		{ "evil.example", false },
		{ "evil.example:8080", false },
		{ "localhost.evil.example", false },
		{ "evil-localhost", false },
		{ ".localhost", false },
		{ "tools.example.evil.example", false },
		{ "127.0.0.1.evil.example", false },
		{ "127.0.0.1:8080@evil.example", false },
		{ "evil.example#localhost", false },
		{ "0.0.0.0:8080", false },
		{ "[::]:8080", false },
		{ "0x7f.1:8080", false },
		{ "2130706433", false },
		{ "localhost:http", false },
		{ "localhost:123456", false },
		{ "[::1", false },
		{ "::1", false },
		{ ":8080", false },
		{ "", false },
		{ "localhost ", false },
		{ "localhost,evil.example", false },
	};
	struct access_rules r = { .hosts = "other.example, tools.example" };

	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		if (check_host(&r, hosts[i].host) != (hosts[i].is_ours ? OK : FORBIDDEN))
			fail_msg("%s is %s", hosts[i].host, hosts[i].is_ours ? "refused" : "allowed");
	assert_int_equal(check_host(&r, NULL), FORBIDDEN);
	r.hosts = NULL;
	assert_int_equal(check_host(&r, "tools.example"), FORBIDDEN);
	r.secret = (struct access_secret){ .text = SECRET, .n = strlen(SECRET) };
	assert_int_equal(check_host(&r, "0.0.0.0:8080"), OK);
	assert_int_equal(check_host(&r, "evil.example"), FORBIDDEN);
}

static void a_request_has_one_host(void **state)
{
	struct sample s = { .header = { { "Host", "localhost" }, { "host", "localhost" } } };
	struct access_rules r = { 0 };

	(void)state;
	assert_int_equal(check(&r, request(&s, "GET", "/")), FORBIDDEN);
}

static void hosts_are_checked_on_unix_sockets_too(void **state)
{
	struct sample s = { .header = { { "Host", "evil.example:8080" } } };
	struct access_rules r = { 0 };

	(void)state;
	request(&s, "GET", "/")->peer.is_unix = true;
	assert_int_equal(check(&r, &s.q), FORBIDDEN);
}

static void origins_are_compared_with_the_host(void **state)
{
	static const struct {
		const char *host, *origin, *site;
		bool is_ours;
	} origins[] = {
		{ "localhost:8080", "http://localhost:8080", NULL, true },
		{ "localhost:9000", "http://localhost:9000", NULL, true },
		{ "localhost:8080", "HTTP://localhost:8080", NULL, false },
		{ "LocalHost:8080", "http://localhost:8080", NULL, true },
		{ "localhost", "https://localhost", "same-origin", true },
		{ "localhost:8080", "null", "same-origin", true },
		{ "localhost:8080", "null", NULL, false },
		{ "localhost:8080", "null", "cross-site", false },
		{ "localhost:8080", "", NULL, false },
		{ "localhost:8080", "http://localhost", NULL, false },
		{ "localhost:8080", "http://localhost:8081", NULL, false },
		{ "localhost:8080", "http://127.0.0.1:8080", NULL, false },
		{ "localhost:8080", "http://evil.example", NULL, false },
		{ "localhost:8080", "http://localhost:8080.evil.example", NULL, false },
		{ "localhost:8080", "http://localhost:8080/", NULL, false },
		{ "localhost:8080", "ftp://localhost:8080", NULL, false },
		{ "localhost:8080", "file://", NULL, false },
		{ "localhost:8080", "chrome-extension://abc", NULL, false },
	};
	struct access_rules r = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++) {
		struct sample s = { .header = { { "Host", origins[i].host },
						{ "Origin", origins[i].origin },
						{ origins[i].site ? "Sec-Fetch-Site" : NULL, origins[i].site } } };

		if (check(&r, request(&s, "POST", "/ui/do/open")) != (origins[i].is_ours ? OK : FORBIDDEN))
			fail_msg("%s for %s is %s", origins[i].origin, origins[i].host,
				 origins[i].is_ours ? "refused" : "allowed");
	}
}

static void other_sites_may_only_link_to_pages(void **state)
{
	static const struct {
		const char *method, *site, *mode, *dest;
		bool is_allowed;
	} requests[] = {
		{ "GET", "none", "navigate", "document", true },
		{ "GET", "same-origin", "cors", "empty", true },
		{ "GET", "cross-site", "navigate", "document", true },
		{ "GET", "same-site", "navigate", "document", true },
		{ "GET", "cross-site", "navigate", "iframe", false },
		{ "GET", "cross-site", "navigate", "frame", false },
		{ "GET", "cross-site", "navigate", "embed", false },
		{ "GET", "cross-site", "no-cors", "image", false },
		{ "GET", "cross-site", "no-cors", "script", false },
		{ "GET", "same-site", "no-cors", "script", false },
		{ "GET", "same-site", "cors", "empty", false },
		{ "GET", "same-site", "websocket", "websocket", false },
		{ "GET", "cross-site", NULL, "document", false },
		{ "GET", "cross-site", "navigate", NULL, false },
		{ "GET", "Same-Origin", NULL, NULL, false },
		{ "GET", "", NULL, NULL, false },
		{ "HEAD", "cross-site", "navigate", "document", false },
		{ "POST", "cross-site", "navigate", "document", false },
		{ "POST", "same-site", "navigate", "document", false },
		{ "DELETE", "cross-site", "navigate", "document", false },
	};
	struct access_rules r = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		struct sample s = { .header = { { "Host", "localhost" },
						{ "Sec-Fetch-Site", requests[i].site },
						{ "Sec-Fetch-Mode", requests[i].mode ? requests[i].mode : "x" },
						{ "Sec-Fetch-Dest", requests[i].dest ? requests[i].dest : "x" } } };

		if (check(&r, request(&s, requests[i].method, "/ui/top")) != (requests[i].is_allowed ? OK : FORBIDDEN))
			fail_msg("request %zu is %s", i, requests[i].is_allowed ? "refused" : "allowed");
	}
}

static void other_users_and_other_methods_are_refused(void **state)
{
	static const char *const methods[] = { "OPTIONS", "PUT", "PATCH", "TRACE", "CONNECT", "get", "GETS", "" };
	struct sample s = { .header = { { "Host", "localhost" } } };
	struct access_rules r = { 0 };

	(void)state;
	request(&s, "GET", "/ui/")->peer.is_user = false;
	assert_int_equal(check(&r, &s.q), FORBIDDEN);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		assert_int_equal(check(&r, request(&s, methods[i], "/ui/")), METHOD);
	assert_int_equal(check(&r, request(&s, "DELETE", "/ui/deleteconfig")), OK);
	assert_int_equal(check(&r, request(&s, "HEAD", "/ui/")), OK);
}

static struct access_rules with_secret(void)
{
	struct access_rules r = { .secret = { .text = SECRET, .n = sizeof(SECRET) - 1 }, .cookie = "cpa-8080" };

	return r;
}

static void clients_send_the_secret_as_bearer(void **state)
{
	static const struct {
		const char *value;
		int status;
	} values[] = {
		{ "Bearer " SECRET, OK },    { "bearer  " SECRET, OK },         { "Bearer " SECRET "x", UNAUTHORIZED },
		{ "Bearer ", UNAUTHORIZED }, { "Basic " SECRET, UNAUTHORIZED }, { SECRET, UNAUTHORIZED },
		{ "", UNAUTHORIZED },
	};
	struct access_rules r = with_secret();

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct sample s = { .header = { { "Host", "localhost" }, { "Authorization", values[i].value } } };
		struct access_verdict verdict = access_check(&r, request(&s, "GET", "/ui/top"), second);

		assert_int_equal(verdict.status, values[i].status);
		assert_int_equal(verdict.delay_ms, verdict.status ? ACCESS_WRONG_MS : 0);
	}
}

/* base64 of a user and a password */
#define BASIC_RIGHT "YW55OjAxMjM0NTY3ODlhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ekFCQ0Q=" /* any:SECRET */
#define BASIC_EMPTY_USER "OjAxMjM0NTY3ODlhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ekFCQ0Q="
#define BASIC_NO_COLON "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6QUJDRA=="
#define BASIC_NUL "YTowMTIzNDU2Nzg5YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXpBQkNEAA=="

static void a_secret_may_be_a_bearer_or_the_password_of_basic(void **state)
{
	static const struct {
		const char *value;
		bool is_it;
	} values[] = {
		{ "Bearer " SECRET, true },
		{ "Basic " BASIC_RIGHT, true },
		{ "basic  " BASIC_RIGHT, true },
		{ "Basic " BASIC_EMPTY_USER, true },
		{ "Basic " BASIC_NO_COLON, false },
		{ "Basic " BASIC_NUL, false },
		{ "Basic " SECRET, false },
		{ "Basic YW55Og==", false },
		{ "Basic !", false },
		{ "Basic ", false },
		{ "Basic", false },
		{ "", false },
	};
	const struct access_rules r = with_secret();
	char big[5000] = "Basic ";

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(access_has_secret(&r.secret, "", values[i].value), values[i].is_it);
	memset(big + 6, 'A', sizeof(big) - 7);
	assert_false(access_has_secret(&r.secret, "", big));
}

static void a_secret_may_have_a_user(void **state)
{
	const struct access_rules r = with_secret();

	(void)state;
	assert_true(access_has_secret(&r.secret, "any", "Basic " BASIC_RIGHT));
	assert_false(access_has_secret(&r.secret, "an", "Basic " BASIC_RIGHT));
	assert_false(access_has_secret(&r.secret, "anyone", "Basic " BASIC_RIGHT));
	assert_false(access_has_secret(&r.secret, "any", "Basic " BASIC_EMPTY_USER));
	assert_false(access_has_secret(&r.secret, "any", "Basic " BASIC_NO_COLON));
	assert_false(access_has_secret(&r.secret, "any", "Basic YW55Og==")); /* any: */
	assert_false(access_has_secret(&r.secret, "any", "Bearer " SECRET));
}

static void wrong_secrets_are_answered_late(void **state)
{
	struct sample s = { .header = { { "Host", "localhost" }, { "Authorization", "Bearer x" } } },
		      none = { .header = { { "Host", "localhost" } } };
	struct access_rules r = with_secret();

	(void)state;
	for (int i = 0; i < 12; i++)
		assert_int_equal(access_check(&r, request(&s, "GET", "/ui/"), second + (unsigned)i).delay_ms,
				 i < 10 ? ACCESS_WRONG_MS : 1000);
	assert_int_equal(access_check(&r, request(&s, "GET", "/ui/"), 2 * second + 1).delay_ms, ACCESS_WRONG_MS);
	assert_int_equal(access_check(&r, request(&none, "GET", "/ui/"), 2 * second + 1).delay_ms, 0);
}

static void paths_without_data_need_no_secret(void **state)
{
	static const char *const free_paths[] = { "/", "/ui", "/debug", "/ui/enter", "/ui/assets/web.css" },
				 *const others[] = { "/ui/", "/ui/top", "/ui/enterx", "/ui/enter/", "/ui/assets" };
	struct sample s = { .header = { { "Host", "localhost" } } };
	struct access_rules r = with_secret();

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(check(&r, request(&s, "GET", free_paths[i])), OK);
		assert_int_equal(check(&r, request(&s, "GET", others[i])), UNAUTHORIZED);
	}
}

static int enter(struct access_rules *r, const char *form, const char *address)
{
	struct sample s = { .header = { { "Host", "localhost" } } };

	request(&s, "POST", ACCESS_ENTER_PATH)->body = form;
	snprintf(s.q.peer.address, sizeof(s.q.peer.address), "%s", address);
	return access_enter(r, &s.q, ID, second).status;
}

static int check_cookie(struct access_rules *r, const char *cookie, const char *address)
{
	struct sample s = { .header = { { "Host", "localhost" }, { "Cookie", cookie } } };

	request(&s, "GET", "/ui/top");
	snprintf(s.q.peer.address, sizeof(s.q.peer.address), "%s", address);
	return check(r, &s.q);
}

static void a_cookie_is_valid_for_one_address(void **state)
{
	static const char *const good[] = { "cpa-8080=" ID, "a=b; cpa-8080=" ID, "cpa-8080=" ID "; a=b",
					    "cpa-8080=ffffffffffffffffffffffffffffffff; cpa-8080=" ID },
				 *const bad[] = { "",
						  "cpa-8080",
						  "cpa-8080=",
						  "cpa-8081=" ID,
						  "xcpa-8080=" ID,
						  "cpa-8080=" ID "0",
						  "cpa-8080=x" ID,
						  "cpa-8080=\"" ID "\"",
						  "cpa-8080=0123456789ABCDEF0123456789ABCDEF",
						  "cpa-8080=" SECRET };
	struct access_rules r = with_secret();

	(void)state;
	assert_int_equal(check_cookie(&r, good[0], "10.0.0.1"), UNAUTHORIZED);
	assert_int_equal(enter(&r, "secret=wrong", "10.0.0.1"), UNAUTHORIZED);
	assert_int_equal(check_cookie(&r, good[0], "10.0.0.1"), UNAUTHORIZED);
	assert_int_equal(enter(&r, "to=top&secret=" SECRET, "10.0.0.1"), OK);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(check_cookie(&r, good[i], "10.0.0.1"), OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(check_cookie(&r, bad[i], "10.0.0.1"), UNAUTHORIZED);
	assert_int_equal(check_cookie(&r, good[0], "10.0.0.2"), UNAUTHORIZED);
	/* an empty session has no value that a cookie can have */
	assert_int_equal(check_cookie(&r, "cpa-8080=", ""), UNAUTHORIZED);
	for (int i = 0; i < ACCESS_SESSIONS_MAX; i++)
		assert_int_equal(enter(&r, "secret=" SECRET, "10.0.0.3"), OK);
	assert_int_equal(check_cookie(&r, good[0], "10.0.0.1"), UNAUTHORIZED);
}

static void nothing_can_be_entered_without_a_secret(void **state)
{
	struct access_rules r = { .cookie = "cpa-8080" };

	(void)state;
	assert_int_equal(enter(&r, "secret=", "127.0.0.1"), UNAUTHORIZED);
}

static void fields_of_forms_are_decoded(void **state)
{
	static const struct {
		const char *form, *value;
	} forms[] = {
		{ "a=1", "1" },
		{ "b=2&a=1", "1" },
		{ "a=1&a=2", "1" },
		{ "a=", "" },
		{ "a=x%2By+z", "x+y z" },
		{ "a=%41%62", "Ab" },
		{ "b=2", NULL },
		{ "aa=2", NULL },
		{ "", NULL },
		{ "a", NULL },
		{ "a=%", NULL },
		{ "a=%4", NULL },
		{ "a=%4g", NULL },
		{ "a=%00", NULL },
		{ "a=1%002", NULL },
		{ "&&&a=1&", "1" },
		{ "a=1234567", "1234567" },
		{ "a=12345678", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char out[8] = "before";
		bool found = access_form_field(forms[i].form, "a", out, sizeof(out));

		assert_string_equal(out, forms[i].value ? forms[i].value : "");
		assert_int_equal(found, forms[i].value != NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_names_of_this_machine_and_addresses_are_hosts),
		cmocka_unit_test(a_request_has_one_host),
		cmocka_unit_test(hosts_are_checked_on_unix_sockets_too),
		cmocka_unit_test(origins_are_compared_with_the_host),
		cmocka_unit_test(other_sites_may_only_link_to_pages),
		cmocka_unit_test(other_users_and_other_methods_are_refused),
		cmocka_unit_test(clients_send_the_secret_as_bearer),
		cmocka_unit_test(a_secret_may_be_a_bearer_or_the_password_of_basic),
		cmocka_unit_test(a_secret_may_have_a_user),
		cmocka_unit_test(wrong_secrets_are_answered_late),
		cmocka_unit_test(paths_without_data_need_no_secret),
		cmocka_unit_test(a_cookie_is_valid_for_one_address),
		cmocka_unit_test(nothing_can_be_entered_without_a_secret),
		cmocka_unit_test(fields_of_forms_are_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
