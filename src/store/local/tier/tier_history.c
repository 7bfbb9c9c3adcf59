/*
 * tier_history.c - the last snapshots of series, from which increases are counted
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "profile/keys.h"
#include "store/instance.h"
#include "store/local/tier/tier_int.h"

#include <stdlib.h>
#include <string.h>

struct tier_history {
	struct dict d;
	struct strtab *names;           /* of instances */
	struct keys keys;               /* hashes of series */
	struct tier_snapshot *snapshot; /* [keys.n] */
	size_t cap;
};

struct tier_history *tier_history_new(void)
{
	struct tier_history *h = mem_zalloc(1, sizeof(*h));

	dict_init(&h->d);
	h->names = strtab_new();
	keys_init(&h->keys, 2, 0);
	return h;
}

void tier_history_free(struct tier_history *h)
{
	if (!h)
		return;
	tier_snapshots_free(h->snapshot, h->keys.n);
	keys_release(&h->keys);
	strtab_free(h->names);
	dict_release(&h->d);
	free(h);
}

void tier_snapshots_free(struct tier_snapshot *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dict_release_stored(&s[i].s);
	free(s);
}

bool tier_has_counters(const struct dict_meta *m)
{
	for (uint32_t t = 0; t < m->n_types; t++)
		if (m->temporality[t] == TEMPORALITY_CUMULATIVE)
			return true;
	return false;
}

void tier_keep_counters(const struct dict_meta *m, struct stored *s)
{
	uint32_t n = 0, n_before = s->n;
	int64_t *value = mem_alloc(s->n, s->n_columns * sizeof(*value));

	for (uint32_t i = 0; i < n_before; i++) {
		bool has_value = false;

		for (uint32_t t = 0; t < s->n_columns; t++)
			has_value |= m->temporality[t] == TEMPORALITY_CUMULATIVE && s->value[(size_t)t * n_before + i];
		if (!has_value)
			continue;
		for (uint32_t t = 0; t < s->n_columns; t++)
			value[(size_t)n * s->n_columns + t] =
				m->temporality[t] == TEMPORALITY_CUMULATIVE ? s->value[(size_t)t * n_before + i] : 0;
		s->row[n++] = s->row[i];
	}
	s->n = n;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t t = 0; t < s->n_columns; t++)
			s->value[(size_t)t * n + i] = value[(size_t)i * s->n_columns + t];
	free(value);
}

static int compare_rows(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void tier_sort_rows(struct stored *s)
{
	uint64_t *order;
	int64_t *value;
	uint32_t i = 1;

	while (i < s->n && s->row[i - 1] < s->row[i])
		i++;
	if (i >= s->n)
		return;
	order = mem_alloc(s->n, sizeof(*order));
	value = mem_alloc(s->n, sizeof(*value));
	for (i = 0; i < s->n; i++)
		order[i] = (uint64_t)s->row[i] << 32 | i;
	qsort(order, s->n, sizeof(*order), compare_rows);
	for (i = 0; i < s->n; i++)
		s->row[i] = (uint32_t)(order[i] >> 32);
	for (uint32_t t = 0; t < s->n_columns; t++) {
		int64_t *column = s->value + (size_t)t * s->n;

		for (i = 0; i < s->n; i++)
			value[i] = column[(uint32_t)order[i]];
		memcpy(column, value, s->n * sizeof(*value));
	}
	free(order);
	free(value);
}

str_id tier_history_instance(struct tier_history *h, const struct chapter *c, const struct dict_series *s)
{
	struct buf name = { 0 };
	const char *kind = strtab_text(c->dict.str, s->kind);
	str_id id;

	instance_begin(&name, c->service);
	buf_add(&name, kind, strlen(kind) + 1);
	for (uint32_t i = 0; i < s->n_labels; i++)
		instance_add(&name, strtab_text(c->dict.str, s->name[i]), strtab_text(c->dict.str, s->value[i]));
	id = strtab_add(h->names, name.data, name.len);
	buf_release(&name);
	return id;
}

static struct tier_snapshot *tier_history_find(const struct tier_history *h, const uint8_t hash[16])
{
	uint64_t word[2];
	uint32_t id;

	memcpy(word, hash, sizeof(word));
	return keys_find(&h->keys, word, 2, keys_hash(word, 2), &id) ? &h->snapshot[id] : NULL;
}

bool tier_history_has(const struct tier_history *h, const uint8_t hash[16])
{
	return tier_history_find(h, hash) != NULL;
}

/* A copy of a snapshot with its counters, in terms of another dictionary. */
static int copy_snapshot(struct dict_translation *t, const struct dict *d, const struct stored *s, struct stored *out,
			 struct err *err)
{
	size_t n_values = (size_t)s->n * s->n_columns;
	int rc;

	*out = *s;
	out->row = memcpy(mem_alloc(s->n, sizeof(*s->row)), s->row, s->n * sizeof(*s->row));
	out->value = memcpy(mem_alloc(n_values, sizeof(*s->value)), s->value, n_values * sizeof(*s->value));
	tier_keep_counters(&d->meta[s->meta], out);
	rc = dict_translate_rows(t, out->row, out->n, err);
	if (rc == 0)
		rc = dict_translate_meta(t, s->meta, &out->meta, err);
	if (rc < 0)
		dict_release_stored(out);
	else
		tier_sort_rows(out);
	return rc;
}

static int tier_history_put_with(struct tier_history *h, struct dict_translation *t, const struct chapter *c,
				 uint32_t series, const struct stored *s, struct err *err)
{
	const struct dict_series *own = &c->dict.series[series];
	struct tier_snapshot *old = tier_history_find(h, own->hash), new = { 0 };
	uint64_t word[2];
	uint32_t id;
	int rc;

	if (old && old->s.start_ns >= s->start_ns)
		return 0;
	rc = copy_snapshot(t, &c->dict, s, &new.s, err);
	if (rc < 0)
		return rc;
	memcpy(new.hash, own->hash, sizeof(new.hash));
	new.instance = tier_history_instance(h, c, own);
	if (old) {
		dict_release_stored(&old->s);
		*old = new;
		return 0;
	}
	memcpy(word, own->hash, sizeof(word));
	if (keys_add(&h->keys, word, 2, keys_hash(word, 2), &id, err) < 0) {
		dict_release_stored(&new.s);
		return ERR_LIMIT;
	}
	h->snapshot = mem_grow(h->snapshot, &h->cap, h->keys.n, sizeof(*h->snapshot));
	h->snapshot[id] = new;
	return 0;
}

int tier_history_put(struct tier_history *h, const struct chapter *c, uint32_t series, const struct stored *s,
		     struct err *err)
{
	struct dict_translation *t = dict_translation_new(&h->d, &c->dict);
	int rc = tier_history_put_with(h, t, c, series, s, err);

	dict_translation_free(t);
	return rc;
}

/* Note the last snapshot of a block that starts before a time. */
static int tier_history_add_block(struct tier_history *h, struct dict_translation *t, const struct chapter *c,
				  uint32_t i, int64_t before_ns, struct buf *buffer, struct err *err)
{
	struct stored s = { 0 };
	struct block b;
	uint32_t k;
	int rc = chapter_open_block(c, i, buffer, &b, err);

	if (rc < 0)
		return rc;
	for (k = b.n; k > 0; k--)
		if (b.start_ns[k - 1] < before_ns && tier_has_counters(&c->dict.meta[b.meta[k - 1]]) &&
		    (!b.slot || b.slot[k - 1].role == SLOT_BASE))
			break;
	if (k > 0)
		rc = block_profile(&b, k - 1, &s, err);
	if (k > 0 && rc == 0) {
		s.slot = (struct stored_slot){ 0 };
		rc = tier_history_put_with(h, t, c, c->block[i].series, &s, err);
		dict_release_stored(&s);
	}
	block_release(&b);
	return rc;
}

int tier_history_add(struct tier_history *h, const struct chapter *c, int64_t before_ns, struct err *err)
{
	struct dict_translation *t = dict_translation_new(&h->d, &c->dict);
	struct buf buffer = { 0 };
	int rc = 0;

	for (uint32_t i = c->n_blocks; rc == 0 && i-- > 0;) {
		const struct block_entry *e = &c->block[i];
		const struct tier_snapshot *old = tier_history_find(h, c->dict.series[e->series].hash);

		if (e->t0 < before_ns && (!old || old->s.start_ns < e->t1))
			rc = tier_history_add_block(h, t, c, i, before_ns, &buffer, err);
	}
	buf_release(&buffer);
	dict_translation_free(t);
	return rc;
}

int tier_history_translate(const struct tier_history *h, struct dict *to, struct tier_snapshot **out, size_t *n,
			   struct err *err)
{
	struct dict_translation *t = dict_translation_new(to, &h->d);
	struct tier_snapshot *list = mem_zalloc((size_t)h->keys.n + 1, sizeof(*list));
	int rc = 0;

	*n = 0;
	for (size_t i = 0; rc == 0 && i < h->keys.n; i++) {
		list[i] = h->snapshot[i];
		rc = copy_snapshot(t, &h->d, &h->snapshot[i].s, &list[i].s, err);
		*n += rc == 0;
	}
	dict_translation_free(t);
	if (rc < 0)
		tier_snapshots_free(list, *n);
	else
		*out = list;
	return rc;
}
