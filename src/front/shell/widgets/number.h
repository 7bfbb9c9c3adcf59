/*
 * number.h - values and counts in the format of the full screen
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_WIDGETS_NUMBER_H
#define FRONT_SHELL_WIDGETS_NUMBER_H

#include "base/buf.h"
#include "report/report.h"

#include <stdint.h>

/* Format a count with grouped digits, for a message: shell_number_count(n).text. */
struct count_text {
	char text[28];
};
struct count_text shell_number_count(uint64_t n);

/* Append a value for a headline: two decimals as in text reports, large numbers with grouped digits: 1,234,567. */
void shell_number_add(const struct head *h, int64_t value, struct buf *out);

/* Append a value for a column: three digits with the unit "auto" (33.0MB, 256kB), else like shell_number_add. */
void shell_number_add_brief(const struct head *h, int64_t value, struct buf *out);

/* Append a value to a column of a fixed width, as in a headline; if it does not fit, its digits are not grouped. */
void shell_number_add_fitting(const struct head *h, int64_t value, int columns, struct buf *out);

/* The maximum width of a value in a column (shell_number_add_brief) with a magnitude up to max, without a sign. */
int shell_number_width(const struct head *h, int64_t max);

#endif
