/*
 * test_gate_names.c - parts of function names that are stripped
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/names.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_plain(const char *name, const char *file, const char *plain)
{
	struct buf out = { 0 };

	buf_addz(&out, "kept ");
	gate_names_add_plain(name, strlen(name), file, &out);
	assert_string_equal(buf_text(&out) + 5, plain);
	buf_release(&out);
}

static void closures_of_a_function_share_its_name(void **state)
{
	(void)state;
	expect_plain("main.run.func3", "run.go", "main.run.func");
	expect_plain("main.run.func1.2", "run.go", "main.run.func");
	expect_plain("main.run.func1.2.13", "run.go", "main.run.func");
	expect_plain("main.run.gowrap1", "run.go", "main.run.gowrap");
	expect_plain("main.run.func1.deferwrap12", "run.go", "main.run.func.deferwrap");
	expect_plain("main.run-range1", "run.go", "main.run-range");
	expect_plain("main.glob..func7", "run.go", "main.glob..func");
	expect_plain("main.(*T).Do.func2", "", "main.(*T).Do.func");
	expect_plain("example.com/a/b.Do.func2", "", "example.com/a/b.Do.func");
}

static void names_without_generated_parts_are_unchanged(void **state)
{
	static const char *const name[] = { "main.func1",
					    "example.com/v2.x/b.func1",
					    "main.(*T).func1",
					    "main.run.func",
					    "main.run.function1",
					    "main.run.func1x",
					    "main.init.0",
					    "a@b",
					    "memcpy@GLIBC_2.14",
					    "memcpy@@GLIBC_2.14",
					    "x@v1",
					    "main.Map[int,string]",
					    "operator[]",
					    "main.x-fmt",
					    "a[abi:",
					    "a[abi:]",
					    "a[abi:x",
					    "main.T[go.shape.int",
					    "",
					    "-fm",
					    ".func1",
					    "@v1.2" };

	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		expect_plain(name[i], "run.go", name[i]);
}

static void names_like_go_closures_are_unchanged_in_other_languages(void **state)
{
	(void)state;
	expect_plain("job.run.func3", "run.py", "job.run.func3");
	expect_plain("ns::run.func3", "", "ns::run.func3");
	expect_plain("job.run-fm", "run.js", "job.run-fm");
}

static void type_arguments_of_the_compiler_are_stripped(void **state)
{
	(void)state;
	expect_plain("main.Map[go.shape.int,go.shape.string]", "m.go", "main.Map");
	expect_plain("main.Map[go.shape.struct { K []int; V map[string]int }]", "m.go", "main.Map");
	expect_plain("main.(*Set[go.shape.int]).Add", "m.go", "main.(*Set).Add");
	expect_plain("main.Each[...].func1", "m.go", "main.Each.func");
	expect_plain("main.Map[int]", "m.go", "main.Map[int]");
}

static void versions_method_values_and_abi_tags_are_stripped(void **state)
{
	(void)state;
	expect_plain("example.com/a@v1.2.3/b.Do", "b.go", "example.com/a/b.Do");
	expect_plain("example.com/a@v1.2.3.Do", "b.go", "example.com/a.Do");
	expect_plain("example.com/a@v0.0.0-20200101120000-abcdef123456.Do", "b.go", "example.com/a.Do");
	expect_plain("example.com/a@v1.2.3-pre.0.20200101120000-abcdef123456/b.Do", "b.go", "example.com/a/b.Do");
	expect_plain("example.com/a@v2.0.0+incompatible/b.Do", "b.go", "example.com/a/b.Do");
	expect_plain("main.(*T).Do-fm", "t.go", "main.(*T).Do");
	expect_plain("std::string::find[abi:cxx11](char) const", "s.cc", "std::string::find(char) const");
	expect_plain("f[abi:a1][abi:b2]() [clone .cold]", "s.cc", "f()");
	expect_plain("core::run::h0123456789abcdef", "r.rs", "core::run");
	expect_plain("step.isra.0.cold", "s.c", "step");
}

static void a_name_that_consists_of_arguments_is_unchanged(void **state)
{
	static const char *const name[] = { "<A as T>::go",
					    "<B as T>::go",
					    "<T>",
					    "operator<",
					    "operator<<",
					    "operator<=>",
					    "std::function<void ()>::operator()",
					    "(anonymous namespace)::f",
					    "main::{lambda(int)#1}::operator()",
					    "main::$_0::operator()(int) const",
					    "[go.shape.int]",
					    "[...]",
					    "main.Map[int]",
					    "[abi:cxx11]" };

	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		expect_plain(name[i], "", name[i]);
}

static struct gate_rule rename_rule(const char *pattern, const char *to)
{
	struct gate_rule rule = { .kind = GATE_RENAME, .pattern = pattern, .to = to };
	struct err err;

	if (regex_new(pattern, &rule.regex, &err) < 0)
		fail_msg("%s", err.msg);
	return rule;
}

static void expect_name(struct gate_names *names, const char *name, const char *becomes)
{
	struct buf out = { 0 };
	struct err err;

	assert_int_equal(gate_names_add(names, name, strlen(name), "", &out, &err), 0);
	assert_string_equal(buf_text(&out), becomes);
	buf_release(&out);
}

static void functions_of_the_base_are_renamed_by_the_last_matching_rule(void **state)
{
	struct gate_rule rule[] = { rename_rule("main\\.score(.)", "main.rank$1"),
				    rename_rule("main\\.old", "main.new"), rename_rule("main\\.scoreB", "main.second"),
				    rename_rule("(x?)main\\.gone", "$1") };
	struct gate_options options = { .rule = rule, .n_rules = 4 };
	struct gate_names base = { &options, true }, new = { &options, false };

	(void)state;
	expect_name(&base, "main.scoreA", "main.rankA");
	expect_name(&base, "main.scoreB", "main.second");
	expect_name(&base, "main.scoreAB", "main.scoreAB");
	expect_name(&base, "main.scoreA-fm", "main.rankA");
	expect_name(&new, "main.scoreA", "main.scoreA");
	expect_name(&base, "main.gone", "main.gone"); /* a name is never empty */
	assert_int_equal(rule[0].n_used, 2);
	assert_int_equal(rule[1].n_used, 0);
	assert_int_equal(rule[2].n_used, 1);
	options.exact_names = true;
	expect_name(&base, "main.scoreA.func1", "main.scoreA.func1");
	for (size_t i = 0; i < 4; i++)
		regex_free(rule[i].regex);
}

static void a_reference_to_a_missing_group_is_an_error(void **state)
{
	struct gate_rule rule = rename_rule("main.a", "main.$1");
	struct gate_options options = { .rule = &rule, .n_rules = 1 };
	struct gate_names base = { &options, true };
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(gate_names_add(&base, "main.a", 6, "", &out, &err), ERR_USAGE);
	assert_string_equal(err.msg, "--rename=main.a=main.$1: $1: the expression has only 0 groups");
	rule.file = "gate.cpa";
	rule.line = 12;
	assert_int_equal(gate_names_add(&base, "main.a", 6, "", &out, &err), ERR_USAGE);
	assert_string_equal(err.msg, "gate.cpa:12: rename: $1: the expression has only 0 groups");
	regex_free(rule.regex);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closures_of_a_function_share_its_name),
		cmocka_unit_test(names_without_generated_parts_are_unchanged),
		cmocka_unit_test(names_like_go_closures_are_unchanged_in_other_languages),
		cmocka_unit_test(type_arguments_of_the_compiler_are_stripped),
		cmocka_unit_test(versions_method_values_and_abi_tags_are_stripped),
		cmocka_unit_test(functions_of_the_base_are_renamed_by_the_last_matching_rule),
		cmocka_unit_test(a_reference_to_a_missing_group_is_an_error),
		cmocka_unit_test(a_name_that_consists_of_arguments_is_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
