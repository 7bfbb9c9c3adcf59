/*
 * junit.c - the result of a gate as JUnit XML
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There are many dialects; only features common to all are used. Jenkins' xunit plugin rejects unknown attributes, so
 * path and line are in the text. GitLab shows the text of a failure but not its message, so the text is complete.
 * GitLab also keeps only one of several test cases with the same name.
 */
#include "config.h"

#include "viewers/ci/ci.h"

#include "base/mem.h"
#include "viewers/ci/ci_int.h"
#include "viewers/flame/flame.h"
#include "viewers/text/gate.h"
#include "viewers/xml/xml.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Result of the test case of a row. */
enum junit_result { RESULT_NONE, RESULT_PASSED, RESULT_SKIPPED, RESULT_FAILED };

struct junit {
	const struct gate *g;
	struct xml xml;
	const struct gate_row **by_name; /* [g->n_rows] rows sorted by name */
	struct buf text;                 /* scratch buffer */
};

static void junit_clear(struct buf *b)
{
	b->len = 0;
	buf_add(b, "", 0);
}

static enum junit_result junit_result_of(const struct gate_row *r)
{
	switch (r->verdict) {
	case GATE_FAIL:
		return RESULT_FAILED;
	case GATE_SUSPECT:
		return RESULT_SKIPPED;
	case GATE_SKIPPED:
		return isnan(r->p) ? RESULT_NONE : RESULT_SKIPPED;
	default:
		return isnan(r->p) ? RESULT_NONE : RESULT_PASSED;
	}
}

static enum junit_result samples_result(const struct gate *g)
{
	if (g->outcome != GATE_INCONCLUSIVE)
		return ci_has_enough_samples(g) ? RESULT_PASSED : RESULT_SKIPPED;
	return g->status == 0 ? RESULT_SKIPPED : RESULT_FAILED;
}

static int junit_compare_names(const void *a, const void *b)
{
	const struct gate_row *x = *(const struct gate_row *const *)a, *y = *(const struct gate_row *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

/* Returns true if another row has the same name and kind. */
static bool has_namesake(const struct junit *j, const struct gate_row *r)
{
	const struct gate_row **at = bsearch(&r, j->by_name, j->g->n_rows, sizeof(*at), junit_compare_names);
	const struct gate_row **last = j->by_name + j->g->n_rows - 1;

	return (at > j->by_name && junit_compare_names(at - 1, &r) == 0) ||
	       (at < last && junit_compare_names(at + 1, &r) == 0);
}

static void attribute(struct junit *j, const char *name)
{
	xml_attribute(&j->xml, name, buf_text(&j->text));
	junit_clear(&j->text);
}

static void junit_add_number(struct junit *j, const char *name, uint32_t n)
{
	buf_addf(&j->text, "%" PRIu32, n);
	attribute(j, name);
}

static void junit_add_property(struct junit *j, const char *name)
{
	xml_newline(&j->xml);
	xml_begin(&j->xml, "property");
	xml_attribute(&j->xml, "name", name);
	attribute(j, "value");
	xml_end(&j->xml);
}

static void add_properties(struct junit *j)
{
	static const char *const name[N_SIDES][2] = { { "base.profiles", "base.samples" },
						      { "new.profiles", "new.samples" } };
	const struct gate *g = j->g;

	xml_newline(&j->xml);
	xml_begin(&j->xml, "properties");
	buf_addz(&j->text, gate_outcome_word(g->outcome));
	junit_add_property(j, "verdict");
	buf_addf(&j->text, "%.6g", g->options->threshold);
	junit_add_property(j, "threshold");
	buf_addf(&j->text, "%.6g", g->options->confidence);
	junit_add_property(j, "confidence");
	buf_addz(&j->text, g->options->strict ? "threshold" : "change");
	junit_add_property(j, "evidence");
	buf_addz(&j->text, gate_normalize_word(g->options->normalize));
	junit_add_property(j, "normalize");
	ci_add_name(g->type, 0, &j->text);
	junit_add_property(j, "sample_type");
	for (int side = 0; side < N_SIDES; side++) {
		buf_addf(&j->text, "%" PRIu32, g->side[side].n_files);
		junit_add_property(j, name[side][0]);
		buf_addf(&j->text, "%.0f", g->side[side].samples);
		junit_add_property(j, name[side][1]);
	}
	xml_newline(&j->xml);
	xml_end(&j->xml);
}

/* Open a test case; its result follows. */
static void begin_case(struct junit *j)
{
	xml_newline(&j->xml);
	xml_begin(&j->xml, "testcase");
}

/* Add the result element of a test case, with the text in the buffer; type may be NULL. */
static void junit_add_result(struct junit *j, enum junit_result result, const char *type)
{
	static const char *const element[] = { "system-out", "system-out", "skipped", "failure" };

	xml_begin(&j->xml, element[result]);
	if (result == RESULT_FAILED)
		xml_attribute(&j->xml, "type", type);
	if (result != RESULT_PASSED)
		xml_attribute(&j->xml, "message", buf_text(&j->text));
	if (result != RESULT_SKIPPED)
		xml_text(&j->xml, buf_text(&j->text));
	xml_end(&j->xml);
	xml_end(&j->xml);
	junit_clear(&j->text);
}

static void junit_add_place(struct junit *j, const struct gate_row *r)
{
	struct buf place = { 0 };

	if (*r->file) {
		ci_add_path(r->file, &place);
		ci_add_name(buf_text(&place), 0, &j->text);
		if (r->line > 0)
			buf_addf(&j->text, ":%d", ci_line(r->line));
	}
	buf_release(&place);
}

static void junit_add_row(struct junit *j, const struct gate_row *r, enum junit_result result)
{
	const struct flame_frame frame = { .name = r->name, .function = r->name, .file = r->file, .module = "" };
	struct buf package = { 0 };

	package_add(&frame, &package);
	begin_case(j);
	ci_add_name(package.len ? package.data : "functions", 0, &j->text);
	attribute(j, "classname");
	ci_add_name(r->name, 0, &j->text);
	buf_addf(&j->text, " %s", gate_kind_word(r->kind));
	if (*r->file && has_namesake(j, r)) {
		buf_addz(&j->text, " in ");
		junit_add_place(j, r);
	}
	attribute(j, "name");
	xml_attribute(&j->xml, "time", "0");
	buf_addf(&j->text, "%s: ", gate_verdict_word(r->verdict));
	ci_add_row(r, &j->text);
	if (*r->file) {
		buf_addz(&j->text, "; at ");
		junit_add_place(j, r);
	}
	junit_add_result(j, result, r->verdict == GATE_SUSPECT ? "suspect" : "regression");
	buf_release(&package);
}

static void add_length(struct junit *j)
{
	begin_case(j);
	xml_attribute(&j->xml, "classname", "cpa gate");
	xml_attribute(&j->xml, "name", "profiles are long enough");
	xml_attribute(&j->xml, "time", "0");
	if (j->g->outcome == GATE_INCONCLUSIVE) {
		buf_addz(&j->text, "INCONCLUSIVE: ");
		ci_add_name(j->g->missing, 0, &j->text);
		buf_addz(&j->text, "; ");
	}
	ci_add_power(j->g, &j->text);
	junit_add_result(j, samples_result(j->g), "inconclusive");
}

/* Add the texts of the gate that are not about a row. */
static void junit_add_messages(struct junit *j)
{
	const struct gate *g = j->g;

	buf_addf(&j->text, g->outcome == GATE_INCONCLUSIVE ? "cpa gate: %s: " : "cpa gate: %s, ",
		 gate_outcome_word(g->outcome));
	text_gate_add_summary(g, &j->text);
	buf_addz(&j->text, "\n");
	ci_add_sides(g, &j->text);
	for (uint32_t i = 0; i < g->n_warnings; i++) {
		buf_addz(&j->text, "\nwarning: ");
		ci_add_name(g->warning[i].text, 0, &j->text);
	}
	for (uint32_t i = 0; i < g->n_notes; i++) {
		buf_addz(&j->text, "\nnote: ");
		ci_add_name(g->note[i].text, 0, &j->text);
	}
	xml_newline(&j->xml);
	xml_begin(&j->xml, "system-out");
	xml_text(&j->xml, buf_text(&j->text));
	xml_end(&j->xml);
	junit_clear(&j->text);
}

/* Add the number of test cases by result. */
static void junit_add_counts(struct junit *j, bool with_skipped)
{
	uint32_t n[RESULT_FAILED + 1] = { 0 }, errors = j->g->outcome == GATE_ERROR;

	for (uint32_t i = 0; i < j->g->n_rows; i++)
		n[junit_result_of(&j->g->row[i])]++;
	if (!errors)
		n[samples_result(j->g)]++;
	junit_add_number(j, "tests", n[RESULT_PASSED] + n[RESULT_SKIPPED] + n[RESULT_FAILED] + errors);
	junit_add_number(j, "failures", n[RESULT_FAILED]);
	junit_add_number(j, "errors", errors);
	if (with_skipped)
		junit_add_number(j, "skipped", n[RESULT_SKIPPED]);
	xml_attribute(&j->xml, "time", "0");
}

/* Add the test case of a gate that failed with an error. */
static void add_error(struct junit *j)
{
	begin_case(j);
	xml_attribute(&j->xml, "classname", "cpa gate");
	xml_attribute(&j->xml, "name", "profiles can be compared");
	xml_attribute(&j->xml, "time", "0");
	text_gate_add_summary(j->g, &j->text);
	xml_begin(&j->xml, "error");
	xml_attribute(&j->xml, "type", "error");
	xml_attribute(&j->xml, "message", buf_text(&j->text));
	xml_text(&j->xml, buf_text(&j->text));
	xml_end(&j->xml);
	xml_end(&j->xml);
	junit_clear(&j->text);
}

/* Add the test cases of a result that is not an error. */
static void add_cases(struct junit *j)
{
	add_properties(j);
	for (uint32_t i = 0; i < j->g->n_rows; i++) {
		enum junit_result result = junit_result_of(&j->g->row[i]);

		if (result != RESULT_NONE)
			junit_add_row(j, &j->g->row[i], result);
	}
	add_length(j);
	junit_add_messages(j);
}

static void add_suite(struct junit *j)
{
	xml_begin(&j->xml, "testsuites");
	xml_attribute(&j->xml, "name", "cpa gate");
	junit_add_counts(j, false);
	xml_newline(&j->xml);
	xml_begin(&j->xml, "testsuite");
	xml_attribute(&j->xml, "name", "cpa gate");
	junit_add_counts(j, true);
	if (j->g->outcome == GATE_ERROR)
		add_error(j);
	else
		add_cases(j);
	xml_newline(&j->xml);
	xml_end(&j->xml);
	xml_newline(&j->xml);
	xml_end(&j->xml);
}

int junit_draw(const struct gate *g, struct buf *out, struct err *err)
{
	struct junit j = { .g = g, .by_name = mem_alloc(g->n_rows, sizeof(struct gate_row *)) };
	int rc = xml_open(&j.xml, "JUnit XML", out, err);

	if (rc == 0) {
		for (uint32_t i = 0; i < g->n_rows; i++)
			j.by_name[i] = &g->row[i];
		qsort(j.by_name, g->n_rows, sizeof(struct gate_row *), junit_compare_names);
		add_suite(&j);
		rc = xml_close(&j.xml, err);
	}
	buf_release(&j.text);
	free(j.by_name);
	return rc;
}
