/*
 * names.c - kinds of profiles as Pyroscope names them, in the label __name__
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/push/names.h"

#include <stddef.h>
#include <string.h>

/* The first name of a kind is sent; the others are those of clients. */
static const struct {
	const char *name, *kind;
} kinds[] = {
	{ "process_cpu", "cpu" },
	{ "memory", "heap" },
	{ "goroutines", "goroutine" },
	{ "goroutine", "goroutine" },
	{ "mutex", "mutex" },
	{ "block", "block" },
	{ "wall", "wall" },
	{ "cpu", "cpu" },
	{ "heap", "heap" },
	{ "godeltaprof_memory", "heap" },
	{ "godeltaprof_mutex", "mutex" },
	{ "godeltaprof_block", "block" },
	{ "fgprof", "fgprof" },
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const char *push_names_kind(const char *name)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (strcmp(kinds[i].name, name) == 0)
			return kinds[i].kind;
	return NULL;
}

const char *push_names_of_kind(const char *kind)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return kinds[i].name;
	return kind;
}
