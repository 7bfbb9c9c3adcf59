/*
 * filter_frames.c - labels as frames of stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Frames depend only on the label set: each set in use gets a list of locations, and equal lists share an id. A new
 * stack is made for each distinct pair of a stack and a list. New strings are collected in a second table, because
 * other threads may be reading that of the profile.
 */
#include "config.h"

#include "engine/filter_int.h"
#include "engine/query_filter.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/unit.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 1 << 29 }; /* total over all new stacks */

/* The frame of a label: name and file of its function. */
struct filter_frames_frame {
	str_id name, key;
};

struct frame_builder {
	struct profile *p;
	struct arena *mem;
	struct stop *stop;
	const char *unit;
	const char **key; /* [n_leaf + n_root] keys in the order of frames */
	str_id *key_id;   /* [n_leaf + n_root] */
	uint32_t n_leaf, n_root;
	bool leaf_seen, root_seen;
	struct strtab *more; /* additional strings; string i has the id n_base + i - 1 */
	uint32_t n_base;

	struct filter_frames_frame *frame; /* [n_frames] frame i is location n_locs + i */
	uint32_t n_frames;
	size_t cap_frames;
	struct idtab frame_ids;

	uint32_t *list; /* [n_lists][n_leaf + n_root] locations of each list */
	uint32_t n_lists;
	size_t cap_lists;
	struct idtab list_ids;
	uint32_t *list_of; /* [label_sets] list of the set, + 1; 0 if not made yet */

	uint64_t *pair; /* [n_pairs] stack << 32 | list, for each new stack */
	uint32_t n_pairs;
	size_t cap_pairs;
	struct idtab pair_ids;
};

static str_id filter_frames_intern(struct frame_builder *x, const char *s, size_t n)
{
	str_id id;

	if (strtab_find(x->p->str, s, n, &id))
		return id;
	return x->n_base + strtab_add(x->more, s, n) - 1;
}

/* Split a list of keys and skip empty ones. The result is in reverse order: the key nearest to the leaf is first. */
static uint32_t split_keys(struct frame_builder *x, const char *list, uint32_t at)
{
	uint32_t n = 0;

	for (const char *s = list; *s; s += strcspn(s, ","), s += *s == ',')
		n += *s != ',';
	for (uint32_t i = n; *list; list += *list == ',') {
		size_t len = strcspn(list, ",");

		if (len) {
			x->key[at + --i] = arena_strndup(x->mem, list, len);
			x->key_id[at + i] = filter_frames_intern(x, list, len);
		}
		list += len;
	}
	return n;
}

static void frame_builder_init(struct frame_builder *x, const struct query_filter *q)
{
	size_t most = strlen(q->tagleaf) + strlen(q->tagroot);

	x->unit = q->unit;
	x->stop = q->stop;
	x->n_base = strtab_count(x->p->str);
	x->more = strtab_new();
	x->key = arena_alloc(x->mem, most, sizeof(*x->key));
	x->key_id = arena_alloc(x->mem, most, sizeof(*x->key_id));
	x->n_leaf = split_keys(x, q->tagleaf, 0);
	x->n_root = split_keys(x, q->tagroot, x->n_leaf);
	x->list_of = mem_zalloc(x->p->label_sets.n, sizeof(*x->list_of));
	idtab_init(&x->frame_ids, 0);
	idtab_init(&x->list_ids, 0);
	idtab_init(&x->pair_ids, x->p->stacks.n);
}

static void frame_builder_release(struct frame_builder *x)
{
	strtab_free(x->more);
	idtab_release(&x->frame_ids);
	idtab_release(&x->list_ids);
	idtab_release(&x->pair_ids);
	free(x->frame);
	free(x->list);
	free(x->list_of);
	free(x->pair);
}

/* Does a number of this key have a unit in this set? */
static bool has_units(const struct profile *p, uint32_t set, str_id key)
{
	for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++) {
		uint32_t l = p->label_sets.item[i];

		if (p->label_key[l] == key && !p->label_is_text[l] && p->label_unit[l])
			return true;
	}
	return false;
}

/* Append the values of a key in a set: texts first, then numbers. Returns false if there are none. */
static bool filter_frames_add_values(const struct frame_builder *x, uint32_t set, str_id key, struct buf *out)
{
	const struct profile *p = x->p;
	bool any = false, units = has_units(p, set, key);

	for (int numbers = 0; numbers < 2; numbers++) {
		for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++) {
			uint32_t l = p->label_sets.item[i];

			if (p->label_key[l] != key || p->label_is_text[l] == (numbers != 0))
				continue;
			if (any)
				buf_addz(out, ",");
			any = true;
			if (!numbers)
				buf_add(out, profile_text(p, p->label_text[l]), strtab_len(p->str, p->label_text[l]));
			else
				unit_add_label(out, p->label_num[l], profile_text(p, p->label_unit[l]),
					       units ? x->unit : "");
		}
	}
	return any;
}

static uint32_t frame_intern(struct frame_builder *x, struct filter_frames_frame frame)
{
	uint64_t h = hash_u64((uint64_t)frame.name << 32 | frame.key);
	uint32_t id;

	for (size_t pos = idtab_start(&x->frame_ids, h); idtab_next(&x->frame_ids, h, &pos, &id);)
		if (x->frame[id].name == frame.name && x->frame[id].key == frame.key)
			return id;
	x->frame = mem_grow(x->frame, &x->cap_frames, (size_t)x->n_frames + 1, sizeof(*x->frame));
	x->frame[x->n_frames] = frame;
	idtab_put(&x->frame_ids, h, x->n_frames);
	return x->n_frames++;
}

/* The location of a key for a label set. */
static uint32_t location_for(struct frame_builder *x, uint32_t set, uint32_t k, bool *seen)
{
	struct buf values = { 0 };
	struct filter_frames_frame frame = { .key = x->key_id[k] };

	*seen |= filter_frames_add_values(x, set, frame.key, &values);
	frame.name = filter_frames_intern(x, buf_text(&values), values.len);
	buf_release(&values);
	return x->p->n_locs + frame_intern(x, frame);
}

static uint32_t list_for(struct frame_builder *x, uint32_t set)
{
	uint32_t n = x->n_leaf + x->n_root, id, *list;
	uint64_t h;

	if (x->list_of[set])
		return x->list_of[set] - 1;
	x->list = mem_grow(x->list, &x->cap_lists, ((size_t)x->n_lists + 1) * n, sizeof(*x->list));
	list = x->list + (size_t)x->n_lists * n;
	for (uint32_t k = x->n_leaf; k < n; k++) /* start at the root, since ids are assigned in this order */
		list[k] = location_for(x, set, k, &x->root_seen);
	for (uint32_t k = 0; k < x->n_leaf; k++)
		list[k] = location_for(x, set, k, &x->leaf_seen);
	h = hash_bytes(list, n * sizeof(*list));
	for (size_t pos = idtab_start(&x->list_ids, h); idtab_next(&x->list_ids, h, &pos, &id);) {
		if (memcmp(x->list + (size_t)id * n, list, n * sizeof(*list)) == 0) {
			x->list_of[set] = id + 1;
			return id;
		}
	}
	idtab_put(&x->list_ids, h, x->n_lists);
	x->list_of[set] = ++x->n_lists;
	return x->n_lists - 1;
}

/* The new stack for a stack and a list. */
static uint32_t pair_intern(struct frame_builder *x, uint64_t pair)
{
	uint64_t h = hash_u64(pair);
	uint32_t id;

	for (size_t pos = idtab_start(&x->pair_ids, h); idtab_next(&x->pair_ids, h, &pos, &id);)
		if (x->pair[id] == pair)
			return id;
	x->pair = mem_grow(x->pair, &x->cap_pairs, (size_t)x->n_pairs + 1, sizeof(*x->pair));
	x->pair[x->n_pairs] = pair;
	idtab_put(&x->pair_ids, h, x->n_pairs);
	return x->n_pairs++;
}

static uint32_t *filter_frames_make_rows(struct frame_builder *x)
{
	const struct profile *p = x->p;
	uint32_t *stack = arena_alloc(x->mem, p->n_rows, sizeof(*stack));

	for (uint32_t row = 0; row < p->n_rows && !stop_step(x->stop, row); row++) {
		uint64_t list = list_for(x, p->labels[row]);

		stack[row] = pair_intern(x, (uint64_t)p->stack[row] << 32 | list);
	}
	return stack;
}

/* Append n ids. Returns the number of ids so far. */
static uint32_t append_ids(struct stack_lists *out, uint32_t at, const uint32_t *id, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		stack_store(stack_address(out, at++), out->width, id[i]);
	return at;
}

static int make_stacks(struct frame_builder *x, struct stack_lists *out, struct err *err)
{
	const struct stack_lists *in = &x->p->stacks;
	uint32_t k = x->n_leaf + x->n_root, at = 0;
	uint64_t n = 0;

	for (uint32_t i = 0; i < x->n_pairs; i++) {
		uint32_t old = (uint32_t)(x->pair[i] >> 32);

		n += in->off[old + 1] - in->off[old] + k;
	}
	if (n > FRAMES_MAX)
		return err_set(err, ERR_LIMIT,
			       "tagroot and tagleaf make stacks with %" PRIu64 " frames in total, more than %d", n,
			       FRAMES_MAX);
	out->n = x->n_pairs;
	out->off = arena_alloc(x->mem, (size_t)out->n + 1, sizeof(*out->off));
	out->width = stack_width((uint64_t)x->p->n_locs + x->n_frames);
	out->packed = arena_own(x->mem, mem_alloc_large(stack_bytes(n, out->width), 1));
	for (uint32_t i = 0; i < out->n; i++) {
		uint32_t old = (uint32_t)(x->pair[i] >> 32), len = in->off[old + 1] - in->off[old];
		const uint32_t *list = x->list + (size_t)(uint32_t)x->pair[i] * k;

		out->off[i] = at;
		at = append_ids(out, at, list, x->n_leaf);
		for (uint32_t l = in->off[old]; l < in->off[old] + len; l++)
			stack_store(stack_address(out, at++), out->width, stack_id_at(in, l));
		at = append_ids(out, at, list + x->n_leaf, x->n_root);
	}
	assert(at == n);
	out->off[out->n] = at;
	return 0;
}

/* Copy a column and append zeroed elements. */
static void *grown(struct arena *mem, const void *column, size_t n, size_t more, size_t size)
{
	char *out = arena_alloc(mem, n + more, size);

	if (n)
		memcpy(out, column, n * size);
	memset(out + n * size, 0, more * size);
	return out;
}

static int filter_frames_by_id(const void *a, const void *b)
{
	uint64_t l = *(const uint64_t *)a, r = *(const uint64_t *)b;

	return l < r ? -1 : l > r;
}

/* Copy a column of ids and append new ones: those after the highest id or, when these run out, the lowest free ones. */
static uint64_t *more_ids(struct arena *mem, const uint64_t *id, uint32_t n, uint32_t more)
{
	uint64_t *out = grown(mem, id, n, more, sizeof(*id)), *sorted = mem_alloc(n, sizeof(*id)), next;
	uint32_t at = 0;

	if (n) {
		memcpy(sorted, id, n * sizeof(*id));
		qsort(sorted, n, sizeof(*id), filter_frames_by_id);
	}
	next = n ? sorted[n - 1] + 1 : 1;
	if (next == 0 || next > UINT64_MAX - more)
		next = 1;
	for (uint32_t i = 0; i < more; i++, next++) {
		for (; at < n && sorted[at] <= next; at++)
			next += sorted[at] == next;
		out[n + i] = next;
	}
	free(sorted);
	return out;
}

static void filter_frames_add_functions(struct frame_builder *x)
{
	struct profile *p = x->p;
	uint32_t n = p->n_funcs, more = x->n_frames;

	p->func_id = more_ids(x->mem, p->func_id, n, more);
	p->func_name = grown(x->mem, p->func_name, n, more, sizeof(*p->func_name));
	p->func_sysname = grown(x->mem, p->func_sysname, n, more, sizeof(*p->func_sysname));
	p->func_file = grown(x->mem, p->func_file, n, more, sizeof(*p->func_file));
	p->func_start = grown(x->mem, p->func_start, n, more, sizeof(*p->func_start));
	for (uint32_t i = 0; i < more; i++) {
		p->func_name[n + i] = x->frame[i].name;
		p->func_file[n + i] = x->frame[i].key;
	}
}

/* Add a location with one line per frame; its functions exist already. */
static void filter_frames_add_locations(struct frame_builder *x)
{
	struct profile *p = x->p;
	uint32_t n = p->n_locs, lines = p->n_lines, more = x->n_frames;

	p->loc_id = more_ids(x->mem, p->loc_id, n, more);
	p->loc_addr = grown(x->mem, p->loc_addr, n, more, sizeof(*p->loc_addr));
	p->loc_map = grown(x->mem, p->loc_map, n, more, sizeof(*p->loc_map));
	p->loc_folded = grown(x->mem, p->loc_folded, n, more, sizeof(*p->loc_folded));
	p->loc_line = grown(x->mem, p->loc_line, (size_t)n + 1, more, sizeof(*p->loc_line));
	p->line_func = grown(x->mem, p->line_func, lines, more, sizeof(*p->line_func));
	p->line_no = grown(x->mem, p->line_no, lines, more, sizeof(*p->line_no));
	p->line_col = grown(x->mem, p->line_col, lines, more, sizeof(*p->line_col));
	assert(p->loc_line[n] == lines);
	for (uint32_t i = 0; i < more; i++) {
		p->loc_map[n + i] = PROFILE_NONE;
		p->loc_line[n + i + 1] = lines + i + 1;
		p->line_func[lines + i] = p->n_funcs + i;
	}
}

static int filter_frames_add(struct frame_builder *x, struct err *err)
{
	uint32_t *stack = filter_frames_make_rows(x);
	struct profile *p = x->p;
	struct stack_lists stacks;

	if (stop_check(x->stop, err) < 0)
		return ERR_STOPPED;
	if (make_stacks(x, &stacks, err) < 0)
		return ERR_LIMIT;
	filter_frames_add_functions(x);
	filter_frames_add_locations(x);
	p->n_funcs += x->n_frames;
	p->n_label_funcs = x->n_frames;
	p->n_locs += x->n_frames;
	p->n_lines += x->n_frames;
	p->str = strtab_make_concat(p->str, x->more, x->mem);
	p->stack = stack;
	p->stacks = stacks;
	return 0;
}

int filter_frames(struct filter *f, struct err *err)
{
	const struct query_filter *q = f->q;
	struct frame_builder x = { .p = &f->d, .mem = f->mem };
	struct filter before = *f; /* hints use the profile without the new frames */
	int rc = 0;

	if (!*q->tagroot && !*q->tagleaf)
		return 0;
	frame_builder_init(&x, q);
	if (x.n_leaf + x.n_root)
		rc = filter_frames_add(&x, err);
	if (rc == 0 && *q->tagroot && !x.root_seen)
		filter_hint_keys(&before, "TagRoot");
	if (rc == 0 && *q->tagleaf && !x.leaf_seen)
		filter_hint_keys(&before, "TagLeaf");
	frame_builder_release(&x);
	return rc;
}
