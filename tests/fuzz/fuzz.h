/*
 * fuzz.h - code shared by the fuzz targets
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A target is a function in libFuzzer's form. script/fuzz links it with libFuzzer; make check links it with
 * replay.c, which passes it files.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include "base/io.h"
#include "base/mem.h"
#include "formats/formats.h"
#include "tests/unit/check_profile.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits that keep an input cheap; all files of testdata are within them, except those meant to be large. */
static const struct format_options fuzz_limits = {
	.max_inflated = 4 << 20,
	.max_ratio = 500,
	.max_count = 100000,
	.max_depth = 10000,
	.max_nesting = 2,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* A copy of exactly these bytes, so that a sanitizer detects reads past them. */
static inline struct bytes fuzz_bytes(const uint8_t *data, size_t n)
{
	struct bytes b = { .data = mem_alloc(n ? n : 1, 1), .n = n };

	if (n)
		memcpy(b.data, data, n);
	return b;
}

/* Stop when the result of a reader is neither a valid profile nor an error with a message. */
static inline void fuzz_judge(int rc, struct profile *p, const struct err *err)
{
	struct err broken;

	if (rc == 0 ? !p : p || rc != err->code || err->msg[0] == 0) {
		fprintf(stderr, "status %d, error %d \"%s\"\n", rc, err->code, err->msg);
		abort();
	}
	if (p && profile_check(p, &broken) < 0) {
		fprintf(stderr, "invalid profile: %s\n", broken.msg);
		abort();
	}
}

#endif
