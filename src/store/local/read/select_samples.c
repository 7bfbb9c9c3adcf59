/*
 * select_samples.c - conditions on labels of samples
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A condition of a query concerns series if a series of the services has a label of its name, in any kind and at any time: so
 * the same source means the same in each window. The other conditions concern samples.
 */
#include "config.h"

#include "store/local/read/select.h"

#include "base/mem.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/read/local.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which conditions concern samples ---- */

struct select_split {
	const struct store_query *q;
	bool *is_series; /* [q->n_match] */
};

static void split_note_name(struct select_split *x, const char *name)
{
	for (size_t i = 0; i < x->q->n_match; i++)
		x->is_series[i] |= strcmp(x->q->match[i].name, name) == 0;
}

static bool split_is_complete(const struct select_split *x)
{
	for (size_t i = 0; i < x->q->n_match; i++)
		if (!x->is_series[i])
			return false;
	return true;
}

static int split_add_series(void *arg, const struct catalogue_series *s, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < s->n_labels; i++)
		split_note_name(arg, s->label[i].name);
	return split_is_complete(arg) ? ERR_STOPPED : 0; /* further series change nothing */
}

/* Note the labels of series that the catalogue may lack: those of journals and pins. Damaged chapters are reported later. */
static void split_add_chapters(struct select_split *x, const struct selection *sel)
{
	bool is_pin = x->q->pin && *x->q->pin;

	for (size_t i = 0; i < sel->n && !split_is_complete(x); i++) {
		struct chapter *c = NULL;

		if (!is_pin && !select_is_kept(&sel->chapter[i]))
			continue;
		if (select_read(&sel->chapter[i], &c, NULL) == 0)
			for (uint32_t k = 0; k < c->dict.n_series; k++)
				for (uint32_t l = 0; l < c->dict.series[k].n_labels; l++)
					split_note_name(x, strtab_text(c->dict.str, c->dict.series[k].name[l]));
		select_release(&sel->chapter[i], c);
	}
}

static int split_add_catalogue(struct store *s, struct select_split *x, struct err *err)
{
	struct catalogue_query cq = { x->q->service, x->q->is_pattern, INT64_MIN, INT64_MAX };
	int rc = local_find_series(s, &cq, "", split_add_series, x, err);

	return rc == ERR_STOPPED ? 0 : rc;
}

int select_split(struct store *s, const struct selection *sel, const struct store_query *q, struct store_query *own,
		 struct err *err)
{
	struct select_split x = { .q = q };
	struct label_match *match;
	size_t n = 0;
	int rc = 0;

	*own = *q;
	if (!q->n_match)
		return 0;
	x.is_series = mem_zalloc(q->n_match, sizeof(*x.is_series));
	split_note_name(&x, "service");
	split_note_name(&x, "kind");
	split_add_chapters(&x, sel);
	if (!split_is_complete(&x))
		rc = split_add_catalogue(s, &x, err);
	match = mem_alloc(q->n_match, sizeof(*match));
	for (size_t i = 0; i < q->n_match; i++)
		if (x.is_series[i])
			match[n++] = q->match[i];
	own->match = match;
	own->n_match = n;
	own->sample_match = match + n;
	own->n_sample_match = q->n_match - n;
	for (size_t i = 0; i < q->n_match; i++)
		if (!x.is_series[i])
			match[n++] = q->match[i];
	free(x.is_series);
	if (rc < 0)
		select_split_release(own, q);
	return rc;
}

void select_split_release(struct store_query *own, const struct store_query *q)
{
	if (q->n_match)
		free((struct label_match *)own->match);
	own->match = NULL;
}

void select_describe_samples(const struct store_query *q, const bool *has_label, struct buf *out)
{
	static const char *const operators[] = {
		[MATCH_EQUAL] = "=", [MATCH_NOT_EQUAL] = "!=", [MATCH_REGEX] = "=~", [MATCH_NOT_REGEX] = "!~"
	};

	for (size_t i = 0; i < q->n_sample_match; i++)
		buf_addf(out, "%s%s%s%s%s", i ? "," : "", q->sample_match[i].name, operators[q->sample_match[i].op],
			 q->sample_match[i].value,
			 has_label[i] ? "" : " (neither a series nor a sample has this label)");
}

/* ---- which rows satisfy them ---- */

void select_rows_release(struct select_rows *r)
{
	free(r->set);
	free(r->row);
	*r = (struct select_rows){ 0 };
}

/* Does a label set satisfy a condition? The value of a number is its digits. Returns 1, 0 or an error. */
static int match_set(const struct label_match *m, const struct dict *d, uint32_t set, struct err *err)
{
	bool is_negative = m->op == MATCH_NOT_EQUAL || m->op == MATCH_NOT_REGEX, has_label = false;

	for (uint32_t i = d->label_sets.off[set]; i < d->label_sets.off[set + 1]; i++) {
		uint32_t label = d->label_sets.item[i];
		const char *value = strtab_text(d->str, d->label_text[label]);
		char digits[24];
		int rc;

		if (strcmp(strtab_text(d->str, d->label_key[label]), m->name) != 0)
			continue;
		if (!d->label_is_text[label]) {
			snprintf(digits, sizeof(digits), "%" PRId64, d->label_num[label]);
			value = digits;
		}
		has_label = true;
		rc = select_match(m, value, err);
		if (rc < 0 || (rc > 0) != is_negative)
			return rc; /* a value that decides: of several, one is enough */
	}
	return has_label ? is_negative : select_match(m, "", err);
}

int select_rows_extend(struct select_rows *r, const struct store_query *q, const struct dict *d, struct err *err)
{
	if (!q->n_sample_match)
		return 0;
	r->set = mem_grow(r->set, &r->cap_sets, d->label_sets.n, sizeof(*r->set));
	for (; r->n_sets < d->label_sets.n; r->n_sets++) {
		int rc = 1;

		for (size_t i = 0; rc > 0 && i < q->n_sample_match; i++)
			rc = match_set(&q->sample_match[i], d, r->n_sets, err);
		if (rc < 0)
			return rc;
		r->set[r->n_sets] = rc > 0;
	}
	r->row = mem_grow(r->row, &r->cap_rows, d->n_rows, sizeof(*r->row));
	for (; r->n_rows < d->n_rows; r->n_rows++)
		r->row[r->n_rows] = r->set[d->row_labels[r->n_rows]];
	return 0;
}
