/*
 * body.c - a growing buffer for profiles and HTTP answers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/write/body.h"

#include "libcpaprof/collector/write/write.h"

#include <errno.h>

enum { BODY_MAX = 1 << 30, PIECE = 64 << 10 };

int body_append(void *body, const void *data, size_t n)
{
	struct body *b = body;

	return vec_add(&b->v, data, n, 1, BODY_MAX) ? 0 : -ENOMEM;
}

int body_send(const struct body *b, int (*write)(void *arg, const void *data, size_t n), void *arg)
{
	const uint8_t *data = b->v.data;
	int rc = 0;

	for (size_t at = 0; at < b->v.n && rc == 0; at += PIECE)
		rc = write(arg, data + at, b->v.n - at < PIECE ? b->v.n - at : PIECE);
	return rc;
}

void body_release(struct body *b)
{
	vec_release(&b->v, 1);
}

int body_append_snap(struct body *b, struct process *p, enum snap_kind kind, uint64_t custom, int debug)
{
	struct snap *s;
	int rc = snap_take(p, kind, custom, &s);

	if (rc < 0)
		return rc;
	rc = write_snap(s, debug, NULL, NULL, body_append, b);
	snap_free(s);
	return rc;
}
