/*
 * http_options.h - HTTP options of commands that are not reports
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_HTTP_OPTIONS_H
#define FRONT_CLI_HTTP_OPTIONS_H

#include "base/opt.h"
#include "fetch/fetch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HTTP options with the same names as those of reports. */
struct http_options {
	const char *tls_cert, *tls_key, *tls_ca, *header_file, *bearer_file, *netrc;
	int64_t timeout, max_input, max_inflated;
};

void cmd_http_set_defaults(struct http_options *o);

/* The options, to be read into o. */
struct opt_table cmd_http_options(struct http_options *o);

/* Option i, NULL after the last. */
const struct opt *cmd_http_option_at(size_t i);

/* Set the options of requests. Strings are borrowed from o. */
void cmd_http_fill_options(const struct http_options *o, struct fetch_options *out);

/* Largest unpacked answer, in bytes. */
uint64_t cmd_http_max_inflated(const struct http_options *o);

/*
 * Fetch n URLs in parallel. Ctrl-C stops waiting; complete answers are retained.
 *
 * what    shown on a terminal while waiting
 * Returns true if it was interrupted
 */
bool cmd_http_fetch(const struct http_options *o, struct fetch_request *get, size_t n, const char *what);

#endif
