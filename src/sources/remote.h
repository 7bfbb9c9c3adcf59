/*
 * remote.h - sources on servers and running processes, which are fetched or sampled before they are read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_REMOTE_H
#define SOURCES_REMOTE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "fetch/fetch.h"
#include "profile/profile.h"
#include "sources/sources.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct remote;

/* The server and process that a mapping of a fetched profile came from. */
struct origin {
	const char *key; /* the first member; build ID of the mapping, else its file; lives as long as the source */
	uint64_t start;  /* first address of the mapping in that process */
	uint64_t number; /* sort key: source << 32 | mapping */
	const struct url *url; /* lives as long as the source */
};

/* The options of requests to servers that a query has. */
void remote_set_options(const struct query *q, struct fetch_options *out);

/* Create a remote without sources. q must outlive the remote. Freed with remote_free, which takes NULL. */
struct remote *remote_new(const struct query *q);
void remote_free(struct remote *r);

/* Can the argument be a URL, or the address of a server? */
bool remote_is_url(const char *word);

/* See struct source_type. Their state is a struct remote_source. */
source_resolve_fn remote_resolve_url, remote_resolve_process;
source_read_fn remote_read;
void remote_source_free(void *state);

/*
 * Record the origins of the mappings of a fetched profile, and note what a collector says about a window of its store. A
 * mapping without file and build ID gets the URL as its file, until remote_remove_urls.
 *
 * Like    pprof internal/driver/fetch.go, collectMappingSources
 */
void remote_record(struct source *s, struct profile *p, struct buf *notes);

/* Add a profile whose content is in memory. data is consumed. */
void sources_add_bytes(struct sources *out, const char *name, struct bytes *data);

/* Add the sources of s that are to be fetched or sampled. They must outlive the use of r. */
void remote_add(struct remote *r, const struct sources *s);

/* The number of sources to fetch or to sample, and of those that are processes. */
size_t remote_count(const struct remote *r);
size_t remote_count_processes(const struct remote *r);

/* Append what is done with source i: "Fetching profile over HTTP from URL", "Sampling process 4711 (nginx) for 10s". */
void remote_describe(const struct remote *r, size_t i, struct buf *out);

/*
 * Fetch and sample all sources that were added, at the same time; see fetch_all. remote_read returns the errors. When
 * the stop is set, a process that is being sampled has a shorter profile.
 */
void remote_fetch(struct remote *r, fetch_progress_fn progress, struct stop *stop, struct buf *notes);

/*
 * Refuse redirects to other servers, and count the bytes of responses while they arrive.
 *
 * keeps  see struct fetch_options
 */
void remote_watch(struct remote *r, atomic_uint_fast64_t *n_received, const atomic_bool *keeps);

/* Options of requests to servers. */
const struct fetch_options *remote_fetch_options(const struct remote *r);

struct origins {
	struct origin *item; /* [n] owned */
	size_t n, cap;
};

/* Add the recorded origins of n sources, in their order. from: NULL if all are files. */
void remote_add_origins(const struct source *from, size_t n, struct origins *to);

/* Was at least one of the n sources fetched from a server, or sampled? */
bool remote_has_fetched(const struct source *from, size_t n, bool with_processes);

/* Remove URLs from the files of mappings without build ID. Like pprof unsourceMappings. */
void remote_remove_urls(struct profile *p);

#endif
