/*
 * test_source_file.c - find and read source files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/source/source_file.h"

#include "base/buf.h"
#include "base/mem.h"
#include "symbol/source/source_path.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/source.h"
#include "tests/unit/make_profile.h"

/* The folder of all files of this test; symbol_where searches only there. */
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

/* Write a file, and make its folders. */
static void write_bytes(const char *path, const char *text, size_t n)
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

static void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

static const struct source_file *find_source(const struct symbol_options *w, const char *file)
{
	static struct profile none;

	source_files_free(files);
	files = source_files_new(&none, w);
	return source_files_get(files, file);
}

static struct symbol_options no_folders(void)
{
	return (struct symbol_options){ .symfs = "", .source_path = "", .trim_path = "", .cache = "" };
}

/* Options to search one folder; path is valid until the next call. */
static struct symbol_options in_folder(const char *path)
{
	static char copy[512];
	struct symbol_options w = no_folders();

	snprintf(copy, sizeof(copy), "%s", path);
	w.source_path = copy;
	return w;
}

static void assert_holds(const struct source_file *f, const char *line)
{
	assert_string_equal(f->error, "");
	assert_int_equal(f->n, 1);
	assert_string_equal(f->line[0], line);
}

static void lines_end_in_lf_or_crlf(void **state)
{
	struct symbol_options w = no_folders();
	const struct source_file *f;

	(void)state;
	write_text("lines.c", "one\r\n\ttwo\n\nfour\r");
	f = find_source(&w, at("lines.c"));
	assert_int_equal(f->n, 4);
	assert_string_equal(f->line[0], "one");
	assert_string_equal(f->line[1], "\ttwo");
	assert_string_equal(f->line[2], "");
	assert_string_equal(f->line[3], "four");
	assert_string_equal(f->path, at("lines.c"));
	write_text("empty.c", "");
	assert_int_equal(find_source(&w, at("empty.c"))->n, 0);
	assert_string_equal(find_source(&w, at("empty.c"))->error, "");
}

static void a_long_line_is_cut_off_and_reading_continues(void **state)
{
	enum { LONG = 70000 };
	struct symbol_options w = no_folders();
	const struct source_file *f;
	struct buf text = { 0 };

	(void)state;
	buf_fill(&text, 'x', LONG);
	buf_addz(&text, "\nnext\n");
	write_bytes("long.c", text.data, text.len);
	buf_release(&text);
	f = find_source(&w, at("long.c"));
	assert_int_equal(f->n, 2);
	assert_int_equal(strlen(f->line[0]), 65536 + 4);
	assert_string_equal(f->line[0] + 65536, " ...");
	assert_string_equal(f->line[1], "next");
}

static void a_nul_in_a_line_is_escaped(void **state)
{
	struct symbol_options w = no_folders();

	(void)state;
	write_bytes("nul.c", "a\0b\n", 4);
	assert_holds(find_source(&w, at("nul.c")), "a\\x00b");
}

static void searches_a_relative_name_in_the_folders_and_their_parents(void **state)
{
	struct symbol_options w = no_folders();
	char path[600];

	(void)state;
	write_text("up/x.c", "up");
	write_text("up/a/b/y.c", "down");
	snprintf(path, sizeof(path), "/none:%s", at("up/a/b"));
	w.source_path = path;
	assert_holds(find_source(&w, "x.c"), "up");
	assert_holds(find_source(&w, "y.c"), "down");
	assert_string_equal(source_files_get(files, "y.c")->path, at("up/a/b/y.c"));
}

static void trims_prefixes_before_searching(void **state)
{
	struct symbol_options w = in_folder(at("trim/shop"));

	(void)state;
	write_text("trim/shop/a/x.c", "x");
	assert_holds(find_source(&w, "/ci/build/shop/a/x.c"), "x");
	w.trim_path = "/other/place";
	assert_holds(find_source(&w, "/other/place/a/x.c"), "x");
}

static void a_missing_relative_name_has_the_message_of_pprof(void **state)
{
	struct symbol_options w = in_folder("/none/here:/nor/here");
	const struct source_file *f = find_source(&w, "a/x.c");

	(void)state;
	assert_int_equal(f->n, 0);
	assert_string_equal(f->error, "could not find file a/x.c on path /none/here:/nor/here");
	assert_string_equal(f->tried, "/none/here/a/x.c\n/nor/here/a/x.c\n/none/a/x.c\n");
}

static void a_missing_absolute_name_has_the_message_of_the_system(void **state)
{
	struct symbol_options w = no_folders();

	(void)state;
	assert_string_equal(find_source(&w, "/none/x.c")->error, "open /none/x.c: no such file or directory");
}

static void opens_only_regular_files(void **state)
{
	struct symbol_options w = in_folder("/none");

	(void)state;
	assert_int_equal(mkfifo(at("pipe.c"), 0666), 0);
	assert_int_equal(find_source(&w, at("pipe.c"))->n, 0);
	assert_non_null(strstr(source_files_get(files, at("pipe.c"))->error, "is not a regular file"));
	assert_non_null(strstr(find_source(&w, "/dev/zero")->error, "open /dev/zero: is not a regular file"));
	assert_non_null(strstr(find_source(&w, "/tmp")->error, "open /tmp: is not a regular file"));
}

static void does_not_search_for_impossible_names(void **state)
{
	enum { LONG = 1 << 20 };
	struct symbol_options w = in_folder("/none");
	struct buf name = { 0 };

	(void)state;
	for (int i = 0; i < LONG / 2; i++)
		buf_addz(&name, "/a");
	assert_non_null(strstr(find_source(&w, name.data)->error, ": file name too long"));
	assert_string_equal(source_files_get(files, name.data)->tried, "");
	buf_release(&name);
}

static void reads_a_file_once(void **state)
{
	struct symbol_options w = no_folders();
	const struct source_file *f;

	(void)state;
	write_text("once.c", "1");
	f = find_source(&w, at("once.c"));
	write_text("once.c", "2");
	assert_ptr_equal(source_files_get(files, at("once.c")), f);
	assert_holds(f, "1");
}

static void files_below_symfs_cannot_lead_outside(void **state)
{
	struct symbol_options w = no_folders();
	char symfs[600];

	(void)state;
	write_text("outside.c", "outside");
	write_text("root/src/in.c", "in");
	write_text("root/etc/x.c", "etc");
	assert_int_equal(symlink(at("outside.c"), at("root/src/link.c")), 0);
	assert_int_equal(symlink("/etc/x.c", at("root/src/etc.c")), 0);
	snprintf(symfs, sizeof(symfs), "%s", at("root"));
	w.symfs = symfs;
	assert_holds(find_source(&w, "/src/in.c"), "in");
	assert_holds(find_source(&w, "/src/etc.c"), "etc");
	assert_int_equal(find_source(&w, "/src/link.c")->n, 0);
	assert_int_equal(find_source(&w, "/../outside.c")->n, 0);
	assert_int_equal(find_source(&w, "/src/../../outside.c")->n, 0);
}

static void finds_go_files_in_goroot(void **state)
{
	struct symbol_options w = in_folder("/none");

	(void)state;
	setenv("GOROOT", at("go"), 1);
	write_text("go/src/cpatest/print.go", "print");
	assert_holds(find_source(&w, "cpatest/print.go"), "print");
	assert_holds(find_source(&w, "/opt/go1.22.3/src/cpatest/print.go"), "print");
	assert_holds(find_source(&w, "C:/Program Files/Go/src/cpatest/print.go"), "print");
	assert_int_equal(find_source(&w, "/home/me/app/src/cpatest/print.go")->n, 0);
	unsetenv("GOROOT");
}

static void shows_no_go_file_of_another_version(void **state)
{
	struct symbol_options w = in_folder("/none");

	(void)state;
	setenv("GOROOT", at("go3"), 1);
	write_text("go3/src/cpatest/print3.go", "print");
	write_text("go3/VERSION", "go1.22.3\ntime 2024-05-01T19:49:47Z\n");
	assert_holds(find_source(&w, "/opt/go1.22.3/src/cpatest/print3.go"), "print");
	assert_holds(find_source(&w, "/usr/lib/go-1.22/src/cpatest/print3.go"), "print");
	assert_holds(find_source(&w, "/usr/local/go/src/cpatest/print3.go"), "print");
	assert_holds(
		find_source(&w, "/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.22.3.linux-amd64/src/cpatest/print3.go"),
		"print");
	assert_int_equal(find_source(&w, "/usr/local/Cellar/go/1.18.3/libexec/src/cpatest/print3.go")->n, 0);
	assert_non_null(strstr(find_source(&w, "/usr/local/Cellar/go/1.18.3/libexec/src/cpatest/print3.go")->tried,
			       "is of go1.22.3, not of go1.18.3"));
	assert_int_equal(find_source(&w, "/usr/lib/go-1.2/src/cpatest/print3.go")->n, 0);
	assert_int_equal(find_source(&w, "/opt/go1.22.30/src/cpatest/print3.go")->n, 0);
	assert_int_equal(
		find_source(&w, "/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.21.0.linux-amd64/src/cpatest/print3.go")
			->n,
		0);
	unsetenv("GOROOT");
}

static void finds_go_modules_in_the_module_cache(void **state)
{
	struct symbol_options w = in_folder("/none");

	(void)state;
	setenv("GOMODCACHE", at("mod"), 1);
	write_text("mod/github.com/!foo/bar@v1.2.3/Pkg/x.go", "x");
	assert_holds(find_source(&w, "github.com/Foo/bar@v1.2.3/Pkg/x.go"), "x");
	assert_holds(find_source(&w, "/root/go/pkg/mod/github.com/!foo/bar@v1.2.3/Pkg/x.go"), "x");
	unsetenv("GOMODCACHE");
	setenv("GOPATH", at("gopath"), 1);
	write_text("gopath/pkg/mod/example.com/y@v0.1.0/y.go", "y");
	assert_holds(find_source(&w, "example.com/y@v0.1.0/y.go"), "y");
	unsetenv("GOPATH");
}

static void finds_go_files_in_the_current_module_and_its_vendor_folder(void **state)
{
	struct symbol_options w = in_folder(at("work/sub"));

	(void)state;
	write_text("work/go.mod", "// a module\nmodule example.com/shop // ours\n\ngo 1.22\n");
	write_text("work/sub/x.go", "x");
	write_text("work/main.go", "main");
	write_text("work/vendor/github.com/Foo/bar/y.go", "y");
	assert_holds(find_source(&w, "example.com/shop/main.go"), "main");
	assert_holds(find_source(&w, "example.com/shop/sub/x.go"), "x");
	assert_holds(find_source(&w, "github.com/Foo/bar@v1.2.3/y.go"), "y");
	assert_holds(find_source(&w, "/ci/go/pkg/mod/github.com/!foo/bar@v1.2.3/y.go"), "y");
}

static void finds_rust_files_in_the_toolchain_of_their_commit(void **state)
{
	struct symbol_options w = in_folder("/none");

	(void)state;
	setenv("RUSTUP_HOME", at("rustup"), 1);
	setenv("CARGO_HOME", at("cargo"), 1);
	write_text("rustup/toolchains/a/lib/rustlib/src/rust/library/std/src/x.rs", "of a");
	write_text("rustup/toolchains/a/lib/rustlib/multirust-channel-manifest.toml", "git_commit_hash = \"abc1\"\n");
	write_text("rustup/toolchains/b/lib/rustlib/src/rust/library/std/src/x.rs", "of b");
	write_text("rustup/toolchains/b/lib/rustlib/multirust-channel-manifest.toml", "git_commit_hash = \"abc2\"\n");
	write_text("cargo/registry/src/index-1/crate-1.0.0/src/lib.rs", "crate");
	assert_holds(find_source(&w, "/rustc/abc1/library/std/src/x.rs"), "of a");
	assert_holds(source_files_get(files, "/rustc/abc2/library/std/src/x.rs"), "of b");
	assert_int_equal(find_source(&w, "/rustc/abc3/library/std/src/x.rs")->n, 0);
	assert_non_null(strstr(find_source(&w, "/rustc/abc3/library/std/src/x.rs")->tried, "another version of Rust"));
	write_text("rustup/toolchains/c/lib/rustlib/src/rust/library/std/src/x.rs", "of c");
	assert_holds(find_source(&w, "/rustc/abc3/library/std/src/x.rs"), "of c");
	assert_holds(find_source(&w, "/rustc/abc1/library/std/src/x.rs"), "of a");
	assert_holds(find_source(&w, "/home/ci/.cargo/registry/src/index-9/crate-1.0.0/src/lib.rs"), "crate");
	unsetenv("RUSTUP_HOME");
	unsetenv("CARGO_HOME");
}

static void uses_the_longest_path_end_below_a_folder(void **state)
{
	struct symbol_options w = in_folder(at("ends"));

	(void)state;
	write_text("ends/p/one/src/x.c", "one");
	write_text("ends/q/two/src/x.c", "two");
	write_text("ends/p/lib/only.c", "only");
	write_text("ends/base.c", "base");
	write_text("ends/.git/hidden.c", "hidden");
	assert_holds(find_source(&w, "/ci/build/two/src/x.c"), "two");
	assert_holds(find_source(&w, "/ci/build/one/src/x.c"), "one");
	assert_holds(find_source(&w, "/ci/build/q/two/src/x.c"), "two");
	assert_holds(find_source(&w, "only.c"), "only");
	assert_int_equal(find_source(&w, "/ci/only.c")->n, 0);
	assert_int_equal(find_source(&w, "x.c")->n, 0);
	assert_int_equal(find_source(&w, "/ci/base.c")->n, 0);
	assert_int_equal(find_source(&w, "/ci/three/src/x.c")->n, 0);
	assert_int_equal(find_source(&w, "hidden.c")->n, 0);
	assert_int_equal(find_source(&w, "nly.c")->n, 0);
}

static void tries_the_path_itself_even_if_a_part_of_it_names_a_search_folder(void **state)
{
	struct symbol_options w = in_folder(at("itself/b/shop"));

	(void)state;
	write_text("itself/a/shop/pkg/x.c", "built here");
	write_text("itself/b/shop/src/shop/y.c", "relative");
	write_text("itself/b/shop/y.c", "another y.c");
	write_text("itself/b/shop/pkg/z.c", "checkout");
	write_text("itself/a/shop/pkg/z.c", "another checkout");
	assert_holds(find_source(&w, at("itself/a/shop/pkg/x.c")), "built here");
	assert_holds(find_source(&w, "src/shop/y.c"), "relative");
	assert_holds(find_source(&w, at("itself/a/shop/pkg/z.c")), "checkout"); /* pprof finds the same file */
	w.trim_path = at("itself/a/shop");
	assert_holds(find_source(&w, at("itself/a/shop/pkg/x.c")), "built here");
}

/* Reports shorten paths by the folders to search; the profile still has the whole paths. */
static void tries_a_shortened_path_as_recorded(void **state)
{
	struct make m = make_start("n/count");
	struct symbol_options w = in_folder(at("short/b/shop"));
	char row[600];
	struct profile *p;

	(void)state;
	write_text("short/a/shop/pkg/x.c", "built here");
	snprintf(row, sizeof(row), "f@%s:2", at("short/a/shop/pkg/x.c"));
	ROW(&m, row, 1);
	p = make_end(&m);
	source_files_free(files);
	files = source_files_new(p, &w);
	assert_holds(source_files_get(files, "pkg/x.c"), "built here");
	source_files_free(files);
	files = NULL;
	profile_free(p);
}

static void matches_folders_of_the_same_name(void **state)
{
	struct symbol_options w = in_folder(at("named/shop"));
	char here[PATH_MAX];

	(void)state;
	write_text("named/shop/main.c", "main");
	write_text("named/shop/sub/x.c", "x");
	write_text("named/main.c", "not of shop");
	assert_holds(find_source(&w, "/home/shop/work/shop/main.c"), "main");
	w = in_folder(at("named/shop/sub"));
	assert_holds(find_source(&w, "/ci/shop/main.c"), "main");
	assert_int_equal(find_source(&w, "/ci/workshop/main.c")->n, 0);
	assert_int_equal(find_source(&w, "/ci/shopping/main.c")->n, 0);
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(at("named/shop")), 0);
	w.source_path = ".";
	assert_holds(find_source(&w, "/ci/shop/main.c"), "main");
	assert_int_equal(chdir(here), 0);
}

static void source_texts_in_the_profile_take_precedence(void **state)
{
	struct make m = make_start("cpu/milliseconds");
	struct symbol_options w = in_folder(at("carried"));
	struct profile_source texts = { 0 };
	const struct source_file *f;
	struct profile *p;

	(void)state;
	write_text("carried/x.c", "of the disk");
	write_text("carried/y.c", "of the disk");
	ROW(&m, "f@/ci//shop/x.c:2;g@y.c:1", 1);
	p = make_end(&m);
	profile_source_add(&texts, "/ci//shop/x.c", 13, 2, "two\0!", 5);
	profile_source_add(&texts, "/ci//shop/x.c", 13, 4, "four", 4);
	profile_source_add(&texts, "/ci//shop/x.c", 13, INT64_MAX, "far", 3);
	profile_source_store(&texts, p);
	profile_source_release(&texts);
	w.trim_path = "/ci";
	source_files_free(files);
	files = source_files_new(p, &w);
	f = source_files_get(files, "/ci/shop/x.c");
	assert_string_equal(f->error, "");
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

static void assert_refused(const struct symbol_options *w, const char *file)
{
	const struct source_file *f = find_source(w, file);

	assert_int_equal(f->n, 0);
	assert_string_equal(f->path, "");
	if (!strstr(f->error, "not shown: ") && !strstr(f->tried, "(not shown: "))
		fail_msg("%s: %s; tried: %s", file, f->error, f->tried);
}

static void pages_show_only_files_below_folders_with_sources(void **state)
{
	struct symbol_options w = no_folders();

	(void)state;
	write_text("work/here.c", "here\n");
	write_text("work/.ssh/key", "secret\n");
	write_text("other/there.c", "secret\n");
	assert_int_equal(chdir(at("work")), 0);
	w.source_access = SOURCE_LOCAL;
	assert_holds(find_source(&w, at("work/here.c")), "here");
	assert_holds(find_source(&w, "here.c"), "here");
	assert_refused(&w, at("other/there.c"));
	assert_refused(&w, at("work/../other/there.c"));
	assert_refused(&w, at("work/.ssh/key"));
	assert_refused(&w, "/etc/passwd");
	w.source_access = SOURCE_ANY;
	assert_holds(find_source(&w, at("other/there.c")), "secret");
	assert_int_equal(chdir("/"), 0);
	w.source_access = SOURCE_LOCAL; /* the working directory is the root, which allows nothing */
	assert_refused(&w, at("other/there.c"));
	assert_refused(&w, "/etc/passwd");
}

static void pages_show_files_below_a_folder_that_the_user_named(void **state)
{
	struct symbol_options w = in_folder(at("named"));

	(void)state;
	write_text("named/a/file.c", "named\n");
	write_text("named/.hidden/file.c", "hidden\n");
	write_text("named_too/file.c", "secret\n");
	w.source_access = SOURCE_NAMED;
	assert_holds(find_source(&w, at("named/a/file.c")), "named");
	assert_holds(find_source(&w, at("named/.hidden/file.c")), "hidden");
	assert_refused(&w, at("named_too/file.c"));
	w.source_path = "/";
	assert_holds(find_source(&w, at("named_too/file.c")), "secret");
	assert_refused(&w, "/proc/self/environ");
	assert_refused(&w, "/proc/self/cmdline");
}

static void pages_of_uploaded_profiles_show_no_files_of_the_working_directory(void **state)
{
	struct symbol_options w = no_folders();

	(void)state;
	write_text("work/here.c", "here\n");
	assert_int_equal(chdir(at("work")), 0);
	w.source_access = SOURCE_NAMED;
	assert_refused(&w, at("work/here.c"));
	assert_refused(&w, "here.c");
	assert_int_equal(chdir("/"), 0);
}

static void links_cannot_lead_out_of_a_folder_with_sources(void **state)
{
	struct symbol_options w = in_folder(at("linked"));

	(void)state;
	write_text("linked/file.c", "inside\n");
	write_text("outside/secret.c", "secret\n");
	assert_int_equal(symlink(at("outside/secret.c"), at("linked/out.c")), 0);
	assert_int_equal(symlink(at("outside"), at("linked/dir")), 0);
	assert_int_equal(symlink(at("linked/file.c"), at("linked/in.c")), 0);
	w.source_access = SOURCE_LOCAL;
	assert_refused(&w, at("linked/out.c"));
	assert_refused(&w, at("linked/dir/secret.c"));
	assert_refused(&w, "dir/secret.c");
	assert_holds(find_source(&w, at("linked/in.c")), "inside");
}

static void build_directories_that_contain_other_files_allow_nothing(void **state)
{
	static const char *const wide[] = { "/", "/etc", "/tmp", ".", "" };
	struct symbol_options w = no_folders();
	struct source_search s;
	int fd;

	(void)state;
	write_text("build/file.c", "built\n");
	write_text("home/user/file.c", "secret\n");
	setenv("HOME", at("home/user"), 1);
	w.source_access = SOURCE_LOCAL;
	source_search_init(&s, &w);
	fd = open(at("home/user/file.c"), O_RDONLY);
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		source_add_build_root(&s, wide[i]);
	source_add_build_root(&s, at("home/user"));
	source_add_build_root(&s, at("home"));
	source_add_build_root(&s, at(""));
	assert_false(source_is_allowed(&s, fd));
	close(fd);
	fd = open(at("build/file.c"), O_RDONLY);
	assert_false(source_is_allowed(&s, fd));
	source_add_build_root(&s, at("build"));
	assert_true(source_is_allowed(&s, fd));
	close(fd);
	source_search_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_in_lf_or_crlf),
		cmocka_unit_test(a_long_line_is_cut_off_and_reading_continues),
		cmocka_unit_test(a_nul_in_a_line_is_escaped),
		cmocka_unit_test(searches_a_relative_name_in_the_folders_and_their_parents),
		cmocka_unit_test(trims_prefixes_before_searching),
		cmocka_unit_test(a_missing_relative_name_has_the_message_of_pprof),
		cmocka_unit_test(a_missing_absolute_name_has_the_message_of_the_system),
		cmocka_unit_test(opens_only_regular_files),
		cmocka_unit_test(does_not_search_for_impossible_names),
		cmocka_unit_test(reads_a_file_once),
		cmocka_unit_test(files_below_symfs_cannot_lead_outside),
		cmocka_unit_test(finds_go_files_in_goroot),
		cmocka_unit_test(shows_no_go_file_of_another_version),
		cmocka_unit_test(finds_go_modules_in_the_module_cache),
		cmocka_unit_test(finds_go_files_in_the_current_module_and_its_vendor_folder),
		cmocka_unit_test(finds_rust_files_in_the_toolchain_of_their_commit),
		cmocka_unit_test(uses_the_longest_path_end_below_a_folder),
		cmocka_unit_test(tries_the_path_itself_even_if_a_part_of_it_names_a_search_folder),
		cmocka_unit_test(tries_a_shortened_path_as_recorded),
		cmocka_unit_test(matches_folders_of_the_same_name),
		cmocka_unit_test(source_texts_in_the_profile_take_precedence),
		cmocka_unit_test(pages_show_only_files_below_folders_with_sources),
		cmocka_unit_test(pages_show_files_below_a_folder_that_the_user_named),
		cmocka_unit_test(pages_of_uploaded_profiles_show_no_files_of_the_working_directory),
		cmocka_unit_test(links_cannot_lead_out_of_a_folder_with_sources),
		cmocka_unit_test(build_directories_that_contain_other_files_allow_nothing),
	};

	return cmocka_run_group_tests(tests, start, end);
}
