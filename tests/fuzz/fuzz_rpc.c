/*
 * fuzz_rpc.c - any bodies of requests to the store of a collector
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stops when a damaged query has no message, or when a query is not the same after it is written and read again.
 */
#include "config.h"

#include "fuzz.h"

#include "store/remote/remote.h"
#include "store/remote/remote_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Append the query as it is written. Returns false if it is damaged. */
static bool write_again(const char *body, size_t n, struct buf *out)
{
	struct rpc_query q;
	struct err err = { 0 };
	int rc = rpc_query_parse(body, n, &q, &err);

	if (rc == 0)
		rpc_put_query(out, &q.q);
	else if (!*err.msg)
		abort();
	rpc_query_release(&q);
	return rc == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf once = { 0 }, twice = { 0 };

	if (write_again((const char *)data, n, &once) &&
	    (!write_again(once.data, once.len, &twice) || once.len != twice.len ||
	     memcmp(once.data, twice.data, once.len) != 0)) {
		fprintf(stderr, "another query\n");
		abort();
	}
	buf_release(&once);
	buf_release(&twice);
	return 0;
}
