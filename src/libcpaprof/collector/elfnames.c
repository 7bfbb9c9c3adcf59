/*
 * elfnames.c - names of functions, out of the symbol tables of mapped files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/elfnames.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/elffile.h"
#include "libcpaprof/collector/order.h"

#include <string.h>

enum { NAME_SIZE = 4096, FUNCTIONS_MAX = 1 << 24 };

/* A function. Addresses are the file's. */
struct function {
	uint64_t addr, size;
	uint32_t name; /* in the table of texts */
	uint8_t local;
};

/* What is known of the file of a mapping. */
struct known {
	bool tried;
	struct elffile file;
	struct vec function; /* struct function, in order of address, one for each */
};

struct elfnames {
	struct vec known; /* struct known: of mappings */
	char name[NAME_SIZE];
};

struct elfnames *elfnames_open(void)
{
	return memory_map(sizeof(struct elfnames));
}

void elfnames_close(struct elfnames *e)
{
	struct known *k;

	if (!e)
		return;
	k = e->known.data;
	for (size_t i = 0; i < e->known.n; i++) {
		elffile_release(&k[i].file);
		vec_release(&k[i].function, sizeof(struct function));
	}
	vec_release(&e->known, sizeof(*k));
	memory_unmap(e, sizeof(*e));
}

/* Of those at one address the one that is known outside, is largest, and comes first in the file. */
static int compare(const void *arg, uint32_t a, uint32_t b)
{
	const struct function *x = (const struct function *)arg + a, *y = (const struct function *)arg + b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->local != y->local)
		return x->local < y->local ? -1 : 1;
	return x->size == y->size ? 0 : x->size > y->size ? -1 : 1;
}

static bool collect_functions(struct known *k)
{
	struct function *to, *from;
	const Elf64_Sym *sym = k->file.symbols;
	uint32_t *order;
	struct vec all = { 0 };

	from = vec_room(&all, k->file.n_symbols, sizeof(*from), FUNCTIONS_MAX);
	to = from ? vec_room(&k->function, k->file.n_symbols, sizeof(*to), FUNCTIONS_MAX) : NULL;
	for (size_t i = 0; to && i < k->file.n_symbols; i++) {
		unsigned type = ELF64_ST_TYPE(sym[i].st_info);

		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && sym[i].st_shndx != SHN_UNDEF)
			from[all.n++] = (struct function){ .addr = sym[i].st_value,
							   .size = sym[i].st_size,
							   .name = sym[i].st_name,
							   .local = ELF64_ST_BIND(sym[i].st_info) == STB_LOCAL };
	}
	order = to && all.n ? order_make(all.n, compare, from) : NULL;
	for (size_t i = 0; order && i < all.n; i++)
		if (k->function.n == 0 || to[k->function.n - 1].addr != from[order[i]].addr)
			to[k->function.n++] = from[order[i]];
	order_free(order, all.n);
	vec_release(&all, sizeof(*from));
	return k->function.n != 0;
}

/* What is known of mapping i; NULL when nothing is. */
static struct known *look(struct elfnames *e, const struct process *p, uint32_t i)
{
	const struct maps *maps = &p->maps;
	struct known *k;

	if (i >= maps->map.n)
		return NULL;
	if (i >= e->known.n) {
		if (!vec_room(&e->known, i + 1 - e->known.n, sizeof(*k), FUNCTIONS_MAX))
			return NULL;
		e->known.n = i + 1;
	}
	k = (struct known *)e->known.data + i;
	if (!k->tried) {
		k->tried = true;
		if (elffile_read(&k->file, p->pid, maps, (const struct map *)maps->map.data + i))
			collect_functions(k);
	}
	return k->function.n ? k : NULL;
}

static bool begins_before_or_at(const void *row, uint64_t addr)
{
	return ((const struct function *)row)->addr <= addr;
}

/* The last function that begins at an address or before it, if that belongs to it. */
static const struct function *find(const struct known *k, uint64_t addr)
{
	const struct function *f = k->function.data;
	size_t lo = vec_bound(&k->function, sizeof(*f), begins_before_or_at, addr);

	if (lo == 0)
		return NULL;
	/* one without a size goes on to the next */
	return f[lo - 1].size == 0 || addr - f[lo - 1].addr < f[lo - 1].size ? &f[lo - 1] : NULL;
}

bool elfnames_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i, struct snap_name *out)
{
	struct elfnames *e = arg;
	struct known *k = map && i == 0 ? look(e, p, map - 1) : NULL;
	const struct function *f;
	uint64_t at;
	size_t n;

	if (!k || !elffile_address(&k->file, (const struct map *)p->maps.map.data + map - 1, addr, &at))
		return false;
	f = find(k, at);
	if (!f || f->name >= k->file.n_texts)
		return false;
	n = strnlen(k->file.texts + f->name, k->file.n_texts - f->name);
	n = n < NAME_SIZE ? n : NAME_SIZE - 1;
	memcpy(e->name, k->file.texts + f->name, n);
	e->name[n] = '\0';
	e->name[strcspn(e->name, "@")] = '\0'; /* the version of the symbol */
	*out = (struct snap_name){ .function = e->name, .offset = at - f->addr };
	return *e->name != '\0';
}
