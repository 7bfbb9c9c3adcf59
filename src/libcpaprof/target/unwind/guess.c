/*
 * guess.c - frames without CFI, and registers that nobody told
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A word of the stack is taken for a return address when it is in the code of an object, and the
 * bytes before it are a call. A direct call says where it goes, which is the stronger sign: the
 * function that runs must be there. A stale word has the same look, so guesses are counted.
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

enum {
	WORDS_OF_A_LEAF = 64, /* of the stack, gone through for the caller of frame 0 */
	WORDS_OF_A_FRAME = 4096,
	NEAR = 65536, /* a function without CFI is taken to be no longer */
	STEPS_OF_A_WORD = 8,
};

enum sign { NO_CALL, MAYBE_CALL, CALL, CALL_HERE };

/* The bytes of code before an address: pointer to the address, and how many there are. */
static const unsigned char *code_before(const struct unwind_object *obj, uint64_t addr, uint64_t *n)
{
	*n = addr - obj->text_lo;
	if (!obj->text || *n > obj->text_hi - obj->text_lo)
		return NULL;
	return obj->text + *n;
}

#if defined(__x86_64__)
/* Whether a call ends at p; *target: where a direct one goes, else 0. */
static bool is_call(const unsigned char *p, uint64_t n, uint64_t addr, uint64_t *target)
{
	int32_t rel;

	*target = 0;
	if (n < 8)
		return false;
	if (p[-5] == 0xe8) {
		__builtin_memcpy(&rel, p - 4, 4);
		*target = addr + (uint64_t)(int64_t)rel;
		return true;
	}
	/* ff /2, by length: register or [reg]; + disp8 or SIB; SIB + disp8; disp32 or rip; SIB + disp32 */
	if (p[-2] == 0xff && (p[-1] & 0x38) == 0x10 && p[-1] >> 6 != 1 && p[-1] >> 6 != 2)
		return p[-1] >> 6 == 3 || ((p[-1] & 7) != 4 && (p[-1] & 7) != 5);
	if (p[-3] == 0xff && ((p[-2] & 0xf8) == 0x50 || p[-2] == 0x14))
		return p[-2] == 0x14 || (p[-2] & 7) != 4;
	if (p[-4] == 0xff && p[-3] == 0x54)
		return true;
	if (p[-6] == 0xff && (p[-5] == 0x15 || ((p[-5] & 0xf8) == 0x90 && (p[-5] & 7) != 4)))
		return true;
	return p[-7] == 0xff && (p[-6] == 0x94 || p[-6] == 0x14);
}
#else
static bool is_call(const unsigned char *p, uint64_t n, uint64_t addr, uint64_t *target)
{
	uint32_t op;

	*target = 0;
	if (n < 4 || addr & 3)
		return false;
	__builtin_memcpy(&op, p - 4, 4);
	if ((op & 0xfc000000) == 0x94000000) { /* bl */
		*target = addr - 4 + (uint64_t)((int64_t)(int32_t)(op << 6) >> 4);
		return true;
	}
	/* blr, blraa and its kin */
	return (op & 0xfffffc1f) == 0xd63f0000 || (op & 0xfefff800) == 0xd63f0800;
}
#endif

/* What speaks for a word being a return address into a caller of the code [lo, pc]. */
static enum sign judge(struct walk *w, uint64_t addr, uint64_t lo, uint64_t pc)
{
	const struct unwind_object *obj;
	const unsigned char *p;
	struct unwind_object room;
	uint64_t n, target;

	addr = strip_pac(addr);
	if (addr < 4096)
		return NO_CALL;
	obj = w->obj && addr - w->obj->lo < w->obj->hi - w->obj->lo ? w->obj
								    : w->from->find(w->from->arg, addr - 1, &room);
	if (!obj)
		return NO_CALL;
	if (!obj->text)
		return MAYBE_CALL;
	p = code_before(obj, addr, &n);
	if (!p || !is_call(p, n, addr, &target))
		return NO_CALL;
	return target && target >= lo && target <= pc ? CALL_HERE : CALL;
}

/* Only what find was asked for last is held by a cache of objects; ask again for the frame's own. */
static void recall(struct walk *w, uint64_t pc)
{
	w->obj = NULL;
	walk_object(w, pc);
}

/* Take the word at an address for the return address. */
static int take(struct walk *w, uint64_t at, uint64_t ra)
{
	w->regs->pc = strip_pac(ra);
	/* what lies between was pushed, perhaps with the frame pointer, which may be in use for something else now */
	w->regs->known &= 1U << UNWIND_SP | (at > w->regs->r[UNWIND_SP] ? 0 : 1U << UNWIND_FP);
	w->regs->r[UNWIND_SP] = at + 8;
	w->exact = false;
	w->sp_off = false;
	w->n_guessed++;
	return STEP_ON;
}

/* The first word of the next n that is at least this good. */
static bool scan(struct walk *w, uint32_t words, enum sign least, uint64_t *at, uint64_t *ra)
{
	uint64_t pc = w->regs->pc, sp = w->regs->r[UNWIND_SP];

	for (uint32_t i = 0; i < words; i++) {
		if (!walk_load(w, sp + 8 * (uint64_t)i, ra) || w->budget < STEPS_OF_A_WORD)
			return false;
		w->budget -= STEPS_OF_A_WORD;
		*at = sp + 8 * (uint64_t)i;
		if (judge(w, *ra, pc - NEAR, pc) >= least)
			return true;
	}
	return false;
}

/* One step by frame pointer: [fp] is the caller's, [fp + 8] the return address. */
static bool step_fp(struct walk *w, enum sign least)
{
	struct unwind_regs *regs = w->regs;
	uint64_t fp = regs->r[UNWIND_FP], next, ra;

	if (!(regs->known >> UNWIND_FP & 1) || !walk_load(w, fp, &next) || !walk_load(w, fp + 8, &ra))
		return false;
	/* the caller may have anything in its frame pointer, but then the call must be seen */
	if (next != 0 && (next <= fp || next - fp > w->range->hi - fp || next & 7))
		least = CALL;
	if (strip_pac(ra) < 4096 || judge(w, ra, 1, 0) < least)
		return false;
	take(w, fp + 8, ra);
	regs->r[UNWIND_FP] = next;
	regs->known |= 1U << UNWIND_FP;
#if defined(__aarch64__)
	w->sp_off = true;
#endif
	return true;
}

/*
 * In this order: a leaf or a function that pushed a little, of which the caller's direct call is seen;
 * a frame pointer; the word at the stack pointer; words above it, where the object has no CFI at all,
 * as musl's libc. Code in no object was made at run time: a frame pointer, or nothing.
 */
int cpi_unwind_guess_sig(struct walk *w)
{
	uint64_t at = 0, ra = 0, pc = w->regs->pc;
	bool jit = !w->obj;
	enum sign least = jit ? NO_CALL : MAYBE_CALL;
	int rc = UNWIND_NO_CFI;

#if defined(__aarch64__)
	if (w->exact && w->regs->known >> UNWIND_LR & 1 && judge(w, w->regs->r[UNWIND_LR], pc - NEAR, pc) == CALL_HERE)
		return take(w, w->regs->r[UNWIND_SP] - 8, w->regs->r[UNWIND_LR]);
#endif
	if (w->exact && !jit && scan(w, WORDS_OF_A_LEAF, CALL_HERE, &at, &ra))
		rc = take(w, at, ra);
	else if (step_fp(w, least))
		rc = STEP_ON;
	else if (w->exact && scan(w, 1, MAYBE_CALL, &at, &ra))
		rc = take(w, at, ra);
	else if (w->exact && !jit && scan(w, WORDS_OF_A_LEAF, CALL, &at, &ra))
		rc = take(w, at, ra);
	recall(w, rc == STEP_ON ? w->regs->pc - 1 : pc);
	return rc;
}

int cpi_unwind_mend_sig(struct walk *w)
{
	uint64_t at, ra;
	int rc = UNWIND_NO_CFI;

	walk_object(w, w->regs->pc);
	if (scan(w, WORDS_OF_A_LEAF, CALL_HERE, &at, &ra))
		rc = take(w, at, ra);
	recall(w, w->regs->pc - !w->exact);
	return rc;
}

bool cpi_unwind_guess_fp_sig(struct walk *w, const struct unwind_rule *rule, uint64_t *fp)
{
	uint64_t pc = w->regs->pc, sp = w->regs->r[UNWIND_SP], at, saved, ra, best = 0, lo = pc - NEAR;
	const struct unwind_object *obj = walk_object(w, pc - !w->exact);
	int64_t ra_off = 8 * (int64_t)rule->ra, fp_off = 8 * (int64_t)rule->saved[0];
	struct fde fde;

	if (rule->ra <= LOST || rule->saved[0] <= LOST || !obj)
		return false;
	if (cpi_unwind_fde_sig(w, obj, pc - !w->exact, &fde) == STEP_ON)
		lo = fde.lo;
	for (uint32_t i = 0; i < WORDS_OF_A_FRAME; i++) {
		enum sign sign;

		at = sp + 8 * (uint64_t)i; /* as if the frame pointer were saved here */
		if (!walk_load(w, at, &saved) || !walk_load(w, at + (uint64_t)(ra_off - fp_off), &ra) ||
		    w->budget < STEPS_OF_A_WORD)
			break;
		w->budget -= STEPS_OF_A_WORD;
		sign = judge(w, ra, lo, pc);
		if (sign == CALL_HERE) {
			best = at;
			break;
		}
		if (!best && sign != NO_CALL && saved > at && saved - at < w->range->hi - at && !(saved & 7))
			best = at;
	}
	recall(w, pc - !w->exact);
	*fp = best - (uint64_t)fp_off - (uint64_t)(int64_t)rule->cfa_off;
	return best != 0;
}
