/*
 * tags.c - the tags report
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Values are summed per set of labels first, since there are fewer sets than samples, then per label, then per key and
 * value as printed.
 */
#include "config.h"

#include "report/tags.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "engine/label_unit.h"
#include "engine/query.h"
#include "report/head.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct column columns[TAGS_COLS] = {
	[TAGS_KEY] = { "key", "key", CELL_NAME },
	[TAGS_VALUE] = { "value", "value", CELL_NAME },
	[TAGS_CUM] = { "cum", "cum", CELL_VALUE },
	[TAGS_CUM_PCT] = { "cum_percent", "cum%", CELL_PERCENT },
};

struct tags_tag {
	const char *key, *value;
	str_id key_id, value_id; /* id of the key in the profile; id of the value in tag_builder.values */
	int64_t weight;
	struct tag_row row;
};

struct report_tags_tag_builder {
	struct stop *stop;
	const struct profile *p;
	struct strtab *values; /* values as printed */
	int64_t *weight;       /* [n_labels] */
	bool *used;            /* [n_labels] */
	struct tags_tag *tag;
	size_t n;
};

static int too_large(const struct profile *p, str_id key, struct err *err)
{
	struct buf name = { 0 };
	int rc;

	utf8_add_safe(&name, profile_text(p, key), strtab_len(p->str, key));
	rc = err_set(err, ERR_RANGE, "the sum of all values of the label %s overflows 64 bits", buf_text(&name));
	buf_release(&name);
	return rc;
}

static int weigh_labels(struct report_tags_tag_builder *t, const struct view *v, struct err *err)
{
	const struct profile *p = t->p;
	const struct csr *sets = &p->label_sets;
	int64_t *sum = mem_zalloc(sets->n, sizeof(*sum));
	bool *used = mem_zalloc(sets->n, sizeof(*used));
	int rc = 0;

	for (uint32_t i = 0; i < v->n && !stop_step(v->stop, i); i++) {
		sum[p->labels[i]] += v->val[i]; /* cannot overflow: checked by view_make */
		used[p->labels[i]] = true;
	}
	for (uint32_t set = 0; set < sets->n && rc == 0; set++) {
		for (uint32_t i = sets->off[set]; used[set] && i < sets->off[set + 1] && rc == 0; i++) {
			uint32_t label = sets->item[i];

			t->used[label] = true;
			if (num_add(&t->weight[label], sum[set]))
				rc = too_large(p, p->label_key[label], err);
		}
	}
	free(sum);
	free(used);
	return rc;
}

static str_id value_id(struct report_tags_tag_builder *t, uint32_t label, const struct label_units *units,
		       const char *out_unit)
{
	const struct profile *p = t->p;
	struct buf text = { 0 };
	str_id id;

	if (p->label_is_text[label])
		return strtab_add(t->values, profile_text(p, p->label_text[label]),
				  strtab_len(p->str, p->label_text[label]));
	unit_add_label(&text, label_number(units, p, label), units->shown[p->label_key[label]], out_unit);
	id = strtab_add(t->values, buf_text(&text), text.len);
	buf_release(&text);
	return id;
}

static struct tag_row report_tags_row_of(const struct profile *p, uint32_t label, const struct label_units *units)
{
	const char *unit = units->shown[p->label_key[label]];
	struct tag_row row = { .has_text = p->label_is_text[label], .unit = "" };

	if (row.has_text) {
		row.text = profile_text(p, p->label_text[label]);
		row.n_text = strtab_len(p->str, p->label_text[label]);
		return row;
	}
	row.has_number = true;
	row.lo = row.hi = label_number(units, p, label);
	row.unit = unit ? unit : "";
	return row;
}

/* Merge two rows that are printed the same. */
static void report_tags_join_rows(struct tag_row *a, const struct tag_row *b)
{
	if (b->has_number) {
		a->lo = a->has_number && a->lo < b->lo ? a->lo : b->lo;
		a->hi = a->has_number && a->hi > b->hi ? a->hi : b->hi;
		a->unit = b->unit;
		a->has_number = true;
	}
	if (b->has_text) {
		a->text = b->text;
		a->n_text = b->n_text;
		a->has_text = true;
	}
}

static int by_key_value_id(const void *a, const void *b)
{
	const struct tags_tag *l = a, *r = b;

	if (l->key_id != r->key_id)
		return l->key_id < r->key_id ? -1 : 1;
	return l->value_id < r->value_id ? -1 : l->value_id > r->value_id;
}

/* Make a tag for each label in use, then merge tags with the same key and value. */
static int find_tags(struct report_tags_tag_builder *t, const struct label_units *units, const char *out_unit,
		     struct err *err)
{
	size_t n = 0;

	for (uint32_t i = 0; i < t->p->n_labels && !stop_step(t->stop, i); i++)
		if (t->used[i])
			t->tag[t->n++] = (struct tags_tag){ .key_id = t->p->label_key[i],
							    .value_id = value_id(t, i, units, out_unit),
							    .weight = t->weight[i],
							    .row = report_tags_row_of(t->p, i, units) };
	if (stop_check(t->stop, err) < 0)
		return ERR_STOPPED;
	assert(t->n <= t->p->n_labels);
	qsort(t->tag, t->n, sizeof(*t->tag), by_key_value_id);
	for (size_t i = 0; i < t->n; i++) {
		if (n == 0 || by_key_value_id(&t->tag[n - 1], &t->tag[i]) != 0)
			t->tag[n++] = t->tag[i];
		else if (num_add(&t->tag[n - 1].weight, t->tag[i].weight))
			return too_large(t->p, t->tag[i].key_id, err);
		else
			report_tags_join_rows(&t->tag[n - 1].row, &t->tag[i].row);
	}
	assert(n <= t->n);
	t->n = n;
	return 0;
}

static int by_key_weight_value(const void *a, const void *b)
{
	const struct tags_tag *l = a, *r = b;
	uint64_t lw = num_abs(l->weight), rw = num_abs(r->weight);
	int c = strcmp(l->key, r->key);

	if (c == 0 && l->key_id != r->key_id)
		return l->key_id < r->key_id ? -1 : 1;
	if (c == 0 && lw != rw)
		return lw > rw ? -1 : 1;
	if (c == 0)
		c = strcmp(l->value, r->value);
	return c ? c : by_key_value_id(a, b);
}

/* Viewers sum up the values of a key, so the sum must not overflow. */
static int check_sums(const struct report_tags_tag_builder *t, struct err *err)
{
	int64_t sum = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (i && t->tag[i].key_id != t->tag[i - 1].key_id)
			sum = 0;
		if (num_add(&sum, t->tag[i].weight))
			return too_large(t->p, t->tag[i].key_id, err);
	}
	return 0;
}

/* Copy a string of the table of values to the memory of the report. */
static const char *report_tags_copy_text(const struct strtab *s, str_id id, struct arena *mem)
{
	const char *text = strtab_text(s, id);
	size_t n = strtab_len(s, id);
	struct buf safe = { 0 };

	if (strlen(text) == n)
		return arena_strndup(mem, text, n);
	utf8_add_safe(&safe, text, n);
	text = arena_strndup(mem, safe.data, safe.len);
	buf_release(&safe);
	return text;
}

static void report_tags_fill_table(const struct report_tags_tag_builder *t, struct report *r)
{
	struct tag_row *row = arena_alloc(r->mem, t->n, sizeof(*row));

	r->tag = row;
	r->table = (struct table){ .n_cols = TAGS_COLS, .n_rows = (uint32_t)t->n, .col = columns };
	r->table.cell = arena_alloc(r->mem, t->n * TAGS_COLS, sizeof(*r->table.cell));
	for (size_t i = 0; i < t->n; i++) {
		union cell *cell = r->table.cell + i * TAGS_COLS;

		row[i] = t->tag[i].row;
		cell[TAGS_KEY].text = t->tag[i].key;
		cell[TAGS_VALUE].text = t->tag[i].value;
		cell[TAGS_CUM].value = cell[TAGS_CUM_PCT].value = t->tag[i].weight;
	}
}

static int report_tags_answer(struct report_tags_tag_builder *t, const struct view *v, const struct label_units *units,
			      struct report *r, struct err *err)
{
	int rc = weigh_labels(t, v, err);

	if (rc == 0)
		rc = find_tags(t, units, r->head.out_unit, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < t->n && !stop_step(t->stop, i); i++) {
		t->tag[i].key = report_head_text(t->p, t->tag[i].key_id, r->mem);
		t->tag[i].value = report_tags_copy_text(t->values, t->tag[i].value_id, r->mem);
	}
	if (stop_check(t->stop, err) < 0)
		return ERR_STOPPED;
	qsort(t->tag, t->n, sizeof(*t->tag), by_key_weight_value);
	rc = check_sums(t, err);
	if (rc == 0)
		report_tags_fill_table(t, r);
	return rc == 0 ? stop_check(t->stop, err) : rc;
}

int report_tags_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		     struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "tags", .is_whole = true } };
	struct report_tags_tag_builder t = { .stop = q->stop, .p = v->p, .values = strtab_new() };
	struct label_units units;
	int rc;

	report_head_fill(&r.head, v, q, r.mem);
	label_units_make(v->p, r.mem, &units, notes);
	t.weight = mem_zalloc(v->p->n_labels, sizeof(*t.weight));
	t.used = mem_zalloc(v->p->n_labels, sizeof(*t.used));
	t.tag = mem_alloc(v->p->n_labels, sizeof(*t.tag));
	rc = report_tags_answer(&t, v, &units, &r, err);
	strtab_free(t.values);
	free(t.weight);
	free(t.used);
	free(t.tag);
	if (rc < 0)
		report_release(&r);
	else
		*out = r;
	return rc;
}
