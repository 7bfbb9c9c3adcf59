/*
 * listen.h - where we listen
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_LISTEN_H
#define LIBCPAPROF_ENDPOINT_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { LISTEN_MOST = 2, LISTEN_SHOWN_MAX = 160, LISTEN_FD_LEAST = 200 };

struct listen_options {
	/*
	 * "HOST:PORT" (a name or an address), ":PORT" and "PORT" (127.0.0.1 and ::1), "unix:PATH" or a PATH with a slash,
	 * in which %p becomes the process; port 0: a free one, the same for both.
	 */
	const char *address;
	bool has_secret;  /* else nothing but loopback and Unix sockets */
	bool any_address; /* also 0.0.0.0 and :: */
};

struct listener {
	int fd; /* above LISTEN_FD_LEAST where it can be, close-on-exec, non-blocking */
	bool is_unix, is_public;
	struct stat is;      /* of fd: a program that closes all its files may get the number for another */
	struct stat path_is; /* of a Unix socket: only ours is unlinked */
	struct sockaddr_un path;
};

struct listeners {
	struct listener at[LISTEN_MOST];
	unsigned n;
	uint16_t port; /* 0: a Unix socket */
	char shown
		[LISTEN_SHOWN_MAX]; /* what a client is given: "http://127.0.0.1:7777", "unix:/run/user/0/cpa/x-1.sock" */
};

/*
 * Listen. A Unix socket is made with mode 0600 in a folder that others cannot write to (or a sticky one); one that is
 * there and that nobody listens on is replaced. What was bound is asked of the kernel, and checked again.
 *
 * why     [n] out: one sentence about what was wrong, with the address
 * Gives   0 or -errno
 */
int listen_open(const struct listen_options *options, struct listeners *out, char *why, size_t n);

/* Is the file still ours? */
bool listener_is_ours(const struct listener *l);

/* Listen there again, after a program closed it. Gives 0 or -errno. */
int listen_again(const struct listen_options *options, struct listeners *l);

/* Close what is ours and unlink the socket. In the child of fork: forked, nothing is unlinked. */
void listen_close(struct listeners *l, bool forked);

/*
 * The usual Unix socket of a process: $XDG_RUNTIME_DIR/cpa/NAME-PID.sock, else /run/user/UID/cpa, else /tmp/cpa-UID, the
 * folder made with mode 0700 and checked to be ours.
 *
 * out     [n] the path
 * Gives   0 or -errno
 */
int listen_usual(const char *name, char *out, size_t n);

#endif
