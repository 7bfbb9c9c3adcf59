/*
 * test_trace.c - a timeline of samples that the program wrote, which may be anything
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

#include "make_tables.h"

#include "libcpaprof/collector/body.h"
#include "libcpaprof/collector/trace_int.h"

#define MS 1000000ULL

enum { TEXT_MOST = 1 << 20 };

/* Functions by the last digit of their address; 9 has no name, 8 one that is odd. */
static bool names(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i, struct snap_name *out)
{
	static const char *const function[] = { "zero", "one", "two",   "three",        "four",
						"five", "six", "seven", "o\"d\\d\n\xff" };

	(void)arg;
	(void)p;
	(void)map;
	if (i > 0 || addr % 16 > 8)
		return false;
	*out = (struct snap_name){ .function = function[addr % 16],
				   .file = addr % 16 == 1 ? "one.c" : NULL,
				   .line = 7 };
	return true;
}

static void put(struct made *m, struct trace *t, uint32_t tid, uint64_t ms, uint32_t label, uint32_t n,
		const uint64_t *pc)
{
	trace_sample(t, tid, table_add(&m->p->table, pc, n, label, 1), 1, t->begin_ns + ms * MS);
}

/* What is written, unpacked. The trace takes a second. */
static const char *text_of(struct trace *t)
{
	static char text[TEXT_MOST];
	struct body b = { 0 };
	z_stream z = { 0 };

	trace_end(t);
	t->end_ns = t->begin_ns + 1000 * MS;
	assert_int_equal(trace_write(t, names, NULL, body_put, &b), 0);
	z.next_in = b.v.data;
	z.avail_in = (unsigned)b.v.n;
	z.next_out = (unsigned char *)text;
	z.avail_out = TEXT_MOST - 1;
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	text[z.total_out] = '\0';
	inflateEnd(&z);
	body_release(&b);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in %s", part, text);
}

static void there_is_one_trace_at_a_time(void **state)
{
	struct trace *t, *other;
	struct made m;

	(void)state;
	made_open(&m);
	assert_int_equal(trace_begin(m.p, &t), 0);
	assert_int_equal(m.c->head->times, 1);
	assert_int_equal(trace_begin(m.p, &other), -EBUSY);
	trace_free(t);
	assert_int_equal(m.c->head->times, 0);
	assert_int_equal(trace_begin(m.p, &t), 0);
	trace_end(t);
	assert_int_equal(m.c->head->times, 0);
	trace_free(t);
	made_close(&m);
}

static void a_child_of_fork_makes_its_own(void **state)
{
	struct trace *of_parent, *t;
	struct made m;

	(void)state;
	made_open(&m);
	assert_int_equal(trace_begin(m.p, &of_parent), 0);
	collect_forked(m.c, getpid());
	assert_int_equal(m.c->head->times, 0);
	assert_int_equal(trace_begin(m.p, &t), 0);
	assert_int_equal(m.c->head->times, 1);
	trace_free(t);
	assert_int_equal(m.c->head->times, 0);
	made_close(&m);
}

static void nothing_that_came_is_a_whole_file(void **state)
{
	struct trace *t;
	struct snap *s;
	struct made m;

	(void)state;
	made_open(&m);
	assert_int_equal(trace_begin(m.p, &t), 0);
	assert_null(strstr(text_of(t), "\"ph\":\"X\""));
	assert_has(text_of(t), "\"samples\":0,");
	assert_int_equal(trace_snap(t, &s), 0);
	assert_int_equal(s->row.n, 0);
	snap_free(s);
	trace_free(t);
	made_close(&m);
}

static void functions_are_slices_as_long_as_their_samples(void **state)
{
	static const uint64_t in_two[] = { 0x1002, 0x2001, 0x3000 }, in_three[] = { 0x1003, 0x2011, 0x3000 };
	struct trace *t;
	struct snap *s;
	struct made m;
	const char *text;

	(void)state;
	made_open(&m);
	assert_int_equal(trace_begin(m.p, &t), 0);
	put(&m, t, 77, 20, 0, 3, in_two);
	put(&m, t, 77, 30, 0, 3, in_three);
	put(&m, t, 77, 30, 0, 3, in_three);
	put(&m, t, 77, 40, 0, 3, in_three);
	assert_int_equal(trace_snap(t, &s), 0);
	assert_int_equal(s->row.n, 2);
	snap_free(s);
	text = text_of(t);
	assert_has(text, "\"name\":\"zero\",\"cat\":\"function\",\"pid\":");
	assert_has(text, "\"tid\":77,\"ts\":10000.000,\"dur\":30000.000}");
	assert_has(text, "\"tid\":77,\"ts\":10000.000,\"dur\":30000.000,\"args\":{\"file\":\"one.c\"}}");
	assert_has(text, "\"tid\":77,\"ts\":10000.000,\"dur\":10000.000}");
	assert_has(text, "\"tid\":77,\"ts\":20000.000,\"dur\":20000.000}");
	assert_has(text, "\"thread_name\"");
	assert_has(text, "\"name\":\"thread 77\"");
	assert_has(text, "\"cpu_ms\":30.000,");
	trace_free(t);
	made_close(&m);
}

static void what_makes_no_sense_is_counted_or_left_out(void **state)
{
	static const uint64_t odd[] = { 0x1008 }, none[] = { 0xabc9 };
	struct trace *t;
	struct made m;
	const char *text;

	(void)state;
	made_open(&m);
	assert_int_equal(trace_begin(m.p, &t), 0);
	put(&m, t, UINT32_MAX, 20, UINT32_MAX, 1, odd);
	put(&m, t, UINT32_MAX, 40, UINT32_MAX - 1, 1, odd);
	put(&m, t, 0, 60, 0, 1, none);
	put(&m, t, 1, 2000, 0, 1, none);
	trace_sample(t, 1, 0, 1, 0);
	trace_sample(t, 1, 0, UINT32_MAX, UINT64_MAX);
	trace_sample(t, 1, UINT32_MAX, 1, t->begin_ns + MS);
	trace_sample(t, 1, 0, 0, t->begin_ns + MS);
	text = text_of(t);
	assert_has(text, "\"name\":\"o\\\"d\\\\d\\u000a\xef\xbf\xbd\"");
	assert_has(text, "\"name\":\"0xabc9\"");
	assert_has(text, "\"tid\":4294967295,\"ts\":10000.000,\"dur\":10000.000");
	assert_has(text, "\"odd_times\":3,");
	assert_has(text, "\"samples\":6,");
	trace_free(t);
	made_close(&m);
}

static void labels_are_of_the_innermost_function(void **state)
{
	static const char *const kv[] = { "op", "a \"b\"", "tenant", "\xe4" };
	static const uint64_t pc[] = { 0x1002, 0x3000 };
	struct trace *t;
	struct made m;

	(void)state;
	made_open(&m);
	assert_int_equal(trace_begin(m.p, &t), 0);
	put(&m, t, 5, 20, made_labels(&m, kv), 2, pc);
	put(&m, t, 5, 30, 0, 2, pc);
	assert_has(text_of(t), "\"ts\":10000.000,\"dur\":10000.000,\"args\":{\"labels\":{\"op\":\"a "
			       "\\\"b\\\"\",\"tenant\":\"\xef\xbf\xbd\"}}}");
	assert_has(text_of(t), "\"ts\":20000.000,\"dur\":10000.000}");
	trace_free(t);
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_is_one_trace_at_a_time),
		cmocka_unit_test(a_child_of_fork_makes_its_own),
		cmocka_unit_test(nothing_that_came_is_a_whole_file),
		cmocka_unit_test(functions_are_slices_as_long_as_their_samples),
		cmocka_unit_test(what_makes_no_sense_is_counted_or_left_out),
		cmocka_unit_test(labels_are_of_the_innermost_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
