/*
 * pieces.h - write traces piece by piece
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_PIECES_H
#define ANSWER_PIECES_H

#include "base/err.h"
#include "report/traces.h"

/*
 * Write the traces of a report to a descriptor: threads draw pieces of it and write them in
 * turn, so that memory stays bounded. The bytes do not depend on the number of
 * threads.
 *
 * Fails   ERR_IO
 */
int pieces_write(const struct report *r, const struct traces_viewer *viewer, int fd, struct err *err);

#endif
