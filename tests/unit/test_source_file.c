/*
 * test_source_file.c - source files: found, read, cut into lines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/source_file.h"

#include "base/buf.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/texts.h"
#include "tests/unit/make_profile.h"

/* A folder of our own, in which every test is; symbol_where looks nowhere else. */
static char top[] = "/tmp/cpa-test-source-XXXXXX";
static struct source_files *files;

static const char *at(const char *path)
{
	static char text[4][512];
	static unsigned turn;
	char *out = text[turn++ % 4];

	snprintf(out, sizeof(text[0]), "%s/%s", top, path);
	return out;
}

/* Write a file and the folders it is in. */
static void put(const char *path, const char *text, size_t n)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s", at(path));
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(full, 0777);
		*slash = '/';
	}
	f = fopen(full, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
}

static void putz(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static const struct source_file *ask(const struct symbol_where *w, const char *file)
{
	static struct profile none;

	source_files_free(files);
	files = source_files_new(&none, w);
	return source_files_get(files, file);
}

static struct symbol_where nowhere(void)
{
	return (struct symbol_where){ .symfs = "", .source_path = "", .trim_path = "", .cache = "" };
}

/* To search one folder; path is good until the next one. */
static struct symbol_where in_folder(const char *path)
{
	static char copy[512];
	struct symbol_where w = nowhere();

	snprintf(copy, sizeof(copy), "%s", path);
	w.source_path = copy;
	return w;
}

static void assert_holds(const struct source_file *f, const char *line)
{
	assert_string_equal(f->why, "");
	assert_int_equal(f->n, 1);
	assert_string_equal(f->line[0], line);
}

static void lines_end_in_lf_or_crlf(void **state)
{
	struct symbol_where w = nowhere();
	const struct source_file *f;

	(void)state;
	putz("lines.c", "one\r\n\ttwo\n\nfour\r");
	f = ask(&w, at("lines.c"));
	assert_int_equal(f->n, 4);
	assert_string_equal(f->line[0], "one");
	assert_string_equal(f->line[1], "\ttwo");
	assert_string_equal(f->line[2], "");
	assert_string_equal(f->line[3], "four");
	assert_string_equal(f->path, at("lines.c"));
	putz("empty.c", "");
	assert_int_equal(ask(&w, at("empty.c"))->n, 0);
	assert_string_equal(ask(&w, at("empty.c"))->why, "");
}

static void a_long_line_is_cut_and_does_not_end_the_file(void **state)
{
	enum { LONG = 70000 };
	struct symbol_where w = nowhere();
	const struct source_file *f;
	struct buf text = { 0 };

	(void)state;
	buf_fill(&text, 'x', LONG);
	buf_addz(&text, "\nnext\n");
	put("long.c", text.data, text.len);
	buf_release(&text);
	f = ask(&w, at("long.c"));
	assert_int_equal(f->n, 2);
	assert_int_equal(strlen(f->line[0]), 65536 + 4);
	assert_string_equal(f->line[0] + 65536, " ...");
	assert_string_equal(f->line[1], "next");
}

static void a_nul_in_a_line_is_spelt_out(void **state)
{
	struct symbol_where w = nowhere();

	(void)state;
	put("nul.c", "a\0b\n", 4);
	assert_holds(ask(&w, at("nul.c")), "a\\x00b");
}

static void a_relative_name_is_looked_for_in_the_folders_and_upward(void **state)
{
	struct symbol_where w = nowhere();
	char path[600];

	(void)state;
	putz("up/x.c", "up");
	putz("up/a/b/y.c", "down");
	snprintf(path, sizeof(path), "/none:%s", at("up/a/b"));
	w.source_path = path;
	assert_holds(ask(&w, "x.c"), "up");
	assert_holds(ask(&w, "y.c"), "down");
	assert_string_equal(source_files_get(files, "y.c")->path, at("up/a/b/y.c"));
}

static void prefixes_are_trimmed_before_a_file_is_looked_for(void **state)
{
	struct symbol_where w = in_folder(at("trim/shop"));

	(void)state;
	putz("trim/shop/a/x.c", "x");
	assert_holds(ask(&w, "/ci/build/shop/a/x.c"), "x");
	w.trim_path = "/other/place";
	assert_holds(ask(&w, "/other/place/a/x.c"), "x");
}

static void a_relative_name_that_is_not_there_has_the_sentence_of_pprof(void **state)
{
	struct symbol_where w = in_folder("/none/here:/nor/here");
	const struct source_file *f = ask(&w, "a/x.c");

	(void)state;
	assert_int_equal(f->n, 0);
	assert_string_equal(f->why, "could not find file a/x.c on path /none/here:/nor/here");
	assert_string_equal(f->tried, "/none/here/a/x.c\n/nor/here/a/x.c\n/none/a/x.c\n");
}

static void an_absolute_name_that_is_not_there_has_the_words_of_the_system(void **state)
{
	struct symbol_where w = nowhere();

	(void)state;
	assert_string_equal(ask(&w, "/none/x.c")->why, "open /none/x.c: no such file or directory");
}

static void what_is_no_regular_file_is_not_opened(void **state)
{
	struct symbol_where w = in_folder("/none");

	(void)state;
	assert_int_equal(mkfifo(at("pipe.c"), 0666), 0);
	assert_int_equal(ask(&w, at("pipe.c"))->n, 0);
	assert_non_null(strstr(source_files_get(files, at("pipe.c"))->why, "is not a regular file"));
	assert_non_null(strstr(ask(&w, "/dev/zero")->why, "open /dev/zero: is not a regular file"));
	assert_non_null(strstr(ask(&w, "/tmp")->why, "open /tmp: is not a regular file"));
}

static void a_name_that_no_file_can_have_is_not_looked_for(void **state)
{
	enum { LONG = 1 << 20 };
	struct symbol_where w = in_folder("/none");
	struct buf name = { 0 };

	(void)state;
	for (int i = 0; i < LONG / 2; i++)
		buf_addz(&name, "/a");
	assert_non_null(strstr(ask(&w, name.data)->why, ": file name too long"));
	assert_string_equal(source_files_get(files, name.data)->tried, "");
	buf_release(&name);
}

static void a_file_is_read_once(void **state)
{
	struct symbol_where w = nowhere();
	const struct source_file *f;

	(void)state;
	putz("once.c", "1");
	f = ask(&w, at("once.c"));
	putz("once.c", "2");
	assert_ptr_equal(source_files_get(files, at("once.c")), f);
	assert_holds(f, "1");
}

static void files_below_symfs_cannot_be_outside_of_it(void **state)
{
	struct symbol_where w = nowhere();
	char symfs[600];

	(void)state;
	putz("outside.c", "outside");
	putz("root/src/in.c", "in");
	putz("root/etc/x.c", "etc");
	assert_int_equal(symlink(at("outside.c"), at("root/src/link.c")), 0);
	assert_int_equal(symlink("/etc/x.c", at("root/src/etc.c")), 0);
	snprintf(symfs, sizeof(symfs), "%s", at("root"));
	w.symfs = symfs;
	assert_holds(ask(&w, "/src/in.c"), "in");
	assert_holds(ask(&w, "/src/etc.c"), "etc");
	assert_int_equal(ask(&w, "/src/link.c")->n, 0);
	assert_int_equal(ask(&w, "/../outside.c")->n, 0);
	assert_int_equal(ask(&w, "/src/../../outside.c")->n, 0);
}

static void go_files_are_found_in_goroot(void **state)
{
	struct symbol_where w = in_folder("/none");

	(void)state;
	setenv("GOROOT", at("go"), 1);
	putz("go/src/cpatest/print.go", "print");
	assert_holds(ask(&w, "cpatest/print.go"), "print");
	assert_holds(ask(&w, "/opt/go1.22.3/src/cpatest/print.go"), "print");
	assert_holds(ask(&w, "C:/Program Files/Go/src/cpatest/print.go"), "print");
	assert_int_equal(ask(&w, "/home/me/app/src/cpatest/print.go")->n, 0);
	unsetenv("GOROOT");
}

static void go_modules_are_found_in_the_module_cache(void **state)
{
	struct symbol_where w = in_folder("/none");

	(void)state;
	setenv("GOMODCACHE", at("mod"), 1);
	putz("mod/github.com/!foo/bar@v1.2.3/Pkg/x.go", "x");
	assert_holds(ask(&w, "github.com/Foo/bar@v1.2.3/Pkg/x.go"), "x");
	assert_holds(ask(&w, "/root/go/pkg/mod/github.com/!foo/bar@v1.2.3/Pkg/x.go"), "x");
	unsetenv("GOMODCACHE");
	setenv("GOPATH", at("gopath"), 1);
	putz("gopath/pkg/mod/example.com/y@v0.1.0/y.go", "y");
	assert_holds(ask(&w, "example.com/y@v0.1.0/y.go"), "y");
	unsetenv("GOPATH");
}

static void go_files_are_found_by_the_module_we_are_in_and_its_vendor_folder(void **state)
{
	struct symbol_where w = in_folder(at("work/sub"));

	(void)state;
	putz("work/go.mod", "// a module\nmodule example.com/shop // ours\n\ngo 1.22\n");
	putz("work/sub/x.go", "x");
	putz("work/main.go", "main");
	putz("work/vendor/github.com/Foo/bar/y.go", "y");
	assert_holds(ask(&w, "example.com/shop/main.go"), "main");
	assert_holds(ask(&w, "example.com/shop/sub/x.go"), "x");
	assert_holds(ask(&w, "github.com/Foo/bar@v1.2.3/y.go"), "y");
	assert_holds(ask(&w, "/ci/go/pkg/mod/github.com/!foo/bar@v1.2.3/y.go"), "y");
}

static void rust_files_are_found_in_the_toolchain_of_their_commit(void **state)
{
	struct symbol_where w = in_folder("/none");

	(void)state;
	setenv("RUSTUP_HOME", at("rustup"), 1);
	setenv("CARGO_HOME", at("cargo"), 1);
	putz("rustup/toolchains/a/lib/rustlib/src/rust/library/std/src/x.rs", "of a");
	putz("rustup/toolchains/a/lib/rustlib/multirust-channel-manifest.toml", "git_commit_hash = \"abc1\"\n");
	putz("rustup/toolchains/b/lib/rustlib/src/rust/library/std/src/x.rs", "of b");
	putz("rustup/toolchains/b/lib/rustlib/multirust-channel-manifest.toml", "git_commit_hash = \"abc2\"\n");
	putz("cargo/registry/src/index-1/crate-1.0.0/src/lib.rs", "crate");
	assert_holds(ask(&w, "/rustc/abc1/library/std/src/x.rs"), "of a");
	assert_holds(source_files_get(files, "/rustc/abc2/library/std/src/x.rs"), "of b");
	assert_holds(ask(&w, "/rustc/abc3/library/std/src/x.rs"), "of b");
	assert_holds(ask(&w, "/home/ci/.cargo/registry/src/index-9/crate-1.0.0/src/lib.rs"), "crate");
	unsetenv("RUSTUP_HOME");
	unsetenv("CARGO_HOME");
}

static void the_longest_end_of_a_path_below_a_folder_is_taken(void **state)
{
	struct symbol_where w = in_folder(at("ends"));

	(void)state;
	putz("ends/p/one/src/x.c", "one");
	putz("ends/q/two/src/x.c", "two");
	putz("ends/p/lib/only.c", "only");
	putz("ends/base.c", "base");
	putz("ends/.git/hidden.c", "hidden");
	assert_holds(ask(&w, "/ci/build/two/src/x.c"), "two");
	assert_holds(ask(&w, "/ci/build/one/src/x.c"), "one");
	assert_holds(ask(&w, "/ci/build/q/two/src/x.c"), "two");
	assert_holds(ask(&w, "only.c"), "only");
	assert_int_equal(ask(&w, "/ci/only.c")->n, 0);
	assert_int_equal(ask(&w, "x.c")->n, 0);
	assert_int_equal(ask(&w, "/ci/base.c")->n, 0);
	assert_int_equal(ask(&w, "/ci/three/src/x.c")->n, 0);
	assert_int_equal(ask(&w, "hidden.c")->n, 0);
	assert_int_equal(ask(&w, "nly.c")->n, 0);
}

static void lines_that_the_profile_carries_come_first(void **state)
{
	struct make m = make_start("cpu/milliseconds");
	struct symbol_where w = in_folder(at("carried"));
	struct profile_texts texts = { 0 };
	const struct source_file *f;
	struct profile *p;

	(void)state;
	putz("carried/x.c", "of the disk");
	putz("carried/y.c", "of the disk");
	ROW(&m, "f@/ci//shop/x.c:2;g@y.c:1", 1);
	p = make_end(&m);
	profile_texts_add(&texts, "/ci//shop/x.c", 13, 2, "two\0!", 5);
	profile_texts_add(&texts, "/ci//shop/x.c", 13, 4, "four", 4);
	profile_texts_add(&texts, "/ci//shop/x.c", 13, INT64_MAX, "far", 3);
	profile_texts_put(&texts, p);
	profile_texts_release(&texts);
	w.trim_path = "/ci";
	source_files_free(files);
	files = source_files_new(p, &w);
	f = source_files_get(files, "/ci/shop/x.c");
	assert_string_equal(f->why, "");
	assert_string_equal(f->path, "/ci//shop/x.c");
	assert_int_equal(f->n, 4);
	assert_string_equal(f->line[0], "");
	assert_string_equal(f->line[1], "two\\x00!");
	assert_string_equal(f->line[3], "four");
	assert_int_equal(source_files_get(files, "/shop/x.c")->n, 4);
	assert_holds(source_files_get(files, "y.c"), "of the disk");
	source_files_free(files);
	files = NULL;
	profile_free(p);
}

static int start(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return -1;
	setenv("HOME", top, 1);
	unsetenv("GOROOT");
	unsetenv("GOPATH");
	unsetenv("GOMODCACHE");
	return chdir(top);
}

static int end(void **state)
{
	struct buf command = { 0 };
	int rc;

	(void)state;
	source_files_free(files);
	buf_addf(&command, "rm -rf '%s'", top);
	rc = system(command.data);
	buf_release(&command);
	return rc;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_in_lf_or_crlf),
		cmocka_unit_test(a_long_line_is_cut_and_does_not_end_the_file),
		cmocka_unit_test(a_nul_in_a_line_is_spelt_out),
		cmocka_unit_test(a_relative_name_is_looked_for_in_the_folders_and_upward),
		cmocka_unit_test(prefixes_are_trimmed_before_a_file_is_looked_for),
		cmocka_unit_test(a_relative_name_that_is_not_there_has_the_sentence_of_pprof),
		cmocka_unit_test(an_absolute_name_that_is_not_there_has_the_words_of_the_system),
		cmocka_unit_test(what_is_no_regular_file_is_not_opened),
		cmocka_unit_test(a_name_that_no_file_can_have_is_not_looked_for),
		cmocka_unit_test(a_file_is_read_once),
		cmocka_unit_test(files_below_symfs_cannot_be_outside_of_it),
		cmocka_unit_test(go_files_are_found_in_goroot),
		cmocka_unit_test(go_modules_are_found_in_the_module_cache),
		cmocka_unit_test(go_files_are_found_by_the_module_we_are_in_and_its_vendor_folder),
		cmocka_unit_test(rust_files_are_found_in_the_toolchain_of_their_commit),
		cmocka_unit_test(the_longest_end_of_a_path_below_a_folder_is_taken),
		cmocka_unit_test(lines_that_the_profile_carries_come_first),
	};

	return cmocka_run_group_tests(tests, start, end);
}
