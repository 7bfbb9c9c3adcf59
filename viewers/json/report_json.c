/*
 * report_json.c - a report as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/json/report_json.h"

#include "base/jsonw.h"
#include "base/unit.h"
#include "viewers/json/compare_json.h"

#include <string.h>
#include <time.h>

static void add_text(struct json *j, const char *key, const char *text)
{
	if (*text)
		jsonw_add_text(j, key, text);
}

void json_add_time(struct json *j, int64_t time_ns)
{
	time_t s = (time_t)(time_ns / 1000000000 - (time_ns % 1000000000 < 0));
	struct tm tm;
	char text[80];

	if (gmtime_r(&s, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		add_text(j, "time", text);
	jsonw_add_int(j, "time_ns", time_ns);
}

static void add_profile(struct json *j, const struct head *h)
{
	jsonw_key(j, "profile");
	jsonw_open(j, '{');
	add_text(j, "file", h->file);
	add_text(j, "build_id", h->build_id);
	add_text(j, "doc_url", h->doc_url);
	if (h->time_ns)
		json_add_time(j, h->time_ns);
	if (h->duration_ns)
		jsonw_add_int(j, "duration_ns", h->duration_ns);
	jsonw_key(j, "comments");
	jsonw_open(j, '[');
	for (uint32_t i = 0; i < h->n_comments; i++)
		jsonw_textz(j, h->comment[i]);
	jsonw_close(j, ']');
	jsonw_close(j, '}');
}

static void add_filters(struct json *j, const struct head *h)
{
	jsonw_key(j, "filters");
	jsonw_open(j, '{');
	for (uint32_t i = 0; i < h->n_filters; i++) {
		jsonw_key(j, h->filter[i].name);
		if (h->filter[i].value)
			jsonw_textz(j, h->filter[i].value);
		else
			jsonw_bool(j, true);
	}
	jsonw_close(j, '}');
}

static void add_cell(struct json *j, const struct head *h, const struct column *c, const union cell *cell)
{
	jsonw_key(j, c->key);
	switch (c->kind) {
	case CELL_VALUE:
		jsonw_int(j, report_value(h, cell->value));
		break;
	case CELL_PERCENT:
		jsonw_real(j, unit_percent(cell->value, h->total));
		break;
	case CELL_NAME:
		jsonw_textz(j, cell->text);
		break;
	case CELL_WORD:
		jsonw_textz(j, cell->text);
		break;
	case CELL_RATIO:
	case CELL_CHANGE:
		jsonw_real(j, cell->real);
		break;
	case CELL_COUNT:
		jsonw_int(j, cell->value);
		break;
	case CELL_NOTE: /* the text viewers show it in parentheses */
		jsonw_text(j, cell->text + 1 - !*cell->text, *cell->text ? strlen(cell->text) - 2 : 0);
		break;
	}
}

static void add_row(struct json *j, const struct report *r, uint32_t row)
{
	const struct table *t = &r->table;

	if (t->role)
		add_text(j, "role", report_role(t, row));
	for (uint32_t c = 0; c < t->n_cols; c++)
		if (report_has(t, row, c))
			add_cell(j, &r->head, &t->col[c], &t->cell[(size_t)row * t->n_cols + c]);
}

static void add_rows(struct json *j, const struct report *r)
{
	const struct table *t = &r->table;

	jsonw_key(j, "rows");
	jsonw_open(j, '[');
	for (uint32_t i = 0; i < t->n_rows; i++) {
		bool tight = j->tight;

		jsonw_open(j, '{');
		j->tight = true;
		add_row(j, r, i);
		jsonw_close(j, '}');
		j->tight = tight;
	}
	jsonw_close(j, ']');
}

void json_add_head(struct json *j, const struct head *h)
{
	jsonw_add_int(j, "schema_version", JSON_SCHEMA_VERSION);
	add_text(j, "report", h->command);
	jsonw_key(j, "type");
	jsonw_textz(j, h->type);
	jsonw_key(j, "unit");
	jsonw_textz(j, h->unit);
	jsonw_add_int(j, "total", report_value(h, h->total));
	if (!h->is_whole) {
		jsonw_add_int(j, "shown", report_value(h, h->shown));
		jsonw_add_int(j, "rows_dropped", h->n_dropped);
		jsonw_add_int(j, "rows_before_limit", h->n_before);
	}
	add_filters(j, h);
	add_profile(j, h);
}

void json_draw(const struct report *r, struct buf *out)
{
	struct json j = { .out = out };

	jsonw_open(&j, '{');
	json_add_head(&j, &r->head);
	if (r->head.compare)
		json_compare(&j, &r->head);
	add_rows(&j, r);
	jsonw_close(&j, '}');
	buf_add(out, "\n", 1);
}
