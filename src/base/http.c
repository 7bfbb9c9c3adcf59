/*
 * http.c - an HTTP request and its response, independent of the server
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/http.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>

struct blob {
	atomic_uint n_refs;
	struct buf bytes;
	_Atomic(struct blob *) packed; /* set once */
};

struct blob *blob_new(struct buf *b)
{
	struct blob *blob = mem_zalloc(1, sizeof(*blob));

	atomic_init(&blob->n_refs, 1);
	blob->bytes = *b;
	*b = (struct buf){ 0 };
	return blob;
}

struct blob *blob_ref(struct blob *b)
{
	atomic_fetch_add_explicit(&b->n_refs, 1, memory_order_relaxed);
	return b;
}

void blob_unref(struct blob *b)
{
	if (!b || atomic_fetch_sub_explicit(&b->n_refs, 1, memory_order_acq_rel) != 1)
		return;
	blob_unref(atomic_load_explicit(&b->packed, memory_order_relaxed));
	buf_release(&b->bytes);
	free(b);
}

const char *blob_data(const struct blob *b)
{
	return buf_text(&b->bytes);
}

size_t blob_size(const struct blob *b)
{
	return b->bytes.len;
}

struct blob *blob_get_packed(const struct blob *b)
{
	struct blob *packed = atomic_load_explicit(&b->packed, memory_order_acquire);

	return packed ? blob_ref(packed) : NULL;
}

void blob_set_packed(struct blob *b, struct blob *packed)
{
	struct blob *none = NULL;

	if (!atomic_compare_exchange_strong(&b->packed, &none, packed))
		blob_unref(packed);
}

bool blob_is_shared(const struct blob *b)
{
	return atomic_load_explicit(&b->n_refs, memory_order_acquire) > 1;
}

void http_response_release(struct http_response *r)
{
	buf_release(&r->header);
	buf_release(&r->body);
	blob_unref(r->blob);
	*r = (struct http_response){ 0 };
}

void http_response_share(struct http_response *r, struct http_response *to)
{
	struct buf header = to->header;

	to->header = (struct buf){ 0 };
	http_response_release(to);
	if (!r->blob)
		r->blob = blob_new(&r->body);
	*to = *r;
	to->header = header;
	buf_add(&to->header, buf_text(&r->header), r->header.len);
	blob_ref(to->blob);
}

void http_response_add(struct http_response *r, const char *name, const char *value)
{
	buf_addf(&r->header, "%s: ", name);
	for (const char *c = value; *c; c++)
		buf_fill(&r->header, (unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f ? '?' : *c, 1);
	buf_addz(&r->header, "\r\n");
}

static const struct http_header *base_http_find(const struct http_request *q, const char *name, size_t from)
{
	for (size_t i = from; i < q->n_headers; i++)
		if (strcasecmp(q->header[i].name, name) == 0)
			return &q->header[i];
	return NULL;
}

const char *http_request_header(const struct http_request *q, const char *name)
{
	const struct http_header *h = base_http_find(q, name, 0);

	return h ? h->value : NULL;
}

bool http_request_repeats(const struct http_request *q, const char *name)
{
	const struct http_header *h = base_http_find(q, name, 0);

	return h && base_http_find(q, name, (size_t)(h - q->header) + 1);
}
