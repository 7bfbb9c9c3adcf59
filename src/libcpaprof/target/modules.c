/*
 * modules.c - what code is mapped, and when it went
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector cannot look at what is gone, and reads the list of mappings at its own pace. So the process
 * tells what it has loaded, with build ids out of its memory (the file may have been replaced), when it begins
 * and before code goes. A number, the generation, counts how often code went; samples have it, so addresses
 * that are used again belong to what was there.
 */
#include "config.h"

#include "libcpaprof/target/modules.h"
#include "libcpaprof/target/objects.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* An object that was told of; its place in the table, + 1, is its number. */
struct known {
	uintptr_t base;
	const void *phdr;
	uint32_t hash; /* of path and build id */
	bool here, seen;
};

static struct known known[MODULES_NUMBERED];
static uint32_t n_known;
static unsigned long long adds, subs; /* of the loader, when we looked last */
static _Atomic uint32_t looking;      /* the process that does; a copy of one that did begins again */
static _Atomic uint32_t again;        /* somebody came meanwhile */

struct list {
	char exe[MODULE_PATH_MAX];
	size_t n_exe;
	bool first;
};

struct object {
	const struct dl_phdr_info *info;
	const char *path;
	const uint8_t *id;
	size_t n_path, n_id;
	uint32_t number, n_exec;
};

/* The build id in the notes of an object, as it is mapped. Gives its length, 0 for none. */
static size_t find_id(const struct dl_phdr_info *o, const uint8_t **id)
{
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &o->dlpi_phdr[i];
		const uint8_t *at = (const uint8_t *)(o->dlpi_addr + h->p_vaddr), *end = at + h->p_memsz;

		if (h->p_type != PT_NOTE)
			continue;
		while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			size_t name = (note->n_namesz + 3u) & ~3u, size = (note->n_descsz + 3u) & ~3u;
			size_t left = (size_t)(end - at) - sizeof(*note);

			if (name > left || size > left - name)
				break;
			if (note->n_type == NT_GNU_BUILD_ID && name == 4 && memcmp(note + 1, "GNU", 4) == 0) {
				*id = (const uint8_t *)(note + 1) + name;
				return note->n_descsz <= MODULE_ID_MAX ? note->n_descsz : 0;
			}
			at += sizeof(*note) + name + size;
		}
	}
	return 0;
}

/* Write a record in one piece. False when there is no room: the collector is slow, or gone. */
static bool put(struct segment_module *m, const void *id, const void *path)
{
	struct segment_proc *p = atomic_load(&cpi.proc);
	uint8_t *all = (uint8_t *)cpi.head + cpi.modules_at + (size_t)cpi.slot * MODULES_MAX;
	uint32_t head = atomic_load_explicit(&p->modules, memory_order_relaxed), at = head % MODULES_MAX;
	uint32_t tail = atomic_load_explicit(&p->modules_read, memory_order_acquire), pad;

	m->size = (uint32_t)((sizeof(*m) + m->n_id + m->n_path + 7) & ~(size_t)7);
	pad = MODULES_MAX - at < m->size ? MODULES_MAX - at : 0;
	if (head - tail > MODULES_MAX || MODULES_MAX - (head - tail) < m->size + pad)
		return false;
	if (pad) {
		memcpy(all + at, &(struct segment_module){ .size = pad, .n_id = MODULE_PAD }, 8);
		at = 0;
	}
	memset(all + at, 0, m->size);
	memcpy(all + at, m, sizeof(*m));
	memcpy(all + at + sizeof(*m), id, m->n_id);
	memcpy(all + at + sizeof(*m) + m->n_id, path, m->n_path);
	atomic_store_explicit(&p->modules, head + pad + m->size, memory_order_release);
	return true;
}

static bool put_segment(const struct object *o, const ElfW(Phdr) * h)
{
	uintptr_t page = SEGMENT_PAGE - 1, base = o->info->dlpi_addr;
	struct segment_module m = { .n_id = (uint16_t)o->n_id, .n_path = (uint16_t)o->n_path };

	m.start = (base + h->p_vaddr) & ~page;
	m.limit = (base + h->p_vaddr + h->p_memsz + page) & ~page;
	m.offset = h->p_offset & ~page;
	m.since = atomic_load(&cpi.generation);
	m.number = o->n_exec == 1 ? o->number : 0;
	return put(&m, o->id, o->path);
}

static bool is_code(const ElfW(Phdr) * h)
{
	return h->p_type == PT_LOAD && h->p_flags & PF_X;
}

/* back: it was there before, at the same place */
static bool put_object(const struct object *o, bool back)
{
	struct segment_module m = { .since = atomic_load(&cpi.generation), .number = o->number };

	if (back && o->n_exec == 1)
		return put(&m, "", "");
	for (int i = 0; i < o->info->dlpi_phnum; i++)
		if (is_code(&o->info->dlpi_phdr[i]) && !put_segment(o, &o->info->dlpi_phdr[i]))
			return false;
	return true;
}

static uint32_t hash_of(const void *bytes, size_t n, uint32_t h)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const uint8_t *)bytes)[i]) * 16777619U;
	return h;
}

/* Its place in the table, or a free one: never used, else of one that is gone. */
static struct known *find(const struct object *o, uint32_t hash)
{
	struct known *room = n_known < MODULES_NUMBERED ? &known[n_known] : NULL;

	for (uint32_t i = 0; i < n_known; i++) {
		struct known *k = &known[i];

		if (k->base == o->info->dlpi_addr && k->phdr == o->info->dlpi_phdr && k->hash == hash)
			return k;
		if (!room && !k->here)
			room = k;
	}
	return room;
}

static void look_at(struct object *o)
{
	uint32_t hash = hash_of(o->id, o->n_id, hash_of(o->path, o->n_path, 2166136261U));
	struct known *k = find(o, hash);
	bool back;

	for (int i = 0; i < o->info->dlpi_phnum; i++)
		o->n_exec += is_code(&o->info->dlpi_phdr[i]);
	if (!k) {
		put_object(o, false);
		return;
	}
	back = k < known + n_known && k->base == o->info->dlpi_addr && k->phdr == o->info->dlpi_phdr && k->hash == hash;
	if (back && k->here) {
		k->seen = true;
		return;
	}
	o->number = (uint32_t)(k - known) + 1;
	if (!put_object(o, back)) /* another time */
		return;
	*k = (struct known){
		.base = o->info->dlpi_addr, .phdr = o->info->dlpi_phdr, .hash = hash, .here = true, .seen = true
	};
	n_known += k == known + n_known;
}

static int take(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct list *l = arg;
	struct object o = { .info = info, .path = info->dlpi_name, .id = (const uint8_t *)"" };

	(void)size;
	o.n_path = strlen(o.path);
	if (l->first || o.n_path == 0) {
		o.path = l->exe;
		o.n_path = l->n_exe;
	} else if (strncmp(o.path, "linux-vdso", 10) == 0 || strncmp(o.path, "linux-gate", 10) == 0) {
		o.path = "[vdso]";
		o.n_path = 6;
	}
	if (o.n_path > MODULE_PATH_MAX)
		o.n_path = MODULE_PATH_MAX;
	l->first = false;
	o.n_id = find_id(info, &o.id);
	look_at(&o);
	return 0;
}

/* What is there now, and what went. */
static void look(void)
{
	struct segment_proc *p = atomic_load(&cpi.proc);
	struct list l = { .first = true };
	ssize_t n = readlink("/proc/self/exe", l.exe, sizeof(l.exe));
	bool gone = false;

	l.n_exe = n > 0 ? (size_t)n : 0;
	dl_iterate_phdr(take, &l);
	for (uint32_t i = 0; i < n_known; i++) {
		gone |= known[i].here && !known[i].seen;
		known[i].here &= known[i].seen;
		known[i].seen = false;
	}
	if (gone)
		atomic_store(&p->generation, atomic_fetch_add(&cpi.generation, 1) + 1);
}

static int count(struct dl_phdr_info *info, size_t size, void *arg)
{
	bool *changed = arg;

	(void)size;
	*changed = info->dlpi_adds != adds || info->dlpi_subs != subs;
	adds = info->dlpi_adds;
	subs = info->dlpi_subs;
	return 1;
}

void cpi_modules_publish(void)
{
	bool changed;

	dl_iterate_phdr(count, &changed);
	n_known = 0;
	look();
}

/*
 * One thread looks at a time, and nobody waits for it: the loader has locks of its own. A child that was
 * forked has what it was told in the mappings that the collector copies.
 */
void cpi_modules_refresh(void)
{
	uint32_t pid = cpi.pid;

	if (!cpi_on_sig() || (!atomic_load(&cpi.proc) && !cpi_process_claim_sig()))
		return;
	atomic_store(&again, 1);
	while (atomic_exchange(&again, 0)) {
		uint32_t is = atomic_load(&looking);
		bool changed = false;

		if (is == pid || !atomic_compare_exchange_strong(&looking, &is, pid)) {
			atomic_store(&again, 1);
			return;
		}
		dl_iterate_phdr(count, &changed);
		if (changed)
			look();
		cpi_objects_refresh(changed);
		atomic_store(&looking, 0);
	}
}
