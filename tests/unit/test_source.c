/*
 * test_source.c - source lines embedded in a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/source.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/formats.h"
#include "tests/unit/check_profile.h"
#include "profile/encode.h"
#include "profile/merge.h"
#include "tests/unit/make_profile.h"

static struct err err;

static void add(struct profile_source *t, const char *file, int64_t line, const char *text)
{
	profile_source_add(t, file, strlen(file), line, text, strlen(text));
}

/* A profile with source lines from words such as "a.c:3:text", separated by blanks. */
static struct profile *profile_of(const char *words)
{
	struct make m = make_start("cpu/ns");
	struct profile_source t = { 0 };
	struct profile *p;
	char file[20], text[20];
	int line, n;

	ROW(&m, "main", 1);
	p = make_end(&m);
	for (; sscanf(words, " %19[^:]:%d:%19s%n", file, &line, text, &n) == 3; words += n)
		add(&t, file, line, text);
	profile_source_store(&t, p);
	profile_source_release(&t);
	assert_int_equal(profile_check(p, &err), 0);
	return p;
}

/* All lines of a file, as "3=x 4=y". */
static const char *lines_of(const struct profile *p, const char *file)
{
	static char out[200];
	uint32_t lo, hi;
	size_t n = 0;

	out[0] = '\0';
	if (!profile_source_find(p, file, &lo, &hi))
		return "none";
	for (uint32_t i = lo; i < hi; i++)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%d=%s", n ? " " : "", (int)p->source_line[i],
				      profile_text(p, p->source_text[i]));
	return out;
}

static void lines_are_found_by_the_name_of_their_file(void **state)
{
	struct profile *p = profile_of("b.c:7:g b.c:3:f a.c:1:main");

	(void)state;
	assert_string_equal(lines_of(p, "b.c"), "3=f 7=g");
	assert_string_equal(lines_of(p, "a.c"), "1=main");
	assert_string_equal(lines_of(p, "c.c"), "none");
	assert_string_equal(lines_of(p, "cpu"), "none");
	profile_free(p);
}

static struct profile *written_and_read(struct profile *p)
{
	struct buf out = { 0 };
	struct profile *back = NULL;
	struct bytes bytes;

	assert_int_equal(profile_encode(p, &out, &err), 0);
	bytes = (struct bytes){ .data = (uint8_t *)out.data, .n = out.len };
	assert_int_equal(formats_read(&bytes, &formats_options_default, &back, &err), 0);
	assert_int_equal(profile_check(back, &err), 0);
	profile_free(p);
	return back;
}

static void source_lines_survive_a_round_trip(void **state)
{
	struct profile *p = written_and_read(profile_of("b.c:7:g b.c:8:h b.c:3:f a.c:1:main"));

	(void)state;
	assert_string_equal(lines_of(p, "b.c"), "3=f 7=g 8=h");
	assert_string_equal(lines_of(p, "a.c"), "1=main");
	profile_free(p);
}

static struct profile *merged(struct profile *a, struct profile *b)
{
	const struct profile *both[] = { a, b };
	struct profile *p = NULL;

	assert_int_equal(profile_merge(both, 2, NULL, &p, &err), 0);
	assert_int_equal(profile_check(p, &err), 0);
	profile_free(a);
	profile_free(b);
	return p;
}

static void merging_keeps_the_lines_of_all(void **state)
{
	struct profile *p = merged(profile_of("a.c:3:x a.c:4:y"), profile_of("a.c:4:y a.c:5:z b.c:1:b"));

	(void)state;
	assert_string_equal(lines_of(p, "a.c"), "3=x 4=y 5=z");
	assert_string_equal(lines_of(p, "b.c"), "1=b");
	profile_free(p);
}

static void the_first_of_two_versions_of_a_file_is_kept(void **state)
{
	struct profile *p = merged(profile_of("a.c:3:x a.c:4:y"), profile_of("a.c:4:other a.c:5:z b.c:1:b"));

	(void)state;
	assert_string_equal(lines_of(p, "a.c"), "3=x 4=y");
	assert_string_equal(lines_of(p, "b.c"), "1=b");
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_found_by_the_name_of_their_file),
		cmocka_unit_test(source_lines_survive_a_round_trip),
		cmocka_unit_test(merging_keeps_the_lines_of_all),
		cmocka_unit_test(the_first_of_two_versions_of_a_file_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
