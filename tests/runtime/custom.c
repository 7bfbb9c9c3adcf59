/*
 * custom.c - a program with custom profiles of its open objects
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * custom MODE   prints its results; profiles are written to the current folder
 */
#include <cpa/pprof.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N_OF_THREAD = 20000, N_THREADS = 4 };

static char value[N_OF_THREAD * N_THREADS];

__attribute__((noinline)) static int open_by_name(cpa_profile *p, const void *v)
{
	int rc = cpa_profile_add(p, v, 0);

	__asm__ volatile("");
	return rc;
}

__attribute__((noinline)) static int open_by_number(cpa_profile *p, const void *v)
{
	int rc = cpa_profile_add(p, v, 0);

	__asm__ volatile("");
	return rc;
}

/* This frame is skipped, so profiles do not contain it. */
__attribute__((noinline)) static int open_skipped(cpa_profile *p, const void *v)
{
	int rc = cpa_profile_add(p, v, 1);

	__asm__ volatile("");
	return rc;
}

__attribute__((noinline)) static int opener(cpa_profile *p, const void *v)
{
	int rc = open_skipped(p, v);

	__asm__ volatile("");
	return rc;
}

static int put(void *file, const void *data, size_t n)
{
	return fwrite(data, 1, n, file) == n ? 0 : -EIO;
}

static void write_to(const char *path, cpa_profile *p, int debug)
{
	FILE *f = fopen(path, "w");

	printf("write %d\n", cpa_profile_write(p, debug, put, f));
	fclose(f);
}

static void errors(void)
{
	static const char *const bad[] = { "db.conns", "", "a b", "a\tb", NULL, "heap", "goroutine", "x\x7f" };
	cpa_profile *p = cpa_profile_new("db.conns"), *all[32];
	char name[80];
	size_t n;

	printf("new %d lookup %d\n", p != NULL, cpa_profile_lookup("db.conns") == p);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		p = cpa_profile_new(bad[i]);
		printf("%d %s\n", p != NULL, errno == EINVAL ? "EINVAL" : errno == EEXIST ? "EEXIST" : "other");
		errno = 0;
	}
	p = cpa_profile_lookup("db.conns");
	memset(name, 'n', sizeof(name));
	name[64] = '\0';
	printf("64 %d", cpa_profile_new(name) != NULL);
	name[63] = '\0';
	printf(" 63 %d\n", cpa_profile_new(name) != NULL);
	for (int i = 0; i < 3; i++)
		printf("%d\n", cpa_profile_add(p, value + i / 2, 0));
	printf("count %d\n", (int)cpa_profile_count(p));
	for (int i = 0; i < 2; i++)
		printf("%d\n", cpa_profile_remove(p, value));
	printf("count %d\n", (int)cpa_profile_count(p));
	p = cpa_profile_lookup("heap");
	printf("%d %d\n", cpa_profile_add(p, value, 0), cpa_profile_remove(p, value));
	n = cpa_profile_list(all, 2);
	printf("%zu %s %s\n", n, cpa_profile_name(all[0]), cpa_profile_name(all[1]));
	n = cpa_profile_list(all, 32);
	for (size_t i = 0; i < n; i++)
		printf("%s ", cpa_profile_name(all[i]));
	printf("\n%d\n", cpa_profile_lookup("none") != NULL);
}

static void stacks(void)
{
	cpa_profile *p = cpa_profile_new("db.conns"), *other = cpa_profile_new("db.rows");

	for (int i = 0; i < 7; i++)
		open_by_name(p, value + i);
	for (int i = 7; i < 12; i++)
		open_by_number(p, value + i);
	for (int i = 12; i < 15; i++)
		opener(p, value + i);
	open_by_name(other, value);     /* the same value in another profile */
	for (int i = 0; i < 10; i += 3) /* 0 3 6 9 */
		cpa_profile_remove(p, value + i);
	write_to("conns.pb.gz", p, 0);
	write_to("conns.txt", p, 1);
	write_to("rows.pb.gz", other, 0);
	printf("count %d %d\n", (int)cpa_profile_count(p), (int)cpa_profile_count(other));
	cpa_profile_remove(other, value);
	write_to("empty.pb.gz", other, 0);
}

static void *later(void *arg)
{
	cpa_profile *p = arg;
	struct timespec time = { .tv_nsec = 400000000 };

	nanosleep(&time, NULL);
	for (int i = 100; i < 104; i++)
		open_by_number(p, value + i);
	cpa_profile_remove(p, value);
	cpa_profile_remove(p, value + 101);
	return NULL;
}

static void delta(void)
{
	cpa_profile *p = cpa_profile_new("db.conns");
	FILE *f = fopen("delta.pb.gz", "w");
	pthread_t thread;

	for (int i = 0; i < 5; i++)
		open_by_name(p, value + i);
	pthread_create(&thread, NULL, later, p);
	printf("delta %d\n", cpa_profile_delta(p, 1, 0, put, f));
	fclose(f);
	pthread_join(thread, NULL);
	printf("%d\n", cpa_profile_delta(p, 0, 0, put, NULL));
}

static void *hammer(void *arg)
{
	cpa_profile *p = cpa_profile_lookup("db.conns");
	char *mine = value + (size_t)arg * N_OF_THREAD;
	size_t bad = 0;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < N_OF_THREAD; i++)
			bad += cpa_profile_add(p, mine + i, 0) != 0;
		for (int i = N_OF_THREAD - 1; i >= 0; i--)
			bad += cpa_profile_remove(p, mine + i) != 0;
	}
	for (int i = 0; i < 10; i++)
		bad += cpa_profile_add(p, mine + i, 0) != 0;
	return (void *)bad;
}

static void threads(void)
{
	cpa_profile *p = cpa_profile_new("db.conns");
	pthread_t thread[N_THREADS];
	size_t all = 0;
	void *bad;

	for (size_t i = 0; i < N_THREADS; i++)
		pthread_create(&thread[i], NULL, hammer, (void *)i);
	/* concurrent forks copy a consistent, unlocked table */
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(cpa_profile_add(p, &child, 0) == 0 && cpa_profile_remove(p, &child) == 0 ? 0 : 1);
		waitpid(child, &status, 0);
		all += status != 0;
	}
	for (int i = 0; i < N_THREADS; i++) {
		pthread_join(thread[i], &bad);
		all += (size_t)bad;
	}
	printf("bad %zu count %d\n", all, (int)cpa_profile_count(p));
	write_to("threads.pb.gz", p, 0);
}

static void before(void)
{
	cpa_profile_add(cpa_profile_lookup("db.conns"), value + 500, 0);
}

static void forks(void)
{
	cpa_profile *p = cpa_profile_new("db.conns");
	pid_t child;

	open_by_name(p, value);
	open_by_name(p, value + 1);
	pthread_atfork(before, NULL, NULL); /* runs before our fork handler, which takes the lock */
	child = fork();
	if (child == 0) {
		printf("child %d there %d\n", (int)cpa_profile_count(p), cpa_profile_add(p, value + 1, 0) == -EEXIST);
		printf("remove %d\n", cpa_profile_remove(p, value));
		open_by_number(p, value + 2);
		printf("child %d\n", (int)cpa_profile_count(p));
		write_to("child.pb.gz", p, 0);
		exit(0);
	}
	waitpid(child, NULL, 0);
	printf("parent %d\n", (int)cpa_profile_count(p));
	write_to("parent.pb.gz", p, 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} mode[] = { { "errors", errors },
		     { "stacks", stacks },
		     { "delta", delta },
		     { "threads", threads },
		     { "fork", forks } };

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(mode) / sizeof(*mode); i++)
		if (strcmp(argv[1], mode[i].name) == 0) {
			mode[i].run();
			return 0;
		}
	return 2;
}
