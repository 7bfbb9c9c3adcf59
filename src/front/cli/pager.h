/*
 * pager.h - show output that is longer than the terminal with a pager, as git does
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pager is the command $PAGER, by default less, with LESS=FRX unless LESS is set. There is none if standard output
 * is no terminal, or a dumb one, with --no-pager, and if PAGER is empty or cat.
 */
#ifndef FRONT_CLI_PAGER_H
#define FRONT_CLI_PAGER_H

#include "answer/answer.h"
#include "base/err.h"

#include <stddef.h>

/* Width of the terminal to which reports are written, 0 if they are written elsewhere or with --wide. */
uint32_t pager_columns(const struct query *q);

/*
 * Write text to standard output, with a pager if it is longer than the terminal. The pager may be left at any time.
 *
 * Fails   ERR_IO
 */
int pager_write(const char *text, size_t n, const struct query *q, struct err *err);

/* The same for an answer that is drawn in pieces; it always gets a pager. */
int pager_write_answer(const struct answer *answer, const struct query *q, struct err *err);

/*
 * Call print(arg), which writes to stdout, and show its output with a pager if it is longer than the terminal.
 *
 * q        may be NULL
 * Returns  the result of print, or STATUS_TROUBLE if standard output cannot be written
 */
int pager_print(int (*print)(const void *arg), const void *arg, const struct query *q);

#endif
