/*
 * sandbox.c - a program is about to give up system calls
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Behind a filter that kills, a system call of ours would end the program when it ends anyway, and change its
 * status. Filters are set by this call, or by one that has this call before it.
 */
#include "config.h"

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
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
		atomic_store(&cpi.sandboxed, true);
	return cpi_next()->prctl(option, a[0], a[1], a[2], a[3]);
}
