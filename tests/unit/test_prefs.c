/*
 * test_prefs.c - user preferences that are saved between sessions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/prefs.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"

static void without_a_file_preferences_last_for_the_session(void **state)
{
	struct prefs *k = prefs_open(NULL);

	(void)state;
	assert_string_equal(prefs_get(k, "a"), "");
	assert_int_equal(prefs_set(k, "a", "x y", NULL), 0);
	assert_int_equal(prefs_set(k, "ab", "z", NULL), 0);
	assert_string_equal(prefs_get(k, "a"), "x y");
	assert_int_equal(prefs_set(k, "a", "", NULL), 0);
	assert_string_equal(prefs_get(k, "a"), "");
	assert_string_equal(prefs_get(k, "ab"), "z");
	prefs_free(k);
}

static void the_next_session_reads_preferences_of_this_one(void **state)
{
	char folder[] = "/tmp/test_kept.XXXXXX";
	char path[64], command[96];
	struct prefs *k;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a/b/shell", folder);
	k = prefs_open(path);
	assert_int_equal(prefs_set(k, "top.columns", "flat name", NULL), 0);
	prefs_free(k);
	k = prefs_open(path);
	assert_string_equal(prefs_get(k, "top.columns"), "flat name");
	prefs_free(k);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void unknown_lines_are_preserved(void **state)
{
	static const char before[] = "# mine\nx=1\n\nx=2", after[] = "# mine\nx=1\n\nx=3\n";
	char path[] = "/tmp/test_kept.XXXXXX";
	struct bytes file;
	struct prefs *k;
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, before, sizeof(before) - 1), sizeof(before) - 1);
	close(fd);
	k = prefs_open(path);
	assert_string_equal(prefs_get(k, "x"), "2"); /* the last line wins */
	assert_int_equal(prefs_set(k, "x", "3", NULL), 0);
	prefs_free(k);
	assert_int_equal(io_read_file(path, 1000, "", &file, NULL), 0);
	assert_int_equal(file.n, sizeof(after) - 1);
	assert_memory_equal(file.data, after, file.n);
	free(file.data);
	unlink(path);
}

static void a_write_error_is_reported_and_the_session_uses_the_text(void **state)
{
	struct prefs *k = prefs_open("/dev/null/shell");
	struct err err;

	(void)state;
	assert_true(prefs_set(k, "x", "1", &err) < 0);
	assert_non_null(strstr(err.msg, "saving preferences in /dev/null/shell"));
	assert_string_equal(prefs_get(k, "x"), "1");
	prefs_free(k);
}

static void concurrent_sessions_do_not_overwrite_each_other(void **state)
{
	char path[] = "/tmp/test_kept.XXXXXX";
	int fd = mkstemp(path);
	struct prefs *one = prefs_open(path), *two = prefs_open(path), *later;

	(void)state;
	close(fd);
	assert_int_equal(prefs_set(one, "a", "1", NULL), 0);
	assert_int_equal(prefs_set(two, "b", "2", NULL), 0);
	assert_int_equal(prefs_set(one, "c", "3", NULL), 0);
	later = prefs_open(path);
	assert_string_equal(prefs_get(later, "a"), "1");
	assert_string_equal(prefs_get(later, "b"), "2");
	assert_string_equal(prefs_get(later, "c"), "3");
	prefs_free(one);
	prefs_free(two);
	prefs_free(later);
	unlink(path);
}

static void an_unreadable_file_is_not_changed(void **state)
{
	char path[] = "/tmp/test_kept.XXXXXX";
	int fd = mkstemp(path);
	struct prefs *k;
	struct stat st;
	struct err err;

	(void)state;
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	close(fd);
	k = prefs_open(path);
	assert_int_equal(prefs_set(k, "x", "1", &err), ERR_LIMIT);
	assert_string_equal(prefs_get(k, "x"), "1");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 1 << 20);
	prefs_free(k);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0); /* opening a FIFO would wait for a writer */
	k = prefs_open(path);
	assert_int_equal(prefs_set(k, "x", "1", &err), ERR_IO);
	assert_non_null(strstr(err.msg, "not a regular file"));
	prefs_free(k);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_file_preferences_last_for_the_session),
		cmocka_unit_test(the_next_session_reads_preferences_of_this_one),
		cmocka_unit_test(unknown_lines_are_preserved),
		cmocka_unit_test(concurrent_sessions_do_not_overwrite_each_other),
		cmocka_unit_test(an_unreadable_file_is_not_changed),
		cmocka_unit_test(a_write_error_is_reported_and_the_session_uses_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
