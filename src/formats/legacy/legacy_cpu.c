/*
 * legacy_cpu.c - CPU profiles of gperftools, and of Java in the same format
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Words of 32 or 64 bits in either byte order. Header: 0, 3, 0 (Java: 1), microseconds between
 * samples, 0. Records: count, depth, addresses leaf first; the last record is 0, 1, 0. Then text: a
 * memory map, or the location table of Java. Like pprof profile/legacy_profile.go, parseCPU.
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

struct legacy_cpu_words {
	const uint8_t *at, *end;
	unsigned width; /* bytes */
	bool big_endian;
};

static const struct legacy_cpu_words layouts[] = {
	{ .width = 4 }, { .width = 4, .big_endian = true }, { .width = 8 }, { .width = 8, .big_endian = true }
};

static size_t words_left(const struct legacy_cpu_words *w)
{
	return (size_t)(w->end - w->at) / w->width;
}

static bool cpu_words_next(struct legacy_cpu_words *w, uint64_t *v)
{
	uint64_t r = 0;

	if (words_left(w) == 0)
		return false;
	for (unsigned i = 0; i < w->width; i++)
		r |= (uint64_t)w->at[i] << 8 * (w->big_endian ? w->width - 1 - i : i);
	w->at += w->width;
	*v = r;
	return true;
}

/* Read the header; false if there is no valid header in this layout. */
static bool cpu_read_header(struct legacy_cpu_words *w, bool *java, uint64_t *period_us)
{
	uint64_t h[5];

	for (unsigned i = 0; i < 5; i++)
		if (!cpu_words_next(w, &h[i]))
			return false;
	*java = h[2] == 1;
	*period_us = h[3];
	return h[0] == 0 && h[1] == 3 && h[2] <= 1 && h[3] > 0 && h[4] == 0;
}

static int cpu_read_record(struct legacy *l, struct legacy_cpu_words *w, int64_t period, enum legacy_adjust adjust,
			   bool *last, struct err *err)
{
	uint64_t count, depth, addr = 0;
	int64_t values[2];
	int rc = 0;

	if (!cpu_words_next(w, &count) || !cpu_words_next(w, &depth))
		return err_set(err, ERR_FORMAT, "truncated");
	if (depth > words_left(w))
		return err_set(err, ERR_FORMAT, "%" PRIu64 " frames, but only %zu words left", depth, words_left(w));
	*last = count == 0 && depth == 1;
	for (uint64_t i = 0; rc == 0 && i < depth && cpu_words_next(w, &addr); i++)
		rc = legacy_add_frame(l, addr, adjust, err);
	*last = *last && addr == 0;
	if (rc < 0 || *last)
		return rc;
	if (count > INT64_MAX || __builtin_mul_overflow((int64_t)count, period, &values[1]))
		return err_set(err, ERR_FORMAT, "%" PRIu64 " samples of %" PRId64 " ns overflow 64 bits", count,
			       period);
	values[0] = (int64_t)count;
	return legacy_end_sample(l, values, NULL, err);
}

/* Read up to the last record or the end of the file; pprof accepts files without a last record. */
static int cpu_read_records(struct legacy *l, struct legacy_cpu_words *w, int64_t period, enum legacy_adjust adjust,
			    struct err *err)
{
	bool last = false;
	uint64_t n = 0;

	while (!last && w->at < w->end) {
		n++;
		if (cpu_read_record(l, w, period, adjust, &last, err) < 0)
			return err_wrap(err, "record %" PRIu64, n);
	}
	legacy_discard_sample(l);
	return 0;
}

/*
 * If all but at most one in 32 stacks have the same second frame, that frame belongs to the signal handler and is
 * removed.
 */
static void drop_handler_frame(struct legacy *l)
{
	size_t *seen = mem_zalloc(l->n_addrs, sizeof(*seen));
	size_t n_required = l->n_samples - l->n_samples / 32;
	uint32_t handler = PROFILE_NONE;

	for (size_t s = 0; s < l->n_samples && handler == PROFILE_NONE; s++) {
		const uint32_t *frame = l->frame + l->sample[s].first;

		if (l->sample[s].n > 1 && ++seen[frame[1]] >= n_required)
			handler = frame[1];
	}
	free(seen);
	for (size_t s = 0; s < l->n_samples && handler != PROFILE_NONE; s++) {
		uint32_t *frame = l->frame + l->sample[s].first;

		if (l->sample[s].n > 1 && frame[1] == handler) {
			frame[1] = frame[0];
			l->sample[s].first++;
			l->sample[s].n--;
		}
	}
}

static int cpu_read_rest(struct legacy *l, struct legacy_cpu_words *w, bool java, struct profile **out, struct err *err)
{
	struct lines in = { .at = (const char *)w->at, .end = (const char *)w->end };
	int rc;

	if (java) {
		rc = legacy_read_java_table(l, &in, err);
		return rc < 0 ? rc : legacy_finish(l, FRAMES_CPU, FINISH_CLEAR_ADDRESSES, out, err);
	}
	drop_handler_frame(l);
	drop_handler_frame(l); /* the signal handler may have two frames */
	rc = memmap_read(&l->map, &in, builder_strings(l->b), l->options, err);
	return rc < 0 ? rc : legacy_finish(l, FRAMES_CPU, FINISH_DROP_REPEATED_LEAF, out, err);
}

static int cpu_read_profile(struct legacy *l, struct legacy_cpu_words *w, bool java, uint64_t period_us,
			    struct profile **out, struct err *err)
{
	int64_t period;
	int rc;

	if (period_us > INT64_MAX / 1000)
		return err_set(err, ERR_FORMAT, "period of %" PRIu64 " microseconds overflows 64 bits", period_us);
	period = (int64_t)period_us * 1000;
	legacy_add_type(l, "samples", "count");
	legacy_add_type(l, "cpu", "nanoseconds");
	legacy_set_period(l, period, "cpu", "nanoseconds");
	rc = cpu_read_records(l, w, period, java ? ADJUST_NONE : ADJUST_CALLERS, err);
	return rc < 0 ? rc : cpu_read_rest(l, w, java, out, err);
}

int legacy_read_cpu(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		    struct err *err)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		struct legacy_cpu_words w = layouts[i];
		struct legacy l;
		uint64_t period_us;
		bool java;
		int rc;

		w.at = data;
		w.end = data + n;
		if (!cpu_read_header(&w, &java, &period_us))
			continue;
		legacy_init(&l, options);
		rc = cpu_read_profile(&l, &w, java, period_us, out, err);
		legacy_release(&l);
		return rc;
	}
	return err_set(err, ERR_UNKNOWN, "not a gperftools CPU profile");
}
