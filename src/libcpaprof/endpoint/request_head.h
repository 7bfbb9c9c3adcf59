/*
 * request_head.h - parse the head of an HTTP request
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_REQUEST_HEAD_H
#define LIBCPAPROF_ENDPOINT_REQUEST_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAD_MAX = 8192 }; /* total bytes of request line and header lines */

/* Texts point into the parsed data, end with NUL, and are "" if missing. */
struct request_head {
	const char *method, *target;
	int minor; /* minor version, of HTTP/1.minor */
	const char *host, *origin, *fetch_site, *authorization, *secret /* X-Cpa-Secret */;
	bool has_host, has_origin, has_fetch_site;
	bool keep_alive;       /* whether to keep the connection, by version and Connection */
	bool expects_continue; /* was there "Expect: 100-continue"? */
	bool is_chunked;       /* is Transfer-Encoding exactly "chunked"? */
	uint64_t length;       /* Content-Length; 0 if there is none */
};

enum { HEAD_MORE = 0 };

/*
 * Parse a head.
 *
 * data    [n] received so far; NULs are written into it when the head is complete
 * why     out: on failure a detail for the answer, as in Go's net/http, or NULL
 * Returns the length of the head, HEAD_MORE if it is incomplete, or minus the status to refuse it with: 400, 417, 431,
 *         501, 505. The target begins with a slash or is "*" (OPTIONS). The host of an absolute target replaces Host
 * Like    RFC 9112, strictly: anything that two servers could parse differently is refused
 */
int request_head_parse(char *data, size_t n, struct request_head *out, const char **why);

#endif
