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

/* clang-format off */
#define PCRE2_FUNCTIONS(F) \
	F(compile) F(code_free) F(compile_context_create) F(compile_context_free) F(set_newline) \
	F(set_parens_nest_limit) F(set_compile_extra_options) F(jit_compile) F(match_context_create) \
	F(match_context_free) F(set_match_limit) F(match_data_create) F(match_data_create_from_pattern) \
	F(match_data_free) F(match) F(dfa_match) F(get_ovector_pointer) F(get_ovector_count) \
	F(get_error_message)

/* The functions of PCRE2 that cpa calls; each has the name of the real one without pcre2_ and _8. */
struct pcre2 {
#define FUNCTION(name) __typeof__(pcre2_##name##_8) *name;
	PCRE2_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

/* Load PCRE2 once per process. Callable by any thread. Fails with ERR_IO if it is missing. */
int pcre2_load(const struct pcre2 **out, struct err *err);

#endif
