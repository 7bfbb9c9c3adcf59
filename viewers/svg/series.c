/*
 * series.c - totals over time as an SVG plot
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/svg/svg.h"

#include "base/num.h"
#include "base/utf8.h"
#include "viewers/xml/xml.h"

#include <inttypes.h>
#include <string.h>

/* Sizes in pixels. */
enum {
	WIDTH = 1000,
	HEIGHT = 400,
	LEFT = 90,
	RIGHT = 20,
	TOP = 70,
	BOTTOM = 40,
	LINE = 16,
	N_COLORS = 8,
	COL_TOTAL = 1
};

static const char style[] =
	"text{font-family:\"DejaVu Sans Mono\",Menlo,Consolas,\"Liberation Mono\",monospace;font-size:12px;fill:#333}"
	"svg{background:#fff}.grid{stroke:#ccc}.mark{stroke:#888;stroke-dasharray:4 3}"
	"polyline{fill:none;stroke-width:1.5;stroke-linejoin:round}"
	".c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.c3{stroke:#cc79a7}.c4{stroke:#e69f00}.c5{stroke:#"
	"56b4e9}"
	".c6{stroke:#7f7f7f}.c7{stroke:#000}"
	"@media (prefers-color-scheme:dark){svg{background:#1c1c1c}text{fill:#ddd}.grid{stroke:#444}.c7{stroke:#fff}}";

struct plot {
	const struct report *r;
	struct xml xml;
	uint64_t max;
};

static bool svg_series_is_line(const struct table *t, uint32_t col)
{
	bool has_more = false;

	for (uint32_t c = COL_TOTAL + 1; c < t->n_cols; c++)
		has_more |= t->col[c].kind == CELL_VALUE;
	return t->col[col].kind == CELL_VALUE && (col != COL_TOTAL || !has_more);
}

static int64_t svg_series_value_at(const struct table *t, uint32_t row, uint32_t col)
{
	return t->cell[(size_t)row * t->n_cols + col].value;
}

/* Thousandths of a pixel from the left, at the middle of a step. */
static int64_t x_at(const struct table *t, uint32_t row)
{
	return LEFT * 1000 + (int64_t)((double)(WIDTH - LEFT - RIGHT) * 1000 * (row + 0.5) / t->n_rows);
}

static int64_t y_at(const struct plot *p, double value)
{
	double share = p->max ? value / (double)p->max : 0;

	return (int64_t)((HEIGHT - BOTTOM) * 1000 - share * (HEIGHT - TOP - BOTTOM) * 1000);
}

static void svg_series_add_text(struct plot *p, int64_t x, int64_t y, const char *anchor, const char *text)
{
	struct buf safe = { 0 };

	utf8_add_safe(&safe, text, strlen(text));
	xml_newline(&p->xml);
	xml_begin(&p->xml, "text");
	xml_number(&p->xml, "x", x);
	xml_number(&p->xml, "y", y);
	xml_attribute(&p->xml, "text-anchor", anchor);
	xml_text(&p->xml, buf_text(&safe));
	xml_end(&p->xml);
	buf_release(&safe);
}

static void add_segment(struct plot *p, const char *class, int64_t x1, int64_t y1, int64_t x2, int64_t y2)
{
	xml_newline(&p->xml);
	xml_begin(&p->xml, "line");
	xml_attribute(&p->xml, "class", class);
	xml_number(&p->xml, "x1", x1);
	xml_number(&p->xml, "y1", y1);
	xml_number(&p->xml, "x2", x2);
	xml_number(&p->xml, "y2", y2);
	xml_end(&p->xml);
}

static void add_axes(struct plot *p)
{
	enum { N_GRID = 4 };
	const struct table *t = &p->r->table;

	for (int i = 0; i <= N_GRID; i++) {
		struct buf label = { 0 };
		int64_t y = y_at(p, (double)p->max * i / N_GRID);

		report_add_value(&p->r->head, (int64_t)(p->max / N_GRID * (uint64_t)i), &label);
		add_segment(p, "grid", LEFT * 1000, y, (WIDTH - RIGHT) * 1000, y);
		svg_series_add_text(p, (LEFT - 6) * 1000, y + 4000, "end", buf_text(&label));
		buf_release(&label);
	}
	for (uint32_t i = 0; i < N_GRID + 1 && t->n_rows; i++) {
		uint32_t row = (uint32_t)((uint64_t)i * (t->n_rows - 1) / N_GRID);
		const char *anchor = i == 0 ? "start" : i == N_GRID ? "end" : "middle";

		svg_series_add_text(p, x_at(t, row), (HEIGHT - BOTTOM + LINE) * 1000, anchor,
				    t->cell[(size_t)row * t->n_cols].text);
	}
}

/* Draw the line of a column, and its entry in the legend if there are several. */
static void svg_series_add_line(struct plot *p, uint32_t col, uint32_t number, bool has_legend)
{
	const struct table *t = &p->r->table;
	struct buf points = { 0 };
	char class[8] = { 'c', (char)('0' + number % N_COLORS) };
	int64_t x = (LEFT + 10) * 1000, y = (TOP + 4 + LINE * (int64_t)number) * 1000;

	for (uint32_t i = 0; i < t->n_rows; i++) {
		int64_t px = x_at(t, i), py = y_at(p, (double)svg_series_value_at(t, i, col));

		buf_addf(&points, "%s%" PRId64 ".%" PRId64 ",%" PRId64 ".%" PRId64, i ? " " : "", px / 1000,
			 px % 1000 / 100, py / 1000, num_abs(py) % 1000 / 100);
	}
	xml_newline(&p->xml);
	xml_begin(&p->xml, "polyline");
	xml_attribute(&p->xml, "class", class);
	xml_attribute(&p->xml, "points", buf_text(&points));
	xml_end(&p->xml);
	buf_release(&points);
	if (!has_legend)
		return;
	add_segment(p, class, x, y, x + 20000, y);
	svg_series_add_text(p, x + 26000, y + 4000, "start", t->col[col].title);
}

static void svg_series_add_lines(struct plot *p)
{
	const struct table *t = &p->r->table;
	uint32_t n = 0, number = 0;

	for (uint32_t c = 1; c < t->n_cols; c++)
		n += svg_series_is_line(t, c);
	for (uint32_t c = 1; c < t->n_cols; c++)
		if (svg_series_is_line(t, c))
			svg_series_add_line(p, c, number++, n > 1);
}

static void add_marks(struct plot *p)
{
	const struct table *t = &p->r->table;

	if (t->col[t->n_cols - 1].kind != CELL_NAME)
		return;
	for (uint32_t i = 0; i < t->n_rows; i++) {
		const char *text = t->cell[(size_t)i * t->n_cols + t->n_cols - 1].text;

		if (!*text)
			continue;
		add_segment(p, "mark", x_at(t, i), TOP * 1000, x_at(t, i), (HEIGHT - BOTTOM) * 1000);
		svg_series_add_text(p, x_at(t, i), (TOP - 6) * 1000, "middle", text);
	}
}

static void svg_series_add_title(struct plot *p)
{
	const struct head *h = &p->r->head;
	struct buf text = { 0 };

	for (uint32_t i = 0; i < h->n_comments && i < 1; i++)
		svg_series_add_text(p, 10000, 20000, "start", h->comment[i]);
	buf_addf(&text, "%s, %s ", h->type, h->is_mean_total ? "mean" : "total");
	report_add_value(h, h->total, &text);
	svg_series_add_text(p, 10000, (20 + LINE) * 1000, "start", buf_text(&text));
	buf_release(&text);
}

int svg_series_draw(const struct report *r, struct buf *out, struct err *err)
{
	struct plot p = { .r = r };
	const struct table *t = &r->table;

	if (xml_open(&p.xml, "SVG", out, err) < 0)
		return ERR_IO;
	for (uint32_t c = 1; c < t->n_cols; c++)
		for (uint32_t i = 0; svg_series_is_line(t, c) && i < t->n_rows; i++)
			p.max = num_abs(svg_series_value_at(t, i, c)) > p.max ? num_abs(svg_series_value_at(t, i, c))
									      : p.max;
	xml_begin(&p.xml, "svg");
	xml_attribute(&p.xml, "xmlns", "http://www.w3.org/2000/svg");
	xml_number(&p.xml, "width", WIDTH * 1000);
	xml_number(&p.xml, "height", HEIGHT * 1000);
	xml_begin(&p.xml, "style");
	xml_cdata(&p.xml, style);
	xml_end(&p.xml);
	svg_series_add_title(&p);
	add_axes(&p);
	svg_series_add_lines(&p);
	add_marks(&p);
	xml_end(&p.xml);
	return xml_close(&p.xml, err);
}
