/*
 * event.c - events of a recording: attributes, ids, names, and the sample types they become
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "formats/perf/perf_int.h"

#include <inttypes.h>
#include <stdio.h>

enum { AT_CONFIG = 8, AT_PERIOD = 16, AT_SAMPLE_TYPE = 24, AT_READ_FORMAT = 32, AT_FLAGS = 40 };
enum { AT_BRANCH_TYPE = 72, AT_REGS_USER = 80 };
enum { FLAG_FREQ = 1 << 10, FLAG_SAMPLE_ID_ALL = 1 << 18, IDS_MAX = 1 << 20 };
enum { HARDWARE, SOFTWARE, TRACEPOINT, HW_CACHE, RAW, BREAKPOINT };
enum { CONFIG_DUMMY = 9, CONFIG_TASK_CLOCK = 1 };

/* The fields that a trailer, or the start of a sample, has before the id; each has 8 bytes. */
#define BEFORE_ID ((uint64_t)(PERF_HAS_IP | PERF_HAS_TID | PERF_HAS_TIME | PERF_HAS_ADDR))
#define TRAILER_FROM_ID ((uint64_t)(PERF_HAS_ID | PERF_HAS_STREAM_ID | PERF_HAS_CPU | PERF_HAS_IDENTIFIER))

static unsigned event_words(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits) * 8;
}

/* A word of an attr; 0 if it is too short. */
static uint64_t event_word(const struct perf_reader *r, const uint8_t *attr, size_t n, size_t at)
{
	return at + sizeof(uint64_t) <= n ? perfdata_u64(r, attr + at) : 0;
}

/* The flags are bit fields: on a big-endian machine the first flag is the highest bit of the first byte. */
static uint64_t event_flags(const struct perf_reader *r, const uint8_t *p)
{
	enum { BYTE = 8 };
	uint64_t flags = 0;

	for (unsigned i = 0; i < sizeof(flags) * BYTE; i++)
		flags |= (uint64_t)(p[i / BYTE] >> (r->is_big ? BYTE - 1 - i % BYTE : i % BYTE) & 1) << i;
	return flags;
}

/* Append what restricts an event, in perf's letters: the modes that it counts, the precision of its address. */
static void event_add_modifiers(const struct perf_reader *r, const struct perf_event *e, char *to, size_t n)
{
	enum { NO_USER = 1 << 4, NO_KERNEL = 1 << 5, NO_HYPERVISOR = 1 << 6, NO_HOST = 1 << 19, NO_GUEST = 1 << 20 };
	enum { FIRST_PRECISE = 1 << 15, SECOND_PRECISE = 1 << 16 };
	unsigned first = !!(e->flags & FIRST_PRECISE), second = !!(e->flags & SECOND_PRECISE);
	unsigned precise = r->is_big ? first << 1 | second : first | second << 1;
	bool has_modes = e->flags & (NO_USER | NO_KERNEL | NO_HYPERVISOR);
	bool has_hosts = e->flags & NO_HOST || !!(e->flags & NO_GUEST) == (has_modes || precise);
	size_t at = strlen(to);

	if (!has_modes && !precise && !has_hosts)
		return;
	snprintf(to + at, n - at, ":%s%s%s%.*s%s%s", has_modes && !(e->flags & NO_KERNEL) ? "k" : "",
		 has_modes && !(e->flags & NO_USER) ? "u" : "", has_modes && !(e->flags & NO_HYPERVISOR) ? "h" : "",
		 (int)precise, "ppp", has_hosts && !(e->flags & NO_HOST) ? "H" : "",
		 has_hosts && !(e->flags & NO_GUEST) ? "G" : "");
}

/* The name of an event that the file does not name. */
static void event_default_name(const struct perf_event *e, char *to, size_t n)
{
	static const char *const hardware[] = {
		"cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
		"branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"
	};
	static const char *const software[] = { "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
						"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
						"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches" };
	uint32_t config = (uint32_t)e->config; /* the upper half is the kind of CPU */

	if (e->type == HARDWARE && config < sizeof(hardware) / sizeof(hardware[0]))
		snprintf(to, n, "%s", hardware[config]);
	else if (e->type == SOFTWARE && config < sizeof(software) / sizeof(software[0]))
		snprintf(to, n, "%s", software[config]);
	else if (e->type == RAW)
		snprintf(to, n, "r%" PRIx64, e->config);
	else
		snprintf(to, n, "%s-%" PRIu64,
			 e->type == TRACEPOINT   ? "tracepoint"
			 : e->type == HW_CACHE   ? "cache"
			 : e->type == BREAKPOINT ? "breakpoint"
						 : "event",
			 e->config);
}

int perfdata_event_add(struct perf_reader *r, const uint8_t *attr, size_t n, struct err *err)
{
	struct perf_event e = { .n_attr = (uint32_t)n, .column = PERF_NONE, .count_column = PERF_NONE };

	if (n < AT_FLAGS + sizeof(uint64_t))
		return err_set(err, ERR_FORMAT, "perf.data: an event of %zu bytes", n);
	e.type = perfdata_u32(r, attr);
	e.config = event_word(r, attr, n, AT_CONFIG);
	e.period = event_word(r, attr, n, AT_PERIOD);
	e.sample_type = event_word(r, attr, n, AT_SAMPLE_TYPE);
	e.read_format = event_word(r, attr, n, AT_READ_FORMAT);
	e.flags = event_flags(r, attr + AT_FLAGS);
	e.branch_type = event_word(r, attr, n, AT_BRANCH_TYPE);
	e.regs_user = event_word(r, attr, n, AT_REGS_USER);
	r->event = mem_grow(r->event, &r->cap_events, r->n_events + 1, sizeof(e));
	r->event[r->n_events++] = e;
	return 0;
}

uint32_t perfdata_event_find_id(struct perf_reader *r, uint64_t id)
{
	uint64_t h;
	uint32_t i;

	if (r->last_id < r->n_ids && r->id[r->last_id].id == id)
		return r->last_id;
	h = hash_u64(id);
	for (size_t pos = idtab_start(&r->id_tab, h); idtab_next(&r->id_tab, h, &pos, &i);)
		if (r->id[i].id == id)
			return r->last_id = i;
	return PERF_NONE;
}

int perfdata_event_add_ids(struct perf_reader *r, const uint8_t *ids, size_t n, struct err *err)
{
	if (n > IDS_MAX - r->n_ids)
		return err_set(err, ERR_LIMIT, "perf.data: more than %d ids of events", (int)IDS_MAX);
	r->id = mem_grow(r->id, &r->cap_ids, r->n_ids + n, sizeof(*r->id));
	for (size_t i = 0; i < n; i++) {
		struct perf_id new = { perfdata_u64(r, ids + i * sizeof(uint64_t)), 0, (uint32_t)r->n_events - 1 };

		if (perfdata_event_find_id(r, new.id) != PERF_NONE)
			continue;
		idtab_put(&r->id_tab, hash_u64(new.id), (uint32_t)r->n_ids);
		r->id[r->n_ids++] = new;
	}
	return 0;
}

/* Are the values of an event nanoseconds? */
static bool event_is_time(const struct perf_event *e, const char *name)
{
	static const char clock[] = "-clock", offcpu[] = "offcpu-time";
	size_t n = strcspn(name, ":");

	if (e->type == SOFTWARE && e->config <= CONFIG_TASK_CLOCK)
		return true;
	return (n == sizeof(offcpu) - 1 && memcmp(name, offcpu, n) == 0) ||
	       (n >= sizeof(clock) - 1 && memcmp(name + n - (sizeof(clock) - 1), clock, sizeof(clock) - 1) == 0);
}

static void event_set_name(struct perf_reader *r, struct perf_event *e)
{
	struct strtab *str = builder_strings(r->b);
	char name[64];

	if (!e->name) {
		event_default_name(e, name, sizeof(name));
		if (e->type <= SOFTWARE)
			event_add_modifiers(r, e, name, sizeof(name));
		e->name = strtab_addz(str, name);
	}
	e->unit = strtab_addz(str, event_is_time(e, strtab_text(str, e->name)) ? "nanoseconds" : "count");
}

/* An event that never has samples: it makes the kernel report processes. */
static bool event_is_dummy(const struct perf_event *e)
{
	return e->type == SOFTWARE && e->config == CONFIG_DUMMY;
}

/* The event before this one that has the same sample type. */
static const struct perf_event *event_twin(const struct perf_reader *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (r->event[k].column != PERF_NONE && r->event[k].name == r->event[i].name)
			return &r->event[k];
	return NULL;
}

static void event_add_count_columns(struct perf_reader *r, str_id count)
{
	struct strtab *str = builder_strings(r->b);

	if (builder_n_types(r->b) <= 2)
		return;
	for (size_t i = 0; i < r->n_events; i++) {
		struct perf_event *e = &r->event[i];
		const struct perf_event *twin = event_twin(r, i);
		char name[256];

		if (e->column == PERF_NONE)
			continue;
		if (twin) {
			e->count_column = twin->count_column;
			continue;
		}
		e->count_column = builder_n_types(r->b);
		snprintf(name, sizeof(name), "%.200s_sample", strtab_text(str, e->name));
		builder_type(r->b, strtab_addz(str, name), count);
	}
}

static void event_add_columns(struct perf_reader *r)
{
	struct strtab *str = builder_strings(r->b);
	str_id count = strtab_addz(str, "count");

	builder_type(r->b, strtab_addz(str, "samples"), count);
	for (size_t i = 0; i < r->n_events; i++) {
		struct perf_event *e = &r->event[i];
		const struct perf_event *twin;

		event_set_name(r, e);
		twin = event_twin(r, i);
		if (event_is_dummy(e) && r->n_events > 1)
			continue;
		if (twin) {
			e->column = twin->column;
			continue;
		}
		e->column = builder_n_types(r->b);
		builder_type(r->b, e->name, e->unit);
	}
	event_add_count_columns(r, count);
}

static void event_set_period(struct perf_reader *r)
{
	struct profile_meta *meta = builder_meta(r->b);
	const struct perf_event *e = r->event;

	while (e < r->event + r->n_events - 1 && e->column == PERF_NONE)
		e++;
	meta->default_type = e->name;
	meta->period_type = (struct value_type){ e->name, e->unit };
	meta->has_period_type = true;
	if (!(e->flags & FLAG_FREQ))
		meta->period = e->period <= INT64_MAX ? (int64_t)e->period : 0;
	else if (e->period && strcmp(strtab_text(builder_strings(r->b), e->unit), "nanoseconds") == 0)
		meta->period = (int64_t)(UINT64_C(1000000000) / e->period);
}

int perfdata_event_finish(struct perf_reader *r, struct err *err)
{
	uint64_t type = r->event[0].sample_type, all = type, any = type, place = BEFORE_ID | PERF_HAS_ID;

	for (size_t i = 1; i < r->n_events; i++) {
		all &= r->event[i].sample_type;
		any |= r->event[i].sample_type;
	}
	if (all & PERF_HAS_IDENTIFIER) {
		r->id_at = PERF_HEADER_SIZE;
		r->id_end = sizeof(uint64_t);
	} else if (r->n_events > 1) {
		if (!(all & PERF_HAS_ID) || (all & place) != (any & place) ||
		    (all & TRAILER_FROM_ID) != (any & TRAILER_FROM_ID))
			return err_set(err, ERR_FORMAT,
				       "perf.data: samples do not say to which of %zu events they belong", r->n_events);
		r->id_at = PERF_HEADER_SIZE + event_words(type & BEFORE_ID);
		r->id_end = event_words(type & TRAILER_FROM_ID);
	}
	event_add_columns(r);
	event_set_period(r);
	return 0;
}

const struct perf_event *perfdata_event_of(struct perf_reader *r, const struct perf_record *rec)
{
	bool is_sample = rec->type == PERF_SAMPLE;
	uint32_t i;

	if (r->n_events == 1 || (!is_sample && !(r->event[0].flags & FLAG_SAMPLE_ID_ALL)))
		return r->event;
	if (rec->n < (is_sample ? r->id_at + sizeof(uint64_t) : PERF_HEADER_SIZE + r->id_end))
		return NULL;
	i = perfdata_event_find_id(r, perfdata_u64(r, is_sample ? rec->p + r->id_at : rec->p + rec->n - r->id_end));
	if (i != PERF_NONE)
		return &r->event[r->id[i].event];
	return is_sample ? NULL : r->event; /* records that perf itself makes have the id 0 */
}

uint64_t perfdata_event_time(struct perf_reader *r, const struct perf_record *rec, struct perf_task *task)
{
	const struct perf_event *e = rec->type < PERF_OF_USER ? perfdata_event_of(r, rec) : NULL;
	uint64_t before = PERF_HAS_IDENTIFIER | PERF_HAS_IP | PERF_HAS_TID;
	size_t at, size;

	if (!e)
		return 0;
	if (rec->type == PERF_SAMPLE) {
		at = PERF_HEADER_SIZE + event_words(e->sample_type & before);
	} else if (e->flags & FLAG_SAMPLE_ID_ALL) {
		size = event_words(e->sample_type & (PERF_HAS_TID | PERF_HAS_TIME | TRAILER_FROM_ID));
		if (size > rec->n - PERF_HEADER_SIZE)
			return 0;
		at = rec->n - size;
		if (task && e->sample_type & PERF_HAS_TID)
			*task = (struct perf_task){ perfdata_u32(r, rec->p + at), perfdata_u32(r, rec->p + at + 4) };
		at += event_words(e->sample_type & PERF_HAS_TID);
	} else {
		return 0;
	}
	return e->sample_type & PERF_HAS_TIME && at + sizeof(uint64_t) <= rec->n ? perfdata_u64(r, rec->p + at) : 0;
}
