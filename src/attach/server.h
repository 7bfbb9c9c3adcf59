/*
 * server.h - /debug/pprof of the program that is run
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server has a thread of its own, and each request may have one. They use the collector between attach_server_take and
 * attach_server_leave, and so must the caller from attach_server_start to attach_server_close.
 */
#ifndef ATTACH_SERVER_H
#define ATTACH_SERVER_H

#include "attach/run.h"
#include "base/err.h"
#include "libcpaprof/endpoint/guard.h"
#include "libcpaprof/endpoint/listen.h"
#include "libcpaprof/endpoint/serve.h"

#include <stdbool.h>
#include <sys/types.h>

enum { ATTACH_HOSTS_MAX = GUARD_HOSTS_MOST };

struct attach_server_options {
	struct listen_options at; /* address, owned; NULL: the default Unix socket of the program */
	struct guard *guard;      /* owned */
	struct serve_options serve;
};

/* What the user chose. Texts are borrowed. */
struct attach_server_settings {
	const char *address;     /* as struct listen_options has it; NULL: the default Unix socket */
	const char *secret_file; /* clients must send what is in it; NULL: none */
	const char *hosts; /* names of this host that clients may use, with commas between; below ATTACH_HOSTS_MAX */
	int max_seconds;   /* of a capture; above 0 */
	bool any_user, any_address, hide_cmdline;
};

/*
 * Read the secret, and make the options of a server.
 *
 * out     freed by attach_server_options_free
 * Fails   ERR_IO when the secret cannot be read, ERR_LIMIT
 */
int attach_server_options_new(const struct attach_server_settings *from, struct attach_server_options **out,
			      struct err *err);
/* Overwrites the secret. Takes NULL. */
void attach_server_options_free(struct attach_server_options *o);

struct attach_server;

/*
 * Listen, and tell where. Nothing is answered yet.
 *
 * name    of the program, for the default socket
 * Fails   ERR_IO, with a sentence
 */
int attach_server_open(const struct attach_options *o, struct collect *c, const char *name, struct attach_server **out,
		       struct err *err);
/* Answer, now that the program has this id. */
void attach_server_start(struct attach_server *s, pid_t pid);
/* Both take NULL. */
void attach_server_take(struct attach_server *s);
void attach_server_leave(struct attach_server *s);
/* The program ended: captures end now, and answers under way are written; now: they are dropped. Takes NULL. */
void attach_server_stop(struct attach_server *s, bool now);
/* Is all written, after attach_server_stop? True for NULL. */
bool attach_server_is_over(struct attach_server *s);
/* When it is over. The collector is the caller's alone again. Takes NULL. */
void attach_server_close(struct attach_server *s);

#endif
