/*
 * snap_names.h - names for the addresses of a snap, from the files of this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_THREADS_SNAP_NAMES_H
#define CLI_THREADS_SNAP_NAMES_H

#include "base/err.h"
#include "libcpaprof/collector/snap.h"
#include "profile/profile.h"

struct snap_names;

/*
 * Look up all addresses of a snap, as reports do for those of a profile.
 *
 * Fails   as reader_read and symbolize_local do
 */
int snap_names_new(const struct snap *s, struct snap_names **out, struct err *err);

/*
 * The same for a profile of profile.proto, without asking servers of debug files.
 *
 * packed  [n] bytes, as snap_write writes them; copied
 */
int snap_names_read(const void *packed, size_t n, struct snap_names **out, struct err *err);

/*
 * Look up all addresses of a profile in files.
 *
 * ask     servers of debug files, too
 * offset  [p->n_locs] how far into its function each is, where that is found; all 0 before; NULL: not wanted
 */
int snap_names_look_up(struct profile *p, bool ask, uint64_t *offset, struct err *err);

/* Takes NULL. */
void snap_names_free(struct snap_names *n);

/* A snap_names_fn; arg: a struct snap_names. */
bool snap_names_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i, struct snap_name *out);

#endif
