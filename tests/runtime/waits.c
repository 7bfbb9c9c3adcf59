/*
 * waits.c - threads that wait in seven ways, for the tests of thread dumps
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: waits N [SECONDS [BUSY [MASKED]]]
 *
 * N threads wait, thread i in function wait_KIND of kind i % 7; BUSY threads run in busy_loop, and MASKED threads run
 * with all signals blocked in masked_loop. "ready" is printed when all have started. The main thread waits in
 * main_wait. WAITS_NAME is the name of all threads; with WAITS_LABELS they have labels, if the library is loaded; with
 * WAITS_EXEC the program executes itself without the library after "ready".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline)) static

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, cond_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int ends[2], epoll_fd;
static atomic_int n_there;
static volatile unsigned long sink;

KEEP void wait_nanosleep(void)
{
	struct timespec long_time = { .tv_sec = 1000 };

	nanosleep(&long_time, NULL);
	sink++;
}

KEEP void wait_poll(void)
{
	struct pollfd p = { .fd = ends[0], .events = POLLIN };

	poll(&p, 1, -1);
	sink++;
}

KEEP void wait_epoll(void)
{
	struct epoll_event event;

	epoll_wait(epoll_fd, &event, 1, -1);
	sink++;
}

KEEP void wait_mutex(void)
{
	pthread_mutex_lock(&lock);
	sink++;
}

KEEP void wait_cond(void)
{
	pthread_mutex_lock(&cond_lock);
	pthread_cond_wait(&cond, &cond_lock);
	sink++;
}

KEEP void wait_sem(void)
{
	sem_wait(&sem);
	sink++;
}

KEEP void wait_read(void)
{
	char c;

	if (read(ends[0], &c, 1) != 1)
		sink++;
	sink++;
}

KEEP void busy_loop(void)
{
	for (;;)
		sink++;
}

KEEP void masked_loop(void)
{
	unsigned long all = -1UL;

	/* by system call: the wrapper of the library would keep its signal unblocked */
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof(all));
	for (;;)
		sink++;
}

KEEP void main_wait(unsigned seconds)
{
	struct timespec time = { .tv_sec = seconds };

	nanosleep(&time, NULL);
	sink++;
}

static void (*const kinds[])(void) = {
	wait_nanosleep, wait_poll, wait_epoll, wait_mutex, wait_cond, wait_sem, wait_read
};

static void set_labels(void)
{
	static const char *const pair[] = { "op", "wait" };
	uint32_t (*make)(uint32_t, const char *const[], size_t);
	uint32_t (*set)(uint32_t);

	if (!getenv("WAITS_LABELS"))
		return;
	*(void **)&make = dlsym(RTLD_DEFAULT, "cpa_labels_make");
	*(void **)&set = dlsym(RTLD_DEFAULT, "cpa_labels_set");
	if (make && set)
		set(make(0, pair, 1));
}

KEEP void *begin(void *arg)
{
	void (*wait)(void) = (void (*)(void))arg;

	set_labels();
	atomic_fetch_add(&n_there, 1);
	wait();
	sink++;
	return NULL;
}

static void start(void (*wait)(void))
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 << 10);
	if (pthread_create(&thread, &attr, begin, (void *)wait) != 0)
		exit(3);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 7, busy = argc > 3 ? atoi(argv[3]) : 0,
	    masked = argc > 4 ? atoi(argv[4]) : 0;
	const char *name = getenv("WAITS_NAME");
	struct epoll_event event = { .events = EPOLLIN };

	if (getenv("WAITS_EXEC")) {
		char *const none[] = { NULL };

		puts("ready");
		fflush(stdout);
		usleep(100000);
		execve(argv[0], argv, none);
	}
	if (name)
		prctl(PR_SET_NAME, name);
	if (pipe(ends) != 0 || sem_init(&sem, 0, 0) != 0)
		return 3;
	epoll_fd = epoll_create1(0);
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, ends[0], &event);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < n; i++)
		start(kinds[i % 7]);
	for (int i = 0; i < busy; i++)
		start(busy_loop);
	for (int i = 0; i < masked; i++)
		start(masked_loop);
	while (atomic_load(&n_there) < n + busy + masked)
		usleep(1000);
	usleep(20000);
	puts("ready");
	fflush(stdout);
	main_wait(argc > 2 ? (unsigned)atoi(argv[2]) : 1000);
	return 0;
}
