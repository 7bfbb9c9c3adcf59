/*
 * compaction.c - merge segments
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/compaction.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/unit.h"
#include "store/local/upkeep/copy.h"
#include "store/local/write/writer_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ZSTD_LEVEL = 9 };

struct input {
	const struct catalogue_segment *row;
	struct segment *segment;
	uint32_t next; /* chapter */
};

struct output {
	struct catalogue_segment row;
	struct segment *segment;
};

struct compaction_merger {
	struct store_writer *w;
	struct input *in;
	size_t n;
	struct stop *stop;
	size_t damaged; /* the input that could not be read; n: none */
	struct output *out;
	size_t n_out, out_cap;
	uint64_t profiles;   /* written */
	const char *sources; /* names of the input, for tiers: their slots have no content by which repeats are found */
};

static int open_input(struct compaction_merger *m, struct input *in, struct err *err)
{
	int fd = openat(m->w->dir, in->row->file, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		rc = err_set(err, errno == ENOENT ? ERR_FORMAT : ERR_IO, "%s/%s: %s", m->w->directory, in->row->file,
			     strerror(errno));
	else
		rc = segment_open(fd, in->row->file, &in->segment, err);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* The name of the next service of all inputs; NULL at the end. */
static const char *next_service(const struct compaction_merger *m)
{
	const char *first = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct input *in = &m->in[i];

		if (in->next < segment_n_chapters(in->segment)) {
			const char *s = segment_chapter_at(in->segment, in->next)->service;

			if (!first || strcmp(s, first) < 0)
				first = s;
		}
	}
	return first;
}

/* Copy the chapter of a service from an input, if it has one. */
static int copy_input(struct compaction_merger *m, size_t i, const char *service, const struct chapter_filter *f,
		      struct chapter_builder *b, struct chapter_copied *n, struct err *err)
{
	struct input *in = &m->in[i];
	struct chapter *ch;
	int rc;

	if (in->next >= segment_n_chapters(in->segment) ||
	    strcmp(segment_chapter_at(in->segment, in->next)->service, service))
		return 0;
	rc = segment_read_chapter(in->segment, in->next++, &ch, err);
	if (rc == 0) {
		rc = copy_chapter(ch, f, m->stop, b, n, err);
		chapter_free(ch);
	}
	if (rc == ERR_FORMAT)
		m->damaged = i;
	return rc;
}

/* Merge the chapters of a service, and write the result if it is not empty. */
static int merge_service(struct compaction_merger *m, const char *service, const struct chapter_filter *f,
			 struct store_file *file, struct chapter_copied *n, struct err *err)
{
	struct chapter_builder *b = chapter_builder_new(service);
	struct chapter *ch = NULL;
	uint64_t before = n->profiles;
	bool has_marks;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < m->n; i++)
		rc = copy_input(m, i, service, f, b, n, err);
	if (rc == 0)
		rc = chapter_builder_finish(b, ZSTD_LEVEL, &ch, err);
	if (rc == 0)
		ch->sources = m->sources;
	has_marks = rc == 0 && ch->n_marks > 0;
	if (rc == 0 && (n->profiles > before || has_marks))
		rc = writer_file_add(file, ch, err);
	chapter_free(ch);
	chapter_builder_free(b);
	return rc;
}

/* Are all inputs still in the catalogue? Making room may have removed them. */
static int compaction_check_inputs(struct compaction_merger *m, struct err *err)
{
	int rc = 1;

	for (size_t i = 0; rc == 1 && i < m->n; i++)
		rc = catalogue_has_file(m->w->catalogue, m->in[i].row->file, err);
	return rc;
}

/* Write what the inputs have in the span of the filter. Returns 1, 0 if an input was removed meanwhile, or ERR_*. */
static int write_output(struct compaction_merger *m, struct segment_info *info, const struct chapter_filter *f,
			struct chapter_copied *n, struct err *err)
{
	struct output out = { 0 };
	struct store_file *file = NULL;
	uint64_t bytes = 0, before = n->profiles;
	const char *service;
	int rc;

	for (size_t i = 0; i < m->n; i++) {
		bytes += m->in[i].row->bytes;
		m->in[i].next = 0;
	}
	rc = writer_file_begin(m->w, info, ZSTD_LEVEL, bytes, &file, err);
	if (rc == 0)
		rc = compaction_check_inputs(m, err);
	if (rc != 1) {
		writer_file_discard(file);
		return rc;
	}
	for (rc = 0; rc == 0 && (service = next_service(m));)
		rc = merge_service(m, service, f, file, n, err);
	if (rc < 0) {
		writer_file_discard(file);
		return rc;
	}
	rc = writer_file_finish(file, NULL, &out.row, &out.segment, err);
	if (rc < 0)
		return rc;
	m->out = mem_grow(m->out, &m->out_cap, m->n_out + 1, sizeof(*m->out));
	m->out[m->n_out++] = out;
	m->profiles += n->profiles - before;
	return 1;
}

/* The span of all inputs in ms, rounded outwards. */
static void compaction_find_span(const struct compaction_merger *m, int64_t *t0, int64_t *t1)
{
	*t0 = INT64_MAX;
	*t1 = INT64_MIN;
	for (size_t i = 0; i < m->n; i++) {
		const struct segment_info *info = segment_get_info(m->in[i].segment);

		*t0 = info->t0 < *t0 ? info->t0 : *t0;
		*t1 = info->t1 > *t1 ? info->t1 : *t1;
	}
}

/* Write one output, or one for each week that has profiles. */
static int write_outputs(struct compaction_merger *m, const struct compaction_job *job, struct err *err)
{
	struct segment_info info = { .tier = job->input[0]->tier, .level = job->level };
	struct chapter_copied n = CHAPTER_COPIED;
	int64_t all0, all1, week = compaction_period(3), at = INT64_MIN;
	int rc;

	compaction_find_span(m, &all0, &all1);
	if (!job->split) {
		info.t0 = all0;
		info.t1 = all1;
		return write_output(m, &info, &(struct chapter_filter){ .t0 = INT64_MIN, .t1 = INT64_MAX }, &n, err);
	}
	if (__builtin_mul_overflow(all0, INT64_C(1000000), &at))
		at = INT64_MIN;
	do {
		struct chapter_filter f = { .t0 = compaction_bucket(3, at) };

		if (__builtin_add_overflow(f.t0, week, &f.t1))
			f.t1 = INT64_MAX;
		info.t0 = f.t0 / 1000000 > all0 ? f.t0 / 1000000 : all0;
		info.t1 = f.t1 / 1000000 < all1 ? f.t1 / 1000000 : all1;
		n.next = INT64_MAX;
		rc = write_output(m, &info, &f, &n, err);
		at = n.next;
	} while (rc == 1 && at != INT64_MAX);
	return rc;
}

/* Replace the inputs by the outputs in one transaction. */
static int swap_rows(struct compaction_merger *m, struct err *err)
{
	struct catalogue *c = m->w->catalogue;
	int rc = catalogue_begin(c, err);

	for (size_t i = 0; rc == 0 && i < m->n_out; i++)
		rc = catalogue_add_segment(c, &m->out[i].row, m->out[i].segment, err);
	for (size_t i = 0; rc == 0 && i < m->n; i++)
		rc = catalogue_remove_segment(c, m->in[i].row->id, err);
	if (rc == 0)
		rc = catalogue_commit(c, err);
	catalogue_rollback(c);
	return rc;
}

static int remove_inputs(struct compaction_merger *m, struct err *err)
{
	int rc = 0;

	writer_segments_changed(m->w);
	for (size_t i = 0; i < m->n && rc == 0; i++)
		rc = writer_remove_file(m->w, m->in[i].row->file, CAP_SEGMENTS, err);
	return rc;
}

static void compaction_release(struct compaction_merger *m, bool is_done)
{
	for (size_t i = 0; i < m->n; i++)
		segment_close(m->in[i].segment);
	for (size_t i = 0; i < m->n_out; i++) {
		segment_close(m->out[i].segment);
		if (!is_done)
			writer_discard_file(m->w, m->out[i].row.file, CAP_SEGMENTS);
	}
	free(m->in);
	free(m->out);
}

static void compaction_add_line(struct buf *report, const struct compaction_job *job)
{
	uint64_t profiles = 0, bytes = 0;

	if (!report)
		return;
	for (size_t i = 0; i < job->n; i++) {
		profiles += job->input[i]->profiles;
		bytes += job->input[i]->bytes;
	}
	if (job->split)
		buf_addf(report, "split %s by weeks: %" PRIu64 " profiles, ", job->input[0]->file, profiles);
	else
		buf_addf(report, "merge %zu segments from %s to %s: %" PRIu64 " profiles, ", job->n,
			 job->input[0]->file, job->input[job->n - 1]->file, profiles);
	unit_add_label(report, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes, "bytes", "auto");
	buf_addz(report, "\n");
}

static int open_inputs(struct compaction_merger *m, const struct compaction_job *job, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < job->n && rc == 0; i++) {
		m->in[i].row = job->input[i];
		rc = open_input(m, &m->in[i], err);
		if (rc == ERR_FORMAT)
			m->damaged = i;
	}
	return rc;
}

/* Returns 1 if the segments have changed, else ERR_*. */
static int compaction_run_job(struct store_writer *w, const struct compaction_job *job, struct stop *stop,
			      struct buf *report, struct err *err)
{
	struct compaction_merger m = { .w = w, .n = job->n, .damaged = job->n, .stop = stop };
	struct buf sources = { 0 };
	uint64_t expected = 0;
	bool is_done;
	int rc;

	m.in = mem_zalloc(job->n, sizeof(*m.in));
	for (size_t i = 0; i < job->n && job->input[0]->tier != TIER_RAW; i++)
		buf_addf(&sources, "%s\n", job->input[i]->file);
	m.sources = sources.len ? sources.data : NULL;
	rc = open_inputs(&m, job, err);
	if (rc == 0)
		rc = write_outputs(&m, job, err);
	for (size_t i = 0; i < job->n; i++)
		expected += job->input[i]->profiles;
	if (rc == 1 && m.profiles != expected)
		rc = err_set(err, ERR_FORMAT,
			     "merging %s and %zu more: %" PRIu64 " profiles of %" PRIu64
			     "; nothing was changed: check it with: cpa store verify --deep",
			     job->input[0]->file, job->n - 1, m.profiles, expected);
	is_done = rc == 1 && (rc = swap_rows(&m, err)) == 0;
	if (is_done) {
		compaction_add_line(report, job);
		rc = remove_inputs(&m, err);
	}
	compaction_release(&m, is_done);
	buf_release(&sources);
	if (rc == ERR_FORMAT && m.damaged < job->n) {
		char why[sizeof(err->msg)];

		memcpy(why, err->msg, sizeof(why));
		rc = compaction_set_aside(w, job->input[m.damaged], why, report, err);
	}
	return rc < 0 ? rc : 1;
}

/* Append the lines of all jobs that are due now, without those that follow from them. */
static int list_jobs(struct store_writer *w, struct catalogue_segments *all, bool early, struct buf *report,
		     struct err *err)
{
	struct compaction_job job;
	int rc;

	while ((rc = compaction_find(w->catalogue, all, w->now(), early, cap_segment_bytes(&w->cap), &job, err)) == 1) {
		size_t n = 0;

		compaction_add_line(report, &job);
		for (size_t i = 0; i < all->n; i++) {
			bool is_input = false;

			for (size_t k = 0; k < job.n; k++)
				is_input |= job.input[k] == &all->row[i];
			if (!is_input)
				all->row[n++] = all->row[i];
		}
		all->n = n;
	}
	return rc;
}

static int compaction_run_tier(struct store_writer *w, enum store_tier tier, bool early, bool dry_run,
			       struct stop *stop, struct buf *report, struct err *err)
{
	struct catalogue_segments all;
	struct compaction_job job;
	int rc;

	do {
		rc = catalogue_get_segments(w->catalogue, tier, &all, err);
		if (rc < 0)
			return rc;
		if (dry_run)
			rc = list_jobs(w, &all, early, report, err);
		else
			rc = compaction_find(w->catalogue, &all, w->now(), early, cap_segment_bytes(&w->cap), &job,
					     err);
		if (rc == 1)
			rc = compaction_run_job(w, &job, stop, report, err);
		catalogue_segments_release(&all);
	} while (rc == 1);
	return rc;
}

int compaction_run(struct store_writer *w, bool early, bool dry_run, struct stop *stop, struct buf *report,
		   struct err *err)
{
	int rc = 0;

	for (int t = 0; rc == 0 && t < N_TIERS; t++)
		rc = compaction_run_tier(w, (enum store_tier)t, early, dry_run, stop, report, err);
	return rc;
}

/*
 * Copy the chapters of a damaged segment or pin that can be read.
 *
 * out   a file to be finished; NULL if nothing can be read
 * lost  profiles of the other chapters
 */
static int rescue(struct store_writer *w, const struct catalogue_segment *row, struct store_file **out, uint64_t *lost,
		  struct err *err)
{
	static const struct chapter_filter all = { .t0 = INT64_MIN, .t1 = INT64_MAX };
	struct input in = { .row = row };
	struct compaction_merger m = { .w = w, .in = &in, .n = 1, .sources = row->tier != TIER_RAW ? row->file : NULL };
	struct store_file *file = NULL;
	struct segment_info info;
	int rc = 0;

	*out = NULL;
	*lost = row->profiles;
	if (open_input(&m, &in, NULL) < 0)
		return 0;
	info = *segment_get_info(in.segment);
	rc = writer_file_begin(w, &info, ZSTD_LEVEL, row->bytes, &file, err);
	while (rc == 0 && in.next < segment_n_chapters(in.segment)) {
		struct chapter_copied n = CHAPTER_COPIED;
		uint32_t at = in.next;
		struct err damage;

		rc = merge_service(&m, segment_chapter_at(in.segment, at)->service, &all, file, &n, &damage);
		if (rc == 0)
			*lost -= n.profiles < *lost ? n.profiles : *lost;
		else if (rc == ERR_FORMAT)
			rc = 0;
		else if (err)
			*err = damage;
		in.next = at + 1;
	}
	segment_close(in.segment);
	if (rc == 0 && *lost < row->profiles)
		*out = file;
	else
		writer_file_discard(file);
	return rc;
}

/* Move a damaged file to bad/ and count it there. */
static int set_aside_file(struct store_writer *w, const char *file, const char *why, struct err *err)
{
	uint64_t bytes;
	int rc = bad_move(w->dir, w->directory, w->dir_mode, file, why, &bytes, err);

	cap_settle(&w->cap, CAP_BAD, 0, bytes);
	return rc;
}

int compaction_set_aside(struct store_writer *w, const struct catalogue_segment *row, const char *why,
			 struct buf *report, struct err *err)
{
	struct output out = { 0 };
	struct catalogue_loss loss = {
		.ts = w->now(), .t0 = row->t0, .t1 = row->t1, .tier = row->tier, .what = "damaged", .bytes = row->bytes
	};
	struct store_file *file;
	int rc = rescue(w, row, &file, &loss.profiles, err);

	if (rc == 0 && file)
		rc = writer_file_finish(file, NULL, &out.row, &out.segment, err);
	if (rc == 0)
		rc = catalogue_begin(w->catalogue, err);
	if (rc == 0 && out.segment)
		rc = catalogue_add_segment(w->catalogue, &out.row, out.segment, err);
	if (rc == 0)
		rc = catalogue_remove_segment(w->catalogue, row->id, err);
	if (rc == 0)
		rc = catalogue_add_loss(w->catalogue, &loss, err);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, err);
	catalogue_rollback(w->catalogue);
	segment_close(out.segment);
	if (rc < 0)
		return rc;
	writer_segments_changed(w);
	cap_release(&w->cap, CAP_SEGMENTS, row->bytes);
	if (report)
		buf_addf(report, "%s%s%s; moved to bad/, %" PRIu64 " profiles are lost\n",
			 starts_with(why, row->file) ? "" : row->file, starts_with(why, row->file) ? "" : ": ", why,
			 loss.profiles);
	return set_aside_file(w, row->file, why, err);
}

/* Set the row of a pin to its new size, or remove it. */
static int update_pin(struct store_writer *w, const struct catalogue_pin *pin, bool is_kept, struct err *err)
{
	int rc = catalogue_begin(w->catalogue, err);

	if (rc == 0)
		rc = is_kept ? catalogue_add_pin(w->catalogue, pin, err)
			     : catalogue_remove_pin(w->catalogue, pin->name, err);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, err);
	catalogue_rollback(w->catalogue);
	return rc;
}

int compaction_set_pin_aside(struct store_writer *w, const struct catalogue_pin *pin, uint64_t profiles,
			     const char *why, struct buf *report, struct err *err)
{
	struct catalogue_segment row = { .bytes = pin->bytes, .profiles = profiles }, kept = { 0 };
	struct catalogue_pin now = *pin;
	struct store_file *file;
	uint64_t lost;
	int rc;

	snprintf(row.file, sizeof(row.file), "%s", pin->file);
	rc = rescue(w, &row, &file, &lost, err);
	if (rc < 0)
		return rc;
	cap_release(&w->cap, CAP_PINS, pin->bytes);
	rc = set_aside_file(w, pin->file, why, err);
	if (rc < 0)
		writer_file_discard(file);
	else if (file)
		rc = writer_file_finish(file, pin->file, &kept, NULL, err);
	now.bytes = kept.bytes;
	if (rc == 0)
		rc = update_pin(w, &now, file != NULL, err);
	if (rc == 0 && file)
		buf_addf(report, "pin %s: %s; moved to bad/, %" PRIu64 " of its %" PRIu64 " profiles are lost\n",
			 pin->name, why, lost, profiles);
	else if (rc == 0)
		buf_addf(report, "pin %s: %s; moved to bad/, the pin is lost\n", pin->name, why);
	return rc;
}

/* ---- find segments to merge ---- */

enum {
	EARLY_SEGMENTS = 16, /* more of a level in one span are merged before its end */
	/* Bytes of the largest chapters of the input: a chapter is in memory while it is merged, about ten times as large. */
	CHAPTER_BYTES_MAX = 32 << 20,
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
	struct catalogue *catalogue;
	int64_t now;
	bool early;
	unsigned level;
	uint64_t max_bytes;
	struct compaction_job *out;
};

/* Find consecutive candidates that are small enough together. Returns 1, 0 or ERR_*. */
static int find_run(const struct plan *p, const struct compaction_candidate *c, size_t n, bool only_below,
		    struct err *err)
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
static int find_in_bucket(const struct plan *p, const struct compaction_candidate *c, size_t n, struct err *err)
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

static int find_at_level(const struct plan *p, const struct catalogue_segments *all, struct compaction_candidate *c,
			 struct err *err)
{
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct catalogue_segment *s = &all->row[i];

		if (s->level <= p->level && span_of(s) <= 2 * compaction_period(p->level))
			c[n++] = (struct compaction_candidate){ s, compaction_bucket(p->level, s->t0) };
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

int compaction_find(struct catalogue *c, const struct catalogue_segments *all, int64_t now_ns, bool early,
		    uint64_t max_bytes, struct compaction_job *out, struct err *err)
{
	struct compaction_candidate *scratch = mem_alloc(all->n + 1, sizeof(*scratch));
	struct plan p = { .catalogue = c, .now = now_ns, .early = early, .max_bytes = max_bytes, .out = out };
	int rc = 0;

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
