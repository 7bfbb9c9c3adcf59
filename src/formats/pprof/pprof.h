/*
 * pprof.h - read and write profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PPROF_PPROF_H
#define FORMATS_PPROF_PPROF_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "formats/common/format.h"
#include "formats/common/pieces.h"
#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* A format_read_fn. Reports every other content as damage, never as another format. */
int pprof_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
	       struct err *err);

/*
 * Read a large profile.proto while it is decompressed. Its samples are decoded before its tables are known.
 *
 * out     owned by the caller; unchanged on failure
 * Fails   ERR_FORMAT or ERR_LIMIT, without a reason, if pprof_read has to find it, or has to read the file: its samples come
 *         before its sample types, ids of locations are far larger than their number, strings of labels are stored twice, a
 *         field is longer than PIECE_BYTES
 */
int pprof_read_pieces(struct pieces *in, const struct format_options *options, struct profile **out);

/*
 * Append a profile as profile.proto, compressed with gzip.
 *
 * ratio   factor for values; results are rounded toward zero
 * Fails   ERR_LIMIT as profile_encode
 * Like    pprof internal/report printProto
 */
int pprof_write(const struct profile *p, double ratio, struct buf *out, struct err *err);

/*
 * Append the bytes that add comments when they are appended to a profile.proto. The profile is not decoded and encoded
 * again, so unknown fields are preserved: protobuf merges concatenated messages, and concatenates repeated fields.
 *
 * data     [n] uncompressed
 * comment  [n_comments] in UTF-8
 * Fails    ERR_FORMAT when data is not a protobuf message
 */
int annotate(const uint8_t *data, size_t n, const char *const *comment, size_t n_comments, struct buf *out,
	     struct err *err);

/*
 * Decompress a profile.proto, append comments, and read the result.
 *
 * in      consumed as by formats_read, but but when ERR_UNKNOWN is returned, it contains the decompressed bytes
 * out     the message with the comments is appended, uncompressed
 * p       freed with profile_free
 * Fails   ERR_UNKNOWN when it is not a profile.proto; ERR_FORMAT, ERR_LIMIT from decompression
 */
int annotate_read(struct bytes *in, const struct format_options *options, const char *const *comment, size_t n_comments,
		  struct buf *out, struct profile **p, struct err *err);

#endif
