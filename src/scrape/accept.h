/*
 * accept.h - check a profile of a target or client before it is stored
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Targets and clients are not trusted: they must not report other kinds than requested, times of another day, values that
 * cannot be added up, or label values without limit.
 */
#ifndef SCRAPE_ACCEPT_H
#define SCRAPE_ACCEPT_H

#include "base/err.h"
#include "fetch/url.h"
#include "formats/formats.h"
#include "profile/profile.h"
#include "scrape/guard.h"
#include "scrape/stats.h"
#include "scrape/version.h"
#include "scrape/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SCRAPE_BODY_MAX = 32 << 20,      /* bytes of a profile as it arrives */
	SCRAPE_INFLATED_MAX = 256 << 20, /* decompressed */
	SCRAPE_STACKS_MAX = 200000,      /* of a profile */
};

/* Limits for reading profiles of targets and clients. */
extern const struct format_options scrape_format_options;

/* The rules and counts that all profiles share. */
struct scrape_accepter {
	struct scrape_guard *guard;
	struct scrape_versions *versions;
};

/* Origin of a profile. Borrowed. */
struct scrape_origin {
	const char *service; /* "": the program of the profile */
	const char *kind;    /* as requested; "": by the sample types */
	const struct store_label *label;
	size_t n_labels;    /* sorted by name, without service and kind */
	int64_t begin_ns;   /* wall clock at the start of the request; of a push: start of the profile, 0 if unknown */
	int64_t capture_ns; /* requested duration; 0 for a snapshot, or if unknown */
	int64_t now_ns;     /* wall clock */
	int64_t max_age_ns; /* of a push */
	bool is_push;       /* from a client */
	bool honors_labels;
	const struct scrape_job *job; /* NULL for a push: the usual sources of the version */
	const char *url_version;      /* version that the server reported; "" for none */
	struct buf *cut;              /* out: names of labels of samples that were cut; NULL: not wanted */
};

/*
 * Check a profile, apply the guard, and find its series.
 *
 * p      owned by this function
 * out    without functions to call; for scrape_writer_add
 * why    set on failure
 * Fails  ERR_FORMAT, ERR_LIMIT, ERR_RANGE
 */
int scrape_accept(const struct scrape_accepter *a, const struct scrape_origin *o, struct profile *p,
		  struct scrape_write **out, enum scrape_drop *why, struct err *err);

/* Free a profile that is not added to the writer. */
void scrape_accept_free(struct scrape_write *x);

#endif
