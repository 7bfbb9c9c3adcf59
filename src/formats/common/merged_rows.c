/*
 * merged_rows.c - rows of a profile in which equal stacks with equal labels are one row
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/common/merged_rows.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MERGED_FRAMES_MIN = 2 << 20, MERGED_FRAMES_PER_BYTE = 8, MERGED_ROWS_EXPECTED = 256 };

struct merged_rows {
	struct builder *b;
	const struct format_options *options;
	struct idtab at;
	uint64_t n_frames, max_frames; /* of all distinct stacks */
};

struct merged_rows *merged_rows_new(struct builder *b, const struct format_options *options, size_t input_bytes)
{
	struct merged_rows *m = mem_zalloc(1, sizeof(*m));

	m->b = b;
	m->options = options;
	m->max_frames = MERGED_FRAMES_MIN + (uint64_t)input_bytes * MERGED_FRAMES_PER_BYTE;
	idtab_init(&m->at, MERGED_ROWS_EXPECTED);
	return m;
}

void merged_rows_free(struct merged_rows *m)
{
	if (!m)
		return;
	idtab_release(&m->at);
	free(m);
}

static int merged_rows_find_stack(struct merged_rows *m, const uint32_t *locs, size_t n, uint32_t *stack,
				  struct err *err)
{
	uint32_t before = builder_n_stacks(m->b);
	int rc;

	if (format_exceeds(n, m->options->max_depth))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " frames; raise the limit with --max-depth",
			       m->options->max_depth);
	rc = builder_stack(m->b, locs, n, builder_stack_hash(locs, n), stack, err);
	if (rc == 0 && builder_n_stacks(m->b) > before)
		m->n_frames += n;
	if (rc == 0 && m->n_frames > m->max_frames)
		return err_set(err, ERR_LIMIT,
			       "the stacks have more than %" PRIu64 " frames together, too many for input of this size",
			       m->max_frames);
	return rc;
}

int merged_rows_find(struct merged_rows *m, uint32_t stack, uint32_t labels, uint32_t *out, struct err *err)
{
	uint64_t hash = hash_u64((uint64_t)stack << 32 | labels);
	uint32_t n = builder_profile(m->b)->n_rows;
	struct builder_rows rows;
	int rc;

	for (size_t at = idtab_start(&m->at, hash); idtab_next(&m->at, hash, &at, out);)
		if (builder_row_is(m->b, *out, stack, labels))
			return 0;
	if (format_exceeds(n + UINT64_C(1), m->options->max_count))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " samples; raise the limit with --max-count",
			       m->options->max_count);
	rc = builder_rows(m->b, 1, &rows, err);
	if (rc < 0)
		return rc;
	rows.stack[0] = stack;
	rows.labels[0] = labels;
	idtab_put(&m->at, hash, n);
	*out = n;
	return 0;
}

int merged_rows_add(struct merged_rows *m, const int64_t *values, const uint32_t *locs, size_t n,
		    const uint32_t *labels, size_t n_labels, struct err *err)
{
	uint32_t stack, set, row;
	int rc = merged_rows_find_stack(m, locs, n, &stack, err);

	rc = rc < 0 ? rc : builder_label_set(m->b, labels, n_labels, &set, err);
	rc = rc < 0 ? rc : merged_rows_find(m, stack, set, &row, err);
	for (uint32_t t = 0; rc == 0 && t < builder_n_types(m->b); t++) {
		int64_t *sum = &builder_values(m->b, t)[row];

		*sum = num_add_capped(*sum, values[t]);
	}
	return rc;
}
