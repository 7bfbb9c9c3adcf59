/*
 * read_sample.c - walk the stack of a sample of a perf event
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel copies registers and the top of the stack. It also follows frame pointers, at the moment of the sample,
 * over any memory: these frames are used where the walk cannot continue, because the caller is on another stack.
 */
#include "config.h"

#include "libcpaprof/collector/read/read_stack.h"

#include <string.h>

enum {
	AGREE_BYTES = 4096,      /* of the end of a copy, which are compared with the process */
	BEYOND_FIRST = 64 << 10, /* bytes that are read from the process at first */
	BEYOND_STEP = 8
};

#if defined(__x86_64__)

enum { EVENT_SP = 7, EVENT_PC = 8, N_LOW = 9 }; /* positions in the order of the kernel; registers before R8 */

/* The DWARF numbers of the registers in the order of the kernel: AX BX CX DX SI DI BP SP, the pc, R8 to R15. */
static const uint8_t event_reg[] = { 0, 3, 2, 1, 4, 5, 6, 7, UINT8_MAX, 8, 9, 10, 11, 12, 13, 14, 15 };

uint64_t read_stack_event_regs(void)
{
	enum { BIT_R8 = 16, N_HIGH = 8 }; /* flags and segments are between the pc and R8 */

	return ((UINT64_C(1) << N_LOW) - 1) | ((UINT64_C(1) << N_HIGH) - 1) << BIT_R8;
}

#else

enum { EVENT_SP = 2, EVENT_PC = 3 };

static const uint8_t event_reg[] = { UNWIND_FP, UNWIND_LR, UNWIND_SP, UINT8_MAX };

uint64_t read_stack_event_regs(void)
{
	enum { BIT_FP = 29, N_USED = 4 }; /* x29, x30, sp, pc */

	return ((UINT64_C(1) << N_USED) - 1) << BIT_FP;
}

#endif

unsigned read_stack_n_event_regs(void)
{
	return sizeof(event_reg) / sizeof(event_reg[0]);
}

/* Set the registers of a sample, and walk. */
static void walk_sample(const struct stack_sample *s, const struct unwind_source *from, uint64_t *pc, uint32_t max,
			struct unwind_result *result)
{
	struct unwind_regs regs;

	cpi_unwind_regs_of_pc_sp_sig(s->reg[EVENT_PC], s->reg[EVENT_SP], &regs);
	for (unsigned i = 0; i < sizeof(event_reg); i++)
		if (event_reg[i] != UINT8_MAX) {
			regs.r[event_reg[i]] = s->reg[i];
			regs.known |= 1U << event_reg[i];
		}
	cpi_unwind_walk_sig(from, &regs, pc, max, result);
}

/* Two walks of the same stack. */
struct walk_pair {
	struct unwind_result now, then;
	uint64_t *pc_now, *pc_then; /* [max] */
};

/*
 * Walk with n bytes that are read from the process, from AGREE_BYTES before the end of the copy on: first with all of
 * them, then with those beyond the copy only. Returns the number of bytes that were read.
 */
static size_t walk_both(struct stack_reader *p, const struct stack_sample *s, struct unwind_source *from, size_t n,
			uint32_t max, struct walk_pair *out)
{
	uint64_t sp = s->reg[EVENT_SP], at = s->n_stack - AGREE_BYTES;
	unsigned char *bytes = p->copy[0];
	size_t got = space_read(&p->space, sp + at, bytes + at, n);
	struct unwind_range range = { sp, sp + at + got, bytes };

	if (got <= AGREE_BYTES)
		return 0;
	from->range = &range;
	memcpy(bytes, s->stack, at);
	walk_sample(s, from, out->pc_now, max, &out->now);
	memcpy(bytes + at, s->stack + at, AGREE_BYTES);
	walk_sample(s, from, out->pc_then, max, &out->then);
	return got;
}

/*
 * Walk a stack that is larger than its copy. The process has continued since the sample. If walks with its last frames
 * in the copy, and with these frames as they are in the process now, agree, they still run, and so do their callers.
 *
 * result   unchanged, and so is pc, if the walks differ or do not reach the start of the thread
 */
static void walk_beyond(struct stack_reader *p, const struct stack_sample *s, struct unwind_source *from, uint64_t *pc,
			uint32_t max, struct unwind_result *result)
{
	size_t room = READ_STACK_BYTES_MAX - s->n_stack;
	uint64_t *both = memory_map(2 * max * sizeof(*pc));
	struct walk_pair w = { { .end = UNWIND_OUTSIDE }, { 0 }, both, both ? both + max : NULL };

	bool is_more;

	if (!p->copy[0])
		p->copy[0] = memory_map(READ_STACK_BYTES_MAX);
	is_more = both && p->copy[0];
	for (size_t n = BEYOND_FIRST; is_more && n <= room; n *= BEYOND_STEP)
		is_more = walk_both(p, s, from, n, max, &w) == n && w.now.end == UNWIND_OUTSIDE;
	if ((w.now.end == UNWIND_ROOT || w.now.end == UNWIND_FULL) && w.then.end == w.now.end && w.then.n == w.now.n &&
	    memcmp(w.pc_now, w.pc_then, w.now.n * sizeof(*pc)) == 0) {
		memcpy(pc, w.pc_now, w.now.n * sizeof(*pc));
		*result = w.now;
	}
	memory_unmap(both, 2 * max * sizeof(*pc));
}

/*
 * Append the frames of the chain, if the walk ended within it. No call precedes the last return address of a goroutine,
 * which is in the function that ends it.
 */
static void add_sampled_chain(struct stack_reader *p, const struct stack_sample *s, uint64_t *pc, uint32_t max,
			      struct unwind_result *result)
{
	uint32_t n = result->n;
	size_t k = s->n_chain;

	while (k > 1 && (s->chain[k - 1] != pc[n - 1] || (n > 2 && s->chain[k - 2] != pc[n - 2])))
		k--;
	if (k <= 1 || n < 2)
		return;
	for (; k < s->n_chain && n < max && result->end != UNWIND_ROOT; k++) {
		const struct unwind_object *obj = space_find(&p->space, s->chain[k] - 1, NULL);

		if (!obj) /* code without an object, or a word that is no return address */
			break;
		if (!cpi_unwind_is_called_sig(obj, s->chain[k])) {
			if (k + 1 < s->n_chain)
				break;
			result->end = UNWIND_ROOT;
		}
		pc[n++] = s->chain[k];
		result->n_guessed++;
	}
	result->n = n;
}

uint32_t read_stack_of_sample(struct stack_reader *p, const struct stack_sample *s, uint64_t *pc, uint32_t max,
			      uint32_t *n_guessed, enum unwind_end *end)
{
	uint64_t sp = s->reg[EVENT_SP], n_stack = s->n_stack < UINT64_MAX - sp ? s->n_stack : 0;
	const struct unwind_range range = { sp, sp + n_stack, s->stack };
	struct unwind_source from = { .range = &range, .n_ranges = 1, .find = space_find, .arg = &p->space };
	struct unwind_result result;

	from.cache = read_stack_cache(p);
	walk_sample(s, &from, pc, max, &result);
	if (result.end == UNWIND_OUTSIDE && n_stack > AGREE_BYTES)
		walk_beyond(p, s, &from, pc, max, &result);
	if (result.end != UNWIND_ROOT && result.end != UNWIND_FULL)
		add_sampled_chain(p, s, pc, max, &result);
	for (uint32_t i = 1; i < result.n; i++)
		pc[i]--;
	*n_guessed = result.n_guessed;
	*end = result.end;
	return result.n;
}
