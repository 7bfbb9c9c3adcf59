/*
 * settings.c - periods of samples, from the settings in a chunk
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Settings are events and may come after the samples that they are about, so they are read first. HotSpot writes a
 * "period" such as "10 ms" for a class of events; async-profiler writes "interval" and "wall" in nanoseconds, and the
 * "engine" that takes the samples and the "event" that it counts. It writes them to the first chunk of a recording only.
 * Datadog's profiler writes an event with both periods.
 */
#include "config.h"

#include "formats/jfr/jfr_int.h"

#include <stdlib.h>
#include <string.h>

/* Events of async-profiler whose interval is a time. */
static const char *const time_events[] = { "cpu", "itimer", "ctimer", "wall", "cpu-clock", "task-clock" };

/* "10 ms" in nanoseconds, 0 for other texts, such as "everyChunk". */
static int64_t jfr_parse_period(const char *text)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 } };
	char *end;
	long long n = strtoll(text, &end, 10);
	int64_t ns;

	if (end == text || n <= 0)
		return 0;
	end += strspn(end, " ");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0)
			return __builtin_mul_overflow(n, units[i].ns, &ns) ? 0 : ns;
	return 0;
}

/* A whole number, or 0. */
static int64_t jfr_parse_ns(const char *text)
{
	char *end;
	long long n = strtoll(text, &end, 10);

	return end == text || *end || n < 0 ? 0 : n;
}

static void jfr_read_setting(struct jfr_reader *r, struct jfr_settings *s, const struct jfr_fields *fields)
{
	const char *name = strtab_text(r->str, jfr_text(r, jfr_get(fields, SLOT_NAME)));
	const char *value = strtab_text(r->str, jfr_text(r, jfr_get(fields, SLOT_VALUE)));
	uint32_t class = jfr_chunk_find_class(&r->c, (uint64_t)jfr_get(fields, SLOT_ID)->num);

	if (strcmp(name, "period") == 0 && class != JFR_UNRESOLVED)
		r->c.class[class].period_ns = jfr_parse_period(value);
	else if (strcmp(name, "interval") == 0)
		s->interval_ns = jfr_parse_ns(value);
	else if (strcmp(name, "wall") == 0)
		s->wall_ns = jfr_parse_ns(value);
	else if (strcmp(name, "engine") == 0)
		s->is_wall = strcmp(value, "wall") == 0;
	else if (strcmp(name, "event") == 0)
		for (size_t i = 0; i < sizeof(time_events) / sizeof(time_events[0]); i++)
			s->is_time |= strcmp(value, time_events[i]) == 0;
	s->is_async |= strcmp(name, "engine") == 0;
}

/* Read the periods of Datadog's profiler. */
static void jfr_read_periods(const struct jfr_reader *r, struct jfr_settings *s, const struct jfr_fields *fields)
{
	const struct jfr_value *cpu = jfr_get(fields, SLOT_CPU_INTERVAL), *wall = jfr_get(fields, SLOT_WALL_INTERVAL);

	if (cpu->field && cpu->num > 0)
		s->cpu_ns = jfr_to_ns(r, cpu->num, (enum jfr_unit)cpu->field->unit);
	if (wall->field && wall->num > 0)
		s->wall_ns = jfr_to_ns(r, wall->num, (enum jfr_unit)wall->field->unit);
}

/* Return true if a sample has the state that async-profiler writes for CPU time. */
static bool jfr_is_default(struct jfr_reader *r, const struct jfr_fields *fields)
{
	return strcmp(strtab_text(r->str, jfr_text(r, jfr_get(fields, SLOT_STATE))), "STATE_DEFAULT") == 0;
}

/* Use the settings for the chunk. */
static void jfr_apply_settings(struct jfr_reader *r)
{
	const struct jfr_settings *s = &r->settings;

	r->is_async |= s->is_async;
	r->wall_ns = s->wall_ns ? s->wall_ns : s->is_wall ? s->interval_ns : 0;
	for (size_t i = 0; s->cpu_ns && i < r->c.n_classes; i++) {
		const struct jfr_event *e =
			r->c.class[i].event == JFR_UNRESOLVED ? NULL : &jfr_events[r->c.class[i].event];

		if (e && e->role == ROLE_SAMPLES && e->kind == KIND_CPU)
			r->c.class[i].period_ns = s->cpu_ns;
	}
	for (size_t i = 0; s->is_time && !s->is_wall && i < r->c.n_classes; i++)
		if (r->c.class[i].event != JFR_UNRESOLVED && jfr_events[r->c.class[i].event].role == ROLE_EXECUTION)
			r->c.class[i].period_ns = s->interval_ns;
}

void jfr_read_settings(struct jfr_reader *r)
{
	struct jfr_settings s = { 0 };
	struct jfr_fields fields;
	struct jfr_cursor content;
	size_t at = jfr_chunk_first(&r->c), n = 0;
	uint64_t type;

	r->is_async = false;
	while (jfr_chunk_next(&r->c, &at, &type, &content)) {
		uint32_t class = jfr_chunk_find_class(&r->c, type);
		const struct jfr_event *e;

		if (class == JFR_UNRESOLVED || r->c.class[class].event == JFR_UNRESOLVED)
			continue;
		e = &jfr_events[r->c.class[class].event];
		if (e->role != ROLE_SETTING && e->role != ROLE_PERIODS && (e->role != ROLE_EXECUTION || r->is_async))
			continue;
		jfr_read_fields(&r->c, class, &content, &fields);
		n += e->role != ROLE_EXECUTION;
		if (e->role == ROLE_PERIODS)
			jfr_read_periods(r, &s, &fields);
		else if (e->role == ROLE_SETTING)
			jfr_read_setting(r, &s, &fields);
		else
			r->is_async |= jfr_is_default(r, &fields);
	}
	if (n > 0 || !r->is_continued)
		r->settings = s;
	jfr_apply_settings(r);
}
