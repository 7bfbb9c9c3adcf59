/*
 * fuzz_perf.c - any bytes as a recording of perf
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "formats/perf/perf.h"

/* Read all that an unwinder may read. */
static void *walk_open(void *arg, const struct profile *p, const struct mapping *map, size_t n)
{
	uint64_t *sum = arg;

	for (size_t i = 0; i < n; i++)
		*sum += map[i].start + strlen(profile_text(p, map[i].file)) + strlen(profile_text(p, map[i].build_id));
	return mem_alloc(1, 1);
}

static void walk_close(void *arg, void *space)
{
	(void)arg;
	free(space);
}

static size_t walk_stack(void *arg, void *space, const struct format_stack_copy *s, uint64_t *pc, size_t max,
			 bool *is_whole)
{
	unsigned n_regs = (unsigned)__builtin_popcountll(s->mask);
	uint64_t *sum = arg;

	(void)space;
	for (size_t i = 0; i < s->n_stack; i++)
		*sum += s->stack[i];
	for (unsigned i = 0; i < n_regs; i++)
		pc[i % max] = s->reg[i];
	*is_whole = *sum & 1;
	return n_regs < max ? n_regs : max;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint64_t sum = 0;
	const struct format_unwinder unwinder = {
		.arg = &sum, .open = walk_open, .close = walk_close, .walk = walk_stack
	};
	struct format_options options = fuzz_limits;
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL;
	struct err err = { 0 };
	int rc;

	options.unwinder = &unwinder;
	options.keeps_times = n & 1;
	rc = perfdata_read(in.data, in.n, &options, &p, &err);
	if (rc != ERR_UNKNOWN)
		fuzz_judge(rc, p, &err);
	profile_free(p);
	free(in.data);
	return 0;
}
