/*
 * remote.c - sources on servers and running processes, which are fetched or sampled before they are read
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A fetched source is renamed to its URL without user and password. Only this name is used in reports,
 * labels and messages.
 */
#include "config.h"

#include "sources/remote.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "engine/query.h"
#include "sources/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 20, REPORT_MS = 1000, SECOND_MS = 1000 };

struct remote_source {
	size_t number;                  /* of those that are fetched together */
	const char *name;               /* the name of the source */
	struct process_source *process; /* NULL: a source on a server */
	struct url url;                 /* empty for a process */
	struct fetch_request request;   /* its result: bytes, rc and err; for a process only rc and err */
	struct profile *profile;        /* of a process */
	bool is_fetched;
	struct origin *origin; /* [n_origins], keys owned */
	size_t n_origins;
};

struct remote {
	struct fetch_options options;
	struct remote_source **source; /* [n] in the order in which they were added, borrowed */
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

	remote_set_options(q, &r->options);
	return r;
}

void remote_free(struct remote *r)
{
	if (r)
		free(r->source);
	free(r);
}

void remote_source_free(void *state)
{
	struct remote_source *a = state;

	for (size_t k = 0; k < a->n_origins; k++)
		free((char *)a->origin[k].key);
	free(a->origin);
	free(a->request.bytes.data);
	profile_free(a->profile);
	sources_process_free(a->process);
	url_release(&a->url);
	free(a);
}

bool remote_is_url(const char *word)
{
	struct url url = { 0 };
	bool yes = url_parse(word, 0, &url, NULL) != ERR_UNKNOWN && access(word, F_OK) != 0;

	url_release(&url);
	return yes;
}

/* Add a source that was parsed with this result. The message of an error names it without its secrets. */
static int remote_append(struct sources *out, const char *word, const struct remote_source *parsed, int rc,
			 struct err *err)
{
	struct buf name = { 0 };
	struct remote_source *a;

	url_redact(word, &name);
	if (rc < 0) {
		err_wrap(err, "%.300s", buf_text(&name));
	} else {
		a = mem_alloc(1, sizeof(*a));
		*a = *parsed;
		sources_append(out, parsed->process ? SOURCE_PROCESS : SOURCE_SERVER, buf_text(&name), name.len, a);
		a->name = out->name[out->n - 1];
	}
	buf_release(&name);
	return rc;
}

int remote_resolve_url(struct sources *out, const char *word, enum source_split split, const struct query *q,
		       struct err *err)
{
	struct remote_source parsed = { 0 };

	(void)split;
	return remote_append(out, word, &parsed, url_parse(word, q->seconds, &parsed.url, err), err);
}

int remote_resolve_process(struct sources *out, const char *word, enum source_split split, const struct query *q,
			   struct err *err)
{
	struct remote_source parsed = { 0 };
	int rc = sources_process_new(word, q->seconds, &parsed.process, err);

	(void)split;
	return remote_append(out, word, &parsed, rc, err);
}

void sources_add_bytes(struct sources *out, const char *name, struct bytes *data)
{
	struct remote_source *a = mem_zalloc(1, sizeof(*a));

	a->request.bytes = *data;
	*data = (struct bytes){ 0 };
	sources_append(out, SOURCE_MEMORY, name, strlen(name), a);
}

void remote_add(struct remote *r, const struct sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct remote_source *a = s->source[i].state;

		if (!s->source[i].type->is_remote)
			continue;
		r->source = mem_grow(r->source, &r->cap, r->n + 1, sizeof(*r->source));
		a->number = r->n;
		r->source[r->n++] = a;
	}
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
		sources_process_describe(a->process, out);
	else
		url_add_redacted(&a->url, out);
}

void remote_watch(struct remote *r, atomic_uint_fast64_t *n_received, const atomic_bool *keeps)
{
	r->options.stays_on_server = true;
	r->options.n_received = n_received;
	r->options.keeps = keeps;
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

		if (!r->source[i]->process || !sources_process_is_running(r->source[i]->process, &ms))
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
				sources_process_stop(r->source[i]->process);
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
		a->request.rc = sources_process_finish(a->process, &a->profile, &own, &a->request.err);
		remote_add_notes(r, a, &own, notes);
		buf_release(&own);
	}
}

void remote_fetch(struct remote *r, fetch_progress_fn progress, struct stop *stop, struct buf *notes)
{
	bool has_processes = remote_count_processes(r) > 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->source[i]->process)
			sources_process_start(r->source[i]->process);
	fetch_urls(r, progress, stop, notes);
	if (has_processes) {
		wait_for_processes(r, progress, stop);
		finish_processes(r, notes);
	}
	for (size_t i = 0; i < r->n; i++)
		r->source[i]->is_fetched = r->source[i]->request.rc == 0;
}

const struct fetch_options *remote_fetch_options(const struct remote *r)
{
	return &r->options;
}

int remote_read(struct source *s, const char *name, const struct query *q, struct profile **out, struct buf *notes,
		struct buf *missing, struct err *err)
{
	struct remote_source *a = s->state;
	int rc = a->request.rc;

	(void)notes, (void)missing;
	if (rc < 0) {
		*err = a->request.err;
	} else if (a->process) {
		*out = a->profile;
		a->profile = NULL;
	} else {
		rc = sources_decode(&a->request.bytes, q, out, err);
		a->request.bytes = (struct bytes){ 0 };
	}
	/* errors of servers may already contain the URL */
	return rc < 0 && !(a->url.scheme && strstr(err->msg, name)) ? err_wrap(err, "%s", name) : rc;
}

/* Note what a collector says about a window of its store: the comments that begin with "store: ". */
static void remote_note_store(const struct profile *p, struct buf *notes)
{
	for (uint32_t i = 0; i < p->meta.n_comments; i++)
		if (starts_with(profile_text(p, p->meta.comment[i]), "store: "))
			buf_addf(notes, "%s\n", profile_text(p, p->meta.comment[i]));
}

void remote_record(struct source *s, struct profile *p, struct buf *notes)
{
	struct remote_source *a = s->state;
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
	remote_note_store(p, notes);
}

void remote_add_origins(const struct source *from, size_t n, struct origins *to)
{
	for (size_t i = 0; from && i < n; i++) {
		const struct remote_source *a = from[i].type->is_remote ? from[i].state : NULL;

		if (!a || !a->n_origins)
			continue;
		to->item = mem_grow(to->item, &to->cap, to->n + a->n_origins, sizeof(*to->item));
		memcpy(to->item + to->n, a->origin, a->n_origins * sizeof(*to->item));
		to->n += a->n_origins;
	}
}

bool remote_has_fetched(const struct source *from, size_t n, bool with_processes)
{
	for (size_t i = 0; from && i < n; i++) {
		const struct remote_source *a = from[i].type->is_remote ? from[i].state : NULL;

		if (a && a->is_fetched && (with_processes || !a->process))
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
