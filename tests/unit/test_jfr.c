/*
 * test_jfr.c - read recordings of Java Flight Recorder
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/jfr/jfr.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/jfr/cursor.h"
#include "profile/stack_walk.h"
#include "tests/unit/check_profile.h"
#include "tests/unit/damage_reader.h"
#include "tests/unit/make_jfr.h"

/* Ids of the classes below. */
enum {
	T_INT = 2,
	T_LONG,
	T_BOOL,
	T_STRING,
	T_BYTE,
	T_CLASS = 10,
	T_SYMBOL,
	T_METHOD,
	T_FRAME,
	T_STACK,
	T_THREAD,
	T_STATE,
	T_FRAME_TYPE,
	T_TIMESPAN = 99,
	T_EXECUTION = 101,
	T_NATIVE,
	T_CPU_TIME,
	T_WALL,
	T_IN_NEW_TLAB,
	T_ALLOC,
	T_MALLOC,
	T_FREE,
	T_MONITOR,
	T_SETTING,
	T_LOST,
	T_OTHER,
	T_FLOAT,
	T_DD_EXECUTION,
	T_DD_METHOD,
	T_DD_OBJECT,
	T_DD_LIVE,
	T_DD_CONFIG,
};

#define EVENT(thread)                                                                                                  \
	{ "startTime", T_LONG, 0, "TICKS" }, { thread, T_THREAD, 'p', NULL },                                          \
	{                                                                                                              \
		"stackTrace", T_STACK, 'p', NULL                                                                       \
	}

static const struct make_jfr_class classes[] = {
	{ T_INT, "int", { { 0 } } },
	{ T_LONG, "long", { { 0 } } },
	{ T_BOOL, "boolean", { { 0 } } },
	{ T_STRING, "java.lang.String", { { 0 } } },
	{ T_TIMESPAN, "jdk.jfr.Timespan", { { "value", T_STRING, 0, NULL } } },
	{ T_CLASS, "java.lang.Class", { { "classLoader", T_LONG, 0, NULL }, { "name", T_SYMBOL, 'p', NULL } } },
	{ T_SYMBOL, "jdk.types.Symbol", { { "string", T_STRING, 0, NULL } } },
	{ T_METHOD,
	  "jdk.types.Method",
	  { { "type", T_CLASS, 'p', NULL }, { "name", T_SYMBOL, 'p', NULL }, { "descriptor", T_SYMBOL, 'p', NULL } } },
	{ T_FRAME,
	  "jdk.types.StackFrame",
	  { { "method", T_METHOD, 'p', NULL },
	    { "lineNumber", T_INT, 0, NULL },
	    { "type", T_FRAME_TYPE, 'p', NULL } } },
	{ T_STACK, "jdk.types.StackTrace", { { "truncated", T_BOOL, 0, NULL }, { "frames", T_FRAME, 'a', NULL } } },
	{ T_THREAD,
	  "java.lang.Thread",
	  { { "osName", T_STRING, 0, NULL }, { "osThreadId", T_LONG, 0, NULL }, { "javaName", T_STRING, 0, NULL } } },
	{ T_STATE, "jdk.types.ThreadState", { { "name", T_STRING, 0, NULL } } },
	{ T_FRAME_TYPE, "jdk.types.FrameType", { { "description", T_STRING, 0, NULL } } },
	{ T_EXECUTION, "jdk.ExecutionSample", { EVENT("sampledThread"), { "state", T_STATE, 'p', NULL } } },
	{ T_NATIVE, "jdk.NativeMethodSample", { EVENT("sampledThread"), { "state", T_STATE, 'p', NULL } } },
	{ T_CPU_TIME, "jdk.CPUTimeSample", { EVENT("eventThread"), { "samplingPeriod", T_LONG, 0, "MILLISECONDS" } } },
	{ T_WALL,
	  "profiler.WallClockSample",
	  { EVENT("sampledThread"), { "state", T_STATE, 'p', NULL }, { "samples", T_INT, 0, NULL } } },
	{ T_IN_NEW_TLAB,
	  "jdk.ObjectAllocationInNewTLAB",
	  { EVENT("eventThread"), { "objectClass", T_CLASS, 'p', NULL }, { "tlabSize", T_LONG, 0, NULL } } },
	{ T_ALLOC,
	  "jdk.ObjectAllocationSample",
	  { EVENT("eventThread"), { "objectClass", T_CLASS, 'p', NULL }, { "weight", T_LONG, 0, NULL } } },
	{ T_MALLOC,
	  "profiler.Malloc",
	  { EVENT("eventThread"), { "address", T_LONG, 0, NULL }, { "size", T_LONG, 0, NULL } } },
	{ T_FREE, "profiler.Free", { { "startTime", T_LONG, 0, "TICKS" }, { "address", T_LONG, 0, NULL } } },
	{ T_MONITOR,
	  "jdk.JavaMonitorEnter",
	  { EVENT("eventThread"), { "duration", T_LONG, 0, "TICKS" }, { "monitorClass", T_CLASS, 'p', NULL } } },
	{ T_SETTING,
	  "jdk.ActiveSetting",
	  { { "startTime", T_LONG, 0, "TICKS" },
	    { "id", T_LONG, 0, NULL },
	    { "name", T_STRING, 0, NULL },
	    { "value", T_STRING, 0, NULL } } },
	{ T_LOST,
	  "jdk.CPUTimeSamplesLost",
	  { { "startTime", T_LONG, 0, "TICKS" }, { "lostSamples", T_INT, 0, NULL } } },
	{ T_OTHER, "jdk.ThreadStart", { EVENT("eventThread") } },
	{ T_FLOAT, "float", { { 0 } } },
	{ T_DD_EXECUTION, "datadog.ExecutionSample", { EVENT("eventThread"), { "weight", T_LONG, 0, NULL } } },
	{ T_DD_METHOD, "datadog.MethodSample", { EVENT("eventThread"), { "weight", T_LONG, 0, NULL } } },
	{ T_DD_OBJECT,
	  "datadog.ObjectSample",
	  { EVENT("eventThread"), { "size", T_LONG, 0, NULL }, { "weight", T_FLOAT, 0, NULL } } },
	{ T_DD_LIVE,
	  "datadog.HeapLiveObject",
	  { EVENT("eventThread"), { "size", T_LONG, 0, NULL }, { "weight", T_FLOAT, 0, NULL } } },
	{ T_DD_CONFIG,
	  "datadog.DatadogProfilerConfig",
	  { { "startTime", T_LONG, 0, "TICKS" },
	    { "cpuInterval", T_LONG, 0, "MILLISECONDS" },
	    { "wallInterval", T_LONG, 0, "MILLISECONDS" } } },
};

enum { N_CLASSES = sizeof(classes) / sizeof(classes[0]) };

/* Keys of the constants below. */
enum { K_BROOK = 1, K_FLOW, K_FALL, K_ARGS, K_BYTES, K_LIB, K_WORD_MAX };
enum { K_METHOD_FLOW = 21, K_METHOD_FALL, K_METHOD_NATIVE };
enum { K_STACK_DEEP = 31, K_STACK_CUT, K_STACK_NATIVE, K_STACK_BROKEN };
enum { K_THREAD_MAIN = 41, K_THREAD_GC };
enum { K_RUNNABLE = 51, K_DEFAULT, K_SLEEPING };
enum { K_JAVA = 61, K_CPP };

static void add_frame(struct make_jfr *m, unsigned method, unsigned line, unsigned type)
{
	make_jfr_number(m, &m->pools, method, 8);
	make_jfr_number(m, &m->pools, line, 4);
	make_jfr_number(m, &m->pools, type, 8);
}

static void add_stack(struct make_jfr *m, unsigned key, bool is_cut, unsigned n_frames)
{
	make_jfr_number(m, &m->pools, key, 8);
	buf_add(&m->pools, is_cut ? "\1" : "\0", 1);
	make_jfr_number(m, &m->pools, n_frames, 4);
}

static void add_word(struct make_jfr *m, unsigned key, const char *text)
{
	make_jfr_number(m, &m->pools, key, 8);
	make_jfr_string(m, &m->pools, text);
}

static void add_keys(struct make_jfr *m, unsigned key, unsigned first, unsigned second, unsigned third)
{
	make_jfr_number(m, &m->pools, key, 8);
	make_jfr_number(m, &m->pools, first, 8);
	make_jfr_number(m, &m->pools, second, 8);
	if (third)
		make_jfr_number(m, &m->pools, third, 8);
}

/* Names, in one checkpoint; symbols are in two pools of it. */
static void add_names(struct make_jfr *m)
{
	make_jfr_pool(m, T_SYMBOL, 4);
	add_word(m, K_BROOK, "wood/Brook");
	add_word(m, K_FLOW, "flow");
	add_word(m, K_FALL, "fall");
	add_word(m, K_ARGS, "()V");
	make_jfr_pool(m, T_SYMBOL, 3);
	add_word(m, K_BYTES, "[[B");
	add_word(m, K_LIB, "lib/jvm.so");
	add_word(m, K_BROOK, "again/Other"); /* the first one counts */
	make_jfr_pool(m, T_CLASS, 3);
	add_keys(m, K_BROOK, 0, K_BROOK, 0);
	add_keys(m, K_BYTES, 0, K_BYTES, 0);
	add_keys(m, K_LIB, 0, K_LIB, 0);
	make_jfr_pool(m, T_METHOD, 3);
	add_keys(m, K_METHOD_FLOW, K_BROOK, K_FLOW, K_ARGS);
	add_keys(m, K_METHOD_FALL, K_BROOK, K_FALL, K_ARGS);
	add_keys(m, K_METHOD_NATIVE, K_LIB, K_FLOW, K_ARGS);
	make_jfr_checkpoint(m);
}

/* Stacks, threads and states, in another checkpoint. */
static void add_stacks(struct make_jfr *m)
{
	make_jfr_pool(m, T_STACK, 4);
	add_stack(m, K_STACK_DEEP, false, 2);
	add_frame(m, K_METHOD_FLOW, 7, K_JAVA);
	add_frame(m, K_METHOD_FALL, 0, K_JAVA);
	add_stack(m, K_STACK_CUT, true, 1);
	add_frame(m, K_METHOD_FLOW, 8, K_JAVA);
	add_stack(m, K_STACK_NATIVE, false, 1);
	add_frame(m, K_METHOD_NATIVE, 0, K_CPP);
	add_stack(m, K_STACK_BROKEN, false, 1);
	add_frame(m, 999, 0, K_JAVA);
	make_jfr_pool(m, T_THREAD, 2);
	add_word(m, K_THREAD_MAIN, "java");
	make_jfr_number(m, &m->pools, 4711, 8);
	make_jfr_string(m, &m->pools, "main");
	add_word(m, K_THREAD_GC, "GC Thread#0");
	make_jfr_number(m, &m->pools, 0, 8);
	make_jfr_string(m, &m->pools, NULL);
	make_jfr_pool(m, T_STATE, 3);
	add_word(m, K_RUNNABLE, "STATE_RUNNABLE");
	add_word(m, K_DEFAULT, "STATE_DEFAULT");
	add_word(m, K_SLEEPING, "STATE_SLEEPING");
	make_jfr_pool(m, T_FRAME_TYPE, 2);
	add_word(m, K_JAVA, "JIT compiled");
	add_word(m, K_CPP, "C++");
	make_jfr_checkpoint(m);
}

static void add_setting(struct make_jfr *m, unsigned class, const char *name, const char *value)
{
	struct buf b = { 0 };

	make_jfr_number(m, &b, 0, 8);
	make_jfr_number(m, &b, class, 8);
	make_jfr_string(m, &b, name);
	make_jfr_string(m, &b, value);
	make_jfr_event(m, T_SETTING, &b);
}

/* Start a chunk with metadata. */
static void start(struct make_jfr *m)
{
	make_jfr_start(m);
	make_jfr_metadata(m, classes, N_CLASSES);
}

/* Finish a chunk: constants are after the events. */
static void finish(struct make_jfr *m)
{
	add_names(m);
	add_stacks(m);
	make_jfr_end(m);
}

static struct profile *read_jfr(struct make_jfr *m, const struct format_options *options)
{
	static const struct format_options no_limits;
	struct profile *p = NULL;
	struct err err;

	if (jfr_read((const uint8_t *)m->out.data, m->out.len, options ? options : &no_limits, &p, &err) < 0 ||
	    profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	make_jfr_release(m);
	return p;
}

static void expect_jfr_error(struct make_jfr *m, int code, const char *part)
{
	static const struct format_options limits = { .max_count = 2, .max_depth = 1 };
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(jfr_read((const uint8_t *)m->out.data, m->out.len, &limits, &p, &err), code);
	if (!strstr(err.msg, part))
		fail_msg("\"%s\" is not in \"%s\"", part, err.msg);
	assert_null(p);
	make_jfr_release(m);
}

/* The sum of a sample type; -1: there is none. */
static int64_t total(const struct profile *p, const char *type)
{
	int64_t sum = 0;
	uint32_t t = 0;

	while (t < p->n_types && strcmp(profile_text(p, p->type[t].name), type) != 0)
		t++;
	for (uint32_t i = 0; t < p->n_types && i < p->n_rows; i++)
		sum += p->value[t][i];
	return t < p->n_types ? sum : -1;
}

/* Check the frames of a row from the leaf, separated by |, and its labels. */
static void expect_row(const struct profile *p, uint32_t row, const char *frames, const char *labels)
{
	struct buf got = { 0 };
	uint32_t loc;

	assert_true(row < p->n_rows);
	for (struct stack_walk w = stack_walk(p, p->stack[row], STACK_LEAF_FIRST); stack_walk_next(&w, &loc);) {
		buf_addz(&got, got.len ? "|" : "");
		buf_addz(&got, profile_text(p, p->func_name[p->line_func[p->loc_line[loc]]]));
	}
	assert_string_equal(buf_text(&got), frames);
	got.len = 0;
	for (uint32_t i = p->label_sets.off[p->labels[row]]; i < p->label_sets.off[p->labels[row] + 1]; i++) {
		uint32_t l = p->label_sets.item[i];

		buf_addf(&got, "%s%s=", got.len ? " " : "", profile_text(p, p->label_key[l]));
		if (p->label_is_text[l])
			buf_addz(&got, profile_text(p, p->label_text[l]));
		else
			buf_addf(&got, "%lld", (long long)p->label_num[l]);
	}
	assert_string_equal(got.len ? buf_text(&got) : "", labels);
	buf_release(&got);
}

static void expect_comment(const struct profile *p, const char *part)
{
	for (uint32_t i = 0; i < p->meta.n_comments; i++)
		if (strstr(profile_text(p, p->meta.comment[i]), part))
			return;
	fail_msg("no comment has \"%s\"", part);
}

/* Append an event of an object with a weight. */
static void add_weighted(struct make_jfr *m, unsigned type, uint64_t size, float weight)
{
	struct buf b = { 0 };
	uint32_t bits;

	memcpy(&bits, &weight, sizeof(bits));
	make_jfr_number(m, &b, 1, 8);
	make_jfr_number(m, &b, K_THREAD_MAIN, 8);
	make_jfr_number(m, &b, K_STACK_DEEP, 8);
	make_jfr_number(m, &b, size, 8);
	make_jfr_fixed(&b, bits, 4);
	make_jfr_event(m, type, &b);
}

static void events_of_datadog_have_weights(void **state)
{
	(void)state;
	for (int is_fixed = 0; is_fixed < 2; is_fixed++) {
		struct make_jfr m = { .is_fixed = is_fixed };
		struct profile *p;

		start(&m);
		MAKE_JFR(&m, T_DD_EXECUTION, 1, K_THREAD_MAIN, K_STACK_DEEP, 3);
		MAKE_JFR(&m, T_DD_METHOD, 1, K_THREAD_MAIN, K_STACK_DEEP, 4);
		add_weighted(&m, T_DD_OBJECT, 10, 2.25F);
		add_weighted(&m, T_DD_LIVE, 100, 1.5F);
		add_weighted(&m, T_DD_LIVE, 100, -1.0F); /* impossible: counts as 0 */
		MAKE_JFR(&m, T_DD_CONFIG, 1, 20, 50);
		finish(&m);
		p = read_jfr(&m, NULL);
		assert_int_equal(total(p, "cpu"), 3);
		assert_int_equal(total(p, "cpu_ns"), 60000000);
		assert_int_equal(total(p, "wall"), 4);
		assert_int_equal(total(p, "wall_ns"), 200000000);
		assert_int_equal(total(p, "alloc_samples"), 1);
		assert_int_equal(total(p, "alloc"), 23);
		assert_int_equal(total(p, "live_objects"), 2);
		assert_int_equal(total(p, "live"), 150);
		expect_comment(p, "the value counts as 0");
		profile_free(p);
	}
}

static void numbers_have_up_to_nine_bytes(void **state)
{
	static const uint8_t bytes[] = { 0x7f, 0x80, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					 0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x81 };
	struct jfr_cursor c = { .at = bytes, .end = bytes + sizeof(bytes) };

	(void)state;
	assert_int_equal(jfr_read_varint(&c), 0x7f);
	assert_int_equal(jfr_read_varint(&c), 0x80);
	assert_true(jfr_read_varint(&c) == UINT64_MAX);
	assert_true(jfr_read_varint(&c) == UINT64_C(0x80) << 56); /* the ninth byte has 8 bits */
	assert_false(c.is_bad);
	assert_int_equal(jfr_read_varint(&c), 0);
	assert_true(c.is_bad);
}

static void strings_have_six_encodings(void **state)
{
	static const char bytes[] =
		"\0\1\2\x2a\3\2\xc3\xa4\4\3\x41\xbd\xb0\3\x80\xbc\3\5\2\xe4z\3\6\xed\xa0\xbe\xed\xb6\xa6\6";
	static const char *const want[] = {
		"", "", "", "\xc3\xa4", "A\xed\xa0\xbd", "\xc3\xa4z", "\xf0\x9f\xa6\xa6", ""
	};
	struct jfr_cursor c = { .at = (const uint8_t *)bytes, .end = (const uint8_t *)bytes + sizeof(bytes) - 1 };
	struct jfr_cursor skip = c;
	struct buf b = { 0 };
	uint64_t key = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		b.len = 0;
		jfr_read_string(&c, true, &b, &key);
		if (i != 4) /* a pair of code units */
			assert_string_equal(b.len ? buf_text(&b) : "", want[i]);
		else
			assert_string_equal(buf_text(&b), "A\xf0\x9f\x98\x80");
		assert_int_equal(c.is_bad, i == 7);
		jfr_skip_string(&skip, true);
		assert_ptr_equal(skip.at, c.at);
	}
	assert_int_equal(key, 42);
	buf_release(&b);
}

static void events_are_rows_with_labels(void **state)
{
	struct make_jfr m = { .start_ns = 1000000000, .first_ticks = 500 };
	struct profile *p;

	(void)state;
	start(&m);
	MAKE_JFR(&m, T_EXECUTION, 510, K_THREAD_MAIN, K_STACK_DEEP, K_RUNNABLE);
	MAKE_JFR(&m, T_EXECUTION, 520, K_THREAD_MAIN, K_STACK_DEEP, K_RUNNABLE);
	MAKE_JFR(&m, T_NATIVE, 520, K_THREAD_GC, K_STACK_NATIVE, K_RUNNABLE);
	MAKE_JFR(&m, T_MONITOR, 530, K_THREAD_MAIN, K_STACK_CUT, 25, K_BYTES);
	add_setting(&m, T_EXECUTION, "period", "10 ms");
	add_setting(&m, T_NATIVE, "period", "20 ms");
	finish(&m);
	p = read_jfr(&m, NULL);
	assert_int_equal(p->n_rows, 3);
	expect_row(p, 0, "wood.Brook.flow|wood.Brook.fall",
		   "thread=main tid=4711 state=STATE_RUNNABLE event=jdk.ExecutionSample");
	expect_row(p, 1, "lib/jvm.so.flow", "thread=GC Thread#0 state=STATE_RUNNABLE event=jdk.NativeMethodSample");
	expect_row(p, 2, "wood.Brook.flow",
		   "thread=main tid=4711 class=byte[][] event=jdk.JavaMonitorEnter truncated=true");
	assert_int_equal(total(p, "cpu"), 3);
	assert_int_equal(total(p, "cpu_ns"), 40000000);
	assert_int_equal(total(p, "contentions"), 1);
	assert_int_equal(total(p, "delay"), 25000);
	assert_int_equal(p->n_types, 4);
	assert_string_equal(profile_text(p, p->meta.default_type), "cpu");
	assert_int_equal(p->meta.period, 10000000);
	assert_int_equal(p->meta.time_ns, 1000000000);
	assert_int_equal(p->meta.duration_ns, 5000);
	assert_int_equal(p->meta.n_comments, 1);
	expect_comment(p, "jfr: the stacks of 1 of 4 events are without their first callers");
	assert_string_equal(profile_text(p, p->func_sysname[0]), "wood.Brook.flow()V");
	assert_string_equal(profile_text(p, p->func_sysname[2]), "");
	assert_int_equal(p->line_no[0], 7);
	profile_free(p);
}

static void times_are_labels_on_request(void **state)
{
	const struct format_options times = { .keeps_times = true };
	struct make_jfr m = { .start_ns = 1000000000, .first_ticks = 500 };
	struct profile *p;

	(void)state;
	start(&m);
	MAKE_JFR(&m, T_CPU_TIME, 510, K_THREAD_MAIN, K_STACK_DEEP, 5);
	MAKE_JFR(&m, T_CPU_TIME, 520, K_THREAD_MAIN, K_STACK_DEEP, 10);
	finish(&m);
	p = read_jfr(&m, &times);
	assert_int_equal(p->n_rows, 2);
	expect_row(p, 1, "wood.Brook.flow|wood.Brook.fall", "thread=main tid=4711 time=20000");
	assert_int_equal(total(p, "cpu_time"), 15000000);
	assert_int_equal(total(p, "samples"), 2);
	assert_true(p->meta.has_period_type); /* without a period, as all recordings, so that they can be merged */
	assert_int_equal(p->meta.period, 0);
	profile_free(p);
}

static void states_are_cpu_or_wall_by_their_writer(void **state)
{
	struct profile *p;

	(void)state;
	for (int which = 0; which < 3; which++) { /* HotSpot; a DEFAULT state; an engine */
		struct make_jfr m = { 0 };

		start(&m);
		MAKE_JFR(&m, T_EXECUTION, 0, K_THREAD_MAIN, K_STACK_DEEP, K_RUNNABLE);
		MAKE_JFR(&m, T_EXECUTION, 0, K_THREAD_MAIN, K_STACK_DEEP, K_SLEEPING);
		MAKE_JFR(&m, T_EXECUTION, 0, K_THREAD_MAIN, K_STACK_DEEP, which == 1 ? K_DEFAULT : K_RUNNABLE);
		if (which == 2) {
			add_setting(&m, T_SETTING, "engine", "wall");
			add_setting(&m, T_SETTING, "event", "wall");
			add_setting(&m, T_EXECUTION, "interval", "7000");
		}
		finish(&m);
		p = read_jfr(&m, NULL);
		assert_int_equal(total(p, "cpu"), which == 0 ? 3 : which == 1 ? 1 : -1);
		assert_int_equal(total(p, "wall"), which == 0 ? -1 : which == 1 ? 2 : 3);
		assert_int_equal(total(p, "cpu_ns"), -1);
		assert_int_equal(total(p, "wall_ns"), which == 2 ? 21000 : -1);
		assert_string_equal(profile_text(p, p->meta.default_type), which == 2 ? "wall" : "cpu");
		profile_free(p);
	}
}

static void settings_hold_for_chunks_that_continue(void **state)
{
	struct make_jfr m = { 0 };
	struct profile *p;

	(void)state;
	for (int i = 0; i < 3; i++) {
		m.start_ns = i < 2 ? 5000 * i : 99000; /* the last one belongs to another recording */
		start(&m);
		MAKE_JFR(&m, T_EXECUTION, 0, K_THREAD_MAIN, K_STACK_DEEP, K_DEFAULT);
		MAKE_JFR(&m, T_WALL, 0, K_THREAD_MAIN, K_STACK_DEEP, K_SLEEPING, 10);
		if (i == 0) {
			add_setting(&m, T_SETTING, "engine", "itimer");
			add_setting(&m, T_SETTING, "event", "itimer");
			add_setting(&m, T_EXECUTION, "interval", "100");
			add_setting(&m, T_EXECUTION, "wall", "1000");
		}
		finish(&m);
	}
	p = read_jfr(&m, NULL);
	assert_int_equal(total(p, "cpu"), 3);
	assert_int_equal(total(p, "wall"), 30);
	assert_int_equal(total(p, "cpu_ns"), 200);
	assert_int_equal(total(p, "wall_ns"), 20000);
	assert_int_equal(p->meta.duration_ns, 15000); /* without the time between the recordings */
	expect_comment(p, "jfr: no setting has the period, so times are too low, of 2 samples, the first in byte ");
	profile_free(p);
}

static void kinds_of_allocations_are_not_added(void **state)
{
	struct make_jfr m = { 0 };
	struct profile *p;

	(void)state;
	start(&m);
	MAKE_JFR(&m, T_IN_NEW_TLAB, 0, K_THREAD_MAIN, K_STACK_DEEP, K_BYTES, 100);
	MAKE_JFR(&m, T_ALLOC, 0, K_THREAD_MAIN, K_STACK_DEEP, K_BYTES, 300);
	MAKE_JFR(&m, T_ALLOC, 0, K_THREAD_MAIN, K_STACK_DEEP, K_BYTES, INT64_MAX);
	MAKE_JFR(&m, T_ALLOC, 0, K_THREAD_MAIN, K_STACK_DEEP, K_BYTES, -7);
	finish(&m);
	p = read_jfr(&m, NULL);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(total(p, "alloc_in_new_tlab_objects"), 1);
	assert_int_equal(total(p, "alloc_in_new_tlab_bytes"), 100);
	assert_int_equal(total(p, "alloc_samples"), 3);
	assert_int_equal(total(p, "alloc"), INT64_MAX); /* saturates */
	assert_string_equal(profile_text(p, p->meta.default_type), "alloc");
	expect_comment(p, "jfr: the value counts as 0, because it is negative, of 1 event");
	profile_free(p);
}

static void a_leak_is_a_block_that_is_not_freed_later(void **state)
{
	struct make_jfr m = { 0 };
	struct profile *p;

	(void)state;
	start(&m);
	MAKE_JFR(&m, T_MALLOC, 100, K_THREAD_MAIN, K_STACK_DEEP, 0x10, 1);
	MAKE_JFR(&m, T_FREE, 50, 0x20); /* not in the order of time */
	MAKE_JFR(&m, T_FREE, 300, 0x10);
	MAKE_JFR(&m, T_MALLOC, 200, K_THREAD_MAIN, K_STACK_DEEP, 0x20, 20);
	MAKE_JFR(&m, T_MALLOC, 250, K_THREAD_MAIN, K_STACK_DEEP, 0x20, 40); /* so the one before was freed */
	finish(&m);
	p = read_jfr(&m, NULL);
	assert_int_equal(total(p, "malloc"), 61);
	assert_int_equal(total(p, "malloc_calls"), 3);
	assert_int_equal(total(p, "leak"), 40);
	assert_int_equal(total(p, "leak_calls"), 1);
	profile_free(p);

	start(&m);
	MAKE_JFR(&m, T_MALLOC, 100, K_THREAD_MAIN, K_STACK_DEEP, 0x10, 1);
	finish(&m);
	p = read_jfr(&m, NULL);
	assert_int_equal(total(p, "leak"), -1); /* nothing was recorded of frees */
	profile_free(p);
}

static void ids_belong_to_a_chunk(void **state)
{
	static const struct make_jfr_class other[] = {
		{ 7, "long", { { 0 } } },
		{ 8, "java.lang.String", { { 0 } } },
		{ T_SYMBOL, "jdk.ExecutionSample", { { "stackTrace", 3, 'p', NULL }, { "extra", 8, 0, NULL } } },
		{ 3, "jdk.types.StackTrace", { { "frames", 4, 'a', NULL } } },
		{ 4, "jdk.types.StackFrame", { { "method", 5, 'p', NULL } } },
		{ 5, "jdk.types.Method", { { "name", 8, 0, NULL } } },
	};
	struct make_jfr m = { .is_fixed = false };
	struct profile *p;
	struct buf b = { 0 };

	(void)state;
	start(&m);
	MAKE_JFR(&m, T_EXECUTION, 0, K_THREAD_MAIN, K_STACK_DEEP, K_RUNNABLE);
	finish(&m);
	m.is_fixed = true; /* numbers of this one are not compressed, and the name of a method is not a symbol */
	make_jfr_start(&m);
	make_jfr_metadata(&m, other, 6);
	make_jfr_pool(&m, 3, 1);
	make_jfr_number(&m, &m.pools, K_STACK_DEEP, 8);
	make_jfr_number(&m, &m.pools, 1, 4);
	make_jfr_number(&m, &m.pools, K_METHOD_FLOW, 8);
	make_jfr_pool(&m, 5, 1);
	make_jfr_number(&m, &m.pools, K_METHOD_FLOW, 8);
	make_jfr_string(&m, &m.pools, "other");
	make_jfr_checkpoint(&m);
	make_jfr_number(&m, &b, K_STACK_DEEP, 8);
	make_jfr_string(&m, &b, "some text");
	make_jfr_event(&m, T_SYMBOL, &b);
	make_jfr_end(&m);
	p = read_jfr(&m, NULL);
	assert_int_equal(p->n_rows, 2);
	expect_row(p, 1, "other", "event=jdk.ExecutionSample");
	assert_int_equal(total(p, "cpu"), 2);
	profile_free(p);
}

static void what_is_missing_or_not_read_is_counted(void **state)
{
	struct make_jfr m = { 0 };
	struct profile *p;

	(void)state;
	start(&m);
	MAKE_JFR(&m, T_CPU_TIME, 0, K_THREAD_MAIN, 0, 5);
	MAKE_JFR(&m, T_CPU_TIME, 0, K_THREAD_MAIN, 77, 5);
	MAKE_JFR(&m, T_CPU_TIME, 0, 77, K_STACK_BROKEN, 5);
	MAKE_JFR(&m, T_LOST, 0, 12);
	MAKE_JFR(&m, T_OTHER, 0, K_THREAD_MAIN, K_STACK_DEEP);
	MAKE_JFR(&m, 998, 1, 2, 3); /* a class that is not in the metadata */
	make_jfr_pool(&m, 998, 0);
	m.n_pools = UINT32_MAX; /* the others are not there */
	make_jfr_checkpoint(&m);
	finish(&m);
	buf_addz(&m.out, "tail");
	p = read_jfr(&m, NULL);
	assert_int_equal(p->n_rows, 2);
	expect_row(p, 0, "", "thread=main tid=4711");
	expect_row(p, 1, "[unknown]", "");
	assert_int_equal(total(p, "cpu_time"), 15000000);
	assert_int_equal(p->meta.n_comments, 6);
	expect_comment(p, "jfr: no stack is in the file for 1 event, the first in byte ");
	expect_comment(p, "jfr: no method is in the file for 1 frame, the first in byte ");
	expect_comment(p, "jfr: the profiler lost 12 samples of CPU time");
	expect_comment(p, "jfr: some names and stacks are missing in 1 damaged chunk");
	expect_comment(p, "jfr: skipped 4 bytes after the last chunk");
	expect_comment(p, "jfr: skipped 1 event with stacks of kinds that are not samples: 1 jdk.ThreadStart");
	profile_free(p);
}

static void chunks_that_were_not_finished_are_read(void **state)
{
	struct profile *p;

	(void)state;
	for (int which = 0; which < 4;
	     which++) { /* without size; with a state; both, before another; with a size too large */
		struct make_jfr m = { 0 };

		start(&m);
		MAKE_JFR(&m, T_CPU_TIME, 0, K_THREAD_MAIN, K_STACK_DEEP, 5);
		finish(&m);
		if (which != 1)
			make_jfr_patch(&m, 8, which == 3 ? 1 << 20 : 0);
		if (which > 0)
			m.out.data[64] = 1;
		MAKE_JFR(&m, T_CPU_TIME, 0, K_THREAD_MAIN, K_STACK_DEEP, 5); /* after what the header knows */
		if (which == 2) {
			start(&m);
			MAKE_JFR(&m, T_CPU_TIME, 0, K_THREAD_MAIN, K_STACK_DEEP, 5);
			finish(&m);
		} else {
			buf_addz(&m.out, "\x7f"); /* an event that is cut */
		}
		p = read_jfr(&m, NULL);
		assert_int_equal(total(p, "samples"), which == 2 ? 3 : 2);
		expect_row(p, 0, "wood.Brook.flow|wood.Brook.fall", "thread=main tid=4711");
		expect_comment(p,
			       "jfr: read up to its end 1 chunk that is cut or was not finished, the first in byte ");
		profile_free(p);
	}
}

static void errors_have_the_position(void **state)
{
	struct make_jfr m = { 0 };

	(void)state;
	buf_addz(&m.out, "FLX");
	expect_jfr_error(&m, ERR_UNKNOWN, "not a recording");
	make_jfr_start(&m);
	m.out.data[5] = 1;
	expect_jfr_error(&m, ERR_FORMAT, "chunk 1: version 1.1 of Oracle's JDK 7 and 8, which cpa does not read");
	make_jfr_start(&m);
	m.out.data[5] = 3;
	expect_jfr_error(&m, ERR_FORMAT, "chunk 1: version 3.1, which cpa does not read");
	make_jfr_start(&m);
	m.out.len = 60;
	expect_jfr_error(&m, ERR_FORMAT, "the header of 68 bytes is cut");
	make_jfr_start(&m);
	expect_jfr_error(&m, ERR_FORMAT, "the recording is cut before its metadata");
	start(&m);
	finish(&m);
	expect_jfr_error(&m, ERR_FORMAT, "the recording has no samples");
	start(&m);
	finish(&m);
	make_jfr_patch(&m, 16, 1 << 20);
	expect_jfr_error(&m, ERR_FORMAT, "chunk 1: a checkpoint is outside of the chunk");
	start(&m);
	finish(&m);
	make_jfr_patch(&m, 24, 1 << 20);
	expect_jfr_error(&m, ERR_FORMAT, "chunk 1: the metadata is outside of the chunk");
	start(&m);
	finish(&m);
	make_jfr_patch(&m, 24, m.checkpoint);
	expect_jfr_error(&m, ERR_FORMAT, "the metadata is damaged");
	start(&m);
	m.checkpoint = 1 << 20; /* a later one */
	finish(&m);
	expect_jfr_error(&m, ERR_FORMAT, "the checkpoint before it is outside of the chunk");
	start(&m);
	finish(&m);
	make_jfr_patch(&m, 16, m.checkpoint - 1); /* the last byte of the checkpoint before it, which is not one */
	expect_jfr_error(&m, ERR_FORMAT, ": no checkpoint");
	start(&m);
	add_names(&m);
	m.out.data[m.start + m.checkpoint] = 0x7f; /* its size, which now contains the start of the next one */
	add_stacks(&m);
	make_jfr_end(&m);
	expect_jfr_error(&m, ERR_FORMAT, ": no checkpoint");
	start(&m);
	MAKE_JFR(&m, T_CPU_TIME, 0);
	finish(&m);
	expect_jfr_error(&m, ERR_FORMAT, "an event jdk.CPUTimeSample is shorter than its fields");
	start(&m);
	MAKE_JFR(&m, T_CPU_TIME, 0, K_THREAD_MAIN, K_STACK_DEEP, 5);
	finish(&m);
	expect_jfr_error(&m, ERR_LIMIT, "more than 1 frames; raise the limit with --max-depth");
	start(&m);
	for (int i = 0; i < 3; i++)
		MAKE_JFR(&m, i == 0 ? T_ALLOC : i == 1 ? T_IN_NEW_TLAB : T_CPU_TIME, 0, 0, 0, 0, 1);
	finish(&m);
	expect_jfr_error(&m, ERR_LIMIT, "more than 2 samples; raise the limit with --max-count");
	start(&m);
	buf_add(&m.out, "\0", 1);
	finish(&m);
	expect_jfr_error(&m, ERR_FORMAT, "an event of an impossible size");
}

/* Classes that contain themselves, that have no bytes, and arrays of these must take neither time nor stack. */
static void odd_classes_are_harmless(void **state)
{
	static const struct make_jfr_class odd[] = {
		{ 1, "long", { { 0 } } },
		{ 2, "none", { { 0 } } },
		{ 3, "nones", { { "a", 2, 0, NULL }, { "b", 2, 0, NULL } } },
		{ 4, "self", { { "a", 4, 0, NULL } } },
		{ 5, "selves", { { "a", 5, 'a', NULL } } },
		{ 6,
		  "jdk.CPUTimeSample",
		  { { "a", 2, 'a', NULL }, { "b", 3, 0, NULL }, { "samplingPeriod", 1, 0, "MILLISECONDS" } } },
		{ 7, "profiler.WallClockSample", { { "state", 4, 0, NULL }, { "samples", 1, 0, NULL } } },
		{ 99, "jdk.jfr.Timespan", { { 0 } } },
	};
	struct make_jfr m = { 0 };
	struct profile *p;

	(void)state;
	make_jfr_start(&m);
	make_jfr_metadata(&m, odd, 8);
	MAKE_JFR(&m, 6, INT64_MAX, 5); /* an array of 2^63 - 1 values without bytes */
	make_jfr_pool(&m, 5, 1);
	make_jfr_checkpoint(&m);
	make_jfr_end(&m);
	p = read_jfr(&m, NULL);
	assert_int_equal(total(p, "cpu_time"), 5000000);
	profile_free(p);
	make_jfr_start(&m);
	make_jfr_metadata(&m, odd, 8);
	MAKE_JFR(&m, 7, 1, 1);
	make_jfr_pool(&m, 4, 0);
	make_jfr_checkpoint(&m);
	make_jfr_end(&m);
	expect_jfr_error(&m, ERR_FORMAT, "an event profiler.WallClockSample is shorter than its fields");
}

/* A few bytes per method of a class with a name of 64 KiB. */
static void long_names_of_many_methods_are_refused(void **state)
{
	struct make_jfr m = { 0 };
	char *name = calloc(65536, 1);
	enum { N = 2000 };

	(void)state;
	memset(name, 'x', 65535);
	start(&m);
	MAKE_JFR(&m, T_CPU_TIME, 0, K_THREAD_MAIN, K_STACK_DEEP, 5);
	make_jfr_pool(&m, T_SYMBOL, 1);
	add_word(&m, 500, name);
	make_jfr_pool(&m, T_CLASS, 1);
	add_keys(&m, 500, 0, 500, 0);
	make_jfr_pool(&m, T_METHOD, N);
	for (unsigned i = 0; i < N; i++)
		add_keys(&m, 1000 + i, 500, 500, 500);
	make_jfr_pool(&m, T_STACK, 1);
	add_stack(&m, K_STACK_DEEP, false, N);
	for (unsigned i = 0; i < N; i++)
		add_frame(&m, 1000 + i, 0, K_JAVA);
	make_jfr_checkpoint(&m);
	make_jfr_end(&m);
	free(name);
	{
		static const struct format_options no_limits;
		struct profile *p = NULL;
		struct err err;

		assert_int_equal(jfr_read((const uint8_t *)m.out.data, m.out.len, &no_limits, &p, &err), ERR_LIMIT);
		assert_string_equal(err.msg, "chunk 1: the names of methods are much longer than the file");
	}
	make_jfr_release(&m);
}

static void damaged_recordings_are_read_or_refused(void **state)
{
	struct make_jfr m = { .start_ns = 1000000000, .first_ticks = 500 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		start(&m);
		add_setting(&m, T_EXECUTION, "period", "10 ms");
		MAKE_JFR(&m, T_EXECUTION, 510, K_THREAD_MAIN, K_STACK_DEEP, K_RUNNABLE);
		MAKE_JFR(&m, T_WALL, 0, K_THREAD_GC, K_STACK_CUT, K_SLEEPING, 10);
		MAKE_JFR(&m, T_ALLOC, 0, K_THREAD_MAIN, K_STACK_NATIVE, K_BYTES, 300);
		MAKE_JFR(&m, T_MALLOC, 100, K_THREAD_MAIN, K_STACK_DEEP, 0x10, 1);
		MAKE_JFR(&m, T_FREE, 300, 0x10);
		MAKE_JFR(&m, T_OTHER, 0, K_THREAD_MAIN, K_STACK_DEEP);
		finish(&m);
		m.out.data[m.start + 64] = i == 1;
	}
	damage_reader(jfr_read, (uint8_t *)m.out.data, m.out.len);
	make_jfr_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_datadog_have_weights),
		cmocka_unit_test(numbers_have_up_to_nine_bytes),
		cmocka_unit_test(strings_have_six_encodings),
		cmocka_unit_test(events_are_rows_with_labels),
		cmocka_unit_test(times_are_labels_on_request),
		cmocka_unit_test(states_are_cpu_or_wall_by_their_writer),
		cmocka_unit_test(settings_hold_for_chunks_that_continue),
		cmocka_unit_test(kinds_of_allocations_are_not_added),
		cmocka_unit_test(a_leak_is_a_block_that_is_not_freed_later),
		cmocka_unit_test(ids_belong_to_a_chunk),
		cmocka_unit_test(what_is_missing_or_not_read_is_counted),
		cmocka_unit_test(chunks_that_were_not_finished_are_read),
		cmocka_unit_test(errors_have_the_position),
		cmocka_unit_test(odd_classes_are_harmless),
		cmocka_unit_test(long_names_of_many_methods_are_refused),
		cmocka_unit_test(damaged_recordings_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
