/*
 * remarks.h - what a profile says of how it was made
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_REMARKS_H
#define LIBCPAPROF_COLLECTOR_REMARKS_H

#include "libcpaprof/collector/snap.h"

enum { REMARKS_MAX = 12, REMARK_LEN = 160 };

struct remarks {
	char text[REMARKS_MAX][REMARK_LEN];
	uint32_t n;
};

/* The comments of a profile. r begins as zeros. */
void remarks_make(struct remarks *r, const struct snap *s);

#endif
