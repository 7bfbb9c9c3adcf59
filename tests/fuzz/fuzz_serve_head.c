/*
 * fuzz_serve_head.c - any bytes as the head of an HTTP request
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stops when bytes after the head are modified, when strings are outside the head or contain control
 * characters, or when the result depends on how the bytes are split into parts.
 */
#include "config.h"

#include "fuzz.h"

#include "libcpaprof/endpoint/request_head.h"

static int parse(const uint8_t *data, size_t n, struct request_head *h)
{
	struct bytes b = fuzz_bytes(data, n);
	const char *why = "?";
	int rc = request_head_parse((char *)b.data, n, h, &why);

	if (rc > (int)n || rc > HEAD_MAX || (rc >= 0 && why) || (why && (!*why || *why == '?')))
		abort();
	if (rc <= 0 && n && memcmp(b.data, data, n) != 0)
		abort();
	if (rc > 0) {
		const char *const text[] = { h->method,     h->target,        h->host,  h->origin,
					     h->fetch_site, h->authorization, h->secret };

		if (memcmp((char *)b.data + rc, data + rc, n - (size_t)rc) != 0 || !*h->method ||
		    (*h->target != '/' && *h->target != '*'))
			abort();
		for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
			for (const char *c = text[i]; *c; c++)
				if (c < (char *)b.data || c >= (char *)b.data + rc ||
				    (*c < ' ' && *c > 0 && *c != '\t'))
					abort();
	}
	free(b.data);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct request_head whole, part;
	int rc = parse(data, n, &whole), before = HEAD_MORE;
	size_t step = n > 600 ? n / 300 : 1;

	for (size_t k = 0; k < n; k += step) {
		int now = parse(data, k, &part);

		if (before != HEAD_MORE && now != before)
			abort();
		before = now;
	}
	if (before != HEAD_MORE && rc != before)
		abort();
	if (rc > 0 && parse(data, (size_t)rc, &part) != rc)
		abort();
	if (rc > 0 && parse(data, (size_t)rc - 1, &part) != HEAD_MORE)
		abort();
	return 0;
}
