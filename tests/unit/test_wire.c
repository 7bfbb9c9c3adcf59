/*
 * test_wire.c - protobuf writer, byte by byte
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Output of the writer, collected by the sink. */
struct output {
	uint8_t data[4096];
	size_t n, calls, fail_after;
};

static bool write_output(void *arg, const void *data, size_t n)
{
	struct output *g = arg;

	if (g->fail_after && g->calls == g->fail_after)
		return false;
	assert_true(g->n + n <= sizeof(g->data));
	memcpy(g->data + g->n, data, n);
	g->n += n;
	g->calls++;
	return true;
}

static void expect_output(const struct output *g, const char *bytes, size_t n)
{
	assert_int_equal(g->n, n);
	assert_memory_equal(g->data, bytes, n);
}
#define WROTE(g, bytes) expect_output(g, bytes, sizeof(bytes) - 1)

static void varints_have_seven_bits_per_byte(void **state)
{
	struct output g = { .n = 0 };
	uint8_t data[64];
	struct wire w;

	(void)state;
	wire_begin(&w, data, sizeof(data), write_output, &g);
	wire_number(&w, 1, 0);
	wire_number(&w, 15, 127);
	wire_number(&w, 16, 300);
	wire_number_nonzero(&w, 2, 0);
	wire_number_nonzero(&w, 2, UINT64_MAX);
	assert_true(wire_end(&w));
	WROTE(&g, "\x08\x00\x78\x7f\x80\x01\xac\x02\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

static void wire_size_is_the_encoded_size(void **state)
{
	uint8_t data[WIRE_VARINT_MAX];

	(void)state;
	for (int bit = 0; bit < 64; bit++) {
		for (int less = 0; less < 2; less++) {
			uint64_t v = (UINT64_C(1) << bit) - (uint64_t)less;

			assert_int_equal(wire_size(v), wire_put(data, v) - data);
		}
	}
	assert_int_equal(wire_size(UINT64_MAX), 10);
	assert_int_equal(wire_size_nonzero(1, 0), 0);
	assert_int_equal(wire_size_nonzero(16, 128), 4);
}

static void a_message_gets_its_length_when_it_ends(void **state)
{
	struct output g = { .n = 0 };
	uint8_t data[64];
	struct wire w;
	size_t outer, inner;

	(void)state;
	wire_begin(&w, data, sizeof(data), write_output, &g);
	outer = wire_open(&w, 4);
	wire_number(&w, 1, 5);
	inner = wire_open(&w, 3);
	wire_bytes(&w, 2, "ab", 2);
	wire_close(&w, inner);
	wire_close(&w, outer);
	inner = wire_open(&w, 5);
	wire_close(&w, inner);
	assert_true(wire_end(&w));
	WROTE(&g, "\x22\x08\x08\x05\x1a\x04\x12\x02"
		  "ab\x2a\x00");
}

static void a_message_of_128_bytes_gets_a_length_of_two(void **state)
{
	struct output g = { .n = 0 };
	char text[126] = { 'x' };
	uint8_t data[256];
	struct wire w;
	size_t mark;

	(void)state;
	wire_begin(&w, data, sizeof(data), write_output, &g);
	mark = wire_open(&w, 1);
	wire_bytes(&w, 2, text, sizeof(text));
	wire_close(&w, mark);
	assert_true(wire_end(&w));
	assert_int_equal(g.n, 3 + 128);
	assert_memory_equal(g.data, "\x0a\x80\x01\x12\x7ex", 6);
}

/* Write the same fields through buffers of every size, so that a buffer becomes full within an open message, too. */
static size_t write_all(struct output *g, void *data, size_t cap)
{
	struct wire w;

	wire_begin(&w, data, cap, write_output, g);
	for (uint64_t i = 0; i < 20; i++) {
		size_t mark;

		wire_number(&w, 3, i * i * 1000);
		mark = wire_open(&w, 4);
		wire_number_nonzero(&w, 1, i << 50);
		wire_bytes(&w, 2, "name", 4);
		wire_close(&w, mark);
	}
	wire_bytes(&w, 6, "a text that is longer than the smallest of the buffers", 54);
	assert_true(wire_end(&w));
	return g->calls;
}

static void the_output_does_not_depend_on_the_buffer_size(void **state)
{
	struct output all = { .n = 0 };
	uint8_t large[1000];

	(void)state;
	assert_int_equal(write_all(&all, large, sizeof(large)), 1);
	for (size_t cap = 2 * WIRE_VARINT_MAX + 16; cap < 200; cap++) {
		uint8_t *data = malloc(cap); /* a sanitizer detects writes past the end */
		struct output g = { .n = 0 };

		assert_true(write_all(&g, data, cap) > 1);
		assert_int_equal(g.n, all.n);
		assert_memory_equal(g.data, all.data, all.n);
		free(data);
	}
}

static void an_open_message_that_does_not_fit_fails(void **state)
{
	struct output g = { .n = 0 };
	uint8_t data[32];
	struct wire w;

	(void)state;
	wire_begin(&w, data, sizeof(data), write_output, &g);
	wire_number(&w, 1, 1);
	wire_open(&w, 4);
	wire_bytes(&w, 2, "a text that is longer than the buffer", 37);
	wire_close(&w, 0);
	assert_false(wire_end(&w));
}

static void without_a_sink_everything_must_fit_into_the_buffer(void **state)
{
	uint8_t data[23];
	struct wire w;

	(void)state;
	wire_begin(&w, data, sizeof(data), NULL, NULL);
	wire_bytes(&w, 1, "0123456789", 10);
	assert_true(wire_end(&w));
	assert_int_equal(w.len, 12);
	wire_bytes(&w, 1, "0123456789", 10);
	assert_false(wire_end(&w));
}

static void a_failed_sink_is_not_called_again(void **state)
{
	struct output g = { .fail_after = 1 };
	uint8_t data[32];
	struct wire w;

	(void)state;
	wire_begin(&w, data, sizeof(data), write_output, &g);
	for (uint64_t i = 0; i < 100; i++)
		wire_number(&w, 1, i);
	assert_false(wire_end(&w));
	assert_int_equal(g.calls, 1);
}

static void an_unclosed_message_fails(void **state)
{
	struct output g = { .n = 0 };
	uint8_t data[32];
	struct wire w;

	(void)state;
	wire_begin(&w, data, sizeof(data), write_output, &g);
	wire_open(&w, 4);
	assert_false(wire_end(&w));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints_have_seven_bits_per_byte),
		cmocka_unit_test(wire_size_is_the_encoded_size),
		cmocka_unit_test(a_message_gets_its_length_when_it_ends),
		cmocka_unit_test(a_message_of_128_bytes_gets_a_length_of_two),
		cmocka_unit_test(the_output_does_not_depend_on_the_buffer_size),
		cmocka_unit_test(an_open_message_that_does_not_fit_fails),
		cmocka_unit_test(without_a_sink_everything_must_fit_into_the_buffer),
		cmocka_unit_test(a_failed_sink_is_not_called_again),
		cmocka_unit_test(an_unclosed_message_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
