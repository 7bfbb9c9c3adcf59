/*
 * labels.h - sets of labels, in a section of the segment that all its processes share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sets are only added, by whoever needs them first, and never change or go: who holds the number of one
 * always has a whole one. The section begins as zeros, which is the empty table:
 *
 *	struct labels_head         the first page
 *	uint32_t [LABELS_BUCKETS]  at LABELS_BUCKETS_AT: the last set that was added of each hash
 *	uint32_t [LABELS_ENTRIES]  at LABELS_INDEX_AT: where the set of each number is
 *	sets                       at LABELS_SETS_AT: struct labels_set, one behind the other
 *
 * A set is named by a number: 0 is none, LABELS_OVERFLOW stands for those that found no room. Where it is, is
 * in words of 8 bytes from LABELS_SETS_AT, plus 1. It is filled, put into the index, then linked into its
 * chain. One of two that are added at once and are the same may stay out of all chains; it is as good.
 *
 * The names of profiles that programs make are sets too: one pair, whose key is empty, which no label's is.
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
	LABELS_SETS_MOST = 1 << 16,
	LABELS_ENTRIES = LABELS_FIRST + LABELS_SETS_MOST,
	LABELS_BUCKETS = 1 << 16,
	LABELS_PAIRS_MOST = 64,   /* of one set */
	LABELS_KEY_MOST = 255,    /* bytes; longer ones are cut there, before a character of UTF-8 */
	LABELS_VALUE_MOST = 1023, /* the same */
	LABELS_BUCKETS_AT = SEGMENT_PAGE,
	LABELS_INDEX_AT = LABELS_BUCKETS_AT + LABELS_BUCKETS * 4,
	LABELS_SETS_AT = 1 << 20,
	LABELS_WORDS_MOST = (LABELS_SIZE - LABELS_SETS_AT) / 8,
};

#define LABELS_OVERFLOW_KEY "cpa_label_overflow"
#define LABELS_OVERFLOW_VALUE "1"

struct labels_head {
	_Atomic uint32_t n_sets, n_words;
	_Atomic uint64_t seed; /* of the hash; 0: no set yet */
};

/* Behind it come its pairs, sorted by key: struct labels_size, key, 0, value, 0. */
struct labels_set {
	_Atomic uint32_t next; /* number of the next one in the chain */
	uint32_t hash, n_pairs, n_bytes;
};

struct labels_size {
	uint16_t key, value;
};

struct labels_pair {
	const char *key, *value;
	struct labels_size n;
};

/* The pairs of a set that are still to come. */
struct labels_walk {
	const uint8_t *at;
	uint32_t left, n_pairs;
};

_Static_assert(LABELS_INDEX_AT + LABELS_ENTRIES * 4 <= LABELS_SETS_AT, "the index has room");

/* Look at a set. False when there is none with this number, or what is there cannot be one. */
static inline bool labels_find(const uint8_t *section, uint32_t id, struct labels_walk *out)
{
	const _Atomic uint32_t *index = (const _Atomic uint32_t *)(section + LABELS_INDEX_AT);
	uint32_t at = id < LABELS_ENTRIES ? atomic_load_explicit(&index[id], memory_order_acquire) : 0, words;
	const volatile struct labels_set *s;

	if (at == 0 || at > LABELS_WORDS_MOST - sizeof(*s) / 8)
		return false;
	s = (const volatile struct labels_set *)(section + LABELS_SETS_AT + (uint64_t)(at - 1) * 8);
	words = LABELS_WORDS_MOST - (at - 1) - (uint32_t)sizeof(*s) / 8;
	*out = (struct labels_walk){ (const uint8_t *)(uintptr_t)(s + 1), s->n_bytes, s->n_pairs };
	return out->left <= (uint64_t)words * 8 && out->n_pairs <= LABELS_PAIRS_MOST;
}

/* The next pair. False behind the last one. What it points to is in the section, and may be changed by others. */
static inline bool labels_next(struct labels_walk *w, struct labels_pair *out)
{
	uint32_t size;

	if (w->n_pairs == 0 || w->left < sizeof(out->n))
		return false;
	memcpy(&out->n, w->at, sizeof(out->n));
	size = (uint32_t)sizeof(out->n) + out->n.key + out->n.value + 2U;
	if (out->n.key > LABELS_KEY_MOST || out->n.value > LABELS_VALUE_MOST || size > w->left)
		return false;
	out->key = (const char *)w->at + sizeof(out->n);
	out->value = out->key + out->n.key + 1;
	if (out->key[out->n.key] != '\0' || out->value[out->n.value] != '\0')
		return false;
	w->at += size;
	w->left -= size;
	w->n_pairs--;
	return true;
}

/*
 * The number of a set, added if need be. Takes no lock.
 *
 * pair    [n] sorted by key, distinct; only the texts and their sizes are read
 * Gives   0 for no pairs, or when there is no segment; LABELS_OVERFLOW when there is no room
 */
uint32_t cpi_labels_add_sig(const struct labels_pair *pair, uint32_t n);

/* Do new threads begin with the labels of their creator? */
bool cpi_labels_inherit_sig(void);
/* Say so for this process; gives what was before. */
bool cpi_labels_set_inherit(bool on);

#endif
