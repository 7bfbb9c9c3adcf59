/*
 * test_url_settings.c - settings in the parameters of a URL
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The messages are those of pprof of October 2026.
 */
#include "config.h"

#include "engine/query.h"
#include "session/url_settings.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

static struct profile *profile;

static int make_it(void **state)
{
	struct make m = make_start("samples/count cpu/nanoseconds");

	(void)state;
	ROW(&m, "main", 1, 10);
	profile = make_end(&m);
	return 0;
}

static int free_it(void **state)
{
	(void)state;
	profile_free(profile);
	return 0;
}

static struct settings *defaults(void)
{
	struct query q;

	query_init(&q);
	return settings_new(&q);
}

static struct url_params *parse(const char *query)
{
	struct url_params *p = NULL;

	assert_int_equal(url_params_parse(query, strlen(query), &p, NULL), 0);
	return p;
}

static void apply(struct settings *s, const char *query)
{
	struct url_params *p = parse(query);
	struct err err;

	if (settings_apply_params(s, p, profile, &err) < 0)
		fail_msg("%s: %s", query, err.msg);
	url_params_free(p);
}

static void expect_arguments(const struct settings *s, const char *arguments)
{
	struct buf out = { 0 };

	settings_add_arguments(s, NULL, &out);
	assert_string_equal(buf_text(&out), arguments);
	buf_release(&out);
}

/* Check the parameters that turn base into s, where old parameters exist. */
static void expect_query(const struct settings *s, const struct settings *base, const char *old, const char *query)
{
	struct url_params *p = parse(old);
	struct buf out = { 0 };

	settings_set_params(s, base, p);
	url_params_add_query(p, &out);
	assert_string_equal(buf_text(&out), query);
	buf_release(&out);
	url_params_free(p);
}

static void expect_refused(const char *query, const char *message)
{
	struct settings *s = defaults();
	struct url_params *p = parse(query);
	struct err err = { 0 };

	assert_int_equal(settings_apply_params(s, p, profile, &err), ERR_USAGE);
	assert_string_equal(err.msg, message);
	url_params_free(p);
	settings_free(s);
}

static void each_parameter_sets_its_option(void **state)
{
	static const char *const pair[][2] = {
		{ "f=a", " -focus=a" },
		{ "i=a", " -ignore=a" },
		{ "h=a", " -hide=a" },
		{ "s=a", " -show=a" },
		{ "sf=a", " -show_from=a" },
		{ "prunefrom=a", " -prune_from=a" },
		{ "tf=a", " -tagfocus=a" },
		{ "ti=a", " -tagignore=a" },
		{ "ts=a", " -tagshow=a" },
		{ "th=a", " -taghide=a" },
		{ "si=samples", " -sample_index=samples" },
		{ "si=1", " -sample_index=cpu" },
		{ "n=7", " -nodecount=7" },
		{ "nf=0.25", " -nodefraction=0.25" },
		{ "nf=0.005", " -nodefraction=0.005" },
		{ "ef=0.5", " -edgefraction=0.5" },
		{ "trim=f", " -trim=false" },
		{ "calltree=t", " -call_tree" },
		{ "dropneg=yes", " -drop_negative" },
		{ "noinlines=1", " -noinlines" },
		{ "rel=Y", " -relative_percentages" },
		{ "unit=ms", " -unit=ms" },
		{ "compact=TRUE", " -compact_labels" },
		{ "intel=true", " -intel_syntax" },
		{ "mean=t", " -mean" },
		{ "norm=t", "" },
		{ "sort=cum", " -cum" },
		{ "sort=flat", "" },
		{ "g=functions", "" },
		{ "g=filefunctions", " -filefunctions" },
		{ "g=files", " -files" },
		{ "g=lines", " -lines" },
		{ "g=addresses", " -addresses" },
		{ "showcolumns=t", " -showcolumns" },
		{ "tagroot=a,b", " -tagroot=a,b" },
		{ "tagleaf=a", " -tagleaf=a" },
		{ "by=label:a", " -tagroot=a" },
		{ "divide=2", " -divide_by=2" },
		{ "color=heat", " --color-by=heat" },
		{ "inv=t", " --inverted" },
		{ "order=weight", " --order=weight" },
		{ "f=&n=&trim=&sort=&off=", "" },
		{ "focus=a&p=b&config=c", "" },
		{ "f=a&f=b", " -focus=a" },
	};
	size_t n_tested = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		struct settings *s = defaults();

		apply(s, pair[i][0]);
		expect_arguments(s, pair[i][1]);
		settings_free(s);
	}
	for (size_t i = 0; i < query_n_params; i++)
		for (size_t k = 0; k < sizeof(pair) / sizeof(pair[0]); k++) {
			size_t n = strlen(query_params[i].param);

			if (strncmp(pair[k][0], query_params[i].param, n) == 0 && pair[k][0][n] == '=') {
				n_tested++;
				break;
			}
		}
	assert_int_equal(n_tested, query_n_params);
}

static void invalid_values_are_refused_in_pprofs_words(void **state)
{
	static const char *const pair[][2] = {
		{ "n=abc", "error setting config field nodecount: strconv.Atoi: parsing \"abc\": invalid syntax" },
		{ "n=99999999999999999999", "error setting config field nodecount: strconv.Atoi: parsing "
					    "\"99999999999999999999\": value out of range" },
		{ "n=+5", "error setting config field nodecount: strconv.Atoi: parsing \" 5\": invalid syntax" },
		{ "nf=x", "error setting config field nodefraction: strconv.ParseFloat: parsing \"x\": invalid "
			  "syntax" },
		{ "trim=maybe", "error setting config field trim: illegal value \"maybe\" for bool variable" },
		{ "norm=x", "error setting config field normalize: illegal value \"x\" for bool variable" },
		{ "sort=name", "error setting config field sort: invalid \"sort\" value \"name\"" },
		{ "sort=Cum", "error setting config field sort: invalid \"sort\" value \"Cum\"" },
		{ "g=func", "error setting config field granularity: invalid \"granularity\" value \"func\"" },
		{ "n=x&trim=x", "error setting config field nodecount: strconv.Atoi: parsing \"x\": invalid syntax" },
		{ "f=(", "parsing focus regexp: error parsing regexp: missing closing ): `(`" },
		{ "prunefrom=(", "parsing prune_from regexp: error parsing regexp: missing closing ): `(`" },
		{ "tf=a=1:(", "parsing tagfocus regexp: error parsing regexp: missing closing ): `1:(`" },
		{ "f=(&g=func", "error setting config field granularity: invalid \"granularity\" value \"func\"" },
		{ "si=x", "sample_index \"x\" must be one of: [samples cpu]" },
		{ "si=9", "sample_index 9 is outside the range [0..1]" },
		{ "off=f,x", "off=x: unknown parameter" },
		{ "off=f,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "off: a name in the list is too long" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++)
		expect_refused(pair[i][0], pair[i][1]);
}

static void the_command_line_is_the_base_of_a_request(void **state)
{
	struct settings *base = defaults(), *s;

	(void)state;
	apply(base, "f=a&i=b&n=5&trim=f&sort=cum&g=lines&si=samples");
	s = settings_copy(base);
	apply(s, "f=&i=c&trim=t&n=7");
	expect_arguments(s, " -cum -nodecount=7 -focus=a -ignore=c -lines -sample_index=samples");
	expect_query(s, base, "", "i=c&n=7&trim=t");
	settings_free(s);
	settings_free(base);
}

static void off_switches_options_of_the_command_line_off(void **state)
{
	struct settings *base = defaults(), *s;
	struct url_params *p = parse("off=f,,trim&off=n");

	(void)state;
	apply(base, "f=a&i=b&n=5&trim=f&sort=cum&g=functions&si=samples&nf=0.005");
	s = settings_copy(base);
	apply(s, "off=f,n,sort,g,si,norm,nf,trim&i=c");
	expect_arguments(s, " -ignore=c");
	assert_false(settings_query(s)->has_granularity);
	assert_true(settings_query(base)->has_granularity);
	expect_query(s, base, "off=x&p=main&by=label:a", "i=c&n=-1&off=si%2Cnf%2Cf%2Cg&p=main&sort=flat&trim=t");
	apply(s, "off=i&i=d"); /* a value has precedence */
	expect_arguments(s, " -ignore=d");
	assert_true(settings_param_is_off(p, "f"));
	assert_true(settings_param_is_off(p, "trim"));
	assert_false(settings_param_is_off(p, "tri"));
	assert_true(settings_param_is_off(p, "n")); /* off may repeat, as a form sends it */
	url_params_free(p);
	settings_free(s);
	settings_free(base);
}

static void switch_off(const struct settings *base, const char *name, const char *query, const char *expected)
{
	struct url_params *p = parse(query);
	struct buf out = { 0 };

	settings_switch_off(base, settings_find_param(name), p);
	url_params_add_query(p, &out);
	assert_string_equal(buf_text(&out), expected);
	buf_release(&out);
	url_params_free(p);
}

static void an_option_is_removed_or_switched_off(void **state)
{
	struct settings *base = defaults();

	(void)state;
	apply(base, "f=a&sort=cum&nf=0.005");
	assert_true(settings_param_is_given(base, settings_find_param("f")));
	assert_true(settings_param_is_given(base, settings_find_param("sort")));
	assert_false(settings_param_is_given(base, settings_find_param("g")));
	assert_false(settings_param_is_given(base, settings_find_param("nf")));
	assert_false(settings_param_is_given(base, settings_find_param("by")));
	switch_off(base, "i", "i=x&p=y&i=z", "p=y");
	switch_off(base, "f", "f=x&p=y", "off=f&p=y");
	switch_off(base, "f", "off=sort&off=i&f=x", "off=sort%2Ci%2Cf");
	switch_off(base, "f", "off=f", "off=f");
	switch_off(base, "tagroot", "by=label:a", "");
	settings_free(base);
}

/* Change each option in turn, on both sides, and check that the parameters lead from one to the other. */
static void all_options_survive_a_round_trip(void **state)
{
	static const char value[] = "calltree=t&rel=t&unit=ms&compact=t&intel=t&mean=t&si=samples&sort=cum&tagroot=a%"
				    "26b&tagleaf=%2B&dropneg=t"
				    "&n=0&nf=0.25&ef=1e-07&trim=f&f=a%20b&i=%22%3C&prunefrom=x&h=%5C.y&s=z&sf=%C3%A9&"
				    "tf=a%3D1&ti=b&ts=c&th=d"
				    "&noinlines=t&showcolumns=t&g=addresses&divide=3&color=file&inv=t&order=weight";
	struct url_params *all = parse(value);

	(void)state;
	for (size_t i = 0; i < all->n; i++) {
		for (int is_set = 0; is_set < 2; is_set++) {
			struct settings *base = defaults(), *s = defaults(), *result;
			struct url_params *p = url_params_new();
			struct buf query = { 0 };

			apply(base, is_set ? value : "");
			apply(s, value);
			settings_reset(s, settings_find_param(all->item[i].key)->name);
			settings_set_params(s, base, p);
			url_params_add_query(p, &query);
			result = settings_copy(base);
			apply(result, buf_text(&query));
			assert_true(settings_equal(result, s));
			buf_release(&query);
			url_params_free(p);
			settings_free(base);
			settings_free(s);
			settings_free(result);
		}
	}
	assert_int_equal(all->n, query_n_params - 2); /* by is tagroot, and norm has no effect */
	url_params_free(all);
}

static void urls_have_pprofs_form(void **state)
{
	struct settings *base = defaults(), *s = defaults();

	(void)state;
	apply(s, "calltree=yes&trim=no&n=10&nf=.10&f=a+b%2Bc&g=functions&sort=flat&rel=f");
	expect_query(s, base, "p=x&n=3&h=y", "calltree=t&f=a+b%2Bc&g=functions&n=10&nf=0.1&p=x&trim=f");
	settings_free(s);
	settings_free(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_parameter_sets_its_option),
		cmocka_unit_test(invalid_values_are_refused_in_pprofs_words),
		cmocka_unit_test(the_command_line_is_the_base_of_a_request),
		cmocka_unit_test(off_switches_options_of_the_command_line_off),
		cmocka_unit_test(an_option_is_removed_or_switched_off),
		cmocka_unit_test(all_options_survive_a_round_trip),
		cmocka_unit_test(urls_have_pprofs_form),
	};

	return cmocka_run_group_tests(tests, make_it, free_it);
}
