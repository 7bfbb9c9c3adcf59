/*
 * jit.c - a program that generates code, and describes it in a perf map or a jitdump
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: jit map|dump|none SECONDS, in the folder of the jitdump
 *
 * Uses SECONDS of CPU time each: in a generated loop; in spin(), called by a generated function with a frame pointer;
 * and in spin(), called by a generated trampoline without one. Prints its pid.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { CALLER = 0, LOOP = 64, TRAMPOLINE = 128, SIZE = 64, CODE = 4096 };

static const struct {
	int at;
	const char *name;
} functions[] = {
	{ LOOP, "old name of the loop" },
	{ CALLER, "make.it<int> (a, b)" },
	{ LOOP, "loop: /src/a b.js:7" },
	{ TRAMPOLINE, "_ZN3not7mangledEv" },
};

typedef void call_fn(void (*fn)(void));

static const unsigned char caller[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
static const unsigned char loop[] = { 0xb9, 0x40, 0x42, 0x0f, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
static const unsigned char trampoline[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3 };

__attribute__((noinline)) static void spin(void)
{
	for (volatile int i = 0; i < 1000000; i++)
		continue;
}

static void write_map(const unsigned char *code)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	for (size_t i = 0; f && i < sizeof(functions) / sizeof(functions[0]); i++)
		fprintf(f, "%lx %x %s\n", (unsigned long)(code + functions[i].at), SIZE, functions[i].name);
	if (f)
		fclose(f);
}

static void write_dump(const unsigned char *code)
{
	const uint32_t head[] = { 0x4a695444, 1, 40, 62, 0, (uint32_t)getpid(), 0, 0, 0, 0 };
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	f = fopen(path, "w+");
	if (!f)
		exit(1);
	fwrite(head, sizeof(head), 1, f);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		uint32_t n = (uint32_t)strlen(functions[i].name) + 1, record[] = { 0, 56 + n + SIZE, 0, 0, 0, 0 };
		uint64_t at = (uint64_t)(uintptr_t)(code + functions[i].at), load[] = { at, at, SIZE, i };

		fwrite(record, sizeof(record), 1, f);
		fwrite(load, sizeof(load), 1, f);
		fwrite(functions[i].name, n, 1, f);
		fwrite(code + functions[i].at, SIZE, 1, f);
	}
	fflush(f);
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		exit(1);
	fclose(f);
}

static void call(const unsigned char *code, int at, void (*fn)(void), double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	call_fn *function;

	*(const void **)&function = code + at;
	while (clock() < end)
		function(fn);
}

int main(int argc, char **argv)
{
	unsigned char *code = mmap(NULL, CODE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (argc != 3 || code == MAP_FAILED)
		return 1;
	memcpy(code + CALLER, caller, sizeof(caller));
	memcpy(code + LOOP, loop, sizeof(loop));
	memcpy(code + TRAMPOLINE, trampoline, sizeof(trampoline));
	if (strcmp(argv[1], "map") == 0)
		write_map(code);
	if (strcmp(argv[1], "dump") == 0)
		write_dump(code);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	call(code, LOOP, spin, atof(argv[2]));
	call(code, CALLER, spin, atof(argv[2]));
	call(code, TRAMPOLINE, spin, atof(argv[2]));
	return 0;
}
