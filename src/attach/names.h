/*
 * names.h - names for the addresses of a profile of a process, from the files of this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_NAMES_H
#define ATTACH_NAMES_H

#include "base/err.h"
#include "libcpaprof/collector/body.h"
#include "libcpaprof/collector/snap.h"

#include <stdbool.h>
#include <stdint.h>

struct attach_names;

/*
 * Look up all addresses of a snap, as reports do for those of a profile.
 *
 * Fails   as reader_read and symbolize_local do
 */
int attach_names_new(const struct snap *s, struct attach_names **out, struct err *err);

/* Takes NULL. */
void attach_names_free(struct attach_names *n);

/* A snap_names_fn; arg: a struct attach_names. */
bool attach_names_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i,
		     struct snap_name *out);

/*
 * These fit the functions of struct serve_host (libcpaprof/endpoint/serve.h) of the same names; arg is not used. Any thread
 * may call them.
 */
int attach_names_open(void *arg, const struct body *profile, snap_names_fn **fn, void **names);
void attach_names_close(void *arg, void *names);
int attach_names_symbolize(void *arg, struct body *profile);

#endif
