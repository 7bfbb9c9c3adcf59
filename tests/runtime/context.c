/*
 * context.c - a program whose labels and attributes other processes read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * context layout          print the header, the message and records in hexadecimal
 * context fork            print what a child of fork publishes
 * context other           publish while another library has done so, or does so later
 * context start           print whether there is a context at the start
 * context off             withdraw everything
 * context torn            change attributes while another process reads them; print the number of torn reads
 * context threads SEED    run threads that change their labels; print a line when all have begun, and end with the input
 */
#define _GNU_SOURCE
#include <cpa/pprof.h>

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct header {
	char signature[8];
	uint32_t version, size;
	uint64_t published_ns, payload;
};

#ifdef OWN
static const uint8_t own_record[32] = { [24] = 7 };
__thread const uint8_t *otel_thread_ctx_v1 = own_record;
#else
extern __thread const uint8_t *otel_thread_ctx_v1;
#endif

static cpa_labels pair(cpa_labels parent, const char *key, const char *value)
{
	const char *kv[] = { key, value };

	return cpa_labels_make(parent, kv, 1);
}

static int attribute(const char *key, const char *value)
{
	const char *kv[] = { key, value };

	return cpa_context_set(kv, 1);
}

/* The mapping with the name of a context, number n; NULL: there are no more. */
static struct header *mapping(int n)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[1024];
	void *at = NULL;

	while (f && fgets(line, sizeof(line), f))
		if ((strstr(line, "/memfd:OTEL_CTX") || strstr(line, "[anon:OTEL_CTX]") ||
		     strstr(line, "[anon_shmem:OTEL_CTX]")) &&
		    n-- == 0) {
			sscanf(line, "%p", &at);
			break;
		}
	if (f)
		fclose(f);
	return at;
}

static void hex(const char *name, const void *data, size_t n)
{
	printf("%s ", name);
	for (size_t i = 0; i < n; i++)
		printf("%02x", ((const uint8_t *)data)[i]);
	putchar('\n');
}

static void record(const char *name)
{
	const uint8_t *r = otel_thread_ctx_v1;
	uint16_t n;

	if (!r) {
		printf("%s none\n", name);
		return;
	}
	memcpy(&n, r + 26, sizeof(n));
	hex(name, r, 28U + n);
}

static void *inherited(void *arg)
{
	(void)arg;
	record("inherited");
	return NULL;
}

/* Without the id of the instance, which is random unless it is set, the message is always the same. */
static void layout(void)
{
	char key[10], value[400];
	const char *many[2 * 64];
	struct header *h;
	pthread_t thread;
	uint64_t before;

	attribute("service.version", "1");
	h = mapping(0);
	printf("%.8s %u %d\n", h->signature, h->version, mapping(1) == NULL);
	hex("message", (const void *)(uintptr_t)h->payload, h->size);
	record("none");
	before = h->published_ns;
	cpa_labels_set(pair(pair(0, "b", "two"), "a", "\xc3\xa4\xff"));
	printf("later %d\n", h->published_ns > before);
	hex("message", (const void *)(uintptr_t)h->payload, h->size);
	record("record");
	pthread_create(&thread, NULL, inherited, NULL);
	pthread_join(thread, NULL);
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	cpa_labels_set(pair(0, "b", value));
	printf("cut %u %u %u\n", otel_thread_ctx_v1[29], otel_thread_ctx_v1[26], otel_thread_ctx_v1[27]);
	hex("cut", otel_thread_ctx_v1 + 28 + 2 + 255, 3);
	value[20] = '\0';
	for (int i = 0; i < 64; i++) {
		snprintf(key, sizeof(key), "k%02d", i);
		many[2 * i] = strdup(key);
		many[2 * i + 1] = value;
	}
	cpa_labels_set(cpa_labels_make(0, many, 64));
	printf("many %u\n", otel_thread_ctx_v1[26] | otel_thread_ctx_v1[27] << 8);
	cpa_labels_set(0);
	record("none");
	printf("refused %d %d\n", attribute("", "x"), attribute(NULL, "x"));
}

static void show_fork(void)
{
	struct header *h, *mine;

	cpa_labels_set(pair(0, "a", "1"));
	h = mapping(0);
	printf("parent %d\n", h != NULL);
	fflush(stdout);
	if (fork() == 0) {
		mine = mapping(0);
		printf("child %d %d\n", mine && mine->published_ns && mine->version == 2, mapping(1) == NULL);
		record("child");
		hex("message", (const void *)(uintptr_t)mine->payload, mine->size);
		cpa_labels_set(pair(0, "c", "3"));
		record("child");
		exit(0);
	}
	wait(NULL);
	hex("message", (const void *)(uintptr_t)h->payload, h->size);
}

static void other(void)
{
	int fd = memfd_create("OTEL_CTX", 0);
	void *theirs;

	if (fork() == 0) {
		theirs = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
		printf("first %d %d\n", attribute("a", "b"), mapping(1) == NULL);
		cpa_labels_set(pair(0, "a", "1"));
		record("first");
		exit(theirs == MAP_FAILED);
	}
	wait(NULL);
	cpa_labels_set(pair(0, "a", "1"));
	theirs = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	printf("later %d\n", mapping(1) != NULL);
	pair(0, "b", "a new key");
	printf("withdrawn %d %d\n", mapping(0) == theirs && !mapping(1), otel_thread_ctx_v1[24]);
}

static void off(void)
{
	cpa_labels_set(pair(0, "a", "1"));
	cpa_context_off();
	printf("off %d %d", mapping(0) == NULL, otel_thread_ctx_v1 ? otel_thread_ctx_v1[24] : -1);
	cpa_labels_set(pair(0, "b", "1"));
	printf(" %d\n", attribute("a", "b"));
}

static void *change_context(void *arg)
{
	_Atomic bool *ends = arg;
	char value[4000];

	for (unsigned i = 0; !atomic_load(ends); i++) {
		size_t n = 1 + i * 7919U % (sizeof(value) - 1);
		const char *kv[] = { "first", value, "second", value };

		memset(value, 'a' + (int)(i % 26), n);
		value[n] = '\0';
		cpa_context_set(kv, 2);
	}
	return NULL;
}

static bool read_at(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)at, n };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* A number of one or two bytes. */
static unsigned number(const uint8_t **at)
{
	unsigned n = *(*at)++;

	return n < 128 ? n : (n & 127) | (unsigned)*(*at)++ << 7;
}

/* The text value that follows a key in a message, with its size. */
static const uint8_t *value_of(const uint8_t *payload, size_t n, const char *key, unsigned *size)
{
	const uint8_t *at = memmem(payload, n, key, strlen(key));

	if (!at)
		return NULL;
	at += strlen(key) + 1;
	number(&at);
	at++;
	*size = number(&at);
	return at + *size <= payload + n ? at : NULL;
}

/* Read the context of a process by the protocol of the OTEP. The values of two attributes must be equal. */
static void reader(pid_t pid, uint64_t at)
{
	static uint8_t payload[65536];
	unsigned n_read = 0, n_changed = 0, n_torn = 0, n, m;
	uint64_t last = 0;

	while (n_changed < 1000 && n_read < 100000000) {
		struct header h, after;
		const uint8_t *a, *b;
		bool is_read;

		if (!read_at(pid, at, &h, sizeof(h)))
			break;
		if (!h.published_ns)
			continue;
		is_read = h.size <= sizeof(payload) && read_at(pid, h.payload, payload, h.size);
		if (!read_at(pid, at, &after, sizeof(after)) || after.published_ns != h.published_ns)
			continue;
		n_read++;
		n_changed += h.published_ns != last;
		last = h.published_ns;
		a = is_read ? value_of(payload, h.size, "first", &n) : NULL;
		b = is_read ? value_of(payload, h.size, "second", &m) : NULL;
		n_torn += !a || !b || n != m || memcmp(a, b, n) != 0;
	}
	printf("torn %u, changed %u\n", n_torn, n_changed);
}

static void torn(void)
{
	const char *kv[] = { "first", "a", "second", "a" };
	_Atomic bool ends = false;
	pthread_t thread;
	uint64_t at;
	pid_t pid;

	cpa_context_set(kv, 2);
	at = (uint64_t)(uintptr_t)mapping(0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		reader(getppid(), at);
		exit(0);
	}
	pthread_create(&thread, NULL, change_context, &ends);
	waitpid(pid, NULL, 0);
	atomic_store(&ends, true);
	pthread_join(thread, NULL);
}

enum { N_THREADS = 8, N_SETS = 200 };
static _Atomic unsigned n_begun;

/* Each set has the labels a and b of equal values, some have c of that value. New keys and sets appear over time. */
static void *change_labels(void *arg)
{
	unsigned seed = *(unsigned *)arg;

	for (unsigned i = 0;; i++) {
		const struct timespec time = { .tv_nsec = rand_r(&seed) % 2000000 };
		char value[40], key[8];
		const char *kv[] = { "a", value, "b", value, "c", value, key, "1" };
		unsigned set = (unsigned)rand_r(&seed) % N_SETS, n = set % 40;

		memset(value, 'a' + (int)(set % 26), n);
		snprintf(value + n, sizeof(value) - n, "%u", set % 100);
		snprintf(key, sizeof(key), "k%u", i / 20 % 100);
		cpa_labels_set(cpa_labels_make(0, kv, 2 + set % 3));
		if (i == 0)
			atomic_fetch_add(&n_begun, 1);
		if (rand_r(&seed) % 2)
			nanosleep(&time, NULL);
		if (rand_r(&seed) % 5 == 0)
			cpa_labels_set(0);
	}
	return NULL;
}

static void threads(unsigned seed)
{
	static unsigned seeds[N_THREADS];
	pthread_t thread;

	for (unsigned i = 0; i < N_THREADS; i++) {
		seeds[i] = seed + i;
		pthread_create(&thread, NULL, change_labels, &seeds[i]);
	}
	while (atomic_load(&n_begun) < N_THREADS)
		sched_yield();
	printf("begun\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "layout") == 0)
		layout();
	else if (strcmp(mode, "fork") == 0)
		show_fork();
	else if (strcmp(mode, "other") == 0)
		other();
	else if (strcmp(mode, "start") == 0)
		printf("start %d\n", mapping(0) != NULL);
	else if (strcmp(mode, "off") == 0)
		off();
	else if (strcmp(mode, "torn") == 0)
		torn();
	else if (strcmp(mode, "threads") == 0 && argc > 2)
		threads((unsigned)atoi(argv[2]));
	else
		return 2;
	return 0;
}
