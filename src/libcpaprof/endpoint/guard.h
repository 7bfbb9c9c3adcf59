/*
 * guard.h - who may ask
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pages in a browser (they send Origin, or a Host that an attacker's DNS made ours), other users of this machine,
 * and whoever does not have the secret are refused.
 */
#ifndef LIBCPAPROF_ENDPOINT_GUARD_H
#define LIBCPAPROF_ENDPOINT_GUARD_H

#include "libcpaprof/endpoint/request_head.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GUARD_SECRET_LEAST = 32, GUARD_SECRET_MOST = 1024, GUARD_HOSTS_MOST = 1024, GUARD_WHY_MAX = 512 };

struct guard {
	uint8_t secret[GUARD_SECRET_MOST]; /* [n_secret]; 0: none is asked for */
	size_t n_secret;
	char hosts
		[GUARD_HOSTS_MOST]; /* names that Host may have beside those of loopback and addresses, with commas between */
	bool any_user;              /* of this machine */
	uint64_t failed_ns;         /* monotonic: since when failures are counted */
	unsigned n_failed;
};

/* Room for one, in memory that is in no core dump; who may ask: this user. NULL when there is no memory. */
struct guard *guard_new(void);
/* Overwrites it. Takes NULL. */
void guard_free(struct guard *g);

/*
 * Read the secret: what is in a file, without white space around it; the file is ours and nobody else may read it.
 *
 * why     [n] out: a sentence when it is refused, with the path
 * Gives   0 or -errno
 */
int guard_read_secret(struct guard *g, const char *path, char *why, size_t n);

/* May the other end of a connection talk to us at all? Is it this user, or root, of this machine; or from elsewhere? */
bool guard_peer(const struct guard *g, int fd, bool is_unix);

/* What a request is refused with: a status and a sentence; 0: it is not. */
struct guard_says {
	int status;
	const char *text;  /* static */
	uint32_t delay_ms; /* answer so much later */
};

/* is_unix: of a Unix socket, where a Host says nothing. */
struct guard_says guard_request(struct guard *g, const struct request_head *h, bool is_unix, uint64_t now_ns);

/* Overwrites the secret. */
void guard_release(struct guard *g);

#endif
