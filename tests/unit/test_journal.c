/*
 * test_journal.c - journals: what was committed is read, whatever follows it; damage is named
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "make_numbered.h"
#include "store/local/format/journal.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { BATCHES = 4, BATCH = 3, HEADER = 64, BATCH_HEAD = 32 };

struct journal {
	uint8_t *data;
	size_t size;             /* of the file */
	size_t n;                /* up to the end of the last batch */
	size_t end[BATCHES + 1]; /* of each batch; end[0] is that of the header */
};

static uint32_t get_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

/* The bytes of a journal of four batches. */
static struct journal make_journal(void)
{
	struct journal j = { 0 };
	struct store_writer *w;
	struct err err;
	struct stat st;
	char path[PATH_MAX + 32];
	bool duplicate;
	int fd;

	assert_int_equal(store_test_open(&w, &err), 0);
	for (unsigned i = 0; i < BATCHES * BATCH; i++) {
		struct store_mark mark = { store_start_of(i), (char *)"prod", (char *)"deploy", (char *)"2.4.0" };

		assert_int_equal(store_put_number(w, i, &duplicate, &err), 0);
		if (i == 4)
			assert_int_equal(writer_add_mark(w, "shop", &mark, &err), 0);
		if (i % BATCH == BATCH - 1)
			assert_int_equal(writer_commit(w, &err), 0);
	}
	snprintf(path, sizeof(path), "%s/journal/00000001.cpj", store_folder);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	j.data = malloc((size_t)st.st_size);
	assert_int_equal(read(fd, j.data, (size_t)st.st_size), st.st_size);
	close(fd);
	j.size = (size_t)st.st_size;
	j.end[0] = j.n = HEADER;
	for (int i = 1; i <= BATCHES; i++)
		j.end[i] = j.n += BATCH_HEAD + (get_u32(j.data + j.n + 16) + 7) / 8 * 8;
	assert_int_equal(get_u32(j.data + j.n), 0);
	assert_int_equal(upkeep_close_writer(w, &err), 0);
	return j;
}

/* Read bytes as a journal of this size, the rest of which is zeros. */
static int read_bytes(const uint8_t *data, size_t n, size_t size, struct journal_head **h, uint64_t *torn,
		      struct err *err)
{
	int rc, fd = memfd_create("journal", MFD_CLOEXEC);

	assert_int_equal(write(fd, data, n), n);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	rc = journal_read(fd, "x.cpj", h, torn, err);
	close(fd);
	return rc;
}

static void reads_all_batches(void **state)
{
	struct journal j = make_journal();
	struct journal_head *h;
	struct chapter *c;
	struct err err;
	uint64_t torn;

	(void)state;
	assert_int_equal(read_bytes(j.data, j.n, j.size, &h, &torn, &err), 0);
	assert_int_equal(torn, 0);
	assert_int_equal(head_profiles(h), BATCHES * BATCH);
	assert_int_equal(head_n_services(h), 2);
	assert_string_equal(head_service(h, 1), "shop");
	assert_int_equal(head_make_chapter(h, 1, 1, &c, &err), 0);
	assert_int_equal(c->profiles, 9);
	assert_int_equal(c->n_marks, 1);
	assert_string_equal(c->mark[0].kind, "deploy");
	assert_int_equal(c->t0, store_start_of(1));
	assert_int_equal(c->t1, store_start_of(11));
	chapter_free(c);
	head_free(h);
	free(j.data);
}

static void stops_at_a_torn_batch(void **state)
{
	struct journal j = make_journal();

	(void)state;
	for (size_t n = HEADER; n <= j.n; n++) {
		struct journal_head *h;
		struct err err;
		uint64_t torn;
		int rc = read_bytes(j.data, n, j.size, &h, &torn, &err), whole = BATCHES;

		assert_int_equal(rc, 0);
		while (j.end[whole] > n)
			whole--;
		/* padding may be missing */
		if (head_profiles(h) != (uint64_t)whole * BATCH) {
			assert_true(whole < BATCHES && j.end[whole + 1] - n < 8);
			whole++;
		}
		assert_int_equal(head_profiles(h), whole * BATCH);
		assert_true(torn == 0 || torn == j.end[whole] || n > j.end[whole] - 8);
		head_free(h);
	}
	free(j.data);
}

/* The writer allocates a journal before it writes to it, so a file that is shorter was cut. */
static void names_a_file_that_was_cut(void **state)
{
	struct journal j = make_journal();

	(void)state;
	for (size_t n = 0; n <= j.n + 100; n++) {
		struct journal_head *h;
		struct err err = { 0 };
		uint64_t torn;
		int rc = read_bytes(j.data, n < j.n ? n : j.n, n, &h, &torn, &err), whole = BATCHES;

		assert_int_equal(rc, ERR_FORMAT);
		if (n < HEADER) {
			assert_null(h);
			continue;
		}
		while (j.end[whole] > n + 7)
			whole--;
		assert_in_range(head_profiles(h), whole ? (uint64_t)(whole - 1) * BATCH : 0, whole * BATCH);
		assert_non_null(strstr(err.msg, "is cut off after"));
		head_free(h);
	}
	free(j.data);
}

/* A byte that changes in the last batch looks like a torn one; before it, it is damage, and later batches are read as far as
   they do not refer to lost entries. */
static void names_damage(void **state)
{
	struct journal j = make_journal();
	uint64_t most = 0;

	(void)state;
	for (size_t at = 0; at < j.n; at++) {
		struct journal_head *h;
		struct err err = { 0 };
		uint64_t torn;
		int rc, batch = 0;

		j.data[at] ^= 0x10;
		rc = read_bytes(j.data, j.n, j.size, &h, &torn, &err);
		j.data[at] ^= 0x10;
		while (batch < BATCHES && at >= j.end[batch])
			batch++;
		if (batch == 0) {
			assert_int_equal(rc, ERR_FORMAT);
			assert_non_null(strstr(err.msg, "x.cpj: "));
			assert_null(h);
			continue;
		}
		if (rc == 0 && head_profiles(h) == BATCHES * BATCH)
			assert_true(j.end[batch] - at <= 7); /* padding */
		else if (rc == 0)
			assert_int_equal(head_profiles(h), (BATCHES - 1) * BATCH);
		else
			assert_in_range(head_profiles(h), (batch - 1) * BATCH, (BATCHES - 1) * BATCH);
		if (rc < 0) {
			char text[64];

			snprintf(text, sizeof(text), "x.cpj: batch %d at byte %zu is damaged", batch, j.end[batch - 1]);
			assert_int_equal(rc, ERR_FORMAT);
			assert_memory_equal(err.msg, text, strlen(text));
			assert_true(batch < BATCHES);
			most = head_profiles(h) > most ? head_profiles(h) : most;
		}
		head_free(h);
	}
	assert_int_equal(most, (BATCHES - 1) * BATCH); /* batch 3 adds nothing that batch 4 refers to */
	free(j.data);
}

static void lists_journals_by_number(void **state)
{
	static const char *const name[] = { "00000010.cpj", "00000009.cpj", "00000002.cpj",
					    "00000011.new", "x.cpj",        "123456789.cpj" };
	char path[PATH_MAX + 64];
	struct err err;
	int64_t *seq;
	size_t n;
	int dir;

	(void)state;
	snprintf(path, sizeof(path), "%s/journal", store_folder);
	assert_int_equal(mkdir(path, 0700), 0);
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		snprintf(path, sizeof(path), "%s/journal/%s", store_folder, name[i]);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	dir = open(store_folder, O_RDONLY | O_DIRECTORY);
	assert_int_equal(journal_list(dir, 9, &seq, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_int_equal(seq[0], 9);
	assert_int_equal(seq[1], 10);
	assert_int_equal(seq[2], 123456789);
	free(seq);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_all_batches, store_folder_make, store_folder_remove),
		cmocka_unit_test_setup_teardown(stops_at_a_torn_batch, store_folder_make, store_folder_remove),
		cmocka_unit_test_setup_teardown(names_a_file_that_was_cut, store_folder_make, store_folder_remove),
		cmocka_unit_test_setup_teardown(names_damage, store_folder_make, store_folder_remove),
		cmocka_unit_test_setup_teardown(lists_journals_by_number, store_folder_make, store_folder_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
