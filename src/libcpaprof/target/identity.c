/*
 * identity.c - wrappers of functions that change the user, the namespaces or the root directory of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * After such a change the programs that the process executes cannot open the segment by its path. Programs that change
 * their namespaces by a raw system call, like bwrap, usually set PR_SET_NO_NEW_PRIVS before, which sandbox.c wraps.
 */
#include "config.h"

#include "libcpaprof/target/handover.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <linux/sched.h>
#include <stdarg.h>
#include <stddef.h>

/* Would this set an id that the process does not have? Servers often set the id they have, and keep no descriptor. */
static bool is_new_user(uid_t id)
{
	return id != (uid_t)-1 &&
	       (id != (uid_t)sys_call(SYS_getuid, 0, 0, 0, 0) || id != (uid_t)sys_call(SYS_geteuid, 0, 0, 0, 0));
}

CPA_EXPORT int setuid(uid_t id)
{
	if (is_new_user(id))
		cpi_handover_open_sig();
	return cpi_next()->setuid(id);
}

CPA_EXPORT int setreuid(uid_t real, uid_t effective)
{
	if (is_new_user(real) || is_new_user(effective))
		cpi_handover_open_sig();
	return cpi_next()->setreuid(real, effective);
}

CPA_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	if (is_new_user(real) || is_new_user(effective))
		cpi_handover_open_sig();
	return cpi_next()->setresuid(real, effective, saved);
}

CPA_EXPORT int unshare(int flags)
{
	cpi_handover_open_sig();
	return cpi_next()->unshare(flags);
}

CPA_EXPORT int setns(int fd, int type)
{
	cpi_handover_open_sig();
	return cpi_next()->setns(fd, type);
}

CPA_EXPORT int chroot(const char *folder)
{
	cpi_handover_open_sig();
	return cpi_next()->chroot(folder);
}

/* The three optional arguments are passed on whether or not they are given, as the C library reads them. */
CPA_EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	void *more[3];
	va_list args;

	va_start(args, arg);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		more[i] = va_arg(args, void *);
	va_end(args);
	if (flags & (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS))
		cpi_handover_open_sig();
	return cpi_next()->clone(fn, stack, flags, arg, more[0], more[1], more[2]);
}
