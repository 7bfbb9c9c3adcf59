/*
 * tap.h - TAP output of runtime tests, which also run without the libraries of the build machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RUNTIME_TAP_H
#define RUNTIME_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_n, tap_failed;

/* Print a result; name is the behaviour that the test checks. */
static inline bool tap(bool ok, const char *name)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tap_n, name);
	tap_failed += !ok;
	return ok;
}

/* Skip a test. */
static inline void tap_skip(const char *name, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_n, name, why);
}

__attribute__((format(printf, 1, 2))) static inline void tap_note(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fputs("# ", stdout);
	vprintf(format, ap);
	putchar('\n');
	va_end(ap);
}

static inline int tap_end(void)
{
	printf("1..%d\n", tap_n);
	return tap_failed; /* as cmocka does, for tests/unit/tap.sh */
}

#endif
