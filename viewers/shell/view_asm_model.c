/*
 * view_asm_model.c - instructions with their weight, and where they jump to
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_asm_int.h"

#include "engine/view.h"
#include "report/address.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sort_routines(const struct disasm *d, struct asm_model *am, struct arena *mem)
{
	struct code_weight *all = arena_alloc(mem, d->n ? d->n : 1, sizeof(*all));

	am->n = d->n;
	am->routine = arena_alloc(mem, d->n ? d->n : 1, sizeof(*am->routine));
	for (uint32_t i = 0; i < d->n; i++)
		all[i] = code_weight(d->routine[i].flat, d->routine[i].cum, am->by_cum, i);
	code_sort_weights(all, d->n);
	for (uint32_t i = 0; i < d->n; i++)
		am->routine[i] = &d->routine[all[i].i];
}

/*
 * Where an instruction goes: objdump writes the address, and behind it what is there in angle brackets. What
 * stands in a comment is data.
 */
static uint64_t target_of(const char *text)
{
	const char *end = strstr(text, " <"), *start = end;
	size_t comment = strcspn(text, "#;");
	uint64_t addr;
	char *stop;

	if (!end || text + comment < end || strstr(text, "//"))
		return ASM_NOWHERE;
	while (start > text && isxdigit((unsigned char)start[-1]))
		start--;
	if (start == end || start == text)
		return ASM_NOWHERE;
	addr = strtoull(start, &stop, 16);
	return stop == end ? addr : ASM_NOWHERE;
}

static void find_addresses(const struct table *t, struct asm_model *am, struct arena *mem)
{
	am->addr = arena_alloc(mem, (size_t)t->n_rows + 1, sizeof(*am->addr));
	am->target = arena_alloc(mem, (size_t)t->n_rows + 1, sizeof(*am->target));
	for (uint32_t i = 0; i < t->n_rows; i++) {
		const union cell *cell = t->cell + (size_t)i * N_DISASM_COLS;

		am->addr[i] = strtoull(cell[DISASM_ADDRESS].text, NULL, 16);
		am->target[i] = target_of(cell[DISASM_TEXT].text);
	}
}

/* A function that is inlined everywhere has no symbol: show where most of it is. */
static int make_inlined(const struct view *v, const struct query *q, struct asm_model *am, struct model *m,
			struct err *err)
{
	struct query there = *q;
	struct buf none = { 0 };
	struct err why;
	char text[24];
	int rc;

	am->has_wanted = asm_inlined_address(v, q, &am->wanted);
	if (!am->has_wanted)
		return ERR_USAGE;
	snprintf(text, sizeof(text), "0x%" PRIx64, am->wanted);
	there.pattern = text;
	rc = report_disasm_make(v, &there, &m->report, &none, &why);
	buf_release(&none);
	if (rc == 0)
		buf_addz(&m->notes, "inlined everywhere: this is the function that most of it was inlined into\n");
	if (rc == ERR_STOPPED)
		*err = why;
	return rc == 0 || rc == ERR_STOPPED ? rc : ERR_USAGE;
}

int asm_make(const struct ask *a, struct model *m, struct err *err)
{
	struct asm_model *am = arena_zalloc(m->mem, 1, sizeof(*am));
	struct view v;
	int rc = view_make(a->data->p, a->q, m->mem, &v, &m->notes, err);

	m->own = am;
	if (rc < 0)
		return rc;
	am->has_wanted = address_parse(a->q->pattern, &am->wanted);
	rc = report_disasm_make(&v, a->q, &m->report, &m->notes, err);
	if (rc == ERR_USAGE && !am->has_wanted)
		rc = make_inlined(&v, a->q, am, m, err);
	if (rc < 0)
		return rc;
	am->by_cum = a->q->sort == SORT_CUM;
	am->is_change = a->data->has_base;
	sort_routines(m->report.disasm, am, m->mem);
	find_addresses(&m->report.table, am, m->mem);
	return 0;
}
