/*
 * guard.c - our signal handler, the program's own handler of that signal, and which signal it is
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program sees its signal as it would alone: what it sets is kept here and told when it asks, and
 * a signal that is not of our timers does what it asked for. The kernel only ever knows our handler.
 *
 * SIGPROF is guarded: the C library's functions do not take it away. The system call does, and so does the Go
 * runtime, when a library in Go profiles. So with such a library SIGPROF is left alone from the start, and when
 * our handler is found gone, all timers move to a signal that the program does not use. It is looked for when
 * threads are created and code is loaded, for there is nothing of ours that runs by itself.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/guard_int.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

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

enum { NOTE_GO = 4, NAME_SIZE = 4, RT_FIRST = 40, RT_LAST = 60, RT_MAX = 64, EVERY_NS = 1000000000 };

/* As the kernel has it. */
struct kernel_action {
	uintptr_t handler;
	unsigned long flags, restorer;
	uint64_t mask;
};

static const int candidates[] = { SIGPROF, SIGVTALRM, SIGSTKFLT, SIGPWR };
enum { N_CANDIDATES = sizeof(candidates) / sizeof(candidates[0]) };

static uintptr_t handler_of(int sig)
{
	struct kernel_action act = { 0 };

	sys_call(SYS_rt_sigaction, sig, 0, (long)&act, SYS_MASK_SIZE);
	return act.handler;
}

/* Is this a library that the Go toolchain made? Its notes say so. */
static int is_go(struct dl_phdr_info *o, size_t size, void *arg)
{
	bool *first = arg;
	bool skip = *first;

	(void)size;
	*first = false;
	for (int i = 0; i < o->dlpi_phnum && !skip; i++) {
		const ElfW(Phdr) *h = &o->dlpi_phdr[i];
		const uint8_t *at = (const uint8_t *)(o->dlpi_addr + h->p_vaddr), *end = at + h->p_memsz;

		while (h->p_type == PT_NOTE && (size_t)(end - at) >= sizeof(ElfW(Nhdr)) + NAME_SIZE) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			size_t name = (note->n_namesz + 3u) & ~3u, desc = (note->n_descsz + 3u) & ~3u;
			size_t left = (size_t)(end - at) - sizeof(*note);

			if (name > left || desc > left - name)
				break;
			if (note->n_type == NOTE_GO && name == NAME_SIZE && memcmp(note + 1, "Go", 3) == 0)
				return 1;
			at += sizeof(*note) + name + desc;
		}
	}
	return 0;
}

static bool has_go(void)
{
	bool first = true;

	return dl_iterate_phdr(is_go, &first) != 0;
}

int cpi_guard_choose(void)
{
	uint32_t asked = cpi.self ? cpi.sig_asked : atomic_load(&cpi.head->signal);

	if (asked && asked <= RT_MAX)
		return (int)asked;
	return has_go() && handler_of(SIGSTKFLT) == (uintptr_t)SIG_DFL ? SIGSTKFLT : SIGPROF;
}

/* A signal that nobody uses. 0 when there is none. */
static int another(void)
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

/* Nobody saw what the thread did since its signals went elsewhere. */
static void arm_again(struct thread *t)
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

static void move_to(int sig)
{
	struct segment_proc *p = atomic_load(&cpi.proc);

	cpi_clock_release_sig();
	cpi.sig = sig;
	cpi_guard_install();
	if (p) {
		p->signal = (uint32_t)sig;
		atomic_fetch_add(&p->moved, 1);
	}
	atomic_fetch_and(&cpi.engine, ~(uint32_t)ENGINE_PROCESS);
	cpi_clock_init();
	cpi_threads_each(arm_again);
}

void cpi_guard_check(void)
{
	static _Atomic uint64_t last;
	static _Atomic uint32_t moving;
	uint64_t now = sys_now(CLOCK_MONOTONIC_COARSE);
	int sig;

	if (!cpi_recording_on_sig() || (atomic_load(&last) && now - atomic_load(&last) < EVERY_NS))
		return;
	atomic_store(&last, now);
	if (handler_of(cpi.sig) == (uintptr_t)cpi_handler_sig || atomic_exchange(&moving, 1))
		return;
	sig = another();
	if (sig)
		move_to(sig);
	atomic_store(&moving, 0);
}
