/*
 * guard.c - our signal handler, the program's own handler of that signal, and the choice of signal
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program sees its signal as it would without us: the actions it sets are saved here and returned when it queries
 * them, and a signal that is not from our timers has the effect the program chose. Only our handler is installed in the
 * kernel.
 *
 * SIGPROF is protected: functions of the C library cannot replace our handler. The system call can, and the Go runtime
 * uses it when a Go library profiles. So SIGPROF is not used in a process that has such a library at the start. When
 * our handler is found replaced, all timers move to a signal that the program does not use. This is checked when
 * threads are created and code is loaded, since we have no thread that could check it.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/modules.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { N_ACTIONS = 8, FRAME_GUESS = 2048, HANDLER_STACK = 4096, SIGNAL_MAX = 64 };
enum { LIBC_FIRST = 32, LIBC_LAST = 34 }; /* signals that C libraries keep for themselves and never block */

/* The kernel's struct sigaction. */
struct kernel_action {
	uintptr_t handler;
	unsigned long flags, restorer;
	uint64_t mask;
};

/* Ring of actions that the program set: a handler reads the latest one while the next is written. */
static struct sigaction actions[N_ACTIONS];
static _Atomic uint32_t n_actions;
static _Atomic int on_stack; /* SA_ONSTACK or 0 */

static struct sigaction *current_sig(void)
{
	return &actions[atomic_load_explicit(&n_actions, memory_order_acquire) % N_ACTIONS];
}

static void save_sig(const struct sigaction *act)
{
	uint32_t next = atomic_load(&n_actions) + 1;

	actions[next % N_ACTIONS] = *act;
	atomic_store_explicit(&n_actions, next, memory_order_release);
}

/*
 * Does the action call a function? The kernel checks only the value, which sa_handler and sa_sigaction share: SIG_IGN
 * with SA_SIGINFO ignores the signal. Go sets that when it stops its profile.
 */
static bool is_handler(const struct sigaction *act)
{
	return act->sa_handler != SIG_IGN && act->sa_handler != SIG_DFL;
}

bool cpi_guard_is_handled(void)
{
	return is_handler(current_sig());
}

/* Interrupted calls restart after our signal, unless the program has a handler that must interrupt them. */
static int restart(const struct sigaction *act)
{
	return is_handler(act) ? act->sa_flags & SA_RESTART : SA_RESTART;
}

static void install(void)
{
	struct sigaction act = { .sa_sigaction = cpi_handler_sig };

	act.sa_flags = SA_SIGINFO | restart(current_sig()) | atomic_load(&on_stack);
	sigfillset(&act.sa_mask);
	cpi_next()->sigaction(cpi.sig, &act, NULL);
}

static uintptr_t handler_of(int sig)
{
	struct kernel_action act = { 0 };

	sys_call(SYS_rt_sigaction, sig, 0, (long)&act, SYS_MASK_SIZE);
	return act.handler;
}

bool cpi_guard_is_vforked(void)
{
	return cpi.pid != sys_getpid();
}

/* In a child of vfork: set the action in the kernel. It replaces our handler, but the child has no timers of ours. */
static int sigaction_vforked(const struct sigaction *act, struct sigaction *old)
{
	bool is_ours = handler_of(cpi.sig) == (uintptr_t)cpi_handler_sig;
	int rc = cpi_next()->sigaction(cpi.sig, act, old);

	if (rc == 0 && old && is_ours)
		*old = *current_sig();
	return rc;
}

int cpi_guard_sigaction(const struct sigaction *act, struct sigaction *old)
{
	struct sigaction before = *current_sig();

	if (cpi_guard_is_vforked())
		return sigaction_vforked(act, old);
	if (act)
		save_sig(act);
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
		save_sig(&old);
	atomic_store(&on_stack, SA_ONSTACK);
	install();
	sys_mask(SIG_UNBLOCK, &bit, &before);
	atomic_store(&cpi_local.blocked, before & bit ? MASK_BLOCKED : MASK_OPEN);
}

void cpi_guard_exec(bool begins)
{
	const struct sigaction *now = current_sig();
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	uint64_t bit;

	if (!cpi.head)
		return;
	bit = sys_bit(cpi.sig);
	/* a child of vfork may have set another action, in the kernel */
	if (now->sa_handler == SIG_IGN &&
	    handler_of(cpi.sig) == (begins ? (uintptr_t)cpi_handler_sig : (uintptr_t)SIG_IGN)) {
		if (begins)
			cpi_next()->sigaction(cpi.sig, &ignore, NULL);
		else
			install();
	}
	if (atomic_load(&cpi_local.blocked))
		sys_mask(begins ? SIG_BLOCK : SIG_UNBLOCK, &bit, NULL);
}

static _Atomic bool has_small_altstack;

/* Block our signal in all handlers on alternate stacks. */
static void block_onstack(void)
{
	for (int sig = 1; sig <= SIGNAL_MAX; sig++) {
		struct kernel_action act = { 0 };

		if (sig == cpi.sig || sys_call(SYS_rt_sigaction, sig, 0, (long)&act, SYS_MASK_SIZE) != 0 ||
		    !(act.flags & SA_ONSTACK) || act.mask & sys_bit(cpi.sig))
			continue;
		act.mask |= sys_bit(cpi.sig);
		sys_call(SYS_rt_sigaction, sig, (long)&act, 0, SYS_MASK_SIZE);
	}
}

void cpi_guard_check_altstack(size_t size)
{
	size_t frame = getauxval(AT_MINSIGSTKSZ);

	frame = frame ? frame : FRAME_GUESS;
	if (size < frame + HANDLER_STACK) {
		atomic_store(&on_stack, 0);
		install();
	}
	/* the handler of the program gets as much room as ours */
	if (size < 2 * (frame + HANDLER_STACK) && !atomic_exchange(&has_small_altstack, true))
		block_onstack();
}

bool cpi_guard_has_small_altstack(void)
{
	stack_t now = { 0 };

	if (sys_call(SYS_sigaltstack, 0, (long)&now, 0, 0) == 0 && !(now.ss_flags & SS_DISABLE))
		cpi_guard_check_altstack(now.ss_size);
	return atomic_load(&has_small_altstack);
}

/* Perform the default action, which ends the program. */
static void run_default_sig(int sig)
{
	struct sigaction act = { .sa_handler = SIG_DFL };
	uint64_t bit = sys_bit(sig);

	cpi_next()->sigaction(sig, &act, NULL);
	sys_call(SYS_tgkill, sys_getpid(), sys_gettid(), sig, 0);
	sys_mask(SIG_UNBLOCK, &bit, NULL);
}

static uint64_t mask_of_sig(const ucontext_t *uc)
{
	uint64_t mask;

	memcpy(&mask, &uc->uc_sigmask, sizeof(mask));
	return mask;
}

bool cpi_guard_is_all_sig(uint64_t set)
{
	set |= sys_bit(cpi.sig) | sys_bit(SIGKILL) | sys_bit(SIGSTOP);
	for (int sig = LIBC_FIRST; sig <= LIBC_LAST; sig++)
		set |= sys_bit(sig);
	return set == ~0ULL;
}

static void call_handler_sig(const struct sigaction *act, int sig, siginfo_t *info, ucontext_t *uc)
{
	uint64_t mask = mask_of_sig(uc), requested, all = ~0ULL;

	memcpy(&requested, &act->sa_mask, sizeof(requested));
	mask |= requested | (act->sa_flags & SA_NODEFER ? 0 : sys_bit(sig));
	atomic_store(&cpi_local.in_handler, 1);
	sys_mask(SIG_SETMASK, &mask, NULL);
	if (act->sa_flags & SA_SIGINFO)
		act->sa_sigaction(sig, info, uc);
	else
		act->sa_handler(sig);
	sys_mask(SIG_SETMASK, &all, NULL);
	atomic_store(&cpi_local.in_handler, 0);
	cpi_guard_block(MASK_OPEN); /* returning from the handler undoes its changes to the mask */
}

/*
 * Does the program believe that our signal is blocked in this thread? If it blocked all signals and now some are open, it
 * has changed its mask by a system call, as new threads of Go do: our signal is open, or it would not have arrived.
 */
static bool is_blocked_sig(const ucontext_t *uc)
{
	if (atomic_load(&cpi_local.blocked) == MASK_ALL && !cpi_guard_is_all_sig(mask_of_sig(uc))) {
		atomic_store(&cpi_local.blocked, MASK_OPEN);
		atomic_store(&cpi_local.pending, 0); /* this signal replaces it */
	}
	return atomic_load(&cpi_local.blocked) != MASK_OPEN;
}

/*
 * A signal for the program interrupted code that runs with all signals blocked except ours: a handler from whose mask
 * we removed it. Handlers of Go rely on not being interrupted by each other. So send the signal again, to arrive when
 * that handler returns, which restores the mask. Returns false if it interrupted other code.
 */
static bool defer_sig(int sig, const siginfo_t *info, ucontext_t *uc)
{
	uint64_t mask = mask_of_sig(uc);

	/* a sandbox may forbid the system call */
	if (!cpi_guard_is_all_sig(mask) || atomic_load(&cpi.is_sandboxed) ||
	    sys_call(SYS_rt_tgsigqueueinfo, sys_getpid(), sys_gettid(), sig, (long)info) != 0)
		return false;
	mask |= sys_bit(sig);
	memcpy(&uc->uc_sigmask, &mask, sizeof(mask));
	return true;
}

void cpi_guard_forward_sig(int sig, siginfo_t *info, void *context)
{
	struct sigaction act = *current_sig();

	if (is_blocked_sig(context)) {
		if (!cpi_guard_redirect_sig(sig, info))
			atomic_store(&cpi_local.pending, 1);
		return;
	}
	if (!is_handler(&act)) {
		if (act.sa_handler == SIG_DFL)
			run_default_sig(sig);
		return;
	}
	if (defer_sig(sig, info, context))
		return;
	if (act.sa_flags & (int)SA_RESETHAND) {
		struct sigaction none = act;

		none.sa_handler = SIG_DFL;
		save_sig(&none);
	}
	call_handler_sig(&act, sig, info, context);
}

void cpi_guard_block(enum guard_mask mask)
{
	atomic_store(&cpi_local.blocked, (uint8_t)mask);
	if (mask == MASK_OPEN && atomic_load(&cpi_local.pending) && !cpi_guard_is_vforked() &&
	    atomic_exchange(&cpi_local.pending, 0))
		sys_call(SYS_tgkill, sys_getpid(), sys_gettid(), cpi.sig, 0);
}

enum { NOTE_GO = 4, RT_FIRST = 40, RT_LAST = 60, RT_MAX = 64, EVERY_NS = 1000000000 };

static const int candidates[] = { SIGPROF, SIGVTALRM, SIGSTKFLT, SIGPWR };
enum { N_CANDIDATES = sizeof(candidates) / sizeof(candidates[0]) };

/* Is this a library built by the Go toolchain, according to its notes? The first object, the program, is skipped. */
static int target_guard_is_go(struct dl_phdr_info *o, size_t size, void *arg)
{
	bool *first = arg;
	bool skip = *first;

	(void)size;
	*first = false;
	return !skip && cpi_modules_note(o, NOTE_GO, "Go");
}

static bool has_go(void)
{
	bool first = true;

	return dl_iterate_phdr(target_guard_is_go, &first) != 0;
}

int cpi_guard_choose(void)
{
	uint32_t requested = cpi.is_self ? cpi.sig_requested : atomic_load(&cpi.head->signal);

	if (requested && requested <= RT_MAX)
		return (int)requested;
	return has_go() && handler_of(SIGSTKFLT) == (uintptr_t)SIG_DFL ? SIGSTKFLT : SIGPROF;
}

/* Find another signal that has no handler; 0 if there is none. */
static int find_other_signal(void)
{
	for (int i = 0; i < N_CANDIDATES; i++)
		if (candidates[i] != cpi.sig && handler_of(candidates[i]) == (uintptr_t)SIG_DFL &&
		    (candidates[i] != SIGPROF || !has_go()))
			return candidates[i];
	for (int sig = RT_FIRST; sig <= RT_LAST; sig++)
		if (handler_of(sig) == (uintptr_t)SIG_DFL)
			return sig;
	return 0;
}

/* Signals of this thread were lost: count the periods since then as lost, and start a new timer. */
static void rearm(struct thread *t)
{
	struct segment_proc *p = atomic_load(&cpi.proc);
	uint32_t tid = atomic_load(&t->tid), owed;

	if (!tid || !t->recording || t->recording != cpi.recording)
		return;
	owed = cpi_clock_owed_sig(t);
	cpi_clock_disarm_sig(t);
	if (p)
		atomic_fetch_add(&p->lost, owed);
	cpi_clock_arm_sig(t, tid);
}

static void change_signal(int sig)
{
	struct segment_proc *p = atomic_load(&cpi.proc);

	cpi_clock_release_sig();
	cpi.sig = sig;
	cpi_guard_install();
	if (p) {
		p->signal = (uint32_t)sig;
		atomic_fetch_add(&p->n_signal_changes, 1);
	}
	atomic_fetch_and(&cpi.engine, ~(uint32_t)ENGINE_PROCESS);
	cpi_clock_init();
	cpi_threads_each(rearm);
}

void cpi_guard_check(void)
{
	static _Atomic uint64_t last;
	static _Atomic uint32_t changing;
	uint64_t now = sys_now(CLOCK_MONOTONIC_COARSE);
	int sig;

	if (!cpi_recording_is_on_sig() || (atomic_load(&last) && now - atomic_load(&last) < EVERY_NS))
		return;
	atomic_store(&last, now);
	if (handler_of(cpi.sig) == (uintptr_t)cpi_handler_sig || atomic_exchange(&changing, 1))
		return;
	sig = find_other_signal();
	if (sig)
		change_signal(sig);
	atomic_store(&changing, 0);
}
