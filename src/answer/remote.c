/*
 * remote.c - sources on servers and running processes, which are fetched or sampled before they are read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A fetched source is renamed to its URL without user and password. Only this name is used in reports,
 * labels and messages.
 */
#include "config.h"

#include "answer/remote.h"

#include "answer/process.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/time.h"
#include "engine/query.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 20, REPORT_MS = 1000, SECOND_MS = 1000 };

struct remote_source {
	size_t number;
	char *name;                     /* name in the list of sources; the pointer identifies the source */
	struct answer_process *process; /* NULL: a source on a server */
	struct url url;                 /* empty for a process */
	struct fetch_request request;   /* its result: bytes, rc and err; also for a process */
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

void remote_set_options(const struct query *q, struct fetch_options *out)
{
	*out = (struct fetch_options){ .tls_cert = q->tls_cert,
				       .tls_key = q->tls_key,
				       .tls_ca = q->tls_ca,
				       .header_file = q->header_file,
				       .bearer_file = q->bearer_file,
				       .netrc = q->netrc,
				       .timeout = q->timeout };
	fetch_set_limits(out, q->max_input);
}

struct remote *remote_new(const struct query *q)
{
	struct remote *r = mem_zalloc(1, sizeof(*r));

	r->seconds = q->seconds;
	remote_set_options(q, &r->options);
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
		answer_process_free(a->process);
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

/* Parse a source. Fails with ERR_UNKNOWN if it can be read without fetching. */
static int remote_parse(const struct remote *r, const char *source, struct remote_source *out, struct err *err)
{
	if (answer_is_process(source))
		return answer_process_new(source, r->seconds, &out->process, err);
	return is_local(source) ? ERR_UNKNOWN : url_parse(source, r->seconds, &out->url, err);
}

int remote_add(struct remote *r, struct sources *s, struct err *err)
{
	for (size_t i = 0; i < s->n; i++) {
		struct remote_source parsed = { 0 }, *a;
		struct buf name = { 0 };
		int rc = remote_parse(r, s->name[i], &parsed, err);

		if (rc == ERR_UNKNOWN)
			continue;
		url_redact(s->name[i], &name);
		if (rc < 0) {
			err_wrap(err, "%.300s", buf_text(&name));
			buf_release(&name);
			return rc;
		}
		a = mem_alloc(1, sizeof(*a));
		*a = parsed;
		a->name = mem_strndup(buf_text(&name), name.len);
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

size_t remote_count_processes(const struct remote *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->source[i]->process != NULL;
	return n;
}

void remote_describe(const struct remote *r, size_t i, struct buf *out)
{
	const struct remote_source *a = r->source[i];

	buf_addz(out, a->process ? "Sampling " : "Fetching profile over HTTP from ");
	if (a->process)
		answer_process_describe(a->process, out);
	else
		url_add_redacted(&a->url, out);
}

void remote_watch(struct remote *r, atomic_uint_fast64_t *n_received, const atomic_bool *keeps)
{
	r->options.stays_on_server = true;
	r->options.n_received = n_received;
	r->options.keeps = keeps;
}

static int remote_compare_names(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)(*(struct remote_source *const *)a)->name,
		  y = (uintptr_t)(*(struct remote_source *const *)b)->name;

	return (x > y) - (x < y);
}

/* Fetch the sources on servers. */
static void fetch_urls(struct remote *r, fetch_progress_fn progress, struct stop *stop, struct buf *notes)
{
	struct fetch_request *request = mem_zalloc(r->n, sizeof(*request));
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (!r->source[i]->process)
			request[n++].url = &r->source[i]->url;
	if (n)
		fetch_all(request, n, &r->options, progress, stop, notes);
	n = 0;
	for (size_t i = 0; i < r->n; i++)
		if (!r->source[i]->process)
			r->source[i]->request = request[n++];
	free(request);
}

/* The number of processes that are still sampled. *left_ms is set to the time until the last one is done. */
static size_t count_running(const struct remote *r, uint64_t *left_ms)
{
	size_t n = 0;

	*left_ms = 0;
	for (size_t i = 0; i < r->n; i++) {
		uint64_t ms;

		if (!r->source[i]->process || !answer_process_is_running(r->source[i]->process, &ms))
			continue;
		*left_ms = ms > *left_ms ? ms : *left_ms;
		n++;
	}
	return n;
}

/* Wait until the processes are sampled. When the stop is set, end them early. */
static void wait_for_processes(const struct remote *r, fetch_progress_fn progress, struct stop *stop)
{
	const struct timespec step = { .tv_nsec = POLL_MS * NS_PER_MS };
	uint64_t left_ms, all_ms = 0, waited_ms = 0;
	bool is_stopped = false;
	size_t n;

	count_running(r, &all_ms);
	stop_begin(stop, "sampling", all_ms);
	for (; (n = count_running(r, &left_ms)) > 0; waited_ms += POLL_MS) {
		stop_set_done(stop, left_ms < all_ms ? all_ms - left_ms : 0);
		for (size_t i = 0; i < r->n && stop_is_set(stop) && !is_stopped; i++)
			if (r->source[i]->process)
				answer_process_stop(r->source[i]->process);
		is_stopped |= stop_is_set(stop);
		if (progress && waited_ms % REPORT_MS == 0)
			progress(n, (int64_t)(left_ms + SECOND_MS - 1) / SECOND_MS);
		nanosleep(&step, NULL);
	}
}

/* Append notes. If there are several sources, each line begins with the name of its source. */
static void remote_add_notes(const struct remote *r, const struct remote_source *a, const struct buf *from,
			     struct buf *notes)
{
	for (const char *line = buf_text(from); *line;) {
		size_t n = strcspn(line, "\n");

		buf_addf(notes, "%s%s%.*s\n", r->n > 1 ? a->name : "", r->n > 1 ? ": " : "", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

/* Collect the results of the threads. */
static void finish_processes(struct remote *r, struct buf *notes)
{
	for (size_t i = 0; i < r->n; i++) {
		struct remote_source *a = r->source[i];
		struct buf own = { 0 };

		if (!a->process)
			continue;
		a->request.rc = answer_process_finish(a->process, &a->request.bytes, &own, &a->request.err);
		remote_add_notes(r, a, &own, notes);
		buf_release(&own);
	}
}

void remote_fetch(struct remote *r, fetch_progress_fn progress, struct stop *stop, struct buf *notes)
{
	bool has_processes = remote_count_processes(r) > 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->source[i]->process)
			answer_process_start(r->source[i]->process);
	fetch_urls(r, progress, stop, notes);
	if (has_processes) {
		wait_for_processes(r, progress, stop);
		finish_processes(r, notes);
	}
	r->by_name = mem_alloc(r->n, sizeof(*r->by_name));
	for (size_t i = 0; i < r->n; i++) {
		r->source[i]->is_fetched = r->source[i]->request.rc == 0;
		r->by_name[i] = r->source[i];
	}
	if (r->n)
		qsort(r->by_name, r->n, sizeof(struct remote_source *), remote_compare_names);
}

const struct fetch_options *remote_fetch_options(const struct remote *r)
{
	return &r->options;
}

struct name_key {
	const struct remote *r;
	const char *name;
};

static bool remote_is_before_name(const void *arg, size_t i)
{
	const struct name_key *key = arg;

	return (uintptr_t)key->r->by_name[i]->name < (uintptr_t)key->name;
}

/* The source whose name is this pointer; NULL if there is none. */
static struct remote_source *remote_find(const struct remote *r, const char *name)
{
	size_t n = r && r->by_name ? r->n : 0,
	       i = lower_bound(0, n, remote_is_before_name, &(struct name_key){ r, name });

	return i < n && r->by_name[i]->name == name ? r->by_name[i] : NULL;
}

bool remote_take(struct remote *r, const char *source, struct bytes *out, int *rc, struct err *err)
{
	struct remote_source *a = remote_find(r, source);

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
	struct remote_source *a = remote_find(r, source);
	struct buf url = { 0 };

	if (a->process)
		return;
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
		const struct remote_source *a = remote_find(r, source[i]);

		if (!a || !a->n_origins)
			continue;
		*out = mem_grow(*out, &cap, count + a->n_origins, sizeof(**out));
		memcpy(*out + count, a->origin, a->n_origins * sizeof(**out));
		count += a->n_origins;
	}
	return count;
}

static bool answer_remote_has_any(const struct remote *r, const char *const *source, size_t n, bool with_processes)
{
	for (size_t i = 0; i < n; i++) {
		const struct remote_source *a = remote_find(r, source[i]);

		if (a && a->is_fetched && (with_processes || !a->process))
			return true;
	}
	return false;
}

bool remote_has_any(const struct remote *r, const char *const *source, size_t n)
{
	return answer_remote_has_any(r, source, n, true);
}

bool remote_has_server(const struct remote *r, const char *const *source, size_t n)
{
	return answer_remote_has_any(r, source, n, false);
}

void remote_remove_urls(struct profile *p)
{
	for (uint32_t i = 0; i < p->n_maps; i++)
		if (p->map[i].build_id == 0 && p->map[i].file && url_is_absolute(profile_text(p, p->map[i].file)))
			p->map[i].file = 0;
}
