/*
 * pcre2.c - PCRE2, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/pcre2.h"

#include "base/library.h"

#define FUNCTION(name) LIBRARY_FUNCTION(pcre2, "pcre2_" #name "_8", name)
LIBRARY_LOADER(pcre2, "libpcre2-8.so.0", PCRE2_FUNCTIONS(FUNCTION),
	       "PCRE2 is needed for regular expressions; install it with: apt-get install libpcre2-8-0")
