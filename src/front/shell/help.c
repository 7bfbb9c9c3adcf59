/*
 * help.c - the help window: the current view, all keys, terms, or one command
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A page is laid out for a width. In a wide window consecutive keys are in two columns: their rows are first made for
 * one column, then the second half is moved into the right column.
 */
#include "config.h"

#include "front/shell/state.h"

#include "base/mem.h"
#include "engine/query.h"
#include "front/shell/widgets/editor.h"
#include "front/shell/widgets/wrap.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum part_kind { PART_HEAD, PART_TEXT, PART_KEY, PART_LINE };

/* A heading, a paragraph, a key with its action, or a line that is cut instead of wrapped. */
struct page_part {
	enum part_kind kind;
	char *key, *text; /* key is only used by PART_KEY */
};

/* One row of the layout; the second key is for the second column. NULL for none. */
struct page_row {
	enum part_kind kind;
	char *key[2], *text[2];
};

/* Empty when zero-initialised; released with page_release. */
struct help_page {
	struct page_part *part; /* [n_parts] */
	size_t n_parts, cap_parts;
	struct page_row *row; /* [n_rows] rows of the layout for layout_width */
	size_t n_rows, cap_rows;
	int layout_width;
	struct list list;
	struct area box;
	struct editor search;
	bool is_typing;
};

/* ---- page layout ---- */

enum { TWO_COLUMNS = 100, KEYS_WIDE = 16, KEYS_NARROW = 11, NARROW = 50, EDGES = 2 };

/* The left edge of the second column of keys; the full width if there is only one column. */
static int page_column(int width)
{
	return width >= TWO_COLUMNS ? width / 2 : width;
}

/* The width of key names. */
static int page_keys(int width)
{
	return width < NARROW ? KEYS_NARROW : KEYS_WIDE;
}

static void page_free_rows(struct help_page *p)
{
	for (size_t i = 0; i < p->n_rows; i++)
		for (int side = 0; side < 2; side++) {
			free(p->row[i].key[side]);
			free(p->row[i].text[side]);
		}
	p->n_rows = 0;
}

static struct page_row *shell_help_add_row(struct help_page *p, enum part_kind kind)
{
	p->row = mem_grow(p->row, &p->cap_rows, p->n_rows + 1, sizeof(*p->row));
	p->row[p->n_rows] = (struct page_row){ .kind = kind };
	return &p->row[p->n_rows++];
}

/* The next row of a text; text is moved to the row after it. NULL at its end. */
static char *take_row(const char **text, int columns)
{
	size_t next, n;
	char *row;

	if (!*text || !**text)
		return NULL;
	n = wrap_row(*text, columns > 1 ? columns : 1, &next);
	row = mem_strndup(*text, n);
	*text += next;
	return row;
}

static void layout_text(struct help_page *p, const struct page_part *part, int width)
{
	const char *text = part->text;
	char *row;

	if (!*text)
		shell_help_add_row(p, part->kind);
	while ((row = take_row(&text, width - EDGES)))
		shell_help_add_row(p, part->kind)->text[0] = row;
}

/* Lay out a key in rows of one column. Its names and its action may take several rows. */
static void layout_key(struct help_page *p, const struct page_part *part, int column, int keys)
{
	const char *key = part->key, *text = part->text;
	char *one = take_row(&key, keys - 1), *two = take_row(&text, column - keys - EDGES);

	assert(part->kind == PART_KEY);
	while (one || two) {
		struct page_row *row = shell_help_add_row(p, PART_KEY);

		row->key[0] = one;
		row->text[0] = two;
		one = take_row(&key, keys - 1);
		two = take_row(&text, column - keys - EDGES);
	}
}

/* Move the rows from mid on into the right column of the rows from first to mid. */
static void pair_rows(struct help_page *p, size_t first, size_t mid)
{
	size_t n = p->n_rows;

	assert(first <= mid && n - mid <= mid - first);
	for (size_t i = mid; i < n; i++) {
		struct page_row *left = &p->row[first + i - mid];

		left->key[1] = p->row[i].key[0];
		left->text[1] = p->row[i].text[0];
	}
	p->n_rows = mid;
}

/* Find the row at which n keys are split into two columns: the first key with which the left column is at least as
   long as the right column. */
static size_t middle(const size_t *start, size_t n, size_t total)
{
	size_t k = 1;

	while (k < n && start[k] - start[0] < total - start[k])
		k++;
	return k < n ? start[k] : total;
}

/* Lay out the keys from part i on. Return the part after them. */
static size_t layout_keys(struct help_page *p, size_t i, int width)
{
	int column = page_column(width), keys = page_keys(width);
	size_t n = 0, *start;

	while (i + n < p->n_parts && p->part[i + n].kind == PART_KEY)
		n++;
	assert(n > 0);
	start = mem_alloc(n, sizeof(*start));
	for (size_t k = 0; k < n; k++) {
		start[k] = p->n_rows;
		layout_key(p, &p->part[i + k], column, keys);
	}
	if (column < width)
		pair_rows(p, start[0], middle(start, n, p->n_rows));
	free(start);
	return i + n;
}

/* Lay out the rows for this many columns, unless that was already done. */
static void page_layout(struct help_page *p, int width)
{
	if (p->layout_width == width && p->n_rows)
		return;
	page_free_rows(p);
	p->layout_width = width;
	for (size_t i = 0; i < p->n_parts;) {
		const struct page_part *part = &p->part[i];

		if (part->kind == PART_HEAD && p->n_rows)
			shell_help_add_row(p, PART_TEXT);
		if (part->kind == PART_KEY) {
			i = layout_keys(p, i, width);
			continue;
		}
		layout_text(p, part, width);
		i++;
	}
}

/* ---- page on the screen ---- */

enum { CTRL_C = 3 };

static char *shell_help_copy(const char *text)
{
	return text ? mem_strndup(text, strlen(text)) : NULL;
}

static void shell_help_page_release(struct help_page *p)
{
	page_free_rows(p);
	free(p->row);
	for (size_t i = 0; i < p->n_parts; i++) {
		free(p->part[i].key);
		free(p->part[i].text);
	}
	free(p->part);
	editor_release(&p->search);
	*p = (struct help_page){ 0 };
}

/* Append a part; texts are copied. key may be NULL. */
static void page_add(struct help_page *p, enum part_kind kind, const char *key, const char *text)
{
	assert(text && (kind == PART_KEY || !key));
	p->part = mem_grow(p->part, &p->cap_parts, p->n_parts + 1, sizeof(*p->part));
	p->part[p->n_parts++] = (struct page_part){ kind, shell_help_copy(key), shell_help_copy(text) };
	p->layout_width = 0;
}

/* Append each line of a text as a PART_LINE. */
static void page_add_lines(struct help_page *p, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = mem_strndup(text, n);

		page_add(p, PART_LINE, NULL, line);
		free(line);
		text += n + (text[n] == '\n');
	}
}

/* Case does not matter. */
static bool has(const char *text, const char *word)
{
	return text && strcasestr(text, word);
}

static bool is_found(const struct help_page *p, const struct page_row *row)
{
	const char *word = buf_text(&p->search.text);

	return *word &&
	       (has(row->key[0], word) || has(row->text[0], word) || has(row->key[1], word) || has(row->text[1], word));
}

static void shell_help_draw_row(const struct help_page *p, struct grid *g, struct area in, int y, size_t i)
{
	const struct page_row *row = &p->row[i];
	struct style style = theme_style(row->kind == PART_HEAD ? ROLE_HEADING : ROLE_PLAIN);

	if (is_found(p, row)) {
		style = theme_style(ROLE_MATCH);
		grid_text(g, in, 0, y, ">", style);
	}
	for (int side = 0; side < 2; side++) {
		int x = 1 + side * page_column(in.width);
		struct area a = in;

		if (side == 0 && (row->key[1] || row->text[1]))
			a.width = page_column(in.width);
		if (row->key[side])
			grid_text(g, a, x, y, row->key[side], theme_style(ROLE_KEY));
		if (row->kind == PART_KEY)
			x += page_keys(in.width);
		if (row->text[side])
			grid_text(g, a, x, y, row->text[side], style);
	}
}

static void shell_help_draw_foot(struct help_page *p, struct grid *g, struct area in)
{
	struct area a = { in.x, in.y + in.height, in.width, 1 };

	if (p->is_typing) {
		int x = grid_text(g, a, 1, 0, "/", theme_style(ROLE_KEY));

		editor_draw(&p->search, g, a, x, 0, theme_style(ROLE_PLAIN));
		return;
	}
	grid_text(g, a, 1, 0,
		  p->search.text.len ? "n N next and previous match  / search  Esc close"
				     : "Up Down PageUp PageDown scroll  / search  Esc close",
		  theme_style(ROLE_MUTED));
}

/* Draw the page as a window of at most this many columns. */
static void page_draw(struct help_page *p, struct grid *g, const char *title, int columns)
{
	struct area in;

	page_layout(p, (columns < g->width ? columns : g->width) - EDGES);
	p->box = grid_box(g, columns, (int)(p->n_rows < 10000 ? p->n_rows : 10000) + EDGES + 1,
			  theme_style(ROLE_WINDOW));
	in = grid_frame(g, p->box, title, theme_style(ROLE_WINDOW));
	if (in.height < 1)
		in = p->box;
	else if (in.height > 1)
		in.height--;
	p->list.n = (uint32_t)p->n_rows;
	p->list.height = in.height;
	if (p->list.top + (uint32_t)in.height > p->list.n)
		p->list.top = p->list.n > (uint32_t)in.height ? p->list.n - (uint32_t)in.height : 0;
	for (int y = 0; y < in.height && p->list.top + (uint32_t)y < p->list.n; y++)
		shell_help_draw_row(p, g, in, y, p->list.top + (uint32_t)y);
	shell_list_draw_bar(&p->list, g, in, theme_style(ROLE_PLAIN));
	if (p->box.height > 3)
		shell_help_draw_foot(p, g, in);
}

/* Scroll to the next matching row, starting at this one. */
static void search_from(struct help_page *p, uint32_t from, int by)
{
	for (uint32_t n = 0; n < p->list.n; n++) {
		uint32_t row = (uint32_t)(((int64_t)from + (int64_t)by * n + p->list.n * 2) % p->list.n);

		if (!is_found(p, &p->row[row]))
			continue;
		p->list.selected = p->list.top = row;
		return;
	}
}

/* Handle an event while the search text is typed. */
static void edit_search(struct help_page *p, const struct event *e)
{
	if (e->kind == EVENT_KEY && (e->key == KEY_ESC || e->key == CTRL_C)) {
		p->is_typing = false;
		editor_set(&p->search, "");
	} else if (e->kind == EVENT_KEY && e->key == KEY_ENTER_) {
		p->is_typing = false;
	} else if (editor_key(&p->search, e) == EDITOR_CHANGED) {
		search_from(p, p->list.top, 1);
	}
}

/* Scroll. The list has no selected row, so keys that move the selection scroll. */
static bool shell_help_scroll(struct help_page *p, const struct event *e)
{
	struct list *l = &p->list;
	bool down = e->kind == EVENT_WHEEL
			    ? e->lines > 0
			    : e->key == 'j' || e->key == KEY_DOWN_ || e->key == KEY_PAGE_DOWN || e->key == 4;

	l->selected = down && l->height > 0 ? l->top + (uint32_t)l->height - 1 : l->top;
	if (l->selected >= l->n)
		l->selected = l->n ? l->n - 1 : 0;
	return shell_list_key(l, e);
}

/* Scroll, or handle / n N. Return false when the page should be closed: Esc, q, ?, Enter, a click outside. */
static bool page_key(struct help_page *p, const struct event *e)
{
	if (e->kind == EVENT_CLICK || e->kind == EVENT_DOUBLE)
		return grid_has(p->box, e->x, e->y);
	if (e->kind == EVENT_RIGHT)
		return false;
	if (p->is_typing) {
		edit_search(p, e);
		return true;
	}
	if (e->kind == EVENT_KEY) {
		switch (e->key) {
		case '/':
			p->is_typing = true;
			editor_set(&p->search, "");
			return true;
		case 'n':
			search_from(p, p->list.top + 1, 1);
			return true;
		case 'N':
			search_from(p, p->list.top + p->list.n - 1, -1);
			return true;
		case ' ':
			return shell_help_scroll(p, &(struct event){ .kind = EVENT_KEY, .key = KEY_PAGE_DOWN });
		default:
			break;
		}
	}
	return shell_help_scroll(p, e);
}

/* ---- page content ---- */

enum { HELP_COLUMNS = 132 };

struct help_state {
	struct help_page page;
	char *title;
};

static void shell_help_draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct help_state *h = o->state;

	(void)s;
	page_draw(&h->page, g, h->title, HELP_COLUMNS);
}

static bool shell_help_key(struct shell *s, struct overlay *o, const struct event *e)
{
	struct help_state *h = o->state;

	if (!page_key(&h->page, e))
		overlay_close(s, o);
	return true;
}

static void shell_help_release_state(struct overlay *o)
{
	struct help_state *h = o->state;

	shell_help_page_release(&h->page);
	free(h->title);
}

static const struct overlay_class help = { .state_size = sizeof(struct help_state),
					   .draw = shell_help_draw,
					   .key = shell_help_key,
					   .release = shell_help_release_state };

static struct help_page *open_page(struct shell *s, const char *title)
{
	struct help_state *h = overlay_open(s, &help)->state;

	h->title = mem_strndup(title, strlen(title));
	return &h->page;
}

/* Does the help of a view list the first key of a binding itself? The view may handle the key in its own way. */
static bool is_listed_by_view(const struct pane_class *class, const struct binding *key)
{
	const char *names = key->events;
	const struct binding *own;
	struct event e;

	if (event_parse(&names, &e, NULL) < 0)
		return false;
	own = key_find(class->key, class->n_keys, &e);
	return own && own->help;
}

/* Add a table of keys, except those that the view lists itself. */
static void shell_help_add_keys(struct help_page *page, const struct binding *k, size_t n,
				const struct pane_class *overrider)
{
	for (size_t i = 0; i < n; i++) {
		struct buf does = { 0 };

		if (!k[i].help || (overrider && is_listed_by_view(overrider, &k[i])))
			continue;
		buf_addz(&does, k[i].help);
		if (k[i].command)
			buf_addf(&does, " (:%s)", k[i].command);
		page_add(page, PART_KEY, k[i].events, buf_text(&does));
		buf_release(&does);
	}
}

static void add_mouse(struct help_page *page)
{
	static const char *const does[][2] = {
		{ "click", "select a row; activate a tab, a heading, a chip or a key in the line of hints" },
		{ "double click", "open, like Enter" },
		{ "wheel", "scroll" },
		{ "right click", "back, like Backspace" },
		{ "Shift and drag", "select text with the terminal; M switches the mouse off" },
	};

	page_add(page, PART_HEAD, NULL, "Mouse");
	for (size_t i = 0; i < sizeof(does) / sizeof(does[0]); i++)
		page_add(page, PART_KEY, does[i][0], does[i][1]);
}

static void add_prompt(struct help_page *page)
{
	static const char *const does[][2] = {
		{ "top20 -cum", "open a view: 20 rows, sorted by cum" },
		{ "peek NAME",
		  "callers and callees of matching functions; also list, disasm, tree, traces, tags, flame" },
		{ "focus=NAME", "set an option for all views; focus= clears it, o lists all options" },
		{ "top NAME -OTHER", "filter this view only: samples with NAME and without OTHER" },
		{ "cpu", "the name of a sample type selects it" },
		{ "top >FILE", "write to a file; top | less pipes the text to a program" },
		{ "help WORD", "explain a command or an option" },
		{ ":", "on its own: clear focus, ignore, hide, tagfocus and tagignore" },
		{ "Tab", "complete; Up and Down recall earlier lines; Ctrl-R searches them" },
	};

	page_add(page, PART_HEAD, NULL, "At the prompt (:)");
	page_add(page, PART_TEXT, NULL,
		 "Most keys run a command, which the lowest line shows. The command language is that of pprof. "
		 "NAME is a regular expression: main also matches domain, ^main$ does not.");
	for (size_t i = 0; i < sizeof(does) / sizeof(does[0]); i++)
		page_add(page, PART_KEY, does[i][0], does[i][1]);
}

static void shell_help_add_words(struct help_page *page)
{
	static const char *const words[][2] = {
		{ "sample", "one recorded stack with its values, such as time, bytes or a count; the sample type "
			    "(t) selects the value" },
		{ "flat", "the cost of a function itself: samples in which it is the innermost function" },
		{ "cum", "the cost of a function and its callees: samples with it anywhere on the stack" },
		{ "flat% cum%", "flat and cum as percentages of the total" },
		{ "sum%", "flat% of this row and all rows above it" },
		{ "heat", "colour by percentage of the total: warm from 5 %, hot and bold from 20 %" },
		{ "base", "the profile that a comparison subtracts: cpa -base=OLD NEW or -diff_base=OLD NEW" },
		{ "+ -", "in a comparison: + and red mark growth, - and green mark reduction" },
		{ "inline", "a function that the compiler merged into its caller" },
		{ "chips", "the active filters and options in the line below the tabs; c selects one, x removes it" },
	};

	page_add(page, PART_HEAD, NULL, "Terms, numbers and colours");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		page_add(page, PART_KEY, words[i][0], words[i][1]);
}

void shell_help_open(struct shell *s)
{
	const struct pane *p = shell_pane(s);
	const struct pane_class *class = p->class;
	struct help_page *page;
	char title[80];

	snprintf(title, sizeof(title), "Help: %s", class->title);
	page = open_page(s, title);
	page_add(page, PART_TEXT, NULL, class->help);
	page_add(page, PART_TEXT, NULL,
		 "Terms, numbers and colours are explained at the end: G goes there, g returns.");
	page_add(page, PART_HEAD, NULL, "Keys in this view");
	shell_help_add_keys(page, class->key, class->n_keys, NULL);
	page_add(page, PART_HEAD, NULL, "Keys in all views");
	shell_help_add_keys(page, shell_keys, shell_n_keys, class);
	add_mouse(page);
	add_prompt(page);
	shell_help_add_words(page);
}

/* ---- help top ---- */

void shell_help_about(struct shell *s, const char *words)
{
	const struct shell_host *host = &s->options.host;
	struct buf text = { 0 };
	struct err err;

	if (host->help(host->arg, words, s->settings, &text, &err) < 0)
		shell_notify(s, true, "%s", err.msg);
	else
		page_add_lines(open_page(s, words), buf_text(&text));
	buf_release(&text);
}
