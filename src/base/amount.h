/*
 * amount.h - parse sizes and durations of options and configuration files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_AMOUNT_H
#define BASE_AMOUNT_H

#include "base/err.h"

#include <stdint.h>

/*
 * Parse a size in bytes: a number with an optional unit B, kB, MB, GB, TB (or KiB, MiB ...), in powers of 1024:
 * "256MB", "1.5GiB", "0".
 *
 * option  for the message: "--cap", "collect.cpa:3: cap"
 * Fails   ERR_USAGE
 */
int amount_parse_bytes(const char *option, const char *text, uint64_t *out, struct err *err);

/*
 * Parse a duration: numbers with the units ns, us, ms, s, m or min, h, d, w: "30s", "1h30m", "14d". It may be 0.
 *
 * out    in ns
 * Fails  ERR_USAGE
 */
int amount_parse_duration(const char *option, const char *text, int64_t *out, struct err *err);

/* Parse a duration at the start of text. Returns its length in bytes; 0 if there is none. */
int amount_scan_duration(const char *text, int64_t *out);

#endif
