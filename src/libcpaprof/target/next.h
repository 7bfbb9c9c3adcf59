/*
 * next.h - the functions that we wrap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_NEXT_H
#define LIBCPAPROF_TARGET_NEXT_H

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

typedef void (*signal_fn)(int);

signal_fn bsd_signal(int sig, signal_fn handler); /* removed from the headers of glibc, but still in the library */

/*
 * X(result, name, arguments): for each, the next definition after ours is looked up. Locks come first: looking up a
 * missing function allocates, and allocators lock.
 */
#define NEXT_FUNCTIONS(X)                                                                                              \
	X(int, pthread_mutex_lock, (pthread_mutex_t *))                                                                \
	X(int, pthread_mutex_trylock, (pthread_mutex_t *))                                                             \
	X(int, pthread_mutex_unlock, (pthread_mutex_t *))                                                              \
	X(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))                                  \
	X(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *))                       \
	X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                                                            \
	X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                                                            \
	X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                                                         \
	X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                                                         \
	X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))                              \
	X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))                              \
	X(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))                   \
	X(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))                   \
	X(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                                            \
	X(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                                               \
	X(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                 \
	X(int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))      \
	X(int, pthread_barrier_wait, (pthread_barrier_t *))                                                            \
	X(int, pthread_join, (pthread_t, void **))                                                                     \
	X(int, pthread_tryjoin_np, (pthread_t, void **))                                                               \
	X(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *))                                    \
	X(int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *))                         \
	X(int, sem_wait, (sem_t *))                                                                                    \
	X(int, sem_trywait, (sem_t *))                                                                                 \
	X(int, sem_timedwait, (sem_t *, const struct timespec *))                                                      \
	X(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))                                           \
	X(int, mtx_lock, (mtx_t *))                                                                                    \
	X(int, mtx_trylock, (mtx_t *))                                                                                 \
	X(int, mtx_timedlock, (mtx_t *, const struct timespec *))                                                      \
	X(int, mtx_unlock, (mtx_t *))                                                                                  \
	X(int, cnd_wait, (cnd_t *, mtx_t *))                                                                           \
	X(int, cnd_timedwait, (cnd_t *, mtx_t *, const struct timespec *))                                             \
	X(int, thrd_join, (thrd_t, int *))                                                                             \
	X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                       \
	X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                                          \
	X(int, daemon, (int, int))                                                                                     \
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
	X(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *))                                 \
	X(int, signalfd, (int, const sigset_t *, int))                                                                 \
	X(int, sigaltstack, (const stack_t *, stack_t *))                                                              \
	X(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))                            \
	X(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))                \
	X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))                                   \
	X(int, epoll_pwait2, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))              \
	X(int, execve, (const char *, char *const *, char *const *))                                                   \
	X(int, execvpe, (const char *, char *const *, char *const *))                                                  \
	X(int, fexecve, (int, char *const *, char *const *))                                                           \
	X(int, execveat, (int, const char *, char *const *, char *const *, int))                                       \
	X(int, posix_spawn,                                                                                            \
	  (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,        \
	   char *const *))                                                                                             \
	X(int, posix_spawnp,                                                                                           \
	  (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,        \
	   char *const *))                                                                                             \
	X(int, setuid, (uid_t))                                                                                        \
	X(int, setreuid, (uid_t, uid_t))                                                                               \
	X(int, setresuid, (uid_t, uid_t, uid_t))                                                                       \
	X(int, unshare, (int))                                                                                         \
	X(int, setns, (int, int))                                                                                      \
	X(int, chroot, (const char *))                                                                                 \
	X(int, clone, (int (*)(void *), void *, int, void *, ...))                                                     \
	X(int, mlockall, (int))                                                                                        \
	X(int, prctl, (int, ...))                                                                                      \
	X(int, dlclose, (void *))                                                                                      \
	X(void *, dlopen, (const char *, int))

struct next {
#define NEXT_MEMBER(result, name, arguments) result(*name) arguments;
	NEXT_FUNCTIONS(NEXT_MEMBER)
#undef NEXT_MEMBER
};

/* The functions found so far. Wrappers that must be fast read this table first. */
extern struct next cpi_next_found __attribute__((visibility("hidden")));

/* All functions. NULL for those that this C library does not have. */
const struct next *cpi_next(void);

#endif
