/*
 * folder.h - the /debug/pprof folder of a server, and URLs of the profiles in it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_FOLDER_H
#define FETCH_FOLDER_H

#include "base/err.h"
#include "fetch/url.h"

#include <stdint.h>

/*
 * Where the profiles of a server are, from the words of the user: HOST:PORT and http://HOST:PORT ask below
 * /debug/pprof; another path is that folder, or one of the profiles in it.
 *
 * out     path without a slash at its end, query without seconds and debug; released with url_release
 * Fails   ERR_UNKNOWN when it can only be a path, ERR_USAGE; the sentence names the source without secrets
 */
int fetch_folder(const char *source, struct url *out, struct err *err);

/* One profile of that folder. query: "" or more to ask, as debug=2; seconds: that it takes, 0 if it takes none. */
void fetch_folder_url(const struct url *folder, const char *name, const char *query, int64_t seconds, struct url *out);

#endif
