/*
 * owned.h - detect when the program closes one of our descriptors
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that closes all its descriptors closes ours, too, and may reuse the numbers. So a descriptor is verified by
 * its inode before each use.
 */
#ifndef ACCESS_OWNED_H
#define ACCESS_OWNED_H

#include <stdbool.h>
#include <sys/types.h>

struct owned_fd {
	int fd; /* -1: none */
	dev_t dev;
	ino_t ino;
};

/*
 * Take over a close-on-exec socket, and move it to a high number if possible. On failure the descriptor is closed, or
 * the program has reused its number. Returns 0 or -EBADF.
 */
int owned_take(struct owned_fd *o, int fd);

/*
 * Record the identity of a descriptor of any kind that was just opened for a short time, so that owned_close closes no
 * file of the program that got its number meanwhile.
 */
void owned_record(struct owned_fd *o, int fd);

/* Is the descriptor open and still ours? Safe in signal handlers. */
bool owned_is_valid(const struct owned_fd *o);

/* Close the descriptor if it is still ours. */
void owned_close(struct owned_fd *o);

#endif
