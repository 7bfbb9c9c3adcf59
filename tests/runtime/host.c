/*
 * host.c - effects of the library that a program should not notice
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * host dlerror        dlerror of a program that called no function of the loader
 * host dump           kB of memory shared with cpa, and how many of them are in core dumps
 * host lock current|future|both|touched   mlockall; print its result, and used kB of shared memory
 * host sandbox        use CPU time under a seccomp filter that kills on most system calls
 * host threads        use CPU time in threads under a seccomp filter that kills on those of profilers
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE = 512, PAGE = 4096, PAGES = 256 };

static volatile unsigned long sink;

/* Total size of mapped memory files, and of those in core dumps. */
static void dump(void)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long size = 0, all = 0, dumped = 0;
	bool shared = false;
	char line[LINE];

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "-p ") || strstr(line, "-s ") || strstr(line, "rw-s "))
			shared = strstr(line, "/memfd:cpa") != NULL;
		if (shared && sscanf(line, "Size: %lu", &size) == 1)
			all += size;
		if (shared && strncmp(line, "VmFlags:", 8) == 0 && !strstr(line, " dd"))
			dumped += size;
	}
	if (f)
		fclose(f);
	printf("%lu %lu\n", all, dumped);
}

static unsigned long status_of(const char *name)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long value = 0;
	char line[LINE];

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, name, strlen(name)) == 0)
			value = strtoul(line + strlen(name) + 1, NULL, 10);
	if (f)
		fclose(f);
	return value;
}

static unsigned char before[PAGES * PAGE];

/* The number of resident pages. */
static int in_memory(void *p, int n)
{
	unsigned char is[PAGES];
	int sum = 0;

	mincore(p, (size_t)n * PAGE, is);
	for (int i = 0; i < n; i++)
		sum += is[i] & 1;
	return sum;
}

static void lock(const char *what)
{
	int flags = strcmp(what, "both") == 0      ? MCL_CURRENT | MCL_FUTURE
		    : strcmp(what, "future") == 0  ? MCL_FUTURE
		    : strcmp(what, "touched") == 0 ? MCL_CURRENT | MCL_ONFAULT
						   : MCL_CURRENT;
	char *page = (char *)(((size_t)before + PAGE - 1) / PAGE * PAGE), *later;
	int rc = mlockall(flags), error = errno;

	later = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("%s, %d and %d pages\n", rc ? strerror(error) : "locked", in_memory(page, PAGES - 1),
	       later == MAP_FAILED ? 0 : in_memory(later, PAGES));
	fprintf(stderr, "%lu %lu\n", status_of("RssShmem:"), status_of("VmLck:"));
}

static void set_filter(struct sock_filter *code, size_t n)
{
	struct sock_fprog program = { .len = (unsigned short)n, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(77);
}

static void *use_time(void *arg)
{
	for (unsigned long i = 0; i < 300000000; i++)
		sink += i;
	return arg;
}

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##what)
#define IF(call, what) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(call), 0, 1), RETURN(what)

static void sandbox(void)
{
	struct sock_filter code[] = { NUMBER, IF(SYS_write, ALLOW), IF(SYS_exit_group, ALLOW),
				      IF(SYS_rt_sigreturn, ALLOW), RETURN(KILL_PROCESS) };

	set_filter(code, sizeof(code) / sizeof(code[0]));
	use_time(NULL);
	if (write(1, "done\n", 5) != 5)
		_exit(1);
}

/* One thread is created before the filter, and ends afterwards. */
static void sandbox_threads(void)
{
	struct sock_filter code[] = { NUMBER,
				      IF(SYS_timer_create, KILL_PROCESS),
				      IF(SYS_timer_settime, KILL_PROCESS),
				      IF(SYS_timer_delete, KILL_PROCESS),
				      IF(SYS_setitimer, KILL_PROCESS),
				      IF(SYS_perf_event_open, KILL_PROCESS),
				      IF(SYS_process_vm_readv, KILL_PROCESS),
				      IF(SYS_ptrace, KILL_PROCESS),
				      RETURN(ALLOW) };
	pthread_t early, late;

	pthread_create(&early, NULL, use_time, NULL);
	set_filter(code, sizeof(code) / sizeof(code[0]));
	pthread_create(&late, NULL, use_time, NULL);
	use_time(NULL);
	pthread_join(early, NULL);
	pthread_join(late, NULL);
	puts("done");
}

int main(int argc, char **argv)
{
	const char *said = dlerror();

	if (argc > 1 && strcmp(argv[1], "dlerror") == 0)
		puts(said ? said : "nothing");
	else if (argc > 1 && strcmp(argv[1], "dump") == 0)
		dump();
	else if (argc > 1 && strcmp(argv[1], "sandbox") == 0)
		sandbox();
	else if (argc > 1 && strcmp(argv[1], "threads") == 0)
		sandbox_threads();
	else if (argc > 2)
		lock(argv[2]);
	return 0;
}
