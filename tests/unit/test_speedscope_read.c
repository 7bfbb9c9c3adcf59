/*
 * test_speedscope_read.c - read files of speedscope.app
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/speedscope/speedscope.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/check_reader.h"

#define SHARED "\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"a.c\",\"line\":1},{\"name\":\"a b; c\"}]}"
#define SAMPLED(name, unit, content)                                                                                   \
	"{\"type\":\"sampled\",\"name\":\"" name "\",\"unit\":\"" unit "\",\"startValue\":0,\"endValue\":9," content "}"

static void weights_belong_to_samples(void **state)
{
	(void)state;
	reader_expect(speedscope_read,
		      "{\"profiles\":[{\"weights\":[0.01,0.5,2],\"samples\":[[0,1],[],[0,1]],\"unit\":\"seconds\","
		      "\"type\":\"sampled\",\"name\":\"t\"}]," SHARED "}",
		      false, "main:1|a b; c 2010000000 thread=t\n 500000000 thread=t\n", "");
	reader_expect(speedscope_read, "{\"profiles\":[" SAMPLED("", "none", "\"samples\":[[0],[0]]") "]," SHARED "}",
		      false, "main:1 2\n", "");
	reader_expect(speedscope_read,
		      "{\"profiles\":[" SAMPLED("", "bytes", "\"samples\":[[0],[0]],\"weights\":[1.5,2.0]") "]," SHARED
													    "}",
		      false, "main:1 4\n", "speedscope: rounded 1 fraction, the first in byte 115\n");
}

static void each_unit_is_a_type_and_each_profile_a_thread(void **state)
{
	static const char text[] = "{" SHARED ",\"profiles\":[" SAMPLED(
		"Thread 4574 \\\"\\\"", "milliseconds",
		"\"samples\":[[0]],\"weights\":[3]") "," SAMPLED("Process 12 Thread 5042 "
								 "\\\"worker one\\\"",
								 "microseconds",
								 "\"samples\":[[0]],\"weights\":["
								 "4]") "," SAMPLED("Thread 7", "bytes",
										   "\"samples\":[["
										   "1]],"
										   "\"weights\":["
										   "5]") "]}";

	(void)state;
	reader_expect(speedscope_read, text, false,
		      "main:1 3000000 0 tid=4574\nmain:1 4000 0 thread=worker one tid=5042 pid=12\n"
		      "a b; c 0 5 thread=Thread 7\n",
		      "");
	reader_expect(speedscope_read,
		      "{" SHARED
		      ",\"profiles\":[" SAMPLED("t", "milliseconds", "\"samples\":[[0],[1]],\"weights\":[3,4]") "]}",
		      true, "main:1 3000000 thread=t time=0\na b; c 4000000 thread=t time=3000000\n", "");
}

static void profiles_of_cpa_are_sample_types(void **state)
{
	struct err err;
	struct profile *p = reader_read(
		speedscope_read,
		"{\"exporter\":\"cpa\",\"activeProfileIndex\":1," SHARED
		",\"profiles\":[" SAMPLED("samples (count)", "none", "\"samples\":[[0,1]],\"weights\":[3]") "," SAMPLED(
			"cpu", "nanoseconds", "\"samples\":[[0],[0,1]],\"weights\":[5,6]") "]}",
		false, &err);
	struct buf rows = { 0 };

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[0].name), "samples");
	assert_string_equal(profile_text(p, p->type[0].unit), "count");
	assert_string_equal(profile_text(p, p->type[1].unit), "nanoseconds");
	assert_string_equal(profile_text(p, p->meta.default_type), "cpu");
	stacks_add_rows(p, false, &rows);
	assert_string_equal(rows.data, "main|a b; c 3 6\nmain 0 5\n");
	buf_release(&rows);
	profile_free(p);
}

#define EVENT(type, frame, at) "{\"type\":\"" type "\",\"frame\":" #frame ",\"at\":" #at "}"
#define EVENTED(events)                                                                                                \
	"{" SHARED ",\"profiles\":[{\"type\":\"evented\",\"name\":\"\",\"unit\":\"milliseconds\",\"startValue\":10,"   \
	"\"endValue\":40,\"events\":[" events "]}]}"

static void events_open_and_close_frames(void **state)
{
	(void)state;
	reader_expect(speedscope_read,
		      EVENTED(EVENT("O", 0, 10) "," EVENT("O", 1, 12) "," EVENT("O", 1, 25) "," EVENT(
			      "C", 1, 30) "," EVENT("C", 1, 31) "," EVENT("C", 0, 40)),
		      false, "main:1 11000000\nmain:1|a b; c 14000000\nmain:1|a b; c|a b; c 5000000\n", "");
	reader_expect(
		speedscope_read,
		EVENTED(EVENT("O", 0, 11) "," EVENT("C", 0, 12) "," EVENT("O", 0, 15) "," EVENT("O", 1, 16) "," EVENT(
			"C", 0, 18) "," EVENT("C", 1, 18) "," EVENT("O", 0, 30)),
		false, "main:1 12000000\nmain:1|a b; c 2000000\n",
		"speedscope: 2 frames are not closed; they end with the frame around them, the first in byte 334\n"
		"speedscope: skipped 1 end of a frame that is not open, the first in byte 365\n"
		"speedscope: 15000000 nanoseconds without any frame are not counted\n");
	reader_expect(speedscope_read,
		      "{" SHARED
		      ",\"profiles\":[{\"type\":\"evented\",\"name\":\"\",\"unit\":\"bytes\",\"startValue\":0,"
		      "\"endValue\":9,\"events\":[" EVENT("O", 0, 1) "," EVENT("C", 0, 3) "," EVENT(
			      "O", 0, 7) "," EVENT("C", 0, 9) "]}]}",
		      false, "main:1 4\n", "speedscope: 4 bytes without any frame are not counted\n");
	reader_expect_error(speedscope_read, EVENTED(EVENT("O", 0, 11) "," EVENT("C", 0, 10)),
			    "profile 1: byte 241: the event is earlier than the one before");
	reader_expect_error(speedscope_read, EVENTED("{\"type\":\"X\"}"),
			    "profile 1: byte 192: an event that neither opens nor closes a frame");
}

static void wrong_references_are_errors(void **state)
{
	(void)state;
	reader_expect_error(speedscope_read,
			    "{" SHARED ",\"profiles\":[" SAMPLED("", "none", "\"samples\":[[0,2]]") "]}",
			    "profile 1: byte 175: frame 2 does not exist; there are 2");
	reader_expect_error(speedscope_read,
			    "{" SHARED ",\"profiles\":[" SAMPLED("", "none", "\"samples\":[[0]],\"weights\":[]") "]}",
			    "profile 1: byte 174: there are fewer weights than samples");
	reader_expect_error(speedscope_read,
			    "{" SHARED
			    ",\"profiles\":[" SAMPLED("", "none", "\"samples\":[[0]],\"weights\":[1,2]") "]}",
			    "profile 1: byte 175: there are more weights than samples");
	reader_expect_error(speedscope_read, "{" SHARED "}", "byte 79: the file has no profiles");
}

static void damage_does_no_harm(void **state)
{
	(void)state;
	reader_damage(speedscope_read,
		      "{" SHARED ",\"profiles\":[" SAMPLED("Thread 1 \\\"x\\\"", "seconds",
							   "\"samples\":[[0,1],[1]],\"weights\":[0.5,2]") "]}");
	reader_damage(speedscope_read, EVENTED(EVENT("O", 0, 11) "," EVENT("O", 1, 12) "," EVENT("C", 0, 20)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_belong_to_samples),
		cmocka_unit_test(each_unit_is_a_type_and_each_profile_a_thread),
		cmocka_unit_test(profiles_of_cpa_are_sample_types),
		cmocka_unit_test(events_open_and_close_frames),
		cmocka_unit_test(wrong_references_are_errors),
		cmocka_unit_test(damage_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
