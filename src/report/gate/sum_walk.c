/*
 * sum_walk.c - stacks to distinct paths of functions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks are processed in lots. Threads turn the parts of a lot into lists of functions, each part with sums of its
 * own, while the lists of the lot before get their ids one after the other. The division of a lot into parts depends
 * on the profile alone, so that sums are the same to the last bit on any machine.
 *
 * A profile can have a million paths and hundreds of megabytes of frames. Reserved memory costs nothing until it is
 * written, and is not copied when it grows: these are mappings of their own.
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "report/gate/sum_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void sum_paths_init(struct sum_paths *paths)
{
	*paths = (struct sum_paths){ .n = 0 };
	idtab_init(&paths->ids, 0);
	paths->off = mem_grow(NULL, &paths->cap_off, 1, sizeof(*paths->off));
	paths->off[0] = 0;
}

void sum_paths_release(struct sum_paths *paths)
{
	idtab_release(&paths->ids);
	free(paths->off);
	free(paths->func);
	for (int i = 0; i < SUM_COLUMNS; i++)
		free(paths->column[i]);
}

/* Reserve half as much again: unused memory costs nothing. */
static void reserve_columns(struct sum_paths *paths, size_t need)
{
	size_t cap = need + need / 2;

	if (need <= paths->cap_columns)
		return;
	for (int i = 0; i < SUM_COLUMNS; i++) {
		double *column = mem_alloc_large(cap, sizeof(*column));

		if (paths->n)
			memcpy(column, paths->column[i], paths->n * sizeof(*column));
		free(paths->column[i]);
		paths->column[i] = column;
	}
	assert(cap >= need && paths->n <= cap);
	paths->cap_columns = cap;
}

/* Reserve memory for the paths and frames of the first profile. */
static void paths_begin(struct sum_paths *paths, uint32_t n, uint32_t frames)
{
	if (paths->n > 0 || paths->func)
		return;
	idtab_release(&paths->ids);
	idtab_init(&paths->ids, n);
	paths->cap_func = (size_t)frames + frames / 2; /* with some inlined ones: it would move else */
	paths->func = mem_alloc_large(paths->cap_func, sizeof(*paths->func));
	reserve_columns(paths, n);
}

/* Reserve memory for n more paths, which paths_find relies on; columns may move. */
static void paths_reserve(struct sum_paths *paths, uint32_t n)
{
	paths->off = mem_grow(paths->off, &paths->cap_off, (size_t)paths->n + n + 1, sizeof(*paths->off));
	reserve_columns(paths, (size_t)paths->n + n);
}

static bool is_path(const struct sum_paths *paths, uint32_t id, const uint32_t *word, size_t n)
{
	size_t start = paths->off[id];

	return paths->off[id + 1] - start == n && memcmp(paths->func + start, word, n * sizeof(*word)) == 0;
}

/* Find the id of n functions; append a new path for them. Fails ERR_LIMIT, without a message. */
static int paths_find(struct sum_paths *paths, const uint32_t *word, size_t n, uint64_t hash, uint32_t *id)
{
	size_t end = paths->off[paths->n];

	for (size_t pos = idtab_start(&paths->ids, hash); idtab_next(&paths->ids, hash, &pos, id);)
		if (is_path(paths, *id, word, n))
			return 0;
	if (n > UINT32_MAX - end || paths->n >= UINT32_MAX - 1)
		return ERR_LIMIT;
	paths->func = mem_grow(paths->func, &paths->cap_func, end + n, sizeof(*paths->func));
	memcpy(paths->func + end, word, n * sizeof(*word));
	paths->off[paths->n + 1] = (uint32_t)(end + n);
	for (int i = 0; i < SUM_COLUMNS; i++)
		paths->column[i][paths->n] = 0;
	idtab_put(&paths->ids, hash, paths->n);
	*id = paths->n++;
	return 0;
}

enum {
	LOT_FRAMES = 1 << 20,
	PART_FRAMES = 1 << 16, /* fewer are not worth a thread */
	PARTS_MAX = 3,
	FEW = 3,   /* functions of a location */
	AHEAD = 8, /* paths between asking for a slot and needing it */
};

/* The functions of a location: how many, and the first ones. */
struct inlined {
	uint32_t n, func[FEW];
};

/* A function in one part: the fields that the walk uses for every frame. */
struct sum {
	int64_t cum;
	uint32_t seen; /* last stack that counted, + 1 */
};

/* The stacks of a part of a lot, as lists of functions. */
struct lists {
	uint32_t n;
	struct list {
		uint32_t stack;
		size_t end; /* in word; it starts where the one before ends */
		uint64_t hash;
	} * list; /* [n] of the stacks with a value */
	size_t cap_lists;
	uint32_t *word;
	size_t n_words, cap_words;
};

struct part {
	int64_t *flat;              /* [funcs] */
	double *flat_var, *cum_var; /* [funcs]; NULL when variances follow from the values */
	struct sum *sum;            /* [funcs] */
	int64_t folded;
	uint32_t first, end;   /* stacks of the lot */
	struct lists lists[2]; /* of this lot and of the one before */
};

struct walk {
	struct sum_input *a;
	unsigned n_parts, lot;
	bool is_first, is_last;  /* no lot is before this one; no stack is in it */
	int rc;                  /* of giving ids */
	struct inlined *inlined; /* [locations] */
	struct part part[PARTS_MAX];
};

/* Without a branch, as in engine/graph.c. */
static void count_frames(struct part *part, const uint32_t *word, const uint32_t *end, uint32_t id, int64_t value)
{
	struct sum *sum = part->sum;

	for (; word < end; word++) {
		struct sum *s = &sum[*word];

		s->cum += value & -(int64_t)(s->seen != id);
		s->seen = id;
	}
}

static void count_with_variances(struct part *part, const uint32_t *word, const uint32_t *end, uint32_t id,
				 int64_t value, double var)
{
	part->flat_var[*word] += var;
	for (; word < end; word++) {
		struct sum *s = &part->sum[*word];

		if (s->seen == id)
			continue;
		s->seen = id;
		s->cum += value;
		part->cum_var[*word] += var;
	}
}

/*
 * Append the functions of locations. Which of them have several cannot be predicted, but nearly none has more than
 * FEW: copying FEW of each avoids a branch.
 */
static void add_functions(struct lists *l, const struct inlined *of, const struct places *places, const uint32_t *loc,
			  const uint32_t *end)
{
	uint32_t *word;

	l->word = mem_grow(l->word, &l->cap_words, l->n_words + (size_t)(end - loc) * FEW, sizeof(*l->word));
	word = l->word + l->n_words;
	for (; loc < end; loc++) {
		const struct inlined *one = &of[*loc];
		const uint32_t *many;

		memcpy(word, one->func, sizeof(one->func));
		word += one->n;
		if (one->n <= FEW)
			continue;
		many = places_of(places, *loc, &(uint32_t){ 0 });
		l->n_words = (size_t)(word - one->n - l->word);
		l->word = mem_grow(l->word, &l->cap_words, l->n_words + one->n + (size_t)(end - loc) * FEW,
				   sizeof(*l->word));
		word = l->word + l->n_words;
		memcpy(word, many, one->n * sizeof(*many));
		word += one->n;
	}
	l->n_words = (size_t)(word - l->word);
}

/* Remove the functions at the leaf that belong to their callers. A stack of such functions alone keeps its leaf. */
static bool fold(struct lists *l, size_t start, const uint8_t *folds)
{
	size_t skip = start;

	while (skip < l->n_words && folds[l->word[skip]])
		skip++;
	if (skip == start)
		return false;
	if (skip == l->n_words) {
		l->n_words = start + 1;
		return true;
	}
	memmove(l->word + start, l->word + skip, (l->n_words - skip) * sizeof(*l->word));
	l->n_words -= skip - start;
	return true;
}

static void list_stack(const struct walk *w, struct part *part, struct lists *l, uint32_t stack)
{
	const struct sum_input *a = w->a;
	const struct csr *stacks = &a->view.p->stacks;
	int64_t value = a->value[stack];
	size_t start = l->n_words;
	const uint32_t *word, *end;

	if (value == 0)
		return;
	add_functions(l, w->inlined, &a->places, stacks->item + stacks->off[stack],
		      stacks->item + stacks->off[stack + 1]);
	if (l->n_words == start)
		return;
	if (fold(l, start, a->sum->folds))
		part->folded += value;
	word = l->word + start;
	end = l->word + l->n_words;
	part->flat[*word] += value;
	if (a->var)
		count_with_variances(part, word, end, stack + 1, value, a->var[stack]);
	else
		count_frames(part, word, end, stack + 1, value);
	l->list = mem_grow(l->list, &l->cap_lists, (size_t)l->n + 1, sizeof(*l->list));
	l->list[l->n++] = (struct list){ stack, l->n_words, hash_bytes(word, (size_t)(end - word) * sizeof(*word)) };
}

/* Add the lists of a part to the paths. */
static int add_lists(struct sum_input *a, const struct lists *l)
{
	struct sum_paths *paths = &a->sum->paths;
	size_t start = 0;
	uint32_t id = 0;
	double *values, *vars;

	paths_reserve(paths, l->n);
	values = paths->column[SUM_VALUE + a->side];
	vars = paths->column[SUM_VAR + a->side];
	for (uint32_t i = 0; i < l->n; i++) {
		const struct list *list = &l->list[i];
		double value = (double)a->value[list->stack];

		if (i + AHEAD < l->n)
			idtab_prefetch(&paths->ids, list[AHEAD].hash);
		if (paths_find(paths, l->word + start, list->end - start, list->hash, &id) < 0)
			return sum_refuse(a, ERR_LIMIT, "has more stacks than can be compared");
		values[id] += value * a->unit;
		vars[id] += (a->var ? a->var[list->stack] : kinds_variance(&a->kinds, value, 0)) * a->unit * a->unit;
		start = list->end;
	}
	assert(paths->n <= paths->cap_columns && paths->off[paths->n] <= paths->cap_func);
	return 0;
}

/* Part 0 gives ids to the lot before, the others turn this one into lists. */
static void run(void *arg, unsigned number)
{
	struct walk *w = arg;
	struct part *part;
	struct lists *l;

	if (number == 0) {
		for (unsigned i = 0; !w->is_first && w->rc == 0 && i < w->n_parts; i++)
			w->rc = add_lists(w->a, &w->part[i].lists[1 - w->lot]);
		return;
	}
	part = &w->part[number - 1];
	l = &part->lists[w->lot];
	l->n = 0;
	l->n_words = 0;
	for (uint32_t s = part->first; !w->is_last && s < part->end && !stop_step(w->a->q->stop, s); s++)
		list_stack(w, part, l, s);
}

/* Divide the stacks from first on into parts; gives the end of the lot. */
static uint32_t choose_lot(struct walk *w, uint32_t first)
{
	const struct csr *stacks = &w->a->view.p->stacks;
	uint64_t from = stacks->off[first], to;
	uint32_t end = csr_find(stacks, first + 1, stacks->n, from + LOT_FRAMES), at = first;

	assert(first < end && end <= stacks->n);
	to = stacks->off[end];
	for (unsigned i = 1; i <= w->n_parts; i++) {
		w->part[i - 1].first = at;
		at = i == w->n_parts ? end : csr_find(stacks, at, end, from + (to - from) * i / w->n_parts);
		w->part[i - 1].end = at;
	}
	return end;
}

static void run_lot(struct walk *w)
{
	if (pool_size() > 1 && w->n_parts > 1) {
		pool_run(run, w, w->n_parts + 1);
		return;
	}
	for (unsigned i = 0; i <= w->n_parts; i++)
		run(w, i);
}

static int walk_lots(struct walk *w)
{
	struct sum_input *a = w->a;
	uint32_t n = a->view.p->stacks.n, next = 0;

	stop_begin(a->q->stop, "adding up", n);
	for (w->is_first = true; !w->is_last; w->is_first = false, w->lot = 1 - w->lot) {
		w->is_last = next == n;
		if (!w->is_last)
			next = choose_lot(w, next);
		run_lot(w);
		if (w->rc == 0)
			w->rc = stop_check(a->q->stop, a->err);
		if (w->rc < 0)
			return w->rc;
	}
	return 0;
}

/* Add up the sums of the parts in part 0. */
static void join_parts(struct walk *w)
{
	struct part *all = &w->part[0];

	for (unsigned i = 1; i < w->n_parts; i++) {
		const struct part *part = &w->part[i];

		all->folded += part->folded;
		for (size_t f = 0; f < w->a->sum->n_funcs; f++) {
			all->flat[f] += part->flat[f];
			all->sum[f].cum += part->sum[f].cum;
			if (!w->a->var)
				continue;
			all->flat_var[f] += part->flat_var[f];
			all->cum_var[f] += part->cum_var[f];
		}
	}
}

/* Add the sums to the functions of the file and of its side. */
static void add_sums(struct walk *w)
{
	struct sum_input *a = w->a;
	struct gate_sum *s = a->sum;
	const struct part *all = &w->part[0];
	double unit = a->unit, unit_var = unit * unit;
	struct gate_part *out;
	uint32_t n = 0;

	for (size_t f = 0; f < s->n_funcs; f++)
		n += all->sum[f].cum != 0;
	assert(n <= s->n_funcs);
	out = arena_alloc(s->mem, n, sizeof(*out));
	a->file.part = out;
	a->file.n_parts = n;
	a->file.preempted = (double)all->folded * unit;
	for (size_t f = 0; f < s->n_funcs; f++) {
		double cum = (double)all->sum[f].cum, flat = (double)all->flat[f];
		struct gate_func *func = &s->func[f];

		if (cum == 0)
			continue;
		*out++ = (struct gate_part){ (uint32_t)f, cum * unit, flat * unit };
		func->cum[a->side] += cum * unit;
		func->flat[a->side] += flat * unit;
		func->cum_var[a->side] += (a->var ? all->cum_var[f] : kinds_variance(&a->kinds, cum, 0)) * unit_var;
		func->flat_var[a->side] += (a->var ? all->flat_var[f] : kinds_variance(&a->kinds, flat, 0)) * unit_var;
	}
}

static void part_init(struct part *part, size_t n_funcs, bool with_var)
{
	part->flat = mem_zalloc(n_funcs, sizeof(*part->flat));
	part->sum = mem_zalloc(n_funcs, sizeof(*part->sum));
	if (!with_var)
		return;
	part->flat_var = mem_zalloc(n_funcs, sizeof(*part->flat_var));
	part->cum_var = mem_zalloc(n_funcs, sizeof(*part->cum_var));
}

static void part_release(struct part *part)
{
	free(part->flat);
	free(part->sum);
	free(part->flat_var);
	free(part->cum_var);
	for (int i = 0; i < 2; i++) {
		free(part->lists[i].list);
		free(part->lists[i].word);
	}
}

static struct inlined *find_inlined(const struct sum_input *a)
{
	uint32_t n_locs = a->view.p->n_locs;
	struct inlined *of = mem_zalloc((size_t)n_locs + 1, sizeof(*of));

	for (uint32_t loc = 0; loc < n_locs; loc++) {
		const uint32_t *func = places_of(&a->places, loc, &of[loc].n);

		for (uint32_t i = 0; i < of[loc].n && i < FEW; i++)
			of[loc].func[i] = func[i];
	}
	return of;
}

int sum_walk(struct sum_input *a)
{
	const struct csr *stacks = &a->view.p->stacks;
	uint32_t wish = stacks->off[stacks->n] / PART_FRAMES + 1;
	struct walk w = { .a = a, .n_parts = wish < PARTS_MAX ? wish : PARTS_MAX };
	int rc;

	assert(w.n_parts > 0 && a->value);
	for (unsigned i = 0; i < w.n_parts; i++)
		part_init(&w.part[i], a->sum->n_funcs, a->var);
	w.inlined = find_inlined(a);
	paths_begin(&a->sum->paths, stacks->n, stacks->off[stacks->n]);
	rc = walk_lots(&w);
	if (rc == 0) {
		join_parts(&w);
		add_sums(&w);
	}
	for (unsigned i = 0; i < w.n_parts; i++)
		part_release(&w.part[i]);
	free(w.inlined);
	return rc;
}
