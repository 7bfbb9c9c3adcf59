/*
 * sample_fields.c - the fields of a sample
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The order is that of the kernel, which is not the order of the bits of sample_type.
 */
#include "config.h"

#include "formats/perf/perf_int.h"

enum { BRANCH_BYTES = 24, WORD = 8 };
enum { BRANCH_HW_INDEX = 1 << 17, BRANCH_COUNTERS = 1 << 19 };

/* The rest of a record. */
struct perf_fields {
	const struct perf_reader *r;
	const uint8_t *p;
	size_t n;
	bool is_bad;
};

static const uint8_t *fields_take(struct perf_fields *f, uint64_t n)
{
	const uint8_t *p = f->p;

	if (f->is_bad || n > f->n) {
		f->is_bad = true;
		return NULL;
	}
	f->p += n;
	f->n -= (size_t)n;
	return p;
}

/* n words; NULL if there are not so many. */
static const uint8_t *fields_words(struct perf_fields *f, uint64_t n, unsigned size)
{
	if (n > f->n / size) {
		f->is_bad = true;
		return NULL;
	}
	return fields_take(f, n * size);
}

static uint64_t fields_u64(struct perf_fields *f)
{
	const uint8_t *p = fields_take(f, WORD);

	return p ? perfdata_u64(f->r, p) : 0;
}

static void fields_skip(struct perf_fields *f, uint64_t type, uint64_t bit)
{
	if (type & bit)
		fields_take(f, WORD);
}

/* The counts of READ; kept as bytes. */
static void fields_read(struct perf_fields *f, uint64_t format, struct perf_sample *out)
{
	unsigned times = !!(format & PERF_READ_ENABLED) + !!(format & PERF_READ_RUNNING);
	unsigned each = 1 + !!(format & PERF_READ_ID) + !!(format & PERF_READ_LOST);
	const uint8_t *start = f->p;
	uint64_t n;

	if (format & PERF_READ_GROUP) {
		n = fields_u64(f);
		fields_words(f, times, WORD);
		fields_words(f, n, each * WORD);
	} else {
		fields_words(f, times + each, WORD);
	}
	out->read = start;
	out->n_read = (size_t)(f->p - start);
}

static void fields_branches(struct perf_fields *f, const struct perf_event *e, struct perf_sample *out)
{
	out->n_branches = fields_u64(f);
	if (e->branch_type & BRANCH_HW_INDEX)
		fields_take(f, WORD);
	out->branch = fields_words(f, out->n_branches, BRANCH_BYTES);
	if (e->branch_type & BRANCH_COUNTERS)
		fields_words(f, out->n_branches, WORD);
}

static void fields_registers(struct perf_fields *f, const struct perf_event *e, struct perf_sample *out)
{
	out->abi = fields_u64(f);
	if (out->abi)
		out->regs = fields_words(f, (unsigned)__builtin_popcountll(e->regs_user), WORD);
}

/* The copy of the stack; only the part that the kernel could read is valid. */
static void fields_stack(struct perf_fields *f, struct perf_sample *out)
{
	uint64_t size = fields_u64(f), used;

	if (size == 0)
		return;
	out->stack = fields_take(f, size);
	used = fields_u64(f);
	out->n_stack = used < size ? used : size;
}

static void fields_raw(struct perf_fields *f)
{
	const uint8_t *p = fields_take(f, sizeof(uint32_t));

	if (p)
		fields_take(f, perfdata_u32(f->r, p));
}

/* The fields from READ on, which have different sizes. */
static void fields_long(struct perf_fields *f, const struct perf_event *e, struct perf_sample *out)
{
	uint64_t type = e->sample_type;

	if (type & PERF_HAS_READ)
		fields_read(f, e->read_format, out);
	if (type & PERF_HAS_CALLCHAIN) {
		out->n_chain = fields_u64(f);
		out->chain = fields_words(f, out->n_chain, WORD);
	}
	if (type & PERF_HAS_RAW)
		fields_raw(f);
	if (type & PERF_HAS_BRANCH_STACK)
		fields_branches(f, e, out);
	if (type & PERF_HAS_REGS_USER)
		fields_registers(f, e, out);
	if (type & PERF_HAS_STACK_USER)
		fields_stack(f, out);
}

bool perfdata_sample_fields(const struct perf_reader *r, const struct perf_event *e, const struct perf_record *rec,
			    struct perf_sample *out)
{
	struct perf_fields f = { r, rec->p + PERF_HEADER_SIZE, rec->n - PERF_HEADER_SIZE, false };
	uint64_t type = e->sample_type;
	const uint8_t *p;

	*out = (struct perf_sample){ .pid = UINT32_MAX, .tid = UINT32_MAX };
	fields_skip(&f, type, PERF_HAS_IDENTIFIER);
	if (type & PERF_HAS_IP)
		out->ip = fields_u64(&f);
	if (type & PERF_HAS_TID && (p = fields_take(&f, WORD))) {
		out->pid = perfdata_u32(r, p);
		out->tid = perfdata_u32(r, p + sizeof(uint32_t));
	}
	if (type & PERF_HAS_TIME)
		out->time = fields_u64(&f);
	fields_skip(&f, type, PERF_HAS_ADDR);
	fields_skip(&f, type, PERF_HAS_ID);
	fields_skip(&f, type, PERF_HAS_STREAM_ID);
	fields_skip(&f, type, PERF_HAS_CPU);
	if (type & PERF_HAS_PERIOD)
		out->period = fields_u64(&f);
	fields_long(&f, e, out);
	return !f.is_bad;
}
