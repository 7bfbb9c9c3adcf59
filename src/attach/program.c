/*
 * program.c - check whether a program can be profiled with LD_PRELOAD
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file is untrusted: all offsets and sizes are checked, and it is read piece by piece.
 */
#include "config.h"

#include "attach/program.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SCRIPT_LINE_MAX = 256, SCRIPTS_MAX = 4 };

enum { PROGRAM_LOADER_MAX = 256 };

/* Properties read from an executable file. */
struct program_elf {
	unsigned bits, order, machine;   /* word size, byte order and machine, from e_ident and e_machine */
	char loader[PROGRAM_LOADER_MAX]; /* path of its dynamic loader; "" for a static program */
	bool asan_library;               /* does it need libasan.so, which must be the first library? */
	const char *sanitizer;           /* sanitizer in use: "address", "thread", "memory" or "leak"; NULL: none */
	bool has_malloc;                 /* does it define its own malloc, which overrides that of any library? */
	bool has_library;                /* is it linked with our library? */
	bool is_go;
};

enum {
	HEADS_MAX = 128,
	DYNAMIC_MAX = 512,
	SECTIONS_MAX = 256,
	SYMBOLS_MAX = 1 << 20,
	SYMBOLS_ONCE = 256,
	NAME_LEN = 32,
	NAMES_MAX = 64 << 20
};

struct attach_program_elf {
	int fd;
	ElfW(Ehdr) head;
	ElfW(Phdr) segment[HEADS_MAX];
	int n_segments;
	ElfW(Shdr) section[SECTIONS_MAX];
	int n_sections;
	char *names; /* a string table, read at once, since there may be thousands of symbols */
	uint64_t names_at;
	size_t n_names;
};

static bool read_exactly(int fd, void *to, size_t n, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

static void read_heads(struct attach_program_elf *e)
{
	size_t n = e->head.e_phnum, k = e->head.e_shnum;

	if (n <= HEADS_MAX && e->head.e_phentsize == sizeof(e->segment[0]) &&
	    read_exactly(e->fd, e->segment, n * sizeof(e->segment[0]), e->head.e_phoff))
		e->n_segments = (int)n;
	if (k <= SECTIONS_MAX && e->head.e_shentsize == sizeof(e->section[0]) &&
	    read_exactly(e->fd, e->section, k * sizeof(e->section[0]), e->head.e_shoff))
		e->n_sections = (int)k;
}

static void find_loader(const struct attach_program_elf *e, char loader[PROGRAM_LOADER_MAX])
{
	assert(e->n_segments <= HEADS_MAX);
	for (int i = 0; i < e->n_segments; i++) {
		size_t n = e->segment[i].p_filesz;

		if (e->segment[i].p_type != PT_INTERP || n < 2 || n >= PROGRAM_LOADER_MAX)
			continue;
		loader[n] = '\0';
		if (!read_exactly(e->fd, loader, n, e->segment[i].p_offset))
			*loader = '\0';
		return;
	}
}

/* Read a string table for read_name. If it is too large, read_name reads the file. */
static void read_names(struct attach_program_elf *e, uint64_t at, uint64_t size)
{
	ssize_t n;

	if (e->names && at == e->names_at)
		return;
	free(e->names);
	e->names = NULL;
	e->n_names = 0;
	if (size == 0 || size > NAMES_MAX || at > INT64_MAX)
		return;
	e->names = mem_zalloc(size, 1);
	e->names_at = at;
	n = pread(e->fd, e->names, size, (off_t)at);
	e->n_names = n > 0 ? (size_t)n : 0;
}

/* Read a NUL-terminated text, truncated to NAME_LEN - 1 bytes. */
static void program_read_name(const struct attach_program_elf *e, uint64_t at, char name[NAME_LEN])
{
	uint64_t i = at - e->names_at;
	ssize_t n = 0;

	if (e->names && i < e->n_names) {
		n = (ssize_t)(e->n_names - i < NAME_LEN - 1 ? e->n_names - i : NAME_LEN - 1);
		memcpy(name, e->names + i, (size_t)n);
	} else if (at <= INT64_MAX) {
		n = pread(e->fd, name, NAME_LEN - 1, (off_t)at);
	}
	name[n > 0 ? n : 0] = '\0';
}

/* The file offset of an address; UINT64_MAX: none. */
static uint64_t file_offset(const struct attach_program_elf *e, uint64_t address)
{
	for (int i = 0; i < e->n_segments; i++)
		if (e->segment[i].p_type == PT_LOAD && address - e->segment[i].p_vaddr < e->segment[i].p_filesz)
			return e->segment[i].p_offset + (address - e->segment[i].p_vaddr);
	return UINT64_MAX;
}

/* Find libraries of sanitizers among the needed libraries. */
static void check_needed(struct attach_program_elf *e, struct program_elf *out)
{
	ElfW(Dyn) dyn[DYNAMIC_MAX];
	uint64_t names = 0, size = 0;
	size_t n = 0;

	for (int i = 0; i < e->n_segments; i++)
		if (e->segment[i].p_type == PT_DYNAMIC) {
			size_t n_bytes = e->segment[i].p_filesz < sizeof(dyn) ? e->segment[i].p_filesz : sizeof(dyn);

			n = read_exactly(e->fd, dyn, n_bytes, e->segment[i].p_offset) ? n_bytes / sizeof(dyn[0]) : 0;
		}
	for (size_t i = 0; i < n; i++) {
		if (dyn[i].d_tag == DT_STRTAB)
			names = dyn[i].d_un.d_ptr;
		if (dyn[i].d_tag == DT_STRSZ)
			size = dyn[i].d_un.d_val;
	}
	read_names(e, file_offset(e, names), size);
	for (size_t i = 0; i < n; i++) {
		char name[NAME_LEN] = "";

		if (dyn[i].d_tag != DT_NEEDED)
			continue;
		program_read_name(e, file_offset(e, names + dyn[i].d_un.d_val), name);
		if (starts_with(name, "libasan.so")) {
			out->asan_library = true;
			out->sanitizer = "address";
		} else if (starts_with(name, "libcpaprof.so")) {
			out->has_library = true;
		} else if (starts_with(name, "libtsan.so")) {
			out->sanitizer = "thread";
		} else if (starts_with(name, "liblsan.so")) {
			out->sanitizer = "leak";
		}
	}
}

/* Check a symbol that the program defines. */
static void check_symbol(const char *name, struct program_elf *out)
{
	static const struct {
		const char *name, *sanitizer;
	} of[] = { { "__asan_init", "address" }, { "__tsan_init", "thread" }, { "__msan_init", "memory" } };

	out->has_malloc |= strcmp(name, "malloc") == 0;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (strcmp(name, of[i].name) == 0)
			out->sanitizer = of[i].sanitizer;
}

static void check_symbols(struct attach_program_elf *e, const ElfW(Shdr) * table, const ElfW(Shdr) * names,
			  struct program_elf *out)
{
	size_t n = table->sh_size / sizeof(ElfW(Sym));

	read_names(e, names->sh_offset, names->sh_size);
	for (size_t at = 0; at < n && at < SYMBOLS_MAX; at += SYMBOLS_ONCE) {
		ElfW(Sym) symbol[SYMBOLS_ONCE];
		size_t k = n - at < SYMBOLS_ONCE ? n - at : SYMBOLS_ONCE;

		if (!read_exactly(e->fd, symbol, k * sizeof(symbol[0]), table->sh_offset + at * sizeof(symbol[0])))
			return;
		for (size_t i = 0; i < k; i++) {
			char name[NAME_LEN] = "";

			if (symbol[i].st_shndx == SHN_UNDEF)
				continue;
			program_read_name(e, names->sh_offset + symbol[i].st_name, name);
			check_symbol(name, out);
		}
	}
}

static void check_sections(struct attach_program_elf *e, struct program_elf *out)
{
	int names = e->head.e_shstrndx;
	bool has_dynsym = false;

	assert(e->n_sections <= SECTIONS_MAX);
	for (int i = 0; i < e->n_sections && !has_dynsym; i++) {
		const ElfW(Shdr) *s = &e->section[i];

		/* a valid file has only one such section; a hostile file may have hundreds */
		has_dynsym = s->sh_type == SHT_DYNSYM && s->sh_link < (unsigned)e->n_sections;
		if (has_dynsym)
			check_symbols(e, s, &e->section[s->sh_link], out);
	}
	if (names < e->n_sections)
		read_names(e, e->section[names].sh_offset, e->section[names].sh_size);
	for (int i = 0; i < e->n_sections && names < e->n_sections; i++) {
		char name[NAME_LEN] = "";

		program_read_name(e, e->section[names].sh_offset + e->section[i].sh_name, name);
		out->is_go |= strcmp(name, ".go.buildinfo") == 0 || strcmp(name, ".note.go.buildid") == 0;
	}
}

/* Read the machine and the loader of an ELF file. Returns false if it is not an ELF file. */
static bool read_machine(struct attach_program_elf *e, struct program_elf *out)
{
	ssize_t n = pread(e->fd, &e->head, sizeof(e->head), 0);

	*out = (struct program_elf){ 0 };
	if (n < EI_NIDENT || memcmp(e->head.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	out->bits = e->head.e_ident[EI_CLASS];
	out->order = e->head.e_ident[EI_DATA];
	if (n < (ssize_t)sizeof(e->head))
		return true;
	out->machine = e->head.e_machine;
	if (out->bits == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) {
		read_heads(e);
		find_loader(e, out->loader);
	}
	return true;
}

/*
 * Read an ELF file. Damaged parts are treated as missing.
 *
 * Returns false if it is not an ELF file
 */
static bool read_elf(int fd, struct program_elf *out)
{
	struct attach_program_elf e = { .fd = fd };

	if (!read_machine(&e, out))
		return false;
	check_needed(&e, out);
	check_sections(&e, out);
	free(e.names);
	return true;
}

static bool can_run(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static int program_find(const char *name, struct buf *path, struct err *err)
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

/* The remedy for programs that cannot load our library. */
static const char remedy[] = "use cpa record, or cpa record -p PID while it runs";

static int check_elf(const struct program_elf *elf, const char *name, bool is_starter, bool *can_be_sampled,
		     struct err *err)
{
	struct attach_program_elf self = { .fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC) };
	struct program_elf ours = { 0 };

	if (self.fd >= 0) {
		read_machine(&self, &ours);
		close(self.fd);
	}
	if (elf->bits != ours.bits || elf->order != ours.order || elf->machine != ours.machine)
		return err_set(err, ERR_USAGE, "%s: cannot profile a program for a different architecture", name);
	if (is_starter)
		return 0;
	*can_be_sampled = true;
	if (elf->is_go)
		return err_set(err, ERR_USAGE,
			       "%s: cannot load the library of cpa into a Go program; %s, or its own profiles: import "
			       "net/http/pprof, then cpa top HOST:PORT",
			       name, remedy);
	if (!*elf->loader)
		return err_set(err, ERR_USAGE,
			       "%s: cannot load the library of cpa into a statically linked program; %s", name, remedy);
	if (strcmp(path_base(elf->loader), path_base(ours.loader)) != 0)
		return err_set(err, ERR_USAGE,
			       "%s: cannot load the library of cpa into a program with a different C library (%s); %s",
			       name, elf->loader, remedy);
	*can_be_sampled = false;
	return 0;
}

/*
 * Setuid and setgid programs, and those with capabilities, ignore LD_PRELOAD. Root has all capabilities already, so
 * for root only setuid and setgid matter.
 */
static int check_rights(int fd, const char *name, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return 0;
	if ((st.st_mode & S_ISUID && st.st_uid != geteuid()) || (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
	    (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0))
		return err_set(err, ERR_USAGE,
			       "%s: cannot load the library of cpa into a program with setuid, setgid or capabilities; "
			       "profile a copy without them, or start it, then as root cpa record -p PID",
			       name);
	return 0;
}

/* Read the line "#!INTERPRETER ARGUMENT". */
static bool parse_script(const char *line, size_t n, char to[SCRIPT_LINE_MAX])
{
	size_t at = 2, len;

	assert(n > 2 && line[0] == '#' && line[1] == '!');
	while (at < n && (line[at] == ' ' || line[at] == '\t'))
		at++;
	len = strcspn(line + at, " \t\n");
	if (len == 0 || len >= SCRIPT_LINE_MAX)
		return false;
	memcpy(to, line + at, len);
	to[len] = '\0';
	return true;
}

static int program_check(const char *path, int depth, bool follow, struct program *out, struct err *err)
{
	char head[SCRIPT_LINE_MAX + 1] = "", interpreter[SCRIPT_LINE_MAX];
	struct program_elf elf;
	int rc = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
					    O_NOCTTY); /* O_NONBLOCK, since an interpreter may be a pipe */
	ssize_t n;

	assert(depth <= SCRIPTS_MAX);
	if (fd < 0) /* nothing can be checked if the file is executable but not readable */
		return errno == EACCES ? 0 : err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	n = pread(fd, head, SCRIPT_LINE_MAX, 0);
	if (read_elf(fd, &elf)) {
		bool is_starter = follow && (elf.is_go || !*elf.loader);

		rc = check_elf(&elf, path, is_starter, &out->can_be_sampled, err);
		rc = rc < 0 ? rc : check_rights(fd, path, err);
		if (rc == 0)
			*out = (struct program){ .asan_library = elf.asan_library,
						 .sanitizer = elf.sanitizer,
						 .has_malloc = elf.has_malloc,
						 .profiles_itself = elf.has_library,
						 .is_starter = is_starter };
	} else if (n > 2 && head[0] == '#' && head[1] == '!' && depth < SCRIPTS_MAX &&
		   parse_script(head, (size_t)n, interpreter)) {
		rc = program_check(interpreter, depth + 1, follow, out, err);
	}
	close(fd);
	return rc;
}

int attach_program_check(const char *name, bool follow, struct buf *path, struct program *out, struct err *err)
{
	int rc = program_find(name, path, err);

	*out = (struct program){ 0 };
	return rc < 0 ? rc : program_check(buf_text(path), 0, follow, out, err);
}
