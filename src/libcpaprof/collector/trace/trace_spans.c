/*
 * trace_spans.c - the timeline of one thread: spans that do not overlap, and slices that nest
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/trace/trace_spans.h"

#include <errno.h>

#define SPANS_MAX ((size_t)1 << 24)

enum { DEPTH_MAX = 1 << 16 };

static bool trace_spans_add_span(struct vec *out, uint64_t begin, uint64_t end, uint32_t of, bool waits)
{
	const struct trace_span s = { .begin = begin, .end = end, .source = of, .is_wait = waits };

	return begin >= end || vec_add(out, &s, 1, sizeof(s), SPANS_MAX);
}

/* Clip waits to the window, and remove overlaps. */
static bool clip_waits(const struct spans_window *w, const struct span_wait *wait, size_t n, struct vec *out)
{
	uint64_t at = w->begin;

	for (size_t i = 0; i < n; i++) {
		struct span_wait x = wait[i];

		if (x.end - x.begin < SPAN_MIN_NS && x.end >= x.begin)
			x.end = x.begin + SPAN_MIN_NS;
		x.begin = x.begin > at ? x.begin : at;
		x.end = x.end < w->end ? x.end : w->end;
		if (x.begin >= x.end)
			continue;
		if (!vec_add(out, &x, 1, sizeof(x), SPANS_MAX))
			return false;
		at = x.end;
	}
	return true;
}

/* Reverse the order of the spans from this index on. */
static void trace_spans_reverse(struct vec *v, size_t from)
{
	struct trace_span *s = v->data, t;

	for (size_t i = from, k = v->n; i + 1 < k; i++, k--) {
		t = s[i];
		s[i] = s[k - 1];
		s[k - 1] = t;
	}
}

/* Add spans for the CPU time of a sample, before it and not before `back`. Waits [0, n) begin before the sample. */
static bool place_cost(const struct spans_window *w, const struct span_sample *x, uint64_t back,
		       const struct span_wait *wait, size_t n, struct vec *out)
{
	uint64_t hi = x->ns, left = x->cost_ns;
	size_t from = out->n;

	while (left && hi > back) {
		uint64_t lo = back, room;

		while (n && wait[n - 1].end > back && (!wait[n - 1].is_certain || wait[n - 1].begin >= hi))
			n--;
		if (n && wait[n - 1].end >= hi) {
			hi = wait[--n].begin;
			continue;
		}
		if (n && wait[n - 1].end > lo)
			lo = wait[n - 1].end;
		room = hi - lo;
		/* timers expire at kernel ticks, so a sample can come a little early or late */
		if (room > left && !(lo == back && room - left < w->join_ns))
			lo = hi - left;
		if (!trace_spans_add_span(out, lo, hi, x->source, false))
			return false;
		left = left > hi - lo ? left - (hi - lo) : 0;
		hi = lo;
	}
	trace_spans_reverse(out, from);
	return true;
}

static bool place_costs(const struct spans_window *w, const struct span_sample *sample, size_t n,
			const struct span_wait *wait, size_t n_waits, struct vec *out)
{
	uint64_t back = w->begin;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (sample[i].ns <= back || sample[i].ns > w->end)
			continue;
		while (k < n_waits && wait[k].begin < sample[i].ns)
			k++;
		if (!place_cost(w, &sample[i], back, wait, k, out))
			return false;
		back = sample[i].ns;
	}
	return true;
}

/* Merge runs and waits, both sorted by time. Where they overlap, the thread ran. */
static bool trace_spans_merge(const struct vec *runs, const struct vec *waits, struct vec *out)
{
	const struct trace_span *run = runs->data;
	const struct span_wait *wait = waits->data;
	uint64_t ran = 0; /* end of the last run */
	size_t k = 0;

	for (size_t i = 0; i < waits->n; i++) {
		uint64_t at = wait[i].begin > ran ? wait[i].begin : ran;

		for (; k < runs->n && run[k].begin < wait[i].end; k++) {
			if (!trace_spans_add_span(out, at, run[k].begin, wait[i].source, true) ||
			    !trace_spans_add_span(out, run[k].begin, run[k].end, run[k].source, false))
				return false;
			at = ran = run[k].end;
		}
		if (!trace_spans_add_span(out, at, wait[i].end, wait[i].source, true))
			return false;
	}
	for (; k < runs->n; k++)
		if (!trace_spans_add_span(out, run[k].begin, run[k].end, run[k].source, false))
			return false;
	return true;
}

int spans_make(const struct spans_window *window, const struct span_sample *sample, size_t n_samples,
	       const struct span_wait *wait, size_t n_waits, struct vec *out)
{
	struct vec runs = { 0 }, waits = { 0 };
	bool fine = clip_waits(window, wait, n_waits, &waits) &&
		    place_costs(window, sample, n_samples, waits.data, waits.n, &runs) &&
		    trace_spans_merge(&runs, &waits, out);

	vec_release(&runs, sizeof(struct trace_span));
	vec_release(&waits, sizeof(*wait));
	return fine ? 0 : -ENOMEM;
}

/* End the open slices from this depth on. */
static void close_from(struct slices *s, size_t depth)
{
	const uint32_t *open = s->open.data;
	struct trace_slice *slice = s->slice.data;

	for (size_t i = depth; i < s->open.n; i++)
		if (open[i] != UINT32_MAX)
			slice[open[i]].end = s->end;
	s->open.n = depth < s->open.n ? depth : s->open.n;
}

static void open_slice(struct slices *s, uint64_t begin, const struct slice_frame *f, uint32_t tag)
{
	uint32_t *open = vec_reserve(&s->open, 1, sizeof(*open), DEPTH_MAX);
	struct trace_slice *slice = s->slice.n < s->max ? vec_reserve(&s->slice, 1, sizeof(*slice), s->max) : NULL;

	s->failed |= !open || (!slice && s->slice.n < s->max);
	if (!open)
		return;
	*open = slice ? (uint32_t)s->slice.n : UINT32_MAX;
	if (slice) {
		*slice = (struct trace_slice){
			.begin = begin, .id = f->id, .at = f->at, .tag = tag, .depth = (uint32_t)s->open.n
		};
		s->slice.n++;
	} else {
		s->n_dropped++;
	}
	s->open.n++;
}

void slices_add(struct slices *s, uint64_t begin, uint64_t end, const struct slice_frame *frame, size_t n, uint32_t tag)
{
	struct trace_slice *slice = s->slice.data;
	const uint32_t *open = s->open.data;
	size_t same = 0;

	if (begin >= end || begin < s->end)
		return;
	if (begin > s->end)
		close_from(s, 0);
	while (same < s->open.n && same < n && open[same] != UINT32_MAX && slice[open[same]].id == frame[same].id)
		same++;
	if (same == n && n) {
		struct trace_slice *last = &slice[open[n - 1]];

		if (last->tag && last->tag != tag)
			same--;
		else
			last->tag = tag;
	}
	close_from(s, same);
	for (size_t i = same; i < n; i++)
		open_slice(s, begin, &frame[i], i + 1 == n ? tag : 0);
	s->end = end;
}

void slices_end(struct slices *s)
{
	close_from(s, 0);
	s->end = 0;
}

void slices_release(struct slices *s)
{
	vec_release(&s->slice, sizeof(struct trace_slice));
	vec_release(&s->open, sizeof(uint32_t));
}
