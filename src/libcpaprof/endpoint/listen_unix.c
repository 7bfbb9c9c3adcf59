/*
 * listen_unix.c - listening on a Unix socket that is ours alone
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mode of the file is that of the socket when it is bound, less the umask; so it is set before, and there is no
 * moment at which others could connect. The umask itself belongs to all threads of the program and is not touched.
 */
#include "config.h"

#include "libcpaprof/endpoint/listen_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OURS_ALONE = 0600, OF_OTHERS = 077 };

int listen_folder(const char *path, size_t n_path)
{
	char name[sizeof(((struct sockaddr_un *)0)->sun_path)] = "/";
	struct stat is;
	int fd;

	if (n_path >= sizeof(name))
		return -ENAMETOOLONG;
	if (n_path > 0) {
		memcpy(name, path, n_path);
		name[n_path] = '\0';
	}
	fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &is) == 0 && (is.st_uid == geteuid() || is.st_uid == 0) &&
	    (!(is.st_mode & S_IWOTH) || is.st_mode & S_ISVTX))
		return fd;
	close(fd);
	return -EPERM;
}

/* 0: somebody listens; -ECONNREFUSED: nobody does; else it cannot be told. */
static int probe(const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) != 0 && errno != EAGAIN)
		rc = -errno;
	close(fd);
	return rc;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && (a->st_mode & S_IFMT) == (b->st_mode & S_IFMT);
}

/* Unlink what is there if it is still the one that was looked at. */
static void unlink_same(int folder, const char *base, const struct stat *was)
{
	struct stat is;

	if (fstatat(folder, base, &is, AT_SYMLINK_NOFOLLOW) == 0 && is_same(&is, was))
		unlinkat(folder, base, 0);
}

/* What is left of one that ended is removed; anything else is in the way. */
static int make_way(int folder, const char *base, const struct listen_place *p, char *why, size_t n)
{
	struct stat is;
	int rc;

	if (fstatat(folder, base, &is, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : listen_why(why, n, p->address, -errno, "%s", strerrordesc_np(errno));
	if (S_ISLNK(is.st_mode))
		return listen_why(why, n, p->address, -ELOOP, "%s is a symbolic link, and is not followed",
				  p->path.sun_path);
	if (!S_ISSOCK(is.st_mode))
		return listen_why(why, n, p->address, -EEXIST, "%s is there already, and is no socket",
				  p->path.sun_path);
	if (is.st_uid != geteuid())
		return listen_why(why, n, p->address, -EEXIST, "%s is another user's socket", p->path.sun_path);
	rc = probe(&p->path);
	if (rc == 0)
		return listen_why(why, n, p->address, -EADDRINUSE, "somebody listens on %s already", p->path.sun_path);
	if (rc != -ECONNREFUSED)
		return listen_why(why, n, p->address, -EADDRINUSE, "%s is there already: %s", p->path.sun_path,
				  strerrordesc_np(-rc));
	unlink_same(folder, base, &is);
	return 0;
}

/* Is what was bound where it was meant, and ours alone? A umask may have taken more than it should. */
static int check(int folder, const char *base, struct stat *is)
{
	if (fstatat(folder, base, is, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	if (!S_ISSOCK(is->st_mode) || is->st_uid != geteuid() || is->st_mode & OF_OTHERS)
		return -EPERM;
	if ((is->st_mode & OURS_ALONE) != OURS_ALONE && fchmodat(folder, base, OURS_ALONE, 0) != 0)
		return -errno;
	return 0;
}

static int open_in(int folder, const char *base, const struct listen_place *p, struct listener *l, char *why, size_t n)
{
	int fd, rc = make_way(folder, base, p, why, n);

	if (rc < 0)
		return rc;
	fd = listen_socket(AF_UNIX);
	if (fd < 0)
		return listen_why(why, n, p->address, fd, "no socket: %s", strerrordesc_np(-fd));
	*l = (struct listener){ .fd = fd, .is_unix = true, .path = p->path };
	if (fchmod(fd, OURS_ALONE) != 0 || fstat(fd, &l->is) != 0 ||
	    bind(fd, (const struct sockaddr *)&p->path, sizeof(p->path)) != 0) {
		rc = -errno;
		close(fd);
		return listen_why(why, n, p->address, rc, "cannot make %s: %s", p->path.sun_path, strerrordesc_np(-rc));
	}
	rc = check(folder, base, &l->path_is);
	if (rc == 0 && listen(fd, LISTEN_BACKLOG) != 0)
		rc = -errno;
	if (rc == 0)
		return 0;
	if (l->path_is.st_ino)
		unlink_same(folder, base, &l->path_is);
	close(fd);
	return listen_why(why, n, p->address, rc, "%s did not become a socket of this user alone: %s", p->path.sun_path,
			  strerrordesc_np(-rc));
}

int listen_unix(const struct listen_place *p, struct listeners *out, char *why, size_t n)
{
	const char *slash = strrchr(p->path.sun_path, '/');
	int folder = listen_folder(p->path.sun_path, (size_t)(slash - p->path.sun_path)), rc;

	if (folder == -EPERM)
		return listen_why(
			why, n, p->address, folder,
			"others could put a socket of their own into that folder; it must be this user's or root's, "
			"and not writable for everybody");
	if (folder < 0)
		return listen_why(why, n, p->address, folder, "the folder: %s", strerrordesc_np(-folder));
	rc = open_in(folder, slash + 1, p, &out->at[0], why, n);
	close(folder);
	if (rc < 0)
		return rc;
	out->n = 1;
	out->port = 0;
	snprintf(out->shown, sizeof(out->shown), "unix:%s", p->path.sun_path);
	return 0;
}

/* A child of fork may have the same socket, or a later program a new one with the number of this file. */
void listen_unlink(const struct listener *l)
{
	const char *slash = strrchr(l->path.sun_path, '/');
	int folder = listen_folder(l->path.sun_path, (size_t)(slash - l->path.sun_path));

	if (folder < 0)
		return;
	if (probe(&l->path) == -ECONNREFUSED)
		unlink_same(folder, slash + 1, &l->path_is);
	close(folder);
}
