/*
 * pprof.h - read and write profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PPROF_PPROF_H
#define FORMATS_PPROF_PPROF_H

#include "base/buf.h"
#include "formats/common/format.h"

/* A format_read_fn. Reports every other content as damage, never as another format. */
int pprof_read(const uint8_t *data, size_t n, const struct format_limits *limits, struct profile **out,
	       struct err *err);

/*
 * Append a profile as profile.proto, compressed with gzip.
 *
 * ratio   factor for values; results are rounded toward zero
 * Fails   ERR_LIMIT as profile_encode
 * Like    pprof internal/report printProto
 */
int pprof_write(const struct profile *p, double ratio, struct buf *out, struct err *err);

#endif
