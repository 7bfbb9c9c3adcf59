/*
 * where.c - where binaries, debug files and source files are looked for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/where.h"

#include "base/buf.h"
#include "symbol/debuginfod.h"

#include <stdlib.h>

static const char *env_or(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

/* A path below the folder that a variable names; "" when it names none. */
static const char *below(const char *variable, const char *path, struct arena *mem)
{
	const char *dir = env_or(variable, "");
	struct buf b = { 0 };
	const char *out = "";

	if (*dir) {
		buf_addf(&b, "%s/%s", dir, path);
		out = arena_strndup(mem, b.data, b.len);
		buf_release(&b);
	}
	return out;
}

void symbol_where_init(struct symbol_where *w, struct arena *mem)
{
	const char *cache = below("XDG_CACHE_HOME", "cpa/symbols", mem);

	*w = (struct symbol_where){
		.symfs = "",
		.binary_path = env_or("PPROF_BINARY_PATH", below("HOME", "pprof/binaries", mem)),
		.tools = env_or("PPROF_TOOLS", ""),
		.source_path = "",
		.trim_path = "",
		.cache = *cache ? cache : below("HOME", ".cache/cpa/symbols", mem),
		.debuginfod = *env_or("DEBUGINFOD_URLS", ""),
		.debuginfod_seconds = 20,
		.servers = debuginfod_new(mem),
	};
}
