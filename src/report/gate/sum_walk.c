/*
 * sum_walk.c - stacks to paths of functions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks are looked at a lot at a time. Parts of a lot are turned into lists of functions side by side, each part
 * with sums of its own; then the lists get their ids, one after the other. How a lot is parted depends on the
 * profile alone, so that sums are the same to the last bit on any machine.
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "report/gate/sum_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOT_FRAMES = 1 << 20,
	PART_FRAMES = 1 << 16, /* fewer are not worth a thread */
	PARTS_MAX = 4,
	AHEAD = 8, /* paths between asking for a slot and needing it */
};

/* Of a function, in one part: what a walk touches for every frame stands together. */
struct sum {
	double cum, cum_var;
	uint32_t seen; /* last stack that counted, + 1 */
};

struct part {
	double *flat, *flat_var; /* [funcs] */
	struct sum *sum;         /* [funcs] */
	double folded;           /* value */
	uint32_t first, end;     /* stacks of the lot */
	uint32_t n;
	struct list {
		uint32_t stack;
		size_t end; /* in word; it starts where the one before ends */
		uint64_t hash;
	} * list; /* [n] those with a value */
	size_t cap_lists;
	uint32_t *word;
	size_t n_words, cap_words;
};

struct walk {
	struct sum_adding *a;
	unsigned n_parts;
	struct part part[PARTS_MAX];
};

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
	for (int side = 0; side < N_STATS_SIDES; side++) {
		free(paths->value[side]);
		free(paths->var[side]);
	}
}

static void count_frame(struct part *part, uint32_t func, uint32_t stack, double value, double var)
{
	struct sum *s = &part->sum[func];

	if (s->seen == stack + 1)
		return;
	s->seen = stack + 1;
	s->cum += value;
	s->cum_var += var;
}

/* Append the functions of a stack, without those at its leaf that belong to their callers: when these are all it
   has, the leaf stays. */
static void add_functions(struct part *part, const struct sum_adding *a, uint32_t stack)
{
	const struct csr *stacks = &a->view.p->stacks;
	const uint8_t *folds = a->sum->folds;
	size_t start = part->n_words;
	uint32_t leaf = 0, n;
	bool folded = false;

	for (uint32_t i = stacks->off[stack]; i < stacks->off[stack + 1]; i++) {
		const uint32_t *func = places_of(&a->places, stacks->item[i], &n);

		part->word = mem_grow(part->word, &part->cap_words, part->n_words + n, sizeof(*part->word));
		for (uint32_t k = 0; k < n; k++) {
			if (part->n_words == start && folds[func[k]]) {
				leaf = folded ? leaf : func[k];
				folded = true;
				continue;
			}
			part->word[part->n_words++] = func[k];
		}
	}
	if (folded)
		part->folded += a->value[stack];
	if (folded && part->n_words == start)
		part->word[part->n_words++] = leaf; /* there is room: it came by here */
}

static void take_stack(struct part *part, const struct sum_adding *a, uint32_t stack)
{
	double value = a->value[stack], var = a->var[stack];
	size_t start = part->n_words;
	const uint32_t *word;

	if (value == 0)
		return;
	add_functions(part, a, stack);
	if (part->n_words == start)
		return;
	word = part->word + start;
	for (size_t i = 0; i < part->n_words - start; i++)
		count_frame(part, word[i], stack, value, var);
	part->flat[*word] += value;
	part->flat_var[*word] += var;
	part->list = mem_grow(part->list, &part->cap_lists, (size_t)part->n + 1, sizeof(*part->list));
	part->list[part->n++] =
		(struct list){ stack, part->n_words, hash_bytes(word, (part->n_words - start) * sizeof(*word)) };
}

static void run_part(void *arg, unsigned number)
{
	struct walk *w = arg;
	struct part *part = &w->part[number];

	part->n = 0;
	part->n_words = 0;
	for (uint32_t s = part->first; s < part->end && !stop_step(w->a->q->stop, s); s++)
		take_stack(part, w->a, s);
}

static bool equal_path(const struct sum_paths *paths, uint32_t id, const uint32_t *word, size_t n)
{
	size_t start = paths->off[id];

	return paths->off[id + 1] - start == n && memcmp(paths->func + start, word, n * sizeof(*word)) == 0;
}

static int append_path(struct sum_paths *paths, const uint32_t *word, size_t n, uint64_t hash, uint32_t *id)
{
	size_t end = paths->off[paths->n], i = paths->n;

	if (n > UINT32_MAX - end || paths->n >= UINT32_MAX - 1)
		return ERR_LIMIT;
	paths->func = mem_grow(paths->func, &paths->cap_func, end + n, sizeof(*paths->func));
	memcpy(paths->func + end, word, n * sizeof(*word));
	paths->off = mem_grow(paths->off, &paths->cap_off, i + 2, sizeof(*paths->off));
	paths->off[i + 1] = (uint32_t)(end + n);
	for (int side = 0; side < N_STATS_SIDES; side++) {
		paths->value[side] =
			mem_grow(paths->value[side], &paths->cap_value[2 * side], i + 1, sizeof(*paths->value[side]));
		paths->var[side] =
			mem_grow(paths->var[side], &paths->cap_value[2 * side + 1], i + 1, sizeof(*paths->var[side]));
		paths->value[side][i] = paths->var[side][i] = 0;
	}
	idtab_put(&paths->ids, hash, paths->n);
	*id = paths->n++;
	return 0;
}

static int find_path(struct sum_paths *paths, const uint32_t *word, size_t n, uint64_t hash, uint32_t *id)
{
	for (size_t pos = idtab_start(&paths->ids, hash); idtab_next(&paths->ids, hash, &pos, id);)
		if (equal_path(paths, *id, word, n))
			return 0;
	return append_path(paths, word, n, hash, id);
}

/* The lists of a part become paths. */
static int take_part(struct walk *w, const struct part *part)
{
	struct sum_adding *a = w->a;
	struct sum_paths *paths = &a->sum->paths;
	size_t start = 0;
	uint32_t id = 0;

	for (uint32_t i = 0; i < part->n; i++) {
		const struct list *list = &part->list[i];

		if (i + AHEAD < part->n)
			idtab_prefetch(&paths->ids, list[AHEAD].hash);
		if (find_path(paths, part->word + start, list->end - start, list->hash, &id) < 0)
			return sum_refuse(a, ERR_LIMIT, "has more stacks than can be compared");
		paths->value[a->side][id] += a->value[list->stack] * a->unit;
		paths->var[a->side][id] += a->var[list->stack] * a->unit * a->unit;
		start = list->end;
	}
	return 0;
}

/* The first stack from which on there are as many frames. */
static uint32_t stack_at(const struct csr *stacks, uint32_t first, uint32_t end, uint64_t frames)
{
	while (first < end) {
		uint32_t mid = first + (end - first) / 2;

		if (stacks->off[mid] < frames)
			first = mid + 1;
		else
			end = mid;
	}
	return first;
}

/* Stacks from first on; gives where the lot ends. */
static uint32_t choose_lot(struct walk *w, uint32_t first)
{
	const struct csr *stacks = &w->a->view.p->stacks;
	uint64_t from = stacks->off[first], to;
	uint32_t end = stack_at(stacks, first + 1, stacks->n, from + LOT_FRAMES);

	to = stacks->off[end];
	for (unsigned i = 0; i < w->n_parts; i++) {
		w->part[i].first = i ? w->part[i - 1].end : first;
		w->part[i].end = i + 1 == w->n_parts ? end
						     : stack_at(stacks, w->part[i].first, end,
								from + (to - from) * (i + 1) / w->n_parts);
	}
	return end;
}

static int walk_lots(struct walk *w)
{
	const struct csr *stacks = &w->a->view.p->stacks;
	int rc = 0;

	stop_begin(w->a->q->stop, "adding up", stacks->n);
	for (uint32_t s = 0; rc == 0 && s < stacks->n;) {
		s = choose_lot(w, s);
		pool_run(run_part, w, w->n_parts);
		if (stop_check(w->a->q->stop, w->a->err) < 0)
			return ERR_STOPPED;
		for (unsigned i = 0; rc == 0 && i < w->n_parts; i++)
			rc = take_part(w, &w->part[i]);
	}
	return rc;
}

/* Sums of the parts become one, in part 0. */
static void join_parts(struct walk *w)
{
	struct part *all = &w->part[0];

	for (unsigned i = 1; i < w->n_parts; i++) {
		const struct part *part = &w->part[i];

		all->folded += part->folded;
		for (size_t f = 0; f < w->a->sum->n_funcs; f++) {
			all->flat[f] += part->flat[f];
			all->flat_var[f] += part->flat_var[f];
			all->sum[f].cum += part->sum[f].cum;
			all->sum[f].cum_var += part->sum[f].cum_var;
		}
	}
}

/* Functions of the file and of its side. */
static void take_sums(struct walk *w)
{
	struct sum_adding *a = w->a;
	struct gate_sum *s = a->sum;
	const struct part *all = &w->part[0];
	double unit = a->unit;
	struct gate_part *out;
	uint32_t n = 0;

	for (size_t f = 0; f < s->n_funcs; f++)
		n += all->sum[f].cum != 0;
	out = arena_alloc(s->mem, n, sizeof(*out));
	n = 0;
	for (size_t f = 0; f < s->n_funcs; f++) {
		const struct sum *sum = &all->sum[f];
		struct gate_func *func = &s->func[f];

		if (sum->cum == 0)
			continue;
		out[n++] = (struct gate_part){ (uint32_t)f, sum->cum * unit, all->flat[f] * unit };
		func->cum[a->side] += sum->cum * unit;
		func->flat[a->side] += all->flat[f] * unit;
		func->cum_var[a->side] += sum->cum_var * unit * unit;
		func->flat_var[a->side] += all->flat_var[f] * unit * unit;
	}
	a->file.part = out;
	a->file.n_parts = n;
	a->file.preempted = all->folded * unit;
}

int sum_walk(struct sum_adding *a)
{
	const struct csr *stacks = &a->view.p->stacks;
	struct walk w = { .a = a };
	size_t n = a->sum->n_funcs;
	int rc;

	w.n_parts = stacks->off[stacks->n] / PART_FRAMES + 1 < PARTS_MAX ? stacks->off[stacks->n] / PART_FRAMES + 1
									 : PARTS_MAX;
	for (unsigned i = 0; i < w.n_parts; i++) {
		w.part[i].flat = mem_zalloc(n, sizeof(*w.part[i].flat));
		w.part[i].flat_var = mem_zalloc(n, sizeof(*w.part[i].flat_var));
		w.part[i].sum = mem_zalloc(n, sizeof(*w.part[i].sum));
	}
	rc = walk_lots(&w);
	if (rc == 0) {
		join_parts(&w);
		take_sums(&w);
	}
	for (unsigned i = 0; i < w.n_parts; i++) {
		free(w.part[i].flat);
		free(w.part[i].flat_var);
		free(w.part[i].sum);
		free(w.part[i].list);
		free(w.part[i].word);
	}
	return rc;
}
