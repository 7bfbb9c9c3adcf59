/*
 * http.h - the server of /debug/pprof in the program itself
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_HTTP_H
#define LIBCPAPROF_API_HTTP_H

#include "libcpaprof/api/options.h"

#include "libcpaprof/endpoint/listen.h"

#include <stdbool.h>
#include <stdint.h>

/* The environment asks for it: say on stderr where it listens, or why it does not. */
void http_ask(const struct options *o);

/* The process ends: captures end with what they have, and the socket goes. Also in signal handlers. */
void http_end(void);

/* The main thread has ended; other threads may still run. */
void http_main_ended(void);

/* Another program is about to be executed: the socket goes. */
void http_replaced(void);

/*
 * Stop for a while, and begin again where it was, maybe in another process. http_rest gives false when it is not on, or
 * not for children: then there is nothing to begin again.
 */
bool http_rest(void);
void http_resume(void);

/* For cpa_status. False when it is not on. */
bool http_look(char address[LISTEN_SHOWN_MAX]);

#endif
