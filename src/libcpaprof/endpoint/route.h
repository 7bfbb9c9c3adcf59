/*
 * route.h - find the handler of a request
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_ROUTE_H
#define LIBCPAPROF_ENDPOINT_ROUTE_H

#include "libcpaprof/endpoint/serve.h"

enum route_target {
	ROUTE_NOT_FOUND, /* 404 */
	ROUTE_BAD_PATH,  /* answer 400: the path is invalid */
	ROUTE_METHOD,    /* 405 */
	ROUTE_REDIRECT,  /* answer 307: redirect to route.location */
	ROUTE_TOO_LONG,  /* answer 414: the location of a redirection does not fit */
	ROUTE_INDEX,
	ROUTE_CMDLINE,
	ROUTE_PROFILE,
	ROUTE_SYMBOL,
	ROUTE_TRACE,
	ROUTE_NAMED /* the profile route.name */
};

struct route {
	enum route_target target;
	bool is_gperf;                     /* is it a path for clients of gperftools, /pprof/...? */
	char name[SNAP_NAME_MAX];          /* profile; "" if it does not fit, since no profile has such a long name */
	const char *allow;                 /* ROUTE_METHOD */
	char location[SERVE_LOCATION_MAX]; /* ROUTE_REDIRECT */
	const char *query;                 /* [n_query] query of the target */
	size_t n_query;
};

/*
 * Find the handler of a request.
 *
 * Returns 0 or -ENOMEM
 * Like    net/http.ServeMux with the patterns of net/http/pprof, and /pprof/
 */
int route_find(const char *method, const char *target, struct route *out);

/* Escape a path as net/url does. Returns the full length, like snprintf. */
size_t route_escape(const char *path, size_t n, char *out, size_t size);

#endif
