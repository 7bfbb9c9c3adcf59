/*
 * guard_waits.c - threads that wait for our signal, as programs do that hold it back everywhere
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Our signal is not really blocked in other threads, so the kernel gives them what is for the one that waits; they
 * pass it on. And what our timers send to the one that waits is not for the program, nor for a signalfd.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/guard_int.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>

enum { N_WAITERS = 16, NS_PER_S = 1000000000 };

/* The kernel lets no thread send another one its own codes; these stand for them. */
enum { PASSED_USER = -1000, PASSED_KERNEL = -1001 };

static _Atomic uint32_t waiter[N_WAITERS]; /* tids; 0: free */

bool cpi_guard_pass_on_sig(int sig, const siginfo_t *info)
{
	siginfo_t passed = *info;

	if (info->si_code >= 0)
		passed.si_code = info->si_code == SI_KERNEL ? PASSED_KERNEL : PASSED_USER;
	for (int i = 0; i < N_WAITERS; i++) {
		uint32_t tid = atomic_load(&waiter[i]);

		if (tid && tid != sys_gettid() &&
		    sys_call(SYS_rt_tgsigqueueinfo, sys_getpid(), tid, sig, (long)&passed) == 0)
			return true;
	}
	return false;
}

static bool asks(const sigset_t *set)
{
	return cpi.head && set && sigismember(set, cpi.sig) == 1;
}

static void list(uint32_t from, uint32_t to)
{
	for (int i = 0; i < N_WAITERS; i++) {
		uint32_t was = from;

		if (atomic_compare_exchange_strong(&waiter[i], &was, to))
			return;
	}
}

static bool is_ours(const siginfo_t *info)
{
	uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr;

	return (info->si_code == SI_TIMER && value == cpi.cookie) ||
	       (info->si_code == SI_QUEUE && (value == cpi.cookie || value == (cpi.cookie ^ COOKIE_STACK))) ||
	       cpi_perf_is_signal_sig(info);
}

/* Wait until end_ns, or for ever if that is 0. */
static int wait_until(const sigset_t *set, siginfo_t *info, uint64_t end_ns)
{
	for (;;) {
		uint64_t now = end_ns ? sys_now(CLOCK_MONOTONIC) : 0, left = end_ns > now ? end_ns - now : 0;
		struct timespec t = { .tv_sec = (time_t)(left / NS_PER_S), .tv_nsec = (long)(left % NS_PER_S) };
		int sig = cpi_next()->sigtimedwait(set, info, end_ns ? &t : NULL);

		if (sig == cpi.sig && is_ours(info))
			continue;
		if (sig > 0 && (info->si_code == PASSED_USER || info->si_code == PASSED_KERNEL))
			info->si_code = info->si_code == PASSED_USER ? SI_USER : SI_KERNEL;
		return sig;
	}
}

static int wait_for(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	bool before = atomic_load(&cpi_local.blocked);
	siginfo_t room;
	uint64_t bit, end_ns = 0;
	int sig, error;

	if (!asks(set) || (timeout && (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= NS_PER_S)))
		return cpi_next()->sigtimedwait(set, info, timeout);
	if (timeout)
		end_ns = sys_now(CLOCK_MONOTONIC) + (uint64_t)timeout->tv_sec * NS_PER_S + (uint64_t)timeout->tv_nsec;
	bit = sys_bit(cpi.sig);
	sys_mask(SIG_BLOCK, &bit, NULL);
	list(0, sys_gettid());
	cpi_guard_block(false); /* what was held back waits in the kernel now */
	sig = wait_until(set, info ? info : &room, end_ns);
	error = errno;
	list(sys_gettid(), 0);
	atomic_store(&cpi_local.blocked, before);
	sys_mask(SIG_UNBLOCK, &bit, NULL);
	errno = error;
	return sig;
}

CPA_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	return wait_for(set, info, timeout);
}

CPA_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return wait_for(set, info, NULL);
}

CPA_EXPORT int sigwait(const sigset_t *set, int *sig)
{
	int before = errno, got;

	do
		got = wait_for(set, NULL, NULL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		got = -errno;
	else
		*sig = got;
	errno = before;
	return got < 0 ? -got : 0;
}

CPA_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t without;

	if (!asks(set))
		return cpi_next()->signalfd(fd, set, flags);
	without = *set;
	sigdelset(&without, cpi.sig);
	return cpi_next()->signalfd(fd, &without, flags);
}
