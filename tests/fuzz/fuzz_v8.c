/*
 * fuzz_v8.c - any bytes as profiles of V8
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "formats/v8/v8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const format_read_fn readers[] = { v8_read_cpuprofile, v8_read_heapprofile, v8_read_trace };
	struct format_options options = fuzz_limits;

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		struct bytes in = fuzz_bytes(data, n);
		struct profile *p = NULL;
		struct err err = { 0 };
		int rc = readers[i](in.data, in.n, &options, &p, &err);

		fuzz_judge(rc, p, &err);
		options.keeps_times = !options.keeps_times;
		profile_free(p);
		free(in.data);
	}
	return 0;
}
