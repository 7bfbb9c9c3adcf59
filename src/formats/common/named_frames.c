/*
 * named_frames.c - functions and locations of formats whose frames have names, but no addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/common/named_frames.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NAMED_FRAMES_EXPECTED = 256 };

struct named_location {
	uint32_t func, map;
	int64_t line, col;
};

struct named_frames {
	struct builder *b;
	const struct format_options *options;
	struct idtab func_at, loc_at;
	struct named_frame *func;   /* [n_funcs] the fields of its function; the id is func_id[] */
	struct named_location *loc; /* [n_locs] */
	uint32_t *func_id, *loc_id;
	size_t n_funcs, cap_funcs, cap_func_ids, n_locs, cap_locs, cap_loc_ids;
};

struct named_frames *named_frames_new(struct builder *b, const struct format_options *options)
{
	struct named_frames *f = mem_zalloc(1, sizeof(*f));

	f->b = b;
	f->options = options;
	idtab_init(&f->func_at, NAMED_FRAMES_EXPECTED);
	idtab_init(&f->loc_at, NAMED_FRAMES_EXPECTED);
	return f;
}

void named_frames_free(struct named_frames *f)
{
	if (!f)
		return;
	idtab_release(&f->func_at);
	idtab_release(&f->loc_at);
	free(f->func);
	free(f->func_id);
	free(f->loc);
	free(f->loc_id);
	free(f);
}

static int named_frames_check(const struct named_frames *f, size_t n, const char *what, struct err *err)
{
	if (!format_exceeds(n + 1, f->options->max_count))
		return 0;
	return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s; raise the limit with --max-count",
		       f->options->max_count, what);
}

static bool named_frame_has_function(const struct named_frame *a, const struct named_frame *b)
{
	return a->name == b->name && a->system_name == b->system_name && a->file == b->file && a->start == b->start;
}

int named_frames_function(struct named_frames *f, const struct named_frame *frame, uint32_t *out, struct err *err)
{
	const struct builder_function func = { .id = f->n_funcs + 1,
					       .name = frame->name,
					       .sysname = frame->system_name,
					       .file = frame->file,
					       .start = frame->start };
	uint64_t hash = hash_mix(hash_u64((uint64_t)frame->name << 32 | frame->file),
				 hash_u64((uint64_t)frame->start ^ (uint64_t)frame->system_name << 32));
	uint32_t i;
	int rc;

	for (size_t at = idtab_start(&f->func_at, hash); idtab_next(&f->func_at, hash, &at, &i);)
		if (named_frame_has_function(&f->func[i], frame)) {
			*out = f->func_id[i];
			return 0;
		}
	rc = named_frames_check(f, f->n_funcs, "functions", err);
	rc = rc < 0 ? rc : builder_function(f->b, &func, out, err);
	if (rc < 0)
		return rc;
	idtab_put(&f->func_at, hash, (uint32_t)f->n_funcs);
	f->func = mem_grow(f->func, &f->cap_funcs, f->n_funcs + 1, sizeof(*f->func));
	f->func_id = mem_grow(f->func_id, &f->cap_func_ids, f->n_funcs + 1, sizeof(*f->func_id));
	f->func[f->n_funcs] = *frame;
	f->func_id[f->n_funcs++] = *out;
	return 0;
}

static bool named_location_is_equal(const struct named_location *a, const struct named_location *b)
{
	return a->func == b->func && a->map == b->map && a->line == b->line && a->col == b->col;
}

int named_frames_location(struct named_frames *f, const struct named_frame *frame, uint32_t *out, struct err *err)
{
	struct named_location l = { .map = frame->map, .line = frame->line, .col = frame->col };
	struct builder_location at = { .id = f->n_locs + 1, .map = frame->map ? frame->map - 1 : PROFILE_NONE };
	struct builder_line line = { .no = frame->line, .col = frame->col };
	uint64_t hash;
	uint32_t i;
	int rc = named_frames_function(f, frame, &l.func, err);

	if (rc < 0)
		return rc;
	hash = hash_mix(hash_u64((uint64_t)l.func << 32 | l.map), hash_u64((uint64_t)l.line ^ (uint64_t)l.col << 40));
	for (size_t pos = idtab_start(&f->loc_at, hash); idtab_next(&f->loc_at, hash, &pos, &i);)
		if (named_location_is_equal(&f->loc[i], &l)) {
			*out = f->loc_id[i];
			return 0;
		}
	line.func = l.func;
	rc = named_frames_check(f, f->n_locs, "locations", err);
	rc = rc < 0 ? rc : builder_location(f->b, &at, &line, 1, out, err);
	if (rc < 0)
		return rc;
	idtab_put(&f->loc_at, hash, (uint32_t)f->n_locs);
	f->loc = mem_grow(f->loc, &f->cap_locs, f->n_locs + 1, sizeof(*f->loc));
	f->loc_id = mem_grow(f->loc_id, &f->cap_loc_ids, f->n_locs + 1, sizeof(*f->loc_id));
	f->loc[f->n_locs] = l;
	f->loc_id[f->n_locs++] = *out;
	return 0;
}
