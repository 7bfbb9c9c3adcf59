/*
 * disasm.c - the disasm report as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/text/text.h"

#include "base/unit.h"
#include "base/utf8.h"
#include "report/disasm.h"
#include "viewers/text/text_int.h"

#include <inttypes.h>
#include <string.h>

enum { VALUE_WIDTH = 10, ADDRESS_WIDTH = 10, TEXT_WIDTH = 40, PLACE_AT = 74 };

static void text_disasm_add_value(const struct head *h, int64_t value, struct buf *out)
{
	if (value)
		text_add_value(h, value, VALUE_WIDTH, out);
	else
		buf_addf(out, "%*s", VALUE_WIDTH, ".");
}

/* Append "work prog.c:8" if it differs from the preceding row. */
static void text_disasm_add_place(const union cell *cell, const union cell *before, struct buf *out)
{
	const char *function = cell[DISASM_FUNCTION].text, *file = cell[DISASM_FILE].text;
	int64_t line = cell[DISASM_LINE].value;

	if (strcmp(function, before ? before[DISASM_FUNCTION].text : "") == 0 &&
	    strcmp(file, before ? before[DISASM_FILE].text : "") == 0 &&
	    line == (before ? before[DISASM_LINE].value : 0))
		return;
	utf8_add_safe(out, function, strlen(function));
	if (*function)
		buf_add(out, " ", 1);
	utf8_add_safe(out, file, strlen(file));
	if (*file && line)
		buf_addf(out, ":%" PRId64, line);
}

static void text_disasm_add_instruction(const struct report *r, const union cell *cell, const union cell *before,
					bool color, struct buf *out)
{
	struct buf place = { 0 }, text = { 0 };
	const char *addr = cell[DISASM_ADDRESS].text + strlen("0x");
	bool hot = color && unit_percent(cell[DISASM_FLAT].value, r->head.total) >= HOT_PERCENT;
	bool is_short;
	size_t width;

	text_disasm_add_place(cell, before, &place);
	utf8_add_safe(&text, cell[DISASM_TEXT].text, strlen(cell[DISASM_TEXT].text));
	is_short = text.len < TEXT_WIDTH;
	width = utf8_count(buf_text(&text), text.len);
	if (place.len && !is_short)
		buf_addf(out, "%*s;%s\n", PLACE_AT, "", place.data);
	if (hot)
		buf_addz(out, STYLE_HOT);
	text_disasm_add_value(&r->head, cell[DISASM_FLAT].value, out);
	buf_add(out, " ", 1);
	text_disasm_add_value(&r->head, cell[DISASM_CUM].value, out);
	buf_addf(out, " %*s: %s", ADDRESS_WIDTH, addr, buf_text(&text));
	if (hot)
		buf_addz(out, STYLE_END);
	if (place.len && is_short) {
		buf_fill(out, ' ', width < TEXT_WIDTH ? TEXT_WIDTH - width : 0);
		buf_addf(out, "%s;%s%s", color ? STYLE_NOTE : "", place.data, color ? STYLE_END : "");
	}
	buf_add(out, "\n", 1);
	buf_release(&place);
	buf_release(&text);
}

static void text_disasm_add_routine(const struct report *r, const struct disasm_routine *routine, bool color,
				    struct buf *out)
{
	for (uint32_t i = 0; i < routine->n_names; i++) {
		buf_addf(out, "%s%s ======================== ", color ? STYLE_TITLE : "", i ? "    AKA" : "ROUTINE");
		utf8_add_safe(out, routine->name[i], strlen(routine->name[i]));
		buf_addz(out, color ? STYLE_END "\n" : "\n");
	}
	text_add_value(&r->head, routine->flat, VALUE_WIDTH, out);
	buf_add(out, " ", 1);
	text_add_value(&r->head, routine->cum, VALUE_WIDTH, out);
	buf_addz(out, " (flat, cum) ");
	unit_add_percent(out, routine->cum, r->head.total);
	buf_addz(out, " of Total\n");
	for (uint32_t i = routine->lo; i < routine->hi; i++) {
		const union cell *cell = r->table.cell + (size_t)i * N_DISASM_COLS;

		text_disasm_add_instruction(r, cell, i > routine->lo ? cell - N_DISASM_COLS : NULL, color, out);
	}
}

void text_draw_disasm(const struct report *r, bool color, struct buf *out)
{
	buf_addz(out, "Total: ");
	text_add_value(&r->head, r->head.total, 0, out);
	buf_add(out, "\n", 1);
	for (uint32_t i = 0; i < r->disasm->n; i++)
		text_disasm_add_routine(r, &r->disasm->routine[i], color, out);
}
