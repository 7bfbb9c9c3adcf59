/*
 * file.c - the file of a recording: header, attributes, features, records
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file has its events and features in tables around the records; a pipe has records for them, which are never
 * compressed. These are read before all samples, since sample types come first in a profile.
 */
#include "config.h"

#include "formats/perf/perf.h"
#include "formats/perf/perf_int.h"

#include <inttypes.h>

enum {
	HEADER_BYTES = 104,
	PIPE_HEADER_BYTES = 16,
	SECTION_BYTES = 16,
	ATTR_BYTES_MIN = 64,
	ATTR_BYTES_MAX = 4096,
	EVENTS_MAX = 1024,
	FEATURES = 256,
	WORD_BITS = 64,
	UPDATE_NAME = 2,
};
enum { AT_ATTR_SIZE = 16, AT_ATTRS = 24, AT_DATA = 40, AT_FEATURES = 72 };

/* A range of the file. */
struct perf_section {
	uint64_t at, n;
};

static struct perf_section file_section(const struct perf_reader *r, const uint8_t *p)
{
	return (struct perf_section){ perfdata_u64(r, p), perfdata_u64(r, p + 8) };
}

static bool file_has(const struct perf_reader *r, struct perf_section s)
{
	return s.at <= r->n && s.n <= r->n - s.at;
}

static void file_cut(struct perf_reader *r, size_t at)
{
	r->is_cut = true;
	r->cut = at;
}

/* The bytes that follow a record and belong to it. simpleperf has the data of tracing inside the record. */
static uint64_t file_extra(const struct perf_reader *r, const struct perf_record *rec)
{
	enum { AT_TRACING = PERF_HEADER_SIZE + 4 };

	if (rec->type == PERF_TRACING_DATA && rec->n >= AT_TRACING) {
		uint32_t n = perfdata_u32(r, rec->p + PERF_HEADER_SIZE);

		return n <= rec->n - AT_TRACING ? 0 : n;
	}
	if (rec->type == PERF_AUXTRACE && rec->n >= PERF_HEADER_SIZE + 8)
		return perfdata_u64(r, rec->p + PERF_HEADER_SIZE);
	return 0;
}

/*
 * A compressed record whose size does not fit into its header, as perf 6.16 writes it: its own count of bytes is right.
 * Returns false if it is another record.
 */
static bool file_large_record(const struct perf_reader *r, const uint8_t *p, size_t n, struct perf_record *out)
{
	enum { LARGE_HEADER = 16 };
	uint64_t size;

	if (n < LARGE_HEADER || perfdata_u32(r, p) != PERF_COMPRESSED2)
		return false;
	size = perfdata_u64(r, p + PERF_HEADER_SIZE);
	if (size <= UINT16_MAX - LARGE_HEADER || size > n - LARGE_HEADER || size > UINT32_MAX - LARGE_HEADER)
		return false;
	*out = (struct perf_record){ p, (uint32_t)size + LARGE_HEADER, PERF_COMPRESSED2, 0 };
	return true;
}

bool perfdata_file_next(struct perf_reader *r, size_t *at, struct perf_record *out)
{
	const uint8_t *p = r->data + *at;
	size_t left = r->end - *at;
	uint64_t extra;

	if (left == 0)
		return false;
	if (r->is_pipe && perfdata_probe(p, left) == FORMAT_SURE) {
		r->next_recording = *at;
		return false;
	}
	if (!file_large_record(r, p, left, out) && !perfdata_record_at(r, p, left, out)) {
		file_cut(r, *at);
		return false;
	}
	extra = file_extra(r, out);
	if (extra > left - out->n) {
		file_cut(r, *at);
		return false;
	}
	*at += out->n + (size_t)extra;
	return true;
}

/* Read the events of a file. */
static int file_read_attrs(struct perf_reader *r, struct err *err)
{
	uint64_t size = perfdata_u64(r, r->data + AT_ATTR_SIZE);
	struct perf_section all = file_section(r, r->data + AT_ATTRS);
	int rc = 0;

	if (size < ATTR_BYTES_MIN + SECTION_BYTES || size > ATTR_BYTES_MAX || !file_has(r, all))
		return err_set(err, ERR_FORMAT, "perf.data: the table of events, at byte %" PRIu64 ", is damaged",
			       all.at);
	if (all.n / size > EVENTS_MAX)
		return err_set(err, ERR_LIMIT, "perf.data: more than %d events", (int)EVENTS_MAX);
	for (uint64_t at = all.at; rc == 0 && size <= all.at + all.n - at; at += size) {
		size_t n_attr = (size_t)size - SECTION_BYTES;
		struct perf_section ids = file_section(r, r->data + at + n_attr);

		rc = perfdata_event_add(r, r->data + at, n_attr, err);
		if (rc == 0 && file_has(r, ids))
			rc = perfdata_event_add_ids(r, r->data + ids.at, (size_t)ids.n / sizeof(uint64_t), err);
		else if (rc == 0)
			rc = err_set(err, ERR_FORMAT,
				     "perf.data: the ids of an event, at byte %" PRIu64 ", are outside the file",
				     ids.at);
	}
	return rc;
}

static void file_read_features(struct perf_reader *r)
{
	size_t at = r->end, end = at;

	for (unsigned i = 0; i < FEATURES; i++) {
		struct perf_section s;

		if (!(perfdata_u64(r, r->data + AT_FEATURES + i / WORD_BITS * 8) >> i % WORD_BITS & 1))
			continue;
		if (SECTION_BYTES > r->n - at) {
			file_cut(r, r->n);
			return;
		}
		s = file_section(r, r->data + at);
		at += SECTION_BYTES;
		if (file_has(r, s))
			perfdata_feature_read(r, i, r->data + s.at, (size_t)s.n);
		else
			file_cut(r, r->n);
		end = file_has(r, s) && s.at + s.n > end ? (size_t)(s.at + s.n) : end;
	}
	end = end > at ? end : at;
	if (perfdata_probe(r->data + end, r->n - end) == FORMAT_SURE)
		r->next_recording = end;
}

static int file_read_attr_record(struct perf_reader *r, const struct perf_record *rec, struct err *err)
{
	enum { AT_SIZE = 4 };
	const uint8_t *attr = rec->p + PERF_HEADER_SIZE;
	uint32_t n = rec->n - PERF_HEADER_SIZE, size = n >= ATTR_BYTES_MIN ? perfdata_u32(r, attr + AT_SIZE) : 0;
	int rc;

	if (size < ATTR_BYTES_MIN || size > n)
		return err_set(err, ERR_FORMAT, "perf.data: the event at byte %zu is damaged",
			       (size_t)(rec->p - r->data));
	if (r->n_events >= EVENTS_MAX)
		return err_set(err, ERR_LIMIT, "perf.data: more than %d events", (int)EVENTS_MAX);
	rc = perfdata_event_add(r, attr, size, err);
	return rc < 0 ? rc : perfdata_event_add_ids(r, attr + size, (n - size) / sizeof(uint64_t), err);
}

/* Take the name of an event from an EVENT_UPDATE. */
static void file_read_update(struct perf_reader *r, const struct perf_record *rec)
{
	enum { AT_KIND = 8, AT_ID = 16, AT_TEXT = 24 };
	uint32_t id, event;

	if (rec->n <= AT_TEXT || perfdata_u64(r, rec->p + AT_KIND) != UPDATE_NAME)
		return;
	id = perfdata_event_find_id(r, perfdata_u64(r, rec->p + AT_ID));
	event = id != PERF_NONE ? r->id[id].event : r->n_events == 1 ? 0 : PERF_NONE;
	if (event != PERF_NONE)
		r->event[event].name = strtab_add(builder_strings(r->b), (const char *)rec->p + AT_TEXT,
						  strnlen((const char *)rec->p + AT_TEXT, rec->n - AT_TEXT));
}

/* Read records that replace tables: all of a pipe; names of events if the file has no features. */
static int file_read_header_records(struct perf_reader *r, struct err *err)
{
	struct perf_record rec;
	int rc = 0;

	for (size_t at = r->first; rc == 0 && perfdata_file_next(r, &at, &rec);) {
		if (rec.type == PERF_HEADER_ATTR && r->is_pipe)
			rc = file_read_attr_record(r, &rec, err);
		else if (rec.type == PERF_EVENT_UPDATE && !r->has_names)
			file_read_update(r, &rec);
		else if (rec.type == PERF_HEADER_FEATURE && rec.n >= PERF_HEADER_SIZE + 8)
			perfdata_feature_read(r, perfdata_u64(r, rec.p + PERF_HEADER_SIZE),
					      rec.p + PERF_HEADER_SIZE + 8, rec.n - PERF_HEADER_SIZE - 8);
		else if (rec.type == PERF_BUILD_ID)
			perfdata_feature_build_id(r, &rec);
	}
	return rc;
}

static int file_open_tables(struct perf_reader *r, struct err *err)
{
	struct perf_section data;
	int rc;

	if (r->n < HEADER_BYTES)
		return err_set(err, ERR_FORMAT, "perf.data: the file ends in its header, at byte %zu", r->n);
	data = file_section(r, r->data + AT_DATA);
	if (data.at > r->n)
		return err_set(err, ERR_FORMAT, "perf.data: the file ends before its records, at byte %zu", r->n);
	r->first = (size_t)data.at;
	r->is_killed = data.n == 0;
	if (data.n > r->n - data.at) {
		r->end = r->n;
		file_cut(r, r->n);
	} else {
		r->end = data.n ? (size_t)(data.at + data.n) : r->n;
	}
	rc = file_read_attrs(r, err);
	if (rc == 0 && !r->is_killed && !r->is_cut)
		file_read_features(r);
	return rc;
}

int perfdata_file_open(struct perf_reader *r, struct err *err)
{
	uint64_t header;
	int rc = 0;

	if (r->n < PIPE_HEADER_BYTES)
		return err_set(err, ERR_FORMAT, "perf.data: the file ends in its header, at byte %zu", r->n);
	header = perfdata_u64(r, r->data + 8);
	r->is_pipe = header < HEADER_BYTES;
	if (header < PIPE_HEADER_BYTES)
		return err_set(err, ERR_FORMAT, "perf.data: a header of %" PRIu64 " bytes", header);
	if (r->is_pipe) {
		if (header > r->n)
			return err_set(err, ERR_FORMAT, "perf.data: the file ends in its header, at byte %zu", r->n);
		r->first = (size_t)header;
		r->end = r->n;
	} else {
		rc = file_open_tables(r, err);
	}
	if (rc == 0 && (r->is_pipe || !r->has_names))
		rc = file_read_header_records(r, err);
	if (rc == 0 && r->n_events == 0)
		return err_set(err, ERR_FORMAT, "perf.data: the recording has no event");
	return rc < 0 ? rc : perfdata_event_finish(r, err);
}
