/*
 * kernel.c - the kernel, its modules, and the vDSO, the library that it maps into every process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/kernel.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "symbol/debugfile.h"
#include "symbol/object_int.h"
#include "symbol/object_file.h"
#include "symbol/options.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { KALLSYMS_MAX = 256 << 20, NOTES_MAX = 1 << 16 };

bool kernel_is_name(const char *file)
{
	size_t n = strlen(file);

	if (starts_with(file, "[kernel.kallsyms]") || starts_with(file, "[guest.kernel.kallsyms"))
		return true;
	return n > 2 && file[0] == '[' && file[n - 1] == ']' && file[1] != '[' && strcmp(file, "[vdso]") != 0 &&
	       strcmp(file, "[stack]") != 0 && strcmp(file, "[heap]") != 0 && strcmp(file, "[vsyscall]") != 0 &&
	       strcmp(file, "[vvar]") != 0;
}

/* Does nm's letter for a symbol mean data? As in pprof, weak functions count as data. */
static bool kernel_is_data(char letter)
{
	return letter && strchr("bBdDrRvVW", letter);
}

/* One line: ADDRESS LETTER NAME [MODULE]. The text ends with a NUL in place of the newline. */
static bool kernel_read_line(char *line, struct object_symbol *out)
{
	char *end, *name;
	uint64_t addr = strtoull(line, &end, 16);

	if (end == line || end[0] != ' ' || !isalpha((unsigned char)end[1]) || end[2] != ' ')
		return false;
	name = end + 3;
	name[strcspn(name, " \t")] = '\0';
	if (*name == '\0' || addr == 0 || strchr("aAUw", end[1])) /* address 0: hidden from this user */
		return false;
	*out = (struct object_symbol){
		.name = name, .file = "", .addr = addr, .is_data = kernel_is_data(end[1]), .is_covering = true
	};
	return true;
}

/* Sizes are not in the file: each symbol extends to the next one. */
static void add_sizes(struct symbols *list)
{
	uint64_t next = 0;

	for (size_t i = list->n; i-- > 0;) {
		if (i + 1 < list->n && list->sym[i + 1].addr != list->sym[i].addr)
			next = list->sym[i + 1].addr;
		list->sym[i].size = next ? next - list->sym[i].addr : 1;
	}
}

/* The symbol at whose address the mapping of the kernel starts; NULL for a module. */
static const char *start_symbol(const char *file)
{
	const char *symbol = strstr(file, "kernel.kallsyms") ? strchr(file, ']') : NULL;

	return symbol && symbol[1] ? symbol + 1 : symbol ? "_stext" : NULL;
}

struct object *kernel_symbols(const char *text, size_t n, const char *build_id, const char *file)
{
	const char *start = start_symbol(file);
	struct arena *mem = arena_new();
	struct object *o = arena_zalloc(mem, 1, sizeof(*o));
	char *copy = arena_strndup(mem, text, n), *line = copy;
	size_t cap = 0;

	o->mem = mem;
	o->file = (struct object_file){ .fd = -1, .path = arena_strndup(mem, "/proc/kallsyms", 14) };
	memcpy(o->file.build_id, build_id, strnlen(build_id, 2 * BUILD_ID_MAX));
	o->mini.fd = o->debug.fd = o->alt.fd = -1;
	while (line < copy + n) {
		char *end = memchr(line, '\n', (size_t)(copy + n - line));
		struct object_symbol s;

		end = end ? end : copy + n;
		*end = '\0';
		if (kernel_read_line(line, &s)) {
			if (start && !o->anchor.is_known && strcmp(s.name, start) == 0)
				o->anchor = (struct anchor){ .is_known = true, .value = s.addr };
			o->symbols.sym = mem_grow(o->symbols.sym, &cap, o->symbols.n + 1, sizeof(s));
			o->symbols.sym[o->symbols.n++] = s;
		}
		line = end + 1;
	}
	symbols_finish(&o->symbols, mem);
	add_sizes(&o->symbols);
	o->symbols.has_symtab = o->symbols_read = true;
	return o;
}

/* Read kernel symbols from a file, such as /proc/kallsyms. Fails with ERR_UNKNOWN, and notes why. */
static int kernel_read_symbols(const char *path, const char *build_id, const char *file, struct buf *tried,
			       struct object **out, struct err *err)
{
	struct bytes text = { 0 };
	struct err why;
	struct object *o;

	if (io_read_file(path, KALLSYMS_MAX, NULL, &text, &why) < 0) {
		debugfile_note(tried, path, why.msg);
		return err_set(err, ERR_UNKNOWN, "%s: %s", path, why.msg);
	}
	o = kernel_symbols((const char *)text.data, text.n, build_id, file);
	free(text.data);
	if (o->symbols.n == 0) {
		object_close(o);
		debugfile_note(tried, path, "no symbols, or addresses are hidden (kernel.kptr_restrict)");
		return err_set(err, ERR_UNKNOWN, "%s has no symbols, or hides their addresses", path);
	}
	debugfile_note(tried, path, "used");
	*out = o;
	return 0;
}

/* The build id in the notes of the running kernel or of a module; "" for none. */
static void read_running_id(const char *path, char out[2 * BUILD_ID_MAX + 1])
{
	struct bytes notes = { 0 };

	out[0] = '\0';
	if (io_read_file(path, NOTES_MAX, "kernel notes", &notes, NULL) == 0)
		object_notes_build_id_in(notes.data, notes.n, out);
	free(notes.data);
}

/* Does the kernel end where a mapping of this size ends, as perf records it? Two kernels rarely have equally much code. */
static bool kernel_has_size(const struct object *o, uint64_t size)
{
	for (size_t i = 0; i < o->symbols.n; i++) {
		const struct object_symbol *s = &o->symbols.sym[i];

		if (s->addr - o->anchor.value == size &&
		    (strcmp(s->name, "_etext") == 0 || strcmp(s->name, "_edata") == 0))
			return o->anchor.is_known;
	}
	return false;
}

/* Open the running kernel for a mapping without a build id (a pipe of perf, perf record -z) if its size is the same. */
static int kernel_open_by_size(const char *file, uint64_t size, struct buf *tried, struct object **out, struct err *err)
{
	struct object *o;
	int rc = kernel_read_symbols("/proc/kallsyms", "", file, tried, &o, err);

	if (rc < 0)
		return rc;
	if (!kernel_has_size(o, size)) {
		object_close(o);
		debugfile_note(tried, "/proc/kallsyms", "the kernel has another size than the recorded one");
		return err_set(err, ERR_UNKNOWN, "not the running kernel; --kallsyms=FILE has its symbols");
	}
	*out = o;
	return 0;
}

static int kernel_open_running(const char *file, const char *notes, const char *build_id, struct buf *tried,
			       struct object **out, struct err *err)
{
	char id[2 * BUILD_ID_MAX + 1];

	read_running_id(notes, id);
	if (*build_id == '\0' || strcmp(id, build_id) != 0) {
		debugfile_note(tried, notes, *id ? "build ID does not match" : "not found, or contains no build ID");
		return err_set(err, ERR_UNKNOWN, "not the running kernel; --kallsyms=FILE has its symbols");
	}
	return kernel_read_symbols("/proc/kallsyms", id, file, tried, out, err);
}

/* Open vmlinux with its symbols, from the paths that distributions use. */
static bool open_vmlinux(const struct debugfile_search *s, struct object_file *out)
{
	static const char *const place[][3] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },       { "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/usr/lib/debug/boot/vmlinux-", ".debug" }, { "/boot/vmlinux-", "" },
		{ "/lib/modules/", "/build/vmlinux" },        { "/lib/modules/", "/vmlinux" }
	};
	struct utsname system;
	bool found = false;

	if (uname(&system) < 0)
		return false;
	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]) && !found; i++) {
		const char *path = arena_printf(s->mem, "%s%s%s", place[i][0], system.release, place[i][1]);

		found = (*s->w->symfs && debugfile_try(s, symbol_path_join(s->mem, s->w->symfs, path, "", ""), out)) ||
			debugfile_try(s, path, out);
	}
	return found;
}

int kernel_open(const char *file, const char *build_id, uint64_t size, const struct symbol_options *w,
		struct buf *tried, struct object **out, struct err *err)
{
	struct debugfile_search s = { .mem = arena_new(), .w = w, .build_id = build_id, .tried = tried };
	bool module = strstr(file, "kernel.kallsyms") == NULL;
	struct object_file f = { .fd = -1 };
	const char *notes = "/sys/kernel/notes";
	const char *saved = debugfile_perf_path(&s, "kallsyms");
	bool found = false;
	int rc = 0;

	if (*w->kallsyms) {
		rc = kernel_read_symbols(w->kallsyms, build_id, file, tried, out, err);
		arena_free(s.mem);
		return rc;
	}
	if (module) {
		const char *name = arena_strndup(s.mem, file + 1, strcspn(file + 1, "]/"));

		notes = symbol_path_join(s.mem, "/sys/module", name, "notes/.note.gnu.build-id", "");
	}
	if (*build_id)
		found = debugfile_by_id(&s, ".debug", &f) || (!module && open_vmlinux(&s, &f));
	if (found)
		*out = object_adopt(&f);
	else if (!*build_id && !module && size)
		rc = kernel_open_by_size(file, size, tried, out, err);
	else if (!*saved || kernel_read_symbols(saved, build_id, file, NULL, out, NULL) < 0)
		rc = kernel_open_running(file, notes, build_id, tried, out, err);
	arena_free(s.mem);
	return rc;
}

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr own_ehdr;
#else
typedef Elf32_Ehdr own_ehdr;
#endif

enum { VDSO_MAX = 1 << 20 };

bool vdso_is_name(const char *file)
{
	const char *base = path_base(file);

	return strcmp(base, "[vdso]") == 0 || starts_with(base, "linux-vdso");
}

/* Copy the vDSO of this process to a file. Memory has the layout of the file, with the section headers last. */
static int copy_own(struct err *err)
{
	const uint8_t *start = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	own_ehdr head;
	size_t size;
	int fd;

	if (!start)
		return err_set(err, ERR_UNKNOWN, "this process has no vDSO");
	memcpy(&head, start, sizeof(head));
	size = (size_t)head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
	if (size > VDSO_MAX || size < sizeof(head))
		return err_set(err, ERR_UNKNOWN, "cannot read the vDSO of this process");
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_IO, "cannot create a copy of the vDSO");
	if (io_write_fd(fd, start, size, err) < 0) {
		close(fd);
		return ERR_IO;
	}
	return fd;
}

int vdso_open(const char *build_id, const struct symbol_options *w, struct buf *tried, struct object **out,
	      struct err *err)
{
	struct debugfile_search s = { .mem = arena_new(), .w = w, .build_id = build_id, .tried = tried };
	const char *saved = debugfile_perf_path(&s, "vdso");
	struct object_file f;
	bool is_saved = *saved && access(saved, F_OK) == 0 && debugfile_try(&s, saved, &f);
	int fd, rc;

	arena_free(s.mem);
	if (is_saved) {
		*out = object_adopt(&f);
		return 0;
	}
	fd = copy_own(err);

	if (fd < 0)
		return fd;
	rc = object_file_take(fd, "[vdso]", &f, err);
	if (rc < 0)
		return rc;
	if (*build_id == '\0' || strcmp(build_id, f.build_id) != 0) {
		object_file_close(&f);
		return err_set(err, ERR_UNKNOWN, "the running kernel has a different vDSO");
	}
	*out = object_adopt(&f);
	return 0;
}
