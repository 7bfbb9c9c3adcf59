/*
 * anonymize.h - the command anonymize: salt, kept functions, and what remains readable
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_ANONYMIZE_H
#define ANSWER_ANONYMIZE_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "profile/profile.h"

/*
 * Check the expressions of --keep and the file of --salt, before sources are read.
 *
 * Fails   ERR_USAGE, ERR_IO
 */
int answer_anonymize_check(const struct query *q, struct err *err);

/*
 * Append a profile with pseudonyms instead of names as compressed profile.proto.
 *
 * notes   what was replaced, and what remains readable, a line each
 * Fails   as anonymize_make and pprof_write; ERR_IO if the file of --salt can be neither read nor created
 */
int answer_anonymize(const struct profile *p, const struct query *q, struct buf *out, struct buf *notes,
		     struct err *err);

#endif
