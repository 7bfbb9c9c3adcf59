/*
 * http_options.h - how the commands that are no reports ask servers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_HTTP_OPTIONS_H
#define CLI_HTTP_OPTIONS_H

#include "base/opt.h"
#include "fetch/fetch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The options of reports that say how servers are asked, by the same names. */
struct http_options {
	const char *tls_cert, *tls_key, *tls_ca, *header_file, *bearer_file, *netrc;
	int64_t timeout, max_input, max_inflated;
};

void cmd_http_preset(struct http_options *o);

/* The option of this name (n bytes), of a struct http_options; NULL when there is none. */
const struct opt *cmd_http_option(const char *name, size_t n);

/* Print their part of the help of a command; their names as words of a completion. */
void cmd_http_help(void);
void cmd_http_print_words(void);

/* Max bytes of one answer, unpacked. */
uint64_t cmd_http_max_inflated(const struct http_options *o);

/*
 * Ask for all n, side by side; Ctrl-C ends it, and what has arrived stays.
 *
 * what    shown on a terminal while it takes long
 * Gives   whether it was interrupted
 */
bool cmd_http_fetch(const struct http_options *o, struct fetch *get, size_t n, const char *what);

#endif
