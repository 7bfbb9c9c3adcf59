/*
 * host.h - answers requests of /debug/pprof about the program itself
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_HOST_H
#define LIBCPAPROF_API_HOST_H

#include "libcpaprof/endpoint/serve.h"

/* The host for serve_new. */
const struct serve_host *host_self(void);

#endif
