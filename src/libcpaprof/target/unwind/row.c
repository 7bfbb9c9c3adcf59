/*
 * row.c - runs the instructions of call frame information, up to the row of one pc
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only the CFA, the return address and callee-saved registers are followed. Instructions about other registers are
 * skipped. From DWARF 5, section 6.4.2, and the extensions of GNU and ARM.
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

enum { N_REMEMBERED = 4 };

enum cfa_op {
	OP_NOP = 0x00,
	OP_SET_LOC = 0x01,
	OP_ADVANCE_LOC1 = 0x02,
	OP_ADVANCE_LOC2 = 0x03,
	OP_ADVANCE_LOC4 = 0x04,
	OP_OFFSET_EXTENDED = 0x05,
	OP_RESTORE_EXTENDED = 0x06,
	OP_UNDEFINED = 0x07,
	OP_SAME_VALUE = 0x08,
	OP_REGISTER = 0x09,
	OP_REMEMBER_STATE = 0x0a,
	OP_RESTORE_STATE = 0x0b,
	OP_DEF_CFA = 0x0c,
	OP_DEF_CFA_REGISTER = 0x0d,
	OP_DEF_CFA_OFFSET = 0x0e,
	OP_DEF_CFA_EXPRESSION = 0x0f,
	OP_EXPRESSION = 0x10,
	OP_OFFSET_EXTENDED_SF = 0x11,
	OP_DEF_CFA_SF = 0x12,
	OP_DEF_CFA_OFFSET_SF = 0x13,
	OP_VAL_OFFSET = 0x14,
	OP_VAL_OFFSET_SF = 0x15,
	OP_VAL_EXPRESSION = 0x16,
	OP_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	OP_GNU_WINDOW_SAVE = 0x2d, /* on aarch64 negate_ra_state; authentication codes are always stripped */
	OP_GNU_ARGS_SIZE = 0x2e,
	OP_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
	OP_ADVANCE_LOC = 0x40,
	OP_OFFSET = 0x80,
	OP_RESTORE = 0xc0,
};

struct row_run {
	const struct unwind_object *obj;
	const struct cie *cie;
	struct row *row;
	struct cfi_cursor c;
	uint64_t loc;
	bool bad;
	uint8_t n_remembered;
	struct row remembered[N_REMEMBERED];
};

static int32_t fit(struct row_run *r, int64_t v)
{
	if (v != (int32_t)v)
		r->bad = true;
	return (int32_t)v;
}

static int64_t row_scaled(struct row_run *r, int64_t factor)
{
	int64_t v;

	if (__builtin_mul_overflow(factor, r->cie->data_align, &v))
		r->bad = true;
	return v;
}

static void set_column(struct row_run *r, uint64_t reg, enum column_kind kind, int64_t val)
{
	int col = reg_column(reg, r->cie->ra_reg);

	if (col < 0)
		return;
	r->row->kind[col] = kind;
	r->row->val[col] = fit(r, val);
}

static void set_cfa(struct row_run *r, uint64_t reg, int64_t off)
{
	int i = reg_index(reg);

	r->row->cfa_reg = i < 0 ? CFA_OTHER : (uint8_t)i;
	r->row->cfa_off = fit(r, off);
}

/* Skip an expression. Returns its position. */
static int64_t expression(struct row_run *r)
{
	uint32_t at = eh_pos(r->obj, r->c.p);
	uint64_t n = get_uleb(&r->c);

	if (n > (uint64_t)(r->c.end - r->c.p)) {
		r->bad = true;
		return 0;
	}
	r->c.p += n;
	return at;
}

static void advance(struct row_run *r, uint64_t n)
{
	r->loc += n * r->cie->code_align;
}

static void row_restore(struct row_run *r, uint64_t reg)
{
	int col = reg_column(reg, r->cie->ra_reg);

	if (col < 0)
		return;
	r->row->kind[col] = r->cie->row.kind[col];
	r->row->val[col] = r->cie->row.val[col];
}

static void run_state(struct row_run *r, uint8_t op)
{
	if (op == OP_REMEMBER_STATE && r->n_remembered < N_REMEMBERED)
		r->remembered[r->n_remembered++] = *r->row;
	else if (op == OP_RESTORE_STATE && r->n_remembered > 0)
		*r->row = r->remembered[--r->n_remembered];
	else
		r->bad = true;
}

/* Instructions for the CFA. */
static bool run_cfa(struct row_run *r, uint8_t op)
{
	struct cfi_cursor *c = &r->c;
	uint64_t reg;

	switch (op) {
	case OP_DEF_CFA:
		reg = get_uleb(c);
		set_cfa(r, reg, (int64_t)get_uleb(c));
		return true;
	case OP_DEF_CFA_SF:
		reg = get_uleb(c);
		set_cfa(r, reg, row_scaled(r, get_sleb(c)));
		return true;
	case OP_DEF_CFA_REGISTER:
		r->bad |= r->row->cfa_reg >= CFA_EXPR;
		set_cfa(r, get_uleb(c), r->row->cfa_off);
		return true;
	case OP_DEF_CFA_OFFSET:
		r->bad |= r->row->cfa_reg >= CFA_EXPR;
		r->row->cfa_off = fit(r, (int64_t)get_uleb(c));
		return true;
	case OP_DEF_CFA_OFFSET_SF:
		r->bad |= r->row->cfa_reg >= CFA_EXPR;
		r->row->cfa_off = fit(r, row_scaled(r, get_sleb(c)));
		return true;
	case OP_DEF_CFA_EXPRESSION:
		r->row->cfa_reg = CFA_EXPR;
		r->row->cfa_off = fit(r, expression(r));
		return true;
	default:
		return false;
	}
}

/* Instructions for registers. */
static bool run_reg(struct row_run *r, uint8_t op)
{
	struct cfi_cursor *c = &r->c;
	uint64_t reg = get_uleb(c);

	switch (op) {
	case OP_OFFSET_EXTENDED:
		set_column(r, reg, COL_OFFSET, row_scaled(r, (int64_t)get_uleb(c)));
		break;
	case OP_OFFSET_EXTENDED_SF:
		set_column(r, reg, COL_OFFSET, row_scaled(r, get_sleb(c)));
		break;
	case OP_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_column(r, reg, COL_OFFSET, -(uint64_t)row_scaled(r, (int64_t)get_uleb(c)));
		break;
	case OP_VAL_OFFSET:
		set_column(r, reg, COL_VAL_OFFSET, row_scaled(r, (int64_t)get_uleb(c)));
		break;
	case OP_VAL_OFFSET_SF:
		set_column(r, reg, COL_VAL_OFFSET, row_scaled(r, get_sleb(c)));
		break;
	case OP_EXPRESSION:
		set_column(r, reg, COL_EXPR, expression(r));
		break;
	case OP_VAL_EXPRESSION:
		set_column(r, reg, COL_VAL_EXPR, expression(r));
		break;
	case OP_UNDEFINED:
		set_column(r, reg, COL_LOST, 0);
		break;
	case OP_SAME_VALUE:
		set_column(r, reg, COL_SAME, 0);
		break;
	case OP_RESTORE_EXTENDED:
		row_restore(r, reg);
		break;
	case OP_REGISTER: /* compilers do not use this for the registers followed here */
		get_uleb(c);
		set_column(r, reg, COL_LOST, 0);
		break;
	default:
		return false;
	}
	return true;
}

/* Run one instruction with first byte op. */
static void run_one(struct row_run *r, uint8_t op)
{
	switch (op) {
	case OP_NOP:
	case OP_GNU_WINDOW_SAVE:
	case OP_AARCH64_NEGATE_RA_STATE_WITH_PC:
		break;
	case OP_SET_LOC:
		r->loc = cpi_unwind_pointer_sig(r->obj, &r->c, r->cie->fde_enc);
		break;
	case OP_ADVANCE_LOC1:
		advance(r, get_u8(&r->c));
		break;
	case OP_ADVANCE_LOC2:
		advance(r, get_u16(&r->c));
		break;
	case OP_ADVANCE_LOC4:
		advance(r, get_u32(&r->c));
		break;
	case OP_REMEMBER_STATE:
	case OP_RESTORE_STATE:
		run_state(r, op);
		break;
	case OP_GNU_ARGS_SIZE:
		get_uleb(&r->c);
		break;
	default:
		if (!run_cfa(r, op) && !run_reg(r, op))
			r->bad = true;
	}
}

int cpi_unwind_row_sig(struct walk *w, const struct unwind_object *obj, const struct cie *cie, const struct fde *fde,
		       uint64_t pc, struct row *out)
{
	struct row_run r;

	r.obj = obj;
	r.cie = cie;
	r.row = out;
	r.c = (struct cfi_cursor){ .p = fde->p, .end = fde->end };
	r.loc = fde->lo;
	r.bad = false;
	r.n_remembered = 0;
	*out = cie->row;
	while (r.c.p != r.c.end && r.loc <= pc) {
		uint8_t op = *r.c.p++, low = op & 0x3f;

		if (w->budget == 0)
			return UNWIND_TOO_LONG;
		w->budget--;
		if ((op & 0xc0) == OP_ADVANCE_LOC)
			advance(&r, low);
		else if ((op & 0xc0) == OP_OFFSET)
			set_column(&r, low, COL_OFFSET, row_scaled(&r, (int64_t)get_uleb(&r.c)));
		else if ((op & 0xc0) == OP_RESTORE)
			row_restore(&r, low);
		else
			run_one(&r, op);
		if (r.bad || r.c.bad)
			return UNWIND_BAD_CFI;
	}
	return STEP_OK;
}
