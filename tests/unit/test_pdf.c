/*
 * test_pdf.c - flame graphs as PDF and PNG: input that cairo would refuse
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/pdf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/make_flame.h"

/* Draw both formats; cairo must not refuse a document because of its texts. */
static void expect_drawn(const struct drawing *d)
{
	const struct pdf_paper fit = { .index_max = SIZE_MAX };
	struct buf out = { 0 };
	struct err err = { 0 };
	int rc = pdf_draw(&d->r, &d->style, &fit, &out, &err);

	if (rc < 0 && strstr(err.msg, "is needed to draw"))
		skip();
	if (rc < 0)
		fail_msg("%s", err.msg);
	assert_memory_equal(out.data, "%PDF-", 5);
	out.len = 0;
	if (png_draw(&d->r, &d->style, &out, &err) < 0)
		fail_msg("%s", err.msg);
	assert_memory_equal(out.data, "\x89PNG", 4);
	buf_release(&out);
}

static void draws_invalid_characters(void **state)
{
	static const char *const names[] = { "\xef\xbf\xbf",     "a\xef\xbf\xbe",    "\xef\xb7\x90\xef\xb7\xaf",
					     "\xf4\x8f\xbf\xbf", "\xf0\x9f\xbf\xbe", "\xef\xbf\xbd" };
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		drawing_add_function(&d, 0, names[i], 0, 10);
	d.style.title = "\xef\xbf\xbf and \xff";
	expect_drawn(&d);
}

static void draws_empty_names_and_names_of_combining_marks(void **state)
{
	static const char *const names[] = { "", " ", "\t", "\xcc\x81", "\xcc\x81\xcc\x81 x", "\xe0\xa4\xbf" };
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		drawing_add_function(&d, 0, names[i], 0, 10);
	expect_drawn(&d);
}

static void draws_a_picture_without_samples(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 0);
	expect_drawn(&d);
}

static void accepts_every_listed_paper(void **state)
{
	static const char *const names[] = { "a3", "a4", "a5", "letter", "legal" };
	struct pdf_paper paper;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(pdf_paper_find(names[i], &paper, NULL), 0);
		assert_true(paper.width > paper.height && paper.height > 400);
	}
	assert_int_equal(pdf_paper_find("fit", &paper, NULL), 0);
	assert_true(paper.width == 0);
	assert_int_equal(pdf_paper_find("a6", &paper, NULL), ERR_USAGE);
}

static void limits_the_width_of_pages(void **state)
{
	const struct pdf_paper fit = { 0 }, a4 = { .width = 841.89, .height = 595.28 };

	(void)state;
	assert_true(pdf_width(&fit, 1200) == 1200);
	assert_true(pdf_width(&fit, 1e18) == 14400);
	assert_true(pdf_width(&a4, 1e18) == 841.89);
}

static void refuses_a_png_that_is_too_wide(void **state)
{
	struct buf out = { 0 };
	struct err err = { 0 };
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	d.style.width = 32768;
	assert_int_equal(png_draw(&d.r, &d.style, &out, &err), ERR_USAGE);
	assert_string_equal(err.msg, "--width=32768: must be 1 to 32767 for PNG");
	assert_int_equal(out.len, 0);
}

static void parses_the_size_of_the_index(void **state)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "1e3", "ALL", "1234567890" };
	struct err err = { 0 };
	size_t n = 7;

	(void)state;
	assert_int_equal(pdf_index_parse("123456789", &n, NULL), 0);
	assert_int_equal(n, 123456789);
	assert_int_equal(pdf_index_parse("all", &n, NULL), 0);
	assert_int_equal(n, SIZE_MAX);
	assert_int_equal(pdf_index_parse("none", &n, NULL), 0);
	assert_int_equal(n, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(pdf_index_parse(bad[i], &n, &err), ERR_USAGE);
	assert_string_equal(err.msg, "--index=1234567890: choose a number, all or none");
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_invalid_characters),
		cmocka_unit_test(draws_empty_names_and_names_of_combining_marks),
		cmocka_unit_test(draws_a_picture_without_samples),
		cmocka_unit_test(accepts_every_listed_paper),
		cmocka_unit_test(parses_the_size_of_the_index),
		cmocka_unit_test(limits_the_width_of_pages),
		cmocka_unit_test(refuses_a_png_that_is_too_wide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
