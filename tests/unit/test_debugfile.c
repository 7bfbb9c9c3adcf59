/*
 * test_debugfile.c - find debug files, and reject wrong ones
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/debugfile.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "make_folder.h"
#include "symbol/object.h"

#define ID NOTE_OF("1", "2", "3", "4") /* 31323334 in hexadecimal */

static const struct make_section dwarf = { .name = ".debug_info", .type = SHT_PROGBITS, .data = "DWARF", .n = 5 };

/* Make a debug file with this build id; "" for none. */
static const char *debug_make(const char *name, const char *note)
{
	struct make_elf m = { .type = ET_DYN, .n_sections = 1, .section = { dwarf } };

	if (*note)
		m.section[m.n_sections++] = note_section(note, NOTE_N);
	return folder_elf(name, &m);
}

/* Make a stripped program with a build id, a link to a debug file, both, or neither. */
static const char *program_make(const char *name, const char *note, const void *link, size_t link_n)
{
	struct make_elf m = { .type = ET_DYN };

	if (*note)
		m.section[m.n_sections++] = note_section(note, NOTE_N);
	if (link_n)
		m.section[m.n_sections++] = (struct make_section){
			.name = ".gnu_debuglink", .type = SHT_PROGBITS, .data = link, .n = link_n, .align = 4
		};
	return folder_elf(name, &m);
}

/* Check the debug file found below the folder; "" for none. The list of paths that were searched must end with tried. */
static void assert_debug(const char *program, const char *debug, const char *tried)
{
	const struct symbol_options w = {
		.debug_dir = "", .kallsyms = "", .symfs = folder, .binary_path = "", .cache = ""
	};
	struct buf places = { 0 };
	const char *path = NULL;
	struct object *o;
	struct err err;
	int fd;

	assert_int_equal(object_open(program, &o, &err), 0);
	fd = object_debug(o, &w, &places, &path);
	assert_string_equal(path, debug);
	assert_int_equal(fd >= 0, *debug != '\0');
	if (!strstr(buf_text(&places), tried))
		fail_msg("\"%s\" does not contain \"%s\"", buf_text(&places), tried);
	buf_release(&places);
	object_close(o);
}

static void uses_the_dwarf_in_the_program_itself(void **state)
{
	const char *path = debug_make("program", ID);

	(void)state;
	debug_make("usr/lib/debug/.build-id/31/323334.debug", ID);
	assert_debug(path, path, "");
}

static void finds_a_debug_file_by_build_id(void **state)
{
	const char *program = program_make("bin/program", ID, NULL, 0);

	(void)state;
	assert_debug(program, debug_make("usr/lib/debug/.build-id/31/323334.debug", ID), ": used\n");
}

static void rejects_a_debug_file_with_another_build_id(void **state)
{
	const char *program = program_make("bin/program", ID, NULL, 0);

	(void)state;
	debug_make("usr/lib/debug/.build-id/31/323334.debug", NOTE_OF("4", "3", "2", "1"));
	assert_debug(program, "", "323334.debug: build ID does not match\n");
}

static void rejects_a_debug_file_without_dwarf(void **state)
{
	const char *program = program_make("bin/program", ID, NULL, 0);

	(void)state;
	program_make("usr/lib/debug/.build-id/31/323334.debug", ID, NULL, 0);
	assert_debug(program, "", "323334.debug: contains no DWARF\n");
}

static uint32_t file_crc(const char *path)
{
	static uint8_t bytes[1 << 16];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, bytes, sizeof(bytes));

	close(fd);
	return debugfile_crc(bytes, (size_t)n);
}

/* A link to p.dbg: the name, padding, the checksum in the byte order of the file. */
static size_t link_make(uint32_t crc, char out[12])
{
	memcpy(out, "p.dbg\0\0\0", 8);
	for (int i = 0; i < 4; i++)
		out[8 + i] = (char)(crc >> 8 * i);
	return 12;
}

static void follows_a_link_to_all_usual_folders(void **state)
{
	static const char *const place[] = { "bin/p.dbg", "bin/.debug/p.dbg", "usr/lib/debug/bin/p.dbg" };
	char link[12], path[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s", debug_make(place[i], ""));
		assert_debug(program_make("bin/program", "", link, link_make(file_crc(path), link)), path, ": used\n");
		remove(path);
	}
}

static void rejects_a_linked_file_with_another_checksum(void **state)
{
	char link[12];
	uint32_t crc = file_crc(debug_make("bin/p.dbg", ""));

	(void)state;
	assert_debug(program_make("bin/program", "", link, link_make(crc + 1, link)), "",
		     "checksum differs from .gnu_debuglink\n");
}

static void a_linked_file_with_the_build_id_needs_no_checksum(void **state)
{
	char link[12];
	const char *debug = debug_make("bin/p.dbg", ID);

	(void)state;
	assert_debug(program_make("bin/program", ID, link, link_make(0, link)), debug, ": used\n");
}

static void ignores_a_truncated_link(void **state)
{
	(void)state;
	debug_make("bin/p.dbg", ID);
	assert_debug(program_make("bin/program", "", "p.dbg\0\0\0\1\2\3", 11), "", "");
	assert_debug(program_make("bin/program", "", "p.dbg", 5), "", "");
	assert_debug(program_make("bin/program", "", "../p.dbg\0\0\0\0\0\0\0", 16), "", "");
}

static void finds_a_supplementary_file_by_path_or_build_id(void **state)
{
	static const char *const place[] = { "bin/common.dwz", "usr/lib/debug/.build-id/31/323334.debug" };
	const struct make_elf m = { .type = ET_DYN,
				    .n_sections = 2,
				    .section = { dwarf,
						 { .name = ".gnu_debugaltlink",
						   .type = SHT_PROGBITS,
						   .data = "common.dwz\0"
							   "1234",
						   .n = 15 } } };
	const struct symbol_options w = {
		.debug_dir = "", .kallsyms = "", .symfs = folder, .binary_path = "", .cache = ""
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const char *program = folder_elf("bin/program", &m), *alt = debug_make(place[i], ID);
		struct object *o;
		struct err err;

		assert_int_equal(object_open(program, &o, &err), 0);
		assert_true(object_debug_alt(o, &w, NULL) >= 0);
		object_close(o);
		debug_make(place[i], NOTE_OF("4", "3", "2", "1"));
		assert_int_equal(object_open(program, &o, &err), 0);
		assert_int_equal(object_debug_alt(o, &w, NULL), -1);
		object_close(o);
		remove(alt);
	}
}

static void the_checksum_is_the_crc32_of_zlib(void **state)
{
	(void)state;
	assert_int_equal(debugfile_crc((const uint8_t *)"123456789", 9), 0xcbf43926);
	assert_int_equal(debugfile_crc((const uint8_t *)"", 0), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_make, folder_remove)
	const struct CMUnitTest tests[] = {
		TEST(uses_the_dwarf_in_the_program_itself),
		TEST(finds_a_debug_file_by_build_id),
		TEST(rejects_a_debug_file_with_another_build_id),
		TEST(rejects_a_debug_file_without_dwarf),
		TEST(follows_a_link_to_all_usual_folders),
		TEST(rejects_a_linked_file_with_another_checksum),
		TEST(a_linked_file_with_the_build_id_needs_no_checksum),
		TEST(ignores_a_truncated_link),
		TEST(finds_a_supplementary_file_by_path_or_build_id),
		cmocka_unit_test(the_checksum_is_the_crc32_of_zlib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
