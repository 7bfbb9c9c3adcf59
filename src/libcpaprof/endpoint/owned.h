/*
 * owned.h - a descriptor that is ours as long as it is the same file
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that closes all its files closes ours too, and may get the number for a file of its own. So whoever is
 * about to use a descriptor asks first. Only for sockets, which have a number of their own.
 */
#ifndef LIBCPAPROF_ENDPOINT_OWNED_H
#define LIBCPAPROF_ENDPOINT_OWNED_H

#include <stdbool.h>
#include <sys/types.h>

struct owned {
	int fd; /* -1: none */
	dev_t dev;
	ino_t ino;
};

/*
 * Take over a socket, which is close-on-exec; its number becomes a high one where it can. When it fails the number is
 * nobody's, or the program's by now. Gives 0 or -EBADF.
 */
int owned_take(struct owned *o, int fd);

/* Is it there, and ours? In signal handlers too. */
bool owned_is(const struct owned *o);

/* Close it if it is ours. */
void owned_close(struct owned *o);

#endif
