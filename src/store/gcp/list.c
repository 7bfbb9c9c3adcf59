/*
 * list.c - the list of the profiles of a project, and their bytes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/gcp/gcp_store_int.h"

#include "base/base64.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/url_escape.h"
#include "fetch/ask.h"
#include "formats/json/jsonr.h"
#include "store/gcp/gcp_store.h"
#include "store/local/format/dict.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	PAGE_PROFILES = 1000, /* the most that the server allows */
	PAGES_MAX = 500,
	SKIP_TRIES = 3,
	LABELS_MAX = 64,
	PROJECT_MIN = 6,
	PROJECT_MAX = 63,
};

/* Bytes of profiles in memory, as uploaded: of a query; of those beside a query that another one may want. */
#define GCPSTORE_BYTES_MAX (UINT64_C(1) << 30)
#define GCPSTORE_KEPT_MAX (UINT64_C(256) << 20)

char *gcpstore_find_project(const char *url)
{
	static const char before[] = "/v2/projects/";
	const char *start = strstr(url, before);
	size_t n;

	if (!start)
		return NULL;
	start += strlen(before);
	n = strcspn(start, "/");
	if (n < PROJECT_MIN || n > PROJECT_MAX || start[n + (start[n] == '/')])
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!islower((unsigned char)start[i]) && !isdigit((unsigned char)start[i]) && !strchr("-:.", start[i]))
			return NULL;
	return mem_strndup(start, n);
}

/* ---- requests ---- */

/* Read a page. out: its JSON, owned by the caller */
static int gcpstore_ask(struct gcpstore *c, const char *token, const char *fields, struct bytes *out, struct err *err)
{
	const char *const header[] = { buf_text(&c->token) };
	struct buf path = { 0 };
	struct fetch_ask ask = { .server = c->server, .header = header, .n_headers = c->token.len > 0 };
	long status;
	int rc;

	buf_addf(&path, "/profiles?pageSize=%d&fields=", (int)PAGE_PROFILES);
	url_escape(fields, strlen(fields), URL_QUERY, &path);
	if (*token) {
		buf_addz(&path, "&pageToken=");
		url_escape(token, strlen(token), URL_QUERY, &path);
	}
	ask.path = path.data;
	rc = fetch_ask(&ask, &c->options, c->stop, out, &status, err);
	buf_release(&path);
	return rc;
}

/* Set the error of a response that cannot be read. Returns ERR_FORMAT. */
static int gcpstore_damaged(struct gcpstore *c, struct err *err)
{
	struct err own = *err;

	return err_set(err, ERR_FORMAT, "%s: the response is damaged: %.500s", buf_text(&c->name), own.msg);
}

/* ---- entries of the list ---- */

/* Read a string; "" for null. */
static const char *gcpstore_read_text(struct gcpstore *c, struct jsonr *r)
{
	return jsonr_string(r) ? arena_strndup(c->memory, r->text, r->len) : "";
}

/* The types of profiles, and our kinds of them. Other types have their name in lower case, and are counted during the profile. */
static const struct {
	const char *type, *kind;
	bool is_delta;
} gcpstore_types[] = {
	{ "CPU", "cpu", true },
	{ "WALL", "wall", true },
	{ "HEAP", "heap", false },
	{ "HEAP_ALLOC", "allocs", true },
	{ "THREADS", "threads", false },
	{ "CONTENTION", "mutex", true },
	{ "PEAK_HEAP", "peak_heap", false },
};

static void gcpstore_set_type(struct gcpstore *c, struct gcpstore_entry *e, const char *type)
{
	char *kind = arena_strndup(c->memory, type, strlen(type));

	for (size_t i = 0; i < sizeof(gcpstore_types) / sizeof(gcpstore_types[0]); i++)
		if (strcmp(gcpstore_types[i].type, kind) == 0) {
			e->kind = gcpstore_types[i].kind;
			e->is_delta = gcpstore_types[i].is_delta;
			return;
		}
	for (char *at = kind; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	e->kind = kind;
	e->is_delta = true;
}

/* Labels, distinct by name. */
struct gcpstore_labels {
	struct store_label label[LABELS_MAX];
	size_t n;
};

static void gcpstore_set_label(struct gcpstore_labels *l, const char *name, const char *value, struct jsonr *r)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->label[i].name, name) == 0) {
			l->label[i].value = value;
			return;
		}
	if (l->n == LABELS_MAX)
		jsonr_fail(r, ERR_LIMIT, "more than %d labels", (int)LABELS_MAX);
	else
		l->label[l->n++] = (struct store_label){ name, value };
}

/* Read {"zone": "europe-west1-b"}. The names of what is no label here get a _. */
static void gcpstore_read_labels(struct gcpstore *c, struct jsonr *r, struct gcpstore_labels *out)
{
	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		bool is_taken = jsonr_is(r, "service") || jsonr_is(r, "kind");
		struct buf name = { 0 };
		const char *own;

		buf_addf(&name, "%.*s%s", (int)r->len, r->text, is_taken ? "_" : "");
		own = arena_move(c->memory, &name);
		gcpstore_set_label(out, own, gcpstore_read_text(c, r), r);
	}
}

/* Parse "10s" or "3.5s". Returns 0 if it is none. */
static int64_t gcpstore_parse_duration(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	return seconds > 0 && seconds < S_PER_DAY && strcmp(end, "s") == 0 ? (int64_t)(seconds * 1e9 + 0.5) : 0;
}

static void gcpstore_read_deployment(struct gcpstore *c, struct jsonr *r, struct gcpstore_entry *e,
				     struct gcpstore_labels *labels)
{
	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		if (jsonr_is(r, "labels"))
			gcpstore_read_labels(c, r, labels);
		else if (jsonr_is(r, "target"))
			e->service = gcpstore_read_text(c, r);
		else
			jsonr_skip(r);
	}
}

static int gcpstore_compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct store_label *)a)->name, ((const struct store_label *)b)->name);
}

/* Set the labels: those of the deployment, then those of the profile. Stacks of Go's threads are of goroutines. */
static void gcpstore_set_labels(struct gcpstore *c, struct gcpstore_entry *e, struct gcpstore_labels *deployment,
				const struct gcpstore_labels *own, struct jsonr *r)
{
	struct store_label *label;

	for (size_t i = 0; i < own->n; i++)
		gcpstore_set_label(deployment, own->label[i].name, own->label[i].value, r);
	label = arena_alloc(c->memory, deployment->n + 1, sizeof(*label));
	memcpy(label, deployment->label, deployment->n * sizeof(*label));
	if (deployment->n)
		qsort(label, deployment->n, sizeof(*label), gcpstore_compare_labels);
	e->label = label;
	e->n_labels = deployment->n;
	for (size_t i = 0; i < e->n_labels; i++)
		if (strcmp(e->kind, "threads") == 0 && strcmp(label[i].name, "language") == 0 &&
		    strcmp(label[i].value, "go") == 0)
			e->kind = "goroutine";
}

/* Read a profile of the list, and add it. */
static void gcpstore_read_entry(struct gcpstore *c, struct jsonr *r)
{
	struct gcpstore_entry e = { .name = "", .service = "" };
	struct gcpstore_labels deployment = { .n = 0 }, own = { .n = 0 };
	const char *type = "", *start = "";

	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		if (jsonr_is(r, "name"))
			e.name = gcpstore_read_text(c, r);
		else if (jsonr_is(r, "profileType"))
			type = gcpstore_read_text(c, r);
		else if (jsonr_is(r, "deployment"))
			gcpstore_read_deployment(c, r, &e, &deployment);
		else if (jsonr_is(r, "duration"))
			e.duration_ns = gcpstore_parse_duration(gcpstore_read_text(c, r));
		else if (jsonr_is(r, "labels"))
			gcpstore_read_labels(c, r, &own);
		else if (jsonr_is(r, "startTime"))
			start = gcpstore_read_text(c, r);
		else
			jsonr_skip(r);
	}
	if (r->rc < 0)
		return;
	if (!*e.name || !*e.service || !*type || !time_parse_exact(start, strlen(start), &e.start_ns)) {
		c->n_unknown++;
		return;
	}
	gcpstore_set_type(c, &e, type);
	gcpstore_set_labels(c, &e, &deployment, &own, r);
	dict_series_hash(e.service, e.kind, e.label, e.n_labels, e.hash);
	e.page = (uint32_t)c->n_pages - 1;
	c->entry = mem_grow(c->entry, &c->cap, c->n + 1, sizeof(*c->entry));
	c->entry[c->n++] = e;
}

/* ---- bytes ---- */

/* The entry with a name; NULL if it is none of the list. */
static struct gcpstore_entry *gcpstore_find(struct gcpstore *c, const char *name, size_t n)
{
	uint64_t hash = hash_bytes(name, n);
	uint32_t id;

	for (size_t at = idtab_start(&c->by_name, hash); idtab_next(&c->by_name, hash, &at, &id);)
		if (strlen(c->entry[id].name) == n && memcmp(c->entry[id].name, name, n) == 0)
			return &c->entry[id];
	return NULL;
}

static void gcpstore_take_bytes(struct gcpstore *c, struct gcpstore_entry *e, const struct buf *text, struct jsonr *r)
{
	if (e->data || text->len == 0)
		return;
	if (!e->is_wanted && c->bytes > GCPSTORE_KEPT_MAX) {
		c->page[e->page].has_more = true;
		return;
	}
	e->data = mem_alloc(text->len / 4 * 3 + 3, 1);
	if (!base64_decode(text->data, text->len, e->data, &e->n)) {
		free(e->data);
		e->data = NULL;
		jsonr_fail(r, ERR_FORMAT, "the bytes of %.200s are not base64", e->name);
		return;
	}
	c->bytes += e->n;
	if (c->bytes > GCPSTORE_BYTES_MAX)
		jsonr_fail(r, ERR_LIMIT, "the profiles have more than %" PRIu64 " MiB; use a shorter window",
			   GCPSTORE_BYTES_MAX >> 20);
}

/* Read the bytes of a profile, whose name may follow them. */
static void gcpstore_read_bytes(struct gcpstore *c, struct jsonr *r)
{
	struct gcpstore_entry *e = NULL;
	struct buf text = { 0 };

	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		bool is_name = jsonr_is(r, "name");

		if (!is_name && !jsonr_is(r, "profileBytes"))
			jsonr_skip(r);
		else if (jsonr_string(r) && is_name)
			e = gcpstore_find(c, r->text, r->len);
		else if (r->rc == 0 && !is_name)
			buf_add(&text, r->text, r->len);
	}
	if (e && r->rc == 0)
		gcpstore_take_bytes(c, e, &text, r);
	buf_release(&text);
}

/* ---- pages ---- */

int gcpstore_read_page(struct gcpstore *c, const struct bytes *bytes, bool has_bytes, const char **next,
		       int64_t *n_skipped, struct err *err)
{
	struct jsonr r;
	int rc;

	*next = "";
	*n_skipped = 0;
	jsonr_init(&r, bytes->data, bytes->n, JSONR_DEPTH, err);
	if (jsonr_open(&r, JSONR_OBJECT)) {
		while (jsonr_key(&r)) {
			if (jsonr_is(&r, "nextPageToken"))
				*next = gcpstore_read_text(c, &r);
			else if (jsonr_is(&r, "skippedProfiles"))
				jsonr_int(&r, n_skipped);
			else if (!jsonr_is(&r, "profiles"))
				jsonr_skip(&r);
			else if (jsonr_open(&r, JSONR_ARRAY))
				while (jsonr_item(&r))
					(has_bytes ? gcpstore_read_bytes : gcpstore_read_entry)(c, &r);
		}
	}
	rc = r.rc < 0 ? gcpstore_damaged(c, err) : 0;
	jsonr_release(&r);
	return rc;
}

/* Wait a second. Returns false if the stop is set. */
static bool gcpstore_wait(const struct gcpstore *c)
{
	int64_t end = clock_mono_ns() + NS_PER_S;
	const struct timespec slice = { .tv_nsec = 50 * NS_PER_MS };

	while (!stop_is_set(c->stop) && clock_mono_ns() < end)
		nanosleep(&slice, NULL);
	return !stop_is_set(c->stop);
}

/* List a page, again if the server skipped profiles. next: see gcpstore_read_page */
static int gcpstore_list_page(struct gcpstore *c, const char *token, const char **next, struct err *err)
{
	static const char fields[] = "profiles(name,profileType,deployment(target,labels),duration,labels,startTime),"
				     "nextPageToken,skippedProfiles";
	size_t n = c->n;
	uint64_t n_unknown = c->n_unknown;
	int64_t n_skipped = 0;
	int rc = 0;

	for (int tries = 1; rc == 0 && tries <= SKIP_TRIES; tries++) {
		struct bytes bytes;

		c->n = n;
		c->n_unknown = n_unknown;
		rc = gcpstore_ask(c, token, fields, &bytes, err);
		rc = rc < 0 ? rc : gcpstore_read_page(c, &bytes, false, next, &n_skipped, err);
		free(bytes.data);
		if (n_skipped <= 0 || (tries < SKIP_TRIES && !gcpstore_wait(c)))
			break;
	}
	c->n_skipped += n_skipped > 0 ? (uint64_t)n_skipped : 0;
	return rc < 0 ? rc : stop_check(c->stop, err);
}

static int gcpstore_compare_entries(const void *a, const void *b)
{
	const struct gcpstore_entry *x = a, *y = b;
	int order = strcmp(x->service, y->service);

	order = order ? order : strcmp(x->kind, y->kind);
	order = order ? order : memcmp(x->hash, y->hash, sizeof(x->hash));
	if (order || x->start_ns == y->start_ns)
		return order ? order : strcmp(x->name, y->name);
	return x->start_ns < y->start_ns ? -1 : 1;
}

void gcpstore_sort(struct gcpstore *c)
{
	size_t kept = 0;

	if (c->n)
		qsort(c->entry, c->n, sizeof(*c->entry), gcpstore_compare_entries);
	idtab_init(&c->by_name, c->n);
	for (size_t i = 0; i < c->n; i++) {
		if (kept && strcmp(c->entry[i].name, c->entry[kept - 1].name) == 0)
			continue;
		c->entry[kept] = c->entry[i];
		idtab_put(&c->by_name, hash_bytes(c->entry[i].name, strlen(c->entry[i].name)), (uint32_t)kept++);
	}
	c->n = kept;
}

int gcpstore_list(struct gcpstore *c, struct err *err)
{
	const char *token = "", *next;
	int rc = 0;

	if (c->is_listed)
		return 0;
	gcpstore_forget(c);
	c->memory = arena_new();
	do {
		if (c->n_pages == PAGES_MAX)
			return err_set(err, ERR_LIMIT,
				       "%s: there are more than the %d pages with %zu profiles that were read (%" PRIu64
				       " were skipped by the server), and Cloud Profiler has no conditions for a list; "
				       "send profiles to a store with cpa collect instead",
				       buf_text(&c->name), (int)PAGES_MAX, c->n, c->n_skipped);
		c->page = mem_grow(c->page, &c->cap_pages, c->n_pages + 1, sizeof(*c->page));
		c->page[c->n_pages++] = (struct gcpstore_page){ .token = token };
		rc = gcpstore_list_page(c, token, &next, err);
		if (rc == 0 && *next && strcmp(next, token) == 0)
			rc = err_set(err, ERR_FORMAT, "%s: page %zu has its own token as that of the next",
				     buf_text(&c->name), c->n_pages);
		token = next;
	} while (rc == 0 && *token);
	if (rc < 0)
		return rc;
	gcpstore_sort(c);
	c->is_listed = true;
	return 0;
}

void gcpstore_forget(struct gcpstore *c)
{
	for (size_t i = 0; c->is_listed && i < c->n; i++)
		free(c->entry[i].data);
	idtab_release(&c->by_name);
	arena_free(c->memory);
	c->memory = NULL;
	c->n = c->n_pages = 0;
	c->n_skipped = c->n_unknown = c->bytes = 0;
	c->is_listed = false;
}

int gcpstore_fetch(struct gcpstore *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->n_pages; i++)
		if (c->page[i].has_more) /* this query may want what the one before had no room for */
			c->page[i].is_read = c->page[i].has_more = false;
	for (size_t i = 0; rc == 0 && i < c->n; i++) {
		struct gcpstore_page *page = &c->page[c->entry[i].page];
		struct bytes bytes;
		const char *next;
		int64_t n_skipped;

		if (!c->entry[i].is_wanted || c->entry[i].data || page->is_read)
			continue;
		rc = gcpstore_ask(c, page->token, "profiles(name,profileBytes)", &bytes, err);
		rc = rc < 0 ? rc : gcpstore_read_page(c, &bytes, true, &next, &n_skipped, err);
		free(bytes.data);
		page->is_read = true;
	}
	return rc;
}
