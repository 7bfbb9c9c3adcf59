/*
 * out.c - destinations of a profile: a descriptor, a file, a function
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/api/out.h"

#include "libcpaprof/target/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static bool out_is_same_file(int fd, const struct stat *file_stat)
{
	struct stat no_wait;

	return fd >= 0 && fstat(fd, &no_wait) == 0 && no_wait.st_dev == file_stat->st_dev &&
	       no_wait.st_ino == file_stat->st_ino && no_wait.st_rdev == file_stat->st_rdev &&
	       (no_wait.st_mode & S_IFMT) == (file_stat->st_mode & S_IFMT);
}

int out_fd(struct out *o, int fd)
{
	int flags = fcntl(fd, F_GETFL);

	*o = (struct out){ .kind = OUT_FD, .original = fd };
	if (flags < 0 || fstat(fd, &o->file_stat) != 0)
		return -errno;
	if ((flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	o->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return 0;
}

int out_fn(struct out *o, cpa_write_fn write, void *arg)
{
	*o = (struct out){ .kind = OUT_FN, .fd = -1, .write = write, .arg = arg };
	return write ? 0 : -EINVAL;
}

static size_t out_append(char *to, size_t at, const char *text, size_t n)
{
	if (at < PATH_MAX && n < PATH_MAX - at)
		memcpy(to + at, text, n);
	return at + n;
}

static size_t append_number(char *to, size_t at, long long n)
{
	char text[24];

	return out_append(to, at, text, (size_t)snprintf(text, sizeof(text), "%lld", n));
}

int out_expand_path(char to[PATH_MAX], const char *path, int64_t time_s)
{
	struct utsname host;
	size_t at = 0;

	if (*path != '/') {
		if (!getcwd(to, PATH_MAX))
			return -errno;
		at = out_append(to, strlen(to), "/", 1);
	}
	for (; *path; path++) {
		if (path[0] == '%' && path[1] == 'p') {
			at = append_number(to, at, (long long)sys_getpid());
		} else if (path[0] == '%' && path[1] == 't') {
			at = append_number(to, at, (long long)time_s);
		} else if (path[0] == '%' && path[1] == 'h' && uname(&host) == 0) {
			for (char *slash; (slash = strchr(host.nodename, '/'));)
				*slash = '_';
			at = out_append(to, at, host.nodename, strlen(host.nodename));
		} else {
			at = out_append(to, at, path, 1);
			continue;
		}
		path++;
	}
	if (at >= PATH_MAX)
		return -ENAMETOOLONG;
	to[at] = '\0';
	return 0;
}

/*
 * Open the folder of a path, unless other users may rename files in it. base: set to the file name. Returns a
 * descriptor or -errno.
 */
static int out_open_folder(const char *path, const char **base)
{
	const char *slash = strrchr(path, '/');
	size_t n = (size_t)(slash - path);
	char name[PATH_MAX];
	struct stat folder;
	int fd;

	memcpy(name, n ? path : "/", n ? n : 1);
	name[n ? n : 1] = '\0';
	*base = slash + 1;
	if (**base == '\0')
		return -EISDIR;
	fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &folder) == 0 && (!(folder.st_mode & S_IWOTH) || folder.st_mode & S_ISVTX))
		return fd;
	close(fd);
	return -EPERM;
}

int out_path(struct out *o, const char *path, bool overwrite)
{
	struct stat file;
	const char *base;
	int folder, rc;

	*o = (struct out){ .kind = OUT_PATH, .fd = -1, .overwrite = overwrite };
	o->start_s = (int64_t)(sys_now(CLOCK_REALTIME) / 1000000000);
	if (!path || !*path)
		return -EINVAL;
	rc = out_expand_path(o->path, path, o->start_s);
	if (rc < 0)
		return rc;
	folder = out_open_folder(o->path, &base);
	if (folder < 0)
		return folder;
	if (faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) != 0)
		rc = -errno;
	else if (fstatat(folder, base, &file, AT_SYMLINK_NOFOLLOW) == 0 && !(overwrite && S_ISREG(file.st_mode)))
		rc = -EEXIST;
	close(folder);
	return rc;
}

/*
 * Writing to a pipe without a reader, or beyond the file size limit, raises a signal: it is discarded here. Signals
 * that were pending before stay pending.
 */
struct write_signals {
	uint64_t before, pending;
};

static struct write_signals block_signals(void)
{
	const uint64_t signals = sys_bit(SIGPIPE) | sys_bit(SIGXFSZ);
	struct write_signals s = { 0 };

	sys_mask(SIG_BLOCK, &signals, &s.before);
	sys_call(SYS_rt_sigpending, (long)&s.pending, SYS_MASK_SIZE, 0, 0);
	return s;
}

static void restore_signals(const struct write_signals *s, bool has_failed)
{
	const struct timespec no_wait = { 0 };
	uint64_t raised = (sys_bit(SIGPIPE) | sys_bit(SIGXFSZ)) & ~s->pending;

	if (has_failed && raised)
		sys_call(SYS_rt_sigtimedwait, (long)&raised, 0, (long)&no_wait, SYS_MASK_SIZE);
	sys_mask(SIG_SETMASK, &s->before, NULL);
}

void out_message(const char *text, size_t n)
{
	struct write_signals s = block_signals();

	restore_signals(&s, write(STDERR_FILENO, text, n) < 0);
}

static int out_write_all(int fd, const uint8_t *at, size_t n)
{
	struct write_signals s = block_signals();
	int rc = 0;

	while (n && rc == 0) {
		ssize_t n_written = write(fd, at, n);

		if (n_written > 0) {
			at += n_written;
			n -= (size_t)n_written;
		} else if (n_written == 0) {
			rc = -EIO;
		} else if (errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		} else if (errno != EINTR) {
			rc = -errno;
		}
	}
	restore_signals(&s, rc < 0);
	return rc;
}

/* A file that replaces another one is renamed when it is complete. */
static int out_write_file(const struct out *o, const void *data, size_t n)
{
	const char *base, *name;
	char temporary[NAME_MAX + 1];
	int folder = out_open_folder(o->path, &base), fd, rc;
	struct stat file;

	if (folder < 0)
		return folder;
	name = base;
	if (o->overwrite) {
		snprintf(temporary, sizeof(temporary), ".cpa-%u-%.200s", (unsigned)sys_getpid(), base);
		name = temporary;
	}
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		rc = -errno;
		close(folder);
		return rc;
	}
	rc = out_write_all(fd, data, n);
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && o->overwrite && fstatat(folder, base, &file, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(file.st_mode))
		rc = -EEXIST;
	if (rc == 0 && o->overwrite && renameat(folder, temporary, folder, base) != 0)
		rc = -errno;
	if (rc < 0)
		unlinkat(folder, name, 0);
	close(folder);
	return rc;
}

int out_write(struct out *o, const void *data, size_t n)
{
	int rc = -EBADF;

	if (o->kind == OUT_PATH)
		rc = out_write_file(o, data, n);
	else if (o->kind == OUT_FN)
		rc = o->write(o->arg, data, n);
	else if (out_is_same_file(o->fd, &o->file_stat))
		rc = out_write_all(o->fd, data, n);
	else if (out_is_same_file(o->original, &o->file_stat))
		rc = out_write_all(o->original, data, n);
	out_release(o);
	return rc;
}

void out_release(struct out *o)
{
	if (o->kind == OUT_FD && out_is_same_file(o->fd, &o->file_stat))
		close(o->fd);
	o->kind = OUT_NONE;
}
