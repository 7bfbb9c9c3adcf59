/*
 * test_bundle.c - source files in a bundle
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "sources/bundle.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/source.h"
#include "tests/unit/make_folder.h"
#include "tests/unit/make_profile.h"

static char notes[2000];

/* Bundle the sources of a profile with a function in each of n files. Returns the number of lines added. */
static uint32_t bundle_files(const char *const *file, size_t n)
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
	snprintf(notes, sizeof(notes), "%s", buf_text(&out));
	lines = p->n_source_lines;
	buf_release(&out);
	profile_free(p);
	return lines;
}

static uint32_t bundle_file(const char *file)
{
	folder_bytes(file, "one\ntwo\n", 8);
	return bundle_files(&file, 1);
}

static void bundles_source_files_and_reports_their_number(void **state)
{
	(void)state;
	assert_int_equal(bundle_file("a.c"), 2);
	assert_string_equal(notes,
			    "bundled 2 lines of 1 of 1 source file; anyone who receives the bundle can read them\n");
	assert_int_equal(bundle_file("src/lib.rs"), 2);
	assert_int_equal(bundle_file("src/x/../b.test.go"), 2);
	assert_int_equal(bundle_file("usr/include/v1/vector"), 2);
}

static void omits_files_without_the_name_of_a_source_file(void **state)
{
	static const char *const file[] = { "passwd", ".ssh/id_rsa", "include/../id_rsa", "c", "key.pem", "a.c/key" };

	(void)state;
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		assert_int_equal(bundle_file(file[i]), 0);
	assert_string_equal(notes,
			    "bundled 0 lines of 0 of 0 source files; anyone who receives the bundle can read them\n"
			    "omitted 1 file whose name is not that of a source file: a.c/key\n");
	assert_int_equal(bundle_files(file, 6), 0);
	assert_non_null(strstr(notes, "\nomitted 6 files whose name is not that of a source file: "));
	assert_non_null(strstr(notes, ", ...\n"));
}

/* The name contains the last part of the search folder, so the remainder of the name is searched in that folder. */
static void omits_a_header_name_that_leads_to_another_file(void **state)
{
	const char *base = strrchr(folder, '/'), *name;
	char file[300];

	(void)state;
	folder_bytes("etc/passwd", "one\ntwo\n", 8);
	snprintf(file, sizeof(file), "/include%s/etc/passwd", base);
	name = file;
	assert_int_equal(bundle_files(&name, 1), 0);
	assert_non_null(strstr(notes, "omitted 1 file"));
}

static void escapes_control_characters_in_names_of_omitted_files(void **state)
{
	const char *name = "x\ny\033[2J";

	(void)state;
	assert_int_equal(bundle_files(&name, 1), 0);
	assert_non_null(strstr(notes, "file: x\\ny\\x1b[2J\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bundles_source_files_and_reports_their_number, folder_make,
						folder_remove),
		cmocka_unit_test_setup_teardown(omits_files_without_the_name_of_a_source_file, folder_make,
						folder_remove),
		cmocka_unit_test_setup_teardown(omits_a_header_name_that_leads_to_another_file, folder_make,
						folder_remove),
		cmocka_unit_test_setup_teardown(escapes_control_characters_in_names_of_omitted_files, folder_make,
						folder_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
