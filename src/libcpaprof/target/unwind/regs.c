/*
 * regs.c - registers from a signal, at the start of a walk and within it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

#include <ucontext.h>

enum { ALL_KNOWN = (1 << UNWIND_REGS) - 1 };

#if defined(__x86_64__)

/* Index of each DWARF register in the gregs of the ucontext. */
static const uint8_t greg[UNWIND_REGS] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
					   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

void cpi_unwind_regs_sig(const void *uc, struct unwind_regs *out)
{
	const ucontext_t *u = uc;

	for (int i = 0; i < UNWIND_REGS; i++)
		out->r[i] = (uint64_t)u->uc_mcontext.gregs[greg[i]];
	out->pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
	out->known = ALL_KNOWN;
}

/* Offsets in the frame of a signal: the ucontext_t is at sp. */
enum { AT_UCONTEXT = 0 };

static uint64_t at_reg(int i)
{
	return offsetof(ucontext_t, uc_mcontext.gregs) + 8 * (uint64_t)greg[i];
}

static uint64_t at_pc(void)
{
	return offsetof(ucontext_t, uc_mcontext.gregs) + 8 * REG_RIP;
}

#else

void cpi_unwind_regs_sig(const void *uc, struct unwind_regs *out)
{
	const ucontext_t *u = uc;

	out->r[UNWIND_FP] = u->uc_mcontext.regs[29];
	out->r[UNWIND_LR] = u->uc_mcontext.regs[30];
	out->r[UNWIND_SP] = u->uc_mcontext.sp;
	out->pc = u->uc_mcontext.pc;
	out->known = ALL_KNOWN;
}

/* A siginfo_t of 128 bytes is below the ucontext_t. */
enum { AT_UCONTEXT = 128 };

static uint64_t at_reg(int i)
{
	if (i == UNWIND_SP)
		return offsetof(ucontext_t, uc_mcontext.sp);
	return offsetof(ucontext_t, uc_mcontext.regs) + 8 * (uint64_t)(i == UNWIND_FP ? 29 : 30);
}

static uint64_t at_pc(void)
{
	return offsetof(ucontext_t, uc_mcontext.pc);
}

#endif

void cpi_unwind_regs_of_pc_sp_sig(uint64_t pc, uint64_t sp, struct unwind_regs *out)
{
	for (int i = 0; i < UNWIND_REGS; i++)
		out->r[i] = 0;
	out->pc = pc;
	out->r[UNWIND_SP] = sp;
	out->known = 1 << UNWIND_SP;
}

int cpi_unwind_signal_sig(struct walk *w)
{
	struct unwind_regs *regs = w->regs;
	uint64_t base = regs->r[UNWIND_SP] + AT_UCONTEXT, sp, pc, v;

	if (w->sp_guessed)
		return UNWIND_NO_REG;
	if (!walk_load(w, base + at_reg(UNWIND_SP), &sp) || !walk_load(w, base + at_pc(), &pc))
		return UNWIND_OUTSIDE;
	/* on the same stack sp must increase; from an alternate stack it may go anywhere */
	if (sp <= regs->r[UNWIND_SP] && sp >= w->range->lo)
		return UNWIND_BAD_SP;
	for (int i = 0; i < UNWIND_REGS; i++) {
		if (i == UNWIND_SP)
			continue;
		if (!walk_load(w, base + at_reg(i), &v))
			return UNWIND_OUTSIDE;
		regs->r[i] = v;
	}
	regs->r[UNWIND_SP] = sp;
	regs->pc = pc;
	regs->known = ALL_KNOWN;
	w->exact = true;
	return STEP_OK;
}

bool cpi_unwind_is_sigreturn_sig(const struct unwind_object *obj, uint64_t pc)
{
#if defined(__x86_64__)
	static const unsigned char code[] = {
		0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05
	}; /* mov $15, %rax; syscall */
#else
	static const unsigned char code[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }; /* mov x8, 139; svc 0 */
#endif
	uint64_t at = pc - obj->text_lo, n = obj->text_hi - obj->text_lo;

	if (!obj->text || at >= n || n - at < sizeof(code))
		return false;
	for (unsigned i = 0; i < sizeof(code); i++)
		if (obj->text[at + i] != code[i])
			return false;
	return true;
}
