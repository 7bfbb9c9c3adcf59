/*
 * listen_int.h - the parts of listening
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_LISTEN_INT_H
#define LIBCPAPROF_ENDPOINT_LISTEN_INT_H

#include "libcpaprof/endpoint/listen.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum { LISTEN_BACKLOG = 128 };

union listen_ip {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* What an address says. */
struct listen_place {
	const char *address; /* as given, for sentences; borrowed */
	bool is_unix;
	struct sockaddr_un path; /* absolute */
	unsigned n;              /* 2: 127.0.0.1 and ::1, and the machine may lack one of them */
	union listen_ip ip[LISTEN_MOST];
	uint16_t port;
};

/* Put a sentence, with the address in front, where the caller wants it. Gives rc. */
__attribute__((format(printf, 5, 6))) int listen_why(char *why, size_t n, const char *address, int rc,
						     const char *format, ...);

/* No name is looked up: that would be the C library's, and with it the host's malloc. Gives 0 or -errno. */
int listen_parse(const char *address, struct listen_place *out, char *why, size_t n);

/* A socket that is non-blocking and close-on-exec, with a high number where it can be. Gives it or -errno. */
int listen_socket(int family);

/* Is it an address of this machine alone? */
bool listen_is_loopback(const union listen_ip *ip);

/* Both give listeners that listen, or nothing. 0 or -errno. */
int listen_unix(const struct listen_place *p, struct listeners *out, char *why, size_t n);
int listen_tcp(const struct listen_options *options, const struct listen_place *p, struct listeners *out, char *why,
	       size_t n);

/* Remove the socket's file if it is the one that was made and nobody listens there. */
void listen_unlink(const struct listener *l);

/* A folder without symbolic links at its end whose names only we and root change. Gives a descriptor or -errno. */
int listen_folder(const char *path, size_t n_path);

#endif
