/*
 * unwind_bytes.c - hand-written call frame information, and random damage
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: unwind_bytes [MUTATIONS]     default 1000000
 *
 * Function 0 is called by function 1, that by 2, and 2 is marked as the outermost.
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

/* Walk from function 3 with these instructions. Returns why it ended; *n: the number of frames. */
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
	tap(three_frames(&m), "functions are found by a table as linkers write it");
	make(&m, ENC_FDE, ENC_OMIT, NULL, 0);
	tap(three_frames(&m), "without a table the entries are searched in order");
	make(&m, ENC_FDE, 0x04, NULL, 0);
	tap(three_frames(&m), "functions are found by a table of absolute 8-byte addresses");
	make(&m, 0x04, ENC_TABLE, NULL, 0);
	tap(three_frames(&m), "functions with absolute addresses are found");
	make(&m, 0x9b, ENC_TABLE, NULL, 0);
	tap(!three_frames(&m), "indirect pointers are refused");
}

static void instructions(void)
{
	uint32_t n;

	tap(END_OF(&n, 0x07, DW_RA) == UNWIND_ROOT && n == 1, "an undefined return address is the root");
	tap(END_OF(&n, 0x3f) == UNWIND_BAD_CFI, "an instruction that does not exist is bad CFI");
	tap(END_OF(&n, 0x0b) == UNWIND_BAD_CFI, "restore without remember is bad CFI");
	tap(END_OF(&n, 0x0a, 0x0a, 0x0a, 0x0a, 0x07, DW_RA) == UNWIND_ROOT, "four states can be remembered");
	tap(END_OF(&n, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x07, DW_RA) == UNWIND_BAD_CFI, "a fifth state is bad CFI");
	tap(END_OF(&n, 0x0a, 0x0e, 127, 0x0b, 0x40 | 17, 0x3f) != UNWIND_BAD_CFI,
	    "instructions after the address are not executed");
	tap(END_OF(&n, 0x0c, 0x3f, 0) == UNWIND_NO_REG, "a CFA by a register that is not tracked ends the walk");
	tap(END_OF(&n, 0x0f, 1, 0x22) == UNWIND_BAD_CFI, "an expression that pops an empty stack is bad CFI");
	tap(END_OF(&n, 0x0f, 9, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30) == UNWIND_BAD_CFI,
	    "an expression that overflows its stack is bad CFI");
	tap(END_OF(&n, 0x0f, 127) == UNWIND_BAD_CFI, "an expression longer than its entry is bad CFI");
	tap(END_OF(&n, 0x0e, 3, 0x80 | DW_RA, 1) == UNWIND_BAD_SP, "a CFA that is not aligned is a bad stack pointer");
	tap(END_OF(&n, 0x0c, DW_FP, 0x80, 0x80, 0x80, 0x01, 0x80 | DW_RA, 1) == UNWIND_OUTSIDE,
	    "a CFA beyond the stack is outside");
}

/* All tests again, with the CFA by an expression: stack pointer + 32. */
static void expressions(void)
{
	static const unsigned char code[] = { 0x0f,  5, 0x70 + DW_SP, 0,    0x08,         32, 0x22, 0x10,
					      DW_FP, 2, 0x23,         0x70, 0x80 | DW_RA, 1 };
	struct made m;
	uint64_t pc[64];
	struct unwind_result r;

	make(&m, ENC_FDE, ENC_TABLE, code, sizeof(code));
	r = walk_made(&m, f3, 0, 0, 0, pc);
	tap(r.n == 3 && pc[1] == f1 && pc[2] == f2 && r.end == UNWIND_ROOT,
	    "a CFA can be an expression with an addition");
}

/* A trampoline without CFI, as in musl and the vDSO of aarch64: recognized by its code. */
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
	/* f0 is the handler; only the registers of the ucontext_t fit on this stack */
	m.word[3] = at;
	memcpy((unsigned char *)&m.word[4] + at_uc, &uc, offsetof(ucontext_t, uc_mcontext) + 31 * 8 + 40);
	m.word[255] = f2;
	r = walk_made(&m, f0, 0, 0, 0, pc);
	tap(r.n == 4 && pc[1] == at + 1 && pc[2] == f1 + 1 && pc[3] == f2 && r.end == UNWIND_ROOT,
	    "the signal trampoline is recognized by its code");
}

/* Two walks with a cache: function 0, then 3 with its CFA by frame pointer, then 1 or the root, 2. */
static void with_cache(void)
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
	struct unwind_source from = { .range = &range, .n_ranges = 1, .find = find_made, .arg = &m, .cache = &cache };
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
	    "a walk reuses equal frames of the previous walk");
	tap(r[2].n == 5 && pc[2][3] == f1 && pc[2][4] == f2, "a changed saved frame pointer leads to other frames");
	tap(r[3].n == 4 && pc[3][3] == f2 && r[3].end == UNWIND_ROOT, "a changed return address leads to other frames");
#endif
}

static void without_cfi(void)
{
	uint64_t leaf = TEXT + 2048, pc[64];
	struct unwind_result r;
	struct made m;

	make(&m, ENC_FDE, ENC_TABLE, NULL, 0);
#if defined(__x86_64__)
	/* f1 calls the leaf; its return address is two words up, above a word that is not an address */
	m.text[256 + 16 - 5] = 0xe8;
	memcpy(&m.text[256 + 16 - 4], &(int32_t){ (int32_t)(leaf - f1) }, 4);
	m.word[0] = 7;
	m.word[1] = f1;
	m.word[5] = f2;
	r = walk_made(&m, leaf + 4, 0, 0, 0, pc);
	tap(r.n == 3 && r.n_guessed == 1 && pc[1] == f1 && pc[2] == f2,
	    "a function without CFI is left by the return address of a direct call");
	m.text[256 + 16 - 5] = 0x90;
	r = walk_made(&m, leaf + 4, 0, 0, 0, pc);
	tap(r.n == 1 && r.end == UNWIND_NO_CFI, "a value that no call pushed is not taken for a return address");
#else
	memcpy(&m.text[256 + 16 - 4], &(uint32_t){ 0x94000000 | ((leaf - (f1 - 4)) / 4 & 0x3ffffff) }, 4);
	m.word[3] = f2;
	r = walk_made(&m, leaf + 4, 0, 0, f1, pc);
	tap(r.n == 3 && r.n_guessed == 1 && pc[1] == f1 && pc[2] == f2,
	    "the caller of a leaf without CFI is found in x30");
	m.word[3] = f1;
	m.word[2] = STACK + 48;
	m.word[6] = 0;
	m.word[7] = f2;
	r = walk_made(&m, leaf + 4, 0, STACK + 16, 0, pc);
	tap(r.n == 3 && r.n_guessed == 1 && pc[1] == f1 && pc[2] == f2,
	    "after a step by frame pointer the CFA follows from where the frame pointer is saved");
#endif
}

#if defined(__x86_64__)
/* Put a direct call before a return address. */
static void put_call(struct made *m, uint64_t ra, uint64_t target)
{
	m->text[ra - TEXT - 5] = 0xe8;
	memcpy(&m->text[ra - TEXT - 4], &(int32_t){ (int32_t)(target - ra) }, 4);
}
#endif

/* f0 was called from code outside all objects, without a frame pointer. */
static void generated_code(void)
{
#if defined(__x86_64__)
	const uint64_t generated = 0x12345000;
	uint64_t pc[64];
	struct unwind_result r;
	struct made m;

	make(&m, ENC_FDE, ENC_TABLE, NULL, 0);
	put_call(&m, f1, TEXT + 4096);
	put_call(&m, f3, TEXT);
	memset(m.word, 0, sizeof(m.word));
	m.word[1] = f3; /* a stale return address of f0 */
	m.word[3] = generated;
	m.word[5] = f1;
	m.word[9] = f2;
	r = walk_made(&m, f0, 0, 0, 0, pc);
	tap(r.n == 4 && r.end == UNWIND_ROOT && pc[1] == generated && pc[2] == f1 && pc[3] == f2,
	    "a generated trampoline is left by the return address of its caller");
	tap(r.n_guessed == 1, "and its frame is counted as guessed");
	m.word[5] = 0;
	m.word[8] = f1;
	r = walk_made(&m, f0, 0, 0, 0, pc);
	tap(r.n == 2 && r.end == UNWIND_NO_CFI, "words further up are not searched");
	m.word[8] = 0;
	m.word[5] = f3;
	m.word[6] = f2;
	r = walk_made(&m, f0, 0, 0, 0, pc);
	tap(r.n == 3 && pc[1] == f3 && pc[2] == f2, "a push that CFI lacks is repaired by a call of the function");
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

/* Memory with inaccessible pages before and after it. */
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

/* Change some of n bytes, one in four to an edge value. */
static void mutate(unsigned char *p, size_t n)
{
	static const unsigned char edge[] = { 0, 1, 0x7f, 0x80, 0xff, 0x0f, 0x10, 0x16 };

	for (uint64_t k = 1 + rnd() % 4; k > 0; k--)
		p[rnd() % n] = rnd() % 4 ? (unsigned char)rnd() : edge[rnd() % sizeof(edge)];
}

/* Damage hand-written objects and walk with them; their bytes are next to inaccessible pages. */
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
	tap(n_walked >= times, "damaged CFI ends walks with frames within bounds");
	tap(slowest < 50000000, "no walk with damaged CFI takes longer than 50 ms");
	tap(ends[UNWIND_BAD_CFI] > 0 && ends[UNWIND_ROOT] > 0 && ends[UNWIND_NO_CFI] > 0,
	    "walks with damaged CFI end in different ways");
}

/* Damage the ELF header and program headers of this program. */
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
	tap(n > 1 && ok > 0 && ok < times, "damaged program headers are read within bounds");
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
	generated_code();
	with_cache();
	mutations(times);
	headers(times);
	return tap_end();
}
