/*
 * response_cache.c - responses of a server by key; the least recently used ones are dropped
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A hash table of lists, and one list of all entries in the order of their last use.
 */
#include "config.h"

#include "front/web/jobs/response_cache.h"

#include "base/hash.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { N_BUCKETS = 4096, PACKED_SHARE = 2 };

struct response_cache_entry {
	struct response_cache_entry *next;          /* in the same bucket */
	struct response_cache_entry *older, *newer; /* in the order of the last use */
	struct http_response response;
	uint64_t n_bytes;
	size_t bucket;
	char key[];
};

struct response_cache {
	pthread_mutex_t lock; /* guards everything below */
	uint64_t n_bytes, max_bytes;
	struct response_cache_entry *oldest, *newest;
	struct response_cache_entry *bucket[N_BUCKETS];
};

struct response_cache *response_cache_new(uint64_t max_bytes)
{
	struct response_cache *c = mem_zalloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	c->max_bytes = max_bytes;
	return c;
}

static void response_cache_entry_free(struct response_cache_entry *e)
{
	http_response_release(&e->response);
	free(e);
}

void response_cache_free(struct response_cache *c)
{
	if (!c)
		return;
	while (c->oldest) {
		struct response_cache_entry *e = c->oldest;

		c->oldest = e->newer;
		response_cache_entry_free(e);
	}
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static size_t bucket_of(const char *key)
{
	return hash_bytes(key, strlen(key)) % N_BUCKETS;
}

static struct response_cache_entry *response_cache_find(const struct response_cache *c, const char *key)
{
	struct response_cache_entry *e = c->bucket[bucket_of(key)];

	while (e && strcmp(e->key, key) != 0)
		e = e->next;
	return e;
}

static void unlink_use(struct response_cache *c, struct response_cache_entry *e)
{
	*(e->older ? &e->older->newer : &c->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &c->newest) = e->older;
}

static void append_use(struct response_cache *c, struct response_cache_entry *e)
{
	e->older = c->newest;
	e->newer = NULL;
	*(c->newest ? &c->newest->newer : &c->oldest) = e;
	c->newest = e;
}

bool response_cache_get(struct response_cache *c, const char *key, struct http_response *out)
{
	struct response_cache_entry *e;

	pthread_mutex_lock(&c->lock);
	e = response_cache_find(c, key);
	if (e) {
		unlink_use(c, e);
		append_use(c, e);
		http_response_share(&e->response, out);
	}
	pthread_mutex_unlock(&c->lock);
	return e;
}

static void response_cache_drop(struct response_cache *c, struct response_cache_entry *e)
{
	struct response_cache_entry **at = &c->bucket[e->bucket];

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	unlink_use(c, e);
	c->n_bytes -= e->n_bytes;
	response_cache_entry_free(e);
}

/* Drop entries until n more bytes fit. Returns false if they never will. */
static bool response_cache_make_room(struct response_cache *c, uint64_t n)
{
	struct response_cache_entry *e = c->oldest;

	if (n > c->max_bytes)
		return false;
	while (e && c->n_bytes > c->max_bytes - n) {
		struct response_cache_entry *newer = e->newer;

		if (!blob_is_shared(e->response.blob))
			response_cache_drop(c, e);
		e = newer;
	}
	return c->n_bytes <= c->max_bytes - n;
}

static struct response_cache_entry *entry_new(const char *key, struct http_response *r)
{
	size_t n_key = strlen(key) + 1;
	struct response_cache_entry *e = mem_zalloc(1, sizeof(*e) + n_key);

	memcpy(e->key, key, n_key);
	http_response_share(r, &e->response);
	e->n_bytes = sizeof(*e) + n_key + e->response.header.len + blob_size(e->response.blob);
	if (e->response.can_compress) /* room for the compressed form */
		e->n_bytes += blob_size(e->response.blob) / PACKED_SHARE;
	e->bucket = bucket_of(key);
	return e;
}

void response_cache_put(struct response_cache *c, const char *key, struct http_response *r)
{
	struct response_cache_entry *e = entry_new(key, r);

	pthread_mutex_lock(&c->lock);
	if (!response_cache_find(c, key) && response_cache_make_room(c, e->n_bytes)) {
		e->next = c->bucket[e->bucket];
		c->bucket[e->bucket] = e;
		append_use(c, e);
		c->n_bytes += e->n_bytes;
		e = NULL;
	}
	pthread_mutex_unlock(&c->lock);
	if (e)
		response_cache_entry_free(e);
}

uint64_t response_cache_bytes(struct response_cache *c)
{
	uint64_t n;

	pthread_mutex_lock(&c->lock);
	n = c->n_bytes;
	pthread_mutex_unlock(&c->lock);
	return n;
}
