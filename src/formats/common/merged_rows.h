/*
 * merged_rows.h - rows of a profile in which equal stacks with equal labels are one row
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_COMMON_MERGED_ROWS_H
#define FORMATS_COMMON_MERGED_ROWS_H

#include "formats/common/format.h"
#include "profile/builder.h"

struct merged_rows;

/*
 * b            borrowed; all its types have been added
 * input_bytes  size of the input, which limits the sum of the lengths of all distinct stacks: in formats with a tree of
 *              calls a small file can have a billion frames
 * Returns      freed with merged_rows_free, which takes NULL
 */
struct merged_rows *merged_rows_new(struct builder *b, const struct format_options *options, size_t input_bytes);
void merged_rows_free(struct merged_rows *m);

/*
 * The row of a stack and of a label set; it is appended with values 0 if it is new. All rows of the builder are appended by
 * this function or by merged_rows_add.
 *
 * Fails   ERR_LIMIT for more than options->max_count rows
 */
int merged_rows_find(struct merged_rows *m, uint32_t stack, uint32_t labels, uint32_t *row, struct err *err);

/*
 * Add values to the row of a stack and labels; sums are capped at the limits of int64_t.
 *
 * values  [types of the builder]
 * locs    [n] leaf first
 * labels  [n_labels] of builder_label
 * Fails   ERR_LIMIT for a stack longer than options->max_depth, and more than options->max_count rows
 */
int merged_rows_add(struct merged_rows *m, const int64_t *values, const uint32_t *locs, size_t n,
		    const uint32_t *labels, size_t n_labels, struct err *err);

#endif
