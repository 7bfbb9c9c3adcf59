/*
 * test_configs.c - saved configs in the settings file of pprof
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "session/configs.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/io.h"
#include "session/url_settings.h"

#include "make_folder.h"

/* Written by pprof of October 2026 for ?config=mine&f=a<b&n=10&trim=f&g=functions&nf=0.00001&h=x"y\z */
static const char by_pprof[] = "{\n"
			       "  \"configs\": [\n"
			       "    {\n"
			       "      \"name\": \"mine\",\n"
			       "      \"unit\": \"minimum\",\n"
			       "      \"sort\": \"flat\",\n"
			       "      \"nodecount\": 10,\n"
			       "      \"nodefraction\": 0.00001,\n"
			       "      \"edgefraction\": 0.001,\n"
			       "      \"focus\": \"a\\u003cb\",\n"
			       "      \"hide\": \"x\\\"y\\\\z\",\n"
			       "      \"granularity\": \"functions\"\n"
			       "    }\n"
			       "  ]\n"
			       "}";

static struct url_params *parse(const char *query)
{
	struct url_params *p = NULL;

	assert_int_equal(url_params_parse(query, strlen(query), &p, NULL), 0);
	return p;
}

static struct settings *settings_of(const struct url_params *params)
{
	struct settings *s;
	struct query q;

	query_init(&q);
	s = settings_new(&q);
	assert_int_equal(settings_apply_params(s, params, NULL, NULL), 0);
	return s;
}

/* Save the options of a query. Returns the text, which the caller frees. */
static char *save(const char *text, const char *name, const char *query)
{
	struct url_params *p = parse(query);
	struct settings *s = settings_of(p);
	struct buf out = { 0 };
	struct err err;

	if (config_text_save(text, strlen(text), name, s, p, &out, &err) < 0)
		fail_msg("%s", err.msg);
	settings_free(s);
	url_params_free(p);
	return out.data;
}

static struct config_list list(const char *text, const char *query)
{
	struct config_list l = { 0 };
	struct url_params *p = parse(query);
	struct err err;

	if (config_text_list(text, strlen(text), p, &l, &err) < 0)
		fail_msg("%s", err.msg);
	url_params_free(p);
	return l;
}

static void expect_refused(const char *text, const char *message)
{
	struct config_list l = { 0 };
	struct url_params *p = parse("");
	struct err err = { 0 };

	assert_int_equal(config_text_list(text, strlen(text), p, &l, &err), ERR_FORMAT);
	assert_non_null(strstr(err.msg, message));
	assert_int_equal(l.n, 1);
	assert_string_equal(l.item[0].name, "Default");
	assert_true(l.item[0].is_current);
	config_list_release(&l);
	url_params_free(p);
}

static void a_config_of_pprof_has_the_url_that_pprof_gives_it(void **state)
{
	struct config_list l = list(by_pprof, "p=x&f=old&si=samples&ts=a&off=i&by=label:a");

	(void)state;
	assert_int_equal(l.n, 2);
	assert_string_equal(l.item[0].name, "Default");
	assert_false(l.item[0].is_saved);
	assert_string_equal(l.item[0].query, "p=x&si=samples");
	assert_string_equal(l.item[1].name, "mine");
	assert_true(l.item[1].is_saved);
	assert_string_equal(l.item[1].query, "f=a%3Cb&g=functions&h=x%22y%5Cz&n=10&nf=1e-05&p=x&si=samples&trim=f");
	assert_false(l.item[0].is_current || l.item[1].is_current);
	config_list_release(&l);
}

static void an_absent_option_is_zero(void **state)
{
	struct config_list l = list("{\"configs\":[{\"name\":\"a\",\"trim\":true},{\"unit\":\"ms\",\"call_tree\":true,"
				    "\"nodefraction\":1,\"tagroot\":\"k\"},{\"name\":null,\"hide\":null}]}",
				    "");

	(void)state;
	assert_int_equal(l.n, 4);
	assert_string_equal(l.item[1].query, "ef=0&n=0&nf=0");
	assert_string_equal(l.item[2].name, "");
	assert_string_equal(l.item[2].query, "calltree=t&ef=0&n=0&nf=1&tagroot=k&trim=f&unit=ms");
	assert_string_equal(l.item[3].query, "ef=0&n=0&nf=0&trim=f");
	assert_true(l.item[0].is_current);
	config_list_release(&l);
}

static void the_last_config_with_the_url_is_current(void **state)
{
	static const char same[] =
		"\"unit\":\"minimum\",\"nodecount\":-1,\"nodefraction\":0.005,\"edgefraction\":0.001,"
		"\"trim\":true";
	struct buf text = { 0 };
	struct config_list l;

	(void)state;
	buf_addf(&text, "{\"configs\":[{\"name\":\"a\",%s},{\"name\":\"b\",%s,\"focus\":\"x\"},{\"name\":\"c\",%s}]}",
		 same, same, same);
	l = list(text.data, "p=x");
	assert_true(l.item[3].is_current);
	assert_false(l.item[0].is_current || l.item[1].is_current || l.item[2].is_current);
	config_list_release(&l);
	l = list(text.data, "f=x&f=y");
	assert_true(l.item[2].is_current);
	assert_false(l.item[3].is_current);
	config_list_release(&l);
	l = list(text.data, "off=f"); /* not in any config */
	for (size_t i = 0; i < l.n; i++)
		assert_false(l.item[i].is_current);
	config_list_release(&l);
	buf_release(&text);
}

static void configs_are_written_like_by_pprof(void **state)
{
	char *text = save("", "mine", "f=a%3Cb&n=10&trim=f&g=functions&nf=0.00001&h=x%22y%5Cz&si=1&divide=2"), *small;
	struct config_list l;

	(void)state;
	small = strstr(text, "1e-05"); /* the same number as in Go's text */
	assert_non_null(small);
	assert_int_equal(strncmp(text, by_pprof, (size_t)(small - text)), 0);
	assert_string_equal(small + strlen("1e-05"), strstr(by_pprof, "0.00001") + strlen("0.00001"));
	l = list(text, "f=a%3Cb&n=10&trim=f&g=functions&nf=1e-05&h=x%22y%5Cz");
	assert_true(l.item[1].is_current);
	config_list_release(&l);
	free(text);
}

static void each_saved_option_survives_a_round_trip(void **state)
{
	static const char query[] =
		"calltree=t&rel=t&unit=ms&compact=t&intel=t&mean=t&norm=t&sort=cum&tagroot=a&tagleaf=%2B&dropneg=t&n=0&"
		"nf=0&ef=1&trim=f&f=a%20b&i=%22%3C&prunefrom=x&h=%5C.y&s=z&sf=%C3%A9&tf=a%3D1&ti=b&ts=c&th=d&noinlines="
		"t&"
		"showcolumns=t&g=addresses";
	char *text = save("{}", "a", query);
	struct config_list l = list(text, query);

	(void)state;
	assert_true(l.item[1].is_current);
	config_list_release(&l);
	free(text);
	text = save("{}", "a", "");
	assert_null(strstr(text, "normalize"));
	assert_null(strstr(text, "granularity"));
	l = list(text, "");
	assert_true(l.item[1].is_current);
	config_list_release(&l);
	free(text);
}

static void other_configs_and_unknown_fields_are_kept(void **state)
{
	static const char before[] = "{\"version\": [1, 2.5, null, true, {}], \"configs\": [{\"name\": \"a\", \"new\": "
				     "{\"x\": \"\\u003c\"}, \"focus\": \"f\"}, {\"name\": \"b\", \"hide\": \"h\"}]}";
	char *text = save(before, "a", "ts=t");
	struct buf out = { 0 };

	(void)state;
	assert_string_equal(text, "{\n"
				  "  \"configs\": [\n"
				  "    {\n"
				  "      \"name\": \"a\",\n"
				  "      \"unit\": \"minimum\",\n"
				  "      \"sort\": \"flat\",\n"
				  "      \"nodecount\": -1,\n"
				  "      \"nodefraction\": 0.005,\n"
				  "      \"edgefraction\": 0.001,\n"
				  "      \"trim\": true,\n"
				  "      \"tagshow\": \"t\",\n"
				  "      \"new\": {\n"
				  "        \"x\": \"\\u003c\"\n"
				  "      }\n"
				  "    },\n"
				  "    {\n"
				  "      \"name\": \"b\",\n"
				  "      \"hide\": \"h\"\n"
				  "    }\n"
				  "  ],\n"
				  "  \"version\": [\n"
				  "    1,\n"
				  "    2.5,\n"
				  "    null,\n"
				  "    true,\n"
				  "    {}\n"
				  "  ]\n"
				  "}");
	free(text);
	assert_int_equal(config_text_delete(before, strlen(before), "a", &out, NULL), 0);
	assert_null(strstr(out.data, "\"a\""));
	assert_non_null(strstr(out.data, "\"b\""));
	assert_non_null(strstr(out.data, "\"version\""));
	buf_release(&out);
}

static void names_that_are_not_valid_are_refused(void **state)
{
	struct url_params *p = parse("");
	struct settings *s = settings_of(p);
	struct buf out = { 0 }, name = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(config_text_save("", 0, "", s, p, &out, &err), ERR_USAGE);
	assert_string_equal(err.msg, "invalid config name");
	buf_fill(&name, 'x', CONFIG_NAME_MAX + 1);
	assert_int_equal(config_text_save("", 0, name.data, s, p, &out, &err), ERR_USAGE);
	assert_int_equal(config_text_delete(by_pprof, strlen(by_pprof), "x", &out, &err), ERR_USAGE);
	assert_string_equal(err.msg, "config x not found");
	assert_int_equal(out.len, 0);
	buf_release(&name);
	settings_free(s);
	url_params_free(p);
}

static void malformed_files_are_refused(void **state)
{
	(void)state;
	expect_refused("{", "could not parse settings: line 1: ");
	expect_refused(" ", "could not parse settings: line 1: ");
	expect_refused("[]", "the file is not a JSON object");
	expect_refused("{\"configs\":{}}", "\"configs\" is not an array");
	expect_refused("{\"configs\":[1]}", "a config is not an object");
	expect_refused("{\"configs\":[{\"name\":1}]}", "a name is not a string");
	expect_refused("{\"configs\":[{\"name\":\"a\",\"trim\":1}]}", "config a: trim has a value of another type");
	expect_refused("{\"configs\":[{\"name\":\"a\",\"nodecount\":1.5}]}", "config a: nodecount has a value");
	expect_refused("{\"configs\":[{\"sort\":[]}]}", "sort has a value");
	expect_refused("{\"configs\":[{\"name\":\"\\u0000\"}]}", "could not parse settings");
	expect_refused("{\"a\":\"\xff\"}", "could not parse settings");
}

static void change_file(const char *path, const char *name, const char *query)
{
	struct url_params *p = parse(query);
	struct settings *s = settings_of(p);
	struct err err;

	if (configs_save(path, name, s, p, &err) < 0)
		fail_msg("%s", err.msg);
	settings_free(s);
	url_params_free(p);
}

static void expect_names(const char *path, const char *names)
{
	struct config_list l = { 0 };
	struct url_params *p = parse("");
	struct buf found = { 0 };

	assert_int_equal(configs_list(path, p, &l, NULL), 0);
	for (size_t i = 1; i < l.n; i++)
		buf_addf(&found, "%s ", l.item[i].name);
	assert_string_equal(buf_text(&found), names);
	buf_release(&found);
	config_list_release(&l);
	url_params_free(p);
}

static void the_file_is_made_with_its_folders_and_keeps_its_mode(void **state)
{
	char *path, target[4096];
	struct buf b = { 0 };
	struct stat st;
	struct err err;
	mode_t mask;

	(void)state;
	folder_make(NULL);
	setenv("XDG_CONFIG_HOME", in_folder("x"), 1);
	assert_int_equal(configs_add_path(&b, NULL), 0);
	path = b.data;
	assert_string_equal(path, in_folder("x/pprof/settings.json"));
	assert_int_equal(rmdir(in_folder("x/pprof")), 0); /* made by in_folder */
	expect_names(path, "");
	mask = umask(022);
	change_file(path, "one", "f=a");
	umask(mask);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(stat(in_folder("x/pprof"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	chmod(path, 0600);
	snprintf(target, sizeof(target), "%s", in_folder("real"));
	assert_int_equal(rename(path, target), 0);
	assert_int_equal(symlink(target, path), 0);
	change_file(path, "two", "");
	change_file(path, "one", "f=b");
	expect_names(path, "one two ");
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(configs_delete(path, "three", &err), ERR_USAGE);
	assert_string_equal(err.msg, "config three not found");
	assert_int_equal(configs_delete(path, "one", NULL), 0);
	expect_names(path, "two ");
	buf_release(&b);
	folder_remove(NULL);
}

static void a_file_that_cannot_be_parsed_is_not_replaced(void **state)
{
	const char *path;
	struct bytes text;
	struct url_params *p = parse("");
	struct settings *s = settings_of(p);
	struct err err;

	(void)state;
	folder_make(NULL);
	path = folder_bytes("settings.json", "{\"configs\":", 11);
	assert_int_equal(configs_save(path, "a", s, p, &err), ERR_FORMAT);
	assert_int_equal(io_read_file(path, 100, NULL, &text, NULL), 0);
	assert_int_equal(text.n, 11);
	free(text.data);
	assert_int_equal(configs_save(folder, "a", s, p, &err), ERR_IO); /* a directory */
	settings_free(s);
	url_params_free(p);
	folder_remove(NULL);
}

static void the_path_follows_the_environment(void **state)
{
	struct buf b = { 0 };
	struct err err;

	(void)state;
	setenv("XDG_CONFIG_HOME", "", 1);
	setenv("HOME", "/home/x", 1);
	assert_int_equal(configs_add_path(&b, NULL), 0);
	assert_string_equal(buf_text(&b), "/home/x/.config/pprof/settings.json");
	setenv("XDG_CONFIG_HOME", "rel", 1);
	assert_int_equal(configs_add_path(&b, &err), ERR_IO);
	assert_string_equal(err.msg, "path in $XDG_CONFIG_HOME is relative");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	assert_int_equal(configs_add_path(&b, &err), ERR_IO);
	assert_string_equal(err.msg, "neither $XDG_CONFIG_HOME nor $HOME are defined");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_config_of_pprof_has_the_url_that_pprof_gives_it),
		cmocka_unit_test(an_absent_option_is_zero),
		cmocka_unit_test(the_last_config_with_the_url_is_current),
		cmocka_unit_test(configs_are_written_like_by_pprof),
		cmocka_unit_test(each_saved_option_survives_a_round_trip),
		cmocka_unit_test(other_configs_and_unknown_fields_are_kept),
		cmocka_unit_test(names_that_are_not_valid_are_refused),
		cmocka_unit_test(malformed_files_are_refused),
		cmocka_unit_test(the_file_is_made_with_its_folders_and_keeps_its_mode),
		cmocka_unit_test(a_file_that_cannot_be_parsed_is_not_replaced),
		cmocka_unit_test(the_path_follows_the_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
