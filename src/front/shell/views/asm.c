/*
 * asm.c - the Assembly view: instructions with their values and jump targets
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/code_pane.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/regex.h"
#include "base/search.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/binaries.h"
#include "report/disasm.h"
#include "front/shell/quote.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asm_model {
	struct code_model code;                /* first member */
	const struct disasm_routine **routine; /* [code.n] the largest value first */
	uint64_t *addr;                        /* [rows of the table] */
	uint64_t *target;                      /* [rows] the target of a jump or call, or ASM_NOWHERE */
	bool has_wanted;                       /* is there an address to select, from the pattern or an inlined call? */
	uint64_t wanted;
};

#define ASM_NOWHERE UINT64_MAX

/* The origin of a jump. */
struct asm_jump {
	uint32_t routine, at;
};

struct asm_state {
	struct code_pane code; /* must be first; its rows are numbered from the function's lo in the table */
	struct asm_jump *jump; /* [n_jumps] */
	size_t n_jumps, cap_jumps;
	/* the selection, to find it again in another model */
	char *name;
	uint64_t addr;
};

static const struct code_class class;

/* ---- the model; on the worker's thread ---- */

/* Find the functions that match: [n_funcs]. */
static bool asm_match_functions(const struct profile *p, const char *pattern, bool *out)
{
	struct regex *rx;
	int rc = regex_new(pattern, &rx, NULL);

	if (rc < 0)
		return false;
	for (uint32_t f = 0; rc == 0 && f < p->n_funcs; f++) {
		str_id name = p->func_name[f];

		rc = regex_match(rx, profile_text(p, name), strtab_len(p->str, name), &out[f], NULL);
	}
	regex_free(rx);
	return rc == 0;
}

/* Is a matching function inlined into another one at a location? */
static bool is_inlined_at(const struct profile *p, const bool *match, uint32_t loc)
{
	uint32_t end = p->loc_line[loc + 1];

	for (uint32_t line = p->loc_line[loc]; line + 1 < end; line++)
		if (p->line_func[line] != PROFILE_NONE && match[p->line_func[line]])
			return true;
	return false;
}

/* Add up the samples of each location: [n_locs]. */
static void sum_locations(const struct view *v, const struct stop *stop, uint64_t *sum)
{
	const struct profile *p = v->p;
	uint32_t *last = mem_zalloc((size_t)p->n_locs + 1, sizeof(*last)); /* the last row counted, plus 1 */

	for (uint32_t row = 0; row < v->n; row++) {
		uint32_t lo = p->stacks.off[p->stack[row]], hi = p->stacks.off[p->stack[row] + 1];

		if (row % STOP_CHECK_INTERVAL == 0 && stop_is_set(stop))
			break;
		for (uint32_t i = lo; i < hi; i++) {
			uint32_t loc = stack_id_at(&p->stacks, i);

			if (last[loc] != row + 1) /* cannot overflow: view_make has checked the sum */
				sum[loc] += num_abs(v->val[row]);
			last[loc] = row + 1;
		}
	}
	free(last);
}

/* Find the address with the largest value at which a matching function was inlined; false when there is none. */
static bool asm_find_inlined(const struct view *v, const struct query *q, uint64_t *addr)
{
	const struct profile *p = v->p;
	bool *match = mem_zalloc((size_t)p->n_funcs + 1, sizeof(*match));
	uint64_t *sum = mem_zalloc((size_t)p->n_locs + 1, sizeof(*sum)), max = 0;

	if (asm_match_functions(p, q->pattern, match)) {
		sum_locations(v, q->stop, sum);
		for (uint32_t loc = 0; loc < p->n_locs; loc++)
			if (sum[loc] > max && p->loc_addr[loc] && is_inlined_at(p, match, loc)) {
				max = sum[loc];
				*addr = p->loc_addr[loc];
			}
	}
	free(match);
	free(sum);
	return max > 0;
}

static void asm_sort_routines(const struct disasm *d, struct asm_model *am, struct arena *mem)
{
	struct code_sort_key *all = arena_alloc(mem, d->n, sizeof(*all));

	assert(d->n > 0); /* report_disasm_make fails if there are none */
	am->code.n = d->n;
	am->routine = arena_alloc(mem, d->n, sizeof(*am->routine));
	for (uint32_t i = 0; i < d->n; i++)
		all[i] = code_sort_key(d->routine[i].flat, d->routine[i].cum, am->code.by_cum, i);
	code_sort(all, d->n);
	for (uint32_t i = 0; i < d->n; i++)
		am->routine[i] = &d->routine[all[i].i];
}

/*
 * The address that an instruction jumps to. objdump prints it before the symbol in angle brackets.
 * An address in a comment is a data address.
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

/* A function that is inlined everywhere has no symbol: show the function that contains most of it. */
static int make_inlined(const struct view *v, const struct query *q, struct asm_model *am, struct model *m,
			struct err *err)
{
	struct query at_address = *q;
	struct buf none = { 0 };
	struct err why;
	char text[24];
	int rc;

	am->has_wanted = asm_find_inlined(v, q, &am->wanted);
	if (!am->has_wanted)
		return ERR_USAGE;
	snprintf(text, sizeof(text), "0x%" PRIx64, am->wanted);
	at_address.pattern = text;
	rc = report_disasm_make(v, &at_address, &m->report, &none, &why);
	buf_release(&none);
	if (rc == 0)
		buf_addz(&m->notes, "inlined everywhere; showing the function that contains most of it\n");
	if (rc == ERR_STOPPED)
		*err = why;
	return rc == 0 || rc == ERR_STOPPED ? rc : ERR_USAGE;
}

static int asm_make(const struct model_request *a, struct model *m, struct err *err)
{
	struct asm_model *am = arena_zalloc(m->mem, 1, sizeof(*am));
	struct view v;
	int rc = view_make(a->joined, &a->q->filter, m->mem, &v, &m->notes, err);

	m->view_data = am;
	am->code.class = &class;
	if (rc < 0)
		return rc;
	am->has_wanted = address_parse(a->q->pattern, &am->wanted);
	rc = report_disasm_make(&v, a->q, &m->report, &m->notes, err);
	if (rc == ERR_USAGE && !am->has_wanted)
		rc = make_inlined(&v, a->q, am, m, err);
	if (rc < 0)
		return rc;
	am->code.by_cum = a->q->sort == SORT_CUM;
	am->code.is_change = a->is_change;
	asm_sort_routines(m->report.disasm, am, m->mem);
	find_addresses(&m->report.table, am, m->mem);
	return 0;
}

/* ---- current function and selection ---- */

/* The current function. */
static const struct disasm_routine *routine(const struct pane *p)
{
	const struct asm_state *st = p->state;
	const struct asm_model *am = p->model->view_data;

	assert(st->code.routine < am->code.n);
	return am->routine[st->code.routine];
}

/* The cells of an instruction of the current function. */
static const union cell *asm_cell(const struct pane *p, uint32_t i)
{
	assert(i < routine(p)->hi - routine(p)->lo);
	return p->model->report.table.cell + ((size_t)routine(p)->lo + i) * N_DISASM_COLS;
}

static const char *first_name(const struct disasm_routine *r)
{
	return r->n_names ? r->name[0] : "";
}

/* Find the instruction of a function at an address. Addresses are ascending. */
static bool find_address(const struct asm_model *am, const struct disasm_routine *r, uint64_t addr, uint32_t *out)
{
	*out = (uint32_t)lower_bound_u64(am->addr + r->lo, r->hi - r->lo, addr);
	return *out < r->hi - r->lo && am->addr[r->lo + *out] == addr;
}

/* Find the row that an instruction jumps to; false when it does not jump within the function. */
static bool target_row(const struct pane *p, uint32_t i, uint32_t *out)
{
	const struct asm_model *am = p->model->view_data;
	const struct disasm_routine *r = routine(p);

	return r->lo + i < r->hi && am->target[r->lo + i] != ASM_NOWHERE &&
	       find_address(am, r, am->target[r->lo + i], out);
}

static void asm_remember(struct pane *p)
{
	const struct asm_model *am = p->model->view_data;
	const struct disasm_routine *r = routine(p);
	struct asm_state *st = p->state;
	const char *name = first_name(r);

	if (!st->name || strcmp(st->name, name) != 0) {
		free(st->name);
		st->name = mem_strndup(name, strlen(name));
	}
	st->addr = r->lo < r->hi ? am->addr[r->lo + st->code.list.selected] : 0;
}

/* Select a row. If it is not visible, scroll so that some rows above it are visible too. */
static void asm_select_row(struct pane *p, uint32_t row)
{
	struct list *l = &((struct asm_state *)p->state)->code.list;
	uint32_t height = l->height > 0 ? (uint32_t)l->height : 1;

	if (row < l->top || row >= l->top + height)
		l->top = row > height / 3 ? row - height / 3 : 0;
	shell_list_select(l, row);
	asm_remember(p);
}

static bool asm_get_values(const struct pane *p, uint32_t i, int64_t *flat, int64_t *cum)
{
	*flat = asm_cell(p, i)[DISASM_FLAT].value;
	*cum = asm_cell(p, i)[DISASM_CUM].value;
	return true;
}

/* Show function i, from its hottest instruction. */
static void asm_show(struct pane *p, uint32_t i)
{
	const struct asm_model *am = p->model->view_data;
	struct asm_state *st = p->state;
	const struct disasm_routine *r = am->routine[i];
	int height = st->code.list.height > 0 ? st->code.list.height : p->area.height - 2, width;

	assert(i < am->code.n && r->lo <= r->hi);
	st->code.routine = i;
	st->code.list = (struct list){ .n = r->hi - r->lo, .height = height, .scroll_x = st->code.list.scroll_x };
	st->code.values = code_values(p);
	for (uint32_t row = 0; row < st->code.list.n; row++) {
		code_values_add(&st->code.values, asm_cell(p, row)[DISASM_FLAT].value);
		code_values_add(&st->code.values, asm_cell(p, row)[DISASM_CUM].value);
	}
	st->code.mark_width = (int)strlen("address");
	width = st->code.list.n ? (int)strlen(asm_cell(p, st->code.list.n - 1)[DISASM_ADDRESS].text + strlen("0x")) : 0;
	if (width > st->code.mark_width)
		st->code.mark_width = width;
	code_find_hot(p, 0, st->code.list.n, asm_get_values);
	asm_select_row(p, st->code.n_hot ? st->code.hot[0] : 0);
}

/* Find the instruction at an address; with is_in, the address may be any byte of it. */
static bool asm_find_wanted(const struct asm_model *am, uint64_t addr, bool is_in, uint32_t *routine, uint32_t *row)
{
	for (uint32_t i = 0; i < am->code.n; i++) {
		const struct disasm_routine *r = am->routine[i];
		bool is_exact = find_address(am, r, addr, row);

		*routine = i;
		if (is_exact || (is_in && *row > 0 && *row < r->hi - r->lo)) {
			*row -= !is_exact;
			return true;
		}
	}
	return false;
}

/* Show the earlier selection, else the requested address, else the hottest instruction. */
static void asm_model_changed(struct shell *s, struct pane *p)
{
	const struct asm_model *am = p->model->view_data;
	struct asm_state *st = p->state;
	uint32_t above = st->code.list.selected - st->code.list.top, routine = 0, row = 0;
	uint64_t addr = st->addr;
	bool had = st->name != NULL;

	(void)s;
	st->n_jumps = 0;
	st->code.routines.selected = 0;
	if (!had && am->has_wanted)
		addr = am->wanted;
	if ((had || am->has_wanted) && asm_find_wanted(am, addr, !had, &routine, &row)) {
		asm_show(p, routine);
		asm_select_row(p, row);
		if (had)
			st->code.list.top = row > above ? row - above : 0;
	} else {
		routine = 0;
		for (uint32_t i = am->code.n; had && i-- > 0;)
			routine = strcmp(first_name(am->routine[i]), st->name) == 0 ? i : routine;
		asm_show(p, routine);
	}
}

/* ---- keys ---- */

static void push_jump(struct asm_state *st)
{
	st->jump = mem_grow(st->jump, &st->cap_jumps, st->n_jumps + 1, sizeof(*st->jump));
	st->jump[st->n_jumps++] = (struct asm_jump){ st->code.routine, st->code.list.selected };
}

/* A function of the profile by its name, which may be followed by parameters; NULL when there is none. */
static const char *function_named(const struct profile *pr, const char *name)
{
	const char *found = NULL;

	for (uint32_t i = 0; i < pr->n_funcs; i++) {
		const char *text = profile_text(pr, pr->func_name[i]);
		size_t n = strlen(text);

		if (strcmp(text, name) == 0)
			return text;
		if (n && strncmp(text, name, n) == 0 && name[n] == '(')
			found = text;
	}
	return found;
}

/* The function of the profile at a line of a file, given by its base name. */
static const char *function_at(const struct profile *pr, const char *file, int64_t line)
{
	for (uint32_t i = 0; line > 0 && *file && i < pr->n_lines; i++) {
		uint32_t f = pr->line_func[i];

		if (pr->line_no[i] == line && f != PROFILE_NONE &&
		    strcmp(path_base(profile_text(pr, pr->func_file[f])), file) == 0)
			return profile_text(pr, pr->func_name[f]);
	}
	return NULL;
}

/* The function of the selected instruction by its name in the profile, because objdump formats names differently. */
static const char *asm_function(const struct pane *p)
{
	const struct asm_state *st = p->state;
	const struct disasm_routine *r = routine(p);
	const struct profile *pr = p->model->data->p;
	const union cell *cell = st->code.list.n ? asm_cell(p, st->code.list.selected) : NULL;
	const char *name = NULL;

	if (cell && !st->code.is_choosing) {
		name = function_named(pr, cell[DISASM_FUNCTION].text);
		name = name ? name : function_at(pr, cell[DISASM_FILE].text, cell[DISASM_LINE].value);
	}
	for (uint32_t i = 0; !name && i < r->n_names; i++)
		name = function_named(pr, r->name[i]);
	return name ? name : first_name(r);
}

static bool show_source(struct shell *s, struct pane *p, const struct event *e)
{
	const struct asm_state *st = p->state;

	(void)e;
	shell_source_open(
		s, asm_function(p),
		st->code.list.n && !st->code.is_choosing ? asm_cell(p, st->code.list.selected)[DISASM_LINE].value : 0);
	return true;
}

/* Follow a jump or a call. A target outside of the matching functions opens another report. */
static bool follow_jump(struct shell *s, struct pane *p, const struct event *e)
{
	struct asm_state *st = p->state;
	const struct asm_model *am = p->model->view_data;
	uint32_t other, row;
	uint64_t target;

	(void)e;
	if (code_accept_choice(p))
		return true;
	if (!st->code.list.n)
		return false;
	target = am->target[routine(p)->lo + st->code.list.selected];
	if (target == ASM_NOWHERE) {
		shell_notify(s, false, "no known jump target; e shows the source");
	} else if (target_row(p, st->code.list.selected, &row)) {
		push_jump(st);
		asm_select_row(p, row);
	} else if (asm_find_wanted(am, target, false, &other, &row)) {
		push_jump(st);
		asm_show(p, other);
		asm_select_row(p, row);
	} else {
		shell_run_linef(s, "disasm 0x%" PRIx64, target);
	}
	return true;
}

static bool jump_back(struct shell *s, struct pane *p, const struct event *e)
{
	struct asm_state *st = p->state;
	struct asm_jump from;

	(void)s;
	(void)e;
	if (st->code.is_choosing || !st->n_jumps)
		return false;
	from = st->jump[--st->n_jumps];
	if (from.routine != st->code.routine)
		asm_show(p, from.routine);
	asm_select_row(p, from.at);
	return true;
}

static const char *search_text(const struct pane *p, uint32_t i, struct buf *scratch)
{
	const union cell *cell = asm_cell(p, i);

	scratch->len = 0;
	buf_addf(scratch, "%s ", cell[DISASM_ADDRESS].text);
	code_add_instruction(cell[DISASM_TEXT].text, scratch);
	buf_addf(scratch, " %s %s:%" PRId64, cell[DISASM_FUNCTION].text, cell[DISASM_FILE].text,
		 cell[DISASM_LINE].value);
	return buf_text(scratch);
}

static bool toggle_intel(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_run_linef(s, "intel_syntax=%s", settings_query(s->settings)->intel_syntax ? "false" : "true");
	return true;
}

static void asm_add_selection(struct shell *s, struct pane *p, struct buf *out)
{
	const struct asm_state *st = p->state;
	const struct asm_model *am = p->model->view_data;
	const struct disasm_routine *r = am->routine[st->code.routines.selected];

	(void)s;
	if (st->code.is_choosing && r->n_names)
		shell_quote(r->name[0], out);
	else if (!st->code.is_choosing)
		shell_quote(asm_function(p), out);
}

static void asm_release_state(struct pane *p)
{
	struct asm_state *st = p->state;

	code_pane_release(p);
	free(st->jump);
	free(st->name);
}

/* ---- drawing ---- */

enum {
	TEXT_WIDTH = 34,  /* columns of an instruction */
	PLACE_WIDTH = 12, /* minimum columns of a source location */
};

/* Characters of the line from a jump to its target. */
enum { LINE_DOWN = 0x250c, LINE_UP = 0x2514, LINE_BETWEEN = 0x2502, LINE_OUT = 0x2500, LINE_HEAD = '>' };

/* Append for example "work prog.c:8"; the function only if it is not the function shown. */
static void asm_add_place(const union cell *cell, const union cell *first, struct buf *out)
{
	if (strcmp(cell[DISASM_FUNCTION].text, first[DISASM_FUNCTION].text) != 0 && *cell[DISASM_FUNCTION].text)
		buf_addf(out, "%s ", cell[DISASM_FUNCTION].text);
	buf_addz(out, cell[DISASM_FILE].text);
	if (*cell[DISASM_FILE].text && cell[DISASM_LINE].value)
		buf_addf(out, ":%" PRId64, cell[DISASM_LINE].value);
}

static bool is_same_place(const union cell *a, const union cell *b)
{
	return strcmp(a[DISASM_FUNCTION].text, b[DISASM_FUNCTION].text) == 0 &&
	       strcmp(a[DISASM_FILE].text, b[DISASM_FILE].text) == 0 && a[DISASM_LINE].value == b[DISASM_LINE].value;
}

/* Draw the source location of an instruction, unless it is that of the row above. end: column after its text. */
static void draw_place(const struct code_place *at, int end)
{
	const struct asm_state *st = at->p->state;
	const union cell *cell = asm_cell(at->p, at->i);
	struct style quiet = code_style(at, ROLE_MUTED);
	struct area row = at->area;
	struct buf place = { 0 };
	int x = at->c->text + TEXT_WIDTH;

	if (st->code.list.scroll_x || (at->i > st->code.list.top && is_same_place(cell, asm_cell(at->p, at->i - 1))) ||
	    row.width - x < PLACE_WIDTH)
		return;
	asm_add_place(cell, asm_cell(at->p, 0), &place);
	if (end + 2 > x && row.width - end - 2 >= PLACE_WIDTH)
		x = end + 2;
	if (place.len && (x > end || !at->is_selected)) {
		grid_fill(at->g, (struct area){ row.x + x - 2, row.y, row.width - x + 2, 1 }, ' ', quiet);
		grid_text_short(at->g, row, x, 0, buf_text(&place), row.width - x, quiet);
	}
	buf_release(&place);
}

/* Draw this row's part of the line from the selected jump to its target. */
static void draw_jump(const struct code_place *at)
{
	const struct asm_state *st = at->p->state;
	uint32_t from = st->code.list.selected, i = at->i, to;
	struct area row = at->area;
	struct style style = code_style(at, ROLE_KEY);
	bool is_down;
	uint32_t ch;

	if (!at->c->mark || !target_row(at->p, from, &to) || from == to)
		return;
	is_down = to > from;
	if (i == from || i == to)
		ch = (i == from) == is_down ? LINE_DOWN : LINE_UP;
	else if ((i > from) == is_down && (i < to) == is_down)
		ch = LINE_BETWEEN;
	else
		return;
	grid_fill(at->g, (struct area){ row.x + at->c->mark, row.y, 1, 1 }, ch, style);
	if (i == from || i == to)
		grid_fill(at->g, (struct area){ row.x + at->c->mark + 1, row.y, 1, 1 },
			  i == from ? LINE_OUT : LINE_HEAD, style);
}

static void asm_draw_extra(const struct code_place *at, int end)
{
	draw_place(at, end);
	draw_jump(at);
}

static void asm_fill_row(const struct pane *p, uint32_t i, struct code_row *row)
{
	const union cell *cell = asm_cell(p, i);

	row->has_values = true;
	row->flat = &cell[DISASM_FLAT].value;
	row->cum = cell[DISASM_CUM].value;
	row->mark = cell[DISASM_ADDRESS].text + strlen("0x");
	code_add_instruction(cell[DISASM_TEXT].text, &row->scratch);
	row->text = buf_text(&row->scratch);
	row->role = ROLE_PLAIN;
}

static void asm_draw_heading(const struct pane *p, const struct code_columns *c, struct grid *g, struct area line)
{
	(void)p;
	grid_text(g, line, c->text, 0, "instruction", theme_style(ROLE_HEADING));
	if (line.width - c->text - TEXT_WIDTH >= PLACE_WIDTH)
		grid_text(g, line, c->text + TEXT_WIDTH, 0, "source", theme_style(ROLE_HEADING));
}

/* Functions found by an address have their symbol name, which may be mangled. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

static void asm_add_name(const struct pane *p, struct buf *out)
{
	const struct disasm_routine *r = routine(p);

	if (r->n_names && is_mangled(r->name[0]) && r->lo < r->hi && *asm_cell(p, 0)[DISASM_FUNCTION].text)
		buf_addz(out, asm_cell(p, 0)[DISASM_FUNCTION].text);
	else
		for (uint32_t i = 0; i < r->n_names; i++)
			buf_addf(out, "%s%s", i ? " = " : "", r->name[i]);
}

/* ---- the view ---- */

static struct code_routine asm_routine_at(const struct pane *p, uint32_t i)
{
	const struct asm_model *am = p->model->view_data;

	assert(i < am->code.n);
	return (struct code_routine){ first_name(am->routine[i]), "", am->routine[i]->flat, am->routine[i]->cum };
}

static uint32_t hot_row(const struct pane *p)
{
	return ((const struct asm_state *)p->state)->code.list.selected;
}

static void asm_select_hot(struct pane *p, uint32_t hot, struct buf *out)
{
	asm_select_row(p, hot);
	buf_addf(out, "instruction %s", asm_cell(p, hot)[DISASM_ADDRESS].text);
}

static const struct code_class class = {
	.mark_title = "address",
	.routine = asm_routine_at,
	.add_name = asm_add_name,
	.show = asm_show,
	.select = asm_select_row,
	.remember = asm_remember,
	.open = follow_jump,
	.hot = hot_row,
	.select_hot = asm_select_hot,
	.search_text = search_text,
	.row = asm_fill_row,
	.draw_heading = asm_draw_heading,
	.draw_extra = asm_draw_extra,
};

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End h l Left Right", "move; scroll long rows sideways",
	  NULL, NULL, .act = code_move },
	{ "Enter Space", "follow a jump or a call", "follow", "disasm 0xADDRESS", .act = follow_jump },
	{ "Backspace", "back from a jump, else to the previous view", NULL, NULL, .act = jump_back },
	{ "e", "source of this instruction", "source", "list NAME", .act = show_source },
	{ "] [", "next and previous instruction by value", "next hot", NULL, .act = code_next_hot },
	{ "n N", "next and previous match; without a search, the same as ] and [", NULL, NULL, .act = code_next_found },
	{ "} {", "next and previous matching function", NULL, NULL, .act = code_next_routine },
	{ "L", "choose one of the matching functions", NULL, NULL, .act = code_choose },
	{ "I", "switch between Intel and AT&T syntax", "Intel", "intel_syntax=true", .act = toggle_intel },
	{ "Esc", NULL, NULL, NULL, .act = code_cancel_choice },
};

const struct pane_class shell_view_asm = {
	.title = "Assembly",
	.help = "Instructions with their flat and cum. A sample counts for the instruction at which it was taken, "
		"which may be slightly after the instruction that took the time. On a jump within the function, a "
		"line leads to its target.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct asm_state),
	.make = asm_make,
	.model_changed = asm_model_changed,
	.draw = code_draw,
	.mouse = code_mouse,
	.add_selection = asm_add_selection,
	.search = code_search,
	.release = asm_release_state,
};
