/*
 * server.h - the /debug/pprof server of cpa run
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server runs in a thread, and each request may run in another. All of them use the collector only between
 * attach_server_lock and attach_server_unlock. The caller must do the same from attach_server_start to
 * attach_server_close.
 */
#ifndef ATTACH_SERVER_H
#define ATTACH_SERVER_H

#include "attach/run.h"
#include "base/err.h"
#include "libcpaprof/endpoint/access.h"
#include "access/listen.h"
#include "libcpaprof/endpoint/serve.h"

#include <stdbool.h>
#include <sys/types.h>

enum { ATTACH_HOSTS_MAX = ENDPOINT_HOSTS_MAX };

struct attach_server_options {
	struct listen_options at;       /* at.address is owned; NULL: the default Unix socket of the program */
	struct endpoint_access *access; /* owned */
	struct serve_options serve;
};

/* Settings chosen by the user. Texts are borrowed. */
struct attach_server_settings {
	const char *address;     /* in the form of struct listen_options; NULL: the default Unix socket */
	const char *secret_file; /* file with the secret that clients must send; NULL: none */
	const char *hosts;       /* comma-separated host names that clients may use; shorter than ATTACH_HOSTS_MAX */
	int max_seconds;         /* max seconds of a capture; above 0 */
	bool any_user, any_address, hide_cmdline;
};

/*
 * Read the secret, and create the options of a server.
 *
 * out     freed by attach_server_options_free
 * Fails   ERR_IO if the secret cannot be read, ERR_LIMIT
 */
int attach_server_options_new(const struct attach_server_settings *from, struct attach_server_options **out,
			      struct err *err);
/* Overwrites the secret. Takes NULL. */
void attach_server_options_free(struct attach_server_options *o);

struct attach_server;

/*
 * Listen, and report the address as a note. Requests are not answered yet.
 *
 * name    of the program, for the default socket
 * Fails   ERR_IO
 */
int attach_server_open(const struct attach_options *o, struct collect *c, const char *name, struct attach_server **out,
		       struct err *err);
/* Start to answer requests. pid: the process ID of the program. */
void attach_server_start(struct attach_server *s, pid_t pid);
/* Lock and unlock the collector. Both take NULL. */
void attach_server_lock(struct attach_server *s);
void attach_server_unlock(struct attach_server *s);
/* Stop the server and end captures. Current answers are finished, or dropped if now is true. Takes NULL. */
void attach_server_stop(struct attach_server *s, bool now);
/* After attach_server_stop: have all answers been written? Returns true for NULL. */
bool attach_server_is_over(struct attach_server *s);
/* Release the server. After this only the caller uses the collector. Takes NULL. */
void attach_server_close(struct attach_server *s);

#endif
