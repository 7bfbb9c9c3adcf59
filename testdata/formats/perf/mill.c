/*
 * mill.c - the program of the recordings in this folder: no C library, so that its stacks need no other file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
static volatile unsigned long grains;

__attribute__((noinline)) static unsigned long grind(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		grains += i ^ grains << 1;
	return grains;
}

__attribute__((noinline)) static unsigned long turn(unsigned depth, unsigned long n)
{
	return (depth ? turn(depth - 1, n) : grind(n)) + 1;
}

__attribute__((noreturn, used)) static void mill_main(void)
{
	for (int i = 0; i < 40; i++) {
		turn(3, 400000);
		grind(100000);
	}
	__asm__ volatile("syscall" : : "a"(231), "D"(0));
	__builtin_unreachable();
}

__asm__(".globl _start\n.type _start, @function\n_start:\n.cfi_startproc\n.cfi_undefined rip\n"
	"call mill_main\nhlt\n.cfi_endproc\n.size _start, . - _start\n");
