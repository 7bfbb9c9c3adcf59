/*
 * write.c - a snap as profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Texts get their numbers when they are first named, and are written last, as are functions. Fields are
 * those of proto/profile.proto. Only locations that rows have are written, numbered in the order of
 * their table.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/gzip.h"
#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/remarks.h"
#include "libcpaprof/collector/strings.h"
#include "libcpaprof/collector/write.h"

#include "wire/wire.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_DROP_FRAMES,
	PROFILE_TIME = 9,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_SAMPLE_TYPE
};
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING, LABEL_NUMBER };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };
enum { BUFFER = 64 << 10, INLINED_MOST = 64 };

struct value_type {
	const char *type, *unit; /* NULL: the name of the profile */
};

/*
 * What stands between malloc and the container or function that wants memory, in libstdc++ and libc++. None of it calls
 * what is the program's own, but for allocators that it gave to a container.
 */
#define ALLOCATION                                                                                                     \
	"operator new(\\[\\])?"                                                                                        \
	"|(std::__|__gnu_cxx::)new_allocator(<.*>)?::allocate"                                                         \
	"|std::(__1::)?allocator(_traits)?(<.*>)?::allocate(_at_least)?(\\[abi:.*\\])?"                                \
	"|std::__1::__(libcpp_allocate|allocate_at_least)(<.*>)?(\\[abi:.*\\])?"                                       \
	"|std::__allocate_guarded(<.*>)?"                                                                              \
	"|std::(.*::)?_M_(allocate|allocate_buckets|allocate_map|get_node)"

static const struct {
	struct value_type value[SNAP_VALUES], period;
	const char *preset;
	const char *drop; /* frames of functions that this matches go, with what they call, when names are known */
} types[N_SNAP_KINDS] = {
	[SNAP_CPU] = { { { "samples", "count" }, { "cpu", "nanoseconds" } }, { "cpu", "nanoseconds" }, NULL, NULL },
	[SNAP_HEAP] = { { { "alloc_objects", "count" },
			  { "alloc_space", "bytes" },
			  { "inuse_objects", "count" },
			  { "inuse_space", "bytes" } },
			{ "space", "bytes" },
			NULL,
			ALLOCATION },
	[SNAP_ALLOCS] = { { { "alloc_objects", "count" },
			    { "alloc_space", "bytes" },
			    { "inuse_objects", "count" },
			    { "inuse_space", "bytes" } },
			  { "space", "bytes" },
			  "alloc_space",
			  ALLOCATION },
	[SNAP_THREADS] = { { { NULL, "count" } }, { NULL, "count" }, NULL, NULL },
	[SNAP_BLOCK] = { { { "contentions", "count" }, { "delay", "nanoseconds" } },
			 { "contentions", "count" },
			 NULL,
			 NULL },
	[SNAP_MUTEX] = { { { "contentions", "count" }, { "delay", "nanoseconds" } },
			 { "contentions", "count" },
			 NULL,
			 NULL },
	[SNAP_CREATE] = { { { NULL, "count" } }, { NULL, "count" }, NULL, NULL },
	[SNAP_CUSTOM] = { { { NULL, "count" } }, { NULL, "count" }, NULL, NULL },
};

struct writing {
	const struct snap *s;
	snap_names_fn *names;
	void *names_arg;
	struct wire w;
	struct strings strings;
	struct strings functions; /* of two uint32_t: numbers of name and file */
	uint32_t *id;             /* [locations] of the table: as written; 0: not */
	size_t n_values;
	uint32_t empty; /* the text of labels without a value; 0: none yet */
	struct remarks remarks;
	uint8_t buffer[BUFFER];
};

static uint32_t put(struct writing *x, const char *s)
{
	return strings_put(&x->strings, s);
}

static void value_type(struct writing *x, uint32_t field, const struct value_type *t)
{
	size_t mark = wire_open(&x->w, field);

	wire_set(&x->w, 1, put(x, t->type ? t->type : x->s->name));
	wire_set(&x->w, 2, put(x, t->unit));
	wire_close(&x->w, mark);
}

/* Number the locations that rows have. */
static void number(struct writing *x)
{
	const struct stack_table *t = &x->s->p->table;
	const struct snap_row *row = x->s->row.data;
	const uint32_t *frames = t->frames.data;
	uint32_t n = 0;

	for (size_t i = 0; i < x->s->row.n; i++)
		for (uint32_t k = 0; k < row[i].n; k++)
			x->id[frames[row[i].at + k]] = 1;
	for (size_t i = 0; i < t->loc.n; i++)
		if (x->id[i])
			x->id[i] = ++n;
}

/* Readers take a label whose text is number 0 for none: an empty value needs a number of its own. */
static int write_label(void *arg, const char *key, size_t n_key, const char *value, size_t n_value)
{
	struct writing *x = arg;
	size_t mark = wire_open(&x->w, SAMPLE_LABEL);

	if (n_value == 0 && !x->empty)
		x->empty = strings_add_empty(&x->strings);
	wire_set(&x->w, LABEL_KEY, strings_add(&x->strings, key, n_key));
	wire_set(&x->w, LABEL_STRING, n_value ? strings_add(&x->strings, value, n_value) : x->empty);
	wire_close(&x->w, mark);
	return 0;
}

static void write_sample(struct writing *x, const struct snap_row *r)
{
	const uint32_t *frames = (const uint32_t *)x->s->p->table.frames.data + r->at;
	size_t message = wire_open(&x->w, PROFILE_SAMPLE), mark = wire_open(&x->w, SAMPLE_LOCATION);

	for (uint32_t k = 0; k < r->n; k++)
		wire_varint(&x->w, x->id[frames[k]]);
	wire_close(&x->w, mark);
	mark = wire_open(&x->w, SAMPLE_VALUE);
	for (size_t i = 0; i < x->n_values; i++)
		wire_varint(&x->w, (uint64_t)r->value[i]);
	wire_close(&x->w, mark);
	if (r->label)
		collect_labels(x->s->p->c, r->label, write_label, x);
	if (r->size) {
		mark = wire_open(&x->w, SAMPLE_LABEL);
		wire_set(&x->w, LABEL_KEY, put(x, "bytes"));
		wire_set(&x->w, LABEL_NUMBER, r->size);
		wire_close(&x->w, mark);
	}
	wire_close(&x->w, message);
}

static void write_samples(struct writing *x)
{
	struct snap_row sum;

	for (size_t i = 0; snap_next_stack(x->s, &i, &sum);) {
		bool any = false;

		for (size_t k = 0; k < x->n_values; k++)
			any |= sum.value[k] != 0;
		if (any)
			write_sample(x, &sum);
	}
}

static void write_line(struct writing *x, const char *function, const char *file, uint64_t line)
{
	uint32_t pair[2] = { put(x, function), put(x, file) };
	uint32_t id = strings_add(&x->functions, (const char *)pair, sizeof(pair));
	size_t mark;

	if (!id)
		return;
	mark = wire_open(&x->w, LOCATION_LINE);
	wire_set(&x->w, LINE_FUNCTION, id);
	wire_set(&x->w, LINE_LINE, line);
	wire_close(&x->w, mark);
}

static void write_names(struct writing *x, const struct table_loc *loc)
{
	struct snap_name name;

	for (uint32_t i = 0; i < INLINED_MOST && x->names(x->names_arg, x->s->p, loc->addr, loc->map, i, &name); i++)
		write_line(x, name.function, name.file, name.line);
}

static void write_locations(struct writing *x)
{
	const struct table_loc *loc = x->s->p->table.loc.data;

	for (size_t i = 0; i < x->s->p->table.loc.n; i++) {
		size_t mark;

		if (!x->id[i])
			continue;
		mark = wire_open(&x->w, PROFILE_LOCATION);
		wire_set(&x->w, LOCATION_ID, x->id[i]);
		wire_set(&x->w, LOCATION_MAPPING, loc[i].map);
		wire_set(&x->w, LOCATION_ADDRESS, loc[i].addr);
		if (i < N_PLACES)
			write_line(x, table_place_name[i], NULL, 0);
		else if (x->names)
			write_names(x, &loc[i]);
		wire_close(&x->w, mark);
	}
}

static void write_functions(struct writing *x)
{
	for (uint32_t i = 1; i < x->functions.string.n; i++) {
		uint32_t pair[2];
		size_t n, mark = wire_open(&x->w, PROFILE_FUNCTION);

		memcpy(pair, strings_get(&x->functions, i, &n), sizeof(pair));
		wire_set(&x->w, FUNCTION_ID, i);
		wire_set(&x->w, FUNCTION_NAME, pair[0]);
		wire_set(&x->w, FUNCTION_SYSTEM_NAME, pair[0]);
		wire_set(&x->w, FUNCTION_FILE, pair[1]);
		wire_close(&x->w, mark);
	}
}

/* All that is mapped; the program comes first. Names are hints: none says that it has them. */
static void write_mappings(struct writing *x)
{
	const struct maps *maps = &x->s->p->maps;
	const struct map *m = maps->map.data;
	const char *texts = maps->texts.data;

	for (size_t i = 0; i < maps->map.n; i++, m++) {
		size_t mark = wire_open(&x->w, PROFILE_MAPPING);

		wire_set(&x->w, 1, i + 1);
		wire_set(&x->w, 2, m->start);
		wire_set(&x->w, 3, m->limit);
		wire_set(&x->w, 4, m->offset);
		wire_set(&x->w, 5, strings_add(&x->strings, texts + m->path, m->n_path));
		wire_set(&x->w, 6, strings_add(&x->strings, texts + m->id, m->n_id));
		wire_close(&x->w, mark);
	}
}

/* When, and how long: one moment has no length; of a difference the end counts, as of Go's. */
static void write_times(struct writing *x)
{
	const struct snap *s = x->s;

	wire_set(&x->w, PROFILE_TIME, s->delta && s->kind != SNAP_CPU ? s->end_ns : s->start_ns);
	wire_set(&x->w, PROFILE_DURATION, s->end_ns > s->start_ns ? s->end_ns - s->start_ns : 0);
	value_type(x, PROFILE_PERIOD_TYPE, &types[s->kind].period);
	wire_set(&x->w, PROFILE_PERIOD, s->period);
}

static void write_all(struct writing *x)
{
	const struct snap *s = x->s;

	for (; x->n_values < SNAP_VALUES && types[s->kind].value[x->n_values].unit; x->n_values++)
		value_type(x, PROFILE_SAMPLE_TYPE, &types[s->kind].value[x->n_values]);
	number(x);
	write_samples(x);
	write_locations(x);
	write_functions(x);
	write_mappings(x);
	write_times(x);
	remarks_make(&x->remarks, s);
	for (uint32_t i = 0; i < x->remarks.n; i++)
		wire_number(&x->w, PROFILE_COMMENT, put(x, x->remarks.text[i]));
	if (types[s->kind].drop)
		wire_set(&x->w, PROFILE_DROP_FRAMES, put(x, types[s->kind].drop));
	if (types[s->kind].preset)
		wire_set(&x->w, PROFILE_DEFAULT_SAMPLE_TYPE, put(x, types[s->kind].preset));
	for (uint32_t i = 0; i < x->strings.string.n; i++) {
		size_t n;
		const char *text = strings_get(&x->strings, i, &n);

		wire_bytes(&x->w, PROFILE_STRING, text, n);
	}
}

static int write_packed(struct writing *x, snap_sink_fn *sink, void *arg)
{
	struct gzip *gzip = gzip_open(sink, arg);
	bool whole;
	int rc;

	if (!gzip)
		return -ENOMEM;
	wire_begin(&x->w, x->buffer, sizeof(x->buffer), gzip_sink, gzip);
	write_all(x);
	whole = wire_end(&x->w);
	rc = gzip_close(gzip);
	return rc ? rc : whole ? 0 : -EIO;
}

int snap_write_proto(const struct snap *s, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg)
{
	size_t n_id = (s->p->table.loc.n + 1) * sizeof(uint32_t);
	struct writing *x = memory_map(sizeof(*x));
	int rc = -ENOMEM;

	if (!x)
		return rc;
	x->s = s;
	x->names = names;
	x->names_arg = names_arg;
	x->id = memory_map(n_id);
	if (x->id)
		rc = write_packed(x, sink, arg);
	strings_release(&x->strings);
	strings_release(&x->functions);
	memory_unmap(x->id, n_id);
	memory_unmap(x, sizeof(*x));
	return rc;
}

int snap_write(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg)
{
	if (debug == 0)
		return snap_write_proto(s, names, names_arg, sink, arg);
	/* CPU profiles have no text */
	return s->kind == SNAP_CPU ? -EINVAL : snap_write_text(s, debug, names, names_arg, sink, arg);
}

static int write_file(void *arg, const void *data, size_t n)
{
	int fd = *(const int *)arg;

	while (n) {
		ssize_t done = write(fd, data, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			data = (const uint8_t *)data + done;
			n -= (size_t)done;
		}
	}
	return 0;
}

int process_write(struct process *p, int fd)
{
	struct snap *s;
	int rc = snap_take(p, SNAP_CPU, 0, &s);

	if (rc < 0)
		return rc;
	rc = snap_write(s, 0, NULL, NULL, write_file, &fd);
	snap_free(s);
	return rc;
}
