/*
 * sentences.c - descriptions of rows and results of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/ci/ci_int.h"

#include "base/utf8.h"
#include "viewers/text/gate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void ci_add_name(const char *name, size_t max, struct buf *out)
{
	struct buf safe = { 0 };

	utf8_add_safe(&safe, *name ? name : "?", *name ? strlen(name) : 1);
	for (size_t i = 0; i < safe.len; i++)
		if (safe.data[i] == '\t')
			safe.data[i] = ' ';
	utf8_add_short(out, buf_text(&safe), safe.len, max ? max : safe.len + 3);
	buf_release(&safe);
}

static void sentences_add_share(double share, struct buf *out)
{
	buf_addf(out, "%.*f%%", share < 0.00095 ? 2 : 1, 100 * share);
}

/* Append a percentage without trailing zeros: 20%, 2.5%. */
static void sentences_add_percent(const char *sign, double part, struct buf *out)
{
	buf_addf(out, "%s%.6g%%", sign, 100 * part);
}

static void sentences_add_aliases(const struct gate_row *r, struct buf *out)
{
	uint32_t shown = r->n_aliases <= CI_ALIASES ? r->n_aliases : CI_ALIASES - 1;

	for (uint32_t i = 0; i < shown; i++) {
		buf_addz(out, i ? ", " : "; the same samples: ");
		ci_add_name(r->alias[i], CI_NAME_MAX, out);
	}
	if (shown < r->n_aliases)
		buf_addf(out, " and %" PRIu32 " more", r->n_aliases - shown);
}

static void add_size(const struct gate_row *r, struct buf *out)
{
	double base = r->share[SIDE_BASE], now = r->share[SIDE_NEW];

	if (!isnan(r->ratio)) {
		text_gate_add_change(r->ratio, out);
		if (!isnan(r->lo) && !isnan(r->hi)) {
			buf_addz(out, " (90% interval ");
			text_gate_add_interval(r->lo, r->hi, out);
			buf_addz(out, ")");
		}
		if (r->kind == GATE_TOTAL)
			return;
		buf_addz(out, ", from ");
		sentences_add_share(base, out);
		buf_addz(out, " to ");
		sentences_add_share(now, out);
	} else if (base > 0 && now > 0) {
		buf_addz(out, "from ");
		sentences_add_share(base, out);
		buf_addz(out, " to ");
		sentences_add_share(now, out);
	} else {
		buf_addz(out, now > 0 ? "new, " : "gone, ");
		sentences_add_share(now > 0 ? now : base, out);
	}
	buf_addz(out, " of the total");
}

void ci_add_row(const struct gate_row *r, struct buf *out)
{
	add_size(r, out);
	if (!isnan(r->p_adjusted) && r->verdict != GATE_IMPROVED) {
		buf_addz(out, ", p=");
		text_gate_add_p(r->p_adjusted, out);
		buf_addz(out, ", limit ");
		sentences_add_percent("+", r->limit, out);
	}
	if (*r->reason) {
		buf_addz(out, "; ");
		ci_add_name(r->reason, 0, out);
	}
	if (*r->old_name) {
		buf_addz(out, "; was ");
		ci_add_name(r->old_name, CI_NAME_MAX, out);
	}
	sentences_add_aliases(r, out);
}

void ci_add_sides(const struct gate *g, struct buf *out)
{
	for (int side = 0; side < N_SIDES; side++) {
		const struct gate_side *s = &g->side[side];

		buf_addz(out, side == SIDE_BASE ? "base: " : "; new: ");
		text_gate_add_samples(s->samples, out);
		buf_addf(out, s->n_files == 1 ? " in a profile" : " in %" PRIu32 " profiles", s->n_files);
	}
	buf_addf(out, "; relative to %s; confidence ", text_gate_relative_to(g->options->normalize));
	sentences_add_percent("", g->options->confidence, out);
	buf_addz(out, ", threshold ");
	sentences_add_percent("+", g->options->threshold, out);
}

void ci_add_power(const struct gate *g, struct buf *out)
{
	struct buf lines = { 0 };

	text_gate_add_power(g, &lines);
	for (size_t i = 0; i < lines.len; i++)
		if (lines.data[i] != '\n')
			buf_add(out, lines.data + i, 1);
		else if (i + 1 < lines.len)
			buf_addz(out, "; ");
	buf_release(&lines);
}

bool ci_has_enough_samples(const struct gate *g)
{
	return g->n_tests > 0 && !g->is_underpowered;
}
