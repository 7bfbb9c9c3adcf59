/*
 * table.c - reports as HTML tables: top, tree, peek, binaries, comments
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A row of a plain table is a line of the report. Rows of tree and peek form groups: a function between its callers and
 * callees. A page shows whole groups.
 */
#include "config.h"

#include "front/web/parts/table.h"

#include "front/web/pages/views.h"

#include "base/num.h"
#include "base/unit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_COLUMN = UINT32_MAX, GROUPS = 50 };

struct table_page {
	struct web_page *page;
	const struct report *r;
	const struct table *t;
	struct web_row_links *links;
	uint32_t name, note; /* columns; the note follows the name */
	uint32_t sort;       /* sorted column; NO_COLUMN: the order of the report */
	bool is_ascending;
	bool has_menus;
	uint32_t *order; /* [n_rows] rows of a plain table in the order of the page */
	uint32_t *group; /* [n_groups + 1] first row of each group; NULL for a plain table */
	uint32_t n_groups;
};

static const union cell *table_cell_of(const struct table *t, uint32_t row, uint32_t col)
{
	return &t->cell[(size_t)row * t->n_cols + col];
}

static bool table_is_text(const struct column *c)
{
	return c->kind == CELL_NAME || c->kind == CELL_NOTE || c->kind == CELL_WORD;
}

static uint32_t table_find_kind(const struct table *t, enum cell_kind kind)
{
	for (uint32_t col = 0; col < t->n_cols; col++)
		if (t->col[col].kind == kind)
			return col;
	return NO_COLUMN;
}

static uint32_t find_key(const struct table *t, const char *key)
{
	for (uint32_t col = 0; col < t->n_cols; col++)
		if (strcmp(t->col[col].key, key) == 0)
			return col;
	return NO_COLUMN;
}

/* ---- names of rows ---- */

static const struct noun {
	const char *one, *many;
} grain_noun[] = {
	[GRAIN_FUNCTIONS] = { "function", "functions" },
	[GRAIN_FILEFUNCTIONS] = { "function", "functions" },
	[GRAIN_FILES] = { "file", "files" },
	[GRAIN_LINES] = { "line", "lines" },
	[GRAIN_ADDRESSES] = { "address", "addresses" },
};

static struct noun noun_of(const struct web_page *page)
{
	const struct report_type *t = reports_get(page->view->report);

	return t->row ? (struct noun){ t->row, t->rows } : grain_noun[page->q.granularity];
}

/* ---- order ---- */

static double table_number(const struct column *c, const union cell *cell)
{
	return c->kind == CELL_RATIO || c->kind == CELL_CHANGE ? cell->real : (double)num_abs(cell->value);
}

static int table_compare_rows(const void *a, const void *b, void *arg)
{
	const struct table_page *x = arg;
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;
	const struct column *c = &x->t->col[x->sort];
	const union cell *lc = table_cell_of(x->t, l, x->sort), *rc = table_cell_of(x->t, r, x->sort);
	int order;

	if (table_is_text(c))
		order = strcmp(lc->text, rc->text);
	else
		order = (table_number(c, lc) > table_number(c, rc)) - (table_number(c, lc) < table_number(c, rc));
	if (!x->is_ascending)
		order = -order;
	return order ? order : (l > r) - (l < r);
}

/* Sort the rows of a plain table by a column that the report cannot sort by. */
static void table_sort_rows(struct table_page *x)
{
	uint32_t n = x->t->n_rows;

	x->order = arena_alloc(x->page->mem, n, sizeof(*x->order));
	for (uint32_t i = 0; i < n; i++)
		x->order[i] = x->is_ascending && x->sort == NO_COLUMN ? n - 1 - i : i;
	if (x->sort != NO_COLUMN)
		qsort_r(x->order, n, sizeof(*x->order), table_compare_rows, x);
}

static bool begins_group(const struct table *t, uint32_t row)
{
	return row == 0 || t->role[row] < t->role[row - 1] ||
	       (t->role[row] == ROW_NODE && t->role[row - 1] == ROW_NODE);
}

static void table_find_groups(struct table_page *x)
{
	x->group = arena_alloc(x->page->mem, (size_t)x->t->n_rows + 1, sizeof(*x->group));
	for (uint32_t row = 0; row < x->t->n_rows; row++)
		if (begins_group(x->t, row))
			x->group[x->n_groups++] = row;
	x->group[x->n_groups] = x->t->n_rows;
}

/* The column that the report is sorted by; NO_COLUMN if it has no such column. */
static uint32_t report_order(const struct table_page *x)
{
	return find_key(x->t, x->page->q.sort == SORT_CUM ? "cum" : "flat");
}

static bool is_sortable(const struct table_page *x, uint32_t col)
{
	enum cell_kind kind = x->t->col[col].kind;
	bool by_report = strcmp(x->t->col[col].key, "flat") == 0 || strcmp(x->t->col[col].key, "cum") == 0;

	if (x->t->role)
		return by_report && strcmp(x->page->view->path, "tree") == 0;
	return kind == CELL_VALUE || kind == CELL_NAME;
}

static void table_choose_order(struct table_page *x)
{
	const char *key = url_params_get(x->page->params, "col"), *desc = url_params_get(x->page->params, "desc");

	x->sort = x->t->role ? NO_COLUMN : find_key(x->t, key);
	if (x->sort != NO_COLUMN && !is_sortable(x, x->sort))
		x->sort = NO_COLUMN;
	x->is_ascending = !x->t->role &&
			  (*desc ? strcmp(desc, "f") == 0 : x->sort != NO_COLUMN && table_is_text(&x->t->col[x->sort]));
	if (x->t->role)
		table_find_groups(x);
	else
		table_sort_rows(x);
}

/* ---- cells ---- */

static void table_add_value(const struct report *r, const struct column *c, const union cell *cell, struct buf *out)
{
	const struct head *h = &r->head;

	if (c->kind == CELL_VALUE)
		web_add_report_value(h, cell->value, out);
	else if (c->kind == CELL_PERCENT)
		unit_add_percent_trimmed(out, cell->value, h->total);
	else if (c->kind == CELL_COUNT)
		unit_add_count(out, (uint64_t)cell->value);
	else if (c->kind == CELL_RATIO && isfinite(cell->real))
		unit_add_share(out, cell->real);
	else if (table_is_text(c))
		web_add_name(out, cell->text);
}

/* Append the bar of a row: the cum of a function, or the cost of a call. */
static void add_row_bar(const struct table_page *x, uint32_t row, struct buf *out)
{
	uint32_t cum = find_key(x->t, "cum"), call = find_key(x->t, "call_cum");
	bool is_call = call != NO_COLUMN && report_has(x->t, row, call);

	if (is_call || cum != NO_COLUMN)
		web_add_bar(out, unit_percent(table_cell_of(x->t, row, is_call ? call : cum)->value, x->r->head.total));
}

static void add_name_cell(const struct table_page *x, uint32_t row, struct buf *out)
{
	const struct row_place *place = x->t->place ? &x->t->place[row] : NULL;
	const char *text = table_cell_of(x->t, row, x->name)->text;
	bool has_note = x->note != NO_COLUMN && report_has(x->t, row, x->note);
	const char *note = has_note ? table_cell_of(x->t, row, x->note)->text : "";
	const char *role = x->t->role ? report_role(x->t, row) : "node";

	buf_addz(out, "<td class=\"name\">");
	add_row_bar(x, row, out);
	buf_addz(out, "<div class=\"line\">");
	if (strcmp(role, "node") != 0)
		buf_addf(out, "<span class=\"faint role\">%s</span> ", role);
	buf_addz(out, place ? "<span class=\"end\">" : "<span>");
	web_row_links_add_name(x->links, place, text, out);
	buf_addz(out, "</span>");
	if (*note)
		buf_addf(out, " <span class=\"faint\">%s</span>", note);
	if (x->has_menus)
		web_row_links_add_menu(x->links, place, text, out);
	buf_addz(out, "</div></td>");
}

static bool table_is_wide(const struct column *c)
{
	return c->kind == CELL_PERCENT || c->kind == CELL_RATIO;
}

static void table_add_row(const struct table_page *x, uint32_t row, struct buf *out)
{
	const struct table *t = x->t;

	buf_addz(out, "<tr");
	if (t->role)
		buf_addf(out, " class=\"%s\"", report_role(t, row));
	if (x->name != NO_COLUMN)
		web_add_name_attribute(out, table_cell_of(t, row, x->name)->text);
	buf_addz(out, ">");
	for (uint32_t col = 0; col < t->n_cols; col++) {
		const struct column *c = &t->col[col];

		if (col == x->note)
			continue;
		if (col == x->name) {
			add_name_cell(x, row, out);
			continue;
		}
		buf_addz(out, table_is_wide(c) ? "<td class=\"wide\"" : "<td");
		if (c->kind == CELL_VALUE && !t->role) /* scripts sort by it */
			buf_addf(out, " data-value=\"%" PRId64 "\"", table_cell_of(t, row, col)->value);
		buf_addz(out, ">");
		if (report_has(t, row, col))
			table_add_value(x->r, c, table_cell_of(t, row, col), out);
		buf_addz(out, "</td>");
	}
	buf_addz(out, "</tr>\n");
}

/* ---- head of the table ---- */

/* The title of a column; that of names is what the rows are. */
static const char *title_of(const struct table_page *x, uint32_t col)
{
	return col == x->name ? noun_of(x->page).one : x->t->col[col].title;
}

/* Append a link that sorts by a column, or that reverses the order. */
static void add_sort_link(const struct table_page *x, uint32_t col, bool is_sorted, struct buf *out)
{
	struct url_params *link = url_params_copy(x->page->params);
	const char *key = x->t->col[col].key;
	bool is_name = x->t->col[col].kind == CELL_NAME;

	url_params_remove(link, "from");
	url_params_remove(link, "desc");
	url_params_remove(link, "col");
	if (is_name)
		url_params_set(link, "col", key);
	else if (reports_get(x->page->view->report)->flags & REPORT_SORTS)
		url_params_set(link, "sort", key);
	else
		url_params_set(link, "col", key);
	if (is_sorted && !x->t->role && x->is_ascending == is_name)
		url_params_set(link, "desc", is_name ? "t" : "f");
	buf_addz(out, "<a href=\"");
	web_link_end(link, x->page->view->path, out);
	buf_addf(out, "\">%s</a>", title_of(x, col));
}

static void add_heading(const struct table_page *x, uint32_t col, struct buf *out)
{
	const struct column *c = &x->t->col[col];
	bool is_sorted = col == (x->sort == NO_COLUMN ? report_order(x) : x->sort);
	bool is_linked = is_sortable(x, col);

	buf_addf(out, "<th scope=\"col\" data-key=\"%s\"", c->key);
	if (col == x->name || table_is_wide(c))
		buf_addf(out, " class=\"%s\"", col == x->name ? "name" : "wide");
	if (col == report_order(x))
		buf_addz(out, " data-report-order");
	if (is_sorted && is_linked)
		buf_addf(out, " aria-sort=\"%s\"", x->is_ascending ? "ascending" : "descending");
	buf_addz(out, ">");
	if (is_linked)
		add_sort_link(x, col, is_sorted, out);
	else
		buf_addz(out, title_of(x, col));
	buf_addz(out, "</th>");
}

/* Append how many rows the query omits, with a link that shows them. */
static void table_add_omitted(const struct table_page *x, struct buf *out)
{
	const struct head *h = &x->r->head;
	struct url_params *link;

	if (h->not_sampled) {
		buf_addz(out, "; CPU time without samples: ");
		web_add_report_value(h, h->not_sampled, out);
	}
	if (h->is_whole || (!h->n_dropped && h->n_shown == h->n_before_limit))
		return;
	buf_addz(out, "; ");
	if (h->n_dropped) {
		unit_add_count(out, h->n_dropped);
		buf_addz(out, " with a cum of at most ");
		web_add_report_value(h, h->dropped_cum, out);
		buf_addz(out, " are omitted");
	}
	if (h->n_shown < h->n_before_limit) {
		buf_addz(out, h->n_dropped ? ", and " : "");
		unit_add_count(out, h->n_before_limit - h->n_shown);
		buf_addz(out, " after the first ");
		unit_add_count(out, h->n_shown);
	}
	link = url_params_copy(x->page->params);
	url_params_set(link, "trim", "f");
	url_params_remove(link, "from");
	buf_addz(out, " (<a href=\"");
	web_link_end(link, x->page->view->path, out);
	buf_addz(out, "\">show all</a>)");
}

static void table_add_head(const struct table_page *x, const struct web_rows *rows, struct buf *out)
{
	bool is_whole = rows->from == 0 && rows->to == rows->n && !x->t->role;

	buf_addf(out, "<div class=\"scroll\"><table class=\"report%s%s\"%s>\n<caption>", x->t->role ? " calls" : "",
		 x->page->q.granularity >= GRAIN_LINES ? " long" : "", is_whole ? " data-whole=\"true\"" : "");
	web_rows_add_range(rows, rows->n == 1 ? noun_of(x->page).one : noun_of(x->page).many, out);
	if (table_find_kind(x->t, CELL_VALUE) != NO_COLUMN) {
		buf_addz(out, "; ");
		web_add_units(x->page, &x->r->head, out);
		table_add_omitted(x, out);
	}
	buf_addf(out,
		 " <a class=\"help\" href=\"help#%s\" aria-label=\"Help on this table\">?</a></caption>\n<thead><tr>",
		 x->page->view->path);
	for (uint32_t col = 0; col < x->t->n_cols; col++)
		if (col != x->note)
			add_heading(x, col, out);
	buf_addz(out, "</tr></thead>\n");
}

/* ---- the page ---- */

static int table_add_groups(const struct table_page *x, const struct web_rows *rows, struct err *err)
{
	struct buf *out = &x->page->main;

	for (uint64_t g = rows->from; g < rows->to; g++) {
		buf_addz(out, "<tbody>");
		for (uint32_t row = x->group[g]; row < x->group[g + 1]; row++) {
			table_add_row(x, row, out);
			if (web_rows_check(x->page, err) < 0)
				return err->code;
		}
		buf_addz(out, "</tbody>\n");
	}
	return 0;
}

static int table_add_rows(const struct table_page *x, const struct web_rows *rows, struct err *err)
{
	struct buf *out = &x->page->main;
	int rc = 0;

	if (x->t->role)
		return table_add_groups(x, rows, err);
	buf_addz(out, "<tbody>\n");
	for (uint64_t i = rows->from; rc == 0 && i < rows->to; i++) {
		table_add_row(x, x->order[i], out);
		rc = web_rows_check(x->page, err);
	}
	buf_addz(out, "</tbody>");
	return rc;
}

/* Number of rows of the report on the page. */
static uint64_t table_count_rows(const struct table_page *x, const struct web_rows *rows)
{
	return x->group ? x->group[rows->to] - x->group[rows->from] : rows->to - rows->from;
}

static int table_draw(struct table_page *x, struct err *err)
{
	struct buf *out = &x->page->main;
	struct web_rows rows;
	int rc;

	x->name = table_find_kind(x->t, CELL_NAME);
	x->note = table_find_kind(x->t, CELL_NOTE);
	table_choose_order(x);
	rows = web_rows_choose(x->page, x->group ? x->n_groups : x->t->n_rows, x->group ? GROUPS : WEB_ROWS);
	x->has_menus = table_count_rows(x, &rows) <= WEB_MENUS_MAX;
	x->links = web_row_links_new(x->page);
	table_add_head(x, &rows, out);
	rc = table_add_rows(x, &rows, err);
	buf_addz(out, "</table></div>\n");
	web_rows_add_links(x->page, &rows, out);
	web_row_links_free(x->links);
	return rc;
}

int web_draw_table(struct web_page *page, struct err *err)
{
	struct table_page x = { .page = page, .r = &page->answer.report, .t = &page->answer.report.table };
	int rc = web_page_make(page, page->view->report, err);

	if (rc < 0)
		return rc;
	if (x.t->n_rows == 0) {
		web_add_empty(page, &page->main);
		return 0;
	}
	return table_draw(&x, err);
}
