/*
 * compare_json.c - what a comparison says besides its table, as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/json/compare_json.h"

#include "viewers/json/report_json.h"

#include <string.h>
#include <time.h>

static void add_real(struct json *j, const char *key, double v)
{
	jsonw_key(j, key);
	jsonw_real(j, v);
}

static void add_bool(struct json *j, const char *key, bool v)
{
	jsonw_key(j, key);
	jsonw_bool(j, v);
}

static void add_side(struct json *j, const char *key, const struct head *h, const struct compare_side *s)
{
	jsonw_key(j, key);
	jsonw_open(j, '{');
	jsonw_key(j, "sources");
	jsonw_open(j, '[');
	for (size_t i = 0; i < s->n_sources; i++)
		jsonw_textz(j, s->source[i]);
	jsonw_close(j, ']');
	if (*s->file)
		jsonw_add_text(j, "file", s->file);
	if (*s->build_id)
		jsonw_add_text(j, "build_id", s->build_id);
	if (*s->host)
		jsonw_add_text(j, "host", s->host);
	if (s->time_ns)
		json_add_time(j, s->time_ns);
	if (s->duration_ns)
		jsonw_add_int(j, "duration_ns", s->duration_ns);
	jsonw_add_int(j, "total", report_value(h, s->total));
	jsonw_close(j, '}');
}

static void add_renames(struct json *j, const struct compare *c)
{
	jsonw_key(j, "renames");
	jsonw_open(j, '[');
	for (uint32_t i = 0; i < c->n_renames; i++) {
		const struct compare_rename *r = &c->rename[i];

		jsonw_open(j, '{');
		jsonw_add_text(j, "from", r->from);
		jsonw_add_text(j, "to", r->to);
		add_real(j, "cum_share_before", r->share_before);
		add_real(j, "cum_share_after", r->share_after);
		add_bool(j, "same_callers", r->same_callers);
		add_bool(j, "same_callees", r->same_callees);
		add_bool(j, "similar_name", r->near_name);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
}

static void add_diff(struct json *j, const struct head *h)
{
	const struct compare *c = h->compare;

	add_side(j, "before", h, &c->before);
	add_side(j, "after", h, &c->after);
	jsonw_add_text(j, "normalize", c->normalize);
	add_real(j, "factor", c->factor);
	jsonw_add_text(j, "sorted_by", c->by_cum ? "cum" : "flat");
	add_real(j, "matched_before", c->matched_before);
	add_real(j, "matched_after", c->matched_after);
	jsonw_add_int(j, "left_out_rows", c->n_left_out);
	jsonw_add_int(j, "left_out_grew", report_value(h, c->left_out_grew));
	jsonw_add_int(j, "left_out_shrank", report_value(h, c->left_out_shrank));
	add_renames(j, c);
}

static void add_trend(struct json *j, const struct head *h)
{
	const struct compare *c = h->compare;

	add_side(j, "first", h, &c->before);
	add_side(j, "last", h, &c->after);
	jsonw_add_int(j, "profiles", (int64_t)c->n_profiles);
	jsonw_add_text(j, "normalize", c->normalize);
	jsonw_add_text(j, "measure", c->by_cum ? "cum" : "flat");
	add_bool(j, "grown_only", !c->all);
	jsonw_add_int(j, c->has_times ? "total_slope_per_hour" : "total_slope_per_step",
		      report_value(h, c->total_slope));
}

void json_compare(struct json *j, const struct head *h)
{
	jsonw_key(j, "comparison");
	jsonw_open(j, '{');
	if (strcmp(h->command, "diff") == 0)
		add_diff(j, h);
	else
		add_trend(j, h);
	jsonw_close(j, '}');
}
