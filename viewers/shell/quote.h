/*
 * quote.h - names and labels in the language of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_QUOTE_H
#define VIEWERS_SHELL_QUOTE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row_place;
struct shell;

/* Append text as an expression that matches just that, as a word of the prompt's language: "^main\.work$", in quotes
   where it has blanks. */
void shell_quote(const char *text, struct buf *out);

/* The same for what a row is about: its function, else its file, else its binary, else nothing. */
void shell_quote_place(struct shell *s, const struct row_place *place, struct buf *out);

/*
 * Append what tagfocus and tagignore are set to for the samples with just this label, as it is to be typed:
 * "tenant=^islands$".
 *
 * value   n bytes
 * Gives   false, and nothing is appended, where it cannot be said: keys of numbers with a =, keys full of quotes
 */
bool shell_label_add_text(const char *key, const char *value, size_t n, struct buf *out);

/* The same for numbers from lo to hi, both included: "bytes=16384:65536bytes". */
bool shell_label_add_numbers(const char *key, int64_t lo, int64_t hi, const char *unit, struct buf *out);

/* The same for a key in a list of keys (tagroot). */
bool shell_label_add_key(const char *key, struct buf *out);

#endif
