/*
 * draw.h - draw a report in the requested format, as text or to a file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_DRAW_H
#define ANSWER_DRAW_H

#include "answer/answer.h"
#include "answer/reports.h"
#include "base/buf.h"
#include "base/err.h"
#include "report/report.h"

#include <stdbool.h>

/*
 * Append a report as text, or in the format that q selects.
 *
 * t       has a function for that format (answer_check)
 * color   add terminal colour codes
 */
void answer_draw(const struct report_type *t, const struct report *r, const struct query *q, bool color,
		 struct buf *out);

/* Append the text of an answer, even if it is written in pieces. */
void answer_add_text(const struct answer *a, struct buf *out);

/*
 * Write an answer to a descriptor. Large answers are drawn in pieces by several threads and written in order, so that
 * memory stays bounded. The bytes do not depend on the number of threads.
 *
 * Fails   ERR_IO
 */
int answer_write(const struct answer *a, int fd, struct err *err);

#endif
