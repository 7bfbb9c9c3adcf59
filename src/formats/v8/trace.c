/*
 * trace.c - CPU profiles in traces of Chromium
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile is an event Profile of the thread that is sampled, and events ProfileChunk of the thread that takes the
 * samples, with the same pid and id. Chunks are sorted by their times. An old trace has events CpuProfile, each of which
 * is a .cpuprofile. The arguments of an event come before its name, so they are read in a second pass over the event.
 */
#include "config.h"

#include "formats/v8/v8.h"
#include "formats/v8/v8_int.h"

#include "base/hash.h"
#include "base/mem.h"
#include "formats/json/kind.h"

#include <stdlib.h>

enum { TRACE_EXPECTED = 64, TRACE_LABELS = 3 };

/* Kinds of events. */
enum trace_event_kind { TRACE_OTHER, TRACE_META, TRACE_THREAD_NAME, TRACE_PROFILE, TRACE_CHUNK, TRACE_CPU_PROFILE };

struct trace_event {
	enum trace_event_kind kind;
	int64_t pid, tid, ts;
	str_id id;
	size_t args; /* position of its arguments; 0: none */
	char phase;
};

struct v8_trace_thread {
	int64_t pid, tid;
	str_id name;
};

struct v8_trace {
	struct v8 v;
	struct jsonr r, args; /* args: the second pass */
	struct idtab group_at;
	struct v8_trace_thread *thread; /* [n_threads] */
	size_t n_threads, cap_threads;
	size_t n_spans; /* events with a beginning and an end, of tracers that take no samples */
	struct skipped others;
};

/* ---- events ---- */

static enum trace_event_kind trace_kind(const struct jsonr *r)
{
	if (jsonr_is(r, "ProfileChunk"))
		return TRACE_CHUNK;
	if (jsonr_is(r, "Profile"))
		return TRACE_PROFILE;
	if (jsonr_is(r, "CpuProfile"))
		return TRACE_CPU_PROFILE;
	return jsonr_is(r, "thread_name") ? TRACE_THREAD_NAME : TRACE_OTHER;
}

/* Read an id, which may be a text, a number or an object with a text. */
static str_id trace_id(struct v8_trace *t)
{
	struct jsonr *r = &t->r;
	unsigned depth = r->depth;
	str_id id = 0;

	do {
		enum jsonr_event event = jsonr_next(r);

		if (event == JSONR_ERROR || event == JSONR_END)
			break;
		if (event == JSONR_STRING || event == JSONR_NUMBER)
			id = strtab_add(builder_strings(t->v.b), r->text, r->len);
	} while (r->depth > depth);
	return id;
}

static void trace_read_event_field(struct v8_trace *t, struct trace_event *e)
{
	struct jsonr *r = &t->r;

	if (jsonr_is(r, "name") && jsonr_peek(r) == '"') {
		jsonr_string(r);
		e->kind = trace_kind(r);
	} else if (jsonr_is(r, "ph") && jsonr_peek(r) == '"') {
		jsonr_string(r);
		e->phase = r->len ? *r->text : '\0';
	} else if (jsonr_is(r, "args")) {
		e->args = r->at;
		jsonr_skip(r);
	} else if (jsonr_is(r, "id") || jsonr_is(r, "id2")) {
		e->id = trace_id(t);
	} else {
		char first = jsonr_is(r, "pid") || jsonr_is(r, "tid") || jsonr_is(r, "ts") ? jsonr_peek(r) : '\0';

		if (first != '-' && (first < '0' || first > '9'))
			jsonr_skip(r);
		else
			jsonr_int(r, r->text[0] == 'p' ? &e->pid : r->text[1] == 's' ? &e->ts : &e->tid);
	}
}

/* ---- profiles ---- */

/* The group of an event; a new one if there is none. */
static uint32_t trace_group(struct v8_trace *t, const struct trace_event *e)
{
	const int64_t tid = e->id ? 0 : e->tid; /* without an id the thread is the key */
	uint64_t hash = hash_mix(hash_u64((uint64_t)e->pid), hash_mix(hash_u64((uint64_t)tid), hash_u64(e->id)));
	uint32_t i;

	for (size_t at = idtab_start(&t->group_at, hash);
	     e->kind != TRACE_CPU_PROFILE && idtab_next(&t->group_at, hash, &at, &i);) {
		const struct v8_group *g = &t->v.group[i];

		if (g->pid == e->pid && g->id == e->id && (e->id || g->tid == e->tid))
			return i;
	}
	i = v8_add_group(&t->v, &(struct v8_group){ .pid = e->pid, .tid = e->tid, .id = e->id });
	if (e->kind != TRACE_CPU_PROFILE)
		idtab_put(&t->group_at, hash, i);
	return i;
}

/* Read the data of an event. The profile may be one level deeper than its times. */
static void trace_read_data(struct v8_trace *t, struct v8_part *part)
{
	struct jsonr *r = &t->args;

	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		if (jsonr_is(r, "cpuProfile"))
			v8_read_object(&t->v, r, part);
		else
			v8_read_field(&t->v, r, part);
	}
}

static void trace_read_profile(struct v8_trace *t, const struct trace_event *e)
{
	struct v8_part part = { .group = trace_group(t, e), .at = e->ts };
	struct jsonr *r = &t->args;

	if (e->kind == TRACE_PROFILE)
		t->v.group[part.group].tid = e->tid;
	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r)) {
			if (jsonr_is(r, "data"))
				trace_read_data(t, &part);
			else
				jsonr_skip(r);
		}
	v8_add_part(&t->v, &part);
}

static void trace_read_thread_name(struct v8_trace *t, const struct trace_event *e)
{
	struct v8_trace_thread thread = { .pid = e->pid, .tid = e->tid };
	struct jsonr *r = &t->args;

	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r)) {
			if (!jsonr_is(r, "name"))
				jsonr_skip(r);
			else if (jsonr_string(r))
				thread.name = strtab_add(builder_strings(t->v.b), r->text, r->len);
		}
	t->thread = mem_grow(t->thread, &t->cap_threads, t->n_threads + 1, sizeof(*t->thread));
	t->thread[t->n_threads++] = thread;
}

static void trace_read_event(struct v8_trace *t)
{
	struct trace_event e = { 0 };
	struct jsonr *r = &t->r;

	if (jsonr_peek(r) != '{') {
		jsonr_skip(r);
		return;
	}
	jsonr_open(r, JSONR_OBJECT);
	while (jsonr_key(r))
		trace_read_event_field(t, &e);
	if (r->rc)
		return;
	if (e.kind == TRACE_OTHER && e.phase != 'M')
		skipped_add(&t->others, 0);
	t->n_spans += e.phase == 'B' || e.phase == 'X';
	if (e.kind == TRACE_OTHER || !e.args)
		return;
	jsonr_seek(&t->args, e.args);
	if (e.kind == TRACE_THREAD_NAME)
		trace_read_thread_name(t, &e);
	else
		trace_read_profile(t, &e);
	if (t->args.rc)
		r->rc = t->args.rc;
}

static void trace_read_events(struct v8_trace *t)
{
	if (jsonr_open(&t->r, JSONR_ARRAY))
		while (jsonr_item(&t->r))
			trace_read_event(t);
}

static void trace_read_all(struct v8_trace *t)
{
	struct jsonr *r = &t->r;

	if (jsonr_peek(r) == '[') {
		trace_read_events(t);
	} else if (jsonr_open(r, JSONR_OBJECT)) {
		while (jsonr_key(r)) {
			if (jsonr_is(r, "traceEvents"))
				trace_read_events(t);
			else
				jsonr_skip(r);
		}
	}
	jsonr_end(r);
}

/* ---- rows ---- */

static int compare_trace_parts(const void *a, const void *b)
{
	const struct v8_part *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The name of a thread; the last one that it was given. */
static str_id trace_thread_name(const struct v8_trace *t, const struct v8_group *g)
{
	for (size_t i = t->n_threads; i-- > 0;)
		if (t->thread[i].pid == g->pid && t->thread[i].tid == g->tid)
			return t->thread[i].name;
	return 0;
}

static int trace_labels(struct v8_trace *t, const struct v8_group *g, uint32_t labels[TRACE_LABELS], size_t *n)
{
	struct builder *b = t->v.b;
	struct strtab *str = builder_strings(b);
	const struct builder_label name = { .key = strtab_addz(str, "thread"),
					    .text = trace_thread_name(t, g),
					    .is_text = true },
				   tid = { .key = strtab_addz(str, "tid"), .num = g->tid },
				   pid = { .key = strtab_addz(str, "pid"), .num = g->pid };
	int rc = 0;

	*n = 0;
	if (name.text)
		rc = builder_label(b, &name, &labels[(*n)++], t->v.err);
	rc = rc < 0 ? rc : builder_label(b, &tid, &labels[(*n)++], t->v.err);
	return rc < 0 ? rc : builder_label(b, &pid, &labels[(*n)++], t->v.err);
}

static int trace_build(struct v8_trace *t, size_t n_bytes)
{
	struct v8 *v = &t->v;
	int rc = v8_link(v);

	v8_add_types(v);
	v->rows = merged_rows_new(v->b, v->options, n_bytes);
	if (v->n_parts)
		qsort(v->part, v->n_parts, sizeof(*v->part), compare_trace_parts);
	for (size_t i = 0, n; rc == 0 && i < v->n_parts; i += n) {
		const struct v8_part *first = &v->part[i];
		uint32_t labels[TRACE_LABELS];
		size_t n_labels;

		for (n = 1; i + n < v->n_parts && first[n].group == first->group; n++)
			;
		rc = trace_labels(t, &v->group[first->group], labels, &n_labels);
		if (rc == 0)
			rc = v8_add_rows(v, first->group, first, n, labels, n_labels);
	}
	v8_add_comments(v, "chrome-trace");
	skipped_add_comment(&t->others, v->b, "chrome-trace: skipped", "event that is no part of a CPU profile",
			    "events that are no part of a CPU profile", NULL);
	return rc;
}

/* After reading: a trace that ends within an event is used up to there. */
static int trace_check(struct v8_trace *t, struct err *err)
{
	struct buf text = { 0 };

	if (t->r.rc && t->r.is_cut && t->v.n_parts) {
		buf_addf(&text, "chrome-trace: the file ends within an event, at byte %zu; events before it are read",
			 t->r.start);
		builder_comment(t->v.b, strtab_addz(builder_strings(t->v.b), buf_text(&text)));
		buf_release(&text);
		return 0;
	}
	if (t->r.rc || t->v.n_parts)
		return t->r.rc;
	return err_set(err, ERR_FORMAT,
		       "the trace has no CPU profile of V8 (events Profile and ProfileChunk); %zu other events; record "
		       "with the category disabled-by-default-v8.cpu_profiler, or open it at ui.perfetto.dev",
		       t->others.n);
}

int v8_read_trace(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		  struct err *err)
{
	struct v8_trace t = { .n_threads = 0 };
	int rc;

	v8_init(&t.v, options, err);
	idtab_init(&t.group_at, TRACE_EXPECTED);
	jsonr_init(&t.r, data, n, JSONR_DEPTH_OF_CALLS, err);
	jsonr_init(&t.args, data, n, JSONR_DEPTH_OF_CALLS, err);
	trace_read_all(&t);
	rc = trace_check(&t, err);
	rc = rc < 0 ? rc : trace_build(&t, n);
	if (rc == 0)
		*out = builder_seal(t.v.b);
	jsonr_release(&t.r);
	jsonr_release(&t.args);
	idtab_release(&t.group_at);
	free(t.thread);
	v8_release(&t.v);
	return rc;
}
