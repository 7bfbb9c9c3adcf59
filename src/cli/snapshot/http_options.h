/*
 * http_options.h - how the commands that are no reports ask servers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SNAPSHOT_HTTP_OPTIONS_H
#define CLI_SNAPSHOT_HTTP_OPTIONS_H

#include "base/opt.h"
#include "fetch/fetch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The options of reports that say how servers are asked, by the same names. */
struct asking {
	const char *tls_cert, *tls_key, *tls_ca, *header_file, *bearer_file, *netrc;
	int64_t timeout, max_input, max_inflated;
};

void asking_preset(struct asking *a);

/* The option of this name (n bytes), of a struct asking; NULL when there is none. */
const struct opt *asking_option(const char *name, size_t n);

/* Print what stands in the help of a command about them; their names as words of a completion. */
void asking_help(void);
void asking_print_words(void);

/* What they say of unpacking. */
uint64_t asking_max_inflated(const struct asking *a);

/*
 * Where the profiles of a server are, from what the user wrote: HOST:PORT and http://HOST:PORT ask below
 * /debug/pprof; another path is that folder, or one of the profiles in it.
 *
 * out     path without a slash at its end, query without seconds and debug; released with url_release
 * Fails   ERR_UNKNOWN when it can only be a path, ERR_USAGE; the sentence names the source without secrets
 */
int asking_folder(const char *source, struct url *out, struct err *err);

/* One profile of that folder. query: "" or more to ask, as debug=2; seconds: that it takes, 0 if it takes none. */
void asking_url(const struct url *folder, const char *name, const char *query, int64_t seconds, struct url *out);

/*
 * Ask for all n, side by side; Ctrl-C ends it, and what has arrived stays.
 *
 * what    is told on a terminal while it takes long
 * Gives   whether it was interrupted
 */
bool asking_fetch(const struct asking *a, struct fetch *get, size_t n, const char *what);

#endif
