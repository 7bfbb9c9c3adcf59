/*
 * test_side.c - metadata of a side of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/side.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

static void label(struct make *m, const char *key, const char *text)
{
	struct builder_label l = { .key = make_text(m, key, strlen(key)),
				   .text = make_text(m, text, strlen(text)),
				   .is_text = true };
	uint32_t id;

	builder_label(m->b, &l, &id, NULL);
	make_row(m, "a", (int64_t[]){ 1 }, &id, 1);
}

static void has_host(struct make *m, const char *host)
{
	const struct side_sources from = { NULL, 0, NULL };
	struct arena *mem = arena_new();
	struct profile *p = make_end(m);
	struct compare_side s;

	side_fill(&s, p, &from, 7, mem);
	assert_string_equal(s.host, host);
	assert_int_equal(s.total, 7);
	profile_free(p);
	arena_free(mem);
}

static void the_host_comes_from_a_label_or_a_comment(void **state)
{
	struct make m;

	(void)state;
	m = make_start("samples/count");
	has_host(&m, "");
	m = make_start("samples/count");
	label(&m, "instance", "i1");
	label(&m, "hostname", "db1");
	label(&m, "job", "x");
	builder_comment(m.b, make_text(&m, "host=other", 10));
	has_host(&m, "db1");
	m = make_start("samples/count");
	builder_comment(m.b, make_text(&m, "made by hand", 12));
	builder_comment(m.b, make_text(&m, "hostname: db2", 13));
	has_host(&m, "db2");
	m = make_start("samples/count");
	label(&m, "host", "a");
	label(&m, "host", "b");
	has_host(&m, "2 of them");
}

static const char *warned(int64_t time_b, int64_t dur_b, int64_t time_t, int64_t dur_t, bool normalized)
{
	static char text[400];
	struct make m[2] = { make_start("samples/count"), make_start("samples/count") };
	struct buf notes = { 0 };
	struct profile *p[2];

	builder_meta(m[0].b)->time_ns = time_b;
	builder_meta(m[0].b)->duration_ns = dur_b;
	builder_meta(m[1].b)->time_ns = time_t;
	builder_meta(m[1].b)->duration_ns = dur_t;
	p[0] = make_end(&m[0]);
	p[1] = make_end(&m[1]);
	side_warn(p[0], p[1], normalized, &notes);
	strncpy(text, buf_text(&notes), sizeof(text) - 1);
	buf_release(&notes);
	profile_free(p[0]);
	profile_free(p[1]);
	return text;
}

static void warns_only_of_known_differences(void **state)
{
	(void)state;
	assert_string_equal(warned(1, 100, 2, 110, false), "");
	assert_string_equal(warned(0, 0, 2, 110, false), "");
	assert_string_equal(warned(1, 100, 2, 111, true), "");
	assert_non_null(strstr(warned(1, 100, 2, 111, false), "durations differ"));
	assert_non_null(strstr(warned(1, 111, 2, 100, false), "durations differ"));
	assert_string_equal(warned(2, 0, 2, 0, false), "");
	assert_non_null(strstr(warned(3, 0, 2, 0, false), "before is newer"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_host_comes_from_a_label_or_a_comment),
		cmocka_unit_test(warns_only_of_known_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
