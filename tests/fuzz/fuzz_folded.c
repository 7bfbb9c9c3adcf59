/*
 * fuzz_folded.c - any bytes as folded stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "formats/folded/folded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct folded_pushed cpu = { .type = "cpu", .value_ns = 10000000 };
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL, *pushed = NULL;
	struct err err = { 0 };
	int rc = folded_read(in.data, in.n, &fuzz_limits, &p, &err);

	fuzz_judge(rc, p, &err);
	if (folded_probe(in.data, in.n) == FORMAT_SURE && rc == ERR_FORMAT && !strstr(err.msg, "too large"))
		abort(); /* certain text has at least one stack */
	rc = folded_read_pushed(&cpu, in.data, in.n, &fuzz_limits, &pushed, &err);
	fuzz_judge(rc, pushed, &err);
	profile_free(p);
	profile_free(pushed);
	free(in.data);
	return 0;
}
