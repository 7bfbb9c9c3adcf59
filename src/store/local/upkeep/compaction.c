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

/* Read the chapters of a service. input [m->n] is set to the numbers of the inputs that have one, whose number is returned. */
static int compaction_read_chapters(struct compaction_merger *m, const char *service, struct chapter **ch,
				    size_t *input, size_t *n, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < m->n; i++) {
		struct input *in = &m->in[i];

		if (in->next >= segment_n_chapters(in->segment) ||
		    strcmp(segment_chapter_at(in->segment, in->next)->service, service))
			continue;
		rc = segment_read_chapter(in->segment, in->next++, &ch[*n], err);
		if (rc == ERR_FORMAT)
			m->damaged = i;
		if (rc == 0)
			input[(*n)++] = i;
	}
	return rc;
}

/* Copy the chapters of a service from all inputs. */
static int copy_inputs(struct compaction_merger *m, const char *service, const struct chapter_filter *f,
		       struct chapter_builder *b, struct chapter_copied *n, struct err *err)
{
	struct chapter **ch = mem_zalloc(m->n, sizeof(*ch));
	size_t *input = mem_alloc(m->n, sizeof(*input)), n_chapters = 0, damaged = m->n;
	int rc = compaction_read_chapters(m, service, ch, input, &n_chapters, err);

	if (rc == 0)
		rc = copy_chapters((const struct chapter *const *)ch, n_chapters, f, m->stop, b, n, &damaged, err);
	if (rc == ERR_FORMAT && damaged < n_chapters)
		m->damaged = input[damaged];
	for (size_t i = 0; i < n_chapters; i++)
		chapter_free(ch[i]);
	free(ch);
	free(input);
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
	int rc;

	chapter_builder_expect_sorted(b, ZSTD_LEVEL);
	rc = copy_inputs(m, service, f, b, n, err);
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

	while ((rc = compaction_find(w, all, early, &job, err)) == 1) {
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
			rc = compaction_find(w, &all, early, &job, err);
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
