/*
 * renames.c - find renamed functions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A function that only the base has and one that only new has are the same function if their callers and callees are
 * the same, they cost about the same, and their file, first line or last part of the name agrees, or no other pair is
 * possible. All neighbours that only one side has count as one function, since they may have been renamed as well. The
 * search is repeated as long as it finds pairs, because each pair makes more neighbours known. A pair whose names do
 * not agree must have known callers.
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/mem.h"
#include "report/neighbours.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JACCARD_MIN 0.8    /* min weighted Jaccard index of neighbours */
#define NOISE_MAX 0.2      /* max part of the difference that may be due to chance */
#define COST_RATIO_MAX 1.5 /* max ratio of costs, in either direction */
#define KNOWN_MIN 0.8      /* min share of known callers if no name agrees */
#define SAMPLES_MIN 10.0   /* with this many samples on one side, having none on the other is not due to chance */

enum {
	CANDIDATES_MAX = 200,    /* max candidates of a side; the largest are used */
	NO_FRAME = UINT32_MAX,   /* marks the absence of a caller or callee */
	ONE_SIDED = NO_FRAME - 1 /* represents all neighbours that only one side has */
};

struct renames_candidate {
	uint32_t func;
	double share, count;
};

struct renames_search {
	struct gate_sums *s;
	double (*cum)[N_SIDES]; /* [n_funcs] sums, including those of functions renamed to it */
	uint32_t n[N_SIDES];
	struct renames_candidate *at[N_SIDES];
	uint32_t *candidate; /* [n_funcs] index in at, + 1 */
	struct known_stack {
		const struct gate_stacks *of;
		uint32_t stack;
	} * stack;
	size_t n_stacks, cap_stacks;
	struct gate_frames frames;
	struct arena *mem;
	struct found {
		double share;
		struct gate_rename rename;
	} * found; /* [MOST] */
	uint32_t n_found;
};

static int renames_compare_candidates(const void *a, const void *b, void *arg)
{
	const struct renames_candidate *l = a, *r = b;

	if (l->share != r->share)
		return l->share > r->share ? -1 : 1;
	return gate_func_order(arg, l->func, r->func);
}

/* Find functions that only one side has and that exceed min-share and min-samples on that side. */
static void renames_find_candidates(struct renames_search *x, enum side side)
{
	const struct gate_sums *s = x->s;
	const struct gate_options *options = s->options;
	double min_count = fmax(SAMPLES_MIN, options->min_samples / 2);
	size_t cap = 0;

	for (uint32_t f = 0; f < s->n_funcs; f++) {
		const struct gate_func *func = &s->func[f];
		struct renames_candidate c = { f, gate_part(s, side, func->cum[side]),
					       gate_effective_samples(func->cum[side], func->cum_var[side]) };

		if (func->canonical != f || func->cum[!side] > 0 || c.share < options->min_share || c.count < min_count)
			continue;
		x->at[side] = mem_grow(x->at[side], &cap, (size_t)x->n[side] + 1, sizeof(c));
		x->at[side][x->n[side]++] = c;
	}
	if (x->n[side])
		qsort_r(x->at[side], x->n[side], sizeof(struct renames_candidate), renames_compare_candidates, s->func);
	if (x->n[side] > CANDIDATES_MAX)
		x->n[side] = CANDIDATES_MAX;
}

static void number_candidates(struct renames_search *x)
{
	memset(x->candidate, 0, x->s->n_funcs * sizeof(*x->candidate));
	for (int side = 0; side < N_SIDES; side++)
		for (uint32_t i = 0; i < x->n[side]; i++)
			x->candidate[x->at[side][i].func] = i + 1;
}

static bool renames_has_candidate(struct renames_search *x, const struct gate_stacks *of, uint32_t stack)
{
	gate_frames_find(of, x->s->folds, stack, &x->frames);
	for (const uint32_t *func = x->frames.func; func < x->frames.end; func++)
		if (x->candidate[*func])
			return true;
	return false;
}

/* Find the stacks with a candidate; only these are read again. */
static void find_stacks(struct renames_search *x)
{
	for (uint32_t i = 0; i < x->s->n_stacks; i++) {
		const struct gate_stacks *of = &x->s->stacks[i];

		for (uint32_t stack = 0; stack < of->stacks.n; stack++) {
			if (of->value[stack] == 0 || !renames_has_candidate(x, of, stack))
				continue;
			x->stack = mem_grow(x->stack, &x->cap_stacks, x->n_stacks + 1, sizeof(*x->stack));
			x->stack[x->n_stacks++] = (struct known_stack){ of, stack };
		}
	}
}

static uint32_t neighbour(const struct renames_search *x, uint32_t func)
{
	return x->cum[func][SIDE_BASE] > 0 && x->cum[func][SIDE_NEW] > 0 ? func : ONE_SIDED;
}

/* Index + 1 of a candidate, 0 for other functions. A function that was paired has samples on both sides and is no
   longer a candidate. */
static uint32_t candidate(const struct renames_search *x, uint32_t func)
{
	return func < x->s->n_funcs && neighbour(x, func) == ONE_SIDED ? x->candidate[func] : 0;
}

static void renames_walk_stack(struct renames_search *x, uint32_t i, struct neighbours *a)
{
	const struct known_stack *s = &x->stack[i];
	double value = s->of->value[s->stack];
	uint32_t callee = NO_FRAME;

	gate_frames_find(s->of, x->s->folds, s->stack, &x->frames);
	for (const uint32_t *at = x->frames.func; at < x->frames.end; at++) {
		uint32_t func = x->s->func[*at].canonical;

		if (func == callee)
			continue;
		if (candidate(x, callee))
			neighbours_add(a, CALL_CALLERS, candidate(x, callee) - 1, neighbour(x, func), i, value);
		if (candidate(x, func))
			neighbours_add(a, CALL_CALLEES, candidate(x, func) - 1,
				       callee == NO_FRAME ? NO_FRAME : neighbour(x, callee), i, value);
		callee = func;
	}
	if (candidate(x, callee))
		neighbours_add(a, CALL_CALLERS, candidate(x, callee) - 1, NO_FRAME, i, value);
}

static void renames_find_neighbours(struct renames_search *x, enum side side, struct neighbours *a)
{
	neighbours_init(a, x->n[side]);
	for (uint32_t i = 0; i < x->n_stacks; i++)
		if (x->stack[i].of->side == side)
			renames_walk_stack(x, i, a);
}

/* Last part of a name, after packages, classes and receivers, without arguments. Separators in brackets are ignored:
   main.(*T).Close, ns::f(std::string). */
static const char *renames_last_part(const char *name, size_t *n)
{
	const char *at = name;
	int depth = 0;

	for (const char *c = name; *c; c++) {
		depth += strchr("([<{", *c) != NULL;
		depth -= depth > 0 && strchr(")]>}", *c);
		if (depth == 0 && (*c == '.' || *c == '/' || *c == ':') && c[1] && !strchr("([<{", c[1]))
			at = c + 1;
	}
	*n = strcspn(at, "([<{");
	return at;
}

static bool is_same_part(const char *a, const char *b)
{
	size_t n, m;

	a = renames_last_part(a, &n);
	b = renames_last_part(b, &m);
	return n == m && n > 0 && memcmp(a, b, n) == 0 && !(n == 4 && memcmp(a, "func", 4) == 0);
}

/* Returns true if the names are in the same package or namespace, or if neither is in one. */
static bool is_same_package(const char *a, const char *b)
{
	size_t n, m, unused;

	n = (size_t)(renames_last_part(a, &unused) - a);
	m = (size_t)(renames_last_part(b, &unused) - b);
	n = strcspn(a, "([") < n ? strcspn(a, "([") : n; /* main.(*T).Close is in main, too */
	m = strcspn(b, "([") < m ? strcspn(b, "([") : m;
	return n == m && memcmp(a, b, n) == 0;
}

/* Agreement of file, line and name; 0 for none. Equal lines of different files count only within one package, since
   they may be a coincidence. */
static double agreement(const struct gate_func *a, const struct gate_func *b)
{
	return 1.0 * is_same_part(a->name, b->name) + 0.5 * (*a->file && strcmp(a->file, b->file) == 0) +
	       0.5 * (a->line > 0 && a->line == b->line && is_same_package(a->name, b->name));
}

/*
 * Returns true if the Jaccard index of two functions, corrected for noise, is high. If the shares p and q of the
 * neighbours have equal expectations, the expected sum of |p - q| is sqrt(2 / pi) times the sum of the standard
 * deviations of p - q.
 */
static bool renames_is_similar(double same, double spread, double count_removed, double count_added)
{
	double noise = 0.5 * sqrt(2 / M_PI) * spread * sqrt(1 / count_removed + 1 / count_added);

	same = fmin(1, same + fmin(noise, NOISE_MAX));
	return same / (2 - same) >= JACCARD_MIN;
}

struct renames_pair {
	bool fits;
	double agrees, score, known;
};

static struct renames_pair renames_judge(const struct renames_search *x, uint32_t g, uint32_t c,
					 const struct neighbours_likeness *likeness, const struct neighbours *removed,
					 const struct neighbours *added)
{
	const struct renames_candidate *l = &x->at[SIDE_BASE][g], *r = &x->at[SIDE_NEW][c];
	double cost = fabs(log(r->share / l->share));
	struct renames_pair p = { .fits = cost <= log(COST_RATIO_MAX), .score = -cost, .known = 1 };

	for (int direction = 0; direction < N_CALL_DIRECTIONS; direction++) {
		double unknown = fmin(neighbours_share(removed, (enum call_direction)direction, g, ONE_SIDED),
				      neighbours_share(added, (enum call_direction)direction, c, ONE_SIDED));

		p.fits &=
			renames_is_similar(likeness->same[direction], likeness->spread[direction], l->count, r->count);
		p.score += likeness->same[direction] - unknown / 2;
		if (direction == CALL_CALLERS)
			p.known -= unknown;
	}
	p.agrees = agreement(&x->s->func[l->func], &x->s->func[r->func]);
	p.score += p.agrees;
	return p;
}

/* The best partner of candidate i of a side; GATE_NO_FUNC if there is none, or if two are equally good. */
static uint32_t best_partner(const struct renames_search *x, enum side side, uint32_t i,
			     const struct renames_pair *pair)
{
	uint32_t found = GATE_NO_FUNC, n_added = x->n[SIDE_NEW];
	double top = -INFINITY;

	for (uint32_t k = 0; k < x->n[!side]; k++) {
		const struct renames_pair *p =
			side == SIDE_BASE ? &pair[(size_t)i * n_added + k] : &pair[(size_t)k * n_added + i];

		if (!p->fits || p->score < top - 1e-9)
			continue;
		found = p->score > top + 1e-9 ? k : GATE_NO_FUNC;
		top = fmax(top, p->score);
	}
	return found;
}

static bool renames_is_near(const struct renames_search *x, uint32_t g, uint32_t c)
{
	const struct gate_func *func = x->s->func;

	return is_same_package(func[x->at[SIDE_BASE][g].func].name, func[x->at[SIDE_NEW][c].func].name);
}

/* Returns true if neither function fits into another pair. */
static bool is_only(const struct renames_search *x, uint32_t g, uint32_t c, const struct renames_pair *pair)
{
	uint32_t n = 0, n_added = x->n[SIDE_NEW];

	for (uint32_t k = 0; k < n_added; k++)
		n += pair[(size_t)g * n_added + k].fits;
	for (uint32_t k = 0; k < x->n[SIDE_BASE]; k++)
		n += pair[(size_t)k * n_added + c].fits;
	return n == 2;
}

static void renames_merge(struct renames_search *x, uint32_t g, uint32_t c)
{
	uint32_t from = x->at[SIDE_BASE][g].func, to = x->at[SIDE_NEW][c].func;
	const struct gate_func *func = x->s->func;

	assert(x->n_found < CANDIDATES_MAX && from != to && func[to].canonical == to);
	x->cum[to][SIDE_BASE] = x->cum[from][SIDE_BASE];
	x->s->func[from].canonical = to;
	x->found[x->n_found++] = (struct found){
		.share = x->at[SIDE_BASE][g].share + x->at[SIDE_NEW][c].share,
		.rename = { .from = arena_strndup(x->mem, func[from].name, strlen(func[from].name)),
			    .to = arena_strndup(x->mem, func[to].name, strlen(func[to].name)),
			    .ratio = NAN },
	};
}

/* Merge all pairs whose functions are each other's best partners. Returns true if there are any. */
static bool renames_find_pairs(struct renames_search *x)
{
	uint32_t n_removed = x->n[SIDE_BASE], n_added = x->n[SIDE_NEW], known = x->n_found;
	struct renames_pair *pair = mem_alloc((size_t)n_removed * n_added, sizeof(*pair));
	struct neighbours removed, added;
	struct neighbours_likeness *likeness;

	renames_find_neighbours(x, SIDE_BASE, &removed);
	renames_find_neighbours(x, SIDE_NEW, &added);
	likeness = neighbours_compare(&removed, &added);
	for (uint32_t g = 0; g < n_removed; g++)
		for (uint32_t c = 0; c < n_added; c++)
			pair[(size_t)g * n_added + c] =
				renames_judge(x, g, c, &likeness[(size_t)g * n_added + c], &removed, &added);
	for (uint32_t g = 0; g < n_removed; g++) {
		uint32_t c = best_partner(x, SIDE_BASE, g, pair);
		const struct renames_pair *p = c == GATE_NO_FUNC ? NULL : &pair[(size_t)g * n_added + c];

		if (p && best_partner(x, SIDE_NEW, c, pair) == g &&
		    (p->agrees > 0 || (p->known >= KNOWN_MIN && renames_is_near(x, g, c) && is_only(x, g, c, pair))))
			renames_merge(x, g, c);
	}
	neighbours_release(&removed);
	neighbours_release(&added);
	free(likeness);
	free(pair);
	return x->n_found > known;
}

/* Remove merged candidates. */
static void drop_found(struct renames_search *x)
{
	for (int side = 0; side < N_SIDES; side++) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < x->n[side]; i++) {
			uint32_t f = x->at[side][i].func;

			if (x->s->func[f].canonical == f && neighbour(x, f) == ONE_SIDED)
				x->at[side][n++] = x->at[side][i];
		}
		x->n[side] = n;
	}
	number_candidates(x);
}

static int renames_compare_found(const void *a, const void *b)
{
	const struct found *l = a, *r = b;

	if (l->share != r->share)
		return l->share > r->share ? -1 : 1;
	return strcmp(l->rename.from, r->rename.from);
}

/* List suggestions by descending share, then the renames of --rename. */
static void list_renames(const struct renames_search *x, struct arena *mem, struct gate *out)
{
	const struct gate_options *options = x->s->options;
	struct gate_rename *all = arena_alloc(mem, x->n_found + options->n_rules + 1, sizeof(*all));
	uint32_t n = 0;

	if (x->n_found)
		qsort(x->found, x->n_found, sizeof(*x->found), renames_compare_found);
	for (uint32_t i = 0; i < x->n_found; i++)
		all[n++] = x->found[i].rename;
	for (size_t i = 0; i < options->n_rules; i++)
		if (options->rule[i].kind == GATE_RENAME && options->rule[i].n_used > 0)
			all[n++] = (struct gate_rename){ .from = options->rule[i].pattern,
							 .to = options->rule[i].to,
							 .ratio = NAN,
							 .is_explicit = true };
	assert(n <= x->n_found + options->n_rules);
	out->n_renames = n;
	out->rename = all;
}

void gate_find_renames(struct gate_sums *s, struct arena *mem, struct gate *out)
{
	struct renames_search x = { .s = s, .mem = mem };

	renames_find_candidates(&x, SIDE_BASE);
	renames_find_candidates(&x, SIDE_NEW);
	if (x.n[SIDE_BASE] && x.n[SIDE_NEW]) {
		x.cum = mem_alloc(s->n_funcs, sizeof(*x.cum));
		for (uint32_t f = 0; f < s->n_funcs; f++)
			memcpy(x.cum[f], s->func[f].cum, sizeof(*x.cum));
		x.candidate = mem_alloc(s->n_funcs, sizeof(*x.candidate));
		x.found = mem_alloc(CANDIDATES_MAX, sizeof(*x.found));
		number_candidates(&x);
		find_stacks(&x);
		while (x.n[SIDE_BASE] && x.n[SIDE_NEW] && renames_find_pairs(&x))
			drop_found(&x);
	}
	list_renames(&x, mem, out);
	free(x.at[SIDE_BASE]);
	free(x.at[SIDE_NEW]);
	free(x.cum);
	free(x.candidate);
	free(x.stack);
	free(x.frames.word);
	free(x.found);
}
