/*
 * frames.c - functions, files and lines of addresses: from the cache, DWARF, Go's table, symbol tables
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Texts are copied, because the files that hold them are closed. Repeated names usually have the same pointer, so
 * copies are looked up by pointer first, without reading the text.
 *
 * Symbol tables are not sorted. Each symbol is looked up among the addresses: it is a candidate for the first address
 * that is not below it, and the best candidate of each address is kept. Addresses without a candidate use the symbol of
 * the preceding address. One pass over the table is enough.
 */
#include "config.h"

#include "symbol/frames.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/search.h"
#include "symbol/cache.h"
#include "symbol/elfutils.h"
#include "symbol/frames_dwarf.h"
#include "symbol/pclntab.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct text_copies {
	struct arena *mem;
	struct idtab by_text, by_pointer;
	struct text_copy *text; /* [n] */
	size_t n, cap;
	struct text_pointer *pointer; /* [n_pointers] */
	size_t n_pointers, cap_pointers;
	uint64_t n_remaining; /* number of bytes that may still be added */
};

struct text_copy {
	const char *text;
	size_t n;
};

struct text_pointer {
	const char *from, *to;
};

/* mem must outlive t. The copies remain valid after text_copies_release. */
static void text_copies_init(struct text_copies *t, struct arena *mem, uint64_t max)
{
	*t = (struct text_copies){ .mem = mem, .n_remaining = max };
	idtab_init(&t->by_text, 1024);
	idtab_init(&t->by_pointer, 1024);
}

static void text_copies_release(struct text_copies *t)
{
	idtab_release(&t->by_text);
	idtab_release(&t->by_pointer);
	free(t->text);
	free(t->pointer);
}

static const char *frames_add_text(struct text_copies *t, const char *text)
{
	size_t n = strnlen(text, t->n_remaining + 1);
	uint64_t h;
	uint32_t id;

	if (n > t->n_remaining)
		n = t->n_remaining = 0;
	if (!n)
		return "";
	t->n_remaining -= n;
	h = hash_bytes(text, n);
	for (size_t pos = idtab_start(&t->by_text, h); idtab_next(&t->by_text, h, &pos, &id);)
		if (t->text[id].n == n && memcmp(t->text[id].text, text, n) == 0)
			return t->text[id].text;
	t->text = mem_grow(t->text, &t->cap, t->n + 1, sizeof(*t->text));
	t->text[t->n] = (struct text_copy){ arena_strndup(t->mem, text, n), n };
	idtab_put(&t->by_text, h, (uint32_t)t->n);
	return t->text[t->n++].text;
}

/*
 * A copy in mem, shared by equal texts; "" for NULL, or if the limit is reached. Equal pointers must mean equal texts.
 */
static const char *text_copies_add(struct text_copies *t, const char *text)
{
	uint64_t h = hash_u64((uintptr_t)text);
	uint32_t id;

	if (!text || !*text)
		return "";
	for (size_t pos = idtab_start(&t->by_pointer, h); idtab_next(&t->by_pointer, h, &pos, &id);)
		if (t->pointer[id].from == text)
			return t->pointer[id].to;
	t->pointer = mem_grow(t->pointer, &t->cap_pointers, t->n_pointers + 1, sizeof(*t->pointer));
	t->pointer[t->n_pointers] = (struct text_pointer){ text, frames_add_text(t, text) };
	idtab_put(&t->by_pointer, h, (uint32_t)t->n_pointers);
	return t->pointer[t->n_pointers++].to;
}

struct best {
	uint64_t addr, size;
	const char *name; /* NULL until a symbol is found */
	const char *file;
};

struct symbol_hits {
	Elf *elf;
	const uint64_t *addr;
	uint32_t n;
	bool is_full;
	struct best *best; /* [n] */
};

static Elf_Scn *find_table(Elf *elf, GElf_Word type, GElf_Shdr *sh)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
		if (gelf_getshdr(scn, sh) && sh->sh_type == type && sh->sh_size)
			return scn;
	return NULL;
}

/* [n] Is a section loaded into memory? */
static bool *find_loaded(Elf *elf, size_t *n)
{
	bool *loaded;

	if (elf_getshdrnum(elf, n) != 0)
		*n = 0;
	loaded = mem_zalloc(*n + 1, sizeof(*loaded));
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;

		if (elf_ndxscn(scn) < *n && gelf_getshdr(scn, &sh))
			loaded[elf_ndxscn(scn)] = sh.sh_flags & SHF_ALLOC;
	}
	return loaded;
}

static bool frames_is_wanted(const GElf_Sym *sym, const bool *loaded, size_t n_sections)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx < n_sections && loaded[sym->st_shndx] &&
	       (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC);
}

/* Keep the symbol with the highest address; among those with the same address the largest, then the last. */
static void offer(struct symbol_hits *s, const GElf_Sym *sym, const char *name, const char *file)
{
	uint32_t i = (uint32_t)lower_bound_u64(s->addr, s->n, sym->st_value);
	struct best *b;

	if (i == s->n)
		return;
	b = &s->best[i];
	if (b->name && (b->addr > sym->st_value || (b->addr == sym->st_value && b->size > sym->st_size)))
		return;
	*b = (struct best){ sym->st_value, sym->st_size, name, file };
}

static void frames_read_table(struct symbol_hits *s, Elf_Data *data, const GElf_Shdr *sh)
{
	size_t n_sections, n = sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	bool *loaded = find_loaded(s->elf, &n_sections);
	const char *file = NULL;

	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Sym sym;
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			file = elf_strptr(s->elf, sh->sh_link, sym.st_name);
		if (!frames_is_wanted(&sym, loaded, n_sections))
			continue;
		name = elf_strptr(s->elf, sh->sh_link, sym.st_name);
		if (name && *name)
			offer(s, &sym, name, GELF_ST_BIND(sym.st_info) == STB_LOCAL ? file : NULL);
	}
	free(loaded);
}

/* An address without its own symbol uses that of the preceding address, if the symbol covers it. */
static void extend_symbols(struct symbol_hits *s)
{
	struct best last = { 0 };

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->best[i].name)
			last = s->best[i];
		s->best[i] = last;
		if (last.name && last.size && s->addr[i] - last.addr >= last.size)
			s->best[i].name = NULL;
	}
}

/* Takes NULL. */
static void symbol_hits_free(struct symbol_hits *s)
{
	if (!s)
		return;
	if (s->elf)
		elf_end(s->elf);
	free(s->best);
	free(s);
}

/*
 * Look up addresses in .symtab, or in .dynsym when there is none.
 *
 * fd      of an ELF file; not closed
 * addr    [n] ascending
 * Returns NULL when there are no symbols; freed with symbol_hits_free
 * Like    LLVM SymbolizableObjectFile::getNameFromSymbolTable: of symbols at one address the largest; a symbol without
 *         a size extends to the next
 */
static struct symbol_hits *symbol_hits_find(int fd, const uint64_t *addr, uint32_t n)
{
	struct symbol_hits *s = mem_zalloc(1, sizeof(*s));
	Elf_Data *data;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	elf_version(EV_CURRENT);
	s->elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL) : NULL;
	if (s->elf && elf_kind(s->elf) == ELF_K_ELF) {
		scn = find_table(s->elf, SHT_SYMTAB, &sh);
		s->is_full = scn != NULL;
		scn = scn ? scn : find_table(s->elf, SHT_DYNSYM, &sh);
	}
	data = scn ? elf_getdata(scn, NULL) : NULL;
	if (!data) {
		symbol_hits_free(s);
		return NULL;
	}
	s->addr = addr;
	s->n = n;
	s->best = mem_zalloc((size_t)n + 1, sizeof(*s->best));
	frames_read_table(s, data, &sh);
	extend_symbols(s);
	return s;
}

/* Do the symbols come from .symtab? */
static bool symbol_hits_are_full(const struct symbol_hits *s)
{
	return s && s->is_full;
}

/*
 * The symbol of address i; NULL when there is none.
 *
 * file    set to the source file of a local symbol, else to NULL
 */
static const char *symbol_hits_get(const struct symbol_hits *s, uint32_t i, const char **file)
{
	assert(!s || i < s->n);
	*file = s ? s->best[i].file : NULL;
	return s ? s->best[i].name : NULL;
}

/* Max size of the names of a symbol table, in bytes. */
static const uint64_t max_symbol_text = 1 << 30;

struct frames_parts {
	struct frames_dwarf *dwarf;  /* NULL without DWARF */
	struct symbol_hits *symbols; /* symbols of the program; NULL without any */
	struct symbol_hits *more;    /* symbols of the debug file of a stripped program; NULL without any */
	struct pclntab *go;          /* Go's line table; NULL without one, or with DWARF */
	struct text_copies texts;
	struct frame *frame;
	size_t n, cap;
};

static void frames_put(struct frames_parts *p, const struct frame *f)
{
	p->frame = mem_grow(p->frame, &p->cap, p->n + 1, sizeof(*p->frame));
	p->frame[p->n] = *f;
	p->frame[p->n].name = text_copies_add(&p->texts, f->name);
	p->frame[p->n].file = text_copies_add(&p->texts, f->file);
	p->n++;
}

/*
 * Add the frames of an address. The name of the outermost function comes from the symbol table of the program, which
 * contains clones and aliases. The table of a debug file is used where DWARF has no name. Like llvm-symbolizer.
 */
static void frames_put_address(struct frames_parts *p, uint64_t addr, uint32_t i)
{
	const char *file, *symbol = symbol_hits_get(p->symbols, i, &file);
	struct frame go;
	uint32_t n = 0;
	const struct frame *f = p->dwarf ? frames_dwarf_get(p->dwarf, i, &n) : NULL;

	for (uint32_t k = 0; k < n; k++) {
		struct frame last = f[k];

		if (k == n - 1 && symbol)
			last.name = symbol;
		if (k == n - 1 && symbol && !last.file)
			last.file = file;
		frames_put(p, &last);
	}
	if (!n && !symbol)
		symbol = symbol_hits_get(p->more, i, &file);
	if (p->go && pclntab_find(p->go, addr, &go))
		frames_put(p, &go);
	else if (!n && symbol)
		frames_put(p, &(struct frame){ .name = symbol, .file = file });
}

static void frames_find_symbols(const struct frames_files *files, const uint64_t *addr, uint32_t n,
				struct frames_parts *p)
{
	p->symbols = symbol_hits_find(files->fd, addr, n);
	if (!symbol_hits_are_full(p->symbols) && files->debug_fd >= 0 && files->debug_fd != files->fd)
		p->more = symbol_hits_find(files->debug_fd, addr, n);
}

static const char *name_source(const struct frames_files *files, const struct frames_parts *p, struct arena *mem)
{
	if (p->dwarf)
		return arena_printf(mem, "DWARF of %s", files->path);
	return p->go ? "Go's line table" : p->symbols || p->more ? "symbol table" : "";
}

int frames_read(const struct frames_files *files, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, bool *is_complete, struct err *err)
{
	struct buf missing = { 0 };
	struct frames_parts p = { 0 };
	int rc = 0;

	assert(files->path && out && is_complete);
	if (files->debug_fd >= 0)
		rc = frames_dwarf_find(files, addr, n, &p.dwarf, err);
	if (rc == ERR_UNKNOWN)
		rc = 0;
	if (!p.dwarf)
		p.go = pclntab_open(files->fd);
	frames_find_symbols(files, addr, n, &p);
	text_copies_init(&p.texts, mem, max_symbol_text + (p.dwarf ? frames_dwarf_max_text(p.dwarf) : 0));
	*out = (struct frames){ .n = n, .off = arena_alloc(mem, (size_t)n + 1, sizeof(uint32_t)) };
	for (uint32_t i = 0; i < n; i++) {
		out->off[i] = (uint32_t)p.n;
		frames_put_address(&p, addr[i], i);
	}
	out->off[n] = (uint32_t)p.n;
	out->frame = arena_own(mem, p.frame);
	out->source = name_source(files, &p, mem);
	if (p.dwarf)
		frames_dwarf_add_missing(p.dwarf, &missing);
	out->missing = missing.len ? arena_move(mem, &missing) : NULL;
	*is_complete = p.dwarf && !frames_dwarf_is_partial(p.dwarf) &&
		       (symbol_hits_are_full(p.symbols) || symbol_hits_are_full(p.more));
	text_copies_release(&p.texts);
	pclntab_close(p.go);
	symbol_hits_free(p.symbols);
	symbol_hits_free(p.more);
	frames_dwarf_free(p.dwarf);
	return rc;
}

/*
 * Find names only. Unlike pprof with nm, no symbol covers addresses after its end: the last symbol that a stripped
 * library exports before its internal functions would get the samples of all of them.
 */
static void find_fast(struct object *o, const uint64_t *addr, uint32_t n, struct arena *mem, struct frames *out)
{
	struct frame *frame = arena_alloc(mem, (size_t)n + 1, sizeof(*frame));
	uint32_t n_frames = 0;

	*out = (struct frames){ .n = n, .off = arena_alloc(mem, (size_t)n + 1, sizeof(uint32_t)), .frame = frame };
	for (uint32_t i = 0; i < n; i++) {
		struct object_symbol s;

		out->off[i] = n_frames;
		if (object_symbol_covering(o, addr[i], &s))
			frame[n_frames++] =
				(struct frame){ .name = arena_strndup(mem, s.name, strlen(s.name)), .file = "" };
	}
	out->off[n] = n_frames;
	out->source = n_frames ? "symbol table" : "";
}

/* Copy the frames of address i of the cache. Returns their number. */
static uint32_t copy_cached(const struct cache *c, uint32_t i, struct frame *out)
{
	uint32_t n = c->off[i + 1] - c->off[i];

	assert(i < c->n);
	for (uint32_t k = 0; k < n; k++) {
		const struct cache_frame *f = &c->frame[c->off[i] + k];

		out[k] = (struct frame){ c->text + f->name, c->text + f->file, f->line, f->column, f->start_line };
	}
	return n;
}

/* The addresses that are not in the cache; *n is set to their number. */
static uint64_t *find_unknown(const struct cache *c, const uint64_t *addr, uint32_t *n, struct arena *mem)
{
	uint64_t *unknown = arena_alloc(mem, (size_t)*n + 1, sizeof(*unknown));
	uint32_t n_unknown = 0;

	for (uint32_t i = 0, k = 0; i < *n; i++) {
		assert(i == 0 || addr[i - 1] < addr[i]);
		while (k < c->n && c->addr[k] < addr[i])
			k++;
		if (k == c->n || c->addr[k] != addr[i])
			unknown[n_unknown++] = addr[i];
	}
	*n = n_unknown;
	return unknown;
}

/* Merge cached and found frames; each address is in one of the two. */
static void merge_frames(const struct cache *c, const struct frames *found, const uint64_t *unknown,
			 const uint64_t *addr, uint32_t n, struct arena *mem, struct frames *out)
{
	size_t n_frames = (size_t)found->off[found->n];
	uint32_t at = 0;

	for (uint32_t i = 0, k = 0; i < n; i++) {
		while (k < c->n && c->addr[k] < addr[i])
			k++;
		if (k < c->n && c->addr[k] == addr[i])
			n_frames += c->off[k + 1] - c->off[k];
	}
	*out = (struct frames){ .n = n, .off = arena_alloc(mem, (size_t)n + 1, sizeof(uint32_t)) };
	out->frame = arena_alloc(mem, n_frames + 1, sizeof(*out->frame));
	for (uint32_t i = 0, k = 0, u = 0; i < n; i++) {
		out->off[i] = at;
		if (u < found->n && unknown[u] == addr[i]) {
			uint32_t len = found->off[u + 1] - found->off[u];

			if (len) /* found->frame is NULL when nothing was found */
				memcpy(out->frame + at, found->frame + found->off[u], len * sizeof(*out->frame));
			at += len;
			u++;
			continue;
		}
		while (c->addr[k] < addr[i])
			k++;
		at += copy_cached(c, k, out->frame + at);
	}
	assert(at == n_frames);
	out->off[n] = at;
	out->source = found->n ? found->source : "cache";
	out->missing = found->missing;
}

/* Use the symbols of .gnu_debugdata for addresses without a result. */
static void fill_gaps(struct object *o, const uint64_t *addr, struct arena *mem, struct frames *f)
{
	struct frame *frame = arena_alloc(mem, (size_t)f->off[f->n] + f->n + 1, sizeof(*frame));
	uint32_t *off = arena_alloc(mem, (size_t)f->n + 1, sizeof(*off)), at = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t len = f->off[i + 1] - f->off[i];
		struct object_symbol s;

		off[i] = at;
		if (len)
			memcpy(frame + at, f->frame + f->off[i], len * sizeof(*frame));
		else if (object_symbol_covering(o, addr[i], &s))
			frame[at++] = (struct frame){ .name = arena_strndup(mem, s.name, strlen(s.name)), .file = "" };
		at += len;
	}
	off[f->n] = at;
	f->off = off;
	f->frame = frame;
	if (at && !(f->source && *f->source))
		f->source = "symbol table";
}

/*
 * The name of an object in the cache: its build id, size and time of change, since a build id that was given to the
 * linker may be that of several programs. A file without a name (of memory, or deleted) has no time of change that
 * lasts.
 */
static const char *cache_key(struct object *o, struct arena *mem)
{
	enum { DIGITS = 16 };
	const char *id = object_build_id(o);
	size_t n = strlen(id) + DIGITS + 1;
	char *key = arena_alloc(mem, n, 1);
	struct stat st;
	uint64_t h;

	if (!*id || fstat(object_fd(o), &st) != 0)
		return "";
	h = (uint64_t)st.st_size * 0x9e3779b97f4a7c15;
	if (st.st_nlink)
		h = ((h ^ (uint64_t)st.st_mtim.tv_sec) * 0x9e3779b97f4a7c15) ^ (uint64_t)st.st_mtim.tv_nsec;
	snprintf(key, n, "%s%016" PRIx64, id, h);
	return key;
}

int frames_find(struct object *o, const struct symbol_options *w, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, struct buf *tried, struct err *err)
{
	struct frames_files files = {
		.fd = object_fd(o), .debug_fd = -1, .alt_fd = -1, .path = object_path(o), .stop = w->stop
	};
	struct frames found = { .off = &(uint32_t){ 0 } };
	uint32_t n_unknown = n;
	uint64_t *unknown;
	const char *key;
	struct cache c;
	bool is_complete = false;
	int rc = 0;

	if (w->fast || object_fd(o) < 0) {
		find_fast(o, addr, n, mem, out);
		return 0;
	}
	key = cache_key(o, mem);
	cache_load(w->cache, key, mem, &c);
	unknown = find_unknown(&c, addr, &n_unknown, mem);
	if (n_unknown) {
		files.debug_fd = object_debug(o, w, tried, &files.path);
		if (files.debug_fd >= 0)
			files.alt_fd = object_debug_alt(o, w, tried);
		rc = frames_read(&files, unknown, n_unknown, mem, &found, &is_complete, err);
	}
	if (found.n && object_has_packed_symbols(o))
		fill_gaps(o, unknown, mem, &found);
	if (is_complete && n_unknown)
		cache_save(w->cache, key, &c, unknown, &found);
	merge_frames(&c, &found, unknown, addr, n, mem, out);
	return rc;
}
