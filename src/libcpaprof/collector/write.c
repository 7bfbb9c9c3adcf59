/*
 * write.c - write profile.proto: a snap with remarks on how it was made, or addresses alone
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Texts get their numbers when they are first named, and are written last, as are functions. Fields are
 * those of proto/profile.proto. Only locations that rows have are written, numbered in the order of
 * their table.
 */
#include "config.h"

#include "libcpaprof/collector/write.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/gzip.h"
#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/collector/strings.h"

#include "wire/wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REMARKS_MAX = 12, REMARK_LEN = 160 };

struct remarks {
	char text[REMARKS_MAX][REMARK_LEN];
	uint32_t n;
};

__attribute__((format(printf, 2, 3))) static void remark(struct remarks *r, const char *fmt, ...)
{
	va_list args;

	if (r->n == REMARKS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(r->text[r->n++], REMARK_LEN, fmt, args);
	va_end(args);
}

static void remark_stacks(struct remarks *r, const struct snap_cpu *c)
{
	static const char *const why[N_CUTS] = { "whole",
						 "cut at the limit",
						 "no call frame information",
						 "bad call frame information",
						 "a register unknown",
						 "a bad stack pointer",
						 "outside the stack",
						 "too many steps" };
	uint64_t n = 0;

	for (int i = 0; i < N_CUTS; i++)
		n += c->cut[i];
	for (int i = 0; i < N_CUTS && n; i++)
		if (c->cut[i] && r->n < REMARKS_MAX - 3)
			remark(r, "stacks, %s: %llu of %llu (%.2f%%)", why[i], (unsigned long long)c->cut[i],
			       (unsigned long long)n, 100.0 * (double)c->cut[i] / (double)n);
}

static void remark_cpu(struct remarks *r, const struct snap *s)
{
	const struct process *p = s->p;
	const struct snap_cpu *c = &s->cpu;
	unsigned hz =
		(unsigned)((1000000000 + s->period / 2) / s->period); /* that of the recording, if there are some */
	double seconds = (double)c->weight / hz;

	remark(r, "cpa %s: pid %d, %s", PACKAGE_VERSION, (int)p->pid,
	       p->engine & ENGINE_NONE                                    ? "some threads have no timer"
	       : p->engine & ENGINE_PERF && p->engine & ENGINE_THREADS    ? "events and timers of threads"
	       : p->engine & ENGINE_PERF                                  ? "events of threads"
	       : p->engine & ENGINE_PROCESS && p->engine & ENGINE_THREADS ? "timers of threads and of the process"
	       : p->engine & ENGINE_PROCESS                               ? "timer of the process"
									  : "timers of threads");
	remark(r, "%u Hz asked, %.1f stacks per second of CPU time; samples weigh by the periods they stand for", hz,
	       seconds > 0 ? (double)c->n_samples / seconds : 0.0);
	if (p->error)
		remark(r, "timers: %s", strerrordesc_np((int)p->error));
	if (p->moved)
		remark(r, "the program took our signal %u times; it is %d now", p->moved, collect_signal(p));
	if (p->perf_error)
		remark(r, "no events: %s", strerrordesc_np((int)p->perf_error));
	if (c->lost)
		remark(r, "lost: %llu periods in %s", (unsigned long long)c->lost, table_place_name[PLACE_LOST]);
	if (c->adopted)
		remark(r, "of them before threads were found at work: %llu", (unsigned long long)c->adopted);
	if (c->unsampled)
		remark(r, "used before threads had timers, or never sampled: %llu periods in %s",
		       (unsigned long long)c->unsampled, table_place_name[PLACE_UNSAMPLED]);
	if (c->blocked)
		remark(r, "signal blocked: %llu periods", (unsigned long long)c->blocked);
	if (c->orphans)
		remark(r, "signals in threads that nobody knew: %llu", (unsigned long long)c->orphans);
	if (c->bad)
		remark(r, "rings that made no sense: %llu", (unsigned long long)c->bad);
	remark_stacks(r, c);
}

/* Why there is no more in a heap. */
static void remark_heap(struct remarks *r, const struct snap *s)
{
	static const struct {
		uint32_t bit;
		const char *why;
	} all[] = {
		{ HEAP_FOREIGN, "the program, or a library in front of ours, has its own malloc" },
		{ HEAP_SANITIZER, "malloc is a sanitizer's" },
		{ HEAP_DEEPBIND, "an object was loaded with RTLD_DEEPBIND, which calls malloc past us" },
		{ HEAP_NO_TABLES, "no tables were left for this process" },
	};
	uint32_t bits = atomic_load_explicit(&collect_slot(s->p->c, collect_slot_of(s->p))->heap, memory_order_relaxed);

	if (s->period > 1)
		remark(r, "heap: one sample every %llu bytes on average; they weigh by what they stand for",
		       (unsigned long long)s->period);
	if (s->row.n == 0 && atomic_load_explicit(&s->p->c->head->heap_rate, memory_order_relaxed) == 0)
		remark(r, "heap: it is not measured; cpa_heap_set_rate() or CPA_HEAP_RATE begin it");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (bits & all[i].bit)
			remark(r, "heap: not all of it, for %s", all[i].why);
}

/* What found no room for its stack. */
static void remark_full(struct remarks *r, const struct snap *s)
{
	const uint32_t *frames = s->p->table.frames.data;
	const struct snap_row *row = s->row.data;

	for (size_t i = 0; i < s->row.n; i++)
		if (row[i].n == 1 && frames[row[i].at] == PLACE_FULL)
			remark(r, "no room for more stacks: %lld in %s", (long long)row[i].value[0],
			       table_place_name[PLACE_FULL]);
}

/* The comments of a profile. r begins as zeros. */
static void remarks_make(struct remarks *r, const struct snap *s)
{
	if (s->kind == SNAP_CPU) {
		remark_cpu(r, s);
		return;
	}
	remark(r, "cpa %s: pid %d", PACKAGE_VERSION, (int)s->p->pid);
	if (s->kind == SNAP_HEAP || s->kind == SNAP_ALLOCS)
		remark_heap(r, s);
	remark_full(r, s);
}

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
enum { BUFFER = 64 << 10, INLINED_MAX = 64 };

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

	for (uint32_t i = 0; i < INLINED_MAX && x->names(x->names_arg, x->s->p, loc->addr, loc->map, i, &name); i++)
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

enum { ROWS_MAX = 1 << 24 };

struct addresses {
	struct snap s; /* first */
	struct process p;
};

int addresses_open(const struct process *p, const uint64_t *addr, size_t n, struct snap **out)
{
	struct addresses *a = memory_map(sizeof(*a));
	struct snap_row *row;

	if (!a)
		return -ENOMEM;
	a->p = (struct process){ .used = true, .proven = p->proven, .ended = p->ended, .pid = p->pid, .pidfd = -1 };
	maps_copy(&a->p.maps, &p->maps);
	a->s = (struct snap){ .kind = SNAP_CUSTOM, .p = &a->p, .period = 1 };
	snprintf(a->s.name, sizeof(a->s.name), "addresses");
	row = vec_room(&a->s.row, n, sizeof(*row), ROWS_MAX);
	for (size_t i = 0; row && i < n; i++) {
		row[i] = (struct snap_row){ .n = 1, .value = { 1 } };
		if (!table_frames(&a->p.table, &addr[i], 1, &row[i].at))
			row = NULL;
	}
	if (n && !row) {
		addresses_close(&a->s);
		return -ENOMEM;
	}
	a->s.row.n = n;
	collect_find_places(&a->p, true);
	*out = &a->s;
	return 0;
}

void addresses_close(struct snap *s)
{
	struct addresses *a = (struct addresses *)s;

	if (!a)
		return;
	vec_release(&a->s.row, sizeof(struct snap_row));
	table_release(&a->p.table);
	maps_release(&a->p.maps);
	memory_unmap(a, sizeof(*a));
}
