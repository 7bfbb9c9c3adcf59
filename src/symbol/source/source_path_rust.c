/*
 * source_path_rust.c - source folders of Rust
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files of the standard library are recorded as /rustc/COMMIT/library/.... The rust-src component of rustup installs
 * them below the toolchain, whose manifest contains the commit. For crates, the path to which cargo unpacked them is
 * recorded.
 */
#include "config.h"

#include "symbol/source/source_path.h"

#include "base/io.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { MANIFEST_MAX = 64 << 20, MAX_DIRS = 32 };

struct source_rust {
	const char *library[MAX_DIRS]; /* folders that contain library/ */
	const char *crates[MAX_DIRS];  /* folders in which cargo unpacks crates */
	unsigned n_libraries, n_crates;
	const char *commit;      /* commit that was looked up last; NULL for none yet */
	unsigned first;          /* library of that commit; n_libraries if there is none */
	bool is_other[MAX_DIRS]; /* are the libraries before first known to be of another commit? */
};

/* Expand a pattern below the folder in a variable, or else below a folder in HOME. */
static unsigned dirs_of(struct source_search *s, const char *variable, const char *name, const char *pattern,
			const char **out)
{
	const char *set = getenv(variable), *home = getenv("HOME");

	if (set && *set)
		return source_glob(s, arena_printf(s->mem, "%s/%s", set, pattern), out, MAX_DIRS);
	if (home && *home)
		return source_glob(s, arena_printf(s->mem, "%s/%s/%s", home, name, pattern), out, MAX_DIRS);
	return 0;
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
			source_glob(s, debian[i], rust->library + rust->n_libraries, MAX_DIRS - rust->n_libraries);
	rust->n_crates = dirs_of(s, "CARGO_HOME", ".cargo", "registry/src/*", rust->crates);
	return rust;
}

/* Does the manifest of the toolchain of a library contain a commit? *is_other: there is a manifest, without it. */
static bool has_commit(const char *library, const char *commit, struct arena *mem, bool *is_other)
{
	const char *path = arena_printf(mem, "%s/../../multirust-channel-manifest.toml", library);
	struct bytes text;
	bool found;

	*is_other = false;
	if (io_read_file(path, MANIFEST_MAX, "", &text, NULL) < 0)
		return false;
	found = memmem(text.data, text.n, commit, strlen(commit)) != NULL;
	free(text.data);
	*is_other = !found;
	return found;
}

/* The library of a commit. The last result is reused, since a program has one commit. */
static unsigned library_of(struct source_rust *rust, const char *commit, size_t n, struct arena *mem)
{
	if (rust->commit && strncmp(rust->commit, commit, n) == 0 && !rust->commit[n])
		return rust->first;
	rust->commit = arena_strndup(mem, commit, n);
	for (rust->first = 0; rust->first < rust->n_libraries; rust->first++)
		if (has_commit(rust->library[rust->first], rust->commit, mem, &rust->is_other[rust->first]))
			break;
	return rust->first;
}

/* Try a file of the standard library: in the toolchain of that commit, else in those whose commit is not known. */
static bool try_library(struct source_lookup *k, struct source_rust *rust, const char *commit, size_t n,
			const char *part)
{
	unsigned first = n ? library_of(rust, commit, n, k->s->mem) : rust->n_libraries;

	if (first < rust->n_libraries)
		return source_try(k, SOURCE_EXACT, "%s/%s", rust->library[first], part);
	for (unsigned i = 0; i < rust->n_libraries; i++) {
		if (!n || !rust->is_other[i]) {
			if (source_try(k, SOURCE_LIKELY, "%s/%s", rust->library[i], part))
				return true;
			continue;
		}
		source_reject(k, arena_printf(k->s->mem, "%s/%s", rust->library[i], part),
			      "belongs to another version of Rust");
	}
	return false;
}

bool source_try_rust(struct source_lookup *k, const char *file)
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

void source_add_rust_roots(struct source_search *s)
{
	const struct source_rust *rust = rust_places(s);

	for (unsigned i = 0; i < rust->n_libraries; i++)
		source_add_root(s, rust->library[i]);
	for (unsigned i = 0; i < rust->n_crates; i++)
		source_add_root(s, rust->crates[i]);
}
