/*
 * write.c - a process as profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Texts get their numbers when they are first named, and are written last. Fields are those of
 * proto/profile.proto; sizes of messages are known before they are written, so a small buffer will do.
 */
#include "config.h"

#include "collect/collect_int.h"
#include "collect/gzip.h"

#include "wire/wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT
};
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME };
enum { TEXTS_FIXED = 4, COMMENTS_MAX = 12, COMMENT_LEN = 160, BUFFER = 16 << 10 };

/* The first texts; those of places, comments and mappings follow in this order. */
static const char *const fixed[TEXTS_FIXED] = { "", "samples", "count", "cpu" };
static const char nanoseconds[] = "nanoseconds";

enum { TEXT_SAMPLES = 1, TEXT_COUNT, TEXT_CPU, TEXT_NANOSECONDS, TEXT_PLACES };
enum { TEXT_COMMENTS = TEXT_PLACES + N_PLACES };

struct writing {
	const struct process *p;
	struct wire w;
	struct gzip *gzip;
	char comment[COMMENTS_MAX][COMMENT_LEN];
	uint32_t n_comments;
	uint64_t period_ns;
	uint8_t buffer[BUFFER];
};

__attribute__((format(printf, 2, 3))) static void remark(struct writing *x, const char *fmt, ...)
{
	va_list args;

	if (x->n_comments == COMMENTS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(x->comment[x->n_comments++], COMMENT_LEN, fmt, args);
	va_end(args);
}

static void remark_stacks(struct writing *x)
{
	static const char *const why[N_CUTS] = { "whole",
						 "cut at the limit",
						 "no call frame information",
						 "bad call frame information",
						 "a register unknown",
						 "a bad stack pointer",
						 "outside the stack",
						 "too many steps" };
	const struct process *p = x->p;
	uint64_t n = 0;

	for (int i = 0; i < N_CUTS; i++)
		n += p->cut[i];
	for (int i = 0; i < N_CUTS && n; i++)
		if (p->cut[i] && x->n_comments < COMMENTS_MAX - 3)
			remark(x, "stacks, %s: %llu of %llu (%.2f%%)", why[i], (unsigned long long)p->cut[i],
			       (unsigned long long)n, 100.0 * (double)p->cut[i] / (double)n);
}

static void remarks(struct writing *x)
{
	const struct process *p = x->p;
	double seconds = (double)p->table.weight / p->c->how.hz;

	remark(x, "cpa %s: pid %d, %s", PACKAGE_VERSION, (int)p->pid,
	       p->engine & ENGINE_NONE                                    ? "some threads have no timer"
	       : p->engine & ENGINE_PROCESS && p->engine & ENGINE_THREADS ? "timers of threads and of the process"
	       : p->engine & ENGINE_PROCESS                               ? "timer of the process"
									  : "timers of threads");
	remark(x, "%u Hz asked, %.1f stacks per second of CPU time; samples weigh by the periods they stand for",
	       p->c->how.hz, seconds > 0 ? (double)p->table.n_samples / seconds : 0.0);
	if (p->lost)
		remark(x, "lost: %llu periods in %s", (unsigned long long)p->lost, table_place_name[PLACE_LOST]);
	if (p->adopted)
		remark(x, "of them before threads were found at work: %llu", (unsigned long long)p->adopted);
	if (p->blocked)
		remark(x, "signal blocked: %llu periods", (unsigned long long)p->blocked);
	if (p->orphans)
		remark(x, "signals in threads that nobody knew: %u", p->orphans);
	if (p->bad)
		remark(x, "rings that made no sense: %llu", (unsigned long long)p->bad);
	remark_stacks(x);
}

static void value_type(struct wire *w, uint32_t field, uint32_t type, uint32_t unit)
{
	wire_head(w, field, wire_size_set(1, type) + wire_size_set(2, unit));
	wire_set(w, 1, type);
	wire_set(w, 2, unit);
}

static void write_samples(struct writing *x)
{
	const struct table_stack *stack = x->p->table.stack.data;
	const uint32_t *frames = x->p->table.frames.data;

	for (size_t i = 0; i < x->p->table.stack.n; i++) {
		const struct table_stack *s = &stack[i];
		uint64_t ns = s->weight * x->period_ns, n_locs = 0, n_values = wire_size(s->weight) + wire_size(ns);

		for (uint32_t k = 0; k < s->n; k++)
			n_locs += wire_size(frames[s->at + k] + 1ULL);
		wire_head(&x->w, PROFILE_SAMPLE, 2 + wire_size(n_locs) + n_locs + wire_size(n_values) + n_values);
		wire_head(&x->w, 1, n_locs);
		for (uint32_t k = 0; k < s->n; k++)
			wire_varint(&x->w, frames[s->at + k] + 1ULL);
		wire_head(&x->w, 2, n_values);
		wire_varint(&x->w, s->weight);
		wire_varint(&x->w, ns);
	}
}

/* The number of the text of mapping i, path or build id. Each has two, also where it has none. */
static uint32_t map_text(const struct writing *x, size_t i, bool id)
{
	return (uint32_t)(TEXT_COMMENTS + x->n_comments + 2 * i + id);
}

static void write_mappings(struct writing *x)
{
	const struct map *map = x->p->maps.map.data;

	for (size_t i = 0; i < x->p->maps.map.n; i++) {
		const struct map *m = &map[i];
		uint32_t path = map_text(x, i, false), id = m->n_id ? map_text(x, i, true) : 0;

		wire_head(&x->w, PROFILE_MAPPING,
			  wire_size_set(1, i + 1) + wire_size_set(2, m->start) + wire_size_set(3, m->limit) +
				  wire_size_set(4, m->offset) + wire_size_set(5, path) + wire_size_set(6, id));
		wire_set(&x->w, 1, i + 1);
		wire_set(&x->w, 2, m->start);
		wire_set(&x->w, 3, m->limit);
		wire_set(&x->w, 4, m->offset);
		wire_set(&x->w, 5, path);
		wire_set(&x->w, 6, id);
	}
}

static void write_locations(struct writing *x)
{
	const struct table_loc *loc = x->p->table.loc.data;

	for (size_t i = 0; i < x->p->table.loc.n; i++) {
		uint64_t n_line = i < N_PLACES ? wire_size_set(1, i + 1) : 0;
		uint64_t n = wire_size_set(1, i + 1) + wire_size_set(2, loc[i].map) + wire_size_set(3, loc[i].addr) +
			     (n_line ? 2 + n_line : 0);

		wire_head(&x->w, PROFILE_LOCATION, n);
		wire_set(&x->w, 1, i + 1);
		wire_set(&x->w, 2, loc[i].map);
		wire_set(&x->w, 3, loc[i].addr);
		if (n_line) {
			wire_head(&x->w, 4, n_line);
			wire_set(&x->w, 1, i + 1);
		}
	}
	for (uint32_t i = 0; i < N_PLACES; i++) {
		wire_head(&x->w, PROFILE_FUNCTION,
			  wire_size_set(FUNCTION_ID, i + 1) + wire_size_set(FUNCTION_NAME, TEXT_PLACES + i) +
				  wire_size_set(FUNCTION_SYSTEM_NAME, TEXT_PLACES + i));
		wire_set(&x->w, FUNCTION_ID, i + 1);
		wire_set(&x->w, FUNCTION_NAME, TEXT_PLACES + i);
		wire_set(&x->w, FUNCTION_SYSTEM_NAME, TEXT_PLACES + i);
	}
}

static void text(struct writing *x, const char *s, size_t n)
{
	wire_bytes(&x->w, PROFILE_STRING, s, n);
}

static void write_texts(struct writing *x)
{
	const struct map *map = x->p->maps.map.data;
	const char *texts = x->p->maps.texts.data;

	for (int i = 0; i < TEXTS_FIXED; i++)
		text(x, fixed[i], strlen(fixed[i]));
	text(x, nanoseconds, sizeof(nanoseconds) - 1);
	for (int i = 0; i < N_PLACES; i++)
		text(x, table_place_name[i], strlen(table_place_name[i]));
	for (uint32_t i = 0; i < x->n_comments; i++)
		text(x, x->comment[i], strlen(x->comment[i]));
	for (size_t i = 0; i < x->p->maps.map.n; i++) {
		text(x, texts + map[i].path, map[i].n_path);
		text(x, texts + map[i].id, map[i].n_id);
	}
}

static void write_all(struct writing *x)
{
	const struct process *p = x->p;

	value_type(&x->w, PROFILE_SAMPLE_TYPE, TEXT_SAMPLES, TEXT_COUNT);
	value_type(&x->w, PROFILE_SAMPLE_TYPE, TEXT_CPU, TEXT_NANOSECONDS);
	write_samples(x);
	write_mappings(x);
	write_locations(x);
	wire_set(&x->w, PROFILE_TIME, p->start_ns);
	wire_set(&x->w, PROFILE_DURATION, p->end_ns > p->start_ns ? p->end_ns - p->start_ns : 0);
	value_type(&x->w, PROFILE_PERIOD_TYPE, TEXT_CPU, TEXT_NANOSECONDS);
	wire_set(&x->w, PROFILE_PERIOD, x->period_ns);
	for (uint32_t i = 0; i < x->n_comments; i++)
		wire_number(&x->w, PROFILE_COMMENT, TEXT_COMMENTS + i);
	write_texts(x);
}

int process_write(struct process *p, int fd)
{
	struct writing *x = memory_map(sizeof(*x));
	int rc = -ENOMEM;

	if (!x)
		return rc;
	x->p = p;
	x->period_ns = 1000000000 / p->c->how.hz;
	x->gzip = gzip_open(fd);
	if (x->gzip) {
		remarks(x);
		wire_begin(&x->w, x->buffer, sizeof(x->buffer), gzip_sink, x->gzip);
		write_all(x);
		wire_end(&x->w);
		rc = gzip_close(x->gzip);
	}
	memory_unmap(x, sizeof(*x));
	return rc;
}
