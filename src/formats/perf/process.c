/*
 * process.c - processes and threads while the recording ran
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "formats/perf/perf_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS_MAX = 1 << 20 };

int perfdata_process_find(struct perf_reader *r, uint32_t pid, struct perf_process **out, struct err *err)
{
	uint64_t h = hash_u64(pid);
	uint32_t i;

	if (r->last_process < r->n_processes && r->process[r->last_process].pid == pid) {
		*out = &r->process[r->last_process];
		return 0;
	}
	for (size_t pos = idtab_start(&r->process_tab, h); idtab_next(&r->process_tab, h, &pos, &i);)
		if (r->process[i].pid == pid) {
			r->last_process = i;
			*out = &r->process[i];
			return 0;
		}
	if (r->n_processes >= TASKS_MAX)
		return err_set(err, ERR_LIMIT, "perf.data: more than %d processes", (int)TASKS_MAX);
	r->process = mem_grow(r->process, &r->cap_processes, r->n_processes + 1, sizeof(*r->process));
	r->process[r->n_processes] = (struct perf_process){ .pid = pid, .program = PERF_NONE };
	idtab_put(&r->process_tab, h, (uint32_t)r->n_processes);
	r->last_process = (uint32_t)r->n_processes;
	*out = &r->process[r->n_processes++];
	return 0;
}

int perfdata_thread_find(struct perf_reader *r, uint32_t pid, uint32_t tid, struct perf_thread **out, struct err *err)
{
	uint64_t h = hash_u64((uint64_t)pid << 32 | tid);
	uint32_t i;

	if (r->last_thread < r->n_threads && r->thread[r->last_thread].tid == tid &&
	    r->thread[r->last_thread].pid == pid) {
		*out = &r->thread[r->last_thread];
		return 0;
	}
	for (size_t pos = idtab_start(&r->thread_tab, h); idtab_next(&r->thread_tab, h, &pos, &i);)
		if (r->thread[i].tid == tid && r->thread[i].pid == pid) {
			r->last_thread = i;
			*out = &r->thread[i];
			return 0;
		}
	if (r->n_threads >= TASKS_MAX)
		return err_set(err, ERR_LIMIT, "perf.data: more than %d threads", (int)TASKS_MAX);
	r->thread = mem_grow(r->thread, &r->cap_threads, r->n_threads + 1, sizeof(*r->thread));
	r->thread[r->n_threads] =
		(struct perf_thread){ .tid = tid, .pid = pid, .labels = PERF_NONE, .waiting = PERF_NONE };
	idtab_put(&r->thread_tab, h, (uint32_t)r->n_threads);
	r->last_thread = (uint32_t)r->n_threads;
	*out = &r->thread[r->n_threads++];
	return 0;
}

int perfdata_process_fork(struct perf_reader *r, uint32_t pid, uint32_t parent, uint32_t tid, uint32_t parent_tid,
			  bool has_maps, struct err *err)
{
	struct perf_process *p, *from;
	struct perf_thread *t;
	struct perf_maps *maps;
	str_id comm;
	int rc = perfdata_thread_find(r, parent, parent_tid, &t, err);

	comm = rc < 0 ? 0 : t->comm;
	rc = rc < 0 ? rc : perfdata_thread_find(r, pid, tid, &t, err);
	if (rc < 0)
		return rc;
	if (comm || has_maps) {
		t->comm = comm;
		t->labels = PERF_NONE;
	}
	if (pid == parent)
		return 0;
	rc = perfdata_process_find(r, parent, &from, err);
	if (rc < 0)
		return rc;
	maps = has_maps ? perfdata_maps_share(from->maps) : NULL;
	rc = perfdata_process_find(r, pid, &p, err);
	if (rc < 0) {
		perfdata_maps_drop(r, &maps);
		return rc;
	}
	if (has_maps || p->has_ended) {
		perfdata_maps_drop(r, &p->maps);
		p->maps = maps;
	}
	p->has_ended = false;
	return 0;
}

int perfdata_process_comm(struct perf_reader *r, uint32_t pid, uint32_t tid, const char *name, size_t n, bool is_exec,
			  struct err *err)
{
	struct perf_thread *t;
	struct perf_process *p;
	int rc = perfdata_thread_find(r, pid, tid, &t, err);

	if (rc < 0)
		return rc;
	t->comm = strtab_add(builder_strings(r->b), name, n);
	t->labels = PERF_NONE;
	if (!is_exec)
		return 0;
	rc = perfdata_process_find(r, pid, &p, err);
	if (rc < 0)
		return rc;
	perfdata_maps_drop(r, &p->maps);
	p->program = PERF_NONE;
	return 0;
}

void perfdata_process_exit(struct perf_reader *r, uint32_t pid, uint32_t tid)
{
	struct perf_process *p;

	if (pid == tid && perfdata_process_find(r, pid, &p, NULL) == 0)
		p->has_ended = true;
}

/* The name of a thread; as in perf, one without a known name is called by its number. */
static str_id process_comm(struct perf_reader *r, const struct perf_thread *t)
{
	char name[16];

	if (t->comm)
		return t->comm;
	if (t->pid == 0)
		return strtab_addz(builder_strings(r->b), "swapper");
	snprintf(name, sizeof(name), ":%" PRId32, (int32_t)t->tid);
	return strtab_addz(builder_strings(r->b), name);
}

int perfdata_thread_labels(struct perf_reader *r, struct perf_thread *t, uint32_t *out, struct err *err)
{
	struct builder_label label[3];
	int rc = 0;

	if (t->labels == PERF_NONE) {
		label[0] = (struct builder_label){ .key = r->key_pid, .num = (int32_t)t->pid };
		label[1] = (struct builder_label){ .key = r->key_tid, .num = (int32_t)t->tid };
		label[2] = (struct builder_label){ .key = r->key_comm, .text = process_comm(r, t), .is_text = true };
		for (int i = 0; rc == 0 && i < 3; i++)
			rc = builder_label(r->b, &label[i], &t->label[i], err);
		rc = rc < 0 ? rc : builder_label_set(r->b, t->label, 3, &t->labels, err);
	}
	*out = t->labels;
	return rc;
}

void perfdata_process_release(struct perf_reader *r)
{
	for (size_t i = 0; i < r->n_processes; i++) {
		perfdata_maps_drop(r, &r->process[i].maps);
		if (r->process[i].space)
			r->options->unwinder->close(r->options->unwinder->arg, r->process[i].space);
	}
	perfdata_maps_drop(r, &r->kernel);
	perfdata_maps_drop(r, &r->guest);
	free(r->process);
	free(r->thread);
	free(r->module);
}
