/*
 * unwind_bytes.c - call frame information by hand, and what is broken at random
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: unwind_bytes [MUTATIONS]     1000000 without a number
 *
 * Function 0 is called by function 1, that by 2, and 2 says that nobody called it.
 */
#include "config.h"

#include "make_cfi.h"
#include "tap.h"
#include "unwind_here.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* A frame of 32 bytes: the frame pointer at CFA-16; the return address at CFA-8. */
static const unsigned char frame_of_32[] = { 0x0e, 32, 0x80 | DW_FP, 2, 0x80 | DW_RA, 1 };
static const unsigned char no_caller[] = { 0x07, DW_RA };

static const uint64_t f0 = TEXT + 16, f1 = TEXT + 256 + 16, f2 = TEXT + 512 + 16, f3 = TEXT + 768 + 16;

/* Functions 0 and 1 with frames, 2 the root, 3 with the instructions given; the stack of f0. */
static void make(struct made *m, uint8_t enc, uint8_t table_enc, const unsigned char *code, uint32_t n)
{
	uint32_t cie;

	make_start(m);
	cie = make_cie(m, enc, false);
	make_fde(m, cie, enc, frame_of_32, sizeof(frame_of_32));
	make_fde(m, cie, enc, frame_of_32, sizeof(frame_of_32));
	make_fde(m, cie, enc, no_caller, sizeof(no_caller));
	make_fde(m, cie, enc, code, n);
	make_end(m, table_enc);
	m->word[3] = f1;
	m->word[2] = STACK + 8;
	m->word[7] = f2;
	m->word[6] = STACK + 16;
}

static bool three_frames(struct made *m)
{
	uint64_t pc[64];
	struct unwind_result r = walk_made(m, f0, 0, 0, 0, pc);

	return r.n == 3 && r.end == UNWIND_ROOT && pc[0] == f0 && pc[1] == f1 && pc[2] == f2;
}

/* Where a walk from function 3 with these instructions ends; *n: after how many frames. */
static enum unwind_end end_of(const unsigned char *code, uint32_t size, uint32_t *n)
{
	struct made m;
	uint64_t pc[64];
	struct unwind_result r;

	make(&m, ENC_FDE, ENC_TABLE, code, size);
	r = walk_made(&m, f3, 0, STACK + 64, 0, pc);
	*n = r.n;
	return r.end;
}

#define END_OF(n, ...) end_of((unsigned char[]){ __VA_ARGS__ }, sizeof((unsigned char[]){ __VA_ARGS__ }), n)

static void encodings(void)
{
	struct made m;

	make(&m, ENC_FDE, ENC_TABLE, NULL, 0);
	tap(three_frames(&m), "a table as linkers write it leads to the functions");
	make(&m, ENC_FDE, ENC_OMIT, NULL, 0);
	tap(three_frames(&m), "without a table the entries are searched in order");
	make(&m, ENC_FDE, 0x04, NULL, 0);
	tap(three_frames(&m), "a table of absolute addresses of 8 bytes leads to the functions");
	make(&m, 0x04, ENC_TABLE, NULL, 0);
	tap(three_frames(&m), "functions with absolute addresses are found");
	make(&m, 0x9b, ENC_TABLE, NULL, 0);
	tap(!three_frames(&m), "pointers to pointers are refused");
}

static void instructions(void)
{
	uint32_t n;

	tap(END_OF(&n, 0x07, DW_RA) == UNWIND_ROOT && n == 1, "an undefined return address is the root");
	tap(END_OF(&n, 0x3f) == UNWIND_BAD_CFI, "an instruction that does not exist is bad CFI");
	tap(END_OF(&n, 0x0b) == UNWIND_BAD_CFI, "restoring what was not remembered is bad CFI");
	tap(END_OF(&n, 0x0a, 0x0a, 0x0a, 0x0a, 0x07, DW_RA) == UNWIND_ROOT, "four states are remembered");
	tap(END_OF(&n, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x07, DW_RA) == UNWIND_BAD_CFI, "a fifth state is bad CFI");
	tap(END_OF(&n, 0x0a, 0x0e, 127, 0x0b, 0x40 | 17, 0x3f) != UNWIND_BAD_CFI,
	    "instructions behind the address are not run");
	tap(END_OF(&n, 0x0c, 0x3f, 0) == UNWIND_NO_REG, "a CFA by a register that is not followed ends the walk");
	tap(END_OF(&n, 0x0f, 1, 0x22) == UNWIND_BAD_CFI, "an expression that pops an empty stack is bad CFI");
	tap(END_OF(&n, 0x0f, 9, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30) == UNWIND_BAD_CFI,
	    "an expression that overflows its stack is bad CFI");
	tap(END_OF(&n, 0x0f, 127) == UNWIND_BAD_CFI, "an expression longer than its entry is bad CFI");
	tap(END_OF(&n, 0x0e, 3, 0x80 | DW_RA, 1) == UNWIND_BAD_SP, "a CFA that is not aligned is a bad stack pointer");
	tap(END_OF(&n, 0x0c, DW_FP, 0x80, 0x80, 0x80, 0x01, 0x80 | DW_RA, 1) == UNWIND_OUTSIDE,
	    "a CFA beyond the stack is outside");
}

/* All of it again, with the CFA by an expression: the stack pointer and 32. */
static void expressions(void)
{
	static const unsigned char code[] = { 0x0f,  5, 0x70 + DW_SP, 0,    0x08,         32, 0x22, 0x10,
					      DW_FP, 2, 0x23,         0x70, 0x80 | DW_RA, 1 };
	struct made m;
	uint64_t pc[64];
	struct unwind_result r;

	make(&m, ENC_FDE, ENC_TABLE, code, sizeof(code));
	r = walk_made(&m, f3, 0, 0, 0, pc);
	tap(r.n == 3 && pc[1] == f1 && pc[2] == f2 && r.end == UNWIND_ROOT, "an expression that adds gives the CFA");
}

/* A trampoline without CFI, as musl has it and the vDSO of aarch64: known by its code. */
static void trampoline(void)
{
#if defined(__x86_64__)
	static const unsigned char code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	const uint32_t at_uc = 0;
#else
	static const unsigned char code[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };
	const uint32_t at_uc = 128;
#endif
	uint64_t at = TEXT + 2048, pc[64];
	struct unwind_result r;
	ucontext_t uc = { 0 };
	struct made m;

	make(&m, ENC_FDE, ENC_TABLE, NULL, 0);
	memcpy(&m.text[2048], code, sizeof(code));
#if defined(__x86_64__)
	uc.uc_mcontext.gregs[REG_RIP] = (greg_t)f1;
	uc.uc_mcontext.gregs[REG_RSP] = STACK + 8 * 252;
#else
	uc.uc_mcontext.pc = f1;
	uc.uc_mcontext.sp = STACK + 8 * 252;
#endif
	/* f0 is the handler; of the ucontext_t only what holds registers fits on this stack */
	m.word[3] = at;
	memcpy((unsigned char *)&m.word[4] + at_uc, &uc, offsetof(ucontext_t, uc_mcontext) + 31 * 8 + 40);
	m.word[255] = f2;
	r = walk_made(&m, f0, 0, 0, 0, pc);
	tap(r.n == 4 && pc[1] == at + 1 && pc[2] == f1 + 1 && pc[3] == f2 && r.end == UNWIND_ROOT,
	    "the trampoline of signals is known by its code");
}

/* Two walks that remember: function 0, then 3 with its CFA by frame pointer, then 1 or the root, 2. */
static void remembering(void)
{
#if defined(__x86_64__)
	static const unsigned char by_fp[] = { 0x0c, DW_FP, 16, 0x80 | DW_FP, 2, 0x80 | DW_RA, 1 };
	static struct unwind_rule rules[16];
	static struct unwind_frame frames[2][16];
	struct unwind_cache cache = {
		.rule = rules, .mask = 15, .frame = frames[0], .fresh = frames[1], .max_frames = 16
	};
	struct made m;
	struct unwind_range range = { STACK, STACK + 8 * N_WORDS, (const unsigned char *)m.word };
	struct unwind_from from = { .range = &range, .n_ranges = 1, .find = find_made, .arg = &m, .cache = &cache };
	uint64_t pc[4][64];
	struct unwind_result r[4];

	make(&m, ENC_FDE, ENC_TABLE, by_fp, sizeof(by_fp));
	m.word[3] = f0;
	m.word[7] = f3;
	m.word[6] = STACK + 8 * 10; /* the frame pointer of function 3 */
	m.word[11] = f2;
	m.word[21] = f1;
	m.word[25] = f2;
	for (int i = 0; i < 4; i++) {
		struct unwind_regs regs = { .pc = f1, .known = (1U << UNWIND_REGS) - 1 };

		if (i == 2)
			m.word[6] = STACK + 8 * 20;
		if (i == 3)
			m.word[21] = f2;
		regs.r[UNWIND_SP] = STACK;
		cpi_unwind_walk_sig(&from, &regs, pc[i], 64, &r[i]);
	}
	tap(r[0].n == 4 && r[1].n == 4 && memcmp(pc[0], pc[1], 32) == 0 && cache.n_same > 2,
	    "a walk takes from the last one the frames that are the same");
	tap(r[2].n == 5 && pc[2][3] == f1 && pc[2][4] == f2,
	    "a saved frame pointer that changed leads to other frames");
	tap(r[3].n == 4 && pc[3][3] == f2 && r[3].end == UNWIND_ROOT,
	    "a return address that changed leads to other frames");
#endif
}

static void without_cfi(void)
{
	uint64_t leaf = TEXT + 2048, pc[64];
	struct unwind_result r;
	struct made m;

	make(&m, ENC_FDE, ENC_TABLE, NULL, 0);
#if defined(__x86_64__)
	/* f1 calls the leaf; its return address is two words up, under a word that looks like nothing */
	m.text[256 + 16 - 5] = 0xe8;
	memcpy(&m.text[256 + 16 - 4], &(int32_t){ (int32_t)(leaf - f1) }, 4);
	m.word[0] = 7;
	m.word[1] = f1;
	m.word[5] = f2;
	r = walk_made(&m, leaf + 4, 0, 0, 0, pc);
	tap(r.n == 3 && r.n_guessed == 1 && pc[1] == f1 && pc[2] == f2,
	    "a direct call leads from a function without CFI");
	m.text[256 + 16 - 5] = 0x90;
	r = walk_made(&m, leaf + 4, 0, 0, 0, pc);
	tap(r.n == 1 && r.end == UNWIND_NO_CFI, "a word that no call pushed is not taken for a return address");
#else
	memcpy(&m.text[256 + 16 - 4], &(uint32_t){ 0x94000000 | ((leaf - (f1 - 4)) / 4 & 0x3ffffff) }, 4);
	m.word[3] = f2;
	r = walk_made(&m, leaf + 4, 0, 0, f1, pc);
	tap(r.n == 3 && r.n_guessed == 1 && pc[1] == f1 && pc[2] == f2, "a leaf without CFI has its caller in x30");
	m.word[3] = f1;
	m.word[2] = STACK + 48;
	m.word[6] = 0;
	m.word[7] = f2;
	r = walk_made(&m, leaf + 4, 0, STACK + 16, 0, pc);
	tap(r.n == 3 && r.n_guessed == 1 && pc[1] == f1 && pc[2] == f2,
	    "after a step by frame pointer the CFA follows from where the frame pointer is saved");
#endif
}

static uint64_t seed = 1;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1d >> 16;
}

/* Bytes of which the page after the last, and the page before the first, cannot be read. */
static unsigned char *guarded(const void *bytes, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (n + page - 1) / page * page;
	unsigned char *p = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + page, size, PROT_READ | PROT_WRITE) != 0)
		abort();
	p += page + size - n;
	memcpy(p, bytes, n);
	return p;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Change some bytes of [n], of which one in four to values at the edges. */
static void mutate(unsigned char *p, size_t n)
{
	static const unsigned char edge[] = { 0, 1, 0x7f, 0x80, 0xff, 0x0f, 0x10, 0x16 };

	for (uint64_t k = 1 + rnd() % 4; k > 0; k--)
		p[rnd() % n] = rnd() % 4 ? (unsigned char)rnd() : edge[rnd() % sizeof(edge)];
}

/* Objects made by hand, broken, walked; the bytes lie against pages that cannot be read. */
static void mutations(uint64_t times)
{
	static const unsigned char code[] = { 0x0a, 0x0f, 5,    0x70 + DW_SP, 0, 0x08, 32,   0x22,         0x0b, 0x41,
					      0x0e, 32,   0x10, DW_FP,        2, 0x23, 0x70, 0x80 | DW_RA, 1 };
	struct made m, whole;
	uint64_t ends[UNWIND_N_ENDS] = { 0 }, slowest = 0, pc[64], n_walked = 0;

	for (int round = 0; round < 3; round++) {
		make(&whole, round == 2 ? 0x04 : ENC_FDE, round == 1 ? ENC_OMIT : ENC_TABLE, code, sizeof(code));
		unsigned char *eh = guarded(whole.eh, whole.n);

		m = whole;
		m.obj.eh = eh;
		for (uint64_t i = 0; i < times / 3 + 1; i++) {
			struct unwind_result r;
			uint64_t t = cpu_ns();

			memcpy(eh, whole.eh, whole.n);
			mutate(eh, whole.n);
			m.word[rnd() % 16] = rnd() % 2 ? rnd() : TEXT + rnd() % 1100;
			r = walk_made(&m, TEXT + rnd() % 1100, (uint32_t)(rnd() % 8),
				      rnd() % 2 ? rnd() : STACK + rnd() % 128, f1, pc);
			t = cpu_ns() - t;
			slowest = t > slowest ? t : slowest;
			ends[r.end]++;
			n_walked += r.n >= 1 && r.n <= 64;
			if (i % 16 == 0)
				memcpy(m.word, whole.word, sizeof(m.word));
		}
	}
	for (int i = 0; i < UNWIND_N_ENDS; i++)
		tap_note("%-8s %llu", end_name((enum unwind_end)i), (unsigned long long)ends[i]);
	tap_note("the slowest of %llu walks took %.3f ms", (unsigned long long)n_walked, (double)slowest / 1e6);
	tap(n_walked >= times, "broken CFI gives an end and frames within bounds");
	tap(slowest < 50000000, "broken CFI takes no walk longer than 50 ms");
	tap(ends[UNWIND_BAD_CFI] > 0 && ends[UNWIND_ROOT] > 0 && ends[UNWIND_NO_CFI] > 0,
	    "broken CFI is not always noticed");
}

/* The ELF header and program headers of this program, broken. */
static void headers(uint64_t times)
{
	struct unwind_object object[64], obj;
	uint32_t n = cpi_unwind_snapshot(object, 64);
	uint64_t ok = 0;
	unsigned char *head = guarded((const void *)object[0].lo, 4096), *whole = malloc(4096);

	memcpy(whole, head, 4096);
	for (uint64_t i = 0; i < times; i++) {
		memcpy(head, whole, 4096);
		mutate(head, rnd() % 2 ? 64 : 1024);
		ok += cpi_unwind_object_init_sig(head, 4096, rnd() % 2, LO, HI, rnd() % 2 ? 0 : LO + rnd() % 4096,
						 &obj);
		if (obj.eh && (obj.eh < head || obj.eh + (obj.eh_hi - obj.eh_lo) > head + 4096))
			abort();
	}
	tap(n > 1 && ok > 0 && ok < times, "broken program headers give bytes that are there, or none");
	free(whole);
}

int main(int argc, char **argv)
{
	uint64_t times = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;

	encodings();
	instructions();
	expressions();
	trampoline();
	without_cfi();
	remembering();
	mutations(times);
	headers(times);
	return tap_end();
}
