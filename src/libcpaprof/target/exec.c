/*
 * exec.c - wrappers of functions that execute programs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Not every program can load our library: the loader of another C library fails, a loader of another ELF class prints
 * an error, and set-user-ID programs must not be given our environment variables. So each file is checked before it is
 * executed (exec_check.c).
 *
 * All of this may run in children of fork and vfork. So it takes no lock, allocates and writes only on the stack, and
 * preserves errno.
 *
 * A process may have changed its user, its root directory or its namespaces. So it is also checked that the next program
 * can load our library, since the loader prints an error otherwise, and that it can map the segment.
 *
 * A program that must not or cannot be profiled gets an environment without our variables. The copy is made on the
 * stack, since a child of vfork shares the memory of its parent, and after fork in a program with threads nothing can
 * be locked or allocated. An environment too large for the stack gets a mapping, which stays in the parent when a child
 * of vfork executes a program.
 *
 * The C library itself executes only /bin/sh (system, popen). Our library is loaded into that shell and checks the
 * programs that the shell executes.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/env.h"
#include "libcpaprof/target/exec_check.h"
#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/handover.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/request.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { NAME_ROOM = 1280, ROOM_ON_STACK = 4 << 10, SENDING_MAX_NS = 100000000 };
enum kind { EXEC_PATH, EXEC_NAME, EXEC_FILE, EXEC_FOLDER, SPAWN_PATH, SPAWN_NAME };

struct exec_call {
	enum kind kind;
	const char *path;
	char *const *argv;
	int fd, flags;
	pid_t *pid;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attr;
};

static int exec_call(const struct exec_call *c, char *const env[])
{
	const struct next *next = cpi_next();

	switch (c->kind) {
	case EXEC_PATH:
		return next->execve(c->path, c->argv, env);
	case EXEC_NAME:
		return next->execvpe(c->path, c->argv, env);
	case EXEC_FILE:
		return next->fexecve(c->fd, c->argv, env);
	case SPAWN_PATH:
		return next->posix_spawn(c->pid, c->path, c->actions, c->attr, c->argv, env);
	case SPAWN_NAME:
		return next->posix_spawnp(c->pid, c->path, c->actions, c->attr, c->argv, env);
	default:
		break;
	}
	if (next->execveat)
		return next->execveat(c->fd, c->path, c->argv, env, c->flags);
	errno = ENOSYS;
	return -1;
}

/*
 * Charge this thread now for its periods that are over: their signals may come late, and after exec never. Does
 * nothing in a child of vfork, where all of this belongs to the parent. Returns true if it must be undone when exec
 * fails. Handlers of the program may call exec, so this waits for no lock and skips the work if another thread is
 * changing the table.
 */
static bool charge_thread_sig(void)
{
	struct thread *t = NULL;
	uint64_t mask = 0;

	if (!cpi.head || cpi.is_self || !cpi_recording_is_on_sig() || cpi.pid != sys_getpid() ||
	    atomic_load(&cpi.is_sandboxed) || !cpi_threads_try_lock_sig())
		return false;
	t = cpi_thread_find_sig(sys_gettid());
	if (t && (t->ignored || t->recording != cpi.recording || !cpi_thread_try_lock_sig(t)))
		t = NULL;
	if (t) {
		cpi_clock_disarm_sig(t);
		sys_mask(SIG_BLOCK, NULL, &mask);
		cpi_sample_charge_rest(t, (mask & sys_bit(cpi.sig)) != 0);
		atomic_store(&t->recording, 0);
		cpi_thread_unlock_sig(t);
	}
	cpi_threads_unlock_sig();
	return t != NULL;
}

/*
 * Let the collector send no more signals to this process, and wait until a signal that it is sending has arrived: the
 * next return from a system call handles it. Does nothing in a child of vfork, where the slot belongs to the parent.
 * Returns the slot for allow_signals; NULL if this process has none.
 */
static struct segment_proc *refuse_signals_sig(void)
{
	struct segment_proc *p = cpi.pid == sys_getpid() ? atomic_load(&cpi.proc) : NULL;
	uint64_t end;

	if (!p || !(atomic_fetch_add(&p->execs, 1) & PROC_SENDING))
		return p;
	end = sys_now(CLOCK_MONOTONIC) + SENDING_MAX_NS;
	while (atomic_load(&p->execs) & PROC_SENDING && sys_now(CLOCK_MONOTONIC) < end)
		sys_call(SYS_sched_yield, 0, 0, 0, 0);
	return p;
}

/* Exec has failed. */
static void allow_signals_sig(struct segment_proc *p)
{
	if (p)
		atomic_fetch_sub(&p->execs, 1);
}

static bool is_spawn(const struct exec_call *c)
{
	return c->kind == SPAWN_PATH || c->kind == SPAWN_NAME;
}

static int exec_charged(const struct exec_call *c, char *const env[])
{
	struct segment_proc *slot;
	bool charged;
	int rc, error;

	if (is_spawn(c))
		return exec_call(c, env);
	charged = charge_thread_sig();
	cpi_perf_leave_sig();
	cpi_process_report_cpu_sig(false);
	slot = refuse_signals_sig();
	cpi_clock_exec_sig(true);
	cpi_guard_exec(true);
	cpi_handover_exec_sig(cpi_env_is_ours_sig(env));
	rc = exec_call(c, env);
	error = errno;
	cpi_handover_exec_sig(false);
	cpi_guard_exec(false);
	cpi_clock_exec_sig(false);
	allow_signals_sig(slot);
	if (charged)
		cpi_thread_add_sig(sys_gettid());
	errno = error;
	return rc;
}

static struct exec_check check_call(const struct exec_call *c)
{
	switch (c->kind) {
	case EXEC_NAME:
	case SPAWN_NAME:
		return cpi_exec_check_name_sig(c->path);
	case EXEC_FILE:
		return cpi_exec_check_file_sig(c->fd, "", AT_EMPTY_PATH, false);
	case EXEC_FOLDER:
		return cpi_exec_check_file_sig(c->fd, c->path, c->flags, false);
	default:
		return cpi_exec_check_file_sig(AT_FDCWD, c->path, 0, false);
	}
}

/* Does this program stay unprofiled because only the first program, or a program that replaces it, is profiled? */
static bool stays_unprofiled(const struct exec_call *c, char *const env[])
{
	struct segment_head *head = cpi.head;
	bool stays = !is_spawn(c) && head && atomic_load(&head->main_pid) == sys_getpid();

	return head && !cpi.is_self && (head->follow != FOLLOW_ALL || !cpi_is_on_sig()) &&
	       !(stays && cpi_is_on_sig()) && cpi_env_is_ours_sig(env);
}

/*
 * Can the loader of the next program map our library? The file may be unreadable, or on a file system without exec.
 * faccessat ignores capabilities that a process without root loses in exec.
 */
static bool can_load_library(char *const env[])
{
	char path[NAME_ROOM];
	const char *library;
	size_t n = cpi_env_library_sig(env, &library);
	struct statfs in;

	if (n == 0 || n >= sizeof(path))
		return n == 0;
	memcpy(path, library, n);
	path[n] = '\0';
	return sys_call(SYS_faccessat, AT_FDCWD, (long)path, R_OK, 0) == 0 &&
	       (sys_call(SYS_statfs, (long)path, (long)&in, 0, 0) != 0 || !(in.f_flags & ST_NOEXEC));
}

static void target_exec_count_unprofiled(enum segment_unprofiled reason)
{
	if (cpi.head && !cpi.is_self)
		atomic_fetch_add(&cpi.head->n_unprofiled[reason], 1);
}

/* Must a program that exists be executed without our variables? env: contains our library or CPA_SEGMENT. */
static bool must_strip(const struct exec_check *check, char *const env[])
{
	if (check->refuses || (check->profiles_itself && cpi_request_is_answered_sig(cpi.head)))
		target_exec_count_unprofiled(UNPROFILED_UNLOADABLE);
	else if (!can_load_library(env))
		target_exec_count_unprofiled(UNPROFILED_UNREADABLE);
	else if (cpi.head && !cpi.is_self && cpi_env_is_ours_sig(env) && !cpi_handover_reaches_sig())
		target_exec_count_unprofiled(UNPROFILED_UNREACHABLE);
	else
		return false;
	return true;
}

/* Execute a program that does not load our library. The collector samples it from outside, if it can. */
static int exec_requested(const struct exec_call *c, char *const env[])
{
	struct exec_call spawn = *c;
	pid_t pid = 0;
	int rc;

	if (!is_spawn(c)) {
		cpi_request_exec_sig(cpi.head);
		return exec_charged(c, env);
	}
	spawn.pid = &pid;
	rc = exec_call(&spawn, env);
	if (rc == 0 && c->pid)
		*c->pid = pid;
	if (rc == 0)
		cpi_request_spawned_sig((uint32_t)pid);
	return rc;
}

static __attribute__((noinline)) int exec_stripped_on_stack(const struct exec_call *c, char *const env[])
{
	char *room[ROOM_ON_STACK / sizeof(char *)];

	return exec_requested(c, cpi_env_strip_sig(env, room));
}

static int exec_stripped(const struct exec_call *c, char *const env[], size_t room)
{
	long at;
	int rc;

	if (room <= ROOM_ON_STACK)
		return exec_stripped_on_stack(c, env);
	at = sys_call6(SYS_mmap, 0, (long)room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at < 0 && at > -SEGMENT_PAGE)
		return exec_charged(c, env);
	rc = exec_requested(c, cpi_env_strip_sig(env, (void *)at)); /* NOLINT(performance-no-int-to-ptr) */
	sys_call(SYS_munmap, at, (long)room, 0, 0);
	return rc;
}

/* Execute a program that only FOLLOW_ALL would profile, unless it cannot be profiled anyway. */
static int exec_unfollowed(const struct exec_call *c, char *const env[], size_t room)
{
	struct segment_head *head = cpi.head;
	bool is_forked = !is_spawn(c) && cpi.parent != 0 && cpi.pid == sys_getpid();
	int rc;

	if (!atomic_load(&head->has_unfollowed)) {
		struct exec_check check = check_call(c);

		if (check.is_executable && !check.refuses)
			atomic_store(&head->has_unfollowed, 1);
	}
	if (is_forked)
		atomic_fetch_sub(&head->n_forked, 1);
	rc = exec_stripped(c, env, room);
	if (is_forked) /* exec failed */
		atomic_fetch_add(&head->n_forked, 1);
	return rc;
}

static int exec_profiled(const struct exec_call *c, char *const env[])
{
	/* a process created by vfork, or by a fork that we did not see, has no profiles to write */
	bool replaced = !is_spawn(c) && cpi.is_self && cpi.pid == sys_getpid();
	size_t room = cpi_env_stripped_size_sig(env);
	struct exec_check check;

	if (!room && cpi.head && !cpi.is_self && cpi.head->follow == FOLLOW_ALL && cpi_is_on_sig()) {
		target_exec_count_unprofiled(UNPROFILED_CLEARED);
		return exec_requested(c, env);
	}
	if (!room && !replaced)
		return exec_charged(c, env);
	if (stays_unprofiled(c, env))
		return exec_unfollowed(c, env, room);
	check = check_call(c);
	if (replaced && check.is_executable && cpi.callbacks && cpi.callbacks->before_exec) {
		int before = errno;

		cpi.callbacks->before_exec();
		errno = before;
	}
	if (check.is_executable)
		check.refuses = room && must_strip(&check, env);
	return room && check.refuses ? exec_stripped(c, env, room) : exec_charged(c, env);
}

CPA_EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	return exec_profiled(&(struct exec_call){ .kind = EXEC_PATH, .path = path, .argv = argv }, env);
}

CPA_EXPORT int execv(const char *path, char *const argv[])
{
	return exec_profiled(&(struct exec_call){ .kind = EXEC_PATH, .path = path, .argv = argv }, environ);
}

CPA_EXPORT int execvpe(const char *name, char *const argv[], char *const env[])
{
	return exec_profiled(&(struct exec_call){ .kind = EXEC_NAME, .path = name, .argv = argv }, env);
}

CPA_EXPORT int execvp(const char *name, char *const argv[])
{
	return exec_profiled(&(struct exec_call){ .kind = EXEC_NAME, .path = name, .argv = argv }, environ);
}

CPA_EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
	return exec_profiled(&(struct exec_call){ .kind = EXEC_FILE, .fd = fd, .argv = argv }, env);
}

CPA_EXPORT int execveat(int folder, const char *path, char *const argv[], char *const env[], int flags)
{
	const struct exec_call c = { .kind = EXEC_FOLDER, .fd = folder, .path = path, .argv = argv, .flags = flags };

	return exec_profiled(&c, env);
}

CPA_EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
			   const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attr,
			   char *const argv[restrict], char *const env[restrict])
{
	const struct exec_call c = {
		.kind = SPAWN_PATH, .pid = pid, .path = path, .actions = actions, .attr = attr, .argv = argv
	};

	return exec_profiled(&c, env);
}

CPA_EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict name,
			    const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attr,
			    char *const argv[restrict], char *const env[restrict])
{
	const struct exec_call c = {
		.kind = SPAWN_NAME, .pid = pid, .path = name, .actions = actions, .attr = attr, .argv = argv
	};

	return exec_profiled(&c, env);
}

static size_t count_args(va_list args)
{
	va_list copy;
	size_t n = 1;

	va_copy(copy, args);
	while (va_arg(copy, char *))
		n++;
	va_end(copy);
	return n;
}

/* Copy first, then args up to and including NULL. */
static void copy_args(char **argv, const char *first, va_list *args)
{
	*argv++ = (char *)(uintptr_t)first;
	if (first)
		while ((*argv = va_arg(*args, char *)))
			argv++;
}

CPA_EXPORT int execl(const char *path, const char *arg, ...)
{
	va_list args;

	va_start(args, arg);

	char *argv[count_args(args) + 1]; /* a VLA, as in the C library */

	copy_args(argv, arg, &args);
	va_end(args);
	return exec_profiled(&(struct exec_call){ .kind = EXEC_PATH, .path = path, .argv = argv }, environ);
}

CPA_EXPORT int execlp(const char *name, const char *arg, ...)
{
	va_list args;

	va_start(args, arg);

	char *argv[count_args(args) + 1]; /* a VLA, as in the C library */

	copy_args(argv, arg, &args);
	va_end(args);
	return exec_profiled(&(struct exec_call){ .kind = EXEC_NAME, .path = name, .argv = argv }, environ);
}

CPA_EXPORT int execle(const char *path, const char *arg, ...)
{
	char **env;
	va_list args;

	va_start(args, arg);

	char *argv[count_args(args) + 1];

	copy_args(argv, arg, &args);
	env = va_arg(args, char **);
	va_end(args);
	return exec_profiled(&(struct exec_call){ .kind = EXEC_PATH, .path = path, .argv = argv }, env);
}
