/*
 * dump.c - stacks from a text, those that are the same together
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/threads/dump.h"

#include "attach/threads_lines.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "symbol/demangle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTION_COLUMN = 40, NAME_COLUMNS = 2 * THREADS_WIDTH, SECONDS_PER_MINUTE = 60 };

/* A stack, and what it is sorted by: equal ones have the same hash. */
struct entry {
	const struct stacks_thread *t;
	uint64_t hash;
};

/* Entries [at, at + n), which are the same. */
struct group {
	size_t at, n;
	bool waits;
	uint64_t longest_s, shortest_s, cpu_ms;
};

struct dump {
	const struct stacks *s;
	struct entry *entry;
	size_t n;
	struct buf *out;
};

static uint64_t hash_text(uint64_t h, struct stacks_text t)
{
	return hash_mix(h ^ hash_u64(t.n), hash_bytes(t.s, t.n) ^ 0x9e3779b97f4a7c15);
}

static uint64_t hash_frame(uint64_t h, const struct stacks_frame *f)
{
	return hash_text(hash_text(h ^ hash_u64(f->line), f->function), f->file);
}

static uint64_t hash_thread(const struct stacks *s, const struct stacks_thread *t)
{
	uint64_t h = hash_text(hash_text(hash_text(hash_u64(t->n), t->state), t->more), t->labels);

	for (uint32_t i = 0; i < t->n; i++)
		h = hash_frame(h, &s->frame[t->first + i]);
	return t->created ? hash_frame(h, &t->creator) : h;
}

static int compare_texts(struct stacks_text a, struct stacks_text b)
{
	if (a.n != b.n)
		return a.n < b.n ? -1 : 1;
	return a.n ? memcmp(a.s, b.s, a.n) : 0;
}

static int compare_frames(const struct stacks_frame *a, const struct stacks_frame *b)
{
	int d = compare_texts(a->function, b->function);

	if (d == 0)
		d = compare_texts(a->file, b->file);
	return d ? d : (a->line > b->line) - (a->line < b->line);
}

static int compare_kinds(const struct stacks *s, const struct stacks_thread *a, const struct stacks_thread *b)
{
	int d = compare_texts(a->state, b->state);

	if (d == 0)
		d = compare_texts(a->more, b->more);
	if (d == 0)
		d = compare_texts(a->labels, b->labels);
	if (d == 0)
		d = (a->n > b->n) - (a->n < b->n);
	for (uint32_t i = 0; i < a->n && d == 0; i++)
		d = compare_frames(&s->frame[a->first + i], &s->frame[b->first + i]);
	if (d == 0)
		d = a->created - b->created;
	return d == 0 && a->created ? compare_frames(&a->creator, &b->creator) : d;
}

static int compare_entries(const void *a, const void *b, void *arg)
{
	const struct entry *x = a, *y = b;
	int d = (x->hash > y->hash) - (x->hash < y->hash);

	if (d == 0)
		d = compare_kinds(arg, x->t, y->t);
	return d ? d : (x->t->id > y->t->id) - (x->t->id < y->t->id);
}

/* The longest wait first; what does not wait comes last. The order does not depend on hashes. */
static int compare_groups(const void *a, const void *b, void *arg)
{
	const struct group *x = a, *y = b;
	const struct entry *entry = arg;

	if (x->longest_s != y->longest_s)
		return x->longest_s > y->longest_s ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return (entry[x->at].t > entry[y->at].t) - (entry[x->at].t < entry[y->at].t);
}

/* A program that serves itself says names of C++ and Rust as its symbol tables have them. */
static void add_function(struct buf *out, struct stacks_text name)
{
	struct buf symbol = { 0 };

	if (name.n > 2 && name.s[0] == '_')
		buf_add(&symbol, name.s, name.n);
	if (!symbol.len || !demangle(buf_text(&symbol), DEMANGLE_DEFAULT, out))
		buf_add(out, name.s, name.n);
	buf_release(&symbol);
}

/* Does a function of it match, as it is shown? */
static int matches(const struct stacks *s, const struct stacks_thread *t, struct regex *r, bool *out, struct err *err)
{
	int rc = 0;

	*out = false;
	for (uint32_t i = 0; i < t->n && rc == 0 && !*out; i++) {
		struct buf name = { 0 };

		add_function(&name, s->frame[t->first + i].function);
		rc = regex_match(r, buf_text(&name), name.len, out, err);
		buf_release(&name);
	}
	return rc;
}

static int pick(struct dump *d, struct regex *focus, struct regex *ignore, struct err *err)
{
	for (size_t i = 0; i < d->s->n; i++) {
		const struct stacks_thread *t = &d->s->thread[i];
		bool in = true, outside = false;

		if (focus && matches(d->s, t, focus, &in, err) < 0)
			return err->code;
		if (ignore && in && matches(d->s, t, ignore, &outside, err) < 0)
			return err->code;
		if (in && !outside)
			d->entry[d->n++] = (struct entry){ t, hash_thread(d->s, t) };
	}
	return 0;
}

static void add_safe(struct buf *out, struct stacks_text t)
{
	utf8_add_safe(out, t.s, t.n);
}

/* "3 to 14 minutes", in the unit of the text */
static void add_wait(struct buf *out, const struct group *g)
{
	uint64_t lo = g->shortest_s / SECONDS_PER_MINUTE, hi = g->longest_s / SECONDS_PER_MINUTE;

	assert(g->shortest_s <= g->longest_s);
	buf_addz(out, ", ");
	if (lo != hi)
		buf_addf(out, "%" PRIu64 " to ", lo);
	buf_addf(out, "%" PRIu64 " minute%s", hi, hi == 1 ? "" : "s");
}

static void add_name(struct buf *out, const struct stacks_thread *t)
{
	if (t->name.n) {
		buf_addz(out, "\"");
		add_safe(out, t->name);
		buf_addz(out, "\" ");
	}
	buf_addf(out, "%" PRIu64, t->id);
}

/* " 18, 19, 20, and 7 more" */
static void add_names(const struct dump *d, const struct group *g, struct buf *out)
{
	struct buf piece = { 0 };
	size_t used = 0, column = utf8_count(buf_text(out), out->len);

	for (size_t i = g->at; i < g->at + g->n; i++) {
		piece.len = 0;
		if (used > NAME_COLUMNS) {
			buf_addf(&piece, "and %zu more", g->at + g->n - i);
			attach_threads_add_piece(out, piece.data, piece.len, &column);
			break;
		}
		add_name(&piece, d->entry[i].t);
		buf_addz(&piece, i + 1 < g->at + g->n ? "," : "");
		attach_threads_add_piece(out, piece.data, piece.len, &column);
		used += piece.len;
	}
	buf_release(&piece);
}

/* "512 goroutines, chan receive, 3 to 14 minutes, locked to thread: 18, 19" */
static void add_head(const struct dump *d, const struct group *g)
{
	const struct stacks_thread *t = d->entry[g->at].t;
	struct buf head = { 0 };

	buf_addf(&head, "%zu %s%s, ", g->n, d->s->are_threads ? "thread" : "goroutine", g->n == 1 ? "" : "s");
	add_safe(&head, t->state);
	if (g->waits)
		add_wait(&head, g);
	if (t->more.n) {
		buf_addz(&head, ", ");
		add_safe(&head, t->more);
	}
	if (d->s->are_threads) {
		buf_addz(&head, ", cpu ");
		unit_add_label(&head, (int64_t)(g->cpu_ms & INT64_MAX), "ms", "auto");
	}
	buf_addz(&head, ":");
	add_names(d, g, &head);
	buf_addf(d->out, "\n%s\n", buf_text(&head));
	buf_release(&head);
}

static void add_frame(struct buf *out, const struct stacks_frame *f, const char *before, size_t column)
{
	struct buf function = { 0 }, place = { 0 };

	buf_addz(&function, before);
	add_function(&function, f->function);
	attach_threads_add_place(&place, f->file.s, f->file.n, f->line);
	attach_threads_add_line(out, buf_text(&function), &place, column);
	buf_release(&function);
	buf_release(&place);
}

static void add_group(const struct dump *d, const struct group *g)
{
	static const char created[] = "created by ";
	const struct stacks_thread *t = d->entry[g->at].t;
	const struct stacks_frame *f = &d->s->frame[t->first];
	size_t column = 0;

	assert(g->n > 0 && g->at + g->n <= d->n);
	add_head(d, g);
	if (t->labels.n) {
		struct buf labels = { 0 };

		add_safe(&labels, t->labels);
		buf_addz(d->out, "  labels: ");
		utf8_add_short(d->out, labels.data, labels.len, THREADS_WIDTH - strlen("  labels: ") - 1);
		buf_addz(d->out, "\n");
		buf_release(&labels);
	}
	for (uint32_t i = 0; i < t->n; i++)
		if (f[i].file.n && f[i].function.n > column && f[i].function.n <= FUNCTION_COLUMN)
			column = f[i].function.n;
	for (uint32_t i = 0; i < t->n; i++)
		add_frame(d->out, &f[i], "", column);
	if (t->created)
		add_frame(d->out, &t->creator, created, column);
	else if (t->n == 0)
		buf_addz(d->out, "    (no stack)\n");
}

static void make_groups(struct dump *d, struct group *group, size_t *n_groups)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct stacks_thread *t = d->entry[i].t;
		struct group *g;

		if (i == 0 || d->entry[i - 1].hash != d->entry[i].hash ||
		    compare_kinds(d->s, d->entry[i - 1].t, t) != 0)
			group[(*n_groups)++] = (struct group){ .at = i, .shortest_s = t->wait_s };
		assert(*n_groups <= d->n);
		g = &group[*n_groups - 1];
		g->n++;
		g->waits |= t->waits;
		g->cpu_ms += t->cpu_ms;
		if (t->wait_s > g->longest_s)
			g->longest_s = t->wait_s;
		if (t->wait_s < g->shortest_s)
			g->shortest_s = t->wait_s;
	}
}

static void add_title(const struct dump *d)
{
	const char *what = d->s->are_threads ? "thread" : "goroutine";

	if (d->s->reason.n) {
		struct buf safe = { 0 };

		add_safe(&safe, d->s->reason);
		utf8_add_short(d->out, safe.data, safe.len, THREADS_WIDTH - 1);
		buf_addz(d->out, "\n");
		buf_release(&safe);
	}
	if (d->n == d->s->n)
		buf_addf(d->out, "%zu %s%s\n", d->n, what, d->n == 1 ? "" : "s");
	else
		buf_addf(d->out, "%zu of %zu %ss\n", d->n, d->s->n, what);
}

int cmd_threads_dump(const struct stacks *s, struct regex *focus, struct regex *ignore, struct buf *out,
		     struct err *err)
{
	struct dump d = { .s = s, .entry = mem_alloc(s->n, sizeof(*d.entry)), .out = out };
	struct group *group = NULL;
	size_t n_groups = 0;
	int rc = pick(&d, focus, ignore, err);

	if (rc == 0) {
		qsort_r(d.entry, d.n, sizeof(*d.entry), compare_entries, (void *)(uintptr_t)s);
		group = mem_alloc(d.n + 1, sizeof(*group));
		make_groups(&d, group, &n_groups);
		qsort_r(group, n_groups, sizeof(*group), compare_groups, d.entry);
		add_title(&d);
		for (size_t i = 0; i < n_groups; i++)
			add_group(&d, &group[i]);
	}
	free(group);
	free(d.entry);
	return rc;
}
