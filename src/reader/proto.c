/*
 * proto.c - read profile.proto: all tables but the samples
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Like pprof profile/proto.go and profile/encode.go in what is accepted.
 */
#include "config.h"

#include "reader/proto_int.h"

#include "base/mem.h"
#include "profile.pb-c.h"
#include "reader/cursor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int proto_string(const struct proto *p, uint64_t index, const char *what, str_id *out, struct err *err)
{
	if (index >= p->n_str)
		return err_set(err, ERR_FORMAT, "%s: string %" PRId64 " of %zu", what, (int64_t)index, p->n_str);
	*out = p->str[index];
	return 0;
}

static int value_type(struct tables *t, const struct span *s, struct value_type *out, struct err *err)
{
	Perftools__Profiles__ValueType *v = perftools__profiles__value_type__unpack(NULL, s->n, s->data);
	int rc;

	if (!v)
		return err_set(err, ERR_FORMAT, "byte %zu: not a ValueType", (size_t)(s->data - t->p.data));
	rc = proto_string(&t->p, (uint64_t)v->type, "type", &out->name, err);
	if (rc == 0)
		rc = proto_string(&t->p, (uint64_t)v->unit, "unit", &out->unit, err);
	perftools__profiles__value_type__free_unpacked(v, NULL);
	return rc;
}

static int read_types(struct tables *t, struct err *err)
{
	for (size_t i = 0; i < t->types.n; i++) {
		struct value_type v = { 0 };

		if (value_type(t, &t->types.span[i], &v, err) < 0)
			return err_wrap(err, "sample type %zu", i + 1);
		builder_type(t->p.builder, v.name, v.unit);
	}
	if (t->types.n == 0)
		return err_set(err, ERR_FORMAT, "no sample types, so its %" PRIu32 " samples mean nothing",
			       t->p.n_samples);
	return 0;
}

static int read_mapping(struct tables *t, size_t i, struct err *err)
{
	const struct span *s = &t->maps.span[i];
	Perftools__Profiles__Mapping *v = perftools__profiles__mapping__unpack(NULL, s->n, s->data);
	struct mapping m = { 0 };
	uint32_t place;
	int rc;

	if (!v)
		return err_set(err, ERR_FORMAT, "byte %zu: not a Mapping", (size_t)(s->data - t->p.data));
	m = (struct mapping){ .id = v->id,
			      .start = v->memory_start,
			      .limit = v->memory_limit,
			      .offset = v->file_offset,
			      .has_functions = v->has_functions,
			      .has_filenames = v->has_filenames,
			      .has_line_numbers = v->has_line_numbers,
			      .has_inline_frames = v->has_inline_frames };
	rc = proto_string(&t->p, (uint64_t)v->filename, "filename", &m.file, err);
	if (rc == 0)
		rc = proto_string(&t->p, (uint64_t)v->build_id, "build_id", &m.build_id, err);
	perftools__profiles__mapping__free_unpacked(v, NULL);
	t->map_id[i] = m.id;
	return rc == 0 ? builder_mapping(t->p.builder, &m, &place, err) : rc;
}

/* Like pprof, a profile without any mapping gets one that says nothing. */
static int fake_mapping(struct tables *t, struct err *err)
{
	struct mapping m = { .id = 1 };
	uint32_t place;

	return builder_mapping(t->p.builder, &m, &place, err);
}

static int ids_check(struct idmap *m, const uint64_t *id, size_t n, const char *what, struct err *err)
{
	uint64_t twice;

	if (idmap_init(m, id, n, &twice))
		return 0;
	if (twice == 0)
		return err_set(err, ERR_FORMAT, "a %s has the reserved id 0", what);
	return err_set(err, ERR_FORMAT, "two %ss have the id %" PRIu64, what, twice);
}

static int read_mappings(struct tables *t, struct err *err)
{
	t->map_id = mem_alloc(t->maps.n, sizeof(*t->map_id));
	for (size_t i = 0; i < t->maps.n; i++)
		if (read_mapping(t, i, err) < 0)
			return err_wrap(err, "mapping %zu", i + 1);
	if (t->maps.n == 0 && fake_mapping(t, err) < 0)
		return ERR_LIMIT;
	return ids_check(&t->map_ids, t->map_id, t->maps.n, "mapping", err);
}

static int read_function(struct tables *t, size_t i, struct err *err)
{
	struct cursor c = { t->funcs.span[i].data, t->funcs.span[i].data + t->funcs.span[i].n, NULL };
	uint64_t v[6] = { 0 };
	struct builder_function fn;
	struct field f = { 0 };
	uint32_t place;

	while (cursor_field(&c, &f))
		if (f.number >= 1 && f.number <= 5 && cursor_expect(&c, &f, WIRE_VARINT))
			v[f.number] = f.value;
		else if (c.wrong)
			break;
	if (c.wrong)
		return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c.at - t->p.data), c.wrong);
	fn.id = t->func_id[i] = v[1];
	fn.start = (int64_t)v[5];
	if (proto_string(&t->p, v[2], "name", &fn.name, err) < 0 ||
	    proto_string(&t->p, v[3], "system_name", &fn.sysname, err) < 0 ||
	    proto_string(&t->p, v[4], "filename", &fn.file, err) < 0)
		return ERR_FORMAT;
	return builder_function(t->p.builder, &fn, &place, err);
}

static int read_functions(struct tables *t, struct err *err)
{
	t->func_id = mem_alloc(t->funcs.n, sizeof(*t->func_id));
	for (size_t i = 0; i < t->funcs.n; i++)
		if (read_function(t, i, err) < 0)
			return err_wrap(err, "function %zu", i + 1);
	return ids_check(&t->func_ids, t->func_id, t->funcs.n, "function", err);
}

/* The lines of the location at hand; kept from one to the next. */
struct lines {
	struct builder_line *line;
	size_t n, cap;
};

static int read_line(struct tables *t, const struct field *span, struct lines *lines, struct err *err)
{
	struct cursor c = { span->data, span->data + span->n, NULL };
	uint64_t v[4] = { 0 };
	struct field f = { 0 };
	uint32_t func;

	while (cursor_field(&c, &f))
		if (f.number >= 1 && f.number <= 3 && cursor_expect(&c, &f, WIRE_VARINT))
			v[f.number] = f.value;
		else if (c.wrong)
			break;
	if (c.wrong)
		return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c.at - t->p.data), c.wrong);
	func = idmap_get(&t->func_ids, v[1]);
	if (func == IDMAP_NONE)
		return err_set(err, ERR_FORMAT, "function %" PRIu64 " does not exist", v[1]);
	if (reader_over(lines->n + 1, t->p.limits->max_depth))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " lines; --max-depth lifts this limit",
			       t->p.limits->max_depth);
	lines->line = mem_grow(lines->line, &lines->cap, lines->n + 1, sizeof(*lines->line));
	lines->line[lines->n++] = (struct builder_line){ func, (int64_t)v[2], (int64_t)v[3] };
	return 0;
}

static int read_location(struct tables *t, size_t i, struct lines *lines, struct err *err)
{
	struct cursor c = { t->locs.span[i].data, t->locs.span[i].data + t->locs.span[i].n, NULL };
	uint64_t v[6] = { 0 };
	struct builder_location loc;
	struct field f = { 0 };
	uint32_t place;

	lines->n = 0;
	while (cursor_field(&c, &f)) {
		if (f.number == 4 && cursor_expect(&c, &f, WIRE_BYTES)) {
			if (read_line(t, &f, lines, err) < 0)
				return err_wrap(err, "line %zu", lines->n + 1);
		} else if (f.number >= 1 && f.number <= 5 && cursor_expect(&c, &f, WIRE_VARINT)) {
			v[f.number] = f.value;
		}
		if (c.wrong)
			break;
	}
	if (c.wrong)
		return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c.at - t->p.data), c.wrong);
	t->loc_id[i] = v[1];
	loc = (struct builder_location){ .id = v[1], .addr = v[3], .folded = v[5] != 0 };
	loc.map = t->maps.n ? idmap_get(&t->map_ids, v[2]) : 0;
	return builder_location(t->p.builder, &loc, lines->line, lines->n, &place, err);
}

static int read_locations(struct tables *t, struct err *err)
{
	struct lines lines = { 0 };
	int rc = 0;

	t->loc_id = mem_alloc(t->locs.n, sizeof(*t->loc_id));
	for (size_t i = 0; rc == 0 && i < t->locs.n; i++) {
		rc = read_location(t, i, &lines, err);
		if (rc < 0)
			err_wrap(err, "location %zu", i + 1);
	}
	free(lines.line);
	return rc == 0 ? ids_check(&t->p.locs, t->loc_id, t->locs.n, "location", err) : rc;
}

static int read_header(struct tables *t, struct err *err)
{
	const struct proto *p = &t->p;
	const struct header *h = &t->head;
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
	if (t->period_type.data && value_type(t, &t->period_type, &m->period_type, err) < 0)
		return err_wrap(err, "period type");
	return 0;
}

static int read_all(struct tables *t, struct err *err)
{
	int rc = proto_walk(t, err);

	if (rc < 0)
		return rc;
	if (t->p.n_str == 0) { /* then only index 0 can be meant, and only for "" */
		t->p.str = mem_grow(t->p.str, &t->p.cap_str, 1, sizeof(*t->p.str));
		t->p.str[0] = 0;
		t->p.n_str = 1;
	}
	if ((rc = read_types(t, err)) < 0 || (rc = read_mappings(t, err)) < 0 || (rc = read_functions(t, err)) < 0 ||
	    (rc = read_locations(t, err)) < 0 || (rc = read_header(t, err)) < 0)
		return rc;
	return proto_samples(&t->p, err);
}

int reader_proto(const uint8_t *data, size_t n, const struct reader_limits *limits, struct profile **out,
		 struct err *err)
{
	struct tables t = { .p = { .data = data, .end = data + n, .limits = limits, .builder = builder_new() } };
	int rc = read_all(&t, err);

	if (rc == 0)
		*out = builder_seal(t.p.builder);
	if (rc == 0 && t.texts.n)
		profile_texts_put(&t.texts, *out);
	profile_texts_release(&t.texts);
	builder_free(t.p.builder);
	idmap_release(&t.p.locs);
	idmap_release(&t.map_ids);
	idmap_release(&t.func_ids);
	free(t.p.str);
	free(t.p.block);
	free(t.types.span);
	free(t.maps.span);
	free(t.locs.span);
	free(t.funcs.span);
	free(t.head.comment);
	free(t.map_id);
	free(t.loc_id);
	free(t.func_id);
	return rc;
}
