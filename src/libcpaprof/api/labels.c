/*
 * labels.c - labels of threads, for a program that sets them itself
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpa/pprof.h"

#include "libcpaprof/target/labels.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/target.h"

#include <errno.h>

enum { PAIRS_TAKEN = 2 * LABELS_PAIRS_MOST };

/* No more bytes than most, and no part of a character of UTF-8 at the end. */
static uint16_t cut(const char *text, size_t most)
{
	size_t n = strnlen(text, most + 1), at = most;

	if (n <= most)
		return (uint16_t)n;
	for (int i = 0; i < 3 && at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80; i++)
		at--;
	return (uint16_t)(((unsigned char)text[at] & 0xc0) == 0x80 ? most : at);
}

static int order(const struct labels_pair *p, const char *key, uint16_t n)
{
	int rc = memcmp(p->key, key, p->n.key < n ? p->n.key : n);

	return rc ? rc : (int)p->n.key - (int)n;
}

/*
 * Put a pair where it belongs; in place of one with the same key. Without a value that one goes.
 * Gives how many there are; PAIRS_TAKEN + 1 when there is no room.
 */
static uint32_t put(struct labels_pair *pair, uint32_t n, const char *key, const char *value)
{
	struct labels_pair new = { key, value, { cut(key, LABELS_KEY_MOST), 0 } };
	uint32_t at = n;
	int is = 1;

	while (at > 0 && (is = order(&pair[at - 1], key, new.n.key)) > 0)
		at--;
	if (!value) {
		if (at > 0 && is == 0) {
			memmove(pair + at - 1, pair + at, (n - at) * sizeof(*pair));
			n--;
		}
		return n;
	}
	new.n.value = cut(value, LABELS_VALUE_MOST);
	if (at > 0 && is == 0) {
		pair[at - 1] = new;
		return n;
	}
	if (n == PAIRS_TAKEN)
		return n + 1;
	memmove(pair + at + 1, pair + at, (n - at) * sizeof(*pair));
	pair[at] = new;
	return n + 1;
}

/* The next label of a set: also of that of those without room. */
static bool next(cpa_labels l, struct labels_walk *w, struct labels_pair *out)
{
	if (l != LABELS_OVERFLOW)
		return labels_next(w, out);
	if (w->n_pairs++ > 0)
		return false;
	*out = (struct labels_pair){ LABELS_OVERFLOW_KEY,
				     LABELS_OVERFLOW_VALUE,
				     { sizeof(LABELS_OVERFLOW_KEY) - 1, sizeof(LABELS_OVERFLOW_VALUE) - 1 } };
	return true;
}

/* Look at a set. False when it is none. */
static bool find(cpa_labels l, struct labels_walk *w)
{
	*w = (struct labels_walk){ 0 };
	return l == LABELS_OVERFLOW || (cpi.labels && labels_find(cpi.labels, l, w));
}

CPA_EXPORT cpa_labels cpa_labels_make(cpa_labels parent, const char *const kv[], size_t pairs)
{
	struct labels_pair pair[PAIRS_TAKEN + 1];
	struct labels_walk w;
	uint32_t n = 0;

	if (!cpi.labels && collector_ensure_segment() != 0)
		return LABELS_NONE;
	if (find(parent, &w))
		while (n < LABELS_PAIRS_MOST && next(parent, &w, &pair[n]))
			n++;
	for (size_t i = 0; i < pairs && n <= PAIRS_TAKEN; i++)
		if (kv[2 * i] && kv[2 * i][0])
			n = put(pair, n, kv[2 * i], kv[2 * i + 1]);
	return cpi_labels_add_sig(pair, n);
}

CPA_EXPORT cpa_labels cpa_labels_set(cpa_labels l)
{
	cpa_labels before = atomic_load_explicit(&cpi_local.label, memory_order_relaxed);

	if (l && !atomic_load_explicit(&cpi_local.listed, memory_order_relaxed))
		cpi_local_list_sig();
	/* nobody else writes it, but a handler that puts back what it found */
	atomic_store_explicit(&cpi_local.label, l, memory_order_relaxed);
	return before;
}

CPA_EXPORT cpa_labels cpa_labels_get(void)
{
	return atomic_load_explicit(&cpi_local.label, memory_order_relaxed);
}

CPA_EXPORT const char *cpa_labels_value(cpa_labels l, const char *key)
{
	uint16_t n = key ? cut(key, LABELS_KEY_MOST) : 0;
	struct labels_pair pair;
	struct labels_walk w;

	if (n && find(l, &w))
		while (next(l, &w, &pair))
			if (order(&pair, key, n) == 0)
				return pair.value;
	return NULL;
}

CPA_EXPORT int cpa_labels_each(cpa_labels l, int (*f)(void *arg, const char *key, const char *value), void *arg)
{
	struct labels_pair pair;
	struct labels_walk w;
	int rc = 0;

	if (find(l, &w))
		while (rc == 0 && next(l, &w, &pair))
			if (pair.n.key)
				rc = f(arg, pair.key, pair.value);
	return rc;
}

CPA_EXPORT void cpa_labels_do(cpa_labels l, void (*fn)(void *), void *arg)
{
	cpa_labels before = cpa_labels_set(l);

	fn(arg);
	cpa_labels_set(before);
}

CPA_EXPORT int cpa_labels_inherit(int on)
{
	return cpi_labels_set_inherit(on != 0);
}
