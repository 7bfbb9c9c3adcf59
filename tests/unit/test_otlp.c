/*
 * test_otlp.c - read OpenTelemetry profiles of each release
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One profile is encoded with the numbers of the fields of each release. It has two stacks: main, and work inlined into
 * run, called by main.
 */
#include "config.h"

#include "formats/otlp/otlp.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "formats/formats.h"
#include "tests/unit/check_profile.h"
#include "tests/unit/make_profile.h"
#include "profile/stack_walk.h"

static const struct format_options no_limits;

/* ---- encode ---- */

static void put_varint(struct buf *b, uint64_t v)
{
	do {
		uint8_t byte = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));

		buf_add(b, &byte, 1);
		v >>= 7;
	} while (v);
}

static void put_number(struct buf *b, unsigned field, uint64_t v)
{
	put_varint(b, (uint64_t)field << 3);
	put_varint(b, v);
}

static void put_fixed(struct buf *b, unsigned field, uint64_t v)
{
	put_varint(b, (uint64_t)field << 3 | 1);
	buf_add(b, &v, 8);
}

static void put_bytes(struct buf *b, unsigned field, const void *data, size_t n)
{
	put_varint(b, (uint64_t)field << 3 | 2);
	put_varint(b, n);
	buf_add(b, data, n);
}

static void put_text(struct buf *b, unsigned field, const char *text)
{
	put_bytes(b, field, text, strlen(text));
}

/* Append a message and release it. */
static void put_message(struct buf *b, unsigned field, struct buf *message)
{
	put_bytes(b, field, buf_text(message), message->len);
	buf_release(message);
}

/* Append a list of n numbers, packed. */
static void put_list(struct buf *b, unsigned field, size_t n, ...)
{
	struct buf list = { 0 };
	va_list args;

	va_start(args, n);
	for (size_t i = 0; i < n; i++)
		put_varint(&list, va_arg(args, uint64_t));
	va_end(args);
	put_message(b, field, &list);
}

/* Append a message of numbers: field 1 to n, 0 is left out. */
static void put_fields(struct buf *b, unsigned field, size_t n, ...)
{
	struct buf message = { 0 };
	va_list args;

	va_start(args, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t v = va_arg(args, uint64_t);

		if (v)
			put_number(&message, (unsigned)i + 1, v);
	}
	va_end(args);
	put_message(b, field, &message);
}

#define N(x) (uint64_t)(x)

enum release { V1_3, V1_4, V1_6, V1_7, V1_8, V1_10, N_RELEASES };

static void put_attribute(struct buf *b, unsigned field, const char *key, uint64_t key_index, const char *text,
			  int64_t number)
{
	struct buf value = { 0 }, attribute = { 0 };

	if (text)
		put_text(&value, 1, text);
	else
		put_number(&value, 3, (uint64_t)number);
	if (key)
		put_text(&attribute, 1, key);
	else
		put_number(&attribute, 1, key_index);
	put_message(&attribute, 2, &value);
	put_message(b, field, &attribute);
}

enum { S_MAIN = 1, S_RUN, S_WORK, S_FILE, S_BIN, S_SAMPLES, S_COUNT, S_CPU, S_NS, S_THREAD, S_BUILD };

/* Append the tables with the fields of a release. */
static void put_tables(struct buf *b, enum release v)
{
	static const uint8_t number[N_RELEASES][6] = { /* mapping, location, function, string, attribute, stack */
						       { 3, 4, 5, 6, 16 }, { 3, 4, 6, 10, 7 },   { 2, 3, 4, 6, 7 },
						       { 1, 2, 3, 5, 6 },  { 1, 2, 3, 5, 6, 7 }, { 1, 2, 3, 5, 6, 7 }
	};
	static const uint8_t attributes[N_RELEASES] = { 7, 5, 5, 5, 4, 4 };
	static const char *const text[] = { "",        "main",  "run", "work",        "a.c",    "/bin/a",
					    "samples", "count", "cpu", "nanoseconds", "thread", "b1d" };
	const uint8_t *n = number[v];
	uint64_t zero = v >= V1_8; /* entry 0 means none */

	for (size_t i = 0; zero && i < 6; i++)
		if (i != 3)
			put_text(b, n[i], "");
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		put_text(b, n[3], text[i]);
	put_attribute(b, n[4], v < V1_8 ? "thread" : NULL, S_THREAD, "one", 0);
	put_attribute(b, n[4], v < V1_8 ? "thread" : NULL, S_THREAD, NULL, 42);
	if (v == V1_3) {
		put_fields(b, n[0], 6, N(1), N(0x1000), N(0x2000), N(0), N(S_BIN), N(S_BUILD));
		for (uint64_t f = S_MAIN; f <= S_WORK; f++)
			put_fields(b, n[2], 5, f, f, N(0), N(S_FILE), f * 10);
	} else {
		put_fields(b, n[0], 4, N(0x1000), N(0x2000), N(0), N(S_BIN));
		for (uint64_t f = S_MAIN; f <= S_WORK; f++)
			put_fields(b, n[2], 4, f, N(0), N(S_FILE), f * 10);
	}
	for (int i = 0; i < 2; i++) { /* main, and work in run */
		struct buf location = { 0 };
		unsigned at = v == V1_3;

		if (at)
			put_number(&location, 1, (uint64_t)i + 1);
		put_number(&location, at + 1, zero);
		put_number(&location, at + 2, (uint64_t)i + 0x1100);
		if (i == 1)
			put_fields(&location, at + 3, 3, zero + 2, N(33), N(3));
		if (i == 1)
			put_list(&location, attributes[v], 1, zero);
		put_fields(&location, at + 3, 3, zero + (uint64_t)i, (uint64_t)i + 11, N(0));
		put_message(b, n[1], &location);
	}
	if (n[5]) {
		struct buf stack = { 0 };

		put_list(&stack, 1, 1, N(1));
		put_message(b, n[5], &stack);
		put_list(&stack, 1, 2, N(2), N(1));
		put_message(b, n[5], &stack);
	}
}

/* Append a sample: stack 0 is main, 1 is work, run, main. */
static void put_sample(struct buf *b, enum release v, unsigned stack, uint64_t attribute, size_t n, uint64_t first,
		       uint64_t second)
{
	struct buf sample = { 0 };

	if (v >= V1_8) {
		put_number(&sample, 1, stack + 1);
		put_list(&sample, v == V1_8 ? 2 : 4, n, first, second);
		put_list(&sample, v == V1_8 ? 3 : 2, 1, attribute + 1);
	} else {
		put_number(&sample, v == V1_3 ? 7 : 1, stack);
		put_number(&sample, v == V1_3 ? 8 : 2, stack + 1);
		put_list(&sample, v == V1_3 ? 2 : 3, n, first, second);
		put_list(&sample, v == V1_3 ? 10 : 4, 1, attribute);
	}
	put_message(b, 2, &sample);
}

/* Append a profile with its types, times and samples. */
static void put_profile(struct buf *scope, enum release v, bool has_samples, bool has_cpu)
{
	static const uint8_t indices[] = { 15, 5, 3, 3 }, time[] = { 9, 11, 4, 4 }, comments[] = { 13, 15, 8, 8 };
	struct buf profile = { 0 }, container = { 0 };

	if (v <= V1_4)
		put_tables(&profile, v);
	if (has_samples)
		put_fields(&profile, 1, 2, N(S_SAMPLES), N(S_COUNT));
	if (has_cpu)
		put_fields(&profile, 1, 2, N(S_CPU), N(S_NS));
	if (v >= V1_8) {
		put_fixed(&profile, 3, 1700000000000000000);
		put_number(&profile, 4, 2000000000);
		if (v == V1_8 && has_samples)
			put_list(&profile, 7, 1, N(S_BIN)); /* comments */
		else if (v > V1_8)
			put_bytes(&profile, 7, "the profile's id", 16);
	} else {
		put_list(&profile, indices[v], 3, N(0), N(1), N(0));
		put_list(&profile, comments[v], 1, N(S_BIN));
		put_number(&profile, time[v], 1700000000000000000);
		put_number(&profile, time[v] + 1U, 2000000000);
	}
	put_sample(&profile, v, 0, 0, has_samples + has_cpu, has_samples ? 3 : 30, 30);
	put_sample(&profile, v, 1, 1, has_samples + has_cpu, has_samples ? 4 : 40, 40);
	if (v == V1_3) {
		put_fixed(&container, 2, 1700000000000000000);
		put_message(&container, 8, &profile);
		put_message(scope, 2, &container);
	} else {
		put_message(scope, 2, &profile);
	}
}

static void put_request(struct buf *b, enum release v)
{
	struct buf own = { 0 }, scope = { 0 }, resource = { 0 }, dictionary = { 0 };

	put_attribute(&own, 1, "service.name", 0, "shop", 0);
	put_message(&resource, 1, &own);
	put_profile(&scope, v, true, v < V1_8);
	if (v >= V1_8)
		put_profile(&scope, v, false, true);
	put_message(&resource, 2, &scope);
	put_message(b, 1, &resource);
	if (v == V1_6)
		put_tables(b, v);
	if (v >= V1_7) {
		put_tables(&dictionary, v);
		put_message(b, 2, &dictionary);
	}
}

/* ---- check ---- */

static struct profile *read_buf(const struct buf *b, const struct format_options *options)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(otlp_probe((const uint8_t *)buf_text(b), b->len), FORMAT_SURE);
	if (otlp_read((const uint8_t *)buf_text(b), b->len, options, &p, &err) < 0 || profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

/* A row as text: values, frames from the leaf, labels. */
static void expect_row(const struct profile *p, uint32_t row, const char *text)
{
	struct buf got = { 0 };
	uint32_t loc;

	assert_true(row < p->n_rows);
	for (uint32_t t = 0; t < p->n_types; t++)
		buf_addf(&got, "%lld ", (long long)p->value[t][row]);
	for (struct stack_walk w = stack_walk(p, p->stack[row], STACK_LEAF_FIRST); stack_walk_next(&w, &loc);)
		for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++)
			buf_addf(&got, "%s:%lld ", profile_text(p, p->func_name[p->line_func[l]]),
				 (long long)p->line_no[l]);
	for (uint32_t i = p->label_sets.off[p->labels[row]]; i < p->label_sets.off[p->labels[row] + 1]; i++) {
		uint32_t label = p->label_sets.item[i];

		buf_addf(&got, "%s=", profile_text(p, p->label_key[label]));
		if (p->label_is_text[label])
			buf_addf(&got, "%s ", profile_text(p, p->label_text[label]));
		else
			buf_addf(&got, "%lld ", (long long)p->label_num[label]);
	}
	assert_string_equal(buf_text(&got), text);
	buf_release(&got);
}

static void each_release_gives_the_same_profile(void **state)
{
	(void)state;
	for (int v = 0; v < N_RELEASES; v++) {
		struct buf b = { 0 };
		struct profile *p;

		put_request(&b, (enum release)v);
		p = read_buf(&b, &no_limits);
		assert_int_equal(p->n_types, 2);
		assert_string_equal(profile_text(p, p->type[1].name), "cpu");
		assert_string_equal(profile_text(p, p->type[1].unit), "nanoseconds");
		assert_int_equal(p->n_rows, 2);
		expect_row(p, 0, "3 30 main:11 service.name=shop thread=one ");
		expect_row(p, 1, "4 40 work:33 run:12 main:11 service.name=shop thread=42 ");
		assert_int_equal(p->n_maps, 1);
		assert_string_equal(profile_text(p, p->map[0].file), "/bin/a");
		assert_true(p->map[0].has_functions);
		assert_int_equal(p->meta.time_ns, 1700000000000000000);
		assert_int_equal(p->meta.duration_ns, 2000000000);
		assert_int_equal(p->meta.n_comments, v <= V1_8 ? 2 : 1);
		if (v <= V1_8)
			assert_string_equal(profile_text(p, p->meta.comment[0]), "/bin/a");
		assert_non_null(
			strstr(profile_text(p, p->meta.comment[v <= V1_8]), "skipped the attributes of 1 location,"));
		profile_free(p);
		buf_release(&b);
	}
}

static void sources_are_told_apart_in_each_release(void **state)
{
	(void)state;
	for (int v = 0; v < N_RELEASES; v++) {
		struct otlp_sources sources = { 0 };
		struct buf b = { 0 };
		struct profile *p = NULL;
		struct err err;

		put_request(&b, (enum release)v);
		assert_int_equal(
			otlp_read_sources((const uint8_t *)buf_text(&b), b.len, &no_limits, &sources, &p, &err), 0);
		assert_int_equal(profile_check(p, &err), 0);
		assert_int_equal(sources.n_resources, 1);
		assert_int_equal(sources.label_end[0], 1);
		assert_string_equal(profile_text(p, p->label_text[sources.label[0]]), "shop");
		assert_int_equal(sources.n, v < V1_8 ? 1 : 2); /* messages have one type since 1.8 */
		for (size_t i = 0; i < sources.n; i++) {
			assert_int_equal(sources.source[i].types, v < V1_8 ? 3 : 1 << i);
			assert_int_equal(sources.source[i].time_ns, 1700000000000000000);
			assert_int_equal(sources.source[i].duration_ns, 2000000000);
		}
		expect_row(p, 0, v < V1_8 ? "3 30 main:11 =0 thread=one " : "3 0 main:11 =0 thread=one ");
		if (v >= V1_8)
			expect_row(p, 2, "0 30 main:11 =1 thread=one ");
		otlp_sources_release(&sources);
		profile_free(p);
		buf_release(&b);
	}
}

/* A request of release 1.8 or later with the samples of the caller. */
static void put_samples(struct buf *b, struct buf *samples)
{
	struct buf scope = { 0 }, resource = { 0 }, dictionary = { 0 }, profile = { 0 };

	put_fields(&profile, 1, 2, N(S_SAMPLES), N(S_COUNT));
	buf_add(&profile, buf_text(samples), samples->len);
	buf_release(samples);
	put_message(&scope, 2, &profile);
	put_message(&resource, 2, &scope);
	put_message(b, 1, &resource);
	put_tables(&dictionary, V1_10);
	put_message(b, 2, &dictionary);
}

static struct profile *read_samples(struct buf *samples, const struct format_options *options)
{
	struct buf b = { 0 };
	struct profile *p;

	put_samples(&b, samples);
	p = read_buf(&b, options);
	buf_release(&b);
	return p;
}

static void samples_without_signs_are_not_read_as_zero(void **state)
{
	struct buf samples = { 0 }, sample = { 0 };
	struct profile *p;

	(void)state;
	put_number(&sample, 1, 1); /* values of 1.9: they are attributes in 1.10, and there would be no value */
	put_list(&sample, 2, 1, N(1));
	put_message(&samples, 2, &sample);
	p = read_samples(&samples, &no_limits);
	expect_row(p, 0, "1 main:11 ");
	profile_free(p);

	put_number(&sample, 1, 1); /* an unpacked value of 1.10: a link in 1.9 */
	put_number(&sample, 4, 1);
	put_message(&samples, 2, &sample);
	p = read_samples(&samples, &no_limits);
	expect_row(p, 0, "1 main:11 ");
	profile_free(p);

	put_number(&sample, 1, 1); /* neither in both */
	put_message(&samples, 2, &sample);
	p = read_samples(&samples, &no_limits);
	expect_row(p, 0, "0 main:11 ");
	assert_string_equal(
		profile_text(p, p->meta.comment[0]),
		"otlp: counted 0 for 1 sample with neither a value nor a time stamp, the first in sample 1");
	profile_free(p);
}

static void time_stamps_count_events(void **state)
{
	const struct format_options with_times = { .keeps_times = true };
	struct buf samples = { 0 }, sample = { 0 }, copy = { 0 };
	struct profile *p;

	(void)state;
	put_number(&sample, 1, 1);
	put_fixed(&sample, 5, 1000);
	put_fixed(&sample, 5, 3000);
	put_message(&samples, 2, &sample);
	put_number(&sample, 1, 2);
	put_list(&sample, 4, 2, N(5), N(7));
	put_fixed(&sample, 5, 4000);
	put_fixed(&sample, 5, 5000);
	put_message(&samples, 2, &sample);
	buf_add(&copy, buf_text(&samples), samples.len);
	p = read_samples(&samples, &no_limits);
	expect_row(p, 0, "2 main:11 ");
	expect_row(p, 1, "12 work:33 run:12 main:11 ");
	profile_free(p);
	p = read_samples(&copy, &with_times);
	assert_int_equal(p->n_rows, 4);
	expect_row(p, 0, "1 main:11 time=1000 ");
	expect_row(p, 3, "7 work:33 run:12 main:11 time=5000 ");
	profile_free(p);
}

static void releases_are_not_mixed(void **state)
{
	struct buf samples = { 0 }, sample = { 0 }, b = { 0 };
	struct profile *p = NULL;
	struct err err;

	(void)state;
	put_list(&sample, 3, 1, N(1));
	put_message(&samples, 2, &sample);
	put_list(&sample, 4, 1, N(1));
	put_message(&samples, 2, &sample);
	put_samples(&b, &samples);
	assert_int_equal(otlp_read((const uint8_t *)buf_text(&b), b.len, &no_limits, &p, &err), ERR_FORMAT);
	assert_string_equal(err.msg, "OTLP: samples of release 1.9 and of 1.10 in one file");
	buf_release(&b);
}

static void messages_may_have_three_kinds_of_heads(void **state)
{
	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		struct buf one = { 0 }, b = { 0 };
		struct profile *p;

		put_request(&one, V1_10);
		for (int i = 0; i < 2; i++) {
			uint8_t head[5] = { 0, 0, 0, (uint8_t)(one.len >> 8), (uint8_t)one.len };

			if (kind == 0)
				buf_add(&b, head + 1, 4);
			else if (kind == 1)
				put_varint(&b, one.len);
			else
				buf_add(&b, head, 5);
			buf_add(&b, buf_text(&one), one.len);
		}
		p = read_buf(&b, &no_limits);
		assert_int_equal(p->n_rows, 2); /* equal stacks of both messages are one row */
		assert_int_equal(p->n_locs, 2);
		expect_row(p, 0, "6 60 main:11 service.name=shop thread=one ");
		profile_free(p);
		buf_release(&one);
		buf_release(&b);
	}
}

static void expect_sample_error(struct buf *sample, const char *message)
{
	struct buf samples = { 0 }, b = { 0 };
	struct profile *p = NULL;
	struct err err;

	put_message(&samples, 2, sample);
	put_samples(&b, &samples);
	assert_int_equal(otlp_read((const uint8_t *)buf_text(&b), b.len, &no_limits, &p, &err), ERR_FORMAT);
	assert_string_equal(err.msg, message);
	buf_release(&b);
}

static void what_is_written_is_read(void **state)
{
	struct buf b = { 0 }, copy = { 0 };
	struct profile *p, *again;
	struct err err;

	(void)state;
	put_request(&b, V1_8);
	p = read_buf(&b, &no_limits);
	assert_int_equal(otlp_write(p, &(struct otlp_write_options){ .ratio = 1 }, &copy, &err), 0);
	again = read_buf(&copy, &no_limits);
	assert_int_equal(again->n_rows, 2);
	expect_row(again, 0, "3 30 main:11 service.name=shop thread=one ");
	expect_row(again, 1, "4 40 work:33 run:12 main:11 service.name=shop thread=42 ");
	assert_string_equal(profile_text(again, again->map[0].file), "/bin/a");
	assert_int_equal(again->meta.time_ns, p->meta.time_ns);
	assert_int_equal(again->meta.duration_ns, p->meta.duration_ns);
	profile_free(again);
	copy.len = 0;
	assert_int_equal(otlp_write(p, &(struct otlp_write_options){ .ratio = 0.5 }, &copy, &err), 0);
	again = read_buf(&copy, &no_limits);
	expect_row(again, 0, "1 15 main:11 service.name=shop thread=one ");
	profile_free(again);
	profile_free(p);
	buf_release(&b);
	buf_release(&copy);
}

/* Two rows of a stack, and one of another: as a reader that does not find equal stacks, or as one that does. */
static struct profile *with_equal_stacks(bool repeats)
{
	struct make m = make_start("n/count");
	struct builder_rows rows;
	uint32_t stack = 1;

	ROW(&m, "main", 3);
	ROW(&m, "f;main", 4);
	if (repeats)
		assert_int_equal(builder_stack_append(m.b, (uint32_t[]){ 1, 0 }, 2, &stack, NULL), 0);
	assert_int_equal(builder_rows(m.b, 1, &rows, NULL), 0);
	rows.stack[0] = stack;
	builder_values(m.b, 0)[rows.first] = 5;
	ROW(&m, "g;main", 6);
	return make_end(&m);
}

static void equal_stacks_are_written_once(void **state)
{
	struct buf text[2] = { 0 };
	struct err err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct profile *p = with_equal_stacks(i);

		assert_int_equal(p->stacks.n, 3 + i);
		assert_int_equal(otlp_write(p, &(struct otlp_write_options){ .ratio = 1 }, &text[i], &err), 0);
		profile_free(p);
	}
	assert_int_equal(text[0].len, text[1].len);
	assert_memory_equal(text[0].data, text[1].data, text[0].len);
	buf_release(&text[0]);
	buf_release(&text[1]);
}

static void resource_and_meaning_are_written(void **state)
{
	static const struct otlp_attribute resource[] = { { "service.version", "1.2" }, { "host.name", "h" } };
	static const uint8_t id[16] = { 0xaa, 0xbb };
	static const char field[] = { 7 << 3 | 2, 16, (char)0xaa, (char)0xbb }; /* profile_id */
	struct buf b = { 0 }, copy = { 0 };
	struct profile *p, *again;
	struct err err;

	(void)state;
	put_request(&b, V1_8);
	p = read_buf(&b, &no_limits);
	assert_int_equal(otlp_write(p, &(struct otlp_write_options){ 1, resource, 2, id, true }, &copy, &err), 0);
	assert_non_null(memmem(copy.data, copy.len, field, sizeof(field)));
	assert_non_null(memmem(copy.data, copy.len, OTLP_TEMPORALITY, strlen(OTLP_TEMPORALITY)));
	again = read_buf(&copy, &no_limits);
	expect_row(again, 0, "3 30 main:11 service.version=1.2 host.name=h service.name=shop thread=one ");
	profile_free(again);
	profile_free(p);
	buf_release(&b);
	buf_release(&copy);
}

static const char json_request[] =
	"{\"dictionary\":{\"mappingTable\":[{}],\"locationTable\":[{},{\"address\":\"18446744071562068224\",\"lines\":"
	"[{\"functionIndex\":1,\"line\":\"11\"}]}],\"functionTable\":[{},{\"nameStrindex\":1}],\"linkTable\":[{},"
	"{\"traceId\":\"0A0b\",\"spanId\":\"ff\"}],\"stringTable\":[\"\",\"m\\u00e4in\",\"cpu\",\"ns\",\"k\"],"
	"\"attributeTable\":[{},{\"key_strindex\":4,\"value\":{\"arrayValue\":{\"values\":[{\"intValue\":\"-7\"},"
	"{\"boolValue\":true},{\"doubleValue\":0.5},{}]}}}],\"stackTable\":[{},{\"locationIndices\":[1]}]},"
	"\"resourceProfiles\":[{\"resource\":{\"attributes\":[{\"key\":\"pid\",\"value\":{\"intValue\":\"42\"}}]},"
	"\"scopeProfiles\":[{\"profiles\":[{\"sampleType\":{\"typeStrindex\":2,\"unitStrindex\":3},\"schemaUrl\":[{}],"
	"\"samples\":[{\"stackIndex\":1,\"values\":[\"9\"],\"attributeIndices\":[1],\"linkIndex\":1}],"
	"\"timeUnixNano\":\"1700000000000000000\"}]}]}]}\n";

static void json_has_the_same_fields(void **state)
{
	struct buf two = { 0 };
	struct profile *p = NULL;
	struct err err;

	(void)state;
	buf_addf(&two, "%s%s", json_request, json_request);
	assert_int_equal(otlp_json_read((const uint8_t *)buf_text(&two), two.len, &no_limits, &p, &err), 0);
	assert_int_equal(p->n_rows, 1);
	expect_row(p, 0, "18 m\xc3\xa4in:11 pid=42 k=[-7, true, 0.5, null] trace_id=0a0b span_id=ff ");
	assert_true(p->loc_addr[0] == UINT64_C(18446744071562068224));
	assert_int_equal(p->meta.time_ns, 1700000000000000000);
	profile_free(p);
	buf_release(&two);
}

static void unknown_keys_of_json_are_named(void **state)
{
	static const char *const want[] = { "/bin/a",
					    "otlp: skipped the attributes of 1 location, the first in entry 1",
					    "otlp: skipped 2 unknown keys of JSON, the first one colour" };
	static const char json[] =
		"{\"resourceProfiles\":[{\"schemaUrl\":\"x\",\"colour\":1,\"scopeProfiles\":[{\"profiles\":[{"
		"\"sampleType\":"
		"{\"typeStrindex\":1},\"profileId\":\"00\",\"commentStrindices\":[2],\"samples\":[{\"stackIndex\":1,"
		"\"values\":[3],\"stanza\":{}}]}]}]}],\"dictionary\":{\"stringTable\":[\"\",\"cpu\",\"/bin/a\"],"
		"\"mappingTable\":[{}],\"functionTable\":[{}],\"locationTable\":[{},{\"address\":1,"
		"\"attributeIndices\":[1]}],"
		"\"attributeTable\":[{},{\"keyStrindex\":1,\"value\":{\"intValue\":1}}],"
		"\"stackTable\":[{},{\"locationIndices\":[1]}],\"linkTable\":[{}]}}";
	struct profile *p = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(otlp_json_read((const uint8_t *)json, sizeof(json) - 1, &no_limits, &p, &err), 0);
	assert_int_equal(p->meta.n_comments, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(profile_text(p, p->meta.comment[i]), want[i]);
	profile_free(p);
}

static void expect_json_error(const char *text, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(otlp_json_read((const uint8_t *)text, strlen(text), &no_limits, &p, &err), ERR_FORMAT);
	assert_string_equal(err.msg, message);
}

static void damaged_json_is_refused(void **state)
{
	(void)state;
	expect_json_error("{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"locationIndices\":[1]}]}]}]}",
			  "OTLP: byte 53: JSON of a release before 1.8, which cpa does not read");
	expect_json_error("{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"period\":\"x\"}]}]}]}",
			  "OTLP: byte 62: no integer");
	expect_json_error("{\"resourceProfiles\":[]}", "OTLP: no profile");
	for (size_t n = 0; n < sizeof(json_request) - 1; n++)
		for (int flip = 0; flip < 2; flip++) {
			size_t len = flip ? sizeof(json_request) - 1 : n;
			struct bytes part = { .data = malloc(len + 1), .n = len };
			struct profile *p = NULL;
			struct err err;

			assert_non_null(part.data);
			memcpy(part.data, json_request, len);
			part.data[flip ? n : 0] ^= (uint8_t)(flip ? 0x11 : 0);
			if (otlp_json_read(part.data, len, &no_limits, &p, &err) == 0)
				assert_int_equal(profile_check(p, &err), 0);
			else
				assert_null(p);
			profile_free(p);
			free(part.data);
		}
}

static void errors_have_the_position(void **state)
{
	struct buf sample = { 0 };

	(void)state;
	put_number(&sample, 1, 9);
	put_list(&sample, 4, 1, N(1));
	expect_sample_error(&sample, "OTLP: resource 1: scope 1: profile 1: sample 1: stack 9 of 3 does not exist");
	put_number(&sample, 1, 1);
	put_list(&sample, 2, 1, N(9));
	put_list(&sample, 4, 1, N(1));
	expect_sample_error(&sample, "OTLP: resource 1: scope 1: profile 1: sample 1: attribute 9 of 3 does not exist");
}

static void damaged_messages_are_read_or_refused(void **state)
{
	(void)state;
	for (int v = 0; v < N_RELEASES; v++) {
		struct buf b = { 0 };

		put_request(&b, (enum release)v);
		for (size_t n = 0; n < b.len; n++)
			for (int flip = 0; flip < 3; flip++) {
				size_t len = flip ? b.len : n;
				struct bytes part = { .data = malloc(len + 1), .n = len };
				struct profile *p = NULL;
				struct err err;

				assert_non_null(part.data);
				memcpy(part.data, buf_text(&b), len);
				part.data[n < len ? n : 0] ^= (uint8_t)(flip == 1 ? 0xff : flip);
				if (formats_read(&part, &formats_options_default, &p, &err) == 0)
					assert_int_equal(profile_check(p, &err), 0);
				else
					assert_null(p);
				profile_free(p);
			}
		buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_release_gives_the_same_profile),
		cmocka_unit_test(sources_are_told_apart_in_each_release),
		cmocka_unit_test(samples_without_signs_are_not_read_as_zero),
		cmocka_unit_test(time_stamps_count_events),
		cmocka_unit_test(releases_are_not_mixed),
		cmocka_unit_test(messages_may_have_three_kinds_of_heads),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(equal_stacks_are_written_once),
		cmocka_unit_test(resource_and_meaning_are_written),
		cmocka_unit_test(json_has_the_same_fields),
		cmocka_unit_test(unknown_keys_of_json_are_named),
		cmocka_unit_test(damaged_json_is_refused),
		cmocka_unit_test(errors_have_the_position),
		cmocka_unit_test(damaged_messages_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
