/*
 * base64.h - encode and decode base64
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decode base64, with or without padding, in both alphabets.
 *
 * out     [n / 4 * 3 + 3]
 * n_out   bytes that were written
 * Returns false if it is invalid
 */
bool base64_decode(const char *s, size_t n, uint8_t *out, size_t *n_out);

/* Append n bytes as base64, with padding, in the alphabet with + and /. */
void base64_add(struct buf *out, const void *data, size_t n);

#endif
