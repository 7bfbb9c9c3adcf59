/*
 * symbols.c - the symbol tables of an object
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/object_int.h"

#include "base/mem.h"
#include "base/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A symbol table being read. */
struct symbols_table {
	const struct object_file *f;
	GElf_Ehdr ehdr;
	Elf_Data *syms;
	const char *names; /* [names_n] size up to the last NUL-terminated name */
	size_t names_n;
	const char *file; /* source file of the following local symbols */
};

static bool table_open(const struct object_file *f, uint32_t type, struct symbols_table *t)
{
	GElf_Shdr sh = { .sh_type = SHT_NULL };
	Elf_Scn *scn = NULL;
	Elf_Data *names;

	*t = (struct symbols_table){ .f = f, .file = "" };
	do
		scn = elf_nextscn(f->elf, scn);
	while (scn && gelf_getshdr(scn, &sh) && sh.sh_type != type);
	if (!scn || sh.sh_type != type || !gelf_getehdr(f->elf, &t->ehdr))
		return false;
	t->syms = elf_getdata(scn, NULL);
	names = elf_getdata(elf_getscn(f->elf, sh.sh_link), NULL);
	if (!t->syms || !t->syms->d_buf || t->syms->d_type != ELF_T_SYM || !names || !names->d_buf)
		return false;
	t->names = names->d_buf;
	t->names_n = names->d_size;
	while (t->names_n && t->names[t->names_n - 1])
		t->names_n--;
	return true;
}

/* The name of a symbol; "" if it is out of bounds. */
static const char *symbols_name_of(const struct symbols_table *t, uint32_t at)
{
	return at < t->names_n ? t->names + at : "";
}

/* Is it a mapping symbol, with which ARM compilers mark code and data? */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (name[2] == '\0' || name[2] == '.');
}

/* Does pprof count it as data, by the letter that nm prints? Weak functions, with letter W, count as data too. */
static bool symbols_is_data(const GElf_Sym *sym, const GElf_Shdr *sh)
{
	if (GELF_ST_BIND(sym->st_info) == STB_WEAK)
		return true;
	if (GELF_ST_BIND(sym->st_info) == STB_GNU_UNIQUE || GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC)
		return false;
	return !(sh->sh_flags & SHF_EXECINSTR) && (sh->sh_type == SHT_NOBITS || sh->sh_flags & SHF_ALLOC);
}

/* Does llvm-symbolizer use symbols of this kind? */
static bool is_covering(const GElf_Sym *sym, const GElf_Shdr *sh)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return sh->sh_flags & SHF_ALLOC &&
	       (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC);
}

/* Read a symbol; returns false if it has no address. */
static bool symbol_read(struct symbols_table *t, const GElf_Sym *sym, struct object_symbol *out)
{
	int type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr sh = { .sh_type = SHT_NULL };
	const char *name = symbols_name_of(t, sym->st_name);

	if (type == STT_FILE)
		t->file = name;
	if (type == STT_FILE || type == STT_SECTION || type == STT_TLS || *name == '\0' || is_mapping_symbol(name) ||
	    sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_COMMON)
		return false;
	if (sym->st_shndx < SHN_LORESERVE)
		gelf_getshdr(elf_getscn(t->f->elf, sym->st_shndx), &sh);
	*out = (struct object_symbol){
		.name = name,
		.file = GELF_ST_BIND(sym->st_info) == STB_LOCAL ? t->file : "",
		.addr = sym->st_value,
		.size = sym->st_size,
		.is_data = symbols_is_data(sym, &sh),
		.is_covering = is_covering(sym, &sh),
	};
	if (t->ehdr.e_type == ET_REL)
		out->addr += sh.sh_addr;
	if (t->ehdr.e_machine == EM_ARM && type == STT_FUNC)
		out->addr &= ~UINT64_C(1); /* the bit marks Thumb code */
	return true;
}

static bool symbols_add(struct symbols *list, size_t *cap, const struct object_file *f, uint32_t type)
{
	struct symbols_table t;
	size_t n;

	if (!f->elf || !table_open(f, type, &t))
		return false;
	n = t.syms->d_size / gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
	for (size_t i = 1; i < n && i <= INT32_MAX; i++) {
		struct object_symbol s;
		GElf_Sym sym;

		if (!gelf_getsym(t.syms, (int)i, &sym))
			break;
		if (!symbol_read(&t, &sym, &s))
			continue;
		list->sym = mem_grow(list->sym, cap, list->n + 1, sizeof(*list->sym));
		list->sym[list->n++] = s;
	}
	return n > 1;
}

static int by_address(const void *a, const void *b)
{
	const struct object_symbol *x = a, *y = b;
	int order;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	order = x->name == y->name ? 0 : strcmp(x->name, y->name);
	return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* Choose one symbol per address: the largest, and of several equally large ones the last in the file. */
static void choose_covering(struct symbols *list, struct arena *mem)
{
	list->covering = arena_alloc(mem, list->n ? list->n : 1, sizeof(*list->covering));
	for (size_t i = 0; i < list->n; i++) {
		const struct object_symbol *s = &list->sym[i], *last;

		if (!s->is_covering)
			continue;
		last = list->n_covering ? &list->sym[list->covering[list->n_covering - 1]] : NULL;
		if (!last || last->addr != s->addr)
			list->covering[list->n_covering++] = (uint32_t)i;
		else if (s->size > last->size || (s->size == last->size && s->place > last->place))
			list->covering[list->n_covering - 1] = (uint32_t)i;
	}
}

void symbols_finish(struct symbols *list, struct arena *mem)
{
	for (size_t i = 0; i < list->n; i++)
		list->sym[i].place = (uint32_t)i;
	if (list->n)
		qsort(list->sym, list->n, sizeof(*list->sym), by_address);
	arena_own(mem, list->sym);
	choose_covering(list, mem);
}

/* Read the symbols. They are read again when a debug file has been found. Callers may hold names of the old list, so it
 * stays in
   memory. */
static const struct symbols *symbols_of(struct object *o)
{
	struct symbols list = { 0 };
	size_t cap = 0;

	if (o->symbols_read && (o->symbols.has_symtab || !o->debug.elf || o->debug_is_read))
		return &o->symbols;
	list.has_symtab =
		symbols_add(&list, &cap, &o->file, SHT_SYMTAB) || symbols_add(&list, &cap, &o->debug, SHT_SYMTAB);
	o->debug_is_read = o->debug.elf != NULL;
	if (!list.has_symtab) {
		if (!o->symbols_read)
			object_open_packed(&o->file, &o->mini);
		symbols_add(&list, &cap, &o->file, SHT_DYNSYM);
		symbols_add(&list, &cap, &o->mini, SHT_SYMTAB);
	}
	symbols_finish(&list, o->mem);
	o->symbols = list;
	o->symbols_read = true;
	return &o->symbols;
}

bool object_has_packed_symbols(const struct object *o)
{
	size_t n;

	return o->file.elf && object_file_section_bytes(&o->file, ".gnu_debugdata", &n);
}

size_t object_symbols(struct object *o, const struct object_symbol **out)
{
	const struct symbols *list = symbols_of(o);

	*out = list->sym;
	return list->n;
}

struct covering_key {
	const struct symbols *list;
	uint64_t addr;
};

static bool symbols_is_at_or_below(const void *arg, size_t i)
{
	const struct covering_key *key = arg;

	return key->list->sym[key->list->covering[i]].addr <= key->addr;
}

bool object_symbol_covering(struct object *o, uint64_t addr, struct object_symbol *out)
{
	const struct symbols *list = symbols_of(o);
	size_t next = lower_bound(0, list->n_covering, symbols_is_at_or_below, &(struct covering_key){ list, addr });
	const struct object_symbol *s;

	assert(next <= list->n_covering);
	if (next == 0)
		return false;
	s = &list->sym[list->covering[next - 1]];
	if (s->size != 0 && addr - s->addr >= s->size)
		return false;
	*out = *s;
	return true;
}
