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
 * Append a profile as profile.proto, not compressed: the target side, with the ids that it has, and
 * with the locations, functions and mappings that no row uses. Reading it gives an equal profile.
 *
 * Fails   ERR_LIMIT past 2 GiB, which is where readers of protocol buffers give up; out is as
 *         before then
 * Like    pprof profile/encode.go, in the order of fields and strings too
 */
int profile_encode(const struct profile *p, struct buf *out, struct err *err);

/* The same, handed over bit by bit: the sink has had some of it when it fails. */
int profile_encode_to(const struct profile *p, wire_sink_fn sink, void *arg, struct err *err);

#endif
