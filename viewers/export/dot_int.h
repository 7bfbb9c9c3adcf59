/*
 * dot_int.h - what the parts of dot_draw share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For viewers/export/dot*.c alone.
 */
#ifndef VIEWERS_DOT_INT_H
#define VIEWERS_DOT_INT_H

#include "viewers/export/dot.h"

#include <stdbool.h>

/* Append text inside of quotes: controls spelt out, backslashes and quotes escaped; a line end
   becomes end ("\\l" for left-justified lines, "\\n" for centred ones). */
void dot_add_text(struct buf *out, const char *text, size_t n, const char *end);

/* Append a value with its unit, for inside of quotes. */
void dot_add_value(const struct head *h, int64_t value, struct buf *out);

/* Append the label of a node: its name cut into lines. Like pprof multilinePrintableName. */
void dot_add_label(const struct net *net, uint32_t node, struct buf *out);

/* Append the boxes for the labels of a node. Gives true when there are any. Like pprof addNodelets. */
bool dot_add_nodelets(const struct net *net, const struct head *h, uint32_t node, struct buf *out);

#endif
