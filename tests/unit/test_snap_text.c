/*
 * test_snap_text.c - profiles as text, equal to those of Go
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks and names are those of a Go program, which printed the expected text.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "libcpaprof/collector/write/write.h"

#include "make_tables.h"

enum { ONE = 1024 };

struct got {
	char text[16384];
	size_t n;
};

static int append(void *arg, const void *data, size_t n)
{
	struct got *g = arg;

	assert_true(g->n + n < sizeof(g->text));
	memcpy(g->text + g->n, data, n);
	g->n += n;
	g->text[g->n] = '\0';
	return 0;
}

static const struct {
	uint64_t addr;
	struct snap_name name;
} known[] = {
	{ 0x4dd214, { "main.waiter", "/tmp/go/main.go", 18, 0x14, false } },
	{ 0x489984, { "sync.(*WaitGroup).Wait", "/usr/local/go/src/sync/waitgroup.go", 206, 0x84, false } },
	{ 0x4dd4c9, { "main.main", "/tmp/go/main.go", 42, 0x289, false } },
	{ 0x44d054, { "runtime.main", "/usr/local/go/src/runtime/proc.go", 290, 0x2d4, false } },
	{ 0x4dd760, { "sync.(*Mutex).Lock", "/usr/local/go/src/sync/mutex.go", 46, 0x20, false } },
	{ 0x4dd74e, { "main.main.func2", "/tmp/go/main.go", 40, 0xe, false } },
	{ 0x5000,
	  { "a\nb\x1b[1m\xc2\x9b"
	    "2m\x9b\xe2\x80\xae\xc3\xa9",
	    NULL, 0, 0, false } },
};

static bool name_of(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i, struct snap_name *out)
{
	(void)arg;
	(void)p;
	(void)map;
	for (size_t k = 0; k < sizeof(known) / sizeof(*known) && i == 0; k++)
		if (known[k].addr == addr) {
			*out = known[k].name;
			return true;
		}
	return false;
}

/* The written text, without the mappings at the end. */
static const char *text_of(const struct snap *s, int debug, struct got *g)
{
	char *end;

	g->n = 0;
	assert_int_equal(write_snap(s, debug, name_of, NULL, append, g), 0);
	end = strstr(g->text, "\n--- Memory map: ---\n");
	if (end)
		*end = '\0';
	return g->text;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static const uint64_t waiter[] = { 0x4dd214 }, wait_group[] = { 0x489984, 0x4dd4c9, 0x44d054 },
		      lock[] = { 0x4dd760, 0x4dd74e }, odd[] = { 0x4dd760, 0x5fff, 0x4dd74e }, strange[] = { 0x5000 };

static void counts_match_those_of_go(void **state)
{
	struct made m;
	struct got g;
	struct snap *s;

	(void)state;
	made_open(&m);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 2, 3, wait_group), 0, 1);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 1, 1, waiter), 0, 3);
	s = made_snap(&m, SNAP_CREATE, 0);
	assert_string_equal(text_of(s, 1, &g), "threadcreate profile: total 4\n"
					       "3 @ 0x4dd215\n"
					       "#\t0x4dd214\tmain.waiter+0x14\t/tmp/go/main.go:18\n"
					       "\n"
					       "1 @ 0x489985 0x4dd4ca 0x44d055\n"
					       "#\t0x489984\tsync.(*WaitGroup).Wait+0x84\t"
					       "/usr/local/go/src/sync/waitgroup.go:206\n"
					       "#\t0x4dd4c9\tmain.main+0x289\t\t\t/tmp/go/main.go:42\n"
					       "#\t0x44d054\truntime.main+0x2d4\t\t"
					       "/usr/local/go/src/runtime/proc.go:290\n"
					       "\n");
	snap_free(s);
	made_close(&m);
}

static void labels_match_those_of_go(void **state)
{
	static const char *const kv[] = { "op", "x", "tenant", "a\"b\n\xc2\x9b" };
	struct made m;
	struct got g;
	struct snap *s;
	uint32_t x;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_CUSTOM, 9, 1, 1, waiter);
	made_stack(&m, x)->label = made_labels(&m, kv);
	made_count(&m, x, CUSTOM_ADDED, 1);
	s = made_snap(&m, SNAP_CUSTOM, 9);
	assert_string_equal(text_of(s, 1, &g), "custom profile: total 1\n"
					       "1 @ 0x4dd215\n"
					       "# labels: {\"op\":\"x\", \"tenant\":\"a\\\"b\\n\\u009b\"}\n"
					       "#\t0x4dd214\tmain.waiter+0x14\t/tmp/go/main.go:18\n"
					       "\n");
	snap_free(s);
	made_close(&m);
}

static void equal_counts_are_sorted_by_address_text(void **state)
{
	static const uint64_t a[] = { 0x20 }, b[] = { 0x1fff }, c[] = { 0x1fff, 0x3 }, d[] = { 0x1f };
	struct made m;
	struct got g;
	struct snap *s;

	(void)state;
	made_open(&m);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 2, 1, a), 0, 1);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 2, 2, c), 0, 1);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 2, 1, b), 0, 1);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 2, 1, d), 0, 2);
	s = made_snap(&m, SNAP_CREATE, 0);
	assert_string_equal(text_of(s, 1, &g), "threadcreate profile: total 5\n"
					       "2 @ 0x20\n#\t0x1f\n\n"
					       "1 @ 0x2000\n#\t0x1fff\n\n"
					       "1 @ 0x2000 0x4\n#\t0x1fff\n#\t0x3\n\n"
					       "1 @ 0x21\n#\t0x20\n\n");
	snap_free(s);
	made_close(&m);
}

static void waits_match_those_of_go(void **state)
{
	struct made m;
	struct got g;
	struct snap *s;
	uint32_t x;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_MUTEX, 0, 2, 2, lock);
	made_count(&m, x, WAIT_COUNT, 3 * ONE);
	made_count(&m, x, WAIT_NS, 87270248);
	x = made_add(&m, STACK_BLOCK, 0, 2, 2, lock);
	made_count(&m, x, WAIT_COUNT, 3 * ONE);
	made_count(&m, x, WAIT_NS, 80613208);
	x = made_add(&m, STACK_BLOCK, 0, 2, 3, wait_group);
	made_count(&m, x, WAIT_COUNT, ONE);
	made_count(&m, x, WAIT_NS, 53818570);
	s = made_snap(&m, SNAP_BLOCK, 0);
	assert_string_equal(text_of(s, 1, &g),
			    "--- contention:\n"
			    "cycles/second=1000000000\n"
			    "80613208 3 @ 0x4dd761 0x4dd74f\n"
			    "#\t0x4dd760\tsync.(*Mutex).Lock+0x20\t/usr/local/go/src/sync/mutex.go:46\n"
			    "#\t0x4dd74e\tmain.main.func2+0xe\t/tmp/go/main.go:40\n"
			    "\n"
			    "53818570 1 @ 0x489985 0x4dd4ca 0x44d055\n"
			    "#\t0x489984\tsync.(*WaitGroup).Wait+0x84\t/usr/local/go/src/sync/waitgroup.go:206\n"
			    "#\t0x4dd4c9\tmain.main+0x289\t\t\t/tmp/go/main.go:42\n"
			    "#\t0x44d054\truntime.main+0x2d4\t\t/usr/local/go/src/runtime/proc.go:290\n"
			    "\n");
	snap_free(s);
	s = made_snap(&m, SNAP_MUTEX, 0);
	assert_string_equal(text_of(s, 2, &g),
			    "--- mutex:\n"
			    "cycles/second=1000000000\n"
			    "sampling period=1\n"
			    "87270248 3 @ 0x4dd761 0x4dd74f\n"
			    "#\t0x4dd760\tsync.(*Mutex).Lock+0x20\t/usr/local/go/src/sync/mutex.go:46\n"
			    "#\t0x4dd74e\tmain.main.func2+0xe\t/tmp/go/main.go:40\n"
			    "\n");
	snap_free(s);
	made_close(&m);
}

static void a_heap_profile_matches_that_of_go(void **state)
{
	struct made m;
	struct got g;
	struct snap *s;
	uint32_t x, y;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_HEAP, 3, 2, 2, lock);
	y = made_add(&m, STACK_HEAP, 4, 2, 1, waiter);
	made_heap(&m, x, false, 100, 5000 * ONE);
	made_heap(&m, x, true, 100, 5000 * ONE);
	made_heap(&m, y, false, 4096, 10 * ONE);
	made_heap(&m, y, false, 4096, 10 * ONE);
	s = made_snap(&m, SNAP_HEAP, 0);
	text_of(s, 1, &g);
	*strstr(g.text, "\n# memory\n") = '\0';
	assert_string_equal(g.text, "heap profile: 2: 8192 [3: 8292] @ heap/1048576\n"
				    "2: 8192 [2: 8192] @ 0x4dd215\n"
				    "#\t0x4dd214\tmain.waiter+0x14\t/tmp/go/main.go:18\n"
				    "\n"
				    "0: 0 [1: 100] @ 0x4dd761 0x4dd74f\n"
				    "#\t0x4dd760\tsync.(*Mutex).Lock+0x20\t/usr/local/go/src/sync/mutex.go:46\n"
				    "#\t0x4dd74e\tmain.main.func2+0xe\t/tmp/go/main.go:40\n"
				    "\n");
	snap_free(s);
	made_close(&m);
}

static void a_heap_profile_without_frees_reports_one_more_allocated_byte(void **state)
{
	struct made m;
	struct got g;
	struct snap *s;

	(void)state;
	made_open(&m);
	made_heap(&m, made_add(&m, STACK_HEAP, 3, 2, 2, lock), false, 100, ONE);
	s = made_snap(&m, SNAP_HEAP, 0);
	text_of(s, 1, &g);
	assert_true(begins(g.text, "heap profile: 1: 100 [1: 101] @ heap/1048576\n1: 100 [1: 100] @"));
	assert_non_null(strstr(g.text, "\n# MaxRSS = "));
	snap_free(s);
	made_close(&m);
}

static void columns_are_aligned_separately_after_a_frame_without_a_name(void **state)
{
	struct made m;
	struct got g;
	struct snap *s;

	(void)state;
	made_open(&m);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 2, 3, odd), 0, 1);
	s = made_snap(&m, SNAP_CREATE, 0);
	assert_string_equal(text_of(s, 1, &g), "threadcreate profile: total 1\n"
					       "1 @ 0x4dd761 0x6000 0x4dd74f\n"
					       "#\t0x4dd760\tsync.(*Mutex).Lock+0x20\t"
					       "/usr/local/go/src/sync/mutex.go:46\n"
					       "#\t0x5fff\n"
					       "#\t0x4dd74e\tmain.main.func2+0xe\t/tmp/go/main.go:40\n"
					       "\n");
	snap_free(s);
	made_close(&m);
}

static void names_cannot_contain_line_breaks_or_terminal_controls(void **state)
{
	struct made m;
	struct got g;
	struct snap *s;

	(void)state;
	made_open(&m);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 2, 1, strange), 0, 1);
	s = made_snap(&m, SNAP_CREATE, 0);
	assert_string_equal(text_of(s, 1, &g), "threadcreate profile: total 1\n"
					       "1 @ 0x5001\n"
					       "#\t0x5000\ta?b?[1m??2m????\xc3\xa9+0x0\t??:0\n"
					       "\n");
	snap_free(s);
	made_close(&m);
}

/* Two threads with the same stack, and one with another. */
static struct snap *dump(struct made *m, const char *name)
{
	static const uint64_t *const stack[] = { waiter, waiter, wait_group };
	struct snap *s = made_snap(m, SNAP_CREATE, 0);
	uint32_t at;

	s->kind = SNAP_THREADS;
	snprintf(s->name, sizeof(s->name), "%s", name);
	for (uint32_t i = 0; i < 3; i++) {
		struct snap_thread *thread = vec_reserve(&s->thread, 1, sizeof(*thread), 3);
		struct snap_row *row = vec_reserve(&s->row, 1, sizeof(*row), 3);
		uint32_t n = i < 2 ? 1 : 3;

		assert_true(table_add_frames(&m->p->table, stack[i], n, &at));
		*row = (struct snap_row){ .at = at, .n = n, .thread = i + 1, .value = { 1 } };
		*thread = (struct snap_thread){ .tid = 4711 + i, .name = "w", .wait = "futex", .cpu_ns = 3250000000 };
		if (i == 0)
			thread->wait_ns = 12 * 60000000000;
		if (i == 1) {
			assert_true(table_add_frames(&m->p->table, wait_group + 1, 2, &thread->creator_at));
			thread->creator_n = 2;
		}
		s->row.n++;
		s->thread.n++;
	}
	assert_int_equal(snap_sort(s), 0);
	return s;
}

static void threads_with_equal_stacks_are_counted_together(void **state)
{
	struct made m;
	struct got g;
	struct snap *s;

	(void)state;
	made_open(&m);
	s = dump(&m, "goroutine");
	text_of(s, 1, &g);
	assert_true(begins(g.text, "goroutine profile: total 3\n2 @ 0x4dd215\n#\t"));
	assert_non_null(strstr(g.text, "\n1 @ 0x489985 "));
	snap_free(s);
	made_close(&m);
}

static void the_goroutine_profile_has_the_text_format_of_go(void **state)
{
	static const char frames[] = "main.waiter(...)\n\t/tmp/go/main.go:18 +0x15\n";
	struct made m;
	struct got g;
	struct snap *s;
	char want[1024];

	(void)state;
	made_open(&m);
	s = dump(&m, "goroutine");
	snprintf(want, sizeof(want),
		 "goroutine 4711 [futex, 12 minutes]:\n%s\n"
		 "goroutine 4712 [futex]:\n%screated by main.main\n\t/tmp/go/main.go:42 +0x28a\n\n"
		 "goroutine 4713 [futex]:\n"
		 "sync.(*WaitGroup).Wait(...)\n\t/usr/local/go/src/sync/waitgroup.go:206 +0x85\n"
		 "main.main(...)\n\t/tmp/go/main.go:42 +0x28a\n"
		 "runtime.main(...)\n\t/usr/local/go/src/runtime/proc.go:290 +0x2d5\n",
		 frames, frames);
	assert_string_equal(text_of(s, 2, &g), want);
	snap_free(s);
	s = dump(&m, "threads");
	text_of(s, 2, &g);
	assert_true(begins(g.text, "thread 4711 \"w\" [futex, 12 minutes, cpu 3.2s]:\n"));
	snap_free(s);
	made_close(&m);
}

static void a_difference_of_thread_profiles_compares_stacks(void **state)
{
	struct made m;
	struct snap *before, *after;

	(void)state;
	made_open(&m);
	before = dump(&m, "threads");
	after = dump(&m, "threads");
	((struct snap_row *)after->row.data)[0].thread = 99;
	assert_int_equal(snap_subtract(after, before, false), 0);
	assert_int_equal(after->row.n, 0);
	snap_free(before);
	snap_free(after);
	made_close(&m);
}

static int refuse(void *arg, const void *data, size_t n)
{
	(void)data;
	(void)n;
	return ++*(int *)arg == 1 ? 42 : 0;
}

static void an_error_of_the_sink_is_returned(void **state)
{
	struct made m;
	struct snap *s;
	int calls = 0;

	(void)state;
	made_open(&m);
	s = made_snap(&m, SNAP_CREATE, 0);
	assert_int_equal(write_snap(s, 1, name_of, NULL, refuse, &calls), 42);
	calls = 0;
	assert_int_equal(write_snap(s, 0, name_of, NULL, refuse, &calls), 42);
	snap_free(s);
	made_close(&m);
}

/* google-pprof takes a stack that begins with 0 for the end of the profile. */
static void samples_without_a_stack_do_not_end_a_legacy_profile(void **state)
{
	struct made m;
	struct got g = { .n = 0 };
	struct snap *s;
	uint64_t word[8];

	(void)state;
	made_open(&m);
	table_add_pseudo(&m.p->table, PSEUDO_LOST, 0, 5);
	s = made_snap(&m, SNAP_CPU, 0);
	assert_int_equal(s->row.n, 1);
	assert_int_equal(write_snap_legacy(s, append, &g), 0);
	assert_true(g.n >= sizeof(word));
	memcpy(word, g.text, sizeof(word));
	assert_int_equal(word[5], 5);
	assert_int_equal(word[6], 1);
	assert_int_equal(word[7], 1);
	snap_free(s);
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_match_those_of_go),
		cmocka_unit_test(samples_without_a_stack_do_not_end_a_legacy_profile),
		cmocka_unit_test(labels_match_those_of_go),
		cmocka_unit_test(equal_counts_are_sorted_by_address_text),
		cmocka_unit_test(waits_match_those_of_go),
		cmocka_unit_test(a_heap_profile_matches_that_of_go),
		cmocka_unit_test(a_heap_profile_without_frees_reports_one_more_allocated_byte),
		cmocka_unit_test(columns_are_aligned_separately_after_a_frame_without_a_name),
		cmocka_unit_test(names_cannot_contain_line_breaks_or_terminal_controls),
		cmocka_unit_test(threads_with_equal_stacks_are_counted_together),
		cmocka_unit_test(the_goroutine_profile_has_the_text_format_of_go),
		cmocka_unit_test(a_difference_of_thread_profiles_compares_stacks),
		cmocka_unit_test(an_error_of_the_sink_is_returned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
