/*
 * fetch.c - what a snapshot has, and the server that is asked for it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A first, small round finds out whether there is a server, which program it is, and whether it knows threads
 * (cpa's own) or goroutines; so that a server that is down is told once, and is not waited for with eight
 * requests. All the rest then is asked side by side, since a profile of CPU time takes its time.
 */
#include "config.h"

#include "snapshot/snapshot.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "fetch/folder.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KIND_MAX = 64, HOST_MAX = 256, HTTP_NOT_FOUND = 404 };

static const char usual[] = "cpu,heap,allocs,goroutine,block,mutex";

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* May this be the name of a profile, and of a file? */
static bool is_name(const char *s, size_t n)
{
	if (n == 0 || n > KIND_MAX || *s == '.' || *s == '-')
		return false;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] <= ' ' || strchr("/?#\177", s[i]))
			return false;
	for (size_t at = 0, width; at < n; at += width) {
		uint32_t c;

		width = utf8_decode(s + at, n - at, &c);
		if (!width || !utf8_is_plain(c))
			return false;
	}
	return true;
}

static struct shot *add(struct snapshot *s, const char *kind, bool is_dump)
{
	struct buf file = { 0 };
	struct shot *x;

	s->shot = mem_grow(s->shot, &s->cap, s->n + 1, sizeof(*s->shot));
	x = &s->shot[s->n++];
	*x = (struct shot){ .kind = mem_strndup(kind, strlen(kind)), .is_dump = is_dump, .state = SHOT_FAILED };
	buf_addf(&file, "%s%s", kind, is_dump ? ".txt" : ".pb.gz");
	x->file = file.data;
	return x;
}

static int add_kind(struct snapshot *s, const char *name, size_t n, bool is_usual, struct err *err)
{
	char kind[KIND_MAX + 1];
	struct shot *x;

	if (!is_name(name, n))
		return err_set(err, ERR_USAGE, "--kinds: \"%.*s\" cannot be the name of a profile",
			       (int)(n < KIND_MAX ? n : KIND_MAX), name);
	if (n == strlen("profile") && memcmp(name, "profile", n) == 0) /* as its path has it */
		name = "cpu", n = strlen(name);
	snprintf(kind, sizeof(kind), "%.*s", (int)n, name);
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->shot[i].kind, kind) == 0)
			return err_set(err, ERR_USAGE, "--kinds: %s stands there twice", kind);
	x = add(s, kind, false);
	x->is_optional = is_usual && (strcmp(kind, "block") == 0 || strcmp(kind, "mutex") == 0);
	return 0;
}

static int add_kinds(struct snapshot *s, struct err *err)
{
	const char *kinds = s->options->kinds;
	bool is_usual = !kinds || !*kinds;
	int rc = 0;

	for (const char *at = is_usual ? usual : kinds; rc == 0;) {
		size_t n = strcspn(at, ",");

		rc = add_kind(s, at, n, is_usual, err);
		if (!at[n])
			break;
		at += n + 1;
	}
	if (rc == 0 && s->options->dump)
		add(s, "goroutine", true);
	return rc;
}

static int check_one(const char *folder, const char *file, struct err *err)
{
	struct buf path = { 0 };
	struct stat st;
	int rc = 0;

	buf_addf(&path, "%s/%s", folder, file);
	if (lstat(path.data, &st) == 0)
		rc = err_set(err, ERR_IO, "%s is there already; --force replaces it", path.data);
	buf_release(&path);
	return rc;
}

/* No file of the plan may be there. Fails with ERR_IO, naming the first that is. */
static int check_free(const struct snapshot *s, struct err *err)
{
	const char *folder = s->options->folder;
	struct stat st;
	int rc = 0;

	if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(err, ERR_IO, "%s is no folder", folder);
	for (size_t i = 0; i < s->n && rc == 0 && !s->options->force; i++) {
		const struct shot *x = &s->shot[i];

		rc = check_one(folder, x->file, err);
		if (rc == 0 && strcmp(x->kind, "goroutine") == 0) /* as which it may come */
			rc = check_one(folder, x->is_dump ? "threads.txt" : "threads.pb.gz", err);
	}
	if (rc == 0 && !s->options->force)
		rc = check_one(folder, SNAPSHOT_MANIFEST, err);
	return rc;
}

/* The server's host; of this machine its name. */
static char *host_of(const struct url *u)
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
	*out = (struct snapshot){ .options = o, .folder = *folder, .host = host_of(folder) };
	*folder = (struct url){ 0 };
	rc = add_kinds(out, err);
	return rc < 0 ? rc : check_free(out, err);
}

static struct shot *find(const struct snapshot *s, const char *kind, bool is_dump)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->shot[i].kind, kind) == 0 && s->shot[i].is_dump == is_dump)
			return &s->shot[i];
	return NULL;
}

/* A server of cpa's has threads, which goroutine is only another name of. */
static void rename_shot(struct shot *x)
{
	if (!x)
		return;
	free(x->kind);
	free(x->file);
	x->kind = mem_strndup("threads", 7);
	x->file = x->is_dump ? mem_strndup("threads.txt", 11) : mem_strndup("threads.pb.gz", 13);
}

/* The first round. */
static int fetch_first(struct snapshot *s, struct err *err)
{
	struct shot *x = find(s, "goroutine", false), *dump = find(s, "goroutine", true);
	bool wants_threads = (x || dump) && !find(s, "threads", false);
	struct url url[2];
	struct fetch get[2] = { { .url = &url[0] }, { .url = &url[1] } };
	int rc = 0;

	fetch_folder_url(&s->folder, "cmdline", "", 0, &url[0]);
	fetch_folder_url(&s->folder, "threads", "", 0, &url[1]);
	if (s->options->fetch(s->options->arg, get, wants_threads ? 2 : 1, "asking the server"))
		rc = err_set(err, ERR_IO, "interrupted");
	else if (get[0].rc < 0 && get[0].status == 0) {
		*err = get[0].err;
		rc = get[0].rc;
	}
	if (rc == 0 && get[0].rc == 0 && s->options->cmdline)
		buf_add(&s->cmdline, get[0].bytes.data, get[0].bytes.n);
	if (rc == 0 && wants_threads && get[1].rc == 0) {
		rename_shot(x);
		rename_shot(dump);
	}
	for (int i = 0; i < 2; i++) {
		free(get[i].bytes.data);
		url_release(&url[i]);
	}
	return rc;
}

static void ask_for(const struct snapshot *s, struct shot *x)
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
	struct fetch *get;
	int rc;

	assert(s->n > 0 && s->options->fetch);
	s->begin_ns = now_ns();
	rc = fetch_first(s, err);
	if (rc < 0)
		return rc;
	get = mem_zalloc(s->n, sizeof(*get));
	for (size_t i = 0; i < s->n; i++) {
		ask_for(s, &s->shot[i]);
		get[i].url = &s->shot[i].url;
	}
	s->interrupted = s->options->fetch(s->options->arg, get, s->n, "waiting for the server");
	s->end_ns = now_ns();
	for (size_t i = 0; i < s->n; i++) {
		struct shot *x = &s->shot[i];

		x->get = get[i];
		x->get.url = &x->url;
		x->err = get[i].err;
		if (get[i].rc < 0 && s->interrupted && get[i].status != 200 && strstr(x->err.msg, "interrupted"))
			x->state = SHOT_INTERRUPTED;
		else if (get[i].rc < 0 && get[i].status == HTTP_NOT_FOUND && x->is_optional)
			x->state = SHOT_MISSING;
	}
	free(get);
	return 0;
}

void snapshot_release(struct snapshot *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct shot *x = &s->shot[i];

		free(x->kind);
		free(x->file);
		if (x->url.scheme)
			url_release(&x->url);
		free(x->get.bytes.data);
		buf_release(&x->note);
		buf_release(&x->packed);
		profile_free(x->p);
	}
	free(s->shot);
	free(s->host);
	buf_release(&s->cmdline);
	if (s->folder.scheme)
		url_release(&s->folder);
	*s = (struct snapshot){ 0 };
}
