/*
 * regex.c - regular expressions: RE2's language, matched by PCRE2
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * PCRE2's just-in-time compiler is fast on what people ask for, but it goes back and tries again,
 * and some expressions explode. So a match gets few steps. When they do not do, the same question
 * goes to PCRE2's other matcher, which follows all ways at once: slow, but its time grows with the
 * text and not exponentially. Both give the same answer. The time that matches may take in the slow
 * way, over all texts of an expression, has a limit; past it there is an error and no hang.
 *
 * Bytes that are not UTF-8 count as U+FFFD each, as in Go.
 */
#include "config.h"

#include "base/regex.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/regex_syntax.h"
#include "base/str.h"
#include "base/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	STEPS = 1 << 20, /* of one fast match, shared by the bytes of its text */
	STEPS_MIN = 256,
	FAST_TEXT = 4096, /* bytes; a longer text is only tried the fast way until it fails once */
	FAST_TRIES = 16,  /* fast matches that may fail before all go the slow way */
	SLOW_MS = 700,
	STATE_WORDS = 6, /* of workspace for each way that is followed */
	STATES_MIN = 64,
	STATES_MAX = 8000,
	NAME_SHOWN = 60,
	NEST_LIMIT = 2100,
};

struct regex {
	char *pattern;                   /* for PCRE2 */
	pcre2_code *fast, *slow, *whole; /* whole: anchored at both ends, with groups; made when first needed */
	pcre2_compile_context *compile;
	pcre2_match_data *data, *groups; /* of whole */
	pcre2_match_context *limits;
	unsigned n_failed;   /* fast matches that took too many steps */
	int64_t slow_ns;     /* spent so far */
	int *work;           /* of the slow matcher */
	struct buf readable; /* the text, when it is not UTF-8 */
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* PCRE2 stopped behind a \p{...} that it does not know. */
static void unknown_property(const char *pattern, size_t at, struct err *err)
{
	size_t end = at, start;

	while (end > 0 && pattern[end - 1] != '}')
		end--;
	for (start = end; start > 0 && pattern[start] != '{';)
		start--;
	start += starts_with(pattern + start, "{sc:") ? 4 : 1;
	err_set(err, ERR_USAGE, "error parsing regexp: invalid character class range: `\\p{%.*s`", (int)(end - start),
		pattern + start);
}

static pcre2_code *compile(struct regex *r, const char *pattern, const char *shown, uint32_t options, struct err *err)
{
	unsigned char message[160];
	int number;
	size_t at;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
					 PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_CIRCUMFLEX |
						 PCRE2_NEVER_BACKSLASH_C | options,
					 &number, &at, r->compile);

	if (!code && number == PCRE2_ERROR_UNKNOWN_UNICODE_PROPERTY) {
		unknown_property(pattern, at, err);
	} else if (!code) {
		pcre2_get_error_message(number, message, sizeof(message));
		err_set(err, ERR_USAGE, "error parsing regexp: %s: `%s`", message, shown);
	}
	return code;
}

int regex_new(const char *pattern, struct regex **out, struct err *err)
{
	struct buf translated = { 0 };
	struct regex *r;

	if (regex_syntax(pattern, &translated, err) < 0) {
		buf_release(&translated);
		return ERR_USAGE;
	}
	r = mem_zalloc(1, sizeof(*r));
	r->pattern = mem_strndup(buf_text(&translated), translated.len);
	buf_release(&translated);
	r->compile = pcre2_compile_context_create(NULL);
	pcre2_set_newline(r->compile, PCRE2_NEWLINE_LF);
	pcre2_set_parens_nest_limit(r->compile, NEST_LIMIT);
	pcre2_set_compile_extra_options(r->compile, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
	r->fast = compile(r, r->pattern, pattern, PCRE2_NO_AUTO_CAPTURE, err);
	if (!r->fast) {
		regex_free(r);
		return ERR_USAGE;
	}
	pcre2_jit_compile(r->fast, PCRE2_JIT_COMPLETE); /* without it the interpreter does the same */
	r->data = pcre2_match_data_create(1, NULL);
	r->limits = pcre2_match_context_create(NULL);
	*out = r;
	return 0;
}

void regex_free(struct regex *r)
{
	if (!r)
		return;
	pcre2_match_context_free(r->limits);
	pcre2_match_data_free(r->data);
	pcre2_code_free(r->fast);
	pcre2_code_free(r->slow);
	pcre2_code_free(r->whole);
	pcre2_match_data_free(r->groups);
	pcre2_compile_context_free(r->compile);
	buf_release(&r->readable);
	free(r->work);
	free(r->pattern);
	free(r);
}

static int fail(const char *text, size_t n, const char *why, struct err *err)
{
	return err_set(err, ERR_LIMIT, "matching `%.*s`: %s", n < NAME_SHOWN ? (int)n : NAME_SHOWN, text, why);
}

/* How many ways at once may be followed in n bytes, so that it ends in time. */
static size_t states_for(size_t n)
{
	size_t states = STATES_MAX;

	while (states > STATES_MIN && states * states > UINT64_C(1000000000) / (n + 1))
		states /= 2;
	return states;
}

/* The slow way: one walk over the text, anchored, with an item in front that skips any start. */
static int match_slow(struct regex *r, const char *text, size_t n, bool *out, struct err *err)
{
	int64_t start = now_ns();
	int rc;

	if (!r->slow) {
		struct buf whole = { 0 };

		buf_addf(&whole, "(?s:.)*?(%s)", r->pattern);
		r->slow = compile(r, buf_text(&whole), r->pattern,
				  PCRE2_NO_AUTO_CAPTURE | PCRE2_ANCHORED | PCRE2_NO_START_OPTIMIZE, err);
		buf_release(&whole);
		if (!r->slow)
			return ERR_USAGE;
		r->work = mem_alloc(STATES_MAX * STATE_WORDS, sizeof(*r->work));
	}
	if (r->slow_ns > INT64_C(1000000) * SLOW_MS)
		return fail(text, n, "the expression takes too many steps", err);
	rc = pcre2_dfa_match(r->slow, (PCRE2_SPTR)text, n, 0, PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST, r->data, NULL,
			     r->work, states_for(n) * STATE_WORDS);
	r->slow_ns += now_ns() - start;
	if (rc < 0 && rc != PCRE2_ERROR_NOMATCH)
		return fail(text, n, "the expression takes too many steps at once", err);
	*out = rc != PCRE2_ERROR_NOMATCH;
	return 0;
}

static bool is_ascii(const char *text, size_t n)
{
	uint64_t word;

	for (; n >= sizeof(word); text += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		if (word & UINT64_C(0x8080808080808080))
			return false;
	}
	for (; n; n--)
		if (*text++ & 0x80)
			return false;
	return true;
}

/* Put U+FFFD for each byte that is not UTF-8. */
static void make_readable(struct regex *r, const char **text, size_t *n)
{
	const char *s = *text, *end = s + *n;
	bool broken = false;
	uint32_t c;

	if (is_ascii(s, *n))
		return;
	r->readable.len = 0;
	while (s < end) {
		size_t length = utf8_decode(s, (size_t)(end - s), &c);

		buf_add(&r->readable, length ? s : "\xef\xbf\xbd", length ? length : 3);
		broken |= length == 0;
		s += length ? length : 1;
	}
	if (broken) {
		*text = r->readable.data;
		*n = r->readable.len;
	}
}

int regex_match(struct regex *r, const char *text, size_t n, bool *out, struct err *err)
{
	uint32_t steps;
	int rc;

	make_readable(r, &text, &n);
	if (r->n_failed >= FAST_TRIES || (r->n_failed && n > FAST_TEXT))
		return match_slow(r, text, n, out, err);
	steps = (uint32_t)(STEPS / (n + 1)) + STEPS_MIN;
	pcre2_set_match_limit(r->limits, steps);
	rc = pcre2_match(r->fast, (PCRE2_SPTR)text, n, 0, PCRE2_NO_UTF_CHECK, r->data, r->limits);
	if (rc < 0 && rc != PCRE2_ERROR_NOMATCH) {
		r->n_failed++;
		return match_slow(r, text, n, out, err);
	}
	*out = rc != PCRE2_ERROR_NOMATCH;
	return 0;
}

static int make_whole(struct regex *r, struct err *err)
{
	if (r->whole)
		return 0;
	r->whole = compile(r, r->pattern, r->pattern, PCRE2_ANCHORED | PCRE2_ENDANCHORED, err);
	if (!r->whole)
		return ERR_USAGE;
	pcre2_jit_compile(r->whole, PCRE2_JIT_COMPLETE);
	r->groups = pcre2_match_data_create_from_pattern(r->whole, NULL);
	return 0;
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The number of a group behind a dollar: "1" or "{1}"; s moves behind it. */
static int group_number(const char **s, uint32_t *out, struct err *err)
{
	const char *start = *s + (**s == '{'), *end = start;
	uint32_t n = 0;

	for (; is_word(*end); end++)
		n = *end >= '0' && *end <= '9' && n < 100000 ? n * 10 + (uint32_t)(*end - '0') : UINT32_MAX;
	if (end == start || n == UINT32_MAX || (start > *s && *end != '}'))
		return err_set(err, ERR_USAGE, "$%s: groups go by their number, $1 or ${1}, and $$ is a dollar", *s);
	*s = end + (start > *s);
	*out = n;
	return 0;
}

static int expand(const struct regex *r, const char *text, const char *to, struct buf *out, struct err *err)
{
	const size_t *at = pcre2_get_ovector_pointer(r->groups);
	uint32_t n_groups = pcre2_get_ovector_count(r->groups), group = 0;

	while (*to) {
		size_t n = strcspn(to, "$");

		buf_add(out, to, n);
		to += n;
		if (!*to++)
			break;
		if (*to == '$') {
			buf_add(out, to++, 1);
			continue;
		}
		if (group_number(&to, &group, err) < 0)
			return ERR_USAGE;
		if (group >= n_groups)
			return err_set(err, ERR_USAGE, "$%u: the expression has %u groups", group, n_groups - 1);
		if (at[2 * group] != PCRE2_UNSET)
			buf_add(out, text + at[2 * group], at[2 * group + 1] - at[2 * group]);
	}
	return 0;
}

int regex_replace(struct regex *r, const char *text, size_t n, const char *to, struct buf *out, bool *yes,
		  struct err *err)
{
	size_t before = out->len;
	int rc;

	if (make_whole(r, err) < 0)
		return ERR_USAGE;
	make_readable(r, &text, &n);
	pcre2_set_match_limit(r->limits, (uint32_t)(STEPS / (n + 1)) + STEPS_MIN);
	rc = pcre2_match(r->whole, (PCRE2_SPTR)text, n, 0, PCRE2_NO_UTF_CHECK, r->groups, r->limits);
	if (rc == PCRE2_ERROR_NOMATCH) {
		*yes = false;
		return 0;
	}
	if (rc < 0)
		return fail(text, n, "the expression takes too many steps", err);
	rc = expand(r, text, to, out, err);
	if (rc < 0)
		out->len = before;
	else
		*yes = true;
	return rc;
}
