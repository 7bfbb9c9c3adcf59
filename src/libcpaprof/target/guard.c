/*
 * guard.c - the program's own handler of our signal
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program sees its signal as it would alone: what it sets is kept here and told when it asks, and
 * a signal that is not of our timers does what it asked for. The kernel only ever knows our handler.
 */
#include "config.h"

#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/guard_int.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { N_KEPT = 8, FRAME_GUESS = 2048, HANDLER_STACK = 4096 };

/* What the program set, in turns: a handler reads the last one while the next is written. */
static struct sigaction kept[N_KEPT];
static _Atomic uint32_t n_kept;
static _Atomic int on_stack; /* SA_ONSTACK or 0 */

static struct sigaction *now_sig(void)
{
	return &kept[atomic_load_explicit(&n_kept, memory_order_acquire) % N_KEPT];
}

static void keep_sig(const struct sigaction *act)
{
	uint32_t next = atomic_load(&n_kept) + 1;

	kept[next % N_KEPT] = *act;
	atomic_store_explicit(&n_kept, next, memory_order_release);
}

static bool is_handler(const struct sigaction *act)
{
	return act->sa_flags & SA_SIGINFO || (act->sa_handler != SIG_IGN && act->sa_handler != SIG_DFL);
}

bool cpi_guard_is_handled(void)
{
	return is_handler(now_sig());
}

/* Calls that wait go on after our signal, unless the program has a handler that is to interrupt them. */
static int restart(const struct sigaction *act)
{
	return is_handler(act) ? act->sa_flags & SA_RESTART : SA_RESTART;
}

static void install(void)
{
	struct sigaction act = { .sa_sigaction = cpi_handler_sig };

	act.sa_flags = SA_SIGINFO | restart(now_sig()) | atomic_load(&on_stack);
	sigfillset(&act.sa_mask);
	cpi_next()->sigaction(cpi.sig, &act, NULL);
}

int cpi_guard_swap(const struct sigaction *act, struct sigaction *old)
{
	struct sigaction before = *now_sig();

	if (act)
		keep_sig(act);
	if (act && restart(act) != restart(&before))
		install();
	if (old)
		*old = before;
	return 0;
}

void cpi_guard_install(void)
{
	uint64_t bit = sys_bit(cpi.sig), before = 0;
	struct sigaction old;

	if (cpi_next()->sigaction(cpi.sig, NULL, &old) == 0)
		keep_sig(&old);
	atomic_store(&on_stack, SA_ONSTACK);
	install();
	sys_mask(SIG_UNBLOCK, &bit, &before);
	atomic_store(&cpi_local.blocked, (before & bit) != 0);
}

void cpi_guard_leave(bool leaves)
{
	const struct sigaction *now = now_sig();
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	uint64_t bit;

	if (!cpi.head)
		return;
	bit = sys_bit(cpi.sig);
	if (!is_handler(now) && now->sa_handler == SIG_IGN) {
		if (leaves)
			cpi_next()->sigaction(cpi.sig, &ignore, NULL);
		else
			install();
	}
	if (atomic_load(&cpi_local.blocked))
		sys_mask(leaves ? SIG_BLOCK : SIG_UNBLOCK, &bit, NULL);
}

void cpi_guard_stack(size_t size)
{
	size_t frame = getauxval(AT_MINSIGSTKSZ);

	if (size < (frame ? frame : FRAME_GUESS) + HANDLER_STACK) {
		atomic_store(&on_stack, 0);
		install();
	}
}

/* The program wants the default, which is to end. */
static void end_sig(int sig)
{
	struct sigaction act = { .sa_handler = SIG_DFL };
	uint64_t bit = sys_bit(sig);

	cpi_next()->sigaction(sig, &act, NULL);
	sys_call(SYS_tgkill, sys_getpid(), sys_gettid(), sig, 0);
	sys_mask(SIG_UNBLOCK, &bit, NULL);
}

static void call_sig(const struct sigaction *act, int sig, siginfo_t *info, ucontext_t *uc)
{
	uint64_t mask, asked, all = ~0ULL;

	memcpy(&mask, &uc->uc_sigmask, sizeof(mask));
	memcpy(&asked, &act->sa_mask, sizeof(asked));
	mask |= asked | (act->sa_flags & SA_NODEFER ? 0 : sys_bit(sig));
	atomic_store(&cpi_local.handles, 1);
	sys_mask(SIG_SETMASK, &mask, NULL);
	if (act->sa_flags & SA_SIGINFO)
		act->sa_sigaction(sig, info, uc);
	else
		act->sa_handler(sig);
	sys_mask(SIG_SETMASK, &all, NULL);
	atomic_store(&cpi_local.handles, 0);
	cpi_guard_block(false); /* what it blocked meanwhile is as before, once it has returned */
}

void cpi_guard_forward_sig(int sig, siginfo_t *info, void *context)
{
	struct sigaction act = *now_sig();

	if (atomic_load(&cpi_local.blocked)) {
		if (!cpi_guard_pass_on_sig(sig, info))
			atomic_store(&cpi_local.pending, 1);
		return;
	}
	if (!(act.sa_flags & SA_SIGINFO) && act.sa_handler == SIG_IGN)
		return;
	if (!(act.sa_flags & SA_SIGINFO) && act.sa_handler == SIG_DFL) {
		end_sig(sig);
		return;
	}
	if (act.sa_flags & (int)SA_RESETHAND) {
		struct sigaction none = act;

		none.sa_flags &= ~SA_SIGINFO;
		none.sa_handler = SIG_DFL;
		keep_sig(&none);
	}
	call_sig(&act, sig, info, context);
}

void cpi_guard_block(bool blocked)
{
	atomic_store(&cpi_local.blocked, blocked);
	if (!blocked && atomic_exchange(&cpi_local.pending, 0))
		sys_call(SYS_tgkill, sys_getpid(), sys_gettid(), cpi.sig, 0);
}
