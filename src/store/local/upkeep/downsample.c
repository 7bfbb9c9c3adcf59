/*
 * downsample.c - reduce the resolution of old profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One segment at a time is replaced by one of a coarser tier; if rules keep some of its series longer, by one for each tier. New files
 * name the old one as their source: after a crash, a new file is removed if its source exists, so each profile is there once.
 */
#include "config.h"

#include "store/local/upkeep/downsample.h"

#include "base/mem.h"
#include "base/time.h"
#include "base/unit.h"
#include "store/local/read/local.h"
#include "store/local/read/read_tier.h"
#include "store/local/tier/tier.h"
#include "store/local/upkeep/compaction.h"
#include "store/local/upkeep/copy.h"
#include "store/local/write/writer_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOWNSAMPLE_ZSTD_LEVEL = 9 };

struct downsample_output {
	struct store_file *file; /* NULL until there is a chapter */
	struct catalogue_segment row;
	struct segment *segment;
	struct chapter_copied copied; /* of series that stay */
};

/* A segment that is being downsampled. */
struct downsampler {
	struct store_writer *w;
	struct store *reader; /* of the same store, for the snapshots before a segment */
	const struct catalogue_segment *row;
	struct segment *segment;
	struct stop *stop;
	enum store_tier all; /* the tier of all series; N_TIERS: that of the rules */
	int64_t age_ns;
	uint64_t reserve; /* bytes for each new file */
	struct downsample_output out[N_TIERS];
	uint64_t n_removed; /* profiles of series that no rule keeps */
};

/* The series of a chapter that get a tier. */
struct tier_selection {
	const struct downsampler *d;
	enum store_tier tier;
};

static enum store_tier downsample_target(const struct downsampler *d, const struct chapter *c, uint32_t series)
{
	return d->all < N_TIERS ? d->all
				: retain_target(retain_find(&d->w->cap.retain, c, series), d->row->tier, d->age_ns);
}

static int is_of_tier(void *arg, const struct chapter *c, uint32_t series, struct err *err)
{
	const struct tier_selection *s = arg;

	(void)err;
	return downsample_target(s->d, c, series) == s->tier;
}

/* --- chapters --- */

/* Write a chapter to the output of a tier. */
static int write_chapter(struct downsampler *d, enum store_tier tier, struct chapter *c, struct err *err)
{
	struct segment_info info = *segment_get_info(d->segment);
	struct downsample_output *o = &d->out[tier];
	int rc = 0;

	info.tier = tier;
	c->sources = d->row->file;
	if (!o->file)
		rc = writer_file_begin(d->w, &info, DOWNSAMPLE_ZSTD_LEVEL, d->reserve, &o->file, err);
	return rc == 0 ? writer_file_add(o->file, c, err) : rc;
}

/* Copy the series that stay as they are. */
static int copy_rest(struct downsampler *d, const struct chapter *from, struct chapter_builder *b, struct err *err)
{
	struct tier_selection s = { d, d->row->tier };
	struct chapter_filter f = { .t0 = INT64_MIN, .t1 = INT64_MAX, .select = is_of_tier, .arg = &s };

	return copy_chapters(&from, 1, &f, d->stop, b, &d->out[d->row->tier].copied, NULL, err);
}

static int make_slots(struct downsampler *d, enum store_tier tier, struct chapter *from, struct chapter_builder *b,
		      struct err *err)
{
	struct store_query before = { .service = from->service, .t0 = from->t0, .t1 = from->t0, .pin = "" };
	struct tier_selection s = { d, tier };
	struct tier_history *h = tier_history_new();
	int rc = d->row->tier == TIER_RAW ? slots_read_history(d->reader, &before, h, err) : 0;

	if (rc == 0)
		rc = tier_make(from, tier, h, is_of_tier, &s, b, d->stop, err);
	tier_history_free(h);
	return rc;
}

/* Write the series of a chapter that get a tier. The marks go with the first tier that is written. */
static int write_tier(struct downsampler *d, enum store_tier tier, struct chapter *from, bool *has_marks,
		      struct err *err)
{
	struct chapter_builder *b = chapter_builder_new(from->service);
	struct chapter *c = NULL;
	uint64_t n;
	int rc;

	chapter_builder_expect_sorted(b, DOWNSAMPLE_ZSTD_LEVEL);
	rc = tier == d->row->tier ? copy_rest(d, from, b, err) : make_slots(d, tier, from, b, err);
	n = chapter_builder_profiles(b);
	for (uint32_t i = 0; rc == 0 && n && tier != d->row->tier && !*has_marks && i < from->n_marks; i++)
		chapter_builder_mark(b, &from->mark[i]);
	*has_marks |= n > 0;
	if (rc == 0 && n)
		rc = chapter_builder_finish(b, DOWNSAMPLE_ZSTD_LEVEL, &c, err);
	if (rc == 0 && c)
		rc = write_chapter(d, tier, c, err);
	chapter_free(c);
	chapter_builder_free(b);
	return rc;
}

static int downsample_chapter(struct downsampler *d, uint32_t i, struct err *err)
{
	bool is_used[N_TIERS + 1] = { false }, has_marks = false;
	struct chapter *c;
	int rc = segment_read_chapter(d->segment, i, &c, err);

	if (rc < 0)
		return rc;
	for (uint32_t k = 0; k < c->n_blocks; k++) {
		enum store_tier tier = downsample_target(d, c, c->block[k].series);

		is_used[tier] = true;
		d->n_removed += tier == N_TIERS ? c->block[k].profiles : 0;
	}
	for (int t = (int)d->row->tier; rc == 0 && t < N_TIERS; t++)
		if (is_used[t])
			rc = write_tier(d, (enum store_tier)t, c, &has_marks, err);
	chapter_free(c);
	return rc;
}

/* --- segments --- */

/* Is a series of the segment to be changed? Reads the heads of the chapters. Returns 1, 0 or ERR_*. */
static int has_work(const struct downsampler *d, struct err *err)
{
	int rc = d->all < N_TIERS;

	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(d->segment); i++) {
		struct chapter *c;

		rc = segment_read_chapter_head(d->segment, i, &c, err);
		if (rc < 0)
			return rc;
		for (uint32_t k = 0; rc == 0 && k < c->n_blocks; k++)
			rc = downsample_target(d, c, c->block[k].series) != d->row->tier;
		chapter_free(c);
	}
	return rc;
}

static void add_line(const struct downsampler *d, struct buf *report)
{
	if (!report)
		return;
	buf_addf(report, "downsample %s", d->row->file);
	if (d->all < N_TIERS)
		buf_addf(report, " to %s", store_tier_name(d->all));
	buf_addf(report, ": %" PRIu64 " profiles, ", d->row->profiles);
	unit_add_label(report, (int64_t)d->row->bytes, "bytes", "auto");
	buf_addz(report, ": older than the retention\n");
}

/* Replace the row of the segment by those of the new ones. */
static int replace_rows(struct downsampler *d, const char *what, struct err *err)
{
	struct catalogue *c = d->w->catalogue;
	struct catalogue_loss loss = { .ts = d->w->now(),
				       .t0 = d->row->t0,
				       .t1 = d->row->t1,
				       .tier = d->row->tier,
				       .what = what,
				       .profiles = d->row->profiles,
				       .bytes = d->row->bytes };
	int rc = catalogue_begin(c, err);

	for (int t = 0; rc == 0 && t < N_TIERS; t++)
		if (d->out[t].segment)
			rc = catalogue_add_segment(c, &d->out[t].row, d->out[t].segment, err);
	if (rc == 0)
		rc = catalogue_remove_segment(c, d->row->id, err);
	if (rc == 0)
		rc = catalogue_add_loss(c, &loss, err);
	if (rc == 0)
		rc = catalogue_commit(c, err);
	catalogue_rollback(c);
	return rc;
}

/* Finish the files, and replace the segment. Returns 1 if it was replaced. */
static int downsample_finish(struct downsampler *d, const char *what, struct err *err)
{
	int rc = catalogue_has_file(d->w->catalogue, d->row->file, err);

	if (rc != 1) /* making room removed it */
		return rc;
	rc = 0;
	for (int t = 0; rc == 0 && t < N_TIERS; t++) {
		struct downsample_output *o = &d->out[t];

		if (!o->file)
			continue;
		rc = writer_file_finish(o->file, NULL, &o->row, &o->segment, err);
		o->file = NULL;
	}
	if (rc == 0)
		rc = replace_rows(d, what, err);
	for (int t = 0; rc < 0 && t < N_TIERS; t++)
		if (d->out[t].segment)
			writer_discard_file(d->w, d->out[t].row.file, CAP_SEGMENTS);
	if (rc < 0)
		return rc;
	writer_segments_changed(d->w);
	rc = writer_remove_file(d->w, d->row->file, CAP_SEGMENTS, err);
	return rc == 0 ? 1 : rc;
}

static void downsample_release(struct downsampler *d)
{
	for (int t = 0; t < N_TIERS; t++) {
		writer_file_discard(d->out[t].file);
		segment_close(d->out[t].segment);
	}
	segment_close(d->segment);
}

static int downsample_open(struct downsampler *d, struct err *err)
{
	int fd = openat(d->w->dir, d->row->file, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return err_set(err, errno == ENOENT ? ERR_FORMAT : ERR_IO, "%s/%s: %s", d->w->directory, d->row->file,
			       strerror(errno));
	rc = segment_open(fd, d->row->file, &d->segment, err);
	close(fd);
	return rc;
}

/* Downsample a segment. Returns 1 if it was replaced, 0 if there is nothing to do or it is gone, or ERR_*. */
static int downsample_segment(struct downsampler *d, const char *what, bool dry_run, struct buf *report,
			      struct err *err)
{
	int rc = downsample_open(d, err);

	if (rc == 0)
		rc = has_work(d, err);
	if (rc == 1) {
		add_line(d, report);
		rc = 0;
		for (int t = 0; t < N_TIERS; t++)
			d->out[t].copied = (struct chapter_copied)CHAPTER_COPIED;
		for (uint32_t i = 0; rc == 0 && !dry_run && i < segment_n_chapters(d->segment); i++)
			rc = downsample_chapter(d, i, err);
		if (rc == 0 && !dry_run)
			rc = downsample_finish(d, what, err);
	}
	downsample_release(d);
	if (rc == ERR_FORMAT) {
		char why[sizeof(err->msg)];

		memcpy(why, err->msg, sizeof(why));
		rc = compaction_set_aside(d->w, d->row, why, report, err);
		rc = rc == 0 ? 1 : rc;
	}
	return rc;
}

/* The tier of all series of a segment, if one rule applies to all; else N_TIERS. */
static enum store_tier common_target(const struct retain *r, enum store_tier tier, int64_t age_ns)
{
	return r->n == 1 ? retain_target(&r->rule[0], tier, age_ns) : N_TIERS;
}

static int64_t age_of(const struct store_writer *w, const struct catalogue_segment *s)
{
	int64_t age;

	return __builtin_sub_overflow(w->now(), s->t1, &age) ? 0 : age;
}

int downsample_run(struct store_writer *w, bool dry_run, struct stop *stop, struct buf *report, struct err *err)
{
	const struct retain *r = &w->cap.retain;
	struct catalogue_segments all;
	struct store *reader = NULL;
	int rc = catalogue_get_segments(w->catalogue, N_TIERS, &all, err);

	for (size_t i = 0; rc >= 0 && i < all.n; i++) {
		struct downsampler d = { .w = w, .row = &all.row[i], .stop = stop, .reserve = all.row[i].bytes };
		char what[32] = "by rules";

		d.age_ns = age_of(w, d.row);
		if (retain_all_keep(r, d.row->tier, d.age_ns) || retain_none_keeps(r, d.row->tier, d.age_ns))
			continue;
		rc = reader ? 0 : local_open(w->directory, &reader, err);
		d.reader = reader;
		d.all = common_target(r, d.row->tier, d.age_ns);
		if (d.all < N_TIERS)
			snprintf(what, sizeof(what), "retain to %s", store_tier_name(d.all));
		if (rc == 0)
			rc = stop_check(stop, err);
		if (rc == 0)
			rc = downsample_segment(&d, what, dry_run, report, err);
	}
	store_close(reader);
	if (all.row)
		catalogue_segments_release(&all);
	return rc < 0 ? rc : 0;
}

/* --- making room --- */

/* A step: segments of a tier get another one, or are removed, if they end before an age. */
struct room_step {
	enum store_tier from, to; /* to N_TIERS: removed */
	int64_t age_ns;
};

static const struct room_step room_steps[] = {
	{ TIER_RAW, TIER_10M, NS_PER_DAY },    { TIER_RAW, TIER_1H, NS_PER_DAY },  { TIER_10M, TIER_1H, NS_PER_DAY },
	{ TIER_1H, TIER_1D, 30 * NS_PER_DAY }, { TIER_RAW, TIER_1H, NS_PER_HOUR },
};

/* Remove the oldest segment: of 1h, then of 1d; if nothing could be downsampled, of any tier. Returns 1 if there was one. */
static int remove_oldest_tier(struct store_writer *w, uint64_t bytes, struct err *err)
{
	static const enum store_tier order[] = { TIER_1H, TIER_1D, TIER_10M, TIER_RAW };
	bool is_done = true;
	int rc = 0;

	for (size_t i = 0; rc == 0 && is_done && i < sizeof(order) / sizeof(order[0]); i++)
		rc = cap_remove_oldest(&w->cap, order[i], order[i] == TIER_RAW ? bytes : 1, &is_done, err);
	return rc < 0 ? rc : !is_done;
}

/* Try a step with the oldest segments. Returns 1 if one was replaced, 0 if there is none or no room, or ERR_*. */
static int run_step(struct store_writer *w, const struct room_step *step, struct err *err)
{
	struct catalogue_segments all;
	struct store *reader = NULL;
	char what[16];
	int rc = catalogue_get_segments(w->catalogue, step->from, &all, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < all.n && age_of(w, &all.row[i]) >= step->age_ns; i++) {
		struct downsampler d = { .w = w, .row = &all.row[i], .all = step->to };

		if (!reader)
			rc = local_open(w->directory, &reader, err);
		d.reader = reader;
		snprintf(what, sizeof(what), "cap to %s", store_tier_name(step->to));
		if (rc == 0)
			rc = downsample_segment(&d, what, false, NULL, err);
		if (rc == ERR_LIMIT) { /* there is no room for the new file */
			rc = 0;
			break;
		}
	}
	store_close(reader);
	catalogue_segments_release(&all);
	return rc;
}

int downsample_make_room(void *arg, uint64_t bytes, bool *is_done, struct err *err)
{
	struct store_writer *w = arg;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(room_steps) / sizeof(room_steps[0]); i++)
		rc = run_step(w, &room_steps[i], err);
	if (rc == 0)
		rc = remove_oldest_tier(w, bytes, err);
	*is_done = rc == 0;
	return rc < 0 ? rc : 0;
}
