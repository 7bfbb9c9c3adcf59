/*
 * report_json.c - a report as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/json/report_json.h"

#include "base/buf.h"
#include "base/jsonw.h"
#include "base/time.h"
#include "base/unit.h"
#include "report/report.h"
#include "report/over_time.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void json_add_traffic(struct json *j, const struct side_traffic *t, const struct side_builds *b)
{
	if (b->n)
		jsonw_add_texts(j, "builds", b->id, b->n);
	if (!t)
		return;
	jsonw_open_key(j, "stored", '{');
	jsonw_add_int(j, "profiles", (int64_t)t->profiles);
	jsonw_add_int(j, "instances", t->instances);
	jsonw_add_int(j, "covered_ns", t->covered_ns);
	jsonw_add_int(j, "samples", (int64_t)t->samples);
	jsonw_add_texts(j, "versions", t->version, t->n_versions);
	jsonw_close(j, '}');
}

static void report_json_add_side(struct json *j, const char *key, const struct head *h, const struct compare_side *s)
{
	jsonw_open_key(j, key, '{');
	jsonw_add_texts(j, "sources", s->source, s->n_sources);
	if (*s->file)
		jsonw_add_text(j, "program", s->file);
	if (*s->build_id)
		jsonw_add_text(j, "build_id", s->build_id);
	if (*s->host)
		jsonw_add_text(j, "host", s->host);
	if (s->time_ns)
		json_add_time(j, s->time_ns);
	if (s->duration_ns)
		jsonw_add_int(j, "duration_ns", s->duration_ns);
	jsonw_add_int(j, "total", report_value(h, s->total));
	json_add_traffic(j, s->traffic, &s->builds);
	jsonw_close(j, '}');
}

static void report_json_add_renames(struct json *j, const struct compare *c)
{
	jsonw_open_key(j, "renames", '[');
	for (uint32_t i = 0; i < c->n_renames; i++) {
		const struct compare_rename *r = &c->rename[i];

		jsonw_open(j, '{');
		jsonw_add_text(j, "from", r->from);
		jsonw_add_text(j, "to", r->to);
		jsonw_add_real(j, "cum_percent_before", r->share_before);
		jsonw_add_real(j, "cum_percent_after", r->share_after);
		jsonw_add_bool(j, "same_callers", r->same_callers);
		jsonw_add_bool(j, "same_callees", r->same_callees);
		jsonw_add_bool(j, "similar_name", r->similar_name);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
}

static void add_diff(struct json *j, const struct head *h)
{
	const struct compare *c = h->compare;

	report_json_add_side(j, "base", h, &c->before);
	report_json_add_side(j, "new", h, &c->after);
	jsonw_add_text(j, "normalize", c->normalize);
	jsonw_add_real(j, "factor", c->factor);
	jsonw_add_text(j, "sorted_by", c->by_cum ? "cum" : "flat");
	jsonw_add_real(j, "matched_percent_before", c->matched_before);
	jsonw_add_real(j, "matched_percent_after", c->matched_after);
	jsonw_add_int(j, "omitted_rows", c->n_omitted);
	jsonw_add_int(j, "omitted_increase", report_value(h, c->omitted_increase));
	jsonw_add_int(j, "omitted_decrease", report_value(h, c->omitted_decrease));
	report_json_add_renames(j, c);
}

/* Add a limit of an interval, in the unit of the report; null where it is open. */
static void add_limit(struct json *j, const char *key, const struct head *h, double value)
{
	jsonw_add_real(j, key, isfinite(value) ? value * h->ratio : NAN);
}

/* Add what the total shows over time. */
static void report_json_add_over_time(struct json *j, const struct head *h, const struct over_time *time)
{
	static const char *const cycles[] = {
		[TREND_CYCLE_NONE] = "none", [TREND_CYCLE_HOURS] = "hours", [TREND_CYCLE_WEEKENDS] = "weekends"
	};
	const struct over_time_change *c = &time->total;

	jsonw_open_key(j, "over_time", '{');
	jsonw_add_int(j, "steps", time->n_steps);
	jsonw_add_int(j, "step_ns", time->step_ns);
	jsonw_add_int(j, "left_out", time->n_left_out);
	jsonw_add_text(j, "cycle", cycles[time->cycle]);
	jsonw_add_int(j, "tested_functions", time->n_tested);
	jsonw_add_text(j, "change", over_time_change_word(c));
	jsonw_add_real(j, "p", c->found.p);
	add_limit(j, "slope_per_day", h, c->found.slope);
	add_limit(j, "slope_per_day_low", h, c->found.slope_lo);
	add_limit(j, "slope_per_day_high", h, c->found.slope_hi);
	add_limit(j, "detectable", h, c->found.detectable);
	if (c->at) {
		jsonw_add_int(j, "since_ns", c->at);
		jsonw_add_int(j, "since_earliest_ns", c->at_lo);
		jsonw_add_int(j, "since_latest_ns", c->at_hi);
		add_limit(j, "before", h, c->found.before);
		add_limit(j, "after", h, c->found.after);
	}
	if (time->advice_ns)
		jsonw_add_int(j, "advised_step_ns", time->advice_ns);
	jsonw_close(j, '}');
}

static void add_trend(struct json *j, const struct head *h)
{
	const struct compare *c = h->compare;

	report_json_add_side(j, "first", h, &c->before);
	report_json_add_side(j, "last", h, &c->after);
	jsonw_add_int(j, "profiles", (int64_t)c->n_profiles);
	jsonw_add_text(j, "normalize", c->normalize);
	jsonw_add_text(j, "measure", c->by_cum ? "cum" : "flat");
	jsonw_add_bool(j, "grown_only", !c->all);
	jsonw_add_int(j, c->has_times ? "total_slope_per_hour" : "total_slope_per_step",
		      report_value(h, c->total_slope));
	if (c->time)
		report_json_add_over_time(j, h, c->time);
}

/* Add the key "comparison" and its object. */
static void report_json_add_comparison(struct json *j, const struct head *h)
{
	assert(h->compare);
	jsonw_open_key(j, "comparison", '{');
	if (h->compare->is_series)
		add_trend(j, h);
	else
		add_diff(j, h);
	jsonw_close(j, '}');
}

static void report_json_add_text(struct json *j, const char *key, const char *text)
{
	if (*text)
		jsonw_add_text(j, key, text);
}

void json_add_time(struct json *j, int64_t time_ns)
{
	struct buf text = { 0 };

	time_add_utc(&text, time_ns, TIME_ISO);
	report_json_add_text(j, "time", buf_text(&text));
	jsonw_add_int(j, "time_ns", time_ns);
	buf_release(&text);
}

static void report_json_add_profile(struct json *j, const struct head *h)
{
	jsonw_open_key(j, "profile", '{');
	report_json_add_text(j, "program", h->file);
	report_json_add_text(j, "build_id", h->build_id);
	report_json_add_text(j, "doc_url", h->doc_url);
	if (h->time_ns)
		json_add_time(j, h->time_ns);
	if (h->duration_ns)
		jsonw_add_int(j, "duration_ns", h->duration_ns);
	jsonw_add_texts(j, "comments", h->comment, h->n_comments);
	jsonw_close(j, '}');
}

static void report_json_add_filters(struct json *j, const struct head *h)
{
	jsonw_open_key(j, "filters", '{');
	for (uint32_t i = 0; i < h->n_filters; i++) {
		jsonw_key(j, h->filter[i].name);
		if (h->filter[i].value)
			jsonw_textz(j, h->filter[i].value);
		else
			jsonw_bool(j, true);
	}
	jsonw_close(j, '}');
}

static void report_json_add_cell(struct json *j, const struct head *h, const struct column *c, const union cell *cell)
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
	case CELL_NOTE: /* without the parentheses that the text report has */
		jsonw_text(j, cell->text + 1 - !*cell->text, *cell->text ? strlen(cell->text) - 2 : 0);
		break;
	}
}

static void report_json_add_row(struct json *j, const struct report *r, uint32_t row)
{
	const struct table *t = &r->table;

	if (t->role)
		report_json_add_text(j, "role", report_role(t, row));
	for (uint32_t c = 0; c < t->n_cols; c++)
		if (report_has(t, row, c))
			report_json_add_cell(j, &r->head, &t->col[c], &t->cell[(size_t)row * t->n_cols + c]);
}

static void report_json_add_rows(struct json *j, const struct report *r)
{
	const struct table *t = &r->table;

	jsonw_open_key(j, "rows", '[');
	for (uint32_t i = 0; i < t->n_rows && !buf_is_stopped(); i++) {
		bool tight = j->is_one_line;

		jsonw_open(j, '{');
		j->is_one_line = true;
		report_json_add_row(j, r, i);
		jsonw_close(j, '}');
		j->is_one_line = tight;
	}
	jsonw_close(j, ']');
}

void json_add_sample_type(struct json *j, const char *type, const char *unit)
{
	jsonw_open_key(j, "sample_type", '{');
	jsonw_add_text(j, "type", type);
	jsonw_add_text(j, "unit", unit);
	jsonw_close(j, '}');
}

void json_add_head(struct json *j, const struct head *h)
{
	jsonw_add_int(j, "schema_version", JSON_SCHEMA_VERSION);
	report_json_add_text(j, "report", h->command);
	json_add_sample_type(j, h->type, h->unit);
	jsonw_add_int(j, "total", report_value(h, h->total));
	if (h->not_sampled)
		jsonw_add_int(j, "not_sampled", report_value(h, h->not_sampled));
	if (!h->is_whole) {
		jsonw_add_int(j, "flat_shown", report_value(h, h->shown));
		jsonw_add_int(j, "rows_dropped", h->n_dropped);
		jsonw_add_int(j, "rows_before_limit", h->n_before_limit);
	}
	report_json_add_filters(j, h);
	report_json_add_profile(j, h);
}

void json_draw(const struct report *r, struct buf *out)
{
	struct json j = { .out = out };

	jsonw_open(&j, '{');
	json_add_head(&j, &r->head);
	if (r->head.compare)
		report_json_add_comparison(&j, &r->head);
	report_json_add_rows(&j, r);
	jsonw_close(&j, '}');
	buf_add(out, "\n", 1);
}
