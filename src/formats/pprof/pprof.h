/*
 * pprof.h - read profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PPROF_PPROF_H
#define FORMATS_PPROF_PPROF_H

#include "formats/common/format.h"

/* A format_read_fn. Reports every other content as damage, never as another format. */
int pprof_read(const uint8_t *data, size_t n, const struct format_limits *limits, struct profile **out,
	       struct err *err);

#endif
