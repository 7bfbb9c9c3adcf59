/*
 * test_legacy_cpu.c - CPU profiles of gperftools and Java
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct format_options no_limits;

/* A profile: words as written, then text. */
struct image {
	uint8_t data[1024];
	size_t n;
	unsigned width;
	bool big_endian;
};

static void put_word(struct image *im, uint64_t v)
{
	for (unsigned i = 0; i < im->width; i++)
		im->data[im->n++] = (uint8_t)(v >> 8 * (im->big_endian ? im->width - 1 - i : i));
}

static void put_words(struct image *im, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_word(im, v[i]);
}

#define PUT(im, ...)                                                                                                   \
	put_words(im, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void put_text(struct image *im, const char *text)
{
	memcpy(im->data + im->n, text, strlen(text));
	im->n += strlen(text);
}

static struct profile *read_image(const struct image *im)
{
	struct profile *p = NULL;
	struct err err;

	if (legacy_read_cpu(im->data, im->n, &no_limits, &p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static void expect_error(const struct image *im, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(legacy_read_cpu(im->data, im->n, &no_limits, &p, &err), code);
	assert_null(p);
	assert_string_equal(err.msg, message);
}

static int64_t value(const struct profile *p, uint32_t type, uint32_t row)
{
	return p->value[type][row];
}

static uint32_t depth(const struct profile *p, uint32_t row)
{
	return p->stacks.off[p->stack[row] + 1] - p->stacks.off[p->stack[row]];
}

static uint64_t frame(const struct profile *p, uint32_t row, uint32_t i)
{
	return p->loc_addr[stack_id_at(&p->stacks, p->stacks.off[p->stack[row]] + i)];
}

static void words_are_32_or_64_bits_wide_in_either_byte_order(void **state)
{
	(void)state;
	for (unsigned layout = 0; layout < 4; layout++) {
		struct image im = { .width = layout < 2 ? 4 : 8, .big_endian = layout & 1 };
		struct profile *p;

		PUT(&im, 0, 3, 0, 10000, 0, 2, 2, 0x1000, 0x2001, 1, 2, 0x1000, 0x3001, 0, 1, 0);
		p = read_image(&im);
		assert_int_equal(p->meta.period, 10000000);
		assert_int_equal(p->n_rows, 2);
		assert_int_equal(value(p, 0, 0), 2);
		assert_int_equal(value(p, 1, 0), 20000000);
		assert_int_equal(frame(p, 0, 0), 0x1000);
		assert_int_equal(frame(p, 0, 1), 0x2000);
		profile_free(p);
	}
}

static void the_last_record_may_be_missing(void **state)
{
	struct image im = { .width = 8 };
	struct profile *p;

	(void)state;
	PUT(&im, 0, 3, 0, 1, 0, 1, 1, 0x1000, 4, 0);
	p = read_image(&im);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(value(p, 0, 1), 4);
	assert_int_equal(depth(p, 1), 0);
	profile_free(p);
}

static void mappings_follow_the_last_record(void **state)
{
	struct image im = { .width = 4 };
	struct profile *p;

	(void)state;
	PUT(&im, 0, 3, 0, 1, 0, 1, 1, 0x401000, 0, 1, 0);
	put_text(&im, "00400000-00500000 r-xp 00000000 08:01 42 /bin/legacy\n");
	p = read_image(&im);
	assert_int_equal(p->n_maps, 1);
	assert_string_equal(profile_text(p, p->map[0].file), "/bin/legacy");
	profile_free(p);
}

static void a_caller_common_to_all_stacks_is_removed(void **state)
{
	struct image im = { .width = 8 };
	struct profile *p;

	(void)state;
	PUT(&im, 0, 3, 0, 1, 0, 1, 3, 0x1000, 0x9001, 0x2001, 1, 3, 0x1100, 0x9001, 0x3001, 0, 1, 0);
	p = read_image(&im);
	assert_int_equal(depth(p, 0), 2);
	assert_int_equal(frame(p, 0, 1), 0x2000);
	assert_int_equal(frame(p, 1, 1), 0x3000);
	assert_int_equal(p->n_locs, 4);
	profile_free(p);
}

static void at_most_two_handler_frames_are_removed(void **state)
{
	struct image im = { .width = 8 };
	struct profile *p;

	(void)state;
	PUT(&im, 0, 3, 0, 1, 0, 1, 4, 0x1000, 0x9001, 0x9101, 0x9201, 1, 4, 0x1100, 0x9001, 0x9101, 0x9201);
	p = read_image(&im);
	assert_int_equal(depth(p, 0), 2);
	assert_int_equal(frame(p, 1, 1), 0x9200);
	profile_free(p);
}

static void a_frame_missing_in_1_of_31_samples_is_kept(void **state)
{
	struct image im = { .width = 4 };
	struct profile *p;

	(void)state;
	PUT(&im, 0, 3, 0, 1, 0);
	for (unsigned i = 0; i < 30; i++)
		PUT(&im, 1, 2, 0x1000 + i, 0x9001);
	PUT(&im, 1, 1, 0x2000);
	p = read_image(&im);
	assert_int_equal(depth(p, 0), 2);
	profile_free(p);
}

static void a_frame_missing_in_1_of_32_samples_is_removed(void **state)
{
	struct image im = { .width = 4 };
	struct profile *p;

	(void)state;
	PUT(&im, 0, 3, 0, 1, 0);
	for (unsigned i = 0; i < 31; i++)
		PUT(&im, 1, 2, 0x1000 + i, 0x9001);
	PUT(&im, 1, 1, 0x2000);
	p = read_image(&im);
	assert_int_equal(depth(p, 0), 1);
	profile_free(p);
}

static void a_repeated_leaf_is_removed(void **state)
{
	struct image im = { .width = 8 };
	struct profile *p;

	(void)state;
	PUT(&im, 0, 3, 0, 1, 0, 1, 3, 0x1000, 0x1000, 0x2001, 1, 2, 0x1100, 0x3001);
	p = read_image(&im);
	assert_int_equal(depth(p, 0), 2);
	assert_int_equal(frame(p, 0, 1), 0x2000);
	assert_int_equal(depth(p, 1), 2);
	profile_free(p);
}

static void java_profiles_have_names_instead_of_addresses(void **state)
{
	struct image im = { .width = 8 };
	struct profile *p;

	(void)state;
	PUT(&im, 0, 3, 1, 1, 0, 1, 2, 0x1, 0x2, 0, 1, 0);
	put_text(&im, " 0x1 a.leaf (B.java:3)\n 0x2 a.main (B.java:9)\n");
	p = read_image(&im);
	assert_int_equal(p->n_funcs, 2);
	assert_string_equal(profile_text(p, p->func_name[0]), "a.leaf");
	assert_int_equal(p->line_no[1], 9);
	assert_int_equal(frame(p, 0, 1), 0);
	profile_free(p);
}

static void errors_name_the_record(void **state)
{
	struct image im = { .width = 8 };

	(void)state;
	PUT(&im, 0, 3, 0, 1, 0, 1, 1, 0x1000, 2, 3, 0x1000);
	expect_error(&im, ERR_FORMAT, "record 2: 3 frames, but only 1 words left");
	im.n -= 17;
	expect_error(&im, ERR_FORMAT, "record 2: truncated");
	im.n = 5 * 8;
	PUT(&im, UINT64_C(1) << 63, 0);
	expect_error(&im, ERR_FORMAT, "record 1: 9223372036854775808 samples of 1000 ns overflow 64 bits");
	im.n = 5 * 8;
	PUT(&im, INT64_MAX / 1000 + 1, 0);
	expect_error(&im, ERR_FORMAT, "record 1: 9223372036854776 samples of 1000 ns overflow 64 bits");
	im.n = 0;
	PUT(&im, 0, 3, 0, INT64_MAX / 1000 + 1, 0);
	expect_error(&im, ERR_FORMAT, "period of 9223372036854776 microseconds overflows 64 bits");
}

static void other_formats_are_left_to_the_next_reader(void **state)
{
	struct image im = { .width = 8 };

	(void)state;
	PUT(&im, 0, 3, 2, 1, 0);
	expect_error(&im, ERR_UNKNOWN, "not a gperftools CPU profile");
	im.n = 0;
	PUT(&im, 0, 3, 0, 0, 0);
	expect_error(&im, ERR_UNKNOWN, "not a gperftools CPU profile");
	im.n = 39;
	expect_error(&im, ERR_UNKNOWN, "not a gperftools CPU profile");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_32_or_64_bits_wide_in_either_byte_order),
		cmocka_unit_test(the_last_record_may_be_missing),
		cmocka_unit_test(mappings_follow_the_last_record),
		cmocka_unit_test(a_caller_common_to_all_stacks_is_removed),
		cmocka_unit_test(at_most_two_handler_frames_are_removed),
		cmocka_unit_test(a_frame_missing_in_1_of_31_samples_is_kept),
		cmocka_unit_test(a_frame_missing_in_1_of_32_samples_is_removed),
		cmocka_unit_test(a_repeated_leaf_is_removed),
		cmocka_unit_test(java_profiles_have_names_instead_of_addresses),
		cmocka_unit_test(errors_name_the_record),
		cmocka_unit_test(other_formats_are_left_to_the_next_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
