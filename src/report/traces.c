/*
 * traces.c - the traces report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/traces.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "engine/label_unit.h"
#include "engine/places.h"
#include "engine/query.h"
#include "report/head.h"
#include "report/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void fill_samples(struct traces *t, const struct view *v, struct arena *mem)
{
	const struct profile *p = v->p;
	const int64_t *value = v->val, *div = v->div;

	assert(value && v->n <= p->n_rows);
	t->stacks = &p->stacks;
	t->value = arena_alloc(mem, v->n, sizeof(*t->value));
	t->stack = arena_alloc(mem, v->n, sizeof(*t->stack));
	t->labels = arena_alloc(mem, v->n, sizeof(*t->labels));
	for (uint32_t i = 0; i < v->n; i++) {
		uint32_t stack = p->stack[i];

		if (p->stacks.off[stack] == p->stacks.off[stack + 1])
			continue;
		t->value[t->n] = div && div[i] ? value[i] / div[i] : value[i];
		t->stack[t->n] = stack;
		t->labels[t->n++] = p->labels[i];
	}
}

static void fill_names(struct traces *t, const struct places *pl, struct arena *mem, struct stop *stop)
{
	struct buf name = { 0 }, safe = { 0 };
	struct row_place *place = arena_alloc(mem, pl->n, sizeof(*place));
	struct row_places places;

	row_places_init(&places, pl, mem);
	t->n_names = pl->n;
	t->place = place;
	t->name = arena_alloc(mem, pl->n, sizeof(*t->name));
	for (uint32_t i = 0; i < pl->n && !stop_step(stop, i); i++) {
		name.len = 0;
		safe.len = 0;
		places_add_name(pl, i, &name);
		place[i] = row_places_of(&places, i);
		if (strlen(buf_text(&name)) == name.len) {
			t->name[i] = arena_strndup(mem, buf_text(&name), name.len);
		} else {
			utf8_add_safe(&safe, name.data, name.len);
			t->name[i] = arena_strndup(mem, safe.data, safe.len);
		}
	}
	buf_release(&name);
	buf_release(&safe);
}

/* Fill in the places of every location. places_make has checked that there are fewer than 2^32. */
static void fill_frames(struct traces *t, const struct places *pl, struct arena *mem)
{
	uint32_t n_locs = pl->p->n_locs, n = 0, many;

	t->frames.n = n_locs;
	t->frames.off = arena_alloc(mem, (size_t)n_locs + 1, sizeof(*t->frames.off));
	for (uint32_t i = 0; i < n_locs; i++) {
		t->frames.off[i] = n;
		places_of(pl, i, &many);
		n += many;
	}
	assert(n >= n_locs); /* every location has a place */
	t->frames.off[n_locs] = n;
	t->frames.item = arena_alloc(mem, n, sizeof(*t->frames.item));
	for (uint32_t i = 0; i < n_locs; i++) {
		const uint32_t *place = places_of(pl, i, &many);

		memcpy(t->frames.item + t->frames.off[i], place, many * sizeof(*place));
	}
}

/* A label of a set, with its sort keys. */
struct traces_entry {
	const char *key;
	str_id key_id;
	bool is_number;
	uint32_t label, at;
};

static int by_kind_key_place(const void *a, const void *b)
{
	const struct traces_entry *l = a, *r = b;
	int c = l->is_number - r->is_number;

	if (c == 0 && l->key_id != r->key_id)
		c = strcmp(l->key, r->key);
	return c ? c : l->at < r->at ? -1 : l->at > r->at;
}

static const struct traces_entry *sorted_set(const struct profile *p, uint32_t set, struct traces_entry *entry)
{
	uint32_t n = 0;

	for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++) {
		uint32_t label = p->label_sets.item[i];

		entry[n++] = (struct traces_entry){ profile_text(p, p->label_key[label]), p->label_key[label],
						    !p->label_is_text[label], label, i };
	}
	assert(n == p->label_sets.off[set + 1] - p->label_sets.off[set]);
	qsort(entry, n, sizeof(*entry), by_kind_key_place);
	return entry;
}

/* Unit of a key; "" for a key without samples after filtering. */
static const char *report_traces_unit_of(const struct label_units *units, str_id key)
{
	return units->shown[key] ? units->shown[key] : "";
}

static union trace_value report_traces_value_of(const struct profile *p, const struct label_units *units,
						uint32_t label, struct arena *mem)
{
	if (p->label_is_text[label])
		return (union trace_value){ .text = report_head_text(p, p->label_text[label], mem) };
	return (union trace_value){ .number = label_number(units, p, label) };
}

static uint32_t longest_set(const struct csr *sets)
{
	uint32_t max = 0;

	for (uint32_t i = 0; i < sets->n; i++)
		if (sets->off[i + 1] - sets->off[i] > max)
			max = sets->off[i + 1] - sets->off[i];
	return max;
}

static void fill_labels(struct traces *t, const struct profile *p, const struct label_units *units, struct arena *mem,
			struct stop *stop)
{
	const struct csr *sets = &p->label_sets;
	uint32_t n_values = sets->off[sets->n], n = 0, n_labels = 0;
	struct traces_entry *entry = mem_alloc(longest_set(sets), sizeof(*entry));

	t->n_sets = sets->n;
	t->set_off = arena_alloc(mem, (size_t)sets->n + 1, sizeof(*t->set_off));
	t->label = arena_alloc(mem, n_values, sizeof(*t->label));
	t->value_of_label = arena_alloc(mem, n_values, sizeof(*t->value_of_label));
	for (uint32_t set = 0; set < sets->n && !stop_step(stop, set); set++) {
		const struct traces_entry *e = sorted_set(p, set, entry), *before = NULL;

		t->set_off[set] = n_labels;
		for (uint32_t i = sets->off[set]; i < sets->off[set + 1]; i++, before = e++) {
			if (!before || before->key_id != e->key_id || before->is_number != e->is_number)
				t->label[n_labels++] = (struct trace_label){
					report_head_text(p, e->key_id, mem),
					e->is_number ? report_traces_unit_of(units, e->key_id) : NULL, n, n
				};
			t->value_of_label[n++] = report_traces_value_of(p, units, e->label, mem);
			t->label[n_labels - 1].hi = n;
		}
	}
	t->set_off[sets->n] = n_labels;
	free(entry);
}

static void fill_units(struct traces *t, const struct profile *p, const struct label_units *units, struct arena *mem)
{
	uint32_t n_strings = strtab_count(p->str);

	for (uint32_t i = 0; i < n_strings; i++)
		t->n_units += units->shown[i] != NULL;
	t->unit = arena_alloc(mem, t->n_units, sizeof(*t->unit));
	for (uint32_t i = 0, n = 0; i < n_strings; i++)
		if (units->shown[i])
			t->unit[n++] = (struct trace_unit){ report_head_text(p, i, mem), units->shown[i] };
}

int report_traces_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		       struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "traces", .is_whole = true } };
	struct traces *t = arena_zalloc(r.mem, 1, sizeof(*t));
	struct label_units units;
	struct places pl;
	int rc = places_make(v->p, &q->filter, r.mem, &pl, err);

	if (rc < 0) {
		report_release(&r);
		return rc;
	}
	report_head_fill(&r.head, v, q, r.mem);
	label_units_make(v->p, r.mem, &units, notes);
	fill_samples(t, v, r.mem);
	fill_names(t, &pl, r.mem, q->stop);
	fill_frames(t, &pl, r.mem);
	fill_labels(t, v->p, &units, r.mem, q->stop);
	fill_units(t, v->p, &units, r.mem);
	places_release(&pl);
	r.traces = t;
	rc = stop_check(q->stop, err);
	if (rc < 0)
		report_release(&r);
	else
		*out = r;
	return rc;
}
