/*
 * images.c - mappings of processes, from the records of perf events
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The records of one process are in the rings of several CPUs, so they are sorted by time before they are applied.
 */
#include "config.h"

#include "attach/images.h"

#include "base/mem.h"
#include "base/strtab.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct image_mapping {
	uint64_t lo, hi, offset, ino;
	uint32_t dev_major, dev_minor, prot;
	str_id path;
};

struct image {
	const struct images *all;
	uint32_t pid, parent; /* parent: has the mappings at the start, which the records do not contain; 0: none */
	uint64_t start_ns, end_ns, number;
	char name[EVENT_NAME_MAX];
	struct image_mapping *mapping; /* [n] not overlapping */
	size_t n, cap;
};

/* A record that is not applied yet. */
struct image_change {
	struct event_record r; /* path points nowhere */
	str_id path;
};

struct images {
	struct image **image; /* [n] in the order of their start */
	size_t n, cap;
	struct image_change *change; /* [n_changes] */
	size_t n_changes, cap_changes;
	struct strtab *paths;
	uint64_t applied_ns, forgotten_ns; /* times of the last records that were applied */
};

struct images *images_new(void)
{
	struct images *s = mem_zalloc(1, sizeof(*s));

	s->paths = strtab_new();
	return s;
}

static void image_free(struct image *m)
{
	free(m->mapping);
	free(m);
}

void images_free(struct images *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		image_free(s->image[i]);
	free(s->image);
	free(s->change);
	strtab_free(s->paths);
	free(s);
}

void images_add(struct images *s, const struct event_record *r)
{
	struct image_change new = { .r = *r };

	if (r->kind == RECORD_MAPPING)
		new.path = strtab_addz(s->paths, r->path);
	else if (r->kind != RECORD_START && r->kind != RECORD_EXEC && r->kind != RECORD_EXIT)
		return;
	s->change = mem_grow(s->change, &s->cap_changes, s->n_changes + 1, sizeof(*s->change));
	s->change[s->n_changes++] = new;
}

struct image *images_find(struct images *s, uint32_t pid, uint64_t time_ns)
{
	for (size_t i = s->n; i > 0; i--)
		if (s->image[i - 1]->pid == pid && s->image[i - 1]->start_ns <= time_ns)
			return s->image[i - 1];
	return NULL;
}

static struct image *images_start(struct images *s, uint32_t pid, uint64_t time_ns)
{
	struct image *m = mem_zalloc(1, sizeof(*m));

	*m = (struct image){ .all = s, .pid = pid, .start_ns = time_ns };
	s->image = mem_grow(s->image, &s->cap, s->n + 1, sizeof(struct image *));
	return s->image[s->n++] = m;
}

static void image_push(struct image *m, struct image_mapping new)
{
	if (new.lo >= new.hi)
		return;
	m->mapping = mem_grow(m->mapping, &m->cap, m->n + 1, sizeof(*m->mapping));
	m->mapping[m->n++] = new;
}

/* Add a mapping, which replaces others in its range. */
static void image_map(struct image *m, const struct image_mapping *new)
{
	size_t n = m->n;

	for (size_t i = 0; i < n; i++) {
		struct image_mapping old = m->mapping[i], above = old;

		if (old.hi <= new->lo || old.lo >= new->hi)
			continue;
		m->mapping[i].hi = old.lo < new->lo ? new->lo : old.lo; /* empty ones are not written */
		if (above.hi > new->hi) {
			above.offset += new->hi - above.lo;
			above.lo = new->hi;
			image_push(m, above);
		}
	}
	image_push(m, *new);
}

static void images_fork(struct images *s, const struct event_record *r)
{
	const struct image *from = images_find(s, r->parent, r->time_ns);
	struct image *m;

	if (r->pid == r->parent) /* a thread */
		return;
	m = images_start(s, r->pid, r->time_ns);
	m->parent = from ? from->parent : r->parent;
	for (size_t i = 0; from && i < from->n; i++)
		image_push(m, from->mapping[i]);
	if (from)
		memcpy(m->name, from->name, sizeof(m->name));
}

static void images_apply_one(struct images *s, const struct image_change *c)
{
	const struct event_record *r = &c->r;
	struct image *m = images_find(s, r->pid, r->time_ns);

	if (r->kind == RECORD_START) {
		images_fork(s, r);
	} else if (r->kind == RECORD_EXEC) {
		m = images_start(s, r->pid, r->time_ns);
		memcpy(m->name, r->name, sizeof(m->name));
	} else if (r->kind == RECORD_EXIT && m && r->pid == r->tid) {
		m->end_ns = r->time_ns;
	} else if (r->kind == RECORD_MAPPING && m) {
		image_map(m, &(struct image_mapping){ .lo = r->lo,
						      .hi = r->hi,
						      .offset = r->offset,
						      .ino = r->ino,
						      .dev_major = r->dev_major,
						      .dev_minor = r->dev_minor,
						      .prot = r->prot,
						      .path = c->path });
	}
}

static int image_compare_changes(const void *a, const void *b)
{
	const struct image_change *x = a, *y = b;

	return (x->r.time_ns > y->r.time_ns) - (x->r.time_ns < y->r.time_ns);
}

void images_apply(struct images *s)
{
	if (s->n_changes)
		qsort(s->change, s->n_changes, sizeof(*s->change), image_compare_changes);
	for (size_t i = 0; i < s->n_changes; i++)
		images_apply_one(s, &s->change[i]);
	if (s->n_changes)
		s->applied_ns = s->change[s->n_changes - 1].r.time_ns;
	s->n_changes = 0;
}

void images_forget_ended(struct images *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct image *m = s->image[i];

		if (m->end_ns && m->end_ns < s->forgotten_ns)
			image_free(m);
		else
			s->image[n++] = m;
	}
	s->n = n;
	s->forgotten_ns = s->applied_ns;
}

static int image_compare_mappings(const void *a, const void *b)
{
	const struct image_mapping *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

static void image_read_parent(uint32_t pid, struct buf *out)
{
	char name[32], text[4096];
	FILE *file;
	size_t n;

	snprintf(name, sizeof(name), "/proc/%u/maps", pid);
	file = fopen(name, "re");
	while (file && (n = fread(text, 1, sizeof(text), file)) > 0)
		buf_add(out, text, n);
	if (file)
		fclose(file);
}

/* Write a path as the kernel does in /proc/PID/maps. */
static void image_write_path(const char *path, struct buf *out)
{
	for (; *path; path++)
		buf_addf(out, *path == '\n' ? "\\%03o" : "%c", *path);
	buf_addz(out, "\n");
}

void image_write(const struct image *m, struct buf *out)
{
	if (m->parent)
		image_read_parent(m->parent, out);
	if (m->n)
		qsort(m->mapping, m->n, sizeof(*m->mapping), image_compare_mappings);
	for (size_t i = 0; i < m->n; i++) {
		const struct image_mapping *a = &m->mapping[i];

		if (a->lo >= a->hi)
			continue;
		buf_addf(out, "%" PRIx64 "-%" PRIx64 " %c%c%cp %08" PRIx64 " %02x:%02x %" PRIu64 " ", a->lo, a->hi,
			 a->prot & PROT_READ ? 'r' : '-', a->prot & PROT_WRITE ? 'w' : '-',
			 a->prot & PROT_EXEC ? 'x' : '-', a->offset, a->dev_major, a->dev_minor, a->ino);
		image_write_path(strtab_text(m->all->paths, a->path), out);
	}
}

const char *image_name(const struct image *m)
{
	return m->name;
}

uint64_t *image_number(struct image *m)
{
	return &m->number;
}
