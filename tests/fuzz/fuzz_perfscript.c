/*
 * fuzz_perfscript.c - any bytes as text of perf script
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "formats/perfscript/perfscript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL, *timed = NULL;
	struct format_options with_times = fuzz_limits;
	struct err err = { 0 };
	int rc = perfscript_read(in.data, in.n, &fuzz_limits, &p, &err);

	fuzz_judge(rc, p, &err);
	if (perfscript_probe(in.data, in.n) == FORMAT_SURE && rc == ERR_FORMAT)
		abort(); /* certain text has at least one sample */
	with_times.keeps_times = true;
	rc = perfscript_read(in.data, in.n, &with_times, &timed, &err);
	fuzz_judge(rc, timed, &err);
	profile_free(p);
	profile_free(timed);
	free(in.data);
	return 0;
}
