/*
 * test_web_flame.c - the flame graph of the web UI: data, parts, files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/web.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_web.h"

enum { BOXES_MAX = 20000 };

/* The numbers of the column with this key, at most BOXES_MAX. Returns their count. */
static size_t read_column(const char *json, const char *key, int64_t *out)
{
	char start[40];
	const char *at;
	size_t n = 0;

	snprintf(start, sizeof(start), "\"%s\": ", key);
	at = strstr(json, start);
	assert_non_null(at);
	at += strlen(start);
	at += strspn(at, "[");
	while (*at && *at != ']' && n < BOXES_MAX) {
		char *end;

		out[n++] = strtoll(at, &end, 10);
		assert_ptr_not_equal(at, end);
		at = end + (*end == ',');
	}
	return n;
}

static int64_t read_number(const char *json, const char *key)
{
	char start[40];
	const char *at;

	snprintf(start, sizeof(start), "\"%s\": ", key);
	at = strstr(json, start);
	assert_non_null(at);
	return strtoll(at + strlen(start), NULL, 10);
}

static struct http_response fetch(struct web_test *t, const char *target)
{
	struct http_response r = request(t, "GET", target, "*/*");

	if (r.status != 200)
		fail_msg("%s: status %d: %.200s", target, r.status, body(&r));
	return r;
}

static void data_has_the_total_of_the_profile(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response r = fetch(&t, "/ui/data/flame");
	static int64_t total[BOXES_MAX];

	(void)state;
	assert_string_equal(r.type, "application/json");
	assert_true(read_column(body(&r), "total", total) > 100);
	assert_int_equal(total[0] * read_number(body(&r), "step"), INT64_C(5770000000));
	assert_int_equal(read_number(body(&r), "total100"), INT64_C(5770000000));
	http_response_release(&r);
	web_test_end(&t);
}

static void narrow_windows_get_fewer_boxes_and_the_sum_of_the_others(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	static int64_t column[BOXES_MAX];
	size_t n_before = 0;

	(void)state;
	for (int width = 10; width <= 640; width *= 4) {
		char target[80];
		struct http_response r;
		size_t n;

		snprintf(target, sizeof(target), "/ui/data/flame?width=%d", width);
		r = fetch(&t, target);
		n = read_column(body(&r), "frame", column);
		assert_true(n > n_before);
		assert_int_equal(read_number(body(&r), "nCut") > 0, width < 640);
		n_before = n;
		http_response_release(&r);
	}
	web_test_end(&t);
}

/* The way to a box: places of its frames from the root down. */
static void find_way(const char *json, size_t box, size_t n, char *way, size_t size)
{
	static int64_t parent[BOXES_MAX], frame[BOXES_MAX], place[BOXES_MAX];
	int64_t path[100], at = 0;
	size_t n_path = 0;

	assert_int_equal(read_column(json, "parent", parent), n);
	assert_int_equal(read_column(json, "frame", frame), n);
	read_column(json, "place", place);
	for (size_t i = 0; i < n; i++) {
		at += parent[i]; /* each is relative to the previous one */
		parent[i] = at;
	}
	for (at = (int64_t)box; at > 0; at = parent[at])
		path[n_path++] = place[frame[at]];
	*way = 0;
	while (n_path-- > 0)
		snprintf(way + strlen(way), size - strlen(way), "%s%" PRId64, *way ? "." : "", path[n_path]);
}

static void a_part_has_the_values_of_the_whole(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response whole = fetch(&t, "/ui/data/flame?width=100000"), part;
	static int64_t total[2][BOXES_MAX], rows[BOXES_MAX];
	char way[600], target[700];
	size_t n = read_column(body(&whole), "total", total[0]), n_part, box, level = 9;

	(void)state;
	read_column(body(&whole), "rows", rows);
	box = (size_t)rows[level];
	find_way(body(&whole), box, n, way, sizeof(way));
	snprintf(target, sizeof(target), "/ui/data/flame?width=100000&way=%s", way);
	part = fetch(&t, target);
	n_part = read_column(body(&part), "total", total[1]);
	assert_true(n_part > level && n_part < n);
	read_column(body(&part), "rows", rows);
	assert_int_equal(total[1][rows[level]] * read_number(body(&part), "step"),
			 total[0][box] * read_number(body(&whole), "step"));
	assert_int_equal(total[1][0] * read_number(body(&part), "step"), INT64_C(5770000000));
	http_response_release(&whole);
	http_response_release(&part);
	web_test_end(&t);
}

static void levels_limit_the_depth(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response r = fetch(&t, "/ui/data/flame?levels=3");
	static int64_t rows[BOXES_MAX];

	(void)state;
	assert_in_range(read_column(body(&r), "rows", rows), 5, 6); /* root, 3 levels, perhaps rest boxes, the end */
	http_response_release(&r);
	web_test_end(&t);
}

static void invalid_ways_are_refused(void **state)
{
	static const char *const way[] = {
		"x", "-1", "1..2", "1.x", ".1", "4294967295", "99999999999999999999", "1,2"
	};
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
		char target[80];

		snprintf(target, sizeof(target), "/ui/data/flame?way=%s", way[i]);
		expect_page(&t, target, 400, "way: not a list");
	}
	web_test_end(&t);
}

static void ways_that_no_stack_has_give_only_the_root(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response r = fetch(&t, "/ui/data/flame?way=4000000000.1.2");
	static int64_t frame[BOXES_MAX];

	(void)state;
	assert_true(read_column(body(&r), "frame", frame) <= 2); /* and a rest box */
	assert_int_equal(frame[0], -1);
	http_response_release(&r);
	web_test_end(&t);
}

static void comparisons_have_both_sides(void **state)
{
	struct web_test t = web_test_start_empty();
	struct http_response r;
	static int64_t sides[BOXES_MAX];

	(void)state;
	web_test_load(&t, "go-heap2.pb.gz", "go-heap1.pb.gz");
	r = fetch(&t, "/ui/data/flame?color=module");
	assert_int_equal(read_column(body(&r), "sides", sides), 2);
	assert_true(sides[0] > sides[1] && sides[1] > 0);
	assert_non_null(strstr(body(&r), "\"byWeight\": false"));
	http_response_release(&r);
	web_test_end(&t);
}

static void pages_have_no_boxes_but_a_script_and_a_picture(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");

	(void)state;
	expect_page(&t, "/ui/flamegraph?f=malloc", 200, "<script defer src=\"assets/flame.");
	expect_page(&t, "/ui/flamegraph?f=malloc", 200,
		    "<img class=\"flame\" alt=\"Flame graph\" src=\"flamegraph.svg?f=malloc\">");
	expect_absent(&t, "/ui/flamegraph", "Planner");
	expect_page(&t, "/ui/flamegraph?plain=t", 200, "runtime.mallocgc");
	expect_page(&t, "/ui/flamegraph?f=(", 400, "missing closing");
	expect_page(&t, "/ui/flamegraph?f=nothing", 200, "Nothing to show");
	expect_absent(&t, "/ui/flamegraph?f=nothing", "data-prof=");
	web_test_end(&t);
}

static void hostile_names_are_escaped(void **state)
{
	struct web_test t = web_test_start("edge/names-hostile.pb.gz");
	struct http_response r = fetch(&t, "/ui/data/flame");

	(void)state;
	assert_null(strstr(body(&r), "</script"));
	for (const char *s = body(&r); *s; s++)
		assert_true((unsigned char)*s >= 0x20 || *s == '\n');
	http_response_release(&r);
	expect_absent(&t, "/ui/flamegraph?plain=t", "<script>");
	web_test_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_has_the_total_of_the_profile),
		cmocka_unit_test(narrow_windows_get_fewer_boxes_and_the_sum_of_the_others),
		cmocka_unit_test(a_part_has_the_values_of_the_whole),
		cmocka_unit_test(levels_limit_the_depth),
		cmocka_unit_test(invalid_ways_are_refused),
		cmocka_unit_test(ways_that_no_stack_has_give_only_the_root),
		cmocka_unit_test(comparisons_have_both_sides),
		cmocka_unit_test(pages_have_no_boxes_but_a_script_and_a_picture),
		cmocka_unit_test(hostile_names_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
