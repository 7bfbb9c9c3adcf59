/*
 * listen_tcp.c - listening on addresses of this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/listen_int.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PORT_TRIES = 32, LOOPBACK_NET = 127, RESERVED = 1024 };

bool listen_is_loopback(const union listen_ip *ip)
{
	const uint8_t *b = ip->v6.sin6_addr.s6_addr;

	if (ip->any.sa_family == AF_INET)
		return ntohl(ip->v4.sin_addr.s_addr) >> 24 == LOOPBACK_NET;
	if (ip->any.sa_family != AF_INET6)
		return false;
	return IN6_IS_ADDR_LOOPBACK(&ip->v6.sin6_addr) ||
	       (IN6_IS_ADDR_V4MAPPED(&ip->v6.sin6_addr) && b[12] == LOOPBACK_NET);
}

static bool is_every_address(const union listen_ip *ip)
{
	static const struct in_addr none;

	if (ip->any.sa_family == AF_INET)
		return ip->v4.sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(&ip->v6.sin6_addr) ||
	       (IN6_IS_ADDR_V4MAPPED(&ip->v6.sin6_addr) &&
		memcmp(ip->v6.sin6_addr.s6_addr + 12, &none, sizeof(none)) == 0);
}

static uint16_t port_of(const union listen_ip *ip)
{
	return ntohs(ip->any.sa_family == AF_INET ? ip->v4.sin_port : ip->v6.sin6_port);
}

static void show(const union listen_ip *ip, char *out, size_t n)
{
	char text[INET6_ADDRSTRLEN] = "", link[IF_NAMESIZE + 4] = "", name[IF_NAMESIZE];

	if (ip->any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &ip->v4.sin_addr, text, sizeof(text));
		snprintf(out, n, "%s:%u", text, port_of(ip));
		return;
	}
	inet_ntop(AF_INET6, &ip->v6.sin6_addr, text, sizeof(text));
	if (ip->v6.sin6_scope_id && if_indextoname(ip->v6.sin6_scope_id, name))
		snprintf(link, sizeof(link), "%%25%s", name); /* RFC 6874 */
	snprintf(out, n, "[%s%s]:%u", text, link, port_of(ip));
}

/* What is asked for is looked at, and what was bound. */
static int check(const struct listen_how *how, const union listen_ip *is, const char *address, char *why, size_t n)
{
	if (listen_is_loopback(is))
		return 0;
	if (!how->has_secret)
		return listen_why(
			why, n, address, -EACCES,
			"other machines could read this program's profiles there; a secret that they must know is "
			"needed (--profile-secret or CPA_SECRET_FILE), or listen on 127.0.0.1 and come by ssh -L");
	if (!how->any_address && is_every_address(is))
		return listen_why(
			why, n, address, -EACCES,
			"this is every address of the machine, now and later; name one of them, or allow it by "
			"--profile-any-address or CPA_ANY_ADDRESS=1");
	return 0;
}

static int refused(const union listen_ip *ip, const char *address, char *why, size_t n)
{
	int rc = -errno;
	char shown[LISTEN_SHOWN_MAX];

	show(ip, shown, sizeof(shown));
	if (rc == -EACCES && port_of(ip) < RESERVED)
		return listen_why(why, n, address, rc, "ports below %d are root's", RESERVED);
	return listen_why(why, n, address, rc, "cannot listen on %s: %s", shown, strerrordesc_np(-rc));
}

static int open_one(const struct listen_how *how, const struct listen_place *p, union listen_ip ip, uint16_t port,
		    struct listener *out, char *why, size_t n)
{
	bool is_v4 = ip.any.sa_family == AF_INET;
	const int on = 1;
	socklen_t size = is_v4 ? sizeof(ip.v4) : sizeof(ip.v6);
	union listen_ip is = { 0 };
	int fd = listen_socket(ip.any.sa_family), rc;

	*(is_v4 ? &ip.v4.sin_port : &ip.v6.sin6_port) = htons(port);
	/* nothing is bound that may not be, not even for a moment */
	rc = check(how, &ip, p->address, why, n);
	if (rc < 0) {
		if (fd >= 0)
			close(fd);
		return rc;
	}
	if (fd < 0) {
		errno = -fd;
		return refused(&ip, p->address, why, n);
	}
	*out = (struct listener){ .fd = fd };
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if ((!is_v4 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0) ||
	    bind(fd, &ip.any, size) != 0 || getsockname(fd, &is.any, &(socklen_t){ sizeof(is) }) != 0 ||
	    fstat(fd, &out->is) != 0) {
		rc = refused(&ip, p->address, why, n);
	} else {
		rc = check(how, &is, p->address, why, n);
		if (rc == 0 && listen(fd, LISTEN_BACKLOG) != 0)
			rc = refused(&is, p->address, why, n);
	}
	out->is_public = !listen_is_loopback(&is);
	if (rc < 0)
		close(fd);
	return rc;
}

static uint16_t bound_port(const struct listener *l)
{
	union listen_ip is = { 0 };

	return getsockname(l->fd, &is.any, &(socklen_t){ sizeof(is) }) == 0 ? port_of(&is) : 0;
}

/* A machine without IPv6, or without IPv4. */
static bool is_lacking(int rc)
{
	return rc == -EADDRNOTAVAIL || rc == -EAFNOSUPPORT || rc == -EPROTONOSUPPORT;
}

static int open_all(const struct listen_how *how, const struct listen_place *p, struct listeners *out, char *why,
		    size_t n)
{
	uint16_t port = p->port;
	int rc = 0;

	out->n = 0;
	for (unsigned i = 0; i < p->n; i++) {
		rc = open_one(how, p, p->ip[i], port, &out->at[out->n], why, n);
		if (rc == 0)
			port = bound_port(&out->at[out->n++]);
		else if (!is_lacking(rc))
			break;
	}
	if (rc == 0 || (is_lacking(rc) && out->n > 0)) {
		out->port = port;
		return 0;
	}
	while (out->n > 0)
		close(out->at[--out->n].fd);
	return rc;
}

int listen_tcp(const struct listen_how *how, const struct listen_place *p, struct listeners *out, char *why, size_t n)
{
	union listen_ip is = { 0 };
	char shown[LISTEN_SHOWN_MAX];
	int rc, tries = 0;

	do /* a free port of 127.0.0.1 may be taken on ::1 */
		rc = open_all(how, p, out, why, n);
	while (rc == -EADDRINUSE && p->port == 0 && p->n > 1 && ++tries < PORT_TRIES);
	if (rc < 0)
		return rc;
	getsockname(out->at[0].fd, &is.any, &(socklen_t){ sizeof(is) });
	show(&is, shown, sizeof(shown));
	snprintf(out->shown, sizeof(out->shown), "http://%.*s", (int)sizeof(out->shown) - 8, shown);
	return 0;
}
