/*
 * interrupted.c - repeat system calls that a signal would interrupt, and count EINTR
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: interrupted SECONDS
 *
 * One thread per kind of call repeats it with a short timeout, until SIGTERM or the end of the time. Prints "ready" at
 * the start, each kind of call that returned EINTR to standard error, and exits with their number.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_US = 3000 };

static const struct timespec wait_time = { .tv_nsec = WAIT_US * 1000 };
static int ends[2], sockets[2], epoll_fd, semaphores;
static uint32_t word;
static atomic_bool is_over;
static sigset_t held_back, usr1;

static struct timespec later(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += WAIT_US * 1000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static int fail(int rc) /* for calls that return the error instead of setting errno */
{
	errno = rc;
	return rc ? -1 : 0;
}

static struct pollfd readable(void)
{
	return (struct pollfd){ .fd = ends[0], .events = POLLIN };
}

static int do_nanosleep(void)
{
	return nanosleep(&wait_time, NULL);
}
static int do_clock_nanosleep(void)
{
	return fail(clock_nanosleep(CLOCK_MONOTONIC, 0, &wait_time, NULL));
}
static int do_absolute(void)
{
	struct timespec t = later(CLOCK_MONOTONIC);

	return fail(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
}
static int do_usleep(void)
{
	return usleep(WAIT_US);
}
static int do_thrd_sleep(void)
{
	return fail(thrd_sleep(&wait_time, NULL) == -1 ? EINTR : 0);
}
static int do_poll(void)
{
	struct pollfd p = readable();

	return poll(&p, 1, WAIT_US / 1000);
}
static int do_ppoll(void)
{
	struct pollfd p = readable();

	return ppoll(&p, 1, &wait_time, &held_back);
}
static int do_select(void)
{
	struct timeval t = { .tv_usec = WAIT_US };

	return select(0, NULL, NULL, NULL, &t);
}
static int do_pselect(void)
{
	return pselect(0, NULL, NULL, NULL, &wait_time, &held_back);
}
static int do_epoll_wait(void)
{
	struct epoll_event e;

	return epoll_wait(epoll_fd, &e, 1, WAIT_US / 1000);
}
static int do_epoll_pwait(void)
{
	struct epoll_event e;

	return epoll_pwait(epoll_fd, &e, 1, WAIT_US / 1000, &held_back);
}
static int do_recv(void)
{
	char c;

	return (int)recv(sockets[0], &c, 1, 0);
}
static int do_recvmsg(void)
{
	char c;
	struct iovec v = { &c, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	return (int)recvmsg(sockets[0], &m, 0);
}
static int do_sem_timedwait(void)
{
	static sem_t sem;
	struct timespec t = later(CLOCK_REALTIME);

	return sem_timedwait(&sem, &t);
}
static int do_sem_clockwait(void)
{
	static sem_t sem;
	struct timespec t = later(CLOCK_MONOTONIC);

	return sem_clockwait(&sem, CLOCK_MONOTONIC, &t);
}
static int do_sigtimedwait(void)
{
	return sigtimedwait(&usr1, NULL, &wait_time);
}
static int do_futex(void)
{
	return (int)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &wait_time, NULL, 0);
}
static int do_semtimedop(void)
{
	struct sembuf op = { .sem_op = -1 };

	return semtimedop(semaphores, &op, 1, &wait_time);
}
static int do_cond_timedwait(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec t = later(CLOCK_REALTIME);
	int rc;

	pthread_mutex_lock(&lock);
	rc = pthread_cond_timedwait(&cond, &lock, &t);
	pthread_mutex_unlock(&lock);
	return fail(rc);
}
static int do_accept(void)
{
	static atomic_int fd;

	if (!fd) {
		struct timeval t = { .tv_usec = WAIT_US };
		int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		struct sockaddr a = { .sa_family = AF_UNIX };

		setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
		bind(s, &a, sizeof(a.sa_family)); /* a name chosen by the kernel */
		listen(s, 1);
		fd = s;
	}
	return accept(fd, NULL, NULL);
}

#define CALL(call)                                                                                                     \
	{                                                                                                              \
		.name = #call, .make = do_##call                                                                       \
	}
static struct call {
	const char *name;
	int (*make)(void);
	atomic_ulong n_eintr;
	unsigned long n;
} calls[] = {
	CALL(nanosleep),      CALL(clock_nanosleep), CALL(absolute),
	CALL(usleep),         CALL(thrd_sleep),      CALL(poll),
	CALL(ppoll),          CALL(select),          CALL(pselect),
	CALL(epoll_wait),     CALL(epoll_pwait),     CALL(recv),
	CALL(recvmsg),        CALL(sem_timedwait),   CALL(sem_clockwait),
	CALL(sigtimedwait),   CALL(futex),           CALL(semtimedop),
	CALL(cond_timedwait), CALL(accept),
};
enum { N_CALLS = sizeof(calls) / sizeof(calls[0]) };

static void *repeat_call(void *arg)
{
	struct call *c = arg;

	while (!is_over) {
		c->n++;
		if (c->make() < 0 && errno == EINTR)
			c->n_eintr++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct timeval short_time = { .tv_usec = WAIT_US };
	struct epoll_event event = { .events = EPOLLIN };
	pthread_t thread[N_CALLS];
	const struct timespec most = { .tv_sec = argc > 1 ? atoi(argv[1]) : 10 };
	sigset_t term;
	int n = 0;

	sigemptyset(&held_back);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigaddset(&held_back, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, NULL);
	if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
		return 99;
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &short_time, sizeof(short_time));
	epoll_fd = epoll_create1(0);
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, ends[0], &event);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	for (int i = 0; i < N_CALLS; i++)
		pthread_create(&thread[i], NULL, repeat_call, &calls[i]);
	puts("ready");
	fflush(stdout);
	sigtimedwait(&term, NULL, &most);
	is_over = true;
	for (int i = 0; i < N_CALLS; i++) {
		pthread_join(thread[i], NULL);
		if (calls[i].n_eintr)
			fprintf(stderr, "%s: %lu of %lu interrupted\n", calls[i].name, calls[i].n_eintr, calls[i].n);
		n += calls[i].n_eintr != 0;
	}
	semctl(semaphores, 0, IPC_RMID);
	return n;
}
