/*
 * init.c - load and unload the library, and end programs that exit without destructors
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that is only linked with the library gets no thread, file, signal or memory from it, except the page of a
 * context that the environment describes. If anything is missing
 * or invalid, the program runs as it would without us.
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/context.h"
#include "libcpaprof/api/cpu.h"
#include "libcpaprof/api/env_profiles.h"
#include "libcpaprof/api/http.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/modules.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

__attribute__((constructor(101))) static void api_init_load(void)
{
	static const struct target_callbacks callbacks = { .main_ended = cpi_endpoint_main_ended,
							   .before_exec = env_profiles_before_exec };
	struct segment_head *head;

	cpi_heap_use_bootstrap(true);
	cpi_init(&callbacks);
	head = getauxval(AT_SECURE) ? NULL : cpi_parent_segment();
	if (head)
		cpi_attach(head, false);
	/* clear the errors of our own lookups, so that the program's dlerror does not return them */
	dlerror();
	cpi_heap_use_bootstrap(false);
	collector_on_fork(cpu_forget, env_profiles_after_fork);
	if (getauxval(AT_SECURE))
		return;
	if (!head)
		env_profiles_begin();
	context_begin();
}

__attribute__((destructor)) static void unload(void)
{
	if (cpi.is_self) {
		env_profiles_end();
	} else if (cpi_is_on_sig()) {
		cpi_modules_refresh();
		cpi_thread_finish();
		cpi_process_report_cpu_sig(true);
	}
}

/*
 * A child of vfork exits this way too, and shares our memory. It is recognised by its process id. For quick_exit this
 * runs after the functions that the program registered.
 */
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
