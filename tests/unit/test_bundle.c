/*
 * test_bundle.c - which source files go into a bundle
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/bundle.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/texts.h"
#include "tests/unit/make_folder.h"
#include "tests/unit/make_profile.h"

static char told[2000];

/* Bundle what a profile names that has one function of each file. Gives how many lines that were. */
static uint32_t lines_of(const char *const *file, size_t n)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q;
	struct buf out = { 0 };
	uint32_t lines;

	query_init(&q);
	q.source_path = folder;
	for (size_t i = 0; i < n; i++) {
		char word[300];

		snprintf(word, sizeof(word), "main@%s:1", file[i]);
		ROW(&m, word, 1);
	}
	p = make_end(&m);
	bundle_sources(p, &q, &out);
	snprintf(told, sizeof(told), "%s", buf_text(&out));
	lines = p->n_texts;
	buf_release(&out);
	profile_free(p);
	return lines;
}

static uint32_t lines_of_one(const char *file)
{
	folder_bytes(file, "one\ntwo\n", 8);
	return lines_of(&file, 1);
}

static void source_code_is_bundled_and_that_is_told(void **state)
{
	(void)state;
	assert_int_equal(lines_of_one("a.c"), 2);
	assert_string_equal(told, "bundled 2 lines of 1 of 1 source file: whoever gets the bundle can read them\n");
	assert_int_equal(lines_of_one("src/lib.rs"), 2);
	assert_int_equal(lines_of_one("src/x/../b.test.go"), 2);
	assert_int_equal(lines_of_one("usr/include/v1/vector"), 2);
}

static void what_is_not_called_as_source_code_is_left_out(void **state)
{
	static const char *const file[] = { "passwd", ".ssh/id_rsa", "include/../id_rsa", "c", "key.pem", "a.c/key" };

	(void)state;
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		assert_int_equal(lines_of_one(file[i]), 0);
	assert_string_equal(told, "bundled 0 lines of 0 of 0 source files: whoever gets the bundle can read them\n"
				  "left out 1 file not called as source code is: a.c/key\n");
	assert_int_equal(lines_of(file, 6), 0);
	assert_non_null(strstr(told, "\nleft out 6 files not called as source code is: "));
	assert_non_null(strstr(told, ", ...\n"));
}

/* The name begins with the folder that is looked in, so the rest of it is looked for in there. */
static void a_name_below_include_does_not_lead_elsewhere(void **state)
{
	const char *base = strrchr(folder, '/'), *name;
	char file[300];

	(void)state;
	folder_bytes("etc/passwd", "one\ntwo\n", 8);
	snprintf(file, sizeof(file), "/include%s/etc/passwd", base);
	name = file;
	assert_int_equal(lines_of(&name, 1), 0);
	assert_non_null(strstr(told, "left out 1 file"));
}

static void names_of_what_is_left_out_stay_on_their_line(void **state)
{
	const char *name = "x\ny\033[2J";

	(void)state;
	assert_int_equal(lines_of(&name, 1), 0);
	assert_non_null(strstr(told, "is: x\\ny\\x1b[2J\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(source_code_is_bundled_and_that_is_told, folder_make, folder_remove),
		cmocka_unit_test_setup_teardown(what_is_not_called_as_source_code_is_left_out, folder_make,
						folder_remove),
		cmocka_unit_test_setup_teardown(a_name_below_include_does_not_lead_elsewhere, folder_make,
						folder_remove),
		cmocka_unit_test_setup_teardown(names_of_what_is_left_out_stay_on_their_line, folder_make,
						folder_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
