/*
 * walk_int.h - shared by the files of the walker: the state of a walk, decoded CFI
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_UNWIND_WALK_INT_H
#define LIBCPAPROF_TARGET_UNWIND_WALK_INT_H

#include "libcpaprof/target/unwind/unwind.h"

enum {
	RA = UNWIND_SAVED, /* index of the column of the return address */
	N_COLUMNS = UNWIND_SAVED + 1,
	WALK_STEPS_MAX = 1 << 18, /* maximum of instructions, entries searched and words checked, in total */
	FDE_SEARCH_MAX = 4096,    /* entries of .eh_frame searched if there is no table */
	LIST_STEPS_MAX = 1 << 26, /* maximum of instructions and entries read to list functions */
};

enum {
	SLOT_SAME = INT16_MIN,
	SLOT_LOST = INT16_MIN + 1
}; /* values in unwind_rule: the register is unchanged; its value is unknown */
enum {
	RULE_SIGNAL = 1, /* unwind_rule.flags: the trampoline of a signal */
	RULE_QUICK = 2,  /* return address just below the CFA, CFA from the stack or frame pointer */
};

enum {
	CFA_NONE = 255,
	CFA_EXPR = 254,
	CFA_OTHER = 253
}; /* row.cfa_reg: none, an expression, a register that is not followed */

enum column_kind { COL_SAME, COL_LOST, COL_OFFSET, COL_VAL_OFFSET, COL_EXPR, COL_VAL_EXPR };

/* Rules for the CFA and the caller's registers, at one pc. */
struct row {
	int32_t cfa_off; /* offset of the CFA, or position of its expression from eh_lo */
	int32_t val[N_COLUMNS];
	uint8_t kind[N_COLUMNS];
	uint8_t cfa_reg;
};

/* A CIE. Many FDEs share one. */
struct cie {
	uint64_t addr; /* 0: not read yet */
	int64_t data_align;
	uint32_t code_align;
	uint32_t ra_reg;
	uint8_t fde_enc;
	bool sized;  /* 'z': FDEs have augmentation data */
	bool signal; /* 'S' */
	struct row row;
};

struct fde {
	uint64_t lo, hi;              /* the code it describes */
	const unsigned char *p, *end; /* its instructions */
};

struct walk {
	const struct unwind_source *from;
	struct unwind_regs *regs;
	const struct unwind_object *obj; /* the last object found, or NULL */
	uint64_t mapped;                 /* start of the last object that was found to be mapped; 0: none */
	const struct unwind_range *range;
	uint32_t budget;
	uint32_t n_guessed;
	bool exact;       /* pc is the current instruction, not a return address */
	bool by_fp;       /* the last step was by frame pointer, so the frame pointer is one */
	bool sp_guessed;  /* aarch64: the stack pointer is a guess, but the frame pointer is known */
	uint64_t fp_slot; /* where the last step read the frame pointer: as in unwind_frame */
	bool all_regs;    /* follow all registers, not only the frame pointer */
	struct cie cie;
	struct unwind_object room;
};

/* A step returns this, or the reason why the walk ends (enum unwind_end). */
enum {
	STEP_OK = UNWIND_N_ENDS,
};

/* The object that contains pc, or NULL. */
static inline const struct unwind_object *walk_object(struct walk *w, uint64_t pc)
{
	if (w->obj && pc - w->obj->lo < w->obj->hi - w->obj->lo)
		return w->obj;
	w->cie.addr = 0;
	w->obj = w->from->find(w->from->arg, pc, &w->room);
	return w->obj;
}

/* Return true if an object that find returned is mapped. It takes a system call. */
bool cpi_unwind_may_read_sig(const struct unwind_source *from, const struct unwind_object *obj);

/*
 * Return true if the bytes of an object may be read. Call it before they are, not before its cached rules are used:
 * a walk by cached rules needs no system call.
 */
static inline bool walk_may_read(struct walk *w, const struct unwind_object *obj)
{
	if (obj->lo != w->mapped && !cpi_unwind_may_read_sig(w->from, obj))
		return false;
	w->mapped = obj->lo;
	return true;
}

/* The word at an address of a range. Not checked by sanitizers, because it reads memory of other code. */
__attribute__((no_sanitize("address"))) static inline uint64_t range_word(const struct unwind_range *r, uint64_t addr)
{
	uint64_t v;

	/* in this order, a loop adds only addr */
	__builtin_memcpy(&v, (const void *)((uint64_t)r->bytes - r->lo + addr), 8);
	return v;
}

static inline uint64_t walk_word(const struct walk *w, uint64_t addr)
{
	return range_word(w->range, addr);
}

/*
 * Read the word at an address of the stack. Returns false if it is below the stack pointer, beyond the range or
 * misaligned.
 */
static inline bool walk_load(const struct walk *w, uint64_t addr, uint64_t *out)
{
	uint64_t sp = w->regs->r[UNWIND_SP], room = w->range->hi - sp;

	if (addr & 7 || addr - sp >= room || room - (addr - sp) < 8)
		return false;
	*out = walk_word(w, addr);
	return true;
}

/*
 * Find the FDE of an address, and set w->cie to its CIE.
 *
 * Returns STEP_OK, UNWIND_NO_CFI, UNWIND_BAD_CFI or UNWIND_TOO_LONG
 */
int cpi_unwind_fde_sig(struct walk *w, const struct unwind_object *obj, uint64_t pc, struct fde *out);

/*
 * Run CFI instructions up to the row of pc. c is their CIE; instructions of an FDE start from its row. Returns
 * STEP_OK, UNWIND_BAD_CFI or UNWIND_TOO_LONG.
 */
int cpi_unwind_row_sig(struct walk *w, const struct unwind_object *obj, const struct cie *c, const struct fde *fde,
		       uint64_t pc, struct row *out);

/*
 * Evaluate a DWARF expression. An expression for a register starts with the CFA on the stack; for an expression that
 * computes the CFA itself, cfa is NULL.
 *
 * at       position of its length, from obj->eh_lo
 * Returns  STEP_OK, or why the walk ends
 */
int cpi_unwind_expr_sig(const struct walk *w, const struct unwind_object *obj, uint32_t at, const uint64_t *cfa,
			uint64_t *out);

/* Step out of a function without CFI. Returns STEP_OK, or why the walk ends. */
int cpi_unwind_guess_sig(struct walk *w);

/*
 * Step out of the frame that a signal interrupted, if its CFI led to an address without code. Accepts only a direct
 * call of the function that runs there.
 */
int cpi_unwind_guess_call_sig(struct walk *w);

/*
 * Find the unknown frame pointer of a frame in the words of the stack above sp.
 *
 * rule  rule of the frame: the CFA is computed from the frame pointer, which is saved
 */
bool cpi_unwind_guess_fp_sig(struct walk *w, const struct unwind_rule *rule, uint64_t *fp);

/* Step out of a signal handler: read all registers from the ucontext_t above sp. */
int cpi_unwind_signal_sig(struct walk *w);

/* Is pc in the trampoline of a signal? For code without CFI. */
bool cpi_unwind_is_sigreturn_sig(const struct unwind_object *obj, uint64_t pc);

enum { FP_SLOT_NONE = 1 };

/* The frames that a walk shares with the previous walk. */
struct memo {
	struct unwind_cache *cache; /* NULL: frames are not remembered */
	uint32_t at;                /* index of the frame of the last walk to compare next */
	uint32_t n_fresh;
	bool shared; /* the frames from `at` on are those of the last walk */
};

void cpi_unwind_memo_start_sig(struct memo *m, struct walk *w) __attribute__((hot));

/*
 * If the last walk contained the current frame of w, copy it and the unchanged frames after it to pc. Returns their
 * number. root: set if they reach the root.
 */
uint32_t cpi_unwind_memo_match_sig(struct memo *m, struct walk *w, uint64_t *pc, uint32_t room, bool *root)
	__attribute__((hot));

/* Remember a frame after a step from it. */
void cpi_unwind_memo_add_sig(struct memo *m, const struct walk *w, uint64_t pc, uint64_t sp, uint64_t fp)
	__attribute__((hot));

void cpi_unwind_memo_end_sig(struct memo *m, const struct walk *w, bool root) __attribute__((hot));

/* A DWARF register as an index of unwind_regs.r, or -1. */
static inline int reg_index(uint64_t reg)
{
#if defined(__x86_64__)
	return reg < UNWIND_REGS ? (int)reg : -1;
#else
	return reg >= 29 && reg <= 31 ? (int)reg - 29 : -1;
#endif
}

/* A DWARF register as a column of a row, or -1. ra: the register of the return address, according to the CIE. */
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

/* A return address without the pointer authentication code of aarch64. */
static inline uint64_t strip_pac(uint64_t addr)
{
#if defined(__aarch64__)
	register uint64_t x30 __asm__("x30") = addr;

	__asm__("hint #7" : "+r"(x30)); /* xpaclri; a no-op on processors without this feature */
	return x30;
#else
	return addr;
#endif
}

/* Cursor over bytes of CFI. Reading past the end returns zeros and sets bad. */
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

/* A cursor from an address of the target to the end of the object's bytes; bad if it is outside. */
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
	ENC_FDE = 0x1b,   /* pcrel, sdata4: used by compilers in FDEs */
	ENC_TABLE = 0x3b, /* datarel, sdata4: used by all linkers */
};

/*
 * Read a pointer in an encoding of DW_EH_PE_*. It is relative to its own position or to .eh_frame_hdr. Bases of text
 * and functions, and pointers to pointers, are errors: no tool uses them in the data that a walk reads.
 */
uint64_t cpi_unwind_pointer_sig(const struct unwind_object *obj, struct cfi_cursor *c, uint8_t enc);

#endif
