/*
 * heap_load.c - allocations with known totals, and unusual uses of malloc
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: heap_load mix RATE | alternate RATE | leak N | line N | threads SECONDS | odd | fork | storm N | deepbind
 * LIBRARY | memory N
 *
 * Functions that allocate begin with a_. For each prints "FUNCTION OBJECTS BYTES KEPT_OBJECTS KEPT_BYTES", and with a
 * rate the variances of the first two under sampling with that rate.
 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { MIXES = 5, N_THREADS = 8, SLOTS = 64 };

static double rate;
static struct sum {
	double objects, bytes, kept_objects, kept_bytes, variance_objects, variance_bytes, most_objects, most_bytes;
} sums[MIXES];

static uint64_t state = 88172645463325252ULL;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static void add(int i, size_t size)
{
	double p = rate > 1 ? -expm1(-(double)size / rate) : 1, most = (1 - p) / p;

	sums[i].objects++;
	sums[i].bytes += (double)size;
	sums[i].variance_objects += (1 - p) / p;
	sums[i].variance_bytes += (double)size * (double)size * (1 - p) / p;
	/* max change of the sum by one sampled object */
	sums[i].most_objects = fmax(sums[i].most_objects, most);
	sums[i].most_bytes = fmax(sums[i].most_bytes, (double)size * most);
}

static void print_sum(const char *name, const struct sum *s)
{
	printf("%s %.0f %.0f %.0f %.0f %.9g %.9g %.9g %.9g\n", name, s->objects, s->bytes, s->kept_objects,
	       s->kept_bytes, s->variance_objects, s->variance_bytes, s->most_objects, s->most_bytes);
}

/* The call of malloc is not a tail call, so each function has a frame. */
#define ALLOCATES(name, i, how_much)                                                                                   \
	static NOINLINE size_t name(void)                                                                              \
	{                                                                                                              \
		size_t size = how_much;                                                                                \
		void *p = malloc(size);                                                                                \
                                                                                                                       \
		__asm__ volatile("" : : "r"(p) : "memory");                                                            \
		free(p);                                                                                               \
		add(i, size);                                                                                          \
		return size;                                                                                           \
	}
ALLOCATES(a_small, 0, 16 + draw() % 240)
ALLOCATES(a_middle, 1, 4096 + draw() % 60000)
ALLOCATES(a_large, 2, (1 << 20) + draw() % (7 << 20))
ALLOCATES(a_bimodal, 3, draw() % 2 ? 64 : 1 << 20)
ALLOCATES(a_rarely_large, 4, draw() % 10 ? 256 : 4 << 20)

static void mix(void)
{
	static size_t (*const all[MIXES])(void) = { a_small, a_middle, a_large, a_bimodal, a_rarely_large };
	static const char *const name[MIXES] = { "a_small", "a_middle", "a_large", "a_bimodal", "a_rarely_large" };
	const double most = (double)(1 << 30) / MIXES;

	for (int i = 0; i < MIXES; i++)
		while (sums[i].bytes < most)
			all[i]();
	for (int i = 0; i < MIXES; i++)
		print_sum(name[i], &sums[i]);
}

/* Sampling every N bytes or calls would sample only one of these two functions. */
ALLOCATES(a_big, 0, 1 << 16)
ALLOCATES(a_little, 1, 1 << 12)

static void alternate(void)
{
	for (int i = 0; i < 200000; i++) {
		a_big();
		a_little();
	}
	print_sum("a_big", &sums[0]);
	print_sum("a_little", &sums[1]);
}

static NOINLINE void *a_leak(size_t size)
{
	void *p = malloc(size);

	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

/* Keep 3 of 100 objects. */
static void leak(long n)
{
	struct sum s = { 0 };
	void *ring[1000] = { 0 };

	for (long i = 0; i < n; i++) {
		void *p = a_leak(96);

		if (i % 100 < 3) {
			s.kept_objects++;
			s.kept_bytes += 96;
		} else {
			free(ring[i % 1000]);
			ring[i % 1000] = p;
		}
		s.objects++;
		s.bytes += 96;
	}
	for (int i = 0; i < 1000; i++)
		free(ring[i]);
	print_sum("a_leak", &s);
}

/* Adjacent objects in the order of their addresses, which shows the distances of samples. */
static void line(long n)
{
	for (long i = 0; i < n; i++)
		a_leak(64);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *_Atomic shared[SLOTS];

/* Objects of few sizes are freed by other threads, and their addresses are reused immediately. */
static void *a_thread(void *arg)
{
	double end = now() + atof(arg);

	for (unsigned i = 1; i % 1024 || now() < end; i++) {
		void *p = malloc(64 + 64 * (i % 4));

		free(__atomic_exchange_n((void **)&shared[i * 7919 % SLOTS], p, __ATOMIC_ACQ_REL));
		if (i % 16 == 0)
			p = realloc(malloc(100), 4000), free(p);
	}
	return NULL;
}

static void threads(char *seconds)
{
	pthread_t thread[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&thread[i], NULL, a_thread, seconds);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < SLOTS; i++)
		free(shared[i]);
}

static volatile sig_atomic_t n_signals;

static void handler(int sig)
{
	(void)sig;
	n_signals++;
	/* the main thread does not call malloc, so no handler interrupts it there */
	free(malloc(48));
}

static pthread_key_t key;

static void at_thread_end(void *p)
{
	free(p);
	free(malloc(200));
}

static void *with_key(void *arg)
{
	(void)arg;
	pthread_setspecific(key, malloc(100));
	return NULL;
}

static void at_end(void)
{
	free(malloc(300));
	puts("the end");
}

__attribute__((destructor)) static void later(void)
{
	free(malloc(400));
}

/* Allocate in handlers, in destructors of threads, at exit and after it. */
static void odd(void)
{
	pthread_t thread;

	signal(SIGUSR1, handler);
	atexit(at_end);
	for (int i = 0; i < 1000; i++)
		raise(SIGUSR1);
	pthread_key_create(&key, at_thread_end);
	for (int i = 0; i < 10; i++) {
		pthread_create(&thread, NULL, with_key, NULL);
		pthread_join(thread, NULL);
	}
	printf("%d signals\n", (int)n_signals);
}

static NOINLINE void *a_child(void)
{
	void *p = malloc(1000);

	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

/* The child frees inherited objects, and allocates its own at the same addresses. */
static void fork_once(void)
{
	void *p[100];
	int status;
	pid_t pid;

	for (int i = 0; i < 100; i++)
		p[i] = a_leak(500);
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 100; i++)
			free(p[i]);
		for (int i = 0; i < 50; i++)
			p[i] = a_child();
		for (int i = 0; i < 20; i++)
			free(p[i]);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("a_leak 100 50000 100 50000\na_child 50 50000 30 30000\n");
}

/* Fork while other threads use the tables. */
static void storm(long n)
{
	pthread_t thread[4];
	char seconds[] = "1";
	int bad = 0;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, a_thread, seconds);
	for (long i = 0; i < n; i++) {
		int status = -1;
		pid_t pid = fork();

		if (pid == 0) {
			for (int k = 0; k < 1000; k++)
				free(a_child());
			for (int k = 0; k < SLOTS; k++)
				free(__atomic_exchange_n((void **)&shared[k], NULL, __ATOMIC_ACQ_REL));
			_exit(0);
		}
		waitpid(pid, &status, 0);
		bad += status != 0;
	}
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < SLOTS; i++)
		free(shared[i]);
	printf("%d bad\n", bad);
}

static void deepbind(const char *library)
{
	void *handle;

	a_leak(10);
	handle = dlopen(library, RTLD_NOW | RTLD_DEEPBIND);
	a_leak(20);
	printf("loaded %d\na_leak 1 10 1 10\n", handle != NULL);
}

/* Private and shared memory of the process, in KiB. */
static long memory_kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	long kib = 0, n;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Private_Dirty: %ld", &n) == 1 || sscanf(line, "Shared_Dirty: %ld", &n) == 1)
			kib += n;
	if (f)
		fclose(f);
	return kib;
}

static void memory(long n)
{
	for (long i = 0; i < n; i++)
		a_leak(64);
	printf("%ld\n", memory_kib());
}

int main(int argc, char **argv)
{
	static char buffer[BUFSIZ]; /* else the buffer of stdout stays in use, and one run in 130 samples it */
	const char *mode = argc > 2 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0;

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	rate = (double)n;
	if (strcmp(mode, "mix") == 0)
		mix();
	else if (strcmp(mode, "alternate") == 0)
		alternate();
	else if (strcmp(mode, "leak") == 0)
		leak(n);
	else if (strcmp(mode, "line") == 0)
		line(n);
	else if (strcmp(mode, "threads") == 0)
		threads(argv[2]);
	else if (strcmp(mode, "odd") == 0)
		odd();
	else if (strcmp(mode, "fork") == 0)
		fork_once();
	else if (strcmp(mode, "storm") == 0)
		storm(n);
	else if (strcmp(mode, "memory") == 0)
		memory(n);
	else if (strcmp(mode, "deepbind") == 0)
		deepbind(argv[2]);
	else
		return 2;
	return 0;
}
