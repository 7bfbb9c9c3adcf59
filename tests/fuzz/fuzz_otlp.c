/*
 * fuzz_otlp.c - any bytes as OpenTelemetry profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "formats/otlp/otlp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL, *timed = NULL;
	struct format_options with_times = fuzz_limits;
	struct err err = { 0 };
	int rc = otlp_read(in.data, in.n, &fuzz_limits, &p, &err);

	if (rc != ERR_UNKNOWN) {
		fuzz_judge(rc, p, &err);
		with_times.keeps_times = true;
		rc = otlp_read(in.data, in.n, &with_times, &timed, &err);
		fuzz_judge(rc, timed, &err);
	}
	profile_free(p);
	profile_free(timed);
	p = NULL;
	if (in.n && in.data[0] == '{') {
		rc = otlp_json_read(in.data, in.n, &fuzz_limits, &p, &err);
		fuzz_judge(rc, p, &err);
		profile_free(p);
	}
	free(in.data);
	return 0;
}
