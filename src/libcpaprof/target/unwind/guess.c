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
	RECORD_WORDS_MAX = 512,    /* words searched for the frame record of a function without a known frame pointer */
	FUNCTION_SIZE_MAX = 65536, /* assumed maximum length of a function without CFI */
	PROLOGUE_BYTES = 4,        /* push %rbp; mov %rsp, %rbp */
	PROLOGUE_SEARCH_MAX = 4096, /* bytes of code searched for it */
	STUB_BYTES = 16,
	ENTRY_BYTES_MAX = 64, /* from the start of a function to its prologue: checks of the stack */
	PROLOGUE_WORDS = 2,   /* words searched if the frame pointer is in use: a leaf may have pushed it */
	TRAMPOLINE_WORDS = 4, /* words searched for the caller of generated code without a frame pointer */
	WORD_STEPS = 8,
};

/*
 * NO_CALL    no call ends there
 * MAYBE_CALL it is in an object, whose code cannot be read
 * CALL       an indirect call, or one of another function
 * CALL_STUB  a direct call of a stub that jumps to another object (PLT): it may have called the function that runs
 * CALL_HERE  a direct call of the function that runs, or of one shortly before it
 */
enum evidence { NO_CALL, MAYBE_CALL, CALL, CALL_STUB, CALL_HERE };

/* A word of the stack that may be a return address. */
struct return_word {
	uint64_t at, ra;
	uint64_t target; /* destination of the call; 0: it is indirect */
	enum evidence evidence;
};

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

static bool is_endbr64(const unsigned char *p, uint64_t n)
{
	return n >= 4 && p[0] == 0xf3 && p[1] == 0x0f && p[2] == 0x1e && p[3] == 0xfa;
}

/* Is the code at p, of n bytes, a stub of the PLT: endbr64; bnd jmp *rel(%rip), the first two of which are optional? */
static bool is_stub(const unsigned char *p, uint64_t n)
{
	uint64_t at = is_endbr64(p, n) ? 4 : 0;

	at += n - at >= 1 && p[at] == 0xf2;
	return n - at >= 6 && p[at] == 0xff && p[at + 1] == 0x25;
}

/* Is p the first instruction of a function, or its return, or a stub? Then the return address is on top of the stack. */
static bool is_edge(const unsigned char *p, uint64_t n)
{
	return is_endbr64(p, n) || is_stub(p, n) || (n >= 1 && (p[0] == 0xc3 || p[0] == 0xc2)) ||
	       (n >= 2 && p[0] == 0xf3 && p[1] == 0xc3);
}

static bool is_prologue(const unsigned char *p)
{
	return p[0] == 0x55 && p[1] == 0x48 && ((p[2] == 0x89 && p[3] == 0xe5) || (p[2] == 0x8b && p[3] == 0xec));
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

/* The return address of a function without a frame is in x30, so nothing on the stack depends on these three. */
static bool is_stub(const unsigned char *p, uint64_t n)
{
	(void)p;
	(void)n;
	return false;
}

static bool is_edge(const unsigned char *p, uint64_t n)
{
	(void)p;
	(void)n;
	return false;
}

static bool is_prologue(const unsigned char *p)
{
	(void)p;
	return false;
}
#endif

/* Is there a stub of the PLT at an address of the object? */
static bool has_stub(const struct unwind_object *obj, uint64_t addr)
{
	uint64_t n = addr - obj->text_lo;

	return n < obj->text_hi - obj->text_lo && is_stub(obj->text + n, obj->text_hi - obj->text_lo - n);
}

/*
 * Evaluate the evidence that a word is a return address into a caller of the code [lo, pc]. r->ra is the word; the
 * target and the evidence are filled in.
 */
static enum evidence guess_judge(struct walk *w, struct return_word *r, uint64_t lo, uint64_t pc)
{
	uint64_t addr = strip_pac(r->ra), n;
	const struct unwind_object *obj;
	const unsigned char *p;
	struct unwind_object room;

	r->target = 0;
	r->evidence = NO_CALL;
	if (addr < 4096)
		return NO_CALL;
	obj = w->obj && addr - w->obj->lo < w->obj->hi - w->obj->lo ? w->obj
								    : w->from->find(w->from->arg, addr - 1, &room);
	if (!obj || !walk_may_read(w, obj))
		return NO_CALL;
	if (!obj->text)
		return r->evidence = MAYBE_CALL;
	p = code_before(obj, addr, &n);
	if (!p || !is_call(p, n, addr, &r->target))
		return NO_CALL;
	if (r->target && has_stub(obj, r->target) && pc - r->target >= STUB_BYTES)
		return r->evidence = CALL_STUB;
	return r->evidence = r->target && r->target >= lo && r->target <= pc ? CALL_HERE : CALL;
}

bool cpi_unwind_is_called_sig(const struct unwind_object *obj, uint64_t ra)
{
	uint64_t n, target;
	const unsigned char *p = code_before(obj, ra, &n);

	return p && is_call(p, n, ra, &target);
}

/* Find the object of the frame again. find may have reused the memory of w->obj for another object. */
static void find_own_object(struct walk *w, uint64_t pc)
{
	w->obj = NULL;
	walk_object(w, pc);
}

/* Use the word as the return address. */
static int guess_take_word(struct walk *w, const struct return_word *r)
{
	w->regs->pc = strip_pac(r->ra);
	/* the words in between were pushed; the frame pointer may be one of them, so its register is unknown */
	w->regs->known &= 1U << UNWIND_SP | (r->at > w->regs->r[UNWIND_SP] ? 0 : 1U << UNWIND_FP);
	w->regs->r[UNWIND_SP] = r->at + 8;
	w->exact = false;
	w->sp_guessed = false;
	w->n_guessed++;
	return STEP_OK;
}

/* Find the first of the words on the stack, from the one at sp + 8 * first on, for which the evidence is at least min. */
static bool guess_scan(struct walk *w, uint32_t first, uint32_t words, enum evidence min, struct return_word *out)
{
	uint64_t pc = w->regs->pc, sp = w->regs->r[UNWIND_SP];

	for (uint32_t i = first; i < first + words; i++) {
		out->at = sp + 8 * (uint64_t)i;
		if (!walk_load(w, out->at, &out->ra) || w->budget < WORD_STEPS)
			return false;
		w->budget -= WORD_STEPS;
		if (guess_judge(w, out, pc - FUNCTION_SIZE_MAX, pc) >= min)
			return true;
	}
	return false;
}

/* Is it the frame pointer of a caller of the frame whose record is at fp? */
static bool is_next_fp(const struct walk *w, uint64_t fp, uint64_t next)
{
	return next > fp && next - fp < w->range->hi - fp && !(next & 7);
}

/*
 * Read the frame record at the frame pointer: the caller's frame pointer is at [fp], its return address at [fp + 8].
 * Returns false if there is none.
 */
static bool guess_read_record(struct walk *w, struct return_word *out, uint64_t *next)
{
	uint64_t fp = w->regs->r[UNWIND_FP];

	out->at = fp + 8;
	return w->regs->known >> UNWIND_FP & 1 && walk_load(w, fp, next) && walk_load(w, fp + 8, &out->ra) &&
	       strip_pac(out->ra) >= 4096;
}

static int take_record(struct walk *w, const struct return_word *r, uint64_t next)
{
	guess_take_word(w, r);
	w->regs->r[UNWIND_FP] = next;
	w->regs->known |= 1U << UNWIND_FP;
	w->by_fp = true;
#if defined(__aarch64__)
	w->sp_guessed = true;
#endif
	return STEP_OK;
}

/* Does the record lead to two others, from code outside all objects? Then that code was generated at run time. */
static bool is_generated(const struct walk *w, const struct return_word *r, uint64_t next)
{
	struct unwind_object room;
	uint64_t after, ra;

	return is_next_fp(w, w->regs->r[UNWIND_FP], next) && walk_load(w, next, &after) &&
	       walk_load(w, next + 8, &ra) && strip_pac(ra) >= 4096 && is_next_fp(w, next, after) &&
	       !w->from->find(w->from->arg, strip_pac(r->ra) - 1, &room);
}

/* Step by frame pointer. */
static bool step_fp(struct walk *w, enum evidence min)
{
	struct return_word r;
	uint64_t next;

	if (!guess_read_record(w, &r, &next))
		return false;
	/* the caller may use its frame pointer for other values, but then there must be a call */
	if (next != 0 && !is_next_fp(w, w->regs->r[UNWIND_FP], next))
		min = CALL;
	return (guess_judge(w, &r, 1, 0) >= min || is_generated(w, &r, next)) && take_record(w, &r, next) == STEP_OK;
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

/*
 * Step by the first frame record above the stack pointer, if the frame pointer is unknown: of a waiting thread, or after
 * a function that pushed registers. The record must lead to another one. Words that are left from earlier calls look the
 * same, so a direct call must be one of the function that runs.
 */
static bool step_record(struct walk *w)
{
	uint64_t pc = w->regs->pc, sp = w->regs->r[UNWIND_SP], next;

	if (w->regs->known >> UNWIND_FP & 1)
		return false;
	for (uint32_t i = 0; i < RECORD_WORDS_MAX && w->budget >= WORD_STEPS; i++) {
		uint64_t fp = sp + 8 * (uint64_t)i;
		struct return_word r = { .at = fp + 8 }, outer;

		w->budget -= WORD_STEPS;
		if (!walk_load(w, fp, &next) || !walk_load(w, fp + 8, &r.ra))
			return false;
		if (next != 0 && (!is_next_fp(w, fp, next) || !walk_load(w, next + 8, &outer.ra) ||
				  guess_judge(w, &outer, 1, 0) < MAYBE_CALL))
			continue;
		if (guess_judge(w, &r, pc - FUNCTION_SIZE_MAX, pc) < CALL || (r.target && r.evidence == CALL))
			continue;
		return take_record(w, &r, next) == STEP_OK;
	}
	return false;
}

/* Facts about the code that was interrupted, and the record at its frame pointer. */
struct interrupted {
	bool has_record, is_chained, has_cfi; /* chained: the record leads to another one */
	struct return_word record;
	uint64_t next;     /* of the record */
	uint64_t prologue; /* start of the nearest prologue before pc or at it; 0: not found, or not searched */
	bool is_edge;
};

static uint64_t find_prologue(struct walk *w, uint64_t pc)
{
	const unsigned char *p;
	uint64_t n;

	p = w->obj ? code_before(w->obj, pc, &n) : NULL;
	if (!p || w->obj->text_hi - pc < PROLOGUE_BYTES)
		return 0;
	for (uint64_t i = 0; i <= n && i < PROLOGUE_SEARCH_MAX && w->budget > 0; i++, w->budget--)
		if (is_prologue(p - i))
			return pc - i;
	return 0;
}

static void examine(struct walk *w, struct interrupted *x)
{
	uint64_t pc = w->regs->pc, fp = w->regs->r[UNWIND_FP], n;
	const unsigned char *p = code_before(w->obj, pc, &n);

	*x = (struct interrupted){ .has_cfi = w->obj->eh };
	x->is_edge = p && is_edge(p, w->obj->text_hi - pc);
	x->has_record = guess_read_record(w, &x->record, &x->next);
	x->is_chained = x->has_record && (x->next == 0 || is_next_fp(w, fp, x->next));
	if (x->has_record)
		x->prologue = find_prologue(w, pc);
	/* after find_prologue, because judge may replace w->obj */
	if (x->has_record)
		x->has_record = guess_judge(w, &x->record, pc - FUNCTION_SIZE_MAX, pc) >= CALL || x->next == 0;
	x->is_chained &= x->has_record;
}

/*
 * Does the record belong to the function that was interrupted, not to its caller? here is a word below it that a direct
 * call pushed: a function that is called where no prologue follows has no frame, and here is its return address; else
 * here is left from an earlier call.
 */
static bool owns_record(const struct interrupted *x, uint64_t pc, const struct return_word *here)
{
	if (x->record.at <= here->at)
		return true;
	if (x->prologue)
		return pc - x->prologue >= PROLOGUE_BYTES && here->target <= x->prologue;
	return x->record.evidence == CALL_HERE && x->record.target > here->target;
}

/* Did a direct call of the function that runs push the return address of the record? */
static bool is_called_here(const struct interrupted *x)
{
	return x->has_record && x->record.evidence == CALL_HERE &&
	       (!x->prologue || x->prologue - x->record.target < ENTRY_BYTES_MAX);
}

/*
 * Step out of a function without CFI that was interrupted. It may have no frame, or not yet, or no longer. The frame
 * pointer is then its caller's.
 */
static bool step_interrupted(struct walk *w)
{
	uint64_t pc = w->regs->pc, fp = w->regs->r[UNWIND_FP];
	struct interrupted x;
	struct return_word r;
	bool found, keep_fp;

	examine(w, &x);
	/* at the edges of a function, and between the instructions of its prologue, before it sets the frame pointer */
	found = x.is_edge && guess_scan(w, 0, 1, CALL, &r);
	if (!found && x.prologue && pc - x.prologue < PROLOGUE_BYTES)
		found = guess_scan(w, pc > x.prologue, 1, CALL, &r);
	keep_fp = found;
	if (!found) {
		found = guess_scan(w, 0, x.is_chained && !x.has_cfi && !x.prologue ? PROLOGUE_WORDS : LEAF_WORDS_MAX,
				   CALL_HERE, &r) &&
			!(x.has_record && owns_record(&x, pc, &r));
		/* a direct call of another function pushed the record of the caller */
		if (!found && !is_called_here(&x))
			found = guess_scan(
				w, 0, 1,
				x.has_record && x.record.target && x.record.evidence != CALL_STUB ? CALL : CALL_STUB,
				&r);
	}
	if (!found)
		return x.has_record && x.record.evidence >= CALL && take_record(w, &x.record, x.next) == STEP_OK;
	keep_fp = (keep_fp && w->regs->known >> UNWIND_FP & 1) || (x.has_record && fp > r.at);
	guess_take_word(w, &r);
	if (keep_fp) {
		w->regs->r[UNWIND_FP] = fp;
		w->regs->known |= 1U << UNWIND_FP;
		w->by_fp = true;
	}
	return true;
}

/*
 * Tries in this order: of the frame that was interrupted, the frame pointer or a word that the direct call of its
 * function pushed; the frame pointer; the word at the stack pointer; a frame record above it; words above it, if the
 * object has no CFI at all, like musl's libc. Code outside all objects was generated at run time: a frame pointer is
 * used, else it may be a trampoline that only calls. Python makes one for each function, without a frame pointer.
 */
int cpi_unwind_guess_sig(struct walk *w)
{
	uint64_t pc = w->regs->pc;
	bool by_fp = w->by_fp, jit = !w->obj;
	struct return_word r = { .at = 0 };
	int rc = UNWIND_NO_CFI;

	w->by_fp = false;
#if defined(__aarch64__)
	if (w->exact && w->regs->known >> UNWIND_LR & 1) {
		r = (struct return_word){ .at = w->regs->r[UNWIND_SP] - 8, .ra = w->regs->r[UNWIND_LR] };
		if (guess_judge(w, &r, pc - FUNCTION_SIZE_MAX, pc) == CALL_HERE)
			return guess_take_word(w, &r);
	}
#endif
	if ((w->exact && !jit && step_interrupted(w)) || step_fp(w, jit ? NO_CALL : MAYBE_CALL))
		rc = STEP_OK;
	else if (w->exact && guess_scan(w, 0, 1, MAYBE_CALL, &r))
		rc = guess_take_word(w, &r);
	else if (!jit && step_record(w))
		rc = STEP_OK;
	else if (w->exact && !jit && guess_scan(w, 0, LEAF_WORDS_MAX, CALL, &r))
		rc = guess_take_word(w, &r);
	else if (jit && guess_scan(w, 0, TRAMPOLINE_WORDS, CALL, &r))
		rc = guess_take_word(w, &r);
	if (rc == UNWIND_NO_CFI && is_outermost(w, by_fp))
		rc = UNWIND_ROOT;
	find_own_object(w, rc == STEP_OK ? w->regs->pc - 1 : pc);
	return rc;
}

int cpi_unwind_guess_call_sig(struct walk *w)
{
	struct return_word r;
	int rc = UNWIND_NO_CFI;

	walk_object(w, w->regs->pc);
	if (guess_scan(w, 0, LEAF_WORDS_MAX, CALL_HERE, &r))
		rc = guess_take_word(w, &r);
	find_own_object(w, w->regs->pc - !w->exact);
	return rc;
}

bool cpi_unwind_guess_fp_sig(struct walk *w, const struct unwind_rule *rule, uint64_t *fp)
{
	uint64_t pc = w->regs->pc, sp = w->regs->r[UNWIND_SP], at, saved, best = 0, lo = pc - FUNCTION_SIZE_MAX;
	const struct unwind_object *obj = walk_object(w, pc - !w->exact);
	int64_t ra_off = 8 * (int64_t)rule->ra, fp_off = 8 * (int64_t)rule->saved[0];
	struct fde fde;

	if (rule->ra <= SLOT_LOST || rule->saved[0] <= SLOT_LOST || !obj || !walk_may_read(w, obj))
		return false;
	if (cpi_unwind_fde_sig(w, obj, pc - !w->exact, &fde) == STEP_OK)
		lo = fde.lo;
	for (uint32_t i = 0; i < FRAME_WORDS_MAX; i++) {
		enum evidence evidence;
		struct return_word r;

		at = sp + 8 * (uint64_t)i; /* assume that the frame pointer is saved here */
		if (!walk_load(w, at, &saved) || !walk_load(w, at + (uint64_t)(ra_off - fp_off), &r.ra) ||
		    w->budget < WORD_STEPS)
			break;
		w->budget -= WORD_STEPS;
		evidence = guess_judge(w, &r, lo, pc);
		if (evidence == CALL_HERE) {
			best = at;
			break;
		}
		if (!best && evidence != NO_CALL && is_next_fp(w, at, saved))
			best = at;
	}
	find_own_object(w, pc - !w->exact);
	*fp = best - (uint64_t)fp_off - (uint64_t)(int64_t)rule->cfa_off;
	return best != 0;
}
