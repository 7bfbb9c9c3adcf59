/*
 * fetch.h - profiles from servers: http, https and Unix sockets
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libcurl is loaded when the first URL is asked for, since it alone would make every start of cpa
 * three times as long. Nothing secret is ever part of a sentence.
 */
#ifndef SOURCE_FETCH_H
#define SOURCE_FETCH_H

#include "base/err.h"
#include "base/io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How to talk to servers; texts are borrowed, "" where there is none. */
struct fetch_how {
	const char *tls_cert, *tls_key, *tls_ca; /* PEM files */
	const char *header_file, *bearer_file;
	const char *netrc; /* "" for none, "true" for ~/.netrc, else a file */
	int64_t seconds;   /* to collect, as -seconds; below 1 for what the URL says */
	int64_t timeout;   /* as -timeout; below 1 to derive it from the seconds */
	uint64_t max;      /* bytes of one answer */
};

/* One URL to get, and what came. */
struct fetch {
	const char *source; /* as given: URL, host:port/path or unix:/path.sock:/url/path */
	char *url;          /* as it is asked for and may be shown, without user and password; owned */
	int64_t seconds;    /* that the server will collect for; 0 when unknown */
	struct bytes bytes; /* owned; data NULL when it failed */
	int rc;             /* 0, or ERR_* */
	struct err err;     /* then: the sentence, without the source in front */
};

/* Is this a source to be fetched, and not a path? What exists as a file is a path.
   Like go tool pprof, cmd/pprof adjustURL. */
bool fetch_is_url(const char *source);

/*
 * Get all of them side by side.
 *
 * get       [n] with source set, the rest zero; released with fetch_release
 * progress  NULL, or told about once a second how many are still on their way and for how many
 *           seconds the longest of them will at least take
 * stop      NULL, or when it becomes true, what has not arrived fails and the rest stays
 */
void fetch_all(struct fetch *get, size_t n, const struct fetch_how *how, void (*progress)(size_t left, int64_t seconds),
	       const volatile bool *stop);

/* Ask with POST and wait. url is one of fetch.url. Fails as a fetch does. */
int fetch_post(const char *url, const struct fetch_how *how, const char *type, const void *body, size_t n,
	       struct bytes *out, struct err *err);

void fetch_release(struct fetch *get, size_t n);

#endif
