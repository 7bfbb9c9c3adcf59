/*
 * junit.c - an answer of a gate as JUnit XML
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There are many dialects; this keeps to what all of them take. Jenkins' xunit plugin refuses a file with attributes
 * it does not know, so that path and line stand in the text; GitLab shows the text of a failure and not its
 * message, so that it says everything; and of test cases with equal names GitLab drops all but one.
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

/* What becomes of a row. */
enum end { END_NONE, END_PASSED, END_SKIPPED, END_FAILED };

struct junit {
	const struct gate *g;
	struct xml xml;
	const struct gate_row **by_name; /* [g->n_rows] rows with equal names side by side */
	struct buf text;                 /* for a moment */
};

static void clear(struct buf *b)
{
	b->len = 0;
	buf_add(b, "", 0);
}

/* An inconclusive gate that shall be red makes what it was unsure about fail. */
static bool is_unsure_red(const struct gate *g)
{
	return g->outcome == GATE_INCONCLUSIVE && g->status == 1;
}

static enum end end_of(const struct gate *g, const struct gate_row *r)
{
	switch (r->verdict) {
	case GATE_FAIL:
		return END_FAILED;
	case GATE_SUSPECT:
		return is_unsure_red(g) ? END_FAILED : END_SKIPPED;
	case GATE_SKIPPED:
		return isnan(r->p) ? END_NONE : END_SKIPPED;
	default:
		return isnan(r->p) ? END_NONE : END_PASSED;
	}
}

static enum end end_of_length(const struct gate *g)
{
	if (ci_is_long_enough(g) && !g->is_unlike)
		return END_PASSED;
	return is_unsure_red(g) && (g->options->has_need || g->n_tests == 0 || g->is_unlike || g->is_weak)
		       ? END_FAILED
		       : END_SKIPPED;
}

static int compare_names(const void *a, const void *b)
{
	const struct gate_row *x = *(const struct gate_row *const *)a, *y = *(const struct gate_row *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

/* Do other rows have the name and kind of this one? */
static bool has_namesake(const struct junit *j, const struct gate_row *r)
{
	const struct gate_row **at = bsearch(&r, j->by_name, j->g->n_rows, sizeof(*at), compare_names);
	const struct gate_row **last = j->by_name + j->g->n_rows - 1;

	return (at > j->by_name && compare_names(at - 1, &r) == 0) || (at < last && compare_names(at + 1, &r) == 0);
}

static void attribute(struct junit *j, const char *name)
{
	xml_attribute(&j->xml, name, buf_text(&j->text));
	clear(&j->text);
}

static void add_number(struct junit *j, const char *name, uint32_t n)
{
	buf_addf(&j->text, "%" PRIu32, n);
	attribute(j, name);
}

static void add_property(struct junit *j, const char *name)
{
	xml_line(&j->xml);
	xml_begin(&j->xml, "property");
	xml_attribute(&j->xml, "name", name);
	attribute(j, "value");
	xml_end(&j->xml);
}

static void add_properties(struct junit *j)
{
	static const char *const name[N_STATS_SIDES][2] = { { "base.profiles", "base.samples" },
							    { "new.profiles", "new.samples" } };
	const struct gate *g = j->g;

	xml_line(&j->xml);
	xml_begin(&j->xml, "properties");
	buf_addz(&j->text, gate_outcome_word(g->outcome));
	add_property(j, "verdict");
	buf_addf(&j->text, "%.6g", g->options->threshold);
	add_property(j, "threshold");
	buf_addf(&j->text, "%.6g", g->options->confidence);
	add_property(j, "confidence");
	buf_addz(&j->text, g->options->strict ? "threshold" : "change");
	add_property(j, "evidence");
	buf_addz(&j->text, gate_normalize_word(g->options->normalize));
	add_property(j, "normalize");
	ci_add_name(g->type, 0, &j->text);
	add_property(j, "sample_type");
	for (int side = 0; side < N_STATS_SIDES; side++) {
		buf_addf(&j->text, "%" PRIu32, g->side[side].n_files);
		add_property(j, name[side][0]);
		buf_addf(&j->text, "%.0f", g->side[side].samples);
		add_property(j, name[side][1]);
	}
	xml_line(&j->xml);
	xml_end(&j->xml);
}

/* Open a test case: how it ended tells what comes next. */
static void begin_case(struct junit *j)
{
	xml_line(&j->xml);
	xml_begin(&j->xml, "testcase");
}

/* The text that was made is what an element says, its type is a constant; NULL for none. */
static void add_end(struct junit *j, enum end end, const char *type)
{
	static const char *const element[] = { "system-out", "system-out", "skipped", "failure" };

	xml_begin(&j->xml, element[end]);
	if (end == END_FAILED)
		xml_attribute(&j->xml, "type", type);
	if (end != END_PASSED)
		xml_attribute(&j->xml, "message", buf_text(&j->text));
	if (end != END_SKIPPED)
		xml_text(&j->xml, buf_text(&j->text));
	xml_end(&j->xml);
	xml_end(&j->xml);
	clear(&j->text);
}

static void add_place(struct junit *j, const struct gate_row *r)
{
	struct buf place = { 0 };

	if (*r->file) {
		ci_add_place(r->file, &place);
		ci_add_name(buf_text(&place), 0, &j->text);
		if (r->line > 0)
			buf_addf(&j->text, ":%d", ci_line(r->line));
	}
	buf_release(&place);
}

static void add_row(struct junit *j, const struct gate_row *r, enum end end)
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
		add_place(j, r);
	}
	attribute(j, "name");
	xml_attribute(&j->xml, "time", "0");
	buf_addf(&j->text, "%s: ", gate_verdict_word(r->verdict));
	ci_add_row(r, &j->text);
	if (*r->file) {
		buf_addz(&j->text, "; at ");
		add_place(j, r);
	}
	add_end(j, end, r->verdict == GATE_SUSPECT ? "suspect" : "regression");
	buf_release(&package);
}

static void add_length(struct junit *j)
{
	begin_case(j);
	xml_attribute(&j->xml, "classname", "cpa gate");
	xml_attribute(&j->xml, "name", "profiles are long enough");
	xml_attribute(&j->xml, "time", "0");
	if (j->g->n_tests == 0)
		buf_addf(&j->text, "%s; ", text_gate_untested(j->g));
	else if (j->g->is_unlike)
		buf_addz(&j->text, "the sides have little in common; ");
	else if (j->g->is_weak)
		buf_addz(&j->text, "too little to see even a doubled cost; ");
	ci_add_power(j->g, &j->text);
	add_end(j, end_of_length(j->g), "inconclusive");
}

/* What a gate says besides its rows. */
static void add_messages(struct junit *j)
{
	const struct gate *g = j->g;

	buf_addf(&j->text, "cpa gate: %s, ", gate_outcome_word(g->outcome));
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
	xml_line(&j->xml);
	xml_begin(&j->xml, "system-out");
	xml_text(&j->xml, buf_text(&j->text));
	xml_end(&j->xml);
	clear(&j->text);
}

/* How many test cases ended in each way. */
static void add_counts(struct junit *j, bool with_skipped)
{
	uint32_t n[END_FAILED + 1] = { 0 };

	for (uint32_t i = 0; i < j->g->n_rows; i++)
		n[end_of(j->g, &j->g->row[i])]++;
	n[end_of_length(j->g)]++;
	add_number(j, "tests", n[END_PASSED] + n[END_SKIPPED] + n[END_FAILED]);
	add_number(j, "failures", n[END_FAILED]);
	add_number(j, "errors", 0);
	if (with_skipped)
		add_number(j, "skipped", n[END_SKIPPED]);
	xml_attribute(&j->xml, "time", "0");
}

static void add_suite(struct junit *j)
{
	xml_begin(&j->xml, "testsuites");
	xml_attribute(&j->xml, "name", "cpa gate");
	add_counts(j, false);
	xml_line(&j->xml);
	xml_begin(&j->xml, "testsuite");
	xml_attribute(&j->xml, "name", "cpa gate");
	add_counts(j, true);
	add_properties(j);
	for (uint32_t i = 0; i < j->g->n_rows; i++) {
		enum end end = end_of(j->g, &j->g->row[i]);

		if (end != END_NONE)
			add_row(j, &j->g->row[i], end);
	}
	add_length(j);
	add_messages(j);
	xml_line(&j->xml);
	xml_end(&j->xml);
	xml_line(&j->xml);
	xml_end(&j->xml);
}

int junit_draw(const struct gate *g, struct buf *out, struct err *err)
{
	struct junit j = { .g = g, .by_name = mem_alloc(g->n_rows, sizeof(struct gate_row *)) };
	int rc = xml_open(&j.xml, "JUnit XML", out, err);

	if (rc == 0) {
		for (uint32_t i = 0; i < g->n_rows; i++)
			j.by_name[i] = &g->row[i];
		qsort(j.by_name, g->n_rows, sizeof(struct gate_row *), compare_names);
		add_suite(&j);
		rc = xml_close(&j.xml, err);
	}
	buf_release(&j.text);
	free(j.by_name);
	return rc;
}
