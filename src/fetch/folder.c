/*
 * folder.c - the /debug/pprof folder of a server, and the URLs of its profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/folder.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/url_escape.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Is this the name of a profile below /debug/pprof? If a URL ends in such a name, its folder is the part before it. */
static bool is_profile(const char *name)
{
	static const char *const names[] = {
		"profile", "cmdline", "heap",  "allocs",       "goroutine", "threads",
		"block",   "mutex",   "trace", "threadcreate", "symbol",    "goroutineleak"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The query without seconds and debug, which are set for each request. */
static char *strip_request_keys(const char *query)
{
	struct buf out = { 0 };
	char *text;

	for (const char *at = query; *at;) {
		size_t n = strcspn(at, "&");

		if (!starts_with(at, "seconds=") && !starts_with(at, "debug=")) {
			buf_addz(&out, out.len ? "&" : "");
			buf_add(&out, at, n);
		}
		at += n + (at[n] == '&');
	}
	text = mem_strndup(buf_text(&out), out.len);
	buf_release(&out);
	return text;
}

int fetch_folder(const char *source, struct url *out, struct err *err)
{
	struct buf redacted = { 0 };
	char *slash, *query;
	size_t n;
	int rc = url_parse(source, 0, out, err);

	if (rc < 0) {
		url_redact(source, &redacted);
		err_wrap(err, "%.300s", buf_text(&redacted));
		buf_release(&redacted);
		return rc;
	}
	slash = strrchr(out->path, '/');
	if (slash && is_profile(slash + 1))
		*slash = '\0';
	for (n = strlen(out->path); n && out->path[n - 1] == '/';)
		out->path[--n] = '\0';
	query = strip_request_keys(out->query);
	free(out->query);
	out->query = query;
	out->seconds = 0;
	return 0;
}

void fetch_folder_url(const struct url *folder, const char *name, const char *query, int64_t seconds, struct url *out)
{
	struct buf path = { 0 }, all = { 0 };

	assert(*name && query && seconds >= 0);
	url_copy(folder, out);
	buf_addf(&path, "%s/", folder->path);
	url_escape(name, strlen(name), URL_PATH, &path);
	buf_addf(&all, "%s%s%s", folder->query, *folder->query && *query ? "&" : "", query);
	free(out->path);
	free(out->query);
	out->path = mem_strndup(path.data, path.len);
	out->query = mem_strndup(buf_text(&all), all.len);
	out->seconds = seconds;
	buf_release(&path);
	buf_release(&all);
}
