/*
 * exit.c - wrappers of functions that exit without destructors
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A child of vfork exits this way too, and shares our memory. It is recognised by its process id.
 */
#include "config.h"

#include "libcpaprof/api/env_profiles.h"

#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <stdlib.h>
#include <unistd.h>

/* For quick_exit it runs after the functions that the program registered. */
static void on_quick_exit(void)
{
	if (cpi.is_self)
		env_profiles_end();
	else
		cpi_process_report_cpu_sig(true);
}

static _Noreturn void exit_now(int status)
{
	on_quick_exit();
	for (;;)
		sys_call(SYS_exit_group, status, 0, 0, 0);
}

CPA_EXPORT _Noreturn void _exit(int status)
{
	exit_now(status);
}

CPA_EXPORT _Noreturn void _Exit(int status)
{
	exit_now(status);
}

__attribute__((constructor(102))) static void exit_init(void)
{
	at_quick_exit(on_quick_exit);
}
