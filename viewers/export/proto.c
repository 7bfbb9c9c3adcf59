/*
 * proto.c - a profile as a file: profile.proto, packed with gzip
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/arena.h"
#include "base/num.h"
#include "profile/encode.h"

#include <libdeflate.h>

enum { LEVEL = 6 };

/* Append data packed with gzip, without a name and without a time. */
static int add_packed(const struct buf *data, struct buf *out, struct err *err)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t n;

	if (!c)
		return err_set(err, ERR_LIMIT, "no memory to pack the profile");
	n = libdeflate_gzip_compress_bound(c, data->len);
	out->len += libdeflate_gzip_compress(c, buf_text(data), data->len, buf_room(out, n), n);
	libdeflate_free_compressor(c);
	return 0;
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

int proto_draw(const struct profile *p, double ratio, struct buf *out, struct err *err)
{
	struct arena *mem = arena_new();
	struct profile shown = *p;
	struct buf data = { 0 };
	int rc;

	if (ratio != 1)
		shown.value[SIDE_TARGET] = scale(p, ratio, mem);
	rc = profile_encode(&shown, &data, err);
	arena_free(mem);
	if (rc == 0)
		rc = add_packed(&data, out, err);
	buf_release(&data);
	return rc;
}
