/*
 * guess.c - frames without CFI, and registers with unknown values
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A word on the stack is assumed to be a return address if it points into the code of an object and a call instruction
 * ends there. A direct call is stronger evidence, because its target is known: it must be the function that runs. A
 * stale word looks the same, so guesses are counted.
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

enum {
	LEAF_WORDS_MAX = 64, /* words of the stack searched for the caller of frame 0 */
	FRAME_WORDS_MAX = 4096,
	FUNCTION_SIZE_MAX = 65536, /* assumed maximum length of a function without CFI */
	PROLOGUE_WORDS = 2,        /* words searched if the frame pointer is in use: a leaf may have pushed it */
	TRAMPOLINE_WORDS = 4,      /* words searched for the caller of generated code without a frame pointer */
	WORD_STEPS = 8,
};

enum evidence { NO_CALL, MAYBE_CALL, CALL, CALL_HERE };

/* Return a pointer to the code at an address, or NULL. n: number of bytes of code before it. */
static const unsigned char *code_before(const struct unwind_object *obj, uint64_t addr, uint64_t *n)
{
	*n = addr - obj->text_lo;
	if (!obj->text || *n > obj->text_hi - obj->text_lo)
		return NULL;
	return obj->text + *n;
}

#if defined(__x86_64__)
/* Does a call end at p? target: its destination if it is direct, else 0. */
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
	/* blr, blraa and its variants */
	return (op & 0xfffffc1f) == 0xd63f0000 || (op & 0xfefff800) == 0xd63f0800;
}
#endif

/* Evaluate the evidence that a word is a return address into a caller of the code [lo, pc]. */
static enum evidence judge(struct walk *w, uint64_t addr, uint64_t lo, uint64_t pc)
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

/* Find the object of the frame again. find may have reused the memory of w->obj for another object. */
static void find_own_object(struct walk *w, uint64_t pc)
{
	w->obj = NULL;
	walk_object(w, pc);
}

/* Use the word at an address as the return address. */
static int take_word(struct walk *w, uint64_t at, uint64_t ra)
{
	w->regs->pc = strip_pac(ra);
	/* the words in between were pushed; the frame pointer may be one of them, so its register is unknown */
	w->regs->known &= 1U << UNWIND_SP | (at > w->regs->r[UNWIND_SP] ? 0 : 1U << UNWIND_FP);
	w->regs->r[UNWIND_SP] = at + 8;
	w->exact = false;
	w->sp_guessed = false;
	w->n_guessed++;
	return STEP_OK;
}

/* Find the first of the next words on the stack for which the evidence is at least min. */
static bool scan(struct walk *w, uint32_t words, enum evidence min, uint64_t *at, uint64_t *ra)
{
	uint64_t pc = w->regs->pc, sp = w->regs->r[UNWIND_SP];

	for (uint32_t i = 0; i < words; i++) {
		if (!walk_load(w, sp + 8 * (uint64_t)i, ra) || w->budget < WORD_STEPS)
			return false;
		w->budget -= WORD_STEPS;
		*at = sp + 8 * (uint64_t)i;
		if (judge(w, *ra, pc - FUNCTION_SIZE_MAX, pc) >= min)
			return true;
	}
	return false;
}

/* Step by frame pointer: the caller's frame pointer is at [fp], the return address at [fp + 8]. */
static bool step_fp(struct walk *w, enum evidence min)
{
	struct unwind_regs *regs = w->regs;
	uint64_t fp = regs->r[UNWIND_FP], next, ra;

	if (!(regs->known >> UNWIND_FP & 1) || !walk_load(w, fp, &next) || !walk_load(w, fp + 8, &ra))
		return false;
	/* the caller may use its frame pointer for other values, but then there must be a call */
	if (next != 0 && (next <= fp || next - fp > w->range->hi - fp || next & 7))
		min = CALL;
	if (strip_pac(ra) < 4096 || judge(w, ra, 1, 0) < min)
		return false;
	take_word(w, fp + 8, ra);
	regs->r[UNWIND_FP] = next;
	regs->known |= 1U << UNWIND_FP;
	w->by_fp = true;
#if defined(__aarch64__)
	w->sp_guessed = true;
#endif
	return true;
}

/*
 * Is this the first function of a stack of frame pointers? By the ABI its caller's frame pointer is 0. So end the
 * goroutines of Go, which has no CFI: their return address is the second instruction of runtime.goexit, which no call
 * precedes.
 *
 * by_fp   the frame was found by frame pointer
 */
static bool is_outermost(const struct walk *w, bool by_fp)
{
	const struct unwind_regs *regs = w->regs;
	struct unwind_object room;
	uint64_t next, ra;

	if (!(by_fp || w->exact) || !(regs->known >> UNWIND_FP & 1))
		return false;
	if (regs->r[UNWIND_FP] == 0)
		return by_fp;
	return walk_load(w, regs->r[UNWIND_FP], &next) && walk_load(w, regs->r[UNWIND_FP] + 8, &ra) && next == 0 &&
	       strip_pac(ra) >= 4096 && w->from->find(w->from->arg, strip_pac(ra) - 1, &room);
}

/* Does the frame pointer of an object without any CFI point to a frame? Go has frame pointers in all such functions. */
static bool has_frame_pointer(struct walk *w)
{
	const struct unwind_regs *regs = w->regs;
	uint64_t fp = regs->r[UNWIND_FP], next, ra;

	if (!w->obj || w->obj->eh || !(regs->known >> UNWIND_FP & 1) || !walk_load(w, fp, &next) ||
	    !walk_load(w, fp + 8, &ra))
		return false;
	return next == 0 || (next > fp && next - fp < w->range->hi - fp && !(next & 7) && judge(w, ra, 1, 0) == CALL);
}

/*
 * Tries in this order: a leaf or a function that pushed a little, if the caller's direct call is found; the frame
 * pointer; the word at the stack pointer; words above it, if the object has no CFI at all, like musl's libc. Code
 * outside all objects was generated at run time: a frame pointer is used, else it may be a trampoline that only calls.
 * Python makes one for each function, without a frame pointer.
 */
int cpi_unwind_guess_sig(struct walk *w)
{
	uint64_t at = 0, ra = 0, pc = w->regs->pc;
	uint64_t fp = w->regs->r[UNWIND_FP];
	bool by_fp = w->by_fp, jit = !w->obj, has_fp = w->exact && has_frame_pointer(w);
	uint32_t leaf_words = has_fp ? PROLOGUE_WORDS : LEAF_WORDS_MAX;
	enum evidence min = jit ? NO_CALL : MAYBE_CALL;
	int rc = UNWIND_NO_CFI;

	w->by_fp = false;
#if defined(__aarch64__)
	if (w->exact && w->regs->known >> UNWIND_LR & 1 &&
	    judge(w, w->regs->r[UNWIND_LR], pc - FUNCTION_SIZE_MAX, pc) == CALL_HERE)
		return take_word(w, w->regs->r[UNWIND_SP] - 8, w->regs->r[UNWIND_LR]);
#endif
	if (w->exact && !jit && scan(w, leaf_words, CALL_HERE, &at, &ra) && (!has_fp || at < fp)) {
		rc = take_word(w, at, ra);
		if (has_fp) { /* the leaf has not set up a frame: this is still the frame pointer of its caller */
			w->regs->known |= 1U << UNWIND_FP;
			w->by_fp = true;
		}
	} else if (step_fp(w, min))
		rc = STEP_OK;
	else if (w->exact && scan(w, 1, MAYBE_CALL, &at, &ra))
		rc = take_word(w, at, ra);
	else if (w->exact && !jit && scan(w, LEAF_WORDS_MAX, CALL, &at, &ra))
		rc = take_word(w, at, ra);
	else if (jit && scan(w, TRAMPOLINE_WORDS, CALL, &at, &ra))
		rc = take_word(w, at, ra);
	if (rc == UNWIND_NO_CFI && is_outermost(w, by_fp))
		rc = UNWIND_ROOT;
	find_own_object(w, rc == STEP_OK ? w->regs->pc - 1 : pc);
	return rc;
}

int cpi_unwind_guess_call_sig(struct walk *w)
{
	uint64_t at, ra;
	int rc = UNWIND_NO_CFI;

	walk_object(w, w->regs->pc);
	if (scan(w, LEAF_WORDS_MAX, CALL_HERE, &at, &ra))
		rc = take_word(w, at, ra);
	find_own_object(w, w->regs->pc - !w->exact);
	return rc;
}

bool cpi_unwind_guess_fp_sig(struct walk *w, const struct unwind_rule *rule, uint64_t *fp)
{
	uint64_t pc = w->regs->pc, sp = w->regs->r[UNWIND_SP], at, saved, ra, best = 0, lo = pc - FUNCTION_SIZE_MAX;
	const struct unwind_object *obj = walk_object(w, pc - !w->exact);
	int64_t ra_off = 8 * (int64_t)rule->ra, fp_off = 8 * (int64_t)rule->saved[0];
	struct fde fde;

	if (rule->ra <= SLOT_LOST || rule->saved[0] <= SLOT_LOST || !obj)
		return false;
	if (cpi_unwind_fde_sig(w, obj, pc - !w->exact, &fde) == STEP_OK)
		lo = fde.lo;
	for (uint32_t i = 0; i < FRAME_WORDS_MAX; i++) {
		enum evidence evidence;

		at = sp + 8 * (uint64_t)i; /* assume that the frame pointer is saved here */
		if (!walk_load(w, at, &saved) || !walk_load(w, at + (uint64_t)(ra_off - fp_off), &ra) ||
		    w->budget < WORD_STEPS)
			break;
		w->budget -= WORD_STEPS;
		evidence = judge(w, ra, lo, pc);
		if (evidence == CALL_HERE) {
			best = at;
			break;
		}
		if (!best && evidence != NO_CALL && saved > at && saved - at < w->range->hi - at && !(saved & 7))
			best = at;
	}
	find_own_object(w, pc - !w->exact);
	*fp = best - (uint64_t)fp_off - (uint64_t)(int64_t)rule->cfa_off;
	return best != 0;
}
