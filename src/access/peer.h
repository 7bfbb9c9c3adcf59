/*
 * peer.h - find the user at the other end of a TCP connection
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ACCESS_PEER_H
#define ACCESS_PEER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A connection. IPv4 addresses are mapped to IPv6; ports are in network byte order. */
struct peer_pair {
	struct in6_addr here, there;
	in_port_t here_port, there_port;
	uint32_t link; /* interface index of link-local addresses; else 0 */
};

/* Read both ends of a connection. Returns false if it is not connected, or not over IP. */
bool peer_pair(int fd, struct peer_pair *out);

/* Is the peer on this machine? */
bool peer_is_local(const struct peer_pair *p);

/* Does the peer have a loopback address? */
bool peer_is_loopback(const struct peer_pair *p);

/* Format the address of the peer without its port: "127.0.0.1", "::1". out: [n], at least INET6_ADDRSTRLEN. */
void peer_format(const struct peer_pair *p, char *out, size_t n);

/*
 * Find the user who created the socket of the peer.
 *
 * Returns 0; -ENOENT if the socket is closed or in another network namespace; else -errno: not available
 */
int peer_user(const struct peer_pair *p, uid_t *out);

/*
 * Was the peer's socket created by this user or root? Also true for a peer on another machine.
 *
 * any_user  allow all users of this machine on TCP sockets
 */
bool peer_is_user(int fd, bool is_unix, bool any_user);

/* Two methods: netlink takes constant time, /proc lists all sockets of the machine. */
int peer_user_by_netlink(const struct peer_pair *p, uid_t *out);
int peer_user_by_proc(const struct peer_pair *p, uid_t *out);

/* Search an open file in the format of /proc/net/tcp and /proc/net/tcp6. */
int peer_user_in_file(int fd, const struct peer_pair *p, uid_t *out);

#endif
