/*
 * copy.h - write what a query selects as a segment: for pins and exports
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_UPKEEP_COPY_H
#define STORE_LOCAL_UPKEEP_COPY_H

#include "base/err.h"
#include "base/stop.h"
#include "store/local/read/select.h"

#include <stdint.h>

/* Receives the chapters, in order of services. */
typedef int store_copy_fn(void *arg, const struct chapter *ch, struct err *err);

struct store_copy {
	struct selection selection;
	const struct store_query *query;
	int64_t t0, t1;  /* the span of the chapters, within the query; ms, t1 exclusive */
	uint64_t bytes;  /* of the chapters, before unselected profiles are left out */
	uint64_t copied; /* profiles, set by copy_run */
};

/*
 * Select chapters. The query must not have a limit.
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
void copy_close(struct store_copy *c);

#endif
