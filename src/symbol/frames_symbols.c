/*
 * frames_symbols.c - the symbols that many addresses belong to
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Symbols are looked up among the addresses and not the other way round: each goes to the first
 * address that is not below it, the best of those counts, and addresses that get none have that of
 * the address before. So nothing is sorted, and one pass over the table does.
 */
#include "config.h"

#include "symbol/frames_symbols.h"

#include "base/mem.h"
#include "base/search.h"
#include "symbol/frames_search.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

struct best {
	uint64_t addr, size;
	const char *name; /* NULL for none */
	const char *file;
};

struct frames_symbols {
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

/* Does a section take memory when the program runs? */
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

static bool is_wanted(const GElf_Sym *sym, const bool *loaded, size_t n_sections)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx < n_sections && loaded[sym->st_shndx] &&
	       (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC);
}

/* Of those with the highest address the largest, of those the last. */
static void offer(struct frames_symbols *s, const GElf_Sym *sym, const char *name, const char *file)
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

static void read_table(struct frames_symbols *s, Elf_Data *data, const GElf_Shdr *sh)
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
		if (!is_wanted(&sym, loaded, n_sections))
			continue;
		name = elf_strptr(s->elf, sh->sh_link, sym.st_name);
		if (name && *name)
			offer(s, &sym, name, GELF_ST_BIND(sym.st_info) == STB_LOCAL ? file : NULL);
	}
	free(loaded);
}

/* Addresses without a symbol of their own have the one before, if it reaches so far. */
static void spread(struct frames_symbols *s)
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

struct frames_symbols *frames_symbols_find(int fd, const uint64_t *addr, uint32_t n)
{
	struct frames_symbols *s = mem_zalloc(1, sizeof(*s));
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
		frames_symbols_free(s);
		return NULL;
	}
	s->addr = addr;
	s->n = n;
	s->best = mem_zalloc((size_t)n + 1, sizeof(*s->best));
	read_table(s, data, &sh);
	spread(s);
	return s;
}

bool frames_symbols_is_full(const struct frames_symbols *s)
{
	return s && s->is_full;
}

const char *frames_symbols_get(const struct frames_symbols *s, uint32_t i, const char **file)
{
	*file = s ? s->best[i].file : NULL;
	return s ? s->best[i].name : NULL;
}

void frames_symbols_free(struct frames_symbols *s)
{
	if (!s)
		return;
	if (s->elf)
		elf_end(s->elf);
	free(s->best);
	free(s);
}
