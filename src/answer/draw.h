/*
 * draw.h - a report in the format asked for, as text or to a file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_DRAW_H
#define ANSWER_DRAW_H

#include "answer/make.h"
#include "answer/reports.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "report/report.h"

#include <stdbool.h>

/*
 * Append a report as text, or in the format that q asks for.
 *
 * t       has a function for that format (answer_check)
 * color   with the codes of a terminal's colours
 */
void answer_draw(const struct report_type *t, const struct report *r, const struct query *q, bool color,
		 struct buf *out);

/* Append the text of an answer, also of one that is written in pieces. */
void answer_add_text(const struct answer *a, struct buf *out);

/*
 * Write an answer to a descriptor. Large ones are drawn in pieces by several threads and written in turn, so that
 * memory stays bounded; the bytes do not depend on the number of threads.
 *
 * Fails   ERR_IO
 */
int answer_write(const struct answer *a, int fd, struct err *err);

#endif
