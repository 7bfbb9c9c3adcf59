/*
 * webpage.h - recognize web pages, and find their titles
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

#endif
