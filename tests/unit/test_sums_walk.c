/*
 * test_sums_walk.c - sums of samples that are added up while they are read are those of all stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/sums.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pool.h"
#include "engine/trim.h"
#include "formats/pprof/pprof.h"
#include "profile/sums.h"
#include "tests/unit/make_graph.h"
#include "tests/unit/make_gzip.h"
#include "tests/unit/wire.h"

enum { N_FUNCS = 90, N_LOCS = 250, N_NAMES = 60, N_SAMPLES = 25000, DEPTH = 13, N_WORLDS = 10 };

/* A file to read: as it is, and with a walk. */
struct world {
	uint64_t random;
	struct buf content, packed;
	struct query q;
	bool has_calls; /* the walk may be used for locations with several places */
	int n_again;    /* second readings of the file */
};

/* A random number below n. From Marsaglia, Xorshift RNGs. */
static uint32_t random_below(struct world *w, uint32_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (uint32_t)(w->random >> 20) % n;
}

/* The smaller, the more often. */
static uint32_t random_skewed(struct world *w, uint32_t n)
{
	return random_below(w, random_below(w, n) + 1);
}

static const char *names_of_world(uint32_t i, char name[16])
{
	snprintf(name, 16, "name%u", i);
	return name;
}

static void add_tables(struct world *w)
{
	struct buf *b = &w->content;

	wire_numbers(b, 1, LIST(1, 2));
	wire_numbers(b, 1, LIST(2, 1));
	wire_bytes(b, 6, "", 0);
	for (uint32_t i = 1; i <= N_NAMES; i++) {
		char name[16];

		names_of_world(i, name);
		wire_bytes(b, 6, name, strlen(name));
	}
	MAPPING(b, 1, 0x1000, 0x2000);
	for (uint32_t i = 1; i <= N_FUNCS; i++) /* some functions have the same name */
		FUNCTION(b, i, random_below(w, N_NAMES) + 1, 0, random_below(w, 5) + 1);
	for (uint32_t i = 1; i <= N_LOCS; i++) {
		struct buf m = { 0 };

		wire_int(&m, 1, i);
		wire_int(&m, 2, 1);
		for (uint32_t k = random_skewed(w, 4) + 1; k-- > 0;)
			LINE(&m, random_below(w, N_FUNCS) + 1, random_below(w, 9));
		wire_message(b, 4, &m);
	}
}

static void add_samples(struct world *w)
{
	for (uint32_t i = 0; i < N_SAMPLES; i++) {
		uint64_t loc[DEPTH];
		uint32_t n = random_below(w, DEPTH);
		struct buf m = { 0 };

		for (uint32_t k = 0; k < n; k++)
			loc[k] = random_skewed(w, N_LOCS) + 1;
		wire_packed(&m, 1, loc, n);
		wire_packed(&m, 2, LIST(random_below(w, 3), random_below(w, 1000) * 1000));
		wire_message(&w->content, 2, &m);
	}
}

static struct world world_new(uint32_t seed)
{
	struct world w = { .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .has_calls = true };

	query_init(&w.q);
	w.q.nodefraction = (double)random_below(&w, 4) / 50;
	w.q.edgefraction = (double)random_below(&w, 4) / 100;
	w.q.granularity = (int)random_below(&w, GRAIN_ADDRESSES + 1);
	w.q.noinlines = seed % 5 == 0;
	w.q.sample_index = seed % 3 == 0 ? "0" : "";
	add_tables(&w);
	add_samples(&w);
	return w;
}

static void world_release(struct world *w)
{
	query_release(&w->q);
	buf_release(&w->content);
	buf_release(&w->packed);
}

/* ---- read ---- */

/* The walk of the tests is that of sums.c, which may read small files again, too. */
static struct sample_walk walk_of_sums;

static bool start_walk(void *arg, const struct profile *tables, size_t size, unsigned parts)
{
	const struct world *w = arg;

	(void)size;
	return walk_of_sums.start(walk_of_sums.arg, tables, w->has_calls ? SIZE_MAX : (size_t)256 << 20, parts);
}

static bool add_to_walk(void *arg, unsigned part, const struct walk_samples *s)
{
	(void)arg;
	return walk_of_sums.add(walk_of_sums.arg, part, s);
}

static bool finish_walk(void *arg, struct builder *b)
{
	(void)arg;
	return walk_of_sums.finish(walk_of_sums.arg, b);
}

static void attach_walk(void *arg, struct profile *p)
{
	(void)arg;
	walk_of_sums.attach(walk_of_sums.arg, p);
}

/* Returns NULL if the file cannot be read in pieces. */
static struct profile *read_with(struct world *w, const struct sample_walk *walk)
{
	const struct format_options options = { .walk = walk, .skips_labels = true, .repeats_stacks = true };
	struct bytes in;
	struct pieces *s;
	struct profile *p = NULL;

	if (!w->packed.len)
		add_gzip_level(&w->packed, w->content.data, w->content.len, 0);
	in = (struct bytes){ .data = (uint8_t *)w->packed.data, .n = w->packed.len };
	s = pieces_open(&in, &options);
	assert_non_null(s);
	if (pprof_read_pieces(s, &options, &p) == 0)
		p->content_hash = pieces_hash(s);
	pieces_close(s);
	return p;
}

static int read_again(void *arg, const struct sample_walk *walk, struct profile **out, struct err *err)
{
	struct world *w = arg;

	w->n_again++;
	*out = read_with(w, walk);
	return *out ? 0 : err_set(err, ERR_FORMAT, "not read");
}

static struct profile *read_sums(struct world *w)
{
	const struct sample_walk walk = { w, start_walk, add_to_walk, finish_walk, attach_walk };
	struct sums_builder *e = sums_new(&w->q.filter, NULL);
	struct profile *p;

	walk_of_sums = sums_walk(e);
	p = read_with(w, &walk);
	sums_free(e);
	if (p && p->sums)
		p->sums->source = (struct sample_source){ w, read_again };
	return p;
}

/* ---- compare ---- */

static struct graph_fixture graph_of(struct profile *p, const struct query *q)
{
	return (struct graph_fixture){ .p = p, .q = *q, .mem = arena_new() };
}

static void expect_same_notes(struct graph_fixture *a, struct graph_fixture *b)
{
	struct trim_result t[2];
	enum inlined *inlined[2];
	struct node_names names;

	node_names_init(&names, &a->pl, a->mem);
	trim_make(&a->g.nodes, &a->q.filter, &names, a->mem, &t[0]);
	trim_make(&b->g.nodes, &b->q.filter, &names, b->mem, &t[1]);
	assert_int_equal(t[0].n, t[1].n);
	inlined[0] = trim_inlined(&a->g, &t[0], a->mem);
	inlined[1] = trim_inlined(&b->g, &t[1], b->mem);
	for (uint32_t i = 0; i < t[0].n; i++) {
		assert_int_equal(t[0].node[i], t[1].node[i]);
		assert_int_equal(inlined[0][i], inlined[1][i]);
	}
}

/* Check the sums and notes of a world; the profiles are freed. */
static void expect_same(struct world *w, struct profile *all, struct profile *sums)
{
	struct graph_fixture a = graph_of(all, &w->q), b = graph_of(sums, &w->q);

	graph_fixture_run(&a);
	graph_fixture_run(&b);
	assert_int_equal(a.v.total, b.v.total);
	assert_int_equal(a.g.nodes.n, b.g.nodes.n);
	assert_memory_equal(a.g.nodes.flat, b.g.nodes.flat, a.g.nodes.n * sizeof(int64_t));
	assert_memory_equal(a.g.nodes.cum, b.g.nodes.cum, a.g.nodes.n * sizeof(int64_t));
	expect_same_notes(&a, &b);
	assert_false(sums->sums->lacks_stacks);
	graph_fixture_release(&a);
	graph_fixture_release(&b);
}

static void sums_and_notes_are_those_of_all_stacks(void **state)
{
	int n_again = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= N_WORLDS; seed++) {
		struct world w = world_new(seed);
		struct profile *sums;

		pool_set_size(seed % 2 + 1);
		sums = read_sums(&w);
		assert_non_null(sums);
		assert_non_null(sums->sums);
		assert_true(sums->n_rows < N_SAMPLES / 10);
		expect_same(&w, read_with(&w, NULL), sums);
		n_again += w.n_again;
		world_release(&w);
	}
	pool_set_size(0);
	assert_in_range(n_again, 1, N_WORLDS - 1); /* only some questions need the calls */
}

static void other_questions_need_all_stacks(void **state)
{
	struct world w = world_new(1);
	struct graph_fixture a = graph_of(read_sums(&w), &w.q);

	(void)state;
	a.q.granularity = w.q.granularity == GRAIN_LINES ? GRAIN_FUNCTIONS : GRAIN_LINES;
	graph_fixture_run(&a);
	assert_true(a.p->sums->lacks_stacks);
	graph_fixture_release(&a);
	a = graph_of(read_sums(&w), &w.q);
	a.q.sample_index = "0";
	graph_fixture_run(&a);
	assert_true(a.p->sums->lacks_stacks);
	graph_fixture_release(&a);
	world_release(&w);
}

/* Read a file that ends with more fields. */
static struct profile *read_ending(void (*add)(struct buf *b), bool has_calls)
{
	struct world w = world_new(1);
	struct profile *p;

	w.has_calls = has_calls;
	add(&w.content);
	p = read_sums(&w);
	world_release(&w);
	return p;
}

static void add_nothing(struct buf *b)
{
	(void)b;
}

static void add_negative(struct buf *b)
{
	struct buf m = { 0 };

	wire_packed(&m, 1, LIST(1, 2));
	wire_packed(&m, 2, LIST(1, (uint64_t)-1));
	wire_message(b, 2, &m);
}

static void add_location(struct buf *b)
{
	wire_location(b, 100000, 1, 1, 1, 1);
}

static void add_drop_frames(struct buf *b)
{
	wire_int(b, 7, 1);
}

static void add_default_type(struct buf *b)
{
	wire_int(b, 14, 1);
}

static void files_that_need_all_stacks_are_refused(void **state)
{
	static void (*const end[])(struct buf * b) = { add_negative, add_location, add_drop_frames, add_default_type };
	struct profile *p = read_ending(add_nothing, false);

	(void)state;
	assert_non_null(p); /* it is small, and has inlined calls: all samples are kept */
	assert_null(p->sums);
	assert_int_equal(p->n_rows, N_SAMPLES);
	profile_free(p);
	for (unsigned threads = 1; threads <= 2; threads++) {
		pool_set_size(threads);
		for (size_t i = 0; i < sizeof(end) / sizeof(end[0]); i++)
			assert_null(read_ending(end[i], true));
	}
	pool_set_size(0);
}

static void a_second_file_that_differs_is_noticed(void **state)
{
	bool is_noticed = false;

	(void)state;
	for (uint32_t seed = 1; seed <= N_WORLDS && !is_noticed; seed++) {
		struct world w = world_new(seed);
		struct graph_fixture a = graph_of(read_sums(&w), &w.q);
		struct node_names names;
		struct trim_result t;

		wire_int(&w.content, 99, 0);
		w.packed.len = 0;
		graph_fixture_run(&a);
		node_names_init(&names, &a.pl, a.mem);
		trim_make(&a.g.nodes, &a.q.filter, &names, a.mem, &t);
		trim_inlined(&a.g, &t, a.mem);
		assert_int_equal(a.p->sums->lacks_stacks, w.n_again > 0);
		is_noticed = w.n_again > 0;
		graph_fixture_release(&a);
		world_release(&w);
	}
	assert_true(is_noticed);
}

/* Read the file as one of many, with a walk or not. */
static struct profile *read_one_of_many(const struct world *w, const struct strtab *whole, bool walks)
{
	struct sums_builder *s = sums_new(&w->q.filter, whole);
	const struct sample_walk walk = sums_walk(s);
	const struct format_options options = { .walk = walks ? &walk : NULL, .skips_labels = true, .max_depth = 100 };
	struct profile *p;
	struct err err;

	assert_int_equal(pprof_read((const uint8_t *)w->content.data, w->content.len, &options, &p, &err), 0);
	assert_int_equal(p->sums != NULL, walks);
	assert_int_equal(sums_make(p, &w->q.filter, whole), !walks);
	sums_free(s);
	return p;
}

static void expect_same_sums(const struct profile *a, const struct profile *b)
{
	const struct profile_sums *x = a->sums, *y = b->sums;

	assert_int_equal(x->n_locs, y->n_locs);
	assert_memory_equal(x->loc, y->loc, x->n_locs * sizeof(*x->loc));
	assert_memory_equal(x->cum, y->cum, profile_sums_slots(a) * sizeof(*x->cum));
	assert_memory_equal(x->flat, y->flat, (a->n_locs + 1) * a->n_types * sizeof(*x->flat));
	assert_memory_equal(x->several, y->several, a->n_locs * sizeof(*x->several));
	assert_memory_equal(x->is_whole, y->is_whole, a->n_locs * sizeof(*x->is_whole));
	assert_int_equal(a->n_rows, b->n_rows);
	for (uint32_t t = 0; t < a->n_types; t++)
		assert_memory_equal(a->value[t], b->value[t], a->n_rows * sizeof(*a->value[t]));
}

static void a_walk_of_one_of_many_files_gives_the_sums_of_its_samples(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 3; seed++) {
		struct strtab *whole = strtab_new();
		struct world w = world_new(seed);
		struct profile *a, *b;
		char name[16];

		for (uint32_t i = 1; i <= N_NAMES / 8; i++)
			strtab_addz(whole, names_of_world(i, name));
		a = read_one_of_many(&w, whole, true);
		b = read_one_of_many(&w, whole, false);
		assert_in_range(a->n_rows, 1, N_SAMPLES - 1); /* those with these names */
		expect_same_sums(a, b);
		profile_free(a);
		profile_free(b);
		strtab_free(whole);
		world_release(&w);
	}
}

static void a_file_of_many_with_values_below_0_keeps_its_samples(void **state)
{
	struct strtab *whole = strtab_new();
	struct world w = world_new(1);
	struct sums_builder *s = sums_new(&w.q.filter, whole);
	const struct sample_walk walk = sums_walk(s);
	const struct format_options options = { .walk = &walk, .skips_labels = true, .max_depth = 100 };
	struct profile *p;
	struct err err;

	(void)state;
	add_negative(&w.content);
	assert_int_equal(pprof_read((const uint8_t *)w.content.data, w.content.len, &options, &p, &err), 0);
	assert_null(p->sums);
	assert_int_equal(p->n_rows, N_SAMPLES + 1);
	profile_free(p);
	sums_free(s);
	strtab_free(whole);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_notes_are_those_of_all_stacks),
		cmocka_unit_test(other_questions_need_all_stacks),
		cmocka_unit_test(files_that_need_all_stacks_are_refused),
		cmocka_unit_test(a_second_file_that_differs_is_noticed),
		cmocka_unit_test(a_walk_of_one_of_many_files_gives_the_sums_of_its_samples),
		cmocka_unit_test(a_file_of_many_with_values_below_0_keeps_its_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
