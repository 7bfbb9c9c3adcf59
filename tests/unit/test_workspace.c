/*
 * test_workspace.c - open profiles, differences and sums
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/workspace.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

/* Open a profile with one stack, whose function has this name. */
static struct open_profile *open_as(struct workspace *w, const char *function, int64_t value, const char *name,
				    enum open_origin origin)
{
	struct make m = make_start("samples/count");
	struct open_profile *o = NULL;
	struct load_result l = { 0 };
	struct err err;

	ROW(&m, function, value);
	l.profile = make_end(&m);
	assert_int_equal(workspace_open(w, &l, name, origin, &o, &err), 0);
	return o;
}

static struct open_profile *open_one(struct workspace *w, const char *name, int64_t value)
{
	return open_as(w, name, value, name, OPEN_UPLOAD);
}

static struct open_profile *difference(struct workspace *w, struct open_profile *base, struct open_profile *new)
{
	const struct workspace_difference d = { .base = base, .new = new, .normalize = "" };
	struct open_profile *o = NULL;
	struct err err;

	assert_int_equal(workspace_get_difference(w, &d, NULL, &o, &err), 0);
	return o;
}

static void a_difference_is_computed_once_while_both_are_open(void **state)
{
	struct workspace *w = workspace_new();
	struct open_profile *a = open_one(w, "a", 1), *b = open_one(w, "b", 2);
	struct open_profile *first = difference(w, a, b), *second = difference(w, a, b);

	(void)state;
	assert_ptr_equal(first, second);
	workspace_put(w, first);
	workspace_put(w, second);
	workspace_put(w, a);
	workspace_put(w, b);
	workspace_free(w);
}

/* Guards a difference that took the profile of a closed one: commit 55bd7bc1. */
static void a_difference_after_a_profile_was_closed_is_computed(void **state)
{
	struct workspace *w = workspace_new();
	struct open_profile *a = open_one(w, "a", 1), *b = open_one(w, "b", 2), *c = open_one(w, "c", 4), *d;

	(void)state;
	workspace_put(w, difference(w, a, b));
	assert_true(workspace_close(w, workspace_id(a)));
	workspace_put(w, a);
	d = difference(w, b, c);
	assert_int_equal(d->p->n_rows, 2);
	workspace_put(w, d);
	workspace_put(w, b);
	workspace_put(w, c);
	workspace_free(w);
}

static void an_id_depends_on_the_content_only(void **state)
{
	struct workspace *w = workspace_new(), *other = workspace_new();
	struct open_profile *a = open_one(w, "a", 1), *b = open_one(w, "b", 2), *again = open_one(other, "b", 2),
			    *found;

	(void)state;
	assert_int_equal(strlen(workspace_id(b)), WORKSPACE_ID_LENGTH);
	assert_string_not_equal(workspace_id(a), workspace_id(b));
	assert_string_equal(workspace_id(again), workspace_id(b));
	assert_true(workspace_fingerprint(again) == workspace_fingerprint(b));
	assert_true(a->number != b->number);
	found = workspace_get(w, workspace_id(again));
	assert_ptr_equal(found, b);
	workspace_put(w, found);
	assert_null(workspace_get(w, "nosuchid"));
	workspace_put(w, a);
	workspace_put(w, b);
	workspace_put(other, again);
	workspace_free(w);
	workspace_free(other);
}

static void the_same_content_is_opened_once(void **state)
{
	struct workspace *w = workspace_new();
	struct open_profile *first = open_one(w, "a", 1), *second = open_one(w, "a", 1);

	(void)state;
	assert_ptr_equal(first, second);
	workspace_put(w, first);
	workspace_put(w, second);
	workspace_free(w);
}

/* The name of a source is part of it, so two ids are needed for the same content. */
static void equal_sources_have_ids_in_the_order_of_opening(void **state)
{
	char id[2][2][WORKSPACE_ID_LENGTH + 1];

	(void)state;
	for (int run = 0; run < 2; run++) {
		struct workspace *w = workspace_new();
		struct open_profile *o[2];

		o[0] = open_as(w, "a", 1, "first", OPEN_SOURCE);
		o[1] = open_as(w, "a", 1, "second", OPEN_SOURCE);
		for (int i = 0; i < 2; i++) { /* the first id that is asked for is another one in each run */
			int k = (i + run) % 2;

			memcpy(id[run][k], workspace_id(o[k]), sizeof(id[run][k]));
		}
		for (int i = 0; i < 2; i++)
			workspace_put(w, o[i]);
		workspace_free(w);
	}
	assert_string_not_equal(id[0][0], id[0][1]);
	assert_string_equal(id[0][0], id[1][0]);
	assert_string_equal(id[0][1], id[1][1]);
}

struct user {
	struct workspace *w;
	unsigned seed;
	pthread_t thread;
};

/* Open, subtract, add and close profiles. */
static void *user_main(void *arg)
{
	struct user *u = arg;
	struct open_profile *part[2], *sum;
	char name[2][8];
	struct err err;

	for (unsigned i = 0; i < 200; i++) {
		unsigned n = u->seed * 7 + i;

		snprintf(name[0], sizeof(name[0]), "f%u", n % 5);
		snprintf(name[1], sizeof(name[1]), "g%u", n % 3);
		part[0] = open_one(u->w, name[0], 1);
		part[1] = open_one(u->w, name[1], 2);
		workspace_put(u->w, difference(u->w, part[0], part[1]));
		if (workspace_get_sum(u->w, part, 2, NULL, &sum, &err) == 0)
			workspace_put(u->w, sum);
		if (n % 4 == 0)
			workspace_close(u->w, workspace_id(part[0]));
		workspace_put(u->w, part[0]);
		workspace_put(u->w, part[1]);
	}
	return NULL;
}

static void threads_share_a_workspace(void **state)
{
	struct workspace *w = workspace_new();
	struct user user[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		user[i] = (struct user){ .w = w, .seed = i };
		pthread_create(&user[i].thread, NULL, user_main, &user[i]);
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(user[i].thread, NULL);
	workspace_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_difference_is_computed_once_while_both_are_open),
		cmocka_unit_test(a_difference_after_a_profile_was_closed_is_computed),
		cmocka_unit_test(an_id_depends_on_the_content_only),
		cmocka_unit_test(the_same_content_is_opened_once),
		cmocka_unit_test(equal_sources_have_ids_in_the_order_of_opening),
		cmocka_unit_test(threads_share_a_workspace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
