/*
 * owned.c - a descriptor that is ours as long as it is the same file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/owned.h"

#include "libcpaprof/endpoint/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_FREE = 3 };

int owned_take(struct owned *o, int fd)
{
	struct owned low, high;
	struct stat is;

	*o = (struct owned){ .fd = -1 };
	if (fstat(fd, &is) != 0 || !S_ISSOCK(is.st_mode))
		return -EBADF; /* of a program that closes numbers which it does not know */
	low = high = (struct owned){ .fd = fd, .dev = is.st_dev, .ino = is.st_ino };
	high.fd = fd < LISTEN_FD_LEAST ? fcntl(fd, F_DUPFD_CLOEXEC, LISTEN_FD_LEAST) : -1;
	/* few are allowed; but never what a program takes for its standard streams */
	if (high.fd < 0 && fd < FIRST_FREE)
		high.fd = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);
	if (high.fd < 0) {
		*o = low;
		return 0;
	}
	if (!owned_is(&high)) {
		close(high.fd);
		return -EBADF;
	}
	owned_close(&low);
	*o = high;
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
