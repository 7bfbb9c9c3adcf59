/*
 * listen.c - where we listen
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program may close descriptors that it does not know, and get the same numbers for files of its own; so nothing
 * is done with a number before it is seen to be still the socket that was made.
 */
#include "config.h"

#include "libcpaprof/endpoint/listen_int.h"
#include "libcpaprof/endpoint/owned.h"

#include <errno.h>
#include <unistd.h>

int listen_socket(int family)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc;
	struct owned o;

	if (fd < 0)
		return -errno;
	rc = owned_take(&o, fd);
	return rc < 0 ? rc : o.fd;
}

static int open_at(const struct listen_how *how, uint16_t port, struct listeners *out, char *why, size_t n)
{
	struct listeners made = { 0 };
	struct listen_place place;
	int rc = listen_parse(how->address, &place, why, n);

	if (rc < 0)
		return rc;
	if (port)
		place.port = port;
	rc = place.is_unix ? listen_unix(&place, &made, why, n) : listen_tcp(how, &place, &made, why, n);
	if (rc == 0)
		*out = made;
	return rc;
}

int listen_open(const struct listen_how *how, struct listeners *out, char *why, size_t n)
{
	return open_at(how, 0, out, why, n);
}

bool listener_is_ours(const struct listener *l)
{
	struct stat now;

	return l->fd >= 0 && fstat(l->fd, &now) == 0 && S_ISSOCK(now.st_mode) && now.st_dev == l->is.st_dev &&
	       now.st_ino == l->is.st_ino;
}

int listen_again(const struct listen_how *how, struct listeners *l)
{
	uint16_t port = l->port;

	for (unsigned i = 0; i < l->n; i++) {
		if (listener_is_ours(&l->at[i])) /* one of two: both are made anew */
			close(l->at[i].fd);
		l->at[i].fd = -1;
	}
	return open_at(how, port, l, NULL, 0);
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
