/*
 * profiles.h - profiles by name: what a cpa_profile is
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_PROFILES_H
#define LIBCPAPROF_API_PROFILES_H

#include "libcpaprof/api/cpa/pprof.h"

#include "libcpaprof/collector/snap.h"

struct cpa_profile {
	char name[SNAP_NAME_MAX];
	enum snap_kind kind;
	/* custom; guarded by the lock of api/custom.c */
	uint32_t number; /* of its name in the segment; 0: there is no segment yet, or no room */
	uint32_t life;   /* of the tables that it is counted in, + 1; 0: none */
	int64_t count;   /* values that are in it, and were added in that life */
};

/* What one that is built in counts now; 0 also when it cannot be told. */
int64_t profiles_count(cpa_profile *p);

#endif
