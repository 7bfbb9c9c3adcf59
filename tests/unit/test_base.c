/*
 * test_base.c - load address of an object
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The expected bases were computed by pprof (internal/elfexec), and so were those of 20,000 random cases.
 */
#include "config.h"

#include "symbol/object.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <inttypes.h>

#include <cmocka.h>

#include "make_folder.h"

#define X (PF_R | PF_X)
#define BAD UINT64_MAX

struct place {
	const char *what;
	uint16_t type;
	uint64_t text, stext; /* addresses of symbols; 0 for none */
	uint64_t start, limit, offset, address;
	uint64_t base; /* expected base; BAD if it cannot be computed */
	struct {
		uint32_t flags;
		uint64_t offset, vaddr, filesz, memsz, align;
	} ph[4];
};

static const struct place places[] = {
	{ "a program at its own address",
	  ET_EXEC,
	  0x401000,
	  0,
	  0x401000,
	  0x402000,
	  0x1000,
	  0x401010,
	  0,
	  { { PF_R, 0, 0x400000, 0x500, 0x500, 0x1000 }, { X, 0x1000, 0x401000, 0x234, 0x234, 0x1000 } } },
	{ "a program with one segment",
	  ET_EXEC,
	  0x400400,
	  0,
	  0x400000,
	  0x401000,
	  0,
	  0x400410,
	  0,
	  { { X, 0, 0x400000, 0x900, 0x900, 0x200000 } } },
	{ "a program without segments", ET_EXEC, 0, 0, 0x400000, 0x401000, 0, 0x400410, 0, { { 0 } } },
	{ "a position-independent program",
	  ET_DYN,
	  0x1040,
	  0,
	  0x555555555000,
	  0x555555556000,
	  0x1000,
	  0x555555555139,
	  0x555555554000,
	  { { PF_R, 0, 0, 0x600, 0x600, 0x1000 }, { X, 0x1000, 0x1000, 0x1b5, 0x1b5, 0x1000 } } },
	{ "a library linked at an address (prelink)",
	  ET_DYN,
	  0x3000001040,
	  0,
	  0x7f0000001000,
	  0x7f0000002000,
	  0x1000,
	  0x7f0000001100,
	  0x7ed000000000,
	  { { PF_R, 0, 0x3000000000, 0x600, 0x600, 0x1000 }, { X, 0x1000, 0x3000001000, 0x1b5, 0x1b5, 0x1000 } } },
	{ "code whose file offset is not its address (lld)",
	  ET_DYN,
	  0x201040,
	  0,
	  0x555555755000,
	  0x555555756000,
	  0,
	  0x555555755060,
	  0x555555554000,
	  { { PF_R, 0, 0x200000, 0x40, 0x40, 0x1000 }, { X, 0x40, 0x201040, 0x100, 0x100, 0x1000 } } },
	{ "two segments in one page, by the address",
	  ET_DYN,
	  0x1700,
	  0,
	  0x7f0000001000,
	  0x7f0000002000,
	  0,
	  0x7f0000001710,
	  0x7f0000000000,
	  { { PF_R, 0, 0, 0x600, 0x600, 0x1000 }, { X, 0x700, 0x1700, 0x200, 0x200, 0x1000 } } },
	{ "the same, between the segments",
	  ET_DYN,
	  0x1700,
	  0,
	  0x7f0000001000,
	  0x7f0000002000,
	  0,
	  0x7f0000001650,
	  BAD,
	  { { PF_R, 0, 0, 0x600, 0x600, 0x1000 }, { X, 0x700, 0x1700, 0x200, 0x200, 0x1000 } } },
	{ "no segment at that offset",
	  ET_DYN,
	  0x1040,
	  0,
	  0x7f0000000000,
	  0x7f0000001000,
	  0x9000,
	  0x7f0000000010,
	  BAD,
	  { { X, 0, 0, 0x600, 0x600, 0x1000 } } },
	{ "an address below the mapping",
	  ET_DYN,
	  0x40,
	  0,
	  0x7f0000000000,
	  0x7f0000001000,
	  0,
	  0x7effffffffff,
	  BAD,
	  { { X, 0, 0, 0x600, 0x600, 0x1000 } } },
	{ "an address at its end",
	  ET_DYN,
	  0x40,
	  0,
	  0x7f0000000000,
	  0x7f0000001000,
	  0,
	  0x7f0000001000,
	  BAD,
	  { { X, 0, 0, 0x600, 0x600, 0x1000 } } },
	{ "code in separate huge pages, in two mappings",
	  ET_DYN,
	  0x200000,
	  0,
	  0x7f0000200000,
	  0x7f0000400000,
	  0x200000,
	  0x7f0000200010,
	  0x7f0000000000,
	  { { PF_R, 0, 0, 0x1000, 0x1000, 0x200000 }, { X, 0x200000, 0x200000, 0x200000, 0x200000, 0x200000 } } },
	{ "two segments in one page of 64 KiB",
	  ET_DYN,
	  0x22540,
	  0,
	  0x7f0000020000,
	  0x7f0000030000,
	  0x10000,
	  0x7f0000022600,
	  0x7f0000000000,
	  { { PF_R, 0, 0, 0x12540, 0x12540, 0x10000 }, { X, 0x12540, 0x22540, 0x4000, 0x4000, 0x10000 } } },
	{ "a page shared by the end of a segment and the start of the next",
	  ET_DYN,
	  0x1000,
	  0,
	  0x7f0000002000,
	  0x7f0000005000,
	  0x2000,
	  0x7f0000002400,
	  0x7efffffff000,
	  { { X, 0, 0, 0x2100, 0x2100, 0x1000 }, { PF_R | PF_W, 0x2100, 0x3100, 0x2f00, 0x2f00, 0x1000 } } },
	{ "segments without bytes in the file",
	  ET_DYN,
	  0x1000,
	  0,
	  0x7f0000000000,
	  0x7f0000001000,
	  0,
	  0x7f0000000010,
	  BAD,
	  { { X, 0, 0, 0, 0x1000, 0x1000 } } },
	{ "a mapping that a tool has invented",
	  ET_DYN,
	  0x1000,
	  0,
	  0,
	  UINT64_MAX,
	  0,
	  0x1010,
	  0,
	  { { X, 0x1000, 0x1000, 0x200, 0x200, 0x1000 } } },
	{ "a kernel module",
	  ET_REL,
	  0,
	  0,
	  0xffffffffc0000000,
	  0xffffffffc0001000,
	  0,
	  0xffffffffc0000010,
	  0xffffffffc0000000,
	  { { 0 } } },
	{ "a relocatable file at an offset", ET_REL, 0, 0, 0x10000, 0x11000, 0x1000, 0x10010, BAD, { { 0 } } },
	{ "a core", ET_CORE, 0, 0, 0x10000, 0x11000, 0, 0x10010, BAD, { { 0 } } },
	{ "a kernel, by its symbol",
	  ET_EXEC,
	  0xffffffff81000000,
	  0xffffffff81000198,
	  0xffffffff82000198,
	  0xffffffff83000198,
	  0,
	  0xffffffff82000200,
	  0x1000000,
	  { { X, 0, 0xffffffff81000000, 0x2000, 0x2000, 0x1000 } } },
	{ "a kernel mapped at its segment",
	  ET_EXEC,
	  0xffffffff81000000,
	  0xffffffff810002b8,
	  0xffffffff81000000,
	  0xffffffffa0000001,
	  0,
	  0xffffffff81000200,
	  0,
	  { { X, 0, 0xffffffff81000000, 0x2000, 0x2000, 0x1000 } } },
	{ "a kernel relocated at boot",
	  ET_EXEC,
	  0xffffffff80200000,
	  0,
	  0xffffffff83e00000,
	  0xfffffffffc400000,
	  0x3c00000,
	  0xffffffff83e00010,
	  0x3c00000,
	  { { X, 0x1000, 0xffffffff80200000, 0x2000, 0x2000, 0x1000 } } },
	{ "a kernel mapped at 0, with its symbol",
	  ET_EXEC,
	  0xffffffff81000000,
	  0xffffffff81000198,
	  0x198,
	  0x2f9fffff,
	  0,
	  0x1000,
	  0x198 - 0xffffffff81000198,
	  { { X, 0, 0xffffffff81000000, 0x2000, 0x2000, 0x1000 } } },
	{ "a kernel mapped at 0, without a symbol",
	  ET_EXEC,
	  0xffffffff81000000,
	  0,
	  0,
	  0x30000000,
	  0,
	  0x1000,
	  0x7f000000,
	  { { X, 0, 0xffffffff81000000, 0x2000, 0x2000, 0x1000 } } },
	{ "a PowerPC kernel",
	  ET_DYN,
	  0xc000000000000000,
	  0xc000000000000000,
	  0xc000000000000000,
	  0xd00000001a730001,
	  0xc000000000000000,
	  0xc000000000000010,
	  0,
	  { { X, 0x1000, 0xc000000000000000, 0x2000, 0x2000, 0x1000 } } },
};

static struct object *open_place(const struct place *c, const char *name, uint32_t text)
{
	const Elf64_Sym syms[] = { { 0 }, { .st_name = 1, .st_value = c->stext, .st_shndx = 1, .st_info = STT_FUNC } };
	struct make_elf m = {
		.type = c->type,
		.n_sections = 3,
		.section = { { .name = c->text ? ".text" : ".data",
			       .type = text,
			       .flags = SHF_ALLOC,
			       .addr = c->text,
			       .data = "0123456789abcdef",
			       .n = 16 },
			     { .name = ".symtab",
			       .type = SHT_SYMTAB,
			       .data = syms,
			       .n = c->stext ? 48 : 24,
			       .link = 3 },
			     { .name = ".strtab", .type = SHT_STRTAB, .data = "\0_stext", .n = 8 } },
	};
	struct object *o;
	struct err err;

	for (; m.n_ph < 4 && c->ph[m.n_ph].flags; m.n_ph++)
		m.ph[m.n_ph] = (GElf_Phdr){ .p_type = PT_LOAD,
					    .p_flags = c->ph[m.n_ph].flags,
					    .p_offset = c->ph[m.n_ph].offset,
					    .p_vaddr = c->ph[m.n_ph].vaddr,
					    .p_filesz = c->ph[m.n_ph].filesz,
					    .p_memsz = c->ph[m.n_ph].memsz,
					    .p_align = c->ph[m.n_ph].align };
	assert_int_equal(object_open(folder_elf(name, &m), &o, &err), 0);
	return o;
}

static void computes_the_base_from_mapping_and_segments(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct place *c = &places[i];
		const struct object_map map = { c->start, c->limit, c->offset, "" };
		struct object *o = open_place(c, "program", SHT_PROGBITS);
		uint64_t base = BAD;
		struct err err = { .msg = "" };

		object_base(o, &map, c->address, &base, &err);
		object_close(o);
		if (base != c->base)
			fail_msg("%s: 0x%" PRIx64 ", not 0x%" PRIx64 ": %s", c->what, base, c->base, err.msg);
	}
}

static void uses_the_kernel_symbol_that_the_mapping_names(void **state)
{
	const struct object_map map = { 0xffffffff82000198, 0xffffffff83000198, 0, "_text" };
	struct object *o = NULL;
	uint64_t base;
	struct err err;

	(void)state;
	for (size_t i = 0; !o; i++)
		if (strcmp(places[i].what, "a kernel, by its symbol") == 0)
			o = open_place(&places[i], "program", SHT_PROGBITS);
	assert_int_equal(object_base(o, &map, map.start, &base, &err), 0);
	assert_true(base == 0xffffffff82000198 - 0xffffffff81000000); /* there is no _text, so the segment is used */
	object_close(o);
}

static void rejects_an_impossible_mapping(void **state)
{
	const struct object_map map = { 0x10000, 0x11000, 0x1000, "" };
	struct object *o = NULL;
	struct err err;

	(void)state;
	for (size_t i = 0; !o; i++)
		if (places[i].type == ET_REL)
			o = open_place(&places[i], "module.ko", SHT_PROGBITS);
	assert_int_equal(object_check_map(o, &map, &err), ERR_RANGE);
	assert_non_null(strstr(err.msg, "could not identify base for "));
	object_close(o);
}

static void finds_the_base_of_a_debug_file_by_its_code_size(void **state)
{
	static const struct place place = { .what = "a debug file",
					    .type = ET_DYN,
					    .text = 0x1040,
					    .ph = { { PF_R, 0, 0, 0x39c, 0x618, 0x1000 }, /* written by objcopy */
						    { X, 0, 0x1000, 0, 0x19d, 0x1000 },
						    { PF_R | PF_W, 0xdd0, 0x3dd0, 0x40, 0x250, 0x1000 } } };
	struct object_map map = { 0x555555555000, 0x555555556000, 0x1000, "" };
	struct object *o = open_place(&place, "program.debug", SHT_NOBITS);
	struct err err;
	uint64_t base;

	(void)state;
	assert_int_equal(object_base(o, &map, 0x555555555100, &base, &err), 0);
	assert_true(base == 0x555555554000);
	map.limit += 0x1000; /* larger than the code, so the rules for programs apply */
	assert_int_equal(object_base(o, &map, 0x555555555100, &base, &err), ERR_RANGE);
	object_close(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(computes_the_base_from_mapping_and_segments, folder_make,
						folder_remove),
		cmocka_unit_test_setup_teardown(uses_the_kernel_symbol_that_the_mapping_names, folder_make,
						folder_remove),
		cmocka_unit_test_setup_teardown(finds_the_base_of_a_debug_file_by_its_code_size, folder_make,
						folder_remove),
		cmocka_unit_test_setup_teardown(rejects_an_impossible_mapping, folder_make, folder_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
