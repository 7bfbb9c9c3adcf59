/*
 * guarded.c - a program that uses SIGPROF in all possible ways, and prints the effects
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * guarded            all cases
 * guarded inherited  the state of SIGPROF after exec
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static volatile sig_atomic_t n_ticks, code, value, sender, depth, deepest, usr1_held, prof_held;
static volatile pthread_t where;
static sigjmp_buf out_of_it;

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* CPU time in which profilers get ticks. */
static void spin(double seconds)
{
	for (double end = cpu() + seconds; cpu() < end;)
		for (int i = 0; i < 2000; i++)
			sink += (unsigned long)i;
}

static void plain(int sig)
{
	(void)sig;
	n_ticks++;
	where = pthread_self();
}

static void full(int sig, siginfo_t *info, void *context)
{
	sigset_t now;

	n_ticks += sig == SIGPROF && context;
	code = info->si_code;
	value = info->si_value.sival_int;
	sender = info->si_code == SI_TIMER ? 0 : info->si_pid == getpid();
	sigprocmask(SIG_SETMASK, NULL, &now);
	usr1_held = sigismember(&now, SIGUSR1);
	prof_held = sigismember(&now, SIGPROF);
}

static void nested(int sig)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (n_ticks++ == 0)
		raise(sig);
	depth--;
}

static void leave(int sig)
{
	siglongjmp(out_of_it, sig);
}

static void set(void (*handler)(int), int flags, int held)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&act.sa_mask);
	if (held)
		sigaddset(&act.sa_mask, held);
	sigaction(SIGPROF, &act, NULL);
	n_ticks = 0;
}

static void set_full(int flags, int held)
{
	struct sigaction act = { .sa_sigaction = full, .sa_flags = SA_SIGINFO | flags };

	sigemptyset(&act.sa_mask);
	if (held)
		sigaddset(&act.sa_mask, held);
	sigaction(SIGPROF, &act, NULL);
	n_ticks = 0;
}

static const char *name_of(const struct sigaction *act)
{
	return act->sa_handler == SIG_DFL        ? "default"
	       : act->sa_handler == SIG_IGN      ? "ignored"
	       : act->sa_flags & SA_SIGINFO      ? "full"
	       : act->sa_handler == plain        ? "plain"
	       : (void *)act->sa_handler != NULL ? "other"
						 : "none";
}

static void show(const char *what)
{
	struct sigaction act;
	sigset_t now;

	sigaction(SIGPROF, NULL, &act);
	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("%s: %s, flags %x, holds USR1 %d PROF %d; blocked %d\n", what, name_of(&act),
	       (unsigned)(act.sa_flags & ~0x04000000), sigismember(&act.sa_mask, SIGUSR1),
	       sigismember(&act.sa_mask, SIGPROF), sigismember(&now, SIGPROF));
}

static void handlers(void)
{
	show("first");
	printf("signal returns %s\n", signal(SIGPROF, plain) == SIG_DFL ? "default" : "other");
	show("signal");
	kill(getpid(), SIGPROF);
	spin(0.02);
	printf("signal: %d received\n", (int)n_ticks);
	set_full(SA_RESTART, SIGUSR1);
	show("sigaction");
	kill(getpid(), SIGPROF);
	printf("kill: %d received, code %d, from this process %d, holds USR1 %d PROF %d\n", (int)n_ticks, (int)code,
	       (int)sender, (int)usr1_held, (int)prof_held);
	sigqueue(getpid(), SIGPROF, (union sigval){ .sival_int = 4711 });
	printf("sigqueue: %d received, code %d, value %d, from this process %d\n", (int)n_ticks, (int)code, (int)value,
	       (int)sender);
	set(nested, 0, 0);
	raise(SIGPROF);
	printf("raised in its handler: %d received, %d deep\n", (int)n_ticks, (int)deepest);
	depth = deepest = 0;
	set(nested, SA_NODEFER, 0);
	raise(SIGPROF);
	printf("raised in its handler with SA_NODEFER: %d received, %d deep\n", (int)n_ticks, (int)deepest);
	set(plain, (int)SA_RESETHAND, 0);
	raise(SIGPROF);
	show("once");
	signal(SIGPROF, leave);
	for (int i = 0; i < 3; i++)
		if (sigsetjmp(out_of_it, 1) == 0) {
			raise(SIGPROF);
			puts("not reached");
		} else {
			spin(0.02);
		}
	signal(SIGPROF, SIG_IGN);
	show("jumped out, then ignored");
	kill(getpid(), SIGPROF);
	spin(0.02);
	set(SIG_IGN, SA_SIGINFO, 0); /* Go sets this when it stops its profile */
	show("ignored with SA_SIGINFO");
	kill(getpid(), SIGPROF);
	spin(0.02);
	set_full((int)SA_RESETHAND, 0);
	raise(SIGPROF);
	show("once with SA_SIGINFO");
}

static void *burn(void *arg)
{
	spin(0.1);
	while (!n_ticks)
		spin(0.01);
	return arg;
}

static void threads(void)
{
	pthread_t t;

	set(plain, SA_RESTART, 0);
	pthread_create(&t, NULL, burn, NULL);
	pthread_kill(t, SIGPROF);
	pthread_join(t, NULL);
	printf("pthread_kill: %d received, in its thread %d\n", (int)n_ticks, pthread_equal(where, t) != 0);
}

/* A timer of 10 ms has 50 ticks in half a second of CPU time; kernel ticks reduce that. */
static void timers(void)
{
	const struct itimerval ten_ms = { { 0, 10000 }, { 0, 10000 } }, none = { { 0, 0 }, { 0, 0 } };
	const struct itimerspec ten = { { 0, 10000000 }, { 0, 10000000 } };
	const clockid_t clocks[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID };
	struct itimerval now;

	getitimer(ITIMER_PROF, &now);
	printf("no timer runs: %d\n", now.it_interval.tv_usec == 0 && now.it_value.tv_sec == 0);
	set_full(SA_RESTART, 0);
	code = 99;
	setitimer(ITIMER_PROF, &ten_ms, NULL);
	getitimer(ITIMER_PROF, &now);
	printf("setitimer reads back %d us\n", (int)now.it_interval.tv_usec);
	spin(0.5);
	setitimer(ITIMER_PROF, &none, NULL);
	printf("setitimer: %s, code %d\n", n_ticks >= 3 && n_ticks <= 75 ? "ticks" : "wrong", (int)code);
	fprintf(stderr, "setitimer: %d\n", (int)n_ticks);
	for (int i = 0; i < 2; i++) {
		struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };
		timer_t timer;

		e.sigev_value.sival_int = 77 + i;
		n_ticks = 0;
		if (timer_create(clocks[i], &e, &timer) != 0)
			printf("timer_create: %s\n", strerror(errno));
		timer_settime(timer, 0, &ten, NULL);
		spin(0.5);
		timer_delete(timer);
		printf("timer_create: %s, code %d, value %d\n", n_ticks >= 3 && n_ticks <= 75 ? "ticks" : "wrong",
		       (int)code, (int)value);
		fprintf(stderr, "timer_create: %d\n", (int)n_ticks);
	}
	n_ticks = 0;
	spin(0.2);
	printf("after timer_delete: %d\n", (int)n_ticks);
}

/* Send 20 signals. On a busy machine a second one would be lost while the first is pending, so wait for the handler. */
static void *send_later(void *thread)
{
	for (int i = 0; i < 20; i++) {
		int before = (int)n_ticks;

		usleep(50000);
		pthread_kill(*(pthread_t *)thread, SIGPROF);
		while (n_ticks == before)
			usleep(1000);
	}
	return NULL;
}

static void *write_later(void *ends)
{
	usleep(1200000);
	return write(((int *)ends)[1], "x", 1) == 1 ? NULL : ends;
}

/* Blocking calls are interrupted or restarted as the handler requests. */
static void calls(void)
{
	pthread_t t[2], self = pthread_self();
	int ends[2], n;
	char c;

	if (pipe(ends) != 0)
		return;
	for (int flags = 0; flags <= SA_RESTART; flags += SA_RESTART) {
		set(plain, flags, 0);
		pthread_create(&t[0], NULL, send_later, &self);
		pthread_create(&t[1], NULL, write_later, ends);
		n = (int)read(ends[0], &c, 1);
		printf("read %s: %s\n", flags ? "continues" : "is interrupted", n == 1 ? "a byte" : strerror(errno));
		pthread_join(t[0], NULL);
		pthread_join(t[1], NULL);
		if (n != 1 && read(ends[0], &c, 1) != 1)
			puts("no byte");
		printf("%d received\n", (int)n_ticks);
	}
	close(ends[0]);
	close(ends[1]);
}

static void masks(void)
{
	struct timespec none = { 0, 0 };
	sigset_t prof, before, without;
	siginfo_t info;

	set(plain, SA_RESTART, 0);
	sigemptyset(&prof);
	sigaddset(&prof, SIGPROF);
	sigprocmask(SIG_BLOCK, &prof, &before);
	kill(getpid(), SIGPROF);
	kill(getpid(), SIGPROF);
	spin(0.05);
	show("blocked");
	sigpending(&without);
	printf("%d received, %d pending\n", (int)n_ticks, sigismember(&without, SIGPROF));
	printf("sigsuspend: %d, ", sigsuspend(&before));
	printf("%d received\n", (int)n_ticks);
	sigpending(&without);
	printf("%d pending\n", sigismember(&without, SIGPROF));
	raise(SIGPROF);
	printf("sigtimedwait: %d, ", sigtimedwait(&prof, &info, &none));
	printf("from this process %d, %d received\n", info.si_pid == getpid(), (int)n_ticks);
	printf("nothing pending: %d\n", sigtimedwait(&prof, NULL, &none));
	sigprocmask(SIG_SETMASK, &before, NULL);
	printf("%d received\n", (int)n_ticks);
}

static void hold_all(int sig)
{
	(void)sig;
	raise(SIGPROF);
	printf("in a handler with all signals in its mask: %d received\n", (int)n_ticks);
}

static void *open_mask(void *none)
{
	unsigned long empty = 0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &empty, NULL, sizeof(empty));
	raise(SIGPROF);
	printf("in a thread that sets its mask by a system call: %d received\n", (int)n_ticks);
	return none;
}

/* Go does all of this: handlers with all signals in their masks, threads that start with all signals blocked. */
static void all_masked(void)
{
	struct sigaction act = { .sa_handler = hold_all, .sa_flags = SA_RESTART };
	sigset_t before;
	pthread_t t;

	sigfillset(&act.sa_mask);
	sigaction(SIGUSR2, &act, NULL);
	set(plain, SA_RESTART, 0);
	raise(SIGUSR2);
	printf("after it: %d received\n", (int)n_ticks);
	show("after it");
	pthread_sigmask(SIG_SETMASK, &act.sa_mask, &before);
	raise(SIGPROF);
	pthread_create(&t, NULL, open_mask, NULL);
	pthread_join(t, NULL);
	printf("all blocked: %d received\n", (int)n_ticks);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	printf("unblocked: %d received\n", (int)n_ticks);
}

/* One thread waits for signals, all others block them. */
static void *wait_for(void *arg)
{
	sigset_t prof;
	siginfo_t info;
	int sig = 0;

	sigemptyset(&prof);
	sigaddset(&prof, SIGPROF);
	for (int i = 0; i < 2; i++)
		*(int *)arg += sigwait(&prof, &sig) == 0 && sig == SIGPROF;
	*(int *)arg += sigwaitinfo(&prof, &info) == SIGPROF && info.si_code == SI_USER && info.si_pid == getpid();
	return NULL;
}

static void waiting(void)
{
	sigset_t prof, before;
	pthread_t t;
	int n = 0;

	sigemptyset(&prof);
	sigaddset(&prof, SIGPROF);
	pthread_sigmask(SIG_BLOCK, &prof, &before);
	n_ticks = 0;
	pthread_create(&t, NULL, wait_for, &n);
	for (int i = 0; i < 3; i++) {
		usleep(100000);
		spin(0.05);
		kill(getpid(), SIGPROF);
	}
	pthread_join(t, NULL);
	printf("sigwait: %d returned, %d received\n", n, (int)n_ticks);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void children(char **argv)
{
	char *const again[] = { argv[0], (char *)"inherited", NULL };
	sigset_t prof;
	int status = 0;

	sigemptyset(&prof);
	sigaddset(&prof, SIGPROF);
	fflush(stdout);
	for (int how = 0; how < 7; how++) {
		pid_t pid = fork();

		if (pid == 0) {
			set(how == 1 || how == 6 ? SIG_IGN : how == 2 ? plain : SIG_DFL, how < 5 ? 0 : SA_SIGINFO, 0);
			spin(0.02);
			if (how == 0 || how == 5)
				raise(SIGPROF);
			if (how == 3)
				sigprocmask(SIG_BLOCK, &prof, NULL);
			if (how == 4) /* exec without the C library */
				syscall(SYS_execve, "/proc/self/exe", again, environ);
			execl("/proc/self/exe", argv[0], "inherited", NULL);
			_exit(1);
		}
		waitpid(pid, &status, 0);
		printf("child %d: signal %d, status %d\n", how, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		       WIFEXITED(status) ? WEXITSTATUS(status) : 0);
		fflush(stdout);
	}
}

/* A child of vfork has actions and a mask of its own, as Python sets them before it executes a program. */
static void vforked(char **argv)
{
	sigset_t prof, before;
	int status = 0;
	pid_t pid;

	sigemptyset(&prof);
	sigaddset(&prof, SIGPROF);
	set(plain, SA_RESTART, 0);
	sigprocmask(SIG_BLOCK, &prof, &before);
	raise(SIGPROF);
	pid = vfork();
	if (pid == 0) {
		signal(SIGPROF, SIG_DFL);
		sigprocmask(SIG_SETMASK, &before, NULL);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	printf("child of vfork: signal %d, status %d\n", WTERMSIG(status), WEXITSTATUS(status));
	sigprocmask(SIG_SETMASK, &before, NULL);
	printf("after vfork: %d received\n", (int)n_ticks);
	show("after vfork");
	raise(SIGPROF);
	printf("the handler is still set: %d received\n", (int)n_ticks);
	for (int how = 0; how < 2; how++) { /* the child executes a program, without changes or after its own ones */
		set(SIG_IGN, 0, 0);
		pid = vfork();
		if (pid == 0) {
			if (how == 1)
				signal(SIGPROF, SIG_DFL);
			execl("/proc/self/exe", argv[0], "inherited", NULL);
			_exit(1);
		}
		waitpid(pid, &status, 0);
		show("after exec");
	}
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && strcmp(argv[1], "inherited") == 0) {
		show("inherited");
		return 0;
	}
	handlers();
	threads();
	timers();
	calls();
	masks();
	all_masked();
	waiting();
	children(argv);
	vforked(argv);
	puts("default action");
	signal(SIGPROF, SIG_DFL);
	kill(getpid(), SIGPROF);
	puts("not reached");
	return 0;
}
