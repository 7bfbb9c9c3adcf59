/*
 * test_encode.c - profile.proto as read by protobuf-c and by our reader
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/encode.h"

#include "base/mem.h"
#include "formats/formats.h"
#include "make_profile.h"
#include "profile.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "field_order.h"

typedef Perftools__Profiles__Profile pb_profile;

static struct buf encoded(struct profile *p)
{
	struct buf out = { 0 };
	struct err err;

	assert_int_equal(profile_encode(p, &out, &err), 0);
	profile_free(p);
	return out;
}

static pb_profile *decoded(struct profile *p)
{
	struct buf out = encoded(p);
	pb_profile *pb = perftools__profiles__profile__unpack(NULL, out.len, (uint8_t *)out.data);

	assert_non_null(pb);
	buf_release(&out);
	return pb;
}

static uint32_t label(struct make *m, const char *key, const char *text, int64_t num, const char *unit)
{
	struct builder_label l = { .key = make_text(m, key, strlen(key)), .num = num, .is_text = text != NULL };
	uint32_t id = 0;

	l.text = text ? make_text(m, text, strlen(text)) : 0;
	l.unit = unit ? make_text(m, unit, strlen(unit)) : 0;
	builder_label(m->b, &l, &id, NULL);
	return id;
}

/* main -> inlined host+inl at 0x10 -> leaf */
static struct profile *small(void)
{
	struct make m = make_start("samples/count cpu/nanoseconds");
	uint32_t labels[4];

	make_map(&m, "/usr/bin/app");
	labels[0] = label(&m, "z", "text", 0, NULL);
	labels[1] = label(&m, "bytes", NULL, 1024, "bytes");
	labels[2] = label(&m, "a", "first", 0, NULL);
	labels[3] = label(&m, "a", "second", 0, NULL);
	make_row(&m, "leaf@l.c:3;0x10=inl@i.h:7:2+host@h.c:20^18;main", (const int64_t[]){ 1, -10 }, labels, 4);
	ROW(&m, "main", 2, 0);
	builder_meta(m.b)->time_ns = 5;
	builder_meta(m.b)->period = 100;
	builder_meta(m.b)->period_type.name = make_text(&m, "cpu", 3);
	builder_comment(m.b, make_text(&m, "said", 4));
	return make_end(&m);
}

static const char *text(const pb_profile *pb, int64_t index)
{
	assert_in_range(index, 0, pb->n_string_table - 1);
	return pb->string_table[index];
}

static void an_independent_reader_finds_samples_and_labels(void **state)
{
	pb_profile *pb = decoded(small());
	const Perftools__Profiles__Sample *s = pb->sample[0];
	static const char *const keys[] = { "a", "a", "z", "bytes" };

	(void)state;
	assert_int_equal(pb->n_sample, 2);
	assert_int_equal(s->n_location_id, 3);
	assert_int_equal(s->location_id[0], 1);
	assert_int_equal(s->location_id[2], 3);
	assert_int_equal(s->n_value, 2);
	assert_int_equal(s->value[1], -10);
	assert_int_equal(s->n_label, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(text(pb, s->label[i]->key), keys[i]);
	assert_string_equal(text(pb, s->label[1]->str), "second");
	assert_int_equal(s->label[3]->num, 1024);
	assert_string_equal(text(pb, s->label[3]->num_unit), "bytes");
	assert_int_equal(pb->sample[1]->n_label, 0);
	assert_int_equal(pb->sample[1]->value[0], 2);
	perftools__profiles__profile__free_unpacked(pb, NULL);
}

/* A label with string 0 is a number, so the empty value is another string. */
static void an_independent_reader_finds_an_empty_label(void **state)
{
	struct make m = make_start("samples/count");
	uint32_t one = label(&m, "route", "", 0, NULL);
	const Perftools__Profiles__Label *l;
	pb_profile *pb;

	(void)state;
	make_row(&m, "main", (const int64_t[]){ 1 }, &one, 1);
	pb = decoded(make_end(&m));
	l = pb->sample[0]->label[0];
	assert_string_equal(text(pb, l->key), "route");
	assert_int_not_equal(l->str, 0);
	assert_string_equal(text(pb, l->str), "");
	perftools__profiles__profile__free_unpacked(pb, NULL);
}

static void an_independent_reader_finds_locations_and_functions(void **state)
{
	pb_profile *pb = decoded(small());
	const Perftools__Profiles__Location *l = pb->location[1];

	(void)state;
	assert_int_equal(pb->n_location, 3);
	assert_int_equal(l->address, 0x10);
	assert_int_equal(l->mapping_id, 1);
	assert_int_equal(l->n_line, 2);
	assert_int_equal(l->line[0]->line, 7);
	assert_int_equal(l->line[0]->column, 2);
	assert_string_equal(text(pb, pb->function[l->line[1]->function_id - 1]->name), "host");
	assert_int_equal(pb->function[l->line[1]->function_id - 1]->start_line, 18);
	assert_string_equal(text(pb, pb->mapping[0]->filename), "/usr/bin/app");
	perftools__profiles__profile__free_unpacked(pb, NULL);
}

static void strings_are_in_the_order_of_pprof(void **state)
{
	static const char *const order[] = { "",       "samples", "count", "cpu",   "nanoseconds",  "a",    "first",
					     "second", "z",       "text",  "bytes", "/usr/bin/app", "leaf", "l.c",
					     "inl",    "i.h",     "host",  "h.c",   "main",         "said" };
	pb_profile *pb = decoded(small());

	(void)state;
	assert_int_equal(pb->n_string_table, sizeof(order) / sizeof(order[0]));
	for (size_t i = 0; i < pb->n_string_table; i++)
		assert_string_equal(pb->string_table[i], order[i]);
	perftools__profiles__profile__free_unpacked(pb, NULL);
}

static void two_numbers_are_not_packed_and_three_are(void **state)
{
	struct make m = make_start("a/b");
	struct buf out;

	(void)state;
	ROW(&m, "x;y", 1);
	ROW(&m, "x;y;z", 1);
	out = encoded(make_end(&m));
	assert_memory_equal(out.data + out.len - 8 - 9,
			    "\x12\x06\x08\x01\x08\x02\x10\x01"
			    "\x12\x07\x0a\x03\x01\x02\x03\x10\x01",
			    8 + 9);
	buf_release(&out);
}

static void a_missing_default_type_is_written_as_zero(void **state)
{
	struct make m = make_start("a/b");
	struct buf out = encoded(make_end(&m));

	(void)state;
	assert_memory_equal(out.data,
			    "\x0a\x04\x08\x01\x10\x02"
			    "\x70\x00",
			    6 + 2);
	buf_release(&out);
}

/* A reader can then process samples while the file is being inflated. */
static void everything_precedes_the_samples(void **state)
{
	struct buf out = encoded(small());

	(void)state;
	assert_tables_precede_samples(out.data, out.len);
	buf_release(&out);
}

/* More lines than fit into the buffer of the encoder. */
static void a_location_with_many_lines_survives_a_round_trip(void **state)
{
	enum { N = 100000 };
	struct make m = make_start("a/b");
	struct builder_line *line = mem_zalloc(N, sizeof(*line));
	struct builder_location l = { .id = 1, .map = PROFILE_NONE };
	struct builder_function f = { .id = 1 };
	struct profile *p = NULL;
	struct bytes in;
	struct buf out;
	struct err err;
	uint32_t id;

	(void)state;
	builder_function(m.b, &f, &id, NULL);
	for (int64_t i = 0; i < N; i++)
		line[i].no = i;
	builder_location(m.b, &l, line, N, &id, NULL);
	builder_sample(m.b, &(int64_t){ 1 }, &id, 1, NULL, 0, NULL);
	out = encoded(make_end(&m));
	free(line);
	in = (struct bytes){ .data = mem_alloc(out.len, 1), .n = out.len };
	memcpy(in.data, out.data, out.len);
	buf_release(&out);
	assert_int_equal(formats_read(&in, &formats_options_default, &p, &err), 0);
	assert_int_equal(p->n_lines, N);
	assert_int_equal(p->line_no[N - 1], N - 1);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_independent_reader_finds_samples_and_labels),
		cmocka_unit_test(an_independent_reader_finds_an_empty_label),
		cmocka_unit_test(an_independent_reader_finds_locations_and_functions),
		cmocka_unit_test(strings_are_in_the_order_of_pprof),
		cmocka_unit_test(two_numbers_are_not_packed_and_three_are),
		cmocka_unit_test(a_missing_default_type_is_written_as_zero),
		cmocka_unit_test(everything_precedes_the_samples),
		cmocka_unit_test(a_location_with_many_lines_survives_a_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
