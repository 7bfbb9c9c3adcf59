/*
 * source.h - read local files and standard input
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_SOURCE_H
#define FETCH_SOURCE_H

#include "base/err.h"
#include "base/io.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Read all bytes of a source: a path, or - for standard input.
 *
 * max     more bytes are an error; 0 for no limit
 * out     owned by the caller
 * Fails   ERR_IO, ERR_LIMIT; the message does not name the source
 */
int fetch_read(const char *source, uint64_t max, struct bytes *out, struct err *err);

/* Is the file a program or library (ELF, Mach-O, PE)? */
bool fetch_is_binary(const char *path);

#endif
