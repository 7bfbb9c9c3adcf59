/*
 * test_pdf.c - flame graphs as PDF and PNG: what cairo would refuse
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

/* Draw both; a PDF must not be refused as a whole for a text in it. */
static void expect_drawn(const struct drawing *d)
{
	const struct pdf_paper fit = { 0, 0 };
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

static void characters_that_are_none_are_drawn(void **state)
{
	static const char *const names[] = { "\xef\xbf\xbf",     "a\xef\xbf\xbe",    "\xef\xb7\x90\xef\xb7\xaf",
					     "\xf4\x8f\xbf\xbf", "\xf0\x9f\xbf\xbe", "\xef\xbf\xbd" };
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		drawing_box(&d, 0, names[i], 0, 10);
	d.style.title = "\xef\xbf\xbf and \xff";
	expect_drawn(&d);
}

static void names_of_marks_and_of_nothing_are_drawn(void **state)
{
	static const char *const names[] = { "", " ", "\t", "\xcc\x81", "\xcc\x81\xcc\x81 x", "\xe0\xa4\xbf" };
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		drawing_box(&d, 0, names[i], 0, 10);
	expect_drawn(&d);
}

static void a_picture_of_nothing_is_drawn(void **state)
{
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 0);
	expect_drawn(&d);
}

static void every_paper_that_is_named_is_known(void **state)
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

static void no_page_is_wider_than_a_page_can_be(void **state)
{
	const struct pdf_paper fit = { 0, 0 }, a4 = { 841.89, 595.28 };

	(void)state;
	assert_true(pdf_width(&fit, 1200) == 1200);
	assert_true(pdf_width(&fit, 1e18) == 14400);
	assert_true(pdf_width(&a4, 1e18) == 841.89);
}

static void a_png_that_is_too_wide_is_refused_and_nothing_written(void **state)
{
	struct buf out = { 0 };
	struct err err = { 0 };
	struct drawing d;

	(void)state;
	drawing_start(&d, 0, 100);
	d.style.width = 32768;
	assert_int_equal(png_draw(&d.r, &d.style, &out, &err), ERR_USAGE);
	assert_string_equal(err.msg, "--width=32768: a PNG is 1 to 32767 pixels wide");
	assert_int_equal(out.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_that_are_none_are_drawn),
		cmocka_unit_test(names_of_marks_and_of_nothing_are_drawn),
		cmocka_unit_test(a_picture_of_nothing_is_drawn),
		cmocka_unit_test(every_paper_that_is_named_is_known),
		cmocka_unit_test(no_page_is_wider_than_a_page_can_be),
		cmocka_unit_test(a_png_that_is_too_wide_is_refused_and_nothing_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
