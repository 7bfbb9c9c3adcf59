/*
 * test_proto_sample.c - the samples of a profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/pprof/pprof.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pool.h"
#include "formats/pprof/proto_pipeline.h"
#include "profile/edit.h"
#include "tests/unit/check_profile.h"
#include "tests/unit/wire.h"

static const struct format_options no_limits;

enum { S_EMPTY, S_SAMPLES, S_COUNT, S_KEY, S_TEXT, S_UNIT, N_STRINGS };
enum { N_LOCS = 20000, BLOCK = 512, TRIAL = 16384 };

/* Start a profile with types, strings, and locations with ids from 1. */
static struct buf start(unsigned n_types, unsigned n_locs)
{
	struct buf b = { 0 };

	for (unsigned i = 0; i < n_types; i++)
		TYPE(&b, S_SAMPLES, S_COUNT);
	STRINGS(&b, "", "samples", "count", "key", "text", "unit");
	for (unsigned i = 1; i <= n_locs; i++)
		wire_location(&b, i, 0, i, 0, 0);
	return b;
}

static struct profile *read_whole(struct buf *b)
{
	struct profile *p = NULL;
	struct err err;

	if (pprof_read((const uint8_t *)b->data, b->len, &no_limits, &p, &err) < 0 || profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(b);
	return p;
}

/* Expect an error, also if labels are skipped. */
static void expect_limit_error(struct buf *b, const struct format_options *limits, int code, const char *message)
{
	for (int skips = 0; skips <= 1; skips++) {
		struct format_options options = *limits;
		struct profile *p = NULL;
		struct err err;

		options.skips_labels = skips;
		assert_int_equal(pprof_read((const uint8_t *)b->data, b->len, &options, &p, &err), code);
		assert_null(p);
		assert_string_equal(err.msg, message);
	}
	buf_release(b);
}

static void expect_error(struct buf *b, const char *message)
{
	expect_limit_error(b, &no_limits, ERR_FORMAT, message);
}

static void expect_stack(const struct profile *p, uint32_t row, const uint64_t *addr, size_t n)
{
	uint32_t from = p->stacks.off[p->stack[row]];

	assert_int_equal(p->stacks.off[p->stack[row] + 1] - from, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(p->loc_addr[stack_id_at(&p->stacks, from + i)], addr[i]);
}

/* Label i of a row. */
static uint32_t label_of(const struct profile *p, uint32_t row, uint32_t i)
{
	assert_true(i < p->label_sets.off[p->labels[row] + 1] - p->label_sets.off[p->labels[row]]);
	return p->label_sets.item[p->label_sets.off[p->labels[row]] + i];
}

static uint32_t count_labels(const struct profile *p, uint32_t row)
{
	return p->label_sets.off[p->labels[row] + 1] - p->label_sets.off[p->labels[row]];
}

static void locations_and_values_may_be_packed_or_not(void **state)
{
	struct buf b = start(2, 3), m = { 0 };
	struct profile *p;

	(void)state;
	wire_packed(&m, 1, LIST(3, 1));
	wire_packed(&m, 2, LIST(7, 8));
	wire_message(&b, 2, &m);
	wire_int(&m, 1, 3);
	wire_int(&m, 2, 70);
	wire_int(&m, 1, 1);
	wire_int(&m, 2, 80);
	wire_message(&b, 2, &m);
	p = read_whole(&b);
	assert_int_equal(p->n_rows, 2);
	expect_stack(p, 0, LIST(3, 1));
	expect_stack(p, 1, LIST(3, 1));
	assert_int_equal(p->value[0][0], 7);
	assert_int_equal(p->value[1][0], 8);
	assert_int_equal(p->value[0][1], 70);
	assert_int_equal(p->value[1][1], 80);
	profile_free(p);
}

static void packed_lists_and_single_numbers_may_be_mixed(void **state)
{
	struct buf b = start(3, 5), m = { 0 };
	struct profile *p;

	(void)state;
	wire_int(&m, 1, 5);
	wire_packed(&m, 1, LIST(4, 3));
	wire_packed(&m, 2, LIST(1, 2));
	wire_packed(&m, 1, NULL, 0);
	wire_int(&m, 1, 2);
	wire_int(&m, 2, 3);
	wire_message(&b, 2, &m);
	p = read_whole(&b);
	expect_stack(p, 0, LIST(5, 4, 3, 2));
	assert_int_equal(p->value[2][0], 3);
	profile_free(p);
}

static void packed_ids_of_one_to_three_bytes_are_read(void **state)
{
	struct buf b = start(1, N_LOCS);
	struct profile *p;

	(void)state;
	wire_sample(&b, 1, LIST(1, 127, 128, 16383, 16384, 20000, 2));
	p = read_whole(&b);
	expect_stack(p, 0, LIST(1, 127, 128, 16383, 16384, 20000, 2));
	profile_free(p);
}

static void packed_ids_of_many_bytes_are_read(void **state)
{
	struct buf b = start(1, 0);
	struct profile *p;

	(void)state;
	wire_location(&b, UINT64_MAX, 0, 1, 0, 0);
	wire_location(&b, 1 << 21, 0, 2, 0, 0);
	wire_location(&b, 1, 0, 3, 0, 0);
	wire_sample(&b, 1, LIST(1 << 21, UINT64_MAX, 1));
	p = read_whole(&b);
	expect_stack(p, 0, LIST(2, 1, 3));
	profile_free(p);
}

static void a_packed_id_may_have_padding(void **state)
{
	struct buf b = start(1, 2), m = { 0 };
	struct profile *p;

	(void)state;
	wire_bytes(&m, 1, "\x82\x00\x81\x80\x00\x82\x80\x80\x00", 9);
	wire_int(&m, 2, 1);
	wire_message(&b, 2, &m);
	p = read_whole(&b);
	expect_stack(p, 0, LIST(2, 1, 2));
	profile_free(p);
}

/* Ids of one to five bytes, and their locations. */
static const uint64_t mixed_ids[] = { 1, 127, 128, 16383, 16384, 2097151, 2097152, 268435455, 268435456 };
enum { N_MIXED = sizeof(mixed_ids) / sizeof(mixed_ids[0]) };

/* Append a last sample of n random ids from mixed_ids, at the very end of an allocated block. */
static struct bytes mixed_sample(uint64_t *id, size_t n, uint32_t *chance)
{
	struct buf b = start(1, 0), m = { 0 };
	struct bytes exact;

	for (uint64_t i = 0; i < N_MIXED; i++)
		wire_location(&b, mixed_ids[i], 0, mixed_ids[i], 0, 0);
	for (size_t i = 0; i < n; i++)
		id[i] = mixed_ids[(*chance = *chance * 1664525 + 1013904223) >> 16 & 7];
	if (n && *chance >> 28 == 0)
		id[(*chance >> 8) % n] = mixed_ids[N_MIXED - 1];
	wire_int(&m, 2, 1);
	wire_packed(&m, 1, id, n);
	wire_message(&b, 2, &m);
	exact = (struct bytes){ .data = malloc(b.len), .n = b.len };
	memcpy(exact.data, b.data, b.len);
	buf_release(&b);
	return exact;
}

static void packed_ids_of_mixed_lengths_are_read(void **state)
{
	uint32_t chance = 1;

	(void)state;
	for (size_t n = 0; n <= 40; n++) {
		for (int round = 0; round < 50; round++) {
			uint64_t id[40];
			struct bytes in = mixed_sample(id, n, &chance);
			struct profile *p = NULL;
			struct err err;

			if (pprof_read(in.data, in.n, &no_limits, &p, &err) < 0)
				fail_msg("%s", err.msg);
			expect_stack(p, 0, id, n);
			profile_free(p);
			free(in.data);
		}
	}
}

static void a_missing_id_is_reported_at_any_position_of_a_packed_list(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 20; n++) {
		for (size_t at = 0; at < n; at++) {
			struct buf b = start(1, 200);
			uint64_t id[20];

			for (size_t i = 0; i < n; i++)
				id[i] = i % 3 ? 150 : 3;
			id[at] = 201;
			wire_sample(&b, 1, id, n);
			expect_error(&b, "sample 1: location 201 does not exist");
		}
	}
}

static void the_first_of_two_missing_ids_is_reported(void **state)
{
	(void)state;
	for (size_t at = 0; at < 14; at++) {
		struct buf b = start(1, 200);
		uint64_t id[16];
		char message[80];

		for (size_t i = 0; i < 16; i++)
			id[i] = i < at ? 150 : 1000 + i;
		wire_sample(&b, 1, id, 16);
		snprintf(message, sizeof(message), "sample 1: location %zu does not exist", 1000 + at);
		expect_error(&b, message);
	}
}

static void values_may_be_negative_and_64_bits_wide(void **state)
{
	struct buf b = start(1, 1);
	struct profile *p;

	(void)state;
	wire_sample(&b, (uint64_t)-5, LIST(1));
	wire_sample(&b, (uint64_t)INT64_MIN, LIST(1));
	wire_sample(&b, INT64_MAX, LIST(1));
	p = read_whole(&b);
	assert_true(p->value[0][0] == -5);
	assert_true(p->value[0][1] == INT64_MIN);
	assert_true(p->value[0][2] == INT64_MAX);
	profile_free(p);
}

static void equal_stacks_share_an_id(void **state)
{
	struct buf b = start(1, 2);
	struct profile *p;

	(void)state;
	wire_sample(&b, 1, LIST(1, 2));
	wire_sample(&b, 2, LIST(2, 1));
	wire_sample(&b, 3, LIST(1, 2));
	p = read_whole(&b);
	assert_int_equal(p->stack[0], p->stack[2]);
	assert_int_not_equal(p->stack[0], p->stack[1]);
	assert_int_equal(p->stacks.n, 2);
	profile_free(p);
}

/* The number of stacks after reading n samples, of which the first distinct ones have distinct stacks. */
static uint32_t stacks_of(uint32_t n, uint32_t distinct, bool repeats, unsigned threads)
{
	const struct format_options options = { .repeats_stacks = repeats };
	struct buf b = start(1, N_LOCS);
	struct profile *p = NULL;
	struct err err;
	uint32_t n_stacks;

	for (uint64_t i = 0; i < n; i++)
		wire_sample(&b, (int64_t)i + 1, LIST(i % distinct % N_LOCS + 1, i % distinct / N_LOCS + 1));
	pool_set_size(threads);
	if (pprof_read((const uint8_t *)b.data, b.len, &options, &p, &err) < 0 || profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	pool_set_size(0);
	buf_release(&b);
	for (uint32_t i = 0; i < n; i++) {
		expect_stack(p, i, LIST(i % distinct % N_LOCS + 1, i % distinct / N_LOCS + 1));
		assert_int_equal(p->value[0][i], i + 1);
	}
	n_stacks = p->stacks.n;
	profile_free(p);
	return n_stacks;
}

static void equal_stacks_repeat_if_allowed_and_few_are_equal(void **state)
{
	enum { MANY = TRIAL / 2 + 1, N = 2 * TRIAL + 5 };

	(void)state;
	for (unsigned threads = 1; threads <= 4; threads *= 2) {
		assert_int_equal(stacks_of(N, MANY, false, threads), MANY);
		assert_int_equal(stacks_of(N, MANY, true, threads), N);
		assert_int_equal(stacks_of(N, MANY - 1, true, threads), MANY - 1);
	}
}

static void stacks_may_be_empty(void **state)
{
	struct buf b = start(1, 0), m = { 0 };
	struct profile *p;

	(void)state;
	for (uint64_t i = 1; i <= 2; i++) { /* samples without any list of locations */
		wire_int(&m, 2, i);
		wire_message(&b, 2, &m);
	}
	p = read_whole(&b);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(p->stacks.n, 1);
	expect_stack(p, 1, NULL, 0);
	assert_int_equal(p->value[0][1], 2);
	profile_free(p);
}

static void each_sample_has_one_value_per_type(void **state)
{
	struct buf b = { 0 }, m = { 0 };

	(void)state;
	b = start(2, 1);
	wire_packed(&m, 2, LIST(1, 2));
	wire_message(&b, 2, &m);
	wire_sample(&b, 5, LIST(1));
	expect_error(&b, "sample 2: 1 values for 2 sample types");
	b = start(1, 1);
	wire_packed(&m, 2, LIST(1, 2));
	wire_message(&b, 2, &m);
	expect_error(&b, "sample 1: 2 values for 1 sample types");
	b = start(1, 1);
	wire_packed(&m, 1, LIST(1));
	wire_message(&b, 2, &m);
	expect_error(&b, "sample 1: 0 values for 1 sample types");
}

static void a_location_that_does_not_exist_is_refused(void **state)
{
	struct buf b = { 0 }, m = { 0 };

	(void)state;
	b = start(1, 2);
	wire_sample(&b, 1, LIST(1));
	wire_sample(&b, 1, LIST(1, 3, 2));
	expect_error(&b, "sample 2: location 3 does not exist");
	b = start(1, 2);
	wire_sample(&b, 1, LIST(0));
	expect_error(&b, "sample 1: location 0 does not exist");
	b = start(1, 2);
	wire_int(&m, 1, 3);
	wire_int(&m, 2, 1);
	wire_message(&b, 2, &m);
	expect_error(&b, "sample 1: location 3 does not exist");
}

static void text_labels_and_number_labels_are_distinct(void **state)
{
	struct buf b = start(1, 1), m = { 0 };
	struct profile *p;
	uint32_t text, number;

	(void)state;
	wire_int(&m, 2, 1);
	LABEL(&m, S_KEY, S_TEXT);
	LABEL(&m, S_KEY, 0, 42, S_UNIT);
	wire_message(&b, 2, &m);
	p = read_whole(&b);
	assert_int_equal(count_labels(p, 0), 2);
	text = label_of(p, 0, 0);
	number = label_of(p, 0, 1);
	assert_true(p->label_is_text[text]);
	assert_string_equal(profile_text(p, p->label_key[text]), "key");
	assert_string_equal(profile_text(p, p->label_text[text]), "text");
	assert_false(p->label_is_text[number]);
	assert_int_equal(p->label_num[number], 42);
	assert_string_equal(profile_text(p, p->label_unit[number]), "unit");
	profile_free(p);
}

static void a_label_with_text_has_no_number_and_no_unit(void **state)
{
	struct buf b = start(1, 1), m = { 0 };
	struct profile *p;

	(void)state;
	wire_int(&m, 2, 1);
	LABEL(&m, S_KEY, S_TEXT, 42, S_UNIT);
	wire_message(&b, 2, &m);
	p = read_whole(&b);
	assert_true(p->label_is_text[label_of(p, 0, 0)]);
	assert_int_equal(p->label_num[label_of(p, 0, 0)], 0);
	assert_int_equal(p->label_unit[label_of(p, 0, 0)], 0);
	profile_free(p);
}

static void a_label_with_neither_text_nor_number_nor_unit_is_dropped(void **state)
{
	struct buf b = start(1, 1), m = { 0 };
	struct profile *p;

	(void)state;
	wire_int(&m, 2, 1);
	LABEL(&m, S_KEY);
	LABEL(&m, 0);
	wire_message(&b, 2, &m);
	p = read_whole(&b);
	assert_int_equal(p->labels[0], 0);
	assert_int_equal(p->n_labels, 0);
	profile_free(p);
}

static void a_number_label_of_0_with_a_unit_is_kept(void **state)
{
	struct buf b = start(1, 1), m = { 0 };
	struct profile *p;

	(void)state;
	wire_int(&m, 2, 1);
	LABEL(&m, S_KEY, 0, 0, S_UNIT);
	wire_message(&b, 2, &m);
	p = read_whole(&b);
	assert_int_equal(count_labels(p, 0), 1);
	assert_int_equal(p->label_num[label_of(p, 0, 0)], 0);
	assert_string_equal(profile_text(p, p->label_unit[label_of(p, 0, 0)]), "unit");
	profile_free(p);
}

static void several_values_of_a_key_keep_their_order(void **state)
{
	struct buf b = start(1, 1), m = { 0 };
	struct profile *p;

	(void)state;
	wire_int(&m, 2, 1);
	LABEL(&m, S_KEY, 0, 3);
	LABEL(&m, S_KEY, 0, 1);
	LABEL(&m, S_KEY, 0, 3);
	wire_message(&b, 2, &m);
	p = read_whole(&b);
	assert_int_equal(count_labels(p, 0), 3);
	assert_int_equal(p->label_num[label_of(p, 0, 0)], 3);
	assert_int_equal(p->label_num[label_of(p, 0, 1)], 1);
	assert_int_equal(p->label_num[label_of(p, 0, 2)], 3);
	assert_int_equal(p->n_labels, 2);
	profile_free(p);
}

static void equal_lists_of_labels_share_an_id(void **state)
{
	static const uint64_t number[] = { 1, 2, 1, 0 };
	struct buf b = start(1, 1), m = { 0 };
	struct profile *p;

	(void)state;
	for (int i = 0; i < 4; i++) {
		wire_int(&m, 2, 1);
		if (number[i])
			LABEL(&m, S_KEY, 0, number[i]);
		wire_message(&b, 2, &m);
	}
	p = read_whole(&b);
	assert_int_equal(p->labels[0], p->labels[2]);
	assert_int_not_equal(p->labels[0], p->labels[1]);
	assert_int_equal(p->labels[3], 0);
	assert_int_equal(p->label_sets.n, 3);
	profile_free(p);
}

static void labels_may_be_skipped_but_for_that_of_a_base(void **state)
{
	const struct format_options options = { .skips_labels = true };

	(void)state;
	for (int has_base = 0; has_base <= 1; has_base++) {
		struct buf b = start(1, 1), m = { 0 };
		struct profile *p = NULL;
		struct err err;

		wire_int(&m, 2, 5);
		LABEL(&m, S_KEY, S_TEXT);
		LABEL(&m, S_KEY, 0, 42, S_UNIT);
		wire_message(&b, 2, &m);
		if (has_base)
			STRINGS(&b, BASE_LABEL);
		if (pprof_read((const uint8_t *)b.data, b.len, &options, &p, &err) < 0 || profile_check(p, &err) < 0)
			fail_msg("%s", err.msg);
		buf_release(&b);
		assert_int_equal(p->value[0][0], 5);
		assert_int_equal(p->n_labels, has_base ? 2 : 0);
		assert_int_equal(count_labels(p, 0), has_base ? 2 : 0);
		profile_free(p);
	}
}

static void missing_strings_of_labels_are_reported_with_their_position(void **state)
{
	struct buf b = { 0 }, m = { 0 };

	(void)state;
	b = start(1, 1);
	wire_sample(&b, 1, LIST(1));
	wire_int(&m, 2, 1);
	LABEL(&m, S_KEY, S_TEXT);
	LABEL(&m, S_KEY, 99);
	wire_message(&b, 2, &m);
	expect_error(&b, "sample 2: label 2: text: string 99 of 6 does not exist");
	b = start(1, 1);
	LABEL(&m, 6, S_TEXT);
	wire_message(&b, 2, &m);
	expect_error(&b, "sample 1: label 1: key: string 6 of 6 does not exist");
	b = start(1, 1);
	LABEL(&m, S_KEY, 0, 5, (uint64_t)-1);
	wire_message(&b, 2, &m);
	expect_error(&b, "sample 1: label 1: unit: string -1 of 6 does not exist");
}

static void dropped_labels_count_in_positions(void **state)
{
	struct buf b = start(1, 1), m = { 0 };

	(void)state;
	wire_int(&m, 2, 1);
	LABEL(&m, S_KEY); /* this label is dropped, but counts as the first */
	LABEL(&m, S_KEY, 99);
	wire_message(&b, 2, &m);
	expect_error(&b, "sample 1: label 2: text: string 99 of 6 does not exist");
}

static void unknown_fields_of_samples_and_labels_are_skipped(void **state)
{
	struct buf b = start(1, 1), m = { 0 }, label = { 0 };
	struct profile *p;

	(void)state;
	wire_int(&m, 4, 1);
	wire_bytes(&m, 5, "abc", 3);
	wire_int(&m, 2, 7);
	wire_int(&label, 1, S_KEY);
	wire_fixed32(&label, 9, 1);
	wire_bytes(&label, 5, "abc", 3);
	wire_int(&label, 3, 4);
	wire_message(&m, 3, &label);
	wire_fixed64(&m, 6, 1);
	wire_message(&b, 2, &m);
	p = read_whole(&b);
	assert_int_equal(p->value[0][0], 7);
	assert_int_equal(p->label_num[label_of(p, 0, 0)], 4);
	profile_free(p);
}

static void known_fields_of_another_wire_type_are_refused(void **state)
{
	static const char expected[] = "a field has the wrong wire type";

	(void)state;
	for (uint64_t field = 1; field <= 6; field++) { /* 4 to 6: fields 1 to 3 of a label */
		struct buf b = start(1, 1), m = { 0 }, label = { 0 };
		struct profile *p = NULL;
		struct err err;

		wire_fixed32(field <= 3 ? &m : &label, field <= 3 ? field : field - 3, 1);
		if (field > 3)
			wire_message(&m, 3, &label);
		wire_message(&b, 2, &m);
		assert_int_equal(pprof_read((uint8_t *)b.data, b.len, &no_limits, &p, &err), ERR_FORMAT);
		assert_memory_equal(err.msg, "sample 1: byte ", 15);
		assert_non_null(strstr(err.msg, expected));
		buf_release(&b);
	}
}

static void a_truncated_packed_list_is_refused(void **state)
{
	(void)state;
	for (uint64_t field = 1; field <= 2; field++) {
		struct buf b = start(1, 1), m = { 0 };
		struct profile *p = NULL;
		struct err err;

		wire_bytes(&m, field, "\x01\x81", 2);
		wire_message(&b, 2, &m);
		assert_int_equal(pprof_read((uint8_t *)b.data, b.len, &no_limits, &p, &err), ERR_FORMAT);
		assert_non_null(strstr(err.msg, "truncated within a number"));
		buf_release(&b);
	}
}

static void frames_and_labels_have_a_limit(void **state)
{
	static const struct format_options two = { .max_depth = 2 };
	struct buf b = start(1, 1), m = { 0 };

	(void)state;
	wire_sample(&b, 1, LIST(1, 1));
	wire_sample(&b, 1, LIST(1, 1, 1));
	expect_limit_error(&b, &two, ERR_LIMIT, "sample 2: more than 2 frames; raise the limit with --max-depth");
	b = start(1, 1);
	wire_int(&m, 2, 1);
	for (uint64_t i = 1; i <= 3; i++)
		LABEL(&m, S_KEY, 0, i);
	wire_message(&b, 2, &m);
	expect_limit_error(&b, &two, ERR_LIMIT, "sample 1: more than 2 labels; raise the limit with --max-depth");
}

/*
 * Samples 1 to n: sample i has value i and location i % 7 + 1; every third has location 8 too, every fifth has a
 * label. The record of a location is between the samples, which is valid.
 */
static struct buf many(uint32_t n)
{
	struct buf b = start(1, 8);

	for (uint32_t i = 1; i <= n; i++) {
		const uint64_t loc[] = { i % 7 + 1, 8 };
		struct buf m = { 0 };

		if (i == n / 2)
			wire_location(&b, 9, 0, 9, 0, 0);
		wire_packed(&m, 1, loc, i % 3 == 0 ? 2 : 1);
		wire_int(&m, 2, i);
		if (i % 5 == 0)
			LABEL(&m, S_KEY, 0, i % 11 + 1);
		wire_message(&b, 2, &m);
	}
	return b;
}

static void samples_of_several_blocks_keep_their_order(void **state)
{
	enum { N = 3 * BLOCK + 5 };
	struct buf b = many(N);
	struct profile *p = read_whole(&b);

	(void)state;
	assert_int_equal(p->n_rows, N);
	for (uint32_t row = 0; row < N; row++) {
		uint32_t i = row + 1;
		const uint64_t loc[] = { i % 7 + 1, 8 };

		assert_int_equal(p->value[0][row], i);
		expect_stack(p, row, loc, i % 3 == 0 ? 2 : 1);
		assert_int_equal(count_labels(p, row), i % 5 == 0);
		if (i % 5 == 0)
			assert_int_equal(p->label_num[label_of(p, row, 0)], i % 11 + 1);
	}
	profile_free(p);
}

static void a_block_may_be_exactly_full(void **state)
{
	(void)state;
	for (uint32_t n = BLOCK - 1; n <= BLOCK + 1; n++) {
		struct buf b = many(n);
		struct profile *p = read_whole(&b);

		assert_int_equal(p->n_rows, n);
		assert_int_equal(p->value[0][n - 1], n);
		profile_free(p);
	}
}

/* Decode samples as a stream, without tables. */
static struct profile *read_stream(const struct buf *samples, size_t n_locs)
{
	static const struct format_options options = { 0 };
	const uint8_t *start = (const uint8_t *)samples->data;
	struct builder *b = builder_new();
	struct proto p = { .data = start, .end = start + samples->len, .options = &options, .builder = b };
	struct cursor c = { start, start + samples->len, NULL };
	struct pipeline *stream = NULL;
	struct profile *out;
	struct field f;
	struct err err;

	builder_type(b, 0, 0);
	p.sample_bytes = samples->len;
	p.locs = (struct idmap){ .n = n_locs, .sequential = true };
	if (proto_stream_new(&p, NULL, NULL, &stream, &err) < 0)
		fail_msg("%s", err.msg);
	stream->finds_equal = false;
	while (cursor_field(&c, &f))
		if (proto_stream_add(stream, &f, &err) < 0)
			fail_msg("%s", err.msg);
	assert_int_equal(proto_stream_end(stream, &err), 0);
	assert_int_equal(proto_stream_finish(stream, &p, &err), 0);
	proto_stream_free(stream);
	out = builder_seal(b);
	builder_free(b);
	return out;
}

static void stacks_of_a_stream_may_have_large_ids_at_any_time(void **state)
{
	enum { N = 3000, LARGE = 1 << 24 };

	(void)state;
	for (uint32_t first = 0; first < N; first += 700)
		for (int is_packed = 0; is_packed <= 1; is_packed++) {
			struct buf b = { 0 }, m = { 0 };
			struct profile *p;

			for (uint32_t i = 0; i < N; i++) {
				uint64_t loc[] = { i + 1, i >= first && i % 100 == 0 ? LARGE + 1 : 3, 7 };

				for (size_t k = 0; !is_packed && k < 3; k++)
					wire_int(&m, 1, loc[k]);
				if (is_packed)
					wire_packed(&m, 1, loc, 3);
				wire_int(&m, 2, i);
				wire_message(&b, 2, &m);
			}
			p = read_stream(&b, LARGE + 1);
			assert_int_equal(p->n_rows, N);
			assert_int_equal(p->stacks.off[N], 3 * N);
			for (uint32_t i = 0; i < N; i++) {
				assert_int_equal(p->value[0][i], i);
				assert_int_equal(stack_id_at(&p->stacks, 3 * i), i);
				assert_int_equal(stack_id_at(&p->stacks, 3 * i + 1),
						 i >= first && i % 100 == 0 ? LARGE : 2);
				assert_int_equal(stack_id_at(&p->stacks, 3 * i + 2), 6);
			}
			profile_free(p);
			buf_release(&b);
		}
}

static void expect_equal_csr(const struct csr *a, const struct csr *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->off, b->off, (a->n + 1) * sizeof(*a->off));
	assert_memory_equal(a->item, b->item, a->off[a->n] * sizeof(*a->item));
}

static void expect_equal_stacks(const struct stack_lists *a, const struct stack_lists *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->width, b->width);
	assert_memory_equal(a->off, b->off, (a->n + 1) * sizeof(*a->off));
	assert_memory_equal(a->packed, b->packed, a->off[a->n] * a->width);
}

static void columns_do_not_depend_on_the_number_of_threads(void **state)
{
	static const unsigned threads[] = { 2, 3, 4, 8 };
	enum { N = 72 * BLOCK + 17 };
	struct buf b = many(N);
	struct profile *one;

	(void)state;
	pool_set_size(1);
	one = read_whole(&b);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct profile *p;

		pool_set_size(threads[i]);
		b = many(N);
		p = read_whole(&b);
		assert_memory_equal(p->stack, one->stack, N * sizeof(*p->stack));
		assert_memory_equal(p->labels, one->labels, N * sizeof(*p->labels));
		assert_memory_equal(p->value[0], one->value[0], N * sizeof(int64_t));
		expect_equal_stacks(&p->stacks, &one->stacks);
		expect_equal_csr(&p->label_sets, &one->label_sets);
		assert_memory_equal(p->label_num, one->label_num, p->n_labels * sizeof(*p->label_num));
		profile_free(p);
	}
	pool_set_size(0);
	profile_free(one);
}

/* Bad samples are in several blocks; later blocks may be decoded first. */
static void expect_first_error(uint32_t first)
{
	static const unsigned threads[] = { 1, 2, 4, 8 };
	enum { N = 64 * BLOCK };

	for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
		struct buf b = start(1, 1);
		struct profile *p = NULL;
		char message[80];
		struct err err;

		for (uint32_t i = 1; i <= N; i++)
			wire_sample(&b, 1, &(uint64_t){ i >= first && (i - first) % 1000 == 0 ? i : 1 }, 1);
		pool_set_size(threads[t]);
		assert_int_equal(pprof_read((uint8_t *)b.data, b.len, &no_limits, &p, &err), ERR_FORMAT);
		pool_set_size(0);
		snprintf(message, sizeof(message), "sample %u: location %u does not exist", first, first);
		assert_string_equal(err.msg, message);
		buf_release(&b);
	}
}

static void the_first_error_is_reported_for_any_number_of_threads(void **state)
{
	(void)state;
	expect_first_error(5001);
	expect_first_error(24 * BLOCK + 200);
}

static void an_error_at_a_block_boundary_has_the_right_number(void **state)
{
	(void)state;
	expect_first_error(2);
	expect_first_error(BLOCK);
	expect_first_error(BLOCK + 1);
	expect_first_error(64 * BLOCK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locations_and_values_may_be_packed_or_not),
		cmocka_unit_test(packed_lists_and_single_numbers_may_be_mixed),
		cmocka_unit_test(packed_ids_of_one_to_three_bytes_are_read),
		cmocka_unit_test(packed_ids_of_many_bytes_are_read),
		cmocka_unit_test(a_packed_id_may_have_padding),
		cmocka_unit_test(packed_ids_of_mixed_lengths_are_read),
		cmocka_unit_test(a_missing_id_is_reported_at_any_position_of_a_packed_list),
		cmocka_unit_test(the_first_of_two_missing_ids_is_reported),
		cmocka_unit_test(values_may_be_negative_and_64_bits_wide),
		cmocka_unit_test(equal_stacks_share_an_id),
		cmocka_unit_test(equal_stacks_repeat_if_allowed_and_few_are_equal),
		cmocka_unit_test(stacks_may_be_empty),
		cmocka_unit_test(each_sample_has_one_value_per_type),
		cmocka_unit_test(a_location_that_does_not_exist_is_refused),
		cmocka_unit_test(text_labels_and_number_labels_are_distinct),
		cmocka_unit_test(a_label_with_text_has_no_number_and_no_unit),
		cmocka_unit_test(a_label_with_neither_text_nor_number_nor_unit_is_dropped),
		cmocka_unit_test(a_number_label_of_0_with_a_unit_is_kept),
		cmocka_unit_test(several_values_of_a_key_keep_their_order),
		cmocka_unit_test(equal_lists_of_labels_share_an_id),
		cmocka_unit_test(labels_may_be_skipped_but_for_that_of_a_base),
		cmocka_unit_test(missing_strings_of_labels_are_reported_with_their_position),
		cmocka_unit_test(dropped_labels_count_in_positions),
		cmocka_unit_test(unknown_fields_of_samples_and_labels_are_skipped),
		cmocka_unit_test(known_fields_of_another_wire_type_are_refused),
		cmocka_unit_test(a_truncated_packed_list_is_refused),
		cmocka_unit_test(frames_and_labels_have_a_limit),
		cmocka_unit_test(samples_of_several_blocks_keep_their_order),
		cmocka_unit_test(a_block_may_be_exactly_full),
		cmocka_unit_test(stacks_of_a_stream_may_have_large_ids_at_any_time),
		cmocka_unit_test(columns_do_not_depend_on_the_number_of_threads),
		cmocka_unit_test(the_first_error_is_reported_for_any_number_of_threads),
		cmocka_unit_test(an_error_at_a_block_boundary_has_the_right_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
