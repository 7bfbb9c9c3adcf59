/*
 * test_raw.c - profiles as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "make_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* pprof prints the same text. */
static void prints_times_of_the_full_range(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} c[] = {
		{ INT64_MIN, "Time: 1677-09-21 00:12:43.145224192 +0000 UTC\n" },
		{ -1000000000, "Time: 1969-12-31 23:59:59 +0000 UTC\n" },
		{ -1, "Time: 1969-12-31 23:59:59.999999999 +0000 UTC\n" },
		{ 1, "Time: 1970-01-01 00:00:00.000000001 +0000 UTC\n" },
		{ INT64_MAX, "Time: 2262-04-11 23:47:16.854775807 +0000 UTC\n" },
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct make m = make_start("samples/count");
		struct buf out = { 0 };
		struct profile *p;
		struct err err;

		builder_meta(m.b)->time_ns = c[i].ns;
		ROW(&m, "main", 1);
		p = make_end(&m);
		assert_int_equal(raw_draw(p, NULL, &out, &err), 0);
		assert_non_null(strstr(buf_text(&out), c[i].text));
		buf_release(&out);
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_times_of_the_full_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
