/*
 * exit.c - ways to end that call no destructors
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A child of vfork ends so too, with our memory: that it is another process is seen by its id.
 */
#include "config.h"

#include "libcpaprof/api/env_profiles.h"

#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <stdlib.h>
#include <unistd.h>

static _Noreturn void end(int status)
{
	if (cpi.self)
		asked_end();
	for (;;)
		sys_call(SYS_exit_group, status, 0, 0, 0);
}

CPA_EXPORT _Noreturn void _exit(int status)
{
	end(status);
}

CPA_EXPORT _Noreturn void _Exit(int status)
{
	end(status);
}

/* Runs behind what the program registers. */
static void at_quick_end(void)
{
	if (cpi.self)
		asked_end();
}

__attribute__((constructor(102))) static void init(void)
{
	at_quick_exit(at_quick_end);
}
