/*
 * test_v8.c - read profiles of V8
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/v8/v8.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/check_reader.h"

/* Nodes: 1 (root), 2 main at line 1, 3 below it without a name at line 11. */
#define NODES                                                                                                          \
	"\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"lineNumber\":-1},\"children\":[2]},"        \
	"{\"id\":2,\"callFrame\":{\"functionName\":\"main\",\"url\":\"file:///a%20b.js\",\"lineNumber\":0},"           \
	"\"hitCount\":1,\"children\":[3]},"                                                                            \
	"{\"id\":3,\"callFrame\":{\"functionName\":\"\",\"url\":\"node:fs\",\"lineNumber\":10},\"hitCount\":3}]"

static void a_sample_lasts_until_the_next_one(void **state)
{
	static const char text[] = "{" NODES ",\"startTime\":1000,\"endTime\":1100,\"samples\":[2,3,3,1],"
				   "\"timeDeltas\":[5,10,20,30]}";
	struct err err;
	struct profile *p = reader_read(v8_read_cpuprofile, text, false, &err);

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[0].name), "samples");
	assert_string_equal(profile_text(p, p->type[1].name), "cpu");
	assert_string_equal(profile_text(p, p->type[1].unit), "nanoseconds");
	assert_int_equal(p->meta.duration_ns, 100000);
	assert_int_equal(p->meta.time_ns, 0); /* of a clock that does not begin in 1970 */
	assert_string_equal(profile_text(p, p->func_file[0]), "/a b.js");
	assert_string_equal(profile_text(p, p->func_file[1]), "node:fs");
	assert_int_equal(p->func_start[1], 11);
	profile_free(p);
	reader_expect(v8_read_cpuprofile, text, false,
		      "main:1 1 10000\n"
		      "main:1|(anonymous):11 2 50000\n"
		      " 1 35000\n", /* of (root) */
		      "");
	reader_expect(v8_read_cpuprofile, text, true,
		      "main:1 1 10000 time=5000\n"
		      "main:1|(anonymous):11 1 20000 time=15000\n"
		      "main:1|(anonymous):11 1 30000 time=35000\n"
		      " 1 35000 time=65000\n",
		      "");
}

/* Times 10, 30, 25, 40: the sum stays 90, and no sample lasts less than nothing. */
static void negative_deltas_are_sorted(void **state)
{
	(void)state;
	reader_expect(v8_read_cpuprofile,
		      "{\"timeDeltas\":[10,20,-5,15],\"samples\":[2,3,2,3],\"endTime\":100,\"startTime\":0," NODES "}",
		      false, "main:1 2 20000\nmain:1|(anonymous):11 2 70000\n", "");
}

static void samples_are_divided_among_lines_as_ticks_are(void **state)
{
	(void)state;
	reader_expect(
		v8_read_cpuprofile,
		"{\"nodes\":[{\"id\":7,\"callFrame\":{\"functionName\":\"f\",\"lineNumber\":1},"
		"\"positionTicks\":[{\"line\":4,\"ticks\":1},{\"line\":6,\"ticks\":2},{\"line\":9,\"ticks\":-1}]}],"
		"\"samples\":[7,7,7,7],\"timeDeltas\":[0,1,1,1],\"startTime\":0,\"endTime\":4}",
		false, "f:4 1 1333\nf:6 3 2667\n", "");
}

static void files_without_samples_have_hits(void **state)
{
	(void)state;
	reader_expect(v8_read_cpuprofile, "{" NODES ",\"startTime\":0,\"endTime\":80}", false,
		      "main:1 1 20000\nmain:1|(anonymous):11 3 60000\n", "");
	reader_expect(v8_read_cpuprofile, "{" NODES ",\"startTime\":0,\"endTime\":80,\"samples\":[2,3]}", false,
		      "main:1 1 40000\nmain:1|(anonymous):11 1 40000\n",
		      "cpuprofile: 1 recording has samples without times; each lasts the mean interval\n");
}

static void wrong_references_are_counted(void **state)
{
	(void)state;
	reader_expect(
		v8_read_cpuprofile,
		"{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\"},\"children\":[2,9]},"
		"{\"id\":2,\"callFrame\":{\"functionName\":\"b\"}},{\"id\":2,\"callFrame\":{\"functionName\":\"c\"}}],"
		"\"samples\":[2,5],\"timeDeltas\":[0,1,1],\"endTime\":3}",
		false, " 1 2000\na|b 1 1000\n",
		"cpuprofile: 1 sample of a node that does not exist is without a stack\n"
		"cpuprofile: 1 node has a parent or child that does not exist\n"
		"cpuprofile: 1 node occurs twice; the first place counts\n"
		"cpuprofile: 1 list of samples has another length than its times\n");
	reader_expect_error(v8_read_cpuprofile,
			    "{\"nodes\":[{\"id\":1,\"parent\":2},{\"id\":2,\"parent\":1}],\"samples\":[1]}",
			    "node 1 of the tree of calls is its own ancestor");
	reader_expect_error(v8_read_cpuprofile, "{\"nodes\":[]}", "byte 12: the profile has no nodes");
	reader_expect_error(v8_read_cpuprofile, "{\"nodes\":[1]}", "byte 10: expected an object");
	reader_expect_error(v8_read_cpuprofile, "{\"nodes\":[{}]} x",
			    "byte 15: more text after the end of the JSON value");
}

/* Before 2016 a profile was a tree, lines counted from 1, and samples had times. */
static void old_profiles_are_a_tree(void **state)
{
	(void)state;
	reader_expect(v8_read_cpuprofile,
		      "{\"head\":{\"functionName\":\"(root)\",\"id\":1,\"children\":[{\"functionName\":\"f\",\"id\":2,"
		      "\"lineNumber\":3,\"children\":[]}]},\"samples\":[2,2],\"timestamps\":[10,30],\"endTime\":70}",
		      false, "f:3 2 60000\n", "");
}

static void sizes_of_a_heap_are_taken_as_they_are(void **state)
{
	static const char text[] =
		"{\"head\":{\"callFrame\":{\"functionName\":\"(root)\"},\"selfSize\":0,\"id\":1,\"children\":["
		"{\"children\":[{\"callFrame\":{\"functionName\":\"g\"},\"selfSize\":5,\"id\":3,\"children\":[]}],"
		"\"id\":2,\"selfSize\":7,\"callFrame\":{\"functionName\":\"f\",\"lineNumber\":4}}]},"
		"\"samples\":[{\"size\":9,\"nodeId\":3,\"ordinal\":1}]}";

	(void)state;
	reader_expect(v8_read_heapprofile, text, false, "f:5 7\nf:5|g 5\n", "");
	reader_expect(v8_read_heapprofile,
		      "{\"head\":{\"callFrame\":{\"functionName\":\"f\"},\"selfSize\":6,\"id\":1,\"children\":[]},"
		      "\"samples\":[{\"size\":6,\"count\":3,\"nodeId\":1},{\"count\":1,\"nodeId\":9}]}",
		      false, "f 3 6\n", "heapprofile: 1 sample of a node that does not exist is without a stack\n");
}

/* A tree of n calls. */
static void add_deep_heap(struct buf *b, size_t n)
{
	buf_addz(b, "{\"head\":");
	for (size_t i = 0; i < n; i++)
		buf_addf(b, "%s{\"selfSize\":%d,\"callFrame\":{\"functionName\":\"f\"},\"id\":%zu,\"children\":[",
			 i ? "" : " ", i + 1 == n, i);
	for (size_t i = 0; i < n; i++)
		buf_addz(b, "]}");
	buf_addz(b, "}");
}

static void calls_may_nest_ten_thousand_times(void **state)
{
	struct buf b = { 0 };
	struct err err;
	struct profile *p;

	(void)state;
	add_deep_heap(&b, 10000);
	p = reader_read(v8_read_heapprofile, b.data, false, &err);
	assert_non_null(p);
	assert_int_equal(p->stacks.off[p->stacks.n], 10000);
	profile_free(p);
	b.len = 0;
	add_deep_heap(&b, 10001);
	assert_null(reader_read(v8_read_heapprofile, b.data, false, &err));
	assert_non_null(strstr(err.msg, "more than 10000 calls in each other"));
	buf_release(&b);
}

#define CHUNK(id, ts, content)                                                                                         \
	"{\"args\":{\"data\":{" content "}},\"id\":\"" id "\",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":5,"       \
	"\"tid\":99,\"ts\":" #ts "}"
#define BEGIN(id, pid, tid, start)                                                                                     \
	"{\"args\":{\"data\":{\"startTime\":" #start "}},\"id\":\"" id "\",\"name\":\"Profile\",\"ph\":\"P\","         \
	"\"pid\":" #pid ",\"tid\":" #tid ",\"ts\":1}"
#define NODE(id, parent, name) "{\"id\":" #id ",\"parent\":" #parent ",\"callFrame\":{\"functionName\":\"" name "\"}}"

/* The chunk at 30 comes first; lines belong to samples; the thread is that of the event Profile. */
static const char trace[] = "{\"traceEvents\":[" BEGIN("0x1", 5, 7, 100) "," CHUNK(
	"0x1", 30,
	"\"cpuProfile\":{\"samples\":[3,2]},\"timeDeltas\":[4,8],\"lines\":[12,0],\"columns\":[3,"
	"0]") ","
	      "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":5,\"tid\":7,"
	      "\"args\":{\"name\":\"Main\"}},{\"name\":\"x\",\"ph\":\"X\"}," CHUNK(
		      "0x1", 20,
		      "\"cpuProfile\":{\"nodes\":[" NODE(3, 2, "g") "," NODE(2, 1,
									     "f") ",{\"id\":1,\"callFrame\":{"
										  "\"functionName\":\"(root)\"}}],"
										  "\"samples\":[2,3]},"
										  "\"timeDeltas\":[1,2]") "]}";

static void chunks_of_a_trace_are_joined_by_time(void **state)
{
	(void)state;
	reader_expect(v8_read_trace, trace, false,
		      "f|g:12 1 8000 thread=Main tid=7 pid=5\n" /* rows with lines come first */
		      "f 2 2000 thread=Main tid=7 pid=5\n"
		      "f|g 1 4000 thread=Main tid=7 pid=5\n",
		      "chrome-trace: skipped 1 event that is no part of a CPU profile\n");
	reader_expect(v8_read_trace, trace, true,
		      "f 1 2000 thread=Main tid=7 pid=5 time=1000\n"
		      "f|g 1 4000 thread=Main tid=7 pid=5 time=3000\n"
		      "f|g:12 1 8000 thread=Main tid=7 pid=5 time=7000\n"
		      "f 1 0 thread=Main tid=7 pid=5 time=15000\n",
		      "chrome-trace: skipped 1 event that is no part of a CPU profile\n");
}

static void a_trace_may_be_cut(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_addz(&b,
		 "[" BEGIN("0x2", 5, 8, 0) "," CHUNK(
			 "0x2", 3,
			 "\"cpuProfile\":{\"nodes\":[" NODE(1, 0, "f") "],\"samples\":[1,1]},\"timeDeltas\":[1,2]"));
	buf_addz(&b, ",\n{\"name\":\"Profile");
	reader_expect(v8_read_trace, b.data, false, "f 2 2000 tid=8 pid=5\n",
		      "chrome-trace: the file ends within an event, at byte 311; events before it are read\n"
		      "chrome-trace: 1 node has a parent or child that does not exist\n");
	buf_release(&b);
}

/* Equal ids in different processes are different profiles; old traces have whole profiles, and no ids. */
static void profiles_of_a_trace_are_told_apart(void **state)
{
	(void)state;
	reader_expect(
		v8_read_trace,
		"[{\"name\":\"CpuProfile\",\"pid\":1,\"tid\":2,\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[{\"id\":"
		"1,"
		"\"callFrame\":{\"functionName\":\"f\"}}],\"samples\":[1],\"timeDeltas\":[0],\"endTime\":1}}}},"
		"{\"name\":\"CpuProfile\",\"pid\":3,\"tid\":2,\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[{\"id\":1,"
		"\"callFrame\":{\"functionName\":\"g\"}}],\"samples\":[1],\"timeDeltas\":[0],\"endTime\":2}}}}]",
		false, "f 1 1000 tid=2 pid=1\ng 1 2000 tid=2 pid=3\n", "");
	reader_expect_error(
		v8_read_trace, "{\"traceEvents\":[{\"ph\":\"B\",\"name\":\"x\"},{\"ph\":\"E\",\"name\":\"x\"}]}",
		"the trace has no CPU profile of V8 (events Profile and ProfileChunk); 2 other events; record "
		"with the category disabled-by-default-v8.cpu_profiler, or open it at ui.perfetto.dev");
}

static void damage_does_no_harm(void **state)
{
	(void)state;
	reader_damage(v8_read_cpuprofile,
		      "{" NODES
		      ",\"startTime\":1000,\"endTime\":1100,\"samples\":[2,3,3,1],\"timeDeltas\":[5,10,20,30]}");
	reader_damage(
		v8_read_heapprofile,
		"{\"head\":{\"callFrame\":{\"functionName\":\"f\"},\"selfSize\":6,\"id\":1,\"children\":[{\"id\":2,"
		"\"selfSize\":1}]},\"samples\":[{\"size\":6,\"count\":3,\"nodeId\":1}]}");
	reader_damage(v8_read_trace, trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_lasts_until_the_next_one),
		cmocka_unit_test(negative_deltas_are_sorted),
		cmocka_unit_test(samples_are_divided_among_lines_as_ticks_are),
		cmocka_unit_test(files_without_samples_have_hits),
		cmocka_unit_test(wrong_references_are_counted),
		cmocka_unit_test(old_profiles_are_a_tree),
		cmocka_unit_test(sizes_of_a_heap_are_taken_as_they_are),
		cmocka_unit_test(calls_may_nest_ten_thousand_times),
		cmocka_unit_test(chunks_of_a_trace_are_joined_by_time),
		cmocka_unit_test(a_trace_may_be_cut),
		cmocka_unit_test(profiles_of_a_trace_are_told_apart),
		cmocka_unit_test(damage_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
