/*
 * labels.c - adds sets of labels to the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/target/labels.h"

#include "libcpaprof/target/target.h"

enum { INHERIT_DEFAULT, INHERIT_YES, INHERIT_NO };

static _Atomic uint32_t inherit; /* setting of this process, which overrides the setting of the collector */

bool cpi_labels_inherit_sig(void)
{
	uint32_t own = atomic_load_explicit(&inherit, memory_order_relaxed);

	if (own != INHERIT_DEFAULT)
		return own == INHERIT_YES;
	return !cpi.head || !(atomic_load_explicit(&cpi.head->flags, memory_order_relaxed) & FLAG_LABELS_NOT_INHERITED);
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

/* Random, because users of a program may choose its label texts, and must not be able to make their hashes collide. */
static uint64_t seed_sig(void)
{
	uint64_t seed = atomic_load_explicit(&head_sig()->seed, memory_order_relaxed);

	if (seed == 0) {
		if (atomic_compare_exchange_strong(&head_sig()->seed, &seed, cpi.cookie | 1))
			seed = cpi.cookie | 1;
	}
	return seed;
}

static uint64_t target_labels_mix(uint64_t h, uint64_t word)
{
	__uint128_t m = (__uint128_t)(h ^ word) * 0xd6e8feb86659fd93ULL;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static uint64_t mix_text(uint64_t h, const char *text, uint32_t n)
{
	uint64_t word;

	for (; n >= sizeof(word); n -= (uint32_t)sizeof(word), text += sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		h = target_labels_mix(h, word);
	}
	word = n;
	memcpy((char *)&word + 1, text, n);
	return target_labels_mix(h, word);
}

static uint32_t target_labels_hash_of(const struct labels_pair *pair, uint32_t n)
{
	uint64_t h = seed_sig();

	for (uint32_t i = 0; i < n; i++)
		h = mix_text(mix_text(h, pair[i].key, pair[i].n.key), pair[i].value, pair[i].n.value);
	return (uint32_t)(h ^ h >> 32);
}

static bool target_labels_is_same(struct labels_walk *w, const struct labels_pair *pair, uint32_t n)
{
	struct labels_pair found;

	if (w->n_pairs != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!labels_next(w, &found) || found.n.key != pair[i].n.key || found.n.value != pair[i].n.value ||
		    memcmp(found.key, pair[i].key, found.n.key) != 0 ||
		    memcmp(found.value, pair[i].value, found.n.value) != 0)
			return false;
	return true;
}

static struct labels_set *target_labels_at_sig(uint32_t id)
{
	uint32_t at = id < LABELS_ENTRIES ? atomic_load_explicit(&index_sig()[id], memory_order_acquire) : 0;

	return at && at <= LABELS_WORDS_MAX - sizeof(struct labels_set) / 8
		       ? (struct labels_set *)(cpi.labels + LABELS_SETS_AT + (uint64_t)(at - 1) * 8)
		       : NULL;
}

/*
 * Find the set in the chain from first up to end, exclusive. Returns 0 if it is not there. The loop is bounded by the
 * number of all sets, so it ends even if another process damaged the chain.
 */
static uint32_t target_labels_find_in_chain_sig(uint32_t first, uint32_t end, uint32_t hash,
						const struct labels_pair *pair, uint32_t n)
{
	uint32_t id = first;

	for (uint32_t i = 0; i < LABELS_SETS_MAX && id != end && id; i++) {
		const struct labels_set *s = target_labels_at_sig(id);
		struct labels_walk w;

		if (!s)
			break;
		if (s->hash == hash && labels_find(cpi.labels, id, &w) && target_labels_is_same(&w, pair, n))
			return id;
		id = atomic_load_explicit(&s->next, memory_order_acquire);
	}
	return 0;
}

static uint32_t target_labels_size_of(const struct labels_pair *pair, uint32_t n)
{
	uint32_t size = 0;

	for (uint32_t i = 0; i < n; i++)
		size += (uint32_t)sizeof(pair->n) + pair[i].n.key + pair[i].n.value + 2U;
	return size;
}

static void target_labels_fill(struct labels_set *s, uint32_t hash, const struct labels_pair *pair, uint32_t n)
{
	uint8_t *to = (uint8_t *)(s + 1);

	s->hash = hash;
	s->n_pairs = n;
	s->n_bytes = target_labels_size_of(pair, n);
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

/* Create a set in the index, but in no chain yet. */
static uint32_t make_sig(uint32_t hash, const struct labels_pair *pair, uint32_t n, struct labels_set **out)
{
	uint32_t words = (uint32_t)(sizeof(struct labels_set) + target_labels_size_of(pair, n) + 7) / 8, at, id;

	/* check for room first, so that sets that do not fit use up hardly any ids */
	if (atomic_load(&head_sig()->n_words) > LABELS_WORDS_MAX - words)
		return LABELS_OVERFLOW;
	id = segment_count_up_sig(&head_sig()->n_sets, 1, LABELS_SETS_MAX);
	if (id == LABELS_SETS_MAX)
		return LABELS_OVERFLOW;
	at = segment_count_up_sig(&head_sig()->n_words, words, LABELS_WORDS_MAX);
	if (at == LABELS_WORDS_MAX)
		return LABELS_OVERFLOW;
	id += LABELS_FIRST;
	*out = (struct labels_set *)(cpi.labels + LABELS_SETS_AT + (uint64_t)at * 8);
	target_labels_fill(*out, hash, pair, n);
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
	if (n > LABELS_PAIRS_MAX)
		return LABELS_OVERFLOW;
	hash = target_labels_hash_of(pair, n);
	bucket = (_Atomic uint32_t *)(cpi.labels + LABELS_BUCKETS_AT) + hash % LABELS_BUCKETS;
	first = atomic_load_explicit(bucket, memory_order_acquire);
	found = target_labels_find_in_chain_sig(first, 0, hash, pair, n);
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
		found = target_labels_find_in_chain_sig(first, seen, hash, pair, n);
		if (found)
			return found;
	}
}
