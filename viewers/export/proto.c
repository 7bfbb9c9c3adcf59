/*
 * proto.c - a profile as a file: profile.proto, packed with gzip
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/pool.h"
#include "profile/encode.h"
#include "viewers/export/gzip.h"

enum { ROWS_FOR_THREADS = 50000 }; /* what is less is packed before a thread has started */

static int encode(void *profile, struct gzip *g, struct err *err)
{
	return profile_encode_to(profile, export_gzip_put, g, err);
}

/* Columns of the values times ratio, toward zero; rows that become 0 stay, as in pprof. */
static int64_t **scale(const struct profile *p, double ratio, struct arena *mem)
{
	int64_t **scaled = arena_alloc(mem, p->n_types, sizeof(*scaled));

	for (uint32_t t = 0; t < p->n_types; t++) {
		scaled[t] = arena_alloc(mem, p->n_rows, sizeof(**scaled));
		for (uint32_t i = 0; i < p->n_rows; i++)
			scaled[t][i] = num_trunc((double)p->value[SIDE_TARGET][t][i] * ratio);
	}
	return scaled;
}

int export_proto(const struct profile *p, double ratio, struct buf *out, struct err *err)
{
	struct arena *mem = arena_new();
	struct profile shown = *p;
	int rc;

	if (ratio != 1)
		shown.value[SIDE_TARGET] = scale(p, ratio, mem);
	rc = export_gzip_pack(encode, &shown, p->n_rows < ROWS_FOR_THREADS ? 1 : pool_size(), out, err);
	arena_free(mem);
	return rc;
}
