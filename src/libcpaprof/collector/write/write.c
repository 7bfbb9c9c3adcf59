/*
 * write.c - write a snap as profile.proto, with comments on how it was recorded
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Strings and functions get their ids on first use, and are written last. Field numbers are those of
 * proto/profile.proto. Only the locations of rows are written, numbered in the order of the stack table.
 */
#include "config.h"

#include "libcpaprof/collector/write/write.h"

#include "libcpaprof/collector/external.h"
#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/process.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/collector/write/gzip.h"
#include "libcpaprof/collector/write/strings.h"

#include "wire/profile_fields.h"
#include "wire/wire.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COMMENTS_MAX = 12, COMMENT_SIZE = 160 };

struct comments {
	char text[COMMENTS_MAX][COMMENT_SIZE];
	uint32_t n;
};

__attribute__((format(printf, 2, 3))) static void collector_write_add_comment(struct comments *r, const char *fmt, ...)
{
	va_list args;

	if (r->n == COMMENTS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(r->text[r->n++], COMMENT_SIZE, fmt, args);
	va_end(args);
}

static void add_stack_comments(struct comments *r, const struct snap_cpu *c)
{
	static const char *const why[N_CUTS] = { "complete",
						 "truncated at the depth limit",
						 "no call frame information",
						 "bad call frame information",
						 "unknown register",
						 "bad stack pointer",
						 "outside the stack",
						 "too many steps" };
	uint64_t n = 0;

	for (int i = 0; i < N_CUTS; i++)
		n += c->cut[i];
	for (int i = 0; i < N_CUTS && n; i++)
		if (c->cut[i] && r->n < COMMENTS_MAX - 3)
			collector_write_add_comment(r, "stacks, %s: %llu of %llu (%.2f%%)", why[i],
						    (unsigned long long)c->cut[i], (unsigned long long)n,
						    100.0 * (double)c->cut[i] / (double)n);
	/* these count as complete, too, if they reach the start of the thread */
	if (c->guessed && n && r->n < COMMENTS_MAX - 2)
		collector_write_add_comment(
			r, "stacks with frames found without call frame information: %llu of %llu (%.2f%%)",
			(unsigned long long)c->guessed, (unsigned long long)n, 100.0 * (double)c->guessed / (double)n);
}

static void add_busy_comment(struct comments *r, const struct snap *s)
{
	char text[120];

	if (busy_comment(busy_share(&s->busy_start, &s->busy_end), text, sizeof(text)) > 0)
		collector_write_add_comment(r, "%s", text);
}

static void add_cpu_comments(struct comments *r, const struct snap *s)
{
	const struct process *p = s->p;
	const struct snap_cpu *c = &s->cpu;
	unsigned hz = (unsigned)((1000000000 + s->period / 2) /
				 s->period); /* rate of the current recording, if there are several */
	double seconds = (double)c->weight / hz;

	collector_write_add_comment(
		r, "cpa %s: pid %d, %s", PACKAGE_VERSION, (int)p->pid,
		p->engine & ENGINE_NONE                                    ? "some threads without a timer"
		: p->engine & ENGINE_PERF && p->engine & ENGINE_THREADS    ? "per-thread perf events and timers"
		: p->engine & ENGINE_PERF                                  ? "per-thread perf events"
		: p->engine & ENGINE_PROCESS && p->engine & ENGINE_THREADS ? "per-thread and per-process timers"
		: p->engine & ENGINE_PROCESS                               ? "per-process timer"
									   : "per-thread timers");
	collector_write_add_comment(
		r,
		"asked for %u Hz, got %.1f stacks per second of CPU time; samples are stacks, nanoseconds are CPU time",
		hz, seconds > 0 ? (double)c->n_samples / seconds : 0.0);
	add_busy_comment(r, s);
	if (p->error)
		collector_write_add_comment(
			r, "cannot create timers: %s%s",
			p->error == EAGAIN ? "too many pending signals (ulimit -i)" : strerrordesc_np((int)p->error),
			p->engine & ENGINE_PROCESS ? "; threads share the timer of the process" : "");
	if (p->moved)
		collector_write_add_comment(r, "the program replaced our signal handler %u times; now using signal %d",
					    p->moved, collect_signal(p));
	if (p->perf_error)
		collector_write_add_comment(r, "no perf events: %s", strerrordesc_np((int)p->perf_error));
	if (c->lost)
		collector_write_add_comment(r, "lost: %llu periods, shown as %s", (unsigned long long)c->lost,
					    pseudo_frame_name[PSEUDO_LOST]);
	if (c->adopted)
		collector_write_add_comment(r, "of these, before threads without a timer were found: %llu",
					    (unsigned long long)c->adopted);
	if (c->blocked)
		collector_write_add_comment(r, "signal blocked: %llu periods", (unsigned long long)c->blocked);
	if (c->kernel)
		collector_write_add_comment(
			r, "in the kernel, which perf events may not count here: %llu periods, shown as %s",
			(unsigned long long)c->kernel, pseudo_frame_name[PSEUDO_KERNEL]);
	if (c->orphans)
		collector_write_add_comment(r, "signals in unknown threads: %llu", (unsigned long long)c->orphans);
	if (c->bad)
		collector_write_add_comment(r, "invalid ring records: %llu", (unsigned long long)c->bad);
	add_stack_comments(r, c);
}

/* Explain why a heap profile is incomplete. */
static void add_heap_comments(struct comments *r, const struct snap *s)
{
	static const struct {
		uint32_t bit;
		const char *why;
	} all[] = {
		{ HEAP_FOREIGN, "the program, or a library loaded before ours, has its own malloc" },
		{ HEAP_SANITIZER, "malloc belongs to a sanitizer" },
		{ HEAP_DEEPBIND, "an object loaded with RTLD_DEEPBIND bypasses our malloc" },
		{ HEAP_NO_TABLES, "no tables were free for this process" },
	};
	struct process_info info;

	process_info(s->p, &info);
	if (s->period > 1)
		collector_write_add_comment(r,
					    "heap: one sample per %llu bytes on average; values are scaled accordingly",
					    (unsigned long long)s->period);
	if (s->row.n == 0 && info.heap_rate == 0)
		collector_write_add_comment(r,
					    "heap: not measured; enable it with cpa_heap_set_rate() or CPA_HEAP_RATE");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (info.heap & all[i].bit)
			collector_write_add_comment(r, "heap: incomplete, because %s", all[i].why);
}

/* Report the values whose stacks did not fit into the tables. */
static void add_overflow_comment(struct comments *r, const struct snap *s)
{
	const uint32_t *frames = s->p->table.frames.data;
	const struct snap_row *row = s->row.data;

	for (size_t i = 0; i < s->row.n; i++)
		if (row[i].n == 1 && frames[row[i].at] == PSEUDO_FULL)
			collector_write_add_comment(r, "no room for more stacks: %lld, shown as %s",
						    (long long)row[i].value[0], pseudo_frame_name[PSEUDO_FULL]);
}

static void add_external_comments(struct comments *r, const struct snap *s)
{
	const struct external *e = s->p->external;

	collector_write_add_comment(r, "cpa %s: pid %d, %s", PACKAGE_VERSION, (int)s->p->pid, e->comment[0]);
	for (size_t i = 1; i < sizeof(e->comment) / sizeof(e->comment[0]); i++)
		if (e->comment[i][0])
			collector_write_add_comment(r, "%s", e->comment[i]);
	add_busy_comment(r, s);
	add_stack_comments(r, &s->cpu);
}

/* Make the comments of a profile. r is zero-initialised. */
static void collector_write_make_comments(struct comments *r, const struct snap *s)
{
	if (s->kind == SNAP_CPU) {
		add_cpu_comments(r, s);
		return;
	}
	if (s->kind == SNAP_EXTERNAL) {
		add_external_comments(r, s);
		return;
	}
	collector_write_add_comment(r, "cpa %s: pid %d", PACKAGE_VERSION, (int)s->p->pid);
	if (s->kind == SNAP_HEAP || s->kind == SNAP_ALLOCS)
		add_heap_comments(r, s);
	add_overflow_comment(r, s);
}

enum { BUFFER = 64 << 10, INLINED_MAX = 64, SMALL_ROWS = 32 };

/*
 * Functions of libstdc++ and libc++ between malloc and the container or function that allocates. They do not call code
 * of the program, except allocators that it passed to a container.
 */
#define ALLOCATION                                                                                                     \
	"operator new(\\[\\])?"                                                                                        \
	"|(std::__|__gnu_cxx::)new_allocator(<.*>)?::allocate"                                                         \
	"|std::(__1::)?allocator(_traits)?(<.*>)?::allocate(_at_least)?(\\[abi:.*\\])?"                                \
	"|std::__1::__(libcpp_allocate|allocate_at_least)(<.*>)?(\\[abi:.*\\])?"                                       \
	"|std::__allocate_guarded(<.*>)?"                                                                              \
	"|std::(.*::)?_M_(allocate|allocate_buckets|allocate_map|get_node)"

static const struct snap_types types[N_SNAP_KINDS] = {
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

struct proto_writer {
	const struct snap *s;
	snap_names_fn *names;
	void *names_arg;
	struct wire w;
	struct strings strings;
	struct strings functions; /* three uint32_t each: string indexes of name, system name and file */
	uint32_t *id;             /* [locations of the stack table] id in the profile; 0: not written */
	uint32_t n_ids;           /* number of ids in use */
	size_t n_values;
	uint32_t empty; /* index of the string for labels without a value; 0: none yet */
	struct comments comments;
	uint8_t buffer[BUFFER];
};

static const struct snap_types *types_of(const struct snap *s)
{
	return s->kind == SNAP_EXTERNAL ? &s->p->external->types : &types[s->kind];
}

static uint32_t collector_write_add_string(struct proto_writer *x, const char *s)
{
	return strings_add_text(&x->strings, s);
}

static void collector_write_value_type(struct proto_writer *x, uint32_t field, const struct snap_value_type *t)
{
	size_t mark = wire_open(&x->w, field);

	wire_number_nonzero(&x->w, 1, collector_write_add_string(x, t->type ? t->type : x->s->name));
	wire_number_nonzero(&x->w, 2, collector_write_add_string(x, t->unit));
	wire_close(&x->w, mark);
}

/* Assign ids to the locations of the rows. */
static void assign_ids(struct proto_writer *x)
{
	const struct stack_table *t = &x->s->p->table;
	const struct snap_row *row = x->s->row.data;
	const uint32_t *frames = t->frames.data;

	for (size_t i = 0; i < x->s->row.n; i++)
		for (uint32_t k = 0; k < row[i].n; k++)
			x->id[frames[row[i].at + k]] = 1;
	for (size_t i = 0; i < t->loc.n; i++)
		if (x->id[i])
			x->id[i] = ++x->n_ids;
}

/* Readers take string 0 as no value, so an empty value needs another empty string. */
static int write_label(void *arg, const char *key, size_t n_key, const char *value, size_t n_value)
{
	struct proto_writer *x = arg;
	size_t mark = wire_open(&x->w, SAMPLE_LABEL);

	if (n_value == 0 && !x->empty)
		x->empty = strings_add_empty(&x->strings);
	wire_number_nonzero(&x->w, LABEL_KEY, strings_add(&x->strings, key, n_key));
	wire_number_nonzero(&x->w, LABEL_TEXT, n_value ? strings_add(&x->strings, value, n_value) : x->empty);
	wire_close(&x->w, mark);
	return 0;
}

static void write_sample(struct proto_writer *x, const struct snap_row *r)
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
		wire_number_nonzero(&x->w, LABEL_KEY, collector_write_add_string(x, "bytes"));
		wire_number_nonzero(&x->w, LABEL_NUMBER, r->size);
		wire_close(&x->w, mark);
	}
	wire_close(&x->w, message);
}

static void write_samples(struct proto_writer *x)
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

/* The programs with CPU time without a sample: number i, 0 for this process. Returns false if there are no more. */
static bool unsampled_at(const struct proto_writer *x, size_t i, char name[NAME_MAX + 1], uint64_t *ns)
{
	const struct snap *s = x->s;
	const struct maps *maps = &s->p->maps;
	const struct map *program = maps->map.data;
	const char *path = i && i <= s->n_unsampled ? s->unsampled[i - 1].program : "", *base;
	size_t n = strlen(path);

	if (i > s->n_unsampled)
		return false;
	if (i == 0 && maps->map.n) {
		path = (const char *)maps->texts.data + program->path;
		n = program->n_path;
	}
	base = memrchr(path, '/', n);
	base = base ? base + 1 : path;
	snprintf(name, NAME_MAX + 1, "%.*s", (int)(n - (size_t)(base - path)), base);
	*ns = i ? s->unsampled[i - 1].ns : s->cpu.unsampled_ns;
	return true;
}

/* Write CPU time without a sample. Its stacks are the program and a pseudo frame: ids after those of all locations. */
static void write_unsampled_samples(struct proto_writer *x)
{
	char name[NAME_MAX + 1];
	uint64_t ns;

	for (size_t i = 0; unsampled_at(x, i, name, &ns); i++) {
		size_t message, mark;

		if (!ns)
			continue;
		message = wire_open(&x->w, PROFILE_SAMPLE);
		mark = wire_open(&x->w, SAMPLE_LOCATION);
		wire_varint(&x->w, x->n_ids + 1);
		if (*name)
			wire_varint(&x->w, x->n_ids + 2 + i);
		wire_close(&x->w, mark);
		mark = wire_open(&x->w, SAMPLE_VALUE);
		wire_varint(&x->w, 0);
		wire_varint(&x->w, ns < INT64_MAX / 2 ? ns : INT64_MAX / 2);
		wire_close(&x->w, mark);
		wire_close(&x->w, message);
	}
}

/* Readers demangle a name that equals the system name; a verbatim name has none. */
static void collector_write_line(struct proto_writer *x, const struct snap_name *name)
{
	uint32_t text = collector_write_add_string(x, name->function);
	uint32_t texts[] = { text, name->is_verbatim ? 0 : text, collector_write_add_string(x, name->file) };
	uint32_t id = strings_add(&x->functions, (const char *)texts, sizeof(texts));
	size_t mark;

	if (!id)
		return;
	mark = wire_open(&x->w, LOCATION_LINE);
	wire_number_nonzero(&x->w, LINE_FUNCTION, id);
	wire_number_nonzero(&x->w, LINE_NUMBER, name->line);
	wire_close(&x->w, mark);
}

static void write_names(struct proto_writer *x, const struct table_loc *loc)
{
	struct snap_name name;

	for (uint32_t i = 0; i < INLINED_MAX && x->names(x->names_arg, x->s->p, loc->addr, loc->map, i, &name); i++)
		collector_write_line(x, &name);
}

static void write_locations(struct proto_writer *x)
{
	const struct table_loc *loc = x->s->p->table.loc.data;

	for (size_t i = 0; i < x->s->p->table.loc.n; i++) {
		size_t mark;

		if (!x->id[i])
			continue;
		mark = wire_open(&x->w, PROFILE_LOCATION);
		wire_number_nonzero(&x->w, LOCATION_ID, x->id[i]);
		wire_number_nonzero(&x->w, LOCATION_MAPPING, loc[i].map);
		wire_number_nonzero(&x->w, LOCATION_ADDRESS, loc[i].addr);
		if (i < N_PSEUDO_FRAMES)
			collector_write_line(x, &(struct snap_name){ .function = pseudo_frame_name[i] });
		else if (x->names)
			write_names(x, &loc[i]);
		wire_close(&x->w, mark);
	}
}

static void write_named_location(struct proto_writer *x, uint64_t id, const char *name)
{
	size_t mark = wire_open(&x->w, PROFILE_LOCATION);

	wire_number_nonzero(&x->w, LOCATION_ID, id);
	collector_write_line(x, &(struct snap_name){ .function = name, .is_verbatim = true });
	wire_close(&x->w, mark);
}

static void write_unsampled_locations(struct proto_writer *x)
{
	char name[NAME_MAX + 1];
	bool any = false;
	uint64_t ns;

	for (size_t i = 0; unsampled_at(x, i, name, &ns); i++) {
		if (ns && *name)
			write_named_location(x, x->n_ids + 2 + i, name);
		any |= ns != 0;
	}
	if (any)
		write_named_location(x, x->n_ids + 1, pseudo_frame_name[PSEUDO_UNSAMPLED]);
}

static void write_functions(struct proto_writer *x)
{
	for (uint32_t i = 1; i < x->functions.string.n; i++) {
		uint32_t texts[3];
		size_t n, mark = wire_open(&x->w, PROFILE_FUNCTION);

		memcpy(texts, strings_get(&x->functions, i, &n), sizeof(texts));
		wire_number_nonzero(&x->w, FUNCTION_ID, i);
		wire_number_nonzero(&x->w, FUNCTION_NAME, texts[0]);
		wire_number_nonzero(&x->w, FUNCTION_SYSTEM_NAME, texts[1]);
		wire_number_nonzero(&x->w, FUNCTION_FILE, texts[2]);
		wire_close(&x->w, mark);
	}
}

/* Write all mappings; the executable is the first. Names are hints, so no mapping is marked as having functions. */
static void collector_write_mappings(struct proto_writer *x)
{
	const struct maps *maps = &x->s->p->maps;
	const struct map *m = maps->map.data;
	const char *texts = maps->texts.data;

	for (size_t i = 0; i < maps->map.n; i++, m++) {
		size_t mark = wire_open(&x->w, PROFILE_MAPPING);

		wire_number_nonzero(&x->w, 1, i + 1);
		wire_number_nonzero(&x->w, 2, m->start);
		wire_number_nonzero(&x->w, 3, m->limit);
		wire_number_nonzero(&x->w, 4, m->offset);
		wire_number_nonzero(&x->w, 5, strings_add(&x->strings, texts + m->path, m->n_path));
		wire_number_nonzero(&x->w, 6, strings_add(&x->strings, texts + m->id, m->n_id));
		wire_close(&x->w, mark);
	}
}

/*
 * Write time and duration. A snapshot has no duration; a difference always has one. The time is the start of a CPU
 * profile, but the end of other differences, as in Go.
 */
static void collector_write_times(struct proto_writer *x)
{
	const struct snap *s = x->s;
	uint64_t least = s->delta ? 1 : 0; /* the clock may have been set back */

	wire_number_nonzero(&x->w, PROFILE_TIME, s->delta && s->kind != SNAP_CPU ? s->end_ns : s->start_ns);
	wire_number_nonzero(&x->w, PROFILE_DURATION, s->end_ns > s->start_ns ? s->end_ns - s->start_ns : least);
	collector_write_value_type(x, PROFILE_PERIOD_TYPE, &types_of(s)->period);
	wire_number_nonzero(&x->w, PROFILE_PERIOD, s->period);
}

static void collector_write_all(struct proto_writer *x)
{
	const struct snap *s = x->s;
	const struct snap_types *t = types_of(s);

	for (; x->n_values < SNAP_VALUES && t->value[x->n_values].unit; x->n_values++)
		collector_write_value_type(x, PROFILE_TYPE, &t->value[x->n_values]);
	assign_ids(x);
	write_samples(x);
	if (s->kind == SNAP_CPU)
		write_unsampled_samples(x);
	write_locations(x);
	if (s->kind == SNAP_CPU)
		write_unsampled_locations(x);
	write_functions(x);
	collector_write_mappings(x);
	collector_write_times(x);
	collector_write_make_comments(&x->comments, s);
	for (uint32_t i = 0; i < x->comments.n; i++)
		wire_number(&x->w, PROFILE_COMMENT, collector_write_add_string(x, x->comments.text[i]));
	if (t->drop_frames)
		wire_number_nonzero(&x->w, PROFILE_DROP, collector_write_add_string(x, t->drop_frames));
	if (t->default_type)
		wire_number_nonzero(&x->w, PROFILE_DEFAULT_TYPE, collector_write_add_string(x, t->default_type));
	for (uint32_t i = 0; i < x->strings.string.n; i++) {
		size_t n;
		const char *text = strings_get(&x->strings, i, &n);

		wire_bytes(&x->w, PROFILE_STRING, text, n);
	}
}

static int write_compressed(struct proto_writer *x, snap_sink_fn *sink, void *arg)
{
	struct gzip *gzip = gzip_open(sink, arg, x->s->row.n <= SMALL_ROWS);
	bool is_complete;
	int rc;

	if (!gzip)
		return -ENOMEM;
	wire_begin(&x->w, x->buffer, sizeof(x->buffer), gzip_sink, gzip);
	collector_write_all(x);
	is_complete = wire_end(&x->w);
	rc = gzip_close(gzip);
	return rc ? rc : is_complete ? 0 : -EIO;
}

int write_snap_proto(const struct snap *s, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg)
{
	size_t n_id = (s->p->table.loc.n + 1) * sizeof(uint32_t);
	struct proto_writer *x = memory_map(sizeof(*x));
	int rc = -ENOMEM;

	if (!x)
		return rc;
	x->s = s;
	x->names = names;
	x->names_arg = names_arg;
	x->id = memory_map(n_id);
	if (x->id)
		rc = write_compressed(x, sink, arg);
	strings_release(&x->strings);
	strings_release(&x->functions);
	memory_unmap(x->id, n_id);
	memory_unmap(x, sizeof(*x));
	return rc;
}

int write_snap(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg)
{
	if (debug == 0)
		return write_snap_proto(s, names, names_arg, sink, arg);
	/* there is no text format for CPU profiles */
	return s->kind == SNAP_CPU ? -EINVAL : write_snap_text(s, debug, names, names_arg, sink, arg);
}
