/*
 * init.c - the library is loaded, and goes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that only links it has nothing of it: no thread, file, signal or memory. What is missing or odd
 * leaves the program as it would be without us.
 */
#include "config.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpu.h"
#include "libcpaprof/api/env_profiles.h"
#include "libcpaprof/api/http.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/modules.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <dlfcn.h>
#include <sys/auxv.h>

__attribute__((constructor(101))) static void init(void)
{
	static const struct target_callbacks callbacks = { .main_ended = http_main_ended,
							   .before_exec = asked_before_exec };
	struct segment_head *head;

	cpi_heap_lend(true);
	cpi_init(&callbacks);
	head = getauxval(AT_SECURE) ? NULL : cpi_parent_segment();
	if (head)
		cpi_attach(head, false);
	/* not all that we looked for is there; the program has not looked yet */
	dlerror();
	cpi_heap_lend(false);
	collector_on_fork(cpu_forget, asked_forked);
	if (!head && !getauxval(AT_SECURE))
		asked_begin();
}

__attribute__((destructor)) static void leave(void)
{
	if (cpi.self) {
		asked_end();
	} else if (cpi_on_sig()) {
		cpi_modules_refresh();
		cpi_thread_leave();
	}
}
