/*
 * options.c - options for finding binaries, debug files and source files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/options.h"

#include "base/buf.h"
#include "base/path.h"
#include "symbol/debuginfod.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *env_or(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

/* A path below the folder in an environment variable; "" when it is not set. */
static const char *below(const char *variable, const char *path, struct arena *mem)
{
	const char *dir = env_or(variable, "");

	return *dir ? arena_printf(mem, "%s/%s", dir, path) : "";
}

void symbol_options_init(struct symbol_options *w, struct arena *mem)
{
	const char *cache = below("XDG_CACHE_HOME", "cpa/symbols", mem);

	*w = (struct symbol_options){
		.symfs = "",
		.binary_path = env_or("PPROF_BINARY_PATH", below("HOME", "pprof/binaries", mem)),
		.tools = env_or("PPROF_TOOLS", ""),
		.debug_dir = env_or("PERF_BUILDID_DIR", below("HOME", ".debug", mem)),
		.kallsyms = "",
		.source_path = "",
		.trim_path = "",
		.cache = *cache ? cache : below("HOME", ".cache/cpa/symbols", mem),
		.debuginfod = *env_or("DEBUGINFOD_URLS", ""),
		.debuginfod_seconds = 20,
		.servers = debuginfod_new(mem),
	};
}

const char *symbol_path_join(struct arena *mem, const char *a, const char *b, const char *c, const char *d)
{
	const char *part[] = { a, b, c, d };
	struct buf all = { 0 }, path = { 0 };

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		if (!*part[i])
			continue;
		if (all.len)
			buf_addz(&all, "/");
		buf_addz(&all, part[i]);
	}
	path_add_clean(&path, buf_text(&all));
	buf_release(&all);
	return arena_move(mem, &path);
}

const char *symbol_path_last_name(struct arena *mem, const char *path)
{
	struct buf base = { 0 };

	path_add_base(&base, path);
	return arena_move(mem, &base);
}

const char *symbol_path_dir(struct arena *mem, const char *path)
{
	struct buf dir = { 0 };

	path_add_dir(&dir, path);
	return arena_move(mem, &dir);
}

const char *symbol_path_list_next(struct arena *mem, const char **list)
{
	const char *start = *list;
	size_t n;

	assert(list);
	if (!start || *start == '\0')
		return NULL;
	n = strcspn(start, ":");
	*list = start[n] == ':' ? start + n + 1 : NULL;
	return arena_strndup(mem, start, n);
}
