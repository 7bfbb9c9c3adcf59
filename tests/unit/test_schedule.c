/*
 * test_schedule.c - slots of targets, and the table of failures, with a clock of the test
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "scrape/schedule.h"

#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define SLEW INT64_C(5000000)                /* of the clock, in ns per second */
#define START (INT64_C(1790000000) * SECOND) /* a multiple of 10 s */

enum { CPU, HEAP, MUTEX };

static const struct scrape_kind kinds[] = {
	[CPU] = { "cpu", "profile", 10 * MINUTE, 30 * SECOND },
	[HEAP] = { "heap", "heap", 10 * MINUTE, 0 },
	[MUTEX] = { "mutex", "mutex", 10 * MINUTE, 0 },
};

/* The next request; fails if it is not of this kind. */
static int64_t next(struct scrape_schedule *s, int64_t now, size_t kind)
{
	size_t got = 99;
	int64_t at = scrape_schedule_next(s, now, &got);

	assert_int_equal(got, kind);
	return at;
}

/* One request of the kind that is due next. Returns the time at which it began. */
static int64_t request(struct scrape_schedule *s, int64_t *now, size_t kind, enum scrape_result result,
		       int64_t retry_after, uint64_t bytes)
{
	int64_t at = next(s, *now, kind);

	*now = at > *now ? at : *now;
	scrape_schedule_begin(s, kind, *now);
	scrape_schedule_end(s, *now + s->kind[kind].capture_ns, result, retry_after, bytes);
	return at;
}

static void slots_are_aligned_to_the_clock_and_survive_restarts(void **state)
{
	struct scrape_schedule a, b;
	int64_t at, now = START;

	(void)state;
	scrape_schedule_init(&a, "shop h:6060", kinds, 1, START, false);
	scrape_schedule_init(&b, "shop h:6060", kinds, 1, START + 5 * HOUR + 17, false);
	at = next(&a, now, CPU);
	assert_true(at >= START && at < START + 10 * MINUTE);
	/* a capture does not cross the end of its interval */
	assert_true(at % (10 * MINUTE) <= 10 * MINUTE - 30 * SECOND);
	assert_int_equal(at % (10 * MINUTE), next(&b, START + 5 * HOUR + 17, CPU) % (10 * MINUTE));
	for (int i = 0; i < 100; i++)
		assert_int_equal(request(&a, &now, CPU, SCRAPE_OK, 0, 0), at + i * 10 * MINUTE);
	scrape_schedule_release(&a);
	scrape_schedule_release(&b);
}

static void targets_are_spread_evenly(void **state)
{
	int count[10] = { 0 };

	(void)state;
	for (int i = 0; i < 10000; i++) {
		struct scrape_schedule s;
		char key[64];

		snprintf(key, sizeof(key), "shop http://10.0.%d.%d:1", i / 256, i % 256);
		scrape_schedule_init(&s, key, kinds, 1, 0, false);
		assert_true(s.state[0].offset_ns < 570 * SECOND);
		count[s.state[0].offset_ns / (57 * SECOND)]++;
		scrape_schedule_release(&s);
	}
	for (int i = 0; i < 10; i++) /* 1000 expected, standard deviation 30 */
		assert_in_range(count[i], 850, 1150);
}

static void snapshots_follow_the_capture_one_after_the_other(void **state)
{
	struct scrape_schedule s;
	int64_t at;
	size_t kind;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds, 3, START, false);
	at = next(&s, START, CPU);
	assert_int_equal(scrape_schedule_begin(&s, CPU, at + 5), 5);
	assert_true(scrape_schedule_next(&s, at + 10 * SECOND, &kind) == INT64_MAX);
	scrape_schedule_end(&s, at + 30 * SECOND + 7, SCRAPE_OK, 0, 0);
	assert_int_equal(next(&s, at + 30 * SECOND + 7, HEAP), at + 30 * SECOND);
	scrape_schedule_begin(&s, HEAP, at + 30 * SECOND + 7);
	scrape_schedule_end(&s, at + 30 * SECOND + 8, SCRAPE_OK, 0, 0);
	assert_int_equal(next(&s, at + 30 * SECOND + 8, MUTEX), at + 30 * SECOND);
	scrape_schedule_begin(&s, MUTEX, at + 30 * SECOND + 8);
	scrape_schedule_end(&s, at + 30 * SECOND + 9, SCRAPE_OK, 0, 0);
	assert_int_equal(next(&s, at + 30 * SECOND + 9, CPU), at + 10 * MINUTE);
	assert_int_equal(s.state[CPU].n_missed + s.state[HEAP].n_missed + s.state[MUTEX].n_missed, 0);
	scrape_schedule_release(&s);
}

static void kinds_with_a_longer_interval_follow_a_capture_too(void **state)
{
	static const struct scrape_kind mixed[] = { { "cpu", "profile", MINUTE, 30 * SECOND },
						    { "heap", "heap", 10 * MINUTE, 0 },
						    { "mutex", "mutex", 10 * MINUTE, 0 } };
	struct scrape_schedule s;

	(void)state;
	for (int i = 0; i < 100; i++) {
		char key[32];

		snprintf(key, sizeof(key), "shop h:%d", i);
		scrape_schedule_init(&s, key, mixed, 3, START, false);
		assert_int_equal(s.state[1].offset_ns % MINUTE, (s.state[0].offset_ns + 30 * SECOND) % MINUTE);
		assert_int_equal(s.state[1].offset_ns, s.state[2].offset_ns);
		scrape_schedule_release(&s);
	}
}

/* Simulate a target for some hours: each request takes a little longer than its capture. Returns all missed slots. */
static uint64_t simulate(const struct scrape_kind *k, size_t n, int hours, uint64_t *n_ok)
{
	struct scrape_schedule s;
	int64_t now = START;
	uint64_t missed = 0;

	*n_ok = 0;
	scrape_schedule_init(&s, "shop h:6060", k, n, now, false);
	while (now < START + hours * HOUR) {
		size_t kind = 0;
		int64_t at = scrape_schedule_next(&s, now, &kind);

		now = at > now ? at : now;
		scrape_schedule_begin(&s, kind, now);
		now += k[kind].capture_ns + 10000000;
		scrape_schedule_end(&s, now, SCRAPE_OK, 0, 1000);
	}
	for (size_t i = 0; i < n; i++) {
		missed += s.state[i].n_missed;
		*n_ok += s.state[i].n_ok;
	}
	scrape_schedule_release(&s);
	return missed;
}

static void a_day_misses_no_slot(void **state)
{
	static const struct scrape_kind mixed[] = { { "cpu", "profile", MINUTE, 30 * SECOND },
						    { "heap", "heap", 10 * MINUTE, 0 },
						    { "mutex", "mutex", 30 * SECOND, 0 } };
	static const struct scrape_kind continuous[] = { { "cpu", "profile", 30 * SECOND, 30 * SECOND },
							 { "heap", "heap", 30 * SECOND, 0 } };
	uint64_t n, missed;

	(void)state;
	assert_int_equal(simulate(kinds, 3, 24, &n), 0);
	assert_in_range(n, 3 * 144 - 3, 3 * 144 + 3);
	simulate(mixed, 3, 24, &n); /* every second slot of mutex is due during a capture */
	assert_true(n > 1440 + 144 + 1440 - 10);
	/* without gaps, the time of the requests themselves adds up: a slot of 300 is lost */
	missed = simulate(continuous, 2, 24, &n);
	assert_true(missed < 2880 / 100);
	assert_true(n > 2 * 2880 - 2 * 2880 / 100);
}

static void late_slots_are_missed_and_counted(void **state)
{
	struct scrape_schedule s;
	int64_t at;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds, 1, START, false);
	at = next(&s, START, CPU);
	assert_int_equal(next(&s, at + 30 * SECOND, CPU), at);
	assert_int_equal(s.state[CPU].n_missed, 0);
	assert_int_equal(next(&s, at + 30 * SECOND + 1, CPU), at + 10 * MINUTE);
	assert_int_equal(s.state[CPU].n_missed, 1);
	/* two slots later, the newest is not too late */
	assert_int_equal(next(&s, at + 20 * MINUTE + SECOND, CPU), at + 20 * MINUTE);
	assert_int_equal(s.state[CPU].n_missed, 2);
	scrape_schedule_release(&s);
}

static void after_a_suspend_every_target_waits_for_its_next_slot(void **state)
{
	struct scrape_schedule s;
	int64_t at;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds, 1, START, false);
	at = next(&s, START, CPU);
	assert_int_equal(next(&s, at + 5 * 10 * MINUTE + SECOND, CPU), at + 6 * 10 * MINUTE);
	assert_int_equal(s.state[CPU].n_missed, 6);
	scrape_schedule_release(&s);
}

static void clock_steps_move_waits_and_restart_slots_if_they_are_large(void **state)
{
	static const int64_t steps[] = { HOUR, -HOUR, 24 * HOUR, -24 * HOUR };
	struct scrape_schedule s;
	int64_t at;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		int64_t now = START, offset;

		scrape_schedule_init(&s, "shop h:6060", kinds, 1, START, false);
		request(&s, &now, CPU, SCRAPE_OK, 0, 0);
		offset = s.state[CPU].offset_ns;
		now += steps[i];
		scrape_schedule_step(&s, now, steps[i]);
		at = next(&s, now, CPU);
		assert_true(at > now && at <= now + 10 * MINUTE);
		assert_int_equal((at - offset) % (10 * MINUTE), 0);
		assert_int_equal(s.state[CPU].n_missed, 0);
		scrape_schedule_release(&s);
	}
	/* after a small step back the slot is not repeated */
	scrape_schedule_init(&s, "shop h:6060", kinds, 1, START, false);
	at = START;
	at = request(&s, &at, CPU, SCRAPE_OK, 0, 0);
	scrape_schedule_step(&s, at - 5 * MINUTE, -5 * MINUTE);
	assert_int_equal(next(&s, at - 5 * MINUTE, CPU), at + 10 * MINUTE);
	scrape_schedule_release(&s);
	/* the hour after a 404 stays an hour */
	scrape_schedule_init(&s, "shop h:6060", kinds, 1, START, false);
	at = START;
	at = request(&s, &at, CPU, SCRAPE_MISSING, 0, 0);
	scrape_schedule_step(&s, at - 24 * HOUR, -24 * HOUR);
	assert_true(next(&s, at - 24 * HOUR, CPU) >= at - 23 * HOUR);
	assert_true(next(&s, at - 24 * HOUR, CPU) <= at - 23 * HOUR + 11 * MINUTE);
	scrape_schedule_release(&s);
}

static void steps_of_the_clock_are_found(void **state)
{
	struct scrape_clock c = { 0 };

	(void)state;
	assert_int_equal(scrape_clock_check(&c, START, 500), 0);
	assert_int_equal(scrape_clock_check(&c, START + 10 * SECOND, 10 * SECOND), 0);
	for (int i = 0; i < 1000; i++) /* slewing by 5 ms per second is no step */
		assert_int_equal(scrape_clock_check(&c, START + (10 + i) * SECOND + i * SLEW, (10 + i) * SECOND), 0);
	assert_int_equal(scrape_clock_check(&c, START - HOUR + 1010 * SECOND + 999 * SLEW, 1010 * SECOND), -HOUR);
	assert_int_equal(scrape_clock_check(&c, START - HOUR + 1011 * SECOND + 999 * SLEW, 1011 * SECOND), 0);
}

/* --- the table of failures --- */

static void unreachable_targets_are_tried_in_ever_longer_intervals(void **state)
{
	static const int distance[] = { 1, 1, 2, 4, 8, 8, 8 }; /* in slots, after failure 1, 2, ... */
	static const struct scrape_kind each_minute = { "cpu", "profile", MINUTE, 10 * SECOND };
	struct scrape_schedule s;
	int64_t now = START, at, last;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", &each_minute, 1, START, false);
	last = request(&s, &now, 0, SCRAPE_UNREACHABLE, 0, 0);
	for (size_t i = 0; i < sizeof(distance) / sizeof(distance[0]); i++) {
		at = request(&s, &now, 0, SCRAPE_UNREACHABLE, 0, 0);
		assert_int_equal(at - last, distance[i] * MINUTE);
		last = at;
	}
	at = request(&s, &now, 0, SCRAPE_OK, 0, 0);
	assert_int_equal(at - last, 8 * MINUTE);
	assert_int_equal(request(&s, &now, 0, SCRAPE_UNREACHABLE, 0, 0) - at, MINUTE);
	assert_int_equal(request(&s, &now, 0, SCRAPE_OK, 0, 0) - at, 2 * MINUTE);
	assert_int_equal(s.state[0].n_missed, 0);
	scrape_schedule_release(&s);
}

static void the_interval_grows_to_at_most_an_hour(void **state)
{
	static const struct scrape_kind rare = { "heap", "heap", 3 * HOUR, 0 };
	struct scrape_schedule s;
	int64_t now = START, last = 0, at = 0;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds, 1, START, false);
	for (int i = 0; i < 12; i++) {
		last = at;
		at = request(&s, &now, CPU, SCRAPE_UNREACHABLE, 0, 0);
	}
	assert_int_equal(at - last, HOUR);
	scrape_schedule_release(&s);

	now = START;
	scrape_schedule_init(&s, "shop h:6060", &rare, 1, START, false);
	for (int i = 0; i < 6; i++) {
		last = at;
		at = request(&s, &now, 0, SCRAPE_UNREACHABLE, 0, 0);
	}
	assert_int_equal(at - last, 3 * HOUR);
	scrape_schedule_release(&s);
}

static void a_busy_profiler_is_tried_once_more_in_the_same_slot(void **state)
{
	struct scrape_schedule s;
	int64_t now = START, slot, retry;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds, 1, START, false);
	slot = next(&s, now, CPU);
	scrape_schedule_begin(&s, CPU, slot);
	scrape_schedule_end(&s, slot + SECOND, SCRAPE_BUSY, 0, 0);
	retry = next(&s, slot + SECOND, CPU);
	assert_true(retry >= slot + 31 * SECOND && retry <= slot + 47 * SECOND);
	scrape_schedule_begin(&s, CPU, retry);
	scrape_schedule_end(&s, retry + SECOND, SCRAPE_BUSY, 0, 0);
	assert_int_equal(next(&s, retry + SECOND, CPU), slot + 10 * MINUTE);
	/* a busy profiler is not a failure of the target */
	now = slot + 10 * MINUTE;
	scrape_schedule_begin(&s, CPU, now);
	scrape_schedule_end(&s, now + SECOND, SCRAPE_BUSY, 0, 0);
	assert_true(next(&s, now + SECOND, CPU) < now + MINUTE);
	assert_int_equal(s.state[CPU].n_failures, 0);
	scrape_schedule_release(&s);
}

static void a_retry_does_not_take_the_time_of_the_next_slot(void **state)
{
	static const struct scrape_kind continuous = { "cpu", "profile", 30 * SECOND, 30 * SECOND };
	struct scrape_schedule s;
	int64_t slot;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", &continuous, 1, START, false);
	slot = next(&s, START, 0);
	scrape_schedule_begin(&s, 0, slot);
	scrape_schedule_end(&s, slot + SECOND, SCRAPE_BUSY, 0, 0);
	assert_int_equal(next(&s, slot + SECOND, 0), slot + 30 * SECOND);
	scrape_schedule_release(&s);
}

static void a_missing_kind_is_off_for_an_hour_and_the_others_continue(void **state)
{
	struct scrape_schedule s;
	int64_t now = START, slot;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds + 1, 2, START, false);
	slot = request(&s, &now, 0, SCRAPE_MISSING, 0, 0);
	for (int i = 0; i < 6; i++)
		assert_int_equal(request(&s, &now, 1, SCRAPE_OK, 0, 0), slot + i * 10 * MINUTE);
	assert_int_equal(request(&s, &now, 0, SCRAPE_OK, 0, 0), slot + HOUR);
	assert_int_equal(s.state[0].n_missed, 0);
	scrape_schedule_release(&s);
}

static void a_refused_target_is_asked_every_ten_minutes_at_most(void **state)
{
	static const struct scrape_kind often = { "heap", "heap", 30 * SECOND, 0 }, rare = { "heap", "heap", HOUR, 0 };
	struct scrape_schedule s;
	int64_t now = START, slot;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", &often, 1, START, false);
	slot = request(&s, &now, 0, SCRAPE_REFUSED, 0, 0);
	assert_int_equal(request(&s, &now, 0, SCRAPE_REFUSED, 0, 0), slot + 10 * MINUTE);
	assert_int_equal(request(&s, &now, 0, SCRAPE_OK, 0, 0), slot + 20 * MINUTE);
	assert_int_equal(request(&s, &now, 0, SCRAPE_OK, 0, 0), slot + 20 * MINUTE + 30 * SECOND);
	scrape_schedule_release(&s);
	now = START;
	scrape_schedule_init(&s, "shop h:6060", &rare, 1, START, false);
	slot = request(&s, &now, 0, SCRAPE_REFUSED, 0, 0);
	assert_int_equal(request(&s, &now, 0, SCRAPE_OK, 0, 0), slot + HOUR);
	scrape_schedule_release(&s);
}

static void retry_after_is_obeyed_for_at_most_an_hour(void **state)
{
	static const struct {
		int64_t after, until;
	} c[] = { { 0, 10 * MINUTE },
		  { 60 * SECOND, 10 * MINUTE },
		  { 25 * MINUTE, 30 * MINUTE },
		  { 100 * HOUR, 60 * MINUTE } };

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct scrape_schedule s;
		int64_t now = START, slot;

		scrape_schedule_init(&s, "shop h:6060", kinds + 1, 1, START, false);
		slot = request(&s, &now, 0, SCRAPE_THROTTLED, c[i].after, 0);
		assert_int_equal(request(&s, &now, 0, SCRAPE_OK, 0, 0) - slot, c[i].until);
		scrape_schedule_release(&s);
	}
}

static void dropped_and_cancelled_responses_do_not_change_the_schedule(void **state)
{
	struct scrape_schedule s;
	int64_t now = START, slot;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds, 1, START, false);
	slot = request(&s, &now, CPU, SCRAPE_UNREACHABLE, 0, 0);
	for (int i = 1; i < 10; i++)
		assert_int_equal(request(&s, &now, CPU, SCRAPE_DROPPED, 0, 0), slot + i * 10 * MINUTE);
	assert_int_equal(request(&s, &now, CPU, SCRAPE_CANCELLED, 0, 0), slot + 100 * MINUTE);
	assert_int_equal(request(&s, &now, CPU, SCRAPE_OK, 0, 0), slot + 110 * MINUTE);
	scrape_schedule_release(&s);
}

static void too_many_bytes_a_day_halve_the_rate(void **state)
{
	struct scrape_schedule s;
	int64_t now = START - START % (24 * HOUR) + HOUR, slot;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds, 1, now, false);
	slot = request(&s, &now, CPU, SCRAPE_OK, 0, SCRAPE_DAY_BYTES_MAX);
	assert_int_equal(request(&s, &now, CPU, SCRAPE_OK, 0, 1), slot + 10 * MINUTE);
	assert_int_equal(request(&s, &now, CPU, SCRAPE_OK, 0, 1), slot + 30 * MINUTE);
	assert_int_equal(request(&s, &now, CPU, SCRAPE_OK, 0, 1), slot + 50 * MINUTE);
	now += 24 * HOUR; /* a new day */
	scrape_schedule_next(&s, now, &(size_t){ 0 });
	slot = request(&s, &now, CPU, SCRAPE_OK, 0, 1);
	assert_int_equal(request(&s, &now, CPU, SCRAPE_OK, 0, 1), slot + 10 * MINUTE);
	scrape_schedule_release(&s);
}

static void statuses_have_the_results_of_the_table(void **state)
{
	(void)state;
	assert_int_equal(scrape_result_of_status(200, false, false), SCRAPE_OK);
	assert_int_equal(scrape_result_of_status(0, false, false), SCRAPE_UNREACHABLE);
	assert_int_equal(scrape_result_of_status(500, false, false), SCRAPE_UNREACHABLE);
	assert_int_equal(scrape_result_of_status(500, true, false), SCRAPE_BUSY);
	assert_int_equal(scrape_result_of_status(503, false, false), SCRAPE_UNREACHABLE);
	assert_int_equal(scrape_result_of_status(503, false, true), SCRAPE_THROTTLED);
	assert_int_equal(scrape_result_of_status(429, false, false), SCRAPE_THROTTLED);
	assert_int_equal(scrape_result_of_status(404, false, false), SCRAPE_MISSING);
	assert_int_equal(scrape_result_of_status(401, false, false), SCRAPE_REFUSED);
	assert_int_equal(scrape_result_of_status(403, false, false), SCRAPE_REFUSED);
	assert_int_equal(scrape_result_of_status(302, false, false), SCRAPE_DROPPED);
	assert_int_equal(scrape_result_of_status(400, false, false), SCRAPE_DROPPED);
	for (int i = 0; i < N_SCRAPE_RESULTS; i++)
		assert_non_null(scrape_result_name((enum scrape_result)i));
}

/* --- reload, start, rate --- */

static void a_reload_keeps_the_state_of_kinds_that_remain(void **state)
{
	static const struct scrape_kind other[] = { { "cpu", "profile", 10 * MINUTE, 30 * SECOND },
						    { "block", "block", 10 * MINUTE, 0 },
						    { "mutex", "mutex", 5 * MINUTE, 0 } };
	struct scrape_schedule s;
	int64_t now = START, slot;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds, 3, START, false);
	slot = request(&s, &now, CPU, SCRAPE_OK, 0, 0);
	now = slot + 30 * SECOND;
	assert_int_equal(next(&s, now, HEAP), now);
	scrape_schedule_begin(&s, HEAP, now);
	scrape_schedule_change(&s, other, 3, now); /* heap is removed while its request is running */
	scrape_schedule_end(&s, now + 1, SCRAPE_OK, 0, 5);
	assert_int_equal(s.state[0].n_ok, 1);
	assert_int_equal(s.state[0].slot_ns, slot + 10 * MINUTE);
	assert_int_equal(s.state[1].n_ok, 0);
	assert_int_equal(s.n_bytes, 5);
	assert_true(s.state[2].slot_ns >= now && s.state[2].slot_ns < now + 5 * MINUTE);
	scrape_schedule_release(&s);
}

static void a_start_at_once_scrapes_every_kind_and_then_follows_the_slots(void **state)
{
	struct scrape_schedule s, usual;
	int64_t now = START, at;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds, 3, START, true);
	scrape_schedule_init(&usual, "shop h:6060", kinds, 3, START, false);
	assert_int_equal(request(&s, &now, CPU, SCRAPE_OK, 0, 0), START);
	now += 30 * SECOND + 1000000;
	assert_int_equal(request(&s, &now, HEAP, SCRAPE_OK, 0, 0), START + 30 * SECOND);
	assert_int_equal(request(&s, &now, MUTEX, SCRAPE_OK, 0, 0), START + 30 * SECOND);
	at = next(&s, now, CPU);
	assert_int_equal(at, usual.state[CPU].slot_ns);
	scrape_schedule_release(&s);
	scrape_schedule_release(&usual);
}

static void a_target_without_kinds_has_nothing_to_do(void **state)
{
	struct scrape_schedule s;
	size_t kind;

	(void)state;
	scrape_schedule_init(&s, "shop h:6060", kinds, 0, START, false);
	assert_true(scrape_schedule_next(&s, START, &kind) == INT64_MAX);
	scrape_schedule_release(&s);
}

static void starts_are_limited_to_twice_their_average(void **state)
{
	struct scrape_rate r = { 0 };
	int64_t wait = 0, now = 1;
	int n = 0, burst = 0;

	(void)state;
	scrape_rate_set(&r, 100);
	while (scrape_rate_take(&r, now, &wait))
		burst++;
	assert_int_equal(burst, 50);
	for (; now < 10 * SECOND; now += wait) {
		while (scrape_rate_take(&r, now, &wait))
			n++;
		assert_true(wait > 0);
	}
	assert_in_range(n, 1990, 2010);
	scrape_rate_set(&r, 0.01); /* a few targets wait only if they are many at once */
	assert_int_equal((int)r.per_second, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_aligned_to_the_clock_and_survive_restarts),
		cmocka_unit_test(targets_are_spread_evenly),
		cmocka_unit_test(snapshots_follow_the_capture_one_after_the_other),
		cmocka_unit_test(kinds_with_a_longer_interval_follow_a_capture_too),
		cmocka_unit_test(a_day_misses_no_slot),
		cmocka_unit_test(late_slots_are_missed_and_counted),
		cmocka_unit_test(after_a_suspend_every_target_waits_for_its_next_slot),
		cmocka_unit_test(clock_steps_move_waits_and_restart_slots_if_they_are_large),
		cmocka_unit_test(steps_of_the_clock_are_found),
		cmocka_unit_test(unreachable_targets_are_tried_in_ever_longer_intervals),
		cmocka_unit_test(the_interval_grows_to_at_most_an_hour),
		cmocka_unit_test(a_busy_profiler_is_tried_once_more_in_the_same_slot),
		cmocka_unit_test(a_retry_does_not_take_the_time_of_the_next_slot),
		cmocka_unit_test(a_missing_kind_is_off_for_an_hour_and_the_others_continue),
		cmocka_unit_test(a_refused_target_is_asked_every_ten_minutes_at_most),
		cmocka_unit_test(retry_after_is_obeyed_for_at_most_an_hour),
		cmocka_unit_test(dropped_and_cancelled_responses_do_not_change_the_schedule),
		cmocka_unit_test(too_many_bytes_a_day_halve_the_rate),
		cmocka_unit_test(statuses_have_the_results_of_the_table),
		cmocka_unit_test(a_reload_keeps_the_state_of_kinds_that_remain),
		cmocka_unit_test(a_start_at_once_scrapes_every_kind_and_then_follows_the_slots),
		cmocka_unit_test(a_target_without_kinds_has_nothing_to_do),
		cmocka_unit_test(starts_are_limited_to_twice_their_average),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
