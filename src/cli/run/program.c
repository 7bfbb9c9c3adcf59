/*
 * program.c - can this program be profiled by a library that is loaded into it?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/run/program.h"

#include "base/path.h"
#include "cli/run/program_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { LINE_MAX_LEN = 256, SCRIPTS_MAX = 4 };

static bool can_run(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static int find(const char *name, struct buf *path, struct err *err)
{
	const char *dirs = getenv("PATH");
	size_t before = path->len;

	if (strchr(name, '/')) {
		buf_addz(path, name);
		return can_run(name) ? 0 : err_set(err, ERR_IO, "%s: %s", name, strerror(errno ? errno : EACCES));
	}
	for (const char *d = dirs ? dirs : "/bin:/usr/bin"; d; d = strchr(d, ':') ? strchr(d, ':') + 1 : NULL) {
		size_t n = strcspn(d, ":");

		path->len = before;
		buf_add(path, n ? d : ".", n ? n : 1);
		buf_addz(path, "/");
		buf_addz(path, name);
		if (can_run(buf_text(path) + before))
			return 0;
	}
	return err_set(err, ERR_IO, "%s: no such program", name);
}

static int check_elf(const struct program_elf *elf, const char *name, struct err *err)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct program_elf ours = { 0 };

	if (self >= 0) {
		program_elf_read(self, &ours);
		close(self);
	}
	if (elf->bits != ours.bits || elf->order != ours.order || elf->machine != ours.machine)
		return err_set(err, ERR_USAGE, "%s is for another kind of machine than cpa, so it cannot be profiled",
			       name);
	if (elf->is_go)
		return err_set(
			err, ERR_USAGE,
			"%s is a Go program, whose runtime keeps the signals to itself; it has profiles of its own: "
			"import net/http/pprof, then cpa top HOST:PORT",
			name);
	if (!*elf->loader)
		return err_set(err, ERR_USAGE,
			       "%s is linked statically, so no library can be loaded into it to profile it; "
			       "link it without -static",
			       name);
	if (strcmp(path_base(elf->loader), path_base(ours.loader)) != 0)
		return err_set(
			err, ERR_USAGE,
			"%s is of another C library (%s) than cpa, so it cannot be profiled; build it for that of cpa",
			name, elf->loader);
	return 0;
}

/*
 * Programs with rights of their own take no libraries from their user's environment. To root a file's
 * capabilities are nothing new, but another user's rights are.
 */
static int check_rights(int fd, const char *name, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return 0;
	if ((st.st_mode & S_ISUID && st.st_uid != geteuid()) || (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
	    (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0))
		return err_set(err, ERR_USAGE,
			       "%s runs with rights that you do not have, so it cannot be profiled; "
			       "profile a copy without them",
			       name);
	return 0;
}

/* #!INTERPRETER ARGUMENT */
static bool script(const char *line, size_t n, char to[LINE_MAX_LEN])
{
	size_t at = 2, len;

	while (at < n && (line[at] == ' ' || line[at] == '\t'))
		at++;
	len = strcspn(line + at, " \t\n");
	if (len == 0 || len >= LINE_MAX_LEN)
		return false;
	memcpy(to, line + at, len);
	to[len] = '\0';
	return true;
}

static int check(const char *path, int depth, struct program *out, struct err *err)
{
	char head[LINE_MAX_LEN + 1] = "", interpreter[LINE_MAX_LEN];
	struct program_elf elf;
	int rc = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* an interpreter may be a pipe */
	ssize_t n;

	if (fd < 0) /* it may be run without being read; then nothing is known */
		return errno == EACCES ? 0 : err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	n = pread(fd, head, LINE_MAX_LEN, 0);
	if (program_elf_read(fd, &elf)) {
		rc = check_elf(&elf, path, err);
		rc = rc < 0 ? rc : check_rights(fd, path, err);
		if (rc == 0)
			*out = (struct program){ .asan_library = elf.asan_library,
						 .sanitizer = elf.sanitizer,
						 .has_malloc = elf.has_malloc };
	} else if (n > 2 && head[0] == '#' && head[1] == '!' && depth < SCRIPTS_MAX &&
		   script(head, (size_t)n, interpreter)) {
		rc = check(interpreter, depth + 1, out, err);
	}
	close(fd);
	return rc;
}

int program_check(const char *name, struct buf *path, struct program *out, struct err *err)
{
	int rc = find(name, path, err);

	*out = (struct program){ 0 };
	return rc < 0 ? rc : check(buf_text(path), 0, out, err);
}
