/*
 * read.c - the text of perf script as a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The text is read twice: the events are sample types, which must be known before the first row.
 */
#include "config.h"

#include "formats/perfscript/perfscript.h"

#include "base/buf.h"
#include "base/mem.h"
#include "formats/common/location_table.h"
#include "formats/common/named_frames.h"
#include "formats/common/skipped.h"
#include "formats/perfscript/perfscript_int.h"
#include "profile/builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	PROBE_LINES = 50,
	PROBE_BYTES = 1 << 20,
	EVENTS_MAX = 64, /* with own columns */
	COMM_BYTES = 15,
	LINE_BYTES_MAX = 1 << 20,
};

struct perfscript_event {
	struct perfscript_text name;
	bool has_period; /* in one sample at least */
};

struct perfscript_reader {
	const struct format_options *options;
	struct builder *b;
	struct named_frames *frames;

	struct perfscript_event event[EVENTS_MAX];
	size_t n_events, n_samples;
	bool has_other;                 /* a column for more events */
	uint64_t first_ns, last_ns;     /* times of all samples */
	struct perfscript_text program; /* the first DSO that has the name of its comm; its mapping is the first */
	str_id key_pid, key_tid, key_comm, unit_ns;

	bool in_sample;
	struct perfscript_header header; /* of the current sample */
	size_t header_line;
	uint32_t *stack; /* leaf first */
	size_t n_stack, cap_stack;

	struct perfscript_frame *pending; /* inlined frames, and the frame that contains them; not yet a location */
	struct named_frame *source;       /* [n_pending] */
	size_t n_pending, cap_pending, cap_source;

	struct location_table *locations;
	struct builder_line *line; /* of the pending frames */
	size_t n_lines, cap_lines;

	struct skipped lines, records, without_period;
	uint64_t n_lost;
};

enum format_match perfscript_probe(const uint8_t *data, size_t n)
{
	struct perfscript_lines lines = { (const char *)data, (const char *)data + n, 0 };
	struct perfscript_line line;
	size_t n_headers = 0;

	if (n > PROBE_BYTES)
		lines.end = lines.at + PROBE_BYTES;
	while (lines.number < PROBE_LINES && perfscript_next(&lines, &line)) {
		if (memchr(line.text.s, '\0', line.text.n))
			return FORMAT_NO;
		if (line.kind == PERFSCRIPT_HEADER) {
			n_headers++;
			if (line.header.is_certain || perfscript_header_has_frame(&line.header))
				return FORMAT_SURE;
		} else if (line.kind == PERFSCRIPT_FRAME && *line.text.s == '\t' && n_headers == 1) {
			return FORMAT_SURE;
		} else if (line.kind != PERFSCRIPT_COMMENT && line.kind != PERFSCRIPT_EMPTY) {
			return FORMAT_NO;
		}
	}
	return FORMAT_NO;
}

static bool perfscript_is_equal(struct perfscript_text a, struct perfscript_text b)
{
	return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

static str_id perfscript_string(struct perfscript_reader *r, struct perfscript_text t)
{
	return strtab_add(builder_strings(r->b), t.s, t.n);
}

/* The column of an event, from 0; EVENTS_MAX for those without an own one. Adds it if it is new. */
static size_t perfscript_find_event(struct perfscript_reader *r, struct perfscript_text name)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (perfscript_is_equal(r->event[i].name, name))
			return i;
	if (r->n_events == EVENTS_MAX) {
		r->has_other = true;
		return EVENTS_MAX;
	}
	r->event[r->n_events] = (struct perfscript_event){ .name = name };
	return r->n_events++;
}

/* Return true if the comm is the name of the file; it has at most 15 bytes. */
static bool perfscript_is_program(struct perfscript_text dso, struct perfscript_text comm)
{
	const char *slash = dso.n ? memrchr(dso.s, '/', dso.n) : NULL;
	size_t n = slash ? (size_t)(dso.s + dso.n - slash - 1) : 0;

	return comm.n > 0 && comm.n == (n < COMM_BYTES ? n : COMM_BYTES) && memcmp(slash + 1, comm.s, comm.n) == 0;
}

/* Find the events and times of all samples, and the program. */
static void perfscript_find_events(struct perfscript_reader *r, struct perfscript_lines lines)
{
	struct perfscript_line line = { 0 };

	r->first_ns = UINT64_MAX;
	while (perfscript_next(&lines, &line)) {
		const struct perfscript_header *h = &line.header;

		if (line.kind == PERFSCRIPT_FRAME && !r->program.n && perfscript_is_program(line.frame.dso, h->comm))
			r->program = line.frame.dso;
		if (line.kind != PERFSCRIPT_HEADER || h->record.n)
			continue;
		r->n_samples++;
		if (h->has_time) {
			r->first_ns = h->time_ns < r->first_ns ? h->time_ns : r->first_ns;
			r->last_ns = h->time_ns > r->last_ns ? h->time_ns : r->last_ns;
		}
		if (h->event.n) {
			size_t event = perfscript_find_event(r, h->event);

			if (event < EVENTS_MAX)
				r->event[event].has_period |= h->has_period;
		}
	}
}

/* Return true if the event, with modifiers, counts nanoseconds. */
static bool perfscript_event_is_clock(struct perfscript_text name)
{
	static const char *const clock[] = { "cpu-clock", "task-clock" };

	for (size_t i = 0; i < sizeof(clock) / sizeof(clock[0]); i++) {
		size_t n = strlen(clock[i]);

		if (name.n >= n && memcmp(name.s, clock[i], n) == 0 && (name.n == n || name.s[n] == ':'))
			return true;
	}
	return false;
}

static void perfscript_set_types(struct perfscript_reader *r)
{
	struct strtab *str = builder_strings(r->b);
	struct profile_meta *meta = builder_meta(r->b);
	str_id count = strtab_addz(str, "count");
	bool has_clock = false;
	size_t standard = 0; /* the default: the first clock, else the first event */

	r->key_pid = strtab_addz(str, "pid");
	r->key_tid = strtab_addz(str, "tid");
	r->key_comm = strtab_addz(str, "comm");
	r->unit_ns = strtab_addz(str, "nanoseconds");
	builder_type(r->b, strtab_addz(str, "samples"), count);
	for (size_t i = 0; i < r->n_events; i++) {
		const struct perfscript_event *e = &r->event[i];
		bool is_clock = e->has_period && perfscript_event_is_clock(e->name);

		builder_type(r->b, perfscript_string(r, e->name), is_clock ? r->unit_ns : count);
		if (is_clock && !has_clock) {
			has_clock = true;
			standard = i;
		}
	}
	if (r->has_other)
		builder_type(r->b, strtab_addz(str, "other events"), count);
	meta->default_type = r->n_events ? perfscript_string(r, r->event[standard].name) : strtab_addz(str, "samples");
	if (r->first_ns < r->last_ns && r->last_ns - r->first_ns <= INT64_MAX)
		meta->duration_ns = (int64_t)(r->last_ns - r->first_ns);
}

/* The mapping of a DSO; PROFILE_NONE if it is unknown. */
static int perfscript_find_map(struct perfscript_reader *r, struct perfscript_text dso, uint32_t *out, struct err *err)
{
	struct mapping m = { .has_functions = true };

	*out = PROFILE_NONE;
	if (dso.n == 0)
		return 0;
	m.file = perfscript_string(r, dso);
	return location_table_mapping(r->locations, &m, out, err);
}

/* Append the location of the pending frames to the stack; the last one is the outermost. */
static int perfscript_flush_frames(struct perfscript_reader *r, struct err *err)
{
	uint64_t addr;
	uint32_t map;
	int rc = 0;

	if (r->n_pending == 0)
		return 0;
	if (format_exceeds(r->n_stack + 1, r->options->max_depth))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " frames; raise the limit with --max-depth",
			       r->options->max_depth);
	r->n_lines = 0;
	for (size_t i = 0; i < r->n_pending && rc == 0; i++) {
		const struct perfscript_frame *f = &r->pending[i];

		r->source[i].name = perfscript_string(r, f->name);
		if (f->name.n == 0)
			continue;
		r->line = mem_grow(r->line, &r->cap_lines, r->n_lines + 1, sizeof(*r->line));
		r->line[r->n_lines] = (struct builder_line){ .no = r->source[i].line };
		rc = named_frames_function(r->frames, &r->source[i], &r->line[r->n_lines++].func, err);
	}
	addr = r->pending[r->n_pending - 1].addr;
	rc = rc < 0 ? rc : perfscript_find_map(r, r->pending[r->n_pending - 1].dso, &map, err);
	r->n_pending = 0;
	r->stack = mem_grow(r->stack, &r->cap_stack, r->n_stack + 1, sizeof(*r->stack));
	return rc < 0 ? rc
		      : location_table_location(r->locations, map, addr, r->line, r->n_lines, &r->stack[r->n_stack++],
						err);
}

static int perfscript_add_frame(struct perfscript_reader *r, const struct perfscript_frame *frame, struct err *err)
{
	int rc = r->n_pending && !r->pending[r->n_pending - 1].is_inlined ? perfscript_flush_frames(r, err) : 0;

	if (rc == 0 && format_exceeds(r->n_stack + r->n_pending + 1, r->options->max_depth))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " frames; raise the limit with --max-depth",
			       r->options->max_depth);
	r->pending = mem_grow(r->pending, &r->cap_pending, r->n_pending + 1, sizeof(*r->pending));
	r->source = mem_grow(r->source, &r->cap_source, r->n_pending + 1, sizeof(*r->source));
	r->source[r->n_pending] = (struct named_frame){ 0 };
	r->pending[r->n_pending++] = *frame;
	return rc;
}

static int perfscript_add_label(struct perfscript_reader *r, const struct builder_label *label, uint32_t *labels,
				size_t *n, struct err *err)
{
	return builder_label(r->b, label, &labels[(*n)++], err);
}

static int perfscript_add_labels(struct perfscript_reader *r, uint32_t labels[4], size_t *n, struct err *err)
{
	const struct perfscript_header *h = &r->header;
	const struct builder_label comm = { .key = r->key_comm,
					    .text = perfscript_string(r, h->comm),
					    .is_text = true };
	const struct builder_label pid = { .key = r->key_pid, .num = h->pid };
	const struct builder_label tid = { .key = r->key_tid, .num = h->tid };
	int rc = h->comm.n ? perfscript_add_label(r, &comm, labels, n, err) : 0;

	if (rc == 0 && h->has_pid)
		rc = perfscript_add_label(r, &pid, labels, n, err);
	if (rc == 0 && h->has_tid)
		rc = perfscript_add_label(r, &tid, labels, n, err);
	if (rc == 0 && h->has_time && r->options->keeps_times)
		rc = builder_time_label(r->b, (int64_t)(h->time_ns - r->first_ns), &labels[(*n)++], err);
	return rc;
}

/* Set the values of the current sample. */
static void perfscript_set_values(struct perfscript_reader *r, int64_t values[EVENTS_MAX + 2])
{
	const struct perfscript_header *h = &r->header;
	size_t event = h->event.n ? perfscript_find_event(r, h->event) : 0;

	memset(values, 0, (EVENTS_MAX + 2) * sizeof(*values));
	values[0] = 1;
	if (h->event.n == 0)
		return;
	values[event + 1] = event == EVENTS_MAX || !h->has_period ? 1
			    : h->period > INT64_MAX               ? INT64_MAX
								  : (int64_t)h->period;
	if (event < EVENTS_MAX && r->event[event].has_period && !h->has_period)
		skipped_add(&r->without_period, r->header_line);
}

/* Add the current sample. */
static int perfscript_end_sample(struct perfscript_reader *r, struct err *err)
{
	int64_t values[EVENTS_MAX + 2];
	uint32_t labels[4];
	size_t n_labels = 0;
	int rc;

	if (!r->in_sample)
		return 0;
	r->in_sample = false;
	rc = perfscript_flush_frames(r, err);
	if (rc == 0)
		rc = perfscript_add_labels(r, labels, &n_labels, err);
	perfscript_set_values(r, values);
	return rc < 0 ? rc : builder_sample(r->b, values, r->stack, r->n_stack, labels, n_labels, err);
}

/* Count a record that is no sample; "PERF_RECORD_LOST lost 12" has a number of lost samples. */
static void perfscript_add_record(struct perfscript_reader *r, const struct perfscript_line *line)
{
	static const char lost[] = " lost ";
	struct perfscript_text t = line->header.record;
	const char *at = memmem(t.s, t.n, lost, sizeof(lost) - 1);
	uint64_t n = 0;

	skipped_add(&r->records, line->number);
	if (!at || !memmem(t.s, t.n, "_LOST", 5))
		return;
	for (at += sizeof(lost) - 1; at < t.s + t.n && *at >= '0' && *at <= '9'; at++)
		n = n > UINT32_MAX ? n : n * 10 + (uint64_t)(*at - '0');
	r->n_lost += n;
}

static int perfscript_begin_sample(struct perfscript_reader *r, const struct perfscript_line *line, struct err *err)
{
	struct perfscript_frame frame;
	int rc = perfscript_end_sample(r, err);

	if (rc < 0)
		return rc;
	if (line->header.record.n) {
		perfscript_add_record(r, line);
		return 0;
	}
	if (format_exceeds(builder_profile(r->b)->n_rows + UINT64_C(1), r->options->max_count))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " samples; raise the limit with --max-count",
			       r->options->max_count);
	r->in_sample = true;
	r->n_stack = 0;
	r->header = line->header;
	r->header_line = line->number;
	if (!perfscript_frame_parse(line->header.rest, &frame))
		return 0;
	return perfscript_add_frame(r, &frame, err);
}

static void perfscript_set_source(struct perfscript_reader *r, const struct perfscript_line *line)
{
	struct named_frame *f = r->n_pending ? &r->source[r->n_pending - 1] : NULL;

	if (!f || f->file || line->file.n == 0 || line->file_line == 0 || line->file_line > INT32_MAX ||
	    memchr(line->file.s, '?', line->file.n))
		return; /* "??:0" */
	f->file = perfscript_string(r, line->file);
	f->line = (int64_t)line->file_line;
}

static int perfscript_read_line(struct perfscript_reader *r, const struct perfscript_line *line, struct err *err)
{
	if (line->text.n > LINE_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d bytes", (int)LINE_BYTES_MAX);
	switch (line->kind) {
	case PERFSCRIPT_EMPTY:
		return perfscript_end_sample(r, err);
	case PERFSCRIPT_HEADER:
		return perfscript_begin_sample(r, line, err);
	case PERFSCRIPT_FRAME:
		if (r->in_sample)
			return perfscript_add_frame(r, &line->frame, err);
		break;
	case PERFSCRIPT_SOURCE:
		if (r->in_sample && r->n_pending) {
			perfscript_set_source(r, line);
			return 0;
		}
		break;
	case PERFSCRIPT_COMMENT:
		return 0;
	case PERFSCRIPT_OTHER:
		break;
	}
	skipped_add(&r->lines, line->number);
	return 0;
}

static void perfscript_add_comments(struct perfscript_reader *r)
{
	struct skipped lost = { (size_t)r->n_lost, 0 };

	skipped_add_comment(&r->lines, r->b, "perf-script: skipped", "line that is neither a header nor a frame",
			    "lines that are neither a header nor a frame", "line");
	skipped_add_comment(&r->records, r->b, "perf-script: skipped", "record that is no sample",
			    "records that are no samples", "line");
	skipped_add_comment(&lost, r->b, "perf-script: perf lost", "sample", "samples", NULL);
	skipped_add_comment(&r->without_period, r->b, "perf-script: counted 1 for", "sample without a period",
			    "samples without a period", "line");
	if (r->has_other)
		builder_comment(r->b, strtab_addz(builder_strings(r->b),
						  "perf-script: the text has more than 64 events; the sample type "
						  "\"other events\" has the samples of the others"));
}

static int perfscript_read_lines(struct perfscript_reader *r, struct perfscript_lines lines, struct err *err)
{
	struct perfscript_line line = { 0 };
	uint32_t map;
	int rc;

	perfscript_find_events(r, lines);
	if (r->n_samples == 0)
		return err_set(err, ERR_FORMAT, "the text has no sample of perf script");
	perfscript_set_types(r);
	rc = perfscript_find_map(r, r->program, &map, err);
	while (rc == 0 && perfscript_next(&lines, &line))
		rc = perfscript_read_line(r, &line, err);
	rc = rc < 0 ? rc : perfscript_end_sample(r, err);
	if (rc < 0)
		err_wrap(err, "line %zu", line.number);
	perfscript_add_comments(r);
	return rc;
}

static void perfscript_release(struct perfscript_reader *r)
{
	location_table_free(r->locations);
	named_frames_free(r->frames);
	builder_free(r->b);
	free(r->stack);
	free(r->pending);
	free(r->source);
	free(r->line);
}

int perfscript_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		    struct err *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t n_mark = n >= sizeof(mark) - 1 && memcmp(data, mark, sizeof(mark) - 1) == 0 ? sizeof(mark) - 1 : 0;
	const struct perfscript_lines lines = { (const char *)data + n_mark, (const char *)data + n, 0 };
	struct perfscript_reader r = { .options = options, .b = builder_new() };
	int rc;

	r.frames = named_frames_new(r.b, options);
	r.locations = location_table_new(r.b, options);
	rc = perfscript_read_lines(&r, lines, err);
	if (rc == 0)
		*out = builder_seal(r.b);
	perfscript_release(&r);
	return rc;
}
