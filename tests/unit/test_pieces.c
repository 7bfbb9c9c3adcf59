/*
 * test_pieces.c - decompress in pieces, and read a profile.proto from them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/common/pieces.h"

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/pool.h"
#include "formats/formats.h"
#include "formats/pprof/pprof.h"
#include "profile/edit.h"
#include "tests/unit/check_profile.h"
#include "tests/unit/make_gzip.h"
#include "tests/unit/same_profile.h"
#include "tests/unit/wire.h"

static const struct format_options no_limits;

enum { S_EMPTY, S_SAMPLES, S_COUNT, S_KEY, S_TEXT, S_OTHER, N_STRINGS, N_SAMPLES = 60000, N_LOCS = 20000 };

/* ---- decompression ---- */

static struct buf numbers(size_t n)
{
	struct buf b = { 0 };

	for (size_t i = 0; b.len < n; i++)
		buf_addf(&b, "%zu %zu;", i, i * i % 9973);
	b.len = n;
	return b;
}

/* Read all windows, keeping some bytes each time. False if pieces_next failed. */
static bool read_pieces(const struct buf *packed, const struct format_options *options, size_t keep, struct buf *out)
{
	const struct bytes in = { .data = (uint8_t *)packed->data, .n = packed->len };
	struct pieces *s = pieces_open(&in, options);
	struct pieces_window w = { 0 };
	bool is_read = true;

	assert_non_null(s);
	for (size_t kept = 0; is_read && !w.is_last; kept = w.n < keep ? w.n : keep) {
		is_read = pieces_next(s, kept, &w);
		if (!is_read)
			break;
		assert_true(kept == 0 || memcmp(w.data, out->data + out->len - kept, kept) == 0);
		buf_add(out, w.data + kept, w.n - kept);
	}
	if (is_read) {
		const struct bytes all = { .data = (uint8_t *)out->data, .n = out->len };

		pieces_end(s);
		assert_int_equal(pieces_hash(s), pieces_hash_of(&all));
	}
	pieces_close(s);
	return is_read;
}

static void expect_content(const struct buf *packed, const struct buf *content)
{
	static const size_t keep[] = { 0, 1, 1000, PIECE_BYTES };

	for (unsigned threads = 1; threads <= 2; threads++)
		for (size_t i = 0; i < sizeof(keep) / sizeof(keep[0]); i++) {
			struct buf out = { 0 };

			pool_set_size(threads);
			assert_true(read_pieces(packed, &no_limits, keep[i], &out));
			assert_int_equal(out.len, content->len);
			assert_memory_equal(out.data, content->data, content->len);
			buf_release(&out);
		}
	pool_set_size(0);
}

static void expect_failure(const struct buf *packed, const struct format_options *options)
{
	for (unsigned threads = 1; threads <= 2; threads++) {
		struct buf out = { 0 };

		pool_set_size(threads);
		assert_false(read_pieces(packed, options, 10, &out));
		buf_release(&out);
	}
	pool_set_size(0);
}

static void pieces_have_the_content(void **state)
{
	static const size_t size[] = { PIECE_BYTES - 1, PIECE_BYTES,         PIECE_BYTES + 1,
				       2 * PIECE_BYTES, 7 * PIECE_BYTES + 5, 40 * PIECE_BYTES };

	(void)state;
	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
		for (int level = 0; level <= 6; level += 6) {
			struct buf content = numbers(size[i]), packed = { 0 };

			add_gzip_level(&packed, content.data, content.len, level);
			if (packed.len >= PIECES_INPUT_MIN)
				expect_content(&packed, &content);
			buf_release(&content);
			buf_release(&packed);
		}
}

static void members_are_concatenated(void **state)
{
	struct buf content = { 0 }, packed = { 0 }, part = numbers(3 * PIECE_BYTES);

	(void)state;
	for (size_t n = 1; n < part.len; n = 2 * n + 17) {
		buf_add(&content, part.data, n);
		add_gzip_level(&packed, part.data, n, 6);
	}
	for (size_t i = 0; i < 3; i++) { /* members that end with a piece, and one without content */
		size_t n = i == 1 ? 0 : PIECE_BYTES - content.len % PIECE_BYTES;

		buf_add(&content, part.data, n);
		add_gzip_level(&packed, part.data, n, 1);
	}
	expect_content(&packed, &content);
	buf_release(&content);
	buf_release(&packed);
	buf_release(&part);
}

static void damage_anywhere_is_found(void **state)
{
	struct buf content = numbers(4 * PIECE_BYTES), packed = { 0 };

	(void)state;
	add_gzip_level(&packed, content.data, content.len, 6);
	for (size_t i = 1; i <= 8; i++) { /* the last 8 bytes are a checksum and the size */
		packed.data[packed.len - i] ^= 1;
		expect_failure(&packed, &no_limits);
		packed.data[packed.len - i] ^= 1;
	}
	for (size_t i = 0; i < 20; i++) {
		size_t at = 2 + i * (packed.len - 10) / 20;
		uint8_t before = (uint8_t)packed.data[at];

		packed.data[at] = (char)(before ^ 0xff);
		if (at > 10) /* bytes 4 to 9 of the header are time and system */
			expect_failure(&packed, &no_limits);
		packed.data[at] = (char)before;
	}
	for (size_t i = 1; i < packed.len - PIECES_INPUT_MIN; i = 3 * i + 1) {
		packed.len -= i;
		expect_failure(&packed, &no_limits);
		packed.len += i;
	}
	buf_add(&packed, "x", 1);
	expect_failure(&packed, &no_limits);
	buf_release(&content);
	buf_release(&packed);
}

static void pieces_have_limits(void **state)
{
	static const struct format_options small = { .max_inflated = 2 * PIECE_BYTES }, ratio = { .max_ratio = 50 };
	struct buf content = numbers(2 * PIECE_BYTES), packed = { 0 }, zeros = { 0 }, out = { 0 };

	(void)state;
	add_gzip_level(&packed, content.data, content.len, 0);
	assert_true(read_pieces(&packed, &small, 0, &out));
	buf_add(&content, "x", 1);
	packed.len = 0;
	add_gzip_level(&packed, content.data, content.len, 0);
	expect_failure(&packed, &small);
	out.len = 0;
	memset(buf_room(&zeros, FORMAT_RATIO_FREE + 1), 0, (size_t)FORMAT_RATIO_FREE + 1);
	zeros.len = (size_t)FORMAT_RATIO_FREE + 1;
	add_gzip_level(&packed, zeros.data, zeros.len, 6);
	expect_failure(&packed, &ratio);
	zeros.len -= content.len + 1; /* exactly what is free */
	packed.len = 0;
	add_gzip_level(&packed, content.data, content.len, 0);
	add_gzip_level(&packed, zeros.data, zeros.len, 6);
	assert_true(read_pieces(&packed, &ratio, 0, &out));
	buf_release(&content);
	buf_release(&packed);
	buf_release(&zeros);
	buf_release(&out);
}

static void small_files_and_other_content_are_refused(void **state)
{
	struct buf content = numbers(PIECES_INPUT_MIN), packed = { 0 };
	struct bytes in = { .data = (uint8_t *)content.data, .n = content.len };

	(void)state;
	assert_null(pieces_open(&in, &no_limits));
	add_gzip_level(&packed, content.data, content.len, 6);
	in = (struct bytes){ .data = (uint8_t *)packed.data, .n = packed.len };
	assert_null(pieces_open(&in, &no_limits));
	pieces_close(NULL);
	buf_release(&content);
	buf_release(&packed);
}

static void pieces_may_be_left_unread(void **state)
{
	struct buf content = numbers(30 * PIECE_BYTES), packed = { 0 };
	struct pieces_window w;

	(void)state;
	add_gzip_level(&packed, content.data, content.len, 0);
	for (int n = 0; n < 7; n++) {
		const struct bytes in = { .data = (uint8_t *)packed.data, .n = packed.len };
		struct pieces *s;

		pool_set_size(2);
		s = pieces_open(&in, &no_limits);
		for (int i = 0; i < n; i++)
			assert_true(pieces_next(s, 0, &w));
		pieces_close(s);
	}
	pool_set_size(0);
	buf_release(&content);
	buf_release(&packed);
}

/* ---- profile.proto ---- */

/* Work for the thread that decompresses: counts its calls. */
struct counted_work {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned n_calls, n_waiting;
	bool is_over;
};

static bool work_counted(void *arg, bool waits)
{
	struct counted_work *w = arg;

	pthread_mutex_lock(&w->lock);
	*(waits ? &w->n_waiting : &w->n_calls) += 1;
	pthread_cond_broadcast(&w->changed);
	while (waits && !w->is_over)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	return false;
}

static void expect_call(struct counted_work *w, const unsigned *n)
{
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	pthread_mutex_lock(&w->lock);
	while (*n == 0)
		assert_int_equal(pthread_cond_timedwait(&w->changed, &w->lock, &limit), 0);
	pthread_mutex_unlock(&w->lock);
}

static void the_thread_works_when_pieces_are_full_and_after_the_last(void **state)
{
	struct counted_work work = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
	struct buf content = numbers(20 * PIECE_BYTES), packed = { 0 };
	struct pieces_window w = { 0 };
	struct pieces *s;

	(void)state;
	add_gzip_level(&packed, content.data, content.len, 1);
	pool_set_size(2);
	s = pieces_open(&(struct bytes){ .data = (uint8_t *)packed.data, .n = packed.len }, &no_limits);
	pieces_set_work(s, work_counted, &work);
	expect_call(&work, &work.n_calls);
	assert_int_equal(work.n_waiting, 0);
	while (!w.is_last)
		assert_true(pieces_next(s, 0, &w));
	expect_call(&work, &work.n_waiting);
	pthread_mutex_lock(&work.lock);
	work.is_over = true;
	pthread_cond_broadcast(&work.changed);
	pthread_mutex_unlock(&work.lock);
	pieces_set_work(s, NULL, NULL);
	assert_int_equal(work.n_waiting, 1);
	pieces_close(s);
	pool_set_size(0);
	buf_release(&content);
	buf_release(&packed);
}

static void add_types(struct buf *b)
{
	TYPE(b, S_SAMPLES, S_COUNT);
	TYPE(b, S_KEY, S_TEXT);
}

/* Samples whose stacks and labels repeat; each fifth sample has a label. */
static void add_samples(struct buf *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct buf m = { 0 };

		wire_packed(&m, 1, LIST(i % 7 * 300 + 1, i % N_LOCS + 1, i % 128 + 1, i % 3 + 1));
		m.len -= i % 13 == 0 ? m.len : 0; /* some samples have no stack */
		if (i % 17 == 5)
			wire_int(&m, 1, i % N_LOCS + 1);
		wire_packed(&m, 2, LIST(i, i * UINT64_C(1234567)));
		if (i % 5 == 0)
			LABEL(&m, S_KEY, i % 2 ? S_TEXT : 0, i % 50, i % 2 ? 0 : S_OTHER);
		wire_message(b, 2, &m);
	}
}

static void add_tables(struct buf *b)
{
	MAPPING(b, 1, 0x1000, 0x2000);
	for (uint32_t i = 1; i <= N_LOCS; i++) {
		wire_location(b, i, 1, i, i, i % 77);
		FUNCTION(b, i, i % N_STRINGS, 0, S_OTHER);
	}
	wire_int(b, 13, S_OTHER);
	wire_int(b, 9, 1234);
	wire_bytes(b, 11, "\x08\x01\x10\x02", 4);
}

static void add_strings(struct buf *b)
{
	STRINGS(b, "", "samples", "count", "key", "text", "other");
}

static struct profile *read_in_pieces(const struct buf *content, const struct format_options *options)
{
	struct buf packed = { 0 };
	struct bytes in;
	struct profile *p = NULL;
	struct pieces *s;

	add_gzip_level(&packed, content->data, content->len, 0);
	in = (struct bytes){ .data = (uint8_t *)packed.data, .n = packed.len };
	s = pieces_open(&in, options);
	assert_non_null(s);
	if (pprof_read_pieces(s, options, &p) < 0)
		assert_null(p);
	pieces_close(s);
	buf_release(&packed);
	return p;
}

/* Read the content in both ways with some options. is_whole: it cannot be read in pieces */
static void expect_both_with(const struct buf *content, bool is_whole, const struct format_options *options)
{
	struct profile *whole = NULL, *p;
	const char *difference;
	struct err err;

	if (pprof_read((const uint8_t *)content->data, content->len, options, &whole, &err) < 0)
		fail_msg("%s", err.msg);
	for (unsigned threads = 1; threads <= 2; threads++) {
		pool_set_size(threads);
		p = read_in_pieces(content, options);
		if (is_whole) {
			assert_null(p);
			continue;
		}
		assert_non_null(p);
		if (profile_check(p, &err) < 0)
			fail_msg("%s", err.msg);
		difference = profile_difference(p, whole);
		if (difference)
			fail_msg("%s differs", difference);
		profile_free(p);
	}
	pool_set_size(0);
	profile_free(whole);
}

/* Also if equal stacks are not found. The content is released. */
static void expect_both(struct buf *content, bool is_whole)
{
	const struct format_options repeats = { .repeats_stacks = true };

	expect_both_with(content, is_whole, &no_limits);
	if (!is_whole)
		expect_both_with(content, false, &repeats);
	buf_release(content);
}

static void a_profile_in_pieces_is_the_same(void **state)
{
	(void)state;
	for (int order = 0; order < 3; order++) {
		struct buf b = { 0 };

		add_types(&b);
		if (order == 1)
			add_tables(&b);
		if (order == 2)
			add_strings(&b);
		add_samples(&b, N_SAMPLES - (uint32_t)order);
		if (order != 1)
			add_tables(&b);
		if (order != 2)
			add_strings(&b);
		wire_int(&b, 10, 77); /* the duration, after all */
		expect_both(&b, false);
	}
}

static void long_fields_may_cross_pieces(void **state)
{
	static const size_t size[] = { PIECE_BYTES / 4, PIECE_BYTES / 2, PIECE_BYTES - 8, 2 * PIECE_BYTES };

	(void)state;
	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
		struct buf b = { 0 }, text = numbers(size[i]);

		add_types(&b);
		add_samples(&b, N_SAMPLES);
		add_tables(&b);
		add_strings(&b);
		wire_bytes(&b, 6, text.data, text.len);
		wire_bytes(&b, 6, text.data, text.len - 1);
		add_samples(&b, 10);
		expect_both(&b, size[i] > PIECE_BYTES);
		buf_release(&text);
	}
}

/* A profile of three locations: with ids first, first + 1, and last. */
static void add_locations_from(struct buf *b, uint64_t first, uint64_t last)
{
	struct buf m = { 0 };

	add_types(b);
	for (uint32_t i = 0; i < N_SAMPLES; i++) {
		wire_packed(&m, 1, LIST(first + i % 2, i % 7 ? first : last));
		wire_packed(&m, 2, LIST(1, 2));
		wire_message(b, 2, &m);
	}
	wire_location(b, first + 1, 0, 1, 0, 0);
	wire_location(b, last, 0, 1, 0, 0);
	wire_location(b, first, 0, 1, 0, 0);
	add_strings(b);
}

static void ids_of_locations_may_be_any(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_locations_from(&b, 1, 3);
	expect_both(&b, false);
	add_locations_from(&b, 7, 9);
	expect_both(&b, false);
	add_locations_from(&b, 7000, 1 << 20);
	expect_both(&b, false);
}

static void unusual_profiles_are_read_as_a_whole(void **state)
{
	struct buf b = { 0 }, m = { 0 };

	(void)state;
	add_samples(&b, N_SAMPLES); /* types after samples */
	add_types(&b);
	add_tables(&b);
	add_strings(&b);
	expect_both(&b, true);

	add_locations_from(&b, 2, (1 << 20) + 1); /* ids far larger than their number */
	expect_both(&b, true);

	add_types(&b); /* the same text of a label twice */
	add_samples(&b, N_SAMPLES);
	for (uint64_t i = 0; i < 2; i++) {
		wire_packed(&m, 2, LIST(1, 2));
		LABEL(&m, S_KEY, i ? S_TEXT : N_STRINGS);
		wire_message(&b, 2, &m);
	}
	add_tables(&b);
	STRINGS(&b, "", "samples", "count", "key", "text", "other", "text");
	expect_both(&b, true);
}

/* Labels of 2 to 15 bytes, of which few or all are different; in sets of which few or all are different. */
static void labels_of_any_bytes_are_the_same(void **state)
{
	(void)state;
	for (int few = 0; few <= 1; few++) {
		struct buf b = { 0 };

		add_types(&b);
		for (uint64_t i = 0; i < N_SAMPLES / 2; i++) {
			struct buf m = { 0 };

			wire_packed(&m, 1, LIST(i % 100 + 1, i % 30 + 1));
			wire_packed(&m, 2, LIST(i, 1));
			for (uint64_t k = 0; k < i % 4; k++)
				LABEL(&m, k ? S_KEY : 0, 0, UINT64_C(1) << (i + k) % 60 | (few ? 1 : i / 60), i % 3);
			wire_message(&b, 2, &m);
		}
		add_tables(&b);
		add_strings(&b);
		expect_both(&b, false);
	}
}

static void labels_may_be_skipped_but_for_that_of_a_base(void **state)
{
	const struct format_options options = { .skips_labels = true };

	(void)state;
	for (int has_base = 0; has_base <= 1; has_base++) {
		struct profile *whole = NULL, *p;
		struct buf b = { 0 };
		const char *difference;
		struct err err;

		add_types(&b);
		add_samples(&b, N_SAMPLES);
		add_tables(&b);
		add_strings(&b);
		if (has_base)
			STRINGS(&b, BASE_LABEL);
		p = read_in_pieces(&b, &options);
		if (pprof_read((const uint8_t *)b.data, b.len, &options, &whole, &err) < 0)
			fail_msg("%s", err.msg);
		assert_int_equal(whole->n_labels == 0, !has_base);
		assert_int_equal(p == NULL, has_base);
		difference = p ? profile_difference(p, whole) : NULL;
		if (difference)
			fail_msg("%s differs", difference);
		profile_free(p);
		profile_free(whole);
		buf_release(&b);
	}
}

static void a_missing_string_of_a_skipped_label_is_found(void **state)
{
	const struct format_options options = { .skips_labels = true };
	static const uint64_t label[][2] = {
		{ S_KEY, N_STRINGS }, { S_KEY, 200 }, { N_STRINGS, S_TEXT }, { 200, S_TEXT }, { S_KEY, S_TEXT }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(label) / sizeof(label[0]); i++) {
		struct buf b = { 0 }, m = { 0 };
		struct profile *p;

		add_types(&b);
		add_samples(&b, N_SAMPLES);
		wire_packed(&m, 2, LIST(1, 2));
		LABEL(&m, label[i][0], label[i][1]);
		wire_message(&b, 2, &m);
		add_tables(&b);
		add_strings(&b);
		p = read_in_pieces(&b, &options);
		assert_int_equal(p != NULL, label[i][0] == S_KEY && label[i][1] == S_TEXT);
		profile_free(p);
		buf_release(&b);
	}
}

/* Labels without a text or a number do not count for the limit, others do, stored or not. */
static void skipped_labels_have_a_limit(void **state)
{
	const struct format_options options = { .skips_labels = true, .max_depth = 5 };

	(void)state;
	for (uint64_t n = 5; n <= 6; n++) {
		struct buf b = { 0 }, m = { 0 };
		struct profile *p;

		add_types(&b);
		add_samples(&b, N_SAMPLES);
		wire_packed(&m, 2, LIST(1, 2));
		LABEL(&m, S_KEY);
		for (uint64_t i = 0; i < n; i++)
			LABEL(&m, S_KEY, i % 2 ? S_TEXT : 0, i % 2 ? 0 : 1);
		wire_message(&b, 2, &m);
		add_tables(&b);
		add_strings(&b);
		p = read_in_pieces(&b, &options);
		assert_int_equal(p != NULL, n == 5);
		profile_free(p);
		buf_release(&b);
	}
}

/* A large file with an error has the message of a small one. */
static void expect_message(struct buf *content, const char *message)
{
	struct buf packed = { 0 };
	struct profile *p = NULL;
	struct bytes in;
	struct err err;

	add_gzip_level(&packed, content->data, content->len, 0);
	in = (struct bytes){ .data = (uint8_t *)packed.data, .n = packed.len };
	assert_true(formats_read(&in, &formats_options_default, &p, &err) < 0);
	assert_null(p);
	if (!strstr(err.msg, message))
		fail_msg("\"%s\" is not in \"%s\"", message, err.msg);
	buf_release(content);
}

static void errors_have_their_position(void **state)
{
	struct buf b = { 0 }, m = { 0 };
	char message[80];

	(void)state;
	add_types(&b);
	add_samples(&b, N_SAMPLES);
	wire_sample(&b, 1, LIST(1));
	add_tables(&b);
	add_strings(&b);
	expect_message(&b, "sample 60001: 1 values for 2 sample types");

	add_types(&b); /* a type after the samples */
	add_samples(&b, N_SAMPLES);
	TYPE(&b, S_KEY, S_TEXT);
	add_tables(&b);
	add_strings(&b);
	expect_message(&b, "sample 1: 2 values for 3 sample types");

	add_types(&b);
	add_samples(&b, N_SAMPLES);
	add_strings(&b);
	expect_message(&b, "sample 2: location 301 does not exist");

	add_locations_from(&b, 7, 9);
	wire_packed(&m, 1, LIST(8, 3));
	wire_packed(&m, 2, LIST(1, 2));
	wire_message(&b, 2, &m);
	expect_message(&b, "sample 60001: location 3 does not exist");

	add_types(&b);
	add_samples(&b, N_SAMPLES);
	add_tables(&b);
	STRINGS(&b, "", "samples", "count", "key", "text");
	expect_message(&b, "function 1: filename: string 5 of 5 does not exist");

	add_types(&b);
	add_samples(&b, N_SAMPLES);
	add_tables(&b);
	add_strings(&b);
	snprintf(message, sizeof(message), "byte %zu: unknown wire type", b.len);
	buf_add(&b, "\x0f", 1);
	expect_message(&b, message);
}

static void nested_compression_is_found(void **state)
{
	static const struct format_options two = { .max_nesting = 2 };
	struct buf b = { 0 }, inner = { 0 }, outer = { 0 };
	struct profile *p = NULL;
	struct bytes in;
	struct err err;

	(void)state;
	add_types(&b);
	add_samples(&b, N_SAMPLES);
	add_tables(&b);
	add_strings(&b);
	add_gzip_level(&inner, b.data, b.len, 0);
	add_gzip_level(&outer, inner.data, inner.len, 0);
	in = (struct bytes){ .data = (uint8_t *)outer.data, .n = outer.len };
	assert_int_equal(formats_read(&in, &two, &p, &err), 0);
	assert_int_equal(p->n_rows, N_SAMPLES);
	profile_free(p);
	buf_release(&b);
	buf_release(&inner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_have_the_content),
		cmocka_unit_test(members_are_concatenated),
		cmocka_unit_test(damage_anywhere_is_found),
		cmocka_unit_test(pieces_have_limits),
		cmocka_unit_test(small_files_and_other_content_are_refused),
		cmocka_unit_test(pieces_may_be_left_unread),
		cmocka_unit_test(the_thread_works_when_pieces_are_full_and_after_the_last),
		cmocka_unit_test(a_profile_in_pieces_is_the_same),
		cmocka_unit_test(long_fields_may_cross_pieces),
		cmocka_unit_test(ids_of_locations_may_be_any),
		cmocka_unit_test(unusual_profiles_are_read_as_a_whole),
		cmocka_unit_test(labels_of_any_bytes_are_the_same),
		cmocka_unit_test(labels_may_be_skipped_but_for_that_of_a_base),
		cmocka_unit_test(a_missing_string_of_a_skipped_label_is_found),
		cmocka_unit_test(skipped_labels_have_a_limit),
		cmocka_unit_test(errors_have_their_position),
		cmocka_unit_test(nested_compression_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
