/*
 * test_reader.c - detect the format of a profile and read it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/formats.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/check_profile.h"
#include "tests/unit/wire.h"

static struct bytes bytes_of(const void *data, size_t n)
{
	struct bytes b = { .data = malloc(n + !n), .n = n };

	if (n)
		memcpy(b.data, data, n);
	return b;
}

static struct profile *read_bytes(const void *data, size_t n)
{
	struct bytes in = bytes_of(data, n);
	struct profile *p = NULL;
	struct err err;

	if (formats_read(&in, &formats_options_default, &p, &err) < 0 || profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(in.n, 0);
	return p;
}

static void expect_error(const void *data, size_t n, const char *message)
{
	struct bytes in = bytes_of(data, n);
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(formats_read(&in, &formats_options_default, &p, &err), ERR_FORMAT);
	assert_null(p);
	assert_string_equal(err.msg, message);
}
#define ERROR_OF(literal, message) expect_error(literal, sizeof(literal) - 1, message)

static const char *type_name(const struct profile *p)
{
	return profile_text(p, p->type[0].name);
}

/* Read a file from TESTDATA. */
static struct profile *read_file(const char *name)
{
	const char *folder = getenv("TESTDATA");
	char path[4096];
	struct bytes in;
	struct profile *p;
	struct err err;

	if (!folder)
		skip();
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (io_read_file(path, SIZE_MAX, "", &in, &err) < 0)
		fail_msg("%s: %s", path, err.msg);
	p = read_bytes(in.data, in.n);
	free(in.data);
	return p;
}

static void a_profile_proto_is_read(void **state)
{
	struct buf b = { 0 };
	struct profile *p;

	(void)state;
	TYPE(&b, 1, 2);
	STRINGS(&b, "", "samples", "count");
	p = read_bytes(b.data, b.len);
	assert_string_equal(type_name(p), "samples");
	profile_free(p);
	buf_release(&b);
}

static void a_profile_proto_need_not_begin_with_its_types(void **state)
{
	struct buf b = { 0 };
	struct profile *p;

	(void)state;
	wire_int(&b, 10, 5);
	STRINGS(&b, "", "samples", "count");
	TYPE(&b, 1, 2);
	p = read_bytes(b.data, b.len);
	assert_int_equal(p->meta.duration_ns, 5);
	profile_free(p);
	buf_release(&b);
}

static void a_heap_profile_is_detected_by_its_first_line(void **state)
{
	static const char text[] = "heap profile: 1: 8 [1: 8] @ heapprofile\n1: 8 [1: 8] @ 0x1000\n";
	struct profile *p = read_bytes(text, sizeof(text) - 1);

	(void)state;
	assert_int_equal(p->n_rows, 1);
	profile_free(p);
}

static void a_go_count_profile_is_detected_by_its_first_line(void **state)
{
	static const char text[] = "goroutine profile: total 3\n3 @ 0x1001\n";
	struct profile *p = read_bytes(text, sizeof(text) - 1);

	(void)state;
	assert_string_equal(type_name(p), "goroutine");
	assert_int_equal(p->value[0][0], 3);
	profile_free(p);
}

static void profiles_of_every_format_in_testdata_are_read(void **state)
{
	static const struct {
		const char *file, *type;
	} files[] = {
		{ "go-cpu.pb.gz", "samples" },      { "go-heap1.pb.gz", "alloc_objects" },
		{ "cpp.cpu", "samples" },           { "cpp-32be.cpu", "samples" },
		{ "cpp-32le.cpu", "samples" },      { "cpp-64be.cpu", "samples" },
		{ "cpp.heap", "alloc_objects" },    { "cpp.heap_v2", "objects" },
		{ "go-heap.txt", "alloc_objects" }, { "go-goroutine.txt", "goroutine" },
		{ "cpp.threadz", "thread" },        { "cpp.contention", "contentions" },
		{ "go-mutex.txt", "contentions" },  { "java.cpu", "samples" },
		{ "java.heap", "inuse_objects" },   { "java.contention", "contentions" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct profile *p = read_file(files[i].file);

		if (strcmp(type_name(p), files[i].type) != 0)
			fail_msg("%s: first type %s, not %s", files[i].file, type_name(p), files[i].type);
		assert_true(p->n_rows > 0);
		profile_free(p);
	}
}

static void a_compressed_profile_proto_is_read(void **state)
{
	struct profile *p = read_file("go-cpu.pb.gz");

	(void)state;
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[1].unit), "nanoseconds");
	profile_free(p);
}

static void an_empty_input_is_reported(void **state)
{
	(void)state;
	ERROR_OF("", "empty input");
}

static void an_input_that_decompresses_to_nothing_is_reported(void **state)
{
	(void)state;
	ERROR_OF("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", "empty input");
}

static void other_file_types_are_named(void **state)
{
	(void)state;
	ERROR_OF("\177ELF\2\1\1", "not a profile: it looks like an ELF file; pass a profile after it");
	ERROR_OF("PERFILE2\x68", "perf.data: the file ends in its header, at byte 9");
	ERROR_OF("2ELIFREP", "perf.data: the file ends in its header, at byte 8");
	ERROR_OF("# callgrind format\n", "no line events:");
	ERROR_OF("{\"snapshot\":{\"meta\":{}}}",
		 "not a profile: it looks like a heap snapshot of V8, which has no stacks; the Memory panel of Chrome "
		 "DevTools shows it");
	ERROR_OF("{\"meta\":{\"version\":31},\"libs\":[],\"threads\":[]}",
		 "not a profile: it looks like a raw profile of Firefox; open it at profiler.firefox.com and save it "
		 "there, "
		 "which converts it");
	ERROR_OF("{\"traceEvents\":[]} x", "byte 19: more text after the end of the JSON value");
	ERROR_OF("\x89PNG\r\n\x1a\n", "not a profile: it looks like a PNG image");
	ERROR_OF("%PDF-1.7", "not a profile: it looks like a PDF document");
	ERROR_OF("PK\3\4\x14", "not a profile: it looks like a ZIP archive");
	ERROR_OF("BZh91AY", "not a profile: it looks like bzip2 data; decompress it first");
	ERROR_OF("\xfd"
		 "7zXZ\0",
		 "not a profile: it looks like xz data; decompress it first");
	ERROR_OF("#!/bin/sh\n", "not a profile: it looks like a script");
	ERROR_OF("go 1.23 trace\0\0\0", "not a profile: it looks like a Go execution trace; use go tool trace");
	ERROR_OF("goroutine 7 [running]:\nmain.main()\n",
		 "not a profile: it looks like a text dump of goroutines; fetch the profile without debug=2");
	ERROR_OF("<!DOCTYPE html><title>Sign in</title>", "not a profile: it is a web page, \"Sign in\"");
	ERROR_OF(" \r\n\t<html>", "not a profile: it is a web page");
	ERROR_OF("{\"a\": 1}", "not a profile: it looks like JSON text");
	ERROR_OF("\n[1, 2]", "not a profile: it looks like JSON text");
}

static void other_bytes_are_not_a_profile(void **state)
{
	(void)state;
	ERROR_OF("hello, world\n", "not a profile: in no format that cpa reads; cpa help formats lists them");
	ERROR_OF("\xff\xff\xff\xff", "not a profile: in no format that cpa reads; cpa help formats lists them");
}

static void a_few_bytes_of_any_kind_are_an_error(void **state)
{
	(void)state;
	for (unsigned byte = 0; byte < 256; byte++) {
		struct bytes in = bytes_of(&(uint8_t){ (uint8_t)byte }, 1);
		struct profile *p = NULL;
		struct err err = { .msg = "" };

		assert_true(formats_read(&in, &formats_options_default, &p, &err) < 0);
		assert_string_not_equal(err.msg, "");
	}
}

/* pprof reports "unrecognized profile format" for all of these. */
static void errors_of_a_profile_proto_are_reported(void **state)
{
	struct buf b = { 0 };

	(void)state;
	TYPE(&b, 1, 9);
	STRINGS(&b, "", "samples", "count");
	expect_error(b.data, b.len, "sample type 1: unit: string 9 of 3 does not exist");
	expect_error(b.data, b.len - 1, "byte 17: a field extends past the end of its message");
	buf_release(&b);
}

static void formats_have_names_of_their_own(void **state)
{
	struct err err;
	struct profile *p = NULL;
	struct bytes in = bytes_of("x", 1);

	(void)state;
	for (size_t i = 0; i < n_formats; i++) {
		assert_true(formats[i].name ? formats[i].help != NULL : formats[i].looks_like || formats[i].read);
		assert_true(!formats[i].name || formats_find(formats[i].name) == &formats[i]);
		assert_true(formats[i].read || formats[i].looks_like);
	}
	assert_ptr_equal(formats_find("proto"), &formats[0]);
	assert_ptr_equal(formats_find("profile.proto"), &formats[0]);
	assert_null(formats_find("prot"));
	assert_null(formats_find(""));
	assert_int_equal(formats_read_as(formats_find("go-trace"), &in, &formats_options_default, &p, &err), ERR_USAGE);
	assert_string_equal(err.msg, "cpa does not read the format go-trace");
	assert_int_equal(in.n, 0);
	in = bytes_of("x", 1);
	assert_int_equal(formats_read_as(formats_find("heap"), &in, &formats_options_default, &p, &err), ERR_FORMAT);
	assert_string_equal(err.msg, "not a profile of the format heap");
}

static void limits_are_passed_to_the_reader(void **state)
{
	struct format_options limits = { .max_count = 2 };
	struct buf b = { 0 };
	struct bytes in;
	struct profile *p = NULL;
	struct err err;

	(void)state;
	TYPE(&b, 1, 2);
	STRINGS(&b, "", "samples", "count");
	in = bytes_of(b.data, b.len);
	assert_int_equal(formats_read(&in, &limits, &p, &err), ERR_LIMIT);
	assert_string_equal(err.msg, "more than 2 strings; raise the limit with --max-count");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_proto_is_read),
		cmocka_unit_test(a_profile_proto_need_not_begin_with_its_types),
		cmocka_unit_test(a_heap_profile_is_detected_by_its_first_line),
		cmocka_unit_test(a_go_count_profile_is_detected_by_its_first_line),
		cmocka_unit_test(profiles_of_every_format_in_testdata_are_read),
		cmocka_unit_test(a_compressed_profile_proto_is_read),
		cmocka_unit_test(an_empty_input_is_reported),
		cmocka_unit_test(an_input_that_decompresses_to_nothing_is_reported),
		cmocka_unit_test(other_file_types_are_named),
		cmocka_unit_test(other_bytes_are_not_a_profile),
		cmocka_unit_test(a_few_bytes_of_any_kind_are_an_error),
		cmocka_unit_test(errors_of_a_profile_proto_are_reported),
		cmocka_unit_test(formats_have_names_of_their_own),
		cmocka_unit_test(limits_are_passed_to_the_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
