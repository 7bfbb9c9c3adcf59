/*
 * next.h - the functions that our wrappers stand in front of
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RUNTIME_NEXT_H
#define RUNTIME_NEXT_H

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>

typedef void (*signal_fn)(int);

signal_fn bsd_signal(int sig, signal_fn handler); /* no longer in the headers, still in the library */

/* X(result, name, arguments): each is looked up as the next definition behind ours. */
#define NEXT_FUNCTIONS(X)                                                                                              \
	X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                       \
	X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                                          \
	X(int, sigaction, (int, const struct sigaction *, struct sigaction *))                                         \
	X(signal_fn, signal, (int, signal_fn))                                                                         \
	X(signal_fn, bsd_signal, (int, signal_fn))                                                                     \
	X(signal_fn, ssignal, (int, signal_fn))                                                                        \
	X(signal_fn, sysv_signal, (int, signal_fn))                                                                    \
	X(signal_fn, __sysv_signal, (int, signal_fn))                                                                  \
	X(signal_fn, sigset, (int, signal_fn))                                                                         \
	X(int, sigignore, (int))                                                                                       \
	X(int, sighold, (int))                                                                                         \
	X(int, sigrelse, (int))                                                                                        \
	X(int, sigpending, (sigset_t *))                                                                               \
	X(int, sigprocmask, (int, const sigset_t *, sigset_t *))                                                       \
	X(int, pthread_sigmask, (int, const sigset_t *, sigset_t *))                                                   \
	X(int, sigsuspend, (const sigset_t *))                                                                         \
	X(int, sigaltstack, (const stack_t *, stack_t *))                                                              \
	X(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))                            \
	X(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))                \
	X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))                                   \
	X(int, epoll_pwait2, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))              \
	X(int, dlclose, (void *))

struct next {
#define NEXT_MEMBER(result, name, arguments) result(*name) arguments;
	NEXT_FUNCTIONS(NEXT_MEMBER)
#undef NEXT_MEMBER
};

/* All of them; those that this C library does not have are NULL. */
const struct next *cpi_next(void);

#endif
