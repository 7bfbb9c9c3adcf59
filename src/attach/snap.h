/*
 * snap.h - the profile of a snap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_SNAP_H
#define ATTACH_SNAP_H

#include "base/err.h"
#include "libcpaprof/collector/snap.h"
#include "profile/profile.h"

/*
 * Make a profile. It equals what is read from the file that write_snap writes, with the same ids and order;
 * only content_hash is 0.
 *
 * names   as for write_snap
 * Fails   ERR_IO if memory of the collector is short, ERR_LIMIT
 */
int attach_snap_profile(const struct snap *s, snap_names_fn *names, void *names_arg, struct profile **out,
			struct err *err);

#endif
