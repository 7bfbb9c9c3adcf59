/*
 * backends.h - the kinds of places where stores are, and the backend of each
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_BACKENDS_BACKENDS_H
#define STORE_BACKENDS_BACKENDS_H

#include "base/err.h"
#include "fetch/fetch.h"
#include "store/store.h"

#include <stdbool.h>

/* Is the place the server of a collector? */
bool backends_is_server(const char *where);

/*
 * Open a store for reading.
 *
 * where    a URL, a directory, or "" for the default directory
 * options  for requests to servers; its strings must live until store_close
 * Fails    ERR_USAGE for a kind of place that there is not; ERR_IO
 */
int backends_open(const char *where, const struct fetch_options *options, struct store **out, struct err *err);

#endif
