/*
 * fuzz_jfr.c - any bytes as a recording of Java Flight Recorder
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "formats/jfr/jfr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct format_options options = fuzz_limits;
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL;
	struct err err = { 0 };
	int rc;

	options.keeps_times = n % 2; /* times make rows that are not added up */
	rc = jfr_read(in.data, in.n, &options, &p, &err);
	fuzz_judge(rc, p, &err);
	profile_free(p);
	free(in.data);
	return 0;
}
