/*
 * snap.c - the profile of a snap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/snap.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "libcpaprof/collector/process.h"
#include "libcpaprof/collector/write/write.h"
#include "profile/builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct snap_build {
	struct builder *builder;
	struct strtab *str;
	uint32_t n_maps, no_map;       /* no_map: the mapping of locations without one, or PROFILE_NONE */
	struct builder_function *func; /* [n_funcs] */
	size_t n_funcs, cap_funcs;
	struct idtab func_ids;
	/* the sample that is being added */
	const uint32_t *loc; /* [n_locs] */
	const int64_t *value;
	size_t n_locs;
	uint32_t *label; /* [n_labels] */
	size_t n_labels, cap_labels;
	/* the location that is being added */
	struct builder_location location;
	struct builder_line *line; /* [n_lines] */
	size_t n_lines, cap_lines;
	int rc; /* the first error; nothing is added after it */
	struct err *err;
};

static str_id snap_build_string(struct snap_build *x, const char *text)
{
	return text ? strtab_addz(x->str, text) : 0;
}

static void snap_build_type(void *build, const char *name, const char *unit)
{
	struct snap_build *x = build;
	str_id id = snap_build_string(x, name);

	builder_type(x->builder, id, snap_build_string(x, unit));
}

static void snap_build_sample(void *build, const uint32_t *loc, size_t n, const int64_t *value, size_t n_values)
{
	struct snap_build *x = build;

	assert(n_values == builder_n_types(x->builder));
	(void)n_values;
	x->loc = loc;
	x->n_locs = n;
	x->value = value;
	x->n_labels = 0;
}

static void snap_build_add_label(struct snap_build *x, const struct builder_label *l)
{
	x->label = mem_grow(x->label, &x->cap_labels, x->n_labels + 1, sizeof(*x->label));
	if (x->rc == 0)
		x->rc = builder_label(x->builder, l, &x->label[x->n_labels++], x->err);
}

static void snap_build_label(void *build, const char *key, size_t n_key, const char *value, size_t n_value)
{
	struct snap_build *x = build;
	struct builder_label l = { .key = strtab_add(x->str, key, n_key), .is_text = true };

	l.text = strtab_add(x->str, value, n_value);
	snap_build_add_label(x, &l);
}

static void snap_build_number(void *build, const char *key, uint64_t value)
{
	struct snap_build *x = build;

	snap_build_add_label(x, &(struct builder_label){ .key = snap_build_string(x, key), .num = (int64_t)value });
}

static void snap_build_sample_end(void *build)
{
	struct snap_build *x = build;

	if (x->rc == 0)
		x->rc = builder_sample(x->builder, x->value, x->loc, x->n_locs, x->label, x->n_labels, x->err);
}

static void snap_build_location(void *build, uint64_t addr, uint32_t map)
{
	struct snap_build *x = build;

	x->location.id++;
	x->location.addr = addr;
	x->location.map = map && map <= x->n_maps ? map - 1 : x->no_map;
	x->n_lines = 0;
}

/* The id of a function, which is added if it is new. Verbatim names have no system name, which readers demangle. */
static uint32_t snap_build_function(struct snap_build *x, const struct snap_name *name)
{
	str_id text = snap_build_string(x, name->function);
	struct builder_function f = { .id = x->n_funcs + 1, .name = text, .sysname = name->is_verbatim ? 0 : text };
	uint32_t key[3] = { f.name, f.sysname }, id = 0;
	uint64_t hash;

	f.file = key[2] = snap_build_string(x, name->file);
	hash = hash_bytes(key, sizeof(key));
	for (size_t pos = idtab_start(&x->func_ids, hash); idtab_next(&x->func_ids, hash, &pos, &id);)
		if (x->func[id].name == f.name && x->func[id].sysname == f.sysname && x->func[id].file == f.file)
			return id;
	x->func = mem_grow(x->func, &x->cap_funcs, x->n_funcs + 1, sizeof(*x->func));
	x->func[x->n_funcs++] = f;
	x->rc = builder_function(x->builder, &f, &id, x->err);
	idtab_put(&x->func_ids, hash, id);
	return id;
}

static void snap_build_line(void *build, const struct snap_name *name)
{
	struct snap_build *x = build;

	if (x->rc < 0)
		return;
	x->line = mem_grow(x->line, &x->cap_lines, x->n_lines + 1, sizeof(*x->line));
	x->line[x->n_lines++] =
		(struct builder_line){ .func = snap_build_function(x, name), .no = (int64_t)name->line };
}

static void snap_build_location_end(void *build)
{
	struct snap_build *x = build;
	uint32_t id;

	if (x->rc == 0)
		x->rc = builder_location(x->builder, &x->location, x->line, x->n_lines, &id, x->err);
}

static void snap_build_mapping(void *build, const struct map *m, const char *path, const char *id)
{
	struct snap_build *x = build;
	struct mapping to = { .id = ++x->n_maps, .start = m->start, .limit = m->limit, .offset = m->offset };
	uint32_t number;

	to.file = strtab_add(x->str, path, m->n_path);
	to.build_id = strtab_add(x->str, id, m->n_id);
	if (x->rc == 0)
		x->rc = builder_mapping(x->builder, &to, &number, x->err);
}

static void snap_build_header(void *build, const struct snap_header *h)
{
	struct snap_build *x = build;
	struct profile_meta *m = builder_meta(x->builder);

	m->time_ns = (int64_t)h->time_ns;
	m->duration_ns = (int64_t)h->duration_ns;
	m->period = (int64_t)h->period;
	m->has_period_type = true;
	m->period_type.name = snap_build_string(x, h->period_type.type);
	m->period_type.unit = snap_build_string(x, h->period_type.unit);
	m->drop_frames = snap_build_string(x, h->drop_frames);
	m->default_type = snap_build_string(x, h->default_type);
}

static void snap_build_comment(void *build, const char *text)
{
	struct snap_build *x = build;

	builder_comment(x->builder, snap_build_string(x, text));
}

int attach_snap_profile(const struct snap *s, snap_names_fn *names, void *names_arg, struct profile **out,
			struct err *err)
{
	static const struct snap_parts parts = { .type = snap_build_type,
						 .header = snap_build_header,
						 .comment = snap_build_comment,
						 .mapping = snap_build_mapping,
						 .location = snap_build_location,
						 .line = snap_build_line,
						 .location_end = snap_build_location_end,
						 .sample = snap_build_sample,
						 .label = snap_build_label,
						 .number = snap_build_number,
						 .sample_end = snap_build_sample_end };
	struct snap_build x = { .builder = builder_new(), .no_map = PROFILE_NONE, .err = err };
	int rc;

	x.str = builder_strings(x.builder);
	idtab_init(&x.func_ids, 16);
	if (s->p->maps.map.n == 0) /* as in pprof, a profile without mappings gets an empty one */
		x.rc = builder_mapping(x.builder, &(struct mapping){ .id = 1 }, &x.no_map, err);
	rc = write_snap_parts(s, names, names_arg, &parts, &x);
	if (rc < 0)
		x.rc = err_set(err, ERR_IO, "%s", strerror(-rc));
	if (x.rc == 0)
		*out = builder_seal(x.builder);
	builder_free(x.builder);
	idtab_release(&x.func_ids);
	free(x.func);
	free(x.label);
	free(x.line);
	return x.rc;
}
