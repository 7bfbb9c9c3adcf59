/*
 * frames.c - object addresses to functions, files and lines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/frames.h"

#include "base/mem.h"
#include "symbol/frames_read.h"

#include <string.h>

/* Names alone, and quickly: what nm would say. */
static void find_fast(struct object *o, const uint64_t *addr, uint32_t n, struct arena *mem, struct frames *out)
{
	struct frame *frame = arena_alloc(mem, (size_t)n + 1, sizeof(*frame));
	uint32_t n_frames = 0;

	*out = (struct frames){ .n = n, .off = arena_alloc(mem, (size_t)n + 1, sizeof(uint32_t)), .frame = frame };
	for (uint32_t i = 0; i < n; i++) {
		struct object_symbol s;

		out->off[i] = n_frames;
		if (object_symbol_at(o, addr[i], &s))
			frame[n_frames++] =
				(struct frame){ .name = arena_strndup(mem, s.name, strlen(s.name)), .file = "" };
	}
	out->off[n] = n_frames;
	out->source = n_frames ? "symbol table" : "";
}

int frames_find(struct object *o, const struct symbol_where *w, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, struct buf *tried, struct err *err)
{
	struct frames_files files = { .fd = object_fd(o), .alt_fd = -1, .path = object_path(o) };
	bool whole;

	if (w->fast) {
		find_fast(o, addr, n, mem, out);
		return 0;
	}
	files.debug_fd = object_debug(o, w, tried, &files.path);
	if (files.debug_fd >= 0)
		files.alt_fd = object_debug_alt(o, w, tried);
	return frames_read(&files, addr, n, mem, out, &whole, err);
}
