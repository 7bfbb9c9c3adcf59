/*
 * read.c - processed profiles of the Firefox Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tables come in any order, and those that a thread has not are shared. So a first pass notes their positions.
 */
#include "config.h"

#include "formats/firefox/firefox.h"

#include "base/mem.h"
#include "base/num.h"
#include "formats/common/merged_rows.h"
#include "formats/common/skipped.h"
#include "formats/firefox/firefox_int.h"

#include <stdlib.h>
#include <string.h>

enum { FIREFOX_NS_PER_MS = 1000000, FIREFOX_LABELS_MAX = 5 };

/* The kinds of weights. */
enum firefox_weight { FIREFOX_SAMPLES, FIREFOX_MS, FIREFOX_BYTES, N_FIREFOX_WEIGHTS };

struct firefox_thread {
	struct firefox_positions at;
	size_t samples; /* position; 0: none */
	enum firefox_weight weight;
	uint32_t labels[FIREFOX_LABELS_MAX];
	size_t n_labels;
};

/* The samples of a thread. */
struct firefox_samples {
	struct firefox_column stack, time, weight; /* time and weights of time in ns */
	bool has_deltas, has_weights;
};

struct firefox_reader {
	const struct format_options *options;
	struct jsonr r;
	struct firefox_tables tables;
	struct firefox_positions shared;
	struct merged_rows *rows;

	struct firefox_thread *thread; /* [n_threads] */
	size_t n_threads, cap_threads;
	uint32_t type[N_FIREFOX_WEIGHTS]; /* sample type + 1 */
	int64_t interval, first, last;    /* ns */
	bool has_times, has_offsets;
	int64_t *sum; /* [cap_sums] of each stack, then of samples without one; 0 between threads */
	size_t cap_sums;
	struct skipped allocations;
};

/* ---- first pass ---- */

/* Note the position of a table. Returns false if the key is none of a table. */
static bool firefox_note(struct jsonr *r, struct firefox_positions *at)
{
	const struct {
		const char *name;
		size_t *at;
	} tables[] = { { "stringArray", &at->strings }, { "sources", &at->sources },
		       { "funcTable", &at->funcs },     { "frameTable", &at->frames },
		       { "stackTable", &at->stacks },   { "resourceTable", &at->resources } };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (jsonr_is(r, tables[i].name)) {
			*tables[i].at = r->at;
			jsonr_skip(r);
			return true;
		}
	return false;
}

/* Add the label of a value that is a text or a number. A text of digits is a number, as ids of processes are. */
static void firefox_add_label(struct firefox_reader *f, struct firefox_thread *t, const char *key, bool is_id)
{
	struct jsonr *r = &f->r;
	struct strtab *str = builder_strings(f->tables.b);
	struct builder_label label = { .key = strtab_addz(str, key) };
	int64_t v = 0;
	size_t n = 0;

	if (jsonr_peek(r) != '"' && (jsonr_peek(r) < '0' || jsonr_peek(r) > '9')) {
		jsonr_skip(r);
		return;
	}
	jsonr_next(r);
	if (r->rc || r->len == 0 || t->n_labels == FIREFOX_LABELS_MAX - 1) /* one is for the time */
		return;
	while (is_id && n < r->len && n < 18 && r->text[n] >= '0' && r->text[n] <= '9')
		v = v * 10 + (r->text[n++] - '0');
	label.is_text = n < r->len;
	if (label.is_text)
		label.text = strtab_add(str, r->text, r->len);
	else
		label.num = v;
	r->rc = builder_label(f->tables.b, &label, &t->labels[t->n_labels++], f->tables.err);
}

static void firefox_scan_weight_type(struct firefox_reader *f, struct firefox_thread *t)
{
	struct jsonr *r = &f->r;

	t->samples = r->at;
	if (!jsonr_open(r, JSONR_OBJECT)) {
		t->samples = 0;
		return;
	}
	while (jsonr_key(r)) {
		if (!jsonr_is(r, "weightType"))
			jsonr_skip(r);
		else if (jsonr_string(r))
			t->weight = jsonr_is(r, "tracing-ms") ? FIREFOX_MS
				    : jsonr_is(r, "bytes")    ? FIREFOX_BYTES
							      : FIREFOX_SAMPLES;
	}
}

static void firefox_scan_thread(struct firefox_reader *f)
{
	struct firefox_thread t = { 0 };
	struct jsonr *r = &f->r;

	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r)) {
			if (jsonr_is(r, "samples")) {
				firefox_scan_weight_type(f, &t);
			} else if (jsonr_is(r, "name")) {
				firefox_add_label(f, &t, "thread", false);
			} else if (jsonr_is(r, "processName")) {
				firefox_add_label(f, &t, "process", false);
			} else if (jsonr_is(r, "tid")) {
				firefox_add_label(f, &t, "tid", true);
			} else if (jsonr_is(r, "pid")) {
				firefox_add_label(f, &t, "pid", true);
			} else if (!firefox_note(r, &t.at)) {
				if (jsonr_is(r, "jsAllocations") || jsonr_is(r, "nativeAllocations"))
					skipped_add(&f->allocations, r->start);
				jsonr_skip(r);
			}
		}
	f->thread = mem_grow(f->thread, &f->cap_threads, f->n_threads + 1, sizeof(*f->thread));
	f->thread[f->n_threads++] = t;
}

/* Are the times of samples no times but offsets in bytes, as in profiles of the size of files? */
static bool firefox_scan_time_unit(struct jsonr *r)
{
	bool has_bytes = false;

	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r)) {
			if (jsonr_is(r, "time"))
				has_bytes = jsonr_string(r) && jsonr_is(r, "bytes");
			else
				jsonr_skip(r);
		}
	return has_bytes;
}

static void firefox_scan_meta(struct firefox_reader *f)
{
	struct jsonr *r = &f->r;

	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r)) {
			if (jsonr_is(r, "interval"))
				jsonr_scaled(r, FIREFOX_NS_PER_MS, &f->interval);
			else if (jsonr_is(r, "startTime"))
				jsonr_scaled(r, FIREFOX_NS_PER_MS, &builder_meta(f->tables.b)->time_ns);
			else if (jsonr_is(r, "sampleUnits"))
				f->has_offsets = firefox_scan_time_unit(r);
			else
				jsonr_skip(r);
		}
}

static void firefox_scan(struct firefox_reader *f)
{
	struct jsonr *r = &f->r;

	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		if (jsonr_is(r, "meta")) {
			firefox_scan_meta(f);
		} else if (jsonr_is(r, "libs")) {
			firefox_read_libs(&f->tables);
		} else if (jsonr_is(r, "shared")) {
			if (jsonr_open(r, JSONR_OBJECT))
				while (jsonr_key(r))
					if (!firefox_note(r, &f->shared))
						jsonr_skip(r);
		} else if (jsonr_is(r, "threads")) {
			if (jsonr_open(r, JSONR_ARRAY))
				while (jsonr_item(r))
					firefox_scan_thread(f);
		} else {
			jsonr_skip(r);
		}
	}
	jsonr_end(r);
}

/* Use the shared tables in place of those that a thread has not. */
static void firefox_share(const struct firefox_positions *shared, struct firefox_positions *at)
{
	at->strings = at->strings ? at->strings : shared->strings;
	at->sources = at->sources ? at->sources : shared->sources;
	at->funcs = at->funcs ? at->funcs : shared->funcs;
	at->frames = at->frames ? at->frames : shared->frames;
	at->stacks = at->stacks ? at->stacks : shared->stacks;
	at->resources = at->resources ? at->resources : shared->resources;
}

/* ---- rows ---- */

static void firefox_add_types(struct firefox_reader *f)
{
	static const char *const names[] = { "samples", "time", "space" }, *const units[] = { "count", "nanoseconds",
											      "bytes" };
	struct builder *b = f->tables.b;
	struct strtab *str = builder_strings(b);
	struct profile_meta *meta = builder_meta(b);

	for (size_t i = 0; i < f->n_threads || i == 0; i++) {
		enum firefox_weight w = f->n_threads ? f->thread[i].weight : FIREFOX_SAMPLES;

		if (f->type[w])
			continue;
		builder_type(b, strtab_addz(str, names[w]), strtab_addz(str, units[w]));
		f->type[w] = builder_n_types(b);
	}
	if (f->interval <= 0 || !f->type[FIREFOX_SAMPLES])
		return;
	meta->period_type = (struct value_type){ strtab_addz(str, "time"), strtab_addz(str, "nanoseconds") };
	meta->has_period_type = true;
	meta->period = f->interval;
}

static void firefox_read_samples(struct firefox_reader *f, const struct firefox_thread *t, struct firefox_samples *s)
{
	struct jsonr *r = &f->r;

	jsonr_seek(r, t->samples);
	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		if (jsonr_is(r, "stack")) {
			firefox_read_column(r, 1, &s->stack);
		} else if (jsonr_is(r, "time") || jsonr_is(r, "timeDeltas")) {
			s->has_deltas = !jsonr_is(r, "time");
			firefox_read_column(r, FIREFOX_NS_PER_MS, &s->time);
		} else if (jsonr_is(r, "weight")) {
			s->has_weights = jsonr_peek(r) == '[';
			firefox_read_column(r, t->weight == FIREFOX_MS ? FIREFOX_NS_PER_MS : 1, &s->weight);
		} else {
			jsonr_skip(r);
		}
	}
	if (s->has_weights && s->weight.n != s->stack.n)
		jsonr_fail(r, ERR_FORMAT, "%zu weights of %zu samples", s->weight.n, s->stack.n);
}

/* The time of the next sample, after the last one. */
static int64_t firefox_time(struct firefox_reader *f, const struct firefox_samples *s, size_t i, int64_t last)
{
	int64_t time = firefox_at(&s->time, i);

	if (time == FIREFOX_NULL || f->has_offsets)
		return last;
	if (s->has_deltas)
		time = num_add_capped(last, time);
	if (!f->has_times || time < f->first)
		f->first = time;
	if (!f->has_times || time > f->last)
		f->last = time;
	f->has_times = true;
	return time;
}

/* Add a value to the row of a stack, which may be STACK_TREE_NONE. time: NULL for no label. */
static void firefox_add_row(struct firefox_reader *f, const struct firefox_thread *t, uint32_t stack, int64_t value,
			    const int64_t *time)
{
	struct builder *b = f->tables.b;
	int64_t values[N_FIREFOX_WEIGHTS] = { 0 };
	uint32_t labels[FIREFOX_LABELS_MAX];
	size_t n_labels = t->n_labels, n = 0;
	struct jsonr *r = &f->r;

	memcpy(labels, t->labels, sizeof(labels));
	values[f->type[t->weight] - 1] = value;
	if (time && !r->rc)
		r->rc = builder_time_label(b, *time, &labels[n_labels++], f->tables.err);
	if (!r->rc)
		r->rc = stack_tree_walk(&f->tables.stacks, stack, &n, f->tables.err);
	if (!r->rc)
		r->rc = merged_rows_add(f->rows, values, f->tables.stacks.stack, n, labels, n_labels, f->tables.err);
}

/* The number of the stack of a sample; that of all stacks for none. */
static size_t firefox_stack(struct firefox_reader *f, const struct firefox_samples *s, size_t i)
{
	const size_t n = f->tables.stacks.n;
	int64_t stack = s->stack.v[i];

	if (stack == FIREFOX_NULL)
		return n;
	if (stack >= 0 && (uint64_t)stack < n)
		return (size_t)stack;
	jsonr_fail(&f->r, ERR_FORMAT, "sample %zu has the stack %lld; there are %zu", i, (long long)stack, n);
	return n;
}

static int64_t firefox_weight(const struct firefox_thread *t, const struct firefox_samples *s, size_t i)
{
	if (!s->has_weights)
		return t->weight == FIREFOX_MS ? FIREFOX_NS_PER_MS : 1;
	return s->weight.v[i] == FIREFOX_NULL ? 0 : s->weight.v[i];
}

static void firefox_add_samples(struct firefox_reader *f, const struct firefox_thread *t,
				const struct firefox_samples *s)
{
	const size_t n = f->tables.stacks.n, before = f->cap_sums;
	int64_t time = 0;

	f->sum = mem_grow(f->sum, &f->cap_sums, n + 1, sizeof(*f->sum));
	for (size_t i = before; i < f->cap_sums; i++)
		f->sum[i] = 0;
	for (size_t i = 0; i < s->stack.n && !f->r.rc; i++) {
		size_t stack = firefox_stack(f, s, i);
		int64_t weight = firefox_weight(t, s, i);

		time = firefox_time(f, s, i, time);
		if (f->options->keeps_times && !f->has_offsets)
			firefox_add_row(f, t, stack == n ? STACK_TREE_NONE : (uint32_t)stack, weight, &time);
		else
			f->sum[stack] = num_add_capped(f->sum[stack], weight);
	}
	for (size_t i = 0; i < s->stack.n && !f->r.rc; i++) {
		size_t stack = firefox_stack(f, s, i);
		int64_t value = f->sum[stack];

		f->sum[stack] = 0;
		if (value)
			firefox_add_row(f, t, stack == n ? STACK_TREE_NONE : (uint32_t)stack, value, NULL);
	}
}

static void firefox_read_thread(struct firefox_reader *f, const struct firefox_thread *t)
{
	struct firefox_positions at = t->at;
	struct firefox_samples samples = { .has_deltas = false };

	if (!t->samples)
		return;
	firefox_share(&f->shared, &at);
	firefox_read_tables(&f->tables, &at);
	firefox_read_samples(f, t, &samples);
	firefox_add_samples(f, t, &samples);
	free(samples.stack.v);
	free(samples.time.v);
	free(samples.weight.v);
}

static void firefox_release(struct firefox_reader *f)
{
	jsonr_release(&f->r);
	merged_rows_free(f->rows);
	named_frames_free(f->tables.names);
	firefox_tables_release(&f->tables);
	free(f->sum);
	builder_free(f->tables.b);
	free(f->thread);
}

int firefox_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		 struct err *err)
{
	struct builder *b = builder_new();
	struct firefox_reader f = {
		.options = options,
		.tables = { .b = b, .names = named_frames_new(b, options), .r = &f.r, .err = err },
	};
	int rc;

	firefox_tables_init(&f.tables);
	jsonr_init(&f.r, data, n, JSONR_DEPTH, err);
	firefox_scan(&f);
	firefox_add_types(&f);
	f.rows = merged_rows_new(b, options, n);
	for (size_t i = 0; i < f.n_threads && !f.r.rc; i++) {
		firefox_read_thread(&f, &f.thread[i]);
		if (f.r.rc)
			err_wrap(err, "thread %zu", i + 1);
	}
	if (f.has_times && __builtin_sub_overflow(f.last, f.first, &builder_meta(b)->duration_ns))
		builder_meta(b)->duration_ns = 0;
	skipped_add_comment(&f.allocations, b, "firefox: skipped", "table of allocations", "tables of allocations",
			    NULL);
	rc = f.r.rc;
	if (rc == 0)
		*out = builder_seal(b);
	firefox_release(&f);
	return rc;
}
