/*
 * own.c - is a function of the program itself?
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The source file tells best: installed packages and the system have their places. Without one, names of Go, Rust,
 * C++ and Java tell standard libraries; what is left could be anything.
 */
#include "config.h"

#include "report/gate/gate_int.h"

#include <stddef.h>
#include <string.h>

/* Somewhere in the path of a file. */
static const char *const installed[] = {
	"/pkg/mod/",       "@v",      "/vendor/",          "/node_modules/", "/site-packages/",
	"/dist-packages/", "/rustc/", "/.cargo/registry/", "/lib/python",    "/gems/",
};

/* In front of it. */
static const char *const system_place[] = {
	"/usr/include/", "/usr/lib", "/usr/share/", "/usr/local/lib", "/usr/local/include/",
	"/lib/",         "/lib64/",  "../sysdeps/", "node:",          "<",
};

/* In front of a name. */
static const char *const library_name[] = {
	"std::",   "core::",     "alloc::",    "<std::", "<core::", "<alloc::", "__gnu_cxx::", "absl::",
	"boost::", "tcmalloc::", "java.",      "javax.", "jdk.",    "sun.",     "scala.",      "kotlin.",
	"[",       "__libc_",    "__pthread_", "_dl_",   "node::",  "v8::",
};

/* The first part of import paths of Go's own packages. */
static const char *const go_package[] = {
	"archive", "bufio",   "bytes",    "cmp",      "compress", "container", "context", "crypto",  "database",
	"debug",   "embed",   "encoding", "errors",   "expvar",   "flag",      "fmt",     "go",      "hash",
	"html",    "image",   "index",    "internal", "io",       "iter",      "log",     "maps",    "math",
	"mime",    "net",     "os",       "path",     "plugin",   "reflect",   "regexp",  "runtime", "slices",
	"sort",    "strconv", "strings",  "structs",  "sync",     "syscall",   "testing", "text",    "time",
	"unicode", "unique",  "unsafe",   "vendor",   "weak",
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool starts_with_any(const char *text, const char *const *with, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(text, with[i], strlen(with[i])) == 0)
			return true;
	return false;
}

static bool has_any(const char *text, const char *const *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(text, part[i]))
			return true;
	return false;
}

/* net/http.(*conn).serve, but not net.example.com/shop.Serve */
static bool is_go_library(const char *name)
{
	size_t whole = strcspn(name, "(["), n = strcspn(name, "/");

	if (n >= whole)
		n = strcspn(name, ".");
	if (n >= whole)
		return false;
	for (size_t i = 0; i < COUNT(go_package); i++)
		if (strlen(go_package[i]) == n && memcmp(name, go_package[i], n) == 0)
			return true;
	return false;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

bool gate_is_own(const char *name, const char *file)
{
	bool is_go = ends_with(file, ".go") || ends_with(file, ".s");

	if (has_any(file, installed, COUNT(installed)) || starts_with_any(name, library_name, COUNT(library_name)))
		return false;
	if (is_go || !*file)
		return !is_go_library(name) && (is_go || strpbrk(name, ".:/"));
	return !starts_with_any(file, system_place, COUNT(system_place));
}
