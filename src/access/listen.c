/*
 * listen.c - listen on TCP addresses and on private Unix sockets
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A Unix socket file gets the mode of the socket at bind, minus the umask. So the mode is set before bind, and other
 * users can never connect. The umask is shared by all threads of the program and is not changed.
 *
 * A program may close descriptors that it did not open, and reuse their numbers for its own files. So each descriptor
 * is verified before it is used.
 */
#include "config.h"

#include "access/listen.h"

#include "access/listen_int.h"
#include "access/owned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PORT_TRIES = 32, LOOPBACK_NET = 127, RESERVED_PORTS = 1024 };

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

static void format_address(const union listen_ip *ip, char *out, size_t n)
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

/* Check the requested address, and later the bound address. */
static int check_address(const struct listen_options *options, const union listen_ip *is, const char *address,
			 char *why, size_t n)
{
	if (listen_is_loopback(is))
		return 0;
	if (!options->has_secret)
		return listen_set_error(why, n, address, -EACCES,
					"other machines can connect to this address, so a secret is required (%s); or "
					"listen on 127.0.0.1 and "
					"use ssh -L",
					options->secret_options ? options->secret_options
								: "--profile-secret or CPA_SECRET_FILE");
	if (!options->any_address && is_every_address(is))
		return listen_set_error(why, n, address, -EACCES,
					"this means all addresses of the machine; use one of them, or allow all with "
					"--profile-any-address or CPA_ANY_ADDRESS=1");
	return 0;
}

static int set_bind_error(const union listen_ip *ip, const char *address, char *why, size_t n)
{
	int rc = -errno;
	char text[LISTEN_URL_MAX];

	format_address(ip, text, sizeof(text));
	if (rc == -EACCES && port_of(ip) < RESERVED_PORTS)
		return listen_set_error(why, n, address, rc, "only root can listen on ports below %d", RESERVED_PORTS);
	return listen_set_error(why, n, address, rc, "cannot listen on %s: %s", text, strerrordesc_np(-rc));
}

static int open_address(const struct listen_options *options, const struct listen_address *p, union listen_ip ip,
			uint16_t port, struct listener *out, char *why, size_t n)
{
	bool is_v4 = ip.any.sa_family == AF_INET;
	const int on = 1;
	socklen_t size = is_v4 ? sizeof(ip.v4) : sizeof(ip.v6);
	union listen_ip is = { 0 };
	struct owned_fd o;
	int rc = listen_socket(ip.any.sa_family, &o), made = rc, fd = o.fd;

	*(is_v4 ? &ip.v4.sin_port : &ip.v6.sin6_port) = htons(port);
	/* check before bind: a forbidden address is never bound, not even for a moment */
	rc = check_address(options, &ip, p->address, why, n);
	if (rc < 0) {
		owned_close(&o);
		return rc;
	}
	if (made < 0) {
		errno = -made;
		return set_bind_error(&ip, p->address, why, n);
	}
	*out = (struct listener){ .fd = fd };
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if ((!is_v4 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0) ||
	    bind(fd, &ip.any, size) != 0 || getsockname(fd, &is.any, &(socklen_t){ sizeof(is) }) != 0 ||
	    fstat(fd, &out->stat) != 0) {
		rc = set_bind_error(&ip, p->address, why, n);
	} else {
		rc = check_address(options, &is, p->address, why, n);
		if (rc == 0 && listen(fd, LISTEN_BACKLOG) != 0)
			rc = set_bind_error(&is, p->address, why, n);
	}
	out->is_public = !listen_is_loopback(&is);
	if (rc < 0)
		owned_close(&o);
	return rc;
}

static uint16_t bound_port(const struct listener *l)
{
	union listen_ip is = { 0 };

	return getsockname(l->fd, &is.any, &(socklen_t){ sizeof(is) }) == 0 ? port_of(&is) : 0;
}

/* Is it an error of a machine without IPv6, or without IPv4? */
static bool is_family_missing(int rc)
{
	return rc == -EADDRNOTAVAIL || rc == -EAFNOSUPPORT || rc == -EPROTONOSUPPORT;
}

static int open_addresses(const struct listen_options *options, const struct listen_address *p, struct listeners *out,
			  char *why, size_t n)
{
	uint16_t port = p->port;
	int rc = 0;

	out->n = 0;
	for (unsigned i = 0; i < p->n; i++) {
		rc = open_address(options, p, p->ip[i], port, &out->listener[out->n], why, n);
		if (rc == 0)
			port = bound_port(&out->listener[out->n++]);
		else if (!is_family_missing(rc))
			break;
	}
	if (rc == 0 || (is_family_missing(rc) && out->n > 0)) {
		out->port = port;
		return 0;
	}
	while (out->n > 0)
		if (listener_is_ours(&out->listener[--out->n]))
			close(out->listener[out->n].fd);
	return rc;
}

int listen_tcp(const struct listen_options *options, const struct listen_address *p, struct listeners *out, char *why,
	       size_t n)
{
	union listen_ip is = { 0 };
	char text[LISTEN_URL_MAX];
	int rc, tries = 0;

	do /* a port that is free on 127.0.0.1 may be in use on ::1 */
		rc = open_addresses(options, p, out, why, n);
	while (rc == -EADDRINUSE && p->port == 0 && p->n > 1 && ++tries < PORT_TRIES);
	if (rc < 0)
		return rc;
	getsockname(out->listener[0].fd, &is.any, &(socklen_t){ sizeof(is) });
	format_address(&is, text, sizeof(text));
	snprintf(out->url, sizeof(out->url), "http://%.*s", (int)sizeof(out->url) - 8, text);
	return 0;
}

enum { MODE_PRIVATE = 0600, MODE_OTHERS = 077 };

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

/* Check for a listener. Returns 0 if there is one, -ECONNREFUSED if there is none; another -errno if this is not known.
 * */
static int probe_listener(const struct sockaddr_un *at)
{
	struct owned_fd o;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc = 0;

	if (fd < 0)
		return -errno;
	owned_record(&o, fd);
	if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) != 0 && errno != EAGAIN)
		rc = -errno;
	owned_close(&o);
	return rc;
}

static bool listen_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && (a->st_mode & S_IFMT) == (b->st_mode & S_IFMT);
}

/* Unlink a file unless another file has replaced it. */
static void unlink_same(int folder, const char *base, const struct stat *was)
{
	struct stat is;

	if (fstatat(folder, base, &is, AT_SYMLINK_NOFOLLOW) == 0 && listen_is_same(&is, was))
		unlinkat(folder, base, 0);
}

/* Remove the socket file of an ended process. Any other file is an error. */
static int remove_stale(int folder, const char *base, const struct listen_address *p, char *why, size_t n)
{
	struct stat is;
	int rc;

	if (fstatat(folder, base, &is, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : listen_set_error(why, n, p->address, -errno, "%s", strerrordesc_np(errno));
	if (S_ISLNK(is.st_mode))
		return listen_set_error(why, n, p->address, -ELOOP, "%s is a symbolic link", p->path.sun_path);
	if (!S_ISSOCK(is.st_mode))
		return listen_set_error(why, n, p->address, -EEXIST, "%s exists and is not a socket", p->path.sun_path);
	if (is.st_uid != geteuid())
		return listen_set_error(why, n, p->address, -EEXIST, "%s is another user's socket", p->path.sun_path);
	rc = probe_listener(&p->path);
	if (rc == 0)
		return listen_set_error(why, n, p->address, -EADDRINUSE, "another process listens on %s",
					p->path.sun_path);
	if (rc != -ECONNREFUSED)
		return listen_set_error(why, n, p->address, -EADDRINUSE, "%s exists: %s", p->path.sun_path,
					strerrordesc_np(-rc));
	unlink_same(folder, base, &is);
	return 0;
}

/* Check that the socket file is accessible to this user alone, and restore mode bits that the umask removed. */
static int check_socket(int folder, const char *base, struct stat *is)
{
	if (fstatat(folder, base, is, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	if (!S_ISSOCK(is->st_mode) || is->st_uid != geteuid() || is->st_mode & MODE_OTHERS)
		return -EPERM;
	if ((is->st_mode & MODE_PRIVATE) != MODE_PRIVATE && fchmodat(folder, base, MODE_PRIVATE, 0) != 0)
		return -errno;
	return 0;
}

static int bind_in_folder(int folder, const char *base, const struct listen_address *p, struct listener *l, char *why,
			  size_t n)
{
	struct owned_fd o;
	int fd, rc = remove_stale(folder, base, p, why, n);

	if (rc < 0)
		return rc;
	rc = listen_socket(AF_UNIX, &o);
	if (rc < 0)
		return listen_set_error(why, n, p->address, rc, "cannot create a socket: %s", strerrordesc_np(-rc));
	fd = o.fd;
	*l = (struct listener){ .fd = fd, .is_unix = true, .path = p->path };
	errno = EBADF;
	if (!owned_is_valid(&o) || fchmod(fd, MODE_PRIVATE) != 0 || fstat(fd, &l->stat) != 0 ||
	    bind(fd, (const struct sockaddr *)&p->path, sizeof(p->path)) != 0) {
		rc = -errno;
		owned_close(&o);
		return listen_set_error(why, n, p->address, rc, "cannot create %s: %s", p->path.sun_path,
					strerrordesc_np(-rc));
	}
	rc = check_socket(folder, base, &l->path_stat);
	if (rc == 0 && listen(fd, LISTEN_BACKLOG) != 0)
		rc = -errno;
	if (rc == 0)
		return 0;
	if (l->path_stat.st_ino)
		unlink_same(folder, base, &l->path_stat);
	owned_close(&o);
	return listen_set_error(why, n, p->address, rc, "cannot make %s private to this user: %s", p->path.sun_path,
				strerrordesc_np(-rc));
}

int listen_unix(const struct listen_address *p, struct listeners *out, char *why, size_t n)
{
	const char *slash = strrchr(p->path.sun_path, '/');
	int folder = listen_folder(p->path.sun_path, (size_t)(slash - p->path.sun_path)), rc;
	struct owned_fd o;

	if (folder == -EPERM)
		return listen_set_error(why, n, p->address, folder,
					"other users could replace a socket in this folder; use one that is owned by "
					"this user or root, "
					"and not writable by others");
	if (folder < 0)
		return listen_set_error(why, n, p->address, folder, "cannot open the folder: %s",
					strerrordesc_np(-folder));
	owned_record(&o, folder);
	rc = bind_in_folder(folder, slash + 1, p, &out->listener[0], why, n);
	owned_close(&o);
	if (rc < 0)
		return rc;
	out->n = 1;
	out->port = 0;
	snprintf(out->url, sizeof(out->url), "unix:%s", p->path.sun_path);
	return 0;
}

/* Check both listener and file: a fork child may still listen, or a new file may have the same path. */
void listen_unlink(const struct listener *l)
{
	const char *slash = strrchr(l->path.sun_path, '/');
	int folder = listen_folder(l->path.sun_path, (size_t)(slash - l->path.sun_path));
	struct owned_fd o;

	if (folder < 0)
		return;
	owned_record(&o, folder);
	if (probe_listener(&l->path) == -ECONNREFUSED)
		unlink_same(folder, slash + 1, &l->path_stat);
	owned_close(&o);
}

int listen_socket(int family, struct owned_fd *out)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*out = (struct owned_fd){ .fd = -1 };
	return fd < 0 ? -errno : owned_take(out, fd);
}

static int open_listeners(const struct listen_options *options, uint16_t port, struct listeners *out, char *why,
			  size_t n)
{
	struct listeners made = { 0 };
	struct listen_address place;
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
	return open_listeners(options, 0, out, why, n);
}

bool listener_is_ours(const struct listener *l)
{
	struct stat now;

	return l->fd >= 0 && fstat(l->fd, &now) == 0 && S_ISSOCK(now.st_mode) && now.st_dev == l->stat.st_dev &&
	       now.st_ino == l->stat.st_ino;
}

int listen_reopen(const struct listen_options *options, struct listeners *l)
{
	uint16_t port = l->port;

	for (unsigned i = 0; i < l->n; i++) {
		if (listener_is_ours(&l->listener[i])) /* reopen both, even if only one is lost */
			close(l->listener[i].fd);
		l->listener[i].fd = -1;
	}
	return open_listeners(options, port, l, NULL, 0);
}

void listen_close(struct listeners *l, bool forked)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct listener *at = &l->listener[i];

		if (listener_is_ours(at)) {
			if (!forked) /* stop listening, also in a child that inherited the socket */
				shutdown(at->fd, SHUT_RDWR);
			close(at->fd);
		}
		at->fd = -1;
		if (at->is_unix && !forked)
			listen_unlink(at);
	}
	l->n = 0;
}
