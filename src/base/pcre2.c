/*
 * pcre2.c - PCRE2, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/pcre2.h"

#include "base/library.h"

#include <stddef.h>

static struct pcre2 lib;

/* clang-format off */
static const struct library_function functions[] = {
#define FUNCTION(name) { "pcre2_" #name "_8", offsetof(struct pcre2, name) },
	PCRE2_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

static struct library library =
	LIBRARY("libpcre2-8.so.0", functions, &lib,
		"PCRE2 is needed for regular expressions; install it with: apt-get install libpcre2-8-0");

int pcre2_load(const struct pcre2 **out, struct err *err)
{
	*out = &lib;
	return library_use(&library, err);
}
