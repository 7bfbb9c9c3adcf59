/*
 * debuginfod_cache.c - the cache that libdebuginfod keeps for all programs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/debuginfod_cache.h"

#include "symbol/where_path.h"

#include <dirent.h>
#include <elfutils/debuginfod.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the library has it: the first of these that is there, as it looks for it. */
static const char *folder(struct arena *mem, const char *build_id)
{
	static const char *const place[][2] = { { DEBUGINFOD_CACHE_PATH_ENV_VAR, "" },
						{ "HOME", ".debuginfod_client_cache" },
						{ "XDG_CACHE_HOME", "debuginfod_client" },
						{ "HOME", ".cache/debuginfod_client" } };

	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
		const char *root = getenv(place[i][0]);

		if (root && *root) {
			const char *path = where_join(mem, root, place[i][1], build_id, "");

			if (access(path, F_OK) == 0)
				return path;
		}
	}
	return NULL;
}

void debuginfod_cache_forget(const char *build_id, time_t since)
{
	struct arena *mem = arena_new();
	const char *path = folder(mem, build_id);
	DIR *d = path ? opendir(path) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct stat st;

		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		    st.st_size == 0 && st.st_mtime >= since)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
	arena_free(mem);
}
