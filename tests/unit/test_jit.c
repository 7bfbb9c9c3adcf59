/*
 * test_jit.c - perf maps and jitdumps
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/jit/jit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

static const uint64_t wanted[] = { 0x1008, 0x1000, 0x2000, 0x1008, 0x100f, 0x1010, 0x2fff, UINT64_MAX };

/* Read bytes as a file. The result and the error are filled in. */
static struct jit *read_bytes(const void *data, size_t n, int *rc, struct err *err)
{
	struct jit *j = jit_new(wanted, sizeof(wanted) / sizeof(wanted[0]));
	FILE *f = tmpfile();

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	rewind(f);
	*err = (struct err){ .msg = "" };
	*rc = jit_read(j, f, err);
	fclose(f);
	return j;
}

static struct jit *read_map(const char *text)
{
	struct err err;
	struct jit *j;
	int rc;

	j = read_bytes(text, strlen(text), &rc, &err);
	assert_int_equal(rc, 0);
	return j;
}

static void assert_name(const struct jit *j, uint64_t addr, const char *name, uint64_t offset)
{
	struct jit_name found;

	if (!name) {
		assert_false(jit_find(j, addr, &found));
		return;
	}
	assert_true(jit_find(j, addr, &found));
	assert_string_equal(found.function, name);
	assert_int_equal(found.offset, offset);
}

static void a_function_contains_its_start_and_not_its_end(void **state)
{
	struct jit *j = read_map("1000 10 f\n");

	(void)state;
	assert_name(j, 0x1000, "f", 0);
	assert_name(j, 0x100f, "f", 15);
	assert_name(j, 0x1010, NULL, 0);
	assert_name(j, 0x1234, NULL, 0); /* not one of the wanted addresses */
	assert_int_equal(jit_count(j), 3);
	jit_free(j);
}

static void names_contain_spaces_and_any_bytes(void **state)
{
	struct jit *j = read_map("0x1000 0x8 int a.b(int, long) \r\n1008 8 x\xff\x01y\n2000 1  z");

	(void)state;
	assert_name(j, 0x1000, "int a.b(int, long)", 0);
	assert_name(j, 0x1008, "x\\xff\\x01y", 0);
	assert_name(j, 0x2000, " z", 0); /* also without a newline at the end */
	jit_free(j);
}

static void the_last_line_for_an_address_counts(void **state)
{
	struct jit *j = read_map("1000 1000 old\n1008 4 new\n2000 10 a\n2000 10 b\n");

	(void)state;
	assert_name(j, 0x1000, "old", 0);
	assert_name(j, 0x1008, "new", 0);
	assert_name(j, 0x100f, "old", 15);
	assert_name(j, 0x2000, "b", 0);
	jit_free(j);
}

static void malformed_lines_are_skipped(void **state)
{
	struct jit *j = read_map("\n1000\n1000 10\n1000 10 \n1000 0 f\nffffffffffffffff 2 f\n1000 ffffffffffffffff f\n"
				 "g000 10 f\n11111111111111111 10 f\n 1000 10 f\n1000 10\tf\n1000 1");

	(void)state;
	assert_int_equal(jit_count(j), 0);
	jit_free(j);
}

static void a_long_name_is_cut(void **state)
{
	struct buf text = { 0 };
	struct jit_name name;
	struct jit *j;

	(void)state;
	buf_addz(&text, "1000 8 ");
	buf_fill(&text, 'n', 1 << 20);
	buf_addz(&text, "\n1008 8 f\n");
	j = read_map(buf_text(&text));
	assert_true(jit_find(j, 0x1000, &name));
	assert_int_equal(strlen(name.function), 4096);
	assert_name(j, 0x1008, "f", 0);
	buf_release(&text);
	jit_free(j);
}

/* Every line contains all addresses, so the work would be the product of both. */
static void functions_that_all_overlap_reach_a_limit(void **state)
{
	const size_t n = 1 << 16;
	uint64_t *addr = calloc(n, sizeof(*addr));
	struct buf text = { 0 };
	struct err err = { .msg = "" };
	struct jit *j;
	FILE *f;

	(void)state;
	assert_non_null(addr);
	for (size_t i = 0; i < n; i++)
		addr[i] = i;
	for (size_t i = 0; i <= ((size_t)1 << 28) / n; i++)
		buf_addz(&text, "0 ffffffff f\n");
	j = jit_new(addr, n);
	f = fmemopen(text.data, text.len, "r");
	assert_non_null(f);
	assert_int_equal(jit_read(j, f, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "too many functions at the same addresses");
	assert_int_equal(jit_count(j), n);
	fclose(f);
	buf_release(&text);
	jit_free(j);
	free(addr);
}

static void add32(struct buf *b, uint32_t v)
{
	buf_add(b, &v, sizeof(v));
}

static void add64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

static void add_head(struct buf *b, uint32_t magic, uint32_t version, uint32_t size)
{
	const uint32_t head[] = { magic, version, size, 62, 0, 1, 0, 0, 0, 0 };

	buf_add(b, head, sizeof(head));
	for (uint32_t i = sizeof(head); i < size && size < 4096; i++)
		buf_add(b, "", 1);
}

static void add_record(struct buf *b, uint32_t id, uint32_t size)
{
	add32(b, id);
	add32(b, size);
	add64(b, 0);
}

static void add_load(struct buf *b, uint64_t start, uint64_t size, uint64_t index, const char *name)
{
	uint32_t n = (uint32_t)strlen(name) + 1;

	add_record(b, 0, 56 + n + 4);
	add64(b, 0);
	add64(b, start + 0x100000); /* vma is not used */
	add64(b, start);
	add64(b, size);
	add64(b, index);
	buf_add(b, name, n);
	add32(b, 0xc3c3c3c3);
}

static void add_move(struct buf *b, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	add_record(b, 1, 64);
	add64(b, 0);
	add64(b, to);
	add64(b, from);
	add64(b, to);
	add64(b, size);
	add64(b, index);
}

static struct jit *read_dump(struct buf *b, int *rc, struct err *err)
{
	struct jit *j = read_bytes(b->data, b->len, rc, err);

	buf_release(b);
	return j;
}

static void a_jitdump_names_code_and_the_newest_record_counts(void **state)
{
	struct buf b = { 0 };
	struct err err;
	struct jit *j;
	int rc;

	(void)state;
	add_head(&b, 0x4a695444, 1, 48);
	add_record(&b, 2, 24); /* debug info and unknown records are skipped */
	add64(&b, 1);
	add_load(&b, 0x1000, 16, 1, "old");
	add_record(&b, 77, 16);
	add_load(&b, 0x1008, 8, 2, "new \xff");
	add_record(&b, 3, 16);
	j = read_dump(&b, &rc, &err);
	assert_int_equal(rc, 0);
	assert_name(j, 0x1000, "old", 0);
	assert_name(j, 0x1008, "new \\xff", 0);
	assert_int_equal(jit_count(j), 3);
	jit_free(j);
}

static void moved_code_keeps_its_name(void **state)
{
	struct buf b = { 0 };
	struct err err;
	struct jit *j;
	int rc;

	(void)state;
	add_head(&b, 0x4a695444, 1, 40);
	add_load(&b, 0x1000, 4, 1, "first");
	add_load(&b, 0x9000, 16, 2, "second");
	add_move(&b, 0x1000, 0x2000, 4, 1);
	add_move(&b, 0x9000, 0x1008, 8, 2);
	add_move(&b, 0x9000, 0x1010, 8, 3); /* of unknown code */
	j = read_dump(&b, &rc, &err);
	assert_int_equal(rc, 0);
	assert_name(j, 0x1000, "first", 0);
	assert_name(j, 0x2000, "first", 0);
	assert_name(j, 0x1008, "second", 0);
	assert_name(j, 0x1010, NULL, 0);
	jit_free(j);
}

static void an_incomplete_record_at_the_end_is_ignored(void **state)
{
	struct buf b = { 0 };
	size_t full, whole;

	(void)state;
	add_head(&b, 0x4a695444, 1, 40);
	add_load(&b, 0x1000, 8, 1, "f");
	whole = b.len;
	add_load(&b, 0x1008, 8, 2, "g");
	full = b.len;
	for (size_t n = whole; n <= full; n++) {
		struct err err;
		int rc;
		struct jit *j = read_bytes(b.data, n, &rc, &err);

		assert_int_equal(rc, 0);
		assert_name(j, 0x1000, "f", 0);
		assert_name(j, 0x1008, n >= full - 4 ? "g" : NULL, 0); /* its code is not needed */
		jit_free(j);
	}
	buf_release(&b);
}

static void assert_fails(struct buf *b, const char *message)
{
	struct err err;
	int rc;

	jit_free(read_dump(b, &rc, &err));
	assert_int_equal(rc, ERR_FORMAT);
	assert_string_equal(err.msg, message);
}

static void a_damaged_jitdump_is_an_error(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_head(&b, 0x4454694a, 0x01000000, 0x28000000);
	assert_fails(&b, "the jitdump is from a machine with another byte order");
	add_head(&b, 0x4a695444, 2, 40);
	assert_fails(&b, "version 2 of jitdump is not supported");
	add_head(&b, 0x4a695444, 1, 39);
	assert_fails(&b, "the header of the jitdump has 39 bytes");
	add_head(&b, 0x4a695444, 1, 40);
	add_record(&b, 0, 15);
	assert_fails(&b, "the record at byte 40 has only 15 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_contains_its_start_and_not_its_end),
		cmocka_unit_test(names_contain_spaces_and_any_bytes),
		cmocka_unit_test(the_last_line_for_an_address_counts),
		cmocka_unit_test(malformed_lines_are_skipped),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(functions_that_all_overlap_reach_a_limit),
		cmocka_unit_test(a_jitdump_names_code_and_the_newest_record_counts),
		cmocka_unit_test(moved_code_keeps_its_name),
		cmocka_unit_test(an_incomplete_record_at_the_end_is_ignored),
		cmocka_unit_test(a_damaged_jitdump_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
