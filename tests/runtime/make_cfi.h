/*
 * make_cfi.h - hand-written objects with call frame information, outside of any process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Code is at TEXT, .eh_frame_hdr and .eh_frame at EH, the stack at STACK; each function has 256 bytes
 * of code. Numbers are so small that every LEB128 is one byte.
 */
#ifndef RUNTIME_MAKE_CFI_H
#define RUNTIME_MAKE_CFI_H

#include "libcpaprof/target/unwind/walk_int.h"

#include <string.h>

enum { LO = 0x400000, TEXT = 0x401000, EH = 0x500000, HI = 0x600000, STACK = 0x70000000 };
enum { ROOM = 4096, N_WORDS = 256, N_FUNCTIONS = 8 };

#if defined(__x86_64__)
enum { DW_SP = 7, DW_FP = 6, DW_RA = 16, CFA_AT_CALL = 8 };
#else
enum { DW_SP = 31, DW_FP = 29, DW_RA = 30, CFA_AT_CALL = 0 };
#endif

struct made {
	unsigned char eh[ROOM], text[ROOM];
	uint32_t n, n_fde, hdr_size;
	uint32_t fde_at[N_FUNCTIONS];
	uint64_t word[N_WORDS]; /* the stack */
	struct unwind_object obj;
};

static inline void put(struct made *m, const void *bytes, uint32_t n)
{
	if (n > 0)
		memcpy(&m->eh[m->n], bytes, n);
	m->n += n;
}

static inline void put_int(struct made *m, uint64_t v, uint32_t n)
{
	put(m, &v, n);
}

/* Fill in the length of the entry that begins at a position. */
static inline void close_entry(struct made *m, uint32_t at)
{
	uint32_t size;

	while (m->n % 8)
		put_int(m, 0, 1);
	size = m->n - at - 4;
	memcpy(&m->eh[at], &size, 4);
}

/* Write a CIE after space for the header. enc: encoding of addresses in FDEs; signal: add 'S'. */
static inline uint32_t make_cie(struct made *m, uint8_t enc, bool signal)
{
	static const unsigned char initial[] = {
		0x0c,
		DW_SP,
		CFA_AT_CALL,
#if defined(__x86_64__)
		0x80 | DW_RA,
		1,
#endif
	};
	uint32_t at = m->n;

	put_int(m, 0, 8);
	put_int(m, 1, 1);
	put(m, signal ? "zRS" : "zR", signal ? 4 : 3);
	put(m, (unsigned char[]){ 1, 0x78, DW_RA, 1, enc }, 5);
	put(m, initial, sizeof(initial));
	close_entry(m, at);
	return at;
}

/* Write the FDE of the next function, with instructions. */
static inline void make_fde(struct made *m, uint32_t cie, uint8_t enc, const unsigned char *code, uint32_t n)
{
	uint32_t at = m->n;
	uint64_t lo = TEXT + 256ULL * m->n_fde;

	put_int(m, 0, 4);
	put_int(m, m->n - cie, 4);
	put_int(m, enc == ENC_FDE ? lo - (EH + m->n) : lo, enc == ENC_FDE ? 4 : 8);
	put_int(m, 256, enc == ENC_FDE ? 4 : 8);
	put_int(m, 0, 1);
	put(m, code, n);
	close_entry(m, at);
	m->fde_at[m->n_fde++] = at;
}

/* Start an object, with space for a header with a table of all functions. */
static inline void make_start(struct made *m)
{
	memset(m, 0, sizeof(*m));
	m->hdr_size = 12 + 16 * N_FUNCTIONS;
	m->hdr_size += 8 - m->hdr_size % 8;
	m->n = m->hdr_size;
}

/* Write the header, and fill in the object as cpi_unwind_object_init_sig does. table_enc 0xff: no table. */
static inline void make_end(struct made *m, uint8_t table_enc)
{
	uint32_t at = 0, end = m->n;

	put_int(m, 0, 8);
	m->n = 0;
	put(m, (unsigned char[]){ 1, 0x1b, 0x03, table_enc }, 4);
	put_int(m, m->hdr_size - 4, 4);
	put_int(m, m->n_fde, 4);
	at = m->n;
	for (uint32_t i = 0; i < m->n_fde && table_enc != ENC_OMIT; i++) {
		uint32_t size = table_enc == ENC_TABLE ? 4 : 8;
		uint64_t base = table_enc == ENC_TABLE ? EH : 0;

		put_int(m, TEXT + 256ULL * i - base, size);
		put_int(m, EH + m->fde_at[i] - base, size);
	}
	m->n = end + 8;
	m->obj = (struct unwind_object){ .lo = LO,
					 .hi = HI,
					 .eh_lo = EH,
					 .eh_hi = EH + m->n,
					 .eh = m->eh,
					 .text_lo = TEXT,
					 .text_hi = TEXT + ROOM,
					 .text = m->text,
					 .hdr = EH,
					 .frame = EH + m->hdr_size,
					 .table = table_enc == ENC_OMIT ? 0 : EH + at,
					 .n_table = m->n_fde,
					 .table_enc = table_enc };
	memcpy(&m->obj.first_key, &m->eh[at], 4);
	memcpy(&m->obj.last_key, &m->eh[at + 8 * (m->n_fde - 1)], 4);
}

static inline const struct unwind_object *find_made(void *arg, uint64_t pc, struct unwind_object *room)
{
	struct made *m = arg;

	(void)room;
	return pc >= m->obj.lo && pc < m->obj.hi ? &m->obj : NULL;
}

/* Walk from an address, with the stack pointer at a word of the stack. */
static inline struct unwind_result walk_made(struct made *m, uint64_t pc, uint32_t word, uint64_t fp, uint64_t lr,
					     uint64_t *out)
{
	struct unwind_range range = { STACK, STACK + 8 * N_WORDS, (const unsigned char *)m->word };
	struct unwind_source from = { .range = &range, .n_ranges = 1, .find = find_made, .arg = m };
	struct unwind_regs regs = { .pc = pc, .known = (1U << UNWIND_REGS) - 1 };
	struct unwind_result r;

	regs.r[UNWIND_SP] = STACK + 8ULL * word;
	regs.r[UNWIND_FP] = fp;
#if defined(__aarch64__)
	regs.r[UNWIND_LR] = lr;
#else
	(void)lr;
#endif
	cpi_unwind_walk_sig(&from, &regs, out, 64, &r);
	return r;
}

#endif
