/*
 * render.c - the older requests of Pyroscope: /pyroscope/render, render-diff, label-values
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From pkg/querier/http.go and pkg/og/structs/flamebearer of Pyroscope: the flame graph is JSON of the format "flamebearer".
 */
#include "config.h"

#include "front/grafana/grafana_int.h"

#include "base/amount.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/time.h"
#include "base/url_escape.h"
#include "formats/pprof/cursor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TIMELINE_POINTS = 1500, TIMELINE_STEP_MS = 15000 };

/* ---- parameters ---- */

/* Read a parameter, unescaped. Returns "" if there is none. */
static const char *render_field(struct grafana_call *c, const char *query, const char *name)
{
	size_t n_name = strlen(name);
	struct buf text = { 0 };

	for (const char *at = query; *at;) {
		size_t n = strcspn(at, "&");

		if (n > n_name && strncmp(at, name, n_name) == 0 && at[n_name] == '=') {
			if (!url_unescape(at + n_name + 1, n - n_name - 1, URL_QUERY, &text))
				text.len = 0;
			return arena_move(c->request.memory, &text);
		}
		at += n + (at[n] == '&');
	}
	return "";
}

/* Parse a time: Unix time in s, ms, us or ns, by its digits, or now-1h. "" is now. */
static int render_time(struct grafana_call *c, const char *text, int64_t *out_ms)
{
	int64_t now = clock_wall_ns() / NS_PER_MS, duration = 0;
	size_t digits = strspn(text, "0123456789");
	long long v;

	if (digits && !text[digits] && digits <= 19) {
		v = strtoll(text, NULL, 10);
		*out_ms = digits == 13   ? v
			  : digits == 16 ? v / 1000
			  : digits == 19 ? v / NS_PER_MS
			  : digits < 13  ? v * 1000
					 : 0;
		return *out_ms || v == 0 ? 0 : grafana_refuse(c, GRAFANA_BAD, "not a time: %.50s", text);
	}
	*out_ms = now;
	if (!*text || strcmp(text, "now") == 0)
		return 0;
	if (!starts_with(text, "now-") || !amount_scan_duration(text + 4, &duration))
		return grafana_refuse(c, GRAFANA_BAD, "not a time: %.50s; Unix time or now-1h is expected", text);
	*out_ms = now - duration / NS_PER_MS;
	return 0;
}

/* Fill in the selection of the parameters PREFIXquery, PREFIXfrom and PREFIXuntil. */
static int render_read(struct grafana_call *c, const char *query, const char *const name[3], struct pyro_request *r)
{
	const char *text = render_field(c, query, name[0]), *nodes = render_field(c, query, "maxNodes");
	size_t n = strcspn(text, "{");
	int rc;

	if (!*text)
		return grafana_refuse(c, GRAFANA_BAD, "%s is missing: TYPE{LABEL=\"VALUE\"}", name[0]);
	r->profile_type = arena_strndup(c->request.memory, text, n);
	r->selector = text + n;
	if (!*nodes)
		nodes = render_field(c, query, "max-nodes");
	r->max_nodes = strtoll(nodes, NULL, 10);
	rc = render_time(c, render_field(c, query, name[1]), &r->start_ms);
	return rc < 0 ? rc : render_time(c, render_field(c, query, name[2]), &r->end_ms);
}

/* ---- flame graphs ---- */

static void render_add_level(struct json *j, const struct field *level)
{
	struct cursor c = { level->data, level->data + level->n, NULL };
	struct field list = { 0 };
	uint64_t v;

	jsonw_open(j, '[');
	if (cursor_field(&c, &list)) {
		struct cursor values = { list.data, list.data + list.n, NULL };

		while (values.at < values.end && cursor_varint(&values, &v))
			jsonw_int(j, (int64_t)v);
	}
	jsonw_close(j, ']');
}

static void render_add_list(struct json *j, const char *key, uint32_t number, const struct buf *flame)
{
	struct cursor c = { (const uint8_t *)flame->data, (const uint8_t *)flame->data + flame->len, NULL };
	struct field f = { 0 };

	jsonw_open_key(j, key, '[');
	while (cursor_field(&c, &f)) {
		if (f.number != number)
			continue;
		if (number == 1)
			jsonw_text(j, (const char *)f.data, f.n);
		else
			render_add_level(j, &f);
	}
	jsonw_close(j, ']');
}

static int64_t render_number(const struct buf *flame, uint32_t number)
{
	struct cursor c = { (const uint8_t *)flame->data, (const uint8_t *)flame->data + flame->len, NULL };
	struct field f = { 0 };
	int64_t v = 0;

	while (cursor_field(&c, &f))
		if (f.number == number)
			v = (int64_t)f.value;
	return v;
}

static const char *render_units(const struct pyro_type *t, int64_t *rate)
{
	static const char *const counts[] = { "inuse_objects", "alloc_objects", "goroutine", "samples" };

	*rate = 100;
	if (strcmp(t->type, "cpu") == 0) {
		*rate = NS_PER_S;
		return "samples";
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (strcmp(t->type, counts[i]) == 0)
			return "objects";
	return t->unit;
}

static int render_add_flame(struct grafana_call *c, struct json *j, const struct grafana_tree *t, bool is_diff,
			    const char *id)
{
	struct buf flame = { 0 };
	struct pyro_type type;
	int64_t rate;
	const char *units;
	int rc = pyro_parse_id(id, c->request.memory, &type, &c->err);

	if (rc < 0)
		return rc;
	grafana_tree_put_flame(t, is_diff, &flame);
	jsonw_add_int(j, "version", 1);
	jsonw_open_key(j, "flamebearer", '{');
	render_add_list(j, "names", 1, &flame);
	render_add_list(j, "levels", 2, &flame);
	jsonw_add_int(j, "numTicks", render_number(&flame, 3));
	jsonw_add_int(j, "maxSelf", render_number(&flame, 4));
	jsonw_close(j, '}');
	units = render_units(&type, &rate);
	jsonw_open_key(j, "metadata", '{');
	jsonw_add_text(j, "format", is_diff ? "double" : "single");
	jsonw_add_text(j, "spyName", "");
	jsonw_add_int(j, "sampleRate", rate);
	jsonw_add_text(j, "units", units);
	jsonw_add_text(j, "name", type.type);
	jsonw_close(j, '}');
	if (is_diff) {
		jsonw_add_int(j, "leftTicks", render_number(&flame, 5));
		jsonw_add_int(j, "rightTicks", render_number(&flame, 6));
	}
	buf_release(&flame);
	return 0;
}

/* ---- values over time ---- */

static int render_sum_group(void *arg, const char *value, const struct grafana_points *points, const int64_t *total,
			    const bool *has)
{
	int64_t *sum = arg;

	(void)value, (void)has;
	for (uint32_t i = 0; i < points->n; i++)
		sum[i] = num_add_capped(sum[i], total[i]);
	return 0;
}

/* The step of the values: 1500 of them at most, a whole number of 15 seconds. */
static int64_t render_step_ms(const struct pyro_request *r)
{
	int64_t share = (r->end_ms - r->start_ms) / TIMELINE_POINTS;

	return (share / TIMELINE_STEP_MS + 1) * TIMELINE_STEP_MS;
}

static int render_add_timeline(struct grafana_call *c, struct json *j)
{
	struct pyro_request r = c->request;
	int64_t step = render_step_ms(&r), *sum;
	uint32_t n;
	int rc;

	r.start_ms -= r.start_ms % step;
	r.end_ms -= r.end_ms % step;
	r.step_s = (double)step / 1000;
	n = r.end_ms > r.start_ms ? (uint32_t)((r.end_ms - r.start_ms) / step) : 0;
	sum = mem_zalloc((size_t)n + 2, sizeof(*sum));
	rc = grafana_each_group(c, &r, render_sum_group, sum);
	jsonw_open_key(j, "timeline", '{');
	jsonw_add_int(j, "startTime", r.start_ms / 1000);
	jsonw_open_key(j, "samples", '[');
	for (uint32_t i = 0; i < n; i++)
		jsonw_int(j, sum[i]);
	jsonw_close(j, ']');
	jsonw_add_int(j, "durationDelta", step / 1000);
	jsonw_key(j, "watermarks");
	jsonw_raw(j, "null", 4);
	jsonw_close(j, '}');
	free(sum);
	return rc;
}

/* ---- requests ---- */

static int render_single(struct grafana_call *c, const char *query, struct buf *out)
{
	static const char *const names[] = { "query", "from", "until" };
	struct json j = { .out = out, .is_one_line = true };
	struct grafana_tree t;
	int rc = render_read(c, query, names, &c->request);

	if (rc == 0 && (*render_field(c, query, "groupBy") || strcmp(render_field(c, query, "format"), "dot") == 0))
		rc = grafana_refuse(c, GRAFANA_UNIMPLEMENTED, "this server has no groupBy and no format=dot here");
	grafana_tree_init(&t);
	rc = rc < 0 ? rc : grafana_tree_read(c, &c->request, NULL, &t);
	jsonw_open(&j, '{');
	rc = rc < 0 ? rc : render_add_flame(c, &j, &t, false, c->request.profile_type);
	rc = rc < 0 ? rc : render_add_timeline(c, &j);
	jsonw_key(&j, "groups");
	jsonw_raw(&j, "null", 4);
	jsonw_key(&j, "heatmap");
	jsonw_raw(&j, "null", 4);
	jsonw_close(&j, '}');
	grafana_tree_release(&t);
	return rc;
}

static int render_double(struct grafana_call *c, const char *query, struct buf *out)
{
	static const char *const left_names[] = { "leftQuery", "leftFrom", "leftUntil" }, *const right_names[] = {
		"rightQuery", "rightFrom", "rightUntil"
	};
	struct json j = { .out = out, .is_one_line = true };
	struct pyro_request left = c->request, right = c->request;
	struct grafana_tree t;
	int rc = render_read(c, query, left_names, &left);

	rc = rc < 0 ? rc : render_read(c, query, right_names, &right);
	if (rc == 0 && strcmp(left.profile_type, right.profile_type) != 0)
		rc = grafana_refuse(c, GRAFANA_BAD, "the profile types of both sides differ");
	grafana_tree_init(&t);
	rc = rc < 0 ? rc : grafana_tree_read(c, &left, &right, &t);
	jsonw_open(&j, '{');
	rc = rc < 0 ? rc : render_add_flame(c, &j, &t, true, left.profile_type);
	jsonw_close(&j, '}');
	grafana_tree_release(&t);
	return rc;
}

/* Values of a label, as a list; of __name__, the ids of profile types. */
static int render_values(struct grafana_call *c, const char *query, struct buf *out)
{
	struct json j = { .out = out, .is_one_line = true };
	struct cursor at;
	struct field f = { 0 };
	int rc;

	c->request.name = render_field(c, query, "label");
	if (strcmp(c->request.name, "__name__") == 0)
		c->request.name = "__profile_type__";
	rc = grafana_label_values(c);
	at = (struct cursor){ (const uint8_t *)c->out.data, (const uint8_t *)c->out.data + c->out.len, NULL };
	jsonw_open(&j, '[');
	while (rc == 0 && cursor_field(&at, &f))
		jsonw_text(&j, (const char *)f.data, f.n);
	jsonw_close(&j, ']');
	return rc;
}

bool grafana_render(struct grafana_call *c, const char *path, const char *query, struct buf *out, int *rc)
{
	if (strcmp(path, "render") == 0)
		*rc = render_single(c, query, out);
	else if (strcmp(path, "render-diff") == 0)
		*rc = render_double(c, query, out);
	else if (strcmp(path, "label-values") == 0)
		*rc = render_values(c, query, out);
	else
		return false;
	return true;
}
