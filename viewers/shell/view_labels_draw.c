/*
 * view_labels_draw.c - keys of labels and the share of each value
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_labels_int.h"

#include "base/unit.h"
#include "viewers/shell/headline.h"

#include <inttypes.h>
#include <string.h>

enum { WEIGHT_WIDTH = 11, SHARE_WIDTH = 9, BAR_WIDTH = 11, WEIGHT_FROM = 36, BAR_FROM = 60 };

int labels_above(int height)
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
		buf_addf(out, ", %s to %s", labels_value(m, g->at_least), labels_value(m, g->at_most));
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
	int64_t weight = is_key ? group->sum : labels_weight(m, row->row);
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
		buf_addz(&text, *labels_value(m, row->row) ? labels_value(m, row->row) : "(empty)");
	}
	grid_text_short(g, line, x, 0, buf_text(&text), line.width - x, look);
	buf_release(&text);
}

/* Why there is nothing to see, and what would change that. */
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

void labels_draw(struct shell *sh, struct pane *p, struct grid *g, struct area a)
{
	const struct labels *m = p->model->own;
	struct labels_state *s = p->state;
	int above = labels_above(a.height);
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
