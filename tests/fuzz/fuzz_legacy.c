/*
 * fuzz_legacy.c - any bytes for one of the legacy parsers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compiled once for each parser, with -DTARGET=legacy_read_cpu and so on.
 */
#include "config.h"

#include "fuzz.h"

#include "formats/legacy/legacy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL;
	struct err err = { 0 };
	int rc = TARGET(in.data, in.n, &fuzz_limits, &p, &err);

	if (rc != ERR_UNKNOWN || p)
		fuzz_judge(rc, p, &err);
	profile_free(p);
	free(in.data);
	return 0;
}
