/*
 * fuzz_firefox.c - any bytes as a profile of the Firefox Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "formats/firefox/firefox.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const format_read_fn readers[] = { firefox_read };
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
