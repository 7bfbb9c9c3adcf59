/*
 * test_web_compare.c - pages of the web UI that compare profiles: diff, gate, trend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/web.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_web.h"

static void differences_need_a_base(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/diff", 400, "no profile to compare with");
	expect_page(&t, "/ui/gate", 400, "no profile to compare with");
	expect_page(&t, "/ui/data/verdicts", 400, "no profile to compare with");
	expect_page(&t, "/ui/diff?base=00000000", 400, "profile 00000000 is not open");
	web_test_end(&t);
}

/* A base of the command line is one of the two sides, with the values that its file has. */
static void bases_of_the_command_line_are_compared(void **state)
{
	struct web_test t = web_test_start_empty();

	(void)state;
	web_test_load(&t, "gate/slow-1.pb.gz", "gate/base-1.pb.gz");
	expect_page(&t, "/ui/gate.json?f=nosuch", 400, "has no sample that passes the filters");
	expect_page(&t, "/ui/data/verdicts?f=nosuch", 200, "has no sample that passes the filters\"\n}");
	expect_page(&t, "/ui/diff", 200, ">792ms</td><td data-value=\"1040000000\">1,040ms</td><td class=\"more\">");
	expect_page(&t, "/ui/diff?col=percent", 200,
		    "<th scope=\"col\" data-key=\"percent\" data-by-value class=\"wide\" "
		    "aria-sort=\"descending\">");
	expect_page(&t, "/ui/diff", 200, "UNRESOLVED");
	expect_page(&t, "/ui/diff", 200, "others have no flat value");
	expect_page(&t, "/ui/diff?sort=cum", 200, "with their callees");
	expect_page(&t, "/ui/gate", 200, "INCONCLUSIVE");
	expect_page(&t, "/ui/gate", 200, "A side is a single profile");
	expect_page(&t, "/ui/gate.json", 200, "\"verdict\": \"inconclusive\"");
	web_test_end(&t);
}

static void equal_profiles_have_no_change(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response r = get(&t, "/ui/compare");
	const char *id = strstr(body(&r), "flamegraph?prof=");
	char target[64];

	(void)state;
	assert_non_null(id);
	snprintf(target, sizeof(target), "/ui/diff?base=%.8s", id + strlen("flamegraph?prof="));
	http_response_release(&r);
	expect_page(&t, target, 200, ">=</td>");
	expect_absent(&t, target, "grew");
	web_test_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_need_a_base),
		cmocka_unit_test(bases_of_the_command_line_are_compared),
		cmocka_unit_test(equal_profiles_have_no_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
