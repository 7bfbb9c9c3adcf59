/*
 * attacked.c - a program with known results, while clients request its profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: attacked [ADDRESS|-] [hostile|still|blocked|many]
 *
 * Listens at ADDRESS, prints "ready PID RC", works until the end of standard input, then prints "errors N", which is 0
 * if all results were right. hostile: threads, profiles and labels have malicious names. still: one thread uses CPU
 * time, and nothing else happens; blocked: the same with all signals blocked. many: 2000 threads wait.
 */
#define _GNU_SOURCE
#include <cpa/pprof.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { BLOCKS = 64, TEXT = 4096, MANY = 2000 };

static atomic_int ends, errors, rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int to[2], back[2];

static const char *const names[] = {
	"<script>a</scri",   "\"'><img src=x>", "a\r\nSet-Cookie:",
	"\033[31m\a\b",      "\xff\xfe\xc3(",   "quote\"back\\sla",
	"a\nthread 1 \"b\"", "%s%n%00",         "",
	"{\"x\":[1]}",
};

static void *calculates(void *arg)
{
	unsigned char *block[BLOCKS] = { 0 };
	unsigned seed = 1;

	for (; !ends; rounds++) {
		for (int i = 0; i < 1000; i++) {
			unsigned at = (seed = seed * 1103515245 + 12345) >> 16, n = 16 + at % TEXT;
			unsigned char **b = &block[at % BLOCKS];

			for (unsigned k = 2; *b && k < 2 + (*b)[0] % 14U; k++)
				errors += (*b)[k] != (*b)[0];
			free(*b);
			*b = malloc(n);
			memset(*b, (int)(at & 0xff), n);
		}
		pthread_mutex_lock(&lock);
		usleep(100);
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < BLOCKS; i++)
		free(block[i]);
	return arg;
}

/* No call may be interrupted. */
static void *answers(void *arg)
{
	int n;

	while (read(to[0], &n, sizeof(n)) == sizeof(n))
		if (write(back[1], &n, sizeof(n)) != sizeof(n))
			errors++;
	close(back[1]);
	return arg;
}

static void *asks(void *arg)
{
	for (int n = 0, got; !ends; n++)
		if (write(to[1], &n, sizeof(n)) != sizeof(n) || read(back[0], &got, sizeof(got)) != sizeof(got) ||
		    got != n)
			errors++;
	close(to[1]);
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

static void *makes_threads(void *arg)
{
	pthread_t t;

	while (!ends) {
		if (pthread_create(&t, NULL, nothing, NULL) != 0)
			errors++;
		else if (pthread_join(t, NULL) != 0)
			errors++;
		usleep(500);
	}
	return arg;
}

static void *is_hostile(void *arg)
{
	const char *name = arg, *label[] = { name, name };
	cpa_profile *p = cpa_profile_new(name);

	prctl(PR_SET_NAME, name);
	cpa_labels_set(cpa_labels_make(0, label, 1));
	if (p)
		cpa_profile_add(p, name, 0);
	while (!ends) {
		for (volatile int i = 0; i < 100000; i++)
			;
		usleep(1000);
	}
	return NULL;
}

static void *burns(void *arg)
{
	for (volatile unsigned i = 0; !ends; i++)
		;
	return arg;
}

static void *waits(void *arg)
{
	while (!ends)
		usleep(500000);
	return arg;
}

static void start_many(pthread_t *t, int n)
{
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	while (n-- > 0)
		if (pthread_create(t + n, &small, waits, NULL) != 0)
			exit(1);
}

int main(int argc, char **argv)
{
	const cpa_http_opts o = { .size = sizeof(o), .listen = argc > 1 ? argv[1] : "-" };
	const char *how = argc > 2 ? argv[2] : "";
	void *(*const all[])(void *) = { calculates, calculates, answers, asks, makes_threads };
	static pthread_t t[MANY];
	sigset_t every;
	int n = 0, rc = strcmp(o.listen, "-") == 0 ? 0 : cpa_http_start(&o);

	if (pipe(to) != 0 || pipe(back) != 0)
		return 1;
	sigfillset(&every);
	if (strcmp(how, "blocked") == 0)
		pthread_sigmask(SIG_BLOCK, &every, NULL);
	if (strcmp(how, "many") == 0)
		start_many(t, n = MANY);
	else if (strcmp(how, "still") == 0 || strcmp(how, "blocked") == 0)
		pthread_create(&t[n++], NULL, burns, NULL);
	else if (strcmp(how, "hostile") == 0)
		for (; n < (int)(sizeof(names) / sizeof(*names)); n++)
			pthread_create(&t[n], NULL, is_hostile, (void *)names[n]);
	else
		for (; n < (int)(sizeof(all) / sizeof(*all)); n++)
			pthread_create(&t[n], NULL, all[n], NULL);
	printf("ready %d %d\n", (int)getpid(), rc);
	fflush(stdout);
	while (read(STDIN_FILENO, &(char){ 0 }, 1) > 0)
		;
	ends = 1;
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("errors %d\n", errors + (strcmp(how, "") == 0 && rounds == 0));
	return 0;
}
