/*
 * bytes.c - a profile in memory, until nobody needs to wait for it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "api/bytes.h"

#include <errno.h>
#include <string.h>

enum { BYTES_MOST = 1 << 30 };

int bytes_put(void *bytes, const void *data, size_t n)
{
	struct bytes *b = bytes;
	void *to = vec_room(&b->v, n, 1, BYTES_MOST);

	if (!to)
		return -ENOMEM;
	memcpy(to, data, n);
	b->v.n += n;
	return 0;
}

void bytes_release(struct bytes *b)
{
	vec_release(&b->v, 1);
}

int bytes_snap(struct bytes *b, struct process *p, enum snap_kind kind, uint64_t custom, int debug)
{
	struct snap *s;
	int rc = snap_take(p, kind, custom, &s);

	if (rc < 0)
		return rc;
	rc = snap_write(s, debug, NULL, NULL, bytes_put, b);
	snap_free(s);
	return rc;
}
