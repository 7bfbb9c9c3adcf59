/*
 * guard_int.h - shared by guard.c and the wrappers in guard_wrappers.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_GUARD_INT_H
#define LIBCPAPROF_TARGET_GUARD_INT_H

#include <signal.h>
#include <stdbool.h>

/* sigaction for our signal, as the program sees it. */
int cpi_guard_sigaction(const struct sigaction *act, struct sigaction *old);

/* Record that the program blocked or unblocked our signal in this thread. */
void cpi_guard_block(bool blocked);

/* Has the program set a handler of its own for our signal? */
bool cpi_guard_is_handled(void);

/*
 * Forward a signal to a thread that waits for it, because the program blocks it in this thread. Returns false if no
 * thread waits for it.
 */
bool cpi_guard_redirect_sig(int sig, const siginfo_t *info);

#endif
