/*
 * folded.c - one stack per line, for flame graph tools
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines are sorted by their bytes without comparing their text. First all names are ranked, each once followed by ; and
 * once by the end of the stack. No such text is a prefix of another, so the first different rank decides the order of
 * two stacks, and stacks with the same ranks are equal.
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "engine/places.h"
#include "engine/query.h"

#include <stdlib.h>
#include <string.h>

/* A name with its terminator: '\0' for a leaf, which sorts it first, else ';'. */
struct name {
	const char *text;
	uint32_t len;
	uint32_t place; /* 2 * place, + 1 for a leaf */
};

/* The sorted names of all places. */
struct folded_node_names {
	struct buf text;
	struct name *name; /* [n] sorted; a rank is an index of it */
	uint32_t n;
	uint32_t *rank; /* [2 * places + 2] ranks of a name followed by ';' and of a leaf */
};

/* A stack as ranks, root first unless inverted, and its values. */
struct export_folded_line {
	const uint32_t *rank;
	uint32_t n;
	int64_t before, after;
};

struct folded_writer {
	const struct view *v;
	struct places pl;
	struct folded_node_names names;
	bool has_two_columns, is_inverted;
	bool has_negative_base;  /* do negative rows belong to the base, even without its label? */
	int64_t *before, *after; /* [stacks] sums of base rows and of other rows */
	struct export_folded_line *line;
	size_t n;
	uint32_t *ranks; /* ranks of all lines */
};

/* The position of the last blank if only a number follows it, since tools would take the number for a column; else n.
 * */
static size_t blank_before_number(const char *s, size_t n)
{
	size_t i = n;

	while (i > 0 && ((s[i - 1] >= '0' && s[i - 1] <= '9') || s[i - 1] == '.'))
		i--;
	return i > 0 && i < n && s[i - 1] == ' ' ? i - 1 : n;
}

/* Append the name of a place, with everything escaped that would end the name or the line. */
static void folded_add_name(const struct places *pl, uint32_t place, struct buf *scratch, struct buf *out)
{
	size_t plain = 0, blank;

	if (place == pl->n) {
		buf_addz(out, "<no stack>");
		return;
	}
	scratch->len = 0;
	places_add_name(pl, place, scratch);
	blank = blank_before_number(scratch->data, scratch->len);
	for (size_t i = 0; i <= scratch->len; i++) {
		if (i < scratch->len && scratch->data[i] != ';' && scratch->data[i] != '\t' && i != blank)
			continue;
		utf8_add_safe(out, scratch->data + plain, i - plain);
		if (i < scratch->len)
			buf_addf(out, "\\x%02x", (unsigned)scratch->data[i]);
		plain = i + 1;
	}
}

static int folded_compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
}

static void sort_names(struct folded_node_names *names, const struct places *pl)
{
	size_t *off = mem_alloc((size_t)pl->n * 2 + 3, sizeof(*off));
	struct buf scratch = { 0 };
	uint32_t rank = 0;

	names->n = pl->n * 2 + 2;
	names->name = mem_alloc(names->n, sizeof(*names->name));
	names->rank = mem_alloc(names->n, sizeof(*names->rank));
	for (uint32_t i = 0; i < names->n; i++) {
		off[i] = names->text.len;
		folded_add_name(pl, i / 2, &scratch, &names->text);
		buf_add(&names->text, i % 2 ? "" : ";", 1);
	}
	off[names->n] = names->text.len;
	for (uint32_t i = 0; i < names->n; i++)
		names->name[i] = (struct name){ names->text.data + off[i], (uint32_t)(off[i + 1] - off[i]), i };
	qsort(names->name, names->n, sizeof(*names->name), folded_compare_names);
	for (uint32_t i = 0; i < names->n; i++) {
		if (i && folded_compare_names(&names->name[i - 1], &names->name[i]) != 0)
			rank = i;
		names->rank[names->name[i].place] = rank;
	}
	buf_release(&scratch);
	free(off);
}

/* Sum the rows of each stack. No sum overflows: view_make has checked that. */
static void folded_add_rows(struct folded_writer *f)
{
	const struct profile *p = f->v->p;
	struct arena *mem = arena_new();
	const bool *of_base = view_base_sets(p, mem);

	f->has_two_columns |= of_base != NULL;
	f->before = mem_zalloc(p->stacks.n, sizeof(*f->before));
	f->after = mem_zalloc(p->stacks.n, sizeof(*f->after));
	for (uint32_t row = 0; row < f->v->n; row++) {
		int64_t value = f->v->val[row];

		if ((of_base && of_base[p->labels[row]]) || (f->has_negative_base && value < 0))
			f->before[p->stack[row]] -= value;
		else
			f->after[p->stack[row]] += value;
	}
	arena_free(mem);
}

static int make_lines(struct folded_writer *f, struct err *err)
{
	const struct profile *p = f->v->p;
	size_t n_lines = 0, n_ranks = 0;
	uint32_t *at;

	for (uint32_t s = 0; s < p->stacks.n; s++) {
		if (f->before[s] || f->after[s]) {
			n_lines++;
			n_ranks += export_stacks_depth(&f->pl, s) + 1;
		}
	}
	if (export_stacks_check_bytes((uint64_t)n_ranks * sizeof(*at), err) < 0)
		return ERR_LIMIT;
	f->line = mem_alloc(n_lines, sizeof(*f->line));
	f->ranks = at = mem_alloc(n_ranks, sizeof(*at));
	stop_begin(f->v->stop, "listing stacks", p->stacks.n);
	for (uint32_t s = 0; s < p->stacks.n && !stop_step(f->v->stop, s); s++) {
		uint32_t *first = at;

		if (!f->before[s] && !f->after[s])
			continue;
		at = export_stacks_copy(&f->pl, s, f->is_inverted, at);
		if (at == first)
			*at++ = f->pl.n;
		for (uint32_t *r = first; r < at; r++)
			*r = f->names.rank[2 * *r + (r + 1 == at)];
		f->line[f->n++] =
			(struct export_folded_line){ first, (uint32_t)(at - first), f->before[s], f->after[s] };
	}
	return stop_check(f->v->stop, err);
}

static int folded_compare_lines(const void *a, const void *b)
{
	const struct export_folded_line *x = a, *y = b;
	uint32_t n = x->n < y->n ? x->n : y->n;

	for (uint32_t i = 0; i < n; i++)
		if (x->rank[i] != y->rank[i])
			return x->rank[i] < y->rank[i] ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n);
}

/* Sort the lines and merge equal ones. */
static void merge_lines(struct folded_writer *f)
{
	size_t n = 0;

	qsort(f->line, f->n, sizeof(*f->line), folded_compare_lines);
	for (size_t i = 0; i < f->n; i++) {
		if (n && folded_compare_lines(&f->line[n - 1], &f->line[i]) == 0) {
			f->line[n - 1].before += f->line[i].before;
			f->line[n - 1].after += f->line[i].after;
		} else {
			f->line[n++] = f->line[i];
		}
	}
	f->n = n;
	for (size_t i = 0; i < f->n; i++)
		f->has_two_columns |= f->line[i].after < 0 || f->line[i].before != 0;
}

/* Multiply a value; results beyond 64 bits saturate. */
static int64_t folded_scaled(int64_t value, double ratio)
{
	double v = (double)value * ratio;

	return v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? -INT64_MAX : (int64_t)v;
}

/* Multiply by the ratio. If a side is negative, show only the change: the other side gets the difference. */
static void show_values(struct export_folded_line *l, double ratio)
{
	if (ratio != 1) {
		l->before = folded_scaled(l->before, ratio);
		l->after = folded_scaled(l->after, ratio);
	}
	if (l->before < 0 || l->after < 0) {
		int64_t change = num_add_capped(l->after, -l->before);

		l->before = change < 0 ? -change : 0;
		l->after = change > 0 ? change : 0;
	}
}

static size_t folded_line_bytes(const struct folded_writer *f, const struct export_folded_line *l)
{
	size_t bytes = 2 * (NUM_DIGITS + 1) + 1;

	for (uint32_t i = 0; i < l->n; i++)
		bytes += f->names.name[l->rank[i]].len;
	return bytes;
}

static void folded_add_line(const struct folded_writer *f, const struct export_folded_line *l, struct buf *out)
{
	char *at = buf_room(out, folded_line_bytes(f, l));

	for (uint32_t i = 0; i < l->n; i++) {
		const struct name *name = &f->names.name[l->rank[i]];

		memcpy(at, name->text, name->len);
		at += name->len;
	}
	at[-1] = ' '; /* replaces the terminator of the leaf */
	if (f->has_two_columns) {
		at = num_put(at, l->before);
		*at++ = ' ';
	}
	at = num_put(at, l->after);
	*at++ = '\n';
	out->len = (size_t)(at - out->data);
	*at = 0;
}

static int folded_add_lines(struct folded_writer *f, double ratio, struct buf *out, struct err *err)
{
	size_t bytes = 0;

	for (size_t i = 0; i < f->n; i++)
		bytes += folded_line_bytes(f, &f->line[i]);
	if (export_stacks_check_bytes(bytes, err) < 0)
		return ERR_LIMIT;
	buf_room(out, bytes);
	stop_begin(f->v->stop, "writing stacks", f->n);
	for (size_t i = 0; i < f->n && !stop_step(f->v->stop, i); i++) {
		show_values(&f->line[i], ratio);
		if (f->line[i].before || f->line[i].after)
			folded_add_line(f, &f->line[i], out);
	}
	return stop_check(f->v->stop, err);
}

int export_folded(const struct view *v, const struct query *q, struct buf *out, struct err *err)
{
	struct arena *mem = arena_new();
	struct folded_writer f = { .v = v,
				   .has_two_columns = q->base.n || q->diff_base.n,
				   .is_inverted = q->inverted,
				   .has_negative_base = q->keep_base };
	int rc = places_make(v->p, &q->filter, mem, &f.pl, err);

	if (rc == 0) {
		sort_names(&f.names, &f.pl);
		folded_add_rows(&f);
		rc = make_lines(&f, err);
		if (rc == 0) {
			merge_lines(&f);
			rc = folded_add_lines(&f, query_ratio(q), out, err);
		}
		places_release(&f.pl);
	}
	buf_release(&f.names.text);
	free(f.names.name);
	free(f.names.rank);
	free(f.before);
	free(f.after);
	free(f.line);
	free(f.ranks);
	arena_free(mem);
	return rc;
}
