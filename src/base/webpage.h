/*
 * webpage.h - recognize web pages, find their titles, escape text for them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_WEBPAGE_H
#define BASE_WEBPAGE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Do the bytes begin like a page of HTML? */
bool webpage_is(const uint8_t *s, size_t n);

/* Append the title of a page, on one line; nothing if it has none. */
void webpage_add_title(const uint8_t *s, size_t n, struct buf *out);

/* Append text, escaped for use between tags and in quoted attributes. Like Go html/template. */
void webpage_add_text(struct buf *out, const char *s, size_t n);

/* Append a name, escaped as by webpage_add_text, with control characters escaped as in utf8_add_safe. */
void webpage_add_name(struct buf *out, const char *s);

#endif
