/*
 * labels.c - a program whose threads work with labels, and print the CPU time of each label
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * labels MODE [FILE]   FILE: profile itself and write this file
 * Prints "KEY VALUE NANOSECONDS" of CPU time for each label, by the clocks of its threads.
 */
#include <cpa/pprof.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N_TENANTS = 2, N_SWITCHERS = 4, N_MANY = 100000 };

static volatile unsigned long sink;

static long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Use CPU time. Returns the ns used. */
__attribute__((noinline)) static long long spin(int ms)
{
	long long begin = cpu_ns(), end = begin + ms * 1000000LL, now;

	while ((now = cpu_ns()) < end)
		for (int i = 0; i < 1000; i++)
			sink += (unsigned long)i;
	return now - begin;
}

static void spin_c(void *ms)
{
	spin(*(const int *)ms);
}

static cpa_labels one(cpa_labels parent, const char *key, const char *value)
{
	const char *kv[] = { key, value };

	return cpa_labels_make(parent, kv, 1);
}

static long long spent[N_TENANTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *arg)
{
	cpa_labels tenant[N_TENANTS] = { one(0, "tenant", "big"), one(0, "tenant", "small") };
	long long mine[N_TENANTS] = { 0 };

	(void)arg;
	/* a sample counts for a tick or more, so labels change rarely to keep the error small */
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < N_TENANTS; k++) {
			cpa_labels_set(tenant[k]);
			mine[k] += spin(k ? 150 : 350);
		}
	cpa_labels_set(0);
	pthread_mutex_lock(&lock);
	for (int k = 0; k < N_TENANTS; k++)
		spent[k] += mine[k];
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void tenants(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, serve, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("tenant big %lld\ntenant small %lld\n", spent[0], spent[1]);
}

/* Nested scopes: the inner scope has both labels, and after it the outer scope has only its own. */
static void inner(void *outer)
{
	int ms = 300;

	spin(200);
	cpa_labels_do(one(*(cpa_labels *)outer, "step", "inner"), spin_c, &ms);
	ms = 100;
	/* the same key: the inner value counts */
	cpa_labels_do(one(*(cpa_labels *)outer, "op", "other"), spin_c, &ms);
	spin(200);
}

static void nested(void)
{
	cpa_labels outer = one(0, "op", "outer");

	cpa_labels_do(outer, inner, &outer);
	spin(200);
	printf("op outer 700000000\nop other 100000000\nstep inner 300000000\nleft %u\n", cpa_labels_get());
}

static void *spin_thread(void *ms)
{
	spin(*(int *)ms);
	return NULL;
}

static void inherit(void)
{
	int on = 400, off = 300, again = 200;
	pthread_t thread;

	cpa_labels_set(one(0, "of", "creator"));
	pthread_create(&thread, NULL, spin_thread, &on);
	pthread_join(thread, NULL);
	printf("was %d\n", cpa_labels_inherit(0));
	pthread_create(&thread, NULL, spin_thread, &off);
	pthread_join(thread, NULL);
	printf("was %d\n", cpa_labels_inherit(1));
	pthread_create(&thread, NULL, spin_thread, &again);
	pthread_join(thread, NULL);
	printf("of creator 600000000\n");
}

/* A task runs with the labels of its creator, not of its pool thread. */
static struct {
	sem_t made, done;
	cpa_labels labels;
	int ms; /* 0: the end */
} task;

static void *pool(void *arg)
{
	(void)arg;
	cpa_labels_set(one(0, "thread", "pool"));
	for (;;) {
		cpa_labels mine;

		sem_wait(&task.made);
		if (!task.ms)
			return NULL;
		mine = cpa_labels_adopt(task.labels);
		spin(task.ms);
		cpa_labels_adopt(mine);
		spin(100);
		sem_post(&task.done);
	}
}

static void submit(int ms)
{
	task.labels = cpa_labels_capture();
	task.ms = ms;
	sem_post(&task.made);
	if (ms)
		sem_wait(&task.done);
}

static void pools(void)
{
	pthread_t thread;

	sem_init(&task.made, 0, 0);
	sem_init(&task.done, 0, 0);
	pthread_create(&thread, NULL, pool, NULL);
	cpa_labels_set(one(0, "task", "a"));
	submit(500);
	cpa_labels_set(one(0, "task", "b"));
	submit(300);
	submit(0);
	pthread_join(thread, NULL);
	printf("task a 500000000\ntask b 300000000\nthread pool 200000000\n");
}

static void many(void)
{
	cpa_labels first = one(0, "n", "0"), l = first;
	long n_over = 0;
	char value[16];

	cpa_labels_set(first);
	spin(300);
	for (int i = 1; i < N_MANY; i++) {
		snprintf(value, sizeof(value), "%d", i);
		l = one(0, "n", value);
		n_over += cpa_labels_value(l, "cpa_label_overflow") != NULL;
	}
	cpa_labels_set(l);
	spin(300);
	cpa_labels_set(one(0, "n", "0"));
	spin(200);
	printf("n 0 500000000\nover %ld\nsame %d\n", n_over, one(0, "n", "0") == first);
}

/* Each set has the same value three times; different values would be a mix of two sets. */
static void *switch_sets(void *arg)
{
	cpa_labels set[8];
	unsigned n = 0;

	for (int i = 0; i < 8; i++) {
		char value[16];
		const char *kv[] = { "c", value, "a", value, "b", value };

		snprintf(value, sizeof(value), "%d-%d", (int)(size_t)arg, i);
		set[i] = cpa_labels_make(0, kv, 3);
	}
	for (long long end = cpu_ns() + 600000000LL; cpu_ns() < end;)
		for (int i = 0; i < 100; i++) {
			cpa_labels_set(set[n++ % 8]);
			sink += n;
		}
	return NULL;
}

static void switches(void)
{
	pthread_t thread[N_SWITCHERS];

	for (size_t i = 0; i < N_SWITCHERS; i++)
		pthread_create(&thread[i], NULL, switch_sets, (void *)i);
	for (int i = 0; i < N_SWITCHERS; i++)
		pthread_join(thread[i], NULL);
}

static void forks(void)
{
	pid_t child;

	cpa_labels_set(one(0, "of", "parent"));
	spin(200);
	child = fork();
	if (child == 0) {
		spin(300);
		cpa_labels_set(one(cpa_labels_get(), "and", "child"));
		spin(400);
		exit(0);
	}
	waitpid(child, NULL, 0);
	spin(200);
	printf("%d\n", (int)child);
}

static int print(void *arg, const char *key, const char *value)
{
	(void)arg;
	printf("%zu=%zu\n", strlen(key), strlen(value));
	return strcmp(key, "stop") == 0 ? 7 : 0;
}

static void odd(void)
{
	char key[400], value[2000];
	const char *kv[] = { "emoji \xf0\x9f\x98\x80",
			     "\xc3\xa9\n\t\x01",
			     "bad",
			     "a\xff",
			     "empty",
			     "",
			     "",
			     "no key",
			     NULL,
			     "none",
			     "gone",
			     "x" };
	const char *more[] = { "gone", NULL, "last", "yes" };
	cpa_labels l = cpa_labels_make(0, kv, 6), m = cpa_labels_make(l, more, 2);

	cpa_labels_set(m);
	spin(400);
	printf("gone %s now %d\n", cpa_labels_value(l, "gone"), cpa_labels_value(m, "gone") != NULL);
	printf("empty <%s>\n", cpa_labels_value(m, "empty"));
	memset(key, 'k', sizeof(key) - 1);
	memset(value, 'v', sizeof(value) - 1);
	key[sizeof(key) - 1] = value[sizeof(value) - 1] = '\0';
	memcpy(value + 1022, "\xe2\x82\xac", 3); /* a character of which only the first byte fits */
	l = one(0, key, value);
	printf("each %d\n", cpa_labels_each(l, print, NULL));
	printf("found %d\n", cpa_labels_value(l, key) != NULL);
	kv[0] = "stop";
	kv[1] = kv[3] = "1";
	kv[2] = "zero";
	printf("each %d\n", cpa_labels_each(cpa_labels_make(0, kv, 2), print, NULL));
	printf("none %u %d %d\n", cpa_labels_make(0, NULL, 0), cpa_labels_value(12345678, "a") != NULL,
	       cpa_labels_each(0, print, NULL));
	kv[1] = NULL;
	printf("taken out %u\n", cpa_labels_make(one(0, "stop", "1"), kv, 1));
}

static const struct {
	const char *name;
	void (*run)(void);
} mode[] = { { "tenants", tenants }, { "nested", nested },     { "inherit", inherit }, { "pool", pools },
	     { "many", many },       { "switches", switches }, { "fork", forks },      { "odd", odd } };

int main(int argc, char **argv)
{
	const cpa_cpu_opts o = { .size = sizeof(o), .hz = 1000 };

	if (argc > 2 && cpa_cpu_start_path(argv[2], &o) != 0)
		return 3;
	for (size_t i = 0; argc > 1 && i < sizeof(mode) / sizeof(*mode); i++)
		if (strcmp(argv[1], mode[i].name) == 0) {
			mode[i].run();
			return argc > 2 && cpa_cpu_stop() != 0 ? 3 : 0;
		}
	return 2;
}
