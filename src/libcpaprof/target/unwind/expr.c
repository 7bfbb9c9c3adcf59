/*
 * expr.c - DWARF expressions, as used in call frame information
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * These expressions are used for PLT stubs, functions that align their stack, and signal trampolines. There are no
 * branches, so an expression ends after its last byte. It reads memory only from the stack.
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

enum { DEPTH = 8, MAX_BYTES = 64 };

enum expr_op {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_SWAP = 0x16,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_NOP = 0x96,
};

struct stack {
	const struct walk *w;
	struct cfi_cursor c;
	int n;
	int end; /* STEP_OK, or why there is no value */
	uint64_t v[DEPTH];
};

static void expr_push(struct stack *s, uint64_t v)
{
	if (s->n == DEPTH)
		s->end = UNWIND_BAD_CFI;
	else
		s->v[s->n++] = v;
}

static uint64_t pop(struct stack *s)
{
	if (s->n == 0) {
		s->end = UNWIND_BAD_CFI;
		return 0;
	}
	return s->v[--s->n];
}

static void push_reg(struct stack *s, uint64_t reg)
{
	const struct unwind_regs *regs = s->w->regs;
	uint64_t off = (uint64_t)get_sleb(&s->c);
	int i = reg_index(reg);

#if defined(__x86_64__)
	if (reg == 16) {
		expr_push(s, regs->pc + off);
		return;
	}
#endif
	if (i < 0 || !(regs->known >> i & 1))
		s->end = UNWIND_NO_REG;
	else
		expr_push(s, regs->r[i] + off);
}

static bool push_const(struct stack *s, uint8_t op)
{
	struct cfi_cursor *c = &s->c;

	switch (op) {
	case OP_CONST1U:
		expr_push(s, get_u8(c));
		return true;
	case OP_CONST1S:
		expr_push(s, (uint64_t)(int8_t)get_u8(c));
		return true;
	case OP_CONST2U:
		expr_push(s, get_u16(c));
		return true;
	case OP_CONST2S:
		expr_push(s, (uint64_t)(int16_t)get_u16(c));
		return true;
	case OP_CONST4U:
		expr_push(s, get_u32(c));
		return true;
	case OP_CONST4S:
		expr_push(s, (uint64_t)(int32_t)get_u32(c));
		return true;
	case OP_ADDR:
	case OP_CONST8U:
	case OP_CONST8S:
		expr_push(s, get_u64(c));
		return true;
	case OP_CONSTU:
		expr_push(s, get_uleb(c));
		return true;
	case OP_CONSTS:
		expr_push(s, (uint64_t)get_sleb(c));
		return true;
	default:
		return false;
	}
}

/* Operators with two operands; b was on top. */
static bool run_binary(uint8_t op, uint64_t a, uint64_t b, uint64_t *out)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case OP_AND:
		*out = a & b;
		return true;
	case OP_MINUS:
		*out = a - b;
		return true;
	case OP_MUL:
		*out = a * b;
		return true;
	case OP_OR:
		*out = a | b;
		return true;
	case OP_PLUS:
		*out = a + b;
		return true;
	case OP_SHL:
		*out = b < 64 ? a << b : 0;
		return true;
	case OP_SHR:
		*out = b < 64 ? a >> b : 0;
		return true;
	case OP_SHRA:
		*out = (uint64_t)(x >> (b < 64 ? b : 63));
		return true;
	case OP_XOR:
		*out = a ^ b;
		return true;
	case OP_EQ:
		*out = x == y;
		return true;
	case OP_GE:
		*out = x >= y;
		return true;
	case OP_GT:
		*out = x > y;
		return true;
	case OP_LE:
		*out = x <= y;
		return true;
	case OP_LT:
		*out = x < y;
		return true;
	case OP_NE:
		*out = x != y;
		return true;
	default:
		return false;
	}
}

static void run_other(struct stack *s, uint8_t op)
{
	uint64_t a = pop(s), b, v;

	switch (op) {
	case OP_DEREF:
		if (walk_load(s->w, a, &v))
			expr_push(s, v);
		else
			s->end = UNWIND_OUTSIDE;
		return;
	case OP_DUP:
		expr_push(s, a);
		expr_push(s, a);
		return;
	case OP_DROP:
		return;
	case OP_NEG:
		expr_push(s, -a);
		return;
	case OP_NOT:
		expr_push(s, ~a);
		return;
	case OP_PLUS_UCONST:
		expr_push(s, a + get_uleb(&s->c));
		return;
	}
	b = a;
	a = pop(s);
	if (op == OP_OVER || op == OP_SWAP) {
		expr_push(s, op == OP_OVER ? a : b);
		expr_push(s, op == OP_OVER ? b : a);
		if (op == OP_OVER)
			expr_push(s, a);
	} else if (run_binary(op, a, b, &v)) {
		expr_push(s, v);
	} else {
		s->end = UNWIND_BAD_CFI;
	}
}

int cpi_unwind_expr_sig(const struct walk *w, const struct unwind_object *obj, uint32_t at, const uint64_t *cfa,
			uint64_t *out)
{
	struct stack s;
	uint64_t n;

	s.w = w;
	s.c = cursor_at(obj, obj->eh_lo + at);
	s.n = 0;
	s.end = STEP_OK;
	n = get_uleb(&s.c);
	if (s.c.bad || n > MAX_BYTES || n > (uint64_t)(s.c.end - s.c.p))
		return UNWIND_BAD_CFI;
	s.c.end = s.c.p + n;
	if (cfa)
		expr_push(&s, *cfa);
	while (s.end == STEP_OK && s.c.p != s.c.end) {
		uint8_t op = get_u8(&s.c);

		if (op >= OP_LIT0 && op <= OP_LIT31)
			expr_push(&s, op - OP_LIT0);
		else if (op >= OP_BREG0 && op <= OP_BREG31)
			push_reg(&s, op - OP_BREG0);
		else if (op == OP_BREGX)
			push_reg(&s, get_uleb(&s.c));
		else if (op != OP_NOP && !push_const(&s, op))
			run_other(&s, op);
		if (s.c.bad)
			return UNWIND_BAD_CFI;
	}
	if (s.end != STEP_OK)
		return s.end;
	*out = pop(&s);
	return s.end;
}
