/*
 * view_asm.c - the view Assembly: instructions with their weight
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_asm_int.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct disasm_routine *asm_routine(const struct pane *p)
{
	const struct asm_state *st = p->state;
	const struct asm_model *am = p->model->own;

	return am->routine[st->routine];
}

const union cell *asm_cell(const struct pane *p, uint32_t i)
{
	return p->model->report.table.cell + ((size_t)asm_routine(p)->lo + i) * N_DISASM_COLS;
}

/* The instruction of a routine at an address. Addresses go up. */
static bool find_address(const struct asm_model *am, const struct disasm_routine *r, uint64_t addr, uint32_t *out)
{
	*out = (uint32_t)lower_bound_u64(am->addr + r->lo, r->hi - r->lo, addr);
	return *out < r->hi - r->lo && am->addr[r->lo + *out] == addr;
}

bool asm_target(const struct pane *p, uint32_t i, uint32_t *out)
{
	const struct asm_model *am = p->model->own;
	const struct disasm_routine *r = asm_routine(p);

	return r->lo + i < r->hi && am->target[r->lo + i] != ASM_NOWHERE &&
	       find_address(am, r, am->target[r->lo + i], out);
}

static void remember(struct pane *p)
{
	const struct asm_model *am = p->model->own;
	const struct disasm_routine *r = asm_routine(p);
	struct asm_state *st = p->state;
	const char *name = r->n_names ? r->name[0] : "";

	if (!st->name || strcmp(st->name, name) != 0) {
		free(st->name);
		st->name = mem_strndup(name, strlen(name));
	}
	st->addr = r->lo < r->hi ? am->addr[r->lo + st->list.at] : 0;
}

/* Select a row; with some around it when it is out of sight. */
static void go(struct pane *p, uint32_t row)
{
	struct list *l = &((struct asm_state *)p->state)->list;
	uint32_t height = l->height > 0 ? (uint32_t)l->height : 1;

	if (row < l->top || row >= l->top + height)
		l->top = row > height / 3 ? row - height / 3 : 0;
	shell_list_go(l, row);
	remember(p);
}

/* The instructions of the routine that have weight, the hottest first. */
static void find_hot(struct pane *p)
{
	const struct asm_model *am = p->model->own;
	struct asm_state *st = p->state;
	struct code_weight *all = mem_alloc((size_t)st->list.n + 1, sizeof(*all));

	st->n_hot = 0;
	for (uint32_t i = 0; i < st->list.n; i++) {
		int64_t flat = asm_cell(p, i)[DISASM_FLAT].value, cum = asm_cell(p, i)[DISASM_CUM].value;

		code_values_add(&st->values, flat);
		code_values_add(&st->values, cum);
		if (flat || cum)
			all[st->n_hot++] = code_weight(flat, cum, am->by_cum, i);
	}
	code_sort_weights(all, st->n_hot);
	free(st->hot);
	st->hot = mem_alloc((size_t)st->n_hot + 1, sizeof(*st->hot));
	for (uint32_t i = 0; i < st->n_hot; i++)
		st->hot[i] = all[i].i;
	free(all);
}

/* Show routine i, from its hottest instruction. */
static void show(struct pane *p, uint32_t i)
{
	const struct asm_model *am = p->model->own;
	struct asm_state *st = p->state;
	const struct disasm_routine *r = am->routine[i];
	int height = st->list.height > 0 ? st->list.height : p->area.height - 2;

	st->routine = i;
	st->list = (struct list){ .n = r->hi - r->lo, .height = height, .left = st->list.left };
	st->values = (struct code_values){ .head = &p->model->report.head, .is_change = am->is_change, .width = 4 };
	st->addr_width = (int)strlen("address");
	if (st->list.n && (int)strlen(asm_cell(p, st->list.n - 1)[DISASM_ADDRESS].text) - 2 > st->addr_width)
		st->addr_width = (int)strlen(asm_cell(p, st->list.n - 1)[DISASM_ADDRESS].text) - 2;
	find_hot(p);
	go(p, st->n_hot ? st->hot[0] : 0);
}

/* The routine and the row of the instruction that begins at an address, or with is_in has it somewhere in it. */
static bool find_wanted(const struct asm_model *am, uint64_t addr, bool is_in, uint32_t *routine, uint32_t *row)
{
	for (uint32_t i = 0; i < am->n; i++) {
		const struct disasm_routine *r = am->routine[i];
		bool is_exact = find_address(am, r, addr, row);

		*routine = i;
		if (is_exact)
			return true;
		if (is_in && *row > 0 && *row < r->hi - r->lo) {
			--*row;
			return true;
		}
	}
	return false;
}

/* What was selected, else what the address asks for, else the hottest. */
static void shown(struct shell *s, struct pane *p)
{
	const struct asm_model *am = p->model->own;
	struct asm_state *st = p->state;
	uint32_t above = st->list.at - st->list.top, routine = 0, row = 0;
	uint64_t addr = st->addr;
	bool had = st->name != NULL;

	(void)s;
	st->n_jumps = 0;
	st->routines.at = 0;
	if (!had && am->has_wanted)
		addr = am->wanted;
	if (am->n == 0)
		return;
	if ((had || am->has_wanted) && find_wanted(am, addr, !had, &routine, &row)) {
		show(p, routine);
		go(p, row);
		if (had)
			st->list.top = row > above ? row - above : 0;
	} else {
		routine = 0;
		for (uint32_t i = am->n; had && i-- > 0;)
			routine = strcmp(am->routine[i]->n_names ? am->routine[i]->name[0] : "", st->name) == 0
					  ? i
					  : routine;
		show(p, routine);
	}
}

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	struct asm_state *st = p->state;

	(void)s;
	if (st->is_choosing)
		return shell_list_key(&st->routines, e);
	if (!shell_list_key(&st->list, e))
		return false;
	remember(p);
	return true;
}

static void push_jump(struct asm_state *st)
{
	st->jump = mem_grow(st->jump, &st->cap_jumps, st->n_jumps + 1, sizeof(*st->jump));
	st->jump[st->n_jumps++] = (struct asm_jump){ st->routine, st->list.at };
}

/* A function of the profile by its name, which may have parameters behind it; NULL when there is none. */
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

/* The function of the profile at a line of a file, of which only the last part is known. */
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

/* What the selected instruction is of, as the profile names it: objdump spells names in its own way. */
static const char *function_of(const struct pane *p)
{
	const struct asm_state *st = p->state;
	const struct disasm_routine *r = asm_routine(p);
	const struct profile *pr = p->model->data->p;
	const union cell *cell = st->list.n ? asm_cell(p, st->list.at) : NULL;
	const char *name = NULL;

	if (cell && !st->is_choosing) {
		name = function_named(pr, cell[DISASM_FUNCTION].text);
		name = name ? name : function_at(pr, cell[DISASM_FILE].text, cell[DISASM_LINE].value);
	}
	for (uint32_t i = 0; !name && i < r->n_names; i++)
		name = function_named(pr, r->name[i]);
	return name ? name : r->n_names ? r->name[0] : "";
}

static bool show_source(struct shell *s, struct pane *p, const struct event *e)
{
	const struct asm_state *st = p->state;

	(void)e;
	shell_source_open(s, function_of(p),
			  st->list.n && !st->is_choosing ? asm_cell(p, st->list.at)[DISASM_LINE].value : 0);
	return true;
}

/* Follow a jump or a call. What is no function that is shown is looked for. */
static bool follow(struct shell *s, struct pane *p, const struct event *e)
{
	struct asm_state *st = p->state;
	const struct asm_model *am = p->model->own;
	uint32_t routine, row;
	uint64_t target;

	(void)e;
	if (st->is_choosing) {
		st->is_choosing = false;
		show(p, st->routines.at);
		return true;
	}
	if (!st->list.n)
		return false;
	target = am->target[asm_routine(p)->lo + st->list.at];
	if (target == ASM_NOWHERE) {
		shell_say(s, false, "this jumps nowhere; e shows its source");
	} else if (asm_target(p, st->list.at, &row)) {
		push_jump(st);
		go(p, row);
	} else if (find_wanted(am, target, false, &routine, &row)) {
		push_jump(st);
		show(p, routine);
		go(p, row);
	} else {
		shell_linef(s, "disasm 0x%" PRIx64, target);
	}
	return true;
}

static bool jump_back(struct shell *s, struct pane *p, const struct event *e)
{
	struct asm_state *st = p->state;
	struct asm_jump from;

	(void)s;
	(void)e;
	if (st->is_choosing || !st->n_jumps)
		return false;
	from = st->jump[--st->n_jumps];
	if (from.routine != st->routine)
		show(p, from.routine);
	go(p, from.at);
	return true;
}

static bool go_hot(struct shell *s, struct pane *p, int by)
{
	struct asm_state *st = p->state;
	uint32_t i = 0, to = 0;

	if (st->is_choosing || !st->n_hot)
		return false;
	while (i < st->n_hot && st->hot[i] != st->list.at)
		i++;
	if (i < st->n_hot)
		to = by > 0 ? (i + 1) % st->n_hot : (i + st->n_hot - 1) % st->n_hot;
	go(p, st->hot[to]);
	shell_say(s, false, "instruction %s, %" PRIu32 " of %" PRIu32 " by weight",
		  asm_cell(p, st->hot[to])[DISASM_ADDRESS].text, to + 1, st->n_hot);
	return true;
}

static bool next_hot(struct shell *s, struct pane *p, const struct event *e)
{
	return go_hot(s, p, e->key == ']' ? 1 : -1);
}

static const char *row_text(const struct pane *p, uint32_t i, struct buf *scratch)
{
	const union cell *cell = asm_cell(p, i);

	scratch->len = 0;
	buf_addf(scratch, "%s ", cell[DISASM_ADDRESS].text);
	code_add_instruction(cell[DISASM_TEXT].text, scratch);
	buf_addf(scratch, " %s %s:%" PRId64, cell[DISASM_FUNCTION].text, cell[DISASM_FILE].text,
		 cell[DISASM_LINE].value);
	return buf_text(scratch);
}

static void find(struct shell *s, struct pane *p, uint32_t from, int by)
{
	struct asm_state *st = p->state;
	uint32_t row;

	if (code_find_row(st->find, p, row_text, st->list.n, from, by, &row))
		go(p, row);
	else
		shell_say(s, true, "\"%s\" is not in this function", p->search);
}

static void search(struct shell *s, struct pane *p, const char *text)
{
	struct asm_state *st = p->state;

	if (!st->find)
		st->find_from = st->list.at;
	st->find = code_find_new(st->find, text);
	if (*text && st->list.n && !st->is_choosing)
		find(s, p, st->find_from < st->list.n ? st->find_from : 0, 1);
}

static bool next_found(struct shell *s, struct pane *p, const struct event *e)
{
	struct asm_state *st = p->state;
	uint32_t n = st->list.n;
	int by = e->key == 'n' ? 1 : -1;

	if (!st->find)
		return go_hot(s, p, by);
	if (n && !st->is_choosing)
		find(s, p, by > 0 ? (st->list.at + 1) % n : (st->list.at + n - 1) % n, by);
	return true;
}

static bool go_routine(struct shell *s, struct pane *p, const struct event *e)
{
	struct asm_state *st = p->state;
	const struct asm_model *am = p->model->own;

	if (am->n < 2)
		shell_say(s, false, "only this function matches");
	else
		show(p, (st->routine + (e->key == '}' ? 1 : am->n - 1)) % am->n);
	return true;
}

static bool choose(struct shell *s, struct pane *p, const struct event *e)
{
	struct asm_state *st = p->state;

	(void)s;
	(void)e;
	st->is_choosing = !st->is_choosing;
	st->routines.at = st->routine;
	return true;
}

static bool leave(struct shell *s, struct pane *p, const struct event *e)
{
	struct asm_state *st = p->state;
	bool was = st->is_choosing;

	(void)s;
	(void)e;
	st->is_choosing = false;
	return was;
}

static bool toggle_intel(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_linef(s, "intel_syntax=%s", settings_query(s->now)->intel_syntax ? "false" : "true");
	return true;
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct asm_state *st = p->state;
	struct list *l = st->is_choosing ? &st->routines : &st->list;
	bool is_open = e->kind == EVENT_DOUBLE;
	uint32_t row;

	if (e->kind != EVENT_CLICK && !is_open)
		return move(s, p, e);
	if (!shell_list_row_at(l, e->y - (p->area.height - l->height), &row))
		return false;
	shell_list_go(l, row);
	if (!st->is_choosing)
		remember(p);
	return is_open ? follow(s, p, e) : true;
}

static void subject(struct shell *s, struct pane *p, struct buf *out)
{
	const struct asm_state *st = p->state;
	const struct asm_model *am = p->model->own;
	const struct disasm_routine *r = am->routine[st->routines.at];

	(void)s;
	if (st->is_choosing && r->n_names)
		shell_quote(r->name[0], out);
	else if (!st->is_choosing)
		shell_quote(function_of(p), out);
}

static void end(struct pane *p)
{
	struct asm_state *st = p->state;

	find_free(st->find);
	free(st->jump);
	free(st->hot);
	free(st->name);
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End h l Left Right", "move; sideways in long rows", NULL,
	  NULL, move },
	{ "Enter Space", "follow a jump or a call", "follow", "disasm 0xADDRESS", follow },
	{ "Backspace", "back from a jump, else to the view before", NULL, NULL, jump_back },
	{ "e", "the source at this line", "source", "list NAME", show_source },
	{ "] [", "next and last instruction by weight", "next hot", NULL, next_hot },
	{ "n N", "next and last match; without a search by weight", NULL, NULL, next_found },
	{ "} {", "next and last function that matches", NULL, NULL, go_routine },
	{ "L", "all functions that match, to choose one", NULL, NULL, choose },
	{ "I", "Intel's syntax, or AT&T's", "Intel", "intel_syntax=true", toggle_intel },
	{ "Esc", NULL, NULL, NULL, leave },
};

const struct pane_class shell_view_asm = {
	.title = "Assembly",
	.explain = "Instructions with their own weight (flat) and with what they call (cum). A sample counts for the "
		   "instruction it was taken at, which may be a little behind the one that took the time. On a jump "
		   "within the function a line leads to its target.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct asm_state),
	.make = asm_make,
	.shown = shown,
	.draw = asm_draw,
	.mouse = mouse,
	.subject = subject,
	.search = search,
	.end = end,
};
