/*
 * elfnames.c - function names from the symbol tables of mapped files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/elfnames.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/read/elffile.h"
#include "libcpaprof/collector/read/order.h"

#include <string.h>

enum { NAME_SIZE = 4096, FUNCTIONS_MAX = 1 << 24 };

/* A function. addr is an address of the file. */
struct elfnames_function {
	uint64_t addr, size;
	uint32_t name; /* offset in the string table */
	uint8_t is_local;
};

/* The functions of the file of a mapping. */
struct mapped_file {
	bool is_read;
	struct elffile file;
	struct vec function; /* struct elfnames_function, sorted by address, one per address */
};

struct elfnames {
	struct vec files; /* struct mapped_file; entry i is for mapping i */
	char name[NAME_SIZE];
};

struct elfnames *elfnames_open(void)
{
	return memory_map(sizeof(struct elfnames));
}

void elfnames_close(struct elfnames *e)
{
	struct mapped_file *k;

	if (!e)
		return;
	k = e->files.data;
	for (size_t i = 0; i < e->files.n; i++) {
		elffile_release(&k[i].file);
		vec_release(&k[i].function, sizeof(struct elfnames_function));
	}
	vec_release(&e->files, sizeof(*k));
	memory_unmap(e, sizeof(*e));
}

/* Order by address. Among functions at one address, global ones come first, then larger ones. */
static int elfnames_compare(const void *arg, uint32_t a, uint32_t b)
{
	const struct elfnames_function *x = (const struct elfnames_function *)arg + a,
				       *y = (const struct elfnames_function *)arg + b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->is_local != y->is_local)
		return x->is_local < y->is_local ? -1 : 1;
	return x->size == y->size ? 0 : x->size > y->size ? -1 : 1;
}

static bool collect_functions(struct mapped_file *k)
{
	struct elfnames_function *to, *from;
	const Elf64_Sym *sym = k->file.symbols;
	uint32_t *order;
	struct vec all = { 0 };

	from = vec_reserve(&all, k->file.n_symbols, sizeof(*from), FUNCTIONS_MAX);
	to = from ? vec_reserve(&k->function, k->file.n_symbols, sizeof(*to), FUNCTIONS_MAX) : NULL;
	for (size_t i = 0; to && i < k->file.n_symbols; i++) {
		unsigned type = ELF64_ST_TYPE(sym[i].st_info);

		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && sym[i].st_shndx != SHN_UNDEF)
			from[all.n++] =
				(struct elfnames_function){ .addr = sym[i].st_value,
							    .size = sym[i].st_size,
							    .name = sym[i].st_name,
							    .is_local = ELF64_ST_BIND(sym[i].st_info) == STB_LOCAL };
	}
	order = to && all.n ? order_make(all.n, elfnames_compare, from) : NULL;
	for (size_t i = 0; order && i < all.n; i++)
		if (k->function.n == 0 || to[k->function.n - 1].addr != from[order[i]].addr)
			to[k->function.n++] = from[order[i]];
	order_free(order, all.n);
	vec_release(&all, sizeof(*from));
	return k->function.n != 0;
}

/* The functions of mapping i, read on first use; NULL if there are none. */
static struct mapped_file *get_functions(struct elfnames *e, const struct process *p, uint32_t i)
{
	const struct maps *maps = &p->maps;
	struct mapped_file *k;

	if (i >= maps->map.n)
		return NULL;
	if (i >= e->files.n) {
		if (!vec_reserve(&e->files, i + 1 - e->files.n, sizeof(*k), FUNCTIONS_MAX))
			return NULL;
		e->files.n = i + 1;
	}
	k = (struct mapped_file *)e->files.data + i;
	if (!k->is_read) {
		k->is_read = true;
		if (elffile_read(&k->file, p->pid, maps, (const struct map *)maps->map.data + i))
			collect_functions(k);
	}
	return k->function.n ? k : NULL;
}

static bool elfnames_begins_before_or_at(const void *row, uint64_t addr)
{
	return ((const struct elfnames_function *)row)->addr <= addr;
}

/* The function that contains an address; NULL if there is none. */
static const struct elfnames_function *elfnames_find(const struct mapped_file *k, uint64_t addr)
{
	const struct elfnames_function *f = k->function.data;
	size_t lo = vec_bound(&k->function, sizeof(*f), elfnames_begins_before_or_at, addr);

	if (lo == 0)
		return NULL;
	/* a function without a size extends to the next function */
	return f[lo - 1].size == 0 || addr - f[lo - 1].addr < f[lo - 1].size ? &f[lo - 1] : NULL;
}

bool elfnames_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i, struct snap_name *out)
{
	struct elfnames *e = arg;
	struct mapped_file *k = map && i == 0 ? get_functions(e, p, map - 1) : NULL;
	const struct elfnames_function *f;
	uint64_t at;
	size_t n;

	if (!k || !elffile_address(&k->file, (const struct map *)p->maps.map.data + map - 1, addr, &at))
		return false;
	f = elfnames_find(k, at);
	if (!f || f->name >= k->file.n_texts)
		return false;
	n = strnlen(k->file.texts + f->name, k->file.n_texts - f->name);
	n = n < NAME_SIZE ? n : NAME_SIZE - 1;
	memcpy(e->name, k->file.texts + f->name, n);
	e->name[n] = '\0';
	e->name[strcspn(e->name, "@")] = '\0'; /* remove the version of the symbol */
	*out = (struct snap_name){ .function = e->name, .offset = at - f->addr };
	return *e->name != '\0';
}
