/*
 * test_runtime_names.c - recognise functions of runtimes, libraries and the system
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/runtime_names.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static void functions_of_the_program_are_distinguished_from_libraries(void **state)
{
	(void)state;
	assert_true(function_is_own("main.run", "/home/u/shop/main.go"));
	assert_true(function_is_own("go.example.com/shop.Run", "/home/u/shop/run.go"));
	assert_true(function_is_own("parse_line", "/home/u/src/parse.c"));
	assert_true(function_is_own("main.run", ""));
	assert_true(function_is_own("render", "/usr/src/app/render.js"));
	assert_false(function_is_own("net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go"));
	assert_false(function_is_own("runtime.memmove", "/usr/local/go/src/runtime/memmove_amd64.s"));
	assert_false(function_is_own("slices.SortFunc[go.shape/x.y]", ""));
	assert_false(function_is_own("github.com/x/y.Z", "/root/go/pkg/mod/github.com/x/y@v1.2.0/z.go"));
	assert_false(function_is_own("github.com/x/y.Z", "github.com/x/y@v1.2.0/z.go"));
	assert_false(function_is_own("std::sort", "/home/u/src/a.cc"));
	assert_false(function_is_own("malloc", ""));
	assert_false(function_is_own("loads", "/usr/lib/python3.11/json/__init__.py"));
}

static void runtime_functions_are_recognised_by_name_or_file(void **state)
{
	(void)state;
	assert_true(function_is_runtime("runtime.mallocgc", "/usr/local/go/src/runtime/malloc.go"));
	assert_true(function_is_runtime("__memcpy_avx_unaligned", ""));
	assert_true(function_is_runtime("malloc", ""));
	assert_true(function_is_runtime("vfprintf", "./nptl/../sysdeps/x.c"));
	assert_true(function_is_runtime("tcp_ack", "/build/linux-6.1/net/ipv4/tcp_input.c"));
	assert_false(function_is_runtime("mallocs", "/home/u/src/count.c"));
	assert_false(function_is_runtime("sort.Slice", "/usr/local/go/src/sort/slice.go"));
	assert_false(function_is_runtime("parse", "lib/string/x.c"));
}

static void schedulers_and_collectors_are_distinguished_from_work(void **state)
{
	static const char go[] = "/usr/local/go/src/runtime/proc.go";

	(void)state;
	assert_true(function_is_scheduler_or_gc("runtime.futexsleep", go));
	assert_true(function_is_scheduler_or_gc("runtime.gcDrain.func1", go));
	assert_true(function_is_scheduler_or_gc("runtime.(*gcWork).balance", go));
	assert_true(function_is_scheduler_or_gc("runtime.systemstack.abi0", ""));
	assert_true(function_is_scheduler_or_gc("v8::internal::ScavengerCollector::CollectGarbage()", ""));
	assert_true(function_is_scheduler_or_gc("(garbage collector)", ""));
	assert_true(function_is_scheduler_or_gc("__schedule", ""));
	assert_true(function_is_scheduler_or_gc("start_thread", "./nptl/pthread_create.c"));
	assert_true(function_is_scheduler_or_gc("__libc_start_call_main", ""));
	assert_true(function_is_scheduler_or_gc("__GI___lll_lock_wait", "./nptl/lowlevellock.c"));
	assert_false(function_is_scheduler_or_gc("runtime.mallocgc", go));
	assert_false(function_is_scheduler_or_gc("runtime.gcWriteBarrier2", go));
	assert_false(function_is_scheduler_or_gc("runtime.scheduler", go));
	assert_false(function_is_scheduler_or_gc("main.schedule", "/home/u/shop/main.go"));
	assert_false(function_is_scheduler_or_gc("gc_start", "/home/u/src/gc.c"));
	assert_false(function_is_scheduler_or_gc("memcpy", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_the_program_are_distinguished_from_libraries),
		cmocka_unit_test(runtime_functions_are_recognised_by_name_or_file),
		cmocka_unit_test(schedulers_and_collectors_are_distinguished_from_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
