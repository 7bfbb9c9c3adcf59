/*
 * access.c - access control of the endpoint
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/access.h"

#include "access/host.h"
#include "access/peer.h"
#include "libcpaprof/collector/read/memory.h"

#include <string.h>

enum { STATUS_UNAUTHORIZED = 401, STATUS_FORBIDDEN = 403 };

struct endpoint_access *endpoint_access_new(void)
{
	return memory_map_secret(sizeof(struct endpoint_access));
}

void endpoint_access_free(struct endpoint_access *g)
{
	if (!g)
		return;
	endpoint_access_release(g);
	memory_unmap(g, sizeof(*g));
}

static bool has_secret(const struct endpoint_access *g, const struct request_head *h)
{
	bool is_own = *h->secret && access_is_secret(&g->secret, h->secret);

	return access_is_bearer(&g->secret, h->authorization) | is_own;
}

static struct endpoint_verdict forbid(const char *text)
{
	return (struct endpoint_verdict){ .status = STATUS_FORBIDDEN, .text = text };
}

struct endpoint_verdict endpoint_access_check_request(struct endpoint_access *g, const struct request_head *h,
						      bool is_unix, uint64_t now_ns)
{
	/* only HTTP/1.0 requests may omit Host, and browsers do not send those */
	if (!is_unix && (h->has_host ? !access_is_our_host(h->host, g->hosts, g->secret.n > 0) : h->minor > 0))
		return forbid("Host is neither localhost nor an address; allow a name with --profile-allow-host or "
			      "CPA_ALLOW_HOST");
	if (h->has_origin)
		return forbid("requests from web pages are not allowed");
	if (h->has_fetch_site && strcmp(h->fetch_site, "none") != 0 && strcmp(h->fetch_site, "same-origin") != 0)
		return forbid("requests from another site are not allowed; enter the address in the browser");
	if (g->secret.n > 0 && !has_secret(g, h))
		return (struct endpoint_verdict){ .status = STATUS_UNAUTHORIZED,
						  .text = "Unauthorized",
						  .delay_ms = access_count_failure(&g->failures, now_ns) };
	return (struct endpoint_verdict){ 0 };
}

void endpoint_access_release(struct endpoint_access *g)
{
	explicit_bzero(g, sizeof(*g));
}
