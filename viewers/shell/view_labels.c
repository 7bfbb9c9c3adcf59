/*
 * view_labels.c - the view Labels: what samples are labelled with, and how much each value weighs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/mem.h"
#include "base/texts.h"
#include "base/unit.h"
#include "engine/view.h"
#include "report/tags.h"
#include "viewers/shell/find.h"
#include "viewers/shell/headline.h"
#include "viewers/shell/quote.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_NONE UINT32_MAX

/* A key and its rows in the table of the report. */
struct label_group {
	const char *key;
	uint32_t lo, hi;
	int64_t sum;
	bool is_number;             /* all its values are */
	uint32_t at_least, at_most; /* of a number the rows with the least and the largest */
};

/* The model. */
struct labels {
	const struct report *r;
	uint32_t n;
	struct label_group *group; /* [n] */
	uint32_t *by_value;        /* [rows] rows of each key by what their values are */
};

struct label_row {
	uint32_t group;
	uint32_t row; /* in the table; LABELS_NONE: the key itself */
};

struct labels_state {
	struct list list;
	struct label_row *shown; /* [list.n] */
	size_t cap_shown;
	bool *is_folded;     /* [groups] */
	uint32_t n;          /* groups of the model */
	struct texts folded; /* keys of the model before that are */
	bool by_value;       /* sorted by value */
	struct find *find;
	uint32_t n_found;  /* values that match */
	char *key, *value; /* of the selected row, to find it in the next model; value NULL: the key itself */
};

/* ---- rows ---- */

enum { FOLD_FROM = 100 }; /* values; of several keys, one with more is folded at first */

static const union cell *cell(const struct labels *m, uint32_t row, uint32_t col)
{
	return &m->r->table.cell[(size_t)row * TAGS_COLS + col];
}

static const char *value_text(const struct labels *m, uint32_t row)
{
	return cell(m, row, TAGS_VALUE)->text;
}

static int64_t weight_of(const struct labels *m, uint32_t row)
{
	return cell(m, row, TAGS_WEIGHT)->value;
}

static void add_row(const struct labels *m, struct label_group *g, uint32_t row)
{
	const struct tag_row *tag = m->r->tag;

	g->hi = row + 1;
	g->sum += weight_of(m, row); /* which the report has seen to */
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
		c = strcmp(value_text(m, l), value_text(m, r));
	return c ? c : (l > r) - (l < r);
}

static void sort_values(struct labels *m, struct arena *mem)
{
	m->by_value = arena_alloc(mem, m->r->table.n_rows, sizeof(*m->by_value));
	for (uint32_t i = 0; i < m->r->table.n_rows; i++)
		m->by_value[i] = i;
	for (uint32_t i = 0; i < m->n; i++)
		qsort_r(m->by_value + m->group[i].lo, m->group[i].hi - m->group[i].lo, sizeof(*m->by_value), by_value,
			m);
}

static int make(const struct ask *a, struct model *m, struct err *err)
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
	sort_values(x, m->mem);
	m->own = x;
	return stop_check(a->q->stop, err);
}

/* The selected row; NULL when there is none. */
static const struct label_row *selected(const struct labels_state *s)
{
	assert(s->list.n == 0 || s->list.at < s->list.n);
	return s->list.n ? &s->shown[s->list.at] : NULL;
}

/* Remember what is selected. */
static void remember(const struct labels *m, struct labels_state *s)
{
	const struct label_row *row = selected(s);
	const char *key = row ? m->group[row->group].key : NULL;
	const char *value = row && row->row != LABELS_NONE ? value_text(m, row->row) : NULL;

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
	buf_addf(&text, "%s:%s", m->group[group].key, value_text(m, row));
	yes = find_in(s->find, value_text(m, row)) || find_in(s->find, buf_text(&text));
	buf_release(&text);
	return yes;
}

/* Add a row; gives whether it is the one that was selected. */
static bool add_shown(const struct labels *m, struct labels_state *s, uint32_t group, uint32_t row)
{
	assert(group < m->n && (row == LABELS_NONE || row < m->r->table.n_rows));
	s->shown = mem_grow(s->shown, &s->cap_shown, (size_t)s->list.n + 1, sizeof(*s->shown));
	s->shown[s->list.n++] = (struct label_row){ group, row };
	if (!s->key || strcmp(s->key, m->group[group].key) != 0)
		return false;
	return row == LABELS_NONE || (s->value && strcmp(s->value, value_text(m, row)) == 0);
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

/* Make the rows again, and select what was remembered. */
static void show(const struct labels *m, struct labels_state *s)
{
	uint32_t at = s->list.at;

	s->list.n = 0;
	s->n_found = 0;
	for (uint32_t i = 0; i < m->n; i++)
		show_group(m, s, i, &at);
	shell_list_go(&s->list, at);
	remember(m, s);
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

static void set_folded(const struct labels *m, struct labels_state *s, uint32_t group, bool fold)
{
	assert(group < s->n);
	s->is_folded[group] = fold;
	note_folded(m, s);
	show(m, s);
}

static void set_all_folded(const struct labels *m, struct labels_state *s, bool fold)
{
	memset(s->is_folded, fold, s->n * sizeof(*s->is_folded));
	note_folded(m, s);
	show(m, s);
}

static void set_filter(const struct labels *m, struct labels_state *s, const char *text)
{
	find_set(&s->find, text);
	show(m, s);
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

/* A new model. */
static void follow(const struct labels *m, struct labels_state *s, const char *text)
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
	set_filter(m, s, text);
}

static void forget(struct labels_state *s)
{
	free(s->shown);
	free(s->is_folded);
	texts_release(&s->folded);
	find_free(s->find);
	free(s->key);
	free(s->value);
}

/* ---- drawing ---- */

enum { WEIGHT_WIDTH = 11, SHARE_WIDTH = 9, BAR_WIDTH = 11, WEIGHT_FROM = 36, BAR_FROM = 60 };

/* Lines above the rows. */
static int lines_above(int height)
{
	return height >= 3;
}

static int names_at(int width)
{
	return SHARE_WIDTH + (width >= WEIGHT_FROM ? WEIGHT_WIDTH : 0) + (width >= BAR_FROM ? BAR_WIDTH : 0) + 1;
}

static void draw_head(const struct labels *m, const struct labels_state *s, struct grid *g, struct area line)
{
	struct look plain = theme_look(LOOK_HEAD), here = theme_look(LOOK_HEAD_HERE);
	const char *mark = "\xe2\x96\xbc";
	struct buf text = { 0 };
	int x = 0;

	grid_fill(g, line, ' ', plain);
	if (line.width >= WEIGHT_FROM) {
		buf_addf(&text, "Weight%s", s->by_value ? "" : mark);
		grid_text_right(g, line, WEIGHT_WIDTH, 0, buf_text(&text), s->by_value ? plain : here);
		x = WEIGHT_WIDTH;
	}
	grid_text_right(g, line, x + SHARE_WIDTH, 0, "Weight%", plain);
	text.len = 0;
	buf_addf(&text, "Label%s", s->by_value ? mark : "");
	x = grid_text(g, line, names_at(line.width), 0, buf_text(&text), s->by_value ? here : plain);
	text.len = 0;
	if (s->find)
		buf_addf(&text, "  %" PRIu32 " of %" PRIu32 " values", s->n_found, m->r->table.n_rows);
	else
		buf_addf(&text, "  %" PRIu32 " value%s of %" PRIu32 " key%s", m->r->table.n_rows,
			 m->r->table.n_rows == 1 ? "" : "s", m->n, m->n == 1 ? "" : "s");
	grid_text(g, line, x, 0, buf_text(&text), theme_look(LOOK_HEAD));
	buf_release(&text);
}

/* "tenant  3 values", "bytes  12 values, 16B to 2MB" */
static void add_key(const struct labels *m, const struct label_group *g, struct buf *out)
{
	uint32_t n = g->hi - g->lo;

	buf_addf(out, "%s  %" PRIu32 " value%s", *g->key ? g->key : "(no name)", n, n == 1 ? "" : "s");
	if (g->is_number && n > 1)
		buf_addf(out, ", %s to %s", value_text(m, g->at_least), value_text(m, g->at_most));
}

static void draw_weight(const struct labels *m, int64_t weight, struct grid *g, struct area line, struct look look)
{
	const struct head *h = &m->r->head;
	struct buf text = { 0 };
	int x = 0;

	if (line.width >= WEIGHT_FROM) {
		report_add_value(h, weight, &text);
		grid_text_right(g, line, WEIGHT_WIDTH, 0, buf_text(&text), look);
		x = WEIGHT_WIDTH;
	}
	text.len = 0;
	buf_addz(&text, weight < 0 ? "-" : "");
	unit_add_percent_tight(&text, weight, h->total);
	grid_text_right(g, line, x + SHARE_WIDTH, 0, buf_text(&text), look);
	if (line.width >= BAR_FROM)
		grid_bar(g, line, x + SHARE_WIDTH + 1, 0, BAR_WIDTH - 1, unit_percent(weight, h->total) / 100, look);
	buf_release(&text);
}

static void draw_row(const struct labels *m, const struct labels_state *s, uint32_t i, struct grid *g, struct area line)
{
	const struct label_row *row = &s->shown[i];
	const struct label_group *group = &m->group[row->group];
	bool here = i == s->list.at, is_key = row->row == LABELS_NONE;
	int64_t weight = is_key ? group->sum : weight_of(m, row->row);
	struct look look = theme_look(is_key ? LOOK_KEY : LOOK_PLAIN);
	struct look heat = weight < 0 ? theme_look(LOOK_SHRANK) : theme_heat(unit_percent(weight, m->r->head.total));
	int x = names_at(line.width) + (is_key ? 0 : 4);
	struct buf text = { 0 };

	if (!is_key && s->find)
		look = theme_look(LOOK_MATCH);
	if (here) {
		grid_fill(g, line, ' ', theme_selected(theme_look(LOOK_PLAIN)));
		look = theme_selected(look);
		heat = theme_selected(heat);
	}
	draw_weight(m, weight, g, line, is_key && !here ? theme_look(LOOK_KEY) : heat);
	if (is_key) {
		x = grid_text(g, line, x, 0, s->is_folded[row->group] && !s->find ? "+ " : "- ", look);
		add_key(m, group, &text);
	} else {
		buf_addz(&text, *value_text(m, row->row) ? value_text(m, row->row) : "(empty)");
	}
	grid_text_short(g, line, x, 0, buf_text(&text), line.width - x, look);
	buf_release(&text);
}

/* Draw why there are no rows, and what would change that. */
static void draw_none(const struct shell *sh, const struct labels *m, const struct labels_state *s, struct grid *g,
		      struct area a)
{
	static const char *const none[] = {
		"No sample has a label.",
		"",
		"Go programs set them around what they do, for profiles of their CPU:",
		"  pprof.Do(ctx, pprof.Labels(\"tenant\", name), func(ctx context.Context) {",
		"cpa --label=KEY gives each sample the name of its source, so that",
		"profiles that are merged can be told apart.",
	};
	enum { N = sizeof(none) / sizeof(none[0]) };
	int y = a.height > N ? (a.height - N) / 2 : 0;

	if (m->n && s->find)
		grid_text(g, a, 2, a.height / 2, "No label matches; Esc shows all.", theme_look(LOOK_PLAIN));
	else if (sh->data->p->n_rows == 0)
		grid_text(g, a, 2, a.height / 2, headline_none(sh, &m->r->head), theme_look(LOOK_PLAIN));
	else if (m->r->head.n_filters)
		grid_text(g, a, 2, a.height / 2,
			  "No sample that is left has a label; u undoes the last filter, c shows them.",
			  theme_look(LOOK_PLAIN));
	else
		for (int i = 0; i < N; i++)
			grid_text(g, a, 2, y + i, none[i], theme_look(i ? LOOK_QUIET : LOOK_PLAIN));
}

static void draw(struct shell *sh, struct pane *p, struct grid *g, struct area a)
{
	const struct labels *m = p->model->own;
	struct labels_state *s = p->state;
	int above = lines_above(a.height);
	struct area rows = { a.x, a.y + above, a.width, a.height - above };

	(void)sh;
	shell_list_fit(&s->list, s->list.n, rows.height);
	if (s->list.n == 0) {
		draw_none(sh, m, s, g, a);
		return;
	}
	if (above)
		draw_head(m, s, g, (struct area){ a.x, a.y, a.width, 1 });
	for (int y = 0; y < rows.height && s->list.top + (uint32_t)y < s->list.n; y++)
		draw_row(m, s, s->list.top + (uint32_t)y, g, (struct area){ a.x, rows.y + y, a.width - 1, 1 });
	shell_list_draw_bar(&s->list, g, rows, theme_look(LOOK_QUIET));
}

/* ---- keys ---- */

static const struct labels *labels_of(const struct pane *p)
{
	return p->model->own;
}

static void shown(struct shell *s, struct pane *p)
{
	(void)s;
	follow(labels_of(p), p->state, p->search);
}

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;

	(void)s;
	if (!shell_list_key(&state->list, e))
		return false;
	remember(labels_of(p), state);
	return true;
}

/* An option set to the selected value. Gives false when a key is selected, or nothing. */
static bool with_value(struct shell *s, struct pane *p, const char *option)
{
	const struct labels *m = labels_of(p);
	const struct label_row *row = selected(p->state);
	const struct tag_row *tag;
	struct buf text = { 0 };
	bool fine;

	if (!row || row->row == LABELS_NONE)
		return false;
	tag = &m->r->tag[row->row];
	fine = tag->has_text ? shell_label_add_text(m->group[row->group].key, tag->text, tag->n_text, &text)
			     : shell_label_add_numbers(m->group[row->group].key, tag->lo, tag->hi, tag->unit, &text);
	if (fine)
		shell_linef(s, "%s=%s", option, buf_text(&text));
	else
		shell_say(s, true, "%s has no words for this label", option);
	buf_release(&text);
	return true;
}

static bool fold(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	const struct label_row *row = selected(state);
	bool close = e->key == '-' || e->key == 'h' || e->key == KEY_LEFT_;

	(void)s;
	if (!row)
		return true;
	if (e->key == ' ')
		close = !state->is_folded[row->group];
	set_folded(labels_of(p), state, row->group, close);
	return true;
}

static bool open_row(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	const struct label_row *row = selected(state);

	(void)e;
	if (row && !with_value(s, p, "tagfocus"))
		set_folded(labels_of(p), state, row->group, !state->is_folded[row->group]);
	return true;
}

static bool fold_all(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	set_all_folded(labels_of(p), p->state, e->key == 'C');
	return true;
}

static bool filter_value(struct shell *s, struct pane *p, const struct event *e)
{
	if (!with_value(s, p, e->key == 'f' ? "tagfocus" : "tagignore"))
		shell_say(s, false, "choose a value");
	return true;
}

/* The key of the selected row; NULL when there is none. */
static const char *selected_key(const struct pane *p)
{
	const struct label_row *row = selected(p->state);

	return row ? labels_of(p)->group[row->group].key : NULL;
}

static bool hide(struct shell *s, struct pane *p, const struct event *e)
{
	const char *key = selected_key(p), *hidden = settings_query(s->now)->taghide;
	struct buf text = { 0 };

	(void)e;
	if (!key)
		return true;
	shell_quote(key, &text);
	if (*hidden && *buf_text(&text) != '\'' && !strpbrk(hidden, "'\""))
		shell_linef(s, "taghide=%s|%s", hidden, buf_text(&text));
	else
		shell_linef(s, "taghide=%s", buf_text(&text));
	buf_release(&text);
	return true;
}

static bool to_root(struct shell *s, struct pane *p, const struct event *e)
{
	const char *key = selected_key(p);
	struct buf text = { 0 };

	(void)e;
	if (!key)
		return false;
	if (strcmp(settings_query(s->now)->tagroot, key) == 0) {
		shell_line(s, "tagroot=", true);
		shell_say(s, false, "stacks begin with functions again");
	} else if (shell_label_add_key(key, &text)) {
		shell_linef(s, "tagroot=%s", buf_text(&text));
		shell_say(s, false, "stacks begin with %s now: 3 tree, 4 flame graph; b takes it back", key);
	} else {
		shell_say(s, true, "tagroot has no words for this key");
	}
	buf_release(&text);
	return true;
}

static bool sort(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;

	(void)e;
	state->by_value = !state->by_value;
	show(labels_of(p), state);
	shell_say(s, false, state->by_value ? "by value" : "by weight");
	return true;
}

/* The next value, the one before; while there is a search all that are shown match. */
static bool next_value(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	int by = e->key == 'N' ? -1 : 1;

	if (!state->find) {
		shell_say(s, false, "/ shows the labels that match");
		return true;
	}
	for (int64_t i = (int64_t)state->list.at + by; i >= 0 && i < state->list.n; i += by)
		if (state->shown[i].row != LABELS_NONE) {
			shell_list_go(&state->list, (uint32_t)i);
			break;
		}
	remember(labels_of(p), state);
	return true;
}

static void search(struct shell *s, struct pane *p, const char *text)
{
	struct labels_state *state = p->state;

	set_filter(labels_of(p), state, text);
	if (*text)
		shell_say(s, false, "%" PRIu32 " of %" PRIu32 " values", state->n_found, labels_of(p)->r->table.n_rows);
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	int above = lines_above(p->area.height);
	uint32_t row;

	if (e->kind == EVENT_WHEEL)
		return move(s, p, e);
	if (e->y < above && state->list.n)
		return e->kind == EVENT_CLICK && sort(s, p, e);
	if (!shell_list_row_at(&state->list, e->y - above, &row))
		return false;
	shell_list_go(&state->list, row);
	remember(labels_of(p), state);
	if (e->kind == EVENT_DOUBLE)
		return open_row(s, p, e);
	return true;
}

static void end(struct pane *p)
{
	forget(p->state);
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, move },
	{ "Enter", "only samples with this label; a key: fold or unfold", "focus", "tagfocus=KEY=^VALUE$", open_row },
	{ "f", "only samples with this label", NULL, "tagfocus=KEY=^VALUE$", filter_value },
	{ "x", "no samples with this label", "ignore", "tagignore=KEY=^VALUE$", filter_value },
	{ "b", "put the key at the root of stacks, for tree and flame graph; once more: take it back", "to root",
	  "tagroot=KEY", to_root },
	{ "H", "leave out this key", NULL, "taghide=^KEY$", hide },
	{ "Space Right l + Left h -", "fold or unfold the key", NULL, NULL, fold },
	{ "C E", "fold all; unfold all", NULL, NULL, fold_all },
	{ "S < >", "sort by weight, or by value", "sort", NULL, sort },
	{ "n N", "next label that matches the search, the one before", NULL, NULL, next_value },
};

const struct pane_class shell_view_labels = {
	.title = "Labels",
	.explain = "What samples are labelled with: each key with its values, their weight and their share of the "
		   "total. A sample "
		   "counts for every value that it has, so shares of a key may add up to less than 100 %, where "
		   "samples have "
		   "none, or to more. Numbers that read the same are one value; a key of numbers says from where to "
		   "where they "
		   "go. Enter on a value leaves only the samples with it, in all views: the filter is shown above, u "
		   "takes it "
		   "back. b makes the values of a key the outermost frames of stacks, so that tree and flame graph are "
		   "parted "
		   "by them. Below 0 is what a base of a comparison had more of.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct labels_state),
	.make = make,
	.shown = shown,
	.draw = draw,
	.mouse = mouse,
	.search = search,
	.end = end,
};
