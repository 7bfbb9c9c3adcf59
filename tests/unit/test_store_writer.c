/*
 * test_store_writer.c - the writer of a store: batches, duplicates, lock, modes, failures, clocks, readers beside it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "base/mem.h"
#include "make_numbered.h"
#include "store/local/write/writer_journal.h"
#include "store/local/read/local.h"
#include "store/local/os_fault.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static struct store_writer *open_writer(void)
{
	struct store_writer *w;
	struct err err = { 0 };

	if (store_test_open(&w, &err) < 0)
		fail_msg("%s", err.msg);
	return w;
}

static void put(struct store_writer *w, unsigned from, unsigned to)
{
	struct err err = { 0 };
	bool duplicate;

	for (unsigned i = from; i < to; i++) {
		if (store_put_number(w, i, &duplicate, &err) < 0)
			fail_msg("%s", err.msg);
		assert_false(duplicate);
	}
}

static void close_writer(struct store_writer *w)
{
	struct err err = { 0 };

	if (upkeep_close_writer(w, &err) < 0)
		fail_msg("%s", err.msg);
}

/* The store has exactly the numbered profiles below n, and their sum. */
static void check(unsigned n)
{
	struct store_numbered seen;
	int64_t sum[STORE_FUNCTIONS] = { 0 };
	struct err err = { 0 };

	if (store_look(&seen, &err) < 0 && n)
		fail_msg("%s", err.msg);
	assert_int_equal(seen.n, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(seen.count[i], 1);
		sum[i % STORE_FUNCTIONS] += i + 1;
	}
	assert_memory_equal(seen.sum, sum, sizeof(sum));
}

static bool exists(const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", store_folder, name);
	return access(path, F_OK) == 0;
}

static unsigned mode_of(const char *name)
{
	char path[PATH_MAX + 64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", store_folder, name);
	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

static void shows_batches_after_their_commit(void **state)
{
	struct store_writer *w = open_writer();
	struct err err;

	(void)state;
	put(w, 0, 5);
	check(0);
	assert_int_equal(writer_commit(w, &err), 0);
	check(5);
	put(w, 5, 9);
	assert_int_equal(writer_flush(w, &err), 0);
	check(9);
	assert_false(exists("journal/00000001.cpj"));
	assert_true(exists("journal/00000002.cpj"));
	put(w, 9, 20);
	assert_int_equal(writer_commit(w, &err), 0);
	check(20);
	close_writer(w);
	check(20);
	assert_false(exists("journal/00000002.cpj"));
	w = open_writer();
	put(w, 20, 30);
	close_writer(w);
	check(30);
}

/* The same content at the same start: in the batch, the journal, a segment, after opening again. */
static void finds_duplicates(void **state)
{
	struct store_writer *w = open_writer();
	struct err err;

	(void)state;
	put(w, 0, 8);
	for (int round = 0; round < 4; round++) {
		for (unsigned i = 0; i < 8; i++) {
			bool duplicate = false;

			assert_int_equal(store_put_number(w, i, &duplicate, &err), 0);
			assert_true(duplicate);
		}
		if (round == 0)
			assert_int_equal(writer_commit(w, &err), 0);
		if (round == 1)
			assert_int_equal(writer_flush(w, &err), 0);
		if (round == 2) {
			close_writer(w);
			w = open_writer();
		}
	}
	close_writer(w);
	check(8);
}

/* Formats with coarse times: other content at the same start is moved by 1 ns; a repeated import finds all of it. */
static void keeps_different_profiles_of_one_start(void **state)
{
	(void)state;
	for (int round = 0; round < 3; round++) {
		struct store_writer *w = open_writer();
		struct store_numbered seen;
		struct err err;

		for (int i = 0; i < 30; i++) {
			char function[16];
			bool duplicate;

			snprintf(function, sizeof(function), "f%d", i);
			assert_int_equal(store_put(w, "shop", store_start_of(1), function, 3, &duplicate, &err), 0);
			assert_int_equal(duplicate, round > 0);
		}
		close_writer(w);
		assert_int_equal(store_look(&seen, &err), 0);
		assert_int_equal(seen.n, 30);
		assert_int_equal(seen.sum[2], 6 * 3);
	}
}

static void refuses_a_second_writer(void **state)
{
	struct store_writer_options o = store_test_options();
	struct store_writer *w, *second;
	struct buf holder = { 0 };
	struct err err;
	char pid[64];

	(void)state;
	o.owner = "cpa collect shop\nsocket /run/cpa.sock";
	assert_int_equal(upkeep_open_writer(store_folder, true, &o, &w, NULL, &err), 0);
	assert_int_equal(upkeep_open_writer(store_folder, true, &o, &second, &holder, &err), ERR_IO);
	snprintf(pid, sizeof(pid), "process %ld (cpa collect shop)", (long)getpid());
	assert_non_null(strstr(err.msg, pid));
	assert_non_null(strstr(buf_text(&holder), "\nsocket /run/cpa.sock\n"));
	buf_release(&holder);
	close_writer(w);
	close_writer(open_writer());
}

static void refuses_other_directories(void **state)
{
	struct store_writer_options o = store_test_options();
	struct store_writer *w;
	struct err err;
	char path[PATH_MAX + 64];

	(void)state;
	assert_int_equal(upkeep_open_writer(store_folder, false, &o, &w, NULL, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "is not a store"));
	snprintf(path, sizeof(path), "%s/letter.txt", store_folder);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(upkeep_open_writer(store_folder, true, &o, &w, NULL, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "contains letter.txt"));
	unlink(path);
	close_writer(open_writer());
	snprintf(path, sizeof(path), "%s/STORE", store_folder);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(upkeep_open_writer(store_folder, true, &o, &w, NULL, &err), ERR_FORMAT);
	o.cap = 1 << 20;
	assert_true(upkeep_open_writer(store_folder, true, &o, &w, NULL, &err) < 0);
}

static void is_readable_by_its_owner_only(void **state)
{
	static const char *const file[] = { "STORE", "lock", "index.db", "journal/00000001.cpj" };
	mode_t old = umask(0);
	struct store_writer *w = open_writer();

	(void)state;
	put(w, 0, 1);
	assert_int_equal(mode_of(""), 0700);
	assert_int_equal(mode_of("journal"), 0700);
	for (size_t i = 0; i < sizeof(file) / sizeof(*file); i++)
		assert_int_equal(mode_of(file[i]), 0600);
	close_writer(w);
	umask(old);
}

static void loses_only_what_was_not_committed(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		struct store_writer *w = open_writer();

		put(w, 0, 7);
		writer_commit(w, NULL);
		put(w, 7, 9);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	check(7);
	close_writer(open_writer());
	check(7);
}

/* After a failed sync the kernel may have dropped what was written before: the journal is written again. */
static void replaces_a_journal_that_cannot_be_synced(void **state)
{
	struct store_writer *w = open_writer();
	struct err err;

	(void)state;
	put(w, 0, 5);
	assert_int_equal(writer_commit(w, &err), 0);
	os_set_fault(2, "sync"); /* the write, then the sync */
	put(w, 5, 9);
	assert_int_equal(writer_commit(w, &err), 0);
	os_set_fault(0, NULL);
	assert_false(exists("journal/00000001.new"));
	check(9);
	put(w, 9, 12);
	assert_int_equal(writer_commit(w, &err), 0);
	check(12);
	close_writer(w);
	check(12);
}

static void commits_again_when_the_disk_has_room(void **state)
{
	struct store_writer *w = open_writer();
	struct err err;

	(void)state;
	put(w, 0, 5);
	assert_int_equal(writer_commit(w, &err), 0);
	put(w, 5, 9);
	os_set_fault(1, "full");
	assert_int_equal(writer_commit(w, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "No space left on device"));
	check(5);
	assert_int_equal(writer_flush(w, &err), ERR_IO);
	check(5);
	os_set_fault(0, NULL);
	assert_int_equal(writer_commit(w, &err), 0);
	check(9);
	close_writer(w);
	check(9);
}

/* A disk that fills for real, here a limit of the size of files. */
static void survives_a_limit_of_file_sizes(void **state)
{
	struct rlimit old, small = { 1 << 20, RLIM_INFINITY };
	struct store_writer *w;
	struct err err = { 0 };

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	w = open_writer();
	put(w, 0, 5);
	assert_int_equal(writer_commit(w, &err), 0);
	close_writer(w);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	w = open_writer();
	assert_int_equal(store_put_number(w, 5, &(bool){ false }, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "File too large"));
	check(5);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	put(w, 5, 8);
	close_writer(w);
	check(8);
}

static void flushes_in_time_when_the_clock_is_set(void **state)
{
	static const int64_t step[] = { 3600, -3600, 86400, -86400 };
	struct store_writer *w = open_writer();
	struct err err;

	(void)state;
	assert_false(writer_flush_is_due(w));
	for (unsigned i = 0; i < 4; i++) {
		put(w, i, i + 1);
		assert_int_equal(writer_commit(w, &err), 0);
		assert_false(writer_flush_is_due(w));
		store_time += step[i] * SECOND + (step[i] < 0 ? -SECOND : SECOND);
		assert_true(writer_flush_is_due(w));
		assert_int_equal(writer_flush(w, &err), 0);
		assert_false(writer_flush_is_due(w));
		check(i + 1);
	}
	close_writer(w);
}

/* A reading process: each look has all that was committed before it, each profile once, and no part of a batch. */
static _Noreturn void read_until_done(volatile unsigned *committed, volatile bool *done)
{
	struct store_numbered seen;
	struct err err;

	while (!*done) {
		unsigned before = *committed;

		if (store_look(&seen, &err) < 0 && before)
			_exit(1);
		for (unsigned i = 0; i < seen.n; i++)
			if (seen.count[i] != 1)
				_exit(2);
		if (seen.n < before || seen.n % 10)
			_exit(3);
	}
	_exit(0);
}

static void does_not_disturb_eight_readers(void **state)
{
	struct {
		unsigned committed;
		bool done;
	} *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct store_writer *w = open_writer();
	struct err err = { 0 };
	pid_t pid[8];

	(void)state;
	for (int i = 0; i < 8; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			read_until_done(&shared->committed, &shared->done);
	}
	for (unsigned i = 0; i < 600; i += 10) {
		put(w, i, i + 10);
		assert_int_equal(writer_commit(w, &err), 0);
		shared->committed = i + 10;
		if (i % 50 == 40)
			assert_int_equal(writer_flush(w, &err), 0);
		store_time += 1200 * SECOND;
		if (i % 200 == 190)
			assert_int_equal(upkeep_run(w, false, false, NULL, NULL, &err), 0);
	}
	shared->done = true;
	for (int i = 0; i < 8; i++) {
		int status;

		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	close_writer(w);
	check(600);
	munmap(shared, sizeof(*shared));
}

static void check_sound(void)
{
	struct buf report = { 0 };
	struct err err = { 0 };
	struct store *s;

	assert_int_equal(local_open(store_folder, &s, &err), 0);
	if (upkeep_verify(s, true, NULL, &report, &err))
		fail_msg("%s%s", buf_text(&report), err.msg);
	buf_release(&report);
	store_close(s);
}

static void commit(struct store_writer *w)
{
	struct err err = { 0 };

	if (writer_commit(w, &err) < 0)
		fail_msg("%s", err.msg);
}

/* A service that is known only from a profile that was not added has a number, and no record. */
static void a_repeated_profile_leaves_no_gap_in_the_journal(void **state)
{
	struct store_writer *w = open_writer();
	struct err err = { 0 };
	bool duplicate;

	(void)state;
	put(w, 0, 1); /* cart */
	assert_int_equal(writer_flush(w, &err), 0);
	assert_int_equal(store_put_number(w, 0, &duplicate, &err), 0);
	assert_true(duplicate);
	put(w, 1, 4); /* shop */
	commit(w);
	check(4);
	check_sound();
	put(w, 4, 5); /* cart has a record now */
	commit(w);
	check(5);
	check_sound();
	close_writer(w);
	check(5);
}

static void a_journal_that_memory_is_ahead_of_is_written_again(void **state)
{
	struct store_writer *w = open_writer();
	struct buf notes = { 0 };

	(void)state;
	put(w, 0, 8);
	commit(w);
	w->active->head->service[1].logged[DICT_SERIES] = 0; /* memory and file differ */
	w->active->head->n_named = 1;
	put(w, 8, 12);
	commit(w);
	writer_take_notes(w, &notes);
	assert_non_null(strstr(buf_text(&notes), "the journal was written again"));
	buf_release(&notes);
	check(12);
	check_sound();
	close_writer(w);
	check(12);
}

/* A journal as an earlier version wrote it, in which service 1 follows no service 0, loses nothing. */
static void reads_a_journal_without_the_name_of_a_service(void **state)
{
	struct store_writer *w = open_writer();
	struct journal_counts *counts;
	struct buf notes = { 0 };
	struct err err = { 0 };
	bool duplicate;
	char copy[2 * PATH_MAX + 64];

	(void)state;
	put(w, 0, 1);
	assert_int_equal(writer_flush(w, &err), 0);
	assert_int_equal(store_put_number(w, 0, &duplicate, &err), 0);
	w->active->head->n_named = 1;
	counts = &w->active->counts;
	counts->service = mem_grow(counts->service, &counts->cap, 1, sizeof(*counts->service));
	counts->service[0] = (struct journal_entries){ 0 };
	counts->n = 1;
	put(w, 1, 4);
	commit(w);
	check(4); /* everything is there */
	snprintf(copy, sizeof(copy), "cd %s && mkdir x && cp -a STORE index.db* journal seg pin tmp bad x/",
		 store_folder);
	assert_int_equal(system(copy), 0);
	close_writer(w);
	snprintf(copy, sizeof(copy), "cd %s && rm -r STORE index.db* journal seg pin tmp bad && mv x/* . && rmdir x",
		 store_folder);
	assert_int_equal(system(copy), 0);
	w = open_writer();
	writer_take_notes(w, &notes);
	assert_non_null(strstr(buf_text(&notes), "service 1 follows 0 services"));
	buf_release(&notes);
	close_writer(w);
	check(4);
	check_sound();
	assert_true(exists("bad/00000002.cpj"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, store_folder_make, store_folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shows_batches_after_their_commit),
		TEST(finds_duplicates),
		TEST(keeps_different_profiles_of_one_start),
		TEST(refuses_a_second_writer),
		TEST(refuses_other_directories),
		TEST(is_readable_by_its_owner_only),
		TEST(loses_only_what_was_not_committed),
		TEST(replaces_a_journal_that_cannot_be_synced),
		TEST(commits_again_when_the_disk_has_room),
		TEST(survives_a_limit_of_file_sizes),
		TEST(flushes_in_time_when_the_clock_is_set),
		TEST(does_not_disturb_eight_readers),
		TEST(a_repeated_profile_leaves_no_gap_in_the_journal),
		TEST(a_journal_that_memory_is_ahead_of_is_written_again),
		TEST(reads_a_journal_without_the_name_of_a_service),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
