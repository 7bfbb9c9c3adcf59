/*
 * response_cache.h - responses of a server by key; the least recently used ones are dropped
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Any thread may call these functions. The bytes of a response are shared with the server that sends them.
 */
#ifndef FRONT_WEB_JOBS_RESPONSE_CACHE_H
#define FRONT_WEB_JOBS_RESPONSE_CACHE_H

#include "base/http.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct response_cache;

/* A cache of at most max_bytes, keys and header lines included. 0: nothing is cached. */
struct response_cache *response_cache_new(uint64_t max_bytes);
/* NULL is allowed. */
void response_cache_free(struct response_cache *c);

/* Fill in out with the response of this key, see http_response_share. Returns false, and out unchanged, if there is none. */
bool response_cache_get(struct response_cache *c, const char *key, struct http_response *out);

/*
 * Cache a response, from now on shared with the cache. The least recently used responses that are not being sent are
 * dropped to make room. Nothing is cached if there is not enough room, or if the key has a response.
 */
void response_cache_put(struct response_cache *c, const char *key, struct http_response *r);

/* Bytes in use. */
uint64_t response_cache_bytes(struct response_cache *c);

#endif
