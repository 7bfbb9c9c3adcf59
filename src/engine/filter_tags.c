/*
 * filter_tags.c - filters by label
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For tagfocus and tagignore each distinct label is compared once with ranges and expressions; label sets then look up
 * their labels. tagshow and taghide remove labels from sets.
 */
#include "config.h"

#include "base/mem.h"
#include "base/unit.h"
#include "engine/filter_int.h"
#include "engine/query_filter.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number with its unit. */
struct token {
	int64_t value;
	bool is_huge;
	const char *unit;
};

static bool filter_tags_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Read [+-]?DIGITS LETTERS and move *s after it. */
static bool read_token(const char **s, const char *end, struct arena *mem, struct token *out)
{
	const char *c = *s, *unit;
	bool negative = c < end && *c == '-';
	struct token t = { 0 };
	int64_t v = 0; /* accumulate negative values, because INT64_MIN has no positive counterpart */

	if (c < end && (*c == '-' || *c == '+'))
		c++;
	if (c == end || !filter_tags_is_digit(*c))
		return false;
	for (; c < end && filter_tags_is_digit(*c); c++)
		t.is_huge |= __builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, *c - '0', &v);
	t.is_huge |= !negative && v == INT64_MIN;
	t.value = negative || t.is_huge ? v : -v;
	for (unit = c; c < end && is_letter(*c); c++)
		;
	t.unit = arena_strndup(mem, unit, (size_t)(c - unit));
	*s = c;
	*out = t;
	return true;
}

static int range_error(const char *text, size_t n, struct err *err)
{
	return err_set(err, ERR_USAGE, "a number in the range %.*s overflows 64 bits", (int)n, text);
}

/* Set the upper end of a range. Returns 1 if its unit is incompatible with that of the lower end. */
static int close_range(const struct token *t, struct tag_range *r)
{
	const char *unit;

	r->hi = unit_scale(t->value, t->unit, r->unit, &unit);
	return strcmp(unit, r->unit) != 0;
}

/*
 * Parse "64kb", "64kb:", ":64kb" or "12kb:64mb".
 *
 * text   n bytes
 * mem    owns the unit of out
 * Returns 1 when the text is not a range, or has units of different kinds
 * Fails  ERR_USAGE for numbers that overflow 64 bits
 * Like   pprof internal/driver/driver_focus.go, parseTagFilterRange
 */
static int parse_range(const char *text, size_t n, struct arena *mem, struct tag_range *out, struct err *err)
{
	const char *s = text, *end = text + n;
	bool open_below = n && *s == ':', colon;
	struct tag_range r = { .lo = -INFINITY, .hi = INFINITY };
	struct token first, second = { 0 };
	double value;

	s += open_below;
	if (!read_token(&s, end, mem, &first))
		return 1;
	colon = !open_below && s < end && *s == ':';
	s += colon;
	if (colon && s < end)
		read_token(&s, end, mem, &second);
	if (s != end)
		return 1;
	if (first.is_huge || second.is_huge)
		return range_error(text, n, err);
	value = unit_scale(first.value, first.unit, first.unit, &r.unit);
	if (open_below) {
		r.hi = value;
	} else {
		r.lo = value;
		if (!colon)
			r.hi = value;
		else if (second.unit && close_range(&second, &r))
			return 1;
	}
	*out = r;
	return 0;
}

/* Is a value of this unit in the range? */
static bool range_has(const struct tag_range *r, int64_t value, const char *unit)
{
	const char *scaled_unit;
	double v = unit_scale(value, unit, r->unit, &scaled_unit);

	return strcmp(scaled_unit, r->unit) == 0 && v >= r->lo && v <= r->hi;
}

/* The number of elements in a comma-separated list. */
static size_t count_elements(const char *expr)
{
	size_t n = 1;

	for (; *expr; expr++)
		n += *expr == ',';
	return n;
}

/* Parse all elements as ranges. Returns 1 when one of them is not a range. */
static int parse_ranges(struct filter *f, struct tag_filter *t, struct err *err)
{
	size_t n = count_elements(t->expr), i = 0;
	const char *s = t->expr;

	t->range = arena_alloc(f->mem, n, sizeof(*t->range));
	for (; i < n; i++) {
		size_t len = strcspn(s, ",");
		int rc = parse_range(s, len, f->mem, &t->range[i], err);

		if (rc)
			return rc < 0 ? err_wrap(err, "parsing %s", t->option) : rc;
		s += len + 1;
	}
	t->n_ranges = n;
	return 0;
}

static int parse_expressions(struct filter *f, struct tag_filter *t, struct err *err)
{
	size_t n = count_elements(t->expr);
	const char *s = t->expr;

	t->rx = arena_zalloc(f->mem, n, sizeof(*t->rx));
	for (; t->n_rx < n; t->n_rx++) {
		size_t len = strcspn(s, ",");
		struct matcher *m = &t->rx[t->n_rx];

		*m = (struct matcher){ t->option, arena_strndup(f->mem, s, len), NULL, f->q->stop };
		if (regex_new(m->pattern, &m->rx, err) < 0)
			return err_wrap(err, "parsing %s regexp", t->option);
		s += len + 1;
	}
	return 0;
}

int tag_filter_init(struct filter *f, struct tag_filter *t, const char *option, const char *value, struct err *err)
{
	const char *equals = strchr(value, '=');
	int rc;

	*t = (struct tag_filter){ .option = option, .expr = value, .is_set = *value != 0 };
	if (!*value)
		return 0;
	if (equals) {
		t->expr = equals + 1;
		if (equals > value)
			t->key = arena_strndup(f->mem, value, (size_t)(equals - value));
	}
	rc = parse_ranges(f, t, err);
	if (rc == 0)
		buf_addf(f->notes, "%s:Interpreted '%s' as range, not regexp\n", option, t->expr);
	if (rc == 0 && t->n_ranges == 1)
		return 0;
	/* a list is matched as text too, to find the same samples as pprof */
	return rc < 0 ? rc : parse_expressions(f, t, err);
}

void tag_filter_release(struct tag_filter *t)
{
	for (size_t i = 0; i < t->n_rx; i++)
		matcher_release(&t->rx[i]);
}

struct tag_matcher {
	const struct profile *p;
	const struct tag_filter *t;
	const struct label_units *units;
	bool *is_key;    /* [strings] are labels with this key matched? */
	uint32_t *label; /* [n] text labels to be matched */
	uint32_t n;
	uint8_t *yes; /* [n] */
	uint8_t *hit; /* [n_labels] */
};

static const char *filter_tags_label_text(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct tag_matcher *x = arg;
	const struct profile *p = x->p;
	str_id text = p->label_text[x->label[i]], key = p->label_key[x->label[i]];

	*n = strtab_len(p->str, text);
	if (x->t->key)
		return profile_text(p, text);
	buf_add(scratch, profile_text(p, key), strtab_len(p->str, key));
	buf_addz(scratch, ":");
	buf_add(scratch, profile_text(p, text), *n);
	*n = scratch->len;
	return scratch->data;
}

static bool filter_tags_counts(const struct tag_matcher *x, uint32_t label)
{
	return !x->t->key || strcmp(profile_text(x->p, x->p->label_key[label]), x->t->key) == 0;
}

static bool in_a_range(const struct tag_matcher *x, uint32_t label)
{
	const struct profile *p = x->p;
	const char *unit;

	if (p->label_is_text[label])
		return false;
	unit = label_unit(x->units, p, label);
	for (size_t i = 0; i < x->t->n_ranges; i++)
		if (range_has(&x->t->range[i], p->label_num[label], unit))
			return true;
	return false;
}

/* Set yes[set] for the sets in use that have a matching label. */
static void mark_sets(const struct tag_matcher *x, const uint8_t *used, uint8_t *yes)
{
	const struct csr *sets = &x->p->label_sets;

	for (uint32_t s = 0; s < sets->n; s++)
		for (uint32_t i = sets->off[s]; used[s] && !yes[s] && i < sets->off[s + 1]; i++)
			yes[s] = x->hit[sets->item[i]];
}

/* Without a key, every expression has to match a label; with a key, one match is enough. */
static int match_expressions(struct tag_matcher *x, const uint8_t *used, uint8_t *yes, struct err *err)
{
	uint32_t n_sets = x->p->label_sets.n;
	uint8_t *all = mem_alloc(n_sets, 1), *one = mem_alloc(n_sets, 1);
	int rc = 0;

	memcpy(all, used, n_sets);
	for (size_t i = 0; rc == 0 && i < x->t->n_rx; i++) {
		memset(x->hit, 0, x->p->n_labels);
		memset(x->yes, 0, x->n);
		memset(one, 0, n_sets);
		rc = matcher_all(&x->t->rx[i], filter_tags_label_text, x, x->n, x->yes, 1, err);
		for (uint32_t k = 0; k < x->n; k++)
			x->hit[x->label[k]] = x->yes[k];
		mark_sets(x, used, x->t->key ? yes : one);
		for (uint32_t s = 0; s < n_sets; s++)
			all[s] &= one[s];
	}
	for (uint32_t s = 0; !x->t->key && s < n_sets; s++)
		yes[s] |= all[s];
	free(all);
	free(one);
	return rc;
}

/* Set yes[set] for the label sets in use that match. units may be NULL without ranges. */
static int tag_filter_match(struct filter *f, const struct tag_filter *t, const struct label_units *units,
			    const uint8_t *used, uint8_t *yes, struct err *err)
{
	const struct profile *p = &f->d;
	struct tag_matcher x = { .p = p, .t = t, .units = units };
	int rc = 0;

	assert(t->is_set && (t->n_ranges == 0 || units));
	x.label = mem_alloc(p->n_labels, sizeof(*x.label));
	x.yes = mem_alloc(p->n_labels, 1);
	x.hit = mem_zalloc(p->n_labels, 1);
	for (uint32_t l = 0; l < p->n_labels; l++) {
		if (!filter_tags_counts(&x, l))
			continue;
		x.hit[l] = t->n_ranges && in_a_range(&x, l);
		if (p->label_is_text[l])
			x.label[x.n++] = l;
	}
	assert(x.n <= p->n_labels);
	mark_sets(&x, used, yes);
	if (t->n_rx)
		rc = match_expressions(&x, used, yes, err);
	free(x.label);
	free(x.yes);
	free(x.hit);
	return rc;
}

static bool filter_tags_has_any(const uint8_t *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i])
			return true;
	return false;
}

/* Add the note for an expression that matched nothing. It differs if earlier filters had removed all samples. */
static void add_hint(struct filter *f, const struct tag_filter *t, const char *option, bool had_rows)
{
	if (had_rows)
		filter_hint_tags(f, t, option);
	else
		buf_addf(f->notes, "%s expression matched no samples; earlier filters removed all\n", option);
}

/* Apply tagfocus and tagignore: mark the label sets whose rows are removed. */
static int filter_by_tag(struct filter *f, const struct label_units *units, struct err *err)
{
	uint32_t n = f->d.label_sets.n;
	uint8_t *used = filter_used_sets(f), *focus = mem_zalloc(n, 1), *ignore = mem_zalloc(n, 1);
	int rc = 0;

	if (f->tagfocus.is_set)
		rc = tag_filter_match(f, &f->tagfocus, units, used, focus, err);
	if (rc == 0 && f->tagignore.is_set)
		rc = tag_filter_match(f, &f->tagignore, units, used, ignore, err);
	if (rc == 0) {
		f->set_removed = arena_alloc(f->mem, n, 1);
		for (uint32_t s = 0; s < n; s++)
			f->set_removed[s] = (f->tagfocus.is_set && !focus[s]) || ignore[s];
		if (f->tagfocus.is_set && !filter_tags_has_any(focus, n))
			add_hint(f, &f->tagfocus, "TagFocus", filter_tags_has_any(used, n));
		if (f->tagignore.is_set && !filter_tags_has_any(ignore, n))
			add_hint(f, &f->tagignore, "TagIgnore", filter_tags_has_any(used, n));
	}
	free(used);
	free(focus);
	free(ignore);
	return rc;
}

enum { KEY_USED = 1, KEY_SHOWN = 2, KEY_HIDDEN = 4 };

struct filter_tags_keys {
	struct filter *f;
	str_id *key; /* [n] the distinct keys of all labels in use */
	uint32_t n;
	uint8_t *bits; /* [n] KEY_ */
	uint8_t *of;   /* [strings] the same bits, indexed by key */
};

static void collect_keys(struct filter_tags_keys *k, const uint8_t *used)
{
	const struct profile *p = &k->f->d;
	const struct csr *sets = &p->label_sets;

	k->of = mem_zalloc(strtab_count(p->str), 1);
	k->key = mem_alloc(p->n_labels, sizeof(*k->key));
	for (uint32_t s = 0; s < sets->n; s++) {
		for (uint32_t i = sets->off[s]; used[s] && i < sets->off[s + 1]; i++) {
			str_id key = p->label_key[sets->item[i]];

			if (!k->of[key])
				k->key[k->n++] = key;
			k->of[key] = KEY_USED;
		}
	}
	assert(k->n <= p->n_labels);
	k->bits = mem_zalloc(k->n, 1);
}

static const char *key_text(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct filter_tags_keys *k = arg;

	(void)scratch;
	*n = strtab_len(k->f->d.str, k->key[i]);
	return profile_text(&k->f->d, k->key[i]);
}

static int match_keys(struct filter_tags_keys *k, struct err *err)
{
	struct filter *f = k->f;
	uint8_t seen = 0;
	int rc = 0;

	if (f->tagshow.rx)
		rc = matcher_all(&f->tagshow, key_text, k, k->n, k->bits, KEY_SHOWN, err);
	if (rc == 0 && f->taghide.rx)
		rc = matcher_all(&f->taghide, key_text, k, k->n, k->bits, KEY_HIDDEN, err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < k->n; i++) {
		seen |= k->bits[i];
		k->of[k->key[i]] |= k->bits[i];
	}
	if (f->tagshow.rx && !(seen & KEY_SHOWN))
		filter_hint_keys(f, "TagShow");
	if (f->taghide.rx && !(seen & KEY_HIDDEN))
		filter_hint_keys(f, "TagHide");
	return 0;
}

/* Make label sets without the removed labels. Sets keep their ids. */
static void remove_labels(struct filter_tags_keys *k)
{
	struct filter *f = k->f;
	const struct csr *in = &f->d.label_sets;
	bool show = f->tagshow.rx != NULL;
	struct csr out = { .n = in->n };
	uint32_t n = 0;

	out.off = arena_alloc(f->mem, (size_t)in->n + 1, sizeof(*out.off));
	out.item = arena_alloc(f->mem, in->off[in->n], sizeof(*out.item));
	for (uint32_t s = 0; s < in->n; s++) {
		out.off[s] = n;
		for (uint32_t i = in->off[s]; i < in->off[s + 1]; i++) {
			uint8_t bits = k->of[f->d.label_key[in->item[i]]];

			if (!(bits & KEY_HIDDEN) && (!show || bits & KEY_SHOWN))
				out.item[n++] = in->item[i];
		}
	}
	assert(n <= in->off[in->n]);
	out.off[in->n] = n;
	f->d.label_sets = out;
}

static int filter_labels(struct filter *f, struct err *err)
{
	struct filter_tags_keys k = { .f = f };
	uint8_t *used = filter_used_sets(f);
	int rc;

	collect_keys(&k, used);
	rc = match_keys(&k, err);
	if (rc == 0)
		remove_labels(&k);
	free(used);
	free(k.of);
	free(k.key);
	free(k.bits);
	return rc;
}

int filter_tags(struct filter *f, const struct label_units *units, struct err *err)
{
	int rc = 0;

	if (f->tagfocus.is_set || f->tagignore.is_set)
		rc = filter_by_tag(f, units, err);
	if (rc == 0 && (f->tagshow.rx || f->taghide.rx))
		rc = filter_labels(f, err);
	return rc;
}
