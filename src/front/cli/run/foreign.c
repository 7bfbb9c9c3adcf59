/*
 * foreign.c - options of perf record, py-spy and async-profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Those that mean the same are options of cpa record (options.c). For the others, the message names the option to use.
 */
#include "config.h"

#include "front/cli/run/options.h"

#include "base/str.h"

#include <string.h>

/* clang-format off */
static const struct {
	const char *name; /* words joined by - */
	const char *use;
} foreign[] = {
	{ "c", "--hz=N, samples per second of CPU time" },
	{ "count", "--hz=N, samples per second of CPU time" },
	{ "r", "--hz=N" },
	{ "rate", "--hz=N" },
	{ "d", "--seconds=N to stop after N seconds" },
	{ "duration", "--seconds=N" },
	{ "i", "--follow=none" },
	{ "no-inherit", "--follow=none" },
	{ "t", "-p PID, which samples all threads of a process" },
	{ "tid", "-p PID, which samples all threads of a process" },
	{ "C", "-a, which samples all processors" },
	{ "cpu", "-a, which samples all processors" },
	{ "u", "-p PID or -a" },
	{ "uid", "-p PID or -a" },
	{ "f", "--flame=FILE" },
	{ "format", "--flame=FILE" },
	{ "q", "--top=0" },
	{ "quiet", "--top=0" },
};
/* clang-format on */

const char *cmd_run_foreign_option(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (strlen(foreign[i].name) == n && memcmp(foreign[i].name, name, n) == 0)
			return foreign[i].use;
	return NULL;
}

int cmd_run_check_call_graph(const char *mode, struct err *err)
{
	if (!mode || strcmp(mode, "fp") == 0 || strcmp(mode, "dwarf") == 0 || starts_with(mode, "dwarf,"))
		return 0;
	return err_set(err, ERR_USAGE,
		       "--call-graph=%s: choose dwarf or fp; stacks are always recorded, by call frame information or "
		       "frame pointers",
		       mode);
}
