/*
 * events.c - events of a chunk as rows
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Allocations are in a recording up to three times: sampled, and per kind of buffer. CPU time is sampled by one or two
 * samplers, and wall time by another. Each kind is a sample type of its own, so nothing is counted twice.
 */
#include "config.h"

#include "formats/jfr/jfr_int.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct jfr_event jfr_events[] = {
	{ "jdk.ExecutionSample", ROLE_EXECUTION, KIND_CPU, SLOT_NONE, true },
	{ "jdk.NativeMethodSample", ROLE_EXECUTION, KIND_CPU, SLOT_NONE, true },
	{ "jdk.CPUTimeSample", ROLE_SAMPLE, KIND_CPU_TIME, SLOT_SAMPLING_PERIOD, false },
	{ "profiler.WallClockSample", ROLE_SAMPLES, KIND_WALL, SLOT_SAMPLES, true },
	{ "datadog.ExecutionSample", ROLE_SAMPLES, KIND_CPU, SLOT_WEIGHT, true },
	{ "datadog.MethodSample", ROLE_SAMPLES, KIND_WALL, SLOT_WEIGHT, true },
	{ "datadog.ObjectSample", ROLE_WEIGHTED, KIND_ALLOC, SLOT_SIZE, false },
	{ "datadog.HeapLiveObject", ROLE_WEIGHTED, KIND_LIVE, SLOT_SIZE, false },
	{ "datadog.DatadogProfilerConfig", ROLE_PERIODS, KIND_CPU, SLOT_NONE, false },
	{ "jdk.ObjectAllocationInNewTLAB", ROLE_SAMPLE, KIND_IN_NEW_TLAB, SLOT_TLAB_SIZE, false },
	{ "jdk.ObjectAllocationOutsideTLAB", ROLE_SAMPLE, KIND_OUTSIDE_TLAB, SLOT_ALLOCATION_SIZE, false },
	{ "jdk.ObjectAllocationSample", ROLE_SAMPLE, KIND_ALLOC, SLOT_WEIGHT, false },
	{ "profiler.LiveObject", ROLE_SAMPLE, KIND_LIVE, SLOT_ALLOCATION_SIZE, false },
	{ "profiler.Malloc", ROLE_MALLOC, KIND_MALLOC, SLOT_SIZE, false },
	{ "profiler.Free", ROLE_FREE, KIND_MALLOC, SLOT_NONE, false },
	{ "jdk.JavaMonitorEnter", ROLE_SAMPLE, KIND_LOCK, SLOT_DURATION, true },
	{ "jdk.JavaMonitorWait", ROLE_SAMPLE, KIND_LOCK, SLOT_DURATION, true },
	{ "jdk.ThreadPark", ROLE_SAMPLE, KIND_LOCK, SLOT_DURATION, true },
	{ "jdk.ThreadSleep", ROLE_SAMPLE, KIND_SLEEP, SLOT_DURATION, false },
	{ "jdk.SocketRead", ROLE_SAMPLE, KIND_IO, SLOT_DURATION, true },
	{ "jdk.SocketWrite", ROLE_SAMPLE, KIND_IO, SLOT_DURATION, true },
	{ "jdk.FileRead", ROLE_SAMPLE, KIND_IO, SLOT_DURATION, true },
	{ "jdk.FileWrite", ROLE_SAMPLE, KIND_IO, SLOT_DURATION, true },
	{ "jdk.FileForce", ROLE_SAMPLE, KIND_IO, SLOT_DURATION, true },
	{ "jdk.ActiveSetting", ROLE_SETTING, KIND_CPU, SLOT_NONE, false },
	{ "jdk.CPUTimeSamplesLost", ROLE_LOST_SAMPLES, KIND_CPU_TIME, SLOT_LOST_SAMPLES, false },
	{ "jdk.DataLoss", ROLE_LOST_BYTES, KIND_CPU, SLOT_AMOUNT, false },
};
const size_t n_jfr_events = sizeof(jfr_events) / sizeof(jfr_events[0]);

int64_t jfr_to_ns(const struct jfr_reader *r, int64_t v, enum jfr_unit unit)
{
	static const int64_t unit_ns[] = {
		[UNIT_NS] = 1, [UNIT_US] = 1000, [UNIT_MS] = 1000000, [UNIT_S] = 1000000000
	};
	__int128_t ns = v;

	if (unit == UNIT_NONE || unit == UNIT_TICKS)
		ns = ns * 1000000000 / r->c.ticks_per_s;
	else
		ns *= unit_ns[unit];
	return ns > INT64_MAX ? INT64_MAX : ns < -INT64_MAX ? -INT64_MAX : (int64_t)ns;
}

/* The time of an event since 1970. */
static int64_t jfr_event_time(const struct jfr_reader *r, const struct jfr_fields *fields)
{
	int64_t ticks;

	if (!jfr_get(fields, SLOT_START_TIME)->field ||
	    __builtin_sub_overflow(jfr_get(fields, SLOT_START_TIME)->num, r->c.start_ticks, &ticks))
		return r->c.start_ns;
	return num_add_capped(r->c.start_ns, jfr_to_ns(r, ticks, UNIT_TICKS));
}

/* Add to the row of a stack, labels and kind. */
static int jfr_add_row(struct jfr_reader *r, uint32_t stack, uint32_t labels, enum jfr_kind kind, int64_t count,
		       int64_t value, struct err *err)
{
	uint64_t hash = hash_mix(hash_u64((uint64_t)stack << 32 | labels), hash_u64(kind));
	uint32_t i;

	r->has_kind[kind] = true;
	for (size_t at = idtab_start(&r->by_row, hash); idtab_next(&r->by_row, hash, &at, &i);) {
		struct jfr_row *row = &r->row[i];

		if (row->stack != stack || row->labels != labels || row->kind != kind)
			continue;
		row->count = num_add_capped(row->count, count);
		row->value = num_add_capped(row->value, value);
		return 0;
	}
	if (format_exceeds(r->n_rows + 1, r->options->max_count) || r->n_rows >= UINT32_MAX - 1)
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " samples; raise the limit with --max-count",
			       r->options->max_count);
	idtab_put(&r->by_row, hash, (uint32_t)r->n_rows);
	r->row = mem_grow(r->row, &r->cap_rows, r->n_rows + 1, sizeof(*r->row));
	r->row[r->n_rows++] = (struct jfr_row){ stack, labels, kind, count, value };
	return 0;
}

/* Return true for a state of async-profiler that is not CPU time. */
static bool jfr_is_wall_state(const struct jfr_reader *r, str_id state)
{
	const char *text = strtab_text(r->str, state);

	return r->is_async && (strcmp(text, "STATE_RUNNABLE") == 0 || strcmp(text, "STATE_SLEEPING") == 0);
}

/* A sample to be added as a row. */
struct jfr_sample {
	enum jfr_kind kind;
	int64_t count, value, time_ns;
	str_id state;
};

/* Note that the value of a kind is known; count samples of which it is not. */
static void jfr_note_period(struct jfr_reader *r, struct jfr_sample *s, int64_t period_ns, size_t at)
{
	if (__builtin_mul_overflow(period_ns, s->count, &s->value))
		s->value = INT64_MAX;
	if (period_ns > 0)
		r->has_time[s->kind] = true;
	else
		skipped_add(&r->periods, at);
	if (s->kind == KIND_CPU && r->period_ns == 0)
		r->period_ns = period_ns;
}

/* Set the number and the bytes of sampled objects. Allocations are counted as samples, as those of HotSpot. */
static void jfr_weigh(struct jfr_sample *s, int64_t size, double weight)
{
	double bytes = (double)size * weight;

	if (s->kind == KIND_LIVE)
		s->count = weight >= 0 && weight < 0x1p62 ? (int64_t)(weight + 0.5) : -1;
	s->value = bytes >= 0 && bytes < 0x1p62 ? (int64_t)(bytes + 0.5) : -1;
}

/* The number and the value of a sample. */
static struct jfr_sample jfr_measure(struct jfr_reader *r, const struct jfr_event *e, const struct jfr_class *class,
				     const struct jfr_fields *fields, size_t at)
{
	const struct jfr_value *v = jfr_get(fields, e->value);
	struct jfr_sample s = { .kind = e->kind, .count = 1 };
	bool is_time = e->value == SLOT_DURATION || e->value == SLOT_SAMPLING_PERIOD;

	if (e->role == ROLE_MALLOC || r->options->keeps_times)
		s.time_ns = jfr_event_time(r, fields);
	if (e->role == ROLE_EXECUTION || e->role == ROLE_SAMPLES)
		s.state = jfr_text(r, jfr_get(fields, SLOT_STATE));
	if (e->role == ROLE_EXECUTION && jfr_is_wall_state(r, s.state))
		s.kind = KIND_WALL;
	if (e->role == ROLE_SAMPLES && v->field)
		s.count = v->num;
	if (e->role == ROLE_SAMPLE || e->role == ROLE_MALLOC)
		s.value = v->field && is_time ? jfr_to_ns(r, v->num, (enum jfr_unit)v->field->unit) : v->num;
	if (e->role == ROLE_WEIGHTED)
		jfr_weigh(&s, v->num, jfr_real(jfr_get(fields, SLOT_WEIGHT)));
	if (s.value < 0 || s.count < 0) {
		skipped_add(&r->negative, at);
		s.value = s.value < 0 ? 0 : s.value;
		s.count = s.count < 0 ? 0 : s.count;
	}
	if (s.kind == KIND_CPU || s.kind == KIND_WALL)
		jfr_note_period(r, &s, s.kind == KIND_WALL ? r->wall_ns : class->period_ns, at);
	return s;
}

/* Set r->label to the labels of an event, and labels to the id of all. */
static int jfr_add_labels(struct jfr_reader *r, const struct jfr_event *e, const struct jfr_fields *fields,
			  const struct jfr_sample *s, bool is_truncated, size_t at, uint32_t *labels, struct err *err)
{
	static const enum jfr_slot classes[] = { SLOT_OBJECT_CLASS, SLOT_MONITOR_CLASS, SLOT_PARKED_CLASS };
	bool is_sampled = jfr_get(fields, SLOT_SAMPLED_THREAD)->field;
	str_id class = 0;
	int rc;

	r->n_labels = 0;
	rc = jfr_add_thread(r, jfr_get(fields, is_sampled ? SLOT_SAMPLED_THREAD : SLOT_EVENT_THREAD), err);
	for (size_t i = 0; class == 0 && i < sizeof(classes) / sizeof(classes[0]); i++)
		if (jfr_get(fields, classes[i])->field)
			class = jfr_class_name(r, jfr_get(fields, classes[i]));
	rc = rc < 0 ? rc : jfr_add_text_label(r, r->key_class, class, err);
	rc = rc < 0 ? rc : jfr_add_text_label(r, r->key_state, s->state, err);
	if (e->has_event_label && rc == 0)
		rc = jfr_add_text_label(r, r->key_event, strtab_addz(r->str, e->name), err);
	if (is_truncated && rc == 0)
		rc = jfr_add_text_label(r, r->key_truncated, r->key_true, err);
	rc = rc < 0 ? rc : jfr_add_context(r, fields, at, err);
	if (r->options->keeps_times && rc == 0)
		rc = builder_time_label(r->b, num_sub_capped(s->time_ns, r->first_ns), &r->label[r->n_labels++], err);
	return rc < 0 ? rc : builder_label_set(r->b, r->label, r->n_labels, labels, err);
}

static void jfr_add_block(struct jfr_reader *r, const struct jfr_block *b)
{
	r->block = mem_grow(r->block, &r->cap_blocks, r->n_blocks + 1, sizeof(*r->block));
	r->block[r->n_blocks++] = *b;
	r->has_frees |= b->is_free;
}

static int jfr_read_sample(struct jfr_reader *r, const struct jfr_event *e, const struct jfr_class *class,
			   const struct jfr_fields *fields, size_t at, struct err *err)
{
	struct jfr_sample s = jfr_measure(r, e, class, fields, at);
	struct jfr_block block = { .address = (uint64_t)jfr_get(fields, SLOT_ADDRESS)->num,
				   .time_ns = s.time_ns,
				   .size = s.value };
	bool is_truncated;
	int rc = jfr_stack(r, jfr_get(fields, SLOT_STACK), &block.stack, &is_truncated, err);

	r->n_events++;
	r->n_truncated += is_truncated;
	rc = rc < 0 ? rc : jfr_add_labels(r, e, fields, &s, is_truncated, at, &block.labels, err);
	if (rc == 0 && e->role == ROLE_MALLOC)
		jfr_add_block(r, &block);
	return rc < 0 ? rc : jfr_add_row(r, block.stack, block.labels, s.kind, s.count, s.value, err);
}

static int jfr_read_event(struct jfr_reader *r, const struct jfr_class *class, struct jfr_cursor *content, size_t at,
			  struct err *err)
{
	const struct jfr_event *e = &jfr_events[class->event];
	struct jfr_fields fields;

	if (e->role == ROLE_SETTING || e->role == ROLE_PERIODS)
		return 0;
	jfr_read_fields(&r->c, (uint32_t)(class - r->c.class), content, &fields);
	if (content->is_bad)
		return err_set(err, ERR_FORMAT, "byte %zu: an event %s is shorter than its fields", at, e->name);
	switch (e->role) {
	case ROLE_LOST_SAMPLES:
		r->n_lost_samples = num_add_capped(r->n_lost_samples, jfr_get(&fields, e->value)->num);
		return 0;
	case ROLE_LOST_BYTES:
		r->n_lost_bytes = num_add_capped(r->n_lost_bytes, jfr_get(&fields, e->value)->num);
		return 0;
	case ROLE_FREE:
		jfr_add_block(r, &(struct jfr_block){ .address = (uint64_t)jfr_get(&fields, SLOT_ADDRESS)->num,
						      .time_ns = jfr_event_time(r, &fields),
						      .is_free = true });
		return 0;
	default:
		return jfr_read_sample(r, e, class, &fields, at, err);
	}
}

/* Return true if the events of a class have a stack. */
static bool jfr_class_has_stack(const struct jfr_reader *r, const struct jfr_class *class)
{
	for (uint32_t i = 0; i < class->n; i++)
		if (r->c.field[class->field + i].slot == SLOT_STACK)
			return true;
	return false;
}

/* Add up the events with stacks that are not read, by class. */
static void jfr_count_unread(struct jfr_reader *r)
{
	for (size_t i = 0; i < r->c.n_classes; i++) {
		const struct jfr_class *class = &r->c.class[i];
		size_t at = 0;
		str_id name;

		if (class->n_unread == 0 || !jfr_class_has_stack(r, class))
			continue;
		r->n_unread_events += class->n_unread;
		name = strtab_addz(r->str, class->name);
		while (at < r->n_unread && r->unread[at].name != name)
			at++;
		if (at == JFR_UNREAD_MAX)
			continue;
		r->n_unread += at == r->n_unread;
		r->unread[at].name = name;
		r->unread[at].n += class->n_unread;
	}
}

int jfr_read_events(struct jfr_reader *r, struct err *err)
{
	struct jfr_cursor content;
	size_t at = jfr_chunk_first(&r->c), event = at;
	uint64_t type;
	int rc = 0;

	for (; rc == 0 && jfr_chunk_next(&r->c, &at, &type, &content); event = at) {
		uint32_t class = type > 1 ? jfr_chunk_find_class(&r->c, type) : JFR_UNRESOLVED;

		if (class == JFR_UNRESOLVED)
			continue;
		if (r->c.class[class].event == JFR_UNRESOLVED)
			r->c.class[class].n_unread++;
		else
			rc = jfr_read_event(r, &r->c.class[class], &content, event, err);
	}
	if (rc == 0 && r->c.is_damaged)
		return err_set(err, ERR_FORMAT, "byte %zu: an event of an impossible size", event);
	jfr_count_unread(r);
	return rc;
}

static int jfr_compare_blocks(const void *a, const void *b)
{
	const struct jfr_block *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

int jfr_add_leaks(struct jfr_reader *r, struct err *err)
{
	int rc = 0;

	if (!r->has_frees || r->n_blocks == 0)
		return 0;
	qsort(r->block, r->n_blocks, sizeof(*r->block), jfr_compare_blocks);
	for (size_t i = 0; rc == 0 && i < r->n_blocks; i++) {
		const struct jfr_block *b = &r->block[i];

		/* a block at an address that is used again was freed, even if that was not recorded */
		if (!b->is_free && (i + 1 == r->n_blocks || b[1].address != b->address))
			rc = jfr_add_row(r, b->stack, b->labels, KIND_LEAK, 1, b->size, err);
	}
	return rc;
}
