/*
 * segment_sums.h - correct the checksums of a changed segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_FUZZ_SEGMENT_SUMS_H
#define TESTS_FUZZ_SEGMENT_SUMS_H

#include "store/local/format/pack.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SUMS_HEADER = 64, SUMS_FOOTER = 48, SUMS_SECTION = 32 };

static inline void segment_sums_set(uint8_t *at, size_t n)
{
	uint32_t crc = pack_crc(at, n);

	memcpy(at + n, &crc, 4);
}

/* Correct the checksums of the header, of all sections that follow one another, and of the footer. */
static inline void segment_sums_correct(uint8_t *data, size_t n)
{
	uint32_t crc = 0;

	if (n < SUMS_HEADER + SUMS_FOOTER)
		return;
	segment_sums_set(data, SUMS_HEADER - 4);
	for (size_t at = SUMS_HEADER; n - SUMS_FOOTER - at >= SUMS_SECTION;) {
		uint64_t stored;

		memcpy(&stored, data + at + 16, 8);
		if (stored > n - SUMS_FOOTER - at - SUMS_SECTION)
			break;
		crc = pack_crc(data + at + SUMS_SECTION, stored);
		memcpy(data + at + 4, &crc, 4);
		segment_sums_set(data + at, SUMS_SECTION - 4);
		at += SUMS_SECTION + (stored + 7) / 8 * 8;
		if (at > n - SUMS_FOOTER)
			break;
	}
	memcpy(data + n - SUMS_FOOTER + 28, &crc, 4); /* the directory is last */
	segment_sums_set(data + n - SUMS_FOOTER, 40);
}

#endif
