/*
 * test_library.c - load shared libraries
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static const struct library_function functions[] = { { "ZSTD_decompress", 0 } };

static void a_missing_library_is_reported_with_its_package(void **state)
{
	void *table[1];
	struct err err;

	(void)state;
	assert_int_equal(library_load("libcpa-nosuch.so.1", functions, 1, table, "install it", &err), ERR_IO);
	assert_string_equal(err.msg, "install it");
}

static void a_library_that_cannot_be_opened_is_not_reported_as_missing(void **state)
{
	struct rlimit before, none;
	void *table[1];
	struct err err;
	int rc;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	rc = library_load("libzstd.so.1", functions, 1, table, "install it", &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(rc, ERR_IO);
	assert_null(strstr(err.msg, "install it"));
	assert_non_null(strstr(err.msg, "Too many open files"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_library_is_reported_with_its_package),
		cmocka_unit_test(a_library_that_cannot_be_opened_is_not_reported_as_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
