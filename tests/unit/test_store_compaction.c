/*
 * test_store_compaction.c - merging segments, retention and the cap of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/compaction.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include "make_live_store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static void check_same(struct live_store *m, const char *service, const struct buf *want)
{
	struct store_query q = live_store_query(service);
	struct buf now = live_store_sum(m, &q), report = { 0 };

	assert_string_equal(buf_text(&now), buf_text(want));
	if (live_store_verify(m->dir, &report, &m->err))
		fail_msg("%s%s", buf_text(&report), m->err.msg);
	buf_release(&now);
	buf_release(&report);
}

/* A profile of three instances each ten minutes, flushed each hour; the clock is moved. */
static void collect(struct live_store *m, int hours)
{
	for (int i = 0; i < hours * 6; i++) {
		for (int k = 0; k < 3; k++)
			live_store_append(m, k == 2 ? "mail" : "shop", k, store_time, 8);
		store_time += STORE_HOUR / 6;
		if (i % 6 == 5)
			live_store_flush(m);
	}
}

static void buckets_are_hours_days_and_weeks_from_monday(void **state)
{
	(void)state;
	assert_int_equal(compaction_bucket(1, STORE_MONDAY + 5), STORE_MONDAY);
	assert_int_equal(compaction_bucket(2, STORE_MONDAY + STORE_DAY - 1), STORE_MONDAY);
	assert_int_equal(compaction_bucket(3, STORE_MONDAY + 7 * STORE_DAY - 1), STORE_MONDAY);
	assert_int_equal(compaction_bucket(3, STORE_MONDAY - 1), STORE_MONDAY - 7 * STORE_DAY);
	assert_int_equal(compaction_bucket(1, -1), -STORE_HOUR);
	assert_int_equal(compaction_bucket(3, 0), -3 * STORE_DAY); /* 1970-01-01 was a Thursday */
	assert_int_equal(compaction_bucket(3, INT64_MIN), INT64_MIN);
}

static void the_sum_of_a_week_stays_the_same(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop");
	struct buf want = { 0 }, report = { 0 };

	collect(m, 24 * 7);
	want = live_store_sum(m, &q);
	assert_int_equal(live_store_count(m, ".cps"), 24 * 7);
	live_store_maintain(m, &report);
	check_same(m, "shop", &want);
	assert_int_equal(live_store_count(m, ".cps"), 1);
	assert_non_null(strstr(buf_text(&report), "merge 24 segments"));
	assert_non_null(strstr(buf_text(&report), "merge 7 segments"));
	buf_release(&report);
	live_store_maintain(m, &report); /* there is nothing to do */
	assert_int_equal(report.len, 0);
	live_store_close(m);
	live_store_open(m);
	check_same(m, "shop", &want);
	buf_release(&want);
}

/* Two segments have other minutes of the same series, and each one has a series of its own. */
static void segments_that_overlap_are_merged_by_start(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop"), part = q;
	struct buf want = { 0 }, want_part = { 0 }, now = { 0 };

	for (int half = 0; half < 2; half++) {
		for (int i = half; i < 300; i += 2)
			for (int k = 0; k < 3; k++)
				live_store_append(m, "shop", k == 2 ? 2 + half : k, STORE_MONDAY + i * STORE_SECOND, 8);
		live_store_flush(m);
	}
	store_time += 2 * STORE_DAY;
	part.t0 = STORE_MONDAY + 61 * STORE_SECOND;
	part.t1 = STORE_MONDAY + 122 * STORE_SECOND;
	want = live_store_sum(m, &q);
	want_part = live_store_sum(m, &part);
	assert_int_equal(live_store_count(m, ".cps"), 2);
	live_store_maintain(m, NULL);
	assert_int_equal(live_store_count(m, ".cps"), 1);
	check_same(m, "shop", &want);
	now = live_store_sum(m, &part);
	assert_string_equal(buf_text(&now), buf_text(&want_part));
	buf_release(&want);
	buf_release(&want_part);
	buf_release(&now);
}

static void a_small_late_segment_does_not_rewrite_a_large_one(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop");
	struct buf want = { 0 }, report = { 0 };

	for (int i = 0; i < 24; i++, store_time += STORE_HOUR) {
		live_store_append(m, "shop", 0, store_time, 5000);
		live_store_flush(m);
	}
	store_time += STORE_DAY;
	live_store_maintain(m, NULL);
	assert_int_equal(live_store_count(m, ".cps"), 1);
	for (int i = 0; i < 2; i++) {
		live_store_append(m, "shop", 7 + i, STORE_MONDAY + i * STORE_SECOND, 8);
		live_store_flush(m);
	}
	want = live_store_sum(m, &q);
	live_store_maintain(m, &report); /* the small ones are merged */
	if (!strstr(buf_text(&report), "merge 2 segments") || strstr(buf_text(&report), "merge 3 segments"))
		fail_msg("%s", buf_text(&report));
	assert_int_equal(live_store_count(m, ".cps"), 2);
	check_same(m, "shop", &want);
	buf_release(&want);
	buf_release(&report);
}

static void merges_step_by_step_as_time_passes(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop");

	for (int day = 0; day < 8; day++) {
		struct buf want, after;

		collect(m, 24);
		want = live_store_sum(m, &q);
		if (upkeep_run(m->w, false, false, NULL, NULL, &m->err))
			fail_msg("%s", m->err.msg);
		after = live_store_sum(m, &q);
		assert_string_equal(buf_text(&after), buf_text(&want));
		buf_release(&want);
		buf_release(&after);
	}
	assert_in_range(live_store_count(m, ".cps"), 2, 26);
}

static void a_dry_run_changes_nothing(void **state)
{
	struct live_store *m = *state;
	struct buf report = { 0 };

	collect(m, 48);
	assert_int_equal(upkeep_run(m->w, true, true, NULL, &report, &m->err), 0);
	assert_non_null(strstr(buf_text(&report), "merge 24 segments"));
	assert_int_equal(live_store_count(m, ".cps"), 48);
	buf_release(&report);
}

static void an_import_of_years_is_split_by_weeks(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop");
	struct buf want, report = { 0 };

	for (int i = 0; i < 30; i++)
		live_store_append(m, "shop", 1, STORE_MONDAY - i * 30 * STORE_DAY, 8);
	live_store_append(m, "shop", 1, 5, 8);
	live_store_flush(m);
	want = live_store_sum(m, &q);
	live_store_maintain(m, &report);
	check_same(m, "shop", &want);
	assert_int_equal(live_store_count(m, ".cps"), 31);
	assert_non_null(strstr(buf_text(&report), "by weeks"));
	buf_release(&want);
	buf_release(&report);
}

static void removes_data_older_than_the_retention(void **state)
{
	struct live_store *m = *state;
	struct buf report = { 0 };
	struct store_query q = live_store_query("shop");
	struct buf left;

	collect(m, 72);
	live_store_close(m);
	m->retain = STORE_DAY;
	live_store_open(m);
	live_store_maintain(m, &report);
	assert_non_null(strstr(buf_text(&report), "older than the retention"));
	left = live_store_sum(m, &q);
	assert_int_equal(atoi(buf_text(&left)), 24 * 12);
	check_same(m, "shop", &left);
	buf_release(&left);
	buf_release(&report);
}

static int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * STORE_SECOND + t.tv_nsec;
}

static void deletes_a_day_quickly(void **state)
{
	struct live_store *m = *state;
	int64_t start;

	collect(m, 48);
	live_store_close(m);
	m->retain = STORE_DAY;
	live_store_open(m);
	start = clock_ns();
	assert_int_equal(upkeep_run(m->w, false, false, NULL, NULL, &m->err), 0);
	print_message("CPU time of retention: %" PRId64 " us\n", (clock_ns() - start) / 1000);
}

static void a_profile_of_the_same_time_is_still_a_duplicate_after_merging(void **state)
{
	struct live_store *m = *state;

	collect(m, 24);
	live_store_maintain(m, NULL);
	assert_false(live_store_append(m, "shop", 1, STORE_MONDAY, 8));
	live_store_close(m);
	live_store_open(m);
	assert_false(live_store_append(m, "shop", 1, STORE_MONDAY, 8));
}

static void a_damaged_segment_is_set_aside_and_the_rest_is_kept(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("mail");
	struct buf want, report = { 0 };
	char command[256];

	collect(m, 24);
	want = live_store_sum(m, &q);
	snprintf(command, sizeof(command),
		 "f=$(find %s -name '*.cps' | sort | sed -n 3p); s=$(stat -c %%s $f); "
		 "printf 'x' | dd of=$f bs=1 conv=notrunc status=none seek=$((s * 3 / 4))",
		 m->dir);
	assert_int_equal(system(command), 0);
	live_store_maintain(m, &report);
	assert_non_null(strstr(buf_text(&report), "moved to bad/"));
	assert_int_equal(live_store_count(m, ".cps.txt"), 1);
	check_same(m, "mail", &want); /* mail comes before shop in the file */
	assert_int_equal(live_store_count(m, ".cps"), 3);
	buf_release(&want);
	buf_release(&report);
}

/* A thread that compares the bytes of the directory with the cap. */
struct watcher {
	const char *dir;
	uint64_t max;
	atomic_bool ends;
};

static void *watch(void *arg)
{
	struct watcher *w = arg;

	while (!w->ends) {
		uint64_t n = live_store_du(w->dir, "", NULL);

		w->max = n > w->max ? n : w->max;
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	}
	return NULL;
}

/* A profile of 100 KB that cannot be compressed: 2,000 rows with 8 values of 50 random bits. */
static void append_large(struct live_store *m, uint64_t seed)
{
	struct make made = make_start("a/count b/count c/count d/count e/count f/count g/count h/count");
	struct store_input in = { .service = "shop", .kind = "cpu", .start_ns = store_time };
	struct profile *p;
	bool duplicate;

	for (unsigned i = 0; i < 2000; i++) {
		int64_t value[8];
		char stack[100];

		for (int k = 0; k < 8; k++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			value[k] = (int64_t)(seed >> 14);
		}
		snprintf(stack, sizeof(stack), "f%u@a.c:1;main@m.c:1", i);
		make_row(&made, stack, value, NULL, 0);
	}
	p = make_end(&made);
	in.profile = p;
	if (writer_append(m->w, &in, NULL, &duplicate, &m->err))
		fail_msg("%s", m->err.msg);
	profile_free(p);
}

static void the_cap_holds_during_a_day(void **state)
{
	struct live_store *m = *state;
	struct watcher w = { .dir = m->dir };
	struct store_query q = live_store_query("shop");
	struct store_query first = live_store_query("shop");
	struct buf pinned, later, all;
	pthread_t thread;

	first.t1 = STORE_MONDAY + 1;
	append_large(m, 12345);
	live_store_flush(m);
	assert_int_equal(upkeep_pin(m->w, "first", &first, "shop@all", &m->err), 0);
	first.pin = "first";
	pinned = live_store_sum(m, &first);
	assert_int_equal(pthread_create(&thread, NULL, watch, &w), 0);
	for (unsigned i = 1; i < 24 * 30; i++) {
		store_time += STORE_HOUR / 30;
		append_large(m, i);
		if (writer_commit(m->w, &m->err))
			fail_msg("%s", m->err.msg);
		if (writer_flush_is_due(m->w))
			live_store_flush(m);
		if (i % 60 == 0) {
			struct buf sum;

			q.t0 = store_time - STORE_HOUR / 2;
			sum = live_store_sum(m, &q);
			assert_int_equal(atoi(buf_text(&sum)), 16);
			buf_release(&sum);
			if (upkeep_run(m->w, false, false, NULL, NULL, &m->err))
				fail_msg("%s", m->err.msg);
		}
	}
	w.ends = true;
	pthread_join(thread, NULL);
	print_message("at most %" PRIu64 " of %" PRIu64 " bytes\n", w.max, m->cap);
	assert_true(w.max <= m->cap);
	q.t0 = INT64_MIN / 2;
	all = live_store_sum(m, &q);
	assert_int_equal(atoi(buf_text(&all)),
			 720); /* they do not fit as they are: old ones have a coarser resolution */
	buf_release(&all);
	later = live_store_sum(m, &first);
	assert_string_equal(buf_text(&later), buf_text(&pinned));
	buf_release(&later);
	buf_release(&pinned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, live_store_set_up, live_store_tear_down)
		TEST(buckets_are_hours_days_and_weeks_from_monday),
		TEST(the_sum_of_a_week_stays_the_same),
		TEST(segments_that_overlap_are_merged_by_start),
		TEST(a_small_late_segment_does_not_rewrite_a_large_one),
		TEST(merges_step_by_step_as_time_passes),
		TEST(a_dry_run_changes_nothing),
		TEST(an_import_of_years_is_split_by_weeks),
		TEST(removes_data_older_than_the_retention),
		TEST(deletes_a_day_quickly),
		TEST(a_profile_of_the_same_time_is_still_a_duplicate_after_merging),
		TEST(a_damaged_segment_is_set_aside_and_the_rest_is_kept),
		TEST(the_cap_holds_during_a_day),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
