/*
 * read.c - the chunks of a recording as one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ids, ticks and settings belong to a chunk. Rows are collected over all chunks, because a profile must have all its
 * sample types before its first row.
 */
#include "config.h"

#include "formats/jfr/jfr.h"

#include "base/mem.h"
#include "base/num.h"
#include "formats/jfr/jfr_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Names may be so many times as long as the file, and so many bytes longer. */
enum { JFR_NAME_RATIO = 16, JFR_NAME_FREE = 32 << 20 };

/* The sample types of a kind: number and value. */
static const struct {
	const char *count, *value, *unit;
	bool has_period; /* the value is only known with a period */
} jfr_kinds[N_JFR_KINDS] = {
	[KIND_CPU] = { "cpu", "cpu_ns", "nanoseconds", true },
	[KIND_CPU_TIME] = { "samples", "cpu_time", "nanoseconds", false },
	[KIND_WALL] = { "wall", "wall_ns", "nanoseconds", true },
	[KIND_IN_NEW_TLAB] = { "alloc_in_new_tlab_objects", "alloc_in_new_tlab_bytes", "bytes", false },
	[KIND_OUTSIDE_TLAB] = { "alloc_outside_tlab_objects", "alloc_outside_tlab_bytes", "bytes", false },
	[KIND_ALLOC] = { "alloc_samples", "alloc", "bytes", false },
	[KIND_LIVE] = { "live_objects", "live", "bytes", false },
	[KIND_MALLOC] = { "malloc_calls", "malloc", "bytes", false },
	[KIND_LEAK] = { "leak_calls", "leak", "bytes", false },
	[KIND_LOCK] = { "contentions", "delay", "nanoseconds", false },
	[KIND_SLEEP] = { "sleeps", "sleep", "nanoseconds", false },
	[KIND_IO] = { "io_calls", "io", "nanoseconds", false },
};

/* The kind that is shown by default is the first of these; of CPU and wall samples the number, else the value. */
static const enum jfr_kind jfr_default_kinds[] = {
	KIND_CPU_TIME, KIND_CPU,  KIND_WALL,   KIND_ALLOC, KIND_IN_NEW_TLAB, KIND_OUTSIDE_TLAB,
	KIND_LIVE,     KIND_LEAK, KIND_MALLOC, KIND_LOCK,  KIND_SLEEP,       KIND_IO,
};

static void jfr_init(struct jfr_reader *r, size_t n, const struct jfr_contexts *contexts,
		     const struct format_options *options)
{
	*r = (struct jfr_reader){ .options = options, .contexts = contexts, .b = builder_new() };
	r->str = builder_strings(r->b);
	r->frames = named_frames_new(r->b, options);
	idtab_init(&r->by_row, 0);
	r->loc = mem_grow(NULL, &r->cap_locs, 1, sizeof(*r->loc)); /* never NULL */
	r->key_thread = strtab_addz(r->str, "thread");
	r->key_tid = strtab_addz(r->str, "tid");
	r->key_class = strtab_addz(r->str, "class");
	r->key_state = strtab_addz(r->str, "state");
	r->key_event = strtab_addz(r->str, JFR_EVENT_LABEL);
	r->key_truncated = strtab_addz(r->str, "truncated");
	r->key_true = strtab_addz(r->str, "true");
	r->unit_ns = strtab_addz(r->str, "nanoseconds");
	r->name_unknown = strtab_addz(r->str, "[unknown]");
	r->name_bytes_left = (uint64_t)n * JFR_NAME_RATIO + JFR_NAME_FREE;
}

static void jfr_release(struct jfr_reader *r)
{
	named_frames_free(r->frames);
	builder_free(r->b);
	jfr_chunk_release(&r->c);
	free(r->row);
	idtab_release(&r->by_row);
	free(r->block);
	free(r->loc);
	buf_release(&r->text);
}

/* Find the classes of events that are read. */
static void jfr_find_events(struct jfr_reader *r)
{
	for (size_t i = 0; i < r->c.n_classes; i++)
		for (size_t e = 0; e < n_jfr_events; e++)
			if (strcmp(r->c.class[i].name, jfr_events[e].name) == 0)
				r->c.class[i].event = (uint32_t)e;
}

/* Update the start of the recording and its duration, in which chunks of two writers may overlap. */
static void jfr_add_time(struct jfr_reader *r)
{
	int64_t end = num_add_capped(r->c.start_ns, r->c.duration_ns);
	int64_t start = r->n_chunks && r->end_ns > r->c.start_ns ? r->end_ns : r->c.start_ns;

	r->is_continued = r->n_chunks && r->c.start_ns == r->chunk_end_ns;
	r->chunk_end_ns = end;
	if (r->n_chunks == 0)
		r->first_ns = r->c.start_ns;
	if (r->n_chunks == 0 || end > r->end_ns) {
		r->duration_ns = num_add_capped(r->duration_ns, num_add_capped(end, -start));
		r->end_ns = end;
	}
	r->n_chunks++;
}

static int jfr_read_chunk(struct jfr_reader *r, struct err *err)
{
	int rc;

	if (!r->c.is_complete)
		skipped_add(&r->cut, r->c.end);
	if (r->c.metadata == 0) {
		skipped_add(&r->unreadable, r->c.start);
		return 0;
	}
	rc = jfr_chunk_read_metadata(&r->c, err);
	if (rc == 0)
		jfr_find_events(r);
	rc = rc < 0 ? rc : jfr_chunk_read_constants(&r->c, err);
	if (rc < 0)
		return rc;
	jfr_add_time(r);
	jfr_read_settings(r);
	rc = jfr_read_events(r, err);
	if (r->c.n_unknown)
		skipped_add(&r->checkpoints, r->c.start);
	return rc;
}

/* Return the position after the last chunk. */
static int jfr_read_chunks(struct jfr_reader *r, const uint8_t *data, size_t n, size_t *end, struct err *err)
{
	size_t at = 0, number = 0;
	int rc = 0;

	do {
		number++;
		rc = jfr_chunk_open(data, n, at, &r->c, err);
		rc = rc < 0 ? rc : jfr_read_chunk(r, err);
		if (rc == ERR_UNKNOWN)
			return rc;
		if (rc < 0)
			return err_wrap(err, "chunk %zu", number);
		at = r->c.end;
		jfr_chunk_release(&r->c);
	} while (jfr_chunk_is_at(data, n, at));
	*end = at;
	return 0;
}

static void jfr_comment(struct jfr_reader *r, struct buf *text)
{
	builder_comment(r->b, strtab_add(r->str, buf_text(text), text->len));
	text->len = 0;
}

static int jfr_compare_unread(const void *a, const void *b)
{
	const struct jfr_unread *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : (x->name > y->name) - (x->name < y->name);
}

static void jfr_add_unread_comment(struct jfr_reader *r, struct buf *text)
{
	size_t n_named = 0;

	if (r->n_unread_events == 0)
		return;
	buf_addf(text, "jfr: skipped %zu event%s with stacks of kinds that are not samples:", r->n_unread_events,
		 r->n_unread_events == 1 ? "" : "s");
	qsort(r->unread, r->n_unread, sizeof(*r->unread), jfr_compare_unread);
	for (size_t i = 0; i < r->n_unread && i < JFR_UNREAD_SHOWN; i++) {
		buf_addf(text, "%s %zu ", i ? "," : "", r->unread[i].n);
		buf_add(text, strtab_text(r->str, r->unread[i].name), strtab_len(r->str, r->unread[i].name));
		n_named += r->unread[i].n;
	}
	if (n_named < r->n_unread_events)
		buf_addf(text, ", %zu of other kinds", r->n_unread_events - n_named);
	jfr_comment(r, text);
}

static void jfr_add_comments(struct jfr_reader *r, size_t n_trailing)
{
	struct buf text = { 0 };

	skipped_add_comment(&r->cut, r->b, "jfr: read up to its end", "chunk that is cut or was not finished",
			    "chunks that are cut or were not finished", "byte");
	skipped_add_comment(&r->unreadable, r->b, "jfr: skipped", "chunk that is cut before its metadata",
			    "chunks that are cut before their metadata", "byte");
	skipped_add_comment(&r->checkpoints, r->b, "jfr: some names and stacks are missing in", "damaged chunk",
			    "damaged chunks", "byte");
	skipped_add_comment(&r->stacks, r->b, "jfr: no stack is in the file for", "event", "events", "byte");
	skipped_add_comment(&r->methods, r->b, "jfr: no method is in the file for", "frame", "frames", "byte");
	skipped_add_comment(&r->negative, r->b, "jfr: the value counts as 0, because it is negative, of", "event",
			    "events", "byte");
	skipped_add_comment(&r->no_context, r->b, "jfr: the labels of the context were not sent for", "event", "events",
			    "byte");
	skipped_add_comment(&r->long_contexts, r->b, "jfr: labels were removed, since 16 are read of a context, from",
			    "event", "events", "byte");
	if (r->has_time[KIND_CPU] || r->has_time[KIND_WALL])
		skipped_add_comment(&r->periods, r->b, "jfr: no setting has the period, so times are too low, of",
				    "sample", "samples", "byte");
	if (r->n_lost_samples) {
		buf_addf(&text, "jfr: the profiler lost %" PRId64 " samples of CPU time", r->n_lost_samples);
		jfr_comment(r, &text);
	}
	if (r->n_lost_bytes) {
		buf_addf(&text, "jfr: the recorder lost %" PRId64 " bytes of events", r->n_lost_bytes);
		jfr_comment(r, &text);
	}
	if (r->n_truncated) {
		buf_addf(&text,
			 "jfr: the stacks of %zu of %zu events are without their first callers, since they were too "
			 "deep",
			 r->n_truncated, r->n_events);
		buf_addz(&text, " for the recorder; -tagroot=truncated separates them");
		jfr_comment(r, &text);
	}
	if (n_trailing) {
		buf_addf(&text, "jfr: skipped %zu bytes after the last chunk", n_trailing);
		jfr_comment(r, &text);
	}
	jfr_add_unread_comment(r, &text);
	buf_release(&text);
}

/* Return true if the value of a kind is a sample type. */
static bool jfr_kind_has_value(const struct jfr_reader *r, enum jfr_kind kind)
{
	return !jfr_kinds[kind].has_period || r->has_time[kind];
}

/* Add the sample types. type: set to the first one of each kind. */
static void jfr_add_types(struct jfr_reader *r, uint32_t type[N_JFR_KINDS])
{
	struct profile_meta *meta = builder_meta(r->b);
	str_id count = strtab_addz(r->str, "count");

	for (unsigned k = 0; k < N_JFR_KINDS; k++) {
		type[k] = builder_n_types(r->b);
		if (!r->has_kind[k])
			continue;
		builder_type(r->b, strtab_addz(r->str, jfr_kinds[k].count), count);
		if (jfr_kind_has_value(r, (enum jfr_kind)k))
			builder_type(r->b, strtab_addz(r->str, jfr_kinds[k].value),
				     strtab_addz(r->str, jfr_kinds[k].unit));
	}
	for (size_t i = 0; i < N_JFR_KINDS && !meta->default_type; i++) {
		enum jfr_kind k = jfr_default_kinds[i];

		if (r->has_kind[k])
			meta->default_type =
				strtab_addz(r->str, jfr_kinds[k].has_period ? jfr_kinds[k].count : jfr_kinds[k].value);
	}
	meta->time_ns = r->first_ns;
	meta->duration_ns = r->duration_ns > 0 ? r->duration_ns : 0;
	/* also if the period is not known: profiles with different types of periods cannot be merged */
	meta->period_type = (struct value_type){ strtab_addz(r->str, "cpu"), r->unit_ns };
	meta->has_period_type = true;
	meta->period = r->period_ns;
}

static int jfr_add_rows(struct jfr_reader *r, const uint32_t type[N_JFR_KINDS], struct err *err)
{
	struct builder_rows rows;
	int rc = builder_rows(r->b, (uint32_t)r->n_rows, &rows, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct jfr_row *row = &r->row[i];

		rows.stack[i] = row->stack;
		rows.labels[i] = row->labels;
		builder_values(r->b, type[row->kind])[i] = row->count;
		if (jfr_kind_has_value(r, (enum jfr_kind)row->kind))
			builder_values(r->b, type[row->kind] + 1)[i] = row->value;
	}
	return 0;
}

static int jfr_finish(struct jfr_reader *r, size_t n_trailing, struct err *err)
{
	uint32_t type[N_JFR_KINDS];
	int rc;

	if (r->n_chunks == 0)
		return err_set(err, ERR_FORMAT, "the recording is cut before its metadata, which describes its events");
	if ((rc = jfr_add_leaks(r, err)) < 0)
		return rc;
	if (r->n_rows == 0)
		return err_set(err, ERR_FORMAT,
			       "the recording has no samples: no event of CPU time, wall time, allocations or waits");
	jfr_add_types(r, type);
	jfr_add_comments(r, n_trailing);
	return jfr_add_rows(r, type, err);
}

int jfr_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out, struct err *err)
{
	return jfr_read_contexts(data, n, NULL, options, out, err);
}

int jfr_read_contexts(const uint8_t *data, size_t n, const struct jfr_contexts *contexts,
		      const struct format_options *options, struct profile **out, struct err *err)
{
	struct jfr_reader r;
	size_t end = 0;
	int rc;

	jfr_init(&r, n, contexts, options);
	rc = jfr_read_chunks(&r, data, n, &end, err);
	if (rc == 0)
		rc = jfr_finish(&r, n - end, err);
	if (rc == 0)
		*out = builder_seal(r.b);
	jfr_release(&r);
	return rc;
}
