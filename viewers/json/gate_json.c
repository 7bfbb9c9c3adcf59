/*
 * gate_json.c - the result of a gate as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All fields are present unless nothing was decided. Unknown values are null, not omitted.
 */
#include "config.h"

#include "base/jsonw.h"
#include "viewers/json/report_json.h"

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

/* Add a number; null if it is 0, which means unknown. */
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

static void gate_json_add_options(struct json *j, const struct gate_options *options)
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

static void gate_json_add_side(struct json *j, const char *key, const struct gate_side *s)
{
	jsonw_open_key(j, key, '{');
	jsonw_add_int(j, "profiles", s->n_files);
	jsonw_add_texts(j, "sources", s->source, s->n_files);
	jsonw_add_number(j, "samples", s->samples);
	jsonw_add_number(j, "total", s->value);
	add_positive_int(j, "period", s->period);
	add_positive(j, "duration_ns", nearbyint(s->seconds * 1e9));
	jsonw_add_number(j, "preempted_share", s->preempted);
	jsonw_add_number(j, "busy_share", s->busy);
	add_known(j, "build_id", s->build_id);
	add_known(j, "host", s->host);
	json_add_traffic(j, s->traffic, &s->builds);
	jsonw_close(j, '}');
}

static void gate_json_add_row(struct json *j, const struct gate_row *r)
{
	jsonw_add_text(j, "verdict", gate_verdict_key(r->verdict));
	jsonw_add_text(j, "kind", gate_kind_word(r->kind));
	jsonw_add_text(j, "name", r->name);
	jsonw_add_texts(j, "aliases", r->alias, r->n_aliases);
	add_known(j, "name_before", r->old_name);
	add_known(j, "file", r->file);
	add_positive_int(j, "line", r->line);
	jsonw_add_number(j, "before", r->value[SIDE_BASE]);
	jsonw_add_number(j, "after", r->value[SIDE_NEW]);
	jsonw_add_number(j, "samples_before", r->count[SIDE_BASE]);
	jsonw_add_number(j, "samples_after", r->count[SIDE_NEW]);
	jsonw_add_number(j, "share_before", r->share[SIDE_BASE]);
	jsonw_add_number(j, "share_after", r->share[SIDE_NEW]);
	jsonw_add_number(j, "ratio", r->ratio);
	jsonw_add_number(j, "ratio_low", r->lo);
	jsonw_add_number(j, "ratio_high", r->hi);
	jsonw_add_number(j, "p", r->p);
	jsonw_add_number(j, "p_adjusted", r->p_adjusted);
	jsonw_add_number(j, "limit", r->limit);
	jsonw_add_number(j, "dispersion", r->dispersion);
	add_known(j, "reason", r->reason);
}

/* Open an object on a single line. Returns the state for close_line. */
static bool gate_json_open_line(struct json *j)
{
	bool tight = j->is_one_line;

	jsonw_open(j, '{');
	j->is_one_line = true;
	return tight;
}

static void close_line(struct json *j, bool tight)
{
	jsonw_close(j, '}');
	j->is_one_line = tight;
}

static void gate_json_add_rows(struct json *j, const struct gate *g)
{
	jsonw_open_key(j, "verdict_counts", '{');
	for (int v = 0; v < N_GATE_VERDICTS; v++)
		jsonw_add_int(j, gate_verdict_key((enum gate_verdict)v), g->n_verdict[v]);
	jsonw_close(j, '}');
	jsonw_open_key(j, "rows", '[');
	for (uint32_t i = 0; i < g->n_rows; i++) {
		bool tight = gate_json_open_line(j);

		gate_json_add_row(j, &g->row[i]);
		close_line(j, tight);
	}
	jsonw_close(j, ']');
}

static void gate_json_add_renames(struct json *j, const struct gate *g)
{
	jsonw_open_key(j, "renames", '[');
	for (uint32_t i = 0; i < g->n_renames; i++) {
		bool tight = gate_json_open_line(j);

		jsonw_add_text(j, "from", g->rename[i].from);
		jsonw_add_text(j, "to", g->rename[i].to);
		jsonw_add_number(j, "ratio", g->rename[i].ratio);
		jsonw_add_bool(j, "explicit", g->rename[i].is_explicit);
		close_line(j, tight);
	}
	jsonw_close(j, ']');
}

static void gate_json_add_messages(struct json *j, const char *key, const struct gate_message *m, uint32_t n)
{
	jsonw_open_key(j, key, '[');
	for (uint32_t i = 0; i < n; i++) {
		bool tight = gate_json_open_line(j);

		jsonw_add_text(j, "id", m[i].id);
		jsonw_add_text(j, "text", m[i].text);
		close_line(j, tight);
	}
	jsonw_close(j, ']');
}

static void add_power(struct json *j, const struct gate *g)
{
	bool tight;

	jsonw_open_key(j, "power", '[');
	for (uint32_t i = 0; i < g->n_power; i++) {
		tight = gate_json_open_line(j);
		jsonw_add_number(j, "share", g->power[i].share);
		jsonw_add_number(j, "detectable_change", g->power[i].ratio - 1);
		close_line(j, tight);
	}
	jsonw_close(j, ']');
	jsonw_key(j, "need");
	tight = gate_json_open_line(j);
	jsonw_add_number(j, "share", g->need_share);
	jsonw_add_number(j, "ratio", g->need_ratio);
	add_positive(j, "samples", g->need_samples);
	add_positive(j, "seconds", g->need_seconds);
	jsonw_add_bool(j, "needs_replicates", isinf(g->need_samples));
	close_line(j, tight);
}

/* Add the fields of a result that is not an error. */
static void add_answer(struct json *j, const struct gate *g)
{
	add_known(j, "missing", g->missing);
	gate_json_add_options(j, g->options);
	json_add_sample_type(j, g->type, g->unit);
	add_known(j, "period_unit", g->period_unit);
	gate_json_add_side(j, "base", &g->side[SIDE_BASE]);
	gate_json_add_side(j, "new", &g->side[SIDE_NEW]);
	jsonw_add_number(j, "total_ratio", g->total_ratio);
	jsonw_add_int(j, "tested_rows", g->n_tests);
	gate_json_add_rows(j, g);
	gate_json_add_renames(j, g);
	gate_json_add_messages(j, "notes", g->note, g->n_notes);
	add_power(j, g);
	gate_json_add_messages(j, "warnings", g->warning, g->n_warnings);
}

void json_draw_gate(const struct gate *g, struct buf *out)
{
	static const char *const verdict[] = { [GATE_PASS] = "pass",
					       [GATE_FAILED] = "fail",
					       [GATE_INCONCLUSIVE] = "inconclusive",
					       [GATE_ERROR] = "error" };
	struct json j = { .out = out };

	assert(g && out);
	jsonw_open(&j, '{');
	jsonw_add_int(&j, "schema_version", JSON_SCHEMA_VERSION);
	jsonw_add_text(&j, "report", "gate");
	jsonw_add_text(&j, "verdict", verdict[g->outcome]);
	jsonw_add_int(&j, "exit_status", g->status);
	if (g->outcome == GATE_ERROR)
		jsonw_add_text(&j, "error", g->error);
	else
		add_answer(&j, g);
	jsonw_close(&j, '}');
	buf_add(out, "\n", 1);
}
