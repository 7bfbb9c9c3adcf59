/*
 * listen_usual.c - the usual Unix socket of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/listen_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { FOLDER_MODE = 0700, OF_OTHERS = 077, PATH_MOST = sizeof(((struct sockaddr_un *)0)->sun_path) };

/* Programs have getenv functions of their own. A program with more rights than who started it is not told. */
static const char *variable(const char *name)
{
	size_t n = strlen(name);

	if (getauxval(AT_SECURE))
		return NULL;
	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

static bool is_ours_alone(int fd)
{
	struct stat is;

	return fstat(fd, &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == geteuid() && !(is.st_mode & OF_OTHERS);
}

/* A folder in one: made, or there already; ours alone either way. */
static int make_folder(int in, const char *name)
{
	int made = mkdirat(in, name, FOLDER_MODE), fd, rc;

	if (made != 0 && errno != EEXIST)
		return -errno;
	if (made == 0 && fchmodat(in, name, FOLDER_MODE, 0) != 0) /* the umask may have taken from it */
		return -errno;
	fd = openat(in, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = is_ours_alone(fd) ? 0 : -EPERM;
	close(fd);
	return rc;
}

/* shared: like /tmp; else it must be ours alone itself. */
static int try_folder(const char *path, bool shared, const char *name)
{
	int rc, in;

	if (*path != '/')
		return -EINVAL;
	in = shared ? listen_folder(path, strlen(path)) : open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (in < 0)
		return shared ? in : -errno;
	rc = shared || is_ours_alone(in) ? make_folder(in, name) : -EPERM;
	close(in);
	return rc;
}

/* The name of a program as part of a name: without what means something in paths or on terminals. */
static void plain(const char *name, char *out, size_t n)
{
	size_t at = 0;

	for (; *name && at + 1 < n; name++) {
		uint8_t c = (uint8_t)*name;

		out[at++] = c <= ' ' || c == '/' || c == '%' || c >= 127 ? '_' : (char)c;
	}
	out[at] = '\0';
}

static int join(const char *folder, const char *under, const char *name, char *out, size_t n)
{
	int pid = (int)getpid(), whole = snprintf(NULL, 0, "%s/%s/-%d.sock", folder, under, pid);
	size_t most = n < PATH_MOST ? n : PATH_MOST;
	char words[NAME_MAX + 1];

	if (whole < 0 || (size_t)whole + 1 >= most)
		return -ENAMETOOLONG;
	plain(*name ? name : "program", words, sizeof(words));
	snprintf(out, n, "%s/%s/%.*s-%d.sock", folder, under, (int)(most - (size_t)whole - 1), words, pid);
	return 0;
}

int listen_usual(const char *name, char *out, size_t n)
{
	char run[32], under_tmp[32];
	const char *given = variable("XDG_RUNTIME_DIR");
	const struct {
		const char *folder, *under;
		bool shared;
	} at[] = {
		{ given ? given : "", "cpa", false },
		{ run, "cpa", false },
		{ "/tmp", under_tmp, true },
	};
	int rc = -ENOENT;

	snprintf(run, sizeof(run), "/run/user/%u", (unsigned)geteuid());
	snprintf(under_tmp, sizeof(under_tmp), "cpa-%u", (unsigned)geteuid());
	for (int i = 0; i < 3; i++) {
		rc = try_folder(at[i].folder, at[i].shared, at[i].under);
		if (rc == 0)
			rc = join(at[i].folder, at[i].under, name, out, n);
		if (rc == 0)
			break;
	}
	return rc;
}
