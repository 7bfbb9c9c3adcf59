/*
 * labels.c - labels of threads, set by the program
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/context.h"
#include "libcpaprof/api/cpa/pprof.h"

#include "libcpaprof/target/context.h"
#include "libcpaprof/target/labels.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/target.h"

enum { PAIRS_MAX = 2 * LABELS_PAIRS_MAX };

/* Length of a text cut to at most max bytes, without a partial UTF-8 character at the end. */
static uint16_t api_labels_cut(const char *text, size_t max)
{
	size_t n = strnlen(text, max + 1), at = max;

	if (n <= max)
		return (uint16_t)n;
	for (int i = 0; i < 3 && at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80; i++)
		at--;
	return (uint16_t)(((unsigned char)text[at] & 0xc0) == 0x80 ? max : at);
}

static int compare_key(const struct labels_pair *p, const char *key, uint16_t n)
{
	int rc = memcmp(p->key, key, p->n.key < n ? p->n.key : n);

	return rc ? rc : (int)p->n.key - (int)n;
}

/*
 * Insert a pair in order of keys, replacing a pair with the same key. Without a value, the pair with this key is
 * removed. Returns the number of pairs; PAIRS_MAX + 1 if there is no room.
 */
static uint32_t api_labels_insert(struct labels_pair *pair, uint32_t n, const char *key, const char *value)
{
	struct labels_pair new = { key, value, { api_labels_cut(key, LABELS_KEY_MAX), 0 } };
	uint32_t at = n;
	int cmp = 1;

	while (at > 0 && (cmp = compare_key(&pair[at - 1], key, new.n.key)) > 0)
		at--;
	if (!value) {
		if (at > 0 && cmp == 0) {
			memmove(pair + at - 1, pair + at, (n - at) * sizeof(*pair));
			n--;
		}
		return n;
	}
	new.n.value = api_labels_cut(value, LABELS_VALUE_MAX);
	if (at > 0 && cmp == 0) {
		pair[at - 1] = new;
		return n;
	}
	if (n == PAIRS_MAX)
		return n + 1;
	memmove(pair + at + 1, pair + at, (n - at) * sizeof(*pair));
	pair[at] = new;
	return n + 1;
}

/* The next label of a set. The overflow set has one label. */
static bool api_labels_next(cpa_labels l, struct labels_walk *w, struct labels_pair *out)
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

/* Find a set. Returns false if there is none. */
static bool api_labels_find(cpa_labels l, struct labels_walk *w)
{
	*w = (struct labels_walk){ 0 };
	return l == LABELS_OVERFLOW || (cpi.labels && labels_find(cpi.labels, l, w));
}

CPA_EXPORT cpa_labels cpa_labels_make(cpa_labels parent, const char *const kv[], size_t pairs)
{
	struct labels_pair pair[PAIRS_MAX + 1];
	struct labels_walk w;
	uint32_t n = 0;
	cpa_labels made;

	if (!cpi.labels && collector_ensure_segment() != 0)
		return LABELS_NONE;
	if (api_labels_find(parent, &w))
		while (n < LABELS_PAIRS_MAX && api_labels_next(parent, &w, &pair[n]))
			n++;
	for (size_t i = 0; i < pairs && n <= PAIRS_MAX; i++)
		if (kv[2 * i] && kv[2 * i][0])
			n = api_labels_insert(pair, n, kv[2 * i], kv[2 * i + 1]);
	made = cpi_labels_add_sig(pair, n);
	if (made != LABELS_NONE)
		context_add_labels(made);
	return made;
}

CPA_EXPORT cpa_labels cpa_labels_set(cpa_labels l)
{
	cpa_labels before = atomic_load_explicit(&cpi_local.label, memory_order_relaxed);

	if (l && !atomic_load_explicit(&cpi_local.is_listed, memory_order_relaxed))
		cpi_local_register_sig();
	/* written only by this thread, and by handlers that restore it */
	atomic_store_explicit(&cpi_local.label, l, memory_order_relaxed);
	cpi_context_attach_sig(before, l);
	return before;
}

CPA_EXPORT cpa_labels cpa_labels_get(void)
{
	return atomic_load_explicit(&cpi_local.label, memory_order_relaxed);
}

CPA_EXPORT const char *cpa_labels_value(cpa_labels l, const char *key)
{
	uint16_t n = key ? api_labels_cut(key, LABELS_KEY_MAX) : 0;
	struct labels_pair pair;
	struct labels_walk w;

	if (n && api_labels_find(l, &w))
		while (api_labels_next(l, &w, &pair))
			if (compare_key(&pair, key, n) == 0)
				return pair.value;
	return NULL;
}

CPA_EXPORT int cpa_labels_each(cpa_labels l, int (*f)(void *arg, const char *key, const char *value), void *arg)
{
	struct labels_pair pair;
	struct labels_walk w;
	int rc = 0;

	if (api_labels_find(l, &w))
		while (rc == 0 && api_labels_next(l, &w, &pair))
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
