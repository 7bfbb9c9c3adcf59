/*
 * labels.c - sets of labels are added to the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/target/labels.h"

#include "libcpaprof/target/target.h"

enum { INHERIT_AS_ASKED, INHERIT_YES, INHERIT_NO };

static _Atomic uint32_t inherit; /* what this process says, before what its collector was asked */

bool cpi_labels_inherit_sig(void)
{
	uint32_t own = atomic_load_explicit(&inherit, memory_order_relaxed);

	if (own != INHERIT_AS_ASKED)
		return own == INHERIT_YES;
	return !cpi.head || !(atomic_load_explicit(&cpi.head->flags, memory_order_relaxed) & FLAG_LABELS_STAY);
}

bool cpi_labels_set_inherit(bool on)
{
	bool before = cpi_labels_inherit_sig();

	atomic_store(&inherit, on ? INHERIT_YES : INHERIT_NO);
	return before;
}

static struct labels_head *head_sig(void)
{
	return (struct labels_head *)cpi.labels;
}

static _Atomic uint32_t *index_sig(void)
{
	return (_Atomic uint32_t *)(cpi.labels + LABELS_INDEX_AT);
}

/* A program may take texts from its users, who must not be able to choose such as collide. */
static uint64_t seed_sig(void)
{
	uint64_t seed = atomic_load_explicit(&head_sig()->seed, memory_order_relaxed);

	if (seed == 0) {
		if (atomic_compare_exchange_strong(&head_sig()->seed, &seed, cpi.cookie | 1))
			seed = cpi.cookie | 1;
	}
	return seed;
}

static uint64_t mix(uint64_t h, uint64_t word)
{
	__uint128_t m = (__uint128_t)(h ^ word) * 0xd6e8feb86659fd93ULL;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static uint64_t mix_text(uint64_t h, const char *text, uint32_t n)
{
	uint64_t word;

	for (; n >= sizeof(word); n -= (uint32_t)sizeof(word), text += sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		h = mix(h, word);
	}
	word = n;
	memcpy((char *)&word + 1, text, n);
	return mix(h, word);
}

static uint32_t hash_of(const struct labels_pair *pair, uint32_t n)
{
	uint64_t h = seed_sig();

	for (uint32_t i = 0; i < n; i++)
		h = mix_text(mix_text(h, pair[i].key, pair[i].n.key), pair[i].value, pair[i].n.value);
	return (uint32_t)(h ^ h >> 32);
}

static bool is_same(struct labels_walk *w, const struct labels_pair *pair, uint32_t n)
{
	struct labels_pair there;

	if (w->n_pairs != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!labels_next(w, &there) || there.n.key != pair[i].n.key || there.n.value != pair[i].n.value ||
		    memcmp(there.key, pair[i].key, there.n.key) != 0 ||
		    memcmp(there.value, pair[i].value, there.n.value) != 0)
			return false;
	return true;
}

static struct labels_set *at_sig(uint32_t id)
{
	uint32_t at = id < LABELS_ENTRIES ? atomic_load_explicit(&index_sig()[id], memory_order_acquire) : 0;

	return at && at <= LABELS_WORDS_MOST - sizeof(struct labels_set) / 8
		       ? (struct labels_set *)(cpi.labels + LABELS_SETS_AT + (uint64_t)(at - 1) * 8)
		       : NULL;
}

/*
 * The set in the chain from first up to, but not with, end. 0: not there. No chain is longer than all sets
 * are; one that another process broke has an end too.
 */
static uint32_t look_sig(uint32_t first, uint32_t end, uint32_t hash, const struct labels_pair *pair, uint32_t n)
{
	uint32_t id = first;

	for (uint32_t i = 0; i < LABELS_SETS_MOST && id != end && id; i++) {
		const struct labels_set *s = at_sig(id);
		struct labels_walk w;

		if (!s)
			break;
		if (s->hash == hash && labels_find(cpi.labels, id, &w) && is_same(&w, pair, n))
			return id;
		id = atomic_load_explicit(&s->next, memory_order_acquire);
	}
	return 0;
}

/* Count n more of most. Gives how many there were; most when they do not go in. */
static uint32_t take_sig(_Atomic uint32_t *count, uint32_t n, uint32_t most)
{
	uint32_t before = atomic_load_explicit(count, memory_order_relaxed);

	do {
		if (n > most || before > most - n)
			return most;
	} while (!atomic_compare_exchange_weak(count, &before, before + n));
	return before;
}

static uint32_t size_of(const struct labels_pair *pair, uint32_t n)
{
	uint32_t size = 0;

	for (uint32_t i = 0; i < n; i++)
		size += (uint32_t)sizeof(pair->n) + pair[i].n.key + pair[i].n.value + 2U;
	return size;
}

static void fill(struct labels_set *s, uint32_t hash, const struct labels_pair *pair, uint32_t n)
{
	uint8_t *to = (uint8_t *)(s + 1);

	s->hash = hash;
	s->n_pairs = n;
	s->n_bytes = size_of(pair, n);
	for (uint32_t i = 0; i < n; i++) {
		memcpy(to, &pair[i].n, sizeof(pair[i].n));
		to += sizeof(pair[i].n);
		memcpy(to, pair[i].key, pair[i].n.key);
		to += pair[i].n.key;
		*to++ = 0;
		memcpy(to, pair[i].value, pair[i].n.value);
		to += pair[i].n.value;
		*to++ = 0;
	}
}

/* A new set, in the index and in no chain. */
static uint32_t make_sig(uint32_t hash, const struct labels_pair *pair, uint32_t n, struct labels_set **out)
{
	uint32_t words = (uint32_t)(sizeof(struct labels_set) + size_of(pair, n) + 7) / 8, at, id;

	/* the number first: who then finds no room for the set is the last to take one, more or less */
	if (atomic_load(&head_sig()->n_words) > LABELS_WORDS_MOST - words)
		return LABELS_OVERFLOW;
	id = take_sig(&head_sig()->n_sets, 1, LABELS_SETS_MOST);
	if (id == LABELS_SETS_MOST)
		return LABELS_OVERFLOW;
	at = take_sig(&head_sig()->n_words, words, LABELS_WORDS_MOST);
	if (at == LABELS_WORDS_MOST)
		return LABELS_OVERFLOW;
	id += LABELS_FIRST;
	*out = (struct labels_set *)(cpi.labels + LABELS_SETS_AT + (uint64_t)at * 8);
	fill(*out, hash, pair, n);
	atomic_store_explicit(&index_sig()[id], at + 1, memory_order_release);
	return id;
}

uint32_t cpi_labels_add_sig(const struct labels_pair *pair, uint32_t n)
{
	_Atomic uint32_t *bucket;
	struct labels_set *s;
	uint32_t hash, first, id, found;

	if (n == 0 || !cpi.labels)
		return LABELS_NONE;
	if (n > LABELS_PAIRS_MOST)
		return LABELS_OVERFLOW;
	hash = hash_of(pair, n);
	bucket = (_Atomic uint32_t *)(cpi.labels + LABELS_BUCKETS_AT) + hash % LABELS_BUCKETS;
	first = atomic_load_explicit(bucket, memory_order_acquire);
	found = look_sig(first, 0, hash, pair, n);
	if (found)
		return found;
	id = make_sig(hash, pair, n, &s);
	if (id == LABELS_OVERFLOW)
		return id;
	for (;;) {
		uint32_t seen = first;

		atomic_store_explicit(&s->next, first, memory_order_relaxed);
		if (atomic_compare_exchange_strong_explicit(bucket, &first, id, memory_order_release,
							    memory_order_acquire))
			return id;
		found = look_sig(first, seen, hash, pair, n);
		if (found)
			return found;
	}
}
