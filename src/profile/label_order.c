/*
 * label_order.c - the labels of a sample in output order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/label_order.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct label_order_key {
	const char *text;
	size_t len;
	str_id id;
};

static int label_order_compare_keys(const void *a, const void *b)
{
	const struct label_order_key *x = a, *y = b;
	int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* The rank of each key in byte order; [strings], set only for keys. */
static uint32_t *rank_keys(const struct profile *p)
{
	uint32_t *rank = mem_zalloc(strtab_count(p->str), sizeof(*rank)), n = 0;
	struct label_order_key *key = mem_alloc(p->n_labels, sizeof(*key));

	for (uint32_t i = 0; i < p->n_labels; i++) {
		str_id id = p->label_key[i];

		if (rank[id])
			continue;
		rank[id] = 1;
		key[n++] = (struct label_order_key){ strtab_text(p->str, id), strtab_len(p->str, id), id };
	}
	qsort(key, n, sizeof(*key), label_order_compare_keys);
	for (uint32_t i = 0; i < n; i++)
		rank[key[i].id] = i;
	free(key);
	return rank;
}

struct label_order_entry {
	uint32_t rank, position, label;
};

static int label_order_compare_entries(const void *a, const void *b)
{
	const struct label_order_entry *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->position > y->position) - (x->position < y->position);
}

/* entry  scratch space for the labels of the largest set */
static void sort_set(const struct profile *p, const uint32_t *rank, uint32_t set, struct label_order_entry *entry,
		     uint32_t *out)
{
	uint32_t first = p->label_sets.off[set], end = p->label_sets.off[set + 1], n = 0;

	for (int texts = 1; texts >= 0; texts--) {
		uint32_t from = n;

		for (uint32_t i = first; i < end; i++) {
			uint32_t label = p->label_sets.item[i];

			if (p->label_is_text[label] == texts)
				entry[n++] = (struct label_order_entry){ rank[p->label_key[label]], i, label };
		}
		qsort(entry + from, n - from, sizeof(*entry), label_order_compare_entries);
	}
	assert(n == end - first);
	for (uint32_t i = 0; i < n; i++)
		out[first + i] = entry[i].label;
}

uint32_t *profile_label_order(const struct profile *p)
{
	const struct csr *sets = &p->label_sets;
	uint32_t *out = mem_alloc(sets->off[sets->n], sizeof(*out)), *rank = rank_keys(p), n_max = 0;
	struct label_order_entry *entry;

	for (uint32_t s = 0; s < sets->n; s++)
		n_max = sets->off[s + 1] - sets->off[s] > n_max ? sets->off[s + 1] - sets->off[s] : n_max;
	entry = mem_alloc(n_max, sizeof(*entry));
	for (uint32_t s = 0; s < sets->n; s++)
		sort_set(p, rank, s, entry, out);
	free(entry);
	free(rank);
	return out;
}
