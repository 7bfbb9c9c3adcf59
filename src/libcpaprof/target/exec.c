/*
 * exec.c - wrappers of what executes programs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that is not to be profiled, or cannot be, gets an environment without us. It is made on the stack:
 * these functions are called in children of vfork, whose memory is that of the parent, and after fork in programs
 * with threads, where nothing can be locked or allocated. Only one that is too large for that is mapped, and in
 * a child of vfork stays mapped.
 *
 * What the C library executes itself (system, popen) is /bin/sh, in which our library stands in the way of what
 * that executes.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/env.h"
#include "libcpaprof/target/exec.h"
#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM_ON_STACK = 4 << 10 };
enum how { BY_PATH, BY_NAME, BY_FILE, BY_FOLDER, SPAWN, SPAWN_BY_NAME };

struct call {
	enum how how;
	const char *path;
	char *const *argv;
	int fd, flags;
	pid_t *pid;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attr;
};

static int call(const struct call *c, char *const env[])
{
	const struct next *next = cpi_next();

	switch (c->how) {
	case BY_PATH:
		return next->execve(c->path, c->argv, env);
	case BY_NAME:
		return next->execvpe(c->path, c->argv, env);
	case BY_FILE:
		return next->fexecve(c->fd, c->argv, env);
	case SPAWN:
		return next->posix_spawn(c->pid, c->path, c->actions, c->attr, c->argv, env);
	case SPAWN_BY_NAME:
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
 * Of periods that are over the signals may come late, and then never: this thread is charged for them now. In a child
 * of vfork all of this is its parent's. Gives true when there is something to undo should the program go on. Handlers of
 * the program may execute others: so nothing is waited for, and what another thread is at is left to it.
 */
static bool settle_sig(void)
{
	struct thread *t = NULL;

	if (!cpi.head || cpi.self || !cpi_recording_on_sig() || cpi.pid != sys_getpid() ||
	    atomic_load(&cpi.sandboxed) || !cpi_threads_try_sig())
		return false;
	t = cpi_thread_find_sig(sys_gettid());
	if (t && (t->ignored || t->recording != cpi.recording || !cpi_thread_hold_sig(t)))
		t = NULL;
	if (t) {
		cpi_clock_disarm_sig(t);
		cpi_sample_end(t);
		atomic_store(&t->recording, 0);
		cpi_thread_let_sig(t);
	}
	cpi_threads_leave_sig();
	return t != NULL;
}

static int pass(const struct call *c, char *const env[])
{
	bool settled;
	int rc, error;

	if (c->how == SPAWN || c->how == SPAWN_BY_NAME)
		return call(c, env);
	settled = settle_sig();
	cpi_guard_leave(true);
	rc = call(c, env);
	error = errno;
	cpi_guard_leave(false);
	if (settled)
		cpi_thread_add_sig(sys_gettid());
	errno = error;
	return rc;
}

static struct exec_look look_at(const struct call *c)
{
	switch (c->how) {
	case BY_NAME:
	case SPAWN_BY_NAME:
		return cpi_exec_look_name_sig(c->path);
	case BY_FILE:
		return cpi_exec_look_sig(c->fd, "", AT_EMPTY_PATH, false);
	case BY_FOLDER:
		return cpi_exec_look_sig(c->fd, c->path, c->flags, false);
	default:
		return cpi_exec_look_sig(AT_FDCWD, c->path, 0, false);
	}
}

/* Is the program to be left alone because only the first one is profiled, and what that becomes? */
static bool is_left(const struct call *c, char *const env[])
{
	struct segment_head *head = cpi.head;
	bool stays = c->how != SPAWN && c->how != SPAWN_BY_NAME && head && atomic_load(&head->main_pid) == sys_getpid();

	return head && !cpi.self && (head->follow != FOLLOW_ALL || !cpi_on_sig()) && !(stays && cpi_on_sig()) &&
	       cpi_env_is_ours_sig(env);
}

static __attribute__((noinline)) int pass_on_stack(const struct call *c, char *const env[])
{
	char *room[ROOM_ON_STACK / sizeof(char *)];

	return pass(c, cpi_env_without_sig(env, room));
}

static int pass_without(const struct call *c, char *const env[], size_t room)
{
	long at;
	int rc;

	if (room <= ROOM_ON_STACK)
		return pass_on_stack(c, env);
	at = sys_call6(SYS_mmap, 0, (long)room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at < 0 && at > -SEGMENT_PAGE)
		return pass(c, env);
	rc = pass(c, cpi_env_without_sig(env, (void *)at)); /* NOLINT(performance-no-int-to-ptr) */
	sys_call(SYS_munmap, at, (long)room, 0, 0);
	return rc;
}

static int run(const struct call *c, char *const env[])
{
	/* one that forked without us, or by vfork, has nothing to write */
	bool replaced = c->how != SPAWN && c->how != SPAWN_BY_NAME && cpi.self && cpi.pid == sys_getpid();
	size_t room = cpi_env_room_sig(env);
	struct exec_look look;

	if (!room && !replaced)
		return pass(c, env);
	if (is_left(c, env))
		return pass_without(c, env, room);
	look = look_at(c);
	if (replaced && look.runs && cpi.callbacks && cpi.callbacks->before_exec) {
		int before = errno;

		cpi.callbacks->before_exec();
		errno = before;
	}
	return room && look.refuses ? pass_without(c, env, room) : pass(c, env);
}

CPA_EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	return run(&(struct call){ .how = BY_PATH, .path = path, .argv = argv }, env);
}

CPA_EXPORT int execv(const char *path, char *const argv[])
{
	return run(&(struct call){ .how = BY_PATH, .path = path, .argv = argv }, environ);
}

CPA_EXPORT int execvpe(const char *name, char *const argv[], char *const env[])
{
	return run(&(struct call){ .how = BY_NAME, .path = name, .argv = argv }, env);
}

CPA_EXPORT int execvp(const char *name, char *const argv[])
{
	return run(&(struct call){ .how = BY_NAME, .path = name, .argv = argv }, environ);
}

CPA_EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
	return run(&(struct call){ .how = BY_FILE, .fd = fd, .argv = argv }, env);
}

CPA_EXPORT int execveat(int folder, const char *path, char *const argv[], char *const env[], int flags)
{
	const struct call c = { .how = BY_FOLDER, .fd = folder, .path = path, .argv = argv, .flags = flags };

	return run(&c, env);
}

CPA_EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
			   const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attr,
			   char *const argv[restrict], char *const env[restrict])
{
	const struct call c = {
		.how = SPAWN, .pid = pid, .path = path, .actions = actions, .attr = attr, .argv = argv
	};

	return run(&c, env);
}

CPA_EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict name,
			    const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attr,
			    char *const argv[restrict], char *const env[restrict])
{
	const struct call c = {
		.how = SPAWN_BY_NAME, .pid = pid, .path = name, .actions = actions, .attr = attr, .argv = argv
	};

	return run(&c, env);
}

static size_t count(va_list args)
{
	va_list look;
	size_t n = 1;

	va_copy(look, args);
	while (va_arg(look, char *))
		n++;
	va_end(look);
	return n;
}

/* first, and all of args up to NULL. */
static void take(char **argv, const char *first, va_list *args)
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

	char *argv[count(args) + 1]; /* as the C library has it */

	take(argv, arg, &args);
	va_end(args);
	return run(&(struct call){ .how = BY_PATH, .path = path, .argv = argv }, environ);
}

CPA_EXPORT int execlp(const char *name, const char *arg, ...)
{
	va_list args;

	va_start(args, arg);

	char *argv[count(args) + 1]; /* as the C library has it */

	take(argv, arg, &args);
	va_end(args);
	return run(&(struct call){ .how = BY_NAME, .path = name, .argv = argv }, environ);
}

CPA_EXPORT int execle(const char *path, const char *arg, ...)
{
	char **env;
	va_list args;

	va_start(args, arg);

	char *argv[count(args) + 1];

	take(argv, arg, &args);
	env = va_arg(args, char **);
	va_end(args);
	return run(&(struct call){ .how = BY_PATH, .path = path, .argv = argv }, env);
}
