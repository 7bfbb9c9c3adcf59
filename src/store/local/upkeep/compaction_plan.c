/*
 * compaction_plan.c - find segments to merge
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/compaction.h"

#include "base/mem.h"
#include "base/time.h"

#include <stdlib.h>

enum {
	EARLY_SEGMENTS = 16, /* more of a level in one span are merged before its end */
	/* Bytes of the largest chapters of the input: a chapter is in memory while it is merged, about ten times as large. */
	CHAPTER_BYTES_MAX = 32 << 20,
};

int64_t compaction_period(unsigned level)
{
	return level == 1 ? NS_PER_HOUR : level == 2 ? NS_PER_DAY : NS_PER_WEEK;
}

int64_t compaction_bucket(unsigned level, int64_t t)
{
	int64_t period = compaction_period(level),
		offset = level == 3 ? 4 * NS_PER_DAY : 0; /* 1970-01-05 was a Monday */
	int64_t rest = (t % period - offset) % period, start;

	if (rest < 0)
		rest += period;
	return __builtin_sub_overflow(t, rest, &start) ? INT64_MIN : start;
}

/* Its span; INT64_MAX if that is too large. */
static int64_t span_of(const struct catalogue_segment *s)
{
	int64_t span;

	return __builtin_sub_overflow(s->t1, s->t0, &span) ? INT64_MAX : span;
}

struct candidate {
	const struct catalogue_segment *s;
	int64_t bucket;
};

static int compaction_plan_compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->bucket != y->bucket)
		return x->bucket < y->bucket ? -1 : 1;
	if (x->s->t0 != y->s->t0)
		return x->s->t0 < y->s->t0 ? -1 : 1;
	return (x->s->id > y->s->id) - (x->s->id < y->s->id);
}

struct plan {
	struct catalogue *catalogue;
	int64_t now;
	bool early;
	unsigned level;
	uint64_t max_bytes;
	struct compaction_job *out;
};

/* Find consecutive candidates that are small enough together. Returns 1, 0 or ERR_*. */
static int find_run(const struct plan *p, const struct candidate *c, size_t n, bool only_below, struct err *err)
{
	struct compaction_job *job = p->out;
	uint64_t bytes = 0, largest = 0;

	*job = (struct compaction_job){ .level = p->level };
	for (size_t i = 0; i < n; i++) {
		int64_t chapter;

		if (only_below && c[i].s->level + 1 != p->level)
			continue;
		chapter = catalogue_largest_chapter(p->catalogue, c[i].s->id, err);
		if (chapter < 0)
			return (int)chapter;
		if (job->n > 0 && (job->n == COMPACTION_INPUTS_MAX || bytes + c[i].s->bytes > p->max_bytes ||
				   largest + (uint64_t)chapter > CHAPTER_BYTES_MAX)) {
			if (job->n > 1)
				return 1;
			job->n = 0;
			bytes = largest = 0;
		}
		job->input[job->n++] = c[i].s;
		bytes += c[i].s->bytes;
		largest += (uint64_t)chapter;
	}
	return job->n > 1;
}

/* Find a job among the candidates of one bucket. */
static int find_in_bucket(const struct plan *p, const struct candidate *c, size_t n, struct err *err)
{
	int64_t end;
	size_t below = 0;

	if (n < 2)
		return 0;
	if (__builtin_add_overflow(c->bucket, compaction_period(p->level) + (p->early ? 0 : NS_PER_HOUR), &end))
		return 0;
	if (end <= p->now)
		return find_run(p, c, n, false, err);
	for (size_t i = 0; i < n; i++)
		below += c[i].s->level + 1 == p->level;
	return below > EARLY_SEGMENTS ? find_run(p, c, n, true, err) : 0;
}

static int find_at_level(const struct plan *p, const struct catalogue_segments *all, struct candidate *c,
			 struct err *err)
{
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct catalogue_segment *s = &all->row[i];

		if (s->level <= p->level && span_of(s) <= 2 * compaction_period(p->level))
			c[n++] = (struct candidate){ s, compaction_bucket(p->level, s->t0) };
	}
	if (n > 0)
		qsort(c, n, sizeof(*c), compaction_plan_compare_candidates);
	for (size_t lo = 0, hi; rc == 0 && lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && c[hi].bucket == c[lo].bucket;)
			hi++;
		rc = find_in_bucket(p, c + lo, hi - lo, err);
	}
	return rc;
}

int compaction_find(struct catalogue *c, const struct catalogue_segments *all, int64_t now_ns, bool early,
		    uint64_t max_bytes, struct compaction_job *out, struct err *err)
{
	struct candidate *scratch = mem_alloc(all->n + 1, sizeof(*scratch));
	struct plan p = { .catalogue = c, .now = now_ns, .early = early, .max_bytes = max_bytes, .out = out };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < all->n; i++)
		if (all->row[i].level < COMPACTION_LEVELS && span_of(&all->row[i]) > 2 * NS_PER_WEEK) {
			*out = (struct compaction_job){
				.input = { &all->row[i] }, .n = 1, .level = COMPACTION_LEVELS, .split = true
			};
			rc = 1;
		}
	for (p.level = 1; rc == 0 && p.level <= COMPACTION_LEVELS; p.level++)
		rc = find_at_level(&p, all, scratch, err);
	free(scratch);
	return rc;
}
