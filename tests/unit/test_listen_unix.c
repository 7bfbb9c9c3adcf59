/*
 * test_listen_unix.c - Unix sockets: permissions, and existing files
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

enum { PATH_ROOM = 160, OTHER_USER = 54321 };

static char folder[64];

static const char *in_folder(const char *name)
{
	static char path[2][PATH_ROOM];
	static int at;

	at = !at;
	snprintf(path[at], PATH_ROOM, "%s/%s", folder, name);
	return path[at];
}

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

static bool is_there(const char *path)
{
	struct stat is;

	return lstat(path, &is) == 0;
}

static int bound_socket(const char *path, int type)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	memcpy(at.sun_path, path, strnlen(path, sizeof(at.sun_path) - 1));
	assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static void a_socket_is_private_with_any_umask(void **state)
{
	static const mode_t masks[] = { 0, 022, 077, 0777 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		mode_t was = umask(masks[i]);
		struct listeners l = made_listeners(in_folder("s"));
		struct stat is;
		int fd;

		assert_int_equal(umask(was), masks[i]);
		assert_int_equal(stat(in_folder("s"), &is), 0);
		assert_int_equal(is.st_mode, S_IFSOCK | 0600);
		fd = made_unix_connection(in_folder("s"));
		assert_true(fd >= 0);
		close(fd);
		assert_true(l.listener[0].is_unix && l.n == 1 && l.port == 0 && !l.listener[0].is_public);
		assert_string_equal(l.url + 5, in_folder("s"));
		assert_memory_equal(l.url, "unix:", 5);
		listen_close(&l, false);
		assert_false(is_there(in_folder("s")));
	}
}

static bool connects(void *path)
{
	int fd = made_unix_connection(path);

	return fd >= 0;
}

static void another_user_cannot_connect(void **state)
{
	char path[PATH_ROOM];
	struct listeners l;
	mode_t was;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(folder, 0755), 0);
	snprintf(path, sizeof(path), "%s", in_folder("s"));
	was = umask(0);
	l = made_listeners(path);
	umask(was);
	assert_true(connects(path));
	assert_false(made_as_user(NOBODY, connects, path));
	assert_int_equal(chmod(path, 0666), 0);
	assert_true(made_as_user(NOBODY, connects, path)); /* before, only the mode refused the user */
	listen_close(&l, false);
}

static void paths_become_absolute_and_contain_the_pid(void **state)
{
	char here[PATH_ROOM], name[PATH_ROOM], address[PATH_ROOM];
	struct listeners l;

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(folder), 0);
	l = made_listeners("unix:a-%p-%p%.sock");
	assert_int_equal(chdir(here), 0);
	snprintf(name, sizeof(name), "a-%d-%d%%.sock", (int)getpid(), (int)getpid());
	snprintf(address, sizeof(address), "unix:%s", in_folder(name));
	assert_string_equal(l.url, address);
	assert_true(is_there(in_folder(name)));
	listen_close(&l, false); /* the program has changed its working directory */
	assert_false(is_there(in_folder(name)));
}

static void a_path_that_is_too_long_is_refused(void **state)
{
	char path[PATH_ROOM];
	struct listen_options options = { .address = path };
	struct listeners l;
	int n;

	(void)state;
	n = snprintf(path, sizeof(path), "%s/", folder);
	memset(path + n, 'a', sizeof(path) - (size_t)n);
	path[108] = '\0';
	made_refused(&options, -ENAMETOOLONG, "107 bytes");
	path[107] = '\0';
	l = made_listeners(path);
	assert_true(is_there(path));
	assert_string_equal(l.url + 5, path);
	listen_close(&l, false);
	assert_false(is_there(path));
	memcpy(path + 106, "%p", 3);
	made_refused(&options, -ENAMETOOLONG, "107 bytes");
}

static void a_socket_without_a_listener_is_replaced(void **state)
{
	struct listeners l;
	int fd;

	(void)state;
	close(bound_socket(in_folder("s"), SOCK_STREAM));
	assert_int_equal(made_unix_connection(in_folder("s")), -ECONNREFUSED);
	l = made_listeners(in_folder("s"));
	fd = made_unix_connection(in_folder("s"));
	assert_true(fd >= 0);
	close(fd);
	listen_close(&l, false);
}

static void a_socket_with_a_listener_is_not_replaced(void **state)
{
	struct listeners l = made_listeners(in_folder("s"));
	struct listen_options options = { .address = in_folder("s") };
	int fd;

	(void)state;
	made_refused(&options, -EADDRINUSE, "another process listens");
	fd = made_unix_connection(in_folder("s"));
	assert_true(fd >= 0);
	close(fd);
	listen_close(&l, false);
	fd = bound_socket(in_folder("s"), SOCK_DGRAM);
	options.address = in_folder("s");
	made_refused(&options, -EADDRINUSE, "/s exists: ");
	close(fd);
}

static void other_files_and_links_are_not_touched(void **state)
{
	struct listen_options options = { .address = in_folder("file") };
	struct stat before, after;
	int fd = open(options.address, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	(void)state;
	close(fd);
	made_refused(&options, -EEXIST, "not a socket");
	assert_true(is_there(in_folder("file")));
	options.address = in_folder("link");
	assert_int_equal(symlink("nowhere", options.address), 0);
	made_refused(&options, -ELOOP, "symbolic link");
	assert_false(is_there(in_folder("nowhere")));
	close(bound_socket(in_folder("old"), SOCK_STREAM));
	assert_int_equal(symlink("old", in_folder("to-old")), 0);
	assert_int_equal(lstat(in_folder("old"), &before), 0);
	options.address = in_folder("to-old");
	made_refused(&options, -ELOOP, "symbolic link");
	assert_int_equal(lstat(in_folder("old"), &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	if (geteuid() != 0)
		return;
	assert_int_equal(lchown(in_folder("old"), NOBODY, NOBODY), 0);
	options.address = in_folder("old");
	made_refused(&options, -EEXIST, "another user's");
	assert_true(is_there(in_folder("old")));
}

static void folders_writable_by_others_are_refused(void **state)
{
	struct listen_options options = { .address = in_folder("s") };
	struct listeners l;

	(void)state;
	assert_int_equal(chmod(folder, 0777), 0);
	made_refused(&options, -EPERM, "other users could replace");
	assert_int_equal(chmod(folder, 01777), 0);
	l = made_listeners(options.address);
	listen_close(&l, false);
	assert_int_equal(chmod(folder, 0700), 0);
	options.address = in_folder("no/s");
	made_refused(&options, -ENOENT, "the folder");
	assert_int_equal(mkdir(in_folder("theirs"), 0700), 0);
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(in_folder("theirs"), NOBODY, NOBODY), 0);
	options.address = in_folder("theirs/s");
	made_refused(&options, -EPERM, "other users could replace");
	assert_false(is_there(in_folder("theirs/s")));
}

static void only_our_own_socket_is_unlinked(void **state)
{
	struct listeners l = made_listeners(in_folder("s")), other;
	int fd;

	(void)state;
	assert_int_equal(unlink(in_folder("s")), 0);
	other = made_listeners(in_folder("s")); /* many file systems reuse the inode number */
	listen_close(&l, false);
	assert_true(is_there(in_folder("s")));
	fd = made_unix_connection(in_folder("s"));
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(rename(in_folder("s"), in_folder("moved")), 0);
	fd = open(in_folder("s"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	listen_close(&other, false);
	assert_true(is_there(in_folder("s")));
	assert_int_equal(unlink(in_folder("s")), 0);

	l = made_listeners(in_folder("s")); /* simulates a later socket with the same inode number */
	other = l;
	other.listener[0].fd = -1;
	listen_close(&other, false);
	assert_true(is_there(in_folder("s")));
	listen_close(&l, false);
	assert_false(is_there(in_folder("s")));
}

static void a_child_of_fork_unlinks_nothing(void **state)
{
	struct listeners l = made_listeners(in_folder("s"));
	int status, fd;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		listen_close(&l, true);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	fd = made_unix_connection(in_folder("s"));
	assert_true(fd >= 0);
	close(fd);
	listen_close(&l, false);
	assert_false(is_there(in_folder("s")));
	l = made_listeners(in_folder("s"));
	close(l.listener[0].fd); /* although there is no listener any more */
	listen_close(&l, true);
	assert_true(is_there(in_folder("s")));
}

static void a_socket_is_unlinked_although_others_have_its_descriptor(void **state)
{
	struct listeners l = made_listeners(in_folder("s"));
	int copy = dup(l.listener[0].fd);

	(void)state;
	listen_close(&l, false);
	assert_false(is_there(in_folder("s")));
	close(copy);
	l = made_listeners(in_folder("s"));
	close(l.listener[0].fd); /* programs may close the descriptor */
	listen_close(&l, false);
	assert_false(is_there(in_folder("s")));
}

static void a_closed_socket_is_opened_again(void **state)
{
	const struct listen_options options = { .address = in_folder("s") };
	struct listeners l = made_listeners(options.address);
	int fd;

	(void)state;
	close(l.listener[0].fd);
	assert_int_equal(listen_reopen(&options, &l), 0);
	fd = made_unix_connection(options.address);
	assert_true(fd >= 0);
	close(fd);
	listen_close(&l, false);
	assert_false(is_there(options.address));
}

/* The default path with this XDG_RUNTIME_DIR. */
static int default_path(const char *runtime, char *out, size_t n)
{
	if (runtime)
		setenv("XDG_RUNTIME_DIR", runtime, 1);
	else
		unsetenv("XDG_RUNTIME_DIR");
	return listen_default_path("a/b%p\n\xc3", out, n);
}

static void the_default_socket_is_in_the_folder_of_the_user(void **state)
{
	char path[PATH_ROOM], name[PATH_ROOM];
	struct stat is;
	mode_t was = umask(0777);

	(void)state;
	assert_int_equal(default_path(folder, path, sizeof(path)), 0);
	umask(was);
	snprintf(name, sizeof(name), "cpa/a_b_p__-%d.sock", (int)getpid());
	assert_string_equal(path, in_folder(name));
	assert_int_equal(stat(in_folder("cpa"), &is), 0);
	assert_int_equal(is.st_mode, S_IFDIR | 0700);
	assert_int_equal(default_path(folder, path, sizeof(path)), 0); /* now the folder exists */
	assert_string_equal(path, in_folder(name));
	assert_int_equal(default_path(folder, path, strlen(path)), 0); /* the name is shortened */
	snprintf(name, sizeof(name), "cpa/a_b_p_-%d.sock", (int)getpid());
	assert_string_equal(path, in_folder(name));
	assert_int_equal(default_path(folder, path, 20), -ENAMETOOLONG);
}

/* With this XDG_RUNTIME_DIR, is the default path outside the folder of the test, or an error? */
static bool is_avoided(const char *runtime)
{
	char path[PATH_ROOM] = "";

	return default_path(runtime, path, sizeof(path)) < 0 ||
	       (*path == '/' && strncmp(path, folder, strlen(folder)) != 0);
}

static void a_folder_that_is_not_private_is_not_used(void **state)
{
	char inner[PATH_ROOM], under[PATH_ROOM + 8], here[PATH_ROOM];

	(void)state;
	snprintf(inner, sizeof(inner), "%s", in_folder("run"));
	assert_int_equal(mkdir(inner, 0700), 0);
	assert_false(is_avoided(inner));
	assert_int_equal(chmod(inner, 0750), 0);
	assert_true(is_avoided(inner));
	assert_int_equal(chmod(inner, 0700), 0);
	assert_int_equal(symlink("run", in_folder("link")), 0);
	assert_true(is_avoided(in_folder("link")));
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(folder), 0);
	assert_true(is_avoided("run")); /* a relative path: the program may change its working directory */
	assert_int_equal(chdir(here), 0);
	snprintf(under, sizeof(under), "%s/cpa", inner);
	assert_int_equal(chmod(under, 0755), 0);
	assert_true(is_avoided(inner));
	assert_int_equal(rmdir(under), 0);
	assert_int_equal(symlink(folder, under), 0);
	assert_true(is_avoided(inner));
	assert_int_equal(unlink(under), 0);
	assert_false(is_avoided(inner));
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(under, NOBODY, NOBODY), 0);
	assert_true(is_avoided(inner));
	assert_int_equal(chown(under, 0, 0), 0);
	assert_int_equal(chown(inner, NOBODY, NOBODY), 0);
	assert_true(is_avoided(inner));
}

static bool has_default_path(void *arg)
{
	char path[PATH_ROOM], name[PATH_ROOM];

	(void)arg;
	snprintf(name, sizeof(name), "/tmp/cpa-%d/a_b_p__-%d.sock", OTHER_USER, (int)getpid());
	return default_path(NULL, path, sizeof(path)) == 0 && strcmp(path, name) == 0;
}

static void a_folder_in_tmp_of_another_user_is_refused(void **state)
{
	struct stat tmp;
	char name[64];

	(void)state;
	snprintf(name, sizeof(name), "/tmp/cpa-%d", OTHER_USER);
	assert_int_equal(stat("/tmp", &tmp), 0);
	if (!(tmp.st_mode & S_IWOTH)) {
		print_message("/tmp is not writable by other users\n");
		skip();
	}
	if (geteuid() == 0) /* remains of a failed run */
		(void)(unlink(name) == 0 || rmdir(name) == 0);
	if (geteuid() != 0 || is_there(name))
		skip();
	assert_true(made_as_user(OTHER_USER, has_default_path, NULL));
	assert_true(made_as_user(OTHER_USER, has_default_path, NULL));
	assert_int_equal(chmod(name, 0777), 0);
	assert_false(made_as_user(OTHER_USER, has_default_path, NULL));
	assert_int_equal(chmod(name, 0700), 0);
	assert_int_equal(chown(name, NOBODY, NOBODY), 0);
	assert_false(made_as_user(OTHER_USER, has_default_path, NULL));
	assert_int_equal(rmdir(name), 0);
	assert_int_equal(chown(folder, OTHER_USER, OTHER_USER), 0);
	assert_int_equal(symlink(folder, name), 0);
	assert_false(made_as_user(OTHER_USER, has_default_path, NULL));
	assert_int_equal(unlink(name), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_socket_is_private_with_any_umask),
		TEST(another_user_cannot_connect),
		TEST(paths_become_absolute_and_contain_the_pid),
		TEST(a_path_that_is_too_long_is_refused),
		TEST(a_socket_without_a_listener_is_replaced),
		TEST(a_socket_with_a_listener_is_not_replaced),
		TEST(other_files_and_links_are_not_touched),
		TEST(folders_writable_by_others_are_refused),
		TEST(only_our_own_socket_is_unlinked),
		TEST(a_child_of_fork_unlinks_nothing),
		TEST(a_socket_is_unlinked_although_others_have_its_descriptor),
		TEST(a_closed_socket_is_opened_again),
		TEST(the_default_socket_is_in_the_folder_of_the_user),
		TEST(a_folder_that_is_not_private_is_not_used),
		TEST(a_folder_in_tmp_of_another_user_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
