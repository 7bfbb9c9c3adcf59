/*
 * listen_int.h - internals shared by the files that listen
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ACCESS_LISTEN_INT_H
#define ACCESS_LISTEN_INT_H

#include "access/listen.h"
#include "access/owned.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum { LISTEN_BACKLOG = 1024 };

union listen_ip {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* A parsed address. */
struct listen_address {
	const char *address; /* address as given, for messages; borrowed */
	bool is_unix;
	struct sockaddr_un path; /* absolute */
	unsigned n;              /* number of addresses; 2 for 127.0.0.1 and ::1, of which the machine may lack one */
	union listen_ip ip[LISTEN_MAX];
	uint16_t port;
};

/* Format an error message with the address as prefix into why. Returns rc. */
__attribute__((format(printf, 5, 6))) int listen_set_error(char *why, size_t n, const char *address, int rc,
							   const char *format, ...);

/* Parse an address. Names are not resolved, because the C library would call malloc. Returns 0 or -errno. */
int listen_parse(const char *address, struct listen_address *out, char *why, size_t n);

/* Create a non-blocking, close-on-exec socket, with a high number if possible. Returns 0 or -errno. */
int listen_socket(int family, struct owned_fd *out);

/* Is it a loopback address? */
bool listen_is_loopback(const union listen_ip *ip);

/* Listen. Returns 0 or -errno, and on failure nothing is open. */
int listen_unix(const struct listen_address *p, struct listeners *out, char *why, size_t n);
int listen_tcp(const struct listen_options *options, const struct listen_address *p, struct listeners *out, char *why,
	       size_t n);

/* Unlink the socket file if it is still ours and has no listener. */
void listen_unlink(const struct listener *l);

/* Open a folder in which only this user and root can replace files. Returns a descriptor or -errno. */
int listen_folder(const char *path, size_t n_path);

#endif
