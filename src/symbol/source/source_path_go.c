/*
 * source_path_go.c - source folders of Go
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Go records the path of a file on the build machine. With -trimpath, it records the path within the module: after
 * MODULE@VERSION/ unless it is the main module, or after the package alone for the standard library. In the module
 * cache upper-case letters are written as !x.
 */
#include "config.h"

#include "symbol/source/source_path.h"

#include "base/io.h"
#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIRS = 32, MAX_MODULES = 64, MOD_MAX = 1 << 20 };

/* A folder and its module. */
struct module {
	const char *dir, *name; /* name is "" if the folder has no go.mod */
};

struct source_go {
	const char *root[MAX_DIRS], *cache[MAX_DIRS], *path[MAX_DIRS];
	const char *version[MAX_DIRS]; /* of each root, as in "1.22.3"; "" if not known; NULL: not read yet */
	unsigned n_roots, n_caches, n_paths;
	struct module module[MAX_MODULES]; /* modules of the folders to search and of all their parents */
	unsigned n_modules;
};

static void add_dir(struct source_search *s, const char **list, unsigned *n, const char *dir, size_t len,
		    const char *below)
{
	if (len > 0 && *n < MAX_DIRS)
		list[(*n)++] = arena_printf(s->mem, "%.*s%s", (int)len, dir, below);
}

/* Add the folders that match a pattern below a folder. */
static void source_path_go_add_all(struct source_search *s, const char **list, unsigned *n, const char *dir,
				   const char *pattern)
{
	if (*dir)
		*n += source_glob(s, arena_printf(s->mem, "%s%s", dir, pattern), list + *n, MAX_DIRS - *n);
}

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* The name in the line "module NAME" of go.mod in a folder; "" when there is none. */
static const char *module_name(const char *dir, struct arena *mem)
{
	struct bytes mod;
	const char *name = "";

	if (io_read_file(arena_printf(mem, "%s/go.mod", dir), MOD_MAX, "", &mod, NULL) < 0)
		return "";
	for (size_t i = 0, n; i < mod.n; i += n + 1) {
		const char *line = (const char *)mod.data + i, *end = memchr(line, '\n', mod.n - i);
		char word[512] = "";

		n = end ? (size_t)(end - line) : mod.n - i;
		if (n < 7 || n >= sizeof(word) || memcmp(line, "module", 6) != 0 || !isspace((unsigned char)line[6]))
			continue;
		memcpy(word, line + 7, n - 7);
		name = word + strspn(word, " \t\"`");
		name = arena_strndup(mem, name, strcspn(name, " \t\r\"`"));
		break;
	}
	free(mod.data);
	return name;
}

static void add_modules(struct source_search *s, struct source_go *go, const char *dir, size_t n)
{
	char *at = realpath(n ? arena_strndup(s->mem, dir, n) : ".", NULL);

	while (at && go->n_modules < MAX_MODULES) {
		char *slash = strrchr(at, '/');
		const char *name = arena_strndup(s->mem, at, strlen(at));

		go->module[go->n_modules++] = (struct module){ name, module_name(at, s->mem) };
		if (!slash || slash == at)
			break;
		*slash = 0;
	}
	free(at);
}

static struct source_go *go_places(struct source_search *s)
{
	struct source_go *go = s->go;
	const char *home = env("HOME"), *gopath = env("GOPATH");

	if (go)
		return go;
	s->go = go = arena_zalloc(s->mem, 1, sizeof(*go));
	for (const char *dir = *gopath ? gopath : home, *end;; dir = end + 1) {
		end = dir + strcspn(dir, *gopath ? ":" : "");
		add_dir(s, go->path, &go->n_paths, dir, (size_t)(end - dir), *gopath ? "" : "/go");
		if (!*end)
			break;
	}
	add_dir(s, go->cache, &go->n_caches, env("GOMODCACHE"), strlen(env("GOMODCACHE")), "");
	for (unsigned i = 0; i < go->n_paths; i++)
		add_dir(s, go->cache, &go->n_caches, go->path[i], strlen(go->path[i]), "/pkg/mod");
	add_dir(s, go->root, &go->n_roots, env("GOROOT"), strlen(env("GOROOT")), "");
	add_dir(s, go->root, &go->n_roots, "/usr/local/go", 13, "");
	add_dir(s, go->root, &go->n_roots, "/usr/lib/go", 11, "");
	source_path_go_add_all(s, go->root, &go->n_roots, "/usr", "/lib/go-[0-9]*");
	source_path_go_add_all(s, go->root, &go->n_roots, home, "/sdk/go[0-9]*");
	for (unsigned i = 0; i < go->n_caches; i++)
		source_path_go_add_all(s, go->root, &go->n_roots, go->cache[i], "/golang.org/toolchain@*");
	for (const char *dir = s->path, *end;; dir = end + 1) {
		end = dir + strcspn(dir, ":");
		add_modules(s, go, dir, (size_t)(end - dir));
		if (!*end)
			return go;
	}
}

/* Is this part of a path a usual name for GOROOT: go, go1.22, go-1.19, Go? */
static bool source_path_go_is(const char *part, size_t n)
{
	return n >= 2 && tolower((unsigned char)part[0]) == 'g' && tolower((unsigned char)part[1]) == 'o' &&
	       (n == 2 || part[2] == '-' || isdigit((unsigned char)part[2]));
}

/* Is it a Go or Go assembly file? */
static bool is_go_file(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && (strcmp(dot, ".go") == 0 || strcmp(dot, ".s") == 0);
}

/* The part after GOROOT/src/ of a path in the standard library; NULL for other paths. */
static const char *standard_part(const char *file)
{
	bool below_go = false;
	size_t n;

	if (!is_go_file(file))
		return NULL;
	if (*file != '/' && !(isalpha((unsigned char)file[0]) && file[1] == ':'))
		return memchr(file, '.', strcspn(file, "/")) || !strchr(file, '/') ? NULL : file;
	for (const char *part = file; *part; part += n + (part[n] == '/')) {
		n = strcspn(part, "/");
		if (below_go && n == 3 && memcmp(part, "src/", 4) == 0)
			return part + 4;
		below_go |= source_path_go_is(part, n);
	}
	return NULL;
}

/* The length of a version of at least two numbers, as in 1.18.3, at the start of a text; 0 for none. */
static size_t version_len(const char *s)
{
	size_t n = strspn(s, "0123456789.");

	while (n && s[n - 1] == '.')
		n--;
	return isdigit((unsigned char)*s) && memchr(s, '.', n) ? n : 0;
}

/* The version in the path of GOROOT: go1.22.3/src, go-1.19/src, go/1.18.3/libexec/src, toolchain@v0.0.1-go1.22.1/src. */
static const char *version_in(const char *file, const char *end, size_t *n)
{
	bool is_below_go = false;
	size_t len;

	for (const char *part = file; part < end; part += len + 1) {
		size_t at = 0;

		len = strcspn(part, "/");
		if (starts_with(part, "toolchain@"))
			at = (size_t)(strcspn(part, "-") + strlen("-go"));
		else if (source_path_go_is(part, len))
			at = 2 + (part[2] == '-');
		*n = at < len && (at || is_below_go) ? version_len(part + at) : 0;
		if (*n && *n + at <= len)
			return part + at;
		is_below_go |= source_path_go_is(part, len);
	}
	return NULL;
}

/* The version of a root, from its file VERSION; "" if not known. */
static const char *version_of_root(struct source_search *s, struct source_go *go, unsigned i)
{
	enum { VERSION_MAX = 4096 };
	struct bytes text;

	if (go->version[i])
		return go->version[i];
	go->version[i] = "";
	if (io_read_file(arena_printf(s->mem, "%s/VERSION", go->root[i]), VERSION_MAX, "", &text, NULL) == 0) {
		if (text.n > 2 && memcmp(text.data, "go", 2) == 0) {
			const char *name = arena_strndup(s->mem, (const char *)text.data + 2, text.n - 2);

			go->version[i] = arena_strndup(s->mem, name, strcspn(name, " \r\n"));
		}
		free(text.data);
	}
	return go->version[i];
}

/* Try a file of the standard library, but not of a root whose version differs from that in the path. */
static bool try_standard(struct source_lookup *k, struct source_go *go, const char *file, const char *part)
{
	enum source_rank rank = part == file ? SOURCE_LIKELY : SOURCE_EXACT;
	size_t n = 0;
	const char *version = version_in(file, part, &n);

	for (unsigned i = 0; i < go->n_roots; i++) {
		const char *root = version ? version_of_root(k->s, go, i) : "";

		if (!*root || (strncmp(root, version, n) == 0 && !isdigit((unsigned char)root[n]))) {
			if (source_try(k, rank, "%s/src/%s", go->root[i], part))
				return true;
			continue;
		}
		source_reject(k, arena_printf(k->s->mem, "%s/src/%s", go->root[i], part),
			      arena_printf(k->s->mem, "is of go%s, not of go%.*s", root, (int)n, version));
	}
	return false;
}

/* MODULE@VERSION/FILE in a path, below the module cache or at the start; NULL for none. */
static const char *module_part(const char *file)
{
	const char *cache = strstr(file, "/pkg/mod/"), *at;

	file = cache ? cache + 9 : file;
	at = strchr(file, '@');
	return *file != '/' && at && at > file && strchr(at, '/') ? file : NULL;
}

/* Append a path as in the module cache: upper-case letters of module and version are written !x. */
static void source_path_go_add_escaped(struct buf *out, const char *part)
{
	size_t to = strcspn(part, "@");

	to += strcspn(part + to, "/");
	for (size_t i = 0; i < to; i++) {
		char c = (char)tolower((unsigned char)part[i]);

		buf_addf(out, "%s%c", c != part[i] ? "!" : "", c);
	}
	buf_addz(out, part + to);
}

/* Append the path of a file in a vendor folder: without !x and @VERSION. */
static void add_vendored(struct buf *out, const char *part)
{
	size_t to = strcspn(part, "@");

	for (size_t i = 0; i < to; i++) {
		bool upper = part[i] == '!' && islower((unsigned char)part[i + 1]);

		i += upper;
		buf_addf(out, "%c", upper ? toupper((unsigned char)part[i]) : part[i]);
	}
	buf_addz(out, part + to + strcspn(part + to, "/"));
}

static bool try_module(struct source_lookup *k, const struct source_go *go, const char *part)
{
	struct buf escaped = { 0 }, vendored = { 0 };
	bool found = false;

	source_path_go_add_escaped(&escaped, part);
	add_vendored(&vendored, part);
	for (unsigned i = 0; !found && i < go->n_caches; i++) {
		found = source_try(k, SOURCE_EXACT, "%s/%s", go->cache[i], escaped.data) ||
			(strcmp(part, escaped.data) != 0 && source_try(k, SOURCE_EXACT, "%s/%s", go->cache[i], part));
	}
	for (unsigned i = 0; !found && i < go->n_modules; i++)
		if (*go->module[i].name)
			found = source_try(k, SOURCE_LIKELY, "%s/vendor/%s", go->module[i].dir, vendored.data);
	buf_release(&escaped);
	buf_release(&vendored);
	return found;
}

/* Try the modules that contain the folders to search, by name. */
static bool try_main_module(struct source_lookup *k, const struct source_go *go, const char *file)
{
	for (unsigned i = 0; i < go->n_modules; i++) {
		size_t n = strlen(go->module[i].name);

		if (n && strncmp(file, go->module[i].name, n) == 0 && file[n] == '/' &&
		    source_try(k, SOURCE_EXACT, "%s%s", go->module[i].dir, file + n))
			return true;
	}
	return false;
}

bool source_try_go(struct source_lookup *k, const char *file)
{
	struct source_go *go = go_places(k->s);
	const char *part;

	if (*file != '/' && try_main_module(k, go, file))
		return true;
	part = module_part(file);
	if (part && try_module(k, go, part))
		return true;
	part = standard_part(file);
	if (part && try_standard(k, go, file, part))
		return true;
	for (unsigned i = 0; *file != '/' && is_go_file(file) && i < go->n_paths; i++)
		if (source_try(k, SOURCE_GUESS, "%s/src/%s", go->path[i], file))
			return true;
	return false;
}

void source_add_go_roots(struct source_search *s)
{
	const struct source_go *go = go_places(s);

	for (unsigned i = 0; i < go->n_roots; i++)
		source_add_root(s, go->root[i]);
	for (unsigned i = 0; i < go->n_caches; i++)
		source_add_root(s, go->cache[i]);
}
