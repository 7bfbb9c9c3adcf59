/*
 * addresses.h - snaps of bare addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_ADDRESSES_H
#define LIBCPAPROF_COLLECTOR_ADDRESSES_H

#include "libcpaprof/collector/snap.h"

/*
 * Make a snap whose row i is a stack of the single address addr[i]. The tables of the process do not change: the snap
 * has its own process with the same mappings.
 *
 * Returns 0 or -ENOMEM
 */
int addresses_open(const struct process *p, const uint64_t *addr, size_t n, struct snap **out);

/* Takes NULL. */
void addresses_close(struct snap *s);

#endif
