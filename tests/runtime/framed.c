/*
 * framed.c - a program with frame pointers and without call frame information, which calls through generated code
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: framed [SECONDS]
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sum;
static double seconds = 1;

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A leaf that saves a register, and has an array on its stack. */
NOINLINE static unsigned long framed_leaf(unsigned long n)
{
	char room[16];

	for (unsigned long i = 0; i < 2000000; i++)
		sum = sum * 31 + i + n;
	room[0] = (char)sum;
	__asm__ volatile("" ::"r"(room) : "rbx", "memory");
	return (unsigned long)room[0];
}

NOINLINE static unsigned long framed_inner(unsigned long n)
{
	return framed_leaf(n) + 1;
}

NOINLINE static unsigned long framed_called(unsigned long n)
{
	return framed_inner(n) + 1;
}

NOINLINE static unsigned long framed_outer(unsigned long (*generated)(unsigned long (*)(unsigned long)))
{
	return generated ? generated(framed_called) + 1 : framed_called(1) + 1;
}

int main(int argc, char **argv)
{
	/* push %rbp; mov %rsp, %rbp; mov %rdi, %rax; call *%rax; pop %rbp; ret */
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8, 0xff, 0xd0, 0x5d, 0xc3 };
	void *room = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (argc > 1)
		seconds = atof(argv[1]);
	if (room == MAP_FAILED)
		return 1;
	memcpy(room, code, sizeof(code));
	for (double end = cpu_seconds() + seconds; cpu_seconds() < end;) {
		sum += framed_outer(NULL);
		sum += framed_outer((unsigned long (*)(unsigned long (*)(unsigned long)))room);
	}
	return 0;
}
