/*
 * test_kept.c - small things that are remembered from one session to the next
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/kept.h"

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

static void without_a_file_things_are_kept_as_long_as_it_lives(void **state)
{
	struct kept *k = kept_open(NULL);

	(void)state;
	assert_string_equal(kept_get(k, "a"), "");
	assert_int_equal(kept_set(k, "a", "x y", NULL), 0);
	assert_int_equal(kept_set(k, "ab", "z", NULL), 0);
	assert_string_equal(kept_get(k, "a"), "x y");
	assert_int_equal(kept_set(k, "a", "", NULL), 0);
	assert_string_equal(kept_get(k, "a"), "");
	assert_string_equal(kept_get(k, "ab"), "z");
	kept_free(k);
}

static void the_next_session_has_what_this_one_set(void **state)
{
	char folder[] = "/tmp/test_kept.XXXXXX";
	char path[64], command[96];
	struct kept *k;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a/b/shell", folder);
	k = kept_open(path);
	assert_int_equal(kept_set(k, "top.columns", "flat name", NULL), 0);
	kept_free(k);
	k = kept_open(path);
	assert_string_equal(kept_get(k, "top.columns"), "flat name");
	kept_free(k);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void lines_of_others_stay(void **state)
{
	static const char before[] = "# mine\nx=1\n\nx=2", after[] = "# mine\nx=1\n\nx=3\n";
	char path[] = "/tmp/test_kept.XXXXXX";
	struct bytes file;
	struct kept *k;
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, before, sizeof(before) - 1), sizeof(before) - 1);
	close(fd);
	k = kept_open(path);
	assert_string_equal(kept_get(k, "x"), "2"); /* the last one counts */
	assert_int_equal(kept_set(k, "x", "3", NULL), 0);
	kept_free(k);
	assert_int_equal(io_read_file(path, 1000, "", &file, NULL), 0);
	assert_int_equal(file.n, sizeof(after) - 1);
	assert_memory_equal(file.data, after, file.n);
	free(file.data);
	unlink(path);
}

static void what_cannot_be_written_is_an_error_and_kept_all_the_same(void **state)
{
	struct kept *k = kept_open("/dev/null/shell");
	struct err err;

	(void)state;
	assert_true(kept_set(k, "x", "1", &err) < 0);
	assert_non_null(strstr(err.msg, "keeping this in /dev/null/shell"));
	assert_string_equal(kept_get(k, "x"), "1");
	kept_free(k);
}

static void sessions_at_the_same_time_keep_what_each_of_them_set(void **state)
{
	char path[] = "/tmp/test_kept.XXXXXX";
	int fd = mkstemp(path);
	struct kept *one = kept_open(path), *two = kept_open(path), *later;

	(void)state;
	close(fd);
	assert_int_equal(kept_set(one, "a", "1", NULL), 0);
	assert_int_equal(kept_set(two, "b", "2", NULL), 0);
	assert_int_equal(kept_set(one, "c", "3", NULL), 0);
	later = kept_open(path);
	assert_string_equal(kept_get(later, "a"), "1");
	assert_string_equal(kept_get(later, "b"), "2");
	assert_string_equal(kept_get(later, "c"), "3");
	kept_free(one);
	kept_free(two);
	kept_free(later);
	unlink(path);
}

static void a_file_that_cannot_be_understood_is_left_alone(void **state)
{
	char path[] = "/tmp/test_kept.XXXXXX";
	int fd = mkstemp(path);
	struct kept *k;
	struct stat st;
	struct err err;

	(void)state;
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	close(fd);
	k = kept_open(path);
	assert_int_equal(kept_set(k, "x", "1", &err), ERR_LIMIT);
	assert_string_equal(kept_get(k, "x"), "1");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 1 << 20);
	kept_free(k);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0); /* who opened it would wait for a writer */
	k = kept_open(path);
	assert_int_equal(kept_set(k, "x", "1", &err), ERR_IO);
	assert_non_null(strstr(err.msg, "this is no file"));
	kept_free(k);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_file_things_are_kept_as_long_as_it_lives),
		cmocka_unit_test(the_next_session_has_what_this_one_set),
		cmocka_unit_test(lines_of_others_stay),
		cmocka_unit_test(sessions_at_the_same_time_keep_what_each_of_them_set),
		cmocka_unit_test(a_file_that_cannot_be_understood_is_left_alone),
		cmocka_unit_test(what_cannot_be_written_is_an_error_and_kept_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
