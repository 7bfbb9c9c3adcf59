/*
 * make_web.h - a web UI that shows a file of testdata, and requests to it, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	struct web_test t = web_test_start("go-cpu.pb.gz");
 *	struct http_response r = get(&t, "/ui/top?f=main");
 *	...
 *	http_response_release(&r);
 *	web_test_end(&t);
 *
 * Tests are skipped if TESTDATA is not set.
 */
#ifndef TESTS_UNIT_MAKE_WEB_H
#define TESTS_UNIT_MAKE_WEB_H

#include "engine/query.h"
#include "front/web/web.h"
#include "sources/load.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct web_test {
	struct query *q;
	struct web *web;
};

/* A web UI without a profile, with the default options. */
static inline struct web_test web_test_start_empty(void)
{
	struct web_test t = { .q = calloc(1, sizeof(*t.q)) };
	struct web_options options = { .q = t.q, .token = "00112233445566778899aabbccddeeff", .cache_bytes = 1 << 20 };

	assert_non_null(t.q);
	query_init(t.q);
	t.q->symbolize = "none";
	t.web = web_new(&options);
	return t;
}

/* Load a file of testdata, minus a base unless base is NULL. */
static inline void web_test_load(struct web_test *t, const char *file, const char *base)
{
	const char *folder = getenv("TESTDATA");
	static char path[2][1000]; /* like argv, they live longer than the profile */
	static const char *const word = path[0], *const base_word = path[1];
	struct load_request request = {
		.q = t->q, .word = &word, .n_words = 1, .base = &base_word, .n_bases = base != NULL, .keep_sides = true
	};
	struct load_result l;
	struct err err;

	if (!folder)
		skip();
	snprintf(path[0], sizeof(path[0]), "%s/%s", folder, file);
	snprintf(path[1], sizeof(path[1]), "%s/%s", folder, base ? base : "");
	if (sources_load(&request, &l, &err) < 0 || web_set_loaded(t->web, &l, file, &err) < 0)
		fail_msg("%s: %s", file, err.msg);
}

/* A web UI that shows a file of testdata. */
static inline struct web_test web_test_start(const char *file)
{
	struct web_test t = web_test_start_empty();

	web_test_load(&t, file, NULL);
	return t;
}

static inline void web_test_end(struct web_test *t)
{
	web_free(t->web);
	query_release(t->q);
	free(t->q);
}

/* Send a request. accept: value of the header Accept; NULL: no such header. */
static inline struct http_response request(struct web_test *t, const char *method, const char *target,
					   const char *accept)
{
	const struct http_header header[] = { { "Host", "localhost:1" }, { "Accept", accept } };
	const char *question = strchr(target, '?');
	char *path = strndup(target, question ? (size_t)(question - target) : strlen(target));
	struct http_request q = { .method = method,
				  .path = path,
				  .query = question ? question + 1 : "",
				  .header = header,
				  .n_headers = accept ? 2 : 1,
				  .body = "",
				  .upload = -1,
				  .peer = { .is_loopback = true, .is_user = true, .address = "127.0.0.1" } };
	struct http_response r = { 0 };
	struct stop stop = { 0 };

	web_answer(t->web, &q, &stop, &r);
	free(path);
	return r;
}

/* Request a page, as a browser does. The caller releases the response. */
static inline struct http_response get(struct web_test *t, const char *target)
{
	return request(t, "GET", target, "text/html,application/xhtml+xml,*/*;q=0.8");
}

/* The body of a response, as a string. */
static inline const char *body(const struct http_response *r)
{
	return r->blob ? blob_data(r->blob) : buf_text(&r->body);
}

/* Fail unless the page has this status and contains this text. */
static inline void expect_page(struct web_test *t, const char *target, int status, const char *part)
{
	struct http_response r = get(t, target);

	if (r.status != status)
		fail_msg("%s: status %d, not %d: %.300s", target, r.status, status, body(&r));
	if (!strstr(body(&r), part))
		fail_msg("%s: no \"%s\" in %s", target, part, body(&r));
	http_response_release(&r);
}

/* Fail if the page contains this text. */
static inline void expect_absent(struct web_test *t, const char *target, const char *part)
{
	struct http_response r = get(t, target);
	const char *found = strstr(body(&r), part);

	if (found)
		fail_msg("%s: \"%s\" in %.300s", target, part, found);
	http_response_release(&r);
}

#endif
