/*
 * view_asm_int.h - what the files of the view Assembly share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_VIEW_ASM_INT_H
#define VIEWERS_SHELL_VIEW_ASM_INT_H

#include "engine/view.h"
#include "report/disasm.h"
#include "viewers/shell/view_source_int.h"

struct asm_model {
	uint32_t n;
	const struct disasm_routine **routine; /* [n] the heaviest first */
	uint64_t *addr;                        /* [rows of the table] */
	uint64_t *target;                      /* [rows] where a jump or call goes; ASM_NOWHERE */
	bool by_cum, is_change;
	bool has_wanted; /* it was asked for by an address: */
	uint64_t wanted;
};

#define ASM_NOWHERE UINT64_MAX

/* Where a jump came from. */
struct asm_jump {
	uint32_t routine, at;
};

struct asm_state {
	struct list list;     /* over the routine's instructions: row of the table less routine->lo */
	struct list routines; /* to choose one */
	bool is_choosing;
	uint32_t routine;
	struct code_values values;
	int addr_width;
	struct find *find; /* NULL: nothing is searched for */
	uint32_t find_from;
	struct asm_jump *jump; /* [n_jumps] */
	size_t n_jumps, cap_jumps;
	uint32_t *hot; /* [n_hot] rows of the list with weight, the hottest first */
	uint32_t n_hot;
	/* what is selected, to find it again in another model */
	char *name;
	uint64_t addr;
};

/* The model of a pane; on the worker's thread. */
int asm_make(const struct ask *a, struct model *m, struct err *err);

/*
 * The address with the largest weight among those where a function that q->pattern matches was inlined.
 *
 * Gives   false when there is none
 */
bool asm_inlined_address(const struct view *v, const struct query *q, uint64_t *addr);

/* The cells of an instruction of the routine that is shown. */
const union cell *asm_cell(const struct pane *p, uint32_t i);

const struct disasm_routine *asm_routine(const struct pane *p);

/* Where an instruction of the routine jumps to within it; false when it does not. */
bool asm_target(const struct pane *p, uint32_t i, uint32_t *out);

void asm_draw(struct shell *s, struct pane *p, struct grid *g, struct area a);

#endif
