/*
 * markdown.h - parts of Markdown reports, for viewers/export alone
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_EXPORT_MARKDOWN_H
#define VIEWERS_EXPORT_MARKDOWN_H

#include "base/buf.h"
#include "report/report.h"

/* A value with its unit. */
void markdown_add_value(const struct head *h, int64_t v, struct buf *out);

/* What a comparison says before its table, and behind it. */
void markdown_add_comparison(const struct report *r, struct buf *out);
void markdown_add_renames(const struct compare *c, struct buf *out);

/* The filters in force as a sentence, with a blank in front; nothing when there is none. */
void markdown_add_filters(const struct head *h, struct buf *out);

#endif
