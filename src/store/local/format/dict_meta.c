/*
 * dict_meta.c - metas and series of a dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There can be a meta per profile, since comments may contain the time. Types and places are then the same; a meta shares
 * these lists with the first one that has them.
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "store/local/format/dict_int.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { TYPE_WORDS = 2, PLACE_WORDS = 5, META_WORDS = 6 };

static uint64_t pack(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

static uint64_t *words(struct dict_index *x, size_t n)
{
	x->word = mem_grow(x->word, &x->cap_words, n, sizeof(*x->word));
	return x->word;
}

/* The id of a list; *first is the meta that has it first, which is meta if the list is new. */
static int dict_meta_add_list(struct keys *lists, uint32_t **metas, size_t *cap, const uint64_t *word, size_t n,
			      uint32_t meta, uint32_t *id, uint32_t *first, struct err *err)
{
	uint32_t before = lists->n;

	if (keys_add(lists, word, n, keys_hash(word, n), id, err) < 0)
		return ERR_LIMIT;
	*metas = mem_grow(*metas, cap, (size_t)*id + 1, sizeof(**metas));
	if (*id == before)
		(*metas)[*id] = meta;
	*first = (*metas)[*id];
	return 0;
}

/* A list has a first word with its length, since keys are not empty. */
static int dict_meta_add_types(struct dict *d, struct dict_meta *m, uint32_t *id, struct err *err)
{
	struct dict_index *x = d->index;
	uint64_t *word = words(x, 1 + TYPE_WORDS * (size_t)m->n_types), *at = word;

	*at++ = m->n_types;
	for (uint32_t t = 0; t < m->n_types; t++) {
		*at++ = pack(m->type[t].name, m->type[t].unit);
		*at++ = m->temporality[t];
	}
	return dict_meta_add_list(&x->types, &x->types_meta, &x->cap_types_meta, word, (size_t)(at - word), d->n_metas,
				  id, &m->same_types, err);
}

static int dict_meta_add_places(struct dict *d, struct dict_meta *m, uint32_t *id, struct err *err)
{
	struct dict_index *x = d->index;
	uint64_t *word = words(x, 1 + PLACE_WORDS * (size_t)m->n_places), *at = word;

	*at++ = m->n_places;
	for (uint32_t i = 0; i < m->n_places; i++) {
		const struct dict_place *p = &m->place[i];

		*at++ = p->map;
		*at++ = p->start;
		*at++ = p->limit;
		*at++ = pack(p->file, p->kernel_symbol);
		*at++ = (uint64_t)p->has_functions | (uint64_t)p->has_filenames << 1 |
			(uint64_t)p->has_line_numbers << 2 | (uint64_t)p->has_inline_frames << 3;
	}
	return dict_meta_add_list(&x->places, &x->places_meta, &x->cap_places_meta, word, (size_t)(at - word),
				  d->n_metas, id, &m->same_places, err);
}

/* The id of a meta in the index, equal to the previous number of metas if it is new; sets m->same_types and same_places. */
static int index_meta(struct dict *d, struct dict_meta *m, uint32_t *id, struct err *err)
{
	uint32_t types, places;
	uint64_t *word, *at;

	if (dict_meta_add_types(d, m, &types, err) < 0 || dict_meta_add_places(d, m, &places, err) < 0)
		return ERR_LIMIT;
	word = at = words(d->index, META_WORDS + (size_t)m->n_comments);
	*at++ = pack(types, places);
	*at++ = (uint64_t)m->period;
	*at++ = pack(m->period_type.name, m->period_type.unit);
	*at++ = m->has_period_type;
	*at++ = pack(m->default_type, m->doc_url);
	*at++ = pack(m->drop_frames, m->keep_frames);
	for (uint32_t i = 0; i < m->n_comments; i++)
		*at++ = m->comment[i];
	return keys_add(&d->index->metas, word, (size_t)(at - word), keys_hash(word, (size_t)(at - word)), id, err);
}

int dict_add_meta(struct dict *d, const struct dict_meta *m, uint32_t *id, struct err *err)
{
	struct dict_meta copy = *m;

	if (index_meta(d, &copy, id, err) < 0)
		return ERR_LIMIT;
	if (*id < d->n_metas)
		return 0;
	if (copy.same_types < *id) {
		copy.type = d->meta[copy.same_types].type;
		copy.temporality = d->meta[copy.same_types].temporality;
	} else {
		copy.type = dict_copy_list(d, m->type, m->n_types, sizeof(*m->type));
		copy.temporality = dict_copy_list(d, m->temporality, m->n_types, sizeof(*m->temporality));
	}
	copy.place = copy.same_places < *id ? d->meta[copy.same_places].place
					    : dict_copy_list(d, m->place, m->n_places, sizeof(*m->place));
	copy.comment = dict_copy_list(d, m->comment, m->n_comments, sizeof(*m->comment));
	return dict_append_meta(d, &copy, err);
}

static int index_series(struct dict *d, const struct dict_series *s, uint32_t *id, struct err *err)
{
	uint64_t *word = words(d->index, 3 + (size_t)s->n_labels), *at = word;

	memcpy(at, s->hash, sizeof(s->hash));
	at += sizeof(s->hash) / sizeof(*at);
	*at++ = s->kind;
	for (uint32_t i = 0; i < s->n_labels; i++)
		*at++ = pack(s->name[i], s->value[i]);
	return keys_add(&d->index->series, word, (size_t)(at - word), keys_hash(word, (size_t)(at - word)), id, err);
}

int dict_add_series_ids(struct dict *d, const struct dict_series *s, uint32_t *id, struct err *err)
{
	struct dict_series copy = *s;

	if (index_series(d, s, id, err) < 0)
		return ERR_LIMIT;
	if (*id < d->n_series)
		return 0;
	copy.name = dict_copy_list(d, s->name, s->n_labels, sizeof(*s->name));
	copy.value = dict_copy_list(d, s->value, s->n_labels, sizeof(*s->value));
	return dict_append_series(d, &copy, err);
}

int dict_index_metas(struct dict *d, struct err *err)
{
	uint32_t n_metas = d->n_metas, id;

	for (uint32_t i = 0; i < n_metas; i++) {
		struct dict_meta m = d->meta[i];
		int rc;

		d->n_metas = i; /* new lists belong to this meta */
		rc = index_meta(d, &m, &id, err);
		d->n_metas = n_metas;
		if (rc < 0)
			return rc;
		if (id != i)
			return err_set(err, ERR_FORMAT, "metas: entry %" PRIu32 " is equal to an earlier one", i);
	}
	for (uint32_t i = 0; i < d->n_series; i++) {
		if (index_series(d, &d->series[i], &id, err) < 0)
			return ERR_LIMIT;
		if (id != i)
			return err_set(err, ERR_FORMAT, "series: entry %" PRIu32 " is equal to an earlier one", i);
	}
	return 0;
}

/* Hash a text with its length, so that no other texts give the same bytes. */
static void dict_meta_hash_text(XXH3_state_t *h, const char *text)
{
	uint64_t n = strlen(text);
	uint8_t length[sizeof(n)];

	for (size_t i = 0; i < sizeof(n); i++)
		length[i] = (uint8_t)(n >> 8 * i);
	XXH3_128bits_update(h, length, sizeof(length));
	XXH3_128bits_update(h, text, n);
}

void dict_series_hash(const char *service, const char *kind, const struct store_label *labels, size_t n,
		      uint8_t hash[16])
{
	XXH128_canonical_t out;
	XXH3_state_t h;

	XXH3_128bits_reset(&h);
	dict_meta_hash_text(&h, service);
	dict_meta_hash_text(&h, kind);
	for (size_t i = 0; i < n; i++) {
		dict_meta_hash_text(&h, labels[i].name);
		dict_meta_hash_text(&h, labels[i].value);
	}
	XXH128_canonicalFromHash(&out, XXH3_128bits_digest(&h));
	memcpy(hash, out.digest, sizeof(out.digest));
}

int dict_add_series(struct dict *d, const char *service, const char *kind, const struct store_label *labels, size_t n,
		    uint32_t *id, struct err *err)
{
	struct dict_series s = { .kind = strtab_addz(d->str, kind), .n_labels = (uint32_t)n };
	int rc = dict_index_make(d, err);

	if (rc < 0)
		return rc;
	assert(n <= UINT32_MAX);
	s.name = mem_alloc(n, sizeof(*s.name));
	s.value = mem_alloc(n, sizeof(*s.value));
	for (size_t i = 0; i < n; i++) {
		s.name[i] = strtab_addz(d->str, labels[i].name);
		s.value[i] = strtab_addz(d->str, labels[i].value);
	}
	dict_series_hash(service, kind, labels, n, s.hash);
	rc = dict_add_series_ids(d, &s, id, err);
	free(s.name);
	free(s.value);
	dict_count_memory(d);
	return rc;
}
