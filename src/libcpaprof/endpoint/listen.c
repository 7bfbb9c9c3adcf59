/*
 * listen.c - listen on addresses of this machine, and on Unix sockets of ours alone
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mode of the file of a Unix socket is that of the socket when it is bound, less the umask; so it is set before, and there is no
 * moment at which others could connect. The umask itself belongs to all threads of the program and is not touched.
 *
 * A program may close descriptors that it does not know, and get the same numbers for files of its own; so nothing
 * is done with a number before it is seen to be still the socket that was made.
 */
#include "config.h"

#include "libcpaprof/endpoint/listen.h"

#include "libcpaprof/endpoint/listen_int.h"
#include "libcpaprof/endpoint/owned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
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
static int check(const struct listen_options *options, const union listen_ip *is, const char *address, char *why,
		 size_t n)
{
	if (listen_is_loopback(is))
		return 0;
	if (!options->has_secret)
		return listen_why(
			why, n, address, -EACCES,
			"other machines could read this program's profiles there; a secret that they must know is "
			"needed (--profile-secret or CPA_SECRET_FILE), or listen on 127.0.0.1 and come by ssh -L");
	if (!options->any_address && is_every_address(is))
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

static int open_one(const struct listen_options *options, const struct listen_place *p, union listen_ip ip,
		    uint16_t port, struct listener *out, char *why, size_t n)
{
	bool is_v4 = ip.any.sa_family == AF_INET;
	const int on = 1;
	socklen_t size = is_v4 ? sizeof(ip.v4) : sizeof(ip.v6);
	union listen_ip is = { 0 };
	int fd = listen_socket(ip.any.sa_family), rc;

	*(is_v4 ? &ip.v4.sin_port : &ip.v6.sin6_port) = htons(port);
	/* nothing is bound that may not be, not even for a moment */
	rc = check(options, &ip, p->address, why, n);
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
		rc = check(options, &is, p->address, why, n);
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

static int open_all(const struct listen_options *options, const struct listen_place *p, struct listeners *out,
		    char *why, size_t n)
{
	uint16_t port = p->port;
	int rc = 0;

	out->n = 0;
	for (unsigned i = 0; i < p->n; i++) {
		rc = open_one(options, p, p->ip[i], port, &out->at[out->n], why, n);
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

int listen_tcp(const struct listen_options *options, const struct listen_place *p, struct listeners *out, char *why,
	       size_t n)
{
	union listen_ip is = { 0 };
	char shown[LISTEN_SHOWN_MAX];
	int rc, tries = 0;

	do /* a free port of 127.0.0.1 may be taken on ::1 */
		rc = open_all(options, p, out, why, n);
	while (rc == -EADDRINUSE && p->port == 0 && p->n > 1 && ++tries < PORT_TRIES);
	if (rc < 0)
		return rc;
	getsockname(out->at[0].fd, &is.any, &(socklen_t){ sizeof(is) });
	show(&is, shown, sizeof(shown));
	snprintf(out->shown, sizeof(out->shown), "http://%.*s", (int)sizeof(out->shown) - 8, shown);
	return 0;
}

enum { OURS_ALONE = 0600, OF_OTHERS = 077 };

int listen_folder(const char *path, size_t n_path)
{
	char name[sizeof(((struct sockaddr_un *)0)->sun_path)] = "/";
	struct stat is;
	int fd;

	if (n_path >= sizeof(name))
		return -ENAMETOOLONG;
	if (n_path > 0) {
		memcpy(name, path, n_path);
		name[n_path] = '\0';
	}
	fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &is) == 0 && (is.st_uid == geteuid() || is.st_uid == 0) &&
	    (!(is.st_mode & S_IWOTH) || is.st_mode & S_ISVTX))
		return fd;
	close(fd);
	return -EPERM;
}

/* 0: somebody listens; -ECONNREFUSED: nobody does; else it cannot be told. */
static int probe(const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) != 0 && errno != EAGAIN)
		rc = -errno;
	close(fd);
	return rc;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && (a->st_mode & S_IFMT) == (b->st_mode & S_IFMT);
}

/* Unlink what is there if it is still the one that was looked at. */
static void unlink_same(int folder, const char *base, const struct stat *was)
{
	struct stat is;

	if (fstatat(folder, base, &is, AT_SYMLINK_NOFOLLOW) == 0 && is_same(&is, was))
		unlinkat(folder, base, 0);
}

/* What is left of one that ended is removed; anything else is in the way. */
static int make_way(int folder, const char *base, const struct listen_place *p, char *why, size_t n)
{
	struct stat is;
	int rc;

	if (fstatat(folder, base, &is, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : listen_why(why, n, p->address, -errno, "%s", strerrordesc_np(errno));
	if (S_ISLNK(is.st_mode))
		return listen_why(why, n, p->address, -ELOOP, "%s is a symbolic link, and is not followed",
				  p->path.sun_path);
	if (!S_ISSOCK(is.st_mode))
		return listen_why(why, n, p->address, -EEXIST, "%s is there already, and is no socket",
				  p->path.sun_path);
	if (is.st_uid != geteuid())
		return listen_why(why, n, p->address, -EEXIST, "%s is another user's socket", p->path.sun_path);
	rc = probe(&p->path);
	if (rc == 0)
		return listen_why(why, n, p->address, -EADDRINUSE, "somebody listens on %s already", p->path.sun_path);
	if (rc != -ECONNREFUSED)
		return listen_why(why, n, p->address, -EADDRINUSE, "%s is there already: %s", p->path.sun_path,
				  strerrordesc_np(-rc));
	unlink_same(folder, base, &is);
	return 0;
}

/* Is what was bound where it was meant, and ours alone? A umask may have taken more than it should. */
static int check_socket(int folder, const char *base, struct stat *is)
{
	if (fstatat(folder, base, is, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	if (!S_ISSOCK(is->st_mode) || is->st_uid != geteuid() || is->st_mode & OF_OTHERS)
		return -EPERM;
	if ((is->st_mode & OURS_ALONE) != OURS_ALONE && fchmodat(folder, base, OURS_ALONE, 0) != 0)
		return -errno;
	return 0;
}

static int open_in(int folder, const char *base, const struct listen_place *p, struct listener *l, char *why, size_t n)
{
	int fd, rc = make_way(folder, base, p, why, n);

	if (rc < 0)
		return rc;
	fd = listen_socket(AF_UNIX);
	if (fd < 0)
		return listen_why(why, n, p->address, fd, "no socket: %s", strerrordesc_np(-fd));
	*l = (struct listener){ .fd = fd, .is_unix = true, .path = p->path };
	if (fchmod(fd, OURS_ALONE) != 0 || fstat(fd, &l->is) != 0 ||
	    bind(fd, (const struct sockaddr *)&p->path, sizeof(p->path)) != 0) {
		rc = -errno;
		close(fd);
		return listen_why(why, n, p->address, rc, "cannot make %s: %s", p->path.sun_path, strerrordesc_np(-rc));
	}
	rc = check_socket(folder, base, &l->path_is);
	if (rc == 0 && listen(fd, LISTEN_BACKLOG) != 0)
		rc = -errno;
	if (rc == 0)
		return 0;
	if (l->path_is.st_ino)
		unlink_same(folder, base, &l->path_is);
	close(fd);
	return listen_why(why, n, p->address, rc, "%s did not become a socket of this user alone: %s", p->path.sun_path,
			  strerrordesc_np(-rc));
}

int listen_unix(const struct listen_place *p, struct listeners *out, char *why, size_t n)
{
	const char *slash = strrchr(p->path.sun_path, '/');
	int folder = listen_folder(p->path.sun_path, (size_t)(slash - p->path.sun_path)), rc;

	if (folder == -EPERM)
		return listen_why(
			why, n, p->address, folder,
			"others could put a socket of their own into that folder; it must be this user's or root's, "
			"and not writable for everybody");
	if (folder < 0)
		return listen_why(why, n, p->address, folder, "the folder: %s", strerrordesc_np(-folder));
	rc = open_in(folder, slash + 1, p, &out->at[0], why, n);
	close(folder);
	if (rc < 0)
		return rc;
	out->n = 1;
	out->port = 0;
	snprintf(out->shown, sizeof(out->shown), "unix:%s", p->path.sun_path);
	return 0;
}

/* A child of fork may have the same socket, or a later program a new one with the number of this file. */
void listen_unlink(const struct listener *l)
{
	const char *slash = strrchr(l->path.sun_path, '/');
	int folder = listen_folder(l->path.sun_path, (size_t)(slash - l->path.sun_path));

	if (folder < 0)
		return;
	if (probe(&l->path) == -ECONNREFUSED)
		unlink_same(folder, slash + 1, &l->path_is);
	close(folder);
}

int listen_socket(int family)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc;
	struct owned o;

	if (fd < 0)
		return -errno;
	rc = owned_take(&o, fd);
	return rc < 0 ? rc : o.fd;
}

static int open_at(const struct listen_options *options, uint16_t port, struct listeners *out, char *why, size_t n)
{
	struct listeners made = { 0 };
	struct listen_place place;
	int rc = listen_parse(options->address, &place, why, n);

	if (rc < 0)
		return rc;
	if (port)
		place.port = port;
	rc = place.is_unix ? listen_unix(&place, &made, why, n) : listen_tcp(options, &place, &made, why, n);
	if (rc == 0)
		*out = made;
	return rc;
}

int listen_open(const struct listen_options *options, struct listeners *out, char *why, size_t n)
{
	return open_at(options, 0, out, why, n);
}

bool listener_is_ours(const struct listener *l)
{
	struct stat now;

	return l->fd >= 0 && fstat(l->fd, &now) == 0 && S_ISSOCK(now.st_mode) && now.st_dev == l->is.st_dev &&
	       now.st_ino == l->is.st_ino;
}

int listen_again(const struct listen_options *options, struct listeners *l)
{
	uint16_t port = l->port;

	for (unsigned i = 0; i < l->n; i++) {
		if (listener_is_ours(&l->at[i])) /* one of two: both are made anew */
			close(l->at[i].fd);
		l->at[i].fd = -1;
	}
	return open_at(options, port, l, NULL, 0);
}

void listen_close(struct listeners *l, bool forked)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct listener *at = &l->at[i];

		if (listener_is_ours(at)) {
			if (!forked) /* a child that does not know may have it too */
				shutdown(at->fd, SHUT_RDWR);
			close(at->fd);
		}
		at->fd = -1;
		if (at->is_unix && !forked)
			listen_unlink(at);
	}
	l->n = 0;
}
