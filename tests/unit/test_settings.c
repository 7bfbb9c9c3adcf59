/*
 * test_settings.c - query options that are set by text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "session/settings.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

static void assign(struct settings *s, const char *name, const char *value)
{
	struct err err;

	if (settings_assign(s, profile, name, value, &err) < 0)
		fail_msg("%s=%s: %s", name, value ? value : "(none)", err.msg);
}

/* Check that an assignment fails with this message and changes nothing. */
static void refuses(const char *name, const char *value, const char *sentence)
{
	struct settings *s = defaults(), *before = settings_copy(s);
	struct err err = { 0 };

	assert_int_equal(settings_assign(s, profile, name, value, &err), ERR_USAGE);
	assert_string_equal(err.msg, sentence);
	assert_true(settings_equal(s, before));
	settings_free(s);
	settings_free(before);
}

/* Check the options as arguments. */
static void expect_arguments(const struct settings *s, const char *arguments)
{
	struct buf out = { 0 };

	settings_add_arguments(s, NULL, &out);
	assert_string_equal(buf_text(&out), arguments);
	buf_release(&out);
}

static void texts_are_copied(void **state)
{
	char focus[] = "main", base[] = "old.pb.gz";
	const char *bases[] = { base };
	struct query q;
	struct settings *s, *twin;

	(void)state;
	query_init(&q);
	q.focus = focus;
	q.base = (struct opt_list){ .item = bases, .n = 1, .cap = 1 };
	s = settings_new(&q);
	twin = settings_copy(s);
	memset(focus, 'x', 4);
	memset(base, 'x', 3);
	assign(s, "focus", "other");
	expect_arguments(s, " -focus=other -base=old.pb.gz");
	expect_arguments(twin, " -focus=main -base=old.pb.gz");
	settings_free(s);
	expect_arguments(twin, " -focus=main -base=old.pb.gz");
	settings_free(twin);
}

static void values_are_read_with_the_rules_of_pprof(void **state)
{
	struct settings *s = defaults();
	const struct query *q = settings_query(s);

	(void)state;
	assign(s, "call_tree", NULL);
	assert_true(q->call_tree);
	assign(s, "call_tree", "No");
	assert_false(q->call_tree);
	assign(s, "trim", "");
	assert_true(q->trim);
	assign(s, "nodecount", "010");
	assert_int_equal(q->nodecount, 10);
	assign(s, "divide_by", "1e3");
	assert_true(q->divide_by == 1000);
	assign(s, "edgefraction", "0x1p-2");
	assert_true(q->edgefraction == 0.25);
	assign(s, "sort", "cum");
	assert_int_equal(q->sort, SORT_CUM);
	assign(s, "flat", "T");
	assert_int_equal(q->sort, SORT_FLAT);
	assign(s, "granularity", "lines");
	assert_int_equal(q->granularity, GRAIN_LINES);
	assign(s, "sample_index", "0");
	assert_string_equal(q->sample_index, "samples");
	assign(s, "sample_index", "");
	assert_string_equal(q->sample_index, "cpu");
	assign(s, "focus", "a b=c");
	assert_string_equal(q->focus, "a b=c");
	settings_free(s);
}

static void invalid_values_fail_with_the_wording_of_pprof(void **state)
{
	(void)state;
	refuses("focus", NULL, "please specify a value, e.g. focus=<val>");
	refuses("sort", NULL, "please specify a value, e.g. sort=<val>");
	refuses("trim", "maybe", "illegal value \"maybe\" for bool variable");
	refuses("nodecount", "abc", "strconv.Atoi: parsing \"abc\": invalid syntax");
	refuses("nodecount", "1_0", "strconv.Atoi: parsing \"1_0\": invalid syntax");
	refuses("nodecount", "99999999999999999999",
		"strconv.Atoi: parsing \"99999999999999999999\": value out of range");
	refuses("divide_by", "x", "strconv.ParseFloat: parsing \"x\": invalid syntax");
	refuses("divide_by", "nan(1)", "strconv.ParseFloat: parsing \"nan(1)\": invalid syntax");
	refuses("divide_by", "1e", "strconv.ParseFloat: parsing \"1e\": invalid syntax");
	refuses("wide", "true", "--wide only applies on the command line");
	refuses("no_pager", NULL, "--no-pager only applies on the command line");
	refuses("divide_by", "1e999", "strconv.ParseFloat: parsing \"1e999\": value out of range");
	refuses("sort", "bad", "invalid \"sort\" value \"bad\"");
	refuses("cum", NULL, "unknown config field \"cum\"; write sort=cum");
	refuses("lines", "yes", "unknown config field \"lines\"; write granularity=lines");
	refuses("sample_index", "foo", "sample_index \"foo\" must be one of: [samples cpu]");
	refuses("sample_index", "7", "sample_index 7 is outside the range [0..1]");
	refuses("nosuch", "1", "unknown config field \"nosuch\"");
}

static void values_that_no_report_accepts_are_refused(void **state)
{
	(void)state;
	refuses("divide_by", "0", "-divide_by=0: zero divisor specified");
	refuses("divide_by", "nan", "-divide_by=nan: choose a number above 0");
	refuses("nodefraction", "2", "-nodefraction and -edgefraction must lie between 0 and 1");
	refuses("color", "red", "--color=red: choose auto, always or never");
	refuses("by", "route", "by=route: expected by=label:KEY");
}

static void loading_options_are_refused_with_a_remedy(void **state)
{
	(void)state;
	refuses("seconds", "5", "seconds only applies while profiles are read; set it on the command line: -seconds=N");
	refuses("max_count", "5",
		"max-count only applies while profiles are read; set it on the command line: -max-count=N");
	refuses("inuse_space", NULL, "inuse_space is a command-line option; write sample_index=inuse_space");
	refuses("total_delay", NULL, "total_delay is a command-line option; write sample_index=delay");
	refuses("help", "", "unknown config field \"help\"");
}

static void options_that_pprof_lacks_can_be_assigned(void **state)
{
	struct settings *s = defaults();

	(void)state;
	assign(s, "shape", "json");
	assign(s, "min-width", "0.5");
	assign(s, "icicle", NULL);
	assign(s, "by", "label:route");
	expect_arguments(s, " -tagroot=route --icicle --min-width=0.5 --json");
	assign(s, "shape", "text");
	assign(s, "by", "");
	expect_arguments(s, " --icicle --min-width=0.5");
	settings_free(s);
}

static void an_assigned_nodefraction_counts_as_given(void **state)
{
	struct settings *s = defaults();

	(void)state;
	assert_false(settings_query(s)->has_nodefraction);
	assign(s, "nodefraction", "0.005");
	assert_true(settings_query(s)->has_nodefraction);
	expect_arguments(s, " -nodefraction=0.005");
	settings_free(s);
}

static void flags_that_set_other_options_are_written_as_these_options(void **state)
{
	const char *ignored;
	struct settings *s;
	struct query q;

	(void)state;
	query_init(&q);
	q.mean_delay = true;
	q.by = "label:route";
	assert_int_equal(query_finish(&q, &ignored, NULL), 0);
	s = settings_new(&q);
	expect_arguments(s, " -tagroot=route -sample_index=delay -mean");
	settings_free(s);
}

static void words_are_quoted_for_a_shell_without_control_characters(void **state)
{
	const struct {
		const char *word, *quoted;
	} each[] = { { "a.b", "a.b" },     { "", "''" },
		     { "a b", "'a b'" },   { "it's", "'it'\\''s'" },
		     { "$(x)", "'$(x)'" }, { "\033[2J%'\\", "\"$(printf '\\033[2J%%\\047\\\\')\"" },
		     { "é", "'é'" },       { "\xff\n", "\"$(printf '\\377')\n\"" } };

	(void)state;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct buf out = { 0 };

		settings_add_word(each[i].word, &out);
		assert_string_equal(buf_text(&out), each[i].quoted);
		buf_release(&out);
	}
}

enum { WORD_MAX = 12 };

/* A deterministic random number. */
static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16 & 0x7fff;
}

/* Words 0 to 3 * 255: each byte alone, first, last; the others mix characters that are hard to quote. */
static void make_word(unsigned i, unsigned *seed, char word[WORD_MAX + 1])
{
	static const char hard[] = "-\\\\%''\"\"$`!~#&;|()<>*?[]{}= \n\n\t\r\033\177\200\377abn0";
	unsigned n = 1 + next_random(seed) % WORD_MAX;
	char byte = (char)(1 + i / 3);

	memset(word, 0, WORD_MAX + 1);
	if (i < 3 * 255) {
		snprintf(word, WORD_MAX, i % 3 == 0 ? "%c" : i % 3 == 1 ? "%ca" : "a%c", byte);
		return;
	}
	for (unsigned k = 0; k < n; k++)
		word[k] = hard[next_random(seed) % (sizeof(hard) - 1)];
}

/* The output of a shell command that prints a NUL after each word; the caller frees. */
static char *shell_output(const char *command, size_t max)
{
	char *seen = calloc(1, max + 1);
	FILE *shell = popen(command, "r");

	assert_non_null(shell);
	assert_true(fread(seen, 1, max + 1, shell) <= max);
	assert_int_equal(pclose(shell), 0);
	return seen;
}

static void a_shell_reads_quoted_words_unchanged(void **state)
{
	enum { N = 2400, AT_ONCE = 100 };
	unsigned seed = 1;

	(void)state;
	for (unsigned i = 0; i < N; i += AT_ONCE) {
		struct buf command = { 0 };
		char word[AT_ONCE][WORD_MAX + 1], *seen, *at;

		buf_addz(&command, "printf '%s\\0'");
		for (unsigned k = 0; k < AT_ONCE; k++) {
			make_word(i + k, &seed, word[k]);
			buf_addz(&command, " ");
			settings_add_word(word[k], &command);
		}
		at = seen = shell_output(command.data, sizeof(word));
		for (unsigned k = 0; k < AT_ONCE; k++, at += strlen(at) + 1)
			assert_string_equal(at, word[k]);
		free(seen);
		buf_release(&command);
	}
}

/* Change the value of an option, as a line or a command line might. */
static void change(struct query *q, const struct opt *o, char text[], unsigned *seed)
{
	static const char *const numbers[] = { "0", "7", "-1", "3", "12" };
	struct err err;

	if (o->kind == OPT_BOOL || o->kind == OPT_MODE)
		snprintf(text, WORD_MAX, "%s", o->kind == OPT_BOOL && *(bool *)((char *)q + o->at) ? "false" : "true");
	else if (o->kind == OPT_INT || o->kind == OPT_SIZE || o->kind == OPT_REAL)
		snprintf(text, WORD_MAX, "%s", numbers[next_random(seed) % 5]);
	else
		make_word(3 * 255, seed, text);
	if (query_set(q, o, o->kind == OPT_CHOICE ? NULL : text, &err) < 0)
		fail_msg("%s: %s", o->name, err.msg);
}

/* Read arguments with a NUL after each, as a command line. */
static void read_arguments(char *at, struct query *q)
{
	for (; *at; at += strlen(at) + 1) {
		const char *name = at + strspn(at, "-"), *equals = strchr(name, '=');
		const struct opt *o = opt_find(query_options, query_n_options, name, strcspn(name, "="));
		struct err err;

		assert_non_null(o);
		if (query_set(q, o, equals ? equals + 1 : NULL, &err) < 0)
			fail_msg("%s: %s", at, err.msg);
	}
}

static void release_lists(struct query *q)
{
	for (size_t i = 0; i < query_n_options; i++)
		if (query_options[i].kind == OPT_LIST)
			opt_list_release((struct opt_list *)((char *)q + query_options[i].at));
}

/* Check that a query written as arguments, and split by a shell, reads back as the same query. */
static void expect_round_trip(struct query *q)
{
	enum { MOST = 16 << 10 };
	struct settings *s = settings_new(q), *same, *again;
	struct buf command = { 0 };
	struct query back;
	char *seen;

	buf_addz(&command, "printf '%s\\0'");
	settings_add_arguments(s, NULL, &command);
	seen = shell_output(command.data, MOST);
	query_init(&back);
	read_arguments(seen, &back);
	again = settings_new(&back);
	same = settings_copy(s);
	assert_true(settings_equal(s, same));
	if (!settings_equal(s, again))
		fail_msg("%s", command.data);
	settings_free(s);
	settings_free(same);
	settings_free(again);
	release_lists(&back);
	free(seen);
	buf_release(&command);
}

static void every_option_survives_a_round_trip_as_an_argument(void **state)
{
	static const char *const never[] = { "by",          "inuse_space",   "inuse_objects",
					     "alloc_space", "alloc_objects", "total_delay",
					     "contentions", "mean_delay" };
	unsigned seed = 7;

	(void)state;
	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];
		bool is_other = o->group == GROUP_GENERAL || o->group == GROUP_SHELL ||
				o->group == GROUP_WEB; /* not part of a query */
		char text[WORD_MAX + 1], more[WORD_MAX + 1];
		struct query q;

		for (size_t k = 0; k < sizeof(never) / sizeof(never[0]); k++) /* query_finish translates them */
			is_other |= strcmp(o->name, never[k]) == 0;
		if (is_other)
			continue;
		query_init(&q);
		change(&q, o, text, &seed);
		if (o->kind == OPT_LIST)
			change(&q, o, more, &seed);
		expect_round_trip(&q);
		release_lists(&q);
	}
}

static void settings_are_equal_only_if_every_option_is(void **state)
{
	struct settings *a = defaults(), *b = defaults();

	(void)state;
	assert_true(settings_equal(a, b));
	assign(b, "tagshow", "x");
	assert_false(settings_equal(a, b));
	assign(a, "tagshow", "x");
	assert_true(settings_equal(a, b));
	settings_set_pattern(a, "main");
	assert_false(settings_equal(a, b));
	settings_free(a);
	settings_free(b);
}

static void values_are_formatted_as_in_pprof(void **state)
{
	const struct {
		const char *name, *value, *shown;
	} each[] = { { "nodefraction", "0.0050", "0.005" },
		     { "divide_by", "1e20", "100000000000000000000" },
		     { "divide_by", "1e21", "1e+21" },
		     { "edgefraction", "1e-5", "1e-05" },
		     { "divide_by", "0.1", "0.1" },
		     { "nodecount", "-1", "-1" },
		     { "cum", "1", "cum" },
		     { "trim", "f", "false" } };

	(void)state;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct settings *s = defaults();
		struct buf out = { 0 };

		assign(s, each[i].name, each[i].value);
		settings_add_value(s, opt_find(query_options, query_n_options, each[i].name, strlen(each[i].name)),
				   &out);
		assert_string_equal(buf_text(&out), each[i].shown);
		buf_release(&out);
		settings_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_copied),
		cmocka_unit_test(values_are_read_with_the_rules_of_pprof),
		cmocka_unit_test(invalid_values_fail_with_the_wording_of_pprof),
		cmocka_unit_test(values_that_no_report_accepts_are_refused),
		cmocka_unit_test(loading_options_are_refused_with_a_remedy),
		cmocka_unit_test(options_that_pprof_lacks_can_be_assigned),
		cmocka_unit_test(an_assigned_nodefraction_counts_as_given),
		cmocka_unit_test(flags_that_set_other_options_are_written_as_these_options),
		cmocka_unit_test(words_are_quoted_for_a_shell_without_control_characters),
		cmocka_unit_test(a_shell_reads_quoted_words_unchanged),
		cmocka_unit_test(every_option_survives_a_round_trip_as_an_argument),
		cmocka_unit_test(settings_are_equal_only_if_every_option_is),
		cmocka_unit_test(values_are_formatted_as_in_pprof),
	};

	return cmocka_run_group_tests(tests, make_it, free_it);
}
