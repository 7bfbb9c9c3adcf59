/*
 * weblist_int.h - samples and instructions of the weblist report
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For report/weblist*.c only. Addresses are those of the process; a location without an address gets a unique one above
 * all mappings.
 */
#ifndef REPORT_WEBLIST_INT_H
#define REPORT_WEBLIST_INT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/strtab.h"
#include "engine/view.h"
#include "report/binaries.h"
#include "symbol/frames.h"

#include <stdbool.h>
#include <stdint.h>

/* An address with samples. */
struct weblist_addr {
	uint64_t addr;
	uint32_t loc;   /* first matching location at the address; PROFILE_NONE for none */
	uint32_t order; /* position of that location in the samples */
	int64_t flat;
};

struct weblist_values {
	int64_t flat, cum;
};

struct weblist_instruction {
	uint64_t addr, obj_addr, length;
	const char *text; /* text of the instruction; "" without a binary */
	const char *file;
	int64_t line;
	uint32_t lo, hi; /* range of the addresses with samples in it */
	struct weblist_values weight;
	uint32_t n_frames; /* number of frames, innermost first */
	const struct frame *frame;
};

/* An instruction listed below a line of a function on its stack. */
struct weblist_use {
	uint32_t file; /* id in builder.files */
	int64_t line;
	uint32_t inst, frame; /* frame of the instruction; the frames before it are inlined calls */
	uint32_t order;       /* order in which it was found */
};

struct weblist_builder {
	const struct view *v;
	const struct query *q;
	struct arena *mem;
	struct binaries binaries;
	uint32_t n_addrs;
	struct weblist_addr *addr;    /* [n_addrs] ascending */
	int64_t *stack_weight;        /* [stacks] */
	uint32_t *addr_of;            /* [locations] index in addr; PROFILE_NONE without samples */
	struct strtab *matched_names; /* names of matching functions, as in the profile and as in the binary */
	bool has_matched_names;
	bool matches_nameless; /* do functions without a name match, too? */
	str_id *pretty;        /* [strings of the profile] displayed name, + 1, of a name in the binary; 0 for none */
	struct strtab *files;
	const char *last_path; /* the last name of a file that was added to files */
	uint32_t last_file;    /* its id */
	uint32_t n_insts;
	size_t cap_insts;
	struct weblist_instruction *inst; /* [n_insts] */
	uint32_t n_uses;
	size_t cap_uses;
	struct weblist_use *use; /* [n_uses] uses in the order of display */
};

/* Fill addr, stack_weight, addr_of, interest and pretty from the samples. Fails ERR_LIMIT for an expression that takes
 * too many steps. */
int weblist_read_samples(struct weblist_builder *w, struct err *err);

/* An instruction in a group. */
struct weblist_member {
	uint32_t inst, group;
};

/*
 * Sum up groups of instructions. A sample counts once per group, so the cum of a recursive function does not exceed the
 * total.
 *
 * member  [n]; an instruction may be in several groups
 * out     [n_groups] zeroed by the caller
 */
void weblist_sum_groups(const struct weblist_builder *w, const struct weblist_member *member, uint32_t n,
			struct weblist_values *out, uint32_t n_groups);

/* Fill in inst and use from the binaries, and from the profile for addresses without one. */
int weblist_read_code(struct weblist_builder *w, struct buf *notes, struct err *err);

#endif
