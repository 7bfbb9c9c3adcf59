/*
 * test_shorten.c - function names without their packages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/shorten.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"

/* Names shortened by pprof, recorded. */
static const struct {
	const char *name, *want;
} names[] = {
	{ "", "" },
	{ "main", "main" },
	{ "main.main", "main.main" },
	{ "runtime.gcBgMarkWorker", "runtime.gcBgMarkWorker" },
	{ "net/http.(*conn).serve.func1", "http.(*conn).serve.func1" },
	{ "net/http.HandlerFunc.ServeHTTP", "http.HandlerFunc.ServeHTTP" },
	{ "github.com/acme/widgets/v2.Foo", "widgets.Foo" },
	{ "github.com/a/w/v2/pkg.(*T).M", "pkg.(*T).M" },
	{ "gopkg.in/yaml.v2.Unmarshal", "yaml.v2.Unmarshal" },
	{ "github.com/a/w/v1.Foo", "v1.Foo" },
	{ "github.com/a/w/v10.Foo", "w.Foo" },
	{ "github.com/a/w/v01.Foo", "v01.Foo" },
	{ "github.com/a/w/v12x.Foo", "v12x.Foo" },
	{ "github.com/a/v2/v3.Foo", "v3.Foo" },
	{ "github.com/a/w/v2", "github.com/a/w/v2" },
	{ "/v2.Foo", ".Foo" },
	{ "/v2/x.Foo", "/x.Foo" },
	{ "a/v2/v2/b.c", "b.c" },
	{ "a/v9", "a/v9" },
	{ "a/v9/", "a/" },
	{ "a/v9.", "a." },
	{ "v2/a.b", "a.b" },
	{ "a/v22/b.c", "b.c" },
	{ "a/v1/v2/b.c", "b.c" },
	{ "a/v2\n.b", "v2\n.b" },
	{ "x\n/v2.b", "x\n/v2.b" },
	{ "a/v2.b\n", "v2.b" },
	{ "a/b.c\ne", "b.c" },
	{ "a/b\n.c", "b\n.c" },
	{ "a/b.\nc", "a/b.\nc" },
	{ "a/\nb.c", "\nb.c" },
	{ "a//b.c", "/b.c" },
	{ "/a/b.c", "/a/b.c" },
	{ "a/b", "a/b" },
	{ "a/b.", "a/b." },
	{ "a/.b", "a/.b" },
	{ "a/.b.c", "a/.b.c" },
	{ "a/b.c/d.e", "d.e" },
	{ "a/b.c/d", "b.c/d" },
	{ "a/b/c d.e", "c d.e" },
	{ "a b/c.d", "a b/c.d" },
	{ "a/b c/d.e", "b c/d.e" },
	{ "a-b/c_d.e", "c_d.e" },
	{ "a.b/c.d", "c.d" },
	{ "a/b/", "a/b/" },
	{ "a/(*T).M", "(*T).M" },
	{ "main.Map[go.shape.int].Get", "main.Map[go.shape.int].Get" },
	{ "a/b.Map[...].Get", "b.Map[...].Get" },
	{ "a/b.Map[x/y.Z].Get", "b.Map[x/y.Z].Get" },
	{ "a/\303\251.b", "\303\251.b" },
	{ "\303\251/a.b", "\303\251/a.b" },
	{ "a/\377.b", "\377.b" },
	{ "a/b.\377", "b.\377" },
	{ "type..eq.a/b.T", "b.T" },
	{ "a/b.glob..func1", "b.glob..func1" },
	{ "java.lang.Thread.<init>", "Thread.<init>" },
	{ "java.lang.Thread.<clinit>", "java.lang.Thread.<clinit>" },
	{ "com.foo.Bar.doIt(int)", "Bar.doIt" },
	{ "com.foo.Bar.doIt", "Bar.doIt" },
	{ "com.foo.Bar.doIt int", "com.foo.Bar.doIt int" },
	{ "com.foo.Bar$1.run", "Bar$1.run" },
	{ "com.foo.Bar.lambda$run$0", "Bar.lambda$run$0" },
	{ "com.foo.Bar.DoIt", "com.foo.Bar.DoIt" },
	{ "Bar.run", "Bar.run" },
	{ "Bar.<init>(int)", "Bar.<init>" },
	{ "com.Foo.bar.Baz.run", "com.Foo.bar.Baz.run" },
	{ "com.foo.bar", "com.foo.bar" },
	{ "Bar.run[1]", "Bar.run[1]" },
	{ "Com.foo.Bar.run", "Com.foo.Bar.run" },
	{ "com..Bar.run", "com..Bar.run" },
	{ "a.b.C.d$1(", "C.d$1" },
	{ "a.b.C.d$", "C.d$" },
	{ "a.b.$C.d", "a.b.$C.d" },
	{ "a.b.C$.d", "C$.d" },
	{ "a_1.B.c", "B.c" },
	{ "1a.B.c", "1a.B.c" },
	{ "a.B.c\n", "a.B.c\n" },
	{ "a.B.<init>x", "a.B.<init>x" },
	{ "a.B._c", "a.B._c" },
	{ "a.B.c_d", "B.c_d" },
	{ "java.util.Map.get(java.lang.Object)", "Map.get" },
	{ "a.b.C.d/e", "a.b.C.d/e" },
	{ "foo::bar::Baz::qux(int)", "Baz::qux" },
	{ "foo::bar::func", "foo::bar::func" },
	{ "foo::bar::Baz::operator()", "Baz::operator" },
	{ "foo::Bar::baz<int>", "Bar::baz<int>" },
	{ "foo::Bar::baz<std::vector<int>>::x()", "Bar::baz<std::vector<int>>" },
	{ "std::vector<int>::push_back", "std::vector<int>::push_back" },
	{ "foo::Bar::~Bar", "Bar::~Bar" },
	{ "foo::_Bar::baz", "_Bar::baz" },
	{ "foo::__Bar::__baz", "__Bar::__baz" },
	{ "foo::_bar::baz", "foo::_bar::baz" },
	{ "Foo::Bar::Baz::qux", "Baz::qux" },
	{ "A::B", "A::B" },
	{ "A::B::c", "B::c" },
	{ "a::B::9", "a::B::9" },
	{ "a::B::c::D::e", "D::e" },
	{ "a::B::c<", "B::c" },
	{ "a::B::c<d", "B::c" },
	{ "a::B::c<d>e>f", "B::c<d>e>" },
	{ "a::B::c<d\n>", "B::c" },
	{ "9a::B::c", "9a::B::c" },
	{ "a::9::B::c", "a::9::B::c" },
	{ "::a::B::c", "::a::B::c" },
	{ "a::::B::c", "a::::B::c" },
	{ "a::B<int>::c", "a::B<int>::c" },
	{ "a::B::~9", "a::B::~9" },
	{ "a::B::~_c", "B::~_c" },
	{ "a:B::C::d", "a:B::C::d" },
	{ "_::B::c", "B::c" },
	{ "a::B::", "a::B::" },
	{ "(anonymous namespace)::f", "f" },
	{ "(anonymous namespace)::a::B::c", "B::c" },
	{ "(anonymous namespace)::(anonymous namespace)::f", "(anonymous namespace)::f" },
	{ "a::(anonymous namespace)::B::c", "a::(anonymous namespace)::B::c" },
	{ "(anonymous namespace)", "(anonymous namespace)" },
	{ "(anonymous namespace)::", "" },
	{ "(anonymous namespace)::a/v2.b", "a.b" },
	{ "<core::fmt::Formatter as core::fmt::Write>::write_str",
	  "<core::fmt::Formatter as core::fmt::Write>::write_str" },
	{ "core::ptr::drop_in_place<T>", "core::ptr::drop_in_place<T>" },
	{ "alloc::vec::Vec::push", "Vec::push" },
	{ "__libc_start_main", "__libc_start_main" },
	{ "[kernel.kallsyms]", "[kernel.kallsyms]" },
	{ "\001\002", "\001\002" },
	{ "a/b.c.d.e", "b.c.d.e" },
};

static void shortens_names_like_pprof(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct buf out = { 0 };

		shorten_add(&out, names[i].name);
		if (strcmp(buf_text(&out), names[i].want) != 0)
			fail_msg("%s becomes %s, not %s", names[i].name, buf_text(&out), names[i].want);
		buf_release(&out);
	}
}

static void appends_a_short_name(void **state)
{
	struct buf out = { 0 };

	(void)state;
	buf_addz(&out, "x ");
	shorten_add(&out, "a/b.c");
	shorten_add(&out, "a::B::c");
	assert_string_equal(buf_text(&out), "x b.cB::c");
	buf_release(&out);
}

/* The time to shorten a name of n bytes, which repeats a part. */
static double seconds_for(const char *part, size_t n)
{
	size_t len = strlen(part);
	char *name = mem_alloc(n + 1, 1);
	struct buf out = { 0 };
	clock_t start = clock();

	for (size_t i = 0; i < n; i++)
		name[i] = part[i % len];
	name[n - 1] = '.';
	name[n] = 0;
	shorten_add(&out, name);
	buf_release(&out);
	free(name);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void long_names_take_linear_time(void **state)
{
	static const char *const parts[] = { "a/", "a/b.", "/v2", "/v1",   "/v22",      "a.", "A.",
					     "_",  "$",    "a::", "A::b<", "A::B::c<>", "a/b" };

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		assert_true(seconds_for(parts[i], 400000) < 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shortens_names_like_pprof),
		cmocka_unit_test(appends_a_short_name),
		cmocka_unit_test(long_names_take_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
