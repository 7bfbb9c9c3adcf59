/*
 * identity.c - wrappers of functions that change the user, the namespaces, the root directory or the rights of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * After such a change the programs that the process executes cannot open the segment by its path. Programs that change
 * their namespaces by a raw system call, like bwrap, usually set PR_SET_NO_NEW_PRIVS before, see prctl.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/handover.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <linux/sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>

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

/*
 * Under a seccomp filter that kills, our system calls would kill the program and change its exit status: afterwards we
 * make none at exit, and none of timers, events and other processes. A program that sets a filter calls prctl, either
 * for the filter itself or before it. Programs that give up capabilities call prctl as well, and may then be unable to
 * open the segment.
 */

enum { N_ARGUMENTS = 4 };

CPA_EXPORT int prctl(int option, ...)
{
	unsigned long a[N_ARGUMENTS];
	va_list more;

	va_start(more, option);
	for (int i = 0; i < N_ARGUMENTS; i++)
		a[i] = va_arg(more, unsigned long);
	va_end(more);
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_CAPBSET_DROP || option == PR_SET_SECUREBITS)
		cpi_handover_open_sig();
	if ((option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP) && !atomic_load(&cpi.is_sandboxed)) {
		cpi_clock_enter_sandbox();
		cpi_perf_leave_sig();
		atomic_store(&cpi.is_sandboxed, true);
	}
	return cpi_next()->prctl(option, a[0], a[1], a[2], a[3]);
}
