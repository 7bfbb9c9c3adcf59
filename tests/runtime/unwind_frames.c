/*
 * unwind_frames.c - walk from signals through functions that record their return addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each function on the way pushes its return address on a list. A walk must return that list, and then the frames above
 * main.
 */
#include "config.h"

#include "libcpaprof/target/sys.h"
#include "tap.h"
#include "unwind_here.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { N_NOTED = 4096 };

static uint64_t noted[N_NOTED]; /* return addresses, outermost first */
static int n_noted;
static struct walked last, outer;
static struct unwind_range ranges[3];
static struct unwind_source from = { .range = ranges, .n_ranges = 1, .find = cpi_unwind_find_sig };
static uint32_t max_frames = MAX_FRAMES;
static void (*before_walk)(struct unwind_regs *);
static uint32_t n_checks; /* system calls that check that an object is mapped */

static bool check_mapped(uint64_t addr)
{
	n_checks++;
	return sys_is_mapped(addr);
}

#define NOTE() (noted[n_noted++] = (uint64_t)__builtin_extract_return_addr(__builtin_return_address(0)))
#define FORGET() (n_noted--)

static void on_signal(int sig, siginfo_t *info, void *uc)
{
	struct unwind_regs regs;

	(void)sig;
	(void)info;
	cpi_unwind_regs_sig(uc, &regs);
	if (before_walk)
		before_walk(&regs);
	cpi_unwind_walk_sig(&from, &regs, last.pc, max_frames, &last.r);
}

/*
 * Raise the signal here; the frames of raise are first in a walk. Through a pointer, because raise is declared as a
 * leaf function, and the compiler would assume that it does not change data of this file.
 */
static int (*volatile raise_here)(int) = raise;

static void sample(void)
{
	raise_here(SIGUSR1);
}

/* Is the last walk, from frame i on, the recorded list, innermost first, and then the frames above main? */
static bool continues_as_recorded(uint32_t i)
{
	uint32_t above = 0;

	while (above < outer.r.n && outer.pc[above] != noted[0])
		above++;
	if (last.r.end != UNWIND_ROOT || last.r.n - i != (uint32_t)n_noted + outer.r.n - above - 1)
		return false;
	for (int k = n_noted; k-- > 0; i++)
		if (last.pc[i] != noted[k])
			return false;
	return memcmp(&last.pc[i], &outer.pc[above + 1], 8 * (outer.r.n - above - 1)) == 0;
}

static bool equals_recorded(void)
{
	uint32_t i = 0;

	while (i < last.r.n && last.pc[i] != noted[n_noted - 1])
		i++;
	if (i < 7 && continues_as_recorded(i))
		return true;
	tap_note("%u frames, end: %s", last.r.n, end_name(last.r.end));
	for (uint32_t f = 0; f < last.r.n && f < 40; f++)
		tap_note("  %llx", (unsigned long long)last.pc[f]);
	for (int f = n_noted; f-- > 0 && f > n_noted - 40;)
		tap_note("  recorded %llx", (unsigned long long)noted[f]);
	return false;
}

static volatile int sink;

__attribute__((noinline)) static void leaf_call(void)
{
	NOTE();
	sample();
	FORGET();
	sink++;
}

__attribute__((noinline)) static void with_alloca(int n)
{
	volatile char *p = __builtin_alloca((size_t)n);

	NOTE();
	p[0] = 1;
	leaf_call();
	p[n - 1] = 1;
	FORGET();
}

/* clang uses a frame pointer only in functions with alloca */
#if defined(__clang__)
#define FRAME_POINTER
#else
#define FRAME_POINTER __attribute__((optimize("no-omit-frame-pointer")))
#endif

__attribute__((noinline)) FRAME_POINTER static void with_fp(int n)
{
	NOTE();
	with_alloca(n);
	FORGET();
	sink++;
}

__attribute__((noinline)) static void recursion(int n)
{
	NOTE();
	if (n > 1)
		recursion(n - 1);
	else
		leaf_call();
	FORGET();
	sink++;
}

static bool result; /* result of the comparison, which is made while the list is complete */

static void compare(struct unwind_regs *regs)
{
	struct unwind_regs copy = *regs;

	cpi_unwind_walk_sig(&from, &copy, last.pc, max_frames, &last.r);
	result = equals_recorded();
}

__attribute__((noinline)) static bool run(void (*fn)(int), int arg)
{
	result = false;
	before_walk = compare;
	NOTE();
	fn(arg);
	FORGET();
	before_walk = NULL;
	return result;
}

static jmp_buf env;

__attribute__((noinline)) static void jumps(int n)
{
	volatile int depth = n_noted;

	NOTE();
	for (volatile int i = 0; i < n; i++)
		if (setjmp(env) == 0) {
			NOTE();
			FORGET();
			with_alloca(64 + i);
			longjmp(env, 1);
		}
	leaf_call();
	n_noted = depth;
}

/* A coroutine on its own stack of 8 KiB: the frames of the signal are on the alternate stack. */
static ucontext_t main_uc, fiber_uc;
static int fiber_base;
static struct walked in_fiber;

static void fiber_compare(struct unwind_regs *regs)
{
	struct unwind_regs copy = *regs;
	uint32_t i = 0, k = 0;

	cpi_unwind_walk_sig(&from, &copy, in_fiber.pc, max_frames, &in_fiber.r);
	while (i < in_fiber.r.n && in_fiber.pc[i] != noted[n_noted - 1])
		i++;
	while (i + k < in_fiber.r.n && k < (uint32_t)(n_noted - fiber_base) &&
	       in_fiber.pc[i + k] == noted[n_noted - 1 - (int)k])
		k++;
	result = k == (uint32_t)(n_noted - fiber_base) && i < 7;
	tap_note("%u frames, %u above raise, end: %s", in_fiber.r.n, i, end_name(in_fiber.r.end));
}

static void fiber(void)
{
	fiber_base = n_noted;
	NOTE();
	with_fp(100);
	n_noted = fiber_base;
}

static bool run_fiber(bool known)
{
	static _Alignas(16) unsigned char stack[8192];

	result = false;
	ranges[1] = (struct unwind_range){ (uint64_t)stack, (uint64_t)stack + sizeof(stack), stack };
	from.n_ranges = known ? 2 : 1;
	getcontext(&fiber_uc);
	fiber_uc.uc_stack.ss_sp = stack;
	fiber_uc.uc_stack.ss_size = sizeof(stack);
	fiber_uc.uc_link = &main_uc;
	makecontext(&fiber_uc, fiber, 0);
	before_walk = fiber_compare;
	swapcontext(&main_uc, &fiber_uc);
	before_walk = NULL;
	from.n_ranges = 1;
	return result;
}

static void *thread(void *arg)
{
	struct unwind_range in_main = ranges[0];

	ranges[0] = this_stack();
	fiber();
	ranges[0] = in_main;
	return arg;
}

static bool run_thread(void)
{
	pthread_t t;

	result = false;
	before_walk = fiber_compare;
	if (pthread_create(&t, NULL, thread, NULL) != 0 || pthread_join(t, NULL) != 0)
		return false;
	before_walk = NULL;
	return result && in_fiber.r.end == UNWIND_ROOT;
}

/* A handler of the program on the alternate stack, which is sampled, too. */
static unsigned char alternate[65536];
static uint64_t interrupted_pc;

static void on_program_signal(int sig, siginfo_t *info, void *uc)
{
	struct unwind_regs regs;

	(void)sig;
	(void)info;
	cpi_unwind_regs_sig(uc, &regs);
	interrupted_pc = regs.pc;
	sample();
}

static bool seen_interrupted;

static void signal_compare(struct unwind_regs *regs)
{
	struct unwind_regs copy = *regs;
	uint32_t i = 0;

	cpi_unwind_walk_sig(&from, &copy, last.pc, max_frames, &last.r);
	while (i < last.r.n && last.pc[i] != interrupted_pc + 1)
		i++;
	tap_note("handler: %u frames, the interrupted one is number %u, end: %s", last.r.n, i, end_name(last.r.end));
	seen_interrupted = i >= 4;
	while (i < last.r.n && last.pc[i] != noted[n_noted - 1])
		i++;
	result = seen_interrupted && i < last.r.n && continues_as_recorded(i);
}

__attribute__((noinline)) static void interrupted(int sig)
{
	NOTE();
	raise_here(sig);
	FORGET();
	sink++;
}

__attribute__((noinline)) static bool run_interrupted(bool on_alternate)
{
	struct sigaction sa = { .sa_sigaction = on_program_signal, .sa_flags = SA_SIGINFO };

	NOTE();
	if (on_alternate)
		sa.sa_flags |= SA_ONSTACK;
	ranges[1] = (struct unwind_range){ (uint64_t)alternate, (uint64_t)alternate + sizeof(alternate), alternate };
	from.n_ranges = 2;
	sigaction(SIGUSR2, &sa, NULL);
	result = false;
	before_walk = signal_compare;
	interrupted(SIGUSR2);
	before_walk = NULL;
	from.n_ranges = 1;
	FORGET();
	return result;
}

/* The trampoline of qemu is not in an object, unlike those of the kernel and libc. */
static void tap_interrupted(bool ok, const char *name)
{
	for (uint32_t i = 1; !ok && i < last.r.n; i++) {
		struct unwind_object room;

		if (!cpi_unwind_find_sig(NULL, last.pc[i], &room)) {
			tap_skip(name, "the signal trampoline is not in an object here");
			return;
		}
	}
	tap(ok, name);
}

static bool recursion_is_cut(void)
{
	bool ok;

	max_frames = 254;
	recursion(1000);
	ok = last.r.end == UNWIND_FULL && last.r.n == 254 && last.pc[253] == last.pc[100];
	max_frames = MAX_FRAMES;
	return ok;
}

/* A copy of the stack at another address, as when the stack of a waiting thread is read. */
static unsigned char *copied;

/* Copy without memcpy, which the sanitizer would stop at redzones. */
__attribute__((no_sanitize("address"), noinline)) static void copy_all(unsigned char *to, const void *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile unsigned char *)to)[i] = ((const volatile unsigned char *)at)[i];
}

static void copy_and_compare(struct unwind_regs *regs)
{
	struct unwind_range in_place = ranges[0];
	uint64_t n = in_place.hi - regs->r[UNWIND_SP];
	struct unwind_regs copy;

	copied = malloc(n);
	copy_all(copied, (const void *)regs->r[UNWIND_SP], n);
	ranges[0] = (struct unwind_range){ regs->r[UNWIND_SP], in_place.hi, copied };
	cpi_unwind_regs_of_pc_sp_sig(regs->pc, regs->r[UNWIND_SP], &copy);
	cpi_unwind_walk_sig(&from, &copy, last.pc, max_frames, &last.r);
	result = equals_recorded();
	ranges[0] = in_place;
	free(copied);
}

__attribute__((noinline)) static bool run_copied(void)
{
	result = false;
	before_walk = copy_and_compare;
	NOTE();
	with_fp(1000);
	FORGET();
	before_walk = NULL;
	return result;
}

/* Objects whose bytes are at other addresses, as for another process. */
__attribute__((noinline)) static bool run_moved(void)
{
	struct unwind_object object[64];
	uint32_t n = cpi_unwind_snapshot(object, 64);
	struct unwind_table table = { .n = n, .object = object };
	unsigned char *eh[64], *text[64];
	bool ok;

	for (uint32_t i = 0; i < n; i++) {
		size_t size = object[i].eh_hi - object[i].eh_lo, code = object[i].text_hi - object[i].text_lo;

		eh[i] = malloc(size + 1);
		text[i] = malloc(code + 1);
		if (object[i].eh)
			copy_all(eh[i], object[i].eh, size);
		if (object[i].text)
			copy_all(text[i], object[i].text, code);
		object[i].eh = object[i].eh ? eh[i] : NULL;
		object[i].text = object[i].text ? text[i] : NULL;
	}
	from.find = cpi_unwind_table_find_sig;
	from.arg = &table;
	NOTE();
	ok = run(with_fp, 500);
	FORGET();
	from.find = cpi_unwind_find_sig;
	from.arg = NULL;
	for (uint32_t i = 0; i < n; i++) {
		free(eh[i]);
		free(text[i]);
	}
	return ok;
}

__attribute__((noinline)) static bool run_snapshot(void)
{
	static struct unwind_object object[64];
	static struct unwind_table table = { .object = object };
	bool ok;

	table.n = cpi_unwind_snapshot(object, 64);
	cpi_unwind_publish(&table);
	cpi_unwind_use_dl_find_object(false);
	NOTE();
	ok = run(with_fp, 500);
	FORGET();
	cpi_unwind_use_dl_find_object(true);
	return ok;
}

static uint32_t n_cached_objects(const struct unwind_cache *cache)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < UNWIND_CACHE_OBJECTS; i++)
		n += cache->object[i].lo != 0;
	return n;
}

/* A second walk needs no system call, unless rules or the objects of program and C library have the same slot. */
__attribute__((noinline)) static bool run_cached(void)
{
	static struct unwind_rule rules[1024];
	static struct unwind_frame frames[2][256];
	static struct unwind_cache cache = {
		.rule = rules, .mask = 1023, .frame = frames[0], .fresh = frames[1], .max_frames = 256
	};
	volatile int times = 2; /* an unrolled loop would have two return addresses */
	uint32_t checks = 0, misses = 0;
	bool ok;

	from.cache = from.arg = &cache;
	NOTE();
	ok = run(with_fp, 500) && run(with_fp, 100);
	for (int i = 0; i < times; i++) {
		checks = n_checks;
		misses = cache.n_miss;
		ok = ok && run(recursion, 50);
	}
	FORGET();
	from.cache = from.arg = NULL;
	ok = ok && (n_checks == checks || cache.n_miss > misses || n_cached_objects(&cache) < 2);
	return ok && cache.n_hit > 50 && cache.n_miss > 0 && (cache.n_same > 10 || UNWIND_SAVED == 1);
}

/* With random frame and stack pointers a walk must not crash, and must report why it ended. */
static uint32_t n_fuzzed;

static void fuzz_regs(struct unwind_regs *regs)
{
	static const uint64_t odd[] = {
		0, 1, 7, 8, (uint64_t)-1, (uint64_t)-8, (uint64_t)-16, (uint64_t)1 << 63, 4096
	};
	uint64_t value[64], n = 0, sp = regs->r[UNWIND_SP], hi = ranges[0].hi;

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		value[n++] = odd[i];
	for (uint64_t d = 0; d < 4; d++) {
		value[n++] = hi - 8 * d;
		value[n++] = hi - 8 * d - 1;
		value[n++] = sp - 8 * d;
		value[n++] = sp + 8 * d;
		value[n++] = hi + 4096 * d;
	}
	for (uint64_t i = 0; i < n; i++)
		for (int reg = 0; reg < UNWIND_REGS; reg++) {
			struct unwind_regs copy = *regs;

			copy.r[reg] = value[i];
			cpi_unwind_walk_sig(&from, &copy, last.pc, max_frames, &last.r);
			n_fuzzed += last.r.n > 0 && last.r.end < UNWIND_N_ENDS;
		}
}

static bool run_fuzzed(void)
{
	uint32_t want = 0;

	n_fuzzed = 0;
	before_walk = fuzz_regs;
	with_fp(100);
	with_alloca(100);
	recursion(20);
	before_walk = NULL;
	want = 3 * (9 + 4 * 5) * UNWIND_REGS;
	tap_note("%u of %u walks from random registers", n_fuzzed, want);
	return n_fuzzed == want;
}

/* The stack used by a walk, compared with an empty handler. */
static bool sleeping_handler;

static void on_measured(int sig, siginfo_t *info, void *uc)
{
	static struct unwind_regs regs;

	(void)sig;
	(void)info;
	if (sleeping_handler)
		return;
	cpi_unwind_regs_sig(uc, &regs);
	cpi_unwind_walk_sig(&from, &regs, last.pc, max_frames, &last.r);
}

static size_t depth_of_handler(void)
{
	size_t i = 0;

	memset(alternate, 0xa5, sizeof(alternate));
	raise_here(SIGUSR2);
	while (i < sizeof(alternate) && alternate[i] == 0xa5)
		i++;
	return sizeof(alternate) - i;
}

static size_t stack_of_a_walk(void)
{
	struct sigaction sa = { .sa_sigaction = on_measured, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	size_t idle, busy;

	sigaction(SIGUSR2, &sa, NULL);
	sleeping_handler = true;
	idle = depth_of_handler();
	sleeping_handler = false;
	busy = depth_of_handler();
	return busy - idle;
}

__attribute__((noinline)) static void tests(void)
{
	size_t bytes;

	NOTE();
	tap(run(with_alloca, 1000), "a function with alloca and all its callers are found");
	tap(run(with_fp, 64), "functions with and without a frame pointer are all found");
	tap(run(recursion, 1), "one recursive call is one frame");
	tap(run(recursion, 1000), "a recursion of 1000 calls is 1000 frames");
	tap(recursion_is_cut(), "a recursion is truncated at the limit, which is reported");
	tap(run_copied(), "a copy of a stack without a known frame pointer has the same frames");
	tap(run(jumps, 5), "after longjmp the skipped frames are gone");
	tap(run_fiber(true), "frames of a coroutine on a stack of 8 KiB are found");
	tap(in_fiber.r.end == UNWIND_ROOT, "a coroutine ends at the root");
	tap(!run_fiber(false) && in_fiber.r.n == 1 && in_fiber.r.end == UNWIND_OUTSIDE,
	    "on an unknown stack there is one frame, and the walk ends outside");
	tap(run_thread(), "a walk of a thread finds its frames and ends at the root");
	tap_interrupted(run_interrupted(false), "a walk continues through a handler of the program");
	tap_interrupted(run_interrupted(true), "a walk continues through a handler on the alternate stack");
	tap(run_moved(), "objects whose bytes are at other addresses give the same frames");
	tap(run_snapshot(), "a walk with a snapshot of the objects finds the same frames as with _dl_find_object");
	tap(run_cached(),
	    "a walk with a cache of rules finds the same frames, and a repeated one without a system call");
	tap(run_fuzzed(), "random registers end a walk without harm");
	bytes = stack_of_a_walk();
	tap_note("a walk needs %zu bytes of stack", bytes);
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
	tap_skip("a walk needs at most 1.5 KiB of stack", "not in a build with sanitizers or without optimization");
#else
	tap(bytes <= 1536, "a walk needs at most 1.5 KiB of stack");
#endif
	FORGET();
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t ss = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	cpi_unwind_init(check_mapped);
	ranges[0] = this_stack();
	sigaltstack(&ss, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	NOTE();
	sample();
	outer = last;
	tests();
	return tap_end();
}
