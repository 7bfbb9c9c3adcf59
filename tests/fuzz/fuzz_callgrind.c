/*
 * fuzz_callgrind.c - any bytes as callgrind file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "formats/callgrind/callgrind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL;
	struct err err = { 0 };
	int rc = callcosts_read(in.data, in.n, &fuzz_limits, &p, &err);

	fuzz_judge(rc, p, &err);
	callcosts_probe(in.data, in.n);
	profile_free(p);
	free(in.data);
	return 0;
}
