/*
 * test_symbolize.c - option -symbolize, and profiles that need names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/symbolize.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/symbolize.h"
#include "tests/unit/make_profile.h"

/* A mode as letters: Local, Remote, Fast, Force (X), None; then the demangling mode. */
static const char *mode(const char *text)
{
	static const char *const demangled[] = { "default", "templates", "full", "mangled", "none" };
	static char out[40];
	struct buf notes = { 0 };
	struct symbolize_mode m = sources_symbolize_mode(text, &notes);

	snprintf(out, sizeof(out), "%s%s%s%s%s %s", m.local ? "L" : "", m.remote ? "R" : "", m.fast ? "F" : "",
		 m.force ? "X" : "", m.none ? "N" : "", demangled[m.demangle]);
	assert_int_equal(notes.len, 0);
	return out;
}

static void words_select_the_sources_of_names(void **state)
{
	(void)state;
	assert_string_equal(mode(""), "LR default");
	assert_string_equal(mode("local"), "L default");
	assert_string_equal(mode("FastLocal"), "LF default");
	assert_string_equal(mode("remote"), "R default");
	assert_string_equal(mode("remote:local:force"), "LX default");
	assert_string_equal(mode("none"), "LRN default");
	assert_string_equal(mode("local::no:nonsense"), "LN default");
}

static void a_demangling_mode_other_than_default_implies_force(void **state)
{
	(void)state;
	assert_string_equal(mode("demangle=full"), "LRX full");
	assert_string_equal(mode("templates"), "LRX templates");
	assert_string_equal(mode("fastlocal:demangle=none"), "LFX none");
	assert_string_equal(mode("demangle=default"), "LR default");
}

static void reports_unknown_words(void **state)
{
	struct buf notes = { 0 };

	(void)state;
	assert_true(sources_symbolize_mode("locally:force", &notes).force);
	assert_non_null(strstr(notes.data, "ignoring unrecognized symbolization option: locally:force\n"));
	buf_release(&notes);
}

static struct profile *profile_with(const char *file, const char *stack)
{
	struct make m = make_start("cpu/ns");

	make_map(&m, file);
	ROW(&m, stack, 1);
	return make_end(&m);
}

static void assert_needed(const char *file, const char *stack, bool needed, bool forced)
{
	struct profile *p = profile_with(file, stack);

	assert_int_equal(symbolize_needed(p, false), needed);
	assert_int_equal(symbolize_needed(p, true), forced);
	p->map[0].has_functions = true;
	assert_false(symbolize_needed(p, false));
	profile_free(p);
}

static void only_addresses_without_names_need_symbols(void **state)
{
	(void)state;
	assert_needed("/bin/a", "0x10;0x20=f", true, true);
	assert_needed("/bin/a", "0x10=f;0x20=g", false, true);
	assert_needed("", "0x10", true, true);
	assert_needed("[stack]", "0x10", false, false);
	assert_needed("/memfd:code", "0x10", false, false);
	assert_needed("//anon", "0x10", false, false);
	assert_needed("http://host/debug/pprof/profile", "0x10", false, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_select_the_sources_of_names),
		cmocka_unit_test(a_demangling_mode_other_than_default_implies_force),
		cmocka_unit_test(reports_unknown_words),
		cmocka_unit_test(only_addresses_without_names_need_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
