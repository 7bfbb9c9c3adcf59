/*
 * remote.c - sources on servers, which are fetched before they are read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A fetched source is renamed to its URL without user and password. Only this name is used in reports,
 * labels and messages.
 */
#include "config.h"

#include "answer/remote.h"

#include "base/mem.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct remote_source {
	size_t number;
	char *name; /* name in the list of sources; the pointer identifies the source */
	struct url url;
	struct fetch_request request;
	bool is_fetched;
	struct origin *origin; /* [n_origins], keys owned */
	size_t n_origins;
};

struct remote {
	struct fetch_options options;
	int64_t seconds;
	struct remote_source **source;  /* [n] in the order in which they were added */
	struct remote_source **by_name; /* [n] sorted by the name pointer; set by remote_fetch */
	size_t n, cap;
};

struct remote *remote_new(const struct query *q)
{
	struct remote *r = mem_zalloc(1, sizeof(*r));

	r->seconds = q->seconds;
	r->options = (struct fetch_options){ .tls_cert = q->tls_cert,
					     .tls_key = q->tls_key,
					     .tls_ca = q->tls_ca,
					     .header_file = q->header_file,
					     .bearer_file = q->bearer_file,
					     .netrc = q->netrc,
					     .timeout = q->timeout };
	fetch_set_limits(&r->options, q->max_input);
	return r;
}

void remote_free(struct remote *r)
{
	for (size_t i = 0; r && i < r->n; i++) {
		struct remote_source *a = r->source[i];

		for (size_t k = 0; k < a->n_origins; k++)
			free((char *)a->origin[k].key);
		free(a->origin);
		free(a->request.bytes.data);
		url_release(&a->url);
		free(a->name);
		free(a);
	}
	if (r) {
		free(r->source);
		free(r->by_name);
	}
	free(r);
}

/* An existing file is a file, even if its name looks like a URL. */
static bool is_local(const char *name)
{
	return strcmp(name, "-") == 0 || access(name, F_OK) == 0 || stored_is_source(name);
}

int remote_add(struct remote *r, struct sources *s, struct err *err)
{
	for (size_t i = 0; i < s->n; i++) {
		struct url url;
		struct buf name = { 0 };
		int rc = is_local(s->name[i]) ? ERR_UNKNOWN : url_parse(s->name[i], r->seconds, &url, err);
		struct remote_source *a;

		if (rc == ERR_UNKNOWN)
			continue;
		url_redact(s->name[i], &name);
		if (rc < 0) {
			err_wrap(err, "%.300s", buf_text(&name));
			buf_release(&name);
			return rc;
		}
		a = mem_zalloc(1, sizeof(*a));
		a->name = mem_strndup(buf_text(&name), name.len);
		a->url = url;
		buf_release(&name);
		r->source = mem_grow(r->source, &r->cap, r->n + 1, sizeof(*r->source));
		a->number = r->n;
		r->source[r->n++] = a;
		s->name[i] = a->name;
	}
	return 0;
}

size_t remote_count(const struct remote *r)
{
	return r->n;
}

void remote_print_url(const struct remote *r, size_t i, struct buf *out)
{
	url_add_redacted(&r->source[i]->url, out);
}

void remote_watch(struct remote *r, atomic_uint_fast64_t *n_received)
{
	r->options.stays_on_server = true;
	r->options.n_received = n_received;
}

static int compare_names(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)(*(struct remote_source *const *)a)->name,
		  y = (uintptr_t)(*(struct remote_source *const *)b)->name;

	return (x > y) - (x < y);
}

void remote_fetch(struct remote *r, fetch_progress_fn progress, struct stop *stop, struct buf *notes)
{
	struct fetch_request *request = mem_zalloc(r->n, sizeof(*request));

	for (size_t i = 0; i < r->n; i++)
		request[i].url = &r->source[i]->url;
	fetch_all(request, r->n, &r->options, progress, stop, notes);
	r->by_name = mem_alloc(r->n, sizeof(*r->by_name));
	for (size_t i = 0; i < r->n; i++) {
		r->source[i]->request = request[i];
		r->source[i]->is_fetched = request[i].rc == 0;
		r->by_name[i] = r->source[i];
	}
	if (r->n)
		qsort(r->by_name, r->n, sizeof(struct remote_source *), compare_names);
	free(request);
}

const struct fetch_options *remote_fetch_options(const struct remote *r)
{
	return &r->options;
}

struct name_key {
	const struct remote *r;
	const char *name;
};

static bool is_before_name(const void *arg, size_t i)
{
	const struct name_key *key = arg;

	return (uintptr_t)key->r->by_name[i]->name < (uintptr_t)key->name;
}

/* The source whose name is this pointer; NULL if there is none. */
static struct remote_source *find(const struct remote *r, const char *name)
{
	size_t n = r && r->by_name ? r->n : 0, i = lower_bound(0, n, is_before_name, &(struct name_key){ r, name });

	return i < n && r->by_name[i]->name == name ? r->by_name[i] : NULL;
}

bool remote_take(struct remote *r, const char *source, struct bytes *out, int *rc, struct err *err)
{
	struct remote_source *a = find(r, source);

	if (!a)
		return false;
	*rc = a->request.rc;
	if (*rc < 0)
		*err = a->request.err;
	else
		*out = a->request.bytes;
	a->request.bytes = (struct bytes){ 0 };
	return true;
}

void remote_record_origins(struct remote *r, const char *source, struct profile *p)
{
	struct remote_source *a = find(r, source);
	struct buf url = { 0 };

	url_add_redacted(&a->url, &url);
	a->origin = mem_alloc(p->n_maps, sizeof(*a->origin));
	a->n_origins = p->n_maps;
	for (uint32_t i = 0; i < p->n_maps; i++) {
		struct mapping *m = &p->map[i];
		const char *key;

		if (m->build_id == 0 && m->file == 0)
			m->file = strtab_addz(p->str, url.data);
		key = profile_text(p, m->build_id ? m->build_id : m->file);
		a->origin[i] = (struct origin){ mem_strndup(key, strlen(key)), m->start, (uint64_t)a->number << 32 | i,
						&a->url };
	}
	buf_release(&url);
}

size_t remote_origins(const struct remote *r, const char *const *source, size_t n, struct origin **out)
{
	size_t count = 0, cap = 0;

	*out = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct remote_source *a = find(r, source[i]);

		if (!a || !a->n_origins)
			continue;
		*out = mem_grow(*out, &cap, count + a->n_origins, sizeof(**out));
		memcpy(*out + count, a->origin, a->n_origins * sizeof(**out));
		count += a->n_origins;
	}
	return count;
}

bool remote_has_any(const struct remote *r, const char *const *source, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct remote_source *a = find(r, source[i]);

		if (a && a->is_fetched)
			return true;
	}
	return false;
}

void remote_remove_urls(struct profile *p)
{
	for (uint32_t i = 0; i < p->n_maps; i++)
		if (p->map[i].build_id == 0 && p->map[i].file && url_is_absolute(profile_text(p, p->map[i].file)))
			p->map[i].file = 0;
}
