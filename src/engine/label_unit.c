/*
 * label_unit.c - the unit of the numbers of a label key
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/label_unit.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "profile/scale.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A unit that is used with a key. */
struct label_unit_pair {
	str_id key, unit;
};

struct label_unit_pairs {
	const struct profile *p;
	struct label_unit_pair *pair; /* [n] units in order of appearance */
	size_t n, cap;
	struct idtab ids;
};

static void label_unit_add_pair(struct label_unit_pairs *s, str_id key, str_id unit)
{
	uint64_t h = hash_u64((uint64_t)key << 32 | unit);
	uint32_t id;

	for (size_t pos = idtab_start(&s->ids, h); idtab_next(&s->ids, h, &pos, &id);)
		if (s->pair[id].key == key && s->pair[id].unit == unit)
			return;
	s->pair = mem_grow(s->pair, &s->cap, s->n + 1, sizeof(*s->pair));
	idtab_put(&s->ids, h, (uint32_t)s->n);
	s->pair[s->n++] = (struct label_unit_pair){ key, unit };
}

/* Collect the units of all labels, in order of the rows. */
static void add_all_pairs(struct label_unit_pairs *s)
{
	const struct profile *p = s->p;
	bool *label = mem_zalloc(p->n_labels, sizeof(*label));
	bool *set = mem_zalloc(p->label_sets.n, sizeof(*set));

	for (uint32_t row = 0; row < p->n_rows; row++) {
		uint32_t own = p->labels[row];

		if (set[own])
			continue;
		set[own] = true;
		for (uint32_t i = p->label_sets.off[own]; i < p->label_sets.off[own + 1]; i++) {
			uint32_t l = p->label_sets.item[i];

			if (!label[l] && !p->label_is_text[l])
				label_unit_add_pair(s, p->label_key[l], p->label_unit[l]);
			label[l] = true;
		}
	}
	free(label);
	free(set);
}

static int label_unit_compare_text(const struct profile *p, str_id a, str_id b)
{
	return strcmp(profile_text(p, a), profile_text(p, b));
}

static int by_key_unit(const void *a, const void *b, void *arg)
{
	const struct label_unit_pair *l = a, *r = b;
	int c = label_unit_compare_text(arg, l->key, r->key);

	return c ? c : label_unit_compare_text(arg, l->unit, r->unit);
}

static void label_unit_add_text(const struct profile *p, str_id id, struct buf *out)
{
	utf8_add_safe(out, profile_text(p, id), strtab_len(p->str, id));
}

static void note_other_units(const struct label_unit_pairs *s, const struct label_units *u, struct buf *notes)
{
	const char *key_unit = NULL; /* unit of the key of the current line */

	for (size_t i = 0; i < s->n; i++) {
		const struct label_unit_pair *pair = &s->pair[i];
		const char *used = u->unit[pair->key], *unit = profile_text(s->p, pair->unit);

		if (i == 0 || pair->key != s->pair[i - 1].key) {
			if (key_unit)
				buf_add(notes, "\n", 1);
			key_unit = NULL;
		}
		if (!*unit || strcmp(unit, used) == 0 || unit_is_compatible(unit, used))
			continue;
		if (!key_unit) {
			buf_addz(notes, "For tag ");
			label_unit_add_text(s->p, pair->key, notes);
			buf_addz(notes, " used unit ");
			utf8_add_safe(notes, used, strlen(used));
			buf_addz(notes, ", also encountered unit(s) ");
		} else {
			buf_addz(notes, ", ");
		}
		label_unit_add_text(s->p, pair->unit, notes);
		key_unit = used;
	}
	if (key_unit)
		buf_add(notes, "\n", 1);
}

static void find_finest(const struct label_unit_pairs *s, const struct label_units *u)
{
	for (size_t i = 0; i < s->n; i++) {
		const char **shown = &u->shown[s->pair[i].key];
		const char *unit = profile_text(s->p, s->pair[i].unit);

		if (!*shown)
			*shown = u->unit[s->pair[i].key];
		if (*unit && strcmp(unit, *shown) != 0 && unit_is_compatible(unit, *shown) &&
		    scale_is_finer(*shown, unit))
			*shown = unit;
	}
}

void label_units_make(const struct profile *p, struct arena *mem, struct label_units *out, struct buf *notes)
{
	struct label_units u = { arena_zalloc(mem, strtab_count(p->str), sizeof(*u.unit)),
				 arena_zalloc(mem, strtab_count(p->str), sizeof(*u.shown)) };
	struct label_unit_pairs s = { .p = p };

	idtab_init(&s.ids, 0);
	add_all_pairs(&s);
	for (size_t i = 0; i < s.n; i++)
		if (!u.unit[s.pair[i].key] && s.pair[i].unit)
			u.unit[s.pair[i].key] = profile_text(p, s.pair[i].unit);
	for (size_t i = 0; i < s.n; i++) {
		const char *key = profile_text(p, s.pair[i].key);

		if (!u.unit[s.pair[i].key])
			u.unit[s.pair[i].key] =
				strcmp(key, "alignment") == 0 || strcmp(key, "request") == 0 ? "bytes" : key;
	}
	find_finest(&s, &u);
	if (notes && s.n) {
		qsort_r(s.pair, s.n, sizeof(*s.pair), by_key_unit, (void *)p);
		note_other_units(&s, &u, notes);
	}
	idtab_release(&s.ids);
	free(s.pair);
	*out = u;
}

const char *label_unit(const struct label_units *u, const struct profile *p, uint32_t label)
{
	return p->label_unit[label] ? profile_text(p, p->label_unit[label]) : u->unit[p->label_key[label]];
}

int64_t label_number(const struct label_units *u, const struct profile *p, uint32_t label)
{
	const char *own = label_unit(u, p, label), *shown = u->shown[p->label_key[label]];
	int64_t v = p->label_num[label], scaled = v < 0 ? INT64_MIN : INT64_MAX;

	if (!own || !shown || strcmp(own, shown) == 0 || !unit_is_compatible(own, shown))
		return v;
	scale_value(v, scale_ratio(own, shown), &scaled);
	return scaled;
}
