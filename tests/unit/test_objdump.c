/*
 * test_objdump.c - read the output of objdump
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/objdump.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

/* A line per instruction: "1149 test %edi,%edi|work /src/a.c:7", and optionally the flags before it. */
static void expect(const char *text, uint64_t start, uint64_t stop, bool flags, const char *want)
{
	struct buf in = { 0 }, got = { 0 };
	struct arena *mem = arena_new();
	struct objdump_text out;

	buf_addz(&in, text);
	objdump_read(&in, start, stop, mem, &out);
	for (uint32_t i = 0; i < out.n; i++) {
		const struct instruction *it = &out.inst[i];

		buf_addf(&got, "%" PRIx64 " %s|%s %s:%" PRId64, it->addr, it->text, it->function, it->file, it->line);
		if (flags)
			buf_addf(&got, " %d", out.before[i]);
		buf_addz(&got, "\n");
	}
	if (flags)
		buf_addf(&got, "%d\n", out.before[out.n]);
	assert_string_equal(buf_text(&got), want);
	buf_release(&got);
	buf_release(&in);
	arena_free(mem);
}

static const char gnu[] = "\n"
			  "prog:     file format elf64-x86-64\n"
			  "\n\n"
			  "Disassembly of section .text:\n"
			  "\n"
			  "0000000000001160 <work>:\n"
			  "work():\n"
			  "/src/a.c:5\n"
			  "    1160:\ttest   %edi,%edi\n"
			  "    1162:\tjle    1190 <work+0x30>\n"
			  "inl():\n"
			  "/src/a.c:2 (discriminator 3)\n"
			  "    1170:\tmov    %ecx,%edx\n";

static void functions_and_lines_apply_until_the_next_ones(void **state)
{
	(void)state;
	expect(gnu, 0, UINT64_MAX, false,
	       "1160 test   %edi,%edi|work /src/a.c:5\n"
	       "1162 jle    1190 <work+0x30>|work /src/a.c:5\n"
	       "1170 mov    %ecx,%edx|inl /src/a.c:2\n");
}

static void reads_the_marks_of_llvm(void **state)
{
	(void)state;
	expect("0000000000001160 <work>:\n"
	       "; work():\n"
	       "; /src/a.c:5\n"
	       "    1160:      \ttestl\t%edi, %edi\n",
	       0, UINT64_MAX, false, "1160 testl\t%edi, %edi|work /src/a.c:5\n");
}

static void without_debug_information_the_symbol_is_the_function(void **state)
{
	(void)state;
	expect("0000000000001160 <work>:\n    1160:\tret\n\n0000000000001170 <next>:\n    1170:\tret\n", 0, UINT64_MAX,
	       false, "1160 ret|<work> :0\n1170 ret|<next> :0\n");
}

static void demangled_names_keep_their_parameters(void **state)
{
	(void)state;
	expect("ns::run(int):\n/src/a.cc:3\n1:\tret\n", 0, UINT64_MAX, false, "1 ret|ns::run(int) /src/a.cc:3\n");
	expect("; ns::run(int)():\n; /src/a.cc:3\n1:\tret\n", 0, UINT64_MAX, false, "1 ret|ns::run(int) /src/a.cc:3\n");
	expect("add(int):\n1:\tret\n", 0, UINT64_MAX, false, "1 ret|add(int) :0\n");
}

static void an_empty_or_unknown_line_resets_function_and_line(void **state)
{
	(void)state;
	expect("f():\n/a.c:1\n1:\tnop\n\n2:\tnop\n", 0, UINT64_MAX, false, "1 nop|f /a.c:1\n2 nop| :0\n");
	expect("f():\n/a.c:1\n1:\tnop\n\t...\n9:\tnop\n", 0, UINT64_MAX, false, "1 nop|f /a.c:1\n9 nop| :0\n");
}

static void ignores_instructions_outside_the_range(void **state)
{
	(void)state;
	expect("fff:\tlow\n1000:\tnop\n1fff:\tret\n2000:\thigh\n", 0x1000, 0x2000, false,
	       "1000 nop| :0\n1fff ret| :0\n");
}

static void names_that_look_like_other_lines_are_harmless(void **state)
{
	(void)state;
	expect("0000000000001000 <1001: nop>:\n    1000:\tret\n", 0x1000, 0x2000, false, "1000 ret|<1001: nop> :0\n");
	expect(":\n():\n;\n; :7\n:99999999999:\n1000:\n1000:\t\n1000:x\n0000000000000000000000001000:\tret\n"
	       "10000000000001000:\tret\n",
	       0x1000, 0x2000, false, "1000 ret|1000 :7\n");
	expect("", 0, UINT64_MAX, true, "0\n");
	expect(":", 0, UINT64_MAX, true, "2\n");
}

static void records_the_lines_between_instructions(void **state)
{
	(void)state;
	expect("prog:     file format elf64-x86-64\n"
	       "\n"
	       "Disassembly of section .text:\n"
	       "\n"
	       "0000000000000001 <f>:\n"
	       "1:\tnop\n"
	       "\n"
	       "0000000000000002 <g>:\n"
	       "g():\n"
	       "/a.c:1\n"
	       "2:\tnop\n"
	       "3:\tnop\n"
	       "\t...\n"
	       "\n"
	       "0000000000000009 <h>:\n"
	       "9:\tnop\n"
	       "\t...\n",
	       0, UINT64_MAX, true,
	       "1 nop|<f> :0 1\n"
	       "2 nop|g /a.c:1 7\n"
	       "3 nop|g /a.c:1 16\n"
	       "9 nop|<h> :0 25\n"
	       "24\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_and_lines_apply_until_the_next_ones),
		cmocka_unit_test(reads_the_marks_of_llvm),
		cmocka_unit_test(without_debug_information_the_symbol_is_the_function),
		cmocka_unit_test(demangled_names_keep_their_parameters),
		cmocka_unit_test(an_empty_or_unknown_line_resets_function_and_line),
		cmocka_unit_test(ignores_instructions_outside_the_range),
		cmocka_unit_test(names_that_look_like_other_lines_are_harmless),
		cmocka_unit_test(records_the_lines_between_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
