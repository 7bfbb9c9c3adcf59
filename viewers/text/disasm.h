/*
 * disasm.h - instructions and their weight as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_DISASM_H
#define VIEWERS_TEXT_DISASM_H

#include "base/buf.h"
#include "report/report.h"

#include <stdbool.h>

/*
 * Append the report disasm: each routine with its weight, then its instructions; behind the first of a
 * source line stands which.
 *
 * color   mark routines, and instructions that are heavy by themselves
 * Like    pprof internal/report PrintAssembly
 */
void text_draw_disasm(const struct report *r, bool color, struct buf *out);

#endif
