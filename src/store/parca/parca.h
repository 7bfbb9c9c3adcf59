/*
 * parca.h - servers of Parca and Polar Signals as stores
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_PARCA_PARCA_H
#define STORE_PARCA_PARCA_H

#include "base/err.h"
#include "fetch/fetch.h"
#include "store/store.h"

/*
 * Open the store of a server: parca+https://HOST or parca+http://HOST, with a path before /api if there is one. Nothing is requested
 * yet.
 *
 * The service is the label service_name, or job if no series has that. Parca adds up profiles, whatever they are: sample types whose
 * profiles have no duration, of which it would add snapshots, are left out with a note, or read with +reduce=sum. A profile of
 * store_list is a second in which a series has values, 15 s in windows longer than a day.
 *
 * options  for requests; its strings must live until store_close
 * Fails    ERR_USAGE
 */
int parca_store_open(const char *url, const struct fetch_options *options, struct store **out, struct err *err);

#endif
