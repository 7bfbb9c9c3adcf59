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

static const struct library_function functions[] = {
#define FUNCTION(name)                                                                                                 \
	{                                                                                                              \
		"pcre2_" #name "_8", offsetof(struct pcre2, name)                                                      \
	}
	FUNCTION(compile),
	FUNCTION(code_free),
	FUNCTION(compile_context_create),
	FUNCTION(compile_context_free),
	FUNCTION(set_newline),
	FUNCTION(set_parens_nest_limit),
	FUNCTION(set_compile_extra_options),
	FUNCTION(jit_compile),
	FUNCTION(match_context_create),
	FUNCTION(match_context_free),
	FUNCTION(set_match_limit),
	FUNCTION(match_data_create),
	FUNCTION(match_data_create_from_pattern),
	FUNCTION(match_data_free),
	FUNCTION(match),
	FUNCTION(dfa_match),
	FUNCTION(get_ovector_pointer),
	FUNCTION(get_ovector_count),
	FUNCTION(get_error_message),
#undef FUNCTION
};

static struct library library =
	LIBRARY("libpcre2-8.so.0", functions, &lib,
		"PCRE2 is needed for regular expressions; install it with: apt-get install libpcre2-8-0");

int pcre2_load(const struct pcre2 **out, struct err *err)
{
	*out = &lib;
	return library_use(&library, err);
}
