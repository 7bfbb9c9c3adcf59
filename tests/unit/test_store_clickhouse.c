/*
 * test_store_clickhouse.c - batches of many services, and profiles that repeat the rows of others
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "make_profile.h"
#include "store/clickhouse/writer.h"
#include "store/local/format/segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)
#define START (INT64_C(1795132800) * SECOND)

enum { SERVICES = 40, ROUNDS = 3, REPEATS = 300 };

static void services_keep_their_dictionaries_when_others_are_added(void **state)
{
	struct click_server server = { .name = (char[]){ "x" } };
	struct click_writer *w = click_writer_new(&server, "test");

	(void)state;
	for (int i = 0; i < SERVICES * ROUNDS; i++) {
		struct make m = make_start("samples/count");
		struct builder_label label = { .key = make_text(&m, "route", 5), .is_text = true };
		char service[16], route[16];
		struct click_input in = { .service = service, .kind = "cpu", .start_ns = START + i * SECOND };
		struct profile *p;
		struct err err;
		uint32_t id;

		snprintf(service, sizeof(service), "s%d", i % SERVICES);
		snprintf(route, sizeof(route), "/%d", i);
		label.text = make_text(&m, route, strlen(route));
		assert_int_equal(builder_label(m.b, &label, &id, NULL), 0);
		make_row(&m, "a;main", (const int64_t[]){ 1 }, &id, 1);
		in.profile = p = make_end(&m);
		assert_int_equal(click_writer_add(w, &in, &err), 0);
		profile_free(p);
	}
	click_writer_free(w);
}

/* Make a chapter of snapshots, which change once in the middle. Those between are repeats, or are added with their rows. */
static struct chapter *make_snapshots(bool repeats)
{
	struct chapter_builder *b = chapter_builder_new("shop");
	struct dict *d = chapter_builder_dict(b);
	struct chapter *c;
	struct stored s = { 0 };
	struct make m = make_start("alloc_space/bytes inuse_space/bytes");
	struct profile *p;
	struct err err;

	ROW(&m, "a;main", 7, 2);
	ROW(&m, "b;main", 5, 0);
	p = make_end(&m);
	assert_int_equal(dict_add_profile(d, p, &s, &err), 0);
	assert_int_equal(dict_add_series(d, "shop", "heap", NULL, 0, &s.series, &err), 0);
	for (int i = 0; i < REPEATS; i++) {
		s.start_ns = START + i * SECOND;
		s.duration_ns = i;
		s.value[0] += i == REPEATS / 2;
		if (i % (REPEATS / 2) && repeats)
			chapter_builder_repeat(b, &s);
		else
			chapter_builder_add(b, &s);
	}
	assert_int_equal(chapter_builder_finish(b, 1, &c, &err), 0);
	dict_drop_index(&c->dict);
	chapter_builder_free(b);
	dict_release_stored(&s);
	profile_free(p);
	return c;
}

static void repeated_rows_are_those_of_the_profile_before(void **state)
{
	struct chapter *a = make_snapshots(false), *b = make_snapshots(true);

	(void)state;
	assert_int_equal(a->n_blocks, 3);
	assert_int_equal(b->n_blocks, a->n_blocks);
	for (uint32_t i = 0; i < a->n_blocks; i++) {
		assert_int_equal(b->block[i].size, a->block[i].size);
		assert_memory_equal(b->block[i].data, a->block[i].data, a->block[i].size);
		assert_memory_equal(b->block[i].total, a->block[i].total, 2 * sizeof(int64_t));
	}
	chapter_free(a);
	chapter_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(services_keep_their_dictionaries_when_others_are_added),
		cmocka_unit_test(repeated_rows_are_those_of_the_profile_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
