/*
 * settings.c - query options that are assigned as text, one at a time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/settings.h"

#include "base/mem.h"
#include "base/str.h"
#include "engine/filter.h"
#include "engine/query.h"
#include "engine/view.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct settings {
	struct query q; /* its texts, including list items, are owned by the settings */
};

static const char **text_at(struct query *q, const struct opt *o)
{
	return (const char **)((char *)q + o->at);
}

static const void *field_at(const struct query *q, const struct opt *o)
{
	return (const char *)q + o->at;
}

static bool holds_text(const struct opt *o)
{
	return o->kind == OPT_TEXT || o->kind == OPT_MODE;
}

static char *session_settings_copy(const char *s)
{
	return mem_strndup(s, strlen(s));
}

static void settings_replace(const char **field, const char *value)
{
	char *own = session_settings_copy(value); /* copy first: value may be the old text */

	free((void *)*field);
	*field = own;
}

/* Replace the borrowed texts of a query by copies. */
static void own_texts(struct query *q)
{
	for (size_t i = 0; i < query_n_options; i++) {
		struct opt_list *l = (struct opt_list *)text_at(q, &query_options[i]);

		if (holds_text(&query_options[i]))
			*text_at(q, &query_options[i]) = session_settings_copy(*text_at(q, &query_options[i]));
		if (query_options[i].kind != OPT_LIST)
			continue;
		const char **item = l->n ? mem_alloc(l->n, sizeof(*item)) : NULL;

		for (size_t k = 0; k < l->n; k++)
			item[k] = session_settings_copy(l->item[k]);
		*l = (struct opt_list){ .item = item, .n = l->n, .cap = l->n };
	}
	q->pattern = session_settings_copy(q->pattern);
}

/* Clear the flags that query_finish has already translated to other options. */
static void clear_derived(struct query *q)
{
	settings_replace(&q->by, "");
	q->inuse_space = q->inuse_objects = q->alloc_space = q->alloc_objects = false;
	q->total_delay = q->contentions = q->mean_delay = false;
}

struct settings *settings_new(const struct query *q)
{
	struct settings *s = mem_alloc(1, sizeof(*s));

	s->q = *q;
	own_texts(&s->q);
	clear_derived(&s->q);
	return s;
}

struct settings *settings_copy(const struct settings *s)
{
	return settings_new(&s->q);
}

void settings_free(struct settings *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < query_n_options; i++) {
		struct opt_list *l = (struct opt_list *)text_at(&s->q, &query_options[i]);

		if (holds_text(&query_options[i]))
			free((void *)*text_at(&s->q, &query_options[i]));
		if (query_options[i].kind != OPT_LIST)
			continue;
		for (size_t k = 0; k < l->n; k++)
			free((void *)l->item[k]);
		opt_list_release(l);
	}
	free((void *)s->q.pattern);
	free(s);
}

const struct query *settings_query(const struct settings *s)
{
	return &s->q;
}

void settings_set_pattern(struct settings *s, const char *pattern)
{
	settings_replace(&s->q.pattern, pattern);
}

static const struct query_choice *find_choice(const char *name)
{
	for (size_t i = 0; i < query_n_choices; i++)
		if (strcmp(query_choices[i].name, name) == 0)
			return &query_choices[i];
	return NULL;
}

static const struct opt *settings_find_option(const char *name)
{
	const struct opt *o = opt_find(query_options, query_n_options, name, strlen(name));

	return o && o->group != GROUP_GENERAL && o->group != GROUP_WEB ? o : NULL;
}

bool settings_is_known(const char *name)
{
	return *name && (find_choice(name) || settings_find_option(name));
}

bool settings_can_assign(const struct opt *o)
{
	static const char *const no[] = { "inuse_space", "inuse_objects", "alloc_space", "alloc_objects",
					  "total_delay", "contentions",   "mean_delay",  "symbolize",
					  "buildid",     "verbose",       "wide",        "no_pager" };

	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (strcmp(o->name, no[i]) == 0)
			return false;
	switch (o->group) {
	case GROUP_REPORT:
	case GROUP_FILTER:
	case GROUP_GRAIN:
	case GROUP_VALUE:
	case GROUP_SYMBOL:
	case GROUP_FLAME:
	case GROUP_OUTPUT:
		return true;
	default:
		return false;
	}
}

/* Explain why an option cannot be assigned. */
static int explain_refusal(const struct opt *o, struct err *err)
{
	char name[OPT_NAME_MAX];

	opt_display_name(o, name);
	if (o->group == GROUP_VALUE)
		return err_set(err, ERR_USAGE, "%s is a command-line option; write sample_index=%s", name,
			       strstr(name, "delay") ? "delay" : name);
	if (strcmp(name, "all") == 0)
		return err_set(err, ERR_USAGE, "-all is an option of trend, which reads its own profiles");
	if (o->group == GROUP_OUTPUT)
		return err_set(err, ERR_USAGE, "--%s only applies on the command line", name);
	return err_set(err, ERR_USAGE, "%s only applies while profiles are read; set it on the command line: -%s%s%s",
		       name, name, o->arg ? "=" : "", o->arg ? o->arg : "");
}

int settings_parse_flag(const char *s, bool *out, struct err *err)
{
	static const char *const yes[] = { "true", "t", "yes", "y", "1", "" };
	static const char *const no[] = { "false", "f", "no", "n", "0" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (strcasecmp(s, yes[i]) == 0) {
			*out = true;
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		if (strcasecmp(s, no[i]) == 0) {
			*out = false;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "illegal value \"%s\" for bool variable", s);
}

/* Like Go strconv.Atoi. */
static int parse_whole(const char *s, struct err *err)
{
	const char *digits = s + (*s == '-' || *s == '+');

	if (!*digits || digits[strspn(digits, "0123456789")])
		return err_set(err, ERR_USAGE, "strconv.Atoi: parsing \"%s\": invalid syntax", s);
	errno = 0;
	strtoll(s, NULL, 10);
	if (errno)
		return err_set(err, ERR_USAGE, "strconv.Atoi: parsing \"%s\": value out of range", s);
	return 0;
}

/* Is s a number in Go's syntax? strtod accepts more, for example nan(x) and hexadecimal numbers without exponent. */
static bool is_real(const char *s)
{
	static const char *const words[] = { "nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity" };
	const char *digits = "0123456789", *at = s + (*s == '-' || *s == '+');
	bool hex = at[0] == '0' && (at[1] | 32) == 'x';
	size_t n;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(s, words[i]) == 0)
			return true;
	if (hex) {
		at += 2;
		digits = "0123456789abcdefABCDEF";
	}
	n = strspn(at, digits);
	at += n;
	if (*at == '.') {
		size_t more = strspn(at + 1, digits);

		n += more;
		at += 1 + more;
	}
	if (n == 0 || (hex && (*at | 32) != 'p'))
		return false;
	if (*at && (*at | 32) == (hex ? 'p' : 'e')) {
		at += 1 + (at[1] == '-' || at[1] == '+');
		n = strspn(at, "0123456789");
		at += n;
	}
	return n > 0 && *at == 0;
}

/* Like Go strconv.ParseFloat. */
static int settings_parse_number(const char *s, struct err *err)
{
	if (!is_real(s))
		return err_set(err, ERR_USAGE, "strconv.ParseFloat: parsing \"%s\": invalid syntax", s);
	errno = 0;
	if (isinf(strtod(s, NULL)) && errno == ERANGE)
		return err_set(err, ERR_USAGE, "strconv.ParseFloat: parsing \"%s\": value out of range", s);
	return 0;
}

/* sort=cum */
static int assign_choice(struct query *q, const struct query_choice *c, const char *value, struct err *err)
{
	int *field = (int *)((char *)q + c->offset);

	if (!value)
		return err_set(err, ERR_USAGE, "please specify a value, e.g. %s=<val>", c->name);
	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];

		if (o->kind == OPT_CHOICE && o->at == c->offset && strcmp(o->name, value) == 0) {
			*field = o->choice;
			q->has_granularity |= c->offset == offsetof(struct query, granularity);
			return 0;
		}
	}
	if (strcmp(c->name, "shape") == 0 && strcmp(value, "text") == 0) {
		*field = FORMAT_TEXT;
		return 0;
	}
	return err_set(err, ERR_USAGE, "invalid \"%s\" value \"%s\"", c->name, value);
}

/* Assign a value of a choice, as in cum=1. A bare cum, which has no effect in pprof, is refused. */
static int assign_pick(struct query *q, const struct opt *o, const char *value, struct err *err)
{
	static const char *const yes[] = { "1", "t", "T", "true", "TRUE", "True" };
	const char *choice = "";

	for (size_t i = 0; value && i < sizeof(yes) / sizeof(yes[0]); i++)
		if (strcmp(value, yes[i]) == 0)
			return query_set(q, o, NULL, err);
	for (size_t i = 0; i < query_n_choices; i++)
		if (query_choices[i].offset == o->at)
			choice = query_choices[i].name;
	return err_set(err, ERR_USAGE, "unknown config field \"%s\"; write %s=%s", o->name, choice, o->name);
}

static int assign_type(struct query *q, const struct profile *p, const char *value, struct err *err)
{
	uint32_t type;

	if (view_find_type(p, value, &type, err) < 0)
		return ERR_USAGE;
	settings_replace(&q->sample_index, profile_text(p, p->type[type].name));
	return 0;
}

/* by=label:KEY means tagroot=KEY, and by= means tagroot= */
static int assign_by(struct query *q, const char *value, struct err *err)
{
	static const char label[] = "label:";

	if (*value && (!starts_with(value, label) || !value[sizeof(label) - 1]))
		return err_set(err, ERR_USAGE, "by=%s: expected by=label:KEY", value);
	settings_replace(&q->tagroot, *value ? value + sizeof(label) - 1 : "");
	return 0;
}

/* Check a value that may be a regular expression. Other options are ignored: their values may be invalid. */
static int check_expression(const struct opt *o, const char *value, struct err *err)
{
	struct query alone;

	query_init(&alone);
	*text_at(&alone, o) = value;
	return filter_check(&alone.filter, err);
}

static int assign_text(struct query *q, const struct profile *p, const struct opt *o, const char *value,
		       struct err *err)
{
	struct query changed = *q;

	if (o->at == offsetof(struct query, sample_index) && p)
		return assign_type(q, p, value, err);
	if (o->at == offsetof(struct query, unit) && p && view_check_unit(p, value, err) < 0)
		return ERR_USAGE;
	if (o->at == offsetof(struct query, by))
		return assign_by(q, value, err);
	*text_at(&changed, o) = value;
	if (query_check(&changed, err) < 0 || check_expression(o, value, err) < 0)
		return ERR_USAGE;
	settings_replace(text_at(q, o), value);
	return 0;
}

/* Assign a flag or a number. The value is first set in a plain copy of the query, which owns nothing. */
static int assign_value(struct query *q, const struct opt *o, const char *value, struct err *err)
{
	struct query changed = *q;
	bool yes = false;
	int rc = o->kind == OPT_BOOL   ? settings_parse_flag(value, &yes, err)
		 : o->kind == OPT_INT  ? parse_whole(value, err)
		 : o->kind == OPT_SIZE ? 0
				       : settings_parse_number(value, err);
	char decimal[32];

	if (o->kind == OPT_INT && rc == 0) { /* 010 is ten here, but eight on the command line */
		snprintf(decimal, sizeof(decimal), "%lld", strtoll(value, NULL, 10));
		value = decimal;
	}
	if (rc == 0)
		rc = query_set(&changed, o, o->kind != OPT_BOOL ? value : yes ? "true" : "false", err);
	if (rc == 0)
		rc = query_check(&changed, err);
	if (rc == 0)
		*q = changed;
	return rc;
}

int settings_assign(struct settings *s, const struct profile *p, const char *name, const char *value, struct err *err)
{
	const struct query_choice *c = find_choice(name);
	const struct opt *o = c ? NULL : settings_find_option(name);
	char shown[OPT_NAME_MAX];

	if (c)
		return assign_choice(&s->q, c, value, err);
	if (!o)
		return err_set(err, ERR_USAGE, "unknown config field \"%s\"", name);
	if (!settings_can_assign(o))
		return explain_refusal(o, err);
	if (o->kind == OPT_CHOICE)
		return assign_pick(&s->q, o, value, err);
	if (!value && o->kind != OPT_BOOL)
		return err_set(err, ERR_USAGE, "please specify a value, e.g. %s=<val>", opt_display_name(o, shown));
	return holds_text(o) ? assign_text(&s->q, p, o, value, err) : assign_value(&s->q, o, value ? value : "", err);
}

void settings_reset(struct settings *s, const char *name)
{
	const struct query_choice *c = find_choice(name);
	const struct opt *o = c ? NULL : settings_find_option(name);
	size_t at = c ? c->offset : o ? o->at : 0;

	assert(c || (o && o->kind != OPT_LIST));
	if (c)
		*(int *)((char *)&s->q + c->offset) = 0;
	else if (holds_text(o))
		settings_replace(text_at(&s->q, o), o->default_text);
	else
		query_set(&s->q, o, o->default_text, NULL);
	s->q.has_nodefraction &= at != offsetof(struct query, nodefraction);
	s->q.has_granularity &= at != offsetof(struct query, granularity);
}

/* Append the shortest decimal that reads back as this number, as Go prints it. */
static void settings_add_real(double v, struct buf *out)
{
	char text[64] = "";
	int exponent = 0;
	const char *e;

	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	e = strchr(text, 'e');
	if (e)
		exponent = atoi(e + 1);
	if (exponent > 0 && exponent < 21)
		snprintf(text, sizeof(text), "%.0f", v);
	buf_addz(out, text);
}

void settings_add_choice(const struct settings *s, const struct query_choice *c, struct buf *out)
{
	int value = *(const int *)((const char *)&s->q + c->offset);

	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];

		if (o->kind == OPT_CHOICE && o->at == c->offset && o->choice == value) {
			buf_addz(out, o->name);
			return;
		}
	}
	buf_addz(out, "text"); /* text is the only choice without its own flag */
}

void settings_add_value(const struct settings *s, const struct opt *o, struct buf *out)
{
	const void *field = field_at(&s->q, o);
	const struct opt_list *l = field;

	switch (o->kind) {
	case OPT_BOOL:
		buf_addz(out, *(const bool *)field ? "true" : "false");
		break;
	case OPT_INT:
	case OPT_SIZE:
		buf_addf(out, "%" PRId64, *(const int64_t *)field);
		break;
	case OPT_REAL:
		settings_add_real(*(const double *)field, out);
		break;
	case OPT_TEXT:
	case OPT_MODE:
		buf_addz(out, *(const char *const *)field);
		break;
	case OPT_CHOICE:
		for (size_t i = 0; i < query_n_choices; i++)
			if (query_choices[i].offset == o->at)
				settings_add_choice(s, &query_choices[i], out);
		break;
	case OPT_LIST:
		for (size_t i = 0; i < l->n; i++)
			buf_addf(out, "%s%s", i ? " " : "", l->item[i]);
	}
}
