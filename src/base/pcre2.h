/*
 * pcre2.h - PCRE2, which matches regular expressions, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_PCRE2_H
#define BASE_PCRE2_H

#include "base/err.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* The functions of PCRE2 that cpa calls; each has the name of the real one without pcre2_ and _8. */
struct pcre2 {
#define FUNCTION(name) __typeof__(pcre2_##name##_8) *name
	FUNCTION(compile);
	FUNCTION(code_free);
	FUNCTION(compile_context_create);
	FUNCTION(compile_context_free);
	FUNCTION(set_newline);
	FUNCTION(set_parens_nest_limit);
	FUNCTION(set_compile_extra_options);
	FUNCTION(jit_compile);
	FUNCTION(match_context_create);
	FUNCTION(match_context_free);
	FUNCTION(set_match_limit);
	FUNCTION(match_data_create);
	FUNCTION(match_data_create_from_pattern);
	FUNCTION(match_data_free);
	FUNCTION(match);
	FUNCTION(dfa_match);
	FUNCTION(get_ovector_pointer);
	FUNCTION(get_ovector_count);
	FUNCTION(get_error_message);
#undef FUNCTION
};

/* Load PCRE2 once per process. Callable by any thread. Fails with ERR_IO if it is missing. */
int pcre2_load(const struct pcre2 **out, struct err *err);

#endif
