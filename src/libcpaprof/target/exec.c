/*
 * exec.c - wrappers of functions that execute programs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The loader of another C library gives up when it is told to load ours, that of another class complains, and
 * programs that have rights of their own are not to be told of us. The kernel is asked before each of them is
 * executed, by system calls alone. Files may be hostile: what they say is checked, and read piece by piece.
 *
 * All of it is called in children of fork and of vfork: no lock, nothing is allocated or written but on the stack,
 * and errno stays.
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
#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct exec_check {
	bool runs;    /* it is there, and most likely executed */
	bool refuses; /* our library cannot be loaded into it */
};

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#else
enum { MACHINE = EM_AARCH64 };
#endif
enum {
	HEAD_SIZE = 1024,
	INTERPRETER_MAX = 256,
	SCRIPTS_MAX = 5,
	SEGMENTS_MAX = 128,
	NOTES_MAX = 16,
	NOTE_GO = 4,
	NAME_ROOM = 1280
};

static const char loader_name[] = "ld-linux", shell_path[] = "/bin/sh";

struct file {
	int fd;
	size_t n;                /* bytes of the head */
	uint8_t head[HEAD_SIZE]; /* most of what is asked for is in it */
};

static bool read_at(const struct file *f, uint64_t at, void *to, size_t n)
{
	if (at <= f->n && n <= f->n - at) {
		memcpy(to, f->head + at, n);
		return true;
	}
	return at <= INT64_MAX && sys_call(SYS_pread64, f->fd, (long)to, (long)n, (long)at) == (long)n;
}

static bool is_loader(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, loader_name, sizeof(loader_name) - 1) == 0;
}

/* Did the Go toolchain make it? Its notes say so. Its runtime keeps the signals to itself. */
static bool has_go_note(const struct file *f, const ElfW(Phdr) * h)
{
	struct {
		ElfW(Nhdr) head;
		char name[4];
	} note;
	uint64_t at = 0, size;

	for (int i = 0; i < NOTES_MAX && at < h->p_filesz; i++) {
		if (!read_at(f, h->p_offset + at, &note, sizeof(note)))
			return false;
		if (note.head.n_type == NOTE_GO && note.head.n_namesz == sizeof(note.name) &&
		    memcmp(note.name, "Go", 3) == 0)
			return true;
		size = h->p_align > 4 ? 7 : 3;
		at += sizeof(note.head) + (((uint64_t)note.head.n_namesz + 3) & ~3ULL);
		at = (at + note.head.n_descsz + size) & ~size;
	}
	return false;
}

/* A program of this machine takes libraries when its loader is that of our C library, or it is that itself. */
static bool elf_refuses(const struct file *f, const char *path)
{
	char loader[INTERPRETER_MAX];
	ElfW(Ehdr) head;
	ElfW(Phdr) h;
	bool loads = is_loader(path);

	if (!read_at(f, 0, &head, sizeof(head)))
		return true;
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_machine != MACHINE)
		return true;
	for (unsigned i = 0; i < head.e_phnum && i < SEGMENTS_MAX && head.e_phentsize == sizeof(h); i++) {
		if (!read_at(f, head.e_phoff + i * sizeof(h), &h, sizeof(h)))
			return true;
		if (h.p_type == PT_NOTE && has_go_note(f, &h))
			return true;
		if (h.p_type != PT_INTERP)
			continue;
		if (h.p_filesz < 2 || h.p_filesz > sizeof(loader) || !read_at(f, h.p_offset, loader, h.p_filesz))
			return true;
		loader[h.p_filesz - 1] = '\0';
		loads = is_loader(loader);
	}
	return !loads;
}

/* #!INTERPRETER ARGUMENT, as far as the kernel reads. False when there is none. */
static bool read_script(const struct file *f, char to[INTERPRETER_MAX])
{
	size_t at = 2, n = 0, end = f->n < INTERPRETER_MAX ? f->n : INTERPRETER_MAX;

	if (f->n < 2 || f->head[0] != '#' || f->head[1] != '!')
		return false;
	while (at < end && (f->head[at] == ' ' || f->head[at] == '\t'))
		at++;
	while (at < end && f->head[at] && f->head[at] != ' ' && f->head[at] != '\t' && f->head[at] != '\n')
		to[n++] = (char)f->head[at++];
	if (n == INTERPRETER_MAX)
		n = 0;
	to[n] = '\0';
	return n > 0;
}

/* Does it get rights that this process does not have? To root a file's capabilities are nothing new. */
static bool has_rights(const struct file *f, const struct stat *st, uint32_t uid, uint32_t gid)
{
	return (st->st_mode & S_ISUID && st->st_uid != uid) ||
	       ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st->st_gid != gid) ||
	       (uid && sys_call(SYS_fgetxattr, f->fd, (long)"security.capability", 0, 0) > 0);
}

static long open_file(int folder, const char *path, int flags)
{
	char name[32] = "/proc/self/fd/", digits[12], *to = name + strlen(name);
	int n = 0;

	if (flags & AT_EMPTY_PATH && !*path) {
		for (unsigned fd = (unsigned)folder; folder >= 0 && (fd || !n); fd /= 10)
			digits[n++] = (char)('0' + fd % 10);
		while (n)
			*to++ = digits[--n];
		path = name;
	}
	return sys_call(SYS_openat, folder, (long)path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
}

/* *next is the file to check instead: the interpreter of a script; empty when there is none. */
static struct exec_check check_at(int folder, const char *path, int flags, bool shell, char next[INTERPRETER_MAX])
{
	uint32_t uid = (uint32_t)sys_call(SYS_geteuid, 0, 0, 0, 0), gid = (uint32_t)sys_call(SYS_getegid, 0, 0, 0, 0);
	bool secure =
		uid != (uint32_t)sys_call(SYS_getuid, 0, 0, 0, 0) || gid != (uint32_t)sys_call(SYS_getgid, 0, 0, 0, 0);
	struct exec_check check = { .refuses = secure };
	struct stat st;
	struct file f;
	long n;

	next[0] = '\0';
	if (sys_call(SYS_newfstatat, folder, (long)path, (long)&st, flags & AT_EMPTY_PATH) != 0 ||
	    !S_ISREG(st.st_mode) || !(st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
		return check;
	f.fd = (int)open_file(folder, path, flags);
	check.runs = !*path || sys_call(SYS_faccessat, folder, (long)path, X_OK, 0) == 0;
	if (f.fd < 0) {
		check.refuses |= (st.st_mode & (S_ISUID | S_ISGID)) != 0;
		return check;
	}
	n = sys_call(SYS_pread64, f.fd, (long)f.head, sizeof(f.head), 0);
	f.n = n > 0 ? (size_t)n : 0;
	if (f.n >= SELFMAG && memcmp(f.head, ELFMAG, SELFMAG) == 0)
		check.refuses |= elf_refuses(&f, path) || has_rights(&f, &st, uid, gid);
	else if (!read_script(&f, next) && shell)
		memcpy(next, shell_path, sizeof(shell_path));
	else if (!*next)
		check.runs = false;
	sys_call(SYS_close, f.fd, 0, 0, 0);
	return check;
}

/*
 * Check a file as execveat finds it. What cannot be read, or is of a kind that we do not know, refuses nothing.
 *
 * shell   one that the kernel does not know is given to /bin/sh
 */
static struct exec_check check_file_sig(int folder, const char *path, int flags, bool shell)
{
	char now[INTERPRETER_MAX], next[INTERPRETER_MAX];
	struct exec_check check = check_at(folder, path, flags, shell, next), more;

	for (int i = 0; i < SCRIPTS_MAX && *next; i++) {
		memcpy(now, next, sizeof(now));
		more = check_at(AT_FDCWD, now, 0, false, next);
		check.runs &= more.runs;
		check.refuses |= more.refuses;
	}
	return check;
}

/* What the environment of this process has by the name PATH, as the C library looks for it. */
static const char *search_path(void)
{
	static const char name[] = "PATH=", usual[] = "/bin:/usr/bin";

	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, sizeof(name) - 1) == 0)
			return *e + sizeof(name) - 1;
	return usual;
}

/* The same of what execvp finds: name is looked for in PATH of this process when there is no slash in it. */
static struct exec_check check_name_sig(const char *name)
{
	struct exec_check check = { 0 };
	size_t len = strlen(name), n;
	char path[NAME_ROOM];

	if (strchr(name, '/') || !len)
		return check_file_sig(AT_FDCWD, name, 0, true);
	for (const char *at = search_path();; at += n + 1) {
		n = strcspn(at, ":");
		if (n + len + 2 <= sizeof(path)) {
			memcpy(path, at, n);
			path[n] = '/';
			memcpy(path + n + (n != 0), name, len + 1);
			check = check_file_sig(AT_FDCWD, path, 0, true);
		}
		if (check.runs || !at[n])
			return check;
	}
}

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

static struct exec_check check_call(const struct call *c)
{
	switch (c->how) {
	case BY_NAME:
	case SPAWN_BY_NAME:
		return check_name_sig(c->path);
	case BY_FILE:
		return check_file_sig(c->fd, "", AT_EMPTY_PATH, false);
	case BY_FOLDER:
		return check_file_sig(c->fd, c->path, c->flags, false);
	default:
		return check_file_sig(AT_FDCWD, c->path, 0, false);
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
	struct exec_check check;

	if (!room && !replaced)
		return pass(c, env);
	if (is_left(c, env))
		return pass_without(c, env, room);
	check = check_call(c);
	if (replaced && check.runs && cpi.callbacks && cpi.callbacks->before_exec) {
		int before = errno;

		cpi.callbacks->before_exec();
		errno = before;
	}
	return room && check.refuses ? pass_without(c, env, room) : pass(c, env);
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
