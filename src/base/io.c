/*
 * io.c - whole files in and out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/io.h"

#include "base/buf.h"
#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_STEP = 256 << 10 };

int io_read_fd(int fd, size_t max, const char *flag, struct bytes *out, struct err *err)
{
	struct stat st;
	size_t cap = 0, n = 0;
	uint8_t *data = NULL;

	assert(fd >= 0);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return err_set(err, ERR_IO, "is a directory, not a profile");
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size < max)
		data = mem_alloc_large(cap = (size_t)st.st_size + 1, 1);
	for (;;) {
		ssize_t got;

		data = mem_grow(data, &cap, n + (n < cap ? 1 : READ_STEP), 1);
		got = read(fd, data + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got == 0)
				break;
			free(data);
			return err_set(err, ERR_IO, "%s", strerror(errno));
		}
		n += (size_t)got;
		if (n > max) {
			free(data);
			return err_set(err, ERR_LIMIT, "more than %zu bytes; %s lifts this limit", max, flag);
		}
	}
	*out = (struct bytes){ data, n };
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
	char *own = mem_strndup(path, strlen(path));

	for (char *slash = own; *slash && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(own, 0700);
		*slash = '/';
	}
	free(own);
}

int io_write_fd(int fd, const void *data, size_t n, struct err *err)
{
	const char *p = data;

	assert(fd >= 0 && (data || n == 0));
	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_set(err, ERR_IO, "%s", strerror(errno));
		p += put;
		n -= (size_t)put;
	}
	return 0;
}

/* A new file beside the one at path, with the mode a plain creat would give; renamed in the end. */
static int open_beside(const char *path, mode_t mode, struct io_out *out, struct err *err)
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

int io_out_open(const char *path, struct io_out *out, struct err *err)
{
	struct stat st;
	char *real;
	mode_t mask = umask(0);
	int rc, fd;

	umask(mask);
	if (stat(path, &st) != 0)
		return open_beside(path, 0666 & ~mask, out, err);
	if (!S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
		*out = (struct io_out){ fd, mem_strndup(path, strlen(path)), NULL };
		return 0;
	}
	real = realpath(path, NULL); /* a link stays a link: its target is replaced */
	rc = open_beside(real ? real : path, st.st_mode & 07777, out, err);
	free(real);
	return rc;
}

int io_out_open_made(const char *path, struct io_out *out, struct err *err)
{
	mode_t mask = umask(0);

	umask(mask);
	return open_beside(path, 0666 & ~mask, out, err);
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

int io_write_file(const char *path, const void *data, size_t n, struct err *err)
{
	struct io_out out;
	int rc = io_out_open(path, &out, err);

	if (rc < 0)
		return rc;
	rc = io_write_fd(out.fd, data, n, err);
	if (rc < 0) {
		err_wrap(err, "%s", path);
		io_out_close(&out, false, NULL);
		return rc;
	}
	return io_out_close(&out, true, err);
}
