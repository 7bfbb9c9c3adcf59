/*
 * program.c - can this program be profiled by a library that is loaded into it?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { HEADS_MAX = 128, LOADER_MAX = 256, LINE_MAX_LEN = 256, SCRIPTS_MAX = 4, DYNAMIC_MAX = 512, NAME_MAX_LEN = 32 };

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

static bool read_heads(int fd, ElfW(Ehdr) * elf, ElfW(Phdr) head[HEADS_MAX])
{
	size_t n;

	if (pread(fd, elf, sizeof(*elf), 0) != (ssize_t)sizeof(*elf) || elf->e_phnum > HEADS_MAX ||
	    elf->e_phentsize != sizeof(head[0]))
		return false;
	n = elf->e_phnum * sizeof(head[0]);
	return pread(fd, head, n, (off_t)elf->e_phoff) == (ssize_t)n;
}

/* The loader that an ELF file asks for. False when it asks for none, or the file is damaged. */
static bool read_loader(int fd, char loader[LOADER_MAX])
{
	ElfW(Phdr) head[HEADS_MAX];
	ElfW(Ehdr) elf;
	size_t n;

	if (!read_heads(fd, &elf, head))
		return false;
	for (int i = 0; i < elf.e_phnum; i++)
		if (head[i].p_type == PT_INTERP && head[i].p_filesz > 1 && head[i].p_filesz < LOADER_MAX) {
			n = head[i].p_filesz;
			loader[n] = '\0';
			return pread(fd, loader, n, (off_t)head[i].p_offset) == (ssize_t)n;
		}
	return false;
}

/* An ELF file's bytes at an address that it is loaded to. False when there are none. */
static bool read_at(int fd, const ElfW(Phdr) * head, int n_heads, uint64_t address, void *to, size_t n)
{
	for (int i = 0; i < n_heads; i++) {
		uint64_t at = address - head[i].p_vaddr;

		if (head[i].p_type == PT_LOAD && at < head[i].p_filesz && n <= head[i].p_filesz - at)
			return pread(fd, to, n, (off_t)(head[i].p_offset + at)) == (ssize_t)n;
	}
	return false;
}

/* Is this library among those that the file needs? name: as far as the version. */
static bool needs(int fd, const char *library)
{
	ElfW(Phdr) head[HEADS_MAX];
	ElfW(Dyn) dyn[DYNAMIC_MAX];
	ElfW(Ehdr) elf;
	uint64_t names = 0;
	size_t n = 0;

	if (!read_heads(fd, &elf, head))
		return false;
	for (int i = 0; i < elf.e_phnum; i++)
		if (head[i].p_type == PT_DYNAMIC) {
			size_t size = head[i].p_filesz < sizeof(dyn) ? head[i].p_filesz : sizeof(dyn);
			ssize_t got = pread(fd, dyn, size, (off_t)head[i].p_offset);

			n = got > 0 ? (size_t)got / sizeof(dyn[0]) : 0;
		}
	for (size_t i = 0; i < n; i++)
		if (dyn[i].d_tag == DT_STRTAB)
			names = dyn[i].d_un.d_ptr;
	for (size_t i = 0; i < n; i++) {
		char name[NAME_MAX_LEN + 1] = "";

		if (dyn[i].d_tag == DT_NEEDED &&
		    read_at(fd, head, elf.e_phnum, names + dyn[i].d_un.d_val, name, strlen(library)) &&
		    strcmp(name, library) == 0)
			return true;
	}
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int check_elf(int fd, const unsigned char *ident, const char *name, struct err *err)
{
	char loader[LOADER_MAX], ours[LOADER_MAX] = "";
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ElfW(Ehdr) elf, mine = { 0 };

	if (self >= 0) {
		if (pread(self, &mine, sizeof(mine), 0) != (ssize_t)sizeof(mine) || !read_loader(self, ours))
			*ours = '\0';
		close(self);
	}
	if (ident[EI_CLASS] != mine.e_ident[EI_CLASS] || ident[EI_DATA] != mine.e_ident[EI_DATA] ||
	    pread(fd, &elf, sizeof(elf), 0) != (ssize_t)sizeof(elf) || elf.e_machine != mine.e_machine)
		return err_set(err, ERR_USAGE, "%s is for another kind of machine than cpa, so it cannot be profiled",
			       name);
	if (!read_loader(fd, loader))
		return err_set(err, ERR_USAGE,
			       "%s is linked statically, so no library can be loaded into it to profile it", name);
	if (strcmp(base_name(loader), base_name(ours)) != 0)
		return err_set(err, ERR_USAGE, "%s is of another C library (%s) than cpa, so it cannot be profiled",
			       name, loader);
	return 0;
}

/* Programs with rights of their own take no libraries from their user's environment. */
static int check_rights(int fd, const char *name, struct err *err)
{
	struct stat st;

	if (geteuid() == 0 || fstat(fd, &st) != 0)
		return 0;
	if ((st.st_mode & S_ISUID && st.st_uid != geteuid()) || (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
	    fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return err_set(err, ERR_USAGE, "%s runs with rights that you do not have, so it cannot be profiled",
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

static int check(const char *path, int depth, bool *asan, struct err *err)
{
	char head[LINE_MAX_LEN + 1] = "", interpreter[LINE_MAX_LEN];
	int rc = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0) /* it may be run without being read; then nothing is known */
		return errno == EACCES ? 0 : err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	n = pread(fd, head, LINE_MAX_LEN, 0);
	if (n >= EI_NIDENT && memcmp(head, ELFMAG, SELFMAG) == 0) {
		rc = check_elf(fd, (const unsigned char *)head, path, err);
		rc = rc < 0 ? rc : check_rights(fd, path, err);
		if (rc == 0)
			*asan = needs(fd, "libasan.so");
	} else if (n > 2 && head[0] == '#' && head[1] == '!' && depth < SCRIPTS_MAX &&
		   script(head, (size_t)n, interpreter)) {
		rc = check(interpreter, depth + 1, asan, err);
	}
	close(fd);
	return rc;
}

int program_check(const char *name, struct buf *path, bool *asan, struct err *err)
{
	int rc = find(name, path, err);

	*asan = false;
	return rc < 0 ? rc : check(buf_text(path), 0, asan, err);
}
