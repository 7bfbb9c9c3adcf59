/*
 * large_tls.c - a program that profiles itself: threads, locks, the heap, a server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: large_tls FILE     write a CPU profile to FILE, print the results
 *
 * With TLS_SIZE defined, it has that many bytes of static TLS. It is also compiled with ThreadSanitizer.
 */
#include <cpa/pprof.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 3, TURNS = 300 };

#ifdef TLS_SIZE
static __thread char tls[TLS_SIZE];
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long shared;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void spin(double seconds)
{
	for (double end = now() + seconds; now() < end;) {
		volatile unsigned n = 0;

		while (n < 10000)
			n++;
	}
}

static void *work(void *arg)
{
	for (int i = 0; i < TURNS; i++) {
		void *p = malloc(10000);

		pthread_mutex_lock(&mutex);
		shared++;
		spin(0.0001);
		pthread_mutex_unlock(&mutex);
		free(p);
	}
	spin(0.1);
	return arg;
}

static int count_bytes(void *arg, const void *data, size_t n)
{
	(void)data;
	*(size_t *)arg += n;
	return 0;
}

int main(int argc, char **argv)
{
	const cpa_http_opts http = { .size = sizeof(http), .listen = "unix:http.sock" };
	pthread_t thread[THREADS];
	size_t bytes = 0;
	int rc, status = 0;

	if (argc < 2)
		return 2;
#ifdef TLS_SIZE
	memset(tls, argc, sizeof(tls));
#endif
	cpa_heap_set_rate(1 << 14);
	cpa_block_set_rate(1);
	cpa_mutex_set_fraction(1);
	printf("start %d\n", cpa_cpu_start_path(argv[1], NULL));
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("stop %d\n", cpa_cpu_stop());
	printf("http %d\n", cpa_http_start(&http));
	rc = cpa_http_handle("GET", "/debug/pprof/heap", NULL, 0, count_bytes, &bytes, &status, NULL, 0);
	printf("heap %d %d %s\n", rc, status, bytes ? "data" : "nothing");
	printf("http %d\n", cpa_http_stop());
	printf("shared %lu\n", shared);
	return 0;
}
