/*
 * access.h - access control of the web UI: between the server and the pages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_WEB_ACCESS_H
#define FRONT_CLI_WEB_ACCESS_H

#include "access/check.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/http.h"
#include "base/stop.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct query;
struct web;

struct web_access {
	struct web *web;      /* answers the requests that are allowed; borrowed */
	pthread_mutex_t lock; /* protects rules */
	struct access_rules rules;
	struct buf hosts;
	bool is_new; /* was the secret created for this start? */
};

/* Append n random hexadecimal digits, n <= 64, and a NUL. Fails with ERR_IO. */
int cmd_web_add_random(char *out, size_t n, struct err *err);

/*
 * Read or create the secret.
 *
 * q       borrowed
 * Fails   ERR_USAGE for an unsuitable file
 */
int cmd_web_access_init(struct web_access *a, const struct query *q, struct err *err);
void cmd_web_access_release(struct web_access *a);

/* Set the port, which is part of the name of the cookie. */
void cmd_web_access_set_port(struct web_access *a, unsigned port);

/* Callbacks of the server; access is a struct web_access. */
bool cmd_web_access_check(void *access, const struct http_request *q, struct http_response *out);
void cmd_web_access_answer(void *access, const struct http_request *q, struct stop *stop, struct http_response *out);

#endif
