/*
 * test_store_crash.c - a writer that ends at any change of a file loses nothing that was acknowledged, and doubles nothing
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A child creates a store, appends, repeats profiles, flushes and maintains, and ends at its N-th change, those of SQLite
 * included; N counts up until the child reaches its end. CPA_STORE_SOAK=1 uses a longer run, with more changes.
 */
#include "config.h"

#include "base/buf.h"
#include "make_numbered.h"
#include "store/local/read/local.h"
#include "store/local/os_fault.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

enum { BATCH = 3 };

#ifdef __SANITIZE_ADDRESS__ /* ten times slower; the plain build takes every change */
enum { CRASH_STEP = 5, FAULT_STEP = 9 };
#else
enum { CRASH_STEP = 1, FAULT_STEP = 3 };
#endif

/* Shared with the child. */
struct progress {
	unsigned committed; /* profiles below this number were acknowledged */
	uint64_t changes;   /* made until the end */
	bool is_done;
	bool failed; /* a call failed, which only a fault may cause */
	char message[1024];
};

static struct progress *progress;
static unsigned n_batches = 9;

/* Services that begin after a flush: the journal then has no service before them but those of repeated profiles. */
static int put(struct store_writer *w, unsigned i, bool *duplicate, struct err *err)
{
	char function[16], service[16];

	snprintf(function, sizeof(function), "f%u", i % STORE_FUNCTIONS);
	snprintf(service, sizeof(service), i % 4 == 2 ? "new%u" : i % 4 ? "shop" : "cart", i / 12);
	return store_put(w, service, store_start_of(i), function, i + 1, duplicate, err);
}

static int put_batch(struct store_writer *w, unsigned batch, struct err *err)
{
	bool duplicate;

	if (batch % 4 == 0 && batch) { /* after a flush; agents repeat a push that was not answered */
		int rc = put(w, 1, &duplicate, err);

		if (rc < 0)
			return rc;
		if (!duplicate)
			return err_set(err, ERR_FORMAT, "a repeated profile was added");
	}
	for (unsigned i = batch * BATCH; i < (batch + 1) * BATCH; i++) {
		int rc = put(w, i, &duplicate, err);

		if (rc < 0)
			return rc;
	}
	return writer_commit(w, err);
}

static int maintain(struct store_writer *w, unsigned batch, struct err *err)
{
	struct store_query q = { .service = "shop", .kind = "cpu", .t0 = INT64_MIN, .t1 = INT64_MAX };
	int rc = writer_flush(w, err);

	store_time += INT64_C(7200) * 1000000000;
	if (rc == 0 && batch % 8 == 7)
		rc = upkeep_run(w, true, false, NULL, NULL, err);
	if (rc == 0 && batch == 3)
		rc = upkeep_pin(w, "release", &q, "store:shop", err);
	return rc;
}

/* The run of the child. */
static int run(struct err *err)
{
	struct store_writer *w;
	int rc = store_test_open(&w, err), closed;

	if (rc < 0)
		return rc;
	for (unsigned batch = 0; rc == 0 && batch < n_batches; batch++) {
		rc = put_batch(w, batch, err);
		if (rc == 0)
			progress->committed = (batch + 1) * BATCH;
		if (rc == 0 && batch % 4 == 3)
			rc = maintain(w, batch, err);
	}
	closed = upkeep_close_writer(w, rc < 0 ? NULL : err);
	return rc < 0 ? rc : closed;
}

static void run_child(uint64_t at, const char *what)
{
	struct err err = { 0 };
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		os_set_fault(at, what);
		progress->failed = run(&err) < 0;
		snprintf(progress->message, sizeof(progress->message), "%s", err.msg);
		progress->changes = os_changes();
		progress->is_done = true;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void check_content(uint64_t at, const char *what, unsigned n_min)
{
	struct store_numbered seen;
	int64_t sum[STORE_FUNCTIONS] = { 0 };
	struct err err = { 0 };

	if (store_look(&seen, &err) < 0)
		fail_msg("%s at %lu: %s", what, (unsigned long)at, err.msg);
	for (unsigned i = 0; i < STORE_PROFILES_MAX; i++) {
		if (seen.count[i] > 1 || (i < n_min && !seen.count[i]))
			fail_msg("%s at %lu: profile %u of %u is there %u times", what, (unsigned long)at, i, n_min,
				 seen.count[i]);
		sum[i % STORE_FUNCTIONS] += seen.count[i] ? i + 1 : 0;
	}
	assert_int_equal(seen.others, 0);
	assert_memory_equal(sum, seen.sum, sizeof(sum));
}

static void check_verify(uint64_t at, const char *what)
{
	struct buf report = { 0 };
	struct err err = { 0 };
	struct store *s;
	int rc = local_open(store_folder, &s, &err);

	if (rc == 0) {
		rc = upkeep_verify(s, true, NULL, &report, &err);
		store_close(s);
	}
	if (rc != 0)
		fail_msg("%s at %lu: verify: %s%s", what, (unsigned long)at, buf_text(&report), err.msg);
	buf_release(&report);
}

/* Open the store after the child, and continue where it was. */
static void check_recovery(uint64_t at, const char *what, unsigned committed)
{
	struct store_writer *w;
	struct err err = { 0 };
	struct timespec t0, t1;
	bool duplicate;

	clock_gettime(CLOCK_MONOTONIC, &t0);
	if (store_test_open(&w, &err) < 0)
		fail_msg("%s at %lu: open: %s", what, (unsigned long)at, err.msg);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	if (getenv("CPA_STORE_SOAK") && t1.tv_sec - t0.tv_sec > 2)
		fail_msg("%s at %lu: opening took more than 2 s", what, (unsigned long)at);
	check_content(at, what, committed);
	for (unsigned i = 0; i < n_batches * BATCH; i++) {
		if (put(w, i, &duplicate, &err) < 0)
			fail_msg("%s at %lu: append: %s", what, (unsigned long)at, err.msg);
		assert_true(duplicate || i >= committed);
	}
	if (upkeep_close_writer(w, &err) < 0)
		fail_msg("%s at %lu: close: %s", what, (unsigned long)at, err.msg);
	check_content(at, what, n_batches * BATCH);
	check_verify(at, what);
}

static void run_all(const char *what)
{
	/* in a short run, kills and power failures come at more changes than other faults */
	bool is_whole = getenv("CPA_STORE_SOAK") || strcmp(what, "kill") == 0 || strcmp(what, "discard") == 0;
	uint64_t at = 1, step = getenv("CPA_STORE_SOAK") ? 1 : is_whole ? CRASH_STEP : FAULT_STEP;
	int64_t first = store_time;

	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(progress, MAP_FAILED);
	if (getenv("CPA_STORE_SOAK"))
		n_batches = 48;
	for (;; at += step) {
		memset(progress, 0, sizeof(*progress));
		store_time = first;
		run_child(at, what);
		store_time = first + INT64_C(86400) * 1000000000;
		if (progress->failed && strncmp(what, "full", 4) != 0 && strcmp(what, "sync") != 0)
			fail_msg("%s at %lu: %s", what, (unsigned long)at, progress->message);
		check_recovery(at, what, progress->committed);
		store_folder_empty();
		if (progress->is_done && progress->changes < at)
			break;
	}
	print_message("%s: %lu changes\n", what, (unsigned long)at);
	munmap(progress, sizeof(*progress));
}

static void loses_nothing_when_it_is_killed(void **state)
{
	(void)state;
	run_all("kill");
}

static void loses_nothing_when_a_write_is_torn(void **state)
{
	(void)state;
	run_all("half");
}

static void loses_nothing_when_the_power_fails(void **state)
{
	(void)state;
	run_all("discard");
}

static void loses_nothing_when_the_disk_is_full(void **state)
{
	(void)state;
	run_all("full");
}

static void loses_nothing_when_a_sync_fails(void **state)
{
	(void)state;
	run_all("sync");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(loses_nothing_when_it_is_killed, store_folder_make,
						store_folder_remove),
		cmocka_unit_test_setup_teardown(loses_nothing_when_a_write_is_torn, store_folder_make,
						store_folder_remove),
		cmocka_unit_test_setup_teardown(loses_nothing_when_the_power_fails, store_folder_make,
						store_folder_remove),
		cmocka_unit_test_setup_teardown(loses_nothing_when_the_disk_is_full, store_folder_make,
						store_folder_remove),
		cmocka_unit_test_setup_teardown(loses_nothing_when_a_sync_fails, store_folder_make,
						store_folder_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
