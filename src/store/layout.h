/*
 * layout.h - the directory of a store: its name, the files STORE and lock, folders
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * More of layout.c is in writer_int.h.
 */
#ifndef STORE_LAYOUT_H
#define STORE_LAYOUT_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct store_writer;

enum { STORE_MAJOR = 1 }; /* version of the format */

/* Write DIR/STORE with the uuid of the writer, which is the last step of creating a store. */
int writer_write_header(struct store_writer *w, struct err *err);

/* Append a time in UTC: 2026-11-22T14:23:00Z. */
void os_add_time(struct buf *out, int64_t ns);

/* Fill n bytes with random numbers. */
void os_random(void *out, size_t n);

#endif
