/*
 * waited.c - for how long threads have waited, by what was seen of them before
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/waited.h"

#include "libcpaprof/collector/order.h"

enum { THREADS_MOST = 1 << 20 };

struct waited_thread {
	uint32_t tid;
	uint64_t runs, since_ns;
};

static const struct waited_thread *find(const struct vec *before, uint32_t tid)
{
	const struct waited_thread *t = before->data;
	size_t lo = 0, hi = before->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t[mid].tid < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < before->n && t[lo].tid == tid ? &t[lo] : NULL;
}

uint64_t waited_see(struct waited *w, uint32_t tid, uint64_t runs, uint64_t now_ns)
{
	struct waited_thread *to = vec_room(&w->now, 1, sizeof(*to), THREADS_MOST);
	const struct waited_thread *was = find(&w->before, tid);
	uint64_t since = was && runs && was->runs == runs ? was->since_ns : now_ns;

	if (to) {
		*to = (struct waited_thread){ .tid = tid, .runs = runs, .since_ns = since };
		w->now.n++;
	}
	return now_ns - since;
}

static int compare(const void *arg, uint32_t a, uint32_t b)
{
	const struct waited_thread *t = arg;

	return t[a].tid < t[b].tid ? -1 : t[a].tid > t[b].tid;
}

void waited_end(struct waited *w)
{
	size_t n = w->now.n;
	const struct waited_thread *from = w->now.data;
	uint32_t *order = order_make(n, compare, from);
	struct waited_thread *to;

	w->before.n = 0;
	to = order ? vec_room(&w->before, n, sizeof(*to), THREADS_MOST) : NULL;
	for (size_t i = 0; to && i < n; i++)
		to[i] = from[order[i]];
	w->before.n = to ? n : 0;
	w->now.n = 0;
	order_free(order, n);
}

void waited_release(struct waited *w)
{
	vec_release(&w->before, sizeof(struct waited_thread));
	vec_release(&w->now, sizeof(struct waited_thread));
}
