/*
 * no_cfi.c - functions without call frame information, for unwind_steps
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A library, so that calls of exported functions go through stubs of the PLT. Compiled with frame pointers.
 */
#include <stddef.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sum;
static unsigned long (*volatile by_pointer)(unsigned long);

/* Assembly without a frame, after the other functions: as it is, and with pushed registers. */
__asm__(".section .text.leaf, \"ax\"\n"
	".globl leaf_bare\n.type leaf_bare, @function\nleaf_bare:\n"
	"lea 3(%rdi), %rax\nxor %rdi, %rax\nadd $7, %rax\nret\n.size leaf_bare, . - leaf_bare\n"
	".globl leaf_pushes\n.hidden leaf_pushes\n.type leaf_pushes, @function\nleaf_pushes:\n"
	"push %rbx\npush %r12\npush %r13\nmov %rdi, %rbx\nadd $5, %rbx\nmov %rbx, %rax\n"
	"pop %r13\npop %r12\npop %rbx\nret\n.size leaf_pushes, . - leaf_pushes\n.text\n");

unsigned long leaf_bare(unsigned long n);
unsigned long leaf_pushes(unsigned long n);

/* Saves a register, and leaves words of earlier calls in its array. */
NOINLINE static unsigned long saves(unsigned long n)
{
	char room[256];

	room[n & 255] = (char)n;
	for (unsigned long i = 0; i < 4; i++)
		sum = sum * 31 + i + n;
	__asm__ volatile("" ::"r"(room) : "rbx", "r12", "memory");
	return sum + (unsigned long)room[n & 255];
}

unsigned long exported(unsigned long n);
void no_cfi(void);

NOINLINE unsigned long exported(unsigned long n)
{
	return saves(n) + leaf_bare(n) + leaf_pushes(n);
}

NOINLINE static unsigned long recursive(unsigned long n)
{
	char room[128];

	__asm__ volatile("" ::"r"(room) : "rbx", "r13", "memory");
	if (n == 0)
		return exported(n) + by_pointer(n);
	return recursive(n - 1) + 1;
}

NOINLINE static unsigned long calls_pointer(unsigned long n)
{
	return by_pointer(n) + leaf_pushes(n);
}

NOINLINE static unsigned long calls_last(unsigned long n)
{
	sum += n;
	return calls_pointer(n + 1);
}

void no_cfi(void)
{
	by_pointer = saves;
	sum += exported(3) + calls_pointer(4);
	by_pointer = exported;
	sum += recursive(5) + calls_last(6);
	by_pointer = leaf_bare;
	sum += calls_pointer(7);
}
