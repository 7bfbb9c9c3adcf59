/*
 * target_url.h - addresses of targets
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_TARGET_URL_H
#define SCRAPE_TARGET_URL_H

#include "base/err.h"
#include "fetch/url.h"

#include <stdbool.h>

/*
 * The folder with the profiles of a target: HOST:PORT, :PORT (of this machine), a URL, or unix:SOCKET.
 *
 * folder  path for addresses without one; "" for /debug/pprof
 * out     released with url_release
 * Fails   ERR_USAGE; the message begins with the address, without secrets
 */
int scrape_target_url(const char *address, const char *folder, struct url *out, struct err *err);

/* Does the address end with a port? */
bool scrape_target_has_port(const char *address);

#endif
