/*
 * snapshot.c - list of all loaded objects
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

#include <link.h>

struct unwind_snapshot {
	struct unwind_object *object;
	uint32_t n, max;
};

static void unwind_snapshot_insert(struct unwind_snapshot *t, const struct unwind_object *obj)
{
	uint32_t i = t->n;

	for (; i > 0 && t->object[i - 1].lo > obj->lo; i--)
		t->object[i] = t->object[i - 1];
	t->object[i] = *obj;
}

static int unwind_snapshot_add_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct unwind_snapshot *t = arg;
	uint64_t lo = UINT64_MAX, hi = 0, hdr = 0;
	struct unwind_object obj;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && at < lo)
			lo = at;
		if (ph->p_type == PT_LOAD && at + ph->p_memsz > hi)
			hi = at + ph->p_memsz;
		if (ph->p_type == PT_GNU_EH_FRAME)
			hdr = at;
	}
	lo &= ~(uint64_t)4095;
	if (lo >= hi)
		return 0;
	if (t->n < t->max) {
		cpi_unwind_object_init_loaded(lo, hi, hdr, info->dlpi_phdr, info->dlpi_phnum, &obj);
		unwind_snapshot_insert(t, &obj);
	}
	t->n++;
	return 0;
}

uint32_t cpi_unwind_snapshot(struct unwind_object *object, uint32_t max)
{
	struct unwind_snapshot t = { .object = object, .max = max };

	dl_iterate_phdr(unwind_snapshot_add_object, &t);
	return t.n;
}
