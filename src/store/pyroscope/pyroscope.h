/*
 * pyroscope.h - servers of Pyroscope as stores
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_PYROSCOPE_PYROSCOPE_H
#define STORE_PYROSCOPE_PYROSCOPE_H

#include "base/err.h"
#include "fetch/fetch.h"
#include "store/store.h"

/*
 * Open the store of a server: pyroscope+https://HOST or pyroscope+http://HOST, with a path before that of the API if there is one.
 * Nothing is requested yet.
 *
 * Pyroscope adds up profiles, whatever they are, and has neither marks nor pins. So a sum, of columns that are counted during a profile
 * and of increases that clients sent, is read; a mean of gauges is not, and such columns are left out with a note, or read with
 * +reduce=sum. A profile of store_list is a step of 15 s in which a series has values. store_each_series without a time lists the
 * newest day.
 *
 * options  for requests; its strings must live until store_close
 * Fails    ERR_USAGE
 */
int pyro_store_open(const char *url, const struct fetch_options *options, struct store **out, struct err *err);

#endif
