/*
 * backends.c - the kinds of places where stores are, and the backend of each
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/backends/backends.h"

#include "base/str.h"
#include "store/clickhouse/clickhouse.h"
#include "store/gcp/gcp_store.h"
#include "store/local/read/local.h"
#include "store/parca/parca.h"
#include "store/pyroscope/pyroscope.h"
#include "store/remote/remote.h"

#include <string.h>

static const struct {
	const char *prefix;
	int (*open)(const char *url, const struct fetch_options *options, struct store **out, struct err *err);
	bool is_collector;
} places[] = {
	{ "http://", rpc_store_open, true },
	{ "https://", rpc_store_open, true },
	{ "pyroscope+http://", pyro_store_open, false },
	{ "pyroscope+https://", pyro_store_open, false },
	{ "clickhouse://", click_store_open, false },
	{ "clickhouse+https://", click_store_open, false },
	{ "parca+http://", parca_store_open, false },
	{ "parca+https://", parca_store_open, false },
	{ "gcp+http://", gcpstore_open, false },
	{ "gcp+https://", gcpstore_open, false },
};

enum { N_PLACES = sizeof(places) / sizeof(places[0]) };

static size_t backends_find(const char *where)
{
	size_t i = 0;

	while (i < N_PLACES && !starts_with(where, places[i].prefix))
		i++;
	return i;
}

bool backends_is_collector(const char *where)
{
	size_t i = backends_find(where);

	return i < N_PLACES && places[i].is_collector;
}

int backends_open(const char *where, const struct fetch_options *options, struct store **out, struct err *err)
{
	size_t i = backends_find(where);
	const char *colon = strstr(where, "://");
	struct buf directory = { 0 };
	int rc;

	if (i < N_PLACES)
		return places[i].open(where, options, out, err);
	if (colon)
		return err_set(err, ERR_USAGE,
			       "stores at %.*s:// are not supported; use a directory, http, https, "
			       "clickhouse, pyroscope+https, parca+https or gcp+https",
			       (int)(colon - where), where);
	store_directory(where, &directory);
	rc = local_open(buf_text(&directory), out, err);
	buf_release(&directory);
	return rc;
}
