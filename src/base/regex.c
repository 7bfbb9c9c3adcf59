/*
 * regex.c - regular expressions, by PCRE2 with its just-in-time compiler
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A match may take MATCH_STEPS steps and no more: an expression that explodes ends in an error
 * and never in a hang.
 */
#include "config.h"

#include "base/regex.h"

#include "base/mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

enum { MATCH_STEPS = 1000000, NAME_SHOWN = 60 };

struct regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

int regex_new(const char *pattern, struct regex **out, struct err *err)
{
	int number;
	size_t at;
	unsigned char message[160];
	struct regex *r;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
					 PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY, &number, &at, NULL);

	if (!code) {
		pcre2_get_error_message(number, message, sizeof(message));
		return err_set(err, ERR_USAGE, "error parsing regexp `%s` at offset %zu: %s", pattern, at, message);
	}
	r = mem_zalloc(1, sizeof(*r));
	r->code = code;
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without it the interpreter does the same */
	r->data = pcre2_match_data_create(1, NULL);
	r->limits = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(r->limits, MATCH_STEPS);
	*out = r;
	return 0;
}

void regex_free(struct regex *r)
{
	if (!r)
		return;
	pcre2_match_context_free(r->limits);
	pcre2_match_data_free(r->data);
	pcre2_code_free(r->code);
	free(r);
}

int regex_match(const struct regex *r, const char *text, size_t n, bool *out, struct err *err)
{
	unsigned char message[160];
	int rc = pcre2_match(r->code, (PCRE2_SPTR)text, n, 0, 0, r->data, r->limits);

	if (rc == PCRE2_ERROR_JIT_STACKLIMIT) /* a long name: the interpreter has no such limit */
		rc = pcre2_match(r->code, (PCRE2_SPTR)text, n, 0, PCRE2_NO_JIT, r->data, r->limits);
	if (rc < 0 && rc != PCRE2_ERROR_NOMATCH) {
		pcre2_get_error_message(rc, message, sizeof(message));
		return err_set(err, ERR_LIMIT, "matching `%.*s`: %s", n < NAME_SHOWN ? (int)n : NAME_SHOWN, text,
			       message);
	}
	*out = rc != PCRE2_ERROR_NOMATCH;
	return 0;
}
