/*
 * traces_rows.c - the samples of the Traces view: order, merging, filter, selection
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There can be millions of samples, whose data is already in columns. So rows are just sample numbers, which are
 * sorted, or merged if the names in their stacks are equal.
 *
 * A search first matches every name and label once, then the stacks and label sets that contain a match, then
 * samples. A million samples with stacks of 30 frames take 20 to 40 ms.
 */
#include "config.h"

#include "front/shell/views/traces.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/pool.h"
#include "base/search.h"
#include "base/unit.h"
#include "engine/query.h"
#include "engine/view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

struct stack_hasher {
	struct samples *m;
	const uint64_t *name; /* [names] */
	const uint8_t *used;  /* [stacks] */
	unsigned parts;
};

static uint64_t hash_stack(const struct traces *t, const uint64_t *name, uint32_t stack)
{
	uint64_t hash = 1;

	for (uint32_t i = t->stacks->off[stack]; i < t->stacks->off[stack + 1]; i++) {
		uint32_t loc = stack_id_at(t->stacks, i);

		for (uint32_t k = t->frames.off[loc]; k < t->frames.off[loc + 1]; k++)
			hash = hash_mix(hash ^ name[t->frames.item[k]], 0x9e3779b97f4a7c15);
	}
	return hash | 1;
}

static void hash_part(void *arg, unsigned part)
{
	const struct stack_hasher *x = arg;
	const struct traces *t = x->m->t;
	uint32_t lo = profile_stack_part(t->stacks, part, x->parts),
		 hi = profile_stack_part(t->stacks, part + 1, x->parts);

	for (uint32_t stack = lo; stack < hi; stack++)
		x->m->stack_hash[stack] = x->used[stack] ? hash_stack(t, x->name, stack) : 0;
}

static void hash_stacks(struct samples *m, struct arena *mem)
{
	const struct traces *t = m->t;
	uint64_t *name = mem_alloc(t->n_names, sizeof(*name));
	uint8_t *used = mem_zalloc(t->stacks->n, 1);
	struct stack_hasher x = { .m = m, .name = name, .used = used, .parts = pool_size() };

	m->stack_hash = arena_alloc(mem, t->stacks->n, sizeof(*m->stack_hash));
	for (uint32_t i = 0; i < t->n_names; i++)
		name[i] = hash_bytes(t->name[i], strlen(t->name[i]));
	for (uint32_t i = 0; i < t->n; i++)
		used[t->stack[i]] = 1;
	pool_run(hash_part, &x, x.parts);
	free(used);
	free(name);
}

/* A position in a stack. */
struct traces_rows_walk {
	const struct traces *t;
	uint32_t at, end, frame;
};

static const char *next_name(struct traces_rows_walk *w)
{
	const struct csr *frames = &w->t->frames;

	for (; w->at < w->end; w->at++, w->frame = 0) {
		uint32_t loc = stack_id_at(w->t->stacks, w->at);

		if (frames->off[loc] + w->frame < frames->off[loc + 1])
			return w->t->name[frames->item[frames->off[loc] + w->frame++]];
	}
	return NULL;
}

/* Are the names in two stacks the same? Equal hashes are not sufficient. */
static bool view_traces_rows_is_same(const struct traces *t, uint32_t a, uint32_t b)
{
	struct traces_rows_walk x = { t, t->stacks->off[a], t->stacks->off[a + 1], 0 },
				y = { t, t->stacks->off[b], t->stacks->off[b + 1], 0 };
	const char *l, *r;

	do {
		l = next_name(&x);
		r = next_name(&y);
	} while (l && r && strcmp(l, r) == 0);
	return !l && !r;
}

/* The entry of a sample's stack; a new entry if no earlier stack has the same names. */
static uint32_t view_traces_rows_entry_of(struct samples *m, struct idtab *ids, uint32_t sample)
{
	uint32_t stack = m->t->stack[sample], id;
	uint64_t hash = m->stack_hash[stack];

	for (size_t pos = idtab_start(ids, hash); idtab_next(ids, hash, &pos, &id);)
		if (view_traces_rows_is_same(m->t, m->t->stack[m->first[id]], stack))
			return id;
	assert(m->n < m->t->n);
	idtab_put(ids, hash, m->n);
	m->first[m->n] = sample;
	m->count[m->n] = 0;
	m->value[m->n] = 0;
	m->labels[m->n] = m->t->labels[sample];
	return m->n++;
}

static void view_traces_rows_merge(struct samples *m, struct arena *mem, struct stop *stop)
{
	const struct traces *t = m->t;
	uint32_t *entry = mem_alloc(t->stacks->n, sizeof(*entry)), max = t->n;
	struct idtab ids;

	memset(entry, 0xff, t->stacks->n * sizeof(*entry));
	max = max < t->stacks->n ? max : t->stacks->n;
	m->first = arena_alloc(mem, max, sizeof(*m->first));
	m->count = arena_alloc(mem, max, sizeof(*m->count));
	m->value = arena_alloc(mem, max, sizeof(*m->value));
	m->labels = arena_alloc(mem, max, sizeof(*m->labels));
	m->n = 0;
	idtab_init(&ids, 0);
	for (uint32_t i = 0; i < t->n && !stop_step(stop, i); i++) {
		uint32_t *e = &entry[t->stack[i]];

		if (*e == TRACES_NONE)
			*e = view_traces_rows_entry_of(m, &ids, i);
		m->count[*e]++;
		m->value[*e] += t->value[i]; /* no overflow: view_make has checked the sum */
		if (m->labels[*e] != t->labels[i])
			m->labels[*e] = TRACES_NONE;
	}
	idtab_release(&ids);
	free(entry);
}

enum { BITS = 11, BUCKETS = 1 << BITS };

/* One pass of a radix sort, by some bits of the distance to the largest value. Equal values keep their order. */
static void view_traces_rows_sort_by_bits(const int64_t *value, uint64_t max, unsigned shift, uint32_t n,
					  const uint32_t *from, uint32_t *to)
{
	uint32_t at[BUCKETS + 1] = { 0 };

#define BUCKET(i) ((max - num_abs(value[i])) >> shift & (BUCKETS - 1))
	for (uint32_t i = 0; i < n; i++)
		at[BUCKET(from[i]) + 1]++;
	for (uint32_t b = 0; b < BUCKETS; b++)
		at[b + 1] += at[b];
	for (uint32_t i = 0; i < n; i++)
		to[at[BUCKET(from[i])]++] = from[i];
#undef BUCKET
}

/* Sort by value, the largest first; equal values keep their order. */
static void view_traces_rows_sort(struct samples *m, struct arena *mem, const struct stop *stop)
{
	const int64_t *value = m->first ? m->value : m->t->value;
	uint32_t *from = arena_alloc(mem, m->n, sizeof(*from)), *to = arena_alloc(mem, m->n, sizeof(*to));
	uint64_t max = 0, min = UINT64_MAX;

	for (uint32_t i = 0; i < m->n; i++) {
		uint64_t v = num_abs(value[i]);

		from[i] = i;
		max = v > max ? v : max;
		min = v < min ? v : min;
	}
	for (unsigned shift = 0; shift < 64 && m->n && (max - min) >> shift && !stop_is_set(stop); shift += BITS) {
		uint32_t *done = to;

		view_traces_rows_sort_by_bits(value, max, shift, m->n, from, to);
		to = from;
		from = done;
	}
	m->order = from;
}

int shell_traces_model(const struct model_request *a, struct model *m, struct err *err)
{
	struct samples *x = arena_zalloc(m->mem, 1, sizeof(*x));
	struct view v;
	int rc;

	m->view_data = x;
	/* joined has one set of samples, in which those of the base are negative */
	rc = view_make(a->joined, &a->q->filter, m->mem, &v, &m->notes, err);
	if (rc == 0)
		rc = report_traces_make(&v, a->q, &m->report, &m->notes, err);
	if (rc < 0)
		return rc;
	x->t = m->report.traces;
	x->head = &m->report.head;
	x->flags = a->flags;
	if (v.mean && (a->flags & TRACES_MERGED)) {
		buf_addz(&m->notes, "averages cannot be added; showing samples separately\n");
		x->flags &= ~(unsigned)TRACES_MERGED;
	}
	x->n = x->t->n;
	stop_begin(a->q->stop, "comparing stacks", 0);
	hash_stacks(x, m->mem);
	if (x->flags & TRACES_MERGED)
		view_traces_rows_merge(x, m->mem, a->q->stop);
	if (x->flags & TRACES_BY_VALUE)
		view_traces_rows_sort(x, m->mem, a->q->stop);
	for (uint32_t i = 0; i < x->t->n && !x->has_labels; i++)
		x->has_labels = x->t->set_off[x->t->labels[i]] < x->t->set_off[x->t->labels[i] + 1];
	return stop_check(a->q->stop, err);
}

/* ---- rows ---- */

uint32_t shell_traces_entry(const struct samples *m, const struct traces_state *s, uint32_t row)
{
	uint32_t at = s->row ? s->row[row] : row;

	return m->order ? m->order[at] : at;
}

/* The first sample of an entry. */
static uint32_t sample_of(const struct samples *m, uint32_t entry)
{
	return m->first ? m->first[entry] : entry;
}

int64_t shell_traces_value(const struct samples *m, uint32_t entry)
{
	return m->first ? m->value[entry] : m->t->value[entry];
}

uint32_t shell_traces_count(const struct samples *m, uint32_t entry)
{
	return m->first ? m->count[entry] : 1;
}

uint32_t shell_traces_labels(const struct samples *m, uint32_t entry)
{
	return m->first ? m->labels[entry] : m->t->labels[entry];
}

void shell_traces_add_label(const struct traces *t, const struct trace_label *l, const char *between, struct buf *out)
{
	buf_addf(out, "%s:", l->key);
	for (uint32_t i = l->lo; i < l->hi; i++) {
		buf_addz(out, i == l->lo ? between : " ");
		if (l->unit)
			unit_add_label(out, t->value_of_label[i].number, l->unit, "auto");
		else
			buf_addz(out, t->value_of_label[i].text);
	}
}

uint32_t shell_traces_leaf(const struct samples *m, uint32_t entry)
{
	const struct traces *t = m->t;
	uint32_t stack = t->stack[sample_of(m, entry)];

	for (uint32_t i = t->stacks->off[stack]; i < t->stacks->off[stack + 1]; i++) {
		uint32_t loc = stack_id_at(t->stacks, i);

		if (t->frames.off[loc] < t->frames.off[loc + 1])
			return t->frames.item[t->frames.off[loc]];
	}
	return TRACES_NONE;
}

/* ---- search ---- */

static bool view_traces_rows_label_matches(const struct traces *t, const struct trace_label *l, struct find *find)
{
	struct buf text = { 0 };
	bool yes;

	shell_traces_add_label(t, l, "", &text);
	yes = find_matches(find, buf_text(&text));
	if (!yes) {
		text.len = 0;
		shell_traces_add_label(t, l, " ", &text); /* search the text as it is shown */
		yes = find_matches(find, buf_text(&text));
	}
	buf_release(&text);
	return yes;
}

static void match_parts(const struct traces *t, struct traces_state *s)
{
	s->name_hit = mem_alloc(t->n_names, 1);
	s->set_hit = mem_zalloc(t->n_sets, 1);
	for (uint32_t i = 0; i < t->n_names; i++)
		s->name_hit[i] = find_matches(s->find, t->name[i]);
	for (uint32_t set = 0; set < t->n_sets; set++)
		for (uint32_t i = t->set_off[set]; i < t->set_off[set + 1] && !s->set_hit[set]; i++)
			s->set_hit[set] = view_traces_rows_label_matches(t, &t->label[i], s->find);
}

struct stack_matcher {
	const struct traces *t;
	const uint64_t *used; /* [stacks] hash of the names; 0: no sample has the stack */
	const uint8_t *loc;   /* [locations] */
	uint8_t *stack;       /* [stacks] */
	unsigned parts;
};

static void match_part(void *arg, unsigned part)
{
	const struct stack_matcher *x = arg;
	const struct stack_lists *stacks = x->t->stacks;
	uint32_t hi = profile_stack_part(stacks, part + 1, x->parts);

	for (uint32_t stack = profile_stack_part(stacks, part, x->parts); stack < hi; stack++) {
		uint8_t yes = 0;

		for (uint32_t i = stacks->off[stack]; x->used[stack] && !yes && i < stacks->off[stack + 1]; i++)
			yes = x->loc[stack_id_at(stacks, i)];
		x->stack[stack] = yes;
	}
}

/* Find the stacks that contain a matching name; the caller frees. */
static uint8_t *view_traces_rows_match_stacks(const struct samples *m, const struct traces_state *s)
{
	const struct traces *t = m->t;
	uint8_t *loc = mem_zalloc(t->frames.n, 1);
	struct stack_matcher x = {
		.t = t, .used = m->stack_hash, .loc = loc, .stack = mem_alloc(t->stacks->n, 1), .parts = pool_size()
	};

	for (uint32_t l = 0; l < t->frames.n; l++)
		for (uint32_t i = t->frames.off[l]; i < t->frames.off[l + 1]; i++)
			loc[l] |= s->name_hit[t->frames.item[i]];
	pool_run(match_part, &x, x.parts);
	free(loc);
	return x.stack;
}

static void view_traces_rows_filter(const struct samples *m, struct traces_state *s)
{
	uint8_t *stack = view_traces_rows_match_stacks(m, s);

	s->row = mem_alloc(m->n, sizeof(*s->row));
	s->list.n = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t entry = m->order ? m->order[i] : i, labels = shell_traces_labels(m, entry);

		if (stack[m->t->stack[sample_of(m, entry)]] || (labels != TRACES_NONE && s->set_hit[labels]))
			s->row[s->list.n++] = i;
	}
	free(stack);
}

static void forget_filter(struct traces_state *s)
{
	find_free(s->find);
	free(s->row);
	free(s->name_hit);
	free(s->set_hit);
	s->find = NULL;
	s->row = NULL;
	s->name_hit = s->set_hit = NULL;
}

/* Find the rows that match a text, without restoring the selection. */
static void view_traces_rows_find(const struct samples *m, struct traces_state *s, const char *text)
{
	forget_filter(s);
	s->list.n = m->n;
	s->entry = TRACES_NONE;
	if (!*text)
		return;
	s->find = find_new(text);
	match_parts(m->t, s);
	view_traces_rows_filter(m, s);
}

/* The index of a row among all entries. */
static uint32_t view_traces_rows_place_of(const struct traces_state *s, uint32_t row)
{
	return s->row && row < s->list.n ? s->row[row] : row;
}

void shell_traces_filter(const struct samples *m, struct traces_state *s, const char *text)
{
	uint32_t place = view_traces_rows_place_of(s, s->list.selected);

	view_traces_rows_find(m, s, text);
	if (!s->row)
		shell_list_select(&s->list, place);
	else /* select the same row, or the first row after it */
		shell_list_select(&s->list, (uint32_t)lower_bound_u32(s->row, s->list.n, place));
	shell_traces_lines(m, s);
}

/* ---- selection ---- */

static uint64_t hash_labels(const struct traces *t, uint32_t set)
{
	struct buf text = { 0 };
	uint64_t hash;

	for (uint32_t i = t->set_off[set]; i < t->set_off[set + 1]; i++)
		shell_traces_add_label(t, &t->label[i], "", &text);
	hash = hash_bytes(buf_text(&text), text.len);
	buf_release(&text);
	return hash;
}

static void view_traces_rows_remember(const struct samples *m, struct traces_state *s, uint32_t entry)
{
	uint32_t sample = sample_of(m, entry);

	s->hash = m->stack_hash[m->t->stack[sample]];
	s->value = shell_traces_value(m, entry);
	s->label_hash = hash_labels(m->t, m->t->labels[sample]);
}

/* The similarity of a row to the previously selected row, from 0 to 3. */
static int similarity(const struct samples *m, const struct traces_state *s, const uint64_t *label_hash, uint32_t row)
{
	uint32_t entry = shell_traces_entry(m, s, row), sample = sample_of(m, entry);

	if (m->stack_hash[m->t->stack[sample]] != s->hash)
		return 0;
	return 1 + (shell_traces_value(m, entry) == s->value) + (label_hash[m->t->labels[sample]] == s->label_hash);
}

/* Find the row that is most similar to the previously selected row. Start at the old position, and wrap around. */
static uint32_t find_similar(const struct samples *m, const struct traces_state *s)
{
	const struct traces *t = m->t;
	uint64_t *label_hash = mem_alloc(t->n_sets, sizeof(*label_hash));
	uint32_t best = s->list.selected;
	int max = 0;

	for (uint32_t set = 0; set < t->n_sets; set++)
		label_hash[set] = hash_labels(t, set);
	for (uint32_t i = 0; i < s->list.n && max < 3; i++) {
		uint32_t row = (uint32_t)(((uint64_t)s->list.selected + i) % s->list.n);
		int n_same = similarity(m, s, label_hash, row);

		if (n_same > max) {
			max = n_same;
			best = row;
		}
	}
	free(label_hash);
	return best;
}

void shell_traces_set_model(const struct samples *m, struct traces_state *s, const char *text)
{
	uint64_t hash = s->hash;
	uint32_t at = s->lines.selected;

	view_traces_rows_find(m, s, text);
	if (hash)
		shell_list_select(&s->list, find_similar(m, s));
	else
		shell_list_select(&s->list, 0);
	shell_traces_lines(m, s);
	if (hash && s->hash == hash)
		shell_list_select(&s->lines, at);
}

static void view_traces_rows_add_line(struct traces_state *s, struct trace_line line)
{
	s->line = mem_grow(s->line, &s->cap_lines, (size_t)s->lines.n + 1, sizeof(*s->line));
	s->line[s->lines.n++] = line;
}

bool shell_traces_is_hit(const struct samples *m, const struct traces_state *s, const struct trace_line *l)
{
	assert(l->is_label || l->at < m->t->n_names);
	if (!s->find)
		return false;
	return l->is_label ? view_traces_rows_label_matches(m->t, &m->t->label[l->at], s->find) : s->name_hit[l->at];
}

/* Select the first matching line, so that it is visible. */
static void go_to_hit(const struct samples *m, struct traces_state *s)
{
	for (uint32_t i = 0; s->find && i < s->lines.n; i++)
		if (shell_traces_is_hit(m, s, &s->line[i])) {
			shell_list_select(&s->lines, i);
			return;
		}
}

void shell_traces_lines(const struct samples *m, struct traces_state *s)
{
	const struct traces *t = m->t;
	uint32_t entry = s->list.n ? shell_traces_entry(m, s, s->list.selected) : TRACES_NONE, labels, stack;

	assert(s->list.n == 0 || s->list.selected < s->list.n);
	if (entry == s->entry && entry != TRACES_NONE)
		return;
	s->entry = entry;
	s->lines.n = s->lines.selected = s->lines.top = 0;
	if (entry == TRACES_NONE)
		return;
	labels = shell_traces_labels(m, entry);
	stack = t->stack[sample_of(m, entry)];
	for (uint32_t i = labels == TRACES_NONE ? 0 : t->set_off[labels];
	     labels != TRACES_NONE && i < t->set_off[labels + 1]; i++)
		view_traces_rows_add_line(s, (struct trace_line){ .is_label = true, .at = i });
	for (uint32_t i = t->stacks->off[stack]; i < t->stacks->off[stack + 1]; i++) {
		uint32_t loc = stack_id_at(t->stacks, i), end = t->frames.off[loc + 1];

		for (uint32_t k = t->frames.off[loc]; k < end; k++)
			view_traces_rows_add_line(
				s, (struct trace_line){ .inlined = k + 1 < end, .at = t->frames.item[k] });
	}
	view_traces_rows_remember(m, s, entry);
	go_to_hit(m, s);
}

void shell_traces_release(struct traces_state *s)
{
	forget_filter(s);
	free(s->line);
}
