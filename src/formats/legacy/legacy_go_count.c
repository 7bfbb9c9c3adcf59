/*
 * legacy_go_count.c - count profiles of the Go runtime as text: goroutine, threadcreate
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	goroutine profile: total 3
 *	2 @ 0x401000 0x402000
 *
 * Like pprof profile/legacy_profile.go, parseGoCount.
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include <inttypes.h>

/* Parse the line "NAME profile: total 3". */
static bool go_count_read_header(struct slice line, struct slice *name)
{
	*name = (struct slice){ line.p, 0 };
	while (name->n < line.n && !slice_is_blank(line.p[name->n]))
		name->n++;
	line = slice_make(line.p + name->n, line.p + line.n);
	return name->n && slice_take(&line, " profile: total ") && slice_take_digits(&line).n && line.n == 0;
}

static int go_count_read_sample(struct legacy *l, struct slice line, struct err *err)
{
	struct slice digits = slice_take_digits(&line);
	int64_t count;
	uint64_t addr;

	if (digits.n == 0 || !slice_take(&line, " @") || line.n == 0)
		return err_set(err, ERR_FORMAT, "not a sample, such as \"1 @ 0x400000\"");
	if (!slice_number(digits, &count)) /* a leading 0 means octal */
		return err_set(err, ERR_FORMAT, "the count is not a 64-bit number");
	while (line.n) {
		int rc;

		if (!slice_take(&line, " 0x"))
			return err_set(err, ERR_FORMAT, "not a sample, such as \"1 @ 0x400000\"");
		digits = slice_take_hex(&line);
		for (size_t i = 0; i < digits.n; i++)
			if (digits.p[i] >= 'A' && digits.p[i] <= 'F')
				return err_set(err, ERR_FORMAT, "address with upper-case digits");
		if (!slice_hex(digits, &addr))
			return err_set(err, ERR_FORMAT, "no 64-bit address after 0x");
		if ((rc = legacy_add_frame(l, addr, ADJUST_ALL, err)) < 0)
			return rc;
	}
	return legacy_end_sample(l, &count, NULL, err);
}

static int go_count_read_samples(struct legacy *l, struct lines *in, struct err *err)
{
	while (lines_next_text(in)) {
		if (slice_starts(in->line, "---"))
			break;
		if (go_count_read_sample(l, in->line, err) < 0)
			return err_wrap(err, "line %" PRIu64, in->no);
	}
	return 0;
}

static void go_count_set_type(struct legacy *l, struct slice name)
{
	struct strtab *str = builder_strings(l->b);
	struct profile_meta *meta = builder_meta(l->b);

	meta->period = 1;
	meta->period_type = (struct value_type){ strtab_add(str, name.p, name.n), strtab_addz(str, "count") };
	meta->has_period_type = true;
	builder_type(l->b, meta->period_type.name, meta->period_type.unit);
}

int legacy_read_go_count(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
			 struct err *err)
{
	struct lines in = { .at = (const char *)data, .end = (const char *)data + n };
	struct legacy l;
	struct slice name;
	int rc;

	if (!lines_next_text(&in) || !go_count_read_header(in.line, &name))
		return err_set(err, ERR_UNKNOWN, "not a Go count profile");
	legacy_init(&l, options);
	go_count_set_type(&l, name);
	rc = go_count_read_samples(&l, &in, err);
	if (rc == 0)
		rc = legacy_read_maps(&l, &in, err);
	if (rc == 0)
		rc = legacy_finish(&l, FRAMES_CPU, 0, out, err);
	legacy_release(&l);
	return rc;
}
