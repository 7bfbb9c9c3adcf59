/*
 * weblist.c - the weblist report: instructions below their source lines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/filter.h"
#include "engine/query.h"
#include "report/weblist.h"

#include "base/mem.h"
#include "report/head.h"
#include "report/weblist_int.h"
#include "symbol/source/source_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MERGE = 20,
	EXPAND = 5,
	CALLS_MAX = 100, /* inlined calls listed for one instruction, the innermost ones */
	ROOM = 64 << 20, /* max size of the page, about, in bytes */
	FUNC_SIZE = 400, /* size of a function in the page without its texts, about */
	LINE_SIZE = 200, /* of a line */
	INST_SIZE = 300, /* of an instruction or a call */
};

/* Lines [begin, end) of a file that are shown together, and their instructions. */
struct weblist_part {
	const char *name;
	uint32_t file;
	int64_t begin, end;
	uint32_t lo, hi; /* uses */
};

/* Parts [lo, hi) of the same file. */
struct page_file {
	uint32_t lo, hi;
	int64_t flat; /* sum of its instructions, each once; only with max_groups */
};

struct page_builder {
	struct weblist_builder *w;
	struct source_files *sources;
	uint32_t *latest; /* [insts] index of the instruction that represents all instructions at its address */
	uint32_t *line;   /* [uses] index of the source line among lines that have uses */
	uint32_t n_weighed;
	struct weblist_part *part;
	size_t n_parts, cap_parts;
	struct weblist_values *weight; /* [n_weighed + n_parts] sums of lines, then of parts */
	size_t room;                   /* bytes that the page may still grow by */
	bool is_full;
	uint64_t n_hidden; /* inlined calls that are not listed */
	size_t n_complete; /* functions that are listed with all their lines */
	size_t n_funcs, n_lines, n_insts, n_calls;
	size_t cap_funcs, cap_lines, cap_insts, cap_calls;
	struct weblist out;
};

/* A use with its sort key, since qsort takes no context. */
struct sorted_use {
	struct weblist_use use;
	const char *file;
};

static int report_weblist_by_place(const void *a, const void *b)
{
	const struct sorted_use *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	if (order)
		return order;
	if (x->use.line != y->use.line)
		return x->use.line < y->use.line ? -1 : 1;
	return (x->use.order > y->use.order) - (x->use.order < y->use.order);
}

static void sort_uses(struct weblist_builder *w)
{
	struct sorted_use *sorted = mem_alloc(w->n_uses, sizeof(*sorted));

	for (uint32_t i = 0; i < w->n_uses; i++)
		sorted[i] = (struct sorted_use){ w->use[i], strtab_text(w->files, w->use[i].file) };
	assert(w->n_uses > 0);
	qsort(sorted, w->n_uses, sizeof(*sorted), report_weblist_by_place);
	for (uint32_t i = 0; i < w->n_uses; i++)
		w->use[i] = sorted[i].use;
	free(sorted);
}

struct weblist_at {
	uint64_t addr;
	uint32_t inst;
};

static int report_weblist_by_addr(const void *a, const void *b)
{
	const struct weblist_at *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->inst > y->inst) - (x->inst < y->inst);
}

static void find_latest(struct page_builder *p)
{
	uint32_t n = p->w->n_insts;
	struct weblist_at *at = mem_alloc(n, sizeof(*at));

	p->latest = mem_alloc(n, sizeof(*p->latest));
	for (uint32_t i = 0; i < n; i++)
		at[i] = (struct weblist_at){ p->w->inst[i].addr, i };
	if (n)
		qsort(at, n, sizeof(*at), report_weblist_by_addr);
	for (uint32_t i = n; i-- > 0;)
		p->latest[at[i].inst] =
			i + 1 < n && at[i + 1].addr == at[i].addr ? p->latest[at[i + 1].inst] : at[i].inst;
	free(at);
}

static const struct weblist_instruction *inst_of(const struct page_builder *p, uint32_t use)
{
	return &p->w->inst[p->latest[p->w->use[use].inst]];
}

/* Demangled name of the function of a use. */
static const char *report_weblist_name_of(const struct page_builder *p, uint32_t use)
{
	const struct weblist_use *u = &p->w->use[use];
	const char *name = p->w->inst[u->inst].frame[u->frame].name;
	const struct profile *profile = p->w->v->p;
	str_id id;

	if (strtab_find(profile->str, name, strlen(name), &id) && p->w->pretty[id])
		return profile_text(profile, p->w->pretty[id] - 1);
	return name;
}

static void report_weblist_add_part(struct page_builder *p, struct weblist_part new)
{
	struct weblist_part *last = p->n_parts ? &p->part[p->n_parts - 1] : NULL;

	if (last && last->file == new.file &&new.begin - last->end < MERGE &&strcmp(last->name, new.name) == 0) {
		last->end = new.end;
		last->hi = new.hi;
		return;
	}
	p->part = mem_grow(p->part, &p->cap_parts, p->n_parts + 1, sizeof(*p->part));
	p->part[p->n_parts++] = new;
}

/* Group adjacent lines of one function into parts. */
static void find_parts(struct page_builder *p)
{
	const struct weblist_use *use = p->w->use;

	p->line = mem_alloc(p->w->n_uses, sizeof(*p->line));
	for (uint32_t i = 0, end; i < p->w->n_uses; i = end, p->n_weighed++) {
		struct weblist_part new = { .name = report_weblist_name_of(p, i),
					    .file = use[i].file,
					    .begin = use[i].line,
					    .end = use[i].line + 1,
					    .lo = i };

		for (end = i; end < p->w->n_uses && use[end].file == use[i].file && use[end].line == use[i].line; end++)
			p->line[end] = p->n_weighed;
		new.hi = end;
		report_weblist_add_part(p, new);
	}
}

/* Sum up flat and cum of lines and parts. */
static void sum_lines(struct page_builder *p)
{
	uint32_t n_groups = p->n_weighed + (uint32_t)p->n_parts, n = 0;
	struct weblist_member *member = mem_alloc(2 * (size_t)p->w->n_uses, sizeof(*member));

	for (uint32_t i = 0; i < p->n_parts; i++)
		for (uint32_t use = p->part[i].lo; use < p->part[i].hi; use++) {
			uint32_t inst = p->latest[p->w->use[use].inst];

			member[n++] = (struct weblist_member){ inst, p->line[use] };
			member[n++] = (struct weblist_member){ inst, p->n_weighed + i };
		}
	p->weight = mem_zalloc(n_groups, sizeof(*p->weight));
	weblist_sum_groups(p->w, member, n, p->weight, n_groups);
	free(member);
}

/* Add a margin of lines to each part; adjacent parts divide the lines between them. Line 0 is unknown. */
static void extend_parts(struct page_builder *p)
{
	for (size_t i = 0; i < p->n_parts; i++) {
		struct weblist_part *this = &p->part[i], *before = i ? this - 1 : NULL;

		if (before && before->file == this->file) {
			int64_t half = (this->begin - before->end) / 2;

			half = half < EXPAND ? half : EXPAND;
			before->end += half;
			this->begin -= half;
			continue;
		}
		if (before)
			before->end += EXPAND;
		if (this->begin > EXPAND)
			this->begin -= EXPAND;
		else if (this->begin > 1)
			this->begin = 1;
	}
	if (p->n_parts)
		p->part[p->n_parts - 1].end += EXPAND;
}

/* Reserve room in the page. Returns false if it is full; everything after that is omitted. */
static bool take_room(struct page_builder *p, size_t n)
{
	p->is_full |= n > p->room || stop_is_set(p->w->q->stop);
	p->room -= p->is_full ? 0 : n;
	return !p->is_full;
}

/* Text of a line of a file; NULL if there is no such line. */
static const char *source_line(struct page_builder *p, const char *file, int64_t no)
{
	const struct source_file *f = source_files_get(p->sources, file);

	return no >= 1 && no <= f->n ? f->line[no - 1] : NULL;
}

/* Copy a string without leading and trailing white space. Like Go strings.TrimSpace. */
static const char *report_weblist_trimmed(const char *s, struct arena *mem)
{
	static const char blanks[] = " \t\n\v\f\r";
	size_t n = strlen(s), lo = strspn(s, blanks);

	while (n > lo && strchr(blanks, s[n - 1]))
		n--;
	return arena_strndup(mem, s + lo, n - lo);
}

/*
 * Add the inlined calls that contain an instruction, except those shared with the preceding instruction. Without a limit
 * the page would be cubic in the depth of the calls. Returns the number of outer calls that are omitted.
 */
static uint32_t report_weblist_add_calls(struct page_builder *p, const struct weblist_use *u,
					 const struct weblist_use *before)
{
	const struct frame *frame = p->w->inst[u->inst].frame;
	uint32_t n_known = before ? before->frame : 0, first = u->frame > CALLS_MAX ? u->frame - CALLS_MAX : 0;

	for (uint32_t j = first; j < u->frame; j++) {
		const struct frame *f = &frame[u->frame - 1 - j];
		const char *source;

		if (j < n_known) {
			const struct frame *known = &p->w->inst[before->inst].frame[before->frame - 1 - j];

			if (known->line == f->line && strcmp(known->file, f->file) == 0)
				continue;
			n_known = 0;
		}
		source = source_line(p, f->file, f->line);
		if (!take_room(p, INST_SIZE + strlen(f->file) + (source ? strlen(source) : 0)))
			return 0;
		p->out.call = mem_grow(p->out.call, &p->cap_calls, p->n_calls + 1, sizeof(*p->out.call));
		p->out.call[p->n_calls++] =
			(struct weblist_call){ j, source ? report_weblist_trimmed(source, p->w->mem) : "", f->file,
					       f->line };
	}
	p->n_hidden += first;
	return first;
}

static void report_weblist_add_inst(struct page_builder *p, uint32_t use, uint32_t first)
{
	const struct weblist_use *u = &p->w->use[use];
	const struct weblist_instruction *it = inst_of(p, use), *before = use > first ? inst_of(p, use - 1) : NULL;
	struct weblist_inst new = { .new_block = before && it->addr != before->addr + before->length,
				    .is_code = *it->text != 0,
				    .depth = u->frame,
				    .addr = it->obj_addr,
				    .text = it->text,
				    .file = it->file,
				    .line = it->line,
				    .flat = it->weight.flat,
				    .cum = it->weight.cum,
				    .lo = (uint32_t)p->n_calls };

	if (!take_room(p, INST_SIZE + strlen(it->text) + strlen(it->file)))
		return;
	new.n_hidden = report_weblist_add_calls(p, u, use > first ? u - 1 : NULL);
	new.hi = (uint32_t)p->n_calls;
	p->out.inst = mem_grow(p->out.inst, &p->cap_insts, p->n_insts + 1, sizeof(*p->out.inst));
	p->out.inst[p->n_insts++] = new;
}

/* Add a line with the uses [lo, hi). */
static void report_weblist_add_line(struct page_builder *p, int64_t no, const char *source, uint32_t lo, uint32_t hi)
{
	struct weblist_line new = { .kind = LINE_NO_CODE, .no = no, .lo = (uint32_t)p->n_insts };

	assert(lo <= hi && hi <= p->w->n_uses);
	if (!take_room(p, LINE_SIZE + strlen(source)))
		return;
	new.source = arena_strndup(p->w->mem, source, strlen(source));
	if (lo < hi) {
		new.flat = p->weight[p->line[lo]].flat;
		new.cum = p->weight[p->line[lo]].cum;
	}
	for (uint32_t i = lo; i < hi && new.kind != LINE_LIVE; i++)
		new.kind = *inst_of(p, i)->text || p->w->use[i].frame ? LINE_LIVE : LINE_DEAD;
	if (new.kind == LINE_LIVE)
		for (uint32_t i = lo; i < hi && !p->is_full; i++)
			report_weblist_add_inst(p, i, lo);
	new.hi = (uint32_t)p->n_insts;
	p->out.line = mem_grow(p->out.line, &p->cap_lines, p->n_lines + 1, sizeof(*p->out.line));
	p->out.line[p->n_lines++] = new;
}

static void report_weblist_add_func(struct page_builder *p, const struct weblist_part *part,
				    struct weblist_values weight)
{
	struct arena *mem = p->w->mem;
	const char *file = strtab_text(p->w->files, part->file);
	const struct source_file *f = source_files_get(p->sources, file);
	struct weblist_func new = { .flat = weight.flat, .cum = weight.cum, .lo = (uint32_t)p->n_lines };
	const struct weblist_use *use = p->w->use;
	uint32_t at = part->lo;

	if (!take_room(p, FUNC_SIZE + strlen(part->name) + 2 * strlen(file) + strlen(f->error) + strlen(f->tried)))
		return;
	new.name = arena_strndup(mem, part->name, strlen(part->name));
	new.file = arena_strndup(mem, file, strlen(file));
	new.path = arena_strndup(mem, f->path, strlen(f->path));
	new.error = arena_strndup(mem, f->error, strlen(f->error));
	new.tried = arena_strndup(mem, f->tried, strlen(f->tried));
	for (int64_t no = part->begin; no < part->end && !p->is_full; no++) {
		const char *source = source_line(p, file, no);
		uint32_t lo = at;

		while (at < part->hi && use[at].line == no)
			at++;
		if (!source && lo == at)
			continue;
		report_weblist_add_line(p, no,
					source    ? source
					: no == 0 ? "<instructions with unknown line numbers>"
						  : "???",
					lo, at);
	}
	assert(at == part->hi || p->is_full);
	p->n_complete += !p->is_full;
	new.hi = (uint32_t)p->n_lines;
	p->out.func = mem_grow(p->out.func, &p->cap_funcs, p->n_funcs + 1, sizeof(*p->out.func));
	p->out.func[p->n_funcs++] = new;
}

static int report_weblist_by_flat(const void *a, const void *b)
{
	const struct page_file *x = a, *y = b;

	if (x->flat != y->flat)
		return x->flat > y->flat ? -1 : 1;
	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Sum up the instructions of each file. */
static void sum_files(const struct page_builder *p, struct page_file *file, uint32_t n_files)
{
	struct weblist_member *member = mem_alloc(p->w->n_uses, sizeof(*member));
	struct weblist_values *weight = mem_zalloc(n_files, sizeof(*weight));
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_files; i++)
		for (uint32_t use = p->part[file[i].lo].lo; use < p->part[file[i].hi - 1].hi; use++)
			member[n++] = (struct weblist_member){ p->latest[p->w->use[use].inst], i };
	weblist_sum_groups(p->w, member, n, weight, n_files);
	for (uint32_t i = 0; i < n_files; i++)
		file[i].flat = weight[i].flat;
	free(weight);
	free(member);
}

/*
 * Add the functions of all files by name, or of at most max files by flat; max 0: all files. Returns the number of
 * functions that the page would have if there were room for all.
 */
static size_t report_weblist_add_files(struct page_builder *p, uint32_t max)
{
	struct page_file *file = mem_alloc(p->n_parts, sizeof(*file));
	size_t n_wanted = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_parts; i++) {
		if (n && p->part[i].file == p->part[i - 1].file)
			file[n - 1].hi++;
		else
			file[n++] = (struct page_file){ .lo = i, .hi = i + 1 };
	}
	if (max && n) {
		sum_files(p, file, n);
		qsort(file, n, sizeof(*file), report_weblist_by_flat);
	}
	p->out.n_all_files = n;
	p->out.n_files = max && max < n ? max : n;
	for (uint32_t k = 0; k < p->out.n_files; k++)
		for (uint32_t i = file[k].lo; i < file[k].hi; i++)
			if (p->weight[p->n_weighed + i].cum) {
				n_wanted++;
				report_weblist_add_func(p, &p->part[i], p->weight[p->n_weighed + i]);
			}
	free(file);
	return n_wanted;
}

/* Report what the page lacks. */
static void add_omissions(const struct page_builder *p, size_t n_wanted, struct buf *notes)
{
	if (p->n_complete < n_wanted)
		buf_addf(notes,
			 "weblist: showing %zu of %zu functions, since the page would be larger than %d MiB; "
			 "select fewer functions\n",
			 p->n_complete, n_wanted, ROOM >> 20);
	if (p->n_hidden)
		buf_addf(notes,
			 "weblist: %" PRIu64 " inlined calls are omitted, since at most %d are listed for an "
			 "instruction\n",
			 p->n_hidden, CALLS_MAX);
}

/* Build the lists of the page from inst and use. */
static int make_pages(struct weblist_builder *w, struct weblist *out, struct buf *notes, struct err *err)
{
	struct page_builder p = { .w = w, .room = ROOM };

	p.sources = source_files_new(w->v->p, &w->binaries.where);
	if (w->n_uses)
		sort_uses(w);
	find_latest(&p);
	find_parts(&p);
	sum_lines(&p);
	extend_parts(&p);
	add_omissions(&p, report_weblist_add_files(&p, w->q->max_groups), notes);
	assert(p.n_funcs <= p.n_parts && p.n_parts <= w->n_uses);
	p.out.n = (uint32_t)p.n_funcs;
	arena_own(w->mem, p.out.func);
	arena_own(w->mem, p.out.line);
	arena_own(w->mem, p.out.inst);
	arena_own(w->mem, p.out.call);
	*out = p.out;
	free(p.weight);
	free(p.part);
	free(p.line);
	free(p.latest);
	source_files_free(p.sources);
	return stop_check(w->q->stop, err);
}

static int report_report_weblist_make(struct weblist_builder *w, struct weblist *out, struct buf *notes,
				      struct err *err)
{
	int rc = weblist_read_samples(w, err);

	if (rc == 0 && !w->has_matched_names)
		rc = filter_no_matches(w->v->p, w->q->pattern, err);
	if (rc == 0)
		rc = weblist_read_code(w, notes, err);
	return rc < 0 ? rc : make_pages(w, out, notes, err);
}

int report_weblist_make(const struct view *v, const struct query *q, struct report *r, struct weblist *out,
			struct buf *notes, struct err *err)
{
	struct weblist_builder w = {
		.v = v, .q = q, .mem = arena_new(), .matched_names = strtab_new(), .files = strtab_new()
	};
	int rc;

	r->mem = w.mem;
	r->head.command = "weblist";
	r->head.is_whole = true;
	report_head_fill(&r->head, v, q, w.mem);
	binaries_init(&w.binaries, v->p, q, w.mem);
	rc = report_report_weblist_make(&w, out, notes, err);
	binaries_release(&w.binaries);
	strtab_free(w.matched_names);
	strtab_free(w.files);
	free(w.inst);
	free(w.use);
	return rc;
}
