/*
 * gate_json.c - the answer of a gate as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every field is always there: what is not known is null, and not left out.
 */
#include "config.h"

#include "viewers/json/gate_json.h"

#include "base/jsonw.h"

#include <assert.h>
#include <math.h>

static void add_known(struct json *j, const char *key, const char *text)
{
	jsonw_key(j, key);
	if (*text)
		jsonw_textz(j, text);
	else
		jsonw_raw(j, "null", 4);
}

/* What is 0 when it is not known. */
static void add_positive(struct json *j, const char *key, double v)
{
	jsonw_add_number(j, key, v > 0 ? v : NAN);
}

static void add_positive_int(struct json *j, const char *key, int64_t v)
{
	if (v > 0)
		jsonw_add_int(j, key, v);
	else
		jsonw_add_number(j, key, NAN);
}

static void add_flag(struct json *j, const char *key, bool v)
{
	jsonw_key(j, key);
	jsonw_bool(j, v);
}

static void add_options(struct json *j, const struct gate_options *options)
{
	static const char *const adjust[] = { [STATS_HOLM] = "holm", [STATS_BH] = "bh", [STATS_UNADJUSTED] = "none" };

	jsonw_add_number(j, "threshold", options->threshold);
	jsonw_add_number(j, "confidence", options->confidence);
	jsonw_add_text(j, "evidence", options->strict ? "threshold" : "change");
	jsonw_add_text(j, "normalize", gate_normalize_word(options->normalize));
	jsonw_add_text(j, "adjust", adjust[options->adjust]);
	jsonw_add_int(j, "look", options->look);
	jsonw_add_int(j, "looks", options->looks);
}

static void add_side(struct json *j, const char *key, const struct gate_side *s)
{
	jsonw_key(j, key);
	jsonw_open(j, '{');
	jsonw_add_int(j, "files", s->n_files);
	jsonw_key(j, "sources");
	jsonw_open(j, '[');
	for (uint32_t i = 0; i < s->n_files; i++)
		jsonw_textz(j, s->source[i]);
	jsonw_close(j, ']');
	jsonw_add_number(j, "samples", s->samples);
	jsonw_add_number(j, "value", s->value);
	add_positive_int(j, "period", s->period);
	add_positive(j, "duration_ns", nearbyint(s->seconds * 1e9));
	jsonw_add_number(j, "preempted_share", s->preempted);
	add_known(j, "build_id", s->build_id);
	add_known(j, "host", s->host);
	jsonw_close(j, '}');
}

static void add_row(struct json *j, const struct gate_row *r)
{
	jsonw_add_text(j, "verdict", gate_verdict_key(r->verdict));
	jsonw_add_text(j, "kind", gate_kind_word(r->kind));
	jsonw_add_text(j, "name", r->name);
	jsonw_key(j, "aliases");
	jsonw_open(j, '[');
	for (uint32_t i = 0; i < r->n_aliases; i++)
		jsonw_textz(j, r->alias[i]);
	jsonw_close(j, ']');
	add_known(j, "was", r->was);
	add_known(j, "file", r->file);
	add_positive_int(j, "line", r->line);
	jsonw_add_number(j, "base_value", r->value[STATS_BASE]);
	jsonw_add_number(j, "new_value", r->value[STATS_NEW]);
	jsonw_add_number(j, "base_samples", r->count[STATS_BASE]);
	jsonw_add_number(j, "new_samples", r->count[STATS_NEW]);
	jsonw_add_number(j, "base_share", r->share[STATS_BASE]);
	jsonw_add_number(j, "new_share", r->share[STATS_NEW]);
	jsonw_add_number(j, "ratio", r->ratio);
	jsonw_add_number(j, "lo", r->lo);
	jsonw_add_number(j, "hi", r->hi);
	jsonw_add_number(j, "p", r->p);
	jsonw_add_number(j, "p_adjusted", r->p_adjusted);
	jsonw_add_number(j, "limit", r->limit);
	jsonw_add_number(j, "dispersion", r->phi);
	add_known(j, "reason", r->reason);
}

/* Open an object that stands on one line; close it with what it gave. */
static bool open_line(struct json *j)
{
	bool tight = j->tight;

	jsonw_open(j, '{');
	j->tight = true;
	return tight;
}

static void close_line(struct json *j, bool tight)
{
	jsonw_close(j, '}');
	j->tight = tight;
}

static void add_rows(struct json *j, const struct gate *g)
{
	jsonw_key(j, "counts");
	jsonw_open(j, '{');
	for (int v = 0; v < N_GATE_VERDICTS; v++)
		jsonw_add_int(j, gate_verdict_key((enum gate_verdict)v), g->n_verdict[v]);
	jsonw_close(j, '}');
	jsonw_key(j, "rows");
	jsonw_open(j, '[');
	for (uint32_t i = 0; i < g->n_rows; i++) {
		bool tight = open_line(j);

		add_row(j, &g->row[i]);
		close_line(j, tight);
	}
	jsonw_close(j, ']');
}

static void add_renames(struct json *j, const struct gate *g)
{
	jsonw_key(j, "renames");
	jsonw_open(j, '[');
	for (uint32_t i = 0; i < g->n_renames; i++) {
		bool tight = open_line(j);

		jsonw_add_text(j, "from", g->rename[i].from);
		jsonw_add_text(j, "to", g->rename[i].to);
		jsonw_add_number(j, "ratio", g->rename[i].ratio);
		add_flag(j, "asked", g->rename[i].is_asked);
		close_line(j, tight);
	}
	jsonw_close(j, ']');
}

static void add_messages(struct json *j, const char *key, const struct gate_message *m, uint32_t n)
{
	jsonw_key(j, key);
	jsonw_open(j, '[');
	for (uint32_t i = 0; i < n; i++) {
		bool tight = open_line(j);

		jsonw_add_text(j, "id", m[i].id);
		jsonw_add_text(j, "text", m[i].text);
		close_line(j, tight);
	}
	jsonw_close(j, ']');
}

static void add_power(struct json *j, const struct gate *g)
{
	bool tight;

	jsonw_key(j, "power");
	jsonw_open(j, '[');
	for (uint32_t i = 0; i < g->n_power; i++) {
		tight = open_line(j);
		jsonw_add_number(j, "share", g->power[i].share);
		jsonw_add_number(j, "mde", g->power[i].ratio - 1);
		close_line(j, tight);
	}
	jsonw_close(j, ']');
	jsonw_key(j, "need");
	tight = open_line(j);
	jsonw_add_number(j, "share", g->need_share);
	jsonw_add_number(j, "ratio", g->need_ratio);
	add_positive(j, "samples", g->need_samples);
	add_positive(j, "seconds", g->need_seconds);
	add_flag(j, "needs_replicates", isinf(g->need_samples));
	close_line(j, tight);
}

void json_draw_gate(const struct gate *g, struct buf *out)
{
	static const char *const verdict[] = {
		[GATE_PASS] = "pass", [GATE_RED] = "fail", [GATE_INCONCLUSIVE] = "inconclusive"
	};
	struct json j = { .out = out };

	assert(g && out);
	jsonw_open(&j, '{');
	jsonw_add_text(&j, "schema", GATE_JSON_SCHEMA);
	jsonw_add_text(&j, "verdict", verdict[g->outcome]);
	jsonw_add_int(&j, "exit", g->status);
	add_options(&j, g->options);
	jsonw_add_text(&j, "type", g->type);
	jsonw_add_text(&j, "unit", g->unit);
	add_known(&j, "period_unit", g->period_unit);
	add_side(&j, "base", &g->side[STATS_BASE]);
	add_side(&j, "new", &g->side[STATS_NEW]);
	jsonw_add_number(&j, "total_ratio", g->total_ratio);
	jsonw_add_int(&j, "tests", g->n_tests);
	add_rows(&j, g);
	add_renames(&j, g);
	add_messages(&j, "notes", g->note, g->n_notes);
	add_power(&j, g);
	add_messages(&j, "warnings", g->warning, g->n_warnings);
	jsonw_close(&j, '}');
	buf_add(out, "\n", 1);
}
