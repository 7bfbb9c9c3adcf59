/*
 * title.c - the two rows at the top: the file with its totals, and the views
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/state.h"

#include "answer/reports.h"
#include "base/columns.h"
#include "base/num.h"
#include "base/path.h"
#include "base/unit.h"
#include "engine/query.h"
#include "front/shell/widgets/number.h"

#include <assert.h>
#include <string.h>

/* Append the first file of a side, and the number of further files. */
static void title_add_files(const char *const *file, size_t n, struct buf *out)
{
	if (n > 0)
		path_add_base(out, file[0]);
	if (n > 1)
		buf_addf(out, " and %zu more", n - 1);
}

static void title_add_sources(const struct shell *s, struct buf *out)
{
	const struct query *q = settings_query(s->settings);
	const struct opt_list *base = q->diff_base.n ? &q->diff_base : &q->base;

	if (base->n) {
		title_add_files(base->item, base->n, out);
		buf_addz(out, " -> ");
	}
	if (s->options.sources[SIDE_NEW].n == 1 && !base->n)
		buf_addz(out, s->options.sources[SIDE_NEW].source[0]);
	else
		title_add_files(s->options.sources[SIDE_NEW].source, s->options.sources[SIDE_NEW].n, out);
}

/* Append the number of fetches, and which fetch the last one is compared with. */
static void add_live(const struct shell *s, struct buf *out)
{
	if (!s->n_fetched) {
		buf_addz(out, s->options.reload ? "  live" : "");
		return;
	}
	buf_addf(out, "  live, fetch %u", s->n_fetched + 1);
	if (s->show_sides && shell_compares_last(s))
		buf_addf(out, " against %u", s->n_fetched);
}

/* The number of samples. An entry of the profile may count several samples. 0 if the profile does not contain the
   number, or is a difference. */
static int64_t title_count_samples(struct shell_data *d)
{
	const struct profile *p = d->p;

	for (uint32_t t = 0; t < p->n_types && !d->is_counted && !d->is_change; t++) {
		const struct value_type *type = &p->type[t];

		if (strcmp(profile_text(p, type->name), "samples") != 0 ||
		    strcmp(profile_text(p, type->unit), "count") != 0)
			continue;
		for (uint32_t i = 0; i < p->n_rows; i++)
			if (num_add(&d->n_samples, p->value[t][i]))
				d->n_samples = 0;
		break;
	}
	d->is_counted = true;
	return d->n_samples;
}

/* Append the facts at the right edge of the title, the most important first, as many as fit. */
static void add_facts(const struct shell *s, int room, struct buf *out)
{
	const struct pane *p = shell_pane(s);
	const struct head *h = p->model ? &p->model->report.head : NULL;
	struct buf part[3] = { { 0 }, { 0 }, { 0 } };
	int64_t n_samples = title_count_samples(s->data);
	bool has_two_totals =
		s->show_sides ||
		(s->data->is_change && p->class == s->options.views[VIEW_FLAME]); /* the view shows both totals */

	if (h && h->type)
		buf_addz(&part[0], h->type);
	if (h && h->type && !has_two_totals) {
		buf_addz(&part[0], " ");
		shell_number_add(h, h->total, &part[0]);
	}
	if (n_samples > 0) {
		unit_add_count(&part[1], (uint64_t)n_samples);
		buf_addz(&part[1], n_samples == 1 ? " sample" : " samples");
	}
	if (s->data->p->meta.duration_ns > 0) {
		buf_addz(&part[2], "in ");
		unit_add_label(&part[2], s->data->p->meta.duration_ns, "ns", "auto");
	}
	for (int i = 0; i < 3; i++) {
		int need = (int)column_count(buf_text(&part[i])) + 2;

		if (part[i].len && need <= room) {
			buf_addf(out, "%s%s", out->len ? "  " : "", buf_text(&part[i]));
			room -= need;
		}
		buf_release(&part[i]);
	}
}

void title_draw(struct shell *s, struct area a)
{
	struct style style = theme_style(ROLE_BAR);
	struct buf left = { 0 }, live = { 0 }, right = { 0 };
	int x, name, keep, after;

	title_add_sources(s, &left);
	add_live(s, &live);
	after = (int)column_count(buf_text(&live));
	name = (int)column_count(buf_text(&left)) + after;
	keep = name < a.width / 2 ? name : a.width / 2; /* columns for the name */
	grid_fill(&s->grid, a, ' ', style);
	x = grid_text(&s->grid, a, 0, 0, a.width < 60 ? " " : " cpa  ", style);
	add_facts(s, a.width - x - keep - 3, &right);
	buf_addz(&right, " ");
	x = grid_text_short(&s->grid, a, x, 0, buf_text(&left),
			    a.width - x - after - (int)column_count(buf_text(&right)) - 2, style);
	grid_text(&s->grid, a, x, 0, buf_text(&live), style);
	grid_text_right(&s->grid, a, a.width, 0, buf_text(&right), style);
	buf_release(&left);
	buf_release(&live);
	buf_release(&right);
}

enum { TABS_COLUMNS = 77 };

/* The report of tab i, counted from 1; NULL after the last. */
static const struct report_type *find_tab(int i)
{
	const char key[] = { (char)('0' + i), 0 };

	assert(i > 0 && i <= 10);
	for (size_t k = 0; k < n_reports; k++)
		if (reports[k].tab_key && strcmp(reports[k].tab_key, key) == 0)
			return &reports[k];
	return NULL;
}

/* Draw one tab. In a narrow window only the current tab has a title; the others have only their key. */
static int draw_tab(struct shell *s, struct area a, int x, const char *key, const char *title, bool here, bool is_short)
{
	struct style style = theme_style(here ? ROLE_TAB_CURRENT : ROLE_TAB);
	int from = x;

	x = grid_text(&s->grid, a, x, 0, here ? "[" : " ", style);
	x = grid_text(&s->grid, a, x, 0, key, style);
	if (here || !is_short) {
		x = grid_text(&s->grid, a, x, 0, *key ? " " : "", style);
		x = grid_text(&s->grid, a, x, 0, title, style);
	}
	x = grid_text(&s->grid, a, x, 0, here ? "]" : " ", style);
	if (*key)
		frame_hit_event(s, (struct area){ a.x + from, a.y, x - from, 1 }, key);
	return x;
}

void tabs_draw(struct shell *s, struct area a)
{
	const struct report_type *here = shell_pane(s)->type, *tab;
	bool has_tab = here->view != VIEW_TEXT, is_short;
	int x = 0;

	grid_fill(&s->grid, a, ' ', theme_style(ROLE_TAB));
	is_short = a.width < TABS_COLUMNS + (has_tab ? 0 : (int)strlen(here->name) + 2);
	for (int i = 1; (tab = find_tab(i)); i++)
		x = draw_tab(s, a, x, tab->tab_key, tab->tab, here->view == tab->view, is_short);
	if (!has_tab) {
		if (x + (int)strlen(here->name) + 2 > a.width) /* the current view must stay visible */
			x = a.width - (int)strlen(here->name) - 2;
		draw_tab(s, a, x, "", here->name, true, false);
	}
}
