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

/* Install our handler, and remember what it replaces as the program's own. */
void cpi_guard_install(void);
/* Do what the program would do with a signal that is not ours. Keeps nothing locked. */
void cpi_guard_forward_sig(int sig, siginfo_t *info, void *context);
/* The handler runs on the alternate stack, unless that is too small for it. */
void cpi_guard_stack(size_t size);

/*
 * Before another program is executed, and after that failed: that the program ignores our signal or holds it back
 * is handed on.
 */
void cpi_guard_leave(bool leaves);

/* guard_move.c */
/* The signal to use in this process, when its segment is known. */
int cpi_guard_choose(void);
/* Is our handler still there? Else move to another signal. Looks once a second; not for handlers. */
void cpi_guard_check(void);

/* handler.c */
void cpi_handler_sig(int sig, siginfo_t *info, void *context);

#endif
