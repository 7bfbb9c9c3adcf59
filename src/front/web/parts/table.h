/*
 * table.h - parts of pages with tables: the shown rows, links of a row
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_PARTS_TABLE_H
#define FRONT_WEB_PARTS_TABLE_H

#include "front/web/parts/page.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	WEB_RESPONSE_MAX = 256 << 20, /* bytes */
	WEB_ROWS = 200,               /* rows of a page without the parameter rows */
	WEB_MENUS_MAX = 2000,         /* rows have menus if a page has at most this many */
	WEB_NAME_MAX = 4 << 10,       /* bytes of a name on a page; the middle of longer ones is omitted */
};

/* The rows that a page shows: [from, to) of n. */
struct web_rows {
	uint64_t n, from, to;
	uint64_t step; /* rows of a page */
};

/* Choose the rows from the parameters from and rows, which is a number or "all". */
struct web_rows web_rows_choose(const struct web_page *page, uint64_t n, unsigned step);

/* Append "1-200 of 156,000 functions". */
void web_rows_add_range(const struct web_rows *rows, const char *noun, struct buf *out);

/* Append links to other pages of the table and to files with all rows, and the script of tables. */
void web_rows_add_links(const struct web_page *page, const struct web_rows *rows, struct buf *out);

/*
 * Check between rows whether the page can continue.
 *
 * Fails   ERR_LIMIT if the page has become larger than a response may be; ERR_STOPPED
 */
int web_rows_check(const struct web_page *page, struct err *err);

/* A column of a table that its page sorts. */
struct web_column {
	const char *key; /* in the address; "name" for names; NULL if rows cannot be sorted by it */
	const char *title;
	const char *class; /* of the heading; NULL for none */
};

/* The order of such a table. */
struct web_order {
	const struct web_column *column; /* [n] borrowed */
	size_t n;
	size_t report_order; /* column whose largest value is first in the report */
	size_t col;          /* sorted column */
	bool is_ascending;
};

/* A row to sort: by its name, or by its number, which is NAN if it has none. */
struct web_order_row {
	uint32_t row;
	double number;
	const char *name;
};

/* Choose the order from the parameters col and desc. */
struct web_order web_order_choose(const struct web_page *page, const struct web_column *column, size_t n,
				  size_t report_order);

/* Sort rows that are in the order of the report. */
void web_order_sort(const struct web_order *o, struct web_order_row *row, size_t n);

/* Append the headings, with links that sort. */
void web_order_add_heads(const struct web_page *page, const struct web_order *o, struct buf *out);

/* Append the start of a cell with the number that scripts sort by; NAN for none. */
void web_order_add_cell(const char *class, double number, struct buf *out);

/* Append an attribute with a name: ' data-name="main.work"'. */
void web_add_name_attribute(struct buf *out, const char *name);

/* Append a bar of this percentage, whose sign is ignored, below the text of a cell. */
void web_add_bar(struct buf *out, double percent);

/* Append what the values of a report are: sample type, unit, and the value that is 100 %. */
void web_add_units(const struct web_page *page, const struct head *h, struct buf *out);

/* The smaller one of the values above 0; 0 if there is none. The unit of the smallest value suits all of a page. */
int64_t web_least(int64_t a, int64_t b);

/* Makes the links of rows. */
struct web_row_links;

struct web_row_links *web_row_links_new(const struct web_page *page);
void web_row_links_free(struct web_row_links *l);

/*
 * Append a name that links to the flame graph at a place; plain text if the place has no name.
 *
 * place   NULL: none
 * text    name as the report prints it
 */
void web_row_links_add_name(struct web_row_links *l, const struct row_place *place, const char *text, struct buf *out);

/* Append a link to another view of a place: "peek", "source" or "disasm"; plain text if the place has no name. */
void web_row_links_add_view(struct web_row_links *l, const struct row_place *place, const char *path, const char *text,
			    struct buf *out);

/* Append a menu of other views of a place, and of filters; nothing if the place has no name. */
void web_row_links_add_menu(struct web_row_links *l, const struct row_place *place, const char *text, struct buf *out);

/* The same for the functions that match an expression. */
void web_row_links_add_matches(struct web_row_links *l, const char *pattern, const char *text, struct buf *out);

/* Append the keys of the links as entries of a definition list. */
void web_row_links_add_help(struct buf *out);

/* Append why the page shows no values, with a link that shows some. */
void web_add_empty(const struct web_page *page, struct buf *out);

#endif
