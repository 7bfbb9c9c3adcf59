/*
 * test_reduce_forest.c - trees of chapters: nodes of older stores, damaged nodes, types that are multiples
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "make_profile.h"
#include "make_segment.h"
#include "profile/forest.h"
#include "store/local/read/reduce_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { PROFILES = 6, ROWS = 3 };

static struct chapter *make_chapter(void)
{
	struct chapter_builder *b = chapter_builder_new("any");
	struct chapter *c;
	struct err err;

	for (int i = 0; i < PROFILES; i++) {
		struct make m = make_start("samples/count cpu/nanoseconds");

		ROW(&m, "c;b;a", 1 + i, 10 + 10 * i);
		ROW(&m, "b;a", 2, 20);
		ROW(&m, "e;d;b;a", 3, 30);
		ROW(&m, "d;a", 300, 3000);
		ROW(&m, "f", i % 2, 10 * (i % 2));
		segment_builder_profile(b, "cpu", NULL, 0, 100 + i, make_end(&m));
	}
	if (chapter_builder_finish(b, 3, &c, &err))
		fail_msg("%s", err.msg);
	chapter_builder_free(b);
	return c;
}

/* Let the nodes be in the order of their depth. */
static void sort_by_depth(struct dict *d)
{
	uint32_t depth[16] = { 0 }, position[16], parent[16], loc[16], n = 0;

	assert_in_range(d->n_nodes, 1, 16);
	for (uint32_t i = 0; i < d->n_nodes; i++)
		depth[i] = d->node_parent[i] == PROFILE_NONE ? 0 : depth[d->node_parent[i]] + 1;
	for (uint32_t at = 0; at < 16; at++)
		for (uint32_t i = 0; i < d->n_nodes; i++)
			if (depth[i] == at)
				position[i] = n++;
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		parent[position[i]] = d->node_parent[i] == PROFILE_NONE ? PROFILE_NONE : position[d->node_parent[i]];
		loc[position[i]] = d->node_loc[i];
	}
	memcpy(d->node_parent, parent, n * sizeof(*parent));
	memcpy(d->node_loc, loc, n * sizeof(*loc));
	for (uint32_t row = 0; row < d->n_rows; row++)
		d->row_node[row] = position[d->row_node[row]];
}

/* Write a chapter as a segment, and open it. */
static void open_chapter(struct chapter *c, const struct store_query *q, struct selection *out)
{
	struct buf bytes = { 0 };
	struct segment_builder w = segment_builder_begin(&bytes);
	FILE *f = tmpfile();
	struct err err;

	if (segment_writer_add(w.writer, c, &err))
		fail_msg("%s", err.msg);
	segment_builder_end(&w);
	chapter_free(c);
	assert_int_equal(fwrite(bytes.data, 1, bytes.len, f), bytes.len);
	assert_int_equal(fflush(f), 0);
	select_open_segment(dup(fileno(f)), "x.cps", q, out);
	fclose(f);
	buf_release(&bytes);
}

/* Append the nodes of all trees, and the rows of the profile. */
static void print_forest(const struct profile *p, struct buf *out)
{
	for (uint32_t i = 0; i < p->forest->n_trees; i++) {
		const struct forest_tree *t = &p->forest->tree[i];
		int64_t value[2], factor;
		struct forest_node node;
		struct forest_reader r;

		forest_reader_init(&r, t, 2);
		while (forest_read(&r, &node, value)) {
			buf_addf(out, "%s", strtab_text(p->str, p->func_name[p->line_func[p->loc_line[node.loc]]]));
			for (uint32_t type = 0; node.has_value && type < 2; type++) {
				int64_t v = value[forest_find_column(t, type, &factor)];

				buf_addf(out, " %" PRId64, v * factor);
			}
			buf_addf(out, ", %u\n", node.n_ends);
		}
	}
	for (uint32_t row = 0; row < p->n_rows; row++)
		buf_addf(out, "row %" PRId64 " %" PRId64 "\n", p->value[0][row], p->value[1][row]);
}

/* Make the forest of a chapter, and print it, or the error of the chapter. */
static void print_chapter(struct chapter *c, struct buf *out)
{
	struct store_query q = { .t0 = INT64_MIN, .t1 = INT64_MAX, .kind = "" };
	struct profile *p = NULL;
	struct store_sum sum = { 0 };
	struct selection sel;
	struct reduce_input in = { 0 };
	struct reducer *r = reduce_new(&q, NULL);
	struct err err;

	open_chapter(c, &q, &sel);
	assert_int_equal(sel.n, 1);
	in.from = &sel.chapter[0];
	reduce_want_forest(r);
	if (reduce_add(r, &in, 1, PASS_WINDOW, &err) || reduce_finish(r, &p, &sum, &err))
		fail_msg("%s", err.msg);
	assert_false(reduce_needs_rows(r));
	if (p)
		print_forest(p, out);
	else
		buf_addz(out, in.err.msg);
	profile_free(p);
	store_sum_release(&sum);
	reduce_free(r);
	select_close(&sel);
}

static void nodes_are_read_in_any_order(void **state)
{
	struct chapter *c = make_chapter();
	struct buf sorted = { 0 }, other = { 0 };

	(void)state;
	print_chapter(c, &sorted);
	assert_string_equal(sorted.data, "f 3 30, 1\n"
					 "a, 0\n"
					 "d 1800 18000, 1\n"
					 "b 12 120, 0\n"
					 "d, 0\n"
					 "e 18 180, 2\n"
					 "c 21 210, 3\n"
					 "row 21 210\n"
					 "row 12 120\n"
					 "row 18 180\n"
					 "row 1800 18000\n"
					 "row 3 30\n");
	c = make_chapter();
	sort_by_depth(&c->dict);
	print_chapter(c, &other);
	assert_string_equal(other.data, sorted.data);
	buf_release(&sorted);
	buf_release(&other);
}

static void damaged_nodes_are_an_error_of_the_chapter(void **state)
{
	struct chapter *c = make_chapter();
	struct buf out = { 0 };

	(void)state;
	c->dict.node_loc[4] = 100;
	print_chapter(c, &out);
	assert_non_null(strstr(buf_text(&out),
			       "x.cps: any: section 5: stack nodes: entry 4 of 7: locations: 100 of 6 does not exist"));
	buf_release(&out);
}

static void multiples_have_values_once_a_block_differs(void **state)
{
	struct reduce_columns a, b;
	int64_t v;

	(void)state;
	reduce_columns_init(&a, 2);
	reduce_columns_init(&b, 2);
	for (uint32_t type = 0; type < 2; type++) {
		assert_true(reduce_columns_prepare(&a, type, 0, type ? 10 : 1, true, ROWS));
		assert_true(reduce_columns_prepare(&b, type, 0, type ? 20 : 1, true, ROWS));
	}
	a.value[0][1] = 5;
	b.value[0][1] = 7;
	assert_null(a.value[1]);
	assert_true(reduce_columns_get(&a, 1, 1, &v));
	assert_int_equal(v, 50);
	assert_true(reduce_columns_prepare(&a, 1, 0, 10, false, ROWS));
	assert_null(a.value[1]);
	assert_true(reduce_columns_add(&a, &b, ROWS));
	assert_int_equal(a.value[0][1], 12);
	assert_int_equal(a.value[1][1], 190);
	assert_true(reduce_columns_get(&a, 1, 1, &v));
	assert_int_equal(v, 190);
	reduce_columns_release(&a);
	reduce_columns_release(&b);
}

static void multiples_that_overflow_are_found(void **state)
{
	struct reduce_columns c;
	int64_t v;

	(void)state;
	reduce_columns_init(&c, 2);
	assert_true(reduce_columns_prepare(&c, 0, 0, 1, true, ROWS));
	assert_true(reduce_columns_prepare(&c, 1, 0, INT64_MAX, true, ROWS));
	c.value[0][2] = 1;
	assert_true(reduce_columns_get(&c, 1, 2, &v));
	c.value[0][2] = 2;
	assert_false(reduce_columns_get(&c, 1, 2, &v));
	assert_false(reduce_columns_prepare(&c, 1, 0, 3, false, ROWS));
	reduce_columns_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_read_in_any_order),
		cmocka_unit_test(damaged_nodes_are_an_error_of_the_chapter),
		cmocka_unit_test(multiples_have_values_once_a_block_differs),
		cmocka_unit_test(multiples_that_overflow_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
