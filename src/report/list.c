/*
 * list.c - the list report
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The nodes of a graph by lines are sorted by function, file and line, so a routine (a function in one file) is a range
 * of nodes, and a source line a range within it.
 */
#include "config.h"

#include "report/list.h"

#include "base/mem.h"
#include "base/num.h"
#include "engine/filter.h"
#include "engine/graph.h"
#include "engine/matcher.h"
#include "engine/places.h"
#include "engine/query.h"
#include "engine/trim.h"
#include "report/binaries.h"
#include "report/head.h"
#include "symbol/debuginfod.h"
#include "symbol/source/source_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MARGIN = 5, /* number of lines shown before and after those with samples */
	MAX_ROWS = 4000000,
	MAX_TEXT = 1 << 30, /* max bytes of all lines together */
	MAX_NOTES = 3,      /* max missing files that are reported with the paths tried */
};

enum { ROUTINES = 1 << ROW_ROUTINE, LINES = 1 << ROW_LINE, INLINED = 1 << ROW_INLINED };

static const struct column columns[N_LIST_COLS] = {
	[LIST_FUNCTION] = { "function", "function", CELL_NAME },
	[LIST_FILE] = { "file", "file", CELL_NAME },
	[LIST_LINE] = { "line", "line", CELL_COUNT },
	[LIST_FLAT] = { "flat", "flat", CELL_VALUE },
	[LIST_FLAT_PCT] = { "flat_percent", "flat%", CELL_PERCENT },
	[LIST_CUM] = { "cum", "cum", CELL_VALUE },
	[LIST_CUM_PCT] = { "cum_percent", "cum%", CELL_PERCENT },
	[LIST_SOURCE] = { "source", "source", CELL_NAME },
	[LIST_PATH] = { "path", "path", CELL_NAME },
	[LIST_ERROR] = { "error", "error", CELL_NAME },
};

static const uint8_t has[N_LIST_COLS] = {
	[LIST_FUNCTION] = ROUTINES | LINES | INLINED,
	[LIST_FILE] = ROUTINES | LINES | INLINED,
	[LIST_LINE] = LINES | INLINED,
	[LIST_FLAT] = ROUTINES | LINES,
	[LIST_FLAT_PCT] = ROUTINES | LINES,
	[LIST_CUM] = ROUTINES | LINES | INLINED,
	[LIST_CUM_PCT] = ROUTINES | LINES | INLINED,
	[LIST_SOURCE] = LINES,
	[LIST_PATH] = ROUTINES,
	[LIST_ERROR] = ROUTINES,
};

/* A node to be listed, with its sort keys. */
struct list_node {
	const char *name, *file;
	size_t name_n;
	int64_t line;
	uint32_t node;
};

struct list_listing {
	const struct view *v;
	const struct query *q;
	struct places places;
	struct graph graph;
	struct nodes nodes;
	struct list_node *node; /* [n] sorted nodes */
	uint32_t n;
	struct edge *inlined;    /* inlined calls of listed nodes, by caller, then descending weight */
	uint32_t *inlined_first; /* [graph.n + 1] first inlined call of each caller; NULL if not wanted */
	struct source_files *files;
	struct report *r;
	uint8_t *role;
	size_t cap_cells, cap_roles, text;
	const char *name; /* name of the current routine */
	const char *file;
	struct buf *notes;
	struct strtab *missing; /* files that were not found */
};

/* Sums over some nodes. */
struct list_weight {
	int64_t flat, cum, flat_div, cum_div;
};

static void weight_add(struct list_weight *w, const struct nodes *nodes, uint32_t node)
{
	w->flat = num_add_capped(w->flat, nodes->flat[node]);
	w->cum = num_add_capped(w->cum, nodes->cum[node]);
	if (nodes->flat_div) {
		w->flat_div = num_add_capped(w->flat_div, nodes->flat_div[node]);
		w->cum_div = num_add_capped(w->cum_div, nodes->cum_div[node]);
	}
}

static const char *name_text(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct list_listing *l = arg;

	(void)scratch;
	*n = l->node[i].name_n;
	return l->node[i].name;
}

static int by_routine_and_line(const void *a, const void *b)
{
	const struct list_node *l = a, *r = b;
	int c = memcmp(l->name, r->name, l->name_n < r->name_n ? l->name_n : r->name_n);

	if (c == 0)
		c = (l->name_n > r->name_n) - (l->name_n < r->name_n);
	if (c == 0)
		c = strcmp(l->file, r->file);
	if (c == 0)
		c = (l->line > r->line) - (l->line < r->line);
	return c ? c : (l->node > r->node) - (l->node < r->node);
}

static struct list_node listed_of(const struct list_listing *l, uint32_t node)
{
	const struct profile *p = l->v->p;
	const struct place *k = &l->places.place[node];

	return (struct list_node){ .name = profile_text(p, k->name),
				   .file = places_file(&l->places, node),
				   .name_n = strtab_len(p->str, k->name),
				   .line = places_detail(&l->places, node)->line,
				   .node = node };
}

/* Match the names of nodes; out is [strings of the profile], 1 for each name that matches. */
static int match_list_names(struct list_listing *l, const struct trim_result *t, uint8_t **out, struct err *err)
{
	const struct place *place = l->places.place;
	uint8_t *match = arena_zalloc(l->r->mem, strtab_count(l->v->p->str), 1);
	uint8_t *yes = arena_zalloc(l->r->mem, t->n, 1);
	struct matcher m;
	uint32_t n = 0;
	int rc = matcher_init(&m, "argument", l->q->pattern, err);

	for (uint32_t i = 0; rc == 0 && i < t->n; i++) {
		str_id name = place[t->node[i]].name;

		if (!match[name])
			l->node[n++] = listed_of(l, t->node[i]);
		match[name] = 1;
	}
	m.stop = l->q->stop;
	if (rc == 0)
		rc = matcher_all(&m, name_text, l, n, yes, 1, err);
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		match[place[l->node[i].node].name] = yes[i];
	matcher_release(&m);
	*out = match;
	return rc;
}

/* Select the nodes with a matching function, and sort them. */
static int report_list_choose(struct list_listing *l, const struct trim_result *t, struct err *err)
{
	uint8_t *match;
	int rc;

	l->node = arena_alloc(l->r->mem, t->n, sizeof(*l->node));
	rc = match_list_names(l, t, &match, err);
	for (uint32_t i = 0; rc == 0 && i < t->n; i++)
		if (match[l->places.place[t->node[i]].name])
			l->node[l->n++] = listed_of(l, t->node[i]);
	if (rc == 0 && l->n == 0)
		return filter_no_matches(l->v->p, l->q->pattern, err);
	if (rc == 0)
		qsort(l->node, l->n, sizeof(*l->node), by_routine_and_line);
	return rc;
}

static int by_caller_and_weight(const void *a, const void *b)
{
	const struct edge *l = a, *r = b;
	uint64_t lw = num_abs(l->weight), rw = num_abs(r->weight);

	if (l->src != r->src)
		return l->src < r->src ? -1 : 1;
	if (lw != rw)
		return lw > rw ? -1 : 1;
	return (l->dst > r->dst) - (l->dst < r->dst);
}

/* Find the inlined calls in listed lines. */
static void report_list_find_inlined(struct list_listing *l, const struct trim_result *t)
{
	struct arena *mem = l->r->mem;
	bool *wanted = arena_zalloc(mem, l->graph.nodes.n, sizeof(*wanted));
	struct edges all;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		wanted[l->node[i].node] = true;
	graph_edges(&l->graph, t->keep, wanted, true, mem, &all);
	l->inlined = arena_alloc(mem, all.n, sizeof(*l->inlined));
	l->inlined_first = arena_zalloc(mem, (size_t)l->graph.nodes.n + 1, sizeof(*l->inlined_first));
	for (size_t i = 0; i < all.n; i++) {
		if (!all.edge[i].inlined || !wanted[all.edge[i].src] || all.edge[i].weight == 0)
			continue;
		l->inlined[n++] = all.edge[i];
		l->inlined_first[all.edge[i].src + 1]++;
	}
	for (uint32_t i = 0; i < l->graph.nodes.n; i++)
		l->inlined_first[i + 1] += l->inlined_first[i];
	assert(l->inlined_first[l->graph.nodes.n] == n);
	if (n)
		qsort(l->inlined, n, sizeof(*l->inlined), by_caller_and_weight);
}

static union cell *report_list_add_row(struct list_listing *l, enum row_role role, const char *function,
				       const char *file, int64_t line)
{
	struct table *t = &l->r->table;
	union cell *cell;

	t->cell = mem_grow(t->cell, &l->cap_cells, ((size_t)t->n_rows + 1) * N_LIST_COLS, sizeof(*t->cell));
	l->role = mem_grow(l->role, &l->cap_roles, (size_t)t->n_rows + 1, sizeof(*l->role));
	l->role[t->n_rows] = (uint8_t)role;
	cell = t->cell + (size_t)t->n_rows++ * N_LIST_COLS;
	memset(cell, 0, N_LIST_COLS * sizeof(*cell));
	cell[LIST_FUNCTION].text = function;
	cell[LIST_FILE].text = file;
	cell[LIST_LINE].value = line;
	cell[LIST_SOURCE].text = cell[LIST_PATH].text = cell[LIST_ERROR].text = "";
	return cell;
}

static void set_weight(union cell *cell, const struct list_weight *w)
{
	cell[LIST_FLAT].value = cell[LIST_FLAT_PCT].value = nodes_mean(w->flat, w->flat_div);
	cell[LIST_CUM].value = cell[LIST_CUM_PCT].value = nodes_mean(w->cum, w->cum_div);
}

static void report_list_add_inlined(struct list_listing *l, uint32_t node)
{
	for (uint32_t i = l->inlined_first[node]; i < l->inlined_first[node + 1]; i++) {
		const struct edge *e = &l->inlined[i];
		union cell *cell = report_list_add_row(
			l, ROW_INLINED, report_head_text(l->v->p, l->places.place[e->dst].name, l->r->mem),
			arena_strndup(l->r->mem, places_file(&l->places, e->dst),
				      strlen(places_file(&l->places, e->dst))),
			places_detail(&l->places, e->dst)->line);

		cell[LIST_CUM].value = cell[LIST_CUM_PCT].value = nodes_mean(e->weight, e->div);
	}
}

/* Range of lines to show for nodes [lo, hi). */
static void report_list_range_of(const struct list_listing *l, uint32_t lo, uint32_t hi, int64_t *first, int64_t *last)
{
	assert(lo < hi && hi <= l->n);
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (uint32_t i = lo; i < hi; i++) {
		int64_t line = l->node[i].line, start = places_detail(&l->places, l->node[i].node)->start;

		start = start ? start : num_add_capped(line, -MARGIN);
		line = num_add_capped(line, MARGIN);
		*first = start < *first ? start : *first;
		*last = line > *last ? line : *last;
	}
	*first = *first < 1 ? 1 : *first;
}

/* Add a row for a line with nodes [lo, hi). */
static int report_list_add_line(struct list_listing *l, const char *source, int64_t line, uint32_t lo, uint32_t hi,
				struct err *err)
{
	size_t n = strlen(source);
	struct list_weight w = { 0 };
	union cell *cell;

	l->text += n;
	if (l->r->table.n_rows >= MAX_ROWS || l->text > MAX_TEXT)
		return err_set(err, ERR_LIMIT,
			       "too many source lines in the functions that match; select fewer functions");
	for (uint32_t i = lo; i < hi; i++)
		weight_add(&w, &l->nodes, l->node[i].node);
	cell = report_list_add_row(l, ROW_LINE, l->name, l->file, line);
	cell[LIST_SOURCE].text = arena_strndup(l->r->mem, source, n);
	set_weight(cell, &w);
	for (uint32_t i = lo; l->inlined_first && i < hi; i++)
		report_list_add_inlined(l, l->node[i].node);
	return 0;
}

static int report_list_add_lines(struct list_listing *l, const struct source_file *f, uint32_t lo, uint32_t hi,
				 struct err *err)
{
	int64_t first, last;
	int rc = 0;

	report_list_range_of(l, lo, hi, &first, &last);
	if (l->q->whole_files) {
		first = 1;
		last = f->n;
	}
	last = last > (int64_t)f->n ? (int64_t)f->n : last;
	assert(first >= 1);
	for (int64_t line = first; rc == 0 && line <= last; line++) {
		uint32_t end;

		while (lo < hi && l->node[lo].line < line)
			lo++;
		for (end = lo; end < hi && l->node[end].line == line; end++)
			;
		rc = report_list_add_line(l, f->line[line - 1], line, lo, end, err);
		lo = end;
	}
	return rc;
}

/* Add the lines with samples of a file that was not found. */
static int add_bare_lines(struct list_listing *l, uint32_t lo, uint32_t hi, struct err *err)
{
	int rc = 0;

	for (uint32_t end; rc == 0 && lo < hi; lo = end) {
		for (end = lo + 1; end < hi && l->node[end].line == l->node[lo].line;)
			end++;
		rc = report_list_add_line(l, "", l->node[lo].line, lo, end, err);
	}
	return rc;
}

/* Report the paths that were tried for a missing file, for the first few files only. */
static void report_list_note_missing(struct list_listing *l, const struct source_file *f)
{
	uint32_t known = strtab_count(l->missing);

	if (*l->file == '<') /* <autogenerated> is not a file */
		return;
	if (strtab_addz(l->missing, l->file) < known || known > MAX_NOTES)
		return;
	buf_addf(l->notes, "%s was not found", l->file);
	for (const char *line = f->tried, *end; *line; line = end + 1) {
		end = line + strcspn(line, "\n");
		buf_addz(l->notes, line == f->tried ? "; tried " : ", ");
		buf_add(l->notes, line, (size_t)(end - line));
	}
	buf_addz(l->notes, "\n");
}

/* Add a function in one file: nodes [lo, hi). */
static int report_list_add_routine(struct list_listing *l, uint32_t lo, uint32_t hi, struct err *err)
{
	const struct source_file *f = NULL;
	struct list_weight w = { 0 };
	union cell *cell;

	assert(lo < hi && hi <= l->n);
	for (uint32_t i = lo; i < hi; i++)
		weight_add(&w, &l->nodes, l->node[i].node);
	l->name = report_head_text(l->v->p, l->places.place[l->node[lo].node].name, l->r->mem);
	l->file = arena_strndup(l->r->mem, l->node[lo].file, strlen(l->node[lo].file));
	cell = report_list_add_row(l, ROW_ROUTINE, l->name, l->file, 0);
	set_weight(cell, &w);
	if (!*l->file) {
		cell[LIST_ERROR].text = "no source information";
		return 0;
	}
	f = source_files_get(l->files, l->file);
	cell[LIST_PATH].text = arena_strndup(l->r->mem, f->path, strlen(f->path));
	cell[LIST_ERROR].text = arena_strndup(l->r->mem, f->error, strlen(f->error));
	if (!*f->error)
		return report_list_add_lines(l, f, lo, hi, err);
	report_list_note_missing(l, f);
	return l->q->bare_lines ? add_bare_lines(l, lo, hi, err) : 0;
}

/* Nodes without a file are used only if no node of the function has a file. */
static int add_routines(struct list_listing *l, struct err *err)
{
	uint32_t hi, n_missing;
	int rc = 0;

	for (uint32_t lo = 0; rc == 0 && lo < l->n && !stop_is_set(l->q->stop); lo = hi) {
		str_id name = l->places.place[l->node[lo].node].name;

		for (hi = lo; hi < l->n && l->places.place[l->node[hi].node].name == name &&
			      strcmp(l->node[hi].file, l->node[lo].file) == 0;)
			hi++;
		if (*l->node[lo].file || hi == l->n || l->places.place[l->node[hi].node].name != name)
			rc = report_list_add_routine(l, lo, hi, err);
	}
	n_missing = strtab_count(l->missing) - 1;
	if (n_missing > MAX_NOTES)
		buf_addf(l->notes, "%" PRIu32 " more source file%s not found\n", n_missing - MAX_NOTES,
			 n_missing - MAX_NOTES == 1 ? " was" : "s were");
	return rc;
}

static int report_list_fill_table(struct list_listing *l, struct err *err)
{
	struct report *r = l->r;
	struct symbol_options where;
	int rc;

	report_where(l->q, r->mem, &where);
	l->files = source_files_new(l->v->p, &where);
	l->missing = strtab_new();
	rc = add_routines(l, err);
	if (debuginfod_missing(&where, l->notes))
		buf_addz(l->notes, "\n");
	strtab_free(l->missing);
	source_files_free(l->files);
	arena_own(r->mem, r->table.cell);
	arena_own(r->mem, l->role);
	assert(r->table.n_rows <= l->cap_roles);
	r->table.n_cols = N_LIST_COLS;
	r->table.col = columns;
	r->table.role = l->role;
	r->table.has = has;
	return rc;
}

int report_list_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		     struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "list", .is_whole = true } };
	struct list_listing l = { .v = v, .q = q, .r = &r, .notes = notes };
	struct trim_result t;
	int rc = places_make(v->p, &q->filter, r.mem, &l.places, err);

	if (rc == 0) {
		graph_make(v, &l.places, r.mem, &l.graph);
		l.nodes = l.graph.nodes;
		trim_cut(&l.nodes, &q->filter, r.mem, &t);
		report_head_fill(&r.head, v, q, r.mem);
		rc = stop_check(q->stop, err);
		if (rc == 0)
			rc = report_list_choose(&l, &t, err);
		if (rc == 0 && q->inlined)
			report_list_find_inlined(&l, &t);
		if (rc == 0)
			rc = stop_check(q->stop, err);
		if (rc == 0)
			rc = report_list_fill_table(&l, err);
		if (rc == 0)
			rc = stop_check(q->stop, err);
		places_release(&l.places);
	}
	if (rc == 0)
		*out = r;
	else
		report_release(&r);
	return rc;
}
