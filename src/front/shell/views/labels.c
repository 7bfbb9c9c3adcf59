/*
 * labels.c - the Labels view: the labels of samples, and the cum of each value
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/state.h"

#include "base/mem.h"
#include "base/string_list.h"
#include "base/unit.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/tags.h"
#include "front/shell/widgets/find.h"
#include "front/shell/views/headline.h"
#include "front/shell/widgets/number.h"
#include "front/shell/quote.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_NONE UINT32_MAX

/* A key and its rows in the report's table. */
struct label_group {
	const char *key;
	uint32_t lo, hi;
	int64_t sum;
	bool is_number;            /* are all values numbers? */
	uint32_t min_row, max_row; /* rows of the smallest and the largest number */
};

/* The model. */
struct views_labels {
	const struct report *r;
	uint32_t n;
	struct label_group *group; /* [n] */
	uint32_t *by_value;        /* [rows] the rows of each key, sorted by their values */
};

struct label_row {
	uint32_t group;
	uint32_t row; /* row in the report's table; LABELS_NONE: the row of the key */
};

struct labels_state {
	struct list list;
	struct label_row *shown; /* [list.n] */
	size_t cap_shown;
	bool *is_folded;           /* [groups] */
	uint32_t n;                /* number of groups in the model */
	struct string_list folded; /* folded keys of the previous model */
	bool by_value;             /* are the values sorted by value instead of cum? */
	struct find *find;
	uint32_t n_found;  /* values that match */
	char *key, *value; /* selected row, to find it in the next model; value NULL: the row of the key */
};

/* ---- rows ---- */

enum { FOLD_FROM = 100 }; /* keys with more values are folded initially, unless there is only one key */

static const union cell *view_labels_cell(const struct views_labels *m, uint32_t row, uint32_t col)
{
	return &m->r->table.cell[(size_t)row * TAGS_COLS + col];
}

static const char *value_text(const struct views_labels *m, uint32_t row)
{
	return view_labels_cell(m, row, TAGS_VALUE)->text;
}

static int64_t view_labels_cum_of(const struct views_labels *m, uint32_t row)
{
	return view_labels_cell(m, row, TAGS_CUM)->value;
}

static void view_labels_add_row(const struct views_labels *m, struct label_group *g, uint32_t row)
{
	const struct tag_row *tag = m->r->tag;

	g->hi = row + 1;
	g->sum += view_labels_cum_of(m, row); /* no overflow: the report has checked it */
	g->is_number &= tag[row].has_number && !tag[row].has_text;
	g->min_row = tag[row].lo < tag[g->min_row].lo ? row : g->min_row;
	g->max_row = tag[row].hi > tag[g->max_row].hi ? row : g->max_row;
}

static void view_labels_find_groups(struct views_labels *m, struct arena *mem)
{
	uint32_t n = m->r->table.n_rows;

	m->group = arena_alloc(mem, n, sizeof(*m->group));
	for (uint32_t row = 0; row < n; row++) {
		const char *key = view_labels_cell(m, row, TAGS_KEY)->text;

		if (m->n == 0 || strcmp(m->group[m->n - 1].key, key) != 0)
			m->group[m->n++] = (struct label_group){
				.key = key, .lo = row, .is_number = true, .min_row = row, .max_row = row
			};
		view_labels_add_row(m, &m->group[m->n - 1], row);
	}
}

/* The order of values: first numbers by size, then texts. */
static int view_labels_by_value(const void *a, const void *b, void *arg)
{
	const struct views_labels *m = arg;
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;
	const struct tag_row *lt = &m->r->tag[l], *rt = &m->r->tag[r];
	int c = rt->has_number - lt->has_number;

	if (c == 0 && lt->has_number)
		c = (lt->lo > rt->lo) - (lt->lo < rt->lo);
	if (c == 0)
		c = strcmp(value_text(m, l), value_text(m, r));
	return c ? c : (l > r) - (l < r);
}

static void sort_values(struct views_labels *m, struct arena *mem)
{
	m->by_value = arena_alloc(mem, m->r->table.n_rows, sizeof(*m->by_value));
	for (uint32_t i = 0; i < m->r->table.n_rows; i++)
		m->by_value[i] = i;
	for (uint32_t i = 0; i < m->n; i++)
		qsort_r(m->by_value + m->group[i].lo, m->group[i].hi - m->group[i].lo, sizeof(*m->by_value),
			view_labels_by_value, m);
}

static int view_labels_make(const struct model_request *a, struct model *m, struct err *err)
{
	struct views_labels *x = arena_zalloc(m->mem, 1, sizeof(*x));
	struct view v;
	/* use joined, as the command tags does: profiles with separate sides have an internal label */
	int rc = view_make(a->joined, &a->q->filter, m->mem, &v, &m->notes, err);

	if (rc == 0)
		rc = report_tags_make(&v, a->q, &m->report, &m->notes, err);
	if (rc < 0)
		return rc;
	x->r = &m->report;
	view_labels_find_groups(x, m->mem);
	sort_values(x, m->mem);
	m->view_data = x;
	return stop_check(a->q->stop, err);
}

/* The selected row; NULL when there is none. */
static const struct label_row *selected(const struct labels_state *s)
{
	assert(s->list.n == 0 || s->list.selected < s->list.n);
	return s->list.n ? &s->shown[s->list.selected] : NULL;
}

/* Remember the selection. */
static void view_labels_remember(const struct views_labels *m, struct labels_state *s)
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

static bool view_labels_matches(const struct views_labels *m, struct labels_state *s, uint32_t group, uint32_t row)
{
	struct buf text = { 0 };
	bool yes;

	if (!s->find)
		return true;
	buf_addf(&text, "%s:%s", m->group[group].key, value_text(m, row));
	yes = find_matches(s->find, value_text(m, row)) || find_matches(s->find, buf_text(&text));
	buf_release(&text);
	return yes;
}

/* Add a row. Return whether it was selected before. */
static bool view_labels_add_shown(const struct views_labels *m, struct labels_state *s, uint32_t group, uint32_t row)
{
	assert(group < m->n && (row == LABELS_NONE || row < m->r->table.n_rows));
	s->shown = mem_grow(s->shown, &s->cap_shown, (size_t)s->list.n + 1, sizeof(*s->shown));
	s->shown[s->list.n++] = (struct label_row){ group, row };
	if (!s->key || strcmp(s->key, m->group[group].key) != 0)
		return false;
	return row == LABELS_NONE || (s->value && strcmp(s->value, value_text(m, row)) == 0);
}

/*
 * Add the rows of a key. If the earlier selection is in this group, set at to its row, or to the row of the key if that
 * is not shown.
 */
static void view_labels_show_group(const struct views_labels *m, struct labels_state *s, uint32_t group, uint32_t *at)
{
	const struct label_group *g = &m->group[group];
	bool folded = s->is_folded[group] && !s->find;
	uint32_t head = s->list.n;

	if (view_labels_add_shown(m, s, group, LABELS_NONE))
		*at = head;
	for (uint32_t i = g->lo; i < g->hi; i++) {
		uint32_t row = s->by_value ? m->by_value[i] : i;

		if (folded || !view_labels_matches(m, s, group, row))
			continue;
		s->n_found++;
		if (view_labels_add_shown(m, s, group, row))
			*at = s->list.n - 1;
	}
	if (s->find && s->list.n == head + 1) {
		s->list.n = head; /* no value matches */
		*at = *at == head && head ? head - 1 : *at;
	}
}

/* Make the rows again, and restore the selection. */
static void view_labels_show(const struct views_labels *m, struct labels_state *s)
{
	uint32_t at = s->list.selected;

	s->list.n = 0;
	s->n_found = 0;
	for (uint32_t i = 0; i < m->n; i++)
		view_labels_show_group(m, s, i, &at);
	shell_list_select(&s->list, at);
	view_labels_remember(m, s);
}

/* Remember the names of folded keys for the next model. */
static void save_folded(const struct views_labels *m, struct labels_state *s)
{
	string_list_release(&s->folded);
	for (uint32_t i = 0; i < m->n; i++) {
		if (!s->is_folded[i])
			continue;
		buf_addz(&s->folded.all, m->group[i].key);
		string_list_end(&s->folded);
	}
}

static void set_folded(const struct views_labels *m, struct labels_state *s, uint32_t group, bool fold)
{
	assert(group < s->n);
	s->is_folded[group] = fold;
	save_folded(m, s);
	view_labels_show(m, s);
}

static void set_all_folded(const struct views_labels *m, struct labels_state *s, bool fold)
{
	memset(s->is_folded, fold, s->n * sizeof(*s->is_folded));
	save_folded(m, s);
	view_labels_show(m, s);
}

static void set_filter(const struct views_labels *m, struct labels_state *s, const char *text)
{
	find_set(&s->find, text);
	view_labels_show(m, s);
}

static bool was_folded(const struct labels_state *s, const char *key)
{
	for (size_t i = 0; i < s->folded.n; i++) {
		size_t n;
		const char *text = string_list_get(&s->folded, i, &n);

		if (strlen(key) == n && memcmp(text, key, n) == 0)
			return true;
	}
	return false;
}

/* Update the state for a new model. */
static void set_model(const struct views_labels *m, struct labels_state *s, const char *text)
{
	bool is_first = !s->is_folded;

	free(s->is_folded);
	s->n = m->n;
	s->is_folded = mem_zalloc((size_t)m->n + 1, sizeof(*s->is_folded));
	for (uint32_t i = 0; i < m->n; i++)
		s->is_folded[i] = is_first ? m->n > 1 && m->group[i].hi - m->group[i].lo > FOLD_FROM
					   : was_folded(s, m->group[i].key);
	if (is_first && m->n)
		s->list.selected = 0;
	save_folded(m, s);
	set_filter(m, s, text);
}

static void view_labels_release(struct labels_state *s)
{
	free(s->shown);
	free(s->is_folded);
	string_list_release(&s->folded);
	find_free(s->find);
	free(s->key);
	free(s->value);
}

/* ---- drawing ---- */

enum { CUM_WIDTH = 11, SHARE_WIDTH = 9, BAR_WIDTH = 11, CUM_FROM = 36, BAR_FROM = 60 };

/* Lines above the rows. */
static int view_labels_lines_above(int height)
{
	return height >= 3;
}

static int view_labels_names_at(int width)
{
	return SHARE_WIDTH + (width >= CUM_FROM ? CUM_WIDTH : 0) + (width >= BAR_FROM ? BAR_WIDTH : 0) + 1;
}

static void view_labels_draw_head(const struct views_labels *m, const struct labels_state *s, struct grid *g,
				  struct area line)
{
	struct style plain = theme_style(ROLE_HEADING), here = theme_style(ROLE_HEADING_SORTED);
	const char *mark = "\xe2\x96\xbc";
	struct buf text = { 0 };
	int x = 0;

	grid_fill(g, line, ' ', plain);
	if (line.width >= CUM_FROM) {
		buf_addf(&text, "cum%s", s->by_value ? "" : mark);
		grid_text_right(g, line, CUM_WIDTH, 0, buf_text(&text), s->by_value ? plain : here);
		x = CUM_WIDTH;
	}
	grid_text_right(g, line, x + SHARE_WIDTH, 0, "cum%", plain);
	text.len = 0;
	buf_addf(&text, "label%s", s->by_value ? mark : "");
	x = grid_text(g, line, view_labels_names_at(line.width), 0, buf_text(&text), s->by_value ? here : plain);
	text.len = 0;
	if (s->find)
		buf_addf(&text, "  %s of %s values", shell_number_count(s->n_found).text,
			 shell_number_count(m->r->table.n_rows).text);
	else
		buf_addf(&text, "  %s value%s of %s key%s", shell_number_count(m->r->table.n_rows).text,
			 m->r->table.n_rows == 1 ? "" : "s", shell_number_count(m->n).text, m->n == 1 ? "" : "s");
	grid_text(g, line, x, 0, buf_text(&text), theme_style(ROLE_HEADING));
	buf_release(&text);
}

/* Append the text of a row for a key: "tenant  3 values", "bytes  12 values, 16B to 2MB". */
static void view_labels_add_key(const struct views_labels *m, const struct label_group *g, struct buf *out)
{
	uint32_t n = g->hi - g->lo;

	buf_addf(out, "%s  %s value%s", *g->key ? g->key : "(no name)", shell_number_count(n).text, n == 1 ? "" : "s");
	if (g->is_number && n > 1)
		buf_addf(out, ", %s to %s", value_text(m, g->min_row), value_text(m, g->max_row));
}

static void draw_cum(const struct views_labels *m, int64_t cum, struct grid *g, struct area line, struct style style)
{
	const struct head *h = &m->r->head;
	struct buf text = { 0 };
	int x = 0;

	if (line.width >= CUM_FROM) {
		shell_number_add_fitting(h, cum, CUM_WIDTH - 1, &text);
		grid_text_right(g, line, CUM_WIDTH, 0, buf_text(&text), style);
		x = CUM_WIDTH;
	}
	text.len = 0;
	buf_addz(&text, cum < 0 ? "-" : "");
	unit_add_percent_trimmed(&text, cum, h->total);
	grid_text_right(g, line, x + SHARE_WIDTH, 0, buf_text(&text), style);
	if (line.width >= BAR_FROM)
		grid_bar(g, line, x + SHARE_WIDTH + 1, 0, BAR_WIDTH - 1, unit_percent(cum, h->total) / 100, style);
	buf_release(&text);
}

static void view_labels_draw_row(const struct views_labels *m, const struct labels_state *s, uint32_t i, struct grid *g,
				 struct area line)
{
	const struct label_row *row = &s->shown[i];
	const struct label_group *group = &m->group[row->group];
	bool here = i == s->list.selected, is_key = row->row == LABELS_NONE;
	int64_t cum = is_key ? group->sum : view_labels_cum_of(m, row->row);
	struct style style = theme_style(is_key ? ROLE_KEY : ROLE_PLAIN);
	struct style heat = cum < 0 ? theme_style(ROLE_SHRANK) : theme_heat(unit_percent(cum, m->r->head.total));
	int x = view_labels_names_at(line.width) + (is_key ? 0 : 4);
	struct buf text = { 0 };

	if (!is_key && s->find)
		style = theme_style(ROLE_MATCH);
	if (here) {
		grid_fill(g, line, ' ', theme_selected(theme_style(ROLE_PLAIN)));
		style = theme_selected(style);
		heat = theme_selected(heat);
	}
	draw_cum(m, cum, g, line, is_key && !here ? theme_style(ROLE_KEY) : heat);
	if (is_key) {
		x = grid_text(g, line, x, 0, s->is_folded[row->group] && !s->find ? "+ " : "- ", style);
		view_labels_add_key(m, group, &text);
	} else {
		buf_addz(&text, *value_text(m, row->row) ? value_text(m, row->row) : "(empty)");
	}
	grid_text_short(g, line, x, 0, buf_text(&text), line.width - x, style);
	buf_release(&text);
}

/* Draw why there are no rows, and a remedy. */
static void draw_none(const struct shell *sh, const struct views_labels *m, const struct labels_state *s,
		      struct grid *g, struct area a)
{
	static const char *const none[] = {
		"No sample has a label.",
		"",
		"Go programs set labels for CPU profiles like this:",
		"  pprof.Do(ctx, pprof.Labels(\"tenant\", name), func(ctx context.Context) {",
		"C and C++ programs with libcpaprof set them like this, see cpa-profiler(3):",
		"  const char *kv[] = { \"tenant\", name };",
		"  cpa_labels_do(cpa_labels_make(0, kv, 1), fn, arg);",
		"cpa --label=KEY labels each sample with the name of its source, to",
		"distinguish merged profiles.",
	};
	enum { N = sizeof(none) / sizeof(none[0]) };
	int y = a.height > N ? (a.height - N) / 2 : 0;

	if (m->n && s->find)
		grid_text(g, a, 2, a.height / 2, "No label matches; Esc shows all.", theme_style(ROLE_PLAIN));
	else if (sh->data->p->n_rows == 0)
		grid_text(g, a, 2, a.height / 2, headline_no_rows(sh, &m->r->head), theme_style(ROLE_PLAIN));
	else if (m->r->head.n_filters)
		grid_text(g, a, 2, a.height / 2,
			  "No remaining sample has a label; c shows the filters, u undoes the last one.",
			  theme_style(ROLE_PLAIN));
	else
		for (int i = 0; i < N; i++)
			grid_text(g, a, 2, y + i, none[i], theme_style(i ? ROLE_MUTED : ROLE_PLAIN));
}

static void view_labels_draw(struct shell *sh, struct pane *p, struct grid *g, struct area a)
{
	const struct views_labels *m = p->model->view_data;
	struct labels_state *s = p->state;
	int above = view_labels_lines_above(a.height);
	struct area rows = { a.x, a.y + above, a.width, a.height - above };

	(void)sh;
	shell_list_fit(&s->list, s->list.n, rows.height);
	if (s->list.n == 0) {
		draw_none(sh, m, s, g, a);
		return;
	}
	if (above)
		view_labels_draw_head(m, s, g, (struct area){ a.x, a.y, a.width, 1 });
	for (int y = 0; y < rows.height && s->list.top + (uint32_t)y < s->list.n; y++)
		view_labels_draw_row(m, s, s->list.top + (uint32_t)y, g,
				     (struct area){ a.x, rows.y + y, a.width - 1, 1 });
	shell_list_draw_bar(&s->list, g, rows, theme_style(ROLE_MUTED));
}

/* ---- keys ---- */

static const struct views_labels *view_labels_of(const struct pane *p)
{
	return p->model->view_data;
}

static void view_labels_model_changed(struct shell *s, struct pane *p)
{
	(void)s;
	set_model(view_labels_of(p), p->state, p->search);
}

static bool view_labels_move(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;

	(void)s;
	if (!shell_list_key(&state->list, e))
		return false;
	view_labels_remember(view_labels_of(p), state);
	return true;
}

/* Set an option to the selected value. Return false when a key or nothing is selected. */
static bool with_value(struct shell *s, struct pane *p, const char *option)
{
	const struct views_labels *m = view_labels_of(p);
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
		shell_run_linef(s, "%s=%s", option, buf_text(&text));
	else
		shell_notify(s, true, "%s cannot select this label", option);
	buf_release(&text);
	return true;
}

static bool view_labels_fold(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	const struct label_row *row = selected(state);
	bool close = e->key == '-' || e->key == 'h' || e->key == KEY_LEFT_;

	(void)s;
	if (!row)
		return true;
	if (e->key == ' ')
		close = !state->is_folded[row->group];
	set_folded(view_labels_of(p), state, row->group, close);
	return true;
}

static bool view_labels_open_row(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	const struct label_row *row = selected(state);

	(void)e;
	if (row && !with_value(s, p, "tagfocus"))
		set_folded(view_labels_of(p), state, row->group, !state->is_folded[row->group]);
	return true;
}

static bool view_labels_fold_all(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	set_all_folded(view_labels_of(p), p->state, e->key == 'C');
	return true;
}

static bool filter_value(struct shell *s, struct pane *p, const struct event *e)
{
	if (!with_value(s, p, e->key == 'f' ? "tagfocus" : "tagignore"))
		shell_notify(s, false, "select a value first");
	return true;
}

/* The key of the selected row; NULL if no row is selected. */
static const char *selected_key(const struct pane *p)
{
	const struct label_row *row = selected(p->state);

	return row ? view_labels_of(p)->group[row->group].key : NULL;
}

static bool hide(struct shell *s, struct pane *p, const struct event *e)
{
	const char *key = selected_key(p), *hidden = settings_query(s->settings)->taghide;
	struct buf text = { 0 };

	(void)e;
	if (!key)
		return true;
	shell_quote(key, &text);
	if (*hidden && *buf_text(&text) != '\'' && !strpbrk(hidden, "'\""))
		shell_run_linef(s, "taghide=%s|%s", hidden, buf_text(&text));
	else
		shell_run_linef(s, "taghide=%s", buf_text(&text));
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
	if (strcmp(settings_query(s->settings)->tagroot, key) == 0) {
		shell_run_line(s, "tagroot=", true);
		shell_notify(s, false, "removed the label from the root of stacks");
	} else if (shell_label_add_key(key, &text)) {
		shell_run_linef(s, "tagroot=%s", buf_text(&text));
		shell_notify(s, false, "%s is now at the root of stacks (3 tree, 4 flame graph); b removes it", key);
	} else {
		shell_notify(s, true, "tagroot cannot select this key");
	}
	buf_release(&text);
	return true;
}

static bool view_labels_sort(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;

	(void)e;
	state->by_value = !state->by_value;
	view_labels_show(view_labels_of(p), state);
	shell_notify(s, false, state->by_value ? "sorted by value" : "sorted by cum");
	return true;
}

/* Select the next or previous value. During a search all values shown are matches. */
static bool next_value(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	int by = e->key == 'N' ? -1 : 1;

	if (!state->find) {
		shell_notify(s, false, "press / to search labels");
		return true;
	}
	for (int64_t i = (int64_t)state->list.selected + by; i >= 0 && i < state->list.n; i += by)
		if (state->shown[i].row != LABELS_NONE) {
			shell_list_select(&state->list, (uint32_t)i);
			break;
		}
	view_labels_remember(view_labels_of(p), state);
	return true;
}

static void view_labels_search(struct shell *s, struct pane *p, const char *text)
{
	struct labels_state *state = p->state;

	set_filter(view_labels_of(p), state, text);
	if (*text)
		shell_notify(s, false, "%s of %s values", shell_number_count(state->n_found).text,
			     shell_number_count(view_labels_of(p)->r->table.n_rows).text);
}

static bool view_labels_mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	int above = view_labels_lines_above(p->area.height);
	uint32_t row;

	if (e->kind == EVENT_WHEEL)
		return view_labels_move(s, p, e);
	if (e->y < above && state->list.n)
		return e->kind == EVENT_CLICK && view_labels_sort(s, p, e);
	if (!shell_list_row_at(&state->list, e->y - above, &row))
		return false;
	shell_list_select(&state->list, row);
	view_labels_remember(view_labels_of(p), state);
	if (e->kind == EVENT_DOUBLE)
		return view_labels_open_row(s, p, e);
	return true;
}

static void view_labels_release_state(struct pane *p)
{
	view_labels_release(p->state);
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, .act = view_labels_move },
	{ "Enter", "keep samples with this label; on a key: fold or unfold", "focus", "tagfocus=KEY=^VALUE$",
	  .act = view_labels_open_row },
	{ "f", "keep samples with this label", NULL, "tagfocus=KEY=^VALUE$", .act = filter_value },
	{ "x", "drop samples with this label", "ignore", "tagignore=KEY=^VALUE$", .act = filter_value },
	{ "b", "put the key at the root of stacks (tree, flame graph); again: remove it", "to root", "tagroot=KEY",
	  .act = to_root },
	{ "H", "hide this key", NULL, "taghide=^KEY$", .act = hide },
	{ "Space Right l + Left h -", "fold or unfold the key", NULL, NULL, .act = view_labels_fold },
	{ "C E", "fold all, unfold all", NULL, NULL, .act = view_labels_fold_all },
	{ "S < >", "sort by cum or by value", "sort", NULL, .act = view_labels_sort },
	{ "n N", "next and previous match", NULL, NULL, .act = next_value },
};

const struct pane_class shell_view_labels = {
	.title = "Labels",
	.help = "The labels of samples: each key with its values, their cum and its percentage of the total. A "
		"sample counts for each of its values, so the percentages of a key can add up to more than 100 %, "
		"or to less if some samples lack the key. Numbers that are formatted alike are one value; a key of "
		"numbers "
		"shows their range. Enter on a value keeps only the samples with it, in all views: the filter is "
		"shown above, u undoes it. b makes the values of a key the outermost frames of stacks, which "
		"splits the tree and the flame graph by them. Negative values were larger in the base of a "
		"comparison.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct labels_state),
	.make = view_labels_make,
	.model_changed = view_labels_model_changed,
	.draw = view_labels_draw,
	.mouse = view_labels_mouse,
	.search = view_labels_search,
	.release = view_labels_release_state,
};
