/*
 * window.c - parse, resolve and print the sources store:SELECTOR@WINDOW
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/window/window.h"

#include "base/amount.h"
#include "base/mem.h"
#include "base/regex.h"
#include "base/str.h"
#include "base/time.h"
#include "store/window/window_int.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MATCHES_MAX = 64, OPTIONS_MAX = 16, KEEP_MAX = 64 };

struct window_named {
	const char *name, *value;
};

struct window {
	struct arena *memory;
	const char *text, *where, *service, *kind;
	struct label_match match[MATCHES_MAX];
	size_t n_match;
	struct window_time time;
	struct window_named option[OPTIONS_MAX];
	size_t n_options;
	enum reduce reduce;
	const char *keep[KEEP_MAX];
	size_t n_keep;
	uint8_t id[16];
	bool has_id, is_partial;
	size_t limit;
	enum store_tier tier;
};

static const char *const reduce_names[] = {
	[REDUCE_DEFAULT] = "",    [REDUCE_SUM] = "sum", [REDUCE_MEAN] = "mean",         [REDUCE_LAST] = "last",
	[REDUCE_FIRST] = "first", [REDUCE_MAX] = "max", [REDUCE_INCREASE] = "increase",
};

bool window_is_source(const char *arg)
{
	const char *at = arg + strlen("store:");
	size_t digits;

	if (!starts_with(arg, "store:"))
		return false;
	digits = strspn(at, "0123456789");
	return digits == 0 || (at[digits] && at[digits] != '/');
}

/* ---- words ---- */

int window_fail(const struct window_cursor *c, const char *at, const char *format, ...)
{
	size_t character = 1;
	va_list args;
	char what[512];

	for (const char *p = c->text; p < at; p++)
		character += ((unsigned char)*p & 0xc0) != 0x80;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return err_set(c->err, ERR_USAGE, "%.300s: character %zu: %s", c->text, character, what);
}

/* Parse the remainder of a word in double quotes; \" and \\ are a quote and a backslash. */
static int parse_quoted(struct window_cursor *c, const char *what, const char **out)
{
	const char *start = c->at++;
	char *copy = arena_alloc(c->memory, strlen(start), 1);
	size_t n = 0;

	for (; *c->at != '"'; c->at++) {
		if (!*c->at)
			return window_fail(c, start, "the double quote of the %s is not closed", what);
		if (*c->at == '\\' && (c->at[1] == '"' || c->at[1] == '\\'))
			c->at++;
		copy[n++] = *c->at;
	}
	c->at++;
	copy[n] = '\0';
	*out = copy;
	return 0;
}

int window_parse_word(struct window_cursor *c, const char *stops, const char *what, const char **out)
{
	size_t n;

	if (*c->at == '"')
		return parse_quoted(c, what, out);
	n = strcspn(c->at, stops);
	if (memchr(c->at, '"', n))
		return window_fail(c, strchr(c->at, '"'),
				   "a double quote inside the %s; put all of it in double quotes", what);
	*out = arena_strndup(c->memory, c->at, n);
	c->at += n;
	return 0;
}

static void window_skip_spaces(struct window_cursor *c)
{
	c->at += strspn(c->at, " ");
}

/* ---- selector ---- */

/* Does the text name a place, before a # outside quotes that precedes the matches? */
static bool has_where(const char *at)
{
	bool is_quoted = false;

	for (; *at && (is_quoted || *at != '{'); at++) {
		if (*at == '#' && !is_quoted)
			return true;
		if (is_quoted && *at == '\\' && at[1])
			at++;
		else if (*at == '"')
			is_quoted = !is_quoted;
	}
	return false;
}

static int parse_where(struct window_cursor *c, struct window *w)
{
	const char *start = c->at;
	int rc;

	w->where = "";
	if (!has_where(c->at))
		return 0;
	rc = window_parse_word(c, "#", "place of the store", &w->where);
	if (rc < 0)
		return rc;
	if (*c->at != '#')
		return window_fail(c, c->at, "# must follow the place of the store");
	c->at++;
	return *w->where ? 0 : window_fail(c, start, "the place of the store before # is empty");
}

/* An equal sign in a name is what bash leaves of unquoted matches. */
static int refuse_equal_sign(struct window_cursor *c, const char *start, const char *what)
{
	const char *equal = *start == '"' ? NULL : memchr(start, '=', (size_t)(c->at - start));

	return !equal ? 0
		      : window_fail(c, equal,
				    "= in the %s; matches are written {KEY=VALUE}, and the source must be in single "
				    "quotes, since the shell expands {a=b,c=d} into two words",
				    what);
}

static int window_parse_name(struct window_cursor *c, const char *stops, const char *what, const char **out)
{
	const char *start = c->at;
	int rc = window_parse_word(c, stops, what, out);

	if (rc < 0)
		return rc;
	if (!**out)
		return window_fail(c, start, "the %s is missing; write store:SERVICE", what);
	return refuse_equal_sign(c, start, what);
}

static int parse_operator(struct window_cursor *c, enum match_op *out)
{
	static const struct {
		const char *text;
		enum match_op op;
	} operators[] = {
		{ "=~", MATCH_REGEX }, { "!~", MATCH_NOT_REGEX }, { "!=", MATCH_NOT_EQUAL }, { "=", MATCH_EQUAL }
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (!starts_with(c->at, operators[i].text))
			continue;
		c->at += strlen(operators[i].text);
		*out = operators[i].op;
		return 0;
	}
	return window_fail(c, c->at, "an operator is missing; write KEY=VALUE, KEY!=VALUE, KEY=~REGEX or KEY!~REGEX");
}

int window_compile_match(struct label_match *m, struct err *err)
{
	struct buf whole = { 0 };
	int rc;

	buf_addf(&whole, "^(?:%s)$", m->value);
	rc = regex_new(buf_text(&whole), &m->regex, err);
	buf_release(&whole);
	return rc;
}

/* Compile the value of a match. It is compiled alone first, for the message. */
static int window_compile(struct window_cursor *c, const char *at, struct label_match *m)
{
	struct err err;
	int rc = regex_new(m->value, &m->regex, &err);

	if (rc == 0) {
		regex_free(m->regex);
		m->regex = NULL;
		rc = window_compile_match(m, &err);
	}
	return rc < 0 ? window_fail(c, at, "%s", err.msg) : 0;
}

static int parse_match(struct window_cursor *c, struct window *w)
{
	struct label_match *m = &w->match[w->n_match];
	const char *start = c->at, *value;
	int rc;

	if (w->n_match == MATCHES_MAX)
		return window_fail(c, start, "more than %d matches", MATCHES_MAX);
	*m = (struct label_match){ 0 };
	rc = window_parse_word(c, " =!~,{}", "label", &m->name);
	if (rc == 0 && !*m->name)
		rc = window_fail(c, start, "a label is missing; write KEY=VALUE");
	window_skip_spaces(c);
	rc = rc < 0 ? rc : parse_operator(c, &m->op);
	window_skip_spaces(c);
	value = c->at;
	rc = rc < 0 ? rc : window_parse_word(c, ",}", "value", &m->value);
	if (rc < 0)
		return rc;
	w->n_match++;
	window_skip_spaces(c);
	return m->op == MATCH_REGEX || m->op == MATCH_NOT_REGEX ? window_compile(c, value, m) : 0;
}

static int parse_matches(struct window_cursor *c, struct window *w)
{
	const char *open = c->at;
	int rc = 0;

	if (*c->at != '{')
		return 0;
	do {
		c->at++;
		window_skip_spaces(c);
		if (*c->at == '}' && *open == '{' && w->n_match == 0)
			break;
		rc = parse_match(c, w);
	} while (rc == 0 && *c->at == ',');
	if (rc < 0)
		return rc;
	if (!*c->at)
		return window_fail(c, open, "{ is not closed");
	if (*c->at != '}')
		return window_fail(c, c->at, "a comma or } must follow the value");
	c->at++;
	return 0;
}

/* ---- options ---- */

static int parse_reduce(struct window_cursor *c, struct window *w, const char *at, const char *value)
{
	for (size_t i = 1; i < sizeof(reduce_names) / sizeof(reduce_names[0]); i++) {
		if (strcmp(reduce_names[i], value) != 0)
			continue;
		w->reduce = (enum reduce)i;
		return 0;
	}
	return window_fail(c, at, "reduce=%.40s: write sum, mean, last, first, max or increase", value);
}

static int parse_keep(struct window_cursor *c, struct window *w, const char *at, const char *value)
{
	while (true) {
		size_t n = strcspn(value, ",");

		if (n == 0)
			return window_fail(c, at, "keep: a label is missing; write keep=LABEL,...");
		if (w->n_keep == KEEP_MAX)
			return window_fail(c, at, "keep: more than %d labels", KEEP_MAX);
		w->keep[w->n_keep++] = arena_strndup(w->memory, value, n);
		if (!value[n])
			return 0;
		value += n + 1;
	}
}

static int parse_step(struct window_cursor *c, struct window *w, const char *at, const char *value)
{
	int64_t ns = 0;
	int n = amount_scan_duration(value, &ns);

	(void)w;
	return n == 0 || value[n] || ns == 0 ? window_fail(c, at, "step=%.40s: not a duration such as 10m or 1h", value)
					     : 0;
}

/* Parse a number from 1 to max. */
static int parse_count(struct window_cursor *c, const char *at, const char *name, const char *value, long max,
		       size_t *out)
{
	char *end;
	long n = strtol(value, &end, 10);

	if (!isdigit((unsigned char)*value) || *end || n < 1 || n > max)
		return window_fail(c, at, "%s=%.40s: not a number from 1 to %ld", name, value, max);
	*out = (size_t)n;
	return 0;
}

static int parse_runs(struct window_cursor *c, struct window *w, const char *at, const char *value)
{
	size_t n;

	(void)w;
	return strcmp(value, "instance") == 0 ? 0 : parse_count(c, at, "runs", value, 1000, &n);
}

static int parse_limit(struct window_cursor *c, struct window *w, const char *at, const char *value)
{
	return parse_count(c, at, "limit", value, 1000000000, &w->limit);
}

static int parse_tier(struct window_cursor *c, struct window *w, const char *at, const char *value)
{
	w->tier = store_tier_parse(value, strlen(value));
	return w->tier < N_TIERS ? 0 : window_fail(c, at, "tier=%.40s: write raw, 10m, 1h or 1d", value);
}

static int window_parse_id(struct window_cursor *c, struct window *w, const char *at, const char *value)
{
	static const char digits[] = "0123456789abcdef";

	if (strlen(value) != 2 * sizeof(w->id) || strspn(value, digits) != 2 * sizeof(w->id))
		return window_fail(c, at, "id=%.40s: not 32 hexadecimal digits; cpa store ls --profiles prints ids",
				   value);
	for (size_t i = 0; i < sizeof(w->id); i++)
		w->id[i] = (uint8_t)((strchr(digits, value[2 * i]) - digits) << 4 |
				     (strchr(digits, value[2 * i + 1]) - digits));
	w->has_id = true;
	return 0;
}

static const struct {
	const char *name;
	/* Parse the value, which is at a position of the text. NULL: the option has no value. */
	int (*parse)(struct window_cursor *c, struct window *w, const char *at, const char *value);
} options[] = {
	{ "reduce", parse_reduce }, { "keep", parse_keep },    { "step", parse_step },   { "runs", parse_runs },
	{ "tier", parse_tier },     { "id", window_parse_id }, { "limit", parse_limit }, { "partial", NULL },
};

/* Parse the value of option o, if it has one. */
static int window_parse_value(struct window_cursor *c, struct window *w, size_t o, const char **value)
{
	const char *at;
	int rc;

	*value = "";
	if (!options[o].parse)
		w->is_partial = true;
	if (!options[o].parse)
		return *c->at == '=' ? window_fail(c, c->at, "%s has no value", options[o].name) : 0;
	if (*c->at != '=')
		return window_fail(c, c->at, "%s needs a value; write +%s=VALUE", options[o].name, options[o].name);
	at = ++c->at;
	rc = window_parse_word(c, "+", "value", value);
	return rc < 0 ? rc : options[o].parse(c, w, at, *value);
}

static int parse_option(struct window_cursor *c, struct window *w)
{
	const char *start = ++c->at, *value;
	size_t n = strcspn(start, "=+"), o = 0;
	int rc;

	while (o < sizeof(options) / sizeof(options[0]) &&
	       (strlen(options[o].name) != n || memcmp(options[o].name, start, n) != 0))
		o++;
	if (o == sizeof(options) / sizeof(options[0]))
		return window_fail(c, start,
				   "no option %.*s; there are reduce, keep, step, runs, tier, id, limit and partial",
				   n > 40 ? 40 : (int)n, start);
	if (window_option(w, options[o].name))
		return window_fail(c, start, "%s is given twice", options[o].name);
	c->at += n;
	rc = window_parse_value(c, w, o, &value);
	if (rc == 0)
		w->option[w->n_options++] = (struct window_named){ options[o].name, value };
	return rc;
}

/* ---- window ---- */

static int store_window_parse(struct window_cursor *c, struct window *w)
{
	int rc;

	for (const char *p = c->text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return window_fail(c, p, "a control character");
	c->at += strlen("store:");
	rc = parse_where(c, w);
	rc = rc < 0 ? rc : window_parse_name(c, "/{@+", "service", &w->service);
	if (rc == 0 && *c->at == '/') {
		c->at++;
		rc = window_parse_name(c, "/{@+", "kind", &w->kind);
	}
	rc = rc < 0 ? rc : parse_matches(c, w);
	if (rc == 0 && *c->at == '@') {
		c->at++;
		rc = window_time_parse(c, &w->time);
	}
	while (rc == 0 && *c->at == '+')
		rc = parse_option(c, w);
	if (rc == 0 && *c->at == '/')
		return window_fail(c, c->at, "a second /; put a service that contains / in double quotes");
	if (rc == 0 && *c->at)
		return window_fail(c, c->at,
				   "unexpected '%.20s'; the order is store:SERVICE/KIND{KEY=VALUE}@WINDOW+OPTION",
				   c->at);
	return rc;
}

int window_parse(const char *text, struct window **out, struct err *err)
{
	struct window *w = mem_zalloc(1, sizeof(*w));
	struct window_cursor c;
	int rc;

	w->memory = arena_new();
	w->text = arena_strndup(w->memory, text, strlen(text));
	w->kind = "";
	w->time.pin = "";
	c = (struct window_cursor){ w->text, w->text, w->memory, err };
	rc = store_window_parse(&c, w);
	if (rc < 0) {
		window_free(w);
		w = NULL;
	}
	*out = w;
	return rc;
}

void window_free(struct window *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_match; i++)
		regex_free(w->match[i].regex);
	arena_free(w->memory);
	free(w);
}

const char *window_where(const struct window *w)
{
	return w->where;
}

const char *window_service(const struct window *w)
{
	return w->service;
}

const char *window_kind(const struct window *w)
{
	return w->kind;
}

bool window_has_time(const struct window *w)
{
	return w->time.form != FORM_NONE;
}

const char *window_text(const struct window *w)
{
	return w->text;
}

const char *window_option(const struct window *w, const char *name)
{
	for (size_t i = 0; i < w->n_options; i++)
		if (strcmp(w->option[i].name, name) == 0)
			return w->option[i].value;
	return NULL;
}

/* ---- resolve ---- */

static bool names_version(const struct window *w)
{
	for (size_t i = 0; i < w->n_match; i++)
		if (w->match[i].op == MATCH_EQUAL && strcmp(w->match[i].name, "version") == 0)
			return true;
	return false;
}

/* The times of a source without a WINDOW: the last hour, or the first day of a version. */
static void use_default_time(const struct window *w, const struct window_clock *clock, struct store_query *q)
{
	const int64_t hour = NS_PER_HOUR, second = NS_PER_S;
	int64_t now = (clock->now_ns + second - 1) / second * second;

	q->t0 = now - hour;
	q->t1 = now;
	if (!names_version(w))
		return;
	q->t0 = INT64_MIN;
	q->t1 = INT64_MAX;
	if (clock->first && clock->first(clock->arg, q, &q->t0))
		q->t1 = q->t0 + 24 * hour;
}

int window_resolve(struct window *w, const struct window_clock *clock, struct store_query *out, struct err *err)
{
	*out = (struct store_query){ .service = w->service,
				     .is_pattern = strpbrk(w->service, "*?") != NULL,
				     .kind = *w->kind ? w->kind : "cpu",
				     .match = w->match,
				     .n_match = w->n_match,
				     .pin = w->time.pin,
				     .reduce = w->reduce,
				     .keep = w->keep,
				     .n_keep = w->n_keep,
				     .id = w->has_id ? w->id : NULL,
				     .limit = w->limit,
				     .tier = w->tier,
				     .partial = w->is_partial };
	if (w->time.form != FORM_NONE)
		return window_time_resolve(&w->time, w->text, w->service, clock, &out->t0, &out->t1, err);
	use_default_time(w, clock, out);
	if (w->has_id) {
		out->t0 = INT64_MIN;
		out->t1 = INT64_MAX;
	}
	return 0;
}

int window_parse_moment(const char *text, const struct window_clock *clock, int64_t *out, struct err *err)
{
	struct window_cursor c = { text, text, arena_new(), err };
	int rc = window_time_moment(&c, clock, out);

	arena_free(c.memory);
	return rc;
}

/* ---- print ---- */

static void print_word(const char *word, const char *special, struct buf *out)
{
	size_t n = strlen(word);

	if (!word[strcspn(word, special)] && !strpbrk(word, "\"\\") &&
	    (n == 0 || (*word != ' ' && word[n - 1] != ' '))) {
		buf_add(out, word, n);
		return;
	}
	buf_addz(out, "\"");
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			buf_addz(out, "\\");
		buf_add(out, word, 1);
	}
	buf_addz(out, "\"");
}

/* Print the place of a store. After store:6060/ it would be the path of a host. */
static void print_where(const char *where, struct buf *out)
{
	size_t digits = strspn(where, "0123456789");

	print_word(where, digits && where[digits] == '/' ? "#{/" : "#{", out);
	buf_addz(out, "#");
}

static void print_selector(const struct window *w, const struct store_query *q, struct buf *out)
{
	static const char *const operators[] = {
		[MATCH_EQUAL] = "=", [MATCH_NOT_EQUAL] = "!=", [MATCH_REGEX] = "=~", [MATCH_NOT_REGEX] = "!~"
	};

	buf_addz(out, "store:");
	if (*w->where)
		print_where(w->where, out);
	/* store:6060/cpu would be a host */
	print_word(q->service, q->service[strspn(q->service, "0123456789")] ? "/{@+#= " : "0123456789", out);
	if (*q->kind) {
		buf_addz(out, "/");
		print_word(q->kind, "/{@+#= ", out);
	}
	for (size_t i = 0; i < q->n_match; i++) {
		buf_addz(out, i ? "," : "{");
		print_word(q->match[i].name, " =!~,{}", out);
		buf_addz(out, operators[q->match[i].op]);
		print_word(q->match[i].value, *q->match[i].value == '~' ? "~,}" : ",}", out); /* not =~ */
	}
	buf_addz(out, q->n_match ? "}" : "");
}

static void print_window(const struct store_query *q, struct buf *out)
{
	bool is_all = q->t0 == INT64_MIN && q->t1 == INT64_MAX;

	buf_addz(out, "@");
	if (*q->pin) {
		buf_addz(out, "pin:");
		print_word(q->pin, strstr(q->pin, "..") ? ",+#~ ." : ",+#~ ", out);
		buf_addz(out, is_all ? "" : ",");
	} else if (is_all) {
		buf_addz(out, "all");
	}
	if (is_all)
		return;
	time_add_exact(out, q->t0);
	buf_addz(out, "..");
	time_add_exact(out, q->t1);
}

void window_print(const struct window *w, const struct store_query *q, struct buf *out)
{
	print_selector(w, q, out);
	print_window(q, out);
	if (q->reduce != REDUCE_DEFAULT)
		buf_addf(out, "+reduce=%s", reduce_names[q->reduce]);
	if (q->n_keep) {
		struct buf keep = { 0 };

		for (size_t i = 0; i < q->n_keep; i++)
			buf_addf(&keep, "%s%s", i ? "," : "", q->keep[i]);
		buf_addz(out, "+keep=");
		print_word(buf_text(&keep), "+# ", out);
		buf_release(&keep);
	}
	if (window_option(w, "tier"))
		buf_addf(out, "+tier=%s", window_option(w, "tier"));
	if (q->id) {
		buf_addz(out, "+id=");
		for (int i = 0; i < 16; i++)
			buf_addf(out, "%02x", q->id[i]);
	}
	if (q->limit)
		buf_addf(out, "+limit=%zu", q->limit);
	if (q->partial)
		buf_addz(out, "+partial");
}
