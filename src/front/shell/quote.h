/*
 * quote.h - names and labels in the syntax of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_QUOTE_H
#define FRONT_SHELL_QUOTE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row_place;
struct shell;

/* Append text as an expression that matches only that text, as one word at the prompt: "^main\.work$", quoted if it
   contains blanks. */
void shell_quote(const char *text, struct buf *out);

/* Append such an expression for the function of a row, else for its file, else for its binary; nothing if all are
   unknown. */
void shell_quote_place(struct shell *s, const struct row_place *place, struct buf *out);

/*
 * Append the value of tagfocus and tagignore for the samples with exactly this label, as typed at the prompt:
 * "tenant=^islands$".
 *
 * value   n bytes
 * Returns false, and appends nothing, when the syntax cannot express it, for example a key full of quotes
 */
bool shell_label_add_text(const char *key, const char *value, size_t n, struct buf *out);

/* Append such a value for numbers from lo to hi, both included: "bytes=16384:65536bytes". */
bool shell_label_add_numbers(const char *key, int64_t lo, int64_t hi, const char *unit, struct buf *out);

/* Append a key for an option that takes a list of keys (tagroot). Returns as for shell_label_add_text. */
bool shell_label_add_key(const char *key, struct buf *out);

#endif
