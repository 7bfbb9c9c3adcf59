/*
 * jit.c - names of code that the processes of a run generate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/jit.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum { PROCESSES_MAX = 64 }; /* each has an open file */

struct attach_jit_names {
	struct jit *jit;
};

/* Collect the addresses that are in memory without a file. addr: out, owned by the caller. Returns their number. */
static size_t collect_addresses(const struct snap *s, uint64_t **addr)
{
	const struct snap_row *row = s->row.data;
	size_t n = 0, cap = 0;

	*addr = NULL;
	for (size_t i = 0; i < s->row.n; i++)
		for (uint32_t k = 0; k < row[i].n; k++) {
			struct snap_frame f;

			snap_frame(s, &row[i], k, &f);
			if (f.pseudo || (f.map && !profile_is_memory(f.path, f.n_path)))
				continue;
			*addr = mem_grow(*addr, &cap, n + 1, sizeof(**addr));
			(*addr)[n++] = f.addr;
		}
	return n;
}

static void attach_jit_read_files(const struct snap *s, const struct jit_process *p, struct jit *j, struct buf *notes)
{
	struct jit_process now = { .root = -1, .tmp = -1 };
	struct process_info info;
	char **mapped = NULL;
	size_t n = 0, cap = 0;
	const char *path;
	uint32_t len;

	while ((path = snap_mapping(s, (uint32_t)n, &len)) != NULL) {
		mapped = mem_grow(mapped, &cap, n + 1, sizeof(*mapped));
		mapped[n++] = mem_strndup(path, len);
	}
	process_info(s->p, &info);
	if (!p) {
		jit_process_open(info.pid, &now);
		if (!now.start_ns && !info.is_external)
			now.start_ns = info.began_ns;
	}
	jit_process_read(p ? p : &now, j, (const char *const *)mapped, n, notes);
	jit_process_close(&now);
	for (size_t i = 0; i < n; i++)
		free(mapped[i]);
	free(mapped);
}

struct attach_jit_names *attach_jit_names_new(const struct snap *s, const struct jit_process *p, struct buf *notes)
{
	struct attach_jit_names *names;
	struct buf ignored = { 0 };
	uint64_t *addr;
	size_t n = collect_addresses(s, &addr);
	struct jit *j = n ? jit_new(addr, n) : NULL;

	free(addr);
	if (j)
		attach_jit_read_files(s, p, j, notes ? notes : &ignored);
	buf_release(&ignored);
	if (!j || jit_count(j) == 0) {
		jit_free(j);
		return NULL;
	}
	names = mem_zalloc(1, sizeof(*names));
	names->jit = j;
	return names;
}

void attach_jit_names_free(struct attach_jit_names *n)
{
	if (!n)
		return;
	jit_free(n->jit);
	free(n);
}

bool attach_jit_names_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i,
			 struct snap_name *out)
{
	const struct attach_jit_names *n = arg;
	struct jit_name name;

	(void)p;
	(void)map;
	if (i > 0 || !jit_find(n->jit, addr, &name))
		return false;
	*out = (struct snap_name){ .function = name.function, .offset = name.offset, .is_verbatim = true };
	return true;
}

void attach_jits_track(void *arg, struct process *p)
{
	struct attach_jits *jits = arg;
	struct process_info info;

	process_info(p, &info);
	if (!info.has_generated_code || jits->n == PROCESSES_MAX || attach_jits_find(jits, info.pid))
		return;
	jits->process = mem_grow(jits->process, &jits->cap, jits->n + 1, sizeof(*jits->process));
	jit_process_open(info.pid, &jits->process[jits->n]);
	if (jits->process[jits->n].is_running)
		jits->n++;
	else
		jit_process_close(&jits->process[jits->n]);
}

const struct jit_process *attach_jits_find(const struct attach_jits *jits, pid_t pid)
{
	for (size_t i = 0; i < jits->n; i++)
		if (jits->process[i].pid == pid)
			return &jits->process[i];
	return NULL;
}

void attach_jits_remove(struct attach_jits *jits, pid_t pid)
{
	const struct jit_process *found = attach_jits_find(jits, pid);
	size_t i = found ? (size_t)(found - jits->process) : 0;

	if (!found)
		return;
	assert(jits->n > i);
	jit_process_close(&jits->process[i]);
	jits->process[i] = jits->process[--jits->n];
}

void attach_jits_release(struct attach_jits *jits)
{
	while (jits->n)
		attach_jits_remove(jits, jits->process[0].pid);
	free(jits->process);
}
