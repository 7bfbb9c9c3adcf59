/*
 * addresses.h - a profile of nothing but addresses, for who wants to know their names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_ADDRESSES_H
#define LIBCPAPROF_COLLECTOR_ADDRESSES_H

#include "libcpaprof/collector/snap.h"

/*
 * Make a snap of which row i is a stack of the one address addr[i]. The tables of the process stay as they are; the snap
 * has a process of its own, with the same mappings.
 *
 * Gives   0 or -ENOMEM
 */
int addresses_open(const struct process *p, const uint64_t *addr, size_t n, struct snap **out);

/* Takes NULL. */
void addresses_close(struct snap *s);

#endif
