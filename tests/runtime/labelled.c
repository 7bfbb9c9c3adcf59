/*
 * labelled.c - a program that publishes labels of its threads and a process context, without libcpaprof
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * labelled MESSAGE   the message of the context, in hexadecimal; prints a line when a thread waits, and ends with the input
 *
 * Compiled in parts: VARIABLES has the thread-local variables of both layouts, in the program or in a library, where BIG
 * makes them too large for static TLS; MAIN is the program, which links that library, or loads the one named LIBRARY.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

void label_thread(const char *thread);

#ifdef VARIABLES
struct text {
	size_t n;
	const char *at;
};
struct label_set {
	struct label {
		struct text key, value;
	} * label;
	size_t n, capacity;
};

uint32_t custom_labels_abi_version = 1;
__thread const struct label_set *custom_labels_current_set;
__thread const uint8_t *otel_thread_ctx_v1;
#ifdef BIG
__thread char big[1 << 20];
#endif

/* A record with trace 01.., span 02.., and key 1; key 0 is given twice, and key 9 has no name. */
static __thread uint8_t record[640];
static __thread struct label label[3];
static __thread struct label_set set;

void label_thread(const char *thread)
{
	size_t n = strlen(thread);
	uint8_t *to = record + 28;

	memset(record, 1, 16);
	memset(record + 16, 2, 8);
	record[24] = 1;
	memcpy(to, "\0\1x\1\1y\11\1z\0", 10);
	to[10] = (uint8_t)n;
	memcpy(to + 11, thread, n);
	record[26] = (uint8_t)(11 + n);
	otel_thread_ctx_v1 = record;
	label[0] = (struct label){ { 6, "worker" }, { n, thread } };
	label[1] = (struct label){ { 4, "gone" }, { 1, "x" } };
	label[1].key.at = NULL;
	label[2] = (struct label){ { 6, "worker" }, { 6, "second" } };
	set = (struct label_set){ label, 3, 3 };
	custom_labels_current_set = &set;
#ifdef BIG
	big[0] = 1;
#endif
}
#endif

#ifdef MAIN
static int ready[2];

static void *work(void *thread)
{
#ifdef LIBRARY
	void *library = dlopen(LIBRARY, RTLD_NOW);
	void (*label)(const char *) = (void (*)(const char *))dlsym(library, "label_thread");
#else
	void (*label)(const char *) = label_thread;
#endif

	label(thread);
	if (write(ready[1], "", 1) == 1)
		pause();
	return NULL;
}

/* Without the steps that only readers with eBPF need. */
static void publish(const char *hex)
{
	static uint8_t message[4096];
	struct {
		char signature[8];
		uint32_t version, size;
		uint64_t published_ns, payload;
	} header = { "OTEL_CTX", 2, 0, 1, (uint64_t)(uintptr_t)message };
	int fd = memfd_create("OTEL_CTX", 0);
	void *at = ftruncate(fd, sizeof(header)) == 0
			   ? mmap(NULL, sizeof(header), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0)
			   : MAP_FAILED;
	unsigned byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		message[header.size++] = (uint8_t)byte;
	if (at != MAP_FAILED)
		memcpy(at, &header, sizeof(header));
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char byte;

	if (argc != 2)
		return 2;
	publish(argv[1]);
	if (pipe(ready) != 0)
		return 1;
	pthread_create(&thread, NULL, work, "first");
	pthread_create(&thread, NULL, work, "other");
	for (int i = 0; i < 2; i++)
		if (read(ready[0], &byte, 1) != 1)
			return 1;
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
#endif
