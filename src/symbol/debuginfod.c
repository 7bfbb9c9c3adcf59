/*
 * debuginfod.c - files from debuginfod servers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/debuginfod.h"

#include "base/library.h"
#include "base/path.h"
#include "base/time.h"
#include "symbol/debugfile.h"
#include "symbol/object_file.h"
#include "symbol/options.h"

#include <assert.h>
#include <dirent.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The cache directory of a build id: the first existing one, in the order of the library. */
static const char *cache_path(struct arena *mem, const char *build_id)
{
	static const char *const place[][2] = { { DEBUGINFOD_CACHE_PATH_ENV_VAR, "" },
						{ "HOME", ".debuginfod_client_cache" },
						{ "XDG_CACHE_HOME", "debuginfod_client" },
						{ "HOME", ".cache/debuginfod_client" } };

	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
		const char *root = getenv(place[i][0]);

		if (root && *root) {
			const char *path = symbol_path_join(mem, root, place[i][1], build_id, "");

			if (access(path, F_OK) == 0)
				return path;
		}
	}
	return NULL;
}

void debuginfod_cache_forget(const char *build_id, time_t since)
{
	struct arena *mem = arena_new();
	const char *path = cache_path(mem, build_id);
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

enum { NAMES_SHOWN = 3 };

struct debuginfod {
	pthread_mutex_t lock; /* held during requests, so that the time of parallel requests is not counted twice */
	int64_t spent_ns;
	bool is_disabled; /* set when a server did not answer; no more requests are sent */
	uint32_t n_missing;
	char names[NAMES_SHOWN][128]; /* names of the first missing files */
	char why[256];                /* why the first of these files is missing */
};

/* clang-format off */
#define DEBUGINFOD_FUNCTIONS(F) \
	F(begin) F(end) F(find_debuginfo) F(find_executable) F(find_source) F(set_progressfn) \
	F(set_user_data) F(get_user_data) F(get_url)

/* The functions of the library, which is loaded for the first request. */
struct functions {
#define FUNCTION(name) __typeof__(debuginfod_##name) *name;
	DEBUGINFOD_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

static struct functions lib;
#define FUNCTION(name) LIBRARY_FUNCTION(functions, "debuginfod_" #name, name)
static const struct library_function functions[] = { DEBUGINFOD_FUNCTIONS(FUNCTION) };
#undef FUNCTION
static struct library library = LIBRARY(DEBUGINFOD_SONAME, functions, &lib, "");

/* One request. */
struct debuginfod_request {
	const struct symbol_options *w;
	const char *build_id, *name;
	const char *source; /* source file; NULL for other requests */
	enum debuginfod_kind kind;
	int64_t start_ns, shown_ns, allowed_ns;
	bool out_of_time;
	char url[160]; /* URL of the server that answered last; "" if unknown */
};

struct debuginfod *debuginfod_new(struct arena *mem)
{
	struct debuginfod *d = arena_zalloc(mem, 1, sizeof(*d));

	pthread_mutex_init(&d->lock, NULL);
	return d;
}

/* Called by the library about every second, and when data arrives; true cancels the request. */
static int debuginfod_progress(debuginfod_client *client, long a, long b)
{
	struct debuginfod_request *q = lib.get_user_data(client);
	int64_t now = clock_mono_ns();

	if (!q)
		return 0;
	q->out_of_time = now - q->start_ns > q->allowed_ns || stop_is_set(q->w->stop);
	if (q->w->progress && now - q->start_ns > NS_PER_S / 2 && now - q->shown_ns > NS_PER_S / 4) {
		q->w->progress(q->w->progress_arg, q->name, b > 0 ? a : 0, b > 0 ? b : 0);
		q->shown_ns = now;
	}
	return q->out_of_time;
}

/* Send a request through the library. Returns a descriptor or a negative errno. */
static int send_request(struct debuginfod_request *q, char **path)
{
	debuginfod_client *client = lib.begin();
	const unsigned char *id = (const unsigned char *)q->build_id;
	const char *url;
	time_t start = time(NULL);
	int fd;

	if (!client)
		return -ENOMEM;
	q->start_ns = clock_mono_ns();
	lib.set_user_data(client, q);
	lib.set_progressfn(client, debuginfod_progress);
	if (q->source)
		fd = lib.find_source(client, id, 0, q->source, path);
	else if (q->kind == DEBUGINFOD_DEBUG)
		fd = lib.find_debuginfo(client, id, 0, path);
	else
		fd = lib.find_executable(client, id, 0, path);
	url = lib.get_url(client);
	snprintf(q->url, sizeof(q->url), "%s", url ? url : "");
	lib.end(client);
	if (q->out_of_time)
		debuginfod_cache_forget(q->build_id, start);
	if (q->shown_ns)
		q->w->progress(q->w->progress_arg, NULL, 0, 0);
	return fd;
}

static bool debuginfod_is_hex(const char *id)
{
	size_t n = strlen(id);

	return n >= 8 && n <= 2 * BUILD_ID_MAX && n % 2 == 0 && strspn(id, "0123456789abcdef") == n;
}

/* Record that a file is missing, in d and in the notes. */
static void record_missing(struct debuginfod *d, const struct debuginfod_request *q, struct buf *tried, const char *why)
{
	if (d->n_missing == 0)
		snprintf(d->why, sizeof(d->why), "%s", why);
	if (d->n_missing < NAMES_SHOWN)
		snprintf(d->names[d->n_missing], sizeof(d->names[0]), "%s", path_base(q->name));
	d->n_missing++;
	debugfile_note(tried, "debuginfod", why);
}

static void record_failure(struct debuginfod *d, const struct debuginfod_request *q, int error, struct buf *tried)
{
	char why[256];

	if (error == ENOENT && !q->out_of_time) {
		debugfile_note(tried, "debuginfod", "not found on the servers");
		return;
	}
	if (q->out_of_time)
		snprintf(why, sizeof(why), "no answer within %" PRId64 " seconds (--debuginfod-timeout)",
			 q->w->debuginfod_seconds);
	else
		snprintf(why, sizeof(why), "%s", strerror(error));
	d->is_disabled = q->out_of_time || error == ETIME || error == ETIMEDOUT || error == ECONNREFUSED ||
			 error == EHOSTUNREACH || error == ENETUNREACH;
	record_missing(d, q, tried, why);
}

/* Send a request within the remaining time; the lock is held. */
static int request_in_time(struct debuginfod *d, struct debuginfod_request *q, struct buf *tried, char **path)
{
	int64_t limit = q->w->debuginfod_seconds;
	int fd;

	q->allowed_ns = (limit > 1000000 ? 1000000 : limit) * NS_PER_S - d->spent_ns;
	if (d->is_disabled || q->allowed_ns <= 0) {
		record_missing(d, q, tried, *d->why ? d->why : "timed out (--debuginfod-timeout)");
		return -1;
	}
	if (library_use(&library, NULL) < 0) {
		d->is_disabled = true;
		record_missing(d, q, tried, "cannot load libdebuginfod (package libdebuginfod1)");
		return -1;
	}
	fd = send_request(q, path);
	d->spent_ns += clock_mono_ns() - q->start_ns;
	if (fd < 0)
		record_failure(d, q, -fd, tried);
	return fd < 0 ? -1 : fd;
}

/* Does the path belong to the library's cache entry for this build id? */
static bool is_cached(const char *path, const char *build_id)
{
	const char *at = strstr(path, build_id);

	return at && at > path && at[-1] == '/' && at[strlen(build_id)] == '/';
}

/* Open the received file. If it is not the requested file, it is removed from the cache, which gdb uses too. */
static bool debuginfod_verify(struct debuginfod *d, const struct debuginfod_request *q, int fd, const char *path,
			      struct buf *tried, struct object_file *out)
{
	struct err err;
	char why[256];

	if (object_file_take(fd, path, out, &err) == 0) {
		if (strcmp(out->build_id, q->build_id) == 0 &&
		    (q->kind == DEBUGINFOD_PROGRAM || object_file_has_dwarf(out))) {
			debugfile_note(tried, path, "used");
			return true;
		}
		object_file_close(out);
	}
	if (is_cached(path, q->build_id))
		unlink(path);
	snprintf(why, sizeof(why), "%s sent a different file than requested", *q->url ? q->url : "a server");
	record_missing(d, q, tried, why);
	return false;
}

bool debuginfod_open(const struct symbol_options *w, enum debuginfod_kind kind, const char *build_id, const char *name,
		     struct buf *tried, struct object_file *out)
{
	struct debuginfod_request q = { .w = w, .kind = kind, .build_id = build_id, .name = name };
	char *path = NULL;
	bool found;
	int fd;

	assert(build_id && name && out);
	if (!w->debuginfod || !w->servers || !debuginfod_is_hex(build_id))
		return false;
	pthread_mutex_lock(&w->servers->lock);
	fd = request_in_time(w->servers, &q, tried, &path);
	found = fd >= 0 && debuginfod_verify(w->servers, &q, fd, path ? path : name, tried, out);
	pthread_mutex_unlock(&w->servers->lock);
	free(path);
	return found;
}

int debuginfod_source(const struct symbol_options *w, const char *build_id, const char *file, struct arena *mem,
		      const char **path, struct buf *tried)
{
	struct debuginfod_request q = { .w = w, .source = file, .build_id = build_id, .name = file };
	char *cached = NULL;
	int fd;

	*path = "";
	if (!w->debuginfod || !w->servers || !debuginfod_is_hex(build_id) || *file != '/')
		return -1;
	pthread_mutex_lock(&w->servers->lock);
	fd = request_in_time(w->servers, &q, tried, &cached);
	pthread_mutex_unlock(&w->servers->lock);
	if (cached)
		*path = arena_strndup(mem, cached, strlen(cached));
	free(cached);
	return fd;
}

bool debuginfod_missing(const struct symbol_options *w, struct buf *out)
{
	struct debuginfod *d = w->servers;
	uint32_t shown;

	if (!d || d->n_missing == 0)
		return false;
	shown = d->n_missing < NAMES_SHOWN ? d->n_missing : NAMES_SHOWN;
	buf_addz(out, "debuginfod failed for ");
	for (uint32_t i = 0; i < shown; i++)
		buf_addf(out, "%s%s", i ? ", " : "", d->names[i]);
	if (d->n_missing > shown)
		buf_addf(out, " and %" PRIu32 " more", d->n_missing - shown);
	buf_addf(out, ": %s", d->why);
	return true;
}
