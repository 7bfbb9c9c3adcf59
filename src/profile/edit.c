/*
 * edit.c - changes to a profile before it is shared
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/edit.h"

#include "base/arena.h"
#include "profile/scale.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void profile_set_program(struct profile *p, uint32_t map)
{
	struct mapping first;

	assert(map < p->n_maps);
	if (map == 0)
		return;
	first = p->map[0];
	p->map[0] = p->map[map];
	p->map[map] = first;
	for (uint32_t i = 0; i < p->n_locs; i++)
		if (p->loc_map[i] == 0 || p->loc_map[i] == map)
			p->loc_map[i] = p->loc_map[i] ? 0 : map;
}

void profile_set_binary(struct profile *p, const char *file)
{
	if (p->n_maps)
		p->map[0].file = strtab_addz(p->str, file);
}

void profile_set_build_id(struct profile *p, const char *build_id)
{
	if (p->n_maps && p->map[0].build_id == 0)
		p->map[0].build_id = strtab_addz(p->str, build_id);
}

void profile_add_comment(struct profile *p, const char *text)
{
	struct profile_meta *m = &p->meta;
	str_id *copy_with_room = arena_alloc(p->mem, (size_t)m->n_comments + 1, sizeof(*copy_with_room));

	if (m->n_comments)
		memcpy(copy_with_room, m->comment, m->n_comments * sizeof(*copy_with_room));
	copy_with_room[m->n_comments++] = strtab_addz(p->str, text);
	m->comment = copy_with_room;
}

void profile_clear_frame_filters(struct profile *p)
{
	p->meta.drop_frames = p->meta.keep_frames = 0;
}

/* Copy a column, with room for one more entry. */
static void *edit_copy_with_room(struct profile *p, const void *column, uint32_t n, size_t size)
{
	void *copy = arena_alloc(p->mem, (size_t)n + 1, size);

	if (n)
		memcpy(copy, column, n * size);
	return copy;
}

static uint32_t edit_add_label(struct profile *p, str_id key, str_id text)
{
	uint32_t n = p->n_labels;

	p->label_key = edit_copy_with_room(p, p->label_key, n, sizeof(*p->label_key));
	p->label_text = edit_copy_with_room(p, p->label_text, n, sizeof(*p->label_text));
	p->label_unit = edit_copy_with_room(p, p->label_unit, n, sizeof(*p->label_unit));
	p->label_num = edit_copy_with_room(p, p->label_num, n, sizeof(*p->label_num));
	p->label_is_text = edit_copy_with_room(p, p->label_is_text, n, sizeof(*p->label_is_text));
	p->label_key[n] = key;
	p->label_text[n] = text;
	p->label_unit[n] = 0;
	p->label_num[n] = 0;
	p->label_is_text[n] = true;
	return p->n_labels++;
}

/*
 * The label sets with a label added and other texts of its key removed. Set 0 stays empty; old set i becomes set i + 1.
 */
static struct csr sets_with_label(struct profile *p, uint32_t label)
{
	const struct csr *old = &p->label_sets;
	struct csr new = { .n = old->n + 1 };
	uint32_t at = 0;

	new.off = arena_alloc(p->mem, (size_t) new.n + 1, sizeof(*new.off));
	new.item = arena_alloc(p->mem, (size_t)old->off[old->n] + old->n, sizeof(*new.item));
	new.off[0] = new.off[1] = 0;
	for (uint32_t set = 0; set < old->n; set++) {
		for (uint32_t i = old->off[set]; i < old->off[set + 1]; i++) {
			uint32_t other = old->item[i];

			if (!p->label_is_text[other] || p->label_key[other] != p->label_key[label])
				new.item[at++] = other;
		}
		new.item[at++] = label;
		new.off[set + 2] = at;
	}
	return new;
}

int profile_set_label_ids(struct profile *p, str_id key, str_id text, struct err *err)
{
	const struct csr *sets = &p->label_sets;
	uint32_t label;

	assert(key < strtab_count(p->str) && text < strtab_count(p->str));
	if (p->n_labels >= PROFILE_NONE - 1 || sets->n >= PROFILE_NONE - 2 ||
	    sets->off[sets->n] >= PROFILE_NONE - sets->n)
		return err_set(err, ERR_LIMIT, "too many labels to add %.100s", profile_text(p, key));
	label = edit_add_label(p, key, text);
	p->label_sets = sets_with_label(p, label);
	for (uint32_t row = 0; row < p->n_rows; row++)
		p->labels[row]++;
	return 0;
}

int profile_set_label(struct profile *p, const char *key, const char *text, struct err *err)
{
	return profile_set_label_ids(p, strtab_addz(p->str, key), strtab_addz(p->str, text), err);
}

/* The time label of a set; PROFILE_NONE if it has none. */
static uint32_t edit_time_label(const struct profile *p, uint32_t set, str_id key)
{
	for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++) {
		uint32_t label = p->label_sets.item[i];

		if (p->label_key[label] == key && !p->label_is_text[label])
			return label;
	}
	return PROFILE_NONE;
}

/* Remove the numeric labels with a key from all sets; the ids of the sets stay. */
static void edit_remove_numbers(struct profile *p, str_id key)
{
	const struct csr *old = &p->label_sets;
	struct csr new = { .n = old->n };
	uint32_t at = 0;

	new.off = arena_alloc(p->mem, (size_t) new.n + 1, sizeof(*new.off));
	new.item = arena_alloc(p->mem, (size_t)old->off[old->n] + 1, sizeof(*new.item));
	for (uint32_t set = 0; set < old->n; set++) {
		new.off[set] = at;
		for (uint32_t i = old->off[set]; i < old->off[set + 1]; i++)
			if (p->label_key[old->item[i]] != key || p->label_is_text[old->item[i]])
				new.item[at++] = old->item[i];
	}
	new.off[old->n] = at;
	p->label_sets = new;
}

static void edit_move_row(struct profile *p, uint32_t from, uint32_t to)
{
	p->stack[to] = p->stack[from];
	p->labels[to] = p->labels[from];
	for (uint32_t t = 0; t < p->n_types; t++)
		p->value[t][to] = p->value[t][from];
}

/* Set time and duration to those of the selected part. */
static void edit_select_duration(struct profile_meta *m, int64_t lo, int64_t hi)
{
	int64_t end = m->duration_ns > 0 && m->duration_ns < hi ? m->duration_ns : hi;

	lo = lo > 0 ? lo : 0;
	if (m->duration_ns > 0)
		m->duration_ns = end > lo ? end - lo : 0;
	if (m->time_ns > 0 && __builtin_add_overflow(m->time_ns, lo, &m->time_ns))
		m->time_ns = 0;
}

int profile_select_times(struct profile *p, int64_t lo, int64_t hi, bool keeps_label, uint32_t *n_timeless,
			 struct err *err)
{
	str_id key = strtab_addz(p->str, PROFILE_TIME_LABEL);
	uint32_t n = 0, n_all = p->n_rows;

	*n_timeless = 0;
	for (uint32_t row = 0; row < p->n_rows; row++) {
		uint32_t label = edit_time_label(p, p->labels[row], key);

		*n_timeless += label == PROFILE_NONE;
		if (label != PROFILE_NONE && p->label_num[label] >= lo && p->label_num[label] < hi)
			edit_move_row(p, row, n++);
	}
	if (n_all && *n_timeless == n_all)
		return err_set(err, ERR_USAGE, "no sample has a time, which --times, --from and --to need");
	p->n_rows = n;
	if (!keeps_label)
		edit_remove_numbers(p, key);
	edit_select_duration(&p->meta, lo, hi);
	return 0;
}

static int overflow_error(const struct profile *p, uint32_t t, uint32_t row, double ratio, struct err *err)
{
	return err_set(err, ERR_RANGE, "sample %" PRIu32 ": %.100s times %g overflows 64 bits", row + 1,
		       profile_text(p, p->type[t].name), ratio);
}

int profile_scale(struct profile *p, const double *ratio, struct err *err)
{
	assert(ratio || p->n_types == 0);
	for (uint32_t t = 0; t < p->n_types; t++) {
		int64_t *value = p->value[t];

		for (uint32_t row = 0; row < p->n_rows; row++)
			if (scale_value(value[row], ratio[t], &value[row]))
				return overflow_error(p, t, row, ratio[t], err);
	}
	return 0;
}

int profile_negate(struct profile *p, struct err *err)
{
	for (uint32_t t = 0; t < p->n_types; t++) {
		int64_t *value = p->value[t];

		for (uint32_t row = 0; row < p->n_rows; row++) {
			if (value[row] == INT64_MIN)
				return overflow_error(p, t, row, -1, err);
			value[row] = -value[row];
		}
	}
	return 0;
}
