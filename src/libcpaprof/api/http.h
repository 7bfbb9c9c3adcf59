/*
 * http.h - the server of /debug/pprof in the program itself
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_HTTP_H
#define LIBCPAPROF_API_HTTP_H

#include "libcpaprof/api/options.h"

#include "access/listen.h"
#include "libcpaprof/endpoint/serve.h"

#include <stdbool.h>
#include <stdint.h>

/* Start the server that the environment requests. Prints on stderr where it listens, or why it does not. */
void cpi_endpoint_start_from_env(const struct options *o);

/*
 * At the end of the process: finish captures with the data they have, and remove the socket. Called in signal handlers
 * as well.
 */
void cpi_endpoint_end(void);

/* Report that the main thread has ended; other threads may still run. */
void cpi_endpoint_main_ended(void);

/* Before another program is executed: remove the socket. */
void cpi_endpoint_before_exec(void);

/* Address for cpa_status. Returns false if there is no server. */
bool cpi_endpoint_get_address(char address[LISTEN_URL_MAX]);

/* The host for serve_new. */
const struct serve_host *host_self(void);

#endif
