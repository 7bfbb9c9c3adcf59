/*
 * jit_process.c - the perf map and the jitdumps of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/jit/jit_process.h"

#include "base/path.h"
#include "base/str.h"
#include "base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DUMPS_MAX = 8, PATH_BYTES_MAX = 4096, STAT_FIELD_START = 22 };
enum { SLACK_S = 2 }; /* difference between the clocks of files, of processes and of the wall */

/* Read a small file of /proc as text. Returns false if that fails. */
static bool read_proc(pid_t pid, const char *name, char *to, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, to, size - 1);
	close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The start of a process on the wall clock; 0 if not known. The name, in parentheses, can contain anything. */
static uint64_t start_of(pid_t pid)
{
	char text[1024], *at;
	long tick = sysconf(_SC_CLK_TCK);
	uint64_t since_boot;

	at = read_proc(pid, "stat", text, sizeof(text)) ? strrchr(text, ')') : NULL;
	for (int i = 2; at && i < STAT_FIELD_START; i++)
		at = strchr(at + 1, ' ');
	if (!at || tick <= 0)
		return 0;
	since_boot = strtoull(at, NULL, 10) * ((uint64_t)NS_PER_S / (uint64_t)tick);
	return (uint64_t)(clock_wall_ns() - clock_boot_ns()) + since_boot;
}

/* The last number of a line of /proc/PID/status. Returns false if there is no such line. */
static bool status_field(const char *text, const char *name, int column, long *out)
{
	const char *at = strstr(text, name);
	char *end;

	if (!at)
		return false;
	at += strlen(name);
	for (int i = 0; column < 0 || i < column; i++) {
		long v = strtol(at, &end, 10);

		if (end == at || (column < 0 && memchr(at, '\n', (size_t)(end - at))))
			return i > 0;
		*out = v;
		at = end;
	}
	return true;
}

void jit_process_open(pid_t pid, struct jit_process *out)
{
	enum { EFFECTIVE = 2, LAST = -1 };
	char text[4096], path[64];
	long v;

	*out = (struct jit_process){ .pid = pid, .own_pid = pid, .user = geteuid() };
	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	out->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	out->is_running = out->root >= 0 && read_proc(pid, "status", text, sizeof(text));
	if (out->is_running && status_field(text, "\nUid:", EFFECTIVE, &v))
		out->user = (uid_t)v;
	if (out->is_running && status_field(text, "\nNSpid:", LAST, &v))
		out->own_pid = (pid_t)v;
	if (out->is_running)
		out->start_ns = start_of(pid);
	if (out->root < 0)
		out->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* if it is a mount of the process only, it cannot be reached from its root after the process has ended */
	out->tmp = openat(out->root, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void jit_process_close(struct jit_process *p)
{
	if (p->root >= 0)
		close(p->root);
	if (p->tmp >= 0)
		close(p->tmp);
	p->root = p->tmp = -1;
}

/* Open a path below a directory of the process. Symbolic links on the way do not lead out of it. */
static int jit_process_open_below(int folder, const char *path)
{
	const struct open_how options = { .flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
					  .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd = (int)syscall(SYS_openat2, folder, path, &options, sizeof(options));

	if (fd < 0 && errno == ENOSYS) /* before Linux 5.6 */
		fd = openat(folder, path + strspn(path, "/"), (int)options.flags);
	return fd;
}

/* Why a file does not count; NULL if it does. */
static const char *refusal(const struct jit_process *p, int fd)
{
	uint64_t changed_s;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "not a regular file";
	if (st.st_uid != 0 && st.st_uid != geteuid() && st.st_uid != p->user)
		return "it belongs to another user";
	changed_s = st.st_mtim.tv_sec > 0 ? (uint64_t)st.st_mtim.tv_sec : 0;
	if (p->start_ns && changed_s + SLACK_S < p->start_ns / (uint64_t)NS_PER_S)
		return "it is older than the process";
	return NULL;
}

/* path: the file in the folder, for messages. */
static void jit_process_read_file(const struct jit_process *p, int folder, const char *name, const char *path,
				  struct jit *j, struct buf *notes)
{
	int fd = jit_process_open_below(folder, name);
	const char *why = fd < 0 ? strerror(errno) : refusal(p, fd);
	FILE *f = why ? NULL : fdopen(fd, "r");
	struct err err;

	if (f && jit_read(j, f, &err) < 0)
		buf_addf(notes, "%s: %s\n", path, err.msg);
	else if (!f && (fd >= 0 || errno != ENOENT))
		buf_addf(notes, "%s: ignored: %s\n", path, why ? why : strerror(errno));
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
}

/* Is this the path of a jitdump: .../jit-NUMBER.dump? */
static bool is_dump(const char *path)
{
	static const char digits[] = "0123456789", prefix[] = "jit-";
	const char *base = path_base(path);
	size_t n;

	if (*path != '/' || !starts_with(base, prefix) || strlen(path) >= PATH_BYTES_MAX)
		return false;
	base += sizeof(prefix) - 1;
	n = strspn(base, digits);
	return n > 0 && strcmp(base + n, ".dump") == 0;
}

void jit_process_read(const struct jit_process *p, struct jit *j, const char *const *mapped, size_t n_mapped,
		      struct buf *notes)
{
	const char *dump[DUMPS_MAX];
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)p->own_pid);
	jit_process_read_file(p, p->tmp, path_base(path), path, j, notes);
	for (size_t i = 0; i < n_mapped && n < DUMPS_MAX; i++) {
		bool is_new = is_dump(mapped[i]);

		for (size_t k = 0; k < n && is_new; k++)
			is_new = strcmp(dump[k], mapped[i]) != 0;
		if (is_new)
			dump[n++] = mapped[i];
	}
	for (size_t i = 0; i < n; i++)
		jit_process_read_file(p, p->root, dump[i], dump[i], j, notes);
}
