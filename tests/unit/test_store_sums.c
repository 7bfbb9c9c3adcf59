/*
 * test_store_sums.c - the sums of chapters: random queries give what the profiles add up to, with and without them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The expected numbers are added up here, from the values that the profiles were made of.
 */
#include "config.h"

#include "store/local/format/sums.h"

#include "base/regex.h"
#include "make_profile.h"
#include "make_segment.h"
#include "make_store.h"
#include "store/local/read/local.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)
#define START (INT64_C(1795132800) * SECOND)

enum { INSTANCES = 4, PROFILES = 60, STACKS = 6, VERSIONS = 2, QUERIES = 300 };

/* Samples of a profile of an instance, by stack. The stack s is "fS;main", with the label route=/S for odd S. */
struct known {
	int64_t start, period;
	int64_t value[STACKS];
};

static struct known known[INSTANCES][PROFILES];
static uint64_t random_state;

static uint64_t draw(uint64_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (random_state >> 33) % n;
}

static const char *version(int instance)
{
	return instance % VERSIONS ? "2" : "1";
}

/* kind cpu: the values, and the period times them; kind alloc: the values as a counter */
static struct profile *make_known(const struct known *k, bool is_cpu)
{
	struct make m = make_start(is_cpu ? "samples/count cpu/nanoseconds" : "alloc_space/bytes");

	for (int s = 0; s < STACKS; s++) {
		struct builder_label label = { .key = make_text(&m, "route", 5), .is_text = true };
		int64_t value[2] = { k->value[s], k->period * k->value[s] };
		char name[32], route[16];
		uint32_t id;

		snprintf(name, sizeof(name), "f%d;main", s);
		snprintf(route, sizeof(route), "/%d", s);
		label.text = make_text(&m, route, strlen(route));
		if (builder_label(m.b, &label, &id, NULL) == 0 && k->value[s])
			make_row(&m, name, value, &id, s % 2);
	}
	return make_end(&m);
}

static struct chapter_builder *make_chapter(const char *service, int first, int end)
{
	struct chapter_builder *b = chapter_builder_new(service);

	for (int p = first; p < end; p++)
		for (int i = 0; i < INSTANCES; i++) {
			const char *instance = (char[]){ (char)('a' + i), 0 };
			const struct store_label label[] = { { "instance", instance }, { "version", version(i) } };
			struct known *k = &known[i][p];

			segment_builder_profile(b, "cpu", label, 2, k->start, make_known(k, true));
			segment_builder_profile(b, "alloc", label, 2, k->start, make_known(k, false));
		}
	return b;
}

/* The period of one instance differs, and that of another one changes within a segment. */
static void make_values(void)
{
	for (int i = 0; i < INSTANCES; i++)
		for (int p = 0; p < PROFILES; p++) {
			known[i][p].period = i == 1 || (i == 2 && p > PROFILES / 4) ? 20 : 10;
			known[i][p].start = START + (p * 60 + i) * SECOND + (int64_t)draw(SECOND);
			for (int s = 0; s < STACKS; s++)
				known[i][p].value[s] = (int64_t)draw(s == 5 ? 2 : 1000);
		}
}

static void check(int rc, const struct err *err)
{
	if (rc < 0)
		fail_msg("%s", err->msg);
}

/* A random query with its condition and kept label. */
struct asked {
	struct store_query q;
	struct label_match match;
	const char *keep;
	char value[2];
};

static void ask(struct asked *a)
{
	*a = (struct asked){ .q = { .service = "shop", .kind = "cpu", .t0 = INT64_MIN, .t1 = INT64_MAX, .pin = "" } };
	a->q.adds_up = draw(2);
	if (draw(2)) /* a boundary of a segment, or any second */
		a->q.t0 = START + (draw(2) ? PROFILES / 2 * 60 : (int64_t)draw(PROFILES * 60)) * SECOND;
	if (draw(2))
		a->q.t1 = START + (draw(2) ? PROFILES / 2 * 60 : (int64_t)draw(PROFILES * 60)) * SECOND;
	a->q.reduce = draw(2) ? REDUCE_SUM : REDUCE_DEFAULT;
	switch (draw(5)) {
	case 0:
		a->match = (struct label_match){ .op = MATCH_EQUAL, .name = "instance", .value = a->value };
		a->value[0] = (char)('a' + draw(INSTANCES));
		break;
	case 1:
		a->match = (struct label_match){ .op = MATCH_NOT_EQUAL, .name = "version", .value = "2" };
		break;
	case 2:
		a->match = (struct label_match){ .op = MATCH_EQUAL, .name = "route", .value = "/1" };
		break;
	default:
		break;
	}
	a->q.match = &a->match;
	a->q.n_match = a->match.name != NULL;
	a->keep = draw(2) ? "version" : "service"; /* all series have the same service */
	a->q.keep = &a->keep;
	a->q.n_keep = draw(3) == 0;
}

static bool is_selected(const struct asked *a, int i, const struct known *k)
{
	bool is_in = k->start >= a->q.t0 && k->start < a->q.t1;

	if (a->q.n_match && strcmp(a->match.name, "instance") == 0)
		is_in &= a->value[0] == 'a' + i;
	else if (a->q.n_match && strcmp(a->match.name, "version") == 0)
		is_in &= strcmp(version(i), "2") != 0;
	return is_in;
}

/* Sums of both types by stack and version (0 if it was not kept). */
typedef int64_t sums[STACKS][VERSIONS + 1][2];

static void compare(const struct asked *a, const struct profile *p, sums expected)
{
	sums found = { 0 };

	for (uint32_t row = 0; row < p->n_rows; row++) {
		uint32_t stack = p->stack[row], loc = stack_id_at(&p->stacks, p->stacks.off[stack]);
		const char *name = strtab_text(p->str, p->func_name[p->line_func[p->loc_line[loc]]]);
		int v = 0;

		for (uint32_t k = p->label_sets.off[p->labels[row]]; k < p->label_sets.off[p->labels[row] + 1]; k++) {
			uint32_t label = p->label_sets.item[k];

			if (strcmp(strtab_text(p->str, p->label_key[label]), "version") == 0)
				v = atoi(strtab_text(p->str, p->label_text[label]));
		}
		for (int type = 0; type < 2; type++)
			found[atoi(name + 1)][v][type] += p->value[type][row];
	}
	for (int s = 0; s < STACKS; s++)
		for (int v = 0; v <= 2 * VERSIONS + 1; v++) {
			int64_t sum = found[s][v / 2][v % 2], wanted = expected[s][v / 2][v % 2];

			if (sum != wanted)
				fail_msg("stack %d version %d type %d: %lld instead of %lld, with %s=%s keep=%d", s,
					 v / 2, v % 2, (long long)sum, (long long)wanted,
					 a->match.name ? a->match.name : "", a->match.value ? a->match.value : "",
					 (int)a->q.n_keep);
		}
}

static void query_once(struct store *s)
{
	int64_t first = INT64_MAX, last = INT64_MIN, all[2] = { 0 };
	sums expected = { 0 };
	struct store_sum sum = { 0 };
	struct profile *p = NULL;
	struct asked a;
	unsigned n = 0, instances = 0;
	struct err err;
	int rc;

	ask(&a);
	for (int i = 0; i < INSTANCES; i++) {
		bool has = false;

		for (int k = 0; k < PROFILES; k++) {
			if (!is_selected(&a, i, &known[i][k]))
				continue;
			first = known[i][k].start < first ? known[i][k].start : first;
			last = known[i][k].start > last ? known[i][k].start : last;
			n++;
			has = true;
			for (int st = 0; st < STACKS; st++)
				if (!a.q.n_match || strcmp(a.match.name, "route") != 0 || st == 1) {
					bool keeps = a.q.n_keep && strcmp(a.keep, "version") == 0;

					for (int type = 0; type < 2; type++) {
						int64_t v = known[i][k].value[st] * (type ? known[i][k].period : 1);

						expected[st][keeps ? atoi(version(i)) : 0][type] += v;
						all[type] += v;
					}
				}
		}
		instances += has;
	}
	rc = store_read(s, &a.q, NULL, &p, &sum, &err);
	if (n == 0) {
		assert_true(rc < 0);
		return;
	}
	check(rc, &err);
	assert_int_equal(sum.profiles, n);
	assert_int_equal(sum.instances, instances);
	assert_int_equal(sum.first_ns, first);
	assert_int_equal(sum.last_ns, last);
	assert_int_equal(sum.profiles_missing, 0);
	assert_int_equal(p->meta.duration_ns, 30 * (int64_t)n);
	if (p->forest) { /* its rows have only leaves; the labels are not kept */
		for (uint32_t row = 0; row < p->n_rows; row++)
			for (int type = 0; type < 2; type++)
				all[type] -= p->value[type][row];
		assert_int_equal(all[0], 0);
		assert_int_equal(all[1], 0);
	} else {
		compare(&a, p, expected);
	}
	profile_free(p);
	store_sum_release(&sum);
}

/* Two segments, whose boundary is at half of the profiles; the sums are removed from those in a store without them. */
static void make_two_segments(struct made_store *m)
{
	made_store_init(m);
	for (int half = 0; half < 2; half++) {
		struct chapter_builder *b = make_chapter("shop", half * PROFILES / 2, (half + 1) * PROFILES / 2);

		made_store_segment(m, &b, 1);
	}
}

static void random_queries_are_what_the_profiles_add_up_to(void **state)
{
	struct made_store m;
	struct store *s;
	struct err err;

	(void)state;
	random_state = 7;
	make_values();
	make_two_segments(&m);
	check(local_open(m.dir, &s, &err), &err);
	for (int i = 0; i < QUERIES; i++)
		query_once(s);
	store_close(s);
	made_store_release(&m);
}

static struct chapter *finish(struct chapter_builder *b)
{
	struct chapter *c;
	struct err err;

	check(chapter_builder_finish(b, 3, &c, &err), &err);
	chapter_builder_free(b);
	return c;
}

static void only_kinds_that_add_up_have_a_sum(void **state)
{
	struct sum_content content;
	struct chapter *c;
	struct err err;

	(void)state;
	make_values();
	c = finish(make_chapter("shop", 0, PROFILES));
	assert_int_equal(c->n_sums, 1); /* not of the counters */
	assert_string_equal(strtab_text(c->dict.str, c->sum[0].kind), "cpu");
	check(chapter_open_sum(c, 0, &content, &err), &err);
	assert_int_equal(content.profiles, INSTANCES * PROFILES);
	assert_int_equal(content.n_starts, INSTANCES * PROFILES);
	assert_int_equal(content.rows.n, 1);
	chapter_close_sum(&content);
	check(verify_chapter(c, true, NULL, &err), &err);
	chapter_free(c);
	c = finish(make_chapter("shop", 0, 2));
	assert_int_equal(c->n_sums, 0); /* it would save nothing */
	chapter_free(c);
}

/* The sum of other profiles with the same dictionary. */
static void a_wrong_sum_is_found(void **state)
{
	struct chapter *c, *other;
	struct chapter_sum own;
	struct err err;

	(void)state;
	make_values();
	c = finish(make_chapter("shop", 0, PROFILES));
	for (int s = 0; s < STACKS; s++)
		known[0][0].value[s]++;
	other = finish(make_chapter("shop", 0, PROFILES));
	own = c->sum[0];
	c->sum[0] = other->sum[0];
	assert_int_equal(verify_chapter(c, true, NULL, &err), ERR_FORMAT);
	assert_string_equal(err.msg, "the sum of all cpu profiles of shop differs from these profiles");
	c->sum[0] = own;
	c->sum[0].crc++;
	assert_int_equal(verify_chapter(c, true, NULL, &err), ERR_FORMAT);
	assert_string_equal(err.msg, "sum 1 of shop: its checksum is wrong");
	chapter_free(other);
	chapter_free(c);
}

static int check_sums(const struct segment *s, uint32_t n_sums)
{
	struct chapter *c;
	struct err err;

	check(segment_read_chapter(s, 0, &c, &err), &err);
	assert_int_equal(c->n_sums, n_sums);
	check(verify_chapter(c, true, NULL, &err), &err);
	chapter_free(c);
	return 0;
}

static void a_segment_has_the_sums(void **state)
{
	struct buf out = { 0 };
	struct segment_builder w = segment_builder_begin(&out);
	struct segment *s;
	FILE *f = tmpfile();
	struct err err;

	(void)state;
	make_values();
	segment_builder_chapter(&w, make_chapter("shop", 0, PROFILES));
	segment_builder_end(&w);
	assert_int_equal(fwrite(out.data, 1, out.len, f), out.len);
	assert_int_equal(fflush(f), 0);
	check(segment_open(fileno(f), "x.cps", &s, &err), &err);
	check_sums(s, 1);
	segment_close(s);
	fclose(f);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_queries_are_what_the_profiles_add_up_to),
		cmocka_unit_test(only_kinds_that_add_up_have_a_sum),
		cmocka_unit_test(a_wrong_sum_is_found),
		cmocka_unit_test(a_segment_has_the_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
