/*
 * text.c - a report as pprof prints it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/text/text.h"

#include "base/buf.h"
#include "base/columns.h"
#include "base/num.h"
#include "base/time.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/text/text_int.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { VALUE_WIDTH = 10, FILTER_MAX = 80, NAME_MIN = 16 };

/* Append a line "label: text" with control characters escaped; nothing if the text is empty. */
static void text_add_line(struct buf *out, const char *label, const char *text)
{
	if (!*text)
		return;
	buf_addz(out, label);
	utf8_add_safe(out, text, strlen(text));
	buf_add(out, "\n", 1);
}

static void text_add_padded(struct buf *out, const char *text, size_t n, size_t to)
{
	size_t width = utf8_count(text, n);

	buf_fill(out, ' ', width < to ? to - width : 0);
	buf_add(out, text, n);
}

static bool text_is_printable_ascii(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] < 0x20 || text[i] > 0x7e)
			return false;
	return true;
}

/* Nearly all values are ASCII. They are written to their place and then moved to the right. */
void text_add_value(const struct head *h, int64_t value, size_t width, struct buf *out)
{
	struct buf safe = { 0 };
	size_t start = out->len, n, n_blanks;

	report_add_value(h, value, out);
	n = out->len - start;
	if (!text_is_printable_ascii(out->data + start, n)) {
		utf8_add_safe(&safe, out->data + start, n);
		out->len = start;
		text_add_padded(out, safe.data, safe.len, width);
		buf_release(&safe);
		return;
	}
	buf_fill(out, ' ', n < width ? width - n : 0);
	n_blanks = out->len - start - n;
	memmove(out->data + start + n_blanks, out->data + start, n);
	memset(out->data + start, ' ', n_blanks);
}

/* Columns of the last line of a text, without colours. */
static size_t last_line_columns(const struct buf *out)
{
	const char *newline = memrchr(out->data, '\n', out->len);
	size_t from = newline ? (size_t)(newline - out->data) + 1 : 0;

	return column_count_line(out->data + from, out->len - from);
}

/* Length in bytes of the longest start of a text that takes at most this many columns. */
static size_t bytes_of(const char *text, size_t columns)
{
	size_t i = 0, width, n;

	while ((n = column_next(text + i, &width)) && width <= columns) {
		i += n;
		columns -= width;
	}
	return i;
}

/* Append a name of this width, with dots instead of its middle, in at most max columns. */
static void text_add_short_name(const char *name, size_t length, size_t max, struct buf *out)
{
	size_t head = bytes_of(name, (max - 1) / 2), tail = 0, width;
	size_t room = max - 1 - (max - 1) / 2;

	for (size_t rest = length; rest > room && name[tail]; rest -= width)
		tail += column_next(name + tail, &width);
	buf_addf(out, "%.*s\xe2\x80\xa6%s", (int)head, name, name + tail);
}

void text_add_name(const struct head *h, const char *name, size_t after, struct buf *out)
{
	size_t used, length, max;
	struct buf safe = { 0 };

	if (h->columns == 0) {
		utf8_add_safe(out, name, strlen(name));
		return;
	}
	utf8_add_safe(&safe, name, strlen(name));
	used = out->len ? last_line_columns(out) + after : after;
	length = column_count(buf_text(&safe));
	max = used + NAME_MIN < h->columns ? h->columns - used : NAME_MIN;
	if (length > max)
		text_add_short_name(safe.data, length, max, out);
	else
		buf_addz(out, buf_text(&safe));
	buf_release(&safe);
}

static void text_add_duration(const struct head *h, struct buf *out)
{
	const char *unit;
	double total = unit_scale(h->total, h->unit, "nanoseconds", &unit);

	if (h->duration_ns == 0)
		return;
	buf_addz(out, "Duration: ");
	unit_add_label(out, h->duration_ns, "nanoseconds", "auto");
	buf_addz(out, ", Total samples = ");
	text_add_value(h, h->total, 0, out);
	buf_add(out, " ", 1);
	if (strcmp(unit, "ns") == 0 && total != 0) {
		buf_add(out, "(", 1);
		unit_add_percent(out, num_trunc(total), h->duration_ns);
		buf_add(out, ")", 1);
	}
	buf_add(out, "\n", 1);
}

void text_add_profile(const struct head *h, struct buf *out)
{
	text_add_line(out, "File: ", h->file);
	text_add_line(out, "Build ID: ", h->build_id);
	for (uint32_t i = 0; i < h->n_comments; i++) {
		if (h->comment[i][0] == '#')
			continue;
		utf8_add_safe(out, h->comment[i], strlen(h->comment[i]));
		buf_add(out, "\n", 1);
	}
	text_add_line(out, "Type: ", h->type);
	text_add_line(out, "Doc: ", h->doc_url);
	if (h->time_ns)
		time_add_local(out, h->time_ns, "Time: " TIME_SPACED " %Z\n");
	text_add_duration(h, out);
}

/* Length of the longest prefix of at most FILTER_MAX bytes that ends at a character boundary. */
static size_t prefix_length(const char *text, size_t n)
{
	size_t at = n < FILTER_MAX ? n : FILTER_MAX;

	while (at < n && at > FILTER_MAX - 4 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

void text_add_filters(const struct head *h, bool all, struct buf *out)
{
	const char *title = "Active filters:\n";

	for (uint32_t i = 0; i < h->n_filters; i++) {
		struct buf line = { 0 };
		size_t n;

		if (!all && !h->filter[i].is_listed)
			continue;
		buf_addf(&line, "%s%s%s", h->filter[i].name, h->filter[i].value ? "=" : "",
			 h->filter[i].value ? h->filter[i].value : "");
		n = prefix_length(line.data, line.len);
		buf_addf(out, "%s   ", title);
		utf8_add_safe(out, line.data, n);
		buf_addz(out, n < line.len ? "\xe2\x80\xa6\n" : "\n");
		buf_release(&line);
		title = "";
	}
}

void text_add_total_head(const struct report *r, struct buf *out)
{
	const struct head *h = &r->head;

	for (uint32_t i = 0; i < h->n_comments; i++) {
		utf8_add_safe(out, h->comment[i], strlen(h->comment[i]));
		buf_add(out, "\n", 1);
	}
	text_add_filters(h, true, out);
	buf_addz(out, "Type: ");
	utf8_add_safe(out, h->type, strlen(h->type));
	buf_addz(out, h->is_mean_total ? ", mean " : ", total ");
	text_add_value(h, h->total, 0, out);
	buf_add(out, "\n", 1);
}

/* Like pprof internal/report reportLabels. */
void text_add_head(const struct report *r, bool full, struct buf *out)
{
	const struct head *h = &r->head;

	if (full || !h->compact)
		text_add_profile(h, out);
	text_add_filters(h, false, out);
	buf_addz(out, "Showing nodes accounting for ");
	text_add_value(h, h->shown, 0, out);
	buf_addz(out, ", ");
	unit_add_percent_trimmed(out, h->shown, h->total);
	buf_addz(out, " of ");
	text_add_value(h, h->total, 0, out);
	buf_addz(out, " total\n");
	if (h->total == 0)
		return;
	if (h->not_sampled) {
		buf_addz(out, "Not sampled: ");
		text_add_value(h, h->not_sampled, 0, out);
		buf_addz(out, ", ");
		unit_add_percent_trimmed(out, h->not_sampled, h->total);
		buf_addz(out, " of total\n");
	}
	if (h->n_dropped) {
		buf_addf(out, "Dropped %" PRIu32 " node%s (cum <= ", h->n_dropped, h->n_dropped == 1 ? "" : "s");
		text_add_value(h, h->dropped_cum, 0, out);
		buf_addz(out, ")\n");
	}
	if (full && h->n_dropped_edges) {
		buf_addf(out, "Dropped %" PRIu32 " edge%s (freq <= ", h->n_dropped_edges,
			 h->n_dropped_edges == 1 ? "" : "s");
		text_add_value(h, h->dropped_weight, 0, out);
		buf_addz(out, ")\n");
	}
	if (h->n_shown && h->n_shown < h->n_before_limit)
		buf_addf(out, "Showing top %" PRIu32 " nodes out of %" PRIu32 "\n", h->n_shown, h->n_before_limit);
}

/* Append the gap before a column: two blanks before names, one before others, none before the first column. */
static void add_gap(const struct column *c, uint32_t place, struct buf *out)
{
	if (place)
		buf_add(out, "  ", c->kind == CELL_NAME ? 2 : 1);
}

static void text_add_titles(const struct table *t, bool color, struct buf *out)
{
	if (color)
		buf_addz(out, STYLE_TITLE);
	for (uint32_t c = 0; c < t->n_cols && *t->col[c].title; c++) {
		add_gap(&t->col[c], c, out);
		if (t->col[c].kind == CELL_PERCENT)
			buf_addf(out, "%6s", t->col[c].title);
		else
			text_add_padded(out, t->col[c].title, strlen(t->col[c].title), VALUE_WIDTH);
	}
	buf_addz(out, color ? STYLE_END "\n" : "\n");
}

static void text_add_cell(const struct head *h, const struct column *c, const union cell *cell, bool color,
			  struct buf *out)
{
	switch (c->kind) {
	case CELL_VALUE:
		text_add_value(h, cell->value, VALUE_WIDTH, out);
		break;
	case CELL_PERCENT:
		unit_add_percent(out, cell->value, h->total);
		break;
	case CELL_NAME: /* see add_row */
		break;
	case CELL_WORD:
		buf_addz(out, cell->text);
		break;
	case CELL_RATIO:
		unit_add_share(out, cell->real);
		break;
	case CELL_CHANGE:
		if (!isnan(cell->real))
			buf_addf(out, "%+.2f%%", cell->real);
		break;
	case CELL_COUNT:
		buf_addf(out, "%" PRId64, cell->value);
		break;
	case CELL_NOTE:
		buf_addf(out, "%s%s%s", color ? STYLE_NOTE : "", cell->text, color ? STYLE_END : "");
		break;
	}
}

/* Number of characters of the note in a column, with the gap before it; 0 if there is none. */
static size_t note_length(const struct table *t, const union cell *cell, uint32_t c)
{
	return c < t->n_cols && t->col[c].kind == CELL_NOTE && *cell[c].text ? strlen(cell[c].text) + 1 : 0;
}

static void text_add_row(const struct report *r, uint32_t row, bool color, struct buf *out)
{
	const struct table *t = &r->table;
	const union cell *cell = t->cell + (size_t)row * t->n_cols;
	bool hot = color && unit_percent(cell[0].value, r->head.total) >= HOT_PERCENT;

	assert(row < t->n_rows && t->n_cols > 0);
	if (hot)
		buf_addz(out, STYLE_HOT);
	for (uint32_t c = 0; c < t->n_cols; c++) {
		if (t->col[c].kind == CELL_NOTE && !*cell[c].text)
			continue;
		add_gap(&t->col[c], c, out);
		if (t->col[c].kind == CELL_NAME)
			text_add_name(&r->head, cell[c].text, note_length(t, cell, c + 1), out);
		else
			text_add_cell(&r->head, &t->col[c], &cell[c], color, out);
	}
	buf_addz(out, hot ? STYLE_END "\n" : "\n");
}

void text_draw(const struct report *r, bool color, struct buf *out)
{
	assert(r && out);
	text_add_head(r, false, out);
	text_add_titles(&r->table, color, out);
	for (uint32_t i = 0; i < r->table.n_rows && !buf_is_stopped(); i++)
		text_add_row(r, i, color, out);
}
