/*
 * opt.c - table of options
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/opt.h"

#include "base/amount.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool opt_same_name(const char *name, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (name[i] != (text[i] == '-' ? '_' : text[i]))
			return false;
	return name[n] == 0;
}

const struct opt *opt_find(const struct opt *table, size_t n_opts, const char *name, size_t n)
{
	for (size_t i = 0; i < n_opts; i++)
		if (opt_same_name(table[i].name, name, n))
			return &table[i];
	return NULL;
}

bool opt_is_flag(const struct opt *o)
{
	return o->kind == OPT_BOOL || o->kind == OPT_CHOICE || o->kind == OPT_MODE;
}

static bool parse_bool(const char *s, bool *out)
{
	static const char *const yes[] = { "1", "t", "T", "true", "TRUE", "True" };
	static const char *const no[] = { "0", "f", "F", "false", "FALSE", "False" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (strcmp(s, yes[i]) == 0 || strcmp(s, no[i]) == 0) {
			*out = strcmp(s, yes[i]) == 0;
			return true;
		}
	}
	return false;
}

/* Copy the digits of a number; _ is allowed between digits and, after a prefix, before the first. */
static bool copy_digits(const char *s, bool prefixed, char *out, size_t room)
{
	bool after_digit = prefixed;

	for (; *s; s++) {
		if (*s == '_' && after_digit && isxdigit((unsigned char)s[1])) {
			after_digit = false;
			continue;
		}
		if (!isxdigit((unsigned char)*s) || room < 2)
			return false;
		after_digit = true;
		*out++ = *s;
		room--;
	}
	*out = 0;
	return true;
}

/* Parse a decimal number, or one with prefix 0x, 0o, 0b or 0, with _ between digits. */
static bool parse_int(const char *s, int64_t *out)
{
	char digits[80], *end;
	bool negative = *s == '-', prefixed = false;
	int base = 10;
	long long v;

	s += *s == '-' || *s == '+';
	if (s[0] == '0' && s[1]) {
		char c = (char)tolower((unsigned char)s[1]);

		base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
		s += c == 'x' || c == 'b' || c == 'o' ? 2 : 1;
		prefixed = true;
	}
	digits[0] = '-';
	if (!copy_digits(s, prefixed, digits + 1, sizeof(digits) - 1) || digits[1] == 0)
		return false;
	errno = 0;
	v = strtoll(negative ? digits : digits + 1, &end, base);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

static bool parse_real(const char *s, double *out)
{
	char *end;
	double v = strtod(s, &end);

	if (end == s || *end || isspace((unsigned char)*s))
		return false;
	*out = v;
	return true;
}

const char *opt_display_name(const struct opt *o, char buf[OPT_NAME_MAX])
{
	snprintf(buf, OPT_NAME_MAX, "%s", o->name);
	for (char *p = buf; o->is_ours && *p; p++)
		if (*p == '_')
			*p = '-';
	return buf;
}

static void list_add(struct opt_list *l, const char *value)
{
	l->item = mem_grow(l->item, &l->cap, l->n + 1, sizeof(*l->item));
	l->item[l->n++] = value;
}

void opt_list_release(struct opt_list *l)
{
	free(l->item);
	*l = (struct opt_list){ 0 };
}

/* Set a number of bytes: a whole number as for OPT_INT, or one with a unit. */
static int opt_set_size(const struct opt *o, const char *value, int64_t *field, struct err *err)
{
	char name[OPT_NAME_MAX + 2] = "--";
	uint64_t bytes = 0;

	if (parse_int(value, field))
		return 0;
	opt_display_name(o, name + 2);
	if (amount_parse_bytes(name, value, &bytes, err) < 0)
		return ERR_USAGE;
	*field = (int64_t)bytes;
	return 0;
}

int opt_set(const struct opt *o, void *target, const char *value, struct err *err)
{
	void *field = (char *)target + o->at;
	char name[OPT_NAME_MAX];
	bool is_true = true, ok = true;

	assert(value || opt_is_flag(o) || o->kind == OPT_TEXT); /* an OPT_TEXT may have no default, which is NULL */
	if (opt_is_flag(o) && o->kind != OPT_MODE && value && !parse_bool(value, &is_true))
		return err_set(err, ERR_USAGE, "-%s=%s: must be true or false", opt_display_name(o, name), value);
	switch (o->kind) {
	case OPT_BOOL:
		*(bool *)field = is_true;
		break;
	case OPT_CHOICE:
		if (is_true)
			*(int *)field = o->choice;
		break;
	case OPT_INT:
		ok = parse_int(value, field);
		break;
	case OPT_SIZE:
		return opt_set_size(o, value, field, err);
	case OPT_REAL:
		ok = parse_real(value, field);
		break;
	case OPT_TEXT:
		*(const char **)field = value;
		break;
	case OPT_MODE:
		*(const char **)field = value ? value : "true";
		break;
	case OPT_LIST:
		list_add(field, value);
	}
	if (!ok)
		return err_set(err, ERR_USAGE, "-%s=%s: not a %s", opt_display_name(o, name), value,
			       o->kind == OPT_INT ? "whole number, or out of range" : "number");
	return 0;
}

void opt_set_defaults(const struct opt *table, size_t n_opts, void *target)
{
	for (size_t i = 0; i < n_opts; i++) {
		if (table[i].kind == OPT_CHOICE)
			*(int *)((char *)target + table[i].at) = 0;
		else if (table[i].kind == OPT_LIST)
			*(struct opt_list *)((char *)target + table[i].at) = (struct opt_list){ 0 };
		else if (opt_set(&table[i], target, table[i].default_text, NULL) < 0)
			assert(!"a default in the table does not parse");
	}
}

int opt_fail_argument(const char *option, const char *arg, struct err *err)
{
	return err_set(err, ERR_USAGE, "%s needs an argument: %s=%s", option, option, arg);
}

/* The name in an argument such as --name=value, and its length. */
static const char *opt_name_of(const char *argument, size_t *n)
{
	const char *name = argument + 1 + (argument[1] == '-');

	*n = strcspn(name, "=");
	return name;
}

int opt_fail_unknown(const char *command, const struct opt_table *table, size_t n_tables, const char *argument,
		     struct err *err)
{
	size_t n;
	const char *name = opt_name_of(argument, &n), *near = NULL;
	int dashes = (int)(name - argument), shown = dashes + (int)n;
	char word[OPT_NAME_MAX], near_name[OPT_NAME_MAX];

	snprintf(word, sizeof(word), "%.*s", (int)n, name);
	for (char *p = word; *p; p++)
		*p = *p == '-' ? '_' : *p;
	for (size_t t = 0; t < n_tables; t++)
		for (size_t i = 0; i < table[t].n; i++)
			if (utf8_keep_similar(word, table[t].opt[i].name, &near))
				opt_display_name(&table[t].opt[i], near_name);
	if (near)
		return err_set(err, ERR_USAGE, "unknown option %.*s; did you mean %.*s%s?", shown, argument, dashes,
			       argument, near_name);
	return err_set(err, ERR_USAGE, "unknown option %.*s; cpa %s --help lists the options", shown, argument,
		       command);
}

int opt_read(const char *command, const struct opt_table *table, size_t n_tables, int left, char **argv,
	     struct err *err)
{
	size_t n, t = 0;
	const char *name = opt_name_of(argv[0], &n), *value = name[n] ? name + n + 1 : NULL;
	const struct opt *o = NULL;
	bool two;
	int rc;

	while (t < n_tables && !(o = opt_find(table[t].opt, table[t].n, name, n)))
		t++;
	if (!o)
		return opt_fail_unknown(command, table, n_tables, argv[0], err);
	two = !value && !opt_is_flag(o);
	if (two && left < 2)
		return opt_fail_argument(argv[0], o->arg, err);
	rc = opt_set(o, table[t].target, two ? argv[1] : value, err);
	return rc < 0 ? rc : 1 + two;
}

int opt_read_all(const char *command, const struct opt_table *table, size_t n_tables, int argc, char **argv,
		 opt_word_fn *fn, void *arg, struct err *err)
{
	bool words_only = false;

	for (int i = 0, used = 1; i < argc; i += used) {
		int rc = 0;

		used = 1;
		if (!words_only && strcmp(argv[i], "--") == 0)
			words_only = true;
		else if (!words_only && argv[i][0] == '-' && argv[i][1])
			rc = used = opt_read(command, table, n_tables, argc - i, argv + i, err);
		else
			rc = fn(arg, argv[i], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
