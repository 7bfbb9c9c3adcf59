/*
 * task.c - information on a thread from /proc
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/read/task.h"

#include "libcpaprof/collector/read/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NAMES_SIZE = 16 << 10, TEXT = 4096 };
enum { FIELD_UTIME = 11, FIELD_START = 7, FIELD_CPU = 17 }; /* in the stat file, counted from the field read before */

struct task_entry {
	uint64_t ino, off;
	uint16_t size;
	uint8_t type;
	char name[];
};

int task_open_folder(pid_t pid)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/task", (int)pid);
	return open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int task_each(int folder, bool (*each)(void *data, uint32_t tid), void *data)
{
	_Alignas(8) char names[NAMES_SIZE];
	long n;

	if (lseek(folder, 0, SEEK_SET) < 0)
		return -errno;
	while ((n = syscall(SYS_getdents64, folder, names, sizeof(names))) > 0)
		for (long at = 0; at < n;) {
			const struct task_entry *e = (const struct task_entry *)(names + at);
			uint32_t tid = (uint32_t)strtoul(e->name, NULL, 10);

			at += e->size;
			if (tid && !each(data, tid))
				return 0;
		}
	return n < 0 ? -errno : 0;
}

ssize_t task_read_file(int folder, const char *path, char *out, size_t size)
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC), error;
	ssize_t n;

	out[0] = '\0';
	if (fd < 0)
		return -1;
	n = read(fd, out, size - 1);
	error = errno;
	close(fd);
	errno = error;
	out[n > 0 ? n : 0] = '\0';
	return n;
}

/* Read a file of a thread. Returns its length, or -1 and sets errno. */
static ssize_t task_read_text(int folder, uint32_t tid, const char *file, char *out, size_t size)
{
	char name[48];

	snprintf(name, sizeof(name), "%u/%s", tid, file);
	return task_read_file(folder, name, out, size);
}

static uint64_t ns_of_ticks(unsigned long long ticks)
{
	return ticks * (1000000000ULL / (unsigned long long)sysconf(_SC_CLK_TCK));
}

static char *skip_fields(char *at, int fields)
{
	for (int i = 0; i < fields && at; i++)
		at = *at ? strchr(at + 1, ' ') : NULL;
	return at;
}

bool task_times(int folder, uint32_t tid, struct task_times *out)
{
	char text[80], *at;

	if (task_read_text(folder, tid, "schedstat", text, sizeof(text)) <= 0)
		return false;
	out->cpu_ns = strtoull(text, &at, 10);
	out->ready_ns = strtoull(at, &at, 10);
	out->runs = strtoull(at, NULL, 10);
	return true;
}

bool task_read(int folder, uint32_t tid, struct task *t)
{
	char text[TEXT], *name, *end, *at;
	uint64_t start, now;
	struct task_times times;

	if (task_read_text(folder, tid, "stat", text, sizeof(text)) <= 0)
		return false;
	name = strchr(text, '(');
	end = strrchr(text, ')'); /* the name may contain any character */
	if (!name || !end || end < name || end[1] != ' ')
		return false;
	*t = (struct task){ .tid = tid, .state = end[2], .nr = -1, .cpu = -1 };
	*end = '\0';
	snprintf(t->name, sizeof(t->name), "%s", name + 1);
	at = skip_fields(end + 2, FIELD_UTIME);
	if (!at)
		return false;
	t->cpu_ns = strtoull(at, &at, 10);
	t->cpu_ns = ns_of_ticks(t->cpu_ns + strtoull(at, &at, 10));
	at = skip_fields(at, FIELD_START - 1);
	start = at ? ns_of_ticks(strtoull(at, NULL, 10)) : 0;
	at = skip_fields(at, FIELD_CPU);
	if (at)
		t->cpu = (int)strtol(at, NULL, 10);
	now = clock_ns(CLOCK_BOOTTIME);
	t->age_ns = start && now > start ? now - start : 0;
	if (task_times(folder, tid, &times)) {
		t->cpu_ns = times.cpu_ns;
		t->runs = times.runs;
	}
	return true;
}

/* Parse "se.exec_start   :   35083002.764660", in ms, from the text of a sched file. */
static uint64_t exec_start(const char *text)
{
	const char *at = strstr(text, "se.exec_start"), *colon = at ? strchr(at, ':') : NULL;
	uint64_t ns = 0, unit = 100000;
	char *end;

	if (!colon)
		return 0;
	ns = strtoull(colon + 1, &end, 10) * 1000000;
	if (*end == '.')
		for (end++; *end >= '0' && *end <= '9' && unit; end++, unit /= 10)
			ns += (uint64_t)(*end - '0') * unit;
	return ns;
}

uint64_t task_last_run_ns(int folder, uint32_t tid)
{
	char text[TEXT];

	return task_read_text(folder, tid, "sched", text, sizeof(text)) > 0 ? exec_start(text) : 0;
}

static bool task_is_gone(int folder, uint32_t tid)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", tid);
	return faccessat(folder, name, F_OK, 0) != 0;
}

/* Parse "running", "-1 SP PC", or "NR ARG... SP PC". */
enum task_status task_locate(int folder, uint32_t tid, struct task *t)
{
	char text[256], *at = text;

	t->error = 0;
	if (task_read_text(folder, tid, "syscall", text, sizeof(text)) <= 0) {
		t->error = errno;
		return t->error == ESRCH || task_is_gone(folder, tid) ? TASK_GONE : TASK_DENIED;
	}
	if (strncmp(text, "running", 7) == 0)
		return TASK_RUNNING;
	t->nr = strtol(at, &at, 10);
	for (int i = 0; i < 6 && t->nr >= 0; i++)
		t->arg[i] = strtoull(at, &at, 16);
	t->sp = strtoull(at, &at, 16);
	t->pc = strtoull(at, &at, 16);
	return TASK_WAITING;
}

/* The number after a key in the text of /proc/PID/status. */
static uint64_t read_field(const char *text, const char *key, int base)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

/* The last number of the line NSpid: the id of a thread in its own pid namespace. */
static uint32_t read_inner_id(const char *text)
{
	const char *at = strstr(text, "\nNSpid:");
	uint32_t id = 0;
	char *end;

	for (at = at ? at + 7 : ""; *at == '\t'; at = end)
		id = (uint32_t)strtoul(at, &end, 10);
	return id;
}

bool task_signal(int folder, uint32_t tid, int sig, struct task_signal *out)
{
	char text[TEXT];

	if (task_read_text(folder, tid, "status", text, sizeof(text)) <= 0)
		return false;
	out->blocked = read_field(text, "\nSigBlk:", 16) >> (sig - 1) & 1;
	out->caught = read_field(text, "\nSigCgt:", 16) >> (sig - 1) & 1;
	out->filters = read_field(text, "\nSeccomp_filters:", 10);
	out->inner_id = read_inner_id(text);
	out->switches = read_field(text, "\nvoluntary_ctxt_switches:", 10);
	return true;
}

struct call_name {
	long nr;
	const char *name;
};

/* clang-format off */
static const struct call_name call_names[] = {
	{ SYS_futex, "futex" }, { SYS_ppoll, "poll" }, { SYS_pselect6, "select" }, { SYS_epoll_pwait, "epoll" },
	{ SYS_nanosleep, "sleep" }, { SYS_clock_nanosleep, "sleep" }, { SYS_restart_syscall, "restarted call" },
	{ SYS_read, "read" }, { SYS_readv, "read" }, { SYS_pread64, "read" }, { SYS_preadv, "read" },
	{ SYS_write, "write" }, { SYS_writev, "write" }, { SYS_pwrite64, "write" }, { SYS_pwritev, "write" },
	{ SYS_accept, "accept" }, { SYS_accept4, "accept" }, { SYS_connect, "connect" },
	{ SYS_recvfrom, "receive" }, { SYS_recvmsg, "receive" }, { SYS_recvmmsg, "receive" },
	{ SYS_sendto, "send" }, { SYS_sendmsg, "send" }, { SYS_sendmmsg, "send" }, { SYS_sendfile, "send" },
	{ SYS_splice, "splice" }, { SYS_wait4, "wait" }, { SYS_waitid, "wait" },
	{ SYS_semop, "semaphore" }, { SYS_semtimedop, "semaphore" }, { SYS_msgrcv, "message" }, { SYS_msgsnd, "message" },
	{ SYS_mq_timedreceive, "message" }, { SYS_mq_timedsend, "message" },
	{ SYS_rt_sigtimedwait, "signal" }, { SYS_rt_sigsuspend, "signal" },
	{ SYS_flock, "file lock" }, { SYS_fcntl, "file lock" }, { SYS_fsync, "sync" }, { SYS_fdatasync, "sync" },
	{ SYS_io_getevents, "aio" }, { SYS_ioctl, "ioctl" },
#ifdef SYS_io_uring_enter
	{ SYS_io_uring_enter, "io_uring" },
#endif
#ifdef SYS_futex_waitv
	{ SYS_futex_waitv, "futex" },
#endif
#ifdef SYS_epoll_pwait2
	{ SYS_epoll_pwait2, "epoll" },
#endif
#ifdef SYS_poll /* this system call is missing on newer architectures */
	{ SYS_poll, "poll" }, { SYS_select, "select" }, { SYS_epoll_wait, "epoll" }, { SYS_pause, "signal" },
#endif
};
/* clang-format on */

static const char *name_of_call(long nr)
{
	for (size_t i = 0; i < sizeof(call_names) / sizeof(call_names[0]); i++)
		if (call_names[i].nr == nr)
			return call_names[i].name;
	return NULL;
}

void task_describe_wait(const struct task *t, enum task_status is, char *out, size_t n)
{
	const char *name = t->state == 'T'      ? "stopped"
			   : t->state == 't'    ? "traced"
			   : is != TASK_WAITING ? t->state == 'D'   ? "disk"
						  : t->state == 'S' ? "waiting"
								    : "running"
			   : t->nr < 0          ? t->state == 'D' ? "page fault" : "waiting"
						: name_of_call(t->nr);

	if (name)
		snprintf(out, n, "%s", name);
	else
		snprintf(out, n, "syscall %ld", t->nr);
}
