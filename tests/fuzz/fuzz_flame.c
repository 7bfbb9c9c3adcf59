/*
 * fuzz_flame.c - from any bytes to the boxes of a flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The last byte chooses the options. Stops when boxes do not add up.
 */
#include "config.h"

#include "fuzz.h"

#include "engine/query.h"
#include "report/flame.h"

enum { LEVELS = 50 };

static struct query question(uint8_t bits)
{
	static const int grain[] = { GRAIN_FUNCTIONS, GRAIN_FILES, GRAIN_LINES, GRAIN_ADDRESSES };
	struct query q;

	query_init(&q);
	q.granularity = grain[bits & 3];
	q.inverted = bits & 4;
	q.noinlines = bits & 8;
	q.drop_negative = bits & 16;
	q.has_nodefraction = bits & 32;
	q.nodecount = bits & 64 ? 7 : -1;
	q.tagroot = bits & 128 ? "route,tenant" : "";
	query_apply_defaults(&q, &(struct query_defaults){ .trims_by_width = true });
	return q;
}

static void expect(bool holds, const char *what, uint32_t box)
{
	if (holds)
		return;
	fprintf(stderr, "box %u: %s\n", box, what);
	abort();
}

/* Check that the children and the own value of a box add up to at most the box, and to exactly that if nothing is
   omitted. */
static void judge(const struct flame *f)
{
	bool whole = f->n_cut == 0 && f->n_shrunk == 0;

	expect(f->parent[0] == FLAME_NONE && f->frame[0] == FLAME_NONE, "the root", 0);
	for (int column = 0; column <= N_SIDES; column++) {
		const int64_t *total = column < N_SIDES ? f->total[column] : f->width;
		int64_t *sum = mem_zalloc(f->n, sizeof(*sum));

		for (uint32_t i = f->n; total && i-- > 0;) {
			int64_t self = 0;

			for (int side = 0; side < N_SIDES; side++)
				if (f->self[side] && (column == side || column == N_SIDES))
					self = f->self[side][i] > self ? f->self[side][i] : self;
			expect(total[i] >= 0 && self >= 0, "a negative sum", i);
			expect(!whole || sum[i] + self == total[i], "does not add up", i);
			expect(f->n_rest[i] || sum[i] + self <= total[i], "less than its callees", i);
			expect(i == 0 || f->parent[i] < i, "a parent after its child", i);
			expect(f->frame[i] == FLAME_NONE ? i == 0 || f->n_rest[i] : f->frame[i] < f->n_frames,
			       "no frame", i);
			if (i)
				sum[f->parent[i]] += total[i];
		}
		free(sum);
	}
}

static void fold(const struct profile *p, const struct query *q)
{
	const struct flame_options ask = { .max_levels = LEVELS };
	struct arena *mem = arena_new();
	struct buf notes = { 0 };
	struct report r;
	struct view v;
	struct err err;
	int64_t above = 0;

	if (view_make(p, &q->filter, mem, &v, &notes, &err) == 0 && report_flame_make(&v, q, &ask, &r, &err) == 0) {
		judge(r.flame);
		for (uint32_t row = 0; row < v.n; row++)
			above += v.val[row] > 0 ? v.val[row] : 0;
		expect(r.flame->total[SIDE_NEW][0] == above, "not the sum of the samples", 0);
		report_release(&r);
	}
	buf_release(&notes);
	arena_free(mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct query q = question(n ? data[n - 1] : 0);
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL;
	struct err err;

	if (formats_read(&in, &fuzz_limits, &p, &err) == 0)
		fold(p, &q);
	profile_free(p);
	query_release(&q);
	free(in.data);
	return 0;
}
