/*
 * modules.c - publishes which code is mapped, and when code is unloaded
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector cannot inspect objects that are gone, and it reads the list of mappings at its own pace. So the process
 * publishes the objects it has loaded, with build ids from its memory (the file may have been replaced), at startup and
 * before code is unloaded. The generation is the number of times code was unloaded. Samples carry it, so a reused
 * address is attributed to the code that was there at the time.
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

/* An object that has been published. Its number is its index in the table + 1. */
struct published {
	uintptr_t base;
	const void *phdr;
	uint32_t hash; /* hash of path and build id */
	bool is_loaded, seen;
};

static struct published published[MODULES_NUMBERED];
static uint32_t n_published;
static unsigned long long adds, subs; /* counters of the loader at the last scan */
static _Atomic uint32_t scanning_pid; /* pid of the process that scans; a child forked meanwhile scans too */
static _Atomic uint32_t rescan;       /* another thread requested a scan meanwhile */

struct scan_state {
	char exe[MODULE_PATH_MAX];
	size_t n_exe;
	bool first;
};

struct modules_object {
	const struct dl_phdr_info *info;
	const char *path;
	const uint8_t *id;
	size_t n_path, n_id;
	uint32_t number, n_exec;
};

const ElfW(Nhdr) * cpi_modules_note(const struct dl_phdr_info *o, uint32_t type, const char *name)
{
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &o->dlpi_phdr[i];
		const uint8_t *at = (const uint8_t *)(o->dlpi_addr + h->p_vaddr), *end = at + h->p_memsz;

		while (h->p_type == PT_NOTE && (size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			size_t n_name = (note->n_namesz + 3u) & ~3u, size = (note->n_descsz + 3u) & ~3u;
			size_t left = (size_t)(end - at) - sizeof(*note);

			if (n_name > left || size > left - n_name)
				break;
			if (note->n_type == type && n_name == MODULE_NOTE_NAME &&
			    memcmp(note + 1, name, strlen(name) + 1) == 0)
				return note;
			at += sizeof(*note) + n_name + size;
		}
	}
	return NULL;
}

/* Write a record in one piece. Returns false if there is no room: the collector is slow, or gone. */
static bool write_record(struct segment_module *m, const void *id, const void *path)
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

static bool modules_write_segment(const struct modules_object *o, const ElfW(Phdr) * h)
{
	uintptr_t page = SEGMENT_PAGE - 1, base = o->info->dlpi_addr;
	struct segment_module m = { .n_id = (uint16_t)o->n_id, .n_path = (uint16_t)o->n_path };

	m.start = (base + h->p_vaddr) & ~page;
	m.limit = (base + h->p_vaddr + h->p_memsz + page) & ~page;
	m.offset = h->p_offset & ~page;
	m.since = atomic_load(&cpi.generation);
	m.number = o->n_exec == 1 ? o->number : 0;
	return write_record(&m, o->id, o->path);
}

static bool is_code(const ElfW(Phdr) * h)
{
	return h->p_type == PT_LOAD && h->p_flags & PF_X;
}

/* Write all code of an object. is_reload: it was published before, at the same address. */
static bool write_object(const struct modules_object *o, bool is_reload)
{
	struct segment_module m = { .since = atomic_load(&cpi.generation), .number = o->number };

	if (is_reload && o->n_exec == 1)
		return write_record(&m, "", "");
	for (int i = 0; i < o->info->dlpi_phnum; i++)
		if (is_code(&o->info->dlpi_phdr[i]) && !modules_write_segment(o, &o->info->dlpi_phdr[i]))
			return false;
	return true;
}

static uint32_t modules_hash_of(const void *bytes, size_t n, uint32_t h)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const uint8_t *)bytes)[i]) * 16777619U;
	return h;
}

/* Find the entry of an object. If it has none, return an unused entry or, if there is none either, the entry of an
   unloaded object. */
static struct published *modules_find(const struct modules_object *o, uint32_t hash)
{
	struct published *room = n_published < MODULES_NUMBERED ? &published[n_published] : NULL;

	for (uint32_t i = 0; i < n_published; i++) {
		struct published *k = &published[i];

		if (k->base == o->info->dlpi_addr && k->phdr == o->info->dlpi_phdr && k->hash == hash)
			return k;
		if (!room && !k->is_loaded)
			room = k;
	}
	return room;
}

static void publish_object(struct modules_object *o)
{
	uint32_t hash = modules_hash_of(o->id, o->n_id, modules_hash_of(o->path, o->n_path, 2166136261U));
	struct published *k = modules_find(o, hash);
	bool is_reload;

	for (int i = 0; i < o->info->dlpi_phnum; i++)
		o->n_exec += is_code(&o->info->dlpi_phdr[i]);
	if (!k) {
		write_object(o, false);
		return;
	}
	is_reload = k < published + n_published && k->base == o->info->dlpi_addr && k->phdr == o->info->dlpi_phdr &&
		    k->hash == hash;
	if (is_reload && k->is_loaded) {
		k->seen = true;
		return;
	}
	o->number = (uint32_t)(k - published) + 1;
	if (!write_object(o, is_reload)) /* failed: the next scan tries again */
		return;
	*k = (struct published){
		.base = o->info->dlpi_addr, .phdr = o->info->dlpi_phdr, .hash = hash, .is_loaded = true, .seen = true
	};
	n_published += k == published + n_published;
}

static int scan_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct scan_state *l = arg;
	struct modules_object o = { .info = info, .path = info->dlpi_name, .id = (const uint8_t *)"" };
	const ElfW(Nhdr) * note;

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
	note = cpi_modules_note(info, NT_GNU_BUILD_ID, "GNU");
	if (note && note->n_descsz <= MODULE_ID_MAX) {
		o.id = (const uint8_t *)(note + 1) + MODULE_NOTE_NAME;
		o.n_id = note->n_descsz;
	}
	publish_object(&o);
	return 0;
}

/* Scan the loaded objects, and find those that were unloaded. */
static void modules_scan(void)
{
	struct segment_proc *p = atomic_load(&cpi.proc);
	struct scan_state l = { .first = true };
	ssize_t n = readlink("/proc/self/exe", l.exe, sizeof(l.exe));
	bool is_unloaded = false;

	l.n_exe = n > 0 ? (size_t)n : 0;
	dl_iterate_phdr(scan_object, &l);
	for (uint32_t i = 0; i < n_published; i++) {
		is_unloaded |= published[i].is_loaded && !published[i].seen;
		published[i].is_loaded &= published[i].seen;
		published[i].seen = false;
	}
	if (is_unloaded)
		atomic_store(&p->generation, atomic_fetch_add(&cpi.generation, 1) + 1);
}

static int check_counters(struct dl_phdr_info *info, size_t size, void *arg)
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

	dl_iterate_phdr(check_counters, &changed);
	n_published = 0;
	modules_scan();
}

/*
 * One thread scans at a time, and the others do not wait for it, because the loader has locks of its own. A forked
 * child needs no scan: the collector copies the mappings of its parent.
 */
void cpi_modules_refresh(void)
{
	uint32_t pid = cpi.pid;

	if (!cpi_is_on_sig() || (!atomic_load(&cpi.proc) && !cpi_process_claim_sig()))
		return;
	atomic_store(&rescan, 1);
	while (atomic_exchange(&rescan, 0)) {
		uint32_t expected = atomic_load(&scanning_pid);
		bool changed = false;

		if (expected == pid || !atomic_compare_exchange_strong(&scanning_pid, &expected, pid)) {
			atomic_store(&rescan, 1);
			return;
		}
		dl_iterate_phdr(check_counters, &changed);
		if (changed)
			modules_scan();
		cpi_objects_refresh(changed);
		atomic_store(&scanning_pid, 0);
	}
}
