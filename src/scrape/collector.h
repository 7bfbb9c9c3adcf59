/*
 * collector.h - scrape targets and receive pushes until a signal, and store the profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_COLLECTOR_H
#define SCRAPE_COLLECTOR_H

#include "base/err.h"
#include "scrape/scrape_config.h"
#include "scrape/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scrape_collector;
struct http_request;
struct http_response;
struct stop;

/* A client that may read the store. */
struct scrape_reader {
	struct scrape_collector *c;
	const char *directory; /* of the store */
	bool is_limited;       /* it may read some services only; messages must not name others */
	const void *secret;    /* first argument of allows */
	/* May it read this service? A pattern is one of several, all of which must be allowed */
	bool (*allows)(const void *secret, const char *service);
};

/*
 * Answer a request that reads the store by another path than those of the collector.
 *
 * Returns  false if the path is not known
 */
typedef bool scrape_answer_fn(void *arg, const struct scrape_reader *reader, const struct http_request *q,
			      struct stop *stop, struct http_response *out);

/* Wait until one of few queries may run: they take memory and processors. Returns false after a while; then nothing is to end. */
bool scrape_reader_begin(const struct scrape_reader *reader);
void scrape_reader_end(const struct scrape_reader *reader);

/* Strings are borrowed until scrape_collector_free. */
struct scrape_collector_options {
	const char *file; /* collect.cpa; NULL: none */
	const struct scrape_arguments *arguments;
	struct scrape_config *config;   /* as read from both; borrowed */
	const char *command;            /* for the lock file: "cpa collect ..." */
	bool once;                      /* scrape every kind of every target once */
	int64_t grace_ns;               /* wait for running captures at the end */
	int signals;                    /* signalfd of SIGTERM, SIGINT, SIGHUP */
	scrape_log_fn *log;             /* called by any thread */
	scrape_log_fn *progress;        /* called by scrape_collector_run at most once a second; NULL: none */
	scrape_log_fn *first;           /* called once, with the service of the first stored profile; NULL: none */
	scrape_command_fn *run_command; /* commands of cpa store */
	scrape_answer_fn *answer;       /* other paths of listeners; NULL: none */
	/* Check and start the watches of a configuration that was read again, instead of those before; NULL: none */
	int (*watch)(void *arg, const struct scrape_config *config, struct err *err);
	void *arg; /* of these functions */
};

/*
 * Open the store, start threads and listeners.
 *
 * Fails  ERR_USAGE for settings that are refused, ERR_IO: another collector runs, an address is in use
 */
int scrape_collector_new(const struct scrape_collector_options *o, struct scrape_collector **out, struct err *err);

/* The directory of the store, and the address of the status page. */
const char *scrape_collector_store(const struct scrape_collector *c);
const char *scrape_collector_address(const struct scrape_collector *c);

/*
 * Run until SIGTERM or SIGINT, or until every target was scraped once.
 *
 * Returns  the number of targets that failed, with once; else 0
 */
size_t scrape_collector_run(struct scrape_collector *c);

/* Stop listeners and threads, and close the store. Takes NULL. Fails with ERR_IO if the last profiles could not be written. */
int scrape_collector_free(struct scrape_collector *c, struct err *err);

#endif
