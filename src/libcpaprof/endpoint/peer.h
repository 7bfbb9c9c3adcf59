/*
 * peer.h - whose the other end of a TCP connection is
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_PEER_H
#define LIBCPAPROF_ENDPOINT_PEER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>

/* A connection: IPv4 addresses are mapped ones, ports are in the order of the network. */
struct peer_pair {
	struct in6_addr here, there;
	in_port_t here_port, there_port;
	uint32_t link; /* interface of link-local addresses; else 0 */
};

/* Both ends of a connection; false: it has none, or is no connection over IP. */
bool peer_pair(int fd, struct peer_pair *out);

/* Is the other end on this machine? */
bool peer_is_local(const struct peer_pair *p);

/*
 * The user who made the socket of the other end.
 *
 * Gives   0; -ENOENT when it is closed or not of this network namespace; else -errno: the kernel does not tell
 */
int peer_user(const struct peer_pair *p, uid_t *out);

/* The two ways to ask: the first takes the same time for any number of sockets, the second reads all. */
int peer_user_by_netlink(const struct peer_pair *p, uid_t *out);
int peer_user_by_proc(const struct peer_pair *p, uid_t *out);

/* The second, from files like /proc/net/tcp and tcp6. */
int peer_user_in_file(int fd, const struct peer_pair *p, uid_t *out);

#endif
