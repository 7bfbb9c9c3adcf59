/*
 * sarif.c - the result of a gate as SARIF 2.1.0
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The output also satisfies GitHub's code scanning. GitHub rejects a file if a result has no location, so functions
 * without a source file are located in the profile. An alert is identified by primaryLocationLineHash, which is
 * therefore a hash of name and kind, not of a line.
 */
#include "config.h"

#include "viewers/ci/ci.h"

#include "base/jsonw.h"
#include "viewers/ci/ci_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum rule { RULE_REGRESSION, RULE_SUSPECT, RULE_NEW_COST, RULE_MOVED, N_RULES, RULE_NONE = N_RULES };

/* Descriptions of rules, for readers new to the tool. */
static const struct {
	const char *id, *name, *level, *severity, *what, *help;
} rules[N_RULES] = {
	[RULE_REGRESSION] = {
		"cpa/regression", "Regression", "error", "error", "A function costs more than its limit allows",
		"Two sets of profiles were compared, function by function. This function costs more than before: the probability of a false alarm is below the configured error (1% by default, over all functions together), and the best estimate exceeds the limit. Find the cause in a differential flame graph: cpa flame -base=OLD NEW. To accept the cost, add an allow line to the file of --config.",
	},
	[RULE_SUSPECT] = {
		"cpa/suspect", "Suspect", "warning", "warning", "A function may cost more than its limit allows",
		"The best estimate exceeds the limit, but the evidence is too weak for a failure. Capture more profiles of both sides and pass all of them to the gate.",
	},
	[RULE_NEW_COST] = {
		"cpa/new-cost", "NewCost", "note", "recommendation", "A function is new",
		"The base has almost no samples of this function, so there is no ratio. If its share exceeds --max-new (5% by default), it fails if its nearest caller, or the program, grew by at least half of it.",
	},
	[RULE_MOVED] = {
		"cpa/moved", "Moved", "note", "recommendation", "Cost moved between functions",
		"This function grew by about as much as its callees shrank, which happens when code is inlined or moved. This is not a failure.",
	},
};

static enum rule rule_of(const struct gate_row *r)
{
	switch (r->verdict) {
	case GATE_FAIL:
		return r->value[SIDE_BASE] > 0 ? RULE_REGRESSION : RULE_NEW_COST;
	case GATE_SUSPECT:
		return RULE_SUSPECT;
	case GATE_NEW:
		return RULE_NEW_COST;
	case GATE_MOVED:
		return RULE_MOVED;
	default:
		return RULE_NONE;
	}
}

static void sarif_add_object(struct json *j, const char *key)
{
	jsonw_open_key(j, key, '{');
}

static void sarif_add_message(struct json *j, const char *key, const char *text)
{
	sarif_add_object(j, key);
	jsonw_add_text(j, "text", text);
	jsonw_close(j, '}');
}

/* Add a number; omitted if unknown. */
static void sarif_add_number(struct json *j, const char *key, double v)
{
	char text[40];

	if (!isfinite(v))
		return;
	jsonw_key(j, key);
	jsonw_raw(j, text, (size_t)snprintf(text, sizeof(text), "%.9g", v));
}

static void sarif_add_rule(struct json *j, enum rule i)
{
	jsonw_open(j, '{');
	jsonw_add_text(j, "id", rules[i].id);
	jsonw_add_text(j, "name", rules[i].name);
	sarif_add_message(j, "shortDescription", rules[i].what);
	sarif_add_message(j, "fullDescription", rules[i].help);
	sarif_add_message(j, "help", rules[i].help);
	sarif_add_object(j, "defaultConfiguration");
	jsonw_add_text(j, "level", rules[i].level);
	jsonw_close(j, '}');
	sarif_add_object(j, "properties");
	jsonw_open_key(j, "tags", '[');
	jsonw_textz(j, "performance");
	jsonw_close(j, ']');
	jsonw_add_text(j, "problem.severity", rules[i].severity);
	jsonw_close(j, '}');
	jsonw_close(j, '}');
}

static void add_tool(struct json *j)
{
	sarif_add_object(j, "tool");
	sarif_add_object(j, "driver");
	jsonw_add_text(j, "name", "cpa gate");
	jsonw_add_text(j, "version", PACKAGE_VERSION);
	jsonw_open_key(j, "rules", '[');
	for (int i = 0; i < N_RULES; i++)
		sarif_add_rule(j, (enum rule)i);
	jsonw_close(j, ']');
	jsonw_close(j, '}');
	jsonw_close(j, '}');
}

/* Add notes and warnings of the gate, which are not about a single function. */
static void add_notifications(struct json *j, const struct gate_message *m, uint32_t n, const char *level)
{
	for (uint32_t i = 0; i < n; i++) {
		struct buf text = { 0 };

		ci_add_name(m[i].text, 0, &text);
		jsonw_open(j, '{');
		sarif_add_object(j, "descriptor");
		jsonw_add_text(j, "id", m[i].id);
		jsonw_close(j, '}');
		jsonw_add_text(j, "level", level);
		sarif_add_message(j, "message", text.data);
		jsonw_close(j, '}');
		buf_release(&text);
	}
}

static void add_invocation(struct json *j, const struct gate *g)
{
	const struct gate_message error = { "error", g->error }, missing = { "inconclusive", g->missing };

	jsonw_open_key(j, "invocations", '[');
	jsonw_open(j, '{');
	jsonw_add_bool(j, "executionSuccessful", g->outcome != GATE_ERROR);
	jsonw_add_int(j, "exitCode", g->status);
	jsonw_open_key(j, "toolExecutionNotifications", '[');
	if (g->outcome == GATE_ERROR)
		add_notifications(j, &error, 1, "error");
	if (g->outcome == GATE_INCONCLUSIVE)
		add_notifications(j, &missing, 1, g->status ? "error" : "warning");
	add_notifications(j, g->warning, g->n_warnings, "warning");
	add_notifications(j, g->note, g->n_notes, "note");
	jsonw_close(j, ']');
	jsonw_close(j, '}');
	jsonw_close(j, ']');
}

/* Append a path, percent-encoded for a URI (RFC 3986). */
static void add_encoded(const char *path, struct buf *out)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

	for (; *path; path++)
		if (strchr(plain, *path))
			buf_add(out, path, 1);
		else
			buf_addf(out, "%%%02X", (unsigned char)*path);
}

/* Add the file of a row, or the first profile of the new side, since a location is required. */
static void add_artifact(struct json *j, const struct gate *g, const struct gate_row *r)
{
	const char *profile = g->side[SIDE_NEW].n_files ? g->side[SIDE_NEW].source[0] : "";
	struct buf path = { 0 }, uri = { 0 };
	bool is_there = ci_add_path(r->file, &path);

	if (!path.len && !strstr(profile, "://"))
		is_there = ci_add_path(profile, &path);
	if (!path.len) {
		buf_addz(&path, "profile");
		is_there = true;
	}
	if (!is_there && *path.data == '/')
		buf_addz(&uri, "file://");
	add_encoded(path.data, &uri);
	sarif_add_object(j, "artifactLocation");
	jsonw_add_text(j, "uri", uri.data);
	if (is_there)
		jsonw_add_text(j, "uriBaseId", "%SRCROOT%");
	jsonw_close(j, '}');
	buf_release(&path);
	buf_release(&uri);
}

static void sarif_add_location(struct json *j, const struct gate *g, const struct gate_row *r)
{
	jsonw_open_key(j, "locations", '[');
	jsonw_open(j, '{');
	sarif_add_object(j, "physicalLocation");
	add_artifact(j, g, r);
	sarif_add_object(j, "region");
	jsonw_add_int(j, "startLine", ci_line(*r->file ? r->line : 1));
	jsonw_close(j, '}');
	jsonw_close(j, '}');
	jsonw_open_key(j, "logicalLocations", '[');
	jsonw_open(j, '{');
	jsonw_add_text(j, "fullyQualifiedName", r->name);
	jsonw_add_text(j, "kind", r->kind == GATE_TOTAL ? "module" : "function");
	jsonw_close(j, '}');
	jsonw_close(j, ']');
	jsonw_close(j, '}');
	jsonw_close(j, ']');
}

/* Stable across machines and versions: FNV-1a, 64 bits, of name, NUL and kind. */
static uint64_t fingerprint(const struct gate_row *r)
{
	const char *part[] = { r->name, gate_kind_word(r->kind) };
	uint64_t h = 0xcbf29ce484222325;

	for (int i = 0; i < 2; i++)
		for (const char *s = part[i];; s++) {
			h = (h ^ (unsigned char)*s) * 0x100000001b3;
			if (!*s)
				break;
		}
	return h;
}

static void add_fingerprints(struct json *j, const struct gate_row *r)
{
	char text[24];

	sarif_add_object(j, "partialFingerprints");
	snprintf(text, sizeof(text), "%016" PRIx64 ":1", fingerprint(r));
	jsonw_add_text(j, "primaryLocationLineHash", text);
	text[16] = '\0';
	jsonw_add_text(j, "functionAndKind/v1", text);
	jsonw_close(j, '}');
}

/* Add the message of a row. [a](b) would be a link (SARIF 2.1.0, 3.11.6), so a blank is inserted. */
static void add_row_message(struct json *j, const struct gate_row *r)
{
	struct buf text = { 0 }, plain = { 0 };

	ci_add_name(r->name, CI_NAME_MAX, &text);
	buf_addf(&text, " (%s) ", gate_kind_word(r->kind));
	ci_add_row(r, &text);
	for (const char *s = text.data; *s; s++) {
		buf_add(&plain, s, 1);
		if (s[0] == ']' && s[1] == '(')
			buf_add(&plain, " ", 1);
	}
	sarif_add_message(j, "message", plain.data);
	buf_release(&text);
	buf_release(&plain);
}

static void sarif_add_result(struct json *j, const struct gate *g, const struct gate_row *r, enum rule rule)
{
	bool is_failure = r->verdict == GATE_FAIL;

	jsonw_open(j, '{');
	jsonw_add_text(j, "ruleId", rules[rule].id);
	jsonw_add_int(j, "ruleIndex", rule);
	jsonw_add_text(j, "level", is_failure ? "error" : rules[rule].level);
	add_row_message(j, r);
	sarif_add_location(j, g, r);
	add_fingerprints(j, r);
	sarif_add_object(j, "properties");
	jsonw_add_text(j, "verdict", gate_verdict_key(r->verdict));
	jsonw_add_text(j, "kind", gate_kind_word(r->kind));
	sarif_add_number(j, "ratio", r->ratio);
	sarif_add_number(j, "lo", r->lo);
	sarif_add_number(j, "hi", r->hi);
	sarif_add_number(j, "pAdjusted", r->p_adjusted);
	sarif_add_number(j, "limit", r->limit);
	sarif_add_number(j, "baseShare", r->share[SIDE_BASE]);
	sarif_add_number(j, "newShare", r->share[SIDE_NEW]);
	jsonw_close(j, '}');
	jsonw_close(j, '}');
}

static void sarif_add_run(struct json *j, const struct gate *g)
{
	jsonw_open(j, '{');
	add_tool(j);
	add_invocation(j, g);
	sarif_add_object(j, "originalUriBaseIds");
	sarif_add_object(j, "%SRCROOT%");
	sarif_add_message(j, "description", "The root of the repository");
	jsonw_close(j, '}');
	jsonw_close(j, '}');
	jsonw_open_key(j, "results", '[');
	for (uint32_t i = 0; i < g->n_rows; i++) {
		enum rule rule = rule_of(&g->row[i]);

		if (rule != RULE_NONE)
			sarif_add_result(j, g, &g->row[i], rule);
	}
	jsonw_close(j, ']');
	jsonw_add_text(j, "columnKind", "utf16CodeUnits");
	sarif_add_object(j, "properties");
	jsonw_add_text(j, "verdict", gate_outcome_word(g->outcome));
	jsonw_add_int(j, "tests", g->n_tests);
	jsonw_close(j, '}');
	jsonw_close(j, '}');
}

void sarif_draw(const struct gate *g, struct buf *out)
{
	struct json j = { .out = out };

	jsonw_open(&j, '{');
	jsonw_add_text(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	jsonw_add_text(&j, "version", "2.1.0");
	jsonw_open_key(&j, "runs", '[');
	sarif_add_run(&j, g);
	jsonw_close(&j, ']');
	jsonw_close(&j, '}');
	buf_addz(out, "\n");
}
