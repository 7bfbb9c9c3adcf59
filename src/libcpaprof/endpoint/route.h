/*
 * route.h - which answer a request is for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_ROUTE_H
#define LIBCPAPROF_ENDPOINT_ROUTE_H

#include "libcpaprof/endpoint/serve.h"

enum route_to {
	ROUTE_NOWHERE,  /* 404 */
	ROUTE_NO_WAY,   /* 400: no path at all */
	ROUTE_METHOD,   /* 405 */
	ROUTE_REDIRECT, /* 307, to route.location */
	ROUTE_LONG,     /* 414: the place it would be sent to does not fit */
	ROUTE_INDEX,
	ROUTE_CMDLINE,
	ROUTE_PROFILE,
	ROUTE_SYMBOL,
	ROUTE_TRACE,
	ROUTE_NAMED /* the profile route.name */
};

struct route {
	enum route_to to;
	bool old;                          /* as clients of gperftools ask: /pprof/... */
	char name[SNAP_NAME_MAX];          /* one that does not fit is no profile's: it is cut */
	const char *allow;                 /* ROUTE_METHOD */
	char location[SERVE_LOCATION_MAX]; /* ROUTE_REDIRECT */
	const char *query;                 /* [n_query] in the target */
	size_t n_query;
};

/*
 * Where a request goes.
 *
 * Gives   0 or -ENOMEM
 * Like    net/http.ServeMux with the patterns of net/http/pprof, and one more
 */
int route_find(const char *method, const char *target, struct route *out);

/* A path as net/url escapes it. Gives the length of all of it, as snprintf. */
size_t route_escape(const char *path, size_t n, char *out, size_t size);

#endif
