/*
 * disasm.c - the disasm report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/disasm.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "engine/graph.h"
#include "engine/query.h"
#include "report/disasm_int.h"
#include "report/head.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void builder_release(struct disasm_builder *m)
{
	for (uint32_t i = 0; i < m->n_objects; i++)
		free(m->object[i].node);
	binaries_release(&m->binaries);
	free(m->symbol);
}

/*
 * Symbols of more than WHOLE_MAX instructions are cut to the code around their samples, AROUND instructions on each side.
 * Both numbers are halved while the report would have more than ROWS_MAX rows.
 */
enum { WHOLE_MAX = 2000, AROUND = 64, AROUND_MIN = 2, ROWS_MAX = 100000, INSTRUCTION_SIZE = 4, HEADING_ROWS = 2 };

static const struct column columns[N_DISASM_COLS] = {
	[DISASM_ROUTINE] = { "routine", "", CELL_NAME },  [DISASM_ADDRESS] = { "address", "", CELL_NAME },
	[DISASM_FLAT] = { "flat", "flat", CELL_VALUE },   [DISASM_CUM] = { "cum", "cum", CELL_VALUE },
	[DISASM_TEXT] = { "instruction", "", CELL_NAME }, [DISASM_FUNCTION] = { "function", "", CELL_NAME },
	[DISASM_FILE] = { "file", "", CELL_NAME },        [DISASM_LINE] = { "line", "", CELL_COUNT },
};

/* Sums over nodes, with their divisors for a mean. */
struct disasm_weight {
	int64_t flat, flat_div, cum, cum_div;
};

static void report_disasm_add_node(struct disasm_weight *w, const struct nodes *nodes, uint32_t node)
{
	w->flat = num_add_capped(w->flat, nodes->flat[node]);
	w->cum = num_add_capped(w->cum, nodes->cum[node]);
	if (!nodes->flat_div)
		return;
	w->flat_div = num_add_capped(w->flat_div, nodes->flat_div[node]);
	w->cum_div = num_add_capped(w->cum_div, nodes->cum_div[node]);
}

static int report_disasm_by_name(const void *a, const void *b)
{
	const struct disasm_symbol *x = a, *y = b;
	int order = strcmp(x->name[0], y->name[0]);

	if (order == 0)
		order = (x->start > y->start) - (x->start < y->start);
	return order ? order : (x->object > y->object) - (x->object < y->object);
}

static int report_disasm_by_flat(const void *a, const void *b)
{
	const struct disasm_symbol *x = a, *y = b;

	if (x->flat != y->flat)
		return x->flat > y->flat ? -1 : 1;
	return report_disasm_by_name(a, b);
}

/* Last component of a path; "" for "". */
static const char *base_name(const char *path, struct arena *mem)
{
	struct buf base = { 0 };
	const char *out = "";

	if (!*path)
		return out;
	path_add_base(&base, path);
	out = arena_strndup(mem, base.data, base.len);
	buf_release(&base);
	return out;
}

/* The nodes up to the next instruction belong to this instruction. They may have names and lines that objdump does not
 * print. */
static void report_disasm_fill_row(union cell *cell, const struct disasm_builder *m, const struct instruction *it,
				   uint64_t next, const struct disasm_node **at, const struct disasm_node *end)
{
	const struct places *pl = m->nodes.places;
	const char *function = it->function, *file = it->file;
	struct disasm_weight w = { 0 };
	struct buf text = { 0 };
	int64_t line = it->line;

	for (; *at < end && (*at)->addr < next; ++*at) {
		uint32_t place = nodes_place(&m->nodes, (*at)->node);

		report_disasm_add_node(&w, &m->nodes, (*at)->node);
		file = *file ? file : places_file(pl, place);
		line = line ? line : places_detail(pl, place)->line;
		function = *function ? function : report_head_text(pl->p, pl->place[place].name, m->mem);
	}
	buf_addf(&text, "0x%" PRIx64, it->addr);
	cell[DISASM_ADDRESS].text = arena_strndup(m->mem, text.data, text.len);
	cell[DISASM_FLAT].value = nodes_mean(w.flat, w.flat_div);
	cell[DISASM_CUM].value = nodes_mean(w.cum, w.cum_div);
	cell[DISASM_TEXT].text = it->text;
	cell[DISASM_FUNCTION].text = function;
	cell[DISASM_FILE].text = base_name(file, m->mem);
	cell[DISASM_LINE].value = line;
	buf_release(&text);
}

static void fill_routine(struct report *r, struct disasm_routine *out, const struct disasm_builder *m,
			 const struct disasm_symbol *s)
{
	const struct disasm_node *at = m->object[s->object].node + s->lo, *end = m->object[s->object].node + s->hi;
	struct disasm_weight w = { 0 };

	assert(s->n_names > 0 && s->lo < s->hi && s->hi <= m->object[s->object].n);
	for (const struct disasm_node *node = at; node < end; node++)
		report_disasm_add_node(&w, &m->nodes, node->node);
	out->n_names = s->n_names;
	out->name = s->name;
	out->function = report_head_text(m->p, m->nodes.places->place[nodes_place(&m->nodes, at->node)].name, m->mem);
	out->flat = nodes_mean(w.flat, w.flat_div);
	out->cum = nodes_mean(w.cum, w.cum_div);
	out->lo = r->table.n_rows;
	for (uint32_t i = 0; i < s->range.n; i++) {
		union cell *cell = r->table.cell + (size_t)r->table.n_rows++ * N_DISASM_COLS;

		cell[DISASM_ROUTINE].text = s->name[0];
		report_disasm_fill_row(cell, m, &s->range.inst[i],
				       i + 1 < s->range.n ? s->range.inst[i + 1].addr : UINT64_MAX, &at, end);
	}
	out->hi = r->table.n_rows;
}

static int report_disasm_fill_table(struct report *r, const struct disasm_builder *m, struct err *err)
{
	struct disasm *d = arena_zalloc(r->mem, 1, sizeof(*d));
	uint64_t n_rows = 0;

	for (uint32_t i = 0; i < m->n_symbols; i++) {
		n_rows += m->symbol[i].range.n;
		for (uint32_t k = 0; k < m->symbol[i].range.n; k++)
			d->is_cut |= m->symbol[i].range.inst[k].n_left_out != 0;
	}
	if (n_rows > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "too many instructions for one report: %" PRIu64, n_rows);
	d->n = m->n_symbols;
	d->routine = arena_alloc(r->mem, d->n, sizeof(*d->routine));
	r->table.n_cols = N_DISASM_COLS;
	r->table.col = columns;
	r->table.cell = arena_alloc(r->mem, (size_t)n_rows * N_DISASM_COLS, sizeof(*r->table.cell));
	for (uint32_t i = 0; i < d->n; i++)
		fill_routine(r, &d->routine[i], m, &m->symbol[i]);
	assert(r->table.n_rows == n_rows);
	r->disasm = d;
	return 0;
}

/* Estimate the rows of the report. */
static uint64_t report_disasm_count_rows(const struct disasm_builder *m, const struct disasm_options *options)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->n_symbols; i++) {
		const struct disasm_range *r = &m->symbol[i].range;
		uint64_t n_whole = (r->stop - r->start) / INSTRUCTION_SIZE,
			 n_cut = r->n_samples * (2 * (uint64_t)options->n_around + 2) + 1;

		n += HEADING_ROWS + (n_whole <= options->n_whole_max || n_whole < n_cut ? n_whole : n_cut);
	}
	return n;
}

/* Choose which symbols are cut, and where. */
static void report_disasm_limit_rows(const struct disasm_builder *m, struct disasm_options *options)
{
	options->n_whole_max = WHOLE_MAX;
	options->n_around = AROUND;
	while (options->n_around > AROUND_MIN && report_disasm_count_rows(m, options) > ROWS_MAX) {
		options->n_whole_max /= 2;
		options->n_around /= 2;
	}
}

/* Disassemble all symbols of an object. Symbols are sorted by name, so the ranges of the object are copied to an
   array and back. */
static int report_disasm_disassemble(struct disasm_builder *m, uint32_t object, const struct disasm_options *options,
				     struct err *err)
{
	struct disasm_range *range = mem_alloc(m->n_symbols, sizeof(*range));
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; i < m->n_symbols; i++)
		if (m->symbol[i].object == object)
			range[n++] = m->symbol[i].range;
	if (n)
		rc = disasm_ranges(m->binaries.binary[object].o, &m->binaries.where, options, range, n, m->mem, err);
	for (uint32_t i = m->n_symbols; rc == 0 && i-- > 0;)
		if (m->symbol[i].object == object)
			m->symbol[i].range = range[--n];
	assert(rc < 0 || n == 0); /* every range was copied back */
	free(range);
	return rc;
}

/* Sort the symbols by name, or keep only those with the largest flat, in that order. */
static void sort_symbols(struct disasm_builder *m, uint32_t max)
{
	for (uint32_t i = 0; max && i < m->n_symbols; i++) {
		struct disasm_symbol *s = &m->symbol[i];
		struct disasm_weight w = { 0 };

		for (size_t k = s->lo; k < s->hi; k++)
			report_disasm_add_node(&w, &m->nodes, m->object[s->object].node[k].node);
		s->flat = nodes_mean(w.flat, w.flat_div);
	}
	qsort(m->symbol, m->n_symbols, sizeof(*m->symbol), max ? report_disasm_by_flat : report_disasm_by_name);
	if (max && m->n_symbols > max)
		m->n_symbols = max;
}

static int report_report_disasm_make(struct report *r, struct disasm_builder *m, const struct query *q,
				     struct buf *notes, struct err *err)
{
	struct disasm_options options = { .intel = q->intel_syntax, .lines = true };
	int rc = stop_check(q->stop, err);

	if (rc == 0)
		rc = report_disasm_find_symbols(m, q, notes, err);
	if (rc < 0)
		return rc;
	sort_symbols(m, q->max_groups);
	if (!q->all)
		report_disasm_limit_rows(m, &options);
	for (uint32_t i = 0; rc == 0 && i < m->binaries.n; i++)
		rc = report_disasm_disassemble(m, i, &options, err);
	if (rc == 0)
		rc = stop_check(q->stop, err);
	return rc < 0 ? rc : report_disasm_fill_table(r, m, err);
}

int report_disasm_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		       struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "disasm", .is_whole = true } };
	struct disasm_builder m = { .p = v->p, .mem = r.mem };
	struct query by_address = *q;
	struct places pl;
	struct graph g;
	int rc;

	by_address.by_object = true;
	rc = places_make(v->p, &by_address.filter, r.mem, &pl, err);
	if (rc < 0) {
		report_release(&r);
		return rc;
	}
	graph_make(v, &pl, r.mem, &g);
	m.nodes = g.nodes;
	report_head_fill(&r.head, v, q, r.mem);
	binaries_init(&m.binaries, v->p, q, r.mem);
	rc = report_report_disasm_make(&r, &m, &by_address, notes, err);
	builder_release(&m);
	places_release(&pl);
	if (rc < 0) {
		report_release(&r);
		return rc;
	}
	*out = r;
	return 0;
}
