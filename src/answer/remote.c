/*
 * remote.c - the sources that are on servers: fetched first, then read as files are
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A source that was fetched goes by a name without user and password, which is the only one that
 * reports, labels and messages ever see.
 */
#include "config.h"

#include "answer/remote.h"

#include "base/mem.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arrival {
	size_t number;
	char *name; /* what stands in the list of sources: the pointer tells it from others */
	struct url url;
	struct fetch get;
	bool arrived;
	struct origin *origin; /* [n_origins], keys owned */
	size_t n_origins;
};

struct remote {
	struct fetch_how how;
	int64_t seconds;
	struct arrival **arrival; /* [n] as added */
	struct arrival **by_name; /* [n] sorted by the pointer, from remote_fetch on */
	size_t n, cap;
};

struct remote *remote_new(const struct query *q)
{
	struct remote *r = mem_zalloc(1, sizeof(*r));

	r->seconds = q->seconds;
	r->how = (struct fetch_how){ .tls_cert = q->tls_cert,
				     .tls_key = q->tls_key,
				     .tls_ca = q->tls_ca,
				     .header_file = q->header_file,
				     .bearer_file = q->bearer_file,
				     .netrc = q->netrc,
				     .timeout = q->timeout };
	fetch_set_limits(&r->how, q->max_input);
	return r;
}

void remote_free(struct remote *r)
{
	for (size_t i = 0; r && i < r->n; i++) {
		struct arrival *a = r->arrival[i];

		for (size_t k = 0; k < a->n_origins; k++)
			free((char *)a->origin[k].key);
		free(a->origin);
		free(a->get.bytes.data);
		url_release(&a->url);
		free(a->name);
		free(a);
	}
	if (r) {
		free(r->arrival);
		free(r->by_name);
	}
	free(r);
}

/* What exists is a file, whatever it is called. */
static bool is_file(const char *name)
{
	return strcmp(name, "-") == 0 || access(name, F_OK) == 0;
}

int remote_add(struct remote *r, struct sources *s, struct err *err)
{
	for (size_t i = 0; i < s->n; i++) {
		struct url url;
		struct buf name = { 0 };
		int rc = is_file(s->name[i]) ? ERR_UNKNOWN : url_parse(s->name[i], r->seconds, &url, err);
		struct arrival *a;

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
		r->arrival = mem_grow(r->arrival, &r->cap, r->n + 1, sizeof(*r->arrival));
		a->number = r->n;
		r->arrival[r->n++] = a;
		s->name[i] = a->name;
	}
	return 0;
}

size_t remote_count(const struct remote *r)
{
	return r->n;
}

void remote_show(const struct remote *r, size_t i, struct buf *out)
{
	url_show(&r->arrival[i]->url, out);
}

static int compare_names(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)(*(struct arrival *const *)a)->name,
		  y = (uintptr_t)(*(struct arrival *const *)b)->name;

	return (x > y) - (x < y);
}

void remote_fetch(struct remote *r, fetch_progress_fn progress, struct stop *stop, struct buf *notes)
{
	struct fetch *get = mem_zalloc(r->n, sizeof(*get));

	for (size_t i = 0; i < r->n; i++)
		get[i].url = &r->arrival[i]->url;
	fetch_all(get, r->n, &r->how, progress, stop, notes);
	r->by_name = mem_alloc(r->n, sizeof(*r->by_name));
	for (size_t i = 0; i < r->n; i++) {
		r->arrival[i]->get = get[i];
		r->arrival[i]->arrived = get[i].rc == 0;
		r->by_name[i] = r->arrival[i];
	}
	if (r->n)
		qsort(r->by_name, r->n, sizeof(struct arrival *), compare_names);
	free(get);
}

const struct fetch_how *remote_how(const struct remote *r)
{
	return &r->how;
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

/* The one that goes by this very pointer; NULL when none does. */
static struct arrival *find(const struct remote *r, const char *name)
{
	size_t n = r && r->by_name ? r->n : 0, i = lower_bound(0, n, is_before_name, &(struct name_key){ r, name });

	return i < n && r->by_name[i]->name == name ? r->by_name[i] : NULL;
}

bool remote_take(struct remote *r, const char *source, struct bytes *out, int *rc, struct err *err)
{
	struct arrival *a = find(r, source);

	if (!a)
		return false;
	*rc = a->get.rc;
	if (*rc < 0)
		*err = a->get.err;
	else
		*out = a->get.bytes;
	a->get.bytes = (struct bytes){ 0 };
	return true;
}

void remote_note(struct remote *r, const char *source, struct profile *p)
{
	struct arrival *a = find(r, source);
	struct buf url = { 0 };

	url_show(&a->url, &url);
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
		const struct arrival *a = find(r, source[i]);

		if (!a || !a->n_origins)
			continue;
		*out = mem_grow(*out, &cap, count + a->n_origins, sizeof(**out));
		memcpy(*out + count, a->origin, a->n_origins * sizeof(**out));
		count += a->n_origins;
	}
	return count;
}

bool remote_has(const struct remote *r, const char *const *source, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct arrival *a = find(r, source[i]);

		if (a && a->arrived)
			return true;
	}
	return false;
}

void remote_unsource(struct profile *p)
{
	for (uint32_t i = 0; i < p->n_maps; i++)
		if (p->map[i].build_id == 0 && p->map[i].file && url_is_absolute(profile_text(p, p->map[i].file)))
			p->map[i].file = 0;
}
