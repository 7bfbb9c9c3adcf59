/*
 * frames_read.c - the frames of many addresses, from files, without a cache
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/frames_read.h"

#include "base/buf.h"
#include "base/mem.h"
#include "symbol/frames_symbols.h"
#include "symbol/frames_texts.h"
#include "symbol/pclntab.h"

/* How many bytes the names of a symbol table may have. */
static const uint64_t max_symbol_text = 1 << 30;

struct parts {
	struct frames_dwarf *dwarf;     /* NULL without */
	struct frames_symbols *symbols; /* of the program; NULL without */
	struct frames_symbols *more;    /* of its debug file, when the program is stripped; NULL without */
	struct pclntab *go;             /* NULL without, and when there is DWARF */
	struct frames_texts texts;
	struct frame *frame;
	size_t n, cap;
};

static void put(struct parts *p, const struct frame *f)
{
	p->frame = mem_grow(p->frame, &p->cap, p->n + 1, sizeof(*p->frame));
	p->frame[p->n] = *f;
	p->frame[p->n].name = frames_texts_add(&p->texts, f->name);
	p->frame[p->n].file = frames_texts_add(&p->texts, f->file);
	p->n++;
}

/* The function that was not inlined has the name of the program's symbol table, which knows copies and
   aliases; that of a debug file names what DWARF does not. Like llvm-symbolizer. */
static void put_address(struct parts *p, uint64_t addr, uint32_t i)
{
	const char *file, *symbol = frames_symbols_get(p->symbols, i, &file);
	struct frame go;
	uint32_t n = 0;
	const struct frame *f = p->dwarf ? frames_dwarf_get(p->dwarf, i, &n) : NULL;

	for (uint32_t k = 0; k < n; k++) {
		struct frame last = f[k];

		if (k == n - 1 && symbol)
			last.name = symbol;
		if (k == n - 1 && symbol && !last.file)
			last.file = file;
		put(p, &last);
	}
	if (!n && !symbol)
		symbol = frames_symbols_get(p->more, i, &file);
	if (p->go && pclntab_find(p->go, addr, &go))
		put(p, &go);
	else if (!n && symbol)
		put(p, &(struct frame){ .name = symbol, .file = file });
}

static void find_symbols(const struct frames_files *files, const uint64_t *addr, uint32_t n, struct parts *p)
{
	p->symbols = frames_symbols_find(files->fd, addr, n);
	if (!frames_symbols_is_full(p->symbols) && files->debug_fd >= 0 && files->debug_fd != files->fd)
		p->more = frames_symbols_find(files->debug_fd, addr, n);
}

static const char *name_source(const struct frames_files *files, const struct parts *p, struct arena *mem)
{
	struct buf b = { 0 };
	const char *text = p->go ? "Go's line table" : p->symbols || p->more ? "symbol table" : "";

	if (p->dwarf) {
		buf_addf(&b, "DWARF of %s", files->path);
		text = arena_strndup(mem, b.data, b.len);
		buf_release(&b);
	}
	return text;
}

int frames_read(const struct frames_files *files, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, bool *whole, struct err *err)
{
	struct parts p = { 0 };
	int rc = 0;

	if (files->debug_fd >= 0)
		rc = frames_dwarf_find(files, addr, n, &p.dwarf, err);
	if (rc == ERR_UNKNOWN)
		rc = 0;
	if (!p.dwarf)
		p.go = pclntab_open(files->fd);
	find_symbols(files, addr, n, &p);
	frames_texts_init(&p.texts, mem, max_symbol_text + (p.dwarf ? frames_dwarf_max_text(p.dwarf) : 0));
	*out = (struct frames){ .n = n, .off = arena_alloc(mem, (size_t)n + 1, sizeof(uint32_t)) };
	for (uint32_t i = 0; i < n; i++) {
		out->off[i] = (uint32_t)p.n;
		put_address(&p, addr[i], i);
	}
	out->off[n] = (uint32_t)p.n;
	out->frame = arena_own(mem, p.frame);
	out->source = name_source(files, &p, mem);
	*whole = p.dwarf && !frames_dwarf_is_partial(p.dwarf) &&
		 (frames_symbols_is_full(p.symbols) || frames_symbols_is_full(p.more));
	frames_texts_release(&p.texts);
	pclntab_close(p.go);
	frames_symbols_free(p.symbols);
	frames_symbols_free(p.more);
	frames_dwarf_free(p.dwarf);
	return rc;
}
