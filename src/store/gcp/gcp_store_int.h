/*
 * gcp_store_int.h - the parts of the backend for Google's Cloud Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From google/devtools/cloudprofiler/v2/profiler.proto of googleapis, ExportService, and the reference of the REST API.
 *
 * The only request is a list of all profiles of a project, page by page, in an order that is not documented, without conditions. So
 * all pages are read once without the bytes of the profiles, by the parameter fields of Google's APIs; then the pages with profiles of
 * a query are read with bytes. Chapters are made of these, which the code of a local store reads (store/local/read).
 */
#ifndef STORE_GCP_GCP_STORE_INT_H
#define STORE_GCP_GCP_STORE_INT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/idtab.h"
#include "base/io.h"
#include "fetch/fetch.h"
#include "store/local/read/local.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A profile of the list. Strings are owned by the memory of the store. */
struct gcpstore_entry {
	const char *name, *service, *kind;
	const struct store_label *label; /* [n_labels] sorted by name */
	size_t n_labels;
	uint8_t hash[16]; /* of the series */
	int64_t start_ns, duration_ns;
	uint32_t page;
	bool is_delta;  /* its values were counted during the profile */
	bool is_wanted; /* by the query that is answered */
	uint8_t *data;  /* [n] as uploaded; NULL if not read yet, or not returned */
	size_t n;
};

struct gcpstore_page {
	const char *token; /* "" for the first */
	bool is_read;      /* with bytes */
	bool has_more;     /* there was no room for the bytes of all its profiles */
};

struct gcpstore {
	struct local_store local;
	char *server, *project; /* server: the URL of the project, "https://HOST/v2/projects/PROJECT" */
	struct buf name;        /* of the server, for messages */
	struct buf token;       /* "Authorization: Bearer TOKEN" of the environment; secret; empty if there is none */
	struct fetch_options options;
	/* of the function of the interface that runs */
	struct stop *stop;
	bool wants_heads; /* chapters need no samples */
	/* of the list */
	bool is_listed, is_noted; /* noted: its size was reported */
	struct arena *memory;
	struct gcpstore_page *page; /* [n_pages] */
	size_t n_pages, cap_pages;
	struct gcpstore_entry *entry; /* [n] sorted by service, kind, series, start */
	size_t n, cap;
	struct idtab by_name;
	uint64_t n_skipped; /* by the server */
	uint64_t n_unknown; /* without name, service or time */
	uint64_t bytes;     /* of the data of entries */
};

static inline struct gcpstore *gcpstore_of(struct store *s)
{
	return (struct gcpstore *)s;
}

/* Read the list, unless that was done. Fails as fetch_ask, and with ERR_FORMAT, ERR_LIMIT for too many pages. */
int gcpstore_list(struct gcpstore *c, struct err *err);

/*
 * Read the profiles of a page, and what is after them.
 *
 * has_bytes  read the bytes of entries that are known; else add entries
 * next       the token of the next page, owned by the memory of the store; "" if it is the last one
 * n_skipped  as the server says
 * Fails      ERR_FORMAT, ERR_LIMIT
 */
int gcpstore_read_page(struct gcpstore *c, const struct bytes *bytes, bool has_bytes, const char **next,
		       int64_t *n_skipped, struct err *err);

/* Sort the entries, and leave out those that are listed twice because others were added while pages were read. */
void gcpstore_sort(struct gcpstore *c);

/* Read the bytes of the entries that are wanted; data stays NULL for those that the server does not return. */
int gcpstore_fetch(struct gcpstore *c, struct err *err);

/* Forget the list. */
void gcpstore_forget(struct gcpstore *c);

/* See struct local_source. */
int gcpstore_open_chapters(struct store *s, const struct store_query *q, enum select_which which, struct selection *out,
			   struct err *err);
int gcpstore_each_label(struct store *s, const struct store_query *q, const char *wanted, local_label_fn *fn, void *arg,
			struct err *err);
int gcpstore_each_catalogue_series(struct store *s, const struct catalogue_query *q, const char *kind,
				   catalogue_series_fn *fn, void *arg, struct err *err);

#endif
