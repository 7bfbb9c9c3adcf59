/*
 * remote.h - sources on servers and running processes, which are fetched or sampled before they are read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_REMOTE_H
#define ANSWER_REMOTE_H

#include "answer/sources.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "fetch/fetch.h"
#include "profile/profile.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct remote;

/* The server and process that a mapping of a fetched profile came from. */
struct origin {
	const char *key;       /* build ID of the mapping, else its file; lives as long as the remote */
	uint64_t start;        /* first address of the mapping in that process */
	uint64_t number;       /* sort key: source << 32 | mapping */
	const struct url *url; /* lives as long as the remote */
};

/* The options of requests to servers that a query has. */
void remote_set_options(const struct query *q, struct fetch_options *out);

/* Create a remote without sources. q must outlive the remote. Freed with remote_free, which takes NULL. */
struct remote *remote_new(const struct query *q);
void remote_free(struct remote *r);

/*
 * Add the sources of s that are URLs, or "pid:" and processes. Their names in s are replaced by names without user and
 * password, which live as long as r. The functions below identify a source by the pointer to this name.
 *
 * Fails   ERR_USAGE for an invalid URL, or invalid parameters of a process; err contains the source
 */
int remote_add(struct remote *r, struct sources *s, struct err *err);

/* The number of sources to fetch or to sample, and of those that are processes. */
size_t remote_count(const struct remote *r);
size_t remote_count_processes(const struct remote *r);

/* Append what is done with source i: "Fetching profile over HTTP from URL", "Sampling process 4711 (nginx) for 10s". */
void remote_describe(const struct remote *r, size_t i, struct buf *out);

/*
 * Fetch and sample all sources that were added, at the same time; see fetch_all. remote_take returns the errors. When
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

/*
 * Take the profile that was fetched or sampled for a source.
 *
 * r       NULL if nothing was fetched
 * out     owned by the caller from now on
 * Returns false if the source was not added; rc is then unchanged
 */
bool remote_take(struct remote *r, const char *source, struct bytes *out, int *rc, struct err *err);

/*
 * Record the origins of the mappings of a fetched profile. A mapping without file and build ID gets the URL as
 * its file, until remote_remove_urls. Does nothing for a process.
 *
 * Like    pprof internal/driver/fetch.go, collectMappingSources
 */
void remote_record_origins(struct remote *r, const char *source, struct profile *p);

/*
 * The recorded origins of n sources, in their order.
 *
 * Returns their number; the caller frees *out
 */
size_t remote_origins(const struct remote *r, const char *const *source, size_t n, struct origin **out);

/* Was at least one of the n sources fetched or sampled? */
bool remote_has_any(const struct remote *r, const char *const *source, size_t n);

/* Was at least one of the n sources fetched from a server? */
bool remote_has_server(const struct remote *r, const char *const *source, size_t n);

/* Remove URLs from the files of mappings without build ID. Like pprof unsourceMappings. */
void remote_remove_urls(struct profile *p);

#endif
