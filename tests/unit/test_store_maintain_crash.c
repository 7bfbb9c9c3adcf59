/*
 * test_store_maintain_crash.c - a crash or a full disk at every step of compaction, pins, removal and repair
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/os_fault.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include "make_live_store.h"

#include <sys/wait.h>

static void run(const char *format, const char *a, const char *b)
{
	char command[512];

	snprintf(command, sizeof(command), format, a, b);
	assert_int_equal(system(command), 0);
}

static void fill(struct live_store *m)
{
	for (int hour = 0; hour < 4; hour++) {
		for (int i = 0; i < 3; i++) {
			live_store_append(m, "shop", i % 2, store_time, 4);
			live_store_append(m, "mail", 0, store_time, 4);
			store_time += STORE_HOUR / 3;
		}
		if (hour < 3)
			live_store_flush(m);
	}
	assert_int_equal(writer_commit(m->w, &m->err), 0);
}

/* Merge, pin and remove, in the process that dies. */
static void work(struct live_store *m)
{
	struct store_query q = live_store_query("mail");
	struct store_writer_options o = {
		.cap = m->cap, .retain_raw_ns = INT64_MAX, .group = "", .owner = "test", .now = live_store_now
	};
	uint64_t n;

	if (upkeep_open_writer(m->dir, false, &o, &m->w, NULL, &m->err))
		return;
	writer_flush(m->w, &m->err);
	store_time += STORE_DAY;
	upkeep_run(m->w, true, false, NULL, NULL, &m->err);
	upkeep_pin(m->w, "p", &q, "mail@all", &m->err);
	upkeep_remove(m->w, &q, &n, &m->err);
	upkeep_close_writer(m->w, &m->err);
}

/* Downsample to 10m, and merge the result, in the process that dies. */
static void reduce(struct live_store *m)
{
	struct store_writer_options o = {
		.cap = m->cap, .retain = "raw=1h 10m=1000d", .group = "", .owner = "test", .now = live_store_now
	};

	if (upkeep_open_writer(m->dir, false, &o, &m->w, NULL, &m->err))
		return;
	writer_flush(m->w, &m->err);
	store_time += 3 * STORE_DAY;
	upkeep_run(m->w, true, false, NULL, NULL, &m->err);
	upkeep_close_writer(m->w, &m->err);
}

/* Repair a store without an index and without STORE. */
static void repair(struct live_store *m)
{
	struct buf report = { 0 };

	upkeep_repair(m->dir, &report, &m->err);
	buf_release(&report);
}

/* Work in a child process with a fault at its step at. Returns whether it was reached. */
static bool work_in_child(struct live_store *m, void (*action)(struct live_store *m), uint64_t at, const char *what)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		os_set_fault(at, what);
		action(m);
		_exit(os_changes() >= at ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

struct sums {
	struct buf shop, mail;
};

static void check(struct live_store *m, const struct sums *want, uint64_t at, const char *what)
{
	struct store_query shop = live_store_query("shop"), mail = live_store_query("mail");
	struct buf report = { 0 }, b = { 0 };
	struct err err = { 0 };

	live_store_open(m); /* recovers */
	if (live_store_verify(m->dir, &report, &err))
		fail_msg("%s at %" PRIu64 ": %s%s", what, at, buf_text(&report), err.msg);
	b = live_store_sum(m, &shop);
	if (strcmp(buf_text(&b), buf_text(&want->shop)) != 0)
		fail_msg("%s at %" PRIu64 ": shop: %s", what, at, buf_text(&b));
	b.len = 0;
	if (live_store_try_sum(m->dir, &mail, &b, &err) == 0 && strcmp(buf_text(&b), buf_text(&want->mail)) != 0)
		fail_msg("%s at %" PRIu64 ": mail: %s", what, at, buf_text(&b)); /* else it was removed */
	mail.pin = "p";
	b.len = 0;
	if (live_store_try_sum(m->dir, &mail, &b, &err) == 0 && strcmp(buf_text(&b), buf_text(&want->mail)) != 0)
		fail_msg("%s at %" PRIu64 ": pin: %s", what, at, buf_text(&b));
	live_store_append(m, "shop", 1, store_time + 2 * STORE_DAY, 4); /* it still works */
	live_store_flush(m);
	live_store_close(m);
	buf_release(&report);
	buf_release(&b);
}

static void fail_at_every_step(struct live_store *m, void (*action)(struct live_store *m), const char *what)
{
	struct store_query shop = live_store_query("shop"), mail = live_store_query("mail");
#ifdef __SANITIZE_ADDRESS__
	const uint64_t short_step = 7;
#else
	const uint64_t short_step = 3;
#endif
	uint64_t step = getenv("CPA_TEST_LONG") ? 1 : short_step, at;
	char old[80];
	struct sums want;
	bool is_reached = true;

	fill(m);
	want = (struct sums){ live_store_sum(m, &shop), live_store_sum(m, &mail) };
	if (action == repair)
		assert_int_equal(upkeep_pin(m->w, "p", &mail, "mail@all", &m->err), 0);
	live_store_close(m);
	if (action == repair)
		run("rm %s/index.db* %s/STORE", m->dir, m->dir);
	snprintf(old, sizeof(old), "%s.old", m->dir);
	run("cp -r %s %s", m->dir, old);
	for (at = 1; is_reached; at += step) {
		run("rm -rf %s; mkdir -m 700 %s", m->dir, m->dir);
		run("cp -r %s/. %s", old, m->dir);
		is_reached = work_in_child(m, action, at, what);
		if (action == reduce && at % 2)
			run("rm -f %s/index.db* %s/none", m->dir, m->dir); /* it is made from the segments again */
		if (action == repair) {                                    /* again, by a process that does not die */
			struct buf report = { 0 };

			if (upkeep_repair(m->dir, &report, &m->err))
				fail_msg("%s at %" PRIu64 ": repair: %s", what, at, m->err.msg);
			buf_release(&report);
		}
		check(m, &want, at, what);
	}
	print_message("%s: %" PRIu64 " steps\n", what, at - 1);
	assert_true(at > 30);
	run("rm -rf %s %s", old, old);
	buf_release(&want.shop);
	buf_release(&want.mail);
}

static void a_process_that_dies_loses_nothing(void **state)
{
	fail_at_every_step(*state, work, "kill");
}

static void half_a_write_loses_nothing(void **state)
{
	fail_at_every_step(*state, work, "half");
}

static void a_power_failure_loses_nothing(void **state)
{
	fail_at_every_step(*state, work, "discard");
}

static void a_full_disk_loses_nothing(void **state)
{
	fail_at_every_step(*state, work, "full");
}

static void a_disk_that_is_full_once_loses_nothing(void **state)
{
	fail_at_every_step(*state, work, "full1");
}

static void a_failed_sync_loses_nothing(void **state)
{
	fail_at_every_step(*state, work, "sync");
}

static void downsampling_that_dies_has_each_profile_once(void **state)
{
	fail_at_every_step(*state, reduce, "kill");
}

static void downsampling_without_power_has_each_profile_once(void **state)
{
	fail_at_every_step(*state, reduce, "discard");
}

static void downsampling_on_a_full_disk_has_each_profile_once(void **state)
{
	fail_at_every_step(*state, reduce, "full1");
}

static void a_repair_that_dies_can_be_repeated(void **state)
{
	fail_at_every_step(*state, repair, "kill");
}

static void a_repair_without_power_can_be_repeated(void **state)
{
	fail_at_every_step(*state, repair, "discard");
}

static void a_repair_on_a_full_disk_can_be_repeated(void **state)
{
	fail_at_every_step(*state, repair, "full");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, live_store_set_up, live_store_tear_down)
		TEST(a_process_that_dies_loses_nothing),
		TEST(half_a_write_loses_nothing),
		TEST(a_power_failure_loses_nothing),
		TEST(a_full_disk_loses_nothing),
		TEST(a_disk_that_is_full_once_loses_nothing),
		TEST(a_failed_sync_loses_nothing),
		TEST(a_repair_that_dies_can_be_repeated),
		TEST(a_repair_without_power_can_be_repeated),
		TEST(a_repair_on_a_full_disk_can_be_repeated),
		TEST(downsampling_that_dies_has_each_profile_once),
		TEST(downsampling_without_power_has_each_profile_once),
		TEST(downsampling_on_a_full_disk_has_each_profile_once),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
