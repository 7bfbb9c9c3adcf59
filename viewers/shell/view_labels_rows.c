/*
 * view_labels_rows.c - keys of labels, their values, and which of them are shown
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_labels_int.h"

#include "base/mem.h"
#include "engine/view.h"

#include <stdlib.h>
#include <string.h>

enum { FOLD_FROM = 100 }; /* values; of several keys, one with more is folded at first */

static const union cell *cell(const struct labels *m, uint32_t row, uint32_t col)
{
	return &m->r->table.cell[(size_t)row * TAGS_COLS + col];
}

const char *labels_value(const struct labels *m, uint32_t row)
{
	return cell(m, row, TAGS_VALUE)->text;
}

int64_t labels_weight(const struct labels *m, uint32_t row)
{
	return cell(m, row, TAGS_WEIGHT)->value;
}

static void add_row(const struct labels *m, struct label_group *g, uint32_t row)
{
	const struct tag_row *tag = m->r->tag;

	g->hi = row + 1;
	g->sum += labels_weight(m, row); /* which the report has seen to */
	g->is_number &= tag[row].has_number && !tag[row].has_text;
	g->at_least = tag[row].lo < tag[g->at_least].lo ? row : g->at_least;
	g->at_most = tag[row].hi > tag[g->at_most].hi ? row : g->at_most;
}

static void find_groups(struct labels *m, struct arena *mem)
{
	uint32_t n = m->r->table.n_rows;

	m->group = arena_alloc(mem, n, sizeof(*m->group));
	for (uint32_t row = 0; row < n; row++) {
		const char *key = cell(m, row, TAGS_KEY)->text;

		if (m->n == 0 || strcmp(m->group[m->n - 1].key, key) != 0)
			m->group[m->n++] = (struct label_group){
				.key = key, .lo = row, .is_number = true, .at_least = row, .at_most = row
			};
		add_row(m, &m->group[m->n - 1], row);
	}
}

/* Numbers by size, then texts. */
static int by_value(const void *a, const void *b, void *arg)
{
	const struct labels *m = arg;
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;
	const struct tag_row *lt = &m->r->tag[l], *rt = &m->r->tag[r];
	int c = rt->has_number - lt->has_number;

	if (c == 0 && lt->has_number)
		c = (lt->lo > rt->lo) - (lt->lo < rt->lo);
	if (c == 0)
		c = strcmp(labels_value(m, l), labels_value(m, r));
	return c ? c : (l > r) - (l < r);
}

static void sort(struct labels *m, struct arena *mem)
{
	m->by_value = arena_alloc(mem, m->r->table.n_rows, sizeof(*m->by_value));
	for (uint32_t i = 0; i < m->r->table.n_rows; i++)
		m->by_value[i] = i;
	for (uint32_t i = 0; i < m->n; i++)
		qsort_r(m->by_value + m->group[i].lo, m->group[i].hi - m->group[i].lo, sizeof(*m->by_value), by_value,
			m);
}

int labels_make(const struct ask *a, struct model *m, struct err *err)
{
	struct labels *x = arena_zalloc(m->mem, 1, sizeof(*x));
	struct view v;
	/* what the command tags is about: sides kept apart have a label that nobody set */
	int rc = view_make(a->data->p, a->q, m->mem, &v, &m->notes, err);

	if (rc == 0)
		rc = report_tags_make(&v, a->q, &m->report, &m->notes, err);
	if (rc < 0)
		return rc;
	x->r = &m->report;
	find_groups(x, m->mem);
	sort(x, m->mem);
	m->own = x;
	return stop_check(a->q->stop, err);
}

const struct label_row *labels_selected(const struct labels_state *s)
{
	return s->list.n ? &s->shown[s->list.at] : NULL;
}

void labels_remember(const struct labels *m, struct labels_state *s)
{
	const struct label_row *row = labels_selected(s);
	const char *key = row ? m->group[row->group].key : NULL;
	const char *value = row && row->row != LABELS_NONE ? labels_value(m, row->row) : NULL;

	if (!row)
		return;
	free(s->key);
	free(s->value);
	s->key = mem_strndup(key, strlen(key));
	s->value = value ? mem_strndup(value, strlen(value)) : NULL;
}

static bool matches(const struct labels *m, struct labels_state *s, uint32_t group, uint32_t row)
{
	struct buf text = { 0 };
	bool yes;

	if (!s->find)
		return true;
	buf_addf(&text, "%s:%s", m->group[group].key, labels_value(m, row));
	yes = find_in(s->find, labels_value(m, row)) || find_in(s->find, buf_text(&text));
	buf_release(&text);
	return yes;
}

/* Add a row; gives whether it is the one that was selected. */
static bool add_shown(const struct labels *m, struct labels_state *s, uint32_t group, uint32_t row)
{
	s->shown = mem_grow(s->shown, &s->cap_shown, (size_t)s->list.n + 1, sizeof(*s->shown));
	s->shown[s->list.n++] = (struct label_row){ group, row };
	if (!s->key || strcmp(s->key, m->group[group].key) != 0)
		return false;
	return row == LABELS_NONE || (s->value && strcmp(s->value, labels_value(m, row)) == 0);
}

/* The rows of a key. at is set when the one that was selected is among them: it, else the key. */
static void show_group(const struct labels *m, struct labels_state *s, uint32_t group, uint32_t *at)
{
	const struct label_group *g = &m->group[group];
	bool folded = s->is_folded[group] && !s->find;
	uint32_t head = s->list.n;

	if (add_shown(m, s, group, LABELS_NONE))
		*at = head;
	for (uint32_t i = g->lo; i < g->hi; i++) {
		uint32_t row = s->by_value ? m->by_value[i] : i;

		if (folded || !matches(m, s, group, row))
			continue;
		s->n_found++;
		if (add_shown(m, s, group, row))
			*at = s->list.n - 1;
	}
	if (s->find && s->list.n == head + 1) {
		s->list.n = head; /* nothing of it */
		*at = *at == head && head ? head - 1 : *at;
	}
}

void labels_show(const struct labels *m, struct labels_state *s)
{
	uint32_t at = s->list.at;

	s->list.n = 0;
	s->n_found = 0;
	for (uint32_t i = 0; i < m->n; i++)
		show_group(m, s, i, &at);
	shell_list_go(&s->list, at);
	labels_remember(m, s);
}

/* Keys that are folded, by name, for the next model. */
static void note_folded(const struct labels *m, struct labels_state *s)
{
	texts_release(&s->folded);
	for (uint32_t i = 0; i < m->n; i++) {
		if (!s->is_folded[i])
			continue;
		buf_addz(&s->folded.all, m->group[i].key);
		texts_end(&s->folded);
	}
}

void labels_fold(const struct labels *m, struct labels_state *s, uint32_t group, bool fold)
{
	s->is_folded[group] = fold;
	note_folded(m, s);
	labels_show(m, s);
}

void labels_fold_all(const struct labels *m, struct labels_state *s, bool fold)
{
	memset(s->is_folded, fold, s->n * sizeof(*s->is_folded));
	note_folded(m, s);
	labels_show(m, s);
}

void labels_filter(const struct labels *m, struct labels_state *s, const char *text)
{
	find_free(s->find);
	s->find = *text ? find_new(text) : NULL;
	labels_show(m, s);
}

static bool was_folded(const struct labels_state *s, const char *key)
{
	for (size_t i = 0; i < s->folded.n; i++) {
		size_t n;
		const char *text = texts_at(&s->folded, i, &n);

		if (strlen(key) == n && memcmp(text, key, n) == 0)
			return true;
	}
	return false;
}

void labels_follow(const struct labels *m, struct labels_state *s, const char *text)
{
	bool is_first = !s->is_folded;

	free(s->is_folded);
	s->n = m->n;
	s->is_folded = mem_zalloc((size_t)m->n + 1, sizeof(*s->is_folded));
	for (uint32_t i = 0; i < m->n; i++)
		s->is_folded[i] = is_first ? m->n > 1 && m->group[i].hi - m->group[i].lo > FOLD_FROM
					   : was_folded(s, m->group[i].key);
	if (is_first && m->n)
		s->list.at = 0;
	note_folded(m, s);
	labels_filter(m, s, text);
}

void labels_forget(struct labels_state *s)
{
	free(s->shown);
	free(s->is_folded);
	texts_release(&s->folded);
	find_free(s->find);
	free(s->key);
	free(s->value);
}
