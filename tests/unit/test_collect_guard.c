/*
 * test_collect_guard.c - the cardinality guard: which labels remain, and that totals do not change
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "scrape/guard.h"
#include "store/local/format/dict.h"
#include "tests/unit/make_labels.h"

#define DAY INT64_C(86400000000000)
#define NOW (20000 * DAY + 1)

static struct scrape_guard *guard_of(const char *text)
{
	struct scrape_config *c = NULL;
	struct scrape_guard *g = NULL;
	struct err err;

	if (scrape_config_parse(text, strlen(text), "c.cpa", NULL, &c, &err) < 0 || scrape_guard_new(c, &g, &err) < 0)
		fail_msg("%s", err.msg);
	scrape_config_unref(c); /* the guard has its own reference */
	return g;
}

/* A profile with a row of value 1 for each of these label lists. */
static struct profile *profile_of(const char *const *rows, size_t n)
{
	struct make m = make_start("samples/count");

	for (size_t i = 0; i < n; i++)
		labels_row(&m, "b;a", 1, rows[i]);
	return make_end(&m);
}

/* The labels of all rows: "k=v k=v|k:1|...". */
static void labels_are(const struct profile *p, const char *expected)
{
	struct buf all = { 0 };

	for (uint32_t row = 0; row < p->n_rows; row++) {
		const uint32_t *off = p->label_sets.off + p->labels[row];

		buf_addz(&all, row ? "|" : "");
		for (uint32_t i = off[0]; i < off[1]; i++) {
			uint32_t l = p->label_sets.item[i];

			buf_addf(&all, "%s%s", i > off[0] ? " " : "", profile_text(p, p->label_key[l]));
			if (p->label_is_text[l])
				buf_addf(&all, "=%s", profile_text(p, p->label_text[l]));
			else
				buf_addf(&all, ":%lld", (long long)p->label_num[l]);
		}
	}
	assert_string_equal(buf_text(&all), expected);
	buf_release(&all);
}

static void cuts_are_fn(void *arg, const struct scrape_cut *cut)
{
	buf_addf(arg, "%s -%llu ~%llu;", cut->name, (unsigned long long)cut->n_removed,
		 (unsigned long long)cut->n_other);
}

static void cuts_are(struct scrape_guard *g, const char *expected)
{
	struct buf all = { 0 };

	scrape_guard_each_cut(g, cuts_are_fn, &all);
	assert_string_equal(buf_text(&all), expected);
	buf_release(&all);
}

static void all_names_are_kept_by_default(void **state)
{
	static const char *const rows[] = { "route=/a user=u1", "user=u2", "route=/b bytes:16:bytes line:7", "" };
	struct scrape_guard *g = guard_of("");
	struct profile *p = profile_of(rows, 4);

	(void)state;
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW, p, NULL);
	labels_are(p, "route=/a user=u1|user=u2|route=/b bytes:16 line:7|");
	cuts_are(g, "");
	profile_free(p);
	scrape_guard_free(g);
}

static void log_fn(void *arg, const char *service, const char *name, const char *why)
{
	buf_addf(arg, "%s %s: %s;", service, name, why);
}

static void the_first_cut_of_a_name_is_logged_and_each_is_reported(void **state)
{
	static const char *const rows[] = { "route=/a user=u1 env=dev", "user=u2", "route=/b user=u3" };
	static const struct store_label series[] = { { "env", "prod" } };
	struct scrape_guard *g = guard_of("keep-label route env\nlimit 1");
	struct buf log = { 0 }, cut = { 0 };

	(void)state;
	scrape_guard_set_log(g, log_fn, &log);
	for (int i = 0; i < 2; i++) {
		struct profile *p = profile_of(rows, 3);

		cut.len = 0;
		scrape_guard_profile(g, "shop", series, 1, false, NOW, p, &cut);
		assert_string_equal(buf_text(&cut), "route, user, env");
		profile_free(p);
	}
	assert_string_equal(buf_text(&log), "shop route: too many distinct values today (limit);"
					    "shop user: not in keep-label;"
					    "shop env: a label of the series has this name;");
	buf_release(&log);
	buf_release(&cut);
	scrape_guard_free(g);
}

static void names_that_are_not_kept_are_removed_and_counted(void **state)
{
	static const char *const rows[] = { "route=/a user=u1", "user=u2", "route=/b bytes:16:bytes line:7", "" };
	struct scrape_guard *g = guard_of("keep-label route");
	struct profile *p = profile_of(rows, 4);

	(void)state;
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW, p, NULL);
	labels_are(p, "route=/a||route=/b bytes:16|");
	cuts_are(g, "user -2 ~0;line -1 ~0;");
	assert_int_equal(p->n_rows, 4);
	profile_free(p);
	scrape_guard_free(g);
}

static void values_beyond_the_limit_of_a_day_become_other(void **state)
{
	static const char *const first[] = { "tenant=a", "tenant=b", "tenant=c" };
	static const char *const second[] = { "tenant=d", "tenant=b", "route=c" };
	struct scrape_guard *g = guard_of("limit tenant 2");
	struct profile *p = profile_of(first, 3);

	(void)state;
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW, p, NULL);
	labels_are(p, "tenant=a|tenant=b|tenant=other");
	profile_free(p);
	p = profile_of(second, 3);
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW + 1, p, NULL);
	labels_are(p, "tenant=other|tenant=b|route=c");
	profile_free(p);
	p = profile_of(second, 3);
	scrape_guard_profile(g, "pay", NULL, 0, false, NOW + 1, p, NULL); /* of another service */
	labels_are(p, "tenant=d|tenant=b|route=c");
	profile_free(p);
	p = profile_of(second, 3);
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW + DAY, p, NULL); /* of another day */
	labels_are(p, "tenant=d|tenant=b|route=c");
	cuts_are(g, "tenant -0 ~2;");
	profile_free(p);
	scrape_guard_free(g);
}

static void labels_of_the_series_are_not_replaced_by_samples(void **state)
{
	static const struct store_label series[] = { { "env", "prod" }, { "instance", "h:1" } };
	static const char *const rows[] = { "env=dev service=bank route=/a", "instance=h:9" };
	struct scrape_guard *g = guard_of("");
	struct profile *p = profile_of(rows, 2);

	(void)state;
	scrape_guard_profile(g, "shop", series, 2, false, NOW, p, NULL);
	labels_are(p, "route=/a|");
	cuts_are(g, "env -1 ~0;service -1 ~0;instance -1 ~0;");
	profile_free(p);
	p = profile_of(rows, 2);
	scrape_guard_profile(g, "shop", series, 2, true, NOW, p, NULL);
	labels_are(p, "env=dev service=bank route=/a|instance=h:9");
	profile_free(p);
	scrape_guard_free(g);
}

static void shapes_rewrite_values_before_they_are_counted(void **state)
{
	struct scrape_guard *g = guard_of("limit route 2\nshape route ^(/api/v1/orders/)[0-9]+ $1:id\n"
					  "shape route \"items/[0-9]+\" items/:n\nshape tenant . x\n");
	struct make m = make_start("samples/count");
	struct profile *p;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char label[64];

		snprintf(label, sizeof(label), "route=/api/v1/orders/%d/items/%d", i, i * 7);
		labels_row(&m, "b;a", 1, label);
	}
	labels_row(&m, "b;a", 1, "tenant=abc");
	p = make_end(&m);
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW, p, NULL);
	for (uint32_t i = 0; i < 1000; i++)
		assert_string_equal(profile_text(p, p->label_text[i]), "/api/v1/orders/:id/items/:n");
	assert_string_equal(profile_text(p, p->label_text[1000]), "xxx");
	cuts_are(g, "");
	profile_free(p);
	scrape_guard_free(g);
}

static void long_values_are_shortened_between_characters(void **state)
{
	char label[400] = "route=";
	const char *rows[] = { label };
	struct scrape_guard *g = guard_of("");
	struct profile *p;

	(void)state;
	memset(label + 6, 'a', 255);
	memcpy(label + 6 + 255, "\xc3\xa9z", 4); /* é is byte 255 and 256 of the value */
	p = profile_of(rows, 1);
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW, p, NULL);
	assert_int_equal(strtab_len(p->str, p->label_text[0]), 255);
	cuts_are(g, "route -0 ~1;");
	profile_free(p);
	scrape_guard_free(g);
}

static void a_sample_has_at_most_sixteen_labels(void **state)
{
	struct scrape_guard *g;
	struct buf text = { 0 };
	struct make m = make_start("samples/count");
	uint32_t label[20];
	struct profile *p;

	(void)state;
	buf_addz(&text, "keep-label");
	for (int i = 0; i < 20; i++) {
		char key[16];

		snprintf(key, sizeof(key), "k%02d", i);
		buf_addf(&text, " %s", key);
		label[i] = labels_one(&m, key, "v", 0, "");
	}
	make_row(&m, "b;a", &(int64_t){ 5 }, label, 20);
	p = make_end(&m);
	g = guard_of(buf_text(&text));
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW, p, NULL);
	labels_are(p,
		   "k00=v k01=v k02=v k03=v k04=v k05=v k06=v k07=v k08=v k09=v k10=v k11=v k12=v k13=v k14=v k15=v");
	cuts_are(g, "k16 -1 ~0;k17 -1 ~0;k18 -1 ~0;k19 -1 ~0;");
	buf_release(&text);
	profile_free(p);
	scrape_guard_free(g);
}

/* A profile of a hostile target: n label values, or n label names. */
static struct profile *hostile(size_t n, bool names)
{
	struct make m = make_start("samples/count");
	uint32_t label, one = 1;

	for (size_t i = 0; i < n; i++) {
		char text[32];

		snprintf(text, sizeof(text), "x%zu", i);
		label = names ? labels_one(&m, text, "v", 0, "") : labels_one(&m, "tenant", text, 0, "");
		make_row(&m, "b;a", &(int64_t){ one }, &label, 1);
	}
	return make_end(&m);
}

static void a_million_values_take_the_room_of_a_hundred(void **state)
{
	struct scrape_guard *g = guard_of("");
	struct profile *p = hostile(1000000, false);
	struct dict d;
	struct stored s;
	struct err err;
	int64_t sum = 0;

	(void)state;
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW, p, NULL);
	cuts_are(g, "tenant -0 ~999900;");
	/* the store adds equal rows: 100 values and "other" remain, and the total is the same */
	dict_init(&d);
	assert_int_equal(dict_add_profile(&d, p, &s, &err), 0);
	assert_int_equal(s.n, 101);
	assert_int_equal(d.n_labels, 101);
	for (uint32_t i = 0; i < s.n; i++)
		sum += s.value[i];
	assert_int_equal(sum, 1000000);
	dict_release_stored(&s);
	dict_release(&d);
	profile_free(p);
	scrape_guard_free(g);
}

static void a_hundred_thousand_names_are_counted_in_bounded_memory(void **state)
{
	struct scrape_guard *g = guard_of("");
	struct profile *p = hostile(100000, true);
	struct buf all = { 0 };
	int n = 0;

	(void)state;
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW, p, NULL);
	for (uint32_t row = 0; row < p->n_rows; row++)
		assert_int_equal(p->label_sets.off[p->labels[row] + 1] - p->label_sets.off[p->labels[row]],
				 row < SCRAPE_NAMES_MAX ? 1 : 0);
	scrape_guard_each_cut(g, cuts_are_fn, &all);
	for (const char *at = buf_text(&all); (at = strchr(at, ';')); at++)
		n++;
	assert_int_equal(n, SCRAPE_CUT_NAMES_MAX + 1);
	assert_non_null(strstr(buf_text(&all), "(more) -99800 ~0;"));
	buf_release(&all);
	profile_free(p);
	scrape_guard_free(g);
}

static void labels_of_series_from_clients_are_all_kept(void **state)
{
	struct store_label label[4] = { { "env", "prod" }, { "hostname", "h" }, { "zone", "z" } };
	struct scrape_guard *g = guard_of("keep-label route\nlimit 0");
	struct arena *mem = arena_new();
	struct buf cut = { 0 };

	(void)state;
	assert_int_equal(scrape_guard_labels(g, "shop", label, 3, mem, &cut), 3);
	assert_string_equal(label[1].value, "h");
	assert_string_equal(buf_text(&cut), "");
	cuts_are(g, "");
	arena_free(mem);
	scrape_guard_free(g);
}

/* The labels of a series with n labels, the last of which has this value. Returns their number. */
static size_t many_labels(struct scrape_guard *g, struct arena *mem, size_t n, const char *last, struct store_label *to,
			  struct buf *cut)
{
	for (size_t i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "k%02zu", i);
		to[i] = (struct store_label){ arena_strndup(mem, name, strlen(name)), i + 1 == n ? last : "v" };
	}
	return scrape_guard_labels(g, "shop", to, n, mem, cut);
}

static void series_whose_labels_are_cut_stay_apart(void **state)
{
	char big[301] = { 0 };
	struct store_label a[65], b[65], c[3] = { { "host", big }, { "service", "y" } };
	struct scrape_guard *g = guard_of("");
	struct arena *mem = arena_new();
	struct buf cut = { 0 };

	(void)state;
	assert_int_equal(many_labels(g, mem, 31, "x", a, &cut), 31);
	assert_string_equal(buf_text(&cut), "");
	assert_int_equal(many_labels(g, mem, 33, "x", a, &cut), SCRAPE_SERIES_LABELS_MAX);
	assert_string_equal(buf_text(&cut), "k31, k32");
	assert_int_equal(many_labels(g, mem, 33, "y", b, NULL), SCRAPE_SERIES_LABELS_MAX);
	assert_string_equal(a[31].name, SCRAPE_CUT);
	assert_string_not_equal(a[31].value, b[31].value);
	assert_int_equal(many_labels(g, mem, 33, "x", b, NULL), SCRAPE_SERIES_LABELS_MAX);
	assert_string_equal(a[31].value, b[31].value);
	memset(big, 'a', 300);
	assert_int_equal(scrape_guard_labels(g, "shop", c, 2, mem, NULL), 2);
	assert_int_equal(strlen(c[0].value), SCRAPE_VALUE_MAX);
	assert_string_equal(c[1].name, SCRAPE_CUT);
	cuts_are(g, "k31 -3 ~0;k32 -3 ~0;host -0 ~1;service -1 ~0;");
	buf_release(&cut);
	arena_free(mem);
	scrape_guard_free(g);
}

static void series_are_limited_per_service_and_in_all(void **state)
{
	struct scrape_guard *g = guard_of("");
	uint64_t n_refused, n_series;
	struct err err;
	char text[32];
	struct store_label label = { "instance", text };
	int rc = 0;

	(void)state;
	for (int i = 0; i < 10001; i++) {
		assert_int_equal(rc, 0);
		snprintf(text, sizeof(text), "h:%d", i);
		rc = scrape_guard_series(g, "shop", "cpu", &label, 1, NOW, &err);
	}
	assert_int_equal(rc, ERR_LIMIT);
	assert_string_equal(err.msg, "shop: more than 10000 series today");
	snprintf(text, sizeof(text), "h:5"); /* known ones remain */
	assert_int_equal(scrape_guard_series(g, "shop", "cpu", &label, 1, NOW, &err), 0);
	assert_int_equal(scrape_guard_series(g, "shop", "heap", &label, 1, NOW, &err), ERR_LIMIT);
	for (int i = 0; i < 90001; i++) {
		snprintf(text, sizeof(text), "s%d", i);
		rc = scrape_guard_series(g, text, "cpu", NULL, 0, NOW, &err);
		assert_int_equal(rc, i < 90000 ? 0 : ERR_LIMIT);
	}
	scrape_guard_count_series(g, &n_refused, &n_series);
	assert_int_equal(n_refused, 3);
	assert_int_equal(n_series, 100000);
	assert_int_equal(scrape_guard_series(g, "new", "cpu", NULL, 0, NOW + DAY, &err), 0);
	scrape_guard_free(g);
}

static void a_reload_changes_the_rules(void **state)
{
	static const char *const rows[] = { "user=u1 route=/a" };
	struct scrape_guard *g = guard_of("");
	struct scrape_config *c = NULL;
	struct profile *p = profile_of(rows, 1);
	struct err err;

	(void)state;
	assert_int_equal(scrape_config_parse("keep-label user", 15, "c.cpa", NULL, &c, &err), 0);
	assert_int_equal(scrape_guard_reload(g, c, &err), 0);
	scrape_config_unref(c);
	scrape_guard_profile(g, "shop", NULL, 0, false, NOW, p, NULL);
	labels_are(p, "user=u1");
	profile_free(p);
	scrape_guard_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_names_are_kept_by_default),
		cmocka_unit_test(the_first_cut_of_a_name_is_logged_and_each_is_reported),
		cmocka_unit_test(names_that_are_not_kept_are_removed_and_counted),
		cmocka_unit_test(values_beyond_the_limit_of_a_day_become_other),
		cmocka_unit_test(labels_of_the_series_are_not_replaced_by_samples),
		cmocka_unit_test(shapes_rewrite_values_before_they_are_counted),
		cmocka_unit_test(long_values_are_shortened_between_characters),
		cmocka_unit_test(a_sample_has_at_most_sixteen_labels),
		cmocka_unit_test(a_million_values_take_the_room_of_a_hundred),
		cmocka_unit_test(a_hundred_thousand_names_are_counted_in_bounded_memory),
		cmocka_unit_test(labels_of_series_from_clients_are_all_kept),
		cmocka_unit_test(series_whose_labels_are_cut_stay_apart),
		cmocka_unit_test(series_are_limited_per_service_and_in_all),
		cmocka_unit_test(a_reload_changes_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
