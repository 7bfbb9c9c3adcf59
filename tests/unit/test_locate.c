/*
 * test_locate.c - find the binaries of mappings
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/locate.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <sys/auxv.h>

#include <cmocka.h>

#include "make_folder.h"
#include "make_profile.h"
#include "symbol/kernel.h"
#include "symbol/options.h"

#define ID NOTE_OF("1", "2", "3", "4") /* 31323334 in hexadecimal */
#define ID_TEXT "31323334"

static const char *program_make(const char *name, const char *note)
{
	struct make_elf m = { .type = ET_DYN };

	if (*note)
		m.section[m.n_sections++] = note_section(note, NOTE_N);
	return folder_elf(name, &m);
}

/* Make a profile with one mapping. */
static struct profile *profile_of(const char *file, const char *build_id)
{
	struct make m = make_start("samples/count");
	struct mapping map = { .id = 1, .limit = 0x1000 };
	uint32_t place;

	map.file = make_text(&m, file, strlen(file));
	map.build_id = make_text(&m, build_id, strlen(build_id));
	builder_mapping(m.b, &map, &place, NULL);
	return make_end(&m);
}

/* Search for the binary of a mapping in the folder D, and check its path and the notes. Paths are relative to the folder
 * of the test. */
static void assert_located(const char *file, const char *build_id, const char *want, const char *want_notes)
{
	struct profile *p = profile_of(file, build_id);
	const char *path = in_folder("D/");
	const struct symbol_options w = { .debug_dir = "", .kallsyms = "", .symfs = "", .binary_path = path };
	const char *got, *said;
	struct buf notes = { 0 };

	locate_mappings(p, &w, &notes);
	got = profile_text(p, p->map[0].file);
	assert_string_equal(strncmp(got, folder, strlen(folder)) == 0 ? got + strlen(folder) + 1 : got, want);
	said = strstr(buf_text(&notes), folder);
	assert_string_equal(said ? said + strlen(folder) + 1 : buf_text(&notes), want_notes);
	buf_release(&notes);
	profile_free(p);
}

static void finds_binaries_in_the_places_and_order_of_pprof(void **state)
{
	static const char *const place[] = {
		"D/" ID_TEXT "/prog",
		"D/" ID_TEXT "/.any",
		"D/" ID_TEXT "/other",
		("D/bin/prog/" ID_TEXT),
		"D/31/323334.debug",
		"D/prog",
		"D/bin/prog",
		"D/bin/prog.debug",
		"D/bin/.debug/prog.debug",
		"D/usr/lib/debug/bin/prog.debug",
	};

	(void)state;
	for (size_t i = sizeof(place) / sizeof(place[0]); i-- > 0;) { /* each of these is preferred to those after it */
		if (i == 6)
			continue; /* a folder of that name conflicts with another file */
		program_make(place[i], ID);
		assert_located("/bin/prog", ID_TEXT, place[i], "");
	}
}

static void without_a_build_id_the_name_is_enough(void **state)
{
	(void)state;
	program_make("D/bin/prog", ID);
	assert_located("/bin/prog", "", "D/bin/prog", "");
	assert_located("/bin/another", "", "/bin/another", "");
	assert_located("", "", "", "");
}

static void notes_another_build_id_and_continues_the_search(void **state)
{
	(void)state;
	program_make("D/prog", "");
	assert_located("/bin/prog", ID_TEXT, "/bin/prog", "D/prog: build-id mismatch (31323334 != )\n");
	program_make("D/bin/prog", ID);
	assert_located("/bin/prog", ID_TEXT, "D/bin/prog", "D/prog: build-id mismatch (31323334 != )\n");
}

static void does_not_follow_a_build_id_that_is_a_path(void **state)
{
	(void)state;
	program_make("x/prog", ID);
	assert_located("/bin/prog", "../x", "/bin/prog", "");
	assert_located("/bin/prog", "..", "/bin/prog", "");
	assert_located("/bin/prog", "X", "/bin/prog", "");
}

static void a_kernel_mapping_keeps_its_symbol_when_its_file_is_found(void **state)
{
	struct profile *p = profile_of("[kernel.kallsyms]_text", ID_TEXT);
	struct symbol_options w = { .debug_dir = "", .kallsyms = "", .symfs = "", .binary_path = folder };
	struct buf notes = { 0 };

	(void)state;
	program_make(ID_TEXT "/vmlinux", ID);
	locate_mappings(p, &w, &notes);
	assert_non_null(strstr(profile_text(p, p->map[0].file), "/vmlinux"));
	assert_string_equal(locate_map(p, &p->map[0]).kernel_symbol, "_text");
	profile_free(p);
}

/* Check the path of the object of a mapping, with the folder as symfs, or the error message. */
static void assert_object(const char *file, const char *build_id, const char *want)
{
	struct profile *p = profile_of(file, build_id);
	const struct symbol_options w = { .debug_dir = "", .kallsyms = "", .symfs = folder, .binary_path = "" };
	struct err err = { .msg = "" };
	struct object *o = NULL;
	int rc = locate_object(p, &p->map[0], &w, NULL, &o, &err);
	const char *got = rc == 0 ? object_path(o) : err.msg;

	assert_string_equal(strncmp(got, folder, strlen(folder)) == 0 ? got + strlen(folder) : got, want);
	object_close(o);
	profile_free(p);
}

static void finds_an_object_below_symfs_or_by_build_id(void **state)
{
	const char *program = program_make("bin/cpa-test-prog", ID);

	(void)state;
	assert_object("/bin/cpa-test-prog", "", "/bin/cpa-test-prog");
	assert_object("/bin/cpa-test-prog", ID_TEXT, "/bin/cpa-test-prog");
	assert_object("/proc/17/root/bin/cpa-test-prog", ID_TEXT, "/bin/cpa-test-prog");
	assert_object("/bin/cpa-test-prog (deleted)", ID_TEXT, "/bin/cpa-test-prog");
	assert_object(program, ID_TEXT, "/bin/cpa-test-prog");
	program_make("usr/lib/debug/.build-id/31/323334", ID);
	assert_object("/bin/cpa-test-gone", ID_TEXT, "/usr/lib/debug/.build-id/31/323334");
}

static void explains_why_an_object_is_not_found(void **state)
{
	struct buf want = { 0 };

	(void)state;
	program_make("bin/cpa-test-prog", ID);
	assert_object("/bin/cpa-test-prog", "4444",
		      "Local symbolization failed for cpa-test-prog (build ID 4444): build ID mismatch");
	assert_object(
		"/bin/cpa-test-prog (deleted)", "",
		"Local symbolization failed for cpa-test-prog (deleted): the original file was deleted, and without a "
		"build ID this one cannot be verified");
	buf_addf(&want,
		 "Local symbolization failed for cpa-test-none: stat %s/cpa-test-none: no such file or directory",
		 folder);
	assert_object("/cpa-test-none", "", buf_text(&want));
	buf_release(&want);
}

static void uses_its_own_vdso_if_the_build_id_matches(void **state)
{
	const char *own = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct object *o;
	char id[200];
	struct err err;

	(void)state;
	if (!own)
		skip();
	assert_int_equal(object_open(folder_bytes("vdso", own, 4096), &o, &err), 0);
	snprintf(id, sizeof(id), "%s", object_build_id(o));
	object_close(o);
	assert_string_not_equal(id, "");
	assert_object("[vdso]", id, "[vdso]");
	assert_object("[vdso]", ID_TEXT,
		      "Local symbolization failed for [vdso] (build ID 31323334): the running kernel has a different "
		      "vDSO");
}

static const char kernel_text[] = "ffffffff81000200 T second\nffffffff81000000 T _stext\nnonsense\n"
				  "0000000000000000 T hidden\nffffffffc0000000 t module_f\t[module]\n12 A absolute";

static void reads_symbols_of_the_running_kernel(void **state)
{
	struct object *o = kernel_symbols(kernel_text, sizeof(kernel_text) - 1, ID_TEXT, "[kernel.kallsyms]");
	const struct object_map map = { 0xffffffff81000000, 0xffffffff82000000, 0, "_text" };
	struct object_symbol s;
	const struct object_symbol *all;
	uint64_t base = 1;
	struct err err;

	(void)state;
	assert_int_equal(object_symbols(o, &all), 3);
	assert_true(object_symbol_covering(o, 0xffffffff810001ff, &s));
	assert_string_equal(s.name, "_stext");
	assert_true(object_symbol_covering(o, 0xffffffff81000200, &s));
	assert_string_equal(s.name, "second");
	assert_int_equal(object_base(o, &map, 0xffffffff81000010, &base, &err), 0);
	assert_int_equal(base, 0);
	assert_int_equal(object_fd(o), -1);
	assert_string_equal(object_build_id(o), ID_TEXT);
	object_close(o);
}

/* Addresses of an earlier boot are those of now, shifted by the distance between the starts of the kernel. */
static void a_kernel_may_have_been_loaded_elsewhere(void **state)
{
	static const struct {
		const char *file;
		uint64_t start, base;
		int rc;
	} expected[] = {
		{ "[kernel.kallsyms]_stext", 0xffffffff81000000, 0, 0 },
		{ "[kernel.kallsyms]_stext", 0xffffffff92200000, 0x11200000, 0 },
		{ "[kernel.kallsyms]", 0xffffffff80400000, (uint64_t)-0xc00000, 0 },
		{ "[kernel.kallsyms]_stext", 0xffffffff81000120, 0, 0 },
		{ "[kernel.kallsyms]_stext", 0xffffffff92200120, 0, ERR_RANGE },
		{ "[kernel.kallsyms]", 0, 0, 0 },
		{ "[kernel.kallsyms]missing", 0xffffffff92200000, 0, 0 },
		{ "[module]", 0xffffffffc0020000, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct object *o = kernel_symbols(kernel_text, sizeof(kernel_text) - 1, ID_TEXT, expected[i].file);
		const struct object_map map = { expected[i].start, UINT64_MAX, 0, "" };
		uint64_t base = 1;
		struct err err;

		assert_int_equal(object_base(o, &map, UINT64_MAX - 1, &base, &err), expected[i].rc);
		assert_int_equal(base, expected[i].base);
		object_close(o);
	}
}

static void joins_paths_like_go(void **state)
{
	static const char *const part[][4] = { { "a", "b", "a/b", "b" },       { "/a/", "/b//c/", "/a/b/c", "c" },
					       { "", "b", "b", "b" },          { "a", "../../c", "../c", "c" },
					       { "/a", "../../c", "/c", "c" }, { "", "", "", "." },
					       { "a", "..", ".", "." },        { "/", "", "/", "/" },
					       { "./a", "./b/.", "a/b", "b" }, { "..", "../x", "../../x", "x" },
					       { "/", "..", "/", "/" },        { "a/b", "../..", ".", "." } };
	struct arena *mem = arena_new();
	const char *list = "a::b";

	(void)state;
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		assert_string_equal(symbol_path_join(mem, part[i][0], part[i][1], "", ""), part[i][2]);
		assert_string_equal(symbol_path_last_name(mem, part[i][2]), part[i][3]);
	}
	assert_string_equal(symbol_path_dir(mem, "/a/b"), "/a");
	assert_string_equal(symbol_path_dir(mem, "/a"), "/");
	assert_string_equal(symbol_path_dir(mem, "a"), ".");
	assert_string_equal(symbol_path_list_next(mem, &list), "a");
	assert_string_equal(symbol_path_list_next(mem, &list), "");
	assert_string_equal(symbol_path_list_next(mem, &list), "b");
	assert_null(symbol_path_list_next(mem, &list));
	arena_free(mem);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_make, folder_remove)
	const struct CMUnitTest tests[] = {
		TEST(finds_binaries_in_the_places_and_order_of_pprof),
		TEST(without_a_build_id_the_name_is_enough),
		TEST(notes_another_build_id_and_continues_the_search),
		TEST(does_not_follow_a_build_id_that_is_a_path),
		TEST(a_kernel_mapping_keeps_its_symbol_when_its_file_is_found),
		TEST(finds_an_object_below_symfs_or_by_build_id),
		TEST(explains_why_an_object_is_not_found),
		TEST(uses_its_own_vdso_if_the_build_id_matches),
		cmocka_unit_test(reads_symbols_of_the_running_kernel),
		cmocka_unit_test(a_kernel_may_have_been_loaded_elsewhere),
		cmocka_unit_test(joins_paths_like_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
