/*
 * compare.c - what a comparison says besides its table, as Markdown
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/markdown.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

static void add_side(const struct head *h, const char *title, const struct compare_side *s, struct buf *out)
{
	buf_addf(out, "- %s: ", title);
	for (size_t i = 0; i < s->n_sources; i++) {
		buf_addz(out, i ? ", " : "");
		utf8_add_code(out, s->source[i]);
	}
	buf_addz(out, ", total ");
	markdown_add_value(h, s->total, out);
	if (*s->host) {
		buf_addz(out, ", host ");
		utf8_add_code(out, s->host);
	}
	if (*s->build_id) {
		buf_addz(out, ", build id ");
		utf8_add_code(out, s->build_id);
	}
	buf_add(out, "\n", 1);
}

void markdown_add_comparison(const struct report *r, struct buf *out)
{
	const struct head *h = &r->head;
	const struct compare *c = h->compare;
	bool is_diff = strcmp(h->command, "diff") == 0;

	add_side(h, is_diff ? "before" : "first", &c->before, out);
	add_side(h, is_diff ? "after" : "last", &c->after, out);
	buf_addz(out, "- type ");
	utf8_add_code(out, h->type);
	buf_addz(out, ", normalised by ");
	utf8_add_code(out, c->normalize);
	if (is_diff)
		buf_addf(out, " (after x %.6g)", c->factor);
	else
		buf_addf(out, ", %zu profiles%s", c->n_profiles, c->all ? "" : ", rows that grew in every step");
	buf_addf(out, ", %" PRIu32 " of %" PRIu32 " rows.", r->table.n_rows, h->n_before + h->n_dropped);
	markdown_add_filters(h, out);
	buf_addz(out, "\n\n");
}

void markdown_add_renames(const struct compare *c, struct buf *out)
{
	for (uint32_t i = 0; i < c->n_renames; i++) {
		buf_addz(out, i ? "- renamed? " : "\n- renamed? ");
		utf8_add_code(out, c->rename[i].from);
		buf_addz(out, " to ");
		utf8_add_code(out, c->rename[i].to);
		buf_addf(out, ": %.2f%% gone, %.2f%% new\n", c->rename[i].share_before, c->rename[i].share_after);
	}
}
