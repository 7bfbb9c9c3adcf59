/*
 * fuzz_reader.c - any bytes are a profile, or rejected with a message
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL;
	struct err err = { 0 };
	int rc = formats_read(&in, &fuzz_limits, &p, &err);

	fuzz_judge(rc, p, &err);
	profile_free(p);
	free(in.data);
	return 0;
}
