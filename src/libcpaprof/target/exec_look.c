/*
 * exec_look.c - what a program is that this one is about to execute
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The loader of another C library gives up when it is told to load ours, that of another class complains, and
 * programs that have rights of their own are not to be told of us. The kernel is asked before each of them is
 * executed, by system calls alone. Files may be hostile: what they say is checked, and read piece by piece.
 */
#include "config.h"

#include "libcpaprof/target/exec.h"
#include "libcpaprof/target/sys.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* *next is what to look at instead: the interpreter of a script; empty when there is none. */
static struct exec_look look_at(int folder, const char *path, int flags, bool shell, char next[INTERPRETER_MAX])
{
	uint32_t uid = (uint32_t)sys_call(SYS_geteuid, 0, 0, 0, 0), gid = (uint32_t)sys_call(SYS_getegid, 0, 0, 0, 0);
	bool secure =
		uid != (uint32_t)sys_call(SYS_getuid, 0, 0, 0, 0) || gid != (uint32_t)sys_call(SYS_getgid, 0, 0, 0, 0);
	struct exec_look look = { .refuses = secure };
	struct stat st;
	struct file f;
	long n;

	next[0] = '\0';
	if (sys_call(SYS_newfstatat, folder, (long)path, (long)&st, flags & AT_EMPTY_PATH) != 0 ||
	    !S_ISREG(st.st_mode) || !(st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
		return look;
	f.fd = (int)open_file(folder, path, flags);
	look.runs = !*path || sys_call(SYS_faccessat, folder, (long)path, X_OK, 0) == 0;
	if (f.fd < 0) {
		look.refuses |= (st.st_mode & (S_ISUID | S_ISGID)) != 0;
		return look;
	}
	n = sys_call(SYS_pread64, f.fd, (long)f.head, sizeof(f.head), 0);
	f.n = n > 0 ? (size_t)n : 0;
	if (f.n >= SELFMAG && memcmp(f.head, ELFMAG, SELFMAG) == 0)
		look.refuses |= elf_refuses(&f, path) || has_rights(&f, &st, uid, gid);
	else if (!read_script(&f, next) && shell)
		memcpy(next, shell_path, sizeof(shell_path));
	else if (!*next)
		look.runs = false;
	sys_call(SYS_close, f.fd, 0, 0, 0);
	return look;
}

struct exec_look cpi_exec_look_sig(int folder, const char *path, int flags, bool shell)
{
	char now[INTERPRETER_MAX], next[INTERPRETER_MAX];
	struct exec_look look = look_at(folder, path, flags, shell, next), more;

	for (int i = 0; i < SCRIPTS_MAX && *next; i++) {
		memcpy(now, next, sizeof(now));
		more = look_at(AT_FDCWD, now, 0, false, next);
		look.runs &= more.runs;
		look.refuses |= more.refuses;
	}
	return look;
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

struct exec_look cpi_exec_look_name_sig(const char *name)
{
	struct exec_look look = { 0 };
	size_t len = strlen(name), n;
	char path[NAME_ROOM];

	if (strchr(name, '/') || !len)
		return cpi_exec_look_sig(AT_FDCWD, name, 0, true);
	for (const char *at = search_path();; at += n + 1) {
		n = strcspn(at, ":");
		if (n + len + 2 <= sizeof(path)) {
			memcpy(path, at, n);
			path[n] = '/';
			memcpy(path + n + (n != 0), name, len + 1);
			look = cpi_exec_look_sig(AT_FDCWD, path, 0, true);
		}
		if (look.runs || !at[n])
			return look;
	}
}
