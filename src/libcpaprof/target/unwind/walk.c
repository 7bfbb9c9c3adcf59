/*
 * walk.c - walks from frame to frame
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A step finds the CFI row of the pc, converts it to the short form of struct unwind_rule, which can be cached, and
 * applies that. Rows with expressions or large offsets have no short form and are applied directly.
 *
 * Hardly any function computes its CFA from a register other than the stack and frame pointer, so at first only these
 * two are followed. When another register is needed, the walk returns to the last point where all registers were known
 * and follows all of them. Mispredicted branches are the main cost of a step, and this avoids most of them.
 *
 * Bounds are checked with differences, never sums, so no register value can overflow. With fp + 16 <= top, an rbp of
 * -8 crashed a program that was only being sampled.
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

/* The register of each column. cfi.c and row.c use column numbers, this file uses registers. */
#if defined(__x86_64__)
static const uint8_t saved_regs[UNWIND_SAVED] = { 6, 3, 12, 13, 14, 15 };
enum { CALLEE_SAVED = 1 << 6 | 1 << 3 | 0xf << 12 | 1 << UNWIND_SP };
#else
static const uint8_t saved_regs[UNWIND_SAVED] = { UNWIND_FP };
enum { CALLEE_SAVED = 1 << UNWIND_FP | 1 << UNWIND_SP };
#endif

static bool short_column(const struct row *row, int col, int16_t *out)
{
	int32_t v = row->val[col];

	switch (row->kind[col]) {
	case COL_SAME:
		*out = SLOT_SAME;
		return true;
	case COL_LOST:
		*out = SLOT_LOST;
		return true;
	case COL_OFFSET:
		*out = (int16_t)(v / 8);
		return v % 8 == 0 && v / 8 == *out && *out > SLOT_LOST;
	default:
		return false;
	}
}

static bool short_row(const struct row *row, struct unwind_rule *out)
{
	out->cfa_reg = row->cfa_reg;
	out->cfa_off = row->cfa_off;
	if (row->cfa_reg >= CFA_OTHER || !short_column(row, RA, &out->ra))
		return false;
	for (int i = 0; i < UNWIND_SAVED; i++)
		if (!short_column(row, i, &out->saved[i]))
			return false;
	if (out->ra == -1 && (out->cfa_reg == UNWIND_SP || out->cfa_reg == UNWIND_FP) && out->saved[0] < 0 &&
	    out->saved[0] != SLOT_LOST)
		out->flags |= RULE_QUICK;
	return true;
}

/* Leave the frame: the CFA is the caller's stack pointer. */
static int leave_frame(struct walk *w, uint64_t cfa, uint64_t ra, bool ra_in_reg)
{
	struct unwind_regs *regs = w->regs;
	uint64_t sp = regs->r[UNWIND_SP];

	/*
	 * aarch64: the return address of a leaf is in x30, so a leaf may have no frame. This is valid for one step,
	 * because x30 is unknown after it.
	 */
	if (cfa & 7 || cfa < sp || (cfa == sp && !ra_in_reg))
		return UNWIND_BAD_SP;
	if (cfa > w->range->hi)
		return UNWIND_OUTSIDE;
	regs->r[UNWIND_SP] = cfa;
	regs->known &= w->all_regs ? CALLEE_SAVED : 1U << UNWIND_FP | 1U << UNWIND_SP;
	regs->pc = strip_pac(ra);
	w->exact = false;
	w->sp_guessed = false;
	return STEP_OK;
}

/* The return address if CFI does not locate it. */
static int ra_of_reg(const struct walk *w, uint64_t *ra)
{
#if defined(__aarch64__)
	if (w->regs->known >> UNWIND_LR & 1) {
		*ra = w->regs->r[UNWIND_LR];
		return STEP_OK;
	}
#endif
	(void)w;
	(void)ra;
	return UNWIND_BAD_CFI;
}

/*
 * Compute the CFA of a rule. aarch64: after a step by frame pointer the stack pointer is a guess, but the frame
 * record is where CFI says x29 is saved, so the CFA follows from x29.
 */
static int cfa_of(struct walk *w, const struct unwind_rule *rule, uint64_t *cfa)
{
	struct unwind_regs *regs = w->regs;

	if (w->sp_guessed && rule->cfa_reg == UNWIND_SP) {
		if (rule->saved[0] <= SLOT_LOST)
			return UNWIND_NO_REG;
		*cfa = regs->r[UNWIND_FP] - (uint64_t)(8 * (int64_t)rule->saved[0]);
		return STEP_OK;
	}
	if (!(regs->known >> rule->cfa_reg & 1)) {
		uint64_t fp;

		if (rule->cfa_reg != UNWIND_FP || !cpi_unwind_guess_fp_sig(w, rule, &fp))
			return UNWIND_NO_REG;
		regs->r[UNWIND_FP] = fp;
		regs->known |= 1 << UNWIND_FP;
		w->n_guessed++;
	}
	*cfa = regs->r[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_off;
	return STEP_OK;
}

__attribute__((noinline)) static int walk_apply(struct walk *w, const struct unwind_rule *rule)
{
	struct unwind_regs *regs = w->regs;
	uint64_t cfa, ra = 0, sp = regs->r[UNWIND_SP], room;
	int rc;

	if (rule->ra == SLOT_LOST)
		return UNWIND_ROOT;
	rc = cfa_of(w, rule, &cfa);
	if (rc != STEP_OK)
		return rc;
	if (rule->ra == SLOT_SAME) {
		rc = ra_of_reg(w, &ra);
		if (rc != STEP_OK)
			return rc;
	} else if (!walk_load(w, cfa + (uint64_t)(8 * (int64_t)rule->ra), &ra)) {
		return cfa < sp || cfa & 7 ? UNWIND_BAD_SP : UNWIND_OUTSIDE;
	}
	room = w->range->hi - sp;
	for (int i = 0; i < (w->all_regs ? UNWIND_SAVED : 1); i++) {
		uint64_t at = cfa + (uint64_t)(8 * (int64_t)rule->saved[i]) - sp;
		uint32_t reg = saved_regs[i];

		if (rule->saved[i] == SLOT_SAME)
			continue;
		if (rule->saved[i] == SLOT_LOST) {
			regs->known &= ~(1U << reg);
			continue;
		}
		/*
		 * Compilers do not record that a register has been popped. Its slot is then below the stack pointer,
		 * and the register already has the caller's value.
		 */
		if ((int64_t)at < 0)
			continue;
		if (at >= room || room - at < 8) {
			regs->known &= ~(1U << reg);
			continue;
		}
		regs->r[reg] = walk_word(w, sp + at);
		regs->known |= 1U << reg;
	}
	return leave_frame(w, cfa, ra, rule->ra == SLOT_SAME);
}

/* Same as apply, but with few branches and only for the most common rules. */
static inline int apply_quick(struct walk *w, const struct unwind_rule *rule)
{
	struct unwind_regs *regs = w->regs;
	uint64_t sp = regs->r[UNWIND_SP], cfa = regs->r[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_off;
	uint64_t at = cfa + (uint64_t)(8 * (int64_t)rule->saved[0]);
	bool keep;

	if (w->all_regs || !(rule->flags & RULE_QUICK) || !(regs->known >> rule->cfa_reg & 1) || w->sp_guessed)
		return walk_apply(w, rule);
	if (cfa & 7 || cfa - sp - 1 >= w->range->hi - sp)
		return walk_apply(w, rule);
	keep = rule->saved[0] == SLOT_SAME || (int64_t)(at - sp) < 0;
	regs->r[UNWIND_FP] = keep ? regs->r[UNWIND_FP] : walk_word(w, at);
	regs->known = (regs->known & 1U << UNWIND_FP) | (uint32_t)!keep << UNWIND_FP | 1U << UNWIND_SP;
	regs->pc = strip_pac(walk_word(w, cfa - 8));
	regs->r[UNWIND_SP] = cfa;
	w->fp_slot = keep ? 0 : at;
	w->exact = false;
	return STEP_OK;
}

/* Compute one column of a row without a short form. v and known are unchanged if the register is. */
static int full_column(const struct walk *w, const struct row *row, int col, uint64_t cfa, uint64_t *v, bool *known)
{
	uint64_t at = cfa + (uint64_t)(int64_t)row->val[col];
	int rc = STEP_OK;

	switch (row->kind[col]) {
	case COL_SAME:
		return STEP_OK;
	case COL_VAL_OFFSET:
		*v = at;
		break;
	case COL_VAL_EXPR:
		rc = cpi_unwind_expr_sig(w, w->obj, (uint32_t)row->val[col], &cfa, v);
		break;
	case COL_EXPR:
		rc = cpi_unwind_expr_sig(w, w->obj, (uint32_t)row->val[col], &cfa, &at);
		if (rc != STEP_OK)
			break;
		/* fall through */
	case COL_OFFSET:
		if (col != RA && (int64_t)(at - w->regs->r[UNWIND_SP]) < 0)
			return STEP_OK;
		rc = walk_load(w, at, v) ? STEP_OK : UNWIND_OUTSIDE;
		break;
	default:
		rc = UNWIND_NO_REG;
	}
	*known = rc == STEP_OK;
	return rc;
}

/* Not inlined, so that its stack frame is not in use while CFI is read. */
__attribute__((noinline)) static int apply_full(struct walk *w, const struct row *row)
{
	struct unwind_regs *regs = w->regs;
	uint64_t cfa = 0, ra = 0, v[UNWIND_SAVED];
	uint32_t now = regs->known;
	bool known = false;
	int rc;

	if (row->kind[RA] == COL_LOST)
		return UNWIND_ROOT;
	if (row->cfa_reg == CFA_NONE)
		return UNWIND_BAD_CFI;
	if (row->cfa_reg == CFA_OTHER || w->sp_guessed)
		return UNWIND_NO_REG;
	if (row->cfa_reg == CFA_EXPR) {
		rc = cpi_unwind_expr_sig(w, w->obj, (uint32_t)row->cfa_off, NULL, &cfa);
		if (rc != STEP_OK)
			return rc;
	} else {
		if (!(regs->known >> row->cfa_reg & 1))
			return UNWIND_NO_REG;
		cfa = regs->r[row->cfa_reg] + (uint64_t)(int64_t)row->cfa_off;
	}
	rc = full_column(w, row, RA, cfa, &ra, &known);
	if (rc == STEP_OK && !known)
		rc = ra_of_reg(w, &ra);
	if (rc != STEP_OK)
		return rc;
	for (int i = 0; i < (w->all_regs ? UNWIND_SAVED : 1); i++) {
		uint32_t reg = saved_regs[i];

		/*
		 * A register whose slot is invalid is unknown, which may not matter. In functions that align their
		 * stack, gcc does not record that rbp has been popped, and the slot of rbp depends on rbp itself.
		 */
		v[i] = regs->r[reg];
		known = now >> reg & 1;
		full_column(w, row, i, cfa, &v[i], &known);
		now = (now & ~(1U << reg)) | (uint32_t)known << reg;
	}
	for (int i = 0; i < (w->all_regs ? UNWIND_SAVED : 1); i++)
		regs->r[saved_regs[i]] = v[i];
	regs->known = now;
	return leave_frame(w, cfa, ra, row->kind[RA] == COL_SAME);
}

static uint32_t tag_of(const struct unwind_object *obj)
{
	return (uint32_t)(obj->hdr ? obj->hdr : obj->frame) | 1;
}

static struct unwind_rule *cached(const struct unwind_cache *cache, uint64_t pc)
{
	return &cache->rule[pc * 0x9e3779b97f4a7c15 >> 40 & cache->mask];
}

/*
 * Is this return address the start of a function with nothing before it? No call pushed it; coroutines begin like
 * this.
 */
static bool is_start(struct walk *w, const struct unwind_object *obj)
{
	struct fde fde;

	return !w->exact && cpi_unwind_fde_sig(w, obj, w->regs->pc, &fde) == STEP_OK && fde.lo == w->regs->pc;
}

/* Step by the CFI of an address that is not cached. */
__attribute__((noinline)) static int step_uncached(struct walk *w, const struct unwind_object *obj, uint64_t pc)
{
	struct unwind_cache *cache = w->from->cache;
	struct unwind_rule rule;
	struct fde fde;
	struct row row;
	int rc;

	if (!walk_may_read(w, obj)) {
		w->obj = NULL;
		return cpi_unwind_guess_sig(w);
	}
	rc = cpi_unwind_fde_sig(w, obj, pc, &fde);
	if (rc == UNWIND_NO_CFI) {
		if (cpi_unwind_is_sigreturn_sig(obj, w->regs->pc))
			return cpi_unwind_signal_sig(w);
		return is_start(w, obj) ? UNWIND_ROOT : cpi_unwind_guess_sig(w);
	}
	if (rc == STEP_OK)
		rc = cpi_unwind_row_sig(w, obj, &w->cie, &fde, pc, &row);
	if (rc != STEP_OK)
		return rc;
	rule.flags = 0;
	if (w->cie.signal) {
		rule.flags = RULE_SIGNAL;
	} else if (!short_row(&row, &rule)) {
		return apply_full(w, &row);
	}
	if (cache) {
		rule.pc = pc;
		rule.tag = tag_of(obj);
		*cached(cache, pc) = rule;
		cache->n_miss++;
	}
	return rule.flags & RULE_SIGNAL ? cpi_unwind_signal_sig(w) : apply_quick(w, &rule);
}

static int walk_step(struct walk *w)
{
	/* a return address may be after the last instruction of its function */
	uint64_t pc = w->regs->pc - !w->exact;
	const struct unwind_object *obj = walk_object(w, pc);

	if (w->budget == 0)
		return UNWIND_TOO_LONG;
	w->budget--;
	if (!obj)
		return cpi_unwind_guess_sig(w);
	if (w->from->cache) {
		const struct unwind_rule *rule = cached(w->from->cache, pc);

		if (rule->pc == pc && rule->tag == tag_of(obj)) {
			w->from->cache->n_hit++;
			return rule->flags & RULE_SIGNAL ? cpi_unwind_signal_sig(w) : apply_quick(w, rule);
		}
	}
	return step_uncached(w, obj, pc);
}

static const struct unwind_range *walk_range_of(const struct unwind_source *from, uint64_t sp)
{
	for (uint32_t i = 0; i < from->n_ranges; i++)
		if (sp - from->range[i].lo < from->range[i].hi - from->range[i].lo)
			return &from->range[i];
	return NULL;
}

/* A point where all registers were known, and the registers that change on the way from there. */
struct walk_mark {
	uint32_t n, known;
	uint64_t pc, sp, fp;
};

static void walk_set_mark(struct walk_mark *m, const struct unwind_regs *regs, uint32_t n)
{
	m->n = n;
	m->known = regs->known;
	m->pc = regs->pc;
	m->sp = regs->r[UNWIND_SP];
	m->fp = regs->r[UNWIND_FP];
}

/* Return to the mark, to follow all registers from now on. */
__attribute__((cold)) static uint32_t go_back(struct walk *w, const struct walk_mark *m)
{
	w->all_regs = true;
	w->exact = true;
	w->sp_guessed = false;
	w->regs->known = m->known;
	w->regs->pc = m->pc;
	w->regs->r[UNWIND_SP] = m->sp;
	w->regs->r[UNWIND_FP] = m->fp;
	return m->n;
}

/*
 * The step from an exact frame led to a pc outside all objects. The likely reason is assembly code whose pushes are
 * missing from its CFI (multi-precision arithmetic in glibc). Its return address is then above the CFA, which is too low;
 * words below the CFA may be left from earlier calls. The other possible reason is code generated at run time.
 */
__attribute__((noinline)) static void repair_step(struct walk *w, const struct walk_mark *m)
{
	struct unwind_regs *regs = w->regs;
	struct walk_mark now;

	walk_set_mark(&now, regs, 0);
	go_back(w, m);
	regs->r[UNWIND_SP] = now.sp;
	if (cpi_unwind_guess_call_sig(w) == STEP_OK) {
		regs->known &= ~(1U << UNWIND_FP); /* it may be one of the pushed words */
		return;
	}
	go_back(w, &now);
	w->exact = false;
}

static void walk_start(struct walk *w, const struct unwind_source *from, struct unwind_regs *regs)
{
	w->from = from;
	w->regs = regs;
	w->obj = NULL;
	w->mapped = 0;
	w->range = walk_range_of(from, regs->r[UNWIND_SP]);
	w->budget = WALK_STEPS_MAX;
	w->n_guessed = 0;
	w->exact = true;
	w->sp_guessed = false;
	w->by_fp = false;
	w->all_regs = UNWIND_SAVED == 1;
	w->cie.addr = 0;
}

/* Complete a step from the frame *pc. called: its pc is a return address. */
static int finish_step(struct walk *w, struct memo *memo, struct walk_mark *mark, bool called, uint32_t n, uint64_t *pc)
{
	if (w->exact) { /* the step left a signal handler: the trampoline made no call either */
		*pc += called && n > 1;
		w->range = walk_range_of(w->from, w->regs->r[UNWIND_SP]);
		walk_set_mark(mark, w->regs, n);
		memo->cache = NULL;
	} else if (!called && !walk_object(w, w->regs->pc - 1)) {
		bool all_regs = w->all_regs;

		repair_step(w, mark);
		w->all_regs = all_regs;
	}
	if (w->regs->pc != 0)
		return STEP_OK;
	memo->cache = NULL; /* do not remember these frames: the word may differ next time */
	return UNWIND_ROOT;
}

void cpi_unwind_walk_sig(const struct unwind_source *from, struct unwind_regs *regs, uint64_t *pc, uint32_t max,
			 struct unwind_result *out)
{
	struct walk w;
	struct walk_mark mark, here;
	struct memo memo;
	int rc = STEP_OK;
	uint32_t n = 0;

	walk_start(&w, from, regs);
	walk_set_mark(&mark, regs, 0);
	cpi_unwind_memo_start_sig(&memo, &w);
	while (rc == STEP_OK) {
		bool called = !w.exact, root = false;

		if (called && memo.cache)
			n += cpi_unwind_memo_match_sig(&memo, &w, pc + n, max - n, &root);
		if (root || n == max) {
			rc = root ? UNWIND_ROOT : UNWIND_FULL;
			break;
		}
		pc[n] = regs->pc + (!called && n > 0);
		n++;
		if (!w.range) {
			rc = UNWIND_OUTSIDE;
			break;
		}
		walk_set_mark(&here, regs, 0);
		w.fp_slot = FP_SLOT_NONE;
		rc = walk_step(&w);
		if (called && memo.cache)
			cpi_unwind_memo_add_sig(&memo, &w, here.pc, here.sp, here.fp);
		if (rc == UNWIND_NO_REG && !w.all_regs) {
			n = go_back(&w, &mark);
			rc = STEP_OK;
		} else if (rc == STEP_OK) {
			rc = finish_step(&w, &memo, &mark, called, n, &pc[n - 1]);
		}
	}
	if (w.range)
		cpi_unwind_memo_end_sig(&memo, &w, rc == UNWIND_ROOT);
	out->n = n;
	out->n_guessed = w.n_guessed;
	out->end = (enum unwind_end)rc;
}
