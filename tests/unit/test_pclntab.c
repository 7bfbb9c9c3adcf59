/*
 * test_pclntab.c - functions, files and lines of Go programs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table is written by hand, in the format of Go 1.20, and the compiler puts it into a program.
 */
#include "config.h"

#include "symbol/pclntab.h"

#include "base/child.h"
#include "base/io.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* One function of 32 bytes from the text address on: file 0, line 10, from its 9th byte on line 12. */
static const uint8_t table[] = {
	0xf1, 0xff, 0xff, 0xff, 0,   0,   1,   8,           /* magic, quantum, size of a pointer */
	1,    0,    0,    0,    0,   0,   0,   0,           /* functions */
	1,    0,    0,    0,    0,   0,   0,   0,           /* files */
	0,    0,    0x40, 0,    0,   0,   0,   0,           /* text */
	72,   0,    0,    0,    0,   0,   0,   0,           /* names */
	82,   0,    0,    0,    0,   0,   0,   0,           /* units */
	86,   0,    0,    0,    0,   0,   0,   0,           /* files */
	94,   0,    0,    0,    0,   0,   0,   0,           /* programs */
	103,  0,    0,    0,    0,   0,   0,   0,           /* functions */
	'm',  'a',  'i',  'n',  '.', 'm', 'a', 'i', 'n', 0, /* 72 */
	0,    0,    0,    0,                                /* 82: file 0 at 0 */
	'/',  's',  '/',  'm',  '.', 'g', 'o', 0,           /* 86 */
	0,    2,    32,   0,                                /* 94: +1 for 32 bytes: file 0 */
	22,   8,    4,    24,   0,                          /* 98: +11 for 8 bytes, +2 for 24: lines 10, 12 */
	0,    0,    0,    0,    12,  0,   0,   0,           /* 103: from 0 on, described at 12 */
	32,   0,    0,    0,                                /* the end */
	0,    0,    0,    0,    0,   0,   0,   0,   0,   0, 0, 0,
	0,    0,    0,    0,    0,   0,   0,   0,                 /* from, name, args, defers, stack */
	1,    0,    0,    0,    4,   0,   0,   0,   0,   0, 0, 0, /* files, lines, tables */
	0,    0,    0,    0,    9,   0,   0,   0,                 /* unit, first line */
};

struct compiled {
	char dir[64];
	struct pclntab *t;
	int fd;
};

static void write_source(const char *path, size_t n, size_t broken)
{
	struct buf b = { 0 };

	buf_addz(&b, "__attribute__((section(\".gopclntab\"), used)) const unsigned char t[] = {");
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%u,", i == broken ? 0xff : table[i]);
	buf_addz(&b, "};\nint main(void) { return 0; }\n");
	assert_int_equal(io_write_file(path, b.data, b.len, NULL), 0);
	buf_release(&b);
}

static void build(struct compiled *m, size_t n, size_t broken)
{
	char c[80], program[80];
	const char *cc = getenv("CC");
	struct buf out = { 0 };

	snprintf(c, sizeof(c), "%s/p.c", m->dir);
	snprintf(program, sizeof(program), "%s/p.o", m->dir);
	write_source(c, n, broken);
	assert_int_equal(child_run((const char *const[]){ "sh", "-c", "$0 -c -o \"$1\" \"$2\"", cc && *cc ? cc : "cc",
							  program, c, NULL },
				   NULL, 0, &out, NULL),
			 0);
	buf_release(&out);
	pclntab_close(m->t);
	if (m->fd >= 0)
		close(m->fd);
	m->fd = open(program, O_RDONLY | O_CLOEXEC);
	m->t = pclntab_open(m->fd);
}

static int make(void **state)
{
	struct compiled *m = calloc(1, sizeof(*m));

	snprintf(m->dir, sizeof(m->dir), "/tmp/cpa-pclntab-XXXXXX");
	assert_non_null(mkdtemp(m->dir));
	m->fd = -1;
	*state = m;
	return 0;
}

static int clean(void **state)
{
	struct compiled *m = *state;
	struct buf out = { 0 };

	pclntab_close(m->t);
	if (m->fd >= 0)
		close(m->fd);
	child_run((const char *const[]){ "rm", "-rf", m->dir, NULL }, NULL, 0, &out, NULL);
	buf_release(&out);
	free(m);
	return 0;
}

static void finds_name_file_and_lines_of_a_function(void **state)
{
	static const struct {
		uint64_t addr;
		int64_t line;
	} want[] = { { 0x400000, 10 }, { 0x400007, 10 }, { 0x400008, 12 }, { 0x40001f, 12 } };
	struct compiled *m = *state;
	struct frame f;

	build(m, sizeof(table), SIZE_MAX);
	assert_non_null(m->t);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_true(pclntab_find(m->t, want[i].addr, &f));
		assert_string_equal(f.name, "main.main");
		assert_string_equal(f.file, "/s/m.go");
		assert_int_equal(f.line, want[i].line);
		assert_int_equal(f.start_line, 9);
	}
	assert_false(pclntab_find(m->t, 0x3fffff, &f));
	assert_false(pclntab_find(m->t, 0x400020, &f));
}

static void a_damaged_table_is_read_within_bounds(void **state)
{
	struct compiled *m = *state;
	struct frame f;

	for (size_t i = 0; i < sizeof(table); i += 4) {
		build(m, sizeof(table), i);
		for (uint64_t addr = 0x3ffff0; m->t && addr < 0x400030; addr += 8)
			if (pclntab_find(m->t, addr, &f))
				assert_non_null(f.name);
	}
	build(m, 40, SIZE_MAX);
	assert_null(m->t);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)
	const struct CMUnitTest tests[] = {
		TEST(finds_name_file_and_lines_of_a_function),
		TEST(a_damaged_table_is_read_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
