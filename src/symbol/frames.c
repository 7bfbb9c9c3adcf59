/*
 * frames.c - object addresses to functions, files and lines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/frames.h"

#include "base/mem.h"
#include "symbol/cache.h"
#include "symbol/frames_read.h"

#include <string.h>

/* Names alone, and quickly. Unlike pprof with nm, no symbol reaches past its own end: the last one that a
   stripped library exports before its inner functions would get all their weight. */
static void find_fast(struct object *o, const uint64_t *addr, uint32_t n, struct arena *mem, struct frames *out)
{
	struct frame *frame = arena_alloc(mem, (size_t)n + 1, sizeof(*frame));
	uint32_t n_frames = 0;

	*out = (struct frames){ .n = n, .off = arena_alloc(mem, (size_t)n + 1, sizeof(uint32_t)), .frame = frame };
	for (uint32_t i = 0; i < n; i++) {
		struct object_symbol s;

		out->off[i] = n_frames;
		if (object_symbol_covering(o, addr[i], &s))
			frame[n_frames++] =
				(struct frame){ .name = arena_strndup(mem, s.name, strlen(s.name)), .file = "" };
	}
	out->off[n] = n_frames;
	out->source = n_frames ? "symbol table" : "";
}

/* What the cache says of an address, which is the i-th of it. */
static uint32_t put_known(const struct cache *c, uint32_t i, struct frame *out)
{
	uint32_t n = c->off[i + 1] - c->off[i];

	for (uint32_t k = 0; k < n; k++) {
		const struct cache_frame *f = &c->frame[c->off[i] + k];

		out[k] = (struct frame){ c->text + f->name, c->text + f->file, f->line, f->column, f->start_line };
	}
	return n;
}

/* Those of addr that the cache does not know; *n how many. */
static uint64_t *find_unknown(const struct cache *c, const uint64_t *addr, uint32_t *n, struct arena *mem)
{
	uint64_t *unknown = arena_alloc(mem, (size_t)*n + 1, sizeof(*unknown));
	uint32_t n_unknown = 0;

	for (uint32_t i = 0, k = 0; i < *n; i++) {
		while (k < c->n && c->addr[k] < addr[i])
			k++;
		if (k == c->n || c->addr[k] != addr[i])
			unknown[n_unknown++] = addr[i];
	}
	*n = n_unknown;
	return unknown;
}

/* Put together what was known and what was found, each address being in one of them. */
static void join(const struct cache *c, const struct frames *found, const uint64_t *unknown, const uint64_t *addr,
		 uint32_t n, struct arena *mem, struct frames *out)
{
	size_t n_frames = (size_t)found->off[found->n];
	uint32_t at = 0;

	for (uint32_t i = 0, k = 0; i < n; i++) {
		while (k < c->n && c->addr[k] < addr[i])
			k++;
		if (k < c->n && c->addr[k] == addr[i])
			n_frames += c->off[k + 1] - c->off[k];
	}
	*out = (struct frames){ .n = n, .off = arena_alloc(mem, (size_t)n + 1, sizeof(uint32_t)) };
	out->frame = arena_alloc(mem, n_frames + 1, sizeof(*out->frame));
	for (uint32_t i = 0, k = 0, u = 0; i < n; i++) {
		out->off[i] = at;
		if (u < found->n && unknown[u] == addr[i]) {
			uint32_t len = found->off[u + 1] - found->off[u];

			if (len) /* found has no list when it has nothing at all */
				memcpy(out->frame + at, found->frame + found->off[u], len * sizeof(*out->frame));
			at += len;
			u++;
			continue;
		}
		while (c->addr[k] < addr[i])
			k++;
		at += put_known(c, k, out->frame + at);
	}
	out->off[n] = at;
	out->source = found->n ? found->source : "cache";
}

/* Where nothing was found, ask tables that only the object reads. */
static void fill_holes(struct object *o, const uint64_t *addr, struct arena *mem, struct frames *f)
{
	struct frame *frame = arena_alloc(mem, (size_t)f->off[f->n] + f->n + 1, sizeof(*frame));
	uint32_t *off = arena_alloc(mem, (size_t)f->n + 1, sizeof(*off)), at = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t len = f->off[i + 1] - f->off[i];
		struct object_symbol s;

		off[i] = at;
		if (len)
			memcpy(frame + at, f->frame + f->off[i], len * sizeof(*frame));
		else if (object_symbol_covering(o, addr[i], &s))
			frame[at++] = (struct frame){ .name = arena_strndup(mem, s.name, strlen(s.name)), .file = "" };
		at += len;
	}
	off[f->n] = at;
	f->off = off;
	f->frame = frame;
	if (at && !(f->source && *f->source))
		f->source = "symbol table";
}

int frames_find(struct object *o, const struct symbol_where *w, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, struct buf *tried, struct err *err)
{
	struct frames_files files = {
		.fd = object_fd(o), .debug_fd = -1, .alt_fd = -1, .path = object_path(o), .stop = w->stop
	};
	struct frames found = { .off = &(uint32_t){ 0 } };
	uint32_t n_unknown = n;
	uint64_t *unknown;
	struct cache c;
	bool whole = false;
	int rc = 0;

	if (w->fast || object_fd(o) < 0) {
		find_fast(o, addr, n, mem, out);
		return 0;
	}
	cache_load(w->cache, object_build_id(o), mem, &c);
	unknown = find_unknown(&c, addr, &n_unknown, mem);
	if (n_unknown) {
		files.debug_fd = object_debug(o, w, tried, &files.path);
		if (files.debug_fd >= 0)
			files.alt_fd = object_debug_alt(o, w, tried);
		rc = frames_read(&files, unknown, n_unknown, mem, &found, &whole, err);
	}
	if (found.n && object_has_packed_symbols(o))
		fill_holes(o, unknown, mem, &found);
	if (whole && n_unknown)
		cache_save(w->cache, object_build_id(o), &c, unknown, &found);
	join(&c, &found, unknown, addr, n, mem, out);
	return rc;
}
