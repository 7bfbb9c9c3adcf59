/*
 * weblist.c - the report weblist: instructions under the lines of their source
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/weblist.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "report/head.h"
#include "report/weblist_int.h"
#include "symbol/source_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MERGE = 20, EXPAND = 5, CALLS_MAX = 20000000 };

/* Lines [begin, end) of a file that are shown together, and the instructions under them. */
struct part {
	const char *name;
	uint32_t file;
	int64_t begin, end;
	int64_t flat, cum;
	uint32_t lo, hi; /* uses */
};

struct page_builder {
	struct web *w;
	struct source_files *sources;
	uint32_t *latest; /* [insts] the one that counts of those at the same address */
	struct part *part;
	size_t n_parts, cap_parts;
	size_t n_funcs, n_lines, n_insts, n_calls;
	size_t cap_funcs, cap_lines, cap_insts, cap_calls;
	struct weblist out;
};

/* A use with its sort key: qsort takes no context. */
struct sorted_use {
	struct web_use use;
	const char *file;
};

static int by_place(const void *a, const void *b)
{
	const struct sorted_use *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	if (order)
		return order;
	if (x->use.line != y->use.line)
		return x->use.line < y->use.line ? -1 : 1;
	return (x->use.order > y->use.order) - (x->use.order < y->use.order);
}

static void sort_uses(struct web *w)
{
	struct sorted_use *sorted = mem_alloc(w->n_uses, sizeof(*sorted));

	for (uint32_t i = 0; i < w->n_uses; i++)
		sorted[i] = (struct sorted_use){ w->use[i], strtab_text(w->files, w->use[i].file) };
	assert(w->n_uses > 0);
	qsort(sorted, w->n_uses, sizeof(*sorted), by_place);
	for (uint32_t i = 0; i < w->n_uses; i++)
		w->use[i] = sorted[i].use;
	free(sorted);
}

struct at {
	uint64_t addr;
	uint32_t inst;
};

static int by_addr(const void *a, const void *b)
{
	const struct at *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->inst > y->inst) - (x->inst < y->inst);
}

static void find_latest(struct page_builder *p)
{
	uint32_t n = p->w->n_insts;
	struct at *at = mem_alloc(n, sizeof(*at));

	p->latest = mem_alloc(n, sizeof(*p->latest));
	for (uint32_t i = 0; i < n; i++)
		at[i] = (struct at){ p->w->inst[i].addr, i };
	if (n)
		qsort(at, n, sizeof(*at), by_addr);
	for (uint32_t i = n; i-- > 0;)
		p->latest[at[i].inst] =
			i + 1 < n && at[i + 1].addr == at[i].addr ? p->latest[at[i + 1].inst] : at[i].inst;
	free(at);
}

static const struct web_inst *inst_of(const struct page_builder *p, uint32_t use)
{
	return &p->w->inst[p->latest[p->w->use[use].inst]];
}

/* The readable name of the function of a use. */
static const char *name_of(const struct page_builder *p, uint32_t use)
{
	const struct web_use *u = &p->w->use[use];
	const char *name = p->w->inst[u->inst].frame[u->frame].name;
	const struct profile *profile = p->w->v->p;
	str_id id;

	if (strtab_find(profile->str, name, strlen(name), &id) && p->w->pretty[id])
		return profile_text(profile, p->w->pretty[id] - 1);
	return name;
}

static void add_part(struct page_builder *p, struct part new)
{
	struct part *last = p->n_parts ? &p->part[p->n_parts - 1] : NULL;

	if (last && last->file == new.file &&new.begin - last->end < MERGE &&strcmp(last->name, new.name) == 0) {
		last->end = new.end;
		last->flat = num_add_capped(last->flat, new.flat);
		last->cum = num_add_capped(last->cum, new.cum);
		last->hi = new.hi;
		return;
	}
	p->part = mem_grow(p->part, &p->cap_parts, p->n_parts + 1, sizeof(*p->part));
	p->part[p->n_parts++] = new;
}

/* Lines of one function that are close together are a part. */
static void find_parts(struct page_builder *p)
{
	const struct web_use *use = p->w->use;

	for (uint32_t i = 0, end; i < p->w->n_uses; i = end) {
		struct part new = { .name = name_of(p, i),
				    .file = use[i].file,
				    .begin = use[i].line,
				    .end = use[i].line + 1,
				    .lo = i };

		for (end = i; end < p->w->n_uses && use[end].file == use[i].file && use[end].line == use[i].line;
		     end++) {
			new.flat = num_add_capped(new.flat, inst_of(p, end)->flat);
			new.cum = num_add_capped(new.cum, inst_of(p, end)->cum);
		}
		new.hi = end;
		add_part(p, new);
	}
}

/* Show some lines around each part; parts share the lines between them. Line 0 means unknown lines. */
static void widen_parts(struct page_builder *p)
{
	for (size_t i = 0; i < p->n_parts; i++) {
		struct part *this = &p->part[i], *before = i ? this - 1 : NULL;

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

/* A line of a file; NULL if it has no line of that number. */
static const char *source_line(struct page_builder *p, const char *file, int64_t no)
{
	const struct source_file *f = source_files_get(p->sources, file);

	return no >= 1 && no <= f->n ? f->line[no - 1] : NULL;
}

/* A copy without blanks on either side. Like Go strings.TrimSpace. */
static const char *trimmed(const char *s, struct arena *mem)
{
	static const char blanks[] = " \t\n\v\f\r";
	size_t n = strlen(s), lo = strspn(s, blanks);

	while (n > lo && strchr(blanks, s[n - 1]))
		n--;
	return arena_strndup(mem, s + lo, n - lo);
}

/* The calls around an instruction that were not around the one before it. */
static void add_calls(struct page_builder *p, const struct web_use *u, const struct web_use *before)
{
	const struct frame *frame = p->w->inst[u->inst].frame;
	uint32_t n_known = before ? before->frame : 0;

	for (uint32_t j = 0; j < u->frame; j++) {
		const struct frame *f = &frame[u->frame - 1 - j];
		const char *source;

		if (j < n_known) {
			const struct frame *known = &p->w->inst[before->inst].frame[before->frame - 1 - j];

			if (known->line == f->line && strcmp(known->file, f->file) == 0)
				continue;
			n_known = 0;
		}
		source = source_line(p, f->file, f->line);
		p->out.call = mem_grow(p->out.call, &p->cap_calls, p->n_calls + 1, sizeof(*p->out.call));
		p->out.call[p->n_calls++] =
			(struct weblist_call){ j, source ? trimmed(source, p->w->mem) : "", f->file, f->line };
	}
}

static void add_inst(struct page_builder *p, uint32_t use, uint32_t first)
{
	const struct web_use *u = &p->w->use[use];
	const struct web_inst *it = inst_of(p, use), *before = use > first ? inst_of(p, use - 1) : NULL;
	struct weblist_inst new = { .new_block = before && it->addr != before->addr + before->length,
				    .is_code = *it->text != 0,
				    .depth = u->frame,
				    .addr = it->obj_addr,
				    .text = it->text,
				    .file = it->file,
				    .line = it->line,
				    .flat = it->flat,
				    .cum = it->cum,
				    .lo = (uint32_t)p->n_calls };

	add_calls(p, u, use > first ? u - 1 : NULL);
	new.hi = (uint32_t)p->n_calls;
	p->out.inst = mem_grow(p->out.inst, &p->cap_insts, p->n_insts + 1, sizeof(*p->out.inst));
	p->out.inst[p->n_insts++] = new;
}

/* A line, and the uses [lo, hi) under it. */
static void add_line(struct page_builder *p, int64_t no, const char *source, uint32_t lo, uint32_t hi)
{
	struct weblist_line new = { .kind = LINE_NO_CODE,
				    .no = no,
				    .source = arena_strndup(p->w->mem, source, strlen(source)),
				    .lo = (uint32_t)p->n_insts };

	assert(lo <= hi && hi <= p->w->n_uses);
	for (uint32_t i = lo; i < hi; i++) {
		const struct web_inst *it = inst_of(p, i);

		new.flat = num_add_capped(new.flat, it->flat);
		new.cum = num_add_capped(new.cum, it->cum);
		if (new.kind != LINE_LIVE)
			new.kind = *it->text || p->w->use[i].frame ? LINE_LIVE : LINE_DEAD;
	}
	if (new.kind == LINE_LIVE)
		for (uint32_t i = lo; i < hi; i++)
			add_inst(p, i, lo);
	new.hi = (uint32_t)p->n_insts;
	p->out.line = mem_grow(p->out.line, &p->cap_lines, p->n_lines + 1, sizeof(*p->out.line));
	p->out.line[p->n_lines++] = new;
}

static void add_func(struct page_builder *p, const struct part *part)
{
	struct arena *mem = p->w->mem;
	const char *file = strtab_text(p->w->files, part->file);
	struct weblist_func new = { .name = arena_strndup(mem, part->name, strlen(part->name)),
				    .file = arena_strndup(mem, file, strlen(file)),
				    .flat = part->flat,
				    .cum = part->cum,
				    .lo = (uint32_t)p->n_lines };
	const struct web_use *use = p->w->use;
	uint32_t at = part->lo;

	for (int64_t no = part->begin; no < part->end; no++) {
		const char *source = source_line(p, file, no);
		uint32_t lo = at;

		while (at < part->hi && use[at].line == no)
			at++;
		if (!source && lo == at)
			continue;
		add_line(p, no, source ? source : no == 0 ? "<instructions with unknown line numbers>" : "???", lo, at);
	}
	assert(at == part->hi);
	new.hi = (uint32_t)p->n_lines;
	p->out.func = mem_grow(p->out.func, &p->cap_funcs, p->n_funcs + 1, sizeof(*p->out.func));
	p->out.func[p->n_funcs++] = new;
}

/* Limit the size of the page, which stacks of thousands of inlined calls would make quadratic. */
static int check_calls(const struct web *w, struct err *err)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < w->n_uses; i++)
		n += w->use[i].frame;
	return n <= CALLS_MAX
		       ? 0
		       : err_set(err, ERR_LIMIT, "inlined calls are too many for one page; choose fewer functions");
}

/* Make the lists of the page from inst and use. Fails ERR_LIMIT. */
static int make_pages(struct web *w, struct weblist *out, struct err *err)
{
	struct page_builder p = { .w = w };

	if (check_calls(w, err) < 0)
		return ERR_LIMIT;
	p.sources = source_files_new(w->v->p, &w->binaries.where);
	if (w->n_uses)
		sort_uses(w);
	find_latest(&p);
	find_parts(&p);
	widen_parts(&p);
	for (size_t i = 0; i < p.n_parts; i++)
		if (p.part[i].cum)
			add_func(&p, &p.part[i]);
	assert(p.n_funcs <= p.n_parts && p.n_parts <= w->n_uses);
	p.out.n = (uint32_t)p.n_funcs;
	arena_own(w->mem, p.out.func);
	arena_own(w->mem, p.out.line);
	arena_own(w->mem, p.out.inst);
	arena_own(w->mem, p.out.call);
	*out = p.out;
	free(p.part);
	free(p.latest);
	source_files_free(p.sources);
	return 0;
}

static int make(struct web *w, struct weblist *out, struct buf *notes, struct err *err)
{
	int rc = web_read_samples(w, err);

	if (rc == 0 && !w->any_interest)
		rc = err_set(err, ERR_USAGE, "no matches found for regexp: %s", w->q->pattern);
	if (rc == 0)
		rc = web_read_code(w, notes, err);
	return rc < 0 ? rc : make_pages(w, out, err);
}

int report_weblist_make(const struct view *v, const struct query *q, struct report *r, struct weblist *out,
			struct buf *notes, struct err *err)
{
	struct web w = { .v = v, .q = q, .mem = arena_new(), .interest = strtab_new(), .files = strtab_new() };
	int rc;

	r->mem = w.mem;
	r->head.command = "weblist";
	r->head.is_whole = true;
	report_head_fill(&r->head, v, q, w.mem);
	binaries_init(&w.binaries, v->p, q, w.mem);
	rc = make(&w, out, notes, err);
	binaries_release(&w.binaries);
	strtab_free(w.interest);
	strtab_free(w.files);
	free(w.inst);
	free(w.use);
	return rc;
}
