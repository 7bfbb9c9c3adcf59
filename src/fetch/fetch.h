/*
 * fetch.h - profiles from servers: http, https and Unix sockets
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libcurl is loaded when the first URL is asked for, since it alone would make every start of cpa
 * three times as long. Nothing secret is ever part of a sentence.
 */
#ifndef FETCH_FETCH_H
#define FETCH_FETCH_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/stop.h"
#include "fetch/url.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How to talk to servers; texts are borrowed, "" where there is none. */
struct fetch_how {
	const char *tls_cert, *tls_key, *tls_ca; /* PEM files */
	const char *header_file, *bearer_file;
	const char *netrc; /* "" for none, "true" for ~/.netrc, else a file */
	int64_t timeout;   /* as -timeout; below 1 to derive it from the seconds */
	uint64_t max;      /* bytes of one answer, 0 for no limit; --max-input lifts it */
	uint64_t max_all;  /* bytes of all answers together, 0 for no limit */
};

/* Limit answers as --max-input says: -1 is what fits into this machine, 0 no limit. */
void fetch_set_limits(struct fetch_how *how, int64_t max_input);

/* One URL to get, and what came. */
struct fetch {
	const struct url *url;
	const char *body; /* to send with POST; NULL for GET */
	size_t n_body;
	struct bytes bytes; /* owned; data NULL when it failed */
	long status;        /* of the answer; 0 for none */
	int rc;             /* 0, or ERR_* */
	struct err err;     /* then: the sentence, without the source in front */
};

/* Told about once a second how many are still on their way, and how many seconds at least. */
typedef void (*fetch_progress_fn)(size_t left, int64_t seconds);

/*
 * Get all of them side by side, at most 128 at once.
 *
 * get       [n] with url set, the rest as it shall be, rc 0
 * progress  NULL or told
 * stop      NULL, or when it is set, what has not arrived fails and the rest stays; told of the time that passes
 * notes     a line is appended for what the user should know
 * Like      pprof internal/driver/fetch.go, fetchURL
 */
void fetch_all(struct fetch *get, size_t n, const struct fetch_how *how, fetch_progress_fn progress, struct stop *stop,
	       struct buf *notes);

/*
 * Check an answer for what users get by a wrong URL: nothing, a web page, an execution trace. Other content is checked
 * by the reader.
 *
 * data    [n]
 * Fails   ERR_FORMAT
 */
int fetch_check_content(const uint8_t *data, size_t n, struct err *err);

#endif
