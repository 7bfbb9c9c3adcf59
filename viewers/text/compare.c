/*
 * compare.c - formatting shared by the texts of diff and trend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/text/text.h"
#include "viewers/text/text_int.h"

#include "base/time.h"
#include "base/unit.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define STYLE_GREW "\033[31m"
#define STYLE_SHRANK "\033[32m"

enum { SOURCES_NAMED = 3, BUILD_ID_SHOWN = 16, TRAFFIC_NAMES = 6 };

static void text_compare_add_safe(const char *text, struct buf *out)
{
	utf8_add_safe(out, text, strlen(text));
}

static void text_compare_add_sources(const struct compare_side *s, struct buf *out)
{
	for (size_t i = 0; i < s->n_sources && i < SOURCES_NAMED; i++) {
		buf_addz(out, i ? ", " : "");
		text_compare_add_safe(s->source[i], out);
	}
	if (s->n_sources > SOURCES_NAMED)
		buf_addf(out, " and %zu more", s->n_sources - SOURCES_NAMED);
}

static void add_metadata(const char *what, const char *text, size_t max_bytes, struct buf *out)
{
	if (!*text)
		return;
	buf_addf(out, ", %s", what);
	utf8_add_safe(out, text, strlen(text) < max_bytes ? strlen(text) : max_bytes);
}

static void text_compare_add_count(uint64_t n, const char *what, struct buf *out)
{
	unit_add_count(out, n);
	buf_addf(out, " %s%s", what, n == 1 ? "" : "s");
}

/* Append a list of at most six names: "; versions 1.4, 1.5". */
static void text_compare_add_names(const char *what, const char *const *name, size_t n, size_t max_bytes,
				   struct buf *out)
{
	for (size_t i = 0; i < n && i < TRAFFIC_NAMES; i++) {
		size_t length = strlen(name[i]);

		if (i == 0)
			buf_addf(out, "; %s%s ", what, n == 1 ? "" : "s");
		else
			buf_addz(out, ", ");
		utf8_add_safe(out, name[i], length < max_bytes ? length : max_bytes);
	}
	buf_addz(out, n > TRAFFIC_NAMES ? ", ..." : "");
}

void text_add_traffic(const struct side_traffic *t, const struct side_builds *b, const char *indent, struct buf *out)
{
	struct buf line = { 0 };

	if (t) {
		text_compare_add_count(t->profiles, "profile", &line);
		buf_addz(&line, " of ");
		text_compare_add_count(t->instances, "instance", &line);
		if (t->covered_ns > 0) {
			buf_addz(&line, ", ");
			unit_add_label(&line, t->covered_ns, "ns", "auto");
			buf_addz(&line, " covered");
		}
		if (t->samples) {
			buf_addz(&line, ", ");
			text_compare_add_count(t->samples, "sample", &line);
		}
		text_compare_add_names("version", t->version, t->n_versions, SIZE_MAX, &line);
	}
	text_compare_add_names("build", b->id, b->n, BUILD_ID_SHOWN, &line);
	if (line.len)
		buf_addf(out, "%s%s\n", indent, buf_text(&line) + (t ? 0 : 2));
	buf_release(&line);
}

void text_compare_add_side(const char *title, const struct compare_side *s, struct buf *out)
{
	buf_addz(out, title);
	text_compare_add_sources(s, out);
	if (s->time_ns)
		time_add_local(out, s->time_ns, ", " TIME_SPACED " %Z");
	if (s->duration_ns) {
		buf_addz(out, ", ");
		unit_add_label(out, s->duration_ns, "ns", "auto");
	}
	add_metadata("host ", s->host, SIZE_MAX, out);
	add_metadata("", s->file, SIZE_MAX, out);
	add_metadata("build id ", s->build_id, BUILD_ID_SHOWN, out);
	buf_add(out, "\n", 1);
	text_add_traffic(s->traffic, &s->builds, "               ", out);
}

void text_compare_add_value(const struct head *h, int64_t value, bool with_sign, struct buf *out)
{
	if (with_sign && report_value(h, value) > 0)
		buf_addz(out, "+");
	report_add_grouped_value(h, value, out);
}

size_t text_compare_width(const struct report *r, uint32_t col, bool with_sign, size_t min_width)
{
	const struct table *t = &r->table;
	struct buf text = { 0 };

	for (uint32_t row = 0; row < t->n_rows; row++) {
		size_t n;

		text.len = 0;
		text_compare_add_value(&r->head, t->cell[(size_t)row * t->n_cols + col].value, with_sign, &text);
		n = utf8_count(buf_text(&text), text.len);
		min_width = n > min_width ? n : min_width;
	}
	buf_release(&text);
	return min_width;
}

void text_compare_add_percent(double percent, struct buf *out)
{
	if (percent == 0)
		buf_addz(out, "0%");
	else if (fabs(percent) < 99.995)
		buf_addf(out, "%+.2f%%", percent);
	else if (fabs(percent) < 999.95)
		buf_addf(out, "%+.1f%%", percent);
	else
		buf_addf(out, "%+.0f%%", percent);
}

void text_compare_add_total(const struct head *h, struct buf *out)
{
	int64_t before = h->compare->before.total, after = h->compare->after.total;

	assert(h->compare);
	buf_addz(out, "Total: ");
	text_compare_add_value(h, before, false, out);
	buf_addz(out, " -> ");
	text_compare_add_value(h, after, false, out);
	buf_addz(out, ", ");
	text_compare_add_value(h, after - before, true, out); /* totals are not negative */
	if (before) {
		buf_addz(out, " (");
		text_compare_add_percent(((double)after - (double)before) / (double)before * 100, out);
		buf_addz(out, ")");
	}
}

void text_compare_add_right(const struct buf *text, size_t width, struct buf *out)
{
	size_t n = utf8_count(buf_text(text), text->len);

	buf_fill(out, ' ', n < width ? width - n + 1 : 1);
	buf_add(out, buf_text(text), text->len);
}

void text_compare_add_title(const char *text, size_t width, struct buf *out)
{
	const struct buf title = { .data = (char *)(uintptr_t)text, .len = strlen(text) };

	text_compare_add_right(&title, width, out);
}

void text_compare_add_cell(const struct head *h, const struct column *c, const union cell *cell, size_t width,
			   struct buf *out)
{
	struct buf text = { 0 };

	switch (c->kind) {
	case CELL_VALUE:
		text_compare_add_value(h, cell->value, false, &text);
		break;
	case CELL_RATIO:
		unit_add_share(&text, fabs(cell->real));
		break;
	case CELL_CHANGE:
		if (!isnan(cell->real))
			text_compare_add_percent(cell->real, &text);
		break;
	case CELL_PERCENT:
		unit_add_percent(&text, cell->value, h->total);
		break;
	case CELL_COUNT:
		buf_addf(&text, "%" PRId64, cell->value);
		break;
	case CELL_NAME:
	case CELL_NOTE:
	case CELL_WORD:
		text_compare_add_safe(cell->text, &text);
		break;
	}
	text_compare_add_right(&text, width, out);
	buf_release(&text);
}

void text_compare_add_change(int64_t before, int64_t after, double percent, const char *state, size_t width,
			     struct buf *out)
{
	struct buf text = { 0 };

	if (before == 0 && after == 0)
		buf_addz(&text, "-");
	else if (strcmp(state, "new") == 0 || strcmp(state, "gone") == 0)
		buf_addz(&text, state);
	else if (isnan(percent))
		buf_addz(&text, "from 0");
	else
		text_compare_add_percent(percent, &text);
	text_compare_add_right(&text, width, out);
	buf_release(&text);
}

void text_compare_add_color(bool color, int64_t change, struct buf *out)
{
	if (color && change)
		buf_addz(out, change > 0 ? STYLE_GREW : STYLE_SHRANK);
}

void text_compare_end_color(bool color, int64_t change, struct buf *out)
{
	if (color && change)
		buf_addz(out, STYLE_END);
}
