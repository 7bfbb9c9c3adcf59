/*
 * snap.c - take a snapshot of a profile of a process, and subtract two snapshots
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/snap.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/elfnames.h"
#include "libcpaprof/collector/external.h"
#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/read/order.h"
#include "libcpaprof/collector/threads.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 1 << 24, SCALE = 1024 /* unit of scaled counters: 1/1024 */ };
enum { SNAP_IN_USE = 2 }; /* heap: index of the first in-use value */

static const char *const kind_name[N_SNAP_KINDS] = {
	[SNAP_CPU] = "cpu",
	[SNAP_HEAP] = "heap",
	[SNAP_ALLOCS] = "allocs",
	[SNAP_THREADS] = "threads",
	[SNAP_BLOCK] = "block",
	[SNAP_MUTEX] = "mutex",
	[SNAP_CREATE] = "threadcreate",
	[SNAP_CUSTOM] = "custom",
	[SNAP_EXTERNAL] = "external",
};

static bool snap_is_heap(const struct snap *s)
{
	return s->kind == SNAP_HEAP || s->kind == SNAP_ALLOCS;
}

/* Are all values 0? */
static bool snap_is_zero(const struct snap_row *r)
{
	for (int i = 0; i < SNAP_VALUES; i++)
		if (r->value[i] || r->raw[i])
			return false;
	return true;
}

/*
 * Limit n so that *sum does not overflow, and add it: readers consider a file broken if a sum overflows. n is
 * not negative.
 */
static int64_t clamp_to_sum(int64_t *sum, int64_t n)
{
	n = n < INT64_MAX - *sum ? n : INT64_MAX - *sum;
	*sum += n;
	return n;
}

static bool snap_add(struct snap *s, struct snap_row *row)
{
	for (int i = 0; i < SNAP_VALUES; i++)
		if (row->value[i] > 0)
			row->value[i] = clamp_to_sum(&s->sum[i], row->value[i]);
	return snap_is_zero(row) || vec_add(&s->row, row, 1, sizeof(*row), ROWS_MAX);
}

/* Convert a counter in units of 1/1024 to the nearest integer. */
static int64_t unscale(uint64_t n)
{
	return (int64_t)(n / SCALE + (n % SCALE >= SCALE / 2));
}

/* In use = allocated - freed, never below 0: the counters come from the program and may be wrong. */
static uint64_t saturating_sub(uint64_t added, uint64_t removed)
{
	return added > removed ? added - removed : 0;
}

static void heap_values(struct snap_row *row, const uint64_t v[STACK_VALUES])
{
	row->value[0] = unscale(v[HEAP_ALLOC_OBJECTS]);
	row->value[1] = unscale(v[HEAP_ALLOC_BYTES]);
	row->value[2] = unscale(saturating_sub(v[HEAP_ALLOC_OBJECTS], v[HEAP_FREE_OBJECTS]));
	row->value[3] = unscale(saturating_sub(v[HEAP_ALLOC_BYTES], v[HEAP_FREE_BYTES]));
	row->raw[0] = (int64_t)saturating_sub(v[HEAP_ALLOC_SAMPLES], v[HEAP_FREE_SAMPLES]);
	row->raw[1] = (int64_t)saturating_sub(v[HEAP_ALLOC_SAMPLED], v[HEAP_FREE_SAMPLED]);
	row->raw[2] = (int64_t)v[HEAP_ALLOC_SAMPLES];
	row->raw[3] = (int64_t)v[HEAP_ALLOC_SAMPLED];
	row->size = row->raw[2] ? v[HEAP_ALLOC_SAMPLED] / v[HEAP_ALLOC_SAMPLES] : 0;
}

static void row_values(struct snap_row *row, enum stack_kind kind, const uint64_t v[STACK_VALUES])
{
	switch (kind) {
	case STACK_HEAP:
		heap_values(row, v);
		break;
	case STACK_BLOCK:
	case STACK_MUTEX:
		row->value[0] = unscale(v[WAIT_COUNT]);
		row->value[1] = (int64_t)v[WAIT_NS];
		break;
	case STACK_CREATE:
		row->value[0] = (int64_t)v[CREATE_COUNT];
		break;
	default:
		row->value[0] = (int64_t)saturating_sub(v[CUSTOM_ADDED], v[CUSTOM_REMOVED]);
	}
}

static int take_counts(struct snap *s, enum stack_kind kind, uint64_t custom)
{
	struct process *p = s->p;
	const struct count_stack *stack;
	uint64_t v[STACK_VALUES];
	struct snap_row row;

	collect_read_modules(p);
	counts_drain(p, collect_slot_index(p), true);
	collect_find_mappings(p, true);
	stack = p->counts.stack.data;
	for (size_t i = 0; i < p->counts.stack.n; i++) {
		if (stack[i].kind != kind || (kind == STACK_CUSTOM && stack[i].extra != custom))
			continue;
		row = (struct snap_row){
			.at = stack[i].at, .n = stack[i].n, .label = stack[i].label, .extra = stack[i].extra
		};
		counts_values(p, &stack[i], v);
		row_values(&row, kind, v);
		if (!snap_add(s, &row))
			return -ENOMEM;
	}
	row = (struct snap_row){ .n = 1 };
	counts_full(p, kind, v);
	row_values(&row, kind, v);
	if (snap_is_zero(&row))
		return 0;
	return table_add_pseudo_frame(&p->table, PSEUDO_FULL, &row.at) && snap_add(s, &row) ? 0 : -ENOMEM;
}

/* Is the frame in our library? */
static bool is_own_code(const struct process *p, const struct table_loc *loc)
{
	static const char library[] = "libcpaprof.so";
	const struct map *m = loc->map ? (const struct map *)p->maps.map.data + loc->map - 1 : NULL;
	const char *path = m ? (const char *)p->maps.texts.data + m->path : NULL;
	uint32_t at = m ? m->n_path : 0;

	while (at && path[at - 1] != '/')
		at--;
	return m && m->n_path - at >= sizeof(library) - 1 && memcmp(path + at, library, sizeof(library) - 1) == 0;
}

/* Is the frame in a function of <cpa/pprof.h>, which the program called, and not in a wrapper of a libc function? */
static bool is_api_function(struct elfnames **names, const struct process *p, const struct table_loc *loc)
{
	struct snap_name name;

	if (!*names)
		*names = elfnames_open();
	return *names && elfnames_at(*names, p, loc->addr, loc->map, 0, &name) &&
	       strncmp(name.function, "cpa_", strlen("cpa_")) == 0;
}

/*
 * Remove leaf frames in our library, which are wrappers of malloc, locks and the like: their time belongs to the
 * caller. A function of ours that the program called remains, without its callees.
 */
static void remove_own_frames(struct elfnames **names, const struct process *p, struct snap_row *row)
{
	const uint32_t *frames = (const uint32_t *)p->table.frames.data + row->at;
	const struct table_loc *loc = p->table.loc.data;
	uint32_t n = 0;

	while (n < row->n && frames[n] >= N_PSEUDO_FRAMES && is_own_code(p, &loc[frames[n]]))
		n++;
	if (n && (n == row->n || is_api_function(names, p, &loc[frames[n - 1]])))
		n--;
	row->at += n;
	row->n -= n;
}

/* Copy the addresses of a stack, leaf first, without frames in our library except those of <cpa/pprof.h>. */
static uint32_t copy_frames_of_program(struct elfnames **names, const struct process *p, const struct snap_row *row,
				       uint64_t pc[FRAMES_MAX])
{
	const uint32_t *frames = (const uint32_t *)p->table.frames.data + row->at;
	const struct table_loc *loc = p->table.loc.data;
	uint32_t n = 0;

	for (uint32_t i = 0; i < row->n && n < FRAMES_MAX; i++)
		if (frames[i] < N_PSEUDO_FRAMES)
			return row->n;
		else if (!is_own_code(p, &loc[frames[i]]) || is_api_function(names, p, &loc[frames[i]]))
			pc[n++] = loc[frames[i]].addr;
	return n;
}

/* Take the stacks of the threads. The wrappers in which they wait for locks are not part of the program. */
static int take_threads(struct snap *s)
{
	struct elfnames *names = NULL;
	struct snap_row *row;
	uint64_t pc[FRAMES_MAX];
	int rc = threads_take(s);

	row = s->row.data;
	for (size_t i = 0; rc == 0 && i < s->row.n; i++) {
		uint32_t n = copy_frames_of_program(&names, s->p, &row[i], pc), at;

		if (n == 0 || n == row[i].n || !table_intern(&s->p->table, pc, n, row[i].label, &at))
			continue;
		row[i].at = at;
		row[i].n = n;
	}
	elfnames_close(names);
	return rc;
}

static int take_cpu(struct snap *s)
{
	const struct process *p = s->p;
	const struct table_stack *stack = p->table.stack.data;
	struct elfnames *names = NULL;
	int rc = 0;

	for (size_t i = 0; i < p->table.stack.n && rc == 0; i++) {
		struct snap_row row = { .at = stack[i].at, .n = stack[i].n, .label = stack[i].label };
		uint64_t most = INT64_MAX / s->period;

		row.value[0] = (int64_t)(stack[i].n_samples < most ? stack[i].n_samples : most);
		row.value[1] = (int64_t)(stack[i].weight < most ? stack[i].weight : most) * (int64_t)s->period;
		row.value[1] = (int64_t)account_scale(p, (uint64_t)row.value[1]);
		remove_own_frames(&names, p, &row);
		rc = snap_add(s, &row) ? 0 : -ENOMEM;
	}
	elfnames_close(names);
	s->cpu = (struct snap_cpu){ .n_samples = p->table.n_samples,
				    .weight = p->table.weight,
				    .lost = p->lost,
				    .adopted = p->adopted,
				    .unsampled_ns = p->unsampled_ns + p->rest_ns,
				    .nested = p->nested,
				    .blocked = p->blocked,
				    .kernel = p->table.stack.n ? stack[PSEUDO_KERNEL].weight : 0,
				    .bad = p->bad,
				    .orphans = p->orphans,
				    .guessed = p->guessed };
	memcpy(s->cpu.cut, p->cut, sizeof(s->cpu.cut));
	return rc;
}

static int take_external(struct snap *s)
{
	struct process *p = s->p;
	const struct table_stack *stack = p->table.stack.data;

	collect_find_mappings(p, !external_has_ended(p));
	for (size_t i = 0; i < p->table.stack.n; i++) {
		struct snap_row row = { .at = stack[i].at, .n = stack[i].n };

		uint32_t event = p->labels ? 0 : stack[i].label;

		row.label = p->labels ? stack[i].label : 0;
		row.value[0] = (int64_t)(stack[i].n_samples & INT64_MAX);
		row.value[1 + event] = (int64_t)(stack[i].weight & INT64_MAX);
		if (!snap_add(s, &row))
			return -ENOMEM;
	}
	memcpy(s->cpu.cut, p->cut, sizeof(s->cpu.cut));
	return 0;
}

static int collector_snap_take(struct snap *s, uint64_t custom)
{
	const struct process *p = s->p;
	uint64_t rate;
	bool named;
	int rc;

	if (s->kind == SNAP_EXTERNAL ? !p->external : !p->c && s->kind != SNAP_THREADS)
		return -ENOENT; /* the process is not profiled by us */
	s->end_ns = p->has_ended && p->end_ns ? p->end_ns : clock_wall();
	s->start_ns = s->end_ns;
	s->busy_start = p->busy;
	busy_read(&s->busy_end);
	s->period = 1;
	switch (s->kind) {
	case SNAP_CPU:
		s->start_ns = p->start_ns;
		s->period = 1000000000 / p->c->options.hz;
		return take_cpu(s);
	case SNAP_HEAP:
	case SNAP_ALLOCS:
		rate = atomic_load_explicit(&p->c->head->heap_rate, memory_order_relaxed);
		s->period = rate <= INT64_MAX ? rate : 0;
		return take_counts(s, STACK_HEAP, 0);
	case SNAP_BLOCK:
		return take_counts(s, STACK_BLOCK, 0);
	case SNAP_MUTEX:
		return take_counts(s, STACK_MUTEX, 0);
	case SNAP_CREATE:
		return take_counts(s, STACK_CREATE, 0);
	case SNAP_CUSTOM:
		named = collect_profile_name(p->c, custom, s->name, sizeof(s->name));
		rc = take_counts(s, STACK_CUSTOM, custom);
		return rc == 0 && !named && s->row.n == 0 ? -ENOENT : rc;
	case SNAP_THREADS:
		return take_threads(s);
	case SNAP_EXTERNAL:
		s->start_ns = p->start_ns;
		s->period = p->external->period;
		return take_external(s);
	default:
		return -EINVAL;
	}
}

/* Compare two rows by everything except their values. */
static int snap_compare(const struct snap *s, const struct snap_row *a, const struct snap_row *b)
{
	const uint32_t *frames = s->p->table.frames.data;
	uint32_t n = a->n < b->n ? a->n : b->n;

	for (uint32_t i = 0; i < n && a->at != b->at; i++)
		if (frames[a->at + i] != frames[b->at + i])
			return frames[a->at + i] < frames[b->at + i] ? -1 : 1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	if (a->label != b->label)
		return a->label < b->label ? -1 : 1;
	if (a->extra != b->extra)
		return a->extra < b->extra ? -1 : 1;
	return a->thread == b->thread ? 0 : a->thread < b->thread ? -1 : 1;
}

static int snap_compare_ids(const void *arg, uint32_t a, uint32_t b)
{
	const struct snap *s = arg;
	const struct snap_row *row = s->row.data;

	return snap_compare(s, &row[a], &row[b]);
}

static void snap_add_values(struct snap_row *to, const struct snap_row *from, int sign)
{
	for (int i = 0; i < SNAP_VALUES; i++) {
		int64_t value = sign < 0 ? -from->value[i] : from->value[i];
		int64_t raw = sign < 0 ? -from->raw[i] : from->raw[i];

		if (__builtin_add_overflow(to->value[i], value, &to->value[i]))
			to->value[i] = value < 0 ? INT64_MIN : INT64_MAX;
		if (__builtin_add_overflow(to->raw[i], raw, &to->raw[i]))
			to->raw[i] = raw < 0 ? INT64_MIN : INT64_MAX;
	}
}

int snap_sort(struct snap *s)
{
	struct vec sorted = { 0 };
	struct snap_row *to, *row = s->row.data;
	uint32_t *order;
	size_t n = s->row.n, out = 0;

	if (n == 0)
		return 0;
	order = order_make(n, snap_compare_ids, s);
	to = order ? vec_reserve(&sorted, n, sizeof(*to), ROWS_MAX) : NULL;
	for (size_t i = 0; to && i < n; i++) {
		if (out && snap_compare(s, &to[out - 1], &row[order[i]]) == 0)
			snap_add_values(&to[out - 1], &row[order[i]], 1);
		else
			to[out++] = row[order[i]];
	}
	order_free(order, n);
	if (!to)
		return -ENOMEM;
	sorted.n = out;
	vec_release(&s->row, sizeof(*row));
	s->row = sorted;
	return 0;
}

bool snap_next_stack(const struct snap *s, size_t *i, struct snap_row *out)
{
	const struct snap_row *row = s->row.data;

	if (*i >= s->row.n)
		return false;
	*out = row[(*i)++];
	out->thread = 0;
	for (; s->kind == SNAP_THREADS && *i < s->row.n; ++*i) {
		struct snap_row next = row[*i];

		next.thread = 0;
		if (snap_compare(s, out, &next) != 0)
			break;
		snap_add_values(out, &next, 1);
	}
	return true;
}

int snap_take(struct process *p, enum snap_kind kind, uint64_t custom, struct snap **out)
{
	struct snap *s = memory_map(sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	s->kind = kind;
	s->p = p;
	if (kind < N_SNAP_KINDS)
		snprintf(s->name, sizeof(s->name), "%s", kind_name[kind]);
	rc = collector_snap_take(s, custom);
	if (rc == 0)
		rc = snap_sort(s);
	if (rc < 0)
		snap_free(s);
	else
		*out = s;
	return rc;
}

/* Append the difference of rows a and b to out. Either may be NULL. */
static bool subtract_row(const struct snap *s, struct vec *out, const struct snap_row *a, const struct snap_row *b,
			 bool alloc_only)
{
	struct snap_row *to = vec_reserve(out, 1, sizeof(*to), ROWS_MAX), was = *(b ? b : a);

	if (!to)
		return false;
	*to = was;
	memset(to->value, 0, sizeof(to->value));
	memset(to->raw, 0, sizeof(to->raw));
	if (a)
		*to = *a;
	for (int i = 0; i < SNAP_VALUES && alloc_only; i++) {
		if (snap_is_heap(s) ? i >= SNAP_IN_USE : s->kind == SNAP_THREADS || s->kind == SNAP_CUSTOM)
			was.value[i] = 0;
		if (i < SNAP_IN_USE) /* raw[] is in the order of the text format: in use first */
			was.raw[i] = 0;
	}
	if (b)
		snap_add_values(to, &was, -1);
	out->n += !snap_is_zero(to);
	return true;
}

static void subtract_cpu(struct snap_cpu *a, const struct snap_cpu *b)
{
	a->n_samples -= b->n_samples;
	a->weight -= b->weight;
	a->lost -= b->lost;
	a->adopted -= b->adopted;
	a->unsampled_ns = saturating_sub(a->unsampled_ns, b->unsampled_ns);
	a->nested -= b->nested;
	a->blocked -= b->blocked;
	a->kernel -= b->kernel;
	a->bad -= b->bad;
	a->orphans = saturating_sub(a->orphans, b->orphans);
	for (int i = 0; i < N_CUTS; i++)
		a->cut[i] -= b->cut[i];
	a->guessed -= b->guessed;
}

int snap_merge_threads(const struct snap *s, struct snap *out)
{
	struct snap_row sum;

	*out = *s;
	out->row = (struct vec){ 0 };
	memset(out->sum, 0, sizeof(out->sum));
	for (size_t i = 0; snap_next_stack(s, &i, &sum);)
		if (!snap_add(out, &sum))
			return -ENOMEM;
	return 0;
}

static int subtract_rows(struct snap *later, const struct snap *earlier, bool alloc_only)
{
	const struct snap_row *a = later->row.data, *b = earlier->row.data;
	size_t i = 0, k = 0, n = later->row.n, m = earlier->row.n;
	struct vec out = { 0 };

	while (i < n || k < m) {
		int which = i == n ? 1 : k == m ? -1 : snap_compare(later, &a[i], &b[k]);

		if (!subtract_row(later, &out, which <= 0 ? &a[i] : NULL, which >= 0 ? &b[k] : NULL, alloc_only)) {
			vec_release(&out, sizeof(*a));
			return -ENOMEM;
		}
		i += which <= 0;
		k += which >= 0;
	}
	vec_release(&later->row, sizeof(*a));
	later->row = out;
	return 0;
}

int snap_subtract(struct snap *later, const struct snap *earlier, bool alloc_only)
{
	struct snap a = { 0 }, b = { 0 };
	int rc;

	if (later->p != earlier->p || later->kind != earlier->kind)
		return -EINVAL;
	if (later->kind == SNAP_THREADS) {
		/* the two snaps have different threads */
		rc = snap_merge_threads(later, &a);
		rc = rc < 0 ? rc : snap_merge_threads(earlier, &b);
		if (rc == 0) {
			struct vec was = later->row;

			later->row = a.row;
			a.row = was;
			rc = subtract_rows(later, &b, alloc_only);
		}
		vec_release(&a.row, sizeof(struct snap_row));
		vec_release(&b.row, sizeof(struct snap_row));
	} else {
		rc = subtract_rows(later, earlier, alloc_only);
	}
	if (rc < 0)
		return rc;
	later->start_ns = earlier->end_ns;
	later->busy_start = earlier->busy_end;
	later->delta = true;
	subtract_cpu(&later->cpu, &earlier->cpu);
	return 0;
}

void snap_make_since_start(struct snap *s)
{
	s->start_ns = s->p->began_ns;
	s->delta = true;
}

int snap_copy(const struct snap *s, struct snap **out)
{
	struct snap *copy = memory_map(sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	*copy = *s;
	copy->row = copy->thread = (struct vec){ 0 };
	if (!vec_copy(&copy->row, &s->row, sizeof(struct snap_row)) ||
	    !vec_copy(&copy->thread, &s->thread, sizeof(struct snap_thread))) {
		snap_free(copy);
		return -ENOMEM;
	}
	*out = copy;
	return 0;
}

void snap_free(struct snap *s)
{
	if (!s)
		return;
	vec_release(&s->row, sizeof(struct snap_row));
	vec_release(&s->thread, sizeof(struct snap_thread));
	memory_unmap(s, sizeof(*s));
}

void snap_frame(const struct snap *s, const struct snap_row *row, uint32_t k, struct snap_frame *out)
{
	uint32_t at = ((const uint32_t *)s->p->table.frames.data)[row->at + k];
	const struct table_loc *loc = (const struct table_loc *)s->p->table.loc.data + at;
	const struct map *map = loc->map ? (const struct map *)s->p->maps.map.data + loc->map - 1 : NULL;

	*out = (struct snap_frame){ .addr = loc->addr, .map = loc->map };
	if (at < N_PSEUDO_FRAMES)
		out->pseudo = pseudo_frame_name[at];
	if (map) {
		out->path = (const char *)s->p->maps.texts.data + map->path;
		out->n_path = map->n_path;
		out->offset = loc->addr - map->start + map->offset;
	}
}

const char *snap_mapping(const struct snap *s, uint32_t i, uint32_t *n)
{
	const struct maps *maps = &s->p->maps;
	const struct map *map = maps->map.data;

	if (i >= maps->map.n)
		return NULL;
	*n = map[i].n_path;
	return (const char *)maps->texts.data + map[i].path;
}
