/*
 * missing.c - requests in a build without libcurl
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/fetch.h"

#include "base/component.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

void fetch_all(struct fetch_request *request, size_t n, const struct fetch_options *options, fetch_progress_fn progress,
	       struct stop *stop, struct buf *notes)
{
	for (size_t i = 0; i < n; i++)
		request[i].rc = component_missing("curl", &request[i].err);
}
