/*
 * test_firefox.c - read processed profiles of the Firefox Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/firefox/firefox.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/check_reader.h"

#define META(version)                                                                                                  \
	"\"meta\":{\"interval\":2,\"startTime\":1790000000000.0,\"preprocessedProfileVersion\":" #version "}"
#define STRINGS "\"stringArray\":[\"main\",\"leaf\",\"a.c\"]"
#define FUNCS                                                                                                          \
	"\"funcTable\":{\"length\":2,\"name\":[0,1],\"fileName\":[2,null],\"lineNumber\":[3,null],\"resource\":[0,-1]" \
	"}"
#define FRAMES "\"frameTable\":{\"length\":2,\"func\":[0,1],\"line\":[7,null]}"
#define STACKS "\"stackTable\":{\"length\":2,\"prefix\":[null,0],\"frame\":[0,1]}"
#define RESOURCES "\"resourceTable\":{\"length\":1,\"lib\":[0]}"
#define SAMPLES                                                                                                        \
	"\"samples\":{\"stack\":[1,null,1],\"time\":[1.5,2.5,3.5],\"weight\":[4,2,1],\"weightType\":\"samples\"}"
#define THREAD(content) "{\"name\":\"one\",\"pid\":\"42\",\"tid\":43," content "}"

static const char version55[] =
	"{\"threads\":[" THREAD(SAMPLES "," STACKS "," FRAMES "," FUNCS "," STRINGS
					"," RESOURCES) "],\"libs\":[{\"name\":\"m\",\"path\":\"/m\"}]," META(55) "}";

static const char rows[] = "main:7|leaf 5 thread=one pid=42 tid=43\n 2 thread=one pid=42 tid=43\n";

static void tables_may_be_of_a_thread_or_shared(void **state)
{
	(void)state;
	reader_expect(firefox_read, version55, false, rows, "");
	reader_expect(firefox_read,
		      "{" META(57) ",\"shared\":{" STRINGS
				   "},\"threads\":[" THREAD(SAMPLES "," STACKS "," FRAMES "," FUNCS) "]}",
		      false, rows, "");
	reader_expect(firefox_read,
		      "{" META(60) ",\"threads\":[" THREAD(SAMPLES) "],\"shared\":{" STRINGS "," STACKS "," FRAMES
								    "," FUNCS "}}",
		      false, rows, "");
	reader_expect(firefox_read,
		      "{" META(70) ",\"threads\":[" THREAD(
			      SAMPLES) "],\"shared\":{" STRINGS
				       ",\"stackTable\":{\"prefixOffset\":[0,1],\"frame\":[0,1]},"
				       "\"sources\":{\"filename\":[2]},"
				       "\"funcTable\":{\"name\":[0,1],\"source\":[0,null]}," FRAMES "}}",
		      false, rows, "");
}

static void files_libraries_and_times_are_kept(void **state)
{
	struct err err;
	struct profile *p = reader_read(firefox_read, version55, false, &err);

	(void)state;
	assert_non_null(p);
	assert_string_equal(profile_text(p, p->func_file[0]), "a.c");
	assert_int_equal(p->func_start[0], 3);
	assert_int_equal(p->n_maps, 1);
	assert_string_equal(profile_text(p, p->map[0].file), "/m");
	assert_int_equal(p->loc_map[0], 0);
	assert_int_equal(p->loc_map[1], PROFILE_NONE);
	assert_int_equal(p->meta.period, 2000000);
	assert_int_equal(p->meta.time_ns, INT64_C(1790000000000000000));
	assert_int_equal(p->meta.duration_ns, 2000000);
	profile_free(p);
	reader_expect(firefox_read, version55, true,
		      "main:7|leaf 4 thread=one pid=42 tid=43 time=1500000\n 2 thread=one pid=42 tid=43 time=2500000\n"
		      "main:7|leaf 1 thread=one pid=42 tid=43 time=3500000\n",
		      "");
}

/* Offsets of parts of a file are no times. */
static void offsets_in_bytes_are_no_times(void **state)
{
	(void)state;
	reader_expect(firefox_read,
		      "{\"meta\":{\"preprocessedProfileVersion\":60,\"sampleUnits\":{\"time\":\"bytes\"}},\"shared\":"
		      "{" STRINGS "," STACKS "," FRAMES "," FUNCS
		      "},\"threads\":[{\"samples\":{\"stack\":[0],\"time\":[7]}}]}",
		      true, "main:7 1\n", "");
}

static void weights_have_types(void **state)
{
	(void)state;
	reader_expect(firefox_read,
		      "{" META(60) ",\"shared\":{" STRINGS "," STACKS "," FRAMES "," FUNCS "},\"threads\":["
				   "{\"samples\":{\"stack\":[0,0],\"weight\":null}},"
				   "{\"samples\":{\"stack\":[0],\"weight\":[2.5],\"weightType\":\"tracing-ms\"}},"
				   "{\"samples\":{\"stack\":[0],\"weight\":[-9],\"weightType\":\"bytes\"},"
				   "\"jsAllocations\":{}}]}",
		      false, "main:7 2 2500000 -9\n", "firefox: skipped 1 table of allocations\n");
}

static void wrong_references_are_errors(void **state)
{
	(void)state;
	reader_expect_error(firefox_read,
			    "{" META(55) ",\"threads\":[" THREAD(SAMPLES "," FRAMES "," FUNCS "," STRINGS) "]}",
			    "thread 1: byte 218: sample 0 has the stack 1; there are 0");
	reader_expect_error(firefox_read,
			    "{" META(55) ",\"threads\":[" THREAD(SAMPLES "," STACKS "," FRAMES "," FUNCS) "]}",
			    "thread 1: byte 276: string 0 does not exist; there are 0");
	reader_expect_error(firefox_read,
			    "{" META(55) ",\"threads\":[{\"samples\":{\"stack\":[0]},\"stackTable\":{\"frame\":[0]}}]}",
			    "thread 1: byte 144: stackTable has 1 frames and 0 prefixes");
}

static void damage_does_no_harm(void **state)
{
	(void)state;
	reader_damage(firefox_read, version55);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_may_be_of_a_thread_or_shared),
		cmocka_unit_test(files_libraries_and_times_are_kept),
		cmocka_unit_test(offsets_in_bytes_are_no_times),
		cmocka_unit_test(weights_have_types),
		cmocka_unit_test(wrong_references_are_errors),
		cmocka_unit_test(damage_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
