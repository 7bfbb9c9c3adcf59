/*
 * test_object.c - programs and libraries: build id, symbols, errors
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/object.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "make_folder.h"
#include "symbol/object_file.h"

static struct object *open_object(const char *path)
{
	struct object *o = NULL;
	struct err err = { .msg = "" };

	if (object_open(path, &o, &err) < 0)
		fail_msg("%s", err.msg);
	return o;
}

static void assert_id(const struct make_elf *m, const char *id)
{
	struct object *o = open_object(folder_elf("f", m));

	assert_string_equal(object_build_id(o), id);
	object_close(o);
}

static void a_build_id_is_hexadecimal(void **state)
{
	const struct make_elf m = { .type = ET_DYN,
				    .n_sections = 1,
				    .section = { note_section(NOTE_OF("\x00", "\xab", "\x0f", "\xff"), NOTE_N) } };

	(void)state;
	assert_id(&m, "00ab0fff");
}

static void a_build_id_in_a_segment_takes_precedence_over_a_section(void **state)
{
	const struct make_elf m = {
		.type = ET_DYN,
		.n_ph = 1,
		.ph = { { .p_type = PT_NOTE, .p_offset = MAKE_ELF_DATA + 24, .p_filesz = NOTE_N, .p_align = 4 } },
		.n_sections = 2,
		.section = { note_section(NOTE_OF("1", "1", "1", "1"), NOTE_N),
			     note_section(NOTE_OF("2", "2", "2", "2"), NOTE_N) }
	};

	(void)state;
	assert_id(&m, "32323232");
}

static void two_build_ids_in_one_section_count_as_none(void **state)
{
	const struct make_elf m = { .type = ET_DYN,
				    .n_sections = 1,
				    .section = { note_section(NOTE_OF("1", "1", "1", "1") NOTE_OF("2", "2", "2", "2"),
							      2 * NOTE_N) } };

	(void)state;
	assert_id(&m, "");
}

static void ignores_a_truncated_note(void **state)
{
	const struct make_elf m = { .type = ET_DYN,
				    .n_sections = 1,
				    .section = { note_section(NOTE_OF("1", "1", "1", "1"), NOTE_N - 1) } };

	(void)state;
	assert_id(&m, "");
}

static void reads_sections_if_segments_are_damaged(void **state)
{
	const struct make_elf m = {
		.type = ET_DYN,
		.n_ph = 1,
		.ph = { { .p_type = PT_NOTE, .p_offset = MAKE_ELF_DATA + 1, .p_filesz = NOTE_N, .p_align = 4 } },
		.n_sections = 1,
		.section = { note_section(NOTE_OF("1", "2", "3", "4"), NOTE_N) }
	};

	(void)state;
	assert_id(&m, "31323334");
}

static void skips_a_note_with_another_name(void **state)
{
	const struct make_elf m = { .type = ET_DYN,
				    .n_sections = 1,
				    .section = { note_section(
					    "\3\0\0\0\5\0\0\0\3\0\0\0Go\0\0abcde\0\0\0" NOTE_OF("1", "2", "3", "4"),
					    24 + NOTE_N) } };

	(void)state;
	assert_id(&m, "31323334");
}

static void reads_a_32_bit_file_of_the_other_byte_order(void **state)
{
	static const char note[] = "\0\0\0\4\0\0\0\4\0\0\0\3GNU\0\xde\xad\xbe\xef";
	const struct make_elf m = { .class = ELFCLASS32,
				    .order = ELFDATA2MSB,
				    .type = ET_EXEC,
				    .n_sections = 1,
				    .section = { note_section(note, NOTE_N) } };

	(void)state;
	assert_id(&m, "deadbeef");
}

static const Elf64_Sym syms[] = {
	{ 0 },
	{ .st_name = 1, .st_info = STT_FILE, .st_shndx = SHN_ABS },                                       /* a.c */
	{ .st_name = 5, .st_info = STT_FUNC, .st_value = 0x1020, .st_size = 0x10, .st_shndx = 1 },        /* f, local */
	{ .st_name = 7, .st_info = 0x10 | STT_FUNC, .st_value = 0x1000, .st_size = 0x10, .st_shndx = 1 }, /* g */
	{ .st_name = 9, .st_info = 0x10 | STT_OBJECT, .st_value = 0x3000, .st_size = 8, .st_shndx = 2 },  /* d */
	{ .st_name = 11, .st_info = 0x20 | STT_FUNC, .st_value = 0x1040, .st_size = 4, .st_shndx = 1 },   /* w, weak */
	{ .st_name = 13, .st_info = 0x10 | STT_NOTYPE, .st_value = 0x1020, .st_shndx = 1 },               /* alias */
	{ .st_name = 19, .st_info = 0x10 | STT_FUNC, .st_shndx = SHN_UNDEF },                             /* extern */
	{ .st_name = 9999, .st_info = 0x10 | STT_FUNC, .st_value = 0x1060, .st_size = 4, .st_shndx = 1 }, /* no name */
	{ .st_name = 26, .st_info = 0x10 | STT_TLS, .st_value = 0x1001, .st_size = 4, .st_shndx = 2 },    /* tls */
};
static const char names[] = "\0a.c\0f\0g\0d\0w\0alias\0extern\0tls";

static struct make_elf with_symbols(uint32_t type)
{
	return (struct make_elf){
		.type = ET_DYN,
		.n_sections = 4,
		.section = { { .name = ".text",
			       .type = SHT_NOBITS,
			       .flags = SHF_ALLOC | SHF_EXECINSTR,
			       .addr = 0x1000,
			       .n = 0x100 },
			     { .name = ".data",
			       .type = SHT_NOBITS,
			       .flags = SHF_ALLOC | SHF_WRITE,
			       .addr = 0x3000,
			       .n = 0x100 },
			     { .name = ".symtab", .type = type, .data = syms, .n = sizeof(syms), .link = 4 },
			     { .name = ".strtab", .type = SHT_STRTAB, .data = names, .n = sizeof(names) } }
	};
}

static void symbols_are_sorted_by_address_and_name(void **state)
{
	const struct make_elf m = with_symbols(SHT_SYMTAB);
	struct object *o = open_object(folder_elf("f", &m));
	static const char *const want[] = { "g", "alias", "f", "w", "d" };
	const struct object_symbol *s;
	size_t n = object_symbols(o, &s);

	(void)state;
	assert_int_equal(n, 5);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(s[i].name, want[i]);
	assert_string_equal(s[2].file, "a.c");
	assert_string_equal(s[0].file, "");
	assert_true(s[3].is_data && s[4].is_data && !s[0].is_data);
	object_close(o);
}

static void dynamic_symbols_are_used_if_there_are_no_others(void **state)
{
	const struct make_elf m = with_symbols(SHT_DYNSYM);
	struct object *o = open_object(folder_elf("f", &m));
	const struct object_symbol *s;

	(void)state;
	assert_int_equal(object_symbols(o, &s), 5);
	object_close(o);
}

/* Check the name at an address. */
static void assert_at(struct object *o, uint64_t addr, const char *covering)
{
	struct object_symbol s = { .name = "" };

	assert_int_equal(object_symbol_covering(o, addr, &s), *covering != '\0');
	assert_string_equal(s.name, covering);
}

static void an_address_belongs_to_the_symbol_that_covers_it(void **state)
{
	const struct make_elf m = with_symbols(SHT_SYMTAB);
	struct object *o = open_object(folder_elf("f", &m));

	(void)state;
	assert_at(o, 0xfff, "");
	assert_at(o, 0x1000, "g");
	assert_at(o, 0x100f, "g");
	assert_at(o, 0x1010, "");
	assert_at(o, 0x1020, "f"); /* not "alias", which has no size */
	assert_at(o, 0x1035, "");
	assert_at(o, 0x1043, "w");
	assert_at(o, 0x1044, "");
	assert_at(o, 0x3007, "d");
	assert_at(o, 0x3008, ""); /* the address after the last symbol */
	object_close(o);
}

static void no_symbol_is_found_in_an_object_without_symbols(void **state)
{
	const struct make_elf m = { .type = ET_DYN };
	struct object *o = open_object(folder_elf("f", &m));

	(void)state;
	assert_at(o, 0x1000, "");
	object_close(o);
}

static void assert_refused(const char *path, int code, const char *words)
{
	struct object *o = NULL;
	struct err err = { .msg = "" };

	assert_int_equal(object_open(path, &o, &err), code);
	assert_null(o);
	if (!strstr(err.msg, words) || !strstr(err.msg, path))
		fail_msg("\"%s\" lacks \"%s\" or the path", err.msg, words);
}

static void explains_why_a_file_is_not_elf(void **state)
{
	(void)state;
	assert_refused(in_folder("nowhere"), ERR_IO, "no such file or directory");
	assert_refused(folder, ERR_IO, "not a regular file");
	assert_refused(folder_bytes("empty", "", 0), ERR_FORMAT, "EOF");
	assert_refused(folder_bytes("text", "hello", 5), ERR_FORMAT, "unrecognized binary format");
	assert_refused(folder_bytes("macho", "\xcf\xfa\xed\xfe____", 8), ERR_FORMAT, "Mach-O");
	assert_refused(folder_bytes("exe", "MZ______", 8), ERR_FORMAT, "PE");
	assert_refused(folder_bytes("head", "\177ELF", 4), ERR_FORMAT, "error reading ELF file");
	assert_refused(folder_bytes("class", "\177ELF\7\1\1", 8), ERR_FORMAT, "error reading ELF file");
}

static void does_not_wait_for_a_pipe(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(in_folder("pipe"), 0666), 0);
	assert_refused(in_folder("pipe"), ERR_IO, "not a regular file");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_make, folder_remove)
	const struct CMUnitTest tests[] = {
		TEST(a_build_id_is_hexadecimal),
		TEST(a_build_id_in_a_segment_takes_precedence_over_a_section),
		TEST(two_build_ids_in_one_section_count_as_none),
		TEST(ignores_a_truncated_note),
		TEST(reads_sections_if_segments_are_damaged),
		TEST(skips_a_note_with_another_name),
		TEST(reads_a_32_bit_file_of_the_other_byte_order),
		TEST(symbols_are_sorted_by_address_and_name),
		TEST(dynamic_symbols_are_used_if_there_are_no_others),
		TEST(an_address_belongs_to_the_symbol_that_covers_it),
		TEST(no_symbol_is_found_in_an_object_without_symbols),
		TEST(explains_why_a_file_is_not_elf),
		TEST(does_not_wait_for_a_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
