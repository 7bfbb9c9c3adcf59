/*
 * formats.h - read a profile of any format
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_FORMATS_H
#define FORMATS_FORMATS_H

#include "base/err.h"
#include "base/io.h"
#include "formats/common/format.h"
#include "profile/profile.h"

extern const struct format_limits formats_limits_default;

/*
 * Read a profile: profile.proto or a legacy format, compressed with gzip (maybe of several members) or
 * zstd, or uncompressed. The format is detected from the content.
 *
 * in      consumed: its data is freed as soon as it is no longer needed, and n is set to 0
 * out     owned by the caller, freed with profile_free
 * Fails   ERR_FORMAT, ERR_LIMIT; the message describes the problem and its position
 */
int formats_read(struct bytes *in, const struct format_limits *limits, struct profile **out, struct err *err);

#endif
