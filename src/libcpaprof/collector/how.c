/*
 * how.c - words for what is in struct collect_how
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/collect.h"

#include "libcpaprof/target/segment.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

bool collect_signal_named(const char *name, uint32_t *out)
{
	static const struct {
		const char *name;
		uint32_t number;
	} known[] = {
		{ "SIGPROF", SIGPROF }, { "SIGVTALRM", SIGVTALRM }, { "SIGSTKFLT", SIGSTKFLT }, { "SIGPWR", SIGPWR }
	};
	char *end;
	long n = strtol(name, &end, 10);
	bool is_number = *name >= '0' && *name <= '9' && !*end;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0 || strcmp(name, known[i].name + 3) == 0 ||
		    (is_number && n == known[i].number)) {
			*out = known[i].number;
			return true;
		}
	if (!is_number || n < SIGRTMIN || n > SIGRTMAX)
		return false;
	*out = (uint32_t)n;
	return true;
}

bool collect_engine(const char *name, uint32_t *out)
{
	static const char *const names[] = {
		[ASKED_TIMER] = "timer", [ASKED_PERF] = "perf", [ASKED_ITIMER] = "itimer"
	};

	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0) {
			*out = i;
			return true;
		}
	return false;
}
