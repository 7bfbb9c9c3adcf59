/*
 * exec_check.c - check whether a program can load our library, before it is executed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files may be hostile: all sizes and offsets are checked, and files are read piece by piece, with system calls only.
 */
#include "config.h"

#include "libcpaprof/target/exec_check.h"

#include "libcpaprof/target/env.h"
#include "libcpaprof/target/sys.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
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
	DYNAMIC_MAX = 512,
	DYNAMIC_BLOCK = 32, /* entries that are read at once */
	NEEDED_MAX = 64,
	NAME_ROOM = 1280
};

static const char loader_name[] = "ld-linux", shell_path[] = "/bin/sh", library_name[] = "libcpaprof.so";

struct exec_check_file {
	int fd;
	size_t n;                /* bytes in head */
	uint8_t head[HEAD_SIZE]; /* first bytes of the file, which usually include all headers */
};

static bool file_read(const struct exec_check_file *f, uint64_t at, void *to, size_t n)
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

/* Was the file built by the Go toolchain, according to its notes? The Go runtime takes over the signals. */
static bool has_go_note(const struct exec_check_file *f, const ElfW(Phdr) * h)
{
	struct {
		ElfW(Nhdr) head;
		char name[4];
	} note;
	uint64_t at = 0, size;

	for (int i = 0; i < NOTES_MAX && at < h->p_filesz; i++) {
		if (!file_read(f, h->p_offset + at, &note, sizeof(note)))
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

/* Find an address in the file. Returns its offset, 0 if it is in no segment. */
static uint64_t address_offset(const struct exec_check_file *f, const ElfW(Ehdr) * head, uint64_t address)
{
	ElfW(Phdr) h;

	for (unsigned i = 0; i < head->e_phnum && i < SEGMENTS_MAX; i++)
		if (file_read(f, head->e_phoff + i * sizeof(h), &h, sizeof(h)) && h.p_type == PT_LOAD &&
		    address - h.p_vaddr < h.p_filesz)
			return address - h.p_vaddr + h.p_offset;
	return 0;
}

/* Is our library among the libraries that the program was linked with? dynamic: its segment of that name. */
static bool needs_library(const struct exec_check_file *f, const ElfW(Ehdr) * head, const ElfW(Phdr) * dynamic)
{
	ElfW(Dyn) d[DYNAMIC_BLOCK] = { { .d_tag = DT_NULL } };
	uint64_t needed[NEEDED_MAX], texts = 0, size = dynamic->p_filesz / sizeof(*d);
	char name[sizeof(library_name) - 1];
	int n = 0;

	for (uint64_t i = 0; i < size && i < DYNAMIC_MAX; i++) {
		uint64_t k = i % DYNAMIC_BLOCK, left = size - i < DYNAMIC_BLOCK ? size - i : DYNAMIC_BLOCK;

		if (k == 0 && !file_read(f, dynamic->p_offset + i * sizeof(*d), d, left * sizeof(*d)))
			return false;
		if (d[k].d_tag == DT_NULL)
			break;
		if (d[k].d_tag == DT_NEEDED && n < NEEDED_MAX)
			needed[n++] = d[k].d_un.d_val;
		else if (d[k].d_tag == DT_STRTAB)
			texts = address_offset(f, head, d[k].d_un.d_ptr);
	}
	for (int i = 0; i < n && texts; i++)
		if (file_read(f, texts + needed[i], name, sizeof(name)) &&
		    memcmp(name, library_name, sizeof(name)) == 0)
			return true;
	return false;
}

/*
 * A program of this machine can load our library if its interpreter is glibc's loader, or if it is that loader
 * itself.
 */
static bool elf_refuses(const struct exec_check_file *f, const char *path, bool *profiles_itself)
{
	char loader[INTERPRETER_MAX];
	ElfW(Ehdr) head;
	ElfW(Phdr) h;
	bool loads = is_loader(path);

	if (!file_read(f, 0, &head, sizeof(head)))
		return true;
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_machine != MACHINE)
		return true;
	for (unsigned i = 0; i < head.e_phnum && i < SEGMENTS_MAX && head.e_phentsize == sizeof(h); i++) {
		if (!file_read(f, head.e_phoff + i * sizeof(h), &h, sizeof(h)))
			return true;
		if (h.p_type == PT_NOTE && has_go_note(f, &h))
			return true;
		if (h.p_type == PT_DYNAMIC)
			*profiles_itself = needs_library(f, &head, &h);
		if (h.p_type != PT_INTERP)
			continue;
		if (h.p_filesz < 2 || h.p_filesz > sizeof(loader) || !file_read(f, h.p_offset, loader, h.p_filesz))
			return true;
		loader[h.p_filesz - 1] = '\0';
		loads = is_loader(loader);
	}
	return !loads;
}

/* Read the interpreter of a #! line, in the part of the line that the kernel reads. Returns false if there is none. */
static bool read_script(const struct exec_check_file *f, char to[INTERPRETER_MAX])
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

/* Would the program gain privileges that this process does not have? For root, file capabilities add nothing. */
static bool has_rights(const struct exec_check_file *f, const struct stat *st, uint32_t uid, uint32_t gid)
{
	return (st->st_mode & S_ISUID && st->st_uid != uid) ||
	       ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st->st_gid != gid) ||
	       (uid && sys_call(SYS_fgetxattr, f->fd, (long)"security.capability", 0, 0) > 0);
}

static long open_checked(int folder, const char *path, int flags)
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

/* next: set to the interpreter of a script, which must be checked too; empty if there is none. */
static struct exec_check check_at(int folder, const char *path, int flags, bool shell, char next[INTERPRETER_MAX])
{
	uint32_t uid = (uint32_t)sys_call(SYS_geteuid, 0, 0, 0, 0), gid = (uint32_t)sys_call(SYS_getegid, 0, 0, 0, 0);
	bool secure =
		uid != (uint32_t)sys_call(SYS_getuid, 0, 0, 0, 0) || gid != (uint32_t)sys_call(SYS_getgid, 0, 0, 0, 0);
	struct exec_check check = { .refuses = secure };
	struct stat st;
	struct exec_check_file f;
	long n;

	next[0] = '\0';
	if (sys_call(SYS_newfstatat, folder, (long)path, (long)&st, flags & AT_EMPTY_PATH) != 0 ||
	    !S_ISREG(st.st_mode) || !(st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
		return check;
	f.fd = (int)open_checked(folder, path, flags);
	check.is_executable = !*path || sys_call(SYS_faccessat, folder, (long)path, X_OK, 0) == 0;
	if (f.fd < 0) {
		check.refuses |= (st.st_mode & (S_ISUID | S_ISGID)) != 0;
		return check;
	}
	n = sys_call(SYS_pread64, f.fd, (long)f.head, sizeof(f.head), 0);
	f.n = n > 0 ? (size_t)n : 0;
	if (f.n >= SELFMAG && memcmp(f.head, ELFMAG, SELFMAG) == 0)
		check.refuses |= elf_refuses(&f, path, &check.profiles_itself) || has_rights(&f, &st, uid, gid);
	else if (!read_script(&f, next) && shell)
		memcpy(next, shell_path, sizeof(shell_path));
	else if (!*next)
		check.is_executable = false;
	sys_call(SYS_close, f.fd, 0, 0, 0);
	return check;
}

struct exec_check cpi_exec_check_file_sig(int folder, const char *path, int flags, bool shell)
{
	char now[INTERPRETER_MAX], next[INTERPRETER_MAX];
	struct exec_check check = check_at(folder, path, flags, shell, next), more;

	for (int i = 0; i < SCRIPTS_MAX && *next; i++) {
		memcpy(now, next, sizeof(now));
		more = check_at(AT_FDCWD, now, 0, false, next);
		check.is_executable &= more.is_executable;
		check.refuses |= more.refuses;
		check.profiles_itself |= more.profiles_itself;
	}
	return check;
}

struct exec_check cpi_exec_check_name_sig(const char *name)
{
	const char *folders = cpi_env_value_sig("PATH");
	struct exec_check check = { 0 };
	size_t len = strlen(name), n;
	char path[NAME_ROOM];

	if (strchr(name, '/') || !len)
		return cpi_exec_check_file_sig(AT_FDCWD, name, 0, true);
	for (const char *at = folders ? folders : "/bin:/usr/bin" /* as in the C library */;; at += n + 1) {
		n = strcspn(at, ":");
		if (n + len + 2 <= sizeof(path)) {
			memcpy(path, at, n);
			path[n] = '/';
			memcpy(path + n + (n != 0), name, len + 1);
			check = cpi_exec_check_file_sig(AT_FDCWD, path, 0, true);
		}
		if (check.is_executable || !at[n])
			return check;
	}
}
