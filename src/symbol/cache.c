/*
 * cache.c - frames that were found before, in a file for each build id
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file is a header, addresses, offsets, frames and texts, one after the other in the order of bytes
 * of this machine, so that it is used as it was read. A sum over all but the first 16 bytes tells
 * whether it is whole; numbers are checked nevertheless, since others may have made it.
 */
#include "config.h"

#include "symbol/cache.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "symbol/cache_folder.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILE = 64 << 20 };

struct header {
	char magic[8]; /* with the version */
	uint64_t sum;  /* of what follows */
	uint32_t order;
	uint32_t n, n_frames, n_text;
};

static const char magic[8] = "cpasym1\n";
static const uint32_t order = 0x01020304;

uint64_t cache_sum(const void *data, size_t n)
{
	const unsigned char *p = (const unsigned char *)data + offsetof(struct header, order);
	uint64_t h = n, w;

	n -= offsetof(struct header, order);
	for (; n >= sizeof(w); p += sizeof(w), n -= sizeof(w)) {
		memcpy(&w, p, sizeof(w));
		h = (h ^ w) * 0x9e3779b97f4a7c15;
		h ^= h >> 32;
	}
	w = 0;
	memcpy(&w, p, n);
	h = (h ^ w) * 0x9e3779b97f4a7c15;
	return h ^ h >> 32;
}

static bool is_sound(const struct cache *c)
{
	if (!c->n_text || c->text[c->n_text - 1] || c->text[0] || c->off[0] || c->off[c->n] != c->n_frames)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->off[i] > c->off[i + 1] || (i && c->addr[i - 1] >= c->addr[i]))
			return false;
	for (uint32_t i = 0; i < c->n_frames; i++)
		if (c->frame[i].name >= c->n_text || c->frame[i].file >= c->n_text)
			return false;
	return true;
}

bool cache_parse(const void *data, size_t n, const char *build_id, struct cache *out)
{
	const unsigned char *p = data;
	struct header h;
	struct cache c;
	uint64_t size;

	*out = (struct cache){ 0 };
	if (n < sizeof(h))
		return false;
	memcpy(&h, p, sizeof(h));
	size = sizeof(h) + (uint64_t)h.n * sizeof(*c.addr) + ((uint64_t)h.n + 1) * sizeof(*c.off) +
	       (uint64_t)h.n_frames * sizeof(*c.frame) + h.n_text;
	if (memcmp(h.magic, magic, sizeof(magic)) != 0 || h.order != order || size != n || h.sum != cache_sum(p, n))
		return false;
	c = (struct cache){ .n = h.n, .n_frames = h.n_frames, .n_text = h.n_text };
	c.addr = (const void *)(p + sizeof(h));
	c.off = (const void *)(c.addr + c.n);
	c.frame = (const void *)(c.off + c.n + 1);
	c.text = (const void *)(c.frame + c.n_frames);
	if (!is_sound(&c) || c.n_text < 2 || strcmp(c.text + 1, build_id) != 0)
		return false;
	*out = c;
	return true;
}

bool cache_load(const char *dir, const char *build_id, struct arena *mem, struct cache *out)
{
	struct bytes b = { 0 };
	struct buf path = { 0 };
	bool is_there;

	*out = (struct cache){ 0 };
	if (!cache_folder_path(dir, build_id, &path))
		return false;
	is_there = io_read_file(path.data, MAX_FILE, "nothing", &b, NULL) == 0;
	if (is_there) {
		arena_own(mem, b.data);
		is_there = cache_parse(b.data, b.n, build_id, out);
		if (is_there)
			cache_folder_used(path.data);
	}
	buf_release(&path);
	return is_there;
}

/* The parts of a file that is being made. */
struct maker {
	struct strtab *texts;
	uint64_t *addr;
	uint32_t *off;
	struct cache_frame *frame; /* name and file are still ids */
	uint32_t n, n_frames;
};

static uint32_t clamp(int64_t v)
{
	return v < 0 || v > UINT32_MAX ? 0 : (uint32_t)v;
}

static void add_old(struct maker *m, const struct cache *c, uint32_t i)
{
	m->addr[m->n] = c->addr[i];
	m->off[m->n++] = m->n_frames;
	for (uint32_t k = c->off[i]; k < c->off[i + 1]; k++) {
		struct cache_frame f = c->frame[k];

		f.name = strtab_addz(m->texts, c->text + f.name);
		f.file = strtab_addz(m->texts, c->text + f.file);
		m->frame[m->n_frames++] = f;
	}
}

static void add_new(struct maker *m, const uint64_t *addr, const struct frames *f, uint32_t i)
{
	m->addr[m->n] = addr[i];
	m->off[m->n++] = m->n_frames;
	for (uint32_t k = f->off[i]; k < f->off[i + 1]; k++)
		m->frame[m->n_frames++] = (struct cache_frame){
			.name = strtab_addz(m->texts, f->frame[k].name),
			.file = strtab_addz(m->texts, f->frame[k].file),
			.line = clamp(f->frame[k].line),
			.column = clamp(f->frame[k].column),
			.start_line = clamp(f->frame[k].start_line),
		};
}

/* Texts one after the other, by id; and ids become places. False when they are too many. */
static bool place_texts(struct maker *m, struct buf *text)
{
	uint32_t n = strtab_count(m->texts), *place = mem_alloc(n, sizeof(*place));
	uint64_t size = 0;

	for (uint32_t i = 0; i < n; i++) {
		place[i] = (uint32_t)size;
		size += strtab_len(m->texts, i) + 1;
		if (size > MAX_FILE)
			break;
		buf_add(text, strtab_text(m->texts, i), strtab_len(m->texts, i) + 1);
	}
	for (uint32_t i = 0; i < m->n_frames && size <= MAX_FILE; i++) {
		m->frame[i].name = place[m->frame[i].name];
		m->frame[i].file = place[m->frame[i].file];
	}
	free(place);
	return size <= MAX_FILE;
}

static void write_file(struct maker *m, const char *dir, const char *build_id)
{
	struct header h = { .order = order, .n = m->n, .n_frames = m->n_frames };
	struct buf out = { 0 }, text = { 0 };

	memcpy(h.magic, magic, sizeof(magic));
	if (place_texts(m, &text)) {
		h.n_text = (uint32_t)text.len;
		m->off[m->n] = m->n_frames;
		buf_add(&out, &h, sizeof(h));
		buf_add(&out, m->addr, m->n * sizeof(*m->addr));
		buf_add(&out, m->off, ((size_t)m->n + 1) * sizeof(*m->off));
		buf_add(&out, m->frame, m->n_frames * sizeof(*m->frame));
		buf_add(&out, text.data, text.len);
		h.sum = cache_sum(out.data, out.len);
		memcpy(out.data, &h, sizeof(h));
		if (out.len <= MAX_FILE)
			cache_folder_put(dir, build_id, out.data, out.len);
	}
	buf_release(&out);
	buf_release(&text);
}

void cache_save(const char *dir, const char *build_id, const struct cache *old, const uint64_t *addr,
		const struct frames *f)
{
	uint64_t n = (uint64_t)old->n + f->n, n_frames = (uint64_t)old->n_frames + f->off[f->n];
	struct maker m = { 0 };
	uint32_t i = 0, k = 0;

	if (n * (sizeof(*m.addr) + sizeof(*m.off)) + n_frames * sizeof(*m.frame) > MAX_FILE)
		return;
	m.texts = strtab_new();
	m.addr = mem_alloc(n + 1, sizeof(*m.addr));
	m.off = mem_alloc(n + 1, sizeof(*m.off));
	m.frame = mem_alloc(n_frames + 1, sizeof(*m.frame));
	strtab_addz(m.texts, build_id);
	while (i < old->n || k < f->n) {
		if (k == f->n || (i < old->n && old->addr[i] < addr[k]))
			add_old(&m, old, i++);
		else
			add_new(&m, addr, f, k++);
	}
	write_file(&m, dir, build_id);
	strtab_free(m.texts);
	free(m.addr);
	free(m.off);
	free(m.frame);
}
