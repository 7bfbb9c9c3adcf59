/*
 * limits.c - programs with limited rights, and threads with unusual registers and calls
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * limits deny NAME[,NAME]... PROGRAM [ARGUMENT]...   run it with these system calls denied
 * limits frame SECONDS       use CPU time with random frame pointers
 * limits calls               make blocking calls, with CPU time in between; print those that returned EINTR
 * limits errno SECONDS       check that errno is preserved
 * limits deep N SECONDS      use CPU time in leaf(), below N calls
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void spin(double seconds)
{
	for (double end = cpu() + seconds; cpu() < end;)
		for (int i = 0; i < 2000; i++)
			sink += (unsigned long)i;
}

static const struct {
	const char *name;
	int number;
} denied[] = {
	{ "timer_create", SYS_timer_create },       { "timer_settime", SYS_timer_settime },
	{ "perf_event_open", SYS_perf_event_open }, { "process_vm_readv", SYS_process_vm_readv },
	{ "pidfd_open", SYS_pidfd_open },
};

static void deny(int number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		exit(77);
}

static int deny_and_run(char *names, char **argv)
{
	for (char *n = strtok(names, ","); n; n = strtok(NULL, ","))
		for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]); i++)
			if (strcmp(n, denied[i].name) == 0)
				deny(denied[i].number);
	execv(argv[0], argv);
	return 1;
}

/* A loop that changes the frame pointer register. */
__attribute__((noinline)) static void with_frame(uint64_t fp, uint64_t n)
{
#if defined(__x86_64__)
	__asm__ volatile("movq %%rbp, %%r11\n\tmovq %1, %%rbp\n1:\tdecq %0\n\tjnz 1b\n\tmovq %%r11, %%rbp"
			 : "+r"(n)
			 : "r"(fp)
			 : "r11", "cc", "memory");
#else
	__asm__ volatile("mov x9, x29\n\tmov x29, %1\n1:\tsubs %0, %0, #1\n\tb.ne 1b\n\tmov x29, x9"
			 : "+r"(n)
			 : "r"(fp)
			 : "x9", "cc", "memory");
#endif
}

static void any_frame(double seconds)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0), x = 88172645463325252ULL;
	const uint64_t odd[] = { (uint64_t)-8,  1,        0,         8,          (uint64_t)-1,        1ULL << 63,
				 4096,          here - 1, here + 8,  here & ~7U, (here | 0xfff) + 1,  here - 4096,
				 ~0ULL / 2 - 7, here + 1, here ^ 16, 0xffff8000, (here | 0xfffff) + 1 };

	for (double end = cpu() + seconds; cpu() < end;)
		for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			with_frame(odd[i], 20000);
			with_frame(x, 20000);
			with_frame(here + (x & 0xffff) - 0x8000, 20000);
		}
	puts("done");
}

static int fds[2], event, pair[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;

static struct timespec soon(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 500000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* After a signal, the kernel or the C library restarts the first N_RESTARTED calls. */
enum { N_RESTARTED = 9, N_CALLS = 25 };
static const char *const call_name[N_CALLS] = {
	"read",       "eventfd",    "waitpid",     "mutex",           "cond_timedwait", "flock",  "sem_wait",
	"write",      "recv",       "nanosleep",   "clock_nanosleep", "usleep",         "poll",   "ppoll",
	"select",     "pselect",    "epoll_wait",  "epoll_pwait",     "sem_timedwait",  "accept", "sigtimedwait",
	"recv_timed", "thrd_sleep", "mutex_timed", "cond_clockwait",
};

static int fail(int rc)
{
	return rc < 0 ? errno : 0;
}

/* Make a call, with a short timeout if it has one. Returns the error. */
static int wait_once(int which)
{
	struct timespec half = { 0, 500000 }, end = soon(CLOCK_REALTIME), mono = soon(CLOCK_MONOTONIC);
	struct timeval tv = { 0, 500 };
	struct pollfd p = { .fd = pair[1], .events = POLLIN };
	struct epoll_event e;
	static int epoll = -1;
	uint64_t n = 1;
	sigset_t usr2;
	char c = 0;
	int rc;

	if (epoll < 0)
		epoll = epoll_create1(0);
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	switch (which) {
	case 0:
		return fail((int)write(fds[1], &c, 1)) || fail((int)read(fds[0], &c, 1)) ? errno : 0;
	case 1:
		return fail((int)write(event, &n, 8)) || fail((int)read(event, &n, 8)) ? errno : 0;
	case 2:
		rc = fork();
		if (rc == 0)
			_exit(0);
		return fail(waitpid(rc, NULL, 0));
	case 3:
		rc = pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		return rc;
	case 4:
		pthread_mutex_lock(&mutex);
		rc = pthread_cond_timedwait(&cond, &mutex, &end);
		pthread_mutex_unlock(&mutex);
		return rc;
	case 5:
		return fail(flock(fds[0], LOCK_EX)) || fail(flock(fds[0], LOCK_UN)) ? errno : 0;
	case 6:
		sem_post(&sem);
		return fail(sem_wait(&sem));
	case 7:
		return fail((int)write(fds[1], &c, 1)) || fail((int)read(fds[0], &c, 1)) ? errno : 0;
	case 8:
		return fail((int)send(pair[0], &c, 1, 0)) || fail((int)recv(pair[1], &c, 1, 0)) ? errno : 0;
	case 9:
		return fail(nanosleep(&half, NULL));
	case 10:
		return clock_nanosleep(CLOCK_MONOTONIC, 0, &half, NULL);
	case 11:
		return fail(usleep(500));
	case 12:
		return fail(poll(&p, 1, 1));
	case 13:
		return fail(ppoll(&p, 1, &half, NULL));
	case 14:
		return fail(select(0, NULL, NULL, NULL, &tv));
	case 15:
		return fail(pselect(0, NULL, NULL, NULL, &half, NULL));
	case 16:
		return fail(epoll_wait(epoll, &e, 1, 1));
	case 17:
		return fail(epoll_pwait(epoll, &e, 1, 1, NULL));
	case 18:
		return fail(sem_timedwait(&sem, &end));
	case 19:
		return fail(accept4(pair[0], NULL, NULL, SOCK_NONBLOCK));
	case 20:
		return fail(sigtimedwait(&usr2, NULL, &half));
	case 21:
		setsockopt(pair[1], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
		rc = fail((int)recv(pair[1], &c, 1, 0));
		tv.tv_usec = 0;
		setsockopt(pair[1], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
		return rc;
	case 22:
		return fail((int)syscall(SYS_nanosleep, &half, NULL));
	case 23:
		rc = pthread_mutex_timedlock(&mutex, &end);
		pthread_mutex_unlock(&mutex);
		return rc;
	default:
		pthread_mutex_lock(&mutex);
		rc = pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &mono);
		pthread_mutex_unlock(&mutex);
		return rc;
	}
}

static void calls(void)
{
	int n_seen = 0, n_wrong = 0, n_calls = 0;

	if (pipe(fds) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return;
	event = eventfd(0, 0);
	sem_init(&sem, 0, 0);
	for (int which = 0; which < N_CALLS; which++) {
		int n = 0;

		for (int i = 0; i < 60; i++) {
			spin(0.0005);
			n += wait_once(which) == EINTR;
			n_calls++;
		}
		if (n)
			fprintf(stderr, "%s %d\n", call_name[which], n);
		n_seen += n;
		n_wrong += which < N_RESTARTED ? n : 0;
	}
	printf("%d %d %d\n", n_wrong, n_seen, n_calls);
}

static void errno_is_preserved(double seconds)
{
	bool stays = true;

	for (double end = cpu() + seconds; cpu() < end;)
		for (int e = 1; e < 4000; e++) {
			errno = e;
			for (int i = 0; i < 50; i++)
				sink += (unsigned long)i;
			stays &= errno == e;
		}
	puts(stays ? "stays" : "changes");
}

__attribute__((noinline)) static void leaf(double seconds)
{
	spin(seconds);
	sink++;
}

__attribute__((noinline)) static int recurse(int n, double seconds)
{
	if (n == 0)
		leaf(seconds);
	else
		recurse(n - 1, seconds);
	return (int)(sink++ & 1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc > 3 && strcmp(what, "deny") == 0)
		return deny_and_run(argv[2], argv + 3);
	if (argc > 2 && strcmp(what, "frame") == 0)
		any_frame(atof(argv[2]));
	else if (strcmp(what, "calls") == 0)
		calls();
	else if (argc > 2 && strcmp(what, "errno") == 0)
		errno_is_preserved(atof(argv[2]));
	else if (argc > 3 && strcmp(what, "deep") == 0)
		recurse(atoi(argv[2]), atof(argv[3]));
	else
		return 1;
	return 0;
}
