/*
 * write.c - the parts of a snap, with comments on how it was recorded
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only the locations of rows are parts, numbered in the order of the stack table.
 */
#include "config.h"

#include "libcpaprof/collector/write/write.h"

#include "libcpaprof/collector/external.h"
#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/process.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COMMENTS_MAX = 12, COMMENT_SIZE = 160 };

struct write_comments {
	char text[COMMENTS_MAX][COMMENT_SIZE];
	uint32_t n;
};

__attribute__((format(printf, 2, 3))) static void collector_write_add_comment(struct write_comments *r, const char *fmt,
									      ...)
{
	va_list args;

	if (r->n == COMMENTS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(r->text[r->n++], COMMENT_SIZE, fmt, args);
	va_end(args);
}

static void add_stack_comments(struct write_comments *r, const struct snap_cpu *c)
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

static void add_busy_comment(struct write_comments *r, const struct snap *s)
{
	char text[120];

	if (busy_comment(busy_share(&s->busy_start, &s->busy_end), text, sizeof(text)) > 0)
		collector_write_add_comment(r, "%s", text);
}

static void add_cpu_comments(struct write_comments *r, const struct snap *s)
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
static void add_heap_comments(struct write_comments *r, const struct snap *s)
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
static void add_overflow_comment(struct write_comments *r, const struct snap *s)
{
	const uint32_t *frames = s->p->table.frames.data;
	const struct snap_row *row = s->row.data;

	for (size_t i = 0; i < s->row.n; i++)
		if (row[i].n == 1 && frames[row[i].at] == PSEUDO_FULL)
			collector_write_add_comment(r, "no room for more stacks: %lld, shown as %s",
						    (long long)row[i].value[0], pseudo_frame_name[PSEUDO_FULL]);
}

static void add_external_comments(struct write_comments *r, const struct snap *s)
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
static void collector_write_make_comments(struct write_comments *r, const struct snap *s)
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

enum { INLINED_MAX = 64 };

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

/* State of write_snap_parts. */
struct parts_walk {
	const struct snap *s;
	snap_names_fn *names;
	void *names_arg;
	const struct snap_parts *to;
	void *arg;
	uint32_t *id;  /* [locations of the stack table] number of the part, from 1; 0: no row has it */
	uint32_t n;    /* number of these parts */
	uint32_t *loc; /* [max depth of a row, at least 2] the current stack */
	size_t n_values;
	struct write_comments comments;
};

static const struct snap_types *types_of(const struct snap *s)
{
	return s->kind == SNAP_EXTERNAL ? &s->p->external->types : &types[s->kind];
}

/* Number the locations of the rows. Returns the max depth of a row. */
static uint32_t write_number_locations(struct parts_walk *x)
{
	const struct stack_table *t = &x->s->p->table;
	const struct snap_row *row = x->s->row.data;
	const uint32_t *frames = t->frames.data;
	uint32_t max = 0;

	for (size_t i = 0; i < x->s->row.n; i++) {
		for (uint32_t k = 0; k < row[i].n; k++)
			x->id[frames[row[i].at + k]] = 1;
		max = row[i].n > max ? row[i].n : max;
	}
	for (size_t i = 0; i < t->loc.n; i++)
		if (x->id[i])
			x->id[i] = ++x->n;
	return max;
}

static void write_types(struct parts_walk *x)
{
	const struct snap_value_type *value = types_of(x->s)->value;

	for (; x->n_values < SNAP_VALUES && value[x->n_values].unit; x->n_values++) {
		const char *type = value[x->n_values].type;

		x->to->type(x->arg, type ? type : x->s->name, value[x->n_values].unit);
	}
}

static int write_label_texts(void *parts, const char *key, size_t n_key, const char *value, size_t n_value)
{
	const struct parts_walk *x = parts;

	x->to->text(x->arg, key, n_key);
	x->to->text(x->arg, value, n_value);
	return 0;
}

static int write_label(void *parts, const char *key, size_t n_key, const char *value, size_t n_value)
{
	const struct parts_walk *x = parts;

	x->to->label(x->arg, key, n_key, value, n_value);
	return 0;
}

static void write_each_label(struct parts_walk *x, uint32_t set, collect_label_fn *f)
{
	const struct external_labels *outside = x->s->p->labels;

	if (outside)
		outside->each(outside->arg, set, f, x);
	else
		collect_labels(x->s->p->c, set, f, x);
}

static const char size_label[] = "bytes";

static void write_sample_texts(struct parts_walk *x, const struct snap_row *r)
{
	if (r->label)
		write_each_label(x, r->label, write_label_texts);
	if (r->size)
		x->to->text(x->arg, size_label, strlen(size_label));
}

static void write_sample(struct parts_walk *x, const struct snap_row *r)
{
	const uint32_t *frames = (const uint32_t *)x->s->p->table.frames.data + r->at;

	for (uint32_t k = 0; k < r->n; k++)
		x->loc[k] = x->id[frames[k]] - 1;
	x->to->sample(x->arg, x->loc, r->n, r->value, x->n_values);
	if (r->label)
		write_each_label(x, r->label, write_label);
	if (r->size)
		x->to->number(x->arg, size_label, r->size);
	x->to->sample_end(x->arg);
}

/* Call f for each sample with a value. */
static void write_each_sample(struct parts_walk *x, void (*f)(struct parts_walk *x, const struct snap_row *r))
{
	struct snap_row sum;

	for (size_t i = 0; snap_next_stack(x->s, &i, &sum);) {
		bool any = false;

		for (size_t k = 0; k < x->n_values; k++)
			any |= sum.value[k] != 0;
		if (any)
			f(x, &sum);
	}
}

/* The programs with CPU time without a sample: number i, 0 for this process. Returns false if there are no more. */
static bool unsampled_at(const struct parts_walk *x, size_t i, char name[NAME_MAX + 1], uint64_t *ns)
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

/* CPU time without a sample. Its stacks are a pseudo frame and the program: parts after those of all locations. */
static void write_unsampled_samples(struct parts_walk *x)
{
	uint32_t n = x->n + 1;
	char name[NAME_MAX + 1];
	uint64_t ns;

	for (size_t i = 0; unsampled_at(x, i, name, &ns); i++) {
		if (!ns)
			continue;
		x->loc[0] = x->n;
		x->loc[1] = n;
		n += *name != '\0';
		x->to->sample(x->arg, x->loc, *name ? 2 : 1,
			      (int64_t[]){ 0, (int64_t)(ns < INT64_MAX / 2 ? ns : INT64_MAX / 2) }, x->n_values);
		x->to->sample_end(x->arg);
	}
}

static void write_location(struct parts_walk *x, const struct table_loc *loc, const char *pseudo)
{
	struct snap_name name;

	x->to->location(x->arg, loc->addr, loc->map);
	if (pseudo)
		x->to->line(x->arg, &(struct snap_name){ .function = pseudo });
	for (uint32_t i = 0;
	     !pseudo && x->names && i < INLINED_MAX && x->names(x->names_arg, x->s->p, loc->addr, loc->map, i, &name);
	     i++)
		x->to->line(x->arg, &name);
	x->to->location_end(x->arg);
}

static void write_locations(struct parts_walk *x)
{
	const struct table_loc *loc = x->s->p->table.loc.data;

	for (size_t i = 0; i < x->s->p->table.loc.n; i++)
		if (x->id[i])
			write_location(x, &loc[i], i < N_PSEUDO_FRAMES ? pseudo_frame_name[i] : NULL);
}

static void write_named_location(struct parts_walk *x, const char *name)
{
	x->to->location(x->arg, 0, 0);
	x->to->line(x->arg, &(struct snap_name){ .function = name, .is_verbatim = true });
	x->to->location_end(x->arg);
}

static void write_unsampled_locations(struct parts_walk *x)
{
	char name[NAME_MAX + 1];
	bool any = false;
	uint64_t ns;

	for (size_t i = 0; unsampled_at(x, i, name, &ns); i++) {
		if (ns && !any)
			write_named_location(x, pseudo_frame_name[PSEUDO_UNSAMPLED]);
		any |= ns != 0;
		if (ns && *name)
			write_named_location(x, name);
	}
}

/* All mappings; the executable is the first. */
static void write_mappings(struct parts_walk *x)
{
	const struct maps *maps = &x->s->p->maps;
	const struct map *m = maps->map.data;
	const char *texts = maps->texts.data;

	for (size_t i = 0; i < maps->map.n; i++, m++)
		x->to->mapping(x->arg, m, texts + m->path, texts + m->id);
}

/*
 * Time and duration. A snapshot has no duration; a difference always has one. The time is the start of a CPU profile,
 * but the end of other differences, as in Go.
 */
static void write_header(struct parts_walk *x)
{
	const struct snap *s = x->s;
	const struct snap_types *t = types_of(s);
	const struct snap_header h = {
		.time_ns = s->delta && s->kind != SNAP_CPU ? s->end_ns : s->start_ns,
		.duration_ns = s->end_ns > s->start_ns ? s->end_ns - s->start_ns
						       : (uint64_t)s->delta, /* the clock may have been set back */
		.period = s->period,
		.period_type = { t->period.type ? t->period.type : s->name, t->period.unit },
		.drop_frames = t->drop_frames,
		.default_type = t->default_type,
	};

	x->to->header(x->arg, &h);
}

static void write_comments(struct parts_walk *x)
{
	collector_write_make_comments(&x->comments, x->s);
	for (uint32_t i = 0; i < x->comments.n; i++)
		x->to->comment(x->arg, x->comments.text[i]);
}

static void write_all_parts(struct parts_walk *x)
{
	write_types(x);
	write_header(x);
	write_comments(x);
	write_mappings(x);
	write_locations(x);
	if (x->s->kind == SNAP_CPU)
		write_unsampled_locations(x);
	if (x->to->text) {
		write_each_sample(x, write_sample_texts);
		x->to->texts_end(x->arg);
	}
	write_each_sample(x, write_sample);
	if (x->s->kind == SNAP_CPU)
		write_unsampled_samples(x);
}

int write_snap_parts(const struct snap *s, snap_names_fn *names, void *names_arg, const struct snap_parts *to,
		     void *arg)
{
	struct parts_walk x = { .s = s, .names = names, .names_arg = names_arg, .to = to, .arg = arg };
	size_t n_id = (s->p->table.loc.n + 1) * sizeof(*x.id), n_loc = 0;

	x.id = memory_map(n_id);
	if (x.id) {
		n_loc = ((size_t)write_number_locations(&x) + 2) * sizeof(*x.loc);
		x.loc = memory_map(n_loc);
	}
	if (x.loc) {
		write_all_parts(&x);
		memory_unmap(x.loc, n_loc);
	}
	memory_unmap(x.id, n_id);
	return x.loc ? 0 : -ENOMEM;
}

int write_snap(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg)
{
	if (debug == 0)
		return write_snap_proto(s, names, names_arg, sink, arg);
	/* there is no text format for CPU profiles */
	return s->kind == SNAP_CPU ? -EINVAL : write_snap_text(s, debug, names, names_arg, sink, arg);
}
