/*
 * sandbox.c - detects programs that restrict their system calls
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Under a seccomp filter that kills, our system calls would kill the program and change its exit status: afterwards we
 * make none at exit, and none of timers, events and other processes. A program that sets a filter calls prctl, either
 * for the filter itself or before it. Programs that give up capabilities call prctl as well, and may then be unable to
 * open the segment.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/handover.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/target.h"

#include <stdarg.h>
#include <sys/prctl.h>

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
