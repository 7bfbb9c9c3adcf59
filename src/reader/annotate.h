/*
 * annotate.h - comments for a profile that stays as it is
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef READER_ANNOTATE_H
#define READER_ANNOTATE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "profile/profile.h"
#include "reader/reader.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Append what has to stand behind a profile.proto so that it has these comments too, behind its own. Nothing of it
 * is decoded, so nothing that it says gets lost, also what nobody here knows: two such messages behind each other
 * are one, in which lists follow each other.
 *
 * data     [n] unpacked
 * comment  [n_comments] in UTF-8
 * Fails    ERR_FORMAT when the bytes are no such message
 */
int annotate(const uint8_t *data, size_t n, const char *const *comment, size_t n_comments, struct buf *out,
	     struct err *err);

/*
 * Unpack a profile.proto, put comments behind it, and read it back.
 *
 * in      consumed as by reader_read; when the bytes are something else they are there, unpacked, with ERR_UNKNOWN
 * out     appended: the message with the comments, not packed
 * p       freed with profile_free
 * Fails   ERR_UNKNOWN when it is no profile.proto, maybe another format; ERR_FORMAT, ERR_LIMIT of the packing
 */
int annotate_read(struct bytes *in, const struct reader_limits *limits, const char *const *comment, size_t n_comments,
		  struct buf *out, struct profile **p, struct err *err);

#endif
