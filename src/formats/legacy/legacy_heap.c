/*
 * legacy_heap.c - heap, growth and fragmentation profiles as text, of tcmalloc and others
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	heap profile: 3: 96 [5: 160] @ heap_v2/524288
 *	  2: 64 [4: 128] @ 0x401000 0x402000
 *
 * The numbers are objects and bytes in use, then in brackets objects and bytes allocated.
 * Like pprof profile/legacy_profile.go, parseHeap.
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { KIND_SHOWN = 40 };

struct heap {
	int64_t rate; /* mean bytes between samples; <= 1 when every allocation is sampled */
	bool scaled, allocs;
};

int legacy_truncate(double v, int64_t *out, struct err *err)
{
	if (!(v >= -0x1p63 && v < 0x1p63))
		return err_set(err, ERR_FORMAT, "scaled value overflows 64 bits");
	*out = (int64_t)v;
	return 0;
}

double legacy_heap_factor(int64_t count, int64_t size, int64_t rate)
{
	if (count == 0 || size == 0)
		return 0;
	return rate <= 1 ? 1 : 1 / (1 - exp(-((double)size / (double)count) / (double)rate));
}

int legacy_scale_heap(int64_t *count, int64_t *size, int64_t rate, struct err *err)
{
	int64_t scaled = 0;
	double factor = legacy_heap_factor(*count, *size, rate);

	if (*count == 0 || *size == 0) {
		*count = *size = 0;
		return 0;
	}
	if (rate <= 1)
		return 0;
	if (legacy_truncate((double)*count * factor, &scaled, err) < 0 ||
	    legacy_truncate((double)*size * factor, size, err) < 0)
		return ERR_FORMAT;
	*count = scaled;
	return 0;
}

/* Remove a number from the start of s; with minus, it may be negative. */
static bool heap_take_number(struct slice *s, bool minus, struct slice *number)
{
	const char *start = s->p;

	if (minus)
		slice_take(s, "-");
	if (slice_take_digits(s).n == 0)
		return false;
	*number = slice_make(start, s->p);
	return true;
}

static bool take_pair(struct slice *s, bool minus, struct slice *count, struct slice *size)
{
	if (!heap_take_number(s, minus, count) || !slice_take(s, ":"))
		return false;
	slice_take_spaces(s);
	return heap_take_number(s, minus, size);
}

bool legacy_take_pairs(struct slice *s, bool minus, struct heap_pairs *p)
{
	if (!take_pair(s, minus, &p->count[0], &p->size[0]))
		return false;
	slice_take_spaces(s);
	if (!slice_take(s, "["))
		return false;
	slice_take_spaces(s);
	if (!take_pair(s, false, &p->count[1], &p->size[1]))
		return false;
	slice_take_spaces(s);
	return slice_take(s, "]");
}

/* Find "heap profile: 3: 96 [5: 160]" in s, and set s to the text after it. */
static bool seek_header(struct slice *s, struct heap_pairs *p)
{
	static const char title[] = "heap profile:";

	for (const char *at; (at = slice_find(*s, title)) != NULL;) {
		struct slice t = slice_make(at + strlen(title), s->p + s->n);

		*s = t;
		slice_take_spaces(&t);
		if (legacy_take_pairs(&t, false, p)) {
			*s = t;
			return true;
		}
	}
	return false;
}

/* Remove "@" and the word after it, which must start with "heap". */
static bool take_kind(struct slice *s, struct slice *kind)
{
	struct slice t = *s;

	slice_take_spaces(&t);
	if (!slice_take(&t, "@"))
		return false;
	slice_take_spaces(&t);
	if (!slice_starts(t, "heap"))
		return false;
	*kind = (struct slice){ t.p, 0 };
	while (kind->n < t.n && memchr("_abcdefghijklmnopqrstuvwxyz0123456789", t.p[kind->n], 37))
		kind->n++;
	*s = slice_make(t.p + kind->n, t.p + t.n);
	return true;
}

static int heap_read_kind(struct heap *h, const struct heap_pairs *p, struct slice kind, struct slice rest,
			  struct err *err)
{
	struct slice rate;

	slice_take(&rest, "/");
	rate = slice_take_digits(&rest);
	h->rate = 0;
	if (rate.n && !slice_decimal(rate, &h->rate))
		return err_set(err, ERR_FORMAT, "line 1: the rate overflows 64 bits");
	h->allocs = false;
	for (unsigned i = 0; i < 2; i++) {
		const struct slice *pair = i ? p->size : p->count;
		bool equal = pair[0].n == pair[1].n && memcmp(pair[0].p, pair[1].p, pair[0].n) == 0;

		h->allocs = h->allocs || (!equal && !slice_is(pair[1], "0"));
	}
	h->scaled = !slice_is(kind, "heapprofile");
	if (!h->scaled)
		h->rate = 1;
	else if (slice_is(kind, "heap"))
		h->rate /= 2;
	else if (!slice_is(kind, "heap_v2") && !slice_is(kind, "heapz_v2"))
		return err_set(err, ERR_FORMAT, "line 1: unknown kind of heap profile: %.*s",
			       kind.n < KIND_SHOWN ? (int)kind.n : KIND_SHOWN, kind.p);
	return 0;
}

static int heap_read_header(struct heap *h, struct slice line, struct err *err)
{
	struct slice rest = line, kind;
	struct heap_pairs p;

	while (seek_header(&rest, &p))
		if (take_kind(&rest, &kind))
			return heap_read_kind(h, &p, kind, rest, err);
	*h = (struct heap){ .rate = 1 };
	rest = line;
	while (seek_header(&rest, &p))
		if (slice_starts(rest, " @ growth") || slice_starts(rest, " @ fragmentation"))
			return 0;
	return err_set(err, ERR_UNKNOWN, "not a heap profile");
}

/* Read and scale a pair of values of a sample. block is set to the mean size if the count is not 0. */
static int heap_read_values(const struct heap *h, const struct heap_pairs *p, unsigned which, int64_t values[2],
			    int64_t *block, struct err *err)
{
	const char *name = which ? "allocation" : "inuse";
	int64_t count, size;

	if (!slice_decimal(p->count[which], &count) || !slice_decimal(p->size[which], &size))
		return err_set(err, ERR_FORMAT, "number overflows 64 bits");
	if (count == 0 && size != 0)
		return err_set(err, ERR_FORMAT, "%s count was 0 but %s bytes was %" PRId64, name, name, size);
	if (count == -1 && size == INT64_MIN)
		return err_set(err, ERR_FORMAT, "mean size overflows 64 bits");
	if (count != 0)
		*block = size / count;
	if (count != 0 && h->scaled && legacy_scale_heap(&count, &size, h->rate, err) < 0)
		return ERR_FORMAT;
	values[0] = count;
	values[1] = size;
	return 0;
}

/* Find "3: 96 [5: 160] @" in a line; rest is set to the text after it. */
static bool heap_seek_sample(struct slice line, struct heap_pairs *p, struct slice *rest)
{
	const char *start = line.p;

	while (slice_skip_to_digit(&line)) {
		struct slice t = line;

		if (t.p > start && t.p[-1] == '-')
			t = slice_make(t.p - 1, t.p + t.n);
		if (legacy_take_pairs(&t, true, p) && slice_take(&t, " @")) {
			*rest = t;
			return true;
		}
		slice_take_digits(&line);
	}
	return false;
}

static int heap_read_sample(struct legacy *l, const struct heap *h, struct slice line, struct err *err)
{
	int64_t values[4], block = 0;
	struct slice rest;
	struct heap_pairs p;
	unsigned n = 0;
	int rc;

	if (!heap_seek_sample(line, &p, &rest))
		return err_set(err, ERR_FORMAT, "not a sample, such as \"1: 32 [1: 32] @ 0x400000\"");
	if (h->allocs && (rc = heap_read_values(h, &p, 1, values, &block, err)) < 0)
		return rc;
	if (h->allocs)
		n = 2;
	if ((rc = heap_read_values(h, &p, 0, values + n, &block, err)) < 0 ||
	    (rc = legacy_add_frames(l, slice_addresses(rest), ADJUST_ALL, err)) < 0)
		return rc;
	return legacy_end_sample(l, values, &block, err);
}

static int heap_read_samples(struct legacy *l, const struct heap *h, struct lines *in, struct err *err)
{
	while (lines_next_text(in)) {
		if (slice_is_map_heading(in->line))
			break;
		if (heap_read_sample(l, h, slice_trim(in->line), err) < 0)
			return err_wrap(err, "line %" PRIu64, in->no);
	}
	return 0;
}

static void heap_set_types(struct legacy *l, const struct heap *h)
{
	legacy_set_period(l, h->rate, "space", "bytes");
	if (h->allocs) {
		legacy_add_type(l, "alloc_objects", "count");
		legacy_add_type(l, "alloc_space", "bytes");
	}
	legacy_add_type(l, h->allocs ? "inuse_objects" : "objects", "count");
	legacy_add_type(l, h->allocs ? "inuse_space" : "space", "bytes");
}

int legacy_read_heap(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		     struct err *err)
{
	struct lines in = { .at = (const char *)data, .end = (const char *)data + n };
	struct legacy l;
	struct heap h;
	int rc;

	lines_next(&in);
	if ((rc = heap_read_header(&h, in.line, err)) < 0)
		return rc;
	legacy_init(&l, options);
	heap_set_types(&l, &h);
	rc = heap_read_samples(&l, &h, &in, err);
	if (rc == 0)
		rc = legacy_read_maps(&l, &in, err);
	if (rc == 0)
		rc = legacy_finish(&l, FRAMES_HEAP, 0, out, err);
	legacy_release(&l);
	return rc;
}
