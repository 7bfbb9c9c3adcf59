/*
 * test_secrets.c - secret header lines, sent only to the server that the user named
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/secrets.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/cpa-secrets-XXXXXX";

static void write_file(const char *text, size_t n, mode_t mode)
{
	struct err err;

	assert_int_equal(io_write_file(path, text, n, &err), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static int read_headers(const char *text, size_t n, struct secrets *out, struct err *err)
{
	struct fetch_options how = { .header_file = path, .bearer_file = "" };
	struct buf notes = { 0 };
	int rc;

	write_file(text, n, 0600);
	rc = secrets_read(&how, out, &notes, err);
	assert_string_equal(buf_text(&notes), "");
	return rc;
}

static void expect_refused(const char *text, size_t n, const char *message)
{
	struct secrets s = { 0 };
	struct err err = { 0 };

	assert_int_equal(read_headers(text, n, &s, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, path));
	assert_non_null(strstr(err.msg, message));
	assert_null(strstr(err.msg, "hidden"));
	secrets_release(&s);
}

static void header_lines_are_trimmed_and_comments_skipped(void **state)
{
	static const char text[] = "# ours\n\nX-Secret: a b \r\nCookie: c=d\n  Accept: x";
	struct secrets s = { 0 };

	(void)state;
	assert_int_equal(read_headers(text, strlen(text), &s, NULL), 0);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.line[0], "X-Secret: a b");
	assert_string_equal(s.line[1], "Cookie: c=d");
	assert_string_equal(s.line[2], "Accept: x");
	secrets_release(&s);
}

static void invalid_headers_are_refused_without_quoting_them(void **state)
{
	(void)state;
	expect_refused("A: b\nhidden", 11, "line 2 is not");
	expect_refused("hid den: x", 10, "line 1 is not");
	expect_refused("hidden:", 7, "has no value");
	expect_refused("A: hidden\rB: c", 14, "control characters");
	expect_refused("A: hid\0den", 10, "NUL bytes");
}

static void a_token_becomes_a_header(void **state)
{
	struct fetch_options how = { .header_file = "", .bearer_file = path };
	struct secrets s = { 0 };
	struct buf notes = { 0 };
	struct err err;

	(void)state;
	write_file("tok-123\n", 8, 0644);
	assert_int_equal(secrets_read(&how, &s, &notes, &err), 0);
	assert_string_equal(s.line[0], "Authorization: Bearer tok-123");
	assert_non_null(strstr(buf_text(&notes), "readable by other users"));
	secrets_release(&s);
	write_file("tok 123\n", 8, 0600);
	assert_int_equal(secrets_read(&how, &s, &notes, &err), ERR_USAGE);
	assert_null(strstr(err.msg, "tok 123"));
	write_file("\n", 1, 0600);
	assert_int_equal(secrets_read(&how, &s, &notes, &err), ERR_USAGE);
	buf_release(&notes);
	secrets_release(&s);
}

static void a_missing_file_is_named(void **state)
{
	struct fetch_options how = { .header_file = "/nowhere/at/all", .bearer_file = "" };
	struct secrets s = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(secrets_read(&how, &s, NULL, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "--header_file: /nowhere/at/all: No such file"));
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_lines_are_trimmed_and_comments_skipped),
		cmocka_unit_test(invalid_headers_are_refused_without_quoting_them),
		cmocka_unit_test(a_token_becomes_a_header),
		cmocka_unit_test(a_missing_file_is_named),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
