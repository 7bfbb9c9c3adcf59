/*
 * host.h - a program that answers requests of /debug/pprof about itself
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_HOST_H
#define LIBCPAPROF_API_HOST_H

#include "libcpaprof/endpoint/serve.h"

/* For serve_new. */
const struct serve_host *host_self(void);

#endif
