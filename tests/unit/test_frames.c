/*
 * test_frames.c - object addresses to functions, files and lines
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program under test is built by the compiler that built cpa.
 */
#include "config.h"

#include "symbol/frames.h"

#include "base/child.h"
#include "base/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char source[] = "static inline __attribute__((always_inline)) int inner(volatile int *p)\n"
			     "{\n"
			     "	return *p + 1;\n"
			     "}\n"
			     "int outer(volatile int *p);\n"
			     "__attribute__((noinline)) int outer(volatile int *p)\n"
			     "{\n"
			     "	return inner(p) * 3;\n"
			     "}\n"
			     "int main(void)\n"
			     "{\n"
			     "	volatile int x = 1;\n"
			     "	return outer(&x);\n"
			     "}\n";

struct compiled {
	char dir[64], c[80], program[80], cache[80];
	struct arena *mem;
	struct symbol_options w;
	struct object *o;
};

static int compile(struct compiled *m, const char *option)
{
	const char *cc = getenv("CC");
	struct buf out = { 0 };
	struct err err;
	int rc = child_run((const char *const[]){ "sh", "-c", "$0 -O2 $1 -Wl,--build-id -o \"$2\" \"$3\"",
						  cc && *cc ? cc : "cc", option, m->program, m->c, NULL },
			   NULL, 0, &out, &err);

	if (rc < 0)
		fprintf(stderr, "# %s\n", err.msg);
	buf_release(&out);
	return rc;
}

static int make(void **state)
{
	struct compiled *m = calloc(1, sizeof(*m));

	snprintf(m->dir, sizeof(m->dir), "/tmp/cpa-frames-XXXXXX");
	assert_non_null(mkdtemp(m->dir));
	snprintf(m->c, sizeof(m->c), "%s/p.c", m->dir);
	snprintf(m->program, sizeof(m->program), "%s/p", m->dir);
	snprintf(m->cache, sizeof(m->cache), "%s/cache", m->dir);
	assert_int_equal(io_write_file(m->c, source, sizeof(source) - 1, NULL), 0);
	m->mem = arena_new();
	m->w = (struct symbol_options){ .symfs = "",
					.binary_path = "",
					.tools = "",
					.debug_dir = "",
					.kallsyms = "",
					.source_path = "",
					.trim_path = "",
					.cache = m->cache };
	*state = m;
	return 0;
}

static int clean(void **state)
{
	struct compiled *m = *state;
	struct buf out = { 0 };

	object_close(m->o);
	arena_free(m->mem);
	child_run((const char *const[]){ "rm", "-rf", m->dir, NULL }, NULL, 0, &out, NULL);
	buf_release(&out);
	free(m);
	return 0;
}

/* Open the program and find the start of outer. */
static uint64_t open_outer(struct compiled *m)
{
	const struct object_symbol *s;
	size_t n;

	assert_int_equal(object_open(m->program, &m->o, NULL), 0);
	n = object_symbols(m->o, &s);
	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].name, "outer") == 0)
			return s[i].addr;
	fail_msg("no symbol outer");
	return 0;
}

static struct frames find(struct compiled *m, uint64_t addr)
{
	struct frames f;

	assert_int_equal(frames_find(m->o, &m->w, &addr, 1, m->mem, &f, NULL, NULL), 0);
	assert_int_equal(f.n, 1);
	return f;
}

static void check_inlined(const struct compiled *m, const struct frames *f)
{
	assert_int_equal(f->off[1], 2);
	assert_string_equal(f->frame[0].name, "inner");
	assert_string_equal(f->frame[0].file, m->c);
	assert_int_equal(f->frame[0].line, 3);
	assert_int_equal(f->frame[0].start_line, 1);
	assert_string_equal(f->frame[1].name, "outer");
	assert_string_equal(f->frame[1].file, m->c);
	assert_int_equal(f->frame[1].line, 8);
	assert_int_equal(f->frame[1].start_line, 6);
}

static void an_inlined_call_precedes_the_function_that_contains_it(void **state)
{
	struct compiled *m = *state;
	struct frames f;

	assert_int_equal(compile(m, "-g"), 0);
	f = find(m, open_outer(m));
	check_inlined(m, &f);
}

static void dwarf_4_has_the_same_frames(void **state)
{
	struct compiled *m = *state;
	struct frames f;

	assert_int_equal(compile(m, "-gdwarf-4"), 0);
	f = find(m, open_outer(m));
	check_inlined(m, &f);
}

static void a_second_search_reads_only_the_cache(void **state)
{
	struct compiled *m = *state;
	struct frames f;
	uint64_t addr;

	assert_int_equal(compile(m, "-g"), 0);
	addr = open_outer(m);
	f = find(m, addr);
	assert_true(strncmp(f.source, "DWARF of ", 9) == 0);
	f = find(m, addr);
	assert_string_equal(f.source, "cache");
	check_inlined(m, &f);
}

static void without_debug_information_uses_the_symbol_and_caches_nothing(void **state)
{
	struct compiled *m = *state;
	struct frames f;
	uint64_t addr;

	assert_int_equal(compile(m, "-g0"), 0);
	addr = open_outer(m);
	for (int i = 0; i < 2; i++) {
		f = find(m, addr + 1);
		assert_string_equal(f.source, "symbol table");
		assert_int_equal(f.off[1], 1);
		assert_string_equal(f.frame[0].name, "outer");
		assert_int_equal(f.frame[0].line, 0);
	}
	assert_int_not_equal(access(m->cache, F_OK), 0);
}

static void an_address_outside_all_code_has_no_frames(void **state)
{
	struct compiled *m = *state;
	struct frames f;

	assert_int_equal(compile(m, "-g"), 0);
	open_outer(m);
	f = find(m, 1);
	assert_int_equal(f.off[1], 0);
}

static void fast_mode_finds_only_symbol_names(void **state)
{
	struct compiled *m = *state;
	struct frames f;

	assert_int_equal(compile(m, "-g"), 0);
	m->w.fast = true;
	f = find(m, open_outer(m));
	assert_int_equal(f.off[1], 1);
	assert_string_equal(f.frame[0].name, "outer");
	assert_string_equal(f.frame[0].file, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)
	const struct CMUnitTest tests[] = {
		TEST(an_inlined_call_precedes_the_function_that_contains_it),
		TEST(dwarf_4_has_the_same_frames),
		TEST(a_second_search_reads_only_the_cache),
		TEST(without_debug_information_uses_the_symbol_and_caches_nothing),
		TEST(an_address_outside_all_code_has_no_frames),
		TEST(fast_mode_finds_only_symbol_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
