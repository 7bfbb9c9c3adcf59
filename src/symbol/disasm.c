/*
 * disasm.c - machine code as text
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * We run objdump, since pprof prints its output. With --line-numbers each run reads DWARF: 0.1 to 0.2 s per 100 MB. So
 * close ranges share a run. objdump prints functions and lines only where they change, so the text of a range can
 * depend on the text before it; in that case the range gets its own run.
 */
#include "config.h"

#include "symbol/disasm.h"

#include "base/child.h"
#include "base/mem.h"
#include "base/search.h"
#include "symbol/demangle/demangle.h"
#include "symbol/frames.h"
#include "symbol/objdump.h"
#include "symbol/tools.h"

#include <inttypes.h>
#include <stdlib.h>

enum { GAP_MAX = 16 << 10, OUTPUT_MAX = 512 << 20, SECONDS_MAX = 300 };

struct disasm_job {
	struct objdump tool;
	struct stop *stop;
	const char *path;
	const struct disasm_options *options;
	struct arena *mem;
};

static int symbol_disasm_run(const struct disasm_job *j, uint64_t start, uint64_t stop, struct objdump_text *out,
			     struct err *err)
{
	struct buf text = { 0 };
	const char *argv[12];
	size_t n = 0;
	int rc;

	argv[n++] = j->tool.path;
	argv[n++] = "--disassemble";
	argv[n++] = "--demangle";
	argv[n++] = "--no-show-raw-insn";
	if (j->options->lines)
		argv[n++] = "--line-numbers";
	argv[n++] = arena_printf(j->mem, "--start-address=0x%" PRIx64, start);
	argv[n++] = arena_printf(j->mem, "--stop-address=0x%" PRIx64, stop);
	if (j->options->intel && j->tool.is_llvm)
		argv[n++] = "--x86-asm-syntax=intel";
	else if (j->options->intel)
		argv[n++] = "-Mintel";
	argv[n++] = arena_printf(j->mem, "%s%s", *j->path == '-' ? "./" : "", j->path);
	argv[n] = NULL;
	rc = child_read(argv, OUTPUT_MAX, SECONDS_MAX, j->stop, &text, err);
	if (rc == 0)
		objdump_read(&text, start, stop, j->mem, out);
	buf_release(&text);
	return rc;
}

struct disasm_address_key {
	const struct objdump_text *t;
	uint64_t addr;
};

static bool symbol_disasm_is_below(const void *arg, size_t i)
{
	const struct disasm_address_key *key = arg;

	return key->t->inst[i].addr < key->addr;
}

static uint32_t symbol_disasm_first_from(const struct objdump_text *t, uint64_t addr)
{
	return (uint32_t)lower_bound(0, t->n, symbol_disasm_is_below, &(struct disasm_address_key){ t, addr });
}

static bool is_ascending(const struct objdump_text *t)
{
	for (uint32_t i = 1; i < t->n; i++)
		if (t->inst[i].addr <= t->inst[i - 1].addr)
			return false;
	return true;
}

/* Extract a range from the output for several ranges. Returns false if a run on this range alone could print other
   text. */
static bool take_range(const struct objdump_text *t, struct disasm_range *r)
{
	enum { ALL = OBJDUMP_SYMBOL | OBJDUMP_FUNCTION | OBJDUMP_LINE };
	uint32_t lo = symbol_disasm_first_from(t, r->start), hi = symbol_disasm_first_from(t, r->stop);
	uint8_t before = t->before[lo];

	if (lo == hi || t->inst[lo].addr != r->start || !(before & OBJDUMP_SYMBOL))
		return false;
	if ((before & OBJDUMP_KNOWN) && (before & ALL) != ALL)
		return false;
	for (uint32_t i = lo + 1; i <= hi; i++)
		if (t->before[i] & OBJDUMP_HOLE) /* the zeros that objdump skips depend on the end of the range */
			return false;
	r->inst = t->inst + lo;
	r->n = hi - lo;
	return true;
}

static int run_alone(const struct disasm_job *j, struct disasm_range *r, struct err *err)
{
	struct objdump_text t;
	int rc = symbol_disasm_run(j, r->start, r->stop, &t, err);

	if (rc == 0) {
		r->inst = t.inst;
		r->n = t.n;
	}
	return rc;
}

static int run_together(const struct disasm_job *j, struct disasm_range **range, uint32_t n, uint64_t stop,
			struct err *err)
{
	struct objdump_text t;
	int rc;

	if (n == 1)
		return run_alone(j, range[0], err);
	rc = symbol_disasm_run(j, range[0]->start, stop, &t, err);
	if (rc == 0 && !is_ascending(&t))
		t.n = 0;
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		if (t.n == 0 || !take_range(&t, range[i]))
			rc = run_alone(j, range[i], err);
	return rc;
}

static int symbol_disasm_by_start(const void *a, const void *b)
{
	const struct disasm_range *x = *(struct disasm_range *const *)a, *y = *(struct disasm_range *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->stop > y->stop) - (x->stop < y->stop);
}

static bool symbol_disasm_is_near(const struct disasm_range *next, uint64_t stop)
{
	return next->start <= stop || next->start - stop <= GAP_MAX;
}

static bool has_files(const struct disasm_range *range, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < range[i].n; k++)
			if (*range[i].inst[k].file)
				return true;
	return false;
}

static int symbol_disasm_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* All addresses of the ranges, sorted and unique: [*n], freed by the caller. */
static uint64_t *symbol_disasm_addresses_of(const struct disasm_range *range, uint32_t n_ranges, uint32_t *n)
{
	uint64_t *addr = NULL;
	size_t cap = 0, all = 0;
	uint32_t n_unique = 0;

	for (uint32_t i = 0; i < n_ranges; i++) {
		addr = mem_grow(addr, &cap, all + range[i].n + 1, sizeof(*addr));
		for (uint32_t k = 0; k < range[i].n; k++)
			addr[all++] = range[i].inst[k].addr;
	}
	if (all)
		qsort(addr, all, sizeof(*addr), symbol_disasm_by_number);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || addr[i] != addr[i - 1])
			addr[n_unique++] = addr[i];
	*n = n_unique;
	return addr;
}

static void symbol_disasm_set_place(struct instruction *in, const struct frame *f, struct arena *mem)
{
	struct buf name = { 0 };

	if (!*f->file)
		return;
	in->file = f->file;
	in->line = f->line;
	if (demangle(f->name, DEMANGLE_FULL, &name))
		in->function = arena_move(mem, &name);
	else if (*f->name)
		in->function = f->name;
	buf_release(&name);
}

/* Add lines when objdump printed none: it searches fewer places for DWARF than we do. */
static void symbol_disasm_find_lines(struct object *o, const struct symbol_options *w, struct disasm_range *range,
				     uint32_t n, struct arena *mem)
{
	struct frames frames = { 0 };
	uint32_t n_addrs;
	uint64_t *addr = symbol_disasm_addresses_of(range, n, &n_addrs);

	if (n_addrs)
		frames_find(o, w, addr, n_addrs, mem, &frames, NULL, NULL);
	for (uint32_t i = 0; frames.n && i < n; i++) {
		for (uint32_t k = 0; k < range[i].n; k++) {
			const uint64_t *at =
				bsearch(&range[i].inst[k].addr, addr, n_addrs, sizeof(*addr), symbol_disasm_by_number);
			const uint32_t *off = frames.off + (at - addr);

			if (off[0] < off[1])
				symbol_disasm_set_place(&range[i].inst[k], &frames.frame[off[0]], mem);
		}
	}
	free(addr);
}

int disasm_ranges(struct object *o, const struct symbol_options *w, const struct disasm_options *options,
		  struct disasm_range *range, uint32_t n, struct arena *mem, struct err *err)
{
	struct disasm_job j = { .stop = w->stop, .path = object_path(o), .options = options, .mem = mem };
	struct disasm_range **sorted;
	int rc = tools_find_objdump(w, mem, &j.tool, err);

	if (rc < 0)
		return rc;
	sorted = mem_alloc(n, sizeof(struct disasm_range *));
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = &range[i];
	qsort(sorted, n, sizeof(struct disasm_range *), symbol_disasm_by_start);
	for (uint32_t i = 0, end; rc == 0 && i < n; i = end) {
		uint64_t stop = sorted[i]->stop;

		for (end = i + 1; end < n && options->lines && symbol_disasm_is_near(sorted[end], stop); end++)
			stop = sorted[end]->stop > stop ? sorted[end]->stop : stop;
		rc = run_together(&j, sorted + i, end - i, stop, err);
	}
	free(sorted);
	if (rc == 0 && options->lines && !has_files(range, n))
		symbol_disasm_find_lines(o, w, range, n, mem);
	return rc;
}
