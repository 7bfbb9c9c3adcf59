/*
 * protocol.h - the protocols with which agents push profiles: their paths, bodies and responses
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each protocol is a file with a row. A new one is added to the table in protocols.c; the configuration, the listener and the
 * messages read it.
 */
#ifndef SCRAPE_PROTOCOLS_PROTOCOL_H
#define SCRAPE_PROTOCOLS_PROTOCOL_H

#include "base/err.h"
#include "base/http.h"
#include "formats/push/push.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Statuses of responses. */
enum {
	PROTOCOL_BAD = 400,
	PROTOCOL_FORBIDDEN = 403,
	PROTOCOL_TIMEOUT = 408,
	PROTOCOL_TOO_LARGE = 413,
	PROTOCOL_MEDIA = 415,
	PROTOCOL_UNPROCESSABLE = 422,
	PROTOCOL_TOO_MANY = 429,
	PROTOCOL_ERROR = 500,
	PROTOCOL_NOT_IMPLEMENTED = 501,
	PROTOCOL_UNAVAILABLE = 503,
	PROTOCOL_NO_ROOM = 507,
};

struct protocol {
	const char *name;        /* of "push" in the configuration */
	const char *const *path; /* of requests; ends with NULL */

	/*
	 * Read a request.
	 *
	 * body     [n] decompressed; borrowed until push_release
	 * options  limits
	 * Fails    ERR_UNKNOWN for a content type or format that is not read; ERR_FORMAT, ERR_LIMIT
	 */
	int (*read)(const struct http_request *q, const uint8_t *body, size_t n, const struct format_options *options,
		    struct push *out, struct err *err);

	/* Write the response when all profiles are durable. */
	void (*succeed)(const struct http_request *q, const struct push *p, struct http_response *out);

	/* Write the response of a refused request. text: a sentence. */
	void (*fail)(const struct http_request *q, int status, const char *text, struct http_response *out);

	/*
	 * Write the response when some profiles are durable, and n are refused for good. NULL: the request is refused then, and
	 * the client sends all of them again or none.
	 */
	void (*succeed_partly)(const struct http_request *q, size_t n, const char *text, struct http_response *out);

	bool accepts_empty; /* a request without profiles succeeds */
};

/* The protocols; the bit of one in a set is 1 << index. */
extern const struct protocol *const protocols[];
extern const size_t n_protocols;

extern const struct protocol protocol_pprof, protocol_ingest, protocol_connect, protocol_otlp, protocol_datadog,
	protocol_parca;

/* The protocol of a path, or of a name; NULL if there is none. */
const struct protocol *protocol_find_path(const char *path);
const struct protocol *protocol_find_name(const char *name);

/* The bit of a protocol in a set, and the set of all. */
unsigned protocol_bit(const struct protocol *p);
unsigned protocol_all(void);

/* Is the content type of the request this one, whatever its parameters are? */
bool protocol_has_type(const struct http_request *q, const char *type);

/* The code of gRPC for a status. */
int protocol_grpc_code(int status);

/* A response without a body, one with a line of text, and one of the Connect protocol. */
void protocol_succeed(const struct http_request *q, const struct push *p, struct http_response *out);
void protocol_fail_text(const struct http_request *q, int status, const char *text, struct http_response *out);
void protocol_succeed_connect(const struct http_request *q, const struct push *p, struct http_response *out);
void protocol_fail_connect(const struct http_request *q, int status, const char *text, struct http_response *out);

#endif
