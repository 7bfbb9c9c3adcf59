/*
 * remote.h - the sources that are on servers: fetched first, then read as files are
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_REMOTE_H
#define ANSWER_REMOTE_H

#include "answer/sources.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "engine/query.h"
#include "fetch/fetch.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct remote;

/* Where a mapping of a fetched profile came from. */
struct origin {
	const char *key;       /* its build id, else its file; lives as long as the remote */
	uint64_t start;        /* its first address in that process */
	uint64_t number;       /* sorts them by source, then by mapping */
	const struct url *url; /* lives as long as the remote */
};

/* No source yet. q lives longer; freed with remote_free, which takes NULL. */
struct remote *remote_new(const struct query *q);
void remote_free(struct remote *r);

/*
 * Take note of those sources of s that are to be fetched. Their names in s become ones that can be
 * shown, without user and password, which live as long as r; find them with these very pointers.
 *
 * Fails   ERR_USAGE for URLs that cannot be asked, naming them
 */
int remote_add(struct remote *r, struct sources *s, struct err *err);

/* How many are to be fetched, and what is asked for the one numbered i; append it. */
size_t remote_count(const struct remote *r);
void remote_show(const struct remote *r, size_t i, struct buf *out);

/* Fetch all that were noted; see fetch_all. Those that failed tell when they are taken. */
void remote_fetch(struct remote *r, fetch_progress_fn progress, struct stop *stop, struct buf *notes);

/* How servers are asked. */
const struct fetch_how *remote_how(const struct remote *r);

/*
 * Take what was fetched for a source.
 *
 * r       NULL when nothing was fetched
 * out     owned by the caller from now on
 * Gives   false when the source is not one that was fetched; rc then is as before
 */
bool remote_take(struct remote *r, const char *source, struct bytes *out, int *rc, struct err *err);

/*
 * Note where the mappings of a profile come from that was read from what was fetched for a source.
 * One that has neither file nor build id is given the URL as its file, until remote_unsource.
 *
 * Like    pprof internal/driver/fetch.go, collectMappingSources
 */
void remote_note(struct remote *r, const char *source, struct profile *p);

/*
 * The origins that were noted for n sources, in their order.
 *
 * Gives   how many; the caller frees *out
 */
size_t remote_origins(const struct remote *r, const char *const *source, size_t n, struct origin **out);

/* Could at least one of the n sources be fetched? */
bool remote_has(const struct remote *r, const char *const *source, size_t n);

/* Take URLs out of the files of mappings without build id. Like pprof unsourceMappings. */
void remote_unsource(struct profile *p);

#endif
