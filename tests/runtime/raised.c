/*
 * raised.c - raises the limit of its stack, then allocates on a fiber below the stack, with a hole between them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compiled without call frame information and frame pointers, so the walker follows the register of the frame pointer,
 * which contains an address in the hole.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#if defined(__x86_64__)
#define FRAME_POINTER "rbp"
#else
#define FRAME_POINTER "x29"
#endif
enum { BELOW = 300 << 20, SIZE = 65536, PAGE = 4096 };

static ucontext_t back, fiber;
static void *volatile kept;
static char *hole;

static void work(void)
{
	register char *fp __asm__(FRAME_POINTER) = hole;

	for (int i = 0; i < 100; i++) {
		__asm__ volatile("" : "+r"(fp));
		kept = malloc(1000);
		__asm__ volatile("" : "+r"(fp));
	}
}

int main(void)
{
	struct rlimit limit;
	uintptr_t at = ((uintptr_t)&limit & ~(uintptr_t)(PAGE - 1)) - BELOW;
	char *p = mmap((void *)at, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);

	getrlimit(RLIMIT_STACK, &limit);
	limit.rlim_cur = limit.rlim_max;
	if (p == MAP_FAILED || setrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur < BELOW) {
		puts("not possible");
		return 0;
	}
	hole = p + SIZE + PAGE;
	getcontext(&fiber);
	fiber.uc_stack.ss_sp = p;
	fiber.uc_stack.ss_size = SIZE;
	fiber.uc_link = &back;
	makecontext(&fiber, work, 0);
	swapcontext(&back, &fiber);
	puts("done");
	return 0;
}
