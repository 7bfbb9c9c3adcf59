/*
 * server.h - requests to a ClickHouse server, over HTTP
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_CLICKHOUSE_SERVER_H
#define STORE_CLICKHOUSE_SERVER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/stop.h"
#include "fetch/fetch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A server and a database of it. Used by one thread. */
struct click_server {
	char *url;      /* "http://HOST:PORT/?" */
	char *name;     /* for messages: "clickhouse://HOST:PORT/DATABASE" */
	char *database; /* letters, digits and _ */
	char *user;     /* "" for that of the options, or the default one */
	struct fetch_options options;
	bool is_later; /* after a failure: may the same request succeed later? */
};

/*
 * Parse clickhouse://[USER@]HOST[:PORT]/DATABASE, or clickhouse+https://. The ports are 8123 and 8443 if none is given.
 *
 * options  for requests; its strings must live until click_server_release
 * Fails    ERR_USAGE
 */
int click_server_init(struct click_server *s, const char *place, const struct fetch_options *options, struct err *err);
void click_server_release(struct click_server *s);

/*
 * Run a statement, and return its result.
 *
 * uses_database  false: the database need not exist
 * Fails          ERR_IO with the message of the server; ERR_LIMIT; ERR_STOPPED
 */
int click_server_ask(struct click_server *s, const char *sql, bool uses_database, struct stop *stop, struct bytes *out,
		     struct err *err);

/* Run a statement without a result. */
int click_server_run(struct click_server *s, const char *sql, struct stop *stop, struct err *err);

/* Run a statement with data [n] after it: INSERT ... FORMAT RowBinary. Only when it returns 0, the data is stored. */
int click_server_insert(struct click_server *s, const char *sql, const void *data, size_t n, struct stop *stop,
			struct err *err);

/* Append a text as a literal of SQL: with quotes. */
void click_add_text(struct buf *sql, const char *text);

#endif
