/*
 * test_io.c - read and write whole files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/io.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[PATH_MAX]; /* a new folder for every test */

static const char *in_folder(const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.1000s/%s", folder, name);
	return path;
}

static int folder_make(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof(folder), "%s/cpa-io-XXXXXX", tmp ? tmp : "/tmp");
	umask(022);
	return mkdtemp(folder) ? 0 : -1;
}

/* Number of files in the folder, without . and .. */
static unsigned folder_count(void)
{
	DIR *d = opendir(folder);
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static int folder_remove(void **state)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *d = opendir(folder);

	(void)state;
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlink(in_folder(e->d_name, path));
	if (d)
		closedir(d);
	return rmdir(folder);
}

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void expect_file(const char *path, const char *text)
{
	struct bytes b;

	assert_int_equal(io_read_file(path, SIZE_MAX, "--x", &b, NULL), 0);
	assert_int_equal(b.n, strlen(text));
	assert_memory_equal(b.data, text, b.n);
	free(b.data);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static void an_empty_file_is_zero_bytes(void **state)
{
	char path[PATH_MAX];
	struct bytes b = { .n = 9 };

	(void)state;
	put_file(in_folder("empty", path), "");
	assert_int_equal(io_read_file(path, 10, "--x", &b, NULL), 0);
	assert_int_equal(b.n, 0);
	free(b.data);
}

static void a_file_of_exactly_the_limit_is_read(void **state)
{
	char path[PATH_MAX];
	struct bytes b;

	(void)state;
	put_file(in_folder("ten", path), "0123456789");
	assert_int_equal(io_read_file(path, 10, "--x", &b, NULL), 0);
	assert_int_equal(b.n, 10);
	free(b.data);
}

static void one_byte_over_the_limit_is_refused_with_the_name_of_the_option(void **state)
{
	char path[PATH_MAX];
	struct bytes b = { .n = 77 };
	struct err err;

	(void)state;
	put_file(in_folder("eleven", path), "0123456789a");
	assert_int_equal(io_read_file(path, 10, "--max-input", &b, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "more than 10 bytes; raise the limit with --max-input");
	assert_int_equal(b.n, 77);
}

static void a_pipe_is_read_to_its_end(void **state)
{
	enum { N = 30000 };
	static char sent[N];
	struct bytes b;
	int fd[2];

	(void)state;
	memset(sent, 'p', N);
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], sent, N), N);
	close(fd[1]);
	assert_int_equal(io_read_fd(fd[0], SIZE_MAX, "--x", &b, NULL), 0);
	assert_int_equal(b.n, N);
	assert_memory_equal(b.data, sent, N);
	free(b.data);
	close(fd[0]);
}

static void a_pipe_over_the_limit_is_refused(void **state)
{
	struct bytes b;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], "0123456789a", 11), 11);
	close(fd[1]);
	assert_int_equal(io_read_fd(fd[0], 10, "--x", &b, NULL), ERR_LIMIT);
	close(fd[0]);
}

static void a_large_file_is_read_completely(void **state)
{
	enum { N = 5000001 };
	char path[PATH_MAX], *data = malloc(N);
	struct bytes b;

	(void)state;
	for (int i = 0; i < N; i++)
		data[i] = (char)(i * 31 >> 3);
	assert_int_equal(io_write_file(in_folder("large", path), data, N, NULL), 0);
	assert_int_equal(io_read_file(path, N, "--x", &b, NULL), 0);
	assert_int_equal(b.n, N);
	assert_int_equal(memcmp(b.data, data, N), 0);
	free(b.data);
	free(data);
}

/* Reading what was cut off after mapping gives zeros instead of a fatal signal. */
static void a_mapped_file_may_be_cut(void **state)
{
	enum { N = 10 << 20, LEFT = 4096 };
	char path[PATH_MAX], *data = malloc(N);
	struct bytes b = { 0 };

	(void)state;
	memset(data, 7, N);
	assert_int_equal(io_write_file(in_folder("mapped", path), data, N, NULL), 0);
	assert_false(io_map_file(path, N + 1, SIZE_MAX, &b));
	assert_false(io_map_file(path, 1, N - 1, &b));
	assert_false(io_map_file(folder, 0, SIZE_MAX, &b));
	assert_true(io_map_file(path, N, N, &b));
	assert_true(b.is_mapped);
	assert_int_equal(b.n, N);
	assert_int_equal(memcmp(b.data, data, N), 0);
	assert_int_equal(io_give_back(b.data, 0, 1000), 0);
	assert_int_equal(io_give_back(b.data, 0, N), N);
	assert_int_equal(memcmp(b.data, data, N), 0);
	assert_int_equal(truncate(path, LEFT), 0);
	assert_int_equal(b.data[LEFT - 1], 7);
	assert_int_equal(b.data[LEFT], 0);
	assert_int_equal(b.data[N - 1], 0);
	io_release(&b);
	assert_null(b.data);
	free(data);
}

static void a_directory_is_refused_with_a_message(void **state)
{
	struct bytes b;
	struct err err;

	(void)state;
	assert_int_equal(io_read_file(folder, 10, "--x", &b, &err), ERR_IO);
	assert_string_equal(err.msg, "is a directory, not a profile");
}

static void a_missing_file_is_reported_with_the_system_message(void **state)
{
	char path[PATH_MAX];
	struct bytes b;
	struct err err;

	(void)state;
	assert_int_equal(io_read_file(in_folder("none", path), 10, "--x", &b, &err), ERR_IO);
	assert_string_equal(err.msg, "No such file or directory");
}

static void a_new_file_gets_its_mode_from_the_umask(void **state)
{
	char path[PATH_MAX];

	(void)state;
	umask(027);
	assert_int_equal(io_write_file(in_folder("new", path), "abc", 3, NULL), 0);
	expect_file(path, "abc");
	assert_int_equal(mode_of(path), 0640);
}

static void an_old_file_is_replaced_and_keeps_its_mode(void **state)
{
	char path[PATH_MAX];

	(void)state;
	put_file(in_folder("old", path), "a longer text than the new one");
	chmod(path, 0604);
	assert_int_equal(io_write_file(path, "new", 3, NULL), 0);
	expect_file(path, "new");
	assert_int_equal(mode_of(path), 0604);
}

static void a_reader_of_the_old_file_keeps_the_old_bytes(void **state)
{
	char path[PATH_MAX], got[8] = "";
	int fd;

	(void)state;
	put_file(in_folder("shared", path), "old");
	fd = open(path, O_RDONLY);
	assert_int_equal(io_write_file(path, "newer", 5, NULL), 0);
	assert_int_equal(read(fd, got, sizeof(got)), 3);
	assert_memory_equal(got, "old", 3);
	close(fd);
}

static void no_temporary_file_is_left(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_int_equal(io_write_file(in_folder("only", path), "x", 1, NULL), 0);
	assert_int_equal(io_write_file(path, "y", 1, NULL), 0);
	assert_int_equal(folder_count(), 1);
}

static void the_target_of_a_link_is_replaced(void **state)
{
	char path[PATH_MAX], link[PATH_MAX];
	struct stat st;

	(void)state;
	put_file(in_folder("target", path), "old");
	assert_int_equal(symlink("target", in_folder("link", link)), 0);
	assert_int_equal(io_write_file(link, "new", 3, NULL), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	expect_file(path, "new");
}

/* In its own folder: if this test fails, it must not remove a device of the machine. */
static void a_pipe_is_written_to_and_not_replaced(void **state)
{
	char path[PATH_MAX], got[8] = "";
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(in_folder("pipe", path), 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(io_write_file(path, "abc", 3, NULL), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(read(fd, got, sizeof(got)), 3);
	assert_memory_equal(got, "abc", 3);
	close(fd);
}

/* Skipped for users with write permission in /dev, such as root: a bug could replace /dev/null itself. */
static void a_device_can_be_written_to(void **state)
{
	struct stat st;

	(void)state;
	if (access("/dev", W_OK) == 0)
		skip();
	assert_int_equal(io_write_file("/dev/null", "abc", 3, NULL), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void a_failed_write_leaves_only_the_old_file(void **state)
{
	struct rlimit old, none;
	char path[PATH_MAX];
	struct err err;
	int rc;

	(void)state;
	put_file(in_folder("old", path), "old");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	none = (struct rlimit){ .rlim_cur = 1, .rlim_max = old.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	rc = io_write_file(path, "new", 3, &err);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(rc, ERR_IO);
	assert_non_null(strstr(err.msg, "/old: File too large"));
	expect_file(path, "old");
	assert_int_equal(folder_count(), 1);
}

static void a_directory_is_not_written_to(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(io_write_file(folder, "abc", 3, &err), ERR_IO);
	assert_int_equal(folder_count(), 0);
}

static void a_missing_folder_is_an_error_with_the_path(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(io_write_file("/no/such/folder/f", "abc", 3, &err), ERR_IO);
	assert_string_equal(err.msg, "/no/such/folder/f: No such file or directory");
}

static void a_private_file_is_readable_by_its_owner_only(void **state)
{
	char path[PATH_MAX];

	(void)state;
	umask(0);
	assert_int_equal(io_write_file_private(in_folder("private", path), "abc", 3, NULL), 0);
	expect_file(path, "abc");
	assert_int_equal(mode_of(path), 0600);
	chmod(path, 0644);
	assert_int_equal(io_write_file_private(path, "new", 3, NULL), 0);
	expect_file(path, "new");
	assert_int_equal(mode_of(path), 0600);
	assert_int_equal(folder_count(), 1);
}

static void a_private_file_is_not_written_through_a_link(void **state)
{
	char path[PATH_MAX], link[PATH_MAX];
	struct err err;

	(void)state;
	assert_int_equal(symlink("target", in_folder("link", link)), 0);
	assert_int_equal(io_write_file_private(link, "new", 3, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "/link: is a symbolic link"));
	assert_int_equal(folder_count(), 1);
	put_file(in_folder("target", path), "old");
	assert_int_equal(io_write_file_private(link, "new", 3, &err), ERR_IO);
	expect_file(path, "old");
	assert_int_equal(folder_count(), 2);
}

static void a_private_file_may_be_a_link_to_a_pipe(void **state)
{
	char path[PATH_MAX], link[PATH_MAX], got[8] = "";
	int fd;

	(void)state;
	assert_int_equal(mkfifo(in_folder("pipe", path), 0600), 0);
	assert_int_equal(symlink("pipe", in_folder("link", link)), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(io_write_file_private(link, "abc", 3, NULL), 0);
	assert_int_equal(read(fd, got, sizeof(got)), 3);
	assert_memory_equal(got, "abc", 3);
	close(fd);
}

static void a_check_changes_no_file(void **state)
{
	char path[PATH_MAX];
	struct stat before, after;

	(void)state;
	assert_int_equal(io_out_check(in_folder("new", path), true, NULL), 0);
	assert_int_equal(io_out_check(path, false, NULL), 0);
	assert_int_equal(folder_count(), 0);
	put_file(path, "old");
	chmod(path, 0604);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(io_out_check(path, true, NULL), 0);
	assert_int_equal(io_out_check(path, false, NULL), 0);
	expect_file(path, "old");
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_ino, before.st_ino);
	assert_int_equal(mode_of(path), 0604);
	assert_int_equal(folder_count(), 1);
}

static void a_check_fails_like_opening(void **state)
{
	char path[PATH_MAX];
	struct err err;

	(void)state;
	assert_int_equal(io_out_check("/no/such/folder/f", true, &err), ERR_IO);
	assert_string_equal(err.msg, "/no/such/folder/f: No such file or directory");
	assert_int_equal(io_out_check(folder, true, &err), ERR_IO);
	assert_non_null(strstr(err.msg, ": Is a directory"));
	assert_int_equal(symlink("nothing", in_folder("link", path)), 0);
	assert_int_equal(io_out_check(path, true, &err), ERR_IO);
	assert_int_equal(io_out_check(path, false, &err), 0);
	assert_int_equal(folder_count(), 1);
}

/* It has no reader, so opening it would wait. */
static void a_check_does_not_open_a_pipe(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_int_equal(mkfifo(in_folder("pipe", path), 0600), 0);
	assert_int_equal(io_out_check(path, true, NULL), 0);
	assert_int_equal(io_out_check(path, false, NULL), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(an_empty_file_is_zero_bytes),
		IN_FOLDER(a_file_of_exactly_the_limit_is_read),
		IN_FOLDER(one_byte_over_the_limit_is_refused_with_the_name_of_the_option),
		IN_FOLDER(a_pipe_is_read_to_its_end),
		IN_FOLDER(a_pipe_over_the_limit_is_refused),
		IN_FOLDER(a_large_file_is_read_completely),
		IN_FOLDER(a_mapped_file_may_be_cut),
		IN_FOLDER(a_directory_is_refused_with_a_message),
		IN_FOLDER(a_missing_file_is_reported_with_the_system_message),
		IN_FOLDER(a_new_file_gets_its_mode_from_the_umask),
		IN_FOLDER(an_old_file_is_replaced_and_keeps_its_mode),
		IN_FOLDER(a_reader_of_the_old_file_keeps_the_old_bytes),
		IN_FOLDER(no_temporary_file_is_left),
		IN_FOLDER(the_target_of_a_link_is_replaced),
		IN_FOLDER(a_pipe_is_written_to_and_not_replaced),
		IN_FOLDER(a_device_can_be_written_to),
		IN_FOLDER(a_failed_write_leaves_only_the_old_file),
		IN_FOLDER(a_directory_is_not_written_to),
		IN_FOLDER(a_missing_folder_is_an_error_with_the_path),
		IN_FOLDER(a_private_file_is_readable_by_its_owner_only),
		IN_FOLDER(a_private_file_is_not_written_through_a_link),
		IN_FOLDER(a_private_file_may_be_a_link_to_a_pipe),
		IN_FOLDER(a_check_changes_no_file),
		IN_FOLDER(a_check_fails_like_opening),
		IN_FOLDER(a_check_does_not_open_a_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
