/*
 * encode.h - write a profile as profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_ENCODE_H
#define PROFILE_ENCODE_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "wire/wire.h"

/*
 * Append the target side of a profile as uncompressed profile.proto. Ids are kept, and so are unused
 * locations, functions and mappings. Reading the result yields an equal profile.
 *
 * Fails   ERR_LIMIT past 2 GiB, the limit of protobuf readers; out is then unchanged
 * Like    pprof profile/encode.go, including the order of strings. The order of fields differs: types, header fields,
 *         strings, mappings, functions, locations, samples, source texts. pprof writes samples before the tables
 */
int profile_encode(const struct profile *p, struct buf *out, struct err *err);

/*
 * Like profile_encode, but the output is passed to a sink in pieces. On failure the sink has received part of it.
 */
int profile_encode_to(const struct profile *p, wire_sink_fn sink, void *arg, struct err *err);

#endif
