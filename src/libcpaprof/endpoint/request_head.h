/*
 * request_head.h - the head of an HTTP request
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_REQUEST_HEAD_H
#define LIBCPAPROF_ENDPOINT_REQUEST_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAD_MOST = 8192 }; /* bytes of request line and header lines together */

/* Texts point into what was parsed, end with 0, and are "" where the request has none. */
struct request_head {
	const char *method, *target;
	int minor; /* of HTTP/1.minor */
	const char *host, *origin, *fetch_site, *authorization, *secret /* X-Cpa-Secret */, *user_agent;
	bool has_host, has_origin, has_fetch_site;
	bool keep;       /* the connection, as version and Connection say */
	bool expects;    /* Expect: 100-continue */
	bool chunked;    /* Transfer-Encoding: chunked, and nothing else */
	uint64_t length; /* Content-Length; 0 when there is none */
};

enum { HEAD_MORE = 0 };

/*
 * Take a head apart.
 *
 * data    [n] what came so far; texts are ended in place when it is whole
 * Gives   how many bytes it takes, HEAD_MORE when it is not whole yet, or minus the status to refuse it with: 400, 417,
 *         431, 501, 505. *why: then a word or two for the answer, as Go's net/http says it; else NULL
 *         The target begins with a slash or is "*" (of OPTIONS); the host of one with a scheme is the host.
 * Like    RFC 9112, strictly: what two servers could read differently is refused
 */
int request_head_parse(char *data, size_t n, struct request_head *out, const char **why);

#endif
