/*
 * guard.h - our signal handler, and the program's own handler of that signal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_GUARD_H
#define LIBCPAPROF_TARGET_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Install our handler. The previous handler is saved as the program's own. */
void cpi_guard_install(void);
/* Handle a signal that is not ours as the program requested. Holds no lock. */
void cpi_guard_forward_sig(int sig, siginfo_t *info, void *context);
/*
 * Call it when the program sets an alternate stack of this size. If that is too small for our handler, the handler runs
 * on the normal stack from then on.
 */
void cpi_guard_check_altstack(size_t size);
/* Is an alternate stack too small for our handler above a handler of the program? Checks that of this thread too. */
bool cpi_guard_has_small_altstack(void);

/*
 * Prepare for exec: a new program inherits whether our signal is ignored or blocked, so set in the kernel what the
 * program believes. begins: true before exec, false after exec has failed.
 */
void cpi_guard_exec(bool begins);

/* guard.c */
/* Choose the signal for this process. Call it once the segment is known. */
int cpi_guard_choose(void);
/*
 * Check that our handler is still installed, and move to another signal if it is not. Checks at most once a second.
 * Not for signal handlers.
 */
void cpi_guard_check(void);

/* handler.c */
void cpi_handler_sig(int sig, siginfo_t *info, void *context) __attribute__((hot));

/*
 * Is this a child of vfork? It shares our memory, but has handlers of its own, which Python resets before it executes a
 * program. What we store about handlers stays as the parent has set it.
 */
bool cpi_guard_is_vforked(void);
/* sigaction for our signal, as the program sees it. */
int cpi_guard_sigaction(const struct sigaction *act, struct sigaction *old);

/* The signal mask of a thread as the program believes it is. */
enum guard_mask {
	MASK_OPEN,    /* our signal is not blocked */
	MASK_BLOCKED, /* our signal is blocked */
	MASK_ALL      /* it was blocked together with all other signals, which are really blocked */
};

/* Record that the program blocked or unblocked our signal in this thread. */
void cpi_guard_block(enum guard_mask mask);
/* Does this set, in the kernel's format, contain all signals that can be blocked, except perhaps ours? */
bool cpi_guard_is_all_sig(uint64_t set);

/* Has the program set a handler of its own for our signal? */
bool cpi_guard_is_handled(void);

/*
 * Forward a signal to a thread that waits for it, because the program blocks it in this thread. Returns false if no
 * thread waits for it.
 */
bool cpi_guard_redirect_sig(int sig, const siginfo_t *info);

#endif
