/*
 * owned.c - a descriptor that is ours as long as it is the same file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "serve/owned.h"

#include "serve/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int owned_take(struct owned *o, int fd)
{
	int high = fd < LISTEN_FD_LEAST ? fcntl(fd, F_DUPFD_CLOEXEC, LISTEN_FD_LEAST) : -1;
	struct stat is;

	if (high >= 0) {
		close(fd);
		fd = high;
	}
	*o = (struct owned){ .fd = -1 };
	if (fstat(fd, &is) != 0) {
		int rc = -errno;

		close(fd);
		return rc;
	}
	*o = (struct owned){ .fd = fd, .dev = is.st_dev, .ino = is.st_ino };
	return 0;
}

bool owned_is(const struct owned *o)
{
	struct stat is;

	return o->fd >= 0 && fstat(o->fd, &is) == 0 && is.st_dev == o->dev && is.st_ino == o->ino;
}

void owned_close(struct owned *o)
{
	if (owned_is(o))
		close(o->fd);
	o->fd = -1;
}
