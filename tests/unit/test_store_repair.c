/*
 * test_store_repair.c - pins, removal, exports, and damage of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/read/local.h"
#include "store/local/upkeep/upkeep_int.h"

#include "base/io.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"
#include "make_live_store.h"

#include <sys/wait.h>

static void run(const char *format, const char *dir)
{
	char command[512];

	snprintf(command, sizeof(command), format, dir, dir, dir);
	assert_int_equal(system(command), 0);
}

/* Two services, two instances, three hours, one segment each. */
static void fill(struct live_store *m)
{
	for (int hour = 0; hour < 3; hour++) {
		for (int i = 0; i < 6; i++) {
			live_store_append(m, "shop", i % 2, store_time, 5);
			live_store_append(m, "mail", 0, store_time, 5);
			store_time += STORE_HOUR / 6;
		}
		live_store_flush(m);
	}
}

static void check_sum(struct live_store *m, const struct store_query *q, const struct buf *want)
{
	struct buf now = live_store_sum(m, q);

	assert_string_equal(buf_text(&now), buf_text(want));
	buf_release(&now);
}

static void check_sound(struct live_store *m)
{
	struct buf report = { 0 };

	if (live_store_verify(m->dir, &report, &m->err))
		fail_msg("%s%s", buf_text(&report), m->err.msg);
	buf_release(&report);
}

static void a_pin_survives_compaction_and_removal(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop"), pin = live_store_query("shop");
	struct label_match match = { .op = MATCH_EQUAL, .name = "instance", .value = "10.0.0.1" };
	struct buf want;
	uint64_t n;

	fill(m);
	q.match = &match;
	q.n_match = 1;
	want = live_store_sum(m, &q);
	assert_int_equal(upkeep_pin(m->w, "2.4.0", &q, "shop{instance=10.0.0.1}@all", &m->err), 0);
	assert_int_equal(upkeep_pin(m->w, "2.4.0", &q, "", &m->err), ERR_USAGE);
	assert_non_null(strstr(m->err.msg, "unpin"));
	live_store_maintain(m, NULL);
	q.n_match = 0;
	assert_int_equal(upkeep_remove(m->w, &q, &n, &m->err), 0);
	assert_int_equal(n, 18);
	pin.pin = "2.4.0";
	check_sum(m, &pin, &want);
	check_sound(m);
	assert_int_equal(upkeep_unpin(m->w, "2.4.0", &m->err), 0);
	assert_int_equal(live_store_count(m, ".cpx"), 0);
	assert_int_equal(upkeep_unpin(m->w, "2.4.0", &m->err), ERR_IO);
	buf_release(&want);
}

static void a_pin_contains_what_is_not_flushed_yet(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop");
	struct buf want;

	fill(m);
	live_store_append(m, "shop", 1, store_time, 5);
	assert_int_equal(writer_commit(m->w, &m->err), 0);
	want = live_store_sum(m, &q);
	assert_int_equal(upkeep_pin(m->w, "p", &q, "shop@all", &m->err), 0);
	q.pin = "p";
	check_sum(m, &q, &want);
	buf_release(&want);
}

static void refuses_names_of_pins_that_are_no_file_names(void **state)
{
	static const char *const bad[] = { "", ".", "../x", "a/b", "a b", "-\n" };
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop");

	fill(m);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(upkeep_pin(m->w, bad[i], &q, "", &m->err), ERR_USAGE);
	q.service = "none";
	assert_true(upkeep_pin(m->w, "x", &q, "", &m->err) < 0);
	assert_int_equal(live_store_count(m, ".cpx"), 0);
}

static int count_series(void *arg, const struct store_series *s, struct err *err)
{
	(void)s;
	(void)err;
	++*(int *)arg;
	return 0;
}

static int n_series(struct live_store *m)
{
	struct store_query q = { .service = "*", .is_pattern = true, .kind = "", .t0 = INT64_MIN, .t1 = INT64_MAX };
	struct store *s;
	int n = 0;

	assert_int_equal(local_open(m->dir, &s, &m->err), 0);
	assert_int_equal(store_each_series(s, &q, count_series, &n, &m->err), 0);
	store_close(s);
	return n;
}

static void removes_one_instance_and_nothing_else(void **state)
{
	struct live_store *m = *state;
	struct store_query mail = live_store_query("mail"), q = live_store_query("shop");
	struct label_match match = { .op = MATCH_EQUAL, .name = "instance", .value = "10.0.0.1" };
	struct label_match other = { .op = MATCH_EQUAL, .name = "instance", .value = "10.0.0.0" };
	struct buf want_mail, want;
	uint64_t n = 0;

	fill(m);
	assert_int_equal(n_series(m), 3);
	want_mail = live_store_sum(m, &mail);
	q.n_match = 1;
	q.match = &other;
	want = live_store_sum(m, &q);
	q.match = &match;
	assert_int_equal(upkeep_remove(m->w, &q, &n, &m->err), 0);
	assert_int_equal(n, 9);
	assert_int_equal(n_series(m), 2);
	assert_int_equal(upkeep_remove(m->w, &q, &n, &m->err), 0);
	assert_int_equal(n, 0);
	q.n_match = 0;
	check_sum(m, &q, &want);
	check_sum(m, &mail, &want_mail);
	check_sound(m);
	buf_release(&want);
	buf_release(&want_mail);
}

static void an_export_can_be_imported_elsewhere_and_twice(void **state)
{
	struct live_store *m = *state, *other;
	struct store_query q = live_store_query("shop");
	struct buf want;
	struct store *s;
	void *second;
	char file[100];
	uint64_t n, twice;

	fill(m);
	want = live_store_sum(m, &q);
	snprintf(file, sizeof(file), "%s.cpx", m->dir);
	assert_int_equal(local_open(m->dir, &s, &m->err), 0);
	assert_int_equal(upkeep_export(s, &q, file, NULL, &n, &m->err), 0);
	store_close(s);
	assert_int_equal(n, 18);
	live_store_set_up(&second);
	other = second;
	assert_int_equal(upkeep_import_segment(other->w, file, &n, &twice, &m->err), 0);
	assert_int_equal(n, 18);
	assert_int_equal(twice, 0);
	check_sum(other, &q, &want);
	live_store_flush(other);
	assert_int_equal(upkeep_import_segment(other->w, file, &n, &twice, &m->err), 0);
	assert_int_equal(n, 0);
	assert_int_equal(twice, 18);
	check_sum(other, &q, &want);
	live_store_tear_down(&second);
	unlink(file);
	buf_release(&want);
}

static void repair(struct live_store *m, struct buf *report)
{
	if (upkeep_repair(m->dir, report, &m->err))
		fail_msg("%s", m->err.msg);
}

static void a_store_without_index_works_after_repair(void **state)
{
	static const char *const damage[] = {
		"rm %s/index.db",
		"rm %s/index.db %s/index.db-wal %s/index.db-shm",
		"echo garbage > %s/index.db",
		"head -c 100000 /dev/urandom > %s/index.db",
		": > %s/index.db",
	};
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop"), pin = live_store_query("shop");
	struct buf want;

	fill(m);
	want = live_store_sum(m, &q);
	assert_int_equal(upkeep_pin(m->w, "p", &q, "shop@all", &m->err), 0);
	pin.pin = "p";
	live_store_close(m);
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		struct buf none = { 0 }, report = { 0 };

		run(damage[i], m->dir);
		assert_int_equal(live_store_try_sum(m->dir, &q, &none, &m->err), ERR_FORMAT);
		assert_non_null(strstr(m->err.msg, "cpa store repair"));
		repair(m, &report);
		assert_non_null(strstr(buf_text(&report), "index.db was made from 3 segments"));
		check_sum(m, &q, &want);
		check_sum(m, &pin, &want);
		check_sound(m);
		buf_release(&none);
		buf_release(&report);
	}
	run("rm %s/index.db", m->dir);
	live_store_open(m); /* the writer repairs by itself */
	check_sum(m, &q, &want);
	buf_release(&want);
}

static void repair_keeps_the_sound_chapters_of_a_damaged_segment(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("mail"), shop = live_store_query("shop");
	struct buf want, report = { 0 }, sum;

	fill(m);
	want = live_store_sum(m, &q);
	live_store_close(m);
	run("f=$(find %s/seg -name '*.cps' | sort | tail -1); s=$(stat -c %%s $f); "
	    "printf 'x' | dd of=$f bs=1 conv=notrunc status=none seek=$((s * 3 / 4))",
	    m->dir);
	assert_int_equal(live_store_verify(m->dir, &report, &m->err), 1);
	assert_non_null(strstr(buf_text(&report), "shop"));
	repair(m, &report);
	check_sum(m, &q, &want);
	sum = live_store_sum(m, &shop);
	assert_int_equal(atoi(buf_text(&sum)), 12);
	check_sound(m);
	assert_int_equal(live_store_count(m, ".cps.txt"), 1);
	buf_release(&sum);
	buf_release(&want);
	buf_release(&report);
}

static void a_segment_that_a_crash_left_is_not_counted_twice(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop");
	struct buf want, report = { 0 };

	fill(m);
	want = live_store_sum(m, &q);
	live_store_close(m);
	run("cd %s; f=$(find seg -name '*.cps' | sort | head -1); cp $f ${f%%.cps}X.cps", m->dir);
	live_store_open(m);
	check_sum(m, &q, &want);
	assert_int_equal(live_store_count(m, ".cps"), 3);
	live_store_close(m);
	run("cd %s; f=$(find seg -name '*.cps' | sort | head -1); cp $f ${f%%.cps}X.cps; rm index.db", m->dir);
	repair(m, &report);
	check_sum(m, &q, &want);
	assert_int_equal(live_store_count(m, ".cps"), 3);
	buf_release(&want);
	buf_release(&report);
}

static void a_segment_that_only_the_index_has_lost_is_added_again(void **state)
{
	struct live_store *m = *state;
	struct store_query q = live_store_query("shop");
	struct buf want;

	live_store_close(m);
	run("cp -r %s %s.old", m->dir);
	live_store_open(m);
	fill(m);
	want = live_store_sum(m, &q);
	live_store_close(m);
	run("cp %s.old/index.db %s/; rm -rf %s.old", m->dir);
	live_store_open(m);
	check_sum(m, &q, &want);
	check_sound(m);
	buf_release(&want);
}

/* The sums of everything, as a text; fails when a part cannot be read. */
static int read_all(const char *dir, struct buf *out, struct err *err)
{
	struct store_query shop = live_store_query("shop"), mail = live_store_query("mail"), pin = shop;
	int rc = live_store_try_sum(dir, &shop, out, err);

	pin.pin = "p";
	if (rc == 0)
		rc = live_store_try_sum(dir, &mail, out, err);
	return rc == 0 ? live_store_try_sum(dir, &pin, out, err) : rc;
}

/* Change or cut a file; everything that can be read is as before, and damage is named. */
static void damage_file(struct live_store *m, const char *path, bool cut, const struct buf *want)
{
	const char *base = strrchr(path, '/') + 1;
	struct bytes file;
	size_t step;

	assert_int_equal(io_read_file(path, 1 << 24, NULL, &file, &m->err), 0);
	step = getenv("CPA_TEST_LONG") ? 1 : 1 + file.n / 200;
	for (size_t i = 0; i < file.n; i += step) {
		struct buf got = { 0 };
		struct err err = { 0 };
		int rc;

		file.data[i] ^= (uint8_t)(1 << i % 8);
		assert_int_equal(io_write_file(path, file.data, cut ? i : file.n, &m->err), 0);
		file.data[i] ^= (uint8_t)(1 << i % 8);
		rc = read_all(m->dir, &got, &err);
		if (rc == 0)
			assert_string_equal(buf_text(&got), buf_text(want));
		else if (!strstr(err.msg, base) && !strstr(err.msg, m->dir))
			fail_msg("%s, byte %zu: %d: %s", base, i, rc, err.msg);
		buf_release(&got);
	}
	assert_int_equal(io_write_file(path, file.data, file.n, &m->err), 0);
	free(file.data);
}

static void damage_all(struct live_store *m, bool cut)
{
	struct store_query q = live_store_query("shop");
	struct buf want = { 0 };
	char path[512];
	FILE *list;

	fill(m);
	assert_int_equal(upkeep_pin(m->w, "p", &q, "shop@all", &m->err), 0);
	live_store_close(m);
	assert_int_equal(read_all(m->dir, &want, &m->err), 0);
	snprintf(path, sizeof(path), "find %s -type f ! -name lock ! -name 'index.db-*' ! -name '*.cpj'", m->dir);
	list = popen(path, "r");
	assert_non_null(list);
	while (fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = 0;
		damage_file(m, path, cut, &want);
	}
	pclose(list);
	buf_release(&want);
	check_sound(m);
}

static void a_changed_byte_gives_no_wrong_number(void **state)
{
	damage_all(*state, false);
}

static void a_cut_gives_no_wrong_number(void **state)
{
	damage_all(*state, true);
}

/* A store of segments, a pin, and a journal that a killed writer left. */
static void fill_and_kill(struct live_store *m)
{
	struct store_query q = live_store_query("shop");
	pid_t child;

	fill(m);
	assert_int_equal(upkeep_pin(m->w, "p", &q, "shop@all", &m->err), 0);
	live_store_close(m);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		live_store_open(m);
		for (int i = 0; i < 4; i++) {
			live_store_append(m, i % 2 ? "mail" : "shop", 1, store_time + i * STORE_SECOND, 5);
			if (writer_commit(m->w, &m->err))
				_exit(1);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* A store that is sound for verify is opened by a writer without a note; repair makes every other store sound. */
static void check_agreement(struct live_store *m, const char *file, size_t at, const struct buf *want)
{
	struct buf report = { 0 }, notes = { 0 }, repaired = { 0 }, got = { 0 };
	struct err err = { 0 }, err_of_verify = { 0 };
	int damaged = live_store_verify(m->dir, &report, &err_of_verify);
	struct store_writer_options o = { .cap = m->cap, .retain_raw_ns = m->retain, .now = live_store_now };
	int rc = upkeep_open_writer(m->dir, false, &o, &m->w, NULL, &err);

	if (rc == 0) {
		writer_take_notes(m->w, &notes);
		rc = upkeep_close_writer(m->w, &err);
	}
	m->w = NULL;
	if (damaged == 0 && (rc < 0 || notes.len || read_all(m->dir, &got, &err) < 0))
		fail_msg("%s, byte %zu: verify finds nothing, the writer: %s%s", file, at, buf_text(&notes), err.msg);
	if (damaged == 0)
		assert_string_equal(buf_text(&got), buf_text(want));
	if (upkeep_repair(m->dir, &repaired, &err))
		fail_msg("%s, byte %zu: verify: %s%s; repair: %s", file, at, buf_text(&report), err_of_verify.msg,
			 err.msg);
	report.len = 0;
	if (live_store_verify(m->dir, &report, &err))
		fail_msg("%s, byte %zu: after repair: %s%s", file, at, buf_text(&report), err.msg);
	buf_release(&report);
	buf_release(&notes);
	buf_release(&repaired);
	buf_release(&got);
}

static void verify_repair_and_writers_agree(void **state)
{
	enum { POSITIONS = 10 };
	struct live_store *m = *state;
	struct buf want = { 0 };
	struct bytes file;
	char list[400], path[512], old[80], *base;
	FILE *files;

	fill_and_kill(m);
	assert_int_equal(read_all(m->dir, &want, &m->err), 0);
	snprintf(old, sizeof(old), "%s.old", m->dir);
	snprintf(list, sizeof(list), "cp -a %s %s && cd %s && find * -type f ! -name lock ! -name 'index.db-*'", m->dir,
		 old, old);
	files = popen(list, "r");
	assert_non_null(files);
	while (fgets(list, sizeof(list), files)) {
		size_t n;

		list[strcspn(list, "\n")] = 0;
		base = strrchr(list, '.');
		snprintf(path, sizeof(path), "%s/%s", old, list);
		assert_int_equal(io_read_file(path, 1 << 26, NULL, &file, &m->err), 0);
		/* after the end of a journal there are zeros, and a change in its last batch looks like a crash */
		n = base && strcmp(base, ".cpj") == 0 ? 600 : file.n;
		for (size_t i = 0; i <= POSITIONS; i++) {
			size_t at = i * (n - 1) / POSITIONS;
			char command[256];

			snprintf(command, sizeof(command), "rm -rf %s && cp -a %s %s", m->dir, old, m->dir);
			assert_int_equal(system(command), 0);
			snprintf(path, sizeof(path), "%s/%s", m->dir, list);
			file.data[at] ^= 0x41;
			assert_int_equal(io_write_file(path, file.data, i % 3 == 2 ? at : file.n, &m->err), 0);
			file.data[at] ^= 0x41;
			check_agreement(m, list, at, &want);
		}
		free(file.data);
	}
	pclose(files);
	run("rm -rf %s.old", m->dir);
	buf_release(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, live_store_set_up, live_store_tear_down)
		TEST(a_pin_survives_compaction_and_removal),
		TEST(a_pin_contains_what_is_not_flushed_yet),
		TEST(refuses_names_of_pins_that_are_no_file_names),
		TEST(removes_one_instance_and_nothing_else),
		TEST(an_export_can_be_imported_elsewhere_and_twice),
		TEST(a_store_without_index_works_after_repair),
		TEST(repair_keeps_the_sound_chapters_of_a_damaged_segment),
		TEST(a_segment_that_a_crash_left_is_not_counted_twice),
		TEST(a_segment_that_only_the_index_has_lost_is_added_again),
		TEST(a_changed_byte_gives_no_wrong_number),
		TEST(a_cut_gives_no_wrong_number),
		TEST(verify_repair_and_writers_agree),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
