/*
 * test_locate.c - the binaries of mappings
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
#include "symbol/vdso.h"
#include "symbol/where.h"

#define ID NOTE_OF("1", "2", "3", "4") /* spelt 31323334 */
#define ID_TEXT "31323334"

static const char *program_make(const char *name, const char *note)
{
	struct make_elf m = { .type = ET_DYN };

	if (*note)
		m.section[m.n_sections++] = note_section(note, NOTE_N);
	return folder_elf(name, &m);
}

/* A profile with one mapping. */
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

/* What the mapping's file becomes when the folder's D is searched, and what is said, less the folder. */
static void assert_located(const char *file, const char *build_id, const char *want, const char *want_notes)
{
	struct profile *p = profile_of(file, build_id);
	const char *path = in_folder("D/");
	const struct symbol_where w = { .symfs = "", .binary_path = path };
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

static void binaries_are_found_where_pprof_finds_them_and_in_its_order(void **state)
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
	for (size_t i = sizeof(place) / sizeof(place[0]); i-- > 0;) { /* each is preferred to all behind it */
		if (i == 6)
			continue; /* a folder of that name is in the way of another */
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

static void another_build_id_is_said_and_the_search_goes_on(void **state)
{
	(void)state;
	program_make("D/prog", "");
	assert_located("/bin/prog", ID_TEXT, "/bin/prog", "D/prog: build-id mismatch (31323334 != )\n");
	program_make("D/bin/prog", ID);
	assert_located("/bin/prog", ID_TEXT, "D/bin/prog", "D/prog: build-id mismatch (31323334 != )\n");
}

static void a_build_id_that_is_a_path_is_not_followed(void **state)
{
	(void)state;
	program_make("x/prog", ID);
	assert_located("/bin/prog", "../x", "/bin/prog", "");
	assert_located("/bin/prog", "..", "/bin/prog", "");
	assert_located("/bin/prog", "X", "/bin/prog", "");
}

static void a_kernel_keeps_its_symbol_when_its_file_is_found(void **state)
{
	struct profile *p = profile_of("[kernel.kallsyms]_text", ID_TEXT);
	struct symbol_where w = { .symfs = "", .binary_path = folder };
	struct buf notes = { 0 };

	(void)state;
	program_make(ID_TEXT "/vmlinux", ID);
	locate_mappings(p, &w, &notes);
	assert_non_null(strstr(profile_text(p, p->map[0].file), "/vmlinux"));
	assert_string_equal(locate_map(p, &p->map[0]).kernel_symbol, "_text");
	profile_free(p);
}

/* The path of the object that stands for a mapping, with the folder as symfs; or the sentence why there is none. */
static void assert_object(const char *file, const char *build_id, const char *want)
{
	struct profile *p = profile_of(file, build_id);
	const struct symbol_where w = { .symfs = folder, .binary_path = "" };
	struct err err = { .msg = "" };
	struct object *o = NULL;
	int rc = locate_object(p, &p->map[0], &w, NULL, &o, &err);
	const char *got = rc == 0 ? object_path(o) : err.msg;

	assert_string_equal(strncmp(got, folder, strlen(folder)) == 0 ? got + strlen(folder) : got, want);
	object_close(o);
	profile_free(p);
}

static void an_object_is_the_file_below_symfs_or_one_with_the_build_id(void **state)
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

static void an_object_that_is_not_there_is_told_in_words(void **state)
{
	struct buf want = { 0 };

	(void)state;
	program_make("bin/cpa-test-prog", ID);
	assert_object("/bin/cpa-test-prog", "4444",
		      "Local symbolization failed for cpa-test-prog (build ID 4444): build ID mismatch");
	assert_object(
		"/bin/cpa-test-prog (deleted)", "",
		"Local symbolization failed for cpa-test-prog (deleted): the file was deleted, and without a build ID "
		"nobody can say what this one is");
	buf_addf(&want,
		 "Local symbolization failed for cpa-test-none: stat %s/cpa-test-none: no such file or directory",
		 folder);
	assert_object("/cpa-test-none", "", buf_text(&want));
	buf_release(&want);
}

static void the_own_vdso_stands_for_one_with_its_build_id(void **state)
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
		      "Local symbolization failed for [vdso] (build ID 31323334): the vdso of the running kernel is "
		      "another one");
}

static void symbols_of_the_running_kernel_are_read_as_it_shows_them(void **state)
{
	static const char text[] = "ffffffff81000200 T second\nffffffff81000000 T first\nnonsense\n"
				   "0000000000000000 T hidden\nffffffffc0000000 t module_f\t[module]\n12 A absolute";
	struct object *o = kernel_symbols(text, sizeof(text) - 1, ID_TEXT);
	const struct object_map map = { 0xffffffff81000000, 0xffffffff82000000, 0, "_text" };
	struct object_symbol s;
	const struct object_symbol *all;
	uint64_t base = 1;
	struct err err;

	(void)state;
	assert_int_equal(object_symbols(o, &all), 3);
	assert_true(object_symbol_covering(o, 0xffffffff810001ff, &s));
	assert_string_equal(s.name, "first");
	assert_true(object_symbol_at(o, 0xffffffff81000200, &s));
	assert_string_equal(s.name, "second");
	assert_int_equal(object_base(o, &map, 0xffffffff81000010, &base, &err), 0);
	assert_int_equal(base, 0);
	assert_int_equal(object_fd(o), -1);
	assert_string_equal(object_build_id(o), ID_TEXT);
	object_close(o);
}

static void paths_are_joined_as_go_joins_them(void **state)
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
		assert_string_equal(where_join(mem, part[i][0], part[i][1], "", ""), part[i][2]);
		assert_string_equal(where_base(mem, part[i][2]), part[i][3]);
	}
	assert_string_equal(where_dir(mem, "/a/b"), "/a");
	assert_string_equal(where_dir(mem, "/a"), "/");
	assert_string_equal(where_dir(mem, "a"), ".");
	assert_string_equal(where_part(mem, &list), "a");
	assert_string_equal(where_part(mem, &list), "");
	assert_string_equal(where_part(mem, &list), "b");
	assert_null(where_part(mem, &list));
	arena_free(mem);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_make, folder_remove)
	const struct CMUnitTest tests[] = {
		TEST(binaries_are_found_where_pprof_finds_them_and_in_its_order),
		TEST(without_a_build_id_the_name_is_enough),
		TEST(another_build_id_is_said_and_the_search_goes_on),
		TEST(a_build_id_that_is_a_path_is_not_followed),
		TEST(a_kernel_keeps_its_symbol_when_its_file_is_found),
		TEST(an_object_is_the_file_below_symfs_or_one_with_the_build_id),
		TEST(an_object_that_is_not_there_is_told_in_words),
		TEST(the_own_vdso_stands_for_one_with_its_build_id),
		cmocka_unit_test(symbols_of_the_running_kernel_are_read_as_it_shows_them),
		cmocka_unit_test(paths_are_joined_as_go_joins_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
