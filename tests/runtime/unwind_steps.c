/*
 * unwind_steps.c - walk at every instruction of a call, and compare with a shadow stack of return addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * x86-64 only: the trap flag raises a signal after each instruction. After a call instruction its return address is
 * pushed on the shadow stack; entries below the stack pointer are removed. A walk must return the shadow stack, also
 * in prologues, epilogues, PLT stubs, the lazy resolver, assembly of libc, and the vDSO. The shadow stack does not
 * depend on CFI. Arguments are libraries with a function no_cfi, which are stepped through first.
 */
#include "config.h"

#include "libcpaprof/target/sys.h"
#include "tap.h"
#include "unwind_here.h"

#include <dlfcn.h>
#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>

enum { TRAP_FLAG = 0x100, N_CALLS = 4096, N_SHOWN = 4 };

struct call {
	uint64_t slot, ra;
};

static struct call calls[N_CALLS]; /* outermost first */
static uint32_t n_calls, n_base;
static uint64_t base[MAX_FRAMES]; /* frames of step_through and above */
static uint64_t last_pc, last_sp;
static uint64_t n_steps, n_equal, n_peeked, n_guessed;
static int n_shown;
static bool stepping;
static struct unwind_range stack;
static struct unwind_rule rules[1024];
static struct unwind_frame frames[2][512];
static struct unwind_cache cache = {
	.frame = frames[0], .fresh = frames[1], .max_frames = 512, .rule = rules, .mask = 1023
};
static struct unwind_source from = { .range = &stack, .n_ranges = 1, .find = cpi_unwind_find_sig };

static void note_call(uint64_t pc, uint64_t sp)
{
	uint64_t top;

	while (n_calls > 0 && calls[n_calls - 1].slot < sp)
		n_calls--;
	if (last_pc == 0 || sp != last_sp - 8)
		return;
	memcpy(&top, (void *)sp, 8);
	if (top > last_pc && top <= last_pc + 8 && (pc < last_pc || pc > top) && n_calls < N_CALLS)
		calls[n_calls++] = (struct call){ sp, top };
}

static bool equal(const struct walked *w, uint64_t pc)
{
	if (w->r.n != 1 + n_calls + n_base || w->pc[0] != pc)
		return false;
	for (uint32_t i = 0; i < n_calls; i++)
		if (w->pc[1 + i] != calls[n_calls - 1 - i].ra)
			return false;
	return memcmp(&w->pc[1 + n_calls], base, 8 * n_base) == 0;
}

static void show(const struct walked *w, uint64_t pc)
{
	Dl_info info = { 0 };

	dladdr((void *)pc, &info);
	tap_note("%s %s+%lx: %u frames and %s, want %u", info.dli_fname, info.dli_sname ? info.dli_sname : "?",
		 (long)(pc - (uint64_t)(info.dli_sname ? info.dli_saddr : info.dli_fbase)), w->r.n, end_name(w->r.end),
		 1 + n_calls + n_base);
	for (uint32_t i = 0; i < w->r.n && i < 6; i++)
		tap_note("    %lx%s%lx", (long)w->pc[i], i ? " want " : " at ",
			 (long)(i && i <= n_calls ? calls[n_calls - i].ra : pc));
}

static void on_trap(int sig, siginfo_t *info, void *arg)
{
	static struct walked w, peeked;
	ucontext_t *uc = arg;
	struct unwind_regs regs;
	uint64_t pc, sp;

	(void)sig;
	(void)info;
	if (!stepping) {
		uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	cpi_unwind_regs_sig(arg, &regs);
	pc = regs.pc;
	sp = regs.r[UNWIND_SP];
	note_call(pc, sp);
	last_pc = pc;
	last_sp = sp;
	if (n_calls == 0) /* stepping has started, but not the call */
		return;
	cpi_unwind_walk_sig(&from, &regs, w.pc, MAX_FRAMES, &w.r);
	n_steps++;
	n_guessed += w.r.n_guessed != 0;
	if (equal(&w, pc))
		n_equal++;
	else if (n_shown++ < N_SHOWN)
		show(&w, pc);
	cpi_unwind_regs_of_pc_sp_sig(pc, sp, &regs);
	cpi_unwind_walk_sig(&from, &regs, peeked.pc, MAX_FRAMES, &peeked.r);
	n_peeked += equal(&peeked, pc);
}

/* The number of frames above the caller. */
static void find_base(const struct walked *w)
{
	n_base = w->r.n - 1;
	memcpy(base, &w->pc[1], 8 * n_base);
}

static void on_base(int sig, siginfo_t *info, void *uc)
{
	static struct walked w;
	struct unwind_regs regs;

	(void)sig;
	(void)info;
	cpi_unwind_regs_sig(uc, &regs);
	cpi_unwind_walk_sig(&from, &regs, w.pc, MAX_FRAMES, &w.r);
	find_base(&w);
}

static struct sigaction handler(void (*fn)(int, siginfo_t *, void *))
{
	struct sigaction sa = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	return sa;
}

/* Call fn with the trap flag set. The frame of this function is the last base frame. */
__attribute__((noinline)) static void step_through(void (*fn)(void))
{
	struct sigaction at_base = handler(on_base), at_trap = handler(on_trap);

	n_calls = n_shown = 0;
	n_steps = n_equal = n_peeked = n_guessed = last_pc = 0;
	sigaction(SIGTRAP, &at_base, NULL);
	__asm__ volatile("int3" ::: "memory");
	sigaction(SIGTRAP, &at_trap, NULL);
	stepping = true;
	__asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tnop\n\tnop" ::: "memory", "cc");
	fn();
	stepping = false;
	__asm__ volatile("nop" ::: "memory");
}

/* Step through fn. At least `share` of the walks must be right; share_peeked is for walks without a frame pointer. */
static void test(const char *name, void (*fn)(void), double share, double share_peeked)
{
	char text[256];
	double all;

	from.cache = from.arg = NULL;
	step_through(fn);
	all = n_steps ? (double)n_steps : 1;
	tap_note("%s: %lu instructions, %.3f%% equal, %.3f%% without frame pointer, %lu guessed", name, (long)n_steps,
		 100 * (double)n_equal / all, 100 * (double)n_peeked / all, (long)n_guessed);
	snprintf(text, sizeof(text), "every instruction of %s has the right callers", name);
	tap(n_steps > 3 && (double)n_equal >= share * all, text);
	if (share_peeked > 0) {
		snprintf(text, sizeof(text), "%s has the right callers when read from outside", name);
		tap((double)n_peeked >= share_peeked * all, text);
	}
	from.cache = from.arg = &cache;
	step_through(fn);
	snprintf(text, sizeof(text), "%s has the right callers with a cache of rules", name);
	tap(n_steps > 3 && (double)n_equal >= share * (double)n_steps, text);
}

/* Hand-written functions f_NAME(void), with CFI as compilers write it, except where noted. */
__asm__(".text\n"
	"f_frame:\n.cfi_startproc\n"
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\n"
	"mov %rsp, %rbp\n.cfi_def_cfa_register 6\n"
	"push %rbx\n.cfi_offset 3, -24\nsub $24, %rsp\n"
	"xor %ebx, %ebx\n"
	"call f_leaf\n"
	"call f_no_cfi\n"
	"call f_epilogue\n"
	"add $24, %rsp\npop %rbx\npop %rbp\n.cfi_def_cfa 7, 8\nret\n.cfi_endproc\n"

	"f_leaf:\n.cfi_startproc\nlea 1(%rdi), %rax\nnop\nret\n.cfi_endproc\n"

	/* without CFI, with an unchanged stack pointer */
	"f_no_cfi:\nxor %eax, %eax\nadd $3, %eax\nret\n"

	/* pops without CFI of their effect on registers, as in gcc; then their slots are reused */
	"f_epilogue:\n.cfi_startproc\n"
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\n"
	"push %rbx\n.cfi_def_cfa_offset 24\n.cfi_offset 3, -24\n"
	"xor %ebp, %ebp\nxor %ebx, %ebx\nnop\n"
	"pop %rbx\n.cfi_def_cfa_offset 16\npop %rbp\n.cfi_def_cfa_offset 8\n"
	"movq $-1, -8(%rsp)\nmovq $-1, -16(%rsp)\nnop\nret\n.cfi_endproc\n"

	"f_alloca:\n.cfi_startproc\n"
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\nmov %rsp, %rbp\n.cfi_def_cfa_register 6\n"
	"mov $400, %ecx\nsub %rcx, %rsp\nand $-64, %rsp\n"
	"movq $-8, (%rsp)\nmovq $0, 8(%rsp)\ncall f_leaf\n"
	"leave\n.cfi_def_cfa 7, 8\nret\n.cfi_endproc\n"

	/* a tail call at the end, without a frame */
	"f_tail:\n.cfi_startproc\nsub $8, %rsp\n.cfi_def_cfa_offset 16\ncall f_leaf\n"
	"add $8, %rsp\n.cfi_def_cfa_offset 8\njmp f_epilogue\n.cfi_endproc\n"

	/* two exits, with remember and restore */
	"f_two_ways:\n.cfi_startproc\npush %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset 3, -16\n"
	"xor %ebx, %ebx\ntest %ebx, %ebx\nje 1f\n"
	".cfi_remember_state\npop %rbx\n.cfi_restore 3\n.cfi_def_cfa_offset 8\nret\n"
	"1: .cfi_restore_state\nmov $2, %ebx\npop %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"

	/* a stack aligned for vectors as in gcc: the CFA by r10, then by an expression */
	"f_aligned:\n.cfi_startproc\n"
	"lea 8(%rsp), %r10\n.cfi_def_cfa 10, 0\nand $-64, %rsp\n"
	"push -8(%r10)\npush %rbp\n"
	"mov %rsp, %rbp\n.cfi_escape 0x10,0x6,0x2,0x76,0x0\n"
	"push %r10\n.cfi_escape 0xf,0x3,0x76,0x78,0x6\n"
	"sub $72, %rsp\ncall f_leaf\nadd $72, %rsp\n"
	"pop %r10\n.cfi_def_cfa 10, 0\npop %rbp\nlea -8(%r10), %rsp\n.cfi_def_cfa 7, 8\nret\n.cfi_endproc\n"

	/* the CFA by rbx, as in the lazy resolver, through a function that saves rbx and one that does not */
	"f_by_rbx:\n.cfi_startproc\npush %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset 3, -16\n"
	"mov %rsp, %rbx\n.cfi_def_cfa_register 3\nand $-64, %rsp\nsub $128, %rsp\n"
	"call f_epilogue\ncall f_leaf\ncall f_alloca\n"
	"mov %rbx, %rsp\n.cfi_def_cfa_register 7\npop %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"

	/* a PLT stub, with its expression */
	"f_stub:\n.cfi_startproc\nsub $8, %rsp\n.cfi_def_cfa_offset 16\ncall 2f\nadd $8, %rsp\n.cfi_def_cfa_offset "
	"8\nret\n"
	".cfi_endproc\n"
	".p2align 4\n"
	"1: .cfi_startproc\n.cfi_def_cfa_offset 16\nnop\nadd $8, %rsp\n.cfi_def_cfa_offset 8\nnop\nret\n.cfi_endproc\n"
	".p2align 4\n"
	"2: .cfi_startproc\n"
	".cfi_escape 0xf,0xb,0x77,0x8,0x80,0x0,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22\n"
	"nop\nnop\nnop\nnop\nnop\nnop\n.byte 0x68, 7, 0, 0, 0\njmp 1b\n.cfi_endproc\n");

void f_frame(void);
void f_alloca(void);
void f_tail(void);
void f_two_ways(void);
void f_aligned(void);
void f_by_rbx(void);
void f_stub(void);

static volatile uint64_t sink;

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void in_qsort(void)
{
	int v[60];

	for (int i = 0; i < 60; i++)
		v[i] = i * 37 % 61;
	qsort(v, 60, sizeof(int), by_value);
	sink += (uint64_t)v[3];
}

static void in_printf(void)
{
	char text[200];
	wchar_t wide[50];

	snprintf(text, sizeof(text), "%g %s %5d %a %.20f", 1.5e300, "text", 42, 0.1, 1e20);
	swprintf(wide, 50, L"%d %f", 3, 0.5);
	sink += strtoul("123456", NULL, 10) + (uint64_t)strtod(text, NULL);
}

static void in_strings(void)
{
	char a[600], b[600];

	memset(a, 'x', sizeof(a));
	a[599] = 0;
	for (size_t i = 1; i < 600; i += 37) {
		memcpy(b, a, i);
		memmove(b + 3, b, i / 2);
		sink += strlen(a + i) + (uint64_t)memcmp(a, b, i) + (uint64_t)(strchr(a, 'y') != NULL);
	}
}

static void in_regex(void)
{
	regex_t re;

	if (regcomp(&re, "(a|b)*c[0-9]+", REG_EXTENDED) == 0) {
		sink += (uint64_t)regexec(&re, "abababc123", 0, NULL, 0);
		regfree(&re);
	}
}

static void in_vdso(void)
{
	struct timespec t;

	for (int i = 0; i < 5; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sink += (uint64_t)t.tv_nsec + (uint64_t)time(NULL);
	}
}

static void in_malloc(void)
{
	void *p[50];

	for (size_t i = 0; i < 50; i++)
		p[i] = malloc(i * 977);
	for (size_t i = 0; i < 50; i++)
		free(p[i]);
}

static jmp_buf env;

__attribute__((noinline)) static void jump_out(int n)
{
	if (n > 0)
		jump_out(n - 1);
	if (n == 0)
		longjmp(env, 1);
	sink++;
}

static void in_longjmp(void)
{
	for (volatile int i = 0; i < 5; i++)
		if (setjmp(env) == 0)
			jump_out(i);
}

/* Symbols are bound while this runs, through the lazy resolver if the program is linked with lazy binding. */
static void in_loader(void)
{
	void *lib = dlopen("libresolv.so.2", RTLD_LAZY);

	if (lib) {
		sink += (uint64_t)dlsym(lib, "ns_get16");
		dlclose(lib);
	}
}

/* First calls of functions that are not called elsewhere. */
static void in_resolver(void)
{
	sink += (uint64_t)getppid() + (uint64_t)labs(-3) + (uint64_t)(cbrt(27.0) + tgamma(4.5) + fma(1.5, 2, 3));
}

/* Step through no_cfi of this library. */
static void test_library(const char *path)
{
	void *lib = dlopen(path, RTLD_LAZY);
	void (*fn)(void) = lib ? (void (*)(void))dlsym(lib, "no_cfi") : NULL;

	if (fn)
		test("functions without call frame information", fn, 0.99, 0);
	else
		tap(false, dlerror());
}

int main(int argc, char **argv)
{
	static unsigned char alternate[1 << 16];
	stack_t ss = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

	cpi_unwind_init(sys_is_mapped);
	stack = this_stack();
	sigaltstack(&ss, NULL);
	for (int i = 1; i < argc; i++)
		test_library(argv[i]);
	test("frames, leaves and an epilogue", f_frame, 1, 0);
	test("alloca", f_alloca, 1, 0);
	test("a tail call", f_tail, 1, 1);
	test("two exits", f_two_ways, 1, 1);
	/* at two instructions rbp is popped already, but the CFI of gcc still uses it */
	test("an aligned stack", f_aligned, 0.85, 0);
	test("a CFA by rbx", f_by_rbx, 1, 0);
	test("a PLT stub", f_stub, 1, 1);
	test("the lazy resolver", in_resolver, 1, 0);
	test("qsort", in_qsort, 1, 0);
	test("printf and strtod", in_printf, 0.999, 0);
	test("memcpy and strlen", in_strings, 1, 0);
	test("regcomp", in_regex, 0.999, 0.99);
	test("the vDSO", in_vdso, 1, 0);
	test("malloc", in_malloc, 0.999, 0.99);
	/* CFI marks the end of longjmp as outermost */
	test("longjmp", in_longjmp, 0.9, 0);
	test("dlopen", in_loader, 0.999, 0.98);
	return tap_end();
}
