/*
 * test_catalogue.c - index.db of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/catalogue/catalogue.h"

#include "base/io.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
	char dir[64], index[80];
	struct err err;
	struct catalogue *c;
};

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	strcpy(p->dir, "/tmp/cpa-catalogue-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->index, sizeof(p->index), "%s/index.db", p->dir);
	assert_int_equal(catalogue_open(p->dir, CATALOGUE_CREATE, &p->c, &p->err), 0);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;
	char command[128];

	catalogue_close(p->c);
	snprintf(command, sizeof(command), "rm -rf %s", p->dir);
	assert_int_equal(system(command), 0);
	free(p);
	return 0;
}

static void reopen(struct place *p, enum catalogue_mode mode)
{
	catalogue_close(p->c);
	p->c = NULL;
	if (catalogue_open(p->dir, mode, &p->c, &p->err))
		fail_msg("%s", p->err.msg);
}

/* A chapter of one series whose label instance has a number, with one block of [t0, t1]. */
struct small_chapter {
	struct chapter c;
	struct dict_series series;
	str_id name[2], value[2];
	struct block_entry block;
	struct store_mark mark;
};

static void make_chapter(struct small_chapter *s, const char *service, int instance, int64_t t0, int64_t t1)
{
	char text[32];
	struct strtab *str = strtab_new();

	snprintf(text, sizeof(text), "10.0.0.%d", instance);
	*s = (struct small_chapter){ .name = { strtab_addz(str, "env"), strtab_addz(str, "instance") },
				     .value = { strtab_addz(str, "prod"), strtab_addz(str, text) },
				     .block = { .t0 = t0, .t1 = t1, .profiles = 2 },
				     .mark = { .time_ns = t0, .env = "prod", .kind = "deploy", .text = "2.4.0" } };
	s->series = (struct dict_series){
		.kind = strtab_addz(str, "cpu"), .n_labels = 2, .name = s->name, .value = s->value
	};
	snprintf((char *)s->series.hash, sizeof(s->series.hash), "%.8s %d", service, instance);
	s->c = (struct chapter){ .service = (char *)service,
				 .t0 = t0,
				 .t1 = t1,
				 .profiles = 2,
				 .dict = { .str = str, .n_series = 1, .series = &s->series },
				 .n_blocks = 1,
				 .block = &s->block,
				 .n_marks = 1,
				 .mark = &s->mark };
}

static void add_series(struct place *p, const char *service, int instance, int64_t t0, int64_t t1)
{
	struct small_chapter s;

	make_chapter(&s, service, instance, t0, t1);
	assert_int_equal(catalogue_begin(p->c, &p->err), 0);
	assert_int_equal(catalogue_add_series(p->c, &s.c, &p->err), 0);
	if (catalogue_commit(p->c, &p->err))
		fail_msg("%s", p->err.msg);
	strtab_free(s.c.dict.str);
}

static int add_line(void *arg, const struct catalogue_series *s, struct err *err)
{
	struct buf *b = arg;

	(void)err;
	buf_addf(b, "%s/%s", s->service, s->kind);
	for (size_t i = 0; i < s->n_labels; i++)
		buf_addf(b, " %s=%s", s->label[i].name, s->label[i].value);
	buf_addf(b, " %" PRId64 "..%" PRId64 "\n", s->first, s->last);
	return 0;
}

static int add_mark_line(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	(void)err;
	buf_addf(arg, "%s %" PRId64 " %s %s %s\n", service, m->time_ns, m->env, m->kind, m->text);
	return 0;
}

static int add_pin_line(void *arg, const struct catalogue_pin *p, struct err *err)
{
	(void)err;
	buf_addf(arg, "%s %s %s %" PRId64 " %" PRIu64 "\n", p->name, p->file, p->spec, p->made, p->bytes);
	return 0;
}

static int add_loss_line(void *arg, const struct catalogue_loss *l, struct err *err)
{
	(void)err;
	buf_addf(arg, "%s %" PRId64 "..%" PRId64 " %" PRIu64 "\n", l->what, l->t0, l->t1, l->profiles);
	return 0;
}

static int dump(struct catalogue *c, struct buf *b, struct err *err)
{
	struct catalogue_query all = { .t0 = INT64_MIN, .t1 = INT64_MAX };
	struct catalogue_selection sel;
	int rc = catalogue_each_series(c, &all, "", add_line, b, err);

	if (rc == 0)
		rc = catalogue_each_mark(c, &all, "", add_mark_line, b, err);
	if (rc == 0)
		rc = catalogue_each_pin(c, NULL, add_pin_line, b, err);
	if (rc == 0)
		rc = catalogue_each_loss(c, INT64_MIN, INT64_MAX, add_loss_line, b, err);
	if (rc == 0)
		rc = catalogue_select(c, &all, &sel, err);
	if (rc < 0)
		return rc;
	buf_addf(b, "journal %" PRId64 "\n", sel.next_journal);
	catalogue_selection_release(&sel);
	return catalogue_get_text(c, "uuid", b, err);
}

static void check_series(struct place *p, const struct catalogue_query *q, const char *want)
{
	struct buf b = { 0 };

	if (catalogue_each_series(p->c, q, "", add_line, &b, &p->err))
		fail_msg("%s", p->err.msg);
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void finds_series_by_service_pattern_and_span(void **state)
{
	struct place *p = *state;

	add_series(p, "shop", 1, 100, 200);
	add_series(p, "shop", 1, 150, 300);
	add_series(p, "shop", 2, 400, 400);
	add_series(p, "sh[op", 3, 100, 200);
	check_series(p, &(struct catalogue_query){ "shop", false, 0, 1000 },
		     "shop/cpu env=prod instance=10.0.0.1 100..300\nshop/cpu env=prod instance=10.0.0.2 400..400\n");
	check_series(p, &(struct catalogue_query){ "shop", false, 301, 400 }, "");
	check_series(p, &(struct catalogue_query){ "shop", false, 300, 400 },
		     "shop/cpu env=prod instance=10.0.0.1 100..300\n");
	check_series(p, &(struct catalogue_query){ "sh[*", true, 0, 1000 },
		     "sh[op/cpu env=prod instance=10.0.0.3 100..200\n");
	check_series(p, &(struct catalogue_query){ "sh*", false, 0, 1000 }, "");
	check_series(p, &(struct catalogue_query){ "?h*p", true, 400, 500 },
		     "shop/cpu env=prod instance=10.0.0.2 400..400\n");
}

static void forgets_a_service(void **state)
{
	struct place *p = *state;

	add_series(p, "shop", 1, 100, 200);
	add_series(p, "mail", 2, 100, 200);
	assert_int_equal(catalogue_begin(p->c, &p->err), 0);
	assert_int_equal(catalogue_remove_service(p->c, "shop", &p->err), 0);
	assert_int_equal(catalogue_commit(p->c, &p->err), 0);
	check_series(p, &(struct catalogue_query){ .t1 = 1000 }, "mail/cpu env=prod instance=10.0.0.2 100..200\n");
	assert_int_equal(catalogue_verify(p->c, &p->err), 0);
}

static void fill(struct place *p)
{
	struct catalogue_pin pin = { "2.4.0", "pin/2.4.0.cpx", "shop@all", 7, 4096 };
	struct catalogue_loss loss = { .t0 = 5, .t1 = 6, .what = "cap", .profiles = 3 };

	add_series(p, "shop", 1, 100, 200);
	add_series(p, "mail", 2, 100, 200);
	assert_int_equal(catalogue_begin(p->c, &p->err), 0);
	assert_int_equal(catalogue_set_text(p->c, "uuid", "0123", &p->err), 0);
	assert_int_equal(catalogue_set_number(p->c, "next_journal", 7, &p->err), 0);
	assert_int_equal(catalogue_add_pin(p->c, &pin, &p->err), 0);
	assert_int_equal(catalogue_add_loss(p->c, &loss, &p->err), 0);
	assert_int_equal(catalogue_commit(p->c, &p->err), 0);
}

static void keeps_everything_after_closing(void **state)
{
	struct place *p = *state;
	struct buf b = { 0 };
	int64_t n;

	fill(p);
	reopen(p, CATALOGUE_READ);
	assert_int_equal(dump(p->c, &b, &p->err), 1);
	assert_string_equal(buf_text(&b), "mail/cpu env=prod instance=10.0.0.2 100..200\n"
					  "shop/cpu env=prod instance=10.0.0.1 100..200\n"
					  "mail 100 prod deploy 2.4.0\nshop 100 prod deploy 2.4.0\n"
					  "2.4.0 pin/2.4.0.cpx shop@all 7 4096\ncap 5..6 3\njournal 7\n0123");
	assert_int_equal(catalogue_get_number(p->c, "cap", &n, &p->err), 0);
	buf_release(&b);
}

static void undoes_a_transaction(void **state)
{
	struct place *p = *state;
	struct buf b = { 0 };

	assert_int_equal(catalogue_begin(p->c, &p->err), 0);
	assert_int_equal(catalogue_set_text(p->c, "uuid", "0123", &p->err), 0);
	catalogue_rollback(p->c);
	catalogue_rollback(p->c);
	assert_int_equal(catalogue_get_text(p->c, "uuid", &b, &p->err), 0);
}

static void a_reader_sees_one_moment_and_does_not_stop_the_writer(void **state)
{
	struct place *p = *state;
	struct catalogue *reader;
	struct buf before = { 0 }, during = { 0 }, after = { 0 };

	fill(p);
	assert_int_equal(catalogue_open(p->dir, CATALOGUE_READ, &reader, &p->err), 0);
	assert_int_equal(catalogue_read_begin(reader, &p->err), 0);
	assert_int_equal(dump(reader, &before, &p->err), 1);
	add_series(p, "new", 9, 100, 200);
	assert_int_equal(dump(reader, &during, &p->err), 1);
	assert_string_equal(buf_text(&before), buf_text(&during));
	catalogue_read_end(reader);
	assert_int_equal(dump(reader, &after, &p->err), 1);
	assert_non_null(strstr(buf_text(&after), "new/cpu"));
	catalogue_close(reader);
	add_series(p, "new", 10, 100, 200);
	assert_true(catalogue_bytes(p->c) <= catalogue_bytes_max(p->c));
	buf_release(&before);
	buf_release(&during);
	buf_release(&after);
}

static void stays_below_its_limit(void **state)
{
	struct place *p = *state;
	struct small_chapter s;
	uint64_t max;
	int rc = 0;

	assert_int_equal(catalogue_set_limit(p->c, 0, &p->err), 0);
	for (int t = 0; t < 100 && rc == 0; t++) {
		max = catalogue_bytes_max(p->c);
		rc = catalogue_begin(p->c, &p->err);
		for (int i = 0; i < 1000 && rc == 0; i++) {
			char service[300];

			snprintf(service, sizeof(service), "%d %290d", i * 100 + t, 0);
			make_chapter(&s, service, i, 0, 0);
			memcpy(s.series.hash, &(uint64_t[2]){ (uint64_t)i, (uint64_t)t }, 16);
			rc = catalogue_add_series(p->c, &s.c, &p->err);
			strtab_free(s.c.dict.str);
		}
		if (rc == 0)
			rc = catalogue_commit(p->c, &p->err);
		catalogue_rollback(p->c);
		assert_true(catalogue_bytes(p->c) <= max);
	}
	assert_int_equal(rc, ERR_LIMIT);
	assert_non_null(strstr(p->err.msg, "no room"));
	assert_true(catalogue_bytes(p->c) < 5 << 20);
	add_series(p, "small", 1, 0, 0);
	assert_int_equal(catalogue_verify(p->c, &p->err), 0);
}

static void refuses_files_that_are_not_an_index(void **state)
{
	struct place *p = *state;
	struct catalogue *c;

	catalogue_close(p->c);
	p->c = NULL;
	unlink(p->index);
	assert_int_equal(catalogue_open(p->dir, CATALOGUE_READ, &c, &p->err), ERR_FORMAT);
	assert_non_null(strstr(p->err.msg, "cpa store repair"));
	assert_int_equal(io_write_file(p->index, "garbage", 7, &p->err), 0);
	assert_int_equal(catalogue_open(p->dir, CATALOGUE_READ, &c, &p->err), ERR_FORMAT);
	assert_non_null(strstr(p->err.msg, "index.db"));
	assert_int_equal(catalogue_open(p->dir, CATALOGUE_WRITE, &c, &p->err), ERR_FORMAT);
}

/* Read everything of a changed index.db: it is as before, or the damage is named. */
static bool is_noticed(struct place *p, const char *want)
{
	struct catalogue *c = NULL;
	struct buf b = { 0 };
	int rc = catalogue_open(p->dir, CATALOGUE_READ, &c, &p->err);

	if (rc == 0)
		rc = dump(c, &b, &p->err);
	if (rc < 0 && (rc != ERR_FORMAT || !strstr(p->err.msg, "index.db")))
		fail_msg("%d: %s", rc, p->err.msg);
	if (rc >= 0)
		assert_string_equal(buf_text(&b), want);
	catalogue_close(c);
	buf_release(&b);
	return rc < 0;
}

/* Change or cut index.db at many places; CPA_TEST_LONG: at every byte. */
static void damage(struct place *p, bool cut)
{
	size_t step = getenv("CPA_TEST_LONG") ? 1 : 149, noticed = 0, all = 0;
	struct buf want = { 0 };
	struct bytes file;

	fill(p);
	assert_int_equal(dump(p->c, &want, &p->err), 1);
	catalogue_close(p->c);
	p->c = NULL;
	assert_int_equal(io_read_file(p->index, 1 << 24, NULL, &file, &p->err), 0);
	for (size_t i = 0; i < file.n; i += i < 100 ? 1 : step) {
		file.data[i] ^= 0x5a;
		assert_int_equal(io_write_file(p->index, file.data, cut ? i : file.n, &p->err), 0);
		file.data[i] ^= 0x5a;
		noticed += is_noticed(p, buf_text(&want));
		all++;
	}
	assert_int_equal(io_write_file(p->index, file.data, file.n, &p->err), 0);
	assert_false(is_noticed(p, buf_text(&want)));
	assert_true(noticed > all / 2); /* some pages are not read: free ones, and those of empty tables */
	free(file.data);
	buf_release(&want);
}

static void notices_every_changed_byte(void **state)
{
	damage(*state, false);
}

static void notices_every_cut(void **state)
{
	damage(*state, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(finds_series_by_service_pattern_and_span),
		TEST(forgets_a_service),
		TEST(keeps_everything_after_closing),
		TEST(undoes_a_transaction),
		TEST(a_reader_sees_one_moment_and_does_not_stop_the_writer),
		TEST(stays_below_its_limit),
		TEST(refuses_files_that_are_not_an_index),
		TEST(notices_every_changed_byte),
		TEST(notices_every_cut),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
