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

#include <cmocka.h>

#include "tests/unit/make_profile.h"

/* Open a profile with one stack, whose function has this name. */
static struct open_profile *open_one(struct workspace *w, const char *name, int64_t value)
{
	struct make m = make_start("samples/count");
	struct open_profile *o = NULL;
	struct load_result l = { 0 };
	struct err err;

	ROW(&m, name, value);
	l.profile = make_end(&m);
	assert_int_equal(workspace_open(w, &l, name, OPEN_UPLOAD, &o, &err), 0);
	return o;
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
	assert_true(workspace_close(w, a->id));
	workspace_put(w, a);
	d = difference(w, b, c);
	assert_int_equal(d->p->n_rows, 2);
	workspace_put(w, d);
	workspace_put(w, b);
	workspace_put(w, c);
	workspace_free(w);
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
			workspace_close(u->w, part[0]->id);
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
		cmocka_unit_test(threads_share_a_workspace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
