/*
 * secret.h - secrets of servers: their file, comparison in constant time, delays after wrong ones
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ACCESS_SECRET_H
#define ACCESS_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ACCESS_SECRET_MIN = 32, ACCESS_SECRET_MAX = 1024 };

/* A text of n printable ASCII characters, without NUL; n 0: none. */
struct access_secret {
	uint8_t text[ACCESS_SECRET_MAX];
	size_t n;
};

/*
 * Read a secret from a file, and strip white space around it. The file must be owned by this user or root, and not
 * accessible to others. On failure the secret is unchanged.
 *
 * why     [n] out: the error message, with the path
 * Returns 0 or -errno
 */
int access_read_secret(struct access_secret *s, const char *path, char *why, size_t n);

/* Compare in constant time: the time depends on the length of the given text, not on the secret or on the length of the
 * match. */
bool access_is_secret(const struct access_secret *s, const char *given);

/* Does the value of an Authorization header contain the secret, as "Bearer SECRET"? */
bool access_is_bearer(const struct access_secret *s, const char *authorization);

/* Wrong secrets in the current second. */
struct access_failures {
	uint64_t since_ns; /* monotonic */
	unsigned n;
};

/* Count a wrong secret. Returns the delay of the answer in ms: 0, or 1000 after ten failures within a second. */
unsigned access_count_failure(struct access_failures *f, uint64_t now_ns);

#endif
