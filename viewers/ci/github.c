/*
 * github.c - the result of a gate as workflow commands of GitHub Actions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * GitHub shows ten errors and ten warnings per step and silently drops the rest, so if there are more, the tenth states
 * how many.
 */
#include "config.h"

#include "viewers/ci/ci.h"

#include "viewers/ci/ci_int.h"
#include "viewers/text/gate.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 10 };

struct github {
	const struct gate *g;
	struct buf *out;
	struct buf text; /* scratch buffer */
};

/* Append the text of a message, or of a property, in which : and , are escaped as well. */
static void github_add_escaped(struct buf *out, const char *s, bool is_property)
{
	for (; *s; s++)
		if (strchr(is_property ? "%\r\n:," : "%\r\n", *s))
			buf_addf(out, "%%%02X", (unsigned char)*s);
		else
			buf_add(out, s, 1);
}

/* End a command with the text in the buffer as its message. */
static void github_add_message(struct github *h)
{
	buf_addz(h->out, "::");
	github_add_escaped(h->out, buf_text(&h->text), false);
	buf_addz(h->out, "\n");
	h->text.len = 0;
}

static void github_add_command(struct github *h, const char *command, const char *title)
{
	buf_addf(h->out, "::%s title=", command);
	github_add_escaped(h->out, title, true);
	github_add_message(h);
}

/* Attach the annotation to the function if it is in the repository; otherwise name its location. */
static void github_add_place(struct github *h, const struct gate_row *r)
{
	struct buf path = { 0 }, safe = { 0 };
	bool is_there = ci_add_path(r->file, &path);

	if (path.len)
		ci_add_name(path.data, 0, &safe);
	if (is_there) {
		buf_addz(h->out, " file=");
		github_add_escaped(h->out, buf_text(&safe), true);
		buf_addf(h->out, ",line=%d,", ci_line(r->line));
	} else {
		buf_addz(h->out, " ");
		if (safe.len)
			buf_addf(&h->text, "; at %s:%d", safe.data, ci_line(r->line));
	}
	buf_release(&path);
	buf_release(&safe);
}

static void github_add_row(struct github *h, const char *command, const struct gate_row *r)
{
	ci_add_name(r->name, CI_NAME_MAX, &h->text);
	buf_addf(&h->text, " (%s) ", gate_kind_word(r->kind));
	ci_add_row(r, &h->text);
	buf_addf(h->out, "::%s", command);
	github_add_place(h, r);
	buf_addf(h->out, "title=cpa gate%%3A %s", gate_verdict_word(r->verdict));
	github_add_message(h);
}

/* Append annotations for the rows with this verdict, up to a limit. */
static uint32_t github_add_rows(struct github *h, const char *command, enum gate_verdict v, uint32_t max)
{
	uint32_t all = h->g->n_verdict[v], shown = all <= max ? all : max - 1, n = 0;

	for (uint32_t i = 0; i < h->g->n_rows && n < shown; i++)
		if (h->g->row[i].verdict == v) {
			github_add_row(h, command, &h->g->row[i]);
			n++;
		}
	if (shown == all)
		return shown;
	buf_addf(&h->text, "%" PRIu32 " more of %" PRIu32, all - shown, all);
	github_add_command(h, command, v == GATE_FAIL ? "cpa gate: more regressions" : "cpa gate: more suspects");
	return shown + 1;
}

static void github_add_warnings(struct github *h, uint32_t max)
{
	uint32_t all = h->g->n_warnings, shown = all <= max ? all : max ? max - 1 : 0;

	for (uint32_t i = 0; i < shown; i++) {
		ci_add_name(h->g->warning[i].text, 0, &h->text);
		github_add_command(h, "warning", "cpa gate");
	}
	if (shown == all || max == 0)
		return;
	buf_addf(&h->text, "%" PRIu32 " more warnings", all - shown);
	github_add_command(h, "warning", "cpa gate");
}

/* Append a notice, so that a step without findings differs from one that did not run. */
static void add_outcome(struct github *h)
{
	const struct gate *g = h->g;
	const char *command = g->outcome == GATE_PASS ? "notice" : g->status ? "error" : "warning";

	text_gate_add_summary(g, &h->text);
	buf_addz(&h->text, "\n");
	text_gate_add_advice(g, &h->text);
	ci_add_power(g, &h->text);
	github_add_command(h, command, g->outcome == GATE_PASS ? "cpa gate: PASS" : "cpa gate: INCONCLUSIVE");
}

void github_draw(const struct gate *g, struct buf *out)
{
	struct github h = { .g = g, .out = out };
	uint32_t n;

	if (g->outcome == GATE_ERROR) {
		text_gate_add_summary(g, &h.text);
		github_add_command(&h, "error", "cpa gate: ERROR");
		buf_release(&h.text);
		return;
	}
	github_add_rows(&h, "error", GATE_FAIL, SHOWN);
	if (g->outcome != GATE_FAILED)
		add_outcome(&h);
	n = SHOWN - (g->outcome == GATE_INCONCLUSIVE && g->status == 0);
	n -= github_add_rows(&h, "warning", GATE_SUSPECT, n - (g->n_warnings > 0));
	github_add_warnings(&h, n);
	buf_release(&h.text);
}
