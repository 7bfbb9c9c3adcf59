/*
 * view_asm_draw.c - assembly on the screen
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_asm_int.h"

#include <inttypes.h>
#include <string.h>

enum {
	HEIGHT_FOR_TITLE = 5,
	HEIGHT_FOR_HEAD = 3,
	TEXT_WIDTH = 34,  /* columns of an instruction, behind which its place stands */
	PLACE_WIDTH = 12, /* a place needs at least */
};

/* Characters of the line from a jump to its target. */
enum { LINE_DOWN = 0x250c, LINE_UP = 0x2514, LINE_BETWEEN = 0x2502, LINE_OUT = 0x2500, LINE_HEAD = '>' };

/* "work prog.c:8" of an instruction; the function only when it is another than that of the routine. */
static void add_place(const union cell *cell, const union cell *first, struct buf *out)
{
	if (strcmp(cell[DISASM_FUNCTION].text, first[DISASM_FUNCTION].text) != 0 && *cell[DISASM_FUNCTION].text)
		buf_addf(out, "%s ", cell[DISASM_FUNCTION].text);
	buf_addz(out, cell[DISASM_FILE].text);
	if (*cell[DISASM_FILE].text && cell[DISASM_LINE].value)
		buf_addf(out, ":%" PRId64, cell[DISASM_LINE].value);
}

static bool is_same_place(const union cell *a, const union cell *b)
{
	return strcmp(a[DISASM_FUNCTION].text, b[DISASM_FUNCTION].text) == 0 &&
	       strcmp(a[DISASM_FILE].text, b[DISASM_FILE].text) == 0 && a[DISASM_LINE].value == b[DISASM_LINE].value;
}

/* Where an instruction comes from, when that is elsewhere than the row above. end: of its text. */
static void draw_place(struct pane *p, const struct code_columns *c, struct grid *g, struct area row, uint32_t i,
		       int end, struct look look)
{
	const struct asm_state *st = p->state;
	const union cell *cell = asm_cell(p, i);
	struct buf place = { 0 };
	int x = c->text + TEXT_WIDTH;

	if (st->list.left || (i > st->list.top && is_same_place(cell, asm_cell(p, i - 1))) ||
	    row.width - x < PLACE_WIDTH)
		return;
	add_place(cell, asm_cell(p, 0), &place);
	if (end + 2 > x && row.width - end - 2 >= PLACE_WIDTH)
		x = end + 2;
	if (place.len && (x > end || i != st->list.at)) {
		grid_fill(g, (struct area){ row.x + x - 2, row.y, row.width - x + 2, 1 }, ' ', look);
		grid_text_short(g, row, x, 0, buf_text(&place), row.width - x, look);
	}
	buf_release(&place);
}

/* A line from the selected jump to where it goes. */
static void draw_jump(const struct pane *p, const struct code_columns *c, struct grid *g, struct area row, uint32_t i)
{
	const struct asm_state *st = p->state;
	uint32_t from = st->list.at, to;
	struct look look = theme_look(LOOK_KEY);
	bool is_down;
	uint32_t ch;

	if (!c->mark || !asm_target(p, from, &to) || from == to)
		return;
	is_down = to > from;
	if (i == from || i == to)
		ch = (i == from) == is_down ? LINE_DOWN : LINE_UP;
	else if ((i > from) == is_down && (i < to) == is_down)
		ch = LINE_BETWEEN;
	else
		return;
	if (i == from)
		look = theme_selected(look);
	grid_fill(g, (struct area){ row.x + c->mark, row.y, 1, 1 }, ch, look);
	if (i == from || i == to)
		grid_fill(g, (struct area){ row.x + c->mark + 1, row.y, 1, 1 }, i == from ? LINE_OUT : LINE_HEAD, look);
}

static void draw_row(struct pane *p, const struct code_columns *c, struct grid *g, struct area row, uint32_t i)
{
	const struct asm_state *st = p->state;
	const union cell *cell = asm_cell(p, i);
	bool here = i == st->list.at;
	struct look plain = theme_look(here ? LOOK_SELECTED : LOOK_PLAIN), quiet = theme_look(LOOK_QUIET);
	struct buf text = { 0 };
	int end;

	quiet = here ? theme_selected(quiet) : quiet;
	if (here)
		grid_fill(g, row, ' ', plain);
	code_draw_values(&st->values, c, g, row, &cell[DISASM_FLAT].value, cell[DISASM_CUM].value, here);
	if (c->mark)
		grid_text_right(g, row, c->mark, 0, cell[DISASM_ADDRESS].text + strlen("0x"), quiet);
	code_add_instruction(cell[DISASM_TEXT].text, &text);
	end = code_draw_text(g, row, c->text, st->list.left, buf_text(&text), plain, st->find);
	draw_place(p, c, g, row, i, end, quiet);
	draw_jump(p, c, g, row, i);
	buf_release(&text);
}

/* What was asked for by its address has the names of the symbol table. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

static int draw_head(const struct pane *p, const struct code_columns *c, struct grid *g, struct area a)
{
	const struct asm_state *st = p->state;
	const struct asm_model *am = p->model->own;
	const struct disasm_routine *r = asm_routine(p);
	struct buf name = { 0 };
	int y = 0;

	if (r->n_names && is_mangled(r->name[0]) && r->lo < r->hi && *asm_cell(p, 0)[DISASM_FUNCTION].text)
		buf_addz(&name, asm_cell(p, 0)[DISASM_FUNCTION].text);
	else
		for (uint32_t i = 0; i < r->n_names; i++)
			buf_addf(&name, "%s%s", i ? " = " : "", r->name[i]);
	if (a.height >= HEIGHT_FOR_TITLE)
		code_draw_title(&st->values, g, (struct area){ a.x, a.y + y++, a.width, 1 }, buf_text(&name),
				st->routine, am->n, r->flat, r->cum);
	if (a.height >= HEIGHT_FOR_HEAD) {
		struct area row = { a.x, a.y + y++, a.width, 1 };

		code_draw_heads(c, g, row, am->by_cum);
		if (c->mark)
			grid_text_right(g, row, c->mark, 0, "address", theme_look(LOOK_HEAD));
		grid_text(g, row, c->text, 0, "instruction", theme_look(LOOK_HEAD));
		if (a.width - c->text - TEXT_WIDTH >= PLACE_WIDTH)
			grid_text(g, row, c->text + TEXT_WIDTH, 0, "source", theme_look(LOOK_HEAD));
	}
	buf_release(&name);
	return y;
}

static struct code_choice choice(const struct pane *p, uint32_t i)
{
	const struct disasm_routine *r = ((const struct asm_model *)p->model->own)->routine[i];

	return (struct code_choice){ r->n_names ? r->name[0] : "", "", r->flat, r->cum };
}

void asm_draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct asm_state *st = p->state;
	const struct asm_model *am = p->model->own;
	struct code_columns c = code_columns(&st->values, a.width - 1, st->addr_width + 1, am->by_cum);
	bool has_bar;
	int y;

	(void)s;
	if (st->is_choosing) {
		code_draw_choice(p, &st->routines, am->n, choice, am->by_cum, am->is_change, g, a);
		return;
	}
	y = draw_head(p, &c, g, a);
	a = (struct area){ a.x, a.y + y, a.width, a.height - y > 0 ? a.height - y : 0 };
	has_bar = st->list.n > (uint32_t)a.height;
	shell_list_fit(&st->list, st->list.n, a.height);
	for (int row = 0; row < a.height && st->list.top + (uint32_t)row < st->list.n; row++)
		draw_row(p, &c, g, (struct area){ a.x, a.y + row, a.width - has_bar, 1 }, st->list.top + (uint32_t)row);
	shell_list_draw_bar(&st->list, g, a, theme_look(LOOK_PLAIN));
}
