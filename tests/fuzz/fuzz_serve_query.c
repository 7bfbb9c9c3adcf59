/*
 * fuzz_serve_query.c - any text as the target of an HTTP request
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stops when there are more header lines than in the input, or when a missing route has a name.
 */
#include "config.h"

#include "fuzz.h"

#include "libcpaprof/endpoint/job.h"
#include "libcpaprof/endpoint/request_query.h"

static void route(const char *method, const char *target)
{
	struct serve_answer a = { 0 };
	char lines[2048];
	struct route r;
	unsigned n = 0;

	if (route_find(method, target, &r) < 0)
		abort();
	if (r.query && (r.query < target || r.query + r.n_query > target + strlen(target)))
		abort();
	if (r.target >= ROUTE_INDEX)
		return;
	if (reply_route(&a, &r, method) < 0 || serve_headers(&a, lines, sizeof(lines)) >= sizeof(lines))
		abort();
	for (const char *at = lines; (at = strchr(at, '\n')); at++)
		n++;
	if (n > 7)
		abort();
	body_release(&a.body);
}

static void numbers(const char *s, size_t n)
{
	char value[QUERY_VALUE_MAX];
	uint64_t addr;
	int64_t whole;
	double part;

	request_query_value(s, n, "seconds", value);
	request_query_int(value, &whole);
	request_query_float(value, &part);
	request_query_int(s, &whole);
	request_query_float(s, &part);
	request_query_uint(s, n, &addr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes copy = fuzz_bytes(data, n);
	char *text = mem_alloc(n + 1, 1);

	if (n)
		memcpy(text, data, n);
	text[n] = '\0';
	request_query_value((const char *)copy.data, n, "k", (char[QUERY_VALUE_MAX]){ 0 });
	numbers(text, strlen(text));
	route("GET", text);
	route("POST", text);
	free(text);
	free(copy.data);
	return 0;
}
