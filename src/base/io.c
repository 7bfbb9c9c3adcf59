/*
 * io.c - read and write whole files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/io.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { READ_STEP = 256 << 10 };

/* Is the file a device such as /dev/zero, which can be read for ever? */
static bool has_no_end(const struct stat *st, int fd)
{
	return S_ISCHR(st->st_mode) && !isatty(fd);
}

int io_read_fd(int fd, size_t max, const char *flag, struct bytes *out, struct err *err)
{
	struct stat st = { 0 };
	size_t cap = 0, n = 0;
	uint8_t *data = NULL;

	assert(fd >= 0);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return err_set(err, ERR_IO, "is a directory, not a profile");
	if (S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size < max)
		data = mem_alloc_large(cap = (size_t)st.st_size + 1, 1);
	for (;;) {
		ssize_t n_read;

		data = mem_grow(data, &cap, n + (n < cap ? 1 : READ_STEP), 1);
		n_read = read(fd, data + n, cap - n);
		if (n_read < 0 && errno == EINTR)
			continue;
		if (n_read <= 0) {
			if (n_read == 0)
				break;
			free(data);
			return err_set(err, ERR_IO, "%s", strerror(errno));
		}
		n += (size_t)n_read;
		if (has_no_end(&st, fd)) {
			free(data);
			return err_set(err, ERR_FORMAT, "is a device, not a profile");
		}
		if (n > max) {
			free(data);
			if (!flag)
				return err_set(err, ERR_LIMIT, "more than %zu bytes", max);
			return err_set(err, ERR_LIMIT, "more than %zu bytes; raise the limit with %s", max, flag);
		}
	}
	*out = (struct bytes){ .data = data, .n = n };
	return 0;
}

int io_read_file(const char *path, size_t max, const char *flag, struct bytes *out, struct err *err)
{
	int rc, fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	rc = io_read_fd(fd, max, flag, out, err);
	close(fd);
	return rc;
}

void io_make_folders(const char *path)
{
	char *copy = mem_strndup(path, strlen(path));

	for (char *slash = copy; *slash && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	free(copy);
}

int io_write_fd(int fd, const void *data, size_t n, struct err *err)
{
	const char *p = data;

	assert(fd >= 0 && (data || n == 0));
	while (n) {
		ssize_t n_written = write(fd, p, n);

		if (n_written < 0 && errno == EINTR)
			continue;
		if (n_written < 0)
			return err_set(err, ERR_IO, "%s", strerror(errno));
		p += n_written;
		n -= (size_t)n_written;
	}
	return 0;
}

/* Create a temporary file next to path; io_out_close renames it. */
static int open_temp(const char *path, mode_t mode, struct io_out *out, struct err *err)
{
	struct buf temp = { 0 };
	int fd;

	buf_addf(&temp, "%s.XXXXXX", path);
	fd = mkostemp(temp.data, O_CLOEXEC);
	if (fd < 0 || fchmod(fd, mode) != 0) {
		int rc = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));

		if (fd >= 0) {
			unlink(temp.data);
			close(fd);
		}
		buf_release(&temp);
		return rc;
	}
	*out = (struct io_out){ fd, mem_strndup(path, strlen(path)), temp.data };
	return 0;
}

/* Does a signal that asks this process to end wait until it is no longer blocked? */
static bool is_asked_to_end(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigismember(&pending, signals[i]) == 1)
			return true;
	return false;
}

/* Open a pipe or device. A pipe without a reader waits for one like open(2), but not if the process is asked to end. */
static int open_direct(const char *path, struct io_out *out, struct err *err)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	struct stat st;
	bool is_pipe = stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
	int fd, mode = O_WRONLY | O_CLOEXEC;

	while ((fd = open(path, is_pipe ? mode | O_NONBLOCK : mode)) < 0 && is_pipe && errno == ENXIO &&
	       !is_asked_to_end())
		nanosleep(&pause, NULL);
	if (fd < 0)
		return err_set(err, ERR_IO, "%s: %s", path,
			       is_pipe && errno == ENXIO ? "no process reads from this pipe" : strerror(errno));
	if (is_pipe)
		fcntl(fd, F_SETFL, O_WRONLY);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, ERR_IO, "%s: was replaced by a file while it was opened", path);
	}
	*out = (struct io_out){ fd, mem_strndup(path, strlen(path)), NULL };
	return 0;
}

int io_out_open(const char *path, struct io_out *out, struct err *err)
{
	struct stat st;
	char *real;
	int rc;

	if (stat(path, &st) != 0)
		return io_out_open_replace(path, 0666, out, err);
	if (!S_ISREG(st.st_mode))
		return open_direct(path, out, err);
	real = realpath(path, NULL); /* replace the target of a symbolic link, not the link */
	rc = open_temp(real ? real : path, st.st_mode & 07777, out, err);
	free(real);
	return rc;
}

int io_out_open_replace(const char *path, mode_t mode, struct io_out *out, struct err *err)
{
	mode_t mask = umask(0);

	umask(mask);
	return open_temp(path, mode & ~mask, out, err);
}

int io_out_open_private(const char *path, struct io_out *out, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) != 0 || S_ISREG(st.st_mode))
		return open_temp(path, 0600, out, err);
	if (S_ISLNK(st.st_mode) && (stat(path, &st) != 0 || S_ISREG(st.st_mode)))
		return err_set(err, ERR_IO, "%s: is a symbolic link; use the path of the file itself", path);
	return open_direct(path, out, err);
}

int io_out_close(struct io_out *out, bool keep, struct err *err)
{
	int rc = 0;

	assert(out->fd >= 0 && out->path);
	if (close(out->fd) != 0 && keep)
		rc = err_set(err, ERR_IO, "%s: %s", out->path, strerror(errno));
	if (rc == 0 && keep && out->temp && rename(out->temp, out->path) != 0)
		rc = err_set(err, ERR_IO, "%s: %s", out->path, strerror(errno));
	if (out->temp && (rc < 0 || !keep))
		unlink(out->temp);
	free(out->path);
	free(out->temp);
	return rc;
}

/* Write all bytes, and close the file. */
static int write_and_close(struct io_out *out, const char *path, const void *data, size_t n, struct err *err)
{
	int rc = io_write_fd(out->fd, data, n, err);

	if (rc < 0) {
		err_wrap(err, "%s", path);
		io_out_close(out, false, NULL);
		return rc;
	}
	return io_out_close(out, true, err);
}

int io_write_file(const char *path, const void *data, size_t n, struct err *err)
{
	struct io_out out;
	int rc = io_out_open(path, &out, err);

	return rc < 0 ? rc : write_and_close(&out, path, data, n, err);
}

int io_write_file_private(const char *path, const void *data, size_t n, struct err *err)
{
	struct io_out out;
	int rc = io_out_open_private(path, &out, err);

	return rc < 0 ? rc : write_and_close(&out, path, data, n, err);
}

/* In a folder with the sticky bit, does an existing file belong to another user? Then it cannot be replaced. */
static bool is_sticky(const char *path)
{
	struct buf folder = { 0 };
	struct stat in, st;
	bool yes;

	path_add_dir(&folder, path);
	yes = geteuid() != 0 && lstat(path, &st) == 0 && st.st_uid != geteuid() && stat(buf_text(&folder), &in) == 0 &&
	      in.st_mode & S_ISVTX && in.st_uid != geteuid();
	buf_release(&folder);
	return yes;
}

int io_out_check(const char *path, bool is_private, struct err *err)
{
	struct stat st;
	struct io_out out;
	int rc;

	if (stat(path, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
		return access(path, W_OK) == 0 ? 0 : err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	rc = is_private ? io_out_open_private(path, &out, err) : io_out_open(path, &out, err);
	if (rc < 0)
		return rc;
	if (out.temp && is_sticky(out.path))
		rc = err_set(err, ERR_IO, "%s: %s", path, strerror(EPERM));
	io_out_close(&out, false, NULL);
	return rc;
}
