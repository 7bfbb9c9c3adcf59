/*
 * address.h - parse a pattern as an address
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_ADDRESS_H
#define REPORT_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parse a number in the syntax of C or Go: 0x1f, 0b11, 0o17, 017, 1_000.
 *
 * Returns false if text is not a number, or does not fit into 64 bits
 * Like    Go strconv.ParseUint with base 0
 */
bool address_parse(const char *text, uint64_t *out);

#endif
