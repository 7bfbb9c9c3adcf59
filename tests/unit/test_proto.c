/*
 * test_proto.c - profile.proto: the top level, and all tables except the samples
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/pprof/pprof.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/check_profile.h"
#include "tests/unit/wire.h"

/* Indices of the strings that most tests use. */
enum { S_EMPTY, S_SAMPLES, S_COUNT, S_MAIN, S_FILE, S_BINARY, S_TEXT, N_STRINGS };

static void add_strings(struct buf *b)
{
	STRINGS(b, "", "samples", "count", "main", "main.c", "/bin/app", "some text");
}

/* Start a profile with a type and the strings. */
static struct buf start(void)
{
	struct buf b = { 0 };

	TYPE(&b, S_SAMPLES, S_COUNT);
	add_strings(&b);
	return b;
}

/* Read a profile and free the buffer. */
static struct profile *read_limited(struct buf *b, const struct format_options *limits)
{
	struct profile *p = NULL;
	struct err err;

	if (pprof_read((const uint8_t *)b->data, b->len, limits, &p, &err) < 0 || profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(b);
	return p;
}

static struct profile *read_whole(struct buf *b)
{
	static const struct format_options none;

	return read_limited(b, &none);
}

static void expect_limit_error(struct buf *b, const struct format_options *limits, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(pprof_read((const uint8_t *)b->data, b->len, limits, &p, &err), code);
	assert_null(p);
	buf_release(b);
	assert_string_equal(err.msg, message);
}

static void expect_error(struct buf *b, const char *message)
{
	static const struct format_options none;

	expect_limit_error(b, &none, ERR_FORMAT, message);
}

static void every_field_of_the_header_is_read(void **state)
{
	struct buf b = start();
	struct profile *p;

	(void)state;
	wire_int(&b, 7, S_MAIN);
	wire_int(&b, 8, S_FILE);
	wire_int(&b, 9, 1234);
	wire_int(&b, 10, 5678);
	wire_numbers(&b, 11, LIST(S_MAIN, S_COUNT));
	wire_int(&b, 12, 99);
	wire_int(&b, 14, S_SAMPLES);
	wire_int(&b, 15, S_TEXT);
	p = read_whole(&b);
	assert_string_equal(profile_text(p, p->meta.drop_frames), "main");
	assert_string_equal(profile_text(p, p->meta.keep_frames), "main.c");
	assert_int_equal(p->meta.time_ns, 1234);
	assert_int_equal(p->meta.duration_ns, 5678);
	assert_true(p->meta.has_period_type);
	assert_string_equal(profile_text(p, p->meta.period_type.name), "main");
	assert_string_equal(profile_text(p, p->meta.period_type.unit), "count");
	assert_int_equal(p->meta.period, 99);
	assert_string_equal(profile_text(p, p->meta.default_type), "samples");
	assert_string_equal(profile_text(p, p->meta.doc_url), "some text");
	profile_free(p);
}

static void without_a_header_everything_is_unknown(void **state)
{
	struct buf b = start();
	struct profile *p = read_whole(&b);

	(void)state;
	assert_int_equal(p->meta.time_ns, 0);
	assert_int_equal(p->meta.duration_ns, 0);
	assert_int_equal(p->meta.period, 0);
	assert_false(p->meta.has_period_type);
	assert_int_equal(p->meta.n_comments, 0);
	assert_int_equal(p->meta.default_type, 0);
	profile_free(p);
}

static void types_keep_their_order(void **state)
{
	struct buf b = { 0 };
	struct profile *p;

	(void)state;
	TYPE(&b, S_SAMPLES, S_COUNT);
	TYPE(&b, S_MAIN, S_EMPTY);
	add_strings(&b);
	p = read_whole(&b);
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[0].name), "samples");
	assert_string_equal(profile_text(p, p->type[0].unit), "count");
	assert_string_equal(profile_text(p, p->type[1].name), "main");
	assert_string_equal(profile_text(p, p->type[1].unit), "");
	profile_free(p);
}

static void strings_may_follow_the_messages_that_use_them(void **state)
{
	struct buf b = { 0 };
	struct profile *p;

	(void)state;
	FUNCTION(&b, 1, S_MAIN, 0, S_FILE);
	TYPE(&b, S_SAMPLES, S_COUNT);
	add_strings(&b);
	p = read_whole(&b);
	assert_string_equal(profile_text(p, p->func_name[0]), "main");
	assert_string_equal(profile_text(p, p->func_file[0]), "main.c");
	profile_free(p);
}

static void comments_keep_their_order_packed_or_not(void **state)
{
	struct buf b = start();
	struct profile *p;

	(void)state;
	wire_int(&b, 13, S_TEXT);
	wire_packed(&b, 13, LIST(S_MAIN, S_EMPTY));
	wire_packed(&b, 13, NULL, 0);
	wire_int(&b, 13, S_FILE);
	p = read_whole(&b);
	assert_int_equal(p->meta.n_comments, 4);
	assert_string_equal(profile_text(p, p->meta.comment[0]), "some text");
	assert_string_equal(profile_text(p, p->meta.comment[1]), "main");
	assert_string_equal(profile_text(p, p->meta.comment[2]), "");
	assert_string_equal(profile_text(p, p->meta.comment[3]), "main.c");
	profile_free(p);
}

static void every_field_of_a_mapping_is_read(void **state)
{
	struct buf b = start();
	struct profile *p;

	(void)state;
	MAPPING(&b, 7, 0x1000, 0x2000, 0x30, S_BINARY, S_TEXT, 1, 0, 1, 0);
	p = read_whole(&b);
	assert_int_equal(p->n_maps, 1);
	assert_int_equal(p->map[0].id, 7);
	assert_int_equal(p->map[0].start, 0x1000);
	assert_int_equal(p->map[0].limit, 0x2000);
	assert_int_equal(p->map[0].offset, 0x30);
	assert_string_equal(profile_text(p, p->map[0].file), "/bin/app");
	assert_string_equal(profile_text(p, p->map[0].build_id), "some text");
	assert_true(p->map[0].has_functions && p->map[0].has_line_numbers);
	assert_false(p->map[0].has_filenames || p->map[0].has_inline_frames);
	profile_free(p);
}

static void every_field_of_a_function_is_read(void **state)
{
	struct buf b = start();
	struct profile *p;

	(void)state;
	FUNCTION(&b, 9, S_MAIN, S_TEXT, S_FILE, 33);
	p = read_whole(&b);
	assert_int_equal(p->n_funcs, 1);
	assert_int_equal(p->func_id[0], 9);
	assert_string_equal(profile_text(p, p->func_name[0]), "main");
	assert_string_equal(profile_text(p, p->func_sysname[0]), "some text");
	assert_string_equal(profile_text(p, p->func_file[0]), "main.c");
	assert_int_equal(p->func_start[0], 33);
	profile_free(p);
}

static void the_lines_of_a_location_keep_their_order(void **state)
{
	struct buf b = start(), m = { 0 };
	struct profile *p;

	(void)state;
	FUNCTION(&b, 1, S_MAIN);
	FUNCTION(&b, 2, S_TEXT);
	wire_int(&m, 1, 5);
	LINE(&m, 2, 20, 3);
	LINE(&m, 1, 10);
	wire_int(&m, 3, 0xabc);
	wire_int(&m, 5, 1);
	wire_message(&b, 4, &m);
	p = read_whole(&b);
	assert_int_equal(p->n_locs, 1);
	assert_int_equal(p->loc_id[0], 5);
	assert_int_equal(p->loc_addr[0], 0xabc);
	assert_true(p->loc_folded[0]);
	assert_int_equal(p->loc_line[1] - p->loc_line[0], 2);
	assert_int_equal(p->line_func[0], 1);
	assert_int_equal(p->line_no[0], 20);
	assert_int_equal(p->line_col[0], 3);
	assert_int_equal(p->line_func[1], 0);
	assert_int_equal(p->line_no[1], 10);
	assert_int_equal(p->line_col[1], 0);
	profile_free(p);
}

static void ids_may_be_sparse_and_64_bits_wide(void **state)
{
	struct buf b = start();
	struct profile *p;

	(void)state;
	MAPPING(&b, 3);
	MAPPING(&b, UINT64_MAX, 0x1000);
	FUNCTION(&b, UINT64_C(1) << 63, S_MAIN);
	FUNCTION(&b, 2, S_TEXT);
	wire_location(&b, UINT64_MAX - 1, UINT64_MAX, 0x10, UINT64_C(1) << 63, 4);
	p = read_whole(&b);
	assert_int_equal(p->loc_map[0], 1);
	assert_int_equal(p->line_func[0], 0);
	assert_true(p->loc_id[0] == UINT64_MAX - 1);
	profile_free(p);
}

static void an_unknown_mapping_is_ignored(void **state)
{
	struct buf b = start();
	struct profile *p;

	(void)state;
	MAPPING(&b, 1);
	wire_location(&b, 1, 2, 0x10, 0, 0);
	wire_location(&b, 2, 0, 0x10, 0, 0);
	p = read_whole(&b);
	assert_int_equal(p->loc_map[0], PROFILE_NONE);
	assert_int_equal(p->loc_map[1], PROFILE_NONE);
	profile_free(p);
}

static void without_mappings_an_empty_one_is_added(void **state)
{
	struct buf b = start();
	struct profile *p;

	(void)state;
	wire_location(&b, 1, 0, 0x10, 0, 0);
	p = read_whole(&b);
	assert_int_equal(p->n_maps, 1);
	assert_string_equal(profile_text(p, p->map[0].file), "");
	assert_int_equal(p->loc_map[0], 0);
	profile_free(p);
}

static void unknown_fields_of_every_wire_type_are_skipped(void **state)
{
	struct buf b = start(), m = { 0 };
	struct profile *p;

	(void)state;
	wire_int(&b, 16, 1);
	wire_fixed64(&b, 17, 2);
	wire_bytes(&b, 18, "abc", 3);
	wire_fixed32(&b, 536870911, 4);
	wire_int(&m, 1, 1);
	wire_int(&m, 6, 1);
	wire_fixed64(&m, 7, 2);
	wire_bytes(&m, 8, "abc", 3);
	wire_fixed32(&m, 9, 4);
	wire_int(&m, 2, S_MAIN);
	wire_message(&b, 5, &m);
	wire_int(&m, 1, 1);
	wire_bytes(&m, 16, "abc", 3);
	wire_message(&b, 4, &m);
	p = read_whole(&b);
	assert_int_equal(p->n_funcs, 1);
	assert_string_equal(profile_text(p, p->func_name[0]), "main");
	assert_int_equal(p->n_locs, 1);
	profile_free(p);
}

static void the_last_of_repeated_numbers_is_used(void **state)
{
	struct buf b = start(), m = { 0 };
	struct profile *p;

	(void)state;
	wire_int(&b, 12, 1);
	wire_int(&b, 12, 2);
	wire_int(&m, 1, 8);
	wire_int(&m, 2, S_TEXT);
	wire_int(&m, 1, 1);
	wire_int(&m, 2, S_MAIN);
	wire_message(&b, 5, &m);
	p = read_whole(&b);
	assert_int_equal(p->meta.period, 2);
	assert_int_equal(p->func_id[0], 1);
	assert_string_equal(profile_text(p, p->func_name[0]), "main");
	profile_free(p);
}

static void types_without_samples_are_a_profile(void **state)
{
	struct buf b = start();
	struct profile *p = read_whole(&b);

	(void)state;
	assert_int_equal(p->n_rows, 0);
	assert_int_equal(p->n_types, 1);
	profile_free(p);
}

static void samples_without_types_are_refused(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_strings(&b);
	wire_location(&b, 1, 0, 0x10, 0, 0);
	wire_sample(&b, 1, LIST(1));
	expect_error(&b, "no sample types for 1 samples");
}

static void a_first_string_that_is_not_empty_is_refused(void **state)
{
	struct buf b = { 0 };

	(void)state;
	STRINGS(&b, "x", "samples");
	expect_error(&b, "the first string is not empty");
}

static void without_strings_index_0_is_empty_and_1_is_refused(void **state)
{
	struct buf b = { 0 };
	struct profile *p;

	(void)state;
	wire_bytes(&b, 1, "", 0);
	p = read_whole(&b);
	assert_string_equal(profile_text(p, p->type[0].name), "");
	profile_free(p);
	TYPE(&b, 1);
	expect_error(&b, "sample type 1: type: string 1 of 1 does not exist");
}

static void missing_strings_are_reported_with_their_position(void **state)
{
	struct buf b = { 0 };

	(void)state;
	b = start();
	TYPE(&b, S_MAIN, N_STRINGS);
	expect_error(&b, "sample type 2: unit: string 7 of 7 does not exist");
	b = start();
	MAPPING(&b, 1, 0, 0, 0, 99);
	expect_error(&b, "mapping 1: filename: string 99 of 7 does not exist");
	b = start();
	MAPPING(&b, 1, 0, 0, 0, 0, 99);
	expect_error(&b, "mapping 1: build_id: string 99 of 7 does not exist");
	b = start();
	FUNCTION(&b, 1);
	FUNCTION(&b, 2, 0, 0, 99);
	expect_error(&b, "function 2: filename: string 99 of 7 does not exist");
	b = start();
	wire_int(&b, 15, 99);
	expect_error(&b, "doc_url: string 99 of 7 does not exist");
	b = start();
	wire_int(&b, 13, 99);
	expect_error(&b, "comment: string 99 of 7 does not exist");
	b = start();
	wire_numbers(&b, 11, LIST(99));
	expect_error(&b, "period type: type: string 99 of 7 does not exist");
}

static void a_negative_string_index_is_refused(void **state)
{
	struct buf b = start();

	(void)state;
	FUNCTION(&b, 1, (uint64_t)-1);
	expect_error(&b, "function 1: name: string -1 of 7 does not exist");
}

static void a_second_time_nanos_means_concatenated_profiles(void **state)
{
	struct buf b = start();

	(void)state;
	wire_int(&b, 9, 5);
	wire_int(&b, 9, 5);
	expect_error(&b, "concatenated profiles: there is a second time_nanos");
}

static void a_time_nanos_after_a_zero_is_allowed(void **state)
{
	struct buf b = start();
	struct profile *p;

	(void)state;
	wire_int(&b, 9, 0);
	wire_int(&b, 9, 5);
	p = read_whole(&b);
	assert_int_equal(p->meta.time_ns, 5);
	profile_free(p);
}

static void id_0_is_reserved(void **state)
{
	struct buf b = { 0 };

	(void)state;
	b = start();
	MAPPING(&b, 0, 0x1000);
	expect_error(&b, "a mapping has the reserved id 0");
	b = start();
	FUNCTION(&b, 0, S_MAIN);
	expect_error(&b, "a function has the reserved id 0");
	b = start();
	wire_location(&b, 0, 0, 0x10, 0, 0);
	expect_error(&b, "a location has the reserved id 0");
}

static void duplicate_ids_are_refused(void **state)
{
	struct buf b = { 0 };

	(void)state;
	b = start();
	MAPPING(&b, 1);
	MAPPING(&b, 1);
	expect_error(&b, "two mappings have the id 1");
	b = start();
	FUNCTION(&b, 1);
	FUNCTION(&b, 1);
	expect_error(&b, "two functions have the id 1");
	b = start();
	wire_location(&b, 77, 0, 0x10, 0, 0);
	wire_location(&b, 77, 0, 0x20, 0, 0);
	expect_error(&b, "two locations have the id 77");
}

static void a_line_needs_a_function_that_exists(void **state)
{
	struct buf b = start(), m = { 0 };

	(void)state;
	FUNCTION(&b, 1, S_MAIN);
	wire_location(&b, 1, 0, 0x10, 1, 1);
	wire_int(&m, 1, 2);
	LINE(&m, 1, 5);
	LINE(&m, 7, 5);
	wire_message(&b, 4, &m);
	expect_error(&b, "location 2: line 2: function 7 does not exist");
	b = start();
	FUNCTION(&b, 1, S_MAIN);
	wire_int(&m, 1, 2);
	LINE(&m, 0, 5);
	wire_message(&b, 4, &m);
	expect_error(&b, "location 1: line 1: function 0 does not exist");
}

static void field_number_0_is_refused_with_its_byte(void **state)
{
	struct buf b = { 0 };

	(void)state;
	TYPE(&b, S_SAMPLES, S_COUNT); /* six bytes */
	wire_int(&b, 0, 1);
	expect_error(&b, "byte 6: field number 0");
}

static void a_known_field_of_another_wire_type_is_refused(void **state)
{
	static const char expected[] = "byte 6: a field has the wrong wire type";
	struct buf b = { 0 };

	(void)state;
	for (uint64_t field = 1; field <= 15; field++) {
		TYPE(&b, S_SAMPLES, S_COUNT);
		wire_fixed32(&b, field, 1);
		expect_error(&b, expected);
	}
	for (uint64_t field = 1; field <= 6; field++) {
		TYPE(&b, S_SAMPLES, S_COUNT);
		wire_int(&b, field, 1);
		expect_error(&b, expected);
	}
	for (uint64_t field = 7; field <= 15; field++) {
		if (field == 11 || field == 13)
			continue;
		TYPE(&b, S_SAMPLES, S_COUNT);
		wire_bytes(&b, field, "", 0);
		expect_error(&b, expected);
	}
}

static void a_field_of_a_table_with_another_wire_type_is_refused(void **state)
{
	static const struct {
		uint64_t table, field;
		const char *what;
	} bad[] = { { 3, 1, "mapping 1: " },   { 3, 5, "mapping 1: " },  { 5, 1, "function 1: " },
		    { 5, 5, "function 1: " },  { 4, 1, "location 1: " }, { 4, 4, "location 1: " },
		    { 11, 1, "period type: " } };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		static const struct format_options none;
		struct buf b = start(), m = { 0 };
		struct profile *p = NULL;
		struct err err;

		wire_fixed64(&m, bad[i].field, 1);
		wire_message(&b, bad[i].table, &m);
		assert_int_equal(pprof_read((uint8_t *)b.data, b.len, &none, &p, &err), ERR_FORMAT);
		assert_memory_equal(err.msg, bad[i].what, strlen(bad[i].what));
		buf_release(&b);
	}
}

static void a_group_is_an_unknown_wire_type(void **state)
{
	struct buf b = { 0 };

	(void)state;
	TYPE(&b, S_SAMPLES, S_COUNT);
	buf_add(&b, "\x83\x01", 2); /* field 16 */
	expect_error(&b, "byte 6: unknown wire type");
}

static void a_truncated_field_is_reported_with_its_byte(void **state)
{
	struct buf b = { 0 };

	(void)state;
	TYPE(&b, S_SAMPLES, S_COUNT);
	wire_bytes(&b, 6, "", 0);
	wire_bytes(&b, 6, "samples", 7);
	b.len--;
	expect_error(&b, "byte 8: a field extends past the end of its message");
}

static void a_table_of_exactly_the_limit_is_read(void **state)
{
	struct format_options seven = { .max_count = N_STRINGS };
	struct buf b = start();
	struct profile *p;

	(void)state;
	for (uint64_t id = 1; id <= N_STRINGS; id++) {
		MAPPING(&b, id);
		FUNCTION(&b, id);
		wire_location(&b, id, 0, 0, 0, 0);
		wire_sample(&b, 1, LIST(1));
	}
	p = read_limited(&b, &seven);
	assert_int_equal(p->n_rows, N_STRINGS);
	profile_free(p);
}

static void an_entry_over_the_limit_is_refused_with_the_name_of_the_option(void **state)
{
	static const struct format_options seven = { .max_count = N_STRINGS };
	struct buf b = { 0 };

	(void)state;
	b = start();
	STRINGS(&b, "eighth");
	expect_limit_error(&b, &seven, ERR_LIMIT, "more than 7 strings; raise the limit with --max-count");
	b = start();
	for (uint64_t id = 1; id <= 8; id++)
		MAPPING(&b, id);
	expect_limit_error(&b, &seven, ERR_LIMIT, "more than 7 mappings; raise the limit with --max-count");
	b = start();
	for (uint64_t id = 1; id <= 8; id++)
		FUNCTION(&b, id);
	expect_limit_error(&b, &seven, ERR_LIMIT, "more than 7 functions; raise the limit with --max-count");
	b = start();
	for (uint64_t id = 1; id <= 8; id++)
		wire_location(&b, id, 0, 0, 0, 0);
	expect_limit_error(&b, &seven, ERR_LIMIT, "more than 7 locations; raise the limit with --max-count");
	b = start();
	for (uint64_t id = 1; id <= 8; id++)
		wire_sample(&b, 1, NULL, 0);
	expect_limit_error(&b, &seven, ERR_LIMIT, "more than 7 samples; raise the limit with --max-count");
}

static void the_lines_of_a_location_have_a_limit(void **state)
{
	static const struct format_options two = { .max_depth = 2 };
	struct buf b = start(), m = { 0 };
	struct profile *p;

	(void)state;
	FUNCTION(&b, 1, S_MAIN);
	wire_int(&m, 1, 1);
	LINE(&m, 1, 1);
	LINE(&m, 1, 2);
	wire_message(&b, 4, &m);
	p = read_limited(&b, &two);
	assert_int_equal(p->n_lines, 2);
	profile_free(p);
	b = start();
	FUNCTION(&b, 1, S_MAIN);
	wire_int(&m, 1, 1);
	LINE(&m, 1, 1);
	LINE(&m, 1, 2);
	LINE(&m, 1, 3);
	wire_message(&b, 4, &m);
	expect_limit_error(&b, &two, ERR_LIMIT,
			   "location 1: line 3: more than 2 lines; raise the limit with --max-depth");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_the_header_is_read),
		cmocka_unit_test(without_a_header_everything_is_unknown),
		cmocka_unit_test(types_keep_their_order),
		cmocka_unit_test(strings_may_follow_the_messages_that_use_them),
		cmocka_unit_test(comments_keep_their_order_packed_or_not),
		cmocka_unit_test(every_field_of_a_mapping_is_read),
		cmocka_unit_test(every_field_of_a_function_is_read),
		cmocka_unit_test(the_lines_of_a_location_keep_their_order),
		cmocka_unit_test(ids_may_be_sparse_and_64_bits_wide),
		cmocka_unit_test(an_unknown_mapping_is_ignored),
		cmocka_unit_test(without_mappings_an_empty_one_is_added),
		cmocka_unit_test(unknown_fields_of_every_wire_type_are_skipped),
		cmocka_unit_test(the_last_of_repeated_numbers_is_used),
		cmocka_unit_test(types_without_samples_are_a_profile),
		cmocka_unit_test(samples_without_types_are_refused),
		cmocka_unit_test(a_first_string_that_is_not_empty_is_refused),
		cmocka_unit_test(without_strings_index_0_is_empty_and_1_is_refused),
		cmocka_unit_test(missing_strings_are_reported_with_their_position),
		cmocka_unit_test(a_negative_string_index_is_refused),
		cmocka_unit_test(a_second_time_nanos_means_concatenated_profiles),
		cmocka_unit_test(a_time_nanos_after_a_zero_is_allowed),
		cmocka_unit_test(id_0_is_reserved),
		cmocka_unit_test(duplicate_ids_are_refused),
		cmocka_unit_test(a_line_needs_a_function_that_exists),
		cmocka_unit_test(field_number_0_is_refused_with_its_byte),
		cmocka_unit_test(a_known_field_of_another_wire_type_is_refused),
		cmocka_unit_test(a_field_of_a_table_with_another_wire_type_is_refused),
		cmocka_unit_test(a_group_is_an_unknown_wire_type),
		cmocka_unit_test(a_truncated_field_is_reported_with_its_byte),
		cmocka_unit_test(a_table_of_exactly_the_limit_is_read),
		cmocka_unit_test(an_entry_over_the_limit_is_refused_with_the_name_of_the_option),
		cmocka_unit_test(the_lines_of_a_location_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
