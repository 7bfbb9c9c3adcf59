/*
 * fuzz_query.c - any bytes as a segment, and a query of it: an error with a message, or a profile that can be encoded
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first bytes are the query.
 */
#define _GNU_SOURCE
#include "config.h"

#include "fuzz.h"

#include "base/pool.h"
#include "profile/encode.h"
#include "profile/forest.h"
#include "segment_sums.h"
#include "store/local/read/reduce.h"

#include <sys/mman.h>
#include <unistd.h>

enum { QUERY_BYTES = 4, CHAPTERS_MAX = 16 };

static void set_query(const uint8_t *b, struct store_query *q)
{
	static const char *const keep[] = { "instance", "env", "service" };

	*q = (struct store_query){
		.t0 = INT64_MIN,
		.t1 = INT64_MAX,
		.kind = "",
		.reduce = (enum reduce)(b[0] % (REDUCE_INCREASE + 1)),
		.keep = keep,
		.n_keep = b[0] / 8 % 4,
	};
	if (b[1]) /* in the times of the corpus */
		q->t0 = b[1] * INT64_C(7);
	if (b[2])
		q->t1 = (b[1] + b[2]) * INT64_C(11);
}

static int reduce_all(struct reducer *r, const struct selection *sel, bool again, struct err *err)
{
	struct reduce_input in[CHAPTERS_MAX] = { 0 };
	size_t n = sel->n < CHAPTERS_MAX ? sel->n : CHAPTERS_MAX;
	int rc;

	for (size_t i = 0; i < n; i++)
		in[i].from = &sel->chapter[i];
	rc = reduce_add(r, in, n, again ? PASS_PROFILES : PASS_WINDOW, err);
	for (size_t i = 0; i < n; i++)
		if (in[i].rc < 0 && !*in[i].err.msg)
			abort();
	return rc;
}

/* The values of all nodes of the trees of a profile are those of its rows. */
static void check_forest(const struct profile *p)
{
	uint32_t n_types = p->forest ? p->forest->n_types : 0;
	int64_t *value = calloc(n_types + 1, sizeof(*value)), *total = calloc(n_types + 1, sizeof(*total));

	for (uint32_t type = 0; type < n_types; type++)
		for (uint32_t row = 0; row < p->n_rows; row++)
			total[type] += p->value[type][row];
	for (uint32_t i = 0; n_types && i < p->forest->n_trees; i++) {
		struct forest_node node;
		struct forest_reader r;
		uint32_t depth = 0;

		for (forest_reader_init(&r, &p->forest->tree[i], n_types); forest_read(&r, &node, value);) {
			if (node.loc >= p->n_locs || node.n_ends > depth + 1)
				abort();
			depth = depth + 1 - node.n_ends;
			for (uint32_t type = 0; node.has_value && type < n_types; type++) {
				int64_t factor, v = value[forest_find_column(r.tree, type, &factor)];

				total[type] -= v * factor;
			}
		}
	}
	for (uint32_t row = 0; row < p->n_rows; row++) /* empty stacks are in no tree */
		for (uint32_t type = 0; type < n_types; type++)
			if (p->stacks.off[p->stack[row]] == p->stacks.off[p->stack[row] + 1])
				total[type] -= p->value[type][row];
	for (uint32_t type = 0; type < n_types; type++)
		if (total[type])
			abort();
	free(value);
	free(total);
}

/* Read the same as trees: if that is possible, the totals are those of the rows. */
static void reduce_as_forest(const struct store_query *q, const struct selection *sel, const struct profile *rows)
{
	struct reducer *r = reduce_new(q, NULL);
	struct store_sum sum = { 0 };
	struct profile *p = NULL;
	struct err err = { 0 };

	reduce_want_forest(r);
	if (reduce_all(r, sel, false, &err) == 0 && !reduce_needs_rows(r)) {
		int64_t total = 0;

		if (reduce_finish(r, &p, &sum, &err) < 0)
			abort();
		for (uint32_t row = 0; p && row < p->n_rows; row++)
			total += p->value[0][row];
		for (uint32_t row = 0; rows && row < rows->n_rows; row++)
			total -= rows->value[0][row];
		if (total || !p != !rows)
			abort();
		if (p)
			check_forest(p);
	}
	profile_free(p);
	store_sum_release(&sum);
	reduce_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct profile *p = NULL;
	struct err err = { 0 };
	struct store_sum sum = { 0 };
	struct selection sel;
	struct store_query q;
	struct reducer *r;
	struct bytes copy;
	int fd, rc;

	if (n < QUERY_BYTES)
		return 0;
	pool_set_size(1);
	set_query(data, &q);
	copy = fuzz_bytes(data + QUERY_BYTES, n - QUERY_BYTES);
	segment_sums_correct(copy.data, copy.n);
	fd = memfd_create("segment", MFD_CLOEXEC);
	if (fd < 0 || write(fd, copy.data, copy.n) != (ssize_t)copy.n)
		abort();
	select_open_segment(fd, "x.cps", &q, &sel);
	r = reduce_new(&q, NULL);
	rc = reduce_all(r, &sel, false, &err);
	if (rc == 0 && reduce_is_unordered(r))
		rc = reduce_all(r, &sel, true, &err);
	if (rc == 0)
		rc = reduce_finish(r, &p, &sum, &err);
	if (rc < 0 && !*err.msg)
		abort();
	if (p) {
		struct buf out = { 0 };

		if (profile_encode(p, &out, &err) || sum.profiles == 0)
			abort();
		buf_release(&out);
	}
	if (rc == 0 && !q.n_keep)
		reduce_as_forest(&q, &sel, p);
	profile_free(p);
	store_sum_release(&sum);
	reduce_free(r);
	select_close(&sel);
	free(copy.data);
	return 0;
}
