/*
 * proto.c - read profile.proto: the top level, and all tables except the samples
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The reader accepts the files that pprof profile/proto.go and profile/encode.go accept.
 *
 * In most files the string table is at the end, so a first pass over the top level adds the strings and records where
 * the other messages are. A second pass decodes these.
 */
#include "config.h"

#include "formats/pprof/pprof.h"
#include "formats/pprof/proto_int.h"
#include "formats/pprof/proto_spans.h"

#include "base/arena.h"
#include "base/mem.h"
#include "profile/source.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* String indices of the header, as in the file. */
struct proto_header {
	uint64_t drop, keep, default_type, doc_url;
	uint64_t *comment;
	size_t n_comments, cap_comments;
};

/* State of pprof_read. */
struct tables {
	struct proto p;
	struct proto_spans types, maps, locs, funcs;
	struct proto_span period_type;
	struct proto_header head;
	struct profile_source source;
	struct proto_span source_file; /* file of the following source lines */
	int64_t source_line;           /* number of the next source line */
	uint64_t *map_id;              /* [mappings] */
	struct idmap map_ids, func_ids;

	/* If the file is read in pieces: copies of messages that are not in proto_spans, and the samples so far. */
	struct arena *copies;
	struct pipeline *samples;
	struct pieces *in; /* borrowed */
	bool is_decoded;   /* the tables were decoded before the first sample, and must not change */
};

enum {
	TYPES_DEFAULT = 10000,
	MAPPINGS_DEFAULT = 1000000,
	STRING_BYTES = 128, /* of a file for each string, at least; usual */
	STRINGS_RESERVED_MAX = 1024,
};

static int count_check(const struct proto *p, size_t n, const char *what, struct err *err)
{
	if (format_exceeds(n, p->options->max_count))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s; raise the limit with --max-count",
			       p->options->max_count, what);
	return 0;
}

/* The limit for a table that is short in real profiles: limit_default, or proportionally more if max_count is raised. */
static uint64_t short_table_limit(uint64_t max_count, uint64_t limit_default)
{
	uint64_t scaled = max_count / (FORMAT_COUNT_DEFAULT / limit_default);

	return max_count <= limit_default ? max_count : scaled > limit_default ? scaled : limit_default;
}

/* The bytes of a message, valid until the end of reading. */
static struct proto_span proto_span_of(const struct tables *t, const struct field *f)
{
	struct proto_span s = { f->data, f->n };

	if (t->copies)
		s.data = memcpy(arena_alloc(t->copies, f->n, 1), f->data, f->n);
	return s;
}

/*
 * start          of the field
 * limit_default  maximum number of entries; 0: max_count
 */
static int spans_add(struct tables *t, struct proto_spans *s, const struct field *f, const uint8_t *start,
		     const char *what, uint64_t limit_default, struct err *err)
{
	uint64_t limit = t->p.options->max_count;

	if (t->is_decoded)
		return err_set(err, ERR_FORMAT, "%s after the samples", what);
	if (limit_default)
		limit = short_table_limit(limit, limit_default);
	proto_spans_add(s, (struct proto_span){ start, (size_t)(f->data - start) + f->n }, 1, t->copies != NULL);
	if (format_exceeds(s->n, limit))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s; raise the limit with --max-count", limit,
			       what);
	return 0;
}

static int top_string(struct tables *t, const struct field *f, struct err *err)
{
	struct proto *p = &t->p;

	if (p->n_str == 0 && f->n != 0)
		return err_set(err, ERR_FORMAT, "the first string is not empty");
	p->str = mem_grow(p->str, &p->cap_str, p->n_str + 1, sizeof(*p->str));
	p->str[p->n_str++] = strtab_add(builder_strings(p->builder), (const char *)f->data, f->n);
	return count_check(p, p->n_str, "strings", err);
}

static int top_start_stream(struct tables *t, struct err *err);

/* Decode a sample of a file that is read in pieces. */
static int top_stream(struct tables *t, const struct field *f, struct err *err)
{
	struct proto *p = &t->p;

	p->n_samples++;
	if (count_check(p, p->n_samples, "samples", err) < 0)
		return ERR_LIMIT;
	if (!t->samples && top_start_stream(t, err) < 0)
		return ERR_FORMAT;
	return proto_stream_add(t->samples, f, err);
}

static int top_sample(struct tables *t, const struct field *f, const uint8_t *start, struct err *err)
{
	struct proto *p = &t->p;

	if (t->copies)
		return top_stream(t, f, err);
	if (p->n_samples >= UINT32_MAX - 2 * SAMPLES_PER_BLOCK)
		return err_set(err, ERR_LIMIT, "more than 4 billion samples");
	if (p->n_samples % SAMPLES_PER_BLOCK == 0) {
		p->block = mem_grow(p->block, &p->cap_blocks, p->n_blocks + 1, sizeof(*p->block));
		p->block[p->n_blocks++] = (struct sample_block){ .start = start, .first = p->n_samples };
	}
	p->block[p->n_blocks - 1].n++;
	p->n_samples++;
	p->sample_bytes += f->n;
	return count_check(p, p->n_samples, "samples", err);
}

static void proto_add_comment(struct proto_header *h, uint64_t string)
{
	h->comment = mem_grow(h->comment, &h->cap_comments, h->n_comments + 1, sizeof(*h->comment));
	h->comment[h->n_comments++] = string;
}

static bool top_comments(struct tables *t, struct cursor *c, const struct field *f)
{
	struct proto_header *h = &t->head;
	struct cursor packed = { 0 };
	uint64_t v;

	if (f->type == WIRE_VARINT) {
		proto_add_comment(h, f->value);
		return true;
	}
	if (!cursor_expect(c, f, WIRE_BYTES))
		return false;
	packed = (struct cursor){ f->data, f->data + f->n, NULL };
	while (packed.at < packed.end) {
		if (!cursor_varint(&packed, &v)) {
			c->error = packed.error;
			return false;
		}
		proto_add_comment(h, v);
	}
	return true;
}

/* Read a top-level field that is a single number. */
static int top_number(struct tables *t, const struct field *f, struct err *err)
{
	struct profile_meta *m = builder_meta(t->p.builder);

	switch (f->number) {
	case PROFILE_DROP:
		t->head.drop = f->value;
		break;
	case PROFILE_KEEP:
		t->head.keep = f->value;
		break;
	case PROFILE_TIME:
		if (m->time_ns != 0)
			return err_set(err, ERR_FORMAT, "concatenated profiles: there is a second time_nanos");
		m->time_ns = (int64_t)f->value;
		break;
	case PROFILE_DURATION:
		m->duration_ns = (int64_t)f->value;
		break;
	case PROFILE_PERIOD:
		m->period = (int64_t)f->value;
		break;
	case PROFILE_DEFAULT_TYPE:
		t->head.default_type = f->value;
		break;
	default:
		t->head.doc_url = f->value;
	}
	return 0;
}

/* Read a field of a source file: first its name, then the number of the first line, then the lines. */
static int top_source(struct tables *t, struct cursor *c, const struct field *f, struct err *err)
{
	if (!cursor_expect(c, f, f->number == PROFILE_SOURCE_LINE ? WIRE_VARINT : WIRE_BYTES))
		return 0;
	if (f->number == PROFILE_SOURCE_FILE) {
		t->source_file = proto_span_of(t, f);
		t->source_line = 1;
	} else if (f->number == PROFILE_SOURCE_LINE) {
		t->source_line = (int64_t)f->value;
	} else if (t->source_file.n && t->source_line > 0 && t->source_line < INT64_MAX) {
		profile_source_add(&t->source, (const char *)t->source_file.data, t->source_file.n, t->source_line++,
				   (const char *)f->data, f->n);
	}
	return count_check(&t->p, t->source.n, "source lines", err);
}

static int top_message(struct tables *t, const struct field *f, const uint8_t *start, struct err *err)
{
	switch (f->number) {
	case PROFILE_SAMPLE:
		return top_sample(t, f, start, err);
	case PROFILE_STRING:
		return top_string(t, f, err);
	case PROFILE_TYPE:
		return spans_add(t, &t->types, f, start, "sample types", TYPES_DEFAULT, err);
	case PROFILE_MAPPING:
		return spans_add(t, &t->maps, f, start, "mappings", MAPPINGS_DEFAULT, err);
	case PROFILE_LOCATION:
		return spans_add(t, &t->locs, f, start, "locations", 0, err);
	case PROFILE_FUNCTION:
		return spans_add(t, &t->funcs, f, start, "functions", 0, err);
	default:
		t->period_type = proto_span_of(t, f);
		return 0;
	}
}

static bool top_is_message(uint64_t number)
{
	return (number >= PROFILE_TYPE && number <= PROFILE_STRING) || number == PROFILE_PERIOD_TYPE;
}

/* Skip samples up to the end of a block. Most of a file consists of these. */
static const uint8_t *skip_samples(struct proto *p, const uint8_t *at)
{
	uint32_t left = SAMPLES_PER_BLOCK - p->n_samples % SAMPLES_PER_BLOCK;
	const uint8_t *start = at;
	size_t n;

	if (left == SAMPLES_PER_BLOCK) /* top_sample records the first sample of a block */
		return at;
	at = proto_spans_skip(at, p->end, PROFILE_SAMPLE, left, &n);
	p->sample_bytes += (size_t)(at - start);
	p->n_samples += (uint32_t)n;
	p->block[p->n_blocks - 1].n += (uint32_t)n;
	return at;
}

/* Add the messages that follow one of the same kind. Returns the start of the next field. */
static const uint8_t *skip_messages(const struct proto *p, struct proto_spans *s, unsigned number, const uint8_t *start)
{
	uint64_t limit = p->options->max_count;
	size_t n;
	const uint8_t *at = proto_spans_skip(start, p->end, number, limit ? (size_t)limit - s->n : SIZE_MAX, &n);

	if (n)
		proto_spans_add(s, (struct proto_span){ start, (size_t)(at - start) }, n, false);
	return at;
}

/* Read messages like the last one in less time than top_field takes. Returns the start of the next field. */
static const uint8_t *top_skip(struct tables *t, uint64_t number, const uint8_t *at)
{
	if (number == PROFILE_SAMPLE)
		return skip_samples(&t->p, at);
	if (number == PROFILE_LOCATION)
		return skip_messages(&t->p, &t->locs, PROFILE_LOCATION, at);
	return number == PROFILE_FUNCTION ? skip_messages(&t->p, &t->funcs, PROFILE_FUNCTION, at) : at;
}

/* Read a field, or set c->error. start: its first byte */
static int top_field(struct tables *t, struct cursor *c, const struct field *f, const uint8_t *start, struct err *err)
{
	if (f->number == 0)
		c->error = "field number 0";
	else if (f->number == PROFILE_COMMENT)
		top_comments(t, c, f);
	else if (top_is_message(f->number))
		return cursor_expect(c, f, WIRE_BYTES) ? top_message(t, f, start, err) : 0;
	else if (f->number >= PROFILE_DROP && f->number <= PROFILE_DOC_URL)
		return cursor_expect(c, f, WIRE_VARINT) ? top_number(t, f, err) : 0;
	else if (f->number >= PROFILE_SOURCE_FILE && f->number <= PROFILE_SOURCE_TEXT)
		return top_source(t, c, f, err);
	return 0;
}

/* Read the top level: add the strings, count the samples, record where the other messages are. */
static int read_top(struct tables *t, struct err *err)
{
	struct cursor c = { t->p.data, t->p.end, NULL };
	const uint8_t *start = c.at;
	struct field f = { 0 };
	int rc = 0;

	assert(t->p.builder && t->p.options);
	for (; rc == 0 && cursor_field(&c, &f); start = c.at) {
		rc = top_field(t, &c, &f, start, err);
		if (rc < 0 || c.error)
			break;
		c.at = top_skip(t, f.number, c.at);
	}
	if (rc == 0 && c.error)
		return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(start - t->p.data), c.error);
	return rc == 0 ? count_check(&t->p, t->p.n_samples, "samples", err) : rc;
}

int proto_string(const struct proto *p, uint64_t index, const char *what, str_id *out, struct err *err)
{
	if (index >= p->n_str)
		return err_set(err, ERR_FORMAT, "%s: string %" PRId64 " of %zu does not exist", what, (int64_t)index,
			       p->n_str);
	*out = p->str[index];
	return 0;
}

static struct cursor message_cursor(struct proto_span s)
{
	return (struct cursor){ s.data, s.data + s.n, NULL };
}

static int proto_value_type(struct tables *t, struct proto_span s, struct value_type *out, struct err *err)
{
	struct cursor c = message_cursor(s);
	uint64_t v[3] = { 0 };
	int rc;

	if (!cursor_numbers(&c, 2, v))
		return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c.at - t->p.data), c.error);
	rc = proto_string(&t->p, v[1], "type", &out->name, err);
	return rc == 0 ? proto_string(&t->p, v[2], "unit", &out->unit, err) : rc;
}

static int read_types(struct tables *t, struct err *err)
{
	for (size_t i = 0; i < t->types.n; i++) {
		struct value_type v = { 0 };

		if (proto_value_type(t, proto_spans_next(&t->types), &v, err) < 0)
			return err_wrap(err, "sample type %zu", i + 1);
		if (t->samples)
			builder_set_type(t->p.builder, (uint32_t)i, v);
		else
			builder_type(t->p.builder, v.name, v.unit);
	}
	if (t->types.n == 0)
		return err_set(err, ERR_FORMAT, "no sample types for %" PRIu32 " samples", t->p.n_samples);
	return 0;
}

static int proto_read_mapping(struct tables *t, size_t i, struct err *err)
{
	struct cursor c = message_cursor(proto_spans_next(&t->maps));
	struct mapping m = { 0 };
	uint64_t v[11] = { 0 };
	uint32_t index;
	int rc;

	if (!cursor_numbers(&c, 10, v))
		return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c.at - t->p.data), c.error);
	m = (struct mapping){ .id = v[1],
			      .start = v[2],
			      .limit = v[3],
			      .offset = v[4],
			      .has_functions = v[7],
			      .has_filenames = v[8],
			      .has_line_numbers = v[9],
			      .has_inline_frames = v[10] };
	rc = proto_string(&t->p, v[5], "filename", &m.file, err);
	if (rc == 0)
		rc = proto_string(&t->p, v[6], "build_id", &m.build_id, err);
	t->map_id[i] = m.id;
	return rc == 0 ? builder_mapping(t->p.builder, &m, &index, err) : rc;
}

/* As in pprof, a profile without mappings gets an empty one. */
static int add_empty_mapping(struct tables *t, struct err *err)
{
	struct mapping m = { .id = 1 };
	uint32_t index;

	return builder_mapping(t->p.builder, &m, &index, err);
}

static int ids_check(struct idmap *m, const uint64_t *id, size_t n, const char *what, struct err *err)
{
	uint64_t duplicate;

	if (idmap_init(m, id, n, &duplicate))
		return 0;
	if (duplicate == 0)
		return err_set(err, ERR_FORMAT, "a %s has the reserved id 0", what);
	return err_set(err, ERR_FORMAT, "two %ss have the id %" PRIu64, what, duplicate);
}

static int read_mappings(struct tables *t, struct err *err)
{
	t->map_id = mem_alloc(t->maps.n, sizeof(*t->map_id));
	for (size_t i = 0; i < t->maps.n; i++)
		if (proto_read_mapping(t, i, err) < 0)
			return err_wrap(err, "mapping %zu", i + 1);
	if (t->maps.n == 0 && add_empty_mapping(t, err) < 0)
		return ERR_LIMIT;
	return ids_check(&t->map_ids, t->map_id, t->maps.n, "mapping", err);
}

static int proto_read_function(struct tables *t, struct err *err)
{
	struct cursor c = message_cursor(proto_spans_next(&t->funcs));
	uint64_t v[6] = { 0 };
	struct builder_function fn;
	uint32_t index;

	if (!cursor_numbers(&c, 5, v))
		return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c.at - t->p.data), c.error);
	fn.id = v[1];
	fn.start = (int64_t)v[5];
	if (proto_string(&t->p, v[2], "name", &fn.name, err) < 0 ||
	    proto_string(&t->p, v[3], "system_name", &fn.sysname, err) < 0 ||
	    proto_string(&t->p, v[4], "filename", &fn.file, err) < 0)
		return ERR_FORMAT;
	return builder_function(t->p.builder, &fn, &index, err);
}

static int read_functions(struct tables *t, struct err *err)
{
	builder_reserve_tables(t->p.builder, t->funcs.n, 0);
	for (size_t i = 0; i < t->funcs.n; i++)
		if (proto_read_function(t, err) < 0)
			return err_wrap(err, "function %zu", i + 1);
	proto_spans_release(&t->funcs);
	return ids_check(&t->func_ids, builder_profile(t->p.builder)->func_id, t->funcs.n, "function", err);
}

/* The lines of the current location. The array is reused for the next location. */
struct proto_lines {
	struct builder_line *line;
	size_t n, cap;
};

static int proto_read_line(struct tables *t, const struct field *span, struct proto_lines *lines, struct err *err)
{
	struct cursor c = { span->data, span->data + span->n, NULL };
	uint64_t v[4] = { 0 };
	uint32_t func;

	if (!cursor_numbers(&c, 3, v))
		return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c.at - t->p.data), c.error);
	func = idmap_get(&t->func_ids, v[1]);
	if (func == IDMAP_NONE)
		return err_set(err, ERR_FORMAT, "function %" PRIu64 " does not exist", v[1]);
	if (format_exceeds(lines->n + 1, t->p.options->max_depth))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " lines; raise the limit with --max-depth",
			       t->p.options->max_depth);
	lines->line = mem_grow(lines->line, &lines->cap, lines->n + 1, sizeof(*lines->line));
	lines->line[lines->n++] = (struct builder_line){ func, (int64_t)v[2], (int64_t)v[3] };
	return 0;
}

static int proto_read_location(struct tables *t, struct proto_lines *lines, struct err *err)
{
	struct cursor c = message_cursor(proto_spans_next(&t->locs));
	uint64_t v[6] = { 0 };
	struct builder_location loc;
	struct field f = { 0 };
	uint32_t index;

	lines->n = 0;
	while (cursor_field(&c, &f)) {
		if (f.number == 4 && cursor_expect(&c, &f, WIRE_BYTES)) {
			if (proto_read_line(t, &f, lines, err) < 0)
				return err_wrap(err, "line %zu", lines->n + 1);
		} else if (f.number >= 1 && f.number <= 5 && cursor_expect(&c, &f, WIRE_VARINT)) {
			v[f.number] = f.value;
		}
		if (c.error)
			break;
	}
	if (c.error)
		return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c.at - t->p.data), c.error);
	loc = (struct builder_location){ .id = v[1], .addr = v[3], .folded = v[5] != 0 };
	loc.map = t->maps.n ? idmap_get(&t->map_ids, v[2]) : 0;
	return builder_location(t->p.builder, &loc, lines->line, lines->n, &index, err);
}

static int read_locations(struct tables *t, struct err *err)
{
	struct proto_lines lines = { 0 };
	int rc = 0;

	builder_reserve_tables(t->p.builder, 0, t->locs.n);
	for (size_t i = 0; rc == 0 && i < t->locs.n; i++) {
		rc = proto_read_location(t, &lines, err);
		if (rc < 0)
			err_wrap(err, "location %zu", i + 1);
	}
	free(lines.line);
	proto_spans_release(&t->locs);
	return rc == 0 ? ids_check(&t->p.locs, builder_profile(t->p.builder)->loc_id, t->locs.n, "location", err) : rc;
}

static int proto_read_header(struct tables *t, struct err *err)
{
	const struct proto *p = &t->p;
	const struct proto_header *h = &t->head;
	struct profile_meta *m = builder_meta(p->builder);

	if (proto_string(p, h->drop, "drop_frames", &m->drop_frames, err) < 0 ||
	    proto_string(p, h->keep, "keep_frames", &m->keep_frames, err) < 0 ||
	    proto_string(p, h->default_type, "default_sample_type", &m->default_type, err) < 0 ||
	    proto_string(p, h->doc_url, "doc_url", &m->doc_url, err) < 0)
		return ERR_FORMAT;
	for (size_t i = 0; i < h->n_comments; i++) {
		str_id text = 0;

		if (proto_string(p, h->comment[i], "comment", &text, err) < 0)
			return ERR_FORMAT;
		builder_comment(p->builder, text);
	}
	m->has_period_type = t->period_type.data;
	if (t->period_type.data && proto_value_type(t, t->period_type, &m->period_type, err) < 0)
		return err_wrap(err, "period type");
	return 0;
}

/* Decode all tables but the samples, and not the header. */
static int read_entries(struct tables *t, struct err *err)
{
	int rc;

	if (t->p.n_str == 0) { /* only index 0 is valid, for "" */
		t->p.str = mem_grow(t->p.str, &t->p.cap_str, 1, sizeof(*t->p.str));
		t->p.str[0] = 0;
		t->p.n_str = 1;
	}
	if ((rc = read_types(t, err)) < 0 || (rc = read_mappings(t, err)) < 0 || (rc = read_functions(t, err)) < 0 ||
	    (rc = read_locations(t, err)) < 0)
		return rc;
	return 0;
}

/* Decode all tables but the samples, after the top level. */
static int read_tables(struct tables *t, struct err *err)
{
	int rc = t->is_decoded ? 0 : read_entries(t, err);

	return rc == 0 ? proto_read_header(t, err) : rc;
}

/* Start a walk if all tables precede the first sample. */
static int top_start_walk(struct tables *t, const struct sample_walk **walk, struct err *err)
{
	struct profile_meta *m = builder_meta(t->p.builder);

	t->is_decoded = true;
	if (read_entries(t, err) < 0 || proto_string(&t->p, t->head.drop, "", &m->drop_frames, err) < 0 ||
	    proto_string(&t->p, t->head.default_type, "", &m->default_type, err) < 0)
		return ERR_FORMAT;
	if (!(*walk)->start((*walk)->arg, builder_profile(t->p.builder), t->p.sample_bytes, proto_stream_parts()))
		*walk = NULL;
	return 0;
}

/* Prepare for the samples of a file that is read in pieces. */
static int top_start_stream(struct tables *t, struct err *err)
{
	const struct sample_walk *walk = t->p.options->walk;

	if (!t->locs.n || !t->funcs.n || !t->p.n_str)
		walk = NULL;
	if (walk && top_start_walk(t, &walk, err) < 0)
		return ERR_FORMAT;
	for (size_t i = 0; !t->is_decoded && i < t->types.n; i++) /* read_types names them */
		builder_type(t->p.builder, 0, 0);
	return proto_stream_new(&t->p, t->in, walk, &t->samples, err);
}

static void tables_release(struct tables *t)
{
	profile_source_release(&t->source);
	proto_stream_free(t->samples);
	arena_free(t->copies);
	builder_free(t->p.builder);
	idmap_release(&t->p.locs);
	idmap_release(&t->map_ids);
	idmap_release(&t->func_ids);
	free(t->p.str);
	free(t->p.block);
	proto_spans_release(&t->types);
	proto_spans_release(&t->maps);
	proto_spans_release(&t->locs);
	proto_spans_release(&t->funcs);
	free(t->head.comment);
	free(t->map_id);
}

/* Seal the profile if rc is 0, and release everything else. */
static int tables_seal(struct tables *t, int rc, struct profile **out)
{
	if (rc == 0)
		*out = builder_seal(t->p.builder);
	if (rc == 0 && t->p.walk)
		t->p.walk->attach(t->p.walk->arg, *out);
	if (rc == 0 && t->source.n)
		profile_source_store(&t->source, *out);
	tables_release(t);
	return rc;
}

int pprof_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
	       struct err *err)
{
	struct tables t = { .p = { .data = data, .options = options, .builder = builder_new() } };
	int rc;

	assert(options && out);
	t.p.end = n ? data + n : data; /* data may be NULL */
	strtab_reserve(builder_strings(t.p.builder),
		       n / STRING_BYTES < STRINGS_RESERVED_MAX ? n / STRING_BYTES : STRINGS_RESERVED_MAX);
	if ((rc = read_top(&t, err)) == 0 && (rc = read_tables(&t, err)) == 0)
		rc = proto_samples(&t.p, err);
	return tables_seal(&t, rc, out);
}

/* Read the fields that are complete in a window. n_left: set to the number of bytes after them */
static int top_read_window(struct tables *t, const struct pieces_window *w, size_t *n_left, struct err *err)
{
	struct cursor c = { w->data, w->data + w->n, NULL };
	const uint8_t *start = c.at;
	struct field f = { 0 };

	t->p.data = w->data;
	t->p.end = c.end;
	for (; cursor_field(&c, &f); start = c.at) {
		int rc = top_field(t, &c, &f, start, err);

		if (rc < 0 || c.error)
			return rc < 0 ? rc : ERR_FORMAT;
	}
	*n_left = (size_t)(c.end - start);
	return *n_left > (w->is_last ? 0 : PIECE_BYTES) ? ERR_FORMAT : 0;
}

int pprof_read_pieces(struct pieces *in, const struct format_options *options, struct profile **out)
{
	struct tables t = { .p = { .options = options, .builder = builder_new() }, .copies = arena_new(), .in = in };
	struct pieces_window w = { 0 };
	struct err err;
	size_t n_left = 0;
	int rc = 0;

	t.p.sample_bytes = pieces_content_size(in);
	t.p.locs = (struct idmap){ .n = IDMAP_NONE - 1, .sequential = true };
	for (bool is_first = true; rc == 0 && !w.is_last; is_first = false) {
		if (!pieces_next(in, n_left, &w) || (is_first && format_is_compressed(w.data, w.n)))
			rc = ERR_FORMAT;
		else
			rc = top_read_window(&t, &w, &n_left, &err);
	}
	if (rc == 0 && (!t.samples || t.types.n != builder_n_types(t.p.builder)))
		rc = ERR_FORMAT;
	if (rc == 0 && (rc = proto_stream_end(t.samples, &err)) == 0)
		pieces_end(in);
	if (rc == 0 && (rc = read_tables(&t, &err)) == 0)
		rc = proto_stream_finish(t.samples, &t.p, &err);
	return tables_seal(&t, rc, out);
}
