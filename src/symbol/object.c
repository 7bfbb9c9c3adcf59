/*
 * object.c - a program or library: its file, its debug files, its packed symbols
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/object.h"

#include "base/io.h"
#include "base/mem.h"
#include "symbol/debugfile.h"
#include "symbol/debuginfod.h"
#include "symbol/elfutils.h"
#include "symbol/object_file.h"
#include "symbol/object_int.h"
#include "symbol/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The system's error message in Go's spelling: without the capital letter. */
static const char *error_text(char out[static 128])
{
	const char *s = strerror(errno);
	size_t n = strnlen(s, 127);

	memcpy(out, s, n);
	out[n] = '\0';
	out[0] = (char)tolower((unsigned char)out[0]);
	return out;
}

static int reject_file(const char *path, const uint8_t *magic, struct err *err)
{
	static const char macho[][4] = { "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe",
					 "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\xbe\xba\xfe\xca" };

	for (size_t i = 0; i < sizeof(macho) / sizeof(macho[0]); i++)
		if (memcmp(magic, macho[i], 4) == 0)
			return err_set(err, ERR_FORMAT, "%s is a Mach-O file; cpa reads only ELF", path);
	if (memcmp(magic, "MZ", 2) == 0)
		return err_set(err, ERR_FORMAT, "%s is a Windows (PE) file; cpa reads only ELF", path);
	return err_set(err, ERR_FORMAT, "unrecognized binary format: %s", path);
}

static int check_magic(int fd, const char *path, struct err *err)
{
	uint8_t magic[4];
	ssize_t n = pread(fd, magic, sizeof(magic), 0);
	char what[128];

	if (n < 0)
		return err_set(err, ERR_IO, "error reading magic number from %s: %s", path, error_text(what));
	if (n < (ssize_t)sizeof(magic))
		return err_set(err, ERR_FORMAT, "error reading magic number from %s: %s", path,
			       n ? "unexpected EOF" : "EOF");
	return memcmp(magic, ELFMAG, SELFMAG) == 0 ? 0 : reject_file(path, magic, err);
}

int object_file_take(int fd, const char *path, struct object_file *out, struct err *err)
{
	struct object_file f = { .fd = fd };
	GElf_Ehdr ehdr;
	size_t n;

	*out = (struct object_file){ .fd = -1 };
	if (check_magic(fd, path, err) < 0) {
		close(fd);
		return err ? err->code : ERR_FORMAT;
	}
	elf_version(EV_CURRENT);
	f.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!f.elf || elf_kind(f.elf) != ELF_K_ELF || !gelf_getehdr(f.elf, &ehdr) || elf_getphdrnum(f.elf, &n) < 0 ||
	    elf_getshdrnum(f.elf, &n) < 0) {
		const char *why = elf_errmsg(-1);

		elf_end(f.elf);
		close(fd);
		return err_set(err, ERR_FORMAT, "error reading ELF file %s: %s", path, why ? why : "it is damaged");
	}
	f.path = mem_strndup(path, strlen(path));
	object_notes_build_id(&f, f.build_id);
	*out = f;
	return 0;
}

int object_file_open(const char *path, struct object_file *out, struct err *err)
{
	struct stat st;
	char what[128];
	int fd;

	*out = (struct object_file){ .fd = -1 };
	if (stat(path, &st) < 0)
		return err_set(err, ERR_IO, "stat %s: %s", path, error_text(what));
	if (!S_ISREG(st.st_mode)) /* opening a pipe could block for ever */
		return err_set(err, ERR_IO, "error reading magic number from %s: it is not a regular file", path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_set(err, ERR_IO, "error opening %s: %s", path, error_text(what));
	return object_file_take(fd, path, out, err);
}

void object_file_close(struct object_file *f)
{
	if (f->elf) {
		elf_end(f->elf);
		close(f->fd);
		free(f->path);
	}
	*f = (struct object_file){ .fd = -1 };
}

const uint8_t *object_file_bytes(const struct object_file *f, size_t *n)
{
	const uint8_t *bytes;

	*n = 0;
	bytes = (const uint8_t *)elf_rawfile(f->elf, n);
	return bytes;
}

Elf_Scn *object_file_section(const struct object_file *f, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names) < 0)
		return NULL;
	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *section_name;

		if (!gelf_getshdr(scn, shdr) || shdr->sh_type == SHT_NOBITS || shdr->sh_type == SHT_NULL)
			continue;
		section_name = elf_strptr(f->elf, names, shdr->sh_name);
		if (section_name && strcmp(section_name, name) == 0)
			return scn;
	}
	return NULL;
}

const uint8_t *object_file_section_bytes(const struct object_file *f, const char *name, size_t *n)
{
	GElf_Shdr shdr;
	size_t all;
	const uint8_t *bytes;

	*n = 0;
	if (!object_file_section(f, name, &shdr))
		return NULL;
	bytes = object_file_bytes(f, &all);
	if (!bytes || shdr.sh_offset > all || shdr.sh_size > all - shdr.sh_offset)
		return NULL;
	*n = shdr.sh_size;
	return bytes + shdr.sh_offset;
}

bool object_file_has_dwarf(const struct object_file *f)
{
	GElf_Shdr shdr;

	return (object_file_section(f, ".debug_info", &shdr) || object_file_section(f, ".zdebug_info", &shdr)) &&
	       shdr.sh_size > 0;
}

bool object_file_is_debug(const struct object_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names) < 0)
		return false;
	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(f->elf, names, sh.sh_name) : NULL;

		if (name && strcmp(name, ".text") == 0)
			return sh.sh_type == SHT_NOBITS;
	}
	return false;
}

enum {
	UNPACKED_MAX = 256 << 20,
	MEMORY_MAX = 128 << 20, /* max memory for the dictionary of xz */
	PIECE = 1 << 16
};

/* Unpack an xz file to a descriptor. */
static bool unpack(const uint8_t *data, size_t n, int fd)
{
	lzma_stream s = LZMA_STREAM_INIT;
	uint8_t *piece = mem_alloc(PIECE, 1);
	uint64_t total = 0;
	lzma_ret rc = lzma_stream_decoder(&s, MEMORY_MAX, 0);

	s.next_in = data;
	s.avail_in = n;
	while (rc == LZMA_OK) {
		s.next_out = piece;
		s.avail_out = PIECE;
		rc = lzma_code(&s, LZMA_FINISH);
		total += PIECE - s.avail_out;
		if (total > UNPACKED_MAX || io_write_fd(fd, piece, PIECE - s.avail_out, NULL) < 0)
			rc = LZMA_MEM_ERROR;
	}
	lzma_end(&s);
	free(piece);
	return rc == LZMA_STREAM_END;
}

static int unpack_to_memory(const uint8_t *data, size_t n, const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd >= 0 && !unpack(data, n, fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void object_open_packed(const struct object_file *f, struct object_file *out)
{
	size_t n;
	const uint8_t *data = object_file_section_bytes(f, ".gnu_debugdata", &n);
	int fd = data ? unpack_to_memory(data, n, "gnu_debugdata") : -1;

	*out = (struct object_file){ .fd = -1 };
	if (fd >= 0)
		object_file_take(fd, f->path, out, NULL);
}

struct object *object_adopt(const struct object_file *f)
{
	struct arena *mem = arena_new();
	struct object *o = arena_zalloc(mem, 1, sizeof(*o));
	size_t n = 0;

	assert(f->elf && f->path);
	o->mem = mem;
	o->file = *f;
	o->mini.fd = o->debug.fd = o->alt.fd = -1;
	gelf_getehdr(f->elf, &o->ehdr);
	elf_getphdrnum(f->elf, &n);
	o->phdr = arena_alloc(mem, n ? n : 1, sizeof(*o->phdr));
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(f->elf, (int)i, &o->phdr[o->n_phdr]))
			o->n_phdr++;
	return o;
}

int object_open(const char *path, struct object **out, struct err *err)
{
	struct object_file f;
	int rc = object_file_open(path, &f, err);

	if (rc < 0)
		return rc;
	*out = object_adopt(&f);
	return 0;
}

void object_close(struct object *o)
{
	if (!o)
		return;
	object_file_close(&o->alt);
	object_file_close(&o->debug);
	object_file_close(&o->mini);
	object_file_close(&o->file);
	arena_free(o->mem);
}

const char *object_path(const struct object *o)
{
	return o->file.path;
}

const char *object_build_id(const struct object *o)
{
	return o->file.build_id;
}

int object_fd(const struct object *o)
{
	return o->file.fd;
}

/* A section that names another file: the name, and the bytes after its NUL. */
struct link {
	const char *name;
	const uint8_t *rest;
	size_t n;
};

static bool link_read(const struct object_file *f, const char *section, struct link *out)
{
	size_t n;
	const uint8_t *bytes = object_file_section_bytes(f, section, &n);
	const uint8_t *end = bytes ? memchr(bytes, '\0', n) : NULL;

	if (!end || end == bytes)
		return false;
	*out = (struct link){ .name = (const char *)bytes, .rest = end + 1, .n = n - (size_t)(end + 1 - bytes) };
	return true;
}

/* The checksum in .gnu_debuglink: in the byte order of the file, at the next multiple of 4 after the name. */
static bool link_crc(const struct object *o, const struct link *l, uint32_t *crc)
{
	size_t skip = (4 - (strlen(l->name) + 1) % 4) % 4;

	if (l->n < skip + 4)
		return false;
	memcpy(crc, l->rest + skip, 4);
	if ((o->ehdr.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		*crc = __builtin_bswap32(*crc);
	return true;
}

/* The folder of an object, relative to symfs if it is below it. */
static const char *folder_of(struct arena *mem, const char *path, const char *symfs)
{
	const char *root = *symfs ? symbol_path_join(mem, symfs, "", "", "") : "";
	size_t n = strlen(root);

	if (n && strncmp(path, root, n) == 0 && path[n] == '/')
		path += n;
	return symbol_path_dir(mem, path);
}

/* Try the folder of the object, .debug in it, and the same folder below /usr/lib/debug. */
static bool try_folders_of(const struct debugfile_search *s, const char *path, const char *name,
			   struct object_file *out)
{
	const char *own = symbol_path_dir(s->mem, path), *folder = folder_of(s->mem, path, s->w->symfs);
	const char *same_folder = symbol_path_join(s->mem, own, name, "", "");

	if (strcmp(same_folder, symbol_path_join(s->mem, path, "", "", "")) != 0 && debugfile_try(s, same_folder, out))
		return true;
	if (debugfile_try(s, symbol_path_join(s->mem, own, ".debug", name, ""), out))
		return true;
	if (*folder != '/')
		return false;
	if (*s->w->symfs &&
	    debugfile_try(s, symbol_path_join(s->mem, s->w->symfs, "/usr/lib/debug", folder, name), out))
		return true;
	return debugfile_try(s, symbol_path_join(s->mem, "/usr/lib/debug", folder, name, ""), out);
}

/* Try .gnu_debuglink, from the given path and, if it differs, from the real one. */
static bool try_link(struct object *o, struct debugfile_search *s, struct object_file *out)
{
	struct link l;
	char *real;
	bool found;

	if (!link_read(&o->file, ".gnu_debuglink", &l) || strchr(l.name, '/'))
		return false;
	s->crc_known = link_crc(o, &l, &s->crc);
	found = s->crc_known && try_folders_of(s, o->file.path, l.name, out);
	real = found ? NULL : realpath(o->file.path, NULL);
	if (real && s->crc_known && strcmp(real, o->file.path) != 0)
		found = try_folders_of(s, real, l.name, out);
	free(real);
	s->crc_known = false;
	return found;
}

static void find_debug(struct object *o, const struct symbol_options *w, struct buf *tried)
{
	struct debugfile_search s = {
		.mem = arena_new(), .w = w, .build_id = o->file.build_id, .dwarf = true, .tried = tried
	};

	if (!debugfile_by_id(&s, ".debug", &o->debug) && !try_link(o, &s, &o->debug))
		debuginfod_open(w, DEBUGINFOD_DEBUG, s.build_id, o->file.path, tried, &o->debug);
	arena_free(s.mem);
}

/* Replace a file by its copy with inflated DWARF, if it needs one. */
static void object_inflate_debug(struct object_file *f)
{
	struct object_file copy;

	if (!f->elf || !object_file_inflate(f, &copy))
		return;
	object_file_close(f);
	*f = copy;
}

int object_debug(struct object *o, const struct symbol_options *w, struct buf *tried, const char **path)
{
	assert(w && path);
	if (!o->debug_searched && o->file.elf) {
		o->debug_is_self = object_file_has_dwarf(&o->file);
		if (!o->debug_is_self)
			find_debug(o, w, tried);
		if (o->debug_is_self)
			o->debug_is_self = !object_file_inflate(&o->file, &o->debug);
		else
			object_inflate_debug(&o->debug);
	}
	o->debug_searched = true;
	*path = o->debug_is_self ? o->file.path : o->debug.elf ? o->debug.path : "";
	return o->debug_is_self ? o->file.fd : o->debug.fd;
}

/* Try a path; a relative one starts in the folder of the file that names it. */
static bool try_alt(const struct debugfile_search *s, const char *from, const char *name, struct object_file *out)
{
	if (*name != '/')
		return debugfile_try(s, symbol_path_join(s->mem, symbol_path_dir(s->mem, from), name, "", ""), out);
	if (*s->w->symfs && debugfile_try(s, symbol_path_join(s->mem, s->w->symfs, name, "", ""), out))
		return true;
	return debugfile_try(s, name, out);
}

static const char *symbol_object_format_id(struct arena *mem, const struct link *l)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < l->n && i < BUILD_ID_MAX; i++)
		buf_addf(&b, "%02x", l->rest[i]);
	return arena_move(mem, &b);
}

static void find_alt(struct object *o, const struct symbol_options *w, struct buf *tried)
{
	const struct object_file *from = o->debug_is_self ? &o->file : &o->debug;
	struct debugfile_search s = { .mem = arena_new(), .w = w, .dwarf = true, .tried = tried };
	struct link l;
	char *real;

	if (from->elf && link_read(from, ".gnu_debugaltlink", &l)) {
		s.build_id = symbol_object_format_id(s.mem, &l);
		real = realpath(from->path, NULL);
		if (!try_alt(&s, real ? real : from->path, l.name, &o->alt) && !debugfile_by_id(&s, ".debug", &o->alt))
			debuginfod_open(w, DEBUGINFOD_DEBUG, s.build_id, l.name, tried, &o->alt);
		free(real);
	}
	arena_free(s.mem);
}

int object_debug_alt(struct object *o, const struct symbol_options *w, struct buf *tried)
{
	const char *path;

	object_debug(o, w, tried, &path);
	if (!o->alt_searched)
		find_alt(o, w, tried);
	if (!o->alt_searched)
		object_inflate_debug(&o->alt);
	o->alt_searched = true;
	return o->alt.fd;
}
