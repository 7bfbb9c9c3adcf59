/*
 * sum_walk.c - sum up stacks per function
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads walk parts of the stacks, each part with sums of its own. The division into parts depends on the profile
 * alone, so that sums are the same to the last bit on any machine. Frames are not stored, since a profile can have
 * hundreds of megabytes of them; rows_classes.c reads them again from the profile.
 */
#include "config.h"

#include "base/mem.h"
#include "base/pool.h"
#include "engine/query.h"
#include "report/gate/sum_int.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	PART_FRAMES = 1 << 16, /* min frames per part; smaller parts are not worth a thread */
	PARTS_MAX = 4,
	FEW = 3, /* number of functions copied per location */
};

/*
 * Copy the functions of a stack to out->word, and return their end. A branch on the number of functions of a location
 * would be mispredicted; since hardly any location has more than FEW functions, FEW are always copied.
 */
static uint32_t *copy_functions(const struct gate_stacks *s, uint32_t i, uint32_t end, struct gate_frames *out)
{
	uint32_t *word = out->word = mem_grow(out->word, &out->cap, (size_t)(end - i) * FEW + 1, sizeof(*word));

	for (; i < end; i++) {
		uint32_t loc = stack_id_at(&s->stacks, i), at = s->funcs.off[loc], n = s->funcs.off[loc + 1] - at;

		memcpy(word, s->funcs.item + at, FEW * sizeof(*word));
		if (n > FEW) {
			size_t n_words = (size_t)(word - out->word);

			out->word =
				mem_grow(out->word, &out->cap, n_words + n + (size_t)(end - i) * FEW, sizeof(*word));
			word = out->word + n_words;
			memcpy(word, s->funcs.item + at, n * sizeof(*word));
		}
		word += n;
	}
	return word;
}

void gate_frames_find(const struct gate_stacks *s, const uint8_t *folds, uint32_t stack, struct gate_frames *out)
{
	const uint32_t *end = copy_functions(s, s->stacks.off[stack], s->stacks.off[stack + 1], out);
	const uint32_t *func = out->word;

	while (func < end && folds[*func])
		func++;
	out->is_folded = func > out->word;
	if (func == end && out->is_folded) { /* if all functions are folded, keep the leaf */
		func = out->word;
		end = func + 1;
	}
	out->func = func;
	out->end = end;
}

/* Sums of a function in one part: the fields that are used for every frame. */
struct sum_walk_sum {
	int64_t cum;
	uint32_t seen; /* last stack that was counted, + 1 */
};

struct sum_walk_part {
	int64_t *flat;              /* [funcs] */
	double *flat_var, *cum_var; /* [funcs]; NULL if variances are proportional to values */
	struct sum_walk_sum *sum;   /* [funcs] */
	int64_t folded;
};

struct sum_walk {
	const struct sum_input *a;
	const struct gate_stacks *stacks;
	unsigned n_parts;
	atomic_uint next;
	struct sum_walk_part part[PARTS_MAX];
};

/* Branch-free, as in engine/graph.c. */
static void count_frames(struct sum_walk_part *part, const struct gate_frames *frames, uint32_t id, int64_t value)
{
	struct sum_walk_sum *sum = part->sum;

	for (const uint32_t *func = frames->func; func < frames->end; func++) {
		struct sum_walk_sum *s = &sum[*func];

		s->cum += value & -(int64_t)(s->seen != id);
		s->seen = id;
	}
}

static void count_with_variances(struct sum_walk_part *part, const struct gate_frames *frames, uint32_t id,
				 int64_t value, double var)
{
	part->flat_var[*frames->func] += var;
	for (const uint32_t *func = frames->func; func < frames->end; func++) {
		struct sum_walk_sum *s = &part->sum[*func];

		if (s->seen == id)
			continue;
		s->seen = id;
		s->cum += value;
		part->cum_var[*func] += var;
	}
}

static void count_stack(const struct sum_walk *w, struct sum_walk_part *part, uint32_t stack,
			struct gate_frames *frames)
{
	const struct sum_input *a = w->a;
	int64_t value = a->value[stack];

	if (value == 0)
		return;
	gate_frames_find(w->stacks, a->sum->folds, stack, frames);
	if (frames->func == frames->end)
		return;
	if (frames->is_folded)
		part->folded += value;
	part->flat[*frames->func] += value;
	if (a->var)
		count_with_variances(part, frames, stack + 1, value, a->var[stack]);
	else
		count_frames(part, frames, stack + 1, value);
}

static void sum_walk_run(void *arg, unsigned thread)
{
	struct sum_walk *w = arg;
	struct gate_frames frames = { .cap = 0 };
	unsigned i;

	(void)thread;
	while ((i = atomic_fetch_add(&w->next, 1)) < w->n_parts) {
		uint32_t end = profile_stack_part(&w->stacks->stacks, i + 1, w->n_parts);

		for (uint32_t s = profile_stack_part(&w->stacks->stacks, i, w->n_parts);
		     s < end && !stop_step(w->a->q->stop, s); s++)
			count_stack(w, &w->part[i], s, &frames);
	}
	free(frames.word);
}

/* Add the sums of all parts to part 0. */
static void join_parts(struct sum_walk *w)
{
	struct sum_walk_part *all = &w->part[0];

	for (unsigned i = 1; i < w->n_parts; i++) {
		const struct sum_walk_part *part = &w->part[i];

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
static void sum_walk_add_sums(struct sum_input *a, const struct sum_walk_part *all)
{
	struct gate_sum *s = a->sum;
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
		func->cum_var[a->side] +=
			(a->var ? all->cum_var[f] : sampling_variance(&a->sampling, cum, 0)) * unit_var;
		func->flat_var[a->side] +=
			(a->var ? all->flat_var[f] : sampling_variance(&a->sampling, flat, 0)) * unit_var;
	}
}

static void part_init(struct sum_walk_part *part, size_t n_funcs, bool with_var)
{
	part->flat = mem_zalloc(n_funcs, sizeof(*part->flat));
	part->sum = mem_zalloc(n_funcs, sizeof(*part->sum));
	if (!with_var)
		return;
	part->flat_var = mem_zalloc(n_funcs, sizeof(*part->flat_var));
	part->cum_var = mem_zalloc(n_funcs, sizeof(*part->cum_var));
}

static void sum_walk_part_release(struct sum_walk_part *part)
{
	free(part->flat);
	free(part->sum);
	free(part->flat_var);
	free(part->cum_var);
}

/* List the functions of each location. The list is padded, so FEW items can be copied at any location. */
static void find_functions(const struct sum_input *a, struct csr *out)
{
	uint32_t n_locs = a->view.p->n_locs, n = 0, k;

	out->n = n_locs;
	out->off = arena_alloc(a->mem, (size_t)n_locs + 1, sizeof(*out->off));
	for (uint32_t loc = 0; loc < n_locs; loc++, n += k) {
		out->off[loc] = n;
		places_of(&a->places, loc, &k);
	}
	out->off[n_locs] = n;
	out->item = arena_zalloc(a->mem, (size_t)n + FEW, sizeof(*out->item));
	for (uint32_t loc = 0; loc < n_locs; loc++) {
		const uint32_t *func = places_of(&a->places, loc, &k);

		memcpy(out->item + out->off[loc], func, k * sizeof(*func));
	}
}

/* Fill in values and variances of the stacks, in V; 0 for a stack without frames. */
static void find_values(const struct sum_input *a, struct gate_stacks *out)
{
	uint32_t n = out->stacks.n;
	double *value = arena_own(a->mem, mem_alloc_large((size_t)n + 1, sizeof(*value)));
	double *var = arena_own(a->mem, mem_alloc_large((size_t)n + 1, sizeof(*var)));

	for (uint32_t i = 0; i < n; i++) {
		double v = out->stacks.off[i] < out->stacks.off[i + 1] ? (double)a->value[i] : 0;

		value[i] = v * a->unit;
		var[i] = v > 0 ? (a->var ? a->var[i] : sampling_variance(&a->sampling, v, 0)) * a->unit * a->unit : 0;
	}
	out->value = value;
	out->var = var;
}

int sum_walk(struct sum_input *a, struct gate_stacks *out)
{
	const struct stack_lists *stacks = &a->view.p->stacks;
	uint32_t wish = stacks->off[stacks->n] / PART_FRAMES + 1;
	struct sum_walk w = { .a = a, .stacks = out, .n_parts = wish < PARTS_MAX ? wish : PARTS_MAX };
	int rc;

	assert(w.n_parts > 0 && a->value);
	out->side = a->side;
	out->stacks = *stacks;
	find_functions(a, &out->funcs);
	for (unsigned i = 0; i < w.n_parts; i++)
		part_init(&w.part[i], a->sum->n_funcs, a->var);
	stop_begin(a->q->stop, "adding up", stacks->n);
	pool_run(sum_walk_run, &w, w.n_parts < pool_size() ? w.n_parts : pool_size());
	rc = stop_check(a->q->stop, a->err);
	if (rc == 0) {
		join_parts(&w);
		sum_walk_add_sums(a, &w.part[0]);
		find_values(a, out);
	}
	for (unsigned i = 0; i < w.n_parts; i++)
		sum_walk_part_release(&w.part[i]);
	return rc;
}
