/*
 * test_names.c - demangle the functions of a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/names.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

static uint32_t function(struct make *m, const char *name, const char *sysname)
{
	struct builder_function f = { .id = 1,
				      .name = make_text(m, name, strlen(name)),
				      .sysname = make_text(m, sysname, strlen(sysname)) };
	uint32_t id = 0;

	assert_int_equal(builder_function(m->b, &f, &id, NULL), 0);
	return id;
}

static const char *name_of(const struct profile *p, uint32_t func)
{
	return profile_text(p, p->func_name[func]);
}

static struct profile *five_functions(void)
{
	struct make m = make_start("cpu/ns");

	function(&m, "_Z3fooi", "_Z3fooi");
	function(&m, "", "_Z3bari");
	function(&m, "mine", "_Z3bazi");
	function(&m, "main", "main");
	function(&m, "", "_D1m1fFZv");
	return make_end(&m);
}

static void keeps_names_that_differ_from_the_linkers(void **state)
{
	struct profile *p = five_functions();

	(void)state;
	names_demangle(p, DEMANGLE_DEFAULT, false);
	assert_string_equal(name_of(p, 0), "foo");
	assert_string_equal(name_of(p, 1), "bar");
	assert_string_equal(name_of(p, 2), "mine");
	assert_string_equal(name_of(p, 3), "main");
	assert_string_equal(name_of(p, 4), "m.f");
	assert_string_equal(profile_text(p, p->func_sysname[0]), "_Z3fooi");
	profile_free(p);
}

static void force_restores_the_linkers_names(void **state)
{
	struct profile *p = five_functions();

	(void)state;
	names_demangle(p, DEMANGLE_FULL, true);
	assert_string_equal(name_of(p, 2), "baz(int)");
	names_demangle(p, DEMANGLE_NONE, true);
	assert_string_equal(name_of(p, 2), "_Z3bazi");
	assert_string_equal(name_of(p, 0), "_Z3fooi");
	profile_free(p);
}

static void names_that_cpa_has_demangled_are_demangled_again_for_the_gate(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p, *q;

	(void)state;
	function(&m, "go<A>::f", "go<A>::f");
	function(&m, "_ZN2ns3fooIiE4workEi", "_ZN2ns3fooIiE4workEi");
	function(&m, "mine", "_Z3bazi");
	p = make_end(&m);
	names_demangle(p, DEMANGLE_DEFAULT, false); /* as cpa run and cpa symbolize write it */
	assert_string_equal(name_of(p, 0), "go::f");
	names_demangle(p, DEMANGLE_MANGLED, false);
	assert_string_equal(name_of(p, 0), "go<A>::f");
	assert_string_equal(name_of(p, 1), "ns::foo::work");
	assert_string_equal(name_of(p, 2), "mine");
	profile_free(p);
	m = make_start("cpu/ns");
	function(&m, "go<A>::f", "go<A>::f");
	q = make_end(&m);
	names_demangle(q, DEMANGLE_MANGLED, false);
	assert_string_equal(name_of(q, 0), "go<A>::f");
	profile_free(q);
}

static void mode_none_keeps_functions_without_a_name(void **state)
{
	struct profile *p = five_functions();

	(void)state;
	names_demangle(p, DEMANGLE_NONE, false);
	assert_string_equal(name_of(p, 1), "");
	profile_free(p);
}

static void renames_every_function_of_a_large_profile(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	char text[40];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "_ZN2ns6f%05dEi", i);
		function(&m, text, text);
	}
	p = make_end(&m);
	names_demangle(p, DEMANGLE_DEFAULT, false);
	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "ns::f%05d", (int)i);
		assert_string_equal(name_of(p, i), text);
	}
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_names_that_differ_from_the_linkers),
		cmocka_unit_test(force_restores_the_linkers_names),
		cmocka_unit_test(names_that_cpa_has_demangled_are_demangled_again_for_the_gate),
		cmocka_unit_test(mode_none_keeps_functions_without_a_name),
		cmocka_unit_test(renames_every_function_of_a_large_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
