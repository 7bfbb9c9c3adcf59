/*
 * read.c - a heap profile of jemalloc as samples of addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	heap_v2/524288
 *	  t*: 5: 160 [0: 0]
 *	  t0: 5: 160 [0: 0] name of the thread
 *	@ 0x401000 0x402000
 *	  t*: 2: 64 [0: 0]
 *	  t0: 2: 64 [0: 0]
 *
 *	MAPPED_LIBRARIES:
 *
 * The numbers are as in the heap profiles of gperftools. Lines t* are sums over threads; the other ones repeat them.
 * The memory map is read first, because frames in the allocator are left out.
 */
#include "config.h"

#include "formats/jemalloc/jemalloc.h"

#include "base/mem.h"
#include "base/str.h"
#include "formats/common/skipped.h"
#include "formats/legacy/legacy.h"
#include "profile/builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { JEMALLOC_TYPES_MAX = 4 };

static const char jemalloc_magic[] = "heap_v2/";

/* A type: the values so far, scaled, and what the samples so far have of them. */
struct jemalloc_sum {
	double scaled;
	int64_t added;
};

struct jemalloc_reader {
	struct legacy l;
	int64_t rate; /* mean bytes between samples */
	bool has_allocs;
	struct lines in;
	uint64_t *frame; /* [n_frames] of the current stack, leaf first, as in the file */
	size_t n_frames, cap_frames;
	uint64_t stack_line; /* the line of the current stack; 0: none, or its numbers have been read */
	uint32_t *library;   /* [n_libraries] mappings of libjemalloc */
	size_t n_libraries, cap_libraries;
	struct jemalloc_sum sum[JEMALLOC_TYPES_MAX];
	struct skipped lines, stacks; /* unknown lines, and stacks without numbers */
};

/* Return true for a line "t*: 1: 2 [3: 4]", and fill in its numbers. */
static bool jemalloc_is_total(struct slice line, struct heap_pairs *p)
{
	line = slice_trim(line);
	if (!slice_take(&line, "t*:"))
		return false;
	slice_take_spaces(&line);
	return legacy_take_pairs(&line, false, p);
}

/* Return true for a line of one thread. */
static bool jemalloc_is_thread(struct slice line)
{
	line = slice_trim(line);
	return slice_take(&line, "t") && slice_take_digits(&line).n > 0 && slice_starts(line, ":");
}

static bool jemalloc_is_zero(struct slice number)
{
	while (slice_take(&number, "0"))
		;
	return number.n == 0;
}

/* Return true if a line t* has allocated objects or bytes. */
static bool jemalloc_has_allocs(struct lines in)
{
	struct heap_pairs p;

	while (lines_next(&in) && !slice_is_map_heading(in.line))
		if (jemalloc_is_total(in.line, &p) && (!jemalloc_is_zero(p.count[1]) || !jemalloc_is_zero(p.size[1])))
			return true;
	return false;
}

static void jemalloc_set_types(struct jemalloc_reader *r)
{
	if (r->has_allocs) {
		legacy_add_type(&r->l, "alloc_objects", "count");
		legacy_add_type(&r->l, "alloc_space", "bytes");
	}
	legacy_add_type(&r->l, "inuse_objects", "count");
	legacy_add_type(&r->l, "inuse_space", "bytes");
	legacy_set_period(&r->l, r->rate, "space", "bytes");
}

/* Note the mappings of libjemalloc. */
static void jemalloc_find_libraries(struct jemalloc_reader *r)
{
	for (size_t i = 0; i < r->l.map.n; i++) {
		const char *file = strtab_text(builder_strings(r->l.b), r->l.map.map[i].file);
		const char *slash = strrchr(file, '/');

		if (!starts_with(slash ? slash + 1 : file, "libjemalloc"))
			continue;
		r->library = mem_grow(r->library, &r->cap_libraries, r->n_libraries + 1, sizeof(*r->library));
		r->library[r->n_libraries++] = (uint32_t)i;
	}
}

/* Return true if an address is in libjemalloc. */
static bool jemalloc_is_inside(const struct jemalloc_reader *r, uint64_t addr)
{
	for (size_t i = 0; i < r->n_libraries; i++) {
		const struct mapping *m = &r->l.map.map[r->library[i]];

		if (addr >= m->start && addr < m->limit)
			return true;
	}
	return false;
}

/* Start a stack with the addresses of a line that begins with "@". */
static int jemalloc_read_stack(struct jemalloc_reader *r, struct slice line, struct err *err)
{
	struct slice digits;

	if (r->stack_line)
		skipped_add(&r->stacks, r->stack_line);
	r->stack_line = r->in.no;
	r->n_frames = 0;
	while (slice_next_address(&line, &digits)) {
		r->frame = mem_grow(r->frame, &r->cap_frames, r->n_frames + 1, sizeof(*r->frame));
		if (!slice_hex(digits, &r->frame[r->n_frames++]))
			return err_set(err, ERR_FORMAT, "address of more than 64 bits");
	}
	return 0;
}

/* Scale a pair of numbers. Values are rounded such that those of all stacks add up to the truncated total. */
static int jemalloc_scale(struct jemalloc_reader *r, const struct heap_pairs *p, unsigned which,
			  struct jemalloc_sum sum[2], int64_t values[2], struct err *err)
{
	int64_t number[2], rounded;
	double factor;

	if (!slice_decimal(p->count[which], &number[0]) || !slice_decimal(p->size[which], &number[1]))
		return err_set(err, ERR_FORMAT, "number overflows 64 bits");
	factor = legacy_heap_factor(number[0], number[1], r->rate);
	for (unsigned i = 0; i < 2; i++) {
		sum[i].scaled += (double)number[i] * factor;
		if (legacy_truncate(sum[i].scaled, &rounded, err) < 0)
			return ERR_FORMAT;
		values[i] = rounded - sum[i].added;
		sum[i].added = rounded;
	}
	return 0;
}

/* Add the sample of the current stack. */
static int jemalloc_add_sample(struct jemalloc_reader *r, const struct heap_pairs *p, struct err *err)
{
	int64_t values[JEMALLOC_TYPES_MAX];
	size_t at = r->has_allocs ? 2 : 0, first = 0;
	int rc = 0;

	if (r->has_allocs)
		rc = jemalloc_scale(r, p, 1, r->sum, values, err);
	rc = rc < 0 ? rc : jemalloc_scale(r, p, 0, r->sum + at, values + at, err);
	while (first + 1 < r->n_frames && jemalloc_is_inside(r, r->frame[first] - 1))
		first++;
	for (size_t i = first; rc == 0 && i < r->n_frames; i++)
		rc = legacy_add_frame(&r->l, r->frame[i], ADJUST_ALL, err);
	r->stack_line = 0;
	return rc < 0 ? rc : legacy_end_sample(&r->l, values, NULL, err);
}

static int jemalloc_read_line(struct jemalloc_reader *r, struct err *err)
{
	struct slice line = slice_trim(r->in.line);
	struct heap_pairs p;

	if (slice_starts(line, "@"))
		return jemalloc_read_stack(r, line, err);
	if (jemalloc_is_total(line, &p))
		return r->stack_line ? jemalloc_add_sample(r, &p, err) : 0; /* the first one is the sum of all stacks */
	if (line.n && !jemalloc_is_thread(line))
		skipped_add(&r->lines, r->in.no);
	return 0;
}

static void jemalloc_add_comments(struct jemalloc_reader *r, bool has_map)
{
	struct builder *b = r->l.b;

	if (r->stack_line)
		skipped_add(&r->stacks, r->stack_line);
	skipped_add_comment(&r->stacks, b, "jemalloc: skipped", "stack without numbers", "stacks without numbers",
			    "line");
	skipped_add_comment(&r->lines, b, "jemalloc: skipped", "unknown line", "unknown lines", "line");
	if (!has_map)
		builder_comment(b, strtab_addz(builder_strings(b),
					       "jemalloc: the file has no memory map, so addresses have no names; "
					       "it may be cut"));
}

static int jemalloc_read_all(struct jemalloc_reader *r, struct err *err)
{
	struct lines map = r->in;
	bool has_map;
	int rc = legacy_read_maps(&r->l, &map, err);

	if (rc < 0)
		return rc;
	jemalloc_find_libraries(r);
	r->has_allocs = jemalloc_has_allocs(r->in);
	jemalloc_set_types(r);
	while (lines_next(&r->in) && !slice_is_map_heading(r->in.line))
		if (jemalloc_read_line(r, err) < 0)
			return err_wrap(err, "line %" PRIu64, r->in.no);
	has_map = r->in.line.n > 0;
	if (r->l.n_samples == 0 && !has_map)
		return err_set(err, ERR_FORMAT, "the file has no stack and no memory map; it may be cut");
	jemalloc_add_comments(r, has_map);
	return 0;
}

int jemalloc_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		  struct err *err)
{
	struct jemalloc_reader r = { .in = { .at = (const char *)data, .end = (const char *)data + n } };
	struct slice line;
	int rc = 0;

	lines_next(&r.in);
	line = slice_trim(r.in.line);
	if (!slice_take(&line, jemalloc_magic))
		return err_set(err, ERR_UNKNOWN, "not a heap profile of jemalloc");
	if (!slice_decimal(line, &r.rate) || r.rate < 0)
		return err_set(err, ERR_FORMAT, "line 1: no sampling rate after heap_v2/");
	legacy_init(&r.l, options);
	rc = jemalloc_read_all(&r, err);
	if (rc == 0)
		rc = legacy_finish(&r.l, FRAMES_JEMALLOC, 0, out, err);
	legacy_release(&r.l);
	free(r.frame);
	free(r.library);
	return rc;
}
