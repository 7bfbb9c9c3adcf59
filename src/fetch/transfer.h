/*
 * transfer.h - one request: what is asked, what comes, what it means
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_TRANSFER_H
#define FETCH_TRANSFER_H

#include "base/err.h"
#include "fetch/curl.h"
#include "fetch/fetch.h"
#include "fetch/secrets.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What all requests of a run share. */
struct transfer_all {
	const struct curl *curl;
	const struct fetch_how *how;
	struct secrets secrets;
	uint64_t n_bytes; /* that all have received */
};

struct transfer {
	struct transfer_all *all;
	struct fetch *get;
	CURL *easy;                 /* NULL when it is over, or has not begun */
	struct curl_slist *headers; /* of the request */
	char *asked;                /* the URL of the request that is running */
	unsigned redirects;
	bool elsewhere; /* redirected away from the server that was named: nothing secret is sent */
	int64_t begun_ms, limit_ms;

	uint8_t *data;
	size_t n, cap;
	uint64_t n_dropped; /* bytes of an error page that are not kept */
	long status;
	char reason[96]; /* "404 Not Found" */
	bool is_go_pprof, is_plain;
	bool too_long, too_long_all;
	char error[CURL_ERROR_SIZE];
};

/* Milliseconds since some point in time. */
int64_t transfer_now_ms(void);

/* Begin the request of t->get; its handle is then to be run. Fails with the sentence in get->err. */
int transfer_begin(struct transfer *t);

/*
 * The request is over, with what libcurl says of it.
 *
 * Gives   true when another one follows a redirect: its handle is then to be run. Otherwise t->get
 *         has its bytes, or its error.
 */
bool transfer_end(struct transfer *t, CURLcode code);

/* Give up; why goes into the error. */
void transfer_stop(struct transfer *t, const char *why);

#endif
