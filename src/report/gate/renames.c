/*
 * renames.c - functions that went and came under another name
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A function that only the base has and one that only new has are the same when those that call them and those that
 * they call are the same, they cost about the same, and their file, first line or last part of the name tells so
 * too - or when there is no other pair to think of. Of those around them all that only one side has count as one,
 * for they may be renamed as well; so pairs are looked for again as long as some were found, and then know more of
 * each other. A pair that has no name in common must be called by functions that are known.
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/mem.h"
#include "report/around.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE 0.8       /* weighted Jaccard: what they have in common of all that they have */
#define MOST_NOISE 0.2  /* so much of what they do not have in common may be chance */
#define NEAR_COST 1.5   /* either way */
#define KNOWN 0.8       /* of the callers, where no name agrees */
#define LEAST_SIDE 10.0 /* samples that none of the other side is no chance against */

enum {
	MOST = 200,              /* candidates of a side, the heaviest ones */
	NO_FRAME = UINT32_MAX,   /* beyond the leaf or the root */
	ONE_SIDED = NO_FRAME - 1 /* any function that only one side has */
};

struct candidate {
	uint32_t func;
	double share, count;
};

struct search {
	struct gate_sums *s;
	double (*cum)[N_STATS_SIDES]; /* [n_funcs] with what counts for it */
	uint32_t n[N_STATS_SIDES];
	struct candidate *at[N_STATS_SIDES];
	uint32_t *candidate; /* [n_funcs] its place in at + 1 */
	uint32_t n_paths, *path;
	struct arena *mem;
	struct found {
		double share;
		struct gate_rename rename;
	} * found; /* [MOST] */
	uint32_t n_found;
};

static int compare_candidates(const void *a, const void *b, void *arg)
{
	const struct candidate *l = a, *r = b;

	if (l->share != r->share)
		return l->share > r->share ? -1 : 1;
	return gate_func_order(arg, l->func, r->func);
}

/* Functions that only one side has, and above the floors there. */
static void find_candidates(struct search *x, enum stats_side side)
{
	const struct gate_sums *s = x->s;
	const struct gate_options *options = s->options;
	double least = fmax(LEAST_SIDE, options->min_samples / 2);
	size_t cap = 0;

	for (uint32_t f = 0; f < s->n_funcs; f++) {
		const struct gate_func *func = &s->func[f];
		struct candidate c = { f, gate_part(s, side, func->cum[side]),
				       gate_count(func->cum[side], func->cum_var[side]) };

		if (func->is != f || func->cum[!side] > 0 || c.share < options->min_share || c.count < least)
			continue;
		x->at[side] = mem_grow(x->at[side], &cap, (size_t)x->n[side] + 1, sizeof(c));
		x->at[side][x->n[side]++] = c;
	}
	if (x->n[side])
		qsort_r(x->at[side], x->n[side], sizeof(struct candidate), compare_candidates, s->func);
	if (x->n[side] > MOST)
		x->n[side] = MOST;
}

static void number_candidates(struct search *x)
{
	memset(x->candidate, 0, x->s->n_funcs * sizeof(*x->candidate));
	for (int side = 0; side < N_STATS_SIDES; side++)
		for (uint32_t i = 0; i < x->n[side]; i++)
			x->candidate[x->at[side][i].func] = i + 1;
}

/* Stacks with a candidate; no others are looked at again. */
static void find_paths(struct search *x)
{
	const struct gate_paths *p = &x->s->paths;

	x->path = mem_alloc((size_t)p->n + 1, sizeof(*x->path));
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t k = p->off[i];

		while (k < p->off[i + 1] && !x->candidate[p->func[k]])
			k++;
		if (k < p->off[i + 1])
			x->path[x->n_paths++] = i;
	}
}

static uint32_t neighbour(const struct search *x, uint32_t func)
{
	return x->cum[func][STATS_BASE] > 0 && x->cum[func][STATS_NEW] > 0 ? func : ONE_SIDED;
}

/* A candidate that has been united has samples on both sides and is none any more. */
static uint32_t candidate(const struct search *x, uint32_t func)
{
	return func < x->s->n_funcs && neighbour(x, func) == ONE_SIDED ? x->candidate[func] : 0;
}

static void walk_path(const struct search *x, enum stats_side side, uint32_t path, struct around *a)
{
	const struct gate_paths *p = &x->s->paths;
	uint32_t callee = NO_FRAME;

	for (uint32_t k = p->off[path]; k < p->off[path + 1]; k++) {
		uint32_t func = x->s->func[p->func[k]].is;

		if (func == callee)
			continue;
		if (candidate(x, callee))
			around_add(a, AROUND_CALLERS, candidate(x, callee) - 1, neighbour(x, func), path,
				   p->value[side][path]);
		if (candidate(x, func))
			around_add(a, AROUND_CALLEES, candidate(x, func) - 1,
				   callee == NO_FRAME ? NO_FRAME : neighbour(x, callee), path, p->value[side][path]);
		callee = func;
	}
	if (candidate(x, callee))
		around_add(a, AROUND_CALLERS, candidate(x, callee) - 1, NO_FRAME, path, p->value[side][path]);
}

static void find_around(const struct search *x, enum stats_side side, struct around *a)
{
	around_init(a, x->n[side]);
	for (uint32_t i = 0; i < x->n_paths; i++)
		if (x->s->paths.value[side][x->path[i]] > 0)
			walk_path(x, side, x->path[i], a);
}

/* The last part of a name, behind packages, classes and receivers, without arguments. In brackets nothing divides:
   main.(*T).Close, ns::f(std::string). */
static const char *last_part(const char *name, size_t *n)
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

	a = last_part(a, &n);
	b = last_part(b, &m);
	return n == m && n > 0 && memcmp(a, b, n) == 0 && !(n == 4 && memcmp(a, "func", 4) == 0);
}

/* Are the names of one package, namespace or, where there is none, program? */
static bool is_same_package(const char *a, const char *b)
{
	size_t n, m, unused;

	n = (size_t)(last_part(a, &unused) - a);
	m = (size_t)(last_part(b, &unused) - b);
	n = strcspn(a, "([") < n ? strcspn(a, "([") : n; /* main.(*T).Close is of main, too */
	m = strcspn(b, "([") < m ? strcspn(b, "([") : m;
	return n == m && memcmp(a, b, n) == 0;
}

/* How much file, line and name agree; 0 is not at all. A line without the file may be chance. */
static double agreement(const struct gate_func *a, const struct gate_func *b)
{
	return 1.0 * is_same_part(a->name, b->name) + 0.5 * (*a->file && strcmp(a->file, b->file) == 0) +
	       0.5 * (a->line > 0 && a->line == b->line && is_same_package(a->name, b->name));
}

/* Jaccard of what two have in common, after what chance may have parted. Of a sum of |p - q| over cells with equal
   expectations, sqrt(2 / pi) times their standard deviations is chance. */
static bool is_alike(double same, double spread, double count_gone, double count_come)
{
	double noise = 0.5 * sqrt(2 / M_PI) * spread * sqrt(1 / count_gone + 1 / count_come);

	same = fmin(1, same + fmin(noise, MOST_NOISE));
	return same / (2 - same) >= ALIKE;
}

struct pair {
	bool fits;
	double agrees, score, known;
};

static struct pair judge(const struct search *x, uint32_t g, uint32_t c, const struct around_like *like,
			 const struct around *gone, const struct around *come)
{
	const struct candidate *l = &x->at[STATS_BASE][g], *r = &x->at[STATS_NEW][c];
	double cost = fabs(log(r->share / l->share));
	struct pair p = { .fits = cost <= log(NEAR_COST), .score = -cost, .known = 1 };

	for (int way = 0; way < N_AROUND_WAYS; way++) {
		double unknown = fmin(around_part(gone, (enum around_way)way, g, ONE_SIDED),
				      around_part(come, (enum around_way)way, c, ONE_SIDED));

		p.fits &= is_alike(like->same[way], like->spread[way], l->count, r->count);
		p.score += like->same[way] - unknown / 2;
		if (way == AROUND_CALLERS)
			p.known -= unknown;
	}
	p.agrees = agreement(&x->s->func[l->func], &x->s->func[r->func]);
	p.score += p.agrees;
	return p;
}

/* Of candidate i of a side the best partner, when it is one that no other comes up to; else GATE_NO_FUNC. */
static uint32_t best(const struct search *x, enum stats_side side, uint32_t i, const struct pair *pair)
{
	uint32_t found = GATE_NO_FUNC, n_come = x->n[STATS_NEW];
	double top = -INFINITY;

	for (uint32_t k = 0; k < x->n[!side]; k++) {
		const struct pair *p =
			side == STATS_BASE ? &pair[(size_t)i * n_come + k] : &pair[(size_t)k * n_come + i];

		if (!p->fits || p->score < top - 1e-9)
			continue;
		found = p->score > top + 1e-9 ? k : GATE_NO_FUNC;
		top = fmax(top, p->score);
	}
	return found;
}

static bool is_near(const struct search *x, uint32_t g, uint32_t c)
{
	const struct gate_func *func = x->s->func;

	return is_same_package(func[x->at[STATS_BASE][g].func].name, func[x->at[STATS_NEW][c].func].name);
}

/* Is there no other pair with either of them? */
static bool is_only(const struct search *x, uint32_t g, uint32_t c, const struct pair *pair)
{
	uint32_t n = 0, n_come = x->n[STATS_NEW];

	for (uint32_t k = 0; k < n_come; k++)
		n += pair[(size_t)g * n_come + k].fits;
	for (uint32_t k = 0; k < x->n[STATS_BASE]; k++)
		n += pair[(size_t)k * n_come + c].fits;
	return n == 2;
}

static void unite(struct search *x, uint32_t g, uint32_t c)
{
	uint32_t from = x->at[STATS_BASE][g].func, to = x->at[STATS_NEW][c].func;
	const struct gate_func *func = x->s->func;

	assert(x->n_found < MOST && from != to && func[to].is == to);
	x->cum[to][STATS_BASE] = x->cum[from][STATS_BASE];
	x->s->func[from].is = to;
	x->found[x->n_found++] = (struct found){
		.share = x->at[STATS_BASE][g].share + x->at[STATS_NEW][c].share,
		.rename = { .from = arena_strndup(x->mem, func[from].name, strlen(func[from].name)),
			    .to = arena_strndup(x->mem, func[to].name, strlen(func[to].name)),
			    .ratio = NAN },
	};
}

/* Unite all pairs that are the best to each other; gives whether there are any. */
static bool find_pairs(struct search *x)
{
	uint32_t n_gone = x->n[STATS_BASE], n_come = x->n[STATS_NEW], known = x->n_found;
	struct pair *pair = mem_alloc((size_t)n_gone * n_come, sizeof(*pair));
	struct around gone, come;
	struct around_like *like;

	find_around(x, STATS_BASE, &gone);
	find_around(x, STATS_NEW, &come);
	like = around_compare(&gone, &come);
	for (uint32_t g = 0; g < n_gone; g++)
		for (uint32_t c = 0; c < n_come; c++)
			pair[(size_t)g * n_come + c] = judge(x, g, c, &like[(size_t)g * n_come + c], &gone, &come);
	for (uint32_t g = 0; g < n_gone; g++) {
		uint32_t c = best(x, STATS_BASE, g, pair);
		const struct pair *p = c == GATE_NO_FUNC ? NULL : &pair[(size_t)g * n_come + c];

		if (p && best(x, STATS_NEW, c, pair) == g &&
		    (p->agrees > 0 || (p->known >= KNOWN && is_near(x, g, c) && is_only(x, g, c, pair))))
			unite(x, g, c);
	}
	around_release(&gone);
	around_release(&come);
	free(like);
	free(pair);
	return x->n_found > known;
}

/* Leave out the candidates that are united. */
static void drop_found(struct search *x)
{
	for (int side = 0; side < N_STATS_SIDES; side++) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < x->n[side]; i++) {
			uint32_t f = x->at[side][i].func;

			if (x->s->func[f].is == f && neighbour(x, f) == ONE_SIDED)
				x->at[side][n++] = x->at[side][i];
		}
		x->n[side] = n;
	}
	number_candidates(x);
}

static int compare_found(const void *a, const void *b)
{
	const struct found *l = a, *r = b;

	if (l->share != r->share)
		return l->share > r->share ? -1 : 1;
	return strcmp(l->rename.from, r->rename.from);
}

/* Suggestions by falling share, then what --rename did. */
static void tell(const struct search *x, struct arena *mem, struct gate *out)
{
	const struct gate_options *options = x->s->options;
	struct gate_rename *all = arena_alloc(mem, x->n_found + options->n_rules + 1, sizeof(*all));
	uint32_t n = 0;

	if (x->n_found)
		qsort(x->found, x->n_found, sizeof(*x->found), compare_found);
	for (uint32_t i = 0; i < x->n_found; i++)
		all[n++] = x->found[i].rename;
	for (size_t i = 0; i < options->n_rules; i++)
		if (options->rule[i].kind == GATE_RENAME && options->rule[i].n_used > 0)
			all[n++] = (struct gate_rename){ .from = options->rule[i].pattern,
							 .to = options->rule[i].to,
							 .ratio = NAN,
							 .is_asked = true };
	assert(n <= x->n_found + options->n_rules);
	out->n_renames = n;
	out->rename = all;
}

void gate_find_renames(struct gate_sums *s, struct arena *mem, struct gate *out)
{
	struct search x = { .s = s, .mem = mem };

	find_candidates(&x, STATS_BASE);
	find_candidates(&x, STATS_NEW);
	if (x.n[STATS_BASE] && x.n[STATS_NEW]) {
		x.cum = mem_alloc(s->n_funcs, sizeof(*x.cum));
		for (uint32_t f = 0; f < s->n_funcs; f++)
			memcpy(x.cum[f], s->func[f].cum, sizeof(*x.cum));
		x.candidate = mem_alloc(s->n_funcs, sizeof(*x.candidate));
		x.found = mem_alloc(MOST, sizeof(*x.found));
		number_candidates(&x);
		find_paths(&x);
		while (x.n[STATS_BASE] && x.n[STATS_NEW] && find_pairs(&x))
			drop_found(&x);
	}
	tell(&x, mem, out);
	free(x.at[STATS_BASE]);
	free(x.at[STATS_NEW]);
	free(x.cum);
	free(x.candidate);
	free(x.path);
	free(x.found);
}
