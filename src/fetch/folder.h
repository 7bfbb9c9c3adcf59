/*
 * folder.h - the /debug/pprof folder of a server, and the URLs of its profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_FOLDER_H
#define FETCH_FOLDER_H

#include "base/err.h"
#include "fetch/url.h"

#include <stdint.h>

/*
 * The URL of the folder with the profiles of a server: /debug/pprof for HOST:PORT and http://HOST:PORT. Any other path
 * names the folder itself, or a profile in it.
 *
 * out     path without trailing slash, query without seconds and debug; released with url_release
 * Fails   ERR_UNKNOWN when source can only be a file, ERR_USAGE; the message names the source without its secrets
 */
int fetch_folder(const char *source, struct url *out, struct err *err);

/*
 * The URL of a profile in the folder. query is added, for example "debug=2", or ""; seconds is the duration of the
 * profile, 0 for none.
 */
void fetch_folder_url(const struct url *folder, const char *name, const char *query, int64_t seconds, struct url *out);

#endif
