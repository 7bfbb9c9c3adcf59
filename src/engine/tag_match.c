/*
 * tag_match.c - tagfocus and tagignore: which label sets they mean
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each distinct label is matched once, then each label set looks at its labels.
 */
#include "config.h"

#include "engine/filter_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A list: its elements, which commas part. */
static size_t count_elements(const char *expr)
{
	size_t n = 1;

	for (; *expr; expr++)
		n += *expr == ',';
	return n;
}

/* All elements as ranges; gives 1 when one of them is none. */
static int parse_ranges(struct filter *f, struct tag_filter *t, struct err *err)
{
	size_t n = count_elements(t->expr), i = 0;
	const char *s = t->expr;

	t->range = arena_alloc(f->mem, n, sizeof(*t->range));
	for (; i < n; i++) {
		size_t len = strcspn(s, ",");
		int rc = tag_range_parse(s, len, f->mem, &t->range[i], err);

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
	/* a list: text is matched as ever, so that what pprof finds with it is found here too */
	return rc < 0 ? rc : parse_expressions(f, t, err);
}

void tag_filter_release(struct tag_filter *t)
{
	for (size_t i = 0; i < t->n_rx; i++)
		matcher_release(&t->rx[i]);
}

struct tagging {
	const struct profile *p;
	const struct tag_filter *t;
	const struct label_units *units;
	bool *is_key;    /* [strings] labels with this key count */
	uint32_t *label; /* [n] labels of text that count */
	uint32_t n;
	uint8_t *yes; /* [n] */
	uint8_t *hit; /* [n_labels] */
};

static const char *label_text(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct tagging *x = arg;
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

static bool counts(const struct tagging *x, uint32_t label)
{
	return !x->t->key || strcmp(profile_text(x->p, x->p->label_key[label]), x->t->key) == 0;
}

static bool in_a_range(const struct tagging *x, uint32_t label)
{
	const struct profile *p = x->p;
	const char *unit;

	if (p->label_is_text[label])
		return false;
	unit = label_unit(x->units, p, label);
	for (size_t i = 0; i < x->t->n_ranges; i++)
		if (tag_range_has(&x->t->range[i], p->label_num[label], unit))
			return true;
	return false;
}

/* yes[set] = 1 for the sets in use with a label that was hit. */
static void spread(const struct tagging *x, const uint8_t *used, uint8_t *yes)
{
	const struct csr *sets = &x->p->label_sets;

	for (uint32_t s = 0; s < sets->n; s++)
		for (uint32_t i = sets->off[s]; used[s] && !yes[s] && i < sets->off[s + 1]; i++)
			yes[s] = x->hit[sets->item[i]];
}

/* Without a key each expression has to match some label, with one any of them does. */
static int match_expressions(struct tagging *x, const uint8_t *used, uint8_t *yes, struct err *err)
{
	uint32_t n_sets = x->p->label_sets.n;
	uint8_t *all = mem_alloc(n_sets, 1), *one = mem_alloc(n_sets, 1);
	int rc = 0;

	memcpy(all, used, n_sets);
	for (size_t i = 0; rc == 0 && i < x->t->n_rx; i++) {
		memset(x->hit, 0, x->p->n_labels);
		memset(x->yes, 0, x->n);
		memset(one, 0, n_sets);
		rc = matcher_all(&x->t->rx[i], label_text, x, x->n, x->yes, 1, err);
		for (uint32_t k = 0; k < x->n; k++)
			x->hit[x->label[k]] = x->yes[k];
		spread(x, used, x->t->key ? yes : one);
		for (uint32_t s = 0; s < n_sets; s++)
			all[s] &= one[s];
	}
	for (uint32_t s = 0; !x->t->key && s < n_sets; s++)
		yes[s] |= all[s];
	free(all);
	free(one);
	return rc;
}

int tag_filter_match(struct filter *f, const struct tag_filter *t, const struct label_units *units, const uint8_t *used,
		     uint8_t *yes, struct err *err)
{
	const struct profile *p = &f->d;
	struct tagging x = { .p = p, .t = t, .units = units };
	int rc = 0;

	x.label = mem_alloc(p->n_labels, sizeof(*x.label));
	x.yes = mem_alloc(p->n_labels, 1);
	x.hit = mem_zalloc(p->n_labels, 1);
	for (uint32_t l = 0; l < p->n_labels; l++) {
		if (!counts(&x, l))
			continue;
		x.hit[l] = t->n_ranges && in_a_range(&x, l);
		if (p->label_is_text[l])
			x.label[x.n++] = l;
	}
	spread(&x, used, yes);
	if (t->n_rx)
		rc = match_expressions(&x, used, yes, err);
	free(x.label);
	free(x.yes);
	free(x.hit);
	return rc;
}
