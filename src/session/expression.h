/*
 * expression.h - names and labels as values of filters
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_EXPRESSION_H
#define SESSION_EXPRESSION_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Append text as an expression that matches only that text, without anchors. Control characters become \x{}.
 *
 * special   further characters to write as \x{}, because they have a meaning where the expression is used
 */
void expression_add_literal(const char *text, size_t n, const char *special, struct buf *out);

/* Append an expression for a whole name: "^main\.work$". */
void expression_add_name(const char *name, const char *special, struct buf *out);

/* Append an expression for a source file. It does not begin with an anchor if file is not a whole path of the profile:
   reports omit the directories of the build machine. */
void expression_add_file(const struct profile *p, const char *file, const char *special, struct buf *out);

/*
 * Append the value of tagfocus and tagignore for the samples with exactly this label: "tenant=^islands$".
 *
 * value   n bytes
 * Like    engine/filter_tags.c, which reads it
 */
void expression_add_label(const char *key, const char *value, size_t n, struct buf *out);

/*
 * Append the value of tagfocus and tagignore for numbers from lo to hi, both included: "bytes=16384bytes:65536bytes".
 *
 * Returns false, and appends nothing, if the key cannot be written
 */
bool expression_add_numbers(const char *key, int64_t lo, int64_t hi, const char *unit, struct buf *out);

#endif
