/*
 * compaction_find.c - find segments to merge
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/time.h"
#include "store/local/upkeep/compaction.h"
#include "store/local/write/writer_state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	EARLY_SEGMENTS = 16,       /* more of a level in one span are merged before its end */
	CHAPTERS_SMALL = 32 << 20, /* bytes of chapters whose nodes are not counted */
	/* Nodes of the largest chapters of the input, whose dictionaries are in memory: about 30 bytes for each. */
	CHAPTER_NODES_MAX = 8 << 20,
	/* The largest input has at most this multiple of the bytes of the others, so a segment is not written again for little. */
	LARGEST_RATIO = 4,
};

int64_t compaction_period(unsigned level)
{
	static const int64_t period[] = { 0, NS_PER_HOUR, NS_PER_DAY, NS_PER_WEEK, 4 * NS_PER_WEEK, 52 * NS_PER_WEEK };

	return period[level];
}

int64_t compaction_bucket(unsigned level, int64_t t)
{
	int64_t period = compaction_period(level),
		offset = level >= 3 ? 4 * NS_PER_DAY : 0; /* 1970-01-05 was a Monday */
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

struct compaction_candidate {
	const struct catalogue_segment *s;
	int64_t bucket;
	uint64_t chapter, nodes; /* bytes and nodes of its largest chapter; 0: not known yet */
};

static int compaction_plan_compare_candidates(const void *a, const void *b)
{
	const struct compaction_candidate *x = a, *y = b;

	if (x->bucket != y->bucket)
		return x->bucket < y->bucket ? -1 : 1;
	if (x->s->t0 != y->s->t0)
		return x->s->t0 < y->s->t0 ? -1 : 1;
	return (x->s->id > y->s->id) - (x->s->id < y->s->id);
}

struct plan {
	struct store_writer *w;
	int64_t now;
	bool early;
	unsigned level;
	uint64_t max_bytes;
	struct compaction_job *out;
};

/* Count the nodes of the largest dictionary of a segment: nothing if it is small or damaged. */
static uint64_t candidate_nodes(const struct plan *p, struct compaction_candidate *c)
{
	int fd = c->nodes ? -1 : openat(p->w->dir, c->s->file, O_RDONLY | O_CLOEXEC);
	struct segment *s = NULL;

	if (fd >= 0 && segment_open(fd, c->s->file, &s, NULL) == 0)
		for (uint32_t i = 0; i < segment_n_chapters(s); i++)
			if (segment_chapter_at(s, i)->length >= CHAPTERS_SMALL / COMPACTION_INPUTS_MAX) {
				uint64_t n = segment_count_entries(s, i, DICT_NODES);

				c->nodes = n > c->nodes ? n : c->nodes;
			}
	segment_close(s);
	if (fd >= 0)
		close(fd);
	return c->nodes;
}

/* Consecutive candidates. */
struct compaction_run {
	struct compaction_candidate *first, *largest;
	size_t n;
	uint64_t bytes, chapters; /* of all; of the largest chapters of all */
};

/* May the candidate after a run be added to it? */
static bool run_has_room(const struct plan *p, const struct compaction_run *run)
{
	const struct compaction_candidate *next = run->first + run->n;
	uint64_t nodes = 0, chapters = run->chapters + next->chapter;

	if (run->n == 0)
		return true;
	if (run->n == COMPACTION_INPUTS_MAX || run->bytes + next->s->bytes > p->max_bytes ||
	    chapters > COMPACTION_CHAPTER_BYTES_MAX)
		return false;
	for (size_t i = 0; i <= run->n && chapters > CHAPTERS_SMALL; i++)
		nodes += candidate_nodes(p, &run->first[i]);
	return nodes <= CHAPTER_NODES_MAX;
}

/* Set the run of candidates that begins with the first of n. Returns true if it is worth its writing. */
static bool run_take(const struct plan *p, struct compaction_candidate *c, size_t n, struct compaction_run *run)
{
	*run = (struct compaction_run){ .first = c, .largest = c };
	for (; run->n < n && run_has_room(p, run); run->n++) {
		struct compaction_candidate *next = c + run->n;

		run->bytes += next->s->bytes;
		run->chapters += next->chapter;
		run->largest = next->s->bytes > run->largest->s->bytes ? next : run->largest;
	}
	return run->n > 1 && run->largest->s->bytes / LARGEST_RATIO <= run->bytes - run->largest->s->bytes;
}

/* Find consecutive candidates that are small enough together. Returns 1, 0 or ERR_*. */
static int find_run(const struct plan *p, struct compaction_candidate *c, size_t n, struct err *err)
{
	struct compaction_run run = { 0 };
	struct compaction_candidate *end = c + n;

	for (size_t i = 0; i < n; i++) {
		int64_t bytes = catalogue_largest_chapter(p->w->catalogue, c[i].s->id, err);

		if (bytes < 0)
			return (int)bytes;
		c[i].chapter = (uint64_t)bytes;
	}
	while (c < end && !run_take(p, c, (size_t)(end - c), &run))
		c = run.largest + 1;
	if (c == end)
		return 0;
	*p->out = (struct compaction_job){ .level = p->level };
	for (; p->out->n < run.n; p->out->n++)
		p->out->input[p->out->n] = run.first[p->out->n].s;
	return 1;
}

/* Find a job among the candidates of one bucket. */
static int find_in_bucket(const struct plan *p, struct compaction_candidate *c, size_t n, struct err *err)
{
	int64_t end;
	size_t below = 0;

	if (n < 2)
		return 0;
	if (__builtin_add_overflow(c->bucket, compaction_period(p->level) + (p->early ? 0 : NS_PER_HOUR), &end))
		return 0;
	if (end <= p->now)
		return find_run(p, c, n, err);
	for (size_t i = 0; i < n; i++)
		if (c[i].s->level + 1 == p->level)
			c[below++] = c[i];
	return below > EARLY_SEGMENTS ? find_run(p, c, below, err) : 0;
}

static int find_at_level(const struct plan *p, const struct catalogue_segments *all, struct compaction_candidate *c,
			 struct err *err)
{
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct catalogue_segment *s = &all->row[i];

		if (s->level <= p->level && span_of(s) <= 2 * compaction_period(p->level))
			c[n++] = (struct compaction_candidate){ .s = s, .bucket = compaction_bucket(p->level, s->t0) };
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

/* The level of the largest segments of a tier: weeks, of 1h four weeks, of 1d a year. */
static unsigned max_level(const struct catalogue_segments *all)
{
	enum store_tier tier = all->n ? all->row[0].tier : TIER_RAW;

	return tier == TIER_1D ? COMPACTION_LEVELS : tier == TIER_1H ? COMPACTION_LEVELS - 1 : COMPACTION_WEEKS;
}

int compaction_find(struct store_writer *w, const struct catalogue_segments *all, bool early,
		    struct compaction_job *out, struct err *err)
{
	struct compaction_candidate *scratch = mem_alloc(all->n + 1, sizeof(*scratch));
	struct plan p = { .w = w, .now = w->now(), .early = early, .out = out };
	int rc = 0;

	p.max_bytes = cap_segment_bytes(&w->cap);
	for (size_t i = 0; rc == 0 && i < all->n; i++)
		if (all->row[i].level < COMPACTION_WEEKS && span_of(&all->row[i]) > 2 * NS_PER_WEEK) {
			*out = (struct compaction_job){
				.input = { &all->row[i] }, .n = 1, .level = COMPACTION_WEEKS, .split = true
			};
			rc = 1;
		}
	for (p.level = 1; rc == 0 && p.level <= max_level(all); p.level++)
		rc = find_at_level(&p, all, scratch, err);
	free(scratch);
	return rc;
}
