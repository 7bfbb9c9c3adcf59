/*
 * modules.c - what code is mapped, for when the process is gone before anybody could look
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Build ids are read from memory: the file may have been replaced.
 */
#include "config.h"

#include "runtime/target.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

struct list {
	uint8_t *to; /* [MODULES_MAX] */
	uint32_t n;
	char exe[MODULE_PATH_MAX];
	size_t n_exe;
	bool first;
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

static void add(struct list *l, const ElfW(Phdr) * h, uintptr_t base, const char *path, size_t n_path,
		const uint8_t *id, size_t n_id)
{
	uintptr_t page = SEGMENT_PAGE - 1;
	struct segment_module m = { .n_id = (uint16_t)n_id, .n_path = (uint16_t)n_path };

	m.start = (base + h->p_vaddr) & ~page;
	m.limit = (base + h->p_vaddr + h->p_memsz + page) & ~page;
	m.offset = h->p_offset & ~page;
	m.size = (uint32_t)((sizeof(m) + n_id + n_path + 7) & ~(size_t)7);
	if (m.size > MODULES_MAX - l->n)
		return;
	memset(l->to + l->n, 0, m.size);
	memcpy(l->to + l->n, &m, sizeof(m));
	memcpy(l->to + l->n + sizeof(m), id, n_id);
	memcpy(l->to + l->n + sizeof(m) + n_id, path, n_path);
	l->n += m.size;
}

static int take(struct dl_phdr_info *o, size_t size, void *arg)
{
	struct list *l = arg;
	const char *path = o->dlpi_name;
	size_t n_path = strlen(path), n_id;
	const uint8_t *id = (const uint8_t *)"";

	(void)size;
	if (l->first || n_path == 0) {
		path = l->exe;
		n_path = l->n_exe;
	} else if (strncmp(path, "linux-vdso", 10) == 0 || strncmp(path, "linux-gate", 10) == 0) {
		path = "[vdso]";
		n_path = 6;
	}
	if (n_path > MODULE_PATH_MAX)
		n_path = MODULE_PATH_MAX;
	l->first = false;
	n_id = find_id(o, &id);
	for (int i = 0; i < o->dlpi_phnum; i++)
		if (o->dlpi_phdr[i].p_type == PT_LOAD && o->dlpi_phdr[i].p_flags & PF_X)
			add(l, &o->dlpi_phdr[i], o->dlpi_addr, path, n_path, id, n_id);
	return 0;
}

void cpi_modules_publish(void)
{
	uint8_t *all = (uint8_t *)cpi.head + cpi.modules_at;
	struct list l = { .to = all + (size_t)cpi.slot * MODULES_MAX, .first = true };
	ssize_t n = readlink("/proc/self/exe", l.exe, sizeof(l.exe));

	l.n_exe = n > 0 ? (size_t)n : 0;
	dl_iterate_phdr(take, &l);
	atomic_store_explicit(&atomic_load(&cpi.proc)->modules, l.n, memory_order_release);
}
