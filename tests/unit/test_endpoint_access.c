/*
 * test_endpoint_access.c - access control: secrets and their files, hosts, browsers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "make_listen.h"

#include "libcpaprof/endpoint/access.h"

#include <locale.h>

#define SECRET "0123456789abcdefghijklmnopqrstuvwxyzABCD"

enum { PATH_ROOM = 160, OK = 0, UNAUTHORIZED = 401, FORBIDDEN = 403 };

static const uint64_t second = 1000000000;
static char folder[64];

static int begin(void **state)
{
	(void)state;
	made_folder(folder);
	return 0;
}

static int end(void **state)
{
	(void)state;
	made_folder_end(folder);
	return 0;
}

static const char *in_folder(const char *name)
{
	static char path[PATH_ROOM];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static const char *write_secret(const char *name, const void *text, size_t n)
{
	int fd = open(in_folder(name), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, text, n), n);
	assert_int_equal(fchmod(fd, 0600), 0);
	close(fd);
	return in_folder(name);
}

/* Check that a file is refused with a message that has the path and these words, but not the secret. */
static void refused(const char *path, int rc, const char *words)
{
	struct endpoint_access g = { .secret = { .text = "old", .n = 3 } };
	char why[WHY_MAX] = "";

	assert_int_equal(access_read_secret(&g.secret, path, why, sizeof(why)), rc);
	if (!strstr(why, words) || !strstr(why, path) || strstr(why, "01234567"))
		fail_msg("\"%s\" does not contain \"%s\"", why, words);
	assert_int_equal(g.secret.n, 3);
	assert_memory_equal(g.secret.text, "old", 4);
}

static void white_space_around_a_secret_is_stripped(void **state)
{
	static const char *const texts[] = { SECRET, SECRET "\n", " \t\r\n" SECRET "\v\f \r\n" };
	struct endpoint_access g = { 0 };
	char why[WHY_MAX];

	(void)state;
	for (int i = 0; i < 3; i++) {
		const char *path = write_secret("secret", texts[i], strlen(texts[i]));

		assert_int_equal(access_read_secret(&g.secret, path, why, sizeof(why)), 0);
		assert_int_equal(g.secret.n, strlen(SECRET));
		assert_memory_equal(g.secret.text, SECRET, strlen(SECRET));
	}
	endpoint_access_release(&g);
	assert_int_equal(g.secret.n, 0);
	for (size_t i = 0; i < sizeof(g.secret.text); i++)
		assert_int_equal(g.secret.text[i], 0);
}

static void secrets_have_32_to_1024_bytes(void **state)
{
	struct endpoint_access g = { 0 };
	char text[4096], why[WHY_MAX];

	(void)state;
	memset(text, 'x', sizeof(text));
	refused(write_secret("s", text, 0), -EINVAL, "too short");
	refused(write_secret("s", text, 31), -EINVAL, "too short");
	assert_int_equal(access_read_secret(&g.secret, write_secret("s", text, 32), why, sizeof(why)), 0);
	assert_int_equal(access_read_secret(&g.secret, write_secret("s", text, 1024), why, sizeof(why)), 0);
	assert_int_equal(g.secret.n, 1024);
	refused(write_secret("s", text, 1025), -EINVAL, "longer than 1024");
	refused(write_secret("s", text, sizeof(text)), -EINVAL, "longer than 1024");
	memset(text, ' ', 31);
	refused(write_secret("s", text, 62), -EINVAL, "too short");
}

static void secrets_contain_only_characters_allowed_in_a_header(void **state)
{
	static const char bad[] = { '\0', '\n', '\r', '\t', '\x1f', '\x7f', '\x80', '\xff' };
	char text[] = SECRET;

	(void)state;
	for (size_t i = 0; i < sizeof(bad); i++) {
		text[20] = bad[i];
		refused(write_secret("s", text, strlen(SECRET)), -EINVAL, "not one line of ASCII");
	}
}

static void a_secret_file_must_be_private_to_the_user(void **state)
{
	static const mode_t open_to_others[] = { 0640, 0620, 0610, 0604, 0602, 0601, 0644, 0666 };
	char path[PATH_ROOM];
	struct endpoint_access g = { 0 };
	char why[WHY_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s", write_secret("s", SECRET, strlen(SECRET)));
	for (int i = 0; i < 8; i++) {
		assert_int_equal(chmod(path, open_to_others[i]), 0);
		refused(path, -EPERM, "chmod 600");
	}
	assert_int_equal(chmod(path, 0400), 0);
	assert_int_equal(access_read_secret(&g.secret, path, why, sizeof(why)), 0);
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(path, NOBODY, NOBODY), 0);
	refused(path, -EPERM, "another user");
}

static void a_secret_file_must_be_a_regular_file(void **state)
{
	(void)state;
	write_secret("s", SECRET, strlen(SECRET));
	assert_int_equal(symlink("s", in_folder("link")), 0);
	refused(in_folder("link"), -ELOOP, "symbolic link");
	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	refused(in_folder("fifo"), -EINVAL, "not a regular file"); /* without waiting for a writer */
	refused(folder, -EINVAL, "not a regular file");
	refused("/dev/zero", -EINVAL, "not a regular file");
	refused(in_folder("none"), -ENOENT, "No such file");
	refused("", -ENOENT, "No such file");
}

/* A head as parsed: missing fields are "". */
static struct request_head head_of(const char *host)
{
	return (struct request_head){ .method = "GET",
				      .target = "/debug/pprof/",
				      .minor = 1,
				      .host = host ? host : "",
				      .origin = "",
				      .fetch_site = "",
				      .authorization = "",
				      .secret = "",
				      .has_host = host };
}

static int status_of_host(struct endpoint_access *g, const char *host)
{
	const struct request_head h = head_of(host);
	struct endpoint_verdict verdict = endpoint_access_check_request(g, &h, false, 1);

	assert_int_equal(verdict.status != 0, verdict.text != NULL);
	assert_int_equal(endpoint_access_check_request(g, &h, true, 1).status, 0); /* ignored on a Unix socket */
	return verdict.status;
}

static void loopback_names_and_addresses_are_allowed_as_host(void **state)
{
	static const char *const good[] = {
		"localhost",     "localhost:7777",   "LocalHost:1",         "localhost.",
		"localhost.:80", "localhost:",       "a.localhost",         "b.a.localhost:7",
		"127.0.0.1",     "127.0.0.1:65535",  "10.1.2.3:80",         "[::1]",
		"[::1]:7777",    "[2001:db8::1]:80", "[fe80::1%25eth0]:80", "255.255.255.255",
	};
	static const char *const bad[] = {
		"",
		"evil.example",
		"evil.example:7777",
		"localhost.evil.example",
		"127.0.0.1.evil.example",
		"notlocalhost",
		".localhost",
		"localhost..",
		"localhost:x",
		"localhost:7777x",
		"localhost:123456",
		"localhost:-1",
		"localhost/",
		"localhost@evil.example",
		"localhost,evil.example",
		"evil.example localhost",
		":80",
		".",
		"127.1",
		"2130706433",
		"0x7f.0.0.1",
		"127.0.0.1:80:80",
		"::1",
		"[::1",
		"[::1]x",
		"[::1]7777",
		"[]",
		"[localhost]",
		"[127.0.0.1]",
		"0.0.0.0",
		"0.0.0.0:7777",
		"[::]:7777",
	};
	struct request_head old = head_of(NULL);
	struct endpoint_access g = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (status_of_host(&g, good[i]) != OK)
			fail_msg("%s is refused", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (status_of_host(&g, bad[i]) != FORBIDDEN)
			fail_msg("%s is not refused", bad[i]);
	assert_int_equal(status_of_host(&g, NULL), FORBIDDEN);
	old.minor = 0;
	assert_int_equal(endpoint_access_check_request(&g, &old, false, 1).status, OK);
}

static void a_long_host_is_refused(void **state)
{
	struct endpoint_access g = { 0 };
	char host[4096];

	(void)state;
	for (size_t n = 200; n < sizeof(host); n += n < 300 ? 1 : 500) {
		memset(host, 'a', n);
		host[n] = '\0';
		assert_int_equal(status_of_host(&g, host), FORBIDDEN);
		host[0] = '[';
		assert_int_equal(status_of_host(&g, host), FORBIDDEN);
	}
}

static void other_host_names_must_be_allowed_explicitly(void **state)
{
	struct endpoint_access g = { .hosts = "prof.example,b.example., IO.Example ,,with.port:80,last.example" };
	static const char *const good[] = { "prof.example",  "PROF.Example:80", "prof.example.:80", "b.example",
					    "b.example.:80", "io.example",      "IO.EXAMPLE:1",     "with.port:1",
					    "with.port",     "last.example",    "localhost" };
	static const char *const bad[] = { "x.prof.example",  "prof.exampl", "prof.example.evil",
					   "example",         "b.example..", "prof.example,b.example",
					   "with.port:80:80", ",",           " " };
	struct request_head h = head_of("nobody.example");

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (status_of_host(&g, good[i]) != OK)
			fail_msg("%s is refused", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (status_of_host(&g, bad[i]) != FORBIDDEN)
			fail_msg("%s is not refused", bad[i]);
	assert_non_null(strstr(endpoint_access_check_request(&g, &h, false, 1).text, "--profile-allow-host"));
	assert_non_null(strstr(endpoint_access_check_request(&g, &h, false, 1).text, "CPA_ALLOW_HOST"));
	if (setlocale(LC_ALL, "tr_TR.UTF-8") || setlocale(LC_ALL, "tr_TR"))
		assert_int_equal(status_of_host(&g, "io.example"), OK);
	setlocale(LC_ALL, "C");
}

static void requests_from_web_pages_are_refused(void **state)
{
	static const char *const sites[] = { "cross-site", "same-site", "", "None", "none,same-origin", "whatever" };
	struct endpoint_access g = { 0 };
	struct request_head h = head_of("localhost:7777");

	(void)state;
	for (int is_unix = 0; is_unix < 2; is_unix++) {
		h.has_origin = true;
		for (int i = 0; i < 3; i++) {
			h.origin = (const char *[]){ "http://evil.example", "null", "" }[i];
			assert_int_equal(endpoint_access_check_request(&g, &h, is_unix, 1).status, FORBIDDEN);
		}
		h.has_origin = false;
		h.origin = "";
		h.has_fetch_site = true;
		for (int i = 0; i < 6; i++) {
			h.fetch_site = sites[i];
			assert_int_equal(endpoint_access_check_request(&g, &h, is_unix, 1).status, FORBIDDEN);
		}
		h.fetch_site = "none"; /* the user typed the address */
		assert_int_equal(endpoint_access_check_request(&g, &h, is_unix, 1).status, OK);
		h.fetch_site = "same-origin"; /* the user follows a link of the index page */
		assert_int_equal(endpoint_access_check_request(&g, &h, is_unix, 1).status, OK);
		h.has_fetch_site = false;
		h.fetch_site = "";
	}
}

static struct endpoint_access guard_of(const char *secret)
{
	struct endpoint_access g = { .secret.n = strlen(secret) };

	memcpy(g.secret.text, secret, g.secret.n);
	return g;
}

static void the_secret_is_accepted_in_either_header(void **state)
{
	static const char *const good[] = { "Bearer " SECRET, "bearer " SECRET, "BEARER   " SECRET };
	static const char *const bad[] = { "",
					   "Bearer",
					   "Bearer ",
					   SECRET,
					   "Basic " SECRET,
					   "Bearer\t" SECRET,
					   "Bearer" SECRET,
					   "Bearer x" SECRET,
					   "Bearer " SECRET "x",
					   "Bearer " SECRET " ",
					   "Bearer 0123456789abcdefghijklmnopqrstuvwxyzABC",
					   "Bearer 0123456789abcdefghijklmnopqrstuvwxyzABCd",
					   "Bearer 1123456789abcdefghijklmnopqrstuvwxyzABCD" };
	struct endpoint_access g = guard_of(SECRET);
	struct request_head h = head_of("localhost");
	char other[sizeof(SECRET)];

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		h.authorization = good[i];
		assert_int_equal(endpoint_access_check_request(&g, &h, i & 1, i * second).status, OK);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		h.authorization = bad[i];
		assert_int_equal(endpoint_access_check_request(&g, &h, i & 1, i * second).status, UNAUTHORIZED);
		assert_string_equal(endpoint_access_check_request(&g, &h, i & 1, i * second).text, "Unauthorized");
	}
	h.authorization = "Basic of-a-proxy";
	h.secret = SECRET;
	assert_int_equal(endpoint_access_check_request(&g, &h, false, 1).status, OK);
	h.authorization = "";
	for (size_t i = 0; i < strlen(SECRET); i++) {
		memcpy(other, SECRET, sizeof(other));
		other[i] ^= 1;
		h.secret = other;
		assert_int_equal(endpoint_access_check_request(&g, &h, false, i * second).status, UNAUTHORIZED);
	}
}

static void the_longest_secret_is_compared_completely(void **state)
{
	char text[ACCESS_SECRET_MAX + 2] = "";
	struct request_head h = head_of("localhost");
	struct endpoint_access g;

	(void)state;
	memset(text, 's', ACCESS_SECRET_MAX);
	g = guard_of(text);
	h.secret = text;
	assert_int_equal(endpoint_access_check_request(&g, &h, false, 1).status, OK);
	text[ACCESS_SECRET_MAX] = 's';
	assert_int_equal(endpoint_access_check_request(&g, &h, false, 1).status, UNAUTHORIZED);
	text[ACCESS_SECRET_MAX - 1] = '\0';
	assert_int_equal(endpoint_access_check_request(&g, &h, false, 1).status, UNAUTHORIZED);
}

static void requests_from_web_pages_are_refused_even_with_the_secret(void **state)
{
	struct endpoint_access g = guard_of(SECRET);
	struct request_head h = head_of("evil.example");

	(void)state;
	h.secret = SECRET;
	assert_int_equal(endpoint_access_check_request(&g, &h, false, 1).status, FORBIDDEN);
	h = head_of("localhost");
	h.secret = SECRET;
	h.has_origin = true;
	assert_int_equal(endpoint_access_check_request(&g, &h, false, 1).status, FORBIDDEN);
	h.secret = ""; /* web pages cannot test whether a secret is right */
	assert_int_equal(endpoint_access_check_request(&g, &h, false, 1).status, FORBIDDEN);
	assert_int_equal(status_of_host(&(struct endpoint_access){ 0 }, "0.0.0.0:1"), FORBIDDEN);
	h = head_of("0.0.0.0:1"); /* with a secret, 0.0.0.0 is allowed as Host */
	h.secret = SECRET;
	assert_int_equal(endpoint_access_check_request(&g, &h, false, 1).status, OK);
}

static void wrong_secrets_are_answered_after_a_delay(void **state)
{
	struct endpoint_access g = guard_of(SECRET);
	struct request_head h = head_of("localhost");
	uint64_t now = 5 * second;

	(void)state;
	h.secret = "wrong";
	for (int i = 0; i < 10; i++)
		assert_int_equal(endpoint_access_check_request(&g, &h, false, now++).delay_ms, 0);
	for (int i = 0; i < 1000; i++) {
		struct endpoint_verdict verdict = endpoint_access_check_request(&g, &h, false, now++);

		assert_int_equal(verdict.delay_ms, 1000);
		assert_int_equal(verdict.status, UNAUTHORIZED);
	}
	h.secret = SECRET; /* the right secret is answered immediately */
	assert_int_equal(endpoint_access_check_request(&g, &h, false, now).status, OK);
	assert_int_equal(endpoint_access_check_request(&g, &h, false, now).delay_ms, 0);
	h.secret = "";
	now = 6 * second - 1;
	assert_int_equal(endpoint_access_check_request(&g, &h, false, now).delay_ms, 1000);
	now = 6 * second;
	for (int i = 0; i < 10; i++)
		assert_int_equal(endpoint_access_check_request(&g, &h, false, now).delay_ms, 0);
	assert_int_equal(endpoint_access_check_request(&g, &h, false, now).delay_ms, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(white_space_around_a_secret_is_stripped, begin, end),
		cmocka_unit_test_setup_teardown(secrets_have_32_to_1024_bytes, begin, end),
		cmocka_unit_test_setup_teardown(secrets_contain_only_characters_allowed_in_a_header, begin, end),
		cmocka_unit_test_setup_teardown(a_secret_file_must_be_private_to_the_user, begin, end),
		cmocka_unit_test_setup_teardown(a_secret_file_must_be_a_regular_file, begin, end),
		cmocka_unit_test(loopback_names_and_addresses_are_allowed_as_host),
		cmocka_unit_test(a_long_host_is_refused),
		cmocka_unit_test(other_host_names_must_be_allowed_explicitly),
		cmocka_unit_test(requests_from_web_pages_are_refused),
		cmocka_unit_test(the_secret_is_accepted_in_either_header),
		cmocka_unit_test(the_longest_secret_is_compared_completely),
		cmocka_unit_test(requests_from_web_pages_are_refused_even_with_the_secret),
		cmocka_unit_test(wrong_secrets_are_answered_after_a_delay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
