/*
 * callgrind.h - read call costs of Valgrind's callgrind, Xdebug and others: costs per line, and a call graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_CALLGRIND_CALLGRIND_H
#define FORMATS_CALLGRIND_CALLGRIND_H

#include "formats/common/format.h"

/* A first line with the name of the format, or the lines events: and fn= among the first ones. */
enum format_match callcosts_probe(const uint8_t *data, size_t n);

/*
 * Read the costs: a row per function, file, line and object, with one frame and its own cost. The calls are not read: a
 * call graph has no stacks. A comment of the profile that begins with "callgrind: " says so. Several parts are added up.
 * A format_read_fn.
 */
int callcosts_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		   struct err *err);

#endif
