/*
 * test_version.c - the version of a profile: sources, responses of servers, and versions that are new
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

#include "base/buf.h"
#include "scrape/version.h"
#include "tests/unit/make_profile.h"

static struct profile *profile_of(const char *file, const char *build_id, const char *comment)
{
	struct make m = make_start("samples/count");
	struct strtab *t = builder_strings(m.b);
	struct mapping map = { .id = 1, .file = strtab_addz(t, file), .build_id = strtab_addz(t, build_id) };

	builder_mapping(m.b, &map, &m.map, NULL);
	if (*comment) {
		builder_comment(m.b, strtab_addz(t, "collected by hand"));
		builder_comment(m.b, strtab_addz(t, comment));
	}
	ROW(&m, "b;a", 1);
	return make_end(&m);
}

/* The job of a file with this line. */
static struct scrape_config *config_of(const char *line)
{
	struct scrape_config *c = NULL;
	struct buf text = { 0 };
	struct err err;

	buf_addf(&text, "job shop\n%s\ntarget h:1\n", line);
	if (scrape_config_parse(buf_text(&text), text.len, "c.cpa", NULL, &c, &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(&text);
	return c;
}

static void the_first_source_with_a_version_is_used(void **state)
{
	static const struct {
		const char *line, *label, *comment, *url, *build_id, *version;
		enum scrape_version_source source;
	} c[] = {
		{ "", "2.4", "version: 2.5", "2.6", "0123456789abcdef", "2.4", SCRAPE_VERSION_LABEL },
		{ "", NULL, "version: 2.5 ", "2.6", "0123456789abcdef", "2.5", SCRAPE_VERSION_COMMENT },
		{ "", NULL, "", "2.6", "0123456789abcdef", "b:0123456789ab", SCRAPE_VERSION_BUILD_ID },
		{ "version url=/v", NULL, "", "2.6", "0123456789abcdef", "2.6", SCRAPE_VERSION_URL },
		{ "version url=/v", NULL, "", "", "0123456789abcdef", "b:0123456789ab", SCRAPE_VERSION_BUILD_ID },
		{ "version buildid label", "2.4", "", "", "01ab", "b:01ab", SCRAPE_VERSION_BUILD_ID },
		{ "version comment", "2.4", "", "", "01ab", "", N_SCRAPE_VERSION_SOURCES },
		{ "", NULL, "version: 1\n2", "", "", "1", SCRAPE_VERSION_COMMENT },
		{ "", NULL, "", "", "", "", N_SCRAPE_VERSION_SOURCES },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct scrape_config *config = config_of(c[i].line);
		struct profile *p = profile_of("/usr/bin/shop", c[i].build_id, c[i].comment);
		struct store_label label[] = { { "env", "prod" }, { "version", c[i].label } };
		struct buf out = { 0 };

		assert_int_equal(scrape_version_find(&config->job[0], label, c[i].label ? 2 : 1, p, c[i].url, &out),
				 c[i].source);
		assert_string_equal(buf_text(&out), c[i].version);
		buf_release(&out);
		profile_free(p);
		scrape_config_unref(config);
	}
}

static void the_service_is_the_file_name_of_the_program(void **state)
{
	static const struct {
		const char *file, *service;
	} c[] = { { "/usr/bin/shop", "shop" },
		  { "/tmp/go-build1/b001/exe/main (deleted)", "main" },
		  { "shop", "shop" },
		  { "/usr/bin/", "unknown" },
		  { "", "unknown" } };

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct profile *p = profile_of(c[i].file, "", "");
		struct buf out = { 0 };

		scrape_version_service(p, &out);
		assert_string_equal(buf_text(&out), c[i].service);
		buf_release(&out);
		profile_free(p);
	}
}

static void responses_of_servers_are_read(void **state)
{
	static const struct {
		const char *body, *field, *version, *sentence;
	} c[] = {
		{ "2.4.1\n", "", "2.4.1", NULL },
		{ "\n  v2 \r\nmore", "", "v2", NULL },
		{ "{\"git\":{\"commit\":\"abc\"}}", "git.commit", "abc", NULL },
		{ "{\"build\":17}", "build", "17", NULL },
		{ "{\"build\":[1]}", "build", NULL, "the response has no text build" },
		{ "{}", "git.commit", NULL, "the response has no text git.commit" },
		{ "[]", "x", NULL, "the response has no text x" },
		{ "{\"a\":\"\"}", "a", NULL, "the response has no text a" },
		{ "{\"a\":1}", "", NULL, "the response is a JSON object; name the member with field=" },
		{ "<html>", "", NULL, "the response is a web page; name the member with field=" },
		{ " \n", "", NULL, "the version is empty" },
		{ "", "", NULL, "the version is empty" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct buf out = { 0 };
		int rc = scrape_version_parse(c[i].body, strlen(c[i].body), c[i].field, &out, &err);

		assert_int_equal(rc, c[i].version ? 0 : ERR_FORMAT);
		if (c[i].version)
			assert_string_equal(buf_text(&out), c[i].version);
		else
			assert_string_equal(err.msg, c[i].sentence);
		buf_release(&out);
	}
	assert_int_equal(scrape_version_parse("{x", 2, "a", &(struct buf){ 0 }, &err), ERR_FORMAT);
}

static void a_long_version_is_shortened(void **state)
{
	char body[1000];
	struct buf out = { 0 };
	struct err err;

	(void)state;
	memset(body, 'x', sizeof(body));
	assert_int_equal(scrape_version_parse(body, sizeof(body), "", &out, &err), 0);
	assert_int_equal(out.len, SCRAPE_VERSION_MAX);
	buf_release(&out);
}

static void the_url_of_the_version_is_on_the_target(void **state)
{
	struct scrape_config *c = config_of("version url=/build/info?x=1");
	struct url folder, url;
	struct buf text = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(url_parse("https://me:secret@h:6060/debug/pprof", 0, &folder, &err), 0);
	scrape_version_make_url(&c->job[0], &folder, &url);
	url_add_redacted(&url, &text);
	assert_string_equal(buf_text(&text), "https://h:6060/build/info?x=1");
	assert_string_equal(url.password, "secret");
	url_release(&folder);
	url_release(&url);
	buf_release(&text);
	scrape_config_unref(c);
}

static void a_version_is_new_once_per_service_and_env(void **state)
{
	struct scrape_versions *v = scrape_versions_new();
	int n = 0;

	(void)state;
	assert_true(scrape_versions_add(v, "shop", "prod", "1"));
	assert_false(scrape_versions_add(v, "shop", "prod", "1"));
	assert_true(scrape_versions_add(v, "shop", "dev", "1"));
	assert_true(scrape_versions_add(v, "shop", "prod", "2"));
	assert_true(scrape_versions_add(v, "pay", "prod", "1"));
	assert_false(scrape_versions_add(v, "shop", "prod", "1"));
	/* a program that reports another version each time does not fill the store with marks */
	for (int i = 0; i < 100000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "x%d", i);
		n += scrape_versions_add(v, "evil", "", text);
	}
	assert_int_equal(n, 1000);
	scrape_versions_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_source_with_a_version_is_used),
		cmocka_unit_test(the_service_is_the_file_name_of_the_program),
		cmocka_unit_test(responses_of_servers_are_read),
		cmocka_unit_test(a_long_version_is_shortened),
		cmocka_unit_test(the_url_of_the_version_is_on_the_target),
		cmocka_unit_test(a_version_is_new_once_per_service_and_env),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
