/*
 * test_window.c - the sources store:
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/regex.h"
#include "base/time.h"
#include "store/window/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* 2026-11-22T15:04:05.5Z, a Sunday; 16:04 in Berlin, whose rules are given without a database of zones. */
#define NOW INT64_C(1795359845500000000)
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"

/* shop was deployed at 14:00Z, and its version 2.4.0 on the day before. */
static bool find_mark(void *arg, const char *service, const char *version, int64_t *time_ns)
{
	(void)arg;
	if (strcmp(service, "shop") != 0)
		return false;
	*time_ns = NOW / 3600000000000 * 3600000000000 - 3600000000000;
	if (strcmp(version, "2.4.0") == 0)
		*time_ns -= INT64_C(86400000000000);
	return !*version || strcmp(version, "2.4.0") == 0;
}

static bool find_first(void *arg, const struct store_query *q, int64_t *time_ns)
{
	(void)arg;
	if (strcmp(q->match[0].value, "2.4.0") != 0)
		return false;
	*time_ns = INT64_C(1795000000000000000);
	return true;
}

static const struct window_clock at_four = { .now_ns = NOW, .mark = find_mark, .first = find_first };

/* The canonical form of a source, or the error. */
static void canonical(const char *text, struct buf *out)
{
	struct window *w = NULL;
	struct store_query q;
	struct err err = { 0 };
	int rc = window_parse(text, &w, &err);

	if (rc == 0)
		rc = window_resolve(w, &at_four, &q, &err);
	if (rc == 0)
		window_print(w, &q, out);
	else
		buf_addz(out, err.msg);
	assert_true(rc == 0 || rc == ERR_USAGE);
	window_free(w);
}

struct pair {
	const char *text, *expected;
};

static void expect(const struct pair *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct buf got = { 0 };

		canonical(p[i].text, &got);
		assert_string_equal(buf_text(&got), p[i].expected);
		buf_release(&got);
	}
}

static void digits_after_the_colon_mean_a_host(void **state)
{
	static const char *const hosts[] = { "store:6060",
					     "store:6060/debug/pprof/heap",
					     "store:1/",
					     "shop",
					     "",
					     "store",
					     "a.pb.gz",
					     "Store:shop",
					     "http://store:x" };
	static const char *const sources[] = { "store:shop", "store:6060x",    "store:6060@-1h",  "store:\"6060\"/cpu",
					       "store:",     "store:./a#shop", "store:6060#shop", "store:6060{a=b}" };

	(void)state;
	for (size_t i = 0; i < N(hosts); i++)
		assert_false(window_is_source(hosts[i]));
	for (size_t i = 0; i < N(sources); i++)
		assert_true(window_is_source(sources[i]));
}

#define HOUR "@2026-11-22T14:04:06Z..2026-11-22T15:04:06Z"

static void selectors_are_printed_in_one_form(void **state)
{
	static const struct pair pairs[] = {
		{ "store:shop", "store:shop/cpu" HOUR },
		{ "store:shop/heap", "store:shop/heap" HOUR },
		{ "store:sh?p*/cpu", "store:sh?p*/cpu" HOUR },
		{ "store:\"a/b\"", "store:\"a/b\"/cpu" HOUR },
		{ "store:\"shop\"", "store:shop/cpu" HOUR },
		{ "store:\"say \\\"hi\\\\\"", "store:\"say \\\"hi\\\\\"/cpu" HOUR },
		{ "store:\"a=b\"", "store:\"a=b\"/cpu" HOUR },
		{ "store:\"6060\"", "store:\"6060\"/cpu" HOUR },
		{ "store:6060@-1h", "store:\"6060\"/cpu" HOUR },
		{ "store:./dir/x#shop", "store:./dir/x#shop/cpu" HOUR },
		{ "store:/dir#shop", "store:/dir#shop/cpu" HOUR },
		{ "store:\"1/dir\"#shop", "store:\"1/dir\"#shop/cpu" HOUR },
		{ "store:\"/a#{b\"#shop", "store:\"/a#{b\"#shop/cpu" HOUR },
		{ "store:clickhouse://u@h:9000/db#shop", "store:clickhouse://u@h:9000/db#shop/cpu" HOUR },
		{ "store:shop{}", "store:shop/cpu" HOUR },
		{ "store:shop{a=b}", "store:shop/cpu{a=b}" HOUR },
		{ "store:shop{ a = b , c!=d,e=~f.*,g!~h }", "store:shop/cpu{a=\"b \",c!=d,e=~f.*,g!~\"h \"}" HOUR },
		{ "store:shop{a=\"x,}\\\"\",b=\"\"}", "store:shop/cpu{a=\"x,}\\\"\",b=}" HOUR },
		{ "store:shop{a=~\"\\d{2,3}\"}", "store:shop/cpu{a=~\"\\\\d{2,3}\"}" HOUR },
		{ "store:shop{a=~\"\\\\d{2,3}\"}", "store:shop/cpu{a=~\"\\\\d{2,3}\"}" HOUR },
		{ "store:shop{a=b#c}", "store:shop/cpu{a=b#c}" HOUR },
		{ "store:shop{a=b=c}", "store:shop/cpu{a=b=c}" HOUR },
		{ "store:shop{version=2.4.0}",
		  "store:shop/cpu{version=2.4.0}@2026-11-18T11:06:40Z..2026-11-19T11:06:40Z" },
		{ "store:shop{version=9}", "store:shop/cpu{version=9}@all" },
		{ "store:shop@-24999d", "store:shop/cpu@1970-01-01T00:00:00Z..2026-11-22T15:04:06Z" },
		{ "store:shop{a=\"~x\",b!=~x}", "store:shop/cpu{a=\"~x\",b!=\"~x\"}" HOUR },
		{ "store:shop+reduce=max+keep=a,b+step=10m+runs=instance+limit=3+partial+tier=raw",
		  "store:shop/cpu" HOUR "+reduce=max+keep=a,b+tier=raw+limit=3+partial" },
		{ "store:shop+id=00112233445566778899aabbccddeeff",
		  "store:shop/cpu@all+id=00112233445566778899aabbccddeeff" },
		{ "store:\xc3\xa4/cpu@-1h", "store:\xc3\xa4/cpu" HOUR },
	};

	(void)state;
	expect(pairs, N(pairs));
}

static void windows_have_all_forms(void **state)
{
	static const struct pair pairs[] = {
		{ "store:s@all", "store:s/cpu@all" },
		{ "store:s@pin:2.4.0", "store:s/cpu@pin:2.4.0" },
		{ "store:s@pin:\"a+b c\"", "store:s/cpu@pin:\"a+b c\"" },
		{ "store:s@pin:v2+1+limit=2", "store:s/cpu@pin:\"v2+1\"+limit=2" },
		{ "store:s@pin:a,2026-11-22", "store:s/cpu@pin:a,2026-11-21T23:00:00Z..2026-11-22T23:00:00Z" },
		{ "store:s@-1h", "store:s/cpu@2026-11-22T14:04:06Z..2026-11-22T15:04:06Z" },
		{ "store:s@-1h30m", "store:s/cpu@2026-11-22T13:34:06Z..2026-11-22T15:04:06Z" },
		{ "store:s@-7d", "store:s/cpu@2026-11-15T15:04:06Z..2026-11-22T15:04:06Z" },
		{ "store:s@-2h..-1h", "store:s/cpu@2026-11-22T13:04:06Z..2026-11-22T14:04:06Z" },
		{ "store:s@-2h..now", "store:s/cpu@2026-11-22T13:04:06Z..2026-11-22T15:04:06Z" },
		{ "store:s@2026-11-22", "store:s/cpu@2026-11-21T23:00:00Z..2026-11-22T23:00:00Z" },
		{ "store:s@2026-11-22Z", "store:s/cpu@2026-11-22T00:00:00Z..2026-11-23T00:00:00Z" },
		{ "store:s@2026-12-31", "store:s/cpu@2026-12-30T23:00:00Z..2026-12-31T23:00:00Z" },
		{ "store:s@2028-02-29Z", "store:s/cpu@2028-02-29T00:00:00Z..2028-03-01T00:00:00Z" },
		{ "store:s@2026-11-22T14", "store:s/cpu@2026-11-22T13:00:00Z..2026-11-22T14:00:00Z" },
		{ "store:s@2026-11-22T14:30", "store:s/cpu@2026-11-22T13:30:00Z..2026-11-22T13:31:00Z" },
		{ "store:s@2026-11-22T14:30:15Z", "store:s/cpu@2026-11-22T14:30:15Z..2026-11-22T14:30:16Z" },
		{ "store:s@2026-11-22T14Z", "store:s/cpu@2026-11-22T14:00:00Z..2026-11-22T15:00:00Z" },
		{ "store:s@2026-11-22T14+01:00", "store:s/cpu@2026-11-22T13:00:00Z..2026-11-22T14:00:00Z" },
		{ "store:s@2026-11-22T14-0530", "store:s/cpu@2026-11-22T19:30:00Z..2026-11-22T20:30:00Z" },
		{ "store:s@14:23", "store:s/cpu@2026-11-22T13:23:00Z..2026-11-22T13:24:00Z" },
		{ "store:s@14:23:10", "store:s/cpu@2026-11-22T13:23:10Z..2026-11-22T13:23:11Z" },
		{ "store:s@14:23Z", "store:s/cpu@2026-11-22T14:23:00Z..2026-11-22T14:24:00Z" },
		{ "store:s@23:30+14:00", "store:s/cpu@2026-11-23T09:30:00Z..2026-11-23T09:31:00Z" },
		{ "store:s@14:00..15:00", "store:s/cpu@2026-11-22T13:00:00Z..2026-11-22T14:00:00Z" },
		{ "store:s@2026-11-21..14:00", "store:s/cpu@2026-11-20T23:00:00Z..2026-11-22T13:00:00Z" },
		{ "store:s@2026-11-22T14:00:00.25Z..2026-11-22T14:00:00.500000001Z",
		  "store:s/cpu@2026-11-22T14:00:00.25Z..2026-11-22T14:00:00.500000001Z" },
		{ "store:s@14:00+1h", "store:s/cpu@2026-11-22T13:00:00Z..2026-11-22T14:00:00Z" },
		{ "store:s@14:00-1h", "store:s/cpu@2026-11-22T12:00:00Z..2026-11-22T13:00:00Z" },
		{ "store:s@2026-11-22T14:00-1h30m", "store:s/cpu@2026-11-22T11:30:00Z..2026-11-22T13:00:00Z" },
		{ "store:s@14:00+01:00+1h+limit=2", "store:s/cpu@2026-11-22T13:00:00Z..2026-11-22T14:00:00Z+limit=2" },
		{ "store:s@14:23~10m", "store:s/cpu@2026-11-22T13:13:00Z..2026-11-22T13:33:00Z" },
		{ "store:s@today", "store:s/cpu@2026-11-21T23:00:00Z..2026-11-22T23:00:00Z" },
		{ "store:s@todayZ", "store:s/cpu@2026-11-22T00:00:00Z..2026-11-23T00:00:00Z" },
		{ "store:s@yesterday", "store:s/cpu@2026-11-20T23:00:00Z..2026-11-21T23:00:00Z" },
		{ "store:s@yesterday..today", "store:s/cpu@2026-11-20T23:00:00Z..2026-11-21T23:00:00Z" },
		{ "store:s@yesterday 14:23", "store:s/cpu@2026-11-21T13:23:00Z..2026-11-21T13:24:00Z" },
		{ "store:s@yesterdayT14:23Z+1h", "store:s/cpu@2026-11-21T14:23:00Z..2026-11-21T15:23:00Z" },
		{ "store:s@yesterday 14..yesterday 15:30", "store:s/cpu@2026-11-21T13:00:00Z..2026-11-21T14:30:00Z" },
		{ "store:s@2026-11-22 14:30", "store:s/cpu@2026-11-22T13:30:00Z..2026-11-22T13:31:00Z" },
		{ "store:s@1795359845", "store:s/cpu@2026-11-22T15:04:05Z..2026-11-22T15:04:06Z" },
		{ "store:s@1795359845.5..now", "store:s/cpu@2026-11-22T15:04:05.5Z..2026-11-22T15:04:06Z" },
		{ "store:s@1795350000..1795353600", "store:s/cpu@2026-11-22T12:20:00Z..2026-11-22T13:20:00Z" },
		{ "store:s@1795350000000..1795353600000", "store:s/cpu@2026-11-22T12:20:00Z..2026-11-22T13:20:00Z" },
		{ "store:s@1795350000+1h+limit=2", "store:s/cpu@2026-11-22T12:20:00Z..2026-11-22T13:20:00Z+limit=2" },
		{ "store:s@now-2h", "store:s/cpu@2026-11-22T13:04:06Z..2026-11-22T15:04:06Z" },
		{ "store:s@now-2h..now-1h", "store:s/cpu@2026-11-22T13:04:06Z..2026-11-22T14:04:06Z" },
		{ "store:s@now-2h..now", "store:s/cpu@2026-11-22T13:04:06Z..2026-11-22T15:04:06Z" },
		{ "store:s@14:00-5m..14:00+01:00+5m", "store:s/cpu@2026-11-22T12:55:00Z..2026-11-22T13:05:00Z" },
		{ "store:shop@deploy-1h..deploy+1h+limit=2",
		  "store:shop/cpu@2026-11-22T13:00:00Z..2026-11-22T15:00:00Z+limit=2" },
		{ "store:s@now~1h", "store:s/cpu@2026-11-22T14:04:06Z..2026-11-22T16:04:06Z" },
		{ "store:shop@deploy", "store:shop/cpu@2026-11-22T14:00:00Z..2026-11-22T15:04:06Z" },
		{ "store:shop@deploy+1h", "store:shop/cpu@2026-11-22T14:00:00Z..2026-11-22T15:00:00Z" },
		{ "store:shop@deploy-1h", "store:shop/cpu@2026-11-22T13:00:00Z..2026-11-22T14:00:00Z" },
		{ "store:shop@deploy~1h", "store:shop/cpu@2026-11-22T13:00:00Z..2026-11-22T15:00:00Z" },
		{ "store:shop@deploy:2.4.0..deploy", "store:shop/cpu@2026-11-21T14:00:00Z..2026-11-22T14:00:00Z" },
		{ "store:shop@deploy:2.4.0+1h", "store:shop/cpu@2026-11-21T14:00:00Z..2026-11-21T15:00:00Z" },
		{ "store:shop@deploy:2.4.0-1h+limit=2",
		  "store:shop/cpu@2026-11-21T13:00:00Z..2026-11-21T14:00:00Z+limit=2" },
		{ "store:shop@deploy:\"2.4.0\"~1m", "store:shop/cpu@2026-11-21T13:59:00Z..2026-11-21T14:01:00Z" },
	};

	(void)state;
	expect(pairs, N(pairs));
}

static void local_times_follow_the_clock_when_it_is_set(void **state)
{
	static const struct pair pairs[] = {
		{ "store:s@2026-03-29", "store:s/cpu@2026-03-28T23:00:00Z..2026-03-29T22:00:00Z" }, /* 23 hours */
		{ "store:s@2026-10-25", "store:s/cpu@2026-10-24T22:00:00Z..2026-10-25T23:00:00Z" }, /* 25 hours */
		{ "store:s@2026-07-01T14:30", "store:s/cpu@2026-07-01T12:30:00Z..2026-07-01T12:31:00Z" },
		{ "store:s@2026-10-25T02:30",
		  "store:s/cpu@2026-10-25T00:30:00Z..2026-10-25T00:31:00Z" }, /* the first */
		{ "store:s@2026-10-25T03:00", "store:s/cpu@2026-10-25T02:00:00Z..2026-10-25T02:01:00Z" },
		{ "store:s@2026-03-29T03:00", "store:s/cpu@2026-03-29T01:00:00Z..2026-03-29T01:01:00Z" },
		{ "store:s@2026-03-29T02:30",
		  "store:s@2026-03-29T02:30: 02:30 does not exist on 2026-03-29, when the clock "
		  "is set forward; write the time with a zone" },
		{ "store:s@1970-01-01", "store:s@1970-01-01: 1970-01-01 begins before 1970 in UTC" },
		{ "store:s@1970-01-02", "store:s/cpu@1970-01-01T23:00:00Z..1970-01-02T23:00:00Z" },
	};
	static const struct pair midnight[] = {
		{ "store:s@2026-03-29", "store:s/cpu@2026-03-28T23:00:00Z..2026-03-29T22:00:00Z" },
		{ "store:s@2026-03-28", "store:s/cpu@2026-03-27T23:00:00Z..2026-03-28T23:00:00Z" },
	};

	(void)state;
	expect(pairs, N(pairs));
	setenv("TZ", "CET-1CEST,M3.5.0/0,M10.5.0/3", 1); /* the day begins at 01:00 */
	expect(midnight, N(midnight));
	setenv("TZ", BERLIN, 1);
}

static void errors_have_a_position_and_a_remedy(void **state)
{
#define TIMES "write a time such as 2026-11-22T14:00Z, 14:23, yesterday, now or deploy, or a duration such as -1h"
#define ORDER "; the order is store:SERVICE/KIND{KEY=VALUE}@WINDOW+OPTION"
#define BRACES                                                                                                         \
	"; matches are written {KEY=VALUE}, and the source must be in single quotes, since the shell expands "         \
	"{a=b,c=d} into two words"
	static const struct pair pairs[] = {
		{ "store:", "store:: character 7: the service is missing; write store:SERVICE" },
		{ "store:dir#", "store:dir#: character 11: the service is missing; write store:SERVICE" },
		{ "store:#shop", "store:#shop: character 7: the place of the store before # is empty" },
		{ "store:\"d\"x#s", "store:\"d\"x#s: character 10: # must follow the place of the store" },
		{ "store:a/", "store:a/: character 9: the kind is missing; write store:SERVICE" },
		{ "store:a/b/c",
		  "store:a/b/c: character 10: a second /; put a service that contains / in double quotes" },
		{ "store:\"a", "store:\"a: character 7: the double quote of the service is not closed" },
		{ "store:a\"b",
		  "store:a\"b: character 8: a double quote inside the service; put all of it in double quotes" },
		{ "store:a\tb", "store:a\tb: character 8: a control character" },
		{ "store:shopversion=1@-1h", "store:shopversion=1@-1h: character 18: = in the service" BRACES },
		{ "store:shop/heapa=b", "store:shop/heapa=b: character 17: = in the kind" BRACES },
		{ "store:a{b}",
		  "store:a{b}: character 10: an operator is missing; write KEY=VALUE, KEY!=VALUE, KEY=~REGEX or "
		  "KEY!~REGEX" },
		{ "store:a{=b}", "store:a{=b}: character 9: a label is missing; write KEY=VALUE" },
		{ "store:a{b=c,}", "store:a{b=c,}: character 13: a label is missing; write KEY=VALUE" },
		{ "store:a{b=c", "store:a{b=c: character 8: { is not closed" },
		{ "store:a{b=\"c\"d}", "store:a{b=\"c\"d}: character 14: a comma or } must follow the value" },
		{ "store:a{b=~(}", "store:a{b=~(}: character 12: error parsing regexp: missing closing ): `(`" },
		{ "store:a{b=c}x", "store:a{b=c}x: character 13: unexpected 'x'" ORDER },
		{ "store:\xc3\xa4{b}",
		  "store:\xc3\xa4{b}: character 10: an operator is missing; write KEY=VALUE, KEY!=VALUE, "
		  "KEY=~REGEX or KEY!~REGEX" },
		{ "store:a@", "store:a@: character 9: a window must follow @; " TIMES },
		{ "store:a@+limit=1", "store:a@+limit=1: character 9: a window must follow @; " TIMES },
		{ "store:a@x", "store:a@x: character 9: not a time; " TIMES },
		{ "store:a@now", "store:a@now: character 9: now is a moment; write -1h or now~10m" },
		{ "store:a@-1x", "store:a@-1x: character 10: not a duration; write 30s, 10m, 1h or 7d" },
		{ "store:a@-", "store:a@-: character 10: not a duration; write 30s, 10m, 1h or 7d" },
		{ "store:a@-0s", "store:a@-0s: character 9: the window is empty" },
		{ "store:a@-999999d", "store:a@-999999d: character 10: not a duration; write 30s, 10m, 1h or 7d" },
		{ "store:a@2026-13-01", "store:a@2026-13-01: character 9: not a date; write YYYY-MM-DD" },
		{ "store:a@2026-02-29", "store:a@2026-02-29: character 17: not a day of this month; write YYYY-MM-DD" },
		{ "store:a@1969-01-01", "store:a@1969-01-01: character 9: not a year from 1970 to 2161" },
		{ "store:a@9795359845", "store:a@9795359845: character 9: not a time before 2162" },
		{ "store:a@yesterday 24",
		  "store:a@yesterday 24: character 19: not an hour; write two digits from 00 to 23" },
		{ "store:a@2026-11-22T24",
		  "store:a@2026-11-22T24: character 20: not an hour; write two digits from 00 to 23" },
		{ "store:a@14:60", "store:a@14:60: character 12: not a minute; write two digits from 00 to 59" },
		{ "store:a@14:00:99", "store:a@14:00:99: character 15: not a second; write two digits from 00 to 59" },
		{ "store:a@14:00..", "store:a@14:00..: character 16: not a time; " TIMES },
		{ "store:a@14:00x", "store:a@14:00x: character 14: unexpected 'x'; " TIMES },
		{ "store:a@14:00~", "store:a@14:00~: character 15: not a duration; write 30s, 10m, 1h or 7d" },
		{ "store:a@15:00..14:00",
		  "store:a@15:00..14:00: the window 2026-11-22 14:00..13:00 UTC ends before it begins" },
		{ "store:a@-1h..-1h", "store:a@-1h..-1h: the window 2026-11-22 14:04:06..14:04:06 UTC is empty" },
		{ "store:a@pin:", "store:a@pin:: character 13: the name after pin: is missing" },
		{ "store:a@pin:x,", "store:a@pin:x,: character 15: not a time; " TIMES },
		{ "store:a@deploy:", "store:a@deploy:: character 16: the version after deploy: is missing" },
		{ "store:a@deploy", "store:a@deploy: a has no deploy mark; cpa store mark deploy adds one" },
		{ "store:shop@deploy:3+1h",
		  "store:shop@deploy:3+1h: shop has no deploy mark of 3; cpa store mark deploy adds one" },
		{ "store:a+x=1",
		  "store:a+x=1: character 9: no option x; there are reduce, keep, step, runs, tier, id, limit and "
		  "partial" },
		{ "store:a+",
		  "store:a+: character 9: no option ; there are reduce, keep, step, runs, tier, id, limit and "
		  "partial" },
		{ "store:a+limit", "store:a+limit: character 14: limit needs a value; write +limit=VALUE" },
		{ "store:a+partial=1", "store:a+partial=1: character 16: partial has no value" },
		{ "store:a+limit=1+limit=2", "store:a+limit=1+limit=2: character 17: limit is given twice" },
		{ "store:a+limit=0", "store:a+limit=0: character 15: limit=0: not a number from 1 to 1000000000" },
		{ "store:a+runs=x", "store:a+runs=x: character 14: runs=x: not a number from 1 to 1000" },
		{ "store:a+reduce=avg",
		  "store:a+reduce=avg: character 16: reduce=avg: write sum, mean, last, first, max or "
		  "increase" },
		{ "store:a+keep=a,", "store:a+keep=a,: character 14: keep: a label is missing; write keep=LABEL,..." },
		{ "store:a+step=0s", "store:a+step=0s: character 14: step=0s: not a duration such as 10m or 1h" },
		{ "store:a+tier=2h", "store:a+tier=2h: character 14: tier=2h: write raw, 10m, 1h or 1d" },
		{ "store:a+id=12",
		  "store:a+id=12: character 12: id=12: not 32 hexadecimal digits; cpa store ls --profiles "
		  "prints ids" },
	};

	(void)state;
	expect(pairs, N(pairs));
}

static void a_canonical_source_is_its_own_canonical_form(void **state)
{
	static const char *const texts[] = { "store:d#\"a b\"/heap{x=~\"a|b,c\",y!=\"\\\"\"}@-1h+keep=a,b+limit=1",
					     "store:shop@deploy:2.4.0", "store:s@pin:\"a,b\",2026-11-22",
					     "store:s@2026-11-22T14:00:00.125Z+1h" };

	(void)state;
	for (size_t i = 0; i < N(texts); i++) {
		struct buf once = { 0 }, twice = { 0 };

		canonical(texts[i], &once);
		canonical(buf_text(&once), &twice);
		assert_string_equal(buf_text(&once), buf_text(&twice));
		buf_release(&once);
		buf_release(&twice);
	}
}

static void expressions_must_match_the_whole_value(void **state)
{
	struct window *w;
	struct store_query q;
	struct err err;
	bool matches = true;

	(void)state;
	assert_int_equal(window_parse("store:s{a=~b|cd}", &w, &err), 0);
	assert_int_equal(window_resolve(w, &at_four, &q, &err), 0);
	assert_int_equal(q.n_match, 1);
	assert_int_equal(regex_match(q.match[0].regex, "cd", 2, &matches, &err), 0);
	assert_true(matches);
	assert_int_equal(regex_match(q.match[0].regex, "bx", 2, &matches, &err), 0);
	assert_false(matches);
	assert_int_equal(regex_match(q.match[0].regex, "xcd", 3, &matches, &err), 0);
	assert_false(matches);
	window_free(w);
}

static void spans_are_printed_with_the_date_once(void **state)
{
	static const struct {
		int64_t t0, t1;
		const char *expected;
	} spans[] = {
		{ 1795356000, 1795359600, "2026-11-22 14:00..15:00 UTC" },
		{ 1795356001, 1795359600, "2026-11-22 14:00:01..15:00:00 UTC" },
		{ 1795356000, 1795446000, "2026-11-22 14:00..2026-11-23 15:00 UTC" },
	};

	(void)state;
	for (size_t i = 0; i < N(spans); i++) {
		struct buf out = { 0 };

		time_add_span(&out, spans[i].t0 * 1000000000, spans[i].t1 * 1000000000);
		assert_string_equal(buf_text(&out), spans[i].expected);
		buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_after_the_colon_mean_a_host),
		cmocka_unit_test(selectors_are_printed_in_one_form),
		cmocka_unit_test(windows_have_all_forms),
		cmocka_unit_test(local_times_follow_the_clock_when_it_is_set),
		cmocka_unit_test(errors_have_a_position_and_a_remedy),
		cmocka_unit_test(a_canonical_source_is_its_own_canonical_form),
		cmocka_unit_test(expressions_must_match_the_whole_value),
		cmocka_unit_test(spans_are_printed_with_the_date_once),
	};

	setenv("TZ", BERLIN, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
