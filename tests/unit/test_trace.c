/*
 * test_trace.c - a timeline of samples from the program, which may be invalid
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

#include "libcpaprof/collector/trace/trace_int.h"
#include "libcpaprof/collector/write/body.h"

#define MS 1000000ULL

enum { TEXT_MAX = 1 << 20 };

/* Names functions by the last digit of their address; 9 has no name, 8 has special characters. */
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

/* The written trace, decompressed. It lasts one second. */
static const char *text_of(struct trace *t)
{
	static char text[TEXT_MAX];
	struct body b = { 0 };
	z_stream z = { 0 };

	trace_end(t);
	t->end_ns = t->begin_ns + 1000 * MS;
	assert_int_equal(trace_write(t, names, NULL, body_append, &b), 0);
	z.next_in = b.v.data;
	z.avail_in = (unsigned)b.v.n;
	z.next_out = (unsigned char *)text;
	z.avail_out = TEXT_MAX - 1;
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

/* Begin a trace that does not contain the switches of this process. */
static void begin_without_events(struct made *m, struct trace **t)
{
	m->c->options.is_self = true;
	assert_int_equal(trace_begin(m->p, t), 0);
}

static void add_wait(struct trace *t, uint32_t tid, double begin_ms, double end_ms, uint32_t woken)
{
	struct trace_wait *w = vec_reserve(&t->wait, 1, sizeof(*w), 100);
	char(*reason)[TRACE_REASON_MAX] = vec_reserve(&t->reason, 1, sizeof(*reason), 100);

	assert_true(w && reason);
	*w = (struct trace_wait){ .begin = t->begin_ns + (uint64_t)(begin_ms * (double)MS),
				  .end = t->begin_ns + (uint64_t)(end_ms * (double)MS),
				  .tid = tid,
				  .woken = woken };
	strcpy(*reason, "futex");
	t->wait.n++;
	t->reason.n = 1;
}

static void add_off(struct trace *t, uint32_t tid, double begin_ms, double end_ms, enum off_kind kind)
{
	struct sched_off *off = vec_reserve(&t->sched.off, 1, sizeof(*off), 100);

	assert_non_null(off);
	*off = (struct sched_off){ .begin = t->begin_ns + (uint64_t)(begin_ms * (double)MS),
				   .end = t->begin_ns + (uint64_t)(end_ms * (double)MS),
				   .tid = tid,
				   .cpu = 3,
				   .next_cpu = 4,
				   .kind = (uint8_t)kind };
	t->sched.off.n++;
}

static void a_second_trace_is_refused_while_one_runs(void **state)
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

static void a_fork_child_has_its_own_trace(void **state)
{
	struct trace *of_parent, *t;
	struct made m;

	(void)state;
	made_open(&m);
	assert_int_equal(trace_begin(m.p, &of_parent), 0);
	collect_after_fork(m.c, getpid());
	assert_int_equal(m.c->head->times, 0);
	assert_int_equal(trace_begin(m.p, &t), 0);
	assert_int_equal(m.c->head->times, 1);
	trace_free(t);
	assert_int_equal(m.c->head->times, 0);
	made_close(&m);
}

static void an_empty_trace_is_a_valid_file(void **state)
{
	struct trace *t;
	struct snap *s;
	struct made m;

	(void)state;
	made_open(&m);
	begin_without_events(&m, &t);
	assert_null(strstr(text_of(t), "\"ph\":\"X\""));
	assert_has(text_of(t), "\"switches_not_seen\":\"the program profiles itself\"");
	assert_has(text_of(t), "\"samples\":0,");
	assert_int_equal(trace_snap(t, &s), 0);
	assert_int_equal(s->row.n, 0);
	snap_free(s);
	trace_free(t);
	made_close(&m);
}

static void functions_become_slices_as_long_as_their_samples(void **state)
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

static void invalid_samples_are_counted_or_ignored(void **state)
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

static void labels_belong_to_the_innermost_function(void **state)
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

static void a_wait_has_the_times_of_the_scheduler(void **state)
{
	struct trace *t;
	struct made m;
	const char *text;

	(void)state;
	made_open(&m);
	begin_without_events(&m, &t);
	add_wait(t, 5, 100, 200, 0);
	add_off(t, 5, 95.5, 210, OFF_WAIT);
	add_off(t, 5, 300, 300.5, OFF_WAIT);
	add_wait(t, 6, 100, 200, 0);
	text = text_of(t);
	assert_has(text, "\"ts\":95500.000,\"dur\":114500.000,\"cname\":\"thread_state_sleeping\",\"args\":{\"cpu\":3,"
			 "\"next_cpu\":4}}");
	assert_has(text, "{\"ph\":\"X\",\"name\":\"wait\",\"cat\":\"wait\"");
	assert_has(text, "\"ts\":300000.000,\"dur\":500.000,");
	assert_has(text, "\"tid\":6,\"ts\":100000.000,\"dur\":100000.000,");
	trace_free(t);
	made_close(&m);
}

static void a_wait_with_wakeups_becomes_several(void **state)
{
	struct trace *t;
	struct made m;
	const char *text;

	(void)state;
	made_open(&m);
	begin_without_events(&m, &t);
	add_wait(t, 5, 100, 200, 2);
	add_off(t, 5, 95, 120, OFF_WAIT);
	add_off(t, 5, 120.5, 150, OFF_WAIT);
	add_off(t, 5, 151, 205, OFF_WAIT);
	text = text_of(t);
	assert_has(text, "\"ts\":95000.000,\"dur\":25000.000,");
	assert_has(text, "\"ts\":120500.000,\"dur\":29500.000,");
	assert_has(text, "\"ts\":151000.000,\"dur\":54000.000,");
	assert_null(strstr(text, "woken"));
	trace_free(t);
	made_close(&m);
}

static void a_preempted_thread_is_ready_in_its_function(void **state)
{
	static const uint64_t pc[] = { 0x1002, 0x3003 };
	struct trace *t;
	struct made m;
	const char *text;

	(void)state;
	made_open(&m);
	begin_without_events(&m, &t);
	put(&m, t, 5, 20, 0, 2, pc);
	put(&m, t, 5, 30, 0, 2, pc);
	add_off(t, 5, 22, 28, OFF_PREEMPTED);
	text = text_of(t);
	assert_has(text, "\"name\":\"three\"");
	assert_has(text, "\"ts\":10000.000,\"dur\":20000.000");
	assert_has(text, "\"name\":\"ready (no CPU)\",\"cat\":\"ready\"");
	assert_has(text, "\"ts\":22000.000,\"dur\":6000.000,\"cname\":\"thread_state_runnable\",\"args\":{\"cpu\":3,"
			 "\"next_cpu\":4,\"preempted\":true}}");
	assert_has(text, "\"cpu_ms\":14.000");
	trace_free(t);
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_trace_is_refused_while_one_runs),
		cmocka_unit_test(a_fork_child_has_its_own_trace),
		cmocka_unit_test(an_empty_trace_is_a_valid_file),
		cmocka_unit_test(functions_become_slices_as_long_as_their_samples),
		cmocka_unit_test(invalid_samples_are_counted_or_ignored),
		cmocka_unit_test(labels_belong_to_the_innermost_function),
		cmocka_unit_test(a_wait_has_the_times_of_the_scheduler),
		cmocka_unit_test(a_wait_with_wakeups_becomes_several),
		cmocka_unit_test(a_preempted_thread_is_ready_in_its_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
