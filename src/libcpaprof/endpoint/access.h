/*
 * access.h - access control of the endpoint
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Requests are refused if they come from web pages (which send Origin, or a Host that an attacker's DNS resolves to
 * us), from other users of this machine, or from clients without the secret.
 */
#ifndef LIBCPAPROF_ENDPOINT_ACCESS_H
#define LIBCPAPROF_ENDPOINT_ACCESS_H

#include "access/secret.h"
#include "libcpaprof/endpoint/request_head.h"

#include <stdbool.h>
#include <stdint.h>

enum { ENDPOINT_HOSTS_MAX = 1024, ENDPOINT_ERROR_MAX = 512 };

struct endpoint_access {
	struct access_secret secret; /* none: no secret is required */
	char hosts
		[ENDPOINT_HOSTS_MAX]; /* comma-separated names allowed as Host, besides loopback names and addresses */
	bool any_user;                /* are all users of this machine allowed? */
	struct access_failures failures;
};

/* Create access for this user, in memory excluded from core dumps. Returns NULL if out of memory. */
struct endpoint_access *endpoint_access_new(void);
/* Overwrite and free. Takes NULL. */
void endpoint_access_free(struct endpoint_access *g);

/* The answer to a refused request; status 0 means allowed. */
struct endpoint_verdict {
	int status;
	const char *text;  /* static */
	uint32_t delay_ms; /* delay before the answer is sent */
};

/* Check a request. is_unix: it is from a Unix socket, where Host has no meaning. */
struct endpoint_verdict endpoint_access_check_request(struct endpoint_access *g, const struct request_head *h,
						      bool is_unix, uint64_t now_ns);

/* Overwrites the secret. */
void endpoint_access_release(struct endpoint_access *g);

#endif
