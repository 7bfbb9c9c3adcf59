/*
 * test_segment.c - chapters and segment files: what is written is read, damage is named
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "make_profile.h"
#include "make_segment.h"
#include "store/local/format/segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { HEADER_BYTES = 64 };

static struct profile *make_cpu(unsigned i)
{
	struct make m = make_start("samples/count cpu/nanoseconds");

	make_map(&m, "/bin/shop");
	ROW(&m, "0x10=sort@sort.c:10;0x20=main@main.c:5", 3 + i, 30 + 10 * i);
	ROW(&m, i % 2 ? "0x11=hash@hash.c:7;0x20=main@main.c:5" : "0x12=json@json.c:8;0x20=main@main.c:5", 1, 10);
	return make_end(&m);
}

static struct profile *make_heap(unsigned i)
{
	struct make m = make_start("alloc_objects/count inuse_space/bytes");

	make_map(&m, "/bin/shop");
	ROW(&m, "0x10=sort@sort.c:10;0x20=main@main.c:5", 100 + i, 4096 + 16 * (i % 3));
	if (i > 3)
		ROW(&m, "0x30=cache@cache.c:1;0x20=main@main.c:5", 5, 512 * i);
	return make_end(&m);
}

/* A segment of two services; the profiles of shop are added in a mixed order. */
static void write_sample(struct buf *out)
{
	static const struct store_label labels[] = { { "instance", "a:1" }, { "version", "2.4.0" } };
	static const struct store_mark mark = { 1763900005000000000, "prod", "deploy", "2.4.0" };
	struct chapter_builder *cart = chapter_builder_new("cart"), *shop = chapter_builder_new("shop");
	struct segment_builder b = segment_builder_begin(out);

	for (unsigned i = 0; i < 3; i++)
		segment_builder_profile(cart, "cpu", labels, 1, 1000 * i, make_cpu(i));
	for (unsigned i = 0; i < 130; i++) {
		unsigned k = i * 77 % 130;

		segment_builder_profile(shop, "cpu", labels, 2, 1763900000000000000 + k * INT64_C(1000000007),
					make_cpu(k));
	}
	for (unsigned i = 0; i < 9; i++)
		segment_builder_profile(shop, "heap", labels, 2, 1763900000000000000 + i * INT64_C(2000000000),
					make_heap(i));
	chapter_builder_mark(shop, &mark);
	segment_builder_chapter(&b, cart);
	segment_builder_chapter(&b, shop);
	segment_builder_end(&b);
}

/* All of a segment as text. Returns 0, or the error. */
static int read_all(const void *data, size_t n, struct buf *text, struct err *err)
{
	int fd = memfd_create("x.cps", MFD_CLOEXEC), rc;
	struct segment *s;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, n), n);
	rc = segment_open(fd, "x.cps", &s, err);
	close(fd);
	if (rc)
		return rc;
	rc = segment_print(s, text, err);
	segment_close(s);
	return rc;
}

/* The position of a line in the text, which contains NUL. */
static const char *find(const struct buf *text, const char *line)
{
	return memmem(text->data, text->len, line, strlen(line));
}

static void what_is_written_is_read(void **state)
{
	struct buf file = { 0 }, text = { 0 };
	struct err err = { 0 };
	const char *first;

	(void)state;
	write_sample(&file);
	assert_int_equal(read_all(file.data, file.len, &text, &err), 0);
	assert_non_null(find(&text, "chapter cart 0..2000 3\n"));
	/* The totals: 3 + ... + 132 samples and 130 of the other rows. */
	assert_non_null(find(&text, "block 0: 120 profiles, 7620 76200\n"));
	assert_non_null(find(&text, "block 1: 10 profiles, 1285 12850\n"));
	assert_non_null(find(&text, "block 2: 9 profiles, 961 "));
	assert_non_null(find(&text, "mark 1763900005000000000 prod deploy 2.4.0\n"));
	first = find(&text, "profile 1763900000000000000");
	assert_non_null(first);
	assert_true(first < find(&text, "profile 1763900001000000007"));
	buf_release(&file);
	buf_release(&text);
}

static void profiles_of_different_types_are_in_different_blocks(void **state)
{
	struct chapter_builder *b = chapter_builder_new("shop");
	struct chapter *c;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		segment_builder_profile(b, "any", NULL, 0, i, i == 2 || i == 3 ? make_heap(i) : make_cpu(i));
	assert_int_equal(chapter_builder_finish(b, 3, &c, &err), 0);
	assert_int_equal(c->n_blocks, 3);
	assert_int_equal(c->block[1].t0, 2);
	assert_int_equal(c->block[1].t1, 3);
	assert_int_equal(c->block[2].profiles, 2);
	chapter_free(c);
	chapter_builder_free(b);
}

/* Write profiles of two series with two kinds of types, which come in order. */
static void write_sorted(struct buf *file, bool is_promised)
{
	struct segment_builder s = segment_builder_begin(file);
	struct chapter_builder *b = chapter_builder_new("shop");
	const struct store_label label[] = { { "instance", "a" }, { "instance", "b" } };

	if (is_promised)
		chapter_builder_expect_sorted(b, 3);
	for (unsigned i = 0; i < 300; i++)
		segment_builder_profile(b, "any", &label[i / 200], 1, i, i % 150 > 140 ? make_heap(i) : make_cpu(i));
	segment_builder_chapter(&s, b);
	segment_builder_end(&s);
}

static void sorted_profiles_make_the_same_chapter(void **state)
{
	struct buf sorted = { 0 }, any = { 0 };

	(void)state;
	write_sorted(&sorted, true);
	write_sorted(&any, false);
	assert_int_equal(sorted.len, any.len);
	assert_memory_equal(sorted.data, any.data, any.len);
	buf_release(&sorted);
	buf_release(&any);
}

/* CRC-32 as in gzip, bit by bit. */
static uint32_t crc32_of(const uint8_t *p, size_t n)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (unsigned k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static void a_newer_version_is_refused_with_its_number(void **state)
{
	struct buf file = { 0 }, text = { 0 };
	struct err err;
	uint32_t crc;

	(void)state;
	write_sample(&file);
	crc = crc32_of((uint8_t *)file.data, HEADER_BYTES - 4);
	assert_memory_equal(file.data + HEADER_BYTES - 4, &crc, 4);
	file.data[8] = 3;
	crc = crc32_of((uint8_t *)file.data, HEADER_BYTES - 4);
	memcpy(file.data + HEADER_BYTES - 4, &crc, 4);
	assert_int_equal(read_all(file.data, file.len, &text, &err), ERR_FORMAT);
	assert_non_null(strstr(err.msg, "x.cps: written by a newer cpa: format version 3"));
	buf_release(&file);
	buf_release(&text);
}

static void check_damaged(const struct buf *file, size_t n, const struct buf *good)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	int rc = read_all(file->data, n, &text, &err);

	if (rc) {
		assert_int_equal(rc, ERR_FORMAT);
		assert_true(strncmp(err.msg, "x.cps: ", 7) == 0 && strlen(err.msg) > 15);
	} else {
		assert_int_equal(text.len, good->len);
		assert_memory_equal(text.data, good->data, good->len);
	}
	buf_release(&text);
}

static void a_changed_byte_is_found_or_changes_nothing(void **state)
{
	struct buf file = { 0 }, good = { 0 };
	struct err err;

	(void)state;
	write_sample(&file);
	assert_int_equal(read_all(file.data, file.len, &good, &err), 0);
	for (size_t i = 0; i < file.len; i++) {
		file.data[i] ^= (char)(1 << i % 8);
		check_damaged(&file, file.len, &good);
		file.data[i] ^= (char)(1 << i % 8);
	}
	buf_release(&file);
	buf_release(&good);
}

static void a_file_that_is_cut_off_is_refused(void **state)
{
	struct buf file = { 0 }, text = { 0 };
	struct err err;

	(void)state;
	write_sample(&file);
	for (size_t n = 0; n < file.len; n++)
		assert_int_equal(read_all(file.data, n, &text, &err), ERR_FORMAT);
	buf_release(&file);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(profiles_of_different_types_are_in_different_blocks),
		cmocka_unit_test(sorted_profiles_make_the_same_chapter),
		cmocka_unit_test(a_newer_version_is_refused_with_its_number),
		cmocka_unit_test(a_changed_byte_is_found_or_changes_nothing),
		cmocka_unit_test(a_file_that_is_cut_off_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
