/*
 * guard_masks.c - wrappers of what sets signal masks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Our signal is never really blocked; each thread remembers what the program believes.
 */
#include "config.h"

#include "libcpaprof/target/guard_int.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>

typedef int mask_fn(int, const sigset_t *, sigset_t *);

/* set without our signal, in room. */
static const sigset_t *without(const sigset_t *asked, sigset_t *room)
{
	if (!asked || !cpi.head || sigismember(asked, cpi.sig) != 1)
		return asked;
	*room = *asked;
	sigdelset(room, cpi.sig);
	return room;
}

static int change(mask_fn *next, int how, const sigset_t *asked, sigset_t *old)
{
	bool was_blocked = atomic_load(&cpi_local.blocked);
	bool has = asked && cpi.head && sigismember(asked, cpi.sig) == 1;
	sigset_t room;
	int rc = next(how, without(asked, &room), old);

	if (rc != 0 || !cpi.head)
		return rc;
	if (old && was_blocked)
		sigaddset(old, cpi.sig);
	else if (old && !(atomic_load(&cpi_local.handles) && sigismember(old, cpi.sig)))
		sigdelset(old, cpi.sig);
	if (asked && (how == SIG_SETMASK || has))
		cpi_guard_block(has && how != SIG_UNBLOCK);
	return rc;
}

CPA_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return change(cpi_next()->sigprocmask, how, set, old);
}

CPA_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return change(cpi_next()->pthread_sigmask, how, set, old);
}

static bool is_ours(int sig)
{
	return cpi.head && sig == cpi.sig;
}

CPA_EXPORT int sighold(int sig)
{
	if (!is_ours(sig))
		return cpi_next()->sighold(sig);
	cpi_guard_block(true);
	return 0;
}

CPA_EXPORT int sigrelse(int sig)
{
	if (!is_ours(sig))
		return cpi_next()->sigrelse(sig);
	cpi_guard_block(false);
	return 0;
}

CPA_EXPORT int sigpending(sigset_t *set)
{
	int rc = cpi_next()->sigpending(set);

	if (rc == 0 && cpi.head && atomic_load(&cpi_local.pending))
		sigaddset(set, cpi.sig);
	return rc;
}

struct wait_mask {
	bool before; /* what the program believed */
	bool held;   /* our signal is blocked in the kernel too, until the call unblocks it */
};

/*
 * While it waits the program's mask is another one. A signal that was held back, or comes just before the wait
 * begins, is to end it; so if there is a handler for it, the kernel holds it back until then.
 */
static struct wait_mask wait_begin(const sigset_t *mask)
{
	struct wait_mask w = { .before = atomic_load(&cpi_local.blocked) };
	uint64_t bit;
	bool blocks;

	if (!mask || !cpi.head)
		return w;
	blocks = sigismember(mask, cpi.sig) == 1;
	bit = sys_bit(cpi.sig);
	w.held = w.before && !blocks && cpi_guard_is_handled();
	if (w.held)
		sys_mask(SIG_BLOCK, &bit, NULL);
	cpi_guard_block(blocks);
	return w;
}

static int wait_end(const sigset_t *mask, struct wait_mask w, int rc)
{
	uint64_t bit = sys_bit(cpi.sig ? cpi.sig : SIGPROF);

	if (mask && cpi.head)
		cpi_guard_block(w.before);
	if (w.held)
		sys_mask(SIG_UNBLOCK, &bit, NULL);
	return rc;
}

CPA_EXPORT int sigsuspend(const sigset_t *mask)
{
	struct wait_mask before = wait_begin(mask);
	sigset_t room;

	return wait_end(mask, before, cpi_next()->sigsuspend(without(mask, &room)));
}

CPA_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	struct wait_mask before = wait_begin(mask);
	sigset_t room;

	return wait_end(mask, before, cpi_next()->ppoll(fds, n, timeout, without(mask, &room)));
}

CPA_EXPORT int pselect(int n, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout,
		       const sigset_t *mask)
{
	struct wait_mask before = wait_begin(mask);
	sigset_t room;

	return wait_end(mask, before, cpi_next()->pselect(n, in, out, except, timeout, without(mask, &room)));
}

CPA_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout, const sigset_t *mask)
{
	struct wait_mask before = wait_begin(mask);
	sigset_t room;

	return wait_end(mask, before, cpi_next()->epoll_pwait(fd, events, n, timeout, without(mask, &room)));
}

CPA_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *timeout,
			    const sigset_t *mask)
{
	struct wait_mask before;
	sigset_t room;

	if (!cpi_next()->epoll_pwait2) {
		errno = ENOSYS;
		return -1;
	}
	before = wait_begin(mask);
	return wait_end(mask, before, cpi_next()->epoll_pwait2(fd, events, n, timeout, without(mask, &room)));
}
