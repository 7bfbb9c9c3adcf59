/*
 * guard_actions.c - wrappers of what sets signal handlers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of other signals are sampled like all code, so our signal is taken out of their masks; but
 * not on alternate stacks, which may be too small for two.
 */
#include "config.h"

#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/guard_int.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>

static _Atomic uint64_t asked; /* signals whose handlers the program runs with our signal blocked */

static void note_mask(int sig, struct sigaction *act)
{
	uint64_t bit = sig >= 1 && sig <= 64 ? sys_bit(sig) : 0;

	if (sigismember(&act->sa_mask, cpi.sig) == 1)
		atomic_fetch_or(&asked, bit);
	else
		atomic_fetch_and(&asked, ~bit);
	if (act->sa_flags & SA_ONSTACK)
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
		return cpi_guard_swap(act, old);
	before = atomic_load(&asked);
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

/* What signal and its kin do with our signal: flags and whether it is blocked while it is handled. */
static signal_fn set(signal_fn handler, int flags, bool block)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags }, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&act.sa_mask);
	if (block)
		sigaddset(&act.sa_mask, cpi.sig);
	cpi_guard_swap(&act, &old);
	return old.sa_handler;
}

static bool is_ours(int sig)
{
	return cpi.head && sig == cpi.sig;
}

CPA_EXPORT signal_fn signal(int sig, signal_fn handler)
{
	return is_ours(sig) ? set(handler, SA_RESTART, true) : cpi_next()->signal(sig, handler);
}

CPA_EXPORT signal_fn bsd_signal(int sig, signal_fn handler)
{
	return is_ours(sig) ? set(handler, SA_RESTART, true) : cpi_next()->bsd_signal(sig, handler);
}

CPA_EXPORT signal_fn ssignal(int sig, signal_fn handler)
{
	return is_ours(sig) ? set(handler, SA_RESTART, true) : cpi_next()->ssignal(sig, handler);
}

CPA_EXPORT signal_fn sysv_signal(int sig, signal_fn handler)
{
	return is_ours(sig) ? set(handler, (int)(SA_RESETHAND | SA_NODEFER), false)
			    : cpi_next()->sysv_signal(sig, handler);
}

CPA_EXPORT signal_fn __sysv_signal(int sig, signal_fn handler)
{
	return is_ours(sig) ? set(handler, (int)(SA_RESETHAND | SA_NODEFER), false)
			    : cpi_next()->__sysv_signal(sig, handler);
}

CPA_EXPORT signal_fn sigset(int sig, signal_fn handler)
{
	bool was_blocked = atomic_load(&cpi_local.blocked);
	signal_fn old;

	if (!is_ours(sig))
		return cpi_next()->sigset(sig, handler);
	if (handler == SIG_HOLD) {
		struct sigaction now;

		cpi_guard_swap(NULL, &now);
		cpi_guard_block(true);
		return was_blocked ? SIG_HOLD : now.sa_handler;
	}
	old = set(handler, 0, false);
	cpi_guard_block(false);
	return was_blocked ? SIG_HOLD : old;
}

CPA_EXPORT int sigignore(int sig)
{
	if (!is_ours(sig))
		return cpi_next()->sigignore(sig);
	set(SIG_IGN, 0, false);
	return 0;
}

CPA_EXPORT int sigaltstack(const stack_t *stack, stack_t *old)
{
	int rc = cpi_next()->sigaltstack(stack, old);

	if (rc == 0 && stack && cpi.head && !(stack->ss_flags & SS_DISABLE))
		cpi_guard_stack(stack->ss_size);
	return rc;
}
