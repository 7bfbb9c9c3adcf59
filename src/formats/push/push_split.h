/*
 * push_split.h - parts of a profile as profiles of their own
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PUSH_PUSH_SPLIT_H
#define FORMATS_PUSH_PUSH_SPLIT_H

#include "formats/common/format.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct push_splitter;

/* p, options: borrowed; the stacks of p are whole, so it has no forest. Freed with push_splitter_free, which takes NULL. */
struct push_splitter *push_splitter_new(const struct profile *p, const struct format_options *options);
void push_splitter_free(struct push_splitter *s);

/*
 * Make a profile of some rows and sample types. It has the times and comments of p, the entries that its rows use, and the first
 * mapping. Rows with equal stacks and labels are added up. The time is linear in the size of these rows.
 *
 * row          [n]
 * column       [types of p] is the type wanted? One at least is
 * skips_first  leave out the first label of each row
 * out          owned by the caller
 * Fails        ERR_LIMIT
 */
int push_split(struct push_splitter *s, const uint32_t *row, size_t n, const bool *column, bool skips_first,
	       struct profile **out, struct err *err);

#endif
