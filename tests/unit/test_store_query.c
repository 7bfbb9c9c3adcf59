/*
 * test_store_query.c - queries of a store that is written: lists, totals, single profiles, errors, damage, readers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/read/local.h"
#include "store/store.h"

#include "base/pool.h"
#include "base/regex.h"
#include "profile/forest.h"
#include "store/local/format/block.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"
#include "tests/unit/make_profile.h"

#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MINUTE (INT64_C(60) * 1000000000)
#define START (INT64_C(1795000000) * 1000000000) /* 2026-11-18 11:06:40 UTC */

enum { INSTANCES = 3, PROFILES = 10 };

struct place {
	char dir[64];
	struct store_writer *w;
	struct store *s;
	struct err err;
};

static int64_t test_now(void)
{
	return START + 600 * MINUTE;
}

static void check(struct place *p, int rc)
{
	if (rc < 0)
		fail_msg("%s", p->err.msg);
}

static void open_writer(struct place *p)
{
	static const struct store_writer_options options = { .retain_raw_ns = INT64_MAX, .now = test_now };

	check(p, upkeep_open_writer(p->dir, true, &options, &p->w, NULL, &p->err));
}

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	strcpy(p->dir, "/tmp/cpa-query-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	open_writer(p);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;
	char command[128];

	store_close(p->s);
	upkeep_close_writer(p->w, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", p->dir);
	assert_int_equal(system(command), 0);
	free(p);
	return 0;
}

/* Append a profile with one row per value in stacks "a", "b" ... */
static void append(struct place *p, const char *service, const char *kind, const char *instance, int64_t start,
		   const char *types, const int64_t *value, int n_rows)
{
	struct store_label label = { "instance", instance };
	struct store_input in = { .service = service, .kind = kind, .label = &label, .n_labels = 1, .start_ns = start };
	struct make m = make_start(types);
	uint32_t n_types = builder_n_types(m.b);
	struct profile *profile;
	bool duplicate;

	for (int r = 0; r < n_rows; r++)
		make_row(&m, (char[]){ (char)('a' + r), 0 }, value + r * (int)n_types, NULL, 0);
	profile = make_end(&m);
	in.profile = profile;
	check(p, writer_append(p->w, &in, NULL, &duplicate, &p->err));
	assert_false(duplicate);
	profile_free(profile);
}

/* Add a profile of n rows, whose functions are numbered from first on, 7 apart, modulo 9000. */
static void append_many(struct place *p, const char *instance, int64_t start, unsigned first, unsigned n)
{
	struct store_label label = { "instance", instance };
	struct store_input in = { .service = "shop", .kind = "cpu", .label = &label, .n_labels = 1, .start_ns = start };
	struct make m = make_start("cpu/nanoseconds");
	struct profile *profile;
	bool duplicate;

	for (unsigned i = 0; i < n; i++) {
		char name[16];
		int64_t value = (1 << 24) + (int64_t)i;

		snprintf(name, sizeof(name), "f%u", n > 9000 ? i + 9000 : (first + 7 * i) % 9000);
		make_row(&m, name, &value, NULL, 0);
	}
	profile = make_end(&m);
	in.profile = profile;
	check(p, writer_append(p->w, &in, NULL, &duplicate, &p->err));
	profile_free(profile);
}

/* Profile k of instance i has samples 1, 10 ns, and 100 * i + k, 7 ns, and starts at minute 10 * k + i. */
static void append_all(struct place *p)
{
	static const char *const instance[INSTANCES] = { "x", "y", "z" };

	for (int k = 0; k < PROFILES; k++)
		for (int i = 0; i < INSTANCES; i++) {
			int64_t value[4] = { 1, 10, 100 * i + k, 7 };

			append(p, "shop", "cpu", instance[i], START + (10 * k + i) * MINUTE,
			       "samples/count cpu/nanoseconds", value, 2);
		}
	check(p, writer_commit(p->w, &p->err));
}

static struct store_query query(const char *service, const char *kind)
{
	return (struct store_query){ .service = service, .kind = kind, .t0 = INT64_MIN, .t1 = INT64_MAX };
}

/* Open again, to see the current state. */
static void reopen(struct place *p)
{
	store_close(p->s);
	p->s = NULL;
	check(p, local_open(p->dir, &p->s, &p->err));
}

static int64_t total(const struct profile *p, uint32_t type)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->n_rows; i++)
		sum += p->value[type][i];
	return sum;
}

/* The sum of a column of a query, and the number of its profiles. */
static int64_t read_total(struct place *p, const struct store_query *q, uint32_t type, uint64_t *profiles)
{
	struct profile *profile;
	struct store_sum sum;
	int64_t v;

	check(p, store_read(p->s, q, NULL, &profile, &sum, &p->err));
	v = total(profile, type);
	*profiles = sum.profiles;
	profile_free(profile);
	store_sum_release(&sum);
	return v;
}

static int flush_and_maintain(struct place *p)
{
	struct buf report = { 0 };
	int rc = writer_flush(p->w, &p->err);

	if (rc >= 0)
		rc = upkeep_run(p->w, true, false, NULL, &report, &p->err);
	buf_release(&report);
	return rc;
}

static void journals_and_segments_give_the_same_sums(void **state)
{
	struct place *p = *state;
	struct store_query q = query("shop", "cpu");
	uint64_t n;

	append_all(p);
	q.t0 = START + 20 * MINUTE;
	q.t1 = START + 40 * MINUTE; /* k = 2 and 3 of each instance */
	for (int i = 0; i < 3; i++) {
		reopen(p);
		assert_int_equal(read_total(p, &q, 0, &n), 6 + 2 * (0 + 100 + 200) + 3 * (2 + 3));
		assert_int_equal(n, 6);
		assert_int_equal(read_total(p, &q, 1, &n), 6 * 17);
		check(p, i ? flush_and_maintain(p) : writer_flush(p->w, &p->err));
	}
}

/* A query of a report that only adds up: totals are expected, and a forest if has_forest. */
static void read_forest(struct place *p, const struct store_query *q, bool has_forest, int64_t samples, int64_t cpu)
{
	struct store_query own = *q;
	struct profile *profile;
	struct store_sum sum;
	int64_t value[2], seen[2] = { 0 };

	own.adds_up = true;
	check(p, store_read(p->s, &own, NULL, &profile, &sum, &p->err));
	assert_int_equal(profile->forest != NULL, has_forest);
	assert_int_equal(total(profile, 0), samples);
	assert_int_equal(total(profile, 1), cpu);
	for (uint32_t i = 0; has_forest && i < profile->forest->n_trees; i++) {
		const struct forest_tree *t = &profile->forest->tree[i];
		struct forest_reader r;
		struct forest_node node;

		forest_reader_init(&r, t, 2);
		while (forest_read(&r, &node, value)) {
			assert_true(node.loc < profile->n_locs);
			for (uint32_t type = 0; node.has_value && type < 2; type++) {
				int64_t factor, v = value[forest_find_column(t, type, &factor)];

				seen[type] += v * factor;
			}
		}
	}
	if (has_forest) {
		assert_int_equal(seen[0], samples);
		assert_int_equal(seen[1], cpu);
	}
	profile_free(profile);
	store_sum_release(&sum);
}

static void forests_of_journals_and_segments_have_the_same_sums(void **state)
{
	const char *const keep[] = { "instance" };
	struct place *p = *state;
	struct store_query q = query("shop", "cpu");
	int64_t negative[2] = { -3, -30 };

	append_all(p);
	q.t0 = START + 20 * MINUTE;
	q.t1 = START + 40 * MINUTE;
	for (int i = 0; i < 3; i++) {
		reopen(p);
		read_forest(p, &q, true, 6 + 2 * (0 + 100 + 200) + 3 * (2 + 3), 6 * 17);
		check(p, i ? flush_and_maintain(p) : writer_flush(p->w, &p->err));
	}
	q.n_keep = 1;
	q.keep = keep;
	read_forest(p, &q, false, 6 + 2 * (0 + 100 + 200) + 3 * (2 + 3), 6 * 17);
	q.n_keep = 0;
	q.reduce = REDUCE_LAST;
	read_forest(p, &q, false, 3 + (0 + 100 + 200) + 3 * 3, 3 * 17);
	q.reduce = REDUCE_DEFAULT;
	append(p, "shop", "cpu", "x", START + 39 * MINUTE, "samples/count cpu/nanoseconds", negative, 1);
	check(p, writer_commit(p->w, &p->err));
	reopen(p);
	read_forest(p, &q, false, 6 + 2 * (0 + 100 + 200) + 3 * (2 + 3) - 3, 6 * 17 - 30);
}

/* --- lists --- */

struct listed {
	struct buf text;
	uint8_t last_id[16];
	int n;
};

static int add_item(void *arg, const struct store_item *item, struct err *err)
{
	struct listed *l = arg;

	(void)err;
	buf_addf(&l->text, "%s%s/%s{%s=%s}%d", l->n++ ? " " : "", item->service, item->kind, item->label[0].name,
		 item->label[0].value, (int)((item->start_ns - START) / MINUTE));
	memcpy(l->last_id, item->id, sizeof(l->last_id));
	assert_int_equal(item->n_types, 2);
	assert_string_equal(item->type[1], "cpu");
	assert_string_equal(item->unit[1], "nanoseconds");
	return 0;
}

static struct profile *read_with_threads(struct place *p, unsigned threads)
{
	struct store_query q = query("shop", "cpu");
	struct profile *profile;
	struct store_sum sum;

	pool_set_size(threads);
	check(p, store_read(p->s, &q, NULL, &profile, &sum, &p->err));
	pool_set_size(0);
	store_sum_release(&sum);
	return profile;
}

/* The second chapter has two series whose rows were added in turn, and enough bytes for a slice of each with many threads. */
static void the_order_of_rows_does_not_depend_on_threads(void **state)
{
	struct place *p = *state;
	struct profile *one, *many;

	append_many(p, "x", START, 0, 9500);
	check(p, writer_flush(p->w, &p->err));
	for (unsigned k = 0; k < 24; k++)
		append_many(p, k % 2 ? "y" : "x", START + (k + 1) * MINUTE, k * 900, 3000);
	check(p, writer_flush(p->w, &p->err));
	reopen(p);
	one = read_with_threads(p, 1);
	many = read_with_threads(p, 8);
	assert_int_equal(one->n_rows, many->n_rows);
	assert_true(one->n_rows > 9500 + 8000);
	for (uint32_t i = 0; i < one->n_rows; i++) {
		const struct profile *pair[] = { one, many };
		const char *name[2];

		for (int k = 0; k < 2; k++) {
			uint32_t loc = stack_id_at(&pair[k]->stacks, pair[k]->stacks.off[pair[k]->stack[i]]);

			name[k] = profile_text(pair[k], pair[k]->func_name[pair[k]->line_func[pair[k]->loc_line[loc]]]);
		}
		assert_string_equal(name[0], name[1]);
		assert_int_equal(one->value[0][i], many->value[0][i]);
	}
	profile_free(one);
	profile_free(many);
}

static void lists_are_in_order_of_series_then_time(void **state)
{
	struct place *p = *state;
	struct store_query q = query("s*p", "cpu");
	struct listed l = { 0 };

	append_all(p);
	reopen(p);
	q.is_pattern = true;
	q.t0 = START + 10 * MINUTE;
	q.t1 = START + 31 * MINUTE;
	check(p, store_list(p->s, &q, NULL, add_item, &l, &p->err));
	assert_string_equal(l.text.data, "shop/cpu{instance=x}10 shop/cpu{instance=x}20 shop/cpu{instance=x}30 "
					 "shop/cpu{instance=y}11 shop/cpu{instance=y}21 "
					 "shop/cpu{instance=z}12 shop/cpu{instance=z}22");
	buf_release(&l.text);
}

static void a_limit_selects_the_latest_profiles(void **state)
{
	struct place *p = *state;
	struct store_query q = query("shop", "cpu");
	struct listed l = { 0 };
	uint64_t n;

	append_all(p);
	q.limit = 4;
	for (int i = 0; i < 2; i++) {
		reopen(p);
		check(p, store_list(p->s, &q, NULL, add_item, &l, &p->err));
		assert_string_equal(l.text.data, "shop/cpu{instance=x}90 shop/cpu{instance=y}91 "
						 "shop/cpu{instance=z}82 shop/cpu{instance=z}92");
		assert_int_equal(read_total(p, &q, 0, &n), 4 + 9 + 109 + 208 + 209);
		assert_int_equal(n, 4);
		buf_release(&l.text);
		l = (struct listed){ 0 };
		check(p, writer_flush(p->w, &p->err));
	}
}

static void an_id_selects_one_profile(void **state)
{
	struct place *p = *state;
	struct store_query q = query("shop", "");
	struct listed l = { 0 }, one = { 0 };
	uint64_t n;

	append_all(p);
	reopen(p);
	check(p, store_list(p->s, &q, NULL, add_item, &l, &p->err));
	q.id = l.last_id;
	check(p, store_list(p->s, &q, NULL, add_item, &one, &p->err));
	assert_string_equal(one.text.data, "shop/cpu{instance=z}92");
	assert_int_equal(read_total(p, &q, 0, &n), 1 + 209);
	assert_int_equal(n, 1);
	l.last_id[3] ^= 1;
	assert_int_equal(store_read(p->s, &q, NULL, NULL, NULL, &p->err), ERR_IO);
	assert_string_equal(p->err.msg, "no profile has this id");
	buf_release(&l.text);
	buf_release(&one.text);
}

static int add_series_line(void *arg, const struct store_series *s, struct err *err)
{
	(void)err;
	buf_addf(arg, "%s/%s %s=%s %d..%d %d\n", s->service, s->kind, s->label[0].name, s->label[0].value,
		 (int)((s->first_ns - START) / MINUTE), (int)((s->last_ns - START) / MINUTE), (int)s->profiles);
	return 0;
}

static void series_are_counted_in_the_window(void **state)
{
	struct place *p = *state;
	struct store_query q = query("shop", "cpu");
	struct buf text = { 0 };

	append_all(p);
	check(p, writer_flush(p->w, &p->err));
	reopen(p);
	q.t0 = START + 11 * MINUTE;
	q.t1 = START + 90 * MINUTE;
	check(p, store_each_series(p->s, &q, add_series_line, &text, &p->err));
	assert_string_equal(text.data, "shop/cpu instance=x 20..80 7\n"
				       "shop/cpu instance=y 11..81 8\n"
				       "shop/cpu instance=z 12..82 8\n");
	buf_release(&text);
}

/* --- totals --- */

static int add_total_line(void *arg, const struct store_block_total *t, struct err *err)
{
	(void)err;
	buf_addf(arg, "%s %d..%d %d:", t->label[0].value, (int)((t->t0 - START) / MINUTE),
		 (int)((t->t1 - START) / MINUTE), (int)t->profiles);
	for (uint32_t i = 0; i < t->n_types; i++)
		buf_addf(arg, " %" PRId64 " %s", t->total[i], t->type[i]);
	buf_addz(arg, "\n");
	return 0;
}

static void totals_of_blocks_in_one_step_are_not_decoded(void **state)
{
	struct place *p = *state;
	struct store_query q = query("shop", "cpu");
	struct label_match match = { MATCH_EQUAL, "instance", "y", NULL };
	struct buf text = { 0 };

	append_all(p);
	reopen(p);
	q.match = &match;
	q.n_match = 1;
	check(p, store_totals(p->s, &q, NULL, add_total_line, &text, &p->err));
	assert_string_equal(text.data, "y 1..91 10: 1055 samples 170 cpu\n");
	buf_release(&text);
	text = (struct buf){ 0 };
	q.t0 = START + 60 * MINUTE;
	check(p, store_totals(p->s, &q, NULL, add_total_line, &text, &p->err));
	assert_string_equal(text.data, "y 61..61 1: 107 samples 17 cpu\n"
				       "y 71..71 1: 108 samples 17 cpu\n"
				       "y 81..81 1: 109 samples 17 cpu\n"
				       "y 91..91 1: 110 samples 17 cpu\n");
	buf_release(&text);
}

static void totals_of_counters_are_those_of_snapshots(void **state)
{
	struct place *p = *state;
	struct store_query q = query("shop", "mutex");
	struct buf text = { 0 };

	for (int k = 0; k < 4; k++)
		append(p, "shop", "mutex", "x", START + k * MINUTE, "contentions/count delay/nanoseconds",
		       (int64_t[]){ k, 10 * k, 5, 50 }, 2);
	check(p, writer_commit(p->w, &p->err));
	reopen(p);
	q.t0 = START + 2 * MINUTE;
	check(p, store_totals(p->s, &q, NULL, add_total_line, &text, &p->err));
	assert_string_equal(text.data, "x 2..2 1: 7 contentions 70 delay\n"
				       "x 3..3 1: 8 contentions 80 delay\n");
	buf_release(&text);
}

/* --- results --- */

static void different_types_are_merged_as_files_are(void **state)
{
	struct place *p = *state;
	struct store_query q = query("shop", "cpu");
	uint64_t n;

	append(p, "shop", "cpu", "x", START, "samples/count cpu/milliseconds", (int64_t[]){ 1, 10 }, 1);
	append(p, "shop", "cpu", "x", START + 1, "cpu/microseconds", (int64_t[]){ 500, 7 }, 2);
	check(p, writer_commit(p->w, &p->err));
	reopen(p);
	assert_int_equal(read_total(p, &q, 0, &n), 10000 + 500 + 7);
	assert_int_equal(n, 2);
}

static void a_sum_that_overflows_is_an_error(void **state)
{
	struct place *p = *state;
	struct store_query q = query("shop", "cpu");
	struct profile *profile = NULL;
	struct store_sum sum;

	for (int i = 0; i < 2; i++)
		append(p, "shop", "cpu", i ? "x" : "y", START + i, "cpu/count", (int64_t[]){ INT64_MAX - 3 }, 1);
	check(p, writer_commit(p->w, &p->err));
	reopen(p);
	assert_int_equal(store_read(p->s, &q, NULL, &profile, &sum, &p->err), ERR_RANGE);
	assert_non_null(strstr(p->err.msg, "the sum of cpu of all profiles overflows 64 bits"));
	assert_null(profile);
}

static void missing_profiles_are_counted_by_the_usual_distance(void **state)
{
	struct place *p = *state;
	struct store_query q = query("shop", "cpu");
	struct profile *profile;
	struct store_sum sum;

	for (int k = 0; k < 20; k++)
		if (k != 3 && k != 9 && k != 10)
			append(p, "shop", "cpu", "x", START + k * 10 * MINUTE + k % 3 * 1000, "cpu/count",
			       (int64_t[]){ 1 }, 1);
	check(p, writer_commit(p->w, &p->err));
	reopen(p);
	check(p, store_read(p->s, &q, NULL, &profile, &sum, &p->err));
	assert_int_equal(sum.profiles_missing, 3);
	assert_int_equal(sum.instances, 1);
	assert_int_equal(sum.first_ns, START);
	profile_free(profile);
	store_sum_release(&sum);
}

/* --- errors --- */

static void expect_error(struct place *p, const struct store_query *q, const char *text)
{
	assert_int_equal(store_read(p->s, q, NULL, NULL, NULL, &p->err), ERR_IO);
	assert_string_equal(p->err.msg, text);
}

static void an_empty_window_names_what_there_is(void **state)
{
	struct place *p = *state;
	struct label_match match = { MATCH_EQUAL, "instance", "w", NULL };
	struct store_query q = query("shop", "cpu");

	reopen(p);
	expect_error(p, &q, "nothing of shop; the store is empty");
	append_all(p);
	for (int i = 0; i < 3; i++) { /* the journal, a segment, a journal of another service */
		reopen(p);
		q = query("shop", "cpu");
		q.t0 = START + 100 * MINUTE;
		q.t1 = START + 160 * MINUTE;
		expect_error(p, &q,
			     "nothing of shop in 2026-11-18 12:46:40..13:46:40 UTC; the last profile before it is "
			     "of 2026-11-18 12:38:40 UTC");
		q.t0 = START - 2880 * MINUTE;
		q.t1 = START;
		expect_error(p, &q,
			     "nothing of shop in 2026-11-16 11:06:40..2026-11-18 11:06:40 UTC; the first profile "
			     "after it is of 2026-11-18 11:06:40 UTC");
		q.t0 = START + 2 * MINUTE + 1;
		q.t1 = START + 3 * MINUTE;
		expect_error(p, &q,
			     "nothing of shop in 2026-11-18 11:08:40..11:09:40 UTC; the last profile before it is "
			     "of 2026-11-18 11:08:40 UTC");
		q = query("shpo", "cpu");
		expect_error(p, &q, "nothing of shpo; services are shop");
		q = query("shop", "heap");
		expect_error(p, &q, "nothing of shop/heap; its kinds are cpu");
		q = query("shop", "cpu");
		q.match = &match;
		q.n_match = 1;
		expect_error(p, &q, "nothing of shop; no profile has this instance");
		check(p, writer_flush(p->w, &p->err));
		if (i == 1) {
			append(p, "other", "heap", "w", START, "space/bytes", (int64_t[]){ 1 }, 1);
			check(p, writer_commit(p->w, &p->err));
		}
	}
}

/* Change a byte in the middle of the only segment, where dictionaries and blocks are. */
static void damage_segment(struct place *p)
{
	char pattern[128];
	struct stat st;
	glob_t g;
	uint8_t byte;
	int fd;

	snprintf(pattern, sizeof(pattern), "%s/seg/raw/*/*.cps", p->dir);
	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	assert_int_equal(g.gl_pathc, 1);
	fd = open(g.gl_pathv[0], O_RDWR | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(pread(fd, &byte, 1, 64 + 40), 1);
	byte ^= 0x55;
	assert_int_equal(pwrite(fd, &byte, 1, 64 + 40), 1);
	close(fd);
	globfree(&g);
}

static void damage_is_named_and_can_be_left_out(void **state)
{
	struct place *p = *state;
	struct store_query q = query("shop", "cpu");
	struct profile *profile = NULL;
	struct store_sum sum;

	append_all(p);
	check(p, writer_flush(p->w, &p->err));
	append(p, "shop", "cpu", "x", START + 500 * MINUTE, "samples/count cpu/nanoseconds", (int64_t[]){ 5, 55 }, 1);
	check(p, writer_commit(p->w, &p->err));
	damage_segment(p);
	reopen(p);
	assert_int_equal(store_read(p->s, &q, NULL, &profile, &sum, &p->err), ERR_FORMAT);
	assert_ptr_equal(strstr(p->err.msg, "shop, 2026-11-18 11:06:40..12:38:40 UTC, is damaged: seg/raw/2026/"),
			 p->err.msg);
	q.partial = true;
	q.t1 = START + 400 * MINUTE;
	assert_int_equal(store_read(p->s, &q, NULL, &profile, &sum, &p->err), ERR_FORMAT);
	assert_ptr_equal(strstr(p->err.msg, "nothing is left without the damaged parts: shop, 2026-11-18"), p->err.msg);
	q.t1 = INT64_MAX;
	check(p, store_read(p->s, &q, NULL, &profile, &sum, &p->err));
	assert_true(sum.is_damaged);
	assert_non_null(strstr(sum.notes.data, "it is left out"));
	assert_int_equal(sum.profiles, 1);
	assert_int_equal(total(profile, 0), 5);
	profile_free(profile);
	store_sum_release(&sum);
}

/* --- readers beside the writer --- */

enum { READERS = 8, ROUNDS = 120, STEP = 3 };

/* Profile k has the value k + 1. Exit status 0 if each read was the sum of a prefix that is not shorter than the one before. */
static int read_prefixes(const char *dir)
{
	struct store_query q = query("shop", "cpu");
	uint64_t before = 0;
	struct store *s;
	struct err err;

	if (local_open(dir, &s, &err))
		return 3;
	while (before < ROUNDS * STEP) {
		struct profile *profile;
		struct store_sum sum;
		int rc = store_read(s, &q, NULL, &profile, &sum, &err);

		if (rc && before == 0 && strstr(err.msg, "nothing of"))
			continue;
		if (rc) {
			fprintf(stderr, "reader: %s\n", err.msg);
			return 2;
		}
		if (total(profile, 0) != (int64_t)(sum.profiles * (sum.profiles + 1) / 2) || sum.profiles < before ||
		    sum.profiles % STEP) {
			fprintf(stderr, "reader: %" PRIu64 " profiles after %" PRIu64 ", sum %" PRId64 "\n",
				sum.profiles, before, total(profile, 0));
			return 1;
		}
		before = sum.profiles;
		profile_free(profile);
		store_sum_release(&sum);
	}
	store_close(s);
	return 0;
}

static void eight_readers_see_each_profile_once(void **state)
{
	struct place *p = *state;
	pid_t pid[READERS];

	check(p, upkeep_close_writer(p->w, &p->err)); /* SQLite does not allow a fork with an open database */
	p->w = NULL;
	for (int i = 0; i < READERS; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (pid[i] == 0)
			_exit(read_prefixes(p->dir));
	}
	open_writer(p);
	for (int round = 0; round < ROUNDS; round++) {
		for (int k = round * STEP; k < (round + 1) * STEP; k++)
			append(p, "shop", "cpu", "x", START + k * MINUTE, "cpu/count", (int64_t[]){ k + 1 }, 1);
		check(p, writer_commit(p->w, &p->err));
		if (round % 10 == 9)
			check(p, flush_and_maintain(p));
	}
	for (int i = 0; i < READERS; i++) {
		int status;

		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(journals_and_segments_give_the_same_sums),
		TEST(forests_of_journals_and_segments_have_the_same_sums),
		TEST(the_order_of_rows_does_not_depend_on_threads),
		TEST(lists_are_in_order_of_series_then_time),
		TEST(a_limit_selects_the_latest_profiles),
		TEST(an_id_selects_one_profile),
		TEST(series_are_counted_in_the_window),
		TEST(totals_of_blocks_in_one_step_are_not_decoded),
		TEST(totals_of_counters_are_those_of_snapshots),
		TEST(different_types_are_merged_as_files_are),
		TEST(a_sum_that_overflows_is_an_error),
		TEST(missing_profiles_are_counted_by_the_usual_distance),
		TEST(an_empty_window_names_what_there_is),
		TEST(damage_is_named_and_can_be_left_out),
		TEST(eight_readers_see_each_profile_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
