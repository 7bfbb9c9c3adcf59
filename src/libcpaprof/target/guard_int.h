/*
 * guard_int.h - between the guard of our signal and the wrappers that lead there
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_GUARD_INT_H
#define LIBCPAPROF_TARGET_GUARD_INT_H

#include <signal.h>
#include <stdbool.h>

/* sigaction of our signal, as the program sees it. */
int cpi_guard_swap(const struct sigaction *act, struct sigaction *old);

/* The program blocked our signal in this thread, or unblocked it. */
void cpi_guard_block(bool blocked);

/* The program set a handler of its own for our signal. */
bool cpi_guard_is_handled(void);

/* Our signal is not for this thread, which holds it back: another one may wait for it. False when none does. */
bool cpi_guard_pass_on_sig(int sig, const siginfo_t *info);

#endif
