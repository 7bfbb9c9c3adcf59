/*
 * weblist_int.h - from samples to the instructions of a page
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For report/weblist*.c alone. An address is one of the process; a location without one gets one of its
 * own, above all mappings.
 */
#ifndef REPORT_WEBLIST_INT_H
#define REPORT_WEBLIST_INT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/strtab.h"
#include "engine/view.h"
#include "report/binaries.h"
#include "report/weblist.h"
#include "symbol/frames.h"

#include <stdbool.h>
#include <stdint.h>

/* An address of samples. */
struct web_addr {
	uint64_t addr;
	uint32_t loc;   /* the first location there that is asked for; PROFILE_NONE when none is */
	uint32_t order; /* of that in the samples */
	int64_t flat, cum;
};

struct web_inst {
	uint64_t addr, obj_addr, length;
	const char *text; /* "" for what has no binary */
	const char *file;
	int64_t line;
	int64_t flat, cum;
	uint32_t n_frames; /* innermost first */
	const struct frame *frame;
};

/* An instruction under a line of a function on its stack. */
struct web_use {
	uint32_t file; /* of web.files */
	int64_t line;
	uint32_t inst, frame; /* of the instruction; those before it are calls */
	uint32_t order;       /* in which it was found */
};

struct web {
	const struct view *v;
	const struct query *q;
	struct arena *mem;
	struct binaries binaries;
	uint32_t n_addrs;
	struct web_addr *addr;   /* [n_addrs] ascending */
	struct strtab *interest; /* names, as seen and as in the binary, of functions that are asked for */
	bool any_interest;
	bool nameless;  /* so are functions without a name */
	str_id *pretty; /* [strings of the profile] the seen name + 1 of a binary's name; 0 for none */
	struct strtab *files;
	uint32_t n_insts;
	size_t cap_insts;
	struct web_inst *inst; /* [n_insts] */
	uint32_t n_uses;
	size_t cap_uses;
	struct web_use *use; /* [n_uses] in the order in which lines show them */
};

/* Fill addr, interest and pretty from the samples. Fails ERR_LIMIT for an expression that explodes. */
int web_read_samples(struct web *w, struct err *err);

/* Fill inst and use from the binaries, and from the profile for what has none. */
int web_read_code(struct web *w, struct buf *notes, struct err *err);

#endif
