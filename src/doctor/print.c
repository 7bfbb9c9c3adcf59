/*
 * print.c - findings as text, Markdown and JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "doctor/doctor.h"

#include "base/jsonw.h"
#include "base/time.h"
#include "base/utf8.h"

#include <assert.h>
#include <string.h>

enum { PRINT_WIDTH = 80 };

static const char *const unit_name[N_DOCTOR_UNITS] = {
	[DOCTOR_COUNT] = "count", [DOCTOR_SHARE] = "share",   [DOCTOR_NS] = "nanoseconds",
	[DOCTOR_BYTES] = "bytes", [DOCTOR_FACTOR] = "factor", [DOCTOR_BYTES_PER_HOUR] = "bytes/hour",
};

/* Append words in lines of at most PRINT_WIDTH columns. */
static void print_wrapped(const char *text, const char *first, const char *indent, struct buf *out)
{
	size_t column = strlen(first);

	buf_addz(out, first);
	for (bool is_first = true; *text; is_first = false) {
		size_t n = strcspn(text, " "), width;

		if (text[n] == ' ' && text[n + 1] == '%') /* "85 %" is one word */
			n += 1 + strcspn(text + n + 1, " ");
		width = utf8_count(text, n);

		if (!is_first && column + 1 + width > PRINT_WIDTH) {
			buf_addf(out, "\n%s", indent);
			column = strlen(indent);
		} else if (!is_first) {
			buf_addz(out, " ");
			column++;
		}
		buf_add(out, text, n);
		column += width;
		text += n + (text[n] == ' ');
	}
	buf_addz(out, "\n");
}

static void print_heading(const struct doctor_evidence *e, const struct doctor_result *r, struct buf *out)
{
	buf_addf(out, "%s of ", doctor_runbook_name[e->runbook]);
	utf8_add_safe(out, e->target, strlen(e->target));
	if (r->n_findings == 0)
		buf_addz(out, ": no finding");
	else
		buf_addf(out, ": %zu finding%s", r->n_findings, r->n_findings == 1 ? "" : "s");
}

void doctor_add_text(const struct doctor_evidence *e, const struct doctor_result *r, struct buf *out)
{
	print_heading(e, r, out);
	buf_addz(out, "\n");
	for (size_t i = 0; i < r->n; i++) {
		const struct doctor_finding *f = &r->finding[i];

		if (i == r->n_findings)
			buf_addz(out, "\nMeasurements\n");
		buf_addz(out, f->is_note ? "" : "\n");
		print_wrapped(f->sentence, f->is_note ? "  " : "* ", "  ", out);
		if (*f->command)
			buf_addf(out, "    %s\n", f->command);
	}
	buf_addz(out, "\n");
}

/* Append text in which no character has a meaning in Markdown. */
static void print_escaped(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (strchr("\\`*_[]<>|#&~", *text))
			buf_addz(out, "\\");
		buf_add(out, text, 1);
	}
}

static void print_markdown_time(const struct doctor_evidence *e, struct buf *out)
{
	if (e->n == 0 || !e->capture[0].time_ns)
		return;
	buf_addz(out, "Captured ");
	time_add_utc(out, e->capture[0].time_ns, TIME_ISO);
	buf_addf(out, ", %zu capture%s, cpa %s.\n\n", e->n, e->n == 1 ? "" : "s", PACKAGE_VERSION);
}

void doctor_add_markdown(const struct doctor_evidence *e, const struct doctor_result *r, struct buf *out)
{
	struct buf title = { 0 };

	print_heading(e, r, &title);
	buf_addz(out, "# ");
	print_escaped(buf_text(&title), out);
	buf_addz(out, "\n\n");
	print_markdown_time(e, out);
	for (size_t i = 0; i < r->n; i++) {
		const struct doctor_finding *f = &r->finding[i];

		if (i == r->n_findings)
			buf_addf(out, "%s## Measurements\n\n", i ? "\n" : "");
		buf_addz(out, "- ");
		print_escaped(f->sentence, out);
		buf_addz(out, "\n");
		if (*f->command) {
			buf_addz(out, "  ");
			utf8_add_code(out, f->command);
			buf_addz(out, "\n");
		}
	}
	buf_release(&title);
}

static void print_json_finding(const struct doctor_finding *f, struct json *j)
{
	jsonw_open(j, '{');
	jsonw_add_text(j, "rule", f->rule);
	jsonw_add_text(j, "sentence", f->sentence);
	jsonw_key(j, "command");
	if (*f->command)
		jsonw_textz(j, f->command);
	else
		jsonw_raw(j, "null", 4);
	jsonw_open_key(j, "numbers", '[');
	for (size_t i = 0; i < f->n_numbers; i++) {
		jsonw_open(j, '{');
		jsonw_add_text(j, "key", f->number[i].key);
		jsonw_add_number(j, "value", f->number[i].value);
		jsonw_add_text(j, "unit", unit_name[f->number[i].unit]);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
	jsonw_close(j, '}');
}

void doctor_add_json(const struct doctor_evidence *e, const struct doctor_result *r, struct buf *out)
{
	struct json j = { .out = out };

	jsonw_open(&j, '{');
	jsonw_add_text(&j, "schema", DOCTOR_SCHEMA);
	jsonw_add_text(&j, "cpa", PACKAGE_VERSION);
	jsonw_add_text(&j, "runbook", doctor_runbook_name[e->runbook]);
	jsonw_add_text(&j, "target", e->target);
	jsonw_add_text(&j, "directory", e->directory);
	jsonw_add_int(&j, "captures", (int64_t)e->n);
	jsonw_open_key(&j, "findings", '[');
	for (size_t i = 0; i < r->n_findings; i++)
		print_json_finding(&r->finding[i], &j);
	jsonw_close(&j, ']');
	jsonw_open_key(&j, "notes", '[');
	for (size_t i = r->n_findings; i < r->n; i++)
		print_json_finding(&r->finding[i], &j);
	jsonw_close(&j, ']');
	jsonw_close(&j, '}');
	buf_addz(out, "\n");
}
