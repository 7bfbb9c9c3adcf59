/*
 * speedscope.c - a profile for speedscope.app
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There is one "sampled" profile per sample type, each with a sample per distinct stack. Frame numbers are formatted
 * once for all of them. Stacks are nearly all of the file and are written directly; the rest uses base/jsonw.h.
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/unit.h"
#include "engine/places.h"
#include "engine/query.h"

#include <stdlib.h>
#include <string.h>

struct speedscope_writer {
	const struct view *v;
	const struct query *q;
	struct places pl;
	struct id_text *id; /* [places] */
	int64_t *weight;    /* [stacks] weights of the current sample type, times the ratio */
	uint32_t *frame;    /* memory for the deepest stack */
	size_t max_depth;
	struct json j;
};

enum { ID_BYTES = 16 };

/* The number of a frame and a comma, as text, and its length. */
struct id_text {
	char text[ID_BYTES - 1];
	uint8_t len;
};

/* The unit for speedscope; "none" for units that it does not support. */
static const char *unit_name(const char *unit)
{
	static const struct {
		const char *family_unit, *name;
		double factor;
	} known[] = { { "ns", "nanoseconds", 1 },
		      { "ns", "microseconds", 1e3 },
		      { "ns", "milliseconds", 1e6 },
		      { "ns", "seconds", 1e9 },
		      { "bytes", "bytes", 1 } };
	double factor = 0;
	const struct unit_family *family = unit_find(unit, &factor);

	for (size_t i = 0; family && i < sizeof(known) / sizeof(known[0]); i++)
		if (unit_find(known[i].family_unit, NULL) == family && known[i].factor == factor)
			return known[i].name;
	return "none";
}

static void speedscope_add_file(struct json *j, const char *file, int64_t line, int64_t col)
{
	if (!*file)
		return;
	jsonw_add_text(j, "file", file);
	if (line > 0) {
		jsonw_add_int(j, "line", line);
	}
	if (line > 0 && col > 0) {
		jsonw_add_int(j, "col", col);
	}
}

/* Append a frame. The name has no file and line, since they have their own fields. */
static void speedscope_add_frame(struct speedscope_writer *s, uint32_t place, const uint32_t *func,
				 struct export_frame *f)
{
	export_frame_set(f, &s->pl, place, func, s->q);
	jsonw_open(&s->j, '{');
	s->j.is_one_line = true; /* one line per frame */
	jsonw_key(&s->j, "name");
	jsonw_text(&s->j, f->name.data, f->name.len);
	speedscope_add_file(&s->j, buf_text(&f->file), f->line, f->col);
	jsonw_close(&s->j, '}');
	s->j.is_one_line = false;
}

static void speedscope_add_frames(struct speedscope_writer *s)
{
	uint32_t *func = export_function_files(s->v->p);
	struct export_frame frame = { .line = 0 };

	jsonw_open_key(&s->j, "shared", '{');
	jsonw_open_key(&s->j, "frames", '[');
	for (uint32_t i = 0; i < s->pl.n; i++)
		speedscope_add_frame(s, i, func, &frame);
	jsonw_close(&s->j, ']');
	jsonw_close(&s->j, '}');
	export_frame_release(&frame);
	free(func);
}

static void speedscope_add_stack(struct speedscope_writer *s, uint32_t stack)
{
	struct buf *out = s->j.out;
	char *at = buf_room(out, (s->max_depth + 1) * ID_BYTES), *first = at;
	const uint32_t *end = export_stacks_copy(&s->pl, stack, s->q->inverted, s->frame);

	*at++ = '[';
	for (const uint32_t *frame = s->frame; frame < end; frame++) {
		memcpy(at, &s->id[*frame], ID_BYTES); /* a copy of constant length is one instruction */
		at += s->id[*frame].len;
	}
	at -= at > first + 1; /* drop the last comma */
	*at++ = ']';
	*at++ = ',';
	*at++ = '\n';
	out->len = (size_t)(at - out->data);
}

/* Remove the comma and line end after the last item of a list, and close it. */
static void end_list(struct buf *out)
{
	if (out->data[out->len - 1] == '\n' && out->data[out->len - 2] == ',')
		out->len -= 2;
	buf_addz(out, "]");
}

static void speedscope_add_stacks(struct speedscope_writer *s)
{
	jsonw_key(&s->j, "samples");
	jsonw_raw(&s->j, "[", 1);
	for (uint32_t i = 0; i < s->v->p->stacks.n && !stop_step(s->v->stop, i); i++)
		if (s->weight[i])
			speedscope_add_stack(s, i);
	end_list(s->j.out);
}

static void speedscope_add_weights(struct speedscope_writer *s)
{
	struct buf *out = s->j.out;

	jsonw_key(&s->j, "weights");
	jsonw_raw(&s->j, "[", 1);
	for (uint32_t i = 0; i < s->v->p->stacks.n; i++) {
		char *at;

		if (!s->weight[i])
			continue;
		at = num_put(buf_room(out, NUM_DIGITS + 2), s->weight[i]);
		*at++ = ',';
		*at++ = '\n';
		out->len = (size_t)(at - out->data);
	}
	end_list(out);
}

/* Append the name of a sample type: "cpu", or with a unit that speedscope does not support "space (pages)". */
static void add_type_name(struct json *j, const struct profile *p, const struct value_type *t)
{
	const char *unit = profile_text(p, t->unit);
	struct buf name = { 0 };

	buf_add(&name, strtab_text(p->str, t->name), strtab_len(p->str, t->name));
	if (*unit && strcmp(unit_name(unit), "none") == 0)
		buf_addf(&name, " (%s)", unit);
	jsonw_key(j, "name");
	jsonw_text(j, buf_text(&name), name.len);
	buf_release(&name);
}

static int speedscope_add_profile(struct speedscope_writer *s, uint32_t type, struct err *err)
{
	const struct profile *p = s->v->p;
	int64_t sum;
	int rc = export_stacks_sum(s->v, s->q, type, "speedscope", s->weight, &sum, err);

	if (rc < 0)
		return rc;
	jsonw_open(&s->j, '{');
	jsonw_add_text(&s->j, "type", "sampled");
	add_type_name(&s->j, p, &p->type[type]);
	jsonw_add_text(&s->j, "unit", unit_name(profile_text(p, p->type[type].unit)));
	jsonw_add_int(&s->j, "startValue", 0);
	jsonw_add_int(&s->j, "endValue", sum);
	speedscope_add_stacks(s);
	speedscope_add_weights(s);
	jsonw_close(&s->j, '}');
	return 0;
}

static void speedscope_add_title(struct json *j, const struct profile *p)
{
	struct buf name = { 0 };

	if (p->n_maps)
		path_add_base(&name, profile_text(p, p->map[0].file));
	jsonw_add_text(j, "name", name.len ? name.data : "profile");
	buf_release(&name);
}

static int speedscope_add_all(struct speedscope_writer *s, struct err *err)
{
	const struct profile *p = s->v->p;
	int rc = 0;

	jsonw_open(&s->j, '{');
	jsonw_add_text(&s->j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	jsonw_add_text(&s->j, "exporter", "cpa");
	speedscope_add_title(&s->j, p);
	jsonw_add_int(&s->j, "activeProfileIndex", s->v->type);
	speedscope_add_frames(s);
	jsonw_open_key(&s->j, "profiles", '[');
	for (uint32_t t = 0; rc == 0 && t < p->n_types; t++)
		rc = speedscope_add_profile(s, t, err);
	jsonw_close(&s->j, ']');
	jsonw_close(&s->j, '}');
	buf_addz(s->j.out, "\n");
	return rc;
}

/* Allocate the arrays, format the frame numbers, and check the size of the output. */
static int speedscope_prepare(struct speedscope_writer *s, struct arena *mem, struct err *err)
{
	enum { ID_DIGITS = 10 };
	const struct profile *p = s->v->p;
	uint64_t bytes = 0;

	s->id = arena_alloc(mem, s->pl.n, sizeof(*s->id));
	s->weight = arena_alloc(mem, p->stacks.n, sizeof(*s->weight));
	for (uint32_t i = 0; i < s->pl.n; i++) {
		char *end = num_put(s->id[i].text, i);

		*end++ = ',';
		s->id[i].len = (uint8_t)(end - s->id[i].text);
	}
	for (uint32_t i = 0; i < p->stacks.n; i++) {
		size_t depth = export_stacks_depth(&s->pl, i);

		s->max_depth = depth > s->max_depth ? depth : s->max_depth;
		bytes += (uint64_t)depth * ID_DIGITS * p->n_types;
	}
	s->frame = arena_alloc(mem, s->max_depth, sizeof(*s->frame));
	return export_stacks_check_bytes(bytes, err);
}

int export_speedscope(const struct view *v, const struct query *q, struct buf *out, struct err *err)
{
	struct speedscope_writer s = { .v = v, .q = q, .j = { .out = out } };
	struct arena *mem = arena_new();
	int rc = places_make(v->p, &q->filter, mem, &s.pl, err);

	if (rc == 0) {
		rc = speedscope_prepare(&s, mem, err);
		if (rc == 0)
			rc = speedscope_add_all(&s, err);
		if (rc == 0)
			rc = stop_check(q->stop, err);
		places_release(&s.pl);
	}
	arena_free(mem);
	return rc;
}
