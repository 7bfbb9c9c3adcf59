/*
 * fetch.c - plan a snapshot, and fetch it from the server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A first request checks that the server responds, and gets the command line. A second request checks whether the
 * server is cpa's, with threads, or another one, with goroutines. So a server that is down is reported once, and not
 * by eight requests. All other requests run in parallel, since a CPU profile takes a long time.
 */
#include "config.h"

#include "snapshot/snapshot.h"

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "fetch/folder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KIND_MAX = 64, HOST_MAX = 256, HTTP_NOT_FOUND = 404 };

static const char default_kinds[] = "cpu,heap,allocs,goroutine,block,mutex";

/* Is the name valid for both a profile and a file? */
static bool snapshot_fetch_is_name(const char *s, size_t n)
{
	if (n == 0 || n > KIND_MAX || *s == '.' || *s == '-')
		return false;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] <= ' ' || strchr("/?#\177", s[i]))
			return false;
	for (size_t at = 0, width; at < n; at += width) {
		uint32_t c;

		width = utf8_decode(s + at, n - at, &c);
		if (!width || !utf8_is_safe(c))
			return false;
	}
	return true;
}

static struct snapshot_entry *snapshot_fetch_add_entry(struct snapshot *s, const char *kind, bool is_dump)
{
	struct buf file = { 0 };
	struct snapshot_entry *x;

	s->entry = mem_grow(s->entry, &s->cap, s->n + 1, sizeof(*s->entry));
	x = &s->entry[s->n++];
	*x = (struct snapshot_entry){ .kind = mem_strndup(kind, strlen(kind)),
				      .is_dump = is_dump,
				      .state = SNAPSHOT_FAILED };
	buf_addf(&file, "%s%s", kind, is_dump ? ".txt" : ".pb.gz");
	x->file = file.data;
	return x;
}

static int snapshot_fetch_add_kind(struct snapshot *s, const char *name, size_t n, bool is_default, struct err *err)
{
	char kind[KIND_MAX + 1];
	struct snapshot_entry *x;

	if (!snapshot_fetch_is_name(name, n))
		return err_set(err, ERR_USAGE, "--kinds: \"%.*s\" is not a valid profile name",
			       (int)(n < KIND_MAX ? n : KIND_MAX), name);
	if (n == strlen("profile") && memcmp(name, "profile", n) == 0) /* the URL of the kind cpu */
		name = "cpu", n = strlen(name);
	snprintf(kind, sizeof(kind), "%.*s", (int)n, name);
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->entry[i].kind, kind) == 0)
			return err_set(err, ERR_USAGE, "--kinds: %s is listed twice", kind);
	x = snapshot_fetch_add_entry(s, kind, false);
	x->is_optional = is_default && (strcmp(kind, "block") == 0 || strcmp(kind, "mutex") == 0);
	return 0;
}

static int snapshot_fetch_add_kinds(struct snapshot *s, struct err *err)
{
	const char *kinds = s->options->kinds;
	bool is_default = !kinds || !*kinds;
	int rc = 0;

	for (const char *at = is_default ? default_kinds : kinds; rc == 0;) {
		size_t n = strcspn(at, ",");

		rc = snapshot_fetch_add_kind(s, at, n, is_default, err);
		if (!at[n])
			break;
		at += n + 1;
	}
	if (rc == 0 && s->options->dump)
		snapshot_fetch_add_entry(s, "goroutine", true);
	return rc;
}

static int check_absent(const char *folder, const char *file, struct err *err)
{
	struct buf path = { 0 };
	struct stat st;
	int rc = 0;

	buf_addf(&path, "%s/%s", folder, file);
	if (lstat(path.data, &st) == 0)
		rc = err_set(err, ERR_IO, "%s: file exists; replace it with --force", path.data);
	buf_release(&path);
	return rc;
}

/* Check that no planned file exists. Fails with ERR_IO, naming the first that does. */
static int check_all_absent(const struct snapshot *s, struct err *err)
{
	const char *folder = s->options->folder;
	struct stat st;
	int rc = 0;

	if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(err, ERR_IO, "%s: not a folder", folder);
	for (size_t i = 0; i < s->n && rc == 0 && !s->options->force; i++) {
		const struct snapshot_entry *x = &s->entry[i];

		rc = check_absent(folder, x->file, err);
		if (rc == 0 && strcmp(x->kind, "goroutine") == 0) /* may be renamed to threads */
			rc = check_absent(folder, x->is_dump ? "threads.txt" : "threads.pb.gz", err);
	}
	if (rc == 0 && !s->options->force)
		rc = check_absent(folder, SNAPSHOT_MANIFEST, err);
	return rc;
}

/* The host of the server; the host name if it is this machine. */
static char *host_name(const struct url *u)
{
	char name[HOST_MAX] = "";

	if (url_is_local(u) && gethostname(name, sizeof(name) - 1) == 0 && *name)
		return mem_strndup(name, strlen(name));
	return mem_strndup(u->host, strlen(u->host));
}

int snapshot_plan(const struct snapshot_options *o, struct url *folder, struct snapshot *out, struct err *err)
{
	int rc;

	assert(o->fetch && *o->folder && o->seconds > 0);
	*out = (struct snapshot){ .options = o, .folder = *folder, .host = host_name(folder) };
	*folder = (struct url){ 0 };
	rc = snapshot_fetch_add_kinds(out, err);
	return rc < 0 ? rc : check_all_absent(out, err);
}

static struct snapshot_entry *find_entry(const struct snapshot *s, const char *kind, bool is_dump)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->entry[i].kind, kind) == 0 && s->entry[i].is_dump == is_dump)
			return &s->entry[i];
	return NULL;
}

/* Rename goroutine to threads. A server of cpa has threads, and goroutine is an alias. */
static void rename_to_threads(struct snapshot_entry *x)
{
	if (!x)
		return;
	free(x->kind);
	free(x->file);
	x->kind = mem_strndup("threads", 7);
	x->file = x->is_dump ? mem_strndup("threads.txt", 11) : mem_strndup("threads.pb.gz", 13);
}

/* Check that the server responds, get its command line, and check for threads. */
static int probe_server(struct snapshot *s, struct err *err)
{
	struct snapshot_entry *x = find_entry(s, "goroutine", false), *dump = find_entry(s, "goroutine", true);
	bool wants_threads = (x || dump) && !find_entry(s, "threads", false);
	struct url url[2];
	struct fetch_request request[2] = { { .url = &url[0] }, { .url = &url[1] } };
	int rc = 0;

	fetch_folder_url(&s->folder, "cmdline", "", 0, &url[0]);
	fetch_folder_url(&s->folder, "threads", "", 0, &url[1]);
	if (s->options->fetch(s->options->arg, request, wants_threads ? 2 : 1, "contacting the server"))
		rc = err_set(err, ERR_IO, "interrupted");
	else if (request[0].rc < 0 && request[0].status == 0) {
		*err = request[0].err;
		rc = request[0].rc;
	}
	if (rc == 0 && request[0].rc == 0 && s->options->cmdline)
		buf_add(&s->cmdline, request[0].bytes.data, request[0].bytes.n);
	if (rc == 0 && wants_threads && request[1].rc == 0) {
		rename_to_threads(x);
		rename_to_threads(dump);
	}
	for (int i = 0; i < 2; i++) {
		free(request[i].bytes.data);
		url_release(&url[i]);
	}
	return rc;
}

static void snapshot_fetch_set_url(const struct snapshot *s, struct snapshot_entry *x)
{
	bool is_cpu = strcmp(x->kind, "cpu") == 0, is_heap = strcmp(x->kind, "heap") == 0;
	struct buf query = { 0 };

	assert(x->kind && x->file);
	if (is_cpu)
		buf_addf(&query, "seconds=%lld", (long long)s->options->seconds);
	else
		buf_addz(&query, x->is_dump ? "debug=2" : is_heap && s->options->gc ? "gc=1" : "");
	fetch_folder_url(&s->folder, is_cpu ? "profile" : x->kind, buf_text(&query), is_cpu ? s->options->seconds : 0,
			 &x->url);
	buf_release(&query);
}

int snapshot_fetch(struct snapshot *s, struct err *err)
{
	struct fetch_request *request;
	int rc;

	assert(s->n > 0 && s->options->fetch);
	s->begin_ns = clock_wall_ns();
	rc = probe_server(s, err);
	if (rc < 0)
		return rc;
	request = mem_zalloc(s->n, sizeof(*request));
	for (size_t i = 0; i < s->n; i++) {
		snapshot_fetch_set_url(s, &s->entry[i]);
		request[i].url = &s->entry[i].url;
	}
	s->interrupted = s->options->fetch(s->options->arg, request, s->n, "waiting for the server");
	s->end_ns = clock_wall_ns();
	for (size_t i = 0; i < s->n; i++) {
		struct snapshot_entry *x = &s->entry[i];

		x->request = request[i];
		x->request.url = &x->url;
		x->err = request[i].err;
		if (request[i].rc < 0 && s->interrupted && request[i].status != 200 &&
		    strstr(x->err.msg, "interrupted"))
			x->state = SNAPSHOT_INTERRUPTED;
		else if (request[i].rc < 0 && request[i].status == HTTP_NOT_FOUND && x->is_optional)
			x->state = SNAPSHOT_MISSING;
	}
	free(request);
	return 0;
}

void snapshot_release(struct snapshot *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct snapshot_entry *x = &s->entry[i];

		free(x->kind);
		free(x->file);
		if (x->url.scheme)
			url_release(&x->url);
		free(x->request.bytes.data);
		buf_release(&x->note);
		buf_release(&x->packed);
		profile_free(x->p);
	}
	free(s->entry);
	free(s->host);
	buf_release(&s->cmdline);
	if (s->folder.scheme)
		url_release(&s->folder);
	*s = (struct snapshot){ 0 };
}
