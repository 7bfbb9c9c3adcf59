/*
 * regex.c - regular expressions in RE2 syntax, matched by PCRE2
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The JIT matcher of PCRE2 is fast for typical expressions, but it backtracks, and some expressions take exponential
 * time. So a match has a limited number of steps. If that is not enough, the match is repeated with the DFA matcher of
 * PCRE2, which follows all alternatives in parallel. It is slower, but its time does not grow exponentially with the
 * text. Both find the same matches. The total time of an expression in the DFA matcher is limited too; exceeding it is
 * an error.
 *
 * Each byte of invalid UTF-8 counts as U+FFFD, as in Go.
 */
#include "config.h"

#include "base/regex.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/pcre2.h"
#include "base/regex_syntax.h"
#include "base/str.h"
#include "base/time.h"
#include "base/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	STEPS = 1 << 20, /* maximum steps of a fast match per byte of text */
	STEPS_MIN = 256,
	FAST_TEXT = 4096, /* bytes; longer texts use the fast matcher only until it fails once */
	FAST_TRIES = 16,  /* failed fast matches after which only the slow matcher is used */
	SLOW_MS = 700,
	STATE_WORDS = 6, /* words of workspace per state of the slow matcher */
	STATES_MIN = 64,
	STATES_MAX = 8000,
	NAME_SHOWN = 60,
	NEST_LIMIT = 2100,
};

struct regex {
	const struct pcre2 *lib;
	char *pattern;           /* the expression in PCRE2 syntax */
	pcre2_code *fast, *slow; /* without groups; slow is compiled on first use, like the next two */
	pcre2_code *whole, *any; /* with groups; whole is anchored at both ends */
	pcre2_compile_context *compile;
	pcre2_match_data *data, *groups; /* groups: match data for whole and any */
	pcre2_match_context *limits;
	unsigned n_failed;     /* fast matches that exceeded the step limit */
	int64_t slow_ns;       /* CPU time used by the slow matcher so far */
	int *work;             /* workspace of the slow matcher */
	struct buf valid_text; /* copy of a text with invalid UTF-8 replaced */
};

/* Report a \p{...} that PCRE2 does not support and that ends before at. */
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

static pcre2_code *regex_compile(struct regex *r, const char *pattern, const char *shown, uint32_t options,
				 struct err *err)
{
	unsigned char message[160];
	int number;
	size_t at;
	pcre2_code *code = r->lib->compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
					   PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_CIRCUMFLEX |
						   PCRE2_NEVER_BACKSLASH_C | options,
					   &number, &at, r->compile);

	if (!code && number == PCRE2_ERROR_UNKNOWN_UNICODE_PROPERTY) {
		unknown_property(pattern, at, err);
	} else if (!code) {
		r->lib->get_error_message(number, message, sizeof(message));
		err_set(err, ERR_USAGE, "error parsing regexp: %s: `%s`", message, shown);
	}
	return code;
}

int regex_new(const char *pattern, struct regex **out, struct err *err)
{
	struct buf translated = { 0 };
	struct regex *r;

	const struct pcre2 *lib;
	int rc = regex_syntax(pattern, &translated, err);

	if (rc == 0)
		rc = pcre2_load(&lib, err);
	if (rc < 0) {
		buf_release(&translated);
		return rc;
	}
	r = mem_zalloc(1, sizeof(*r));
	r->lib = lib;
	r->pattern = mem_strndup(buf_text(&translated), translated.len);
	buf_release(&translated);
	r->compile = r->lib->compile_context_create(NULL);
	r->lib->set_newline(r->compile, PCRE2_NEWLINE_LF);
	r->lib->set_parens_nest_limit(r->compile, NEST_LIMIT);
	r->lib->set_compile_extra_options(r->compile, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
	r->fast = regex_compile(r, r->pattern, pattern, PCRE2_NO_AUTO_CAPTURE, err);
	if (!r->fast) {
		regex_free(r);
		return ERR_USAGE;
	}
	r->lib->jit_compile(r->fast, PCRE2_JIT_COMPLETE); /* on failure, PCRE2 uses its interpreter */
	r->data = r->lib->match_data_create(1, NULL);
	r->limits = r->lib->match_context_create(NULL);
	*out = r;
	return 0;
}

void regex_free(struct regex *r)
{
	if (!r)
		return;
	r->lib->match_context_free(r->limits);
	r->lib->match_data_free(r->data);
	r->lib->code_free(r->fast);
	r->lib->code_free(r->slow);
	r->lib->code_free(r->whole);
	r->lib->code_free(r->any);
	r->lib->match_data_free(r->groups);
	r->lib->compile_context_free(r->compile);
	buf_release(&r->valid_text);
	free(r->work);
	free(r->pattern);
	free(r);
}

static int regex_fail(const char *text, size_t n, const char *reason, struct err *err)
{
	return err_set(err, ERR_LIMIT, "matching `%.*s`: %s", n < NAME_SHOWN ? (int)n : NAME_SHOWN, text, reason);
}

/* Maximum number of states of the slow matcher for n bytes; it bounds the time of one match. */
static size_t states_limit(size_t n)
{
	size_t states = STATES_MAX;

	while (states > STATES_MIN && states * states > UINT64_C(1000000000) / (n + 1))
		states /= 2;
	return states;
}

/* Match with the slow matcher: one anchored pass, after a lazy item that skips any prefix. */
static int match_slow(struct regex *r, const char *text, size_t n, bool *out, struct err *err)
{
	int64_t start = clock_cpu_ns();
	int rc;

	if (!r->slow) {
		struct buf whole = { 0 };

		buf_addf(&whole, "(?s:.)*?(%s)", r->pattern);
		r->slow = regex_compile(r, buf_text(&whole), r->pattern,
					PCRE2_NO_AUTO_CAPTURE | PCRE2_ANCHORED | PCRE2_NO_START_OPTIMIZE, err);
		buf_release(&whole);
		if (!r->slow)
			return ERR_USAGE;
		r->work = mem_alloc(STATES_MAX * STATE_WORDS, sizeof(*r->work));
	}
	if (r->slow_ns > INT64_C(1000000) * SLOW_MS)
		return regex_fail(text, n, "the expression takes too many steps", err);
	rc = r->lib->dfa_match(r->slow, (PCRE2_SPTR)text, n, 0, PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST, r->data, NULL,
			       r->work, states_limit(n) * STATE_WORDS);
	r->slow_ns += clock_cpu_ns() - start;
	if (rc < 0 && rc != PCRE2_ERROR_NOMATCH)
		return regex_fail(text, n, "the expression needs too much memory", err);
	*out = rc != PCRE2_ERROR_NOMATCH;
	return 0;
}

static bool regex_is_ascii(const char *text, size_t n)
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

/* Replace each byte of invalid UTF-8 by U+FFFD. */
static void make_valid(struct regex *r, const char **text, size_t *n)
{
	const char *s = *text, *end = s + *n;
	bool broken = false;
	uint32_t c;

	if (regex_is_ascii(s, *n))
		return;
	r->valid_text.len = 0;
	while (s < end) {
		size_t length = utf8_decode(s, (size_t)(end - s), &c);

		buf_add(&r->valid_text, length ? s : "\xef\xbf\xbd", length ? length : 3);
		broken |= length == 0;
		s += length ? length : 1;
	}
	if (broken) {
		*text = r->valid_text.data;
		*n = r->valid_text.len;
	}
}

int regex_match(struct regex *r, const char *text, size_t n, bool *out, struct err *err)
{
	uint32_t steps;
	int rc;

	make_valid(r, &text, &n);
	if (r->n_failed >= FAST_TRIES || (r->n_failed && n > FAST_TEXT))
		return match_slow(r, text, n, out, err);
	steps = (uint32_t)(STEPS / (n + 1)) + STEPS_MIN;
	r->lib->set_match_limit(r->limits, steps);
	rc = r->lib->match(r->fast, (PCRE2_SPTR)text, n, 0, PCRE2_NO_UTF_CHECK, r->data, r->limits);
	if (rc < 0 && rc != PCRE2_ERROR_NOMATCH) {
		r->n_failed++;
		return match_slow(r, text, n, out, err);
	}
	*out = rc != PCRE2_ERROR_NOMATCH;
	return 0;
}

/* Compile the expression with groups, on first use. */
static int compile_groups(struct regex *r, pcre2_code **code, uint32_t options, struct err *err)
{
	if (*code)
		return 0;
	*code = regex_compile(r, r->pattern, r->pattern, options, err);
	if (!*code)
		return ERR_USAGE;
	r->lib->jit_compile(*code, PCRE2_JIT_COMPLETE);
	if (!r->groups)
		r->groups = r->lib->match_data_create_from_pattern(*code, NULL);
	return 0;
}

static bool regex_is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Read the number of a group after a dollar sign: "1" or "{1}". *s is set to its end. */
static int group_number(const char **s, uint32_t *out, struct err *err)
{
	const char *start = *s + (**s == '{'), *end = start;
	uint32_t n = 0;

	for (; regex_is_word(*end); end++)
		n = *end >= '0' && *end <= '9' && n < 100000 ? n * 10 + (uint32_t)(*end - '0') : UINT32_MAX;
	if (end == start || n == UINT32_MAX || (start > *s && *end != '}'))
		return err_set(err, ERR_USAGE, "$%s: use group numbers, $1 or ${1}; $$ is a dollar sign", *s);
	*s = end + (start > *s);
	*out = n;
	return 0;
}

static int expand(const struct regex *r, const char *text, const char *to, struct buf *out, struct err *err)
{
	const size_t *at = r->lib->get_ovector_pointer(r->groups);
	uint32_t n_groups = r->lib->get_ovector_count(r->groups), group = 0;

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
			return err_set(err, ERR_USAGE, "$%u: the expression has only %u groups", group, n_groups - 1);
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

	if (compile_groups(r, &r->whole, PCRE2_ANCHORED | PCRE2_ENDANCHORED, err) < 0)
		return ERR_USAGE;
	make_valid(r, &text, &n);
	r->lib->set_match_limit(r->limits, (uint32_t)(STEPS / (n + 1)) + STEPS_MIN);
	rc = r->lib->match(r->whole, (PCRE2_SPTR)text, n, 0, PCRE2_NO_UTF_CHECK, r->groups, r->limits);
	if (rc == PCRE2_ERROR_NOMATCH) {
		*yes = false;
		return 0;
	}
	if (rc < 0)
		return regex_fail(text, n, "the expression takes too many steps", err);
	rc = expand(r, text, to, out, err);
	if (rc < 0)
		out->len = before;
	else
		*yes = true;
	return rc;
}

/* Replace the matches of valid text. Returns their number, or ERR_*. */
static int64_t replace_matches(struct regex *r, const char *text, size_t n, const char *to, struct buf *out,
			       struct err *err)
{
	const size_t *at = r->lib->get_ovector_pointer(r->groups);
	size_t copied = 0, last = SIZE_MAX; /* end of the text that was copied; end of the last match */
	int64_t n_replaced = 0;

	for (size_t pos = 0; pos <= n;) {
		uint32_t c;
		int rc = r->lib->match(r->any, (PCRE2_SPTR)text, n, pos, PCRE2_NO_UTF_CHECK, r->groups, r->limits);

		if (rc == PCRE2_ERROR_NOMATCH)
			break;
		if (rc < 0)
			return regex_fail(text, n, "the expression takes too many steps", err);
		if (at[0] < at[1] || at[0] != last) {
			buf_add(out, text + copied, at[0] - copied);
			if (expand(r, text, to, out, err) < 0)
				return ERR_USAGE;
			n_replaced++;
			copied = last = at[1];
		}
		pos = at[1];
		if (at[0] == at[1]) /* an empty match: continue after the next character */
			pos += pos < n ? utf8_decode(text + pos, n - pos, &c) : 1;
	}
	buf_add(out, text + copied, n - copied);
	return n_replaced;
}

int regex_replace_all(struct regex *r, const char *text, size_t n, const char *to, struct buf *out, size_t *n_replaced,
		      struct err *err)
{
	size_t before = out->len;
	int64_t rc;

	if (compile_groups(r, &r->any, 0, err) < 0)
		return ERR_USAGE;
	make_valid(r, &text, &n);
	r->lib->set_match_limit(r->limits, (uint32_t)(STEPS / (n + 1)) + STEPS_MIN);
	rc = replace_matches(r, text, n, to, out, err);
	if (rc < 0) {
		out->len = before;
		return (int)rc;
	}
	*n_replaced = (size_t)rc;
	return 0;
}

int regex_check_replacement(struct regex *r, const char *to, struct err *err)
{
	uint32_t group = 0, n_groups;

	if (compile_groups(r, &r->any, 0, err) < 0)
		return ERR_USAGE;
	n_groups = r->lib->get_ovector_count(r->groups);
	for (to += strcspn(to, "$"); *to++; to += strcspn(to, "$")) {
		if (*to == '$') {
			to++;
			continue;
		}
		if (group_number(&to, &group, err) < 0)
			return ERR_USAGE;
		if (group >= n_groups)
			return err_set(err, ERR_USAGE, "$%u: the expression has only %u groups", group, n_groups - 1);
	}
	return 0;
}
