/*
 * cache.c - frames found before, in one file per key, in one folder
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file is a header, addresses, offsets, frames and texts, one after the other in the byte order of this machine, so
 * that it needs no conversion. A checksum of all but the first 16 bytes shows whether it is complete. Numbers are
 * validated nevertheless, because another program may have written the file.
 */
#include "config.h"

#include "symbol/cache.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/strtab.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const uint64_t max_folder = 512 << 20;
static const char suffix[] = ".frames";

enum { MAX_KEY = 128, MAX_ENTRIES = 1 << 16 };

struct cache_entry {
	char *name;
	uint64_t size;
	struct timespec used;
};

/* Append the path of the file of a key; false when there is no folder or no valid key. */
static bool cache_add_path(const char *dir, const char *key, struct buf *out)
{
	size_t n = strlen(key);

	if (!*dir || n < 8 || n > MAX_KEY || strspn(key, "0123456789abcdef") != n)
		return false;
	buf_addf(out, "%s/%s%s", dir, key, suffix);
	return true;
}

/* Set the time of a file, to record that it was just used. */
static void cache_mark_used(const char *path)
{
	const struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };

	utimensat(AT_FDCWD, path, now, 0);
}

static int by_use(const void *a, const void *b)
{
	const struct cache_entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* List our files in a folder, with their total size. */
static struct cache_entry *list(DIR *dir, size_t *n, uint64_t *total)
{
	struct cache_entry *e = NULL;
	struct dirent *d;
	size_t cap = 0;
	struct stat st;

	*n = 0;
	*total = 0;
	while (*n < MAX_ENTRIES && (d = readdir(dir))) {
		if (!strstr(d->d_name, suffix) || fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		e = mem_grow(e, &cap, *n + 1, sizeof(*e));
		e[(*n)++] = (struct cache_entry){ mem_strndup(d->d_name, strlen(d->d_name)), (uint64_t)st.st_size,
						  st.st_mtim };
		*total += (uint64_t)st.st_size;
	}
	return e;
}

static void shrink(const char *path)
{
	DIR *dir = opendir(path);
	struct cache_entry *e;
	uint64_t total;
	size_t n;

	if (!dir)
		return;
	e = list(dir, &n, &total);
	if (total > max_folder)
		qsort(e, n, sizeof(*e), by_use);
	for (size_t i = 0; i < n; i++) {
		if (total > max_folder && i + 1 < n && unlinkat(dirfd(dir), e[i].name, 0) == 0)
			total -= e[i].size;
		free(e[i].name);
	}
	free(e);
	closedir(dir);
}

/*
 * Replace the file of a key atomically. Then, while the folder is too large, remove the least recently used
 * files. The folder is created when it is missing; only its owner may read the files. Failures are ignored.
 */
static void cache_replace_file(const char *dir, const char *key, const void *data, size_t n)
{
	struct buf path = { 0 };
	struct io_out out;

	if (cache_add_path(dir, key, &path)) {
		io_make_folders(dir);
		mkdir(dir, 0700);
		if (io_out_open(path.data, &out, NULL) == 0) {
			bool keep = fchmod(out.fd, 0600) == 0 && io_write_fd(out.fd, data, n, NULL) == 0;

			io_out_close(&out, keep, NULL);
			shrink(dir);
		}
	}
	buf_release(&path);
}

enum { MAX_FILE = 64 << 20 };

struct cache_header {
	char magic[8]; /* the first bytes, which include the version */
	uint64_t sum;  /* checksum of the rest */
	uint32_t order;
	uint32_t n, n_frames, n_text;
};

static const char magic[8] = "cpasym1\n";
static const uint32_t order = 0x01020304;

uint64_t cache_sum(const void *data, size_t n)
{
	const unsigned char *p = (const unsigned char *)data + offsetof(struct cache_header, order);
	uint64_t h = n, w;

	n -= offsetof(struct cache_header, order);
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

bool cache_parse(const void *data, size_t n, const char *key, struct cache *out)
{
	const unsigned char *p = data;
	struct cache_header h;
	struct cache c;
	uint64_t size;

	assert(key && out);
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
	if (!is_sound(&c) || c.n_text < 2 || strcmp(c.text + 1, key) != 0)
		return false;
	*out = c;
	return true;
}

bool cache_load(const char *dir, const char *key, struct arena *mem, struct cache *out)
{
	struct bytes b = { 0 };
	struct buf path = { 0 };
	bool is_there;

	*out = (struct cache){ 0 };
	if (!cache_add_path(dir, key, &path))
		return false;
	is_there = io_read_file(path.data, MAX_FILE, NULL, &b, NULL) == 0;
	if (is_there) {
		arena_own(mem, b.data);
		is_there = cache_parse(b.data, b.n, key, out);
		if (is_there)
			cache_mark_used(path.data);
	}
	buf_release(&path);
	return is_there;
}

/* The parts of a file that is being written. */
struct cache_writer {
	struct strtab *texts;
	uint64_t *addr;
	uint32_t *off;
	struct cache_frame *frame; /* frames whose name and file are still ids */
	uint32_t n, n_frames;
};

static uint32_t cache_clamp(int64_t v)
{
	return v < 0 || v > UINT32_MAX ? 0 : (uint32_t)v;
}

static void add_old(struct cache_writer *m, const struct cache *c, uint32_t i)
{
	assert(i < c->n);
	m->addr[m->n] = c->addr[i];
	m->off[m->n++] = m->n_frames;
	for (uint32_t k = c->off[i]; k < c->off[i + 1]; k++) {
		struct cache_frame f = c->frame[k];

		f.name = strtab_addz(m->texts, c->text + f.name);
		f.file = strtab_addz(m->texts, c->text + f.file);
		m->frame[m->n_frames++] = f;
	}
}

static void add_new(struct cache_writer *m, const uint64_t *addr, const struct frames *f, uint32_t i)
{
	m->addr[m->n] = addr[i];
	m->off[m->n++] = m->n_frames;
	for (uint32_t k = f->off[i]; k < f->off[i + 1]; k++)
		m->frame[m->n_frames++] = (struct cache_frame){
			.name = strtab_addz(m->texts, f->frame[k].name),
			.file = strtab_addz(m->texts, f->frame[k].file),
			.line = cache_clamp(f->frame[k].line),
			.column = cache_clamp(f->frame[k].column),
			.start_line = cache_clamp(f->frame[k].start_line),
		};
}

/* Concatenate the texts in order of their ids, and replace ids by offsets. False when they are too long. */
static bool place_texts(struct cache_writer *m, struct buf *text)
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

static void cache_write_file(struct cache_writer *m, const char *dir, const char *key)
{
	struct cache_header h = { .order = order, .n = m->n, .n_frames = m->n_frames };
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
			cache_replace_file(dir, key, out.data, out.len);
	}
	buf_release(&out);
	buf_release(&text);
}

void cache_save(const char *dir, const char *key, const struct cache *old, const uint64_t *addr, const struct frames *f)
{
	uint64_t n = (uint64_t)old->n + f->n, n_frames = (uint64_t)old->n_frames + f->off[f->n];
	struct cache_writer m = { 0 };
	uint32_t i = 0, k = 0;

	if (n * (sizeof(*m.addr) + sizeof(*m.off)) + n_frames * sizeof(*m.frame) > MAX_FILE)
		return;
	m.texts = strtab_new();
	m.addr = mem_alloc(n + 1, sizeof(*m.addr));
	m.off = mem_alloc(n + 1, sizeof(*m.off));
	m.frame = mem_alloc(n_frames + 1, sizeof(*m.frame));
	strtab_addz(m.texts, key);
	while (i < old->n || k < f->n) {
		if (k == f->n || (i < old->n && old->addr[i] < addr[k]))
			add_old(&m, old, i++);
		else
			add_new(&m, addr, f, k++);
	}
	assert(m.n == n && m.n_frames == n_frames);
	cache_write_file(&m, dir, key);
	strtab_free(m.texts);
	free(m.addr);
	free(m.off);
	free(m.frame);
}
