/*
 * bytes.c - a profile in memory, until nobody needs to wait for it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "api/bytes.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES_MOST = 1 << 30, PART = 64 << 10 };

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

int bytes_cpu(struct bytes *b, struct process *p)
{
	int fd = memfd_create("cpa", MFD_CLOEXEC), rc;
	uint8_t part[4096];
	ssize_t n;

	if (fd < 0)
		return -errno;
	rc = process_write(p, fd);
	lseek(fd, 0, SEEK_SET);
	while (rc == 0 && (n = read(fd, part, sizeof(part))) > 0)
		rc = bytes_put(b, part, (size_t)n);
	close(fd);
	return rc;
}
