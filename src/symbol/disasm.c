/*
 * disasm.c - machine code as text
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * We run objdump, since pprof prints its output. Each run reads symbols, and DWARF with --line-numbers: 0.1 to 0.2 s per
 * 100 MB, as much as 128 KiB of code or more. So close ranges share a run. objdump prints functions and lines only
 * where they change, so the text of a range can depend on the text before it; in that case the range gets its own run.
 *
 * Two threads run objdump and read its text, each into memory of its own, from which it copies the ranges.
 */
#include "config.h"

#include "symbol/disasm.h"

#include "base/child.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/search.h"
#include "symbol/demangle/demangle.h"
#include "symbol/frames.h"
#include "symbol/objdump.h"
#include "symbol/tools.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	GAP_MAX = 128 << 10,
	SHARED_MAX = 2 << 20, /* bytes of code of ranges that share a run; a MiB is 16 MB of text */
	THREADS_MAX = 2,
	OUTPUT_MAX = 512 << 20,
	SECONDS_MAX = 300,
};

/* Ranges [lo, hi) by start, and the highest of their stops. */
struct disasm_run {
	uint32_t lo, hi;
	uint64_t stop;
};

struct disasm_job {
	struct objdump tool;
	struct stop *stop;
	const char *path;
	const struct disasm_options *options;
	struct disasm_range **range; /* by start */
	struct disasm_run *run;      /* [n_runs] */
	uint32_t n_runs;
	pthread_mutex_t lock; /* guards the fields below */
	struct arena *mem;    /* of the results */
	bool has_files;       /* did objdump print the file of an instruction? */
	uint64_t n_done;      /* bytes of code */
	uint32_t next;        /* run */
	uint32_t failed;      /* the first run that failed, n_runs for none; its error follows */
	int rc;
	struct err err;
};

static int symbol_disasm_run(const struct disasm_job *j, uint64_t start, uint64_t stop, struct arena *mem,
			     struct objdump_text *out, struct err *err)
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
	argv[n++] = arena_printf(mem, "--start-address=0x%" PRIx64, start);
	argv[n++] = arena_printf(mem, "--stop-address=0x%" PRIx64, stop);
	if (j->options->intel && j->tool.is_llvm)
		argv[n++] = "--x86-asm-syntax=intel";
	else if (j->options->intel)
		argv[n++] = "-Mintel";
	argv[n++] = arena_printf(mem, "%s%s", *j->path == '-' ? "./" : "", j->path);
	argv[n] = NULL;
	rc = child_read(argv, OUTPUT_MAX, SECONDS_MAX, j->stop, &text, err);
	if (rc == 0)
		objdump_read(&text, start, stop, mem, out);
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

/* Would a run that starts at instruction i print the same function and line for it? objdump prints them if they differ
   from those of the preceding instruction, and the line with each function. */
static bool symbol_disasm_starts_alike(const struct objdump_text *t, uint32_t i)
{
	uint8_t before = t->before[i];

	if (!(before & OBJDUMP_SYMBOL))
		return false;
	if (!(before & OBJDUMP_KNOWN))
		return true;
	return before & OBJDUMP_FUNCTION && (before & OBJDUMP_LINE || (!*t->inst[i].file && !t->inst[i].line));
}

/* Would a run that stops at an address skip the same zeros before it? objdump skips them up to the next symbol. */
static bool symbol_disasm_stops_alike(const struct objdump_text *t, uint32_t lo, uint32_t hi, uint64_t stop)
{
	if (hi < t->n && t->inst[hi].addr == stop && t->before[hi] & OBJDUMP_SYMBOL)
		return true;
	for (uint32_t i = lo + 1; i <= hi; i++)
		if (t->before[i] & OBJDUMP_HOLE)
			return false;
	return true;
}

/* Find the instructions [lo, hi) of a range in the output for several ranges. Returns false if a run on this range
   alone could print other text. */
static bool symbol_disasm_find_range(const struct objdump_text *t, const struct disasm_range *r, uint32_t *lo,
				     uint32_t *hi)
{
	*lo = symbol_disasm_first_from(t, r->start);
	*hi = symbol_disasm_first_from(t, r->stop);
	return *lo < *hi && t->inst[*lo].addr == r->start && symbol_disasm_starts_alike(t, *lo) &&
	       symbol_disasm_stops_alike(t, *lo, *hi, r->stop);
}

/* The result of a range while instructions are added. Successive instructions with the same name share its copy. */
struct disasm_result {
	struct arena *mem;
	struct instruction *inst;
	uint32_t n;
	size_t cap;
	const char *function, *file;           /* last names that were copied */
	const char *function_copy, *file_copy; /* their copies */
};

static const char *symbol_disasm_copy(struct arena *mem, const char *text)
{
	return *text ? arena_strndup(mem, text, strlen(text)) : "";
}

static void symbol_disasm_append(struct disasm_result *r, const struct instruction *in)
{
	if (in->function != r->function)
		r->function_copy = symbol_disasm_copy(r->mem, in->function);
	if (in->file != r->file)
		r->file_copy = symbol_disasm_copy(r->mem, in->file);
	r->function = in->function;
	r->file = in->file;
	r->inst = mem_grow(r->inst, &r->cap, (size_t)r->n + 1, sizeof(*r->inst));
	r->inst[r->n++] = (struct instruction){ in->addr,         symbol_disasm_copy(r->mem, in->text),
						r->function_copy, r->file_copy,
						in->line,         in->n_left_out };
}

/* Append one instruction in place of n without samples. */
static void symbol_disasm_append_gap(struct disasm_result *r, const struct instruction *in, uint32_t n)
{
	if (n == 1) { /* a line about it would not be shorter */
		symbol_disasm_append(r, in);
		return;
	}
	symbol_disasm_append(
		r, &(struct instruction){ .addr = in->addr, .text = "", .function = "", .file = "", .n_left_out = n });
	r->inst[r->n - 1].text = arena_printf(r->mem, "... %" PRIu32 " instructions without samples", n);
}

/* Append those of the instructions [lo, hi) that are near samples, and what is between them. */
static void symbol_disasm_append_windows(struct disasm_result *r, const struct objdump_text *t, uint32_t lo,
					 uint32_t hi, const struct disasm_range *range, uint32_t n_around)
{
	uint32_t next = lo;

	for (uint32_t i = 0; i < range->n_samples; i++) {
		uint64_t sample = range->sample[i];
		uint32_t at = symbol_disasm_first_from(t, sample), first, end;

		at -= at > lo && (at >= hi || t->inst[at].addr > sample);
		first = at - lo > n_around ? at - n_around : lo;
		end = hi - at > n_around ? at + n_around + 1 : hi;
		if (first > next)
			symbol_disasm_append_gap(r, &t->inst[next], first - next);
		for (next = first > next ? first : next; next < end; next++)
			symbol_disasm_append(r, &t->inst[next]);
	}
	if (next < hi)
		symbol_disasm_append_gap(r, &t->inst[next], hi - next);
}

/* Copy the instructions [lo, hi), or those near samples, to the result of a range. */
static void symbol_disasm_keep(struct disasm_job *j, const struct objdump_text *t, uint32_t lo, uint32_t hi,
			       struct disasm_range *range)
{
	struct disasm_result r = { .mem = j->mem };

	pthread_mutex_lock(&j->lock);
	if (j->options->n_whole_max && hi - lo > j->options->n_whole_max)
		symbol_disasm_append_windows(&r, t, lo, hi, range, j->options->n_around);
	else
		for (uint32_t i = lo; i < hi; i++)
			symbol_disasm_append(&r, &t->inst[i]);
	for (uint32_t i = lo; i < hi && !j->has_files; i++)
		j->has_files = *t->inst[i].file;
	range->inst = arena_own(j->mem, r.inst);
	range->n = r.n;
	pthread_mutex_unlock(&j->lock);
}

static int run_alone(struct disasm_job *j, struct disasm_range *r, struct err *err)
{
	struct arena *mem = arena_new();
	struct objdump_text t;
	int rc = symbol_disasm_run(j, r->start, r->stop, mem, &t, err);

	if (rc == 0)
		symbol_disasm_keep(j, &t, 0, t.n, r);
	arena_free(mem);
	return rc;
}

/* Disassemble the ranges of a run. What a run of several ranges cannot give, for example because it takes too long, is
   read by a run for each. */
static int run_together(struct disasm_job *j, const struct disasm_run *run, struct err *err)
{
	struct arena *mem = arena_new();
	struct objdump_text t = { 0 };
	int rc = 0;

	if (run->hi - run->lo > 1) {
		rc = symbol_disasm_run(j, j->range[run->lo]->start, run->stop, mem, &t, err);
		if (rc < 0 || !is_ascending(&t))
			t.n = 0;
		rc = rc == ERR_STOPPED ? rc : 0;
	}
	for (uint32_t i = run->lo, lo, hi; rc == 0 && i < run->hi; i++) {
		if (t.n && symbol_disasm_find_range(&t, j->range[i], &lo, &hi))
			symbol_disasm_keep(j, &t, lo, hi, j->range[i]);
		else
			rc = run_alone(j, j->range[i], err);
	}
	arena_free(mem);
	return rc;
}

/* Bytes of code of a run. The last symbol of a binary has no end, so this is limited. */
static uint64_t symbol_disasm_size(const struct disasm_job *j, const struct disasm_run *run)
{
	uint64_t size = run->stop - j->range[run->lo]->start;

	return size < SHARED_MAX ? size : SHARED_MAX;
}

/* Take runs until there are none. After a failure only earlier runs are completed, so the first error is the same for
   any number of threads. */
static void symbol_disasm_work(void *arg, unsigned part)
{
	struct disasm_job *j = arg;

	(void)part;
	pthread_mutex_lock(&j->lock);
	while (j->next < j->failed) {
		uint32_t i = j->next++;
		struct err why;
		int rc;

		pthread_mutex_unlock(&j->lock);
		rc = run_together(j, &j->run[i], &why);
		pthread_mutex_lock(&j->lock);
		j->n_done += symbol_disasm_size(j, &j->run[i]);
		stop_set_done(j->stop, j->n_done);
		if (rc < 0 && i < j->failed) {
			j->failed = i;
			j->rc = rc;
			j->err = why;
		}
	}
	pthread_mutex_unlock(&j->lock);
}

static int symbol_disasm_by_start(const void *a, const void *b)
{
	const struct disasm_range *x = *(struct disasm_range *const *)a, *y = *(struct disasm_range *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->stop > y->stop) - (x->stop < y->stop);
}

/* Does the next range belong to a run that starts at start, and ends at stop so far? */
static bool symbol_disasm_is_near(const struct disasm_range *next, uint64_t start, uint64_t stop)
{
	return (next->start <= stop || next->start - stop <= GAP_MAX) && next->stop - start <= SHARED_MAX;
}

/* Divide the ranges into runs, and return the sum of their sizes. */
static uint64_t symbol_disasm_plan(struct disasm_job *j, uint32_t n)
{
	uint64_t size = 0;

	for (uint32_t i = 0, end; i < n; i = end) {
		struct disasm_run *run = &j->run[j->n_runs++];
		uint64_t start = j->range[i]->start, stop = j->range[i]->stop;

		for (end = i + 1; end < n && j->options->lines && symbol_disasm_is_near(j->range[end], start, stop);
		     end++)
			stop = j->range[end]->stop > stop ? j->range[end]->stop : stop;
		*run = (struct disasm_run){ i, end, stop };
		size += symbol_disasm_size(j, run);
	}
	return size;
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

			if (off[0] < off[1] && !range[i].inst[k].n_left_out)
				symbol_disasm_set_place(&range[i].inst[k], &frames.frame[off[0]], mem);
		}
	}
	free(addr);
}

/* Disassemble with the tool that was found. */
static int symbol_disasm_all(struct disasm_job *j, struct disasm_range *range, uint32_t n, struct err *err)
{
	unsigned n_threads = pool_size() < THREADS_MAX ? pool_size() : THREADS_MAX;

	j->range = mem_alloc(n, sizeof(struct disasm_range *));
	j->run = mem_alloc(n, sizeof(*j->run));
	for (uint32_t i = 0; i < n; i++)
		j->range[i] = &range[i];
	qsort(j->range, n, sizeof(struct disasm_range *), symbol_disasm_by_start);
	stop_begin(j->stop, "disassembling", symbol_disasm_plan(j, n));
	j->failed = j->n_runs;
	pthread_mutex_init(&j->lock, NULL);
	pool_run(symbol_disasm_work, j, n_threads < j->n_runs ? n_threads : j->n_runs);
	pthread_mutex_destroy(&j->lock);
	free(j->run);
	free(j->range);
	return j->rc < 0 ? err_set(err, j->rc, "%s", j->err.msg) : 0;
}

int disasm_ranges(struct object *o, const struct symbol_options *w, const struct disasm_options *options,
		  struct disasm_range *range, uint32_t n, struct arena *mem, struct err *err)
{
	struct disasm_job j = { .stop = w->stop, .path = object_path(o), .options = options, .mem = mem };
	int rc = tools_find_objdump(w, mem, &j.tool, err);

	if (rc == 0)
		rc = symbol_disasm_all(&j, range, n, err);
	if (rc == 0 && options->lines && !j.has_files)
		symbol_disasm_find_lines(o, w, range, n, mem);
	return rc;
}
