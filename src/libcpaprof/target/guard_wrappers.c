/*
 * guard_wrappers.c - wrappers of functions that set signal handlers and masks, and wait for signals
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of other signals are sampled like all code, so our signal is removed from their masks. A handler on an
 * alternate stack keeps it only if a stack is too small for two signal frames: the handler may be left by longjmp, and
 * then the signal would stay blocked.
 *
 * Our signal is never really blocked. Each thread stores whether the program believes it is.
 *
 * So the kernel may deliver a signal to one thread while another thread waits for it. The first thread then forwards
 * it. Signals of our timers that reach a waiting thread are hidden from the program and from signalfd.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <string.h>

static _Atomic uint64_t needs_block; /* signals whose handlers the program wants to run with our signal blocked */

static void note_mask(int sig, struct sigaction *act)
{
	uint64_t bit = sig >= 1 && sig <= 64 ? sys_bit(sig) : 0;
	uint64_t needed = sigismember(&act->sa_mask, cpi.sig) == 1 ? bit : 0;

	if ((atomic_load(&needs_block) & bit) != needed && !cpi_guard_is_vforked())
		atomic_fetch_xor(&needs_block, bit);
	if (act->sa_flags & SA_ONSTACK && cpi_guard_has_small_altstack())
		sigaddset(&act->sa_mask, cpi.sig);
	else
		sigdelset(&act->sa_mask, cpi.sig);
}

CPA_EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction ours;
	uint64_t before;
	int rc;

	if (!cpi.head || sig < 1 || sig > 64)
		return cpi_next()->sigaction(sig, act, old);
	if (sig == cpi.sig)
		return cpi_guard_sigaction(act, old);
	before = atomic_load(&needs_block);
	if (act) {
		ours = *act;
		note_mask(sig, &ours);
	}
	rc = cpi_next()->sigaction(sig, act ? &ours : NULL, old);
	if (rc == 0 && old && before & sys_bit(sig))
		sigaddset(&old->sa_mask, cpi.sig);
	else if (rc == 0 && old)
		sigdelset(&old->sa_mask, cpi.sig);
	return rc;
}

/* signal() and similar functions, for our signal. block: the signal is blocked while its handler runs. */
static signal_fn guard_wrappers_set(signal_fn handler, int flags, bool block)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags }, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&act.sa_mask);
	if (block)
		sigaddset(&act.sa_mask, cpi.sig);
	cpi_guard_sigaction(&act, &old);
	return old.sa_handler;
}

static bool guard_wrappers_is_ours(int sig)
{
	return cpi.head && sig == cpi.sig;
}

#define SIGNAL_WRAPPER(name, flags, block)                                                                             \
	CPA_EXPORT signal_fn name(int sig, signal_fn handler)                                                          \
	{                                                                                                              \
		return guard_wrappers_is_ours(sig) ? guard_wrappers_set(handler, flags, block)                         \
						   : cpi_next()->name(sig, handler);                                   \
	}

SIGNAL_WRAPPER(signal, SA_RESTART, true)
SIGNAL_WRAPPER(bsd_signal, SA_RESTART, true)
SIGNAL_WRAPPER(ssignal, SA_RESTART, true)
SIGNAL_WRAPPER(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER), false)
SIGNAL_WRAPPER(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER), false)

/* Another signal was unblocked. */
static void leave_mask_all(void)
{
	if (atomic_load(&cpi_local.blocked) == MASK_ALL)
		atomic_store(&cpi_local.blocked, MASK_BLOCKED);
}

CPA_EXPORT signal_fn sigset(int sig, signal_fn handler)
{
	bool was_blocked = atomic_load(&cpi_local.blocked);
	signal_fn old;

	if (!guard_wrappers_is_ours(sig)) {
		leave_mask_all();
		return cpi_next()->sigset(sig, handler);
	}
	if (handler == SIG_HOLD) {
		struct sigaction now;

		cpi_guard_sigaction(NULL, &now);
		cpi_guard_block(MASK_BLOCKED);
		return was_blocked ? SIG_HOLD : now.sa_handler;
	}
	old = guard_wrappers_set(handler, 0, false);
	cpi_guard_block(MASK_OPEN);
	return was_blocked ? SIG_HOLD : old;
}

CPA_EXPORT int sigignore(int sig)
{
	if (!guard_wrappers_is_ours(sig))
		return cpi_next()->sigignore(sig);
	guard_wrappers_set(SIG_IGN, 0, false);
	return 0;
}

CPA_EXPORT int sigaltstack(const stack_t *stack, stack_t *old)
{
	int rc = cpi_next()->sigaltstack(stack, old);

	if (rc == 0 && stack && cpi.head && !(stack->ss_flags & SS_DISABLE))
		cpi_guard_check_altstack(stack->ss_size);
	return rc;
}

typedef int mask_fn(int, const sigset_t *, sigset_t *);

static bool has_ours(const sigset_t *set)
{
	return cpi.head && set && sigismember(set, cpi.sig) == 1;
}

/* The set without our signal, copied to room if our signal is in it. */
static const sigset_t *without_ours(const sigset_t *requested, sigset_t *room)
{
	if (!has_ours(requested))
		return requested;
	*room = *requested;
	sigdelset(room, cpi.sig);
	return room;
}

/* The mask of a thread after it blocked this set, which contains our signal. */
static enum guard_mask mask_with(const sigset_t *set)
{
	uint64_t bits;

	memcpy(&bits, set, sizeof(bits));
	return cpi_guard_is_all_sig(bits) ? MASK_ALL : MASK_BLOCKED;
}

static int change_mask(mask_fn *next, int how, const sigset_t *requested, sigset_t *old)
{
	bool was_blocked = atomic_load(&cpi_local.blocked);
	bool has = has_ours(requested);
	sigset_t room;
	int rc = next(how, without_ours(requested, &room), old);

	if (rc != 0 || !cpi.head)
		return rc;
	if (old && was_blocked)
		sigaddset(old, cpi.sig);
	else if (old && !(atomic_load(&cpi_local.in_handler) && sigismember(old, cpi.sig)))
		sigdelset(old, cpi.sig);
	if (requested && (how == SIG_SETMASK || has))
		cpi_guard_block(has && how != SIG_UNBLOCK ? mask_with(requested) : MASK_OPEN);
	else if (requested && how == SIG_UNBLOCK)
		leave_mask_all();
	return rc;
}

CPA_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return change_mask(cpi_next()->sigprocmask, how, set, old);
}

CPA_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return change_mask(cpi_next()->pthread_sigmask, how, set, old);
}

CPA_EXPORT int sighold(int sig)
{
	if (!guard_wrappers_is_ours(sig))
		return cpi_next()->sighold(sig);
	cpi_guard_block(MASK_BLOCKED);
	return 0;
}

CPA_EXPORT int sigrelse(int sig)
{
	if (!guard_wrappers_is_ours(sig)) {
		leave_mask_all();
		return cpi_next()->sigrelse(sig);
	}
	cpi_guard_block(MASK_OPEN);
	return 0;
}

CPA_EXPORT int sigpending(sigset_t *set)
{
	int rc = cpi_next()->sigpending(set);

	if (rc == 0 && cpi.head && atomic_load(&cpi_local.pending))
		sigaddset(set, cpi.sig);
	return rc;
}

struct wait_mask {
	enum guard_mask before;
	bool is_held; /* our signal is blocked in the kernel too, until the call unblocks it */
};

/*
 * During the wait the program uses another mask. A signal that was blocked before, or arrives just before the wait,
 * must end the wait. So if the program has a handler for it, the kernel blocks the signal until then.
 */
static struct wait_mask guard_wrappers_wait_begin(const sigset_t *mask)
{
	struct wait_mask w = { .before = atomic_load(&cpi_local.blocked) };
	uint64_t bit;
	bool blocks;

	if (!mask || !cpi.head)
		return w;
	blocks = sigismember(mask, cpi.sig) == 1;
	bit = sys_bit(cpi.sig);
	w.is_held = w.before != MASK_OPEN && !blocks && cpi_guard_is_handled();
	if (w.is_held)
		sys_mask(SIG_BLOCK, &bit, NULL);
	cpi_guard_block(blocks ? MASK_BLOCKED : MASK_OPEN);
	return w;
}

static int wait_end(const sigset_t *mask, struct wait_mask w, int rc)
{
	uint64_t bit = sys_bit(cpi.sig ? cpi.sig : SIGPROF);

	if (mask && cpi.head)
		cpi_guard_block(w.before);
	if (w.is_held)
		sys_mask(SIG_UNBLOCK, &bit, NULL);
	return rc;
}

CPA_EXPORT int sigsuspend(const sigset_t *mask)
{
	struct wait_mask before = guard_wrappers_wait_begin(mask);
	sigset_t room;

	return wait_end(mask, before, cpi_next()->sigsuspend(without_ours(mask, &room)));
}

CPA_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	struct wait_mask before = guard_wrappers_wait_begin(mask);
	sigset_t room;

	return wait_end(mask, before, cpi_next()->ppoll(fds, n, timeout, without_ours(mask, &room)));
}

CPA_EXPORT int pselect(int n, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout,
		       const sigset_t *mask)
{
	struct wait_mask before = guard_wrappers_wait_begin(mask);
	sigset_t room;

	return wait_end(mask, before, cpi_next()->pselect(n, in, out, except, timeout, without_ours(mask, &room)));
}

CPA_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout, const sigset_t *mask)
{
	struct wait_mask before = guard_wrappers_wait_begin(mask);
	sigset_t room;

	return wait_end(mask, before, cpi_next()->epoll_pwait(fd, events, n, timeout, without_ours(mask, &room)));
}

CPA_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *timeout,
			    const sigset_t *mask)
{
	struct wait_mask before;
	sigset_t room;

	if (!cpi_next()->epoll_pwait2) {
		errno = ENOSYS;
		return -1;
	}
	before = guard_wrappers_wait_begin(mask);
	return wait_end(mask, before, cpi_next()->epoll_pwait2(fd, events, n, timeout, without_ours(mask, &room)));
}

enum { N_WAITERS = 16, NS_PER_S = 1000000000 };

/* Values of si_code for forwarded signals, because a thread cannot send SI_USER or SI_KERNEL to another thread. */
enum { PASSED_USER = -1000, PASSED_KERNEL = -1001 };

static _Atomic uint32_t waiter[N_WAITERS]; /* tids of waiting threads; 0: free */

bool cpi_guard_redirect_sig(int sig, const siginfo_t *info)
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

static void replace_waiter(uint32_t from, uint32_t to)
{
	for (int i = 0; i < N_WAITERS; i++) {
		uint32_t expected = from;

		if (atomic_compare_exchange_strong(&waiter[i], &expected, to))
			return;
	}
}

static bool is_timer_signal(const siginfo_t *info)
{
	uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr;

	return (info->si_code == SI_TIMER && value == cpi.cookie) ||
	       (info->si_code == SI_QUEUE && (value == cpi.cookie || value == (cpi.cookie ^ COOKIE_STACK))) ||
	       cpi_perf_is_signal_sig(info);
}

/* Wait until end_ns; 0: no limit. */
static int guard_wrappers_wait_until(const sigset_t *set, siginfo_t *info, uint64_t end_ns)
{
	for (;;) {
		uint64_t now = end_ns ? sys_now(CLOCK_MONOTONIC) : 0, left = end_ns > now ? end_ns - now : 0;
		struct timespec t = { .tv_sec = (time_t)(left / NS_PER_S), .tv_nsec = (long)(left % NS_PER_S) };
		int sig = cpi_next()->sigtimedwait(set, info, end_ns ? &t : NULL);

		if (sig == cpi.sig && is_timer_signal(info))
			continue;
		if (sig > 0 && (info->si_code == PASSED_USER || info->si_code == PASSED_KERNEL))
			info->si_code = info->si_code == PASSED_USER ? SI_USER : SI_KERNEL;
		return sig;
	}
}

static int guard_wrappers_wait_signal(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	uint8_t before = atomic_load(&cpi_local.blocked);
	siginfo_t room;
	uint64_t bit, end_ns = 0;
	int sig, error;

	if (!has_ours(set) ||
	    (timeout && (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= NS_PER_S)))
		return cpi_next()->sigtimedwait(set, info, timeout);
	if (timeout)
		end_ns = sys_now(CLOCK_MONOTONIC) + (uint64_t)timeout->tv_sec * NS_PER_S + (uint64_t)timeout->tv_nsec;
	bit = sys_bit(cpi.sig);
	sys_mask(SIG_BLOCK, &bit, NULL);
	replace_waiter(0, sys_gettid());
	/* a signal held back for the program is sent again and is now pending in the kernel */
	cpi_guard_block(MASK_OPEN);
	sig = guard_wrappers_wait_until(set, info ? info : &room, end_ns);
	error = errno;
	replace_waiter(sys_gettid(), 0);
	atomic_store(&cpi_local.blocked, before);
	sys_mask(SIG_UNBLOCK, &bit, NULL);
	errno = error;
	return sig;
}

CPA_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	return guard_wrappers_wait_signal(set, info, timeout);
}

CPA_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return guard_wrappers_wait_signal(set, info, NULL);
}

CPA_EXPORT int sigwait(const sigset_t *set, int *sig)
{
	int before = errno, got;

	do
		got = guard_wrappers_wait_signal(set, NULL, NULL);
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
	sigset_t room;

	return cpi_next()->signalfd(fd, without_ours(set, &room), flags);
}
