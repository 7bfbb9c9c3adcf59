/*
 * dumps_itself.c - a program that links the library dumps its own threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Three threads wait in nap, with labels; one runs in spin; the main thread makes the dump in ask.
 */
#include <cpa/pprof.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static volatile unsigned long sink;

KEEP static void *spin(void *arg)
{
	for (;;)
		sink++;
	return arg;
}

KEEP static void *nap(void *arg)
{
	static const char *const pair[] = { "op", "nap" };

	cpa_labels_set(cpa_labels_make(0, pair, 1));
	for (;;)
		pause();
	return arg;
}

static int put(void *arg, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, arg) == n ? 0 : -1;
}

KEEP static int ask(void)
{
	int rc = cpa_profile_write(cpa_profile_lookup("threads"), 1, put, stdout);

	return rc != 0;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, nap, NULL);
	pthread_create(&thread, NULL, spin, NULL);
	usleep(200000);
	return ask();
}
