/*
 * listen.h - listening sockets
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ACCESS_LISTEN_H
#define ACCESS_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { LISTEN_MAX = 2, LISTEN_URL_MAX = 160, LISTEN_FD_MIN = 200 };

struct listen_options {
	/*
	 * "HOST:PORT" (localhost or an address), ":PORT" or "PORT" (127.0.0.1 and ::1), "unix:PATH" or a PATH with a
	 * slash, in which %p is replaced by the pid. Port 0 chooses a free port, the same for both addresses.
	 */
	const char *address;
	bool has_secret;            /* without a secret only loopback and Unix sockets are allowed */
	bool any_address;           /* allow 0.0.0.0 and :: */
	const char *secret_options; /* options that set a secret, for messages; NULL: those of the endpoint */
};

struct listener {
	int fd; /* descriptor, at least LISTEN_FD_MIN if possible; close-on-exec, non-blocking */
	bool is_unix, is_public;
	struct stat stat;      /* status of fd, since a program that closes all its descriptors may reuse the number */
	struct stat path_stat; /* status of the socket file, so that only our own file is unlinked */
	struct sockaddr_un path;
};

struct listeners {
	struct listener listener[LISTEN_MAX];
	unsigned n;
	uint16_t port;            /* port; 0 for a Unix socket */
	char url[LISTEN_URL_MAX]; /* address for clients: "http://127.0.0.1:7777", "unix:/run/user/0/cpa/x-1.sock" */
};

/*
 * Listen. A Unix socket is created with mode 0600 in a folder that others cannot write to (or a sticky one). An old
 * socket without a listener is replaced. The bound address is read back from the kernel and checked again.
 *
 * why     [n] out: the error message, with the address
 * Returns 0 or -errno
 */
int listen_open(const struct listen_options *options, struct listeners *out, char *why, size_t n);

/* Is the descriptor still our socket? */
bool listener_is_ours(const struct listener *l);

/* Listen again on the same addresses, after the program closed a socket. Returns 0 or -errno. */
int listen_reopen(const struct listen_options *options, struct listeners *l);

/* Close the sockets that are still ours, and unlink the socket file. forked: this is a fork child, so nothing is
 * unlinked. */
void listen_close(struct listeners *l, bool forked);

/*
 * The default Unix socket of a process: $XDG_RUNTIME_DIR/cpa/NAME-PID.sock, else in /run/user/UID/cpa, else in
 * /tmp/cpa-UID. The folder is created with mode 0700, and must be owned by this user.
 *
 * out     [n] the path
 * Returns 0 or -errno
 */
int listen_default_path(const char *name, char *out, size_t n);

#endif
