/*
 * test_label_order.c - labels sorted by kind and key
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/label_order.h"

#include "make_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint32_t label(struct make *m, const char *key, const char *text, int64_t num)
{
	struct builder_label l = { .key = make_text(m, key, strlen(key)), .num = num, .is_text = text != NULL };
	uint32_t id = 0;

	l.text = text ? make_text(m, text, strlen(text)) : 0;
	builder_label(m->b, &l, &id, NULL);
	return id;
}

static void text_labels_come_first_and_each_kind_is_sorted_by_key_bytes(void **state)
{
	struct make m = make_start("a/b");
	uint32_t labels[] = { label(&m, "b", NULL, 1), label(&m, "c", "x", 0), label(&m, "a", NULL, 2),
			      label(&m, "B", "y", 0), label(&m, "b", "z", 0) };
	const uint32_t want[] = { labels[3], labels[4], labels[1], labels[2], labels[0] };
	struct profile *p;
	uint32_t *order;

	(void)state;
	make_row(&m, "f", (const int64_t[]){ 1 }, labels, 5);
	p = make_end(&m);
	order = profile_label_order(p);
	assert_memory_equal(order + p->label_sets.off[p->labels[0]], want, sizeof(want));
	free(order);
	profile_free(p);
}

static void labels_with_the_same_key_keep_their_order(void **state)
{
	struct make m = make_start("a/b");
	uint32_t labels[] = { label(&m, "k", "z", 0), label(&m, "a", "1", 0), label(&m, "k", "a", 0) };
	const uint32_t want[] = { labels[1], labels[0], labels[2] };
	struct profile *p;
	uint32_t *order;

	(void)state;
	make_row(&m, "f", (const int64_t[]){ 1 }, labels, 3);
	p = make_end(&m);
	order = profile_label_order(p);
	assert_memory_equal(order + p->label_sets.off[p->labels[0]], want, sizeof(want));
	free(order);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_labels_come_first_and_each_kind_is_sorted_by_key_bytes),
		cmocka_unit_test(labels_with_the_same_key_keep_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
