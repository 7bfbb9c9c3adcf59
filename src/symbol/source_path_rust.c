/*
 * source_path_rust.c - where Rust keeps sources
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files of the standard library are named /rustc/COMMIT/library/...; rustup has them, if its component
 * rust-src is there, below the toolchain, whose manifest names the commit. Crates are named by where
 * cargo had unpacked them.
 */
#include "config.h"

#include "symbol/source_path.h"

#include "base/io.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { MANIFEST_MAX = 64 << 20, MAX_DIRS = 32 };

struct source_rust {
	const char *library[MAX_DIRS]; /* folders that hold library/ */
	const char *crates[MAX_DIRS];  /* folders of cargo that hold crates */
	unsigned n_libraries, n_crates;
	const char *commit; /* the one looked for last; NULL for none yet */
	unsigned first;     /* then: the library of that commit, else n_libraries */
};

/* The folders below the one that a variable names, else one at home. */
static unsigned dirs_of(struct source_search *s, const char *variable, const char *name, const char *pattern,
			const char **out)
{
	const char *set = getenv(variable), *home = getenv("HOME");
	struct buf path = { 0 };
	unsigned n = 0;

	if (set && *set)
		buf_addf(&path, "%s/%s", set, pattern);
	else if (home && *home)
		buf_addf(&path, "%s/%s/%s", home, name, pattern);
	if (path.len)
		n = source_dirs(s, path.data, out, MAX_DIRS);
	buf_release(&path);
	return n;
}

static struct source_rust *rust_places(struct source_search *s)
{
	static const char *const debian[] = { "/usr/lib/rustlib/src/rust", "/usr/src/rustc-*" };
	struct source_rust *rust = s->rust;

	if (rust)
		return rust;
	s->rust = rust = arena_zalloc(s->mem, 1, sizeof(*rust));
	rust->n_libraries = dirs_of(s, "RUSTUP_HOME", ".rustup", "toolchains/*/lib/rustlib/src/rust", rust->library);
	for (size_t i = 0; i < sizeof(debian) / sizeof(debian[0]); i++)
		rust->n_libraries +=
			source_dirs(s, debian[i], rust->library + rust->n_libraries, MAX_DIRS - rust->n_libraries);
	rust->n_crates = dirs_of(s, "CARGO_HOME", ".cargo", "registry/src/*", rust->crates);
	return rust;
}

/* Does the manifest of the toolchain whose library this is name a commit? */
static bool has_commit(const char *library, const char *commit)
{
	struct buf path = { 0 };
	struct bytes text;
	bool found;
	int rc;

	buf_addf(&path, "%s/../../multirust-channel-manifest.toml", library);
	rc = io_read_file(path.data, MANIFEST_MAX, "", &text, NULL);
	buf_release(&path);
	if (rc < 0)
		return false;
	found = memmem(text.data, text.n, commit, strlen(commit)) != NULL;
	free(text.data);
	return found;
}

/* The library of a commit, which all files of a program have in common. */
static unsigned library_of(struct source_rust *rust, const char *commit, size_t n, struct arena *mem)
{
	if (rust->commit && strncmp(rust->commit, commit, n) == 0 && !rust->commit[n])
		return rust->first;
	rust->commit = arena_strndup(mem, commit, n);
	for (rust->first = 0; rust->first < rust->n_libraries; rust->first++)
		if (has_commit(rust->library[rust->first], rust->commit))
			break;
	return rust->first;
}

/* A file of Rust itself: the toolchain of that commit first, then any. */
static bool try_library(struct source_seek *k, struct source_rust *rust, const char *commit, size_t n, const char *part)
{
	unsigned first = n ? library_of(rust, commit, n, k->s->mem) : rust->n_libraries;

	if (first < rust->n_libraries && source_try(k, SOURCE_EXACT, "%s/%s", rust->library[first], part))
		return true;
	for (unsigned i = 0; i < rust->n_libraries; i++)
		if (i != first && source_try(k, SOURCE_LIKELY, "%s/%s", rust->library[i], part))
			return true;
	return false;
}

bool source_try_rust(struct source_seek *k, const char *file)
{
	static const char rustc[] = "/rustc/", src[] = "/lib/rustlib/src/rust/", registry[] = "/registry/src/";
	struct source_rust *rust;
	const char *part;

	if (starts_with(file, rustc)) {
		const char *commit = file + strlen(rustc);
		size_t n = strcspn(commit, "/");

		return commit[n] && try_library(k, rust_places(k->s), commit, n, commit + n + 1);
	}
	part = strstr(file, src);
	if (part)
		return try_library(k, rust_places(k->s), "", 0, part + strlen(src));
	part = strstr(file, registry);
	part = part ? strchr(part + strlen(registry), '/') : NULL;
	if (!part)
		return false;
	rust = rust_places(k->s);
	for (unsigned i = 0; i < rust->n_crates; i++)
		if (source_try(k, SOURCE_EXACT, "%s%s", rust->crates[i], part))
			return true;
	return false;
}
