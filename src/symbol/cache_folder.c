/*
 * cache_folder.c - the folder of a cache: paths, writing, keeping it small
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/cache_folder.h"

#include "base/io.h"
#include "base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const uint64_t max_folder = 512 << 20;
static const char suffix[] = ".frames";

enum { MAX_BUILD_ID = 128, MAX_ENTRIES = 1 << 16 };

struct entry {
	char *name;
	uint64_t size;
	struct timespec used;
};

bool cache_folder_path(const char *dir, const char *build_id, struct buf *out)
{
	size_t n = strlen(build_id);

	if (!*dir || n < 8 || n > MAX_BUILD_ID || strspn(build_id, "0123456789abcdef") != n)
		return false;
	buf_addf(out, "%s/%s%s", dir, build_id, suffix);
	return true;
}

void cache_folder_used(const char *path)
{
	const struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };

	utimensat(AT_FDCWD, path, now, 0);
}

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Our files in a folder, and how much they hold. */
static struct entry *list(DIR *dir, size_t *n, uint64_t *total)
{
	struct entry *e = NULL;
	struct dirent *d;
	size_t cap = 0;
	struct stat st;

	*n = 0;
	*total = 0;
	while (*n < MAX_ENTRIES && (d = readdir(dir))) {
		if (!strstr(d->d_name, suffix) || fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		e = mem_grow(e, &cap, *n + 1, sizeof(*e));
		e[(*n)++] =
			(struct entry){ mem_strndup(d->d_name, strlen(d->d_name)), (uint64_t)st.st_size, st.st_mtim };
		*total += (uint64_t)st.st_size;
	}
	return e;
}

static void shrink(const char *path)
{
	DIR *dir = opendir(path);
	struct entry *e;
	uint64_t total;
	size_t n;

	if (!dir)
		return;
	e = list(dir, &n, &total);
	if (total > max_folder)
		qsort(e, n, sizeof(*e), by_use);
	for (size_t i = 0; i < n; i++) {
		if (total > max_folder && i + 1 < n && unlinkat(dirfd(dir), e[i].name, 0) == 0)
			total -= e[i].size;
		free(e[i].name);
	}
	free(e);
	closedir(dir);
}

void cache_folder_put(const char *dir, const char *build_id, const void *data, size_t n)
{
	struct buf path = { 0 };
	struct io_out out;

	if (cache_folder_path(dir, build_id, &path)) {
		io_make_folders(dir);
		mkdir(dir, 0700);
		if (io_out_open(path.data, &out, NULL) == 0) {
			bool keep = fchmod(out.fd, 0600) == 0 && io_write_fd(out.fd, data, n, NULL) == 0;

			io_out_close(&out, keep, NULL);
			shrink(dir);
		}
	}
	buf_release(&path);
}
