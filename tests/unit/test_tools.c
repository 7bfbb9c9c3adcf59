/*
 * test_tools.c - find objdump
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/tools.h"

#include "base/buf.h"
#include "base/io.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/cpa-test-tools-XXXXXX";

/* Make a program in our folder that prints this version. */
static void make_tool(const char *dir, const char *name, const char *version)
{
	struct buf path = { 0 }, text = { 0 };

	buf_addf(&path, "%s/%s", folder, dir);
	mkdir(path.data, 0755);
	buf_addf(&path, "/%s", name);
	buf_addf(&text, "#!/bin/sh\necho '%s'\n", version);
	assert_int_equal(io_write_file(path.data, text.data, text.len, NULL), 0);
	chmod(path.data, 0755);
	buf_release(&text);
	buf_release(&path);
}

/* list: value of -tools, with @ for the folder. want: the program found in it; "" for none */
static void expect(const char *list, const char *want, bool is_llvm)
{
	struct arena *mem = arena_new();
	struct buf tools = { 0 }, path = { 0 };
	struct objdump out = { 0 };
	struct err err;
	int rc;

	for (; *list; list++)
		buf_addf(&tools, *list == '@' ? "%s" : "%.1s", *list == '@' ? folder : list);
	rc = tools_find_objdump(&(struct symbol_options){ .tools = buf_text(&tools) }, mem, &out, &err);
	if (*want) {
		buf_addf(&path, "%s/%s", folder, want);
		assert_int_equal(rc, 0);
		assert_string_equal(out.path, path.data);
		assert_int_equal(out.is_llvm, is_llvm);
	} else {
		assert_int_equal(rc, ERR_UNKNOWN);
		assert_non_null(strstr(err.msg, "-tools=DIR"));
	}
	buf_release(&tools);
	buf_release(&path);
	arena_free(mem);
}

static void prefers_llvm_objdump_from_version_8_on(void **state)
{
	(void)state;
	make_tool("gnu", "objdump", "GNU objdump (GNU Binutils) 2.40");
	make_tool("both", "objdump", "GNU objdump (GNU Binutils) 2.40");
	make_tool("both", "llvm-objdump", "Debian LLVM version 14.0.6");
	make_tool("old", "llvm-objdump", "LLVM version 7.0.1");
	make_tool("odd", "objdump", "something else");
	expect("@/gnu", "gnu/objdump", false);
	expect("@/both", "both/llvm-objdump", true);
	expect("@/gnu,@/both", "both/llvm-objdump", true);
	expect("@/old,@/gnu", "gnu/objdump", false);
	expect("@/old", "", false);
	expect("@/odd", "", false);
	expect("@/nowhere", "", false);
}

static void a_folder_can_be_for_one_tool_only(void **state)
{
	(void)state;
	expect("nm:@/gnu,objdump:@/both", "both/llvm-objdump", true);
	expect("nm:@/both", "", false);
	expect("@/both,objdump:@/both", "both/llvm-objdump", true);
	expect("@/both,objdump:@/gnu", "both/llvm-objdump", true);
	expect("other:@/gnu", "", false);
}

static void an_empty_folder_in_the_list_means_path(void **state)
{
	char *before = strdup(getenv("PATH"));
	struct buf path = { 0 };

	(void)state;
	buf_addf(&path, "%s/nowhere:%s/gnu", folder, folder);
	setenv("PATH", path.data, 1);
	expect(",objdump:@/gnu", "gnu/objdump", false);
	buf_release(&path);
	setenv("PATH", before, 1);
	free(before);
}

static void reads_versions(void **state)
{
	(void)state;
	assert_true(tools_is_llvm("Debian LLVM version 14.0.6\n  Optimized build."));
	assert_true(tools_is_llvm("LLVM (http://llvm.org/):\n  LLVM version 8.0.0"));
	assert_true(tools_is_llvm("LLVM version trunk"));
	assert_true(tools_is_llvm("LLVM version 19.1.0git"));
	assert_false(tools_is_llvm("LLVM version 7.9.9"));
	assert_false(tools_is_llvm("LLVM version "));
	assert_false(tools_is_llvm("GNU objdump (GNU Binutils) 2.40"));
	assert_false(tools_is_llvm(""));
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	struct buf line = { 0 };
	int rc;

	(void)state;
	buf_addf(&line, "rm -rf %s", folder);
	rc = system(line.data);
	buf_release(&line);
	return rc;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefers_llvm_objdump_from_version_8_on),
		cmocka_unit_test(a_folder_can_be_for_one_tool_only),
		cmocka_unit_test(an_empty_folder_in_the_list_means_path),
		cmocka_unit_test(reads_versions),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
