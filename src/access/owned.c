/*
 * owned.c - detect when the program closes one of our descriptors
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "access/owned.h"

#include "access/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_FREE = 3 };

void owned_record(struct owned_fd *o, int fd)
{
	struct stat is;

	*o = (struct owned_fd){ .fd = -1 };
	if (fd >= 0 && fstat(fd, &is) == 0)
		*o = (struct owned_fd){ .fd = fd, .dev = is.st_dev, .ino = is.st_ino };
}

int owned_take(struct owned_fd *o, int fd)
{
	struct owned_fd low, high;
	struct stat is;

	*o = (struct owned_fd){ .fd = -1 };
	if (fstat(fd, &is) != 0 || !S_ISSOCK(is.st_mode))
		return -EBADF; /* the program has closed it already */
	low = high = (struct owned_fd){ .fd = fd, .dev = is.st_dev, .ino = is.st_ino };
	high.fd = fd < LISTEN_FD_MIN ? fcntl(fd, F_DUPFD_CLOEXEC, LISTEN_FD_MIN) : -1;
	/* the descriptor limit may be low, but never use the numbers of standard streams */
	if (high.fd < 0 && fd < FIRST_FREE)
		high.fd = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);
	if (high.fd < 0) {
		*o = low;
		return 0;
	}
	if (!owned_is_valid(&high)) {
		close(high.fd);
		return -EBADF;
	}
	owned_close(&low);
	*o = high;
	return 0;
}

bool owned_is_valid(const struct owned_fd *o)
{
	struct stat is;

	return o->fd >= 0 && fstat(o->fd, &is) == 0 && is.st_dev == o->dev && is.st_ino == o->ino;
}

void owned_close(struct owned_fd *o)
{
	if (owned_is_valid(o))
		close(o->fd);
	o->fd = -1;
}
