/*
 * legacy_contention.c - lock wait profiles as text: C++ contentionz, Go mutex and block profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	--- contentionz 1 ---
 *	cycles/second = 2000000000
 *	sampling period = 100
 *	5000 3 @ 0x401000 0x402000
 *
 * A sample consists of the cycles waited, the number of waits, and the stack. Like pprof profile/legacy_profile.go,
 * parseContention. Java writes the same first line, so a file that is invalid here may be for legacy_read_java.
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include <inttypes.h>

struct contention {
	int64_t hz, period, ms;
	bool maybe_java;
};

static bool is_contention(struct slice line)
{
	return slice_starts(line, "--- contentionz ") || slice_starts(line, "--- mutex:") ||
	       slice_starts(line, "--- contention:");
}

/* Report an unexpected line: ERR_UNKNOWN if the profile may be Java's, else ERR_FORMAT. */
static int unexpected_line(const struct contention *c, uint64_t line, const char *what, struct err *err)
{
	return err_set(err, c->maybe_java ? ERR_UNKNOWN : ERR_FORMAT, "line %" PRIu64 ": %s", line, what);
}

static int contention_read_attribute(struct contention *c, struct slice line, const char *equals, uint64_t no,
				     struct err *err)
{
	const struct {
		const char *key;
		int64_t *value_out;
	} keys[] = { { "cycles/second", &c->hz }, { "sampling period", &c->period }, { "ms since reset", &c->ms } };
	struct slice key = slice_trim(slice_make(line.p, equals));
	struct slice value = slice_trim(slice_make(equals + 1, line.p + line.n));

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!slice_is(key, keys[i].key))
			continue;
		if (!slice_number(value, keys[i].value_out))
			return unexpected_line(c, no, "the value is not a 64-bit number", err);
		return 0;
	}
	if (slice_is(key, "discarded samples"))
		return 0;
	return unexpected_line(c, no, "unknown attribute", err);
}

/* Read "key = value" lines; in is then at the first other line. */
static int contention_read_attributes(struct contention *c, struct lines *in, struct err *err)
{
	while (lines_next_text(in)) {
		struct slice line = slice_trim(in->line);
		const char *equals = slice_find(line, "=");
		int rc;

		if (slice_starts(line, "---") || !equals)
			break;
		if ((rc = contention_read_attribute(c, line, equals, in->no, err)) < 0)
			return rc;
	}
	return 0;
}

/*
 * Find "5000 3 @" in a line. Without a space between the numbers, the last digit is the second number, as
 * in pprof's regular expression.
 */
static bool contention_seek_sample(struct slice *line, struct slice *delay, struct slice *count)
{
	while (slice_skip_to_digit(line)) {
		struct slice t;

		*delay = slice_take_digits(line);
		t = *line;
		if (slice_take_spaces(&t) && (*count = slice_take_digits(&t)).n && slice_take(&t, " @")) {
			*line = t;
			return true;
		}
		if (delay->n > 1 && slice_take(line, " @")) {
			*count = (struct slice){ delay->p + --delay->n, 1 };
			return true;
		}
	}
	return false;
}

static int contention_read_sample(struct legacy *l, const struct contention *c, struct slice line, struct err *err)
{
	struct slice delay, count;
	int64_t values[2]; /* number of waits, time waited */
	int rc;

	if (!contention_seek_sample(&line, &delay, &count))
		return err_set(err, ERR_FORMAT, "not a sample, such as \"5000 3 @ 0x400000\"");
	if (!slice_decimal(delay, &values[1]) || !slice_decimal(count, &values[0]))
		return err_set(err, ERR_FORMAT, "number overflows 64 bits");
	if (c->period > 0 && c->hz > 0) {
		double ns = (double)values[1] * (double)c->period / ((double)c->hz / 1e9);

		if (legacy_truncate(ns, &values[1], err) < 0)
			return ERR_FORMAT;
	}
	if (c->period > 0 && __builtin_mul_overflow(values[0], c->period, &values[0]))
		return err_set(err, ERR_FORMAT, "the count times the sampling period overflows 64 bits");
	if ((rc = legacy_add_frames(l, slice_addresses(line), ADJUST_ALL, err)) < 0)
		return rc;
	return legacy_end_sample(l, values, NULL, err);
}

/* Read samples, starting with the current line. */
static int contention_read_samples(struct legacy *l, const struct contention *c, struct lines *in, struct err *err)
{
	do {
		struct slice line = slice_trim(in->line);

		if (slice_starts(line, "---"))
			break;
		if (!slice_is_comment(line) && contention_read_sample(l, c, line, err) < 0)
			return err_wrap(err, "line %" PRIu64, in->no);
	} while (lines_next(in));
	return 0;
}

static int contention_read_profile(struct legacy *l, struct lines *in, struct profile **out, struct err *err)
{
	struct contention c = { .period = 1 };
	int rc;

	c.maybe_java = slice_is(slice_trim(in->line), "--- contentionz 1 ---");
	if ((rc = contention_read_attributes(&c, in, err)) < 0)
		return rc;
	legacy_add_type(l, "contentions", "count");
	legacy_add_type(l, "delay", "nanoseconds");
	legacy_set_period(l, c.period, "contentions", "count");
	if (__builtin_mul_overflow(c.ms, INT64_C(1000000), &builder_meta(l->b)->duration_ns))
		return err_set(err, ERR_FORMAT, "duration of %" PRId64 " ms overflows 64 bits", c.ms);
	if ((rc = contention_read_samples(l, &c, in, err)) < 0 || (rc = legacy_read_maps(l, in, err)) < 0)
		return rc;
	return legacy_finish(l, FRAMES_LOCK, 0, out, err);
}

int legacy_read_contention(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
			   struct err *err)
{
	struct lines in = { .at = (const char *)data, .end = (const char *)data + n };
	struct legacy l;
	int rc;

	if (!lines_next(&in) || !is_contention(in.line))
		return err_set(err, ERR_UNKNOWN, "not a contention profile");
	legacy_init(&l, options);
	rc = contention_read_profile(&l, &in, out, err);
	legacy_release(&l);
	return rc;
}
