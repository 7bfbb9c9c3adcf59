/*
 * names.c - strip those parts of function names that change between builds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/names.h"

#include "base/str.h"
#include "engine/match.h"

#include <string.h>

/* A name being processed: the remaining input, and the start of the output. */
struct names_plain {
	const char *s, *end;
	struct buf *out;
	size_t start;
};

static bool gate_names_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool gate_names_is_word(char c)
{
	return c == '_' || gate_names_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns true if the input continues with this string. */
static bool gate_names_is_next(const struct names_plain *p, const char *text)
{
	return starts_with_n(p->s, (size_t)(p->end - p->s), text);
}

static const char *digits(const char *s, const char *end)
{
	while (s < end && gate_names_is_digit(*s))
		s++;
	return s;
}

/* The position after the bracket that closes the bracket at s; NULL if there is none. */
static const char *gate_names_bracket_end(const char *s, const char *end)
{
	unsigned depth = 0;

	for (; s < end; s++) {
		depth += *s == '[';
		depth -= *s == ']';
		if (depth == 0)
			return s + 1;
	}
	return NULL;
}

/* Skip "[abi:cxx11]". */
static bool skip_abi_tag(struct names_plain *p)
{
	const char *s = p->s + 5;

	if (!gate_names_is_next(p, "[abi:"))
		return false;
	while (s < p->end && gate_names_is_word(*s))
		s++;
	if (s == p->s + 5 || s == p->end || *s != ']')
		return false;
	p->s = s + 1;
	return true;
}

/*
 * Skip "@v1.2.3", and a suffix such as "-rc.1" as long as numbers follow its dots; after any other dot the function
 * begins. A module version has three numbers; text with fewer numbers is part of a name.
 */
static bool skip_version(struct names_plain *p)
{
	const char *s = p->s + 2;

	if (!gate_names_is_next(p, "@v"))
		return false;
	for (int i = 0; i < 3; i++) {
		const char *number = s + (i > 0);

		if (i > 0 && (s == p->end || *s != '.'))
			return false;
		s = digits(number, p->end);
		if (s == number)
			return false;
	}
	if (s < p->end && *s == '-')
		while (s < p->end && (gate_names_is_word(*s) || *s == '-' ||
				      (*s == '.' && s + 1 < p->end && gate_names_is_digit(s[1]))))
			s++;
	if ((size_t)(p->end - s) >= 13 && memcmp(s, "+incompatible", 13) == 0)
		s += 13;
	p->s = s;
	return true;
}

/* Skip "[go.shape.int]" or "[...]". */
static bool skip_type_arguments(struct names_plain *p)
{
	const char *end;

	if (!gate_names_is_next(p, "[go.shape.") && !gate_names_is_next(p, "[...]"))
		return false;
	end = gate_names_bracket_end(p->s, p->end);
	if (!end)
		return false;
	p->s = end;
	return true;
}

/* Returns true if the output is a function that can contain closures: there is a dot after the last slash, and the
   last part is neither the package nor the receiver of a method. */
static bool is_function(const struct names_plain *p)
{
	const char *name = p->out->data + p->start;
	size_t n = p->out->len - p->start, i = n;

	if (n == 0 || name[n - 1] == ')')
		return false;
	while (i > 0 && name[i - 1] != '/')
		i--;
	return memchr(name + i, '.', n - i);
}

/* Copy the word of ".func1", ".gowrap2" or "-range3", and skip its number and the dotted numbers that follow. */
static bool skip_counter(struct names_plain *p)
{
	static const char *const word[] = { ".func", ".gowrap", ".deferwrap", "-range" };
	const char *s = NULL, *end;

	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]) && !s; i++)
		if (gate_names_is_next(p, word[i]))
			s = p->s + strlen(word[i]);
	if (!s || !is_function(p))
		return false;
	end = digits(s, p->end);
	if (end == s || (end < p->end && gate_names_is_word(*end)))
		return false;
	buf_add(p->out, p->s, (size_t)(s - p->s));
	while (end + 1 < p->end && *end == '.' && gate_names_is_digit(end[1])) {
		const char *next = digits(end + 1, p->end);

		if (next < p->end && gate_names_is_word(*next))
			break;
		end = next;
	}
	p->s = end;
	return true;
}

static bool gate_names_is_go(const char *name, size_t n, const char *file)
{
	size_t len = strlen(file);

	if (len)
		return len > 3 && strcmp(file + len - 3, ".go") == 0;
	for (size_t i = 0; i + 1 < n; i++)
		if (name[i] == ':' && name[i + 1] == ':')
			return false;
	return memchr(name, '.', n);
}

void gate_names_add_plain(const char *name, size_t n, const char *file, struct buf *out)
{
	struct names_plain p = { .s = name, .out = out, .start = out->len };
	bool go;

	n = match_name_len(name, n, file);
	p.s += match_name_start(name, n);
	go = gate_names_is_go(name, n, file);
	if (go && n > 3 && memcmp(name + n - 3, "-fm", 3) == 0)
		n -= 3;
	p.end = name + n;
	while (p.s < p.end) {
		const char *s = p.s;

		if (skip_abi_tag(&p) || skip_version(&p) || (go && (skip_type_arguments(&p) || skip_counter(&p))))
			continue;
		while (++s < p.end && *s != '[' && *s != '@' && *s != '.' && *s != '-')
			;
		buf_add(out, p.s, (size_t)(s - p.s));
		p.s = s;
	}
	if (out->len == p.start) /* a name that consists only of tags is unchanged */
		buf_add(out, name, n);
}

static int rename_by(struct gate_rule *rule, struct buf *name, size_t start, struct err *err)
{
	struct buf renamed = { 0 };
	bool yes = false;
	int rc = regex_replace(rule->regex, name->data + start, name->len - start, rule->to, &renamed, &yes, err);

	if (rc < 0 && rule->line)
		err_wrap(err, "%.200s:%u: rename", rule->file, rule->line);
	else if (rc < 0)
		err_wrap(err, "--rename=%.100s=%.100s", rule->pattern, rule->to);
	if (rc == 0 && yes && renamed.len) {
		name->len = start;
		buf_add(name, renamed.data, renamed.len);
		rule->n_used++;
	}
	buf_release(&renamed);
	return rc < 0 ? rc : yes;
}

int gate_names_add(void *arg, const char *name, size_t n, const char *file, struct buf *out, struct err *err)
{
	const struct gate_names *names = arg;
	const struct gate_options *options = names->options;
	size_t start = out->len;
	int rc = 0;

	if (options->exact_names)
		buf_add(out, name, n);
	else
		gate_names_add_plain(name, n, file, out);
	if (!names->applies_renames || out->len == start)
		return 0;
	for (size_t i = options->n_rules; rc == 0 && i > 0; i--)
		if (options->rule[i - 1].kind == GATE_RENAME)
			rc = rename_by(&options->rule[i - 1], out, start, err);
	return rc < 0 ? rc : 0;
}
