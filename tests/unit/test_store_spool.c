/*
 * test_store_spool.c - journals are kept until their followers passed them, whatever ends the writer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A child appends, flushes and follows its journals, and ends at its N-th change of a file. The parent opens the store and follows
 * from the saved position: each profile that was acknowledged must have been passed by one of both.
 */
#include "config.h"

#include "make_numbered.h"
#include "store/local/format/journal_follow.h"
#include "store/local/os_fault.h"
#include "store/local/write/spool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cmocka.h>

enum { BATCH = 3, BATCHES = 9 };

#ifdef __SANITIZE_ADDRESS__
enum { SPOOL_STEP = 15 };
#else
enum { SPOOL_STEP = 5 };
#endif

/* Shared with the child. */
struct spool_progress {
	unsigned committed;
	unsigned passed[STORE_PROFILES_MAX]; /* times that each was passed */
	uint64_t changes;
	bool is_done, failed;
	char message[1024];
};

static struct spool_progress *shared;

/* A follower of a test. */
struct spool_reader {
	struct spool_position at;
	uint64_t seen; /* profiles of the journal */
};

static int take(void *arg, const char *service, const struct dict *d, const struct stored *p, struct err *err)
{
	struct spool_reader *r = arg;
	unsigned i = 0;

	(void)service, (void)d, (void)err;
	while (i < STORE_PROFILES_MAX && store_start_of(i) != p->start_ns)
		i++;
	assert_true(i < STORE_PROFILES_MAX);
	if (++r->seen > r->at.profiles) {
		shared->passed[i]++;
		r->at.profiles++;
	}
	return 0;
}

/* Read a journal from its start, and pass what is after the position. Returns 1 if nothing will follow in it. */
static int follow_journal(struct store_writer *w, struct spool_reader *r, const struct spool_journal *j,
			  struct err *err)
{
	struct journal_follower *f;
	uint32_t rewrites;
	char name[64];
	int rc, fd = spool_open(w, j->seq, name, err);

	if (fd < 0)
		return fd;
	rc = journal_follow_open(fd, name, &f, &rewrites, err);
	if (rc < 0)
		return rc;
	if (r->at.journal != j->seq || r->at.rewrites != rewrites)
		r->at = (struct spool_position){ j->seq, rewrites, 0 };
	r->seen = 0;
	while ((rc = journal_follow_next(f, j->batches, err)) > 0 &&
	       (rc = journal_follow_each(f, take, NULL, r, err)) == 0)
		;
	assert_string_equal(journal_follow_damage(f), "");
	journal_follow_close(f);
	return rc < 0 ? rc : j->is_complete;
}

static int follow_all(struct store_writer *w, struct spool_reader *r, bool sync, struct err *err)
{
	struct spool_journal j;
	int rc = 1;

	while (rc == 1 && spool_find(w, r->at.journal, &j)) {
		rc = follow_journal(w, r, &j, err);
		if (rc == 1)
			r->at = (struct spool_position){ .journal = j.seq + 1 };
	}
	return rc < 0 ? rc : spool_save(w, "a", &r->at, sync, err);
}

static int put_batch(struct store_writer *w, unsigned batch, struct err *err)
{
	bool duplicate;
	int rc = 0;

	for (unsigned i = batch * BATCH; rc == 0 && i < (batch + 1) * BATCH; i++)
		rc = store_put(w, i % 2 ? "shop" : "cart", store_start_of(i), "f", i + 1, &duplicate, err);
	return rc < 0 ? rc : writer_commit(w, err);
}

/* The child follows after some batches, so that journals are kept, and passed later. */
static int run(struct err *err)
{
	struct spool_reader r = { 0 };
	struct store_writer *w;
	int rc = store_test_open(&w, err), closed;

	if (rc < 0)
		return rc;
	rc = spool_add(w, "a", 0, &r.at, err);
	for (unsigned batch = 0; rc == 0 && batch < BATCHES; batch++) {
		rc = put_batch(w, batch, err);
		if (rc == 0)
			shared->committed = (batch + 1) * BATCH;
		if (rc == 0 && batch % 4 == 2)
			rc = writer_flush(w, err);
		if (rc == 0 && (batch == 1 || batch == 4 || batch == 5))
			rc = follow_all(w, &r, batch == 4, err);
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
		shared->failed = run(&err) < 0;
		snprintf(shared->message, sizeof(shared->message), "%s", err.msg);
		shared->changes = os_changes();
		shared->is_done = true;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void check_followed(uint64_t at, const char *what)
{
	struct spool_reader r = { 0 };
	struct store_writer *w;
	struct err err = { 0 };
	struct spool_stat stat;

	if (store_test_open(&w, &err) < 0 || spool_add(w, "a", 0, &r.at, &err) < 0 || follow_all(w, &r, true, &err) < 0)
		fail_msg("%s at %lu: %s", what, (unsigned long)at, err.msg);
	for (unsigned i = 0; i < shared->committed; i++)
		if (!shared->passed[i])
			fail_msg("%s at %lu: profile %u of %u was not passed", what, (unsigned long)at, i,
				 shared->committed);
	spool_get_stat(w, "a", &stat);
	assert_int_equal(stat.n_lost, 0);
	assert_int_equal(stat.bytes, 0);
	if (upkeep_close_writer(w, &err) < 0)
		fail_msg("%s at %lu: close: %s", what, (unsigned long)at, err.msg);
}

static void run_all(const char *what)
{
	uint64_t step = getenv("CPA_STORE_SOAK") ? 1 : SPOOL_STEP;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(shared, MAP_FAILED);
	for (uint64_t at = 1;; at += step) {
		memset(shared, 0, sizeof(*shared));
		run_child(at, what);
		if (shared->failed && strcmp(what, "full") != 0 && strcmp(what, "sync") != 0)
			fail_msg("%s at %lu: %s", what, (unsigned long)at, shared->message);
		check_followed(at, what);
		store_folder_empty();
		if (shared->is_done && shared->changes < at)
			break;
	}
	munmap(shared, sizeof(*shared));
}

static void passes_everything_after_a_kill(void **state)
{
	(void)state;
	run_all("kill");
}

static void passes_everything_after_a_torn_write(void **state)
{
	(void)state;
	run_all("half");
}

static void passes_everything_after_a_power_failure(void **state)
{
	(void)state;
	run_all("discard");
}

static void passes_everything_when_the_disk_was_full(void **state)
{
	(void)state;
	run_all("full");
}

static void passes_everything_when_a_sync_failed(void **state)
{
	(void)state;
	run_all("sync");
}

/* A store with a follower that passes nothing. */
static struct store_writer *open_with_follower(uint64_t max)
{
	struct spool_position at;
	struct store_writer *w;
	struct err err = { 0 };

	shared = calloc(1, sizeof(*shared));
	if (store_test_open(&w, &err) < 0 || spool_add(w, "a", max, &at, &err) < 0)
		fail_msg("%s", err.msg);
	return w;
}

static void put_and_flush(struct store_writer *w, unsigned batch)
{
	struct err err = { 0 };

	if (put_batch(w, batch, &err) < 0 || writer_flush(w, &err) < 0)
		fail_msg("%s", err.msg);
}

static void counts_what_does_not_fit(void **state)
{
	struct store_writer *w = open_with_follower(1);
	struct spool_position at;
	struct spool_stat stat;
	struct err err = { 0 };

	(void)state;
	put_and_flush(w, 0);
	put_and_flush(w, 1);
	spool_get_stat(w, "a", &stat);
	assert_int_equal(stat.n_lost, 2 * BATCH);
	assert_int_equal(stat.bytes, 0);
	at = (struct spool_position){ .journal = 1 };
	assert_int_equal(spool_save(w, "a", &at, false, &err), 1);
	assert_int_equal(at.journal, 3);
	assert_int_equal(upkeep_close_writer(w, &err), 0);
	free(shared);
}

static void keeps_journals_while_no_follower_runs(void **state)
{
	struct store_writer *w = open_with_follower(0);
	struct err err = { 0 };
	struct spool_stat stat;

	(void)state;
	put_and_flush(w, 0);
	assert_int_equal(upkeep_close_writer(w, &err), 0);
	assert_int_equal(store_test_open(&w, &err), 0);
	put_and_flush(w, 1);
	spool_get_stat(w, "a", &stat);
	assert_true(stat.bytes > 0 && stat.bytes <= 2 * 8192); /* cut off at their ends */
	assert_int_equal(upkeep_close_writer(w, &err), 0);
	shared->committed = 2 * BATCH;
	check_followed(0, "no follower");
	free(shared);
}

static void a_new_follower_begins_now(void **state)
{
	struct store_writer *w = open_with_follower(0);
	struct spool_reader r = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(put_batch(w, 0, &err), 0);
	assert_int_equal(spool_remove(w, "a", &err), 0);
	assert_int_equal(spool_add(w, "a", 0, &r.at, &err), 0);
	assert_int_equal(put_batch(w, 1, &err), 0);
	assert_int_equal(follow_all(w, &r, true, &err), 0);
	for (unsigned i = 0; i < 2 * BATCH; i++)
		assert_int_equal(shared->passed[i], i >= BATCH);
	assert_int_equal(upkeep_close_writer(w, &err), 0);
	free(shared);
}

static void removes_what_only_a_removed_follower_needs(void **state)
{
	struct store_writer *w = open_with_follower(0);
	char name[SPOOL_FOLLOWERS_MAX][SPOOL_NAME_MAX + 1];
	struct spool_journal j;
	struct err err = { 0 };

	(void)state;
	put_and_flush(w, 0);
	assert_true(spool_find(w, 1, &j) && j.seq == 1);
	assert_int_equal(spool_remove(w, "a", &err), 0);
	assert_int_equal(spool_list(w, name), 0);
	assert_true(!spool_find(w, 1, &j) || j.seq > 1);
	assert_int_equal(upkeep_close_writer(w, &err), 0);
	free(shared);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, store_folder_make, store_folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(counts_what_does_not_fit),
		WITH_FOLDER(keeps_journals_while_no_follower_runs),
		WITH_FOLDER(a_new_follower_begins_now),
		WITH_FOLDER(removes_what_only_a_removed_follower_needs),
		WITH_FOLDER(passes_everything_after_a_kill),
		WITH_FOLDER(passes_everything_after_a_torn_write),
		WITH_FOLDER(passes_everything_after_a_power_failure),
		WITH_FOLDER(passes_everything_when_the_disk_was_full),
		WITH_FOLDER(passes_everything_when_a_sync_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
