/*
 * copy.h - write what a query selects as a segment: for pins and exports
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_UPKEEP_COPY_H
#define STORE_LOCAL_UPKEEP_COPY_H

#include "base/err.h"
#include "base/stop.h"
#include "store/local/format/segment.h"
#include "store/local/read/select.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

/* Receives the chapters, in order of services. */
typedef int store_copy_fn(void *arg, const struct chapter *ch, struct err *err);

struct store_copy {
	struct selection selection;
	const struct store_query *query;
	int64_t t0, t1;       /* the span of the chapters, within the query; ms, t1 exclusive */
	enum store_tier tier; /* the coarsest of the chapters */
	uint64_t bytes;       /* of the chapters, before unselected profiles are left out */
	uint64_t copied;      /* profiles, set by copy_run */
};

/*
 * Select chapters. The query must not have a limit. The selection is closed by the caller.
 *
 * Fails  ERR_USAGE, ERR_IO, ERR_FORMAT
 */
int copy_open(struct store *s, const struct store_query *q, struct store_copy *out, struct err *err);

/*
 * Call fn for the chapter of each service that has selected profiles.
 *
 * level  of zstd
 * Fails  ERR_FORMAT when a chapter is damaged; ERR_IO when nothing is selected; as fn
 */
int copy_run(struct store_copy *c, int level, struct stop *stop, store_copy_fn *fn, void *arg, struct err *err);

/* ---- copy profiles from one chapter to another: for compaction, pins, removal, exports ---- */

/* Selects profiles that start in [t0, t1), of series that match a query. */
struct chapter_filter {
	int64_t t0, t1;
	const struct store_query *query; /* its kind, labels and span; NULL: all */
	bool is_inverse;                 /* copy profiles that the query does not select */
	/* copies the series for which it returns 1, see tier_select_fn; not with query; NULL: all */
	int (*select)(void *arg, const struct chapter *c, uint32_t series, struct err *err);
	void *arg;
};

/* Numbers of a copy; each chapter adds to them. CHAPTER_COPIED is its initial value. */
struct chapter_copied {
	uint64_t profiles, dropped; /* copied; rejected by the query */
	int64_t first, last;        /* starts that were copied */
	int64_t next;               /* the smallest start or mark at or after filter.t1; INT64_MAX: none */
};
#define CHAPTER_COPIED                                                                                                 \
	{                                                                                                              \
		.first = INT64_MAX, .last = INT64_MIN, .next = INT64_MAX                                               \
	}

/* Add a profile of another dictionary to a builder, whose dictionary t translates to; s is changed. Fails like copy_chapters. */
int copy_stored(struct dict_translation *t, uint32_t series, struct stored *s, struct chapter_builder *to,
		struct err *err);

/*
 * Add the selected profiles of chapters of a service to a builder, with the entries of the dictionary that they need: by series, each by
 * start, as chapter_builder_expect_sorted wants. Marks in the span are copied too, unless the filter has a query that is not inverse.
 *
 * from     [n]; profiles of one start are added in this order
 * damaged  set to the number of the chapter if one is damaged; may be NULL
 * Fails    ERR_FORMAT, naming the file and the block; ERR_LIMIT; ERR_STOPPED
 */
int copy_chapters(const struct chapter *const *from, size_t n, const struct chapter_filter *f, struct stop *stop,
		  struct chapter_builder *to, struct chapter_copied *copied, size_t *damaged, struct err *err);

#endif
