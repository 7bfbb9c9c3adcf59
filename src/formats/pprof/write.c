/*
 * write.c - write a profile as profile.proto, compressed with gzip
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/pprof/pprof.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/pool.h"
#include "formats/common/gzip.h"
#include "profile/encode.h"

enum { ROWS_FOR_THREADS = 50000 }; /* smaller input is compressed faster than a thread starts */

static int pprof_encode(void *profile, struct gzip *g, struct err *err)
{
	return profile_encode_to(profile, format_gzip_write, g, err);
}

/* Values times ratio, rounded toward zero; rows that become 0 remain, as in pprof. */
static int64_t **pprof_scale(const struct profile *p, double ratio, struct arena *mem)
{
	int64_t **scaled = arena_alloc(mem, p->n_types, sizeof(*scaled));

	for (uint32_t t = 0; t < p->n_types; t++) {
		scaled[t] = arena_alloc(mem, p->n_rows, sizeof(**scaled));
		for (uint32_t i = 0; i < p->n_rows; i++)
			scaled[t][i] = num_trunc((double)p->value[t][i] * ratio);
	}
	return scaled;
}

int pprof_write(const struct profile *p, double ratio, struct buf *out, struct err *err)
{
	struct arena *mem = arena_new();
	struct profile shown = *p;
	int rc;

	if (ratio != 1)
		shown.value = pprof_scale(p, ratio, mem);
	rc = format_gzip_pack(pprof_encode, &shown, p->n_rows < ROWS_FOR_THREADS ? 1 : pool_size(), out, err);
	arena_free(mem);
	return rc;
}
