/*
 * labels_lost.c - threads that lost a label
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Labels belong to a thread or goroutine, and those that it starts may lack them. A thread is found by its first function,
 * after those that start every thread. It has lost a label if no sample below this function has it, but a function that it
 * calls has it in a tenth of its own samples at least, below other first functions.
 */
#include "config.h"

#include "report/labels.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "profile/keys.h"

#include <stdlib.h>
#include <string.h>

enum { LABELED_SHARE = 10, LOST_SHARE = 100 }; /* a tenth of a function, a hundredth of the total */

struct labels_sums {
	int64_t with, without; /* values of samples with and without the label */
};

struct labels_search {
	const struct view *v;
	struct labels_sums *root, *func; /* [n_funcs] samples below a first function; samples with a function */
	uint32_t *seen;                  /* [n_funcs] last row that was added to func, + 1 */
	bool *is_starter;                /* [n_funcs] */
};

/* Functions that start each thread: they do not show which code started it. */
static bool labels_is_starter(const char *name)
{
	static const char *const names[] = {
		"_start",
		"__libc_start_main",
		"__libc_start_call_main",
		"__libc_start_main_impl",
		"main",
		"start_thread",
		"clone",
		"clone3",
		"__clone",
		"__clone3",
		"thread_start",
		"execute_native_thread_routine",
		"runtime.main",
		"runtime.goexit",
		"main.main",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return starts_with(name, "__libc_start_main") || starts_with(name, "std::thread::");
}

/* Walks the functions of a stack, outermost first. */
struct labels_stack_walk {
	const struct profile *p;
	uint32_t lo, loc, line,
		end; /* the next location is before loc; of the current one, lines [line, end) are left */
};

static struct labels_stack_walk labels_walk_start(const struct profile *p, uint32_t stack)
{
	return (struct labels_stack_walk){ .p = p, .lo = p->stacks.off[stack], .loc = p->stacks.off[stack + 1] };
}

/* The next function, or PROFILE_NONE at the end. */
static uint32_t labels_walk_next(struct labels_stack_walk *w)
{
	uint32_t loc;

	for (;;) {
		if (w->line < w->end) {
			uint32_t f = w->p->line_func[--w->end];

			if (f != PROFILE_NONE)
				return f;
			continue;
		}
		if (w->loc == w->lo)
			return PROFILE_NONE;
		w->loc--;
		loc = stack_id_at(&w->p->stacks, w->loc);
		w->line = w->p->loc_line[loc];
		w->end = w->p->loc_line[loc + 1];
	}
}

/* The first function of a stack after those that start every thread; w continues after it. */
static uint32_t labels_find_root(const struct labels_search *s, struct labels_stack_walk *w)
{
	uint32_t f = labels_walk_next(w), last = f;

	for (; f != PROFILE_NONE && s->is_starter[f]; f = labels_walk_next(w))
		last = f;
	return f == PROFILE_NONE ? last : f;
}

static void labels_add(struct labels_sums *sum, bool has_label, int64_t value)
{
	int64_t *to = has_label ? &sum->with : &sum->without;

	*to = num_add_capped(*to, value);
}

static int64_t labels_magnitude(int64_t v)
{
	return v < 0 ? (v == INT64_MIN ? INT64_MAX : -v) : v;
}

static void labels_add_rows(struct labels_search *s, const bool *has)
{
	const struct profile *p = s->v->p;

	for (uint32_t i = 0; i < s->v->n && !stop_step(s->v->stop, i); i++) {
		struct labels_stack_walk w = labels_walk_start(p, p->stack[i]);
		int64_t value = labels_magnitude(s->v->val[i]);
		bool has_label = has[p->labels[i]];
		uint32_t root = labels_find_root(s, &w);

		if (value == 0 || root == PROFILE_NONE)
			continue;
		labels_add(&s->root[root], has_label, value);
		w = labels_walk_start(p, p->stack[i]);
		for (uint32_t f; (f = labels_walk_next(&w)) != PROFILE_NONE;)
			if (s->seen[f] != i + 1) {
				s->seen[f] = i + 1;
				labels_add(&s->func[f], has_label, value);
			}
	}
}

/* The outermost function of a stack without the label that has it elsewhere; PROFILE_NONE if there is none. */
static uint32_t labels_find_func(const struct labels_search *s, uint32_t row, uint32_t *root)
{
	struct labels_stack_walk w = labels_walk_start(s->v->p, s->v->p->stack[row]);
	uint32_t f;

	*root = labels_find_root(s, &w);
	if (*root == PROFILE_NONE || s->root[*root].with > 0)
		return PROFILE_NONE;
	while ((f = labels_walk_next(&w)) != PROFILE_NONE) {
		const struct labels_sums *sum = &s->func[f];

		if (sum->with > 0 && sum->with >= num_add_capped(sum->with, sum->without) / LABELED_SHARE &&
		    !s->is_starter[f] && !starts_with(profile_text(s->v->p, s->v->p->func_name[f]), "runtime."))
			return f;
	}
	return PROFILE_NONE;
}

static int labels_compare_lost(const void *a, const void *b)
{
	const struct labels_lost *x = a, *y = b;

	if (x->cum != y->cum)
		return x->cum > y->cum ? -1 : 1;
	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return x->func < y->func ? -1 : x->func > y->func;
}

/* Pairs of functions. */
struct labels_pairs {
	struct keys keys;
	struct labels_lost *lost; /* [keys.n] */
	size_t cap;
};

static struct labels_lost *labels_lost_of(struct labels_pairs *l, uint32_t root, uint32_t func)
{
	uint64_t word = (uint64_t)root << 32 | func;
	uint32_t before = l->keys.n, id;

	if (keys_add(&l->keys, &word, 1, keys_hash(&word, 1), &id, NULL) < 0)
		return NULL;
	l->lost = mem_grow(l->lost, &l->cap, (size_t)id + 1, sizeof(*l->lost));
	if (id == before)
		l->lost[id] = (struct labels_lost){ root, func, 0, 0 };
	return &l->lost[id];
}

/* Add up the samples of each pair of functions. Returns the number of those that are large enough, which are first in out. */
static size_t labels_collect_lost(const struct labels_search *s, const bool *has, const int64_t *count,
				  struct labels_lost *out, size_t max)
{
	struct labels_pairs pairs = { 0 };
	size_t kept = 0;

	keys_init(&pairs.keys, 1, 0);
	for (uint32_t i = 0; i < s->v->n && !stop_step(s->v->stop, i); i++) {
		uint32_t root, func = has[s->v->p->labels[i]] ? PROFILE_NONE : labels_find_func(s, i, &root);
		struct labels_lost *l;

		if (func == PROFILE_NONE || s->v->val[i] == 0 || !(l = labels_lost_of(&pairs, root, func)))
			continue;
		l->samples = num_add_capped(l->samples, count[i]);
		l->cum = num_add_capped(l->cum, labels_magnitude(s->v->val[i]));
	}
	if (pairs.keys.n)
		qsort(pairs.lost, pairs.keys.n, sizeof(*pairs.lost), labels_compare_lost);
	for (; kept < pairs.keys.n && kept < max && pairs.lost[kept].cum >= labels_magnitude(s->v->total) / LOST_SHARE;
	     kept++)
		out[kept] = pairs.lost[kept];
	keys_release(&pairs.keys);
	free(pairs.lost);
	return kept;
}

size_t labels_find_lost(const struct view *v, const bool *has, const int64_t *count, struct labels_lost *out,
			size_t max)
{
	uint32_t n = v->p->n_funcs;
	struct labels_search s = { .v = v,
				   .root = mem_zalloc(n, sizeof(*s.root)),
				   .func = mem_zalloc(n, sizeof(*s.func)),
				   .seen = mem_zalloc(n, sizeof(*s.seen)),
				   .is_starter = mem_zalloc(n, sizeof(*s.is_starter)) };
	size_t n_lost;

	for (uint32_t f = 0; f < n; f++)
		s.is_starter[f] = labels_is_starter(profile_text(v->p, v->p->func_name[f]));
	labels_add_rows(&s, has);
	n_lost = labels_collect_lost(&s, has, count, out, max);
	free(s.root);
	free(s.func);
	free(s.seen);
	free(s.is_starter);
	return n_lost;
}
