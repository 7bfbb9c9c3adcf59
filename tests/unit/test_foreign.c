/*
 * test_foreign.c - files of formats that are recognized and not read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/formats.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libdeflate.h>

/* The first bytes of a file, and the message. */
struct foreign_case {
	const char *data;
	size_t n;
	size_t shortest; /* recognized from so many bytes on */
	const char *looks_like, *convert;
};

#define CASE(bytes, first, looks, with)                                                                                \
	{                                                                                                              \
		(bytes), sizeof(bytes) - 1, (first), (looks), (with)                                                   \
	}
#define ZEROS_72                                                                                                       \
	"\0\0\1\0\110\2\0\0\110\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" \
	"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

/* The bytes of heaptrack, gmon, massif, DHAT, pstats, memray and V8 are of files that the tools wrote; others follow documents. */
static const struct foreign_case cases[] = {
	CASE("v 10400 3\nX ./a\nI 1000 5e298f\ns 4 main\nt 1 0\n", 10, "a recording of heaptrack",
	     "heaptrack_print -f FILE -F FILE.folded"),
	CASE("v 10400 3\nx b /tmp/h56f/a\nX ./a\n", 12, "a raw recording of heaptrack", "heaptrack_interpret"),
	CASE("Nettrace\x14\0\0\0!FastSerialization.1\5\5\1", 8, "a recording of .NET",
	     "dotnet-trace convert --format Speedscope FILE"),
	CASE("\xfb)\x03\xfa\x07<stdin>\xe9\x02\0\0\0\xda\x01"
	     "f)\x05\xe9\x01\0\0\0r\x04\0\0\0g\xe5j",
	     3, "a profile of Python's cProfile", "flameprof --format=log FILE >FILE.folded"),
	CASE("{(\3\0\0\0s\x0c\0\0\0/srv/main.pyi", 6, "a profile of Python's cProfile", "flameprof"),
	CASE("memray\0\r\0\0\0\xf0\x0f\x0b\x03\0\0\x93\x08\0\1", 7, "a recording of memray", "memray flamegraph FILE"),
	CASE("gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xa8\x12\0\0\0\0\0", 8, "a gmon.out of gprof",
	     "gprof PROGRAM FILE"),
	CASE("gmon\0\0\0\1\0\0\0\0", 8, "a gmon.out of gprof", "gprof PROGRAM FILE"),
	CASE("desc: --massif-out-file=massif.out\ncmd: ./a\ntime_unit: i\n#-----------\nsnapshot=0\n", 56,
	     "a massif.out of Valgrind", "ms_print FILE"),
	CASE("SIMPLEPERF\1\0\x1c\0\0\0\x0a\x1a\x08\xb4\x9a\xe5", 10, "samples of simpleperf report-sample",
	     "stackcollapse.py -i perf.data"),
	CASE(ZEROS_72 "\2\0\2\xc0\x80\1\0\0", 76, "a recording of Event Tracing for Windows", "xperf -i FILE"),
	CASE(ZEROS_72 "\2\0\1\xc0\x80\1\0\0", 76, "a recording of Event Tracing for Windows", "xperf -i FILE"),
	CASE("<?xml version=\"1.0\"?>\n<trace-query-result>\n<node xpath='//trace-toc[1]'>", 42,
	     "a table of Instruments that xctrace exported", "inferno-collapse-xctrace FILE"),
	CASE("Analysis of sampling myprog (pid 1234) every 1 millisecond\nProcess: myprog [1234]\n", 21,
	     "the output of sample of macOS", "inferno-collapse-sample FILE"),
	CASE("\4\b{\x0e:\x0cversionf\x08"
	     "1.2:\tmode:\twall:\rintervali\2\xe8\3",
	     3, "data of Ruby, as stackprof writes it", "stackprof --stackcollapse FILE"),
	CASE("{\"version\":1.2,\"mode\":\"wall\",\"interval\":1000,\"samples\":7,\"gc_samples\":0,\"missed_samples\":0,"
	     "\"frames\":{",
	     90, "a profile of Ruby's stackprof", "stackprof --stackcollapse FILE"),
	CASE("rbspy05\n{\"time\":1}", 6, "a recording of rbspy", "rbspy report -f speedscope -i FILE"),
	CASE("v8-version,11,3,244,8,-node.38,0\nv8-platform,linux,linux\n", 11, "a log of node --prof",
	     "node --prof-process FILE"),
	CASE("{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\"", 34, "a heap snapshot of V8",
	     "Chrome DevTools"),
	CASE("JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\1\x7f", 16, "a heap dump of Java", "Eclipse MAT"),
	CASE("{\"dhatFileVersion\":2\n,\"mode\":\"heap\"", 19, "a dhat.out of Valgrind", "dh_view.html"),
};
static const size_t n_cases = sizeof(cases) / sizeof(cases[0]);

/* Read n bytes, which must fail. */
static void foreign_fail(const void *data, size_t n, struct err *err)
{
	struct bytes in = { .data = malloc(n + 1), .n = n };
	struct profile *p;

	memcpy(in.data, data, n);
	assert_int_equal(formats_read(&in, &formats_options_default, &p, err), ERR_FORMAT);
	assert_null(in.data);
}

static void foreign_expect(const struct foreign_case *c, const struct err *err)
{
	if (!strstr(err->msg, "not a profile: it looks like ") || !strstr(err->msg, c->looks_like) ||
	    !strstr(err->msg, c->convert))
		fail_msg("%s: %s", c->looks_like, err->msg);
}

static void each_kind_is_named_with_a_converter_or_viewer(void **state)
{
	struct err err;

	(void)state;
	for (size_t i = 0; i < n_cases; i++) {
		foreign_fail(cases[i].data, cases[i].n, &err);
		foreign_expect(&cases[i], &err);
	}
}

static void a_cut_file_is_still_named(void **state)
{
	struct err err;

	(void)state;
	for (size_t i = 0; i < n_cases; i++)
		for (size_t n = cases[i].shortest; n < cases[i].n; n++) {
			foreign_fail(cases[i].data, n, &err);
			foreign_expect(&cases[i], &err);
		}
}

/* The message for unknown bytes is right if the first bytes could be of any format. */
static void no_message_is_about_fields_of_protobuf(void **state)
{
	struct err err;

	(void)state;
	for (size_t i = 0; i < n_cases; i++)
		for (size_t n = 1; n < cases[i].n; n++) {
			foreign_fail(cases[i].data, n, &err);
			if (!strstr(err.msg, "looks like") && !strstr(err.msg, "in no format that cpa reads") &&
			    !strstr(err.msg, "may be folded stacks"))
				fail_msg("%s, %zu bytes: %s", cases[i].looks_like, n, err.msg);
		}
}

static void files_compressed_with_gzip_are_named_too(void **state)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	char packed[1000];
	struct err err;

	(void)state;
	for (size_t i = 0; i < n_cases; i++) {
		foreign_fail(packed, libdeflate_gzip_compress(c, cases[i].data, cases[i].n, packed, sizeof(packed)),
			     &err);
		foreign_expect(&cases[i], &err);
	}
	libdeflate_free_compressor(c);
}

/* For the sanitizers: each byte is changed. */
static void damaged_files_do_no_harm(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_cases; i++)
		for (size_t at = 0; at < cases[i].n; at++) {
			struct bytes in = { .data = malloc(cases[i].n), .n = cases[i].n };
			struct profile *p = NULL;
			struct err err;

			memcpy(in.data, cases[i].data, cases[i].n);
			in.data[at] ^= 0xff;
			if (formats_read(&in, &formats_options_default, &p, &err) == 0)
				profile_free(p);
		}
}

static void names_in_the_table_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_formats; i++)
		if (formats[i].name)
			assert_ptr_equal(formats_find(formats[i].name), &formats[i]);
}

static void usual_endings_are_no_part_of_a_stem(void **state)
{
	static const struct {
		const char *name;
		size_t n;
	} stem[] = { { "cpu.pb.gz", 3 }, { "a.folded", 1 },    { "x.cpuprofile", 1 },
		     { "perf.data", 9 }, { "a.b.txt.zst", 3 }, { "go.speedscope.json.gz", 2 },
		     { ".txt", 4 },      { ".gz.gz", 3 },      { "prod.2026", 9 },
		     { "", 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(stem) / sizeof(stem[0]); i++)
		assert_int_equal(formats_stem(stem[i].name, strlen(stem[i].name)), stem[i].n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_named_with_a_converter_or_viewer),
		cmocka_unit_test(a_cut_file_is_still_named),
		cmocka_unit_test(no_message_is_about_fields_of_protobuf),
		cmocka_unit_test(files_compressed_with_gzip_are_named_too),
		cmocka_unit_test(damaged_files_do_no_harm),
		cmocka_unit_test(names_in_the_table_are_unique),
		cmocka_unit_test(usual_endings_are_no_part_of_a_stem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
