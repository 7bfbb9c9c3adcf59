/*
 * labels.h - sets of labels, in a section of the segment that all its processes share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Any process adds the sets it needs. A set is never changed or removed, so an id always leads to a complete set. A
 * section of zeros is an empty table:
 *
 *	struct labels_head         the first page
 *	uint32_t [LABELS_BUCKETS]  at LABELS_BUCKETS_AT: last set added for each hash
 *	uint32_t [LABELS_ENTRIES]  at LABELS_INDEX_AT: position of the set with each id
 *	sets                       at LABELS_SETS_AT: struct labels_set, one after the other
 *
 * Set id 0 means no labels; LABELS_OVERFLOW is used when a set did not fit. A position is 1 plus the distance from
 * LABELS_SETS_AT in 8-byte words. A set is written, then put into the index, then linked into its chain. If two
 * threads add the same set at the same time, one of the two copies may be in no chain; it is just as valid.
 *
 * The names of profiles that programs create are sets too: a single pair with an empty key, which no label has.
 */
#ifndef LIBCPAPROF_TARGET_LABELS_H
#define LIBCPAPROF_TARGET_LABELS_H

#include "libcpaprof/target/segment.h"

#include <stdbool.h>
#include <string.h>

enum {
	LABELS_NONE,
	LABELS_OVERFLOW,
	LABELS_FIRST,
	LABELS_SETS_MAX = 1 << 16,
	LABELS_ENTRIES = LABELS_FIRST + LABELS_SETS_MAX,
	LABELS_BUCKETS = 1 << 16,
	LABELS_PAIRS_MAX = 64,   /* pairs of a set */
	LABELS_KEY_MAX = 255,    /* bytes; longer keys are cut at the start of a UTF-8 character */
	LABELS_VALUE_MAX = 1023, /* bytes; longer values are cut in the same way */
	LABELS_BUCKETS_AT = SEGMENT_PAGE,
	LABELS_INDEX_AT = LABELS_BUCKETS_AT + LABELS_BUCKETS * 4,
	LABELS_SETS_AT = 1 << 20,
	LABELS_WORDS_MAX = (LABELS_SIZE - LABELS_SETS_AT) / 8,
};

#define LABELS_OVERFLOW_KEY "cpa_label_overflow"
#define LABELS_OVERFLOW_VALUE "1"

struct labels_head {
	_Atomic uint32_t n_sets, n_words;
	_Atomic uint64_t seed; /* key of the hash function; 0: there is no set yet */
};

/* Its pairs follow, sorted by key: struct labels_size, key, 0, value, 0. */
struct labels_set {
	_Atomic uint32_t next; /* id of the next set in the chain */
	uint32_t hash, n_pairs, n_bytes;
};

struct labels_size {
	uint16_t key, value;
};

struct labels_pair {
	const char *key, *value;
	struct labels_size n;
};

/* Iterator over the pairs of a set. */
struct labels_walk {
	const uint8_t *at;
	uint32_t n_bytes, n_pairs;
};

_Static_assert(LABELS_INDEX_AT + LABELS_ENTRIES * 4 <= LABELS_SETS_AT, "the index fits before the sets");

/* Find a set. Returns false if there is no valid set with this id. */
static inline bool labels_find(const uint8_t *section, uint32_t id, struct labels_walk *out)
{
	const _Atomic uint32_t *index = (const _Atomic uint32_t *)(section + LABELS_INDEX_AT);
	uint32_t at = id < LABELS_ENTRIES ? atomic_load_explicit(&index[id], memory_order_acquire) : 0, words;
	const volatile struct labels_set *s;

	if (at == 0 || at > LABELS_WORDS_MAX - sizeof(*s) / 8)
		return false;
	s = (const volatile struct labels_set *)(section + LABELS_SETS_AT + (uint64_t)(at - 1) * 8);
	words = LABELS_WORDS_MAX - (at - 1) - (uint32_t)sizeof(*s) / 8;
	*out = (struct labels_walk){ (const uint8_t *)(uintptr_t)(s + 1), s->n_bytes, s->n_pairs };
	return out->n_bytes <= (uint64_t)words * 8 && out->n_pairs <= LABELS_PAIRS_MAX;
}

/*
 * Read the next pair. Returns false after the last one. out points into the section, which other processes may
 * change.
 */
static inline bool labels_next(struct labels_walk *w, struct labels_pair *out)
{
	uint32_t size;

	if (w->n_pairs == 0 || w->n_bytes < sizeof(out->n))
		return false;
	memcpy(&out->n, w->at, sizeof(out->n));
	size = (uint32_t)sizeof(out->n) + out->n.key + out->n.value + 2U;
	if (out->n.key > LABELS_KEY_MAX || out->n.value > LABELS_VALUE_MAX || size > w->n_bytes)
		return false;
	out->key = (const char *)w->at + sizeof(out->n);
	out->value = out->key + out->n.key + 1;
	if (out->key[out->n.key] != '\0' || out->value[out->n.value] != '\0')
		return false;
	w->at += size;
	w->n_bytes -= size;
	w->n_pairs--;
	return true;
}

/*
 * Return the id of a set, and add the set first if it is new. Takes no lock.
 *
 * pair    [n] sorted by key, distinct; only the texts and their sizes are read
 * Returns LABELS_NONE if n is 0 or there is no segment; LABELS_OVERFLOW if the set does not fit
 */
uint32_t cpi_labels_add_sig(const struct labels_pair *pair, uint32_t n);

/* Do new threads start with the labels of their creator? */
bool cpi_labels_inherit_sig(void);
/* Set whether new threads start with the labels of their creator. Returns the previous setting. */
bool cpi_labels_set_inherit(bool on);

#endif
