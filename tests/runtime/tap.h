/*
 * tap.h - what tests of the runtime print; they also run without the libraries of this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RUNTIME_TAP_H
#define RUNTIME_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_n, tap_failed;

/* One result; name is a sentence that can be false. */
static inline bool tap(bool ok, const char *name)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tap_n, name);
	tap_failed += !ok;
	return ok;
}

/* A test that cannot be made here. */
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
	return tap_failed; /* as cmocka: tests/unit/tap.sh expects it */
}

#endif
