/*
 * heap_linked.c - a program that links the library takes profiles of its own heap
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes heap.pb.gz and child.pb.gz (of a child, without inherited objects) and prints the expected contents:
 * "FILE FUNCTION OBJECTS BYTES KEPT_OBJECTS KEPT_BYTES".
 */
#include <cpa/pprof.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE void *allocate(size_t size)
{
	void *p = malloc(size);

	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

#define ALLOCATES(name)                                                                                                \
	static NOINLINE void *name(size_t size)                                                                        \
	{                                                                                                              \
		void *p = allocate(size);                                                                              \
                                                                                                                       \
		__asm__ volatile("" : : "r"(p) : "memory");                                                            \
		return p;                                                                                              \
	}
ALLOCATES(a_before)
ALLOCATES(a_on)
ALLOCATES(a_labelled)
ALLOCATES(a_thread)
ALLOCATES(a_child)
ALLOCATES(a_after)

static int write_fd(void *arg, const void *buf, size_t n)
{
	return write(*(int *)arg, buf, n) == (ssize_t)n ? 0 : -1;
}

static int write_heap(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), rc = cpa_heap_write(write_fd, &fd);

	close(fd);
	return rc;
}

static void labelled(void *arg)
{
	(void)arg;
	for (int i = 0; i < 7; i++)
		a_labelled(70);
}

static void *run(void *arg)
{
	for (int i = 0; i < 20; i++)
		free(a_thread(200));
	return arg;
}

int main(void)
{
	const char *const pair[] = { "tenant", "blue" };
	pthread_t thread;
	void *p[100];
	int status = 0;
	pid_t pid;

	for (int i = 0; i < 100; i++)
		p[i] = a_before(1000);
	if (cpa_heap_set_rate(1) != 0 || cpa_heap_set_rate(SIZE_MAX) != 1)
		return 1;
	for (int i = 0; i < 100; i++)
		free(p[i]);
	for (int i = 0; i < 10; i++)
		p[i] = a_on(300);
	for (int i = 0; i < 4; i++)
		free(p[i]);
	cpa_labels_do(cpa_labels_make(0, pair, 1), labelled, NULL);
	if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
		return 2;
	pid = fork();
	if (pid == 0) {
		free(p[4]);
		a_child(50);
		_exit(write_heap("child.pb.gz") != 0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		return 3;
	if (cpa_heap_set_rate(0) != 1)
		return 4;
	a_after(500);
	free(p[5]);
	if (write_heap("heap.pb.gz") != 0)
		return 5;
	puts("heap a_on 10 3000 5 1500\nheap a_labelled 7 490 7 490\nheap a_thread 20 4000 0 0\n"
	     "child a_child 1 50 1 50");
	return 0;
}
