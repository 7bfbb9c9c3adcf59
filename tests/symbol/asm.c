/*
 * asm.c - program for tests of disassembly
 *
 * SPDX-License-Identifier: Apache-2.0
 */
int prog_work(int n);
int prog_idle(int n);

static inline int prog_inlined(int x)
{
	return x * 3 + (x >> 2);
}

__attribute__((noinline)) int prog_work(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += prog_inlined(i) / (s + 7);
	return s;
}

__attribute__((noinline)) int prog_idle(int n)
{
	return n + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	return prog_work(argc) + prog_idle(argc);
}
