/*
 * guard_waits.c - wrappers of what receives signals without a handler
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Who asks for all signals would be given ours: they are those of a timer that any thread may take. So ours is
 * not asked for. One that is for the program comes to our handler, which leaves a note: then it is given.
 */
#include "config.h"

#include "runtime/guard_int.h"
#include "runtime/next.h"
#include "runtime/sys.h"
#include "runtime/target.h"

#include <errno.h>

/* Does the program ask for our signal? Then room is what is to be asked for. */
static bool asks(const sigset_t *set, sigset_t *room)
{
	if (!cpi.head || !set || sigismember(set, cpi.sig) != 1)
		return false;
	*room = *set;
	sigdelset(room, cpi.sig);
	return true;
}

/* Is there one for the program? */
static bool take_pending(siginfo_t *info)
{
	if (!atomic_exchange(&cpi_local.pending, 0))
		return false;
	if (info)
		*info = (siginfo_t){ .si_signo = cpi.sig };
	return true;
}

static int receive(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	int rc;

	if (take_pending(info))
		return cpi.sig;
	rc = cpi_next()->sigtimedwait(set, info, timeout);
	return rc < 0 && errno == EINTR && take_pending(info) ? cpi.sig : rc;
}

CPA_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	sigset_t room;

	return asks(set, &room) ? receive(&room, info, timeout) : cpi_next()->sigtimedwait(set, info, timeout);
}

CPA_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	sigset_t room;

	return asks(set, &room) ? receive(&room, info, NULL) : cpi_next()->sigwaitinfo(set, info);
}

CPA_EXPORT int sigwait(const sigset_t *set, int *sig)
{
	int before = errno, rc;
	sigset_t room;

	if (!asks(set, &room))
		return cpi_next()->sigwait(set, sig);
	do
		rc = receive(&room, NULL, NULL);
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		return errno;
	*sig = rc;
	errno = before;
	return 0;
}

CPA_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t room;

	return cpi_next()->signalfd(fd, asks(set, &room) ? &room : set, flags);
}
