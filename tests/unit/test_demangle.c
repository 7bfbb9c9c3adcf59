/*
 * test_demangle.c - C++, Rust and D symbols to readable names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/demangle/demangle.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SAME NULL /* the name stays unchanged */

static const enum demangle_mode mode[] = { DEMANGLE_DEFAULT, DEMANGLE_TEMPLATES, DEMANGLE_FULL };

struct row {
	const char *symbol, *name[3]; /* names in each mode */
};

static void assert_row(const struct row *r)
{
	for (int i = 0; i < 3; i++) {
		struct buf out = { 0 };

		buf_addz(&out, "x");
		if (demangle(r->symbol, mode[i], &out) != (r->name[i] != NULL))
			fail_msg("%s: %s", r->symbol, buf_text(&out));
		assert_string_equal(out.data + 1, r->name[i] ? r->name[i] : "");
		buf_release(&out);
	}
}

#define ASSERT_ROWS(rows)                                                                                              \
	for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++)                                                  \
	assert_row(&(rows)[i])

static void cpp_names_keep_the_parts_that_the_mode_selects(void **state)
{
	static const struct row rows[] = {
		{ "_ZN2ns3FooIiE4workEi.isra.0", { "ns::Foo::work", "ns::Foo<int>::work", "ns::Foo<int>::work(int)" } },
		{ "_Z3fooIiEvT_", { "foo", "foo<int>", "void foo<int>(int)" } },
		{ "_ZN12_GLOBAL__N_14anonEi",
		  { "(anonymous namespace)::anon", "(anonymous namespace)::anon",
		    "(anonymous namespace)::anon(int)" } },
		{ "_ZZ4mainENKUlvE_clEv",
		  { "main::{lambda()#1}::operator()", "main::{lambda()#1}::operator()",
		    "main::{lambda()#1}::operator()() const" } },
		{ "_ZN3FooixEi", { "Foo::operator[]", "Foo::operator[]", "Foo::operator[](int)" } },
		{ "_ZThn8_N3Foo3barEv",
		  { "non-virtual thunk to Foo::bar()", "non-virtual thunk to Foo::bar()",
		    "non-virtual thunk to Foo::bar()" } },
		{ "_ZN3FoolsIiEEvT_",
		  { "Foo::operator<<", "Foo::operator<< <int>", "void Foo::operator<< <int>(int)" } },
		{ "_ZN3FoocvT_IiEEv", { "Foo::operator int", "Foo::operator int<int>", "Foo::operator int<int>()" } },
		{ "_ZNSdC1Ev",
		  { "std::basic_iostream::basic_iostream",
		    "std::basic_iostream<char, std::char_traits<char> >::basic_iostream",
		    "std::basic_iostream<char, std::char_traits<char> >::basic_iostream()" } },
		{ "_ZN1PI1MNS_1AIS0_JEEEJEE3runEv", { "P::run", "P<M, P::A<M> >::run", "P<M, P::A<M> >::run()" } },
		{ "_ZZN3FooIiE3barEiENKUlT_E_clIcEEDaS1_",
		  { "Foo::bar()::{lambda(auto:1)#1}::operator()",
		    "Foo<int>::bar()::{lambda(auto:1)#1}::operator()<char>",
		    "auto Foo<int>::bar(int)::{lambda(auto:1)#1}::operator()<char>(char) const" } },
		{ "_GLOBAL__I__ZN3FooIiE3barEi",
		  { "global constructors keyed to Foo::bar(int)", "global constructors keyed to Foo<int>::bar(int)",
		    "global constructors keyed to Foo<int>::bar(int)" } },
		{ "___Z3fooi_block_invoke_2",
		  { "invocation function for block in foo", "invocation function for block in foo",
		    "invocation function for block in foo(int)" } },
		{ "__Z3foov", { "foo", "foo", "foo()" } },
	};

	(void)state;
	ASSERT_ROWS(rows);
}

static void rust_names_lose_hash_and_generic_arguments(void **state)
{
	static const struct row rows[] = {
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
		  { "core::fmt::Formatter::pad", "core::fmt::Formatter::pad", "core::fmt::Formatter::pad" } },
		{ "_ZN1a1b17h0123456789abcdefE.llvm.123", { "a::b", "a::b", "a::b" } },
		{ "_RINvNtC3std3mem8align_ofjE",
		  { "std::mem::align_of::<>", "std::mem::align_of::<usize>", "std::mem::align_of::<usize>" } },
		{ "_RNvXC1aINtC1b3VechENtC1c1D4drop",
		  { "<b::Vec<> as c::D>::drop", "<b::Vec<u8> as c::D>::drop", "<b::Vec<u8> as c::D>::drop" } },
		{ "_RINvC1a1fDINtC1b2FnTjEEp6OutputhEL_E",
		  { "a::f::<>", "a::f::<dyn b::Fn<(usize,), Output = u8>>",
		    "a::f::<dyn b::Fn<(usize,), Output = u8>>" } },
	};

	(void)state;
	ASSERT_ROWS(rows);
}

static void demangles_d_names(void **state)
{
	static const struct row rows[] = {
		{ "_D3std5stdio4File5flushMFNeZv",
		  { "std.stdio.File.flush", "std.stdio.File.flush", "std.stdio.File.flush()" } },
		{ "_D1m__T1fTiZ1gFiZv", { "m.f.g", "m.f!(int).g", "m.f!(int).g(int)" } },
		{ "_Drive", { SAME, SAME, SAME } },
	};

	(void)state;
	ASSERT_ROWS(rows);
}

static void shortens_names_that_are_demangled_already(void **state)
{
	static const struct row rows[] = {
		{ "ns::Foo<int>::bar(std::vector<int>)", { "ns::Foo::bar", "ns::Foo<int>::bar", SAME } },
		{ "(anonymous namespace)::foo(int)", { "::foo", "::foo", SAME } },
		{ "a::b(c)d)e", { "a::bd)e", "a::bd)e", SAME } },
		{ "a::b(c)d(e", { "a::bd(e", "a::bd(e", SAME } },
		{ "foo(int, char*)", { SAME, SAME, SAME } },
		{ "main.(*T[...]).Method", { SAME, SAME, SAME } },
		{ "java.util.HashMap.<init>", { SAME, SAME, SAME } },
		{ "operator<<", { SAME, SAME, SAME } },
		{ "_start", { SAME, SAME, SAME } },
		{ "", { SAME, SAME, SAME } },
	};

	(void)state;
	ASSERT_ROWS(rows);
}

/* Each back reference doubles the text, 33 times. */
static void doubling_cplus(char *s, const char *first, const char *open, const char *close)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	s += sprintf(s, "_Z1f%s", first);
	for (int i = 0; i < 33; i++)
		s += sprintf(s, "S_%sS%c_S%c_%s", open, digit[i], digit[i], close);
}

static void assert_mangled(const char *symbol)
{
	struct buf out = { 0 };

	assert_false(demangle(symbol, DEMANGLE_FULL, &out));
	assert_int_equal(out.len, 0);
	buf_release(&out);
}

static void symbols_with_huge_names_stay_mangled(void **state)
{
	static char s[200000] = "_Z1fI";

	(void)state;
	doubling_cplus(s, "1BIiE", "I", "E");
	assert_mangled(s);
	doubling_cplus(s, "1BIJEE", "IJ", "EE");
	assert_mangled(s);
	memset(s, 'P', sizeof(s) - 1);
	memcpy(s, "_Z1f", 4);
	assert_mangled(s);
	s[100000] = '\0';
	assert_mangled(s);
	memset(s, 'N', 100000);
	memcpy(s, "_Z", 2);
	assert_mangled(s);
	memset(s, 'A', 100000);
	memcpy(s, "_D1fF", 5);
	assert_mangled(s);
}

static void d_symbols_with_huge_names_stay_mangled(void **state)
{
	char s[400] = "_D1fFAi";
	size_t n = strlen(s);

	(void)state;
	for (int i = 0; i < 12; i++)
		n += (size_t)sprintf(s + n, "HQ%cQ%c", i ? 'g' : 'd', i ? 'i' : 'f');
	strcpy(s + n, "Zv");
	for (int i = 0; i < 200; i++)
		assert_mangled(s);
}

static void mode_none_changes_nothing(void **state)
{
	struct buf out = { 0 };

	(void)state;
	assert_false(demangle("_Z3foov", DEMANGLE_NONE, &out));
	assert_false(demangle("a::b(c)", DEMANGLE_NONE, &out));
}

static void mode_mangled_keeps_demangled_names(void **state)
{
	struct buf out = { 0 };

	(void)state;
	assert_false(demangle("<A as T>::go", DEMANGLE_MANGLED, &out));
	assert_false(demangle("std::function<void ()>::operator()", DEMANGLE_MANGLED, &out));
	assert_true(demangle("_Z3fooIiEvT_", DEMANGLE_MANGLED, &out));
	assert_string_equal(buf_text(&out), "foo");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpp_names_keep_the_parts_that_the_mode_selects),
		cmocka_unit_test(rust_names_lose_hash_and_generic_arguments),
		cmocka_unit_test(demangles_d_names),
		cmocka_unit_test(shortens_names_that_are_demangled_already),
		cmocka_unit_test(symbols_with_huge_names_stay_mangled),
		cmocka_unit_test(d_symbols_with_huge_names_stay_mangled),
		cmocka_unit_test(mode_none_changes_nothing),
		cmocka_unit_test(mode_mangled_keeps_demangled_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
