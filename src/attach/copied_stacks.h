/*
 * copied_stacks.h - unwind stacks that a recording of perf contains as copies
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The process has ended, or runs elsewhere. Call frame information comes from the binaries of its mappings, which are
 * searched as for names: a file with another build id is not used.
 */
#ifndef ATTACH_COPIED_STACKS_H
#define ATTACH_COPIED_STACKS_H

#include "formats/common/format.h"
#include "symbol/options.h"

struct copied_stacks;

/*
 * Make an unwinder for options of a reader.
 *
 * w     borrowed until copied_stacks_free
 * out   borrowed, valid until copied_stacks_free
 */
struct copied_stacks *copied_stacks_new(const struct symbol_options *w, const struct format_unwinder **out);
void copied_stacks_free(struct copied_stacks *c); /* takes NULL */

#endif
