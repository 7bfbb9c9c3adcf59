/*
 * walk_int.h - what the files of the walker share: the state of a walk, CFI read so far
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_UNWIND_WALK_INT_H
#define LIBCPAPROF_TARGET_UNWIND_WALK_INT_H

#include "libcpaprof/target/unwind/unwind.h"

enum {
	RA = UNWIND_SAVED, /* the column of the return address in a row */
	N_COLUMNS = UNWIND_SAVED + 1,
	STEPS_OF_A_WALK = 1 << 18, /* CFI instructions, entries searched, words guessed at */
	SEARCH_OF_A_PC = 4096,     /* entries of .eh_frame looked at where there is no table */
};

enum { KEPT = INT16_MIN, LOST = INT16_MIN + 1 }; /* in unwind_rule: still in its register; not to be had */
enum {
	RULE_SIGNAL = 1, /* unwind_rule.flags: of the trampoline of a signal */
	RULE_QUICK = 2,  /* return address just below the CFA, CFA by stack or frame pointer */
};

enum { CFA_NONE = 255, CFA_EXPR = 254, CFA_OTHER = 253 }; /* row.cfa_reg: no register that is followed */

enum column_kind { COL_KEPT, COL_LOST, COL_OFFSET, COL_VAL_OFFSET, COL_EXPR, COL_VAL_EXPR };

/* How to find the CFA and what the caller had in registers, at one pc. */
struct row {
	int32_t cfa_off; /* or where the expression is, from eh_lo */
	int32_t val[N_COLUMNS];
	uint8_t kind[N_COLUMNS];
	uint8_t cfa_reg;
};

/* A CIE, of which many FDEs share one. */
struct cie {
	uint64_t addr; /* 0: none yet */
	int64_t data_align;
	uint32_t code_align;
	uint32_t ra_reg;
	uint8_t fde_enc;
	bool sized;  /* 'z': FDEs have augmentation data */
	bool signal; /* 'S' */
	struct row row;
};

struct fde {
	uint64_t lo, hi;              /* the code it is about */
	const unsigned char *p, *end; /* its instructions */
};

struct walk {
	const struct unwind_from *from;
	struct unwind_regs *regs;
	const struct unwind_object *obj; /* the last one asked for, or NULL */
	const struct unwind_range *range;
	uint32_t budget;
	uint32_t n_guessed;
	bool exact;       /* pc is where the thread is, not where a call returns to */
	bool sp_off;      /* aarch64: the stack pointer is a guess, the frame pointer is not */
	uint64_t fp_slot; /* where the last step found the frame pointer: as in unwind_frame */
	bool all;         /* follow all registers, not only the frame pointer */
	struct cie cie;
	struct unwind_object room;
};

/* What a step gives: on to the next, or why not. */
enum {
	STEP_ON = UNWIND_N_ENDS,
};

/* The object that holds pc, or NULL. */
static inline const struct unwind_object *walk_object(struct walk *w, uint64_t pc)
{
	if (w->obj && pc - w->obj->lo < w->obj->hi - w->obj->lo)
		return w->obj;
	w->cie.addr = 0;
	w->obj = w->from->find(w->from->arg, pc, &w->room);
	return w->obj;
}

/* A word of the range. Sanitizers are off, because this reads what belongs to others. */
__attribute__((no_sanitize("address"))) static inline uint64_t walk_word(const struct walk *w, uint64_t addr)
{
	uint64_t v;

	__builtin_memcpy(&v, w->range->bytes + (addr - w->range->lo), 8);
	return v;
}

/* The word at an address of the stack; false when it is below the stack pointer, beyond the range or not aligned. */
static inline bool walk_load(const struct walk *w, uint64_t addr, uint64_t *out)
{
	uint64_t sp = w->regs->r[UNWIND_SP], room = w->range->hi - sp;

	if (addr & 7 || addr - sp >= room || room - (addr - sp) < 8)
		return false;
	*out = walk_word(w, addr);
	return true;
}

/*
 * The FDE of an address.
 *
 * Gives STEP_ON, UNWIND_NO_CFI, UNWIND_BAD_CFI or UNWIND_TOO_LONG. The CIE is in w->cie then.
 */
int cpi_unwind_fde_sig(struct walk *w, const struct unwind_object *obj, uint64_t pc, struct fde *out);

/*
 * Run instructions until the row of pc; c is the CIE they belong to, with its row, which instructions
 * of an FDE start from. Gives STEP_ON, UNWIND_BAD_CFI or UNWIND_TOO_LONG.
 */
int cpi_unwind_row_sig(struct walk *w, const struct unwind_object *obj, const struct cie *c, const struct fde *fde,
		       uint64_t pc, struct row *out);

/*
 * The value of a DWARF expression, for which cfa is on the stack when it is no CFA itself.
 *
 * at  where its length is, from obj->eh_lo
 * Gives STEP_ON or an end.
 */
int cpi_unwind_expr_sig(const struct walk *w, const struct unwind_object *obj, uint32_t at, const uint64_t *cfa,
			uint64_t *out);

/* A step from a function without CFI. Gives STEP_ON or an end. */
int cpi_unwind_guess_sig(struct walk *w);

/* A step from where a signal came, when CFI led to no code: only to a direct call of what runs there. */
int cpi_unwind_mend_sig(struct walk *w);

/*
 * Where the frame pointer of a frame is that was not told, from what is on the stack above sp.
 *
 * rule  of the frame: CFA by frame pointer, which is saved
 */
bool cpi_unwind_guess_fp_sig(struct walk *w, const struct unwind_rule *rule, uint64_t *fp);

/* A step out of a signal handler: all registers from the ucontext_t above sp. */
int cpi_unwind_signal_sig(struct walk *w);

/* Without CFI: is this the code that returns from a signal handler? */
bool cpi_unwind_is_sigreturn_sig(const struct unwind_object *obj, uint64_t pc);

enum { FP_SLOT_NONE = 1 };

/* What a walk and the one before have in common. */
struct memo {
	struct unwind_cache *cache; /* NULL: nothing is remembered */
	uint32_t at;                /* frame of the last walk to compare with next */
	uint32_t n_fresh;
	bool shared; /* from at on, the frames are those of the last walk */
};

void cpi_unwind_memo_start_sig(struct memo *m, struct walk *w);

/* The frame that w is at, if the last walk had it too, and those after it. Gives how many went to pc; root: all. */
uint32_t cpi_unwind_memo_match_sig(struct memo *m, struct walk *w, uint64_t *pc, uint32_t room, bool *root);

/* A step was made from this frame. */
void cpi_unwind_memo_add_sig(struct memo *m, const struct walk *w, uint64_t pc, uint64_t sp, uint64_t fp);

void cpi_unwind_memo_end_sig(struct memo *m, const struct walk *w, bool root);

/* A register of DWARF as an index of unwind_regs.r, or -1. */
static inline int reg_index(uint64_t reg)
{
#if defined(__x86_64__)
	return reg < UNWIND_REGS ? (int)reg : -1;
#else
	return reg >= 29 && reg <= 31 ? (int)reg - 29 : -1;
#endif
}

/* A register of DWARF as a column of a row, or -1; ra is where the CIE says the return address is. */
static inline int reg_column(uint64_t reg, uint32_t ra)
{
	if (reg == ra)
		return RA;
#if defined(__x86_64__)
	/* rbp, rbx, r12 to r15: the order of saved_regs in walk.c */
	static const int8_t column[UNWIND_REGS] = { -1, -1, -1, 1, -1, -1, 0, -1, -1, -1, -1, -1, 2, 3, 4, 5 };

	return reg < UNWIND_REGS ? column[reg] : -1;
#else
	return reg == 29 ? 0 : -1;
#endif
}

/* A return address without the signature that aarch64 may have put into it. */
static inline uint64_t strip_pac(uint64_t addr)
{
#if defined(__aarch64__)
	register uint64_t x30 __asm__("x30") = addr;

	__asm__("hint #7" : "+r"(x30)); /* xpaclri; does nothing where there is no such thing */
	return x30;
#else
	return addr;
#endif
}

/* Bytes of CFI, read in order. Reading past the end gives zeros and sets bad. */
struct cfi_cursor {
	const unsigned char *p, *end;
	bool bad;
};

#define GET(name, type)                                                                                                \
	static inline type name(struct cfi_cursor *c)                                                                  \
	{                                                                                                              \
		type v;                                                                                                \
                                                                                                                       \
		if ((size_t)(c->end - c->p) < sizeof(v)) {                                                             \
			c->bad = true;                                                                                 \
			c->p = c->end;                                                                                 \
			return 0;                                                                                      \
		}                                                                                                      \
		__builtin_memcpy(&v, c->p, sizeof(v)); /* both machines are little-endian */                           \
		c->p += sizeof(v);                                                                                     \
		return v;                                                                                              \
	}

GET(get_u16, uint16_t)
GET(get_u32, uint32_t)
GET(get_u64, uint64_t)

#undef GET

static inline uint8_t get_u8(struct cfi_cursor *c)
{
	if (c->p == c->end) {
		c->bad = true;
		return 0;
	}
	return *c->p++;
}

static inline uint64_t get_uleb(struct cfi_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t b = get_u8(c);

		if (shift < 64)
			v |= (uint64_t)(b & 127) << shift;
		if (!(b & 128))
			return v;
	}
	c->bad = true;
	return 0;
}

static inline int64_t get_sleb(struct cfi_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t b = get_u8(c);

		if (shift < 64)
			v |= (uint64_t)(b & 127) << shift;
		if (b & 128)
			continue;
		if (shift + 7 < 64 && b & 64)
			v |= ~(uint64_t)0 << (shift + 7);
		return (int64_t)v;
	}
	c->bad = true;
	return 0;
}

static inline uint32_t eh_pos(const struct unwind_object *obj, const unsigned char *p)
{
	return (uint32_t)(p - obj->eh);
}

/* A cursor from an address of the target to the end of its bytes; bad when it is not in there. */
static inline struct cfi_cursor cursor_at(const struct unwind_object *obj, uint64_t addr)
{
	uint64_t pos = addr - obj->eh_lo, n = obj->eh_hi - obj->eh_lo;

	if (pos > n)
		return (struct cfi_cursor){ .p = obj->eh, .end = obj->eh, .bad = true };
	return (struct cfi_cursor){ .p = obj->eh + pos, .end = obj->eh + n };
}

enum {
	ENC_OMIT = 0xff,
	ENC_FORMAT = 0x0f,
	ENC_BASE = 0x70,
	ENC_INDIRECT = 0x80,
	ENC_PCREL = 0x10,
	ENC_DATAREL = 0x30,
	ENC_FDE = 0x1b,   /* pcrel, sdata4: what compilers write into FDEs */
	ENC_TABLE = 0x3b, /* datarel, sdata4: what all linkers write */
};

/*
 * A pointer in an encoding of DW_EH_PE_*. Its base is where it is itself, or the address of
 * .eh_frame_hdr. Bases of text and functions, and pointers to pointers, are bad: nobody writes them
 * for what a walk reads.
 */
uint64_t cpi_unwind_pointer_sig(const struct unwind_object *obj, struct cfi_cursor *c, uint8_t enc);

#endif
