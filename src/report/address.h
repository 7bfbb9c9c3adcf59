/*
 * address.h - a pattern that may be an address
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_ADDRESS_H
#define REPORT_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Read a number as C and Go write it: 0x1f, 0b11, 0o17, 017, 1_000.
 *
 * Gives   false when it is none, or does not fit
 * Like    Go strconv.ParseUint with base 0
 */
bool address_parse(const char *text, uint64_t *out);

#endif
