/*
 * test_match_name.c - the part of a function name that is stable between builds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/match.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void keeps(const char *name, const char *file, const char *kept)
{
	size_t n = match_name_len(name, strlen(name), file), start = match_name_start(name, n);

	if (n - start != strlen(kept) || memcmp(name + start, kept, n - start) != 0)
		fail_msg("%s in %s becomes %.*s, not %s", name, file, (int)(n - start), name + start, kept);
}

static void removes_the_tier_of_compiled_javascript(void **state)
{
	(void)state;
	keeps("JS:~load /app/a.js:4:7", "", "load /app/a.js:4:7");
	keeps("JS:*load /app/a.js:4:7", "", "load /app/a.js:4:7");
	keeps("JS:^ /app/a.js:1:1", "", "/app/a.js:1:1");
	keeps("LazyCompile:*load /app/a.js:4:7", "", "load /app/a.js:4:7");
	keeps("JS:load", "", "JS:load");
	keeps("JS:~", "", "JS:~");
}

static void removes_suffixes_of_compilers(void **state)
{
	(void)state;
	keeps("hash.cold", "hash.c", "hash");
	keeps("hash.cold.5", "hash.c", "hash");
	keeps("hash.part.0", "", "hash");
	keeps("hash.constprop.12", "", "hash");
	keeps("hash.isra.0.part.3.cold", "hash.cc", "hash");
	keeps("hash.lto_priv.1", "", "hash");
	keeps("hash.llvm.10378462897", "", "hash");
	keeps("_ZN3foo3barEv.cold", "", "_ZN3foo3barEv");
	keeps("std::f(int) [clone .cold]", "f.cc", "std::f(int)");
	keeps("f(char*) [clone .part.0] [clone .isra.1]", "", "f(char*)");
	keeps("core::fmt::write::h0123456789abcdef", "", "core::fmt::write");
	keeps("core::fmt::write::h0123456789abcdef.llvm.77", "", "core::fmt::write");
	keeps("_ZN4core3fmt5write17h0123456789abcdefE.llvm.77", "", "_ZN4core3fmt5write");
	keeps("hash.__uniq.8123.llvm.12", "hash.c", "hash");
	keeps("runtime.memmove.abi0", "runtime/memmove_amd64.s", "runtime.memmove");
}

static void keeps_names_without_generated_suffixes(void **state)
{
	(void)state;
	keeps("main.cold", "shop.go", "main.cold");
	keeps("main.(*T).cold", "", "main.(*T).cold");
	keeps("com.shop.Depot.cold", "", "com.shop.Depot.cold");
	keeps("Depot.cold", "Depot.java", "Depot.cold");
	keeps("main.Map[go.shape.int]", "", "main.Map[go.shape.int]");
	keeps("main.run.func1.2", "main.go", "main.run.func1.2");
	keeps("hash.part", "", "hash.part");
	keeps("hash.partly.1", "", "hash.partly.1");
	keeps("f(int) [clone x]", "", "f(int) [clone x]");
	keeps("_ZN4core17h0123456789abcdegE", "", "_ZN4core17h0123456789abcdegE");
	keeps("core::h0123456789abcdeg", "", "core::h0123456789abcdeg");
}

static void an_empty_name_has_length_0(void **state)
{
	(void)state;
	keeps("", "", "");
	keeps(".cold", "", ".cold");
	keeps(".abi0", "", ".abi0");
	keeps("]", "", "]");
	keeps(" [clone .cold]", "", " [clone .cold]");
	keeps("[clone .cold]", "", "[clone .cold]");
	keeps("0123456789", "", "0123456789");
	keeps(".0", "", ".0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(removes_the_tier_of_compiled_javascript),
		cmocka_unit_test(removes_suffixes_of_compilers),
		cmocka_unit_test(keeps_names_without_generated_suffixes),
		cmocka_unit_test(an_empty_name_has_length_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
