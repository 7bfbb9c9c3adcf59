/*
 * names.h - names for what the server of cpa run answers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RUN_NAMES_H
#define CLI_RUN_NAMES_H

#include "libcpaprof/collector/body.h"
#include "libcpaprof/collector/snap.h"

/* These fit the functions of struct serve_host (libcpaprof/endpoint/serve.h) of the same names; arg is not used. Any thread may call. */
int run_names_open(void *arg, const struct body *profile, snap_names_fn **fn, void **names);
void run_names_close(void *arg, void *names);
int run_names_symbolize(void *arg, struct body *profile);

#endif
